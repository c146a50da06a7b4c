//! The arrays that algorithms take.

use cumbia::access::{Access, Write};
use cumbia::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType};

/// An array that an algorithm reads: a [`DeviceArray`] or a [`DeviceSlice`].
pub trait Input {
    /// The element type.
    type Element: DeviceType;

    /// Borrows the elements.
    fn elements(&self) -> DeviceSlice<'_, Self::Element>;
}

/// An array that an algorithm writes: a [`DeviceArray`] or a [`DeviceSliceMut`].
pub trait Output {
    /// The element type.
    type Element: DeviceType;

    /// Borrows the elements.
    fn elements_mut(&mut self) -> DeviceSliceMut<'_, Self::Element>;
}

impl<T: DeviceType> Input for DeviceArray<T> {
    type Element = T;

    fn elements(&self) -> DeviceSlice<'_, T> {
        self.as_slice()
    }
}

impl<T: DeviceType, M: Access> Input for DeviceSlice<'_, T, M> {
    type Element = T;

    fn elements(&self) -> DeviceSlice<'_, T> {
        self.as_slice()
    }
}

impl<T: DeviceType> Output for DeviceArray<T> {
    type Element = T;

    fn elements_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.as_slice_mut()
    }
}

impl<T: DeviceType> Output for DeviceSlice<'_, T, Write> {
    type Element = T;

    fn elements_mut(&mut self) -> DeviceSliceMut<'_, T> {
        self.as_slice_mut()
    }
}
