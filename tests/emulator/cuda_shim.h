// The subset of CUDA that the emitted C uses, implemented for a CPU to execute its kernels.
//
// kernel-compiler/src/cuda/prelude.rs lists the subset. Threads run one after another on one host thread. In a kernel with
// barriers or waiting each thread is a fiber, and control switches only where a fiber waits: so every operation is atomic.

#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
// Shared memory has its own section, so that it can be poisoned before each block.
#define __shared__ static __attribute__((section("cuda_shared")))

struct Position {
    unsigned x, y, z;
};

inline Position threadIdx, blockIdx, blockDim, gridDim;

extern "C" char __start_cuda_shared[] __attribute__((visibility("hidden"), weak));
extern "C" char __stop_cuda_shared[] __attribute__((visibility("hidden"), weak));

namespace shim {

// A launch, with the layout of `RawLaunch` in tests/emulator/mod.rs.
struct Launch {
    void** params;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t shared_bytes;
    // Threads of a block wait for each other, and run as fibers.
    uint32_t as_fibers;
    // Threads of different blocks wait for each other: all blocks are resident at once.
    uint32_t all_resident;
    // Not 0 after a deadlock.
    uint32_t deadlock;
    // The first finding of the sanitizer, or null.
    const char* undefined;
    uint32_t undefined_line;
};

// The exception by which `exit;` ends a thread.
struct Exit {};

inline Launch* current;

[[noreturn]] inline void exit_thread() { throw Exit(); }

constexpr unsigned MAX_DYNAMIC_BYTES = 227 * 1024;

// The operands of the participants in a collective operation of a warp.
struct Operands {
    uint32_t present = 0;
    uint64_t value[32];
    uint32_t operand[32];
};

// Computes the result of one lane.
using LaneResult = uint64_t (*)(const Operands& all, unsigned lane);

// A thread that runs as a fiber.
struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    Position index;
    unsigned number;
    bool done = false;
    // The collective operation that it waits for: of the lanes in the mask, or of the block if the mask is 0.
    LaneResult operation = nullptr;
    uint32_t mask;
    uint64_t value;
    uint32_t operand;
    uint64_t result;
};

struct Block {
    Position index;
    std::vector<std::unique_ptr<Fiber>> fibers;
    // The contents of shared memory while another block runs.
    std::vector<char> shared;
};

inline ucontext_t scheduler;
inline Block* block;
inline Fiber* running;
// Whether any thread made progress in the current round of the scheduler.
inline bool progressed;

inline void yield() {
    if (running == nullptr) return;
    swapcontext(&running->context, &scheduler);
}

// Returns whether all participants of an operation have arrived. Threads that have exited do not participate.
inline bool is_complete(const Fiber& waiting) {
    const unsigned first = waiting.mask == 0 ? 0 : waiting.number / 32 * 32;
    const unsigned end = waiting.mask == 0 ? block->fibers.size() : first + 32;
    for (unsigned i = first; i < end && i < block->fibers.size(); i++) {
        const Fiber& other = *block->fibers[i];
        if (other.done || (waiting.mask != 0 && (waiting.mask >> (i - first) & 1) == 0)) continue;
        if (other.operation == nullptr || other.mask != waiting.mask) return false;
        if (waiting.mask != 0 && other.operation != waiting.operation) return false;
    }
    return true;
}

// Computes the results of an operation whose participants have all arrived, and releases them.
inline void complete(const Fiber& waiting) {
    const LaneResult operation = waiting.operation;
    const uint32_t mask = waiting.mask;
    const unsigned first = mask == 0 ? 0 : waiting.number / 32 * 32;
    const unsigned end = mask == 0 ? block->fibers.size() : first + 32;
    Operands all;
    uint64_t count = 0, total = 0;
    auto each = [&](auto visit) {
        for (unsigned i = first; i < end && i < block->fibers.size(); i++) {
            Fiber& other = *block->fibers[i];
            if (!other.done && (mask == 0 || (mask >> (i - first) & 1) != 0)) visit(other, i - first);
        }
    };
    each([&](Fiber& other, unsigned lane) {
        count++;
        total += other.value != 0;
        if (mask == 0) return;
        all.present |= 1u << lane;
        all.value[lane] = other.value;
        all.operand[lane] = other.operand;
    });
    each([&](Fiber& other, unsigned lane) {
        if (mask == 0) {
            // The number of threads whose predicate is true, and whether it is true for all.
            other.result = total | (uint64_t)(total == count) << 32;
        } else {
            other.result = operation(all, lane);
        }
    });
    each([&](Fiber& other, unsigned) { other.operation = nullptr; });
    progressed = true;
}

