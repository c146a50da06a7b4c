//! Component types of vectors, and the alignments of the vectors.

use cumbia_kernel_lang::{Components, Number, bf16, f16};

/// A component type of vectors: integers of 8 to 64 bits, `f16`, `bf16`, `f32` and `f64`.
pub trait Component: Number + Components<Component = Self> {
    /// The alignment of one component.
    #[doc(hidden)]
    type One: Align;
    /// The alignment of a vector with two components.
    #[doc(hidden)]
    type Two: Align;
    /// The alignment of a vector with four components.
    #[doc(hidden)]
    type Four: Align;
}

/// A zero-sized type with a given alignment.
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

/// Defines the alignments of a scalar type and of its vectors (CUDA C++ Programming Guide, "Built-in Vector Types",
/// alignment requirements). Vectors with four components of eight bytes each correspond to CUDA's `double4_16a`.
macro_rules! components {
    ($($one:ident $two:ident $four:ident: $($number:ident)*;)*) => {$($(
        impl Component for $number {
            type One = $one;
            type Two = $two;
            type Four = $four;
        }
    )*)*};
}

components! {
    Align1 Align2 Align4: i8 u8;
    Align2 Align4 Align8: i16 u16 f16 bf16;
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

    /// No vector has padding between or after its components.
    #[test]
    fn vectors_have_no_padding() {
        macro_rules! each {
            ($($number:ident)*) => {$(
                assert_eq!(size_of::<Vec2<$number>>(), 2 * size_of::<$number>());
                assert_eq!(size_of::<Vec3<$number>>(), 3 * size_of::<$number>());
                assert_eq!(size_of::<Vec4<$number>>(), 4 * size_of::<$number>());
                assert!(std::mem::offset_of!(Vec4<$number>, w) == 3 * size_of::<$number>());
            )*};
        }
        each!(i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64);
    }

    #[test]
    fn sizes_and_alignments_match_cuda() {
        check::<Char2>(2, 2);
        check::<Uchar3>(3, 1);
        check::<Char4>(4, 4);
        check::<Short2>(4, 4);
        check::<Ushort3>(6, 2);
        check::<Short4>(8, 8);
        check::<Half2>(4, 4);
        check::<Half3>(6, 2);
        check::<Bfloat4>(8, 8);
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
