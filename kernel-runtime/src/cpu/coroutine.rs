//! The threads of a block as coroutines, for kernels whose threads wait for each other.
//!
//! Each thread has a stack of its own and runs until it waits or ends. A turn resumes every thread that can go on once.
//! Who waits is noted in the [`Team`]; whoever comes last to where others wait lets them go on. When nobody can, the
//! threads wait for each other, which is a fault: nothing hangs. A thread that asks memory again and again for what
//! another thread is to write there lets the others run meanwhile.
//!
//! # Barriers and ended threads
//!
//! Since Volta a barrier of the block "will not succeed until reached by all non-exited threads in the block" (CUDA C++
//! Programming Guide, "Independent Thread Scheduling"), and `__syncthreads()` "is allowed in conditional code but only if
//! the conditional evaluates identically across the entire thread block". PTX agrees: `bar.sync` is `barrier.sync.aligned`,
//! which is undefined where only some threads of a warp execute it. So a thread that left the kernel, by `return` or by a
//! fault, is not waited for; but a thread that reached the end of the body has gone around the barrier at which others
//! wait, and that is a [`FaultKind::Deadlock`]. At a barrier of the grid every thread counts: the blocks wait for each
//! other there, and one whose threads have ended never arrives.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::cpu::At;
use crate::cpu::block::{BlockMemory, Position};
use crate::cpu::body::Body;
use crate::cpu::context::Cx;
use crate::cpu::fault::{self, Fault};
use crate::cpu::running::Running;
use crate::cpu::stacks::{Stacks, guard_of};
use crate::cpu::wait::{Missing, Scope, Wait, deadlock};
use crate::cpu::warp::{self, Warp};
use crate::error::FaultKind;

/// How often a thread may ask memory in vain before the others have their turn. A switch of stacks costs as much as ten of
/// these operations or so, and most kernels never ask as often.
const PATIENCE: u32 = 64;

/// What the threads of a block know of each other.
struct Team {
    position: Position,
    memory: BlockMemory,
    /// The threads that can go on, a bit for each.
    ready: Box<[Cell<u64>]>,
    /// Where each thread waits, on its stack; of those that do not wait, where they last did.
    waits: Box<[Cell<*const Wait>]>,
    warps: Box<[RefCell<Warp>]>,
    /// Those that have not ended.
    alive: Cell<u32>,
    /// Where the guard page of each thread's stack begins.
    guards: Box<[Cell<usize>]>,
    /// How each thread ended.
    ends: Box<[Cell<Option<End>>]>,
    /// The threads that reached the end of the body: no barrier of the block succeeds without them.
    finished: Cell<u32>,
    barrier: Barrier,
    /// Those that wait for the other blocks.
    at_grid: Cell<u32>,
    /// Those that ask which lanes are with them.
    gathering: RefCell<Vec<Gathering>>,
    /// The threads that in this turn only asked memory in vain, a bit for each. They can go on.
    spinning: Box<[Cell<u64>]>,
}

/// A barrier of the block, at which some threads may have arrived.
#[derive(Default)]
struct Barrier {
    /// Who waits here.
    arrived: Cell<u32>,
    /// For how many of them the predicate holds.
    holds: Cell<u32>,
    /// Where the first of them waits.
    at: Cell<Option<&'static At>>,
    /// Not all of them wait at the same place.
    mixed: Cell<bool>,
    /// What the last barrier said. The next cannot say it before everyone has read this.
    verdict: Cell<Verdict>,
}

/// Of how many threads a predicate holds, and how many there are.
#[derive(Clone, Copy, Default)]
pub(crate) struct Verdict {
    pub(crate) holds: u32,
    pub(crate) of: u32,
}

/// A lane that asks which lanes are with it.
struct Gathering {
    thread: usize,
    at: &'static At,
    /// On the lane's stack: where the answer goes.
    answer: *const Cell<u32>,
}

/// How a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By a `return` of the kernel.
    Returned,
    /// At the end of the kernel's body.
    Finished,
    /// By a fault.
    Faulted,
}

