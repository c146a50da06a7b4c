//! `#[derive(DeviceType)]`: reads a struct or an enum, and refuses what a device cannot hold.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{
    Data, DataEnum, DataStruct, DeriveInput, Fields, GenericParam, Generics, Index, Member, Meta, Token, Type,
    punctuated::Punctuated,
};

use crate::report::Errors;
use crate::rules;
use crate::signature::heap_type;

/// A type that both the host and a device hold.
pub(crate) struct DeviceType {
    /// Its name.
    pub(crate) name: Ident,
    /// Its generic parameters.
    pub(crate) generics: Generics,
    /// Its inside.
    pub(crate) shape: Shape,
}

/// The inside of a type.
pub(crate) enum Shape {
    /// Fields, in order of declaration.
    Struct(Vec<Field>),
    /// Variants without fields, in order of declaration.
    Enum(Vec<Ident>),
}

/// A field of a struct.
pub(crate) struct Field {
    /// Its name or position.
    pub(crate) member: Member,
    /// Its type.
    pub(crate) ty: Type,
}

impl Field {
    /// The name or position as text.
    pub(crate) fn text(&self) -> String {
        match &self.member {
            Member::Named(name) => name.unraw().to_string(),
            Member::Unnamed(Index { index, span: _ }) => index.to_string(),
        }
    }
}

/// Reads the item under the derive. There is nothing to say of what could not be any type of a device.
pub(crate) fn read(input: DeriveInput, errors: &mut Errors) -> Option<DeviceType> {
    let DeriveInput { attrs, vis: _, ident, mut generics, data, .. } = input;
    let repr = Repr::of(&attrs, errors);
    let mut borrows = false;
    for param in &generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            errors.refuse(lifetime, &rules::BORROWED_FIELD);
            borrows = true;
        }
    }
    if borrows {
        return None; // the fields say the same, of the same mistake
    }
    let shape = match data {
        Data::Struct(DataStruct { fields, .. }) => {
            if fields.is_empty() {
                errors.refuse_named(&ident, &rules::EMPTY_STRUCT, &ident);
            }
            Shape::Struct(fields_of(fields, errors))
        }
        Data::Enum(DataEnum { variants, .. }) => {
            if variants.is_empty() {
                errors.refuse_named(&ident, &rules::EMPTY_ENUM, &ident);
            }
            // One variant needs no bits, and then a device has none of it.
            if let (1, Some(variant), false) = (variants.len(), variants.first(), repr.sized)
                && variant.fields.is_empty()
            {
                errors.refuse_named(variant, &rules::ENUM_OF_ONE, &ident);
            }
            if let Some(variant) = variants.iter().find(|variant| !variant.fields.is_empty()) {
                errors.refuse_named(&variant.fields, &rules::VARIANT_FIELDS, &variant.ident);
            }
            Shape::Enum(variants.into_iter().map(|variant| variant.ident).collect())
        }
        Data::Union(union) => {
            errors.refuse(union.union_token, &rules::UNION);
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
    Some(DeviceType { name: ident, generics, shape })
}

fn fields_of(fields: Fields, errors: &mut Errors) -> Vec<Field> {
    fields
        .into_iter()
        .enumerate()
        .map(|(position, field)| {
            match &field.ty {
                Type::Reference(_) => errors.refuse(&field.ty, &rules::BORROWED_FIELD),
                Type::Ptr(_) => errors.refuse(&field.ty, &rules::POINTER_FIELD),
                Type::FnPtr(_) => errors.refuse(&field.ty, &rules::FUNCTION_FIELD),
                Type::Path(path) if let Some(name) = heap_type(path) => {
                    errors.refuse_named(&field.ty, &rules::HEAP_FIELD, name);
                }
                Type::Tuple(_) => errors.refuse(&field.ty, &rules::TUPLE_FIELD),
                // What else there is has an implementation or not: rustc says.
                _ => {}
            }
            let member = field.ident.map_or_else(|| Member::Unnamed(position.into()), Member::Named);
            Field { member, ty: field.ty }
        })
        .collect()
}

/// What `#[repr(..)]` says that matters here.
struct Repr {
    /// An enum has the size of an integer, however few its variants are.
    sized: bool,
}

impl Repr {
    fn of(attributes: &[syn::Attribute], errors: &mut Errors) -> Repr {
        let mut repr = Repr { sized: false };
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
            let Ok(hints) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
                continue; // rustc says what is wrong with it
            };
            for hint in &hints {
                let Some(name) = hint.path().get_ident().map(ToString::to_string) else { continue };
                match name.as_str() {
                    "packed" => errors.refuse(hint, &rules::PACKED),
                    "align" | "transparent" | "Rust" => {}
                    _ => repr.sized = true,
                }
            }
        }
        repr
    }
}
