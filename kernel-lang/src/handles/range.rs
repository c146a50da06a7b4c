//! Bounds checks of slice ranges, with Rust's own messages.

use std::ops::{Bound, Range, RangeBounds};

use crate::cpu::{Cx, Location, fault};
use crate::types::DeviceType;

/// Returns the indices that `range` selects in a slice of `len` elements; faults if they are out of bounds.
#[inline(always)]
pub(super) fn resolve(range: &impl RangeBounds<usize>, len: usize, at: &'static Location) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        // The element after the last one, if there is one. Otherwise the message must name the last one.
        Bound::Included(&last) if last < len => last + 1,
        Bound::Included(&last) => out_of_bounds(start, last, len, at),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    if start > end || end > len {
        out_of_bounds(start, end, len, at);
    }
    start..end
}

/// The length of an array in a variable, which rustc infers without a borrow.
#[derive(Clone, Copy)]
pub struct LengthOf<const N: usize>(());

impl<const N: usize> LengthOf<N> {
    /// A length that is not known yet.
    #[inline(always)]
    #[allow(clippy::new_without_default, reason = "only the macro makes lengths")]
    pub const fn new() -> Self {
        LengthOf(())
    }

    /// Infers the length. Sub-slices have device types as elements.
    #[inline(always)]
    pub fn of<T: DeviceType>(self, _: &[T; N]) {}
}

impl Cx<'_> {
    /// Returns the indices that `range` selects in an array in a variable; faults if they are out of bounds.
    #[inline(always)]
    pub fn range<const N: usize>(
        self,
        _length: LengthOf<N>,
        range: impl RangeBounds<usize>,
        at: &'static Location,
    ) -> Range<usize> {
        resolve(&range, N, at)
    }
}

/// Faults with the message of `slice_index_fail` in the standard library's `core/src/slice/index.rs`.
#[cold]
#[inline(never)]
fn out_of_bounds(start: usize, end: usize, len: usize, at: &'static Location) -> ! {
    if start > len {
        fault::panic(at, &format_args!("range start index {start} out of range for slice of length {len}"))
    } else if start > end && end < len {
        fault::panic(at, &format_args!("slice index starts at {start} but ends at {end}"))
    } else {
        fault::panic(at, &format_args!("range end index {end} out of range for slice of length {len}"))
    }
}

/// Faults as `split_at` does beyond the end of a slice.
#[cold]
#[inline(never)]
pub fn split_out_of_bounds(at: &'static Location) -> ! {
    fault::panic(at, &"mid > len")
}

#[cfg(test)]
mod tests {
    use super::*;

    static AT: Location = Location { file: "kernel.rs", line: 1, column: 2, id: 0 };

    /// Returns the result of Rust for the same range of a slice of 5 elements: the elements, or the message.
    fn rust_result<R: RangeBounds<usize> + std::slice::SliceIndex<[u8], Output = [u8]> + Clone>(range: &R) -> String {
        let slice = [0u8, 1, 2, 3, 4];
        message_of(|| {
            let part = &slice[range.clone()];
            part.first().map_or(String::from("empty"), |first| format!("{first}, {}", part.len()))
        })
    }

    fn message_of(part: impl FnOnce() -> String) -> String {
        fault::install_hook();
        fault::catch(part).unwrap_or_else(|fault| fault.kind.to_string())
    }

    #[track_caller]
    fn check(range: impl RangeBounds<usize> + std::slice::SliceIndex<[u8], Output = [u8]> + Clone) {
        let ours = message_of(|| {
            let part = resolve(&range, 5, &AT);
            if part.is_empty() { String::from("empty") } else { format!("{}, {}", part.start, part.len()) }
        });
        assert_eq!(ours, rust_result(&range));
    }

    #[test]
    fn ranges_and_messages_agree_with_rust() {
        const MAX: usize = usize::MAX;
        for start in [0, 1, 4, 5, 6, 9, MAX] {
            check(start..);
            check(..start);
            check(..=start);
            for end in [0, 1, 4, 5, 6, 9, MAX] {
                check(start..end);
                check(start..=end);
            }
        }
        check(..);
    }
}
