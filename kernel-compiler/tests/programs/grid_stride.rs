fn square(x: f32) -> f32 {
    x * x
}

fn halve(y: &mut [f32], i: usize) {
    y[i] /= 2.0;
}

fn grid_stride(x: &[f32], y: &mut [f32], n: i32, by: usize) {
    let start: usize = grid(1);
    for i in (start..y.len()).step_by(grid_size(1)) {
        y[i] = square(x[i]) + 1.0;
        halve(y, i);
    }
    for k in 0i32..n {
        y[k as usize] += 1.0;
    }
    for k in 0i32..=n {
        y[k as usize] -= 1.0;
    }
    for k in 0u8..=255u8 {
        y[k as usize] -= 1.0;
    }
    for mut k in 0u8..10u8 {
        k += 1u8;
        y[k as usize] *= 2.0;
    }
    for k in (0i32..=n).step_by(by) {
        y[k as usize] -= 1.0;
    }
    for _ in 0..3 {
        y[0] = 0.0;
    }
}
