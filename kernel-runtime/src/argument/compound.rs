//! Arguments that consist of several: structs with `#[derive(KernelArgument)]`.

#![allow(clippy::inline_always, reason = "a call per thread must cost what the operation costs")]

use super::array::{ArraySlice, ViewArgument, host_slice, host_view};
use super::{ReadArgument, Visitor, WriteArgument};
use crate::array::view::ArrayView;
use crate::array::{DeviceArray, DeviceSlice};
use crate::cpu::Call;
use crate::definition::{CalleeKey, Returned};
use crate::handles::access::{Access, Read, Write};
use crate::handles::{Share, Slice, View};
use crate::types::DeviceType;

/// An argument that a kernel takes as a struct: arrays, views and values together. `#[derive(KernelArgument)]` implements it.
///
/// The struct has a lifetime, that of the borrows of its arrays. A kernel or a device function takes it by value, with the
/// lifetime `'_`, and accesses its fields: a [`DeviceSlice<T>`] is a `&[T]` there, a
/// [`DeviceSliceMut<T>`](crate::DeviceSliceMut) a `&mut [T]`, and views and values are the same. Fields can also be `&DeviceArray<T>` and
/// `&mut DeviceArray<T>`, other such structs, and arrays of all of these. On a GPU each array is passed like a parameter of its
/// own, so that the struct costs nothing.
///
/// ```
/// use cumbia::prelude::*;
///
/// /// The particles of a simulation, as a struct of arrays.
/// #[derive(KernelArgument)]
/// struct Particles<'a> {
///     velocity: [DeviceSlice<'a, f32>; 2],
///     position: [DeviceSliceMut<'a, f32>; 2],
///     step: f32,
/// }
///
/// #[kernel]
/// fn advance(particles: Particles<'_>) {
///     let i = grid(1);
///     if i < particles.position[0].len() {
///         for axis in 0..2 {
///             particles.position[axis][i] += particles.step * particles.velocity[axis][i];
///         }
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let (u, v) = (device.to_device(&[1.0, 2.0])?, device.to_device(&[0.0, -2.0])?);
/// let (mut x, mut y) = (device.zeros(2)?, device.zeros(2)?);
/// let particles = Particles {
///     velocity: [u.as_slice(), v.as_slice()],
///     position: [x.as_slice_mut(), y.as_slice_mut()],
///     step: 0.5,
/// };
/// advance(particles).over(2).launch()?;
/// assert_eq!((x.to_host()?, y.to_host()?), (vec![0.5, 1.0], vec![0.0, -1.0]));
/// # Ok(())
/// # }
/// ```
///
/// # Safety
///
/// Implement it with the derive macro. Its items are internal: the fields that `visit` visits are those of the type of
/// `Handle`, in the same order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an argument of a kernel",
    label = "not an argument of a kernel",
    note = "why: a type with a lifetime borrows arrays, each of which is passed to the device",
    note = "help: derive `KernelArgument` for the struct; its fields are `DeviceSlice`, `DeviceSliceMut`, views and values, of numbers and types with `#[derive(Clone, Copy, DeviceType)]`"
)]
pub unsafe trait KernelArgument {
    /// The argument that borrows its arrays for `'a`. The trait is implemented for the lifetime `'static` only, so that an
    /// error about it is the same wherever a type is used.
    #[doc(hidden)]
    type Host<'a>;

    /// The argument as a launch stores it.
    #[doc(hidden)]
    type Bound<'a>: Sync;

    /// The argument in a kernel on the CPU.
    #[doc(hidden)]
    type Handle<'k>: Copy;

    /// A shared reference to the argument in a kernel on the CPU.
    #[doc(hidden)]
    type Shared<'k>: Copy;

