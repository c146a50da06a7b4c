//! Fast path: binding of device-resident arguments on a single device.
//!
//! A driver call evicts most of our code and data from the caches, so the work per argument is kept to one comparison and two
//! pointers for each array. All of it is inlined into the launch, where the parameter positions are constants.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::array::{ArraySlice, Elements, Location, ViewArgument};
use super::packed_params::value_of;
use super::visitor::Visitor;
use crate::array::{RawSlice, shape};
use crate::device::Identity;
use crate::handles::access::Access;
use crate::hazards::{AccessHistory, Tracked};
use crate::layout::Layout;

/// Capacity of the parameter buffer: 16 arrays, 7 scalars and the launch parameter. A kernel with more takes the slow path.
const CAPACITY: usize = 40;

/// A buffer of pointers to parameters. It is separate from [`FastBinder`] because the compiler would otherwise zero both.
pub(crate) type ParamBuffer = MaybeUninit<[*mut c_void; CAPACITY]>;

/// The maximum number of arrays: each has at least two parameters.
const MAX_ARRAYS: usize = CAPACITY / 2;

/// A buffer of the access histories of the arrays.
pub(crate) type HistoryBuffer<'a> = MaybeUninit<[MaybeUninit<&'a AccessHistory>; MAX_ARRAYS]>;

/// A visitor that collects pointers to the parameters, and detects arguments that need more than that.
pub(crate) struct FastBinder<'a, 'r> {
    /// The first `len` are initialised.
    params: &'r mut ParamBuffer,
    len: usize,
    /// The first `arrays` are initialised.
    histories: &'r mut HistoryBuffer<'a>,
    arrays: usize,
    /// Bit `i` is set if array `i` is writable.
    writable: u32,
    /// The device of the arrays; `Identity::NOWHERE` before the first array.
    device: Identity,
    applicable: bool,
    contiguous: bool,
}

impl<'a, 'r> FastBinder<'a, 'r> {
    #[inline]
    pub(crate) fn new(params: &'r mut ParamBuffer, histories: &'r mut HistoryBuffer<'a>) -> Self {
        FastBinder {
            params,
            len: 0,
            histories,
            arrays: 0,
            writable: 0,
            device: Identity::NOWHERE,
            applicable: true,
            contiguous: true,
        }
    }

    /// Returns whether the fast path applies: all parameters fit into the buffer, all arrays are on one device, and no argument
    /// needs a copy or an action after the launch.
    #[inline]
    pub(crate) fn is_applicable(&self) -> bool {
        self.applicable
    }

    /// Returns the device of the arrays; `None` without arrays.
    #[inline]
    pub(crate) fn device(&self) -> Option<Identity> {
        (self.device != Identity::NOWHERE).then_some(self.device)
    }

    /// Returns the layout of the views' elements.
    #[inline]
    pub(crate) fn layout(&self) -> Layout {
        if self.contiguous { Layout::Contiguous } else { Layout::Strided }
    }

    /// Returns the pointers to the parameters, which [`with_last`](FastBinder::with_last) appends to.
    #[inline]
    pub(crate) fn params(&self) -> *const *mut c_void {
        self.params.as_ptr().cast()
    }

    /// Returns the pointers in the form that `cuLaunchKernel` takes, with `last` appended, if given.
    #[inline]
    pub(crate) fn with_last(&mut self, last: Option<*mut c_void>) -> *mut *mut c_void {
        let params = self.params.as_mut_ptr().cast::<*mut c_void>();
        if let Some(last) = last {
            // SAFETY: `push` leaves one entry of the buffer free.
            unsafe { params.add(self.len).write(last) };
        }
        params
    }

    #[inline]
    fn push<T>(&mut self, parameter: &T) {
        if self.len + 1 < CAPACITY {
            let (pointer, _) = value_of(parameter);
            // SAFETY: the index is below `CAPACITY`.
            unsafe { self.params.as_mut_ptr().cast::<*mut c_void>().add(self.len).write(pointer) };
            self.len += 1;
        } else {
            self.applicable = false;
        }
    }

    /// Binds the location of an array. An empty one is never accessed, so that its history does not matter.
    #[inline]
    fn bind_location(&mut self, location: &'a Location<'_>, is_empty: bool, writable: bool) {
        let Location::Device(memory) = location else {
            self.applicable = false;
            return;
        };
        if self.device == Identity::NOWHERE {
            self.device = memory.on();
        }
        self.applicable &= self.device == memory.on();
        if is_empty {
            return;
        }
        if self.arrays < MAX_ARRAYS {
            let histories = self.histories.as_mut_ptr().cast::<&'a AccessHistory>();
            // SAFETY: the index is below `MAX_ARRAYS`.
            unsafe { histories.add(self.arrays).write(memory.accesses()) };
            self.writable |= u32::from(writable) << self.arrays;
            self.arrays += 1;
        } else {
            self.applicable = false;
        }
    }

    /// Returns whether the stream with this ownership key owns the allocations of all arrays.
    #[inline]
    pub(crate) fn are_arrays_owned_by(&self, key: u64) -> bool {
        (0..self.arrays).all(|array| {
            // SAFETY: the first `arrays` are initialised.
            let history = unsafe { *self.histories.as_ptr().cast::<&'a AccessHistory>().add(array) };
            history.is_owned_by(key, self.writable >> array & 1 == 1)
        })
    }
}

impl<'a> Visitor<'a> for FastBinder<'a, '_> {
    #[inline]
    fn value<T>(&mut self, value: &'a T) {
        self.push(value);
    }

    // Launches with 32-bit indices are never cached: see `launch/fast_path.rs`.
    #[inline]
    fn narrow_value<T>(&mut self, value: &'a T) {
        self.push(value);
    }

    #[inline]
    fn array<T, M: Access>(&mut self, _: &'static str, array: &'a ArraySlice<'_, T, M>) {
        let Elements { raw: RawSlice { pointer, len }, location } = array.elements();
        self.bind_location(location, *len == 0 || size_of::<T>() == 0, M::MUTABLE);
        self.push(pointer);
        self.push(len);
    }

    #[inline]
    fn view<T, const D: usize, M: Access>(&mut self, _: &'static str, view: &'a ViewArgument<'_, T, D, M>) {
        let (pointer, lengths, strides, location) = view.parts();
        self.bind_location(location, lengths.contains(&0) || size_of::<T>() == 0, M::MUTABLE);
        self.push(pointer);
        lengths.iter().chain(strides).for_each(|number| self.push(number));
        self.contiguous &= shape::is_contiguous(lengths, strides);
    }
}
