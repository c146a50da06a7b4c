//! Borrow expressions of a kernel body, and the arguments for reference parameters of device functions.

use crate::handles::access::{Access, Read, Writable, Write};
use crate::handles::handle_array::{ArrayElement, Handles};
use crate::handles::local::Local;
use crate::handles::place::PlaceRef;
use crate::handles::receiver::{Handle, Receiver};
use crate::handles::slice::Slice;
use crate::handles::view::View;
use crate::types::DeviceType;

/// `&x` in a kernel, where `x` is a variable or a field of one.
#[inline(always)]
pub fn borrow<'a, T: BorrowExpr<'a, Reference = R>, R>(value: &'a T) -> R {
    value.borrow()
}

/// `&mut x` in a kernel, where `x` is a variable or a field of one.
#[inline(always)]
pub fn borrow_mut<'a, T: BorrowMutExpr<'a, Reference = R>, R>(value: &'a mut T) -> R {
    value.borrow_mut()
}

/// The operand of [`borrow`]: a value, which is borrowed, or a variable that is a reference, which is reborrowed.
#[diagnostic::on_unimplemented(
    message = "a reference to `{Self}` is not supported on a device",
    label = "cannot be borrowed on a device",
    note = "why: a reference points to memory, which holds only types with the same layout on the host and the device",
    note = "help: use numbers, `bool`, arrays of them, or a type with `#[derive(Clone, Copy, DeviceType)]`"
)]
pub trait BorrowExpr<'a> {
    /// The resulting reference.
    type Reference;

    /// Borrows or reborrows.
    fn borrow(&'a self) -> Self::Reference;
}

/// The operand of [`borrow_mut`], as [`BorrowExpr`].
#[diagnostic::on_unimplemented(
    message = "a reference to `{Self}` is not supported on a device",
    label = "cannot be borrowed on a device",
    note = "why: a reference points to memory, which holds only types with the same layout on the host and the device",
    note = "help: use numbers, `bool`, arrays of them, or a type with `#[derive(Clone, Copy, DeviceType)]`"
)]
pub trait BorrowMutExpr<'a> {
    /// The resulting reference.
    type Reference;

    /// Borrows or reborrows.
    fn borrow_mut(&'a mut self) -> Self::Reference;
}

impl<'a, T: DeviceType> BorrowExpr<'a> for T {
    type Reference = PlaceRef<'a, T, Read>;

    #[inline(always)]
    fn borrow(&'a self) -> PlaceRef<'a, T, Read> {
        PlaceRef::<T, Read>::from_ref(self)
    }
}

impl<'a, T: DeviceType> BorrowMutExpr<'a> for T {
    type Reference = PlaceRef<'a, T, Write>;

    #[inline(always)]
    fn borrow_mut(&'a mut self) -> PlaceRef<'a, T, Write> {
        PlaceRef::<T, Write>::from_mut(self)
    }
}

/// Implements the traits for a variable that is a reference, which is reborrowed.
macro_rules! reference {
    ($($reference:ident<$k:lifetime, T $(, $param:ident)?>),*) => {$(
        impl<$k, T, $(const $param: usize,)? M> BorrowExpr<'_> for $reference<$k, T, $($param,)? M> {
            type Reference = $reference<$k, T, $($param,)? Read>;

            #[inline(always)]
            fn borrow(&self) -> Self::Reference {
                self.read()
            }
        }

        impl<$k, T, $(const $param: usize,)? M> BorrowMutExpr<'_> for $reference<$k, T, $($param,)? M> {
            type Reference = Self;

            #[inline(always)]
            fn borrow_mut(&mut self) -> Self {
                *self
            }
        }
    )*};
}

reference!(Slice<'k, T>, PlaceRef<'k, T>, Local<'k, T>, View<'k, T, D>);

/// A part of a struct with `#[derive(KernelArgument)]`, as a shared reference to the struct provides it: a mutable slice is
/// read-only behind it, and a value is a copy, which nothing can modify while the reference exists.
pub trait Share: Copy {
    /// The part behind a shared reference.
    type Shared: Copy;

    /// Returns the part.
    fn share(self) -> Self::Shared;
}

impl<T: DeviceType> Share for T {
    type Shared = T;

    #[inline(always)]
    fn share(self) -> T {
        self
    }
}

