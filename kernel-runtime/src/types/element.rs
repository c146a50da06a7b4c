//! What memory that the host and the device share can hold.

use cumbia_kernel_ir::ir::ConstantValue;

use super::{ConstantType, DeviceType, Repr};

/// What arrays, shared memory and references hold, and what a kernel takes by value: numbers, `bool`, arrays of such
/// types, and structs and enums with `#[derive(DeviceType)]`, which implements it.
///
/// # Safety
///
/// [`Element::load`] must give a valid value whatever initialised bits are in the places that [`Element::store`] writes;
/// neither may touch padding, or anything outside of the value. [`Repr::ty`] must describe the type's layout: the same
/// bytes mean the same value to the host, to the CPU device and to CUDA C. If [`Element::ANY_BITS`], all bits of those
/// places are valid as they are. A copy of the value is another value: nothing depends on where it is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in the memory of a device, or an argument of a kernel",
    label = "not a type that the host and the device agree on",
    note = "why: both the host and the device must agree on every bit of it",
    note = "help: use numbers, `bool`, arrays of them, or a type with `#[derive(Clone, Copy, DeviceType)]`"
)]
pub unsafe trait Element: DeviceType + Repr + ConstantType<Value = Self> + Send + Sync + 'static {
    /// `Self`. A slice of what is not an element asks for it in vain, so that the mistake is reported once.
    #[doc(hidden)]
    type Held: Element;

    /// Every bit pattern is a value, so that nothing has to be looked at before the host sees it.
    #[doc(hidden)]
    const ANY_BITS: bool = false;

    /// Reads an element that other threads may be writing, number by number. Bits that are no value become one. The memory may
    /// be read-only.
    ///
    /// # Safety
    ///
    /// `place` must point to an element of live memory, aligned and with initialised bytes, valid or not; all concurrent
    /// accesses are atomic.
    #[doc(hidden)]
    unsafe fn load(place: *mut Self) -> Self;

    /// Writes an element that other threads may be reading or writing, number by number.
    ///
    /// # Safety
    ///
    /// As for [`Element::load`], and the memory may be written.
    #[doc(hidden)]
    unsafe fn store(place: *mut Self, value: Self);

    /// Any value. Giving one has no effect.
    #[doc(hidden)]
    fn placeholder() -> Self;

    /// Its value for the compiler.
    #[doc(hidden)]
    fn constant(&self) -> ConstantValue;
}

// SAFETY: an array has the layout of its elements, one after the other, and each of them is accessed as itself.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    type Held = [T::Held; N];

    const ANY_BITS: bool = T::ANY_BITS;

    #[inline(always)]
    unsafe fn load(place: *mut Self) -> Self {
        // SAFETY: the index is below the array's length, and the caller's promise holds for the array.
        std::array::from_fn(|i| unsafe { T::load(place.cast::<T>().add(i)) })
    }

    #[inline(always)]
    unsafe fn store(place: *mut Self, value: Self) {
        for (i, value) in value.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { T::store(place.cast::<T>().add(i), value) };
        }
    }

    #[inline(always)]
    fn placeholder() -> Self {
        [T::placeholder(); N]
    }

    fn constant(&self) -> ConstantValue {
        ConstantValue::Parts(self.iter().map(T::constant).collect())
    }
}

/// Makes values of `len` elements whose bits may be anything, such as those that a kernel left.
///
/// # Safety
///
/// The elements are aligned, initialised but perhaps not valid, and nobody else accesses them.
pub(crate) unsafe fn make_valid<T: Element>(elements: *mut T, len: usize) {
    if T::ANY_BITS {
        return;
    }
    for i in 0..len {
        // SAFETY: the index is below the length; the caller's promise allows to read and to write.
        unsafe { elements.add(i).write(T::load(elements.add(i))) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Scalar;

    /// What `load` makes of bytes.
    #[track_caller]
    fn loaded<T: Element, const N: usize>(bytes: [u8; N]) -> T {
        assert_eq!(N, size_of::<T>());
        let mut place = std::mem::MaybeUninit::<T>::uninit();
        // SAFETY: the bytes fill the place, which is aligned; after that they are initialised.
        unsafe {
            place.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), N);
            T::load(place.as_mut_ptr())
        }
    }

    #[test]
    fn a_bool_is_any_byte() {
        assert!(!loaded::<bool, 1>([0]));
        assert!(loaded::<bool, 1>([1]));
        assert!(loaded::<bool, 1>([2]));
        assert!(loaded::<bool, 1>([0xff]));
        assert_eq!(loaded::<[bool; 3], 3>([0, 255, 1]), [false, true, true]);
    }

    #[test]
    fn numbers_are_their_bytes() {
        assert_eq!(loaded::<i16, 2>((-2i16).to_ne_bytes()), -2);
        assert_eq!(loaded::<[[u16; 2]; 2], 8>([1, 0, 2, 0, 3, 0, 4, 0]), [[1, 2], [3, 4]]);
        assert_eq!(loaded::<half::f16, 2>(half::f16::from_f32(0.5).to_ne_bytes()).to_f32(), 0.5);
        assert_eq!(loaded::<half::bf16, 2>(half::bf16::from_f32(-3.0).to_ne_bytes()).to_f32(), -3.0);
    }

    #[test]
    fn what_is_stored_is_loaded() {
        let mut place = [[0.0f64; 2]; 3];
        // SAFETY: the place is a live variable.
        unsafe { Element::store(&raw mut place, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]) };
        assert_eq!(place, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    }

    #[test]
    fn bits_are_made_valid_in_place() {
        let mut bytes = [0u8, 1, 7, 255];
        // SAFETY: four bytes are what four `bool`s are, apart from their values.
        unsafe { make_valid(bytes.as_mut_ptr().cast::<bool>(), 4) };
        assert_eq!(bytes, [0, 1, 1, 1]);
    }

    #[test]
    fn types_and_constants_are_described() {
        assert_eq!(<[[f32; 3]; 2]>::ty().to_string(), "[[f32; 3]; 2]");
        assert_eq!([true, false].constant(), {
            ConstantValue::Parts(vec![ConstantValue::Bits(1), ConstantValue::Bits(0)])
        });
        assert_eq!((-1i8).constant(), ConstantValue::Bits(0xff));
        assert_eq!(u64::from_bits64((-1i64).to_bits64()), u64::MAX);
    }
}
