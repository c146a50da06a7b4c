//! Functions whose body `syn` cannot parse. rustc parses an item before it passes it to an attribute: it reports a syntax error such as
//! `y[0]++`, and recovers, so that the error of `syn` would be a second one. The function is declared as a stub instead.

use proc_macro2::{Group, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Item, ItemFn, Signature, Visibility, parse_quote};

/// Whether the body of a function was parsed.
#[derive(Clone, Copy)]
pub(crate) enum Body {
    Parsed,
    /// It has a syntax error that rustc has reported. The block of the function is empty.
    Unparsed,
}

impl Body {
    pub(crate) fn is_parsed(self) -> bool {
        matches!(self, Body::Parsed)
    }

    /// Returns the body of the function's stub, of which no program that builds has one. rustc might accept a body that `syn` does
    /// not parse: a program that calls such a function does not build either.
    pub(crate) fn of_stub(self) -> TokenStream {
        match self {
            Body::Parsed => quote!(loop {}),
            Body::Unparsed => quote!(const { ::core::panic!("Cumbia cannot parse the body of this function") }),
        }
    }
}

/// Parses a function.
pub(crate) fn function(tokens: proc_macro::TokenStream) -> syn::Result<(ItemFn, Body)> {
    match syn::parse(tokens.clone()) {
        Ok(function) => Ok((function, Body::Parsed)),
        Err(error) => declared(tokens).ok_or(error),
    }
}

/// Parses an item.
pub(crate) fn item(tokens: proc_macro::TokenStream) -> syn::Result<(Item, Body)> {
    match syn::parse(tokens.clone()) {
        Ok(item) => Ok((item, Body::Parsed)),
        Err(error) => declared(tokens).map(|(function, body)| (Item::Fn(function), body)).ok_or(error),
    }
}

/// Returns the function that the tokens declare, with an empty block.
fn declared(tokens: proc_macro::TokenStream) -> Option<(ItemFn, Body)> {
    let Declared(function) = syn::parse(tokens).ok()?;
    Some((function, Body::Unparsed))
}

struct Declared(ItemFn);

impl Parse for Declared {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (attrs, vis) = (input.call(Attribute::parse_outer)?, input.parse::<Visibility>()?);
        let sig: Signature = input.parse()?;
        input.parse::<Group>()?;
        let function: ItemFn = parse_quote!(
            fn name() {}
        );
        Ok(Declared(ItemFn { attrs, vis, sig, ..function }))
    }
}
