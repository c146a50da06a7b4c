//! Parts of views: ranges of one-dimensional ones, contiguous ones as slices, volumes of four dimensions, single elements.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![ranges, outside, sequences, contiguous, strided, expected, volumes, elements, single];

#[device]
pub fn total(line: ArrayView1<'_, i32>) -> i32 {
    let mut sum = 0;
    for k in 0..line.len() {
        sum = 3 * sum + line[k];
    }
    sum
}

#[device]
pub fn negate(mut line: ArrayViewMut1<'_, i32>) {
    for v in line.iter_mut() {
        *v = -*v;
    }
}

/// Ranges of rows and columns, read and written, and ranges of ranges.
#[kernel]
pub fn parts(mut a: ArrayViewMut2<i32>, from: usize, to: usize, y: &mut [i32]) {
    let column = a.column(1);
    let part = &column[from..to];
    y[0] = total(part);
    y[1] = total(&column[..=from]) + total(&a.row(0)[1..]);
    y[2] = part.len() as i32 + 10 * column[from..].len() as i32;
    let inner = &part[1..];
    y[3] = inner[0] + total(&inner[..0]) + total(&column[..]);
    let mut row = a.row_mut(1);
    negate(&mut row[from..to]);
    row[1..][0] += 100;
    let last = &mut row[to - 1..to];
    last[0] += 1000;
}

fn ranges(run: &mut Run<'_>) {
    let values: Vec<i32> = (0..20).map(|i| i * i).collect();
    let of = |values: &[i32]| values.iter().fold(0, |sum, v| 3 * sum + v);
    for transposed in [false, true] {
        let (mut a, mut y) = (run.array(&values), run.zeros(4));
        let at = |i: usize, j: usize| if transposed { 4 * j + i } else { 5 * i + j };
        let view = a.reshape_mut(if transposed { (5, 4) } else { (4, 5) }).unwrap();
        let view = if transposed { view.t() } else { view };
        run.launch(parts(view, 1, 3, &mut y).grid(1).block(1));
        let column: Vec<i32> = (0..4).map(|i| values[at(i, 1)]).collect();
        let row: Vec<i32> = (0..5).map(|j| values[at(0, j)]).collect();
        let inner = column[2] + of(&column);
        run.expect("y", &y, &[of(&column[1..3]), of(&column[..=1]) + of(&row[1..]), 32, inner]);
        let mut after = values.clone();
        after[at(1, 1)] = 100 - values[at(1, 1)];
        after[at(1, 2)] = 1000 - values[at(1, 2)];
        run.expect("a", &a, &after);
    }
}

/// Ranges that are reversed or out of bounds, of a view with a stride.
#[kernel]
pub fn part_of(a: ArrayView2<i32>, which: u32, from: usize, to: usize, y: &mut [i32]) {
    y[0] = 1;
    let column = a.column(0);
    y[1] = match which {
        0 => total(&column[from..to]),
        1 => total(&column[from..=to]),
        2 => total(&column[from..]),
        _ => total(&column[..to]),
    };
}

fn outside(run: &mut Run<'_>) {
    let a = run.array(&(1..=12).collect::<Vec<i32>>());
    let view = || a.reshape((4, 3)).unwrap();
    let column = [1, 4, 7, 10];
    let of = |values: &[i32]| values.iter().fold(0, |sum, v| 3 * sum + v);
    for which in 0..4 {
        for (from, to) in [(0, 4), (1, 3), (4, 4), (3, 2), (5, 6), (2, 5), (0, usize::MAX), (usize::MAX, 1)] {
            let expected = match which {
                0 => column.get(from..to),
                1 if to == usize::MAX => None,
                1 => column.get(from..=to),
                2 => column.get(from..),
                _ => column.get(..to),
            };
            let mut y = run.zeros(2);
            if let Some(part) = expected {
                run.launch(part_of(view(), which, from, to, &mut y).grid(1).block(1));
                run.expect("y", &y, &[1, of(part)]);
            } else {
                run.expect_fault("outside", |run| {
                    run.launch(part_of(view(), which, from, to, &mut y).grid(1).block(1));
                });
                run.expect("y", &y, &[1, 0]);
            }
        }
    }
}

