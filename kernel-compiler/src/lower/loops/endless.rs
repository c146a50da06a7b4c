//! Loops that are not proved to terminate.
//!
//! C++ assumes that a loop without side effects terminates (\[intro.progress\]), and both parts of NVRTC exploit this:
//! NVVM removes `while (at >= len) at /= 2;` for `sm_100` and `sm_120`, and with it the subsequent check that the end
//! of the loop implies; the assembler removes a loop whose results are unused on every architecture. So each iteration
//! of a `while` or `loop` has a side effect, the cheapest one that preserves the loop:
//!
//! - A loop that is proved to terminate needs no instruction: an empty `asm volatile` (`rt::progress`) is a comment in
//!   PTX.
//! - Nor does a loop with a store, an atomic operation, a barrier or a message on every path through its body: the
//!   assembler preserves those, and the empty `asm volatile` preserves the loop in NVVM.
//! - Any other loop triggers a performance monitor event in each iteration (`rt::keep_loop`, PTX ISA, "pmevent"): one
//!   instruction, which neither of them removes. It costs 6 % of a Mandelbrot iteration and 16 % of a Collatz step on
//!   an H200.

use crate::ir::{
    BinaryOp, Block, Callee, Constant, ConstantValue, ExprId, ExprKind, Filled, Literal, LocalId, LogicalOp, LoopId,
    Method, Pattern, SlotId, Stmt as IrStmt, Type,
};

use crate::lower::function::Lowering;
use crate::lower::{CType, CallTarget, Case, Expr, Header, Op, Operator, Stmt, StmtKind};

impl Lowering<'_, '_> {
    /// Returns the header of a loop that may not terminate, depending on its body.
    pub(in crate::lower) fn open_header(&self, header: Header, terminates: bool, body: &[Stmt]) -> Header {
        match header {
            // The loops of built-in methods terminate.
            Header::Open { test, progress: _ } if self.is_built_in() => Header::Open { test, progress: None },
            Header::Open { test, progress: _ } => {
                let kept = terminates
                    || test.as_ref().is_some_and(has_certain_effect)
                    || self.has_effect_in_each_iteration(body);
                Header::open(test, if kept { Op::Progress } else { Op::KeepLoop })
            }
            counted @ (Header::For { .. } | Header::Deferred(_)) => counted,
        }
    }

