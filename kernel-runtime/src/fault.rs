//! Fault resolution: from a device's raw fault record to the error that the user sees.

use cumbia_kernel_ir::SiteKind;

use crate::cpu;
use crate::cuda::RawFault;
use crate::dim::Dim3;
use crate::error::{Error, FaultKind};
use crate::kernel::KernelInfo;
use crate::message;
use crate::specialise::{self, Layout};

/// Resolves a fault record of a GPU to an error.
pub(crate) fn resolve(raw: RawFault) -> Error {
    let RawFault { kernel: number, site, block, thread, index, len, args } = raw;
    let [block, thread] = [block, thread].map(|[x, y, z]| Dim3 { x: x as usize, y: y as usize, z: z as usize });
    let kernel = specialise::by_number(number);
    let site = kernel.and_then(|kernel| Some((kernel, kernel.source(Layout::Contiguous).sites.get(site as usize)?)));
    match site {
        Some((kernel, site)) => Error::Fault {
            kernel: kernel.info.name.to_owned(),
            file: site.file.clone(),
            line: site.span.line,
            column: site.span.column,
            block,
            thread,
            kind: kind_of(&site.kind, index, len, &args),
        },
        // Only a corrupted record names a kernel or a fault site that does not exist.
        None => Error::Fault {
            kernel: String::from("unknown"),
            file: String::from("unknown"),
            line: 0,
            column: 0,
            block,
            thread,
            kind: FaultKind::Panic(format!("corrupt fault record: unknown kernel {number} or fault site")),
        },
    }
}

fn kind_of(site: &SiteKind, index: u64, len: u64, args: &[u64]) -> FaultKind {
    let panic = |message: String| FaultKind::Panic(message);
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
        SiteKind::Overflow(message) => FaultKind::Overflow((*message).to_owned()),
        SiteKind::Panic(message) | SiteKind::Print(message) => panic(message::format(message, args)),
    }
}

/// Converts a fault on the CPU device to an error.
pub(crate) fn of_cpu(info: &KernelInfo, stopped: cpu::ThreadFault) -> Error {
    let cpu::ThreadFault { block, thread, fault } = stopped;
    Error::Fault {
        kernel: info.name.to_owned(),
        file: fault.file,
        line: fault.line,
        column: fault.column,
        block,
        thread,
        kind: fault.kind,
    }
}
