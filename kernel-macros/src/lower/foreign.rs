//! Suggestions for names of CUDA C, Numba and the standard library that do not exist on a device.
//!
//! Only rustc resolves names, so a suggestion is made only where the call cannot be valid: a call of `sqrt` or
//! `atomicAdd` may name the user's own device function, while `__syncthreads()`, `atomicAdd(&x[i], v)` and
//! `printf("..")` cannot. The tables serve error messages only: nothing is lowered by them.

use syn::{Expr, ExprCall, ExprPath, Ident, Member};

use super::peeled;

/// CUDA C's functions, and their replacements.
const FUNCTIONS: &[(&str, &str)] = &[
    ("__syncthreads", "sync_threads()"),
    ("__syncthreads_count", "sync_threads_count(p)"),
    ("__syncthreads_and", "sync_threads_and(p)"),
    ("__syncthreads_or", "sync_threads_or(p)"),
    ("__syncwarp", "sync_warp(mask)"),
    ("__threadfence", "thread_fence()"),
    ("__threadfence_block", "thread_fence_block()"),
    ("__threadfence_system", "thread_fence_system()"),
    ("__shfl_sync", "shfl_sync(mask, v, lane)"),
    ("__shfl_up_sync", "shfl_up_sync(mask, v, delta)"),
    ("__shfl_down_sync", "shfl_down_sync(mask, v, delta)"),
    ("__shfl_xor_sync", "shfl_xor_sync(mask, v, lane_mask)"),
    ("__all_sync", "all_sync(mask, p)"),
    ("__any_sync", "any_sync(mask, p)"),
    ("__ballot_sync", "ballot_sync(mask, p)"),
    ("__match_any_sync", "match_any_sync(mask, v)"),
    ("__match_all_sync", "match_all_sync(mask, v)"),
    ("__reduce_add_sync", "reduce_add_sync(mask, v)"),
    ("__reduce_min_sync", "reduce_min_sync(mask, v)"),
    ("__reduce_max_sync", "reduce_max_sync(mask, v)"),
    ("__reduce_and_sync", "reduce_and_sync(mask, v)"),
    ("__reduce_or_sync", "reduce_or_sync(mask, v)"),
    ("__reduce_xor_sync", "reduce_xor_sync(mask, v)"),
    ("__activemask", "active_mask()"),
    ("__popc", "x.count_ones()"),
    ("__popcll", "x.count_ones()"),
    ("__clz", "x.leading_zeros()"),
    ("__clzll", "x.leading_zeros()"),
    ("__ffs", "x.trailing_zeros() + 1"),
    ("__ffsll", "x.trailing_zeros() + 1"),
    ("__brev", "x.reverse_bits()"),
    ("__brevll", "x.reverse_bits()"),
    ("__fmaf_rn", "a.mul_add(b, c)"),
    ("__fma_rn", "a.mul_add(b, c)"),
    ("__ldg", "x[i]"),
    ("__float2int_rn", "x.round_ties_even() as i32"),
    ("__float2int_rz", "x as i32"),
    ("__int2float_rn", "n as f32"),
    ("__float_as_int", "x.to_bits() as i32"),
    ("__float_as_uint", "x.to_bits()"),
    ("__int_as_float", "f32::from_bits(n as u32)"),
    ("__uint_as_float", "f32::from_bits(n)"),
    ("__expf", "x.exp()"),
    ("__logf", "x.ln()"),
    ("__sinf", "x.sin()"),
    ("__cosf", "x.cos()"),
    ("__powf", "x.powf(y)"),
    ("__saturatef", "x.clamp(0.0, 1.0)"),
    ("atomicAdd", "atomic_add(&mut y[i], v)"),
    ("atomicSub", "atomic_sub(&mut y[i], v)"),
    ("atomicMin", "atomic_min(&mut y[i], v)"),
    ("atomicMax", "atomic_max(&mut y[i], v)"),
    ("atomicAnd", "atomic_and(&mut y[i], v)"),
    ("atomicOr", "atomic_or(&mut y[i], v)"),
    ("atomicXor", "atomic_xor(&mut y[i], v)"),
    ("atomicExch", "atomic_exch(&mut y[i], v)"),
    ("atomicCAS", "atomic_cas(&mut y[i], expected, v)"),
    ("atomicInc", "atomic_inc(&mut y[i], limit)"),
    ("atomicDec", "atomic_dec(&mut y[i], limit)"),
    ("printf", "println!(\"{i}\")"),
];

