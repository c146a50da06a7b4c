//! What has to wait for what, where a device has more than one stream.
//!
//! Memory notes its uses: which operation of which stream read or wrote which bytes. Before an operation, its stream is told
//! to wait for those uses on other streams that it must not overtake: writes, and reads too if it writes. While others wait
//! for a stream, its last operations have an event behind each of them for that (`cuda/stream.rs`), so that who waits does so
//! for them and not for what came later.
//!
//! While a device has one stream, nothing is noted and no event recorded: the stream is the order. What makes that safe when
//! a second stream appears in the midst of launches by other threads:
//!
//! - Who makes the second stream first sets the flag, and then records an event on the first stream, for which the new one
//!   waits before it is asked for anything ([`Context::let_in`](crate::cuda::Context)).
//! - An operation looks at the flag before the driver is called and again after. Within the driver, its call and the
//!   recording of the event are one before the other. If the operation is the first, the event is behind it, and with it
//!   all that the new stream does. If it is the second, the flag was set before, and the second look finds it: the
//!   operation is noted after all.
//! - That such an operation has waited for nothing is right: what it has to wait for was asked for before it began, since
//!   Rust's borrows let no two operations that conflict be asked for at once; and the flag was not set then, so that it was
//!   on the one stream that there was.
//!
//! In the same way, a use is noted before the launch gives back its borrow of the array, and so before anything that has to
//! wait for it is asked for. Locks are only for uses that do not conflict, such as two reads, or of two parts of an array.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::cpu;
use crate::cuda;
use crate::error::Result;
use crate::memory::Use;
use crate::sync::Mutex;

/// Where operations are in order: a stream, as the runtime sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Cpu(Arc<cpu::Stream>),
    Cuda(Arc<cuda::Stream>),
}

impl Lane {
    /// How often the stream was handed out again.
    fn tenancy(&self) -> u64 {
        match self {
            Lane::Cpu(stream) => stream.generation(),
            Lane::Cuda(stream) => stream.tenancy(),
        }
    }

    /// Gives out a fault of what is over.
    pub(crate) fn give_out_fault(&self) -> Result<()> {
        match self {
            Lane::Cpu(stream) => stream.take_fault(),
            Lane::Cuda(stream) => stream.give_out_fault(),
        }
    }
}

/// A stream as one of its holders has it. A stream that nobody holds is handed out again, and what goes wrong for a later holder
/// is not the business of an earlier one's arrays and events.
///
/// Two are equal where their stream is: it is in order whoever holds it.
#[derive(Clone, Debug)]
pub(crate) struct Tenant {
    lane: Lane,
    tenancy: u64,
}

impl Tenant {
    /// The one who holds the stream now.
    pub(crate) fn of(lane: Lane) -> Tenant {
        let tenancy = lane.tenancy();
        Tenant { lane, tenancy }
    }

    pub(crate) fn lane(&self) -> &Lane {
        &self.lane
    }

    /// Whether the stream was not handed out to another since.
    pub(crate) fn is_current(&self) -> bool {
        self.lane.tenancy() == self.tenancy
    }

    /// Gives out a fault of what is over, unless the stream has another holder by now: it was handed out when no fault was
    /// left.
    pub(crate) fn give_out_fault(&self) -> Result<()> {
        if self.is_current() { self.lane.give_out_fault() } else { Ok(()) }
    }
}

impl PartialEq for Tenant {
    fn eq(&self, other: &Tenant) -> bool {
        self.lane == other.lane
    }
}

impl Eq for Tenant {}

/// Which bytes of an allocation an operation uses, and whether it writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) bytes: Range<usize>,
    pub(crate) writes: bool,
}

impl Touch {
    /// Whether one of two on the same memory has to be over before the other begins: where one writes what the other uses.
    pub(crate) fn conflicts(&self, other: &Touch) -> bool {
        (self.writes || other.writes) && self.meets(&other.bytes)
    }

    /// Whether it uses any of these bytes.
    fn meets(&self, bytes: &Range<usize>) -> bool {
        self.bytes.start < bytes.end && bytes.start < self.bytes.end
    }
}

