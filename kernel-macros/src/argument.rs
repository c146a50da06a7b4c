//! Parser for `#[derive(KernelArgument)]`: parses a struct of arrays, views and values, and rejects other items and fields.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{
    Data, DeriveInput, Expr, GenericArgument, GenericParam, Generics, Index, Lifetime, Member, PathArguments, Type,
    TypeArray, TypePath, TypeReference, Visibility,
};

use crate::report::Errors;
use crate::rules;
use crate::signature::{heap_type, text_of, with_lifetime};

/// A parsed argument.
pub(crate) struct KernelArgument {
    /// The name.
    pub(crate) name: Ident,
    /// The generic parameters, without defaults.
    pub(crate) generics: Generics,
    /// The fields, in declaration order.
    pub(crate) fields: Vec<Field>,
}

/// A field of an argument.
pub(crate) struct Field {
    /// The name or position.
    pub(crate) member: Member,
    /// The visibility.
    pub(crate) vis: Visibility,
    /// The kind of its type.
    pub(crate) part: Part,
}

/// The kind of a field's type.
pub(crate) enum Part {
    /// A value: a type without the lifetime.
    Value(Type),
    /// A tuple of values, which was rejected. The struct is declared with it, so that its uses cause no further errors.
    Rejected(Type),
    /// A host type, which was rejected, and the element type if it is a slice.
    Host(Type, Option<Box<Type>>),
    /// An array, a view, or a struct of them: a type with the lifetime.
    Argument(Type),
    /// `[DeviceSlice<'a, T>; N]`
    Array(Box<Part>, Expr),
}

impl Part {
    /// Returns the part itself, or the elements of an array.
    pub(crate) fn innermost(&self) -> &Part {
        match self {
            Part::Array(part, _) => part.innermost(),
            part => part,
        }
    }

    /// Returns the span of the type.
    pub(crate) fn span(&self) -> Span {
        match self {
            Part::Value(ty) | Part::Rejected(ty) | Part::Host(ty, _) | Part::Argument(ty) => ty.span(),
            Part::Array(part, _) => part.span(),
        }
    }
}

/// Parses the item under the derive. Returns `None` for an item that cannot be an argument.
pub(crate) fn read(input: DeriveInput, errors: &mut Errors) -> Option<KernelArgument> {
    let DeriveInput { attrs: _, vis: _, ident, mut generics, data, .. } = input;
    let Data::Struct(data) = data else {
        errors.reject_named(&ident, &rules::ARGUMENT_ITEM, &ident);
        return None;
    };
    let lifetimes: Vec<Lifetime> = generics.lifetimes().map(|lifetime| lifetime.lifetime.clone()).collect();
    let [_] = lifetimes.as_slice() else {
        match lifetimes.get(1) {
            Some(second) => errors.reject_named(second, &rules::ARGUMENT_LIFETIMES, &ident),
            None => errors.reject_named(&ident, &rules::ARGUMENT_OF_VALUES, &ident),
        }
        return None;
    };
    for param in &mut generics.params {
        match param {
            GenericParam::Type(param) => param.default = None,
            GenericParam::Const(param) => param.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    let mut fields = Vec::new();
    let mut rejected = false;
    for (position, field) in data.fields.into_iter().enumerate() {
        let member = field.ident.map_or_else(|| Member::Unnamed(Index::from(position)), Member::Named);
        match part(field.ty, errors) {
            Some(part) => fields.push(Field { member, vis: field.vis, part }),
            None => rejected = true,
        }
    }
    (!rejected).then(|| KernelArgument { name: ident, generics, fields })
}

fn part(ty: Type, errors: &mut Errors) -> Option<Part> {
    if let Type::Path(path) = &ty
        && let Some(name) = heap_type(path)
    {
        errors.reject_named(&ty, &rules::ARGUMENT_HEAP, name);
        let element = element_of(path, "Vec");
        return Some(Part::Host(ty, element));
    }
    if let Type::Path(path) = &ty
        && let Some(element) = element_of(path, "DeviceArray")
    {
        errors.reject_named(&ty, &rules::ARGUMENT_OWNED_ARRAY, &text_of(&element));
        return Some(Part::Host(ty, Some(element)));
    }
    if let Type::Tuple(_) = &ty {
        errors.reject(&ty, &rules::ARGUMENT_TUPLE);
        return (!has_lifetime(&ty)).then_some(Part::Rejected(ty));
    }
    if !has_lifetime(&ty) {
        return Some(Part::Value(ty));
    }
    match ty {
        Type::Array(TypeArray { elem, len, .. }) => Some(Part::Array(Box::new(part(*elem, errors)?), len)),
        Type::Paren(inner) => part(*inner.elem, errors),
        Type::Group(inner) => part(*inner.elem, errors),
        Type::Reference(TypeReference { ref elem, mutability, .. }) if let Type::Slice(slice) = &**elem => {
            let rule = if mutability.is_some() { &rules::ARGUMENT_HOST_SLICE_MUT } else { &rules::ARGUMENT_HOST_SLICE };
            let element = slice.elem.clone();
            errors.reject_named(&ty, rule, &text_of(&*element));
            Some(Part::Host(ty, Some(element)))
        }
        ty => Some(Part::Argument(ty)),
    }
}

/// Returns the element type of `Vec<T>` or another type of this name with one argument.
fn element_of(path: &TypePath, name: &str) -> Option<Box<Type>> {
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(element) => Some(Box::new(element.clone())),
        _ => None,
    }
}

/// Returns whether a type contains a lifetime.
pub(crate) fn has_lifetime(ty: &Type) -> bool {
    struct Found(bool);

    impl<'ast> Visit<'ast> for Found {
        fn visit_lifetime(&mut self, _: &'ast Lifetime) {
            self.0 = true;
        }

        fn visit_type_reference(&mut self, _: &'ast TypeReference) {
            self.0 = true;
        }
    }

    let mut found = Found(false);
    found.visit_type(ty);
    found.0
}

/// Returns the tokens of a type as an argument, `<Particles<'static> as KernelArgument>`. All are located at the first token of
/// the type, and the lifetime is always `'static`: rustc reports identical errors at the same span once.
pub(crate) fn as_argument(ty: &Type) -> TokenStream {
    let (span, ty) = (ty.span(), with_lifetime(ty, "'static"));
    let ty = located(ty.to_token_stream(), span);
    quote_spanned!(span=> <#ty as ::cumbia::KernelArgument>)
}

/// Returns the tokens, each located at `span` and resolved as before.
fn located(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let mut located = Group::new(group.delimiter(), located(group.stream(), span));
                located.set_span(group.span().located_at(span));
                located.into()
            }
            mut token => {
                token.set_span(token.span().located_at(span));
                token
            }
        })
        .collect()
}
