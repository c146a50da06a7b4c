//! `#[kernel(unchecked)]` with all indexed types: views, sub-slices, arrays, structs, enums, shared memory. The same text
//! without bounds checks must compute the same; all other checks remain.

use cumbia::prelude::*;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![views, parts, arrays, structs, shared_tiles, other_faults];

#[kernel(unchecked, fmad = false)]
pub fn blurred(a: ArrayView2<f32>, weights: &[f32], mut b: ArrayViewMut2<f32>, sums: ArrayViewMut1<f64>) {
    let (j, i) = grid(2);
    let (rows, columns) = a.dim();
    if i >= rows || j >= columns {
        return;
    }
    let mut sum = 0.0;
    for di in 0..3 {
        for dj in 0..3 {
            let row = (i + di).clamp(1, rows) - 1;
            let column = (j + dj).clamp(1, columns) - 1;
            sum += weights[3 * di + dj] * a[[row, column]];
        }
    }
    b[[i, j]] = sum;
    if j == 0 {
        let mut sums = sums;
        let line = a.row(i);
        let mut total = 0.0;
        for (k, v) in line.iter().enumerate() {
            total += *v as f64 * (k + 1) as f64;
        }
        sums[i] = total + a.t()[[columns - 1, i]] as f64;
    }
}

fn views(run: &mut Run<'_>) {
    let (rows, columns) = (7, 10);
    let mut random = Random::new(21);
    let (values, weights) = (random.floats(9 * 12, 3.0), random.floats(9, 1.0));
    let at = |i: usize, j: usize| values[12 * i + j + 1];
    for strided in [false, true] {
        let at = |i: usize, j: usize| if strided { at(i, j) } else { values[columns * i + j] };
        let (a, w) = (run.array(&values), run.array(&weights));
        let (mut b, mut sums) = (run.zeros(rows * columns), run.zeros(rows));
        let small = run.array(&values[..rows * columns]);
        let from = if strided {
            a.reshape((9, 12)).unwrap().slice(..rows, 1..=columns).unwrap()
        } else {
            small.reshape((rows, columns)).unwrap()
        };
        let (to, line) = (b.reshape_mut((rows, columns)).unwrap(), sums.reshape_mut(rows).unwrap());
        // SAFETY: rows and columns are clamped to the view's shape, which the results have as well.
        unsafe { run.launch_unchecked(blurred(from, &w, to, line).over((columns, rows))) };
        let of = |place: usize| {
            let (i, j) = (place / columns, place % columns);
            (0..9).fold(0.0, |sum, k| {
                let (row, column) = ((i + k / 3).clamp(1, rows) - 1, (j + k % 3).clamp(1, columns) - 1);
                sum + weights[k] * at(row, column)
            })
        };
        run.expect("b", &b, &(0..rows * columns).map(of).collect::<Vec<_>>());
        let of = |i: usize| {
            let total = (0..columns).fold(0.0, |sum, k| sum + f64::from(at(i, k)) * (k + 1) as f64);
            total + f64::from(at(i, columns - 1))
        };
        run.expect("sums", &sums, &(0..rows).map(of).collect::<Vec<_>>());
    }
}

#[device]
pub fn merged(left: &[i32], right: &[i32], out: &mut [i32]) {
    let (mut l, mut r) = (0, 0);
    for v in out.iter_mut() {
        if r == right.len() || l < left.len() && left[l] <= right[r] {
            *v = left[l];
            l += 1;
        } else {
            *v = right[r];
            r += 1;
        }
    }
}

/// Each thread merges two sorted runs.
#[kernel(unchecked)]
pub fn merge(x: &[i32], run: usize, y: &mut [i32]) {
    let first = 2 * run * grid(1);
    if first + 2 * run <= x.len() {
        let (left, right) = x[first..first + 2 * run].split_at(run);
        merged(left, right, &mut y[first..][..2 * run]);
    }
}

