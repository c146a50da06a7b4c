//! Arrays on a device.
//!
//! An array's memory is bytes behind a raw pointer, never a `Vec` or a slice that lives on: while a kernel runs, many
//! threads write it, on the CPU too, and no Rust reference to the elements may be alive then.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::fmt;
use std::marker::PhantomData;

use crate::device::{Backend, Device, host_memory};
use crate::error::{Error, Result};
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
    device: Device,
    /// On a GPU, an address there. Where there are no bytes, nothing is allocated and this is [`NOWHERE`].
    pointer: *mut u8,
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

/// CPU arrays start on a cache line, as GPU arrays do (those start on 256 bytes).
const ALIGNMENT: usize = 64;

/// The address of arrays without bytes: aligned, not null, and never read.
const NOWHERE: *mut u8 = std::ptr::without_provenance_mut(ALIGNMENT);

/// What a new array holds.
#[derive(Clone, Copy)]
enum Fill {
    /// Whatever was there: the caller writes all of it before anyone reads.
    Nothing,
    /// Zero bytes.
    Zeros,
}

impl<T: Element> DeviceArray<T> {
    pub(crate) fn from_host(device: &Device, values: &[T]) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::new(device, values.len(), Fill::Nothing)?;
        array.copy_from_host(values)?;
        Ok(array)
    }

    pub(crate) fn zeros(device: &Device, len: usize) -> Result<DeviceArray<T>> {
        DeviceArray::new(device, len, Fill::Zeros)
    }

    fn new(device: &Device, len: usize, fill: Fill) -> Result<DeviceArray<T>> {
        let layout = layout_of::<T>(len);
        let pointer = match device.backend() {
            _ if layout.is_some_and(|layout| layout.size() == 0) => NOWHERE,
            Backend::Cpu(_) => allocate_on_host(layout, fill).ok_or_else(|| no_room::<T>(device.to_string(), len))?,
            // More bytes than an address can name: the GPU refuses them too, with its own numbers.
            Backend::Cuda(context) => {
                let address = context.alloc(layout.map_or(usize::MAX, |layout| layout.size()))?;
                std::ptr::without_provenance_mut(address as usize)
            }
        };
        let array = DeviceArray { device: device.clone(), pointer, len, elements: PhantomData };
        if let (Backend::Cuda(context), Fill::Zeros) = (device.backend(), fill) {
            // SAFETY: the array has that many bytes.
            unsafe { context.clear(array.address(), array.bytes()) }?;
        }
        Ok(array)
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
        match self.device.backend() {
            Backend::Cpu(_) => {
                // SAFETY: both have `len` elements, aligned; they do not overlap, since the array is borrowed mutably.
                unsafe { self.pointer.cast::<T>().copy_from_nonoverlapping(values.as_ptr(), self.len) };
                Ok(())
            }
            // SAFETY: both have that many bytes.
            Backend::Cuda(context) => unsafe {
                context.copy_from_host(self.address(), values.as_ptr().cast(), self.bytes())
            },
        }
    }

    /// Copies the bytes of all elements to `to`. They may be no values: zeros and a kernel on a GPU can leave such.
    ///
    /// # Safety
    ///
    /// `to` is valid for writing `len` elements.
    unsafe fn copy_bytes_to(&self, to: *mut T) -> Result<()> {
        match self.device.backend() {
            Backend::Cpu(state) => {
                state.give_out_fault()?;
                // SAFETY: the caller's promise; no kernel is writing, since a launch on the CPU borrows the array
                // mutably until it is over.
                unsafe { to.copy_from_nonoverlapping(self.pointer.cast::<T>(), self.len) };
                Ok(())
            }
            // SAFETY: the caller's promise.
            Backend::Cuda(context) => unsafe { context.copy_to_host(to.cast(), self.address(), self.bytes()) },
        }
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
        &self.device
    }

    /// The array for a launch.
    pub(crate) fn raw(&self) -> RawSlice {
        RawSlice { pointer: self.pointer, len: self.len }
    }

    /// The first element's address on a GPU.
    fn address(&self) -> u64 {
        self.pointer.addr() as u64
    }

    /// The size of all elements; it cannot overflow, because that much memory was allocated.
    fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }
}

impl<T> Drop for DeviceArray<T> {
    fn drop(&mut self) {
        if self.bytes() == 0 {
            return;
        }
        match self.device.backend() {
            Backend::Cpu(_) => {
                if let Some(layout) = layout_of::<T>(self.len) {
                    // SAFETY: allocated in `new` with this layout; launches on the CPU are over when they return.
                    unsafe { dealloc(self.pointer, layout) };
                }
            }
            // SAFETY: allocated in `new`; the free is ordered after all launches that were given the pointer.
            Backend::Cuda(context) => unsafe { context.free(self.address()) },
        }
    }
}

impl<T> fmt::Debug for DeviceArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceArray<{}>(len {}, on {})", std::any::type_name::<T>(), self.len, self.device)
    }
}

/// Memory of the host; `None` where there is not that much, or nothing is asked for.
fn allocate_on_host(layout: Option<Layout>, fill: Fill) -> Option<*mut u8> {
    let layout = layout.filter(|layout| layout.size() != 0)?;
    // SAFETY: the size is not 0.
    let pointer = unsafe {
        match fill {
            Fill::Nothing => alloc(layout),
            Fill::Zeros => alloc_zeroed(layout),
        }
    };
    (!pointer.is_null()).then_some(pointer)
}

/// The memory of `len` elements; `None` where it is more than an address can name.
fn layout_of<T>(len: usize) -> Option<Layout> {
    Layout::array::<T>(len).and_then(|layout| layout.align_to(ALIGNMENT)).ok()
}

/// The host has no room for `len` elements.
fn no_room<T>(device: String, len: usize) -> Error {
    let (free, total) = host_memory();
    Error::OutOfMemory { device, requested: len.saturating_mul(size_of::<T>()), free, total }
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
            assert_eq!(array.raw().pointer.addr() % ALIGNMENT, 0);
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
