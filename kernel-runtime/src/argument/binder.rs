//! Full argument validation and binding (slow path).

use std::any::TypeId;
use std::ffi::c_void;

use smallvec::SmallVec;

use super::array::{ArraySlice, Elements, ForeignMemory, Location, ViewArgument};
use super::packed_params::{Params, Sizes, value_of};
use super::transfer::Transfer;
use super::visitor::Visitor;
use crate::array::{RawSlice, shape};
use crate::device::Device;
use crate::error::{LaunchError, SharedError};
use crate::handles::access::Access;
use crate::layout::Layout;
use crate::memory::Use;

/// Facts about the arguments that the validation of a launch needs.
#[derive(Clone, Copy)]
pub(crate) struct ArgumentFacts<'p> {
    pub(crate) layout: Layout,
    /// Pointers to the parameters.
    pub(crate) params: &'p Params,
    /// An upper bound of the indices into the arguments, and of the `usize` values among them.
    pub(crate) max_index: usize,
}

/// A visitor that validates the arguments of a launch, and collects everything that the enqueue needs.
pub(crate) struct Binder<'a> {
    kernel: &'static str,
    device: Option<(&'static str, &'a Device)>,
    /// The first error.
    error: Option<LaunchError>,
    /// Pointers to the parameters.
    pub(crate) params: Params,
    /// The sizes of the parameters, in bytes.
    pub(crate) sizes: Sizes,
    /// The device memory that the launch accesses.
    pub(crate) uses: Uses<'a>,
    /// The host arrays that are copied to or from the device.
    pub(crate) transfers: Vec<Transfer<'a>>,
    /// The arguments in memory of other libraries.
    pub(crate) foreign: Vec<&'a ForeignMemory<'a>>,
    /// The end of the last parameter in a GPU's parameter memory, in bytes.
    bytes: usize,
    /// The largest `usize` argument, length, or index into a view.
    max_index: usize,
    /// Whether all views are contiguous.
    contiguous: bool,
}

/// The limit of a kernel's parameters on every architecture, in bytes (CUDA C++ Programming Guide, "Function Parameters").
const PARAMETER_BYTES: usize = 4096;

/// The device memory that a launch accesses.
pub(crate) type Uses<'a> = SmallVec<[Use<'a>; 16]>;

impl<'a> Binder<'a> {
    pub(crate) fn new(kernel: &'static str) -> Self {
        Binder {
            kernel,
            device: None,
            error: None,
            params: SmallVec::new(),
            sizes: SmallVec::new(),
            uses: SmallVec::new(),
            transfers: Vec::new(),
            foreign: Vec::new(),
            bytes: 0,
            max_index: 0,
            contiguous: true,
        }
    }

    /// Appends a parameter.
    fn parameter(&mut self, pointer: *mut c_void, bytes: usize, alignment: usize) {
        self.bytes = self.bytes.next_multiple_of(alignment) + bytes;
        self.params.push(pointer);
        self.sizes.push(bytes as u32);
    }

    /// Raises the upper bound of the indices to at least `number`.
    fn note_index(&mut self, number: usize) {
        self.max_index = self.max_index.max(number);
    }

    /// Binds an array, independent of its element type, so that the function is not monomorphised for each kernel.
    fn elements(&mut self, name: &'static str, array: &'a Elements<'_>, element_bytes: usize, writes: bool) {
        let Elements { raw: RawSlice { pointer, len }, location } = array;
        self.note_index(*len);
        let param = self.params.len();
        self.value(pointer);
        self.value(len);
        let elements = Extent { start: pointer.cast(), len: *len, bytes: *len * element_bytes, writes };
        self.bind_location(name, location, param, &elements);
    }

    /// Records the location of an argument's elements and how the launch accesses them. Parameter `param` is the pointer to
    /// them.
    fn bind_location(&mut self, name: &'static str, location: &'a Location<'a>, param: usize, elements: &Extent) {
        let &Extent { start, len, bytes, writes } = elements;
        let memory = match location {
            Location::Device(memory) => *memory,
            Location::Foreign(foreign) => {
                self.foreign.push(foreign);
                &foreign.memory
            }
            Location::Host(host) => {
                self.transfers.push(Transfer::new(param, start, len, bytes, *host));
                return;
            }
            Location::Invalid(cause) => return self.reject(name, cause),
        };
        let first = start.addr() - memory.pointer().addr();
        self.uses.push(Use { memory, bytes: first..first + bytes, writes });
        match self.device {
            Some((_, device)) if device == memory.device() => {}
            Some((first, other)) => self.reject_mixed_devices((first, other), (name, memory.device())),
            None => self.device = Some((name, memory.device())),
        }
    }

    #[cold]
    fn reject(&mut self, parameter: &'static str, cause: &SharedError) {
        let (kernel, cause) = (self.kernel, cause.clone());
        self.error.get_or_insert(LaunchError::Argument { kernel, parameter, cause });
    }

