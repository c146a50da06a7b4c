//! Launch errors: why a launch failed validation, before anything was enqueued.

use std::fmt;

use thiserror::Error;

use super::compile::version_text;
use super::proof::FailedCondition;
use super::{DeviceName, SharedError};

use crate::cuda::Version;
use crate::dim::Dim3;

/// Why a launch failed validation. Nothing was enqueued.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// `.launch()` without `.grid(..)` and `.block(..)` or `.over(..)`.
    #[error(
        "kernel `{kernel}` was launched without {missing}\n  help: call `.grid(blocks)` and `.block(threads)`, or `.over(n)` for as many threads as there are items"
    )]
    NotConfigured {
        /// The kernel.
        kernel: &'static str,
        /// The missing part of the configuration.
        missing: MissingConfig,
    },
    /// A grid, block or cluster with an extent of 0.
    #[error(
        "kernel `{kernel}`: the {extent} is {requested}, but each dimension must be at least 1\n  help: if the number of items may be 0, call `.over(n)`: `.over(0)` launches nothing"
    )]
    ZeroDimension {
        /// The kernel.
        kernel: &'static str,
        /// Whose extent is 0.
        extent: LaunchExtent,
        /// The requested size.
        requested: Dim3,
    },
    /// More threads in a block than the device, or this kernel on it, supports.
    #[error(
        "kernel `{kernel}`: a block of {requested} has {threads} threads, but at most {limit} are possible on {device}: {reason}\n  help: {}",
        reason.help(*threads, *limit)
    )]
    BlockTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The requested block.
        requested: Dim3,
        /// Its number of threads.
        threads: u64,
        /// The maximum number of threads.
        limit: u64,
        /// What sets the limit.
        reason: BlockLimit,
        /// The device.
        device: DeviceName,
    },
    /// A block or grid with an extent above the device's limit.
    #[error(
        "kernel `{kernel}`: the {extent} is {requested}, but the largest one on {device} is {limit}\n  help: {}",
        extent.help()
    )]
    DimensionTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// Whose extent is too large.
        extent: LaunchExtent,
        /// The requested size.
        requested: Dim3,
        /// The limit in each dimension.
        limit: Dim3,
        /// The device.
        device: DeviceName,
    },
    /// More shared memory per block than the device has.
    #[error(
        "kernel `{kernel}`: a block needs {requested} bytes of shared memory ({fixed} for the kernel's shared arrays, {dynamic} set by `.shared_bytes(..)`), but at most {limit} are possible on {device}\n  help: make the shared arrays smaller, or request less with `.shared_bytes(..)`"
    )]
    SharedMemoryTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The total, in bytes.
        requested: u64,
        /// Static shared memory (`shared::<..>()`), in bytes.
        fixed: u64,
        /// Dynamic shared memory (`.shared_bytes(..)`), in bytes.
        dynamic: u64,
        /// The limit per block, in bytes.
        limit: u64,
        /// The device.
        device: DeviceName,
    },
    /// Variables of a thread that exceed the stack of a thread on the CPU device.
    #[error(
        "kernel `{kernel}`: the variables of a thread may need {requested} bytes of stack, but a thread on {device} has {limit}\n  help: make the kernel's local arrays smaller, or move their contents to a `&mut [_]` argument"
    )]
    StackTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// An upper bound of the stack that a thread needs, in bytes, estimated from the types of all variables and values.
        requested: u64,
        /// The limit per thread, in bytes.
        limit: u64,
        /// The device.
        device: DeviceName,
    },
    /// More blocks in a cluster than the device, or this kernel on it, supports.
    #[error(
        "kernel `{kernel}`: a cluster of {requested} has {blocks} blocks, but at most {limit} blocks of this kernel fit into a cluster on {device}\n  help: launch smaller clusters, or blocks with fewer threads or less shared memory"
    )]
    ClusterTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The requested cluster, in blocks.
        requested: Dim3,
        /// Its number of blocks.
        blocks: u64,
        /// The maximum number of blocks.
        limit: u64,
        /// The device.
        device: DeviceName,
    },
    /// A grid whose extents are not multiples of the cluster's.
    #[error(
        "kernel `{kernel}`: the grid of {grid} blocks must be a multiple of the cluster of {cluster} blocks in each dimension, but is not\n  help: round the grid up, or call `.over(n)`, which does so"
    )]
    ClusterDoesNotDivide {
        /// The kernel.
        kernel: &'static str,
        /// The cluster, in blocks.
        cluster: Dim3,
        /// The grid, in blocks.
        grid: Dim3,
    },
    /// A launch with clusters on a device that does not support them.
    #[error(
        "kernel `{kernel}` was launched with `.cluster(..)`, but {device} does not support clusters: {reason}\n  help: {}",
        reason.help()
    )]
    NoClusters {
        /// The kernel.
        kernel: &'static str,
        /// The device.
        device: DeviceName,
        /// Why the device does not support clusters.
        reason: NoClusters,
    },
    /// A block other than that of `#[kernel(block = ..)]`.
    #[error(
        "kernel `{kernel}` was launched with a block of {requested}, but `#[kernel(block = ..)]` compiles it for a block of {fixed}\n  help: remove `.block(..)`, or change the option"
    )]
    BlockFixed {
        /// The kernel.
        kernel: &'static str,
        /// The requested block.
        requested: Dim3,
        /// The kernel's block.
        fixed: Dim3,
    },
    /// A kernel with a grid-wide barrier, launched non-cooperatively.
    #[error(
        "kernel `{kernel}` calls `sync_grid`, which requires a cooperative launch: all blocks are resident on the device at once\n  help: call `.cooperative()` before `.launch()`"
    )]
    NotCooperative {
        /// The kernel.
        kernel: &'static str,
    },
    /// A cooperative launch of more blocks than can be resident on the device at once.
    #[error(
        "kernel `{kernel}`: the cooperative launch has {requested} blocks of {block} threads, but at most {possible} such blocks can be resident on {device} at once\n  help: launch at most `.cooperative_blocks()?` blocks, and let each thread process several items in a grid-stride loop"
    )]
    GridNotResident {
        /// The kernel.
        kernel: &'static str,
        /// The requested number of blocks.
        requested: u64,
        /// Their size, in threads.
        block: Dim3,
        /// The maximum number of resident blocks of this size.
        possible: u64,
        /// The device.
        device: DeviceName,
    },
    /// A length, a number of threads or an argument that does not fit into 32 bits, in a kernel with `index = u32`.
    #[error(
        "kernel `{kernel}` has `index = u32`, but a length, a thread index or a `usize` argument of this launch can be as large as {requested}, which 32 bits do not hold\n  help: remove the option, or launch the kernel on parts of fewer than 2^32 elements"
    )]
    IndexTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The largest of these numbers.
        requested: u64,
    },
    /// Arguments on different devices.
    #[error(
        "kernel `{kernel}`: all arrays of a launch must be on one device, but `{first}` is on {first_device} and `{second}` on {second_device}\n  help: copy one of them to the other device: `device.to_device(&array.to_host()?)?`"
    )]
    MixedDevices {
        /// The kernel.
        kernel: &'static str,
        /// A parameter.
        first: &'static str,
        /// The device of its array.
        first_device: DeviceName,
        /// Another parameter.
        second: &'static str,
        /// The device of its array.
        second_device: DeviceName,
    },
    /// An invalid argument.
    #[error("kernel `{kernel}`: invalid argument for `{parameter}`: {cause}")]
    Argument {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// Why it is invalid.
        cause: SharedError,
    },
    /// Arguments that exceed a GPU's parameter memory.
    #[error(
        "kernel `{kernel}`: the arguments have {bytes} bytes, but a launch on a GPU can pass at most {limit}\n  help: pass large structs and arrays as elements of a `&[_]` argument"
    )]
    ArgumentsTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The total size, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A launch of a kernel with `prove` for which a check is not proved.
    #[error(
        "kernel `{kernel}` has `prove`, but this launch is not proved to pass its checks\n{}\n  help: launch it with arguments, a grid and a block that satisfy the {}, or remove `prove`: the launch then executes the checks",
        failed.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        if failed.len() == 1 { "condition" } else { "conditions" }
    )]
    Unproven {
        /// The kernel.
        kernel: &'static str,
        /// The conditions that do not hold.
        failed: Vec<FailedCondition>,
    },
    /// No argument is on a device, and none was set.
    #[error(
        "kernel `{kernel}`: no argument is a device array, so the device of the launch is unknown\n  help: set it with `.on_device(&device)`"
    )]
    NoDevice {
        /// The kernel.
        kernel: &'static str,
    },
}

