//! Device properties: limits of a launch, hardware, and available memory.

use crate::block_picker::Extents;
use crate::cuda::RawLimits;
pub use crate::cuda::{Pci, Properties};
use crate::dim::Dim3;
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

impl From<&Limits> for Extents {
    fn from(&Limits { threads_per_block: threads, block, grid, .. }: &Limits) -> Self {
        Extents { threads, block, grid }
    }
}

impl From<&RawLimits> for Limits {
    fn from(raw: &RawLimits) -> Limits {
        let &RawLimits {
            threads_per_block,
            block,
            grid,
            blocks_per_cluster,
            blocks_per_cluster_opt_in,
            shared_bytes_per_block,
            shared_bytes_per_block_opt_in,
            shared_bytes_per_multiprocessor,
            registers_per_block,
            registers_per_multiprocessor,
            threads_per_multiprocessor,
            blocks_per_multiprocessor,
            multiprocessors,
            total_memory,
            compute_capability,
        } = raw;
        let dim = |[x, y, z]: [usize; 3]| Dim3 { x, y, z };
        Limits {
            threads_per_block,
            block: dim(block),
            grid: dim(grid),
            blocks_per_cluster,
            blocks_per_cluster_opt_in,
            shared_bytes_per_block,
            shared_bytes_per_block_opt_in,
            shared_bytes_per_multiprocessor,
            registers_per_block,
            registers_per_multiprocessor,
            threads_per_multiprocessor,
            blocks_per_multiprocessor,
            multiprocessors,
            total_memory,
            compute_capability: Some(compute_capability),
        }
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

/// Returns the host's available and total memory in bytes; 0 where the system does not report it.
pub(crate) fn host_memory() -> (usize, usize) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let field = |name: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse().ok());
        kilobytes.map_or(0, |kilobytes: usize| kilobytes.saturating_mul(1024))
    };
    (field("MemAvailable:"), field("MemTotal:"))
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
