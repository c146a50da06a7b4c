use cumbia::prelude::*;
use std::cmp::Ordering;

/// In reverse order.
#[derive(Clone, Copy, PartialEq, DeviceType)]
struct Reversed(i32);

impl PartialOrd for Reversed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        other.0.partial_cmp(&self.0)
    }
}

/// Ordered by the second field.
#[derive(Clone, Copy, DeviceType)]
#[device(PartialEq)]
struct Exchanged(i32, i32);

impl PartialOrd for Exchanged {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self.1, self.0).partial_cmp(&(other.1, other.0))
    }
}

/// Inconsistent with `partial_cmp`.
#[derive(Clone, Copy, PartialEq, DeviceType)]
struct Inconsistent(i32);

impl PartialOrd for Inconsistent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.0.partial_cmp(&other.0)
    }

    fn lt(&self, _: &Self) -> bool {
        false
    }
}

#[kernel]
fn kernel(reversed: &[Reversed], exchanged: &[Exchanged], inconsistent: &[Inconsistent], y: &mut [bool]) {
    y[0] = reversed[0] < reversed[1];
    y[1] = exchanged[0] >= exchanged[1];
    y[2] = inconsistent[0] < inconsistent[1];
}

fn main() {}

// mistakes: 3
