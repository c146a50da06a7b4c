//! The types a kernel can use, as Rust traits: what a variable may be, and what memory may hold.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use cumbia_kernel_ir::ir;

use crate::cpu::{Elem, Slice, Storage, access};
use crate::dim::Dim3;
use crate::slot::ConstantType;

/// A type that a variable of a kernel can have: numbers, `bool`, tuples of them, slices, and the block's shared
/// arrays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in a kernel",
    label = "a GPU thread has no `{Self}`",
    note = "why: a kernel computes with values that fit into registers and device memory",
    note = "help: use numbers, `bool`, tuples of them, or slices of them"
)]
pub trait DeviceType: Copy {
    /// The compiler's side of the type. A slot is typed by this rather than by `Self`, so that a type that is not a
    /// [`DeviceType`] is one error and not one for each bound.
    #[doc(hidden)]
    type Repr: Repr;
}

/// A type as the compiler knows it.
#[doc(hidden)]
pub trait Repr: 'static {
    /// The type.
    fn ty() -> ir::Type;
}

/// A number or a `bool`: what a scalar parameter is, what arrays hold, and what a constant can be.
///
/// # Safety
///
/// Any bit pattern that [`Element::store`] leaves, and all zeros, must be valid for [`Element::load`]; there is no
/// padding; and a value means the same to the host, to the CPU device and to CUDA C.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element, an argument or a result in a kernel",
    label = "not a number or `bool`",
    note = "why: both the host and the device must agree on every bit of it, and one register must hold it",
    note = "help: use a number or `bool`, or a slice of them: `&[f32]`, `&mut [f32]`"
)]
pub unsafe trait Element:
    sealed::Sealed
    + DeviceType
    + ConstantType<Repr = Self, Value = Self>
    + Send
    + Sync
    + PartialEq
    + std::fmt::Debug
    + 'static
{
    /// The scalar it is.
    #[doc(hidden)]
    const SCALAR: ir::Scalar;

    /// The type it is.
    /// `Self`. A slice of what is not an element asks for it in vain, so that the mistake is reported once.
    #[doc(hidden)]
    type Held: Element + Repr;

    #[doc(hidden)]
    const TYPE: ir::Type = ir::Type::Scalar(Self::SCALAR);

    /// Reads an element that other threads may be writing.
    ///
    /// # Safety
    ///
    /// `place` must point to an element of a live array, aligned; all concurrent accesses are atomic.
    #[doc(hidden)]
    unsafe fn load(place: *mut Self) -> Self;

    /// Writes an element that other threads may be reading or writing.
    ///
    /// # Safety
    ///
    /// As for [`Element::load`].
    #[doc(hidden)]
    unsafe fn store(place: *mut Self, value: Self);

    /// Its bits, in the low end.
    #[doc(hidden)]
    fn to_bits64(self) -> u64;
}

mod sealed {
    /// Keeps [`super::Element`] to the types of this module.
    pub trait Sealed {}
}

/// Implements the traits for a scalar: its name in the IR, the atomic of its size, and the way to and from its bits.
macro_rules! scalar {
    ($($rust:ident $ir:ident $atomic:ident $bits:ident: $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $rust {}

        impl DeviceType for $rust {
            type Repr = $rust;
        }

        impl ConstantType for $rust {
            type Repr = $rust;
            type Value = $rust;

            #[inline(always)]
            fn value(self) -> $rust {
                self
            }
        }

        impl Repr for $rust {
            fn ty() -> ir::Type {
                ir::Type::Scalar(ir::Scalar::$ir)
            }
        }

        // SAFETY: `$from` takes every bit pattern, there is no padding in a scalar, and CUDA C's type of the same
        // size and kind has the same representation.
        unsafe impl Element for $rust {
            type Held = $rust;

            const SCALAR: ir::Scalar = ir::Scalar::$ir;

            #[inline(always)]
            unsafe fn load(place: *mut Self) -> Self {
                // SAFETY: the caller gives an aligned place of a live array, accessed only atomically meanwhile; the
                // atomic has the size and alignment of the scalar.
                let bits = unsafe { $atomic::from_ptr(place.cast()) }.load(Relaxed);
                ($from)(bits)
            }

            #[inline(always)]
            unsafe fn store(place: *mut Self, value: Self) {
                // SAFETY: as above.
                unsafe { $atomic::from_ptr(place.cast()) }.store(($to)(value), Relaxed);
            }

            #[inline]
            fn to_bits64(self) -> u64 {
                let bits: $bits = ($to)(self);
                u64::from(bits)
            }
        }
    )*};
}

