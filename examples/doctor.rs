//! What of CUDA is on this machine, what Cumbia makes of it, and what to do about what is missing.
//!
//! `cargo run --example doctor`

use std::io::{self, Write};

fn main() -> io::Result<()> {
    // `println!` would panic where the report is cut off, as by `head`.
    match writeln!(io::stdout(), "{}", cumbia::doctor()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}
