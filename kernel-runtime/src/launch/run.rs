//! The run of a launch: as the one before, where it is alike; else checked, and given to its device.

use std::any::TypeId;
use std::sync::Arc;

use cumbia_kernel_ir::Source;

use super::plan::Plan;
use super::{Launch, recent};
use crate::argument::{Arguments, Binder, Plain, Room, Transfer, on_gpu, on_host};
use crate::cpu::{self, Cx};
use crate::cuda::{self, LaunchParameter, Launched, Module};
use crate::device::{Backend, Device};
use crate::error::{Error, LaunchError, Result};
use crate::fault;
use crate::hazards::{self, StreamRef};
use crate::kernel::Kernel;
use crate::memory::Use;
use crate::stream::Stream;
use crate::sync::assert_unlocked;

impl<'a, K: Kernel, C> Launch<'a, K, C> {
    #[inline]
    pub(super) fn run(self) -> Result<()> {
        match self.run_as_before() {
            Some(result) => {
                // It has only borrows, since nothing is copied, lent or refused: there is nothing to look for in each argument.
                std::mem::forget(self);
                result
            }
            None => self.run_checked(),
        }
    }

    /// Runs the launch without checks, if they would be those of the kernel's last launch on this thread.
    #[inline]
    fn run_as_before(&self) -> Option<Result<()>> {
        if self.stream.is_some() {
            return None;
        }
        let mut room = Room::uninit();
        let mut plain = Plain::new(&mut room);
        K::visit(&self.args, &mut plain);
        if !plain.is_plain() {
            return None;
        }
        let asked = self.config.asked()?;
        let device = plain.on().or_else(|| self.device.map(Device::identity))?;
        // SAFETY: the parameters are those of the kernel, which `K::visit` has shown. Their arrays are on this device, and
        // borrowed by the launch; freeing them is ordered after it.
        let launched = unsafe { recent::launch(TypeId::of::<K>(), device, &asked, &mut plain) }?;
        Some(self.behind(launched))
    }

    /// Notes what was used by a launch that began as the only stream's, should there be another by now: see `order.rs`.
    #[inline]
    pub(super) fn behind(&self, Launched { result, company }: Launched) -> Result<()> {
        if let Some(stream) = company {
            self.note(stream)?;
        }
        Ok(result?)
    }

