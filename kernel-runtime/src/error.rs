//! Everything that can go wrong, as data; only `Display` makes sentences of it.

use std::path::PathBuf;

use thiserror::Error;

use crate::dim::Dim3;

/// The result of everything in Cumbia that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong.
#[derive(Error)]
#[non_exhaustive]
pub enum Error {
    /// A thread of a kernel stopped: an index out of bounds, a failed `assert!`, a `panic!`, a division by zero. The
    /// device goes on working.
    #[error("{}", describe_fault(kernel, file, *line, *column, *block, *thread, kind))]
    Fault {
        /// The kernel that was launched.
        kernel: String,
        /// The source file of the operation that faulted, as `file!()` gives it.
        file: String,
        /// Its line, from 1.
        line: u32,
        /// Its column, from 1.
        column: u32,
        /// The block of the thread that faulted first.
        block: Dim3,
        /// The thread in that block.
        thread: Dim3,
        /// What happened.
        kind: FaultKind,
    },
    /// A launch that no device could run.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A device that cannot be opened.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A kernel that did not become machine code.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Memory that the device does not have.
    #[error(
        "out of memory on {device}: {requested} bytes were asked for{}\n  help: drop arrays that are no longer needed, or work in smaller pieces",
        describe_memory(*free, *total)
    )]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes asked for.
        requested: usize,
        /// Bytes free at that time.
        free: usize,
        /// Bytes the device has; 0 where it is not known.
        total: usize,
    },
    /// A copy between arrays of different lengths.
    #[error("{operation}: the source has {from} elements and the target has {to}")]
    LengthMismatch {
        /// The call.
        operation: &'static str,
        /// Elements of what is copied from.
        from: usize,
        /// Elements of what is copied to.
        to: usize,
    },
    /// A step that cannot be part of a [`Graph`](crate::Graph).
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// A stream of another device than what it is to work on.
    #[error(
        "the stream is on {stream}, and what it is to work on is on {device}\n  help: use a stream of that device, as `device.stream()` makes one"
    )]
    StreamElsewhere {
        /// The stream's device.
        stream: String,
        /// Where the array or the kernel is to be.
        device: String,
    },
    /// Two events between which there is no time to be told.
    #[error("the events are on {first} and {second}, whose clocks have nothing to do with each other")]
    EventsApart {
        /// The device of one event.
        first: String,
        /// The device of the other.
        second: String,
    },
    /// A slice or view that would not be inside of its array, or an array whose shape does not do.
    #[error("{0}")]
    Shape(ShapeError),
    /// A file or folder that could not be read or written.
    #[error("{operation} {}: {source}", path.display())]
    File {
        /// What was tried, such as `writing`.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The CUDA driver refused a call that should have worked.
    #[error("the CUDA driver refused {call}: {name} ({message})")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// CUDA's name of the error, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// CUDA's words.
        message: String,
    },
}

/// As [`Display`](std::fmt::Display): it is what a program shows whose `main` returns the error, or that unwraps it.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Why a thread stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// An index that is not below the length.
    IndexOutOfBounds {
        /// The index.
        index: u64,
        /// The length of what was indexed.
        len: u64,
    },
    /// An integer divided by zero, or the remainder of such a division.
    DivisionByZero,
    /// Integer arithmetic that overflowed, in Rust's words: `attempt to add with overflow`.
    Overflow(String),
    /// A `panic!`, or an assertion that did not hold, with its message.
    Panic(String),
    /// The threads of a block wait for each other, and none can go on. Found by the CPU device; a GPU waits for ever.
    Deadlock(Vec<Waiting>),
}

/// Threads of a block that wait at one place, in a [`FaultKind::Deadlock`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waiting {
    /// How many threads of the block wait here.
    pub threads: usize,
    /// The operation at which they wait, such as `sync_threads`.
    pub operation: &'static str,
    /// The source file of its call, as `file!()` gives it.
    pub file: &'static str,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
    /// The lanes that an operation of the warp waits for.
    pub mask: Option<u32>,
    /// Of these, those that do not come, in the first of the warps that wait here.
    pub missing: u32,
}