/// The missing part of a launch configuration, in [`LaunchError::NotConfigured`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissingConfig {
    /// The grid.
    Grid,
    /// The block.
    Block,
    /// Both.
    GridAndBlock,
}

impl fmt::Display for MissingConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MissingConfig::Grid => "a grid",
            MissingConfig::Block => "a block",
            MissingConfig::GridAndBlock => "a grid and a block",
        })
    }
}

/// A part of a launch configuration that has three extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchExtent {
    /// The grid, in blocks.
    Grid,
    /// The block, in threads.
    Block,
    /// The cluster, in blocks.
    Cluster,
}

impl fmt::Display for LaunchExtent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LaunchExtent::Grid => "grid",
            LaunchExtent::Block => "block",
            LaunchExtent::Cluster => "cluster",
        })
    }
}

impl LaunchExtent {
    /// Returns the remedy for an extent above the limit.
    fn help(self) -> &'static str {
        match self {
            LaunchExtent::Grid => {
                "launch fewer blocks and let each thread process several items in a grid-stride loop, or put the longest \
                 dimension in x, which has the highest limit"
            }
            LaunchExtent::Block => "launch smaller blocks, or put the longest dimension in x",
            LaunchExtent::Cluster => "launch smaller clusters",
        }
    }
}

/// The source of the limit of threads per block, in [`LaunchError::BlockTooLarge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BlockLimit {
    /// The device, for any kernel.
    #[error("this is the device's limit for all kernels")]
    Device,
    /// The kernel's `launch_bounds`, for which it was compiled.
    #[error("the kernel is compiled with `launch_bounds`")]
    LaunchBounds,
    /// Register pressure: the threads of a block share a limited number of registers.
    #[error("this kernel needs {per_thread} registers per thread, and the threads of a block share {per_block}")]
    Registers {
        /// Registers of a thread of this kernel.
        per_thread: usize,
        /// Registers available to a block.
        per_block: usize,
    },
    /// The machine code of the kernel, for a reason other than its registers.
    #[error("this is the driver's limit for the compiled kernel")]
    Code,
}

