//! The table of built-in methods: the signatures of the standard library, of `half`, and of views.

use crate::ir::{
    AnyMethod, ConversionMethod, FloatFunction, FloatMethod, IntegerMethod, LengthMethod, Method, MethodGroup,
    NumberMethod, Scalar, SequenceMethod, Type, ViewMethod,
};

use super::Signature;

/// Returns the parameter types after the receiver, and the result type; `None` if the type has no such method.
pub(super) fn signature(method: Method, receiver: &Type, index: Scalar) -> Option<Signature> {
    use MethodGroup as G;
    let receiver = receiver.target();
    let is_sequence = matches!(receiver, Type::Array(..) | Type::Slice { .. });
    match (method.group(), receiver) {
        (G::AnyMethod(AnyMethod::Clone), _) => clone(receiver),
        (G::LengthMethod(method), Type::View { .. }) => Some(length(method, index)),
        (G::LengthMethod(method), _) if is_sequence => Some(length(method, index)),
        (G::SequenceMethod(method), Type::Array(element, _)) => sequence(method, element, true, index),
        (G::SequenceMethod(method), Type::Slice { element, mutable }) => sequence(method, element, *mutable, index),
        (G::ViewMethod(method), Type::View { element, dimensions, mutable }) => {
            view(method, element, (*dimensions, *mutable), index)
        }
        (G::FloatFunction(method), Type::Scalar(own)) => float_function(method).of(*own),
        (G::FloatMethod(method), Type::Scalar(own)) => float(method).of(*own),
        (G::ClassMethod(_), Type::Scalar(own)) => Row(Numbers::Floats, &[], Of::This(Scalar::Bool)).of(*own),
        (G::ConversionMethod(method), Type::Scalar(own)) => conversion(method, *own).of(*own),
        (G::NumberMethod(method), Type::Scalar(own)) => number(method, *own).of(*own),
        (G::IntegerMethod(method), Type::Scalar(own)) => integer(method).of(*own),
        _ => None,
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

fn length(method: LengthMethod, index: Scalar) -> Signature {
    let result = match method {
        LengthMethod::Len => Type::Scalar(index),
        LengthMethod::IsEmpty => Type::BOOL,
    };
    Signature { params: Vec::new(), result }
}

/// Methods of a slice, or of an array, which can be borrowed as a slice.
fn sequence(method: SequenceMethod, element: &Type, mutable: bool, index: Scalar) -> Option<Signature> {
    let half = |mutable| Type::Slice { element: Box::new(element.clone()), mutable };
    let result = match method {
        SequenceMethod::SplitAt => Type::Tuple(vec![half(false); 2]),
        SequenceMethod::SplitAtMut if mutable => Type::Tuple(vec![half(true); 2]),
        SequenceMethod::SplitAtMut => return None,
    };
    Some(Signature { params: vec![Type::Scalar(index)], result })
}

fn view(method: ViewMethod, element: &Type, (dimensions, mutable): (u8, bool), index: Scalar) -> Option<Signature> {
    let index = Type::Scalar(index);
    let of = |dimensions, mutable| Type::View { element: Box::new(element.clone()), dimensions, mutable };
    let (params, result) = match method {
        ViewMethod::Shape => (vec![], Type::Array(Box::new(index), dimensions.into())),
        ViewMethod::Dim if dimensions == 0 => return None,
        ViewMethod::Dim if dimensions == 1 => (vec![], index),
        ViewMethod::Dim => (vec![], Type::Tuple(vec![index; dimensions.into()])),
        ViewMethod::Transposed => (vec![], of(dimensions, mutable)),
        ViewMethod::Nrows | ViewMethod::Ncols if dimensions == 2 => (vec![], index),
        ViewMethod::Row | ViewMethod::Column if dimensions == 2 => (vec![index], of(1, false)),
        ViewMethod::RowMut | ViewMethod::ColumnMut if dimensions == 2 && mutable => (vec![index], of(1, true)),
        ViewMethod::Plane if dimensions == 3 => (vec![index], of(2, false)),
        ViewMethod::PlaneMut if dimensions == 3 && mutable => (vec![index], of(2, true)),
        ViewMethod::Volume if dimensions == 4 => (vec![index], of(3, false)),
        ViewMethod::VolumeMut if dimensions == 4 && mutable => (vec![index], of(3, true)),
        ViewMethod::IsStandardLayout => (vec![], Type::BOOL),
        ViewMethod::AsSlice => (vec![], Type::Slice { element: Box::new(element.clone()), mutable: false }),
        ViewMethod::AsSliceMut if mutable => {
            (vec![], Type::Slice { element: Box::new(element.clone()), mutable: true })
        }
        ViewMethod::Nrows
        | ViewMethod::Ncols
        | ViewMethod::Row
        | ViewMethod::RowMut
        | ViewMethod::Column
        | ViewMethod::ColumnMut
        | ViewMethod::Plane
        | ViewMethod::PlaneMut
        | ViewMethod::Volume
        | ViewMethod::VolumeMut
        | ViewMethod::AsSliceMut => return None,
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

/// The class of scalars that have a method, the parameter types after the receiver, and the result type.
struct Row(Numbers, &'static [Of], Of);

impl Row {
    /// Returns the signature for a receiver of this type; `None` if it has no such method.
    fn of(self, own: Scalar) -> Option<Signature> {
        let Row(numbers, params, result) = self;
        let params = params.iter().map(|param| param.ty(own)).collect();
        numbers.contains(own).then(|| Signature { params, result: result.ty(own) })
    }
}

fn float_function(method: FloatFunction) -> Row {
    use FloatFunction as F;
    let params: &[Of] = match method {
        F::Powf | F::Hypot | F::Atan2 | F::Copysign => &[Of::Own],
        F::MulAdd => &[Of::Own, Of::Own],
        F::Sqrt
        | F::Cbrt
        | F::Exp
        | F::Exp2
        | F::ExpM1
        | F::Ln
        | F::Ln1p
        | F::Log2
        | F::Log10
        | F::Sin
        | F::Cos
        | F::Tan
        | F::Asin
        | F::Acos
        | F::Atan
        | F::Sinh
        | F::Cosh
        | F::Tanh
        | F::Asinh
        | F::Acosh
        | F::Atanh
        | F::Floor
        | F::Ceil
        | F::Round
        | F::RoundTiesEven
        | F::Trunc
        | F::Rsqrt
        | F::Erf
        | F::Erfc
        | F::Sinpi
        | F::Cospi
        | F::Normcdf => &[],
    };
    Row(Numbers::Floats, params, Of::Own)
}

fn float(method: FloatMethod) -> Row {
    match method {
        FloatMethod::Recip | FloatMethod::ToDegrees | FloatMethod::ToRadians => Row(Numbers::Floats, &[], Of::Own),
        FloatMethod::Log => Row(Numbers::Floats, &[Of::Own], Of::Own),
        FloatMethod::SinCos => Row(Numbers::Floats, &[], Of::Pair),
    }
}

fn conversion(method: ConversionMethod, own: Scalar) -> Row {
    use ConversionMethod as C;
    use Scalar::{Bf16, F16, F32, F64, U16, U32, U64};
    let (numbers, result) = match method {
        C::ToBits if own == F32 => (Numbers::Floats, U32),
        C::ToBits if own == F64 => (Numbers::Floats, U64),
        C::ToBits => (Numbers::Half, U16),
        C::F32FromBits => (Numbers::Only(U32), F32),
        C::F64FromBits => (Numbers::Only(U64), F64),
        C::ToF32 => (Numbers::Half, F32),
        C::ToF64 => (Numbers::Half, F64),
        C::F16FromBits => (Numbers::Only(U16), F16),
        C::F16FromF32 => (Numbers::Only(F32), F16),
        C::F16FromF64 => (Numbers::Only(F64), F16),
        C::Bf16FromBits => (Numbers::Only(U16), Bf16),
        C::Bf16FromF32 => (Numbers::Only(F32), Bf16),
        C::Bf16FromF64 => (Numbers::Only(F64), Bf16),
    };
    Row(numbers, &[], Of::This(result))
}

fn number(method: NumberMethod, own: Scalar) -> Row {
    let numbers = if own.is_float() { Numbers::Floats } else { Numbers::Integers };
    let signed = if own.is_float() { Numbers::Floats } else { Numbers::Signed };
    match method {
        NumberMethod::Abs | NumberMethod::Signum => Row(signed, &[], Of::Own),
        NumberMethod::Min | NumberMethod::Max => Row(numbers, &[Of::Own], Of::Own),
        NumberMethod::Clamp => Row(numbers, &[Of::Own, Of::Own], Of::Own),
    }
}

fn integer(method: IntegerMethod) -> Row {
    use IntegerMethod as M;
    use Numbers as N;
    use Of::{Overflowing, Own, This};
    use Scalar::{Bool, U32};
    match method {
        M::WrappingAdd | M::WrappingSub | M::WrappingMul | M::SaturatingAdd | M::SaturatingSub => {
            Row(N::Integers, &[Own], Own)
        }
        M::WrappingNeg | M::SwapBytes | M::ReverseBits | M::ToBe | M::ToLe | M::FromBe | M::FromLe => {
            Row(N::Integers, &[], Own)
        }
        M::WrappingShl | M::WrappingShr | M::UnboundedShl | M::UnboundedShr | M::RotateLeft | M::RotateRight => {
            Row(N::Integers, &[This(U32)], Own)
        }
        M::OverflowingAdd | M::OverflowingSub | M::OverflowingMul => Row(N::Integers, &[Own], Overflowing),
        M::OverflowingShl | M::OverflowingShr => Row(N::Integers, &[This(U32)], Overflowing),
        M::AbsDiff => Row(N::Integers, &[Own], Of::Unsigned),
        M::CountOnes | M::CountZeros | M::LeadingZeros | M::LeadingOnes | M::TrailingZeros | M::TrailingOnes => {
            Row(N::Integers, &[], This(U32))
        }
        M::UnsignedAbs | M::CastUnsigned => Row(N::Signed, &[], Of::Unsigned),
        M::CastSigned => Row(N::Unsigned, &[], Of::Signed),
        M::IsPositive | M::IsNegative => Row(N::Signed, &[], This(Bool)),
        M::WrappingAddUnsigned | M::WrappingSubUnsigned | M::SaturatingAddUnsigned | M::SaturatingSubUnsigned => {
            Row(N::Signed, &[Of::Unsigned], Own)
        }
        M::WrappingAddSigned | M::SaturatingAddSigned => Row(N::Unsigned, &[Of::Signed], Own),
        M::DivCeil | M::NextMultipleOf => Row(N::Unsigned, &[Own], Own),
        M::IsMultipleOf => Row(N::Unsigned, &[Own], This(Bool)),
        M::IsPowerOfTwo => Row(N::Unsigned, &[], This(Bool)),
    }
}
