//! Types of values in memory that the host and the device share.

use cumbia_kernel_ir::{ConstantValue, Type};

use super::{ConstantType, Repr, Valued, VariableType};

/// A type whose values the host and the device share: numbers, `bool`, arrays of such types, and structs and enums with
/// `#[derive(DeviceType)]`, which implements it.
///
/// Arrays, shared memory and references hold such values, and kernels and device functions take them by value. A generic
/// kernel bounds its type parameters by `DeviceType`, or by [`Number`](crate::Number), [`Float`](crate::Float) or
/// [`Integer`](crate::Integer), which imply it.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
///
/// #[kernel]
/// fn fall(by: f32, particles: &mut [Particle]) {
///     let i = grid(1);
///     if i < particles.len() {
///         particles[i].position[2] -= by;
///     }
/// }
///
/// /// Copies any type, a number or a struct.
/// #[kernel]
/// fn copy<T: DeviceType>(from: &[T], to: &mut [T]) {
///     let i = grid(1);
///     if i < to.len() {
///         to[i] = from[i];
///     }
/// }
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let mut particles = device.to_device(&[Particle { position: [0.0, 0.0, 5.0], mass: 1.0 }])?;
/// fall(2.0, &mut particles).over(1).launch()?;
/// let mut copies = device.to_device(&[Particle { position: [0.0; 3], mass: 0.0 }])?;
/// copy(&particles, &mut copies).over(1).launch()?;
/// assert_eq!(copies.to_host()?[0].position, [0.0, 0.0, 3.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Safety
///
/// Implement it with the derive macro. Its items are internal: a value must be loaded and stored through the places that
/// `Repr::ty` describes, any initialised bits in them must load as a valid value, and neither padding nor memory outside
/// the value may be accessed. The address of a value must be irrelevant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in device memory or passed to a kernel by value",
    label = "not a device type",
    note = "why: the host and the device share its values, so both must use the same layout",
    note = "help: use a number, `bool`, an array of these, or a struct or enum with `#[derive(Clone, Copy, DeviceType)]`"
)]
pub unsafe trait DeviceType: VariableType + Repr + ConstantType<Value = Self> + Send + Sync + 'static {
    /// `Self`. A slice of a type that is not an element projects to an error type, so that the mistake is reported
    /// once.
    #[doc(hidden)]
    type Held: DeviceType;

    /// Whether every bit pattern is valid, so that no validation is needed before the host reads it.
    #[doc(hidden)]
    const ANY_BITS: bool = false;

    /// Whether zeroed memory holds a value: an enum needs a variant whose discriminant is 0.
    #[doc(hidden)]
    const ZEROS: bool = true;

    /// Loads an element that other threads may be writing, one scalar at a time. Invalid bits are replaced by valid
    /// ones. The memory may be read-only.
    ///
    /// # Safety
    ///
    /// `place` must point to an element in live memory, aligned and with initialised bytes, valid or not; all
    /// concurrent accesses must be atomic.
    #[doc(hidden)]
    unsafe fn __load(place: *mut Self) -> Self;

    /// Stores an element that other threads may be reading or writing, one scalar at a time.
    ///
    /// # Safety
    ///
    /// As for [`DeviceType::__load`], and the memory must be writable.
    #[doc(hidden)]
    unsafe fn __store(place: *mut Self, value: Self);

    /// Returns an arbitrary value, without side effects.
    #[doc(hidden)]
    fn __placeholder() -> Self;

    /// Returns the value for the compiler.
    #[doc(hidden)]
    fn __constant(&self) -> ConstantValue;
}

impl<T: DeviceType> Valued<T> for T {
    fn ty() -> Type {
        <T as Repr>::ty()
    }

    fn of(value: &T) -> ConstantValue {
        value.__constant()
    }
}

// SAFETY: an array has the layout of its contiguous elements, and each of them is accessed as itself.
unsafe impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    type Held = [T::Held; N];

    const ANY_BITS: bool = T::ANY_BITS;

    const ZEROS: bool = T::ZEROS;

    #[inline(always)]
    unsafe fn __load(place: *mut Self) -> Self {
        // SAFETY: the index is less than the array's length, and the caller's guarantee holds for the array.
        std::array::from_fn(|i| unsafe { T::__load(place.cast::<T>().add(i)) })
    }

    #[inline(always)]
    unsafe fn __store(place: *mut Self, value: Self) {
        for (i, value) in value.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { T::__store(place.cast::<T>().add(i), value) };
        }
    }

    #[inline(always)]
    fn __placeholder() -> Self {
        [T::__placeholder(); N]
    }

    fn __constant(&self) -> ConstantValue {
        ConstantValue::Parts(self.iter().map(T::__constant).collect())
    }
}

