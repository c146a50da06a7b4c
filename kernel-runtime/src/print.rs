//! What kernels print on a GPU, from the words that they recorded to the text.

use std::io::Write;

use cumbia_kernel_ir::{PRINT_WORDS, SiteKind};

use crate::message;
use crate::specialise::{self, Layout};
use crate::warning::warn;

/// Prints messages, and says how many did not fit into a buffer of `bytes`.
pub(crate) fn write_out(words: &[u64], lost: u32, bytes: usize) {
    let text = text_of(words);
    // `print!` panics where stdout is closed, and this is called by what waits: a program that is cut off by `head` is to
    // go on as it likes.
    let _ = std::io::stdout().write_all(text.as_bytes());
    if lost > 0 {
        let (plural, were) = if lost == 1 { ("", "was") } else { ("s", "were") };
        let kib = bytes / 1024;
        warn(
            &format!(
                "{lost} message{plural} of kernels did not fit into the buffer of {kib} KiB and {were} not printed"
            ),
            "print less between two calls of `synchronize`",
        );
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
