//! Bound arrays and views: the form in which a launch keeps array arguments, independent of the argument's type.

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::transfer::{Direction, HostCopy};
use crate::array::view::ArrayView;
use crate::array::{RawSlice, shape};
use crate::error::{Error, SharedError};
use crate::handles::access::Access;
use crate::handles::{Slice, View};
use crate::memory::Memory;
use crate::types::DeviceType;

/// The location of an argument's elements.
pub(crate) enum Location<'a> {
    /// In device memory of Cumbia.
    Device(&'a Memory),
    /// In device memory of another library.
    #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only interoperation borrows foreign memory"))]
    Foreign(Box<ForeignMemory<'a>>),
    /// In host memory, copied around the launch.
    Host(HostCopy),
    /// The argument is invalid, for this cause.
    Invalid(SharedError),
}

impl Location<'_> {
    /// Asserts that the host can access the elements, as validation of a launch on the CPU device guarantees.
    #[inline]
    fn assert_on_host(&self) {
        let is_on_host = match self {
            Location::Device(memory) => memory.device().is_cpu(),
            Location::Host(_) => true,
            Location::Foreign(_) | Location::Invalid(_) => false,
        };
        assert!(is_on_host, "only the host's memory can be viewed on the host");
    }
}

/// Memory of another library, borrowed by a launch.
///
/// The action after a launch is an explicit call instead of a destructor: with a destructor, a prepared launch would hold its
/// borrows until the end of its scope.
pub(crate) struct ForeignMemory<'a> {
    pub(super) memory: Memory,
    /// The other library's array, borrowed for `'a`, mutably if the launch writes.
    array: NonNull<()>,
    after_launch: unsafe fn(NonNull<()>, &Memory),
    borrow: PhantomData<&'a mut ()>,
}

// SAFETY: the contract of `new` requires that the array may be used from any thread; it is used by one launch at a time.
unsafe impl Send for ForeignMemory<'_> {}
// SAFETY: as above.
unsafe impl Sync for ForeignMemory<'_> {}

impl ForeignMemory<'_> {
    /// Wraps the memory of `array`. `after_launch` is called with the array and the memory after each enqueue, to order the other
    /// library's next access after the launch.
    ///
    /// # Safety
    ///
    /// The array is borrowed for `'a`, mutably if `after_launch` changes it, and may be used from any thread.
    #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only interoperation borrows foreign memory"))]
    pub(crate) unsafe fn new(
        memory: Memory,
        array: NonNull<()>,
        after_launch: unsafe fn(NonNull<()>, &Memory),
    ) -> Self {
        ForeignMemory { memory, array, after_launch, borrow: PhantomData }
    }

    /// Notifies the other library of an enqueued launch.
    pub(crate) fn after_launch(&self) {
        // SAFETY: the array is still borrowed, since `self` has the borrow's lifetime. A launch is run by one thread at a time:
        // it is consumed, or is a prepared launch, which is `!Sync`.
        unsafe { (self.after_launch)(self.array, &self.memory) };
    }
}

// Each call of the launch builder moves the launch with all its arguments, so a location is kept small.
const _: () = assert!(size_of::<Location<'_>>() == 2 * size_of::<usize>());

/// An array argument of a launch.
#[doc(hidden)]
pub struct ArraySlice<'a, T, M> {
    elements: Elements<'a>,
    array: PhantomData<(&'a T, M)>,
}

/// The elements of an array, independent of their type.
pub(super) struct Elements<'a> {
    pub(super) raw: RawSlice,
    pub(super) location: Location<'a>,
}

// SAFETY: an `ArraySlice` is a borrow of an array, whose elements may be shared; threads reach them through views.
unsafe impl<T: Sync, M: Access> Sync for ArraySlice<'_, T, M> {}

impl<'a, T: DeviceType, M: Access> ArraySlice<'a, T, M> {
    /// Returns an argument in this device memory, borrowed for `'a`, mutably if `M` writes.
    #[inline]
    pub(crate) fn on_device(memory: &'a Memory, raw: RawSlice) -> Self {
        ArraySlice::at(raw, Location::Device(memory))
    }

    /// Returns an argument at this location, borrowed for `'a`, mutably if `M` writes.
    #[inline]
    pub(crate) fn at(raw: RawSlice, location: Location<'a>) -> Self {
        ArraySlice { elements: Elements { raw, location }, array: PhantomData }
    }

    /// Returns an invalid argument. The launch reports the cause.
    pub(crate) fn invalid(cause: Error) -> Self {
        let raw = RawSlice { pointer: NonNull::<T>::dangling().as_ptr().cast(), len: 0 };
        ArraySlice::at(raw, Location::Invalid(cause.into()))
    }
}

