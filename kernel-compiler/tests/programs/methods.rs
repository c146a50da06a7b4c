fn parts(x: f32, n: i32) -> (f32, bool) {
    let (sin, cos): (f32, f32) = x.sin_cos();
    let (next, over): (i32, bool) = n.overflowing_mul(3i32);
    (sin * cos + next.leading_zeros() as f32, over)
}

fn methods(x: &mut [f32], h: &mut [f16], b: &mut [bf16], n: &mut [i32], m: &mut [u64]) {
    let i = grid(1);
    let (value, over): (f32, bool) = parts(x[i], n[i]);
    x[i] = if over { value.rsqrt() } else { fast::exp(value).log(2.0f32).round_ties_even() };
    h[i] = (h[i] * h[0] - h[1]).max(h[2]).sqrt() + f16::from_f32(x[i]);
    h[i] += h[3].mul_add(h[4], h[5]);
    b[i] = -b[i] / bf16::from_bits(0x3f80u16);
    if h[i] < h[0] && b[i].is_nan() {
        x[i] = h[i].to_f32();
    }
    n[i] = n[i].wrapping_shl(n[0] as u32).saturating_add(n[1]).abs_diff(n[2]) as i32;
    m[i] = m[i].next_multiple_of(m[0]).rotate_left(3u32).unbounded_shr(m[2] as u32);
    m[0] = f64::from_bits(m[1]).recip().to_bits() + n[i].cast_unsigned().leading_ones() as u64;
}
