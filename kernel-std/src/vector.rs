//! Vectors of two, three and four numbers, with the sizes and alignments of CUDA's `float2`, `int4` and their kin.
//!
//! A [`Float4`] in an array is read and written in one operation of 16 bytes, which is what makes kernels fast that do
//! little else (CUDA C++ Programming Guide, "Device Memory Accesses", on size and alignment). The lanes are the fields
//! `x`, `y`, `z` and `w`; arithmetic goes lane by lane, between two vectors, or with one number for all lanes.
//!
//! ```
//! use cumbia::prelude::*;
//! use cumbia::vector::Float4;
//!
//! #[kernel]
//! fn axpy(a: f32, x: &[Float4], y: &mut [Float4]) {
//!     let i = grid(1);
//!     if i < y.len() {
//!         y[i] += x[i] * a;
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::cpu();
//! let x = device.to_device(&[Float4::new(1.0, 2.0, 3.0, 4.0)])?;
//! let mut y = device.to_device(&[Float4::splat(1.0)])?;
//! axpy(2.0, &x, &mut y).over(1).launch()?;
//! assert_eq!(y.to_host()?, [Float4::new(3.0, 5.0, 7.0, 9.0)]);
//! # Ok(())
//! # }
//! ```

mod element;
mod lane;

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use cumbia_kernel_macros::device;
use cumbia_kernel_runtime::Float;

pub use lane::Lane;

/// Defines a vector and its arithmetic: its name, its lanes twice (the first has a part of its
/// own in sums), and the name of the alignment that CUDA gives it.
macro_rules! vectors {
    ($($(#[$doc:meta])* $name:ident [x $($more:ident)*] [$($lane:ident)*] $align:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        pub struct $name<T: Lane> {
            $(
                #[allow(missing_docs, reason = "the lanes are named like CUDA's")]
                pub $lane: T,
            )*
            /// Takes no room, and brings the alignment.
            align: [T::$align; 0],
        }

        impl<T: Lane> $name<T> {
            /// All lanes 0.
            pub const ZERO: Self = $name { $($lane: T::ZERO,)* align: [] };
        }

        impl<T: Lane> Default for $name<T> {
            fn default() -> Self {
                Self::ZERO
            }
        }

        #[device]
        impl<T: Lane> $name<T> {
            /// A vector of these lanes.
            pub fn new($($lane: T),*) -> Self {
                // Every lane is named; what is left takes no room.
                $name { $($lane,)* ..Self::ZERO }
            }

            /// The same number in every lane.
            pub fn splat(value: T) -> Self {
                $name { $($lane: value,)* ..Self::ZERO }
            }

            /// The sum of the products of the lanes, from the first lane on.
            pub fn dot(self, other: Self) -> T {
                self.x * other.x $(+ self.$more * other.$more)*
            }
        }

        #[device]
        impl<T: Lane + Float> $name<T> {
            /// The Euclidean length: the root of the dot product with itself.
            pub fn length(self) -> T {
                self.dot(self).sqrt()
            }

            /// The vector of length 1 in this direction. Of a vector of length 0 every lane is NaN.
            pub fn normalize(self) -> Self {
                self / self.length()
            }
        }

        #[device]
        impl<T: Lane> Add for $name<T> {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                $name { $($lane: self.$lane + other.$lane,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Lane> Sub for $name<T> {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                $name { $($lane: self.$lane - other.$lane,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Lane> Mul for $name<T> {
            type Output = Self;

            fn mul(self, other: Self) -> Self {
                $name { $($lane: self.$lane * other.$lane,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Lane> Div for $name<T> {
            type Output = Self;

            fn div(self, other: Self) -> Self {
                $name { $($lane: self.$lane / other.$lane,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Lane> Mul<T> for $name<T> {
            type Output = Self;

            fn mul(self, factor: T) -> Self {
                $name { $($lane: self.$lane * factor,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Lane> Div<T> for $name<T> {
            type Output = Self;

            fn div(self, divisor: T) -> Self {
                $name { $($lane: self.$lane / divisor,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Lane + Neg<Output = T>> Neg for $name<T> {
            type Output = Self;

            fn neg(self) -> Self {
                $name { $($lane: -self.$lane,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Lane> AddAssign for $name<T> {
            fn add_assign(&mut self, other: Self) {
                $(self.$lane += other.$lane;)*
            }
        }

        #[device]
        impl<T: Lane> SubAssign for $name<T> {
            fn sub_assign(&mut self, other: Self) {
                $(self.$lane -= other.$lane;)*
            }
        }

        #[device]
        impl<T: Lane> MulAssign<T> for $name<T> {
            fn mul_assign(&mut self, factor: T) {
                $(self.$lane *= factor;)*
            }
        }

        #[device]
        impl<T: Lane> DivAssign<T> for $name<T> {
            fn div_assign(&mut self, divisor: T) {
                $(self.$lane /= divisor;)*
            }
        }
    )*};
}

vectors! {
    /// Two numbers of a kind, aligned as one.
    Vec2 [x y] [x y] Two;
    /// Three numbers of a kind. CUDA gives them no more alignment than one has, so that they are read one by one.
    Vec3 [x y z] [x y z] One;
    /// Four numbers of a kind, aligned as one, but to 16 bytes at most.
    Vec4 [x y z w] [x y z w] Four;
}

#[device]
impl<T: Lane> Vec3<T> {
    /// The vector product.
    pub fn cross(self, other: Self) -> Self {
        Vec3::<T>::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }
}

/// Names the vectors of a number as CUDA does.
macro_rules! names {
    ($($number:ident $two:ident $three:ident $four:ident $cuda:literal;)*) => {$(
        #[doc = concat!("CUDA's `", $cuda, "2`.")]
        pub type $two = Vec2<$number>;
        #[doc = concat!("CUDA's `", $cuda, "3`.")]
        pub type $three = Vec3<$number>;
        #[doc = concat!("CUDA's `", $cuda, "4`.")]
        pub type $four = Vec4<$number>;
    )*};
}

names! {
    i8 Char2 Char3 Char4 "char";
    u8 Uchar2 Uchar3 Uchar4 "uchar";
    i16 Short2 Short3 Short4 "short";
    u16 Ushort2 Ushort3 Ushort4 "ushort";
    i32 Int2 Int3 Int4 "int";
    u32 Uint2 Uint3 Uint4 "uint";
    i64 Longlong2 Longlong3 Longlong4 "longlong";
    u64 Ulonglong2 Ulonglong3 Ulonglong4 "ulonglong";
    f32 Float2 Float3 Float4 "float";
    f64 Double2 Double3 Double4 "double";
}
