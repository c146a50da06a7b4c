//! Launch errors: why a launch failed validation, before anything was enqueued.

use std::fmt;

use thiserror::Error;

use super::SharedError;

use crate::dim::Dim3;

/// Why a launch failed validation. Nothing was enqueued.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// `.launch()` without `.grid(..)` and `.block(..)` or `.over(..)`.
    #[error(
        "kernel `{kernel}` was launched without {missing}\n  help: call `.grid(..)` and `.block(..)`, or `.over(n)` to have both picked"
    )]
    NotConfigured {
        /// The kernel.
        kernel: &'static str,
        /// The missing part of the configuration.
        missing: MissingConfig,
    },
    /// A grid, block or cluster with an extent of 0.
    #[error(
        "kernel `{kernel}`: the {extent} is {requested}, and no dimension may be 0\n  help: to launch over no items, call `.over(0)`"
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
        "kernel `{kernel}`: a block of {requested} has {threads} threads, and {device} supports at most {limit}: {reason}{}",
        reason.help(*threads)
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
        device: String,
    },
    /// A block or grid with an extent above the device's limit.
    #[error("kernel `{kernel}`: the {extent} is {requested}, and {device} supports at most {limit}")]
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
        device: String,
    },
    /// More shared memory per block than the device has.
    #[error(
        "kernel `{kernel}`: {requested} bytes of shared memory ({fixed} in the kernel's shared arrays, {dynamic} dynamic), and {device} has {limit} per block"
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
        device: String,
    },
    /// Variables of a thread that exceed the stack of a thread on the CPU device.
    #[error(
        "kernel `{kernel}`: the variables of a thread may need {requested} bytes of stack, and {device} has {limit} bytes per thread\n  help: make its local arrays smaller, or keep them in an argument"
    )]
    StackTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// An upper bound of the stack that a thread needs, in bytes, estimated from the types of all variables and values.
        requested: u64,
        /// The limit per thread, in bytes.
        limit: u64,
        /// The device.
        device: String,
    },
    /// More blocks in a cluster than the device, or this kernel on it, supports.
    #[error(
        "kernel `{kernel}`: a cluster of {requested} has {blocks} blocks, and {device} supports at most {limit} blocks of this kernel\n  help: make the cluster smaller, or its blocks, with fewer threads, registers or bytes of shared memory"
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
        device: String,
    },
    /// A grid whose extents are not multiples of the cluster's.
    #[error(
        "kernel `{kernel}`: clusters of {cluster} blocks do not divide a grid of {grid}\n  help: round each dimension of the grid up to a multiple of the cluster's, as `.over(n)` does"
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
    #[error("kernel `{kernel}` was launched with clusters, which {device} does not support: {reason}")]
    NoClusters {
        /// The kernel.
        kernel: &'static str,
        /// The device.
        device: String,
        /// Why the device does not support clusters.
        reason: NoClusters,
    },
    /// A block other than that of `#[kernel(block = ..)]`.
    #[error(
        "kernel `{kernel}`: the block is {requested}, and the kernel is compiled for a block of {fixed}\n  help: remove `.block(..)`"
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
        "kernel `{kernel}` calls `sync_grid`, which requires all blocks to be resident on the device at once\n  help: call `.cooperative()` before `.launch()`"
    )]
    NotCooperative {
        /// The kernel.
        kernel: &'static str,
    },
    /// A cooperative launch of more blocks than can be resident on the device at once.
    #[error(
        "kernel `{kernel}`: a cooperative launch of {requested} blocks of {block} threads, and at most {possible} such blocks can be resident on {device} at once\n  help: launch at most `.cooperative_blocks()` blocks, and let each thread process several items"
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
        device: String,
    },
    /// A length, a number of threads or an argument that does not fit into 32 bits, in a kernel with `index = u32`.
    #[error(
        "kernel `{kernel}`: a length, a grid or an argument reaches {requested}, and the kernel has `index = u32`\n  help: remove the option, or launch the kernel on parts of fewer than 2^32 elements"
    )]
    IndexTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The largest of these numbers.
        requested: u64,
    },
    /// Arguments on different devices.
    #[error(
        "kernel `{kernel}`: `{first}` is on {first_device} and `{second}` on {second_device}\n  help: copy one of them with `to_host` and `to_device`"
    )]
    MixedDevices {
        /// The kernel.
        kernel: &'static str,
        /// A parameter.
        first: &'static str,
        /// The device of its array.
        first_device: String,
        /// Another parameter.
        second: &'static str,
        /// The device of its array.
        second_device: String,
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
        "kernel `{kernel}`: its arguments have {bytes} bytes, and a GPU supports at most {limit}\n  help: pass large structs and arrays as a `&[_]`"
    )]
    ArgumentsTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The total size, in bytes.
        bytes: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// No argument is on a device, and none was set.
    #[error(
        "kernel `{kernel}` has no device array among its arguments, so the device of the launch is unknown\n  help: set it with `.on_device(&device)`"
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

/// The source of the limit of threads per block, in [`LaunchError::BlockTooLarge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BlockLimit {
    /// The device, for any kernel.
    #[error("the device's limit for any kernel")]
    Device,
    /// The kernel's `launch_bounds`, for which it was compiled.
    #[error("the kernel's `launch_bounds`")]
    LaunchBounds,
    /// Register pressure: the threads of a block share a limited number of registers.
    #[error("this kernel needs {per_thread} registers per thread, and a block has {per_block}")]
    Registers {
        /// Registers of a thread of this kernel.
        per_thread: usize,
        /// Registers available to a block.
        per_block: usize,
    },
    /// The machine code of the kernel, for a reason other than its registers.
    #[error("the limit of this kernel's machine code")]
    Code,
}

impl BlockLimit {
    /// Returns the remedies for a block of `threads` threads, as the last line of the message.
    fn help(self, threads: u64) -> String {
        match self {
            BlockLimit::Registers { per_thread: _, per_block } if threads <= 1024 => {
                // Registers are allocated in units of eight per thread (CUDA Occupancy Calculator, "register allocation unit
                // size").
                let fewer = per_block as u64 / threads.next_multiple_of(32).max(1) / 8 * 8;
                format!(
                    "\n  help: launch smaller blocks, or limit its registers with \
                     `#[kernel(launch_bounds({threads}))]` or `#[kernel(max_registers = {fewer})]`"
                )
            }
            BlockLimit::LaunchBounds => "\n  help: launch smaller blocks, or raise the bound".to_owned(),
            BlockLimit::Device | BlockLimit::Registers { .. } | BlockLimit::Code => String::new(),
        }
    }
}

/// Why a device does not support thread block clusters, in [`LaunchError::NoClusters`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoClusters {
    /// The GPU's compute capability is below 9.0.
    #[error("its compute capability is {}.{}, and clusters require 9.0", .0.0, .0.1)]
    ComputeCapability((u32, u32)),
    /// The driver is older than CUDA 11.8.
    #[error("its driver supports CUDA {version}, and clusters require 11.8\n  help: update NVIDIA's driver")]
    Driver {
        /// The newest CUDA version that the driver supports.
        version: String,
    },
}
