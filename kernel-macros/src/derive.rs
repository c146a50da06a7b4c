//! Parser for `#[derive(DeviceType)]`: parses a struct or an enum, and rejects unsupported fields and representations.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::{
    Data, DataEnum, DataStruct, DeriveInput, Expr, Fields, GenericParam, Generics, Index, Member, Meta, Token, Type,
    punctuated::Punctuated,
};

use crate::report::Errors;
use crate::rules;
use crate::signature::{heap_type, option, text_of};

/// A parsed device type.
pub(crate) struct DeviceType {
    /// The name.
    pub(crate) name: Ident,
    /// The generic parameters.
    pub(crate) generics: Generics,
    /// The fields or variants.
    pub(crate) data: Contents,
    /// Whether rustc suggests the type in place of one that is no device type: not a struct without fields, which is an
    /// operator or a marker, nor one with `#[doc(hidden)]`.
    pub(crate) is_suggested: bool,
}

/// The fields or variants of a type.
pub(crate) enum Contents {
    /// The fields, in declaration order.
    Struct(Vec<Field>),
    /// The names of the variants, in declaration order.
    Enum(Vec<Ident>),
    /// The variants of an enum with data, in declaration order.
    Data(DataEnumeration),
}

impl Contents {
    /// Returns the fields of a struct, or of all variants.
    pub(crate) fn fields(&self) -> Vec<&Field> {
        match self {
            Contents::Struct(fields) => fields.iter().collect(),
            Contents::Enum(_) => Vec::new(),
            Contents::Data(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        }
    }
}

/// An enum with data, whose layout `#[repr(..)]` defines.
pub(crate) struct DataEnumeration {
    /// The variants.
    pub(crate) variants: Vec<Variant>,
    /// The representation of the tag: an integer, or `C`.
    pub(crate) tag: Ident,
    /// `#[repr(C)]`: a tag, followed by a union of the payloads. Without, a union of structs that begin with the tag.
    pub(crate) separate: bool,
}

/// A variant of an enum with data.
pub(crate) struct Variant {
    /// The name.
    pub(crate) name: Ident,
    /// The fields, in declaration order.
    pub(crate) fields: Vec<Field>,
    /// The discriminant, if it is written.
    pub(crate) discriminant: Option<Expr>,
}

/// A field of a struct.
pub(crate) struct Field {
    /// The name or position.
    pub(crate) member: Member,
    /// The type.
    pub(crate) ty: Type,
}

impl Field {
    /// Returns the name or position as text.
    pub(crate) fn text(&self) -> String {
        match &self.member {
            Member::Named(name) => name.unraw().to_string(),
            Member::Unnamed(Index { index, span: _ }) => index.to_string(),
        }
    }
}

/// Parses the item under the derive. Returns `None` for an item that cannot be a device type at all.
pub(crate) fn read(input: DeriveInput, errors: &mut Errors) -> Option<DeviceType> {
    let DeriveInput { attrs, vis: _, ident, mut generics, data, .. } = input;
    let repr = Repr::of(&attrs, errors);
    let mut borrows = false;
    for param in &generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            errors.reject(lifetime, &rules::BORROWED_FIELD);
            borrows = true;
        }
    }
    if borrows {
        return None; // the fields would produce a second error about the same lifetime
    }
    let data = match data {
        Data::Struct(DataStruct { fields, .. }) => Contents::Struct(fields_of(fields, errors)),
        Data::Enum(DataEnum { variants, .. }) => {
            if variants.is_empty() {
                errors.reject_named(&ident, &rules::EMPTY_ENUM, &ident);
            }
            // An enum with one variant is zero-sized unless its `repr` gives it a size.
            if let (1, Some(variant), false) = (variants.len(), variants.first(), repr.sized)
                && variant.fields.is_empty()
            {
                errors.reject_named(variant, &rules::ENUM_OF_ONE, &ident);
            }
            if variants.iter().all(|variant| variant.fields.is_empty()) {
                Contents::Enum(variants.into_iter().map(|variant| variant.ident).collect())
            } else {
                if !repr.sized {
                    errors.reject_named(&ident, &rules::ENUM_LAYOUT, &ident);
                }
                let variants = variants.into_iter().map(|variant| Variant {
                    name: variant.ident,
                    fields: fields_of(variant.fields, errors),
                    discriminant: variant.discriminant.map(|(_, discriminant)| discriminant),
                });
                let variants = variants.collect();
                let tag = repr.integer.unwrap_or_else(|| Ident::new("C", Span::call_site()));
                Contents::Data(DataEnumeration { variants, tag, separate: repr.separate })
            }
        }
        Data::Union(union) => {
            errors.reject(union.union_token, &rules::UNION);
            return None;
        }
    };
    for param in &mut generics.params {
        match param {
            GenericParam::Type(param) => param.default = None,
            GenericParam::Const(param) => param.default = None,
            GenericParam::Lifetime(_) => {}
        }
    }
    let is_marker = matches!(&data, Contents::Struct(fields) if fields.is_empty());
    let is_suggested = !is_marker && !is_doc_hidden(&attrs);
    Some(DeviceType { name: ident, generics, data, is_suggested })
}

