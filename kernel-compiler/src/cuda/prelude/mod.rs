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
//! - `uint2` and `uint4`;
//! - `__CUDA_ARCH__`: a host compiler uses the code for older hardware, and no vector types.
//!
//! A host compiler that provides these can compile the text, which the tests do.

pub(in crate::cuda) mod arithmetic;
pub(in crate::cuda) mod atomic;
pub(in crate::cuda) mod fault;
pub(in crate::cuda) mod float;
pub(in crate::cuda) mod half;
pub(in crate::cuda) mod integer;
pub(in crate::cuda) mod overflow;
pub(in crate::cuda) mod support;
pub(in crate::cuda) mod warp;

use std::borrow::Cow;

use crate::ir::{Intrinsic, Scalar, Scope};
use crate::lower::{CastOp, FastOp, HalfOp, Helper, IndexOp, IntegerOp, Module, Op, OpGroup, ThreadOp};
use crate::set::Set;

use crate::cuda::literal;

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
/// mirrors the layouts (see [`crate::FAULT_RECORD_BYTES`] and [`crate::LAUNCH_BYTES`]). `$blocks` is a member that only
/// coarsened kernels read, in the place of padding.
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
    u32 kernel;$blocks
};
";

/// The storage of `dynamic_shared`, with the 16-byte alignment that the widest loads require.
const DYNAMIC_SHARED: &str = "
extern __shared__ __align__(16) u8 dynamic_shared[];
";

/// Writes the typedefs, and the part of the runtime support that the program uses. `own_faults`: see [`fault::own`].
pub(in crate::cuda) fn write(text: &mut String, module: &Module, own_faults: bool) {
    text.push_str(TYPES);
    text.push_str(match module.index {
        Scalar::U32 => "typedef unsigned int usize;\n",
        _ => "typedef unsigned long long usize;\n",
    });
    let helpers = with_callees(&module.helpers);
    let halves = half::used(module, &helpers);
    let takes_launch = module.takes_launch;
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
        text.push_str(&LAUNCH.replace("$blocks", if module.reads_blocks { "\n    u32 blocks;" } else { "" }));
    }
    if !module.sites.is_empty() {
        let failed = if calls(Op::SyncGrid) {
            text.push_str(warp::GRID_FAILED);
            warp::MARK_GRID
        } else {
            ""
        };
        fault::write(text, own_faults, failed);
        support::messages(text, &module.templates, failed);
    }
    support::deferral(text, &module.templates);
    if calls(Op::DynamicSharedBytes) {
        text.push_str(DYNAMIC_SHARED);
    }
    for helper in &helpers {
        let definition = if own_faults && helper.op == Op::At { fault::AT.to_owned() } else { helper.text() };
        if !definition.is_empty() {
            text.push('\n');
            text.push_str(&definition);
        }
    }
    text.push_str("\n}  // namespace rt\n");
}

