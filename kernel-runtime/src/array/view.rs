//! Views of device arrays in zero to four dimensions.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Range, RangeBounds};

use crate::array::shape::{self, Shape};
use crate::array::{DeviceArray, DeviceSlice, inside};
use crate::device::Device;
use crate::error::{DeviceName, Result, ShapeError};
use crate::handles::access::{Access, Read, Writable, Write};
use crate::memory::{Memory, no_room};
use crate::types::{DeviceType, make_valid};

/// A view of elements of a [`DeviceArray`] in `D` dimensions, in row-major order unless transposed: accepted for a
/// kernel's `ArrayView2<T>` and similar parameters.
///
/// [`DeviceArray::reshape`] creates one; rows, columns and ranges of it are views as well, and nothing is copied. The
/// marker `M` tells whether the view is mutable: programs use the names [`ArrayView0`] to [`ArrayView4`] and
/// [`ArrayViewMut0`] to [`ArrayViewMut4`].
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn add_to_rows(mut matrix: ArrayViewMut2<f32>, row: ArrayView1<f32>) {
///     let (column, line) = grid(2);
///     if line < matrix.nrows() && column < matrix.ncols() {
///         matrix[[line, column]] += row[column];
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let mut numbers = device.to_device(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let more = device.to_device(&[10.0, 20.0, 30.0, 40.0])?;
/// let matrix = numbers.reshape_mut((2, 3))?;
/// let column = more.reshape((2, 2))?.column(1)?; // 20 and 40
/// add_to_rows(matrix.slice(.., 1..)?, column).over((2, 2)).launch()?;
/// assert_eq!(numbers.to_host()?, [1.0, 22.0, 43.0, 4.0, 25.0, 46.0]);
/// # Ok(())
/// # }
/// ```
pub struct ArrayView<'a, T, const D: usize, M = Read> {
    memory: &'a Memory,
    /// The first element; a device address on a GPU. In bounds of the array, or one past its end, if the view is empty.
    pointer: *mut T,
    shape: [usize; D],
    /// The distance between neighbours in each dimension, in elements.
    strides: [usize; D],
    array: PhantomData<(&'a T, M)>,
}

/// A view of a single element, indexed by `a[[]]`.
pub type ArrayView0<'a, T> = ArrayView<'a, T, 0, Read>;
/// A one-dimensional view: a row or a column.
pub type ArrayView1<'a, T> = ArrayView<'a, T, 1, Read>;
/// A two-dimensional view: a matrix.
pub type ArrayView2<'a, T> = ArrayView<'a, T, 2, Read>;
/// A three-dimensional view: planes of matrices.
pub type ArrayView3<'a, T> = ArrayView<'a, T, 3, Read>;
/// A four-dimensional view: volumes of planes of matrices.
pub type ArrayView4<'a, T> = ArrayView<'a, T, 4, Read>;
/// A mutable [`ArrayView0`].
pub type ArrayViewMut0<'a, T> = ArrayView<'a, T, 0, Write>;
/// A mutable [`ArrayView1`].
pub type ArrayViewMut1<'a, T> = ArrayView<'a, T, 1, Write>;
/// A mutable [`ArrayView2`].
pub type ArrayViewMut2<'a, T> = ArrayView<'a, T, 2, Write>;
/// A mutable [`ArrayView3`].
pub type ArrayViewMut3<'a, T> = ArrayView<'a, T, 3, Write>;
/// A mutable [`ArrayView4`].
pub type ArrayViewMut4<'a, T> = ArrayView<'a, T, 4, Write>;

impl<T, const D: usize> Clone for ArrayView<'_, T, D, Read> {
    fn clone(&self) -> Self {
        *self
    }
}

// A mutable view is not `Copy`: no two of them overlap.
impl<T, const D: usize> Copy for ArrayView<'_, T, D, Read> {}

// SAFETY: a view is a borrow of a `DeviceArray`: shared, or exclusive for a mutable view's elements. The handle of the
// device is `Send`.
unsafe impl<T: Send + Sync, const D: usize, M: Access> Send for ArrayView<'_, T, D, M> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync, const D: usize, M: Access> Sync for ArrayView<'_, T, D, M> {}

impl<T: DeviceType> DeviceArray<T> {
    /// Returns a row-major view in zero to four dimensions: `()`, `len`, `(rows, columns)`, `(planes, rows, columns)` or
    /// `(volumes, planes, rows, columns)`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the product of the lengths is not the length of the array.
    pub fn reshape<const D: usize>(&self, shape: impl Shape<D>) -> Result<ArrayView<'_, T, D, Read>> {
        self.as_slice().reshape(shape)
    }

    /// Like [`DeviceArray::reshape`], for a mutable view.
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::reshape`].
    pub fn reshape_mut<const D: usize>(&mut self, shape: impl Shape<D>) -> Result<ArrayView<'_, T, D, Write>> {
        self.as_slice_mut().reshape(shape)
    }
}

impl<'a, T: DeviceType, M> DeviceSlice<'a, T, M> {
    /// Returns a row-major view in zero to four dimensions, like [`DeviceArray::reshape`].
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::reshape`].
    pub fn reshape<const D: usize>(self, shape: impl Shape<D>) -> Result<ArrayView<'a, T, D, M>> {
        const { assert!(D <= 4, "a view has zero to four dimensions") };
        let shape = shape.lengths();
        shape::check(&shape, self.len())?;
        let (memory, pointer, strides) = (self.memory(), self.pointer(), shape::row_major(&shape));
        Ok(ArrayView { memory, pointer, shape, strides, array: PhantomData })
    }
}

