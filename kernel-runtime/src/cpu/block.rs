//! A block of threads: where it is in the grid, and the memory its threads share.

use std::any::TypeId;
use std::cell::RefCell;

use crate::cpu::access::Write;
use crate::cpu::at::At;
use crate::cpu::view::{Slice, Storage};
use crate::dim::Dim3;
use crate::types::{Element, Storable};

/// Shared memory is aligned to this many bytes, as CUDA's is for any type.
pub(crate) const ALIGNMENT: usize = 16;

/// What fills shared memory before a block runs, since it has no initial values: floats read as NaN, integers as −1.
const POISON: u128 = u128::MAX;

/// Where a block is in its grid.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) block_idx: Dim3,
    pub(crate) block_dim: Dim3,
    pub(crate) grid_dim: Dim3,
}

impl Place {
    /// The block of a grid of one thread.
    pub(crate) const SINGLE: Place = Place { block_idx: Dim3::ZERO, block_dim: Dim3::ONE, grid_dim: Dim3::ONE };
}

/// The memory of a block while it runs. All its threads are on one thread of the host.
pub(crate) struct BlockMemory {
    /// The storage of each place in the source that calls `shared`, once a thread has been there.
    shared: RefCell<Vec<(Site, Memory)>>,
    dynamic: Memory,
    dynamic_bytes: usize,
}

/// Which storage: a place of a function at one choice of its generic arguments, as on a GPU. Two functions that a macro
/// wrote may have the same places.
#[derive(PartialEq, Eq)]
struct Site {
    function: TypeId,
    at: &'static At,
    ty: TypeId,
}

/// Zero or more bytes, aligned to [`ALIGNMENT`] and poisoned. Views point into it, so it is never moved or grown, and
/// never borrowed.
struct Memory(*mut [u128]);

impl Memory {
    fn poisoned(bytes: usize) -> Memory {
        let words = vec![POISON; bytes.div_ceil(ALIGNMENT)].into_boxed_slice();
        Memory(Box::into_raw(words))
    }

    fn pointer<T>(&self) -> *mut T {
        self.0.cast()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `Box::into_raw` and is given back once; the views into it live for `'k`,
        // which ends with the borrow of the block.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl BlockMemory {
    pub(crate) fn new(dynamic_bytes: usize) -> Self {
        BlockMemory { shared: RefCell::new(Vec::new()), dynamic: Memory::poisoned(dynamic_bytes), dynamic_bytes }
    }

    /// The storage that belongs to `at` in `function`.
    pub(crate) fn shared<A: Storable>(&self, function: TypeId, at: &'static At) -> Storage<'_, A> {
        const { assert!(align_of::<A>() <= ALIGNMENT) };
        let site = Site { function, at, ty: TypeId::of::<A>() };
        let mut shared = self.shared.borrow_mut();
        let position = shared.iter().position(|(known, _)| *known == site).unwrap_or_else(|| {
            shared.push((site, Memory::poisoned(size_of::<A>())));
            shared.len() - 1
        });
        // SAFETY: the memory holds at least an `A`, aligned and initialised; it is freed with the block, which the
        // result borrows; only views reach it.
        unsafe { Storage::new(shared[position].1.pointer()) }
    }

    /// The bytes of dynamic shared memory.
    pub(crate) fn dynamic_bytes(&self) -> usize {
        self.dynamic_bytes
    }

    /// `len` elements of the dynamic shared memory, from `offset`, or `None` where they are not inside it or not
    /// aligned.
    pub(crate) fn dynamic<T: Element>(&self, offset: usize, len: usize) -> Option<Slice<'_, T, Write>> {
        let end = len.checked_mul(size_of::<T>())?.checked_add(offset)?;
        if end > self.dynamic_bytes || !offset.is_multiple_of(align_of::<T>()) {
            return None;
        }
        // SAFETY: the elements end within the memory, whose start is aligned for every `T` and the offset too; its
        // bytes are initialised and valid for every `Element`, which reads any pattern; it is freed with the block,
        // which the result borrows; only views reach it.
        Some(unsafe { Slice::new(self.dynamic.pointer::<T>().byte_add(offset), len) })
    }
}
