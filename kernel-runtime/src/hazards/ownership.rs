//! The streams that own an allocation: their accesses need neither waits nor records.
//!
//! A sole owner may have written the allocation, and may write it again. Several owners, or an owner that has not written, only
//! read it.

use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;

use super::streams::PooledStream;
use crate::cuda;

/// The bit of an owner's key that is set if the owner has written the whole allocation, and may do so again.
const WRITTEN: u64 = 1;

/// The maximum number of owners. The accesses of further streams that read the allocation are recorded.
const MAX_OWNERS: usize = 4;

/// The owners' [`cuda::Stream::ownership_key`]s, which operations compare without a lock. They are modified together with the
/// [`Owners`] that they belong to, under a lock.
#[derive(Debug, Default)]
pub(super) struct OwnerKeys([AtomicU64; MAX_OWNERS]);

impl OwnerKeys {
    /// Returns whether an access by the stream with this key needs neither a wait nor a record.
    #[inline]
    pub(super) fn allow(&self, key: u64, writes: bool) -> bool {
        let [first, others @ ..] = &self.0;
        // A reader may ignore the bit, a writer needs it.
        first.load(Ordering::SeqCst) | u64::from(!writes) == key | WRITTEN
            || !writes && others.iter().any(|other| other.load(Ordering::SeqCst) == key)
    }
}

/// The owners of an allocation, in the order of their keys.
#[derive(Debug, Default)]
pub(super) struct Owners {
    streams: SmallVec<[PooledStream; 1]>,
    /// Whether the owner, which then is the only one, may have written the allocation.
    written: bool,
}

impl Owners {
    pub(super) fn iter(&self) -> impl Iterator<Item = &PooledStream> {
        self.streams.iter()
    }

    /// Returns the owner that may have written the allocation.
    pub(super) fn writer(&self) -> Option<&PooledStream> {
        self.streams.first().filter(|_| self.written)
    }

    /// Returns whether the stream is an owner, in whatever generation.
    pub(super) fn contain(&self, stream: &cuda::Stream) -> bool {
        self.streams.iter().any(|owner| owner.is_on(stream))
    }

    /// Returns whether there is an owner besides the stream.
    pub(super) fn contain_other_than(&self, stream: &cuda::Stream) -> bool {
        self.streams.iter().any(|owner| !owner.is_on(stream))
    }

    /// Returns whether the stream is an owner, in the same generation.
    pub(super) fn contain_generation(&self, stream: &PooledStream) -> bool {
        self.streams.iter().any(|owner| owner.is_same_generation(stream))
    }

    /// Returns whether the stream, in the same generation, is the only owner.
    pub(super) fn are_only(&self, stream: &PooledStream) -> bool {
        matches!(&self.streams[..], [owner] if owner.is_same_generation(stream))
    }

    /// Adds an owner that reads the allocation, if there is room. The present owners only read it.
    pub(super) fn add_reader(&mut self, keys: &OwnerKeys, owner: PooledStream, key: u64) {
        if let Some(slot) = keys.0.get(self.streams.len()) {
            self.streams.push(owner);
            slot.store(key, Ordering::SeqCst);
        }
    }

    /// Makes a stream the only owner, which may have written the allocation. There is no other owner.
    pub(super) fn set_writer(&mut self, keys: &OwnerKeys, owner: PooledStream, key: u64) {
        *self = Owners { streams: SmallVec::from_iter([owner]), written: true };
        keys.0[0].store(key | WRITTEN, Ordering::SeqCst);
    }

    /// Removes all owners. Returns them, and whether the only one may have written the allocation.
    pub(super) fn take(&mut self, keys: &OwnerKeys) -> (impl Iterator<Item = PooledStream> + use<>, bool) {
        let Owners { streams, written } = std::mem::take(self);
        keys.0[..streams.len()].iter().for_each(|key| key.store(0, Ordering::SeqCst));
        (streams.into_iter(), written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_and_the_writer_are_told_apart() {
        let keys = OwnerKeys::default();
        let check =
            |key: u64, expected: (bool, bool)| assert_eq!((keys.allow(key, false), keys.allow(key, true)), expected);
        check(2, (false, false));
        keys.0[0].store(2, Ordering::Relaxed);
        check(2, (true, false));
        check(4, (false, false));
        keys.0[2].store(4, Ordering::Relaxed);
        check(4, (true, false));
        keys.0[2].store(0, Ordering::Relaxed);
        keys.0[0].store(2 | WRITTEN, Ordering::Relaxed);
        check(2, (true, true));
        check(4, (false, false));
    }
}
