//! Why a launch was refused before anything ran.

use thiserror::Error;

use crate::dim::Dim3;

/// Why a launch was refused before anything ran.
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
        /// `a grid`, `a block`, or both.
        missing: &'static str,
    },
    /// A grid, a block or a cluster with nothing in one of its dimensions.
    #[error(
        "kernel `{kernel}`: the {what} is {requested}, and no dimension may be 0\n  help: a launch over nothing is `.over(0)`"
    )]
    ZeroDimension {
        /// The kernel.
        kernel: &'static str,
        /// `grid`, `block` or `cluster`.
        what: &'static str,
        /// As asked for.
        requested: Dim3,
    },
    /// More threads in a block than the device, or this kernel on it, can run.
    #[error(
        "kernel `{kernel}`: a block of {requested} is {threads} threads, and {device} runs at most {limit}: {reason}{}",
        reason.help(*threads)
    )]
    BlockTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// As asked for.
        requested: Dim3,
        /// Its threads.
        threads: u64,
        /// The most that are possible.
        limit: u64,
        /// What sets the limit.
        reason: BlockLimit,
        /// The device.
        device: String,
    },
    /// A block or grid that is too long in one dimension.
    #[error("kernel `{kernel}`: the {what} is {requested}, and {device} takes at most {limit}")]
    DimensionTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// `grid` or `block`.
        what: &'static str,
        /// As asked for.
        requested: Dim3,
        /// The most in each dimension.
        limit: Dim3,
        /// The device.
        device: String,
    },
    /// More shared memory for each block than the device has.
    #[error(
        "kernel `{kernel}`: {requested} bytes of shared memory ({fixed} in the kernel's shared arrays, {dynamic} dynamic), and {device} has {limit} for a block"
    )]
    SharedMemoryTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// Bytes in all.
        requested: u64,
        /// Those of `shared::<..>()`.
        fixed: u64,
        /// Those of `.shared_bytes(..)`.
        dynamic: u64,
        /// The most that are possible.
        limit: u64,
        /// The device.
        device: String,
    },
    /// More memory in the variables of a thread than the CPU device gives it.
    #[error(
        "kernel `{kernel}`: the variables of a thread may take {requested} bytes of stack, and {device} has {limit} for each\n  help: make its local arrays smaller, or keep them in an argument"
    )]
    StackTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// Bytes that a thread may take, estimated from the types of all variables and values.
        requested: u64,
        /// The most that are possible.
        limit: u64,
        /// The device.
        device: String,
    },
    /// More blocks in a cluster than the device, or this kernel on it, can run.
    #[error(
        "kernel `{kernel}`: a cluster of {requested} is {blocks} blocks, and {device} takes at most {limit} blocks of this kernel\n  help: make the cluster smaller, or its blocks: fewer threads, registers or bytes of shared memory"
    )]
    ClusterTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// As asked for, in blocks.
        requested: Dim3,
        /// Its blocks.
        blocks: u64,
        /// The most that are possible.
        limit: u64,
        /// The device.
        device: String,
    },
    /// A grid that clusters do not divide.
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
    /// Clusters on a device that has none.
    #[error("kernel `{kernel}` was launched in clusters, and {device} has none: {reason}")]
    NoClusters {
        /// The kernel.
        kernel: &'static str,
        /// The device.
        device: String,
        /// What is missing.
        reason: NoClusters,
    },
    /// Another block than the one that `#[kernel(block = ..)]` says.
    #[error(
        "kernel `{kernel}`: the block is {requested}, and the kernel is written for one of {fixed}\n  help: leave `.block(..)` out"
    )]
    BlockFixed {
        /// The kernel.
        kernel: &'static str,
        /// As asked for.
        requested: Dim3,
        /// The kernel's.
        fixed: Dim3,
    },
    /// A kernel with a barrier for the whole grid, launched as any other.
    #[error(
        "kernel `{kernel}` calls `sync_grid`, for which all blocks have to be on the device at once\n  help: call `.cooperative()` before `.launch()`"
    )]
    NotCooperative {
        /// The kernel.
        kernel: &'static str,
    },
    /// A cooperative launch of more blocks than the device can hold at once.
    #[error(
        "kernel `{kernel}`: a cooperative launch of {requested} blocks of {block} threads, and {device} can hold {possible} such blocks at once\n  help: launch no more than `.cooperative_blocks()`, and let each thread do the work of several"
    )]
    GridNotResident {
        /// The kernel.
        kernel: &'static str,
        /// Blocks asked for.
        requested: u64,
        /// Their size.
        block: Dim3,
        /// The most blocks of this size that can be on the device at once.
        possible: u64,
        /// The device.
        device: String,
    },
    /// A length, a number of threads or an argument that an index of 32 bits does not reach.
    #[error(
        "kernel `{kernel}`: an array, a grid or an argument comes to {requested}, and the kernel has `index = u32`\n  help: leave the option out, or launch the kernel on parts of fewer than 2^32 elements"
    )]
    IndexTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The largest number.
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
        /// Where its array is.
        first_device: String,
        /// Another parameter.
        second: &'static str,
        /// Where its array is.
        second_device: String,
    },
    /// An argument that cannot be one.
    #[error("kernel `{kernel}`: `{parameter}` cannot be its argument: {reason}")]
    Argument {
        /// The kernel.
        kernel: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Arguments that do not fit into the memory that a kernel's arguments have.
    #[error(
        "kernel `{kernel}`: its arguments are {bytes} bytes, and a GPU takes at most {limit}\n  help: pass large structs and arrays as a `&[_]`"
    )]
    ArgumentsTooLarge {
        /// The kernel.
        kernel: &'static str,
        /// Bytes in all.
        bytes: usize,
        /// The most that are possible.
        limit: usize,
    },
    /// No argument is on a device, so none says where to run.
    #[error(
        "kernel `{kernel}` has no array of a device among its arguments, so nothing says where to run\n  help: name the device with `.on_device(&device)`"
    )]
    NoDevice {
        /// The kernel.
        kernel: &'static str,
    },
}

