//! Expansion of `#[device]` on an `impl`: for each function, a hidden function to which calls in a kernel resolve, and
//! a key type that owns its body.
//!
//! A host method `area` has a hidden counterpart `__device_area`, whose second parameter is the call context. The type
//! of its result identifies the callee by its *key*, a type with the generic parameters of the `impl` and the function.
//! The function of an operator is resolved by its operand types instead.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Generics, Ident, Lifetime, Type, WherePredicate, parse_quote};

use super::{allow, arguments, bare_params, body, bound_params, cfgs, params, type_tuple};
use crate::identity::{self, Known};
use crate::lints;
use crate::lower::method_number;
use crate::methods::{DeviceImpl, Method, Role};
use crate::position::{self, ours, standing_for};
use crate::signature::{Param, ParamKind, Signature, argument, with_lifetime};
use crate::this::is_mentioned;

/// Whether the bodies were lowered without errors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// All bodies were lowered.
    Lowered,
    /// There are errors. The items are stubs that can be called, so that their callers do not produce further errors.
    Invalid,
}

/// Returns the items of an `impl`, inside an anonymous constant, so that their names cannot collide.
pub(crate) fn device_impl(device_impl: &DeviceImpl, bodies: Bodies) -> TokenStream {
    let DeviceImpl { item, role, methods } = device_impl;
    if item.generics.lifetimes().next().is_some() {
        return TokenStream::new(); // rejected; without the lifetimes the type would produce a second error
    }
    if item.trait_.is_some() && argument(&item.self_ty).is_some() {
        return TokenStream::new(); // rejected
    }
    let allow = allow();
    let syn::ItemImpl { attrs, unsafety, generics, trait_, self_ty, items, .. } = item;
    let bounds = bound_params(generics);
    let of_trait = trait_.as_ref().map(|(path, token)| quote!(#path #token));
    let marker = marker(role, trait_.as_ref().map(|(path, _)| path));
    let (cfgs, levels) = (super::cfgs(attrs), lints::levels(attrs));
    let functions = methods.iter().map(|method| functions(method, role, bodies));
    let assumed = assumed_bound(item, role, methods);
    let keys = methods.iter().map(|method| {
        let generics = with_predicate(&method.generics, assumed.as_ref());
        key_items(&key(method), &generics, method, bodies)
    });
    let operator = operator(item, role, methods, bodies);
    let of_parts = methods.iter().filter_map(|method| argument_method(item, role, method));
    let clause = with_predicate(generics, assumed.as_ref()).where_clause;
    let check = assumed.as_ref().map(|_| element_check(item));
    quote! {
        #(#cfgs)*
        #(#levels)*
        #allow
        #[allow(dead_code, unused_variables)] // kernels use the hidden functions only
        const _: () = {
            #(#keys)*

            #(#attrs)*
            #unsafety impl<#(#bounds),*> #of_trait #self_ty #clause {
                #(#items)*
                #(#functions)*
                #marker
            }

            #operator
            #(#of_parts)*
            #check
        };
    }
}

/// Returns the marker item, required by a trait under `#[device]`, that proves that an implementation has the attribute
/// too.
fn marker(role: &Role, path: Option<&syn::Path>) -> TokenStream {
    let (Role::Trait, Some(last)) = (role, path.and_then(|path| path.segments.last())) else {
        return TokenStream::new();
    };
    let name = marker_name(last.ident.span());
    quote! {
        #[doc(hidden)]
        fn #name() {}
    }
}

/// Returns the name of this function, which rustc shows if `#[device]` is missing on the trait or on the
/// implementation.
pub(super) fn marker_name(span: proc_macro2::Span) -> Ident {
    Ident::new("__device_attribute_on_trait_and_impl", ours(span))
}

/// Returns the bound, assumed by an `impl` of a trait, that the type is a `DeviceType`. The trait requires it of each
/// type with methods, and so does each of the methods; to report a violation once, only [`element_check`] verifies it.
/// (rustc assumes a bound with `for<'a>` without proving it.)
fn assumed_bound(item: &syn::ItemImpl, role: &Role, methods: &[Method]) -> Option<WherePredicate> {
    let this = &item.self_ty;
    let required = matches!(role, Role::Trait) && methods.iter().any(|method| is_mentioned(&method.declared));
    required.then(|| parse_quote!(for<'a> #this: ::cumbia::DeviceType))
}

fn with_predicate(generics: &Generics, predicate: Option<&WherePredicate>) -> Generics {
    let mut generics = generics.clone();
    if let Some(predicate) = predicate {
        generics.make_where_clause().predicates.push(predicate.clone());
    }
    generics
}

/// Returns a check that the type of an `impl` is a `DeviceType`.
fn element_check(item: &syn::ItemImpl) -> TokenStream {
    let (bounds, clause, this) = (bound_params(&item.generics), &item.generics.where_clause, &item.self_ty);
    let check = quote_spanned!(ours(this.span())=> is_element::<#this>());
    quote! {
        fn is_element<T: ::cumbia::DeviceType>() {}

        fn check<#(#bounds),*>() #clause {
            #check
        }
    }
}

/// Returns the host function and the hidden ones.
fn functions(method: &Method, role: &Role, bodies: Bodies) -> TokenStream {
    let host = host(method, &method.vis, &key_of(method), bodies);
    let hidden = match role {
        Role::Inherent => hidden(method, &key_of(method), bodies),
        Role::Trait => implementation(method, &key_of(method), bodies),
        Role::Operator { marker: _, right: _ } | Role::Rejected => TokenStream::new(),
    };
    quote!(#host #hidden)
}

/// Returns the host function, which runs the body as a grid of one thread.
pub(super) fn host(method: &Method, vis: &syn::Visibility, key: &TokenStream, bodies: Bodies) -> TokenStream {
    let Method { attributes, declared, signature, .. } = method;
    let (name, output, clause) = (&declared.ident, &declared.output, &declared.generics.where_clause);
    let (bounds, inputs) = (bound_params(&declared.generics), params::host_inputs(declared));
    let args = signature.params.iter().map(params::from_host);
    let body = match bodies {
        Bodies::Lowered => {
            let cx = Ident::new("__cx", proc_macro2::Span::mixed_site());
            let call = call_of_body(signature, key, &quote!(#cx), args);
            quote!(::cumbia::__private::Cx::host(|#cx| #call))
        }
        Bodies::Invalid => quote!(loop {}),
    };
    quote! {
        #(#attributes)*
        #vis fn #name<#(#bounds),*>(#inputs) #output #clause {
            #body
        }
    }
}

/// Returns the implementation by which a method of a struct of arrays is found for a field that is such a struct,
/// `world.grid.cell(i)`: the macro does not know the type of the field, and its type in a kernel has no methods of the user's. A
/// trait cannot have the type parameters of a method, which is therefore called by path only.
fn argument_method(item: &syn::ItemImpl, role: &Role, method: &Method) -> Option<TokenStream> {
    let (Role::Inherent, Some(_)) = (role, argument(&item.self_ty)) else { return None };
    let (Some(receiver), rest) = params::split_receiver(&method.signature) else { return None };
    if !method.declared.generics.params.is_empty() {
        return None;
    }
    let mut bounds = bound_params(&item.generics);
    let by = match receiver.kind {
        ParamKind::Argument(_) => quote!(ByValue),
        ParamKind::ArgumentRef(_) => quote!(ByReference),
        _ => return None,
    };
    // Not in the header of the implementation: if the derive is missing, rustc reports it at each item of one.
    let receiver_type = params::body_type(receiver);
    let mut types = Vec::new();
    for (position, param) in rest.iter().enumerate() {
        match params::bound_of_call(param)? {
            (ty, false) => types.push(ty),
            (bound, true) => {
                let name = format_ident!("P{position}");
                bounds.push(quote!(#name: #bound));
                types.push(quote!(#name));
            }
        }
    }
    let (key, call, result) = (key_of(method), call(), result_type(&method.signature));
    let (device_name, clause) = (device_name(&method.declared.ident), &item.generics.where_clause);
    let number = method_number(&device_name);
    let this = with_lifetime(&item.self_ty, "'static");
    let names: Vec<Ident> = (0..rest.len()).map(|i| format_ident!("__a{i}")).collect();
    let cfgs = cfgs(&method.attributes);
    // Located at the type, as all that requires its derive: rustc reports equal errors once.
    let at = item.self_ty.span();
    let (this_name, target) = (Ident::new("__this", at), Ident::new(&device_name.to_string(), at));
    let located = quote_spanned! {at=>
        type Receiver = #receiver_type;

        #[inline(always)]
        fn call(
            #this_name: #receiver_type,
            #call: ::cumbia::__private::Call<'k>,
            (#(#names,)*): (#(#types,)*),
        ) -> ::cumbia::__private::Returned<#key, #result> {
            <#this>::#target(#this_name, #call, (#(#names,)*))
        }
    };
    Some(quote! {
        #(#cfgs)*
        impl<'k, #(#bounds),*> ::cumbia::__private::ArgumentMethod<'k, #number, (#(#types,)*)> for #this #clause {
            type By = ::cumbia::__private::#by;
            type Key = #key;
            type Result = #result;

            #located
        }
    })
}

/// Returns the hidden function of an inherent function, to which a call in a kernel resolves.
fn hidden(method: &Method, key: &TokenStream, bodies: Bodies) -> TokenStream {
    let receiver = params::split_receiver(&method.signature).0.map(|param| params::from_receiver(param, &call()));
    let body = run(method, key, bodies, receiver);
    let resolved = resolved(method, &method.vis, key, &quote!(#body));
    let by_reference = by_reference(method, &method.vis, key, Owner::Type);
    quote!(#resolved #by_reference)
}

/// The owner of an associated function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A type, which the path of a call names.
    Type,
    /// A trait, which the path of a call may name instead of the type.
    Trait,
}

/// Returns the hidden function of a call by path whose first argument is a reference to a value in memory:
/// `Shape::area(&shapes[i])`. Its first parameter accepts the guard of the place.
pub(super) fn by_reference(method: &Method, vis: &syn::Visibility, key: &TokenStream, owner: Owner) -> TokenStream {
    let Method { attributes, declared, signature, .. } = method;
    let Some((first, rest)) = signature.params.split_first() else { return TokenStream::new() };
    let this = this(method);
    let (param, value) = match (&first.kind, &first.this, owner) {
        (ParamKind::Ref(_), Some(_), Owner::Type) => (quote!(#this: &'k Self), quote!(#this)),
        (ParamKind::RefMut(_), Some(_), Owner::Type) => (quote!(#this: &'k mut Self), quote!(#this)),
        (ParamKind::Ref(_), Some(_), Owner::Trait) => (
            quote!(#this: impl ::cumbia::__private::PathReceiver<'k, Value = Self>),
            quote!(::cumbia::__private::PathReceiver::reference(#this)),
        ),
        (ParamKind::RefMut(_), Some(_), Owner::Trait) => (
            quote!(#this: impl ::cumbia::__private::PathReceiverMut<'k, Value = Self>),
            quote!(::cumbia::__private::PathReceiverMut::reference_mut(#this)),
        ),
        (ParamKind::Ref(_) | ParamKind::RefMut(_) | ParamKind::Slice(_) | ParamKind::SliceMut(_), None, _) => {
            let name = &first.name;
            (params::call_param(first), quote!(#name))
        }
        // Other arguments are passed by value.
        (
            ParamKind::Value(_)
            | ParamKind::View { .. }
            | ParamKind::Argument(_)
            | ParamKind::ArgumentRef(_)
            | ParamKind::Tuple(..)
            | ParamKind::Array(..)
            | ParamKind::Rejected,
            _,
            _,
        )
        | (ParamKind::Slice(_) | ParamKind::SliceMut(_), Some(_), _) => return TokenStream::new(),
    };
    let (bounds, clause) = (bound_params(&declared.generics), &declared.generics.where_clause);
    let (name, target, call) = (by_reference_name(&declared.ident), device_name(&declared.ident), call());
    let inputs = called_inputs(declared, &param, rest);
    let names = rest.iter().map(|Param { name, .. }| name);
    let (cfgs, result) = (cfgs(attributes), result_type(signature));
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[inline(always)]
        #vis fn #name<'k, #(#bounds),*>(#inputs) -> ::cumbia::__private::Returned<#key, #result> #clause {
            Self::#target(#value, #call, (#(#names,)*))
        }
    }
}

/// Returns the hidden function to which a call in a kernel resolves: it converts its arguments, and `body` computes the
/// result.
pub(super) fn resolved(method: &Method, vis: &syn::Visibility, key: &TokenStream, body: &TokenStream) -> TokenStream {
    let Method { attributes, declared, signature, .. } = method;
    let (bounds, clause) = (bound_params(&declared.generics), &declared.generics.where_clause);
    let name = device_name(&declared.ident);
    let (receiver, rest) = params::split_receiver(signature);
    let inputs = match (receiver, rest.split_first()) {
        (None, Some((first, rest))) => called_inputs(declared, &params::call_param(first), rest),
        (None, None) => called_inputs(declared, &quote!((): ()), rest),
        (Some(receiver), _) => called_inputs(declared, &params::receiver(receiver), rest),
    };
    let conversions = rest.iter().map(|param| {
        let (name, value) = (&param.name, params::from_call(param));
        quote!(let #name = #value;)
    });
    let (cfgs, result) = (cfgs(attributes), result_type(signature));
    let at = argument_receiver(signature).map(Spanned::span);
    // Declared where its uses are: lifetimes are hygienic.
    let lifetime = Lifetime::new("'k", proc_macro2::Span::call_site());
    let function = quote_spanned! {at.unwrap_or_else(proc_macro2::Span::call_site)=>
        #vis fn #name<#lifetime, #(#bounds),*>(#inputs) -> ::cumbia::__private::Returned<#key, #result> #clause {
            #(#conversions)*
            ::cumbia::__private::Returned::new(#body)
        }
    };
    let function = match at {
        Some(at) => position::enclosed(function, at),
        None => function,
    };
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[inline(always)]
        #function
    }
}

/// Returns the function that a trait under `#[device]` requires of each implementation: it runs the body, and the type
/// of its result contains the key.
pub(super) fn implementation(method: &Method, key: &TokenStream, bodies: Bodies) -> TokenStream {
    let result = result_type(&method.signature);
    let signature = implementation_signature(method, &quote!(::cumbia::__private::Returned<#key, #result>));
    let run = implementation_body(method, key, bodies);
    quote! {
        #[allow(refining_impl_trait)] // the trait does not name the key
        #signature {
            ::cumbia::__private::Returned::new(#run)
        }
    }
}

/// Returns the body of this function, or of a default method in a trait.
pub(super) fn implementation_body(method: &Method, key: &TokenStream, bodies: Bodies) -> TokenStream {
    let receiver = params::split_receiver(&method.signature).0.map(|_| {
        let this = this(method);
        quote!(#this)
    });
    run(method, key, bodies, receiver)
}

/// Returns the signature of this function, with the result type `result`. Errors about it, such as that the trait does
/// not declare it, are shown at the user's function name.
pub(super) fn implementation_signature(method: &Method, result: &TokenStream) -> TokenStream {
    let Method { attributes, declared, signature, .. } = method;
    let (bounds, clause) = (bound_params(&declared.generics), &declared.generics.where_clause);
    let name = implementation_name(&declared.ident);
    let (receiver, rest) = params::split_receiver(signature);
    let receiver = receiver.map(|param| {
        let (this, ty) = (this(method), params::received(param, &quote!(Self), &quote!('k)));
        quote!(#this: #ty)
    });
    let inputs = with_call(receiver.into_iter().chain(rest.iter().map(|param| {
        let (name, ty) = (&param.name, params::body_type(param));
        quote!(#name: #ty)
    })));
    let cfgs = cfgs(attributes);
    quote_spanned! {ours(name.span())=>
        #(#cfgs)*
        #[doc(hidden)]
        #[inline(always)]
        fn #name<'k, #(#bounds),*>(#(#inputs),*) -> #result #clause
    }
}

/// Returns the name of this function, which rustc shows if `#[device]` is missing on the trait or on the
/// implementation.
pub(super) fn implementation_name(name: &Ident) -> Ident {
    Ident::new(&format!("__device_attribute_on_impl_of_{}", name.unraw()), name.span())
}

/// Returns the parameter that holds the receiver's handle in the functions of an implementation.
fn this(method: &Method) -> Ident {
    Ident::new("__this", ours(method.declared.ident.span()))
}

/// Returns the call of the body with the thread of the call context and the handles of the parameters.
fn run(method: &Method, key: &TokenStream, bodies: Bodies, receiver: Option<TokenStream>) -> TokenStream {
    if bodies == Bodies::Invalid {
        return quote!(loop {});
    }
    let (_, rest) = params::split_receiver(&method.signature);
    let args = receiver.into_iter().chain(rest.iter().map(|param| {
        let name = &param.name;
        quote!(#name)
    }));
    let call = call();
    call_of_body(&method.signature, key, &quote!(#call.cx), args)
}

/// Returns a call of the body. Of a method of a struct of arrays, which may lack its derive, it is located at the struct: see
/// [`argument_method`].
fn call_of_body(
    signature: &Signature,
    key: &TokenStream,
    cx: &TokenStream,
    args: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    let span = argument_receiver(signature).map_or_else(proc_macro2::Span::call_site, Spanned::span);
    quote_spanned!(span=> <#key>::__body(#cx, (#(#args,)*)).0)
}

/// Returns the struct of arrays of which a function is a method, if it is.
fn argument_receiver(signature: &Signature) -> Option<&Type> {
    match &params::split_receiver(signature).0?.kind {
        ParamKind::Argument(ty) | ParamKind::ArgumentRef(ty) => Some(ty),
        _ => None,
    }
}

/// Returns `impl Operator<op::Add, Rhs> for Lhs`, by which the compiler resolves the function.
fn operator(item: &syn::ItemImpl, role: &Role, methods: &[Method], bodies: Bodies) -> TokenStream {
    let Role::Operator { marker, right } = role else { return TokenStream::new() };
    let [method] = methods else { return TokenStream::new() }; // rustc reports missing and unknown functions
    // A user's trait may have the same name as an operator trait.
    let check = item.trait_.as_ref().map(|(path, _)| identity::check(path, Known::Operator));
    let generics = &item.generics;
    let (bounds, clause, this) = (bound_params(generics), &generics.where_clause, &item.self_ty);
    let (marker, key) = (Ident::new(marker, ours(method.declared.ident.span())), key_of(method));
    let assign = assignment(method, right, &key, bodies);
    quote! {
        #check

        impl<#(#bounds),*> ::cumbia::__private::Operator<::cumbia::__private::op::#marker, #right> for #this #clause {
            type Key = #key;

            #assign
        }
    }
}

/// Returns the function of a compound-assignment operator on a place in memory.
fn assignment(method: &Method, right: &Type, key: &TokenStream, bodies: Bodies) -> TokenStream {
    let Some((Param { kind: ParamKind::RefMut(_), .. }, [_])) = method.signature.params.split_first() else {
        return TokenStream::new();
    };
    let [cx, place, operand] =
        ["__cx", "__place", "__right"].map(|name| Ident::new(name, proc_macro2::Span::mixed_site()));
    let body = match bodies {
        Bodies::Lowered => quote! {
            ::cumbia::__private::Cx::host(|#cx| {
                <#key>::__body(#cx, (::cumbia::__private::Handle::place(#place), #operand)).0
            })
        },
        Bodies::Invalid => quote!(loop {}),
    };
    quote! {
        #[inline(always)]
        fn assign<'k, H>(#place: H, #operand: #right, _: impl ::core::ops::FnOnce(&mut Self, #right))
        where
            H: ::cumbia::__private::Handle<'k, Value = Self, Access = ::cumbia::__private::Write>,
        {
            #body
        }
    }
}

/// Returns the key type that owns the body, with its implementations.
pub(super) fn key_items(name: &Ident, generics: &Generics, method: &Method, bodies: Bodies) -> TokenStream {
    let cfgs = cfgs(&method.attributes);
    let (params, types) = (bare_params(generics), type_tuple(generics));
    let implementation = key_impls(name, generics, method, bodies);
    quote! {
        #(#cfgs)*
        pub struct #name<#(#params),*>(::core::marker::PhantomData<fn() -> #types>);

        #implementation
    }
}

/// Returns the implementations of a key type.
pub(super) fn key_impls(name: &Ident, generics: &Generics, method: &Method, bodies: Bodies) -> TokenStream {
    let Method { attributes, inner, lowered, .. } = method;
    let (cfgs, levels) = (cfgs(attributes), lints::levels(attributes));
    let (bounds, arguments, clause) = (bound_params(generics), arguments(generics), &generics.where_clause);
    let (body, content) = match (bodies, lowered) {
        (Bodies::Lowered, Some(lowered)) => {
            let body = body::body(inner, lowered, &quote!(<'k>), &quote!(Self));
            let definition = body::definition(inner, lowered);
            (body, quote!(::cumbia::__private::Content::Function(#definition)))
        }
        (Bodies::Lowered, None) | (Bodies::Invalid, _) => (TokenStream::new(), quote!(loop {})),
    };
    quote! {
        #(#cfgs)*
        #(#levels)*
        impl<#(#bounds),*> #name<#(#arguments),*> #clause {
            #body
        }

        #(#cfgs)*
        impl<#(#bounds),*> ::cumbia::__private::CalleeKey for #name<#(#arguments),*> #clause {
            fn content() -> ::cumbia::__private::Content {
                #content
            }
        }
    }
}

fn key(method: &Method) -> Ident {
    format_ident!("__key_{}", method.declared.ident.unraw())
}

/// Returns the key with its generic arguments.
fn key_of(method: &Method) -> TokenStream {
    let (key, arguments) = (key(method), arguments(&method.generics));
    quote!(#key<#(#arguments),*>)
}

/// Returns the name of the hidden function to which a call in a kernel resolves.
fn device_name(name: &Ident) -> Ident {
    Ident::new(&format!("__device_{}", name.unraw()), name.span())
}

/// Returns the name of the hidden function of a call by path, see [`by_reference`].
fn by_reference_name(name: &Ident) -> Ident {
    Ident::new(&format!("__device_by_reference_{}", name.unraw()), name.span())
}

/// Returns the parameter that holds the call context.
pub(super) fn call() -> Ident {
    Ident::new("__call", proc_macro2::Span::mixed_site())
}

/// Returns the parameters of a function that a call in a kernel resolves to: the receiver or the first parameter, or `()` if there is none,
/// the call context, and a tuple of the others. A wrong number of arguments is then a wrong length of the tuple, and rustc's error counts
/// only those of the user.
fn called_inputs(declared: &syn::Signature, first: &TokenStream, rest: &[Param]) -> TokenStream {
    let call = call();
    let names = rest.iter().map(|Param { name, .. }| name);
    let types = rest.iter().map(|param| params::call_type(&param.kind));
    let span = declared.paren_token.span.join();
    let (names, types) = (standing_for(span, quote!(#(#names,)*)), standing_for(span, quote!(#(#types,)*)));
    quote!(#first, #call: ::cumbia::__private::Call<'k>, #names: #types)
}

/// Returns the parameters with the call context after the receiver or the first parameter.
fn with_call(inputs: impl Iterator<Item = TokenStream>) -> Vec<TokenStream> {
    let call = call();
    insert_after_first(inputs, quote!(#call: ::cumbia::__private::Call<'k>))
}

/// Inserts the call context into a list of parameters, arguments or types, after the first item.
pub(super) fn insert_after_first(list: impl Iterator<Item = TokenStream>, call: TokenStream) -> Vec<TokenStream> {
    let mut list: Vec<TokenStream> = list.collect();
    list.insert(list.len().min(1), call);
    list
}

/// Returns the result type of the hidden functions, `()` if it was rejected.
pub(super) fn result_type(signature: &Signature) -> TokenStream {
    match &signature.result {
        None | Some(Type::Never(_)) => quote!(()),
        Some(result) => quote_spanned!(result.span()=> #result),
    }
}
