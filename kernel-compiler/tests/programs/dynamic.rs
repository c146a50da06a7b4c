fn sum(x: &[f64], tile: Shared<[[bool; 4]; 2]>) -> f64 {
    let mut s: f64 = 0.0f64;
    for i in 0..x.len() {
        s += x[i];
    }
    if tile[0][x.len() - 1] { -s } else { s }
}

fn dynamic(out: &mut [f64], sums: &mut [i64]) {
    let mut buf: &mut [f32] = dynamic_shared::<f32>();
    let mut part: &mut [f64] = dynamic_shared_at::<f64>(out.len() * 8, 4);
    let mut bits: &mut [bool] = dynamic_shared::<bool>();
    let mut tile: Shared<[[bool; 4]; 2]> = shared::<[[bool; 4]; 2]>();
    let i: Dim3 = thread_idx();
    buf[i.x] = 1.0;
    part[i.y] = 2.0f64;
    bits[i.z] = buf.is_empty();
    tile[0][1] = bits[0];
    sync_threads();
    if tile[1][tile[0].len() - 1] {
        out[i.x] = sum(part, tile) + f64::NEG_INFINITY;
    }
    atomic_add(&mut sums[0], -1i64);
    atomic_add(&mut out[0], 1.0f64);
}
