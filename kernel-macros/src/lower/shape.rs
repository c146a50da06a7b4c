//! What tokens tell of a value.
//!
//! The macro knows no types, but one thing it has to know: on the CPU a reference is the *handle* of a place (`Place` of the
//! runtime), since no Rust reference to an element of an array may exist while a kernel runs. What is behind a handle is
//! read and written by its methods, and what is in a variable by Rust itself. References come from few constructs
//! (`&x[i]`, a `&T` parameter, `for v in x.iter()`, `shared`), so the tokens tell.

use syn::{Type, TypeReference};

/// What is known of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Nothing: the result of a call could be a slice.
    Unknown,
    /// A value, and no handle: a number, a struct, an array.
    Owned,
    /// `&T` or `&mut T`: the handle of a place.
    Reference {
        /// `&mut`
        mutable: bool,
    },
    /// `&[T]`, `&mut [T]` or a view: the handle of many places.
    Slice,
    /// A tuple of such values.
    Tuple(Vec<Shape>),
    /// There is no value: the expression does not finish.
    Never,
}

impl Shape {
    /// What is known of a value that is one or the other.
    pub(super) fn or(self, other: Shape) -> Shape {
        match (self, other) {
            (Shape::Never, shape) | (shape, Shape::Never) => shape,
            (Shape::Reference { mutable: a }, Shape::Reference { mutable: b }) => Shape::Reference { mutable: a && b },
            (Shape::Tuple(a), Shape::Tuple(b)) if a.len() == b.len() => {
                Shape::Tuple(a.into_iter().zip(b).map(|(a, b)| a.or(b)).collect())
            }
            (a, b) if a == b => a,
            _ => Shape::Unknown,
        }
    }

    /// The part of a tuple, or a field of a struct, of this name or position.
    pub(super) fn part(&self, member: &syn::Member) -> Shape {
        match (self, member) {
            (Shape::Tuple(parts), syn::Member::Unnamed(index)) => {
                parts.get(index.index as usize).cloned().unwrap_or(Shape::Unknown)
            }
            // What has named fields is a struct, and those hold values.
            (_, syn::Member::Named(_)) | (Shape::Owned, syn::Member::Unnamed(_)) => Shape::Owned,
            (_, syn::Member::Unnamed(_)) => Shape::Unknown,
        }
    }

    /// What a type that is written down tells. Of a name nothing is known: it could be an alias.
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

    /// The same, or if it is unknown `other`.
    pub(super) fn unless_unknown(self, other: &Shape) -> Shape {
        if self == Shape::Unknown { other.clone() } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;
    use syn::parse_quote;

    #[test]
    fn a_value_of_one_branch_or_the_other() {
        let reference = |mutable| Shape::Reference { mutable };
        assert_eq!(reference(true).or(reference(false)), reference(false));
        assert_eq!(Shape::Never.or(Shape::Slice), Shape::Slice);
        assert_eq!(Shape::Owned.or(Shape::Slice), Shape::Unknown);
        let (a, b) = (Shape::Tuple(vec![Shape::Owned, Shape::Never]), Shape::Tuple(vec![Shape::Owned, Shape::Slice]));
        assert_eq!(a.or(b), Shape::Tuple(vec![Shape::Owned, Shape::Slice]));
    }

    #[test]
    fn written_types() {
        assert_eq!(Shape::of_type(&parse_quote!(&mut [f32])), Shape::Slice);
        assert_eq!(Shape::of_type(&parse_quote!(&(Point))), Shape::Reference { mutable: false });
        assert_eq!(Shape::of_type(&parse_quote!(([u8; 4], T))), Shape::Tuple(vec![Shape::Owned, Shape::Unknown]));
    }
}
