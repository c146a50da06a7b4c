//! What a vector can be made of, and how it is aligned.

use cumbia_kernel_runtime::{Components, Number};

/// A number that vectors can have in their lanes: integers of 8 to 64 bits, `f32` and `f64`.
pub trait Lane: Number + Components<Component = Self> {
    /// Of a number's own alignment.
    #[doc(hidden)]
    type One: Align;
    /// Of a vector of two.
    #[doc(hidden)]
    type Two: Align;
    /// Of a vector of four.
    #[doc(hidden)]
    type Four: Align;
}

/// A type that stands for its alignment.
#[doc(hidden)]
pub trait Align: Copy + PartialEq + std::fmt::Debug + Send + Sync + 'static {}

/// Defines a type for each alignment.
macro_rules! aligns {
    ($($name:ident $bytes:literal)*) => {$(
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(align($bytes))]
        pub struct $name;

        impl Align for $name {}
    )*};
}

aligns!(Align1 1 Align2 2 Align4 4 Align8 8 Align16 16);

/// Says the alignments of a number and of its vectors (CUDA C++ Programming Guide, "Built-in Vector Types", alignment
/// requirements). Vectors of four of eight bytes each are CUDA's `double4_16a`.
macro_rules! lanes {
    ($($one:ident $two:ident $four:ident: $($number:ident)*;)*) => {$($(
        impl Lane for $number {
            type One = $one;
            type Two = $two;
            type Four = $four;
        }
    )*)*};
}

lanes! {
    Align1 Align2 Align4: i8 u8;
    Align2 Align4 Align8: i16 u16;
    Align4 Align8 Align16: i32 u32 f32;
    Align8 Align16 Align16: i64 u64 f64;
}

#[cfg(test)]
mod tests {
    use crate::vector::*;

    #[track_caller]
    fn check<V>(size: usize, align: usize) {
        assert_eq!((size_of::<V>(), align_of::<V>()), (size, align), "{}", std::any::type_name::<V>());
    }

    /// Nothing is between or behind the lanes, of any vector of any number.
    #[test]
    fn vectors_are_their_lanes() {
        macro_rules! each {
            ($($number:ident)*) => {$(
                assert_eq!(size_of::<Vec2<$number>>(), 2 * size_of::<$number>());
                assert_eq!(size_of::<Vec3<$number>>(), 3 * size_of::<$number>());
                assert_eq!(size_of::<Vec4<$number>>(), 4 * size_of::<$number>());
                assert!(std::mem::offset_of!(Vec4<$number>, w) == 3 * size_of::<$number>());
            )*};
        }
        each!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
    }

    #[test]
    fn sizes_and_alignments_are_those_of_cuda() {
        check::<Char2>(2, 2);
        check::<Uchar3>(3, 1);
        check::<Char4>(4, 4);
        check::<Short2>(4, 4);
        check::<Ushort3>(6, 2);
        check::<Short4>(8, 8);
        check::<Int2>(8, 8);
        check::<Float2>(8, 8);
        check::<Float3>(12, 4);
        check::<Float4>(16, 16);
        check::<Uint4>(16, 16);
        check::<Double2>(16, 16);
        check::<Longlong3>(24, 8);
        check::<Double4>(32, 16);
    }
}