/// Loops over the elements, the windows and the chunks of a view.
#[kernel]
pub fn iterated(a: ArrayView2<i32>, y: &mut [i32]) {
    let column = a.column(2);
    for (i, v) in column[1..].iter().enumerate() {
        y[0] += *v * (i as i32 + 1);
    }
    for pair in column.windows(2) {
        y[1] += pair[0] * pair[1];
    }
    for chunk in column.chunks(3) {
        y[2] = 7 * y[2] + total(chunk) + chunk.len() as i32;
    }
}

fn sequences(run: &mut Run<'_>) {
    let values: Vec<i32> = (0..15).map(|i| i % 4 + i).collect();
    let a = run.array(&values);
    let mut y = run.zeros(3);
    run.launch(iterated(a.reshape((5, 3)).unwrap(), &mut y).grid(1).block(1));
    let column: Vec<i32> = values.iter().skip(2).step_by(3).copied().collect();
    let first = column[1..].iter().zip(1..).map(|(v, i)| v * i).sum();
    let second = column.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let of = |values: &[i32]| values.iter().fold(0, |sum, v| 3 * sum + v);
    let third = column.chunks(3).fold(0, |all, chunk| 7 * all + of(chunk) + chunk.len() as i32);
    run.expect("y", &y, &[first, second, third]);
}

#[device]
pub fn sum_of(x: &[i32]) -> i32 {
    let mut sum = 0;
    for v in x {
        sum = 3 * sum + *v;
    }
    sum
}

#[device]
pub fn scale(x: &mut [i32], by: i32) {
    for v in x.iter_mut() {
        *v *= by;
    }
}

/// Rows, planes and the whole of a contiguous view, as slices.
#[kernel]
pub fn slices_of(mut a: ArrayViewMut3<i32>, y: &mut [i32]) {
    let i = grid(1);
    let (planes, rows, columns) = a.dim();
    if i < planes {
        let plane = a.plane(i);
        y[i] = sum_of(plane.as_slice().unwrap()) + plane.row(rows - 1).to_slice().unwrap()[columns - 1];
        let mut writable = a.plane_mut(i);
        scale(writable.row_mut(0).as_slice_mut().unwrap(), 10);
        let line = writable.row_mut(rows - 1).into_slice().unwrap();
        line[0] -= 1;
        y[i] += 100_000 * a.is_standard_layout() as i32 + a.t().is_standard_layout() as i32;
    }
}

fn contiguous(run: &mut Run<'_>) {
    for (planes, rows, columns) in [(2, 3, 4), (3, 1, 5), (1, 1, 1), (4, 2, 1)] {
        let values: Vec<i32> = (0..(planes * rows * columns) as i32).map(|i| i % 7 - 3).collect();
        let (mut a, mut y) = (run.array(&values), run.zeros(planes));
        run.launch(slices_of(a.reshape_mut((planes, rows, columns)).unwrap(), &mut y).over(planes));
        let mut after = values.clone();
        let size = rows * columns;
        let sums: Vec<i32> = (0..planes)
            .map(|i| {
                let plane = &values[i * size..][..size];
                let of = plane.iter().fold(0, |sum: i32, v| 3 * sum + v);
                // A view with at most one dimension longer than 1 is contiguous in either order.
                let single = [planes, rows, columns].iter().filter(|len| **len > 1).count() < 2;
                of + plane[size - 1] + 100_000 + single as i32
            })
            .collect();
        for plane in after.chunks_mut(size) {
            plane[..columns].iter_mut().for_each(|v| *v *= 10);
            plane[(rows - 1) * columns] -= 1;
        }
        run.expect("y", &y, &sums);
        run.expect("a", &a, &after);
    }
}

