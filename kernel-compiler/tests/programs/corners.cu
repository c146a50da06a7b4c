namespace types {

// (i32, bool)
struct Tuple_i32_bool {
    i32 _0;
    u8 _1;
};

// kernels::Small
struct __align__(2) Small {
    u8 a;
    i8 b;
    u16 c;
    u8 on;
    rt::Array<u8, 3> list;
};
static_assert(sizeof(Small) == 8, "the size of Small");
static_assert(offset_of(Small, a) == 0, "the offset of Small::a");
static_assert(offset_of(Small, b) == 1, "the offset of Small::b");
static_assert(offset_of(Small, c) == 2, "the offset of Small::c");
static_assert(offset_of(Small, on) == 4, "the offset of Small::on");
static_assert(offset_of(Small, list) == 5, "the offset of Small::list");

// kernels::Way
typedef u8 Way;
constexpr Way Way_Left = 0;
constexpr Way Way_Right = 1;
constexpr Way Way_Up = 2;

// kernels::Step
struct __align__(4) Step {
    types::Way way;
    i32 n;
};
static_assert(sizeof(Step) == 8, "the size of Step");
static_assert(offset_of(Step, way) == 0, "the offset of Step::way");
static_assert(offset_of(Step, n) == 4, "the offset of Step::n");

}  // namespace types

#undef offset_of

namespace constants {

static __constant__ const rt::Array<types::Step, 3> c0 = {{{types::Way_Up, 1}, {types::Way_Left, -2}, {types::Way_Right, 3}}};
static __constant__ const rt::Array<float, 3> c1 = {{__builtin_bit_cast(float, 0x7f800000u), -1.5f, __builtin_bit_cast(float, 0x7fc00000u)}};

}  // namespace constants

namespace device {

#line 27 "src/kernels.rs"
static __device__ inline i32 count(i32* y, usize y_len, rt::Launch launch) {
    const usize at = rt::at(0, y_len, 0, launch);
#line 28
    y[at] = rt::wrapping_add_i32(y[at], 1);
    return y[rt::at(0, y_len, 1, launch)];
}

#line 32 "src/kernels.rs"
static __device__ inline i32 pick(const i32& r, const i32* x, usize x_len, rt::Launch launch) {
#line 32
    const i32* r_2 = &r;
    if (*r_2 < 0) {
        r_2 = &x[rt::at(0, x_len, 2, launch)];
    }
    return *r_2;
}

#line 39 "src/kernels.rs"
static __device__ inline void flip(u8& flag) {
    flag = flag == 0;
}

#line 43 "src/kernels.rs"
static __device__ inline bool toggled(bool on) {
#line 43
    u8 on_2 = on;
    device::flip(on_2);
    return on_2 != 0;
}

#line 48 "src/kernels.rs"
static __device__ inline types::Tuple_i32_bool bumped(i32 pair_0, bool pair_1) {
#line 48
    types::Tuple_i32_bool pair = {pair_0, pair_1};
    device::flip(pair._1);
    i32& n = pair._0;
    n = rt::wrapping_add_i32(n, 1);
    return pair;
}

#line 55 "src/kernels.rs"
static __device__ inline types::Small small(i32 n, i32* y, usize y_len, rt::Launch launch) {
    const i32 value = device::count(y, y_len, launch);
#line 56
    bool decided = n > 2;
#line 56
    if (decided) {
#line 56
        const i32 value_2 = device::count(y, y_len, launch);
#line 56
        decided = value_2 > 2;
    }
#line 56
    return types::Small{(u8)((u8)n | 1), (i8)(n > 3 ? 1 : (i8)-(i8)n), (u16)value, decided, {{n == 1, n == 2, true}}};
}

#line 65 "src/kernels.rs"
static __device__ inline types::Step found(const types::Step* steps, usize steps_len, types::Way way) {
    for (usize i = 0; i < steps_len; ++i) {
#line 66
        const types::Step& step = steps[i];
        if (step.way == way) {
            return step;
        }
    }
    return types::Step{way, 0};
}

#line 74 "src/kernels.rs"
static __device__ inline i32 walk(const i32* x, usize x_len, i32* y, usize y_len, rt::Launch launch) {
    i32 at = 0;
    for (usize i = 0; i < x_len; ++i) {
        {
#line 77
            for (usize j = 0; j < 3; ++j) {
                {
#line 78
                    const i32 matched = x[rt::at(i, rt::opaque(x_len), 3, launch)];
#line 78
                    if (matched == 0) {
                        continue;
                    } else if (matched == 1) {
#line 80
                        goto next_1;
                    } else if (matched == 2) {
#line 81
                        break;
                    } else if (matched == 3) {
                        at = rt::wrapping_add_i32(at, 1);
                        if (at > 6) {
                            goto end_2;
                        }
                    } else {
                        const i32 n = matched;
#line 88
                        const i32 value_2 = device::count(y, y_len, launch);
#line 88
                        if (rt::opaque(n) == rt::wrapping_add_i32((i32)j, value_2)) {
#line 88
                            goto end_2;
                        }
#line 78
                        if (matched == 7 || matched == 8) {
#line 89
                            {
                                if (j == 1) {
                                    goto end_3;
                                }
                                at = rt::wrapping_add_i32(at, 100);
                                usize k = 0;
                                for (;; rt::keep_loop()) {
                                    k += 1;
                                    if (k == 2) {
                                        goto next_4;
                                    }
                                    if (k > rt::opaque((usize)x[i])) {
                                        goto end_3;
                                    }
                                }
                            }
                            end_3:;
                        } else {
#line 105
                            at = rt::wrapping_add_i32(at, 1000);
                        }
                    }
#line 107
                    at = rt::wrapping_add_i32(at, 10000);
                }
                next_4:;
            }
#line 109
            at = rt::wrapping_add_i32(at, 7);
        }
        next_1:;
    }
    end_2:;
#line 111
    return at;
}

#line 114 "src/kernels.rs"
static __device__ inline i32 chosen(i32 a, i32 b, i32* y, usize y_len, rt::Launch launch) {
    i32 n;
#line 115
    {
#line 115
        {
#line 115
            if (b == 1) {
                n = a;
#line 116
                const i32 value = device::count(y, y_len, launch);
#line 116
                if (value > 1 && n > 2) {
#line 116
                    goto taken_1;
                }
            }
#line 115
            if (a == 1) {
                n = b;
#line 116
                const i32 value_2 = device::count(y, y_len, launch);
#line 116
                if (value_2 > 1 && n > 2) {
#line 116
                    goto taken_1;
                }
            }
#line 115
            goto next_2;
        }
        taken_1:;
#line 116
        return rt::wrapping_mul_i32(n, 10);
    }
    next_2:;
#line 115
    i32 n_2;
#line 115
    {
#line 115
        {
#line 117
            n_2 = a;
#line 117
            const i32 value_3 = device::count(y, y_len, launch);
#line 117
            if (n_2 == value_3) {
#line 117
                goto taken_3;
            }
#line 117
            n_2 = b;
#line 117
            const i32 value_4 = device::count(y, y_len, launch);
#line 117
            if (n_2 == value_4) {
#line 117
                goto taken_3;
            }
#line 115
            goto next_4;
        }
        taken_3:;
#line 117
        return rt::wrapping_mul_i32(n_2, 100);
    }
    next_4:;
#line 115
    if (a >= 5 || b <= -1) {
#line 118
        i32 n_3;
#line 118
        if (a >= 5) {
#line 118
            n_3 = a;
        } else {
#line 118
            n_3 = b;
        }
#line 118
        return n_3;
    } else {
#line 119
        return -1;
    }
}

}  // namespace device

