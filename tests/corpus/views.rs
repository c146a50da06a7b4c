//! Views of one to three dimensions: transposed, sliced, with strides, their rows, columns and planes.

use cumbia::prelude::*;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] =
    listed![matrices, products, strided, rows_and_columns, cubes, lines, nothing, outside, of_structs, in_functions];

/// b is the transpose of a.
#[kernel]
pub fn transpose<T: DeviceType>(a: ArrayView2<T>, mut b: ArrayViewMut2<T>) {
    let (j, i) = grid(2);
    if i < a.nrows() && j < a.ncols() {
        b[[j, i]] = a[[i, j]];
    }
}

fn matrices(run: &mut Run<'_>) {
    for (rows, cols) in [(1, 1), (3, 5), (17, 4), (8, 8)] {
        let values: Vec<i16> = (0..rows * cols).map(|i| i as i16 * 3).collect();
        let (a, mut b) = (run.array(&values), run.zeros(values.len()));
        let (there, back) = (a.reshape((rows, cols)).unwrap(), b.reshape_mut((cols, rows)).unwrap());
        run.launch(transpose(there, back).over((cols, rows)));
        let expected: Vec<i16> = (0..values.len()).map(|at| values[at % rows * cols + at / rows]).collect();
        run.expect("b", &b, &expected);
        // The transpose of a transposed view is the original.
        let mut c = run.zeros(values.len());
        run.launch(
            transpose(b.reshape((cols, rows)).unwrap(), c.reshape_mut((rows, cols)).unwrap()).over((rows, cols)),
        );
        run.expect("c", &c, &values);
        let mut d = run.zeros(values.len());
        let transposed = d.reshape_mut((rows, cols)).unwrap().t();
        run.launch(transpose(a.reshape((rows, cols)).unwrap(), transposed).over((cols, rows)));
        run.expect("d", &d, &values);
    }
}

/// c = a b, for views of any strides.
#[kernel(fmad = false)]
pub fn product<T: Number>(a: ArrayView2<T>, b: ArrayView2<T>, mut c: ArrayViewMut2<T>) {
    let (j, i) = grid(2);
    if i < c.nrows() && j < c.ncols() {
        let mut sum = T::ZERO;
        for k in 0..a.ncols() {
            sum += a[[i, k]] * b[[k, j]];
        }
        c[[i, j]] = sum;
        c[[i, j]] += T::ONE;
    }
}

fn products(run: &mut Run<'_>) {
    let (m, n, k) = (5, 7, 6);
    let mut random = Random::new(1);
    let (xs, ys) = (random.floats(m * k, 2.0), random.floats(k * n, 2.0));
    let (a, b) = (run.array(&xs), run.array(&ys));
    let sum = |at: fn(usize, usize, usize) -> (usize, usize)| -> Vec<f32> {
        (0..m * n)
            .map(|out| {
                let products = (0..k).map(|l| {
                    let (x, y) = at(out / n, out % n, l);
                    xs[x] * ys[y]
                });
                products.fold(0.0, |sum, v| sum + v) + 1.0
            })
            .collect()
    };
    let mut c = run.zeros(m * n);
    let out = c.reshape_mut((m, n)).unwrap();
    run.launch(product(a.reshape((m, k)).unwrap(), b.reshape((k, n)).unwrap(), out).over((n, m)));
    run.expect("plain", &c, &sum(|i, j, l| (6 * i + l, 7 * l + j)));
    let mut c = run.zeros(m * n);
    let out = c.reshape_mut((m, n)).unwrap();
    run.launch(product(a.reshape((k, m)).unwrap().t(), b.reshape((n, k)).unwrap().t(), out).over((n, m)));
    run.expect("transposed", &c, &sum(|i, j, l| (5 * l + i, 6 * j + l)));
}

/// Writes each element's indices, and reads from another view.
#[kernel]
pub fn numbered(x: ArrayView2<u32>, mut y: ArrayViewMut2<u32>, sizes: &mut [usize]) {
    let (j, i) = grid(2);
    if i < y.nrows() && j < y.ncols() {
        y[[i, j]] = x[[i, j]] * 100 + (10 * i + j) as u32;
    }
    if i == 0 && j == 0 {
        let [rows, cols] = y.shape();
        let (more_rows, more_cols) = x.dim();
        sizes[0] = rows;
        sizes[1] = cols;
        sizes[2] = more_rows * 100 + more_cols;
        sizes[3] = x.len() + 1000 * y.is_empty() as usize;
        sizes[4] = x.t().nrows() + x.t().shape()[1] * 100;
    }
}

