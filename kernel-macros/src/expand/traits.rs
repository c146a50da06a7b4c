//! `#[device]` on a trait: each of its functions gets a hidden one that a call in a kernel resolves to, which asks the
//! implementation for the body and its IR.
//!
//! The hidden function is the trait's alone, so that its key is a type of the trait's: what a generic function calls is
//! then `Key<T>`, and borrows nothing. An implementation has one of its own, which `#[device] impl` writes: it takes the
//! handles of the parameters as they are, and the type of its result says where the IR is.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{Generics, ItemTrait, Visibility, parse_quote};

use super::methods::{self, Bodies, Owner};
use super::{allow, arguments, bare_params, bound_params, cfgs, params, type_tuple};
use crate::methods::{DeviceTrait, Method};
use crate::signature::Param;
use crate::this::is_mentioned;

/// The items of a trait.
pub(crate) fn device_trait(device_trait: &DeviceTrait, bodies: Bodies) -> TokenStream {
    let DeviceTrait { item, this: _, methods } = device_trait;
    let allow = allow();
    let ItemTrait { attrs, vis, unsafety, ident, generics, supertraits, items, .. } = item;
    let (bounds, clause) = (bound_params(generics), &generics.where_clause);
    let mut supertraits = supertraits.clone();
    if methods.iter().any(|method| is_mentioned(&method.declared)) {
        // A value that is given to a function on a device has to be one that a device can hold.
        supertraits.push(parse_quote!(::cumbia::Element));
    } else {
        supertraits.push(parse_quote!(::core::marker::Sized));
        supertraits.push(parse_quote!('static));
    }
    let functions = methods.iter().map(|method| functions(device_trait, method, bodies));
    let types = methods.iter().map(|method| types(device_trait, method));
    let impls = methods.iter().map(|method| impls(device_trait, method, bodies));
    let cfgs = cfgs(attrs);
    let marker = marker(device_trait);
    quote! {
        #(#attrs)*
        #allow
        #[allow(unused_variables)]
        #vis #unsafety trait #ident<#(#bounds),*>: #supertraits #clause {
            #(#items)*
            #(#functions)*
            #marker
        }

        #(#types)*

        #(#cfgs)*
        #allow
        const _: () = {
            /// What the implementation's result names. `_call` is never called.
            fn content_of<A, R: ::cumbia::__private::MethodResult>(
                _call: impl ::core::ops::FnOnce(A) -> R,
            ) -> ::cumbia::__private::Content {
                <R::Key as ::cumbia::__private::CalleeKey>::content()
            }

            #(#impls)*
        };
    }
}

/// The required item that only `#[device]` on an `impl` defines. An `impl` without the attribute could override a default for
/// the host alone: so where there are defaults, it is required. An `impl` without it lacks the hidden function of each of the others already.
fn marker(device_trait: &DeviceTrait) -> TokenStream {
    let name = methods::marker_name(device_trait.item.ident.span());
    let defaults = device_trait.methods.iter().any(|method| method.lowered.is_some());
    let body = if defaults { quote!(;) } else { quote!({}) };
    quote! {
        #[doc(hidden)]
        fn #name() #body
    }
}

/// The user's function and the hidden ones.
fn functions(device_trait: &DeviceTrait, method: &Method, bodies: Bodies) -> TokenStream {
    let Method { attributes, declared, lowered, .. } = method;
    let inherited = &Visibility::Inherited;
    let key = key_in_trait(device_trait, method, "");
    let resolved = methods::resolved(method, inherited, &key, &run(method));
    let lent = methods::lent(method, inherited, &key, Owner::Trait);
    let (host, implementation) = if lowered.is_some() {
        let default = key_in_trait(device_trait, method, "_default");
        let result = implementation_result(device_trait, method);
        let body = methods::implementation_body(method, &default, bodies);
        let signature = methods::implementation_signature(method, &result);
        let implementation = quote! {
            #signature {
                ::cumbia::__private::Returned::<#default, _>::new(#body)
            }
        };
        (methods::host(method, inherited, &default, bodies), implementation)
    } else {
        let signature = methods::implementation_signature(method, &implementation_result(device_trait, method));
        (quote!(#(#attributes)* #declared;), quote!(#signature;))
    };
    quote! {
        #host
        #resolved
        #lent
        #implementation
    }
}

/// What an implementation gives: a value, with a key that borrows nothing.
fn implementation_result(device_trait: &DeviceTrait, method: &Method) -> TokenStream {
    let result = methods::result_type(&method.signature);
    let outer = arguments(&device_trait.item.generics);
    let own = arguments(&method.declared.generics);
    quote! {
        impl ::cumbia::__private::MethodResult<Value = #result> + use<Self, #(#outer,)* #(#own),*>
    }
}

/// The call of the implementation by the hidden function.
fn run(method: &Method) -> TokenStream {
    let (name, own) = (methods::implementation_name(&method.declared.ident), arguments(&method.declared.generics));
    let (receiver, rest) = params::split_receiver(&method.signature);
    let receiver = receiver.map(|param| params::from_receiver(param, &methods::call())).into_iter();
    let names = rest.iter().map(|Param { name, .. }| quote!(#name));
    let call = methods::call();
    let args = methods::behind_first(receiver.chain(names), quote!(#call));
    quote! {
        ::cumbia::__private::MethodResult::value(Self::#name::<#(#own),*>(#(#args),*))
    }
}

/// The types that stand for a function: its key, and that of its default body if there is one.
fn types(device_trait: &DeviceTrait, method: &Method) -> TokenStream {
    let generics = with_this(device_trait, method);
    let (params, types) = (bare_params(&generics), type_tuple(&generics));
    let allow = allow();
    let (vis, cfgs) = (&device_trait.item.vis, cfgs(&method.attributes));
    let declare = |name: Ident| {
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #allow
            #vis struct #name<#(#params),*>(::core::marker::PhantomData<fn() -> #types>);
        }
    };
    let key = declare(key_name(device_trait, method, ""));
    let default = method.lowered.as_ref().map(|_| declare(key_name(device_trait, method, "_default")));
    quote!(#key #default)
}

/// What is done with these types.
fn impls(device_trait: &DeviceTrait, method: &Method, bodies: Bodies) -> TokenStream {
    let generics = with_this(device_trait, method);
    let (bounds, arguments, clause) = (bound_params(&generics), arguments(&generics), &generics.where_clause);
    let (name, cfgs) = (key_name(device_trait, method, ""), cfgs(&method.attributes));
    let implementation = methods::implementation_name(&method.declared.ident);
    let (this, path) = (&device_trait.this, path(device_trait));
    let own = super::arguments(&method.declared.generics);
    let (receiver, rest) = params::split_receiver(&method.inner);
    let receiver = receiver.map(|param| params::received(param, &quote!(#this), &quote!('_)));
    let types = receiver.into_iter().chain(rest.iter().map(params::anonymous_type));
    let types = methods::behind_first(types, quote!(::cumbia::__private::Call<'_>));
    let names: Vec<Ident> = (0..types.len()).map(|i| format_ident!("argument{i}")).collect();
    let default = method
        .lowered
        .as_ref()
        .map(|_| methods::key_impls(&key_name(device_trait, method, "_default"), &generics, method, bodies));
    quote! {
        #(#cfgs)*
        impl<#(#bounds),*> ::cumbia::__private::CalleeKey for #name<#(#arguments),*> #clause {
            fn content() -> ::cumbia::__private::Content {
                content_of(
                    |(#(#names,)*): (#(#types,)*)| <#this as #path>::#implementation::<#(#own),*>(#(#names),*),
                )
            }
        }

        #default
    }
}

/// The generic parameters of the function's keys: the type that implements the trait, and those of the trait and the function.
fn with_this(device_trait: &DeviceTrait, method: &Method) -> Generics {
    let (this, path) = (&device_trait.this, path(device_trait));
    let mut generics = method.generics.clone();
    generics.params.insert(0, parse_quote!(#this: #path));
    generics
}

/// The trait with its own arguments.
fn path(device_trait: &DeviceTrait) -> TokenStream {
    let (name, arguments) = (&device_trait.item.ident, arguments(&device_trait.item.generics));
    quote!(#name<#(#arguments),*>)
}

fn key_name(device_trait: &DeviceTrait, method: &Method, suffix: &str) -> Ident {
    format_ident!("__device_{}_{}{suffix}", device_trait.item.ident.unraw(), method.declared.ident.unraw())
}

/// The key with its arguments, in the trait itself.
fn key_in_trait(device_trait: &DeviceTrait, method: &Method, suffix: &str) -> TokenStream {
    let (name, arguments) = (key_name(device_trait, method, suffix), arguments(&method.generics));
    quote!(#name<Self, #(#arguments),*>)
}
