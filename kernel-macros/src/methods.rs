//! Parser for an `impl` or a `trait` under `#[device]`: parses each function and lowers its body like that of a device
//! function.

use proc_macro2::{Ident, TokenStream};
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, Block, FnArg, GenericParam, Generics, ImplItem, ImplItemFn, ItemImpl, ItemTrait, Lifetime,
    LifetimeParam, Meta, Signature as SynSignature, TraitItem, TraitItemFn, Type, Visibility, parse_quote,
};

use crate::bounds;
use crate::foreign;
use crate::lints;
use crate::lower::{self, Lowered};
use crate::options;
use crate::report::Errors;
use crate::rules;
use crate::signature::{self, Scope, Signature, text_of};
use crate::this::This;

/// A function of an `impl` or a `trait`.
pub(crate) struct Method {
    /// The attributes of the host function.
    pub(crate) attributes: Vec<Attribute>,
    /// The visibility, which is inherited in an `impl` of a trait.
    pub(crate) vis: Visibility,
    /// The signature as written, with `'static` bounds on the type parameters.
    pub(crate) declared: SynSignature,
    /// The parsed signature, as written.
    pub(crate) signature: Signature,
    /// The parsed signature with the type substituted for `Self`, as the body uses it.
    pub(crate) inner: Signature,
    /// The generic parameters of the `impl` or `trait` and of the function, without `Self`.
    pub(crate) generics: Generics,
    /// The body, unless it is a required function of a trait.
    pub(crate) lowered: Option<Lowered>,
}

/// An `impl` under `#[device]`.
pub(crate) struct DeviceImpl {
    /// The `impl` without its functions.
    pub(crate) item: ItemImpl,
    /// The role of the `impl`.
    pub(crate) role: Role,
    /// The functions.
    pub(crate) methods: Vec<Method>,
}

/// The role of an `impl`.
pub(crate) enum Role {
    /// `impl Type`
    Inherent,
    /// `impl Trait for Type`, with a user's trait that has `#[device]` as well.
    Trait,
    /// `impl Add for Type`
    Operator {
        /// The name of the operator's marker type in the runtime.
        marker: &'static str,
        /// The type of the right operand, or `()` for a unary operator.
        right: Box<Type>,
    },
    /// `impl Trait for Type`, with a trait that was rejected.
    Rejected,
}

/// A trait under `#[device]`.
pub(crate) struct DeviceTrait {
    /// The trait without its functions.
    pub(crate) item: ItemTrait,
    /// The type parameter that replaces `Self` in the bodies.
    pub(crate) this: Ident,
    /// The functions.
    pub(crate) methods: Vec<Method>,
}

/// Traits of the standard library, which cannot carry device implementations of their methods.
const FOREIGN: [&str; 24] = [
    "AsMut",
    "AsRef",
    "Borrow",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deref",
    "DerefMut",
    "Display",
    "Drop",
    "Eq",
    "From",
    "FromIterator",
    "Hash",
    "Index",
    "IndexMut",
    "Into",
    "IntoIterator",
    "Iterator",
    "Ord",
    "PartialOrd",
    "Sum",
    "TryFrom",
];

/// Parses an `impl`. The errors of all of its functions are collected.
pub(crate) fn of_impl(item: ItemImpl, errors: &mut Errors) -> DeviceImpl {
    of_impl_in(Scope::Module, item, errors)
}

/// Parses the `impl` of an operator of `device_fn!`.
pub(crate) fn of_operator(item: ItemImpl, errors: &mut Errors) -> DeviceImpl {
    of_impl_in(Scope::Expression, item, errors)
}

