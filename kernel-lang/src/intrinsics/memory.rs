//! Shared memory of a block.

use super::host_function;
use crate::cpu::Call;
use crate::fault::DYNAMIC_SHARED;
use crate::handles::{PlaceRef, Slice, Write};
use crate::types::DeviceType;

pub use self::types::{dynamic_shared, dynamic_shared_at, shared};

/// The types alone: an item that the macros recognise by name must not be a function as well, since the user may have one of the same name.
pub(crate) mod types {
    use crate::intrinsics::intrinsic_type;
    use crate::types::DeviceType;

    intrinsic_type! {
        /// `shared::<[T; N]>()`, `shared::<[[T; N]; M]>()`: an array in shared memory, which all threads of the block
        /// access; CUDA's `__shared__`, Numba's `cuda.shared.array`. Any other element type is allowed as well, such as a
        /// struct or a single number, which is read and written as `*total`.
        ///
        /// Each call in the source is one variable, which has no initial value, and lives as long as the block. Array
        /// lengths are constants, including const generics. The size of all such variables of a kernel is limited to 48
        /// KiB.
        ///
        /// ```
        /// use cumbia::prelude::*;
        ///
        /// #[kernel]
        /// fn transpose<const N: usize>(x: &mut [f32]) {
        ///     let mut tile = shared::<[[f32; N]; N]>();
        ///     let (col, row) = grid(2);
        ///     tile[row][col] = x[row * N + col];
        ///     sync_threads();
        ///     x[row * N + col] = tile[col][row];
        /// }
        /// # fn main() -> cumbia::Result<()> {
        /// let mut x = Device::cpu().to_device(&[1.0, 2.0, 3.0, 4.0])?;
        /// transpose::<2>(&mut x).grid(1).block((2, 2)).launch()?;
        /// assert_eq!(x.to_host()?, [1.0, 3.0, 2.0, 4.0]);
        /// # Ok(())
        /// # }
        /// ```
        shared<A: DeviceType> = Intrinsic::Shared(A::ty())
    }

    intrinsic_type! {
        /// `dynamic_shared::<T>()`: the dynamic shared memory, of the size that the launch sets with `.shared_bytes(n)`, as
        /// a slice of `n / size_of::<T>()` elements; CUDA's `extern __shared__`. Every call returns the same memory.
        ///
        /// ```
        /// use cumbia::prelude::*;
        ///
        /// #[kernel]
        /// fn rotate(x: &mut [u32]) {
        ///     let mut copy = dynamic_shared::<u32>();
        ///     let i = thread_idx().x;
        ///     copy[i] = x[i];
        ///     sync_threads();
        ///     x[i] = copy[(i + 1) % copy.len()];
        /// }
        /// # fn main() -> cumbia::Result<()> {
        /// let mut x = Device::cpu().to_device(&[1, 2, 3])?;
        /// rotate(&mut x).grid(1).block(3).shared_bytes(3 * 4).launch()?;
        /// assert_eq!(x.to_host()?, [2, 3, 1]);
        /// # Ok(())
        /// # }
        /// ```
        dynamic_shared<T: DeviceType> = Intrinsic::DynamicShared(T::ty())
    }

    intrinsic_type! {
        /// `dynamic_shared_at::<T>(byte_offset, len)`: `len` elements of the dynamic shared memory, so that a block can
        /// place several arrays there. A part that is out of bounds, or an offset that is not a multiple of `T`'s alignment,
        /// is a fault.
        dynamic_shared_at<T: DeviceType> = Intrinsic::DynamicSharedAt(T::ty())
    }
}

host_function!(shared<A>());
host_function!(dynamic_shared<T>());
host_function!(dynamic_shared_at<T>(byte_offset, len));

impl<'k, A> shared<'k, A> {
    #[doc(hidden)]
    pub fn call(self) -> PlaceRef<'k, A, Write>
    where
        A: DeviceType,
    {
        let variable = self.call.cx.memory().shared(self.call.cx.function(), self.call.at);
        // SAFETY: the memory holds an `A`, aligned and initialised, and is freed with the block, which is borrowed for `'k`;
        // it is accessed through places only.
        unsafe { PlaceRef::new(variable) }
    }
}

/// Returns `len` elements of the dynamic shared memory from `byte_offset`; faults if they exceed it or are misaligned.
fn dynamic<T: DeviceType>(call: Call<'_>, byte_offset: usize, len: usize) -> Slice<'_, T, Write> {
    match call.cx.memory().dynamic(byte_offset, len) {
        // SAFETY: `len` elements are at the address, aligned and initialised, and any bits are allowed for a `DeviceType`
        // that is read through places; they are freed with the block, which the call borrows; they are accessed through
        // places only.
        Some(elements) => unsafe { Slice::new(elements, len) },
        None => call.cx.panic(call.at, DYNAMIC_SHARED),
    }
}

impl<'k, T> dynamic_shared<'k, T> {
    #[doc(hidden)]
    pub fn call(self) -> Slice<'k, T, Write>
    where
        T: DeviceType,
    {
        let len = self.call.cx.memory().dynamic_bytes().checked_div(size_of::<T>()).unwrap_or(0);
        dynamic(self.call, 0, len)
    }
}

impl<'k, T> dynamic_shared_at<'k, T> {
    #[doc(hidden)]
    pub fn call(self, byte_offset: usize, len: usize) -> Slice<'k, T, Write>
    where
        T: DeviceType,
    {
        dynamic(self.call, byte_offset, len)
    }
}