fn strided(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..60).collect();
    let x = run.array(&values);
    // Rows 1 to 4 and columns 2 to 8 of 6 by 10, into columns 1 to 7 of 5 by 8.
    let (mut y, mut sizes) = (run.array(&[7u32; 40]), run.zeros(5));
    let from = x.reshape((6, 10)).unwrap().slice(1..5, 2..=8).unwrap();
    let to = y.reshape_mut((5, 8)).unwrap().slice(1.., 1..).unwrap();
    run.launch(numbered(from, to, &mut sizes).over((7, 4)));
    let mut expected = vec![7; 40];
    for i in 0..4 {
        for j in 0..7 {
            expected[8 * (i + 1) + j + 1] = values[10 * (i + 1) + j + 2] * 100 + (10 * i + j) as u32;
        }
    }
    run.expect("y", &y, &expected);
    run.expect("sizes", &sizes, &[4, 7, 407, 28, 7 + 400]);
    // The same, transposed, and only some of the columns of it.
    let (mut y, mut sizes) = (run.array(&[7u32; 40]), run.zeros(5));
    let from = x.reshape((6, 10)).unwrap().t().slice(3..6, ..).unwrap();
    let (to, rest) = y.reshape_mut((5, 8)).unwrap().split_at(0, 3).unwrap();
    let to = to.slice(.., ..6).unwrap();
    assert_eq!(rest.shape(), [2, 8]);
    run.launch(numbered(from, to, &mut sizes).over((6, 3)));
    let mut expected = vec![7; 40];
    for i in 0..3 {
        for j in 0..6 {
            expected[8 * i + j] = values[10 * j + i + 3] * 100 + (10 * i + j) as u32;
        }
    }
    run.expect("y", &y, &expected);
    run.expect("sizes", &sizes, &[3, 6, 306, 18, 6 + 300]);
}

/// The sum of a one-dimensional view, such as a row or column.
#[device]
pub fn total(line: ArrayView1<'_, i64>) -> i64 {
    let mut sum = 0;
    for i in 0..line.len() {
        sum = sum * 3 + line[i];
    }
    sum
}

#[device]
pub fn scale(mut line: ArrayViewMut1<'_, i64>, by: i64) {
    for i in 0..line.len() {
        line[i] *= by;
    }
}

/// Rows and columns of views as arguments of device functions.
#[kernel]
pub fn lines_of(mut a: ArrayViewMut2<i64>, rows: &mut [i64], columns: &mut [i64]) {
    for i in 0..a.nrows() {
        rows[i] = total(a.row(i));
    }
    for j in 0..a.ncols() {
        let column = a.column(j);
        columns[j] = total(column) + column[0] + column.len() as i64 * 1_000_000;
    }
    let mut last = a.row_mut(a.nrows() - 1);
    last[1] = 7;
    last[0] += 5;
    scale(a.column_mut(2), 10);
    scale(a.row_mut(0), -1);
    let across = a.t();
    rows[0] += across[[1, 0]];
    columns[0] += total(across.row(0));
}

fn rows_and_columns(run: &mut Run<'_>) {
    let values: Vec<i64> = (0..12).map(|i| i * i - 20).collect();
    let total = |line: &[i64]| line.iter().fold(0, |sum, v| sum * 3 + v);
    let mut a = run.array(&values);
    let (mut rows, mut columns) = (run.zeros(3), run.zeros(4));
    run.launch(lines_of(a.reshape_mut((3, 4)).unwrap(), &mut rows, &mut columns).grid(1).block(1));
    let mut after = values.clone();
    after[9] = 7;
    after[8] += 5;
    (0..3).for_each(|i| after[4 * i + 2] *= 10);
    (0..4).for_each(|j| after[j] *= -1);
    run.expect("a", &a, &after);
    let column = |values: &[i64], j: usize| [values[j], values[4 + j], values[8 + j]];
    let mut of_rows: Vec<i64> = values.chunks(4).map(total).collect();
    of_rows[0] += after[1];
    run.expect("rows", &rows, &of_rows);
    let mut of_columns: Vec<i64> = (0..4).map(|j| total(&column(&values, j)) + values[j] + 3_000_000).collect();
    of_columns[0] += total(&column(&after, 0));
    run.expect("columns", &columns, &of_columns);
}

/// Three dimensions, and their planes.
#[kernel]
pub fn turned(x: ArrayView3<f64>, mut y: ArrayViewMut3<f64>, sums: &mut [f64]) {
    let (k, j, i) = grid(3);
    let (planes, rows, columns) = x.dim();
    if i < planes && j < rows && k < columns {
        y[[k, j, i]] = x[[i, j, k]] + 0.5;
        if j == 0 && k == 0 {
            let plane = x.plane(i);
            let mut sum = 0.0;
            for r in 0..plane.nrows() {
                sum += plane[[r, plane.ncols() - 1]] * (r + 1) as f64;
            }
            sums[i] = sum + x.t().shape()[0] as f64;
        }
        if i == 0 {
            y.plane_mut(k)[[j, 0]] += 100.0;
        }
    }
}

