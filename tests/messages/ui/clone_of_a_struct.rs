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
fn kernel(counted: &mut [Counted]) {
    counted[1] = counted[0].clone();
}

fn main() {}