    #[cold]
    fn reject_mixed_devices(
        &mut self,
        (first, other): (&'static str, &Device),
        (second, device): (&'static str, &Device),
    ) {
        let kernel = self.kernel;
        let (first_device, second_device) = (other.into(), device.into());
        let mixed = LaunchError::MixedDevices { kernel, first, first_device, second, second_device };
        self.error.get_or_insert(mixed);
    }

    /// Returns whether the launch consists of the kernel launch alone, without host copies or actions for foreign memory.
    pub(crate) fn is_launch_only(&self) -> bool {
        self.transfers.is_empty() && self.foreign.is_empty()
    }

    /// Returns the facts about the visited arguments.
    pub(crate) fn arguments(&self) -> ArgumentFacts<'_> {
        let layout = if self.contiguous { Layout::Contiguous } else { Layout::Strided };
        ArgumentFacts { layout, params: &self.params, max_index: self.max_index }
    }

    /// Returns the device of the arrays; `None` without device arrays.
    ///
    /// # Errors
    ///
    /// The first error of the arguments.
    pub(crate) fn finish(&mut self) -> Result<Option<&'a Device>, LaunchError> {
        // Including the launch parameter, through which faults are recorded.
        let bytes = self.bytes.next_multiple_of(align_of::<u64>()) + cumbia_kernel_compiler::LAUNCH_BYTES;
        if self.error.is_some() || bytes > PARAMETER_BYTES {
            return Err(self.take_error());
        }
        Ok(self.device.map(|(_, device)| device))
    }

    #[cold]
    fn take_error(&mut self) -> LaunchError {
        let limit = PARAMETER_BYTES - cumbia_kernel_compiler::LAUNCH_BYTES;
        let too_large = LaunchError::ArgumentsTooLarge { kernel: self.kernel, bytes: self.bytes, limit };
        self.error.take().unwrap_or(too_large)
    }
}

/// The extent of an argument's elements in memory.
struct Extent {
    /// The first byte; on a GPU, a device address.
    start: *mut u8,
    /// The number of elements, including those skipped by the strides of a view.
    len: usize,
    bytes: usize,
    writes: bool,
}

impl<'a> Visitor<'a> for Binder<'a> {
    fn value<T>(&mut self, value: &'a T) {
        let (pointer, bytes) = value_of(value);
        self.parameter(pointer, bytes, align_of::<T>());
    }

    fn narrow_value<T>(&mut self, value: &'a T) {
        self.value(value);
        // A bound `T: 'static` would add a second error if `T` is not an element type.
        if typeid::of::<T>() == TypeId::of::<usize>() {
            // SAFETY: `T` is `usize`, and has no lifetimes that the comparison could miss.
            self.note_index(unsafe { std::ptr::from_ref(value).cast::<usize>().read() });
        }
    }

    fn array<T, M: Access>(&mut self, name: &'static str, array: &'a ArraySlice<'_, T, M>) {
        self.elements(name, array.elements(), size_of::<T>(), M::MUTABLE);
    }

    fn view<T, const D: usize, M: Access>(&mut self, name: &'static str, view: &'a ViewArgument<'_, T, D, M>) {
        let (pointer, lengths, strides, location) = view.parts();
        let param = self.params.len();
        self.value(pointer);
        lengths.iter().chain(strides).for_each(|number| self.value(number));
        // The end of the last element in each dimension, so that no length exceeds it. An empty view may have any lengths; others
        // are inside an array, so the sum cannot overflow.
        let ends = lengths.iter().zip(strides).map(|(len, stride)| len.saturating_mul(*stride));
        self.note_index(ends.fold(0, usize::saturating_add));
        self.contiguous &= shape::is_contiguous(lengths, strides);
        // A view of a host array is contiguous, so `reach` is its number of elements.
        let len = shape::reach(lengths, strides);
        let elements = Extent { start: pointer.cast(), len, bytes: len * size_of::<T>(), writes: M::MUTABLE };
        self.bind_location(name, location, param, &elements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argument::{ReadArgument as _, ReadView as _};

    #[test]
    fn parameters_have_the_gpus_layout() {
        let device = Device::cpu();
        let array = device.zeros::<f32>(6).unwrap();
        let (slice, view) = (array.bind(), array.reshape((2, 3)).unwrap().bind());
        let mut binder = Binder::new("kernel");
        binder.value(&1u8);
        binder.value(&2.0f64);
        binder.array("slice", &slice);
        binder.view("view", &view);
        // One byte and seven of padding, then eight; a pointer and a length; a pointer, two lengths, two strides.
        assert_eq!(binder.bytes, 16 + 2 * 8 + 5 * 8);
        let on = binder.finish().unwrap();
        let Binder { params, sizes, uses, transfers, .. } = binder;
        assert!(transfers.is_empty());
        assert_eq!(sizes.as_slice(), [1, 8, 8, 8, 8, 8, 8, 8, 8]);
        assert_eq!((on, params.len()), (Some(&device), 2 + 2 + 5));
        assert!(uses.iter().all(|used| used.bytes == (0..24) && !used.writes) && uses.len() == 2);
        // SAFETY: each parameter points to an integer that is alive.
        let numbers: Vec<usize> = params[5..].iter().map(|param| unsafe { param.cast::<usize>().read() }).collect();
        assert_eq!(numbers, [2, 3, 3, 1]);
    }

    #[test]
    fn parameters_are_limited_to_4_kib() {
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
