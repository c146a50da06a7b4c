//! Substitution of `self` and `Self` in the body of a method, which is compiled outside its `impl`: `self` becomes a
//! hygienic variable, and `Self` the type.

use proc_macro2::{Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AngleBracketedGenericArguments, Expr, ExprPath, Macro, Pat, Path, PathArguments, QSelf, Receiver, Signature, Token,
    Type, TypePath, parse_quote,
};

use crate::position::ours;

/// Returns the variable that replaces a `self` at `span`.
pub(crate) fn name(span: Span) -> Ident {
    Ident::new("self_", ours(span))
}

/// The meaning of `Self`.
pub(crate) struct This {
    /// The type of the `impl`, or the type parameter that replaces `Self` in a trait.
    pub(crate) ty: Type,
    /// The associated types of the `impl`, such as `type Output = f32;`.
    pub(crate) types: Vec<(Ident, Type)>,
}

impl This {
    /// Returns the path of the type in expression syntax: with `::<` before generic arguments. A type such as `[f32;
    /// 3]` has none.
    fn path(&self) -> Option<Path> {
        let TypePath { qself: None, path, .. } = type_path(&self.ty)? else { return None };
        let mut path = path.clone();
        for segment in &mut path.segments {
            if let PathArguments::AngleBracketed(AngleBracketedGenericArguments { colon2_token, .. }) =
                &mut segment.arguments
            {
                *colon2_token = Some(<Token![::]>::default());
            }
        }
        Some(path)
    }

    /// Returns the associated type `Self::name` of the `impl`.
    fn alias(&self, path: &Path) -> Option<&Type> {
        let mut segments = path.segments.iter();
        let (Some(_), Some(name), None) = (segments.next(), segments.next(), segments.next()) else { return None };
        self.types.iter().find(|(known, _)| *known == name.ident).map(|(_, ty)| ty)
    }

    /// Returns the path `Self::rest` with the type substituted for `Self`, and the qualified self if the type is not a
    /// path.
    fn resolved(&self, path: &Path) -> (Option<QSelf>, Path) {
        let span = path.segments[0].ident.span();
        let rest = path.segments.iter().skip(1).cloned();
        if let Some(this) = self.path() {
            let mut this = located(this, span);
            this.segments.extend(rest);
            return (None, this);
        }
        let rest: Punctuated<_, Token![::]> = rest.collect();
        if rest.is_empty() {
            return (None, path.clone()); // only a struct is a value by its name: rustc reports the error
        }
        let ty = located(self.ty.clone(), span);
        let TypePath { qself, path, .. } = parse_quote!(<#ty>::#rest);
        (qself, path)
    }

    /// Substitutes in tokens that syn has not parsed: the arguments of a macro.
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let mut replaced = TokenStream::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Ident(ident) if ident == "self" && !begins_path(tokens.peek()) => {
                    name(ident.span()).to_tokens(&mut replaced);
                }
                TokenTree::Ident(ident) if ident == "Self" => {
                    let span = ident.span();
                    let ty = &self.ty;
                    let this = self.path().map_or_else(|| quote!(<#ty>), ToTokens::into_token_stream);
                    replaced.extend(located_tokens(this, span));
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    replaced.extend([TokenTree::Group(inner)]);
                }
                token => replaced.extend([token]),
            }
        }
        replaced
    }
}

impl VisitMut for This {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(TypePath { qself: None, path, .. }) = ty
            && is_this(path)
        {
            let span = path.segments[0].ident.span();
            if path.segments.len() == 1 {
                *ty = located(self.ty.clone(), span);
                return;
            }
            if let Some(alias) = self.alias(path) {
                let mut alias = located(alias.clone(), span);
                self.visit_type_mut(&mut alias); // `type Output = Self;`
                *ty = alias;
                return;
            }
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_type_path_mut(&mut self, path: &mut TypePath) {
        visit_mut::visit_type_path_mut(self, path);
        if path.qself.is_none() && is_this(&path.path) {
            (path.qself, path.path) = self.resolved(&path.path);
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::Path(path) => self.expr_path(path),
            Expr::Struct(value) if value.qself.is_none() => self.variant(&mut value.path),
            _ => {}
        }
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        visit_mut::visit_pat_mut(self, pat);
        match pat {
            Pat::Path(path) => self.expr_path(path),
            Pat::Struct(pattern) if pattern.qself.is_none() => self.variant(&mut pattern.path),
            Pat::TupleStruct(pattern) if pattern.qself.is_none() => self.variant(&mut pattern.path),
            _ => {}
        }
    }

    /// Substitutes in paths without a qualified self: of struct literals, patterns and bounds.
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        // `Self::name` may need one, and is handled by the visitors of the enclosing nodes.
        if is_this(path)
            && path.segments.len() == 1
            && let Some(this) = self.path()
        {
            *path = located(this, path.segments[0].ident.span());
        }
    }

    fn visit_macro_mut(&mut self, call: &mut Macro) {
        call.tokens = self.tokens(std::mem::take(&mut call.tokens));
    }

    /// Leaves the `self` of the signature unchanged.
    fn visit_receiver_mut(&mut self, _: &mut Receiver) {}
}

