//! Loops whose faults are deferred: loops without effects that load elements at indices that only the device knows. A
//! thread goes on for up to 64 iterations after such a fault, but the fault that is reported is the first one, and
//! nothing else may show.

use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::vector::Float4;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![
    sparse_products,
    elements_of_all_types,
    ranges_of_all_forms,
    orders_of_faults,
    corrupt_ends,
    arrays_and_views,
    in_functions,
];

/// The product of a sparse matrix in compressed rows and a vector.
#[kernel(fmad = false)]
pub fn sparse(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = grid(1);
    if row < y.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            let column = columns[k] as usize;
            let value = values[k];
            sum += value * x[column];
        }
        y[row] = sum;
    }
}

fn sparse_products(run: &mut Run<'_>) {
    let columns: Vec<u32> = (0..300).map(|i| i * 7 % 50).collect();
    let values: Vec<f32> = (0..300).map(|i| i as f32 - 100.0).collect();
    let xs: Vec<f32> = (0..50).map(|i| i as f32 * 0.25).collect();
    let starts = [0, 3, 3, 100, 299, 300];
    let mut product = |starts: &[u32], columns: &[u32], values: &[f32], xs: &[f32]| {
        let (starts, columns, values, x) = (run.array(starts), run.array(columns), run.array(values), run.array(xs));
        for row in 1..6 {
            let mut y = run.zeros(row);
            run.launch(sparse(&starts, &columns, &values, &x, &mut y).grid(1).block(8));
            run.output("sparse", &y);
        }
    };
    product(&starts, &columns, &values, &xs);
    product(&starts, &columns, &values, &xs[..49]);
    product(&starts, &columns, &values, &[]);
    product(&starts, &columns, &values[..150], &xs);
    product(&starts, &columns[..150], &values, &xs);
    product(&starts, &[], &[], &[]);
    product(&[0; 6], &[], &[], &[]);
    product(&[5, 3, 2, 1, 0, 0], &columns, &values, &xs);
    product(&[0, 3, u32::MAX, 4, 7, 8], &columns, &values, &xs);
    product(&[0, 3, 4, u32::MAX, u32::MAX, u32::MAX], &columns, &values, &xs);
    // A faulty index in each of the iterations around the end of a chunk.
    for faulty in [0, 1, 62, 63, 64, 65, 127, 128, 195, 196] {
        for column in [50, 51, u32::MAX] {
            let mut columns = columns.clone();
            columns[100 + faulty] = column;
            product(&starts, &columns, &values, &xs);
        }
    }
}

/// A struct with padding.
#[derive(Clone, Copy, DeviceType)]
pub struct Particle {
    mass: f64,
    kind: u8,
    charge: i32,
    weights: [f32; 3],
}

/// A struct without arrays.
#[derive(Clone, Copy, DeviceType)]
pub struct Point {
    x: f32,
    y: f32,
    label: u16,
}

#[derive(Clone, Copy, PartialEq, DeviceType)]
#[repr(u8)]
pub enum Colour {
    Red = 3,
    Green = 4,
}

/// Gathers of all types of elements.
#[kernel(fmad = false)]
pub fn gathered(
    indices: &[u32],
    halves: &[f16],
    vectors: &[Float4],
    particles: &[Particle],
    points: &[Point],
    colours: &[Colour],
    y: &mut [f32],
    counts: &mut [u32],
) {
    let mut sum = f16::ZERO;
    for k in 0..indices.len() {
        sum = sum + halves[indices[k] as usize];
    }
    y[0] = sum.to_f32();
    let mut all = Float4::new(0.0, 0.0, 0.0, 1.0);
    for k in 0..indices.len() {
        all += vectors[indices[k] as usize];
    }
    y[1] = all.x + all.y + all.z + all.w;
    let (mut mass, mut charge, mut weight) = (0.0, 0i32, 0.0);
    for &index in indices {
        let particle = particles[index as usize];
        mass += particle.mass;
        charge = charge.wrapping_add(particle.charge);
        weight += particle.weights[1];
    }
    y[2] = mass as f32 + weight;
    counts[0] = charge as u32;
    let mut length = 0.0;
    let mut labels = 0u32;
    for k in 0..indices.len() {
        let point = &points[indices[k] as usize];
        if point.label == 7 {
            continue;
        }
        length += point.x * point.x + point.y * point.y;
        labels = labels.wrapping_add(point.label as u32);
    }
    y[3] = length;
    counts[1] = labels;
    let mut greens = 0u32;
    for k in 0..indices.len() {
        greens = greens.wrapping_add(match colours[indices[k] as usize] {
            Colour::Red => 1,
            Colour::Green => 1000,
        });
    }
    counts[2] = greens;
}

