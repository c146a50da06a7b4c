//! Stack usage on the host: an upper bound of the stack that a thread of a program occupies on the CPU.
//!
//! rustc compiles the body of a kernel for the CPU. Without optimisation it allocates a separate stack slot to each
//! variable, temporary and argument. The functions that the macros generate are inlined into their callers even then,
//! so the frames of all calls in a function add up instead of sharing memory. The estimate counts the values that rustc
//! has to keep, with a factor for the copies made while values pass through functions of the runtime. It is
//! conservative: a page that no frame touches costs only address space.

use crate::Validated;
use crate::ir::{ExprId, ExprKind, Function, Sequence, Type};
use crate::typify::{TypedFunction, calls};

/// The number of copies of a value without optimisation: the expression's temporary, the argument and result of the
/// runtime functions that it passes through, the variable, its initialiser and the pattern's bindings.
const COPIES: u64 = 6;

/// Bytes per expression besides its value: place handles, source positions, pointers, spilled registers.
const PER_EXPRESSION: u64 = 384;

/// Bytes per function besides its expressions.
const PER_FUNCTION: u64 = 2048;

/// The size of values without a memory layout: references, slices, views.
const HANDLE: u64 = 64;

impl Validated {
    /// Returns an upper bound in bytes of a thread's stack usage on the CPU. The computation saturates.
    pub(crate) fn stack_bytes(&self) -> u64 {
        let mut frames: Vec<u64> = Vec::new();
        // Each function comes before its callers.
        for typed in self.functions() {
            frames.push(frame(typed, &frames));
        }
        frames.last().copied().unwrap_or(0)
    }
}

/// Returns the size in bytes of a function's frame, including the frames of its callees.
fn frame(typed: &TypedFunction, callees: &[u64]) -> u64 {
    let function = &typed.instance.function;
    let places = places(function);
    let mut bytes = PER_FUNCTION;
    let mut largest = 0;
    let mut add = |ty: &Type| {
        let size = size(ty);
        bytes = bytes.saturating_add(size.saturating_mul(COPIES));
        largest = size.max(largest);
    };
    typed.locals.iter().for_each(&mut add);
    add(&typed.signature.result);
    for (position, expr) in function.exprs.iter().enumerate() {
        // A place expression that is only the base of a longer one is not copied.
        if !(places[position] && expr.kind.is_place()) {
            add(&typed.exprs.get(position).cloned().unwrap_or(Type::Never));
        }
    }
    for expr in &function.exprs {
        bytes = bytes.saturating_add(PER_EXPRESSION);
        if let Some((callee, _)) = calls(&typed.instance, &expr.kind) {
            bytes = bytes.saturating_add(callees.get(callee.index()).copied().unwrap_or(u64::MAX));
        }
    }
    // A runtime function that is called here and not inlined holds values in a frame of its own.
    bytes.saturating_add(largest.saturating_mul(2 * COPIES))
}

/// Returns, for each expression, whether it is used as a place.
fn places(function: &Function) -> Vec<bool> {
    let mut places = vec![false; function.exprs.len()];
    let mut note = |id: ExprId| places[id.index()] = true;
    for expr in &function.exprs {
        match &expr.kind {
            ExprKind::Index { base, .. }
            | ExprKind::SubSlice { base, .. }
            | ExprKind::Field { base, .. }
            | ExprKind::Borrow { place: base, .. }
            | ExprKind::Deref(base)
            | ExprKind::Assign { place: base, .. }
            | ExprKind::AssignOp { place: base, .. }
            | ExprKind::For { sequence: Sequence::Elements { of: base, .. }, .. } => note(*base),
            _ => {}
        }
    }
    places
}

/// Returns the size of a value in bytes.
fn size(ty: &Type) -> u64 {
    match ty {
        Type::Unit | Type::Never => 0,
        // Also for arrays whose elements have no memory layout, such as tuples.
        Type::Array(element, len) => size(element).saturating_mul(*len),
        Type::Tuple(parts) => parts.iter().map(|part| size(part).max(8)).fold(0, u64::saturating_add),
        Type::Struct(structure) if ty.has_references() => {
            structure.fields.iter().map(|field| size(&field.ty).max(8)).fold(0, u64::saturating_add)
        }
        Type::Scalar(_) | Type::Struct(_) | Type::Enum(_) => ty.size().unwrap_or(u64::MAX),
        Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => HANDLE,
    }
}
