//! Lowering of `for` over integer ranges and over the elements of slices and arrays.
//!
//! Rust's counter never leaves the range, even at the limits of its type. It can be a C variable of the same type as
//! long as it is not incremented past the end:
//!
//! ```text
//! a..b                 for (T i = a; i < b; ++i)
//! (a..b).step_by(n)    for (T i = a; i < b; i = rt::step_T(i, b, n))       // b where i + n is past it
//! (a..b).rev()         for (T i_next = b; i_next > a; --i_next) { const T i = i_next - 1; .. }
//! a..=b                T i = a; for (bool more = i <= b; more; more = rt::step_to_T(i, b, 1))
//! ```
//!
//! All other ranges are walks from a first to a last number, upwards or downwards, in the form of `a..=b`.

use crate::ir::{
    Adapter, Block, Callee, ExprId, ExprKind, Filled, Intrinsic, LocalId, LoopId, Range, Scalar, Sequence, Type, Unroll,
};
use crate::source::SiteKind;

use crate::lower::function::Lowering;
use crate::lower::number::arithmetic::{narrowed, wrapping};
use crate::lower::place::times;
use crate::lower::target::Target;
use crate::lower::value::Value;
use crate::lower::{
    CType, CallTarget, Expr, Header, Helper, NameOrigin, Next, Op, Operator, StmtKind, VarId, Variable,
};

/// The sequence of a loop counter's values. Each bound is a variable or a literal.
#[derive(Clone)]
enum Count {
    /// `start..end`
    Up { start: Expr, end: Expr },
    /// `(start..end).step_by(step)`
    UpBy { start: Expr, end: Expr, step: Expr },
    /// `start..=last`, where `last` is less than the maximum of the type.
    UpTo { start: Expr, last: Expr },
    /// `(start..end).rev()`
    Down { start: Expr, end: Expr },
    /// From `first` up or down to the last number that does not pass `last`. `any` is the condition that the sequence
    /// is not empty; without it, the sequence is empty if the bounds are out of order.
    Walk { first: Expr, last: Expr, step: Expr, down: bool, any: Option<Expr> },
}

/// `.rev()` or `.step_by(n)`
enum Adapted {
    Reversed,
    By(Expr),
}

/// The element of the current iteration, and the sequence that contains it.
#[derive(Clone)]
struct Element {
    local: LocalId,
    of: Value,
}

impl Lowering<'_, '_> {
    pub(in crate::lower) fn for_loop(&mut self, id: (LoopId, Unroll), sequence: &Sequence, body: &Block) {
        match sequence {
            Sequence::Range { local, range } => {
                let Some((count, scalar)) = self.count(range) else { return };
                self.counted_loop(id, (*local, scalar), count, None, body);
            }
            Sequence::Elements { of, index, element, reversed } => {
                let Some((of, len)) = self.elements(*of, *element) else { return };
                let (start, end) = (Expr::int(Scalar::Usize, 0), len);
                let count = if *reversed { Count::Down { start, end } } else { Count::Up { start, end } };
                let element = element.map(|local| Element { local, of });
                self.counted_loop(id, (*index, self.typed.index), count, element, body);
            }
        }
    }

