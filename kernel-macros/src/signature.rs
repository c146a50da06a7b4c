//! The signature of a kernel or device function: its parameters and what they are on each side.

use proc_macro2::Span;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{
    FnArg, GenericParam, Ident, ItemFn, Pat, PatIdent, ReturnType, Safety, Signature as SynSignature, Type, TypePath,
    TypeReference, TypeSlice, parse_quote,
};

use crate::report::Errors;
use crate::rules::{self, Rule};

/// A signature that the device understands.
pub(crate) struct Signature {
    /// The function's name.
    pub(crate) name: Ident,
    /// In order.
    pub(crate) params: Vec<Param>,
    /// The declared result, for a device function that has one.
    pub(crate) result: Option<Type>,
    /// The names of the type parameters.
    pub(crate) types: Vec<Ident>,
}

/// A parameter.
pub(crate) struct Param {
    /// Its name.
    pub(crate) name: Ident,
    /// Declared `mut`.
    pub(crate) mutable: bool,
    /// What it is.
    pub(crate) kind: ParamKind,
}

/// What a parameter is.
pub(crate) enum ParamKind {
    /// A value of this type.
    Value(Type),
    /// `&[T]`
    Slice(Type),
    /// `&mut [T]`
    SliceMut(Type),
    /// A type that was refused.
    Refused,
}

impl Param {
    /// Where an error about the parameter's type is shown: at the type.
    pub(crate) fn span(&self) -> Span {
        match &self.kind {
            ParamKind::Value(ty) | ParamKind::Slice(ty) | ParamKind::SliceMut(ty) => ty.span(),
            ParamKind::Refused => self.name.span(),
        }
    }

    /// The name as the user thinks of it.
    pub(crate) fn text(&self) -> String {
        self.name.unraw().to_string()
    }
}

/// Reads a kernel's signature.
pub(crate) fn of_kernel(function: &ItemFn, errors: &mut Errors) -> Signature {
    let mut signature = read(&function.sig, true, errors);
    if let ReturnType::Type(_, result) = &function.sig.output {
        if !is_unit(result) {
            errors.refuse(result, &rules::KERNEL_RESULT);
        }
        signature.result = None;
    }
    signature
}

/// Reads a device function's signature.
pub(crate) fn of_device_function(function: &ItemFn, errors: &mut Errors) -> Signature {
    read(&function.sig, false, errors)
}

fn read(signature: &SynSignature, kernel: bool, errors: &mut Errors) -> Signature {
    refuse_qualifiers(signature, errors);
    let mut types = Vec::new();
    for param in &signature.generics.params {
        match param {
            GenericParam::Lifetime(lifetime) => errors.refuse(lifetime, &rules::LIFETIME),
            GenericParam::Type(ty) => {
                if ty.bounds.is_empty() && signature.generics.where_clause.is_none() {
                    errors.refuse_named(ty, &rules::UNBOUNDED_TYPE, &ty.ident);
                }
                types.push(ty.ident.clone());
            }
            GenericParam::Const(_) => {}
        }
    }
    // A lifetime that is declared was refused there.
    let lifetimes = signature.generics.lifetimes().next().is_some();
    let params = signature.inputs.iter().filter_map(|input| param(input, lifetimes, errors)).collect();
    let result = match &signature.output {
        ReturnType::Type(_, result) if !is_unit(result) => {
            if !kernel && !is_value(result) {
                errors.refuse_named(result, &rules::RESULT_TYPE, &text_of(result));
                Some(parse_quote!(!)) // fits wherever the stub is called
            } else {
                Some((**result).clone())
            }
        }
        ReturnType::Type(..) | ReturnType::Default => None,
    };
    Signature { name: signature.ident.clone(), params, result, types }
}

fn refuse_qualifiers(signature: &SynSignature, errors: &mut Errors) {
    let mut refuse = |span: Option<Span>, rule: &Rule| {
        if let Some(span) = span {
            errors.refuse_at(span, rule);
        }
    };
    refuse(signature.asyncness.as_ref().map(Spanned::span), &rules::ASYNC_FN);
    refuse(signature.constness.as_ref().map(Spanned::span), &rules::CONST_FN);
    refuse(signature.abi.as_ref().map(Spanned::span), &rules::EXTERN_FN);
    refuse(signature.variadic.as_ref().map(Spanned::span), &rules::VARIADIC);
    match &signature.safety {
        Safety::Unsafe(token) => refuse(Some(token.span()), &rules::UNSAFE_FN),
        Safety::Safe(token) => refuse(Some(token.span()), &rules::UNSAFE_FN),
        Safety::Default => {}
    }
}

fn param(input: &FnArg, lifetimes: bool, errors: &mut Errors) -> Option<Param> {
    let input = match input {
        FnArg::Receiver(receiver) => {
            errors.refuse(receiver, &rules::SELF);
            return None;
        }
        FnArg::Typed(input) => input,
    };
    let Pat::Ident(PatIdent { by_ref: None, mutability, ident, subpat: None, .. }) = &*input.pat else {
        errors.refuse(&input.pat, &rules::PARAMETER_PATTERN);
        return None;
    };
    let kind = kind(&input.ty, lifetimes, errors);
    Some(Param { name: ident.clone(), mutable: mutability.is_some(), kind })
}

fn kind(ty: &Type, lifetimes: bool, errors: &mut Errors) -> ParamKind {
    match ty {
        Type::Reference(TypeReference { lifetime, mutability, elem, .. }) => {
            let Type::Slice(TypeSlice { elem, .. }) = &**elem else {
                errors.refuse_named(ty, &rules::PARAMETER_TYPE, &text_of(ty));
                return ParamKind::Refused;
            };
            if let Some(lifetime) = lifetime
                && !lifetimes
            {
                errors.refuse(lifetime, &rules::LIFETIME);
            }
            let element = (**elem).clone();
            if mutability.is_some() { ParamKind::SliceMut(element) } else { ParamKind::Slice(element) }
        }
        Type::Paren(inner) => kind(&inner.elem, lifetimes, errors),
        Type::Group(inner) => kind(&inner.elem, lifetimes, errors),
        ty if is_value(ty) => ParamKind::Value(ty.clone()),
        _ => {
            errors.refuse_named(ty, &rules::PARAMETER_TYPE, &text_of(ty));
            ParamKind::Refused
        }
    }
}

/// Whether a value of the type may be on the device, as far as its tokens tell. The rest rustc says.
fn is_value(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => heap_type(path).is_none(),
        Type::Paren(inner) => is_value(&inner.elem),
        Type::Group(inner) => is_value(&inner.elem),
        _ => false,
    }
}

/// The name of a type that allocates, if `path` is one.
fn heap_type(path: &TypePath) -> Option<&Ident> {
    let last = &path.path.segments.last()?.ident;
    is_heap_name(&last.to_string()).then_some(last)
}

/// Whether a standard type of this name allocates.
pub(crate) fn is_heap_name(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "String",
        "Vec",
        "Box",
        "Rc",
        "Arc",
        "VecDeque",
        "HashMap",
        "HashSet",
        "BTreeMap",
        "BTreeSet",
        "BinaryHeap",
        "Cow",
    ];
    NAMES.contains(&name)
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// A type as the user would write it.
fn text_of(ty: &Type) -> String {
    let mut text = quote!(#ty).to_token_stream().to_string();
    for (tokens, written) in [
        ("& ", "&"),
        ("* ", "*"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
        (" ;", ";"),
        (" ::", "::"),
        (":: ", "::"),
    ] {
        text = text.replace(tokens, written);
    }
    text
}
