//! Methods of slices and arrays that visit the elements, by definitions in `methods::slice` and `methods::iterator`.

use super::{iterator, slice};
use crate::cpu::Call;
use crate::definition::{CalleeKey, Returned, key};
use crate::handles::access::{Access, Writable};
use crate::handles::{IntoPlace, IntoSlice, PlaceRef, Read, Slice, Write};
use crate::number::{Number, OrderedElement};
use crate::operator::Equal;
use crate::types::DeviceType;

/// Implements methods of slices with an access by their expressions, and declares and implements a trait with the same methods
/// for arrays in variables and their sub-slices.
macro_rules! methods {
    (
        $(#[$doc:meta])* $trait:ident for $access:ident by $self:ident: $receiver:ty, $of_receiver:ident $slice:ident $of_host:ident;
        $(fn $device:ident<$($param:ident)?> [$($key:tt)*] ($this:ident, $call:ident $(, $arg:ident: $ty:ty)*) -> $result:ty
            where [$($bounds:tt)*] { $body:expr })*
    ) => {
        impl<T: DeviceType, M: $access> Slice<'_, T, M> {
            $(
                #[inline(always)]
                #[allow(missing_docs, reason = "each is named after the method")]
                #[allow(clippy::elidable_lifetime_names, reason = "some arguments have the lifetime")]
                pub fn $device<'s, $($param)?>(
                    self, $call: Call<'s>, ($($arg,)*): ($($ty,)*)
                ) -> Returned<methods!(@key $($key)*), $result>
                where
                    $($bounds)*
                {
                    let $this = self;
                    Returned::new($body)
                }
            )*
        }

        $(#[$doc])*
        #[allow(missing_docs, reason = "each is named after the method")]
        pub trait $trait<T> {
            $(
                fn $device<'s, $($param)?>(
                    $self: $receiver, call: Call<'s>, _: ($($ty,)*)
                ) -> Returned<methods!(@key $($key)*), $result>
                where
                    T: DeviceType,
                    $($bounds)*;
            )*
        }

        impl<T: Copy, const N: usize> $trait<T> for [T; N] {
            $(
                #[inline(always)]
                fn $device<'s, $($param)?>(
                    $self: $receiver, call: Call<'s>, ($($arg,)*): ($($ty,)*)
                ) -> Returned<methods!(@key $($key)*), $result>
                where
                    T: DeviceType,
                    $($bounds)*
                {
                    PlaceRef::$of_receiver($self, call).as_slice().$device(call, ($($arg,)*))
                }
            )*
        }

        /// As for arrays, of a sub-slice of a local array as a receiver.
        impl<T: DeviceType> $trait<T> for [T] {
            $(
                #[inline(always)]
                fn $device<'s, $($param)?>(
                    $self: $receiver, call: Call<'s>, ($($arg,)*): ($($ty,)*)
                ) -> Returned<methods!(@key $($key)*), $result>
                where
                    T: DeviceType,
                    $($bounds)*
                {
                    Slice::<T, $slice>::$of_host($self).$device(call, ($($arg,)*))
                }
            )*
        }
    };
    (@key key $key:ty) => {
        $key
    };
    (@key $($key:tt)*) => {
        key!($($key)*)
    };
}

methods! {
    /// Methods that read the elements.
    ElementMethods for Access by self: &'s Self, of_receiver Read from_host;
    fn __device_contains<K>[key K](x, call, value: impl IntoPlace<'s, T>) -> bool where [T: EqualElement<Contains = K>] {{
        let (_, value) = (call, value.into_place());
        x.__values().any(|element| element == value.get())
    }}
    fn __device_iter_sum<S>[S, [iterator::sum]](x, call) -> S where [S: SumOf<T>] {{
        call.note();
        S::sum(x.__values())
    }}
    fn __device_iter_product<S>[S, [iterator::product]](x, call) -> S where [S: SumOf<T>] {{
        call.note();
        S::product(x.__values())
    }}
    fn __device_iter_max<K>[key K](x, _call) -> Option<T> where [T: OrderedElement<Max = K>] { x.__values().max() }
    fn __device_iter_min<K>[key K](x, _call) -> Option<T> where [T: OrderedElement<Min = K>] { x.__values().min() }
}