impl<'a, T, const D: usize, M> ArrayView<'a, T, D, M> {
    /// Returns the length of each dimension.
    pub fn shape(&self) -> [usize; D] {
        self.shape
    }

    /// Returns the distance between neighbours in each dimension, in elements.
    pub fn strides(&self) -> [usize; D] {
        self.strides
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        // Cannot overflow, since the elements exist in memory.
        if self.is_empty() { 0 } else { self.shape.iter().product() }
    }

    /// Returns whether the view is empty.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Returns the device of the array.
    pub fn device(&self) -> &'a Device {
        self.memory.device()
    }

    /// Returns the view with its dimensions in reverse order: the transpose of a matrix.
    #[must_use]
    pub fn t(mut self) -> Self {
        self.shape.reverse();
        self.strides.reverse();
        self
    }

    /// Reborrows the view as a shared one.
    pub fn view(&self) -> ArrayView<'_, T, D, Read> {
        let &ArrayView { memory, pointer, shape, strides, array: _ } = self;
        ArrayView { memory, pointer, shape, strides, array: PhantomData }
    }

    /// Returns the view for a shorter time, exclusively borrowed, as `self` is.
    pub(crate) fn lent(&mut self) -> ArrayView<'_, T, D, M> {
        let &mut ArrayView { memory, pointer, shape, strides, array: _ } = self;
        ArrayView { memory, pointer, shape, strides, array: PhantomData }
    }

    /// Reborrows the view mutably.
    pub fn view_mut(&mut self) -> ArrayView<'_, T, D, M>
    where
        M: Writable,
    {
        let &mut ArrayView { memory, pointer, shape, strides, array: _ } = self;
        ArrayView { memory, pointer, shape, strides, array: PhantomData }
    }

    /// Restricts dimension `axis` to the indices in `range`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the range is out of bounds.
    pub fn slice_axis(mut self, axis: usize, range: impl RangeBounds<usize>) -> Result<Self> {
        let len = self.length_of(axis)?;
        let Range { start, end } = inside(range, axis, len)?;
        self.shape[axis] = end - start;
        self.pointer = self.moved(axis, start);
        Ok(self)
    }

    /// Restricts dimension `axis` to every `step`-th index, from the first.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let x = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = x.reshape((2, 3))?;
    /// assert_eq!(matrix.step_axis(1, 2)?.to_host()?, [1, 3, 4, 6]); // ndarray's `s![.., ..;2]`
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the dimension does not exist, or the step is 0.
    pub fn step_axis(mut self, axis: usize, step: usize) -> Result<Self> {
        let len = self.length_of(axis)?;
        if step == 0 {
            return Err(ShapeError::ZeroStep { axis }.into());
        }
        self.shape[axis] = len.div_ceil(step);
        // The stride of a single index is irrelevant, and so are all of an empty view, whose product could overflow.
        if step < len {
            self.strides[axis] = self.strides[axis].saturating_mul(step);
        }
        Ok(self)
    }

    /// Splits the view at `index` of dimension `axis`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `index` is greater than the length of the dimension.
    pub fn split_at(self, axis: usize, index: usize) -> Result<(Self, Self)> {
        let len = self.length_of(axis)?;
        let ArrayView { memory, pointer, shape, strides, array } = self;
        // The halves are disjoint, so both may be mutable if this view is.
        let before = ArrayView { memory, pointer, shape, strides, array }.slice_axis(axis, ..index.min(len))?;
        let after = ArrayView { memory, pointer, shape, strides, array }.slice_axis(axis, index..)?;
        Ok((before, after))
    }

    /// Returns whether the elements are contiguous in row-major order.
    pub fn is_standard_layout(&self) -> bool {
        shape::is_contiguous(&self.shape, &self.strides)
    }

    /// Returns the elements as a slice, for a `&[T]` or `&mut [T]` parameter of a kernel, or `None` if they are not
    /// contiguous in row-major order.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn scale(factor: f32, x: &mut [f32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         x[i] *= factor;
    ///     }
    /// }
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::cpu().to_device(&[1.0, 2.0, 3.0, 4.0])?;
    /// let mut row = x.reshape_mut((2, 2))?.row(1)?.into_slice().expect("rows of an array are contiguous");
    /// scale(10.0, &mut row).over(2).launch()?;
    /// assert_eq!(x.to_host()?, [1.0, 2.0, 30.0, 40.0]);
    /// assert!(x.reshape((2, 2))?.column(1)?.to_slice().is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn into_slice(self) -> Option<DeviceSlice<'a, T, M>> {
        let (contiguous, len) = (self.is_standard_layout(), self.len());
        // SAFETY: the elements are `len` contiguous ones of the memory, borrowed for `'a` as this view borrows them.
        contiguous.then(|| unsafe { DeviceSlice::from_raw(self.memory, self.pointer, len) })
    }

    /// As [`ArrayView::into_slice`], without consuming the view.
    pub fn as_slice(&self) -> Option<DeviceSlice<'_, T, Read>> {
        self.view().into_slice()
    }

    /// As [`ArrayView::into_slice`], mutably and without consuming the view.
    pub fn as_slice_mut(&mut self) -> Option<DeviceSlice<'_, T, M>>
    where
        M: Writable,
    {
        self.view_mut().into_slice()
    }

    /// Fixes the index of dimension `axis`, which removes that dimension.
    fn with_index<const E: usize>(self, axis: usize, index: usize) -> Result<ArrayView<'a, T, E, M>> {
        const { assert!(E + 1 == D, "one dimension less") };
        let len = self.length_of(axis)?;
        if index >= len {
            return Err(ShapeError::Index { index, axis, len }.into());
        }
        let kept = |of: [usize; D]| std::array::from_fn(|i| of[if i < axis { i } else { i + 1 }]);
        let (shape, strides) = (kept(self.shape), kept(self.strides));
        let pointer = self.moved(axis, index);
        Ok(ArrayView { memory: self.memory, pointer, shape, strides, array: PhantomData })
    }

    fn length_of(&self, axis: usize) -> Result<usize> {
        let dimensions = D;
        Ok(*self.shape.get(axis).ok_or(ShapeError::Axis { axis, dimensions })?)
    }

    /// Returns the address of element `index` of a dimension, or that of the first element if the resulting view is
    /// empty. It may be a device address: only computed, never dereferenced.
    fn moved(&self, axis: usize, index: usize) -> *mut T {
        if self.is_empty() { self.pointer } else { self.pointer.wrapping_add(index * self.strides[axis]) }
    }

    /// Returns the memory of the elements.
    pub(crate) fn memory(&self) -> &'a Memory {
        self.memory
    }

    /// Returns the byte range that spans the elements in the memory, including gaps.
    pub(crate) fn bytes(&self) -> Range<usize> {
        let start = self.pointer.addr() - self.memory.pointer().addr();
        start..start + shape::reach(&self.shape, &self.strides) * size_of::<T>()
    }

    /// Returns pointer, shape and strides, as kernel arguments on a GPU.
    pub(crate) fn raw(&self) -> (&*mut T, &[usize; D], &[usize; D]) {
        (&self.pointer, &self.shape, &self.strides)
    }
}