    /// Emits a loop over a sequence of numbers.
    fn counted_loop(
        &mut self,
        id: (LoopId, Unroll),
        (local, scalar): (Option<LocalId>, Scalar),
        count: Count,
        element: Option<Element>,
        body: &Block,
    ) {
        // A variable that the body assigns is a copy of the counter.
        let copied = local.filter(|local| self.is_assigned(*local));
        let bound = local.filter(|local| !self.is_assigned(*local));
        let one = || Expr::int(scalar, 1);
        let (header, counter) = match count {
            Count::Up { start, end } => {
                let var = self.counter(local, bound, scalar);
                let test = Expr::binary(Operator::Lt, Expr::Var(var), end);
                (Header::For { var, init: start, test, next: Next::Increment }, Expr::Var(var))
            }
            Count::UpTo { start, last } => {
                let var = self.counter(local, bound, scalar);
                let test = Expr::binary(Operator::Le, Expr::Var(var), last);
                (Header::For { var, init: start, test, next: Next::Increment }, Expr::Var(var))
            }
            Count::UpBy { start, end, step } => {
                let var = self.counter(local, bound, scalar);
                let test = Expr::binary(Operator::Lt, Expr::Var(var), end.clone());
                let next = Expr::helper(Helper::new(Op::Step, scalar), vec![Expr::Var(var), end, step]);
                (Header::For { var, init: start, test, next: Next::Assign(next) }, Expr::Var(var))
            }
            Count::Down { start, end } => {
                let name = local.map_or("i", |local| &self.typed.instance.function.local(local).name);
                let hint = format!("{name}_next");
                let ty = CType::Scalar(scalar);
                let var = self.var(Variable { hint, origin: NameOrigin::Compiler, ty, constant: false, stable: true });
                let test = Expr::binary(Operator::Gt, Expr::Var(var), start);
                let counter = narrowed(Expr::binary(Operator::Sub, Expr::Var(var), one()), scalar);
                (Header::For { var, init: end, test, next: Next::Decrement }, counter)
            }
            Count::Walk { first, last, step, down, any } => {
                let var = self.counter(local, bound, scalar);
                self.push(StmtKind::Declare { var, init: Some(first) });
                let more = self.var(Variable {
                    hint: "more".to_owned(),
                    origin: NameOrigin::Compiler,
                    ty: CType::BOOL,
                    constant: false,
                    stable: false,
                });
                let (op, in_order) = if down { (Op::StepDown, Operator::Ge) } else { (Op::StepTo, Operator::Le) };
                let any = match (any, &last) {
                    (Some(any), _) => any,
                    // No unsigned number is less than zero.
                    (None, Expr::Literal(_, 0)) if down && !scalar.is_signed() => Expr::Literal(Scalar::Bool, 1),
                    (None, last) => Expr::binary(in_order, Expr::Var(var), last.clone()),
                };
                let next = Expr::helper(Helper::new(op, scalar), vec![Expr::Var(var), last, step]);
                (Header::For { var: more, init: any, test: Expr::Var(more), next: Next::Assign(next) }, Expr::Var(var))
            }
        };
        self.lower_loop(
            id,
            &Target::Discard,
            |_| header,
            |this| {
                let counter = this.bind_counter(counter, bound, copied, element.is_some(), scalar);
                if let Some(Element { local, of }) = element {
                    let place = match of {
                        Value::Slice { pointer, element, .. } => {
                            Value::Place { lvalue: Expr::index(pointer, counter), target: element }
                        }
                        Value::View { pointer, strides, element, .. } => {
                            let offset = strides.into_iter().fold(counter, times);
                            Value::Place { lvalue: Expr::index(pointer, offset), target: element }
                        }
                        Value::Whole(array, Type::Array(element, _))
                        | Value::Place { lvalue: array, target: Type::Array(element, _) } => {
                            Value::Place { lvalue: Expr::index(array, counter), target: *element }
                        }
                        Value::Parts(parts) => this.selected(parts, counter),
                        other => other,
                    };
                    let value = this.as_local(local, place);
                    this.bind_to_local(local, value);
                }
                this.block(body, &Target::Discard);
                true
            },
        );
    }

    /// Binds the user's variable to the number of the current iteration, which is returned.
    fn bind_counter(
        &mut self,
        number: Expr,
        bound: Option<LocalId>,
        copied: Option<LocalId>,
        needed: bool,
        scalar: Scalar,
    ) -> Expr {
        let is_variable = matches!(number, Expr::Var(_));
        if let Some(local) = copied {
            let number =
                if is_variable || !needed { number } else { self.constant("i", CType::Scalar(scalar), number) };
            self.bind_to_local(local, Value::Scalar(number.clone(), scalar));
            return number;
        }
        match bound {
            Some(local) if is_variable => self.locals[local.index()] = Value::Scalar(number.clone(), scalar),
            Some(local) => {
                self.bind_to_local(local, Value::Scalar(number, scalar));
                return match &self.locals[local.index()] {
                    Value::Scalar(number, _) | Value::Place { lvalue: number, .. } => number.clone(),
                    _ => Expr::int(scalar, 0),
                };
            }
            None if !is_variable && needed => return self.constant("i", CType::Scalar(scalar), number),
            None => {}
        }
        number
    }

    /// Returns the sequence that a loop iterates over and its length; `None` if evaluating it diverges.
    fn elements(&mut self, of: ExprId, element: Option<LocalId>) -> Option<(Value, Expr)> {
        let by_reference = element.is_none_or(|element| matches!(self.typed.local_type(element), Type::Ref { .. }));
        let value = self.place(&mut Vec::new(), of);
        let value = match (value, self.ty(of)) {
            // The loop iterates over a copy of the array, which is independent of later changes.
            (value, Type::Array(..)) if !by_reference => {
                let value = self.load(value);
                let value = self.saved(value);
                self.once(value)
            }
            (value, Type::Array(..)) => {
                let local = element.map(|element| self.typed.local_type(element));
                let mutable = matches!(local, Some(Type::Ref { target: _, mutable: true }));
                let value = self.materialise_expr(of, value, self.ty(of), mutable);
                self.once(value)
            }
            (value, _) => self.saved(value),
        };
        let len = match &value {
            Value::Slice { len, .. } => len.clone(),
            // A one-dimensional view.
            Value::View { lens, .. } => lens.first()?.clone(),
            Value::Parts(parts) => Expr::int(Scalar::Usize, parts.len() as u64),
            Value::Whole(_, Type::Array(_, len)) | Value::Place { target: Type::Array(_, len), lvalue: _ } => {
                Expr::int(Scalar::Usize, *len)
            }
            other => {
                self.unexpected(&other.clone());
                return None;
            }
        };
        let len = self.bound("len", len, Scalar::Usize);
        Some((value, len))
    }

