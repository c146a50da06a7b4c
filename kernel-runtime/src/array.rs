//! Arrays on a device.

use std::fmt;
use std::marker::PhantomData;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::{Contents, Memory, no_room};
use crate::types::{Element, make_valid};

/// An array of `T` in the memory of a device.
///
/// [`Device::to_device`] and [`Device::zeros`] make one; kernels take `&DeviceArray<T>` for a `&[T]` and
/// `&mut DeviceArray<T>` for a `&mut [T]`. Dropping it while a kernel uses it is fine: the memory is freed after the
/// kernel.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::cpu().to_device(&[1.0f32, 2.0, 3.0])?;
/// x.copy_from_host(&[4.0, 5.0, 6.0])?;
/// assert_eq!(x.to_host()?, [4.0, 5.0, 6.0]);
/// # Ok(())
/// # }
/// ```
pub struct DeviceArray<T> {
    memory: Memory,
    len: usize,
    elements: PhantomData<T>,
}

// SAFETY: the memory belongs to the array. A shared array is only read: a launch that writes borrows it mutably, and holds
// the borrow until it is over (CPU) or ordered on the array's stream (GPU). The handle of the device may be sent.
unsafe impl<T: Send> Send for DeviceArray<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for DeviceArray<T> {}

/// An array as a launch passes it on: where its elements are and how many.
///
/// On a GPU the pointer is an address of the device, without provenance: the host must not read through it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSlice {
    /// The first element; aligned for it also where there is none.
    pub(crate) pointer: *mut u8,
    /// How many elements there are.
    pub(crate) len: usize,
}

impl<T: Element> DeviceArray<T> {
    pub(crate) fn from_host(device: &Device, values: &[T]) -> Result<DeviceArray<T>> {
        let memory = Memory::allocate::<T>(&device.default_stream(), values.len(), Contents::Nothing)?;
        let mut array = DeviceArray { memory, len: values.len(), elements: PhantomData };
        array.copy_from_host(values)?;
        Ok(array)
    }

    pub(crate) fn zeros(device: &Device, len: usize) -> Result<DeviceArray<T>> {
        let memory = Memory::allocate::<T>(&device.default_stream(), len, Contents::Zeros)?;
        Ok(DeviceArray { memory, len, elements: PhantomData })
    }

    /// A copy of the elements, once every kernel launched before is done.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] where a kernel faulted since the last call that waited; the elements are then still there, and
    /// the next call gives them. [`Error::OutOfMemory`] where the host has no room.
    pub fn to_host(&self) -> Result<Vec<T>> {
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(self.len).map_err(|_| no_room::<T>("the host".to_owned(), self.len))?;
        // SAFETY: the vector has room for `len` elements; all of them are written, made values, and only then its own.
        unsafe {
            self.copy_bytes_to(values.as_mut_ptr())?;
            make_valid(values.as_mut_ptr(), self.len);
            values.set_len(self.len);
        }
        Ok(values)
    }

    /// Copies the elements into `values`, once every kernel launched before is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`], and [`Error::Fault`] as in [`DeviceArray::to_host`].
    pub fn copy_to_host(&self, values: &mut [T]) -> Result<()> {
        self.check_length("copy_to_host", values.len())?;
        // SAFETY: the slice has `len` elements. They are made values even if there was an error: a fault is given out behind
        // the copy.
        unsafe {
            let result = self.copy_bytes_to(values.as_mut_ptr());
            make_valid(values.as_mut_ptr(), self.len);
            result
        }
    }

    /// Copies `values` over the elements, once every kernel launched before is done.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`], or what the driver refused.
    pub fn copy_from_host(&mut self, values: &[T]) -> Result<()> {
        self.check_length("copy_from_host", values.len())?;
        // SAFETY: both have that many bytes, and the array is borrowed mutably.
        unsafe { self.memory.write(None, 0..self.memory.bytes(), values.as_ptr().cast()) }
    }

    /// Copies the bytes of all elements to `to`. They may be no values: zeros and a kernel on a GPU can leave such.
    ///
    /// # Safety
    ///
    /// `to` is valid for writing `len` elements.
    unsafe fn copy_bytes_to(&self, to: *mut T) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.memory.read(None, 0..self.memory.bytes(), to.cast()) }
    }

    fn check_length(&self, operation: &'static str, host: usize) -> Result<()> {
        if host == self.len { Ok(()) } else { Err(Error::LengthMismatch { operation, array: self.len, host }) }
    }
}

impl<T> DeviceArray<T> {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that holds the array.
    pub fn device(&self) -> &Device {
        self.memory.device()
    }

    /// The array for a launch.
    pub(crate) fn raw(&self) -> RawSlice {
        RawSlice { pointer: self.memory.pointer(), len: self.len }
    }

    /// Its memory.
    pub(crate) fn memory(&self) -> &Memory {
        &self.memory
    }
}

impl<T> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceArray<{}>(len {}, on {})", std::any::type_name::<T>(), self.len, self.device())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let device = Device::cpu();
        let mut array = device.to_device(&[1i32, -2, 3]).unwrap();
        assert_eq!(array.to_host().unwrap(), [1, -2, 3]);
        array.copy_from_host(&[7, 8, 9]).unwrap();
        let mut values = [0; 3];
        array.copy_to_host(&mut values).unwrap();
        assert_eq!(values, [7, 8, 9]);
        assert_eq!(device.zeros::<bool>(5).unwrap().to_host().unwrap(), [false; 5]);
        assert_eq!(format!("{array:?}"), "DeviceArray<i32>(len 3, on cpu)");
        assert_eq!(array.device(), &device);
    }

    #[test]
    fn memory_is_aligned_to_a_cache_line() {
        for len in [0, 1, 7, 1000] {
            let array = Device::cpu().zeros::<u8>(len).unwrap();
            assert_eq!(array.raw().pointer.addr() % 64, 0);
            assert_eq!(array.raw().len, len);
        }
    }

    #[test]
    fn an_empty_array_is_an_array() {
        let mut array = Device::cpu().to_device::<u64>(&[]).unwrap();
        assert!(array.is_empty());
        array.copy_from_host(&[]).unwrap();
        array.copy_to_host(&mut []).unwrap();
        assert_eq!(array.to_host().unwrap(), [0u64; 0]);
        assert!(Device::cpu().zeros::<f32>(0).unwrap().is_empty());
    }

    #[test]
    fn lengths_must_agree() {
        let mut array = Device::cpu().zeros::<i32>(3).unwrap();
        let error = array.copy_from_host(&[1, 2]).unwrap_err();
        assert_eq!(error.to_string(), "copy_from_host: the array has 3 elements and the host slice has 2");
        assert!(matches!(array.copy_to_host(&mut [0; 4]), Err(Error::LengthMismatch { array: 3, host: 4, .. })));
    }

    #[test]
    fn too_much_memory_is_an_error() {
        for len in [usize::MAX, isize::MAX as usize, 1 << 60, (1 << 47) / size_of::<f64>()] {
            let error = Device::cpu().zeros::<f64>(len).unwrap_err();
            assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
            assert!(error.to_string().starts_with("out of memory on cpu"), "{error}");
        }
    }

    #[test]
    fn an_array_crosses_threads() {
        let array = Device::cpu().to_device(&[1u32, 2, 3]).unwrap();
        let sums: Vec<u32> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| array.to_host().unwrap().iter().sum())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(sums, [6; 4]);
    }
}
