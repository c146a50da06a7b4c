//! Execution of emitted text on the host: `g++` with a shim that defines the features of CUDA that the text uses.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The features of CUDA that the text uses, for a host compiler (listed in `src/cuda/prelude/mod.rs`).
pub(crate) const SHIM: &str = r#"
#include <cmath>
#include <cstdio>
#include <cstring>
#define __global__
#define __device__
#define __shared__ static
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__
struct Dim { unsigned x, y, z; };
static Dim threadIdx, blockIdx, blockDim = {1, 1, 1}, gridDim = {1, 1, 1};
// A single thread forms a block, a warp and a grid.
static inline void __syncthreads() {}
static inline int __syncthreads_count(int p) { return p != 0; }
static inline int __syncthreads_and(int p) { return p != 0; }
static inline int __syncthreads_or(int p) { return p != 0; }
static inline void __syncwarp(unsigned) {}
static inline void __threadfence_block() {}
static inline void __threadfence() {}
static inline void __threadfence_system() {}
template <class T> static T __shfl_sync(unsigned, T v, int) { return v; }
template <class T> static T __shfl_up_sync(unsigned, T v, unsigned) { return v; }
template <class T> static T __shfl_down_sync(unsigned, T v, unsigned) { return v; }
template <class T> static T __shfl_xor_sync(unsigned, T v, int) { return v; }
static inline int __all_sync(unsigned, int p) { return p != 0; }
static inline int __any_sync(unsigned, int p) { return p != 0; }
static inline int __uni_sync(unsigned, int) { return 1; }
static inline unsigned __ballot_sync(unsigned m, int p) { return p != 0 ? m & 1u : 0u; }
template <class T> static unsigned __match_any_sync(unsigned m, T) { return m & 1u; }
template <class T> static unsigned __match_all_sync(unsigned m, T, int* all) { *all = 1; return m; }
#define ATOMIC(name, T, expression) \
    static inline T name(T* p, T v) { const T old = *p; *p = expression; return old; } \
    static inline T name##_block(T* p, T v) { return name(p, v); } \
    static inline T name##_system(T* p, T v) { return name(p, v); }
ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)v))
ATOMIC(atomicAdd, unsigned, old + v)
ATOMIC(atomicAdd, unsigned long long, old + v)
ATOMIC(atomicAdd, float, old + v)
ATOMIC(atomicAdd, double, old + v)
ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)v))
ATOMIC(atomicSub, unsigned, old - v)
#define ATOMICS(T) \
    ATOMIC(atomicMin, T, v < old ? v : old) ATOMIC(atomicMax, T, v > old ? v : old) ATOMIC(atomicExch, T, v) \
    static inline T atomicCAS(T* p, T e, T v) { const T old = *p; if (old == e) *p = v; return old; } \
    static inline T atomicCAS_block(T* p, T e, T v) { return atomicCAS(p, e, v); } \
    static inline T atomicCAS_system(T* p, T e, T v) { return atomicCAS(p, e, v); }
ATOMICS(int) ATOMICS(unsigned) ATOMICS(unsigned long long)
ATOMIC(atomicMin, long long, v < old ? v : old) ATOMIC(atomicMax, long long, v > old ? v : old)
ATOMIC(atomicExch, float, v)
#define BITWISE(T) ATOMIC(atomicAnd, T, old & v) ATOMIC(atomicOr, T, old | v) ATOMIC(atomicXor, T, old ^ v)
BITWISE(int) BITWISE(unsigned) BITWISE(unsigned long long)
ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
static inline unsigned short atomicCAS(unsigned short* p, unsigned short e, unsigned short v) {
    const unsigned short old = *p; if (old == e) *p = v; return old;
}
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline unsigned __brev(unsigned x) { unsigned r = 0; for (int i = 0; i < 32; ++i) r |= (x >> i & 1u) << (31 - i); return r; }
static inline unsigned long long __brevll(unsigned long long x) { return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32)); }
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
    unsigned long long both = (unsigned long long)y << 32 | x; unsigned r = 0;
    for (int i = 0; i < 4; ++i) r |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned long long)((unsigned __int128)a * b >> 64); }
static inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
template <class T, class F> static T bits_as(F x) { T y; static_assert(sizeof x == sizeof y, ""); memcpy(&y, &x, sizeof y); return y; }
static inline float __int_as_float(int x) { return bits_as<float>(x); }
static inline int __float_as_int(float x) { return bits_as<int>(x); }
static inline unsigned __float_as_uint(float x) { return bits_as<unsigned>(x); }
static inline float __uint_as_float(unsigned x) { return bits_as<float>(x); }
// Towards zero: a result that was rounded away from zero is stepped back.
template <class T> static float toward_zero(T x) {
    const float y = (float)x; const bool away = std::fabs((long double)y) > std::fabs((long double)x);
    return away ? bits_as<float>(bits_as<unsigned>(y) - 1u) : y;
}
static inline float __double2float_rz(double x) { return toward_zero(x); }
static inline float __int2float_rz(int x) { return toward_zero(x); }
static inline float __uint2float_rz(unsigned x) { return toward_zero(x); }
static inline float __ll2float_rz(long long x) { return toward_zero(x); }
static inline float __ull2float_rz(unsigned long long x) { return toward_zero(x); }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float sinpif(float x) { return (float)sin(3.14159265358979323846 * x); }
static inline double sinpi(double x) { return sin(3.14159265358979323846 * x); }
static inline float cospif(float x) { return (float)cos(3.14159265358979323846 * x); }
static inline double cospi(double x) { return cos(3.14159265358979323846 * x); }
static inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
static inline double normcdf(double x) { return 0.5 * erfc(-x * 0.7071067811865476); }
// glibc declares functions with these names.
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) (void)(*(s) = sinf(x), *(c) = cosf(x))
#define __expf(x) expf(x)
#define __exp10f(x) powf(10.0f, x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
static inline float __fdividef(float x, float y) { return x / y; }
// PTX instructions, as `for_host` calls them.
namespace ptx {
using half = unsigned short;
static inline float wide(half x) { return (float)bits_as<_Float16>(x); }
template <class T> static half narrow(T x) { return bits_as<half>((_Float16)x); }
static inline void pmevent() {}
static inline void cvt_f32_f16(float& y, half x) { y = wide(x); }
static inline void cvt_rn_f16_f32(half& y, float x) { y = narrow(x); }
static inline void cvt_rn_f16_f64(half& y, double x) { y = narrow(x); }
static inline void add_rn_f16(half& y, half a, half b) { y = narrow(wide(a) + wide(b)); }
static inline void sub_rn_f16(half& y, half a, half b) { y = narrow(wide(a) - wide(b)); }
static inline void mul_rn_f16(half& y, half a, half b) { y = narrow(wide(a) * wide(b)); }
static inline void fma_rn_f16(half& y, half a, half b, half c) {
    y = narrow((__float128)wide(a) * (__float128)wide(b) + (__float128)wide(c));
}
static inline void rcp_approx_ftz_f32(float& y, float x) { y = 1.0f / x; }
static inline void sqrt_approx_ftz_f32(float& y, float x) { y = sqrtf(x); }
static inline void rsqrt_approx_ftz_f32(float& y, float x) { y = 1.0f / sqrtf(x); }
static inline void ex2_approx_ftz_f32(float& y, float x) { y = exp2f(x); }
static inline void tanh_approx_f32(float& y, float x) { y = tanhf(x); }
static inline void activemask_b32(unsigned& lanes) { lanes = 1; }
static inline void laneid(unsigned& lane) { lane = 0; }
static inline void lanemask_eq(unsigned& lanes) { lanes = 1; }
static inline void lanemask_lt(unsigned& lanes) { lanes = 0; }
static inline void lanemask_le(unsigned& lanes) { lanes = 1; }
static inline void lanemask_gt(unsigned& lanes) { lanes = ~1u; }
static inline void lanemask_ge(unsigned& lanes) { lanes = ~0u; }
static inline void dynamic_smem_size(unsigned& bytes) { bytes = 4096; }
static inline void fence_acq_rel_cta() {}
static inline void fence_acq_rel_gpu() {}
static inline void fence_acq_rel_sys() {}
static inline void atom_relaxed_sys_cas_b16(half& old, half* p, half e, half v) { old = *p; if (old == e) *p = v; }
}
static inline double __longlong_as_double(long long x) { return bits_as<double>(x); }
static inline long long __double_as_longlong(double x) { return bits_as<long long>(x); }
template <class T> static T from_bits(unsigned long long x) { T y; memcpy(&y, &x, sizeof y); return y; }
template <class T> static unsigned long long to_bits(T x) { unsigned long long y = 0; memcpy(&y, &x, sizeof x); return y; }
static char dynamic_bytes[4096];
"#;

