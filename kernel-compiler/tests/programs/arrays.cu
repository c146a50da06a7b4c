namespace constants {

static __constant__ const rt::Array<i32, 5> c0 = {{2, -3, 5, -7, 11}};
static __constant__ const rt::Array<u8, 3> c1 = {{1, 0, 1}};

}  // namespace constants

namespace device {

#line 4 "src/kernels.rs"
static __device__ inline i32 total(const i32* x, usize x_len) {
    i32 sum = 0;
    for (usize i = 0; i < x_len; ++i) {
#line 6
        const i32& v = x[i];
        sum = rt::wrapping_add_i32(sum, v);
    }
    return sum;
}

#line 12 "src/kernels.rs"
static __device__ inline rt::Array<i32, 4> doubled(rt::Array<i32, 4> a) {
    for (usize i = 0; i < 4; ++i) {
#line 13
        i32& v = a[i];
        v = rt::wrapping_mul_i32(v, 2);
    }
    return a;
}

#line 19 "src/kernels.rs"
static __device__ inline void fill(rt::Array<i32, 4>& a, i32 first) {
    for (usize i = 0; i < 4; ++i) {
#line 20
        i32& v = a[i];
        v = rt::wrapping_add_i32(first, (i32)i);
    }
}

#line 25 "src/kernels.rs"
static __device__ inline void swap(i32& a, i32& b) {
    const i32 t = a;
    a = b;
    b = t;
}

#line 31 "src/kernels.rs"
static __device__ inline void reversed(i32* x, usize x_len) {
    usize i = 0;
    for (; i < x_len / 2; rt::keep_loop()) {
        const i32 t = x[i];
        x[i] = x[x_len - 1 - i];
        const usize last = x_len - 1 - i;
        x[last] = t;
        i += 1;
    }
}

#line 42 "src/kernels.rs"
static __device__ inline usize count(i32* y, usize y_len, rt::Launch launch) {
    const usize at = rt::at(0, y_len, 4, launch);
#line 43
    y[at] = rt::wrapping_add_i32(y[at], 1);
    return (usize)y[rt::at(0, y_len, 5, launch)];
}

}  // namespace device

