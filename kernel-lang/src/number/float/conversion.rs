//! The conversion `T::from_f64(x)`, as that of other numbers.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use half::{bf16, f16};

use super::Float;
use crate::cpu::Call;
use crate::definition::Returned;
use crate::number::conversion::Converted;
use crate::types::Scalar;

/// [`Float::from_f64`] as a generic function calls it.
pub trait FloatCast: Scalar {
    /// `T::from_f64(x)`
    #[doc(hidden)]
    fn __device_from_f64(x: f64, call: Call<'_>, _: ()) -> Converted<Self>;
}

/// `FloatCast` for the types without an inherent `from_f64`.
pub trait LargeFloatCast: Scalar {
    /// `f32::from_f64(x)`
    fn __device_from_f64(x: f64, call: Call<'_>, _: ()) -> Converted<Self>;
}

/// Implements the conversions of floats.
macro_rules! float_casts {
    ($($trait:ident: $($float:ident)*;)*) => {$($(
        impl $trait for $float {
            #[inline(always)]
            fn __device_from_f64(x: f64, _call: Call<'_>, (): ()) -> Converted<$float> {
                Returned::new(<$float as Float>::from_f64(x))
            }
        }
    )*)*};
}

float_casts! {
    FloatCast: f16 bf16 f32 f64;
    LargeFloatCast: f32 f64;
}
