//! Kernel parameters: pointers to them, and copies of their values that outlive a launch.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use smallvec::SmallVec;

use crate::cuda::LaunchParameter;

/// Pointers to the kernel parameters, in the form that `cuLaunchKernel` takes. Up to 16 slices need no allocation.
pub(crate) type Params = SmallVec<[*mut c_void; 40]>;

/// The sizes of the parameters, in bytes.
pub(crate) type Sizes = SmallVec<[u32; 40]>;

/// Returns a pointer to the value of a parameter, and its size in bytes. In CUDA C an empty struct, which has size zero
/// in Rust, has one byte, of any value.
#[inline]
pub(super) fn value_of<T>(value: &T) -> (*mut c_void, usize) {
    static EMPTY: u8 = 0;
    if size_of::<T>() == 0 {
        ((&raw const EMPTY).cast_mut().cast(), 1)
    } else {
        (std::ptr::from_ref(value).cast_mut().cast(), size_of::<T>())
    }
}

/// The values of a kernel's parameters, packed without padding, so that they occupy few cache lines.
pub(crate) struct PackedParams {
    /// A value may contain uninitialised padding.
    bytes: Vec<MaybeUninit<u8>>,
    sizes: Sizes,
}

impl PackedParams {
    /// Copies the values of the parameters, and appends the hidden one, if the kernel takes it.
    ///
    /// # Safety
    ///
    /// Each parameter points to a value of its size.
    pub(crate) unsafe fn copy(
        mut parameters: Params,
        mut sizes: Sizes,
        mut last: Option<LaunchParameter>,
    ) -> PackedParams {
        if let Some(pointer) = LaunchParameter::pointer_to(&mut last) {
            parameters.push(pointer);
            sizes.push(size_of::<LaunchParameter>() as u32);
        }
        let total = sizes.iter().map(|&size| size as usize).sum();
        let mut bytes = Vec::with_capacity(total);
        for (&parameter, &size) in parameters.iter().zip(&sizes) {
            // SAFETY: the caller's promise, or `last`; `MaybeUninit` admits uninitialised bytes.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(parameter.cast(), size as usize) });
        }
        PackedParams { bytes, sizes }
    }

    /// Returns pointers to the values. They may be misaligned for the types: the driver copies bytes.
    pub(crate) fn pointers(&mut self) -> Params {
        let mut at = 0;
        let mut pointer = |size: &u32| {
            let pointer = self.bytes[at..].as_mut_ptr().cast();
            at += *size as usize;
            pointer
        };
        self.sizes.iter().map(&mut pointer).collect()
    }

    /// Returns the sizes of the values, in bytes.
    pub(crate) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Returns the offset of the last value, in bytes.
    pub(crate) fn last(&self) -> usize {
        self.bytes.len() - self.sizes.last().map_or(0, |&size| size as usize)
    }

    /// Returns the 8 bytes at offset `at`, which belong to an integer of the launch parameter.
    pub(crate) fn get(&self, at: usize) -> u64 {
        let mut value = [0; 8];
        for (byte, kept) in value.iter_mut().zip(&self.bytes[at..at + 8]) {
            // SAFETY: an integer has no padding.
            *byte = unsafe { kept.assume_init() };
        }
        u64::from_ne_bytes(value)
    }

    /// Sets the 8 bytes at offset `at`, and returns whether that changed them.
    pub(crate) fn set(&mut self, at: usize, value: u64) -> bool {
        let changed = self.get(at) != value;
        for (byte, new) in self.bytes[at..at + 8].iter_mut().zip(value.to_ne_bytes()) {
            *byte = MaybeUninit::new(new);
        }
        changed
    }
}

impl PartialEq for PackedParams {
    fn eq(&self, other: &PackedParams) -> bool {
        let PackedParams { bytes, sizes } = self;
        // SAFETY: equal sizes imply equal lengths in bytes. `memcmp` is opaque to the compiler, so it reads uninitialised padding
        // as arbitrary bytes; in the worst case equal values compare as different.
        *sizes == other.sizes
            && unsafe { libc::memcmp(bytes.as_ptr().cast(), other.bytes.as_ptr().cast(), bytes.len()) } == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(a: u8, b: u64, c: [u16; 3]) -> PackedParams {
        let (mut a, mut b, mut c) = (a, b, c);
        let parameters = [(&raw mut a).cast(), (&raw mut b).cast(), (&raw mut c).cast()];
        // SAFETY: these are the sizes of the three values.
        unsafe { PackedParams::copy(parameters.into_iter().collect(), SmallVec::from_slice(&[1, 8, 6]), None) }
    }

    #[test]
    fn values_are_compared_and_updated() {
        let mut some = packed(1, 2, [3, 4, 5]);
        assert!(some == packed(1, 2, [3, 4, 5]));
        assert!(some != packed(1, 2, [3, 4, 6]) && some != packed(0, 2, [3, 4, 5]));
        assert!(some.set(1, 7) && !some.set(1, 7));
        assert!(some == packed(1, 7, [3, 4, 5]));
        assert_eq!(some.last(), 9);
        let pointers = some.pointers();
        // SAFETY: the pointers point to values of these types.
        unsafe {
            assert_eq!(pointers[0].cast::<u8>().read(), 1);
            assert_eq!(pointers[1].cast::<u64>().read_unaligned(), 7);
            assert_eq!(pointers[2].cast::<[u16; 3]>().read_unaligned(), [3, 4, 5]);
        }
    }
}
