//! `#[device(PartialEq, PartialOrd)]` on a struct or an enum: derives both sides of a comparison, the host's and the device's.
//!
//! The host's side is rustc's own derive, and the device compares field by field as that does, by what each field's type has
//! for it on the device. The device's side is a derive of ours, which the attribute adds: so it sees the type without the
//! fields that a `cfg` removes.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Generics;
use syn::spanned::Spanned;

use super::data::depends;
use super::{Bodies, arguments, bare_params, bound_params, type_tuple};
use crate::derive::{DeviceType, Field, Shape};
use crate::position::ours;

/// A trait whose operators `#[device(..)]` on a type derives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// `==` and `!=`
    PartialEq,
    /// `<`, `<=`, `>` and `>=`
    PartialOrd,
}

impl Comparison {
    /// All of them, by their names in the standard library.
    pub(crate) const NAMED: [(&str, Comparison); 2] =
        [("PartialEq", Comparison::PartialEq), ("PartialOrd", Comparison::PartialOrd)];
}

/// The type with what derives the comparisons. An error about one is shown at its name in the attribute.
pub(crate) fn with_derives(names: &[Ident], item: &TokenStream) -> TokenStream {
    let derives = names.iter().map(|name| {
        let span = ours(name.span());
        let device = format_ident!("Device{name}", span = span);
        let standard = Ident::new(&name.to_string(), span);
        quote_spanned!(span=> #[derive(::core::cmp::#standard, ::cumbia::__derives::#device)])
    });
    quote!(#(#derives)* #item)
}

/// The device's side of a comparison, of a type for which the host's is derived.
pub(crate) fn comparison(data: &DeviceType, comparison: Comparison, bodies: Bodies) -> TokenStream {
    let DeviceType { name, generics, shape } = data;
    let (bounds, arguments, params) = (bound_params(generics), arguments(generics), bare_params(generics));
    let this = quote_spanned!(name.span()=> #name<#(#arguments),*>);
    let fields: &[Field] = match (shape, bodies) {
        (Shape::Struct(fields), Bodies::Lowered) => fields,
        // The variants of an enum are numbers.
        (Shape::Enum(_), _) | (_, Bodies::Mistaken) => &[],
    };
    let (marker, part) = match comparison {
        Comparison::PartialEq => (quote!(Eq), quote!(Equal)),
        Comparison::PartialOrd => (quote!(Order), quote!(Ordered)),
    };
    let clause = clause(generics, fields, &this, &part);
    let built_in = fields.is_empty() || comparison == Comparison::PartialOrd;
    let key = if built_in { quote!(::cumbia::__private::BuiltIn) } else { quote!(EqualFields<#(#arguments),*>) };
    let inside = match comparison {
        _ if fields.is_empty() => TokenStream::new(),
        Comparison::PartialEq => {
            let types = type_tuple(generics);
            let parts = fields.iter().map(|field| {
                let (text, ty) = (field.text(), &field.ty);
                quote_spanned!(ty.span()=> (#text, ::cumbia::__private::op::equality::<#ty>()))
            });
            quote! {
                pub struct EqualFields<#(#params),*>(::core::marker::PhantomData<fn() -> #types>);

                impl<#(#bounds),*> ::cumbia::__private::CalleeKey for EqualFields<#(#arguments),*> #clause {
                    fn content() -> ::cumbia::__private::Content {
                        ::cumbia::__private::op::equality_of_fields::<Self, #this>(::std::vec![#(#parts),*])
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

/// The bounds of the comparison: those of the type, and that the fields have it whose types depend on a parameter. The types
/// of the others are asked where they are used.
fn clause(generics: &Generics, fields: &[Field], this: &TokenStream, part: &TokenStream) -> TokenStream {
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
        bounds.push(quote!(#this: ::cumbia::DeviceType));
    }
    quote!(where #(#bounds),*)
}
