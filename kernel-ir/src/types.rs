//! The types that a kernel can use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of a value or a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// `()`
    Unit,
    /// `!`: the type of a diverging expression.
    Never,
    /// A number or a `bool`.
    Scalar(Scalar),
    /// `(A, B)`. Also an `Option` or a `Result`, see [`Type::tag`].
    Tuple(Vec<Type>),
    /// A struct. The fields of a tuple struct are named by their indices. Also an enum with data, see [`Type::tag`].
    Struct(StructType),
    /// A fieldless enum, or the tag of an enum with data.
    Enum(EnumType),
    /// `[T; N]`
    Array(Box<Type>, u64),
    /// `&[T]` or `&mut [T]`: a pointer and a length.
    Slice {
        /// The element type.
        element: Box<Type>,
        /// `&mut`
        mutable: bool,
    },
    /// `ArrayView2<T>` and the other views: a pointer, and a length and a stride per dimension.
    View {
        /// The element type.
        element: Box<Type>,
        /// The number of dimensions: 0 to 4.
        dimensions: u8,
        /// `ArrayViewMut2<T>`
        mutable: bool,
    },
    /// `&T` or `&mut T`, for a `T` with a memory layout. `shared::<T>()` returns a `&mut T`, too.
    Ref {
        /// The referent's type.
        target: Box<Type>,
        /// `&mut`
        mutable: bool,
    },
}

impl Type {
    /// `bool`
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// `usize`
    pub const USIZE: Type = Type::Scalar(Scalar::Usize);
    /// `u32`
    pub const U32: Type = Type::Scalar(Scalar::U32);

    /// Returns the scalar if the type is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// Returns the size in bytes of a value in memory, for types with a memory layout.
    pub fn size(&self) -> Option<u64> {
        match self {
            Type::Scalar(scalar) => Some(scalar.size()),
            Type::Struct(structure) => Some(structure.size),
            Type::Enum(choice) => Some(choice.repr.size()),
            Type::Array(element, len) => element.size()?.checked_mul(*len),
            Type::Unit | Type::Never | Type::Tuple(_) | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => {
                None
            }
        }
    }

    /// Returns the alignment in bytes of a value in memory, for types with a memory layout.
    pub fn align(&self) -> Option<u64> {
        match self {
            Type::Scalar(scalar) => Some(scalar.size()),
            Type::Struct(structure) => Some(structure.align),
            Type::Enum(choice) => Some(choice.repr.size()),
            Type::Array(element, _) => element.align(),
            Type::Unit | Type::Never | Type::Tuple(_) | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => {
                None
            }
        }
    }

    /// Returns whether the built-in comparison operators accept the type.
    pub fn is_comparable(&self) -> bool {
        match self {
            Type::Unit | Type::Scalar(_) | Type::Enum(_) => true,
            Type::Tuple(parts) => parts.iter().all(Type::is_comparable),
            Type::Struct(structure) => structure.fields.iter().all(|field| field.ty.is_comparable()),
            Type::Array(element, _) => element.is_comparable(),
            Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => false,
        }
    }

    /// Returns whether a value of the type is or contains a reference, a slice or a view. Such a value is never in memory.
    ///
    /// A struct that does is an argument that consists of several: a struct with `#[derive(KernelArgument)]`.
    pub fn has_references(&self) -> bool {
        match self {
            Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => true,
            Type::Tuple(parts) => parts.iter().any(Type::has_references),
            Type::Struct(structure) => structure.fields.iter().any(|field| field.ty.has_references()),
            Type::Array(element, _) => element.has_references(),
            Type::Unit | Type::Never | Type::Scalar(_) | Type::Enum(_) => false,
        }
    }

