//! Default binding modes: a pattern that is matched against a reference binds references to the parts of the referent.
//!
//! `let Point { x, y } = r;` is desugared to `let x = &(*r).x; let y = &(*r).y;`, and `match r { Point { x, y: 0 } => .. }`
//! to `match *r { Point { x: _, y: 0 } => { let x = &(*r).x; .. } }`. So the pattern itself binds nothing, and rustc still
//! verifies it against the type.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Expr, ExprIf, ExprLet, ExprMatch, FieldPat, Member, Pat, PatGuard, PatIdent, PatStruct, PatTupleStruct, Stmt,
};

use crate::lower::pattern::matching::{binds, guarded, is_variant};
use crate::lower::sugar::is_upper_case;
use crate::lower::{Category, Lowerer, peeled};
use crate::position::ours;

/// A pattern against a reference, desugared.
pub(in crate::lower) struct Destructured {
    /// The pattern of the referent, without bindings.
    pattern: TokenStream,
    /// The declarations of the variables.
    variables: TokenStream,
}

/// Desugars `pattern`, which is matched against a reference to `place`. `None` if the position of a part is not known, or
/// if it depends on the alternative of a `|` pattern.
fn destructured(pattern: &Pat, place: &TokenStream, mutable: bool, of: Matched) -> Option<Destructured> {
    let refutable = of != Matched::Irrefutably;
    let mut parts = Parts { mutable, refutable, variables: TokenStream::new(), copies: 0 };
    let pattern = match (of, pattern) {
        (Matched::Variants, Pat::Struct(structure)) => parts.variant(structure)?,
        (Matched::Variants, Pat::TupleStruct(structure)) => parts.tuple_variant(structure)?,
        _ => parts.pattern(pattern, place)?,
    };
    Some(Destructured { pattern, variables: parts.variables })
}

/// The patterns that a value is matched against.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matched {
    /// That of a `let` or a parameter.
    Irrefutably,
    /// Those of a `match`.
    Refutably,
    /// Those of a `match` whose paths are certainly the variants of an enum, however they are imported.
    Variants,
}

impl Matched {
    /// Judges the arms of a `match`: a struct has one path, after which nothing else matches unless its fields differ.
    fn by(patterns: &[(&Pat, Option<&PatGuard>)]) -> Matched {
        let mut paths: Vec<(String, bool)> = Vec::new();
        for (pattern, guard) in patterns {
            let first = paths.len();
            collect_paths(pattern, &mut paths);
            // With a guard, others may match after a struct.
            paths[first..].iter_mut().for_each(|(_, matches_all)| *matches_all &= guard.is_none());
        }
        let first = paths.first().map(|(path, _)| path);
        let differ = paths.iter().any(|(path, _)| Some(path) != first);
        let is_whole = paths.iter().any(|&(_, matches_all)| matches_all) && paths.len() < patterns.len();
        let of_self = paths.iter().any(|(path, _)| path == "Self");
        if (differ || is_whole) && !of_self { Matched::Variants } else { Matched::Refutably }
    }
}

/// Collects the paths that the whole value is matched against, and whether the pattern matches every payload.
fn collect_paths(pattern: &Pat, paths: &mut Vec<(String, bool)>) {
    match pattern {
        Pat::Paren(inner) => collect_paths(&inner.pat, paths),
        Pat::Or(or) => or.cases.iter().for_each(|case| collect_paths(case, paths)),
        Pat::Ident(PatIdent { subpat: Some((_, inner)), .. }) => collect_paths(inner, paths),
        Pat::Struct(structure) => {
            let matches_all = structure.fields.iter().all(|field| is_certain(&field.pat));
            paths.push((structure.path.to_token_stream().to_string(), matches_all));
        }
        Pat::TupleStruct(structure) => {
            let matches_all = structure.elems.iter().all(is_certain);
            paths.push((structure.path.to_token_stream().to_string(), matches_all));
        }
        _ => {}
    }
}

/// Returns whether a pattern matches every value.
fn is_certain(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Ident(ident) => match &ident.subpat {
            Some((_, inner)) => is_certain(inner),
            None => ident.mutability.is_some() || !is_upper_case(&ident.ident),
        },
        Pat::Paren(inner) => is_certain(&inner.pat),
        Pat::Tuple(tuple) => tuple.elems.iter().all(is_certain),
        _ => false,
    }
}

