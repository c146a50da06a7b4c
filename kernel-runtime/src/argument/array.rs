//! Arrays and views as a launch keeps them: where their elements are, without their types' business.

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::transfer::{Direction, OnHost};
use crate::array::{RawSlice, shape};
use crate::array_view::ArrayView;
use crate::cpu::access::Access;
use crate::cpu::{Slice, View};
use crate::error::Error;
use crate::memory::Memory;
use crate::types::Element;

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

impl Location<'_> {
    /// Checks that this process can access the elements: a launch on the CPU, which asks for them, has seen to that.
    #[inline]
    fn assert_on_host(&self) {
        let is_on_host = match self {
            Location::Device(memory) => memory.device().is_cpu(),
            Location::Host(_) => true,
            Location::Lent(_) | Location::Refused(_) => false,
        };
        assert!(is_on_host, "the elements of an array are viewed where it is");
    }
}

/// Memory of another library that a launch has been lent.
///
/// What is to be done behind a launch is done then, and not when this is dropped: a launch that is kept, as a prepared one is,
/// must not hold its borrows until the end of the scope.
pub(crate) struct Lent<'a> {
    pub(super) memory: Memory,
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
    pub(super) reason: String,
}

impl Unusable {
    fn new(why: &Error) -> Self {
        Unusable { reason: why.to_string() }
    }
}

// A launch is moved by each of the calls that say how to run it, with all its arguments.
const _: () = assert!(size_of::<Location<'_>>() == 2 * size_of::<usize>());

/// An array lent to a launch.
#[doc(hidden)]
pub struct ArraySlice<'a, T, M> {
    elements: Elements<'a>,
    array: PhantomData<(&'a T, M)>,
}

/// The elements of an array, whatever they are.
pub(super) struct Elements<'a> {
    pub(super) raw: RawSlice,
    pub(super) location: Location<'a>,
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
impl<'a, T, M> ArraySlice<'a, T, M> {
    #[inline]
    pub(super) fn elements(&self) -> &Elements<'a> {
        &self.elements
    }

    /// The elements, for a kernel on the CPU.
    ///
    /// # Panics
    ///
    /// Where the array is on a GPU.
    pub fn view(&self) -> Slice<'_, T, M> {
        self.elements.location.assert_on_host();
        // SAFETY: the array is memory of this process, aligned, initialised, and borrowed for `'a`: exclusively if `M`
        // writes. Whoever has a view reaches it through places.
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
        let (strides, location) = (shape::row_major(&shape), Location::Host(OnHost::new::<T>(direction)));
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
impl<'a, T, const D: usize, M> ViewArgument<'a, T, D, M> {
    /// The first element, the shape, the strides, and where all that is.
    #[inline]
    pub(super) fn parts(&self) -> (&*mut T, &[usize; D], &[usize; D], &Location<'a>) {
        (&self.pointer, &self.shape, &self.strides, &self.location)
    }

    /// The elements, for a kernel on the CPU.
    ///
    /// # Panics
    ///
    /// Where the array is on a GPU.
    pub fn elements(&self) -> View<'_, T, D, M> {
        self.location.assert_on_host();
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