#line 123 "src/kernels.rs"
extern "C" __global__ void corners(const i32* __restrict__ x, usize x_len, i32* __restrict__ y, usize y_len, rt::Launch launch) {
    const i32 saved = device::pick(x[rt::at(1, x_len, 5, launch)], x, x_len, launch);
#line 124
    const i32 value = -3;
#line 124
    y[rt::at(1, y_len, 6, launch)] = rt::wrapping_add_i32(saved, device::pick(value, x, x_len, launch));
    const bool value_2 = device::toggled(x[rt::at(0, x_len, 7, launch)] > 0);
#line 125
    y[rt::at(2, y_len, 8, launch)] = (i32)value_2;
    const types::Tuple_i32_bool value_3 = device::bumped(5, true);
#line 126
    const types::Tuple_i32_bool t = device::bumped(value_3._0, value_3._1 != 0);
    y[rt::at(3, y_len, 9, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(t._0, (i32)(t._1 != 0)), 5);
    const types::Small s = device::small(x[rt::at(2, x_len, 10, launch)], y, y_len, launch);
    y[rt::at(4, y_len, 13, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_add_i32((i32)s.a, rt::wrapping_mul_i32((i32)s.b, 10)), rt::wrapping_mul_i32((i32)s.c, 100)), rt::wrapping_mul_i32((i32)(s.on != 0), 1000)), (i32)(s.list[rt::at((usize)(x[rt::at(0, x_len, 11, launch)] & 1), 3, 12, launch)] != 0));
    const types::Step step = device::found(&constants::c0[0], 3, constants::c0[rt::at((usize)(x[rt::at(3, x_len, 14, launch)] & 1), 3, 15, launch)].way);
    const usize part_len = rt::rest_len(1, 3, 16, launch);
#line 131
    const types::Step saved_2 = device::found(&constants::c0[0] + 1, part_len, types::Way_Up);
#line 131
    y[rt::at(5, y_len, 17, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(step.n, rt::wrapping_mul_i32(saved_2.n, 10)), (i32)step.way);
    const i32 value_4 = device::walk(x, x_len, y, y_len, launch);
#line 132
    y[rt::at(6, y_len, 18, launch)] = value_4;
    const i32 value_5 = device::chosen(x[rt::at(4, x_len, 19, launch)], x[rt::at(5, x_len, 20, launch)], y, y_len, launch);
#line 133
    const i32 value_6 = device::chosen(1, x[rt::at(0, x_len, 21, launch)], y, y_len, launch);
#line 133
    y[rt::at(7, y_len, 22, launch)] = rt::wrapping_add_i32(value_5, value_6);
    i32 p = x[rt::at(0, x_len, 23, launch)];
#line 134
    i32 q = x[rt::at(1, x_len, 24, launch)];
#line 136
    p = rt::wrapping_add_i32(p, 1);
    q = rt::wrapping_add_i32(q, p);
    y[rt::at(8, y_len, 25, launch)] = rt::wrapping_add_i32(rt::wrapping_mul_i32(p, 10), q);
    const u32 bits = __float_as_uint(constants::c1[rt::at((usize)(x[rt::at(1, x_len, 26, launch)] & 1), 3, 27, launch)]);
    y[rt::at(9, y_len, 28, launch)] = (i32)(bits >> 16);
    __shared__ rt::Array<types::Way, 2> ways;
    asm volatile("" : : "l"(&ways) : "memory");
#line 142
    ways[0] = types::Way_Up;
    ways[1] = ways[rt::at((usize)(x[rt::at(2, x_len, 29, launch)] & 0), 2, 30, launch)];
    y[rt::at(10, y_len, 31, launch)] = ways[1] == types::Way_Up ? 1 : 2;
    rt::Array<types::Step, 3> list = constants::c0;
    for (usize i_2 = 0; i_2 < 3; ++i_2) {
#line 146
        types::Step& step_2 = list[i_2];
        i32 value_7;
#line 147
        const types::Way matched = step_2.way;
#line 147
        if (matched == types::Way_Left) {
            value_7 = 1;
        } else if (matched == types::Way_Right) {
#line 149
            value_7 = device::count(y, y_len, launch);
        } else {
#line 150
            value_7 = x[rt::at(6, x_len, 32, launch)];
        }
#line 147
        step_2.n = rt::wrapping_add_i32(step_2.n, value_7);
    }
#line 153
    i32 sum = 0;
    const rt::Array<types::Step, 3> saved_3 = list;
#line 154
    for (usize i_3 = 0; i_3 < 3; ++i_3) {
#line 154
        const types::Step step_3 = saved_3[i_3];
        list[1].n = 50;
        sum = rt::wrapping_add_i32(sum, step_3.n);
    }
    y[rt::at(11, y_len, 33, launch)] = rt::wrapping_add_i32(sum, list[1].n);
#line 160
    const i32 v = x[rt::at(0, x_len, 34, launch)];
    const i32 v_2 = rt::wrapping_mul_i32(v, 2);
#line 159
    const i32 v_3 = rt::wrapping_add_i32(v_2, 1);
#line 164
    y[rt::at(12, y_len, 35, launch)] = v_3;
    usize n;
#line 165
    {
        for (usize i = 0; i < x_len; ++i) {
#line 166
            const i32 v_4 = x[i];
            if (v_4 == 5) {
                n = i;
#line 168
                goto end_1;
            } else if (v_4 >= 6 && i > 3) {
#line 169
                n = i + 10;
#line 169
                goto end_1;
            }
        }
#line 173
        n = 99;
    }
    end_1:;
#line 175
    y[rt::at(13, y_len, 36, launch)] = (i32)n;
    types::Step step_4;
#line 176
    if (rt::within(8, x_len)) {
#line 176
        for (;; rt::keep_loop()) {
            const i32 value_8 = device::count(y, y_len, launch);
#line 177
            if (rt::opaque(value_8) > 9) {
                step_4 = types::Step{types::Way_Left, list[0].n};
#line 178
                break;
            }
            if (x[7] == 3) {
                step_4 = device::found(&list[0], 3, types::Way_Right);
#line 181
                break;
            }
        }
    } else {
#line 176
        for (;; rt::keep_loop()) {
            const i32 value_8 = device::count(y, y_len, launch);
#line 177
            if (rt::opaque(value_8) > 9) {
                step_4 = types::Step{types::Way_Left, list[0].n};
#line 178
                break;
            }
            if (x[rt::at(7, x_len, 37, launch)] == 3) {
                step_4 = device::found(&list[0], 3, types::Way_Right);
#line 181
                break;
            }
        }
    }
#line 184
    y[rt::at(14, y_len, 38, launch)] = rt::wrapping_add_i32(step_4.n, (i32)step_4.way);
    x[rt::at((usize)(x[rt::at(7, x_len, 39, launch)] & 15), x_len, 40, launch)];
    y[rt::at(15, y_len, 41, launch)] = 1;
}
