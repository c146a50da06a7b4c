//! Arrays as addresses: for libraries that know nothing of ours.

use std::alloc::Layout;
use std::any::Any;

use super::{DeviceArray, DeviceSlice};
use crate::cpu::access::Writable;
use crate::error::Result;
use crate::memory::{Memory, no_room};
use crate::stream::Stream;
use crate::types::Element;

impl<T: Element> DeviceArray<T> {
    /// An array in memory that is there already, and that is freed by dropping `owner`: once all that uses the array is over
    /// or, on a GPU, was waited for by `stream`, so that the owner may free it in the order of that stream. Where nothing
    /// is to be freed, the owner is `()`.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let stream = Device::cpu().default_stream();
    /// let mut numbers: Box<[u32]> = Box::new([1, 2, 3]);
    /// let (pointer, len) = (numbers.as_mut_ptr(), numbers.len());
    /// // SAFETY: the box has that many numbers, and is kept.
    /// let x = unsafe { DeviceArray::from_raw_parts(&stream, pointer, len, numbers)? };
    /// assert_eq!(x.to_host()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) where there cannot be so many elements.
    ///
    /// # Safety
    ///
    /// For as long as `owner` lives, which a graph that uses the array keeps too, `pointer` is the address of `len` elements in
    /// the memory of the stream's device, aligned for them (and on the CPU initialised), which others use in the order of the
    /// stream or not at all.
    pub unsafe fn from_raw_parts(
        stream: &Stream,
        pointer: *mut T,
        len: usize,
        owner: impl Any + Send + Sync,
    ) -> Result<DeviceArray<T>> {
        let layout = Layout::array::<T>(len).map_err(|_| no_room::<T>(stream.device().to_string(), len))?;
        // SAFETY: upheld by the caller.
        let memory = unsafe { Memory::foreign(stream, pointer.cast(), layout, Box::new(owner)) }?;
        Ok(DeviceArray::from_memory(memory, len))
    }
}

impl<T> DeviceArray<T> {
    /// The address of the first element: on a GPU, one of the device, which the host must not read.
    ///
    /// What is done with it is the caller's to order: behind a [`Device::synchronize`](crate::Device::synchronize), or on the
    /// stream that the array is used on.
    pub fn as_ptr(&self) -> *const T {
        self.raw().pointer.cast_const().cast()
    }

    /// As [`DeviceArray::as_ptr`], to be written.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.raw().pointer.cast()
    }
}

impl<T, M> DeviceSlice<'_, T, M> {
    /// The address of the first element, as [`DeviceArray::as_ptr`].
    pub fn as_ptr(&self) -> *const T {
        self.pointer().cast_const()
    }

    /// As [`DeviceSlice::as_ptr`], to be written.
    pub fn as_mut_ptr(&mut self) -> *mut T
    where
        M: Writable,
    {
        self.pointer()
    }
}
