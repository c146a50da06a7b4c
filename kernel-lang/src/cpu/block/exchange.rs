//! Exchanges of values among the lanes of a warp.

use std::any::TypeId;

use crate::cpu::block::coroutine_handle::CoroutineHandle;
use crate::cpu::block::warp::{Operation, WARP_SIZE, Warp};
use crate::cpu::fault;
use crate::cpu::location::Location;

/// An operation that the lanes of a mask compute together.
pub(crate) trait Exchange: 'static {
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
pub(crate) struct LaneInputs<'a, I> {
    inputs: [Option<&'a I>; WARP_SIZE],
}

impl<'a, I> LaneInputs<'a, I> {
    /// Returns the input of a lane, if it takes part.
    pub(crate) fn of(&self, lane: u32) -> Option<&'a I> {
        self.inputs.get(lane as usize).copied().flatten()
    }

    /// Iterates over the lanes that take part, with their inputs.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &'a I)> {
        (0..).zip(self.inputs).filter_map(|(lane, input)| Some((lane, input?)))
    }

    /// Returns the mask of the lanes whose input satisfies `predicate`.
    pub(crate) fn mask(&self, mut predicate: impl FnMut(&I) -> bool) -> u32 {
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
unsafe fn exchange<X: Exchange>(participants: &[*mut (); WARP_SIZE], arrived: u32) {
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

/// Exchanges values with the lanes that `mask` names.
pub(crate) fn exchange_values<X: Exchange>(
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
