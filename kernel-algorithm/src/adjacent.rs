//! Loads of adjacent elements by accesses of 16 bytes, which keep more bytes in flight than those of single elements.

use cumbia::{ArrayView1, DeviceType};
use cumbia_kernel_macros::device;

use crate::warp::is_gpu;

/// Returns the number of adjacent elements of a size in bytes that are loaded together: 16, 4, 2 or 1.
pub(crate) const fn adjacent(size: usize) -> usize {
    match size {
        1 => 16,
        2 | 4 => 4,
        8 => 2,
        _ => 1,
    }
}

/// Returns whether the address of an array is a multiple of 16 bytes, as that of an allocation is.
#[device(unsafe(cuda = "return (usize)x % 16 == 0;"))]
pub(crate) fn is_aligned<T: DeviceType>(x: &[T]) -> bool {
    let _ = x;
    true
}

/// Returns whether the elements of a view are contiguous, and the address of the first one is a multiple of 16 bytes.
#[device]
pub(crate) fn is_contiguous<T: DeviceType>(x: ArrayView1<'_, T>) -> bool {
    x.is_standard_layout() && begins_aligned(x)
}

/// Returns whether the address of the first element is a multiple of 16 bytes.
#[device(unsafe(cuda = "return (usize)x % 16 == 0;"))]
fn begins_aligned<T: DeviceType>(x: ArrayView1<'_, T>) -> bool {
    let _ = x;
    true
}

/// Returns the elements from `first` on, of which there are so many: by accesses of 16 bytes, or of 8 or 4 bytes if all elements
/// together have that size. Their address is a multiple of the size of an access. For GPUs only: elsewhere the result is `like`.
#[device(unsafe(cuda = r#"
    if constexpr (sizeof(like) % 16 == 0) {
        #pragma unroll
        for (int k = 0; k < sizeof(like) / 16; ++k) {
            const uint4 loaded = __ldg((const uint4*)(x + first) + k);
            memcpy((char*)&like + 16 * k, &loaded, 16);
        }
    } else if constexpr (sizeof(like) == 8) {
        const uint2 loaded = __ldg((const uint2*)(x + first));
        memcpy(&like, &loaded, 8);
    } else if constexpr (sizeof(like) == 4) {
        const unsigned loaded = __ldg((const unsigned*)(x + first));
        memcpy(&like, &loaded, 4);
    } else {
        #pragma unroll
        for (int k = 0; k < sizeof(like) / sizeof(x[0]); ++k) like.at[k] = x[first + k];
    }
    return like;
"#))]
fn loaded<T: DeviceType, const N: usize>(x: ArrayView1<'_, T>, first: usize, like: [T; N]) -> [T; N] {
    let _ = (x, first);
    like
}

/// Returns the elements from `first` on; where the view has none, its last one. If `ALIGNED`, the view [`is_contiguous`], it has all
/// of them, and `first` is a multiple of `N`, so that they are loaded together.
#[device]
pub(crate) fn load_adjacent<T: DeviceType, const N: usize, const ALIGNED: bool>(
    x: ArrayView1<'_, T>,
    first: usize,
) -> [T; N] {
    let mut elements = [x[0]; N];
    if ALIGNED && N > 1 && is_gpu() {
        elements = loaded(x, first, elements);
    } else {
        #[unroll]
        for k in 0..N {
            elements[k] = x[(first + k).min(x.len() - 1)];
        }
    }
    elements
}
