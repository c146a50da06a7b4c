//! Scalars at any address, for records without padding.
//!
//! The fields of a `#[repr(packed)]` struct have addresses that a reference, an atomic operation or a load of a GPU may not have, and
//! rustc rejects references to them (E0793). A kernel's body has no such references that rustc could see, so that a device type cannot
//! be packed. Here the missing alignment is a part of the field's type instead: an [`Unaligned`] scalar is an array of bytes, and has
//! no reference to the scalar.

use cumbia_kernel_lang::{Components, DeviceType, bf16, f16};
use cumbia_kernel_macros::{DeviceType, device};

/// A type whose values are a number of bytes, lowest first.
///
/// It is implemented for the integers and the floating-point numbers. A `usize` has 8 bytes also in a kernel with `index = u32`, where
/// `get()` truncates it as `as usize` does. Implement the trait for a type of yours to store it [`Unaligned`]:
///
/// ```
/// use cumbia::prelude::*;
/// use cumbia::unaligned::{Bytes, Unaligned};
///
/// /// A point in time, in seconds.
/// #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
/// struct Time(u32);
///
/// #[device]
/// impl Bytes for Time {
///     type Array = [u8; 4];
///
///     fn of_bytes(bytes: [u8; 4]) -> Time {
///         Time(u32::of_bytes(bytes))
///     }
///
///     fn bytes_of(self) -> [u8; 4] {
///         self.0.bytes_of()
///     }
/// }
///
/// assert_eq!(Unaligned::new(Time(7)).get(), Time(7));
/// ```
#[device]
pub trait Bytes: DeviceType {
    /// `[u8; N]`
    type Array: DeviceType;

    /// Returns the value of these bytes.
    fn of_bytes(bytes: Self::Array) -> Self;

    /// Returns the bytes of the value.
    fn bytes_of(self) -> Self::Array;
}

/// A scalar that is stored as bytes: it has an alignment of 1, so that a struct with `#[repr(C)]` has no padding before it.
///
/// This is the field of a record that another program has packed: a `#[repr(C, packed)]` struct, `struct.pack("<..")` of Python, or a
/// `np.dtype` without `align=True`. [`get`](Unaligned::get) and [`new`](Unaligned::new) convert, on the host and in kernels; each
/// loads or stores single bytes, which an aligned field does in one access. With `#[derive(Components)]` an array of the bytes of a
/// file is [cast](cumbia_kernel_lang::Components) to one of such records.
///
/// ```
/// use cumbia::Components;
/// use cumbia::prelude::*;
/// use cumbia::unaligned::Unaligned;
///
/// /// NumPy's `np.dtype([("kind", "u1"), ("weight", "<f4"), ("count", "<u2")])`.
/// #[derive(Clone, Copy, Components, DeviceType)]
/// #[repr(C)]
/// struct Record {
///     kind: u8,
///     weight: Unaligned<f32>, // at offset 1
///     count: Unaligned<u16>,  // at offset 5
/// }
///
/// #[kernel]
/// fn halve(records: &mut [Record]) {
///     let i = grid(1);
///     if i < records.len() {
///         records[i].weight = Unaligned::new(records[i].weight.get() / 2.0);
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// assert_eq!(size_of::<Record>(), 7);
/// let device = Device::cpu();
/// let file = [3u8, 0, 0, 0xa0, 0x40, 44, 1].repeat(100); // the bytes of records of 3, 5.0 and 300
/// let mut bytes = device.to_device(&file)?;
/// let mut records = bytes.cast_mut::<Record>()?;
/// halve(&mut records).over(100).launch()?;
/// let last = records.to_host()?[99];
/// assert_eq!((last.kind, last.weight.get(), last.count.get()), (3, 2.5, 300));
/// # Ok(())
/// # }
/// ```
///
/// `==` compares values, on the host and in kernels, as that of `T`; in records with `#[device(PartialEq)]`, too. There are no atomic
/// operations, no order and no `From` in kernels: use `get()` and `new(..)`, and aligned arrays for the results. If several threads
/// write one without synchronisation, the bytes may be those of different writes. A number with its highest byte first is
/// `u32::swap_bytes` of an `Unaligned<u32>`, and `f32::from_bits` of that. A `bool` needs no alignment, and an array of `T` is
/// `[Unaligned<T>; N]`. `{:?}` in a kernel prints the bytes on a GPU, and the value on the CPU device.
#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
pub struct Unaligned<T: Bytes> {
    bytes: T::Array,
}

