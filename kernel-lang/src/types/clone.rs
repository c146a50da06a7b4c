//! `clone` of values on a device.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use cumbia_kernel_ir::Method;
use half::{bf16, f16};

use crate::cpu::Call;
use crate::definition::{MethodKey, Returned};
use crate::dim::Dim3;

/// `x.clone()` of a value whose `Clone` is known to be a copy. The `Clone` of a user's type may be written by hand,
/// which cannot be detected, and is compiled for the host only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be cloned on a device",
    label = "its `Clone` may be more than a copy",
    note = "why: the `Clone` of this type is compiled for the host only",
    note = "help: copy it: `.copied()` for `.cloned()`"
)]
pub trait CloneMethod: Copy {
    /// `x.clone()`
    #[inline(always)]
    fn __device_clone(&self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Clone as usize }>, Self> {
        Returned::new(*self)
    }
}

/// Implements [`CloneMethod`] separately for each type: rustc would find a blanket implementation for all types.
macro_rules! clones {
    ($($scalar:ident)*; $([$($part:ident)*])*) => {
        $(impl CloneMethod for $scalar {})*
        $(impl<$($part: CloneMethod),*> CloneMethod for ($($part,)*) {})*
    };
}

clones! {
    bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64 Dim3;
    [] [A] [A B] [A B C] [A B C D] [A B C D E] [A B C D E F] [A B C D E F G] [A B C D E F G H]
}

impl<T: CloneMethod, const N: usize> CloneMethod for [T; N] {}

impl<T: CloneMethod> CloneMethod for Option<T> {}

impl<T: CloneMethod, E: CloneMethod> CloneMethod for Result<T, E> {}
