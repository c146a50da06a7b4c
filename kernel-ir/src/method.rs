//! Primitive methods of scalars, slices, arrays and views.
//!
//! Their semantics are those of the standard library and of the crate `half`; the few methods that neither has are
//! CUDA's.

use serde::{Deserialize, Serialize};

/// Defines [`Method`], the Rust name of each method, and its group.
macro_rules! methods {
    ($($(#[$doc:meta])* $group:ident { $($variant:ident $name:literal),* $(,)? })*) => {
        /// A primitive method of a scalar, a slice, an array or a view. Associated functions such as `f32::from_bits(x)`
        /// are included; their first argument is treated as the receiver.
        ///
        /// Other methods of scalars are defined in Rust, in the language layer.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each variant is named after the method")]
        pub enum Method {
            $($($variant,)*)*
        }

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[allow(clippy::enum_variant_names, reason = "the names of Rust's methods")]
            #[allow(missing_docs, reason = "each variant is named after the method")]
            pub enum $group {
                $($variant),*
            }
        )*

        /// A method by its group: the types that have it. Each phase has a table per group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each variant is named after its content")]
        pub enum MethodGroup {
            $($group($group)),*
        }

        impl Method {
            /// All methods, in order of declaration.
            pub const ALL: &'static [Method] = &[$($(Method::$variant,)*)*];

            /// Returns the method with this name.
            pub fn from_name(name: &str) -> Option<Method> {
                match name {
                    $($($name => Some(Method::$variant),)*)*
                    _ => None,
                }
            }

            /// Returns Rust's name of the method. It is qualified by the type if the receiver does not determine the
            /// function, as in `f32::from_bits`.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Method::$variant => $name,)*)*
                }
            }

            /// Returns the method by its group.
            pub fn group(self) -> MethodGroup {
                match self {
                    $($(Method::$variant => MethodGroup::$group($group::$variant),)*)*
                }
            }
        }
    };
}

methods! {
    /// Methods of all values.
    AnyMethod {
        Clone "clone",
    }
    /// Methods of slices, arrays and views.
    LengthMethod {
        Len "len", IsEmpty "is_empty",
    }
    /// Methods of slices and arrays.
    SequenceMethod {
        SplitAt "split_at", SplitAtMut "split_at_mut",
    }
    /// Methods of views.
    ViewMethod {
        Nrows "nrows", Ncols "ncols", Shape "shape", Dim "dim", Row "row", RowMut "row_mut", Column "column",
        ColumnMut "column_mut", Plane "plane", PlaneMut "plane_mut", Volume "volume", VolumeMut "volume_mut",
        Transposed "t", IsStandardLayout "is_standard_layout", AsSlice "as_slice", AsSliceMut "as_slice_mut",
    }
    /// Methods of floats that are a function of CUDA. Those without a counterpart in Rust come last.
    FloatFunction {
        Sqrt "sqrt", Cbrt "cbrt", Exp "exp", Exp2 "exp2", ExpM1 "exp_m1", Ln "ln", Ln1p "ln_1p", Log2 "log2",
        Log10 "log10", Powf "powf", Hypot "hypot", MulAdd "mul_add", Sin "sin", Cos "cos", Tan "tan", Asin "asin",
        Acos "acos", Atan "atan", Atan2 "atan2", Sinh "sinh", Cosh "cosh", Tanh "tanh", Asinh "asinh", Acosh "acosh",
        Atanh "atanh", Floor "floor", Ceil "ceil", Round "round", RoundTiesEven "round_ties_even", Trunc "trunc",
        Copysign "copysign", Rsqrt "rsqrt", Erf "erf", Erfc "erfc", Sinpi "sinpi", Cospi "cospi", Normcdf "normcdf",
    }
    /// Other methods of floats.
    FloatMethod {
        Log "log", Recip "recip", SinCos "sin_cos", ToDegrees "to_degrees", ToRadians "to_radians",
    }
    /// Predicates of floats.
    ClassMethod {
        IsNan "is_nan", IsFinite "is_finite", IsInfinite "is_infinite", IsNormal "is_normal",
        IsSignPositive "is_sign_positive", IsSignNegative "is_sign_negative",
    }
    /// Conversions of floats, including those of the crate `half`.
    ConversionMethod {
        ToBits "to_bits", F32FromBits "f32::from_bits", F64FromBits "f64::from_bits", ToF32 "to_f32", ToF64 "to_f64",
        F16FromBits "f16::from_bits", F16FromF32 "f16::from_f32", F16FromF64 "f16::from_f64",
        Bf16FromBits "bf16::from_bits", Bf16FromF32 "bf16::from_f32", Bf16FromF64 "bf16::from_f64",
    }
    /// Methods of floats and integers.
    NumberMethod {
        Abs "abs", Signum "signum", Min "min", Max "max", Clamp "clamp",
    }
    /// Methods of integers.
    IntegerMethod {
        AbsDiff "abs_diff", UnsignedAbs "unsigned_abs", DivCeil "div_ceil", NextMultipleOf "next_multiple_of",
        IsMultipleOf "is_multiple_of", IsPowerOfTwo "is_power_of_two", IsPositive "is_positive",
        IsNegative "is_negative", CastSigned "cast_signed", CastUnsigned "cast_unsigned", WrappingAdd "wrapping_add",
        WrappingSub "wrapping_sub", WrappingMul "wrapping_mul", WrappingNeg "wrapping_neg",
        WrappingShl "wrapping_shl", WrappingShr "wrapping_shr", WrappingAddSigned "wrapping_add_signed",
        WrappingAddUnsigned "wrapping_add_unsigned", WrappingSubUnsigned "wrapping_sub_unsigned",
        SaturatingAdd "saturating_add", SaturatingSub "saturating_sub", SaturatingAddSigned "saturating_add_signed",
        SaturatingAddUnsigned "saturating_add_unsigned", SaturatingSubUnsigned "saturating_sub_unsigned",
        OverflowingAdd "overflowing_add", OverflowingSub "overflowing_sub", OverflowingMul "overflowing_mul",
        OverflowingShl "overflowing_shl", OverflowingShr "overflowing_shr", UnboundedShl "unbounded_shl",
        UnboundedShr "unbounded_shr", CountOnes "count_ones", CountZeros "count_zeros", LeadingZeros "leading_zeros",
        LeadingOnes "leading_ones", TrailingZeros "trailing_zeros", TrailingOnes "trailing_ones",
        RotateLeft "rotate_left", RotateRight "rotate_right", SwapBytes "swap_bytes", ReverseBits "reverse_bits",
        ToBe "to_be", ToLe "to_le", FromBe "from_be", FromLe "from_le",
    }
}
