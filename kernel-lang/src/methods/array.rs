//! Methods of slices and arrays.

use cumbia_kernel_ir::Method;

use super::{element, slice};
use crate::cpu::Call;
use crate::definition::{MethodKey, Returned, key};
use crate::handles::access::{Access, Writable};
use crate::handles::{Local, PlaceRef, Read, Receiver, Slice, Write, split_out_of_bounds};
use crate::types::DeviceType;

type Len = Returned<MethodKey<{ Method::Len as usize }>, usize>;
type IsEmpty = Returned<MethodKey<{ Method::IsEmpty as usize }>, bool>;
type SplitAt<'k, T> = Returned<MethodKey<{ Method::SplitAt as usize }>, (Slice<'k, T, Read>, Slice<'k, T, Read>)>;
type SplitAtMut<'k, T> =
    Returned<MethodKey<{ Method::SplitAtMut as usize }>, (Slice<'k, T, Write>, Slice<'k, T, Write>)>;

impl<'k, T: DeviceType, M: Access> Slice<'k, T, M> {
    /// `x.len()`
    #[inline(always)]
    pub fn __device_len(self, _call: Call<'_>, (): ()) -> Len {
        Returned::new(self.count())
    }

    /// `x.is_empty()`
    #[inline(always)]
    pub fn __device_is_empty(self, _call: Call<'_>, (): ()) -> IsEmpty {
        Returned::new(self.count() == 0)
    }