/// Functions of Python modules (Numba, Warp, Triton), and their replacements.
const METHODS: &[(&str, &str, &str)] = &[
    ("cuda", "grid", "grid(1)"),
    ("cuda", "gridsize", "grid_size(1)"),
    ("cuda", "syncthreads", "sync_threads()"),
    ("cuda", "syncthreads_count", "sync_threads_count(p)"),
    ("cuda", "syncthreads_and", "sync_threads_and(p)"),
    ("cuda", "syncthreads_or", "sync_threads_or(p)"),
    ("cuda", "syncwarp", "sync_warp(mask)"),
    ("cuda", "threadfence", "thread_fence()"),
    ("cuda", "shfl_sync", "shfl_sync(mask, v, lane)"),
    ("cuda", "shfl_up_sync", "shfl_up_sync(mask, v, delta)"),
    ("cuda", "shfl_down_sync", "shfl_down_sync(mask, v, delta)"),
    ("cuda", "shfl_xor_sync", "shfl_xor_sync(mask, v, lane_mask)"),
    ("cuda", "ballot_sync", "ballot_sync(mask, p)"),
    ("cuda", "popc", "x.count_ones()"),
    ("cuda", "clz", "x.leading_zeros()"),
    ("cuda", "ffs", "x.trailing_zeros() + 1"),
    ("cuda", "brev", "x.reverse_bits()"),
    ("cuda", "fma", "a.mul_add(b, c)"),
    ("cuda", "selp", "if c { a } else { b }"),
    ("shared", "array", "shared::<[f32; 256]>()"),
    ("local", "array", "[0.0; 16]"),
    ("atomic", "add", "atomic_add(&mut y[i], v)"),
    ("wp", "tid", "grid(1)"),
    ("tl", "program_id", "block_idx().x"),
];

/// Functions of the standard library with a different form in kernels, and their replacements: for variables, `&mut a`, and for
/// references.
const STANDARD: &[(&str, [&str; 2])] = &[
    ("max", ["a.max(b)"; 2]),
    ("min", ["a.min(b)"; 2]),
    ("swap", ["(a, b) = (b, a)", "(*a, *b) = (*b, *a)"]),
    ("replace", ["let old = x; x = new;", "let old = *x; *x = new;"]),
    ("take", ["let old = x; x = T::ZERO;", "let old = *x; *x = T::ZERO;"]),
    ("from_fn", ["for i in 0..N { a[i] = ..; }"; 2]),
];

/// Returns the error about a call by path, if its callee cannot exist on a device.
pub(super) fn call(call: &ExprCall, path: &ExprPath) -> Option<String> {
    let segments = &path.path.segments;
    let last = segments.last()?.ident.to_string();
    let (written, single) = (path_text(path), segments.len() == 1);
    let first = &segments.first()?.ident;
    if single
        && let Some((_, replacement)) = FUNCTIONS.iter().find(|(name, _)| *name == last)
        && (last.starts_with("__") || call.args.first().is_some_and(is_foreign_argument))
    {
        return Some(renamed(&written, "CUDA C name", replacement));
    }
    if !single && (first == "std" || first == "core") && !is_constant_function(&last) {
        let found = STANDARD.iter().find(|(name, _)| *name == last);
        return Some(explained(
            &format!("`{written}` is not supported on a device"),
            "the standard library is compiled for the host only",
            &match found {
                Some((_, [of_variables, of_references])) => {
                    let is_variable = call.args.first().is_some_and(|arg| matches!(peeled(arg), Expr::Reference(_)));
                    format!("write `{}`", if is_variable { of_variables } else { of_references })
                }
                None => "use the methods of numbers, or a `#[device]` function".to_owned(),
            },
        ));
    }
    if last == "default" && segments.len() == 2 && first == "Default" {
        return Some(explained(
            "`Default::default` is not supported on a device",
            "the implementations of `Default` are compiled for the host only",
            "write the value, as in `0.0` or `[0.0; 16]`",
        ));
    }
    if single && crate::identity::is_primitive(&last) {
        return Some(explained(
            &format!("`{last}` is a type, and cannot be called"),
            "Rust converts numbers with the operator `as`",
            &format!("write `x as {last}`"),
        ));
    }
    None
}

