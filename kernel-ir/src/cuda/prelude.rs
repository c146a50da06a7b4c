//! The prelude of the emitted text: typedefs, and the helpers that the program calls.
//!
//! The emitted text uses the following features of CUDA, and no others:
//!
//! - the words `__global__`, `__device__`, `__shared__`, `__constant__`, `__forceinline__`, `__noinline__`,
//!   `__restrict__`, `__align__(n)` and `__attribute__((noreturn))`;
//! - `threadIdx`, `blockIdx`, `blockDim`, `gridDim`;
//! - `__syncthreads`, `__syncthreads_count`, `__syncthreads_and`, `__syncthreads_or`, `__syncwarp`,
//!   `__threadfence_block`, `__threadfence`, `__threadfence_system`;
//! - the atomic functions: `atomicAdd`, `Sub`, `Min`, `Max`, `And`, `Or`, `Xor`, `Exch`, `CAS`, `Inc`, `Dec`, each also
//!   with the suffixes `_block` and `_system`;
//! - `__shfl_sync`, `__shfl_up_sync`, `__shfl_down_sync`, `__shfl_xor_sync`, `__all_sync`, `__any_sync`, `__uni_sync`,
//!   `__ballot_sync`, `__match_any_sync`, `__match_all_sync`, `__reduce_add_sync`, `min`, `max`, `and`, `or`, `xor`;
//! - `__clz`, `__clzll`, `__popc`, `__popcll`, `__brev`, `__brevll`, `__byte_perm`, `__umul64hi`, `__mul64hi`;
//! - `__int_as_float`, `__uint_as_float`, `__float_as_int`, `__float_as_uint`, `__longlong_as_double`,
//!   `__double_as_longlong`, and
//!   `__double2float_rz`, `__int2float_rz`, `__uint2float_rz`, `__ll2float_rz`, `__ull2float_rz`;
//! - C's mathematical functions for `float` and `double`, such as `sqrtf` and `sqrt`, and CUDA's additional ones
//!   (`rsqrtf`, `sinpif`, `cospif`, `normcdff`, `sincosf`); its approximations (`__sinf` and the others); `memcpy`;
//! - `asm` with a single instruction, identified by its first word; an empty `asm`; `exit;`; the `extern` array of
//!   dynamic shared memory, and `__builtin_unreachable`;
//! - `__CUDA_ARCH__`: a host compiler uses the code for older hardware.
//!
//! A host compiler that provides these can compile the text, which the tests do.

use std::collections::BTreeSet;

use crate::ir::{Intrinsic, Scalar, Scope};
use crate::lower::{Helper, Module, Op};

use super::{atomic, float, half, integer, literal, support, warp};

/// The typedefs. LP64 and LLP64 differ in `long`, so it is not used; CUDA's 64-bit atomics take `unsigned long long`.
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
";

/// The fault record, and the parameter that every kernel that can fault or print receives from the launch. The runtime
/// mirrors the layouts (see [`crate::FAULT_RECORD_BYTES`] and [`crate::LAUNCH_BYTES`]).
const LAUNCH: &str = "
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
";

/// Claims and fills the fault record. `$failed` is the additional code of a program with a grid-wide barrier.
///
/// The first thread that faults owns the record. `noreturn` keeps the checks from inhibiting optimisations: without it,
/// a tiled matrix product was 2.2 times slower on an H200. `exit` terminates the thread and leaves the context usable,
/// unlike `__trap()`.
const FAULT: &str = "
static __device__ __forceinline__ Fault* claim(Launch launch, u32 site) {
    Fault* const record = launch.fault;
    if (atomicCAS(&record->flag, 0u, 1u) != 0u) return nullptr;
    record->kernel = launch.kernel;
    record->site = site;
    record->block[0] = blockIdx.x;
    record->block[1] = blockIdx.y;
    record->block[2] = blockIdx.z;
    record->thread[0] = threadIdx.x;
    record->thread[1] = threadIdx.y;
    record->thread[2] = threadIdx.z;
    return record;
}

