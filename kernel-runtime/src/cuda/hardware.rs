//! Device queries: name, limits and hardware properties of a GPU, read attribute by attribute.

use std::ffi::CStr;

use cudarc::driver::sys::{CUdevice, CUdevice_attribute, CUdevice_attribute as Attribute};

use super::driver::Driver;
use super::error::CudaError;
use crate::dim::Dim3;
use crate::properties::{Limits, Pci, Properties};

/// Returns the GPU's name, such as `NVIDIA H200`.
pub(super) fn name_of(driver: &Driver, device: CUdevice) -> Result<String, CudaError> {
    let mut name = [0; 256];
    // SAFETY: the buffer is one byte longer than the length that is passed.
    unsafe { driver.cuDeviceGetName(name.as_mut_ptr(), 255, device) }?;
    // SAFETY: the last byte of the buffer is still 0, because it is beyond that length.
    Ok(unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned())
}

/// Returns the limits of a launch.
pub(super) fn limits_of(driver: &Driver, device: CUdevice) -> Result<Limits, CudaError> {
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
    Ok(Limits {
        threads_per_block: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        block: Dim3 {
            x: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            y: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            z: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        },
        grid: Dim3 {
            x: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            y: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            z: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        },
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
        compute_capability: Some(compute_capability),
    })
}

/// Returns the hardware properties. Those that the driver does not report are 0.
pub(super) fn properties_of(driver: &Driver, device: CUdevice) -> Result<Properties, CudaError> {
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
pub(super) fn attribute_of(
    driver: &Driver,
    device: CUdevice,
    attribute: CUdevice_attribute,
) -> Result<usize, CudaError> {
    let mut value = 0;
    // SAFETY: the pointer is valid for the write.
    unsafe { driver.cuDeviceGetAttribute(&raw mut value, attribute, device) }?;
    Ok(usize::try_from(value).unwrap_or(0))
}
