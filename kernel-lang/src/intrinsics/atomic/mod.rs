//! Atomic operations.

mod number;
mod ordering;

use cumbia_kernel_ir::{self as ir, AtomicOp};

pub use number::{AtomicAdd, AtomicBits, AtomicCount, AtomicExchange, AtomicLoad, AtomicMinMax};
pub use ordering::{
    AcqRel, Acquire, BlockScope, DeviceScope, LoadOrdering, MemoryOrdering, MemoryScope, Relaxed, Release, SeqCst,
    StoreOrdering, SystemScope,
};

use super::intrinsic;
use crate::cpu::Call;
use crate::handles::{IntoPlace, IntoPlaceMut};

/// Declares an operation in its relaxed and its explicit form, with the documentation of the first.
macro_rules! operation {
    ($(#[$doc:meta])* $name:ident $explicit:ident($($argument:ident),*) $op:ident $example:literal) => {
        intrinsic! {
            $(#[$doc])*
            $name($($argument),*) = Intrinsic::Atomic {
                op: AtomicOp::$op,
                ordering: ir::Ordering::Relaxed,
                scope: ir::Scope::Device,
            }
        }

        intrinsic! {
            #[doc = concat!("Like [`", stringify!($name), "`], with an ordering and a scope: `", $example, "`.")]
            ///
            /// The ordering has its Rust name: [`Relaxed`], [`Acquire`], [`Release`], [`AcqRel`], [`SeqCst`]. The scope
            /// is CUDA's: [`BlockScope`], [`DeviceScope`], [`SystemScope`].
            $explicit<O: MemoryOrdering, S: MemoryScope>($($argument),*) = Intrinsic::Atomic {
                op: AtomicOp::$op,
                ordering: O::IR,
                scope: S::IR,
            }
        }
    };
}

operation! {
    /// `atomic_add(&mut y[i], v)`: adds `v` to an element of a slice or of a shared array, or to a field of one, and
    /// returns the old value; CUDA's `atomicAdd`.
    ///
    /// Integers wrap. Like all operations without `_explicit` in the name, it is relaxed, with device scope. On a GPU
    /// the addition of `f32` in global memory flushes subnormal operands and results to zero.
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
    atomic_add atomic_add_explicit(place, value) Add "atomic_add_explicit::<AcqRel, BlockScope>(&mut y[i], v)"
}

operation! {
    /// `atomic_sub(&mut y[i], v)`: subtracts `v`, and returns the old value; CUDA's `atomicSub`. Integers wrap.
    atomic_sub atomic_sub_explicit(place, value) Sub "atomic_sub_explicit::<AcqRel, BlockScope>(&mut y[i], v)"
}

operation! {
    /// `atomic_min(&mut y[i], v)`: replaces the element by the lesser of itself and `v`, and returns the old value;
    /// CUDA's `atomicMin`.
    ///
    /// For floats a NaN is ignored, as by [`f32::min`]: if `v` is NaN nothing changes, and a NaN in memory is replaced
    /// by a `v` that is not NaN. −0 is less than +0. Both devices do the same.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn bounds(x: &[f32], least: &mut [f32], greatest: &mut [f32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         atomic_min(&mut least[0], x[i]);
    ///         atomic_max(&mut greatest[0], x[i]);
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[-2.0, f32::NAN, 5.0])?;
    /// let mut least = device.to_device(&[f32::INFINITY])?;
    /// let mut greatest = device.to_device(&[f32::NAN])?;
    /// bounds(&x, &mut least, &mut greatest).over(3).launch()?;
    /// assert_eq!((least.to_host()?[0], greatest.to_host()?[0]), (-2.0, 5.0));
    /// # Ok(())
    /// # }
    /// ```
    atomic_min atomic_min_explicit(place, value) Min "atomic_min_explicit::<Relaxed, BlockScope>(&mut y[i], v)"
}

operation! {
    /// `atomic_max(&mut y[i], v)`: replaces the element by the greater of itself and `v`, and returns the old value;
    /// CUDA's `atomicMax`. Floats are compared as by [`atomic_min`].
    atomic_max atomic_max_explicit(place, value) Max "atomic_max_explicit::<Relaxed, BlockScope>(&mut y[i], v)"
}

operation! {
    /// `atomic_and(&mut y[i], v)`: replaces the element by `y[i] & v`, and returns the old value; CUDA's `atomicAnd`.
    atomic_and atomic_and_explicit(place, value) And "atomic_and_explicit::<Relaxed, BlockScope>(&mut y[i], v)"
}

operation! {
    /// `atomic_or(&mut y[i], v)`: replaces the element by `y[i] | v`, and returns the old value; CUDA's `atomicOr`.
    atomic_or atomic_or_explicit(place, value) Or "atomic_or_explicit::<Relaxed, BlockScope>(&mut y[i], v)"
}

operation! {
    /// `atomic_xor(&mut y[i], v)`: replaces the element by `y[i] ^ v`, and returns the old value; CUDA's `atomicXor`.
    atomic_xor atomic_xor_explicit(place, value) Xor "atomic_xor_explicit::<Relaxed, BlockScope>(&mut y[i], v)"
}

operation! {
    /// `atomic_exch(&mut y[i], v)`: replaces the element by `v`, and returns the old value; CUDA's `atomicExch`.
    ///
    /// A thread may spin on it until another thread writes: see [`atomic_load`].
    atomic_exch atomic_exch_explicit(place, value) Exchange "atomic_exch_explicit::<Acquire, DeviceScope>(&mut y[i], v)"
}

operation! {
    /// `atomic_cas(&mut y[i], expected, v)`: replaces the element by `v` if it is equal to `expected`, and returns the
    /// old value; CUDA's `atomicCAS`.
    ///
    /// The comparison is bitwise: a NaN is equal to itself, and −0 is not equal to +0. A thread may spin on it until
    /// another thread writes: see [`atomic_load`]. Any other atomic operation can be implemented as a loop around this
    /// one:
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// Multiplies `x`, and returns the old value.
    /// #[device]
    /// fn atomic_mul(x: &mut f32, factor: f32) -> f32 {
    ///     let mut old = *x;
    ///     loop {
    ///         let found = atomic_cas(x, old, old * factor);
    ///         if found.to_bits() == old.to_bits() {
    ///             return old;
    ///         }
    ///         old = found;
    ///     }
    /// }
    ///
    /// #[kernel]
    /// fn product(x: &[f32], total: &mut [f32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         atomic_mul(&mut total[0], x[i]);
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[2.0, 3.0, 4.0])?;
    /// let mut total = device.to_device(&[1.0])?;
    /// product(&x, &mut total).over(3).launch()?;
    /// assert_eq!(total.to_host()?, [24.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// An explicit ordering is that of a successful exchange; a failed one is a load, with the part of the ordering
    /// that applies to loads.
    atomic_cas atomic_cas_explicit(place, expected, value) CompareExchange "atomic_cas_explicit::<AcqRel, DeviceScope>(&mut y[i], expected, v)"
}

