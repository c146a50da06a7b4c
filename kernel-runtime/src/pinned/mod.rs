//! Page-locked memory of the host, which a GPU copies from and to while the program goes on.
//!
//! Rust's borrows end when a call returns, and such a copy does not. So the buffer itself knows what copies are under way:
//! each has an event behind it, and whoever wants to look at the elements waits for those that matter. That holds whatever
//! becomes of the values that started the copies, `mem::forget` included.

use std::alloc::Layout;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::array::{CopySource, CopyTarget, Place, Region, inside};
use crate::cpu::access::{Read, Writable, Write};
use crate::cuda::PageLocked;
use crate::device::{Backend, Device};
use crate::error::Result;
use crate::event::Event;
use crate::host::{HostArray, HostArrayMut};
use crate::memory::{Contents, Memory, no_room};
use crate::order::{Lane, Touch};
use crate::stream::Stream;
use crate::types::{Element, make_valid};

/// An array in page-locked memory of the host: a GPU copies from and to it at full speed, and while the program goes on.
///
/// [`Device::to_pinned`] and [`Device::pinned_zeros`] make one, and [`Stream::copy`](crate::Stream::copy) copies between it
/// and the arrays of devices without waiting. The elements are reached through [`as_slice`](PinnedArray::as_slice) and
/// [`as_mut_slice`](PinnedArray::as_mut_slice), which wait for the copies that are under way. Locked pages are lost to the
/// rest of the system, and locking them takes milliseconds: keep such buffers, and use them again.
///
/// On the CPU device it is memory like any other.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let stream = device.default_stream();
/// let mut buffer = device.to_pinned(&[1.0f32, 2.0, 3.0])?;
/// let mut x = device.zeros(3)?;
/// stream.copy(&buffer, &mut x)?; // these three return at once
/// double(&mut x).over(3).launch()?;
/// stream.copy(&x, &mut buffer)?;
/// assert_eq!(buffer.as_slice()?, [2.0, 4.0, 6.0]); // this waits for the copy
/// # Ok(())
/// # }
/// ```
// The elements belong to the array, which crosses threads where they do. The host reaches them as Rust's borrows allow, once
// the copies that conflict are over; those that start meanwhile borrow the array, too, while they start.
pub struct PinnedArray<T> {
    memory: PinnedMemory,
    len: usize,
    elements: PhantomData<T>,
}

/// The memory of a [`PinnedArray`], and the copies of devices that use it.
pub(crate) struct PinnedMemory {
    allocation: Allocation,
    device: Device,
    copies: Mutex<Vec<Copying>>,
    /// Makes values of what a device wrote; `None` where all bits are values.
    settle: Option<unsafe fn(*mut u8, Range<usize>)>,
}

/// Makes values of the elements in a range of bytes, whatever is in them.
///
/// # Safety
///
/// The range is of elements inside of the memory at `start`, initialised, and nobody else accesses them.
unsafe fn settle<T: Element>(start: *mut u8, bytes: Range<usize>) {
    // SAFETY: the caller's promise.
    unsafe { make_valid(start.add(bytes.start).cast::<T>(), bytes.len() / size_of::<T>().max(1)) };
}

/// Whose memory it is.
enum Allocation {
    /// The CPU device's.
    Plain(Memory),
    /// The CUDA driver's.
    PageLocked(PageLocked),
}

/// A copy of a device that is under way, or was when it was last looked at.
struct Copying {
    over: Over,
    /// What the device does with the host's memory.
    touch: Touch,
}

/// When a copy is over.
enum Over {
    /// When this has happened.
    When(Event),
    /// When all that was asked of the stream is: the driver had no event.
    With(Stream),
}

impl Over {
    /// Waits, and gives out no fault.
    fn wait(&self) -> Result<()> {
        match self {
            Over::When(event) => event.wait(),
            Over::With(stream) => match stream.lane() {
                Lane::Cpu(_) => Ok(()),
                Lane::Cuda(stream) => Ok(stream.wait()?),
            },
        }
    }

