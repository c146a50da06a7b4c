//! `#[derive(DeviceType)]`: what makes a struct or an enum a type that memory of a device can hold.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{GenericParam, Generics, Path, Type};

use super::{Bodies, arguments, bound_params};
use crate::derive::{DeviceType, Field, Shape};

/// The implementations. Those of a type with mistakes in it do nothing, but its users are not mistakes too.
pub(crate) fn device_type(data: &DeviceType, bodies: Bodies) -> TokenStream {
    let mistaken = bodies == Bodies::Mistaken;
    let DeviceType { name, generics, shape } = data;
    let (bounds, arguments) = (bound_params(generics), arguments(generics));
    let this = quote_spanned!(name.span()=> #name<#(#arguments),*>);
    let implementation = match shape {
        _ if mistaken => nothing(),
        Shape::Struct(fields) => structure(name, fields),
        Shape::Enum(variants) => enumeration(name, variants),
    };
    let Implementation { ty, any_bits, load, store, placeholder, constant } = implementation;
    let clause = clause(generics, shape, &this, mistaken);
    let held = if mistaken { quote!(Self) } else { held(name, generics, shape) };
    let lane_value = matches!(shape, Shape::Enum(_)).then(|| quote!(impl ::cumbia::__private::LaneValue for #this {}));
    let check = (!mistaken).then(|| check(generics, &bounds, shape, &this));
    quote! {
        #[allow(
            non_snake_case, unreachable_code, unused_qualifications, unused_variables, clippy::all, clippy::pedantic,
            clippy::nursery, clippy::restriction
        )]
        const _: () = {
            impl<#(#bounds),*> ::cumbia::DeviceType for #this #clause {
                type Repr = #held;
            }

            impl<#(#bounds),*> ::cumbia::__private::Repr for #this #clause {
                fn ty() -> ::cumbia::__private::ir::Type {
                    #ty
                }
            }

            impl<#(#bounds),*> ::cumbia::__private::ConstantType for #this #clause {
                type Repr = Self;
                type Value = Self;

                #[inline(always)]
                fn value(self) -> Self {
                    self
                }
            }

            // SAFETY: each field is an `Element`, and is read and written as one; of an enum only the bits of a variant become
            // a value.
            unsafe impl<#(#bounds),*> ::cumbia::Element for #this #clause {
                type Held = #held;

                #any_bits

                #[inline(always)]
                unsafe fn load(place: *mut Self) -> Self {
                    #load
                }

                #[inline(always)]
                unsafe fn store(place: *mut Self, value: Self) {
                    #store
                }

                #[inline(always)]
                fn placeholder() -> Self {
                    #placeholder
                }

                fn constant(&self) -> ::cumbia::__private::ir::ConstantValue {
                    #constant
                }
            }

            #lane_value
            #check
        };
    }
}

/// What differs between the types.
struct Implementation {
    ty: TokenStream,
    any_bits: TokenStream,
    load: TokenStream,
    store: TokenStream,
    placeholder: TokenStream,
    constant: TokenStream,
}

