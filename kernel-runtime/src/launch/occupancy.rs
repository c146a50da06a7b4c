//! How well a launch fills a device.

use super::{Launch, Plan};
use crate::argument::Binder;
use crate::config::Config;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::specialise;

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

impl<K: Kernel, C> Launch<'_, K, C> {
    /// How many blocks of this launch's block and shared memory the device can hold at once: the most for a
    /// [`cooperative`](Launch::cooperative) launch.
    ///
    /// On a GPU that depends on what the kernel needs of each multiprocessor. The CPU device runs up to 16,384 threads at
    /// once, which all cooperative launches of the process share.
    ///
    /// ```
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
    /// As for the launch itself, but that a grid need not be given.
    pub fn cooperative_blocks(&self) -> Result<usize> {
        let config = Config { cooperative: true, ..self.config };
        let (_, plan) = self.of_a_block(&config)?;
        Ok(plan.map_or(Ok(0), |plan| plan.resident_blocks())? as usize)
    }

    /// How many blocks of this launch's block and shared memory one multiprocessor holds at once; 0 for a launch over
    /// nothing. On the CPU device, one: a thread of the host runs one block at a time.
    ///
    /// # Errors
    ///
    /// As for the launch itself, but that a grid need not be given.
    pub fn active_blocks(&self) -> Result<usize> {
        Ok(self.occupancy()?.blocks)
    }

    /// How well this launch's block and shared memory fill the device.
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
    /// As for the launch itself, but that a grid need not be given.
    pub fn occupancy(&self) -> Result<Occupancy> {
        let (device, plan) = self.of_a_block(&self.config)?;
        let blocks = plan.map_or(Ok(0), |plan| plan.active_blocks())? as usize;
        let limits = device.limits();
        Ok(Occupancy {
            blocks,
            threads: blocks * plan.map_or(0, |plan| plan.shape.block.count() as usize),
            most_threads: limits.threads_per_multiprocessor,
            multiprocessors: limits.multiprocessors,
        })
    }

    /// The device of such a launch, and the plan of one of a single block or cluster; no plan where it is over nothing.
    fn of_a_block(&self, config: &Config) -> Result<(&Device, Option<Plan>)> {
        let mut binder = Binder::new(K::INFO.name);
        let (device, arguments) = self.target(&mut binder, self.stream)?;
        if config.is_over_nothing() {
            return Ok((device, None));
        }
        let config = Config { grid: Some(config.cluster.unwrap_or(Dim3::ONE)), ..*config };
        // A kernel with a barrier for the grid is not launched here, so that it need not be cooperative.
        let config = Config { cooperative: config.cooperative || specialise::of::<K>()?.facts.syncs_grid, ..config };
        Ok((device, Some(Plan::of_any_grid::<K>(&config, device, arguments)?)))
    }
}
