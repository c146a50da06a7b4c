//! Warps: how 32 neighbouring threads of a block exchange values.
//!
//! Threads are independent, as on Volta and later: a lane that comes to an operation of the warp waits until the lanes
//! that its mask names have come to the same operation with the same mask, and have brought their values. The one that
//! comes last computes what each of them gets, while the others still wait. A lane that has ended, or that the block
//! does not have, is not waited for (PTX ISA, `shfl.sync`: "all non-exited threads corresponding to membermask").

use std::any::TypeId;

use smallvec::SmallVec;

use crate::cpu::At;
use crate::cpu::context::Cx;
use crate::cpu::coroutine::Member;
use crate::cpu::fault;

/// The threads of a warp.
pub(crate) const SIZE: usize = 32;

/// What the lanes of a mask compute together.
pub(crate) trait Exchange: 'static {
    /// What each lane brings.
    type Brings;
    /// What each lane gets.
    type Gets;
    /// The operation, as a kernel names it.
    const NAME: &'static str;

    /// What `lane` gets, which has brought `own` and is one of `lanes`.
    fn exchange(lane: u32, own: &Self::Brings, lanes: &Lanes<'_, Self::Brings>) -> Self::Gets;
}

/// What the lanes that have met have brought.
pub(crate) struct Lanes<'a, B> {
    brought: [Option<&'a B>; SIZE],
}

impl<'a, B> Lanes<'a, B> {
    /// What a lane has brought, if it takes part.
    pub(crate) fn of(&self, lane: u32) -> Option<&'a B> {
        self.brought.get(lane as usize).copied().flatten()
    }

    /// The lanes that take part, and what they have brought.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &'a B)> {
        (0..).zip(self.brought).filter_map(|(lane, brought)| Some((lane, brought?)))
    }

    /// A mask of the lanes whose values are as `wanted`.
    pub(crate) fn mask(&self, mut wanted: impl FnMut(&B) -> bool) -> u32 {
        self.iter().fold(0, |mask, (lane, brought)| mask | u32::from(wanted(brought)) << lane)
    }
}

/// A lane's part in an exchange. It is on the lane's stack, which stands still while the lane waits.
struct Part<X: Exchange> {
    brings: X::Brings,
    gets: Option<X::Gets>,
}

/// Computes what each lane of `arrived` gets.
///
/// # Safety
///
/// For each lane of `arrived`, `parts` has a pointer to a live `Part<X>` that nothing else uses meanwhile.
unsafe fn exchange<X: Exchange>(parts: &[*mut (); SIZE], arrived: u32) {
    let part = |lane: usize| parts[lane].cast::<Part<X>>();
    // SAFETY: the caller's promise; while `lanes` is used, only the other field is written.
    let brought = |lane| (arrived >> lane & 1 == 1).then(|| unsafe { &(*part(lane)).brings });
    let lanes = Lanes { brought: std::array::from_fn(brought) };
    for (lane, own) in lanes.iter() {
        let gets = X::exchange(lane, own, &lanes);
        // SAFETY: as above.
        unsafe { (&raw mut (*part(lane as usize)).gets).write(Some(gets)) };
    }
}

/// What lanes meet for: the type of the exchange, and what carries it out.
#[derive(Clone, Copy)]
struct Operation {
    kind: TypeId,
    exchange: unsafe fn(&[*mut (); SIZE], u32),
}

/// Lanes that wait for others of their mask.
struct Meeting {
    operation: Operation,
    mask: u32,
    arrived: u32,
}

/// A warp of a block whose threads run side by side.
pub(crate) struct Warp {
    /// The lanes that have not ended.
    alive: u32,
    meetings: SmallVec<[Meeting; 2]>,
    /// The parts of lanes that wait in a meeting.
    parts: [*mut (); SIZE],
}