/// A row of any view as a slice, which faults if its elements have gaps.
#[kernel]
pub fn row_as_slice(a: ArrayView2<i32>, row: usize, y: &mut [i32]) {
    y[0] = 1;
    y[0] += a.row(row).is_standard_layout() as i32;
    y[1] = sum_of(a.row(row).as_slice().unwrap());
}

fn strided(run: &mut Run<'_>) {
    let values: Vec<i32> = (0..12).collect();
    let a = run.array(&values);
    let of = |values: &[i32]| values.iter().fold(0, |sum, v| 3 * sum + v);
    let mut y = run.zeros(2);
    // A range of columns: its rows are contiguous, though the view is not.
    let view = a.reshape((3, 4)).unwrap().slice(.., 1..3).unwrap();
    run.launch(row_as_slice(view, 2, &mut y).grid(1).block(1));
    run.expect("a part of a row", &y, &[2, of(&values[9..11])]);
    // A row of one element, and one without elements, whatever their strides are.
    run.launch(row_as_slice(a.reshape((3, 4)).unwrap().t().slice(.., 2..3).unwrap(), 1, &mut y).grid(1).block(1));
    run.expect("one element", &y, &[2, 9]);
    run.launch(row_as_slice(a.reshape((3, 4)).unwrap().t().slice(.., 1..1).unwrap(), 1, &mut y).grid(1).block(1));
    run.expect("no elements", &y, &[2, 0]);
    let mut y = run.zeros(2);
    run.expect_fault("strided", |run| {
        run.launch(row_as_slice(a.reshape((3, 4)).unwrap().t(), 1, &mut y).grid(1).block(1));
    });
    run.expect("strided", &y, &[1, 0]);
}

/// As above, with a message of the kernel's.
#[kernel]
pub fn row_expected(a: ArrayView2<i32>, y: &mut [i32]) {
    let row = a.row(0).as_slice().expect("{rows} are contiguous");
    y[0] = sum_of(row) + row.len() as i32;
}

fn expected(run: &mut Run<'_>) {
    let a = run.array(&[1, 2, 3, 4, 5, 6]);
    let mut y = run.zeros(1);
    run.launch(row_expected(a.reshape((2, 3)).unwrap(), &mut y).grid(1).block(1));
    run.expect("y", &y, &[9 + 6 + 3 + 3]);
    run.expect_fault("strided", |run| {
        run.launch(row_expected(a.reshape((2, 3)).unwrap().t(), &mut y).grid(1).block(1));
    });
}

/// Four dimensions: elements, volumes, and the reverse order.
#[kernel]
pub fn moved(x: ArrayView4<u32>, mut y: ArrayViewMut4<u32>, sums: &mut [u32]) {
    let (k, j) = grid(2);
    let (volumes, planes, rows, columns) = x.dim();
    let [_, _, _, last] = y.shape();
    if j < rows && k < columns {
        for v in 0..volumes {
            for i in 0..planes {
                y[[k, j, i, v]] = x[[v, i, j, k]] + 1;
            }
            if j == 0 && k == 0 {
                let volume = x.volume(v);
                sums[v] = volume.plane(planes - 1)[[rows - 1, 0]] + 1000 * (volume.len() + last) as u32;
            }
        }
    }
    if j == 0 && k < columns {
        y.volume_mut(k)[[0, 0, 0]] += 500 + x.t().len() as u32;
    }
}

