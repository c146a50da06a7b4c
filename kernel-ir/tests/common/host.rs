//! Runs emitted text on the host: `g++` behind a shim that defines the little of CUDA that the text uses.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the text uses of CUDA, for a host compiler (the list is in `src/cuda/prelude.rs`).
const SHIM: &str = r#"
#include <cmath>
#include <cstdio>
#include <cstring>
#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__
struct Dim { unsigned x, y, z; };
static Dim threadIdx, blockIdx, blockDim = {1, 1, 1}, gridDim = {1, 1, 1};
static inline void __syncthreads() {}
static inline void __threadfence_system() {}
template <class T> static T atomicAdd(T* p, T v) { T old = *p; *p += v; return old; }
static inline unsigned atomicCAS(unsigned* p, unsigned e, unsigned n) { unsigned old = *p; if (old == e) *p = n; return old; }
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
static inline double __longlong_as_double(long long x) { return bits_as<double>(x); }
static inline long long __double_as_longlong(double x) { return bits_as<long long>(x); }
template <class T> static T from_bits(unsigned long long x) { T y; memcpy(&y, &x, sizeof y); return y; }
template <class T> static unsigned long long to_bits(T x) { unsigned long long y = 0; memcpy(&y, &x, sizeof x); return y; }
static char dynamic_bytes[4096];
"#;

/// The text with the lines that only a GPU understands replaced: a fault throws its site.
pub(crate) fn for_host(text: &str) -> String {
    text.replace("asm volatile(\"exit;\");\n    __builtin_unreachable();", "throw site;")
        .replace("asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"(bytes));", "bytes = 4096;")
        .replace(
            "extern __shared__ __align__(16) u8 dynamic_shared[];",
            "static u8* const dynamic_shared = (u8*)dynamic_bytes;",
        )
}

/// Compiles `body` behind the shim, runs it, and gives what it printed. `None` where there is no `g++`.
pub(crate) fn run(name: &str, body: &str) -> Option<String> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source: PathBuf = directory.join(format!("{name}.cpp"));
    let program: PathBuf = directory.join(name);
    let mut text = String::from(SHIM);
    let _ = write!(text, "{body}");
    std::fs::write(&source, text).expect("the target directory can be written to");
    // Undefined behaviour stops the program; wrapping unsigned arithmetic is not undefined.
    let flags = ["-std=c++17", "-O1", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover=all"];
    let warnings =
        ["-Wall", "-Wextra", "-Werror", "-Wno-unused", "-Wno-bool-compare", "-Wno-type-limits", "-Wno-parentheses"];
    let output = match Command::new("g++").args(flags).args(warnings).arg("-o").arg(&program).arg(&source).output() {
        Ok(output) => output,
        Err(error) => {
            eprintln!("skipped, since g++ does not run: {error}");
            return None;
        }
    };
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "g++ refuses {}:\n{log}", source.display());
    let output = Command::new(&program).output().expect("the program was just built");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} stopped:\n{log}", program.display());
    Some(String::from_utf8(output.stdout).expect("numbers"))
}