impl BlockLimit {
    /// Returns the remedy for a block of `threads` threads, where at most `limit` are possible.
    fn help(self, threads: u64, limit: u64) -> String {
        match self {
            BlockLimit::Registers { per_thread: _, per_block } if threads <= 1024 => {
                // Registers are allocated in units of eight per thread (CUDA Occupancy Calculator, "register allocation unit
                // size").
                let fewer = per_block as u64 / threads.next_multiple_of(32).max(1) / 8 * 8;
                format!(
                    "launch blocks of at most {limit} threads, or limit the registers with \
                     `#[kernel(launch_bounds({threads}))]` or `#[kernel(max_registers = {fewer})]`"
                )
            }
            BlockLimit::LaunchBounds => format!("launch blocks of at most {limit} threads, or raise `launch_bounds`"),
            BlockLimit::Device | BlockLimit::Registers { .. } | BlockLimit::Code => {
                format!("launch more blocks of at most {limit} threads, or call `.over(n)`, which picks the block")
            }
        }
    }
}

/// Why a device does not support thread block clusters, in [`LaunchError::NoClusters`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoClusters {
    /// The GPU's compute capability is below 9.0.
    #[error("its compute capability is {}.{}, but clusters require 9.0", .0.0, .0.1)]
    ComputeCapability((u32, u32)),
    /// The driver is older than CUDA 11.8.
    #[error("its driver supports CUDA {}, but clusters require 11.8", version_text(*version))]
    Driver {
        /// The latest CUDA version that the driver supports; `None` if it is not known.
        version: Option<Version>,
    },
}

impl NoClusters {
    fn help(&self) -> &'static str {
        match self {
            NoClusters::ComputeCapability(_) => {
                "call `.cluster(..)` only if `device.limits().blocks_per_cluster` is at least 2"
            }
            NoClusters::Driver { .. } => "update NVIDIA's driver",
        }
    }
}
