fn gemm(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let mut ta: Shared<[[f32; 16]; 16]> = shared::<[[f32; 16]; 16]>();
    let mut tb: Shared<[[f32; 16]; 16]> = shared::<[[f32; 16]; 16]>();
    let (x, y) = grid(2);
    let tx: usize = thread_idx().x;
    let ty: usize = thread_idx().y;
    let mut sum: f32 = 0.0;
    for t in 0..n / 16 {
        ta[ty][tx] = a[y * n + t * 16 + tx];
        tb[ty][tx] = b[(t * 16 + ty) * n + x];
        sync_threads();
        for k in 0..16 {
            sum += ta[ty][k] * tb[k][tx];
        }
        sync_threads();
    }
    c[y * n + x] = sum;
}
