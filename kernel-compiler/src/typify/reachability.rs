//! Constant conditions, and the code that they make unreachable.
//!
//! `if N > 4`, `if T::IS_FLOAT` and a `match` on a constant select code for different sizes and types. Code that is not
//! selected need not compile for a GPU, so it is determined before any other analysis. A condition is constant if it
//! follows from constants and literals alone, by operators that cannot fault; variables are not propagated.

use crate::ir::{
    Arm, BinaryOp, Block, Constant, ConstantValue, ExprId, ExprKind, Filled, Instance, LocalId, LogicalOp, Pattern,
    Scalar, SlotId, Type,
};

use super::folding::{Known, all, binary, cast, compare, equal, literal, part, position, unary};

/// The constant conditions and the reachable code of a function.
pub(super) struct Reachability {
    /// For each expression, its value if it is a constant `bool`.
    constants: Vec<Option<bool>>,
    /// Whether the expression is reachable.
    reachable: Vec<bool>,
    /// Whether the variable is a parameter or is declared in reachable code.
    declared: Vec<bool>,
}

impl Reachability {
    pub(super) fn constant_bool(&self, id: ExprId) -> Option<bool> {
        self.constants[id.index()]
    }

    pub(super) fn is_reachable(&self, id: ExprId) -> bool {
        self.reachable[id.index()]
    }

    pub(super) fn is_declared(&self, id: LocalId) -> bool {
        self.declared[id.index()]
    }
}

/// Analyses a well-formed function.
pub(super) fn function(instance: &Instance) -> Reachability {
    let function = &instance.function;
    let mut evaluator = Evaluator { instance, known: Vec::with_capacity(function.exprs.len()) };
    for expr in &function.exprs {
        let known = evaluator.expr(&expr.kind);
        evaluator.known.push(known);
    }
    let mut reachable = vec![false; function.exprs.len()];
    let mut declared = vec![false; function.locals.len()];
    function.params.iter().for_each(|param| declared[param.index()] = true);
    let mut worklist = Vec::new();
    enter(&function.body, &mut worklist, &mut declared);
    while let Some(id) = worklist.pop() {
        reachable[id.index()] = true;
        evaluator.reachable_children(&function.expr(id).kind, &mut worklist, &mut declared);
    }
    let constants = evaluator.known.iter().map(|known| known.and_then(Known::bool)).collect();
    Reachability { constants, reachable, declared }
}

struct Evaluator<'a> {
    instance: &'a Instance,
    /// The constant values of the expressions so far.
    known: Vec<Option<Known<'a>>>,
}