impl<'a, T, const D: usize> ArrayView<'a, T, D, Read> {
    /// As [`ArrayView::into_slice`], of a shared view.
    pub fn to_slice(&self) -> Option<DeviceSlice<'a, T, Read>> {
        self.into_slice()
    }
}

impl<T: DeviceType, const D: usize, M: Access> ArrayView<'_, T, D, M> {
    /// Copies the elements to a vector in row-major order, after all earlier work that writes them.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let x = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?;
    /// let matrix = x.reshape((2, 3))?;
    /// assert_eq!(matrix.column(1)?.to_host()?, [2, 5]);
    /// assert_eq!(matrix.t().to_host()?, [1, 4, 2, 5, 3, 6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`DeviceArray::to_host`].
    pub fn to_host(&self) -> Result<Vec<T>> {
        let len = self.len();
        let mut values: Vec<T> = Vec::new();
        values.try_reserve_exact(len).map_err(|_| no_room::<T>(DeviceName::Host, len))?;
        if shape::is_contiguous(&self.shape, &self.strides) {
            // SAFETY: the vector has capacity for `len` elements, which are exactly these bytes; all of them are
            // written and made valid before its length is set.
            unsafe {
                self.memory.read(None, self.bytes(), values.as_mut_ptr().cast())?;
                make_valid(values.as_mut_ptr(), len);
                values.set_len(len);
            }
            return Ok(values);
        }
        if self.device().is_cpu() {
            // The gaps may be written by another thread concurrently.
            // SAFETY: the range is empty.
            unsafe { self.memory.read(None, 0..0, values.as_mut_ptr().cast()) }?;
            // SAFETY: the elements are in memory of this process, aligned and initialised. They are borrowed, so
            // nothing writes them.
            values.extend(self.offsets().map(|offset| unsafe { T::__load(self.pointer.add(offset)) }));
            return Ok(values);
        }
        let bytes = self.bytes();
        let reach = bytes.len() / size_of::<T>().max(1);
        let mut span: Vec<T> = Vec::new();
        span.try_reserve_exact(reach).map_err(|_| no_room::<T>(DeviceName::Host, reach))?;
        // SAFETY: the vector has capacity for the whole span from the first to the last element; its bytes are
        // initialised, and `load` makes valid values of them.
        unsafe {
            self.memory.read(None, bytes, span.as_mut_ptr().cast())?;
            values.extend(self.offsets().map(|offset| T::__load(span.as_mut_ptr().add(offset))));
        }
        Ok(values)
    }

    /// Returns the offsets of the elements from the first one, in row-major order.
    fn offsets(&self) -> impl Iterator<Item = usize> {
        let (shape, strides) = (self.shape, self.strides);
        (0..self.len()).map(move |mut index| {
            let mut offset = 0;
            for (len, stride) in shape.iter().zip(&strides).rev() {
                offset += index % len * stride;
                index /= len;
            }
            offset
        })
    }
}

