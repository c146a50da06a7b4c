//! Warp-level exchange of values among 32 consecutive threads of a block.
//!
//! Threads are scheduled independently, as on Volta and later: a lane that executes a warp operation waits until the
//! lanes that its mask names have executed the same operation with the same mask, and have provided their inputs. The
//! last lane to arrive computes the outputs of all, while the others still wait. A lane that has ended, or that the
//! block does not have, is not waited for (PTX ISA, `shfl.sync`: "all non-exited threads corresponding to membermask").

use std::any::TypeId;

use smallvec::SmallVec;

use crate::cpu::Location;
use crate::cpu::context::Cx;
use crate::cpu::coroutine::CoroutineHandle;
use crate::cpu::fault;

/// The number of lanes of a warp.
pub const SIZE: usize = 32;

/// An operation that the lanes of a mask compute together.
pub trait Exchange: 'static {
    /// The input of each lane.
    type Input;
    /// The output of each lane.
    type Output;
    /// The name of the operation in a kernel.
    const NAME: &'static str;

    /// Returns the output of `lane`, one of `lanes`, whose input is `own`.
    fn exchange(lane: u32, own: &Self::Input, lanes: &LaneInputs<'_, Self::Input>) -> Self::Output;
}

/// The inputs of the lanes that take part in an exchange.
pub struct LaneInputs<'a, I> {
    inputs: [Option<&'a I>; SIZE],
}

impl<'a, I> LaneInputs<'a, I> {
    /// Returns the input of a lane, if it takes part.
    pub fn of(&self, lane: u32) -> Option<&'a I> {
        self.inputs.get(lane as usize).copied().flatten()
    }

    /// Iterates over the lanes that take part, with their inputs.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &'a I)> {
        (0..).zip(self.inputs).filter_map(|(lane, input)| Some((lane, input?)))
    }

    /// Returns the mask of the lanes whose input satisfies `predicate`.
    pub fn mask(&self, mut predicate: impl FnMut(&I) -> bool) -> u32 {
        self.iter().fold(0, |mask, (lane, input)| mask | u32::from(predicate(input)) << lane)
    }
}

/// A lane's input and output. It is on the lane's stack, which does not change while the lane waits.
struct Participant<X: Exchange> {
    input: X::Input,
    output: Option<X::Output>,
}

/// Computes the output of each lane of `arrived`.
///
/// # Safety
///
/// For each lane of `arrived`, `participants` has a pointer to a live `Participant<X>` that no other code accesses
/// meanwhile.
unsafe fn exchange<X: Exchange>(participants: &[*mut (); SIZE], arrived: u32) {
    let participant = |lane: usize| participants[lane].cast::<Participant<X>>();
    // SAFETY: guaranteed by the caller; while `lanes` is used, only the other field is written.
    let input = |lane| (arrived >> lane & 1 == 1).then(|| unsafe { &(*participant(lane)).input });
    let lanes = LaneInputs { inputs: std::array::from_fn(input) };
    for (lane, own) in lanes.iter() {
        let output = X::exchange(lane, own, &lanes);
        // SAFETY: as above.
        unsafe { (&raw mut (*participant(lane as usize)).output).write(Some(output)) };
    }
}

/// A type-erased exchange: its type, and the function that carries it out.
#[derive(Clone, Copy)]
struct Operation {
    kind: TypeId,
    exchange: unsafe fn(&[*mut (); SIZE], u32),
}

/// Lanes that wait for the others of their mask.
struct PendingExchange {
    operation: Operation,
    mask: u32,
    arrived: u32,
}

/// A warp of a block whose threads are coroutines.
pub struct Warp {
    /// The mask of the lanes that have not ended.
    alive: u32,
    pending: SmallVec<[PendingExchange; 2]>,
    /// The `Participant` of each lane that waits in a pending exchange.
    participants: [*mut (); SIZE],
}

impl Warp {
    /// Creates a warp of the lanes in `alive`.
    pub fn new(alive: u32) -> Warp {
        Warp { alive, pending: SmallVec::new(), participants: [std::ptr::null_mut(); SIZE] }
    }

    /// Returns the mask of the lanes that have not ended.
    pub fn alive(&self) -> u32 {
        self.alive
    }

    /// Records the arrival of a lane at an exchange. If it is the last one, carries the exchange out, and returns the
    /// mask of the lanes to release.
    ///
    /// # Safety
    ///
    /// `participant` points to the `Participant` of the operation's exchange, and stays valid while the lane waits.
    unsafe fn arrive(&mut self, lane: u32, operation: Operation, mask: u32, participant: *mut ()) -> Option<u32> {
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
    pub fn end(&mut self, lane: u32) -> u32 {
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
    pub fn missing(&self, lane: u32, mask: u32) -> u32 {
        let own = |pending: &&PendingExchange| pending.mask == mask && pending.arrived >> lane & 1 == 1;
        self.pending.iter().find(own).map_or(0, |pending| mask & self.alive & !pending.arrived)
    }
}

impl Cx<'_> {
    /// Returns the thread's number in its warp.
    #[inline(always)]
    pub fn lane(self) -> u32 {
        (self.number() % SIZE) as u32
    }

    /// Exchanges values with the lanes that `mask` names.
    #[inline(always)]
    pub fn exchange<X: Exchange>(self, at: &'static Location, mask: u32, input: X::Input) -> X::Output {
        exchange_values::<X>(self.coroutine(), self.lane(), at, mask, input)
    }
}

fn exchange_values<X: Exchange>(
    coroutine: Option<&CoroutineHandle<'_>>,
    lane: u32,
    at: &'static Location,
    mask: u32,
    input: X::Input,
) -> X::Output {
    if mask >> lane & 1 == 0 {
        fault::not_in_mask(at, X::NAME, lane, mask);
    }
    let mut participant = Participant::<X> { input, output: None };
    let pointer = (&raw mut participant).cast::<()>();
    let operation = Operation { kind: TypeId::of::<X>(), exchange: exchange::<X> };
    // SAFETY: the participant is one of this operation, and lives until this call returns.
    let arrive = |warp: &mut Warp| unsafe { warp.arrive(lane, operation, mask, pointer) };
    if let Some(coroutine) = coroutine {
        coroutine.exchange(at, X::NAME, mask, arrive);
    } else {
        arrive(&mut Warp::new(1 << lane)); // the only thread waits for no other lane
    }
    // SAFETY: the exchange wrote through the pointer, so the output is read through it.
    unsafe { (*pointer.cast::<Participant<X>>()).output.take() }
        .expect("the outputs of all lanes are computed before a lane continues")
}
