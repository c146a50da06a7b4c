//! Signatures of kernels, device functions and methods: their parameters, and the representation of each on the device.

use cumbia_kernel_ir as ir;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    FnArg, GenericArgument, GenericParam, Generics, Ident, Lifetime, Pat, PatIdent, Path, PathArguments, Receiver,
    ReceiverKind, ReturnType, Safety, Signature as SynSignature, Token, Type, TypeArray, TypeGroup, TypeParamBound,
    TypeParen, TypePath, TypeReference, TypeSlice, TypeTuple, WherePredicate, parse_quote,
};

use crate::identity::may_be_declared;
use crate::options::LinkedFile;
use crate::position;
use crate::report::Errors;
use crate::rules::{self, Rule};
use crate::this::{self, This};

/// A parsed signature.
#[derive(Clone)]
pub(crate) struct Signature {
    /// The function's name.
    pub(crate) name: Ident,
    /// The name in the device code, which for a method includes that of its type.
    pub(crate) device_name: String,
    /// The path inside the module: `Type::name` for a method.
    pub(crate) path: String,
    /// Whether the function is a kernel.
    pub(crate) kernel: bool,
    /// Whether the function is an associated item of an `impl` or a `trait`, which its bare name does not refer to.
    pub(crate) associated: bool,
    /// The parameters in order, the receiver first.
    pub(crate) params: Vec<Param>,
    /// The names of the aliases for the types of parameters: see `expand::params::aliased`.
    pub(crate) aliases: Vec<Option<Ident>>,
    /// The declared result type of a device function, if it is not `()`.
    pub(crate) result: Option<Type>,
    /// The names of the type parameters.
    pub(crate) types: Vec<Ident>,
    /// The paths of the parameter types that are views.
    pub(crate) views: Vec<Path>,
    /// The body in CUDA C or in a linked file, if there is one.
    pub(crate) foreign: Option<Foreign>,
    /// The place of the function in the source.
    pub(crate) scope: Scope,
}

/// The place of a function in the source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// An item, of a module or of a block: no one expects it to see the variables around it.
    Module,
    /// An operator of `device_fn!`, which looks like a closure.
    Expression,
}

/// The bodies of a function with a body in CUDA C or in a linked file, which are not lowered.
#[derive(Clone)]
pub(crate) struct Foreign {
    /// The definition on a GPU.
    pub(crate) device: ir::Foreign,
    /// The linked files.
    pub(crate) files: Vec<LinkedFile>,
    /// The expression that computes the result on the CPU from the parameters.
    pub(crate) cpu: TokenStream,
}

/// A parameter.
#[derive(Clone)]
pub(crate) struct Param {
    /// The name.
    pub(crate) name: Ident,
    /// The `self` token, if it is the receiver.
    pub(crate) this: Option<Token![self]>,
    /// Declared `mut`.
    pub(crate) mutable: bool,
    /// The kind of parameter.
    pub(crate) kind: ParamKind,
}

/// The kind of a parameter.
#[derive(Clone)]
pub(crate) enum ParamKind {
    /// A value of this type.
    Value(Type),
    /// `&[T]`
    Slice(Type),
    /// `&mut [T]`
    SliceMut(Type),
    /// `&T`, `&self`; not in a kernel.
    Ref(Type),
    /// `&mut T`, `&mut self`; not in a kernel.
    RefMut(Type),
    /// A view such as `ArrayView2<T>` or `ArrayViewMut2<T>`.
    View {
        /// The element type.
        element: Type,
        /// The number of dimensions: 0 to 4.
        dimensions: u8,
        /// `ArrayViewMut2<T>`
        mutable: bool,
    },
    /// A struct with `#[derive(KernelArgument)]`: a type with the lifetime `'_`.
    Argument(Type),
    /// `&Particles<'_>`, `&self` of such a struct: the type behind the reference; not in a kernel.
    ArgumentRef(Type),
    /// `(&[T], ArrayView2<U>)`: the type, and the kind of each part.
    Tuple(Type, Vec<ParamKind>),
    /// `[&[T]; N]`: the type, and the kind of the elements.
    Array(TypeArray, Box<ParamKind>),
    /// A type that was rejected.
    Rejected,
}