impl<'a> Evaluator<'a> {
    fn of(&self, id: ExprId) -> Option<Known<'a>> {
        self.known[id.index()]
    }

    fn bool(&self, id: ExprId) -> Option<bool> {
        self.of(id).and_then(Known::bool)
    }

    fn expr(&self, kind: &'a ExprKind) -> Option<Known<'a>> {
        match kind {
            ExprKind::Literal { value, slot } => match self.slot_type(*slot)? {
                Type::Scalar(scalar) => Some(Known::Scalar(*scalar, literal(value, *scalar)?)),
                _ => None,
            },
            ExprKind::Constant(slot) => self.constant(*slot),
            ExprKind::Unary { op, operand, operator } if self.is_built_in(*operator) => {
                let Known::Scalar(scalar, bits) = self.of(*operand)? else { return None };
                Some(Known::Scalar(scalar, unary(*op, scalar, bits)?))
            }
            ExprKind::Binary { op, left, right, operator } if self.is_built_in(*operator) => {
                binary(*op, self.of(*left)?, self.of(*right)?)
            }
            ExprKind::Logical { op, left, right } => match (op, self.bool(*left)?) {
                (LogicalOp::And, false) => Some(Known::of_bool(false)),
                (LogicalOp::Or, true) => Some(Known::of_bool(true)),
                (LogicalOp::And, true) | (LogicalOp::Or, false) => self.bool(*right).map(Known::of_bool),
            },
            ExprKind::Cast { operand, slot } => match (self.of(*operand)?, self.slot_type(*slot)?) {
                (Known::Scalar(from, bits), Type::Scalar(to)) => Some(Known::Scalar(*to, cast(from, bits, *to)?)),
                (Known::Constant(Type::Enum(choice), ConstantValue::Bits(bits)), Type::Scalar(to)) => {
                    Some(Known::Scalar(*to, cast(choice.repr, *bits, *to)?))
                }
                _ => None,
            },
            ExprKind::Field { base, name } => {
                let Known::Constant(ty, value) = self.of(*base)? else { return None };
                part(ty, value, position(ty, name)?)
            }
            ExprKind::Index { base, index } => match (self.of(*base)?, self.of(*index)?) {
                (Known::Constant(ty @ Type::Array(..), value), Known::Scalar(Scalar::Usize | Scalar::U32, index)) => {
                    part(ty, value, usize::try_from(index).ok()?)
                }
                _ => None,
            },
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => Some(Known::Parts(parts)),
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise } => {
                if self.bool(*condition)? {
                    self.block(then)
                } else {
                    self.of((*otherwise)?)
                }
            }
            ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Local(_)
            | ExprKind::SubSlice { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Repeat { .. }
            | ExprKind::Call { .. }
            | ExprKind::Borrow { .. }
            | ExprKind::Deref(_)
            | ExprKind::Match { .. }
            | ExprKind::Labelled { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Panic(_)
            | ExprKind::Print(_) => None,
        }
    }

    fn block(&self, block: &Block) -> Option<Known<'a>> {
        if block.stmts.is_empty() { self.of(block.tail?) } else { None }
    }

    fn slot_type(&self, slot: SlotId) -> Option<&'a Type> {
        match &self.instance.slots[slot.index()] {
            Filled::Type(ty) => Some(ty),
            Filled::Callee(_) | Filled::Constant(_) | Filled::Operator(_) => None,
        }
    }

    fn constant(&self, slot: SlotId) -> Option<Known<'a>> {
        match &self.instance.slots[slot.index()] {
            Filled::Constant(Constant { ty, value }) => Some(Known::new(ty, value)),
            Filled::Type(_) | Filled::Callee(_) | Filled::Operator(_) => None,
        }
    }

    fn is_built_in(&self, operator: SlotId) -> bool {
        self.instance.slots[operator.index()] == Filled::Operator(None)
    }

    /// Marks the direct children of an expression that are reachable if the expression is.
    fn reachable_children(&self, kind: &ExprKind, worklist: &mut Vec<ExprId>, declared: &mut [bool]) {
        match kind {
            ExprKind::Logical { op, left, right } => {
                worklist.push(*left);
                match (op, self.bool(*left)) {
                    (LogicalOp::And, Some(false)) | (LogicalOp::Or, Some(true)) => {}
                    (LogicalOp::And, Some(true)) | (LogicalOp::Or, Some(false)) | (_, None) => worklist.push(*right),
                }
            }
            ExprKind::If { condition, then, otherwise } => {
                worklist.push(*condition);
                let constants = self.bool(*condition);
                if constants != Some(false) {
                    enter(then, worklist, declared);
                }
                if constants != Some(true) {
                    worklist.extend(otherwise);
                }
            }
            ExprKind::While { id: _, condition, body, unroll: _ } => {
                worklist.push(*condition);
                if self.bool(*condition) != Some(false) {
                    enter(body, worklist, declared);
                }
            }
            ExprKind::Match { scrutinee, arms } => {
                worklist.push(*scrutinee);
                self.arms(*scrutinee, arms, worklist, declared);
            }
            ExprKind::For { id: _, sequence, body, unroll: _ } => {
                sequence.for_each_child(&mut |child| worklist.push(child));
                sequence.for_each_local(&mut |local| declared[local.index()] = true);
                enter(body, worklist, declared);
            }
            ExprKind::Block(body) | ExprKind::Labelled { id: _, body } | ExprKind::Loop { id: _, body, unroll: _ } => {
                enter(body, worklist, declared);
            }
            ExprKind::Literal { .. }
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Index { .. }
            | ExprKind::SubSlice { .. }
            | ExprKind::Field { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Struct { .. }
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Call { .. }
            | ExprKind::Borrow { .. }
            | ExprKind::Deref(_)
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Panic(_)
            | ExprKind::Print(_) => kind.for_each_child(&mut |child| worklist.push(child)),
        }
    }

    /// Marks the arms of a `match` that may be taken: those up to the first that is known to match.
    fn arms(&self, scrutinee: ExprId, arms: &[Arm], worklist: &mut Vec<ExprId>, declared: &mut [bool]) {
        let scrutinee = self.of(scrutinee);
        for Arm { pattern, guard, body } in arms {
            let matches = self.matches(pattern, scrutinee);
            let holds = guard.map_or(Some(true), |guard| self.bool(guard));
            if matches == Some(false) || holds == Some(false) {
                continue;
            }
            worklist.extend(guard);
            worklist.push(*body);
            pattern.for_each_local(&mut |local| declared[local.index()] = true);
            if matches == Some(true) && holds == Some(true) {
                break;
            }
        }
    }

    /// Returns whether a value matches a pattern, if that is known.
    fn matches(&self, pattern: &Pattern, value: Option<Known<'a>>) -> Option<bool> {
        match pattern {
            Pattern::Wild | Pattern::Local(_) => Some(true),
            Pattern::At(_, inner) => self.matches(inner, value),
            Pattern::Tuple(patterns) | Pattern::Array(patterns) => {
                all(patterns.iter().enumerate().map(|(i, pattern)| self.matches(pattern, self.part(value, i))))
            }
            // A constant of an enum with data, or a variant, is not compared.
            Pattern::Struct { name: Some(_), fields: _ } if is_enum(value) => None,
            Pattern::Struct { name: Some(_), fields: _ } if value.is_none() => None,
            Pattern::Struct { name: _, fields } => all(fields.iter().map(|(name, pattern)| {
                let field = match value {
                    Some(Known::Constant(ty, of)) => position(ty, name).and_then(|position| part(ty, of, position)),
                    Some(Known::Scalar(..) | Known::Parts(_)) | None => None,
                };
                self.matches(pattern, field)
            })),
            Pattern::Literal(written) => {
                let Known::Scalar(scalar, _) = value? else { return None };
                equal(value?, Known::Scalar(scalar, literal(written, scalar)?))
            }
            Pattern::Constant(slot) => equal(value?, self.constant(*slot)?),
            Pattern::Range { start, end, inclusive } => {
                let value = value?;
                let bound = |bound: &Pattern| match (bound, value) {
                    (Pattern::Literal(written), Known::Scalar(scalar, _)) => {
                        Some(Known::Scalar(scalar, literal(written, scalar)?))
                    }
                    (Pattern::Constant(slot), _) => self.constant(*slot),
                    _ => None,
                };
                let above = start.as_deref().map_or(Some(true), |start| compare(BinaryOp::Ge, value, bound(start)?));
                let op = if *inclusive { BinaryOp::Le } else { BinaryOp::Lt };
                let below = end.as_deref().map_or(Some(true), |end| compare(op, value, bound(end)?));
                all([above, below])
            }
            Pattern::Or(choices) => {
                // One alternative matches unless none does.
                let none = all(choices.iter().map(|choice| self.matches(choice, value).map(|matches| !matches)));
                none.map(|none| !none)
            }
        }
    }

    /// Returns an element of a tuple or an array, if it is known.
    fn part(&self, value: Option<Known<'a>>, position: usize) -> Option<Known<'a>> {
        match value? {
            Known::Scalar(..) => None,
            Known::Constant(ty, value) => part(ty, value, position),
            Known::Parts(parts) => self.of(*parts.get(position)?),
        }
    }
}

/// Marks the direct children of a block.
fn enter(block: &Block, worklist: &mut Vec<ExprId>, declared: &mut [bool]) {
    block.for_each_child(&mut |child| worklist.push(child));
    block.for_each_local(&mut |local| declared[local.index()] = true);
}

/// Returns whether a value is a constant of an enum.
fn is_enum(value: Option<Known<'_>>) -> bool {
    match value {
        Some(Known::Constant(ty, _)) => ty.tag().is_some() || matches!(ty, Type::Enum(_)),
        Some(Known::Scalar(..) | Known::Parts(_)) | None => false,
    }
}
