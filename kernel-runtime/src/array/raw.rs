//! Raw addresses of arrays, for interoperation with other libraries.

use std::alloc::Layout;
use std::any::Any;

use super::{DeviceArray, DeviceSlice};
use crate::error::Result;
use crate::handles::access::Writable;
use crate::memory::{Memory, no_room};
use crate::stream::Stream;
use crate::types::DeviceType;

impl<T: DeviceType> DeviceArray<T> {
    /// Wraps existing memory, which is freed by dropping `owner`. The owner is dropped once all accesses to the array
    /// have completed or, on a GPU, once `stream` waits for them, so that it may free the memory in the order of that
    /// stream. Pass `()` if nothing is to be freed.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let stream = Device::cpu().default_stream();
    /// let mut numbers: Box<[u32]> = Box::new([1, 2, 3]);
    /// let (pointer, len) = (numbers.as_mut_ptr(), numbers.len());
    /// // SAFETY: the box has that many elements, and is the owner.
    /// let x = unsafe { DeviceArray::from_raw_parts(&stream, pointer, len, numbers)? };
    /// assert_eq!(x.to_host()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory) if the size of the array overflows.
    ///
    /// # Safety
    ///
    /// For as long as `owner` lives, which a graph that uses the array may prolong, `pointer` is the address of `len`
    /// elements in the memory of the stream's device, aligned for them (and on the CPU initialised). Others access them
    /// only in the order of the stream.
    pub unsafe fn from_raw_parts(
        stream: &Stream,
        pointer: *mut T,
        len: usize,
        owner: impl Any + Send + Sync,
    ) -> Result<DeviceArray<T>> {
        let layout = Layout::array::<T>(len).map_err(|_| no_room::<T>(stream.device().into(), len))?;
        // SAFETY: upheld by the caller.
        let memory = unsafe { Memory::foreign(stream, pointer.cast(), layout, Box::new(owner)) }?;
        Ok(DeviceArray::from_memory(memory, len))
    }
}

impl<T> DeviceArray<T> {
    /// Returns the address of the first element: on a GPU a device address, which the host must not dereference.
    ///
    /// The caller is responsible for ordering accesses through it: after a
    /// [`Device::synchronize`](crate::Device::synchronize), or on the stream on which the array is used.
    pub fn as_ptr(&self) -> *const T {
        self.raw().pointer.cast_const().cast()
    }

    /// Like [`DeviceArray::as_ptr`], for writes.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.raw().pointer.cast()
    }
}

impl<T, M> DeviceSlice<'_, T, M> {
    /// Returns the address of the first element, like [`DeviceArray::as_ptr`].
    pub fn as_ptr(&self) -> *const T {
        self.pointer().cast_const()
    }

    /// Like [`DeviceSlice::as_ptr`], for writes.
    pub fn as_mut_ptr(&mut self) -> *mut T
    where
        M: Writable,
    {
        self.pointer()
    }
}
