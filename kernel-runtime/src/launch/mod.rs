//! Kernel launches: the builder [`Launch`], validation, and the enqueue.
//!
//! [`LaunchConfig`] (requested) is validated and resolved to a [`CheckedLaunch`]. `fast_path` and [`Prepared`] cache one.

mod checked;
mod coarsening;
pub(crate) mod config;
mod emulation;
mod fast_path;
mod occupancy;
mod prepared;
mod run;

use std::marker::PhantomData;

pub(crate) use self::checked::CheckedLaunch;
pub use self::emulation::Emulation;
pub use self::occupancy::Occupancy;
pub use self::prepared::Prepared;
pub(crate) use self::run::ErasedLaunch;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::Result;
use crate::inspect::Kernel;
use crate::launch::config::LaunchConfig;
use crate::stream::Stream;

/// A kernel with its arguments and launch configuration, returned by calling the kernel. Nothing runs until `.launch()`.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn add_one(x: &mut [i32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] += 1;
///     }
/// }
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::cpu().to_device(&[1, 2, 3])?;
/// add_one(&mut x).grid(1).block(32).launch()?; // CUDA's <<<1, 32>>>
/// add_one(&mut x).over(3).launch()?; // grid and block picked for 3 items
/// launch!(add_one[1, 32](&mut x))?; // Numba's add_one[1, 32](x)
/// assert_eq!(x.to_host()?, [4, 5, 6]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing runs until `.launch()`"]
pub struct Launch<'a, K: Kernel, C = Checked> {
    args: K::Args<'a>,
    device: Option<&'a Device>,
    stream: Option<&'a Stream>,
    config: LaunchConfig,
    checks: PhantomData<fn() -> C>,
}

/// Marker of launches of a kernel with bounds checks.
#[derive(Debug)]
pub struct Checked;

/// Marker of launches of a `#[kernel(unchecked)]`, which has no bounds checks on a GPU.
#[derive(Debug)]
pub struct Unchecked;

impl<K: Kernel, C> std::fmt::Debug for Launch<'_, K, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Launch { args: _, device, stream, config, checks: _ } = self;
        f.debug_struct("Launch")
            .field("kernel", &K::INFO.name)
            .field("device", device)
            .field("stream", stream)
            .field("config", config)
            .finish()
    }
}

impl<'a, K: Kernel, C> Launch<'a, K, C> {
    #[doc(hidden)]
    #[inline]
    pub fn new(args: K::Args<'a>) -> Self {
        Launch { args, device: None, stream: None, config: LaunchConfig::default(), checks: PhantomData }
    }

    /// Sets the number of blocks: a number, or a pair or triple with `x` first.
    #[inline]
    pub fn grid(mut self, blocks: impl Into<Dim3>) -> Self {
        self.config.grid = Some(blocks.into());
        self
    }

    /// Sets the number of threads of each block: a number, or a pair or triple with `x` first.
    #[inline]
    pub fn block(mut self, threads: impl Into<Dim3>) -> Self {
        self.config.block = Some(threads.into());
        self
    }

    /// Picks a block size, and the number of blocks that covers `items`: a number, `(width, height)` or
    /// `(width, height, depth)`. A block size set with [`Launch::block`] is kept. If `items` is 0, nothing is launched.
    ///
    /// On a GPU the block has 256 threads, or 128 if each of them executes several items, unless the kernel's registers or
    /// shared memory limit occupancy and another size raises it noticeably; it has fewer threads if there are so few items
    /// that some multiprocessors would be idle. A kernel that relies on one block size declares it:
    /// `#[kernel(block = (128, 1, 1))]`.
    ///
    /// The grid consists of whole blocks, so there can be more threads than items: the kernel compares `grid(..)` with the
    /// bounds.
    #[inline]
    pub fn over(mut self, items: impl Into<Dim3>) -> Self {
        self.config.over = Some(items.into());
        self
    }

