//! Hoisting of bounds checks out of loops (loop versioning).
//!
//! A bounds check inside a loop is a loop exit, which prevents the compiler from keeping several loads in flight: a
//! naive matrix product ran at a third of its speed on an H200. So an innermost `for` over `usize` is emitted in two
//! versions, selected by a test of all its indices of the form `base + stride * counter` whose base and stride are
//! loop-invariant. The test reads variables ahead of the loop, so they have to be initialised there (see
//! `analyse::flow`):
//!
//! ```text
//! if (rt::within(base, stride, start, end, len) && ..) {
//!     for (..) { .. x[base + stride * i] .. }
//! } else {
//!     for (..) { .. x[rt::at(base + stride * i, len, ..)] .. }
//! }
//! ```
//!
//! If the test fails, no iteration has been executed yet, and the version with checks finds the fault, if there is one,
//! after exactly the side effects that precede it. A loop in which threads synchronise is not versioned: its threads
//! must not diverge.

use crate::ir::{
    BinaryOp, Block, Callee, ExprId, ExprKind, Filled, Intrinsic, LocalId, LoopId, Method, Pattern, Scalar, SlotId,
    Stmt, Type,
};
use crate::set::Set;
use litemap::LiteMap;

use crate::lower::function::Lowering;
use crate::lower::value::{Value, position};
use crate::lower::{CallTarget, Expr, Helper, Op, Operator};

/// The maximum number of expressions in a loop body that is emitted twice.
const BODY_SIZE: usize = 200;

/// The maximum trip count of a loop that is left to the compiler to unroll.
const SHORT_TRIP_COUNT: u64 = 64;

/// The maximum number of indices that are tested ahead of a loop.
const TESTS: usize = 8;

/// The test and the indices of a loop that is emitted twice.
pub(in crate::lower) struct Hoisted {
    /// True if all of [`Hoisted::indices`] are in bounds in every iteration; `None` if they always are.
    pub(in crate::lower) test: Option<Expr>,
    /// The elements that need no check in the version selected by the test.
    pub(in crate::lower) indices: Set<ExprId>,
}

/// An index as an affine function of the loop counter, computed without overflow checks and modulo 2⁶⁴. Intermediate
/// sums, differences and products may wrap: the test applies to the result, which is the same modulo 2⁶⁴.
#[derive(Clone)]
struct Affine {
    base: Expr,
    /// `None` if the index is loop-invariant.
    stride: Option<Expr>,
}

/// The loop whose checks are hoisted: `counter` runs from `start` up to `end`, exclusive.
struct Counted<'e> {
    id: LoopId,
    counter: LocalId,
    start: &'e Expr,
    end: &'e Expr,
}

/// Properties of a loop body.
#[derive(Default)]
struct Survey {
    elements: Vec<ExprId>,
    /// The initialisers of variables that are never changed.
    lets: LiteMap<LocalId, ExprId>,
    size: usize,
    /// Whether it contains an operation that must not be emitted twice.
    not_duplicable: bool,
}

impl Lowering<'_, '_> {
    /// Returns the test for a loop of `counter` from `start` up to `end`, if hoisting is profitable.
    pub(in crate::lower) fn hoist(
        &mut self,
        (id, counter): (LoopId, LocalId),
        start: &Expr,
        end: &Expr,
        body: &Block,
    ) -> Option<Hoisted> {
        if !self.output.options.bounds_checks {
            return None;
        }
        let mut survey = Survey::default();
        self.survey_block(body, &mut survey);
        if survey.not_duplicable || survey.size > BODY_SIZE {
            return None;
        }
        let candidate = Counted { id, counter, start, end };
        let mut tests: Vec<Expr> = Vec::new();
        let mut indices = Set::new();
        for element in &survey.elements {
            let Some(mut needed) = self.tests(*element, &candidate, &survey) else { continue };
            // The compiler unrolls such a loop completely and then merges the identical checks.
            if !needed.is_empty() && has_short_trip_count(start, end) {
                continue;
            }
            needed.retain(|test| !tests.contains(test));
            if tests.len() + needed.len() > TESTS {
                continue;
            }
            tests.extend(needed);
            indices.insert(*element);
        }
        let test = tests.into_iter().reduce(|all, test| Expr::binary(Operator::Both, all, test));
        (!indices.is_empty()).then_some(Hoisted { test, indices })
    }

