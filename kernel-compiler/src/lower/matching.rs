//! Lowering of `match`: to a chain of `if`s, or to a `switch` if every arm but the last is a list of integers.
//!
//! rustc has checked exhaustiveness, so the last arm without a guard becomes an `else`. If a guard requires statements,
//! or variables that only its pattern binds, the following arms are reachable both from a failed match and from a
//! failed guard. They then follow in the same block, and an arm that was taken jumps past them.

use crate::ir::{Arm, BinaryOp, Constant, ConstantValue, ExprId, ExprKind, Filled, Literal, Pattern, Scalar, Type};
use crate::ir::{alternatives, binding_count, expanded, variant_of};

use crate::lower::control::not;
use crate::lower::expr::literal;
use crate::lower::function::Lowering;
use crate::lower::target::Target;
use crate::lower::value::{Value, field_type};
use crate::lower::{CType, Case, Expr, Label, Operator, StmtKind};

/// The minimum number of arms for a `switch`.
const SWITCH_ARMS: usize = 4;

impl<'a> Lowering<'a, '_> {
    /// `match scrutinee { .. }`
    pub(in crate::lower) fn match_(&mut self, scrutinee: ExprId, arms: &[Arm], target: &Target) {
        let arms: Vec<&Arm> = arms.iter().filter(|arm| self.typed.is_reachable(arm.body)).collect();
        let ty = self.ty(scrutinee);
        let value = self.scrutinee(scrutinee, &arms);
        if matches!(value, Value::Never) {
            return;
        }
        if self.switch(&arms, &value, ty, target) {
            return;
        }
        let mut end = None;
        let (body, ()) = self.scope(|this| this.arms(&arms, &value, ty, target, &mut end));
        match end {
            Some(end) => self.push(StmtKind::Block { body, end }),
            None => body.into_iter().for_each(|stmt| self.append(stmt)),
        }
    }

    /// Returns the arm that is taken in any case, if constant conditions determine it.
    pub(in crate::lower) fn constant_arm(&self, arms: &'a [Arm]) -> Option<&'a Arm> {
        let mut reachable = arms.iter().filter(|arm| self.typed.is_reachable(arm.body));
        match (reachable.next(), reachable.next()) {
            (Some(arm), None) if self.runtime_guard(arm.guard).is_none() => Some(arm),
            _ => None,
        }
    }

    /// Returns the scrutinee for inspection by the arms: evaluated once, and copied if others could change it.
    pub(in crate::lower) fn scrutinee(&mut self, scrutinee: ExprId, arms: &[&Arm]) -> Value {
        let Some((last, tested)) = arms.split_last() else { return self.value(scrutinee) };
        // The last arm is not tested, but may bind variables.
        let inspections =
            tested.iter().map(|arm| inspections(&arm.pattern)).sum::<usize>() + binding_count(&last.pattern);
        if inspections == 0 && matches!(self.expr(scrutinee).kind, ExprKind::Constant(_)) {
            return Value::Unit;
        }
        let (value, effect) = self.root_place(scrutinee);
        if inspections == 0 && !matches!(value, Value::Never) {
            self.store(value, effect, &Target::Discard);
            return Value::Unit;
        }
        let value = if effect { self.perform(value) } else { value };
        // A guard may change the variables that a value consists of. (For place expressions, Rust's borrow rules
        // prevent it.)
        let guarded = arms.iter().any(|arm| self.runtime_guard(arm.guard).is_some());
        let value = if guarded && !self.is_in_place(scrutinee) {
            let value = self.load(value);
            self.saved(value)
        } else {
            value
        };
        let first = arms.first().map(|arm| &arm.pattern);
        match (inspections, first) {
            // The first condition is the only use of the value.
            (1, Some(Pattern::Literal(_) | Pattern::Constant(_))) if is_number(&value) => value,
            _ => self.matched(value, self.ty(scrutinee)),
        }
    }

    /// Returns a value that can be inspected repeatedly, independently of the arms' effects.
    fn matched(&mut self, value: Value, ty: &Type) -> Value {
        match value {
            Value::Parts(parts) => {
                let parts = parts.into_iter().enumerate();
                Value::Parts(parts.map(|(i, part)| self.matched(part, &field_type(ty, i))).collect())
            }
            Value::Scalar(expr, scalar) => {
                if matches!(expr, Expr::Var(_) | Expr::Literal(..) | Expr::Variant(..)) {
                    return Value::Scalar(expr, scalar);
                }
                let c = match ty.target() {
                    Type::Enum(_) => self.output.types.value(ty.target()),
                    _ => CType::Scalar(scalar),
                };
                Value::Scalar(self.constant("matched", c, expr), scalar)
            }
            Value::Place { target: Type::Scalar(_) | Type::Enum(_), .. } => {
                let value = self.load(value);
                self.matched(value, ty)
            }
            Value::Place { lvalue, target } if self.is_in_memory(&lvalue) => {
                let c = self.output.types.value(&target);
                match self.load(Value::Place { lvalue, target }) {
                    Value::Whole(expr, target) => Value::Whole(self.constant("matched", c, expr), target),
                    other => other,
                }
            }
            value => self.once(value),
        }
    }

    /// Lowers the arms in order. `end` is the label after all of them.
    fn arms(&mut self, arms: &[&Arm], value: &Value, ty: &Type, target: &Target, end: &mut Option<Label>) {
        let Some((arm, rest)) = arms.split_first() else { return };
        let Arm { pattern, guard, body } = arm;
        let guard = self.runtime_guard(*guard);
        if guard.is_none() && !rest.iter().any(|arm| self.runtime_guard(arm.guard).is_none()) {
            return self.arm(pattern, *body, value, ty, target);
        }
        let matches = self.match_condition(pattern, value, ty);
        let plain = guard.map(|guard| self.plain_guard(pattern, guard, value, ty));
        let condition = match (matches, plain) {
            (matches, None) => matches,
            (Some(matches), Some(Some(guard))) => Some(Expr::binary(Operator::Both, matches, guard)),
            (None, Some(Some(guard))) => Some(guard),
            (_, Some(None)) => {
                self.guarded(arm, value, ty, target, end);
                return self.arms(rest, value, ty, target, end);
            }
        };
        let (then, ()) = self.scope(|this| this.arm(pattern, *body, value, ty, target));
        match condition {
            None => then.into_iter().for_each(|stmt| self.append(stmt)),
            Some(condition) => {
                let (otherwise, ()) = self.scope(|this| this.arms(rest, value, ty, target, end));
                self.if_else(condition, then, otherwise);
            }
        }
    }

    /// Returns a guard, unless it is constant `true`.
    fn runtime_guard(&self, guard: Option<ExprId>) -> Option<ExprId> {
        guard.filter(|guard| self.typed.constant_bool(*guard) != Some(true))
    }

    /// Lowers an arm that is taken.
    fn arm(&mut self, pattern: &Pattern, body: ExprId, value: &Value, ty: &Type, target: &Target) {
        self.at_line(self.expr(body).span, |this| {
            this.bind_value(pattern, value.clone(), ty);
            this.into(body, target);
        });
    }

    /// Lowers an arm whose guard requires statements or bindings of its own, and which is followed by another arm.
    ///
    /// The guard is evaluated for each matching alternative of the pattern until it is true (Rust reference, "Match
    /// guards"). Therefore the guard is emitted once per alternative. The body is emitted once, after all of them,
    /// since it may declare shared memory or contain a barrier. `validate` rejects such operations in guards of
    /// patterns with alternatives.
    ///
    /// ```text
    /// {
    ///     {
    ///         if (matches 1) { v = ..; if (guard) goto taken; }
    ///         if (matches 2) { v = ..; if (guard) goto taken; }
    ///         goto next;
    ///     }
    ///     taken:;
    ///     body; goto matched;
    /// }
    /// next:;
    /// ```
    fn guarded(&mut self, arm: &Arm, value: &Value, ty: &Type, target: &Target, end: &mut Option<Label>) {
        let Arm { pattern, guard: Some(guard), body } = arm else { return };
        let alternatives = alternatives(pattern);
        let taken_body = |this: &mut Self, end: &mut Option<Label>| {
            this.at_line(this.expr(*body).span, |this| this.into(*body, target));
            if this.is_end_reachable() {
                let label = *end.get_or_insert_with(|| this.label("matched"));
                this.push(StmtKind::Goto(label));
            }
        };
        if let [pattern] = alternatives.as_slice() {
            let bind = |this: &mut Self| this.bind_value(pattern, value.clone(), ty);
            return self.alternative(pattern, *guard, value, ty, bind, |this| taken_body(this, end));
        }
        let mut locals = Vec::new();
        pattern.for_each_local(&mut |local| locals.push((local, self.declared_local(local))));
        for (local, vars) in &locals {
            self.locals[local.index()] = vars.clone();
        }
        let (taken, next) = (self.label("taken"), self.label("next"));
        let (arm, ()) = self.scope(|this| {
            let (tests, ()) = this.scope(|this| {
                for pattern in &alternatives {
                    let bind = |this: &mut Self| this.assign_bindings(pattern, value, ty, &locals);
                    let take = |this: &mut Self| this.push(StmtKind::Goto(taken));
                    this.alternative(pattern, *guard, value, ty, bind, take);
                }
                this.push(StmtKind::Goto(next));
            });
            this.push(StmtKind::Block { body: tests, end: taken });
            taken_body(this, end);
        });
        self.push(StmtKind::Block { body: arm, end: next });
    }

    /// Emits `if (matches) { bind; if (guard) { taken } }`.
    fn alternative(
        &mut self,
        pattern: &Pattern,
        guard: ExprId,
        value: &Value,
        ty: &Type,
        bind: impl FnOnce(&mut Self),
        taken: impl FnOnce(&mut Self),
    ) {
        let condition = self.match_condition(pattern, value, ty);
        let (then, ()) = self.scope(|this| {
            this.at_line(this.expr(guard).span, |this| {
                bind(this);
                let holds = this.value(guard).expr();
                let (taken, ()) = this.scope(taken);
                this.push(StmtKind::If { condition: holds, then: taken, otherwise: Vec::new() });
            });
        });
        match condition {
            Some(condition) => self.push(StmtKind::If { condition, then, otherwise: Vec::new() }),
            None => then.into_iter().for_each(|stmt| self.append(stmt)),
        }
    }

    /// Returns a guard as a C expression, with the pattern's variables bound to the scrutinee, if it needs no
    /// statements.
    fn plain_guard(&mut self, pattern: &Pattern, guard: ExprId, value: &Value, ty: &Type) -> Option<Expr> {
        if expanded(pattern).len() > 1 {
            return None;
        }
        let mut bound = Vec::new();
        self.bindings(pattern, value.clone(), ty, &mut bound);
        if bound.iter().any(|(local, _)| self.is_assigned(*local)) {
            return None;
        }
        let before = self.locals.clone();
        let (stmts, guard) = self.scope(|this| {
            for (local, value) in bound {
                this.locals[local.index()] = this.as_local(local, value);
            }
            this.value(guard).expr()
        });
        self.locals = before;
        stmts.is_empty().then_some(guard)
    }

    /// Returns the condition that a value matches a pattern; `None` if every value does.
    pub(in crate::lower) fn match_condition(&mut self, pattern: &Pattern, value: &Value, ty: &Type) -> Option<Expr> {
        // If no pattern inspects the scrutinee, it has not been evaluated.
        if inspections(pattern) == 0 {
            return None;
        }
        match pattern {
            Pattern::Wild | Pattern::Local(_) => None,
            Pattern::At(_, inner) => self.match_condition(inner, value, ty),
            Pattern::Struct { name: Some(name), fields } if let Type::Enum(choice) = ty.target() => {
                debug_assert!(fields.is_empty(), "a fieldless enum has no fields");
                let position = choice.variants.iter().position(|variant| variant.name == *name)?;
                let expected = self.known(ty.target(), &ConstantValue::Bits(choice.variants[position].bits));
                Some(self.compared(BinaryOp::Eq, value, expected))
            }
            Pattern::Tuple(_) | Pattern::Struct { .. } | Pattern::Array(_) => {
                let variant = match pattern {
                    Pattern::Struct { name: Some(name), fields: _ } => ty.variant(name),
                    _ => None,
                };
                let is_variant = variant.map(|variant| self.is_variant(value.clone(), ty.target(), variant));
                let parts = self.parts(pattern, value.clone(), ty);
                let conditions =
                    parts.into_iter().filter_map(|(pattern, part, ty)| self.match_condition(pattern, &part, &ty));
                let conditions: Vec<Expr> = conditions.collect();
                let conditions = is_variant.into_iter().chain(conditions);
                conditions.reduce(|all, condition| Expr::binary(Operator::Both, all, condition))
            }
            Pattern::Literal(Literal::Bool(expected)) => {
                let value = self.load(value.clone()).expr();
                Some(if *expected { value } else { not(value) })
            }
            Pattern::Literal(expected) => {
                let expected = literal(expected, ty);
                Some(self.compared(BinaryOp::Eq, value, expected))
            }
            Pattern::Constant(slot) => {
                let instance = &self.typed.instance;
                let Filled::Constant(Constant { ty, value: expected }) = &instance.slots[slot.index()] else {
                    return None;
                };
                self.equals(value, ty, expected)
            }
            Pattern::Range { start, end, inclusive } => {
                let bound = |this: &mut Self, bound: &Option<Box<Pattern>>| match bound.as_deref() {
                    Some(Pattern::Literal(bound)) => Some(literal(bound, ty)),
                    Some(Pattern::Constant(slot)) => match &this.typed.instance.slots[slot.index()] {
                        Filled::Constant(constant) => Some(this.constant_value(constant)),
                        Filled::Type(_) | Filled::Callee(_) | Filled::Operator(_) => None,
                    },
                    _ => None,
                };
                let start = bound(self, start).filter(|start| !is_minimum(start));
                let start = start.map(|start| self.compared(BinaryOp::Ge, value, start));
                let op = if *inclusive { BinaryOp::Le } else { BinaryOp::Lt };
                let end = bound(self, end).map(|end| self.compared(op, value, end));
                [start, end].into_iter().flatten().reduce(|all, one| Expr::binary(Operator::Both, all, one))
            }
            Pattern::Or(choices) => {
                let mut any: Option<Expr> = None;
                for choice in choices {
                    let matches = self.match_condition(choice, value, ty)?;
                    any = Some(match any {
                        Some(any) => Expr::binary(Operator::Either, any, matches),
                        None => matches,
                    });
                }
                any
            }
        }
    }

    /// Returns the condition that a value of an enum with data is the variant.
    pub(in crate::lower) fn is_variant(&mut self, value: Value, ty: &Type, variant: usize) -> Expr {
        let Some(tag) = ty.tag() else { return Expr::Literal(Scalar::Bool, 1) };
        let expected = self.known(&field_type(ty, 0), &ConstantValue::Bits(tag.variants[variant].bits));
        let tag = self.project(value, ty, 0);
        self.compared(BinaryOp::Eq, &tag, expected)
    }

    /// Returns a comparison of scalars or enums.
    fn compared(&mut self, op: BinaryOp, value: &Value, with: Value) -> Expr {
        match (self.load(value.clone()), with) {
            (Value::Scalar(left, scalar), Value::Scalar(right, _)) => {
                self.arithmetic(op, (left, scalar), (right, scalar), crate::ir::Span::default())
            }
            _ => Expr::Literal(Scalar::Bool, 0),
        }
    }

    /// Returns the condition that a value equals a constant; `None` if there is nothing to compare.
    fn equals(&mut self, value: &Value, ty: &Type, expected: &ConstantValue) -> Option<Expr> {
        match (ty, expected) {
            (Type::Scalar(Scalar::Bool), ConstantValue::Bits(bits)) => {
                let value = self.load(value.clone()).expr();
                Some(if *bits != 0 { value } else { not(value) })
            }
            (Type::Scalar(_) | Type::Enum(_), ConstantValue::Bits(_)) => {
                let expected = Constant { ty: ty.clone(), value: expected.clone() };
                let expected = self.constant_value(&expected);
                Some(self.compared(BinaryOp::Eq, value, expected))
            }
            (ty, ConstantValue::Parts(_)) if ty.tag().is_some() => {
                let (variant, payload_type, expected) = variant_of(ty, expected)?;
                let mut conditions = vec![self.is_variant(value.clone(), ty, variant)];
                let payload = self.project(value.clone(), ty, variant + 1);
                // The payload of a union repeats the tag.
                let fields: Vec<(Option<usize>, Type)> =
                    ty.payload_fields(variant).into_iter().map(|(_, position, of)| (position, of.clone())).collect();
                for (position, of) in fields {
                    let (part, expected) = match (position, expected) {
                        (Some(position), ConstantValue::Parts(parts)) => {
                            (self.project(payload.clone(), payload_type, position), parts.get(position)?)
                        }
                        _ => (payload.clone(), expected),
                    };
                    conditions.extend(self.equals(&part, &of, expected));
                }
                conditions.into_iter().reduce(|all, condition| Expr::binary(Operator::Both, all, condition))
            }
            (_, ConstantValue::Parts(parts)) => {
                let conditions = parts.iter().enumerate().filter_map(|(position, expected)| {
                    let (part, ty) = match (ty, value) {
                        (
                            Type::Array(element, _),
                            Value::Whole(array, _) | Value::Place { lvalue: array, target: _ },
                        ) => {
                            let index = Expr::int(Scalar::Usize, position as u64);
                            let lvalue = Expr::index(array.clone(), index);
                            (Value::Place { lvalue, target: (**element).clone() }, (**element).clone())
                        }
                        _ => (self.project(value.clone(), ty, position), field_type(ty, position)),
                    };
                    self.equals(&part, &ty, expected)
                });
                conditions.reduce(|all, condition| Expr::binary(Operator::Both, all, condition))
            }
            (_, ConstantValue::Bits(_)) => None,
        }
    }

    /// Emits a `switch` if all arms of a `match` on a scalar or an enum are lists of constants. Returns whether they
    /// are.
    fn switch(&mut self, arms: &[&Arm], value: &Value, ty: &Type, target: &Target) -> bool {
        let Value::Scalar(on, scalar) = value else { return false };
        if arms.len() < SWITCH_ARMS
            || !scalar.is_integer()
            || arms.iter().any(|arm| self.runtime_guard(arm.guard).is_some())
        {
            return false;
        }
        let Some((last, case_values)) = arms.split_last() else { return false };
        let mut seen = Vec::new();
        let mut lists = Vec::with_capacity(case_values.len());
        for arm in case_values {
            let mut values = Vec::new();
            if !self.case_values(&arm.pattern, ty, &mut values) {
                return false;
            }
            // Values that an earlier arm lists do not reach this arm.
            values.retain(|value| {
                let bits = self.bits_of(value);
                let new = !seen.contains(&bits);
                seen.push(bits);
                new
            });
            lists.push(values);
        }
        self.switches += 1;
        let mut cases = Vec::with_capacity(case_values.len());
        for (arm, values) in case_values.iter().zip(lists) {
            let (body, ()) = self.scope(|this| this.arm(&arm.pattern, arm.body, &Value::Never, ty, target));
            if !values.is_empty() {
                cases.push(Case { values, body });
            }
        }
        let (otherwise, ()) = self.scope(|this| this.arm(&last.pattern, last.body, value, ty, target));
        self.switches -= 1;
        self.push(StmtKind::Switch { on: on.clone(), cases, otherwise });
        true
    }

    /// Collects the values that match a pattern; returns whether the pattern is a list of values.
    fn case_values(&mut self, pattern: &Pattern, ty: &Type, values: &mut Vec<Expr>) -> bool {
        let value = match pattern {
            Pattern::Literal(value @ Literal::Int { .. }) => literal(value, ty),
            Pattern::Constant(slot) => match &self.typed.instance.slots[slot.index()] {
                Filled::Constant(constant) => self.constant_value(constant),
                Filled::Type(_) | Filled::Callee(_) | Filled::Operator(_) => return false,
            },
            Pattern::Or(choices) => return choices.iter().all(|choice| self.case_values(choice, ty, values)),
            Pattern::Wild
            | Pattern::Local(_)
            | Pattern::At(..)
            | Pattern::Tuple(_)
            | Pattern::Struct { .. }
            | Pattern::Array(_)
            | Pattern::Literal(_)
            | Pattern::Range { .. } => return false,
        };
        let Value::Scalar(value, _) = value else { return false };
        values.push(value);
        true
    }

    /// Returns the bits of a `case` value.
    fn bits_of(&self, value: &Expr) -> Option<u64> {
        match value {
            Expr::Literal(_, bits) => Some(*bits),
            Expr::Variant(id, position) => match &self.output.types.defs[id.index()].kind {
                crate::lower::TypeKind::Enum { repr: _, variants } => variants.get(*position).map(|(_, bits)| *bits),
                crate::lower::TypeKind::Struct { .. } => None,
            },
            _ => None,
        }
    }
}

