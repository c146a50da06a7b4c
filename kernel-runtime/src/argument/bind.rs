//! What a launch keeps of its arguments, and the walk through them.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use smallvec::SmallVec;

use super::transfer::{Direction, Transfer};
use crate::array::RawSlice;
use crate::array_view::ArrayView;
use crate::cpu::access::Access;
use crate::cpu::{Slice, View};
use crate::device::{Device, Identity};
use crate::error::{Error, LaunchError};
use crate::memory::{Memory, Use};
use crate::specialise::Layout;
use crate::types::{Element, make_valid};

/// Where the elements of an argument are.
pub(crate) enum Location<'a> {
    /// On a device.
    Device(&'a Memory),
    /// On a device, in memory of another library.
    #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only another library lends memory"))]
    Lent(Box<Lent<'a>>),
    /// On the host.
    Host(OnHost),
    /// Nowhere that a launch could use.
    Refused(Box<Unusable>),
}

/// Memory of another library that a launch has been lent.
///
/// What is to be done behind a launch is done then, and not when this is dropped: a launch that is kept, as a prepared one is,
/// must not hold its borrows until the end of the scope.
pub(crate) struct Lent<'a> {
    memory: Memory,
    /// The other library's array, borrowed for `'a`: exclusively if the launch writes.
    array: NonNull<()>,
    over: unsafe fn(NonNull<()>, &Memory),
    borrow: PhantomData<&'a mut ()>,
}

// SAFETY: who makes one promises that the array may be used from any thread; it is used by one launch at a time.
unsafe impl Send for Lent<'_> {}
// SAFETY: as above.
unsafe impl Sync for Lent<'_> {}

impl Lent<'_> {
    /// `over` is called with the array and the memory behind each launch, so that whoever uses the memory next is behind it.
    ///
    /// # Safety
    ///
    /// The array is borrowed for `'a`, exclusively if `over` changes it, and may be used from any thread.
    #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only another library lends memory"))]
    pub(crate) unsafe fn new(memory: Memory, array: NonNull<()>, over: unsafe fn(NonNull<()>, &Memory)) -> Self {
        Lent { memory, array, over, borrow: PhantomData }
    }

    /// Tells the other library of a launch that was asked for.
    pub(crate) fn over(&self) {
        // SAFETY: the array is still borrowed, for this has the borrow's lifetime. A launch is run by one thread at a time,
        // since it is consumed, or is a prepared one, which stays on its thread.
        unsafe { (self.over)(self.array, &self.memory) };
    }
}

/// Why an argument cannot be used.
pub(crate) struct Unusable {
    reason: String,
}

impl Unusable {
    fn new(why: &Error) -> Self {
        Unusable { reason: why.to_string() }
    }
}

// A launch is moved by each of the calls that say how to run it, with all its arguments.
const _: () = assert!(size_of::<Location<'_>>() == 2 * size_of::<usize>());

/// How elements of the host become an argument.
#[derive(Clone, Copy)]
pub(crate) struct OnHost {
    pub(crate) direction: Direction,
    /// Makes values of that many elements, whatever their bits.
    pub(crate) settle: unsafe fn(*mut u8, usize),
}

impl OnHost {
    pub(crate) fn new<T: Element>(direction: Direction) -> OnHost {
        /// # Safety
        ///
        /// As for `make_valid`.
        unsafe fn settle<T: Element>(elements: *mut u8, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { make_valid(elements.cast::<T>(), len) };
        }
        OnHost { direction, settle: settle::<T> }
    }
}

/// An array lent to a launch.
#[doc(hidden)]
pub struct ArraySlice<'a, T, M> {
    elements: Elements<'a>,
    array: PhantomData<(&'a T, M)>,
}

/// The elements of an array, whatever they are.
struct Elements<'a> {
    raw: RawSlice,
    location: Location<'a>,
}

// SAFETY: an `ArraySlice` is a borrow of an array, whose elements may be shared; threads reach them through views.
unsafe impl<T: Sync, M: Access> Sync for ArraySlice<'_, T, M> {}

