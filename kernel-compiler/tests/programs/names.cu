namespace device {

#line 1 "src/kernels.rs"
static __device__ inline float double_(float float_) {
    return float_ * 2.0f;
}

#line 5 "src/kernels.rs"
static __device__ inline float min(float a, float b) {
    return a < b ? a : device::double_(b);
}

#line 9 "src/kernels.rs"
static __device__ inline i32 printf_(i32 int_) {
    return int_ / 3;
}

#line 13 "src/kernels.rs"
static __device__ inline float double_2(float main_) {
    return main_ * 3.0f;
}

}  // namespace device

#line 17 "src/kernels.rs"
extern "C" __global__ void main_(float float_, const i32* __restrict__ int_, usize int_len, float* __restrict__ kernel, usize kernel_len, usize launch, float rt, usize x_len, usize at, usize fault, float sqrtf_, u32 u32_, float linux_, float device_, float gr_xf6_xdf_e, rt::Launch launch_2) {
#line 32
    const usize threadIdx_ = (usize)threadIdx.x;
    const float x = float_;
    const float x_3 = sqrtf(x) + sqrtf_ + rt + device_ + gr_xf6_xdf_e + linux_;
    const float x_2 = device::double_2(device::min(x_3, x_3));
    __shared__ rt::Array<float, 8> tile;
    asm volatile("" : : "l"(&tile) : "memory");
#line 37
    const float tile_2 = 1.0f;
    tile[rt::at(x_len, 8, 0, launch_2)] = tile_2;
    __shared__ rt::Array<float, 8> tile_3;
    asm volatile("" : : "l"(&tile_3) : "memory");
#line 40
    tile_3[rt::at(threadIdx_, 8, 1, launch_2)] = x_2;
    kernel[rt::at(launch, kernel_len, 4, launch_2)] = x_3 + (float)int_[rt::at(at, int_len, 2, launch_2)] + tile_3[rt::at(fault % 8, 8, 3, launch_2)] + (float)device::printf_((i32)u32_);
}
