//! Vectors with two, three and four components, with the size and alignment of CUDA's built-in vector types such as
//! `float2` and `int4`.
//!
//! A [`Float4`] in an array is accessed with a single 16-byte instruction, which speeds up memory-bound kernels (CUDA
//! C++ Programming Guide, "Device Memory Accesses", on size and alignment). The components are the fields `x`, `y`, `z`
//! and `w`; arithmetic is component-wise, between two vectors, or between a vector and a scalar. `Float4 { x: 0.0, ..v }` is `v`
//! with another component, and [`component`](Vec4::component) and [`with_component`](Vec4::with_component) take an index.
//! [`extend`](Vec3::extend), [`concat`](Vec2::concat), [`truncate`](Vec4::truncate), [`xy`](Vec4::xy) and [`zw`](Vec4::zw) build
//! vectors from vectors.
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

mod component;
mod element;

use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

use cumbia_kernel_lang::__private::Indexed;
use cumbia_kernel_lang::{Float, bf16, f16};
use cumbia_kernel_macros::device;

pub use component::Component;

/// Defines a vector type and its arithmetic: its name, its components (once with `x` separate, for sums of products),
/// and the associated type for its alignment in CUDA.
macro_rules! vectors {
    ($($(#[$doc:meta])* $name:ident [x $($more:ident)*] [$($field:ident)*] $align:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq)]
        #[repr(C)]
        pub struct $name<T: Component> {
            $(
                #[allow(missing_docs, reason = "the components have the names that they have in CUDA")]
                pub $field: T,
            )*
            /// Zero-sized; determines the alignment. It is public for the update syntax, as in `Float4 { x: 0.0, ..v }`, and
            /// has a name that states the remedy in rustc's error about a literal without it.
            #[doc(hidden)]
            pub call_new_instead: [T::$align; 0],
        }

        impl<T: Component> $name<T> {
            /// The vector whose components are 0.
            pub const ZERO: Self = $name { $($field: T::ZERO,)* call_new_instead: [] };
        }

        impl<T: Component> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                // As in a kernel, which has no alignment field.
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*.finish()
            }
        }

        impl<T: Component> Default for $name<T> {
            fn default() -> Self {
                Self::ZERO
            }
        }

        #[device]
        impl<T: Component> $name<T> {
            /// Creates a vector from its components.
            pub fn new($($field: T),*) -> Self {
                // All components are initialised; the remaining field is zero-sized.
                $name { $($field,)* ..Self::ZERO }
            }

            /// Creates a vector whose components are all `value`.
            pub fn splat(value: T) -> Self {
                $name { $($field: value,)* ..Self::ZERO }
            }

            /// Returns the dot product, summed in the order of the components.
            pub fn dot(self, other: Self) -> T {
                self.x * other.x $(+ self.$more * other.$more)*
            }
        }

        #[device]
        impl<T: Component + Float> $name<T> {
            /// Returns the Euclidean norm: the square root of the dot product with itself.
            pub fn length(self) -> T {
                self.dot(self).sqrt()
            }

            /// Returns the unit vector in this direction. The components are NaN for a vector of length 0.
            pub fn normalize(self) -> Self {
                self / self.length()
            }

            /// Returns the linear interpolation between `self`, for `t = 0`, and `other`, for `t = 1`.
            pub fn lerp(self, other: Self, t: T) -> Self {
                self * (T::ONE - t) + other * t
            }
        }

        /// An error that names the methods: the components are not places of an array in a kernel.
        impl<T: Component, I> Index<I> for $name<T>
        where
            Self: Indexed,
        {
            type Output = T;

            fn index(&self, _: I) -> &T {
                unreachable!("`Indexed` is implemented for no type")
            }
        }

        /// As above.
        impl<T: Component, I> IndexMut<I> for $name<T>
        where
            Self: Indexed,
        {
            fn index_mut(&mut self, _: I) -> &mut T {
                unreachable!("`Indexed` is implemented for no type")
            }
        }

        #[device]
        impl<T: Component> Add for $name<T> {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                $name { $($field: self.$field + other.$field,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Component> Sub for $name<T> {
            type Output = Self;

            fn sub(self, other: Self) -> Self {
                $name { $($field: self.$field - other.$field,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Component> Mul for $name<T> {
            type Output = Self;

            fn mul(self, other: Self) -> Self {
                $name { $($field: self.$field * other.$field,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Component> Div for $name<T> {
            type Output = Self;

            fn div(self, other: Self) -> Self {
                $name { $($field: self.$field / other.$field,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Component> Mul<T> for $name<T> {
            type Output = Self;

            fn mul(self, factor: T) -> Self {
                $name { $($field: self.$field * factor,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Component> Div<T> for $name<T> {
            type Output = Self;

            fn div(self, divisor: T) -> Self {
                $name { $($field: self.$field / divisor,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Component + Neg<Output = T>> Neg for $name<T> {
            type Output = Self;

            fn neg(self) -> Self {
                $name { $($field: -self.$field,)* ..Self::ZERO }
            }
        }

        #[device]
        impl<T: Component> AddAssign for $name<T> {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)*
            }
        }

        #[device]
        impl<T: Component> SubAssign for $name<T> {
            fn sub_assign(&mut self, other: Self) {
                $(self.$field -= other.$field;)*
            }
        }

        #[device]
        impl<T: Component> MulAssign for $name<T> {
            fn mul_assign(&mut self, other: Self) {
                $(self.$field *= other.$field;)*
            }
        }

        #[device]
        impl<T: Component> DivAssign for $name<T> {
            fn div_assign(&mut self, other: Self) {
                $(self.$field /= other.$field;)*
            }
        }

        #[device]
        impl<T: Component> MulAssign<T> for $name<T> {
            fn mul_assign(&mut self, factor: T) {
                $(self.$field *= factor;)*
            }
        }

        #[device]
        impl<T: Component> DivAssign<T> for $name<T> {
            fn div_assign(&mut self, divisor: T) {
                $(self.$field /= divisor;)*
            }
        }
    )*};
}

vectors! {
    /// A vector with two components, aligned to its size.
    Vec2 [x y] [x y] Two;
    /// A vector with three components. As in CUDA it has the alignment of one component, so that the components are
    /// accessed individually.
    Vec3 [x y z] [x y z] One;
    /// A vector with four components, aligned to its size, but to 16 bytes at most.
    Vec4 [x y z w] [x y z w] Four;
}

/// CUDA's `__nv_bfloat162`.
pub type Bfloat2 = Vec2<bf16>;
/// Three `bf16`; CUDA has no such type.
pub type Bfloat3 = Vec3<bf16>;
/// Four `bf16`; CUDA has no such type.
pub type Bfloat4 = Vec4<bf16>;

#[device]
impl<T: Component> Vec2<T> {
    /// Returns the vector with `z` as a third component.
    pub fn extend(self, z: T) -> Vec3<T> {
        Vec3::<T>::new(self.x, self.y, z)
    }

    /// Returns the vector with the components of `zw` behind these.
    pub fn concat(self, zw: Vec2<T>) -> Vec4<T> {
        Vec4::<T>::new(self.x, self.y, zw.x, zw.y)
    }

    /// Returns the component with this index, from 0; a fault if `index >= 2`.
    pub fn component(self, index: usize) -> T {
        [self.x, self.y][index]
    }

    /// Returns the vector with `value` as the component with this index, from 0; a fault if `index >= 2`.
    pub fn with_component(self, index: usize, value: T) -> Self {
        let mut components = [self.x, self.y];
        components[index] = value;
        Vec2::<T>::new(components[0], components[1])
    }
}

#[device]
impl<T: Component> Vec4<T> {
    /// Returns the first three components.
    pub fn truncate(self) -> Vec3<T> {
        Vec3::<T>::new(self.x, self.y, self.z)
    }

    /// Returns the first two components.
    pub fn xy(self) -> Vec2<T> {
        Vec2::<T>::new(self.x, self.y)
    }

    /// Returns the last two components.
    pub fn zw(self) -> Vec2<T> {
        Vec2::<T>::new(self.z, self.w)
    }

    /// Returns the component with this index, from 0; a fault if `index >= 4`.
    pub fn component(self, index: usize) -> T {
        [self.x, self.y, self.z, self.w][index]
    }

    /// Returns the vector with `value` as the component with this index, from 0; a fault if `index >= 4`.
    pub fn with_component(self, index: usize, value: T) -> Self {
        let mut components = [self.x, self.y, self.z, self.w];
        components[index] = value;
        Vec4::<T>::new(components[0], components[1], components[2], components[3])
    }
}

#[device]
impl<T: Component> Vec3<T> {
    /// Returns the vector with `w` as a fourth component.
    pub fn extend(self, w: T) -> Vec4<T> {
        Vec4::<T>::new(self.x, self.y, self.z, w)
    }

    /// Returns the first two components.
    pub fn truncate(self) -> Vec2<T> {
        Vec2::<T>::new(self.x, self.y)
    }

    /// Returns the component with this index, from 0; a fault if `index >= 3`.
    pub fn component(self, index: usize) -> T {
        [self.x, self.y, self.z][index]
    }

    /// Returns the vector with `value` as the component with this index, from 0; a fault if `index >= 3`.
    pub fn with_component(self, index: usize, value: T) -> Self {
        let mut components = [self.x, self.y, self.z];
        components[index] = value;
        Vec3::<T>::new(components[0], components[1], components[2])
    }

    /// Returns the cross product.
    pub fn cross(self, other: Self) -> Self {
        Vec3::<T>::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }
}

/// Defines the vector types of a scalar type under CUDA's names.
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

/// Implements the product of a number and a vector, which Rust's coherence rules forbid for a generic number.
macro_rules! scaled {
    (@each $($number:ident)*) => {$(
        scaled!($number Vec2 Vec3 Vec4);
    )*};
    ($number:ident $($name:ident)*) => {$(
        #[device]
        impl Mul<$name<$number>> for $number {
            type Output = $name<$number>;

            fn mul(self, vector: $name<$number>) -> $name<$number> {
                vector * self
            }
        }
    )*};
}

scaled!(@each i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64);

names! {
    i8 Char2 Char3 Char4 "char";
    u8 Uchar2 Uchar3 Uchar4 "uchar";
    i16 Short2 Short3 Short4 "short";
    u16 Ushort2 Ushort3 Ushort4 "ushort";
    i32 Int2 Int3 Int4 "int";
    u32 Uint2 Uint3 Uint4 "uint";
    i64 Longlong2 Longlong3 Longlong4 "longlong";
    u64 Ulonglong2 Ulonglong3 Ulonglong4 "ulonglong";
    f16 Half2 Half3 Half4 "half";
    f32 Float2 Float3 Float4 "float";
    f64 Double2 Double3 Double4 "double";
}
