//! Methods and compound assignments of different threads on different fields of one element: the element must not be
//! copied and written back.

use std::ops::{AddAssign, BitOrAssign, SubAssign};

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use super::counters::{Counter, Pair, Tally as _};
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![fields_of_one_element, assignments_to_one_element,];

/// An element of which each block writes its own field.
#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Shares {
    parts: [u32; 16],
    sum: u64,
}

#[device]
impl Shares {
    pub fn put(&mut self, at: usize, value: u32) {
        self.parts[at] = value;
    }

    pub fn add(&mut self, at: usize, value: u32) {
        self.parts[at] += value;
    }
}

/// Block `b` writes part `b` of each element, concurrently with the other blocks: no write may be lost.
#[kernel]
pub fn disjoint_fields(x: &mut [Shares], rounds: u32) {
    let (b, t) = (block_idx().x, thread_idx().x);
    for round in 0..rounds {
        x[t].put(b, round * 10);
        x[t].add(b, b as u32);
        Shares::add(&mut x[t], b, 1);
        let one = &mut x[t];
        one.add(b, 2);
    }
}

fn fields_of_one_element(run: &mut Run<'_>) {
    let rounds = 50;
    let mut x = run.array(&[Shares { sum: 7, ..Shares::default() }; 8]);
    run.launch(disjoint_fields(&mut x, rounds).grid(16).block(8));
    let parts = std::array::from_fn(|b| (rounds - 1) * 10 + b as u32 + 3);
    run.expect("x", &x, &[Shares { parts, sum: 7 }; 8]);
}

/// A value for one part of [`Shares`].
#[derive(Clone, Copy, DeviceType)]
pub struct Share {
    at: u32,
    value: u32,
}

#[device]
impl AddAssign<Share> for Shares {
    fn add_assign(&mut self, share: Share) {
        self.parts[share.at as usize] += share.value;
    }
}

#[device]
impl SubAssign<u32> for Shares {
    fn sub_assign(&mut self, by: u32) {
        atomic_sub(&mut self.parts[15], by);
    }
}

#[device]
impl BitOrAssign<u32> for Counter {
    fn bitor_assign(&mut self, bits: u32) {
        thread_fence();
        atomic_or(&mut self.most, bits);
        self.bump();
    }
}

/// An operator that applies the operator of the fields.
#[device]
impl BitOrAssign<u32> for Pair<Counter> {
    fn bitor_assign(&mut self, bits: u32) {
        self.left |= bits;
        self.right |= bits << 1;
    }
}

/// `x[i] += share` with a user-defined operator: the function receives the place of the element, not a copy.
#[kernel]
pub fn assigned_elements(x: &mut [Shares], counters: &mut [Counter], pairs: &mut [Pair<Counter>], rounds: u32) {
    let mut mine = shared::<[Counter; 1]>();
    let (b, t) = (block_idx().x, thread_idx().x);
    if t == 0 {
        mine[0] = Counter { n: 0, most: 0 };
    }
    sync_threads();
    for round in 0..rounds {
        x[t] += Share { at: b as u32, value: round };
        x[{
            let at = t;
            at
        }] += Share { at: b as u32, value: { 1 } };
        let one = &mut x[t];
        *one += Share { at: b as u32, value: 1 };
        x[0] -= 1;
        counters[0] |= 1 << b;
        mine[0] |= 2 << t;
        pairs[1] |= 1 << t;
        pairs[0].left |= 4;
    }
    sync_threads();
    if t == 0 {
        counters[1].count(mine[0].n);
        counters[1] |= mine[0].most;
    }
}

fn assignments_to_one_element(run: &mut Run<'_>) {
    let (blocks, threads, rounds) = (15, 8, 40);
    let (mut x, mut counters, mut pairs) =
        (run.zeros::<Shares>(threads), run.zeros::<Counter>(2), run.zeros::<Pair<Counter>>(2));
    run.launch(assigned_elements(&mut x, &mut counters, &mut pairs, rounds).grid(blocks).block(threads));
    let mut expected = vec![Shares::default(); threads];
    for shares in &mut expected {
        shares.parts[..blocks].fill(rounds * (rounds - 1) / 2 + 2 * rounds);
    }
    let all = (blocks * threads) as u32 * rounds;
    expected[0].parts[15] = 0u32.wrapping_sub(all);
    run.expect("x", &x, &expected);
    let of = |n, most| Counter { n, most };
    run.expect("counters", &counters, &[of(all, 0x7fff), of(all + blocks as u32, 0x1fe)]);
    let none = of(0, 0);
    run.expect(
        "pairs",
        &pairs,
        &[Pair { left: of(all, 4), right: none }, Pair { left: of(all, 0xff), right: of(all, 0x1fe) }],
    );
}
