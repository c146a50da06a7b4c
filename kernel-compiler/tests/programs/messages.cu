namespace types {

// kernels::Level
typedef u8 Level;
constexpr Level Level_Low = 3;
constexpr Level Level_High = 4;

}  // namespace types

#undef offset_of

namespace device {

#line 6 "src/kernels.rs"
static __device__ inline float checked(i32 n, const float* x, usize x_len, rt::Launch launch) {
    if (n < 0) {
        rt::panic(launch, 0, x_len, n);
    }
    rt::print(launch, 1, n);
    return x[rt::at<2>((usize)n, x_len, launch)];
}

}  // namespace device

#line 14 "src/kernels.rs"
extern "C" __global__ void messages(i32 n, const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    rt::print(launch, 4, gridDim.x * (usize)blockDim.x, x[rt::at<3>(i, x_len, launch)], n < 3, -7, i);
    const float value = device::checked(n, x, x_len, launch);
#line 17
    y[rt::at<5>(i, y_len, launch)] = value;
    const types::Level level = n < 2 ? types::Level_Low : types::Level_High;
    rt::print(launch, 6, level);
    if (!(n < 3)) {
#line 20
        rt::fault(launch, 7, 0, 0);
    }
#line 21
    if (!(n < 2)) {
#line 21
        x[rt::at<8>((usize)n + 1, x_len, launch)];
#line 21
        rt::panic(launch, 9, 1ull, 2ull, 3ull, 4ull, 5ull, 6ull);
    }
#line 21
    rt::keep_loop();
}
