//! The launch sequence: the fast path if an equal launch was validated before; otherwise validation, then the enqueue.

use std::any::TypeId;
use std::ffi::c_void;
use std::sync::Arc;

use super::checked::CheckedLaunch;
use super::fast_path::{CacheHit, CachedCondition};
use super::{Launch, LaunchConfig, fast_path};
use crate::argument::{
    ArgumentFacts, Binder, FastBinder, HistoryBuffer, ParamBuffer, Transfer, run_in_place, run_with_copies,
};
use crate::cpu::{self, Cx, ThreadFault};
use crate::cuda::{self, DriverLaunch, LaunchParameter, Launched, Module};
use crate::device::{Backend, Device};
use crate::error::{Error, LaunchError, Result};
use crate::fault;
use crate::hazards::{self, StreamRef, Tracked};
use crate::inspect::Kernel;
use crate::kernel::ErasedKernel;
use crate::memory::{Use, allocate_on_gpu};
use crate::stream::Stream;
use crate::sync::assert_unlocked;

impl<K: Kernel, C> Launch<'_, K, C> {
    // Inlined into `launch`, it would be preceded by a copy of the launch, which takes longer than a call.
    #[inline(never)]
    pub(super) fn run(self) -> Result<()> {
        let mut buffer = ParamBuffer::uninit();
        let mut histories = HistoryBuffer::uninit();
        let mut arguments = FastBinder::new(&mut buffer, &mut histories);
        K::visit(&self.args, &mut arguments);
        // SAFETY: the parameters are those of the kernel, as visited by `K::visit`. Their arrays are borrowed by the
        // launch; freeing them is ordered after it.
        let hit =
            unsafe { fast_path::launch(TypeId::of::<K>(), self.device, self.stream, &self.config, &mut arguments) };
        let result = match hit {
            Some(CacheHit::Launched(Launched { result: Ok(()), unrecorded_on: None })) => Ok(()),
            // SAFETY: these are the parameters.
            Some(hit) => match unsafe { self.erased().complete(hit, &mut arguments) } {
                Some(result) => result,
                None => return self.erased().run_slow_path(),
            },
            None => return self.erased().run_slow_path(),
        };
        // On the fast path every argument is a borrow without a destructor to run (no host copy, no foreign memory, no deferred
        // error), so dropping each argument would do nothing.
        std::mem::forget(self);
        result
    }

    /// Returns the launch without the type of its kernel.
    #[inline]
    pub(crate) fn erased(&self) -> &dyn ErasedLaunch {
        self
    }
}

/// A launch without the type of its kernel. All code but the fast path takes a `&dyn ErasedLaunch`, so that it is compiled once
/// for all kernels.
pub(crate) trait ErasedLaunch {
    /// Returns the kernel.
    fn kernel(&self) -> ErasedKernel;

    /// Returns the requested configuration.
    fn config(&self) -> &LaunchConfig;

    /// Returns the device set by [`Launch::on_device`], if any.
    fn device(&self) -> Option<&Device>;

    /// Returns the stream set by [`Launch::on`], if any.
    fn stream(&self) -> Option<&Stream>;

    /// Visits the arguments, in the order of the kernel's parameters.
    fn bind<'b>(&'b self, binder: &mut Binder<'b>);

    /// Runs the grid on the CPU to completion. Returns the fault of a thread, if any.
    fn run_grid(&self, config: cpu::GridConfig) -> Option<ThreadFault>;
}

impl<K: Kernel, C> ErasedLaunch for Launch<'_, K, C> {
    fn kernel(&self) -> ErasedKernel {
        ErasedKernel::of::<K>()
    }

    fn config(&self) -> &LaunchConfig {
        &self.config
    }

    fn device(&self) -> Option<&Device> {
        self.device
    }

    fn stream(&self) -> Option<&Stream> {
        self.stream
    }

    fn bind<'b>(&'b self, binder: &mut Binder<'b>) {
        K::visit(&self.args, binder);
    }

    fn run_grid(&self, config: cpu::GridConfig) -> Option<ThreadFault> {
        let views = SharedViews::<K>(K::views(&self.args));
        cpu::run(K::INFO.name, config, &move |cx: Cx<'_>| K::run(cx, views.get()))
    }
}

