//! The forward pass of an attention head, softmax(Q Kᵀ / √d) V, without the matrix of scores in memory: each thread has
//! a query, the threads of a block load keys and values cooperatively into shared memory, and the softmax is computed
//! as its terms arrive (M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018; T. Dao et al.,
//! "Fast and Memory-Efficient Exact Attention with IO-Awareness", 2022).
//!
//! ```text
//! cargo run --release --example attention [tokens]
//! ```

use std::time::Instant;

use cumbia::prelude::*;
use cumbia::random::Philox;
use cumbia::vector::Float4;

/// The dimension of a query, a key and a value.
const D: usize = 64;
/// A query, a key or a value, in vectors that are loaded in one access.
type Row = [Float4; D / 4];

/// The number of keys in shared memory, and of queries of a block.
const TILE: usize = 64;
/// The number of scores that are computed at a time, between two changes of the maximum.
const GROUP: usize = 8;

/// Computes a row of the result for each query: the mean of the values, weighted by the softmax of the scores.
#[kernel(block = 64)]
fn attention(queries: &[Row], keys: &[Row], values: &[Row], y: &mut [Row]) {
    let mut key_tile = shared::<[Row; TILE]>();
    let mut value_tile = shared::<[Row; TILE]>();
    let (i, t) = (grid(1), thread_idx().x);

    // A thread without a query takes part in loading keys and values.
    let mut query = [Float4::ZERO; D / 4];
    if i < queries.len() {
        #[unroll]
        for c in 0..D / 4 {
            query[c] = queries[i][c] * (D as f32).rsqrt();
        }
    }
    // The maximum of the scores so far; the sums of exp(score − maximum), and of these times the values.
    let (mut maximum, mut total, mut sum) = (f32::NEG_INFINITY, 0.0, [Float4::ZERO; D / 4]);
    for first in (0..keys.len()).step_by(TILE) {
        for k in (t..TILE * D / 4).step_by(TILE) {
            let (row, c) = (k / (D / 4), k % (D / 4));
            let is_inside = first + row < keys.len() && first + row < values.len();
            key_tile[row][c] = if is_inside { keys[first + row][c] } else { Float4::ZERO };
            value_tile[row][c] = if is_inside { values[first + row][c] } else { Float4::ZERO };
        }
        sync_threads(); // the tiles are complete
        for group in (0..TILE).step_by(GROUP) {
            let (mut scores, mut greatest) = ([0.0; GROUP], maximum);
            #[unroll]
            for k in 0..GROUP {
                let mut score = 0.0;
                #[unroll]
                for c in 0..D / 4 {
                    score += query[c].dot(key_tile[group + k][c]);
                }
                // The weight of a key beyond the last is exp(−∞) = 0.
                scores[k] = if first + group + k < keys.len() { score } else { f32::NEG_INFINITY };
                greatest = greatest.max(scores[k]);
            }
            // The terms so far become relative to the new maximum.
            let factor = (maximum - greatest).exp();
            maximum = greatest;
            total *= factor;
            #[unroll]
            for c in 0..D / 4 {
                sum[c] *= factor;
            }
            #[unroll]
            for k in 0..GROUP {
                let weight = (scores[k] - maximum).exp();
                total += weight;
                #[unroll]
                for c in 0..D / 4 {
                    sum[c] += value_tile[group + k][c] * weight;
                }
            }
        }
        sync_threads(); // all reads of the tiles are done
    }
    if i < y.len() {
        #[unroll]
        for c in 0..D / 4 {
            y[i][c] = sum[c] / total;
        }
    }
}

/// Returns one row of the result in `f64`: the scores, their softmax, and the weighted mean of the values.
fn expected(query: &[f32], keys: &[f32], values: &[f32]) -> [f64; D] {
    let dot = |key: &[f32]| query.iter().zip(key).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    let scores: Vec<f64> = keys.chunks(D).map(|key| dot(key) / (D as f64).sqrt()).collect();
    let greatest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - greatest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let mean = |c: usize| weights.iter().zip(values.chunks(D)).map(|(w, value)| w * f64::from(value[c])).sum::<f64>();
    std::array::from_fn(|c| mean(c) / total)
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    let n: usize =
        std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(if device.is_cpu() { 1000 } else { 20_000 });
    let normal = |seed: u64| {
        let mut random = Philox::new(seed, 0, 0);
        (0..n * D).map(|_| 2.0 * random.normal_f32()).collect::<Vec<f32>>()
    };
    let (queries, keys, values) = (normal(1), normal(2), normal(3));

    let (queries_on_device, keys_on_device) = (device.to_device(&queries)?, device.to_device(&keys)?);
    let (values_on_device, mut y) = (device.to_device(&values)?, device.zeros::<f32>(n * D)?);
    let (q, k, v) = (queries_on_device.cast()?, keys_on_device.cast()?, values_on_device.cast()?);
    let mut rows = y.cast_mut()?;
    let prepared = attention(&q, &k, &v, &mut rows).over(n).prepare()?; // compiles the kernel
    let start = Instant::now();
    prepared.launch()?;
    device.synchronize()?;
    let time = start.elapsed();

    // A score of up to 40 has a rounding error of 10⁻⁵, and so has the weight of its key. The values are up to 10.
    let y = y.to_host()?;
    for i in (0..n).step_by(n.div_ceil(50).max(1)) {
        let row = D * i..D * (i + 1);
        let expected = expected(&queries[row.clone()], &keys, &values);
        for (found, expected) in y[row].iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-3, "row {i} contains {found}, expected {expected}");
        }
    }
    let operations = 4.0 * (n * n * D) as f64;
    println!("attention on {device}: {n} tokens of {D} dimensions in {time:.1?}, the result is correct");
    println!("  {:.1} Gflop/s", operations / time.as_secs_f64() / 1e9);
    Ok(())
}
