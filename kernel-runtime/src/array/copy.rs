//! Copies that stay on devices or in page-locked memory: from array to array, and asynchronously from and to the host.

use std::ops::Range;
use std::sync::Arc;

use super::slice::check_length;
use super::{DeviceArray, DeviceSlice};
use crate::cpu::access::Writable;
use crate::error::Result;
use crate::memory::Memory;
use crate::pinned::PinnedMemory;
use crate::stream::Stream;
use crate::types::Element;

/// What [`Stream::copy`] and [`DeviceArray::copy_from`] copy: an array of a device or a part of it, and a
/// [`PinnedArray`](crate::PinnedArray) or a part of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied by the device itself",
    label = "expected an array of a device, or a page-locked one",
    note = "help: `copy_from_host` copies from slices and vectors of the host"
)]
pub trait CopySource {
    /// The elements.
    type Element: Element;

    #[doc(hidden)]
    fn source(&self) -> Region<'_>;
}

/// What [`Stream::copy`] copies to, as [`CopySource`].
#[diagnostic::on_unimplemented(
    message = "the device itself cannot copy to `{Self}`",
    label = "expected an array of a device, or a page-locked one, that may be written",
    note = "help: `copy_to_host` copies to slices and vectors of the host"
)]
pub trait CopyTarget {
    /// The elements.
    type Element: Element;

    #[doc(hidden)]
    fn target(&mut self) -> Region<'_>;
}

/// One side of a copy.
#[doc(hidden)]
pub struct Region<'a> {
    pub(crate) place: Place<'a>,
    /// The bytes, from the start of the memory.
    pub(crate) bytes: Range<usize>,
    /// How many elements that is.
    pub(crate) len: usize,
}

/// The memory of a [`Region`].
pub(crate) enum Place<'a> {
    /// A device's.
    Device(&'a Memory),
    /// The host's, page-locked.
    Pinned(&'a Arc<PinnedMemory>),
}

impl<T: Element> CopySource for DeviceArray<T> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { place: Place::Device(self.memory()), bytes: 0..self.memory().bytes(), len: self.len() }
    }
}

impl<T: Element> CopyTarget for DeviceArray<T> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

impl<T: Element, M> CopySource for DeviceSlice<'_, T, M> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { place: Place::Device(self.memory()), bytes: self.bytes(), len: self.len() }
    }
}

impl<T: Element, M: Writable> CopyTarget for DeviceSlice<'_, T, M> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

/// Copies all elements of `from` to `to`, on a stream or on the one that the device's side chooses. It waits for the copy, and
/// gives out a fault, only where one side is the CPU device's or both are page-locked.
pub(crate) fn copy<T: Element>(
    on: Option<&Stream>,
    operation: &'static str,
    from: &(impl CopySource<Element = T> + ?Sized),
    to: &mut (impl CopyTarget<Element = T> + ?Sized),
) -> Result<()> {
    let (from, to) = (from.source(), to.target());
    check_length(operation, from.len, to.len)?;
    // SAFETY: both sides have as many bytes, inside of their memory. They are borrowed for the call, the target mutably, so
    // that they do not overlap; what happens after the call is ordered by the memory of either side.
    unsafe { start(on, &from, &to) }
}

/// Starts a copy.
///
/// # Safety
///
/// Both sides have as many bytes, inside of their memory, and do not overlap.
pub(crate) unsafe fn start(on: Option<&Stream>, from: &Region<'_>, to: &Region<'_>) -> Result<()> {
    if from.bytes.is_empty() {
        return Ok(());
    }
    match (&from.place, &to.place) {
        // SAFETY: upheld by the caller.
        (Place::Device(memory), Place::Device(target)) => unsafe {
            memory.copy_to(on.unwrap_or(&target.home()), from.bytes.clone(), target, to.bytes.start)
        },
        (Place::Pinned(buffer), Place::Device(memory)) => {
            let stream = &on.cloned().unwrap_or_else(|| memory.home());
            // SAFETY: the caller's promise, and what the buffer promises of the address.
            buffer.reading(stream, from.bytes.clone(), |address| unsafe {
                memory.start_write(stream, to.bytes.clone(), address)
            })
        }
        (Place::Device(memory), Place::Pinned(buffer)) => {
            let stream = &on.cloned().unwrap_or_else(|| memory.home());
            // SAFETY: as above.
            buffer.writing(stream, to.bytes.clone(), |address| unsafe {
                memory.start_read(stream, from.bytes.clone(), address)
            })
        }
        (Place::Pinned(buffer), Place::Pinned(target)) => {
            // Both are the host's own: it copies itself, once nobody else does.
            let bytes = from.bytes.len();
            let (from, to) = (buffer.settled(&from.bytes, false)?, target.settled(&to.bytes, true)?);
            // SAFETY: the caller's promise, and no copy of a device is using either.
            unsafe { to.copy_from_nonoverlapping(from, bytes) };
            Ok(())
        }
    }
}
