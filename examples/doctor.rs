//! What of CUDA is on this machine, what Cumbia makes of it, and what to do about what is missing.
//!
//! `cargo run --example doctor`

fn main() {
    println!("{}", cumbia::doctor());
}