    fn is_done(&self) -> Result<bool> {
        match self {
            Over::When(event) => event.is_done(),
            Over::With(stream) => stream.is_done(),
        }
    }

    /// Lets what is asked of `stream` from now on happen behind the copy.
    fn hold_up(&self, stream: &Stream) -> Result<()> {
        match self {
            Over::When(event) => event.hold_up(stream),
            Over::With(_) => self.wait(),
        }
    }
}

/// So many copies are kept in mind before those that are over are looked for.
const MANY_COPIES: usize = 32;

impl PinnedMemory {
    fn allocate<T: Element>(device: &Device, len: usize) -> Result<PinnedMemory> {
        let allocation = match device.backend() {
            Backend::Cpu(_) => {
                Allocation::Plain(Memory::allocate::<T>(&device.default_stream(), len, Contents::Zeros)?)
            }
            Backend::Cuda(context) => {
                let layout = Layout::array::<T>(len).map_err(|_| no_room::<T>(device.to_string(), len))?;
                Allocation::PageLocked(context.page_locked(layout)?)
            }
        };
        let settle: Option<unsafe fn(*mut u8, Range<usize>)> = if T::ANY_BITS { None } else { Some(settle::<T>) };
        let memory = PinnedMemory { allocation, device: device.clone(), copies: Mutex::default(), settle };
        if let Some(settle) = settle {
            // SAFETY: all bytes are there and zero, and nobody else has them yet.
            unsafe { settle(memory.pointer(), 0..len * size_of::<T>()) };
        }
        Ok(memory)
    }

    fn pointer(&self) -> *mut u8 {
        match &self.allocation {
            Allocation::Plain(memory) => memory.pointer(),
            Allocation::PageLocked(memory) => memory.pointer(),
        }
    }

    fn copies(&self) -> MutexGuard<'_, Vec<Copying>> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a copy on `stream` that reads these bytes: `start` gets their address.
    pub(crate) fn reading(
        &self,
        stream: &Stream,
        bytes: Range<usize>,
        start: impl FnOnce(*const u8) -> Result<()>,
    ) -> Result<()> {
        self.copying(stream, Touch { bytes, writes: false }, |address| start(address))
    }

    /// Starts a copy on `stream` that writes these bytes: `start` gets their address.
    pub(crate) fn writing(
        &self,
        stream: &Stream,
        bytes: Range<usize>,
        start: impl FnOnce(*mut u8) -> Result<()>,
    ) -> Result<()> {
        self.copying(stream, Touch { bytes, writes: true }, start)
    }

    fn copying(&self, stream: &Stream, touch: Touch, start: impl FnOnce(*mut u8) -> Result<()>) -> Result<()> {
        let mut copies = self.copies();
        if copies.len() >= MANY_COPIES {
            self.forget_those_over(&mut copies);
        }
        if touch.writes && self.settle.is_some() {
            // Bits that one copy wrote are made values by the host, which must not happen while another writes there.
            self.wait_for(&mut copies, &touch)?;
        }
        for copying in copies.iter().filter(|copying| copying.touch.conflicts(&touch)) {
            copying.over.hold_up(stream)?;
        }
        let started = start(self.pointer().wrapping_add(touch.bytes.start));
        // Also where it failed: the copy may have been asked for before that.
        let over = stream.record().map_or_else(|_| Over::With(stream.clone()), Over::When);
        copies.push(Copying { over, touch });
        started
    }

    /// The first of these bytes, once no copy conflicts with the host's reading or writing them.
    ///
    /// # Errors
    ///
    /// What the driver said of a copy.
    pub(crate) fn settled(&self, bytes: &Range<usize>, writes: bool) -> Result<*mut u8> {
        self.wait_for(&mut self.copies(), &Touch { bytes: bytes.clone(), writes })?;
        Ok(self.pointer().wrapping_add(bytes.start))
    }

    /// Waits for the copies that conflict, and forgets them.
    fn wait_for(&self, copies: &mut Vec<Copying>, touch: &Touch) -> Result<()> {
        while let Some(i) = copies.iter().position(|copying| copying.touch.conflicts(touch)) {
            copies[i].over.wait()?;
            self.forget(copies, i);
        }
        Ok(())
    }

