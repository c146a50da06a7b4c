//! `match`, and `if let` and `while let`, which are lowered to a `match`.

use cumbia_kernel_ir::{Arm, Block, ExprId, ExprKind, Pattern, Stmt};
use proc_macro2::{Delimiter, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprLet, ExprMatch, Pat, PatGuard, PatIdent, Path};

use crate::extent::Extent;
use crate::lower::pattern::{Binder, Bound};
use crate::lower::sugar::is_upper_case;
use crate::lower::{Category, Lowerer, Value, grouped};
use crate::position::standing_for;
use crate::rules;

/// The condition of an `if` or a `while`, or one operand of a chain of `&&`.
pub(in crate::lower) enum Condition {
    /// An expression of type `bool`.
    Bool(ExprId),
    /// `let pattern = value`
    Let { pattern: Pattern, value: ExprId, span: Span },
}

/// A lowered chain of conditions.
pub(in crate::lower) struct Conditions {
    /// The conditions in order; all have to be true.
    pub(in crate::lower) parts: Vec<Condition>,
    pub(in crate::lower) cpu: TokenStream,
    /// The tokens to place before the `if` or the `while`.
    pub(in crate::lower) before: TokenStream,
    /// The tokens to place at the start of the block.
    pub(in crate::lower) learn: TokenStream,
}

