//! Parser and expansion of `device_fn!`: an operator in the syntax of a closure, `[scale: f32] |a: f32| -> f32 { a * scale }`.
//!
//! The expansion is a struct that holds the captures, its device implementation of `Function1`, `Function2` or `Function3`, and
//! a value of it. Both are expanded here instead of by their attributes, so that a mistake in the body is one error.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Block, DeriveInput, Expr, ItemImpl, Pat, PatIdent, Token, Type, bracketed, parse_quote};

use crate::report::Errors;
use crate::rules;
use crate::{derive, expand, methods};

/// The greatest number of parameters.
const MAX_PARAMETERS: usize = 3;

/// A parsed operator.
pub(crate) struct Operator {
    /// The keyword `commutative`, if it is there.
    commutative: Option<Ident>,
    captures: Vec<Capture>,
    parameters: Vec<Parameter>,
    /// The span of the parameters, with their bars.
    bars: Span,
    result: Option<Type>,
    body: Option<Block>,
}

/// A capture: `scale: f32`, or `scale: f32 = 2.0 * k`.
struct Capture {
    /// The `&` before it, which is an error.
    reference: Option<Token![&]>,
    name: Ident,
    ty: Option<Type>,
    value: Option<Expr>,
}

/// A parameter: `a: f32`.
struct Parameter {
    pattern: Pat,
    ty: Option<Type>,
}

impl Parse for Capture {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let reference = input.parse()?;
        let name = input.parse()?;
        let ty = parse_after::<Token![:], _>(input)?;
        Ok(Capture { reference, name, ty, value: parse_after::<Token![=], _>(input)? })
    }
}

impl Parse for Parameter {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Parameter { pattern: Pat::parse_single(input)?, ty: parse_after::<Token![:], _>(input)? })
    }
}

/// Parses what follows a token, if the token is there.
fn parse_after<Before: Parse + syn::token::Token, After: Parse>(input: ParseStream<'_>) -> syn::Result<Option<After>> {
    Ok(match input.parse::<Option<Before>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    })
}

impl Parse for Operator {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let reject = |span, rule: &rules::Rule| Err(syn::Error::new(span, rule.text(rules::Body::DeviceFunction)));
        if input.peek(Token![<]) || input.peek(Token![for]) {
            return reject(input.span(), &rules::OPERATOR_GENERICS);
        }
        let commutative = if input.peek(syn::Ident) { Some(input.parse::<Ident>()?) } else { None };
        if let Some(word) = &commutative
            && word != "commutative"
        {
            return reject(word.span(), &rules::OPERATOR_SYNTAX);
        }
        let mut captures = Vec::new();
        if input.peek(syn::token::Bracket) {
            let content;
            bracketed!(content in input);
            captures.extend(Punctuated::<Capture, Token![,]>::parse_terminated(&content)?);
        }
        let mut parameters = Vec::new();
        let mut bars = input.span();
        if input.peek(Token![||]) {
            input.parse::<Token![||]>()?;
        } else if input.peek(Token![|]) {
            input.parse::<Token![|]>()?;
            while !input.peek(Token![|]) {
                parameters.push(input.parse()?);
                if !input.peek(Token![|]) {
                    input.parse::<Token![,]>()?;
                }
            }
            let end: Token![|] = input.parse()?;
            bars = bars.join(end.span).unwrap_or(bars);
        } else {
            return reject(input.span(), &rules::OPERATOR_SYNTAX);
        }
        let result = parse_after::<Token![->], _>(input)?;
        let body = if input.peek(syn::token::Brace) {
            Some(input.parse()?)
        } else if result.is_some() {
            return reject(input.span(), &rules::OPERATOR_SYNTAX);
        } else {
            // Without a result type, which is the error, the body is any expression.
            input.parse::<TokenStream>()?;
            None
        };
        if !input.is_empty() {
            return reject(input.span(), &rules::OPERATOR_SYNTAX);
        }
        Ok(Operator { commutative, captures, parameters, bars, result, body })
    }
}

