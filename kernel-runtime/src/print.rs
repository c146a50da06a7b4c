//! What kernels print: on a GPU, from the words that they recorded to the text; and out of the process.

use std::io::{self, Write};

use cumbia_kernel_ir::{PRINT_WORDS, SiteKind};

use crate::cpu::fault;
use crate::message;
use crate::specialise::{self, Layout};
use crate::sync::assert_unlocked;

/// Prints messages. Where the standard output is closed they are lost, as it has always been with those of a C program.
///
/// It waits for whoever has locked the standard output: so this thread holds no lock of ours. The panic hook is installed by
/// the caller ([`fault::install_hook`]), which may wait for other threads' hooks, before it locks the output itself.
pub(crate) fn to_stdout(text: &str) {
    if text.is_empty() {
        return;
    }
    assert_unlocked();
    if cfg!(panic = "unwind") {
        // `print!` is what a test's harness catches, and it panics where it cannot print.
        fault::quietly(|| print!("{text}"));
    } else {
        let _ = io::stdout().write_all(text.as_bytes());
    }
}

/// Says how many messages did not fit into a buffer of `bytes`. It waits as [`to_stdout`] does.
pub(crate) fn tell_of_lost(lost: u32, bytes: usize) {
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

/// The messages, one behind the other. A message is the number of its site from 1 with the kernel's number above it, the block
/// and the thread, and its numbers.
pub fn text_of(words: &[u64]) -> String {
    let mut text = String::new();
    let mut rest = words;
    // Words that make no message are the end: one that did not fit has left zeros.
    while let Some((&[what, ..], behind)) = rest.split_at_checked(PRINT_WORDS) {
        let (site, number) = (what as u32 as usize, (what >> 32) as u32);
        let kernel = specialise::by_number(number);
        let site = kernel
            .zip(site.checked_sub(1))
            .and_then(|(kernel, site)| kernel.source(Layout::Contiguous).sites.get(site));
        let Some(SiteKind::Print(message)) = site.map(|site| &site.kind) else { break };
        let Some((numbers, behind)) = behind.split_at_checked(message.args.len()) else { break };
        text.push_str(&message::format(message, numbers));
        rest = behind;
    }
    text
}
