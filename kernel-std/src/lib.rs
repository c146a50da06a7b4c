//! Library code written in Cumbia's kernel language: vectors with two to four components, random numbers, and
//! scalars without alignment.
//!
//! Use it through the `cumbia` crate, as [`cumbia::vector`](vector), [`cumbia::random`](random) and
//! [`cumbia::unaligned`](unaligned). It is implemented
//! like user code, with `#[derive(DeviceType)]` and `#[device]`; the compiler has no special knowledge of it.

// The expansion of the macros refers to the language layer as `::cumbia`, a crate that depends on this one.
extern crate cumbia_kernel_lang as cumbia;

pub mod random;
pub mod unaligned;
pub mod vector;
