//! What a device is and has: its limits for a launch, its hardware, and its memory at this moment.

use std::fmt;

use crate::dim::Dim3;
use crate::memory::host_memory;
use crate::sync::OnceLock;

/// What a launch on a device may ask for, and what the device has to run it with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most threads in a block; a kernel that needs many registers may run fewer.
    pub threads_per_block: usize,
    /// The longest block in each dimension.
    pub block: Dim3,
    /// The longest grid in each dimension.
    pub grid: Dim3,
    /// Blocks that any cluster may have; 0 where there are no clusters.
    pub blocks_per_cluster: usize,
    /// Blocks that a cluster may have where they are small enough; Cumbia asks for it when needed.
    pub blocks_per_cluster_opt_in: usize,
    /// Bytes of shared memory that any block may have.
    pub shared_bytes_per_block: usize,
    /// Bytes of shared memory that a block gets when it asks for more than that; Cumbia asks when needed.
    pub shared_bytes_per_block_opt_in: usize,
    /// Bytes of shared memory that the blocks of a multiprocessor have together.
    pub shared_bytes_per_multiprocessor: usize,
    /// Registers of 32 bits that the threads of a block have together; 0 on the CPU.
    pub registers_per_block: usize,
    /// Registers of 32 bits of a multiprocessor; 0 on the CPU.
    pub registers_per_multiprocessor: usize,
    /// The most threads that are on a multiprocessor at once.
    pub threads_per_multiprocessor: usize,
    /// The most blocks that are on a multiprocessor at once.
    pub blocks_per_multiprocessor: usize,
    /// Multiprocessors of a GPU; threads that run at a time on the CPU.
    pub multiprocessors: usize,
    /// Bytes of memory; 0 where it is not known.
    pub total_memory: usize,
    /// The compute capability of a GPU, such as `(9, 0)`.
    pub compute_capability: Option<(u32, u32)>,
}

/// The hardware of a GPU, as its driver describes it. What it does not say is 0.
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
    /// The highest clock of the multiprocessors, in Hz.
    pub clock_hz: u64,
    /// The highest clock of the memory, in Hz.
    pub memory_clock_hz: u64,
    /// Bits that the memory moves at a time.
    pub memory_bus_bits: usize,
    /// Bytes of the cache before the memory.
    pub l2_cache_bytes: usize,
    /// Bytes of constant memory.
    pub constant_bytes: usize,
    /// Engines that copy while kernels run.
    pub copy_engines: usize,
    /// Whether the memory corrects its errors.
    pub ecc: bool,
    /// Whether the GPU shares the host's memory, as those inside a processor do.
    pub integrated: bool,
    /// Whether all blocks of a launch can be on the GPU at once, for `.cooperative()`.
    pub cooperative_launch: bool,
    /// Where the GPU is on the PCI bus: domain, bus, device.
    pub pci: Pci,
}

/// A place on the PCI bus. Its text is as `nvidia-smi` and `lspci` have it: `0000:1b:00.0`.
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

/// The memory of a device at one moment, in bytes. Other programs use it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// What is free. On a GPU, what Cumbia keeps for the next arrays is not.
    pub free: usize,
    /// All there is.
    pub total: usize,
}

impl MemoryInfo {
    pub(crate) fn new(free: usize, total: usize) -> MemoryInfo {
        MemoryInfo { free, total }
    }
}

/// The limits of the CPU device: those of a GPU, so that what runs here runs there.
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
        // A thread of the host runs one block at a time.
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
    fn a_place_on_the_bus_has_the_usual_text() {
        assert_eq!(Pci { domain: 0, bus: 0x1b, device: 0 }.to_string(), "0000:1b:00.0");
        assert_eq!(Pci { domain: 0x1_0000, bus: 255, device: 31 }.to_string(), "10000:ff:1f.0");
    }
}