fn of_impl_in(scope: Scope, mut item: ItemImpl, errors: &mut Errors) -> DeviceImpl {
    let argument = signature::argument(&item.self_ty).map(|(ty, _)| signature::with_lifetime(ty, "'_"));
    if argument.is_some() {
        elide_lifetime(&mut item);
    }
    reject_generics(&item.generics, errors);
    bounds::complete(&mut item.generics);
    let role = role(&item, errors);
    let mut this = This { ty: (*item.self_ty).clone(), types: associated_types(&item) };
    let owner = owner(&item.self_ty);
    if let (Some(ty), Some((path, _))) = (&argument, &item.trait_) {
        errors.reject_named(path, &rules::ARGUMENT_TRAIT, &text_of(ty));
    }
    let mut methods = Vec::new();
    let mut rest = Vec::new();
    for part in std::mem::take(&mut item.items) {
        match part {
            ImplItem::Fn(ImplItemFn { attrs, vis, modifiers: _, mut sig, block }) => {
                if let Some(ty) = &argument {
                    name_self(&mut sig, ty);
                }
                if let Role::Operator { .. } = role
                    && sig.ident == "ne"
                {
                    errors.reject(&sig.ident, &rules::NE);
                }
                let written = Written { scope, attributes: attrs, vis, signature: sig, block: Some(block) };
                let of = Owner { name: &owner, argument: argument.as_ref(), generics: &item.generics, is_trait: false };
                methods.push(method(written, &of, &mut this, errors));
            }
            other => {
                if let ImplItem::Macro(call) = &other {
                    errors.reject(&call.mac.path, &rules::DEVICE_MACRO);
                }
                rest.push(other);
            }
        }
    }
    item.items = rest;
    DeviceImpl { item, role, methods }
}

/// Names the struct of arrays where a parameter's type is `Self`: a parameter is recognised as one by its lifetime.
fn name_self(signature: &mut syn::Signature, ty: &Type) {
    let mut this = This { ty: ty.clone(), types: Vec::new() };
    for input in &mut signature.inputs {
        if let FnArg::Typed(input) = input {
            this.visit_type_mut(&mut input.ty);
        }
    }
}

/// Parses a trait. The errors of all of its functions are collected.
pub(crate) fn of_trait(mut item: ItemTrait, errors: &mut Errors) -> DeviceTrait {
    reject_generics(&item.generics, errors);
    bounds::complete(&mut item.generics);
    bounds::complete_bounds(&parse_quote!(Self), &mut item.supertraits);
    let name = Ident::new("Self_", item.ident.span());
    let mut this = This { ty: parse_quote!(#name), types: Vec::new() };
    let owner = item.ident.to_string();
    let mut methods = Vec::new();
    let mut rest = Vec::new();
    for part in std::mem::take(&mut item.items) {
        match part {
            TraitItem::Fn(TraitItemFn { attrs, modifiers: _, sig, default, semi_token: _ }) => {
                let (scope, vis) = (Scope::Module, Visibility::Inherited);
                let written = Written { scope, attributes: attrs, vis, signature: sig, block: default };
                let of = Owner { name: &owner, argument: None, generics: &item.generics, is_trait: true };
                methods.push(method(written, &of, &mut this, errors));
            }
            other => {
                if let TraitItem::Macro(call) = &other {
                    errors.reject(&call.mac.path, &rules::DEVICE_MACRO);
                }
                rest.push(other);
            }
        }
    }
    item.items = rest;
    DeviceTrait { item, this: name, methods }
}

/// A function as parsed by syn.
struct Written {
    scope: Scope,
    attributes: Vec<Attribute>,
    vis: Visibility,
    signature: SynSignature,
    block: Option<Block>,
}

/// The `impl` or the trait of a function.
struct Owner<'a> {
    /// The name of the type in messages.
    name: &'a str,
    /// The type, if it is a struct of arrays.
    argument: Option<&'a Type>,
    generics: &'a Generics,
    /// Whether it is a trait, whose functions are generic over `Self`.
    is_trait: bool,
}

fn method(written: Written, owner: &Owner<'_>, this: &mut This, errors: &mut Errors) -> Method {
    let Written { scope, mut attributes, vis, signature: mut declared, block } = written;
    lints::relax(&mut attributes);
    let foreign = take_device(&mut attributes).and_then(|tokens| options::parse_device(tokens, errors));
    let signature = Signature { scope, ..signature::of_method(&declared, owner.name, owner.argument, errors) };
    bounds::complete(&mut declared.generics);
    let mut inner = signature.with(this);
    let lowered = block.map(|mut block| {
        this.visit_block_mut(&mut block);
        if let Some(foreign) = &foreign {
            foreign::reject_generics(foreign, [owner.generics, &declared.generics], errors);
            if owner.is_trait {
                foreign::reject_default(foreign, errors);
            }
            inner.foreign = Some(foreign::body(foreign, &inner, &block, errors));
        }
        lower::function(&block, &inner, errors)
    });
    let mut generics = merged(owner.generics, &declared.generics);
    this.visit_generics_mut(&mut generics);
    Method { attributes, vis, declared, signature, inner, generics, lowered }
}

/// Removes `#[device(..)]` from the function's attributes and returns its arguments.
fn take_device(attributes: &mut Vec<Attribute>) -> Option<TokenStream> {
    let position = attributes
        .iter()
        .position(|attribute| attribute.path().segments.last().is_some_and(|last| last.ident == "device"))?;
    match attributes.remove(position).meta {
        Meta::List(list) => Some(list.tokens),
        Meta::Path(_) | Meta::NameValue(_) => Some(TokenStream::new()),
    }
}

fn role(item: &ItemImpl, errors: &mut Errors) -> Role {
    if let Type::Reference(_) = *item.self_ty {
        errors.reject(&item.self_ty, &rules::REFERENCE_IMPL);
        return Role::Rejected;
    }
    let Some((path, _)) = &item.trait_ else { return Role::Inherent };
    let Some(last) = path.segments.last() else { return Role::Trait };
    let name = last.ident.to_string();
    if let Some(operator) = bounds::operator(path)
        && name != "PartialOrd"
    {
        let mut right = Box::new(bounds::right_operand(operator, path, &item.self_ty));
        This { ty: (*item.self_ty).clone(), types: Vec::new() }.visit_type_mut(&mut right);
        if let Type::Reference(_) = *right {
            errors.reject(&right, &rules::REFERENCE_IMPL);
            return Role::Rejected;
        }
        return Role::Operator { marker: operator.marker, right };
    }
    if FOREIGN.contains(&name.as_str()) {
        errors.reject_named(path, &rules::FOREIGN_TRAIT, &name);
        return Role::Rejected;
    }
    Role::Trait
}

fn associated_types(item: &ItemImpl) -> Vec<(Ident, Type)> {
    item.items
        .iter()
        .filter_map(|part| match part {
            ImplItem::Type(ty) => Some((ty.ident.clone(), ty.ty.clone())),
            _ => None,
        })
        .collect()
}

/// Returns the name of a type in messages and in the device code.
fn owner(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string()),
        Type::Paren(inner) => owner(&inner.elem),
        Type::Group(inner) => owner(&inner.elem),
        other => text_of(other),
    }
}

