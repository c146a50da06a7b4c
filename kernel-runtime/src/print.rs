//! What kernels print on a GPU, from the words that they recorded to the text.

use cumbia_kernel_ir::{PRINT_WORDS, SiteKind};

use crate::message;
use crate::specialise::{self, Layout};

/// Prints messages, and says how many did not fit into a buffer of `bytes`.
pub(crate) fn write_out(words: &[u64], lost: u32, bytes: usize) {
    let text = text_of(words);
    if !text.is_empty() {
        print!("{text}");
    }
    if lost > 0 {
        let plural = if lost == 1 { "" } else { "s" };
        eprintln!(
            "{lost} message{plural} of kernels did not fit into the buffer of {} KiB and were not printed\n  \
             help: print less between two calls of `synchronize`",
            bytes / 1024
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
