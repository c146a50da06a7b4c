//! Launches: the arguments of a kernel, how to run it, and the run.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;

use cumbia_kernel_ir::{LAUNCH_BYTES, Source};

use crate::argument::{Binder, Params, Transfer, Uses, on_gpu, on_host};
use crate::config::Config;
use crate::cpu::{self, Cx};
use crate::cuda::{self, RawFault, Ready, Refusal};
use crate::device::{Backend, Device};
use crate::dim::Dim3;
use crate::error::{Error, LaunchError, Result};
use crate::fault;
use crate::kernel::Kernel;
use crate::memory::Use;
use crate::occupancy::Occupancy;
use crate::order::{self, Lane};
use crate::over;
use crate::plan::{Arguments, Plan, is_traced};
use crate::recent;
use crate::specialise;
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
    pub fn new(args: K::Args<'a>) -> Self {
        Launch { args, device: None, stream: None, config: Config::default(), checks: PhantomData }
    }

    /// The number of blocks: a number, or a pair or triple with `x` first.
    pub fn grid(mut self, blocks: impl Into<Dim3>) -> Self {
        self.config.grid = Some(blocks.into());
        self
    }

    /// The number of threads of each block: a number, or a pair or triple with `x` first.
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
    pub fn over(mut self, items: impl Into<Dim3>) -> Self {
        self.config.over = Some(items.into());
        self
    }

    /// Bytes of dynamic shared memory for each block, for [`dynamic_shared`](crate::intrinsics::dynamic_shared).
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
        Ok(self.plan_of_a_block(&config)?.map_or(Ok(0), |plan| plan.resident_blocks())? as usize)
    }

    /// How many blocks of this launch's block and shared memory one multiprocessor holds at once; 0 for a launch over
    /// nothing. On the CPU device, one: a thread of the host runs one block at a time.
    ///
    /// # Errors
    ///
    /// As for the launch itself, but that a grid need not be given.
    pub fn active_blocks(&self) -> Result<usize> {
        Ok(self.plan_of_a_block(&self.config)?.map_or(Ok(0), |plan| plan.active_blocks())? as usize)
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
        let plan = self.plan_of_a_block(&self.config)?;
        let (device, _) = self.seen()?;
        let blocks = plan.map_or(Ok(0), |plan| plan.active_blocks())? as usize;
        let limits = device.limits();
        Ok(Occupancy {
            blocks,
            threads: blocks * plan.map_or(0, |plan| plan.shape.block.count() as usize),
            most_threads: limits.threads_per_multiprocessor,
            multiprocessors: limits.multiprocessors,
        })
    }

    /// The plan of such a launch of one block, or of one cluster; `None` where it is over nothing.
    fn plan_of_a_block(&self, config: &Config) -> Result<Option<Plan>> {
        if config.is_over_nothing() {
            return Ok(None);
        }
        let config = Config { grid: Some(config.cluster.unwrap_or(Dim3::ONE)), ..*config };
        // A kernel with a barrier for the grid is not launched here, so that it need not be cooperative.
        let config = Config { cooperative: config.cooperative || specialise::of::<K>()?.facts.syncs_grid, ..config };
        let (device, arguments) = self.seen()?;
        Plan::unchecked_for_residency::<K>(&config, device, arguments).map(Some)
    }

    /// The stream on which the kernel runs, behind what was asked of it before; without this, the default stream of the
    /// device. Where an array was used on another stream, this one waits for that use.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// The device to run on, for a kernel without arrays among its arguments; otherwise theirs is used.
    pub fn on_device(mut self, device: &'a Device) -> Self {
        self.device = Some(device);
        self
    }

    /// Shows the arguments.
    pub(crate) fn bind<'b>(&'b self, binder: &mut Binder<'b>) {
        K::bind(&self.args, binder);
    }

    /// Where the launch runs, and what has to be known of its arguments.
    fn seen(&self) -> Result<(&Device, Arguments)> {
        let mut binder = Binder::new(K::INFO.name);
        self.bind(&mut binder);
        let arguments = Arguments { layout: binder.layout(), largest: binder.largest() };
        Ok((self.device_or(binder.finish()?, self.stream)?, arguments))
    }

    /// The device of the arrays, or else the one that was named, be it by a stream.
    fn device_or<'d>(&self, of_arrays: Option<&'d Device>, stream: Option<&'d Stream>) -> Result<&'d Device>
    where
        'a: 'd,
    {
        let on_stream = stream.map(Stream::device);
        let device = of_arrays.or(self.device).or(on_stream).ok_or(LaunchError::NoDevice { kernel: K::INFO.name })?;
        match on_stream.filter(|on_stream| *on_stream != device) {
            Some(stream) => Err(Error::StreamElsewhere { stream: stream.to_string(), device: device.to_string() }),
            None => Ok(device),
        }
    }

    /// Checks the launch.
    pub(crate) fn plan(&self) -> Result<Option<Plan>> {
        let (device, arguments) = self.seen()?;
        Plan::new::<K>(&self.config, device, arguments)
    }

    /// The stream that was named.
    pub(crate) fn stream(&self) -> Option<&'a Stream> {
        self.stream
    }

    /// Checks the launch, and gives it to the device.
    #[inline]
    fn run(self) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        self.bind(&mut binder);
        let Some(ready) = self.recent(self.stream, &binder) else {
            return self.run_bound(self.stream, &mut binder);
        };
        let result = self.run_ready(&ready, &mut binder.params);
        drop(binder);
        // It has only borrows, since nothing is lent or refused: there is nothing to look for in each argument.
        std::mem::forget(self);
        result
    }

    /// As [`Launch::launch`], on this stream.
    #[inline]
    pub(crate) fn run_on_stream(&self, stream: Option<&Stream>) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        self.bind(&mut binder);
        match self.recent(stream, &binder) {
            Some(ready) => self.run_ready(&ready, &mut binder.params),
            None => self.run_bound(stream, &mut binder),
        }
    }

    /// The launch before, if this one has to be checked no more than that.
    #[inline]
    fn recent(&self, stream: Option<&Stream>, binder: &Binder<'_>) -> Option<Ready> {
        if stream.is_some() || !binder.is_plain() {
            return None;
        }
        let device = binder.on().or_else(|| self.device.map(Device::identity))?;
        let ready = recent::find::<K>(device, binder.layout(), &self.config)?;
        (ready.is_alone() && !is_traced()).then_some(ready)
    }

    /// Gives a launch to the only stream of the device. It is what is left of [`run_on_cuda`] there.
    #[inline]
    fn run_ready(&self, ready: &Ready, params: &mut Params) -> Result<()> {
        let mut parameter = ready.parameter();
        if let Some(parameter) = &mut parameter {
            params.push(std::ptr::from_mut(parameter).cast());
        }
        // SAFETY: as in `run_on_cuda`; the checks were those of a launch of the same kernel with the same extents.
        let launched = unsafe { ready.launch(params.as_mut_ptr()) };
        self.behind(ready, launched)
    }

    /// Notes what was used by a launch that began as the only stream's, should there be another by now: see `order.rs`.
    #[inline]
    pub(crate) fn behind(&self, ready: &Ready, launched: Result<(), Refusal>) -> Result<()> {
        if !ready.is_alone() {
            self.note(ready)?;
        }
        Ok(launched?)
    }

    #[cold]
    fn note(&self, ready: &Ready) -> Result<()> {
        order::note(ready.stream(), &self.uses())
    }

    /// Checks the launch, whose arguments the binder has seen, and gives it to the device.
    #[inline(never)]
    fn run_bound<'b>(&'b self, stream: Option<&'b Stream>, binder: &mut Binder<'b>) -> Result<()> {
        let Some((device, plan)) = self.planned_of_bound(binder, stream)? else {
            return Ok(()); // over nothing
        };
        self.run_on(device, stream, &plan, binder)?;
        if stream.is_none() {
            recent::note::<K>(device.identity(), &self.config, &plan);
        }
        Ok(())
    }

    /// Checks the launch; `None` where it is over nothing.
    #[inline]
    pub(crate) fn planned<'b>(
        &'b self,
        binder: &mut Binder<'b>,
        stream: Option<&'b Stream>,
    ) -> Result<Option<(&'b Device, Plan)>> {
        self.bind(binder);
        self.planned_of_bound(binder, stream)
    }

    /// As [`Launch::planned`], where the binder has seen the arguments.
    fn planned_of_bound<'b>(
        &'b self,
        binder: &mut Binder<'b>,
        stream: Option<&'b Stream>,
    ) -> Result<Option<(&'b Device, Plan)>> {
        let arguments = Arguments { layout: binder.layout(), largest: binder.largest() };
        let device = self.device_or(binder.finish()?, stream)?;
        Ok(Plan::new::<K>(&self.config, device, arguments)?.map(|plan| (device, plan)))
    }

    /// Gives the launch to the device, by a plan that was made of it.
    pub(crate) fn run_plan(&self, plan: &Plan) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        self.bind(&mut binder);
        let device = self.device_or(binder.finish()?, self.stream)?;
        self.run_on(device, self.stream, plan, &mut binder)
    }

    /// What the launch uses.
    #[cold]
    fn uses(&self) -> Uses<'_> {
        let mut binder = Binder::recording(K::INFO.name);
        self.bind(&mut binder);
        binder.uses
    }

    #[inline]
    fn run_on(&self, device: &Device, stream: Option<&Stream>, plan: &Plan, binder: &mut Binder<'_>) -> Result<()> {
        plan.trace(device);
        match (device.backend(), plan.module) {
            (Backend::Cuda(context), Some(module)) => {
                let stream = match stream.map(Stream::lane) {
                    Some(Lane::Cuda(stream)) => stream,
                    _ => context.default_stream(),
                };
                let result = run_on_cuda((device, stream), module, plan, binder, &|| self.uses());
                // Also where it failed: part of it may have been asked for.
                binder.lent.iter().for_each(|lent| lent.over());
                result
            }
            // A plan for the CPU has no module.
            (Backend::Cpu(streams), _) => {
                let stream = match stream.map(Stream::lane) {
                    Some(Lane::Cpu(stream)) => stream,
                    _ => streams.default_stream(),
                };
                let result = self.run_on_cpu(stream, plan, &binder.transfers);
                if streams.are_several() {
                    for Use { memory, bytes, writes } in self.uses() {
                        memory.uses().note_on_cpu(stream, bytes, writes);
                    }
                }
                result
            }
            (Backend::Cuda(_), None) => unreachable!("a plan is made for the device of the arguments"),
        }
    }

    /// Runs the grid to its end. A fault waits for the next synchronising call, as on a GPU.
    fn run_on_cpu(&self, stream: &cpu::Stream, plan: &Plan, transfers: &[Transfer<'_>]) -> Result<()> {
        let shape = plan.shape.on_cpu(plan.specialised.facts.needs_other_threads);
        let run = || {
            let views = K::views(&self.args);
            if let Some(stopped) = cpu::run(shape, &move |cx: Cx<'_>| K::run(cx, views)) {
                stream.note_fault(fault::of_cpu(&K::INFO, stopped));
            }
        };
        on_host(transfers, run, || stream.give_out_fault())
    }

    /// Runs the launch with `emulator` in the place of a GPU; for tests of the emitted CUDA C.
    #[doc(hidden)]
    pub fn emulate(&self, emulator: &mut dyn FnMut(Emulation<'_>) -> Option<RawFault>) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        K::bind(&self.args, &mut binder);
        let layout = binder.layout();
        binder.finish()?;
        let Binder { mut params, transfers, .. } = binder;
        if self.config.is_over_nothing() {
            return Ok(());
        }
        let pick = |items| Ok(over::block(over::USUAL, items, Device::cpu().limits().block));
        let shape = self.config.shape(K::INFO.name, K::OPTIONS.block, pick)?;
        let specialised = specialise::of::<K>()?;
        let source = specialised.source(layout);
        let mut raw = None;
        let run = || {
            raw = emulator(Emulation {
                source,
                kernel: specialised.number,
                params: &mut params,
                grid: shape.grid,
                block: shape.block,
                shared_bytes: shape.shared_bytes,
            });
        };
        on_host(&transfers, run, || Ok(()))?;
        raw.map_or(Ok(()), |raw| Err(fault::resolve(raw)))
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
    /// [`Error::Launch`] where the device cannot run such a grid or block, [`Error::Compile`] where there is no machine
    /// code for the kernel, [`Error::Driver`] where the GPU is in trouble.
    ///
    /// [`Error::Launch`]: crate::Error::Launch
    /// [`Error::Compile`]: crate::Error::Compile
    /// [`Error::Driver`]: crate::Error::Driver
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
    pub unsafe fn launch(self) -> Result<()> {
        self.run()
    }
}

/// What a kernel takes last if it can fault or print: `rt::Launch` of the emitted CUDA C. The addresses are the device's.
#[repr(C)]
pub(crate) struct LaunchParameter {
    pub(crate) fault: u64,
    /// 0 for a kernel that does not print.
    pub(crate) print: u64,
    /// 0 for a kernel without a barrier for the grid.
    pub(crate) grid_barrier: u64,
    pub(crate) kernel: u32,
    /// So that all bytes of it are known.
    pub(crate) pad: u32,
}

const _: () = assert!(size_of::<LaunchParameter>() == LAUNCH_BYTES);

/// Gives the launch to a GPU.
fn run_on_cuda<'u>(
    (device, stream): (&Device, &Arc<cuda::Stream>),
    module: &cuda::Module,
    plan: &Plan,
    Binder { params, transfers, .. }: &mut Binder<'_>,
    uses: &dyn Fn() -> Uses<'u>,
) -> Result<()> {
    let &Plan { specialised, layout, shape: _, module: _ } = plan;
    let &Source { prints, takes_launch, .. } = specialised.source(layout);
    let geometry = plan.geometry();
    on_gpu((device, stream), transfers, params, |params| {
        let mut launch = |print: u64, grid_barrier: u64| {
            let fault = stream.fault_pointer();
            let mut parameter = LaunchParameter { fault, print, grid_barrier, kernel: specialised.number, pad: 0 };
            if takes_launch {
                params.push((&raw mut parameter).cast());
            }
            // SAFETY: the parameters are those of the emitted kernel, in order: `K::bind` visits the same arguments that the
            // IR has, and the launch parameter comes last where the source has one. The arrays are on this device and
            // borrowed by the launch; freeing them is ordered after it. `Shape::check` has compared the extents with the
            // device's limits.
            unsafe { module.launch(stream, &geometry, params) }
        };
        order::ordered_with(stream, uses, || {
            with_grid_barrier(stream, specialised.facts.syncs_grid, |grid_barrier| {
                if prints {
                    stream.launch_printing(|print| launch(print, grid_barrier))
                } else {
                    launch(0, grid_barrier)
                }
            })
        })
    })
}

/// Launches with the address of a count that is zero when the kernel begins, if it has a barrier for the grid.
fn with_grid_barrier(
    stream: &cuda::Stream,
    syncs_grid: bool,
    launch: impl FnOnce(u64) -> Result<(), cuda::Refusal>,
) -> Result<()> {
    if !syncs_grid {
        return Ok(launch(0)?);
    }
    // Each launch has its own, since others may follow before this one is over. Allocating is ordered like the launch.
    let address = stream.alloc(size_of::<u64>())?;
    // SAFETY: the memory has been allocated just now with that many bytes.
    let launched = unsafe { stream.clear(address, size_of::<u64>()) }.and_then(|()| launch(address));
    // SAFETY: the free is ordered behind the launch, and nothing else has the address.
    unsafe { stream.free(address) };
    Ok(launched?)
}

/// What an emulator of a GPU needs for a launch.
#[doc(hidden)]
pub struct Emulation<'a> {
    /// The emitted CUDA C.
    pub source: &'a cumbia_kernel_ir::Source,
    /// What a fault record is to call the kernel.
    pub kernel: u32,
    /// Pointers to the parameters, but for the fault parameter.
    pub params: &'a mut [*mut c_void],
    /// Blocks.
    pub grid: Dim3,
    /// Threads of each.
    pub block: Dim3,
    /// Bytes of dynamic shared memory of each.
    pub shared_bytes: usize,
}
