//! The types a kernel can use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of a value or a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Type {
    /// `()`
    Unit,
    /// `!`: the expression does not finish.
    Never,
    /// A number or a `bool`.
    Scalar(Scalar),
    /// `(A, B)`
    Tuple(Vec<Type>),
    /// A struct with named fields.
    Struct(StructType),
    /// `[T; N]`
    Array(Box<Type>, u64),
    /// `&[T]` or `&mut [T]`: a pointer and a length.
    Slice {
        /// The elements.
        element: Box<Type>,
        /// `&mut`
        mutable: bool,
    },
    /// What `shared::<T>()` gives: storage of the block, used as the `T` that it holds.
    Shared(Box<Type>),
    /// `&mut` to one element, as the atomics take it.
    Place(Box<Type>),
}

impl Type {
    /// `bool`
    pub const BOOL: Type = Type::Scalar(Scalar::Bool);
    /// `usize`
    pub const USIZE: Type = Type::Scalar(Scalar::Usize);
    /// `u32`
    pub const U32: Type = Type::Scalar(Scalar::U32);

    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// The bytes of a value in memory, for the types that memory can hold.
    pub fn size(&self) -> Option<u64> {
        match self {
            Type::Scalar(scalar) => Some(scalar.size()),
            Type::Array(element, len) => element.size()?.checked_mul(*len),
            Type::Unit
            | Type::Never
            | Type::Tuple(_)
            | Type::Struct(_)
            | Type::Slice { .. }
            | Type::Shared(_)
            | Type::Place(_) => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Unit => f.write_str("()"),
            Type::Never => f.write_str("!"),
            Type::Scalar(scalar) => scalar.fmt(f),
            Type::Tuple(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    let separator = if i == 0 { "" } else { ", " };
                    write!(f, "{separator}{part}")?;
                }
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            Type::Struct(StructType { name, .. }) => f.write_str(name),
            Type::Array(element, len) => write!(f, "[{element}; {len}]"),
            Type::Slice { element, mutable: false } => write!(f, "&[{element}]"),
            Type::Slice { element, mutable: true } => write!(f, "&mut [{element}]"),
            Type::Shared(inner) => write!(f, "shared {inner}"),
            Type::Place(inner) => write!(f, "&mut {inner}"),
        }
    }
}

/// A struct that both devices lay out in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StructType {
    /// The name in the source.
    pub name: String,
    /// In order of declaration.
    pub fields: Vec<Field>,
}

/// A field of a [`StructType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Field {
    /// The name in the source.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// What `thread_idx()` and its like give: `x`, `y` and `z`, each a `usize`.
pub fn dim3() -> Type {
    let field = |name: &str| Field { name: name.to_owned(), ty: Type::USIZE };
    Type::Struct(StructType { name: "Dim3".to_owned(), fields: vec![field("x"), field("y"), field("z")] })
}

/// A number or a `bool`. `usize` and `isize` have 64 bits on every device.
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
    /// `f32`
    F32,
    /// `f64`
    F64,
}

impl Scalar {
    /// Rust's name.
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
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        }
    }

    /// Bytes in memory.
    pub fn size(self) -> u64 {
        match self {
            Scalar::Bool | Scalar::I8 | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::Isize | Scalar::U64 | Scalar::Usize | Scalar::F64 => 8,
        }
    }

    /// Bits of the value.
    pub fn bits(self) -> u32 {
        self.size() as u32 * 8
    }

    /// `f32` or `f64`
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// An integer with a sign.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
    }

    /// The unsigned integer of the same width; any other scalar is itself.
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
            | Scalar::F32
            | Scalar::F64 => self,
        }
    }

    /// An integer.
    pub fn is_integer(self) -> bool {
        self != Scalar::Bool && !self.is_float()
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
