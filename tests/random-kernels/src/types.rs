//! The types of generated programs, and the value ranges of integers.

use std::fmt;
use std::rc::Rc;

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Int {
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
}

impl Int {
    pub(crate) const ALL: [Int; 10] =
        [Int::I8, Int::I16, Int::I32, Int::I64, Int::Isize, Int::U8, Int::U16, Int::U32, Int::U64, Int::Usize];

    pub(crate) fn bits(self) -> u32 {
        match self {
            Int::I8 | Int::U8 => 8,
            Int::I16 | Int::U16 => 16,
            Int::I32 | Int::U32 => 32,
            Int::I64 | Int::Isize | Int::U64 | Int::Usize => 64,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Int::I8 | Int::I16 | Int::I32 | Int::I64 | Int::Isize)
    }

    pub(crate) fn to_unsigned(self) -> Int {
        match self {
            Int::I8 | Int::U8 => Int::U8,
            Int::I16 | Int::U16 => Int::U16,
            Int::I32 | Int::U32 => Int::U32,
            Int::I64 | Int::U64 => Int::U64,
            Int::Isize | Int::Usize => Int::Usize,
        }
    }

    /// Returns the full range of the type.
    pub(crate) fn range(self) -> Range {
        let bits = self.bits();
        if self.is_signed() {
            Range::new(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        } else {
            Range::new(0, (1 << bits) - 1)
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Int::I8 => "i8",
            Int::I16 => "i16",
            Int::I32 => "i32",
            Int::I64 => "i64",
            Int::Isize => "isize",
            Int::U8 => "u8",
            Int::U16 => "u16",
            Int::U32 => "u32",
            Int::U64 => "u64",
            Int::Usize => "usize",
        }
    }
}

/// A float type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Float {
    F16,
    Bf16,
    F32,
    F64,
}

impl Float {
    /// Returns whether it is a type of the crate `half`, which has neither `as` casts nor literals.
    pub(crate) fn is_half(self) -> bool {
        matches!(self, Float::F16 | Float::Bf16)
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            Float::F16 | Float::Bf16 => 16,
            Float::F32 => 32,
            Float::F64 => 64,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Float::F16 => "f16",
            Float::Bf16 => "bf16",
            Float::F32 => "f32",
            Float::F64 => "f64",
        }
    }
}

/// The value range of an integer, both bounds inclusive. For any other type it means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: i128,
    pub(crate) high: i128,
}

impl Range {
    /// The range of a value that is not an integer.
    pub(crate) const NONE: Range = Range { low: 0, high: 0 };

    pub(crate) fn new(low: i128, high: i128) -> Range {
        debug_assert!(low <= high);
        Range { low, high }
    }

    pub(crate) fn one(value: i128) -> Range {
        Range::new(value, value)
    }

