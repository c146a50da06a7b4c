//! Library code written in Cumbia's kernel language: vectors with two to four components, and random numbers.
//!
//! Use it through the `cumbia` crate, as [`cumbia::vector`](vector) and [`cumbia::random`](random). It is implemented
//! like user code, with `#[derive(DeviceType)]` and `#[device]`; the compiler has no special knowledge of it.

// The expansion of the macros refers to the language layer as `::cumbia`, a crate that depends on this one.
extern crate cumbia_kernel_lang as cumbia;

pub mod random;
pub mod vector;