/// For each of some streams, an operation to wait for.
type Before = SmallVec<[(Arc<cuda::Stream>, u64); 4]>;

/// How an allocation was used.
#[derive(Debug, Default)]
pub(crate) struct Uses(Mutex<List<Tenant>>);

impl Uses {
    /// Notes an operation that is over: only who did it is of interest, for its faults.
    pub(crate) fn note_on_cpu(&self, stream: &Arc<cpu::Stream>, bytes: Range<usize>, writes: bool) {
        let noted = Noted { lane: Tenant::of(Lane::Cpu(stream.clone())), mark: 0, touch: Touch { bytes, writes } };
        self.with(|list| list.note(noted));
    }

    /// The streams that wrote any of these bytes, the last one first.
    pub(crate) fn writers(&self, bytes: &Range<usize>) -> SmallVec<[Tenant; 2]> {
        self.with(|list| list.writers(bytes))
    }

    /// Of the streams that are `wanted`, the one that used the memory last.
    pub(crate) fn last(&self, wanted: impl Fn(&Tenant) -> bool) -> Option<Lane> {
        self.with(|list| {
            list.uses.iter().rev().map(|noted| &noted.lane).find(|tenant| wanted(tenant)).map(|it| it.lane().clone())
        })
    }

    /// Tells a stream to wait for all uses that an operation must not overtake.
    pub(crate) fn wait(&self, stream: &cuda::Stream, touch: &Touch) -> Result<()> {
        let mut before = Before::new();
        self.collect(stream, touch, &mut before);
        wait_for(stream, &before)
    }

    /// Notes the last of the operations of each stream that an operation of `own` must not overtake.
    fn collect(&self, own: &cuda::Stream, touch: &Touch, before: &mut Before) {
        self.with(|list| {
            for noted in list.before(touch) {
                let Lane::Cuda(stream) = noted.lane.lane() else { continue }; // what the CPU did is over
                if **stream == *own {
                    continue; // it is in order already
                }
                match before.iter_mut().find(|(other, _)| other == stream) {
                    Some((_, mark)) => *mark = noted.mark.max(*mark),
                    None => before.push((stream.clone(), noted.mark)),
                }
            }
        });
    }

    fn with<R>(&self, f: impl FnOnce(&mut List<Tenant>) -> R) -> R {
        f(&mut self.0.lock())
    }
}