    fn survey_block(&self, block: &Block, survey: &mut Survey) {
        for stmt in &block.stmts {
            if let Stmt::Let { pattern: Pattern::Local(local), init: Some(init), span: _ } = stmt
                && !self.is_assigned(*local)
            {
                survey.lets.insert(*local, *init);
            }
        }
        block.for_each_child(&mut |child| self.survey(child, survey));
    }

    fn survey(&self, id: ExprId, survey: &mut Survey) {
        // Unreachable code is not emitted.
        if !self.typed.is_reachable(id) {
            return;
        }
        survey.size += 1;
        let kind = &self.expr(id).kind;
        match kind {
            ExprKind::Index { .. } => survey.elements.push(id),
            ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => survey.not_duplicable = true,
            ExprKind::Call { callee: slot, args: _ }
            | ExprKind::Unary { operator: slot, .. }
            | ExprKind::Binary { operator: slot, .. }
            | ExprKind::AssignOp { operator: slot, .. } => {
                survey.not_duplicable |= match &self.typed.instance.slots[slot.index()] {
                    Filled::Callee(Callee::Function(id)) | Filled::Operator(Some(id)) => {
                        self.output.summaries[id.index()].writes
                    }
                    Filled::Callee(Callee::Intrinsic(intrinsic)) => !is_geometry(intrinsic),
                    Filled::Callee(Callee::Method(_)) | Filled::Operator(None) => false,
                    Filled::Type(_) | Filled::Constant(_) => true,
                };
            }
            _ => {}
        }
        match kind.block() {
            // The children of the block are visited together with its variables.
            Some(block) => {
                self.survey_block(block, survey);
                if let ExprKind::If { condition, then: _, otherwise } = kind {
                    self.survey(*condition, survey);
                    if let Some(otherwise) = otherwise {
                        self.survey(*otherwise, survey);
                    }
                }
            }
            None => kind.for_each_child(&mut |child| self.survey(child, survey)),
        }
    }

    /// Returns the conditions for an element to be in bounds in every iteration, as C expressions, if they can be
    /// evaluated ahead of the loop. An element of a view has one index per dimension.
    fn tests(&mut self, element: ExprId, counted: &Counted<'_>, survey: &Survey) -> Option<Vec<Expr>> {
        let ExprKind::Index { base, index } = &self.expr(element).kind else { return None };
        let lens = self.lens_of(*base, counted)?;
        let indices = match &self.expr(*index).kind {
            ExprKind::Array(indices) if matches!(self.ty(*base), Type::View { .. }) => indices.as_slice(),
            _ => std::slice::from_ref(index),
        };
        if indices.len() != lens.len() {
            return None;
        }
        let mut tests = Vec::new();
        for (index, len) in indices.iter().zip(lens) {
            tests.extend(self.test(*index, len, counted, survey)?);
        }
        Some(tests)
    }

    /// Returns the condition for an index to be less than a length in every iteration: `Some(None)` if it always is,
    /// and `None` if it cannot be determined.
    #[allow(clippy::option_option, reason = "the two levels are explained above")]
    fn test(&mut self, index: ExprId, len: Expr, counted: &Counted<'_>, survey: &Survey) -> Option<Option<Expr>> {
        let Counted { id: _, counter: _, start, end } = *counted;
        let Affine { base, stride } = self.affine(index, counted, survey)?;
        let stride = stride.unwrap_or(Expr::int(Scalar::Usize, 0));
        // `for i in 0..x.len() { .. x[i] .. }`, and literal indices into shared arrays.
        let counts_all = is_number(&base, 0) && is_number(&stride, 1) && end == &len;
        if counts_all || all_literal(&base, &stride, start, end, &len) {
            return Some(None);
        }
        let arguments = vec![base, stride, start.clone(), end.clone(), len];
        Some(Some(Expr::helper(Helper::new(Op::Within, self.typed.index), arguments)))
    }