/// Elides the lifetime of the `impl` of a struct of arrays: `impl<'a> Grid<'a>` is `impl Grid<'_>`.
fn elide_lifetime(item: &mut ItemImpl) {
    struct Elide(Ident);

    impl VisitMut for Elide {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident == self.0 {
                lifetime.ident = Ident::new("_", lifetime.ident.span());
            }
        }
    }

    let mut lifetimes = item.generics.lifetimes();
    let (Some(LifetimeParam { lifetime, bounds, .. }), None) = (lifetimes.next(), lifetimes.next()) else { return };
    if !bounds.is_empty() || item.generics.where_clause.is_some() {
        return;
    }
    let mut elide = Elide(lifetime.ident.clone());
    let params = std::mem::take(&mut item.generics.params);
    item.generics.params = params.into_iter().filter(|param| !matches!(param, GenericParam::Lifetime(_))).collect();
    elide.visit_item_impl_mut(item);
}

/// Rejects unsupported generic parameters of an `impl` or a `trait`.
fn reject_generics(generics: &Generics, errors: &mut Errors) {
    for param in &generics.params {
        match param {
            GenericParam::Lifetime(lifetime) => errors.reject(lifetime, &rules::LIFETIME),
            GenericParam::Type(ty) if ty.bounds.is_empty() && generics.where_clause.is_none() => {
                errors.reject_named(ty, &rules::UNBOUNDED_TYPE, &ty.ident);
            }
            GenericParam::Type(_) | GenericParam::Const(_) => {}
        }
    }
}

/// Returns the generic parameters and the bounds of both.
fn merged(outer: &Generics, inner: &Generics) -> Generics {
    let mut merged = outer.clone();
    merged.params.extend(inner.params.iter().cloned());
    if let Some(clause) = &inner.where_clause {
        merged.make_where_clause().predicates.extend(clause.predicates.iter().cloned());
    }
    merged
}
