use cumbia::prelude::*;

#[device(cuda = "return __brev(x);")]
fn reversed(x: u32) -> u32 {
    x.reverse_bits()
}

fn main() {}