    /// Returns the tag of an enum with data, and `None` for any other type.
    ///
    /// An enum with data is a compound type whose first part is its tag, and whose further parts are the payloads of its
    /// variants, in the order of the tag's variants. A tuple holds all payloads side by side, and exists in registers
    /// only: this is the form of `Option` and `Result`, whose layout is unspecified. The payload of a variant is the type
    /// of its only field, or `()`. A struct is a union of its variants, with the layout that Rust defines: the payload of
    /// a variant is a struct of the tag and the variant's fields.
    pub fn tag(&self) -> Option<&EnumType> {
        let first = match self.target() {
            Type::Tuple(parts) => parts.first(),
            Type::Struct(StructType { fields, .. }) => fields.first().map(|field| &field.ty),
            _ => None,
        };
        match first {
            Some(Type::Enum(tag)) if tag.has_data => Some(tag),
            _ => None,
        }
    }

    /// Returns the index of a variant of an enum with data, by its name, [`SUCCESS`] or [`FAILURE`].
    pub fn variant(&self, name: &str) -> Option<usize> {
        let is_named = |variant: &Variant| match name {
            SUCCESS => matches!(variant.name.as_str(), "Some" | "Ok"),
            FAILURE => matches!(variant.name.as_str(), "None" | "Err"),
            name => variant.name == name,
        };
        self.tag()?.variants.iter().position(is_named)
    }

    /// Returns the payload of a variant of an enum with data.
    pub fn payload(&self, variant: usize) -> Option<&Type> {
        self.tag()?;
        match self.target() {
            Type::Tuple(parts) => parts.get(variant + 1),
            Type::Struct(StructType { fields, .. }) => fields.get(variant + 1).map(|field| &field.ty),
            _ => None,
        }
    }

    /// Returns the fields of the payload of a variant, with their names and their positions in the payload. The payload
    /// itself, if it is the only field, has no position.
    pub fn payload_fields(&self, variant: usize) -> Vec<(&str, Option<usize>, &Type)> {
        match (self.target(), self.payload(variant)) {
            (Type::Struct(_), Some(Type::Struct(payload))) => {
                let fields = payload.fields.iter().enumerate().skip(1);
                fields.map(|(position, field)| (field.name.as_str(), Some(position), &field.ty)).collect()
            }
            (_, Some(payload)) => vec![("0", None, payload)],
            (_, None) => Vec::new(),
        }
    }

    /// Returns the referent's type of a reference; any other type is returned unchanged.
    pub fn target(&self) -> &Type {
        match self {
            Type::Ref { target, mutable: _ } => target,
            other => other,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Unit => f.write_str("()"),
            Type::Never => f.write_str("!"),
            Type::Scalar(scalar) => scalar.fmt(f),
            Type::Tuple(_) if let Some(tag) = self.tag() => f.write_str(&tag.path),
            Type::Tuple(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    let separator = if i == 0 { "" } else { ", " };
                    write!(f, "{separator}{part}")?;
                }
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            Type::Struct(StructType { path, .. }) | Type::Enum(EnumType { path, .. }) => f.write_str(path),
            Type::Array(element, len) => write!(f, "[{element}; {len}]"),
            Type::Slice { element, mutable: false } => write!(f, "&[{element}]"),
            Type::Slice { element, mutable: true } => write!(f, "&mut [{element}]"),
            Type::View { element, dimensions, mutable } => {
                write!(f, "ArrayView{}{dimensions}<{element}>", if *mutable { "Mut" } else { "" })
            }
            Type::Ref { target, mutable: false } => write!(f, "&{target}"),
            Type::Ref { target, mutable: true } => write!(f, "&mut {target}"),
        }
    }
}

/// A struct with the memory layout that rustc chose, or one that contains references and has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StructType {
    /// The name in the source, without its path and generic arguments.
    pub name: String,
    /// The path with generic arguments, as `type_name` reports it. Structs with the same path are identical.
    pub path: String,
    /// The fields, in order of declaration.
    pub fields: Vec<Field>,
    /// The size in bytes.
    pub size: u64,
    /// The alignment in bytes.
    pub align: u64,
}

/// A field of a [`StructType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// The name in the source, or the index in decimal.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The offset in the struct in bytes. Rust may reorder fields.
    pub offset: u64,
}

/// The name of the variant `Some` or `Ok`, where the macro does not know which.
pub const SUCCESS: &str = "?";

/// The name of the variant `None` or `Err`, where the macro does not know which. `None` has a payload of type `()`.
pub const FAILURE: &str = "!";

