//! Assignments to and borrows of variables: per expression, and summarised over a function.
//!
//! An assignment to a field or an element of a variable assigns the variable, and so does a mutable borrow of any part
//! of it, since the reference may be written through. The referent of a reference is memory, distinct from the variable
//! that holds the reference.

use crate::ir::{Callee, ExprId, ExprKind, Filled, FunctionId, LocalId, Method, Sequence, Type};
use crate::typify::TypedFunction;

/// A use of a variable other than a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VariableUse {
    /// The variable, or a part of it, is assigned.
    Assigned,
    /// A reference to the variable, or to a part of it, is created.
    Borrowed { mutable: bool },
}

/// The accesses to each variable of a function, indexed by [`LocalId`].
#[derive(Default)]
pub(crate) struct Usage {
    /// Whether the variable is assigned after its declaration, or mutably borrowed. A `let mut` that is neither is
    /// constant.
    pub(crate) assigned: Vec<bool>,
    /// Whether the variable is borrowed, mutably or not.
    pub(crate) borrowed: Vec<bool>,
    /// The number of expressions that assign the variable, besides its declaration.
    pub(crate) assignments: Vec<u32>,
    /// Whether the variable is mutably borrowed. From then on any write through a reference may change it.
    pub(crate) mutably_borrowed: Vec<bool>,
}

/// Summarises all reachable expressions of a function. `program` holds its possible callees.
pub(crate) fn usage(typed: &TypedFunction, program: &[TypedFunction]) -> Usage {
    let function = &typed.instance.function;
    let none = vec![false; function.locals.len()];
    let assignments = vec![0; none.len()];
    let mut usage = Usage { assigned: none.clone(), borrowed: none.clone(), assignments, mutably_borrowed: none };
    for id in typed.reachable() {
        for_each_access(typed, program, &function.expr(id).kind, &mut |local, access| match access {
            VariableUse::Assigned => {
                usage.assigned[local.index()] = true;
                usage.assignments[local.index()] += 1;
            }
            VariableUse::Borrowed { mutable } => {
                usage.borrowed[local.index()] = true;
                usage.assigned[local.index()] |= mutable;
                usage.mutably_borrowed[local.index()] |= mutable;
            }
        });
    }
    usage
}

/// Calls `visit` with the accesses of one expression, excluding those of its operands.
pub(crate) fn for_each_access(
    typed: &TypedFunction,
    program: &[TypedFunction],
    kind: &ExprKind,
    visit: &mut dyn FnMut(LocalId, VariableUse),
) {
    Accesses { typed, program, visit }.expr(kind);
}

struct Accesses<'s, 'v> {
    typed: &'s TypedFunction,
    program: &'s [TypedFunction],
    visit: &'v mut dyn FnMut(LocalId, VariableUse),
}

impl Accesses<'_, '_> {
    fn expr(&mut self, kind: &ExprKind) {
        let slots = &self.typed.instance.slots;
        match kind {
            ExprKind::Assign { place, value: _ } => self.assigned(*place),
            ExprKind::AssignOp { op: _, place, value, operator } => {
                self.assigned(*place);
                if let Filled::Operator(Some(function)) = slots[operator.index()] {
                    self.args(function, &[*place, *value]);
                }
            }
            ExprKind::Borrow { place, mutable } => self.borrowed(*place, *mutable),
            ExprKind::Call { callee, args } => match &slots[callee.index()] {
                Filled::Callee(Callee::Function(function)) => self.args(*function, args),
                Filled::Callee(Callee::Method(method @ (Method::SplitAt | Method::SplitAtMut))) => {
                    args.first().iter().for_each(|array| self.borrowed(**array, *method == Method::SplitAtMut));
                }
                Filled::Callee(Callee::Method(_) | Callee::Intrinsic(_))
                | Filled::Type(_)
                | Filled::Constant(_)
                | Filled::Operator(_) => {}
            },
            ExprKind::Unary { op: _, operand, operator } => {
                if let Filled::Operator(Some(function)) = slots[operator.index()] {
                    self.args(function, &[*operand]);
                }
            }
            ExprKind::Binary { op: _, left, right, operator } => {
                if let Filled::Operator(Some(function)) = slots[operator.index()] {
                    self.args(function, &[*left, *right]);
                }
            }
            ExprKind::For { sequence: Sequence::Elements { of, element: Some(element), .. }, .. } => {
                if let Type::Ref { target: _, mutable } = self.typed.local_type(*element) {
                    self.borrowed(*of, *mutable);
                }
            }
            ExprKind::For { .. }
            | ExprKind::Literal { .. }
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Index { .. }
            | ExprKind::SubSlice { .. }
            | ExprKind::Field { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Struct { .. }
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Deref(_)
            | ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Labelled { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Panic(_)
            | ExprKind::Print(_) => {}
        }
    }

    /// Records the borrows of values that are passed to reference parameters.
    fn args(&mut self, function: FunctionId, args: &[ExprId]) {
        let program = self.program;
        let Some(callee) = program.get(function.index()) else { return };
        for (param, arg) in callee.signature.params.iter().zip(args) {
            // An array may be the receiver of a method of slices.
            if let Type::Ref { target: _, mutable } | Type::Slice { element: _, mutable } = param {
                self.borrowed(*arg, *mutable);
            }
        }
    }

    fn assigned(&mut self, place: ExprId) {
        if let Some(local) = self.variable(place) {
            (self.visit)(local, VariableUse::Assigned);
        }
    }

    fn borrowed(&mut self, place: ExprId, mutable: bool) {
        // Reborrowing a reference does not borrow the variable that holds it. A sub-slice of an array, on the other
        // hand, becomes a reference only by the borrow.
        let is_part = matches!(self.typed.instance.function.expr(place).kind, ExprKind::SubSlice { .. });
        let ty = self.typed.expr_type(place);
        // A reference to a struct of arrays is a copy of its fields.
        let is_argument = matches!(ty, Type::Struct(_)) && ty.has_references();
        if !is_part && (is_reference(ty) || is_argument) {
            return;
        }
        if let Some(local) = self.variable(place) {
            (self.visit)(local, VariableUse::Borrowed { mutable });
        }
    }

    /// Returns the variable that contains a place, unless the place is accessed through a reference.
    fn variable(&self, place: ExprId) -> Option<LocalId> {
        match &self.typed.instance.function.expr(place).kind {
            ExprKind::Local(local) => Some(*local),
            ExprKind::Field { base, name: _ }
            | ExprKind::Index { base, index: _ }
            | ExprKind::SubSlice { base, start: _, end: _, inclusive: _ } => {
                if is_reference(self.typed.expr_type(*base)) { None } else { self.variable(*base) }
            }
            _ => None,
        }
    }
}

/// Returns whether a value of the type refers to other memory.
pub(crate) fn is_reference(ty: &Type) -> bool {
    match ty {
        Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => true,
        Type::Unit
        | Type::Never
        | Type::Scalar(_)
        | Type::Tuple(_)
        | Type::Struct(_)
        | Type::Enum(_)
        | Type::Array(..) => false,
    }
}
