//! Devices: a common handle for the CPU and the GPUs.

pub(crate) mod gpu;
pub mod profile;
pub(crate) mod properties;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::cuda::{Context, variable};
use crate::device::gpu::Gpu;
use crate::device::properties::{Limits, MemoryInfo, Properties, cpu_limits, host_memory};
use crate::error::{DeviceError, DeviceName, Error, Result, Version};
use crate::fault;
use crate::sync::OnceLock;

/// A device that holds arrays and runs kernels: the CPU, or an NVIDIA GPU.
///
/// A `Device` is a handle: clones refer to the same device, and so do devices opened with the same ordinal.
///
/// Work on a GPU is asynchronous: [`Device::synchronize`] and [`DeviceArray::to_host`](crate::DeviceArray::to_host)
/// wait for it, and report the fault of a kernel that ended since the last such call. Work on the CPU has completed
/// when the launch returns; its faults are reported by the same calls, so that a program behaves alike on both.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu(); // `Device::open()?` opens a GPU if there is one
/// assert_eq!(device.to_string(), "cpu");
/// assert_eq!(device.zeros::<u32>(3)?.to_host()?, [0, 0, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Device {
    backend: Backend,
}

/// The implementation of a device.
#[derive(Clone)]
pub(crate) enum Backend {
    Cpu(Arc<crate::cpu_stream::Streams>),
    Cuda(Arc<Gpu>),
}

impl Device {
    /// Opens the device that `CUMBIA_DEVICE` names: `cpu`, `cuda` or `cuda:N`. If it is not set, opens GPU 0 if there
    /// is a driver and a GPU, and the CPU otherwise.
    ///
    /// # Errors
    ///
    /// [`DeviceError`] if the variable is malformed or names a missing device, and [`Error::Driver`] if the GPU cannot
    /// be initialised.
    pub fn open() -> Result<Device> {
        let Some(value) = variable("CUMBIA_DEVICE") else {
            return match Context::count() {
                Ok(1..) => Device::cuda(0),
                _ => Ok(Device::cpu()),
            };
        };
        match parse(&value.to_string_lossy())? {
            Choice::Cpu => Ok(Device::cpu()),
            Choice::Cuda(ordinal) => Device::cuda(ordinal),
        }
    }

    /// Returns the CPU of this machine. All handles refer to the same device.
    pub fn cpu() -> Device {
        static CPU: OnceLock<Arc<crate::cpu_stream::Streams>> = OnceLock::new();
        Device { backend: Backend::Cpu(CPU.get_or_init(Arc::default).clone()) }
    }

    /// Opens the GPU with this ordinal, from 0.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoDriver`], [`DeviceError::NoSuchDevice`], or [`Error::Driver`] if the GPU cannot be initialised.
    pub fn cuda(ordinal: usize) -> Result<Device> {
        Ok(Device { backend: Backend::Cuda(Gpu::open(ordinal)?) })
    }

    /// Returns all devices of this machine: the GPUs by ordinal, then the CPU. Without a driver or a GPU, returns the
    /// CPU alone.
    ///
    /// This creates a context on each GPU, which takes time and device memory; [`Device::count`] does not.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// for device in Device::all()? {
    ///     println!("{device}: {} multiprocessors", device.limits().multiprocessors);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] if a GPU cannot be initialised.
    pub fn all() -> Result<Vec<Device>> {
        let gpus = (0..Device::count()).map(Device::cuda);
        gpus.chain([Ok(Device::cpu())]).collect()
    }

    /// Returns the number of GPUs; 0 without a usable driver.
    pub fn count() -> usize {
        Context::count().unwrap_or(0)
    }

