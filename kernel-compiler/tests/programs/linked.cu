namespace types {

// kernels::Pair
struct __align__(4) Pair {
    u32 a;
    u32 b;
};
static_assert(sizeof(Pair) == 8, "the size of Pair");
static_assert(offset_of(Pair, a) == 0, "the offset of Pair::a");
static_assert(offset_of(Pair, b) == 4, "the offset of Pair::b");

}  // namespace types

#undef offset_of

#line 7 "src/kernels.rs"
extern "C" __device__ u32 reversed(u32 x);

#line 10 "src/kernels.rs"
extern "C" __device__ void sum_of_slice(const u32* x, usize x_len, types::Pair& total);

#line 14 "src/kernels.rs"
extern "C" __device__ u32 linked(u32 x);

namespace foreign {

#line 7 "src/kernels.rs"
static __device__ inline u32 reversed_(u32 x) {
    return ::reversed(x);
}

#line 10 "src/kernels.rs"
static __device__ inline void sum_(const u32* x, usize x_len, types::Pair& total) {
    return ::sum_of_slice(x, x_len, total);
}

#line 14 "src/kernels.rs"
static __device__ inline u32 of_same_name_(u32 x) {
    return ::linked(x);
}

}  // namespace foreign

#line 16 "src/kernels.rs"
extern "C" __global__ void linked_(const u32* __restrict__ x, usize x_len, u32* __restrict__ y, usize y_len, rt::Launch launch) {
    types::Pair total = {1, 2};
    foreign::sum_(x, x_len, total);
    const u32 value = foreign::reversed_(total.a);
#line 19
    const u32 value_2 = foreign::of_same_name_(total.b);
#line 19
    y[rt::at(0, y_len, 0, launch)] = value + value_2;
}