impl std::fmt::Display for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Waiting { threads, operation, file, line, column, mask, missing } = self;
        let plural = if *threads == 1 { "" } else { "s" };
        write!(f, "{threads} thread{plural} at `{operation}` ({file}:{line}:{column})")?;
        match mask {
            Some(mask) => write!(f, ", whose mask {mask:#010x} names the lanes {missing:#010x} that do not come"),
            None => Ok(()),
        }
    }
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FaultKind::IndexOutOfBounds { index, len } => {
                write!(f, "index out of bounds: the length is {len} but the index is {index}")
            }
            FaultKind::DivisionByZero => f.write_str("attempt to divide by zero"),
            FaultKind::Overflow(message) | FaultKind::Panic(message) => f.write_str(message),
            FaultKind::Deadlock(waits) => {
                f.write_str("the threads of the block wait for each other, and none can go on: ")?;
                for (i, waiting) in waits.iter().enumerate() {
                    let separator = if i == 0 { "" } else { "; " };
                    write!(f, "{separator}{waiting}")?;
                }
                Ok(())
            }
        }
    }
}

fn describe_fault(
    kernel: &str,
    file: &str,
    line: u32,
    column: u32,
    block: Dim3,
    thread: Dim3,
    kind: &FaultKind,
) -> String {
    format!("kernel `{kernel}` faulted at {file}:{line}:{column}, block {block}, thread {thread}: {kind}")
}

fn describe_memory(free: usize, total: usize) -> String {
    if total == 0 { String::new() } else { format!(", {free} of {total} are free") }
}

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
    /// A grid or block with nothing in one of its dimensions.
    #[error(
        "kernel `{kernel}`: the {what} is {requested}, and no dimension may be 0\n  help: a launch over nothing is `.over(0)`"
    )]
    ZeroDimension {
        /// The kernel.
        kernel: &'static str,
        /// `grid` or `block`.
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

/// Why something cannot be part of a [`Graph`](crate::Graph).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A launch with `In`, `Out` or `InOut`.
    #[error(
        "kernel `{kernel}` has an array of the host among its arguments, and a graph runs after its steps were recorded\n  help: copy the array before the run: `let x = device.to_device(&x)?`, then pass `&x`"
    )]
    HostArgument {
        /// The kernel.
        kernel: &'static str,
    },
    /// A launch with memory that another library has lent for a call.
    #[error(
        "kernel `{kernel}` has an array of another library among its arguments, which is lent for one call, and a graph runs after its steps were recorded\n  help: make a `DeviceArray` of it"
    )]
    LentArgument {
        /// The kernel.
        kernel: &'static str,
    },
    /// A copy of memory that another library has lent for a call.
    #[error(
        "an array of another library, which is lent for one call, cannot be copied in a graph, which runs after its steps were recorded\n  help: make a `DeviceArray` of it"
    )]
    LentCopy,
    /// A copy from or to the host.
    #[error(
        "a graph copies between arrays of its device, not from or to the host\n  help: call `stream.copy` before or after the run"
    )]
    HostCopy,
    /// A launch on another stream.
    #[error("kernel `{kernel}` is to run on another stream than the graph\n  help: leave `.on(..)` out")]
    OtherStream {
        /// The kernel.
        kernel: &'static str,
    },
}

