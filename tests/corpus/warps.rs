//! Warp operations: shuffles of every type, votes, matches, reductions, and masks of a part of a warp.

use cumbia::intrinsics::*;
use cumbia::prelude::*;

use crate::inputs::{Edges, Random};
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    shuffles,
    lanes_of_shuffles,
    votes,
    matches,
    reductions,
    positions,
    arms,
    halves_of_a_warp,
    partial_warps,
    warp_memory,
    sums_and_scans,
];

const ALL: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub enum Colour {
    Red,
    Green,
    Blue,
}

/// A struct whose size is not a multiple of 32 bits, with padding.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
pub struct Packet {
    id: u8,
    weight: f64,
    parts: [i16; 3],
    flag: bool,
    colour: Colour,
}

/// All four shuffles of any type.
#[kernel]
pub fn shuffled<T: DeviceType>(x: &[T], y: &mut [T]) {
    let i = grid(1);
    let v = x[i];
    y[4 * i] = shfl_sync(ALL, v, (lane_id() * 7 + 3) % 32);
    y[4 * i + 1] = shfl_up_sync(ALL, v, 5);
    y[4 * i + 2] = shfl_down_sync(ALL, v, 3u32);
    y[4 * i + 3] = shfl_xor_sync(ALL, v, 21);
}

fn shuffles(run: &mut Run<'_>) {
    fn of<T: DeviceType>(run: &mut Run<'_>, name: &str, make: impl Fn(&mut Random) -> T) {
        let mut random = Random::new(2);
        let values: Vec<T> = (0..64).map(|_| make(&mut random)).collect();
        let (x, mut y) = (run.array(&values), run.array(&values.repeat(4)));
        run.launch(shuffled(&x, &mut y).grid(1).block(64));
        let expected: Vec<T> = (0..64)
            .flat_map(|i| {
                let (warp, lane) = (i / 32 * 32, i % 32);
                let up = if lane < 5 { lane } else { lane - 5 };
                let down = if lane + 3 < 32 { lane + 3 } else { lane };
                [(lane * 7 + 3) % 32, up, down, lane ^ 0b1_0101].map(|lane| values[warp + lane])
            })
            .collect();
        run.expect(name, &y, &expected);
    }
    of(run, "u8", |random| random.bits() as u8);
    of(run, "i16", |random| random.bits() as i16);
    of(run, "i32", |random| random.bits() as i32);
    of(run, "u64", Random::bits);
    of(run, "f32", |random| random.unit() as f32);
    of(run, "f64", Random::unit);
    of(run, "f16", |random| f16::from_f64(random.unit()));
    of(run, "bf16", |random| bf16::from_f64(random.unit()));
    of(run, "bool", |random| random.bits() % 3 == 0);
    of(run, "usize", |random| random.bits() as usize);
    let colour = |random: &mut Random| [Colour::Red, Colour::Green, Colour::Blue][random.bits() as usize % 3];
    of(run, "enum", colour);
    of(run, "array", |random| [(); 3].map(|()| random.bits() as u8));
    of(run, "struct", |random| Packet {
        id: random.bits() as u8,
        weight: random.unit(),
        parts: [(); 3].map(|()| random.bits() as i16),
        flag: random.bits() % 2 == 0,
        colour: colour(random),
    });
}

/// Lanes and deltas beyond the warp, of every integer type.
#[kernel]
pub fn far_lanes(y: &mut [u32], distance: u64) {
    let i = thread_idx().x;
    let v = 100 + lane_id() as u32;
    let at = 10 * i;
    y[at] = shfl_sync(ALL, v, lane_id() + 33);
    y[at + 1] = shfl_sync(ALL, v, -1i8);
    y[at + 2] = shfl_up_sync(ALL, v, distance);
    y[at + 3] = shfl_down_sync(ALL, v, distance);
    y[at + 4] = shfl_up_sync(ALL, v, 31u8);
    y[at + 5] = shfl_down_sync(ALL, v, 32i16);
    y[at + 6] = shfl_xor_sync(ALL, v, 32 + 4);
    y[at + 7] = shfl_xor_sync(ALL, v, lane_id());
    y[at + 8] = shfl_sync(ALL, v, distance);
    y[at + 9] = shfl_up_sync(ALL, v, 0usize);
}