/// How far the threads of a block have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Some can go on.
    Moving,
    /// All that can go on ask memory in vain: what they wait for may be up to another block.
    Spinning,
    /// All wait at a barrier of the grid.
    AtGrid,
    /// None can go on, and not all wait at a barrier of the grid.
    Deadlocked,
    /// All have ended.
    Ended,
}

impl Team {
    fn new(position: Position, shared_bytes: usize) -> Team {
        let threads = position.block_dim.count() as usize;
        let lanes = |warp: usize| u32::MAX >> (warp::SIZE - (threads - warp * warp::SIZE).min(warp::SIZE));
        let all = |word: usize| u64::MAX >> (64 - (threads - word * 64).min(64));
        let words = threads.div_ceil(64);
        Team {
            position,
            memory: BlockMemory::new(shared_bytes),
            ready: (0..words).map(|word| Cell::new(all(word))).collect(),
            waits: (0..threads).map(|_| Cell::new(std::ptr::null())).collect(),
            warps: (0..threads.div_ceil(warp::SIZE)).map(|warp| RefCell::new(Warp::new(lanes(warp)))).collect(),
            alive: Cell::new(threads as u32),
            guards: (0..threads).map(|_| Cell::new(0)).collect(),
            ends: (0..threads).map(|_| Cell::new(None)).collect(),
            finished: Cell::new(0),
            barrier: Barrier::default(),
            at_grid: Cell::new(0),
            gathering: RefCell::default(),
            spinning: (0..words).map(|_| Cell::new(0)).collect(),
        }
    }

    /// Lets some lanes of a warp go on.
    fn release_lanes(&self, warp: usize, lanes: u32) {
        let word = &self.ready[warp / 2];
        word.set(word.get() | u64::from(lanes) << (warp % 2 * warp::SIZE));
    }

    /// Lets every thread go on that has not ended.
    fn release_all(&self) {
        for (number, warp) in self.warps.iter().enumerate() {
            self.release_lanes(number, warp.borrow().alive());
        }
    }

    /// Whether a lane of the warp can go on, and does not only ask memory in vain.
    fn moves(&self, warp: usize) -> bool {
        let moving = self.ready[warp / 2].get() & !self.spinning[warp / 2].get();
        (moving >> (warp % 2 * warp::SIZE)) as u32 != 0
    }

    /// Lets the threads at the barrier go on, if nobody is missing. Those at different barriers stay, and so do those at a
    /// barrier that a thread went around.
    fn conclude_barrier(&self) -> bool {
        let Barrier { arrived, holds, at, mixed, verdict } = &self.barrier;
        if arrived.get() == 0 || arrived.get() < self.alive.get() || mixed.get() || self.finished.get() > 0 {
            return false;
        }
        verdict.set(Verdict { holds: holds.take(), of: arrived.take() });
        at.set(None);
        self.release_all();
        true
    }

    /// Answers those that ask which lanes are with them, in warps where nobody else can go on.
    fn answer_gatherings(&self) {
        let mut gathering = self.gathering.borrow_mut();
        if gathering.is_empty() {
            return;
        }
        let answered: Vec<_> = gathering.extract_if(.., |asked| !self.moves(asked.thread / warp::SIZE)).collect();
        for asked in &answered {
            let warp = asked.thread / warp::SIZE;
            let with = answered.iter().filter(|other| other.thread / warp::SIZE == warp && other.at == asked.at);
            let lanes = with.fold(0, |mask, other| mask | 1 << (other.thread % warp::SIZE));
            // SAFETY: the lane that asked still waits, so that its answer is live.
            unsafe { &*asked.answer }.set(lanes);
            self.release_lanes(warp, 1 << (asked.thread % warp::SIZE));
        }
    }

    /// Notes that a thread has ended, which others may have waited for.
    fn end(&self, thread: usize, end: End) {
        let (warp, lane) = (thread / warp::SIZE, (thread % warp::SIZE) as u32);
        self.ends[thread].set(Some(end));
        self.finished.update(|finished| finished + u32::from(end == End::Finished));
        self.alive.update(|alive| alive - 1);
        let released = self.warps[warp].borrow_mut().end(lane);
        self.release_lanes(warp, released);
        self.conclude_barrier();
    }

