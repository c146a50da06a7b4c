use cumbia::prelude::*;

#[kernel]
fn kernel(x: &mut [f32]) {
    let names = shared::<[&'static str; 4]>();
}

fn main() {}
