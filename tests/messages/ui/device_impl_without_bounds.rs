use cumbia::prelude::*;

#[derive(Clone, Copy, DeviceType)]
struct Pair<T> {
    first: T,
    second: T,
}

#[device]
impl<T> Pair<T> {
    fn first(self) -> T {
        self.first
    }
}

fn main() {}
