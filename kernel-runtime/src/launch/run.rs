//! The launch sequence: the fast path if an equal launch was validated before; otherwise validation, then the enqueue.

use std::any::TypeId;
use std::ffi::c_void;
use std::sync::Arc;

use super::checked::CheckedLaunch;
use super::fast_path::{CacheHit, CachedCondition};
use super::{Launch, fast_path};
use crate::argument::{
    ArgumentFacts, Binder, FastBinder, HistoryBuffer, ParamBuffer, Transfer, run_in_place, run_with_copies,
};
use crate::cpu::{self, Cx};
use crate::cuda::{self, DriverLaunch, LaunchParameter, Launched, Module};
use crate::device::{Backend, Device};
use crate::error::{Error, LaunchError, Result};
use crate::fault;
use crate::hazards::{self, StreamRef, Tracked};
use crate::inspect::Kernel;
use crate::memory::{Use, allocate_on_gpu};
use crate::stream::Stream;
use crate::sync::assert_unlocked;

/// The result of the fast path. It is returned in registers; copying a `Result<()>` would take longer than the rest of it.
enum FastPath {
    Enqueued,
    Failed(Box<Error>),
}

impl FastPath {
    fn of(result: Result<()>) -> FastPath {
        result.map_or_else(|error| FastPath::Failed(Box::new(error)), |()| FastPath::Enqueued)
    }
}

impl<'a, K: Kernel, C> Launch<'a, K, C> {
    // Inlined into `launch`, it would be preceded by a copy of the launch, which takes longer than a call.
    #[inline(never)]
    pub(super) fn run(self) -> Result<()> {
        let result = match self.run_fast_path() {
            Some(FastPath::Enqueued) => Ok(()),
            Some(FastPath::Failed(error)) => Err(*error),
            None => return self.run_slow_path(),
        };
        // On the fast path every argument is a borrow without a destructor to run (no host copy, no foreign memory, no deferred
        // error), so dropping each argument would do nothing.
        std::mem::forget(self);
        result
    }

    /// Enqueues the launch without validation if it equals the kernel's last launch on this thread. Returns `None` otherwise.
    #[inline]
    fn run_fast_path(&self) -> Option<FastPath> {
        let mut buffer = ParamBuffer::uninit();
        let mut histories = HistoryBuffer::uninit();
        let mut arguments = FastBinder::new(&mut buffer, &mut histories);
        K::visit(&self.args, &mut arguments);
        if !arguments.is_applicable() {
            return None;
        }
        let config = self.config.compact()?;
        let (on, on_device) = (self.raw_stream(), self.stream.map(|stream| stream.device().identity()));
        let device = arguments.device().or_else(|| self.device.map(Device::identity)).or(on_device)?;
        if on_device.is_some_and(|on_device| on_device != device) {
            return None;
        }
        // SAFETY: the parameters are those of the kernel, as visited by `K::visit`. Their arrays and the stream are on this device,
        // and borrowed by the launch; freeing them is ordered after it.
        match unsafe { fast_path::launch(TypeId::of::<K>(), device, on, &config, &mut arguments) }? {
            CacheHit::Launched(Launched { result: Ok(()), unrecorded_on: None }) => Some(FastPath::Enqueued),
            CacheHit::Launched(launched) => Some(self.complete(launched)),
            CacheHit::Shared => self.run_shared(on, &mut arguments),
        }
    }

    /// Returns the stream set by [`Launch::on`], if it is one of a GPU.
    #[inline]
    pub(super) fn raw_stream(&self) -> Option<&'a Arc<cuda::Stream>> {
        match self.stream?.stream_ref() {
            StreamRef::Cuda(stream) => Some(stream),
            StreamRef::Cpu(_) => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn complete(&self, launched: Launched<'_>) -> FastPath {
        FastPath::of(self.after_enqueue(launched))
    }

    /// Enqueues a launch on a cache hit, with the waits and records that arrays in use by several streams need.
    #[cold]
    #[inline(never)]
    fn run_shared(&self, on: Option<&Arc<cuda::Stream>>, arguments: &mut FastBinder<'_, '_>) -> Option<FastPath> {
        let ready = fast_path::cached(TypeId::of::<K>())?;
        let mut last = ready.parameter(on);
        let params = arguments.with_last(last.as_mut().map(|last| std::ptr::from_mut(last).cast()));
        // SAFETY: as in `run_fast_path`; the cached launch was validated with the same extents.
        Some(FastPath::of(unsafe { self.enqueue_shared(&ready, on, params) }))
    }

    /// Enqueues a validated launch after everything that it depends on, and records its accesses.
    ///
    /// # Safety
    ///
    /// As for [`DriverLaunch::enqueue`], with the parameters of this launch.
    #[cold]
    #[inline(never)]
    pub(super) unsafe fn enqueue_shared(
        &self,
        ready: &DriverLaunch,
        on: Option<&Arc<cuda::Stream>>,
        params: *mut *mut c_void,
    ) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        K::visit(&self.args, &mut binder);
        // SAFETY: upheld by the caller.
        hazards::ordered(ready.stream(on), &binder.uses, || Ok(unsafe { ready.enqueue(on, params) }?))
    }

