//! Copies between device arrays and page-locked arrays.

use std::ops::Range;
use std::sync::Arc;

use crate::array::{DeviceArray, DeviceSlice, check_length};
use crate::error::Result;
use crate::handles::access::Writable;
use crate::memory::Memory;
use crate::pinned::{PinnedArray, PinnedMemory, PinnedSlice};
use crate::stream::Stream;
use crate::types::DeviceType;

/// A source of [`Stream::copy`] and [`DeviceArray::copy_from`]: a device array, a [`PinnedArray`](crate::PinnedArray),
/// or a slice of either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of device copies",
    label = "expected a device array or a page-locked array",
    note = "help: `copy_from_host` copies from slices and vectors of the host"
)]
pub trait CopySource {
    /// The element type.
    type Element: DeviceType;

    #[doc(hidden)]
    fn source(&self) -> Region<'_>;
}

/// A target of [`Stream::copy`]: the mutable counterpart of [`CopySource`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a target of device copies",
    label = "expected a mutable device array or page-locked array",
    note = "help: `copy_to_host` copies to slices and vectors of the host"
)]
pub trait CopyTarget {
    /// The element type.
    type Element: DeviceType;

    #[doc(hidden)]
    fn target(&mut self) -> Region<'_>;
}

/// The source or the target of a copy.
#[doc(hidden)]
pub struct Region<'a> {
    pub(crate) memory: RegionMemory<'a>,
    /// The byte range, relative to the start of the memory.
    pub(crate) bytes: Range<usize>,
    /// The number of elements.
    pub(crate) len: usize,
}

/// The memory of a [`Region`].
pub(crate) enum RegionMemory<'a> {
    /// Device memory.
    Device(&'a Memory),
    /// Page-locked host memory.
    Pinned(&'a Arc<PinnedMemory>),
}

impl<T: DeviceType> CopySource for DeviceArray<T> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { memory: RegionMemory::Device(self.memory()), bytes: 0..self.memory().bytes(), len: self.len() }
    }
}

impl<T: DeviceType> CopyTarget for DeviceArray<T> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

impl<T: DeviceType, M> CopySource for DeviceSlice<'_, T, M> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { memory: RegionMemory::Device(self.memory()), bytes: self.bytes(), len: self.len() }
    }
}

impl<T: DeviceType, M: Writable> CopyTarget for DeviceSlice<'_, T, M> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

impl<T: DeviceType> CopySource for PinnedArray<T> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { memory: RegionMemory::Pinned(self.memory()), bytes: self.bytes(), len: self.len() }
    }
}

impl<T: DeviceType> CopyTarget for PinnedArray<T> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

impl<T: DeviceType, M> CopySource for PinnedSlice<'_, T, M> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { memory: RegionMemory::Pinned(self.memory()), bytes: self.bytes(), len: self.len() }
    }
}

impl<T: DeviceType, M: Writable> CopyTarget for PinnedSlice<'_, T, M> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// Overwrites the elements with those of another array, a slice of one, or a page-locked array. The source may be
    /// on another device. Later work on either array is ordered after the copy. The call only waits for the copy if one
    /// of the arrays is on the CPU device.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1, 2, 3, 4])?;
    /// let mut y = device.zeros(2)?;
    /// y.copy_from(&x.slice(1..3)?)?;
    /// assert_eq!(y.to_host()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch), or a CUDA driver error. For a copy from a GPU to the
    /// CPU device, [`Error::Fault`](crate::Error::Fault) as for [`DeviceArray::to_host`].
    pub fn copy_from(&mut self, from: &(impl CopySource<Element = T> + ?Sized)) -> Result<()> {
        self.as_slice_mut().copy_from(from)
    }
}

impl<T: DeviceType, M: Writable> DeviceSlice<'_, T, M> {
    /// Overwrites the elements with those of another array, a slice of one, or a page-locked array.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::copy_from`].
    pub fn copy_from(&mut self, from: &(impl CopySource<Element = T> + ?Sized)) -> Result<()> {
        copy(None, "copy_from", from, self)
    }
}

impl Stream {
    /// Copies the elements of `from` to `to`, in the order of this stream. Each is a device array, a
    /// [`PinnedArray`](crate::PinnedArray), or a slice of either.
    ///
    /// The call is asynchronous for copies between GPU arrays, of one or two GPUs, and between GPU arrays and
    /// page-locked ones. Any other copy, from or to an array of the CPU device or between page-locked arrays, has
    /// completed when the call returns.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch),
    /// [`Error::StreamElsewhere`](crate::Error::StreamElsewhere) if the stream belongs to the device of neither array,
    /// or a CUDA driver error. For a copy from a GPU to the CPU device, [`Error::Fault`](crate::Error::Fault) as for
    /// [`DeviceArray::to_host`].
    pub fn copy<T: DeviceType>(
        &self,
        from: &(impl CopySource<Element = T> + ?Sized),
        to: &mut (impl CopyTarget<Element = T> + ?Sized),
    ) -> Result<()> {
        copy(Some(self), "copy", from, to)
    }
}

/// Copies all elements of `from` to `to`, on a stream or on one that the device memory selects. Only waits for the
/// copy, and reports a fault, if one side is on the CPU device or both are page-locked.
pub(crate) fn copy<T: DeviceType>(
    on: Option<&Stream>,
    operation: &'static str,
    from: &(impl CopySource<Element = T> + ?Sized),
    to: &mut (impl CopyTarget<Element = T> + ?Sized),
) -> Result<()> {
    let (from, to) = (from.source(), to.target());
    check_length(operation, from.len, to.len)?;
    // SAFETY: both sides have the same size and are in bounds. They are borrowed for the call, the target mutably, so
    // they do not overlap; later accesses are ordered by the memory of either side.
    unsafe { start(on, &from, &to) }
}

/// Enqueues a copy.
///
/// # Safety
///
/// Both sides have the same size, are in bounds, and do not overlap.
pub(crate) unsafe fn start(on: Option<&Stream>, from: &Region<'_>, to: &Region<'_>) -> Result<()> {
    if from.bytes.is_empty() {
        return Ok(());
    }
    match (&from.memory, &to.memory) {
        // SAFETY: upheld by the caller.
        (RegionMemory::Device(memory), RegionMemory::Device(target)) => unsafe {
            memory.copy_to(on.unwrap_or(&target.home()), from.bytes.clone(), target, to.bytes.start)
        },
        (RegionMemory::Pinned(buffer), RegionMemory::Device(memory)) => {
            let stream = &on.cloned().unwrap_or_else(|| memory.home());
            // SAFETY: upheld by the caller, and the buffer guarantees that the address stays valid.
            buffer.enqueue_read(stream, from.bytes.clone(), |address| unsafe {
                memory.start_write(stream, to.bytes.clone(), address)
            })
        }
        (RegionMemory::Device(memory), RegionMemory::Pinned(buffer)) => {
            let stream = &on.cloned().unwrap_or_else(|| memory.home());
            // SAFETY: as above.
            buffer.enqueue_write(stream, to.bytes.clone(), |address| unsafe {
                memory.start_read(stream, from.bytes.clone(), address)
            })
        }
        (RegionMemory::Pinned(buffer), RegionMemory::Pinned(target)) => {
            // Both sides are host memory: the host copies, once no device copy conflicts.
            let bytes = from.bytes.len();
            let (from, to) = (buffer.host_access(&from.bytes, false)?, target.host_access(&to.bytes, true)?);
            // SAFETY: upheld by the caller, and no device copy accesses either side.
            unsafe { to.copy_from_nonoverlapping(from, bytes) };
            Ok(())
        }
    }
}
