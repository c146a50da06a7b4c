//! Serialisation of a [`Function`], by which the macro passes it to the program at run time.

use thiserror::Error;

use super::Function;

impl Function {
    /// Serialises the function, for the macro to embed in the binary.
    pub fn to_bytes(&self) -> Vec<u8> {
        // postcard fails only if a buffer is full or a length is unknown; neither can happen with a `Vec`.
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Deserialises the output of [`Function::to_bytes`].
    ///
    /// Successful deserialisation does not imply that the content is valid; the compiler verifies that.
    ///
    /// # Errors
    ///
    /// If the bytes are truncated, malformed, or longer than the function.
    pub fn from_bytes(bytes: &[u8]) -> Result<Function, DecodeError> {
        match postcard::take_from_bytes(bytes) {
            Ok((function, [])) => Ok(function),
            Ok((_, rest)) => Err(DecodeError(format!("{} bytes are left over", rest.len()))),
            Err(error) => Err(DecodeError(error.to_string())),
        }
    }
}

/// The bytes are not a [`Function`] of this version of Cumbia.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "cannot decode the embedded IR of a kernel: {0}\n       \
     why: it was written by a macro of a different version than the runtime\n       \
     help: make sure that `cargo tree -i cumbia-kernel-ir` shows a single version"
)]
pub struct DecodeError(String);
