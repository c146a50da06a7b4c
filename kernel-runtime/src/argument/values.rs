//! The parameters of a kernel: pointers to them, and their values where they are kept beyond a launch.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use smallvec::SmallVec;

/// Pointers to the parameters, as `cuLaunchKernel` wants them. Kernels of up to 16 slices need no allocation.
pub(crate) type Params = SmallVec<[*mut c_void; 40]>;

/// The sizes of the parameters, in bytes.
pub(crate) type Sizes = SmallVec<[u32; 40]>;

/// The values of a kernel's parameters, one behind the other: little that a processor has to fetch.
pub(crate) struct Values {
    /// A value may have bytes that are not initialised, between its fields.
    bytes: Vec<MaybeUninit<u8>>,
    sizes: Sizes,
}

impl Values {
    /// Copies the values.
    ///
    /// # Safety
    ///
    /// Each parameter points to a value of its size.
    pub(crate) unsafe fn copy(parameters: &[*mut c_void], sizes: &[u32]) -> Values {
        let total = sizes.iter().map(|&size| size as usize).sum();
        let mut bytes = Vec::with_capacity(total);
        for (&parameter, &size) in parameters.iter().zip(sizes) {
            // SAFETY: the caller's promise; bytes that need not be initialised may be any.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(parameter.cast(), size as usize) });
        }
        Values { bytes, sizes: SmallVec::from_slice(sizes) }
    }

    /// Pointers to the values. They are not aligned for these: the driver copies bytes.
    pub(crate) fn pointers(&mut self) -> Params {
        let mut at = 0;
        let mut pointer = |size: &u32| {
            let pointer = self.bytes[at..].as_mut_ptr().cast();
            at += *size as usize;
            pointer
        };
        self.sizes.iter().map(&mut pointer).collect()
    }

    /// The sizes of the values, in bytes.
    pub(crate) fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Where the last value begins.
    pub(crate) fn last(&self) -> usize {
        self.bytes.len() - self.sizes.last().map_or(0, |&size| size as usize)
    }

    /// The 8 bytes at `at`, which are those of a number of ours.
    pub(crate) fn get(&self, at: usize) -> u64 {
        let mut value = [0; 8];
        for (byte, kept) in value.iter_mut().zip(&self.bytes[at..at + 8]) {
            // SAFETY: a number has no bytes that are not initialised.
            *byte = unsafe { kept.assume_init() };
        }
        u64::from_ne_bytes(value)
    }

    /// Sets these 8 bytes, and says whether they were others.
    pub(crate) fn set(&mut self, at: usize, value: u64) -> bool {
        let changed = self.get(at) != value;
        for (byte, new) in self.bytes[at..at + 8].iter_mut().zip(value.to_ne_bytes()) {
            *byte = MaybeUninit::new(new);
        }
        changed
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Values) -> bool {
        let Values { bytes, sizes } = self;
        // SAFETY: both have that many bytes. Those that are not initialised may be any at C's function, which the compiler does
        // not look into; the worst that comes of them is that values count as changed that are not.
        *sizes == other.sizes
            && unsafe { libc::memcmp(bytes.as_ptr().cast(), other.bytes.as_ptr().cast(), bytes.len()) } == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(a: u8, b: u64, c: [u16; 3]) -> Values {
        let (mut a, mut b, mut c) = (a, b, c);
        let parameters = [(&raw mut a).cast(), (&raw mut b).cast(), (&raw mut c).cast()];
        // SAFETY: these are the sizes of the three values.
        unsafe { Values::copy(&parameters, &[1, 8, 6]) }
    }

    #[test]
    fn values_are_compared_and_changed() {
        let mut some = values(1, 2, [3, 4, 5]);
        assert!(some == values(1, 2, [3, 4, 5]));
        assert!(some != values(1, 2, [3, 4, 6]) && some != values(0, 2, [3, 4, 5]));
        assert!(some.set(1, 7) && !some.set(1, 7));
        assert!(some == values(1, 7, [3, 4, 5]));
        assert_eq!(some.last(), 9);
        let pointers = some.pointers();
        // SAFETY: there are such values.
        unsafe {
            assert_eq!(pointers[0].cast::<u8>().read(), 1);
            assert_eq!(pointers[1].cast::<u64>().read_unaligned(), 7);
            assert_eq!(pointers[2].cast::<[u16; 3]>().read_unaligned(), [3, 4, 5]);
        }
    }
}
