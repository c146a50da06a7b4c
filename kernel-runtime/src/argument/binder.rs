//! The walk through the arguments of a launch that is thorough: whatever can be an argument, and all that can be wrong with it.

use std::any::TypeId;
use std::ffi::c_void;

use smallvec::SmallVec;

use super::array::{ArraySlice, Elements, Lent, Location, ViewArgument};
use super::transfer::Transfer;
use super::values::{Params, Sizes};
use super::visitor::Visitor;
use crate::array::{RawSlice, shape};
use crate::cpu::access::Access;
use crate::device::Device;
use crate::error::LaunchError;
use crate::memory::Use;
use crate::specialise::Layout;

/// What is known of the arguments.
#[derive(Clone, Copy)]
pub(crate) struct Arguments {
    pub(crate) layout: Layout,
    /// The largest number that indices can come to.
    pub(crate) largest: usize,
}

/// Walks through the arguments of a launch, and notes all that may matter of them.
pub(crate) struct Binder<'a> {
    kernel: &'static str,
    device: Option<(&'static str, &'a Device)>,
    /// The first thing that is wrong with them.
    refused: Option<LaunchError>,
    /// Pointers to the parameters.
    pub(crate) params: Params,
    /// The sizes of the parameters.
    pub(crate) sizes: Sizes,
    /// The memory of devices that they use.
    pub(crate) uses: Uses<'a>,
    /// The memory of the host that has to be on the device meanwhile.
    pub(crate) transfers: Vec<Transfer<'a>>,
    /// The memory of other libraries among them.
    pub(crate) lent: Vec<&'a Lent<'a>>,
    /// Where the last parameter ends in the memory that they have on a GPU.
    bytes: usize,
    /// The largest `usize` that the kernel is given, or can reach in a view.
    largest: usize,
    /// Whether the elements of each view follow each other.
    contiguous: bool,
}

/// What CUDA has for the parameters of a kernel on every architecture (CUDA C++ Programming Guide, "Function Parameters").
const PARAMETER_BYTES: usize = 4096;

/// The memory that a launch uses.
pub(crate) type Uses<'a> = SmallVec<[Use<'a>; 16]>;

impl<'a> Binder<'a> {
    pub(crate) fn new(kernel: &'static str) -> Self {
        Binder {
            kernel,
            device: None,
            refused: None,
            params: SmallVec::new(),
            sizes: SmallVec::new(),
            uses: SmallVec::new(),
            transfers: Vec::new(),
            lent: Vec::new(),
            bytes: 0,
            largest: 0,
            contiguous: true,
        }
    }

    fn parameter(&mut self, pointer: *mut c_void, bytes: usize, alignment: usize) {
        self.bytes = self.bytes.next_multiple_of(alignment) + bytes;
        self.params.push(pointer);
        self.sizes.push(bytes as u32);
    }

    /// Notes a number that indices can come to.
    fn reaches(&mut self, number: usize) {
        self.largest = self.largest.max(number);
    }

    /// As [`Visitor::array`], whatever the elements are: one function for all arguments of all kernels.
    fn elements(&mut self, name: &'static str, array: &'a Elements<'_>, element_bytes: usize, writes: bool) {
        let Elements { raw: RawSlice { pointer, len }, location } = array;
        self.reaches(*len);
        let param = self.params.len();
        self.value(pointer);
        self.value(len);
        let elements = Extent { start: pointer.cast(), len: *len, bytes: *len * element_bytes, writes };
        self.locate(name, location, param, &elements);
    }

    /// Notes where the elements of an argument are, and what becomes of them. A pointer to them is parameter `param`.
    fn locate(&mut self, name: &'static str, location: &'a Location<'a>, param: usize, elements: &Extent) {
        let &Extent { start, len, bytes, writes } = elements;
        let memory = match location {
            Location::Device(memory) => *memory,
            Location::Lent(lent) => {
                self.lent.push(lent);
                &lent.memory
            }
            Location::Host(host) => {
                self.transfers.push(Transfer::new(param, start, len, bytes, *host));
                return;
            }
            Location::Refused(why) => return self.refuse(name, &why.reason),
        };
        let first = start.addr() - memory.pointer().addr();
        self.uses.push(Use { memory, bytes: first..first + bytes, writes });
        match self.device {
            Some((_, device)) if device == memory.device() => {}
            Some((first, other)) => self.refuse_mixed((first, other), (name, memory.device())),
            None => self.device = Some((name, memory.device())),
        }
    }