/// `()` stands for a field that is rejected.
impl Share for () {
    type Shared = ();

    fn share(self) {}
}

impl<'k, T, M> Share for Slice<'k, T, M> {
    type Shared = Slice<'k, T, Read>;

    #[inline(always)]
    fn share(self) -> Self::Shared {
        self.read()
    }
}

impl<'k, T, const D: usize, M> Share for View<'k, T, D, M> {
    type Shared = View<'k, T, D, Read>;

    #[inline(always)]
    fn share(self) -> Self::Shared {
        self.read()
    }
}

impl<H: Share + ArrayElement, const N: usize> Share for Handles<H, N>
where
    H::Shared: ArrayElement,
{
    type Shared = Handles<H::Shared, N>;

    #[inline(always)]
    fn share(self) -> Self::Shared {
        self.map(H::share)
    }
}

/// An argument for a parameter that is a reference to a struct with `#[derive(KernelArgument)]`: an `S` behind a reference.
#[diagnostic::on_unimplemented(
    message = "this is not a reference to the struct of arrays",
    label = "expected a reference",
    note = "why: the function reads the arrays of the struct, and does not write to them",
    note = "help: borrow a struct of the parameter's type: `&particles`"
)]
pub trait IntoShared<S> {
    /// Returns the struct behind a reference.
    fn into_shared(self) -> S;
}

#[diagnostic::do_not_recommend]
impl<S> IntoShared<S> for S {
    #[inline(always)]
    fn into_shared(self) -> S {
        self
    }
}

/// An argument for a `&T` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "this is not a `&{T}`",
    label = "expected a `&{T}`",
    note = "help: borrow a value of that type: `&x`, `&x[i]`"
)]
pub trait IntoPlace<'k, T> {
    /// Returns the place of the value.
    fn into_place(self) -> PlaceRef<'k, T, Read>;
}

/// An argument for a `&mut T` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "this is not a `&mut {T}`",
    label = "expected a `&mut {T}`",
    note = "why: the function may assign to it",
    note = "help: borrow a value of that type: `&mut x`, `&mut x[i]`"
)]
pub trait IntoPlaceMut<'k, T> {
    /// Returns the place of the value.
    fn into_place_mut(self) -> PlaceRef<'k, T, Write>;
}

impl<'k, T, M> IntoPlace<'k, T> for PlaceRef<'k, T, M> {
    #[inline(always)]
    fn into_place(self) -> PlaceRef<'k, T, Read> {
        self.read()
    }
}

impl<'k, T> IntoPlaceMut<'k, T> for PlaceRef<'k, T, Write> {
    #[inline(always)]
    fn into_place_mut(self) -> PlaceRef<'k, T, Write> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<'k, T: DeviceType, M: Access> IntoPlace<'k, T> for Local<'k, T, M> {
    #[inline(always)]
    fn into_place(self) -> PlaceRef<'k, T, Read> {
        self.as_place().read()
    }
}

#[diagnostic::do_not_recommend]
impl<'k, T: DeviceType> IntoPlaceMut<'k, T> for Local<'k, T, Write> {
    #[inline(always)]
    fn into_place_mut(self) -> PlaceRef<'k, T, Write> {
        self.as_place()
    }
}

impl<'k, T: DeviceType> IntoPlace<'k, T> for &'k T {
    #[inline(always)]
    fn into_place(self) -> PlaceRef<'k, T, Read> {
        PlaceRef::<T, Read>::from_ref(self)
    }
}

impl<'k, T: DeviceType> IntoPlace<'k, T> for &'k mut T {
    #[inline(always)]
    fn into_place(self) -> PlaceRef<'k, T, Read> {
        PlaceRef::<T, Read>::from_ref(self)
    }
}

impl<'k, T: DeviceType> IntoPlaceMut<'k, T> for &'k mut T {
    #[inline(always)]
    fn into_place_mut(self) -> PlaceRef<'k, T, Write> {
        PlaceRef::<T, Write>::from_mut(self)
    }
}

// The receiver of a method call that resolves to a function with a reference parameter: the place itself, not the copy
// that a method would receive.
#[diagnostic::do_not_recommend]
impl<'k, 'p, T, H: Handle<'p> + IntoPlace<'k, T>> IntoPlace<'k, T> for &Receiver<'p, H> {
    #[inline(always)]
    fn into_place(self) -> PlaceRef<'k, T, Read> {
        self.handle().into_place()
    }
}

