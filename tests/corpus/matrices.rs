//! The kernels of the algorithms on matrices and on segments.

use cumbia::algorithm::kernels::{
    OfOne, layer_norm_of_long_rows, layer_norm_of_rows, reduce_each_row, reduce_each_segment, softmax_of_long_rows,
    softmax_of_rows, transpose_elements, transpose_tiles,
};
use cumbia::algorithm::{Function2, Identity, Plus};
use cumbia::prelude::*;

use crate::Tolerance::Ulps;
use crate::algorithms::{Affine, Then, all};
use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![transposes, rows, segments, softmax, layer_norm];

/// Tiles at the edges of a matrix, and a copy of a transposed view.
fn transposes(run: &mut Run<'_>) {
    let (rows, columns) = (70, 35);
    let mut random = Random::new(3);
    let values = random.floats(rows * columns, 9.0);
    let expected: Vec<f32> = (0..values.len()).map(|k| values[k % rows * columns + k / rows]).collect();
    let (x, mut y) = (run.array(&values), run.zeros(values.len()));
    let (from, to) = (x.reshape((rows, columns)).unwrap(), y.reshape_mut((columns, rows)).unwrap());
    run.launch(transpose_tiles::<_, 64, 65>(from, to).grid(2));
    run.expect("tiles", &y, &expected);
    let mut y = run.zeros(values.len());
    run.launch(transpose_elements(from.t(), y.reshape_mut((rows, columns)).unwrap()).over(values.len()));
    run.expect("elements", &y, &values);

    let bytes: Vec<u8> = values.iter().map(|v| v.to_bits() as u8).collect();
    let expected: Vec<u8> = (0..bytes.len()).map(|k| bytes[k % rows * columns + k / rows]).collect();
    let (x, mut y) = (run.array(&bytes), run.zeros(bytes.len()));
    let (from, to) = (x.reshape((rows, columns)).unwrap(), y.reshape_mut((columns, rows)).unwrap());
    run.launch(transpose_tiles::<_, 32, 33>(from, to).grid(6));
    run.expect("tiles of bytes", &y, &expected);
}

fn affine(random: &mut Random, n: usize) -> Vec<Affine> {
    (0..n).map(|_| Affine::new(random.bits() as u32 | 1, random.bits() as u32)).collect()
}

/// Rows that a warp or a block reduces, in order and in any order.
fn rows(run: &mut Run<'_>) {
    let (rows, columns) = (3, 1200);
    let mut random = Random::new(4);
    let floats: Vec<f32> = (0..rows * columns).map(|_| (random.bits() % 64) as f32).collect();
    let sums: Vec<f32> = floats.chunks(columns).map(|row| row.iter().sum::<f32>() + 0.5).collect();
    let x = run.array(&floats);
    let matrix = x.reshape((rows, columns)).unwrap();
    let mut y = run.zeros(rows);
    run.launch(
        reduce_each_row::<_, _, _, _, _, 32>(OfOne(Identity), Plus, Identity, 0.5, true, matrix, &mut y).grid(1),
    );
    run.expect("sums by warps", &y, &sums);
    let mut y = run.zeros(rows);
    run.launch(
        reduce_each_row::<_, _, _, _, _, 256>(OfOne(Identity), Plus, Identity, 0.5, true, matrix, &mut y).grid(rows),
    );
    run.expect("sums by blocks", &y, &sums);

    let (functions, first) = (affine(&mut random, rows * columns), Affine::new(3, 4));
    let through: Vec<Affine> =
        functions.chunks(columns).map(|row| row.iter().fold(first, |a, b| Then.call(a, *b))).collect();
    let x = run.array(&functions);
    let matrix = x.reshape((rows, columns)).unwrap();
    let mut y = run.array(&functions[..rows]);
    run.launch(
        reduce_each_row::<_, _, _, _, _, 32>(OfOne(Identity), Then, Identity, first, true, matrix, &mut y).grid(1),
    );
    run.expect("compositions by warps", &y, &through);
    let mut y = run.array(&functions[..rows]);
    run.launch(
        reduce_each_row::<_, _, _, _, _, 256>(OfOne(Identity), Then, Identity, first, true, matrix, &mut y).grid(rows),
    );
    run.expect("compositions by blocks", &y, &through);
}

