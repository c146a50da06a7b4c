//! Arguments: what a call of a kernel takes, and how a launch looks at them.

use std::ffi::c_void;
use std::marker::PhantomData;

use smallvec::SmallVec;

use crate::array::{DeviceArray, RawSlice};
use crate::array_view::ArrayView;
use crate::cpu::Slice;
use crate::cpu::access::{Access, Read, Write};
use crate::device::Device;
use crate::error::LaunchError;
use crate::memory::{Memory, Use};
use crate::specialise::Layout;
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

/// What an `ArrayView1<T>`, `ArrayView2<T>` or `ArrayView3<T>` parameter takes: such a view, or one that may be written.
#[diagnostic::on_unimplemented(
    message = "an `ArrayView{D}<_>` parameter of a kernel does not take a `{Self}`",
    label = "not a view of {D} dimensions",
    note = "why: a kernel reads memory of its device",
    note = "help: make a view of a `DeviceArray`: `array.reshape((rows, columns))?`"
)]
pub trait ReadView<'a, const D: usize> {
    /// The elements.
    type Element: Element;
    #[doc(hidden)]
    fn bind(self) -> ArrayView<'a, Self::Element, D, Read>;
}

/// What an `ArrayViewMut1<T>`, `ArrayViewMut2<T>` or `ArrayViewMut3<T>` parameter takes.
#[diagnostic::on_unimplemented(
    message = "an `ArrayViewMut{D}<_>` parameter of a kernel does not take a `{Self}`",
    label = "not a view of {D} dimensions that the kernel may change",
    note = "why: a kernel writes to memory of its device, and nothing else may use the elements meanwhile",
    note = "help: make a view of a `DeviceArray`: `array.reshape_mut((rows, columns))?`"
)]
pub trait WriteView<'a, const D: usize> {
    /// The elements.
    type Element: Element;
    #[doc(hidden)]
    fn bind(self) -> ArrayView<'a, Self::Element, D, Write>;
}

impl<'a, T: Element, const D: usize> ReadView<'a, D> for ArrayView<'a, T, D, Read> {
    type Element = T;

    fn bind(self) -> ArrayView<'a, T, D, Read> {
        self
    }
}

impl<'a, T: Element, const D: usize, M: Access> ReadView<'a, D> for &'a ArrayView<'_, T, D, M> {
    type Element = T;

    fn bind(self) -> ArrayView<'a, T, D, Read> {
        self.view()
    }
}

impl<'a, T: Element, const D: usize> WriteView<'a, D> for ArrayView<'a, T, D, Write> {
    type Element = T;

    fn bind(self) -> ArrayView<'a, T, D, Write> {
        self
    }
}

impl<'a, T: Element, const D: usize> WriteView<'a, D> for &'a mut ArrayView<'_, T, D, Write> {
    type Element = T;

    fn bind(self) -> ArrayView<'a, T, D, Write> {
        self.view_mut()
    }
}

/// An array lent to a launch.
#[doc(hidden)]
pub struct ArraySlice<'a, T, M> {
    memory: &'a Memory,
    raw: RawSlice,
    array: PhantomData<(&'a T, M)>,
}

// SAFETY: an `ArraySlice` is a borrow of a `DeviceArray`, whose elements may be shared; threads reach them through views.
unsafe impl<T: Sync, M: Access> Sync for ArraySlice<'_, T, M> {}

impl<'a, T: Element, M: Access> ArraySlice<'a, T, M> {
    fn new(array: &'a DeviceArray<T>) -> Self {
        ArraySlice { memory: array.memory(), raw: array.raw(), array: PhantomData }
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
    uses: Uses<'a>,
    /// Where the last parameter ends in the memory that they have on a GPU.
    bytes: usize,
    /// The largest `usize` that the kernel is given, or can reach in a view.
    largest: usize,
    /// Whether the elements of each view follow each other.
    contiguous: bool,
}

/// What CUDA has for the parameters of a kernel on every architecture (CUDA C++ Programming Guide, "Function Parameters").
const PARAMETER_BYTES: usize = 4096;

/// Pointers to the parameters, as `cuLaunchKernel` wants them. Kernels of up to 16 slices need no allocation.
pub(crate) type Params = SmallVec<[*mut c_void; 40]>;

/// The memory that a launch uses.
pub(crate) type Uses<'a> = SmallVec<[Use<'a>; 16]>;

impl<'a> Binder<'a> {
    pub(crate) fn new(kernel: &'static str) -> Self {
        Binder {
            kernel,
            device: None,
            mixed: None,
            params: SmallVec::new(),
            uses: SmallVec::new(),
            bytes: 0,
            largest: 0,
            contiguous: true,
        }
    }

    /// The next argument is a value. That it may be one, the slot of the parameter requires: here a bound would only say so
    /// twice.
    #[inline]
    pub fn value<T>(&mut self, value: &'a T) {
        self.bytes = self.bytes.next_multiple_of(align_of::<T>()) + size_of::<T>();
        self.params.push(std::ptr::from_ref(value).cast_mut().cast());
    }