#[diagnostic::do_not_recommend]
impl<'k, 'p, T, H: Handle<'p> + IntoPlace<'k, T>> IntoPlace<'k, T> for &mut Receiver<'p, H> {
    #[inline(always)]
    fn into_place(self) -> PlaceRef<'k, T, Read> {
        self.handle().into_place()
    }
}

#[diagnostic::do_not_recommend]
impl<'k, 'p, T, H: Handle<'p> + IntoPlaceMut<'k, T>> IntoPlaceMut<'k, T> for &mut Receiver<'p, H> {
    #[inline(always)]
    fn into_place_mut(self) -> PlaceRef<'k, T, Write> {
        self.handle().into_place_mut()
    }
}

/// The receiver of a trait method that is called by path (`Shape::area(&shapes[i])`): the trait's `Self` is then
/// inferred from the type behind the receiver, not from the receiver's own type.
pub trait PathReceiver<'k> {
    /// The type of the value.
    type Value;

    /// Returns the reference by whose type rustc resolves the method: see [`Receiver`].
    fn reference(self) -> &'k Self::Value;
}

/// A [`PathReceiver`] that is borrowed mutably.
pub trait PathReceiverMut<'k> {
    /// The type of the value.
    type Value;

    /// Returns the reference by whose type rustc resolves the method.
    fn reference_mut(self) -> &'k mut Self::Value;
}

impl<'k, 'p, H: Handle<'p>> PathReceiver<'k> for &'k Receiver<'p, H> {
    type Value = H::Value;

    #[inline(always)]
    fn reference(self) -> &'k H::Value {
        self
    }
}

impl<'k, 'p, H: Handle<'p>> PathReceiver<'k> for &'k mut Receiver<'p, H> {
    type Value = H::Value;

    #[inline(always)]
    fn reference(self) -> &'k H::Value {
        self
    }
}

impl<'k, 'p, H: Handle<'p>> PathReceiverMut<'k> for &'k mut Receiver<'p, H>
where
    H::Access: Writable,
{
    type Value = H::Value;

    #[inline(always)]
    fn reference_mut(self) -> &'k mut H::Value {
        self
    }
}

/// An argument for a `&[T]` parameter of a device function: a slice, a mutable slice that is reborrowed, or a reference
/// to an array.
#[diagnostic::on_unimplemented(
    message = "this is not a `&[_]`",
    label = "expected a slice",
    note = "why: a slice is a pointer and a length, and its elements are contiguous",
    note = "help: pass a slice, or borrow an array: `&x`, `&x[a..b]`; of a contiguous view, such as a row, pass `v.as_slice().unwrap()`"
)]
pub trait IntoSlice<'k> {
    /// The element type.
    type Element;
    /// Returns the slice.
    fn into_slice(self) -> Slice<'k, Self::Element, Read>;
}

/// An argument for a `&mut [T]` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "this is not a `&mut [_]`",
    label = "expected a mutable slice",
    note = "why: the function may assign to its elements",
    note = "help: pass a `&mut [_]`, or borrow an array: `&mut x`, `&mut x[a..b]`; of a contiguous view, such as a mutable row, pass `v.as_slice_mut().unwrap()`"
)]
pub trait IntoSliceMut<'k> {
    /// The element type.
    type Element;
    /// Returns the slice.
    fn into_slice_mut(self) -> Slice<'k, Self::Element, Write>;
}

impl<'k, T, M> IntoSlice<'k> for Slice<'k, T, M> {
    type Element = T;

    #[inline(always)]
    fn into_slice(self) -> Slice<'k, T, Read> {
        self.read()
    }
}

impl<'k, T> IntoSliceMut<'k> for Slice<'k, T, Write> {
    type Element = T;

    #[inline(always)]
    fn into_slice_mut(self) -> Slice<'k, T, Write> {
        self
    }
}

// The first argument of a call by path to an associated function, which the macro passes as a Rust reference.
#[diagnostic::do_not_recommend]
impl<'k, T: DeviceType, const N: usize> IntoSlice<'k> for &'k [T; N] {
    type Element = T;

    #[inline(always)]
    fn into_slice(self) -> Slice<'k, T, Read> {
        Slice::<T, Read>::from_host(self)
    }
}