/// Returns whether an argument only occurs in C: a string, or a pointer to a modified value.
fn is_foreign_argument(arg: &Expr) -> bool {
    match peeled(arg) {
        Expr::Reference(reference) => reference.mutability.is_none(),
        Expr::Lit(lit) => matches!(lit.lit, syn::Lit::Str(_)),
        _ => false,
    }
}

/// Returns whether a call of a function of this name is a constant.
fn is_constant_function(name: &str) -> bool {
    name == "size_of" || name == "align_of"
}

/// Returns the error about `module.method(..)`, where `module` is not a variable.
pub(super) fn method(module: &ExprPath, method: &Ident) -> Option<String> {
    let module = module.path.get_ident()?.to_string();
    if module == "math" || module == "np" {
        return Some(explained(
            &format!("`{module}` is not a value"),
            "the functions of this Python module are methods of numbers here",
            &format!("write `x.{method}()`; the documentation of `Float` lists the methods"),
        ));
    }
    let (_, _, replacement) = METHODS.iter().find(|(known, name, _)| *known == module && method == name)?;
    Some(renamed(&format!("{module}.{method}"), "Python name", replacement))
}

/// Returns the error about `threadIdx.x` and `thread_idx.x`, where the name is not a variable.
pub(super) fn geometry(base: &ExprPath, member: &Member) -> Option<String> {
    let base = base.path.get_ident()?.to_string();
    let Member::Named(member) = member else { return None };
    let function = match base.as_str() {
        "threadIdx" | "thread_idx" => "thread_idx",
        "blockIdx" | "block_idx" => "block_idx",
        "blockDim" | "block_dim" => "block_dim",
        "gridDim" | "grid_dim" => "grid_dim",
        "cuda" => return numba_geometry(&member.to_string()),
        _ => return None,
    };
    let why = if base == function { "it is a function" } else { "this is the CUDA C name" };
    Some(explained(
        &format!("`{base}` is not a value on a device"),
        why,
        &format!("write `{function}().{member}`; the global index of a thread is `grid(1)`"),
    ))
}

/// `cuda.threadIdx`
fn numba_geometry(member: &str) -> Option<String> {
    let replacement = match member {
        "threadIdx" => "thread_idx().x",
        "blockIdx" => "block_idx().x",
        "blockDim" => "block_dim().x",
        "gridDim" => "grid_dim().x",
        "laneid" => "lane_id()",
        "warpsize" => "WARP_SIZE",
        "shared" => "shared::<[f32; 256]>()",
        "local" => "[0.0; 16]",
        "atomic" => "atomic_add(&mut y[i], v)",
        _ => return None,
    };
    Some(renamed(&format!("cuda.{member}"), "Python name", replacement))
}

/// Returns the error about an identifier in the position of a constant, where it is not a variable. CUDA's `threadIdx`
/// and the like are structs, which only [`geometry`] reports: used as a whole or indexed, they are constants of the
/// user.
pub(super) fn constant(name: &Ident) -> Option<String> {
    let replacement = match name.to_string().as_str() {
        "warpSize" => "WARP_SIZE",
        "laneId" => "lane_id()",
        _ => return None,
    };
    Some(renamed(&name.to_string(), "CUDA C name", replacement))
}

fn renamed(name: &str, origin: &str, replacement: &str) -> String {
    explained(
        &format!("there is no `{name}` on a device"),
        &format!("this is the {origin}"),
        &format!("write `{replacement}`"),
    )
}

/// Formats a message with the three parts of a rule.
fn explained(what: &str, why: &str, help: &str) -> String {
    format!("{what}\nwhy: {why}\nhelp: {help}")
}

fn path_text(path: &ExprPath) -> String {
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names.join("::")
}