/// Asks `stream` for an operation on memory, behind all that it must not overtake.
///
/// # Errors
///
/// Those of `work`, or what the driver refused.
#[inline]
pub(crate) fn ordered<R>(stream: &Arc<cuda::Stream>, uses: &[Use<'_>], work: impl FnOnce() -> Result<R>) -> Result<R> {
    let several = stream.has_company();
    if several {
        wait(stream, uses)?;
    }
    let result = work();
    // Also where it failed: part of the work may have been asked for.
    if several || stream.has_company() {
        note(stream, uses)?;
    }
    result
}

#[cold]
fn wait(stream: &cuda::Stream, uses: &[Use<'_>]) -> Result<()> {
    let mut before = Before::new();
    for used in uses {
        used.memory.uses().collect(stream, &used.touch(), &mut before);
    }
    wait_for(stream, &before)
}

fn wait_for(stream: &cuda::Stream, before: &Before) -> Result<()> {
    before.iter().try_for_each(|(other, mark)| Ok(stream.wait_for(other, *mark)?))
}

/// Notes that the last operation of the stream used memory so.
#[cold]
pub(crate) fn note(stream: &Arc<cuda::Stream>, uses: &[Use<'_>]) -> Result<()> {
    if uses.iter().all(|used| used.bytes.is_empty()) {
        return Ok(());
    }
    let Ok(mark) = stream.mark() else {
        // Without an event others cannot wait for it: so it has to be over.
        return Ok(stream.wait()?);
    };
    for used in uses {
        let noted = Noted { lane: Tenant::of(Lane::Cuda(stream.clone())), mark, touch: used.touch() };
        used.memory.uses().with(|list| list.note(noted));
    }
    Ok(())
}

/// A use of some bytes of an allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Noted<L> {
    lane: L,
    /// The number of the operation on its stream; larger is later.
    mark: u64,
    touch: Touch,
}

/// More uses than these are not kept apart.
const KEPT: usize = 256;

/// The uses of an allocation that may still have to be waited for, in the order in which they were noted.
#[derive(Debug)]
struct List<L> {
    uses: SmallVec<[Noted<L>; 1]>,
}

impl<L> Default for List<L> {
    fn default() -> Self {
        List { uses: SmallVec::new() }
    }
}

impl<L: Clone + PartialEq> List<L> {
    /// The uses that an operation must not overtake.
    fn before(&self, touch: &Touch) -> impl Iterator<Item = &Noted<L>> {
        self.uses.iter().filter(move |noted| noted.touch.conflicts(touch))
    }

    fn writers(&self, bytes: &Range<usize>) -> SmallVec<[L; 2]> {
        let mut writers = SmallVec::new();
        for noted in self.uses.iter().rev().filter(|noted| noted.touch.writes && noted.touch.meets(bytes)) {
            if !writers.contains(&noted.lane) {
                writers.push(noted.lane.clone());
            }
        }
        writers
    }

    /// Notes a use that waited for all that it must not overtake.
    fn note(&mut self, new: Noted<L>) {
        if new.touch.bytes.is_empty() {
            return;
        }
        // The usual case of a stream that has the memory for itself.
        if let [only] = &mut self.uses[..]
            && makes_up_for(&new, only)
        {
            *only = new;
            return;
        }
        self.uses.retain(|old| !makes_up_for(&new, old));
        self.uses.push(new);
        if self.uses.len() > KEPT {
            self.thin_out();
        }
    }

    /// Makes one use of all those of a stream that are alike: who waits for one of them then waits for the last.
    fn thin_out(&mut self) {
        let mut kept: SmallVec<[Noted<L>; 1]> = SmallVec::new();
        for noted in self.uses.drain(..) {
            let is_alike = |other: &Noted<L>| other.lane == noted.lane && other.touch.writes == noted.touch.writes;
            match kept.iter().position(is_alike) {
                Some(position) => {
                    // At the end again, since its last use is as late as that.
                    let mut merged = kept.remove(position);
                    let (all, new) = (&mut merged.touch.bytes, noted.touch.bytes);
                    *all = all.start.min(new.start)..all.end.max(new.end);
                    merged.mark = merged.mark.max(noted.mark);
                    // Who held the stream last is asked for the faults.
                    merged.lane = noted.lane;
                    kept.push(merged);
                }
                None => kept.push(noted),
            }
        }
        self.uses = kept;
    }
}

/// Whether nobody has to wait for `old` any more who waits for `new`: because that did, or is later on the same stream; and
/// whoever would have to wait for `old` has to wait for `new`.
fn makes_up_for<L: PartialEq>(new: &Noted<L>, old: &Noted<L>) -> bool {
    let (all, part) = (&new.touch.bytes, &old.touch.bytes);
    let contains = all.start <= part.start && part.end <= all.end;
    contains && (new.touch.writes || !old.touch.writes && new.lane == old.lane && new.mark >= old.mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: bool = false;
    const WRITE: bool = true;

    fn list(uses: &[(char, u64, Range<usize>, bool)]) -> List<char> {
        let mut list = List::default();
        for (lane, mark, bytes, writes) in uses {
            list.note(Noted { lane: *lane, mark: *mark, touch: Touch { bytes: bytes.clone(), writes: *writes } });
        }
        list
    }

    /// What a use of these bytes has to wait for.
    #[track_caller]
    fn check(list: &List<char>, bytes: Range<usize>, writes: bool, expected: &[(char, u64)]) {
        let before: Vec<_> = list.before(&Touch { bytes, writes }).map(|noted| (noted.lane, noted.mark)).collect();
        assert_eq!(before, expected, "{list:?}");
    }

    #[test]
    fn readers_wait_for_the_writer_and_writers_for_all() {
        let list = list(&[('a', 1, 0..8, WRITE), ('b', 1, 0..8, READ), ('c', 4, 0..8, READ), ('b', 2, 0..8, READ)]);
        check(&list, 0..8, READ, &[('a', 1)]);
        check(&list, 0..8, WRITE, &[('a', 1), ('c', 4), ('b', 2)]);
    }

    #[test]
    fn a_write_makes_up_for_what_it_waited_for() {
        let list = list(&[('a', 1, 0..8, WRITE), ('b', 1, 0..8, READ), ('c', 2, 0..8, WRITE)]);
        check(&list, 0..8, WRITE, &[('c', 2)]);
        assert_eq!(list.uses.len(), 1);
    }

    #[test]
    fn parts_that_do_not_meet_wait_for_nothing() {
        let list = list(&[('a', 1, 0..4, WRITE), ('b', 1, 4..8, WRITE)]);
        check(&list, 0..4, WRITE, &[('a', 1)]);
        check(&list, 4..8, READ, &[('b', 1)]);
        check(&list, 3..5, READ, &[('a', 1), ('b', 1)]);
        check(&list, 8..9, WRITE, &[]);
        check(&list, 4..4, WRITE, &[]);
    }

    #[test]
    fn part_of_a_use_stays() {
        let list = list(&[('a', 1, 0..8, WRITE), ('b', 1, 0..4, WRITE), ('b', 2, 0..0, WRITE)]);
        check(&list, 6..8, READ, &[('a', 1)]);
        check(&list, 0..8, READ, &[('a', 1), ('b', 1)]);
        assert_eq!(list.writers(&(0..8)).as_slice(), ['b', 'a']);
        assert_eq!(list.writers(&(4..8)).as_slice(), ['a']);
    }

    #[test]
    fn a_read_that_is_noted_late_hides_no_later_one() {
        // Two threads that read on one stream: the second operation may be noted first.
        let list = list(&[('b', 2, 0..8, READ), ('b', 1, 0..8, READ)]);
        check(&list, 0..8, WRITE, &[('b', 2), ('b', 1)]);
    }

    #[test]
    fn many_uses_become_few_and_none_is_lost() {
        let uses: Vec<_> = (0..1000).map(|i| ('a', i as u64 + 1, 2 * i..2 * i + 1, WRITE)).collect();
        let list = list(&uses);
        assert!(list.uses.len() <= KEPT);
        for (lane, mark, bytes, _) in uses {
            assert!(list.before(&Touch { bytes, writes: READ }).any(|noted| noted.lane == lane && noted.mark >= mark));
        }
    }

    /// An operation, and the last one of each stream that it is behind: its predecessor on its own, and what it waited for.
    struct Done {
        lane: usize,
        mark: u64,
        touch: Touch,
        behind: [u64; 4],
    }

    /// Random uses on few streams, against a list that forgets nothing: whatever has to be waited for is waited for, be it
    /// through others.
    #[test]
    fn waiting_for_what_is_kept_is_waiting_for_all() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for _ in 0..200 {
            let mut list = List::default();
            let mut marks = [0u64; 4];
            let mut done: Vec<Done> = Vec::new();
            let mut behind = [[0u64; 4]; 4];
            for _ in 0..400 {
                let (lane, start, writes) = (random(4), random(24), random(3) == 0);
                let touch = Touch { bytes: start..start + 1 + random(8), writes };
                for noted in list.before(&touch) {
                    let of = done.iter().find(|done| done.lane == noted.lane && done.mark == noted.mark).unwrap();
                    for (mine, theirs) in behind[lane].iter_mut().zip(of.behind) {
                        *mine = (*mine).max(theirs);
                    }
                }
                for other in &done {
                    if other.touch.conflicts(&touch) && other.lane != lane {
                        let Done { lane: of, mark, .. } = *other;
                        assert!(behind[lane][of] >= mark, "operation {mark} of {of} is overtaken");
                    }
                }
                marks[lane] += 1;
                behind[lane][lane] = marks[lane];
                done.push(Done { lane, mark: marks[lane], touch: touch.clone(), behind: behind[lane] });
                list.note(Noted { lane, mark: marks[lane], touch });
            }
        }
    }
}
