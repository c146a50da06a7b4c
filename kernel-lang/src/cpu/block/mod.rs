//! A thread block: its index and dimensions, its shared memory, and the synchronisation of its threads.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::any::TypeId;
use std::cell::RefCell;

use crate::cpu::location::Location;
use crate::dim::Dim3;

mod coroutine_handle;
mod exchange;
mod state;
mod wait;
mod warp;

pub(crate) use coroutine_handle::CoroutineHandle;
pub(crate) use exchange::{Exchange, LaneInputs, exchange_values};
pub(crate) use state::{BlockState, End, VoteCount};
pub(crate) use wait::{Wait, deadlock};
pub(crate) use warp::WARP_SIZE;

/// The alignment of dynamic shared memory, and the minimum alignment of a shared variable, in bytes.
const ALIGNMENT: usize = 128;

/// The byte that fills shared memory, which has no initial values, before a block runs: floats read as NaN, integers as
/// −1.
const POISON: u8 = u8::MAX;

/// The index of a block, and the dimensions of the block and the grid.
#[derive(Clone, Copy)]
pub struct BlockGeometry {
    pub block_idx: Dim3,
    pub block_dim: Dim3,
    pub grid_dim: Dim3,
}

impl BlockGeometry {
    /// The only block of a grid of one thread.
    pub const SINGLE: BlockGeometry =
        BlockGeometry { block_idx: Dim3::ZERO, block_dim: Dim3::ONE, grid_dim: Dim3::ONE };
}

/// The shared memory of a running block, all of whose threads are on one host thread.
pub struct BlockMemory {
    /// The static shared variables: one for each executed call of `shared`.
    shared: RefCell<Vec<(Site, Memory)>>,
    dynamic: Memory,
    dynamic_bytes: usize,
}

/// The key of a static shared variable: the location of its call within a function instance (one choice of generic
/// arguments), as on a GPU. The location alone is not unique, since a macro may expand to several functions.
#[derive(PartialEq, Eq)]
struct Site {
    function: TypeId,
    at: &'static Location,
    ty: TypeId,
}

/// Aligned, poisoned memory of any size. Threads hold its address, so it is never moved, resized or borrowed.
struct Memory {
    pointer: *mut u8,
    layout: Layout,
}

impl Memory {
    /// Allocates memory for `layout`, aligned to at least [`ALIGNMENT`].
    fn poisoned(layout: Layout) -> Memory {
        let layout = layout.align_to(ALIGNMENT).expect("the size was validated against the device's limits");
        if layout.size() == 0 {
            return Memory { pointer: std::ptr::without_provenance_mut(layout.align()), layout };
        }
        // SAFETY: the size is not 0.
        let pointer = unsafe { alloc(layout) };
        if pointer.is_null() {
            handle_alloc_error(layout)
        }
        // SAFETY: `layout.size()` bytes were allocated above.
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
            // SAFETY: allocated with this layout and freed once.
            unsafe { dealloc(self.pointer, self.layout) };
        }
    }
}

impl BlockMemory {
    /// Returns the shared memory of a single thread, at no cost: a kernel calls the device function behind an operator
    /// through its host function, which must cost no more than the operation.
    #[inline(always)]
    pub fn empty() -> Self {
        let dynamic = Memory { pointer: std::ptr::without_provenance_mut(ALIGNMENT), layout: Layout::new::<()>() };
        BlockMemory { shared: RefCell::new(Vec::new()), dynamic, dynamic_bytes: 0 }
    }

    pub fn new(dynamic_bytes: usize) -> Self {
        let layout = Layout::array::<u8>(dynamic_bytes).expect("the size was validated against the device's limits");
        BlockMemory { shared: RefCell::new(Vec::new()), dynamic: Memory::poisoned(layout), dynamic_bytes }
    }

    /// Returns the address of the static shared variable of the call at `at` in `function`, and allocates it first if there
    /// is none. The memory is aligned for `A`, initialised with arbitrary bits, and freed with the block.
    pub fn shared<A: 'static>(&self, function: TypeId, at: &'static Location) -> *mut A {
        let site = Site { function, at, ty: TypeId::of::<A>() };
        let mut shared = self.shared.borrow_mut();
        let position = shared.iter().position(|(known, _)| *known == site).unwrap_or_else(|| {
            shared.push((site, Memory::poisoned(Layout::new::<A>())));
            shared.len() - 1
        });
        shared[position].1.pointer()
    }

    /// Returns the size of the dynamic shared memory, in bytes.
    pub fn dynamic_bytes(&self) -> usize {
        self.dynamic_bytes
    }

    /// Returns the address of `len` elements of the dynamic shared memory from byte `offset`, or `None` if they exceed it
    /// or are misaligned. The memory is initialised with arbitrary bits, and freed with the block.
    pub fn dynamic<T>(&self, offset: usize, len: usize) -> Option<*mut T> {
        let end = len.checked_mul(size_of::<T>())?.checked_add(offset)?;
        if end > self.dynamic_bytes || align_of::<T>() > ALIGNMENT || !offset.is_multiple_of(align_of::<T>()) {
            return None;
        }
        // SAFETY: `offset` does not exceed the size of the memory.
        Some(unsafe { self.dynamic.pointer::<T>().byte_add(offset) })
    }
}
