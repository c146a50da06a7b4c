//! Why there is no such device, or why it cannot be used in this way.

use thiserror::Error;

/// Why there is no such device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// `CUMBIA_DEVICE` holds something else than a device.
    #[error("CUMBIA_DEVICE is `{value}`, which names no device\n  help: use `cpu`, `cuda` or `cuda:N`")]
    UnknownName {
        /// Its value.
        value: String,
    },
    /// The CUDA driver's library is not on this machine, or it does not start.
    #[error(
        "there is no CUDA driver that can be used (looked for {}): {reason}\n  help: install NVIDIA's driver, or use the CPU with `Device::cpu()` or CUMBIA_DEVICE=cpu",
        searched.join(", ")
    )]
    NoDriver {
        /// The library names that were tried.
        searched: Vec<String>,
        /// What the loader or the driver said.
        reason: String,
    },
    /// A context of another library that is not the GPU's primary one, or a stream of such a context.
    #[error(
        "the CUDA context is not the primary context of {device}, in which Cumbia's arrays and streams are\n  help: make it with `CudaContext::new`"
    )]
    ForeignContext {
        /// The device.
        device: String,
    },
    /// Memory that another library has lent, and that cannot be given away.
    #[error(
        "the memory of the array on {device} belongs to another owner, so that it cannot be given away\n  help: copy the array with `to_device`"
    )]
    ForeignMemory {
        /// The device.
        device: String,
    },
    /// There are fewer GPUs.
    #[error("CUDA device {ordinal} does not exist: this machine has {count}")]
    NoSuchDevice {
        /// The one asked for, from 0.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
}
