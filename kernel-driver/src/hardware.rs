//! Device queries: name, limits and hardware properties of a GPU, read attribute by attribute.

use std::ffi::CStr;
use std::fmt;

use crate::sys::{CUdevice, CUdevice_attribute, CUdevice_attribute as Attribute};

use crate::driver::Driver;
use crate::error::CudaError;

/// The limits of a launch on a GPU, and its resources. Extents are in the order x, y, z.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawLimits {
    /// The maximum number of threads per block.
    pub threads_per_block: usize,
    /// The maximum extent of a block.
    pub block: [usize; 3],
    /// The maximum extent of a grid.
    pub grid: [usize; 3],
    /// The portable cluster size in blocks; 0 without support for clusters.
    pub blocks_per_cluster: usize,
    /// The non-portable maximum of the cluster size.
    pub blocks_per_cluster_opt_in: usize,
    /// The shared memory that any block may use, in bytes.
    pub shared_bytes_per_block: usize,
    /// The shared memory that a block may use after opting in, in bytes.
    pub shared_bytes_per_block_opt_in: usize,
    /// The shared memory of a multiprocessor, in bytes.
    pub shared_bytes_per_multiprocessor: usize,
    /// The maximum number of 32-bit registers per block.
    pub registers_per_block: usize,
    /// The number of 32-bit registers of a multiprocessor.
    pub registers_per_multiprocessor: usize,
    /// The maximum number of resident threads per multiprocessor.
    pub threads_per_multiprocessor: usize,
    /// The maximum number of resident blocks per multiprocessor.
    pub blocks_per_multiprocessor: usize,
    /// The number of multiprocessors.
    pub multiprocessors: usize,
    /// The device memory in bytes.
    pub total_memory: usize,
    /// The compute capability, such as `(9, 0)`.
    pub compute_capability: (u32, u32),
}

/// The hardware properties of a GPU, as its driver reports them. Those that it does not report are 0.
///
/// ```
/// use cumbia::prelude::*;
///
/// for device in Device::all()? {
///     let Some(properties) = device.properties() else { continue }; // the CPU
///     println!("{device}: {} MHz, {} bytes of cache", properties.clock_hz / 1_000_000, properties.l2_cache_bytes);
/// }
/// # Ok::<(), cumbia::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Properties {
    /// The maximum clock rate of the multiprocessors, in Hz.
    pub clock_hz: u64,
    /// The maximum clock rate of the memory, in Hz.
    pub memory_clock_hz: u64,
    /// The width of the memory bus, in bits.
    pub memory_bus_bits: usize,
    /// The size of the L2 cache, in bytes.
    pub l2_cache_bytes: usize,
    /// The size of constant memory, in bytes.
    pub constant_bytes: usize,
    /// The number of copy engines, which copy while kernels run.
    pub copy_engines: usize,
    /// Whether error correction (ECC) of the memory is enabled.
    pub ecc: bool,
    /// Whether the GPU is integrated, and shares the host's physical memory.
    pub integrated: bool,
    /// Whether cooperative launches are supported, for `.cooperative()`.
    pub cooperative_launch: bool,
    /// The PCI address: domain, bus, device.
    pub pci: Pci,
}

/// A PCI address, displayed as by `nvidia-smi` and `lspci`: `0000:1b:00.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Pci {
    /// The domain.
    pub domain: u32,
    /// The bus.
    pub bus: u32,
    /// The device.
    pub device: u32,
}

impl Pci {
    /// Returns the address with these numbers.
    #[doc(hidden)]
    pub fn new(domain: u32, bus: u32, device: u32) -> Pci {
        Pci { domain, bus, device }
    }
}

impl fmt::Display for Pci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pci { domain, bus, device } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.0")
    }
}

/// Returns the GPU's name, such as `NVIDIA H200`.
pub(crate) fn name_of(driver: &Driver, device: CUdevice) -> Result<String, CudaError> {
    let mut name = [0; 256];
    // SAFETY: the buffer is one byte longer than the length that is passed.
    unsafe { driver.cuDeviceGetName(name.as_mut_ptr(), 255, device) }?;
    // SAFETY: the last byte of the buffer is still 0, because it is beyond that length.
    Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
}

/// Returns the limits of a launch.
pub(crate) fn limits_of(driver: &Driver, device: CUdevice) -> Result<RawLimits, CudaError> {
    let get = |attribute| attribute_of(driver, device, attribute);
    let mut total_memory = 0;
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceTotalMem_v2(&raw mut total_memory, device) }?;
    let compute_capability = (
        get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? as u32,
        get(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)? as u32,
    );
    // Clusters were introduced with compute capability 9.0 and CUDA 11.8. Eight blocks is the portable cluster size,
    // sixteen the non-portable maximum (CUDA C++ Programming Guide, "Thread Block Clusters").
    let clusters = compute_capability >= (9, 0) && driver.has_clusters();
    Ok(RawLimits {
        threads_per_block: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        block: [
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        grid: [
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        blocks_per_cluster: if clusters { 8 } else { 0 },
        blocks_per_cluster_opt_in: if clusters { 16 } else { 0 },
        shared_bytes_per_block: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        shared_bytes_per_block_opt_in: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_bytes_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        registers_per_block: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        registers_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        threads_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_multiprocessor: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        multiprocessors: get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        total_memory,
        compute_capability,
    })
}

/// Returns the hardware properties. Those that the driver does not report are 0.
pub(crate) fn properties_of(driver: &Driver, device: CUdevice) -> Result<Properties, CudaError> {
    // An older or newer driver may lack some of these, and a launch only depends on `cooperative_launch`.
    let get = |attribute| attribute_of(driver, device, attribute).unwrap_or(0);
    Ok(Properties {
        // Reported in kHz.
        clock_hz: get(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE) as u64 * 1000,
        memory_clock_hz: get(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) as u64 * 1000,
        memory_bus_bits: get(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
        l2_cache_bytes: get(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        constant_bytes: get(Attribute::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY),
        copy_engines: get(Attribute::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
        ecc: get(Attribute::CU_DEVICE_ATTRIBUTE_ECC_ENABLED) != 0,
        integrated: get(Attribute::CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0,
        cooperative_launch: attribute_of(driver, device, Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
        pci: Pci {
            domain: get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID) as u32,
            bus: get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) as u32,
            device: get(Attribute::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) as u32,
        },
    })
}

/// Returns a device attribute. None of those queried is negative.
pub(crate) fn attribute_of(
    driver: &Driver,
    device: CUdevice,
    attribute: CUdevice_attribute,
) -> Result<usize, CudaError> {
    let mut value = 0;
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceGetAttribute(&raw mut value, attribute, device) }?;
    Ok(usize::try_from(value).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pci_addresses_are_displayed_as_usual() {
        assert_eq!(Pci { domain: 0, bus: 0x1b, device: 0 }.to_string(), "0000:1b:00.0");
        assert_eq!(Pci { domain: 0x1_0000, bus: 255, device: 31 }.to_string(), "10000:ff:1f.0");
    }
}
