namespace types {

// kernels::Point
struct __align__(4) Point {
    i32 x;
    i32 y;
};
static_assert(sizeof(Point) == 8, "the size of Point");
static_assert(offset_of(Point, x) == 0, "the offset of Point::x");
static_assert(offset_of(Point, y) == 4, "the offset of Point::y");

// kernels::Pair
struct __align__(4) Pair {
    i32 _0;
    u8 _1;
};
static_assert(sizeof(Pair) == 8, "the size of Pair");
static_assert(offset_of(Pair, _0) == 0, "the offset of Pair::_0");
static_assert(offset_of(Pair, _1) == 4, "the offset of Pair::_1");

// kernels::Body
struct __align__(8) Body {
    u8 small;
    types::Point at;
    rt::Array<types::Point, 3> history;
    types::Pair tag;
    u64 wide;
};
static_assert(sizeof(Body) == 56, "the size of Body");
static_assert(offset_of(Body, small) == 0, "the offset of Body::small");
static_assert(offset_of(Body, at) == 4, "the offset of Body::at");
static_assert(offset_of(Body, history) == 12, "the offset of Body::history");
static_assert(offset_of(Body, tag) == 36, "the offset of Body::tag");
static_assert(offset_of(Body, wide) == 48, "the offset of Body::wide");

}  // namespace types

#undef offset_of

namespace constants {

static __constant__ const rt::Array<types::Point, 2> c0 = {{{1, 2}, {-3, 4}}};

}  // namespace constants

namespace device {

#line 23 "src/kernels.rs"
static __device__ inline types::Point new_(i32 x, i32 y) {
    return types::Point{x, y};
}

#line 27 "src/kernels.rs"
static __device__ inline i32 sum(const types::Point& self) {
    return rt::wrapping_add_i32(self.x, self.y);
}

#line 31 "src/kernels.rs"
static __device__ inline types::Point scaled(types::Point self, i32 by) {
    return types::Point{rt::wrapping_mul_i32(self.x, by), rt::wrapping_mul_i32(self.y, by)};
}

#line 35 "src/kernels.rs"
static __device__ inline i32 shift(types::Point& self, i32 by) {
    const i32 old = self.x;
    self.x = rt::wrapping_add_i32(self.x, by);
    self.y = rt::wrapping_sub_i32(self.y, by);
    return old;
}

#line 45 "src/kernels.rs"
static __device__ inline types::Point add(types::Point self, types::Point other) {
    return device::new_(rt::wrapping_add_i32(self.x, other.x), rt::wrapping_add_i32(self.y, other.y));
}

#line 52 "src/kernels.rs"
static __device__ inline types::Point neg(types::Point self) {
    return types::Point{rt::wrapping_neg_i32(self.x), rt::wrapping_neg_i32(self.y)};
}

#line 58 "src/kernels.rs"
static __device__ inline void add_assign(types::Point& self, types::Point other) {
    self.x = rt::wrapping_add_i32(self.x, other.x);
    self.y = rt::wrapping_add_i32(self.y, other.y);
}

#line 65 "src/kernels.rs"
static __device__ inline bool eq(const types::Point& self, const types::Point& other) {
    return self.x == other.x && self.y == other.y;
}

#line 71 "src/kernels.rs"
static __device__ inline bool toggle(types::Pair& self) {
    self._1 = self._1 == 0;
    return self._1 != 0;
}

#line 77 "src/kernels.rs"
static __device__ inline i32 count(i32* y, usize y_len, usize i, rt::Launch launch) {
    const usize at = rt::at(i, y_len, 0, launch);
#line 78
    y[at] = rt::wrapping_add_i32(y[at], 1);
    return y[rt::at(i, y_len, 1, launch)];
}

#line 82 "src/kernels.rs"
static __device__ inline types::Body nearest(const rt::Array<types::Body, 2>& bodies, types::Point to) {
    if (device::eq(bodies[0].at, to)) {
        return bodies[0];
    }
    types::Body best = bodies[1];
    device::add_assign(best.at, to);
    return best;
}

}  // namespace device