impl<T, M> ArrayView<'_, T, 1, M> {
    /// Restricts the view to the indices in a range.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the range is out of bounds.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        self.slice_axis(0, range)
    }

    /// Restricts the view to every `step`-th element, from the first.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let x = Device::cpu().to_device(&[0, 1, 2, 3, 4, 5, 6, 7])?;
    /// assert_eq!(x.reshape(8)?.slice(1..)?.step(3)?.to_host()?, [1, 4, 7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if the step is 0.
    pub fn step(self, step: usize) -> Result<Self> {
        self.step_axis(0, step)
    }
}

impl<'a, T, M> ArrayView<'a, T, 2, M> {
    /// Returns the number of rows.
    pub fn nrows(&self) -> usize {
        self.shape[0]
    }

    /// Returns the number of columns.
    pub fn ncols(&self) -> usize {
        self.shape[1]
    }

    /// Returns the rows and columns with these indices: `matrix.slice(1..3, ..)`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if a range is out of bounds.
    pub fn slice(self, rows: impl RangeBounds<usize>, columns: impl RangeBounds<usize>) -> Result<Self> {
        self.slice_axis(0, rows)?.slice_axis(1, columns)
    }

    /// Returns row `index`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `index` is out of bounds.
    pub fn row(self, index: usize) -> Result<ArrayView<'a, T, 1, M>> {
        self.with_index(0, index)
    }

    /// Returns column `index`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `index` is out of bounds.
    pub fn column(self, index: usize) -> Result<ArrayView<'a, T, 1, M>> {
        self.with_index(1, index)
    }
}

