//! The arrays between which the passes of a sort move elements of one kind.

use cumbia::{DeviceSlice, DeviceSliceMut, DeviceType, Result};

use crate::queue::Queue;

/// An array that is sorted, and temporary memory of its length. The passes write them in turn, the last one the array itself.
pub(super) struct Buffers<'a, T> {
    /// The elements to sort, if they are not in `array`.
    pub(super) source: Option<DeviceSlice<'a, T>>,
    pub(super) array: DeviceSliceMut<'a, T>,
    pub(super) other: DeviceSliceMut<'a, T>,
    /// The number of passes.
    pub(super) passes: usize,
}

impl<T: DeviceType> Buffers<'_, T> {
    /// Copies the elements if the first pass would overwrite what it reads.
    pub(super) fn begin(&mut self, queue: &mut Queue<'_, '_>) -> Result<()> {
        if self.source.is_none() && self.passes % 2 == 1 && !self.array.is_empty() {
            queue.copy(&self.array.as_slice(), &mut self.other)?;
        }
        Ok(())
    }

    /// Returns what a pass reads, and what it writes.
    pub(super) fn of_pass(&mut self, pass: usize) -> (DeviceSlice<'_, T>, DeviceSliceMut<'_, T>) {
        let (from, to) = if (self.passes - pass) % 2 == 1 {
            (self.other.as_slice(), self.array.as_slice_mut())
        } else {
            (self.array.as_slice(), self.other.as_slice_mut())
        };
        (self.source.filter(|_| pass == 0).unwrap_or(from), to)
    }
}