fn parts(run: &mut Run<'_>) {
    let mut values: Vec<i32> = Random::new(22).below(64, 100).into_iter().map(|v| v as i32 - 50).collect();
    for length in [1, 2, 4, 8, 16, 32] {
        let (x, mut y) = (run.array(&values), run.zeros(64));
        // SAFETY: the parts are in bounds, by the `if` and the lengths of `x` and `y`.
        unsafe { run.launch_unchecked(merge(&x, length, &mut y).over(64 / (2 * length))) };
        values.chunks_mut(2 * length).for_each(<[i32]>::sort_unstable);
        run.expect("y", &y, &values);
    }
    assert!(values.is_sorted());
}

#[kernel(unchecked)]
pub fn permuted(x: &[u8], y: &mut [u8], table: [[u8; 4]; 4]) {
    let i = grid(1);
    if i < x.len() {
        let mut own = table;
        let mut seen = [0u8; 16];
        let v = x[i] as usize % 16;
        own[v / 4][v % 4] ^= 0xff;
        for (k, row) in own.iter().enumerate() {
            for (l, cell) in row.iter().enumerate() {
                seen[4 * k + l] = *cell;
            }
        }
        let mut walk = v;
        for _ in 0..5 {
            walk = seen[walk] as usize % 16;
        }
        y[i] = seen[walk].wrapping_add(own[3 - v / 4][3 - v % 4]);
    }
}

fn arrays(run: &mut Run<'_>) {
    let table: [[u8; 4]; 4] = std::array::from_fn(|i| std::array::from_fn(|j| (i * 71 + j * 37 + 5) as u8));
    let values: Vec<u8> = (0..48).map(|i| i * 5 + 1).collect();
    let (x, mut y) = (run.array(&values), run.zeros(48));
    // SAFETY: all indices are taken modulo 16.
    unsafe { run.launch_unchecked(permuted(&x, &mut y, table).over(48)) };
    let of = |v: &u8| {
        let (mut own, v) = (table, *v as usize % 16);
        own[v / 4][v % 4] ^= 0xff;
        let seen: Vec<u8> = own.iter().flatten().copied().collect();
        let walk = (0..5).fold(v, |walk, _| seen[walk] as usize % 16);
        seen[walk].wrapping_add(own[3 - v / 4][3 - v % 4])
    };
    run.expect("y", &y, &values.iter().map(of).collect::<Vec<_>>());
}

