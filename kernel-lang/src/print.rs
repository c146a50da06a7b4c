//! Standard output, for the messages of kernels.

use std::io::{self, Write};

use crate::cpu::fault;
use crate::sync::assert_unlocked;

/// Prints messages. If the standard output is closed they are lost, as those of a C program.
///
/// It waits for the lock of the standard output, so this thread must hold no lock of the crate. The caller must have
/// called [`fault::install_hook`], which may wait for the hooks of other threads, before it locks the output itself.
pub fn to_stdout(text: &str) {
    if text.is_empty() {
        return;
    }
    assert_unlocked();
    if cfg!(panic = "unwind") {
        // `print!` can be captured by a test harness, and panics if it cannot print.
        fault::quietly(|| print!("{text}"));
    } else {
        let _ = io::stdout().write_all(text.as_bytes());
    }
}
