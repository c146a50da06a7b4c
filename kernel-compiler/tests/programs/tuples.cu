namespace types {

// (i32, bool)
struct Tuple_i32_bool {
    i32 _0;
    u8 _1;
};

// (i32, usize)
struct Tuple_i32_usize {
    i32 _0;
    usize _1;
};

// (i32, (i32, usize))
struct Tuple_i32_i32_usize {
    i32 _0;
    types::Tuple_i32_usize _1;
};

// (i32, [u8; 2])
struct Tuple_i32_u8_2 {
    i32 _0;
    rt::Array<u8, 2> _1;
};

}  // namespace types

#undef offset_of

namespace device {

#line 1 "src/kernels.rs"
static __device__ inline types::Tuple_i32_bool split(i32 v) {
    return types::Tuple_i32_bool{v / 10, v % 10 == 0};
}

#line 5 "src/kernels.rs"
static __device__ inline types::Tuple_i32_i32_usize extremes(const i32* x, usize x_len, rt::Launch launch) {
    i32 least = x[rt::at(0, x_len, 0, launch)];
    i32 most_0 = x[rt::at(0, x_len, 1, launch)];
#line 7
    usize most_1 = 0;
    for (usize i = 0; i < x_len; ++i) {
#line 8
        const i32 v = x[i];
        if (v < least) {
            least = v;
        }
        if (v > most_0) {
            most_0 = v;
#line 13
            most_1 = i;
        }
    }
    return types::Tuple_i32_i32_usize{least, {most_0, most_1}};
}

#line 19 "src/kernels.rs"
static __device__ inline i32 both(i32 pair_0, bool pair_1) {
    return pair_1 ? pair_0 : rt::wrapping_neg_i32(pair_0);
}

#line 23 "src/kernels.rs"
static __device__ inline void bump(i32& v, u8& flag) {
    v = rt::wrapping_add_i32(v, 1);
    flag = flag == 0;
}

#line 28 "src/kernels.rs"
static __device__ inline i32 count(i32* y, usize y_len, rt::Launch launch) {
    const usize at = rt::at(0, y_len, 2, launch);
#line 29
    y[at] = rt::wrapping_add_i32(y[at], 1);
    return y[rt::at(0, y_len, 3, launch)];
}

#line 33 "src/kernels.rs"
static __device__ inline types::Tuple_i32_u8_2 chosen(i32 v) {
    if (v < 0) {
        return types::Tuple_i32_u8_2{-1, {{0, 255}}};
    }
    if (v == 0) {
        return types::Tuple_i32_u8_2{0, {{1, 2}}};
    } else {
#line 39
        return types::Tuple_i32_u8_2{v, {{(u8)v, (u8)v}}};
    }
}

}  // namespace device