#[derive(Clone, Copy, Debug, DeviceType)]
#[device(PartialEq)]
pub enum Kind {
    Fixed,
    Free,
    Bound,
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
pub struct Node {
    kind: Kind,
    links: [u32; 2],
    value: f64,
}

#[device]
impl Node {
    fn push(&mut self, by: f64) {
        match self.kind {
            Kind::Fixed => {}
            Kind::Free => self.value += by,
            Kind::Bound => self.value = (self.value + by).clamp(-1.0, 1.0),
        }
    }
}

#[kernel(unchecked, fmad = false)]
pub fn relaxed(from: &[Node], to: &mut [Node]) {
    let i = grid(1);
    if i < from.len() {
        let Node { kind, links, .. } = from[i];
        to[i] = from[i];
        let mut sum = 0.0;
        for link in links {
            sum += from[link as usize].value;
        }
        to[i].push(0.5 * sum);
        to[i].links[0] = from[links[1] as usize].links[0];
        if kind == Kind::Fixed {
            to[i].kind = from[links[0] as usize].kind;
        }
    }
}

fn structs(run: &mut Run<'_>) {
    let kinds = [Kind::Fixed, Kind::Free, Kind::Bound];
    let node = |i: u32| Node {
        kind: kinds[i as usize % 3],
        links: [(i + 1) % 20, (i * 7 + 3) % 20],
        value: f64::from(i) * 0.125 - 1.0,
    };
    let nodes: Vec<Node> = (0..20).map(node).collect();
    let (from, mut to) = (run.array(&nodes), run.array(&nodes));
    // SAFETY: all links are below 20.
    unsafe { run.launch_unchecked(relaxed(&from, &mut to).over(20)) };
    let of = |old: &Node| {
        let mut new = *old;
        let sum = old.links.iter().fold(0.0, |sum, link| sum + nodes[*link as usize].value);
        new.push(0.5 * sum);
        new.links[0] = nodes[old.links[1] as usize].links[0];
        if old.kind == Kind::Fixed {
            new.kind = nodes[old.links[0] as usize].kind;
        }
        new
    };
    run.expect("nodes", &to, &nodes.iter().map(of).collect::<Vec<_>>());
}

#[kernel(unchecked)]
pub fn transposed(x: &[u16], y: &mut [u16], n: usize) {
    let mut tile = shared::<[[u16; 9]; 8]>();
    let mut marks = dynamic_shared::<bool>();
    let (j, i) = (thread_idx().x, thread_idx().y);
    let (column, row) = grid(2);
    tile[i][j] = x[row * n + column];
    marks[8 * i + j] = x[row * n + column] % 3 == 0;
    sync_threads();
    let (to_column, to_row) = (block_idx().y * 8 + j, block_idx().x * 8 + i);
    let v = tile[j][i];
    y[to_row * n + to_column] = if marks[8 * j + i] { v + 1000 } else { v };
}

fn shared_tiles(run: &mut Run<'_>) {
    let values: Vec<u16> = (0..256).map(|i| i * 3 % 200).collect();
    let (x, mut y) = (run.array(&values), run.zeros(256));
    let launch = transposed(&x, &mut y, 16).grid((2, 2)).block((8, 8)).shared_bytes(64);
    // SAFETY: the grid covers a matrix of 16 by 16, the tile and the dynamic memory one of 8 by 8.
    unsafe { run.launch_unchecked(launch) };
    let of = |at: usize| {
        let v = values[at % 16 * 16 + at / 16];
        if v.is_multiple_of(3) { v + 1000 } else { v }
    };
    run.expect("y", &y, &(0..256).map(of).collect::<Vec<_>>());
}

/// Divisions, assertions and steps are checked in unchecked kernels too.
#[kernel(unchecked)]
pub fn divided(x: &[i32], kind: u32, y: &mut [i32]) {
    let (a, b) = (x[0], x[1]);
    y[0] = match kind {
        0 => a / b,
        1 => a % b,
        2 => {
            assert!(a < b, "{a} is not below {b}");
            b - a
        }
        _ => {
            let mut n = 0;
            for _ in (0..a).step_by(b as usize) {
                n += 1;
            }
            n
        }
    };
}

fn other_faults(run: &mut Run<'_>) {
    let cases = [
        ([7, 0], 0, Err("attempt to divide by zero")),
        ([7, 0], 1, Err("attempt to divide by zero")),
        ([i32::MIN, -1], 0, Err("attempt to divide with overflow")),
        ([9, 4], 2, Err("9 is not below 4")),
        ([9, 0], 3, Err("assertion failed: step != 0")),
        ([9, 4], 0, Ok(2)),
        ([4, 9], 2, Ok(5)),
        ([9, 4], 3, Ok(3)),
    ];
    for (values, kind, expected) in cases {
        let (x, mut y) = (run.array(&values), run.zeros(1));
        // SAFETY: the indices are within the lengths of `x` and `y`.
        let launch = |run: &mut Run<'_>, y| unsafe { run.launch_unchecked(divided(&x, kind, y).grid(1).block(1)) };
        match expected {
            Ok(value) => {
                launch(run, &mut y);
                run.expect("y", &y, &[value]);
            }
            Err(words) => {
                run.expect_fault(words, |run| launch(run, &mut y));
                run.expect_words(words);
            }
        }
    }
}
