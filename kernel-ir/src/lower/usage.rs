//! What a function does with its variables: which can be constants in C, and which need to be in one piece.

use crate::ir::{Callee, ExprId, ExprKind, Filled, FunctionId, LocalId, Method, Sequence, Type};
use crate::typify::TypedFunction;

/// What happens to each variable.
pub(super) struct Usage {
    /// It changes after it was declared. A `let mut` of which this is not true is a constant.
    pub(super) assigned: Vec<bool>,
    /// A reference to it, or to a part of it, is made.
    pub(super) borrowed: Vec<bool>,
}

/// Looks at all expressions of a function that control can come to; `program` holds the functions that it may call.
pub(super) fn usage(typed: &TypedFunction<'_>, program: &[TypedFunction<'_>]) -> Usage {
    let function = &typed.instance.function;
    let locals = function.locals.len();
    let mut survey =
        Survey { typed, program, usage: Usage { assigned: vec![false; locals], borrowed: vec![false; locals] } };
    for id in typed.alive() {
        survey.expr(&function.expr(id).kind);
    }
    survey.usage
}

struct Survey<'s, 'a> {
    typed: &'s TypedFunction<'a>,
    program: &'s [TypedFunction<'a>],
    usage: Usage,
}

impl Survey<'_, '_> {
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

    /// Values that are given where references are asked for.
    fn args(&mut self, function: FunctionId, args: &[ExprId]) {
        let program = self.program;
        let Some(callee) = program.get(function.index()) else { return };
        for (param, arg) in callee.signature.params.iter().zip(args) {
            if let Type::Ref { target: _, mutable } = param {
                self.borrowed(*arg, *mutable);
            }
        }
    }

    fn assigned(&mut self, place: ExprId) {
        if let Some(local) = self.variable(place) {
            self.usage.assigned[local.index()] = true;
        }
    }

    fn borrowed(&mut self, place: ExprId, mutable: bool) {
        // What is a reference already is borrowed again, and the variable that holds it is not. A part of an array is none
        // before it is borrowed.
        let is_part = matches!(self.typed.instance.function.expr(place).kind, ExprKind::SubSlice { .. });
        if !is_part && is_reference(self.typed.expr_type(place)) {
            return;
        }
        if let Some(local) = self.variable(place) {
            self.usage.borrowed[local.index()] = true;
            self.usage.assigned[local.index()] |= mutable;
        }
    }

    /// The variable that a place is in, if no reference leads there.
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

/// A value that leads to memory elsewhere.
pub(super) fn is_reference(ty: &Type) -> bool {
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
