//! Thread indices and grid dimensions in one, two and three dimensions.

use cumbia::prelude::*;

use crate::{Case, Run, listed};

pub(crate) const CASES: &[Case] = listed![positions, global_indices, pictures];

/// All indices and dimensions, 21 numbers for each thread of a three-dimensional grid.
#[kernel]
pub fn everything(out: &mut [usize]) {
    let (x, y, z) = grid(3);
    let (width, height, depth) = grid_size(3);
    let at = 21 * ((z * height + y) * width + x);
    if z >= depth {
        panic!("outside the grid");
    }
    out[at] = x;
    out[at + 1] = y;
    out[at + 2] = z;
    out[at + 3] = width;
    out[at + 4] = height;
    out[at + 5] = depth;
    out[at + 6] = thread_idx().x;
    out[at + 7] = thread_idx().y;
    out[at + 8] = thread_idx().z;
    let block = block_idx();
    out[at + 9] = block.x;
    out[at + 10] = block.y;
    out[at + 11] = block.z;
    let (dim, blocks) = (block_dim(), grid_dim());
    out[at + 12] = dim.x + 10 * dim.y + 100 * dim.z;
    out[at + 13] = blocks.x + 10 * blocks.y + 100 * blocks.z;
    out[at + 14] = grid(1);
    out[at + 15] = grid_size(1);
    let (x2, y2) = grid(2);
    let (width2, height2) = grid_size(2);
    out[at + 16] = x2;
    out[at + 17] = y2;
    out[at + 18] = width2;
    out[at + 19] = height2;
    out[at + 20] = dim.x.max(blocks.z);
}

/// `global_id`, which is the same as `grid`, in each number of dimensions.
#[kernel]
pub fn global_ids(out: &mut [usize]) {
    let (x, y, z) = global_id(3);
    let (width, height, _) = grid_size(3);
    let at = 6 * ((z * height + y) * width + x);
    let (x2, y2) = cumbia::intrinsics::global_id(2);
    out[at] = x;
    out[at + 1] = y;
    out[at + 2] = z;
    out[at + 3] = x2;
    out[at + 4] = y2;
    out[at + 5] = global_id(1);
}

fn global_indices(run: &mut Run<'_>) {
    let (blocks, threads) = ((3, 2, 2), (4, 3, 2));
    let (width, height, depth) = (blocks.0 * threads.0, blocks.1 * threads.1, blocks.2 * threads.2);
    let mut out = run.zeros(6 * width * height * depth);
    run.launch(global_ids(&mut out).grid(blocks).block(threads));
    let mut expected = Vec::new();
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                expected.extend([x, y, z, x, y, x]);
            }
        }
    }
    run.expect("out", &out, &expected);
}

fn positions(run: &mut Run<'_>) {
    for (blocks, threads) in [((1, 1, 1), (1, 1, 1)), ((3, 2, 2), (4, 3, 2)), ((1, 5, 1), (2, 1, 3))] {
        let (width, height, depth) = (blocks.0 * threads.0, blocks.1 * threads.1, blocks.2 * threads.2);
        let mut out = run.zeros(21 * width * height * depth);
        run.launch(everything(&mut out).grid(blocks).block(threads));
        let mut expected = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    expected.extend([x, y, z, width, height, depth, x % threads.0, y % threads.1, z % threads.2]);
                    expected.extend([x / threads.0, y / threads.1, z / threads.2]);
                    expected.extend([threads.0 + 10 * threads.1 + 100 * threads.2]);
                    expected.extend([blocks.0 + 10 * blocks.1 + 100 * blocks.2]);
                    expected.extend([x, width, x, y, width, height, threads.0.max(blocks.2)]);
                }
            }
        }
        run.expect("everything", &out, &expected);
    }
}

/// The number of iterations before a point escapes.
#[device]
pub fn escape_time(re: f32, im: f32, limit: u32) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for turn in 0..limit {
        if x * x + y * y > 4.0 {
            return turn;
        }
        let next = x * x - y * y + re;
        y = 2.0 * x * y + im;
        x = next;
    }
    limit
}

/// The Mandelbrot set.
#[kernel(fmad = false)]
pub fn mandelbrot(width: usize, height: usize, times: &mut [u32]) {
    let (col, row) = grid(2);
    if col < width && row < height {
        let re = -2.0 + 3.0 * col as f32 / width as f32;
        let im = -1.2 + 2.4 * row as f32 / height as f32;
        times[row * width + col] = escape_time(re, im, 60);
    }
}

fn pictures(run: &mut Run<'_>) {
    let (width, height) = (45, 35);
    let mut times = run.zeros(width * height);
    run.launch(mandelbrot(width, height, &mut times).over((width, height)));
    let expected: Vec<u32> = (0..width * height)
        .map(|at| {
            let re = -2.0 + 3.0 * (at % width) as f32 / width as f32;
            let im = -1.2 + 2.4 * (at / width) as f32 / height as f32;
            let (mut x, mut y) = (0.0f32, 0.0f32);
            let stays = |turn: &u32| {
                let near = x * x + y * y <= 4.0;
                (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
                near && *turn < 60
            };
            (0..60).take_while(stays).count() as u32
        })
        .collect();
    run.expect("times", &times, &expected);
}
