//! `#[kernel(..)]`

use proc_macro2::TokenStream;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, Meta, Token};

use crate::report::Errors;
use crate::rules;

/// What the attribute asks for.
pub(crate) struct Options {
    /// `unchecked`
    pub(crate) unchecked: bool,
    /// Not `fmad = false`
    pub(crate) fmad: bool,
}

/// Reads the attribute's arguments.
pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Options {
    let mut options = Options { unchecked: false, fmad: true };
    let metas = match syn::parse::Parser::parse2(Punctuated::<Meta, Token![,]>::parse_terminated, tokens) {
        Ok(metas) => metas,
        Err(error) => {
            errors.push(error);
            return options;
        }
    };
    for meta in metas {
        match (name(&meta).as_str(), &meta) {
            ("unchecked", Meta::Path(_)) => options.unchecked = true,
            ("fmad", Meta::NameValue(value)) if boolean(&value.value).is_some() => {
                options.fmad = boolean(&value.value) == Some(true);
            }
            (name, _) => errors.refuse_named(&meta, &rules::UNKNOWN_OPTION, &name),
        }
    }
    options
}

/// `#[device]` takes none.
pub(crate) fn refuse(tokens: TokenStream, errors: &mut Errors) {
    if !tokens.is_empty() {
        errors.refuse(tokens, &rules::DEVICE_OPTION);
    }
}

fn name(meta: &Meta) -> String {
    meta.path().get_ident().map_or_else(|| String::from("this"), ToString::to_string)
}

fn boolean(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value),
        _ => None,
    }
}