/// Segments of which two are long, and offsets that are no segment.
fn segments(run: &mut Run<'_>) {
    let offsets = [1u32, 1, 5, 1700, 1700, 1740, 1741, 3000, 3000, 3003];
    let mut random = Random::new(5);
    let (functions, first) = (affine(&mut random, 3005), Affine::new(3, 4));
    let expected = offsets
        .windows(2)
        .map(|ends| functions[ends[0] as usize..ends[1] as usize].iter().fold(first, |a, b| Then.call(a, *b)));
    let expected: Vec<Affine> = expected.collect();
    let (x, at, mut y) = (run.array(&functions), run.array(&offsets), run.array(&functions[..9]));
    let line = x.reshape(functions.len()).unwrap();
    run.launch(reduce_each_segment::<_, _, _, 8>(Then, first, line, all(&at), &mut y).grid(2));
    run.expect("compositions", &y, &expected);
    let (x, at, mut y) = (run.array(&[1.0, 2.0, 4.0]), run.array(&[0i32, 3, -1]), run.array(&[0.0f32; 2]));
    run.expect_fault("negative", |run| {
        run.launch(reduce_each_segment::<_, _, _, 1>(Plus, 0.5, x.reshape(3).unwrap(), all(&at), &mut y).grid(2));
    });
}

/// Rows of 100 floats, held and not held, by a warp and by a block.
fn softmax(run: &mut Run<'_>) {
    let (rows, columns) = (3, 100);
    let mut random = Random::new(6);
    let values = random.floats(rows * columns, 5.0);
    let expected = values.chunks(columns).flat_map(|row| {
        let greatest = row.iter().copied().fold(f32::MIN, f32::max);
        let powers: Vec<f64> = row.iter().map(|v| f64::from(v - greatest).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(move |power| (power / sum) as f32)
    });
    let expected: Vec<f32> = expected.collect();
    let x = run.array(&values);
    let from = x.reshape((rows, columns)).unwrap();
    let mut y = run.zeros(values.len());
    run.launch(softmax_of_rows::<_, f32, 4, true>(from, y.reshape_mut((rows, columns)).unwrap()).grid(1).block(256));
    run.expect_within("by warps", &y, &expected, Ulps(20));
    let mut y = run.zeros(values.len());
    run.launch(softmax_of_rows::<_, f32, 4, false>(from, y.reshape_mut((rows, columns)).unwrap()).grid(rows).block(64));
    run.expect_within("by blocks", &y, &expected, Ulps(20));
    let mut y = run.zeros(values.len());
    run.launch(softmax_of_long_rows::<_, f32>(from, y.reshape_mut((rows, columns)).unwrap()).grid(rows).block(64));
    run.expect_within("not held", &y, &expected, Ulps(20));

    let halves: Vec<f16> = values.iter().map(|v| f16::from_f32(*v)).collect();
    let (x, mut y) = (run.array(&halves), run.zeros::<f16>(halves.len()));
    let (from, to) = (x.reshape((rows, columns)).unwrap(), y.reshape_mut((rows, columns)).unwrap());
    run.launch(softmax_of_rows::<_, f32, 4, true>(from, to).grid(1).block(256));
    run.output_within("halves", &y, Ulps(1));
}

fn layer_norm(run: &mut Run<'_>) {
    let (rows, columns) = (3, 100);
    let mut random = Random::new(7);
    let (values, gammas, betas) =
        (random.floats(rows * columns, 5.0), random.floats(columns, 2.0), vec![20.0; columns]);
    let expected = values.chunks(columns).flat_map(|row| {
        let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / columns as f64;
        let variance = row.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / columns as f64;
        let scale = 1.0 / (variance + 0.25).sqrt();
        let normalised = |j: usize| ((f64::from(row[j]) - mean) * scale * f64::from(gammas[j]) + 20.0) as f32;
        (0..columns).map(normalised).collect::<Vec<_>>()
    });
    let expected: Vec<f32> = expected.collect();
    let (x, gamma, beta) = (run.array(&values), run.array(&gammas), run.array(&betas));
    let from = x.reshape((rows, columns)).unwrap();
    let mut y = run.zeros(values.len());
    let to = y.reshape_mut((rows, columns)).unwrap();
    run.launch(layer_norm_of_rows::<_, f32, 4, true>(0.25, from, all(&gamma), all(&beta), to).grid(1).block(256));
    run.expect_within("by warps", &y, &expected, Ulps(20));
    let mut y = run.zeros(values.len());
    let to = y.reshape_mut((rows, columns)).unwrap();
    run.launch(layer_norm_of_rows::<_, f32, 4, false>(0.25, from, all(&gamma), all(&beta), to).grid(rows).block(64));
    run.expect_within("by blocks", &y, &expected, Ulps(20));
    let mut y = run.zeros(values.len());
    let to = y.reshape_mut((rows, columns)).unwrap();
    run.launch(layer_norm_of_long_rows::<_, f32>(0.25, from, all(&gamma), all(&beta), to).grid(rows).block(64));
    run.expect_within("not held", &y, &expected, Ulps(20));
}
