//! The table of built-in methods: the signatures of the standard library, of `half`, and of views.

use crate::ir::{Method, Scalar, Type};

use super::Signature;

/// Returns the parameter types after the receiver, and the result type; `None` if the type has no such method.
pub(super) fn signature(method: Method, receiver: &Type, index: Scalar) -> Option<Signature> {
    let receiver = receiver.target();
    match receiver {
        _ if method == Method::Clone => clone(receiver),
        Type::Scalar(scalar) => number(method, *scalar),
        Type::Array(element, _) => sequence(method, element, true, index),
        Type::Slice { element, mutable } => sequence(method, element, *mutable, index),
        Type::View { element, dimensions, mutable } => view(method, element, (*dimensions, *mutable), index),
        Type::Unit | Type::Never | Type::Tuple(_) | Type::Struct(_) | Type::Enum(_) | Type::Ref { .. } => None,
    }
}

fn clone(of: &Type) -> Option<Signature> {
    match of {
        // Rust does not allow two `&mut` to one place.
        Type::Never | Type::Slice { mutable: true, .. } | Type::View { mutable: true, .. } | Type::Ref { .. } => None,
        Type::Unit
        | Type::Scalar(_)
        | Type::Tuple(_)
        | Type::Struct(_)
        | Type::Enum(_)
        | Type::Array(..)
        | Type::Slice { mutable: false, .. }
        | Type::View { mutable: false, .. } => Some(Signature { params: Vec::new(), result: of.clone() }),
    }
}

/// Methods of a slice, or of an array, which can be borrowed as a slice.
fn sequence(method: Method, element: &Type, mutable: bool, index: Scalar) -> Option<Signature> {
    let index = Type::Scalar(index);
    let half = |mutable| Type::Slice { element: Box::new(element.clone()), mutable };
    let (params, result) = match method {
        Method::Len => (vec![], index),
        Method::IsEmpty => (vec![], Type::BOOL),
        Method::SplitAt => (vec![index], Type::Tuple(vec![half(false); 2])),
        Method::SplitAtMut if mutable => (vec![index], Type::Tuple(vec![half(true); 2])),
        _ => return None,
    };
    Some(Signature { params, result })
}

fn view(method: Method, element: &Type, (dimensions, mutable): (u8, bool), index: Scalar) -> Option<Signature> {
    let index = Type::Scalar(index);
    let of = |dimensions, mutable| Type::View { element: Box::new(element.clone()), dimensions, mutable };
    let (params, result) = match method {
        Method::Len => (vec![], index),
        Method::IsEmpty => (vec![], Type::BOOL),
        Method::Shape => (vec![], Type::Array(Box::new(index), dimensions.into())),
        Method::Dim if dimensions == 1 => (vec![], index),
        Method::Dim => (vec![], Type::Tuple(vec![index; dimensions.into()])),
        Method::Transposed => (vec![], of(dimensions, mutable)),
        Method::Nrows | Method::Ncols if dimensions == 2 => (vec![], index),
        Method::Row | Method::Column if dimensions == 2 => (vec![index], of(1, false)),
        Method::RowMut | Method::ColumnMut if dimensions == 2 && mutable => (vec![index], of(1, true)),
        Method::Plane if dimensions == 3 => (vec![index], of(2, false)),
        Method::PlaneMut if dimensions == 3 && mutable => (vec![index], of(2, true)),
        _ => return None,
    };
    Some(Signature { params, result })
}

/// The class of scalars that have a method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// `f16` and `bf16`
    Half,
    Floats,
    Integers,
    Signed,
    Unsigned,
    /// Only this type, which differs from the type that the function is associated with.
    Only(Scalar),
}

impl Numbers {
    fn contains(self, scalar: Scalar) -> bool {
        match self {
            Numbers::Half => scalar.is_half(),
            Numbers::Floats => scalar.is_float(),
            Numbers::Integers => scalar.is_integer(),
            Numbers::Signed => scalar.is_signed(),
            Numbers::Unsigned => scalar.is_integer() && !scalar.is_signed(),
            Numbers::Only(only) => scalar == only,
        }
    }
}

/// A type, relative to the receiver's.
#[derive(Clone, Copy)]
enum Of {
    /// The receiver's type.
    Own,
    /// The unsigned integer of the same width.
    Unsigned,
    /// The signed integer of the same width.
    Signed,
    This(Scalar),
    /// `(T, T)`
    Pair,
    /// `(T, bool)`
    Overflowing,
}

impl Of {
    fn ty(self, own: Scalar) -> Type {
        let scalar = Type::Scalar;
        match self {
            Of::Own => scalar(own),
            Of::Unsigned => scalar(own.to_unsigned()),
            Of::Signed => scalar(own.to_signed()),
            Of::This(this) => scalar(this),
            Of::Pair => Type::Tuple(vec![scalar(own); 2]),
            Of::Overflowing => Type::Tuple(vec![scalar(own), Type::BOOL]),
        }
    }
}

fn number(method: Method, own: Scalar) -> Option<Signature> {
    let (numbers, params, result) = row(method, own)?;
    let params = params.iter().map(|param| param.ty(own)).collect();
    numbers.contains(own).then(|| Signature { params, result: result.ty(own) })
}

