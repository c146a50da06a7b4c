//! What of CUDA is on this machine, what Cumbia makes of it, and what to do about what is missing.

mod look;
mod text;

use std::path::PathBuf;
use std::time::Duration;

pub use self::look::doctor;
use crate::cache::Stats;
use crate::error::{CompileError, DeviceError, Error, Result};
use crate::properties::{Limits, Pci};

/// What [`doctor`] found. [`Display`](std::fmt::Display) makes the page that a person reads.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Cumbia's version.
    pub version: &'static str,
    /// NVIDIA's driver.
    pub driver: Result<DriverReport, DeviceError>,
    /// Each GPU.
    pub gpus: Vec<GpuReport>,
    /// What [`Device::open`](crate::Device::open) opens.
    pub default_device: Result<String>,
    /// The CPU device.
    pub cpu: Limits,
    /// CUDA's run-time compiler.
    pub nvrtc: Result<NvrtcReport, CompileError>,
    /// The disk cache.
    pub cache: CacheReport,
    /// The folder of kernels that came with the program.
    pub precompiled: Option<PathBuf>,
    /// The programs that can show machine code, and where they are.
    pub disassemblers: Vec<(&'static str, Option<PathBuf>)>,
    /// The variables of the environment that are set and have a meaning.
    pub variables: Vec<(&'static str, String)>,
}

/// NVIDIA's driver, in a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverReport {
    /// The newest version of CUDA that it serves, such as `13.0`.
    pub cuda: String,
    /// Its own version, such as `580.95.05`, where the system tells.
    pub release: Option<String>,
    /// The library.
    pub path: Option<PathBuf>,
}

/// A GPU, in a [`Report`].
#[derive(Debug)]
#[non_exhaustive]
pub struct GpuReport {
    /// Its number, from 0.
    pub ordinal: usize,
    /// What it is, or why it cannot be opened.
    pub properties: Result<GpuProperties>,
}

/// What a GPU is, in a [`GpuReport`].
#[derive(Debug)]
#[non_exhaustive]
pub struct GpuProperties {
    /// Such as `NVIDIA H200`.
    pub name: String,
    /// What kernels are compiled for there, such as `sm_90a`.
    pub architecture: String,
    /// What a launch may ask for.
    pub limits: Limits,
    /// Where it is on the PCI bus, by which `nvidia-smi` names it.
    pub pci: Pci,
    /// Bytes of memory that nobody uses at this moment.
    pub free_memory: usize,
    /// How long it took to compile and load a small kernel, or why that did not work; `None` where there is no NVRTC.
    pub test_kernel: Option<Result<Duration>>,
}

/// CUDA's run-time compiler, in a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NvrtcReport {
    /// Its version, that of the CUDA toolkit it came with.
    pub version: String,
    /// The library.
    pub path: Option<PathBuf>,
    /// What it compiles for.
    pub architectures: Vec<String>,
    /// The places that were looked at before, and what was found there.
    pub searched: Vec<String>,
}

/// The disk cache, in a [`Report`].
#[derive(Debug)]
#[non_exhaustive]
pub struct CacheReport {
    /// Where it is, and what is in it.
    pub stats: Stats,
    /// Why nothing can be written there.
    pub problem: Option<Error>,
}

impl Report {
    /// Whether kernels run on a GPU, as far as that can be known without running the user's own.
    pub fn has_gpu(&self) -> bool {
        self.gpus.iter().any(|GpuReport { properties, .. }| {
            properties.as_ref().is_ok_and(|gpu| match &gpu.test_kernel {
                Some(test) => test.is_ok(),
                None => self.precompiled.is_some(),
            })
        })
    }
}
