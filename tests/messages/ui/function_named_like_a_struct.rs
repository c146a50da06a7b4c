mod shapes {
    #[derive(Clone, Copy, cumbia::DeviceType)]
    pub struct Pair(pub u32, pub u32);
}

mod kernels {
    use cumbia::prelude::*;

    use super::shapes::*;

    #[allow(non_snake_case)]
    fn Pair(a: u32, b: u32) -> super::shapes::Pair {
        super::shapes::Pair { 0: b, 1: a }
    }

    #[kernel]
    pub fn kernel(out: &mut [u32]) {
        out[0] = Pair(1, 2).0;
    }
}

fn main() {}
