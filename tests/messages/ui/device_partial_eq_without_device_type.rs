use cumbia::prelude::*;

#[derive(Clone, Copy)]
#[device(PartialEq)]
struct Energy(f32);

fn main() {}
