//! Copies in and out of memory, and fills, each in the order of a stream.

use std::ops::Range;
use std::sync::Arc;

use super::{Memory, Use};
use crate::cpu;
use crate::cuda::{self, Refusal};
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::order::{self, Lane, Tenant};
use crate::stream::Stream;
use crate::warning::event;

impl Memory {
    /// Copies bytes to the host, once all that was asked of them before is done, and waits for it.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] where a kernel faulted on a stream that wrote them (the bytes are copied all the same), or what the
    /// driver refused.
    ///
    /// # Safety
    ///
    /// The range is inside, and `to` is valid for writing as many bytes.
    pub(crate) unsafe fn read(&self, on: Option<&Stream>, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        let writers = self.uses.writers(&bytes);
        let own;
        let lane = if let Some(stream) = on {
            self.lane_of(stream)?
        } else {
            // There the copy need not wait for another stream, and what went wrong is to be found.
            let is_own = |tenant: &&Tenant| tenant.is_current() && self.is_of_device(tenant.lane());
            own = writers.iter().find(is_own).map_or_else(|| self.home_lane(), |tenant| tenant.lane().clone());
            &own
        };
        // SAFETY: the caller's promise; where this waits, that is below.
        unsafe { self.copy_out(lane, bytes, to) }?;
        if let Lane::Cuda(stream) = lane {
            stream.wait_and_print()?;
        }
        // All those that wrote are over. Where nobody noted that, there is one stream, or nothing was written since.
        match on {
            Some(_) => lane.give_out_fault()?,
            None if writers.is_empty() => self.home.give_out_fault()?,
            None => {}
        }
        writers.iter().try_for_each(Tenant::give_out_fault)
    }

    /// Copies bytes from the host, once all that was asked of them before is done, and waits for it.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    ///
    /// # Safety
    ///
    /// The range is inside, and `from` is valid for reading as many bytes. Nobody else uses these bytes meanwhile.
    pub(crate) unsafe fn write(&self, on: Option<&Stream>, bytes: Range<usize>, from: *const u8) -> Result<()> {
        let last;
        let lane = if let Some(stream) = on {
            self.lane_of(stream)?
        } else {
            last = self.own_lane();
            &last
        };
        // SAFETY: the caller's promise; this waits before it returns.
        unsafe { self.copy_in(lane, bytes, from) }?;
        match lane {
            Lane::Cpu(_) => Ok(()),
            // The manual's "API synchronization behavior" says only that a copy from pageable memory *might* be synchronous,
            // and the caller's memory may be page-locked.
            Lane::Cuda(stream) => Ok(stream.wait()?),
        }
    }

