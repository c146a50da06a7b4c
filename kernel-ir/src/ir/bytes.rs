//! A [`Function`] as bytes: how the macro hands it over to the running program.

use std::fmt;

use super::Function;

impl Function {
    /// The bytes that the macro puts into the binary.
    pub fn to_bytes(&self) -> Vec<u8> {
        // postcard fails only where a buffer is full or a length is unknown; neither can happen with a `Vec`.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads what [`Function::to_bytes`] wrote.
    ///
    /// That the bytes can be read says nothing of what is in them: [`check`](crate::check) does.
    ///
    /// # Errors
    ///
    /// Where the bytes end early, hold something else, or go on after the function.
    pub fn from_bytes(bytes: &[u8]) -> Result<Function, DecodeError> {
        match postcard::take_from_bytes(bytes) {
            Ok((function, [])) => Ok(function),
            Ok((_, rest)) => Err(DecodeError(format!("{} bytes are left over", rest.len()))),
            Err(error) => Err(DecodeError(error.to_string())),
        }
    }
}

/// The bytes are not those of a [`Function`] of this version of Cumbia.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(String);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DecodeError(reason) = self;
        write!(
            f,
            "a kernel's stored form cannot be read: {reason}\n       \
             why: the macro that wrote it and the runtime that reads it are of different versions\n       \
             help: let `cargo tree -i cumbia-kernel-ir` show one version only"
        )
    }
}

impl std::error::Error for DecodeError {}
