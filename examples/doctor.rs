//! A report on the CUDA installation of this machine: what was found, what Cumbia uses, and how to fix what is missing.
//!
//! `cargo run --example doctor`

use std::io::{self, Write};

fn main() -> io::Result<()> {
    // `println!` would panic on a broken pipe, as with `| head`.
    match writeln!(io::stdout(), "{}", cumbia::doctor()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}