fn cubes(run: &mut Run<'_>) {
    let (p, r, c) = (3, 4, 5);
    let values: Vec<f64> = (0..p * r * c).map(|i| i as f64).collect();
    let x = run.array(&values);
    let at = |i: usize, j: usize, k: usize| values[(i * r + j) * c + k];
    let (mut y, mut sums) = (run.zeros(p * r * c), run.zeros(p));
    let to = y.reshape_mut((c, r, p)).unwrap();
    run.launch(turned(x.reshape((p, r, c)).unwrap(), to, &mut sums).block((4, 4, 4)).over((c, r, p)));
    let mut expected = vec![0.0; values.len()];
    for i in 0..p {
        for j in 0..r {
            for k in 0..c {
                expected[(k * r + j) * p + i] = at(i, j, k) + 0.5 + if i == 0 { 100.0 } else { 0.0 };
            }
        }
    }
    run.expect("y", &y, &expected);
    let sum = |i: usize| (0..r).map(|j| at(i, j, c - 1) * (j + 1) as f64).sum::<f64>() + c as f64;
    run.expect("sums", &sums, &(0..p).map(sum).collect::<Vec<_>>());
    // A part of it, transposed.
    let mut z = run.array(&[-1.0; 60]);
    let mut sums = run.zeros(2);
    let part = x.reshape((p, r, c)).unwrap().slice(1.., ..2, 1..4).unwrap();
    let to = z.reshape_mut((p, r, c)).unwrap().t().slice(..3, 1..3, 1..).unwrap();
    run.launch(turned(part, to, &mut sums).block((2, 2, 2)).over((3, 2, 2)));
    let mut expected = vec![-1.0; 60];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..3 {
                let there = ((i + 1) * r + j + 1) * c + k;
                expected[there] = at(i + 1, j, k + 1) + 0.5 + if i == 0 { 100.0 } else { 0.0 };
            }
        }
    }
    run.expect("z", &z, &expected);
}

/// One-dimensional views as parameters.
#[kernel]
pub fn every_third(x: ArrayView1<u8>, mut y: ArrayViewMut1<u8>) {
    let i = grid(1);
    if i < y.len() {
        y[i] = x[3 * i] + x[[3 * i + 1]];
    }
}

fn lines(run: &mut Run<'_>) {
    let values: Vec<u8> = (0..90).collect();
    let x = run.array(&values);
    let (mut y, mut z) = (run.zeros(30), run.zeros(12));
    run.launch(every_third(x.reshape(90).unwrap(), y.reshape_mut(30).unwrap()).over(30));
    run.expect("y", &y, &(0..30).map(|i| 6 * i + 1).collect::<Vec<u8>>());
    // A column of 10 by 9, into a row and a column of 3 by 4.
    let column = x.reshape((10, 9)).unwrap().column(4).unwrap();
    run.launch(every_third(column, z.reshape_mut((3, 4)).unwrap().row(1).unwrap().slice_axis(0, ..3).unwrap()).over(3));
    run.launch(every_third(column, z.reshape_mut((3, 4)).unwrap().column(3).unwrap()).over(3));
    let of = |i: u8| 9 * 3 * i + 4 + 9 * (3 * i + 1) + 4;
    let expected = [0, 0, 0, of(0), of(0), of(1), of(2), of(1), 0, 0, 0, of(2)];
    run.expect("z", &z, &expected);
}

/// Empty views.
#[kernel]
pub fn count(x: ArrayView2<f32>, y: ArrayView3<u8>, sizes: &mut [usize]) {
    sizes[0] = x.nrows() + 10 * x.ncols() + 100 * x.len() + 1000 * x.is_empty() as usize;
    let [planes, rows, columns] = y.shape();
    sizes[1] = planes + 10 * rows + 100 * columns + 1000 * y.len();
    for i in 0..x.nrows() {
        for j in 0..x.ncols() {
            sizes[2] += x[[i, j]] as usize;
        }
    }
}

fn nothing(run: &mut Run<'_>) {
    let (empty, bytes, some) = (run.zeros::<f32>(0), run.zeros::<u8>(0), run.zeros::<f32>(12));
    let mut sizes = run.zeros(3);
    let x = empty.reshape((0, 5)).unwrap();
    run.launch(count(x, bytes.reshape((2, 0, 3)).unwrap(), &mut sizes).grid(1).block(1));
    run.expect("no rows", &sizes, &[1050, 302, 0]);
    let x = some.reshape((3, 4)).unwrap().slice(1..3, 2..2).unwrap();
    run.launch(count(x, bytes.reshape((0, 7, 9)).unwrap(), &mut sizes).grid(1).block(1));
    run.expect("no columns", &sizes, &[1002, 970, 0]);
}

