//! Patterns of `let`, `match` and `for`.

use cumbia_kernel_ir::{LocalId, Pattern, SlotId};
use proc_macro2::{Delimiter, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Expr, ExprLit, ExprRange, Member, Pat, PatIdent, PatStruct, PatTuple, PatTupleStruct, Path, RangeLimits, Token,
};

use super::expr::member_name;
use super::sugar::is_upper_case;
use super::{Lowerer, Shape, grouped, peeled, slot_name};
use crate::position::{Name, ours};
use crate::rules;

/// The state of lowering one pattern.
pub(super) struct Binder {
    /// The pattern is refutable. Then an upper-case identifier is a constant, by Rust's naming convention; an
    /// irrefutable pattern binds it.
    refutable: bool,
    /// The span of errors about the type of a variable, if it is not that of its name.
    at: Option<Span>,
    /// The tokens that record the types of the variables in their slots.
    pub(super) learn: TokenStream,
    /// The tokens that record the values of the constants in their slots, to be placed before the enclosing expression.
    pub(super) before: TokenStream,
    /// The slot that holds the type of the matched value, if there is one.
    of: Option<SlotId>,
    /// The variables bound so far.
    bound: Vec<(Name, LocalId)>,
}

impl Binder {
    /// For a `let`, a parameter or the variable of a `for`.
    pub(super) fn irrefutable(at: Option<Span>) -> Binder {
        Binder {
            refutable: false,
            at,
            learn: TokenStream::new(),
            before: TokenStream::new(),
            of: None,
            bound: Vec::new(),
        }
    }

    /// For the `let` of a value whose type is in this slot. A variable that binds the whole value shares the slot, so
    /// that an error about its type is reported once.
    pub(super) fn of(slot: Option<SlotId>, at: Option<Span>) -> Binder {
        Binder { of: slot, ..Binder::irrefutable(at) }
    }

    /// For an arm of a `match`.
    pub(super) fn refutable() -> Binder {
        Binder { refutable: true, ..Binder::irrefutable(None) }
    }
}

/// A lowered pattern.
pub(super) struct Bound {
    pub(super) ir: Pattern,
    pub(super) cpu: TokenStream,
}

