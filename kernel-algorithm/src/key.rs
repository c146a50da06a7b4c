//! Keys of radix sorts: numbers, and the unsigned integers with the same order.

use cumbia::{DeviceType, Integer, Number, bf16, f16};
use cumbia_kernel_macros::device;

/// A number that [`sort`](crate::sort()), [`block_sort`](crate::block_sort()) and their relatives take as a key.
///
/// The order of floats is that of `total_cmp`: −NaN, −∞, …, −0.0, 0.0, …, ∞, NaN.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a sort",
    label = "not a number",
    note = "why: the sort is a radix sort of the digits of integers and floats",
    note = "help: compute a number for each element by `transform`, and sort the elements with it as the key: `sort_by_key(&mut keys, &mut x)`"
)]
#[device]
pub trait SortKey: Number {
    /// The unsigned integer of the same size.
    #[doc(hidden)]
    type Bits: Integer;

    /// The sign bit, or 0 for unsigned integers.
    #[doc(hidden)]
    const SIGN: Self::Bits;

    /// Whether negative numbers are ordered by the complement of their bits.
    #[doc(hidden)]
    const IS_FLOAT: bool;
}

macro_rules! keys {
    ($($key:ident $bits:ident $sign:literal $is_float:literal;)*) => {$(
        #[device]
        impl SortKey for $key {
            type Bits = $bits;

            const SIGN: $bits = $sign << ($bits::BITS - 1);
            const IS_FLOAT: bool = $is_float;
        }
    )*};
}

keys! {
    u8 u8 0 false; u16 u16 0 false; u32 u32 0 false; u64 u64 0 false; usize u64 0 false;
    i8 u8 1 false; i16 u16 1 false; i32 u32 1 false; i64 u64 1 false; isize u64 1 false;
    f16 u16 1 true; bf16 u16 1 true; f32 u32 1 true; f64 u64 1 true;
}

/// Returns the bits of a value of at most 8 bytes as one of another type of the same size, that of `like`.
#[device(unsafe(
    cuda = "static_assert(sizeof(like) == sizeof(value), \"sizes differ\"); memcpy(&like, &value, sizeof(like)); return like;"
))]
fn same_bits<A: DeviceType, B: DeviceType>(value: A, like: B) -> B {
    let mut bits = [0u64; 1];
    let _ = like;
    assert!(size_of::<A>() == size_of::<B>() && size_of::<A>() <= size_of::<u64>());
    // SAFETY: both types have the size of at most one word, whose alignment is the largest. All bytes of it are
    // initialised, and every value of `B`, an integer or a float, is valid.
    unsafe {
        A::__store(bits.as_mut_ptr().cast(), value);
        B::__load(bits.as_mut_ptr().cast())
    }
}

/// Returns the unsigned integer whose order is that of the keys. `flip` inverts the order.
#[device]
pub(crate) fn ordered<K: DeviceType, B: Integer, const IS_FLOAT: bool>(key: K, sign: B, flip: B) -> B {
    let bits = same_bits(key, sign);
    let flips = if IS_FLOAT && bits & sign != B::ZERO { B::MAX } else { sign };
    bits ^ flips ^ flip
}

/// Returns the key of which [`ordered`](ordered()) returns these bits. `like` has its type.
#[device]
pub(crate) fn unordered<K: DeviceType, B: Integer, const IS_FLOAT: bool>(bits: B, sign: B, flip: B, like: K) -> K {
    let bits = bits ^ flip;
    let flips = if IS_FLOAT && bits & sign == B::ZERO { B::MAX } else { sign };
    same_bits(bits ^ flips, like)
}

/// Returns the unsigned integer whose order is that of the keys, or the reverse one.
#[device]
pub(crate) fn bits_of<K: SortKey>(key: K, is_descending: bool) -> K::Bits {
    let flip = if is_descending { K::Bits::MAX } else { K::Bits::ZERO };
    if K::IS_FLOAT {
        ordered::<K, K::Bits, true>(key, K::SIGN, flip)
    } else {
        ordered::<K, K::Bits, false>(key, K::SIGN, flip)
    }
}

/// Returns the key of which [`bits_of`](bits_of()) returns these bits. `like` has its type.
#[device]
pub(crate) fn key_of<K: SortKey>(bits: K::Bits, is_descending: bool, like: K) -> K {
    let flip = if is_descending { K::Bits::MAX } else { K::Bits::ZERO };
    if K::IS_FLOAT {
        unordered::<K, K::Bits, true>(bits, K::SIGN, flip, like)
    } else {
        unordered::<K, K::Bits, false>(bits, K::SIGN, flip, like)
    }
}
