//! The methods of numbers and slices that a kernel can call.

use serde::{Deserialize, Serialize};

/// Defines [`Method`] with Rust's name of each.
macro_rules! methods {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// A method of a number or a slice, with the meaning that Rust's standard library gives it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each variant is named after the method")]
        pub enum Method {
            $($variant),*
        }

        impl Method {
            /// Every method, in order of declaration.
            pub const ALL: &'static [Method] = &[$(Method::$variant),*];

            /// The method of this name.
            pub fn from_name(name: &str) -> Option<Method> {
                match name {
                    $($name => Some(Method::$variant),)*
                    _ => None,
                }
            }

            /// Rust's name of the method.
            pub fn name(self) -> &'static str {
                match self {
                    $(Method::$variant => $name),*
                }
            }
        }
    };
}

methods! {
    // slices
    Len "len", IsEmpty "is_empty",
    // floats
    Sqrt "sqrt", Cbrt "cbrt", Exp "exp", Exp2 "exp2", ExpM1 "exp_m1", Ln "ln", Ln1p "ln_1p", Log2 "log2",
    Log10 "log10", Powf "powf", Powi "powi", Hypot "hypot", Recip "recip", MulAdd "mul_add",
    Sin "sin", Cos "cos", Tan "tan", Asin "asin", Acos "acos", Atan "atan", Atan2 "atan2",
    Sinh "sinh", Cosh "cosh", Tanh "tanh", Asinh "asinh", Acosh "acosh", Atanh "atanh",
    Floor "floor", Ceil "ceil", Round "round", Trunc "trunc", Fract "fract",
    Copysign "copysign", ToDegrees "to_degrees", ToRadians "to_radians",
    IsNan "is_nan", IsFinite "is_finite", IsInfinite "is_infinite",
    IsSignPositive "is_sign_positive", IsSignNegative "is_sign_negative", ToBits "to_bits",
    // floats and integers
    Abs "abs", Signum "signum", Min "min", Max "max", Clamp "clamp", RemEuclid "rem_euclid", DivEuclid "div_euclid",
    // integers
    Pow "pow", AbsDiff "abs_diff", UnsignedAbs "unsigned_abs", DivCeil "div_ceil", IsPowerOfTwo "is_power_of_two",
    WrappingAdd "wrapping_add", WrappingSub "wrapping_sub", WrappingMul "wrapping_mul", WrappingNeg "wrapping_neg",
    SaturatingAdd "saturating_add", SaturatingSub "saturating_sub",
    CountOnes "count_ones", CountZeros "count_zeros", LeadingZeros "leading_zeros", TrailingZeros "trailing_zeros",
    RotateLeft "rotate_left", RotateRight "rotate_right", SwapBytes "swap_bytes", ReverseBits "reverse_bits",
}
