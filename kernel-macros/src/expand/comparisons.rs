//! Expansion of `#[device(PartialEq, PartialOrd)]` on a struct or an enum: derives a comparison for the host and the
//! device.
//!
//! The host half is rustc's own derive. The device half compares field by field in the same way, with the device
//! comparison of each field's type. It is a hidden derive that the attribute adds, so that it sees the type after `cfg`
//! expansion.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Generics;
use syn::spanned::Spanned;

use super::data::depends;
use super::{Bodies, arguments, bare_params, bound_params, type_tuple};
use crate::derive::{Contents, DeviceType, Field};
use crate::options::Comparison;
use crate::position::ours;

/// Returns the type with the derives of the comparisons. Errors about a comparison are shown at its name in the
/// attribute.
pub(crate) fn with_derives(names: &[Ident], item: &TokenStream) -> TokenStream {
    let derives = names.iter().map(|name| {
        let span = ours(name.span());
        let device = format_ident!("Device{name}", span = span);
        let standard = Ident::new(&name.to_string(), span);
        quote_spanned!(span=> #[derive(::core::cmp::#standard, ::cumbia::__derives::#device)])
    });
    quote!(#(#derives)* #item)
}

/// Returns the device half of a derived comparison.
pub(crate) fn comparison(item: &DeviceType, comparison: Comparison, bodies: Bodies) -> TokenStream {
    let DeviceType { name, generics, data, is_suggested: _ } = item;
    let (bounds, arguments, params) = (bound_params(generics), arguments(generics), bare_params(generics));
    let this = quote_spanned!(name.span()=> #name<#(#arguments),*>);
    let fields = match bodies {
        // An enum without data is compared as an integer.
        Bodies::Lowered => data.fields(),
        Bodies::Invalid => Vec::new(),
    };
    let (marker, part) = match comparison {
        Comparison::PartialEq => (quote!(Eq), quote!(Equal)),
        Comparison::PartialOrd => (quote!(Order), quote!(Ordered)),
    };
    let clause = clause(generics, &fields, &this, &part);
    let built_in = fields.is_empty() || comparison == Comparison::PartialOrd;
    let key = if built_in { quote!(::cumbia::__private::BuiltIn) } else { quote!(EqualFields<#(#arguments),*>) };
    let inside = match comparison {
        _ if fields.is_empty() => TokenStream::new(),
        Comparison::PartialEq => {
            let types = type_tuple(generics);
            let content = equality(data, &this);
            quote! {
                pub struct EqualFields<#(#params),*>(::core::marker::PhantomData<fn() -> #types>);

                impl<#(#bounds),*> ::cumbia::__private::CalleeKey for EqualFields<#(#arguments),*> #clause {
                    fn content() -> ::cumbia::__private::Content {
                        #content
                    }
                }
            }
        }
        Comparison::PartialOrd => {
            let parts = fields
                .iter()
                .map(|Field { member: _, ty }| quote_spanned!(ty.span()=> ::cumbia::__private::op::order::<#ty>();));
            quote! {
                fn check<#(#bounds),*>() #clause {
                    #(#parts)*
                }
            }
        }
    };
    quote! {
        #[allow(dead_code, unused_qualifications, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        const _: () = {
            #inside

            impl<#(#bounds),*> ::cumbia::__private::Operator<::cumbia::__private::op::#marker, #this> for #this #clause {
                type Key = #key;
            }
        };
    }
}

/// Returns the slot content of `==`, part by part.
fn equality(data: &Contents, this: &TokenStream) -> TokenStream {
    match data {
        Contents::Struct(fields) => {
            let parts = fields.iter().map(|field| {
                let (text, ty) = (field.text(), &field.ty);
                quote_spanned!(ty.span()=> (#text, ::cumbia::__private::op::equality::<#ty>()))
            });
            quote!(::cumbia::__private::op::equality_of_fields::<Self, #this>(::std::vec![#(#parts),*]))
        }
        Contents::Data(data) => {
            let variants = data.variants.iter().map(|variant| {
                let text = syn::ext::IdentExt::unraw(&variant.name).to_string();
                let fields = variant.fields.iter().map(|field| {
                    let (text, ty) = (field.text(), &field.ty);
                    quote_spanned!(ty.span()=> ::cumbia::__private::op::variant_field::<#ty>(
                        #text, ::cumbia::__private::op::equality::<#ty>(),
                    ))
                });
                quote!((#text, ::std::vec![#(#fields),*]))
            });
            quote!(::cumbia::__private::op::equality_of_variants::<Self, #this>(::std::vec![#(#variants),*]))
        }
        Contents::Enum(_) => TokenStream::new(),
    }
}

/// Returns the bounds of the comparison: those of the type, and the comparison of each field type that depends on a
/// parameter. The other field types are checked where they are used.
fn clause(generics: &Generics, fields: &[&Field], this: &TokenStream, part: &TokenStream) -> TokenStream {
    let own = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let mut bounds: Vec<TokenStream> = own.map(|predicate| quote!(#predicate)).collect();
    bounds.extend(generics.type_params().map(|param| {
        let name = &param.ident;
        quote!(#name: 'static)
    }));
    let dependent = fields.iter().filter(|field| depends(&field.ty, generics));
    bounds.extend(
        dependent.map(|Field { member: _, ty }| quote_spanned!(ty.span()=> #ty: ::cumbia::__private::#part<#ty>)),
    );
    if !generics.params.is_empty() {
        bounds.push(quote!(#this: ::cumbia::__private::VariableType));
    }
    quote!(where #(#bounds),*)
}
