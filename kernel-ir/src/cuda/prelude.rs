//! What stands before the user's functions: short names for types, and the helpers that the program calls.
//!
//! The text of a program uses nothing of CUDA's but:
//!
//! - the words `__global__`, `__device__`, `__shared__`, `__forceinline__`, `__noinline__`, `__restrict__`,
//!   `__align__(n)` and `__attribute__((noreturn))`;
//! - `threadIdx`, `blockIdx`, `blockDim`, `gridDim`;
//! - `__syncthreads`, `__threadfence_system`, `atomicAdd`, `atomicCAS`;
//! - `__clz`, `__clzll`, `__popc`, `__popcll`, `__brev`, `__brevll`, `__byte_perm`, `__umul64hi`, `__mul64hi`;
//! - `__int_as_float`, `__float_as_int`, `__float_as_uint`, `__longlong_as_double`, `__double_as_longlong`;
//! - C's functions on `float` and `double`, as in `sqrtf` and `sqrt`;
//! - two lines of PTX, `exit;` and `mov.u32 %0, %dynamic_smem_size;`, the `extern` array of dynamic shared memory, and
//!   `__builtin_unreachable`.
//!
//! A host compiler that is given these can compile the text: the tests do.

use std::collections::BTreeSet;

use crate::ir::Scalar;
use crate::lower::{Helper, Op};

use super::{float, integer, literal};

/// The types. LP64 and LLP64 differ in `long`, so it is not used; CUDA's 64-bit atomics take `unsigned long long`.
const TYPES: &str = "\
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
";

/// The record of a fault, and what fills it. The runtime mirrors the layouts (see [`crate::FAULT_RECORD_BYTES`]).
///
/// The first thread that faults owns the record. `noreturn` keeps the checks out of the way of the optimiser: without
/// it, a tiled matrix product was 2.2 times slower on an H200. `exit` ends the thread and leaves the context usable,
/// which `__trap()` does not.
const FAULT: &str = "
struct Fault {
    u32 flag;
    u32 kernel;
    u32 site;
    u32 block[3];
    u32 thread[3];
    u32 pad;
    u64 index;
    u64 len;
};

struct Launch {
    Fault* fault;
    u32 kernel;
};

static __device__ __noinline__ __attribute__((noreturn)) void fault(Launch launch, u32 site, u64 index, u64 len) {
    Fault* const record = launch.fault;
    if (atomicCAS(&record->flag, 0u, 1u) == 0u) {
        record->kernel = launch.kernel;
        record->site = site;
        record->block[0] = blockIdx.x;
        record->block[1] = blockIdx.y;
        record->block[2] = blockIdx.z;
        record->thread[0] = threadIdx.x;
        record->thread[1] = threadIdx.y;
        record->thread[2] = threadIdx.z;
        record->index = index;
        record->len = len;
        __threadfence_system();
    }
    asm volatile(\"exit;\");
    __builtin_unreachable();
}
";

/// The storage behind `dynamic_shared`. 16 bytes is what the widest loads need.
const DYNAMIC_SHARED: &str = "
extern __shared__ __align__(16) u8 dynamic_shared[];
";

/// Writes the types and what the helpers need.
pub(super) fn write(text: &mut String, called: &BTreeSet<Helper>, can_fault: bool) {
    text.push_str(TYPES);
    let helpers = with_callees(called);
    if helpers.is_empty() && !can_fault {
        return;
    }
    text.push_str("\nnamespace rt {\n");
    if can_fault {
        text.push_str(FAULT);
    }
    if helpers.iter().any(|helper| helper.op == Op::DynamicSharedBytes) {
        text.push_str(DYNAMIC_SHARED);
    }
    for helper in &helpers {
        text.push('\n');
        text.push_str(&helper.text());
    }
    text.push_str("\n}  // namespace rt\n");
}

/// Adds what helpers call themselves.
fn with_callees(called: &BTreeSet<Helper>) -> BTreeSet<Helper> {
    let mut helpers = called.clone();
    for helper in called {
        match helper.op {
            Op::CheckedPow => helpers.insert(Helper { op: Op::Mul, ..*helper }),
            Op::DynamicSharedAt => helpers.insert(Helper { op: Op::DynamicSharedBytes, ..*helper }),
            _ => false,
        };
    }
    helpers
}

impl Helper {
    /// What it is called in `namespace rt`: as the method of Rust's that it is, with its type at the end, so that no
    /// overload is ever chosen by what C promotes an argument to.
    pub(super) fn name(self) -> String {
        let Helper { op, scalar } = self;
        let stem = match op {
            Op::At => return "at".to_owned(),
            Op::Within => return "within".to_owned(),
            Op::DynamicSharedBytes => return "dynamic_shared_bytes".to_owned(),
            Op::DynamicSharedAt => return "dynamic_shared_at".to_owned(),
            Op::ShiftAmount => return "shift_amount".to_owned(),
            Op::FloatTo(to) => return format!("{scalar}_to_{to}"),
            Op::Opaque => "opaque",
            Op::Step => "step",
            Op::StepTo => "step_to",
            Op::WrappingAdd => "wrapping_add",
            Op::WrappingSub => "wrapping_sub",
            Op::WrappingMul => "wrapping_mul",
            Op::WrappingNeg => "wrapping_neg",
            Op::Add => "add",
            Op::Sub => "sub",
            Op::Mul => "mul",
            Op::Neg => "neg",
            Op::Div => "div",
            Op::Rem => "rem",
            Op::SaturatingAdd => "saturating_add",
            Op::SaturatingSub => "saturating_sub",
            Op::Min => "min",
            Op::Max => "max",
            Op::Clamp => "clamp",
            Op::ClampTo => "clamp_to",
            Op::Signum => "signum",
            Op::Abs => "abs",
            Op::CheckedAbs => "checked_abs",
            Op::AbsDiff => "abs_diff",
            Op::UnsignedAbs => "unsigned_abs",
            Op::Pow => "pow",
            Op::CheckedPow => "checked_pow",
            Op::DivEuclid => "div_euclid",
            Op::RemEuclid => "rem_euclid",
            Op::DivCeil => "div_ceil",
            Op::RotateLeft => "rotate_left",
            Op::RotateRight => "rotate_right",
            Op::SwapBytes => "swap_bytes",
            Op::ReverseBits => "reverse_bits",
            Op::LeadingZeros => "leading_zeros",
            Op::TrailingZeros => "trailing_zeros",
            Op::CountOnes => "count_ones",
            Op::IsNan => "is_nan",
            Op::IsInfinite => "is_infinite",
            Op::IsFinite => "is_finite",
            Op::IsSignNegative => "is_sign_negative",
            Op::Powi => "powi",
            Op::Fract => "fract",
        };
        format!("{stem}_{scalar}")
    }

    /// Its definition.
    fn text(self) -> String {
        let Helper { op, scalar } = self;
        let template = match op {
            Op::At => AT,
            Op::Within => WITHIN,
            Op::DynamicSharedBytes => DYNAMIC_SHARED_BYTES,
            Op::DynamicSharedAt => DYNAMIC_SHARED_AT,
            Op::FloatTo(to) => return fill(&float::to_integer(scalar, to), self),
            Op::Opaque => return fill(&integer::opaque(scalar), self),
            _ if scalar.is_float() => float::template(op, scalar),
            _ => integer::template(op, scalar),
        };
        fill(template, self)
    }
}

const AT: &str = "\
usize $name(usize index, usize len, $fault) {
    if (index >= len) fault(launch, site, index, len);
    return index;
}
";