    /// Evaluates a range once. Returns `None` if that diverges.
    fn count(&mut self, range: &Range) -> Option<(Count, Scalar)> {
        let Range { start, end, inclusive, adapters } = range;
        let steps = adapters.iter().filter_map(|adapter| match adapter {
            Adapter::Reversed => None,
            Adapter::StepBy(step) => Some(*step),
        });
        let ids: Vec<ExprId> = [*start, *end].into_iter().chain(steps).collect();
        let mut values = self.operands(&ids).into_iter();
        let (Some(Value::Scalar(start, scalar)), Some(Value::Scalar(end, _))) = (values.next(), values.next()) else {
            return None;
        };
        let end = self.bound("end", end, scalar);
        let mut adapted = Vec::with_capacity(adapters.len());
        for adapter in adapters {
            adapted.push(match adapter {
                Adapter::Reversed => Adapted::Reversed,
                Adapter::StepBy(id) => match values.next() {
                    Some(Value::Scalar(step, _)) => Adapted::By(self.step(*id, step)),
                    _ => return None,
                },
            });
        }
        let count = match (*inclusive, adapted.as_slice()) {
            (false, []) => Count::Up { start, end },
            (false, [Adapted::By(step)]) => Count::UpBy { start, end, step: step.clone() },
            (false, [Adapted::Reversed]) => {
                let start = self.bound("start", start, scalar);
                Count::Down { start, end }
            }
            // The counter is incremented past a literal bound that is less than the maximum.
            (true, []) if below_greatest(&end) => Count::UpTo { start, last: end },
            (inclusive, _) => self.walk((start, end), inclusive, adapted, scalar),
        };
        Some((count, scalar))
    }

    /// Returns the walk that is equivalent to a range with adapters.
    fn walk(&mut self, (start, end): (Expr, Expr), inclusive: bool, adapted: Vec<Adapted>, scalar: Scalar) -> Count {
        let start = if inclusive && adapted.is_empty() { start } else { self.bound("start", start, scalar) };
        let one = Expr::int(Scalar::Usize, 1);
        // In these cases the first and the last number are the bounds.
        let simple = inclusive
            && matches!(
                adapted.as_slice(),
                [] | [Adapted::By(_) | Adapted::Reversed] | [Adapted::Reversed, Adapted::By(_)]
            );
        let op = if inclusive { Operator::Le } else { Operator::Lt };
        let any = (!simple).then(|| Expr::binary(op, start.clone(), end.clone()));
        let (mut first, mut last) = (start, end);
        if !inclusive {
            // The bound may wrap below the minimum, but then the range is empty and it is not used.
            last = match last {
                Expr::Literal(_, bits) => Expr::Literal(scalar, bits.wrapping_sub(1) & ones(scalar)),
                last => wrapping(Operator::Sub, last, Expr::int(scalar, 1), scalar),
            };
            last = self.bound("last", last, scalar);
        }
        let mut step = one.clone();
        let mut down = false;
        for adapter in adapted {
            match adapter {
                Adapted::By(by) if step == one => step = by,
                Adapted::By(by) => {
                    // Successive steps multiply. If the product exceeds 64 bits, only the first number remains.
                    let narrow = self.typed.index == Scalar::U32;
                    let high = if narrow { "__umulhi" } else { "__umul64hi" };
                    let high = Expr::Call(CallTarget::Builtin(high), vec![step.clone(), by.clone()]);
                    let beyond = Expr::binary(Operator::Ne, high, Expr::int(Scalar::U64, 0));
                    let beyond = self.constant("beyond", CType::BOOL, beyond);
                    let product = Expr::binary(Operator::Mul, step, by);
                    let product =
                        Expr::conditional(beyond.clone(), Expr::int(Scalar::Usize, ones(self.typed.index)), product);
                    step = self.constant("step", CType::USIZE, product);
                    let at_most = Expr::conditional(beyond, first.clone(), last);
                    last = self.constant("last", CType::Scalar(scalar), at_most);
                }
                Adapted::Reversed => {
                    if step != one {
                        last = self.last(&first, last, &step, down, scalar);
                    }
                    std::mem::swap(&mut first, &mut last);
                    down = !down;
                }
            }
        }
        Count::Walk { first, last, step, down, any }
    }

