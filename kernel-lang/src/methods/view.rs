//! Methods of views.

use cumbia_kernel_ir::Method;

use crate::cpu::{Call, Location, fault};
use crate::definition::{MethodKey, Returned};
use crate::handles::access::{Access, Writable};
use crate::handles::{Read, Slice, View, Write};
use crate::types::DeviceType;

impl<'k, T: DeviceType, const D: usize, M: Access> View<'k, T, D, M> {
    /// `v.len()`: the number of all elements.
    #[inline(always)]
    pub fn __device_len(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Len as usize }>, usize> {
        // The elements are in memory, so that their number cannot overflow. If a length is 0, the product of the others
        // may overflow, but the result is 0 nevertheless.
        Returned::new(self.shape().into_iter().fold(1, usize::wrapping_mul))
    }

    /// `v.is_empty()`
    #[inline(always)]
    pub fn __device_is_empty(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::IsEmpty as usize }>, bool> {
        Returned::new(self.shape().contains(&0))
    }

    /// `v.shape()`
    #[inline(always)]
    pub fn __device_shape(
        self,
        _call: Call<'_>,
        (): (),
    ) -> Returned<MethodKey<{ Method::Shape as usize }>, [usize; D]> {
        Returned::new(self.shape())
    }

    /// `v.t()`
    #[inline(always)]
    pub fn __device_t(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Transposed as usize }>, Self> {
        Returned::new(self.transposed())
    }

    /// `v.is_standard_layout()`
    #[inline(always)]
    pub fn __device_is_standard_layout(
        self,
        _call: Call<'_>,
        (): (),
    ) -> Returned<MethodKey<{ Method::IsStandardLayout as usize }>, bool> {
        Returned::new(self.is_contiguous())
    }

    /// Returns the elements as a slice; faults if they are not contiguous.
    #[inline(always)]
    fn slice(self, at: &'static Location) -> Slice<'k, T, M> {
        self.to_slice().unwrap_or_else(|| fault::panic(at, &"called `Option::unwrap()` on a `None` value"))
    }

    /// `v.as_slice().unwrap()`
    #[inline(always)]
    pub fn __device_as_slice_unwrapped(
        self,
        call: Call<'_>,
        (): (),
    ) -> Returned<MethodKey<{ Method::AsSlice as usize }>, Slice<'k, T, Read>> {
        Returned::new(self.slice(call.at).read())
    }

    /// `v.as_slice_mut().unwrap()`
    #[inline(always)]
    pub fn __device_as_slice_mut_unwrapped(
        self,
        call: Call<'_>,
        (): (),
    ) -> Returned<MethodKey<{ Method::AsSliceMut as usize }>, Slice<'k, T, Write>>
    where
        M: Writable,
    {
        Returned::new(self.slice(call.at).write())
    }
}

impl<T: DeviceType, const D: usize> View<'_, T, D, Read> {
    /// `v.clone()`: copies the view, not its elements
    #[inline(always)]
    pub fn __device_clone(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Clone as usize }>, Self> {
        Returned::new(self)
    }
}

/// Implements `v.dim()`, whose type depends on the number of dimensions.
macro_rules! dim {
    ($($dimensions:literal [$($name:ident),*] $result:ty = $value:expr;)*) => {$(
        impl<T: DeviceType, M: Access> View<'_, T, $dimensions, M> {
            /// `v.dim()`
            #[inline(always)]
            pub fn __device_dim(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Dim as usize }>, $result> {
                let [$($name),*] = self.shape();
                Returned::new($value)
            }
        }
    )*};
}

dim! {
    1 [len] usize = len;
    2 [rows, columns] (usize, usize) = (rows, columns);
    3 [planes, rows, columns] (usize, usize, usize) = (planes, rows, columns);
    4 [volumes, planes, rows, columns] (usize, usize, usize, usize) = (volumes, planes, rows, columns);
}

impl<T: DeviceType, M: Access> View<'_, T, 2, M> {
    /// `v.nrows()`
    #[inline(always)]
    pub fn __device_nrows(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Nrows as usize }>, usize> {
        Returned::new(self.shape()[0])
    }

    /// `v.ncols()`
    #[inline(always)]
    pub fn __device_ncols(self, _call: Call<'_>, (): ()) -> Returned<MethodKey<{ Method::Ncols as usize }>, usize> {
        Returned::new(self.shape()[1])
    }
}

/// Implements the views of one dimension less: the method, its mutable form, and the dimension that is indexed.
macro_rules! parts {
    ($($dimensions:literal $axis:literal: $name:ident $key:ident, $name_mut:ident $key_mut:ident;)*) => {$(
        impl<'k, T: DeviceType, M: Access> View<'k, T, $dimensions, M> {
            /// Returns the remaining view at the index.
            #[inline(always)]
            pub fn $name(self, call: Call<'_>, (index,): (usize,)) -> Returned<MethodKey<{ Method::$key as usize }>, View<'k, T, { $dimensions - 1 }, Read>> {
                Returned::new(self.with_index::<{ $dimensions - 1 }>($axis, index, call.at).read())
            }

            /// Returns the remaining view at the index, writable.
            #[inline(always)]
            pub fn $name_mut(self, call: Call<'_>, (index,): (usize,)) -> Returned<MethodKey<{ Method::$key_mut as usize }>, View<'k, T, { $dimensions - 1 }, Write>>
            where
                M: Writable,
            {
                Returned::new(self.with_index::<{ $dimensions - 1 }>($axis, index, call.at).write())
            }
        }
    )*};
}

parts! {
    2 0: __device_row Row, __device_row_mut RowMut;
    2 1: __device_column Column, __device_column_mut ColumnMut;
    3 0: __device_plane Plane, __device_plane_mut PlaneMut;
    4 0: __device_volume Volume, __device_volume_mut VolumeMut;
}

/// The methods of this module.
#[cfg(test)]
pub(super) const METHODS: &[Method] = &[
    Method::Nrows,
    Method::Ncols,
    Method::Shape,
    Method::Dim,
    Method::Row,
    Method::RowMut,
    Method::Column,
    Method::ColumnMut,
    Method::Plane,
    Method::PlaneMut,
    Method::Volume,
    Method::VolumeMut,
    Method::Transposed,
    Method::IsStandardLayout,
    Method::AsSlice,
    Method::AsSliceMut,
];