    #[doc(hidden)]
    fn bind(argument: Self::Host<'_>) -> Self::Bound<'_>;

    /// Visits the parts. With `narrow`, a `usize` among them has to fit into 32 bits.
    #[doc(hidden)]
    fn visit<'v>(bound: &'v Self::Bound<'_>, name: &'static str, narrow: bool, visitor: &mut impl Visitor<'v>);

    #[doc(hidden)]
    fn handle<'k>(bound: &'k Self::Bound<'_>) -> Self::Handle<'k>;

    /// Returns the argument of a `#[device]` function that the host calls.
    ///
    /// # Panics
    ///
    /// If an array is on a GPU.
    #[doc(hidden)]
    fn on_host(argument: Self::Host<'_>) -> Self::Handle<'_>;

    /// As [`KernelArgument::on_host`], for a parameter that is a shared reference.
    #[doc(hidden)]
    fn shared_on_host<'h>(argument: &'h Self::Host<'_>) -> Self::Shared<'h>;

    /// Borrows the arrays of an argument for a shorter time: see [`Reborrow`].
    #[doc(hidden)]
    fn reborrow<'h>(argument: &'h mut Self::Host<'_>) -> Self::Host<'h>;
}

/// A value that borrows arrays, which can be lent for a shorter time: an argument of launches in a loop.
///
/// A launch takes a struct with `#[derive(KernelArgument)]` by value, since it holds exclusive borrows of its mutable arrays.
/// `reborrow` returns the same struct, borrowed from the first one until the launch has been enqueued. `#[derive(KernelArgument)]`
/// implements the trait; `DeviceSlice` and the views have methods of their own for this.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[derive(KernelArgument)]
/// struct Particles<'a> {
///     velocity: DeviceSlice<'a, f32>,
///     position: DeviceSliceMut<'a, f32>,
///     step: f32,
/// }
///
/// #[kernel]
/// fn advance(particles: Particles<'_>) {
///     let i = grid(1);
///     if i < particles.position.len() {
///         particles.position[i] += particles.step * particles.velocity[i];
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let (velocity, mut position) = (device.to_device(&[1.0, -2.0])?, device.zeros(2)?);
/// let mut particles =
///     Particles { velocity: velocity.as_slice(), position: position.as_slice_mut(), step: 0.25 };
/// for _ in 0..100 {
///     advance(particles.reborrow()).over(2).launch()?;
/// }
/// assert_eq!(position.to_host()?, [25.0, -50.0]);
/// # Ok(())
/// # }
/// ```
pub trait Reborrow {
    /// The value with a shorter lifetime.
    type Reborrowed<'b>
    where
        Self: 'b;

    /// Borrows the arrays of `self`, mutably where `self` does.
    fn reborrow(&mut self) -> Self::Reborrowed<'_>;
}

/// The handle of a [`KernelArgument`], by which a pattern of its struct is checked.
#[doc(hidden)]
pub trait HostOf {
    /// The argument.
    type Host;
}

/// A method of a struct of arrays that `#[device]` compiled, by the number that stands for its name, and the types of the arguments
/// behind the receiver: the method of a field that is such a struct.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no device method of this name with these arguments",
    label = "not a device method of this struct of arrays",
    note = "why: a method of a struct of arrays exists on the device if its `impl` has `#[device]`; on a field, it has no type parameters of its own",
    note = "help: add `#[device]` to the `impl` that defines it, with `self` or `&self`; or call it by path: `Grid::cell(&world.grid, i)`"
)]
pub trait ArgumentMethod<'k, const NAME: u64, A> {
    /// [`ByValue`] or [`ByReference`].
    type By;
    /// The type of the receiver in a kernel.
    type Receiver;
    /// The key of the method.
    type Key: CalleeKey;
    /// The type of the result.
    type Result;

    /// Calls the method.
    fn call(this: Self::Receiver, call: Call<'k>, arguments: A) -> Returned<Self::Key, Self::Result>;
}

/// Implemented by no type: a variable that is a reference to a field that is a struct of arrays.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a reference to a field that is a struct of arrays is not supported in a variable",
    label = "a reference to a struct of arrays in a field",
    note = "why: the macro does not know the types of fields, and takes the variable for a reference to a value",
    note = "help: bind a copy of the field, `let part = world.part;`, or pass `&world.part` to a device function"
)]
pub trait ReferenceToField {}

/// The receiver `self`.
#[doc(hidden)]
pub enum ByValue {}

/// The receiver `&self`.
#[doc(hidden)]
pub enum ByReference {}

/// The conversion of a field in a kernel, which is a struct of arrays, to the receiver `R` of a method.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a method with `self` requires the struct of arrays itself, and not a part behind a shared reference",
    label = "behind a shared reference",
    note = "why: behind a shared reference, the arrays of a struct are read-only",
    note = "help: give the method `&self`, or take the outer struct by value: `world: World<'_>`"
)]
pub trait Received<By, R> {
    /// Converts the field.
    fn received(self) -> R;
}

impl<H> Received<ByValue, H> for H {
    #[inline(always)]
    fn received(self) -> H {
        self
    }
}

impl<H: Share> Received<ByReference, H::Shared> for H {
    #[inline(always)]
    fn received(self) -> H::Shared {
        self.share()
    }
}

