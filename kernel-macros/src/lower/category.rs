//! The category of a value, by its tokens: a value, a reference, or a slice.
//!
//! The macro knows no types, but it needs one property: on the CPU a reference is a *handle* of a place (`PlaceRef` of
//! `kernel-lang`), since no Rust reference to an array element may exist while a kernel runs. A value behind a handle is
//! read and written by method calls, and a value in a variable by Rust itself. Few constructs produce references
//! (`&x[i]`, a `&T` parameter, `for v in x.iter()`, `shared`), so the property follows from the tokens.

use syn::{Type, TypeReference};

use crate::signature::ParamKind;

/// The category of a value: how it is represented on the CPU.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Category {
    /// Unknown: the result of a call could be a slice.
    Unknown,
    /// A value rather than a handle: a scalar, a struct, an array.
    Owned,
    /// `&T` or `&mut T`: the handle of a place.
    Reference {
        /// `&mut`
        mutable: bool,
    },
    /// `&[T]`, `&mut [T]` or a view: the handle of a sequence of places.
    Slice,
    /// A tuple, with the category of each field.
    Tuple(Vec<Category>),
    /// A struct or an array of several arguments, or a part of one: a value, a slice or a view.
    Argument,
    /// The expression diverges.
    Never,
}

impl Category {
    /// Returns the join: the category of a value that has one of two categories.
    pub(super) fn join(self, other: Category) -> Category {
        match (self, other) {
            (Category::Never, category) | (category, Category::Never) => category,
            (Category::Reference { mutable: a }, Category::Reference { mutable: b }) => {
                Category::Reference { mutable: a && b }
            }
            (Category::Tuple(a), Category::Tuple(b)) if a.len() == b.len() => {
                Category::Tuple(a.into_iter().zip(b).map(|(a, b)| a.join(b)).collect())
            }
            (a, b) if a == b => a,
            _ => Category::Unknown,
        }
    }

    /// Returns the category of a field of a tuple or a struct.
    pub(super) fn part(&self, member: &syn::Member) -> Category {
        match (self, member) {
            (Category::Tuple(parts), syn::Member::Unnamed(index)) => {
                parts.get(index.index as usize).cloned().unwrap_or(Category::Unknown)
            }
            (Category::Argument, _) => Category::Argument,
            // Only structs have named fields, and the fields of a struct are values.
            (_, syn::Member::Named(_)) | (Category::Owned, syn::Member::Unnamed(_)) => Category::Owned,
            (_, syn::Member::Unnamed(_)) => Category::Unknown,
        }
    }

    /// Returns the category of a parameter of this kind.
    pub(super) fn of_param(kind: &ParamKind) -> Category {
        match kind {
            ParamKind::Value(_) => Category::Owned,
            ParamKind::Slice(_) | ParamKind::SliceMut(_) | ParamKind::View { .. } => Category::Slice,
            ParamKind::Ref(_) => Category::Reference { mutable: false },
            ParamKind::RefMut(_) => Category::Reference { mutable: true },
            ParamKind::Argument(_) | ParamKind::ArgumentRef(_) | ParamKind::Array(..) => Category::Argument,
            ParamKind::Tuple(_, parts) => Category::Tuple(parts.iter().map(Category::of_param).collect()),
            ParamKind::Rejected => Category::Unknown,
        }
    }

    /// Returns the category of values of a type that is written out. A path is unknown: it could be an alias.
    pub(super) fn of_type(ty: &Type) -> Category {
        match ty {
            Type::Array(_) => Category::Owned,
            Type::Reference(TypeReference { elem, mutability, .. }) => match &**elem {
                Type::Slice(_) => Category::Slice,
                _ => Category::Reference { mutable: mutability.is_some() },
            },
            Type::Tuple(tuple) => Category::Tuple(tuple.elems.iter().map(Category::of_type).collect()),
            Type::Paren(inner) => Category::of_type(&inner.elem),
            Type::Group(inner) => Category::of_type(&inner.elem),
            _ => Category::Unknown,
        }
    }

    /// Returns `self`, or `other` if `self` is unknown.
    pub(super) fn unless_unknown(self, other: &Category) -> Category {
        if self == Category::Unknown { other.clone() } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::Category;
    use syn::parse_quote;

    #[test]
    fn join_of_two_branches() {
        let reference = |mutable| Category::Reference { mutable };
        assert_eq!(reference(true).join(reference(false)), reference(false));
        assert_eq!(Category::Never.join(Category::Slice), Category::Slice);
        assert_eq!(Category::Owned.join(Category::Slice), Category::Unknown);
        let (a, b) = (
            Category::Tuple(vec![Category::Owned, Category::Never]),
            Category::Tuple(vec![Category::Owned, Category::Slice]),
        );
        assert_eq!(a.join(b), Category::Tuple(vec![Category::Owned, Category::Slice]));
    }

    #[test]
    fn categories_of_types() {
        assert_eq!(Category::of_type(&parse_quote!(&mut [f32])), Category::Slice);
        assert_eq!(Category::of_type(&parse_quote!(&(Point))), Category::Reference { mutable: false });
        assert_eq!(
            Category::of_type(&parse_quote!(([u8; 4], T))),
            Category::Tuple(vec![Category::Owned, Category::Unknown])
        );
    }
}
