//! Code generation: the items that an attribute or a derive expands to.

mod argument;
mod body;
mod comparisons;
mod components;
mod data;
mod device;
mod kernel;
mod methods;
mod params;
mod traits;

pub(crate) use argument::kernel_argument;
pub(crate) use comparisons::{comparison, with_derives};
pub(crate) use components::components;
pub(crate) use data::device_type;
pub(crate) use device::{device_function, device_stub};
pub(crate) use kernel::{kernel, kernel_stub};
pub(crate) use methods::{Bodies, device_impl};
pub(crate) use traits::device_trait;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, GenericParam, Generics, TypeParam};

/// Returns the `allow` attributes for types that are named like functions, and for partly generated code.
fn allow() -> TokenStream {
    quote! {
        #[allow(
            elided_lifetimes_in_paths, non_camel_case_types, non_snake_case, private_bounds, private_interfaces, unreachable_code,
            unreachable_pub, unused_braces, unused_labels, unused_mut, unused_parens, unused_assignments, irrefutable_let_patterns, clippy::all, clippy::pedantic, clippy::nursery,
            clippy::restriction
        )]
    }
}

/// Returns the attributes that generated items share with the user's item: `cfg` and doc comments.
fn docs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc") || is_cfg(attribute)).collect()
}

/// Returns the `cfg` attributes.
fn cfgs(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| is_cfg(attribute)).collect()
}

fn is_cfg(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

/// Returns the type parameters as a tuple type for `PhantomData`.
fn type_tuple(generics: &Generics) -> TokenStream {
    let names = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(ty) => Some(&ty.ident),
        GenericParam::Lifetime(_) | GenericParam::Const(_) => None,
    });
    quote!((#(#names,)*))
}

/// Returns the generic parameters without bounds and defaults, for the declaration of a struct.
fn bare_params(generics: &Generics) -> Vec<TokenStream> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(ty) => {
                let name = &ty.ident;
                Some(quote!(#name))
            }
            GenericParam::Const(constant) => {
                let (name, ty) = (&constant.ident, &constant.ty);
                Some(quote!(const #name: #ty))
            }
            GenericParam::Lifetime(_) => None,
        })
        .collect()
}

/// Returns the generic parameters with their bounds, without angle brackets.
fn bound_params(generics: &Generics) -> Vec<TokenStream> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Lifetime(_) => None,
            GenericParam::Type(_) | GenericParam::Const(_) => Some(quote!(#param)),
        })
        .collect()
}

/// Returns all bounds of the generic parameters as a `where` clause.
fn bounds(generics: &Generics) -> TokenStream {
    let inline = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(TypeParam { ident, bounds, .. }) if !bounds.is_empty() => Some(quote!(#ident: #bounds)),
        GenericParam::Type(_) | GenericParam::Lifetime(_) | GenericParam::Const(_) => None,
    });
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates).map(ToTokens::to_token_stream);
    let all: Vec<TokenStream> = inline.chain(predicates).collect();
    quote!(where #(#all),*)
}

/// Returns the names of the generic parameters, as generic arguments.
fn arguments(generics: &Generics) -> Vec<TokenStream> {
    generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(ty) => {
                let name = &ty.ident;
                Some(quote!(#name))
            }
            GenericParam::Const(constant) => {
                let name = &constant.ident;
                Some(quote!(#name))
            }
            GenericParam::Lifetime(_) => None,
        })
        .collect()
}