#line 43 "src/kernels.rs"
extern "C" __global__ void tuples(const i32* __restrict__ x, usize x_len, i32* __restrict__ y, usize y_len, rt::Launch launch) {
    const types::Tuple_i32_bool value = device::split(x[rt::at(0, x_len, 4, launch)]);
#line 44
    const i32 tens = value._0;
#line 44
    const bool whole = value._1 != 0;
    y[rt::at(1, y_len, 5, launch)] = rt::wrapping_add_i32(tens, (i32)whole);
    const types::Tuple_i32_i32_usize value_2 = device::extremes(x, x_len, launch);
#line 46
    const i32 least = value_2._0;
#line 46
    const i32 most = value_2._1._0;
#line 46
    const usize at = value_2._1._1;
    y[rt::at(2, y_len, 6, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_mul_i32(least, 1000), most), (i32)at);
    types::Tuple_i32_bool t = device::split(x[rt::at(1, x_len, 7, launch)]);
    const types::Tuple_i32_bool before = t;
    t._0 = rt::wrapping_add_i32(t._0, 5);
    const i32 saved = rt::wrapping_add_i32(device::both(before._0, before._1 != 0), device::both(t._0, t._1 != 0));
#line 51
    const i32 value_3 = device::count(y, y_len, launch);
#line 51
    y[rt::at(3, y_len, 9, launch)] = rt::wrapping_add_i32(saved, device::both(value_3, y[rt::at(0, y_len, 8, launch)] > 1));
    const i32 value_4 = device::count(y, y_len, launch);
#line 52
    const i32 value_5 = device::count(y, y_len, launch);
#line 52
    i32 pair_0 = value_4;
#line 52
    i32 pair_1 = value_5;
    const i32 saved_2 = pair_1;
#line 53
    const i32 saved_3 = pair_0;
#line 53
    pair_0 = saved_2;
#line 53
    pair_1 = saved_3;
    y[rt::at(4, y_len, 10, launch)] = rt::wrapping_add_i32(rt::wrapping_mul_i32(pair_0, 10), pair_1);
    types::Tuple_i32_bool u = {x[rt::at(2, x_len, 11, launch)], true};
    device::bump(u._0, u._1);
    y[rt::at(5, y_len, 12, launch)] = rt::wrapping_add_i32(u._0, (i32)(u._1 != 0));
    rt::Array<types::Tuple_i32_bool, 3> list = {{{1, true}, t, {x[rt::at(3, x_len, 13, launch)], false}}};
    list[1]._0 = 7;
    const i32 value_6 = device::count(y, y_len, launch);
#line 60
    list[rt::at((usize)x[rt::at(4, x_len, 15, launch)] % 3, 3, 16, launch)] = types::Tuple_i32_bool{value_6, x[rt::at(0, x_len, 14, launch)] > 0};
    const i32 v = list[2]._0;
#line 61
    const bool flag = list[2]._1 != 0;
    y[rt::at(6, y_len, 17, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_add_i32(v, (i32)flag), list[1]._0), (i32)(list[0]._1 != 0));
    i32 picked_0;
#line 63
    i32 picked_1;
#line 63
    if (x[rt::at(0, x_len, 18, launch)] > x[rt::at(1, x_len, 19, launch)]) {
#line 63
        picked_0 = 1;
#line 63
        picked_1 = x[rt::at(0, x_len, 20, launch)];
    } else {
#line 63
        picked_0 = 2;
#line 63
        picked_1 = x[rt::at(1, x_len, 21, launch)];
    }
#line 64
    y[rt::at(7, y_len, 22, launch)] = rt::wrapping_add_i32(rt::wrapping_mul_i32(picked_0, 100), picked_1);
    usize looped_0;
#line 65
    bool looped_1;
#line 65
    for (;; rt::keep_loop()) {
        const i32 value_7 = device::count(y, y_len, launch);
#line 66
        if (rt::opaque(value_7) > 6) {
            looped_0 = x_len;
#line 67
            looped_1 = true;
#line 67
            break;
        }
    }
    y[rt::at(8, y_len, 23, launch)] = rt::wrapping_add_i32((i32)looped_0, (i32)looped_1);
    const types::Tuple_i32_u8_2 value_8 = device::chosen(x[rt::at(5, x_len, 24, launch)]);
#line 71
    const i32 n = value_8._0;
#line 71
    const rt::Array<u8, 2> bytes = value_8._1;
    y[rt::at(9, y_len, 25, launch)] = rt::wrapping_sub_i32(rt::wrapping_add_i32(n, (i32)bytes[0]), (i32)bytes[1]);
    i32 late_0;
#line 73
    bool late_1;
    if (whole) {
        late_0 = 3;
#line 75
        late_1 = false;
    } else {
        const types::Tuple_i32_bool saved_4 = device::split(x[rt::at(2, x_len, 26, launch)]);
#line 77
        late_0 = saved_4._0;
#line 77
        late_1 = saved_4._1 != 0;
    }
    y[rt::at(10, y_len, 27, launch)] = device::both(late_0, late_1);
    const i32 nested_0_0 = x[rt::at(0, x_len, 28, launch)];
#line 80
    const u8 nested_0_1 = 200;
#line 80
    const rt::Array<i32, 2> nested_1 = {{x[rt::at(1, x_len, 29, launch)], x[rt::at(2, x_len, 30, launch)]}};
    y[rt::at(11, y_len, 31, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(nested_0_0, (i32)nested_0_1), nested_1[1]);
    const i32 value_9 = device::count(y, y_len, launch);
}