/// Returns the class of scalars that have the method, the parameter types after the receiver, and the result type.
/// `own` matters only for methods whose signature differs between classes of scalars.
#[expect(clippy::too_many_lines, clippy::match_same_arms, reason = "a table of methods")]
fn row(method: Method, own: Scalar) -> Option<(Numbers, &'static [Of], Of)> {
    use Method as M;
    use Numbers as N;
    use Of::{Overflowing, Own, Pair, This};
    use Scalar::{Bf16, Bool, F16, F32, F64, U16, U32, U64};
    Some(match method {
        M::Sqrt
        | M::Cbrt
        | M::Exp
        | M::Exp2
        | M::ExpM1
        | M::Ln
        | M::Ln1p
        | M::Log2
        | M::Log10
        | M::Recip
        | M::Sin
        | M::Cos
        | M::Tan
        | M::Asin
        | M::Acos
        | M::Atan
        | M::Sinh
        | M::Cosh
        | M::Tanh
        | M::Asinh
        | M::Acosh
        | M::Atanh
        | M::Floor
        | M::Ceil
        | M::Round
        | M::RoundTiesEven
        | M::Trunc
        | M::ToDegrees
        | M::ToRadians
        | M::Rsqrt
        | M::Erf
        | M::Erfc
        | M::Sinpi
        | M::Cospi
        | M::Normcdf => (N::Floats, &[], Own),
        M::Powf | M::Log | M::Hypot | M::Atan2 | M::Copysign => (N::Floats, &[Own], Own),
        M::MulAdd => (N::Floats, &[Own, Own], Own),
        M::SinCos => (N::Floats, &[], Pair),
        M::IsNan | M::IsFinite | M::IsInfinite | M::IsNormal | M::IsSignPositive | M::IsSignNegative => {
            (N::Floats, &[], This(Bool))
        }
        M::ToBits => match own {
            F32 => (N::Floats, &[], This(U32)),
            F64 => (N::Floats, &[], This(U64)),
            _ => (N::Half, &[], This(U16)),
        },
        M::F32FromBits => (N::Only(U32), &[], This(F32)),
        M::F64FromBits => (N::Only(U64), &[], This(F64)),
        M::ToF32 => (N::Half, &[], This(F32)),
        M::ToF64 => (N::Half, &[], This(F64)),
        M::F16FromBits => (N::Only(U16), &[], This(F16)),
        M::F16FromF32 => (N::Only(F32), &[], This(F16)),
        M::F16FromF64 => (N::Only(F64), &[], This(F16)),
        M::Bf16FromBits => (N::Only(U16), &[], This(Bf16)),
        M::Bf16FromF32 => (N::Only(F32), &[], This(Bf16)),
        M::Bf16FromF64 => (N::Only(F64), &[], This(Bf16)),
        M::Abs | M::Signum => (if own.is_float() { N::Floats } else { N::Signed }, &[], Own),
        M::Min | M::Max => (if own.is_float() { N::Floats } else { N::Integers }, &[Own], Own),
        M::Clamp => (if own.is_float() { N::Floats } else { N::Integers }, &[Own, Own], Own),
        M::WrappingAdd
        | M::WrappingSub
        | M::WrappingMul
        | M::SaturatingAdd
        | M::SaturatingSub => (N::Integers, &[Own], Own),
        M::WrappingNeg | M::SwapBytes | M::ReverseBits | M::ToBe | M::ToLe | M::FromBe | M::FromLe => {
            (N::Integers, &[], Own)
        }
        M::WrappingShl
        | M::WrappingShr
        | M::UnboundedShl
        | M::UnboundedShr
        | M::RotateLeft
        | M::RotateRight => (N::Integers, &[This(U32)], Own),
        M::OverflowingAdd | M::OverflowingSub | M::OverflowingMul => (N::Integers, &[Own], Overflowing),
        M::OverflowingShl | M::OverflowingShr => (N::Integers, &[This(U32)], Overflowing),
        M::AbsDiff => (N::Integers, &[Own], Of::Unsigned),
        M::CountOnes
        | M::CountZeros
        | M::LeadingZeros
        | M::LeadingOnes
        | M::TrailingZeros
        | M::TrailingOnes => (N::Integers, &[], This(U32)),
        M::UnsignedAbs | M::CastUnsigned => (N::Signed, &[], Of::Unsigned),
        M::CastSigned => (N::Unsigned, &[], Of::Signed),
        M::IsPositive | M::IsNegative => (N::Signed, &[], This(Bool)),
        M::WrappingAddUnsigned | M::WrappingSubUnsigned | M::SaturatingAddUnsigned | M::SaturatingSubUnsigned => {
            (N::Signed, &[Of::Unsigned], Own)
        }
        M::WrappingAddSigned | M::SaturatingAddSigned => (N::Unsigned, &[Of::Signed], Own),
        M::DivCeil | M::NextMultipleOf => (N::Unsigned, &[Own], Own),
        M::IsMultipleOf => (N::Unsigned, &[Own], This(Bool)),
        M::IsPowerOfTwo => (N::Unsigned, &[], This(Bool)),
        M::Clone
        | M::Len
        | M::IsEmpty
        | M::SplitAt
        | M::SplitAtMut
        | M::Nrows
        | M::Ncols
        | M::Shape
        | M::Dim
        | M::Row
        | M::RowMut
        | M::Column
        | M::ColumnMut
        | M::Plane
        | M::PlaneMut
        | M::Transposed => return None,
    })
}