/// Returns a value of the argument's type where none is needed: in unreachable code.
#[doc(hidden)]
pub fn host_of<H: HostOf>(_: H) -> H::Host {
    unreachable!("only the type of the result matters")
}

#[allow(clippy::needless_pass_by_value, reason = "consumes the mutable slice")]
fn of_slice<T: DeviceType, M: Access>(slice: DeviceSlice<'_, T, M>) -> ArraySlice<'_, T, M> {
    ArraySlice::on_device(slice.memory(), slice.raw())
}

fn copied<'h, T>(array: &'h mut &DeviceArray<T>) -> &'h DeviceArray<T> {
    array
}

#[allow(clippy::mut_mut, reason = "a field that is a mutable reference, behind another one")]
fn reborrowed<'h, T>(array: &'h mut &mut DeviceArray<T>) -> &'h mut DeviceArray<T> {
    array
}

fn lent_slice<'h, T: DeviceType, M: Access>(slice: &'h DeviceSlice<'_, T, M>) -> ArraySlice<'h, T, Read> {
    of_slice(slice.as_slice())
}

fn lent_array<'h, T: DeviceType>(array: &'h &DeviceArray<T>) -> ArraySlice<'h, T, Read> {
    ReadArgument::bind(*array)
}

fn lent_array_mut<'h, T: DeviceType>(array: &'h &mut DeviceArray<T>) -> ArraySlice<'h, T, Read> {
    ReadArgument::bind(&**array)
}

fn lent_view<'h, T: DeviceType, const D: usize, M: Access>(
    view: &'h ArrayView<'_, T, D, M>,
) -> ViewArgument<'h, T, D, Read> {
    ViewArgument::on_device(view.view())
}

/// Implements the trait for a type with a single part.
macro_rules! part {
    (
        [$($generics:tt)*] $static:ty, $host:ty => $bound:ty, $handle:ty, $shared:ty;
        $bind:expr, $lend:expr, $reborrow:expr, $visit:ident, $view:ident, $on_host:ident
    ) => {
        // SAFETY: the only part is the array or the view.
        #[diagnostic::do_not_recommend]
        unsafe impl<T: DeviceType, $($generics)*> KernelArgument for $static {
            type Host<'a> = $host;
            type Bound<'a> = $bound;
            type Handle<'k> = $handle;
            type Shared<'k> = $shared;

            #[inline]
            fn bind(argument: Self::Host<'_>) -> Self::Bound<'_> {
                $bind(argument)
            }

            #[inline]
            fn visit<'v>(bound: &'v Self::Bound<'_>, name: &'static str, _: bool, visitor: &mut impl Visitor<'v>) {
                visitor.$visit(name, bound);
            }

            #[inline]
            fn handle<'k>(bound: &'k Self::Bound<'_>) -> Self::Handle<'k> {
                bound.$view()
            }

            fn on_host(argument: Self::Host<'_>) -> Self::Handle<'_> {
                $on_host($bind(argument))
            }

            fn shared_on_host<'h>(argument: &'h Self::Host<'_>) -> Self::Shared<'h> {
                $on_host($lend(argument))
            }

            fn reborrow<'h>(argument: &'h mut Self::Host<'_>) -> Self::Host<'h> {
                $reborrow(argument)
            }
        }
    };
}

part! {
    [M: Access] DeviceSlice<'static, T, M>, DeviceSlice<'a, T, M> => ArraySlice<'a, T, M>, Slice<'k, T, M>, Slice<'k, T, Read>;
    of_slice, lent_slice, DeviceSlice::lent, array, view, host_slice
}
part! {
    [] &'static DeviceArray<T>, &'a DeviceArray<T> => ArraySlice<'a, T, Read>, Slice<'k, T, Read>, Slice<'k, T, Read>;
    ReadArgument::bind, lent_array, copied, array, view, host_slice
}
part! {
    [] &'static mut DeviceArray<T>, &'a mut DeviceArray<T> => ArraySlice<'a, T, Write>, Slice<'k, T, Write>, Slice<'k, T, Read>;
    WriteArgument::bind_mut, lent_array_mut, reborrowed, array, view, host_slice
}
part! {
    [const D: usize, M: Access] ArrayView<'static, T, D, M>, ArrayView<'a, T, D, M>
        => ViewArgument<'a, T, D, M>, View<'k, T, D, M>, View<'k, T, D, Read>;
    ViewArgument::on_device, lent_view, ArrayView::lent, view, elements, host_view
}
