// The part of CUDA that the emitted C uses, on a CPU: enough to run its kernels and to see what they compute.
//
// The list of what the emitted C uses is in kernel-ir/src/cuda/prelude.rs. Threads run one after another; those of a
// kernel with barriers each have a stack, and change at the barriers. So every operation is atomic already.

#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(n) alignas(n)
// All shared memory is in one section, so that it can be poisoned before each block.
#define __shared__ static __attribute__((section("cuda_shared")))

struct Position {
    unsigned x, y, z;
};

inline Position threadIdx, blockIdx, blockDim, gridDim;

extern "C" char __start_cuda_shared[] __attribute__((visibility("hidden"), weak));
extern "C" char __stop_cuda_shared[] __attribute__((visibility("hidden"), weak));

namespace shim {

// The launch, as tests/emulator/mod.rs lays it out.
struct Launch {
    void** params;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t shared_bytes;
    uint32_t side_by_side;
    // What the sanitizer found first, or null.
    const char* undefined;
    uint32_t undefined_line;
};

// What `exit;` does to a thread.
struct Exit {};

inline Launch* current;

[[noreturn]] inline void exit_thread() { throw Exit(); }

constexpr unsigned MOST_DYNAMIC_BYTES = 227 * 1024;

// The threads of a block with barriers.
struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    Position index;
    bool done = false;
};

inline ucontext_t scheduler;
inline Fiber* running;

inline void yield() {
    if (running == nullptr) return;
    Fiber* const self = running;
    swapcontext(&self->context, &scheduler);
    running = self;
}

// The body of the kernel that runs.
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
    swapcontext(&running->context, &scheduler);
}

template <class Visit>
void for_each_position(const uint32_t (&extent)[3], Visit visit) {
    for (unsigned z = 0; z < extent[2]; z++)
        for (unsigned y = 0; y < extent[1]; y++)
            for (unsigned x = 0; x < extent[0]; x++) visit(Position{x, y, z});
}

inline void run_side_by_side() {
    constexpr size_t STACK_BYTES = 128 * 1024;
    static std::vector<std::unique_ptr<char[]>> stacks;
    std::vector<std::unique_ptr<Fiber>> fibers;
    for_each_position(current->block, [&](Position index) {
        auto fiber = std::make_unique<Fiber>();
        fiber->index = index;
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
        fibers.push_back(std::move(fiber));
    });
    for (bool more = true; more;) {
        more = false;
        for (auto& fiber : fibers) {
            if (fiber->done) continue;
            threadIdx = fiber->index;
            running = fiber.get();
            swapcontext(&scheduler, &fiber->context);
            more |= !fiber->done;
        }
    }
    running = nullptr;
    for (auto& fiber : fibers) stacks.push_back(std::move(fiber->stack));
}

inline void run(Launch* launch, void (*kernel)(void**)) {
    current = launch;
    body = kernel;
    gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]};
    blockDim = {launch->block[0], launch->block[1], launch->block[2]};
    for_each_position(launch->grid, [&](Position index) {
        blockIdx = index;
        if (__start_cuda_shared != nullptr) {
            memset(__start_cuda_shared, 0xff, __stop_cuda_shared - __start_cuda_shared);
        }
        if (launch->side_by_side) {
            run_side_by_side();
        } else {
            for_each_position(launch->block, [&](Position index) {
                threadIdx = index;
                thread();
            });
        }
    });
}

template <class... Params, size_t... Index>
void call(void (*kernel)(Params...), void** params, std::index_sequence<Index...>) {
    kernel(*static_cast<Params*>(params[Index])...);
}

// Calls a kernel with parameters as `cuLaunchKernel` takes them.
template <class... Params>
void call(void (*kernel)(Params...), void** params) {
    call(kernel, params, std::index_sequence_for<Params...>());
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

inline void __syncthreads() { shim::yield(); }
inline void __threadfence_system() {}

template <class T>
T atomicAdd(T* place, T value) {
    const T old = *place;
    if constexpr (std::is_integral_v<T>) {
        *place = T(std::make_unsigned_t<T>(old) + std::make_unsigned_t<T>(value));
    } else {
        *place = old + value;
    }
    return old;
}

inline unsigned atomicCAS(unsigned* place, unsigned expected, unsigned desired) {
    const unsigned old = *place;
    if (old == expected) *place = desired;
    return old;
}

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
inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }

template <class To, class From>
To shim_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
inline float __int_as_float(int x) { return shim_bits<float>(x); }
inline int __float_as_int(float x) { return shim_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return shim_bits<unsigned>(x); }
inline double __longlong_as_double(long long x) { return shim_bits<double>(x); }
inline long long __double_as_longlong(double x) { return shim_bits<long long>(x); }
