//! A compilation request: the CUDA C of a kernel, with the compiler options that the kernel's options select.

use std::borrow::Cow;

use cumbia_kernel_compiler::Variant;

use crate::definition::LinkedFile;
use crate::options::Options;

/// A compilation request: the CUDA C of a kernel, and its options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The kernel's name, for errors.
    pub(crate) kernel: &'a str,
    /// The kernel with its path and types, for `tracing` events.
    pub(crate) instance: &'a str,
    /// The variant, for `tracing` events.
    pub(crate) variant: Variant,
    /// The number of logical threads that a CUDA thread executes, for `tracing` events.
    pub(crate) coarsened: u32,
    /// The CUDA C source.
    pub(crate) source: &'a str,
    /// The compiler flags.
    pub(crate) flags: Flags,
    /// The files that define device functions, which are linked to the compiled source.
    pub(crate) linked: &'a [LinkedFile],
}

impl<'a> Request<'a> {
    /// Returns a request of hand-written CUDA C, with the flags of a kernel without options.
    pub(crate) fn of_source(name: &'a str, source: &'a str) -> Request<'a> {
        Request {
            kernel: name,
            instance: name,
            variant: Variant::Checked,
            coarsened: 1,
            source,
            flags: Flags::default(),
            linked: &[],
        }
    }
}

/// The compiler flags that a kernel's options select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    /// Whether `a * b + c` may be contracted to a fused multiply-add, which rounds once.
    pub(crate) fmad: bool,
    /// Approximate functions and flushing of subnormal numbers to zero.
    pub(crate) fast_math: bool,
    /// The maximum number of registers per thread.
    pub(crate) max_registers: Option<u32>,
    /// The maximum number of registers per thread that the launch bounds permit.
    pub(crate) bounded_registers: Option<u32>,
}

impl Default for Flags {
    /// The flags of a kernel without options.
    fn default() -> Self {
        Flags { fmad: true, fast_math: false, max_registers: None, bounded_registers: None }
    }
}

impl From<Options> for Flags {
    fn from(options: Options) -> Self {
        let Options { fmad, fast_math, max_registers, .. } = options;
        Flags { fmad, fast_math, max_registers, bounded_registers: options.bounds().map(registers_for) }
    }
}

/// Returns the registers per thread with which so many blocks of so many threads are resident on a multiprocessor, which has
/// 65536. They are allocated in units of 8 for each thread of a warp.
pub(super) fn registers_for((threads, blocks): (u32, Option<u32>)) -> u32 {
    const REGISTERS: u32 = 65536;
    const MAX_PER_THREAD: u32 = 255;
    let threads = u64::from(threads.next_multiple_of(32).max(32)) * u64::from(blocks.unwrap_or(1).max(1));
    let registers = (u64::from(REGISTERS) / threads) as u32 & !7;
    registers.clamp(16, MAX_PER_THREAD)
}

/// Returns the options besides the architecture. They are part of the cache key.
pub(crate) fn options(request: Request<'_>) -> Vec<Cow<'static, str>> {
    let Flags { fmad, fast_math, max_registers, bounded_registers: _ } = request.flags;
    let mut options: Vec<Cow<'static, str>> = Vec::with_capacity(8);
    options.push(if fmad { "--fmad=true" } else { "--fmad=false" }.into());
    // Line tables have no run-time cost, and let profilers and compute-sanitizer refer to Rust source lines.
    options.push("--generate-line-info".into());
    options.push("--std=c++17".into());
    // Files in the working directory, or beside a linked file, are not part of the cache key.
    options.push("--no-source-include".into());
    if fast_math {
        // Implies `--fmad=true`, which an explicit option overrides.
        options.push("--use_fast_math".into());
    }
    if let Some(most) = max_registers {
        options.push(format!("--maxrregcount={most}").into());
    }
    if !request.linked.is_empty() {
        options.push("--relocatable-device-code=true".into());
    }
    options
}

/// Returns the inputs that determine an image besides its architecture and the versions of NVRTC and nvJitLink.
pub(crate) fn recipe_parts<'a>(request: Request<'a>, options: &'a [Cow<'static, str>]) -> Vec<&'a [u8]> {
    let texts = std::iter::once(request.source).chain(options.iter().map(AsRef::as_ref));
    // The path is in messages only, and the kind determines how the contents are used.
    let files = request.linked.iter().flat_map(|file| [file.kind.name().as_bytes(), file.bytes]);
    texts.map(str::as_bytes).chain(files).collect()
}
