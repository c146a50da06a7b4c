//! Device properties: limits of a launch, hardware, and available memory.

use std::fmt;

use crate::dim::Dim3;
use crate::memory::host_memory;
use crate::sync::OnceLock;

/// The limits of a launch on a device, and the resources of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum number of threads per block; a kernel with high register pressure may allow fewer.
    pub threads_per_block: usize,
    /// The maximum extent of a block in each dimension.
    pub block: Dim3,
    /// The maximum extent of a grid in each dimension.
    pub grid: Dim3,
    /// The portable cluster size in blocks; 0 without support for clusters.
    pub blocks_per_cluster: usize,
    /// The non-portable maximum of the cluster size, for blocks that are small enough; Cumbia opts in when needed.
    pub blocks_per_cluster_opt_in: usize,
    /// The shared memory that any block may use, in bytes.
    pub shared_bytes_per_block: usize,
    /// The shared memory that a block may use after opting in, in bytes; Cumbia opts in when needed.
    pub shared_bytes_per_block_opt_in: usize,
    /// The shared memory of a multiprocessor, in bytes.
    pub shared_bytes_per_multiprocessor: usize,
    /// The maximum number of 32-bit registers per block; 0 on the CPU.
    pub registers_per_block: usize,
    /// The number of 32-bit registers of a multiprocessor; 0 on the CPU.
    pub registers_per_multiprocessor: usize,
    /// The maximum number of resident threads per multiprocessor.
    pub threads_per_multiprocessor: usize,
    /// The maximum number of resident blocks per multiprocessor.
    pub blocks_per_multiprocessor: usize,
    /// The number of multiprocessors of a GPU; the available parallelism of the CPU.
    pub multiprocessors: usize,
    /// The device memory in bytes; 0 if unknown.
    pub total_memory: usize,
    /// The compute capability of a GPU, such as `(9, 0)`.
    pub compute_capability: Option<(u32, u32)>,
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

impl fmt::Display for Pci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pci { domain, bus, device } = self;
        write!(f, "{domain:04x}:{bus:02x}:{device:02x}.0")
    }
}

/// The memory of a device at one moment, in bytes. It is shared with other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// The free memory. On a GPU, freed memory that Cumbia's pool retains for later arrays does not count as free.
    pub free: usize,
    /// The total memory.
    pub total: usize,
}

impl MemoryInfo {
    pub(crate) fn new(free: usize, total: usize) -> MemoryInfo {
        MemoryInfo { free, total }
    }
}

/// Returns the limits of the CPU device: those of a GPU, so that a launch that is valid here is valid there.
pub(crate) fn cpu_limits() -> &'static Limits {
    static LIMITS: OnceLock<Limits> = OnceLock::new();
    LIMITS.get_or_init(|| Limits {
        threads_per_block: 1024,
        block: Dim3 { x: 1024, y: 1024, z: 64 },
        grid: Dim3 { x: (1 << 31) - 1, y: 65535, z: 65535 },
        blocks_per_cluster: 8,
        blocks_per_cluster_opt_in: 16,
        shared_bytes_per_block: 48 << 10,
        shared_bytes_per_block_opt_in: 227 << 10,
        shared_bytes_per_multiprocessor: 228 << 10,
        registers_per_block: 0,
        registers_per_multiprocessor: 0,
        // A host thread runs one block at a time.
        threads_per_multiprocessor: 1024,
        blocks_per_multiprocessor: 1,
        multiprocessors: std::thread::available_parallelism().map_or(1, usize::from),
        total_memory: host_memory().1,
        compute_capability: None,
    })
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
