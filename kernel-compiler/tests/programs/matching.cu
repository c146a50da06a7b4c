namespace types {

// kernels::Kind
typedef i16 Kind;
constexpr Kind Kind_Leaf = -1;
constexpr Kind Kind_Node = 0;
constexpr Kind Kind_Root = 300;
constexpr Kind Kind_Gone = 301;
constexpr Kind Kind_Last = 302;

// kernels::Item
struct __align__(4) Item {
    types::Kind kind;
    i32 n;
    u8 on;
};
static_assert(sizeof(Item) == 12, "the size of Item");
static_assert(offset_of(Item, kind) == 0, "the offset of Item::kind");
static_assert(offset_of(Item, n) == 4, "the offset of Item::n");
static_assert(offset_of(Item, on) == 8, "the offset of Item::on");

}  // namespace types

#undef offset_of

namespace device {

#line 21 "src/kernels.rs"
static __device__ inline types::Kind kind_of(i32 n) {
    if (n == 0) {
        return types::Kind_Leaf;
    } else if (n == 1 || n == 2) {
#line 24
        return types::Kind_Node;
    } else if (n >= 3 && n <= 5) {
#line 25
        return types::Kind_Root;
    } else if (n == 6) {
#line 26
        return types::Kind_Gone;
    } else {
#line 27
        return types::Kind_Last;
    }
}

#line 31 "src/kernels.rs"
static __device__ inline i32 weight(types::Kind kind) {
    switch (kind) {
        case types::Kind_Leaf: {
#line 33
            return 1;
        }
        case types::Kind_Node: {
#line 34
            return 2;
        }
        case types::Kind_Root:
        case types::Kind_Gone: {
#line 35
            return 3;
        }
        default: {
#line 36
            return 10;
        }
    }
}

#line 40 "src/kernels.rs"
static __device__ inline u8 named(u8 n) {
    switch (n) {
        case 0: {
#line 42
            return 100;
        }
        case 1: {
#line 43
            return 101;
        }
        case 2:
        case 3: {
#line 44
            return 102;
        }
        case 255: {
#line 45
            return 103;
        }
        default: {
#line 46
            const u8 other = n;
#line 46
            return other;
        }
    }
}

#line 50 "src/kernels.rs"
static __device__ inline i32 count(i32* y, usize y_len, rt::Launch launch) {
    const usize at = rt::at(0, y_len, 0, launch);
#line 51
    y[at] = rt::wrapping_add_i32(y[at], 1);
    return y[rt::at(0, y_len, 1, launch)];
}

#line 55 "src/kernels.rs"
static __device__ inline i32 digits(const i32* x, usize x_len) {
    i32 sum = 0;
    for (usize i = 0; i < x_len; ++i) {
#line 57
        const i32 v = x[i];
        switch (v) {
            case 0: {
#line 59
                continue;
            }
            case 1: {
#line 60
                sum = rt::wrapping_add_i32(sum, 1);
                break;
            }
            case 2: {
#line 62
                sum = rt::wrapping_add_i32(sum, 20);
                continue;
            }
            case 7: {
#line 65
                goto end_1;
            }
            default: {
#line 66
                sum = rt::wrapping_add_i32(sum, 100);
                break;
            }
        }
#line 68
        sum = rt::wrapping_add_i32(sum, 1000);
    }
    end_1:;
#line 70
    return sum;
}

}  // namespace device