methods! {
    /// Methods that modify the elements.
    ElementMethodsMut for Writable by self: &'s mut Self, of_receiver_mut Write from_host_mut;
    fn __device_copy_from_slice<>[T, [slice::copy_from_slice]](x, call, from: impl IntoSlice<'s, Element = T>) -> () where [] {{
        let from = from.into_slice();
        if x.count() != from.count() {
            call.cx.panic(
                call.at,
                format_args!(
                    "copy_from_slice: source slice length ({}) does not match destination slice length ({})",
                    from.count(),
                    x.count(),
                ),
            );
        }
        x.__elements_mut().zip(from.__values()).for_each(|(place, value)| place.set(value));
    }}
    fn __device_sort<K>[key K](x, _call) -> () where [T: OrderedElement<Sort = K>] { sort(x.write()) }
    fn __device_sort_unstable<K>[key K](x, _call) -> () where [T: OrderedElement<SortUnstable = K>] { sort(x.write()) }
}

/// An element type with an `==` of the device.
#[diagnostic::on_unimplemented(
    message = "`==` of `{Self}` is not supported on a device",
    label = "no comparison of `{Self}` on the device",
    note = "why: an `impl PartialEq` that is derived or written for the host is not compiled for the device",
    note = "help: write `#[device(PartialEq)]` before the struct or enum, in place of `PartialEq` in its `#[derive(..)]`; or `#[device]` before an `impl PartialEq` that is written by hand"
)]
pub trait EqualElement: DeviceType + PartialEq {
    /// The key of `x.contains(&value)`.
    type Contains: CalleeKey;
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType + PartialEq + Equal<T>> EqualElement for T {
    type Contains = key!(T, [slice::contains]);
}

/// Sorts a copy of the elements, which no other thread accesses, and stores it.
fn sort<T: OrderedElement>(elements: Slice<'_, T, Write>) {
    let mut values: Vec<T> = elements.__values().collect();
    values.sort_unstable();
    elements.__elements_mut().zip(values).for_each(|(place, value)| place.set(value));
}

/// Implements [`OrderedElement`] by the definitions.
macro_rules! ordered {
    ($($integer:ident)*) => {$(
        impl OrderedElement for $integer {
            type Max = key!($integer, [iterator::max]);
            type Min = key!($integer, [iterator::min]);
            type Sort = key!($integer, [slice::sort]);
            type SortUnstable = key!($integer, [slice::sort_unstable]);
        }
    )*};
}

ordered!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// The sum and the product of an iterator over numbers of type `T`.
#[diagnostic::on_unimplemented(
    message = "an iterator over `{T}` has no sum or product of type `{Self}` on a device",
    label = "not the element type, or not a number",
    note = "why: `sum` and `product` return the element type, which is an integer, `f32` or `f64`",
    note = "help: write a loop: `for v in x.iter() {{ sum += .. }}`"
)]
pub trait SumOf<T>: Number {
    /// Returns the sum, by the standard library.
    fn sum(values: impl Iterator<Item = T>) -> Self;

    /// Returns the product, by the standard library.
    fn product(values: impl Iterator<Item = T>) -> Self;
}

macro_rules! sums {
    ($($number:ident)*) => {$(
        impl SumOf<$number> for $number {
            #[inline(always)]
            fn sum(values: impl Iterator<Item = $number>) -> $number {
                values.sum()
            }

            #[inline(always)]
            fn product(values: impl Iterator<Item = $number>) -> $number {
                values.product()
            }
        }
    )*};
}

sums!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);
