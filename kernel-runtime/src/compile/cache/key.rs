//! The key of a cached kernel: a hash of everything that its image depends on, except NVRTC's version.

use std::fmt;
use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

/// The format version of keys and entries. It is incremented when the meaning of a key or the layout of an entry changes, so
/// that files of another version of Cumbia are misses.
pub(super) const FORMAT: u32 = 2;

/// The length of a [`hash`], in bytes.
pub(super) const HASH_BYTES: usize = 16;

/// A hash by [`hash`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(pub(super) [u8; HASH_BYTES]);

impl Key {
    /// Returns the hash of the parts. Each is hashed with its length, so that different parts with the same concatenation differ.
    pub(crate) fn of(parts: &[impl AsRef<[u8]>]) -> Key {
        let mut hasher = SipHasher24::new();
        hasher.write(&FORMAT.to_le_bytes());
        for part in parts {
            let part = part.as_ref();
            hasher.write(&(part.len() as u64).to_le_bytes());
            hasher.write(part);
        }
        Key(hasher.finish128().as_bytes())
    }
}

/// Returns the SipHash-2-4 of the bytes, of 128 bits: whoever can write to the cache can also run code as the user (see
/// [`trust`](super::trust)), so that the hash only has to tell apart what was not made to collide.
pub(super) fn hash(bytes: &[u8]) -> [u8; HASH_BYTES] {
    let mut hasher = SipHasher24::new();
    hasher.write(bytes);
    hasher.finish128().as_bytes()
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
            assert_eq!(key.to_string().len(), 2 * HASH_BYTES);
            assert!(keys[..i].iter().all(|other| other != key));
        }
        assert_eq!(Key::of(&["ab", "c"]), keys[0]);
    }
}
