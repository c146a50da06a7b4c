//! Messages of panics and prints with the types of their arguments.

use std::fmt;

use crate::{Piece, Type};

/// A message and the types of its arguments. The host formats it according to Rust's rules. An enum is formatted as the
/// name of its variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The pieces, in order. A piece's `position` is an index into `args`.
    pub pieces: Vec<Piece>,
    /// The type of each recorded argument: a scalar or an enum. Its bits are in the low-order bits of a `u64`; the
    /// remaining bits are unspecified.
    pub args: Vec<Type>,
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
