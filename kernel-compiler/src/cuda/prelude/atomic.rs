//! Atomic operations that are not a single function of CUDA.
//!
//! CUDA's functions (`atomicAdd` and the others) are relaxed; the suffixes `_block`, `_system`, or none determine the
//! scope. The following are built from them:
//!
//! - other orderings, with fences: a `fence.release` before a relaxed operation makes it a release, a `fence.acquire` after it an
//!   acquire; a `fence.sc` before it makes it sequentially consistent (PTX ISA, "Memory Consistency Model": release and
//!   acquire patterns; the mapping of C++'s orderings is that of libcu++). Before PTX ISA 8.6 and `sm_90` both are a `fence.acq_rel`,
//!   which in addition discards the L1 cache where nothing is acquired, and waits for stores where nothing is released;
//! - other types, with the bits of an integer of the same width;
//! - other operations, with `atomicCAS` in a loop;
//! - loads and stores, with `volatile` accesses, which are relaxed and atomic at every scope (PTX ISA, `ld.volatile`).

use crate::ir::{AtomicOp, Ordering, Scalar, Scope};
use crate::lower::Atomic;

/// Returns the name of an operation in `namespace rt`, without its type suffix.
pub(in crate::cuda) fn stem(atomic: Atomic) -> String {
    let Atomic { op, ordering, scope } = atomic;
    let ordering = match ordering {
        Ordering::Relaxed => "",
        Ordering::Acquire => "_acquire",
        Ordering::Release => "_release",
        Ordering::AcqRel => "_acq_rel",
        Ordering::SeqCst => "_seq_cst",
    };
    let scope = match scope {
        Scope::Block => "_block",
        Scope::Device => "",
        Scope::System => "_system",
    };
    format!("{}{ordering}{scope}", op.name())
}

/// Returns the operation that an operation calls.
pub(in crate::cuda) fn callee(atomic: Atomic, scalar: Scalar) -> Option<Atomic> {
    let Atomic { op, ordering, scope } = atomic;
    if ordering != Ordering::Relaxed {
        return Some(Atomic { ordering: Ordering::Relaxed, ..atomic });
    }
    let adds = Atomic { op: AtomicOp::Add, ordering, scope };
    (op == AtomicOp::Sub && scalar.is_float()).then_some(adds)
}

/// Returns the template of an operation, for `prelude::fill`: `$P` is the type in memory, `$B` the integer type with
/// the same width, `$scope` the suffix of CUDA's functions, `$compare_exchange` the compare-and-swap function.
pub(in crate::cuda) fn template(atomic: Atomic, scalar: Scalar) -> String {
    let Atomic { op, ordering, scope } = atomic;
    let text = if ordering == Ordering::Relaxed { relaxed(op, scope, scalar) } else { ordered(atomic, scalar) };
    let suffix = match scope {
        Scope::Block => "_block",
        Scope::Device => "",
        Scope::System => "_system",
    };
    let bits = match scalar.bits() {
        8 => "u8",
        16 => "u16",
        32 => "u32",
        _ => "u64",
    };
    // In memory a `bool` is a byte; any non-zero byte is `true`.
    let memory = if scalar == Scalar::Bool { "u8" } else { "$T" };
    let compare_exchange = match (scalar.bits(), scope) {
        (16, Scope::System) => "cas_system".to_owned(),
        (16, Scope::Block | Scope::Device) => "atomicCAS".to_owned(),
        _ => format!("atomicCAS{suffix}"),
    };
    let text = text.replace("$P", memory).replace("$B", bits);
    text.replace("$compare_exchange", &compare_exchange).replace("$scope", suffix)
}

/// CUDA provides the 16-bit `atomicCAS` at one scope only.
pub(in crate::cuda) const COMPARE_EXCHANGE_SYSTEM: &str = "\
u16 $name(u16* place, u16 expected, u16 value) {
    u16 old;
    asm volatile(\"atom.relaxed.sys.cas.b16 %0, [%1], %2, %3;\" : \"=h\"(old) : \"l\"(place), \"h\"(expected), \"h\"(value) : \"memory\");
    return old;
}
";

/// Returns the parameters after the place, and their names.
fn parameters(op: AtomicOp) -> (&'static str, &'static str) {
    match op {
        AtomicOp::Load => ("", ""),
        AtomicOp::CompareExchange => (", $P expected, $P value", ", expected, value"),
        AtomicOp::Add
        | AtomicOp::Sub
        | AtomicOp::Min
        | AtomicOp::Max
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor
        | AtomicOp::Exchange
        | AtomicOp::Inc
        | AtomicOp::Dec
        | AtomicOp::Store => (", $P value", ", value"),
    }
}