    /// As [`Memory::read`], but does not wait on a GPU: what is asked of the stream later happens behind the copy. Faults are
    /// given out by whoever waits.
    ///
    /// # Safety
    ///
    /// As for [`Memory::read`], where `to` is page-locked memory that stays, and that nobody else uses, until the copy is
    /// over.
    pub(crate) unsafe fn start_read(&self, on: &Stream, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.copy_out(self.lane_of(on)?, bytes, to) }
    }

    /// As [`Memory::write`], but does not wait on a GPU.
    ///
    /// # Safety
    ///
    /// As for [`Memory::write`], where `from` is page-locked memory that stays, and that nobody changes, until the copy is
    /// over.
    pub(crate) unsafe fn start_write(&self, on: &Stream, bytes: Range<usize>, from: *const u8) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.copy_in(self.lane_of(on)?, bytes, from) }
    }

    /// Repeats the bytes of `element` over a range, on the device. Does not wait on a GPU.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    ///
    /// # Safety
    ///
    /// The range is inside, and as long as some number of elements. Nobody else uses these bytes meanwhile.
    pub(crate) unsafe fn fill(&self, on: &Stream, bytes: Range<usize>, element: &[u8]) -> Result<()> {
        trace("fill", &self.device, bytes.len());
        let len = bytes.len();
        self.in_order(
            self.lane_of(on)?,
            (bytes, true),
            |start| {
                if !element.is_empty() {
                    for at in (0..len).step_by(element.len()) {
                        // SAFETY: the caller's promise.
                        unsafe { start.add(at).copy_from_nonoverlapping(element.as_ptr(), element.len()) };
                    }
                }
            },
            // SAFETY: the caller's promise.
            |stream, start| unsafe { stream.fill(start, len, element) },
        )
    }

    /// Copies bytes to other memory, from its byte `at` on; that may be on another device. Between GPUs it does not wait, and
    /// `on` may be a stream of either.
    ///
    /// # Errors
    ///
    /// What the driver refused. Where it waits, [`Error::Fault`] as from [`Memory::read`].
    ///
    /// # Safety
    ///
    /// Both ranges are inside, and do not overlap. Nobody else writes the first, or uses the second, meanwhile.
    pub(crate) unsafe fn copy_to(&self, on: &Stream, bytes: Range<usize>, to: &Memory, at: usize) -> Result<()> {
        let target = at..at + bytes.len();
        if on.device() != &self.device && on.device() != &to.device {
            return Err(elsewhere(on, &to.device));
        }
        match (self.device.backend(), to.device.backend(), on.lane()) {
            (Backend::Cpu(_), Backend::Cpu(_), _) => {
                trace("copy", &to.device, bytes.len());
                // SAFETY: the caller's promise.
                unsafe {
                    let (from, to) = (self.pointer.add(bytes.start), to.pointer.add(at));
                    to.copy_from_nonoverlapping(from, bytes.len());
                }
                if let Lane::Cpu(stream) = on.lane() {
                    self.note_on_cpu(stream, bytes, false);
                    to.note_on_cpu(stream, target, true);
                }
                Ok(())
            }
            // SAFETY: the caller's promise.
            (Backend::Cpu(_), Backend::Cuda(_), _) => unsafe {
                let on = (on.device() == &to.device).then_some(on);
                to.write(on, target, self.pointer.add(bytes.start))
            },
            // SAFETY: the caller's promise.
            (Backend::Cuda(_), Backend::Cpu(_), _) => unsafe {
                let on = (on.device() == &self.device).then_some(on);
                self.read(on, bytes, to.pointer.add(at))
            },
            (Backend::Cuda(source), Backend::Cuda(destination), Lane::Cuda(stream)) => {
                trace("copy", &to.device, bytes.len());
                if self.device != to.device {
                    // The stream uses memory of both, so that both have to note it: see `order.rs`.
                    let (own, other) =
                        if on.device() == &self.device { (source, destination) } else { (destination, source) };
                    own.expect_company()?;
                    other.let_in(stream)?;
                    cuda::connect(source, destination);
                }
                let uses = [
                    Use { memory: self, bytes: bytes.clone(), writes: false },
                    Use { memory: to, bytes: target.clone(), writes: true },
                ];
                let (from, to) = (self.address(bytes.start), to.address(at));
                // SAFETY: the caller's promise, and the addresses are those of these contexts.
                order::ordered(stream, &uses, || unsafe {
                    Ok(stream.copy(destination.primary(), to, source.primary(), from, bytes.len())?)
                })
            }
            // A stream of one of two GPUs is that of a GPU.
            (Backend::Cuda(_), Backend::Cuda(_), Lane::Cpu(_)) => Err(elsewhere(on, &to.device)),
        }
    }

    /// Copies bytes to the host, in the order of a stream of the device.
    ///
    /// # Safety
    ///
    /// As for [`Memory::start_read`].
    unsafe fn copy_out(&self, lane: &Lane, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        trace("to host", &self.device, bytes.len());
        let len = bytes.len();
        self.in_order(
            lane,
            (bytes, false),
            // SAFETY: the caller's promise; no kernel is writing, since a launch on the CPU borrows the array mutably until it
            // is over.
            |start| unsafe { to.copy_from_nonoverlapping(start, len) },
            // SAFETY: the caller's promise.
            |stream, start| unsafe { stream.copy_to_host(to.cast(), start, len) },
        )
    }

    /// Copies bytes from the host, in the order of a stream of the device.
    ///
    /// # Safety
    ///
    /// As for [`Memory::start_write`].
    unsafe fn copy_in(&self, lane: &Lane, bytes: Range<usize>, from: *const u8) -> Result<()> {
        trace("to device", &self.device, bytes.len());
        let len = bytes.len();
        self.in_order(
            lane,
            (bytes, true),
            // SAFETY: the caller's promise.
            |start| unsafe { start.copy_from_nonoverlapping(from, len) },
            // SAFETY: the caller's promise.
            |stream, start| unsafe { stream.copy_from_host(start, from.cast(), len) },
        )
    }

    /// Does something with bytes, and perhaps writes them, in the order of a stream of the device: at once on the CPU, and on
    /// a GPU behind all that it must not overtake. What does it gets the address of the first of them.
    fn in_order(
        &self,
        lane: &Lane,
        (bytes, writes): (Range<usize>, bool),
        on_cpu: impl FnOnce(*mut u8),
        on_cuda: impl FnOnce(&cuda::Stream, u64) -> Result<(), Refusal>,
    ) -> Result<()> {
        match lane {
            Lane::Cpu(stream) => {
                on_cpu(self.pointer.wrapping_add(bytes.start));
                self.note_on_cpu(stream, bytes, writes);
                Ok(())
            }
            Lane::Cuda(stream) => {
                let start = self.address(bytes.start);
                order::ordered(stream, &[Use { memory: self, bytes, writes }], || Ok(on_cuda(stream, start)?))
            }
        }
    }

    /// Notes who used the memory on the CPU, where there is more than one stream.
    fn note_on_cpu(&self, stream: &Arc<cpu::Stream>, bytes: Range<usize>, writes: bool) {
        if let Backend::Cpu(streams) = self.device.backend()
            && streams.is_multi_stream()
        {
            self.uses.note_on_cpu(stream, bytes, writes);
        }
    }

    /// The stream, if it is one of the memory's device.
    fn lane_of<'s>(&self, stream: &'s Stream) -> Result<&'s Lane> {
        if stream.device() == &self.device { Ok(stream.lane()) } else { Err(elsewhere(stream, &self.device)) }
    }
}

/// A stream of another device than the memory.
fn elsewhere(stream: &Stream, device: &Device) -> Error {
    Error::StreamElsewhere { stream: stream.device().to_string(), device: device.to_string() }
}

/// Tells who listens of a transfer.
fn trace(what: &'static str, device: &Device, bytes: usize) {
    let device = device.clone();
    event!(trace, target: "cumbia::transfer", what, bytes, %device);
}