// Executes a collective operation of the lanes in the mask, or of the block if the mask is 0. Waits for the others.
inline uint64_t collective(LaneResult operation, uint32_t mask, uint64_t value, uint32_t operand) {
    Fiber* const self = running;
    self->operation = operation;
    self->mask = mask;
    self->value = value;
    self->operand = operand;
    for (;;) {
        if (self->operation == nullptr) return self->result;
        if (is_complete(*self)) {
            complete(*self);
            return self->result;
        }
        yield();
    }
}

inline uint64_t no_result(const Operands&, unsigned) { return 0; }

// The body of the running kernel.
inline void (*body)(void**);

inline void thread() {
    try {
        body(current->params);
    } catch (Exit) {
    }
}

inline void fiber_main() {
    thread();
    running->done = true;
    progressed = true;
    swapcontext(&running->context, &scheduler);
}

template <class Visit>
void for_each_position(const uint32_t (&extent)[3], Visit visit) {
    for (unsigned z = 0; z < extent[2]; z++)
        for (unsigned y = 0; y < extent[1]; y++)
            for (unsigned x = 0; x < extent[0]; x++) visit(Position{x, y, z});
}

inline void poison_shared() {
    if (__start_cuda_shared != nullptr) memset(__start_cuda_shared, 0xff, __stop_cuda_shared - __start_cuda_shared);
}

// Runs blocks as fibers, which switch where they wait.
inline void run_as_fibers(const std::vector<Position>& indices) {
    constexpr size_t STACK_BYTES = 128 * 1024;
    // Rounds without progress until a deadlock is reported; a thread that spins makes no progress.
    constexpr unsigned MAX_IDLE_ROUNDS = 100'000;
    static std::vector<std::unique_ptr<char[]>> stacks;
    std::vector<std::unique_ptr<Block>> blocks;
    const size_t shared_bytes = __start_cuda_shared == nullptr ? 0 : __stop_cuda_shared - __start_cuda_shared;
    for (const Position& index : indices) {
        auto block = std::make_unique<Block>();
        block->index = index;
        if (indices.size() > 1) block->shared.assign(shared_bytes, (char)0xff);
        for_each_position(current->block, [&](Position index) {
            auto fiber = std::make_unique<Fiber>();
            fiber->index = index;
            fiber->number = block->fibers.size();
            if (stacks.empty()) {
                fiber->stack.reset(new char[STACK_BYTES]);
            } else {
                fiber->stack = std::move(stacks.back());
                stacks.pop_back();
            }
            getcontext(&fiber->context);
            fiber->context.uc_stack.ss_sp = fiber->stack.get();
            fiber->context.uc_stack.ss_size = STACK_BYTES;
            fiber->context.uc_link = nullptr;
            makecontext(&fiber->context, fiber_main, 0);
            block->fibers.push_back(std::move(fiber));
        });
        blocks.push_back(std::move(block));
    }
    unsigned idle_rounds = 0;
    for (bool more = true; more && idle_rounds < MAX_IDLE_ROUNDS;) {
        more = false;
        progressed = false;
        for (auto& next : blocks) {
            block = next.get();
            blockIdx = block->index;
            if (indices.size() > 1 && shared_bytes > 0) memcpy(__start_cuda_shared, block->shared.data(), shared_bytes);
            for (auto& fiber : block->fibers) {
                if (fiber->done) continue;
                threadIdx = fiber->index;
                running = fiber.get();
                swapcontext(&scheduler, &fiber->context);
                more |= !fiber->done;
            }
            if (indices.size() > 1 && shared_bytes > 0) memcpy(block->shared.data(), __start_cuda_shared, shared_bytes);
        }
        idle_rounds = progressed ? 0 : idle_rounds + 1;
    }
    if (idle_rounds == MAX_IDLE_ROUNDS) current->deadlock = 1;
    running = nullptr;
    block = nullptr;
    for (auto& block : blocks)
        for (auto& fiber : block->fibers) stacks.push_back(std::move(fiber->stack));
}