impl ParamKind {
    /// Calls `visit` with the type of each part.
    pub(crate) fn visit_mut(&mut self, visit: &mut impl FnMut(&mut Type)) {
        match self {
            ParamKind::Value(ty)
            | ParamKind::Slice(ty)
            | ParamKind::SliceMut(ty)
            | ParamKind::Ref(ty)
            | ParamKind::RefMut(ty)
            | ParamKind::Argument(ty)
            | ParamKind::ArgumentRef(ty)
            | ParamKind::View { element: ty, dimensions: _, mutable: _ } => visit(ty),
            ParamKind::Tuple(_, parts) => parts.iter_mut().for_each(|part| part.visit_mut(visit)),
            ParamKind::Array(_, element) => element.visit_mut(visit),
            ParamKind::Rejected => {}
        }
    }

    /// Calls `visit` with the type of each part.
    pub(crate) fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Type)) {
        match self {
            ParamKind::Value(ty)
            | ParamKind::Slice(ty)
            | ParamKind::SliceMut(ty)
            | ParamKind::Ref(ty)
            | ParamKind::RefMut(ty)
            | ParamKind::Argument(ty)
            | ParamKind::ArgumentRef(ty)
            | ParamKind::View { element: ty, dimensions: _, mutable: _ } => visit(ty),
            ParamKind::Tuple(_, parts) => parts.iter().for_each(|part| part.visit(visit)),
            ParamKind::Array(_, element) => element.visit(visit),
            ParamKind::Rejected => {}
        }
    }
}

impl Param {
    /// Returns the span of the parameter's type, at which errors about it are shown.
    pub(crate) fn span(&self) -> Span {
        match &self.kind {
            ParamKind::Array(ty, _) => ty.span(),
            ParamKind::Value(ty)
            | ParamKind::Argument(ty)
            | ParamKind::ArgumentRef(ty)
            | ParamKind::Tuple(ty, _)
            | ParamKind::Slice(ty)
            | ParamKind::SliceMut(ty)
            | ParamKind::Ref(ty)
            | ParamKind::RefMut(ty)
            | ParamKind::View { element: ty, dimensions: _, mutable: _ } => ty.span(),
            ParamKind::Rejected => self.name.span(),
        }
    }

    /// Returns the name in messages.
    pub(crate) fn shown(&self) -> String {
        if self.this.is_some() { "self".to_owned() } else { self.text() }
    }

    /// Returns the name without a raw prefix.
    pub(crate) fn text(&self) -> String {
        self.name.unraw().to_string()
    }
}

/// The role of a function, which determines the kinds of parameters that it can have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Kernel,
    Function,
    Associated,
}

/// Parses a kernel's signature.
pub(crate) fn of_kernel(signature: &SynSignature, errors: &mut Errors) -> Signature {
    let mut read = read(signature, Role::Kernel, errors);
    if let ReturnType::Type(_, result) = &signature.output {
        if !is_unit(result) {
            errors.reject(result, &rules::KERNEL_RESULT);
        }
        read.result = None;
    }
    read
}

/// Parses a device function's signature.
pub(crate) fn of_device_function(signature: &SynSignature, errors: &mut Errors) -> Signature {
    read(signature, Role::Function, errors)
}

/// Parses the signature of a method or an associated function. `owner` is the name of its type in messages, and `argument` the
/// type if it is a struct of arrays.
pub(crate) fn of_method(
    signature: &SynSignature,
    owner: &str,
    argument: Option<&Type>,
    errors: &mut Errors,
) -> Signature {
    let mut read = read(signature, Role::Associated, errors);
    if let (Some(argument), Some(Param { this: Some(this), kind, .. })) = (argument, read.params.first_mut()) {
        match kind {
            ParamKind::Value(_) => *kind = ParamKind::Argument(argument.clone()),
            ParamKind::Ref(_) => *kind = ParamKind::ArgumentRef(argument.clone()),
            ParamKind::RefMut(_) => {
                errors.reject_named(this, &rules::ARGUMENT_RECEIVER, &text_of(argument));
                *kind = ParamKind::Rejected;
            }
            _ => {}
        }
    }
    read.device_name = format!("{owner}_{}", read.device_name);
    read.path = format!("{owner}::{}", read.path);
    read
}

impl Signature {
    /// Returns the type parameter that a type is, with the span of its declaration.
    pub(crate) fn type_param(&self, ty: &Type) -> Option<&Ident> {
        let Type::Path(TypePath { qself: None, path, .. }) = ty else { return None };
        let name = path.get_ident()?;
        self.types.iter().find(|param| *param == name)
    }

