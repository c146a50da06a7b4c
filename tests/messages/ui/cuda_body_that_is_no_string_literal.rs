use cumbia::prelude::*;

const BODY: &str = "return x;";

#[device(unsafe(cuda = BODY))]
fn same(x: u32) -> u32 {
    x
}

fn main() {}