    /// What a thread waits for, and who does not come.
    ///
    /// # Safety
    ///
    /// The thread waits.
    unsafe fn wait_of(&self, thread: usize, ended_blocks: u64) -> (Wait, Missing) {
        // SAFETY: the thread stands still in `Member::wait`, where the pointer leads.
        let wait = unsafe { *self.waits[thread].get() };
        let lane = (thread % warp::SIZE) as u32;
        let missing = match wait.scope {
            Scope::Lanes(mask) => {
                Missing { lanes: self.warps[thread / warp::SIZE].borrow().missing(lane, mask), ..Missing::NOBODY }
            }
            Scope::Block => self.ended_threads(|end| end == End::Finished),
            Scope::Grid => Missing {
                blocks: ended_blocks,
                ..self.ended_threads(|end| matches!(end, End::Finished | End::Returned))
            },
            Scope::Memory => Missing::NOBODY,
        };
        (wait, missing)
    }

    /// The threads that have ended in a way that `counts`.
    fn ended_threads(&self, counts: impl Fn(End) -> bool) -> Missing {
        let ended = || (0..self.ends.len()).filter(|&thread| self.ends[thread].get().is_some_and(&counts));
        let first = ended().next().map(|thread| self.position.block_dim.position(thread as u64));
        Missing { threads: ended().count(), first, ..Missing::NOBODY }
    }
}

/// A thread of a team, as its body knows it.
pub(crate) struct Member<'k> {
    team: &'k Team,
    yielder: &'k Yielder<(), ()>,
    thread: usize,
    /// How often the thread may still ask memory in vain.
    patience: Cell<u32>,
    /// The thread leaves the kernel by a `return`.
    returning: Cell<bool>,
}

impl Member<'_> {
    /// Lets others run until someone lets this thread go on.
    fn wait(&self, wait: &Wait) {
        self.team.waits[self.thread].set(wait);
        self.yielder.suspend(());
        self.patience.set(PATIENCE);
    }

    /// Waits until all threads of the block that have not ended have come here.
    pub(crate) fn barrier(&self, at: &'static At, operation: &'static str, holds: bool) -> Verdict {
        let barrier = &self.team.barrier;
        let arrived = barrier.arrived.get() + 1;
        barrier.arrived.set(arrived);
        barrier.holds.update(|number| number + u32::from(holds));
        match barrier.at.get() {
            Some(first) if std::ptr::eq(first, at) || first == at => {}
            Some(_) => barrier.mixed.set(true),
            None => barrier.at.set(Some(at)),
        }
        if arrived == self.team.alive.get() && self.team.conclude_barrier() {
            self.go_on();
        } else {
            self.wait(&Wait { operation, at, scope: Scope::Block });
        }
        barrier.verdict.get()
    }

    /// Waits until all threads of the grid have come here.
    pub(crate) fn grid_barrier(&self, at: &'static At, operation: &'static str) {
        self.team.at_grid.update(|waiting| waiting + 1);
        self.wait(&Wait { operation, at, scope: Scope::Grid });
    }

    /// Meets lanes of the warp. `arrive` says who may go on, once nobody is missing.
    pub(crate) fn meet(
        &self,
        at: &'static At,
        operation: &'static str,
        mask: u32,
        arrive: impl FnOnce(&mut Warp) -> Option<u32>,
    ) {
        let warp = self.thread / warp::SIZE;
        let released = arrive(&mut self.team.warps[warp].borrow_mut());
        match released {
            Some(lanes) => {
                self.team.release_lanes(warp, lanes);
                self.go_on();
            }
            None => self.wait(&Wait { operation, at, scope: Scope::Lanes(mask) }),
        }
    }

    /// The lanes of the warp that are here too.
    pub(crate) fn gather(&self, at: &'static At, operation: &'static str) -> u32 {
        let answer = Cell::new(0);
        self.team.gathering.borrow_mut().push(Gathering { thread: self.thread, at, answer: &raw const answer });
        self.wait(&Wait { operation, at, scope: Scope::Memory });
        answer.get()
    }

    /// Takes this thread out of those that wait to go on: it was the last to arrive, and does.
    fn go_on(&self) {
        let word = &self.team.ready[self.thread / 64];
        word.set(word.get() & !(1 << (self.thread % 64)));
    }

    /// The thread asked memory in vain, and may wait for what another is to write.
    pub(crate) fn asked_in_vain(&self, at: &'static At, operation: &'static str) {
        let patience = self.patience.get();
        if patience > 0 {
            self.patience.set(patience - 1);
            return;
        }
        let word = &self.team.ready[self.thread / 64];
        word.set(word.get() | 1 << (self.thread % 64));
        let word = &self.team.spinning[self.thread / 64];
        word.set(word.get() | 1 << (self.thread % 64));
        self.wait(&Wait { operation, at, scope: Scope::Memory });
    }

    /// How the thread ends that has come to the end of its function.
    fn end(&self) -> End {
        if self.returning.get() { End::Returned } else { End::Finished }
    }
}