/// Returns a fence of one direction, which CUDA 12.8 is the first to support (PTX ISA, `fence`).
fn fence(direction: &str, level: &str) -> String {
    format!(
        "\
#if __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1208
    asm volatile(\"fence.{direction}.{level};\" ::: \"memory\");
#else
    asm volatile(\"fence.acq_rel.{level};\" ::: \"memory\");
#endif
"
    )
}

/// Returns the relaxed operation between fences.
fn ordered(atomic: Atomic, scalar: Scalar) -> String {
    let Atomic { op, ordering, scope } = atomic;
    let (level, sc) = match scope {
        Scope::Block => ("cta", "    __threadfence_block();\n"),
        Scope::Device => ("gpu", "    __threadfence();\n"),
        Scope::System => ("sys", "    __threadfence_system();\n"),
    };
    // `__threadfence()` is a `fence.sc` (PTX ISA, `membar`).
    let before = match ordering {
        Ordering::Relaxed | Ordering::Acquire => String::new(),
        Ordering::Release | Ordering::AcqRel => fence("release", level),
        Ordering::SeqCst => sc.to_owned(),
    };
    let behind = match ordering {
        Ordering::Relaxed | Ordering::Release => String::new(),
        Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst => fence("acquire", level),
    };
    let (parameters, names) = parameters(op);
    let relaxed = format!("{}_{scalar}", stem(Atomic { ordering: Ordering::Relaxed, ..atomic }));
    match op {
        AtomicOp::Store => format!("void $name($P* place{parameters}) {{\n{before}    {relaxed}(place{names});\n}}\n"),
        AtomicOp::Load => {
            format!(
                "$P $name(const $P* place) {{\n{before}    const $P old = {relaxed}(place);\n{behind}    return old;\n}}\n"
            )
        }
        _ => format!(
            "$P $name($P* place{parameters}) {{\n{before}    const $P old = {relaxed}(place{names});\n{behind}    return old;\n}}\n"
        ),
    }
}

fn relaxed(op: AtomicOp, scope: Scope, scalar: Scalar) -> String {
    let (parameters, names) = parameters(op);
    if let Some(builtin) = (Atomic { op, ordering: Ordering::Relaxed, scope }).builtin(scalar) {
        return format!("$P $name($P* place{parameters}) {{ return {builtin}(place{names}); }}\n");
    }
    let float = scalar.is_float() && !scalar.is_half();
    let text = match op {
        AtomicOp::Load if scalar.is_half() => {
            "$P $name(const $P* place) { return $P{((const volatile $P*)place)->bits}; }\n"
        }
        AtomicOp::Load => "$P $name(const $P* place) { return *(const volatile $P*)place; }\n",
        AtomicOp::Store if scalar.is_half() => {
            "void $name($P* place, $P value) { ((volatile $P*)place)->bits = value.bits; }\n"
        }
        AtomicOp::Store => "void $name($P* place, $P value) { *(volatile $P*)place = value; }\n",
        // The sum has the same bits for signed and unsigned types.
        AtomicOp::Add if scalar.is_integer() => {
            "$P $name($P* place, $P value) { return ($P)atomicAdd$scope(($B*)place, ($B)value); }\n"
        }
        AtomicOp::Add => return half_add(scope, scalar),
        AtomicOp::Sub if scalar.is_integer() => {
            "$P $name($P* place, $P value) { return ($P)atomicAdd$scope(($B*)place, 0 - ($B)value); }\n"
        }
        AtomicOp::Sub => {
            let add = format!("{}_{scalar}", stem(Atomic { op: AtomicOp::Add, ordering: Ordering::Relaxed, scope }));
            return format!("$P $name($P* place, $P value) {{ return {add}(place, -value); }}\n");
        }
        AtomicOp::And => "$P $name($P* place, $P value) { return ($P)atomicAnd$scope(($B*)place, ($B)value); }\n",
        AtomicOp::Or => "$P $name($P* place, $P value) { return ($P)atomicOr$scope(($B*)place, ($B)value); }\n",
        AtomicOp::Xor => "$P $name($P* place, $P value) { return ($P)atomicXor$scope(($B*)place, ($B)value); }\n",
        AtomicOp::Exchange if scalar == Scalar::F64 => {
            "\
$P $name($P* place, $P value) {
    const u64 old = atomicExch$scope((u64*)place, (u64)__double_as_longlong(value));
    return __longlong_as_double((i64)old);
}
"
        }
        AtomicOp::Exchange if scalar.bits() == 64 => {
            "$P $name($P* place, $P value) { return ($P)atomicExch$scope((u64*)place, (u64)value); }\n"
        }
        AtomicOp::Exchange => return exchange_narrow(scalar),
        AtomicOp::CompareExchange if float => return compare_exchange_float(scalar),
        AtomicOp::CompareExchange if scalar.is_half() => {
            "\
$P $name($P* place, $P expected, $P value) {
    return $P{$compare_exchange(&place->bits, expected.bits, value.bits)};
}
"
        }
        AtomicOp::CompareExchange => {
            "\
$P $name($P* place, $P expected, $P value) {
    return ($P)$compare_exchange(($B*)place, ($B)expected, ($B)value);
}
"
        }
        AtomicOp::Min | AtomicOp::Max => return min_max(op, scalar),
        AtomicOp::Inc => {
            "\
$P $name($P* place, $P limit) {
    $P seen = *(volatile $P*)place;
    for (;;) {
        const $P found = $compare_exchange(place, seen, seen >= limit ? 0 : seen + 1);
        if (found == seen) return seen;
        seen = found;
    }
}
"
        }
        AtomicOp::Dec => {
            "\
$P $name($P* place, $P limit) {
    $P seen = *(volatile $P*)place;
    for (;;) {
        const $P found = $compare_exchange(place, seen, seen == 0 || seen > limit ? limit : seen - 1);
        if (found == seen) return seen;
        seen = found;
    }
}
"
        }
    };
    text.to_owned()
}

