//! Arrangements of the elements of a block: loads, stores, and exchanges through shared memory.
//!
//! A block of T threads with `N` elements each has a tile of T · `N` elements. An arrangement determines the element of the tile
//! that is element `k` of the array of a thread. Global memory is accessed at full speed only if the threads of a warp access
//! adjacent elements, as in the striped arrangement, while scans and sorts need the blocked one.

use cumbia::DeviceType;
use cumbia::intrinsics::{shared, sync_threads};
use cumbia_kernel_macros::{DeviceType, device};

use super::{thread_rank, threads_of_block};

/// An arrangement of the elements of a block: [`Blocked`] or [`Striped`].
#[device]
pub trait Arrangement: DeviceType {
    /// Returns the position in the tile of an element, the `k`th one of `n` of a thread.
    fn position(self, thread: usize, threads: usize, k: usize, n: usize) -> usize;
}

/// The blocked arrangement: element `k` of thread `t` is element `t * N + k` of the tile.
///
/// As an access of [`block_load`](block_load()) and [`block_store`](block_store()) it is direct: each thread accesses its
/// adjacent elements.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Blocked;

/// The striped arrangement: element `k` of thread `t` of `T` is element `k * T + t` of the tile.
///
/// As an access of [`block_load`](block_load()) and [`block_store`](block_store()) it is direct: the threads access adjacent
/// elements together.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Striped;

/// An access of [`block_load`](block_load()) and [`block_store`](block_store()): the threads access adjacent elements together,
/// and have them in the blocked arrangement. The elements are transposed through shared memory.
#[derive(Clone, Copy, Debug, Default, DeviceType)]
pub struct Transposed;

#[device]
impl Arrangement for Blocked {
    fn position(self, thread: usize, _threads: usize, k: usize, n: usize) -> usize {
        thread * n + k
    }
}

#[device]
impl Arrangement for Striped {
    fn position(self, thread: usize, threads: usize, k: usize, _n: usize) -> usize {
        k * threads + thread
    }
}

/// The way in which [`block_load`](block_load()) and [`block_store`](block_store()) access memory: [`Blocked`], [`Striped`] or
/// [`Transposed`].
#[device]
pub trait Access: DeviceType {
    /// The arrangement in which the threads access memory.
    #[doc(hidden)]
    type Memory: Arrangement;

    /// Whether the threads have the elements in the blocked arrangement instead.
    #[doc(hidden)]
    const TRANSPOSES: bool;

    /// Returns the arrangement in which the threads access memory.
    #[doc(hidden)]
    fn memory(self) -> Self::Memory;
}

#[device]
impl Access for Blocked {
    type Memory = Blocked;

    const TRANSPOSES: bool = false;

    fn memory(self) -> Blocked {
        self
    }
}

#[device]
impl Access for Striped {
    type Memory = Striped;

    const TRANSPOSES: bool = false;

    fn memory(self) -> Striped {
        self
    }
}

#[device]
impl Access for Transposed {
    type Memory = Striped;

    const TRANSPOSES: bool = true;

    fn memory(self) -> Striped {
        Striped
    }
}

/// Returns `N` elements of each thread of the block from the start of `x`. Where `x` has fewer elements than the block loads, the
/// others are `default`.
///
/// The result of [`Blocked`] and [`Transposed`] has the blocked arrangement, and that of [`Striped`] the striped one. The block
/// can have any size and one to three dimensions.
///
/// ```
/// use cumbia::algorithm::{Plus, Striped, block_load, block_reduce_array};
/// use cumbia::prelude::*;
///
/// /// The sum of each tile of 1024 elements.
/// #[kernel(block = 256)]
/// fn sums(x: &[f32], y: &mut [f32]) {
///     let own: [f32; 4] = block_load(&x[1024 * block_idx().x..], 0.0, Striped);
///     y[block_idx().x] = block_reduce_array(own, Plus);
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (x, mut y) = (device.to_device(&[0.5; 1500])?, device.zeros(2)?);
/// sums(&x, &mut y).grid(2).launch()?;
/// assert_eq!(y.to_host()?, [512.0, 238.0]);
/// # Ok(())
/// # }
/// ```
#[device]
pub fn block_load<T: DeviceType, const N: usize, A: Access>(x: &[T], default: T, access: A) -> [T; N] {
    let (t, threads, memory) = (thread_rank(), threads_of_block(), access.memory());
    let mut own = [default; N];
    #[unroll]
    for k in 0..N {
        let i = memory.position(t, threads, k, N);
        if i < x.len() {
            own[k] = x[i];
        }
    }
    if A::TRANSPOSES {
        own = block_exchange(own, memory, Blocked);
    }
    own
}

