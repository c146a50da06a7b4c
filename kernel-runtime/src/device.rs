//! Devices: the CPU, and each GPU, behind one type.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::cpu;
use crate::cuda::Context;
use crate::error::{DeviceError, Error, Result};
use crate::memory::host_memory;
use crate::properties::{Limits, MemoryInfo, Properties, cpu_limits};
use crate::stream::Stream;
use crate::sync::OnceLock;
use crate::variable::variable;

/// Something that holds arrays and runs kernels: the CPU, or an NVIDIA GPU.
///
/// A `Device` is a handle: clones are the same device, and so are two that were opened with the same number.
///
/// Work on a GPU is asynchronous: [`Device::synchronize`] and [`DeviceArray::to_host`](crate::DeviceArray::to_host) wait
/// for it, and give out the fault of a kernel that ended since the last of them. Work on the CPU is done when the launch
/// returns; its faults are given out in the same places, so that a program behaves alike on both.
///
/// ```
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu(); // `Device::open()?` takes a GPU where there is one
/// assert_eq!(device.to_string(), "cpu");
/// assert_eq!(device.zeros::<u32>(3)?.to_host()?, [0, 0, 0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Device {
    backend: Backend,
}

/// What a device is made of.
#[derive(Clone)]
pub(crate) enum Backend {
    Cpu(Arc<cpu::Streams>),
    Cuda(Arc<Context>),
}

impl Device {
    /// The device that `CUMBIA_DEVICE` names: `cpu`, `cuda` or `cuda:N`. Where it is not set, GPU 0 if there is a driver
    /// and a GPU, else the CPU.
    ///
    /// # Errors
    ///
    /// [`DeviceError`] where the variable names no device or one that is not there, and [`Error::Driver`] where the GPU
    /// refuses to be opened.
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

    /// The CPU of this machine, always the same device.
    pub fn cpu() -> Device {
        static CPU: OnceLock<Arc<cpu::Streams>> = OnceLock::new();
        Device { backend: Backend::Cpu(CPU.get_or_init(Arc::default).clone()) }
    }

    /// GPU number `ordinal`, from 0.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoDriver`], [`DeviceError::NoSuchDevice`], or [`Error::Driver`] where the GPU refuses to be opened.
    pub fn cuda(ordinal: usize) -> Result<Device> {
        Ok(Device { backend: Backend::Cuda(Context::open(ordinal)?) })
    }

    /// Every device of this machine: the GPUs in the order of their numbers, then the CPU. Where there is no driver or no
    /// GPU, that is the CPU alone.
    ///
    /// This opens each of the GPUs, which takes some of their memory and of your time; [`Device::count`] does not.
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
    /// [`Error::Driver`] where a GPU refuses to be opened.
    pub fn all() -> Result<Vec<Device>> {
        let gpus = (0..Device::count()).map(Device::cuda);
        gpus.chain([Ok(Device::cpu())]).collect()
    }

    /// How many GPUs there are; 0 where there is no driver that can be used.
    pub fn count() -> usize {
        Context::count().unwrap_or(0)
    }

