//! Memory fences.

use std::sync::atomic::{Ordering::SeqCst, fence};

use cumbia_kernel_ir::Scope;

use super::intrinsic;

intrinsic! {
    /// `thread_fence()`: orders this thread's writes before the fence ahead of its writes after it, as observed by all
    /// threads of the device; CUDA's `__threadfence`.
    ///
    /// It does not wait for other threads. If a thread writes a value, executes a fence and then writes a flag, a
    /// thread that reads the flag and then executes a fence observes the value:
    ///
    /// ```
    /// use cumbia::intrinsics::*;
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn hand_over(value: &mut [f32], flag: &mut [u32], out: &mut [f32]) {
    ///     if block_idx().x == 0 {
    ///         value[0] = 7.0;
    ///         thread_fence();
    ///         atomic_store(&mut flag[0], 1);
    ///     } else {
    ///         while atomic_load(&flag[0]) == 0 {}
    ///         thread_fence();
    ///         out[0] = value[0];
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let (mut value, mut flag, mut out) = (device.zeros(1)?, device.zeros(1)?, device.zeros(1)?);
    /// hand_over(&mut value, &mut flag, &mut out).grid(2).block(1).launch()?;
    /// assert_eq!(out.to_host()?, [7.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The orderings of `atomic_store_explicit` and the others express the same with the flag itself.
    thread_fence() = Intrinsic::Fence(Scope::Device)
}

intrinsic! {
    /// `thread_fence_block()`: like [`thread_fence`], as observed by the threads of the block; CUDA's
    /// `__threadfence_block`.
    thread_fence_block() = Intrinsic::Fence(Scope::Block)
}

intrinsic! {
    /// `thread_fence_system()`: like [`thread_fence`], as observed by all devices and the host; CUDA's
    /// `__threadfence_system`.
    thread_fence_system() = Intrinsic::Fence(Scope::System)
}

/// Implements the fences, which are the same on a CPU.
macro_rules! fences {
    ($($name:ident),*) => {$(
        impl $name<'_> {
            #[doc(hidden)]
            #[inline(always)]
            pub fn call(self) {
                fence(SeqCst);
            }
        }
    )*};
}

fences!(thread_fence, thread_fence_block, thread_fence_system);