impl<'a, T: Element, M: Access> ArraySlice<'a, T, M> {
    /// Elements in this memory, borrowed for `'a`: exclusively if `M` writes.
    #[inline]
    pub(crate) fn on_device(memory: &'a Memory, raw: RawSlice) -> Self {
        ArraySlice::elsewhere(raw, Location::Device(memory))
    }

    /// Elements somewhere else, borrowed for `'a`: exclusively if `M` writes.
    #[inline]
    pub(crate) fn elsewhere(raw: RawSlice, location: Location<'a>) -> Self {
        ArraySlice { elements: Elements { raw, location }, array: PhantomData }
    }

    /// What cannot be an argument.
    pub(crate) fn refused(why: &Error) -> Self {
        let raw = RawSlice { pointer: NonNull::<T>::dangling().as_ptr().cast(), len: 0 };
        ArraySlice::elsewhere(raw, Location::Refused(Box::new(Unusable::new(why))))
    }
}

// What the macro writes for a slice parameter asks nothing of its elements: their slot does, and says so once.
impl<T, M> ArraySlice<'_, T, M> {
    /// The elements, for a kernel on the CPU.
    pub fn view(&self) -> Slice<'_, T, M> {
        // SAFETY: only a launch on the CPU device asks, and then the array is memory of this process, aligned,
        // initialised, and borrowed for `'a`: exclusively if `M` writes. The launch runs to its end while the borrow
        // lasts, and all its threads use views.
        unsafe { Slice::new(self.elements.raw.pointer.cast(), self.elements.raw.len) }
    }
}

/// A view lent to a launch.
#[doc(hidden)]
pub struct ViewArgument<'a, T, const D: usize, M> {
    pointer: *mut T,
    shape: [usize; D],
    strides: [usize; D],
    location: Location<'a>,
    array: PhantomData<(&'a T, M)>,
}

// SAFETY: as for `ArraySlice`.
unsafe impl<T: Sync, const D: usize, M: Access> Sync for ViewArgument<'_, T, D, M> {}

impl<'a, T: Element, const D: usize, M: Access> ViewArgument<'a, T, D, M> {
    /// A view of an array on a device.
    #[inline]
    #[allow(clippy::needless_pass_by_value, reason = "the view that may be written is given up")]
    pub(crate) fn on_device(view: ArrayView<'a, T, D, M>) -> Self {
        let (&pointer, &shape, &strides) = view.raw();
        ViewArgument { pointer, shape, strides, location: Location::Device(view.memory()), array: PhantomData }
    }

    /// Elements of the host in C's order, borrowed for `'a`: exclusively if `M` writes.
    pub(crate) fn on_host(pointer: *mut T, shape: [usize; D], direction: Direction) -> Self {
        let mut strides = [1usize; D];
        for axis in (1..D).rev() {
            // Without elements the product may be too large, and is never used.
            strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
        }
        let location = Location::Host(OnHost::new::<T>(direction));
        ViewArgument { pointer, shape, strides, location, array: PhantomData }
    }

    /// What cannot be an argument.
    pub(crate) fn refused(why: &Error) -> Self {
        let pointer = NonNull::dangling().as_ptr();
        let location = Location::Refused(Box::new(Unusable::new(why)));
        ViewArgument { pointer, shape: [0; D], strides: [1; D], location, array: PhantomData }
    }
}

// As for `ArraySlice`.
impl<T, const D: usize, M> ViewArgument<'_, T, D, M> {
    /// The elements, for a kernel on the CPU.
    pub fn elements(&self) -> View<'_, T, D, M> {
        // SAFETY: as in `ArraySlice::view`. The view is inside of the array and, if `M` writes, has these elements for itself.
        unsafe { View::new(self.pointer, self.shape, self.strides) }
    }
}

