//! Tests of what the analysis proves, and of how it says so.

use crate::{Check, Options, Proof, Variant, check, checks, common, write};

/// Compiles a kernel, without overflow checks and for blocks of 256 threads.
fn compiled(text: &str) -> (String, Vec<Check>) {
    let program = common::program(text, false);
    let validated = check(&program).unwrap_or_else(|errors| panic!("{errors}"));
    let options = Options { block: Some([256, 1, 1]), variant: Variant::Proven, ..Options::default() };
    let text = write(&validated, &options).text;
    (text, checks(&validated, &options))
}

/// Kernels as users write them: every check is proved, at the latest at a launch.
#[test]
fn everyday_kernels_need_no_checks() {
    for text in [
        "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = a * x[i] + y[i]; } }",
        "fn stride(x: &[f32], y: &mut [f32]) {
            let mut i = grid(1);
            while i < y.len() { y[i] = x[i]; i += grid_size(1); }
        }",
        "fn stencil(x: &[f32], y: &mut [f32], w: usize, h: usize) {
            let (c, r) = grid(2);
            if r > 0 && c > 0 && r + 1 < h && c + 1 < w {
                let i = r * w + c;
                y[i] = 0.25 * (x[i - 1] + x[i + 1] + x[i - w] + x[i + w]) - x[i];
            }
        }",
        "fn triangle(x: &[f32], y: &mut [f32]) {
            let i = grid(1);
            if i < y.len() {
                let mut sum = 0.0f32;
                for j in 0..i { sum += x[i - j]; }
                y[i] = sum;
            }
        }",
        "fn rows(x: &[f32], y: &mut [f32], w: usize) {
            let r = grid(1);
            if r < y.len() {
                let row = &x[r * w..(r + 1) * w];
                let mut sum = 0.0f32;
                for j in 0..w { sum += row[j]; }
                y[r] = sum;
            }
        }",
        "fn reduce(x: &[f32], out: &mut [f32]) {
            let tile = shared::<[f32; 256]>();
            let t = thread_idx().x;
            let i = grid(1);
            tile[t] = if i < x.len() { x[i] } else { 0.0 };
            sync_threads();
            let mut s = block_dim().x / 2;
            while s > 0 {
                if t < s { tile[t] += tile[t + s]; }
                sync_threads();
                s /= 2;
            }
            if t == 0 { out[block_idx().x] = tile[0]; }
        }",
        "fn search(x: &[u32], keys: &[u32], out: &mut [usize]) {
            let i = grid(1);
            if i < out.len() {
                let mut lo = 0usize;
                let mut hi = x.len();
                while lo < hi {
                    let mid = lo + (hi - lo) / 2;
                    if x[mid] < keys[i] { lo = mid + 1; } else { hi = mid; }
                }
                out[i] = lo;
            }
        }",
        "fn tiles(y: &mut [f32]) {
            let t = thread_idx().x;
            let tile = shared::<[f32; 256]>();
            tile[(t / 16) * 16 + t % 16] = 1.0;
            tile[(t >> 4) * 16 + (t & 15)] = 2.0;
            tile[t ^ 1] = 3.0;
        }",
    ] {
        let (text, checks) = compiled(text);
        let kernel = &text[text.find("__global__").expect("a kernel")..];
        assert!(!kernel.contains("rt::at(") && !kernel.contains("rt::part_len("), "{kernel}\n{checks:#?}");
    }
}

#[test]
fn conditions_have_the_names_of_the_parameters() {
    let proofs = |text: &str| compiled(text).1.into_iter().map(|check| check.proof).collect::<Vec<_>>();
    let at_launch = |condition: &str| Proof::AtLaunch(condition.to_owned());
    assert_eq!(
        proofs("fn k(x: &[f32], y: &mut [f32]) { let i = grid(1); if i < y.len() { y[i] = x[i]; } }"),
        [at_launch("x.len() >= y.len() || x.len() >= 256 * grid_dim().x"), Proof::Always],
    );
    assert_eq!(
        proofs("fn k(x: &[u32], y: &mut [u32]) { y[x[0] as usize] = 1u32; }"),
        [at_launch("x.len() > 0"), Proof::DependsOnMemory],
    );
    assert_eq!(
        proofs("fn k(n: usize, y: &mut [usize]) { y[0] = 7usize / n; }"),
        [at_launch("n > 0"), at_launch("y.len() > 0")],
    );
}

/// The elements of a register tile are in rows that are computed from quotients and remainders of constants.
#[test]
fn rows_of_a_register_tile() {
    let (_, checks) = compiled(
        "fn k(c: &mut [f32], n: usize) {
            let t = thread_idx().x;
            let (tx, ty) = (t % 16, t / 16);
            let first_row = block_idx().y * 128;
            let first_vector = block_idx().x * 32;
            for i in 0..8usize {
                let row = first_row + i / 4 * 64 + 4 * ty + i % 4;
                let vector = row * (n / 4) + first_vector + tx;
                c[vector] = 1.0;
                c[vector + 16] = 1.0;
            }
        }",
    );
    let exact = "|| c.len() + (n / 4) >= 128 * grid_dim().y * (n / 4) + 32 * grid_dim().x";
    assert!(matches!(&checks[1].proof, Proof::AtLaunch(condition) if condition.ends_with(exact)), "{checks:#?}");
}

/// The last value of a counter with a step is known exactly, and a counter that cannot exceed its type is a sum.
#[test]
fn counters_with_a_step() {
    let (text, checks) = compiled(
        "fn k(x: &[f32], y: &mut [f32]) {
            let tile = shared::<[[f32; 33]; 32]>();
            let (tx, ty) = (thread_idx().x % 32, thread_idx().x / 32);
            for k in (0..32).step_by(8) { tile[ty + k][tx] = 1.0; }
            let mut sum = 0.0f32;
            for i in (grid(1)..x.len()).step_by(256) { sum += x[i]; }
            for i in (thread_idx().x as u8..9).step_by(3) { sum += tile[i as usize][0]; }
            y[grid(1)] = sum;
        }",
    );
    assert_eq!(checks.iter().filter(|check| check.proof != Proof::Always).count(), 1, "{checks:#?}");
    let kernel = &text[text.find("__global__").expect("a kernel")..];
    assert!(!kernel.contains("rt::step"), "{kernel}");
}