#[diagnostic::do_not_recommend]
impl<'k, T: DeviceType, const N: usize> IntoSlice<'k> for &'k mut [T; N] {
    type Element = T;

    #[inline(always)]
    fn into_slice(self) -> Slice<'k, T, Read> {
        Slice::<T, Read>::from_host(self)
    }
}

#[diagnostic::do_not_recommend]
impl<'k, T: DeviceType, const N: usize> IntoSliceMut<'k> for &'k mut [T; N] {
    type Element = T;

    #[inline(always)]
    fn into_slice_mut(self) -> Slice<'k, T, Write> {
        Slice::<T, Write>::from_host_mut(self)
    }
}

// As for `IntoPlace`.
#[diagnostic::do_not_recommend]
impl<'k, 'p, H: Handle<'p> + IntoSlice<'k>> IntoSlice<'k> for &Receiver<'p, H> {
    type Element = H::Element;

    #[inline(always)]
    fn into_slice(self) -> Slice<'k, H::Element, Read> {
        self.handle().into_slice()
    }
}

#[diagnostic::do_not_recommend]
impl<'k, 'p, H: Handle<'p> + IntoSlice<'k>> IntoSlice<'k> for &mut Receiver<'p, H> {
    type Element = H::Element;

    #[inline(always)]
    fn into_slice(self) -> Slice<'k, H::Element, Read> {
        self.handle().into_slice()
    }
}

#[diagnostic::do_not_recommend]
impl<'k, 'p, H: Handle<'p> + IntoSliceMut<'k>> IntoSliceMut<'k> for &mut Receiver<'p, H> {
    type Element = H::Element;

    #[inline(always)]
    fn into_slice_mut(self) -> Slice<'k, H::Element, Write> {
        self.handle().into_slice_mut()
    }
}

/// Implements the conversion of a reference to an array into a slice.
macro_rules! array {
    ($($reference:ident),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'k, T: DeviceType, const N: usize, M: Access> IntoSlice<'k> for $reference<'k, [T; N], M> {
            type Element = T;

            #[inline(always)]
            fn into_slice(self) -> Slice<'k, T, Read> {
                self.as_slice().read()
            }
        }

        #[diagnostic::do_not_recommend]
        impl<'k, T: DeviceType, const N: usize> IntoSliceMut<'k> for $reference<'k, [T; N], Write> {
            type Element = T;

            #[inline(always)]
            fn into_slice_mut(self) -> Slice<'k, T, Write> {
                self.as_slice()
            }
        }
    )*};
}

array!(PlaceRef, Local);

/// An argument for an `ArrayView{D}<T>` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "this is not an `ArrayView{D}<_>`",
    label = "expected a view of {D} dimensions",
    note = "help: pass a view, or a row, column or plane of one"
)]
pub trait IntoView<'k, const D: usize> {
    /// The element type.
    type Element;
    /// Returns the view.
    fn into_view(self) -> View<'k, Self::Element, D, Read>;
}

/// An argument for an `ArrayViewMut{D}<T>` parameter of a device function.
#[diagnostic::on_unimplemented(
    message = "this is not an `ArrayViewMut{D}<_>`",
    label = "expected a mutable view of {D} dimensions",
    note = "why: the function may assign to its elements",
    note = "help: pass an `ArrayViewMut{D}<_>`, or `row_mut`, `column_mut` or `plane_mut` of one"
)]
pub trait IntoViewMut<'k, const D: usize> {
    /// The element type.
    type Element;
    /// Returns the view.
    fn into_view_mut(self) -> View<'k, Self::Element, D, Write>;
}

impl<'k, T, const D: usize, M> IntoView<'k, D> for View<'k, T, D, M> {
    type Element = T;

    #[inline(always)]
    fn into_view(self) -> View<'k, T, D, Read> {
        self.read()
    }
}

impl<'k, T, const D: usize> IntoViewMut<'k, D> for View<'k, T, D, Write> {
    type Element = T;

    #[inline(always)]
    fn into_view_mut(self) -> View<'k, T, D, Write> {
        self
    }
}
