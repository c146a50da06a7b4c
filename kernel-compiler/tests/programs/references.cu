namespace types {

// kernels::Counter
struct __align__(4) Counter {
    i32 hits;
    u8 open;
    rt::Array<i32, 2> last;
};
static_assert(sizeof(Counter) == 16, "the size of Counter");
static_assert(offset_of(Counter, hits) == 0, "the offset of Counter::hits");
static_assert(offset_of(Counter, open) == 4, "the offset of Counter::open");
static_assert(offset_of(Counter, last) == 8, "the offset of Counter::last");

}  // namespace types

#undef offset_of

namespace device {

#line 9 "src/kernels.rs"
static __device__ inline i32 hit(types::Counter& self, i32 by, rt::Launch launch) {
    self.hits = rt::wrapping_add_i32(self.hits, by);
    self.last[rt::at((usize)(self.hits & 1), 2, 0, launch)] = by;
    self.open = rt::opaque(self.open) == 0;
    return self.hits;
}

#line 16 "src/kernels.rs"
static __device__ inline i32 both(const types::Counter& self, const types::Counter& other) {
    return rt::wrapping_add_i32(self.hits, other.hits);
}

#line 20 "src/kernels.rs"
static __device__ inline void reset(types::Counter& self) {
    rt::Array<i32, 2>& last = self.last;
    last[0] = 0;
    i32& hits = self.hits;
    hits = 0;
}

#line 28 "src/kernels.rs"
static __device__ inline void add(i32& to, const i32& v) {
    to = rt::wrapping_add_i32(to, v);
}

#line 32 "src/kernels.rs"
static __device__ inline bool flip(u8& flag) {
    flag = flag == 0;
    return flag != 0;
}

#line 37 "src/kernels.rs"
static __device__ inline void through(types::Counter& c, i32* y, usize y_len, rt::Launch launch) {
    device::hit(c, 1, launch);
    y[rt::at(1, y_len, 1, launch)] = device::both(c, c);
    device::add(c.hits, y[rt::at(0, y_len, 2, launch)]);
    device::add(c.last[1], c.hits);
    device::flip(c.open);
}

#line 45 "src/kernels.rs"
static __device__ inline i32 first(const i32* x, usize x_len, rt::Launch launch) {
    return x[rt::at(0, x_len, 3, launch)];
}

}  // namespace device

#line 49 "src/kernels.rs"
extern "C" __global__ void references(const i32* __restrict__ x, usize x_len, i32* __restrict__ y, usize y_len, rt::Launch launch) {
    types::Counter c = {x[rt::at(0, x_len, 4, launch)], false, {{1, 2}}};
    const i32 value = device::hit(c, 2, launch);
#line 51
    const i32 value_2 = device::hit(c, 3, launch);
#line 51
    y[rt::at(0, y_len, 5, launch)] = rt::wrapping_add_i32(rt::wrapping_mul_i32(value, 10), value_2);
    device::through(c, y, y_len, launch);
    y[rt::at(2, y_len, 6, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_add_i32(c.hits, rt::wrapping_mul_i32(c.last[0], 10)), rt::wrapping_mul_i32(c.last[1], 100)), (i32)(c.open != 0));
    rt::Array<types::Counter, 2> list = {{c, c}};
    device::hit(list[1], 4, launch);
    device::hit(list[rt::at((usize)x[rt::at(1, x_len, 7, launch)] & 1, 2, 8, launch)], 5, launch);
    y[rt::at(3, y_len, 9, launch)] = rt::wrapping_add_i32(device::both(list[0], list[1]), rt::wrapping_mul_i32((i32)(list[0].open != 0), 1000));
    types::Counter& r = list[0];
    r.hits = 1;
    device::hit(r, rt::wrapping_add_i32(r.hits, 1), launch);
    device::through(r, y, y_len, launch);
    i32& n = r.last[0];
    n = rt::wrapping_add_i32(n, 7);
    device::add(n, x[rt::at(2, x_len, 10, launch)]);
    y[rt::at(4, y_len, 11, launch)] = rt::wrapping_add_i32(list[0].last[0], list[0].hits);
    u8 flag = x[rt::at(0, x_len, 12, launch)] > 0;
    const bool was = flag != 0;
    const bool value_3 = device::flip(flag);
#line 68
    bool decided = value_3;
#line 68
    if (decided) {
#line 68
        const bool value_4 = device::flip(flag);
#line 68
        decided = value_4;
    }
#line 68
    const bool now = decided;
    y[rt::at(5, y_len, 13, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32((i32)was, rt::wrapping_mul_i32(2, (i32)now)), rt::wrapping_mul_i32(4, (i32)(flag != 0)));
    i32 v = 3;
    const i32 saved = v;
    device::add(v, x[rt::at(0, x_len, 14, launch)]);
#line 71
    const i32 sum = rt::wrapping_add_i32(saved, v);
#line 75
    y[rt::at(6, y_len, 15, launch)] = rt::wrapping_add_i32(rt::wrapping_mul_i32(sum, 10), v);
    i32* e;
#line 76
    if (x[rt::at(0, x_len, 16, launch)] > 1) {
#line 76
        e = &y[rt::at(7, y_len, 17, launch)];
    } else {
#line 76
        e = &y[rt::at(8, y_len, 18, launch)];
    }
#line 77
    *e = 5;
    *e = rt::wrapping_add_i32(*e, 1);
    device::add(*e, v);
    const i32* at = &x[rt::at(0, x_len, 19, launch)];
    if (x[rt::at(1, x_len, 20, launch)] > 0) {
        at = &x[rt::at(1, x_len, 21, launch)];
    }
    y[rt::at(9, y_len, 22, launch)] = *at;
    __shared__ rt::Array<types::Counter, 2> cells;
    asm volatile("" : : "l"(&cells) : "memory");
#line 86
    cells[0] = c;
    cells[1] = list[0];
    device::hit(cells[0], 1, launch);
    device::through(cells[1], y, y_len, launch);
    device::reset(cells[0]);
    y[rt::at(10, y_len, 23, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(device::both(cells[0], cells[1]), cells[0].last[0]), device::first(&cells[1].last[0], 2, launch));
    for (usize i = 0; i < 2; ++i) {
#line 92
        types::Counter& c_2 = cells[i];
        device::hit(c_2, 2, launch);
        c_2.hits = rt::wrapping_mul_i32(c_2.hits, 2);
    }
    __shared__ u8 one;
    asm volatile("" : : "l"(&one) : "memory");
#line 97
    one = x[rt::at(2, x_len, 24, launch)] > 0;
    device::flip(one);
    y[rt::at(11, y_len, 25, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(cells[0].hits, cells[1].hits), (i32)(one != 0));
    device::reset(c);
    y[rt::at(12, y_len, 26, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(c.hits, c.last[0]), c.last[1]);
}
