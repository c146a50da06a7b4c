namespace device {

#line 1 "src/kernels.rs"
static __device__ inline float sum(const float* row, usize row_len_0, usize row_stride_0) {
    float total = 0.0f;
    for (usize i = 0; i < row_len_0; ++i) {
        total += row[i * row_stride_0];
    }
    return total;
}

}  // namespace device

#line 9 "src/kernels.rs"
extern "C" __global__ void views(const float* __restrict__ a, usize a_len_0, usize a_len_1, usize a_stride_0, usize a_stride_1, const float* __restrict__ volume, usize volume_len_0, usize volume_len_1, usize volume_len_2, usize volume_stride_0, usize volume_stride_1, usize volume_stride_2, float* __restrict__ b, usize b_len_0, usize b_len_1, usize b_stride_0, usize b_stride_1, float* __restrict__ out, usize out_len, float* __restrict__ flat, usize flat_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    const usize rows = a_len_0;
#line 11
    const usize columns = a_len_1;
    if (i >= rows || b_len_0 * b_len_1 == 0) {
        return;
    }
    const float* const row_2 = a + rt::at(i, a_len_0, 1, launch) * a_stride_0;
#line 15
    const float* const row = row_2;
#line 15
    const usize row_len_0 = a_len_1;
#line 15
    const usize row_stride_0 = a_stride_1;
    const float saved = device::sum(row, row_len_0, row_stride_0);
#line 16
    const float* const column = a + rt::at(0, a_len_1, 2, launch) * a_stride_1;
#line 16
    const float saved_2 = saved + device::sum(column, a_len_0, a_stride_0);
#line 16
    const float* const plane = volume + rt::at(i, volume_len_0, 3, launch) * volume_stride_0;
#line 16
    const float* const row_3 = plane + rt::at(1, volume_len_1, 4, launch) * volume_stride_1;
#line 16
    out[rt::at(i, out_len, 5, launch)] = saved_2 + device::sum(row_3, volume_len_2, volume_stride_2);
    const float* const transposed = a;
#line 17
    const usize transposed_len_0 = a_len_1;
#line 17
    const usize transposed_len_1 = a_len_0;
#line 17
    const usize transposed_stride_0 = a_stride_1;
#line 17
    const usize transposed_stride_1 = a_stride_0;
    const rt::Array<usize, 3> shape = {{volume_len_0, volume_len_1, volume_len_2}};
    float* const column_mut = b + rt::at(columns - 1, b_len_1, 6, launch) * b_stride_1;
#line 19
    float* const last = column_mut;
#line 19
    const usize last_len_0 = b_len_0;
#line 19
    const usize last_stride_0 = b_stride_0;
    last[rt::at(i, last_len_0, 9, launch) * last_stride_0] = transposed[rt::at(0, transposed_len_0, 7, launch) * transposed_stride_0 + rt::at(i, transposed_len_1, 8, launch) * transposed_stride_1] + (float)shape[2] + (float)a_len_0 * (float)a_len_1 + (float)(volume_len_0 * volume_len_1 * volume_len_2);
    const usize at = rt::split_at(i, flat_len, 10, launch);
#line 21
    float* const right = flat + at;
#line 21
    const usize right_len = flat_len - at;
    if (at != 0) {
        flat[rt::at(0, at, 12, launch)] = right[rt::at(right_len - 1, right_len, 11, launch)];
    }
}
