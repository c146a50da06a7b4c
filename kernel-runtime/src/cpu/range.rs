//! The bounds of a part of a slice, with Rust's own messages where it is not inside.

use std::ops::{Bound, Range, RangeBounds};

use crate::cpu::at::At;
use crate::cpu::fault;

/// The elements that `range` names in a slice of `len` elements, or a fault.
#[inline(always)]
pub(crate) fn part_of(range: &impl RangeBounds<usize>, len: usize, at: &'static At) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        // The element after the last one, where there is one. Else the message is to name the last one.
        Bound::Included(&last) if last < len => last + 1,
        Bound::Included(&last) => outside(start, last, len, at),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    if start > end || end > len {
        outside(start, end, len, at);
    }
    start..end
}

/// The message is that of `slice_index_fail` in the standard library's `core/src/slice/index.rs`.
#[cold]
#[inline(never)]
fn outside(start: usize, end: usize, len: usize, at: &'static At) -> ! {
    if start > len {
        fault::panic(at, &format_args!("range start index {start} out of range for slice of length {len}"))
    } else if start > end && end < len {
        fault::panic(at, &format_args!("slice index starts at {start} but ends at {end}"))
    } else {
        fault::panic(at, &format_args!("range end index {end} out of range for slice of length {len}"))
    }
}

/// The fault of `split_at` behind the end.
#[cold]
#[inline(never)]
pub(crate) fn split_outside(at: &'static At) -> ! {
    fault::panic(at, &"mid > len")
}

#[cfg(test)]
mod tests {
    use super::*;

    static AT: At = At { file: "kernel.rs", line: 1, column: 2, id: 0 };

    /// What Rust does with the same range of a slice of 5 elements: the range, or the message.
    fn of_rust<R: RangeBounds<usize> + std::slice::SliceIndex<[u8], Output = [u8]> + Clone>(range: &R) -> String {
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
            let part = part_of(&range, 5, &AT);
            if part.is_empty() { String::from("empty") } else { format!("{}, {}", part.start, part.len()) }
        });
        assert_eq!(ours, of_rust(&range));
    }

    #[test]
    fn ranges_are_those_of_rust() {
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
