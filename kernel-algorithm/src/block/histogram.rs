//! Histograms of the samples of a block, in shared memory.

use cumbia::intrinsics::{AtomicAdd, atomic_add, sync_threads};
use cumbia::{DeviceType, Number};
use cumbia_kernel_macros::device;

use super::{thread_rank, threads_of_block};
use crate::operator::Function1;

/// Counts the samples of all threads of the block, `N` of each, in each bin. `counts`, which is overwritten, is an array of the
/// block in shared memory, or a part of one in global memory; after the call, all threads of the block can read it.
///
/// `bin` returns the index of the bin of a sample; a sample with an index that is out of bounds is not counted. Those of
/// [`histogram`](crate::histogram()), [`OwnBin`](crate::OwnBin) and [`EvenBins`](crate::EvenBins), can be used. The block can
/// have any size and one to three dimensions.
///
/// ```
/// use cumbia::algorithm::{OwnBin, Striped, block_histogram, block_load};
/// use cumbia::prelude::*;
///
/// /// The most frequent of the numbers below 16 in each tile of 512, and its count.
/// #[kernel(block = 128)]
/// fn modes(x: &[u8], y: &mut [u32], z: &mut [u32]) {
///     let mut counts = shared::<[u32; 16]>();
///     let first = 512 * block_idx().x;
///     let own: [u8; 4] = block_load(&x[first..], 255, Striped);
///     block_histogram(own, OwnBin, &mut counts[..]);
///     if thread_idx().x == 0 {
///         let mut best = 0;
///         for b in 1..16 {
///             best = if counts[b] > counts[best] { b } else { best };
///         }
///         y[block_idx().x] = best as u32;
///         z[block_idx().x] = counts[best];
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&(0..700u32).map(|i| if i < 512 { 3 } else { (i % 5) as u8 }).collect::<Vec<_>>())?;
/// let (mut y, mut z) = (device.zeros(2)?, device.zeros(2)?);
/// modes(&x, &mut y, &mut z).grid(2).launch()?;
/// assert_eq!((y.to_host()?, z.to_host()?), (vec![3, 2], vec![512, 38]));
/// # Ok(())
/// # }
/// ```
#[device]
pub fn block_histogram<T: DeviceType, const N: usize, F: Function1<T, Output = usize>, C: Number + AtomicAdd>(
    samples: [T; N],
    bin: F,
    counts: &mut [C],
) {
    // Other threads may still read the counts of the last call.
    sync_threads();
    for b in (thread_rank()..counts.len()).step_by(threads_of_block()) {
        counts[b] = C::ZERO;
    }
    sync_threads();
    block_histogram_add(samples, bin, counts);
}

/// Adds the number of the samples of all threads of the block in each bin to `counts`: [`block_histogram`](block_histogram()) of
/// samples in several calls.
///
/// The first call follows a barrier after the counts have been initialised.
#[device]
pub fn block_histogram_add<T: DeviceType, const N: usize, F: Function1<T, Output = usize>, C: Number + AtomicAdd>(
    samples: [T; N],
    bin: F,
    counts: &mut [C],
) {
    #[unroll]
    for k in 0..N {
        let b = bin.call(samples[k]);
        if b < counts.len() {
            atomic_add(&mut counts[b], C::ONE);
        }
    }
    sync_threads();
}
