//! Arguments: what a call of a kernel takes, and how a launch looks at them.

use std::ffi::c_void;
use std::marker::PhantomData;

use smallvec::SmallVec;

use crate::array::{DeviceArray, RawSlice};
use crate::cpu::Slice;
use crate::cpu::access::{Access, Read, Write};
use crate::device::Device;
use crate::error::LaunchError;
use crate::types::Element;

/// What a `&[T]` parameter takes: `&DeviceArray<T>`.
#[diagnostic::on_unimplemented(
    message = "a `&[_]` parameter of a kernel takes a `&DeviceArray<_>`, not a `{Self}`",
    label = "not a device array",
    note = "why: a kernel reads memory of its device",
    note = "help: copy the data there first: `let x = device.to_device(&data)?`, then pass `&x`"
)]
pub trait ReadArgument<'a> {
    /// The elements.
    type Element: Element;
    #[doc(hidden)]
    fn bind(self) -> ArraySlice<'a, Self::Element, Read>;
}

/// What a `&mut [T]` parameter takes: `&mut DeviceArray<T>`.
#[diagnostic::on_unimplemented(
    message = "a `&mut [_]` parameter of a kernel takes a `&mut DeviceArray<_>`, not a `{Self}`",
    label = "not an array that the kernel may change",
    note = "why: a kernel writes to memory of its device, and nothing else may use the array meanwhile",
    note = "help: pass `&mut array`, where `array` is a `DeviceArray`"
)]
pub trait WriteArgument<'a> {
    /// The elements.
    type Element: Element;
    #[doc(hidden)]
    fn bind(self) -> ArraySlice<'a, Self::Element, Write>;
}

impl<'a, T: Element> ReadArgument<'a> for &'a DeviceArray<T> {
    type Element = T;

    fn bind(self) -> ArraySlice<'a, T, Read> {
        ArraySlice::new(self)
    }
}

impl<'a, T: Element> ReadArgument<'a> for &'a mut DeviceArray<T> {
    type Element = T;

    fn bind(self) -> ArraySlice<'a, T, Read> {
        ArraySlice::new(self)
    }
}

impl<'a, T: Element> WriteArgument<'a> for &'a mut DeviceArray<T> {
    type Element = T;

    fn bind(self) -> ArraySlice<'a, T, Write> {
        ArraySlice::new(self)
    }
}

/// An array lent to a launch.
#[doc(hidden)]
pub struct ArraySlice<'a, T, M> {
    device: &'a Device,
    raw: RawSlice,
    array: PhantomData<(&'a T, M)>,
}

// SAFETY: an `ArraySlice` is a borrow of a `DeviceArray`, whose elements may be shared; threads reach them through views.
unsafe impl<T: Sync, M: Access> Sync for ArraySlice<'_, T, M> {}

impl<'a, T: Element, M: Access> ArraySlice<'a, T, M> {
    fn new(array: &'a DeviceArray<T>) -> Self {
        ArraySlice { device: array.device(), raw: array.raw(), array: PhantomData }
    }
}

// What the macro writes for a slice parameter asks nothing of its elements: their slot does, and says so once.
impl<T, M> ArraySlice<'_, T, M> {
    /// The elements, for a kernel on the CPU.
    pub fn view(&self) -> Slice<'_, T, M> {
        // SAFETY: only a launch on the CPU device asks, and then the array is memory of this process, aligned,
        // initialised, and borrowed for `'a`: exclusively if `M` writes. The launch runs to its end while the borrow
        // lasts, and all its threads use views.
        unsafe { Slice::new(self.raw.pointer.cast(), self.raw.len) }
    }
}

/// Walks through the arguments of a launch.
#[doc(hidden)]
pub struct Binder<'a> {
    kernel: &'static str,
    device: Option<(&'static str, &'a Device)>,
    mixed: Option<LaunchError>,
    params: Params,
}

/// Pointers to the parameters, as `cuLaunchKernel` wants them. Kernels of up to 16 slices need no allocation.
pub(crate) type Params = SmallVec<[*mut c_void; 40]>;

impl<'a> Binder<'a> {
    pub(crate) fn new(kernel: &'static str) -> Self {
        Binder { kernel, device: None, mixed: None, params: SmallVec::new() }
    }

    /// The next argument is a number. That it is one, the slot of the parameter requires: here a bound would only say
    /// so twice.
    #[inline]
    pub fn scalar<T>(&mut self, value: &'a T) {
        self.params.push(std::ptr::from_ref(value).cast_mut().cast());
    }

    /// The next argument is an array.
    #[inline]
    pub fn array<T, M>(&mut self, name: &'static str, array: &'a ArraySlice<'_, T, M>) {
        let RawSlice { pointer, len } = &array.raw;
        self.params.push(std::ptr::from_ref(pointer).cast_mut().cast());
        self.params.push(std::ptr::from_ref(len).cast_mut().cast());
        match self.device {
            None => self.device = Some((name, array.device)),
            Some((first, device)) if device != array.device && self.mixed.is_none() => {
                self.mixed = Some(LaunchError::MixedDevices {
                    kernel: self.kernel,
                    first,
                    first_device: device.to_string(),
                    second: name,
                    second_device: array.device.to_string(),
                });
            }
            Some(_) => {}
        }
    }

    /// The device that all arrays are on, if there are any, and the parameters.
    pub(crate) fn finish(self) -> Result<(Option<&'a Device>, Params), LaunchError> {
        match self.mixed {
            Some(error) => Err(error),
            None => Ok((self.device.map(|(_, device)| device), self.params)),
        }
    }
}
