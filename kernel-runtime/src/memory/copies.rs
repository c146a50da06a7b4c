//! Copies and fills of device memory, each in the order of a stream.

use std::ops::Range;
use std::sync::Arc;

use super::{Memory, Use};
use crate::cuda::{self, CudaError};
use crate::device::{Backend, Device};
use crate::error::{Error, Result};
use crate::hazards::{self, PooledStream, StreamRef};
use crate::print;
use crate::stream::Stream;
use cumbia_kernel_sync::event;

impl Memory {
    /// Copies bytes to the host after all operations that they depend on, and waits for completion.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] if a kernel faulted on a stream that wrote the bytes (they are copied nevertheless), or a CUDA
    /// driver error.
    ///
    /// # Safety
    ///
    /// The range is in bounds, and `to` is valid for writes of as many bytes.
    pub(crate) unsafe fn read(&self, on: Option<&Stream>, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        let writers = self.accesses.writers(self.stream_epoch(), &bytes);
        let own;
        let stream = if let Some(stream) = on {
            self.stream_on_device(stream)?
        } else {
            // On a writer's stream the copy does not wait for another stream, and pending faults are found.
            own = writers
                .iter()
                .find_map(|pooled| self.handle_to(pooled))
                .unwrap_or_else(|| self.device.default_stream());
            own.stream_ref()
        };
        // SAFETY: upheld by the caller; this waits for completion below.
        unsafe { self.copy_out(stream, bytes, to) }?;
        if let StreamRef::Cuda(stream) = stream {
            print::wait_and_print(stream)?;
            // The output of the other writers, which have completed, unless they have handles, and with them later work.
            writers.iter().for_each(PooledStream::flush_prints_of_released);
        }
        match on {
            Some(_) => stream.take_fault()?,
            // Only the default stream can have written the bytes: see `hazards/mod.rs`.
            None if writers.is_empty() => self.device.default_stream().stream_ref().take_fault()?,
            None => {}
        }
        writers.iter().try_for_each(PooledStream::take_fault)?;
        self.device.after_wait();
        Ok(())
    }

    /// Copies bytes from the host after all operations that they depend on, and waits for completion.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    ///
    /// # Safety
    ///
    /// The range is in bounds, and `from` is valid for reads of as many bytes. Nothing else accesses these bytes
    /// meanwhile.
    pub(crate) unsafe fn write(&self, on: Option<&Stream>, bytes: Range<usize>, from: *const u8) -> Result<()> {
        let last;
        let stream = if let Some(stream) = on {
            self.stream_on_device(stream)?
        } else {
            last = self.current_stream();
            last.stream_ref()
        };
        // SAFETY: upheld by the caller; this waits for completion before it returns.
        unsafe { self.copy_in(stream, bytes, from) }?;
        match stream {
            StreamRef::Cpu(_) => Ok(()),
            // The CUDA Driver API's "API synchronization behavior" only says that a copy from pageable memory *might*
            // be synchronous, and the caller's memory may be page-locked.
            StreamRef::Cuda(stream) => Ok(stream.wait()?),
        }
    }

    /// Like [`Memory::read`], but asynchronous on a GPU: the copy is enqueued, and later work on the stream is ordered
    /// after it. Faults are reported by the next synchronising call.
    ///
    /// # Safety
    ///
    /// As for [`Memory::read`]; in addition, `to` is page-locked memory that stays allocated and unused until the copy
    /// has completed.
    pub(crate) unsafe fn start_read(&self, on: &Stream, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        // SAFETY: upheld by the caller.
        unsafe { self.copy_out(self.stream_on_device(on)?, bytes, to) }
    }

    /// Like [`Memory::write`], but asynchronous on a GPU.
    ///
    /// # Safety
    ///
    /// As for [`Memory::write`]; in addition, `from` is page-locked memory that stays allocated and unchanged until the
    /// copy has completed.
    pub(crate) unsafe fn start_write(&self, on: &Stream, bytes: Range<usize>, from: *const u8) -> Result<()> {
        // SAFETY: upheld by the caller.
        unsafe { self.copy_in(self.stream_on_device(on)?, bytes, from) }
    }

