//! Desugaring to simpler Rust. The generated identifiers are hygienic, so that the result is lowered like user code.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, ExprAssign, ExprBinary, ExprIndex, ExprUnary, Local, LocalInit, Pat, PatIdent, Stmt, Token, Type, UnOp,
};

use super::peeled;
use crate::position::{Name, ours};

/// `(a, x[i]) = value` as `{ let (lhs0, lhs1) = value; a = lhs0; x[i] = lhs1; }`, as rustc does it; `None` if the left
/// side is a place.
pub(super) fn destructuring(assign: &ExprAssign) -> Option<Expr> {
    if !is_destructuring(peeled(&assign.left)) {
        return None;
    }
    let mut targets = Vec::new();
    let pattern = target_pattern(&assign.left, &mut targets);
    let right = &assign.right;
    let assignments = targets.iter().map(|(name, target)| quote_spanned!(ours(target.span())=> #target = #name;));
    syn::parse2(quote_spanned!(ours(assign.span())=> { let #pattern = #right; #(#assignments)* })).ok()
}

/// `x[i] += value` as `{ let place = &mut x[i]; let operand = value; *place += operand; }`; `None` if an index is a range,
/// which is not a value in a kernel.
pub(super) fn place_first(binary: &ExprBinary) -> Option<Expr> {
    let ExprBinary { attrs: _, left, op, right } = binary;
    if let Expr::Index(index) = peeled(left)
        && let Expr::Range(_) = peeled(&index.index)
    {
        return None;
    }
    let (place, operand) = (Ident::new("place", ours(left.span())), Ident::new("operand", ours(right.span())));
    syn::parse2(quote_spanned! {ours(binary.span())=> {
        let #place = &mut #left;
        let #operand = #right;
        *#place #op #operand;
    }})
    .ok()
}

/// `x[i].rows[j] += value` as `{ let at0 = i; let at1 = j; let _ = &x[at0].rows[at1]; let operand = value;
/// x[at0].rows[at1] += operand; }`; `None` if an index is a range. In a variable, this avoids a borrow of the place during
/// the evaluation of the value, which may read it. The borrow before it checks the bounds.
pub(super) fn indices_first(binary: &ExprBinary) -> Option<Expr> {
    struct Indices(Vec<(Ident, Expr)>);

    impl VisitMut for Indices {
        fn visit_expr_index_mut(&mut self, index: &mut ExprIndex) {
            // The indexed expression is evaluated before its index.
            self.visit_expr_mut(&mut index.expr);
            let name = Ident::new(&format!("at{}", self.0.len()), ours(index.index.span()));
            let written = std::mem::replace(&mut *index.index, syn::parse_quote!(#name));
            self.0.push((name, written));
        }
    }

    let ExprBinary { attrs: _, left, op, right } = binary;
    let (mut place, mut indices) = ((**left).clone(), Indices(Vec::new()));
    indices.visit_expr_mut(&mut place);
    if indices.0.iter().any(|(_, index)| matches!(peeled(index), Expr::Range(_))) {
        return None;
    }
    let before = indices.0.iter().map(|(name, index)| quote_spanned!(ours(index.span())=> let #name = #index;));
    let operand = Ident::new("operand", ours(right.span()));
    syn::parse2(quote_spanned! {ours(binary.span())=> {
        #(#before)*
        let _ = &#place;
        let #operand = #right;
        #place #op #operand;
    }})
    .ok()
}

/// Returns a place of the same type whose evaluation has no side effects: `v.rows[0][j]` for `v.rows[f()][j]`.
pub(super) fn first_elements(place: &Expr) -> TokenStream {
    struct First;

    impl VisitMut for First {
        fn visit_expr_index_mut(&mut self, index: &mut ExprIndex) {
            self.visit_expr_mut(&mut index.expr);
            match &mut *index.index {
                // A variable may hold an index of several dimensions. A range yields a slice, not an element.
                Expr::Path(_) | Expr::Lit(_) | Expr::Range(_) => {}
                Expr::Array(dimensions) => dimensions.elems.iter_mut().for_each(|at| *at = syn::parse_quote!(0)),
                number => *number = syn::parse_quote!(0),
            }
        }
    }

    let mut place = place.clone();
    First.visit_expr_mut(&mut place);
    place.into_token_stream()
}

fn is_destructuring(left: &Expr) -> bool {
    match left {
        Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) => true,
        Expr::Call(call) => is_constructor(&call.func),
        _ => false,
    }
}

/// Returns whether an expression names a tuple struct, by the case of its first letter.
fn is_constructor(function: &Expr) -> bool {
    matches!(function, Expr::Path(path) if path.path.segments.last().is_some_and(|last| is_upper_case(&last.ident)))
}

/// Returns whether an identifier begins with an upper-case letter, as types and constants do by convention.
pub(super) fn is_upper_case(name: &Ident) -> bool {
    let name = name.to_string();
    name.trim_start_matches("r#").trim_start_matches('_').starts_with(char::is_uppercase)
}

/// Returns the left side of an assignment as a pattern, with a new variable for each place in it.
fn target_pattern(left: &Expr, targets: &mut Vec<(Ident, Expr)>) -> TokenStream {
    match left {
        Expr::Infer(underscore) => underscore.to_token_stream(),
        Expr::Range(rest) if rest.start.is_none() && rest.end.is_none() => rest.to_token_stream(),
        Expr::Paren(inner) => target_pattern(&inner.expr, targets),
        Expr::Group(inner) => target_pattern(&inner.expr, targets),
        Expr::Tuple(tuple) => {
            let parts = tuple.elems.iter().map(|elem| target_pattern(elem, targets));
            quote_spanned!(ours(tuple.span())=> (#(#parts,)*))
        }
        Expr::Array(array) => {
            let elements = array.elems.iter().map(|elem| target_pattern(elem, targets));
            quote_spanned!(ours(array.span())=> [#(#elements),*])
        }
        Expr::Struct(value) => {
            let path = &value.path;
            let fields = value.fields.iter().map(|field| {
                let (member, pattern) = (&field.member, target_pattern(&field.expr, targets));
                quote!(#member: #pattern)
            });
            let rest = &value.dot2_token;
            quote_spanned!(ours(value.span())=> #path { #(#fields,)* #rest })
        }
        Expr::Call(call) if is_constructor(&call.func) => {
            let path = &call.func;
            let fields = call.args.iter().map(|arg| target_pattern(arg, targets));
            quote_spanned!(ours(call.span())=> #path(#(#fields),*))
        }
        place => {
            let name = Ident::new(&format!("lhs{}", targets.len()), ours(place.span()));
            targets.push((name.clone(), place.clone()));
            name.to_token_stream()
        }
    }
}

/// `let pattern = value else { .. };` as `let (a, b) = match value { pattern => (a, b), _ => { .. } };`.
pub(super) fn let_else(local: &Local, init: &LocalInit, otherwise: &Expr) -> Option<Stmt> {
    let (pattern, ty) = typed(&local.pat);
    let mut bindings = Vec::new();
    let pattern = immutable(pattern, &mut bindings);
    let (value, names) = (&init.expr, bindings.iter().map(|(name, _)| name));
    let variables = bindings.iter().map(|(name, mutability)| quote!(#mutability #name));
    let value = match ty {
        Some(ty) => {
            let typed = Ident::new("value", ours(value.span()));
            quote_spanned!(ours(value.span())=> { let #typed: #ty = #value; #typed })
        }
        None => value.to_token_stream(),
    };
    let span = ours(local.let_token.span());
    let (names, let_token) = (quote_spanned!(span=> (#(#names,)*)), &local.let_token);
    let tokens =
        quote_spanned!(span=> #let_token (#(#variables,)*) = match #value { #pattern => #names, _ => #otherwise };);
    syn::parse2(tokens).ok()
}

/// Returns the pattern with every `mut` removed, and collects its variables.
fn immutable(pattern: &Pat, bindings: &mut Vec<(Ident, Option<Token![mut]>)>) -> Pat {
    struct Immutable<'a>(&'a mut Vec<(Ident, Option<Token![mut]>)>);

    impl VisitMut for Immutable<'_> {
        fn visit_pat_ident_mut(&mut self, pattern: &mut PatIdent) {
            let binds = pattern.mutability.is_some() || pattern.subpat.is_some() || !is_upper_case(&pattern.ident);
            let mutability = pattern.mutability.take();
            // The alternatives of `a | b` bind the same variables.
            if binds && !self.0.iter().any(|(known, _)| Name::of(known) == Name::of(&pattern.ident)) {
                self.0.push((pattern.ident.clone(), mutability));
            }
            visit_mut::visit_pat_ident_mut(self, pattern);
        }
    }

    let mut pattern = pattern.clone();
    Immutable(bindings).visit_pat_mut(&mut pattern);
    pattern
}

/// Splits a pattern into the pattern without its type annotation, and the type.
pub(super) fn typed(pattern: &Pat) -> (&Pat, Option<&Type>) {
    match pattern {
        Pat::Type(typed) => (&typed.pat, Some(&typed.ty)),
        pattern => (pattern, None),
    }
}

/// `let r = &value;` as `let mut temporary = value;` and `let r = &temporary;`: Rust extends the lifetime of such a
/// temporary to that of the variable. `None` if the root of the borrowed place is not a temporary, which `is_variable`
/// decides.
pub(super) fn extended_temporary(init: &Expr, is_variable: impl FnOnce(&Expr) -> bool) -> Option<(Stmt, Expr)> {
    let Expr::Reference(_) = peeled(init) else { return None };
    let mut init = init.clone();
    let root = borrowed_root(&mut init);
    if matches!(root, Expr::Unary(ExprUnary { op: UnOp::Deref(_), .. })) || is_variable(root) {
        return None;
    }
    let span = ours(root.span());
    let name = Ident::new("temporary", span);
    let value = std::mem::replace(root, syn::parse2(name.to_token_stream()).ok()?);
    Some((syn::parse2(quote_spanned!(span=> let mut #name = #value;)).ok()?, init))
}

/// Returns the root of a borrowed place.
fn borrowed_root(expr: &mut Expr) -> &mut Expr {
    match expr {
        Expr::Reference(reference) => borrowed_root(&mut reference.expr),
        Expr::Index(index) => borrowed_root(&mut index.expr),
        Expr::Field(field) => borrowed_root(&mut field.base),
        Expr::Paren(inner) => borrowed_root(&mut inner.expr),
        Expr::Group(inner) => borrowed_root(&mut inner.expr),
        expr => expr,
    }
}

/// The parts of `matches!(value, pattern if guard)`.
pub(super) struct Matches {
    value: Expr,
    pattern: Pat,
    guard: Option<(Token![if], Expr)>,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.parse::<Option<Token![if]>>()? {
            Some(token) => Some((token, input.parse()?)),
            None => None,
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Matches { value, pattern, guard })
    }
}

impl Matches {
    /// `match value { pattern if guard => true, _ => false }`
    pub(super) fn desugared(&self, span: Span) -> syn::Result<Expr> {
        let Matches { value, pattern, guard } = self;
        let guard = guard.as_ref().map(|(token, guard)| quote!(#token #guard));
        syn::parse2(quote_spanned!(ours(span)=> match #value { #pattern #guard => true, _ => false }))
    }
}