#line 73 "src/kernels.rs"
extern "C" __global__ void matching(const i32* __restrict__ x, usize x_len, i32* __restrict__ y, usize y_len, rt::Launch launch) {
    const types::Kind kind = device::kind_of(x[rt::at(0, x_len, 2, launch)]);
    y[rt::at(1, y_len, 3, launch)] = rt::wrapping_add_i32(rt::wrapping_mul_i32(device::weight(kind), 1000), (i32)kind);
    i32 value;
#line 76
    const i32 matched = x[rt::at(1, x_len, 4, launch)];
#line 76
    {
#line 76
        if (matched <= -1) {
            value = -1;
        } else if (matched == 0) {
#line 78
            value = 0;
        } else if (matched >= 1 && matched < 10) {
#line 79
            const i32 n = matched;
#line 79
            value = rt::wrapping_mul_i32(n, 2);
        } else if ((matched == 10 || matched == 20 || matched == 30) && matched > x[rt::at(0, x_len, 5, launch)]) {
#line 80
            const i32 n_2 = matched;
#line 80
            value = rt::wrapping_add_i32(n_2, 1);
        } else if (matched == 40) {
#line 81
            value = 4;
        } else {
#line 82
            const i32 n_3 = matched;
#line 82
            const i32 value_3 = device::count(y, y_len, launch);
#line 82
            if (value_3 > 1 && n_3 % 2 == 0) {
#line 82
                value = n_3 / 2;
#line 82
                goto matched_1;
            }
#line 76
            if (matched > 100) {
#line 83
                const i32 n_4 = matched;
                y[rt::at(3, y_len, 6, launch)] = n_4;
                value = 5;
            } else {
                value = 6;
            }
        }
    }
    matched_1:;
#line 76
    y[rt::at(2, y_len, 7, launch)] = value;
#line 89
    const types::Item item = {kind, x[rt::at(2, x_len, 8, launch)], x[rt::at(3, x_len, 9, launch)] > 0};
    i32 value_4;
#line 90
    if (item.kind == types::Kind_Leaf) {
        value_4 = 1;
    } else if (item.on != 0 && item.n > 3) {
#line 92
        const i32 n_5 = item.n;
#line 92
        value_4 = n_5;
    } else if (item.n >= 0 && item.n <= 3) {
#line 93
        const bool on = item.on != 0;
#line 93
        value_4 = rt::wrapping_add_i32(10, (i32)on);
    } else if (item.kind == types::Kind_Node || item.kind == types::Kind_Root) {
#line 94
        const types::Kind k = item.kind;
#line 94
        const i32 n_6 = item.n;
#line 94
        value_4 = rt::wrapping_add_i32(device::weight(k), n_6);
    } else {
#line 95
        value_4 = 9;
    }
#line 90
    y[rt::at(4, y_len, 10, launch)] = value_4;
#line 97
    i32 value_5;
#line 97
    const i32 saved = x[rt::at(0, x_len, 11, launch)];
#line 97
    const bool saved_2 = x[rt::at(1, x_len, 12, launch)] > 0;
#line 97
    if (saved == 0 && saved_2) {
        value_5 = 1;
    } else if ((!saved_2 && kind == types::Kind_Leaf) || (saved_2 && kind == types::Kind_Node)) {
#line 99
        i32 a;
#line 99
        if (!saved_2 && kind == types::Kind_Leaf) {
#line 99
            a = saved;
        } else {
#line 99
            a = saved;
        }
#line 99
        value_5 = rt::wrapping_add_i32(a, 2);
    } else if ((kind == types::Kind_Root || kind == types::Kind_Last) && saved > 3) {
#line 100
        const i32 a_2 = saved;
#line 100
        value_5 = rt::wrapping_add_i32(a_2, 10);
    } else {
#line 101
        const i32 a_3 = saved;
#line 101
        const bool b = saved_2;
#line 101
        value_5 = rt::wrapping_add_i32(rt::wrapping_mul_i32(a_3, 2), (i32)b);
    }
#line 97
    y[rt::at(5, y_len, 13, launch)] = value_5;
#line 103
    i32 value_6;
#line 103
    const rt::Array<i32, 2> value_7 = {{x[rt::at(0, x_len, 14, launch)], x[rt::at(2, x_len, 15, launch)]}};
#line 103
    if (value_7[0] == 0) {
        const i32 b_2 = value_7[1];
#line 104
        value_6 = b_2;
    } else if (value_7[1] == 1 || value_7[0] == 1) {
#line 105
        i32 a_4;
#line 105
        if (value_7[1] == 1) {
#line 105
            a_4 = value_7[0];
        } else {
#line 105
            a_4 = value_7[1];
        }
#line 105
        value_6 = rt::wrapping_add_i32(a_4, 100);
    } else {
#line 106
        const i32 a_5 = value_7[0];
#line 106
        const i32 b_3 = value_7[1];
#line 106
        value_6 = rt::wrapping_sub_i32(a_5, b_3);
    }
#line 103
    y[rt::at(6, y_len, 16, launch)] = value_6;
#line 108
    y[rt::at(7, y_len, 18, launch)] = rt::wrapping_add_i32((i32)device::named((u8)x[rt::at(4, x_len, 17, launch)]), device::digits(x, x_len));
    const i32 matched_2 = x[rt::at(5, x_len, 19, launch)];
#line 109
    if (matched_2 == 1) {
        y[rt::at(8, y_len, 20, launch)] = 1;
    } else if (matched_2 != 2) {
        y[rt::at(8, y_len, 21, launch)] = 3;
    }
    i32 label;
#line 114
    {
        const i32 matched_3 = x[rt::at(0, x_len, 22, launch)];
#line 115
        if (matched_3 == 0) {
            label = 5;
#line 116
            goto end_2;
        } else if (matched_3 == 1) {
            if (x[rt::at(1, x_len, 23, launch)] > 0) {
                label = 6;
#line 119
                goto end_2;
            }
        }
#line 124
        y[rt::at(9, y_len, 24, launch)] = 1;
        label = 7;
    }
    end_2:;
#line 127
    y[rt::at(10, y_len, 25, launch)] = label;
    i32 late;
    if (kind == types::Kind_Leaf) {
        late = 1;
    } else {
#line 131
        late = 2;
    }
    y[rt::at(11, y_len, 26, launch)] = late;
    i32 k_2 = x[rt::at(0, x_len, 27, launch)];
    i32 value_8;
#line 135
    if (k_2 == 0) {
#line 137
        k_2 = 5;
        value_8 = k_2;
    } else if (k_2 == 5) {
        value_8 = 99;
    } else {
        k_2 = rt::wrapping_add_i32(k_2, 1);
        value_8 = rt::wrapping_mul_i32(k_2, 2);
    }
#line 135
    y[rt::at(12, y_len, 28, launch)] = value_8;
#line 146
    i32 value_9;
#line 146
    const i32 value_10 = device::count(y, y_len, launch);
#line 146
    if (value_10 == 1) {
        value_9 = 1;
    } else {
#line 148
        const i32 v = value_10;
#line 148
        value_9 = rt::wrapping_add_i32(v, y[rt::at(0, y_len, 29, launch)]);
    }
#line 146
    y[rt::at(13, y_len, 30, launch)] = value_9;
}