    /// The next argument is a value, of a kernel with `index = u32`: a `usize` has to fit.
    #[inline]
    pub fn narrow_value<T>(&mut self, value: &'a T) {
        self.value(value);
        // A bound `T: 'static` would be one more error where `T` is no element.
        if std::any::type_name::<T>() == "usize" && size_of::<T>() == size_of::<usize>() {
            // SAFETY: it has the size of a `usize`, and is one by its name: that of a type in a module has its path.
            self.reaches(unsafe { std::ptr::from_ref(value).cast::<usize>().read() });
        }
    }

    /// Notes a number that indices can come to.
    #[inline]
    fn reaches(&mut self, number: usize) {
        self.largest = self.largest.max(number);
    }

    /// The largest `usize` that the kernel is given, or can reach in a view.
    pub(crate) fn largest(&self) -> usize {
        self.largest
    }

    /// How the elements of the views lie.
    pub(crate) fn layout(&self) -> Layout {
        if self.contiguous { Layout::Contiguous } else { Layout::Strided }
    }

    /// The next argument is an array.
    #[inline]
    pub fn array<T, M: Access>(&mut self, name: &'static str, array: &'a ArraySlice<'_, T, M>) {
        let RawSlice { pointer, len } = &array.raw;
        self.value(pointer);
        self.value(len);
        self.reaches(*len);
        let start = pointer.addr() - array.memory.pointer().addr();
        let bytes = start..start + *len * size_of::<T>();
        self.on(name, Use { memory: array.memory, bytes, writes: M::MUTABLE });
    }

    /// The next argument is a view.
    #[inline]
    pub fn view<T, const D: usize, M: Access>(&mut self, name: &'static str, view: &'a ArrayView<'_, T, D, M>) {
        let (pointer, shape, strides) = view.raw();
        self.value(pointer);
        shape.iter().chain(strides).for_each(|number| self.value(number));
        // Behind the last element, so that no length is above it. None of it wraps: the view is inside an array.
        let reach = shape.iter().zip(strides).map(|(len, stride)| len * stride).sum();
        self.reaches(reach);
        let mut expected = 1;
        for (len, stride) in shape.iter().zip(strides).rev() {
            self.contiguous &= *stride == expected;
            expected *= len;
        }
        self.on(name, Use { memory: view.memory(), bytes: view.bytes(), writes: M::MUTABLE });
    }

    /// Notes what an argument uses, and where that is.
    #[inline]
    fn on(&mut self, name: &'static str, used: Use<'a>) {
        let device = used.memory.device();
        self.uses.push(used);
        match self.device {
            None => self.device = Some((name, device)),
            Some((first, other)) if other != device && self.mixed.is_none() => {
                self.mixed = Some(LaunchError::MixedDevices {
                    kernel: self.kernel,
                    first,
                    first_device: other.to_string(),
                    second: name,
                    second_device: device.to_string(),
                });
            }
            Some(_) => {}
        }
    }

    /// The device that all arrays are on, if there are any, the parameters, and what they use.
    pub(crate) fn finish(self) -> Result<(Option<&'a Device>, Params, Uses<'a>), LaunchError> {
        if let Some(error) = self.mixed {
            return Err(error);
        }
        // Our own last parameter, on which faults are noted.
        let bytes = self.bytes.next_multiple_of(align_of::<u64>()) + cumbia_kernel_ir::LAUNCH_BYTES;
        if bytes > PARAMETER_BYTES {
            let limit = PARAMETER_BYTES - cumbia_kernel_ir::LAUNCH_BYTES;
            return Err(LaunchError::ArgumentsTooLarge { kernel: self.kernel, bytes: self.bytes, limit });
        }
        Ok((self.device.map(|(_, device)| device), self.params, self.uses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_laid_out_as_the_gpu_does() {
        let device = Device::cpu();
        let array = device.zeros::<f32>(6).unwrap();
        let (slice, view) = (ArraySlice::<f32, Read>::new(&array), array.reshape((2, 3)).unwrap());
        let mut binder = Binder::new("kernel");
        binder.value(&1u8);
        binder.value(&2.0f64);
        binder.array("slice", &slice);
        binder.view("view", &view);
        // One byte and seven between, then eight; a pointer and a length; a pointer, two lengths, two strides.
        assert_eq!(binder.bytes, 16 + 2 * 8 + 5 * 8);
        let (on, params, uses) = binder.finish().unwrap();
        assert_eq!((on, params.len()), (Some(&device), 2 + 2 + 5));
        assert!(uses.iter().all(|used| used.bytes == (0..24) && !used.writes) && uses.len() == 2);
        // SAFETY: each parameter is the address of a number that is still there.
        let numbers: Vec<usize> = params[5..].iter().map(|param| unsafe { param.cast::<usize>().read() }).collect();
        assert_eq!(numbers, [2, 3, 3, 1]);
    }

    #[test]
    fn arguments_have_limited_memory() {
        let value = [0u8; 4000];
        let mut binder = Binder::new("kernel");
        binder.value(&value);
        assert!(binder.finish().is_ok());
        let mut binder = Binder::new("kernel");
        binder.value(&value);
        binder.value(&[0u64; 9]);
        let error = binder.finish().err().unwrap();
        assert!(matches!(error, LaunchError::ArgumentsTooLarge { bytes: 4072, limit: 4064, .. }), "{error}");
    }
}
