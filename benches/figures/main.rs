//! The figures that Cumbia is held to, each against the same work done by hand in the same run.
//!
//! `cargo bench --bench figures` prints them all; a name as an argument prints one: `cpu`, `saxpy`, `product`, `launch`, `graph`, `first`, `peer`.
//! Those of a GPU are left out where there is none.

mod cpu;
mod first;
mod graph;
mod launch;
mod peer;
mod product;
mod raw;
mod saxpy;
mod time;

use cumbia::prelude::*;

fn main() -> cumbia::Result<()> {
    // Cargo passes `--bench`.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if chosen.iter().any(|name| name == first::CHILD) {
        return first::child();
    }
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    if wanted("cpu") {
        cpu::figures()?;
    }
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("no GPU, so that only the CPU's figures are here: {error}");
            return Ok(());
        }
    };
    println!("{device}");
    if wanted("saxpy") {
        saxpy::figures(&device)?;
    }
    if wanted("product") {
        product::figures(&device)?;
    }
    if wanted("launch") {
        launch::figures(&device)?;
    }
    if wanted("graph") {
        graph::figures(&device)?;
    }
    if wanted("peer") {
        peer::figures(&device)?;
    }
    if wanted("first") {
        first::figures(&device)?;
    }
    Ok(())
}