/// A fieldless enum, or the tag of an enum with data: an integer restricted to the discriminants of its variants.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EnumType {
    /// The name in the source, without its path.
    pub name: String,
    /// The path, as `type_name` reports it. Enums with the same path are identical.
    pub path: String,
    /// The integer type with the size and signedness of the discriminant.
    pub repr: Scalar,
    /// The variants, in order of declaration; at least one.
    pub variants: Vec<Variant>,
    /// Whether it is the tag of an enum with data.
    pub has_data: bool,
}

/// A variant of an [`EnumType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// The name in the source.
    pub name: String,
    /// The bits of the discriminant, in the low-order bits; the remaining bits are zero.
    pub bits: u64,
}

/// Returns the type of `thread_idx()` and the other built-in variables: a struct of `x`, `y` and `z`, each a `usize`.
pub fn dim3() -> Type {
    dim3_of(Scalar::Usize)
}

/// Returns the type that [`dim3`] returns, with another integer type.
pub fn dim3_of(scalar: Scalar) -> Type {
    let size = scalar.size();
    let field = |name: &str, offset| Field { name: name.to_owned(), ty: Type::Scalar(scalar), offset };
    Type::Struct(StructType {
        name: "Dim3".to_owned(),
        path: "Dim3".to_owned(),
        fields: vec![field("x", 0), field("y", size), field("z", 2 * size)],
        size: 3 * size,
        align: size,
    })
}

/// A number or a `bool`. `usize` and `isize` are 64 bits wide on every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Scalar {
    /// `bool`, one byte of 0 or 1
    Bool,
    /// `i8`
    I8,
    /// `i16`
    I16,
    /// `i32`
    I32,
    /// `i64`
    I64,
    /// `isize`
    Isize,
    /// `u8`
    U8,
    /// `u16`
    U16,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `usize`
    Usize,
    /// `half::f16`: IEEE's binary16
    F16,
    /// `half::bf16`: the upper half of an `f32`
    Bf16,
    /// `f32`
    F32,
    /// `f64`
    F64,
}

impl Scalar {
    /// Returns Rust's name of the type.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::Isize => "isize",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::Usize => "usize",
            Scalar::F16 => "f16",
            Scalar::Bf16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// Returns the size in bytes.
    pub fn size(self) -> u64 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::Bf16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::Isize | Scalar::U64 | Scalar::Usize | Scalar::F64 => 8,
        }
    }

    /// Returns the width in bits.
    pub fn bits(self) -> u32 {
        self.size() as u32 * 8
    }

    /// Returns whether the type is `f16`, `bf16`, `f32` or `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64)
    }

    /// Returns whether the type is `f16` or `bf16`, whose arithmetic is performed as `float` in C.
    pub fn is_half(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::Bf16)
    }

    /// Returns whether the type is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
    }

    /// Returns the unsigned integer type of the same width; any other scalar is returned unchanged.
    #[must_use]
    pub fn to_unsigned(self) -> Scalar {
        match self {
            Scalar::I8 => Scalar::U8,
            Scalar::I16 => Scalar::U16,
            Scalar::I32 => Scalar::U32,
            Scalar::I64 => Scalar::U64,
            Scalar::Isize => Scalar::Usize,
            Scalar::Bool
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::Usize
            | Scalar::F16
            | Scalar::Bf16
            | Scalar::F32
            | Scalar::F64 => self,
        }
    }

    /// Returns the signed integer type of the same width; any other scalar is returned unchanged.
    #[must_use]
    pub fn to_signed(self) -> Scalar {
        match self {
            Scalar::U8 => Scalar::I8,
            Scalar::U16 => Scalar::I16,
            Scalar::U32 => Scalar::I32,
            Scalar::U64 => Scalar::I64,
            Scalar::Usize => Scalar::Isize,
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::Isize
            | Scalar::F16
            | Scalar::Bf16
            | Scalar::F32
            | Scalar::F64 => self,
        }
    }

    /// Returns whether the type is an integer.
    pub fn is_integer(self) -> bool {
        self != Scalar::Bool && !self.is_float()
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