    /// Completes a launch on the fast path. If another stream was created or accessed an array since the launch was checked
    /// for that, the uses of memory are recorded for cross-stream dependency tracking.
    #[inline]
    pub(super) fn after_enqueue(&self, Launched { result, unrecorded_on }: Launched<'_>) -> Result<()> {
        if let Some(stream) = unrecorded_on {
            self.record_uses(stream)?;
        }
        Ok(result?)
    }

    #[cold]
    #[inline(never)]
    fn record_uses(&self, stream: &Arc<cuda::Stream>) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        K::visit(&self.args, &mut binder);
        hazards::record(stream, &binder.uses)
    }

    /// Slow path: validates the launch, and enqueues it.
    #[inline(never)]
    fn run_slow_path(&self) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        let Some((device, checked)) = self.check(&mut binder, self.stream)? else {
            return Ok(()); // no items
        };
        let condition = CachedCondition::new(&checked, &binder);
        self.enqueue(device, self.stream, &checked, binder)?;
        if let Some(condition) = condition {
            fast_path::insert::<K>(device.identity(), &self.config, &checked, condition);
        }
        Ok(())
    }

    /// Enqueues the launch, which was validated before.
    pub(super) fn run_checked(&self, checked: &CheckedLaunch) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        let (device, _) = self.target(&mut binder, self.stream)?;
        self.enqueue(device, self.stream, checked, binder)
    }

    /// Validates the launch. Returns `None` if it covers no items.
    pub(crate) fn check<'b>(
        &'b self,
        binder: &mut Binder<'b>,
        stream: Option<&'b Stream>,
    ) -> Result<Option<(&'b Device, CheckedLaunch)>> {
        let (device, arguments) = self.target(binder, stream)?;
        Ok(CheckedLaunch::new::<K>(&self.config, device, arguments)?.map(|checked| (device, checked)))
    }

    /// Binds the arguments, and returns the device of the launch and the facts about the arguments that validation needs.
    pub(super) fn target<'b, 'p>(
        &'b self,
        binder: &'p mut Binder<'b>,
        stream: Option<&'b Stream>,
    ) -> Result<(&'b Device, ArgumentFacts<'p>)> {
        K::visit(&self.args, binder);
        Ok((self.resolve_device(binder.finish()?, stream)?, binder.arguments()))
    }

    /// Returns the stream set by [`Launch::on`], if any.
    pub(crate) fn stream(&self) -> Option<&'a Stream> {
        self.stream
    }

    /// Returns the device of the arrays, or else the device of [`Launch::on_device`] or of the stream.
    fn resolve_device<'d>(&self, of_arrays: Option<&'d Device>, stream: Option<&'d Stream>) -> Result<&'d Device>
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
        let shape = checked.config.on_cpu(&checked.specialised.facts);
        let run = || {
            // The kernel is user code, which may take any lock.
            assert_unlocked();
            let views = SharedViews::<K>(K::views(&self.args));
            if let Some(stopped) = cpu::run(K::INFO.name, shape, &move |cx: Cx<'_>| K::run(cx, views.get())) {
                stream.note_fault(fault::of_cpu(&K::INFO, stopped));
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
            let parameter = checked.parameter(stream);
            let mut parameter = parameter.map(|parameter| LaunchParameter { print, grid_barrier, ..parameter });
            if let Some(parameter) = &mut parameter {
                params.push(std::ptr::from_mut(parameter).cast());
            }
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