    /// Returns the lengths of an indexed sequence, if they are known ahead of the loop: an array's length is part of
    /// its type; a slice has to be a variable. A view has one length per dimension.
    fn lens_of(&self, base: ExprId, counted: &Counted<'_>) -> Option<Vec<Expr>> {
        if let Type::Array(_, len) = self.ty(base).target() {
            return Some(vec![Expr::int(Scalar::Usize, *len)]);
        }
        match &self.invariant_value(base, counted)? {
            Value::Slice { len, .. } if self.is_thread_local(len) => Some(vec![len.clone()]),
            Value::View { lens, .. } if lens.iter().all(|len| self.is_thread_local(len)) => Some(lens.clone()),
            _ => None,
        }
    }

    /// Returns the value of a variable that the loop does not change, or of a field of one.
    fn invariant_value(&self, id: ExprId, counted: &Counted<'_>) -> Option<Value> {
        match &self.expr(id).kind {
            ExprKind::Local(local) => {
                self.flow.is_invariant(*local, counted.id).then(|| self.locals[local.index()].clone())
            }
            ExprKind::Field { base, name } if self.ty(*base).has_references() => {
                match self.invariant_value(*base, counted)? {
                    Value::Parts(mut parts) => {
                        let position = position(self.ty(*base), name);
                        (position < parts.len()).then(|| parts.swap_remove(position))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn affine(&mut self, id: ExprId, counted: &Counted<'_>, survey: &Survey) -> Option<Affine> {
        if self.ty(id).scalar() != Some(self.typed.index) {
            return None;
        }
        match &self.expr(id).kind {
            ExprKind::Local(local) if *local == counted.counter => {
                Some(Affine { base: Expr::int(Scalar::Usize, 0), stride: Some(Expr::int(Scalar::Usize, 1)) })
            }
            ExprKind::Local(local) => match survey.lets.get(local) {
                Some(init) => self.affine(*init, counted, survey),
                None if self.flow.is_invariant(*local, counted.id) => self.invariant(id),
                None => None,
            },
            ExprKind::Literal { .. } | ExprKind::Constant(_) => self.invariant(id),
            ExprKind::Field { base, name: _ } if self.is_invariant_variable(*base, counted) => self.invariant(id),
            ExprKind::Cast { operand, slot: _ } if self.is_invariant_variable(*operand, counted) => self.invariant(id),
            ExprKind::Call { callee, args }
                if self.is_len(*callee) && args.iter().all(|arg| self.is_invariant_variable(*arg, counted)) =>
            {
                self.invariant(id)
            }
            ExprKind::Binary { op, left, right, operator: _ } => {
                let left = self.affine(*left, counted, survey)?;
                let right = self.affine(*right, counted, survey)?;
                combined(*op, left, right)
            }
            _ => None,
        }
    }

    pub(in crate::lower) fn is_len(&self, callee: SlotId) -> bool {
        matches!(self.typed.instance.slots[callee.index()], Filled::Callee(Callee::Method(Method::Len)))
    }

    fn is_invariant_variable(&self, id: ExprId, counted: &Counted<'_>) -> bool {
        matches!(self.expr(id).kind, ExprKind::Local(local) if self.flow.is_invariant(local, counted.id))
    }

    /// Returns the value of an expression that consists of invariant variables only.
    fn invariant(&mut self, id: ExprId) -> Option<Affine> {
        match self.value(id) {
            Value::Scalar(base, _) if self.is_thread_local(&base) => Some(Affine { base, stride: None }),
            _ => None,
        }
    }

    /// Returns whether an expression only reads thread-local variables, which can change only by assignments in this
    /// function.
    fn is_thread_local(&self, expr: &Expr) -> bool {
        let itself = match expr {
            Expr::Var(_) | Expr::Field(..) => !self.is_in_memory(expr),
            Expr::Call(CallTarget::Helper(helper, site), _) => site.is_none() && !helper.op.has_effect(),
            Expr::Literal(..)
            | Expr::Special(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Conditional(..)
            | Expr::Call(CallTarget::Builtin(_), _)
            | Expr::Constant(_)
            | Expr::Variant(..) => true,
            Expr::Call(
                CallTarget::Effect(_)
                | CallTarget::Function(..)
                | CallTarget::Load { .. }
                | CallTarget::LoadIf
                | CallTarget::Inside { .. },
                _,
            )
            | Expr::Index(..)
            | Expr::Deref(_)
            | Expr::AddressOf(_)
            | Expr::Struct(..)
            | Expr::Array(..)
            | Expr::Filled(..) => false,
        };
        let mut own = itself;
        expr.for_each_child(&mut |child| own &= self.is_thread_local(child));
        own
    }
}

/// Returns whether an operation has no side effects: it reads special registers or computes a number.
fn is_geometry(intrinsic: &Intrinsic) -> bool {
    match intrinsic {
        Intrinsic::Grid(_)
        | Intrinsic::GridSize(_)
        | Intrinsic::ThreadIdx
        | Intrinsic::BlockIdx
        | Intrinsic::BlockDim
        | Intrinsic::GridDim
        | Intrinsic::LaneId
        | Intrinsic::LaneMask(_)
        | Intrinsic::Fast(_) => true,
        Intrinsic::Shared(_)
        | Intrinsic::DynamicShared(_)
        | Intrinsic::DynamicSharedAt(_)
        | Intrinsic::SyncThreads
        | Intrinsic::SyncThreadsVote(_)
        | Intrinsic::SyncWarp
        | Intrinsic::SyncGrid
        | Intrinsic::Fence(_)
        | Intrinsic::Atomic { .. }
        | Intrinsic::Shuffle(_)
        | Intrinsic::Vote(_)
        | Intrinsic::MatchAny
        | Intrinsic::MatchAll
        | Intrinsic::Reduce(_)
        | Intrinsic::ActiveMask => false,
    }
}

fn combined(op: BinaryOp, left: Affine, right: Affine) -> Option<Affine> {
    let (op, stride) = match (op, left.stride, right.stride) {
        (BinaryOp::Add, stride, None) | (BinaryOp::Add, None, stride) => (Operator::Add, stride),
        (BinaryOp::Add, Some(left), Some(right)) => (Operator::Add, Some(sum(left, right))),
        (BinaryOp::Sub, stride, None) => (Operator::Sub, stride),
        (BinaryOp::Mul, Some(stride), None) => (Operator::Mul, Some(product(stride, right.base.clone()))),
        (BinaryOp::Mul, None, Some(stride)) => (Operator::Mul, Some(product(left.base.clone(), stride))),
        (BinaryOp::Mul, None, None) => (Operator::Mul, None),
        _ => return None,
    };
    let base = match op {
        Operator::Add => sum(left.base, right.base),
        Operator::Mul => product(left.base, right.base),
        op => Expr::binary(op, left.base, right.base),
    };
    Some(Affine { base, stride })
}

fn sum(left: Expr, right: Expr) -> Expr {
    match (is_number(&left, 0), is_number(&right, 0)) {
        (true, _) => right,
        (_, true) => left,
        _ => Expr::binary(Operator::Add, left, right),
    }
}

fn product(left: Expr, right: Expr) -> Expr {
    match (&left, &right) {
        (zero, _) | (_, zero) if is_number(zero, 0) => Expr::int(Scalar::Usize, 0),
        _ if is_number(&left, 1) => right,
        _ if is_number(&right, 1) => left,
        _ => Expr::binary(Operator::Mul, left, right),
    }
}

/// Returns whether a loop has a small literal trip count.
fn has_short_trip_count(start: &Expr, end: &Expr) -> bool {
    matches!((start, end), (Expr::Literal(_, start), Expr::Literal(_, end)) if end.saturating_sub(*start) <= SHORT_TRIP_COUNT)
}

/// Returns whether all operands are literals, and every index is in bounds. Only small literals, so that nothing wraps.
fn all_literal(base: &Expr, stride: &Expr, start: &Expr, end: &Expr, len: &Expr) -> bool {
    let number = |expr: &Expr| match expr {
        Expr::Literal(_, bits) => u16::try_from(*bits).ok().map(u64::from),
        _ => None,
    };
    let [Some(base), Some(stride), Some(start), Some(end), Some(len)] = [base, stride, start, end, len].map(number)
    else {
        return false;
    };
    start >= end || base + stride * (end - 1) < len
}

fn is_number(expr: &Expr, number: u64) -> bool {
    matches!(expr, Expr::Literal(_, bits) if *bits == number)
}