fn lanes_of_shuffles(run: &mut Run<'_>) {
    for distance in [0, 1, 31, 32, 33, 64, 1 << 32, (1 << 32) + 1, u64::MAX] {
        let mut y = run.zeros(320);
        run.launch(far_lanes(&mut y, distance).grid(1).block(32));
        let expected: Vec<u32> = (0..32u64)
            .flat_map(|lane| {
                let up = lane.checked_sub(distance).unwrap_or(lane);
                let down = lane.checked_add(distance).filter(|lane| *lane < 32).unwrap_or(lane);
                let last = if lane == 31 { 0 } else { lane };
                [(lane + 33) % 32, 31, up, down, last, lane, lane ^ 4, 0, distance % 32, lane]
                    .map(|lane| 100 + lane as u32)
            })
            .collect();
        run.expect("y", &y, &expected);
    }
}

/// Votes on predicates of every width, even with only bits above the lower 32 set.
#[kernel]
pub fn voted(x: &[u64], y: &mut [u32]) {
    let i = grid(1);
    let wide = x[i];
    let at = 8 * i;
    y[at] = ballot_sync(ALL, wide);
    y[at + 1] = all_sync(ALL, wide) as u32 + 2 * any_sync(ALL, wide) as u32 + 4 * uni_sync(ALL, wide) as u32;
    y[at + 2] = ballot_sync(ALL, wide > 5);
    y[at + 3] = all_sync(ALL, wide != 7) as u32
        + 2 * any_sync(ALL, wide == 1 << 32) as u32
        + 4 * uni_sync(ALL, wide > 3) as u32;
    y[at + 4] = ballot_sync(ALL, wide as i8);
    y[at + 5] = ballot_sync(ALL, wide as u16) ^ ballot_sync(ALL, (wide >> 32) as i32);
    y[at + 6] = all_sync(ALL, 1u8) as u32 + any_sync(ALL, 0i64) as u32 * 2 + uni_sync(ALL, false) as u32 * 4;
    y[at + 7] = ballot_sync(ALL, lane_id());
}

fn votes(run: &mut Run<'_>) {
    let cases: [Box<dyn Fn(u64) -> u64>; 6] = [
        Box::new(|_| 0),
        Box::new(|_| 1 << 32),
        Box::new(|lane| if lane == 3 { 1 << 32 } else { 0 }),
        Box::new(|lane| lane << 30),
        Box::new(|lane| if lane == 30 { 0 } else { 0x8000_0000_0000_0000 }),
        Box::new(|lane| lane * 37 % 256),
    ];
    for case in cases {
        let values: Vec<u64> = (0..32).map(case).collect();
        let (x, mut y) = (run.array(&values), run.zeros(256));
        run.launch(voted(&x, &mut y).grid(1).block(32));
        let ballot = |holds: &dyn Fn(u64) -> bool| -> u32 {
            values.iter().enumerate().map(|(lane, &x)| u32::from(holds(x)) << lane).sum()
        };
        let votes = |all: u32, any: u32, uni: u32| {
            let (all, uni) = (all == ALL, uni == ALL || uni == 0);
            u32::from(all) + 2 * u32::from(any != 0) + 4 * u32::from(uni)
        };
        let some = ballot(&|x| x != 0);
        let row = [
            some,
            votes(some, some, some),
            ballot(&|x| x > 5),
            votes(ballot(&|x| x != 7), ballot(&|x| x == 1 << 32), ballot(&|x| x > 3)),
            ballot(&|x| x as i8 != 0),
            ballot(&|x| x as u16 != 0) ^ ballot(&|x| (x >> 32) as i32 != 0),
            5,
            !1,
        ];
        run.expect("y", &y, &row.repeat(32));
    }
}