    /// Fills a range with repetitions of `element`, on the device. Asynchronous on a GPU.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    ///
    /// # Safety
    ///
    /// The range is in bounds, and its length is a multiple of the element's. Nothing else accesses these bytes
    /// meanwhile.
    pub(crate) unsafe fn fill(&self, on: &Stream, bytes: Range<usize>, element: &[u8]) -> Result<()> {
        trace("fill", &self.device, bytes.len());
        let len = bytes.len();
        self.ordered(
            self.stream_on_device(on)?,
            (bytes, true),
            |start| {
                if !element.is_empty() {
                    for at in (0..len).step_by(element.len()) {
                        // SAFETY: upheld by the caller.
                        unsafe { start.add(at).copy_from_nonoverlapping(element.as_ptr(), element.len()) };
                    }
                }
            },
            // SAFETY: upheld by the caller.
            |stream, start| unsafe { stream.fill(start, len, element) },
        )
    }

    /// Copies bytes to offset `at` of another allocation, which may be on another device. Asynchronous between GPUs,
    /// where `on` may be a stream of either.
    ///
    /// # Errors
    ///
    /// A CUDA driver error. Where the copy is synchronous, [`Error::Fault`] as for [`Memory::read`].
    ///
    /// # Safety
    ///
    /// Both ranges are in bounds and do not overlap. Nothing else writes the first or accesses the second meanwhile.
    pub(crate) unsafe fn copy_to(&self, on: &Stream, bytes: Range<usize>, to: &Memory, at: usize) -> Result<()> {
        let target = at..at + bytes.len();
        if on.device() != &self.device && on.device() != &to.device {
            return Err(elsewhere(on, &to.device));
        }
        match (self.device.backend(), to.device.backend(), on.stream_ref()) {
            (Backend::Cpu(_), Backend::Cpu(_), _) => {
                trace("copy", &to.device, bytes.len());
                // SAFETY: upheld by the caller.
                unsafe {
                    let (from, to) = (self.pointer.add(bytes.start), to.pointer.add(at));
                    to.copy_from_nonoverlapping(from, bytes.len());
                }
                if let StreamRef::Cpu(stream) = on.stream_ref() {
                    self.record_on_cpu(stream, bytes, false);
                    to.record_on_cpu(stream, target, true);
                }
                Ok(())
            }
            // SAFETY: upheld by the caller.
            (Backend::Cpu(_), Backend::Cuda(_), _) => unsafe {
                let on = (on.device() == &to.device).then_some(on);
                to.write(on, target, self.pointer.add(bytes.start))
            },
            // SAFETY: upheld by the caller.
            (Backend::Cuda(_), Backend::Cpu(_), _) => unsafe {
                let on = (on.device() == &self.device).then_some(on);
                self.read(on, bytes, to.pointer.add(at))
            },
            (Backend::Cuda(source), Backend::Cuda(destination), StreamRef::Cuda(stream)) => {
                trace("copy", &to.device, bytes.len());
                if self.device != to.device {
                    // The stream accesses memory of both devices, so both have to record accesses: see `hazards/mod.rs`.
                    let (own, other) =
                        if on.device() == &self.device { (source, destination) } else { (destination, source) };
                    own.enable_hazard_tracking()?;
                    other.admit(stream)?;
                    cuda::enable_peer_access(source, destination);
                }
                let uses = [
                    Use { memory: self, bytes: bytes.clone(), writes: false },
                    Use { memory: to, bytes: target.clone(), writes: true },
                ];
                let (from, to) = (self.address(bytes.start), to.address(at));
                // SAFETY: upheld by the caller, and the addresses belong to these contexts.
                hazards::ordered(stream, &uses, || unsafe {
                    Ok(stream.copy(destination.primary(), to, source.primary(), from, bytes.len())?)
                })
            }
            // A stream of one of two GPUs is never a CPU stream.
            (Backend::Cuda(_), Backend::Cuda(_), StreamRef::Cpu(_)) => Err(elsewhere(on, &to.device)),
        }
    }