impl This {
    /// Substitutes in `Self::Variant`, the path of a pattern or of a struct literal.
    fn variant(&self, path: &mut Path) {
        if is_this(path) && path.segments.len() == 2 && self.alias(path).is_none() && self.path().is_some() {
            (_, *path) = self.resolved(path);
        }
    }

    fn expr_path(&self, path: &mut ExprPath) {
        if path.qself.is_some() {
            return;
        }
        if path.path.is_ident("self") {
            path.path = name(path.path.segments[0].ident.span()).into();
        } else if is_this(&path.path) {
            (path.qself, path.path) = self.resolved(&path.path);
        }
    }
}

/// Returns the path of a type, if it is one.
fn type_path(ty: &Type) -> Option<&TypePath> {
    match ty {
        Type::Path(path) => Some(path),
        Type::Paren(inner) => type_path(&inner.elem),
        Type::Group(inner) => type_path(&inner.elem),
        _ => None,
    }
}

fn is_this(path: &Path) -> bool {
    path.leading_colon.is_none() && path.segments.first().is_some_and(|first| first.ident == "Self")
}

/// Returns whether an identifier before this token begins a path: `self::helper`, `Self::Scalar`.
fn begins_path(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Punct(colon)) if colon.as_char() == ':' && colon.spacing() == Spacing::Joint)
}

/// Returns whether a function takes or returns a value of the type `Self`.
pub(crate) fn is_mentioned(signature: &Signature) -> bool {
    let (inputs, output) = (&signature.inputs, &signature.output);
    mentions(quote!(#inputs #output))
}

fn mentions(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) if mentions(group.stream()) => return true,
            // `Self::Scalar` is another type, and `self::Scalar` one of the module.
            TokenTree::Ident(ident) if (ident == "self" || ident == "Self") && !begins_path(tokens.peek()) => {
                return true;
            }
            TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    false
}

/// Returns the same syntax located at `span`, with the hygiene of the original tokens.
pub(crate) fn located<T: ToTokens + syn::parse::Parse>(syntax: T, span: Span) -> T {
    let tokens = located_tokens(syntax.to_token_stream(), span);
    // Only spans have changed, so that parsing succeeds again.
    syn::parse2(tokens).unwrap_or(syntax)
}

fn located_tokens(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            if let TokenTree::Group(group) = &token {
                let mut inner = Group::new(group.delimiter(), located_tokens(group.stream(), span));
                inner.set_span(group.span().located_at(span));
                return TokenTree::Group(inner);
            }
            token.set_span(token.span().located_at(span));
            token
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(this: Type, written: &str, expected: &str) {
        let mut this = This { ty: this, types: vec![(parse_quote!(Output), parse_quote!([Self; 2]))] };
        let mut block: syn::Block = syn::parse_str(&format!("{{ {written} }}")).expect("valid Rust");
        this.visit_block_mut(&mut block);
        let expected: syn::Block = syn::parse_str(&format!("{{ {expected} }}")).expect("valid Rust");
        // The spacing of printed tokens depends on their origin.
        let [found, expected] = [block, expected].map(|block| block.to_token_stream().to_string().replace(' ', ""));
        assert_eq!(found, expected);
    }

    #[test]
    fn self_type_is_replaced_by_a_path() {
        let complex: Type = parse_quote!(math::Complex<T>);
        check(complex.clone(), "Self::new(self.re)", "math::Complex::<T>::new(self_.re)");
        check(complex.clone(), "Self { re: 1.0, ..*self }", "math::Complex::<T> { re: 1.0, ..*self_ }");
        check(
            complex.clone(),
            "let Self { re, .. } = self; Self(re)",
            "let math::Complex::<T> { re, .. } = self_; math::Complex::<T>(re)",
        );
        check(
            complex.clone(),
            "match self { Self::ONE => 1, _ => 2 }",
            "match self_ { math::Complex::<T>::ONE => 1, _ => 2 }",
        );
        check(complex.clone(), "x as [Self; Self::N]", "x as [math::Complex<T>; math::Complex::<T>::N]");
        check(complex.clone(), "sum::<Self>(self::helper(self))", "sum::<math::Complex<T>>(self::helper(self_))");
        check(complex, "let x: Self::Output = y;", "let x: [math::Complex<T>; 2] = y;");
    }

    #[test]
    fn self_type_without_a_path_is_qualified() {
        let array: Type = parse_quote!([f32; 3]);
        check(array.clone(), "Self::new(self[0])", "<[f32; 3]>::new(self_[0])");
        check(array.clone(), "let x: Self = self;", "let x: [f32; 3] = self_;");
        check(array, "Self", "Self");
    }

    #[test]
    fn macro_arguments_are_substituted() {
        let complex: Type = parse_quote!(Complex<T>);
        check(
            complex,
            "assert!(self.re > Self::LEAST, (self::f(self)))",
            "assert!(self_.re > Complex::<T>::LEAST, (self::f(self_)))",
        );
    }

    #[test]
    fn mentions_of_self_in_signatures() {
        let mentioned = |signature: Signature| is_mentioned(&signature);
        assert!(mentioned(parse_quote!(fn f(&self))));
        assert!(mentioned(parse_quote!(fn f(x: f32) -> (f32, Self))));
        assert!(mentioned(parse_quote!(fn f(x: &[Self]))));
        assert!(!mentioned(parse_quote!(fn f(x: f32) -> Self::Scalar)));
    }
}
