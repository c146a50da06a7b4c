//! Fast path: binding of device-resident arguments on a single device.
//!
//! A driver call evicts most of our code and data from the caches, so the work per argument is kept to one comparison and two
//! pointers for each array. All of it is inlined into the launch, where the parameter positions are constants.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::array::{ArraySlice, Elements, Location, ViewArgument};
use super::visitor::Visitor;
use crate::array::{RawSlice, shape};
use crate::cpu::access::Access;
use crate::device::Identity;
use crate::specialise::Layout;

/// Capacity of the parameter buffer: 16 arrays, 7 scalars and the launch parameter. A kernel with more takes the slow path.
const CAPACITY: usize = 40;

/// A buffer of pointers to parameters. It is separate from [`FastBinder`] because the compiler would otherwise zero both.
pub(crate) type ParamBuffer = MaybeUninit<[*mut c_void; CAPACITY]>;

/// A visitor that collects pointers to the parameters, and detects arguments that need more than that.
pub(crate) struct FastBinder<'a, 'r> {
    /// The first `len` are initialised.
    params: &'r mut ParamBuffer,
    len: usize,
    /// The device of the arrays; `Identity::NOWHERE` before the first array.
    device: Identity,
    applicable: bool,
    contiguous: bool,
    arguments: PhantomData<&'a ()>,
}

impl<'r> FastBinder<'_, 'r> {
    #[inline]
    pub(crate) fn new(params: &'r mut ParamBuffer) -> Self {
        FastBinder {
            params,
            len: 0,
            device: Identity::NOWHERE,
            applicable: true,
            contiguous: true,
            arguments: PhantomData,
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
            let pointer = std::ptr::from_ref(parameter).cast_mut().cast();
            // SAFETY: the index is below `CAPACITY`.
            unsafe { self.params.as_mut_ptr().cast::<*mut c_void>().add(self.len).write(pointer) };
            self.len += 1;
        } else {
            self.applicable = false;
        }
    }

    #[inline]
    fn bind_location(&mut self, location: &Location<'_>) {
        let Location::Device(memory) = location else {
            self.applicable = false;
            return;
        };
        if self.device == Identity::NOWHERE {
            self.device = memory.on();
        }
        self.applicable &= self.device == memory.on();
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
        self.bind_location(location);
        self.push(pointer);
        self.push(len);
    }

    #[inline]
    fn view<T, const D: usize, M: Access>(&mut self, _: &'static str, view: &'a ViewArgument<'_, T, D, M>) {
        let (pointer, lengths, strides, location) = view.parts();
        self.bind_location(location);
        self.push(pointer);
        lengths.iter().chain(strides).for_each(|number| self.push(number));
        self.contiguous &= shape::is_contiguous(lengths, strides);
    }
}