#line 47 "src/kernels.rs"
extern "C" __global__ void arrays(const i32* __restrict__ x, usize x_len, i32* __restrict__ y, usize y_len, rt::Launch launch) {
    rt::Array<i32, 4> a = {{1, 2, 3, 4}};
    const rt::Array<i32, 4> b = a;
    a[rt::at((usize)x[rt::at(0, x_len, 6, launch)] & 3, 4, 7, launch)] = 10;
    const i32 saved = rt::wrapping_add_i32(rt::wrapping_add_i32(a[0], rt::wrapping_mul_i32(b[0], 100)), device::total(&a[0], 4));
#line 51
    const usize part_len = rt::rest_len(1, 4, 8, launch);
#line 51
    y[rt::at(1, y_len, 9, launch)] = rt::wrapping_add_i32(saved, device::total(&b[0] + 1, part_len));
    a = device::doubled(a);
    y[rt::at(2, y_len, 10, launch)] = rt::wrapping_sub_i32(device::total(&a[0], 4), device::total(&b[0], 4));
    device::fill(a, x[rt::at(1, x_len, 11, launch)]);
    y[rt::at(3, y_len, 14, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(a[3], constants::c0[rt::at((usize)a[0] % 5, 5, 12, launch)]), (i32)(constants::c1[rt::at((usize)(a[1] & 1), 3, 13, launch)] != 0));
    const rt::Array<i32, 3> value = {{0, 0, 0}};
#line 56
    rt::Array<rt::Array<i32, 3>, 2> grid_of = {{value, value}};
    for (usize i = 0; i < 2; ++i) {
        for (usize j = 0; j < 3; ++j) {
            grid_of[i][j] = (i32)(i * 10 + j);
        }
    }
    const rt::Array<i32, 3> row = grid_of[1];
    grid_of[1][2] = 77;
    y[rt::at(4, y_len, 17, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(device::total(&row[0], 3), device::total(&grid_of[1][0], 3)), 3);
    const rt::Array<u8, 9> big = rt::filled<u8, 9>((u8)x[rt::at(2, x_len, 18, launch)]);
    y[rt::at(5, y_len, 21, launch)] = (i32)big[rt::at((usize)x[rt::at(2, x_len, 19, launch)], 9, 20, launch)];
    device::swap(a[0], grid_of[0][1]);
    device::swap(y[rt::at(6, y_len, 22, launch)], a[1]);
    device::reversed(&a[0], 4);
    const usize part_len_2 = rt::part_len(1, 3, 4, 23, launch);
#line 70
    device::reversed(&a[0] + 1, part_len_2);
    y[rt::at(7, y_len, 26, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_add_i32(a[0], rt::wrapping_mul_i32(10, a[1])), rt::wrapping_mul_i32(100, a[2])), rt::wrapping_mul_i32(1000, a[3]));
    i32 s = 0;
    const rt::Array<i32, 4> saved_2 = a;
#line 73
    for (usize i_3 = 0; i_3 < 4; ++i_3) {
#line 73
        const i32 v = saved_2[i_3];
        a[0] = 5;
        s = rt::wrapping_add_i32(rt::wrapping_mul_i32(s, 3), v);
    }
    for (usize i_4 = 0; i_4 < 4; ++i_4) {
#line 77
        const i32 v_2 = b[i_4];
        s = rt::wrapping_add_i32(s, v_2);
    }
    y[rt::at(8, y_len, 27, launch)] = s;
    rt::Array<u8, 4> flags = {{false, false, false, false}};
    const usize value_2 = device::count(y, y_len, launch);
#line 82
    flags[rt::at(value_2, 4, 28, launch)] = true;
    const bool saved_3 = x[rt::at(0, x_len, 29, launch)] > 0;
#line 83
    const usize value_3 = device::count(y, y_len, launch);
#line 83
    const usize at = rt::at(value_3 & 3, 4, 30, launch);
#line 83
    flags[at] = (flags[at] != 0) ^ saved_3;
    const rt::Array<u8, 4> saved_4 = flags;
#line 84
    for (usize i_2 = 0; i_2 < 4; ++i_2) {
#line 84
        const bool on = saved_4[i_2] != 0;
        if (on) {
            const usize at_2 = rt::at(9, y_len, 31, launch);
#line 86
            y[at_2] = rt::wrapping_add_i32(y[at_2], rt::wrapping_add_i32((i32)i_2, 1));
        }
    }
    const usize from = (usize)x[rt::at(3, x_len, 32, launch)];
    const usize to = (usize)x[rt::at(4, x_len, 33, launch)];
    const usize part_len_3 = rt::part_len(from, to, y_len, 34, launch);
#line 91
    i32* const part = y + from;
    part[rt::at(0, part_len_3, 37, launch)] = 1000;
    const usize rest_len = rt::rest_len(1, part_len_3, 38, launch);
#line 93
    i32* const rest = part + 1;
    const i32 sum = device::total(rest, rest_len);
    y[rt::at(10, y_len, 39, launch)] = sum;
    const usize tail_len = rt::part_to_len(0, from, y_len, 40, launch);
    const usize n = tail_len;
    const i32 saved_5 = rt::wrapping_add_i32((i32)n, rt::Array<i32, 3>{{3, 1, 2}}[rt::at((usize)x[rt::at(0, x_len, 43, launch)] & 1, 3, 44, launch)]);
#line 98
    const usize start = from & 3;
#line 98
    const usize part_len_4 = rt::rest_len(start, 5, 45, launch);
#line 98
    y[rt::at(11, y_len, 46, launch)] = rt::wrapping_sub_i32(saved_5, device::total(&constants::c0[0] + start, part_len_4));
    __shared__ rt::Array<rt::Array<i32, 2>, 3> words;
    asm volatile("" : : "l"(&words) : "memory");
#line 100
    words[1] = rt::Array<i32, 2>{{x[rt::at(0, x_len, 47, launch)], x[rt::at(1, x_len, 48, launch)]}};
    words[2] = words[1];
    words[2][0] = rt::wrapping_add_i32(words[2][0], 1);
    device::reversed(&words[2][0], 2);
    y[rt::at(12, y_len, 49, launch)] = rt::wrapping_add_i32(rt::wrapping_sub_i32(words[1][0], words[2][0]), device::total(&words[1][0], 2));
    const usize value_4 = device::count(y, y_len, launch);
#line 105
    const rt::Array<i32, 0> empty = {{}};
    y[rt::at(13, y_len, 50, launch)] = 0;
    y[rt::at((usize)x[rt::at(5, x_len, 53, launch)], y_len, 54, launch)] = a[rt::at((usize)x[rt::at(5, x_len, 51, launch)], 4, 52, launch)];
}