    /// Returns the span of the items that name the types of the parameters: that of the only struct of arrays. rustc reports a struct
    /// that lacks its derive in each of these items, and merges the errors if the spans are the same.
    pub(crate) fn argument_span(&self) -> Span {
        position::of_only(self.params.iter().filter_map(|param| match &param.kind {
            ParamKind::Argument(ty) | ParamKind::ArgumentRef(ty) => Some(ty.span()),
            _ => None,
        }))
    }

    /// Returns the signature with the type substituted for `Self`, as the body uses it.
    pub(crate) fn with(&self, this: &mut This) -> Signature {
        let mut signature = self.clone();
        for param in &mut signature.params {
            // An invalid receiver type is reported once, at the type, and not at each receiver.
            if let (true, ParamKind::Value(ty) | ParamKind::Ref(ty) | ParamKind::RefMut(ty)) =
                (param.this.is_some(), &mut param.kind)
            {
                ty.clone_from(&this.ty);
                continue;
            }
            param.kind.visit_mut(&mut |ty| this.visit_type_mut(ty));
        }
        if let Some(result) = &mut signature.result {
            this.visit_type_mut(result);
        }
        signature
    }
}

fn read(signature: &SynSignature, role: Role, errors: &mut Errors) -> Signature {
    reject_qualifiers(signature, errors);
    let mut types = Vec::new();
    for param in &signature.generics.params {
        match param {
            GenericParam::Lifetime(param) => match argument_with(signature, &param.lifetime) {
                Some(ty) => {
                    errors.reject_named(param, &rules::LIFETIME_OF_ARGUMENT, &text_of(&with_lifetime(ty, "'_")));
                }
                None => errors.reject(param, &rules::LIFETIME),
            },
            GenericParam::Type(ty) => {
                if ty.bounds.is_empty() && signature.generics.where_clause.is_none() {
                    errors.reject_named(ty, &rules::UNBOUNDED_TYPE, &ty.ident);
                }
                types.push(ty.ident.clone());
            }
            GenericParam::Const(_) => {}
        }
    }
    let closures = closure_types(signature, errors);
    // Declared lifetimes have been rejected already.
    let lifetimes = signature.generics.lifetimes().next().is_some();
    let mut params: Vec<Param> =
        signature.inputs.iter().filter_map(|input| param(input, role, lifetimes, errors)).collect();
    for param in &mut params {
        if let ParamKind::Value(Type::Path(path)) = &param.kind
            && path.path.get_ident().is_some_and(|ty| closures.contains(ty))
        {
            param.kind = ParamKind::Rejected;
        }
    }
    let result = match &signature.output {
        ReturnType::Type(_, result) if !is_unit(result) => {
            if role != Role::Kernel && !is_value(result) {
                errors.reject_named(result, &rules::RESULT_TYPE, &text_of(result));
                Some(parse_quote!(!)) // coerces to any type where the stub is called
            } else {
                Some((**result).clone())
            }
        }
        ReturnType::Type(..) | ReturnType::Default => None,
    };
    Signature {
        name: signature.ident.clone(),
        device_name: signature.ident.unraw().to_string(),
        path: signature.ident.unraw().to_string(),
        kernel: role == Role::Kernel,
        associated: role == Role::Associated,
        aliases: aliases(&params, role, &signature.generics),
        params,
        result,
        types,
        views: view_paths(signature),
        foreign: None,
        scope: Scope::Module,
    }
}

/// Returns the name of the alias for the type of each parameter that is a value and may lack its lifetime: rustc has to decide that if
/// the type is a path that is not generic over the parameters of the function.
fn aliases(params: &[Param], role: Role, generics: &Generics) -> Vec<Option<Ident>> {
    let may_lack_lifetime = |ty: &Type| {
        let mut params = generics.params.iter().filter_map(|param| match param {
            GenericParam::Type(param) => Some(&param.ident),
            GenericParam::Const(param) => Some(&param.ident),
            GenericParam::Lifetime(_) => None,
        });
        may_be_declared(ty) && !params.any(|param| mentions(ty.to_token_stream(), param))
    };
    let alias = |(position, param): (usize, &Param)| match &param.kind {
        ParamKind::Value(ty) | ParamKind::Ref(ty) | ParamKind::RefMut(ty)
            if role != Role::Associated && may_lack_lifetime(ty) =>
        {
            Some(Ident::new(&format!("__Parameter{position}"), ty.span()))
        }
        _ => None,
    };
    params.iter().enumerate().map(alias).collect()
}

