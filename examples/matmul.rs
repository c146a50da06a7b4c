//! Matrix multiplication in two versions: a naive kernel, and a kernel with tiles in shared memory.
//!
//! ```text
//! cargo run --release --example matmul
//! ```

use std::time::Instant;

use cumbia::prelude::*;

/// `c = a · b`, where `a` has `m` rows and `k` columns, `b` has `k` rows and `n` columns, both in row-major order.
#[kernel]
fn matmul(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
    let (column, row) = grid(2);
    if row < m && column < n {
        let mut sum = 0.0;
        for i in 0..k {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[row * n + column] = sum;
    }
}

/// The number of rows and columns of a tile, and of a block.
const TILE: usize = 16;

/// The same with blocks of `TILE` by `TILE` threads. The threads of a block cooperatively load a tile of `a` and one of
/// `b` into shared memory, so that each element is read from global memory once per block instead of once per thread.
#[kernel]
fn matmul_tiled(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
    let mut a_tile = shared::<[[f32; TILE]; TILE]>();
    let mut b_tile = shared::<[[f32; TILE]; TILE]>();
    let (column, row) = grid(2);
    let (x, y) = (thread_idx().x, thread_idx().y);

    let mut sum = 0.0;
    for first in (0..k).step_by(TILE) {
        // Elements outside the matrices are zero and do not contribute to the sum.
        a_tile[y][x] = if row < m && first + x < k { a[row * k + first + x] } else { 0.0 };
        b_tile[y][x] = if first + y < k && column < n { b[(first + y) * n + column] } else { 0.0 };
        sync_threads(); // the tiles are complete
        for i in 0..TILE {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        sync_threads(); // all reads of the tiles are done
    }
    if row < m && column < n {
        c[row * n + column] = sum;
    }
}

fn main() -> cumbia::Result<()> {
    let (m, n, k) = (500, 300, 200); // none is a multiple of 16
    // Small integers: sums of their products are exact in any order of summation.
    let a: Vec<f32> = (0..m * k).map(|i| (i % 13) as f32 - 6.0).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 17) as f32 - 8.0).collect();
    let expected = matmul_on_host(&a, &b, n, k);

    let device = Device::open()?;
    let (a, b) = (device.to_device(&a)?, device.to_device(&b)?);
    println!("matmul on {device}: {m}×{k} by {k}×{n}");

    let mut c = device.zeros::<f32>(m * n)?;
    let start = Instant::now();
    matmul(&a, &b, &mut c, m, n, k).over((n, m)).launch()?;
    device.synchronize()?;
    println!("  naive: {:.1?}", start.elapsed());
    assert!(c.to_host()? == expected, "incorrect result of `matmul`");

    let mut c = device.zeros::<f32>(m * n)?;
    let start = Instant::now();
    matmul_tiled(&a, &b, &mut c, m, n, k).block((TILE, TILE)).over((n, m)).launch()?;
    device.synchronize()?;
    println!("  in tiles of {TILE}×{TILE}: {:.1?}", start.elapsed());
    assert!(c.to_host()? == expected, "incorrect result of `matmul_tiled`");

    println!("  both results are correct");
    Ok(())
}

fn matmul_on_host(a: &[f32], b: &[f32], n: usize, k: usize) -> Vec<f32> {
    let dot = |row: &[f32], column: usize| row.iter().zip(b[column..].iter().step_by(n)).map(|(a, b)| a * b).sum();
    a.chunks(k).flat_map(|row| (0..n).map(move |column| dot(row, column))).collect()
}