inline void run(Launch* launch, void (*kernel)(void**)) {
    current = launch;
    body = kernel;
    gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]};
    blockDim = {launch->block[0], launch->block[1], launch->block[2]};
    std::vector<Position> all;
    for_each_position(launch->grid, [&](Position index) {
        blockIdx = index;
        poison_shared();
        if (launch->all_resident) {
            all.push_back(index);
        } else if (launch->as_fibers) {
            run_as_fibers({index});
        } else {
            for_each_position(launch->block, [&](Position index) {
                threadIdx = index;
                thread();
            });
        }
    });
    if (launch->all_resident) run_as_fibers(all);
}

template <class... Params, size_t... Index>
void call(void (*kernel)(Params...), void** params, std::index_sequence<Index...>) {
    kernel(*static_cast<Params*>(params[Index])...);
}

// Calls a kernel with an array of pointers to its parameters, as `cuLaunchKernel` does.
template <class... Params>
void call(void (*kernel)(Params...), void** params) {
    call(kernel, params, std::index_sequence_for<Params...>());
}

template <class To, class From>
To bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

// Returns the bits of a number of any size.
template <class T>
uint64_t low_bits(T value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <class T>
T from_low_bits(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace shim

// Called by the sanitizer's runtime.
extern "C" void __ubsan_get_current_report_data(
    const char** kind, const char** message, const char** file, unsigned* line, unsigned* column, char** memory)
    __attribute__((weak));

extern "C" inline __attribute__((used)) void __ubsan_on_report() {
    if (shim::current == nullptr || shim::current->undefined != nullptr) return;
    const char *kind = "undefined behaviour", *message, *file;
    unsigned line = 0, column;
    char* memory;
    if (__ubsan_get_current_report_data != nullptr) {
        __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &memory);
    }
    shim::current->undefined = kind;
    shim::current->undefined_line = line;
}

// Barriers and fences.

inline uint64_t collective_block(bool predicate) { return shim::collective(shim::no_result, 0, predicate, 0); }
inline void __syncthreads() { collective_block(false); }
inline int __syncthreads_count(int predicate) { return int(uint32_t(collective_block(predicate != 0))); }
inline int __syncthreads_and(int predicate) { return int(collective_block(predicate != 0) >> 32); }
inline int __syncthreads_or(int predicate) { return uint32_t(collective_block(predicate != 0)) != 0; }
inline void __threadfence_block() {}
inline void __threadfence() {}
inline void __threadfence_system() {}

// Atomic operations. A compare-and-swap that fails yields, so that a spinning thread lets others run.

#define SHIM_ATOMIC(name, T, result)                                 \
    inline T name(T* place, T value) {                               \
        const T old = *place;                                        \
        *place = result;                                             \
        return old;                                                  \
    }                                                                \
    inline T name##_block(T* place, T value) { return name(place, value); } \
    inline T name##_system(T* place, T value) { return name(place, value); }
#define SHIM_COMPARE(T)                                                                                   \
    inline T atomicCAS(T* place, T expected, T value) {                                                   \
        const T old = *place;                                                                             \
        if (old == expected) {                                                                            \
            *place = value;                                                                               \
            shim::progressed = true;                                                                           \
        } else {                                                                                          \
            shim::yield();                                                                                \
        }                                                                                                 \
        return old;                                                                                       \
    }                                                                                                     \
    inline T atomicCAS_block(T* place, T expected, T value) { return atomicCAS(place, expected, value); } \
    inline T atomicCAS_system(T* place, T expected, T value) { return atomicCAS(place, expected, value); }

using shim_u64 = unsigned long long;
SHIM_ATOMIC(atomicAdd, int, int(unsigned(old) + unsigned(value)))
SHIM_ATOMIC(atomicAdd, unsigned, old + value)
SHIM_ATOMIC(atomicAdd, shim_u64, old + value)
SHIM_ATOMIC(atomicAdd, float, old + value)
SHIM_ATOMIC(atomicAdd, double, old + value)
SHIM_ATOMIC(atomicSub, int, int(unsigned(old) - unsigned(value)))
SHIM_ATOMIC(atomicSub, unsigned, old - value)
#define SHIM_EXTREMES(T) \
    SHIM_ATOMIC(atomicMin, T, value < old ? value : old) SHIM_ATOMIC(atomicMax, T, value > old ? value : old)
SHIM_EXTREMES(int)
SHIM_EXTREMES(unsigned)
SHIM_EXTREMES(long long)
SHIM_EXTREMES(shim_u64)
#define SHIM_BITS(T)                                                                \
    SHIM_ATOMIC(atomicAnd, T, old& value) SHIM_ATOMIC(atomicOr, T, old | value)     \
    SHIM_ATOMIC(atomicXor, T, old ^ value)
SHIM_BITS(int)
SHIM_BITS(unsigned)
SHIM_BITS(shim_u64)
SHIM_ATOMIC(atomicExch, int, value)
SHIM_ATOMIC(atomicExch, unsigned, value)
SHIM_ATOMIC(atomicExch, shim_u64, value)
SHIM_ATOMIC(atomicExch, float, value)
SHIM_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
SHIM_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
SHIM_COMPARE(int)
SHIM_COMPARE(unsigned)
SHIM_COMPARE(shim_u64)
SHIM_COMPARE(unsigned short)

// Warp-level operations.

namespace shim {

// The value of another lane; the lane's own value if the other is outside the warp or does not participate.
inline uint64_t of_lane(const Operands& all, unsigned lane, unsigned source) {
    return all.value[source < 32 && (all.present >> source & 1) != 0 ? source : lane];
}
inline uint64_t of_index(const Operands& all, unsigned lane) { return of_lane(all, lane, all.operand[lane] & 31); }
inline uint64_t of_below(const Operands& all, unsigned lane) { return of_lane(all, lane, lane - (all.operand[lane] & 31)); }
inline uint64_t of_above(const Operands& all, unsigned lane) { return of_lane(all, lane, lane + (all.operand[lane] & 31)); }
inline uint64_t of_xor(const Operands& all, unsigned lane) { return of_lane(all, lane, lane ^ (all.operand[lane] & 31)); }

// The lanes with this value.
inline uint32_t lanes_with(const Operands& all, uint64_t value) {
    uint32_t lanes = 0;
    for (unsigned i = 0; i < 32; i++) lanes |= uint32_t((all.present >> i & 1) != 0 && all.value[i] == value) << i;
    return lanes;
}
inline uint64_t of_ballot(const Operands& all, unsigned) { return all.present & ~lanes_with(all, 0); }
inline uint64_t of_same(const Operands& all, unsigned lane) { return lanes_with(all, all.value[lane]); }
inline uint64_t of_all(const Operands& all, unsigned lane) {
    return lanes_with(all, all.value[lane]) == all.present ? all.present : 0;
}

template <class T, class Lane>
T shuffle(LaneResult operation, unsigned lanes, T value, Lane lane) {
    return from_low_bits<T>(collective(operation, lanes, low_bits(value), uint32_t(lane)));
}

}  // namespace shim

inline void __syncwarp(unsigned lanes) { shim::collective(shim::no_result, lanes, 0, 0); }
template <class T>
T __shfl_sync(unsigned lanes, T value, int lane) { return shim::shuffle(shim::of_index, lanes, value, lane); }
template <class T>
T __shfl_up_sync(unsigned lanes, T value, unsigned by) { return shim::shuffle(shim::of_below, lanes, value, by); }
template <class T>
T __shfl_down_sync(unsigned lanes, T value, unsigned by) { return shim::shuffle(shim::of_above, lanes, value, by); }
template <class T>
T __shfl_xor_sync(unsigned lanes, T value, int by) { return shim::shuffle(shim::of_xor, lanes, value, by); }
inline unsigned __ballot_sync(unsigned lanes, int predicate) {
    return unsigned(shim::collective(shim::of_ballot, lanes, predicate != 0, 0));
}
inline int __all_sync(unsigned lanes, int predicate) {
    return (shim::collective([](const shim::Operands& all, unsigned) -> uint64_t { return shim::lanes_with(all, 0) == 0; },
                       lanes, predicate != 0, 0)) != 0;
}
inline int __any_sync(unsigned lanes, int predicate) {
    return (shim::collective([](const shim::Operands& all, unsigned lane) { return shim::of_ballot(all, lane); }, lanes,
                       predicate != 0, 0)) != 0;
}
inline int __uni_sync(unsigned lanes, int predicate) {
    return (shim::collective([](const shim::Operands& all, unsigned lane) { return shim::of_all(all, lane); }, lanes,
                       predicate != 0, 0)) != 0;
}
template <class T>
unsigned __match_any_sync(unsigned lanes, T value) {
    return unsigned(shim::collective(shim::of_same, lanes, shim::low_bits(value), 0));
}
template <class T>
unsigned __match_all_sync(unsigned lanes, T value, int* same) {
    const unsigned found = unsigned(shim::collective(shim::of_all, lanes, shim::low_bits(value), 0));
    *same = found != 0;
    return found;
}

// Bits.

inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }

