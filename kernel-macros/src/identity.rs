//! Whether a path names the item that its letters say.
//!
//! Names are resolved by rustc alone. Where a macro has to know an item by its letters, such as `assert` or `Add`, it writes
//! imports beside the code that rustc accepts only if the path leads to that item; see `named` of the runtime.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Path, PathArguments};

use crate::position::ours;

/// What kind of item is known by its name.
#[derive(Clone, Copy)]
pub(crate) enum Known {
    /// A macro of the standard library.
    Macro,
    /// A primitive type.
    Primitive,
    /// The trait of an operator.
    Operator,
    /// `ArrayView2` and its like.
    View,
    /// `grid`, `shared` and their like.
    Operation,
}

/// A block that rustc refuses unless `path`, whose last name is that of the item, names the item itself. The error is shown at
/// the last name.
pub(crate) fn check(path: &Path, known: Known) -> TokenStream {
    let mut path = path.clone();
    for segment in &mut path.segments {
        segment.arguments = PathArguments::None;
    }
    let Some(last) = path.segments.last() else { return TokenStream::new() };
    let kind = match known {
        Known::Macro => "standard",
        Known::Primitive => "primitive",
        Known::Operator => "operator",
        Known::View => "view",
        Known::Operation => "device",
    };
    let item = &last.ident;
    // In the error that the name is ambiguous.
    let name = format_ident!("the_{kind}_{item}", span = ours(item.span()));
    let module = Ident::new(&item.to_string(), ours(item.span()));
    let allow = quote!(#[allow(unused_imports, clippy::all, clippy::pedantic)]);
    quote_spanned! {ours(item.span())=>
        {
            #allow
            use #path as #name;
            {
                #allow
                use ::cumbia::__private::named::#module::*;
                #allow
                use #name as _;
            }
        }
    }
}
