//! Which methods a type has, and their types: the standard library's signatures.

use crate::ir::{Method, Scalar, Type};

use super::Signature;

/// The parameters after the receiver, and the result. `None` where the type has no such method.
pub(super) fn signature(method: Method, receiver: &Type) -> Option<Signature> {
    match receiver {
        Type::Scalar(scalar) if scalar.is_float() => float(method, *scalar),
        Type::Scalar(scalar) if scalar.is_integer() => integer(method, *scalar),
        Type::Shared(inner) => match **inner {
            Type::Slice { .. } | Type::Array(..) => length(method),
            _ => None,
        },
        Type::Slice { .. } | Type::Array(..) => length(method),
        Type::Scalar(_) | Type::Unit | Type::Never | Type::Tuple(_) | Type::Struct(_) | Type::Place(_) => None,
    }
}

fn length(method: Method) -> Option<Signature> {
    match method {
        Method::Len => Some(Signature { params: Vec::new(), result: Type::USIZE }),
        Method::IsEmpty => Some(Signature { params: Vec::new(), result: Type::BOOL }),
        _ => None,
    }
}

fn float(method: Method, scalar: Scalar) -> Option<Signature> {
    use Method as M;
    let own = || Type::Scalar(scalar);
    let (params, result) = match method {
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
        | M::Trunc
        | M::Fract
        | M::ToDegrees
        | M::ToRadians
        | M::Abs
        | M::Signum => (vec![], own()),
        M::Powf | M::Hypot | M::Atan2 | M::Copysign | M::Min | M::Max | M::RemEuclid | M::DivEuclid => {
            (vec![own()], own())
        }
        M::Powi => (vec![Type::Scalar(Scalar::I32)], own()),
        M::MulAdd | M::Clamp => (vec![own(), own()], own()),
        M::IsNan | M::IsFinite | M::IsInfinite | M::IsSignPositive | M::IsSignNegative => (vec![], Type::BOOL),
        M::ToBits => (vec![], Type::Scalar(if scalar == Scalar::F32 { Scalar::U32 } else { Scalar::U64 })),
        M::Len
        | M::IsEmpty
        | M::Pow
        | M::AbsDiff
        | M::UnsignedAbs
        | M::DivCeil
        | M::IsPowerOfTwo
        | M::WrappingAdd
        | M::WrappingSub
        | M::WrappingMul
        | M::WrappingNeg
        | M::SaturatingAdd
        | M::SaturatingSub
        | M::CountOnes
        | M::CountZeros
        | M::LeadingZeros
        | M::TrailingZeros
        | M::RotateLeft
        | M::RotateRight
        | M::SwapBytes
        | M::ReverseBits => return None,
    };
    Some(Signature { params, result })
}

fn integer(method: Method, scalar: Scalar) -> Option<Signature> {
    use Method as M;
    let own = || Type::Scalar(scalar);
    let signed = scalar.is_signed();
    let (params, result) = match method {
        M::Abs | M::Signum if signed => (vec![], own()),
        M::UnsignedAbs if signed => (vec![], Type::Scalar(scalar.to_unsigned())),
        M::DivCeil if !signed => (vec![own()], own()),
        M::IsPowerOfTwo if !signed => (vec![], Type::BOOL),
        M::Min
        | M::Max
        | M::RemEuclid
        | M::DivEuclid
        | M::WrappingAdd
        | M::WrappingSub
        | M::WrappingMul
        | M::SaturatingAdd
        | M::SaturatingSub => (vec![own()], own()),
        M::Clamp => (vec![own(), own()], own()),
        M::AbsDiff => (vec![own()], Type::Scalar(scalar.to_unsigned())),
        M::Pow | M::RotateLeft | M::RotateRight => (vec![Type::U32], own()),
        M::WrappingNeg | M::SwapBytes | M::ReverseBits => (vec![], own()),
        M::CountOnes | M::CountZeros | M::LeadingZeros | M::TrailingZeros => (vec![], Type::U32),
        M::Abs
        | M::Signum
        | M::UnsignedAbs
        | M::DivCeil
        | M::IsPowerOfTwo
        | M::Len
        | M::IsEmpty
        | M::Sqrt
        | M::Cbrt
        | M::Exp
        | M::Exp2
        | M::ExpM1
        | M::Ln
        | M::Ln1p
        | M::Log2
        | M::Log10
        | M::Powf
        | M::Powi
        | M::Hypot
        | M::Recip
        | M::MulAdd
        | M::Sin
        | M::Cos
        | M::Tan
        | M::Asin
        | M::Acos
        | M::Atan
        | M::Atan2
        | M::Sinh
        | M::Cosh
        | M::Tanh
        | M::Asinh
        | M::Acosh
        | M::Atanh
        | M::Floor
        | M::Ceil
        | M::Round
        | M::Trunc
        | M::Fract
        | M::Copysign
        | M::ToDegrees
        | M::ToRadians
        | M::IsNan
        | M::IsFinite
        | M::IsInfinite
        | M::IsSignPositive
        | M::IsSignNegative
        | M::ToBits => return None,
    };
    Some(Signature { params, result })
}