/// Returns the statements of a `let` of the pattern, which is matched against a reference to `place`. `name` is the
/// variable that holds the reference or the place.
pub(in crate::lower) fn statements(
    pattern: &Pat,
    name: &Ident,
    mutable: bool,
    place: &TokenStream,
) -> Option<Vec<Stmt>> {
    let Destructured { pattern, variables } = destructured(pattern, place, mutable, Matched::Irrefutably)?;
    let span = ours(name.span());
    let block: syn::Block = syn::parse2(quote_spanned!(span=> { let #pattern = #place; #variables })).ok()?;
    Some(block.stmts)
}

/// Returns whether a pattern binds a variable of this name.
fn binds_name(pattern: &Pat, name: &Ident) -> bool {
    struct Binds<'n>(&'n Ident, bool);

    impl<'p> Visit<'p> for Binds<'_> {
        fn visit_pat_ident(&mut self, pattern: &'p PatIdent) {
            self.1 |= pattern.ident == *self.0;
            visit::visit_pat_ident(self, pattern);
        }
    }

    let mut binds = Binds(name, false);
    binds.visit_pat(pattern);
    binds.1
}

/// Returns the pattern that binds a single variable.
pub(in crate::lower) fn variable(name: &Ident) -> Pat {
    Pat::Ident(PatIdent { attrs: Vec::new(), by_ref: None, mutability: None, ident: name.clone(), subpat: None })
}

struct Parts {
    mutable: bool,
    /// An upper-case identifier is a constant.
    refutable: bool,
    variables: TokenStream,
    /// The number of copies of parts of variants.
    copies: usize,
}

impl Parts {
    /// Returns the pattern without its variables, which become references to parts of `place`.
    fn pattern(&mut self, pattern: &Pat, place: &TokenStream) -> Option<TokenStream> {
        match pattern {
            pattern if !binds(pattern) && (self.refutable || !matches!(pattern, Pat::Ident(_))) => {
                Some(pattern.to_token_stream())
            }
            // Rust allows neither `mut` nor `ref` here.
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.mutability.is_none() => {
                let name = &ident.ident;
                if self.refutable && ident.subpat.is_none() && is_upper_case(name) {
                    return Some(name.to_token_stream());
                }
                let borrow = if self.mutable { quote!(&mut) } else { quote!(&) };
                let span = ours(name.span());
                self.variables.extend(quote_spanned!(span=> let #name = #borrow #place;));
                match &ident.subpat {
                    Some((_, inner)) => self.pattern(inner, place),
                    None => Some(quote!(_)),
                }
            }
            Pat::Paren(inner) => self.pattern(&inner.pat, place),
            Pat::Struct(structure) if is_variant(&structure.path) => self.variant(structure),
            Pat::TupleStruct(structure) if is_variant(&structure.path) => self.tuple_variant(structure),
            Pat::Struct(structure) => {
                let mut fields = Vec::new();
                for FieldPat { attrs: _, member, colon_token: _, pat } in &structure.fields {
                    let inner = self.pattern(pat, &quote_spanned!(ours(pat.span())=> #place.#member))?;
                    fields.push(quote!(#member: #inner));
                }
                let (path, rest) = (&structure.path, &structure.rest);
                Some(quote!(#path { #(#fields,)* #rest }))
            }
            Pat::TupleStruct(structure) => {
                let path = &structure.path;
                let elems = self.elements(structure.elems.iter(), |index| {
                    let member = Member::from(index);
                    quote!(#place.#member)
                })?;
                Some(quote!(#path(#(#elems,)*)))
            }
            Pat::Tuple(tuple) => {
                let elems = self.elements(tuple.elems.iter(), |index| {
                    let member = Member::from(index);
                    quote!(#place.#member)
                })?;
                Some(quote!((#(#elems,)*)))
            }
            Pat::Slice(array) => {
                let elems = self.elements(array.elems.iter(), |index| quote!(#place[#index]))?;
                Some(quote!([#(#elems),*]))
            }
            _ => None,
        }
    }

    /// `Shape::Rectangle { width, .. }`
    fn variant(&mut self, structure: &PatStruct) -> Option<TokenStream> {
        let mut fields = Vec::new();
        for FieldPat { attrs: _, member, colon_token: _, pat } in &structure.fields {
            let inner = self.copied(pat)?;
            fields.push(quote!(#member: #inner));
        }
        let (path, rest) = (&structure.path, &structure.rest);
        Some(quote!(#path { #(#fields,)* #rest }))
    }

    /// `Shape::Circle(r)`
    fn tuple_variant(&mut self, structure: &PatTupleStruct) -> Option<TokenStream> {
        let path = &structure.path;
        let elems: Option<Vec<TokenStream>> = structure.elems.iter().map(|elem| self.copied(elem)).collect();
        let elems = elems?;
        Some(quote!(#path(#(#elems,)*)))
    }

    /// A part of a variant, which is no place. The variables become references to a copy, which is not observable: nothing
    /// changes the referent while a shared reference to it is in use.
    fn copied(&mut self, pattern: &Pat) -> Option<TokenStream> {
        if !binds(pattern) || matches!(pattern, Pat::Rest(_)) {
            return Some(pattern.to_token_stream());
        }
        if self.mutable {
            return None;
        }
        let name = Ident::new(&format!("__part{}", self.copies), ours(pattern.span()));
        self.copies += 1;
        let inner = self.pattern(pattern, &name.to_token_stream())?;
        Some(quote!(#name @ #inner))
    }

    /// The parts of a tuple or an array. Those after `..` have no known position.
    fn elements<'p>(
        &mut self,
        elems: impl Iterator<Item = &'p Pat>,
        place: impl Fn(usize) -> TokenStream,
    ) -> Option<Vec<TokenStream>> {
        let mut rest = false;
        elems
            .enumerate()
            .map(|(position, elem)| {
                if rest && binds(elem) {
                    return None;
                }
                rest |= matches!(elem, Pat::Rest(_));
                self.pattern(elem, &place(position))
            })
            .collect()
    }
}

impl Lowerer<'_> {
    /// `match reference { .. }` with patterns that bind parts of the referent.
    pub(in crate::lower) fn match_of_a_reference(&self, expr: &ExprMatch) -> Option<Expr> {
        let is_of_reference = |pattern: &Pat| !matches!(pattern, Pat::Reference(_) | Pat::Ident(_)) && binds(pattern);
        if !expr.arms.iter().any(|arm| is_of_reference(guarded(&arm.pat).0)) {
            return None;
        }
        let arms: Vec<_> = expr.arms.iter().map(|arm| guarded(&arm.pat)).collect();
        let patterns: Vec<&Pat> = arms.iter().map(|(pattern, _)| *pattern).collect();
        let (place, mutable, declaration) = self.matched_reference(&expr.expr, &patterns)?;
        let matched = Matched::by(&arms);
        let mut desugared = expr.clone();
        let span = ours(expr.expr.span());
        desugared.expr = syn::parse2(place.clone()).ok()?;
        for arm in &mut desugared.arms {
            let (pattern, guard) = guarded(&arm.pat);
            if !binds(pattern) {
                continue;
            }
            let Destructured { pattern, variables } = destructured(pattern, &place, mutable, matched)?;
            let (body, comma) = (&arm.body, &arm.comma);
            let guard = guard.map(|guard| {
                let (token, guard) = (&guard.if_token, &guard.guard);
                quote_spanned!(ours(guard.span())=> #token { #variables #guard })
            });
            let body = quote_spanned!(ours(body.span())=> { #variables #body });
            *arm = syn::parse2(quote!(#pattern #guard => #body #comma)).ok()?;
        }
        syn::parse2(match declaration {
            Some(declaration) => quote_spanned!(span=> { #declaration #desugared }),
            None => desugared.into_token_stream(),
        })
        .ok()
    }

    /// `if let pattern = reference { .. }` with a pattern that binds parts of the referent, as a `match`.
    pub(in crate::lower) fn if_let_of_a_reference(&self, branch: &ExprIf) -> Option<Expr> {
        let Expr::Let(ExprLet { pat, expr, .. }) = peeled(&branch.cond) else { return None };
        self.matched_reference(expr, &[&**pat])?;
        let (then, span) = (&branch.then_branch, ours(branch.if_token.span()));
        let otherwise = branch.else_branch.as_ref().map(|(_, otherwise)| otherwise.to_token_stream());
        let otherwise = otherwise.unwrap_or_else(|| quote_spanned!(span=> {}));
        let Expr::Match(of) =
            syn::parse2(quote_spanned!(span=> match #expr { #pat => #then, _ => #otherwise })).ok()?
        else {
            return None;
        };
        self.match_of_a_reference(&of)
    }

    /// Returns the place of a scrutinee which is certainly a reference, whether it is mutable, and the declaration of the
    /// variable that holds it, unless it is the user's.
    fn matched_reference(
        &self,
        scrutinee: &Expr,
        patterns: &[&Pat],
    ) -> Option<(TokenStream, bool, Option<TokenStream>)> {
        // A variable of a pattern may shadow that of the scrutinee.
        let is_bound = |name: &Ident| patterns.iter().any(|pattern| binds_name(pattern, name));
        match peeled(scrutinee) {
            Expr::Reference(borrow) => {
                let (span, mutable) = (ours(borrow.span()), borrow.mutability.is_some());
                if patterns.iter().any(|pattern| matches!(pattern, Pat::Tuple(_)))
                    && let Expr::Path(path) = peeled(&borrow.expr)
                    && self.variable(peeled(&borrow.expr)).is_some()
                {
                    // There are no references to tuples.
                    let bound = path.path.get_ident().is_some_and(is_bound);
                    return (!bound).then(|| (path.to_token_stream(), mutable, None));
                }
                let name = Ident::new("__reference", span);
                let declaration = quote_spanned!(span=> let #name = #borrow;);
                Some((quote_spanned!(span=> (*#name)), mutable, Some(declaration)))
            }
            Expr::Path(path) => {
                let local = self.variable(peeled(scrutinee))?;
                let Category::Reference { mutable } = self.known[local.index()].category else { return None };
                let span = ours(path.span());
                if !path.path.get_ident().is_some_and(is_bound) {
                    return Some((quote_spanned!(span=> (*#path)), mutable, None));
                }
                let name = Ident::new("__reference", span);
                Some((quote_spanned!(span=> (*#name)), mutable, Some(quote_spanned!(span=> let #name = #path;))))
            }
            _ => None,
        }
    }
}
