//! Copies of host arrays to the device and back, around one launch.

use std::marker::PhantomData;
use std::sync::Arc;

use super::packed_params::Params;
use crate::cuda;
use crate::device::Device;
use crate::error::Result;
use crate::hazards::StreamRef;
use crate::memory::{Contents, Memory};
use crate::stream::Stream;
use crate::types::{DeviceType, make_valid};

/// The direction in which a host array is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To the device, before the launch (`In`).
    In,
    /// To the host, after the launch; the device copy is zero-initialised (`Out`).
    Out,
    /// Both (`InOut`).
    InOut,
}

impl Direction {
    fn copies_in(self) -> bool {
        matches!(self, Direction::In | Direction::InOut)
    }

    fn copies_out(self) -> bool {
        matches!(self, Direction::Out | Direction::InOut)
    }
}

/// How a host array is copied around a launch.
#[derive(Clone, Copy)]
pub(crate) struct HostCopy {
    pub(crate) direction: Direction,
    /// Replaces invalid bit patterns of that many elements by valid values.
    pub(crate) make_valid: unsafe fn(*mut u8, usize),
}

impl HostCopy {
    pub(crate) fn new<T: DeviceType>(direction: Direction) -> HostCopy {
        /// # Safety
        ///
        /// As for `make_valid`.
        unsafe fn make_elements_valid<T: DeviceType>(elements: *mut u8, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { make_valid(elements.cast::<T>(), len) };
        }
        HostCopy { direction, make_valid: make_elements_valid::<T> }
    }
}

/// A host array among the arguments, borrowed by the launch, mutably if it is copied back.
pub(crate) struct Transfer<'a> {
    /// The index of the parameter that is the pointer to its elements.
    param: usize,
    host: *mut u8,
    len: usize,
    bytes: usize,
    copy: HostCopy,
    borrow: PhantomData<&'a ()>,
}

impl Transfer<'_> {
    /// Returns the transfer of `len` elements, in `bytes` at `host`. Their address is parameter `param`.
    pub(super) fn new(param: usize, host: *mut u8, len: usize, bytes: usize, copy: HostCopy) -> Self {
        Transfer { param, host, len, bytes, copy, borrow: PhantomData }
    }

    fn zero_output(&self) {
        if self.copy.direction == Direction::Out {
            // SAFETY: the host memory is borrowed mutably.
            unsafe { self.host.write_bytes(0, self.bytes) };
            self.make_valid();
        }
    }

    /// Replaces invalid bit patterns in the host memory by valid values.
    fn make_valid(&self) {
        // SAFETY: the host memory has `len` elements, and the callers have borrowed it mutably.
        unsafe { (self.copy.make_valid)(self.host, self.len) };
    }
}

/// Runs a launch directly on host memory. `run` returns when the kernel has completed. If an array is an output, the pending
/// fault is then returned, as a copy of the array would.
pub(crate) fn run_in_place(
    transfers: &[Transfer<'_>],
    run: impl FnOnce(),
    take_fault: impl FnOnce() -> Result<()>,
) -> Result<()> {
    transfers.iter().for_each(Transfer::zero_output);
    run();
    if transfers.iter().any(|transfer| transfer.copy.direction.copies_out()) {
        take_fault()?;
    }
    Ok(())
}

/// Enqueues a launch on device copies of the host arrays. `launch` receives the parameters with the addresses of the copies.
///
/// # Errors
///
/// The error of `launch` or of a copy. If an array is an output, also the fault of the kernel; the array is copied back
/// nevertheless.
pub(crate) fn run_with_copies(
    (device, stream): (&Device, &Arc<cuda::Stream>),
    transfers: &[Transfer<'_>],
    params: &mut Params,
    launch: impl FnOnce(&mut Params) -> Result<()>,
) -> Result<()> {
    if transfers.is_empty() {
        return launch(params);
    }
    let stream = &Stream::of(device, StreamRef::Cuda(stream.clone()));
    let mut copies = Vec::with_capacity(transfers.len());
    for transfer in transfers {
        let contents = if transfer.copy.direction.copies_in() { Contents::Nothing } else { Contents::Zeros };
        let memory = Memory::allocate::<u8>(stream, transfer.bytes, contents)?;
        copies.push((memory.pointer(), memory));
    }
    for (transfer, (address, memory)) in transfers.iter().zip(&copies) {
        if transfer.copy.direction.copies_in() {
            // SAFETY: both have that many bytes; the host memory is borrowed by the launch.
            unsafe { memory.write(Some(stream), 0..transfer.bytes, transfer.host) }?;
        }
        params[transfer.param] = std::ptr::from_ref(address).cast_mut().cast();
    }
    launch(params)?;
    let mut result = Ok(());
    for (transfer, (_, memory)) in transfers.iter().zip(&copies) {
        if transfer.copy.direction.copies_out() {
            // SAFETY: both have that many bytes; the host memory is borrowed mutably.
            let done = unsafe { memory.read(Some(stream), 0..transfer.bytes, transfer.host) };
            // Also after a fault, which is returned after the copy.
            transfer.make_valid();
            result = result.and(done);
        }
    }
    result
}