/// Why a slice or an [`ArrayView`](crate::ArrayView) cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Lengths that do not multiply to that of the array.
    #[error("an array of {elements} elements has not the shape {}", describe_shape(shape))]
    Reshape {
        /// Elements of the array.
        elements: usize,
        /// As asked for.
        shape: Vec<usize>,
    },
    /// An index that is not below the length.
    #[error("index {index} of dimension {axis}, whose length is {len}")]
    Index {
        /// As asked for.
        index: usize,
        /// The dimension, from 0.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// A range that is reversed or not inside.
    #[error("range {start}..{end} of dimension {axis}, whose length is {len}")]
    Range {
        /// Where it starts.
        start: usize,
        /// Where it ends.
        end: usize,
        /// The dimension, from 0.
        axis: usize,
        /// Its length.
        len: usize,
    },
    /// An array of `ndarray` whose elements do not follow each other in memory, in the order of its indices.
    #[error(
        "an array of shape {} and strides {strides:?} is not contiguous\n  help: `array.as_standard_layout()` gives a copy that is",
        describe_shape(shape)
    )]
    NotContiguous {
        /// Its shape.
        shape: Vec<usize>,
        /// How many elements lie between neighbours of each dimension.
        strides: Vec<isize>,
    },
    /// Elements that do not make whole elements of another type.
    #[error(
        "{elements} elements of {from} are no whole number of {to}\n  help: cast a part that is: `array.slice(..n)?`"
    )]
    CastLength {
        /// How many there are.
        elements: usize,
        /// Their type.
        from: &'static str,
        /// The other type.
        to: &'static str,
    },
    /// A first element that does not stand where one of another type can.
    #[error(
        "a {to} begins at a multiple of {needed} bytes, and this part of an array of {from} does not\n  help: begin the part at a multiple of that"
    )]
    CastAlignment {
        /// The type of the elements.
        from: &'static str,
        /// The other type.
        to: &'static str,
        /// The alignment of the other type, in bytes.
        needed: usize,
    },
    /// A dimension that the view does not have.
    #[error("dimension {axis} of a view of {dimensions}")]
    Axis {
        /// As asked for, from 0.
        axis: usize,
        /// How many there are.
        dimensions: usize,
    },
}

fn describe_shape(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

/// Why there is no such device.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// `CUMBIA_DEVICE` holds something else than a device.
    #[error("CUMBIA_DEVICE is `{value}`, which names no device\n  help: use `cpu`, `cuda` or `cuda:N`")]
    UnknownName {
        /// Its value.
        value: String,
    },
    /// The CUDA driver's library is not on this machine, or it does not start.
    #[error(
        "there is no CUDA driver that can be used (looked for {}): {reason}\n  help: install NVIDIA's driver, or use the CPU with `Device::cpu()` or CUMBIA_DEVICE=cpu",
        searched.join(", ")
    )]
    NoDriver {
        /// The library names that were tried.
        searched: Vec<String>,
        /// What the loader or the driver said.
        reason: String,
    },
    /// A context of another library that is not the GPU's primary one, or a stream of such a context.
    #[error(
        "the CUDA context is not the primary context of {device}, in which Cumbia's arrays and streams are\n  help: make it with `CudaContext::new`"
    )]
    ForeignContext {
        /// The device.
        device: String,
    },
    /// Memory that another library has lent, and that cannot be given away.
    #[error(
        "the memory of the array on {device} belongs to another owner, so that it cannot be given away\n  help: copy the array with `to_device`"
    )]
    ForeignMemory {
        /// The device.
        device: String,
    },
    /// There are fewer GPUs.
    #[error("CUDA device {ordinal} does not exist: this machine has {count}")]
    NoSuchDevice {
        /// The one asked for, from 0.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
}

