//! Patterns of `let`, `match` and `for`.

pub(in crate::lower) mod binding_modes;
pub(in crate::lower) mod matching;

use cumbia_kernel_ir::{LocalId, Pattern, SlotId, variant_in_slot};
use proc_macro2::{Delimiter, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Expr, ExprLit, ExprRange, Member, Pat, PatIdent, PatStruct, PatTuple, PatTupleStruct, Path, RangeLimits, Token,
};

use crate::extent::Extent;
use crate::lower::expr::member_name;
use crate::lower::sugar::is_upper_case;
use crate::lower::{Category, Lowerer, grouped, peeled, slot_name, variant_test};
use crate::position::{Name, ours};
use crate::rules;

/// The state of lowering one pattern.
pub(in crate::lower) struct Binder {
    /// The pattern is refutable. Then an upper-case identifier is a constant, by Rust's naming convention; an
    /// irrefutable pattern binds it.
    refutable: bool,
    /// The span of errors about the type of a variable, if it is not that of its name.
    at: Option<Span>,
    /// The tokens that record the types of the variables in their slots.
    pub(in crate::lower) learn: TokenStream,
    /// The tokens that record the values of the constants in their slots, to be placed before the enclosing expression.
    pub(in crate::lower) before: TokenStream,
    /// The slot that holds the type of the matched value, if there is one.
    of: Option<SlotId>,
    /// The variables bound so far.
    bound: Vec<(Name, LocalId)>,
}