/// Addition of halves: a single instruction where the hardware supports it, otherwise a loop over the 16 bits. `.noftz`
/// preserves subnormals.
fn half_add(scope: Scope, half: Scalar) -> String {
    let scope = match scope {
        Scope::Block => "cta",
        Scope::Device => "gpu",
        Scope::System => "sys",
    };
    // PTX ISA, `atom`: `.bf16` since `sm_90`, `.f16` since `sm_70`; a host compiler supports neither.
    let least = if half == Scalar::F16 { 700 } else { 900 };
    format!(
        "\
$P $name($P* place, $P value) {{
#if __CUDA_ARCH__ >= {least}
    $P old;
    asm volatile(\"atom.relaxed.{scope}.add.noftz.{half} %0, [%1], %2;\" : \"=h\"(old.bits) : \"l\"(place), \"h\"(value.bits) : \"memory\");
    return old;
#else
    u16 seen = ((volatile $P*)place)->bits;
    for (;;) {{
        const u16 found = $compare_exchange(&place->bits, seen, ($P{{seen}} + value).bits);
        if (found == seen) return $P{{seen}};
        seen = found;
    }}
#endif
}}
"
    )
}

/// CUDA's exchange requires at least 32 bits, but its compare-and-swap supports 16.
fn exchange_narrow(scalar: Scalar) -> String {
    let (place, value, old) = match scalar {
        Scalar::F16 | Scalar::Bf16 => ("&place->bits", "value.bits", "$P{seen}"),
        _ => ("(u16*)place", "(u16)value", "($P)seen"),
    };
    format!(
        "\
$P $name($P* place, $P value) {{
    u16* const bits = {place};
    u16 seen = *(volatile u16*)bits;
    for (;;) {{
        const u16 found = $compare_exchange(bits, seen, {value});
        if (found == seen) return {old};
        seen = found;
    }}
}}
"
    )
}

/// Compares the bits, so that a NaN equals itself, and zeros of different signs are distinct.
fn compare_exchange_float(scalar: Scalar) -> String {
    let (bits, float) = conversions(scalar);
    format!(
        "\
$P $name($P* place, $P expected, $P value) {{
    const $B old = $compare_exchange(($B*)place, ($B){bits}(expected), ($B){bits}(value));
    return {float}old);
}}
"
    )
}

/// `f32::min` and `f32::max`, with -0 less than +0.
///
/// The bits of non-negative numbers, as signed integers, are ordered like the numbers, also relative to negative
/// numbers; the bits of negative numbers, as unsigned integers, are in reverse order, also relative to non-negative
/// numbers. So a single atomic operation on integers suffices, except for a NaN in memory: a NaN of one sign compares
/// as a large number and is replaced, as required; a NaN of the other sign remains, and is replaced by the second
/// operation. The bits of a NaN argument are not inspected, since it is never stored.
fn min_max(op: AtomicOp, scalar: Scalar) -> String {
    let (bits, float) = conversions(scalar);
    let signed = if scalar.bits() == 32 { "i32" } else { "i64" };
    let (positive, negative, replaced) = match op {
        AtomicOp::Min => ("atomicMin", "atomicMax", "seen >= 0"),
        _ => ("atomicMax", "atomicMin", "seen < 0"),
    };
    format!(
        "\
$P $name($P* place, $P value) {{
    if (value != value) return *(volatile $P*)place;
    const {signed} bits = {bits}(value);
    for (;;) {{
        const {signed} seen = bits >= 0 ? {positive}$scope(({signed}*)place, bits) : ({signed}){negative}$scope(($B*)place, ($B)bits);
        const $P old = {float}seen);
        if (old == old || {replaced}) return old;
        if ($compare_exchange(($B*)place, ($B)seen, ($B)bits) == ($B)seen) return old;
    }}
}}
"
    )
}

/// Returns the functions that convert a float to its bits and back; the second one has an open parenthesis.
fn conversions(scalar: Scalar) -> (&'static str, &'static str) {
    match scalar {
        Scalar::F32 => ("__float_as_int", "__int_as_float((i32)"),
        _ => ("__double_as_longlong", "__longlong_as_double((i64)"),
    }
}