fn volumes(run: &mut Run<'_>) {
    let (n, p, r, c) = (2, 3, 2, 4);
    let values: Vec<u32> = (0..n * p * r * c).map(|i| 3 * i as u32).collect();
    let x = run.array(&values);
    let (mut y, mut sums) = (run.zeros(values.len()), run.zeros(n));
    let to = y.reshape_mut((c, r, p, n)).unwrap();
    run.launch(moved(x.reshape((n, p, r, c)).unwrap(), to, &mut sums).over((c, r)));
    let at = |v: usize, i: usize, j: usize, k: usize| ((v * p + i) * r + j) * c + k;
    let mut expected = vec![0; values.len()];
    for v in 0..n {
        for i in 0..p {
            for j in 0..r {
                for k in 0..c {
                    let first = if (j, i, v) == (0, 0, 0) { 500 + values.len() as u32 } else { 0 };
                    expected[((k * r + j) * p + i) * n + v] = values[at(v, i, j, k)] + 1 + first;
                }
            }
        }
    }
    run.expect("y", &y, &expected);
    let sum = |v: usize| values[at(v, p - 1, r - 1, 0)] + 1000 * (p * r * c + n) as u32;
    run.expect("sums", &sums, &(0..n).map(sum).collect::<Vec<_>>());
    // A part of it, in reverse order.
    let (mut z, mut sums) = (run.zeros(values.len()), run.zeros(1));
    let part = x.reshape((n, p, r, c)).unwrap().slice(1.., ..2, .., 1..3).unwrap();
    let to = z.reshape_mut((n, p, r, c)).unwrap().t().slice(..2, .., ..2, ..1).unwrap();
    run.launch(moved(part, to, &mut sums).over((2, 2)));
    let mut expected = vec![0; values.len()];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                let first = if (j, i) == (0, 0) { 500 + 8 } else { 0 };
                expected[at(0, i, j, k)] = values[at(1, i, j, k + 1)] + 1 + first;
            }
        }
    }
    run.expect("z", &z, &expected);
    run.expect("sums", &sums, &[values[at(1, 1, 1, 1)] + 1000 * 9]);
}

/// Indices out of bounds in each of four dimensions.
#[kernel]
pub fn element(x: ArrayView4<u32>, at: [usize; 4], y: &mut [u32]) {
    let [v, i, j, k] = at;
    y[0] = x[at];
    y[0] += x[[v, i, j, k]];
    y[0] += x.volume(v)[[i, j, k]];
}

fn elements(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..24).collect();
    let x = run.array(&values);
    for at in [[0, 0, 0, 0], [1, 2, 1, 1], [2, 0, 0, 0], [0, 3, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2], [usize::MAX; 4]] {
        let mut y = run.zeros(1);
        let [v, i, j, k] = at;
        let view = x.reshape((2, 3, 2, 2)).unwrap();
        if v < 2 && i < 3 && j < 2 && k < 2 {
            run.launch(element(view, at, &mut y).grid(1).block(1));
            run.expect("y", &y, &[3 * (((v * 3 + i) * 2 + j) * 2 + k) as u32]);
        } else {
            run.expect_fault("outside", |run| run.launch(element(view, at, &mut y).grid(1).block(1)));
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Best {
    key: u32,
    at: [u16; 2],
}

#[device]
pub fn add_to(mut sum: ArrayViewMut0<'_, f64>, v: f64) {
    sum[[]] += v;
}

/// Views of a single element, without dimensions.
#[kernel]
pub fn singles(x: ArrayView0<f64>, mut y: ArrayViewMut0<f64>, mut best: ArrayViewMut0<Best>, n: &mut [usize]) {
    y[[]] = x[[]] * 2.0;
    add_to(y, 0.5);
    best[[]].at[1] = 3;
    best[[]].key += best[[]].at[1] as u32 + y.as_slice().unwrap().len() as u32;
    n[0] = x.len() + 10 * y.shape().len() + 100 * x.is_empty() as usize + 1000 * x.is_standard_layout() as usize;
    atomic_add(&mut y[[]], 100.0);
}

fn single(run: &mut Run<'_>) {
    let (x, mut y, mut n) = (run.array(&[21.0]), run.zeros::<f64>(3), run.zeros(1));
    let mut best = run.array(&[Best { key: 5, at: [1, 2] }]);
    let to = y.slice_mut(1..2).unwrap().reshape(()).unwrap();
    run.launch(singles(x.reshape(()).unwrap(), to, best.reshape_mut(()).unwrap(), &mut n).grid(1).block(1));
    run.expect("y", &y, &[0.0, 142.5, 0.0]);
    run.expect("best", &best, &[Best { key: 9, at: [1, 3] }]);
    run.expect("n", &n, &[1001]);
}
