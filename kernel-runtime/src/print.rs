//! The output of kernels on a GPU: decoding of its print buffers, and printing.
//!
//! The work is divided by layer: the driver layer copies the raw records (`records/print.rs`), the language layer formats a
//! message (`message.rs`), on both devices alike, and this module finds the message of a record.

use std::io::{self, Write};

use cumbia_kernel_compiler::{PRINT_WORDS, SiteKind};

use crate::cpu::fault;
use crate::cuda::{self, CudaError, Prints};
use crate::layout::Layout;
use crate::message;
use crate::specialise;
use crate::sync::assert_unlocked;

// The header in the driver layer is that of the emitted CUDA C: `struct Print`.
const _: () = assert!(cuda::PRINT_HEADER_BYTES == cumbia_kernel_compiler::PRINT_HEADER_BYTES);

/// Waits until all work enqueued on a stream has completed, and prints the output of its kernels.
pub(crate) fn wait_and_print(stream: &cuda::Stream) -> Result<(), CudaError> {
    let done = stream.wait();
    // Even if the context is lost: earlier output may explain why.
    flush(stream);
    done
}

/// Waits for kernels that print, if there are any, and writes their output to the standard output. Blocks on the lock of
/// the standard output, whose holder may wait for one of our locks: the caller must hold no lock.
pub(crate) fn flush(stream: &cuda::Stream) {
    stream.collect_prints();
    if !stream.has_prints() {
        return;
    }
    // Waits for panic hooks in progress, which may need the standard output.
    fault::install_hook();
    // Lock the output before taking the messages: otherwise another thread could write later messages first.
    let output = io::stdout().lock();
    let Prints { buffers, lost } = stream.take_prints();
    let text: String = buffers.iter().map(|words| decode(words)).collect();
    cumbia_kernel_lang::cpu::to_stdout(&text);
    // Release the standard output before the standard error is locked: a thread that holds the latter may need it.
    drop(output);
    report_lost(lost, cuda::PRINT_BUFFER_BYTES);
}

/// Reports the number of messages that did not fit into a buffer of `bytes` bytes. It may wait, as
/// [`to_stdout`](cumbia_kernel_lang::cpu::to_stdout) does.
fn report_lost(lost: u32, bytes: usize) {
    if lost == 0 {
        return;
    }
    let plural = if lost == 1 { "" } else { "s" };
    let text = format!(
        "{lost} message{plural} of kernels did not fit into the buffer of {} KiB and were not printed\n  \
         help: print less between two calls of `synchronize`",
        bytes / 1024
    );
    assert_unlocked();
    if cfg!(panic = "unwind") {
        fault::quietly(|| eprintln!("{text}"));
    } else {
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// Decodes and concatenates the messages of a print buffer. A message consists of its site's number, from 1, with the
/// kernel's number in the high half, the indices of block and thread, and its arguments.
pub fn decode(words: &[u64]) -> String {
    let mut text = String::new();
    let mut rest = words;
    // The first invalid message is the end: a message that did not fit has left zeros.
    while let Some((&[id, ..], tail)) = rest.split_at_checked(PRINT_WORDS) {
        let (site, number) = (id as u32 as usize, (id >> 32) as u32);
        let kernel = specialise::by_number(number);
        let site = kernel
            .zip(site.checked_sub(1))
            .and_then(|(kernel, site)| kernel.interface(Layout::Contiguous).sites.get(site));
        let Some(SiteKind::Print(message)) = site.map(|site| &site.kind) else { break };
        let Some((numbers, after)) = tail.split_at_checked(message.words()) else { break };
        text.push_str(&message::format(message, numbers));
        rest = after;
    }
    text
}
