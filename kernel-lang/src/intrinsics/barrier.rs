//! Barriers of the block and of the grid.

use cumbia_kernel_ir as ir;

use super::{Predicate, intrinsic};

intrinsic! {
    /// `sync_threads()`: waits until all threads of the block have arrived, and makes the earlier writes of each
    /// visible to the others; CUDA's `__syncthreads`.
    ///
    /// Threads that have left the kernel by a `return`, or ended with a fault, are not waited for. All others must
    /// arrive at the same barrier: a barrier in an `if` that only some threads enter is a mistake, even if the kernel
    /// ends after it, and so is a `return` from a device function that skips one. The CPU device detects it, as
    /// [`FaultKind::Deadlock`](crate::FaultKind::Deadlock); on a GPU such threads may wait forever, or read unspecified
    /// values.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn reverse(x: &mut [i32]) {
    ///     let mut copy = shared::<[i32; 4]>();
    ///     let i = thread_idx().x;
    ///     copy[i] = x[i];
    ///     sync_threads();
    ///     x[i] = copy[3 - i];
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().to_device(&[1, 2, 3, 4])?;
    /// reverse(&mut x).grid(1).block(4).launch()?;
    /// assert_eq!(x.to_host()?, [4, 3, 2, 1]);
    /// # Ok(())
    /// # }
    /// ```
    sync_threads() = Intrinsic::SyncThreads
}

intrinsic! {
    /// `sync_threads_count(p)`: like [`sync_threads`], and returns the number of threads of the block for which `p`
    /// holds, a `u32`; CUDA's `__syncthreads_count`.
    ///
    /// `p` is a `bool`, or an integer of any width that is non-zero if the condition holds.
    ///
    /// ```
    /// use cumbia::intrinsics::*;
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn count_positive(x: &[f32], count: &mut [u32]) {
    ///     let i = grid(1);
    ///     let n = sync_threads_count(i < x.len() && x[i] > 0.0);
    ///     if thread_idx().x == 0 {
    ///         count[block_idx().x] = n;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1.0, -1.0, 2.0, 3.0, 4.0])?;
    /// let mut count = device.zeros(2)?;
    /// count_positive(&x, &mut count).grid(2).block(4).launch()?;
    /// assert_eq!(count.to_host()?, [3, 1]);
    /// # Ok(())
    /// # }
    /// ```
    sync_threads_count(predicate) = Intrinsic::SyncThreadsVote(ir::Predicate::Count)
}

intrinsic! {
    /// `sync_threads_and(p)`: like [`sync_threads`], and returns whether `p` holds for all threads of the block; CUDA's
    /// `__syncthreads_and`. `p` is as for [`sync_threads_count`].
    sync_threads_and(predicate) = Intrinsic::SyncThreadsVote(ir::Predicate::And)
}

intrinsic! {
    /// `sync_threads_or(p)`: like [`sync_threads`], and returns whether `p` holds for any thread of the block; CUDA's
    /// `__syncthreads_or`. `p` is as for [`sync_threads_count`].
    sync_threads_or(predicate) = Intrinsic::SyncThreadsVote(ir::Predicate::Or)
}

intrinsic! {
    /// `sync_grid()`: waits until all threads of the grid have arrived, and makes the earlier writes of each
    /// visible to the others; CUDA's `grid.sync()` of cooperative groups.
    ///
    /// All blocks must be resident on the device at the same time, so the launch must be cooperative
    /// (`.cooperative()`), and fails if the device has no room for as many blocks (see `.cooperative_blocks()`). Every
    /// thread of the grid must arrive at the barrier. If one returns before, that is a
    /// [`FaultKind::Deadlock`](crate::FaultKind::Deadlock) on the CPU device, and on a GPU others may wait forever. If
    /// a thread has ended with a fault, the others end at the barrier.
    ///
    /// ```
    /// use cumbia::intrinsics::*;
    /// use cumbia::prelude::*;
    ///
    /// /// Each element becomes the sum of its neighbours, `rounds` times.
    /// #[kernel]
    /// fn diffuse(rounds: u32, x: &mut [f32], other: &mut [f32]) {
    ///     let (i, n) = (grid(1), x.len());
    ///     for _ in 0..rounds {
    ///         if i < n {
    ///             other[i] = x[(i + n - 1) % n] + x[(i + 1) % n];
    ///         }
    ///         sync_grid();
    ///         if i < n {
    ///             x[i] = other[i];
    ///         }
    ///         sync_grid();
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let mut x = device.to_device(&[1.0, 0.0, 0.0, 0.0, 0.0])?;
    /// let mut other = device.zeros(5)?;
    /// diffuse(2, &mut x, &mut other).block(2).over(5).cooperative().launch()?;
    /// assert_eq!(x.to_host()?, [2.0, 0.0, 1.0, 1.0, 0.0]);
    /// # Ok(())
    /// # }
    /// ```
    sync_grid() = Intrinsic::SyncGrid
}

intrinsic! {
    /// `has_faulted()`: whether a fault in the stream has not been reported yet, a `bool`: one of a thread of this launch, or of an
    /// earlier launch.
    ///
    /// For kernels whose blocks wait for others, in `.cooperative()` launches: a block of which all threads have faulted
    /// publishes nothing any more. The record of faults is in memory of the host, so that a call takes about a microsecond. On
    /// the CPU device it is always `false`: a wait for a thread that has ended is detected there.
    ///
    /// ```
    /// use cumbia::intrinsics::{DeviceScope, Relaxed, atomic_load_explicit, atomic_store_explicit, has_faulted};
    /// use cumbia::prelude::*;
    ///
    /// /// Each block adds an element to the sum of the earlier ones, unless one of those has faulted.
    /// #[kernel]
    /// fn chain(x: &[u64], sums: &mut [u64]) {
    ///     let i = block_idx().x;
    ///     let mut before = 1;
    ///     if i > 0 {
    ///         before = 0;
    ///         while before == 0 && !has_faulted() {
    ///             before = atomic_load_explicit::<Relaxed, DeviceScope>(&sums[i - 1]);
    ///         }
    ///     }
    ///     if before > 0 {
    ///         atomic_store_explicit::<Relaxed, DeviceScope>(&mut sums[i], before + x[i]);
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// let x = device.to_device(&[1, 2, 3])?;
    /// let mut sums = device.zeros(3)?;
    /// chain(&x, &mut sums).grid(3).block(1).cooperative().launch()?;
    /// assert_eq!(sums.to_host()?, [2, 4, 7]);
    /// # Ok(())
    /// # }
    /// ```
    has_faulted() = Intrinsic::HasFaulted
}

impl sync_threads<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) {
        self.call.cx.barrier(self.call.at, "sync_threads", true);
    }
}

impl sync_threads_count<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self, predicate: impl Predicate) -> u32 {
        self.call.cx.barrier(self.call.at, "sync_threads_count", Predicate::holds(predicate)).holds
    }
}

impl sync_threads_and<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self, predicate: impl Predicate) -> bool {
        let vote = self.call.cx.barrier(self.call.at, "sync_threads_and", Predicate::holds(predicate));
        vote.holds == vote.threads
    }
}

impl sync_threads_or<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self, predicate: impl Predicate) -> bool {
        self.call.cx.barrier(self.call.at, "sync_threads_or", Predicate::holds(predicate)).holds > 0
    }
}

impl sync_grid<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) {
        self.call.cx.grid_barrier(self.call.at, "sync_grid");
    }
}

impl has_faulted<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) -> bool {
        false
    }
}
