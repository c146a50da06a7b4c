//! The functions that record a fault.

use crate::lower::{CallTarget, Expr, Helper, Module, Op, SiteRef, Template};
use crate::set::Set;

/// Claims the fault record. The first thread that faults owns it.
const CLAIM: &str = "
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
";

/// Fills the fault record. `$failed` is the additional code of a program with a grid-wide barrier.
///
/// `noreturn` keeps the checks from inhibiting optimisations: without it, a tiled matrix product was 2.2 times slower on an H200.
/// `exit` terminates the thread and leaves the context usable, unlike `__trap()`.
const FAULT: &str = "
$template$static __device__ __noinline__ __attribute__((noreturn)) void fault(Launch launch, $site$u64 index, u64 len) {
    if (Fault* const record = claim(launch, site)) {
        record->index = index;
        record->len = len;
        __threadfence_system();
    }
$failed$    asm volatile(\"exit;\");
    __builtin_unreachable();
}
";

/// An index check that calls a function of its own.
pub(in crate::cuda) const AT: &str = "\
template <u32 site>
static __device__ __forceinline__ usize at(usize index, usize len, Launch launch) {
    if (index >= len) fault<site>(launch, index, len);
    return index;
}
";

/// Whether the fault record is claimed.
pub(in crate::cuda) const HAS_FAULTED: &str = "\
bool $name($fault) {
    return *(volatile u32*)&launch.fault->flag != 0u;
}
";

/// The largest number of index checks each of which calls a function of its own.
const MAX_OWN: usize = 4;

/// Writes the functions. `failed` is the additional code of a program with a grid-wide barrier.
pub(in crate::cuda) fn write(text: &mut String, own: bool, failed: &str) {
    let of = |template: &str, site: &str| {
        FAULT.replace("$template$", template).replace("$site$", site).replace("$failed$", failed)
    };
    text.push_str(CLAIM);
    text.push_str(&of("", "u32 site, "));
    if own {
        text.push_str(&of("template <u32 site>\n", ""));
    }
}

/// Returns whether each index check calls a function of its own.
///
/// If several checks call the same function, the compiler merges the calls, and what the merged call needs occupies registers: a
/// thread of a scan with three checks had 48 registers instead of 40 on an H200, so that fewer blocks were resident.
/// The functions of many checks would be too much code. Where faults are deferred, most checks are in the repetition of
/// a loop, which runs only if one fails.
pub(in crate::cuda) fn own(module: &Module) -> bool {
    if module.templates.contains(&Template::Deferred) {
        return false;
    }
    let mut sites = Set::new();
    for function in module.functions.values().chain([&module.kernel]) {
        function.for_each_expr(&mut |expr| {
            if let Expr::Call(CallTarget::Helper(Helper { op: Op::At, scalar: _ }, Some(site)), _) = expr {
                sites.insert(match site {
                    SiteRef::Own(site) => Some(*site),
                    // Passed by the caller.
                    SiteRef::Caller(_) => None,
                });
            }
        });
    }
    (2..=MAX_OWN).contains(&sites.len()) && !sites.contains(&None)
}