operation! {
    /// `atomic_inc(&mut y[i], limit)`: increments the element, and wraps to 0 after `limit`: `if old >= limit { 0 }
    /// else { old + 1 }`. Returns the old value; CUDA's `atomicInc`.
    atomic_inc atomic_inc_explicit(place, limit) Inc "atomic_inc_explicit::<AcqRel, DeviceScope>(&mut y[i], limit)"
}

operation! {
    /// `atomic_dec(&mut y[i], limit)`: decrements the element, and wraps to `limit` after 0: `if old == 0 || old >
    /// limit { limit } else { old - 1 }`. Returns the old value; CUDA's `atomicDec`.
    atomic_dec atomic_dec_explicit(place, limit) Dec "atomic_dec_explicit::<AcqRel, DeviceScope>(&mut y[i], limit)"
}

operation! {
    /// `atomic_load(&y[i])`: reads the current value of the element in memory, even if this thread has read it before.
    ///
    /// So a thread can wait for another thread's write; an ordinary `y[i]` may be read once and kept in a register. On
    /// the CPU device the threads of a block share one host thread. A thread that spins on `atomic_load`,
    /// [`atomic_cas`] or [`atomic_exch`] yields to the others; one that spins on any other operation, such as
    /// `atomic_add(&mut y[i], 0)`, may wait forever there. Blocks that wait for each other all make progress as long as
    /// the CPU device has stacks for their threads, 16,384 in all.
    ///
    /// ```
    /// use cumbia::intrinsics::*;
    /// use cumbia::prelude::*;
    ///
    /// /// Adds under a lock.
    /// #[kernel]
    /// fn sum(x: &[f64], lock: &mut [u32], total: &mut [f64]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         while atomic_cas_explicit::<Acquire, DeviceScope>(&mut lock[0], 0, 1) != 0 {}
    ///         total[0] = atomic_load(&total[0]) + x[i];
    ///         atomic_store_explicit::<Release, DeviceScope>(&mut lock[0], 0);
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1.0; 100])?;
    /// let (mut lock, mut total) = (device.zeros(1)?, device.zeros(1)?);
    /// sum(&x, &mut lock, &mut total).block(32).over(100).launch()?;
    /// assert_eq!(total.to_host()?, [100.0]);
    /// # Ok(())
    /// # }
    /// ```
    atomic_load atomic_load_explicit(place) Load "atomic_load_explicit::<Acquire, DeviceScope>(&y[i])"
}