impl Lowerer<'_> {
    /// Lowers a pattern and declares its variables. `shape` is that of the matched value.
    pub(super) fn pattern(&mut self, pattern: &Pat, shape: &Shape, binder: &mut Binder) -> Bound {
        if !matches!(pattern, Pat::Ident(_) | Pat::Paren(_)) {
            binder.of = None;
        }
        match pattern {
            Pat::Wild(wild) => Bound { ir: Pattern::Wild, cpu: wild.to_token_stream() },
            Pat::Ident(ident) => self.binding(ident, shape, binder),
            Pat::Paren(inner) => {
                let Bound { ir, cpu } = self.pattern(&inner.pat, shape, binder);
                Bound { ir, cpu: grouped(Delimiter::Parenthesis, inner.paren_token.span.join(), cpu) }
            }
            Pat::Tuple(tuple) => self.tuple_pattern(tuple, shape, binder),
            Pat::Struct(structure) => self.struct_pattern(structure, binder),
            Pat::TupleStruct(structure) => self.tuple_struct_pattern(structure, binder),
            Pat::Slice(array) => {
                let rest = array.elems.iter().position(is_rest);
                if let Some(at) = rest
                    && (at + 1 < array.elems.len() || !matches!(array.elems[at], Pat::Rest(_)))
                {
                    return self.no_pattern(&array.elems[at], &rules::REST_OF_AN_ARRAY);
                }
                let (parts, cpu) = self.parts(&array.elems, &Shape::Owned, binder);
                let cpu = grouped(Delimiter::Bracket, array.bracket_token.span.join(), cpu);
                let patterns = parts.patterns;
                let ir = if rest.is_some() {
                    Pattern::Struct { name: None, fields: numbered(patterns) }
                } else {
                    Pattern::Array(patterns)
                };
                Bound { ir, cpu }
            }
            Pat::Lit(lit) => self.literal_pattern(lit),
            Pat::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "None") => none(path),
            Pat::Path(path) => self.constant_pattern(path, binder),
            Pat::Range(range) => self.range_pattern(range, binder),
            Pat::Or(or) => {
                let cases: Vec<Bound> = or.cases.iter().map(|case| self.pattern(case, shape, binder)).collect();
                let (vert, cpu) = (&or.leading_vert, cases.iter().map(|case| &case.cpu));
                let cpu = quote!(#vert #(#cpu)|*);
                Bound { ir: Pattern::Or(cases.into_iter().map(|case| case.ir).collect()), cpu }
            }
            Pat::Const(block) => self.constant_pattern(block, binder),
            Pat::Reference(reference) => self.no_pattern(reference, &rules::REFERENCE_PATTERN),
            Pat::Rest(rest) => self.no_pattern(rest, &rules::REST_IN_THE_MIDDLE),
            Pat::Macro(call) => self.no_pattern(call, &rules::PATTERN),
            // `box x`, a type or a guard where Rust allows none, and future variants of `syn::Pat`.
            other => self.no_pattern(other, &rules::PATTERN),
        }
    }

    /// Reports a refused pattern and returns a placeholder.
    fn no_pattern(&mut self, tokens: &impl ToTokens, rule: &rules::Rule) -> Bound {
        self.errors.refuse(tokens, rule);
        Bound { ir: Pattern::Wild, cpu: TokenStream::new() }
    }

    /// `x`, `mut x`, `x @ pattern`
    fn binding(&mut self, pattern: &PatIdent, shape: &Shape, binder: &mut Binder) -> Bound {
        let PatIdent { attrs: _, by_ref, mutability, ident, subpat } = pattern;
        if let Some(by_ref) = by_ref {
            return self.no_pattern(by_ref, &rules::REF_BINDING);
        }
        if binder.refutable && mutability.is_none() && subpat.is_none() && is_upper_case(ident) {
            return if ident == "None" { none(ident) } else { self.constant_pattern(ident, binder) };
        }
        let local = self.bound(ident, mutability.is_some(), shape, binder);
        let inner = subpat.as_ref().map(|(at, inner)| (at, self.pattern(inner, shape, binder)));
        let cpu = match &inner {
            Some((at, Bound { cpu, .. })) => quote!(#mutability #ident #at #cpu),
            // rustc would take the bare identifier for a constant of that name; with `@ _` it reports that a binding
            // cannot shadow it.
            None if binder.refutable => quote_spanned!(ours(ident.span())=> #mutability #ident @ _),
            None => quote!(#mutability #ident),
        };
        let ir = match inner {
            Some((_, Bound { ir, .. })) => Pattern::At(local, Box::new(ir)),
            None => Pattern::Local(local),
        };
        Bound { ir, cpu }
    }

    /// Returns the variable that a pattern binds; the alternatives of `a | b` bind the same variables.
    fn bound(&mut self, ident: &syn::Ident, mutable: bool, shape: &Shape, binder: &mut Binder) -> LocalId {
        let name = Name::of(ident);
        if let Some((_, local)) = binder.bound.iter().find(|(known, _)| *known == name) {
            return *local;
        }
        let slot = binder.of.unwrap_or_else(|| self.slot());
        let local = self.declare_typed(ident, mutable, shape.clone(), slot);
        if binder.of.is_none() {
            binder.learn.extend(self.learn("is", local, ident, binder.at.unwrap_or(ident.span())));
        }
        binder.bound.push((name, local));
        local
    }

    /// `(x, y)`, `(x, ..)`
    fn tuple_pattern(&mut self, tuple: &PatTuple, shape: &Shape, binder: &mut Binder) -> Bound {
        let (parts, cpu) = self.parts(&tuple.elems, shape, binder);
        let cpu = grouped(Delimiter::Parenthesis, tuple.paren_token.span.join(), cpu);
        let ir = match (parts.rest, shape) {
            (None, _) => Pattern::Tuple(parts.patterns),
            (Some(at), Shape::Tuple(all)) => {
                let mut patterns = parts.patterns;
                let left_out = all.len().saturating_sub(patterns.len());
                patterns.splice(at..at, std::iter::repeat_n(Pattern::Wild, left_out));
                Pattern::Tuple(patterns)
            }
            (Some(at), _) if at == parts.patterns.len() => {
                Pattern::Struct { name: None, fields: numbered(parts.patterns) }
            }
            (Some(_), _) => return self.no_pattern(&tuple.elems, &rules::REST_IN_THE_MIDDLE),
        };
        Bound { ir, cpu }
    }

    /// `Pair(x, y)`, `Pair(x, ..)`, `Some(x)`
    fn tuple_struct_pattern(&mut self, structure: &PatTupleStruct, binder: &mut Binder) -> Bound {
        let (parts, cpu) = self.parts(&structure.elems, &Shape::Owned, binder);
        if parts.rest.is_some_and(|at| at < parts.patterns.len()) {
            return self.no_pattern(&structure.elems, &rules::REST_IN_THE_MIDDLE);
        }
        let path = self.pattern_path(structure.qself.as_ref(), &structure.path);
        let cpu = grouped(Delimiter::Parenthesis, structure.paren_token.span.join(), cpu);
        let ir = Pattern::Struct { name: last_name(&structure.path), fields: numbered(parts.patterns) };
        Bound { ir, cpu: quote!(#path #cpu) }
    }

    /// The patterns between the parentheses.
    fn parts(
        &mut self,
        elems: &Punctuated<Pat, Token![,]>,
        shape: &Shape,
        binder: &mut Binder,
    ) -> (Parts, TokenStream) {
        let mut parts = Parts { patterns: Vec::new(), rest: None };
        let mut cpu = TokenStream::new();
        for (position, elem) in elems.iter().enumerate() {
            if let Pat::Rest(dots) = elem {
                parts.rest = Some(position);
                cpu.extend(quote!(#dots,));
                continue;
            }
            let index = match (parts.rest, shape) {
                // The fields after `..` are counted from the end.
                (Some(_), Shape::Tuple(all)) => (all.len() + position).saturating_sub(elems.len()),
                _ => position,
            };
            let part = shape.part(&Member::from(index));
            let Bound { ir, cpu: tokens } = self.pattern(elem, &part, binder);
            parts.patterns.push(ir);
            cpu.extend(quote!(#tokens,));
        }
        (parts, cpu)
    }

    /// `Point { x, y: 0, .. }`
    fn struct_pattern(&mut self, structure: &PatStruct, binder: &mut Binder) -> Bound {
        let mut fields = Vec::new();
        let mut cpu = TokenStream::new();
        for field in &structure.fields {
            self.attributes(&field.attrs);
            let member = &field.member;
            let Bound { ir, cpu: tokens } = self.pattern(&field.pat, &Shape::Owned, binder);
            fields.push((member_name(member), ir));
            // `Point { x }`, unless the binding is emitted as `x @ _`.
            let named = field.colon_token.is_some() || binder.refutable;
            let member = named.then(|| quote!(#member:));
            cpu.extend(quote!(#member #tokens,));
        }
        let (path, rest) = (self.pattern_path(structure.qself.as_ref(), &structure.path), &structure.rest);
        let cpu = grouped(Delimiter::Brace, structure.brace_token.span.join(), quote!(#cpu #rest));
        Bound { ir: Pattern::Struct { name: last_name(&structure.path), fields }, cpu: quote!(#path #cpu) }
    }

    fn pattern_path(&mut self, qself: Option<&syn::QSelf>, path: &syn::Path) -> TokenStream {
        if qself.is_some() {
            self.errors.refuse(path, &rules::PATTERN);
        }
        path.to_token_stream()
    }

    /// `-3`, `true`
    fn literal_pattern(&mut self, lit: &ExprLit) -> Bound {
        match self.literal_value(lit, false) {
            Some(value) => Bound { ir: Pattern::Literal(value), cpu: lit.to_token_stream() },
            None => Bound { ir: Pattern::Wild, cpu: TokenStream::new() },
        }
    }

    /// `LIMIT`, `Kind::Leaf`, `const { 2 * N }`
    fn constant_pattern(&mut self, constant: &impl ToTokens, binder: &mut Binder) -> Bound {
        let slot = self.slot();
        let (name, span) = (slot_name(slot, constant.span()), ours(constant.span()));
        binder.before.extend(quote_spanned!(span=> let _ = #name.constant(|| #constant);));
        Bound { ir: Pattern::Constant(slot), cpu: constant.to_token_stream() }
    }

    /// `a..=b`, `a..b`, `a..`, `..=b`
    fn range_pattern(&mut self, range: &ExprRange, binder: &mut Binder) -> Bound {
        let start = range.start.as_ref().map(|start| self.range_bound(start, binder));
        let end = range.end.as_ref().map(|end| self.range_bound(end, binder));
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let [start, end] = [start, end].map(|bound| bound.map(|bound| Box::new(bound.ir)));
        Bound { ir: Pattern::Range { start, end, inclusive }, cpu: range.to_token_stream() }
    }

    fn range_bound(&mut self, bound: &Expr, binder: &mut Binder) -> Bound {
        match peeled(bound) {
            Expr::Lit(lit) => self.literal_pattern(lit),
            bound => self.constant_pattern(bound, binder),
        }
    }
}

/// The subpatterns of a tuple.
struct Parts {
    patterns: Vec<Pattern>,
    /// The number of subpatterns before `..`.
    rest: Option<usize>,
}

/// `None`: as a constant, it would have a type that rustc cannot infer.
fn none(path: &impl ToTokens) -> Bound {
    let ir = Pattern::Struct { name: Some("None".to_owned()), fields: Vec::new() };
    Bound { ir, cpu: path.to_token_stream() }
}

/// Returns the last segment of a path, which may be the name of a variant.
fn last_name(path: &Path) -> Option<String> {
    path.segments.last().map(|last| last.ident.unraw().to_string())
}

/// Pairs each pattern with the name of the field at its position.
fn numbered(patterns: Vec<Pattern>) -> Vec<(String, Pattern)> {
    patterns.into_iter().enumerate().map(|(position, pattern)| (position.to_string(), pattern)).collect()
}

/// `..`, `rest @ ..`
fn is_rest(pattern: &Pat) -> bool {
    match pattern {
        Pat::Rest(_) => true,
        Pat::Ident(PatIdent { subpat: Some((_, inner)), .. }) => is_rest(inner),
        _ => false,
    }
}
