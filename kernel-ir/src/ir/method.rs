//! Built-in methods of scalars, slices, arrays and views.
//!
//! Their semantics are those of the standard library and of the crate `half`; the few methods that neither has are
//! CUDA's.

use serde::{Deserialize, Serialize};

/// Defines [`Method`] and the Rust name of each method.
macro_rules! methods {
    ($($variant:ident $name:literal),* $(,)?) => {
        /// A method of a scalar, a slice, an array or a view. Associated functions such as `f32::from_bits(x)` are
        /// included; their first argument is treated as the receiver.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each variant is named after the method")]
        pub enum Method {
            $($variant),*
        }

        impl Method {
            /// All methods, in order of declaration.
            pub const ALL: &'static [Method] = &[$(Method::$variant),*];

            /// Returns the method with this name.
            pub fn from_name(name: &str) -> Option<Method> {
                match name {
                    $($name => Some(Method::$variant),)*
                    _ => None,
                }
            }

            /// Returns Rust's name of the method. It is qualified by the type if the receiver does not determine the
            /// function, as in `f32::from_bits`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Method::$variant => $name),*
                }
            }
        }
    };
}

methods! {
    // all values
    Clone "clone",
    // slices and arrays
    Len "len", IsEmpty "is_empty", SplitAt "split_at", SplitAtMut "split_at_mut",
    // views
    Nrows "nrows", Ncols "ncols", Shape "shape", Dim "dim", Row "row", RowMut "row_mut", Column "column",
    ColumnMut "column_mut", Plane "plane", PlaneMut "plane_mut", Transposed "t",
    // floats
    Sqrt "sqrt", Cbrt "cbrt", Exp "exp", Exp2 "exp2", ExpM1 "exp_m1", Ln "ln", Ln1p "ln_1p", Log "log", Log2 "log2",
    Log10 "log10", Powf "powf", Hypot "hypot", Recip "recip", MulAdd "mul_add",
    Sin "sin", Cos "cos", Tan "tan", SinCos "sin_cos", Asin "asin", Acos "acos", Atan "atan", Atan2 "atan2",
    Sinh "sinh", Cosh "cosh", Tanh "tanh", Asinh "asinh", Acosh "acosh", Atanh "atanh",
    Floor "floor", Ceil "ceil", Round "round", RoundTiesEven "round_ties_even", Trunc "trunc", 
    Copysign "copysign", ToDegrees "to_degrees", ToRadians "to_radians", 
    IsNan "is_nan", IsFinite "is_finite", IsInfinite "is_infinite", IsNormal "is_normal", 
    IsSignPositive "is_sign_positive", IsSignNegative "is_sign_negative", ToBits "to_bits",
    F32FromBits "f32::from_bits", F64FromBits "f64::from_bits",
    // CUDA's functions without a counterpart in Rust
    Rsqrt "rsqrt", Erf "erf", Erfc "erfc", Sinpi "sinpi", Cospi "cospi", Normcdf "normcdf",
    // the crate `half`
    ToF32 "to_f32", ToF64 "to_f64", F16FromBits "f16::from_bits", F16FromF32 "f16::from_f32", F16FromF64 "f16::from_f64",
    Bf16FromBits "bf16::from_bits", Bf16FromF32 "bf16::from_f32", Bf16FromF64 "bf16::from_f64",
    // floats and integers
    Abs "abs", Signum "signum", Min "min", Max "max", Clamp "clamp", 
    
    // integers
    AbsDiff "abs_diff", UnsignedAbs "unsigned_abs",
    DivCeil "div_ceil", NextMultipleOf "next_multiple_of", IsMultipleOf "is_multiple_of",
    IsPowerOfTwo "is_power_of_two", IsPositive "is_positive", IsNegative "is_negative",
    CastSigned "cast_signed", CastUnsigned "cast_unsigned",
    WrappingAdd "wrapping_add", WrappingSub "wrapping_sub", WrappingMul "wrapping_mul", 
    
    WrappingNeg "wrapping_neg", WrappingShl "wrapping_shl", WrappingShr "wrapping_shr",
    WrappingAddSigned "wrapping_add_signed", WrappingAddUnsigned "wrapping_add_unsigned",
    WrappingSubUnsigned "wrapping_sub_unsigned",
    SaturatingAdd "saturating_add", SaturatingSub "saturating_sub", 
    
    SaturatingAddSigned "saturating_add_signed",
    SaturatingAddUnsigned "saturating_add_unsigned", SaturatingSubUnsigned "saturating_sub_unsigned",
    OverflowingAdd "overflowing_add", OverflowingSub "overflowing_sub", OverflowingMul "overflowing_mul",
    OverflowingShl "overflowing_shl",
    OverflowingShr "overflowing_shr", 
    UnboundedShl "unbounded_shl", UnboundedShr "unbounded_shr",
    CountOnes "count_ones", CountZeros "count_zeros", LeadingZeros "leading_zeros", LeadingOnes "leading_ones",
    TrailingZeros "trailing_zeros", TrailingOnes "trailing_ones",
    RotateLeft "rotate_left", RotateRight "rotate_right", SwapBytes "swap_bytes", ReverseBits "reverse_bits",
    ToBe "to_be", ToLe "to_le", FromBe "from_be", FromLe "from_le",
}