/// Returns whether the tokens contain an identifier.
pub(crate) fn mentions(tokens: TokenStream, ident: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(other) => other == *ident,
        TokenTree::Group(group) => mentions(group.stream(), ident),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Rejects the bounds of type parameters that are traits of closures, and returns these type parameters.
fn closure_types(signature: &SynSignature, errors: &mut Errors) -> Vec<Ident> {
    let mut closures = Vec::new();
    let mut reject = |ty: &Ident, bounds: &Punctuated<TypeParamBound, Token![+]>| {
        if let Some(bound) = closure_bound(bounds) {
            errors.reject_named(bound, &rules::CLOSURE_PARAMETER, &text_of(bound));
            closures.push(ty.clone());
        }
    };
    for param in signature.generics.type_params() {
        reject(&param.ident, &param.bounds);
    }
    for predicate in signature.generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Type(predicate) = predicate
            && let Type::Path(path) = &predicate.bounded_ty
            && let Some(ty) = path.path.get_ident()
        {
            reject(ty, &predicate.bounds);
        }
    }
    closures
}

/// Returns the bound that is a trait of closures, such as `Fn(f32) -> f32`, if there is one.
fn closure_bound(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Option<&TypeParamBound> {
    bounds.iter().find(|bound| {
        let TypeParamBound::Trait(bound) = bound else { return false };
        bound.path.segments.last().is_some_and(|last| {
            // No trait of a user's takes its arguments in parentheses.
            matches!(last.arguments, PathArguments::Parenthesized(_))
                && ["Fn", "FnMut", "FnOnce"].iter().any(|name| last.ident == name)
        })
    })
}

fn reject_qualifiers(signature: &SynSignature, errors: &mut Errors) {
    let mut reject = |span: Option<Span>, rule: &Rule| {
        if let Some(span) = span {
            errors.reject_at(span, rule);
        }
    };
    reject(signature.asyncness.as_ref().map(Spanned::span), &rules::ASYNC_FN);
    reject(signature.constness.as_ref().map(Spanned::span), &rules::CONST_FN);
    reject(signature.abi.as_ref().map(Spanned::span), &rules::EXTERN_FN);
    reject(signature.variadic.as_ref().map(Spanned::span), &rules::VARIADIC);
    match &signature.safety {
        Safety::Unsafe(token) => reject(Some(token.span()), &rules::UNSAFE_FN),
        Safety::Safe(token) => reject(Some(token.span()), &rules::UNSAFE_FN),
        Safety::Default => {}
    }
}

fn param(input: &FnArg, role: Role, lifetimes: bool, errors: &mut Errors) -> Option<Param> {
    let input = match input {
        FnArg::Receiver(receiver) if role == Role::Associated => return Some(this_param(receiver, errors)),
        FnArg::Receiver(receiver) => {
            errors.reject(receiver, &rules::SELF);
            return None;
        }
        FnArg::Typed(input) => input,
    };
    let Pat::Ident(PatIdent { by_ref: None, mutability, ident, subpat: None, .. }) = &*input.pat else {
        errors.reject(&input.pat, &rules::PARAMETER_PATTERN);
        return None;
    };
    let kind = kind(&input.ty, role, lifetimes, errors);
    Some(Param { name: ident.clone(), this: None, mutable: mutability.is_some(), kind })
}

/// `self`, `&self` or `&mut self`
fn this_param(receiver: &Receiver, errors: &mut Errors) -> Param {
    let span = receiver.self_token.span();
    let this: Type = parse_quote! {Self};
    let this = this::located(this, span);
    let kind = match &receiver.kind {
        ReceiverKind::Value => ParamKind::Value(this),
        ReceiverKind::Reference(_, lifetime, mutability) => {
            if let Some(lifetime) = lifetime {
                errors.reject(lifetime, &rules::LIFETIME);
            }
            if mutability.is_some() { ParamKind::RefMut(this) } else { ParamKind::Ref(this) }
        }
        ReceiverKind::Typed(_, ty) if is_this(ty) => ParamKind::Value(this),
        // Receivers such as `self: Box<Self>`, and future variants of `syn::ReceiverKind`.
        _ => {
            errors.reject(receiver, &rules::RECEIVER);
            ParamKind::Rejected
        }
    };
    Param { name: this::name(span), this: Some(receiver.self_token), mutable: receiver.mutability.is_some(), kind }
}

fn is_this(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("Self"))
}