impl<'k, T, const D: usize, M> View<'k, T, D, M> {
    /// The elements of a view in the memory of the host: a device function that the host calls works on them.
    ///
    /// # Panics
    ///
    /// Where the array is on a GPU.
    #[allow(clippy::needless_pass_by_value, reason = "the view that may be written is given up")]
    pub fn from_host(view: ViewArgument<'k, T, D, M>) -> Self {
        let ViewArgument { pointer, shape, strides, location, array: _ } = view;
        let elsewhere = match location {
            Location::Device(memory) if memory.device().is_cpu() => None,
            Location::Device(memory) => Some(format!("the array is on {}", memory.device())),
            Location::Lent(lent) => Some(format!("the array is on {}", lent.memory.device())),
            Location::Host(_) => None,
            Location::Refused(why) => Some(why.reason),
        };
        if let Some(elsewhere) = elsewhere {
            panic!("a `#[device]` function that the host calls runs on the CPU, and {elsewhere}");
        }
        // SAFETY: the array is memory of this process, aligned, initialised, and borrowed for `'k`; the view is inside of it
        // and, if `M` writes, has these elements for itself.
        unsafe { View::new(pointer, shape, strides) }
    }
}

/// The bytes that a view is among, from its first element on.
fn reach_of<T, const D: usize>(shape: &[usize; D], strides: &[usize; D]) -> usize {
    if shape.contains(&0) {
        return 0;
    }
    // Behind the last element. None of it wraps: the view is inside an array.
    let last: usize = shape.iter().zip(strides).map(|(len, stride)| (len - 1) * stride).sum();
    (last + 1) * size_of::<T>()
}