fn elements_of_all_types(run: &mut Run<'_>) {
    let halves: Vec<f16> = (0..20).map(|i| f16::from_f32(i as f32 * 0.5)).collect();
    let vectors: Vec<Float4> = (0..20).map(|i| i as f32).map(|i| Float4::new(i, -i, 2.0 * i, 1.0)).collect();
    let weights = [1.0, 2.0, 3.0];
    let particles: Vec<Particle> =
        (0..20).map(|i| Particle { mass: f64::from(i), kind: i as u8, charge: i - 5, weights }).collect();
    let points: Vec<Point> = (0..20u16).map(|i| Point { x: f32::from(i), y: 1.0, label: i % 9 }).collect();
    let colours: Vec<Colour> = (0..20).map(|i| if i % 3 == 0 { Colour::Red } else { Colour::Green }).collect();
    let lens = [
        [20; 5],
        [0, 20, 20, 20, 20],
        [20, 10, 20, 20, 20],
        [20, 20, 0, 20, 20],
        [20, 20, 20, 9, 20],
        [20, 20, 20, 20, 0],
    ];
    for [a, b, c, d, e] in lens {
        for count in [0, 1, 20, 70] {
            for last in [0, 19, 20, u32::MAX] {
                let mut indices: Vec<u32> = (0..count).map(|i| i * 3 % 20).collect();
                indices.push(last);
                indices.push(1);
                let indices = run.array(&indices);
                let (halves, vectors) = (run.array(&halves[..a]), run.array(&vectors[..b]));
                let (particles, points) = (run.array(&particles[..c]), run.array(&points[..d]));
                let colours = run.array(&colours[..e]);
                let (mut y, mut counts) = (run.zeros(4), run.zeros(3));
                run.launch(
                    gathered(&indices, &halves, &vectors, &particles, &points, &colours, &mut y, &mut counts)
                        .grid(1)
                        .block(1),
                );
                run.output("gathered", &y);
                run.output("counted", &counts);
            }
        }
    }
}

/// Counters of all forms.
#[kernel]
pub fn counted(x: &[u32], table: &[u32], y: &mut [u32], start: usize, end: usize, by: usize, form: u32) {
    let mut sum = 0u32;
    if form == 0 {
        for k in start..end {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[k] as usize]);
        }
    } else if form == 1 {
        for k in (start..end).rev() {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[k] as usize]);
        }
    } else if form == 2 {
        for k in (start..end).step_by(by) {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[k] as usize]);
        }
    } else if form == 3 {
        for k in start..=end {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[k] as usize]);
        }
    } else if form == 4 {
        for k in (start..=end).rev().step_by(by) {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[k] as usize]);
        }
    } else if form == 5 {
        for k in 0..=199u8 {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[k as usize] as usize]);
        }
    } else if form == 6 {
        for k in -70i8..100 {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[(k as i32).wrapping_add(70) as usize] as usize]);
        }
    } else if form == 7 {
        for k in (-128i8..127).step_by(2) {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[(k as i32).wrapping_add(128) as usize / 2] as usize]);
        }
    } else if form == 8 {
        for k in 0..50 {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[k] as usize]);
        }
    } else if form == 9 {
        for k in (-100i16..100).rev() {
            sum = sum.wrapping_mul(3).wrapping_add(table[x[(k as i32).wrapping_add(100) as usize] as usize]);
        }
    } else {
        for element in x {
            sum = sum.wrapping_mul(3).wrapping_add(table[*element as usize]);
        }
    }
    y[0] = sum;
}

