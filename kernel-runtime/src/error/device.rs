//! Device errors: why a device cannot be opened or used.

use std::fmt;

use thiserror::Error;

use crate::cuda::GpuName;

/// The device or the memory that an error is about. `Display` renders a device as `Display` of [`Device`](crate::Device) does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceName {
    /// The CPU device.
    Cpu,
    /// A GPU.
    Gpu {
        /// The ordinal, from 0.
        ordinal: u32,
        /// The name of the product, such as `NVIDIA H200`.
        name: Box<str>,
    },
    /// The memory of the program, which belongs to no device.
    Host,
    /// Page-locked memory of the program.
    PageLocked,
}

impl From<&GpuName> for DeviceName {
    fn from(GpuName { ordinal, name }: &GpuName) -> DeviceName {
        DeviceName::Gpu { ordinal: u32::try_from(*ordinal).unwrap_or(u32::MAX), name: name.as_str().into() }
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceName::Cpu => f.write_str("cpu"),
            DeviceName::Gpu { ordinal, name } => write!(f, "cuda:{ordinal} ({name})"),
            DeviceName::Host => f.write_str("the host"),
            DeviceName::PageLocked => f.write_str("the host (page-locked)"),
        }
    }
}

/// Why a device cannot be opened, or a resource of another library not be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// `CUMBIA_DEVICE` does not name a device.
    #[error(
        "CUMBIA_DEVICE is `{value}`, which does not name a device\n  help: set it to `cpu`, to `cuda` for the first GPU, or to `cuda:N` for GPU N, from 0"
    )]
    UnknownName {
        /// The variable's value.
        value: String,
    },
    /// The CUDA driver's library is not installed, or its initialisation failed.
    #[error(
        "no usable CUDA driver was found (looked for {}): {reason}\n  help: install NVIDIA's driver, or use the CPU with `Device::cpu()` or CUMBIA_DEVICE=cpu",
        searched.join(", ")
    )]
    NoDriver {
        /// The library names that were tried.
        searched: Vec<String>,
        /// Why none of them is usable.
        reason: DriverFailure,
    },
    /// A context of another library that is not the GPU's primary context, or a stream of such a context.
    #[error(
        "the CUDA context is not the primary context of {device}, to which Cumbia's arrays and streams belong\n  help: create it with `CudaContext::new`, which retains the primary context"
    )]
    ForeignContext {
        /// The device.
        device: DeviceName,
    },
    /// Memory owned by another library, whose ownership cannot be transferred.
    #[error(
        "the ownership of the array on {device} cannot be transferred, because its memory belongs to another library\n  help: copy the array: `device.to_device(&array.to_host()?)?`"
    )]
    ForeignMemory {
        /// The device.
        device: DeviceName,
    },
    /// The device ordinal is too large.
    #[error("GPU {ordinal} does not exist: {}\n  help: `nvidia-smi` lists the GPUs, and CUDA_VISIBLE_DEVICES selects those that programs see", gpus(*count))]
    NoSuchDevice {
        /// The requested ordinal, from 0.
        ordinal: usize,
        /// The number of GPUs.
        count: usize,
    },
}

/// Renders the existing GPUs, as a clause.
fn gpus(count: usize) -> String {
    match count {
        0 => "the driver reports no GPU".to_owned(),
        1 => "the only GPU is 0".to_owned(),
        _ => format!("the GPUs are 0 to {}", count - 1),
    }
}

/// Why the CUDA driver is not usable, in [`DeviceError::NoDriver`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DriverFailure {
    /// The loader cannot load the library.
    #[error("{message}")]
    NotLoaded {
        /// The loader's message for the first of the searched names.
        message: String,
    },
    /// The library lacks a function that Cumbia needs.
    #[error("{library} was found, but it has no {function}, so it is older than CUDA 12.0")]
    Incomplete {
        /// The library.
        library: String,
        /// The missing function.
        function: &'static str,
    },
    /// `cuInit` failed.
    #[error("cuInit failed with {name} ({message})")]
    Init {
        /// The status, a `CUresult`.
        code: u32,
        /// CUDA's name of the status, such as `CUDA_ERROR_NO_DEVICE`.
        name: String,
        /// CUDA's description of the status.
        message: String,
    },
    /// cudarc does not find the driver that Cumbia has loaded.
    #[error("Cumbia has loaded the driver, but cudarc does not find it")]
    NotFoundByCudarc,
}
