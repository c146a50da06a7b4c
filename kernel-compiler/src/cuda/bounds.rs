//! The launch bounds of the entry point.

use crate::ir::Foreign;
use crate::lower::{Body, CType, Module, Template};
use crate::source::Options;

/// The maximum number of threads of a block, on every GPU.
const MAX_THREADS: u32 = 1024;

/// The registers of a thread, of 32 bits, if a multiprocessor is to hold a block of that size: 65536 are there.
const REGISTERS: u64 = 64;

/// Returns the `__launch_bounds__` of a kernel, with a space after it.
///
/// Without a minimum number of resident blocks, ptxas prefers the 32 registers with which the most threads are resident. A loop
/// whose faults are deferred then has fewer loads in flight: a sparse product took 1.2 times as long on an H200. A minimum of one
/// block, which holds anyway, lets ptxas choose. For blocks of any size it also limits the registers, so that only kernels
/// with few variables get it.
pub(super) fn launch_bounds(module: &Module, options: Options) -> String {
    // A linked function may have more registers than a bound of the kernel permits.
    let is_linked =
        module.functions.values().any(|function| matches!(function.body, Body::Foreign(Foreign::Linked(_))));
    let is_deferred = module.templates.contains(&Template::Deferred) && !options.registers_limited && !is_linked;
    let (threads, blocks) = match options.launch_bounds {
        None if is_deferred && words(module) <= REGISTERS => (MAX_THREADS, Some(1)),
        None => return String::new(),
        Some((threads, None)) if is_deferred => (threads, Some(1)),
        Some(bounds) => bounds,
    };
    match blocks {
        None => format!("__launch_bounds__({threads}) "),
        Some(blocks) => format!("__launch_bounds__({threads}, {blocks}) "),
    }
}

/// Returns the size of all variables of a program in units of 32 bits: more than are in registers at a time.
fn words(module: &Module) -> u64 {
    let functions = module.functions.values().chain([&module.kernel]);
    let of_part = |ty: &CType| match ty {
        CType::Scalar(scalar) => u64::from(scalar.bits().div_ceil(32)),
        CType::Pointer { .. } => 2,
        // Another name of a variable or an element.
        CType::Reference { .. } => 0,
        CType::Array(..) | CType::Named(_) => 1,
    };
    functions.flat_map(|function| &function.vars).map(|variable| variable.ty.total(&module.types, &of_part)).sum()
}