impl Binder {
    /// For a `let`, a parameter or the variable of a `for`.
    pub(in crate::lower) fn irrefutable(at: Option<Span>) -> Binder {
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
    pub(in crate::lower) fn of(slot: Option<SlotId>, at: Option<Span>) -> Binder {
        Binder { of: slot, ..Binder::irrefutable(at) }
    }

    /// For an arm of a `match`.
    pub(in crate::lower) fn refutable() -> Binder {
        Binder { refutable: true, ..Binder::irrefutable(None) }
    }
}

/// A lowered pattern.
pub(in crate::lower) struct Bound {
    pub(in crate::lower) ir: Pattern,
    pub(in crate::lower) cpu: TokenStream,
    /// The paths in it that may name variants.
    paths: Vec<VariantPath>,
}

/// A path in a refutable pattern that may name a variant, which rustc resolves.
struct VariantPath {
    slot: SlotId,
    span: Span,
    /// The path as a pattern of any payload: `Shape::Circle(..)`.
    pattern: TokenStream,
    /// A pattern of the whole value that binds the part that the path is matched against; `None` if it is the whole value.
    within: Option<TokenStream>,
}

impl VariantPath {
    /// Returns the same path, in a pattern whose part at the path is now inside of the result of `around`.
    fn within(self, around: impl FnOnce(TokenStream) -> TokenStream) -> VariantPath {
        let part = self.within.unwrap_or_else(|| part().to_token_stream());
        VariantPath { within: Some(around(part)), ..self }
    }
}

/// The variable that holds the part of a value that a path is matched against.
fn part() -> Ident {
    Ident::new("__part", Span::mixed_site())
}

impl Bound {
    /// A pattern without paths.
    pub(in crate::lower) fn new(ir: Pattern, cpu: TokenStream) -> Bound {
        Bound { ir, cpu, paths: Vec::new() }
    }
}

impl Lowerer<'_> {
    /// Lowers the pattern of a `match` or a `let` condition, and declares its variables. rustc resolves the variants in it:
    /// the whole value is bound as well, and for each path the slot receives a closure that matches it.
    pub(in crate::lower) fn refutable_pattern(
        &mut self,
        pattern: &Pat,
        category: &Category,
        binder: &mut Binder,
    ) -> Bound {
        let Bound { ir, mut cpu, paths } = self.pattern(pattern, category, binder);
        if paths.is_empty() {
            return Bound::new(ir, cpu);
        }
        let (whole, part) = (Ident::new("__whole", Span::mixed_site()), part());
        if let Pat::Or(_) = pattern {
            cpu = quote!((#cpu));
        }
        for VariantPath { slot, span, pattern, within } in paths {
            let is = |value: &Ident| {
                let content = quote_spanned!(ours(span)=> ::cumbia::__private::MatchedVariant(__is).content());
                variant_test(&pattern, span, (slot, None), value, &content, Extent::at(ours(span)))
            };
            binder.learn.extend(match within {
                None => {
                    let test = is(&whole);
                    quote_spanned!(ours(span)=> let _ = #test;)
                }
                Some(within) => {
                    let test = is(&part);
                    quote_spanned!(ours(span)=> if let #within = #whole { let _ = #test; })
                }
            });
        }
        Bound::new(ir, quote!(#whole @ #cpu))
    }

    /// Lowers a pattern and declares its variables. `category` is that of the matched value.
    pub(in crate::lower) fn pattern(&mut self, pattern: &Pat, category: &Category, binder: &mut Binder) -> Bound {
        if !matches!(pattern, Pat::Ident(_) | Pat::Paren(_)) {
            binder.of = None;
        }
        match pattern {
            Pat::Wild(wild) => Bound::new(Pattern::Wild, wild.to_token_stream()),
            Pat::Ident(ident) => self.binding(ident, category, binder),
            Pat::Paren(inner) => {
                let Bound { ir, cpu, paths } = self.pattern(&inner.pat, category, binder);
                Bound { ir, cpu: grouped(Delimiter::Parenthesis, inner.paren_token.span.join(), cpu), paths }
            }
            Pat::Tuple(tuple) => self.tuple_pattern(tuple, category, binder),
            Pat::Struct(structure) => self.struct_pattern(structure, binder),
            Pat::TupleStruct(structure) => self.tuple_struct_pattern(structure, binder),
            Pat::Slice(array) => {
                let rest = array.elems.iter().position(is_rest);
                if let Some(at) = rest
                    && (at + 1 < array.elems.len() || !matches!(array.elems[at], Pat::Rest(_)))
                {
                    return self.no_pattern(&array.elems[at], &rules::REST_OF_AN_ARRAY);
                }
                let (parts, cpu) = self.parts(&array.elems, &Category::Owned, binder);
                let cpu = grouped(Delimiter::Bracket, array.bracket_token.span.join(), cpu);
                let paths = parts.paths.into_iter().map(|path| path.within(|parts| quote!([#parts]))).collect();
                let patterns = parts.patterns;
                let ir = if rest.is_some() {
                    Pattern::Struct { name: None, fields: numbered(patterns) }
                } else {
                    Pattern::Array(patterns)
                };
                Bound { ir, cpu, paths }
            }
            Pat::Lit(lit) => self.literal_pattern(lit),
            Pat::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "None") => {
                self.none(path, binder)
            }
            Pat::Path(path) => self.constant_pattern(path, binder),
            Pat::Range(range) => self.range_pattern(range, binder),
            Pat::Or(or) => {
                let cases: Vec<Bound> = or.cases.iter().map(|case| self.pattern(case, category, binder)).collect();
                let (vert, cpu) = (&or.leading_vert, cases.iter().map(|case| &case.cpu));
                let cpu = quote!(#vert #(#cpu)|*);
                let (irs, paths): (Vec<Pattern>, Vec<_>) = cases.into_iter().map(|case| (case.ir, case.paths)).unzip();
                Bound { ir: Pattern::Or(irs), cpu, paths: paths.into_iter().flatten().collect() }
            }
            Pat::Const(block) => self.constant_pattern(block, binder),
            Pat::Reference(reference) => self.no_pattern(reference, &rules::REFERENCE_PATTERN),
            Pat::Rest(rest) => self.no_pattern(rest, &rules::REST_IN_THE_MIDDLE),
            Pat::Macro(call) => self.no_pattern(call, &rules::PATTERN),
            // `box x`, a type or a guard where Rust allows none, and future variants of `syn::Pat`.
            other => self.no_pattern(other, &rules::PATTERN),
        }
    }

    /// Reports a rejected pattern and returns a placeholder.
    fn no_pattern(&mut self, tokens: &impl ToTokens, rule: &rules::Rule) -> Bound {
        self.errors.reject(tokens, rule);
        Bound::new(Pattern::Wild, TokenStream::new())
    }

    /// `x`, `mut x`, `x @ pattern`
    fn binding(&mut self, pattern: &PatIdent, category: &Category, binder: &mut Binder) -> Bound {
        let PatIdent { attrs: _, by_ref, mutability, ident, subpat } = pattern;
        if let Some(by_ref) = by_ref {
            return self.no_pattern(by_ref, &rules::REF_BINDING);
        }
        if binder.refutable && mutability.is_none() && subpat.is_none() && is_upper_case(ident) {
            return if ident == "None" { self.none(ident, binder) } else { self.constant_pattern(ident, binder) };
        }
        let local = self.bound(ident, mutability.is_some(), category, binder);
        let inner = subpat.as_ref().map(|(at, inner)| (at, self.pattern(inner, category, binder)));
        let cpu = match &inner {
            Some((at, Bound { cpu, .. })) => quote!(#mutability #ident #at #cpu),
            // rustc would take the bare identifier for a constant of that name; with `@ _` it reports that a binding
            // cannot shadow it.
            None if binder.refutable => quote_spanned!(ours(ident.span())=> #mutability #ident @ _),
            None => quote!(#mutability #ident),
        };
        match inner {
            Some((_, Bound { ir, cpu: _, paths })) => Bound { ir: Pattern::At(local, Box::new(ir)), cpu, paths },
            None => Bound::new(Pattern::Local(local), cpu),
        }
    }

    /// Returns the variable that a pattern binds; the alternatives of `a | b` bind the same variables.
    fn bound(&mut self, ident: &syn::Ident, mutable: bool, category: &Category, binder: &mut Binder) -> LocalId {
        let name = Name::of(ident);
        if let Some((_, local)) = binder.bound.iter().find(|(known, _)| *known == name) {
            return *local;
        }
        let slot = binder.of.unwrap_or_else(|| self.slot());
        let local = self.declare_typed(ident, mutable, category.clone(), slot);
        if binder.of.is_none() {
            binder.learn.extend(self.learn("is", local, ident, binder.at.unwrap_or(ident.span())));
        }
        binder.bound.push((name, local));
        local
    }

    /// `(x, y)`, `(x, ..)`
    fn tuple_pattern(&mut self, tuple: &PatTuple, category: &Category, binder: &mut Binder) -> Bound {
        let (parts, cpu) = self.parts(&tuple.elems, category, binder);
        let cpu = grouped(Delimiter::Parenthesis, tuple.paren_token.span.join(), cpu);
        let ir = match (parts.rest, category) {
            (None, _) => Pattern::Tuple(parts.patterns),
            (Some(at), Category::Tuple(all)) => {
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
        let paths = parts.paths.into_iter().map(|path| path.within(|parts| quote!((#parts)))).collect();
        Bound { ir, cpu, paths }
    }

    /// `Pair(x, y)`, `Pair(x, ..)`, `Some(x)`
    fn tuple_struct_pattern(&mut self, structure: &PatTupleStruct, binder: &mut Binder) -> Bound {
        let (parts, cpu) = self.parts(&structure.elems, &Category::Owned, binder);
        if parts.rest.is_some_and(|at| at < parts.patterns.len()) {
            return self.no_pattern(&structure.elems, &rules::REST_IN_THE_MIDDLE);
        }
        let path = self.pattern_path(structure.qself.as_ref(), &structure.path);
        let cpu = grouped(Delimiter::Parenthesis, structure.paren_token.span.join(), cpu);
        let mut paths: Vec<VariantPath> =
            parts.paths.into_iter().map(|part| part.within(|parts| quote!(#path(#parts)))).collect();
        let name = self.variant_path(&structure.path, quote!(#path(..)), binder, &mut paths);
        let ir = Pattern::Struct { name, fields: numbered(parts.patterns) };
        Bound { ir, cpu: quote!(#path #cpu), paths }
    }

    /// The patterns between the parentheses.
    fn parts(
        &mut self,
        elems: &Punctuated<Pat, Token![,]>,
        category: &Category,
        binder: &mut Binder,
    ) -> (Parts, TokenStream) {
        let mut parts = Parts { patterns: Vec::new(), rest: None, paths: Vec::new() };
        let mut cpu = TokenStream::new();
        for (position, elem) in elems.iter().enumerate() {
            if let Pat::Rest(dots) = elem {
                parts.rest = Some(position);
                cpu.extend(quote!(#dots,));
                continue;
            }
            let index = match (parts.rest, category) {
                // The fields after `..` are counted from the end.
                (Some(_), Category::Tuple(all)) => (all.len() + position).saturating_sub(elems.len()),
                _ => position,
            };
            let part = category.part(&Member::from(index));
            let Bound { ir, cpu: tokens, paths } = self.pattern(elem, &part, binder);
            parts.patterns.push(ir);
            // The tokens of all parts, of which one contains the path.
            parts.paths.extend(paths.into_iter().map(|path| {
                path.within(|part| {
                    let others = elems.iter().enumerate().map(|(other, elem)| match elem {
                        Pat::Rest(_) => quote!(..,),
                        _ if other == position => quote!(#part,),
                        _ => quote!(_,),
                    });
                    others.collect()
                })
            }));
            cpu.extend(quote!(#tokens,));
        }
        (parts, cpu)
    }

    /// `Point { x, y: 0, .. }`
    fn struct_pattern(&mut self, structure: &PatStruct, binder: &mut Binder) -> Bound {
        let mut fields = Vec::new();
        let mut cpu = TokenStream::new();
        let path = self.pattern_path(structure.qself.as_ref(), &structure.path);
        let mut paths = Vec::new();
        for field in &structure.fields {
            self.attributes(&field.attrs);
            let member = &field.member;
            let Bound { ir, cpu: tokens, paths: inner } = self.pattern(&field.pat, &Category::Owned, binder);
            paths.extend(inner.into_iter().map(|inner| inner.within(|part| quote!(#path { #member: #part, .. }))));
            fields.push((member_name(member), ir));
            // `Point { x }`, unless the binding is emitted as `x @ _`.
            let named = field.colon_token.is_some() || binder.refutable;
            let member = named.then(|| quote!(#member:));
            cpu.extend(quote!(#member #tokens,));
        }
        let rest = &structure.rest;
        let cpu = grouped(Delimiter::Brace, structure.brace_token.span.join(), quote!(#cpu #rest));
        let name = self.variant_path(&structure.path, quote!(#path { .. }), binder, &mut paths);
        Bound { ir: Pattern::Struct { name, fields }, cpu: quote!(#path #cpu), paths }
    }

    /// `None`: as a constant, it would have a type that rustc cannot infer.
    fn none(&mut self, path: &impl ToTokens, binder: &Binder) -> Bound {
        let cpu = path.to_token_stream();
        let mut paths = Vec::new();
        let none = Ident::new("None", path.span());
        // A constant of this name is no such pattern.
        let name = self.variant_path(&none.into(), quote!(#cpu {}), binder, &mut paths);
        Bound { ir: Pattern::Struct { name, fields: Vec::new() }, cpu, paths }
    }

    /// Returns the variant of a path, which rustc resolves if the pattern is refutable.
    fn variant_path(
        &mut self,
        path: &Path,
        pattern: TokenStream,
        binder: &Binder,
        paths: &mut Vec<VariantPath>,
    ) -> Option<String> {
        let written = last_name(path)?;
        // `Self` is a struct.
        if !binder.refutable || path.is_ident("Self") {
            return Some(written);
        }
        let slot = self.slot();
        paths.push(VariantPath { slot, span: path.span(), pattern, within: None });
        Some(variant_in_slot(&written, slot))
    }

    fn pattern_path(&mut self, qself: Option<&syn::QSelf>, path: &syn::Path) -> TokenStream {
        if qself.is_some() {
            self.errors.reject(path, &rules::PATTERN);
        }
        path.to_token_stream()
    }

    /// `-3`, `true`
    fn literal_pattern(&mut self, lit: &ExprLit) -> Bound {
        match self.literal_value(lit, false) {
            Some(value) => Bound::new(Pattern::Literal(value), lit.to_token_stream()),
            None => Bound::new(Pattern::Wild, TokenStream::new()),
        }
    }

    /// `LIMIT`, `Kind::Leaf`, `const { 2 * N }`
    fn constant_pattern(&mut self, constant: &impl ToTokens, binder: &mut Binder) -> Bound {
        let slot = self.slot();
        let (name, span) = (slot_name(slot, constant.span()), ours(constant.span()));
        binder.before.extend(quote_spanned! {span=>
            #name.matched(|| #constant, |__value| ::cumbia::__private::MatchedConstant(__value).content());
        });
        Bound::new(Pattern::Constant(slot), constant.to_token_stream())
    }

    /// `a..=b`, `a..b`, `a..`, `..=b`
    fn range_pattern(&mut self, range: &ExprRange, binder: &mut Binder) -> Bound {
        let start = range.start.as_ref().map(|start| self.range_bound(start, binder));
        let end = range.end.as_ref().map(|end| self.range_bound(end, binder));
        let inclusive = matches!(range.limits, RangeLimits::Closed(_));
        let [start, end] = [start, end].map(|bound| bound.map(|bound| Box::new(bound.ir)));
        Bound::new(Pattern::Range { start, end, inclusive }, range.to_token_stream())
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
    /// The paths in them, in patterns of all parts without the delimiters.
    paths: Vec<VariantPath>,
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
