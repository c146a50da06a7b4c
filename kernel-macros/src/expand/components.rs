//! Expansion of `#[derive(Components)]`: the implementation of the trait, and checks that the fields consist of the same numbers and
//! are not padded.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Meta, Type};

use crate::derive::representation;
use crate::report::Errors;

/// Returns the items of a struct, or records an error for an item that is none, or whose layout is not defined.
pub(crate) fn components(input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let DeriveInput { ident: name, generics, data, .. } = input;
    let fields: Vec<&Type> = match data {
        Data::Struct(data) => data.fields.iter().map(|field| &field.ty).collect(),
        Data::Enum(_) | Data::Union(_) => Vec::new(),
    };
    let Some(first) = fields.first() else {
        errors.explain(
            name,
            &format!(
                "`{name}` does not consist of numbers\n\
                 why: an array of it is reinterpreted as one of the numbers that its fields consist of\n\
                 help: derive `Components` for a struct with fields"
            ),
        );
        return TokenStream::new();
    };
    if !generics.params.is_empty() {
        errors.explain(
            generics,
            "`Components` cannot be derived for a generic struct\n\
             why: whether it has padding depends on the types\n\
             help: derive it for a struct with the types that you need",
        );
        return TokenStream::new();
    }
    let is_defined = |hint: &Meta| hint.path().is_ident("C") || hint.path().is_ident("transparent");
    if !representation(&input.attrs).iter().any(is_defined) {
        errors.explain(
            name,
            &format!(
                "the order of the fields of `{name}` in memory is not defined\n\
                 why: rustc may reorder them, unless the representation is that of C\n\
                 help: write `#[repr(C)]` before the struct"
            ),
        );
        return TokenStream::new();
    }
    let sizes = fields.iter().map(|ty| quote_spanned!(ty.span()=> size::<#ty>()));
    let padded = format!(
        "`{name}` has padding between its fields or behind them, whose bits are undefined: order the fields by their alignment, add \
         fields in its place, or make them `cumbia::unaligned::Unaligned`"
    );
    quote! {
        // SAFETY: the fields have this layout, they consist of numbers of this type only, and there is no padding: see below.
        unsafe impl ::cumbia::Components for #name {
            type Component = <#first as ::cumbia::Components>::Component;
        }

        const _: () = {
            const fn size<T: ::cumbia::Components<Component = <#first as ::cumbia::Components>::Component>>() -> ::core::primitive::usize {
                ::core::mem::size_of::<T>()
            }
            ::core::assert!(#(#sizes)+* == ::core::mem::size_of::<#name>(), #padded);
        };
    }
}