    #[cold]
    fn refuse(&mut self, parameter: &'static str, reason: &str) {
        let (kernel, reason) = (self.kernel, reason.to_owned());
        self.refused.get_or_insert(LaunchError::Argument { kernel, parameter, reason });
    }

    #[cold]
    fn refuse_mixed(&mut self, (first, other): (&'static str, &Device), (second, device): (&'static str, &Device)) {
        let kernel = self.kernel;
        let (first_device, second_device) = (other.to_string(), device.to_string());
        let mixed = LaunchError::MixedDevices { kernel, first, first_device, second, second_device };
        self.refused.get_or_insert(mixed);
    }

    /// Whether nothing is to be copied or told of the launch.
    pub(crate) fn is_plain(&self) -> bool {
        self.transfers.is_empty() && self.lent.is_empty()
    }

    /// What a plan has to know of them.
    pub(crate) fn arguments(&self) -> Arguments {
        let layout = if self.contiguous { Layout::Contiguous } else { Layout::Strided };
        Arguments { layout, largest: self.largest }
    }

    /// The device that all arrays are on, if there are any.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with the arguments.
    pub(crate) fn finish(&mut self) -> Result<Option<&'a Device>, LaunchError> {
        // Our own last parameter, on which faults are noted.
        let bytes = self.bytes.next_multiple_of(align_of::<u64>()) + cumbia_kernel_ir::LAUNCH_BYTES;
        if self.refused.is_some() || bytes > PARAMETER_BYTES {
            return Err(self.what_is_wrong());
        }
        Ok(self.device.map(|(_, device)| device))
    }

    #[cold]
    fn what_is_wrong(&mut self) -> LaunchError {
        let limit = PARAMETER_BYTES - cumbia_kernel_ir::LAUNCH_BYTES;
        let large = LaunchError::ArgumentsTooLarge { kernel: self.kernel, bytes: self.bytes, limit };
        self.refused.take().unwrap_or(large)
    }
}

/// The elements of an argument, as bytes.
struct Extent {
    /// On a GPU, an address there.
    start: *mut u8,
    /// How many elements there are, with those between the elements of a view.
    len: usize,
    bytes: usize,
    writes: bool,
}

impl<'a> Visitor<'a> for Binder<'a> {
    fn value<T>(&mut self, value: &'a T) {
        self.parameter(std::ptr::from_ref(value).cast_mut().cast(), size_of::<T>(), align_of::<T>());
    }

    fn narrow_value<T>(&mut self, value: &'a T) {
        self.value(value);
        // A bound `T: 'static` would be one more error where `T` is no element.
        if typeid::of::<T>() == TypeId::of::<usize>() {
            // SAFETY: it is a `usize`, which has no lifetimes that the comparison would not see.
            self.reaches(unsafe { std::ptr::from_ref(value).cast::<usize>().read() });
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
        // Behind the last element, so that no length is above it. A view without elements may have any lengths; others are
        // inside an array.
        let ends = lengths.iter().zip(strides).map(|(len, stride)| len.saturating_mul(*stride));
        self.reaches(ends.fold(0, usize::saturating_add));
        self.contiguous &= shape::is_contiguous(lengths, strides);
        // A view of the host's is contiguous.
        let len = shape::reach(lengths, strides);
        let elements = Extent { start: pointer.cast(), len, bytes: len * size_of::<T>(), writes: M::MUTABLE };
        self.locate(name, location, param, &elements);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argument::{ReadArgument as _, ReadView as _};

    #[test]
    fn arguments_are_laid_out_as_the_gpu_does() {
        let device = Device::cpu();
        let array = device.zeros::<f32>(6).unwrap();
        let (slice, view) = ((&array).bind(), array.reshape((2, 3)).unwrap().bind());
        let mut binder = Binder::new("kernel");
        binder.value(&1u8);
        binder.value(&2.0f64);
        binder.array("slice", &slice);
        binder.view("view", &view);
        // One byte and seven between, then eight; a pointer and a length; a pointer, two lengths, two strides.
        assert_eq!(binder.bytes, 16 + 2 * 8 + 5 * 8);
        let on = binder.finish().unwrap();
        let Binder { params, sizes, uses, transfers, .. } = binder;
        assert!(transfers.is_empty());
        assert_eq!(sizes.as_slice(), [1, 8, 8, 8, 8, 8, 8, 8, 8]);
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