/// Walks through the arguments of a launch.
#[doc(hidden)]
pub struct Binder<'a> {
    kernel: &'static str,
    device: Option<(&'static str, &'a Device)>,
    /// The same device, to be compared; nowhere, until there is one.
    on: Identity,
    /// Also the same device, but nowhere where more is to be noted of an array than its parameters.
    plainly_on: Identity,
    /// The first thing that is wrong with them.
    refused: Option<LaunchError>,
    /// Pointers to the parameters.
    pub(crate) params: Params,
    /// The memory of the host that has to be on the device meanwhile.
    pub(crate) transfers: Vec<Transfer<'a>>,
    /// The memory of other libraries among them.
    pub(crate) lent: Vec<&'a Lent<'a>>,
    /// Whether the two that follow are collected. A launch on the only stream of a device needs neither.
    recording: bool,
    /// The sizes of the parameters.
    pub(crate) sizes: Vec<u32>,
    /// The memory of devices that they use.
    pub(crate) uses: Uses<'a>,
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
            on: Identity::NOWHERE,
            plainly_on: Identity::NOWHERE,
            refused: None,
            params: SmallVec::new(),
            transfers: Vec::new(),
            lent: Vec::new(),
            recording: false,
            sizes: Vec::new(),
            uses: SmallVec::new(),
            bytes: 0,
            largest: 0,
            contiguous: true,
        }
    }

    /// As [`Binder::new`], for someone who wants to know the sizes of the parameters and what they use.
    pub(crate) fn recording(kernel: &'static str) -> Self {
        Binder { recording: true, ..Binder::new(kernel) }
    }

    /// The next argument is a value. That it may be one, the slot of the parameter requires: here a bound would only say so
    /// twice.
    #[inline]
    pub fn value<T>(&mut self, value: &'a T) {
        self.parameter(std::ptr::from_ref(value).cast_mut().cast(), size_of::<T>(), align_of::<T>());
    }

    #[inline(never)]
    fn parameter(&mut self, pointer: *mut c_void, bytes: usize, alignment: usize) {
        self.bytes = self.bytes.next_multiple_of(alignment) + bytes;
        self.params.push(pointer);
        if self.recording {
            self.sizes.push(bytes as u32);
        }
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
        self.elements(name, &array.elements, size_of::<T>(), M::MUTABLE);
    }

    /// This is the work of a launch that grows with its arguments: the usual case is here, the others elsewhere. It is one
    /// function for all arguments of all kernels, so that only the first argument of a launch waits for the code.
    #[inline(never)]
    fn elements(&mut self, name: &'static str, array: &'a Elements<'_>, element_bytes: usize, writes: bool) {
        let Elements { raw: RawSlice { pointer, len }, location } = array;
        match location {
            Location::Device(memory) if self.plainly_on == memory.on() => {
                self.reaches(*len);
                self.bytes = self.bytes.next_multiple_of(align_of::<u64>()) + 2 * size_of::<u64>();
                self.params.reserve(2);
                let end = self.params.len();
                // SAFETY: there is room for two more, and both are written.
                unsafe {
                    let params = self.params.as_mut_ptr().add(end);
                    params.write(std::ptr::from_ref(pointer).cast_mut().cast());
                    params.add(1).write(std::ptr::from_ref(len).cast_mut().cast());
                    self.params.set_len(end + 2);
                }
            }
            _ => self.other_elements(name, array, element_bytes, writes),
        }
    }

    /// As [`Binder::elements`], wherever they are.
    #[cold]
    fn other_elements(&mut self, name: &'static str, array: &'a Elements<'_>, element_bytes: usize, writes: bool) {
        let Elements { raw: RawSlice { pointer, len }, location } = array;
        self.reaches(*len);
        let param = self.params.len();
        self.value(pointer);
        self.value(len);
        self.locate(name, location, pointer.cast(), param, *len, *len * element_bytes, writes);
    }

    /// The next argument is a view.
    #[inline]
    pub fn view<T, const D: usize, M: Access>(&mut self, name: &'static str, view: &'a ViewArgument<'_, T, D, M>) {
        let ViewArgument { pointer, shape, strides, location, array: _ } = view;
        let param = self.params.len();
        self.value(pointer);
        shape.iter().chain(strides).for_each(|number| self.value(number));
        // Behind the last element, so that no length is above it. A view without elements may have any lengths; others are
        // inside an array.
        let ends = shape.iter().zip(strides).map(|(len, stride)| len.saturating_mul(*stride));
        self.reaches(ends.fold(0, usize::saturating_add));
        let mut expected = 1;
        for (len, stride) in shape.iter().zip(strides).rev() {
            self.contiguous &= *stride == expected;
            expected = expected.saturating_mul(*len);
        }
        let bytes = reach_of::<T, D>(shape, strides);
        // A view of the host's is contiguous.
        self.locate(name, location, pointer.cast(), param, bytes / size_of::<T>().max(1), bytes, M::MUTABLE);
    }

    /// Notes where the elements of an argument are, and what becomes of them: `bytes` from `start` on.
    #[allow(clippy::too_many_arguments, reason = "it is the common end of two functions")]
    fn locate(
        &mut self,
        name: &'static str,
        location: &'a Location<'a>,
        start: *mut u8,
        param: usize,
        len: usize,
        bytes: usize,
        writes: bool,
    ) {
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
        if self.recording {
            let first = start.addr() - memory.pointer().addr();
            self.uses.push(Use { memory, bytes: first..first + bytes, writes });
        }
        match self.device {
            Some(_) if self.on == memory.on() => {}
            Some((first, other)) => self.refuse_mixed((first, other), (name, memory.device())),
            None => {
                (self.device, self.on) = (Some((name, memory.device())), memory.on());
                if !self.recording {
                    self.plainly_on = memory.on();
                }
            }
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

    /// Whether the arguments can be used as they are: nothing is wrong with them, copied, or to be told of the launch.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.refused.is_none() && self.transfers.is_empty() && self.lent.is_empty()
    }

    /// The device of the arrays so far, to be compared.
    #[inline]
    pub(crate) fn on(&self) -> Option<Identity> {
        (self.on != Identity::NOWHERE).then_some(self.on)
    }

    /// The device that all arrays are on, if there are any.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with the arguments.
    #[inline]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::argument::{ReadArgument as _, ReadView as _};

    #[test]
    fn arguments_are_laid_out_as_the_gpu_does() {
        let device = Device::cpu();
        let array = device.zeros::<f32>(6).unwrap();
        let (slice, view) = ((&array).bind(), array.reshape((2, 3)).unwrap().bind());
        let mut binder = Binder::recording("kernel");
        binder.value(&1u8);
        binder.value(&2.0f64);
        binder.array("slice", &slice);
        binder.view("view", &view);
        // One byte and seven between, then eight; a pointer and a length; a pointer, two lengths, two strides.
        assert_eq!(binder.bytes, 16 + 2 * 8 + 5 * 8);
        let on = binder.finish().unwrap();
        let Binder { params, sizes, uses, transfers, .. } = binder;
        assert!(transfers.is_empty());
        assert_eq!(sizes, [1, 8, 8, 8, 8, 8, 8, 8, 8]);
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
