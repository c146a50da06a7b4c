//! Values of expressions, and the conditions under which their checks never fail.

use std::rc::Rc;

use super::atoms::{AtomInfo, Bound, Fact, Range};
use super::condition::Condition;
use super::poly::Poly;
use super::prover::{Facts, Operation};
use super::symbol::LaunchSymbol;
use super::walk::{State, Value, Walk, branches};
use crate::ir::Scalar;
use crate::lower::{CType, CallTarget, Expr, Function, Helper, Op, Operator, Prefix, TypeKind};

/// The maximum number of elements of an array whose values are known.
const ELEMENTS: usize = 64;

impl<'m> Walk<'m> {
    /// Returns the value of an expression, and records the conditions of the checks in it.
    pub(super) fn eval(&mut self, expr: &'m Expr) -> Value {
        let value = self.value_of(expr);
        self.note_wide(expr, &value);
        value
    }

    fn value_of(&mut self, expr: &'m Expr) -> Value {
        match expr {
            Expr::Var(var) => self.read(*var),
            Expr::Literal(Scalar::Bool, bits) => {
                let mut facts = [Some(Vec::new()), Some(Vec::new())];
                facts[usize::from(*bits == 0)] = None;
                Value::Bool(facts)
            }
            Expr::Literal(scalar, bits) if scalar.is_integer() => self.literal(*scalar, *bits),
            Expr::Special(name) => match self.special(name) {
                Some(poly) => Value::exact(poly, Scalar::U32),
                None => self.unknown(Scalar::U32),
            },
            Expr::Unary(Prefix::Not, operand) => match self.eval(operand) {
                Value::Bool([no, yes]) => Value::Bool([yes, no]),
                _ => Value::boolean(),
            },
            Expr::Unary(prefix, operand) => {
                let operand = self.eval(operand);
                let Value::Int { scalar, .. } = operand else { return Value::Unknown };
                let to = promoted(scalar, self.bits(scalar));
                let Value::Int { poly, .. } = self.converted(operand, to) else { return Value::Unknown };
                let negated = Poly::default().sub(&poly);
                let result = if *prefix == Prefix::Minus { negated } else { negated.and_then(|poly| poly.offset(-1)) };
                Value::wrapping(result, to)
            }
            Expr::Binary(op @ (Operator::Both | Operator::Either), left, right) => self.short_circuit(*op, left, right),
            Expr::Binary(op, left, right) => {
                let literals = (Some(matches!(**left, Expr::Literal(..))), matches!(**right, Expr::Literal(..)));
                let operands = (&**left, &**right);
                let left = self.eval(left);
                let right = self.eval(right);
                self.note_operands([(operands.0, &left), (operands.1, &right)]);
                self.binary_values(*op, left, right, literals)
            }
            Expr::Cast(ty, operand) => {
                let value = self.eval(operand);
                match ty {
                    CType::Scalar(Scalar::Bool) => match value {
                        Value::Bool(_) => value,
                        _ => Value::boolean(),
                    },
                    CType::Scalar(scalar) if scalar.is_integer() => self.converted(value, *scalar),
                    _ => Value::Unknown,
                }
            }
            Expr::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise),
            Expr::Field(base, _, position) => {
                let base = self.eval(base);
                match base.field(&[*position]) {
                    None | Some(Value::Unknown) => self.loaded(expr),
                    Some(known) => known.clone(),
                }
            }
            Expr::Index(base, index) => {
                let base = self.eval(base);
                let index = self.eval(index);
                match base {
                    Value::Array(elements) => self.element(expr, &elements, index),
                    _ => self.loaded(expr),
                }
            }
            Expr::Deref(place) => {
                self.eval(place);
                self.loaded(expr)
            }
            Expr::Array(element, elements) if elements.len() <= ELEMENTS => {
                let values = elements.iter().map(|value| {
                    let value = self.eval(value);
                    self.of_type(value, element)
                });
                Value::Array(values.collect())
            }
            Expr::Constant(id) => match &self.module.constants[id.index()].value {
                value @ Expr::Array(..) => self.eval(value),
                _ => Value::Unknown,
            },
            Expr::Struct(id, members) => {
                let members = members.iter().map(|member| self.eval(member)).collect();
                self.structure(*id, members)
            }
            Expr::Variant(id, variant) => match &self.module.types[id.index()].kind {
                // As a number of its type, since C++ declares the variants as constants.
                TypeKind::Enum { repr, variants } if repr.bits() < 64 => {
                    variants.get(*variant).map_or(Value::Unknown, |(_, bits)| self.literal(*repr, *bits))
                }
                _ => Value::Unknown,
            },
            Expr::Call(callee, args) => self.eval_call(expr, callee, args),
            Expr::Literal(..) | Expr::AddressOf(_) | Expr::Array(..) | Expr::Filled(..) => {
                expr.for_each_child(&mut |child| drop(self.eval(child)));
                Value::Unknown
            }
        }
    }

    /// Evaluates an expression that is evaluated only where the facts hold. What its checks prove is not known
    /// afterwards. Returns `None` if it never returns.
    fn eval_under(&mut self, facts: &Facts, expr: &'m Expr) -> Option<(Value, Facts)> {
        let before = self.state.as_ref()?.facts.len();
        let pending = self.pending.len();
        if let Some(state) = &mut self.state {
            state.facts.extend(facts.iter().cloned());
        }
        let diverges = std::mem::take(&mut self.diverges);
        let noted = self.noted();
        let value = self.eval(expr);
        self.settle_widths(noted);
        let returns = !std::mem::replace(&mut self.diverges, diverges);
        let own = self.pending.split_off(pending.min(self.pending.len()));
        let mut facts = self.state.as_mut()?.facts.split_off(before);
        facts.extend(own);
        returns.then_some((value, facts))
    }

    fn short_circuit(&mut self, op: Operator, left: &'m Expr, right: &'m Expr) -> Value {
        let left = self.eval(left);
        let both = op == Operator::Both;
        // The right operand is evaluated if the left one is true, or false.
        let [left_no, left_yes] = branches(&left);
        let (decides, continues) = if both { (left_no, left_yes) } else { (left_yes, left_no) };
        let Some(continues) = continues else { return left };
        let Some((right, _)) = self.eval_under(&continues, right) else { return Value::boolean() };
        let [right_no, right_yes] = branches(&right);
        let (other, same) = if both { (right_no, right_yes) } else { (right_yes, right_no) };
        // `a && b` is true if both are; it is false if the first or the second is.
        let all = same.map(|same| continues.iter().cloned().chain(same).collect());
        let any = match (decides, other) {
            (None, None) => None,
            (Some(facts), None) => Some(facts),
            (None, Some(other)) => Some(continues.into_iter().chain(other).collect()),
            (Some(_), Some(_)) => Some(Vec::new()),
        };
        Value::Bool(if both { [any, all] } else { [all, any] })
    }

    fn conditional(&mut self, condition: &'m Expr, then: &'m Expr, otherwise: &'m Expr) -> Value {
        let condition = self.eval(condition);
        let [no, yes] = branches(&condition);
        let mut values = Vec::new();
        for (facts, expr) in [(yes, then), (no, otherwise)] {
            if let Some(facts) = facts
                && let Some(value) = self.eval_under(&facts, expr)
            {
                values.push(value);
            }
        }
        if let [(Value::Int { scalar: left, .. }, _), (Value::Int { scalar: right, .. }, _)] = values.as_slice() {
            let to = self.common(*left, *right);
            for (value, _) in &mut values {
                *value = self.converted(std::mem::replace(value, Value::Unknown), to);
            }
        }
        let shared = self.state.as_ref().map_or_else(Vec::new, |state| state.facts.clone());
        let values: Vec<(&Value, &[Rc<Fact>])> = values.iter().map(|(value, own)| (value, own.as_slice())).collect();
        self.joined(&values, &shared)
    }

    /// Returns the value of an integer literal by its bits.
    pub(super) fn literal(&self, scalar: Scalar, bits: u64) -> Value {
        let unused = 64 - self.bits(scalar);
        let bits = bits << unused;
        let value =
            if scalar.is_signed() { i128::from(bits.cast_signed() >> unused) } else { i128::from(bits >> unused) };
        Value::exact(Poly::constant(value), scalar)
    }

    /// Returns the value of an element, a field or a referent of which nothing but its type is known.
    fn loaded(&mut self, place: &'m Expr) -> Value {
        match self.type_in(self.function(), place) {
            Some(CType::Scalar(Scalar::Bool)) => Value::boolean(),
            Some(CType::Scalar(scalar)) if scalar.is_integer() => self.in_memory(scalar),
            _ => Value::Unknown,
        }
    }

    /// Returns the value of an element of an array that nothing changes: of a certain one, or of any.
    fn element(&mut self, place: &'m Expr, elements: &[Value], index: Value) -> Value {
        let index = self.exact_int(index, Scalar::I64).and_then(|index| index.as_constant());
        let known = if let Some(index) = index {
            usize::try_from(index).ok().and_then(|index| elements.get(index)).cloned()
        } else {
            let shared = self.state.as_ref().map_or_else(Vec::new, |state| state.facts.clone());
            let values: Vec<(&Value, &[Rc<Fact>])> = elements.iter().map(|value| (value, [].as_slice())).collect();
            Some(self.joined(&values, &shared))
        };
        match known {
            None | Some(Value::Unknown) => self.loaded(place),
            Some(known) => known,
        }
    }

    /// Returns the type of a place in a function.
    pub(super) fn type_in(&self, function: &Function, place: &Expr) -> Option<CType> {
        let referent = |ty: CType| match ty {
            CType::Reference { target, .. } => *target,
            ty => ty,
        };
        Some(match place {
            Expr::Var(var) => referent(function.vars[var.index()].ty.clone()),
            Expr::Index(base, _) | Expr::Deref(base) => match self.type_in(function, base)? {
                CType::Array(element, _) => *element,
                CType::Pointer { target, .. } => *target,
                _ => return None,
            },
            Expr::Field(_, id, position) => match &self.module.types[id.index()].kind {
                TypeKind::Struct { members, .. } => {
                    members.iter().find(|member| member.position == *position)?.ty.clone()
                }
                TypeKind::Enum { .. } => return None,
            },
            Expr::Constant(id) => self.module.constants[id.index()].ty.clone(),
            Expr::Call(CallTarget::Function(id, _), _) => self.module.functions.get(id)?.result.clone()?,
            Expr::Binary(_, base, _) => self.type_in(function, base)?,
            _ => return None,
        })
    }

    /// Returns the operands' common type by C's usual arithmetic conversions.
    fn common(&self, left: Scalar, right: Scalar) -> Scalar {
        let (left, right) = (promoted(left, self.bits(left)), promoted(right, self.bits(right)));
        match self.bits(left).cmp(&self.bits(right)) {
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Greater => left,
            std::cmp::Ordering::Equal => {
                if left.is_signed() {
                    right
                } else {
                    left
                }
            }
        }
    }

    /// Returns the type of a C operation. The type of a literal is that of the other operand: see `cuda::expr`.
    fn operation_type(
        &self,
        left: Scalar,
        right: Scalar,
        (left_literal, right_literal): (Option<bool>, bool),
    ) -> Scalar {
        match (left_literal, right_literal) {
            (Some(true), false) => promoted(right, self.bits(right)),
            (Some(false) | None, true) => promoted(left, self.bits(left)),
            _ => self.common(left, right),
        }
    }

    /// Converts a value to a type as C does: modulo the type's width.
    pub(super) fn converted(&mut self, value: Value, to: Scalar) -> Value {
        match value {
            Value::Int { poly, scalar, exact } => {
                let (from_range, range) = (self.range(scalar), self.range(to));
                if from_range.lo >= range.lo && from_range.hi <= range.hi {
                    if exact || self.bits(to) == self.bits(scalar) {
                        return Value::Int { poly, scalar: to, exact };
                    }
                    let poly = self.exact(poly, scalar, false);
                    return Value::exact(poly, to);
                }
                // A narrower or a signed type: the number modulo the width of the new type.
                let poly = if self.bits(to) <= self.bits(scalar) { poly } else { self.exact(poly, scalar, exact) };
                let (lo, hi) = self.domain.atoms.interval(&poly);
                let fits = exact && lo.is_some_and(|lo| lo >= range.lo) && hi.is_some_and(|hi| hi <= range.hi);
                Value::Int { poly, scalar: to, exact: fits }
            }
            Value::Bool(_) => Value::exact(Poly::atom(self.domain.atoms.fresh(Range::new(0, 1))), to),
            Value::Unknown | Value::Struct(_) | Value::Array(_) => self.unknown(to),
        }
    }

    /// Returns a polynomial that equals a value exactly, and not only modulo the width of its type.
    pub(super) fn exact(&mut self, poly: Poly, scalar: Scalar, exact: bool) -> Poly {
        let Some(State { vars, mut facts }) = self.state.take() else { return poly };
        let poly = self.exactly(poly, scalar, exact, &mut facts);
        self.state = Some(State { vars, facts });
        poly
    }

    /// Returns a polynomial that equals a value exactly wherever the facts hold. Facts about it are added.
    pub(super) fn exactly(&mut self, poly: Poly, scalar: Scalar, exact: bool, facts: &mut Facts) -> Poly {
        if exact {
            return poly;
        }
        let range = self.range(scalar);
        let when = self.domain.prove_within(&poly, range, facts);
        if when == Condition::TRUE {
            return poly;
        }
        let atom = Poly::atom(self.domain.wrapped(&poly, (self.bits(scalar), scalar.is_signed()), range));
        if when != Condition::FALSE {
            for difference in [poly.sub(&atom), atom.sub(&poly)].into_iter().flatten() {
                facts.push(self.domain.atoms.fact(difference, when));
            }
        }
        atom
    }

    fn exact_int(&mut self, value: Value, to: Scalar) -> Option<Poly> {
        match self.converted(value, to) {
            Value::Int { poly, scalar, exact } => Some(self.exact(poly, scalar, exact)),
            Value::Unknown | Value::Bool(_) | Value::Struct(_) | Value::Array(_) => None,
        }
    }

    /// Returns the value of a binary operator other than `&&` and `||`.
    pub(super) fn binary_values(
        &mut self,
        op: Operator,
        left: Value,
        right: Value,
        literals: (Option<bool>, bool),
    ) -> Value {
        let compares =
            matches!(op, Operator::Eq | Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge);
        if compares {
            return self.compare(op, left, right, literals);
        }
        let (Value::Int { scalar: left_type, .. }, Value::Int { scalar: right_type, .. }) = (&left, &right) else {
            return Value::Unknown;
        };
        let shift = matches!(op, Operator::Shl | Operator::Shr);
        let ty = if shift {
            promoted(*left_type, self.bits(*left_type))
        } else {
            self.operation_type(*left_type, *right_type, literals)
        };
        match op {
            Operator::Add | Operator::Sub | Operator::Mul => {
                let (Value::Int { poly: left, .. }, Value::Int { poly: right, .. }) =
                    (self.converted(left, ty), self.converted(right, ty))
                else {
                    return Value::Unknown;
                };
                let result = match op {
                    Operator::Add => left.add(&right),
                    Operator::Sub => left.sub(&right),
                    _ => left.mul(&right),
                };
                match result {
                    Some(poly) => Value::Int { poly, scalar: ty, exact: false },
                    None => self.unknown(ty),
                }
            }
            Operator::Shl => {
                let Value::Int { poly: right, exact: true, .. } = right else { return self.unknown(ty) };
                match (self.converted(left, ty), right.as_constant()) {
                    (Value::Int { poly, .. }, Some(amount @ 0..64)) => {
                        let factor = Poly::constant(1 << amount);
                        poly.mul(&factor).map_or_else(|| self.unknown(ty), |poly| Value::wrapping(Some(poly), ty))
                    }
                    (left, None) => self.shifted(left, &right, ty),
                    _ => self.unknown(ty),
                }
            }
            Operator::Div | Operator::Rem | Operator::Shr | Operator::And | Operator::Or | Operator::Xor => {
                let Some(left) = self.exact_int(left, ty) else { return self.unknown(ty) };
                let right_type = if shift { Scalar::U64 } else { ty };
                let Some(right) = self.exact_int(right, right_type) else { return self.unknown(ty) };
                self.bitwise_or_division(op, &left, &right, ty)
            }
            _ => Value::Unknown,
        }
    }

    /// Returns the value of a shift to the left by an amount of which bounds are known.
    fn shifted(&mut self, left: Value, amount: &Poly, ty: Scalar) -> Value {
        let range = self.range(ty);
        let bounds = self.exact_int(left, ty).map(|left| self.domain.atoms.interval(&left));
        if let (Some((Some(lo @ 0..), Some(hi))), (Some(least @ 0..64), Some(most @ 0..64))) =
            (bounds, self.domain.atoms.interval(amount))
            && hi <= range.hi >> most
        {
            return Value::exact(Poly::atom(self.domain.atoms.fresh(Range::new(lo << least, hi << most))), ty);
        }
        self.unknown(ty)
    }

    fn bitwise_or_division(&mut self, op: Operator, left: &Poly, right: &Poly, ty: Scalar) -> Value {
        let nonnegative = !ty.is_signed() || self.domain.atoms.is_nonnegative(left);
        let result = match op {
            _ if !nonnegative => None,
            Operator::Div if !ty.is_signed() || self.domain.atoms.is_nonnegative(right) => {
                self.domain.quotient(left, right)
            }
            Operator::Rem if !ty.is_signed() || self.domain.atoms.is_nonnegative(right) => self.remainder(left, right),
            Operator::Shr => match right.as_constant() {
                Some(amount @ 0..64) => self.domain.quotient(left, &Poly::constant(1 << amount)),
                _ => Some(self.at_most(std::slice::from_ref(left))),
            },
            // A mask of the low-order bits of a number that is not negative is a remainder.
            Operator::And => match (left.as_constant(), right.as_constant()) {
                (_, Some(mask)) if mask >= 0 && (mask + 1).count_ones() == 1 => {
                    self.remainder(left, &Poly::constant(mask + 1))
                }
                (Some(mask), _)
                    if mask >= 0
                        && (mask + 1).count_ones() == 1
                        && (!ty.is_signed() || self.domain.atoms.is_nonnegative(right)) =>
                {
                    self.remainder(right, &Poly::constant(mask + 1))
                }
                _ if !ty.is_signed() || self.domain.atoms.is_nonnegative(right) => {
                    Some(self.at_most(&[left.clone(), right.clone()]))
                }
                _ => Some(self.at_most(std::slice::from_ref(left))),
            },
            Operator::Or | Operator::Xor if !ty.is_signed() || self.domain.atoms.is_nonnegative(right) => {
                let hi = |poly: &Poly| self.domain.atoms.interval(poly).1.filter(|hi| (0..1 << 64).contains(hi));
                let bits = hi(left).zip(hi(right)).map(|(left, right)| 128 - (left | right).leading_zeros());
                let sum = left.add(right);
                let limits = [sum, bits.map(|bits| Poly::constant((1i128 << bits) - 1))];
                Some(self.at_most(&limits.into_iter().flatten().collect::<Vec<_>>()))
            }
            _ => None,
        };
        match result {
            // The result of an operation on exact operands is in the range of the type.
            Some(poly) => Value::exact(poly, ty),
            None => self.unknown(ty),
        }
    }

    /// Returns the remainder of two numbers of which the first is not negative and the second positive.
    fn remainder(&mut self, dividend: &Poly, divisor: &Poly) -> Option<Poly> {
        let quotient = self.domain.quotient(dividend, divisor)?;
        let remainder = dividend.sub(&divisor.mul(&quotient)?)?;
        if quotient.as_constant() == Some(0) || self.domain.atoms.is_uniform_poly(&remainder) {
            return Some(remainder);
        }
        let key = (Operation::Remainder, dividend.clone(), divisor.clone());
        if let Some(atom) = self.domain.operations.get(&key) {
            return Some(Poly::atom(*atom));
        }
        // Either bound may be the one that a proof needs: `r < d` alone, or `r = n - d * q` together with other terms.
        let most = self.domain.atoms.interval(divisor).1?.checked_sub(1)?;
        let range = Range::new(0, most.clamp(0, i128::from(u64::MAX)));
        let bound = Bound::new;
        let info = AtomInfo {
            lower: vec![bound(remainder.clone())],
            upper: vec![bound(divisor.offset(-1)?), bound(remainder)],
            ..AtomInfo::of(range)
        };
        let atom = self.domain.atoms.add(info);
        self.domain.operations.insert(key, atom);
        Some(Poly::atom(atom))
    }

    /// Returns a number that is not negative, and at most each of some numbers.
    fn at_most(&mut self, limits: &[Poly]) -> Poly {
        let hi = limits.iter().filter_map(|limit| self.domain.atoms.interval(limit).1).min();
        let upper = limits.iter().map(|limit| Bound::new(limit.clone())).collect();
        let range = Range::new(0, hi.unwrap_or(i128::from(u64::MAX)).clamp(0, i128::from(u64::MAX)));
        let info = AtomInfo { upper, ..AtomInfo::of(range) };
        Poly::atom(self.domain.atoms.add(info))
    }

    /// Returns the facts of a comparison.
    pub(super) fn compare(&mut self, op: Operator, left: Value, right: Value, literals: (Option<bool>, bool)) -> Value {
        let (Value::Int { scalar: left_type, .. }, Value::Int { scalar: right_type, .. }) = (&left, &right) else {
            return Value::boolean();
        };
        let ty = self.operation_type(*left_type, *right_type, literals);
        let (Some(left), Some(right)) = (self.exact_int(left, ty), self.exact_int(right, ty)) else {
            return Value::boolean();
        };
        let fact = |poly: Option<Poly>| poly.map(|poly| self.domain.atoms.fact(poly, Condition::TRUE));
        let less = |left: &Poly, right: &Poly| fact(right.sub(left).and_then(|poly| poly.offset(-1)));
        let at_most = |left: &Poly, right: &Poly| fact(right.sub(left));
        // `None` if a fact contradicts the ranges of the atoms: the comparison is decided.
        let list = |facts: Vec<Option<Rc<Fact>>>| {
            let facts: Facts = facts.into_iter().flatten().collect();
            let impossible = |fact: &Rc<Fact>| self.domain.atoms.interval(&fact.poly).1.is_some_and(|hi| hi < 0);
            (!facts.iter().any(impossible)).then_some(facts)
        };
        let ordered = |yes, no| Value::Bool([list(vec![no]), list(vec![yes])]);
        match op {
            Operator::Lt => ordered(less(&left, &right), at_most(&right, &left)),
            Operator::Le => ordered(at_most(&left, &right), less(&right, &left)),
            Operator::Gt => ordered(less(&right, &left), at_most(&left, &right)),
            Operator::Ge => ordered(at_most(&right, &left), less(&left, &right)),
            _ => {
                let equal = list(vec![at_most(&left, &right), at_most(&right, &left)]);
                // Different from a limit: on the other side of it.
                let difference = left.sub(&right);
                let differs = difference.map_or_else(Vec::new, |difference| {
                    if self.domain.atoms.is_nonnegative(&difference) {
                        vec![less(&right, &left)]
                    } else if self.domain.atoms.is_nonpositive(&difference) {
                        vec![less(&left, &right)]
                    } else {
                        Vec::new()
                    }
                });
                let differs = list(differs);
                Value::Bool(if op == Operator::Eq { [differs, equal] } else { [equal, differs] })
            }
        }
    }

    fn eval_call(&mut self, call: &'m Expr, callee: &CallTarget, args: &'m [Expr]) -> Value {
        let (noted, exits) = (self.noted(), self.possible_exits);
        let values: Vec<Value> = args.iter().map(|arg| self.eval(arg)).collect();
        // What a check proves about its operands, if nothing among them can prevent its evaluation.
        let operands = (self.possible_exits == exits).then_some(noted);
        match callee {
            CallTarget::Helper(helper, _) => {
                let required = self.required;
                let value = self.helper(call, *helper, (args, operands), values);
                if self.required == required {
                    // Nothing is known about this check, so it stays.
                    self.require(call, Condition::FALSE, &[]);
                }
                value
            }
            CallTarget::Function(id, _) => self.call(*id, values),
            CallTarget::Builtin(_)
            | CallTarget::Outputs(_)
            | CallTarget::Effect(_)
            | CallTarget::Load { .. }
            | CallTarget::LoadIf
            | CallTarget::Inside { .. } => Value::Unknown,
        }
    }

    fn push_pending(&mut self, polys: impl IntoIterator<Item = Option<Poly>>) {
        // A deferred check proves nothing about what follows it.
        if self.deferring {
            return;
        }
        let atoms = &self.domain.atoms;
        self.pending.extend(polys.into_iter().flatten().map(|poly| atoms.fact(poly, Condition::TRUE)));
    }

    /// Returns a condition that implies `poly >= 0` here.
    fn prove(&mut self, poly: Option<Poly>) -> Condition {
        let Some(State { vars, facts }) = self.state.take() else { return Condition::FALSE };
        let condition = self.domain.prove_some(poly, &facts);
        self.state = Some(State { vars, facts });
        condition
    }

    pub(super) fn prove_within(&mut self, poly: &Poly, range: Range) -> Condition {
        let Some(State { vars, facts }) = self.state.take() else { return Condition::FALSE };
        let condition = self.domain.prove_within(poly, range, &facts);
        self.state = Some(State { vars, facts });
        condition
    }

    /// Returns the value of an operand as the polynomial of its type, and as an exact one.
    fn both_forms(&mut self, value: Value, ty: Scalar) -> Option<(Poly, Poly)> {
        match self.converted(value, ty) {
            Value::Int { poly, scalar, exact } => {
                let exactly = self.exact(poly.clone(), scalar, exact);
                Some((poly, exactly))
            }
            Value::Unknown | Value::Bool(_) | Value::Struct(_) | Value::Array(_) => None,
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table of helpers")]
    fn helper(
        &mut self,
        call: &'m Expr,
        helper: Helper,
        (args, operands): (&'m [Expr], Option<usize>),
        values: Vec<Value>,
    ) -> Value {
        let Helper { op, scalar } = helper;
        let mut values = values.into_iter();
        let mut operand = |this: &mut Self, ty: Scalar| {
            values.next().and_then(|value| this.both_forms(value, ty)).unwrap_or_else(|| {
                let unknown = this.unknown(ty);
                let Value::Int { poly, .. } = unknown else { return (Poly::default(), Poly::default()) };
                (poly.clone(), poly)
            })
        };
        match op {
            Op::At => {
                let ((index, exact), (_, len)) = (operand(self, Scalar::Usize), operand(self, Scalar::Usize));
                let below = self.below(&index, &len);
                let condition = if index == exact || below == Condition::TRUE {
                    below
                } else {
                    // Without overflow, or as a number modulo the width that facts bound.
                    let exactly_below = self.below(&exact, &len);
                    self.domain.conditions.any([below, exactly_below])
                };
                self.require(call, condition, &[&exact]);
                let proved = [Some(exact.clone()), len.sub(&exact).and_then(|poly| poly.offset(-1))];
                if let Some(noted) = operands {
                    self.settle_widths_with(noted, proved.clone(), condition);
                }
                self.push_pending(proved);
                Value::exact(exact, Scalar::Usize)
            }
            Op::Within => {
                let ((_, needed), (_, available)) = (operand(self, Scalar::Usize), operand(self, Scalar::Usize));
                let greatest = Poly::constant(self.range(Scalar::Usize).hi);
                let suffices = self.prove(available.sub(&needed));
                let fits = self.prove(greatest.sub(&needed).and_then(|rest| rest.offset(-1)));
                let condition = self.domain.conditions.all([suffices, fits]);
                self.require(call, condition, &[]);
                Value::boolean()
            }
            Op::PartLen | Op::PartToLen => {
                let (_, start) = operand(self, Scalar::Usize);
                let (_, end) = operand(self, Scalar::Usize);
                let (_, len) = operand(self, Scalar::Usize);
                // The end of a closed range is one past its last element.
                let end = if op == Op::PartToLen { end.offset(1) } else { Some(end) };
                let Some(end) = end else { return self.unknown(Scalar::Usize) };
                let (part, rest) = (end.sub(&start), len.sub(&end));
                let in_order = self.prove(part.clone());
                let inside = self.prove(rest.clone());
                let condition = self.domain.conditions.all([in_order, inside]);
                self.require(call, condition, &[&start, &end]);
                self.push_pending([part.clone(), rest]);
                part.map_or(Value::Unknown, |part| Value::exact(part, Scalar::Usize))
            }
            Op::RestLen => {
                let ((_, start), (_, len)) = (operand(self, Scalar::Usize), operand(self, Scalar::Usize));
                let rest = len.sub(&start);
                let condition = self.prove(rest.clone());
                self.require(call, condition, &[&start]);
                self.push_pending([rest.clone()]);
                rest.map_or(Value::Unknown, |rest| Value::exact(rest, Scalar::Usize))
            }
            Op::SplitAt => {
                let ((_, at), (_, len)) = (operand(self, Scalar::Usize), operand(self, Scalar::Usize));
                let rest = len.sub(&at);
                let condition = self.prove(rest.clone());
                self.require(call, condition, &[&at]);
                self.push_pending([rest]);
                Value::exact(at, Scalar::Usize)
            }
            Op::Add | Op::Sub | Op::Mul => {
                let ((_, left), (_, right)) = (operand(self, scalar), operand(self, scalar));
                let result = match op {
                    Op::Add => left.add(&right),
                    Op::Sub => left.sub(&right),
                    _ => left.mul(&right),
                };
                let range = self.range(scalar);
                let condition = match &result {
                    Some(result) => self.prove_within(result, range),
                    None => Condition::FALSE,
                };
                self.require(call, condition, &[&left, &right]);
                match result {
                    Some(result) => {
                        self.push_pending([result.offset(-range.lo), Poly::constant(range.hi).sub(&result)]);
                        Value::exact(result, scalar)
                    }
                    None => self.unknown(scalar),
                }
            }
            Op::WrappingAdd | Op::WrappingSub | Op::WrappingMul => {
                let ((left, _), (right, _)) = (operand(self, scalar), operand(self, scalar));
                let result = match op {
                    Op::WrappingAdd => left.add(&right),
                    Op::WrappingSub => left.sub(&right),
                    _ => left.mul(&right),
                };
                result.map_or_else(|| self.unknown(scalar), |poly| Value::wrapping(Some(poly), scalar))
            }
            Op::WrappingNeg => {
                let (operand, _) = operand(self, scalar);
                Value::wrapping(Poly::default().sub(&operand), scalar)
            }
            Op::ShiftAmount => {
                let ((_, amount), (_, width)) = (operand(self, Scalar::U64), operand(self, Scalar::U32));
                let rest = width.sub(&amount).and_then(|poly| poly.offset(-1));
                let condition = self.prove(rest.clone());
                self.require(call, condition, &[&amount]);
                self.push_pending([rest]);
                Value::exact(amount, Scalar::U64)
            }
            Op::Div | Op::Rem => {
                let ((_, left), (_, right)) = (operand(self, scalar), operand(self, scalar));
                // For signed types, the minimum divided by -1 overflows.
                let positive = self.prove(right.offset(-1));
                self.require(call, positive, &[&right]);
                let unsigned = !scalar.is_signed()
                    || (self.domain.atoms.is_nonnegative(&left) && self.domain.atoms.is_nonnegative(&right));
                if !unsigned {
                    return self.unknown(scalar);
                }
                self.push_pending([right.offset(-1)]);
                let result =
                    if op == Op::Div { self.domain.quotient(&left, &right) } else { self.remainder(&left, &right) };
                result.map_or_else(|| self.unknown(scalar), |poly| Value::exact(poly, scalar))
            }
            Op::DivCeil if !scalar.is_signed() => {
                let ((_, left), (_, right)) = (operand(self, scalar), operand(self, scalar));
                let positive = self.prove(right.offset(-1));
                self.require(call, positive, &[&right]);
                let dividend = left.add(&right).and_then(|poly| poly.offset(-1));
                let result = dividend.and_then(|dividend| self.domain.quotient(&dividend, &right));
                result.map_or_else(|| self.unknown(scalar), |poly| Value::exact(poly, scalar))
            }
            Op::NextMultipleOf | Op::CheckedNextMultipleOf if !scalar.is_signed() => {
                let ((_, left), (_, right)) = (operand(self, scalar), operand(self, scalar));
                let positive = self.prove(right.offset(-1));
                // The result is at most this.
                let greatest = left.add(&right).and_then(|sum| sum.offset(-1));
                let limit = Poly::constant(self.range(scalar).hi);
                let fits = self.prove(greatest.and_then(|greatest| limit.sub(&greatest)));
                let condition = self.domain.conditions.all([positive, fits]);
                self.require(call, condition, &[&left, &right]);
                self.unknown(scalar)
            }
            Op::Neg => {
                let (_, value) = operand(self, scalar);
                let result = Poly::default().sub(&value);
                let range = self.range(scalar);
                let condition = result.as_ref().map_or(Condition::FALSE, |result| self.prove_within(result, range));
                self.require(call, condition, &[&value]);
                match result {
                    Some(result) => {
                        self.push_pending([result.offset(-range.lo), Poly::constant(range.hi).sub(&result)]);
                        Value::exact(result, scalar)
                    }
                    None => self.unknown(scalar),
                }
            }
            Op::CheckedAbs => {
                let (_, value) = operand(self, scalar);
                let opposite = Poly::default().sub(&value);
                let limit = Poly::constant(self.range(scalar).hi);
                let fits = opposite.as_ref().and_then(|opposite| limit.sub(opposite));
                let condition = self.prove(fits);
                self.require(call, condition, &[&value]);
                let result = opposite.and_then(|opposite| self.domain.extreme(false, &value, &opposite));
                result.map_or_else(|| self.unknown(scalar), |poly| Value::exact(poly, scalar))
            }
            Op::Min | Op::Max if scalar.is_integer() => {
                let ((_, left), (_, right)) = (operand(self, scalar), operand(self, scalar));
                let result = self.domain.extreme(op == Op::Min, &left, &right);
                result.map_or_else(|| self.unknown(scalar), |poly| Value::exact(poly, scalar))
            }
            Op::Clamp | Op::ClampTo if scalar.is_integer() => {
                let ((_, x), (_, low), (_, high)) =
                    (operand(self, scalar), operand(self, scalar), operand(self, scalar));
                if op == Op::Clamp {
                    let in_order = self.prove(high.sub(&low));
                    self.require(call, in_order, &[&low, &high]);
                }
                let above = self.domain.extreme(false, &x, &low);
                let result = above.and_then(|above| self.domain.extreme(true, &above, &high));
                result.map_or_else(|| self.unknown(scalar), |poly| Value::exact(poly, scalar))
            }
            Op::SaturatingAdd | Op::SaturatingMul if scalar.is_integer() && !scalar.is_signed() => {
                let ((_, left), (_, right)) = (operand(self, scalar), operand(self, scalar));
                let greatest = Poly::constant(self.range(scalar).hi);
                let result = if op == Op::SaturatingAdd { left.add(&right) } else { left.mul(&right) };
                let result = result.and_then(|result| self.domain.extreme(true, &result, &greatest));
                result.map_or_else(|| self.unknown(scalar), |poly| Value::exact(poly, scalar))
            }
            Op::SaturatingSub if scalar.is_integer() && !scalar.is_signed() => {
                let ((_, left), (_, right)) = (operand(self, scalar), operand(self, scalar));
                let zero = Poly::default();
                let result = left.sub(&right).and_then(|difference| self.domain.extreme(false, &difference, &zero));
                result.map_or_else(|| self.unknown(scalar), |poly| Value::exact(poly, scalar))
            }
            Op::Step if scalar.is_integer() => {
                let ((_, from), (_, end)) = (operand(self, scalar), operand(self, scalar));
                let (_, by) = operand(self, Scalar::Usize);
                if self.widths.is_some() {
                    self.note_step(call, scalar, &from, &by);
                }
                // It is called with a counter below the end: the sum is at most `end - 1 + by`.
                let greatest = end.add(&by).and_then(|sum| sum.offset(-1));
                let limit = Poly::constant(self.range(scalar).hi);
                let condition = self.prove(greatest.and_then(|greatest| limit.sub(&greatest)));
                self.require(call, condition, &[]);
                let bound = |limit: &Poly| Bound::new(limit.clone());
                let info = AtomInfo {
                    lower: vec![bound(&from)],
                    upper: vec![bound(&end)],
                    ..AtomInfo::of(self.range(scalar))
                };
                Value::exact(Poly::atom(self.domain.atoms.add(info)), scalar)
            }
            Op::DynamicSharedBytes => {
                Value::exact(Poly::atom(self.symbol(LaunchSymbol::DynamicSharedBytes)), Scalar::Usize)
            }
            Op::LaneId => Value::exact(Poly::atom(self.domain.atoms.fresh(Range::new(0, 31))), Scalar::U32),
            Op::LeadingZeros | Op::TrailingZeros | Op::CountOnes => {
                Value::exact(Poly::atom(self.domain.atoms.fresh(Range::new(0, 64))), Scalar::U32)
            }
            Op::StepTo | Op::StepDown | Op::OverflowingAdd | Op::OverflowingSub | Op::OverflowingMul => {
                let steps = matches!(op, Op::StepTo | Op::StepDown);
                let output = op.output().and_then(|position| args.get(position));
                if let (Some(Expr::Var(var)), Some(_)) = (output, &self.widths) {
                    let (_, (_, last)) = (operand(self, scalar), operand(self, scalar));
                    self.step_towards(*var, steps.then_some(&last));
                }
                match output {
                    Some(Expr::Var(var)) => self.assign(*var, Value::Unknown),
                    Some(place) => self.assign_field(place, Value::Unknown),
                    None => {}
                }
                Value::boolean()
            }
            Op::IsMultipleOf | Op::IsNan | Op::IsInfinite | Op::IsFinite | Op::IsNormal => Value::boolean(),
            _ => Value::Unknown,
        }
    }

    /// Returns a condition that implies `0 <= index < len`.
    fn below(&mut self, index: &Poly, len: &Poly) -> Condition {
        let above = self.prove(Some(index.clone()));
        if above == Condition::FALSE {
            return above;
        }
        let below = self.prove(len.sub(index).and_then(|poly| poly.offset(-1)));
        self.domain.conditions.all([above, below])
    }
}

/// Returns the type after C's integral promotion.
fn promoted(scalar: Scalar, bits: u32) -> Scalar {
    if bits < 32 { Scalar::I32 } else { scalar }
}