/// Indices out of bounds in each dimension, of views and of their rows and columns.
#[kernel]
pub fn element(x: ArrayView3<u32>, y: &mut [u32], which: u32, i: usize, j: usize, k: usize) {
    y[0] = 1;
    y[1] = match which {
        0 => x[[i, j, k]],
        1 => x.plane(i)[[j, k]],
        2 => x.plane(i).row(j)[k],
        3 => x.plane(i).column(k)[j],
        _ => x.t()[[k, j, i]],
    };
}

fn outside(run: &mut Run<'_>) {
    let values: Vec<u32> = (0..24).collect();
    let x = run.array(&values);
    let view = || x.reshape((2, 3, 4)).unwrap();
    for which in 0..5 {
        for (i, j, k) in
            [(1, 2, 3), (0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 4), (1, 2, usize::MAX), (0, 1 << 40, 0), (2, 3, 4)]
        {
            let mut y = run.zeros(2);
            if i < 2 && j < 3 && k < 4 {
                run.launch(element(view(), &mut y, which, i, j, k).grid(1).block(1));
                run.expect("y", &y, &[1, (12 * i + 4 * j + k) as u32]);
            } else {
                run.expect_fault("outside", |run| run.launch(element(view(), &mut y, which, i, j, k).grid(1).block(1)));
                run.expect("y", &y, &[1, 0]);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, DeviceType)]
pub struct Cell {
    alive: bool,
    age: [u16; 2],
}

/// Fields of elements of a view, and references to them.
#[kernel]
pub fn live(cells: ArrayView2<Cell>, mut next: ArrayViewMut2<Cell>) {
    let (x, y) = grid(2);
    let (rows, columns) = cells.dim();
    if y < rows && x < columns {
        let mut neighbours = 0;
        for dy in [rows - 1, 0, 1] {
            for dx in [columns - 1, 0, 1] {
                neighbours += cells[[(y + dy) % rows, (x + dx) % columns]].alive as u32;
            }
        }
        let was = cells[[y, x]].alive;
        next[[y, x]].alive = neighbours == 3 || (was && neighbours == 4);
        next[[y, x]].age[0] += 1;
        grow(&mut next[[y, x]].age, was);
    }
}

#[device]
pub fn grow(age: &mut [u16; 2], was: bool) {
    if was {
        age[1] += age[0] + 10;
    }
}

fn of_structs(run: &mut Run<'_>) {
    let (rows, columns) = (6, 5);
    let random = Random::new(2).below(30, 10);
    let cells: Vec<Cell> = random.iter().map(|&n| Cell { alive: n < 4, age: [n as u16, 1] }).collect();
    let (there, mut next) = (run.array(&cells), run.array(&cells));
    run.launch(live(there.reshape((rows, columns)).unwrap(), next.reshape_mut((rows, columns)).unwrap()).over((5, 6)));
    let expected: Vec<Cell> = (0..30)
        .map(|at| {
            let (y, x) = (at / columns, at % columns);
            let around = [(); 9].iter().enumerate().map(|(k, ())| {
                cells[(y + rows - 1 + k / 3) % rows * columns + (x + columns - 1 + k % 3) % columns].alive
            });
            let neighbours = around.filter(|alive| *alive).count();
            let Cell { alive: was, age: [a, b] } = cells[at];
            let age = [a + 1, if was { b + a + 11 } else { b }];
            Cell { alive: neighbours == 3 || (was && neighbours == 4), age }
        })
        .collect();
    run.expect("next", &next, &expected);
}

/// A device function with a view, called by a kernel and by the host.
#[device]
pub fn trace<T: Number>(a: ArrayView2<'_, T>, from: usize) -> T {
    let mut sum = T::ZERO;
    for i in from..a.nrows().min(a.ncols()) {
        sum += a[[i, i]];
    }
    sum
}

#[kernel]
pub fn traces(a: ArrayView2<f32>, y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] = trace(a, i) + trace(a.t(), i);
    }
}

fn in_functions(run: &mut Run<'_>) {
    let values: Vec<f32> = (0..20).map(|i| i as f32 * 0.5).collect();
    let (a, mut y) = (run.array(&values), run.zeros(3));
    run.launch(traces(a.reshape((4, 5)).unwrap(), &mut y).over(3));
    let cpu = Device::cpu().to_device(&values).unwrap();
    let on_host = |from: usize| {
        let view = cpu.reshape((4, 5)).unwrap();
        2.0 * trace(view, from)
    };
    run.expect("y", &y, &[0, 1, 2].map(on_host));
    run.expect("y", &y, &[18.0, 18.0, 15.0].map(|v: f32| v * 2.0));
}