fn ranges_of_all_forms(run: &mut Run<'_>) {
    let table: Vec<u32> = (0..10).map(|i| i * i + 1).collect();
    let bounds = [(0, 0), (0, 1), (3, 2), (0, 63), (0, 64), (1, 65), (0, 65), (5, 130), (0, 200), (7, 201)];
    for faulty in [None, Some(0), Some(1), Some(62), Some(63), Some(64), Some(65), Some(128), Some(199)] {
        let mut xs: Vec<u32> = (0..200).map(|i| i % 10).collect();
        if let Some(faulty) = faulty {
            xs[faulty] = 10 + faulty as u32;
        }
        let (x, table) = (run.array(&xs), run.array(&table));
        for form in 0..11 {
            for (start, end) in bounds {
                for by in [1, 2, 7, 64, 1000, usize::MAX] {
                    let steps = [2, 4].contains(&form);
                    let once = form > 4 && (start, end) != bounds[0];
                    if (by > 1 && !steps) || once {
                        continue;
                    }
                    let mut y = run.zeros(1);
                    run.launch(counted(&x, &table, &mut y, start, end, by, form).grid(1).block(1));
                    run.output("counted", &y);
                }
            }
        }
    }
}

/// Several loads in one iteration, each of which may fault, and each of which depends on others.
#[kernel]
pub fn ordered(a: &[u32], b: &[u32], c: &[u32], y: &mut [u32]) {
    let mut sum = 0u32;
    for k in 0..a.len() {
        let first = b[a[k] as usize];
        // Zero, if `first` could not be loaded.
        let second = c[first as usize];
        if second > 3 {
            sum = sum.wrapping_add(a[second as usize]);
        } else if b[second as usize] > 1 && c[b[second as usize] as usize] > 2 {
            sum = sum.wrapping_add(1000);
        }
        let third = if first == 0 { c[k] } else { a[(second & first) as usize] };
        sum = sum.wrapping_add(third);
        // The same index twice.
        sum = sum ^ b[third as usize];
        sum = sum ^ b[third as usize];
        sum = sum.wrapping_add(c[b[c[third as usize] as usize] as usize]);
    }
    y[0] = sum;
}

fn orders_of_faults(run: &mut Run<'_>) {
    let mut state = 1u32;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    for round in 0..300 {
        let lens = [1 + next(130), next(12), next(12)];
        let most = if round % 3 == 0 { 8 } else { 14 };
        let mut numbers =
            |len: u32| -> Vec<u32> { (0..len).map(|_| if next(20) == 0 { next(40) } else { next(most) }).collect() };
        let [a, b, c] = lens.map(&mut numbers).map(|numbers| run.array(&numbers));
        let mut y = run.zeros(1);
        run.launch(ordered(&a, &b, &c, &mut y).grid(1).block(1));
        run.output("ordered", &y);
    }
}

/// A loop that ends at a number from memory.
#[kernel]
pub fn corrupt(ends: &[u64], indices: &[u32], x: &[u32], y: &mut [u32]) {
    let mut sum = 0u32;
    for k in 0..ends[0] as usize {
        sum = sum.wrapping_add(x[indices[k % 200] as usize]);
    }
    y[0] = sum;
}

