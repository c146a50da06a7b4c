//! The widths of values during the walk: see [`width`](super::width).

use std::rc::Rc;

use super::atoms::{AtomInfo, Bound, Range};
use super::condition::Condition;
use super::poly::{Atom, Poly};
use super::walk::{Value, Walk};
use super::width::{Fit, Invariant, fitting};
use crate::ir::Scalar;
use crate::lower::{CType, Expr, VarId};

impl<'m> Walk<'m> {
    /// Notes the value of an expression with 64 bits.
    pub(super) fn note_wide(&mut self, expr: &'m Expr, value: &Value) {
        match value {
            Value::Int { scalar, .. } if self.bits(*scalar) == 64 => self.note(expr, value),
            Value::Int { .. } => {}
            Value::Unknown | Value::Bool(_) | Value::Struct(_) | Value::Array(_) => self.note_unknown(expr),
        }
    }

    fn note_unknown(&mut self, expr: &'m Expr) {
        if let Some(widths) = &mut self.widths {
            widths.unknown.insert(std::ptr::from_ref(expr));
        }
    }

    /// Notes the values of operands that C converts to 64 bits.
    pub(super) fn note_operands(&mut self, operands: [(&'m Expr, &Value); 2]) {
        if self.widths.is_none() {
            return;
        }
        let bits = operands.map(|(_, value)| match value {
            Value::Int { scalar, .. } => Some(self.bits(*scalar)),
            Value::Unknown | Value::Bool(_) | Value::Struct(_) | Value::Array(_) => None,
        });
        for (position, (expr, value)) in operands.into_iter().enumerate() {
            match (bits[position], bits[1 - position]) {
                (Some(0..64), Some(64)) => self.note(expr, value),
                // The type of the other one is not known here.
                (Some(0..64), None) => self.note_unknown(expr),
                _ => {}
            }
        }
    }

    fn note(&mut self, expr: &'m Expr, value: &Value) {
        if let (Some(widths), Value::Int { poly, scalar, .. }) = (&mut self.widths, value) {
            widths.queue.push((std::ptr::from_ref(expr), poly.clone(), *scalar));
        }
    }

    /// Returns the number of values that the current statement has noted.
    pub(super) fn noted(&self) -> usize {
        self.widths.as_ref().map_or(0, |widths| widths.queue.len())
    }

    /// Derives the conditions for the values that were noted from a number on. The facts in scope hold at all of them.
    pub(super) fn settle_widths(&mut self, from: usize) {
        let Some(widths) = &mut self.widths else { return };
        let queue = widths.queue.split_off(from.min(widths.queue.len()));
        for (expr, poly, scalar) in queue {
            let before = self.widths.as_ref().and_then(|widths| widths.exprs.get(&expr)).copied();
            let before = before.map_or(Condition::TRUE, |fit| fit.condition);
            if before == Condition::FALSE {
                continue;
            }
            let fits = self.fits(&poly, scalar);
            let condition = self.domain.conditions.all([before, fits]);
            if let Some(widths) = &mut self.widths {
                widths.exprs.insert(expr, Fit { scalar, condition });
            }
        }
    }

    /// As [`settle_widths`](Walk::settle_widths), with facts that hold at these values under a condition.
    pub(super) fn settle_widths_with(&mut self, from: usize, facts: [Option<Poly>; 2], when: Condition) {
        if self.widths.is_none() || when == Condition::FALSE {
            return;
        }
        let Some(before) = self.state.as_ref().map(|state| state.facts.len()) else { return };
        let facts = facts.map(|fact| fact.map(|poly| self.domain.atoms.fact(poly, when)));
        if let Some(state) = &mut self.state {
            state.facts.extend(facts.into_iter().flatten());
        }
        self.settle_widths(from);
        if let Some(state) = &mut self.state {
            state.facts.truncate(before);
        }
    }

    /// Returns a condition under which a number of a type fits.
    fn fits(&mut self, poly: &Poly, scalar: Scalar) -> Condition {
        if self.state.is_none() {
            // Unreachable.
            return Condition::TRUE;
        }
        let Some(widths) = &mut self.widths else { return Condition::FALSE };
        std::mem::swap(&mut self.domain.budget, &mut widths.budget);
        self.domain.hasty = true;
        let condition = self.prove_within(poly, fitting(scalar));
        self.domain.hasty = false;
        if let Some(widths) = &mut self.widths {
            std::mem::swap(&mut self.domain.budget, &mut widths.budget);
        }
        condition
    }

    /// Assigns a value that the program computes.
    pub(super) fn define(&mut self, var: VarId, value: Value) {
        self.assign(var, value);
        if self.widths.is_none() {
            return;
        }
        let Some(state) = &self.state else { return };
        let value = Value::clone(&state.vars[var.index()]);
        let Some(scalar) = self.index_type(var) else { return };
        let condition = match value {
            Value::Int { poly, .. } if !self.is_borrowed(var) => self.fits(&poly, scalar),
            _ => Condition::FALSE,
        };
        self.restrict(var, condition);
    }

    /// Notes that a helper assigns numbers to a variable that lie between its value and `last`, or any number.
    pub(super) fn step_towards(&mut self, var: VarId, last: Option<&Poly>) {
        let Some(scalar) = self.index_type(var).filter(|_| self.widths.is_some()) else { return };
        let condition = last.map_or(Condition::FALSE, |last| self.fits(last, scalar));
        self.restrict(var, condition);
    }

    /// Notes a step of a loop counter. The step has type `usize`, and fits if its sum with a number that is not negative
    /// does.
    pub(super) fn note_step(&mut self, call: &'m Expr, scalar: Scalar, from: &Poly, by: &Poly) {
        if self.widths.is_none() || scalar.bits() < 64 || scalar.is_signed() {
            return;
        }
        let fits = from.add(by).map_or(Condition::FALSE, |next| self.fits(&next, scalar));
        let key = std::ptr::from_ref(call);
        let before = self.widths.as_ref().and_then(|widths| widths.steps.get(&key)).copied();
        let condition = self.domain.conditions.all([before.unwrap_or(Condition::TRUE), fits]);
        if let Some(widths) = &mut self.widths {
            widths.steps.insert(key, condition);
        }
    }

    /// Returns the type of a variable of the current function, if it is `usize` or `isize`.
    fn index_type(&self, var: VarId) -> Option<Scalar> {
        match self.function().vars[var.index()].ty {
            CType::Scalar(scalar @ (Scalar::Usize | Scalar::Isize)) => Some(scalar),
            _ => None,
        }
    }

    /// Adds the condition of an assignment.
    fn restrict(&mut self, var: VarId, condition: Condition) {
        let Some((before, _)) = self.invariant(var) else { return };
        let condition = self.domain.conditions.all([before, condition]);
        let key = (std::ptr::from_ref(self.function()), var.0);
        if let Some(invariant) = self.widths.as_mut().and_then(|widths| widths.vars.get_mut(&key)) {
            invariant.condition = condition;
        }
    }

    /// Returns the condition of the assignments to a variable so far, and the assumption that it fits.
    fn invariant(&mut self, var: VarId) -> Option<(Condition, Condition)> {
        let key = (std::ptr::from_ref(self.function()), var.0);
        let conditions = &mut self.domain.conditions;
        let invariant = self.widths.as_mut()?.vars.entry(key).or_insert_with(|| {
            let (number, assumed) = conditions.invariant();
            Invariant { number, assumed, condition: Condition::TRUE }
        });
        Some((invariant.condition, invariant.assumed))
    }

    /// Adds the bounds of a value that a variable has had before.
    pub(super) fn bound_by_width(&mut self, var: VarId, lower: &mut Vec<Rc<Bound>>, upper: &mut Vec<Rc<Bound>>) {
        let Some(scalar) = self.index_type(var).filter(|_| !self.is_borrowed(var)) else { return };
        let Some((_, when)) = self.invariant(var) else { return };
        let Range { lo, hi } = fitting(scalar);
        let bound = |limit| Bound::when(Poly::constant(limit), when);
        if lo < 0 {
            lower.push(bound(lo));
        }
        upper.push(bound(hi));
    }

    /// Returns an atom for the unknown value of a variable.
    pub(super) fn unknown_of(&mut self, var: VarId, scalar: Scalar) -> Atom {
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        self.bound_by_width(var, &mut lower, &mut upper);
        let range = self.range(scalar);
        self.domain.atoms.add(AtomInfo { lower, upper, ..AtomInfo::of(range) })
    }

    /// Notes the result of a return from the current function.
    pub(super) fn note_result(&mut self, value: &Value) {
        let Some(CType::Scalar(scalar @ (Scalar::Usize | Scalar::Isize))) = self.function().result else { return };
        if self.widths.is_none() || self.state.is_none() {
            return;
        }
        let condition = match self.converted(value.clone(), scalar) {
            Value::Int { poly, .. } => self.fits(&poly, scalar),
            Value::Unknown | Value::Bool(_) | Value::Struct(_) | Value::Array(_) => Condition::FALSE,
        };
        let function = std::ptr::from_ref(self.function());
        let before = self.widths.as_ref().and_then(|widths| widths.results.get(&function)).copied();
        let condition = self.domain.conditions.all([before.unwrap_or(Condition::TRUE), condition]);
        if let Some(widths) = &mut self.widths {
            widths.results.insert(function, condition);
        }
    }

    /// Completes the invariants of the variables.
    pub(super) fn close_widths(&mut self) {
        let Some(widths) = &self.widths else { return };
        for Invariant { number, condition, .. } in widths.vars.values() {
            self.domain.conditions.invariants[*number] = *condition;
        }
    }
}
