//! In Rust `lists[i].len()` is the trait's method, since it is found before the array is borrowed as a slice.

use cumbia::prelude::*;

#[device]
trait Length {
    fn len(self) -> usize;
}

#[device]
impl Length for [f32; 4] {
    fn len(self) -> usize {
        3
    }
}

#[kernel]
fn lengths(lists: &[[f32; 4]], y: &mut [usize]) {
    let i = grid(1);
    if i < y.len() && i < lists.len() {
        y[i] = lists[i].len();
    }
}

fn main() {}
