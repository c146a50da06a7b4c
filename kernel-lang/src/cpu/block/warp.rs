//! Warp-level exchange of values among 32 consecutive threads of a block.
//!
//! Threads are scheduled independently, as on Volta and later: a lane that executes a warp operation waits until the
//! lanes that its mask names have executed the same operation with the same mask, and have provided their inputs. The
//! last lane to arrive computes the outputs of all, while the others still wait. A lane that has ended, or that the
//! block does not have, is not waited for (PTX ISA, `shfl.sync`: "all non-exited threads corresponding to membermask").

use std::any::TypeId;

use smallvec::SmallVec;

/// The number of lanes of a warp.
pub(crate) const WARP_SIZE: usize = 32;

/// A type-erased exchange: its type, and the function that carries it out.
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    pub kind: TypeId,
    /// # Safety
    ///
    /// The participants of the mask's lanes are live, and of the operation's type.
    pub exchange: unsafe fn(&[*mut (); WARP_SIZE], u32),
}

/// Lanes that wait for the others of their mask.
struct PendingExchange {
    operation: Operation,
    mask: u32,
    arrived: u32,
}

/// A warp of a block whose threads are coroutines.
pub(crate) struct Warp {
    /// The mask of the lanes that have not ended.
    alive: u32,
    pending: SmallVec<[PendingExchange; 2]>,
    /// The `Participant` of each lane that waits in a pending exchange.
    participants: [*mut (); WARP_SIZE],
}

impl Warp {
    /// Creates a warp of the lanes in `alive`.
    pub(crate) fn new(alive: u32) -> Warp {
        Warp { alive, pending: SmallVec::new(), participants: [std::ptr::null_mut(); WARP_SIZE] }
    }

    /// Returns the mask of the lanes that have not ended.
    pub(crate) fn alive(&self) -> u32 {
        self.alive
    }

    /// Records the arrival of a lane at an exchange. If it is the last one, carries the exchange out, and returns the
    /// mask of the lanes to release.
    ///
    /// # Safety
    ///
    /// `participant` points to the `Participant` of the operation's exchange, and stays valid while the lane waits.
    pub(crate) unsafe fn arrive(
        &mut self,
        lane: u32,
        operation: Operation,
        mask: u32,
        participant: *mut (),
    ) -> Option<u32> {
        self.participants[lane as usize] = participant;
        let same = |pending: &PendingExchange| pending.operation.kind == operation.kind && pending.mask == mask;
        let position = self.pending.iter().position(same).unwrap_or_else(|| {
            self.pending.push(PendingExchange { operation, mask, arrived: 0 });
            self.pending.len() - 1
        });
        self.pending[position].arrived |= 1 << lane;
        self.complete(position)
    }

    /// Records the end of a lane. Returns the mask of the lanes to release.
    pub(crate) fn end(&mut self, lane: u32) -> u32 {
        self.alive &= !(1 << lane);
        let mut released = 0;
        for position in (0..self.pending.len()).rev() {
            released |= self.complete(position).unwrap_or(0);
        }
        released
    }

    /// Carries a pending exchange out if all of its lanes have arrived. Returns their mask.
    fn complete(&mut self, position: usize) -> Option<u32> {
        let &PendingExchange { operation, mask, arrived } = &self.pending[position];
        if arrived != mask & self.alive {
            return None;
        }
        self.pending.swap_remove(position);
        // SAFETY: the lanes that have arrived still wait, so that their participants are live; these arrived at an
        // operation of this kind, so that they are of its type.
        unsafe { (operation.exchange)(&self.participants, arrived) };
        Some(arrived)
    }

    /// Returns the mask of the lanes that `lane`, which waits in a pending exchange with this mask, waits for.
    pub(crate) fn missing(&self, lane: u32, mask: u32) -> u32 {
        let own = |pending: &&PendingExchange| pending.mask == mask && pending.arrived >> lane & 1 == 1;
        self.pending.iter().find(own).map_or(0, |pending| mask & self.alive & !pending.arrived)
    }
}