/// Field by field: padding is neither read nor written.
fn structure(name: &Ident, fields: &[Field]) -> Implementation {
    let text = syn::ext::IdentExt::unraw(name).to_string();
    let texts = fields.iter().map(Field::text);
    let members: Vec<_> = fields.iter().map(|field| &field.member).collect();
    // An error about a field is shown at its type, and there are several uses of it: said in the same words, at the same
    // place, it is said once.
    let elements: Vec<TokenStream> =
        fields.iter().map(|Field { member: _, ty }| quote_spanned!(ty.span()=> <#ty as ::cumbia::Element>)).collect();
    let types = elements.iter().map(|element| quote!(<#element::Held as ::cumbia::__private::Repr>::ty));
    Implementation {
        ty: quote! {
            ::cumbia::__private::structure::<Self>(#text, &[
                #((#texts, #types, ::core::mem::offset_of!(Self, #members)),)*
            ])
        },
        any_bits: quote!(const ANY_BITS: bool = true #(&& #elements::ANY_BITS)*;),
        load: quote!(unsafe { #name { #(#members: #elements::load(&raw mut (*place).#members),)* } }),
        store: quote!(unsafe { #(#elements::store(&raw mut (*place).#members, value.#members);)* }),
        placeholder: quote!(#name { #(#members: #elements::placeholder(),)* }),
        constant: quote! {
            ::cumbia::__private::ir::ConstantValue::Parts(::std::vec![#(#elements::constant(&self.#members)),*])
        },
    }
}

/// By its bits: those of no variant are the first one's.
fn enumeration(name: &Ident, variants: &[Ident]) -> Implementation {
    let text = syn::ext::IdentExt::unraw(name).to_string();
    let texts = variants.iter().map(|variant| syn::ext::IdentExt::unraw(variant).to_string());
    let (first, rest) = match variants {
        [] => return nothing(),
        [first, rest @ ..] => (first, rest),
    };
    Implementation {
        ty: quote! {
            ::cumbia::__private::enumeration::<Self>(#text, &[#((#texts, Self::#variants as ::core::primitive::i128)),*])
        },
        any_bits: TokenStream::new(),
        load: quote! {
            const {
                ::core::assert!(
                    #(unsafe { ::cumbia::__private::is_tag(&Self::#variants, Self::#variants as ::core::primitive::i128) })&&*,
                    "an enum in device memory needs two variants or a `#[repr(..)]`"
                );
            }
            let bits = unsafe { ::cumbia::__private::load_bits::<Self>(place) };
            #(if bits == ::cumbia::__private::bits_of::<Self>(Self::#rest as ::core::primitive::i128) {
                return Self::#rest;
            })*
            Self::#first
        },
        store: quote! {
            unsafe {
                ::cumbia::__private::store_bits::<Self>(
                    place,
                    ::cumbia::__private::bits_of::<Self>(value as ::core::primitive::i128),
                )
            }
        },
        placeholder: quote!(Self::#first),
        constant: quote! {
            ::cumbia::__private::ir::ConstantValue::Bits(
                ::cumbia::__private::bits_of::<Self>(*self as ::core::primitive::i128),
            )
        },
    }
}

/// For a type that was refused.
fn nothing() -> Implementation {
    let nothing = || quote!(loop {});
    let (ty, load, store, placeholder, constant) = (nothing(), nothing(), nothing(), nothing(), nothing());
    Implementation { ty, any_bits: TokenStream::new(), load, store, placeholder, constant }
}

/// `Self`, in a form that has no meaning where a generic argument is no element: then the mistake is reported once.
fn held(name: &Ident, generics: &Generics, shape: &Shape) -> TokenStream {
    let fields: &[Field] = match shape {
        Shape::Struct(fields) => fields,
        Shape::Enum(_) => &[],
    };
    // Of a parameter that is a field's type it is known that it is an element; of one with a bound, that another type does
    // not fulfil it.
    let is_element = |param: &syn::TypeParam| {
        let is_param = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident(&param.ident));
        param.bounds.is_empty() && generics.where_clause.is_none() && fields.iter().any(|field| is_param(&field.ty))
    };
    let arguments = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) if is_element(param) => {
            let name = &param.ident;
            Some(quote!(<#name as ::cumbia::Element>::Held))
        }
        GenericParam::Type(param) => Some(param.ident.to_token_stream()),
        GenericParam::Const(param) => Some(param.ident.to_token_stream()),
        GenericParam::Lifetime(_) => None,
    });
    quote!(#name<#(#arguments),*>)
}

/// What has to hold for the type to be one of a device's.
///
/// A bound without parameters that does not hold is an error of rustc's in its own words, at each implementation. So the
/// types of fields are bounded here only where they depend on a parameter, and `Copy` is asked for in a form that rustc
/// leaves alone (`for<'a>`): [`check`] asks for it once, in our words.
fn clause(generics: &Generics, shape: &Shape, this: &TokenStream, mistaken: bool) -> TokenStream {
    let own = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let mut bounds: Vec<TokenStream> = own.map(|predicate| quote!(#predicate)).collect();
    bounds.push(quote!(for<'a> #this: ::core::marker::Copy));
    if mistaken {
        // So that nothing more is said of a field that was refused.
        bounds.push(quote!(for<'a> #this: ::core::marker::Send + ::core::marker::Sync));
    }
    bounds.extend(generics.type_params().map(|param| {
        let name = &param.ident;
        quote!(#name: 'static)
    }));
    if let (Shape::Struct(fields), false) = (shape, mistaken) {
        let dependent = fields.iter().filter(|field| depends(&field.ty, generics));
        bounds.extend(dependent.map(|Field { member: _, ty }| quote_spanned!(ty.span()=> #ty: ::cumbia::Element)));
    }
    quote!(where #(#bounds),*)
}

/// Asks whether the type is `Copy`.
fn check(generics: &Generics, bounds: &[TokenStream], shape: &Shape, this: &TokenStream) -> TokenStream {
    let own = generics.where_clause.iter().flat_map(|clause| &clause.predicates).map(|predicate| quote!(#predicate));
    let fields: &[Field] = match shape {
        Shape::Struct(fields) => fields,
        Shape::Enum(_) => &[],
    };
    let dependent = fields
        .iter()
        .filter(|field| depends(&field.ty, generics))
        .map(|Field { member: _, ty }| quote!(#ty: ::cumbia::Element));
    let parameters = generics.type_params().map(|param| {
        let name = &param.ident;
        quote!(#name: ::cumbia::Element)
    });
    let clause: Vec<TokenStream> = own.chain(dependent).chain(parameters).collect();
    quote! {
        #[allow(dead_code)]
        fn check<#(#bounds),*>() where #(#clause),* {
            let () = <#this as ::cumbia::__private::DerivesCopy>::CHECKED;
        }
    }
}

/// Whether a type names one of the generic parameters.
pub(super) fn depends(ty: &Type, generics: &Generics) -> bool {
    struct Names<'a> {
        generics: &'a Generics,
        found: bool,
    }

    impl<'ast> Visit<'ast> for Names<'_> {
        fn visit_path(&mut self, path: &'ast Path) {
            if let Some(first) = path.segments.first() {
                let names = self.generics.type_params().map(|param| &param.ident);
                let mut names = names.chain(self.generics.const_params().map(|param| &param.ident));
                self.found |= names.any(|name| *name == first.ident);
            }
            visit::visit_path(self, path);
        }
    }

    let mut names = Names { generics, found: false };
    names.visit_type(ty);
    names.found
}