operation! {
    /// `atomic_store(&mut y[i], v)`: replaces the element by `v`. Returns nothing.
    atomic_store atomic_store_explicit(place, value) Store "atomic_store_explicit::<Release, DeviceScope>(&mut y[i], v)"
}

/// Implements an operation in its relaxed and its explicit form.
macro_rules! implement {
    (
        $name:ident $explicit:ident($call:ident, $place:ident: $reference:ident $(, $value:ident)*) $(-> $result:ident)?
        where T: $number:ident, O: $orderings:ident $body:block
    ) => {
        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call<'p, T: $number>(self, $place: impl $reference<'p, T> $(, $value: T)*) $(-> $result)? {
                type O = Relaxed;
                let $call = (self.call, stringify!($name));
                $body
            }
        }

        // The bounds are on the method, so that rustc also finds it if they are violated, and reports which.
        impl<O, S> $explicit<'_, O, S> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call<'p, T: $number>(self, $place: impl $reference<'p, T> $(, $value: T)*) $(-> $result)?
            where
                O: $orderings,
                S: MemoryScope,
            {
                let $call = (self.call, stringify!($explicit));
                $body
            }
        }
    };
}

implement! {
    atomic_load atomic_load_explicit(call, place: IntoPlace) -> T where T: AtomicLoad, O: LoadOrdering {
        // SAFETY: a place refers to a live, aligned number, which all threads access atomically.
        let value = unsafe { T::atomic_load(place.into_place().as_const_ptr(), O::CPU) };
        may_spin(call);
        value
    }
}

implement! {
    atomic_store atomic_store_explicit(_call, place: IntoPlaceMut, value) where T: AtomicLoad, O: StoreOrdering {
        // SAFETY: as for a load, and the place is writable.
        unsafe { T::atomic_store(place.into_place_mut().as_ptr(), value, O::CPU) }
    }
}

implement! {
    atomic_exch atomic_exch_explicit(call, place: IntoPlaceMut, value) -> T where T: AtomicExchange, O: MemoryOrdering {
        // SAFETY: as for a store.
        let old = unsafe { T::atomic_exchange(place.into_place_mut().as_ptr(), value, O::CPU) };
        if old.to_bits64() == value.to_bits64() {
            may_spin(call);
        }
        old
    }
}

implement! {
    atomic_cas atomic_cas_explicit(call, place: IntoPlaceMut, expected, value) -> T
    where T: AtomicExchange, O: MemoryOrdering {
        let place = place.into_place_mut().as_ptr();
        // SAFETY: as for a store.
        let old = unsafe { T::atomic_compare_exchange(place, expected, value, O::CPU, O::FAILED) };
        if old.to_bits64() != expected.to_bits64() {
            may_spin(call);
        }
        old
    }
}

implement! {
    atomic_add atomic_add_explicit(call, place: IntoPlaceMut, value) -> T where T: AtomicAdd, O: MemoryOrdering {
        // SAFETY: as for a store.
        let old = unsafe { T::atomic_add(place.into_place_mut().as_ptr(), value, O::CPU) };
        updated(call, old, |old| T::sum(old, value))
    }
}

/// Implements operations that replace the old value by the result of a function of the number.
macro_rules! updates {
    ($($name:ident $explicit:ident $number:ident $new:ident;)*) => {$(
        implement! {
            $name $explicit(call, place: IntoPlaceMut, value) -> T where T: $number, O: MemoryOrdering {
                let new = |old: T| T::$new(old, value);
                // SAFETY: as for a store.
                let old = unsafe { T::atomic_update(place.into_place_mut().as_ptr(), O::CPU, new) };
                updated(call, old, new)
            }
        }
    )*};
}

updates! {
    atomic_sub atomic_sub_explicit AtomicAdd difference;
    atomic_min atomic_min_explicit AtomicMinMax lesser;
    atomic_max atomic_max_explicit AtomicMinMax greater;
    atomic_and atomic_and_explicit AtomicBits and;
    atomic_or atomic_or_explicit AtomicBits or;
    atomic_xor atomic_xor_explicit AtomicBits xor;
    atomic_inc atomic_inc_explicit AtomicCount up_to;
    atomic_dec atomic_dec_explicit AtomicCount down_from;
}

/// Records that the operation only read, or failed to write: the thread may be spinning until another thread writes.
#[inline(always)]
fn may_spin((call, name): (Call<'_>, &'static str)) {
    call.cx.spin(call.at, name);
}

/// Returns the old value. If the update did not change it, the thread may be spinning.
#[inline(always)]
fn updated<T: AtomicExchange>(call: (Call<'_>, &'static str), old: T, new: impl FnOnce(T) -> T) -> T {
    if call.0.cx.coroutine().is_some() && new(old).to_bits64() == old.to_bits64() {
        may_spin(call);
    }
    old
}