fn kind(ty: &Type, role: Role, lifetimes: bool, errors: &mut Errors) -> ParamKind {
    match ty {
        Type::Reference(TypeReference { lifetime, mutability, elem, .. }) => {
            if let Some(lifetime) = lifetime
                && !lifetimes
            {
                errors.reject(lifetime, &rules::LIFETIME);
            }
            if let Some(rule) = unsupported_referent(elem) {
                errors.reject_named(ty, rule, &text_of(ty));
                return ParamKind::Rejected;
            }
            if let Some(argument) = argument(elem) {
                return reference_to_argument(ty, argument, mutability.is_some(), role, lifetimes, errors);
            }
            let kind = target(elem, mutability.is_some());
            match &kind {
                ParamKind::Ref(_) | ParamKind::RefMut(_) if role == Role::Kernel && is_array(elem) => {
                    errors.reject_named(ty, &rules::ARRAY_PARAMETER, &text_of(ty));
                    return ParamKind::Rejected;
                }
                ParamKind::Ref(_) | ParamKind::RefMut(_) if role == Role::Kernel => {
                    errors.reject_named(ty, &rules::REFERENCE_PARAMETER, &text_of(elem));
                    return ParamKind::Rejected;
                }
                ParamKind::View { .. } => errors.reject_named(ty, &rules::VIEW_REFERENCE, &text_of(elem)),
                ParamKind::Rejected => errors.reject_named(ty, &rules::PARAMETER_TYPE, &text_of(ty)),
                ParamKind::Slice(target)
                | ParamKind::SliceMut(target)
                | ParamKind::Ref(target)
                | ParamKind::RefMut(target)
                    if let Some(option) = option(target) =>
                {
                    errors.reject_named(option, &rules::OPTION_IN_MEMORY, &text_of(option));
                    return ParamKind::Rejected;
                }
                ParamKind::Slice(_)
                | ParamKind::SliceMut(_)
                | ParamKind::Ref(_)
                | ParamKind::RefMut(_)
                | ParamKind::Argument(_)
                | ParamKind::ArgumentRef(_)
                | ParamKind::Tuple(..)
                | ParamKind::Array(..)
                | ParamKind::Value(_) => {}
            }
            kind
        }
        Type::Paren(inner) => kind(&inner.elem, role, lifetimes, errors),
        Type::Group(inner) => kind(&inner.elem, role, lifetimes, errors),
        Type::Path(path) if let Some(view) = view(path) => view,
        ty if role == Role::Kernel
            && let Some(option) = option(ty) =>
        {
            errors.reject_named(option, &rules::OPTION_IN_MEMORY, &text_of(option));
            ParamKind::Rejected
        }
        Type::ImplTrait(closure) if let Some(bound) = closure_bound(&closure.bounds) => {
            errors.reject_named(ty, &rules::CLOSURE_PARAMETER, &text_of(bound));
            ParamKind::Rejected
        }
        Type::ImplTrait(_) => {
            errors.reject_named(ty, &rules::IMPL_PARAMETER, &text_of(ty));
            ParamKind::Rejected
        }
        Type::Path(path) if let Some(lifetime) = lifetime(path) => {
            ParamKind::Argument(anonymous(ty, lifetime, lifetimes, errors))
        }
        Type::Tuple(_) if role != Role::Kernel && is_value(ty) && !is_argument(ty) => ParamKind::Value(ty.clone()),
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let parts: Vec<ParamKind> = tuple.elems.iter().map(|elem| kind(elem, role, lifetimes, errors)).collect();
            let rejected = parts.iter().any(|part| matches!(part, ParamKind::Rejected));
            if rejected { ParamKind::Rejected } else { ParamKind::Tuple(ty.clone(), parts) }
        }
        Type::Array(array) if is_argument(&array.elem) => match kind(&array.elem, role, lifetimes, errors) {
            ParamKind::Rejected => ParamKind::Rejected,
            element => ParamKind::Array(array.clone(), Box::new(element)),
        },
        ty if role == Role::Kernel && is_array(ty) => {
            errors.reject_named(ty, &rules::ARRAY_PARAMETER, &text_of(ty));
            ParamKind::Rejected
        }
        ty if !matches!(ty, Type::Tuple(_)) && is_value(ty) => ParamKind::Value(ty.clone()),
        _ => {
            errors.reject_named(ty, &rules::PARAMETER_TYPE, &text_of(ty));
            ParamKind::Rejected
        }
    }
}

