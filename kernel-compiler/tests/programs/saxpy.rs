fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i: usize = grid(1);
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}
