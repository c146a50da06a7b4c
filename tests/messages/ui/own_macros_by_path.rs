use cumbia::prelude::*;

mod mine {
    macro_rules! println {
        ($($any:tt)*) => {};
    }
    macro_rules! matches {
        ($($any:tt)*) => {
            true
        };
    }
    pub(crate) use {matches, println};
}

#[kernel]
fn kernel(out: &mut [u32]) {
    mine::println!("{}", out[0]);
    if mine::matches!(out[0], 3) {
        std::println!("three");
    }
}

fn main() {
    mine::println!();
    let _ = mine::matches!();
}

// mistakes: 2
