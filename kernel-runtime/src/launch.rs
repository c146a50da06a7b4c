//! Launches: the arguments of a kernel, how to run it, and the run.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::argument::{Binder, Params};
use crate::config::{Config, Shape};
use crate::cpu;
use crate::cuda::{self, RawFault};
use crate::device::{Backend, CpuState, Device};
use crate::dim::Dim3;
use crate::error::{LaunchError, Result};
use crate::fault;
use crate::kernel::Kernel;
use crate::specialise::{self, Specialised};

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
        let Launch { args: _, device, config, checks: _ } = self;
        f.debug_struct("Launch").field("kernel", &K::INFO.name).field("device", device).field("config", config).finish()
    }
}

impl<'a, K: Kernel, C> Launch<'a, K, C> {
    #[doc(hidden)]
    pub fn new(args: K::Args<'a>) -> Self {
        Launch { args, device: None, config: Config::default(), checks: PhantomData }
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

    /// The device to run on, for a kernel without arrays among its arguments; otherwise theirs is used.
    pub fn on_device(mut self, device: &'a Device) -> Self {
        self.device = Some(device);
        self
    }

    /// Checks the launch, and gives it to the device.
    fn run(&self) -> Result<()> {
        let kernel = K::INFO.name;
        let mut binder = Binder::new(kernel);
        K::bind(&self.args, &mut binder);
        let (device, params) = binder.finish()?;
        let device = device.or(self.device).ok_or(LaunchError::NoDevice { kernel })?;
        let Some(shape) = self.config.shape(kernel)? else {
            return Ok(()); // over nothing
        };
        let specialised = specialise::of::<K>()?;
        shape.check(kernel, device, specialised.facts.static_shared_bytes)?;
        match device.backend() {
            Backend::Cpu(state) => self.run_on_cpu(state, specialised, shape),
            Backend::Cuda(context) => run_on_cuda(context, device, specialised, shape, params)?,
        }
        Ok(())
    }

    /// Runs the grid to its end. A fault waits for the next synchronising call, as on a GPU.
    fn run_on_cpu(&self, state: &CpuState, specialised: &Specialised, shape: Shape) {
        let shape = shape.on_cpu(specialised.facts.needs_other_threads);
        let views = K::views(&self.args);
        if let Some(stopped) = cpu::run(shape, move |cx| K::run(cx, views)) {
            state.note_fault(fault::of_cpu(&K::INFO, stopped));
        }
    }

    /// Runs the launch with `emulator` in the place of a GPU; for tests of the emitted CUDA C.
    #[doc(hidden)]
    pub fn emulate(&self, emulator: &mut dyn FnMut(Emulation<'_>) -> Option<RawFault>) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        K::bind(&self.args, &mut binder);
        let (_, mut params) = binder.finish()?;
        let Some(shape) = self.config.shape(K::INFO.name)? else {
            return Ok(());
        };
        let specialised = specialise::of::<K>()?;
        let source = specialised.source();
        let raw = emulator(Emulation {
            source,
            kernel: specialised.number,
            params: &mut params,
            grid: shape.grid,
            block: shape.block,
            shared_bytes: shape.shared_bytes,
        });
        raw.map_or(Ok(()), |raw| Err(fault::resolve(raw)))
    }
}

impl<K: Kernel> Launch<'_, K, Checked> {
    /// Runs the kernel.
    ///
    /// On a GPU the launch returns at once; the next call that waits for the device ([`Device::synchronize`],
    /// [`DeviceArray::to_host`](crate::DeviceArray::to_host)) gives out the fault of a thread that stopped. The CPU
    /// device gives it out in the same place.
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

/// The parameter that a kernel with faults takes last, as `rt::Launch` of the emitted CUDA C.
#[repr(C)]
struct FaultParameter {
    record: u64,
    kernel: u32,
}

/// Gives the launch to a GPU.
fn run_on_cuda(
    context: &Arc<cuda::Context>,
    device: &Device,
    specialised: &Specialised,
    shape: Shape,
    mut params: Params,
) -> Result<()> {
    let Shape { grid, block, shared_bytes } = shape;
    let kernel = specialised.info.name;
    let module = specialised.module(context)?;
    let limit = u64::from(module.max_threads_per_block());
    if block.count() > limit {
        let (threads, device) = (block.count(), device.to_string());
        let reason = "this kernel's registers leave room for no more";
        return Err(LaunchError::BlockTooLarge { kernel, requested: block, threads, limit, reason, device }.into());
    }
    let mut fault = FaultParameter { record: context.fault_pointer(), kernel: specialised.number };
    if specialised.source().can_fault {
        params.push((&raw mut fault).cast());
    }
    let extents = |dim: Dim3| [dim.x as u32, dim.y as u32, dim.z as u32];
    // SAFETY: the parameters are those of the emitted kernel, in order: `K::bind` visits the same arguments that the IR
    // has, and the fault parameter comes last where the source has one. The arrays are on this device and borrowed by
    // the launch; freeing them is ordered after it. `Shape::check` has compared the extents with the device's limits.
    unsafe { module.launch(extents(grid), extents(block), shared_bytes as u32, &mut params) }
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