    pub(crate) fn contains(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    pub(crate) fn is_inside(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// Returns the smallest range that contains both.
    pub(crate) fn or(self, other: Range) -> Range {
        Range::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// Returns the intersection, or all of `other` if it is empty.
    pub(crate) fn and(self, other: Range) -> Range {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low <= high { Range::new(low, high) } else { other }
    }

    /// Returns the smallest range that contains some values.
    pub(crate) fn around(values: &[i128]) -> Range {
        let (low, high) = (values.iter().min(), values.iter().max());
        Range::new(low.copied().unwrap_or(0), high.copied().unwrap_or(0))
    }

    /// Returns the number of values.
    pub(crate) fn count(self) -> i128 {
        self.high - self.low + 1
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Unit,
    Bool,
    Int(Int),
    Float(Float),
    Tuple(Vec<Type>),
    Array(Box<Type>, usize),
    Struct(Rc<Struct>),
    Enum(Rc<Enum>),
    /// `&[T]`, `&mut [T]`
    Slice(Box<Type>, bool),
    /// `ArrayView2<T>`, `ArrayViewMut2<T>`, with the number of dimensions.
    View(Box<Type>, usize, bool),
    /// `&T`, `&mut T`
    Ref(Box<Type>, bool),
    /// `T` or `Self`, with the trait that it implements.
    Param(&'static str),
}

/// A struct with `#[derive(DeviceType)]`. If the fields are named by their positions, it is a tuple struct.
#[derive(Debug, PartialEq)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) fields: Vec<(String, Type)>,
}

impl Struct {
    pub(crate) fn is_tuple(&self) -> bool {
        self.fields.first().is_some_and(|(name, _)| name == "0")
    }
}

/// An enum.
#[derive(Debug, PartialEq)]
pub(crate) struct Enum {
    pub(crate) name: String,
    /// The path before the name of a variant: `E`, `Option::<i32>`.
    pub(crate) path: String,
    pub(crate) variants: Vec<Variant>,
    /// Declared by the program, so that device arrays can have such elements.
    pub(crate) declared: bool,
}

/// A variant of an enum.
#[derive(Debug, PartialEq)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) payload: Vec<Type>,
}

impl Enum {
    /// Returns whether a variant has a payload.
    pub(crate) fn has_data(&self) -> bool {
        self.variants.iter().any(|variant| !variant.payload.is_empty())
    }

    /// Returns the path of a variant.
    pub(crate) fn variant(&self, variant: &Variant) -> String {
        format!("{}::{}", self.path, variant.name)
    }
}

impl Type {
    pub(crate) const USIZE: Type = Type::Int(Int::Usize);
    pub(crate) const U32: Type = Type::Int(Int::U32);
    pub(crate) const F32: Type = Type::Float(Float::F32);

    /// Returns `Option<T>`.
    pub(crate) fn option(of: &Type) -> Type {
        let variants = [("None", vec![]), ("Some", vec![of.clone()])];
        let variants = variants.map(|(name, payload)| Variant { name: name.to_owned(), payload });
        let (name, path) = (format!("Option<{of}>"), format!("Option::<{of}>"));
        Type::Enum(Rc::new(Enum { name, path, variants: variants.into(), declared: false }))
    }

    /// Returns the integer type, if it is one.
    pub(crate) fn int(&self) -> Option<Int> {
        match self {
            Type::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// Returns whether it is a scalar: a number or a `bool`.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self, Type::Bool | Type::Int(_) | Type::Float(_))
    }

    /// Returns whether device arrays can have such elements, which references can point to.
    pub(crate) fn is_in_memory(&self) -> bool {
        match self {
            Type::Bool | Type::Int(_) | Type::Float(_) | Type::Struct(_) => true,
            Type::Enum(choice) => choice.declared,
            Type::Array(element, _) => element.is_in_memory(),
            Type::Unit | Type::Tuple(_) | Type::Slice(..) | Type::View(..) | Type::Ref(..) | Type::Param(_) => false,
        }
    }

    /// Returns the full range of an integer type.
    pub(crate) fn range(&self) -> Range {
        self.int().map_or(Range::NONE, Int::range)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Unit => f.write_str("()"),
            Type::Bool => f.write_str("bool"),
            Type::Int(int) => f.write_str(int.name()),
            Type::Float(float) => f.write_str(float.name()),
            Type::Tuple(parts) => {
                f.write_str("(")?;
                for (i, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(if parts.len() == 1 { ",)" } else { ")" })
            }
            Type::Array(element, len) => write!(f, "[{element}; {len}]"),
            Type::Struct(structure) => f.write_str(&structure.name),
            Type::Enum(choice) => f.write_str(&choice.name),
            Type::Slice(element, mutable) => write!(f, "&{}[{element}]", if *mutable { "mut " } else { "" }),
            Type::View(element, dimensions, mutable) => {
                write!(f, "ArrayView{}{dimensions}<{element}>", if *mutable { "Mut" } else { "" })
            }
            Type::Ref(target, mutable) => write!(f, "&{}{target}", if *mutable { "mut " } else { "" }),
            Type::Param(name) => f.write_str(name),
        }
    }
}