/// The check that the bounds of a type parameter imply [`DeviceType`].
pub fn require_element<T: DeviceType>() {}

/// The check, at compile time, that zeroed memory holds values of type `T`.
///
/// ```compile_fail
/// # use cumbia::prelude::*;
/// #[derive(Clone, Copy, DeviceType)]
/// enum Side {
///     Left = 1,
///     Right = 2,
/// }
///
/// let _ = Device::cpu().zeros::<Side>(10); // there is no `Side` whose bits are 0
/// ```
pub fn assert_zeros<T: DeviceType>() {
    const {
        assert!(
            T::ZEROS,
            "zeroed memory holds no value of this type: an enum in it has no variant with the discriminant 0. Copy values \
             from the host instead: `device.to_device(&[value; 100])`"
        );
    }
}

/// Replaces invalid values of `len` elements with arbitrary bits, such as those that a kernel wrote, by valid ones.
///
/// # Safety
///
/// The elements must be aligned and initialised, though perhaps invalid, and not accessed by other threads.
pub unsafe fn make_valid<T: DeviceType>(elements: *mut T, len: usize) {
    if T::ANY_BITS {
        return;
    }
    for i in 0..len {
        // SAFETY: the index is less than `len`; the caller guarantees that the elements may be read and written.
        unsafe { elements.add(i).write(T::__load(elements.add(i))) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Scalar;

    /// Returns the result of `load` for these bytes.
    #[track_caller]
    fn loaded<T: DeviceType, const N: usize>(bytes: [u8; N]) -> T {
        assert_eq!(N, size_of::<T>());
        let mut place = std::mem::MaybeUninit::<T>::uninit();
        // SAFETY: the bytes fill the place, which is aligned, and is initialised afterwards.
        unsafe {
            place.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), N);
            T::__load(place.as_mut_ptr())
        }
    }

    #[test]
    fn any_byte_is_loaded_as_a_bool() {
        assert!(!loaded::<bool, 1>([0]));
        assert!(loaded::<bool, 1>([1]));
        assert!(loaded::<bool, 1>([2]));
        assert!(loaded::<bool, 1>([0xff]));
        assert_eq!(loaded::<[bool; 3], 3>([0, 255, 1]), [false, true, true]);
    }

    #[test]
    fn numbers_are_loaded_from_their_bytes() {
        assert_eq!(loaded::<i16, 2>((-2i16).to_ne_bytes()), -2);
        assert_eq!(loaded::<[[u16; 2]; 2], 8>([1, 0, 2, 0, 3, 0, 4, 0]), [[1, 2], [3, 4]]);
        assert_eq!(loaded::<half::f16, 2>(half::f16::from_f32(0.5).to_ne_bytes()).to_f32(), 0.5);
        assert_eq!(loaded::<half::bf16, 2>(half::bf16::from_f32(-3.0).to_ne_bytes()).to_f32(), -3.0);
    }

    #[test]
    fn stored_values_are_loaded() {
        let mut place = [[0.0f64; 2]; 3];
        // SAFETY: the place is a live variable.
        unsafe { DeviceType::__store(&raw mut place, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]) };
        assert_eq!(place, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    }

    #[test]
    fn invalid_values_are_replaced_in_place() {
        let mut bytes = [0u8, 1, 7, 255];
        // SAFETY: four `bool`s have the layout of four bytes, apart from their validity.
        unsafe { make_valid(bytes.as_mut_ptr().cast::<bool>(), 4) };
        assert_eq!(bytes, [0, 1, 1, 1]);
    }

    #[test]
    fn types_and_constants_are_described() {
        assert_eq!(<[[f32; 3]; 2] as Repr>::ty().to_string(), "[[f32; 3]; 2]");
        assert_eq!([true, false].__constant(), {
            ConstantValue::Parts(vec![ConstantValue::Bits(1), ConstantValue::Bits(0)])
        });
        assert_eq!((-1i8).__constant(), ConstantValue::Bits(0xff));
        assert_eq!(u64::from_bits64((-1i64).to_bits64()), u64::MAX);
    }
}
