namespace device {

#line 1 "src/kernels.rs"
static __device__ inline void note(i32* y, usize y_len, i32 v, rt::Launch launch) {
    y[rt::at(0, y_len, 1, launch)] = rt::wrapping_add_i32(rt::wrapping_mul_i32(y[rt::at(0, y_len, 0, launch)], 7) % 1000003, v);
}

}  // namespace device

#line 5 "src/kernels.rs"
extern "C" __global__ void ranges(const i32* __restrict__ x, usize x_len, i32* __restrict__ y, usize y_len, rt::Launch launch) {
    const i32 n = x[rt::at(0, x_len, 2, launch)];
    const i32 m = x[rt::at(1, x_len, 3, launch)];
    const usize by = (usize)x[rt::at(2, x_len, 4, launch)];
    for (i32 i_next = m; i_next > n; --i_next) {
#line 9
        const i32 i = i_next - 1;
        device::note(y, y_len, i, launch);
    }
    i32 i_2 = m;
#line 12
    for (bool more = i_2 >= n; more; more = rt::step_down_i32(i_2, n, 1)) {
        device::note(y, y_len, i_2, launch);
    }
    if (by == 0) {
#line 15
        rt::fault(launch, 5, 0, 0);
    }
#line 15
    for (i32 i_3 = n; i_3 < m; i_3 = rt::step_i32(i_3, m, by)) {
        device::note(y, y_len, i_3, launch);
    }
    if (by == 0) {
#line 18
        rt::fault(launch, 6, 0, 0);
    }
#line 18
    i32 i_4 = n;
#line 18
    for (bool more_2 = i_4 <= m; more_2; more_2 = rt::step_to_i32(i_4, m, by)) {
        device::note(y, y_len, i_4, launch);
    }
    if (by == 0) {
#line 21
        rt::fault(launch, 7, 0, 0);
    }
#line 21
    const i32 last = rt::wrapping_sub_i32(m, 1);
#line 21
    i32 i_5 = last;
#line 21
    for (bool more_3 = n < m; more_3; more_3 = rt::step_down_i32(i_5, n, by)) {
        device::note(y, y_len, i_5, launch);
    }
    if (by == 0) {
#line 24
        rt::fault(launch, 8, 0, 0);
    }
#line 24
    i32 i_6 = m;
#line 24
    for (bool more_4 = i_6 >= n; more_4; more_4 = rt::step_down_i32(i_6, n, by)) {
        device::note(y, y_len, i_6, launch);
    }
    if (by == 0) {
#line 27
        rt::fault(launch, 9, 0, 0);
    }
#line 27
    const i32 last_2 = rt::wrapping_sub_i32(m, 1);
#line 27
    const i32 last_3 = (i32)((usize)n + ((usize)last_2 - (usize)n) / by * by);
#line 27
    i32 i_7 = last_3;
#line 27
    for (bool more_5 = n < m; more_5; more_5 = rt::step_down_i32(i_7, n, by)) {
        device::note(y, y_len, i_7, launch);
    }
    if (by == 0) {
#line 30
        rt::fault(launch, 10, 0, 0);
    }
#line 30
    const i32 last_4 = rt::wrapping_sub_i32(m, 1);
#line 30
    const bool beyond = __umul64hi(by, 2ull) != 0;
#line 30
    const usize step = beyond ? 18446744073709551615ull : by * 2;
#line 30
    const i32 last_5 = beyond ? n : last_4;
#line 30
    i32 i_8 = n;
#line 30
    for (bool more_6 = n < m; more_6; more_6 = rt::step_to_i32(i_8, last_5, step)) {
        device::note(y, y_len, i_8, launch);
    }
    if (by == 0) {
#line 33
        rt::fault(launch, 11, 0, 0);
    }
#line 33
    const i32 last_6 = rt::wrapping_sub_i32(m, 1);
#line 33
    const i32 last_7 = (i32)((usize)n + ((usize)last_6 - (usize)n) / by * by);
#line 33
    const bool beyond_2 = __umul64hi(by, 2ull) != 0;
#line 33
    const usize step_2 = beyond_2 ? 18446744073709551615ull : by * 2;
#line 33
    const i32 last_8 = beyond_2 ? last_7 : n;
#line 33
    const i32 last_9 = (i32)((usize)last_7 - ((usize)last_7 - (usize)last_8) / step_2 * step_2);
#line 33
    i32 i_9 = last_9;
#line 33
    for (bool more_7 = n < m; more_7; more_7 = rt::step_to_i32(i_9, last_7, step_2)) {
        device::note(y, y_len, i_9, launch);
    }
    y[rt::at(1, y_len, 13, launch)] = y[rt::at(0, y_len, 12, launch)];
    u8 i_10 = 250;
#line 37
    for (bool more_8 = i_10 <= 255; more_8; more_8 = rt::step_to_u8(i_10, 255, 2)) {
        device::note(y, y_len, (i32)i_10, launch);
    }
    u8 i_11 = 5;
#line 40
    for (bool more_9 = true; more_9; more_9 = rt::step_down_u8(i_11, 0, 2)) {
        device::note(y, y_len, (i32)i_11, launch);
    }
    i8 i_12 = -120;
#line 43
    for (bool more_10 = i_12 >= -128; more_10; more_10 = rt::step_down_i8(i_12, -128, 1)) {
        device::note(y, y_len, (i32)i_12, launch);
    }
    i8 i_13 = 126;
#line 46
    for (bool more_11 = 120 <= 127; more_11; more_11 = rt::step_down_i8(i_13, 120, 3)) {
        device::note(y, y_len, (i32)i_13, launch);
    }
    for (i8 i_14 = -128; i_14 < 127; i_14 = rt::step_i8(i_14, 127, 100)) {
        device::note(y, y_len, (i32)i_14, launch);
    }
    i8 i_15 = 126;
#line 52
    for (bool more_12 = -128 < 127; more_12; more_12 = rt::step_down_i8(i_15, -128, 100)) {
        device::note(y, y_len, (i32)i_15, launch);
    }
    y[rt::at(2, y_len, 15, launch)] = y[rt::at(0, y_len, 14, launch)];
    const u64 start = 18446744073709551615ull - 3ull;
#line 56
    u64 i_16 = 18446744073709551615ull;
#line 56
    for (bool more_13 = i_16 >= start; more_13; more_13 = rt::step_down_u64(i_16, start, 1)) {
        device::note(y, y_len, (i32)(i_16 & 255), launch);
    }
    const usize step_3 = 18446744073709551615ull / 2ull;
#line 59
    if (step_3 == 0) {
#line 59
        rt::fault(launch, 16, 0, 0);
    }
#line 59
    u64 i_17 = 0;
#line 59
    for (bool more_14 = i_17 <= 18446744073709551615ull; more_14; more_14 = rt::step_to_u64(i_17, 18446744073709551615ull, step_3)) {
        device::note(y, y_len, (i32)(i_17 & 255), launch);
    }
    const bool beyond_3 = __umul64hi(18446744073709551615ull, 2ull) != 0;
#line 62
    const usize step_4 = beyond_3 ? 18446744073709551615ull : 18446744073709551615ull * 2ull;
#line 62
    const u64 last_10 = beyond_3 ? 0ull : 18446744073709551615ull;
#line 62
    u64 i_18 = 0;
#line 62
    for (bool more_15 = 0ull <= 18446744073709551615ull; more_15; more_15 = rt::step_to_u64(i_18, last_10, step_4)) {
        device::note(y, y_len, (i32)(i_18 & 255), launch);
    }
    const usize step_5 = 18446744073709551615ull / 3ull;
#line 65
    if (step_5 == 0) {
#line 65
        rt::fault(launch, 17, 0, 0);
    }
#line 65
    const isize last_11 = (isize)((u64)(-9223372036854775807ll - 1) + ((u64)9223372036854775806ll - (u64)(-9223372036854775807ll - 1)) / step_5 * step_5);
#line 65
    isize i_19 = last_11;
#line 65
    for (bool more_16 = (-9223372036854775807ll - 1) < 9223372036854775807ll; more_16; more_16 = rt::step_down_i64(i_19, (-9223372036854775807ll - 1), step_5)) {
        device::note(y, y_len, (i32)(i_19 & 255), launch);
    }
    const usize step_6 = 18446744073709551615ull / 3ull;
#line 68
    if (step_6 == 0) {
#line 68
        rt::fault(launch, 18, 0, 0);
    }
#line 68
    i64 i_20 = 9223372036854775807ll;
#line 68
    for (bool more_17 = i_20 >= (-9223372036854775807ll - 1); more_17; more_17 = rt::step_down_i64(i_20, (-9223372036854775807ll - 1), step_6)) {
        device::note(y, y_len, (i32)(i_20 & 255), launch);
    }
    y[rt::at(3, y_len, 20, launch)] = y[rt::at(0, y_len, 19, launch)];
    usize i_21 = 8;
#line 72
    for (bool more_18 = 0ull < 10ull; more_18; more_18 = rt::step_down_u64(i_21, 0, 4)) {
        device::note(y, y_len, (i32)i_21, launch);
    }
    for (usize i_next_2 = 5; i_next_2 > 5; --i_next_2) {
#line 75
        const usize i_22 = i_next_2 - 1;
        device::note(y, y_len, (i32)i_22, launch);
    }
    usize i_23 = 18446744073709551615ull;
#line 78
    for (bool more_19 = 0ull < 0ull; more_19; more_19 = rt::step_down_u64(i_23, 0, 3)) {
        device::note(y, y_len, (i32)i_23, launch);
    }
    for (usize i_next_3 = 4; i_next_3 > 0; --i_next_3) {
#line 81
        usize i_24 = i_next_3 - 1;
        i_24 += 1;
        if (i_24 == 3) {
            continue;
        }
        y[rt::at(i_24 + 4, rt::opaque(y_len), 21, launch)] = (i32)i_24;
    }
    for (usize i_next_4 = x_len; i_next_4 > 0; --i_next_4) {
#line 88
        const usize i_25 = i_next_4 - 1;
#line 88
        const i32& v = x[i_25];
        device::note(y, y_len, rt::wrapping_add_i32(v, (i32)i_25), launch);
        if (i_25 == 2) {
            break;
        }
    }
    for (usize i_next_5 = x_len; i_next_5 > 0; --i_next_5) {
#line 94
        const usize i_27 = i_next_5 - 1;
#line 94
        const i32& v_2 = x[i_27];
        device::note(y, y_len, v_2, launch);
    }
    const rt::Array<i32, 3> value = {{3, n, m}};
#line 97
    for (usize i_28 = 0; i_28 < 3; ++i_28) {
#line 97
        const i32 v_3 = value[i_28];
        device::note(y, y_len, v_3, launch);
    }
    for (usize i_next_6 = 3; i_next_6 > 0; --i_next_6) {
        device::note(y, y_len, 1, launch);
    }
    for (usize i_next_7 = y_len; i_next_7 > 0; --i_next_7) {
#line 103
        const usize i_26 = i_next_7 - 1;
        const usize at = i_26;
#line 104
        y[at] = rt::wrapping_add_i32(y[at], (i32)i_26);
    }
    y[rt::at((usize)x[rt::at(3, x_len, 23, launch)], y_len, 24, launch)] = 1;
}