    /// Returns the last number that is reached from `first` in whole steps without passing `last`, modulo the width of
    /// the type.
    fn last(&mut self, first: &Expr, last: Expr, step: &Expr, down: bool, scalar: Scalar) -> Expr {
        if let (Expr::Literal(_, first), Expr::Literal(_, last), Expr::Literal(_, step)) = (first, &last, step) {
            let (first, last) = (widened(scalar, *first), widened(scalar, *last));
            let (low, high) = if down { (last, first) } else { (first, last) };
            let distance = high.wrapping_sub(low) / (*step).max(1) * step;
            let last = if down { first.wrapping_sub(distance) } else { first.wrapping_add(distance) };
            return Expr::Literal(scalar, last & ones(scalar));
        }
        // With 32-bit indices, `usize` is too narrow for 64-bit counters.
        let unsigned = if scalar.bits() == 64 { Scalar::U64 } else { Scalar::Usize };
        let wide =
            |expr: Expr| if matches!(scalar, Scalar::Usize | Scalar::U64) { expr } else { Expr::cast(unsigned, expr) };
        let (low, high) = if down { (last, first.clone()) } else { (first.clone(), last) };
        let distance = Expr::binary(Operator::Sub, wide(high), wide(low));
        let steps = Expr::binary(Operator::Div, distance, step.clone());
        let distance = Expr::binary(Operator::Mul, steps, step.clone());
        let op = if down { Operator::Sub } else { Operator::Add };
        let last = Expr::binary(op, wide(first.clone()), distance);
        let last = if matches!(scalar, Scalar::Usize | Scalar::U64) { last } else { Expr::cast(scalar, last) };
        self.constant("last", CType::Scalar(scalar), last)
    }

    /// Returns a bound that every iteration evaluates, stored in a constant if necessary.
    fn bound(&mut self, hint: &str, bound: Expr, scalar: Scalar) -> Expr {
        let simple = matches!(bound, Expr::Literal(..) | Expr::Var(_)) && self.is_stable(&bound);
        if simple { bound } else { self.constant(hint, CType::Scalar(scalar), bound) }
    }

    /// Returns the step, with a check that it is not zero.
    fn step(&mut self, id: ExprId, step: Expr) -> Expr {
        let step = self.bound("step", step, Scalar::Usize);
        let known = match &step {
            Expr::Literal(_, value) => *value != 0,
            _ => self.is_grid_size(id),
        };
        if !known {
            let span = self.expr(id).span;
            let site = self.site(SiteKind::panic("assertion failed: step != 0"), span);
            let (fault, ()) = self.scope(|this| this.push(StmtKind::Fault { site, args: Vec::new() }));
            let zero = Expr::binary(Operator::Eq, step.clone(), Expr::int(Scalar::Usize, 0));
            self.push(StmtKind::If { condition: zero, then: fault, otherwise: Vec::new() });
        }
        step
    }

    /// Returns whether the expression is `grid_size(1)`, the step of grid-stride loops, which is never zero.
    fn is_grid_size(&self, id: ExprId) -> bool {
        let ExprKind::Call { callee, args: _ } = &self.expr(id).kind else { return false };
        matches!(self.typed.instance.slots[callee.index()], Filled::Callee(Callee::Intrinsic(Intrinsic::GridSize(1))))
    }

    /// Returns the C variable that counts. It is the user's variable if that is `bound`.
    fn counter(&mut self, local: Option<LocalId>, bound: Option<LocalId>, scalar: Scalar) -> VarId {
        let name = local.map_or("i", |local| &self.typed.instance.function.local(local).name);
        self.var(Variable {
            hint: name.to_owned(),
            origin: NameOrigin::by_user(bound.is_some()),
            ty: CType::Scalar(scalar),
            constant: false,
            // It changes only between iterations.
            stable: true,
        })
    }
}

/// Returns whether a bound is a number less than the maximum of its type.
fn below_greatest(bound: &Expr) -> bool {
    match bound {
        Expr::Literal(scalar, bits) => {
            let value_bits = scalar.bits() - u32::from(scalar.is_signed());
            *bits != u64::MAX >> (64 - value_bits)
        }
        _ => false,
    }
}

/// Returns the bit mask of the type's width.
fn ones(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - scalar.bits())
}

/// Returns an integer sign-extended or zero-extended to 64 bits.
fn widened(scalar: Scalar, bits: u64) -> u64 {
    let unused = 64 - scalar.bits();
    if scalar.is_signed() { ((bits << unused).cast_signed() >> unused).cast_unsigned() } else { bits }
}
