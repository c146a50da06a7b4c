namespace types {

// (f32, bool)
struct Tuple_f32_bool {
    float _0;
    u8 _1;
};

}  // namespace types

#undef offset_of

namespace device {

#line 1 "src/kernels.rs"
static __device__ inline types::Tuple_f32_bool parts(float x, i32 n) {
    float sin_2;
#line 2
    float cos_2;
#line 2
    sincosf(x, &sin_2, &cos_2);
#line 2
    const float sin_ = sin_2;
#line 2
    const float cos_ = cos_2;
    i32 result;
#line 3
    const bool overflows = rt::overflowing_mul_i32(n, 3, result);
#line 3
    const i32 next = result;
#line 3
    const bool over = overflows;
    return types::Tuple_f32_bool{sin_ * cos_ + (float)rt::leading_zeros_i32(next), over};
}

}  // namespace device

#line 7 "src/kernels.rs"
extern "C" __global__ void methods(float* __restrict__ x, usize x_len, rt::f16* __restrict__ h, usize h_len, rt::bf16* __restrict__ b, usize b_len, i32* __restrict__ n, usize n_len, u64* __restrict__ m, usize m_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    const types::Tuple_f32_bool value_2 = device::parts(x[rt::at(i, x_len, 0, launch)], n[rt::at(i, n_len, 1, launch)]);
#line 9
    const float value = value_2._0;
#line 9
    const bool over = value_2._1 != 0;
    x[rt::at(i, x_len, 2, launch)] = over ? rsqrtf(value) : rintf(logf(__expf(value)) / logf(2.0f));
    h[rt::at(i, h_len, 8, launch)] = rt::f32_to_f16(sqrtf(rt::f16_to_f32(rt::max_f16(h[rt::at(i, h_len, 3, launch)] * h[rt::at(0, h_len, 4, launch)] - h[rt::at(1, h_len, 5, launch)], h[rt::at(2, h_len, 6, launch)])))) + rt::f32_to_f16(x[rt::at(i, x_len, 7, launch)]);
    h[rt::at(i, h_len, 12, launch)] += rt::mul_add_f16(h[rt::at(3, h_len, 9, launch)], h[rt::at(4, h_len, 10, launch)], h[rt::at(5, h_len, 11, launch)]);
    b[rt::at(i, b_len, 14, launch)] = -b[rt::at(i, b_len, 13, launch)] / rt::bf16_from_bits(16256);
    if (h[rt::at(i, h_len, 15, launch)] < h[rt::at(0, h_len, 16, launch)] && rt::is_nan_bf16(b[rt::at(i, b_len, 17, launch)])) {
        x[rt::at(i, x_len, 19, launch)] = rt::f16_to_f32(h[rt::at(i, h_len, 18, launch)]);
    }
    n[rt::at(i, n_len, 24, launch)] = (i32)rt::abs_diff_i32(rt::saturating_add_i32((i32)((u32)n[rt::at(i, n_len, 20, launch)] << ((u32)n[rt::at(0, n_len, 21, launch)] & 31)), n[rt::at(1, n_len, 22, launch)]), n[rt::at(2, n_len, 23, launch)]);
    m[rt::at(i, m_len, 29, launch)] = rt::unbounded_shr_u64(rt::rotate_left_u64(rt::next_multiple_of_u64(m[rt::at(i, m_len, 25, launch)], m[rt::at(0, m_len, 26, launch)], 27, launch), 3), (u32)m[rt::at(2, m_len, 28, launch)]);
    m[rt::at(0, m_len, 32, launch)] = (u64)__double_as_longlong(1.0 / __longlong_as_double((i64)m[rt::at(1, m_len, 30, launch)])) + (u64)rt::leading_zeros_u32(~(u32)n[rt::at(i, n_len, 31, launch)]);
}
