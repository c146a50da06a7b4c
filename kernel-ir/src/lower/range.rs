//! `for` over a range of integers.
//!
//! Rust's counter never leaves the range, even at the end of its type, so it can be a C variable of the same type as
//! long as nothing is added to it at the end:
//!
//! ```text
//! a..b                 for (T i = a; i < b; ++i)
//! (a..b).step_by(n)    for (T i = a; i < b; i = rt::step_T(i, b, n))       // b where i + n is past it
//! a..=b                T i = a; for (bool more = i <= b; more; more = rt::step_to_T(i, b, 1))
//! ```

use crate::ir::{Block, Callee, ExprId, ExprKind, Filled, Intrinsic, LocalId, LoopId, Range, Scalar};
use crate::source::SiteKind;

use super::control::Target;
use super::function::Lowering;
use super::hoist::Hoisted;
use super::value::Value;
use super::{CType, Expr, Header, Helper, Named, Next, Op, Operator, StmtKind, VarId, Variable};

/// The parts of a range, evaluated.
#[derive(Clone)]
struct Bounds {
    start: Expr,
    end: Expr,
    inclusive: bool,
    step: Option<Expr>,
    scalar: Scalar,
}

impl Lowering<'_, '_> {
    pub(super) fn for_loop(&mut self, id: LoopId, local: Option<LocalId>, range: &Range, body: &Block) {
        let Some(mut bounds) = self.bounds(range) else { return };
        let plain = !bounds.inclusive && bounds.step.is_none() && bounds.scalar == Scalar::Usize;
        if let (true, Some(counter)) = (plain, local.filter(|local| !self.is_assigned(*local)))
            && self.hoist(counter, &bounds.start, &bounds.end, body).is_some()
        {
            // The start is now needed in several places.
            bounds.start = self.bound("start", bounds.start, Scalar::Usize);
            if let Some(Hoisted { test, indices }) = self.hoist(counter, &bounds.start, &bounds.end, body) {
                let outer = self.known_inside.clone();
                self.known_inside.extend(indices);
                let (without_checks, ()) = self.scope(|this| this.counted_loop(id, local, bounds.clone(), body));
                self.known_inside = outer;
                let Some(test) = test else {
                    return without_checks.into_iter().for_each(|stmt| self.push(stmt.kind));
                };
                let (with_checks, ()) = self.scope(|this| this.counted_loop(id, local, bounds, body));
                return self.if_else(test, without_checks, with_checks);
            }
        }
        self.counted_loop(id, local, bounds, body);
    }

    /// The loop itself.
    fn counted_loop(&mut self, id: LoopId, local: Option<LocalId>, bounds: Bounds, body: &Block) {
        // A variable that the body assigns is a copy of the counter.
        let copied = local.filter(|local| self.is_assigned(*local));
        let counter = self.counter(local, copied.is_none(), bounds.scalar);
        let Bounds { start, end, inclusive, step, scalar } = bounds;
        let header = match (inclusive, step) {
            (false, None) => Header::For {
                var: counter,
                init: start,
                test: Expr::binary(Operator::Lt, Expr::Var(counter), end),
                next: Next::Increment,
            },
            (false, Some(step)) => Header::For {
                var: counter,
                init: start,
                test: Expr::binary(Operator::Lt, Expr::Var(counter), end.clone()),
                next: Next::Assign(Expr::helper(Helper::new(Op::Step, scalar), vec![Expr::Var(counter), end, step])),
            },
            // The counter passes a bound that is written out, and is not the greatest number there is.
            (true, None) if below_greatest(&end) => Header::For {
                var: counter,
                init: start,
                test: Expr::binary(Operator::Le, Expr::Var(counter), end),
                next: Next::Increment,
            },
            (true, step) => {
                self.push(StmtKind::Declare { var: counter, init: Some(start) });
                let step = step.unwrap_or(Expr::int(Scalar::Usize, 1));
                let ty = CType::Scalar(Scalar::Bool);
                let more = Variable { wish: "more".to_owned(), named: Named::ByUs, ty, constant: false, stable: false };
                let more = self.var(more);
                Header::For {
                    var: more,
                    init: Expr::binary(Operator::Le, Expr::Var(counter), end.clone()),
                    test: Expr::Var(more),
                    next: Next::Assign(Expr::helper(
                        Helper::new(Op::StepTo, scalar),
                        vec![Expr::Var(counter), end, step],
                    )),
                }
            }
        };
        self.lower_loop(
            id,
            &Target::Discard,
            |_| header,
            |this| {
                if let Some(local) = copied {
                    let value = this.local_vars(local, this.typed.local_type(local), true);
                    if let Value::Scalar(Expr::Var(var), _) = value {
                        this.push(StmtKind::Declare { var, init: Some(Expr::Var(counter)) });
                    }
                    this.locals[local.index()] = value;
                }
                this.block(body, &Target::Discard);
            },
        );
    }

