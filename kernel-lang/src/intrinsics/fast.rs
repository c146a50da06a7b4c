//! CUDA's fast approximations of elementary functions of `f32`.
//!
//! `fast::sin(x)` is CUDA's `__sinf(x)`, and so on. They need fewer instructions than the methods of the same names,
//! are less accurate, flush subnormal operands and results to zero, and exist for `f32` only. On the CPU device each is
//! the accurate function, so that the results of the two devices differ by at most the error bounds below. These are
//! NVIDIA's: the CUDA C++ Programming Guide's section "Mathematical Functions, Intrinsic Functions", and the PTX ISA
//! for single instructions without a CUDA function.
//!
//! `#[kernel(fast_math)]` uses approximations for a whole kernel.
//!
//! ```
//! use cumbia::intrinsics::*;
//! use cumbia::prelude::*;
//!
//! #[kernel]
//! fn waves(x: &mut [f32]) {
//!     let i = grid(1);
//!     if i < x.len() {
//!         x[i] = fast::sin(x[i]) * fast::exp(-x[i]);
//!     }
//! }
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let mut x = device.to_device(&[0.5f32; 100])?;
//! waves(&mut x).over(100).launch()?;
//! assert!((x.to_host()?[0] - 0.5f32.sin() * (-0.5f32).exp()).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```

use cumbia_kernel_ir::Fast;

use super::intrinsic;

/// Declares the functions: their documentation, and their implementation for the CPU.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident $fast:ident($($parameter:ident),*) -> $result:ty = $value:expr;)*) => {$(
        intrinsic! {
            $(#[$doc])*
            $name($($parameter),*) = Intrinsic::Fast(Fast::$fast)
        }

        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self $(, $parameter: f32)*) -> $result {
                $value
            }
        }
    )*};
}

functions! {
    /// `fast::sin(x)`, CUDA's `__sinf`: for x in \[−π, π\] the error is at most 2⁻²¹·⁴¹, elsewhere it is larger.
    sin Sin(x) -> f32 = x.sin();
    /// `fast::cos(x)`, CUDA's `__cosf`: for x in \[−π, π\] the error is at most 2⁻²¹·¹⁹, elsewhere it is larger.
    cos Cos(x) -> f32 = x.cos();
    /// `fast::tan(x)`, CUDA's `__tanf`: `fast::sin(x) * (1 / fast::cos(x))`, with their errors.
    tan Tan(x) -> f32 = x.tan();
    /// `fast::sin_cos(x)`, CUDA's `__sincosf`: `(fast::sin(x), fast::cos(x))`.
    sin_cos SinCos(x) -> (f32, f32) = x.sin_cos();
    /// `fast::tanh(x)`, PTX's `tanh.approx`: the relative error is at most 2⁻¹¹. It preserves subnormal numbers.
    tanh Tanh(x) -> f32 = x.tanh();
    /// `fast::exp(x)`, CUDA's `__expf`: the error is at most 2 + ⌊|1.173 x|⌋ ulp.
    exp Exp(x) -> f32 = x.exp();
    /// `fast::exp2(x)`, PTX's `ex2.approx`: the error is at most 2 ulp.
    exp2 Exp2(x) -> f32 = x.exp2();
    /// `fast::exp10(x)`, CUDA's `__exp10f`: the error is at most 2 + ⌊|2.97 x|⌋ ulp.
    exp10 Exp10(x) -> f32 = libm::exp10f(x);
    /// `fast::ln(x)`, CUDA's `__logf`: for x in \[0.5, 2\] the error is at most 2⁻²¹·⁴¹, elsewhere at most 3 ulp.
    ln Ln(x) -> f32 = x.ln();
    /// `fast::log2(x)`, CUDA's `__log2f`: for x in \[0.5, 2\] the error is at most 2⁻²², elsewhere at most 2 ulp.
    log2 Log2(x) -> f32 = x.log2();
    /// `fast::log10(x)`, CUDA's `__log10f`: for x in \[0.5, 2\] the error is at most 2⁻²⁴, elsewhere at most 3 ulp.
    log10 Log10(x) -> f32 = x.log10();
    /// `fast::pow(x, y)`, CUDA's `__powf`: `fast::exp2(y * fast::log2(x))`, with their errors, which the product
    /// multiplies.
    pow Pow(x, y) -> f32 = x.powf(y);
    /// `fast::div(x, y)`, CUDA's `__fdividef`: for |y| in \[2⁻¹²⁶, 2¹²⁶\] the error is at most 2 ulp. For a larger y
    /// the result is 0, and NaN where x is infinite.
    div Div(x, y) -> f32 = x / y;
    /// `fast::rcp(x)`, PTX's `rcp.approx`: 1/x with an error of at most 1 ulp.
    rcp Rcp(x) -> f32 = x.recip();
    /// `fast::sqrt(x)`, PTX's `sqrt.approx`: the relative error is at most 2⁻²³.
    sqrt Sqrt(x) -> f32 = x.sqrt();
    /// `fast::rsqrt(x)`, PTX's `rsqrt.approx`: 1/√x with a relative error of at most 2⁻²²·⁹.
    rsqrt Rsqrt(x) -> f32 = (f64::from(x).sqrt().recip()) as f32;
}