    /// `x.split_at(mid)`
    #[inline(always)]
    pub fn __device_split_at(self, call: Call<'_>, (mid,): (usize,)) -> SplitAt<'k, T> {
        let (start, end) = self.split(mid).unwrap_or_else(|| split_out_of_bounds(call.at));
        Returned::new((start.read(), end.read()))
    }

    /// `x.split_at_mut(mid)`
    #[inline(always)]
    pub fn __device_split_at_mut(self, call: Call<'_>, (mid,): (usize,)) -> SplitAtMut<'k, T>
    where
        M: Writable,
    {
        let (start, end) = self.split(mid).unwrap_or_else(|| split_out_of_bounds(call.at));
        Returned::new((start.write(), end.write()))
    }
}

/// Copies of elements, by definitions in `methods::element`.
impl<T: DeviceType, M: Access> Slice<'_, T, M> {
    /// `x.get(i).copied()`
    #[inline(always)]
    pub fn __device_get_copied(self, call: Call<'_>, (i,): (usize,)) -> Returned<key!(T, [element::get]), Option<T>> {
        Returned::new((i < self.count()).then(|| self.element(i, call.at).get()))
    }

    /// `x.first().copied()`
    #[inline(always)]
    pub fn __device_first_copied(self, call: Call<'_>, (): ()) -> Returned<key!(T, [element::first]), Option<T>> {
        Returned::new((self.count() > 0).then(|| self.element(0, call.at).get()))
    }

    /// `x.last().copied()`
    #[inline(always)]
    pub fn __device_last_copied(self, call: Call<'_>, (): ()) -> Returned<key!(T, [element::last]), Option<T>> {
        Returned::new(self.count().checked_sub(1).map(|last| self.element(last, call.at).get()))
    }
}

/// The methods that modify the elements, by definitions in `methods::slice`.
impl<T: DeviceType, M: Access> Slice<'_, T, M> {
    /// `x.swap(a, b)`
    #[inline(always)]
    pub fn __device_swap(self, call: Call<'_>, (a, b): (usize, usize)) -> Returned<key!(T, [slice::swap]), ()>
    where
        M: Writable,
    {
        let (first, second) = (self.element(a, call.at), self.element(b, call.at));
        let value = first.get();
        first.set(second.get());
        second.set(value);
        Returned::new(())
    }

    /// `x.fill(value)`
    #[inline(always)]
    pub fn __device_fill(self, _call: Call<'_>, (value,): (T,)) -> Returned<key!(T, [slice::fill]), ()>
    where
        M: Writable,
    {
        self.__elements_mut().for_each(|element| element.set(value));
        Returned::new(())
    }

    /// `x.reverse()`
    #[inline(always)]
    pub fn __device_reverse(self, call: Call<'_>, (): ()) -> Returned<key!(T, [slice::reverse]), ()>
    where
        M: Writable,
    {
        for i in 0..self.count() / 2 {
            self.__device_swap(call, (i, self.count() - 1 - i));
        }
        Returned::new(())
    }
}

impl<T: DeviceType> Slice<'_, T, Read> {
    /// `x.clone()`: copies the reference
    #[inline(always)]
    pub fn __device_clone(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Clone as usize }>, Self> {
        Returned::new(self)
    }
}

/// Implements the methods for a place of an array, and for its receiver in an index expression: these need no copy of
/// the elements.
macro_rules! places {
    ($($place:ident),*) => {$(
        impl<'k, T: DeviceType, const N: usize, M: Access> $place<'k, [T; N], M> {
            /// `x.len()`
            #[inline(always)]
            pub fn __device_len(self, _call: Call<'_>, (): ()) -> Len {
                Returned::new(N)
            }

            /// `x.is_empty()`
            #[inline(always)]
            pub fn __device_is_empty(self, _call: Call<'_>, (): ()) -> IsEmpty {
                Returned::new(N == 0)
            }

            /// `x.split_at(mid)`
            #[inline(always)]
            pub fn __device_split_at(self, call: Call<'_>, (mid,): (usize,)) -> SplitAt<'k, T> {
                self.as_slice().__device_split_at(call, (mid,))
            }

            /// `x.split_at_mut(mid)`
            #[inline(always)]
            pub fn __device_split_at_mut(self, call: Call<'_>, (mid,): (usize,)) -> SplitAtMut<'k, T>
            where
                M: Writable,
            {
                self.as_slice().__device_split_at_mut(call, (mid,))
            }
        }

        impl<'k, T: DeviceType, const N: usize, M: Access> Receiver<'k, $place<'k, [T; N], M>> {
            /// `x[i].len()`
            #[inline(always)]
            pub fn __device_len(&self, call: Call<'_>, (): ()) -> Len {
                self.handle().__device_len(call, ())
            }

            /// `x[i].is_empty()`
            #[inline(always)]
            pub fn __device_is_empty(&self, call: Call<'_>, (): ()) -> IsEmpty {
                self.handle().__device_is_empty(call, ())
            }

            /// `x[i].split_at(mid)`
            #[inline(always)]
            pub fn __device_split_at(&self, call: Call<'_>, (mid,): (usize,)) -> SplitAt<'k, T> {
                self.handle().__device_split_at(call, (mid,))
            }

            /// `x[i].split_at_mut(mid)`
            #[inline(always)]
            pub fn __device_split_at_mut(&self, call: Call<'_>, (mid,): (usize,)) -> SplitAtMut<'k, T>
            where
                M: Writable,
            {
                self.handle().__device_split_at_mut(call, (mid,))
            }
        }
    )*};
}

places!(PlaceRef, Local);

/// The methods of local arrays, and of arrays in memory if the method is called by path.
pub trait ArrayMethods<T> {
    /// `x.len()`
    fn __device_len(&self, call: Call<'_>, _: ()) -> Len;

    /// `x.is_empty()`
    fn __device_is_empty(&self, call: Call<'_>, _: ()) -> IsEmpty;

    /// `x.split_at(mid)`
    fn __device_split_at<'k>(&'k self, call: Call<'k>, _: (usize,)) -> SplitAt<'k, T>
    where
        T: DeviceType;

    /// `x.split_at_mut(mid)`
    fn __device_split_at_mut<'k>(&'k mut self, call: Call<'k>, _: (usize,)) -> SplitAtMut<'k, T>
    where
        T: DeviceType;

    /// `x.get(i).copied()`
    fn __device_get_copied<'k>(&'k self, call: Call<'k>, _: (usize,)) -> Returned<key!(T, [element::get]), Option<T>>
    where
        T: DeviceType;

    /// `x.first().copied()`
    fn __device_first_copied<'k>(&'k self, call: Call<'k>, _: ()) -> Returned<key!(T, [element::first]), Option<T>>
    where
        T: DeviceType;

    /// `x.last().copied()`
    fn __device_last_copied<'k>(&'k self, call: Call<'k>, _: ()) -> Returned<key!(T, [element::last]), Option<T>>
    where
        T: DeviceType;

    /// `x.swap(a, b)`
    fn __device_swap<'k>(&'k mut self, call: Call<'k>, _: (usize, usize)) -> Returned<key!(T, [slice::swap]), ()>
    where
        T: DeviceType;

    /// `x.fill(value)`
    fn __device_fill<'k>(&'k mut self, call: Call<'k>, _: (T,)) -> Returned<key!(T, [slice::fill]), ()>
    where
        T: DeviceType;

    /// `x.reverse()`
    fn __device_reverse<'k>(&'k mut self, call: Call<'k>, _: ()) -> Returned<key!(T, [slice::reverse]), ()>
    where
        T: DeviceType;
}

impl<T: Copy, const N: usize> ArrayMethods<T> for [T; N] {
    #[inline(always)]
    fn __device_len(&self, _call: Call<'_>, (): ()) -> Len {
        Returned::new(N)
    }

    #[inline(always)]
    fn __device_is_empty(&self, _call: Call<'_>, (): ()) -> IsEmpty {
        Returned::new(N == 0)
    }

    #[inline(always)]
    fn __device_split_at<'k>(&'k self, call: Call<'k>, (mid,): (usize,)) -> SplitAt<'k, T>
    where
        T: DeviceType,
    {
        PlaceRef::of_receiver(self, call).__device_split_at(call, (mid,))
    }

    #[inline(always)]
    fn __device_split_at_mut<'k>(&'k mut self, call: Call<'k>, (mid,): (usize,)) -> SplitAtMut<'k, T>
    where
        T: DeviceType,
    {
        PlaceRef::of_receiver_mut(self, call).__device_split_at_mut(call, (mid,))
    }

    #[inline(always)]
    fn __device_get_copied<'k>(&'k self, call: Call<'k>, (i,): (usize,)) -> Returned<key!(T, [element::get]), Option<T>>
    where
        T: DeviceType,
    {
        PlaceRef::of_receiver(self, call).as_slice().__device_get_copied(call, (i,))
    }

    #[inline(always)]
    fn __device_first_copied<'k>(&'k self, call: Call<'k>, (): ()) -> Returned<key!(T, [element::first]), Option<T>>
    where
        T: DeviceType,
    {
        PlaceRef::of_receiver(self, call).as_slice().__device_first_copied(call, ())
    }

    #[inline(always)]
    fn __device_last_copied<'k>(&'k self, call: Call<'k>, (): ()) -> Returned<key!(T, [element::last]), Option<T>>
    where
        T: DeviceType,
    {
        PlaceRef::of_receiver(self, call).as_slice().__device_last_copied(call, ())
    }

    #[inline(always)]
    fn __device_swap<'k>(&'k mut self, call: Call<'k>, (a, b): (usize, usize)) -> Returned<key!(T, [slice::swap]), ()>
    where
        T: DeviceType,
    {
        PlaceRef::of_receiver_mut(self, call).as_slice().__device_swap(call, (a, b))
    }

    #[inline(always)]
    fn __device_fill<'k>(&'k mut self, call: Call<'k>, (value,): (T,)) -> Returned<key!(T, [slice::fill]), ()>
    where
        T: DeviceType,
    {
        PlaceRef::of_receiver_mut(self, call).as_slice().__device_fill(call, (value,))
    }

    #[inline(always)]
    fn __device_reverse<'k>(&'k mut self, call: Call<'k>, (): ()) -> Returned<key!(T, [slice::reverse]), ()>
    where
        T: DeviceType,
    {
        PlaceRef::of_receiver_mut(self, call).as_slice().__device_reverse(call, ())
    }
}

/// A sub-slice of a local array as a receiver: `x[a..b].len()`.
impl<T: DeviceType> ArrayMethods<T> for [T] {
    #[inline(always)]
    fn __device_len(&self, _call: Call<'_>, (): ()) -> Len {
        Returned::new(self.len())
    }

    #[inline(always)]
    fn __device_is_empty(&self, _call: Call<'_>, (): ()) -> IsEmpty {
        Returned::new(self.is_empty())
    }

    #[inline(always)]
    fn __device_split_at<'k>(&'k self, call: Call<'k>, (mid,): (usize,)) -> SplitAt<'k, T> {
        Slice::<T, Read>::from_host(self).__device_split_at(call, (mid,))
    }

    #[inline(always)]
    fn __device_split_at_mut<'k>(&'k mut self, call: Call<'k>, (mid,): (usize,)) -> SplitAtMut<'k, T> {
        Slice::<T, Write>::from_host_mut(self).__device_split_at_mut(call, (mid,))
    }

    #[inline(always)]
    fn __device_get_copied<'k>(
        &'k self,
        call: Call<'k>,
        (i,): (usize,),
    ) -> Returned<key!(T, [element::get]), Option<T>> {
        Slice::<T, Read>::from_host(self).__device_get_copied(call, (i,))
    }

    #[inline(always)]
    fn __device_first_copied<'k>(&'k self, call: Call<'k>, (): ()) -> Returned<key!(T, [element::first]), Option<T>> {
        Slice::<T, Read>::from_host(self).__device_first_copied(call, ())
    }

    #[inline(always)]
    fn __device_last_copied<'k>(&'k self, call: Call<'k>, (): ()) -> Returned<key!(T, [element::last]), Option<T>> {
        Slice::<T, Read>::from_host(self).__device_last_copied(call, ())
    }

    #[inline(always)]
    fn __device_swap<'k>(&'k mut self, call: Call<'k>, (a, b): (usize, usize)) -> Returned<key!(T, [slice::swap]), ()> {
        Slice::<T, Write>::from_host_mut(self).__device_swap(call, (a, b))
    }

    #[inline(always)]
    fn __device_fill<'k>(&'k mut self, call: Call<'k>, (value,): (T,)) -> Returned<key!(T, [slice::fill]), ()> {
        Slice::<T, Write>::from_host_mut(self).__device_fill(call, (value,))
    }

    #[inline(always)]
    fn __device_reverse<'k>(&'k mut self, call: Call<'k>, (): ()) -> Returned<key!(T, [slice::reverse]), ()> {
        Slice::<T, Write>::from_host_mut(self).__device_reverse(call, ())
    }
}

/// The methods of this module.
#[cfg(test)]
pub(super) const METHODS: &[Method] = &[Method::Len, Method::IsEmpty, Method::SplitAt, Method::SplitAtMut];
