//! Performance figures, each measured against an equivalent hand-written program in the same run.
//!
//! `cargo bench --bench figures` prints all figures; a name as an argument selects one: `cpu`, `saxpy`, `product`,
//! `launch`, `predicate`, `graph`, `first`, `peer`, `algorithms`; numbers are those of elements of the algorithms. Without a GPU
//! only `cpu` is measured.

mod algorithms;
mod cpu;
mod first;
mod graph;
mod launch;
mod peer;
mod predicate;
mod product;
mod raw;
mod saxpy;
mod time;

use cumbia::prelude::*;

fn main() -> cumbia::Result<()> {
    // Cargo passes `--bench`.
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let [child, kernel, ..] = chosen.as_slice()
        && child == first::CHILD
    {
        return first::child(kernel);
    }
    let (sizes, chosen): (Vec<_>, Vec<_>) = chosen.into_iter().partition(|argument| argument.parse::<usize>().is_ok());
    let sizes: Vec<usize> = sizes.iter().flat_map(|size| size.parse()).collect();
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|chosen| chosen == name);
    if wanted("cpu") {
        cpu::figures()?;
    }
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("no GPU: only the figures of the CPU were measured: {error}");
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
    if wanted("predicate") {
        predicate::figures(&device)?;
    }
    if wanted("graph") {
        graph::figures(&device)?;
    }
    if wanted("algorithms") {
        algorithms::figures(&device, if sizes.is_empty() { &algorithms::SIZES } else { &sizes })?;
    }
    if wanted("peer") {
        peer::figures(&device)?;
    }
    if wanted("first") {
        first::figures(&device)?;
    }
    Ok(())
}
