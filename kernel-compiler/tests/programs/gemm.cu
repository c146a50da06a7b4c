#line 1 "src/kernels.rs"
extern "C" __global__ void gemm(const float* __restrict__ a, usize a_len, const float* __restrict__ b, usize b_len, float* __restrict__ c, usize c_len, usize n, rt::Launch launch) {
    __shared__ rt::Array<rt::Array<float, 16>, 16> ta;
    asm volatile("" : : "l"(&ta) : "memory");
#line 3
    __shared__ rt::Array<rt::Array<float, 16>, 16> tb;
    asm volatile("" : : "l"(&tb) : "memory");
#line 4
    const usize x = blockIdx.x * (usize)blockDim.x + threadIdx.x;
#line 4
    const usize y = blockIdx.y * (usize)blockDim.y + threadIdx.y;
    const usize tx = (usize)threadIdx.x;
    const usize ty = (usize)threadIdx.y;
    float sum = 0.0f;
    const usize end = n / 16;
#line 8
    for (usize t = 0; t < end; ++t) {
        ta[rt::at(ty, 16, 1, launch)][rt::at(tx, 16, 2, launch)] = a[rt::at(y * n + t * 16 + tx, rt::opaque(a_len), 0, launch)];
        tb[rt::at(ty, 16, 4, launch)][rt::at(tx, 16, 5, launch)] = b[rt::at((t * 16 + ty) * n + x, rt::opaque(b_len), 3, launch)];
        __syncthreads();
        for (usize k = 0; k < 16; ++k) {
            sum += ta[ty][k] * tb[k][tx];
        }
        __syncthreads();
    }
    c[rt::at(y * n + x, c_len, 10, launch)] = sum;
}
