//! What Cumbia offers in its own language: vectors of two to four lanes, and random numbers.
//!
//! Use it through the `cumbia` crate, as [`cumbia::vector`](vector) and [`cumbia::random`](random). All of it is
//! written as a user of Cumbia would write it, with `#[derive(DeviceType)]` and `#[device]`; nothing here is known to the
//! compiler.

// What the macros write names the runtime as `::cumbia`, which depends on this crate.
extern crate cumbia_kernel_runtime as cumbia;

pub mod random;
pub mod vector;
