//! The way of a host's array to the device and back, around one launch.

use std::marker::PhantomData;
use std::sync::Arc;

use super::values::Params;
use crate::cuda;
use crate::device::Device;
use crate::error::Result;
use crate::hazards::StreamRef;
use crate::memory::{Contents, Memory};
use crate::stream::Stream;
use crate::types::{Element, make_valid};

/// Which way an array of the host is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To the device, before the launch.
    In,
    /// To the host, behind the launch; it begins as zeros.
    Out,
    /// Both.
    InOut,
}

impl Direction {
    fn comes_in(self) -> bool {
        matches!(self, Direction::In | Direction::InOut)
    }

    fn goes_out(self) -> bool {
        matches!(self, Direction::Out | Direction::InOut)
    }
}

/// How elements of the host become an argument.
#[derive(Clone, Copy)]
pub(crate) struct OnHost {
    pub(crate) direction: Direction,
    /// Makes values of that many elements, whatever their bits.
    pub(crate) settle: unsafe fn(*mut u8, usize),
}

impl OnHost {
    pub(crate) fn new<T: Element>(direction: Direction) -> OnHost {
        /// # Safety
        ///
        /// As for `make_valid`.
        unsafe fn settle<T: Element>(elements: *mut u8, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { make_valid(elements.cast::<T>(), len) };
        }
        OnHost { direction, settle: settle::<T> }
    }
}

/// An argument in the memory of the host, borrowed by the launch: exclusively if it goes out.
pub(crate) struct Transfer<'a> {
    /// Which of the parameters is its pointer.
    param: usize,
    host: *mut u8,
    len: usize,
    bytes: usize,
    how: OnHost,
    borrow: PhantomData<&'a ()>,
}

impl Transfer<'_> {
    /// `len` elements of the host in `bytes` at `host`, whose address is a parameter.
    pub(super) fn new(param: usize, host: *mut u8, len: usize, bytes: usize, how: OnHost) -> Self {
        Transfer { param, host, len, bytes, how, borrow: PhantomData }
    }

    fn begin_as_zeros(&self) {
        if self.how.direction == Direction::Out {
            // SAFETY: the host's memory is borrowed exclusively.
            unsafe { self.host.write_bytes(0, self.bytes) };
            self.settle();
        }
    }

    /// Makes values of what is in the host's memory.
    fn settle(&self) {
        // SAFETY: the host's memory has `len` elements, and is borrowed exclusively where this is called.
        unsafe { (self.how.settle)(self.host, self.len) };
    }
}

/// Runs a launch on the host's memory itself: `run` is to end when the kernel does. Then gives out its fault, if an array goes
/// out, as a copy of it would.
pub(crate) fn on_host(
    transfers: &[Transfer<'_>],
    run: impl FnOnce(),
    give_out_fault: impl FnOnce() -> Result<()>,
) -> Result<()> {
    transfers.iter().for_each(Transfer::begin_as_zeros);
    run();
    if transfers.iter().any(|transfer| transfer.how.direction.goes_out()) {
        give_out_fault()?;
    }
    Ok(())
}

/// Runs a launch on a GPU's copies of the host's memory. `launch` gets the parameters with the addresses of these.
///
/// # Errors
///
/// What `launch` said, or a copy; and the fault of the kernel, if an array goes out, which is then copied all the same.
pub(crate) fn on_gpu(
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
        let contents = if transfer.how.direction.comes_in() { Contents::Nothing } else { Contents::Zeros };
        let memory = Memory::allocate::<u8>(stream, transfer.bytes, contents)?;
        copies.push((memory.pointer(), memory));
    }
    for (transfer, (address, memory)) in transfers.iter().zip(&copies) {
        if transfer.how.direction.comes_in() {
            // SAFETY: both have that many bytes; the host's are borrowed by the launch.
            unsafe { memory.write(Some(stream), 0..transfer.bytes, transfer.host) }?;
        }
        params[transfer.param] = std::ptr::from_ref(address).cast_mut().cast();
    }
    launch(params)?;
    let mut result = Ok(());
    for (transfer, (_, memory)) in transfers.iter().zip(&copies) {
        if transfer.how.direction.goes_out() {
            // SAFETY: both have that many bytes; the host's are borrowed exclusively.
            let done = unsafe { memory.read(Some(stream), 0..transfer.bytes, transfer.host) };
            // Also after a fault, which is given out behind the copy.
            transfer.settle();
            result = result.and(done);
        }
    }
    result
}
