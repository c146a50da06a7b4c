#line 1 "src/kernels.rs"
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < y_len) {
        y[rt::at(i, y_len, 2, launch)] = a * x[rt::at(i, x_len, 0, launch)] + y[rt::at(i, y_len, 1, launch)];
    }
}