inline unsigned long long __brevll(unsigned long long x) {
    unsigned long long reversed = 0;
    for (int i = 0; i < 64; i++) reversed |= (x >> i & 1) << (63 - i);
    return reversed;
}
inline unsigned __brev(unsigned x) { return unsigned(__brevll(x) >> 32); }

inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= unsigned(bytes >> ((selector >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
    return result;
}

inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }

// Functions that only CUDA C bodies use.

struct float4 {
    float x, y, z, w;
};
inline int min(int a, int b) { return a < b ? a : b; }

inline float __int_as_float(int x) { return shim::bits<float>(x); }
inline float __uint_as_float(unsigned x) { return shim::bits<float>(x); }
inline int __float_as_int(float x) { return shim::bits<int>(x); }
inline unsigned __float_as_uint(float x) { return shim::bits<unsigned>(x); }
inline double __longlong_as_double(long long x) { return shim::bits<double>(x); }
inline long long __double_as_longlong(double x) { return shim::bits<long long>(x); }

// Rounds toward zero: a result that was rounded away from zero is decremented by one ulp. `long double` is exact for all x.
template <class T>
float shim_toward_zero(T x) {
    const float y = float(x);
    if (y != y) return y;
    const bool away = std::fabs((long double)y) > std::fabs((long double)x);
    return away ? shim::bits<float>(shim::bits<unsigned>(y) - 1u) : y;
}
inline float __double2float_rz(double x) { return shim_toward_zero(x); }
inline float __int2float_rz(int x) { return shim_toward_zero(x); }
inline float __uint2float_rz(unsigned x) { return shim_toward_zero(x); }
inline float __ll2float_rz(long long x) { return shim_toward_zero(x); }
inline float __ull2float_rz(unsigned long long x) { return shim_toward_zero(x); }

// Mathematical functions that C lacks.

constexpr long double SHIM_PI = 3.14159265358979323846264338327950288L;
// Sine and cosine of πx, by an exact reduction to the nearest multiple of π/2: so the results 0, 1 and -1 are exact, and
// there is no cancellation near a zero.
inline long double shim_sinpi(long double x) {
    if (!std::isfinite(x)) return NAN;
    const long double turn = std::fmod(x, 2.0L), halves = std::nearbyint(2.0L * turn);
    const long double rest = (turn - 0.5L * halves) * SHIM_PI;
    const int quarter = ((int)halves % 4 + 4) % 4;
    if (rest == 0.0L && quarter % 2 == 0) return std::copysign(0.0L, x);
    const long double size = quarter % 2 == 0 ? std::sin(rest) : std::cos(rest);
    return quarter < 2 ? size : -size;
}
inline long double shim_cospi(long double x) {
    if (!std::isfinite(x)) return NAN;
    const long double turn = std::fabs(std::fmod(x, 2.0L)), halves = std::nearbyint(2.0L * turn);
    const long double rest = (turn - 0.5L * halves) * SHIM_PI;
    const int quarter = (int)halves % 4;
    if (rest == 0.0L && quarter % 2 == 1) return 0.0L;
    const long double size = quarter % 2 == 0 ? std::cos(rest) : std::sin(rest);
    return quarter == 0 || quarter == 3 ? size : -size;
}
inline float rsqrtf(float x) { return float(1.0 / std::sqrt((double)x)); }
inline double rsqrt(double x) { return double(1.0L / std::sqrt((long double)x)); }
inline float sinpif(float x) { return float(shim_sinpi(x)); }
inline double sinpi(double x) { return double(shim_sinpi(x)); }
inline float cospif(float x) { return float(shim_cospi(x)); }
inline double cospi(double x) { return double(shim_cospi(x)); }
inline float normcdff(float x) { return float(0.5 * std::erfc(-(double)x * 0.70710678118654752440)); }
inline double normcdf(double x) { return double(0.5L * std::erfc(-(long double)x * 0.70710678118654752440L)); }

// CUDA's approximate functions, as macros: glibc declares functions with some of these names.
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) (void)(*(s) = sinf(x), *(c) = cosf(x))
#define __expf(x) expf(x)
#define __exp10f(x) float(exp10((double)(x)))
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
inline float __fdividef(float x, float y) { return x / y; }