/// Matches of every type; floats are compared bitwise.
macro_rules! matching {
    ($($name:ident $ty:ident)*) => {$(
        #[kernel]
        pub fn $name(x: &[$ty], any: &mut [u32], all: &mut [u32], same: &mut [bool]) {
            let i = grid(1);
            any[i] = match_any_sync(ALL, x[i]);
            let (lanes, is_same) = match_all_sync(ALL, x[i]);
            all[i] = lanes;
            same[i] = is_same;
        }
    )*};
}

matching! {
    match_u8 u8 match_i16 i16 match_i32 i32 match_u64 u64 match_f32 f32 match_f64 f64 match_f16 f16 match_bool bool
    match_colour Colour match_isize isize
}

fn matches(run: &mut Run<'_>) {
    macro_rules! each {
        ($($name:ident $values:expr;)*) => {$({
            let few = $values;
            let random = Random::new(6).below(64, few.len() as u32);
            let mixed: Vec<_> = random.iter().map(|&k| few[k as usize]).collect();
            for values in [mixed, vec![few[few.len() - 1]; 64]] {
                let x = run.array(&values);
                let (mut any, mut all, mut same) = (run.zeros(64), run.zeros(64), run.zeros(64));
                run.launch($name(&x, &mut any, &mut all, &mut same).grid(2).block(32));
                let bits = |i: usize| DeviceType::__constant(&values[i]);
                let equal = |i: usize| -> u32 {
                    (0..32).map(|lane| u32::from(bits(i / 32 * 32 + lane) == bits(i)) << lane).sum()
                };
                let is_same = |i: usize| equal(i) == ALL;
                run.expect(stringify!($name), &any, &(0..64).map(equal).collect::<Vec<_>>());
                run.expect(stringify!($name), &all, &(0..64).map(|i| if is_same(i) { ALL } else { 0 }).collect::<Vec<_>>());
                run.expect(stringify!($name), &same, &(0..64).map(is_same).collect::<Vec<_>>());
            }
        })*};
    }
    each! {
        match_u8 [1u8, 255, 7];
        match_i16 [-1i16, 1, i16::MIN];
        match_i32 [-1i32, 1, 0];
        match_u64 [1u64, 1 << 32 | 1, 1 << 63, 0];
        match_f32 [0.0f32, -0.0, f32::NAN, 1.5];
        match_f64 [0.0f64, -0.0, f64::NAN, 1.5, 1.500_000_000_000_000_2];
        match_f16 [0.0f32, -0.0, 1.5].map(f16::from_f32);
        match_bool [true, false];
        match_colour [Colour::Red, Colour::Blue, Colour::Green];
        match_isize [-1isize, 0xffff_ffff, 1 << 40];
    }
}

/// All reductions, of both types.
#[kernel]
pub fn reduced(x: &[i32], y: &mut [i32], z: &mut [u32]) {
    let i = grid(1);
    let (signed, unsigned) = (x[i], x[i] as u32);
    let at = 6 * i;
    y[at] = reduce_add_sync(ALL, signed);
    y[at + 1] = reduce_min_sync(ALL, signed);
    y[at + 2] = reduce_max_sync(ALL, signed);
    y[at + 3] = reduce_and_sync(ALL, signed);
    y[at + 4] = reduce_or_sync(ALL, signed);
    y[at + 5] = reduce_xor_sync(ALL, signed);
    z[at] = reduce_add_sync(ALL, unsigned);
    z[at + 1] = reduce_min_sync(ALL, unsigned);
    z[at + 2] = reduce_max_sync(ALL, unsigned);
    z[at + 3] = reduce_and_sync(ALL, unsigned);
    z[at + 4] = reduce_or_sync(ALL, unsigned);
    z[at + 5] = reduce_xor_sync(ALL, unsigned);
}

