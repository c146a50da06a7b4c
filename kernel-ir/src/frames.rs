//! Stack frames of the host: an upper bound of the stack that a thread of a program takes on the CPU.
//!
//! rustc compiles the body of a kernel for the CPU, and without optimisation it gives each variable, temporary and argument
//! a place of its own in the frame. The functions that the macros write are inlined into their callers even then, so that
//! the frames of all calls of a function add up, and do not share memory. The estimate counts what rustc has to keep, with a
//! factor for the copies of values on their way through functions of the runtime. It is generous: a page that no frame
//! touches costs address space only.

use crate::Validated;
use crate::ir::{ExprId, ExprKind, Function, Sequence, Type};
use crate::typify::{TypedFunction, calls};

/// Copies of a value without optimisation: of an expression, its temporary, the argument and the result of the functions
/// of the runtime that it passes through, of a variable, its initialiser and what a pattern binds.
const COPIES: u64 = 6;

/// Bytes for each expression besides its value: handles of places, positions in the source, pointers, spilled registers.
const PER_EXPRESSION: u64 = 384;

/// Bytes for a function besides its expressions.
const PER_FUNCTION: u64 = 2048;

/// The size of what has no layout in memory: references, slices, views.
const HANDLE: u64 = 64;

impl Validated<'_> {
    /// An upper bound of the bytes of stack that a thread takes on the CPU. It saturates.
    pub(crate) fn stack_bytes(&self) -> u64 {
        let mut frames: Vec<u64> = Vec::new();
        // Each function comes before its callers.
        for typed in self.functions() {
            frames.push(frame(typed, &frames));
        }
        frames.last().copied().unwrap_or(0)
    }
}

/// The bytes of a function's frame with those of all that it calls.
fn frame(typed: &TypedFunction<'_>, callees: &[u64]) -> u64 {
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
        // A place that is only part of a longer one is not copied.
        if !(places[position] && expr.kind.is_place()) {
            add(&typed.exprs.get(position).cloned().unwrap_or(Type::Never));
        }
    }
    for expr in &function.exprs {
        bytes = bytes.saturating_add(PER_EXPRESSION);
        if let Some((callee, _)) = calls(typed.instance, &expr.kind) {
            bytes = bytes.saturating_add(callees.get(callee.index()).copied().unwrap_or(u64::MAX));
        }
    }
    // A function of the runtime that is not inlined, called from here, has values in a frame of its own.
    bytes.saturating_add(largest.saturating_mul(2 * COPIES))
}

/// The expressions that are used as places, by position.
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

/// The bytes of a value.
fn size(ty: &Type) -> u64 {
    match ty {
        Type::Unit | Type::Never => 0,
        // An array of what memory cannot hold, such as tuples, has elements all the same.
        Type::Array(element, len) => size(element).saturating_mul(*len),
        Type::Tuple(parts) => parts.iter().map(|part| size(part).max(8)).fold(0, u64::saturating_add),
        Type::Scalar(_) | Type::Struct(_) | Type::Enum(_) => ty.size().unwrap_or(u64::MAX),
        Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => HANDLE,
    }
}