    /// Evaluates a range, once. `None` where that does not finish.
    fn bounds(&mut self, range: &Range) -> Option<Bounds> {
        let Range { start, end, inclusive, step } = range;
        let ids: Vec<ExprId> = [Some(*start), Some(*end), *step].into_iter().flatten().collect();
        let mut values = self.operands(&ids).into_iter();
        let (Some(Value::Scalar(start, scalar)), Some(Value::Scalar(end, _))) = (values.next(), values.next()) else {
            return None;
        };
        let end = self.bound("end", end, scalar);
        let step = match (step, values.next()) {
            (Some(id), Some(Value::Scalar(value, _))) => Some(self.step(*id, value)),
            (Some(_), _) => return None,
            (None, _) => None,
        };
        Some(Bounds { start, end, inclusive: *inclusive, step, scalar })
    }

    /// A bound that the loop looks at in each turn.
    fn bound(&mut self, wish: &str, bound: Expr, scalar: Scalar) -> Expr {
        let simple = matches!(bound, Expr::Literal(..) | Expr::Var(_)) && self.is_stable(&bound);
        if simple { bound } else { self.constant(wish, CType::Scalar(scalar), bound) }
    }

    /// The step, which must not be zero.
    fn step(&mut self, id: ExprId, step: Expr) -> Expr {
        let step = self.bound("step", step, Scalar::Usize);
        let known = match &step {
            Expr::Literal(_, value) => *value != 0,
            _ => self.is_grid_size(id),
        };
        if !known {
            let span = self.expr(id).span;
            let site = self.site(SiteKind::Panic("assertion failed: step != 0".to_owned()), span);
            let (fault, ()) = self.scope(|this| this.push(StmtKind::Fault { site }));
            let zero = Expr::binary(Operator::Eq, step.clone(), Expr::int(Scalar::Usize, 0));
            self.push(StmtKind::If { condition: zero, then: fault, otherwise: Vec::new() });
        }
        step
    }

    /// `grid_size(1)`, which is never zero: the step of the loop that most kernels have.
    fn is_grid_size(&self, id: ExprId) -> bool {
        let ExprKind::Call { callee, args: _ } = &self.expr(id).kind else { return false };
        matches!(self.typed.instance.slots[callee.index()], Filled::Callee(Callee::Intrinsic(Intrinsic::GridSize(1))))
    }

    fn counter(&mut self, local: Option<LocalId>, bind: bool, scalar: Scalar) -> VarId {
        let name = local.map_or("i", |local| &self.typed.instance.function.local(local).name);
        let counter = self.var(Variable {
            wish: name.to_owned(),
            named: Named::by_user(local.is_some() && bind),
            ty: CType::Scalar(scalar),
            constant: false,
            // It changes between turns only.
            stable: true,
        });
        if let (Some(local), true) = (local, bind) {
            self.locals[local.index()] = Value::Scalar(Expr::Var(counter), scalar);
        }
        counter
    }
}

/// A number that is not the greatest of its type.
fn below_greatest(bound: &Expr) -> bool {
    match bound {
        Expr::Literal(scalar, bits) => {
            let value_bits = scalar.bits() - u32::from(scalar.is_signed());
            *bits != u64::MAX >> (64 - value_bits)
        }
        _ => false,
    }
}
