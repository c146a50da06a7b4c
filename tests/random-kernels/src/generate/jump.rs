//! Loops and labelled blocks with values, and the jumps out of them.

use super::Generator;
use super::loops::{count, stop};
use super::scope::JumpTarget;
use crate::tree::{Block, Expr, ExprKind, Head, Stmt};
use crate::types::Type;

impl Generator<'_> {
    /// Generates `loop { .. break x; .. }` as an expression. A counter bounds it.
    pub(super) fn loop_value(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let most = self.random.within(1, 4) as u64;
        if !self.affords(3 * most) || self.heads > 0 {
            return None;
        }
        let open = self.scope.open();
        let (turns, start) = self.counter(most);
        self.turns *= most;
        self.loops.push(JumpTarget { label: None, value: Some(ty.clone()), range: None, block: false });
        let inner = self.scope.open();
        let mut body = Block::default();
        // A `continue` here would skip the exit.
        self.heads += 1;
        let last = self.value(ty, depth.saturating_sub(1));
        self.heads -= 1;
        let mut ranges = last.range;
        body.stmts.push(count(&turns));
        body.stmts.push(stop(&turns, most, Some(last)));
        for _ in 0..=self.random.below(2) {
            self.stmt(&mut body.stmts);
        }
        self.scope.close(inner);
        let this = self.loops.pop().expect("it was pushed");
        self.turns /= most;
        self.scope.close(open);
        if let Some(range) = this.range {
            ranges = ranges.or(range);
        }
        let repeat = ExprKind::Loop { unroll: None, label: this.label, head: Head::Loop, body };
        let value = Expr::new(ty.clone(), ranges, repeat);
        Some(Expr::new(ty.clone(), ranges, ExprKind::Block(Block { stmts: vec![start], value: Some(Box::new(value)) })))
    }

    /// Generates `'a: { .. break 'a x; .. y }`.
    pub(super) fn labelled_value(&mut self, ty: &Type, depth: u32) -> Expr {
        if self.heads > 0 {
            return self.leaf(ty, depth);
        }
        let label = self.fresh("block");
        let open = self.scope.open();
        self.loops.push(JumpTarget { label: Some(label.clone()), value: Some(ty.clone()), range: None, block: true });
        let mut body = Block::default();
        for _ in 0..=self.random.below(3) {
            self.stmt(&mut body.stmts);
        }
        let value = self.value(ty, depth.saturating_sub(1));
        let this = self.loops.pop().expect("it was pushed");
        self.scope.close(open);
        let range = this.range.map_or(value.range, |range| range.or(value.range));
        body.value = Some(Box::new(value));
        Expr::new(ty.clone(), range, ExprKind::Labelled(label, body))
    }

    /// Generates `if c { break } else { x }`, if there is a jump target.
    pub(super) fn jump_value(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let jump = self.jump()?;
        let condition = self.condition(1);
        let value = self.value(ty, depth.saturating_sub(1));
        let range = value.range;
        let (jump, value) = (
            Block { stmts: vec![], value: Some(Box::new(jump)) },
            Block { stmts: vec![], value: Some(Box::new(value)) },
        );
        let (then, otherwise) = if self.random.percent(50) { (jump, value) } else { (value, jump) };
        let kind = ExprKind::If { condition: Box::new(condition), then, otherwise: Some(otherwise) };
        Some(Expr::new(ty.clone(), range, kind))
    }

    /// Generates `break`, `continue` or `return`, if there is a jump target.
    pub(super) fn jump(&mut self) -> Option<Expr> {
        if self.heads > 0 {
            return None;
        }
        if self.loops.is_empty() && !self.may_return {
            return None;
        }
        if self.may_return && (self.loops.is_empty() || self.random.percent(10)) {
            let value = (self.result != Type::Unit).then(|| self.value(&self.result.clone(), 1));
            return Some(Expr::jump("return", None, value));
        }
        let at = if self.random.percent(70) { self.loops.len() - 1 } else { self.random.below(self.loops.len()) };
        let JumpTarget { label, value: ty, range: _, block } = self.loops[at].clone();
        let plain = at == self.loops.len() - 1 && !block && self.random.percent(80);
        let label = if plain {
            None
        } else {
            let label = label.unwrap_or_else(|| self.fresh("loop"));
            self.loops[at].label = Some(label.clone());
            Some(label)
        };
        if !block && self.random.percent(40) {
            return Some(Expr::jump("continue", label, None));
        }
        let value = ty.map(|ty| self.value(&ty, 1));
        if let Some(value) = &value {
            let range = self.loops[at].range;
            self.loops[at].range = Some(range.map_or(value.range, |range| range.or(value.range)));
        }
        Some(Expr::jump("break", label, value))
    }

    /// Generates `if c { break; }`.
    pub(super) fn conditional_jump(&mut self, out: &mut Vec<Stmt>) {
        let Some(jump) = self.jump() else {
            return self.assign(2, out);
        };
        let condition = self.condition(2);
        let then = Block { stmts: vec![Stmt::expr(jump)], value: None };
        out.push(Stmt::expr(Expr::unit(ExprKind::If { condition: Box::new(condition), then, otherwise: None })));
    }
}
