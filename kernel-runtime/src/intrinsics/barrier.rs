//! Waiting for other threads.

use super::intrinsic;

intrinsic! {
    /// `sync_threads()`: waits until every thread of the block has come here, and makes what each wrote before visible
    /// to the others; CUDA's `__syncthreads`.
    ///
    /// Threads that have returned, or stopped at a fault, are not waited for. All others must come to the same
    /// barrier: behind one inside an `if` that only some threads enter, memory holds values that are not specified, as in
    /// CUDA. The CPU device lets such threads wait at different barriers, and does not say so.
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
    sync_threads = Intrinsic::SyncThreads
}

impl sync_threads<'_> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn call(self) {
        self.call.cx.barrier();
    }
}
