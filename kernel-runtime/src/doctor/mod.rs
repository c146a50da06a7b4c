//! Diagnosis of the CUDA installation: the components found on this machine, their state, and remedies for missing ones.

mod examine;
mod text;

use std::path::PathBuf;
use std::time::Duration;

pub use self::examine::doctor;
use crate::cache::Stats;
use crate::device::properties::{Limits, Pci};
use crate::error::{CompileError, DeviceError, Error, Result, Searched, Version};

/// The result of [`doctor`]. [`Display`](std::fmt::Display) renders it as a page of text.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// Cumbia's version.
    pub version: &'static str,
    /// NVIDIA's driver, or why it is not usable.
    pub driver: Result<DriverReport, DeviceError>,
    /// The GPUs, by ordinal.
    pub gpus: Vec<GpuReport>,
    /// The device that [`Device::open`](crate::Device::open) opens.
    pub default_device: Result<String>,
    /// The limits of the CPU device.
    pub cpu: Limits,
    /// NVRTC, CUDA's run-time compiler, or why it is not usable.
    pub nvrtc: Result<NvrtcReport, CompileError>,
    /// nvJitLink, CUDA's run-time linker, which kernels with linked files need, or the locations that were searched for it;
    /// `None` without NVRTC.
    pub nvjitlink: Option<Result<NvJitLinkReport, Vec<Searched>>>,
    /// The disk cache.
    pub cache: CacheReport,
    /// The directory of precompiled kernels.
    pub precompiled: Option<PathBuf>,
    /// The supported disassemblers, with the path of each that was found.
    pub disassemblers: Vec<(&'static str, Option<PathBuf>)>,
    /// The environment variables that are set and affect Cumbia.
    pub variables: Vec<(&'static str, String)>,
}

/// NVIDIA's driver, in a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverReport {
    /// The latest version of CUDA that it supports, if it reports it.
    pub cuda: Option<Version>,
    /// Its own version, such as `580.95.05`, if the system exposes it.
    pub release: Option<String>,
    /// The path of the library.
    pub path: Option<PathBuf>,
}

/// A GPU, in a [`Report`].
#[derive(Debug)]
#[non_exhaustive]
pub struct GpuReport {
    /// Its ordinal, from 0.
    pub ordinal: usize,
    /// Its properties, or why it cannot be opened.
    pub properties: Result<GpuProperties>,
}

/// The properties of a GPU, in a [`GpuReport`].
#[derive(Debug)]
#[non_exhaustive]
pub struct GpuProperties {
    /// The name, such as `NVIDIA H200`.
    pub name: String,
    /// The architecture that kernels are compiled for, such as `sm_90a`.
    pub architecture: String,
    /// The limits of launches.
    pub limits: Limits,
    /// The PCI address, as `nvidia-smi` shows it.
    pub pci: Pci,
    /// The free memory, in bytes.
    pub free_memory: usize,
    /// The time to compile and load a small kernel, or the error; `None` without NVRTC.
    pub test_kernel: Option<Result<Duration>>,
}

/// NVRTC, CUDA's run-time compiler, in a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NvrtcReport {
    /// Its version, which is that of its CUDA toolkit.
    pub version: Version,
    /// The path of the library.
    pub path: Option<PathBuf>,
    /// The architectures that it supports.
    pub architectures: Vec<String>,
    /// The locations searched before, with the result of the search there.
    pub searched: Vec<Searched>,
}

/// nvJitLink, CUDA's run-time linker, in a [`Report`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NvJitLinkReport {
    /// Its version, which is that of its CUDA toolkit.
    pub version: Version,
    /// The path of the library.
    pub path: Option<PathBuf>,
}

/// The disk cache, in a [`Report`].
#[derive(Debug)]
#[non_exhaustive]
pub struct CacheReport {
    /// Its directory, contents and counters.
    pub stats: Stats,
    /// Why the directory is not writable.
    pub problem: Option<Error>,
}

impl Report {
    /// Returns whether kernels can run on a GPU, as determined by loading a small kernel or,
    /// without NVRTC, by the presence of precompiled kernels.
    pub fn has_gpu(&self) -> bool {
        self.gpus.iter().any(|GpuReport { properties, .. }| {
            properties.as_ref().is_ok_and(|gpu| match &gpu.test_kernel {
                Some(test) => test.is_ok(),
                None => self.precompiled.is_some(),
            })
        })
    }
}