/// The last index is `base + stride * start + reach`. What wraps in the sum of the first two wraps in the index as well.
const WITHIN: &str = "\
bool $name(usize base, usize stride, usize start, usize end, usize len) {
    if (start >= end) return true;
    const usize last = end - 1 - start;
    const usize reach = stride * last;
    return __umul64hi(stride, last) == 0 && reach < len && base + stride * start < len - reach;
}
";

/// PTX ISA, "Special Registers: `%dynamic_smem_size`", since PTX 4.1.
const DYNAMIC_SHARED_BYTES: &str = "\
usize $name() {
    u32 bytes;
    asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"(bytes));
    return bytes;
}
";

/// Neither the product nor the sum is computed where it could wrap.
const DYNAMIC_SHARED_AT: &str = "\
usize $name(usize offset, usize len, usize size, $fault) {
    const usize bytes = dynamic_shared_bytes();
    if (offset > bytes || len > (bytes - offset) / size) fault(launch, site, offset, bytes);
    if (offset % size != 0) fault(launch, site + 1, offset, size);
    return offset;
}
";

/// Fills a template in: `$name`, the type `$T`, its unsigned sibling `$U`, the type that C computes it in without
/// overflow of a sign `$W`, `$bits`, `$min`, `$max`, and the parameters of what can fault, `$fault`.
fn fill(template: &str, helper: Helper) -> String {
    let scalar = helper.scalar;
    let unsigned = scalar.to_unsigned();
    let wide = if scalar.bits() < 32 { Scalar::U32 } else { unsigned };
    let (min, max) = limits(scalar);
    let text = template
        .replace("$name", &helper.name())
        .replace("$fault", "u32 site, Launch launch")
        .replace("$bits", &scalar.bits().to_string())
        .replace("$min", &min)
        .replace("$max", &max)
        .replace("$T", literal::type_name(scalar))
        .replace("$U", literal::type_name(unsigned))
        .replace("$W", literal::type_name(wide));
    format!("static __device__ __forceinline__ {text}")
}

/// The least and the greatest number of an integer type, as literals.
pub(super) fn limits(scalar: Scalar) -> (String, String) {
    let ones = u64::MAX >> (64 - scalar.bits());
    if scalar.is_signed() {
        let top = 1 << (scalar.bits() - 1);
        (literal::number(scalar, top), literal::number(scalar, ones ^ top))
    } else {
        (literal::number(scalar, 0), literal::number(scalar, ones))
    }
}
