//! Annotations for profilers: named ranges and markers, and control of the capture.
//!
//! Nsight Systems and Nsight Compute show ranges beside the kernels launched in them, and can restrict the capture to
//! the work between [`start`] and [`stop`] (`nsys profile --capture-range=cudaProfilerApi`, `ncu --profile-from-start
//! off`). Without a profiler the functions have no effect and almost no cost; no library of NVIDIA's is required.
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

/// A guard for a named range on the current thread, which ends when it is dropped. [`range`] creates one.
///
/// Ranges of a thread are nested: the innermost one ends first. So the guard is not `Send`.
#[must_use = "the range ends when it is dropped"]
pub struct Range {
    /// Whether a profiler has recorded the range.
    active: bool,
    not_send: PhantomData<*const ()>,
}

/// Begins a range, which ends when the guard is dropped.
pub fn range(name: &str) -> Range {
    Range { active: nvtx::push(name), not_send: PhantomData }
}

/// Records an instantaneous marker.
pub fn mark(name: &str) {
    nvtx::mark(name);
}

/// Starts the capture on this device, in a profiler that waits for it. No effect on the CPU.
///
/// # Errors
///
/// A CUDA driver error.
pub fn start(device: &Device) -> Result<()> {
    match device.backend() {
        Backend::Cpu(_) => Ok(()),
        Backend::Cuda(context) => Ok(context.start_profiler()?),
    }
}

/// Stops the capture. Wait for the kernels to be captured first, with [`Device::synchronize`].
///
/// # Errors
///
/// A CUDA driver error.
pub fn stop(device: &Device) -> Result<()> {
    match device.backend() {
        Backend::Cpu(_) => Ok(()),
        Backend::Cuda(context) => Ok(context.stop_profiler()?),
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        if self.active {
            nvtx::pop();
        }
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Range").finish_non_exhaustive()
    }
}