    fn forget_those_over(&self, copies: &mut Vec<Copying>) {
        for i in (0..copies.len()).rev() {
            if copies[i].over.is_done().unwrap_or(false) {
                self.forget(copies, i);
            }
        }
    }

    /// Forgets a copy that is over. What it wrote becomes values now, before anyone sees it: until then nobody could get a
    /// reference to it.
    fn forget(&self, copies: &mut Vec<Copying>, i: usize) {
        let Copying { over: _, touch: Touch { bytes, writes } } = copies.swap_remove(i);
        if let (true, Some(settle)) = (writes, self.settle) {
            // SAFETY: the range is inside and of whole elements, as all ranges are. The copy is over, no other writes there
            // (`copying` has waited), and the host could reach the elements only through `wait_for`, which ends here.
            unsafe { settle(self.pointer(), bytes) };
        }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let mut copies = std::mem::take(self.copies.get_mut().unwrap_or_else(PoisonError::into_inner));
        copies.retain(|copying| copying.over.wait().is_err());
        if let (false, Allocation::PageLocked(memory)) = (copies.is_empty(), &mut self.allocation) {
            // A copy may still be using it, for all that is known: the GPU is lost.
            tracing::error!(target: "cumbia::transfer", device = %self.device, "page-locked memory is never freed");
            memory.leak();
        }
    }
}

impl<T: Element> PinnedArray<T> {
    pub(crate) fn zeros(device: &Device, len: usize) -> Result<PinnedArray<T>> {
        Ok(PinnedArray { memory: PinnedMemory::allocate::<T>(device, len)?, len, elements: PhantomData })
    }

    pub(crate) fn from_host(
        device: &Device,
        values: &(impl HostArray<Element = T> + ?Sized),
    ) -> Result<PinnedArray<T>> {
        let values = values.elements()?;
        let mut array = PinnedArray::zeros(device, values.len())?;
        array.as_mut_slice()?.copy_from_slice(values);
        Ok(array)
    }

    /// The elements, once no device is writing them.
    ///
    /// # Errors
    ///
    /// What the driver said of a copy. The fault of a kernel is no error here: it is given out by what waits for the stream.
    pub fn as_slice(&self) -> Result<&[T]> {
        let pointer = self.memory.settled(&self.bytes(), false)?;
        // SAFETY: the memory has `len` elements, which are values; whoever writes them borrows the array mutably, and the
        // copies that were writing are over.
        Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), self.len) })
    }

    /// The elements, to be written, once no device is using them.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let pointer = self.memory.settled(&self.bytes(), true)?;
        // SAFETY: as above, and the array is borrowed mutably.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), self.len) })
    }

    /// The elements with an index in `range`: a part to copy from.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where the range is reversed or not inside.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<PinnedSlice<'_, T>> {
        PinnedSlice::whole(self).slice(range)
    }

    /// As [`PinnedArray::slice`]: a part to copy to.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<PinnedSliceMut<'_, T>> {
        PinnedSlice::whole(self).slice(range)
    }
}

impl<T> PinnedArray<T> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that it was made for. Others copy from and to it as well.
    pub fn device(&self) -> &Device {
        &self.memory.device
    }

    pub(crate) fn memory(&self) -> &PinnedMemory {
        &self.memory
    }

    pub(crate) fn bytes(&self) -> Range<usize> {
        0..self.len * size_of::<T>()
    }
}

impl<T: Element> HostArray for PinnedArray<T> {
    type Element = T;

    fn elements(&self) -> Result<&[T]> {
        self.as_slice()
    }
}

impl<T: Element> HostArrayMut for PinnedArray<T> {
    fn elements_mut(&mut self) -> Result<&mut [T]> {
        self.as_mut_slice()
    }
}

impl<T> fmt::Debug for PinnedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedArray<{}>(len {}, for {})", std::any::type_name::<T>(), self.len, self.device())
    }
}

