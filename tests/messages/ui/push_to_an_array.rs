use cumbia::prelude::*;

#[kernel]
fn visit(y: &mut [u32]) {
    let mut stack = [0u32; 8];
    stack.push(1);
    y[0] = stack[0];
}

fn main() {}
