//! Desugaring to simpler Rust. The generated identifiers are hygienic, so that the result is lowered like user code.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, BinOp, Block, Expr, ExprAssign, ExprBinary, ExprIndex, ExprUnary, Index, Local, LocalInit, Pat,
    PatIdent, Stmt, Token, Type, TypeReference, UnOp,
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

/// `let Particles { x, y: [a, b], .. } = value;` as `let x = value.x; let [a, b] = value.y;`, if the pattern is that of a
/// struct: `value` is an argument of several parts, whose type in a kernel has another name.
pub(super) fn fields_of_argument(local: &Local, value: &Expr) -> Option<Vec<Stmt>> {
    let one = |member: &dyn ToTokens, pattern: &Pat| {
        syn::parse2(quote_spanned!(ours(pattern.span())=> let #pattern = #value.#member;)).ok()
    };
    match &local.pat {
        Pat::Struct(pattern) => pattern.fields.iter().map(|field| one(&field.member, &field.pat)).collect(),
        Pat::TupleStruct(pattern) => {
            let elems = pattern.elems.iter().enumerate();
            let bound = elems.take_while(|(_, elem)| !matches!(elem, Pat::Rest(_)));
            bound.map(|(i, elem)| one(&Index::from(i), elem)).collect()
        }
        _ => None,
    }
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
    let (place, operand) = (Ident::new("__place", ours(left.span())), Ident::new("__operand", ours(right.span())));
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
            let name = Ident::new(&format!("__at{}", self.0.len()), ours(index.index.span()));
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
    let operand = Ident::new("__operand", ours(right.span()));
    syn::parse2(quote_spanned! {ours(binary.span())=> {
        #(#before)*
        let _ = &#place;
        let #operand = #right;
        #place #op #operand;
    }})
    .ok()
}

/// `!(a && b)` as `!a || !b`, if it contains an assignment, and so on for `||` and for a second `!`. rustc derives from
/// the operators which variables a condition has initialised, and does not see through the functions that record the
/// types of operands.
pub(super) fn negated(unary: &ExprUnary) -> Option<Expr> {
    struct Assigns(bool);

    impl<'ast> Visit<'ast> for Assigns {
        fn visit_expr_assign(&mut self, _: &'ast ExprAssign) {
            self.0 = true;
        }
    }

    let UnOp::Not(not) = &unary.op else { return None };
    let mut assigns = Assigns(false);
    assigns.visit_expr(&unary.expr);
    if !assigns.0 {
        return None;
    }
    match peeled(&unary.expr) {
        Expr::Binary(ExprBinary { attrs: _, left, op, right }) => {
            let opposite = match op {
                BinOp::And(and) => quote_spanned!(and.span()=> ||),
                BinOp::Or(or) => quote_spanned!(or.span()=> &&),
                _ => return None,
            };
            syn::parse2(quote_spanned!(ours(unary.span())=> (#not (#left) #opposite #not (#right)))).ok()
        }
        Expr::Unary(ExprUnary { attrs: _, op: UnOp::Not(_), expr }) => match peeled(expr) {
            logical @ Expr::Binary(ExprBinary { op: BinOp::And(_) | BinOp::Or(_), .. }) => {
                syn::parse2(quote_spanned!(ours(unary.span())=> (#logical))).ok()
            }
            _ => None,
        },
        _ => None,
    }
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
            let name = Ident::new(&format!("__lhs{}", targets.len()), ours(place.span()));
            targets.push((name.clone(), place.clone()));
            name.to_token_stream()
        }
    }
}

/// Returns the tokens of an expression as the value of a `match` or the condition of an `if`, where a struct literal has to be in
/// parentheses.
pub(super) fn scrutinee(expr: &Expr) -> TokenStream {
    if has_bare_struct(expr) { quote_spanned!(ours(expr.span())=> (#expr)) } else { expr.to_token_stream() }
}

/// Returns whether an expression contains a struct literal outside parentheses, brackets and braces.
fn has_bare_struct(expr: &Expr) -> bool {
    match expr {
        Expr::Struct(_) => true,
        Expr::Assign(ExprAssign { left, right, .. }) | Expr::Binary(ExprBinary { left, right, .. }) => {
            has_bare_struct(left) || has_bare_struct(right)
        }
        Expr::Range(range) => [&range.start, &range.end].into_iter().flatten().any(|end| has_bare_struct(end)),
        Expr::Call(call) => has_bare_struct(&call.func),
        Expr::Cast(cast) => has_bare_struct(&cast.expr),
        Expr::Field(field) => has_bare_struct(&field.base),
        Expr::Index(ExprIndex { expr, .. }) | Expr::Unary(ExprUnary { expr, .. }) => has_bare_struct(expr),
        Expr::MethodCall(call) => has_bare_struct(&call.receiver),
        Expr::Reference(reference) => has_bare_struct(&reference.expr),
        Expr::Try(tried) => has_bare_struct(&tried.expr),
        _ => false,
    }
}

/// `let pattern = value else { .. };` as `let (a, b) = match value { pattern => (a, b), _ => { .. } };`. The block is marked, so that
/// rustc checks that it diverges: see [`is_otherwise`].
pub(super) fn let_else(local: &Local, init: &LocalInit, otherwise: &Expr) -> Option<Stmt> {
    let (pattern, ty) = typed(&local.pat);
    let mut bindings = Vec::new();
    let pattern = immutable(pattern, &mut bindings);
    let (value, names) = (&init.expr, bindings.iter().map(|(name, _)| name));
    let variables = bindings.iter().map(|(name, mutability)| quote!(#mutability #name));
    let value = match ty {
        Some(ty) => {
            let typed = Ident::new("__value", ours(value.span()));
            quote_spanned!(ours(value.span())=> { let #typed: #ty = #value; #typed })
        }
        None => scrutinee(value),
    };
    let span = ours(local.let_token.span());
    let (names, let_token) = (quote_spanned!(span=> (#(#names,)*)), &local.let_token);
    let mark = Ident::new(OTHERWISE, span);
    let tokens = quote_spanned! {span=>
        #let_token (#(#variables,)*) = match #value { #pattern => #names, _ => #[#mark] #otherwise };
    };
    syn::parse2(tokens).ok()
}

/// The mark of the block of a `let .. else`. A user who writes it has a block that must diverge.
const OTHERWISE: &str = "__otherwise";

/// Returns whether an attribute marks the block of a `let .. else`.
pub(super) fn is_otherwise(attribute: &Attribute) -> bool {
    attribute.path().is_ident(OTHERWISE)
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

/// Makes the values of the branches of `expr` coerce to `ty`, the type that is expected of it: `if c { &a } else { &b }`
/// as `if c { { let value: &[f32] = &a; value } } else { .. }`. Rust propagates an expected type to the ends of blocks,
/// the arms of a `match`, the values of `break`s and the parts of a tuple.
pub(super) fn coerced_branches(expr: &mut Expr, ty: &Type) {
    match (expr, ty) {
        (Expr::Paren(inner), ty) => coerced_branches(&mut inner.expr, ty),
        (Expr::Group(inner), ty) => coerced_branches(&mut inner.expr, ty),
        (expr, Type::Paren(inner)) => coerced_branches(expr, &inner.elem),
        (expr, Type::Group(inner)) => coerced_branches(expr, &inner.elem),
        (Expr::Tuple(tuple), Type::Tuple(types)) if tuple.elems.len() == types.elems.len() => {
            tuple.elems.iter_mut().zip(&types.elems).for_each(|(elem, ty)| coerce(elem, ty));
        }
        (expr @ (Expr::If(_) | Expr::Match(_) | Expr::Block(_) | Expr::Loop(_)), ty) if has_reference(ty) => {
            branches(expr, &mut |value| coerce(value, ty));
        }
        _ => {}
    }
}

/// `&[_]` or `&mut [_]`
pub(super) fn slice_type(mutable: bool) -> TypeReference {
    if mutable { syn::parse_quote!(&mut [_]) } else { syn::parse_quote!(&[_]) }
}

/// Collects the expressions of which one is the value of an expression with branches.
pub(super) fn values<'e>(expr: &'e Expr, into: &mut Vec<&'e Expr>) {
    let mut of_block = |block: &'e Block| {
        if let Some(Stmt::Expr(tail, None)) = block.stmts.last() {
            values(tail, into);
        }
    };
    match expr {
        Expr::If(branch) => {
            if let Some((_, otherwise)) = &branch.else_branch {
                of_block(&branch.then_branch);
                values(otherwise, into);
            }
        }
        Expr::Match(inner) => inner.arms.iter().for_each(|arm| values(&arm.body, into)),
        Expr::Block(block) => of_block(&block.block),
        Expr::Paren(inner) => values(&inner.expr, into),
        Expr::Group(inner) => values(&inner.expr, into),
        value => into.push(value),
    }
}

/// Coerces one of several values of an expression to the type that is expected of the whole.
fn coerce(expr: &mut Expr, ty: &Type) {
    coerced_branches(expr, ty);
    let (value, reference) = (peeled(expr), matches!(ty, Type::Reference(_)));
    if reference && matches!(value, Expr::Reference(_) | Expr::Path(_) | Expr::Index(_) | Expr::Call(_)) {
        let span = ours(value.span());
        let name = Ident::new("__value", span);
        *expr = syn::parse_quote_spanned!(span=> { let #name: #ty = #expr; #name });
    }
}

/// Returns whether a type that is written out contains a reference.
pub(super) fn has_reference(ty: &Type) -> bool {
    match ty {
        Type::Reference(_) => true,
        Type::Tuple(tuple) => tuple.elems.iter().any(has_reference),
        Type::Paren(inner) => has_reference(&inner.elem),
        Type::Group(inner) => has_reference(&inner.elem),
        _ => false,
    }
}

/// Applies `change` to each expression that may be the value of `expr`, which has branches.
fn branches(expr: &mut Expr, change: &mut dyn FnMut(&mut Expr)) {
    match expr {
        Expr::If(branch) => {
            if let Some((_, otherwise)) = &mut branch.else_branch {
                tail(&mut branch.then_branch, change);
                branches(otherwise, change);
            }
        }
        Expr::Match(inner) => inner.arms.iter_mut().for_each(|arm| change(&mut arm.body)),
        Expr::Block(block) => {
            if let Some(label) = &block.label {
                let label = Name::of(&label.name.ident);
                Breaks { label: Some(label), unlabelled: false, change }.visit_block_mut(&mut block.block);
            }
            tail(&mut block.block, change);
        }
        Expr::Loop(repeated) => {
            let label = repeated.label.as_ref().map(|label| Name::of(&label.name.ident));
            Breaks { label, unlabelled: true, change }.visit_block_mut(&mut repeated.body);
        }
        _ => {}
    }
}

fn tail(block: &mut Block, change: &mut dyn FnMut(&mut Expr)) {
    if let Some(Stmt::Expr(tail, None)) = block.stmts.last_mut() {
        change(tail);
    }
}

/// Visits the values of the `break`s out of a loop or a labelled block.
struct Breaks<'a> {
    label: Option<Name>,
    /// A `break` without a label targets it.
    unlabelled: bool,
    change: &'a mut dyn FnMut(&mut Expr),
}

impl Breaks<'_> {
    fn nested(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.unlabelled, false);
        visit(self);
        self.unlabelled = before;
    }
}

impl VisitMut for Breaks<'_> {
    fn visit_expr_break_mut(&mut self, jump: &mut syn::ExprBreak) {
        visit_mut::visit_expr_break_mut(self, jump);
        let leaves = match &jump.label {
            None => self.unlabelled,
            Some(label) => self.label.as_ref().is_some_and(|own| *own == Name::of(&label.ident)),
        };
        if leaves && let Some(value) = &mut jump.expr {
            (self.change)(value);
        }
    }

    fn visit_expr_loop_mut(&mut self, inner: &mut syn::ExprLoop) {
        self.nested(|breaks| visit_mut::visit_expr_loop_mut(breaks, inner));
    }

    fn visit_expr_while_mut(&mut self, inner: &mut syn::ExprWhile) {
        self.nested(|breaks| visit_mut::visit_expr_while_mut(breaks, inner));
    }

    fn visit_expr_for_loop_mut(&mut self, inner: &mut syn::ExprForLoop) {
        self.nested(|breaks| visit_mut::visit_expr_for_loop_mut(breaks, inner));
    }
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
    let name = Ident::new("__temporary", span);
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
        let value = scrutinee(value);
        syn::parse2(quote_spanned!(ours(span)=> match #value { #pattern #guard => true, _ => false }))
    }
}
