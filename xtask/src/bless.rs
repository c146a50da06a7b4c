//! `cargo xtask bless`: accepts the current output of the compiler as the expected one. Review the diff before you
//! commit it.

use crate::nvrtc;
use crate::program::{self, Result};

pub(crate) fn run() -> Result<()> {
    let nvrtc = nvrtc::ensure()?;
    for golden in [
        ["-p", "cumbia-kernel-compiler", "--test", "emitted"],
        ["-p", "cumbia-tests", "--test", "golden"],
        ["-p", "cumbia-tests", "--test", "checks"],
        ["-p", "cumbia-kernel-macros", "--lib", "rules"],
    ] {
        let mut test = program::cargo(&["test"]);
        program::run(test.args(golden).env("CUMBIA_BLESS", "1").env("CUMBIA_NVRTC", &nvrtc))?;
    }
    program::run(program::cargo(&["test", "-p", "cumbia-messages", "--test", "ui"]).env("TRYBUILD", "overwrite"))?;
    // It quotes the messages.
    let mut troubleshooting =
        program::cargo(&["test", "-p", "cumbia-tests", "--test", "documented", "quoted_compiler"]);
    program::run(troubleshooting.env("CUMBIA_BLESS", "1"))
}
