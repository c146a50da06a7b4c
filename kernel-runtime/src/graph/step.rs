//! The steps of a graph, as they are kept from run to run.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use smallvec::SmallVec;

use super::edges::Used;
use crate::cuda::{Geometry, Module, Node};

/// A step, and what it uses.
pub(super) struct Step {
    pub(super) work: Work,
    pub(super) uses: SmallVec<[Used; 4]>,
    /// The graph that was built does something else here.
    pub(super) changed: bool,
}

/// What a step does.
#[allow(clippy::large_enum_variant, reason = "nearly all steps are launches")]
pub(super) enum Work {
    Kernel(Kernel),
    Copy { to: u64, from: u64, bytes: usize },
    Clear { to: u64 },
}

/// A launch.
pub(super) struct Kernel {
    pub(super) module: &'static Module,
    pub(super) geometry: Geometry,
    pub(super) values: Values,
    /// Where the address of the buffer for messages is in the values, for a kernel that prints.
    pub(super) print_at: Option<usize>,
}

impl Work {
    /// Takes the place of what was here in the last run. Says whether it differs, or `None` if another graph is needed.
    pub(super) fn replace(&mut self, new: Work) -> Option<bool> {
        let changed = match (&*self, &new) {
            (Work::Kernel(old), Work::Kernel(new)) => {
                let is_same = std::ptr::eq(old.module, new.module)
                    && old.geometry.cluster == new.geometry.cluster
                    && old.geometry.cooperative == new.geometry.cooperative
                    && old.values.sizes == new.values.sizes;
                if !is_same {
                    return None;
                }
                old.geometry != new.geometry || old.values != new.values
            }
            (Work::Copy { to, from, bytes }, Work::Copy { to: new_to, from: new_from, bytes: new_bytes }) => {
                (to, from, bytes) != (new_to, new_from, new_bytes)
            }
            (Work::Clear { to }, Work::Clear { to: new_to }) => to != new_to,
            (Work::Kernel(_) | Work::Copy { .. } | Work::Clear { .. }, _) => return None,
        };
        *self = new;
        Some(changed)
    }

    /// The step as a node of a CUDA graph, during a call.
    pub(super) fn with_node<R>(&mut self, then: impl FnOnce(Node<'_>) -> R) -> R {
        match self {
            Work::Kernel(Kernel { module, geometry, values, print_at: _ }) => {
                let mut parameters = values.pointers();
                then(Node::Kernel { module, geometry, parameters: &mut parameters })
            }
            Work::Copy { to, from, bytes } => then(Node::Copy { to: *to, from: *from, bytes: *bytes }),
            Work::Clear { to } => then(Node::Clear { to: *to }),
        }
    }
}

/// The values of a kernel's parameters, one behind the other.
pub(super) struct Values {
    /// A value may have bytes that are not initialised, between its fields.
    bytes: Vec<MaybeUninit<u8>>,
    sizes: SmallVec<[u32; 40]>,
}

impl Values {
    /// Copies the values.
    ///
    /// # Safety
    ///
    /// Each parameter points to a value of its size.
    pub(super) unsafe fn copy(parameters: &[*mut c_void], sizes: &[u32]) -> Values {
        let total = sizes.iter().map(|&size| size as usize).sum();
        let mut bytes = Vec::with_capacity(total);
        for (&parameter, &size) in parameters.iter().zip(sizes) {
            // SAFETY: the caller's promise; bytes that need not be initialised may be any.
            bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(parameter.cast(), size as usize) });
        }
        Values { bytes, sizes: SmallVec::from_slice(sizes) }
    }

    /// Pointers to the values. They are not aligned for these: the driver copies bytes.
    fn pointers(&mut self) -> SmallVec<[*mut c_void; 40]> {
        let mut at = 0;
        let mut pointer = |size: &u32| {
            let pointer = self.bytes[at..].as_mut_ptr().cast();
            at += *size as usize;
            pointer
        };
        self.sizes.iter().map(&mut pointer).collect()
    }

    /// Where the last value begins.
    pub(super) fn last(&self) -> usize {
        self.bytes.len() - self.sizes.last().map_or(0, |&size| size as usize)
    }

    /// The 8 bytes at `at`, which are those of a number of ours.
    pub(super) fn get(&self, at: usize) -> u64 {
        let mut value = [0; 8];
        for (byte, kept) in value.iter_mut().zip(&self.bytes[at..at + 8]) {
            // SAFETY: a number has no bytes that are not initialised.
            *byte = unsafe { kept.assume_init() };
        }
        u64::from_ne_bytes(value)
    }

    /// Sets these 8 bytes, and says whether they were others.
    pub(super) fn set(&mut self, at: usize, value: u64) -> bool {
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
