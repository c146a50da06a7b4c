//! The representations of a parameter: in the host function, in a call in a kernel, and in the body.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Type, TypeArray, parse_quote};

use crate::argument::as_argument;
use crate::signature::{Param, ParamKind, Signature};

/// Returns the access marker, `Read` or `Write`.
pub(super) fn access(mutable: bool) -> TokenStream {
    if mutable { quote!(::cumbia::__private::Write) } else { quote!(::cumbia::__private::Read) }
}

/// Returns the signature with an alias for the type of each parameter that is a value, and the declarations of the aliases.
///
/// A macro cannot see that a type lacks its lifetime, as in `particles: Particles`. rustc rejects it where a lifetime is
/// required, in the alias, and reports no further error about a type with an erroneous lifetime.
pub(super) fn aliased(signature: &Signature) -> (Signature, TokenStream) {
    let mut signature = signature.clone();
    let mut declarations = TokenStream::new();
    for (param, alias) in signature.params.iter_mut().zip(&signature.aliases) {
        if let (ParamKind::Value(ty) | ParamKind::Ref(ty) | ParamKind::RefMut(ty), Some(alias)) =
            (&mut param.kind, alias)
        {
            declarations.extend(quote!(type #alias = #ty;));
            *ty = parse_quote!(#alias);
        }
    }
    (signature, declarations)
}

/// Returns the type of a parameter in the body, where references are handles of places with the lifetime `'k`.
pub(super) fn body_type(param: &Param) -> TokenStream {
    type_for(param, &quote!('k))
}

/// Like [`body_type`], with an anonymous lifetime.
pub(super) fn anonymous_type(param: &Param) -> TokenStream {
    type_for(param, &quote!('_))
}

fn type_for(param: &Param, lifetime: &TokenStream) -> TokenStream {
    type_of(&param.kind, lifetime)
}

fn type_of(kind: &ParamKind, lifetime: &TokenStream) -> TokenStream {
    let handle = |name: TokenStream, target: &Type, mutable: bool| {
        let access = access(mutable);
        quote_spanned!(target.span()=> ::cumbia::__private::#name<#lifetime, #target, #access>)
    };
    match kind {
        ParamKind::Value(ty) => quote!(#ty),
        ParamKind::Argument(ty) => argument(ty, &quote_spanned!(ty.span()=> Handle<#lifetime>)),
        ParamKind::ArgumentRef(ty) => argument(ty, &quote_spanned!(ty.span()=> Shared<#lifetime>)),
        ParamKind::Tuple(_, parts) => {
            let parts = parts.iter().map(|part| type_of(part, lifetime));
            quote!((#(#parts,)*))
        }
        ParamKind::Array(TypeArray { len, .. }, element) => {
            let element = type_of(element, lifetime);
            quote!(::cumbia::__private::Handles<#element, { #len }>)
        }
        ParamKind::Slice(element) => handle(quote!(Slice), element, false),
        ParamKind::SliceMut(element) => handle(quote!(Slice), element, true),
        ParamKind::Ref(target) => handle(quote!(PlaceRef), target, false),
        ParamKind::RefMut(target) => handle(quote!(PlaceRef), target, true),
        ParamKind::View { element, dimensions, mutable } => {
            let (access, dimensions) = (access(*mutable), usize::from(*dimensions));
            quote_spanned!(element.span()=> ::cumbia::__private::View<#lifetime, #element, #dimensions, #access>)
        }
        ParamKind::Rejected => quote!(()),
    }
}

/// Converts an argument of the host function to the type in the body.
pub(super) fn from_host(param: &Param) -> TokenStream {
    on_host(&param.kind, value(param))
}

fn on_host(kind: &ParamKind, name: TokenStream) -> TokenStream {
    match kind {
        ParamKind::Value(_) | ParamKind::Rejected => name,
        ParamKind::Argument(ty) => argument(ty, &quote_spanned!(ty.span()=> on_host(#name))),
        ParamKind::ArgumentRef(ty) => argument(ty, &quote_spanned!(ty.span()=> shared_on_host(#name))),
        ParamKind::Tuple(_, parts) => converted(parts, &name, on_host),
        ParamKind::Array(_, element) => {
            let each = Ident::new("__element", Span::mixed_site());
            let element = on_host(element, quote!(#each));
            quote!(::cumbia::__private::Handles::new(#name.map(|#each| #element)))
        }
        ParamKind::Slice(_) => quote!(::cumbia::__private::Slice::<_, ::cumbia::__private::Read>::from_host(#name)),
        ParamKind::SliceMut(_) => {
            quote!(::cumbia::__private::Slice::<_, ::cumbia::__private::Write>::from_host_mut(#name))
        }
        ParamKind::Ref(_) => quote!(::cumbia::__private::PlaceRef::<_, ::cumbia::__private::Read>::from_ref(#name)),
        ParamKind::RefMut(_) => quote!(::cumbia::__private::PlaceRef::<_, ::cumbia::__private::Write>::from_mut(#name)),
        ParamKind::View { element: _, dimensions: _, mutable: false } => {
            quote!(::cumbia::__private::host_view(::cumbia::ReadView::bind(#name)))
        }
        ParamKind::View { element: _, dimensions: _, mutable: true } => {
            quote!(::cumbia::__private::host_view(::cumbia::WriteView::bind(#name)))
        }
    }
}

/// Converts the receiver of a hidden function to the type in the body. The call context `call` carries the place of a
/// receiver in memory.
pub(super) fn from_receiver(param: &Param, call: &Ident) -> TokenStream {
    let Param { name, this, .. } = param;
    match &param.kind {
        ParamKind::Ref(_) => {
            quote!(::cumbia::__private::PlaceRef::<_, ::cumbia::__private::Read>::of_receiver(#this, #call))
        }
        ParamKind::RefMut(_) => {
            quote!(::cumbia::__private::PlaceRef::<_, ::cumbia::__private::Write>::of_receiver_mut(#this, #call))
        }
        ParamKind::Argument(_) => quote!(#name),
        ParamKind::ArgumentRef(ty) => quote_spanned!(ty.span()=> ::cumbia::__private::Share::share(#name)),
        // As in `receiver`.
        ParamKind::Value(_)
        | ParamKind::Rejected
        | ParamKind::Slice(_)
        | ParamKind::SliceMut(_)
        | ParamKind::Tuple(..)
        | ParamKind::Array(..)
        | ParamKind::View { element: _, dimensions: _, mutable: _ } => quote!(#this),
    }
}

/// Converts each part of a tuple.
fn converted(
    parts: &[ParamKind],
    tuple: &TokenStream,
    convert: fn(&ParamKind, TokenStream) -> TokenStream,
) -> TokenStream {
    let names: Vec<Ident> = (0..parts.len()).map(|i| Ident::new(&format!("__part{i}"), Span::mixed_site())).collect();
    let parts = parts.iter().zip(&names).map(|(part, name)| convert(part, quote!(#name)));
    quote!({ let (#(#names,)*) = #tuple; (#(#parts,)*) })
}

/// Returns an item of a struct with `#[derive(KernelArgument)]`.
pub(super) fn argument(ty: &Type, item: &TokenStream) -> TokenStream {
    let argument = as_argument(ty);
    quote_spanned!(ty.span()=> #argument::#item)
}

/// Returns a parameter of the function that a call in a kernel resolves to. It accepts any argument that converts to
/// the declared type.
pub(super) fn call_param(param: &Param) -> TokenStream {
    let (name, ty) = (&param.name, call_type(&param.kind));
    match &param.kind {
        ParamKind::Value(_) | ParamKind::Rejected => quote!(#name: #ty),
        _ => quote_spanned!(param.span()=> #name: #ty),
    }
}

/// Returns the type of such a parameter, or, with `true`, the bound of its type. `None` for a tuple, whose parts have bounds.
pub(super) fn bound_of_call(param: &Param) -> Option<(TokenStream, bool)> {
    let ty = call_type(&param.kind);
    match &param.kind {
        ParamKind::Value(_) | ParamKind::Argument(_) => Some((ty, false)),
        ParamKind::Tuple(..) | ParamKind::Rejected => None,
        ParamKind::Slice(_)
        | ParamKind::SliceMut(_)
        | ParamKind::Ref(_)
        | ParamKind::RefMut(_)
        | ParamKind::View { element: _, dimensions: _, mutable: _ }
        | ParamKind::ArgumentRef(_)
        | ParamKind::Array(..) => Some((ty.into_iter().skip(1).collect(), true)), // without `impl`
    }
}

pub(super) fn call_type(kind: &ParamKind) -> TokenStream {
    match kind {
        ParamKind::Value(ty) => quote!(#ty),
        ParamKind::Slice(element) => {
            quote_spanned!(element.span()=> impl ::cumbia::__private::IntoSlice<'k, Element = #element>)
        }
        ParamKind::SliceMut(element) => {
            quote_spanned!(element.span()=> impl ::cumbia::__private::IntoSliceMut<'k, Element = #element>)
        }
        ParamKind::Ref(target) => {
            quote_spanned!(target.span()=> impl ::cumbia::__private::IntoPlace<'k, #target>)
        }
        ParamKind::RefMut(target) => {
            quote_spanned!(target.span()=> impl ::cumbia::__private::IntoPlaceMut<'k, #target>)
        }
        ParamKind::View { element, dimensions, mutable } => {
            let (into, dimensions) = (into_view(*mutable), usize::from(*dimensions));
            quote_spanned!(element.span()=> impl ::cumbia::__private::#into<'k, #dimensions, Element = #element>)
        }
        ParamKind::Argument(ty) => argument(ty, &quote_spanned!(ty.span()=> Handle<'k>)),
        ParamKind::ArgumentRef(ty) => {
            let shared = argument(ty, &quote_spanned!(ty.span()=> Shared<'k>));
            quote_spanned!(ty.span()=> impl ::cumbia::__private::IntoShared<#shared>)
        }
        ParamKind::Tuple(_, parts) => {
            let parts = parts.iter().map(call_type);
            quote!((#(#parts,)*))
        }
        ParamKind::Array(ty, _) => {
            let handles = type_of(kind, &quote!('k));
            quote_spanned!(ty.span()=> impl ::cumbia::__private::IntoHandles<#handles>)
        }
        ParamKind::Rejected => quote!(impl ::core::marker::Sized),
    }
}

fn into_view(mutable: bool) -> TokenStream {
    if mutable { quote!(IntoViewMut) } else { quote!(IntoView) }
}

/// Converts an argument of such a call to the type in the body.
pub(super) fn from_call(param: &Param) -> TokenStream {
    let name = &param.name;
    called_with(&param.kind, quote!(#name))
}

fn called_with(kind: &ParamKind, name: TokenStream) -> TokenStream {
    match kind {
        ParamKind::Value(_) | ParamKind::Argument(_) => name,
        ParamKind::ArgumentRef(_) => quote!(::cumbia::__private::IntoShared::into_shared(#name)),
        ParamKind::Tuple(_, parts) => converted(parts, &name, called_with),
        ParamKind::Array(..) => quote!(::cumbia::__private::IntoHandles::into_handles(#name)),
        ParamKind::Slice(_) => quote!(::cumbia::__private::IntoSlice::into_slice(#name)),
        ParamKind::SliceMut(_) => quote!(::cumbia::__private::IntoSliceMut::into_slice_mut(#name)),
        ParamKind::Ref(_) => quote!(::cumbia::__private::IntoPlace::into_place(#name)),
        ParamKind::RefMut(_) => quote!(::cumbia::__private::IntoPlaceMut::into_place_mut(#name)),
        ParamKind::View { element: _, dimensions: _, mutable: false } => {
            quote!(::cumbia::__private::IntoView::into_view(#name))
        }
        ParamKind::View { element: _, dimensions: _, mutable: true } => {
            quote!(::cumbia::__private::IntoViewMut::into_view_mut(#name))
        }
        ParamKind::Rejected => quote!(()),
    }
}

/// Returns the parameter's value in a function of the `impl`, where a receiver is `self`.
fn value(param: &Param) -> TokenStream {
    let name = &param.name;
    param.this.map_or_else(|| quote!(#name), |this| quote!(#this))
}

/// Returns the receiver, if there is one, and the other parameters.
pub(super) fn split_receiver(signature: &Signature) -> (Option<&Param>, &[Param]) {
    match signature.params.split_first() {
        Some((first, rest)) if first.this.is_some() => (Some(first), rest),
        _ => (None, &signature.params),
    }
}

/// Returns the receiver of a generated function: `self`, `&self` or `&mut self`. A struct of arrays is an ordinary parameter,
/// since its type in a kernel is not that of the `impl`; a reference to one is also the receiver of a method by value.
pub(super) fn receiver(param: &Param) -> TokenStream {
    let Param { name, this, .. } = param;
    match &param.kind {
        ParamKind::Ref(_) => quote!(&'k #this),
        ParamKind::RefMut(_) => quote!(&'k mut #this),
        ParamKind::Argument(_) => {
            let ty = body_type(param);
            quote!(#name: #ty)
        }
        ParamKind::ArgumentRef(argument) => {
            let ty = body_type(param);
            quote_spanned!(argument.span()=> #name: impl ::cumbia::__private::Share<Shared = #ty>)
        }
        // A receiver is a value, and never a slice or a view.
        ParamKind::Value(_)
        | ParamKind::Rejected
        | ParamKind::Slice(_)
        | ParamKind::SliceMut(_)
        | ParamKind::Tuple(..)
        | ParamKind::Array(..)
        | ParamKind::View { element: _, dimensions: _, mutable: _ } => quote!(#this),
    }
}

/// Returns the type of a receiver that is passed as an ordinary parameter: a handle of its place, or `this` if it is by
/// value.
pub(super) fn received(param: &Param, this: &TokenStream, lifetime: &TokenStream) -> TokenStream {
    let place = |mutable| {
        let access = access(mutable);
        quote!(::cumbia::__private::PlaceRef<#lifetime, #this, #access>)
    };
    match &param.kind {
        ParamKind::Ref(_) => place(false),
        ParamKind::RefMut(_) => place(true),
        // As in `receiver`.
        ParamKind::Value(_)
        | ParamKind::Rejected
        | ParamKind::Slice(_)
        | ParamKind::SliceMut(_)
        | ParamKind::Argument(_)
        | ParamKind::ArgumentRef(_)
        | ParamKind::Tuple(..)
        | ParamKind::Array(..)
        | ParamKind::View { element: _, dimensions: _, mutable: _ } => this.clone(),
    }
}

/// Returns the patterns of the parameters in the body.
pub(super) fn patterns(signature: &Signature) -> impl Iterator<Item = TokenStream> {
    signature.params.iter().map(|Param { name, mutable, .. }| {
        let mutability = mutable.then(|| quote!(mut));
        quote!(#mutability #name)
    })
}

/// Returns the parameters of the host function as declared, without `mut`, which applies to the body.
pub(super) fn host_inputs(signature: &syn::Signature) -> TokenStream {
    let inputs = signature.inputs.iter().map(|input| match input {
        syn::FnArg::Typed(input) => {
            let syn::Pat::Ident(pat) = &*input.pat else { return quote!(#input) };
            let (name, ty): (&Ident, _) = (&pat.ident, &input.ty);
            quote!(#name: #ty)
        }
        syn::FnArg::Receiver(receiver) => {
            let mut receiver = receiver.clone();
            receiver.mutability = None;
            quote!(#receiver)
        }
    });
    quote!(#(#inputs),*)
}