impl<'a, T, M> ArrayView<'a, T, 3, M> {
    /// Returns the planes, rows and columns with these indices.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if a range is out of bounds.
    pub fn slice(
        self,
        planes: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        columns: impl RangeBounds<usize>,
    ) -> Result<Self> {
        self.slice_axis(0, planes)?.slice_axis(1, rows)?.slice_axis(2, columns)
    }

    /// Returns plane `index`: the elements with this first index.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `index` is out of bounds.
    pub fn plane(self, index: usize) -> Result<ArrayView<'a, T, 2, M>> {
        self.with_index(0, index)
    }
}

impl<'a, T, M> ArrayView<'a, T, 4, M> {
    /// Returns the volumes, planes, rows and columns with these indices.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if a range is out of bounds.
    pub fn slice(
        self,
        volumes: impl RangeBounds<usize>,
        planes: impl RangeBounds<usize>,
        rows: impl RangeBounds<usize>,
        columns: impl RangeBounds<usize>,
    ) -> Result<Self> {
        self.slice_axis(0, volumes)?.slice_axis(1, planes)?.slice_axis(2, rows)?.slice_axis(3, columns)
    }

    /// Returns volume `index`: the elements with this first index.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`](crate::Error::Shape) if `index` is out of bounds.
    pub fn volume(self, index: usize) -> Result<ArrayView<'a, T, 3, M>> {
        self.with_index(0, index)
    }
}