/// Replaces the GPU-specific parts of the text: a fault throws its site, and a PTX instruction becomes a function of
/// the shim, in `namespace ptx`.
pub(crate) fn for_host(text: &str) -> String {
    let text = text.replace("asm volatile(\"exit;\");", "throw site;").replace(
        "extern __shared__ __align__(16) u8 dynamic_shared[];",
        "static u8* const dynamic_shared = (u8*)dynamic_bytes;",
    );
    let mut host = String::new();
    for line in text.split_inclusive('\n') {
        match instruction(line) {
            Some((indent, call)) => {
                let _ = writeln!(host, "{indent}{call}");
            }
            None => host.push_str(line),
        }
    }
    host
}

/// Converts a line that consists of one `asm` to a call: the instruction's name, then the operands in order. A special
/// register is identified by its own name. An empty `asm` remains.
fn instruction(line: &str) -> Option<(&str, String)> {
    let (indent, rest) = line.split_at(line.find(|c: char| c != ' ')?);
    let rest = rest.strip_prefix("asm volatile(\"").or_else(|| rest.strip_prefix("asm(\""))?;
    let (instruction, operands) = rest.split_once('"')?;
    if instruction.is_empty() {
        return None;
    }
    let name = match instruction.split_once("%%") {
        Some((_, register)) => register.trim_end_matches(';').to_owned(),
        None => instruction.split([' ', ';']).next()?.replace('.', "_"),
    };
    // The operands, in parentheses after their constraints.
    let mut args = Vec::new();
    let mut rest = operands;
    while let Some(start) = rest.find("\"(") {
        rest = &rest[start + 2..];
        let mut depth = 1;
        let end = rest.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        })?;
        args.push(&rest[..end]);
        rest = &rest[end..];
    }
    Some((indent, format!("ptx::{name}({});", args.join(", "))))
}

/// Compiles `body` together with the shim, runs it, and returns its output; `None` if there is no `g++`.
pub(crate) fn run(name: &str, body: &str) -> Option<String> {
    // Cargo sets it for integration tests; the crate's unit tests include this file, but run no host compiler.
    let directory = Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("."));
    let source: PathBuf = directory.join(format!("{name}.cpp"));
    let program: PathBuf = directory.join(name);
    let mut text = String::from(SHIM);
    let _ = write!(text, "{body}");
    std::fs::write(&source, text).expect("the target directory can be written to");
    // Undefined behaviour aborts the program; wrapping of unsigned arithmetic is not undefined.
    let flags = ["-std=c++17", "-O1", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all"];
    let warnings = [
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused",
        "-Wno-bool-compare",
        "-Wno-type-limits",
        "-Wno-parentheses",
        "-Wno-unknown-pragmas",
        "-Wno-tautological-compare",
    ];
    let output = match Command::new("g++").args(flags).args(warnings).arg("-o").arg(&program).arg(&source).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped: cannot run g++: {error}");
            return None;
        }
    };
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "g++ rejects {}:\n{log}", source.display());
    let output = Command::new(&program).output().expect("the program was just built");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} stopped:\n{log}", program.display());
    Some(String::from_utf8(output.stdout).expect("numbers"))
}
