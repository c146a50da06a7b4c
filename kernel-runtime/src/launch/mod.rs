//! Launches: the arguments of a kernel, how to run it, and the run.

mod emulation;
mod occupancy;
mod plan;
mod prepared;
mod recent;
mod run;

use std::marker::PhantomData;

pub use self::emulation::Emulation;
pub use self::occupancy::Occupancy;
pub(crate) use self::plan::Plan;
pub use self::prepared::Prepared;
use crate::config::Config;
use crate::device::Device;
use crate::dim::Dim3;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::stream::Stream;

/// A kernel with its arguments, on its way to a device. Calling the kernel makes one; nothing runs until `.launch()`.
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
/// add_one(&mut x).grid(1).block(32).launch()?; // as CUDA's <<<1, 32>>>
/// add_one(&mut x).over(3).launch()?; // grid and block picked for 3 items
/// launch!(add_one[1, 32](&mut x))?; // as Numba's add_one[1, 32](x)
/// assert_eq!(x.to_host()?, [4, 5, 6]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing runs until `.launch()`"]
pub struct Launch<'a, K: Kernel, C = Checked> {
    args: K::Args<'a>,
    device: Option<&'a Device>,
    stream: Option<&'a Stream>,
    config: Config,
    checks: PhantomData<fn() -> C>,
}

/// The launches of a kernel that checks its indices.
#[derive(Debug)]
pub struct Checked;

/// The launches of a `#[kernel(unchecked)]`.
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
        Launch { args, device: None, stream: None, config: Config::default(), checks: PhantomData }
    }

    /// The number of blocks: a number, or a pair or triple with `x` first.
    #[inline]
    pub fn grid(mut self, blocks: impl Into<Dim3>) -> Self {
        self.config.grid = Some(blocks.into());
        self
    }

    /// The number of threads of each block: a number, or a pair or triple with `x` first.
    #[inline]
    pub fn block(mut self, threads: impl Into<Dim3>) -> Self {
        self.config.block = Some(threads.into());
        self
    }

    /// Picks a block, and as many of them as cover `items`: a number, `(width, height)` or `(width, height, depth)`.
    /// A block that was set with [`Launch::block`] is kept. Over nothing, nothing is launched.
    ///
    /// On a GPU the block has 256 threads, or as many as let a multiprocessor run clearly more threads at once, where the
    /// kernel's registers or shared memory make a difference; and fewer where there are so few items that
    /// some multiprocessors would have none. A kernel that counts on a block of one size says so:
    /// `#[kernel(block = (128, 1, 1))]`.
    ///
    /// Blocks are whole, so there can be more threads than items: the kernel compares `grid(..)` with the bounds.
    #[inline]
    pub fn over(mut self, items: impl Into<Dim3>) -> Self {
        self.config.over = Some(items.into());
        self
    }

    /// Bytes of dynamic shared memory for each block, for [`dynamic_shared`](crate::intrinsics::dynamic_shared): up to the
    /// device's [`shared_bytes_per_block_opt_in`](crate::Limits::shared_bytes_per_block_opt_in), less what the kernel's shared
    /// arrays take.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// /// Reverses each block's part.
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

    /// Puts so many neighbouring blocks into each cluster: a number, or a pair or triple with `x` first. The blocks of a
    /// cluster run at the same time on neighbouring multiprocessors, and so find each other's data in their caches. Clusters
    /// divide the grid; [`Launch::over`] rounds it up.
    ///
    /// Every GPU of compute capability 9.0 and above takes clusters of 8 blocks, and up to 16 where the blocks are small
    /// enough. The CPU device takes them too, and runs the blocks as any others.
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

    /// All blocks are to be on the device at once, so that the kernel can call
    /// [`sync_grid`](crate::intrinsics::sync_grid). A launch of more blocks than
    /// [`cooperative_blocks`](Launch::cooperative_blocks) is an error.
    pub fn cooperative(mut self) -> Self {
        self.config.cooperative = true;
        self
    }

    /// The stream on which the kernel runs, behind what was asked of it before; without this, the default stream of the
    /// device. Where an array was used on another stream, this one waits for that use.
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
    /// double(&mut x).over(1).on(&first).launch()?; // these two may run at the same time
    /// double(&mut y).over(1).on(&second).launch()?;
    /// double(&mut x).over(1).on(&second).launch()?; // behind the first, whose array it has
    /// assert_eq!((x.to_host()?[0], y.to_host()?[0]), (4.0, 4.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// The device to run on, for a kernel without arrays among its arguments, or only with arrays of the host; otherwise theirs
    /// is used.
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
    /// Runs the kernel.
    ///
    /// On a GPU the launch returns at once; the next call that waits for the device ([`Device::synchronize`],
    /// [`DeviceArray::to_host`](crate::DeviceArray::to_host)) prints what the kernel said with `println!`, as far as a buffer
    /// of 1 MiB held it, and gives out the fault of a thread that stopped. The CPU device prints before the launch returns,
    /// and gives the fault out in the same place.
    ///
    /// # Errors
    ///
    /// [`Error::Launch`] where the arguments or the shape cannot be launched so, [`Error::StreamElsewhere`] where the stream is
    /// one of another device, [`Error::Compile`] where there is no machine code for the kernel, [`Error::Driver`] where the
    /// GPU is in trouble. With arrays of the host among the arguments also [`Error::OutOfMemory`], and, where one of them goes
    /// out, [`Error::Fault`].
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
    /// Runs the kernel, without checks of its indices on a GPU. The CPU device checks them all the same.
    ///
    /// # Errors
    ///
    /// As for a kernel with checks.
    ///
    /// # Safety
    ///
    /// No thread of this launch may index outside a slice or shared array.
    #[inline]
    pub unsafe fn launch(self) -> Result<()> {
        self.run()
    }
}
