//! Numbers and `bool`.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use cumbia_kernel_ir::ir::{self, ConstantValue};
use half::{bf16, f16};

use super::{ConstantType, DeviceType, Element, Repr};
use crate::methods::CloneMethod;

/// A number or a `bool`: what one register holds, and what operators are built in for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number or `bool`",
    label = "not a number or `bool`",
    note = "why: one register must hold it",
    note = "help: use a field or an element of it"
)]
pub trait Scalar:
    Element + CloneMethod + PartialEq + std::fmt::Debug + std::fmt::Display + Default + sealed::Sealed
{
    /// Which one it is.
    #[doc(hidden)]
    const SCALAR: ir::Scalar;

    /// Its bits, in the low end; the rest are zero.
    #[doc(hidden)]
    fn to_bits64(self) -> u64;

    /// The value of the bits in the low end.
    #[doc(hidden)]
    fn from_bits64(bits: u64) -> Self;
}

mod sealed {
    /// Keeps [`super::Scalar`] to the types of this module.
    pub trait Sealed {}
}

/// Implements the traits for a scalar: its name in the IR, the atomic and the integer of its size, and the way to and from
/// its bits.
macro_rules! scalar {
    ($($rust:ident $ir:ident $atomic:ident $bits:ident $any:literal: $to:expr, $from:expr;)*) => {$(
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
        // size and kind has the same representation. All but `bool` have a value for each pattern.
        unsafe impl Element for $rust {
            type Held = $rust;

            const ANY_BITS: bool = $any;

            #[inline(always)]
            unsafe fn load(place: *mut Self) -> Self {
                // SAFETY: the caller gives an aligned place of live memory, written only atomically meanwhile; the atomic has
                // the size and alignment of the scalar. It need not be writable: see `RELAXED_LOADS_ONLY_READ`.
                let bits = unsafe { &*place.cast_const().cast::<$atomic>() }.load(Relaxed);
                ($from)(bits)
            }

            #[inline(always)]
            unsafe fn store(place: *mut Self, value: Self) {
                // SAFETY: as above, and the caller's place may be written.
                unsafe { $atomic::from_ptr(place.cast()) }.store(($to)(value), Relaxed);
            }

            #[inline(always)]
            fn placeholder() -> Self {
                ($from)(0)
            }

            fn constant(&self) -> ConstantValue {
                ConstantValue::Bits(self.to_bits64())
            }
        }

        impl Scalar for $rust {
            const SCALAR: ir::Scalar = ir::Scalar::$ir;

            #[inline]
            fn to_bits64(self) -> u64 {
                let bits: $bits = ($to)(self);
                u64::from(bits)
            }

            #[inline]
            fn from_bits64(bits: u64) -> Self {
                ($from)(bits as $bits)
            }
        }
    )*};
}

scalar! {
    bool Bool AtomicU8 u8 false: |v: bool| u8::from(v), |b: u8| b != 0;
    i8 I8 AtomicU8 u8 true: i8::cast_unsigned, u8::cast_signed;
    i16 I16 AtomicU16 u16 true: i16::cast_unsigned, u16::cast_signed;
    i32 I32 AtomicU32 u32 true: i32::cast_unsigned, u32::cast_signed;
    i64 I64 AtomicU64 u64 true: i64::cast_unsigned, u64::cast_signed;
    isize Isize AtomicU64 u64 true: |v: isize| v as u64, |b: u64| b as isize;
    u8 U8 AtomicU8 u8 true: |v: u8| v, |b: u8| b;
    u16 U16 AtomicU16 u16 true: |v: u16| v, |b: u16| b;
    u32 U32 AtomicU32 u32 true: |v: u32| v, |b: u32| b;
    u64 U64 AtomicU64 u64 true: |v: u64| v, |b: u64| b;
    usize Usize AtomicU64 u64 true: |v: usize| v as u64, |b: u64| b as usize;
    f16 F16 AtomicU16 u16 true: f16::to_bits, f16::from_bits;
    bf16 Bf16 AtomicU16 u16 true: bf16::to_bits, bf16::from_bits;
    f32 F32 AtomicU32 u32 true: f32::to_bits, f32::from_bits;
    f64 F64 AtomicU64 u64 true: f64::to_bits, f64::from_bits;
}

const _: () = assert!(size_of::<usize>() == 8, "Cumbia needs a 64-bit host, as CUDA does");

/// Relaxed atomic loads of up to 64 bits never write, so that they are allowed on read-only memory: the targets of which the
/// standard library guarantees that (`std::sync::atomic`, "Atomic accesses to read-only memory").
///
/// A `&[T]` in a kernel on the CPU is memory of three kinds: a `&mut [T]` lent for reading, which other threads write
/// meanwhile; an array of a device; and what the host has borrowed, by `In(&x)` or for a device function that it calls, which
/// may be a `static` on a read-only page. Nothing in its type tells which: variables of the user's hold one or the other. A
/// flag and a branch at each load keep loops from being optimised (a small matrix product took at least twice as long). So all
/// of them are loaded in the one way that is allowed for each: by a relaxed load through a shared reference, which needs
/// memory to be readable and no more, where `from_ptr` asks for memory that can be written. A load with another ordering is a
/// relaxed one with fences, as the standard library advises (`intrinsics/atomic/number.rs`).
const RELAXED_LOADS_ONLY_READ: bool = cfg!(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "loongarch64",
    target_arch = "mips64",
    target_arch = "mips64r6",
    target_arch = "powerpc64",
    target_arch = "riscv64",
    target_arch = "sparc64",
    target_arch = "s390x"
));

const _: () = assert!(RELAXED_LOADS_ONLY_READ, "atomic loads of this target may write");
