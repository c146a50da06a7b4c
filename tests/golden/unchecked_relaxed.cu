typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef long long isize;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned long long usize;

namespace rt {

template <class T, usize N>
struct Array {
    T at[N == 0 ? 1 : N];
    __device__ __forceinline__ T& operator[](usize index) { return at[index]; }
    __device__ __forceinline__ const T& operator[](usize index) const { return at[index]; }
};

struct Fault {
    u32 flag;
    u32 kernel;
    u32 site;
    u32 block[3];
    u32 thread[3];
    u32 pad;
    u64 index;
    u64 len;
    u64 args[6];
};

struct Print;

struct Launch {
    Fault* fault;
    Print* print;
    u64* grid_barrier;
    u32 kernel;
};

static __device__ __forceinline__ double clamp_to_f64(double x, double low, double high) { return x < low ? low : (x > high ? high : x); }

}  // namespace rt

#ifdef __CUDACC__
#define offset_of(T, member) __INTADDR__(&((T*)0)->member)
#else
#define offset_of(T, member) __builtin_offsetof(T, member)
#endif

namespace types {

// cumbia_corpus::unchecked::Kind
typedef u8 Kind;
constexpr Kind Kind_Fixed = 0;
constexpr Kind Kind_Free = 1;
constexpr Kind Kind_Bound = 2;

// cumbia_corpus::unchecked::Node
struct __align__(8) Node {
    rt::Array<u32, 2> links;
    double value;
    types::Kind kind;
};
static_assert(sizeof(Node) == 24, "the size of Node");
static_assert(offset_of(Node, links) == 0, "the offset of Node::links");
static_assert(offset_of(Node, value) == 8, "the offset of Node::value");
static_assert(offset_of(Node, kind) == 16, "the offset of Node::kind");

}  // namespace types

#undef offset_of

namespace device {

#line 162 "tests/corpus/unchecked.rs"
static __device__ inline void Node_push(types::Node& self_, double by) {
    const types::Kind matched = self_.kind;
#line 163
    if (matched != types::Kind_Fixed) {
#line 163
        if (matched == types::Kind_Free) {
#line 165
            self_.value += by;
        } else {
#line 166
            self_.value = rt::clamp_to_f64(self_.value + by, -1.0, 1.0);
        }
    }
}

}  // namespace device

#line 172 "tests/corpus/unchecked.rs"
extern "C" __global__ void relaxed(const types::Node* __restrict__ from, usize from_len, types::Node* __restrict__ to, usize to_len, rt::Launch launch) {
    const usize i = blockIdx.x * (usize)blockDim.x + threadIdx.x;
    if (i < from_len) {
        const types::Kind kind = from[i].kind;
#line 175
        const rt::Array<u32, 2> links = from[i].links;
        to[i] = from[i];
        double sum = 0.0;
        for (usize i_2 = 0; i_2 < 2; ++i_2) {
#line 178
            const u32 link = links[i_2];
            sum += from[(usize)link].value;
        }
        device::Node_push(to[i], 0.5 * sum);
        to[i].links[0] = from[(usize)links[1]].links[0];
        if (kind == types::Kind_Fixed) {
            to[i].kind = from[(usize)links[0]].kind;
        }
    }
}