/// Returns whether there is a `#[doc(hidden)]`.
fn is_doc_hidden(attributes: &[syn::Attribute]) -> bool {
    let mut docs = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    docs.any(|attribute| attribute.parse_args::<Ident>().is_ok_and(|word| word == "hidden"))
}

fn fields_of(fields: Fields, errors: &mut Errors) -> Vec<Field> {
    fields
        .into_iter()
        .enumerate()
        .map(|(position, field)| {
            match &field.ty {
                Type::Reference(_) => errors.reject(&field.ty, &rules::BORROWED_FIELD),
                Type::Ptr(_) => errors.reject(&field.ty, &rules::POINTER_FIELD),
                Type::FnPtr(_) => errors.reject(&field.ty, &rules::FUNCTION_FIELD),
                Type::Path(path) if let Some(name) = heap_type(path) => {
                    errors.reject_named(&field.ty, &rules::HEAP_FIELD, name);
                }
                Type::Tuple(_) => errors.reject(&field.ty, &rules::TUPLE_FIELD),
                ty if let Some(option) = option(ty) => {
                    errors.reject_named(option, &rules::OPTION_IN_MEMORY, &text_of(option));
                }
                // For any other type rustc reports a missing implementation.
                _ => {}
            }
            let member = field.ident.map_or_else(|| Member::Unnamed(position.into()), Member::Named);
            Field { member, ty: field.ty }
        })
        .collect()
}

/// Returns what the `#[repr(..)]` attributes contain. rustc reports what is not a representation.
pub(crate) fn representation(attributes: &[syn::Attribute]) -> Vec<Meta> {
    let attributes = attributes.iter().filter(|attribute| attribute.path().is_ident("repr"));
    let hints = attributes.map(|attribute| attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated));
    hints.filter_map(Result::ok).flatten().collect()
}

/// The relevant properties of `#[repr(..)]`.
struct Repr {
    /// An enum has the size of an integer, even with a single variant.
    sized: bool,
    /// The integer.
    integer: Option<Ident>,
    /// `C`
    separate: bool,
}

impl Repr {
    fn of(attributes: &[syn::Attribute], errors: &mut Errors) -> Repr {
        let mut repr = Repr { sized: false, integer: None, separate: false };
        for hint in &representation(attributes) {
            let Some(name) = hint.path().get_ident().map(ToString::to_string) else { continue };
            match name.as_str() {
                "packed" => errors.reject(hint, &rules::PACKED),
                // Kernels have no integers of 128 bits.
                "align" | "transparent" | "Rust" | "u128" | "i128" => {}
                "C" => (repr.sized, repr.separate) = (true, true),
                _ => {
                    repr.sized = true;
                    repr.integer = hint.path().get_ident().cloned();
                }
            }
        }
        repr
    }
}