/// Returns the type of the first parameter that is a view or a struct of arrays with this lifetime.
fn argument_with<'a>(signature: &'a SynSignature, declared: &Lifetime) -> Option<&'a Type> {
    signature.inputs.iter().find_map(|input| match input {
        FnArg::Typed(input) => match &*input.ty {
            Type::Path(path) => lifetime(path).is_some_and(|lifetime| lifetime == declared).then_some(&*input.ty),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    })
}

/// Returns the type of a struct of arrays with an anonymous lifetime, and rejects any other `lifetime` of it.
fn anonymous(ty: &Type, lifetime: &Lifetime, lifetimes: bool, errors: &mut Errors) -> Type {
    let anonymous = with_lifetime(ty, "'_");
    if lifetime.ident != "_" && !lifetimes {
        errors.reject_named(lifetime, &rules::ARGUMENT_LIFETIME, &text_of(&anonymous));
    }
    anonymous
}

/// Returns the struct of arrays that a type is, judged by its lifetime.
pub(crate) fn argument(ty: &Type) -> Option<(&Type, &Lifetime)> {
    match ty {
        Type::Path(path) if view(path).is_none() => lifetime(path).map(|lifetime| (ty, lifetime)),
        Type::Paren(inner) => argument(&inner.elem),
        Type::Group(inner) => argument(&inner.elem),
        _ => None,
    }
}

/// Returns the kind of a parameter that is a reference to a struct of arrays.
fn reference_to_argument(
    ty: &Type,
    (target, lifetime): (&Type, &Lifetime),
    mutable: bool,
    role: Role,
    lifetimes: bool,
    errors: &mut Errors,
) -> ParamKind {
    let target = anonymous(target, lifetime, lifetimes, errors);
    if role == Role::Kernel {
        errors.reject_named(ty, &rules::ARGUMENT_REFERENCE, &text_of(&target));
        return ParamKind::Rejected;
    }
    if mutable {
        errors.reject_named(ty, &rules::ARGUMENT_REFERENCE_MUT, &text_of(&target));
        return ParamKind::Rejected;
    }
    ParamKind::ArgumentRef(target)
}

/// Returns the rule against a type behind a reference whose values contain addresses of the host.
fn unsupported_referent(ty: &Type) -> Option<&'static rules::Rule> {
    match ty {
        Type::TraitObject(_) => Some(&rules::TRAIT_OBJECT),
        Type::Slice(slice) => match &*slice.elem {
            Type::Reference(reference) => unsupported_referent(&reference.elem).or(Some(&rules::REFERENCES_IN_MEMORY)),
            Type::Slice(_) => Some(&rules::SLICES_OF_SLICES),
            elem => unsupported_referent(elem),
        },
        Type::Paren(inner) => unsupported_referent(&inner.elem),
        Type::Group(inner) => unsupported_referent(&inner.elem),
        _ => None,
    }
}

/// Returns the kind of a parameter that is a reference to `ty`.
fn target(ty: &Type, mutable: bool) -> ParamKind {
    match ty {
        Type::Slice(TypeSlice { elem, .. }) if mutable => ParamKind::SliceMut((**elem).clone()),
        Type::Slice(TypeSlice { elem, .. }) => ParamKind::Slice((**elem).clone()),
        Type::Paren(inner) => target(&inner.elem, mutable),
        Type::Group(inner) => target(&inner.elem, mutable),
        Type::Path(path) if let Some(view) = view(path) => view,
        Type::Path(path) if path.path.is_ident("str") => ParamKind::Rejected,
        ty if !is_value(ty) || matches!(ty, Type::Tuple(_)) => ParamKind::Rejected,
        ty if mutable => ParamKind::RefMut(ty.clone()),
        ty => ParamKind::Ref(ty.clone()),
    }
}

/// Returns whether a type has the name of one of the arrays that the host passes for a slice.
fn is_array(ty: &Type) -> bool {
    const ARRAYS: [&str; 3] = ["DeviceArray", "DeviceSlice", "PinnedArray"];
    let Type::Path(path) = ty else { return false };
    path.path.segments.last().is_some_and(|last| ARRAYS.iter().any(|name| last.ident == name))
}

