//! Blocks, branches, loops and jumps.

use cumbia_kernel_ir::ir::{Block, ExprKind, LoopId, Range};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Expr, ExprBlock, ExprBreak, ExprContinue, ExprForLoop, ExprIf, ExprLoop, ExprMethodCall, ExprRange, ExprReturn,
    ExprWhile, Label, Lifetime, Pat, PatIdent, RangeLimits,
};

use super::{Lowerer, OpenLoop, Value, body_label, in_braces};
use crate::position::{Name, ours, standing_for};
use crate::rules;

/// A range as a `for` counts through it.
struct Counted {
    ir: Range,
    cpu: TokenStream,
}

impl Lowerer<'_> {
    /// `{ .. }`
    pub(super) fn block_expr(&mut self, expr: &ExprBlock) -> Value {
        if let Some(label) = &expr.label {
            return self.refuse(label, &rules::BLOCK_LABEL);
        }
        let (block, cpu) = self.braced(&expr.block);
        self.value(ExprKind::Block(block), expr.span(), cpu)
    }

    /// `if c { .. } else { .. }`
    pub(super) fn if_expr(&mut self, branch: &ExprIf) -> Value {
        let Value { id: condition, cpu: condition_cpu } = self.expr(&branch.cond);
        let (then, then_cpu) = self.braced(&branch.then_branch);
        let otherwise = branch.else_branch.as_ref().map(|(_, otherwise)| self.expr(otherwise));
        let else_cpu = otherwise.as_ref().map(|Value { cpu, .. }| quote!(else #cpu));
        let if_token = &branch.if_token;
        let cpu = quote!(#if_token #condition_cpu #then_cpu #else_cpu);
        let otherwise = otherwise.map(|value| value.id);
        self.value(ExprKind::If { condition, then, otherwise }, branch.span(), cpu)
    }

    /// `loop { .. }`
    pub(super) fn loop_expr(&mut self, expr: &ExprLoop) -> Value {
        let (id, body, cpu) = self.looped(expr.label.as_ref(), |lowerer| lowerer.braced(&expr.body));
        let (label, loop_token) = (&expr.label, &expr.loop_token);
        self.value(ExprKind::Loop { id, body }, expr.span(), quote!(#label #loop_token #cpu))
    }

    /// `while c { .. }`
    pub(super) fn while_expr(&mut self, expr: &ExprWhile) -> Value {
        let Value { id: condition, cpu: condition_cpu } = self.expr(&expr.cond);
        let (id, body, cpu) = self.looped(expr.label.as_ref(), |lowerer| lowerer.braced(&expr.body));
        let (label, while_token) = (&expr.label, &expr.while_token);
        let cpu = quote!(#label #while_token #condition_cpu #cpu);
        self.value(ExprKind::While { id, condition, body }, expr.span(), cpu)
    }

    /// `for i in a..b { .. }`
    pub(super) fn for_expr(&mut self, expr: &ExprForLoop) -> Value {
        let Some(Counted { ir: range, cpu: range_cpu }) = self.range(&expr.expr) else {
            return self.nothing(expr);
        };
        let mut local = None;
        let (id, body, cpu) = self.looped(expr.label.as_ref(), |lowerer| {
            lowerer.scoped(|lowerer| {
                let mut learn = TokenStream::new();
                match &*expr.pat {
                    Pat::Wild(_) => {}
                    Pat::Ident(PatIdent { by_ref: None, subpat: None, mutability, ident, .. }) => {
                        let (id, tokens) = lowerer.declare(ident, mutability.is_some(), ident.span());
                        local = Some(id);
                        learn = tokens;
                    }
                    pat => lowerer.errors.refuse(pat, &rules::FOR_PATTERN),
                }
                let (body, cpu) = lowerer.block(&expr.body);
                (body, in_braces(&expr.body, quote!(#learn #cpu)))
            })
        });
        let (label, for_token, pat, in_token) = (&expr.label, &expr.for_token, &expr.pat, &expr.in_token);
        let cpu = quote!(#label #for_token #pat #in_token #range_cpu #cpu);
        self.value(ExprKind::For { id, local, range, body }, expr.span(), cpu)
    }

    /// `a..b`, `a..=b`, and either with `.step_by(n)`.
    fn range(&mut self, expr: &Expr) -> Option<Counted> {
        match expr {
            Expr::Range(range) => self.plain_range(range),
            Expr::Paren(inner) => self.range(&inner.expr),
            Expr::Group(inner) => self.range(&inner.expr),
            Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => self.stepped_range(call),
            Expr::MethodCall(call) if call.method == "rev" => {
                self.errors.refuse(&call.method, &rules::REVERSED);
                None
            }
            other => {
                self.errors.refuse(other, &rules::ITERATOR);
                None
            }
        }
    }

    fn plain_range(&mut self, range: &ExprRange) -> Option<Counted> {
        let (Some(start), Some(end)) = (&range.start, &range.end) else {
            self.errors.refuse(range, &rules::UNBOUNDED_RANGE);
            return None;
        };
        let spans = [start.span(), end.span()];
        let Value { id: start, cpu: start_cpu } = self.expr(start);
        let Value { id: end, cpu: end_cpu } = self.expr(end);
        let (start_cpu, end_cpu) = (standing_for(spans[0], start_cpu), standing_for(spans[1], end_cpu));
        let limits = &range.limits;
        let inclusive = matches!(limits, RangeLimits::Closed(_));
        Some(Counted { ir: Range { start, end, inclusive, step: None }, cpu: quote!(#start_cpu #limits #end_cpu) })
    }

    fn stepped_range(&mut self, call: &ExprMethodCall) -> Option<Counted> {
        let Counted { ir, cpu } = self.range(&call.receiver)?;
        if ir.step.is_some() {
            self.errors.refuse(call, &rules::ITERATOR);
            return None;
        }
        let step = &call.args[0];
        let Value { id, cpu: step_cpu } = self.expr(step);
        let at = self.at(step.span());
        let cx = &self.cx;
        let cpu = quote_spanned!(ours(step.span())=> (#cpu).step_by(#cx.step(#step_cpu, #at)));
        Some(Counted { ir: Range { step: Some(id), ..ir }, cpu })
    }

    /// Lowers a loop's body, inside which `break` and `continue` mean this loop.
    fn looped(
        &mut self,
        label: Option<&Label>,
        body: impl FnOnce(&mut Self) -> (Block, TokenStream),
    ) -> (LoopId, Block, TokenStream) {
        let id = LoopId(self.loops);
        self.loops += 1;
        self.open_loops.push(OpenLoop { label: label.map(|label| Name::of(&label.name.ident)), id });
        let (block, cpu) = body(self);
        self.open_loops.pop();
        (id, block, cpu)
    }

    /// The loop that a jump names. Where there is none, rustc says so.
    fn target(&self, label: Option<&Lifetime>) -> LoopId {
        let found = match label {
            None => self.open_loops.last(),
            Some(label) => {
                let name = Name::of(&label.ident);
                self.open_loops.iter().rev().find(|open| open.label.as_ref() == Some(&name))
            }
        };
        found.map_or(LoopId(0), |open| open.id)
    }

    /// `break`, `break 'label value`
    pub(super) fn break_expr(&mut self, jump: &ExprBreak) -> Value {
        let target = self.target(jump.label.as_ref());
        let value = jump.expr.as_ref().map(|expr| self.expr(expr));
        let (label, cpu) = (&jump.label, value.as_ref().map(|value| &value.cpu));
        let cpu = quote_spanned!(jump.span()=> break #label #cpu);
        let value = value.map(|value| value.id);
        self.value(ExprKind::Break { target, value }, jump.span(), cpu)
    }

    /// `continue`, `continue 'label`
    pub(super) fn continue_expr(&mut self, jump: &ExprContinue) -> Value {
        let target = self.target(jump.label.as_ref());
        self.value(ExprKind::Continue { target }, jump.span(), quote!(#jump))
    }

    /// `return`, `return value`: the body is a block with a label, and is left by it.
    pub(super) fn return_expr(&mut self, jump: &ExprReturn) -> Value {
        let value = jump.expr.as_ref().map(|expr| self.expr(expr));
        let (label, cpu) = (body_label(), value.as_ref().map(|value| &value.cpu));
        let span: Span = jump.return_token.span();
        let cpu = quote_spanned!(ours(span)=> break #label #cpu);
        let value = value.map(|value| value.id);
        self.value(ExprKind::Return(value), jump.span(), cpu)
    }
}