fn reductions(run: &mut Run<'_>) {
    let mut values: Vec<i32> = i32::some(80);
    values.truncate(96);
    let mut three = values[..16].repeat(2);
    three.extend_from_slice(&values[16..80]);
    let (x, mut y, mut z) = (run.array(&three), run.zeros(576), run.zeros(576));
    run.launch(reduced(&x, &mut y, &mut z).grid(3).block(32));
    let (mut signed, mut unsigned) = (Vec::new(), Vec::new());
    for warp in three.chunks(32) {
        let fold = |f: &dyn Fn(i32, i32) -> i32| warp.iter().copied().reduce(f).unwrap_or(0);
        let bits = [fold(&|a, b| a & b), fold(&|a, b| a | b), fold(&|a, b| a ^ b)];
        let row = [fold(&i32::wrapping_add), fold(&Ord::min), fold(&Ord::max), bits[0], bits[1], bits[2]];
        let fold = |f: &dyn Fn(u32, u32) -> u32| warp.iter().map(|x| x.cast_unsigned()).reduce(f).unwrap_or(0);
        let bits = bits.map(i32::cast_unsigned);
        let other = [fold(&u32::wrapping_add), fold(&Ord::min), fold(&Ord::max), bits[0], bits[1], bits[2]];
        signed.extend(row.repeat(32));
        unsigned.extend(other.repeat(32));
    }
    run.expect("i32", &y, &signed);
    run.expect("u32", &z, &unsigned);
}

/// Lanes are numbered in linear order within the block, `x` fastest.
#[kernel]
pub fn where_we_are(lanes: &mut [u32], masks: &mut [u32]) {
    let (t, size) = (thread_idx(), block_dim());
    let i = t.x + size.x * (t.y + size.y * t.z);
    lanes[2 * i] = lane_id() as u32;
    lanes[2 * i + 1] = WARP_SIZE as u32;
    masks[5 * i] = lanemask_eq();
    masks[5 * i + 1] = lanemask_lt();
    masks[5 * i + 2] = lanemask_le();
    masks[5 * i + 3] = lanemask_gt();
    masks[5 * i + 4] = lanemask_ge();
}

fn positions(run: &mut Run<'_>) {
    for block in [(64, 1, 1), (5, 7, 2), (3, 1, 20)] {
        let n = block.0 * block.1 * block.2;
        let (mut lanes, mut masks) = (run.zeros(2 * n), run.zeros(5 * n));
        run.launch(where_we_are(&mut lanes, &mut masks).grid(1).block(block));
        run.expect("lanes", &lanes, &(0..n as u32).flat_map(|i| [i % 32, 32]).collect::<Vec<_>>());
        let of = |i: usize| {
            let eq = 1u32 << (i % 32);
            [eq, eq - 1, eq | (eq - 1), !(eq | (eq - 1)), !(eq - 1)]
        };
        run.expect("masks", &masks, &(0..n).flat_map(of).collect::<Vec<_>>());
    }
}

/// The same operation in both branches of an `if` is not merged: the active lanes are those of the branch.
#[kernel]
pub fn in_arms(y: &mut [u32], bits: u32) {
    let i = thread_idx().x;
    let mine = bits >> i & 1 != 0;
    let lanes = if mine { bits } else { !bits };
    let active;
    let ballot;
    let count;
    if mine {
        active = active_mask();
        ballot = ballot_sync(lanes, i % 2 == 0);
        count = reduce_add_sync(lanes, 1u32);
    } else {
        active = active_mask();
        ballot = ballot_sync(lanes, i % 2 == 0);
        count = reduce_add_sync(lanes, 1u32);
    }
    // At least this lane is active, and none of the other branch.
    y[4 * i] = (active & lanemask_eq() != 0) as u32 + 2 * (active & !lanes != 0) as u32;
    y[4 * i + 1] = ballot;
    y[4 * i + 2] = count;
    let before = active_mask();
    y[4 * i + 3] = (before & lanemask_eq() != 0) as u32;
}