scalar! {
    bool Bool AtomicU8 u8: |v: bool| u8::from(v), |b: u8| b != 0;
    i8 I8 AtomicU8 u8: i8::cast_unsigned, u8::cast_signed;
    i16 I16 AtomicU16 u16: i16::cast_unsigned, u16::cast_signed;
    i32 I32 AtomicU32 u32: i32::cast_unsigned, u32::cast_signed;
    i64 I64 AtomicU64 u64: i64::cast_unsigned, u64::cast_signed;
    isize Isize AtomicU64 u64: |v: isize| v as u64, |b: u64| b as isize;
    u8 U8 AtomicU8 u8: |v: u8| v, |b: u8| b;
    u16 U16 AtomicU16 u16: |v: u16| v, |b: u16| b;
    u32 U32 AtomicU32 u32: |v: u32| v, |b: u32| b;
    u64 U64 AtomicU64 u64: |v: u64| v, |b: u64| b;
    usize Usize AtomicU64 u64: |v: usize| v as u64, |b: u64| b as usize;
    f32 F32 AtomicU32 u32: f32::to_bits, f32::from_bits;
    f64 F64 AtomicU64 u64: f64::to_bits, f64::from_bits;
}

const _: () = assert!(size_of::<usize>() == 8, "Cumbia needs a 64-bit host, as CUDA does");

impl DeviceType for () {
    type Repr = ();
}

impl Repr for () {
    fn ty() -> ir::Type {
        ir::Type::Unit
    }
}

/// Implements the traits for tuples.
macro_rules! tuple {
    ($($part:ident)*) => {
        impl<$($part: DeviceType),*> DeviceType for ($($part,)*) {
            type Repr = ($($part::Repr,)*);
        }

        impl<$($part: Repr),*> Repr for ($($part,)*) {
            fn ty() -> ir::Type {
                ir::Type::Tuple(vec![$($part::ty()),*])
            }
        }
    };
}

tuple!(A);
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
tuple!(A B C D E);
tuple!(A B C D E F);

impl DeviceType for Dim3 {
    type Repr = Dim3;
}

impl Repr for Dim3 {
    fn ty() -> ir::Type {
        cumbia_kernel_ir::dim3()
    }
}

impl<T: Element, M: access::Access> DeviceType for Slice<'_, T, M> {
    type Repr = Slice<'static, T::Held, M>;
}

impl<T: Element, M: access::Access> Repr for Slice<'static, T, M> {
    fn ty() -> ir::Type {
        ir::Type::Slice { element: Box::new(T::TYPE), mutable: M::MUTABLE }
    }
}

impl<A: Storable> DeviceType for Storage<'_, A> {
    type Repr = Storage<'static, A::Held>;
}

impl<A: Storable> Repr for Storage<'static, A> {
    fn ty() -> ir::Type {
        ir::Type::Shared(Box::new(A::ty()))
    }
}

/// What `shared::<A>()` can hold: an array of elements, or an array of such arrays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in shared memory",
    label = "not an array of numbers",
    note = "why: shared memory is storage of a fixed size, without initial values, that all threads of a block share",
    note = "help: use an array of constant size, such as `[f32; 256]` or `[[f32; 16]; 16]`"
)]
pub trait Storable: Copy + 'static {
    /// `Self`, as [`Element::Held`].
    #[doc(hidden)]
    type Held: Storable;

    #[doc(hidden)]
    fn ty() -> ir::Type;
}

impl<T: Inner, const N: usize> Storable for [T; N] {
    type Held = [T::Held; N];

    fn ty() -> ir::Type {
        ir::Type::Array(Box::new(T::ty()), N as u64)
    }
}

/// What an array in shared memory can hold: elements, and arrays again.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in shared memory",
    label = "not a number, `bool` or array of them",
    note = "help: use an array of constant size, such as `[f32; 256]` or `[[f32; 16]; 16]`"
)]
pub trait Inner: Copy + 'static {
    /// `Self`, as [`Element::Held`].
    type Held: Inner;
    /// What indexing gives.
    type Place<'k>;

    fn ty() -> ir::Type;

    /// # Safety
    ///
    /// As for [`Storage::new`].
    unsafe fn place<'k>(pointer: *mut Self) -> Self::Place<'k>;
}

impl<T: Element> Inner for T {
    type Held = <T as Element>::Held;
    type Place<'k> = Elem<'k, T, access::Write>;

    fn ty() -> ir::Type {
        T::TYPE
    }

    #[inline(always)]
    unsafe fn place<'k>(pointer: *mut Self) -> Self::Place<'k> {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { Elem::new(pointer) }
    }
}

impl<T: Inner, const N: usize> Inner for [T; N] {
    type Held = [T::Held; N];
    type Place<'k> = Storage<'k, [T; N]>;

    fn ty() -> ir::Type {
        <[T; N] as Storable>::ty()
    }

    #[inline(always)]
    unsafe fn place<'k>(pointer: *mut Self) -> Self::Place<'k> {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { Storage::new(pointer) }
    }
}
