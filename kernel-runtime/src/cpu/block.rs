//! A block of threads: where it is in the grid, and the memory its threads share.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::cell::RefCell;

use crate::cpu::access::Write;
use crate::cpu::at::At;
use crate::cpu::place::Place;
use crate::cpu::slice::Slice;
use crate::dim::Dim3;
use crate::types::Element;

/// Dynamic shared memory is aligned to this many bytes, and a shared array at least to as many.
const ALIGNMENT: usize = 128;

/// What fills shared memory before a block runs, since it has no initial values: floats read as NaN, integers as −1.
const POISON: u8 = u8::MAX;

/// Where a block is in its grid.
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) block_idx: Dim3,
    pub(crate) block_dim: Dim3,
    pub(crate) grid_dim: Dim3,
}

impl Position {
    /// The block of a grid of one thread.
    pub(crate) const SINGLE: Position = Position { block_idx: Dim3::ZERO, block_dim: Dim3::ONE, grid_dim: Dim3::ONE };
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

/// Zero or more bytes, aligned and poisoned. Places point into it, so it is never moved or grown, and never borrowed.
struct Memory {
    pointer: *mut u8,
    layout: Layout,
}

impl Memory {
    /// Memory for bytes of this layout, or stricter.
    fn poisoned(layout: Layout) -> Memory {
        let layout = layout.align_to(ALIGNMENT).expect("a launch has been held to the device's limits");
        if layout.size() == 0 {
            return Memory { pointer: std::ptr::without_provenance_mut(layout.align()), layout };
        }
        // SAFETY: the size is not 0.
        let pointer = unsafe { alloc(layout) };
        if pointer.is_null() {
            handle_alloc_error(layout)
        }
        // SAFETY: that many bytes have been allocated just now.
        unsafe { pointer.write_bytes(POISON, layout.size()) };
        Memory { pointer, layout }
    }

    fn pointer<T>(&self) -> *mut T {
        self.pointer.cast()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: allocated with this layout, and given back once; the places in it live for `'k`, which ends with the
            // borrow of the block.
            unsafe { dealloc(self.pointer, self.layout) };
        }
    }
}

impl BlockMemory {
    /// Of a thread on its own. It costs nothing, so that an operator's function, which the body reaches through the host's,
    /// costs what the operation costs.
    #[inline(always)]
    pub(crate) fn empty() -> Self {
        let dynamic = Memory { pointer: std::ptr::without_provenance_mut(ALIGNMENT), layout: Layout::new::<()>() };
        BlockMemory { shared: RefCell::new(Vec::new()), dynamic, dynamic_bytes: 0 }
    }

    pub(crate) fn new(dynamic_bytes: usize) -> Self {
        let layout = Layout::array::<u8>(dynamic_bytes).expect("a launch has been held to the device's limits");
        BlockMemory { shared: RefCell::new(Vec::new()), dynamic: Memory::poisoned(layout), dynamic_bytes }
    }

    /// The storage that belongs to `at` in `function`.
    pub(crate) fn shared<A: Element>(&self, function: TypeId, at: &'static At) -> Place<'_, A, Write> {
        let site = Site { function, at, ty: TypeId::of::<A>() };
        let mut shared = self.shared.borrow_mut();
        let position = shared.iter().position(|(known, _)| *known == site).unwrap_or_else(|| {
            shared.push((site, Memory::poisoned(Layout::new::<A>())));
            shared.len() - 1
        });
        // SAFETY: the memory holds at least an `A`, aligned and initialised, though not with a value; it is freed with the
        // block, which the result borrows; only places reach it.
        unsafe { Place::new(shared[position].1.pointer()) }
    }

    /// The bytes of dynamic shared memory.
    pub(crate) fn dynamic_bytes(&self) -> usize {
        self.dynamic_bytes
    }

    /// `len` elements of the dynamic shared memory, from `offset`, or `None` where they are not inside it or not
    /// aligned.
    pub(crate) fn dynamic<T: Element>(&self, offset: usize, len: usize) -> Option<Slice<'_, T, Write>> {
        let end = len.checked_mul(size_of::<T>())?.checked_add(offset)?;
        if end > self.dynamic_bytes || align_of::<T>() > ALIGNMENT || !offset.is_multiple_of(align_of::<T>()) {
            return None;
        }
        // SAFETY: the elements end within the memory, whose start is aligned for `T` and the offset too; its bytes are
        // initialised, and any bits will do for an `Element` that is read through places; it is freed with the block, which
        // the result borrows; only places reach it.
        Some(unsafe { Slice::new(self.dynamic.pointer::<T>().byte_add(offset), len) })
    }
}