// No bound on `T`: the slot of a slice parameter has it, and a second bound would report the same error twice.
impl<'a, T, M> ArraySlice<'a, T, M> {
    #[inline]
    pub(super) fn elements(&self) -> &Elements<'a> {
        &self.elements
    }

    /// Returns the elements, for a kernel on the CPU device.
    ///
    /// # Panics
    ///
    /// If the array is on a GPU.
    pub fn view(&self) -> Slice<'_, T, M> {
        self.elements.location.assert_on_host();
        // SAFETY: the array is host memory, aligned, initialised, and borrowed for `'a`, mutably if `M` writes. A view accesses
        // its elements through places only.
        unsafe { Slice::new(self.elements.raw.pointer.cast(), self.elements.raw.len) }
    }
}

/// A view argument of a launch.
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

impl<'a, T: DeviceType, const D: usize, M: Access> ViewArgument<'a, T, D, M> {
    /// Returns an argument for a view of device memory.
    #[inline]
    #[allow(clippy::needless_pass_by_value, reason = "consumes the mutable view")]
    pub(crate) fn on_device(view: ArrayView<'a, T, D, M>) -> Self {
        let (&pointer, &shape, &strides) = view.raw();
        ViewArgument { pointer, shape, strides, location: Location::Device(view.memory()), array: PhantomData }
    }

    /// Returns an argument for host elements in row-major order, borrowed for `'a`, mutably if `M` writes.
    pub(crate) fn on_host(pointer: *mut T, shape: [usize; D], direction: Direction) -> Self {
        let (strides, location) = (shape::row_major(&shape), Location::Host(HostCopy::new::<T>(direction)));
        ViewArgument { pointer, shape, strides, location, array: PhantomData }
    }

    /// Returns an invalid argument. The launch reports the cause.
    pub(crate) fn invalid(cause: Error) -> Self {
        let pointer = NonNull::dangling().as_ptr();
        let location = Location::Invalid(cause.into());
        ViewArgument { pointer, shape: [0; D], strides: [1; D], location, array: PhantomData }
    }
}

// As for `ArraySlice`.
impl<'a, T, const D: usize, M> ViewArgument<'a, T, D, M> {
    /// Returns the address of the first element, the shape, the strides and the location.
    #[inline]
    pub(super) fn parts(&self) -> (&*mut T, &[usize; D], &[usize; D], &Location<'a>) {
        (&self.pointer, &self.shape, &self.strides, &self.location)
    }

    /// Returns the elements, for a kernel on the CPU device.
    ///
    /// # Panics
    ///
    /// If the array is on a GPU.
    pub fn elements(&self) -> View<'_, T, D, M> {
        self.location.assert_on_host();
        // SAFETY: as in `ArraySlice::view`. The view is inside the array and, if `M` writes, has exclusive access to
        // its elements.
        unsafe { View::new(self.pointer, self.shape, self.strides) }
    }
}

/// Returns the elements of a view in host memory, for a `#[device]` function that the host calls.
///
/// # Panics
///
/// If the array is on a GPU.
#[allow(clippy::needless_pass_by_value, reason = "consumes the mutable view")]
pub fn host_view<T, const D: usize, M>(view: ViewArgument<'_, T, D, M>) -> View<'_, T, D, M> {
    let ViewArgument { pointer, shape, strides, location, array: _ } = view;
    require_host_memory(location);
    // SAFETY: the array is host memory, aligned, initialised, and borrowed for `'k`; the view is inside the array and, if
    // `M` writes, has exclusive access to its elements.
    unsafe { View::new(pointer, shape, strides) }
}

/// As [`host_view`], for a slice.
///
/// # Panics
///
/// If the array is on a GPU.
pub(super) fn host_slice<T, M>(slice: ArraySlice<'_, T, M>) -> Slice<'_, T, M> {
    let ArraySlice { elements: Elements { raw, location }, array: _ } = slice;
    require_host_memory(location);
    // SAFETY: as in `host_view`.
    unsafe { Slice::new(raw.pointer.cast(), raw.len) }
}

/// Panics unless the elements are in host memory.
fn require_host_memory(location: Location<'_>) {
    let elsewhere = match location {
        Location::Device(memory) if memory.device().is_cpu() => None,
        Location::Device(memory) => Some(format!("the array is on {}", memory.device())),
        Location::Foreign(foreign) => Some(format!("the array is on {}", foreign.memory.device())),
        Location::Host(_) => None,
        Location::Invalid(cause) => Some(cause.to_string()),
    };
    if let Some(elsewhere) = elsewhere {
        panic!("a `#[device]` function that the host calls runs on the CPU, and {elsewhere}");
    }
}