/// Returns the helpers and, transitively, the helpers that they call.
fn with_callees(called: &Set<Helper>) -> Set<Helper> {
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
        match op {
            Op::StorePacked => vec![Helper { op: Op::LoadPacked, scalar }],
            Op::DynamicSharedAt => vec![Helper { op: Op::DynamicSharedBytes, scalar }],
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

    /// Returns the name in `namespace rt`. It ends with the type, so that no overload resolution depends on C's promotion
    /// of arguments, unless the operation has only one.
    pub(in crate::cuda) fn name(self) -> String {
        let Helper { op, scalar } = self;
        let stem = op.stem();
        match op.group() {
            OpGroup::IndexOp(_) => stem.to_owned(),
            OpGroup::CastOp(CastOp::FloatTo(to)) => format!("{scalar}_to_{to}"),
            OpGroup::FastOp(FastOp::Fast(fast)) => fast.name().replace("::", "_"),
            OpGroup::HalfOp(HalfOp::FromBits) => format!("{scalar}_{stem}"),
            OpGroup::ThreadOp(op) => match op {
                ThreadOp::LaneMask(comparison) => Intrinsic::LaneMask(comparison).name().to_owned(),
                ThreadOp::Shuffle(shuffle) => Intrinsic::Shuffle(shuffle).name().to_owned(),
                ThreadOp::Reduce(reduce) => format!("{}_{scalar}", Intrinsic::Reduce(reduce).name()),
                ThreadOp::Atomic(atomic) => format!("{}_{scalar}", atomic::stem(atomic)),
                ThreadOp::LaneOffset
                | ThreadOp::ActiveMask
                | ThreadOp::LaneId
                | ThreadOp::HasFaulted
                | ThreadOp::SyncGrid
                | ThreadOp::Progress
                | ThreadOp::KeepLoop
                | ThreadOp::CompareExchangeSystem => stem.to_owned(),
            },
            OpGroup::IntegerOp(IntegerOp::SaturatingAddMixed) if scalar.is_signed() => {
                format!("saturating_add_unsigned_{scalar}")
            }
            OpGroup::IntegerOp(_)
            | OpGroup::ExactOp(_)
            | OpGroup::NumberOp(_)
            | OpGroup::ClassOp(_)
            | OpGroup::HalfOp(_) => format!("{stem}_{scalar}"),
        }
    }

    /// Returns the definition.
    fn text(self) -> String {
        let Helper { op, scalar } = self;
        let is_half = scalar.is_half();
        let template = match op.group() {
            // A template begins with its parameters.
            OpGroup::IndexOp(op @ (IndexOp::LoadPacked | IndexOp::StorePacked | IndexOp::Opaque)) => {
                return index(op).replace("$name", &self.name());
            }
            OpGroup::IndexOp(op) => index(op),
            OpGroup::IntegerOp(op) => integer::template(op, scalar),
            OpGroup::CastOp(CastOp::FloatTo(to)) if half::is_core(scalar, to) => return String::new(),
            OpGroup::CastOp(CastOp::FloatTo(to)) if to.is_half() => half::conversion(scalar, to).into(),
            OpGroup::CastOp(CastOp::FloatTo(to)) => float::to_integer(scalar, to).into(),
            OpGroup::ExactOp(op) if is_half => half::exact(op).into(),
            OpGroup::ExactOp(op) => integer::exact(op, scalar).into(),
            OpGroup::NumberOp(op) if is_half => half::number(op, scalar).into(),
            OpGroup::NumberOp(op) if scalar.is_float() => float::number(op, scalar).into(),
            OpGroup::NumberOp(op) => integer::number(op, scalar).into(),
            OpGroup::ClassOp(op) if is_half => half::class(op, scalar).into(),
            OpGroup::ClassOp(op) => float::class(op, scalar).into(),
            OpGroup::HalfOp(op) => half::template(op, scalar).into(),
            OpGroup::FastOp(FastOp::Fast(fast)) => float::approximation(fast).into(),
            // A template begins with its parameters.
            OpGroup::ThreadOp(ThreadOp::Shuffle(shuffle)) => {
                return warp::shuffle(shuffle).replace("$name", &self.name());
            }
            OpGroup::ThreadOp(op) => thread(op, scalar),
        };
        fill(&template, self)
    }
}

fn index(op: IndexOp) -> Cow<'static, str> {
    match op {
        IndexOp::At => AT,
        IndexOp::Within => WITHIN,
        IndexOp::DynamicSharedBytes => DYNAMIC_SHARED_BYTES,
        IndexOp::DynamicSharedAt => DYNAMIC_SHARED_AT,
        IndexOp::PartLen => PART_LEN,
        IndexOp::RestLen => REST_LEN,
        IndexOp::PartToLen => PART_TO_LEN,
        IndexOp::ShiftAmount => SHIFT_AMOUNT,
        IndexOp::SplitAt => SPLIT_AT,
        IndexOp::Opaque => OPAQUE,
        IndexOp::IsAligned => IS_ALIGNED,
        IndexOp::LoadPacked => LOAD_PACKED,
        IndexOp::StorePacked => STORE_PACKED,
    }
    .into()
}

