//! How well a launch fills a device.

/// How many blocks of a launch run at once: [`Launch::occupancy`](crate::Launch::occupancy).
///
/// A multiprocessor hides the latency of memory with the threads that it holds besides those that wait. How many it holds
/// is decided by its room for blocks, threads, registers and shared memory, whichever ends first.
///
/// On the CPU device, a multiprocessor is a thread of the host, which runs one block at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Blocks of the launch that one multiprocessor holds at once.
    pub blocks: usize,
    /// The threads of these blocks.
    pub threads: usize,
    /// The most threads that a multiprocessor could hold.
    pub most_threads: usize,
    /// How many multiprocessors the device has.
    pub multiprocessors: usize,
}

impl Occupancy {
    /// The part of a multiprocessor's threads that the launch uses, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        if self.most_threads == 0 { 0.0 } else { self.threads as f64 / self.most_threads as f64 }
    }

    /// Blocks of the launch that the whole device holds at once: a grid of a multiple of this leaves nothing idle at its
    /// end.
    pub fn resident_blocks(&self) -> usize {
        self.blocks * self.multiprocessors
    }
}