#line 91 "src/kernels.rs"
extern "C" __global__ void structs(const i32* __restrict__ x, usize x_len, i32* __restrict__ y, usize y_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    const i32 value = device::count(y, y_len, 0, launch);
#line 93
    const i32 value_2 = device::count(y, y_len, 0, launch);
#line 93
    types::Point p = {value_2, value};
    const types::Point before = p;
    p.x = 10;
    y[rt::at(1, y_len, 2, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_mul_i32(before.x, 10), before.y), p.x);
    const types::Point q = {x[rt::at(i, x_len, 3, launch)], p.y};
    const i32 value_3 = device::shift(p, 3);
#line 98
    const types::Point value_4 = device::scaled(q, 2);
#line 98
    const i32 saved = rt::wrapping_add_i32(value_3, device::sum(value_4));
#line 98
    const types::Point value_5 = device::new_(1, 2);
#line 98
    y[rt::at(2, y_len, 4, launch)] = rt::wrapping_add_i32(saved, device::sum(value_5));
    types::Body body = {7, q, {{p, q, {0, 0}}}, {x[rt::at(i + 1, x_len, 5, launch)], x[rt::at(i, x_len, 6, launch)] > 0}, 1ull << 40};
#line 101
    const i32 value_6 = device::count(y, y_len, 3, launch);
#line 101
    body.history[rt::at((usize)value_6, 3, 7, launch)].x = 100;
    const i32 value_7 = device::shift(body.history[1], 5);
#line 102
    y[rt::at(4, y_len, 8, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(value_7, body.history[1].x), body.history[1].y);
    device::add_assign(body.at, device::add(device::neg(body.history[0]), constants::c0[rt::at((usize)(y[rt::at(3, y_len, 9, launch)] & 1), 2, 10, launch)]));
    const bool value_8 = device::toggle(body.tag);
#line 104
    if (value_8 || device::eq(body.at, q)) {
        y[rt::at(5, y_len, 11, launch)] = body.at.x;
    } else {
        y[rt::at(5, y_len, 12, launch)] = rt::wrapping_neg_i32(body.at.x);
    }
    const rt::Array<types::Body, 2> copies = {{body, {body.small, {0, 0}, body.history, body.tag, 3}}};
    types::Body found = device::nearest(copies, types::Point{0, 0});
    found.tag._0 = rt::wrapping_add_i32(found.tag._0, 1);
    y[rt::at(6, y_len, 13, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_add_i32(found.at.x, found.tag._0), (i32)found.small), (i32)(found.wide >> 38));
    __shared__ rt::Array<types::Body, 2> shared_bodies;
    asm volatile("" : : "l"(&shared_bodies) : "memory");
#line 114
    shared_bodies[1] = found;
    shared_bodies[0] = types::Body{shared_bodies[1].small, shared_bodies[1].at, shared_bodies[1].history, {shared_bodies[1].tag._0, false}, shared_bodies[1].wide};
    const i32 value_9 = device::shift(shared_bodies[0].history[2], 9);
#line 116
    y[rt::at(7, y_len, 14, launch)] = rt::wrapping_add_i32(value_9, shared_bodies[0].history[2].x);
    y[rt::at(8, y_len, 15, launch)] = (shared_bodies[0].tag._1 != 0) != (shared_bodies[1].tag._1 != 0) ? 1 : 2;
    const i32 a = shared_bodies[1].at.x;
#line 118
    const i32 b = shared_bodies[1].at.y;
    const i32 n = found.tag._0;
#line 119
    const bool flag = found.tag._1 != 0;
    y[rt::at(9, y_len, 16, launch)] = rt::wrapping_add_i32(rt::wrapping_add_i32(rt::wrapping_sub_i32(a, b), n), (i32)flag);
    p = types::Point{p.y, p.x};
    const i32 saved_2 = rt::wrapping_sub_i32(p.x, rt::wrapping_mul_i32(2, p.y));
#line 122
    i32 value_10;
#line 122
    if (!device::eq(p, q)) {
#line 122
        value_10 = 1;
    } else {
#line 122
        value_10 = 0;
    }
#line 122
    y[rt::at(10, y_len, 17, launch)] = rt::wrapping_add_i32(saved_2, value_10);
    types::Point late;
    if (x[rt::at(i + 2, x_len, 18, launch)] > 1) {
        late = p;
    } else {
        late = constants::c0[rt::at((usize)x[rt::at(i + 2, x_len, 19, launch)], 2, 20, launch)];
    }
    y[rt::at(11, y_len, 21, launch)] = device::sum(late);
}
