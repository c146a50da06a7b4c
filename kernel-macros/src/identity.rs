//! Verification that a path resolves to the item that its last identifier suggests.
//!
//! Only rustc resolves names. Where a macro recognises an item by its identifier, such as `assert` or `Add`, it emits
//! imports beside the code which rustc accepts only if the path resolves to that item; see the modules `named` of
//! `kernel-lang` and `kernel-runtime`.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Path, PathArguments, Type, TypePath};

use crate::position::ours;

/// The kind of an item that is recognised by its identifier.
#[derive(Clone, Copy)]
pub(crate) enum Known {
    /// A macro of the standard library.
    Macro,
    /// A primitive type.
    Primitive,
    /// An operator trait.
    Operator,
    /// A view type, such as `ArrayView2`.
    View,
    /// An intrinsic whose result is a handle, such as `shared`.
    Intrinsic,
}

/// Returns a block that rustc rejects unless `path`, whose last identifier is that of the item, resolves to the item.
/// The error is shown at the last identifier.
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
        Known::Intrinsic => "device",
    };
    let item = &last.ident;
    // rustc shows this name in the error that it is ambiguous.
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

/// Returns whether a type is the path of a type that the user may have declared.
pub(crate) fn may_be_declared(ty: &Type) -> bool {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return false };
    path.get_ident().is_none_or(|name| !is_primitive(&name.to_string()))
}

/// Returns whether this is the name of a primitive scalar type.
pub(crate) fn is_primitive(name: &str) -> bool {
    const NAMES: [&str; 13] =
        ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];
    NAMES.contains(&name)
}
