//! The C types of a program.
//!
//! Structs, tuples and enums are declared once, under a name. In memory and inside other types a `bool` is a byte:
//! uninitialised memory may hold any byte, and a C++ `bool` that is neither 0 nor 1 is undefined behaviour.

use std::collections::HashMap;

use crate::ir::{EnumType, Field, Scalar, StructType, Type, dim3};

use super::{CType, Layout, Member, TypeDef, TypeId, TypeKind};

/// The types that a program uses.
#[derive(Default)]
pub(super) struct Types {
    /// The definitions, in dependency order.
    pub(super) defs: Vec<TypeDef>,
    /// Used only for look-up, so its iteration order does not matter.
    ids: HashMap<Type, TypeId>,
    /// Whether `rt::Array` is used.
    pub(super) arrays: bool,
}

impl Types {
    /// Returns the type of a value in a variable, a parameter or a result.
    pub(super) fn value(&mut self, ty: &Type) -> CType {
        match ty {
            Type::Scalar(scalar) => CType::Scalar(*scalar),
            other => self.memory(other),
        }
    }

    /// Returns the type of a value in memory or inside another value. A slice or a view is a pointer to its first
    /// element.
    pub(super) fn memory(&mut self, ty: &Type) -> CType {
        match ty {
            // Zero-sized types are never declared; a byte keeps the text well-formed.
            Type::Scalar(Scalar::Bool) | Type::Unit | Type::Never => CType::Scalar(Scalar::U8),
            Type::Scalar(scalar) => CType::Scalar(*scalar),
            Type::Struct(_) | Type::Enum(_) | Type::Tuple(_) => CType::Named(self.id(ty)),
            Type::Array(element, len) => {
                self.arrays = true;
                CType::Array(Box::new(self.memory(element)), *len)
            }
            Type::Slice { element: target, mutable }
            | Type::View { element: target, mutable, dimensions: _ }
            | Type::Ref { target, mutable } => CType::pointer(self.memory(target), *mutable),
        }
    }

    /// Returns the name of a struct, a tuple or an enum.
    pub(super) fn id(&mut self, ty: &Type) -> TypeId {
        if let Some(id) = self.ids.get(ty) {
            return *id;
        }
        let (hint, kind) = match ty {
            Type::Enum(EnumType { name, path, repr, variants, has_data }) => {
                let variants = variants.iter().map(|variant| (variant.name.clone(), variant.bits)).collect();
                let hint = if *has_data { format!("{}_tag", with_arguments(name, path)) } else { name.clone() };
                (hint, TypeKind::Enum { repr: *repr, variants })
            }
            Type::Struct(StructType { name, path, fields, size, align }) => {
                let members = self.members(fields.iter().map(|field| (field.name.as_str(), &field.ty, field.offset)));
                let members = aligned(members, fields, *align);
                let layout = Some(Layout { size: *size, align: *align, is_union: ty.tag().is_some() });
                (with_arguments(name, path), TypeKind::Struct { members, layout })
            }
            Type::Tuple(parts) => {
                let names: Vec<String> = match ty.tag() {
                    Some(tag) => {
                        let variants = tag.variants.iter().map(|variant| variant.name.clone());
                        ["tag".to_owned()].into_iter().chain(variants).collect()
                    }
                    None => (0..parts.len()).map(|position| position.to_string()).collect(),
                };
                let fields = names.iter().zip(parts).zip(0..).map(|((name, ty), offset)| (name.as_str(), ty, offset));
                let members = self.members(fields);
                let hint = match ty.tag() {
                    Some(tag) => with_arguments(&tag.name, &tag.path),
                    None => format!("Tuple{}", words(&ty.to_string())),
                };
                (hint, TypeKind::Struct { members, layout: None })
            }
            // The other types have no name.
            Type::Unit
            | Type::Never
            | Type::Scalar(_)
            | Type::Array(..)
            | Type::Slice { .. }
            | Type::View { .. }
            | Type::Ref { .. } => (String::new(), TypeKind::Struct { members: Vec::new(), layout: None }),
        };
        let id = TypeId(self.defs.len() as u32);
        self.defs.push(TypeDef { hint, path: ty.to_string(), kind });
        self.ids.insert(ty.clone(), id);
        id
    }

    /// Returns the members ordered by offset. Zero-sized fields are omitted in C.
    fn members<'f>(&mut self, fields: impl Iterator<Item = (&'f str, &'f Type, u64)>) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        for (position, (name, ty, offset)) in fields.enumerate() {
            if !is_empty(ty) {
                members.push(Member { position, hint: name.to_owned(), ty: self.memory(ty), offset, align: None });
            }
        }
        members.sort_by_key(|member| member.offset);
        members
    }

    /// Returns the members of a struct or a tuple.
    pub(super) fn members_of(&self, id: TypeId) -> &[Member] {
        match &self.defs[id.index()].kind {
            TypeKind::Struct { members, layout: _ } => members,
            TypeKind::Enum { .. } => &[],
        }
    }
}

/// Aligns the members that are not at the offset that follows from their types: in an enum with `#[repr(C)]`, the payload
/// of each variant is aligned as that of any variant requires.
fn aligned(mut members: Vec<Member>, fields: &[Field], most: u64) -> Vec<Member> {
    let mut end = 0u64;
    for member in &mut members {
        let Member { position, offset, align, .. } = member;
        let ty = &fields[*position].ty;
        if *offset > end.next_multiple_of(ty.align().unwrap_or(1)) {
            // Omitted fields of size zero may precede it.
            *align = Some((1 << offset.trailing_zeros()).min(most));
        }
        end = offset.saturating_add(ty.size().unwrap_or(0));
    }
    members
}

/// Returns whether a type is zero-sized.
pub(super) fn is_empty(ty: &Type) -> bool {
    matches!(ty, Type::Unit | Type::Never) || ty.size() == Some(0)
}

/// Returns whether a variable of the type is split into its fields unless it is borrowed.
pub(super) fn is_split(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(_)) || *ty == dim3() || ty.has_references()
}

/// Returns whether a value of the type is a single C value: it contains no slices or references.
pub(super) fn is_single_value(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Enum(_) => true,
        Type::Struct(_) | Type::Array(..) => !ty.has_references(),
        Type::Tuple(parts) => parts.iter().all(|part| is_single_value(part) || is_empty(part)),
        Type::Unit | Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => false,
    }
}

/// Returns the name of a struct with its generic arguments, which are the end of its path: `Pair_f32_4`.
fn with_arguments(name: &str, path: &str) -> String {
    let mut depth = 0;
    let start = path.ends_with('>').then(|| {
        path.char_indices().rev().find_map(|(i, c)| {
            match c {
                '>' => depth += 1,
                '<' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(i)
        })
    });
    match start.flatten() {
        Some(start) => format!("{name}{}", words(&path[start..])),
        None => name.to_owned(),
    }
}

/// Returns the identifiers in a text without their module paths, each preceded by an underscore.
fn words(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let names = text.split(|c| !is_word(c)).filter_map(|path| path.rsplit("::").next()).filter(|name| !name.is_empty());
    names.flat_map(|name| ["_", name]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_arguments_are_part_of_the_name() {
        assert_eq!(with_arguments("Point", "shapes::Point"), "Point");
        assert_eq!(with_arguments("Complex", "math::Complex<f32>"), "Complex_f32");
        assert_eq!(with_arguments("Pair", "a::Pair<a::Pair<f32, 2>, [u8; 4]>"), "Pair_Pair_f32_2_u8_4");
    }
}
