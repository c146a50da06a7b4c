use cumbia::prelude::*;

#[derive(Copy, DeviceType)]
struct Counted {
    copies: u32,
}

impl Clone for Counted {
    fn clone(&self) -> Counted {
        Counted { copies: self.copies + 1 }
    }
}

#[kernel]
fn kernel(counted: &[Counted], out: &mut [u32]) {
    for each in counted.iter().cloned() {
        out[0] += each.copies;
    }
}

fn main() {}