/// Elements of a [`PinnedArray`] that follow each other. `M` says whether they may be written.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let buffer = device.to_pinned(&[1, 2, 3, 4])?;
/// let mut x = device.zeros(4)?;
/// let (mut left, mut right) = x.split_at_mut(2)?;
/// left.copy_from(&buffer.slice(2..)?)?;
/// right.copy_from(&buffer.slice(..2)?)?;
/// assert_eq!(x.to_host()?, [3, 4, 1, 2]);
/// # Ok(())
/// # }
/// ```
pub struct PinnedSlice<'a, T, M = Read> {
    memory: &'a PinnedMemory,
    start: usize,
    len: usize,
    array: PhantomData<(&'a T, M)>,
}

/// A [`PinnedSlice`] that can be copied to.
pub type PinnedSliceMut<'a, T> = PinnedSlice<'a, T, Write>;

impl<T> Clone for PinnedSlice<'_, T, Read> {
    fn clone(&self) -> Self {
        *self
    }
}

// A slice that may be written is not `Copy`: no two of them have an element in common.
impl<T> Copy for PinnedSlice<'_, T, Read> {}

impl<'a, T, M> PinnedSlice<'a, T, M> {
    /// All elements. Who asks for a slice to be written has borrowed the array mutably.
    fn whole(array: &'a PinnedArray<T>) -> Self {
        PinnedSlice { memory: &array.memory, start: 0, len: array.len, array: PhantomData }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements with an index in `range`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where the range is reversed or not inside.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let PinnedSlice { memory, start: before, len, array } = self;
        let Range { start, end } = inside(range, 0, len)?;
        Ok(PinnedSlice { memory, start: before + start, len: end - start, array })
    }

    /// The elements before `index`, and those from it on.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) where there are fewer.
    pub fn split_at(self, index: usize) -> Result<(Self, Self)> {
        let PinnedSlice { memory, start, len, array } = self;
        inside(index.., 0, len)?;
        // The two have no element in common, so that both may be written if this slice may.
        let before = PinnedSlice { memory, start, len: index, array };
        Ok((before, PinnedSlice { memory, start: start + index, len: len - index, array }))
    }

    pub(crate) fn memory(&self) -> &'a PinnedMemory {
        self.memory
    }

    pub(crate) fn bytes(&self) -> Range<usize> {
        self.start * size_of::<T>()..(self.start + self.len) * size_of::<T>()
    }
}

impl<T: Element, M> PinnedSlice<'_, T, M> {
    /// The elements, once no device is writing them. Copies of other parts of the buffer may be under way.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_slice(&self) -> Result<&[T]> {
        let pointer = self.memory.settled(&self.bytes(), false)?;
        // SAFETY: the range is inside of the memory, and as in `PinnedArray::as_slice`.
        Ok(unsafe { std::slice::from_raw_parts(pointer.cast(), self.len) })
    }
}

impl<T: Element, M: Writable> PinnedSlice<'_, T, M> {
    /// The elements, to be written, once no device is using them. Copies of other parts of the buffer may be under way.
    ///
    /// # Errors
    ///
    /// As for [`PinnedArray::as_slice`].
    pub fn as_mut_slice(&mut self) -> Result<&mut [T]> {
        let pointer = self.memory.settled(&self.bytes(), true)?;
        // SAFETY: the range is inside of the memory, and as in `PinnedArray::as_mut_slice`.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer.cast(), self.len) })
    }
}

impl<T: Element> CopySource for PinnedArray<T> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { place: Place::Pinned(self.memory()), bytes: self.bytes(), len: self.len() }
    }
}

impl<T: Element> CopyTarget for PinnedArray<T> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

impl<T: Element, M> CopySource for PinnedSlice<'_, T, M> {
    type Element = T;

    fn source(&self) -> Region<'_> {
        Region { place: Place::Pinned(self.memory()), bytes: self.bytes(), len: self.len() }
    }
}

impl<T: Element, M: Writable> CopyTarget for PinnedSlice<'_, T, M> {
    type Element = T;

    fn target(&mut self) -> Region<'_> {
        self.source()
    }
}

