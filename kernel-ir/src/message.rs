//! Messages of panics and prints with the types of their arguments.

use std::fmt;

use crate::{Piece, Type};

/// A message and the types of its arguments. The host formats it according to Rust's rules. A value that is not a scalar is
/// formatted as by a derived `Debug`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The pieces, in order. A piece's `position` is an index into `args`.
    pub pieces: Vec<Piece>,
    /// The type of each argument. It is recorded as [`Type::words`] words, in the order of its parts. The bits of a scalar are
    /// in the low-order bits of a `u64`; the remaining bits are unspecified.
    pub args: Vec<Type>,
}

impl Text {
    /// Returns the number of words that record the arguments.
    pub fn words(&self) -> usize {
        self.args.iter().filter_map(Type::words).sum()
    }
}

impl Type {
    /// Returns the number of words that record a value of the type as an argument of a message: one for each scalar; for an
    /// enum with data one for the tag, and those of the payloads of all variants. `None` for types that messages cannot
    /// contain.
    pub fn words(&self) -> Option<usize> {
        match self.target() {
            Type::Unit | Type::Never => Some(0),
            Type::Scalar(_) | Type::Enum(_) => Some(1),
            ty if let Some(tag) = ty.tag() => {
                (0..tag.variants.len()).try_fold(1usize, |sum, variant| sum.checked_add(ty.words_of_variant(variant)?))
            }
            Type::Tuple(parts) => sum_of_words(parts.iter()),
            Type::Struct(structure) => sum_of_words(structure.fields.iter().map(|field| &field.ty)),
            Type::Array(element, len) => element.words()?.checked_mul(usize::try_from(*len).ok()?),
            Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => None,
        }
    }

    /// Returns the number of words that record the payload of a variant.
    pub fn words_of_variant(&self, variant: usize) -> Option<usize> {
        sum_of_words(self.payload_fields(variant).into_iter().map(|(_, _, ty)| ty))
    }
}

fn sum_of_words<'a>(mut types: impl Iterator<Item = &'a Type>) -> Option<usize> {
    types.try_fold(0usize, |sum, ty| sum.checked_add(ty.words()?))
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Number { position: _, format } if format.is_empty() => f.write_str("{}")?,
                Piece::Number { position: _, format } => write!(f, "{{:{format}}}")?,
            }
        }
        Ok(())
    }
}