impl Warp {
    /// A warp of the lanes in `alive`.
    pub(crate) fn new(alive: u32) -> Warp {
        Warp { alive, meetings: SmallVec::new(), parts: [std::ptr::null_mut(); SIZE] }
    }

    /// The lanes that have not ended.
    pub(crate) fn alive(&self) -> u32 {
        self.alive
    }

    /// A lane comes to a meeting. If it is the last one, the exchange is done, and the result is who may go on.
    ///
    /// # Safety
    ///
    /// `part` points to the `Part` of the operation's exchange, and stays valid for as long as the lane waits.
    unsafe fn arrive(&mut self, lane: u32, operation: Operation, mask: u32, part: *mut ()) -> Option<u32> {
        self.parts[lane as usize] = part;
        let same = |meeting: &Meeting| meeting.operation.kind == operation.kind && meeting.mask == mask;
        let position = self.meetings.iter().position(same).unwrap_or_else(|| {
            self.meetings.push(Meeting { operation, mask, arrived: 0 });
            self.meetings.len() - 1
        });
        self.meetings[position].arrived |= 1 << lane;
        self.conclude(position)
    }

    /// A lane ends. The result is who may go on.
    pub(crate) fn end(&mut self, lane: u32) -> u32 {
        self.alive &= !(1 << lane);
        let mut released = 0;
        for position in (0..self.meetings.len()).rev() {
            released |= self.conclude(position).unwrap_or(0);
        }
        released
    }

    /// Does the exchange of a meeting for which nobody is missing. The result is who took part.
    fn conclude(&mut self, position: usize) -> Option<u32> {
        let &Meeting { operation, mask, arrived } = &self.meetings[position];
        if arrived != mask & self.alive {
            return None;
        }
        self.meetings.swap_remove(position);
        // SAFETY: the lanes that have arrived still wait, so that their parts are live; they came for an operation of this
        // kind, so that the parts are of its type.
        unsafe { (operation.exchange)(&self.parts, arrived) };
        Some(arrived)
    }

    /// The lanes that `lane`, which waits in a meeting of this mask, waits for.
    pub(crate) fn missing(&self, lane: u32, mask: u32) -> u32 {
        let own = |meeting: &&Meeting| meeting.mask == mask && meeting.arrived >> lane & 1 == 1;
        self.meetings.iter().find(own).map_or(0, |meeting| mask & self.alive & !meeting.arrived)
    }
}

impl Cx<'_> {
    /// The thread's number in its warp.
    #[inline(always)]
    pub(crate) fn lane(self) -> u32 {
        (self.number() % SIZE) as u32
    }

    /// Meets the lanes that `mask` names, and exchanges values with them.
    #[inline(always)]
    pub(crate) fn meet<X: Exchange>(self, at: &'static At, mask: u32, brings: X::Brings) -> X::Gets {
        meet::<X>(self.member(), self.lane(), at, mask, brings)
    }
}

fn meet<X: Exchange>(member: Option<&Member<'_>>, lane: u32, at: &'static At, mask: u32, brings: X::Brings) -> X::Gets {
    if mask >> lane & 1 == 0 {
        fault::not_in_mask(at, X::NAME, lane, mask);
    }
    let mut part = Part::<X> { brings, gets: None };
    let pointer = (&raw mut part).cast::<()>();
    let operation = Operation { kind: TypeId::of::<X>(), exchange: exchange::<X> };
    // SAFETY: the part is this operation's, and lives until this call is over.
    let arrive = |warp: &mut Warp| unsafe { warp.arrive(lane, operation, mask, pointer) };
    if let Some(member) = member {
        member.meet(at, X::NAME, mask, arrive);
    } else {
        arrive(&mut Warp::new(1 << lane)); // the only thread waits for nobody
    }
    // SAFETY: the exchange wrote through the pointer, so it is read through it.
    unsafe { (*pointer.cast::<Part<X>>()).gets.take() }.expect("the exchange is done for all lanes before one goes on")
}
