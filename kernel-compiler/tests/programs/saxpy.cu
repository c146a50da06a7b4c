#line 1 "src/kernels.rs"
extern "C" __global__ void saxpy(float a, const float* __restrict__ x, usize x_len, float* __restrict__ y, usize y_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < y_len) {
        y[rt::at<2>(i, y_len, launch)] = a * x[rt::at<0>(i, x_len, launch)] + y[rt::at<1>(i, y_len, launch)];
    }
}