    /// Returns whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        matches!(self.backend, Backend::Cpu(_))
    }

    /// Returns whether this is a GPU.
    pub fn is_cuda(&self) -> bool {
        matches!(self.backend, Backend::Cuda(_))
    }

    /// Returns the ordinal of a GPU, as for [`Device::cuda`]; `None` for the CPU.
    pub fn ordinal(&self) -> Option<usize> {
        match &self.backend {
            Backend::Cpu(_) => None,
            Backend::Cuda(context) => Some(context.ordinal()),
        }
    }

    /// Returns the device's name: `cpu`, or the name of the GPU, such as `NVIDIA H200`.
    pub fn name(&self) -> &str {
        match &self.backend {
            Backend::Cpu(_) => "cpu",
            Backend::Cuda(context) => context.name(),
        }
    }

    /// Returns the limits of a launch.
    pub fn limits(&self) -> &Limits {
        match &self.backend {
            Backend::Cpu(_) => cpu_limits(),
            Backend::Cuda(context) => context.limits(),
        }
    }

    /// Returns the compute capability of a GPU, such as `(9, 0)`; `None` for the CPU.
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        self.limits().compute_capability
    }

    /// Returns the hardware properties of a GPU; `None` for the CPU.
    pub fn properties(&self) -> Option<&Properties> {
        match &self.backend {
            Backend::Cpu(_) => None,
            Backend::Cuda(context) => Some(context.properties()),
        }
    }

    /// Returns the free and total memory of the device at this moment. On the CPU both are 0 if the system does not
    /// report them.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let memory = Device::open()?.memory()?;
    /// println!("{} of {} bytes are free", memory.free, memory.total);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] for a CUDA driver error.
    pub fn memory(&self) -> Result<MemoryInfo> {
        let (free, total) = match &self.backend {
            Backend::Cpu(_) => host_memory(),
            Backend::Cuda(context) => context.memory()?,
        };
        Ok(MemoryInfo::new(free, total))
    }

    /// Returns the latest CUDA version that the GPU's driver supports; `None` for the CPU, and if the driver
    /// does not report it.
    pub fn driver_version(&self) -> Option<Version> {
        match &self.backend {
            Backend::Cpu(_) => None,
            Backend::Cuda(context) => context.driver().version(),
        }
    }

    /// Returns the range of stream priorities of this device: lower numbers are scheduled first. `0..=0` on the CPU.
    ///
    /// # Errors
    ///
    /// A CUDA driver error.
    pub fn stream_priorities(&self) -> Result<RangeInclusive<i32>> {
        match &self.backend {
            Backend::Cpu(_) => Ok(0..=0),
            Backend::Cuda(context) => {
                let (last, first) = context.priorities()?;
                Ok(first..=last)
            }
        }
    }

    /// Returns the errors that occurred while arrays, streams and events were dropped, and could not be returned there.
    /// Each error is reported once; if there are very many, the first ones are kept. Each one is also emitted as a
    /// `tracing` event when it occurs.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// drop(device.zeros::<f32>(1000)?);
    /// for error in device.drop_errors() {
    ///     eprintln!("error during drop: {error}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn drop_errors(&self) -> Vec<Error> {
        match &self.backend {
            Backend::Cpu(_) => Vec::new(),
            Backend::Cuda(context) => context.primary().take_drop_errors().into_iter().map(Error::from).collect(),
        }
    }

    /// Waits until all work on all streams of this device has completed.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] if a kernel has faulted since the last call that waited for its stream: the first fault of a
    /// stream, reported once. If several streams have a pending fault, the next call reports the next one.
    pub fn synchronize(&self) -> Result<()> {
        match &self.backend {
            Backend::Cpu(streams) => streams.take_fault()?,
            Backend::Cuda(context) => fault::synchronize_all(context)?,
        }
        self.after_wait();
        Ok(())
    }

    /// Stops recording accesses if only the default stream is in use. Called by operations that wait anyway.
    pub(crate) fn after_wait(&self) {
        match &self.backend {
            Backend::Cpu(streams) => streams.try_leave_multi_stream(),
            Backend::Cuda(context) => context.try_leave_multi_stream(),
        }
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Returns the identity of the device.
    #[inline]
    pub(crate) fn identity(&self) -> Identity {
        match &self.backend {
            Backend::Cpu(streams) => Identity(Arc::as_ptr(streams).addr()),
            Backend::Cuda(context) => Identity(Arc::as_ptr(context).addr()),
        }
    }
}

/// The identity of a device: the address of its implementation, which lives as long as the process. Compared without
/// dereferencing the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity(usize);

impl Identity {
    /// The identity of no device.
    pub(crate) const NOWHERE: Identity = Identity(0);

    /// Returns a number that differs between most devices.
    pub(crate) fn number(self) -> usize {
        self.0 >> 6
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Device {}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.backend {
            Backend::Cpu(_) => f.write_str("cpu"),
            Backend::Cuda(gpu) => fmt::Display::fmt(&***gpu, f),
        }
    }
}

impl From<&Device> for DeviceName {
    fn from(device: &Device) -> DeviceName {
        match &device.backend {
            Backend::Cpu(_) => DeviceName::Cpu,
            Backend::Cuda(gpu) => gpu.primary().gpu().into(),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

/// A parsed value of `CUMBIA_DEVICE`.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Cpu,
    Cuda(usize),
}

fn parse(value: &str) -> Result<Choice, DeviceError> {
    let name = value.trim().to_ascii_lowercase();
    match name.split_once(':') {
        None if name == "cpu" => Ok(Choice::Cpu),
        None if name == "cuda" => Ok(Choice::Cuda(0)),
        // `parse` would accept a sign as well.
        Some(("cuda", number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => {
            number.parse().map(Choice::Cuda).map_err(|_| DeviceError::UnknownName { value: value.to_owned() })
        }
        _ => Err(DeviceError::UnknownName { value: value.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Dim3;

    #[test]
    fn cumbia_device_is_parsed() {
        let cases =
            [("cpu", Choice::Cpu), ("cuda", Choice::Cuda(0)), ("cuda:3", Choice::Cuda(3)), (" CPU ", Choice::Cpu)];
        for (value, choice) in cases {
            assert_eq!(parse(value), Ok(choice), "{value}");
        }
        for value in ["gpu", "cuda:", "cuda:-1", "cuda:+1", "cuda:x", "cuda:0:1", "cpu:0", "cuda:99999999999999999999"]
        {
            let error = parse(value).unwrap_err();
            assert_eq!(error, DeviceError::UnknownName { value: value.to_owned() });
            assert!(error.to_string().contains("help: set it to `cpu`, to `cuda` for the first GPU"));
        }
    }

    #[test]
    fn the_cpu_is_a_single_device() {
        assert_eq!(Device::cpu(), Device::cpu().clone());
        assert_eq!(Device::cpu().to_string(), "cpu");
        assert_eq!(format!("{:?}", Device::cpu()), "Device(cpu)");
        assert!(Device::cpu().is_cpu() && !Device::cpu().is_cuda());
        assert_eq!(Device::cpu().limits().grid, Dim3 { x: 2_147_483_647, y: 65535, z: 65535 });
    }

    #[test]
    fn a_missing_gpu_is_an_error() {
        assert!(matches!(
            Device::cuda(9999),
            Err(Error::Device(DeviceError::NoDriver { .. } | DeviceError::NoSuchDevice { .. }))
        ));
    }
}