    /// Whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        matches!(self.backend, Backend::Cpu(_))
    }

    /// Whether this is a GPU.
    pub fn is_cuda(&self) -> bool {
        matches!(self.backend, Backend::Cuda(_))
    }

    /// The number of a GPU, for [`Device::cuda`]; `None` for the CPU.
    pub fn ordinal(&self) -> Option<usize> {
        match &self.backend {
            Backend::Cpu(_) => None,
            Backend::Cuda(context) => Some(context.ordinal()),
        }
    }

    /// The device's name: `cpu`, or the GPU's, such as `NVIDIA H200`.
    pub fn name(&self) -> &str {
        match &self.backend {
            Backend::Cpu(_) => "cpu",
            Backend::Cuda(context) => context.name(),
        }
    }

    /// What a launch may ask for.
    pub fn limits(&self) -> &Limits {
        match &self.backend {
            Backend::Cpu(_) => cpu_limits(),
            Backend::Cuda(context) => context.limits(),
        }
    }

    /// The compute capability of a GPU, such as `(9, 0)`; `None` for the CPU.
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        self.limits().compute_capability
    }

    /// The hardware of a GPU; `None` for the CPU.
    pub fn properties(&self) -> Option<&Properties> {
        match &self.backend {
            Backend::Cpu(_) => None,
            Backend::Cuda(context) => Some(context.properties()),
        }
    }

    /// The device's memory at this moment: what is free, and all there is. On the CPU both are 0 where the system does not
    /// say.
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
    /// [`Error::Driver`] where the GPU is in trouble.
    pub fn memory(&self) -> Result<MemoryInfo> {
        let (free, total) = match &self.backend {
            Backend::Cpu(_) => host_memory(),
            Backend::Cuda(context) => context.memory()?,
        };
        Ok(MemoryInfo::new(free, total))
    }

    /// The newest CUDA version that a GPU's driver serves, as `13.0`; `None` for the CPU.
    pub fn driver_version(&self) -> Option<String> {
        match &self.backend {
            Backend::Cpu(_) => None,
            Backend::Cuda(context) => Some(context.driver().version()),
        }
    }

    /// A new stream, which runs beside the others of the device. [`Stream::builder`] makes streams with a priority.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// #[kernel]
    /// fn increment(x: &mut [u32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// let (first, second) = (device.stream()?, device.stream()?);
    /// let (mut x, mut y) = (device.zeros(1000)?, device.zeros(1000)?);
    /// increment(&mut x).over(1000).on(&first).launch()?;
    /// increment(&mut y).over(1000).on(&second).launch()?; // need not wait for the first
    /// increment(&mut y).over(1000).on(&first).launch()?; // waits for the second: both change `y`
    /// assert_eq!((x.to_host()?[0], y.to_host()?[0]), (1, 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn stream(&self) -> Result<Stream> {
        Stream::builder(self).build()
    }

    /// The stream that the device has from the start: what names no other stream happens on it.
    pub fn default_stream(&self) -> Stream {
        Stream::default_of(self)
    }

    /// The priorities that streams of this device can have: lower numbers go first. `0..=0` on the CPU.
    ///
    /// # Errors
    ///
    /// What the driver refused.
    pub fn stream_priorities(&self) -> Result<RangeInclusive<i32>> {
        match &self.backend {
            Backend::Cpu(_) => Ok(0..=0),
            Backend::Cuda(context) => {
                let (last, first) = context.priorities()?;
                Ok(first..=last)
            }
        }
    }

    /// What went wrong where nothing could be returned: when arrays, streams and events were dropped. Gives each error once,
    /// the first ones if there were very many; each is a `tracing` event as well when it happens.
    ///
    /// ```
    /// use cumbia::prelude::*;
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let device = Device::open()?;
    /// drop(device.zeros::<f32>(1000)?);
    /// for error in device.drop_errors() {
    ///     eprintln!("when something was dropped: {error}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn drop_errors(&self) -> Vec<Error> {
        match &self.backend {
            Backend::Cpu(_) => Vec::new(),
            Backend::Cuda(context) => context.primary().take_dropped(),
        }
    }

    /// Waits until everything that was launched on this device is done, on all of its streams.
    ///
    /// # Errors
    ///
    /// [`Error::Fault`] where a kernel faulted since the last call that waited for its stream: the first fault of a stream,
    /// given out once. Where several streams have one, the next call gives out the next.
    pub fn synchronize(&self) -> Result<()> {
        match &self.backend {
            Backend::Cpu(streams) => streams.take_fault(),
            Backend::Cuda(context) => context.synchronize(),
        }
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.backend
    }

    /// What tells this device from all others.
    #[inline]
    pub(crate) fn identity(&self) -> Identity {
        match &self.backend {
            Backend::Cpu(streams) => Identity(Arc::as_ptr(streams).addr()),
            Backend::Cuda(context) => Identity(Arc::as_ptr(context).addr()),
        }
    }
}

/// A device by the address of what it is made of, which lives as long as the process: to be compared without a look at the
/// device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity(usize);

impl Identity {
    /// That of no device.
    pub(crate) const NOWHERE: Identity = Identity(0);
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
            Backend::Cuda(context) => fmt::Display::fmt(&**context, f),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}

/// What `CUMBIA_DEVICE` asks for.
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
        // `parse` would take a sign too.
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
            assert!(error.to_string().contains("help: use `cpu`, `cuda` or `cuda:N`"));
        }
    }

    #[test]
    fn the_cpu_is_one_device() {
        assert_eq!(Device::cpu(), Device::cpu().clone());
        assert_eq!(Device::cpu().to_string(), "cpu");
        assert_eq!(format!("{:?}", Device::cpu()), "Device(cpu)");
        assert!(Device::cpu().is_cpu() && !Device::cpu().is_cuda());
        assert_eq!(Device::cpu().limits().grid, Dim3 { x: 2_147_483_647, y: 65535, z: 65535 });
    }

    #[test]
    fn a_gpu_that_is_not_there_is_an_error() {
        assert!(matches!(
            Device::cuda(9999),
            Err(Error::Device(DeviceError::NoDriver { .. } | DeviceError::NoSuchDevice { .. }))
        ));
    }
}
