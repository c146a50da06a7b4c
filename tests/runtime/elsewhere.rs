//! Device functions in another file than the kernels that call them.

use cumbia::prelude::*;

#[device]
pub(crate) fn element(x: &[i32], i: usize) -> i32 {
    x[2 * i] // @element: x[2 * i]
}

#[device]
pub(crate) fn checked_share(total: i32, parts: i32) -> i32 {
    assert!(parts != 13, "thirteen parts"); // @thirteen: assert!
    total / parts // @share: total / parts
}

/// The source of this file, for the lookup of lines by their marks.
pub(crate) const TEXT: &str = include_str!("elsewhere.rs");