fn arms(run: &mut Run<'_>) {
    for bits in [0xffff, 0xffff_0000, 0x5555_5555, 1, 0x8000_0001, 0x00ff_ff00, ALL] {
        let mut y = run.zeros(128);
        run.launch(in_arms(&mut y, bits).grid(1).block(32));
        let of = |lane: u32| {
            let lanes: u32 = if bits >> lane & 1 != 0 { bits } else { !bits };
            [1, lanes & 0x5555_5555, lanes.count_ones(), 1]
        };
        run.expect("y", &y, &(0..32).flat_map(of).collect::<Vec<_>>());
    }
}

/// The halves of a warp diverge, in loops with different trip counts.
#[kernel]
pub fn two_halves(x: &[u32], y: &mut [u32]) {
    let i = grid(1);
    let lane = lane_id();
    let mut total = x[i];
    if lane < 16 {
        for k in [8, 4, 2, 1] {
            total += shfl_sync(0xffff, total, (lane + k) % 16);
        }
        if lane == 0 {
            total += 1_000_000;
        }
        sync_warp(0xffff);
    } else {
        for _ in 0..7 {
            total = total * 3 % 1009 + shfl_xor_sync(0xffff_0000, total, 1);
            if !any_sync(0xffff_0000, total > 1500) {
                break;
            }
        }
        let same = match_any_sync(0xffff_0000, total % 2);
        total += same.count_ones() * 10_000;
    }
    y[i] = total + (shfl_sync(ALL, lane as u32, 16 + lane / 2) << 24);
}

fn halves_of_a_warp(run: &mut Run<'_>) {
    let values = Random::new(12).below(64, 1000);
    let (x, mut y) = (run.array(&values), run.zeros(64));
    run.launch(two_halves(&x, &mut y).grid(1).block(64));
    let mut expected = Vec::new();
    for warp in values.chunks(32) {
        let (mut low, mut high) = (warp[..16].to_vec(), warp[16..].to_vec());
        for k in [8, 4, 2, 1] {
            low = (0..16).map(|i| low[i] + low[(i + k) % 16]).collect();
        }
        low[0] += 1_000_000;
        for _ in 0..7 {
            high = (0..16).map(|i| high[i] * 3 % 1009 + high[i ^ 1]).collect();
            if !high.iter().any(|total| *total > 1500) {
                break;
            }
        }
        let odd = high.iter().filter(|total| *total % 2 == 1).count() as u32;
        for total in &mut high {
            *total += if *total % 2 == 1 { odd } else { 16 - odd } * 10_000;
        }
        let all = low.iter().chain(&high).enumerate().map(|(lane, total)| total + ((16 + lane as u32 / 2) << 24));
        expected.extend(all);
    }
    run.expect("y", &y, &expected);
}

/// A partial warp, and lanes that have returned.
#[kernel]
pub fn some_lanes(x: &[u32], y: &mut [u32], gone: usize) {
    let i = thread_idx().x;
    if i % 32 < gone {
        return;
    }
    y[4 * i] = reduce_add_sync(ALL << gone, x[i]);
    y[4 * i + 1] = ballot_sync(ALL << gone, x[i] > 3);
    let (lanes, same) = match_all_sync(ALL << gone, x[i] > 100);
    y[4 * i + 2] = lanes.wrapping_add(same as u32);
    sync_warp(ALL << gone);
    y[4 * i + 3] = match_any_sync(ALL << gone, x[i] % 3);
}