impl dyn ErasedLaunch + '_ {
    /// Completes a cache hit. Returns `None` if the launch has to be validated after all.
    ///
    /// # Safety
    ///
    /// The arguments are those of this launch, for which the cache was queried.
    #[cold]
    unsafe fn complete(&self, hit: CacheHit<'_>, arguments: &mut FastBinder<'_, '_>) -> Option<Result<()>> {
        match hit {
            CacheHit::Launched(launched) => Some(self.after_enqueue(launched)),
            CacheHit::Shared => {
                let on = self.stream().and_then(Stream::on_gpu);
                let driver_launch = fast_path::cached(self.kernel().id)?;
                let mut last = driver_launch.parameter(on);
                let params = arguments.with_last(LaunchParameter::pointer_to(&mut last));
                // SAFETY: the caller's promise; the cached launch was validated with the same extents.
                Some(unsafe { self.enqueue_shared(&driver_launch, on, params) })
            }
        }
    }

    /// Enqueues a validated launch after everything that it depends on, and records its accesses.
    ///
    /// # Safety
    ///
    /// As for [`DriverLaunch::enqueue`], with the parameters of this launch.
    #[cold]
    pub(super) unsafe fn enqueue_shared(
        &self,
        driver_launch: &DriverLaunch,
        on: Option<&Arc<cuda::Stream>>,
        params: *mut *mut c_void,
    ) -> Result<()> {
        let Binder { uses, .. } = self.bound();
        // SAFETY: upheld by the caller.
        hazards::ordered(driver_launch.stream(on), &uses, || Ok(unsafe { driver_launch.enqueue(on, params) }?))
    }

    /// Completes a launch on the fast path. If another stream was created or accessed an array since the launch was checked
    /// for that, the uses of memory are recorded for cross-stream dependency tracking.
    pub(super) fn after_enqueue(&self, Launched { result, unrecorded_on }: Launched<'_>) -> Result<()> {
        if let Some(stream) = unrecorded_on {
            self.record_uses(stream)?;
        }
        Ok(result?)
    }

    /// Returns the bound arguments.
    fn bound(&self) -> Binder<'_> {
        let mut binder = Binder::new(self.kernel().name);
        self.bind(&mut binder);
        binder
    }

    #[cold]
    fn record_uses(&self, stream: &Arc<cuda::Stream>) -> Result<()> {
        hazards::record(stream, &self.bound().uses)
    }

    /// Slow path: validates the launch, and enqueues it.
    pub(super) fn run_slow_path(&self) -> Result<()> {
        let mut binder = Binder::new(self.kernel().name);
        let Some((device, checked)) = self.check(&mut binder, self.stream())? else {
            return Ok(()); // no items
        };
        let condition = CachedCondition::new(&checked, &binder);
        self.enqueue(device, self.stream(), &checked, binder)?;
        if let Some(condition) = condition {
            fast_path::insert(self.kernel().id, device.identity(), self.config(), &checked, condition);
        }
        Ok(())
    }

    /// Enqueues the launch, which was validated before.
    pub(super) fn run_checked(&self, checked: &CheckedLaunch) -> Result<()> {
        let mut binder = Binder::new(self.kernel().name);
        let (device, _) = self.target(&mut binder, self.stream())?;
        self.enqueue(device, self.stream(), checked, binder)
    }

    /// Validates the launch. Returns `None` if it covers no items.
    pub(crate) fn check<'b>(
        &'b self,
        binder: &mut Binder<'b>,
        stream: Option<&'b Stream>,
    ) -> Result<Option<(&'b Device, CheckedLaunch)>> {
        let (device, arguments) = self.target(binder, stream)?;
        Ok(CheckedLaunch::new(self.kernel(), self.config(), device, arguments)?.map(|checked| (device, checked)))
    }

    /// Binds the arguments, and returns the device of the launch and the facts about the arguments that validation needs.
    pub(super) fn target<'b, 'p>(
        &'b self,
        binder: &'p mut Binder<'b>,
        stream: Option<&'b Stream>,
    ) -> Result<(&'b Device, ArgumentFacts<'p>)> {
        self.bind(binder);
        Ok((self.resolve_device(binder.finish()?, stream)?, binder.arguments()))
    }

    /// Returns the device of the arrays, or else the device of [`Launch::on_device`] or of the stream.
    fn resolve_device<'d>(&'d self, of_arrays: Option<&'d Device>, stream: Option<&'d Stream>) -> Result<&'d Device> {
        let (kernel, on_stream) = (self.kernel().name, stream.map(Stream::device));
        let device = of_arrays.or(self.device()).or(on_stream).ok_or(LaunchError::NoDevice { kernel })?;
        match on_stream.filter(|on_stream| *on_stream != device) {
            Some(stream) => Err(Error::StreamElsewhere { stream: stream.into(), device: device.into() }),
            None => Ok(device),
        }
    }

    /// Enqueues a validated launch with the bound arguments. On the CPU device, the kernel has run when this returns.
    pub(crate) fn enqueue(
        &self,
        device: &Device,
        stream: Option<&Stream>,
        checked: &CheckedLaunch,
        binder: Binder<'_>,
    ) -> Result<()> {
        checked.trace(device);
        match (device.backend(), checked.module) {
            (Backend::Cuda(context), Some(module)) => {
                checked.report_idle_multiprocessors(device, context.limits().multiprocessors);
                let stream = match stream.map(Stream::stream_ref) {
                    Some(StreamRef::Cuda(stream)) => stream,
                    _ => context.default_stream(),
                };
                enqueue_on_gpu((device, stream), module, checked, binder)
            }
            // A launch on the CPU device has no module.
            (Backend::Cpu(streams), _) => {
                let stream = match stream.map(Stream::stream_ref) {
                    Some(StreamRef::Cpu(stream)) => stream,
                    _ => streams.default_stream(),
                };
                let result = self.run_on_cpu(stream, checked, &binder.transfers);
                if streams.is_multi_stream() {
                    for Use { memory, bytes, writes } in binder.uses {
                        memory.accesses().record_on_cpu(streams.stream_epoch(), stream, bytes, writes);
                    }
                }
                result
            }
            (Backend::Cuda(_), None) => unreachable!("a launch validated for a GPU has a module"),
        }
    }

    /// Runs the grid to completion. A fault stays pending until the next synchronising call, as on a GPU.
    fn run_on_cpu(
        &self,
        stream: &crate::cpu_stream::Stream,
        checked: &CheckedLaunch,
        transfers: &[Transfer<'_>],
    ) -> Result<()> {
        let config = checked.config.on_cpu(&checked.specialised.facts);
        let run = || {
            // The kernel is user code, which may take any lock.
            assert_unlocked();
            if let Some(stopped) = self.run_grid(config) {
                stream.note_fault(fault::of_cpu(&checked.specialised.info, stopped));
            }
        };
        run_in_place(transfers, run, || stream.take_fault())
    }
}

