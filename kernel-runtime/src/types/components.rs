//! Types that are numbers of one kind, one behind the other: an array of one of them can be seen as an array of another.

use half::{bf16, f16};

use super::Element;
use crate::number::Number;

/// What is made of numbers of one kind and of nothing else: the numbers themselves, arrays of them, and the vectors of
/// `cumbia::vector`.
///
/// All types of one [`Lane`](Lanes::Lane) are different ways to see the same numbers: `[f32; 2]` is two of them, `Float4` is
/// four, which a kernel reads and writes at once.
///
/// # Safety
///
/// The memory of a value is `size_of::<Self>() / size_of::<Self::Lane>()` numbers, one behind the other, and nothing else: no
/// padding, and no bits that are no value. An array of length 0 has no memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of numbers of one kind",
    label = "an array of it cannot be seen as one of numbers or vectors",
    note = "why: every bit of the memory has to mean something as the other type",
    note = "help: use numbers, arrays of numbers, or the vectors of `cumbia::vector`"
)]
pub unsafe trait Components: Element {
    /// The number that all of it is made of.
    type Component: Number;
}

/// Implements the trait for numbers.
macro_rules! numbers {
    ($($number:ident)*) => {$(
        // SAFETY: a number is itself, without padding, and every bit pattern is one.
        unsafe impl Components for $number {
            type Component = $number;
        }
    )*};
}

numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64);

// SAFETY: an array is its elements, one behind the other.
unsafe impl<T: Components, const N: usize> Components for [T; N] {
    type Component = T::Component;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: Components>(lanes: usize) {
        assert_eq!((size_of::<T>(), size_of::<T>() % align_of::<T>()), (lanes * size_of::<T::Component>(), 0));
        assert!(T::ANY_BITS, "bits that are no value");
    }

    #[test]
    fn there_is_nothing_between_the_numbers() {
        check::<u8>(1);
        check::<f16>(1);
        check::<[f32; 4]>(4);
        check::<[[i64; 3]; 2]>(6);
        check::<[[bf16; 16]; 16]>(256);
    }
}