    /// Returns whether a `while` is proved to terminate, because each iteration takes the same step: up to or down from
    /// an invariant bound by one, down to zero by a factor, or from a positive number up to a constant by a factor.
    pub(in crate::lower) fn terminates(&self, id: LoopId, condition: ExprId, body: &Block) -> bool {
        match &self.expr(condition).kind {
            // The loop terminates once either condition is false.
            ExprKind::Logical { op: LogicalOp::And, left, right } => {
                self.terminates(id, *left, body) || self.terminates(id, *right, body)
            }
            ExprKind::Binary { op, left, right, operator } if self.operator_function(*operator).is_none() => {
                let (ExprKind::Local(counter), Some(scalar)) = (&self.expr(*left).kind, self.ty(*left).scalar()) else {
                    return false;
                };
                if !scalar.is_integer() || !self.is_bound(*right, id) {
                    return false;
                }
                let Some((step, by)) = self.only_step(*counter, id, body) else { return false };
                // Without overflow checks, a shift uses its amount modulo the width.
                let shifts = (1..u128::from(scalar.bits())).contains(&by);
                let is_zero = self.literal_number(*right) == Some(0);
                match (op, step) {
                    (BinaryOp::Lt, BinaryOp::Add) | (BinaryOp::Gt, BinaryOp::Sub) => by == 1,
                    (BinaryOp::Gt | BinaryOp::Ne, BinaryOp::Div) => is_zero && !scalar.is_signed() && by > 1,
                    (BinaryOp::Gt | BinaryOp::Ne, BinaryOp::Shr) => is_zero && !scalar.is_signed() && shifts,
                    (BinaryOp::Lt | BinaryOp::Le, BinaryOp::Mul | BinaryOp::Shl) => {
                        let factor = match step {
                            BinaryOp::Mul => by,
                            _ if shifts => 1 << by,
                            _ => 0,
                        };
                        let greatest = (1u128 << (scalar.bits() - u32::from(scalar.is_signed()))) - 1;
                        // The product does not wrap while the condition is true.
                        let fits = |bound: u128| factor > 1 && bound.saturating_mul(factor) <= greatest;
                        self.is_initially_positive(*counter) && self.constant_number(*right).is_some_and(fits)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Returns whether an expression is a literal, a constant, an invariant variable, or the length of one.
    fn is_bound(&self, id: ExprId, enclosing: LoopId) -> bool {
        match &self.expr(id).kind {
            ExprKind::Literal { .. } | ExprKind::Constant(_) => true,
            ExprKind::Local(local) => self.flow.is_invariant(*local, enclosing),
            ExprKind::Call { callee, args } => {
                self.is_len(*callee) && args.iter().all(|arg| self.is_bound(*arg, enclosing))
            }
            _ => false,
        }
    }

    fn is_len(&self, callee: SlotId) -> bool {
        matches!(self.typed.instance.slots[callee.index()], Filled::Callee(Callee::Method(Method::Len)))
    }

    fn literal_number(&self, id: ExprId) -> Option<u128> {
        match &self.expr(id).kind {
            ExprKind::Literal { value: Literal::Int { magnitude, negative: false }, slot: _ } => Some(*magnitude),
            _ => None,
        }
    }

    /// Returns the value of a literal or a constant.
    fn constant_number(&self, id: ExprId) -> Option<u128> {
        match &self.expr(id).kind {
            ExprKind::Constant(slot) => match &self.typed.instance.slots[slot.index()] {
                Filled::Constant(Constant { ty: Type::Scalar(scalar), value: ConstantValue::Bits(bits) }) => {
                    (!scalar.is_signed()).then_some(u128::from(*bits))
                }
                _ => None,
            },
            _ => self.literal_number(id),
        }
    }

    /// Returns whether the variable is initialised with a positive number and assigned only once, by its step.
    fn is_initially_positive(&self, counter: LocalId) -> bool {
        let function = &self.typed.instance.function;
        let blocks = function.exprs.iter().filter_map(|expr| expr.kind.block()).chain([&function.body]);
        let declared = blocks.flat_map(|block| &block.stmts).any(|stmt| {
            matches!(
                stmt,
                IrStmt::Let { pattern: Pattern::Local(local), init: Some(init), span: _ }
                    if *local == counter && self.literal_number(*init).is_some_and(|number| number > 0)
            )
        });
        declared && self.flow.usage.assignments[counter.index()] == 1
    }

    /// Returns the operator and the operand of `counter op= number`, if that is the variable's only change in the loop
    /// and every iteration executes it.
    fn only_step(&self, counter: LocalId, id: LoopId, body: &Block) -> Option<(BinaryOp, u128)> {
        if self.flow.usage.mutably_borrowed[counter.index()] || self.flow.changes(counter, id) != 1 {
            return None;
        }
        let mut found = None;
        for stmt in &body.stmts {
            let expr = match stmt {
                IrStmt::Expr(expr) => *expr,
                IrStmt::Let { pattern: _, init: Some(init), span: _ } => *init,
                IrStmt::Let { .. } => continue,
            };
            match &self.expr(expr).kind {
                ExprKind::AssignOp { op, place, value, operator }
                    if matches!(self.expr(*place).kind, ExprKind::Local(local) if local == counter)
                        && self.operator_function(*operator).is_none() =>
                {
                    found = Some((*op, self.literal_number(*value)?));
                    break;
                }
                _ if self.continues(expr, id) => return None,
                _ => {}
            }
        }
        found
    }

    /// Returns whether an expression contains a `continue` of the loop.
    fn continues(&self, expr: ExprId, id: LoopId) -> bool {
        let kind = &self.expr(expr).kind;
        let mut found = matches!(kind, ExprKind::Continue { target } if *target == id);
        kind.for_each_child(&mut |child| found |= self.continues(child, id));
        found
    }

    /// Returns whether every path through a loop body has a side effect that the assembler preserves.
    fn has_effect_in_each_iteration(&self, body: &[Stmt]) -> bool {
        for stmt in body {
            if self.is_certain_effect(&stmt.kind) {
                return true;
            }
            // The rest of the iteration may be skipped.
            if jumps(&stmt.kind) {
                return false;
            }
        }
        false
    }

    fn is_certain_effect(&self, kind: &StmtKind) -> bool {
        match kind {
            StmtKind::Assign { place, value: _ } | StmtKind::Update { op: _, place, value: _ }
                if self.is_global(place) =>
            {
                true
            }
            StmtKind::Print { .. } => true,
            StmtKind::Declare { var: _, init: Some(expr) }
            | StmtKind::Expr(expr)
            | StmtKind::Assign { place: _, value: expr }
            | StmtKind::Update { op: _, place: _, value: expr } => has_certain_effect(expr),
            _ => false,
        }
    }

    /// Returns whether a place is in an array parameter of the kernel or in shared memory. (A reference, or a slice of
    /// a device function, may refer to a variable, which becomes a register.)
    fn is_global(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(var) => self.shared.contains(&var.0),
            Expr::Index(base, _) => match &**base {
                Expr::Var(var) if matches!(self.vars[var.index()].ty, CType::Pointer { restrict: true, .. }) => true,
                base => self.is_global(base),
            },
            Expr::Field(base, _, _) => self.is_global(base),
            _ => false,
        }
    }
}

/// Returns whether evaluating an expression always synchronises or performs an atomic operation.
fn has_certain_effect(expr: &Expr) -> bool {
    match expr {
        Expr::Call(CallTarget::Effect(name), _)
            if ["__syncthreads", "__threadfence", "atomic"].iter().any(|effect| name.starts_with(effect)) =>
        {
            true
        }
        Expr::Call(CallTarget::Helper(helper, _), _) if matches!(helper.op, Op::Atomic(_)) => true,
        // The other operands may not be evaluated.
        Expr::Binary(Operator::Both | Operator::Either, first, _) | Expr::Conditional(first, _, _) => {
            has_certain_effect(first)
        }
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |child| found |= has_certain_effect(child));
            found
        }
    }
}

/// Returns whether a statement may skip the statements after it, in the same iteration or the next one.
fn jumps(kind: &StmtKind) -> bool {
    let any = |stmts: &[Stmt]| stmts.iter().any(|stmt| jumps(&stmt.kind));
    match kind {
        StmtKind::Continue | StmtKind::Goto(_) => true,
        StmtKind::If { condition: _, then, otherwise } => any(then) || any(otherwise),
        StmtKind::Switch { on: _, cases, otherwise } => {
            cases.iter().any(|Case { values: _, body }| any(body)) || any(otherwise)
        }
        StmtKind::Loop { header: _, body, next: _, end: _, unroll: _ } | StmtKind::Block { body, end: _ } => any(body),
        StmtKind::Declare { .. }
        | StmtKind::Shared { .. }
        | StmtKind::Assign { .. }
        | StmtKind::Update { .. }
        | StmtKind::Expr(_)
        | StmtKind::Break
        | StmtKind::Return(_)
        | StmtKind::Fault { .. }
        | StmtKind::Print { .. }
        | StmtKind::InternalError(_) => false,
    }
}
