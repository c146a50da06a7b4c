//! The order in which others see what a thread writes.

use std::sync::atomic::{Ordering::SeqCst, fence};

use cumbia_kernel_ir::ir::Scope;

use super::intrinsic;

intrinsic! {
    /// `thread_fence()`: what this thread wrote before it, every thread of the device sees before what it writes after
    /// it; CUDA's `__threadfence`.
    ///
    /// It makes nobody wait. A thread that writes a value, then a flag behind a fence, lets those who see the flag, and
    /// have a fence behind reading it, see the value:
    ///
    /// ```
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
    /// The orderings of `atomic_store_explicit` and its like say the same with the flag itself.
    thread_fence = Intrinsic::Fence(Scope::Device)
}

intrinsic! {
    /// `thread_fence_block()`: as [`thread_fence`], for the threads of the block; CUDA's `__threadfence_block`.
    thread_fence_block = Intrinsic::Fence(Scope::Block)
}

intrinsic! {
    /// `thread_fence_system()`: as [`thread_fence`], for all devices and the host; CUDA's `__threadfence_system`.
    thread_fence_system = Intrinsic::Fence(Scope::System)
}

/// All fences are one to a CPU.
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