/// What limits the threads of a block, in [`LaunchError::BlockTooLarge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BlockLimit {
    /// The device, for any kernel.
    #[error("the device's limit for any kernel")]
    Device,
    /// What the kernel promised its compiler.
    #[error("the kernel's `launch_bounds`")]
    LaunchBounds,
    /// The registers of a block.
    #[error("this kernel needs {per_thread} registers per thread, and a block has {per_block}")]
    Registers {
        /// What a thread of this kernel needs.
        per_thread: usize,
        /// What all threads of a block can have.
        per_block: usize,
    },
    /// The machine code of the kernel, for another reason than its registers.
    #[error("this kernel's machine code takes no more")]
    Code,
}

impl BlockLimit {
    /// What a user can do to have a block of `threads` threads, as the end of a message.
    fn help(self, threads: u64) -> String {
        match self {
            BlockLimit::Registers { per_thread: _, per_block } if threads <= 1024 => {
                // Registers are handed out by the eight (CUDA Occupancy Calculator, "register allocation unit size").
                let fewer = per_block as u64 / threads.next_multiple_of(32).max(1) / 8 * 8;
                format!(
                    "\n  help: launch smaller blocks, or have it compiled for fewer registers with \
                     `#[kernel(launch_bounds({threads}))]` or `#[kernel(max_registers = {fewer})]`"
                )
            }
            BlockLimit::LaunchBounds => "\n  help: launch smaller blocks, or raise the bound".to_owned(),
            BlockLimit::Device | BlockLimit::Registers { .. } | BlockLimit::Code => String::new(),
        }
    }
}

/// Why a device has no clusters of blocks, in [`LaunchError::NoClusters`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoClusters {
    /// The GPU is too old.
    #[error("its compute capability is {}.{}, and clusters came with 9.0", .0.0, .0.1)]
    ComputeCapability((u32, u32)),
    /// The driver is too old.
    #[error("its driver serves CUDA {version}, and clusters came with 11.8\n  help: update NVIDIA's driver")]
    Driver {
        /// The newest CUDA version that the driver serves.
        version: String,
    },
}