impl Lowerer<'_> {
    /// `match scrutinee { pattern if guard => body, .. }`
    pub(in crate::lower) fn match_expr(&mut self, expr: &ExprMatch) -> Value {
        if let Some(desugared) = self.match_of_a_reference(expr) {
            return self.expr(&desugared);
        }
        let patterns: Vec<&Pat> = expr.arms.iter().map(|arm| &arm.pat).collect();
        let scrutinee = self.scrutinee(&expr.expr, &patterns);
        let mut before = TokenStream::new();
        let mut category = Category::Never;
        let mut arms = Vec::new();
        let mut arms_cpu = TokenStream::new();
        for arm in &expr.arms {
            self.attributes(&arm.attrs);
            let (pattern, guard) = guarded(&arm.pat);
            let (arm, cpu) = self.scoped(|lowerer| {
                let mut binder = Binder::refutable();
                let bound = lowerer.refutable_pattern(without_reference(pattern), &scrutinee.category, &mut binder);
                let guard = guard.map(|guard| (&guard.if_token, lowerer.expr(&guard.guard)));
                let body = lowerer.expr(&arm.body);
                before.extend(binder.before);
                category = std::mem::replace(&mut category, Category::Never).join(body.category);
                let guard_cpu = guard.as_ref().map(|(token, Value { cpu, .. })| quote!(#token #cpu));
                let (pattern, body_cpu, arrow) = (bound.cpu, body.cpu, &arm.fat_arrow_token);
                let body_cpu = if binder.learn.is_empty() {
                    body_cpu
                } else {
                    let learn = binder.learn;
                    grouped(Delimiter::Brace, arm.body.span(), quote!(#learn #body_cpu))
                };
                let guard = guard.map(|(_, guard)| guard.id);
                let cpu = quote!(#pattern #guard_cpu #arrow #body_cpu,);
                (Arm { pattern: bound.ir, guard, body: body.id }, cpu)
            });
            arms.push(arm);
            arms_cpu.extend(cpu);
        }
        let (match_token, scrutinee_cpu) = (&expr.match_token, &scrutinee.cpu);
        let arms_cpu = grouped(Delimiter::Brace, expr.brace_token.span.join(), arms_cpu);
        let cpu = after(&before, quote!(#match_token #scrutinee_cpu #arms_cpu), expr.span());
        self.with_category(ExprKind::Match { scrutinee: scrutinee.id, arms }, expr.span(), cpu, category)
    }

    /// Lowers the scrutinee. A reference is dereferenced if no pattern binds its referent by reference: `match self`
    /// with literals and constants, or with `&pattern`.
    pub(in crate::lower) fn scrutinee(&mut self, expr: &Expr, patterns: &[&Pat]) -> Value {
        let value = self.expr(expr);
        if !matches!(value.category, Category::Reference { .. }) {
            for pattern in patterns {
                if let Pat::Reference(reference) = guarded(pattern).0 {
                    self.errors.reject(reference, &rules::REFERENCE_PATTERN);
                }
            }
            return value;
        }
        for pattern in patterns {
            let pattern = guarded(pattern).0;
            if !matches!(pattern, Pat::Reference(_)) && binds(pattern) {
                let payload = value.category == Category::Reference { mutable: true } && binds_payload(pattern);
                let rule = if payload { &rules::MUTABLE_PAYLOAD } else { &rules::MATCHED_REFERENCE };
                self.errors.reject(pattern, rule);
            }
        }
        self.dereferenced(value, Extent::of(expr))
    }

    /// Lowers the condition of an `if` or a `while`: an expression, or a chain that contains a `let`.
    pub(in crate::lower) fn conditions(&mut self, condition: &Expr) -> Conditions {
        let mut chain = Vec::new();
        links(condition, &mut chain);
        let alone = chain.len() == 1;
        let mut conditions = Conditions {
            parts: Vec::new(),
            cpu: TokenStream::new(),
            before: TokenStream::new(),
            learn: TokenStream::new(),
        };
        for (and, link) in chain {
            let cpu = match link {
                Expr::Let(link) => self.let_condition(link, alone, &mut conditions),
                link => {
                    let value = self.expr(link);
                    conditions.parts.push(Condition::Bool(value.id));
                    if alone { value.cpu } else { standing_for(link.span(), value.cpu) }
                }
            };
            conditions.cpu.extend(quote!(#and #cpu));
        }
        conditions
    }

    /// `let pattern = value` in a condition, alone or in a chain.
    fn let_condition(&mut self, link: &ExprLet, alone: bool, conditions: &mut Conditions) -> TokenStream {
        let ExprLet { attrs: _, let_token, pat, eq_token, expr } = link;
        let value = self.scrutinee(expr, &[pat]);
        let mut binder = Binder::refutable();
        let Bound { ir: pattern, cpu, .. } =
            self.refutable_pattern(without_reference(pat), &value.category, &mut binder);
        conditions.before.extend(binder.before);
        conditions.parts.push(Condition::Let { pattern, value: value.id, span: let_token.span() });
        let value = standing_for(expr.span(), value.cpu);
        let condition = quote!(#let_token #cpu #eq_token #value);
        let learn = binder.learn;
        if alone || learn.is_empty() {
            conditions.learn.extend(learn);
            return condition;
        }
        // The next patterns may hide the variables of this one.
        quote!(#condition && { #learn true })
    }

    /// Evaluates `inner` if all conditions are true.
    pub(in crate::lower) fn if_all(&mut self, conditions: Vec<Condition>, inner: ExprId, span: Span) -> ExprId {
        conditions.into_iter().rev().fold(inner, |inner, condition| match condition {
            Condition::Bool(condition) => {
                let then = Block { stmts: vec![Stmt::Expr(inner)], tail: None };
                self.push(ExprKind::If { condition, then, otherwise: None }, span)
            }
            Condition::Let { pattern, value, span } => {
                let unit = self.unit(span);
                self.match_or(pattern, value, inner, unit, span)
            }
        })
    }

    /// `match value { pattern => then, _ => otherwise }`
    pub(in crate::lower) fn match_or(
        &mut self,
        pattern: Pattern,
        value: ExprId,
        then: ExprId,
        otherwise: ExprId,
        span: Span,
    ) -> ExprId {
        let arms = vec![
            Arm { pattern, guard: None, body: then },
            Arm { pattern: Pattern::Wild, guard: None, body: otherwise },
        ];
        self.push(ExprKind::Match { scrutinee: value, arms }, span)
    }
}

/// Prepends `before` to an expression, in a block if there is anything to prepend.
pub(in crate::lower) fn after(before: &TokenStream, tokens: TokenStream, span: Span) -> TokenStream {
    if before.is_empty() { tokens } else { grouped(Delimiter::Brace, span, quote!(#before #tokens)) }
}

/// Collects the operands of `a && let pattern = b && c`, each with the `&&` before it. A condition without a `let` is a
/// single operand.
fn links<'e>(condition: &'e Expr, chain: &mut Vec<(Option<&'e dyn ToTokens>, &'e Expr)>) {
    match condition {
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) && has_let(condition) => {
            links(&binary.left, chain);
            let first = chain.len();
            links(&binary.right, chain);
            if let Some((and, _)) = chain.get_mut(first) {
                *and = Some(&binary.op);
            }
        }
        condition => chain.push((None, condition)),
    }
}

fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Splits a pattern into the pattern without its guard, and the guard.
pub(in crate::lower) fn guarded(pattern: &Pat) -> (&Pat, Option<&PatGuard>) {
    match pattern {
        Pat::Guard(guarded) => (&guarded.pat, Some(guarded)),
        Pat::Paren(inner) => (guarded(&inner.pat).0, None),
        pattern => (pattern, None),
    }
}

/// Returns the pattern of the referent, for a `&` pattern.
pub(in crate::lower) fn without_reference(pattern: &Pat) -> &Pat {
    match pattern {
        Pat::Reference(reference) => &reference.pat,
        pattern => pattern,
    }
}

/// Returns whether a pattern binds a variable.
pub(in crate::lower) fn binds(pattern: &Pat) -> bool {
    struct Binds(bool);

    impl<'p> Visit<'p> for Binds {
        fn visit_pat_ident(&mut self, pattern: &'p PatIdent) {
            let certainly = pattern.subpat.is_some() || pattern.mutability.is_some() || pattern.by_ref.is_some();
            self.0 |= certainly || !is_upper_case(&pattern.ident);
        }
    }

    let mut binds = Binds(false);
    binds.visit_pat(pattern);
    binds.0
}

/// Returns whether a path names a variant rather than a struct, judged by its tokens: `Shape::Circle`, `Some`.
pub(in crate::lower) fn is_variant(path: &Path) -> bool {
    let mut segments = path.segments.iter().rev();
    let (last, owner) = (segments.next(), segments.next());
    owner.is_some_and(|owner| is_upper_case(&owner.ident))
        || last.is_some_and(|last| ["Some", "Ok", "Err"].iter().any(|name| last.ident == name))
}

/// Returns whether a pattern binds a part of a variant.
fn binds_payload(pattern: &Pat) -> bool {
    struct Payloads(bool);

    impl<'p> Visit<'p> for Payloads {
        fn visit_pat(&mut self, pattern: &'p Pat) {
            self.0 |= match pattern {
                Pat::Struct(structure) => is_variant(&structure.path) && binds(pattern),
                Pat::TupleStruct(structure) => is_variant(&structure.path) && binds(pattern),
                _ => false,
            };
            visit::visit_pat(self, pattern);
        }
    }

    let mut payloads = Payloads(false);
    payloads.visit_pat(pattern);
    payloads.0
}