    #[cold]
    fn note(&self, stream: &Arc<cuda::Stream>) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        K::visit(&self.args, &mut binder);
        hazards::record(stream, &binder.uses)
    }

    /// Checks the launch, and gives it to the device.
    #[inline(never)]
    fn run_checked(&self) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        let Some((device, plan)) = self.planned(&mut binder, self.stream)? else {
            return Ok(()); // over nothing
        };
        self.give(device, self.stream, &plan, binder)?;
        if self.stream.is_none() {
            recent::note::<K>(device.identity(), &self.config, &plan);
        }
        Ok(())
    }

    /// Gives the launch to the device, by a plan that was made of it.
    pub(super) fn run_plan(&self, plan: &Plan) -> Result<()> {
        let mut binder = Binder::new(K::INFO.name);
        let (device, _) = self.target(&mut binder, self.stream)?;
        self.give(device, self.stream, plan, binder)
    }

    /// Checks the launch; `None` where it is over nothing.
    pub(crate) fn planned<'b>(
        &'b self,
        binder: &mut Binder<'b>,
        stream: Option<&'b Stream>,
    ) -> Result<Option<(&'b Device, Plan)>> {
        let (device, arguments) = self.target(binder, stream)?;
        Ok(Plan::new::<K>(&self.config, device, arguments)?.map(|plan| (device, plan)))
    }

    /// Shows the arguments, and says which device they are for and what a plan has to know of them.
    pub(super) fn target<'b>(
        &'b self,
        binder: &mut Binder<'b>,
        stream: Option<&'b Stream>,
    ) -> Result<(&'b Device, Arguments)> {
        K::visit(&self.args, binder);
        Ok((self.device_or(binder.finish()?, stream)?, binder.arguments()))
    }

    /// The stream that was named.
    pub(crate) fn stream(&self) -> Option<&'a Stream> {
        self.stream
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

    /// Gives the launch to the device, by a plan that was made of it, with the arguments that the binder has seen.
    pub(crate) fn give(&self, device: &Device, stream: Option<&Stream>, plan: &Plan, binder: Binder<'_>) -> Result<()> {
        plan.trace(device);
        match (device.backend(), plan.module) {
            (Backend::Cuda(context), Some(module)) => {
                let stream = match stream.map(Stream::stream_ref) {
                    Some(StreamRef::Cuda(stream)) => stream,
                    _ => context.default_stream(),
                };
                give_to_gpu((device, stream), module, plan, binder)
            }
            // A plan for the CPU has no module.
            (Backend::Cpu(streams), _) => {
                let stream = match stream.map(Stream::stream_ref) {
                    Some(StreamRef::Cpu(stream)) => stream,
                    _ => streams.default_stream(),
                };
                let result = self.run_on_cpu(stream, plan, &binder.transfers);
                if streams.is_multi_stream() {
                    for Use { memory, bytes, writes } in binder.uses {
                        memory.accesses().record_on_cpu(stream, bytes, writes);
                    }
                }
                result
            }
            (Backend::Cuda(_), None) => unreachable!("a plan is made for the device of the arguments"),
        }
    }

    /// Runs the grid to its end. A fault waits for the next synchronising call, as on a GPU.
    fn run_on_cpu(&self, stream: &cpu::Stream, plan: &Plan, transfers: &[Transfer<'_>]) -> Result<()> {
        let shape = plan.shape.on_cpu(&plan.specialised.facts);
        let run = || {
            // The kernel is foreign code.
            assert_unlocked();
            let views = OfAllThreads::<K>(K::views(&self.args));
            if let Some(stopped) = cpu::run(K::INFO.name, shape, &move |cx: Cx<'_>| K::run(cx, views.get())) {
                stream.note_fault(fault::of_cpu(&K::INFO, stopped));
            }
        };
        on_host(transfers, run, || stream.take_fault())
    }
}

/// The arguments as all threads of a grid use them.
struct OfAllThreads<'k, K: Kernel>(K::Views<'k>);

impl<'k, K: Kernel> OfAllThreads<'k, K> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]
    fn get(&self) -> K::Views<'k> {
        self.0
    }
}

impl<K: Kernel> Clone for OfAllThreads<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Kernel> Copy for OfAllThreads<'_, K> {}

// SAFETY: by the promise of `Kernel` the parts are values, which may be shared, and views of arguments. Those lead to
// arrays that are lent to the launch, whose elements all threads access atomically; none leads to a variable of a thread.
unsafe impl<K: Kernel> Sync for OfAllThreads<'_, K> {}

/// Gives a launch to a GPU.
fn give_to_gpu(
    (device, stream): (&Device, &Arc<cuda::Stream>),
    module: &Module,
    plan: &Plan,
    Binder { mut params, uses, transfers, lent, .. }: Binder<'_>,
) -> Result<()> {
    let &Plan { specialised, layout, shape: _, module: _ } = plan;
    let &Source { prints, takes_launch, .. } = specialised.source(layout);
    let geometry = plan.geometry();
    let result = on_gpu((device, stream), &transfers, &mut params, |params| {
        let mut launch = |print: u64, grid_barrier: u64| {
            let parameter = LaunchParameter::new(stream.fault_pointer(), specialised.number);
            let mut parameter = LaunchParameter { print, grid_barrier, ..parameter };
            if takes_launch {
                params.push((&raw mut parameter).cast());
            }
            // SAFETY: the parameters are those of the emitted kernel, in order: `K::visit` shows the same arguments that the
            // IR has, and the launch parameter comes last where the source has one. The arrays are on this device and
            // borrowed by the launch; freeing them is ordered after it. `Shape::check` has compared the extents with the
            // device's limits.
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
    // Also where it failed: part of it may have been asked for.
    for lent in lent {
        lent.over();
    }
    result
}

/// Launches with the address of a count that is zero when the kernel begins, if it has a barrier for the grid.
fn with_grid_barrier(
    stream: &cuda::Stream,
    syncs_grid: bool,
    launch: impl FnOnce(u64) -> Result<(), cuda::CudaError>,
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