fn thread(op: ThreadOp, scalar: Scalar) -> Cow<'static, str> {
    match op {
        ThreadOp::LaneOffset => warp::LANE_OFFSET.into(),
        ThreadOp::Shuffle(shuffle) => warp::shuffle(shuffle).into(),
        ThreadOp::Reduce(reduce) => warp::reduce(reduce, scalar).into(),
        ThreadOp::ActiveMask => warp::ACTIVE_MASK.into(),
        ThreadOp::LaneId => warp::LANE_ID.into(),
        ThreadOp::HasFaulted => fault::HAS_FAULTED.into(),
        ThreadOp::LaneMask(comparison) => warp::lane_mask(comparison).into(),
        ThreadOp::SyncGrid => warp::SYNC_GRID.into(),
        ThreadOp::Progress => PROGRESS.into(),
        ThreadOp::KeepLoop => KEEP_LOOP.into(),
        ThreadOp::CompareExchangeSystem => atomic::COMPARE_EXCHANGE_SYSTEM.into(),
        ThreadOp::Atomic(atomic) => atomic::template(atomic, scalar).into(),
    }
}

const SHIFT_AMOUNT: &str = "\
u32 $name(u64 amount, u32 width, $fault) {
    if (amount >= width) fault(launch, site, 0, 0);
    return (u32)amount;
}
";

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

/// See `lower::opaque`.
const OPAQUE: &str = "\
template <class T>
static __device__ __forceinline__ T $name(T x) {
    static_assert(sizeof(T) == 1 || (T)0.5f == (T)0, \"an integer\");
    if (sizeof(T) == 8) {
        u64 seen = (u64)x;
        asm(\"\" : \"+l\"(seen));
        return (T)seen;
    }
    u32 seen = (u32)x;
    asm(\"\" : \"+r\"(seen));
    return (T)seen;
}
";

const IS_ALIGNED: &str = "\
bool $name(const void* address, u32 bytes) {
    return ((u64)address & (bytes - 1)) == 0;
}
";

/// An access of a built-in vector type is one instruction (CUDA C++ Programming Guide, "Size and Alignment Requirement"). One of a
/// struct may be divided into its members.
const LOAD_PACKED: &str = "\
template <u32 BYTES> struct Bits;
template <> struct Bits<2> { typedef u16 Type; };
template <> struct Bits<4> { typedef u32 Type; };
#ifdef __CUDA_ARCH__
template <> struct Bits<8> { typedef uint2 Type; };
template <> struct Bits<16> { typedef uint4 Type; };
#else
template <> struct Bits<8> { typedef u64 Type; };
template <> struct Bits<16> { typedef Array<u64, 2> Type; };
#endif

template <class T, usize N>
static __device__ __forceinline__ void $name(const T* from, Array<T, N>& to) {
    typedef typename Bits<sizeof(T) * N < 16 ? sizeof(T) * N : 16>::Type Part;
    Part parts[sizeof(T) * N / sizeof(Part)];
#ifdef __CUDA_ARCH__
    for (u32 i = 0; i < sizeof(parts) / sizeof(Part); ++i) parts[i] = reinterpret_cast<const Part*>(from)[i];
#else
    memcpy(parts, from, sizeof(parts));
#endif
    memcpy(&to, parts, sizeof(parts));
}
";

const STORE_PACKED: &str = "\
template <class T, usize N>
static __device__ __forceinline__ void $name(T* to, const Array<T, N>& from) {
    typedef typename Bits<sizeof(T) * N < 16 ? sizeof(T) * N : 16>::Type Part;
    Part parts[sizeof(T) * N / sizeof(Part)];
    memcpy(parts, &from, sizeof(parts));
#ifdef __CUDA_ARCH__
    for (u32 i = 0; i < sizeof(parts) / sizeof(Part); ++i) reinterpret_cast<Part*>(to)[i] = parts[i];
#else
    memcpy(to, parts, sizeof(parts));
#endif
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
bool $name(usize needed, usize available) {
    return needed <= available && needed != (usize)-1;
}
";

/// See `lower/loops/endless.rs`.
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
    let (min, max) = literal::limits(scalar);
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
