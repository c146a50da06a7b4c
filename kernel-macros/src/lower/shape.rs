//! Syntactic classification of values: which expressions are references.
//!
//! The macro knows no types, but it needs one property: on the CPU a reference is a *handle* of a place (`Place` of
//! `kernel-lang`), since no Rust reference to an array element may exist while a kernel runs. A value behind a handle is
//! read and written by method calls, and a value in a variable by Rust itself. Few constructs produce references
//! (`&x[i]`, a `&T` parameter, `for v in x.iter()`, `shared`), so the property follows from the tokens.

use syn::{Type, TypeReference};

/// The shape of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
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
    /// A tuple, with the shape of each field.
    Tuple(Vec<Shape>),
    /// The expression diverges.
    Never,
}

impl Shape {
    /// Returns the join: the shape of a value that has one of two shapes.
    pub(super) fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Never, shape) | (shape, Shape::Never) => shape,
            (Shape::Reference { mutable: a }, Shape::Reference { mutable: b }) => Shape::Reference { mutable: a && b },
            (Shape::Tuple(a), Shape::Tuple(b)) if a.len() == b.len() => {
                Shape::Tuple(a.into_iter().zip(b).map(|(a, b)| a.join(b)).collect())
            }
            (a, b) if a == b => a,
            _ => Shape::Unknown,
        }
    }

    /// Returns the shape of a field of a tuple or a struct.
    pub(super) fn part(&self, member: &syn::Member) -> Shape {
        match (self, member) {
            (Shape::Tuple(parts), syn::Member::Unnamed(index)) => {
                parts.get(index.index as usize).cloned().unwrap_or(Shape::Unknown)
            }
            // Only structs have named fields, and the fields of a struct are values.
            (_, syn::Member::Named(_)) | (Shape::Owned, syn::Member::Unnamed(_)) => Shape::Owned,
            (_, syn::Member::Unnamed(_)) => Shape::Unknown,
        }
    }

    /// Returns the shape of values of a type that is written out. A path is unknown: it could be an alias.
    pub(super) fn of_type(ty: &Type) -> Shape {
        match ty {
            Type::Array(_) => Shape::Owned,
            Type::Reference(TypeReference { elem, mutability, .. }) => match &**elem {
                Type::Slice(_) => Shape::Slice,
                _ => Shape::Reference { mutable: mutability.is_some() },
            },
            Type::Tuple(tuple) => Shape::Tuple(tuple.elems.iter().map(Shape::of_type).collect()),
            Type::Paren(inner) => Shape::of_type(&inner.elem),
            Type::Group(inner) => Shape::of_type(&inner.elem),
            _ => Shape::Unknown,
        }
    }

    /// Returns `self`, or `other` if `self` is unknown.
    pub(super) fn unless_unknown(self, other: &Shape) -> Shape {
        if self == Shape::Unknown { other.clone() } else { self }
    }
}

/// Returns whether this is the name of a primitive scalar type.
pub(super) fn is_primitive(name: &str) -> bool {
    const NAMES: [&str; 13] =
        ["bool", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];
    NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::Shape;
    use syn::parse_quote;

    #[test]
    fn join_of_two_branches() {
        let reference = |mutable| Shape::Reference { mutable };
        assert_eq!(reference(true).join(reference(false)), reference(false));
        assert_eq!(Shape::Never.join(Shape::Slice), Shape::Slice);
        assert_eq!(Shape::Owned.join(Shape::Slice), Shape::Unknown);
        let (a, b) = (Shape::Tuple(vec![Shape::Owned, Shape::Never]), Shape::Tuple(vec![Shape::Owned, Shape::Slice]));
        assert_eq!(a.join(b), Shape::Tuple(vec![Shape::Owned, Shape::Slice]));
    }

    #[test]
    fn shapes_of_types() {
        assert_eq!(Shape::of_type(&parse_quote!(&mut [f32])), Shape::Slice);
        assert_eq!(Shape::of_type(&parse_quote!(&(Point))), Shape::Reference { mutable: false });
        assert_eq!(Shape::of_type(&parse_quote!(([u8; 4], T))), Shape::Tuple(vec![Shape::Owned, Shape::Unknown]));
    }
}