impl<T, const D: usize, M> fmt::Debug for ArrayView<'_, T, D, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArrayView { memory, pointer: _, shape, strides, array: _ } = self;
        write!(
            f,
            "ArrayView<{}>(shape {shape:?}, strides {strides:?}, on {})",
            std::any::type_name::<T>(),
            memory.device()
        )
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Bound;

    use super::*;
    use crate::argument::{ReadView as _, WriteView, host_view};
    use crate::cpu::{Cx, Location};
    use crate::definition::MethodResult as _;

    static AT: Location = Location { file: "kernel.rs", line: 1, column: 1, id: 0 };

    fn numbers(len: i32) -> DeviceArray<i32> {
        Device::cpu().to_device(&(0..len).collect::<Vec<_>>()).unwrap()
    }

    /// Returns all elements of a matrix, by their indices.
    fn rows<M: Access>(view: &ArrayView<'_, i32, 2, M>) -> Vec<Vec<i32>> {
        let elements = host_view(view.bind());
        let [rows, columns] = view.shape();
        Cx::host(|cx| (0..rows).map(|i| (0..columns).map(|j| elements.at(cx, [i, j], &AT).get()).collect()).collect())
    }

    #[test]
    fn the_last_dimension_varies_fastest() {
        let array = numbers(24);
        let matrix = array.reshape((4, 6)).unwrap();
        assert_eq!(matrix.strides(), [6, 1]);
        assert_eq!(rows(&matrix)[1], [6, 7, 8, 9, 10, 11]);
        assert_eq!((matrix.nrows(), matrix.ncols(), matrix.len()), (4, 6, 24));
        let cube = array.reshape((2, 3, 4)).unwrap();
        assert_eq!(cube.strides(), [12, 4, 1]);
        assert_eq!(rows(&cube.plane(1).unwrap())[2], [20, 21, 22, 23]);
        assert_eq!(array.reshape([24]).unwrap().strides(), [1]);
    }

    #[test]
    fn subviews_are_views() {
        let array = numbers(12);
        let matrix = array.reshape((3, 4)).unwrap();
        assert_eq!(rows(&matrix.slice(1.., 1..=2).unwrap()), [[5, 6], [9, 10]]);
        assert_eq!(rows(&matrix.t())[3], [3, 7, 11]);
        let column = matrix.column(2).unwrap();
        assert_eq!((column.shape(), column.strides()), ([3], [4]));
        assert_eq!(matrix.t().row(2).unwrap().strides(), [4]);
        let (left, right) = matrix.split_at(1, 3).unwrap();
        assert_eq!((left.shape(), rows(&right)), ([3, 3], vec![vec![3], vec![7], vec![11]]));
        assert_eq!(rows(&matrix.slice(2..2, ..).unwrap()), Vec::<Vec<i32>>::new());
    }

    #[test]
    fn views_are_copied_to_the_host() {
        let array = numbers(24);
        let cube = array.reshape((2, 3, 4)).unwrap();
        assert_eq!(cube.to_host().unwrap(), array.to_host().unwrap());
        let part = cube.slice(.., 1.., 2..3).unwrap();
        let is_contiguous = shape::is_contiguous(&part.shape, &part.strides);
        assert_eq!((is_contiguous, part.to_host().unwrap()), (false, vec![6, 10, 18, 22]));
        assert_eq!(cube.plane(1).unwrap().to_host().unwrap(), (12..24).collect::<Vec<_>>());
        assert!(cube.slice(.., .., 4..).unwrap().to_host().unwrap().is_empty());
        let row = cube.slice(1.., 2.., 1..).unwrap();
        assert!(shape::is_contiguous(&row.shape, &row.strides));
    }

    #[test]
    fn out_of_bounds_indices_are_errors() {
        let array = numbers(12);
        let error = array.reshape((3, 5)).unwrap_err();
        assert!(error.to_string().starts_with("cannot reshape 12 elements to (3, 5)\n"), "{error}");
        assert!(array.reshape((usize::MAX, 2)).is_err());
        let matrix = array.reshape((3, 4)).unwrap();
        assert_eq!(matrix.row(3).unwrap_err().to_string(), "index 3 out of bounds for dimension 0 of length 3");
        assert!(
            matrix.slice(.., 2..5).is_err() && matrix.slice_axis(0, (Bound::Included(2), Bound::Excluded(1))).is_err()
        );
        assert!(matrix.slice_axis(2, ..).is_err() && matrix.split_at(0, 4).is_err());
        assert!(matrix.slice_axis(0, ..=usize::MAX).is_err());
    }

    #[test]
    fn empty_shapes_are_supported() {
        let array = numbers(0);
        let matrix = array.reshape((0, usize::MAX)).unwrap();
        assert_eq!((matrix.is_empty(), matrix.len()), (true, 0));
        assert!(matrix.column(7).unwrap().is_empty());
        assert!(array.reshape((3, 0)).unwrap().row(2).unwrap().is_empty());
    }

    #[test]
    fn writes_through_views_reach_the_array() {
        let mut array = numbers(6);
        let mut matrix = array.reshape_mut((2, 3)).unwrap();
        Cx::host(|cx| host_view(WriteView::bind(matrix.view_mut().t())).at_mut(cx, [2, 1], &AT).set(50));
        let (_, column) = matrix.split_at(1, 2).unwrap();
        Cx::host(|cx| {
            let column = host_view(WriteView::bind(column));
            for place in column.__device_column_mut(cx.call(&AT), (0,)).value().__elements_mut() {
                place.set(place.get() + 1);
            }
        });
        assert_eq!(array.to_host().unwrap(), [0, 1, 3, 3, 4, 51]);
    }
}
