use cumbia::prelude::*;

#[allow(non_upper_case_globals)]
const limit: u32 = 5;

#[kernel]
fn kernel(out: &mut [u32]) {
    out[0] = match out[1] {
        limit => 1,
        _ => 2,
    };
}

fn main() {}