fn corrupt_ends(run: &mut Run<'_>) {
    let xs: Vec<u32> = (0..10).collect();
    for end in [0, 1, 100, u64::MAX, u64::MAX - 1, 1 << 63, u64::MAX - 63] {
        for faulty in [0, 1, 63, 64, 150] {
            let mut indices: Vec<u32> = (0..200).map(|i| i % 10).collect();
            indices[faulty] = 11;
            let (ends, indices, x) = (run.array(&[end]), run.array(&indices), run.array(&xs));
            let mut y = run.zeros(1);
            run.launch(corrupt(&ends, &indices, &x, &mut y).grid(1).block(1));
            run.output("corrupt", &y);
        }
    }
}

/// Elements of views, of arrays in variables and in structs, and of sub-slices.
#[kernel]
pub fn in_arrays(indices: &[u32], view: ArrayView2<u32>, x: &[u32], y: &mut [u32]) {
    let mut sum = 0u32;
    for k in 0..indices.len() {
        let (row, col) = (indices[k] as usize, indices[indices.len().wrapping_sub(k).wrapping_sub(1)] as usize);
        sum = sum.wrapping_mul(5).wrapping_add(view[[row, col]]);
    }
    y[0] = sum;
    let mut local = [1, 2, 3, 4, 5u32];
    for k in 0..indices.len() {
        sum = sum.wrapping_mul(5).wrapping_add(local[indices[k] as usize]);
        local[k % 5] = sum;
    }
    y[1] = sum;
    let part = &x[2..7];
    for k in 0..indices.len() {
        sum = sum.wrapping_mul(5).wrapping_add(part[indices[k] as usize]);
    }
    y[2] = sum;
    let mut shared = shared::<[u32; 4]>();
    for i in 0..4 {
        shared[i] = i as u32 + 1;
    }
    for k in 0..indices.len() {
        sum = sum.wrapping_mul(5).wrapping_add(shared[indices[k] as usize]);
    }
    y[3] = sum;
}

fn arrays_and_views(run: &mut Run<'_>) {
    let (cells, xs): (Vec<u32>, Vec<u32>) = ((0..12).collect(), (0..9).map(|i| i * 11).collect());
    for (rows, cols) in [(3, 4), (4, 3), (6, 2), (1, 12), (0, 5)] {
        for indices in
            [vec![0; 70], vec![0, 1, 1, 0, 2], vec![2, 1, 0], vec![4, 1], vec![0, 3], vec![0, 1, u32::MAX], vec![]]
        {
            let (indices, x) = (run.array(&indices), run.array(&xs));
            let cells = run.array(&cells[..rows * cols]);
            let mut y = run.zeros(4);
            let view = cells.reshape((rows, cols)).expect("as many elements");
            run.launch(in_arrays(&indices, view, &x, &mut y).grid(1).block(1));
            run.output("in_arrays", &y);
        }
    }
}

#[device]
fn mixed(a: u32, b: u32) -> u32 {
    if a > b {
        return a;
    }
    a ^ b
}

#[device]
fn gather(indices: &[u32], x: &[u32]) -> u32 {
    let mut sum = 0u32;
    for k in 0..indices.len() {
        sum = mixed(sum, x[indices[k] as usize].wrapping_mul(3));
    }
    sum
}

/// A loop in a function, which a loop calls that has effects.
#[kernel]
pub fn calling(indices: &[u32], x: &[u32], y: &mut [u32]) {
    for i in 0..y.len() {
        y[i] = gather(indices, &x[i..]);
    }
    for i in 0..y.len() {
        y[i] ^= gather(&indices[i..], x);
    }
}

fn in_functions(run: &mut Run<'_>) {
    let xs: Vec<u32> = (0..20).map(|i| i * 11).collect();
    for greatest in [0, 3, 15, 16, 17, 19, 20] {
        for count in [0, 1, 3, 4, 64, 100] {
            let indices: Vec<u32> = (0..count).map(|i| i * 7 % (greatest + 1)).collect();
            let (indices, x) = (run.array(&indices), run.array(&xs));
            let mut y = run.zeros(4);
            run.launch(calling(&indices, &x, &mut y).grid(1).block(1));
            run.output("calling", &y);
        }
    }
}
