//! Occupancy: how many blocks of a launch are resident at once.

use super::{CheckedLaunch, ErasedLaunch, Launch};
use crate::argument::Binder;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::Result;
use crate::inspect::Kernel;
use crate::launch::config::LaunchConfig;

/// The occupancy of a launch, from [`Launch::occupancy`](crate::Launch::occupancy).
///
/// A multiprocessor hides memory latency by switching to other resident warps. The number of resident blocks is limited by
/// the multiprocessor's block slots, threads, registers and shared memory, whichever is exhausted first.
///
/// On the CPU device, a multiprocessor is a host thread, which runs one block at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Resident blocks of the launch on one multiprocessor.
    pub blocks: usize,
    /// Resident threads on one multiprocessor: those of these blocks.
    pub threads: usize,
    /// The maximum number of resident threads on one multiprocessor.
    pub max_threads: usize,
    /// The number of multiprocessors of the device.
    pub multiprocessors: usize,
}

impl Occupancy {
    /// Returns the occupancy: resident threads divided by their maximum, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        if self.max_threads == 0 { 0.0 } else { self.threads as f64 / self.max_threads as f64 }
    }

    /// Returns the number of blocks of the launch that are resident on the whole device at once. A grid whose size is a
    /// multiple of this leaves no multiprocessor idle at its end (no tail effect).
    pub fn resident_blocks(&self) -> usize {
        self.blocks * self.multiprocessors
    }
}

impl<K: Kernel, C> Launch<'_, K, C> {
    /// Returns the number of blocks, of this launch's block size and shared memory, that can be resident on the device at
    /// once: the largest grid of a [`cooperative`](Launch::cooperative) launch.
    ///
    /// On a GPU this depends on the resources that the kernel needs on each multiprocessor: it is the minimum over the
    /// variants of the kernel, with and without bounds checks, both of which are compiled. The CPU device runs up to
    /// 16,384 threads at once, shared by all cooperative launches of the process.
    ///
    /// ```
    /// use cumbia::intrinsics::*;
    /// use cumbia::prelude::*;
    ///
    /// /// Numbers the elements, then reverses them.
    /// #[kernel]
    /// fn number_and_reverse(x: &mut [u32], y: &mut [u32]) {
    ///     for i in (grid(1)..x.len()).step_by(grid_size(1)) {
    ///         x[i] = i as u32;
    ///     }
    ///     sync_grid();
    ///     for i in (grid(1)..y.len()).step_by(grid_size(1)) {
    ///         y[i] = x[x.len() - 1 - i];
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// let n = 100_000;
    /// let (mut x, mut y) = (device.zeros(n)?, device.zeros(n)?);
    /// let most = number_and_reverse(&mut x, &mut y).block(256).cooperative_blocks()?;
    /// let blocks = most.min(n.div_ceil(256));
    /// number_and_reverse(&mut x, &mut y).grid(blocks).block(256).cooperative().launch()?;
    /// assert_eq!(y.to_host()?[0], 99_999);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for the launch itself, except that the grid may be omitted.
    pub fn cooperative_blocks(&self) -> Result<usize> {
        let config = LaunchConfig { cooperative: true, ..self.config };
        let (device, checked) = self.erased().check_single_block(&config)?;
        Ok(checked.map_or(Ok(0), |checked| checked.least_resident_blocks(device))? as usize)
    }

    /// Returns the number of blocks, of this launch's block size and shared memory, that can be resident on one
    /// multiprocessor; 0 for a launch over no items. On the CPU device it is 1, since a host thread runs one block at a
    /// time.
    ///
    /// # Errors
    ///
    /// As for the launch itself, except that the grid may be omitted.
    pub fn active_blocks(&self) -> Result<usize> {
        Ok(self.occupancy()?.blocks)
    }

    /// Returns the occupancy for this launch's block size and shared memory.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn double(x: &mut [f32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         x[i] *= 2.0;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::open()?.zeros(1000)?;
    /// for block in [32, 128, 512] {
    ///     let occupancy = double(&mut x).block(block).occupancy()?;
    ///     println!("{block} threads: {} blocks, {:.0} %", occupancy.blocks, 100.0 * occupancy.fraction());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for the launch itself, except that the grid may be omitted.
    pub fn occupancy(&self) -> Result<Occupancy> {
        let (device, checked) = self.erased().check_single_block(&self.config)?;
        let blocks = checked.map_or(Ok(0), |checked| checked.active_blocks())? as usize;
        let limits = device.limits();
        Ok(Occupancy {
            blocks,
            threads: blocks * checked.map_or(0, |checked| checked.config.block.count() as usize),
            max_threads: limits.threads_per_multiprocessor,
            multiprocessors: limits.multiprocessors,
        })
    }
}

impl dyn ErasedLaunch + '_ {
    /// Returns the device, and the launch, validated with a grid of a single block or cluster; `None` if it covers no
    /// items.
    fn check_single_block(&self, config: &LaunchConfig) -> Result<(&Device, Option<CheckedLaunch>)> {
        let (kernel, mut binder) = (self.kernel(), Binder::new(self.kernel().name));
        let (device, arguments) = self.target(&mut binder, self.stream())?;
        if config.is_empty() {
            return Ok((device, None));
        }
        let single = config.over.is_none().then(|| config.cluster.unwrap_or(Dim3::ONE));
        let config = LaunchConfig { grid: config.grid.filter(|grid| !grid.is_empty()).or(single), ..*config };
        // Nothing is launched here, so a kernel with a grid-wide barrier need not be launched cooperatively.
        let config =
            LaunchConfig { cooperative: config.cooperative || kernel.specialised()?.facts.syncs_grid, ..config };
        Ok((device, Some(CheckedLaunch::for_occupancy(kernel, &config, device, arguments)?)))
    }
}