    /// Enqueues a copy of bytes to the host on a stream of the device.
    ///
    /// # Safety
    ///
    /// As for [`Memory::start_read`].
    unsafe fn copy_out(&self, stream: &StreamRef, bytes: Range<usize>, to: *mut u8) -> Result<()> {
        trace("to host", &self.device, bytes.len());
        let len = bytes.len();
        self.ordered(
            stream,
            (bytes, false),
            // SAFETY: upheld by the caller; no kernel is writing, since a launch on the CPU borrows the array mutably
            // until it has completed.
            |start| unsafe { to.copy_from_nonoverlapping(start, len) },
            // SAFETY: upheld by the caller.
            |stream, start| unsafe { stream.copy_to_host(to.cast(), start, len) },
        )
    }

    /// Enqueues a copy of bytes from the host on a stream of the device.
    ///
    /// # Safety
    ///
    /// As for [`Memory::start_write`].
    unsafe fn copy_in(&self, stream: &StreamRef, bytes: Range<usize>, from: *const u8) -> Result<()> {
        trace("to device", &self.device, bytes.len());
        let len = bytes.len();
        self.ordered(
            stream,
            (bytes, true),
            // SAFETY: upheld by the caller.
            |start| unsafe { start.copy_from_nonoverlapping(from, len) },
            // SAFETY: upheld by the caller.
            |stream, start| unsafe { stream.copy_from_host(start, from.cast(), len) },
        )
    }

    /// Performs an operation that reads or writes bytes, in the order of a stream of the device: immediately on the
    /// CPU, and after its dependencies on a GPU. The operation receives the address of the first byte.
    fn ordered(
        &self,
        stream: &StreamRef,
        (bytes, writes): (Range<usize>, bool),
        on_cpu: impl FnOnce(*mut u8),
        on_cuda: impl FnOnce(&cuda::Stream, u64) -> Result<(), CudaError>,
    ) -> Result<()> {
        match stream {
            StreamRef::Cpu(stream) => {
                on_cpu(self.pointer.wrapping_add(bytes.start));
                self.record_on_cpu(stream, bytes, writes);
                Ok(())
            }
            StreamRef::Cuda(stream) => {
                let start = self.address(bytes.start);
                hazards::ordered(stream, &[Use { memory: self, bytes, writes }], || Ok(on_cuda(stream, start)?))
            }
        }
    }

    /// Records an access on the CPU device if it has more than one stream.
    fn record_on_cpu(&self, stream: &Arc<crate::cpu_stream::Stream>, bytes: Range<usize>, writes: bool) {
        if let Backend::Cpu(streams) = self.device.backend()
            && streams.is_multi_stream()
        {
            self.accesses.record_on_cpu(streams.stream_epoch(), stream, bytes, writes);
        }
    }

    /// Returns the stream if it belongs to the memory's device, or [`Error::StreamElsewhere`].
    fn stream_on_device<'s>(&self, stream: &'s Stream) -> Result<&'s StreamRef> {
        if stream.device() == &self.device { Ok(stream.stream_ref()) } else { Err(elsewhere(stream, &self.device)) }
    }
}

/// Returns the error for a stream of another device than the memory.
fn elsewhere(stream: &Stream, device: &Device) -> Error {
    Error::StreamElsewhere { stream: stream.device().into(), device: device.into() }
}

/// Emits a `tracing` event for a transfer.
fn trace(what: &'static str, device: &Device, bytes: usize) {
    let device = device.clone();
    event!(trace, target: "cumbia::transfer", what, bytes, %device);
}