/// Returns the kind of a view parameter such as `ArrayView2<T>`, recognised by the last segment of the path.
fn view(path: &TypePath) -> Option<ParamKind> {
    let last = path.path.segments.last()?;
    let name = last.ident.to_string();
    let rest = name.strip_prefix("ArrayView")?;
    let (rest, mutable) = rest.strip_prefix("Mut").map_or((rest, false), |rest| (rest, true));
    let dimensions = match rest {
        "0" => 0,
        "1" => 1,
        "2" => 2,
        "3" => 3,
        "4" => 4,
        _ => return None,
    };
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None, // lifetimes are irrelevant here
    });
    let (Some(element), None) = (types.next(), types.next()) else { return None };
    Some(ParamKind::View { element, dimensions, mutable })
}

/// Returns the paths in the types of the parameters that have the name of a view.
fn view_paths(signature: &SynSignature) -> Vec<Path> {
    fn collect(ty: &Type, paths: &mut Vec<Path>) {
        match ty {
            Type::Paren(TypeParen { elem, .. }) | Type::Group(TypeGroup { elem, .. }) => collect(elem, paths),
            Type::Array(array) => collect(&array.elem, paths),
            Type::Tuple(tuple) => tuple.elems.iter().for_each(|elem| collect(elem, paths)),
            Type::Path(path) if view(path).is_some() => paths.push(path.path.clone()),
            _ => {}
        }
    }

    let mut paths = Vec::new();
    for input in &signature.inputs {
        if let FnArg::Typed(input) = input {
            collect(&input.ty, &mut paths);
        }
    }
    paths
}

/// Returns whether a type is or contains a reference, a view or another type with a lifetime, whose values are never in
/// memory.
fn is_argument(ty: &Type) -> bool {
    match ty {
        Type::Paren(inner) => is_argument(&inner.elem),
        Type::Group(inner) => is_argument(&inner.elem),
        Type::Reference(_) => true,
        Type::Array(array) => is_argument(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(is_argument),
        Type::Path(path) => view(path).is_some() || lifetime(path).is_some(),
        _ => false,
    }
}

/// Returns the lifetime that is an argument of a type, if there is one.
fn lifetime(path: &TypePath) -> Option<&Lifetime> {
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Lifetime(lifetime) => Some(lifetime),
        _ => None,
    })
}

/// Returns whether the type can be a device type, judged by its tokens. rustc checks the trait bounds.
fn is_value(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => heap_type(path).is_none(),
        Type::Paren(inner) => is_value(&inner.elem),
        Type::Group(inner) => is_value(&inner.elem),
        Type::Array(array) => is_value(&array.elem),
        Type::Tuple(TypeTuple { elems, .. }) => elems.iter().all(is_value),
        _ => false,
    }
}

/// Returns the `Option` or the `Result` that a type is, or is an array of.
pub(crate) fn option(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Path(path) => path.path.segments.last().and_then(|last| {
            let is_standard = last.ident == "Option" || last.ident == "Result";
            (is_standard && matches!(last.arguments, PathArguments::AngleBracketed(_))).then_some(ty)
        }),
        Type::Paren(inner) => option(&inner.elem),
        Type::Group(inner) => option(&inner.elem),
        Type::Array(array) => option(&array.elem),
        _ => None,
    }
}

/// Returns the name of a standard type that allocates, if `path` is one. All except `String` have generic arguments:
/// without them the path names a user's type.
pub(crate) fn heap_type(path: &TypePath) -> Option<&Ident> {
    let last = path.path.segments.last()?;
    let first = &path.path.segments.first()?.ident;
    if path.path.segments.len() > 1 && first != "std" && first != "alloc" {
        return None; // a type of the user's
    }
    let standard = is_heap_name(&last.ident.to_string()) && (!last.arguments.is_none() || last.ident == "String");
    standard.then_some(&last.ident)
}

/// Returns whether this is the name of a standard type that allocates.
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

/// Formats a type as source text.
pub(crate) fn text_of(ty: &impl ToTokens) -> String {
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

/// Returns the type with `lifetime` in place of its lifetimes.
pub(crate) fn with_lifetime(ty: &Type, lifetime: &str) -> Type {
    struct Replacement<'l>(&'l str);

    impl VisitMut for Replacement<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            *lifetime = Lifetime::new(self.0, lifetime.span());
        }
    }

    let mut ty = ty.clone();
    Replacement(lifetime).visit_type_mut(&mut ty);
    ty
}
