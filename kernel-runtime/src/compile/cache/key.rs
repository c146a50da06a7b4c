//! The key of a cached kernel: a hash of everything that its image depends on, except NVRTC's version.

use std::fmt;

use blake2b_simd::{Hash, Params};

/// The format version of keys and entries. It is incremented when the meaning of a key or the layout of an entry changes, so
/// that files of another version of Cumbia are misses.
pub(super) const FORMAT: u32 = 1;

/// A hash by [`hash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(pub(super) [u8; 32]);

impl Key {
    /// Returns the hash of the parts. Each is hashed with its length, so that different parts with the same concatenation differ.
    pub(crate) fn of(parts: &[&str]) -> Key {
        let mut state = parameters().to_state();
        state.update(&FORMAT.to_le_bytes());
        for part in parts {
            state.update(&(part.len() as u64).to_le_bytes());
            state.update(part.as_bytes());
        }
        Key(digest(&state.finalize()))
    }
}

/// Returns the `BLAKE2b` hash of the bytes, of 256 bits.
pub(super) fn hash(bytes: &[u8]) -> [u8; 32] {
    digest(&parameters().hash(bytes))
}

fn parameters() -> Params {
    let mut parameters = Params::new();
    parameters.hash_length(32);
    parameters
}

fn digest(hash: &Hash) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(hash.as_bytes());
    bytes
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_depend_on_every_part_and_its_length() {
        let keys = [
            Key::of(&["ab", "c"]),
            Key::of(&["a", "bc"]),
            Key::of(&["abc"]),
            Key::of(&["abc", ""]),
            Key::of(&["ab", "d"]),
        ];
        for (i, key) in keys.iter().enumerate() {
            assert_eq!(key.to_string().len(), 64);
            assert!(keys[..i].iter().all(|other| other != key));
        }
        assert_eq!(Key::of(&["ab", "c"]), keys[0]);
    }
}
