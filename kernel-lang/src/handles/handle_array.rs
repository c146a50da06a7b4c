//! Arrays of slices, views and other handles: a `[&[T]; N]` parameter in a kernel on the CPU.

use cumbia_kernel_ir as ir;
use cumbia_kernel_ir::Method;

use crate::cpu::{Call, Cx, Location, fault};
use crate::definition::{MethodKey, Returned};
use crate::handles::access::{Read, Write};
use crate::handles::slice::{Index, Slice};
use crate::handles::view::View;
use crate::types::{Repr, VariableType, has_device_layout};

/// An array of handles. It is no Rust array, because an element of one is a place in memory, and handles are never in
/// memory.
#[derive(Clone, Copy)]
pub struct Handles<H, const N: usize>([H; N]);

/// An element of [`Handles`]: a slice or a view.
#[diagnostic::on_unimplemented(
    message = "an array of arguments consists of slices or views",
    label = "not a slice or a view",
    note = "why: the elements of an array of structs would be places in memory, and slices are never in memory",
    note = "help: use an array for each field of the struct"
)]
pub trait ArrayElement: Copy {}

impl<T, M> ArrayElement for Slice<'_, T, M> {}

impl<T, const D: usize, M> ArrayElement for View<'_, T, D, M> {}

impl<H: Copy, const N: usize> Handles<H, N> {
    /// Returns the array of these handles.
    #[inline(always)]
    pub fn new(handles: [H; N]) -> Self
    where
        H: ArrayElement,
    {
        Handles(handles)
    }

    /// Returns the array of the results of `convert`.
    #[inline(always)]
    pub fn map<G: ArrayElement>(self, convert: impl FnMut(H) -> G) -> Handles<G, N> {
        Handles(self.0.map(convert))
    }

    /// Returns a handle; faults if the index is out of bounds.
    #[inline(always)]
    pub fn at(self, _cx: Cx<'_>, index: impl Index, at: &'static Location) -> H {
        let index = index.position();
        if index >= N {
            fault::out_of_bounds(at, index, N);
        }
        self.0[index]
    }

    /// As [`Handles::at`]: whether the elements behind the handle are writable depends on the handle.
    #[inline(always)]
    pub fn at_mut(self, cx: Cx<'_>, index: impl Index, at: &'static Location) -> H {
        self.at(cx, index, at)
    }

    /// `xs.len()`
    #[inline(always)]
    pub fn __device_len(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Len as usize }>, usize> {
        Returned::new(N)
    }

    /// `xs.is_empty()`
    #[inline(always)]
    pub fn __device_is_empty(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::IsEmpty as usize }>, bool> {
        Returned::new(N == 0)
    }
}

impl<H: Copy, const N: usize> IntoIterator for Handles<H, N> {
    type Item = H;
    type IntoIter = std::array::IntoIter<H, N>;

    #[inline(always)]
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// An array of handles as an argument of a device function that takes an `H`.
#[diagnostic::on_unimplemented(
    message = "this is not an array of slices or views of this type",
    label = "not such an array",
    note = "help: pass a parameter of this type"
)]
pub trait IntoHandles<H> {
    /// Returns the array.
    fn into_handles(self) -> H;
}

/// Implements the conversion for an access mode: handles are reborrowed read-only.
macro_rules! into_handles {
    ($([$($mode:ident)?] $from:ty => $to:ty;)*) => {$(
        impl<'k, 'l: 'k, T, $($mode,)? const N: usize> IntoHandles<Handles<Slice<'k, T, $to>, N>>
            for Handles<Slice<'l, T, $from>, N>
        {
            #[inline(always)]
            fn into_handles(self) -> Handles<Slice<'k, T, $to>, N> {
                self.map(into_handles!(@convert $($mode)?))
            }
        }

        impl<'k, 'l: 'k, T, $($mode,)? const D: usize, const N: usize> IntoHandles<Handles<View<'k, T, D, $to>, N>>
            for Handles<View<'l, T, D, $from>, N>
        {
            #[inline(always)]
            fn into_handles(self) -> Handles<View<'k, T, D, $to>, N> {
                self.map(into_handles!(@convert $($mode)?))
            }
        }
    )*};
    (@convert) => { |handle| handle };
    (@convert $mode:ident) => { |handle| handle.read() };
}

into_handles! {
    [M] M => Read;
    [] Write => Write;
}

has_device_layout!([H, const N: usize] Handles<H, N>;);

impl<H: ArrayElement + VariableType, const N: usize> VariableType for Handles<H, N> {
    type Repr = Handles<H::Repr, N>;
}

impl<H: Repr, const N: usize> Repr for Handles<H, N> {
    fn ty() -> ir::Type {
        ir::Type::Array(Box::new(H::ty()), N as u64)
    }
}

// The element of an array of handles is read like a place.

/// A handle that an assignment could replace: none.
#[diagnostic::on_unimplemented(
    message = "cannot assign an element of an array of slices or views",
    label = "an element of an array of slices or views",
    note = "why: the compiler must know which memory each element refers to",
    note = "help: select the slice where it is used: `let x = if first {{ x }} else {{ xs[0] }};`"
)]
pub trait Replaceable {}

impl<T, M> Slice<'_, T, M> {
    /// Returns the slice, in a tuple as a value in memory.
    #[inline(always)]
    pub fn read_value(self) -> (Self,) {
        (self,)
    }

    /// Replaces the slice, which is an error.
    pub fn set_to<V>(self, _: V)
    where
        Self: Replaceable,
    {
    }
}

impl<T, const D: usize, M> View<'_, T, D, M> {
    /// Returns the view, in a tuple as a value in memory.
    #[inline(always)]
    pub fn read_value(self) -> (Self,) {
        (self,)
    }

    /// Replaces the view, which is an error.
    pub fn set_to<V>(self, _: V)
    where
        Self: Replaceable,
    {
    }
}
