//! What profilers are told: ranges and marks with names, and when to look.
//!
//! Nsight Systems and Nsight Compute show ranges beside the kernels that were launched in them, and look at what is between
//! [`start`] and [`stop`] where they are told to (`nsys profile --capture-range=cudaProfilerApi`, `ncu
//! --profile-from-start off`). Without a profiler all of this does nothing and costs next to nothing; no library of NVIDIA's
//! is needed.
//!
//! ```
//! use cumbia::prelude::*;
//! use cumbia::profile;
//!
//! #[kernel]
//! fn double(x: &mut [f32]) {
//!     let i = grid(1);
//!     if i < x.len() {
//!         x[i] *= 2.0;
//!     }
//! }
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let mut x = device.zeros(1000)?;
//! profile::start(&device)?;
//! {
//!     let _range = profile::range("warm-up");
//!     double(&mut x).over(1000).launch()?;
//!     device.synchronize()?;
//! }
//! profile::mark("warm");
//! profile::stop(&device)?;
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::marker::PhantomData;

use crate::cuda::nvtx;
use crate::device::{Backend, Device};
use crate::error::Result;

/// A part of a thread's time with a name, until it is dropped. [`range`] makes one.
///
/// Ranges of a thread lie within each other: the one that was made last ends first. So a range stays on its thread.
#[must_use = "the range ends where it is dropped"]
pub struct Range {
    /// Whether there is a profiler that was told.
    told: bool,
    of_its_thread: PhantomData<*const ()>,
}

/// Begins a range, which ends when it is dropped.
pub fn range(name: &str) -> Range {
    Range { told: nvtx::push(name), of_its_thread: PhantomData }
}

/// Marks a moment.
pub fn mark(name: &str) {
    nvtx::mark(name);
}

/// Tells a profiler that waits for it to look at this device from now on. On the CPU this does nothing.
///
/// # Errors
///
/// What the driver refused.
pub fn start(device: &Device) -> Result<()> {
    match device.backend() {
        Backend::Cpu(_) => Ok(()),
        Backend::Cuda(context) => Ok(context.start_profiler()?),
    }
}

/// Tells a profiler to look no more. Wait for the kernels before, with [`Device::synchronize`].
///
/// # Errors
///
/// What the driver refused.
pub fn stop(device: &Device) -> Result<()> {
    match device.backend() {
        Backend::Cpu(_) => Ok(()),
        Backend::Cuda(context) => Ok(context.stop_profiler()?),
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if self.told {
            nvtx::pop();
        }
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").finish_non_exhaustive()
    }
}
