//! Types that consist of numbers of one type, contiguously: an array of one can be reinterpreted as an array of
//! another.

use half::{bf16, f16};

use super::Number;
use crate::types::DeviceType;

/// A type that consists of numbers of one type only: the numbers themselves, arrays of them, the vectors of
/// `cumbia::vector`, and structs with `#[derive(Components)]`.
///
/// All types with the same [`Component`](Components::Component) are different views of the same numbers: `[f32; 2]` is
/// two of them, `Float4` is four, which a kernel reads and writes at once.
///
/// # Safety
///
/// The memory of a value must be `size_of::<Self>() / size_of::<Self::Component>()` contiguous numbers, and nothing
/// else: no padding, and no invalid bits. An array of length 0 has no memory.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not consist of numbers of one type",
    label = "an array of it cannot be reinterpreted as one of numbers or vectors",
    note = "why: all bits of the memory must be valid for the other type",
    note = "help: use numbers, arrays of numbers, the vectors of `cumbia::vector`, or a struct of them with `#[derive(Components)]`"
)]
pub unsafe trait Components: DeviceType {
    /// The type of the numbers.
    type Component: Number;
}

/// Implements the trait for numbers.
macro_rules! numbers {
    ($($number:ident)*) => {$(
        // SAFETY: a number is its own component, without padding, and every bit pattern is valid.
        unsafe impl Components for $number {
            type Component = $number;
        }
    )*};
}

numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 bf16 f32 f64);

// SAFETY: an array consists of its contiguous elements.
unsafe impl<T: Components, const N: usize> Components for [T; N] {
    type Component = T::Component;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: Components>(components: usize) {
        assert_eq!((size_of::<T>(), size_of::<T>() % align_of::<T>()), (components * size_of::<T::Component>(), 0));
        assert!(T::ANY_BITS, "some bits are invalid");
    }

    #[test]
    fn components_are_contiguous() {
        check::<u8>(1);
        check::<f16>(1);
        check::<[f32; 4]>(4);
        check::<[[i64; 3]; 2]>(6);
        check::<[[bf16; 16]; 16]>(256);
    }
}
