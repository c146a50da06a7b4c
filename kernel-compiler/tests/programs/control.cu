namespace device {

#line 1 "src/kernels.rs"
static __device__ inline i32 bump(i32* y, usize y_len, usize i, rt::Launch launch) {
    const usize at = rt::at(i, rt::opaque(y_len), 0, launch);
#line 2
    y[at] = rt::wrapping_add_i32(y[at], 1);
    return y[rt::at(i, rt::opaque(y_len), 1, launch)];
}

#line 6 "src/kernels.rs"
static __device__ inline usize find(const i32* x, usize x_len, i32 v) {
    usize i = 0;
    for (;; rt::keep_loop()) {
        if (i >= rt::opaque(x_len)) {
            return 3;
        }
        if (x[i] == v) {
            return i;
        }
        i += 1;
    }
}

#line 19 "src/kernels.rs"
static __device__ inline i32 labels(const i32* x, usize x_len, usize n, rt::Launch launch) {
    i32 count = 0;
    for (usize i = 0; i < n; ++i) {
        {
#line 22
            const i32 a = x[rt::at(i, rt::opaque(x_len), 3, launch)];
            if (rt::within(3, x_len)) {
#line 23
                for (usize j = 0; j < n; ++j) {
                    const i32 b = x[j];
                    if (a == b) {
                        goto next_1;
                    }
                    if (rt::wrapping_add_i32(a, b) == 7) {
                        goto end_2;
                    }
                    if (b == 3) {
                        continue;
                    }
                    count = rt::wrapping_add_i32(count, 1);
                }
            } else {
#line 23
                for (usize j = 0; j < n; ++j) {
                    const i32 b = x[rt::at(j, rt::opaque(x_len), 4, launch)];
                    if (a == b) {
                        goto next_1;
                    }
                    if (rt::wrapping_add_i32(a, b) == 7) {
                        goto end_2;
                    }
                    if (b == 3) {
                        continue;
                    }
                    count = rt::wrapping_add_i32(count, 1);
                }
            }
#line 36
            const i32 c = rt::wrapping_mul_i32(a, 2);
            count = rt::wrapping_add_i32(count, c);
        }
        next_1:;
    }
    end_2:;
#line 39
    const i32 after = count;
    return after;
}

}  // namespace device

#line 43 "src/kernels.rs"
extern "C" __global__ void control(const i32* __restrict__ x, usize x_len, i32* __restrict__ y, usize y_len, u32* __restrict__ c, usize c_len, u8* __restrict__ flags, usize flags_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    const i32 a = x[rt::at(i, x_len, 5, launch)] > 0 ? 1 : -1;
    i32 b;
#line 46
    if (x[rt::at(i, x_len, 6, launch)] > 0) {
        y[rt::at(i, y_len, 7, launch)] = 3;
        b = 4;
    } else if (a == 1) {
        return;
    } else {
        b = 5;
    }
    const i32 saved = y[rt::at(i, y_len, 8, launch)];
#line 54
    const i32 value = device::bump(y, y_len, i, launch);
#line 54
    const i32 total = rt::wrapping_add_i32(saved, rt::wrapping_mul_i32(value, y[rt::at(i, y_len, 9, launch)]));
    bool decided = x[rt::at(i, x_len, 10, launch)] > 0;
#line 55
    if (decided) {
#line 55
        const i32 value_2 = device::bump(y, y_len, i, launch);
#line 55
        decided = value_2 > 3;
    }
#line 55
    const bool both = decided || a == 2;
    const u32 old = atomicAdd(&c[rt::at(i, c_len, 11, launch)], 1u);
    const i32 value_3 = device::bump(y, y_len, i, launch);
#line 57
    const usize k = (usize)value_3;
    atomicAdd(&c[rt::at(k % 4, c_len, 12, launch)], old + 5);
    i32 v;
#line 59
    for (;; rt::progress()) {
        if (rt::opaque(y[i]) > 3) {
            v = 4;
#line 61
            break;
        }
        const usize at = i;
#line 63
        y[at] = rt::wrapping_add_i32(y[at], b);
    }
    for (;; rt::progress()) {
#line 65
        const i32 value_4 = device::bump(y, y_len, i, launch);
#line 65
        if (!(rt::opaque(value_4) < 10 && total < 4)) {
#line 65
            break;
        }
#line 66
        const usize at_2 = 0;
#line 66
        y[at_2] = rt::wrapping_add_i32(y[at_2], 1);
    }
    i32 late;
    if (both) {
        late = 1;
    } else {
        late = 2;
    }
    const i32 p = v;
#line 74
    const bool q = flags[rt::at(i, flags_len, 16, launch)] != 0;
    i32 t_0 = p;
#line 75
    i32 t_1 = late;
    const i32 saved_2 = t_1;
#line 76
    const i32 saved_3 = t_0;
#line 76
    t_0 = saved_2;
#line 76
    t_1 = saved_3;
    t_0 = rt::wrapping_add_i32(t_0, 2);
    flags[rt::at(i, flags_len, 18, launch)] = !q & (x[rt::at(i, x_len, 17, launch)] == t_0);
    const usize at_3 = rt::at(i + 1, flags_len, 19, launch);
#line 79
    flags[at_3] = (flags[at_3] != 0) ^ q;
    y[rt::at(device::find(x, x_len, a), y_len, 20, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(device::labels(x, x_len, 3, launch), t_1), (i32)old);
    if (total > 100) {
        rt::fault(launch, 21, 0, 0);
    }
#line 85
    const i32 z = a;
#line 88
    y[rt::at(2, y_len, 22, launch)] = 1;
#line 84
    y[rt::at(1, y_len, 23, launch)] = rt::wrapping_add_i32(z, 2);
#line 91
    const i32 value_5 = device::bump(y, y_len, 0, launch);
#line 91
    const usize w = (usize)(value_5 & 3);
    const i32 value_6 = device::bump(y, y_len, 1, launch);
#line 92
    const usize at_4 = rt::at(w, y_len, 24, launch);
#line 92
    y[at_4] = rt::wrapping_sub_i32(y[at_4], value_6);
#line 94
    y[rt::at(1, y_len, 25, launch)] = 2;
#line 93
    c[rt::at((usize)y[rt::at(1, y_len, 28, launch)] & 3, c_len, 29, launch)] = c[rt::at(1, c_len, 26, launch)] + (u32)y[rt::at(1, y_len, 27, launch)];
}
