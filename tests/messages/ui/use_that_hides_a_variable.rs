use cumbia::prelude::*;

mod limits {
    #[allow(non_upper_case_globals)]
    pub const n: u32 = 5;
    pub const MOST: u32 = 6;
}

#[kernel]
fn kernel(n: u32, out: &mut [u32]) {
    let count = 7;
    {
        use limits::n;
        out[0] = n;
    }
    {
        use limits::{self, MOST as count};
        out[1] = count;
    }
}

fn main() {}

// mistakes: 2
