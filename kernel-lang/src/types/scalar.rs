//! Scalars: numbers and `bool`.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use cumbia_kernel_ir::{self as ir, ConstantValue};
use half::{bf16, f16};

use super::{CloneMethod, ConstantType, DeviceType, HasDeviceLayout, Repr, VariableType};

/// A number or a `bool`: a value that fits into a register, with built-in operators.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar",
    label = "not a number or `bool`",
    note = "why: this operation is defined for a single value in a register: a number or a `bool`",
    note = "help: apply it to each field or element of the value"
)]
pub trait Scalar:
    DeviceType + CloneMethod + PartialEq + std::fmt::Debug + std::fmt::Display + Default + sealed::Sealed
{
    /// The scalar type in the IR.
    #[doc(hidden)]
    const SCALAR: ir::Scalar;

    /// Returns the bits, zero-extended.
    #[doc(hidden)]
    fn to_bits64(self) -> u64;

    /// Returns the value with these low bits.
    #[doc(hidden)]
    fn from_bits64(bits: u64) -> Self;
}

mod sealed {
    /// Seals [`super::Scalar`].
    pub trait Sealed {}
}

/// Implements the traits for a scalar, given its name in the IR, the atomic and the integer of its size, and the
/// conversions to and from its bits.
macro_rules! scalar {
    ($($rust:ident $ir:ident $atomic:ident $bits:ident $any:literal: $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $rust {}

        #[diagnostic::do_not_recommend]
        impl HasDeviceLayout for $rust {
            type This = $rust;
        }

        impl VariableType for $rust {
            type Repr = $rust;

            #[inline]
            fn sample(_variant: usize) -> Option<Self> {
                Some(Self::__placeholder())
            }
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

        // SAFETY: `$from` accepts every bit pattern, a scalar has no padding, and CUDA C's type of the same size and
        // kind has the same representation. All patterns are valid except for `bool`.
        unsafe impl DeviceType for $rust {
            type Held = $rust;

            const ANY_BITS: bool = $any;

            #[inline(always)]
            unsafe fn __load(place: *mut Self) -> Self {
                // SAFETY: the caller guarantees an aligned place in live memory that is only written atomically
                // meanwhile; the atomic has the size and alignment of the scalar. It need not be writable: see
                // `RELAXED_LOADS_ONLY_READ`.
                let bits = unsafe { &*place.cast_const().cast::<$atomic>() }.load(Relaxed);
                ($from)(bits)
            }

            #[inline(always)]
            unsafe fn __store(place: *mut Self, value: Self) {
                // SAFETY: as above, and the caller guarantees that the place is writable.
                unsafe { $atomic::from_ptr(place.cast()) }.store(($to)(value), Relaxed);
            }

            #[inline(always)]
            fn __placeholder() -> Self {
                ($from)(0)
            }

            fn __constant(&self) -> ConstantValue {
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

const _: () = assert!(size_of::<usize>() == 8, "Cumbia requires a 64-bit host, as CUDA does");

/// Whether relaxed atomic loads of up to 64 bits never write, so that they are allowed on read-only memory: true for
/// the targets of which the standard library guarantees it (`std::sync::atomic`, "Atomic accesses to read-only
/// memory").
///
/// A `&[T]` in a kernel on the CPU refers to one of three kinds of memory: a `&mut [T]` reborrowed for reading, which
/// other threads write meanwhile; a device array; and a borrow of the host, by `In(&x)` or in a device function that
/// the host calls, which may be a `static` on a read-only page. Its type does not distinguish them: a variable can hold
/// any of them. A flag and a branch at each load prevent the optimisation of loops (a small matrix product took at
/// least twice as long). So all of them are loaded in the one way that is allowed for each: by a relaxed load through a
/// shared reference, which only requires readable memory, whereas `from_ptr` requires writable memory. A load with
/// another ordering is a relaxed load with fences, as the standard library recommends (`intrinsics/atomic/number.rs`).
///
/// Of the aliasing models that Rust considers, Tree Borrows allows such a load of memory behind a `&[T]`: the reference
/// to the atomic does not write. Stacked Borrows rejects the creation of the reference, so that Miri is run with
/// `-Zmiri-tree-borrows` (`kernel-lang/tests/host_calls.rs`).
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
