//! The kernels of the algorithms on matrices.

use cumbia::algorithm::kernels::{transpose_elements, transpose_tiles};
use cumbia::prelude::*;

use crate::inputs::Random;
use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![transposes];

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