/// A thread with its stack.
type Thread = Coroutine<(), (), End, DefaultStack>;

/// A block whose threads run side by side.
pub(crate) struct Block<'b> {
    /// By number; `None` for those that have ended. They unwind when they are dropped.
    threads: Box<[Option<Thread>]>,
    team: Rc<Team>,
    body: PhantomData<&'b ()>,
}

impl<'b> Block<'b> {
    /// A block, none of whose threads has run yet. There have to be stacks for all of them.
    pub(crate) fn new(position: Position, shared_bytes: usize, stacks: &mut Stacks, body: &'b dyn Body) -> Block<'b> {
        let team = Rc::new(Team::new(position, shared_bytes));
        let mut threads = Vec::with_capacity(team.waits.len());
        position.block_dim.for_each_position(|index| {
            let stack = stacks.take().expect("the caller has prepared the stacks");
            team.guards[threads.len()].set(guard_of(&stack));
            let (team, thread) = (Rc::clone(&team), threads.len());
            let run = move |yielder: &Yielder<(), ()>, ()| {
                let (patience, returning) = (Cell::new(PATIENCE), Cell::new(false));
                let member = Member { team: &team, yielder, thread, patience, returning };
                body.run(Cx::plain(team.position, index, &team.memory).with_member(&member));
                member.end()
            };
            // SAFETY: the closure owns its part of the team, and what `body` borrows outlives the block, which is never
            // forgotten: dropping it drops the coroutine.
            threads.push(Some(unsafe { Coroutine::with_stack_unchecked(stack, run) }));
        });
        Block { threads: threads.into(), team, body: PhantomData }
    }

    /// The block's place in the grid.
    pub(crate) fn position(&self) -> Position {
        self.team.position
    }

    /// Resumes each thread that can go on once. `note` hears of each thread that faults, and so ends; the others go on.
    pub(crate) fn turn(
        &mut self,
        stacks: &mut Stacks,
        running: &Running,
        note: &mut dyn FnMut(usize, Fault),
    ) -> Progress {
        let Block { threads, team, body: _ } = self;
        let mut resumed = 0;
        let current = Cell::new(0);
        running.begin(team.position);
        for (word, ready) in team.ready.iter().enumerate() {
            let now = Cell::new(ready.take());
            // A panic in a coroutine comes out of `resume`: that thread has ended, and those behind it have their turn.
            while let Err(fault) = fault::catch(|| {
                while now.get() != 0 {
                    let number = word * 64 + now.get().trailing_zeros() as usize;
                    now.set(now.get() & (now.get() - 1));
                    resumed += 1;
                    current.set(number);
                    resume(number, &mut threads[number], stacks, running, team);
                }
            }) {
                let number = current.get();
                if let Some(coroutine) = threads[number].take() {
                    stacks.put(coroutine.into_stack());
                }
                team.end(number, End::Faulted);
                note(number, fault);
            }
        }
        team.answer_gatherings();
        let spun: u32 = team.spinning.iter().map(|word| word.take().count_ones()).sum();
        if team.alive.get() == 0 {
            return Progress::Ended;
        }
        if team.ready.iter().any(|ready| ready.get() != 0) {
            return if spun < resumed { Progress::Moving } else { Progress::Spinning };
        }
        if team.at_grid.get() == team.alive.get() { Progress::AtGrid } else { Progress::Deadlocked }
    }

    /// Whether a thread has ended without a fault, so that the block never comes to a further barrier of the grid.
    pub(crate) fn lacks_threads(&self) -> bool {
        self.team.ends.iter().any(|end| matches!(end.get(), Some(End::Returned | End::Finished)))
    }

    /// Lets the threads go on that wait at a barrier of the grid.
    pub(crate) fn pass_grid(&mut self) {
        self.team.at_grid.set(0);
        self.team.release_all();
    }

    /// The fault of threads that wait for each other, and the first of them: none of those that have not ended can go on.
    /// At a barrier of the grid they may lack blocks that have ended.
    pub(crate) fn deadlock(&self, ended_blocks: u64) -> (usize, Fault) {
        let alive = (0..self.threads.len()).filter(|&thread| self.threads[thread].is_some());
        // SAFETY: who cannot go on and has not ended waits.
        let waits: Vec<_> = alive.map(|thread| (thread, unsafe { self.team.wait_of(thread, ended_blocks) })).collect();
        let &(thread, (Wait { at, .. }, _)) = waits.first().expect("a block whose threads have ended is no deadlock");
        let &At { file, line, column, id: _ } = at;
        let kind = deadlock(waits.into_iter().map(|(_, wait)| wait));
        (thread, Fault { file: file.to_owned(), line, column, kind })
    }
}

/// Resumes a thread, and forgets it if it ends.
fn resume(number: usize, thread: &mut Option<Thread>, stacks: &mut Stacks, running: &Running, team: &Team) {
    let Some(coroutine) = thread else { return };
    running.resume(number, team.guards[number].get());
    match coroutine.resume(()) {
        CoroutineResult::Yield(()) => {}
        CoroutineResult::Return(end) => {
            if let Some(coroutine) = thread.take() {
                stacks.put(coroutine.into_stack());
            }
            team.end(number, end);
        }
    }
}

/// There is no memory for the stacks of a block.
pub(crate) fn no_stacks(error: &std::io::Error) -> Fault {
    Fault {
        file: String::from("the CPU device"),
        line: 0,
        column: 0,
        kind: FaultKind::Panic(format!("no memory for the stack of a thread: {error}")),
    }
}

// All of these are inlined, so that nothing but the member is looked at: a `Cx` is large.
impl Cx<'_> {
    /// The thread's number in its block, `x` fastest.
    #[inline(always)]
    pub(crate) fn number(self) -> usize {
        self.position().block_dim.number(self.thread())
    }

