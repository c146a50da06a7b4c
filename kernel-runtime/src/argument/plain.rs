//! The walk through the arguments of a launch that is fast: for those that are as they are, on one device, and only have to be
//! pointed at.
//!
//! Behind each call of the driver our code and data are in no cache any more, so what grows with the arguments is kept to a
//! comparison and two pointers for each array. All of it is inlined where the launch is, and there the positions are
//! constants.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use super::array::{ArraySlice, Elements, Location, ViewArgument};
use super::visitor::Visitor;
use crate::array::{RawSlice, shape};
use crate::cpu::access::Access;
use crate::device::Identity;
use crate::specialise::Layout;

/// Parameters of 16 arrays and 7 numbers, and the one of ours. Who has more is looked at thoroughly.
const ROOM: usize = 40;

/// Room for pointers to parameters. It is apart from what is known of them: a compiler would clear both at once.
pub(crate) type Room = MaybeUninit<[*mut c_void; ROOM]>;

/// Pointers to the parameters of a launch, where nothing else is to be done about its arguments.
pub(crate) struct Plain<'a, 'r> {
    /// The first `len` are initialised.
    params: &'r mut Room,
    len: usize,
    /// The device of the arrays; nowhere, until there is one.
    on: Identity,
    usable: bool,
    contiguous: bool,
    arguments: PhantomData<&'a ()>,
}

impl<'r> Plain<'_, 'r> {
    #[inline]
    pub(crate) fn new(params: &'r mut Room) -> Self {
        Plain { params, len: 0, on: Identity::NOWHERE, usable: true, contiguous: true, arguments: PhantomData }
    }

    /// Whether the arguments can be used as they are: all of them were pointed at, their arrays are on one device, and nothing
    /// is to be copied or told of the launch.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.usable
    }

    /// The device of the arrays.
    #[inline]
    pub(crate) fn on(&self) -> Option<Identity> {
        (self.on != Identity::NOWHERE).then_some(self.on)
    }

    /// How the elements of the views lie.
    #[inline]
    pub(crate) fn layout(&self) -> Layout {
        if self.contiguous { Layout::Contiguous } else { Layout::Strided }
    }

    /// The pointers as `cuLaunchKernel` wants them, with another one behind them if there is such a one.
    #[inline]
    pub(crate) fn with_last(&mut self, last: Option<*mut c_void>) -> *mut *mut c_void {
        let params = self.params.as_mut_ptr().cast::<*mut c_void>();
        if let Some(last) = last {
            // SAFETY: there is room, since `push` leaves one place.
            unsafe { params.add(self.len).write(last) };
        }
        params
    }

    #[inline]
    fn push<T>(&mut self, parameter: &T) {
        if self.len + 1 < ROOM {
            let pointer = std::ptr::from_ref(parameter).cast_mut().cast();
            // SAFETY: there are `ROOM` places, and this is one.
            unsafe { self.params.as_mut_ptr().cast::<*mut c_void>().add(self.len).write(pointer) };
            self.len += 1;
        } else {
            self.usable = false;
        }
    }

    #[inline]
    fn locate(&mut self, location: &Location<'_>) {
        let Location::Device(memory) = location else {
            self.usable = false;
            return;
        };
        if self.on == Identity::NOWHERE {
            self.on = memory.on();
        }
        self.usable &= self.on == memory.on();
    }
}

impl<'a> Visitor<'a> for Plain<'a, '_> {
    #[inline]
    fn value<T>(&mut self, value: &'a T) {
        self.push(value);
    }

    // A launch with indices of 32 bits is never one like the last: see `recent.rs`.
    #[inline]
    fn narrow_value<T>(&mut self, value: &'a T) {
        self.push(value);
    }

    #[inline]
    fn array<T, M: Access>(&mut self, _: &'static str, array: &'a ArraySlice<'_, T, M>) {
        let Elements { raw: RawSlice { pointer, len }, location } = array.elements();
        self.locate(location);
        self.push(pointer);
        self.push(len);
    }

    #[inline]
    fn view<T, const D: usize, M: Access>(&mut self, _: &'static str, view: &'a ViewArgument<'_, T, D, M>) {
        let (pointer, lengths, strides, location) = view.parts();
        self.locate(location);
        self.push(pointer);
        lengths.iter().chain(strides).for_each(|number| self.push(number));
        self.contiguous &= shape::is_contiguous(lengths, strides);
    }
}