/// Stores `N` elements of each thread of the block at the start of `y`, as far as `y` has elements.
///
/// With [`Blocked`] and [`Transposed`] the elements have the blocked arrangement, and with [`Striped`] the striped one. The block
/// can have any size and one to three dimensions.
#[device]
pub fn block_store<T: DeviceType, const N: usize, A: Access>(y: &mut [T], elements: [T; N], access: A) {
    let (t, threads, memory) = (thread_rank(), threads_of_block(), access.memory());
    let mut own = elements;
    if A::TRANSPOSES {
        own = block_exchange(own, Blocked, memory);
    }
    #[unroll]
    for k in 0..N {
        let i = memory.position(t, threads, k, N);
        if i < y.len() {
            y[i] = own[k];
        }
    }
}

/// Returns the elements of the block, which have the arrangement `from`, in the arrangement `to`. The block can have any size and
/// one to three dimensions; the elements of a thread occupy at most 1024 bytes.
///
/// ```
/// use cumbia::algorithm::{Blocked, Striped, block_exchange};
/// use cumbia::prelude::*;
///
/// #[kernel(block = 32)]
/// fn exchange(y: &mut [u32]) {
///     let t = thread_idx().x as u32;
///     let striped = block_exchange([2 * t, 2 * t + 1], Blocked, Striped);
///     y[thread_idx().x] = striped[0];
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let mut y = Device::open()?.zeros(32)?;
/// exchange(&mut y).grid(1).launch()?;
/// assert_eq!(y.to_host()?, (0..32).collect::<Vec<u32>>());
/// # Ok(())
/// # }
/// ```
#[device]
pub fn block_exchange<T: DeviceType, const N: usize, A: Arrangement, B: Arrangement>(
    elements: [T; N],
    from: A,
    to: B,
) -> [T; N] {
    if N == 1 {
        return elements;
    }
    let (t, threads) = (thread_rank(), threads_of_block());
    let (mut sources, mut targets) = ([0u32; N], [0u32; N]);
    #[unroll]
    for k in 0..N {
        sources[k] = from.position(t, threads, k, N) as u32;
        targets[k] = to.position(t, threads, k, N) as u32;
    }
    moved(elements, sources, targets)
}

/// Writes the elements of each thread to these positions of the tile, all of them different, and returns those at the other
/// positions. All threads of the block call it; it ends with a barrier.
#[device]
pub(crate) fn moved<T: DeviceType, const N: usize>(elements: [T; N], to: [u32; N], from: [u32; N]) -> [T; N] {
    // The shared memory has 8448 bytes, or that of 33 threads; less if the block is known to be small. In a kernel with a fixed
    // block, the compiler removes one of the two branches.
    let is_small = threads_of_block() <= 128;
    if const { N * size_of::<T>() <= 8 } {
        if is_small { moved_in::<T, N, 132>(elements, to, from) } else { moved_in::<T, N, 1056>(elements, to, from) }
    } else if const { N * size_of::<T>() <= 16 } {
        if is_small { moved_in::<T, N, 132>(elements, to, from) } else { moved_in::<T, N, 528>(elements, to, from) }
    } else if const { N * size_of::<T>() <= 32 } {
        if is_small { moved_in::<T, N, 132>(elements, to, from) } else { moved_in::<T, N, 264>(elements, to, from) }
    } else if const { N * size_of::<T>() <= 64 } {
        moved_in::<T, N, 132>(elements, to, from)
    } else if const { N * size_of::<T>() <= 128 } {
        moved_in::<T, N, 66>(elements, to, from)
    } else {
        moved_in::<T, N, 33>(elements, to, from)
    }
}

/// As [`moved`](moved()), with shared memory of `N * ROWS` elements. `ROWS` is a multiple of 33.
///
/// One element of 33 is unused, so that elements with a distance of a power of two are in different banks. A tile that does not
/// fit is moved in several rounds.
#[device]
fn moved_in<T: DeviceType, const N: usize, const ROWS: usize>(
    elements: [T; N],
    to: [u32; N],
    from: [u32; N],
) -> [T; N] {
    const { assert!(N * size_of::<T>() <= 1024, "the elements of a thread occupy more than 1024 bytes") };
    let mut window = shared::<[[T; N]; ROWS]>();
    let len = const { N * ROWS / 33 * 32 };
    let mut result = elements;
    for start in (0..threads_of_block() * N).step_by(len) {
        // The minima are for the proofs only.
        #[unroll]
        for k in 0..N {
            let i = to[k].wrapping_sub(start as u32);
            if i < len as u32 {
                let place = (i + i / 32) as usize;
                window[(place / N).min(ROWS - 1)][place % N] = elements[k];
            }
        }
        sync_threads();
        #[unroll]
        for k in 0..N {
            let i = from[k].wrapping_sub(start as u32);
            if i < len as u32 {
                let place = (i + i / 32) as usize;
                result[k] = window[(place / N).min(ROWS - 1)][place % N];
            }
        }
        sync_threads();
    }
    result
}