impl<T, M> fmt::Debug for PinnedSlice<'_, T, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedSlice<{}>(len {}, for {})", std::any::type_name::<T>(), self.len, self.memory.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn what_goes_in_comes_out() {
        let device = Device::cpu();
        let mut buffer = device.to_pinned(&[1, 2, 3]).unwrap();
        buffer.as_mut_slice().unwrap()[1] = 20;
        let stream = device.default_stream();
        let mut x = device.zeros(3).unwrap();
        stream.copy(&buffer, &mut x).unwrap();
        buffer.as_mut_slice().unwrap().fill(0);
        stream.copy(&x.slice(1..).unwrap(), &mut buffer.slice_mut(..2).unwrap()).unwrap();
        assert_eq!(buffer.as_slice().unwrap(), [20, 3, 0]);
        assert_eq!(format!("{buffer:?}"), "PinnedArray<i32>(len 3, for cpu)");
    }

    #[test]
    fn parts_are_copied_to_and_from() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<u8>(6).unwrap();
        let whole = buffer.slice_mut(..).unwrap();
        let (mut left, mut right) = whole.split_at(2).unwrap();
        left.as_mut_slice().unwrap().fill(1);
        right.as_mut_slice().unwrap().fill(2);
        assert_eq!((left.len(), right.slice(3..).unwrap().as_slice().unwrap()), (2, &[2][..]));
        let other = device.to_pinned(&[7, 8]).unwrap();
        device.default_stream().copy(&other, &mut buffer.slice_mut(3..5).unwrap()).unwrap();
        assert_eq!(buffer.as_slice().unwrap(), [1, 1, 2, 7, 8, 2]);
        assert!(buffer.slice(5..7).is_err() && buffer.slice_mut(..).unwrap().split_at(7).is_err());
    }

    #[test]
    fn what_a_device_wrote_becomes_values() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<bool>(4).unwrap();
        for round in 0..2 * MANY_COPIES {
            let bytes = round % 3..round % 3 + 1;
            buffer
                .memory
                .writing(&device.default_stream(), bytes.clone(), |address| {
                    // SAFETY: the address is that of a byte of the buffer, which nobody else has.
                    unsafe { address.write(0xff) };
                    Ok(())
                })
                .unwrap();
            if round % 5 == 0 {
                assert!(buffer.slice(bytes).unwrap().as_slice().unwrap()[0]);
            }
        }
        assert!(buffer.memory.copies().len() <= MANY_COPIES);
        // The byte of a `true` is 1: comparing compares bytes.
        assert_eq!(buffer.as_mut_slice().unwrap(), [true, true, true, false]);
    }

    #[test]
    fn empty_buffers_are_buffers() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<f64>(0).unwrap();
        device.default_stream().copy(&device.zeros::<f64>(0).unwrap(), &mut buffer).unwrap();
        assert!(buffer.is_empty() && buffer.as_slice().unwrap().is_empty());
        let error = device.default_stream().copy(&device.zeros::<f64>(1).unwrap(), &mut buffer).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { from: 1, to: 0, .. }), "{error}");
    }

    #[test]
    fn elements_without_bytes_are_elements() {
        let device = Device::cpu();
        let mut buffer = device.pinned_zeros::<[bool; 0]>(0).unwrap();
        assert!(buffer.as_mut_slice().unwrap().is_empty());
        let mut buffer = device.pinned_zeros::<[bool; 0]>(3).unwrap();
        device.default_stream().copy(&device.zeros::<[bool; 0]>(3).unwrap(), &mut buffer).unwrap();
        assert_eq!(buffer.as_slice().unwrap(), [[]; 3]);
    }

    #[test]
    fn buffers_and_their_parts_cross_threads() {
        fn check<T: Send + Sync>(_: &T) {}
        let mut buffer = Device::cpu().pinned_zeros::<f32>(4).unwrap();
        check(&buffer);
        check(&buffer.slice(..2).unwrap());
        check(&buffer.slice_mut(2..).unwrap());
    }
}