    /// Sets the size of each block's dynamic shared memory, in bytes, for
    /// [`dynamic_shared`](crate::intrinsics::dynamic_shared). The limit is the device's
    /// [`shared_bytes_per_block_opt_in`](crate::Limits::shared_bytes_per_block_opt_in) minus the size of the kernel's static
    /// shared arrays.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// Reverses the elements of each block.
    /// #[kernel]
    /// fn reverse_parts(x: &mut [u32]) {
    ///     let mut part = dynamic_shared::<u32>();
    ///     let (i, thread) = (grid(1), thread_idx().x);
    ///     part[thread] = x[i];
    ///     sync_threads();
    ///     x[i] = part[block_dim().x - 1 - thread];
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::open()?.to_device(&[1, 2, 3, 4])?;
    /// reverse_parts(&mut x).grid(2).block(2).shared_bytes(2 * size_of::<u32>()).launch()?;
    /// assert_eq!(x.to_host()?, [2, 1, 4, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn shared_bytes(mut self, bytes: usize) -> Self {
        self.config.shared_bytes = bytes;
        self
    }

    /// Sets the cluster size in blocks: a number, or a pair or triple with `x` first. The blocks of a thread block cluster
    /// are co-scheduled on neighbouring multiprocessors, so that one block's accesses can hit data cached for another. The
    /// cluster size has to divide the grid; [`Launch::over`] rounds the grid up.
    ///
    /// Every GPU of compute capability 9.0 and above supports clusters of 8 blocks, and up to 16 if the blocks are small
    /// enough. The CPU device accepts a cluster size, and runs the blocks as without one.
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
    /// let device = Device::open()?;
    /// let mut x = device.to_device(&[1.0; 1000])?;
    /// let has_clusters = device.limits().blocks_per_cluster >= 2;
    /// let launch = double(&mut x).over(1000);
    /// if has_clusters { launch.cluster(2).launch()? } else { launch.launch()? }
    /// assert_eq!(x.to_host()?, [2.0; 1000]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn cluster(mut self, blocks: impl Into<Dim3>) -> Self {
        self.config.cluster = Some(blocks.into());
        self
    }

    /// Makes the launch cooperative: all blocks are resident on the device at once, so that the kernel can call
    /// [`sync_grid`](crate::intrinsics::sync_grid). A grid of more blocks than
    /// [`cooperative_blocks`](Launch::cooperative_blocks) is an error.
    pub fn cooperative(mut self) -> Self {
        self.config.cooperative = true;
        self
    }

    /// Sets the stream on which the kernel is enqueued; without this, it is the default stream of the device. If an array is
    /// in use on another stream, Cumbia inserts the event dependency automatically.
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
    /// let device = Device::open()?;
    /// let (first, second) = (device.stream()?, device.stream()?);
    /// let (mut x, mut y) = (device.to_device(&[1.0])?, device.to_device(&[2.0])?);
    /// double(&mut x).over(1).on(&first).launch()?; // these two may run concurrently
    /// double(&mut y).over(1).on(&second).launch()?;
    /// double(&mut x).over(1).on(&second).launch()?; // after the first launch, which writes `x`
    /// assert_eq!((x.to_host()?[0], y.to_host()?[0]), (4.0, 4.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Sets the device, for a launch whose arguments are values and host arrays only. Otherwise the device of the arrays is
    /// used.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn squares(x: &mut [u32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         x[i] = (i * i) as u32;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = vec![0; 4];
    /// squares(Out(&mut x)).over(4).on_device(&Device::open()?).launch()?;
    /// assert_eq!(x, [0, 1, 4, 9]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_device(mut self, device: &'a Device) -> Self {
        self.device = Some(device);
        self
    }
}

impl<K: Kernel> Launch<'_, K, Checked> {
    /// Enqueues the kernel.
    ///
    /// On a GPU the launch is asynchronous: it returns before the kernel has run. The next synchronising call
    /// ([`Device::synchronize`], [`DeviceArray::to_host`](crate::DeviceArray::to_host)) prints the output of the kernel's
    /// `println!`, up to a buffer size of 1 MiB, and returns the fault of a thread, if any. The CPU device prints before the
    /// launch returns, and reports the fault at the same synchronising call.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] if the arguments or the launch configuration are invalid, [`Error::StreamElsewhere`] if the stream
    /// belongs to another device, [`Error::Compile`] if the kernel cannot be compiled, and [`Error::Driver`] if the driver
    /// reports an error. With host arrays among the arguments also [`Error::OutOfMemory`], and, if one of them is copied back,
    /// [`Error::Fault`].
    ///
    /// [`Error::Launch`]: crate::Error::Launch
    /// [`Error::StreamElsewhere`]: crate::Error::StreamElsewhere
    /// [`Error::Compile`]: crate::Error::Compile
    /// [`Error::Driver`]: crate::Error::Driver
    /// [`Error::OutOfMemory`]: crate::Error::OutOfMemory
    /// [`Error::Fault`]: crate::Error::Fault
    #[inline]
    pub fn launch(self) -> Result<()> {
        self.run()
    }
}

impl<K: Kernel> Launch<'_, K, Unchecked> {
    /// Enqueues the kernel, without bounds checks on a GPU. The CPU device checks bounds nevertheless.
    ///
    /// # Errors
    ///
    /// As for a kernel with bounds checks.
    ///
    /// # Safety
    ///
    /// Every index, range and `split_at` position that a thread of this launch evaluates is in bounds: of slices, views, and
    /// shared and local arrays.
    #[inline]
    pub unsafe fn launch(self) -> Result<()> {
        self.run()
    }
}