// Vector types, which may refer to elements of other types, and loads through the read-only cache.
struct __attribute__((may_alias)) uint2 { unsigned x, y; };
struct __attribute__((may_alias)) uint4 { unsigned x, y, z, w; };
template <class T>
T __ldg(const T* from) { return *from; }

// PTX instructions, under the names that tests/emulator/mod.rs gives them.
namespace ptx {

using half = unsigned short;
inline float wide(half x) { return float(shim::bits<_Float16>(x)); }
template <class T>
half narrow(T x) { return shim::bits<half>(_Float16(x)); }
inline void pmevent() {}
inline void cvt_f32_f16(float& y, half x) { y = wide(x); }
inline void cvt_rn_f16_f32(half& y, float x) { y = narrow(x); }
inline void cvt_rn_f16_f64(half& y, double x) { y = narrow(x); }
inline void add_rn_f16(half& y, half a, half b) { y = narrow(wide(a) + wide(b)); }
inline void sub_rn_f16(half& y, half a, half b) { y = narrow(wide(a) - wide(b)); }
inline void mul_rn_f16(half& y, half a, half b) { y = narrow(wide(a) * wide(b)); }
inline void fma_rn_f16(half& y, half a, half b, half c) {
    y = narrow((__float128)wide(a) * (__float128)wide(b) + (__float128)wide(c));
}
inline void rcp_approx_ftz_f32(float& y, float x) { y = 1.0f / x; }
inline void sqrt_approx_ftz_f32(float& y, float x) { y = sqrtf(x); }
inline void rsqrt_approx_ftz_f32(float& y, float x) { y = rsqrtf(x); }
inline void ex2_approx_ftz_f32(float& y, float x) { y = exp2f(x); }
inline void tanh_approx_f32(float& y, float x) { y = tanhf(x); }
inline unsigned lane() {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}
inline void activemask_b32(unsigned& lanes) { lanes = 1u << lane(); }
inline void globaltimer(unsigned long long& now) { now = 0; }
inline void laneid(unsigned& number) { number = lane(); }
inline void lanemask_eq(unsigned& lanes) { lanes = 1u << lane(); }
inline void lanemask_lt(unsigned& lanes) { lanes = (1u << lane()) - 1; }
inline void lanemask_le(unsigned& lanes) { lanes = (2u << lane()) - 1; }
inline void lanemask_gt(unsigned& lanes) { lanes = ~((2u << lane()) - 1); }
inline void lanemask_ge(unsigned& lanes) { lanes = ~((1u << lane()) - 1); }
inline void dynamic_smem_size(unsigned& bytes) { bytes = shim::current->shared_bytes; }
template <class T>
void ld_relaxed_gpu_global_v2_u64(T& first, T& second, const T* from) {
    first = __atomic_load_n(from, __ATOMIC_RELAXED);
    second = __atomic_load_n(from + 1, __ATOMIC_RELAXED);
}
inline void fence_acq_rel_cta() {}
inline void fence_acq_rel_gpu() {}
inline void fence_acq_rel_sys() {}
inline void atom_relaxed_sys_cas_b16(half& old, half* place, half expected, half value) {
    old = atomicCAS(place, expected, value);
}

}  // namespace ptx