#[device]
impl<T: Bytes> Unaligned<T> {
    /// Stores a value as bytes.
    pub fn new(value: T) -> Unaligned<T> {
        Unaligned { bytes: value.bytes_of() }
    }

    /// Returns the value.
    pub fn get(self) -> T {
        T::of_bytes(self.bytes)
    }
}

impl<T: Bytes> From<T> for Unaligned<T> {
    fn from(value: T) -> Self {
        Unaligned::new(value)
    }
}

impl<T: Bytes + Default> Default for Unaligned<T> {
    fn default() -> Self {
        Unaligned::new(T::default())
    }
}

/// Equal values, as `==` of `T` compares them.
#[device]
impl<T: Bytes + PartialEq> PartialEq for Unaligned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

// SAFETY: the memory is that of the array, which consists of bytes only.
unsafe impl<T: Bytes<Array: Components<Component = u8>>> Components for Unaligned<T> {
    type Component = u8;
}

impl<T: Bytes + Eq> Eq for Unaligned<T> where Unaligned<T>: PartialEq {}

impl<T: Bytes + std::fmt::Debug> std::fmt::Debug for Unaligned<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

macro_rules! integers {
    ($($ty:ident, $bits:ident, $bytes:literal;)*) => {$(
        #[device]
        impl Bytes for $ty {
            type Array = [u8; $bytes];

            fn of_bytes(bytes: [u8; $bytes]) -> $ty {
                let mut bits: $bits = 0;
                for k in 0..$bytes {
                    bits |= (bytes[k] as $bits) << (8 * k);
                }
                bits as $ty
            }

            fn bytes_of(self) -> [u8; $bytes] {
                let bits = self as $bits;
                let mut bytes = [0u8; $bytes];
                for k in 0..$bytes {
                    bytes[k] = (bits >> (8 * k)) as u8;
                }
                bytes
            }
        }
    )*};
}

macro_rules! floats {
    ($($ty:ident, $bits:ident, $bytes:literal;)*) => {$(
        #[device]
        impl Bytes for $ty {
            type Array = [u8; $bytes];

            fn of_bytes(bytes: [u8; $bytes]) -> $ty {
                $ty::from_bits($bits::of_bytes(bytes))
            }

            fn bytes_of(self) -> [u8; $bytes] {
                self.to_bits().bytes_of()
            }
        }
    )*};
}

integers! {
    u8, u8, 1;
    i8, u8, 1;
    u16, u16, 2;
    i16, u16, 2;
    u32, u32, 4;
    i32, u32, 4;
    u64, u64, 8;
    i64, u64, 8;
    usize, u64, 8;
    isize, u64, 8;
}

floats! {
    f16, u16, 2;
    bf16, u16, 2;
    f32, u32, 4;
    f64, u64, 8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_that_of_a_packed_struct() {
        #[repr(C, packed)]
        struct Packed {
            _a: u8,
            b: f64,
            c: i16,
            d: f32,
        }
        #[repr(C)]
        struct Record {
            _a: u8,
            b: Unaligned<f64>,
            c: Unaligned<i16>,
            d: Unaligned<f32>,
        }
        use std::mem::offset_of;
        assert_eq!((size_of::<Record>(), align_of::<Record>()), (size_of::<Packed>(), align_of::<Packed>()));
        assert_eq!(offset_of!(Record, b), offset_of!(Packed, b));
        assert_eq!(offset_of!(Record, c), offset_of!(Packed, c));
        assert_eq!(offset_of!(Record, d), offset_of!(Packed, d));
    }

    #[test]
    fn the_bytes_are_those_of_rust() {
        assert_eq!((-2i16).bytes_of(), (-2i16).to_le_bytes());
        assert_eq!(0x0123_4567_89ab_cdefu64.bytes_of(), 0x0123_4567_89ab_cdefu64.to_le_bytes());
        assert_eq!(i64::MIN.bytes_of(), i64::MIN.to_le_bytes());
        assert_eq!(1.5f32.bytes_of(), 1.5f32.to_le_bytes());
        let nan = f64::from_bits(0x7ff4_0000_0000_0001);
        assert_eq!(Unaligned::new(nan).get().to_bits(), nan.to_bits());
        for value in [i8::MIN, -1, 0, 1, i8::MAX] {
            assert_eq!(Unaligned::new(value).get(), value);
        }
        assert_eq!(format!("{:?}", Unaligned::new(f16::from_f32(0.5))), "0.5");
    }
}
