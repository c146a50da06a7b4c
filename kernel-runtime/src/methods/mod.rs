//! The methods that every program has, as a kernel calls them.
//!
//! In a kernel `x.sqrt()` is `x.__device_sqrt(call)`. rustc finds the method by the type of `x`, as it would find `sqrt`, and
//! the type of its result says which method the compiler is to emit. A type has under these names what the device can do,
//! and nothing else: a method of the host's is not found.
//!
//! `call` is the second parameter, behind the receiver or the first argument: an argument too many or too few is then
//! rustc's one error about their number, and shifts nothing.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

mod array;
mod conversion;
mod number;
mod view;

use cumbia_kernel_ir::ir::Method;

pub use array::ArrayMethods;
pub use conversion::{FloatCast, Lossless, NumberCast};
pub(crate) use number::FORWARDING;
pub use number::{BitsMethods, HalfMethods, LargeMethods, MixedMethods, NumberMethods, SignedMethods, UnsignedMethods};

use crate::cpu::Call;
use crate::kernel::{MethodKey, Returned};
use crate::types::DeviceType;

/// `x.clone()` of any value: it is `Copy`.
pub trait CloneMethod: DeviceType {
    /// `x.clone()`
    #[inline(always)]
    fn __device_clone(&self, _call: Call<'_>) -> Returned<MethodKey<{ Method::Clone as usize }>, Self> {
        Returned::new(*self)
    }
}

impl<T: DeviceType> CloneMethod for T {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::{FLOAT_METHODS, INTEGER_METHODS};

    #[test]
    fn every_method_of_the_compiler_is_here() {
        let here = [FLOAT_METHODS, INTEGER_METHODS, array::METHODS, view::METHODS, &[Method::Clone]];
        let here: Vec<&[Method]> = here.into_iter().chain(number::METHODS.iter().copied()).collect();
        for method in Method::ALL {
            assert!(here.iter().any(|methods| methods.contains(method)), "{method:?}");
        }
    }
}