/// The views of the arguments, shared by all threads of a grid.
struct SharedViews<'k, K: Kernel>(K::Views<'k>);

impl<'k, K: Kernel> SharedViews<'k, K> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]
    fn get(&self) -> K::Views<'k> {
        self.0
    }
}

impl<K: Kernel> Clone for SharedViews<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Kernel> Copy for SharedViews<'_, K> {}

// SAFETY: by the contract of `Kernel` the components are values, which may be shared, and views of arguments. Those point into
// arrays borrowed by the launch, whose elements all threads access atomically; none points to a variable of a thread.
unsafe impl<K: Kernel> Sync for SharedViews<'_, K> {}

/// Enqueues a launch on a GPU.
fn enqueue_on_gpu(
    (device, stream): (&Device, &Arc<cuda::Stream>),
    module: &Module,
    checked: &CheckedLaunch,
    Binder { mut params, uses, transfers, foreign, .. }: Binder<'_>,
) -> Result<()> {
    let &CheckedLaunch { specialised, layout, .. } = checked;
    let prints = specialised.interface(layout).prints;
    let geometry = checked.geometry();
    let result = run_with_copies((device, stream), &transfers, &mut params, |params| {
        let mut launch = |print: u64, grid_barrier: u64| {
            let mut parameter = checked.parameter(stream, print, grid_barrier);
            params.extend(LaunchParameter::pointer_to(&mut parameter));
            // SAFETY: the parameters are those of the emitted kernel, in order: `K::visit` visits the parameters of the IR, and
            // the launch parameter is last if the source has one. The arrays are on this device and borrowed by the launch;
            // freeing them is ordered after it. `ResolvedConfig::check` has compared the extents with the device's limits.
            unsafe { module.launch(stream, &geometry, params) }
        };
        hazards::ordered(stream, &uses, || {
            with_grid_barrier(stream, specialised.facts.syncs_grid, |grid_barrier| {
                if prints {
                    stream.launch_printing(|print| launch(print, grid_barrier))
                } else {
                    launch(0, grid_barrier)
                }
            })
        })
    });
    // Also on an error: part of the work may have been enqueued.
    for memory in foreign {
        memory.after_launch();
    }
    result
}

/// Calls `launch` with the device address of the grid barrier's counter, zero when the kernel starts, or with 0 if the kernel
/// has no grid-wide barrier.
fn with_grid_barrier(
    stream: &cuda::Stream,
    syncs_grid: bool,
    launch: impl FnOnce(u64) -> Result<(), cuda::CudaError>,
) -> Result<()> {
    if !syncs_grid {
        return Ok(launch(0)?);
    }
    // Each launch has its own counter, since other launches may be enqueued before this one completes. The allocation is
    // stream-ordered.
    let address = allocate_on_gpu(stream, size_of::<u64>())?;
    // SAFETY: the memory was allocated above with this size.
    let launched = unsafe { stream.clear(address, size_of::<u64>()) }.and_then(|()| launch(address));
    // SAFETY: the free is stream-ordered after the launch, and nothing else holds the address.
    unsafe { stream.free(address) };
    Ok(launched?)
}
