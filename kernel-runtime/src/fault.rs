//! Pending faults of a GPU's streams, and their resolution: from a raw fault record to the error that the user sees.

use cumbia_kernel_compiler::SiteKind;

use crate::cpu;
use crate::cuda::{self, Context, LaunchParameter, RawFault};
use crate::dim::Dim3;
use crate::error::{Error, FaultKind, Result};
use crate::kernel_info::KernelInfo;
use crate::layout::Layout;
use crate::message;
use crate::print;
use crate::specialise;

// The layouts of the driver layer are those of the emitted CUDA C: `struct Fault` and `struct Launch`.
const _: () = assert!(cuda::FAULT_RECORD_BYTES == cumbia_kernel_compiler::FAULT_RECORD_BYTES);
const _: () = assert!(cuda::FAULT_ARGS == cumbia_kernel_compiler::PANIC_ARGS);
const _: () = assert!(size_of::<LaunchParameter>() == cumbia_kernel_compiler::LAUNCH_BYTES);

/// Waits until all work enqueued on a stream has completed, prints the output of its kernels, and takes the pending
/// fault.
///
/// # Errors
///
/// [`Error::Fault`], once for each fault, or a CUDA driver error.
pub(crate) fn synchronize(stream: &cuda::Stream) -> Result<()> {
    print::wait_and_print(stream)?;
    take(stream)
}

/// Waits until all work enqueued on a GPU has completed, prints the output of its kernels, and takes one pending fault.
/// The faults of other streams remain pending.
///
/// # Errors
///
/// As for [`synchronize`].
pub(crate) fn synchronize_all(context: &Context) -> Result<()> {
    let streams = context.streams();
    // Wait for all streams and print their output before the first fault is reported.
    let mut waited = Ok(());
    for stream in &streams {
        waited = waited.and(print::wait_and_print(stream));
    }
    waited?;
    streams.iter().try_for_each(|stream| take(stream))
}

/// Returns the pending fault of a completed kernel, or the panic of a callback, if any, as an error and clears it.
pub(crate) fn take(stream: &cuda::Stream) -> Result<()> {
    if let Some(raw) = stream.take_fault()? {
        return Err(resolve(raw));
    }
    stream.take_callback_panic().map_or(Ok(()), |message| Err(Error::Callback { message }))
}

/// Resolves a fault record of a GPU to an error.
pub(crate) fn resolve(raw: RawFault) -> Error {
    let RawFault { kernel: number, site: site_number, block, thread, index, len, args } = raw;
    let [block, thread] = [block, thread].map(|[x, y, z]| Dim3 { x: x as usize, y: y as usize, z: z as usize });
    let kernel = specialise::by_number(number);
    let site =
        kernel.and_then(|kernel| Some((kernel, kernel.interface(Layout::Contiguous).sites.get(site_number as usize)?)));
    match site {
        Some((kernel, site)) => Error::Fault {
            kernel: kernel.info.name,
            file: site.file.as_str().into(),
            line: site.span.line,
            column: site.span.column,
            block,
            thread,
            kind: kind_of(&site.kind, index, len, &args),
        },
        // Only a corrupted record names a kernel or a fault site that does not exist.
        None => Error::Fault {
            kernel: "unknown",
            file: "unknown".into(),
            line: 0,
            column: 0,
            block,
            thread,
            kind: FaultKind::CorruptRecord { kernel: number, site: site_number },
        },
    }
}

fn kind_of(site: &SiteKind, index: u64, len: u64, args: &[u64]) -> FaultKind {
    let panic = |message: String| FaultKind::Panic(message.into());
    match site {
        SiteKind::OutOfBounds => FaultKind::IndexOutOfBounds { index, len },
        SiteKind::RangeReversed => panic(format!("slice index starts at {index} but ends at {len}")),
        SiteKind::RangeStartOutside => {
            panic(format!("range start index {index} out of range for slice of length {len}"))
        }
        SiteKind::RangeEndOutside => panic(format!("range end index {index} out of range for slice of length {len}")),
        SiteKind::DivisionByZero | SiteKind::RemainderByZero => FaultKind::DivisionByZero,
        SiteKind::DynamicSharedMisaligned | SiteKind::DynamicSharedOutside => {
            panic(String::from(cumbia_kernel_lang::fault::DYNAMIC_SHARED))
        }
        SiteKind::Overflow(message) => FaultKind::Overflow((*message).into()),
        SiteKind::Panic(message) | SiteKind::Print(message) => panic(message::format(message, args)),
    }
}

/// Converts a fault on the CPU device to an error.
pub(crate) fn of_cpu(info: &KernelInfo, stopped: cpu::ThreadFault) -> Error {
    let cpu::ThreadFault { block, thread, fault } = stopped;
    Error::Fault {
        kernel: info.name,
        file: fault.file.into(),
        line: fault.line,
        column: fault.column,
        block,
        thread,
        kind: fault.kind,
    }
}