    /// Waits until all threads of the block that have not ended have come here, and says of how many `holds` is true.
    ///
    /// A thread that is no coroutine is alone in its block.
    #[inline(always)]
    pub(crate) fn barrier(self, at: &'static At, operation: &'static str, holds: bool) -> Verdict {
        match self.member() {
            Some(member) => member.barrier(at, operation, holds),
            None => Verdict { holds: holds.into(), of: 1 },
        }
    }

    /// Waits until all threads of the grid have come here.
    #[inline(always)]
    pub(crate) fn grid_barrier(self, at: &'static At, operation: &'static str) {
        if let Some(member) = self.member() {
            member.grid_barrier(at, operation);
        }
    }

    /// Passes on the value of a `return` of the kernel, and notes that the thread leaves by it: barriers do not wait for it.
    #[inline(always)]
    pub fn returning<T>(self, value: T) -> T {
        if let Some(member) = self.member() {
            member.returning.set(true);
        }
        value
    }

    /// The lanes of the warp that are here too.
    #[inline(always)]
    pub(crate) fn gather(self, at: &'static At, operation: &'static str) -> u32 {
        self.member().map_or(1 << self.lane(), |member| member.gather(at, operation))
    }

    /// The thread asked memory for something that may be up to another thread, and did not get it.
    #[inline(always)]
    pub(crate) fn asked_in_vain(self, at: &'static At, operation: &'static str) {
        if let Some(member) = self.member() {
            member.asked_in_vain(at, operation);
        }
    }
}
