//! Operations on one element that no other thread can come between.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use super::intrinsic;
use crate::cpu::Elem;
use crate::cpu::access::{Access, Writable};
use crate::types::Element;

intrinsic! {
    /// `atomic_add(&mut y[i], v)`: adds to an element of a slice or a shared array, and gives the value before; CUDA's
    /// `atomicAdd`. Integers wrap. Relaxed, and atomic for all threads of the device.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn histogram(data: &[u32], counts: &mut [u32]) {
    ///     let i = grid(1);
    ///     if i < data.len() {
    ///         atomic_add(&mut counts[data[i] as usize], 1);
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let data = device.to_device(&[2, 0, 2, 2])?;
    /// let mut counts = device.zeros(3)?;
    /// histogram(&data, &mut counts).over(4).launch()?;
    /// assert_eq!(counts.to_host()?, [1, 0, 3]);
    /// # Ok(())
    /// # }
    /// ```
    atomic_add<T: Element> = Intrinsic::AtomicAdd
}

impl<T: Element> atomic_add<'_, T> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call<M: Access + Writable>(self, place: Elem<'_, T, M>, value: T) -> T
    where
        T: AtomicAdd,
    {
        // SAFETY: an `Elem` is the place of a live element, aligned, that all threads access atomically.
        unsafe { T::fetch_add(place.as_ptr(), value) }
    }
}

/// A number that [`atomic_add`] can add to: `i32`, `u32`, `i64`, `u64`, `isize`, `usize`, `f32`, `f64`.
#[diagnostic::on_unimplemented(
    message = "`atomic_add` cannot add to a `{Self}`",
    label = "no atomic addition of this type",
    note = "why: the hardware has atomic additions of 32 and 64 bits",
    note = "help: use `i32`, `u32`, `i64`, `u64`, `isize`, `usize`, `f32` or `f64`"
)]
pub trait AtomicAdd: Element {
    /// # Safety
    ///
    /// As for [`Element::load`].
    #[doc(hidden)]
    unsafe fn fetch_add(place: *mut Self, value: Self) -> Self;
}

/// Implements [`AtomicAdd`] by the atomic integer of the same size: its own addition for integers, an exchange that is
/// tried until it succeeds for floats.
macro_rules! atomic_adds {
    ($($integer:ident $atomic:ident),*; $($float:ident $float_atomic:ident),*) => {
        $(impl AtomicAdd for $integer {
            #[inline(always)]
            unsafe fn fetch_add(place: *mut Self, value: Self) -> Self {
                // SAFETY: the caller's promise, and the atomic has the integer's size and alignment.
                unsafe { $atomic::from_ptr(place) }.fetch_add(value, Relaxed)
            }
        })*
        $(impl AtomicAdd for $float {
            #[inline(always)]
            unsafe fn fetch_add(place: *mut Self, value: Self) -> Self {
                // SAFETY: the caller's promise, and the atomic has the float's size and alignment.
                let place = unsafe { $float_atomic::from_ptr(place.cast()) };
                let mut old = place.load(Relaxed);
                loop {
                    let new = ($float::from_bits(old) + value).to_bits();
                    match place.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                        Ok(_) => return $float::from_bits(old),
                        Err(now) => old = now,
                    }
                }
            }
        })*
    };
}

atomic_adds!(
    i32 AtomicI32, u32 AtomicU32, i64 AtomicI64, u64 AtomicU64, isize AtomicIsize, usize AtomicUsize;
    f32 AtomicU32, f64 AtomicU64
);