impl Operator {
    /// Returns the value, an expression.
    pub(crate) fn expand(self) -> TokenStream {
        let mut errors = Errors::default();
        self.check(&mut errors);
        let Operator { commutative, captures, parameters, result: Some(result), body: Some(body), .. } = self else {
            return block(errors);
        };
        if errors.count() > 0 {
            return block(errors);
        }
        let (names, types): (Vec<_>, Vec<_>) = captures.iter().map(|capture| (&capture.name, &capture.ty)).unzip();
        let definition: DeriveInput = parse_quote! {
            struct DeviceFn {
                #(#names: #types,)*
            }
        };
        let inputs: Vec<_> = parameters.iter().filter_map(|parameter| parameter.ty.as_ref()).collect();
        let patterns = parameters.iter().map(|parameter| &parameter.pattern);
        let function = format_ident!("Function{}", inputs.len());
        let commutes = commutative.map(|_| {
            quote!(
                const COMMUTATIVE: bool = true;
            )
        });
        let statements = &body.stmts;
        let this = Token![self](Span::mixed_site());
        let implementation: ItemImpl = parse_quote! {
            impl ::cumbia::algorithm::#function<#(#inputs),*> for DeviceFn {
                type Output = #result;

                #commutes

                fn call(#this, #(#patterns: #inputs),*) -> #result {
                    #(let #names = #this.#names;)*
                    #(#statements)*
                }
            }
        };
        let data = derive::read(definition.clone(), &mut errors);
        let implementation = methods::of_operator(implementation, &mut errors);
        let errors = errors.finish().err();
        let bodies = if errors.is_none() { expand::Bodies::Lowered } else { expand::Bodies::Invalid };
        let device_type = data.map(|data| expand::device_type(&data, bodies));
        let device_impl = expand::device_impl(&implementation, bodies);
        let values = captures.iter().map(
            |Capture { name, value, .. }| {
                if let Some(value) = value { quote!(#name: #value) } else { quote!(#name) }
            },
        );
        quote! {
            {
                #errors
                #[derive(::core::clone::Clone, ::core::marker::Copy)]
                #definition
                #device_type
                #device_impl
                DeviceFn { #(#values),* }
            }
        }
    }

    /// Checks the parameters, the captures, the result and that the body does not refer to `self`.
    fn check(&self, errors: &mut Errors) {
        for Capture { reference, name, ty, value: _ } in &self.captures {
            match (reference, ty) {
                (Some(reference), _) => errors.reject_named(reference, &rules::CAPTURED_REFERENCE, name),
                (None, Some(ty)) if is_reference(ty) => errors.reject_named(ty, &rules::CAPTURED_REFERENCE, name),
                (None, None) => errors.reject_named(name, &rules::CAPTURE_TYPE, name),
                (None, Some(_)) => {}
            }
        }
        for Parameter { pattern, ty } in &self.parameters {
            let is_name = matches!(pattern, Pat::Ident(PatIdent { by_ref: None, subpat: None, .. }));
            match ty {
                _ if !is_name => errors.reject(pattern, &rules::PARAMETER_PATTERN),
                None => errors.reject_named(pattern, &rules::OPERATOR_PARAMETER, &pattern.to_token_stream()),
                Some(ty) if is_reference(ty) => errors.reject(ty, &rules::OPERATOR_REFERENCE),
                Some(_) => {}
            }
        }
        if self.parameters.is_empty() || self.parameters.len() > MAX_PARAMETERS {
            errors.reject_at(self.bars, &rules::OPERATOR_ARITY);
        }
        if let Some(word) = &self.commutative
            && self.parameters.len() != 2
        {
            errors.reject(word, &rules::OPERATOR_COMMUTATIVE);
        }
        match (&self.result, &self.body) {
            (None, _) => errors.reject_at(self.bars, &rules::OPERATOR_RESULT),
            (Some(_), Some(body)) => {
                if let Some(span) = this(body.to_token_stream()) {
                    errors.reject_at(span, &rules::CAPTURED_SELF);
                }
            }
            (Some(_), None) => {}
        }
    }
}

/// Returns the errors as an expression, whose type rustc does not check.
fn block(errors: Errors) -> TokenStream {
    let errors = errors.finish().err();
    quote!({ #errors })
}

fn is_reference(ty: &Type) -> bool {
    match ty {
        Type::Reference(_) => true,
        Type::Paren(inner) => is_reference(&inner.elem),
        Type::Group(inner) => is_reference(&inner.elem),
        _ => false,
    }
}

/// Returns the position of the first `self` or `Self` that is not the beginning of a path of modules.
fn this(tokens: TokenStream) -> Option<Span> {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "Self" => return Some(ident.span()),
            TokenTree::Ident(ident) if ident == "self" => {
                let begins_path = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
                if !begins_path {
                    return Some(ident.span());
                }
            }
            TokenTree::Group(group) => {
                if let Some(found) = this(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}