fn partial_warps(run: &mut Run<'_>) {
    for (n, gone) in [(40, 0), (7, 0), (64, 5), (45, 12)] {
        let values = Random::new(13).below(n, 8);
        let (x, mut y) = (run.array(&values), run.zeros(4 * n));
        run.launch(some_lanes(&x, &mut y, gone).grid(1).block(n));
        let mut expected = vec![0; 4 * n];
        for (number, warp) in values.chunks(32).enumerate() {
            let there: Vec<usize> = (gone..warp.len()).collect();
            let lanes = |holds: &dyn Fn(usize) -> bool| -> u32 {
                there.iter().filter(|lane| holds(**lane)).map(|lane| 1 << lane).sum()
            };
            for &lane in &there {
                let at = 4 * (32 * number + lane);
                expected[at] = there.iter().map(|lane| warp[*lane]).sum();
                expected[at + 1] = lanes(&|lane| warp[lane] > 3);
                expected[at + 2] = lanes(&|_| true).wrapping_add(1);
                expected[at + 3] = lanes(&|other| warp[other] % 3 == warp[lane] % 3);
            }
        }
        run.expect("y", &y, &expected);
    }
}

/// Lanes exchange values in memory at a `sync_warp`.
#[kernel]
pub fn through_memory(x: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let (i, lane) = (thread_idx().x, lane_id());
    let warp = i - lane;
    tile[i] = x[i];
    sync_warp(ALL);
    for k in [1, 2, 4] {
        let other = tile[warp + (lane + k) % 32];
        sync_warp(ALL);
        tile[i] += other;
        sync_warp(ALL);
    }
    if lane < 8 {
        tile[i] += 1;
        sync_warp(0xff);
        x[i] = tile[warp + 7 - lane];
    } else {
        x[i] = tile[i];
    }
}

fn warp_memory(run: &mut Run<'_>) {
    let values = Random::new(14).below(64, 1000);
    let mut x = run.array(&values);
    run.launch(through_memory(&mut x).grid(1).block(64));
    let mut expected = Vec::new();
    for warp in values.chunks(32) {
        let mut tile = warp.to_vec();
        for k in [1, 2, 4] {
            tile = (0..32).map(|lane| tile[lane] + tile[(lane + k) % 32]).collect();
        }
        tile[..8].iter_mut().for_each(|v| *v += 1);
        tile[..8].reverse();
        expected.extend(tile);
    }
    run.expect("x", &x, &expected);
}

/// An exclusive scan, by warp shuffles and shared memory, generic in the type.
#[kernel]
pub fn scan<T: Number>(x: &[T], y: &mut [T]) {
    let mut sums = shared::<[T; 32]>();
    let (i, t, lane) = (grid(1), thread_idx().x, lane_id());
    let own = if i < x.len() { x[i] } else { T::ZERO };
    let mut sum = own;
    let mut delta = 1;
    while delta < WARP_SIZE {
        let below = shfl_up_sync(ALL, sum, delta);
        if lane >= delta {
            sum += below;
        }
        delta *= 2;
    }
    if lane == 31 {
        sums[t / 32] = sum;
    }
    sync_threads();
    for warp in 0..t / 32 {
        sum += sums[warp];
    }
    if i < x.len() {
        y[i] = sum - own;
    }
}

fn sums_and_scans(run: &mut Run<'_>) {
    macro_rules! each {
        ($($ty:ident)*) => {$({
            let values: Vec<$ty> = Random::new(15).below(200, 4).into_iter().map(|x| x as $ty).collect();
            let (x, mut y) = (run.array(&values), run.zeros(200));
            run.launch(scan(&x, &mut y).grid(2).block(128));
            let sums = |block: &[$ty]| -> Vec<$ty> {
                (0..block.len()).map(|i| block[..i].iter().fold(0 as $ty, |sum, v| sum + v)).collect()
            };
            run.expect(stringify!($ty), &y, &values.chunks(128).flat_map(sums).collect::<Vec<_>>());
        })*};
    }
    each!(f32 f64 i16 u32 i64);
}
