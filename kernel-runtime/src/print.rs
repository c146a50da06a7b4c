//! Decoding of a GPU's print buffer.

use std::io::{self, Write};

use cumbia_kernel_ir::{PRINT_WORDS, SiteKind};

use crate::cpu::fault;
use crate::message;
use crate::specialise::{self, Layout};
use crate::sync::assert_unlocked;

/// Reports the number of messages that did not fit into a buffer of `bytes` bytes. It may wait, as [`to_stdout`](cumbia_kernel_lang::print::to_stdout) does.
pub(crate) fn report_lost(lost: u32, bytes: usize) {
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
            .and_then(|(kernel, site)| kernel.source(Layout::Contiguous).sites.get(site));
        let Some(SiteKind::Print(message)) = site.map(|site| &site.kind) else { break };
        let Some((numbers, after)) = tail.split_at_checked(message.args.len()) else { break };
        text.push_str(&message::format(message, numbers));
        rest = after;
    }
    text
}
