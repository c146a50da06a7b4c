//! Placeholders of functions that are called where they do not exist: host functions in kernels, operations of a device in host code.
//!
//! A device function is a host function and a type of the same name, and a call resolves the type. Without `#[device]` there is no
//! such type, and rustc's own error, about a missing struct, does not say what to do. So a call imports the function under the name
//! of [`HostFunction`], which a glob import brings into scope as well: the type of a device function takes precedence over it, and
//! otherwise the call is an error about [`HasDeviceAttribute`].

use std::marker::PhantomData;

use crate::cpu::Call;
use crate::definition::{CalleeKey, DeviceFunction};

/// Implemented for no type.
#[diagnostic::on_unimplemented(
    message = "a kernel calls a function that is not a device function",
    label = "`#[device]` is missing, or the name is not in scope",
    note = "why: a kernel runs on the GPU, where only functions with `#[device]` and the operations of `cumbia::intrinsics` exist",
    note = "help: write `#[device]` above the function; what CUDA and Numba have as functions of numbers are methods, `x.sqrt()` and `a.max(b)`; if it is an operation, import it: `use cumbia::intrinsics::..`, or `use cumbia::algorithm::..` for one of a block"
)]
pub trait HasDeviceAttribute {
    /// The key of calls.
    type Key: CalleeKey;
    /// A projection to an error type, so that what follows is no second error.
    type This;
}

/// A function without `#[device]`, or none.
pub struct HostFunction<'k> {
    pub call: Call<'k>,
    pub types: PhantomData<fn()>,
}

impl<'k> DeviceFunction for HostFunction<'k>
where
    HostFunction<'k>: HasDeviceAttribute,
{
    type Key = <HostFunction<'k> as HasDeviceAttribute>::Key;
    type This = <HostFunction<'k> as HasDeviceAttribute>::This;

    fn this(self) -> Self::This {
        unreachable!("the trait is implemented for no type")
    }
}

/// Implemented for no type: the bound of the functions that calls of intrinsics in host code resolve to. The lifetime keeps rustc from
/// checking it where they are declared.
#[diagnostic::on_unimplemented(
    message = "an operation of a device is called in a host function",
    label = "exists in kernels and device functions only",
    note = "why: the function around this call has neither `#[kernel]` nor `#[device]`, so that it runs on the host",
    note = "help: write `#[device]` above the function, or above the `impl` or `trait` that it is in; `#[kernel]`, if it is launched"
)]
pub trait InDeviceCode<'k> {
    /// A projection to an error type, so that what follows is no second error.
    type Result;

    /// Returns what cannot be called.
    fn result() -> Self::Result;
}
