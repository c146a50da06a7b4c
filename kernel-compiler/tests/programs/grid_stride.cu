namespace device {

#line 1 "src/kernels.rs"
static __device__ inline float square(float x) {
    return x * x;
}

#line 5 "src/kernels.rs"
static __device__ inline void halve(float* y, usize y_len, usize i, rt::Launch launch) {
    y[rt::at(i, rt::opaque(y_len), 0, launch)] /= 2.0f;
}

}  // namespace device

#line 9 "src/kernels.rs"
extern "C" __global__ void grid_stride(const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, i32 n, usize by, rt::Launch launch) {
    const usize start = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    const usize step = gridDim.x * (usize)blockDim.x;
#line 11
    if (rt::within(y_len, x_len)) {
#line 11
        for (usize i = start; i < y_len; i = rt::step_u64(i, y_len, step)) {
            y[i] = device::square(x[i]) + 1.0f;
            device::halve(y, y_len, i, launch);
        }
    } else {
#line 11
        for (usize i = start; i < y_len; i = rt::step_u64(i, y_len, step)) {
            y[i] = device::square(x[rt::at(i, rt::opaque(x_len), 1, launch)]) + 1.0f;
            device::halve(y, y_len, i, launch);
        }
    }
#line 15
    for (i32 k = 0; k < n; ++k) {
        y[rt::at((usize)k, rt::opaque(y_len), 3, launch)] += 1.0f;
    }
    i32 k_2 = 0;
#line 18
    for (bool more = k_2 <= n; more; more = rt::step_to_i32(k_2, n, 1)) {
        y[rt::at((usize)k_2, rt::opaque(y_len), 4, launch)] -= 1.0f;
    }
    u8 k_3 = 0;
#line 21
    if (rt::within(256, y_len)) {
#line 21
        for (bool more_2 = k_3 <= 255; more_2; more_2 = rt::step_to_u8(k_3, 255, 1)) {
            y[(usize)k_3] -= 1.0f;
        }
    } else {
#line 21
        for (bool more_2 = k_3 <= 255; more_2; more_2 = rt::step_to_u8(k_3, 255, 1)) {
            y[rt::at((usize)k_3, rt::opaque(y_len), 5, launch)] -= 1.0f;
        }
    }
#line 24
    for (u8 k_6 = 0; k_6 < 10; ++k_6) {
#line 24
        u8 k_4 = k_6;
        k_4 = (u8)(k_4 + 1);
        y[rt::at((usize)k_4, rt::opaque(y_len), 6, launch)] *= 2.0f;
    }
    if (by == 0) {
#line 28
        rt::fault(launch, 7, 0, 0);
    }
#line 28
    i32 k_5 = 0;
#line 28
    for (bool more_3 = k_5 <= n; more_3; more_3 = rt::step_to_i32(k_5, n, by)) {
        y[rt::at((usize)k_5, rt::opaque(y_len), 8, launch)] -= 1.0f;
    }
    for (usize i_2 = 0; i_2 < 3; ++i_2) {
        y[rt::at(0, y_len, 9, launch)] = 0.0f;
    }
}