/// Returns the number of times that a pattern inspects the scrutinee.
fn inspections(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Wild => 0,
        Pattern::Local(_) | Pattern::Literal(_) | Pattern::Constant(_) => 1,
        Pattern::At(_, inner) => 1 + inspections(inner),
        Pattern::Range { start, end, inclusive: _ } => usize::from(start.is_some()) + usize::from(end.is_some()),
        Pattern::Tuple(parts) | Pattern::Array(parts) | Pattern::Or(parts) => parts.iter().map(inspections).sum(),
        // The name may be that of a variant, whose tag is inspected.
        Pattern::Struct { name, fields } => {
            usize::from(name.is_some()) + fields.iter().map(|(_, field)| inspections(field)).sum::<usize>()
        }
    }
}

/// Returns whether the value is a scalar or an enum, or a place of one.
fn is_number(value: &Value) -> bool {
    matches!(value, Value::Scalar(..) | Value::Place { target: Type::Scalar(_) | Type::Enum(_), .. })
}

/// Returns whether a bound is the minimum of its integer type, so that no comparison is needed.
fn is_minimum(bound: &Value) -> bool {
    let Value::Scalar(Expr::Literal(_, bits), scalar) = bound else { return false };
    let least = if scalar.is_signed() { 1 << (scalar.bits() - 1) } else { 0 };
    scalar.is_integer() && *bits == least
}