static __device__ __noinline__ __attribute__((noreturn)) void fault(Launch launch, u32 site, u64 index, u64 len) {
    if (Fault* const record = claim(launch, site)) {
        record->index = index;
        record->len = len;
        __threadfence_system();
    }
$failed    asm volatile(\"exit;\");
    __builtin_unreachable();
}
";

/// The storage of `dynamic_shared`, with the 16-byte alignment that the widest loads require.
const DYNAMIC_SHARED: &str = "
extern __shared__ __align__(16) u8 dynamic_shared[];
";

/// Writes the typedefs, and the part of the runtime support that the program uses.
pub(super) fn write(text: &mut String, module: &Module) {
    text.push_str(TYPES);
    text.push_str(match module.index {
        Scalar::U32 => "typedef unsigned int usize;\n",
        _ => "typedef unsigned long long usize;\n",
    });
    let helpers = with_callees(&module.helpers);
    let halves = half::used(module, &helpers);
    let takes_launch = !module.sites.is_empty();
    if helpers.is_empty() && halves.is_empty() && !takes_launch && module.templates.is_empty() {
        return;
    }
    let calls = |op: Op| helpers.iter().any(|helper| helper.op == op);
    text.push_str("\nnamespace rt {\n");
    for half in halves {
        text.push_str(&half::core(half));
    }
    support::arrays(text, &module.templates);
    if takes_launch {
        text.push_str(LAUNCH);
        let failed = if calls(Op::SyncGrid) {
            text.push_str(warp::GRID_FAILED);
            warp::MARK_GRID
        } else {
            ""
        };
        text.push_str(&FAULT.replace("$failed", failed));
        support::messages(text, &module.templates, failed);
    }
    support::deferral(text, &module.templates);
    if calls(Op::DynamicSharedBytes) {
        text.push_str(DYNAMIC_SHARED);
    }
    for helper in &helpers {
        let definition = helper.text();
        if !definition.is_empty() {
            text.push('\n');
            text.push_str(&definition);
        }
    }
    text.push_str("\n}  // namespace rt\n");
}

/// Returns the helpers and, transitively, the helpers that they call.
fn with_callees(called: &BTreeSet<Helper>) -> BTreeSet<Helper> {
    let mut all = called.clone();
    let mut open: Vec<Helper> = called.iter().copied().collect();
    while let Some(helper) = open.pop() {
        for callee in helper.callees() {
            if all.insert(callee) {
                open.push(callee);
            }
        }
    }
    all
}

impl Helper {
    /// Returns the helpers that its definition calls, which precede it in the order of helpers.
    fn callees(self) -> Vec<Helper> {
        let Helper { op, scalar } = self;
        let same = |op| vec![Helper { op, scalar }];
        match op {
            Op::CheckedPow => same(Op::Mul),
            Op::SaturatingPow | Op::OverflowingPow => same(Op::OverflowingMul),
            Op::DynamicSharedAt => same(Op::DynamicSharedBytes),
            // On hardware without the instruction.
            Op::MulAdd if scalar == Scalar::Bf16 => {
                vec![Helper { op: Op::FloatTo(Scalar::Bf16), scalar: Scalar::F64 }]
            }
            Op::Atomic(atomic) => {
                let relaxed = atomic::callee(atomic, scalar).map(|callee| Helper { op: Op::Atomic(callee), scalar });
                let narrow = scalar.bits() == 16 && atomic.scope == Scope::System;
                let compares = narrow.then_some(Helper { op: Op::CompareExchangeSystem, scalar: Scalar::U16 });
                relaxed.into_iter().chain(compares).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the name in `namespace rt`: that of the corresponding Rust method, with the type as a suffix, so that no
    /// overload resolution depends on C's promotion of arguments.
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(super) fn name(self) -> String {
        let Helper { op, scalar } = self;
        let stem = match op {
            Op::At => return "at".to_owned(),
            Op::Within => return "within".to_owned(),
            Op::DynamicSharedBytes => return "dynamic_shared_bytes".to_owned(),
            Op::DynamicSharedAt => return "dynamic_shared_at".to_owned(),
            Op::ShiftAmount => return "shift_amount".to_owned(),
            Op::SplitAt => return "split_at".to_owned(),
            Op::PartLen => return "part_len".to_owned(),
            Op::RestLen => return "rest_len".to_owned(),
            Op::PartToLen => return "part_to_len".to_owned(),
            Op::Fast(fast) => return fast.name().replace("::", "_"),
            Op::LaneOffset => return "lane_offset".to_owned(),
            Op::LaneId => return "lane_id".to_owned(),
            Op::LaneMask(comparison) => return Intrinsic::LaneMask(comparison).name().to_owned(),
            Op::ActiveMask => return "active_mask".to_owned(),
            Op::CompareExchangeSystem => return "cas_system".to_owned(),
            Op::Shuffle(shuffle) => return Intrinsic::Shuffle(shuffle).name().to_owned(),
            Op::SyncGrid => return "sync_grid".to_owned(),
            Op::Progress => return "progress".to_owned(),
            Op::KeepLoop => return "keep_loop".to_owned(),
            Op::Reduce(reduce) => return format!("{}_{scalar}", Intrinsic::Reduce(reduce).name()),
            Op::Atomic(atomic) => return format!("{}_{scalar}", atomic::stem(atomic)),
            Op::FloatTo(to) => return format!("{scalar}_to_{to}"),
            Op::Opaque => "opaque",
            Op::Step => "step",
            Op::StepTo => "step_to",
            Op::StepDown => "step_down",
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
            Op::WrappingDiv => "wrapping_div",
            Op::WrappingRem => "wrapping_rem",
            Op::WrappingDivEuclid => "wrapping_div_euclid",
            Op::WrappingRemEuclid => "wrapping_rem_euclid",
            Op::NextMultipleOf => "next_multiple_of",
            Op::CheckedNextMultipleOf => "checked_next_multiple_of",
            Op::IsMultipleOf => "is_multiple_of",
            Op::NextPowerOfTwo => "next_power_of_two",
            Op::CheckedNextPowerOfTwo => "checked_next_power_of_two",
            Op::Isqrt => "isqrt",
            Op::Ilog => "ilog",
            Op::Ilog2 => "ilog2",
            Op::Ilog10 => "ilog10",
            Op::Midpoint => "midpoint",
            Op::OverflowingAdd => "overflowing_add",
            Op::OverflowingSub => "overflowing_sub",
            Op::OverflowingMul => "overflowing_mul",
            Op::OverflowingPow => "overflowing_pow",
            Op::SaturatingMul => "saturating_mul",
            Op::SaturatingDiv => "saturating_div",
            Op::SaturatingNeg => "saturating_neg",
            Op::SaturatingAbs => "saturating_abs",
            Op::SaturatingPow => "saturating_pow",
            Op::SaturatingAddMixed if scalar.is_signed() => "saturating_add_unsigned",
            Op::SaturatingAddMixed => "saturating_add_signed",
            Op::SaturatingSubMixed => "saturating_sub_unsigned",
            Op::UnboundedShl => "unbounded_shl",
            Op::UnboundedShr => "unbounded_shr",
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
            Op::IsNormal => "is_normal",
            Op::IsSubnormal => "is_subnormal",
            Op::IsSignNegative => "is_sign_negative",
            Op::Copysign => "copysign",
            Op::NextUp => "next_up",
            Op::NextDown => "next_down",
            Op::ToBits => "to_bits",
            Op::FromBits => return format!("{scalar}_from_bits"),
            Op::MulAdd => "mul_add",
            Op::Powi => "powi",
            Op::Fract => "fract",
        };
        format!("{stem}_{scalar}")
    }

    /// Returns the definition.
    fn text(self) -> String {
        let Helper { op, scalar } = self;
        let template = match op {
            Op::At => AT,
            Op::SplitAt => SPLIT_AT,
            Op::PartLen => PART_LEN,
            Op::RestLen => REST_LEN,
            Op::PartToLen => PART_TO_LEN,
            Op::Within if scalar.bits() == 32 => &WITHIN.replace("__umul64hi", "__umulhi"),
            Op::Within => WITHIN,
            Op::DynamicSharedBytes => DYNAMIC_SHARED_BYTES,
            Op::DynamicSharedAt => DYNAMIC_SHARED_AT,
            Op::FloatTo(to) if half::is_core(scalar, to) => return String::new(),
            Op::FloatTo(to) if to.is_half() => half::conversion(scalar, to),
            Op::FloatTo(to) => return fill(&float::to_integer(scalar, to), self),
            Op::Opaque => return fill(&integer::opaque(scalar), self),
            Op::Progress => PROGRESS,
            Op::KeepLoop => KEEP_LOOP,
            Op::LaneOffset => warp::LANE_OFFSET,
            Op::LaneId => warp::LANE_ID,
            Op::SyncGrid => warp::SYNC_GRID,
            Op::LaneMask(comparison) => return fill(&warp::lane_mask(comparison), self),
            Op::ActiveMask => warp::ACTIVE_MASK,
            Op::CompareExchangeSystem => atomic::COMPARE_EXCHANGE_SYSTEM,
            Op::Reduce(reduce) => return fill(&warp::reduce(reduce, scalar), self),
            // A template begins with its parameters.
            Op::Shuffle(shuffle) => return warp::shuffle(shuffle).replace("$name", &self.name()),
            Op::Atomic(atomic) => return fill(&atomic::template(atomic, scalar), self),
            _ if scalar.is_half() => return fill(&half::template(op, scalar), self),
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

const SPLIT_AT: &str = "\
usize $name(usize at, usize len, $fault) {
    if (at > len) fault(launch, site, at, len);
    return at;
}
";

/// In the order of Rust's checks (`slice_index_fail` in core/src/slice/index.rs).
const PART_LEN: &str = "\
usize $name(usize start, usize end, usize len, $fault) {
    if (start > len) fault(launch, site, start, len);
    if (end > len) fault(launch, site + 1, end, len);
    if (start > end) fault(launch, site + 2, start, end);
    return end - start;
}
";

/// As in Rust: if the last element is out of bounds, the message reports its index, not the exclusive end.
const PART_TO_LEN: &str = "\
usize $name(usize start, usize last, usize len, $fault) {
    if (start > len) fault(launch, site, start, len);
    if (last >= len) fault(launch, site + 1, last, len);
    if (start > last + 1) fault(launch, site + 2, start, last + 1);
    return last + 1 - start;
}
";

const REST_LEN: &str = "\
usize $name(usize start, usize len, $fault) {
    if (start > len) fault(launch, site, start, len);
    return len - start;
}
";

/// The last index is `base + stride * start + reach`. If the sum of the first two terms wraps, the index itself wraps
/// in the same way.
const WITHIN: &str = "\
bool $name(usize base, usize stride, usize start, usize end, usize len) {
    if (start >= end) return true;
    const usize last = end - 1 - start;
    const usize reach = stride * last;
    return __umul64hi(stride, last) == 0 && reach < len && base + stride * start < len - reach;
}
";

/// See `lower/endless.rs`.
const PROGRESS: &str = "\
void $name() {
    asm volatile(\"\");
}
";

/// PTX ISA, "Miscellaneous Instructions: `pmevent`".
const KEEP_LOOP: &str = "\
void $name() {
    asm volatile(\"pmevent 7;\");
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

/// Neither the product nor the sum is computed if it could wrap.
const DYNAMIC_SHARED_AT: &str = "\
usize $name(usize offset, usize len, usize size, usize align, $fault) {
    const usize bytes = dynamic_shared_bytes();
    if (offset > bytes || len > (bytes - offset) / size) fault(launch, site, offset, bytes);
    if (offset % align != 0) fault(launch, site + 1, offset, align);
    return offset;
}
";

/// Instantiates a template: `$name`, the type `$T`, its unsigned counterpart `$U`, the type `$W` in which C computes it
/// without signed overflow, its signed counterpart `$S`, `$bits`, `$min`, `$max`, and `$fault`, the parameters of
/// helpers that can fault.
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
        .replace("$S", literal::type_name(scalar.to_signed()))
        .replace("$W", literal::type_name(wide));
    format!("static __device__ __forceinline__ {text}")
}

/// Returns the minimum and the maximum of an integer type, as literals.
pub(super) fn limits(scalar: Scalar) -> (String, String) {
    let ones = u64::MAX >> (64 - scalar.bits());
    if scalar.is_signed() {
        let top = 1 << (scalar.bits() - 1);
        (literal::number(scalar, top), literal::number(scalar, ones ^ top))
    } else {
        (literal::number(scalar, 0), literal::number(scalar, ones))
    }
}
