use cumbia::{Number, device, kernel};

#[device]
fn shared<T: Number>() -> T {
    T::ONE
}

#[kernel]
fn kernel(out: &mut [u32]) {
    out[0] = shared::<u32>();
}

fn main() {}
