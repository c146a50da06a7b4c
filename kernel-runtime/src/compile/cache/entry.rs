//! The file format of a compiled kernel.
//!
//! ```text
//! "cumbia\0\0"  key (16)  for each of architecture, cubin, PTX and log: length (u64), bytes  hash of all that (16)
//! ```
//!
//! Integers are little-endian; an image without a cubin has one of length 0. The format version is part of the key.

use super::key::{HASH_BYTES, Key, hash};
use crate::cuda::Image;

const MAGIC: &[u8; 8] = b"cumbia\0\0";

/// Encodes an image.
pub(crate) fn encode(image: &Image, key: &Key) -> Vec<u8> {
    let Image { architecture, cubin, ptx, log } = image;
    let mut bytes = Vec::from(MAGIC);
    bytes.extend(key.0);
    for part in [architecture.as_bytes(), cubin.as_deref().unwrap_or_default(), ptx.as_bytes(), log.as_bytes()] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    let checksum = hash(&bytes);
    bytes.extend(checksum);
    bytes
}

/// Decodes an image. Returns `None` unless the bytes are what [`encode`] returns for this key.
pub(crate) fn decode(bytes: &[u8], key: &Key) -> Option<Image> {
    let (body, checksum) = bytes.split_last_chunk::<HASH_BYTES>()?;
    if hash(body) != *checksum {
        return None;
    }
    let mut rest = body.strip_prefix(MAGIC)?.strip_prefix(&key.0)?;
    let architecture = text(&mut rest)?;
    let cubin = Some(part(&mut rest)?.to_vec()).filter(|cubin| !cubin.is_empty());
    let (ptx, log) = (text(&mut rest)?, text(&mut rest)?);
    rest.is_empty().then_some(Image { architecture, cubin, ptx, log })
}

/// Removes a part from the front; `None` if the bytes end early.
fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<8>()?;
    let (part, after) = after.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    *rest = after;
    Some(part)
}

fn text(rest: &mut &[u8]) -> Option<String> {
    String::from_utf8(part(rest)?.to_vec()).ok()
}
