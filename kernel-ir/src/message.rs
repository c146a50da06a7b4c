//! Messages of panics and prints: in the IR, and with the types of their arguments.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{ExprId, Type};

/// A format string and its arguments, as in `format!`. The host formats the text according to Rust's rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The pieces of the format string, in order.
    pub pieces: Vec<Piece>,
    /// Scalars and enums, evaluated in order.
    pub args: Vec<ExprId>,
}

impl Message {
    /// Returns a message without arguments.
    pub fn text(text: impl Into<String>) -> Message {
        Message { pieces: vec![Piece::Text(text.into())], args: Vec::new() }
    }
}

/// A piece of a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// `{}`, `{:?}`, `{:>8.3}`, `{:#x}`
    Number {
        /// The index of the argument.
        position: u32,
        /// The format specification: the text after the colon.
        format: String,
    },
}

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
