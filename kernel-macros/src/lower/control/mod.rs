//! Control flow: blocks, branches, loops and jumps.

pub(in crate::lower) mod sequence;
pub(in crate::lower) mod zipped;

use cumbia_kernel_ir::{Block, ExprKind, LoopId, Stmt, Unroll};
use proc_macro2::Span;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, ExprBlock, ExprBreak, ExprContinue, ExprIf, ExprLoop, ExprReturn, ExprWhile, Label, Lifetime,
    LitInt, Meta, Type,
};

use crate::extent::Extent;
use crate::lower::pattern::matching::{Condition, Conditions, after};
use crate::lower::{Body, Category, Lowerer, Open, Value, body_label, in_braces, peeled, sugar};
use crate::position::{Name, ours};
use crate::rules;

impl Lowerer<'_> {
    /// `{ .. }`, `'label: { .. }`
    pub(in crate::lower) fn block_expr(&mut self, expr: &ExprBlock) -> Value {
        let Some(label) = &expr.label else {
            let Body { ir, mut cpu, category } = self.braced(&expr.block);
            if expr.attrs.iter().any(sugar::is_otherwise) {
                cpu = quote_spanned! {ours(expr.span())=> {
                    let ::core::option::Option::Some(__never) =
                        ::core::option::Option::None::<::core::convert::Infallible> else #cpu;
                    match __never {}
                }};
            }
            return self.with_category(ExprKind::Block(ir), expr.span(), cpu, category);
        };
        let (id, of_breaks, Body { ir: body, cpu, category }) =
            self.opened(Some(label), true, |lowerer, _| lowerer.braced(&expr.block));
        let category = of_breaks.join(category);
        self.with_category(ExprKind::Labelled { id, body }, expr.span(), quote!(#label #cpu), category)
    }

    /// Returns the expression with its values coerced to slices, if some of them are slices and others are references to
    /// arrays.
    pub(in crate::lower) fn slices(&self, expr: &Expr) -> Option<Expr> {
        let mut values = Vec::new();
        sugar::values(expr, &mut values);
        let (mut slices, mut others, mut mutable) = (false, false, true);
        for value in values {
            match value {
                Expr::Reference(reference) => {
                    mutable &= reference.mutability.is_some();
                    let referent = peeled(&reference.expr);
                    let is_part =
                        matches!(referent, Expr::Index(index) if matches!(peeled(&index.index), Expr::Range(_)));
                    if is_part { slices = true } else { others = true }
                }
                value => {
                    slices |=
                        self.variable(value).is_some_and(|local| self.known[local.index()].category == Category::Slice);
                }
            }
        }
        (slices && others).then(|| {
            let mut coerced = expr.clone();
            sugar::coerced_branches(&mut coerced, &Type::Reference(sugar::slice_type(mutable)));
            coerced
        })
    }

    /// `if c { .. } else { .. }`, `if let pattern = value && c { .. }`
    pub(in crate::lower) fn if_expr(&mut self, branch: &ExprIf) -> Value {
        if let Some(desugared) = self.if_let_of_a_reference(branch) {
            return self.expr(&desugared);
        }
        let (conditions, then) = self.scoped(|lowerer| {
            let conditions = lowerer.conditions(&branch.cond);
            let then = lowerer.conditional_block(&conditions, &branch.then_branch);
            (conditions, then)
        });
        let otherwise = branch.else_branch.as_ref().map(|(token, otherwise)| (token, self.expr(otherwise)));
        let else_cpu = otherwise.as_ref().map(|(token, Value { cpu, .. })| quote!(#token #cpu));
        let category = match &otherwise {
            Some((_, otherwise)) => then.category.join(otherwise.category.clone()),
            None => Category::Owned,
        };
        let otherwise = otherwise.map(|(_, value)| value.id);
        let Conditions { mut parts, cpu: condition_cpu, before, learn: _ } = conditions;
        let (if_token, then_cpu, span) = (&branch.if_token, &then.cpu, branch.span());
        let cpu = after(&before, quote!(#if_token #condition_cpu #then_cpu #else_cpu), span);
        let kind = match (parts.len(), parts.pop()) {
            (1, Some(Condition::Bool(condition))) => ExprKind::If { condition, then: then.ir, otherwise },
            (1, Some(Condition::Let { pattern, value, span })) => {
                let then = self.push(ExprKind::Block(then.ir), branch.then_branch.span());
                let otherwise = otherwise.unwrap_or_else(|| self.unit(span));
                let id = self.match_or(pattern, value, then, otherwise, span);
                return Value { id, cpu, category };
            }
            // `'chain: { if a { match b { pattern => break 'chain then, _ => {} } } otherwise }`
            (_, last) => {
                parts.extend(last);
                let target = self.loop_id();
                let value = self.push(ExprKind::Block(then.ir), branch.then_branch.span());
                let leave = self.push(ExprKind::Break { target, value: Some(value) }, span);
                let chain = self.if_all(parts, leave, span);
                let tail = otherwise.unwrap_or_else(|| self.unit(span));
                let body = Block { stmts: vec![Stmt::Expr(chain)], tail: Some(tail) };
                ExprKind::Labelled { id: target, body }
            }
        };
        self.with_category(kind, span, cpu, category)
    }

    /// Lowers the block of an `if` or a `while`, in the scope of the variables that the conditions bind.
    fn conditional_block(&mut self, conditions: &Conditions, block: &syn::Block) -> Body {
        let Body { ir, mut cpu, category } = self.block(block);
        let learn = &conditions.learn;
        if !learn.is_empty() {
            // Items of the block do not change what the paths of the condition mean.
            cpu = quote!(#learn { #cpu });
        }
        Body { ir, cpu: in_braces(block, cpu), category }
    }

    /// `loop { .. }`
    pub(in crate::lower) fn loop_expr(&mut self, expr: &ExprLoop) -> Value {
        let unroll = self.unroll(&expr.attrs);
        let (id, category, Body { ir: body, cpu, category: _ }) =
            self.opened(expr.label.as_ref(), false, |lowerer, _| lowerer.braced(&expr.body));
        let (label, loop_token) = (&expr.label, &expr.loop_token);
        let kind = ExprKind::Loop { id, body, unroll };
        self.with_category(kind, expr.span(), quote!(#label #loop_token #cpu), category)
    }

    /// `while c { .. }`, `while let pattern = value { .. }`
    pub(in crate::lower) fn while_expr(&mut self, expr: &ExprWhile) -> Value {
        let unroll = self.unroll(&expr.attrs);
        let (id, _, (conditions, body)) = self.opened(expr.label.as_ref(), false, |lowerer, _| {
            lowerer.scoped(|lowerer| {
                let conditions = lowerer.conditions(&expr.cond);
                let body = lowerer.conditional_block(&conditions, &expr.body);
                (conditions, body)
            })
        });
        let Conditions { mut parts, cpu: condition_cpu, before, learn: _ } = conditions;
        let (label, while_token, body_cpu) = (&expr.label, &expr.while_token, &body.cpu);
        let span = expr.span();
        let cpu = after(&before, quote!(#label #while_token #condition_cpu #body_cpu), span);
        let kind = match (parts.len(), parts.pop()) {
            (1, Some(Condition::Bool(condition))) => ExprKind::While { id, condition, body: body.ir, unroll },
            // `loop { if a { match b { pattern => { body; continue } _ => {} } } break }`
            (_, last) => {
                parts.extend(last);
                let iteration = self.push(ExprKind::Block(body.ir), expr.body.span());
                let again = self.push(ExprKind::Continue { target: id }, span);
                let iteration = Block { stmts: vec![Stmt::Expr(iteration), Stmt::Expr(again)], tail: None };
                let iteration = self.push(ExprKind::Block(iteration), expr.body.span());
                let chain = self.if_all(parts, iteration, span);
                let leave = self.push(ExprKind::Break { target: id, value: None }, span);
                let body = Block { stmts: vec![Stmt::Expr(chain), Stmt::Expr(leave)], tail: None };
                ExprKind::Loop { id, body, unroll }
            }
        };
        self.value(kind, span, cpu)
    }

    /// Parses `#[unroll]` and `#[unroll(n)]`, which the CPU body omits; other attributes are rejected.
    pub(in crate::lower) fn unroll(&mut self, attributes: &[Attribute]) -> Unroll {
        let mut unroll = Unroll::Undecided;
        for attribute in attributes {
            if !attribute.path().is_ident("unroll") {
                self.attributes(std::slice::from_ref(attribute));
                continue;
            }
            let by = match &attribute.meta {
                Meta::Path(_) => Some(Unroll::Full),
                Meta::List(list) => list
                    .parse_args::<LitInt>()
                    .and_then(|factor| factor.base10_parse())
                    .ok()
                    .filter(|&factor: &u32| factor > 0)
                    .map(Unroll::By),
                Meta::NameValue(_) => None,
            };
            match by {
                Some(by) => unroll = by,
                None => self.errors.reject(attribute, &rules::UNROLL),
            }
        }
        unroll
    }

    pub(in crate::lower) fn loop_id(&mut self) -> LoopId {
        let id = LoopId(self.loops);
        self.loops += 1;
        id
    }

    /// Runs `inside` for the contents of a loop or a labelled block, where `break` and `continue` can target it. Returns
    /// the join of the categories of its `break`s as well.
    pub(in crate::lower) fn opened<R>(
        &mut self,
        label: Option<&Label>,
        block: bool,
        inside: impl FnOnce(&mut Self, LoopId) -> R,
    ) -> (LoopId, Category, R) {
        let id = self.loop_id();
        let label = label.map(|label| Name::of(&label.name.ident));
        self.open.push(Open { label, id, block, category: Category::Never });
        let inside = inside(self, id);
        let category = self.open.pop().map_or(Category::Unknown, |open| open.category);
        (id, category, inside)
    }

    /// Returns the target of a jump. rustc reports a jump without one.
    fn jump_target(&mut self, label: Option<&Lifetime>) -> Option<&mut Open> {
        let name = label.map(|label| Name::of(&label.ident));
        self.open.iter_mut().rev().find(|open| match &name {
            None => !open.block,
            Some(_) => open.label == name,
        })
    }

    /// Rejects a jump out of a loop that does not exist. rustc would report it for the block around the body. It does report an unknown
    /// label, and a jump without one in a labelled block.
    fn check_jump(&mut self, label: Option<&Lifetime>, keyword: &impl quote::ToTokens) {
        if label.is_none() && self.open.is_empty() {
            self.errors.reject_named(keyword, &rules::BREAK_OUTSIDE, &keyword.to_token_stream());
        }
    }

    /// `break`, `break 'label value`
    pub(in crate::lower) fn break_expr(&mut self, jump: &ExprBreak) -> Value {
        self.check_jump(jump.label.as_ref(), &jump.break_token);
        let value = jump.expr.as_ref().map(|expr| self.expr(expr));
        let category = value.as_ref().map_or(Category::Owned, |value| value.category.clone());
        let target = self.jump_target(jump.label.as_ref()).map_or(LoopId(0), |target| {
            target.category = std::mem::replace(&mut target.category, Category::Never).join(category);
            target.id
        });
        let (label, cpu) = (&jump.label, value.as_ref().map(|value| &value.cpu));
        let cpu = quote_spanned!(jump.span()=> break #label #cpu);
        let value = value.map(|value| value.id);
        self.with_category(ExprKind::Break { target, value }, jump.span(), cpu, Category::Never)
    }

    /// `continue`, `continue 'label`
    pub(in crate::lower) fn continue_expr(&mut self, jump: &ExprContinue) -> Value {
        self.check_jump(jump.label.as_ref(), &jump.continue_token);
        let target = self.jump_target(jump.label.as_ref()).map_or(LoopId(0), |target| target.id);
        self.with_category(ExprKind::Continue { target }, jump.span(), quote!(#jump), Category::Never)
    }

    /// `return`, `return value`: a `break` out of the labelled block around the body. A thread that leaves a kernel is
    /// deregistered from the barriers, which then no longer wait for it.
    pub(in crate::lower) fn return_expr(&mut self, jump: &ExprReturn) -> Value {
        let value = jump.expr.as_ref().map(|expr| self.expr(expr));
        let (label, cx, cpu) = (body_label(), &self.cx, value.as_ref().map(|value| &value.cpu));
        let span: Span = jump.return_token.span();
        let cpu = match cpu {
            _ if !self.signature.kernel => quote_spanned!(ours(span)=> break #label #cpu),
            Some(cpu) => {
                // As the field of a tuple, a value of a wrong type is no error of the call.
                let extent = jump.expr.as_deref().map_or(Extent::at(span), Extent::of_tokens);
                let value = extent.field(extent.opening(quote_spanned!(ours(span)=> #cx.returning((#cpu,)))));
                quote_spanned!(ours(span)=> break #label #value)
            }
            None => quote_spanned!(ours(span)=> break #label #cx.returning(())),
        };
        let value = value.map(|value| value.id);
        self.with_category(ExprKind::Return(value), jump.span(), cpu, Category::Never)
    }
}