/// Why there is no machine code.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// NVRTC, the compiler, is not on this machine.
    #[error(
        "NVRTC, CUDA's run-time compiler, was not found\n{}  help: `pip install nvidia-cuda-nvrtc`, or install the CUDA toolkit, or point CUMBIA_NVRTC at libnvrtc.so",
        searched.iter().fold(String::new(), |lines, place| lines + "  looked for " + place + "\n")
    )]
    NoNvrtc {
        /// Every place, with what was found there.
        searched: Vec<String>,
    },
    /// `CUMBIA_NVRTC` holds something else than a usable NVRTC.
    #[error("CUMBIA_NVRTC is `{}`, but {reason}\n  help: point it at libnvrtc.so of CUDA 12.2 or newer, or at its folder, or unset it", path.display())]
    BadNvrtc {
        /// The variable's value.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Neither `nvdisasm` nor `cuobjdump` is on this machine, or none of them can show the code.
    #[error(
        "no program was found that shows machine code\n{}  help: `pip install nvidia-cuda-nvdisasm`, or install the CUDA toolkit, or put the folder of `nvdisasm` or `cuobjdump` on PATH",
        searched.iter().fold(String::new(), |lines, place| lines + "  looked for " + place + "\n")
    )]
    NoDisassembler {
        /// Every place, with what was found there.
        searched: Vec<String>,
    },
    /// NVRTC broke down, for a reason that is not in the source.
    #[error("NVRTC {version} failed in {call}: {message}")]
    NvrtcFailed {
        /// NVRTC's version.
        version: String,
        /// NVRTC's function.
        call: &'static str,
        /// NVRTC's words.
        message: String,
    },
    /// NVRTC refused the source: a bug of ours.
    #[error("NVRTC refused the CUDA C of kernel `{kernel}`, which is a bug in Cumbia; please report it with the source{}\n{log}",
        source_path.as_ref().map_or_else(String::new, |path| format!(" kept in {}", path.display())))]
    NvrtcRefused {
        /// The kernel.
        kernel: String,
        /// NVRTC's log.
        log: String,
        /// Where the source is kept; `None` where no file could be written.
        source_path: Option<PathBuf>,
        /// The source itself.
        source_text: String,
    },
    /// NVRTC refused what the user wrote in CUDA C.
    #[error(
        "NVRTC refused the CUDA C of the device function `{function}`, at {file}:{line}: {message}\n  help: correct the text in `#[device(unsafe(cuda = \"..\"))]`, of which Cumbia knows nothing but its parameters\n{log}"
    )]
    CudaCRefused {
        /// The kernel that calls it.
        kernel: String,
        /// The device function.
        function: String,
        /// The file in Rust.
        file: String,
        /// The line in it, from 1.
        line: u32,
        /// NVRTC's first words about it.
        message: String,
        /// NVRTC's log.
        log: String,
    },
    /// The name of an architecture is not spelled as one.
    #[error(
        "`{name}` is not an architecture\n  help: an architecture is `sm_` or `compute_` and a number, such as `sm_90` or `sm_90a`"
    )]
    NotAnArchitecture {
        /// As asked for.
        name: String,
    },
    /// A `compute_` architecture stands for PTX, which has no machine code before a driver has compiled it.
    #[error("{architecture} has no machine code of its own\n  help: ask for a GPU's, such as `sm_90`")]
    NoMachineCode {
        /// As asked for.
        architecture: String,
    },
    /// The driver did not load what NVRTC made.
    #[error(
        "the CUDA driver, which serves CUDA {driver}, does not load the code of kernel `{kernel}` for {architecture}: {reason}\n  help: update NVIDIA's driver, or point CUMBIA_NVRTC at an NVRTC that is not newer than the driver (`pip install nvidia-cuda-nvrtc-cu12` for CUDA 12)"
    )]
    ImageRefused {
        /// The kernel.
        kernel: String,
        /// What it was compiled for.
        architecture: String,
        /// The newest CUDA version of the driver.
        driver: String,
        /// What the driver said.
        reason: String,
    },
    /// NVRTC does not know the architecture.
    #[error("NVRTC {version} cannot compile for {architecture}: {message}")]
    UnsupportedArchitecture {
        /// As asked for.
        architecture: String,
        /// NVRTC's version.
        version: String,
        /// NVRTC's words.
        message: String,
    },
    /// The kernel breaks a rule that only its types could show.
    #[error("kernel `{kernel}` cannot be compiled\n{errors}")]
    Rejected {
        /// The kernel.
        kernel: String,
        /// What the compiler found.
        errors: String,
    },
}
