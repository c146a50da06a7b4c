//! Tests of the executor: threads that synchronise with each other.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::grid::{GridConfig, MAX_RESIDENT_THREADS, ThreadFault, run};
use crate::cpu::block::{Exchange, LaneInputs};
use crate::cpu::{Cx, Location};
use crate::dim::Dim3;
use crate::fault::{FaultKind, Waiting};

/// A location in an imaginary kernel.
macro_rules! at {
    () => {{
        static AT: Location = Location { file: file!(), line: line!(), column: column!(), id: 0 };
        &AT
    }};
}

fn config(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> GridConfig {
    let (grid, block) = (grid.into(), block.into());
    let (concurrent, cooperative) = (true, false);
    GridConfig { grid, block, shared_bytes: 0, concurrent, cooperative, stack_bytes: 0, calls_host_code: false }
}

fn cooperative(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> GridConfig {
    GridConfig { cooperative: true, ..config(grid, block) }
}

#[track_caller]
fn succeeds(config: GridConfig, body: impl Fn(Cx<'_>) + Copy + Sync) {
    if let Some(ThreadFault { block, thread, fault }) = run("k", config, &body) {
        panic!("block {block}, thread {thread}: {fault:?}");
    }
}

/// Returns the message of a grid's fault, and the thread that it names.
#[track_caller]
fn faults(config: GridConfig, body: impl Fn(Cx<'_>) + Copy + Sync) -> (String, usize) {
    let ThreadFault { thread, fault, .. } = run("k", config, &body).expect("a fault");
    (fault.kind.to_string(), thread.x)
}

/// The sum of the inputs of all lanes.
struct Sum;

impl Exchange for Sum {
    type Input = u32;
    type Output = u32;
    const NAME: &'static str = "sum";

    fn exchange(_: u32, _: &u32, lanes: &LaneInputs<'_, u32>) -> u32 {
        lanes.iter().map(|(_, number)| number).sum()
    }
}

/// The input of the next lane.
struct Right;

impl Exchange for Right {
    type Input = String;
    type Output = Option<String>;
    const NAME: &'static str = "right";

    fn exchange(lane: u32, _: &String, lanes: &LaneInputs<'_, String>) -> Option<String> {
        lanes.of(lane + 1).cloned()
    }
}

const ALL: u32 = u32::MAX;

#[test]
fn a_barrier_waits_for_all_threads() {
    for block in [1, 31, 64, 65, 1000] {
        let before = AtomicU32::new(0);
        succeeds(config(1, block), |cx| {
            for round in 1..=3 {
                before.fetch_add(1, Relaxed);
                let vote = cx.barrier(at!(), "sync_threads", cx.number() % 3 == 0);
                assert!(before.load(Relaxed) >= round * block as u32);
                assert_eq!((vote.holds, vote.threads), ((block as u32).div_ceil(3), block as u32));
                cx.barrier(at!(), "sync_threads", true);
            }
        });
        assert_eq!(before.into_inner(), 3 * block as u32);
    }
}

#[test]
fn a_barrier_does_not_wait_for_threads_that_have_returned() {
    succeeds(config(3, 100), |cx| {
        for left in (1..=100).rev() {
            assert_eq!(cx.barrier(at!(), "sync_threads", true).threads, left);
            if cx.number() + 1 == left as usize {
                return cx.returning(());
            }
        }
    });
    // The other threads end before this one arrives, or after others have arrived.
    for last in [0, 1, 31, 32, 99] {
        succeeds(config(2, 100), |cx| {
            if cx.number() != last {
                return cx.returning(());
            }
            assert_eq!(cx.barrier(at!(), "sync_threads", true).threads, 1);
        });
    }
}

/// Returns the waits of a deadlock: how many threads wait, at which operation, how many threads of the block ended
/// without arriving, the first of these, and how many blocks did.
#[track_caller]
fn deadlocks(
    config: GridConfig,
    body: impl Fn(Cx<'_>) + Copy + Sync,
) -> Vec<(usize, &'static str, usize, Option<usize>, u64)> {
    let ThreadFault { fault, .. } = run("k", config, &body).expect("a fault");
    let FaultKind::Deadlock(waits) = fault.kind else { panic!("{:?}", fault.kind) };
    let summary = |wait: &Waiting| {
        let first = wait.first_ended.map(|first| first.x);
        (wait.threads, wait.operation, wait.ended_threads, first, wait.ended_blocks)
    };
    waits.iter().map(summary).collect()
}

#[test]
fn skipping_a_barrier_is_a_deadlock() {
    // The threads that arrive: whole warps, parts of them, one, all but one; before and after the others have ended.
    type Arrives = fn(usize) -> bool;
    let cases: [(Arrives, usize, usize); 7] = [
        (|t| t < 16, 16, 16),
        (|t| t >= 16, 16, 0),
        (|t| t < 64, 64, 64),
        (|t| t >= 32, 68, 0),
        (|t| t == 0, 1, 1),
        (|t| t != 50, 99, 50),
        (|t| t % 2 == 1, 50, 0),
    ];
    for (arrives, count, first) in cases {
        let all = if first == 16 || count == 16 { 32 } else { 100 };
        let expected = [(count, "sync_threads", all - count, Some(first), 0)];
        let body = move |cx: Cx<'_>| {
            if arrives(cx.number()) {
                cx.barrier(at!(), "sync_threads", true);
            }
        };
        assert_eq!(deadlocks(config(1, all), body), expected);
        // The last iteration of a loop, after iterations that all threads share.
        let body = move |cx: Cx<'_>| {
            for _ in 0..if arrives(cx.number()) { 4 } else { 3 } {
                cx.barrier(at!(), "sync_threads", true);
            }
        };
        assert_eq!(deadlocks(config(1, all), body), expected);
        // Threads that return are not reported as missing beside those that reach the end.
        let body = move |cx: Cx<'_>| {
            if cx.number() == all {
                return cx.returning(());
            }
            if arrives(cx.number()) {
                cx.barrier(at!(), "sync_threads", true);
            }
        };
        assert_eq!(deadlocks(config(1, all + 1), body), expected);
    }
    let (text, _) = faults(config(1, 32), |cx| {
        if cx.number() < 16 {
            cx.barrier(at!(), "sync_threads", true);
        }
    });
    assert!(text.contains("16 threads wait at `sync_threads` ("), "{text}");
    assert!(
        text.ends_with("), but 16 threads of the block ended without reaching it, the first is (16, 0, 0)"),
        "{text}"
    );
}

#[test]
fn lanes_exchange_values() {
    succeeds(config(2, (10, 5, 2)), |cx| {
        let first = cx.number() / 32 * 32;
        let last = (first + 31).min(99);
        let sum = cx.exchange::<Sum>(at!(), ALL, cx.number() as u32);
        assert_eq!(sum as usize, (first..=last).sum());
        let right = cx.exchange::<Right>(at!(), ALL, cx.number().to_string());
        assert_eq!(right, (cx.number() < last).then(|| (cx.number() + 1).to_string()));
    });
}

#[test]
fn halves_of_a_warp_diverge() {
    succeeds(config(1, 32), |cx| {
        let lane = cx.lane();
        if lane < 16 {
            for round in 0..3 {
                assert_eq!(cx.exchange::<Sum>(at!(), 0xffff, round), 16 * round);
            }
        } else {
            assert_eq!(cx.exchange::<Sum>(at!(), 0xffff_0000, lane), (16..32).sum());
        }
        // The same operation at two locations.
        let sum = if lane % 2 == 0 { cx.exchange::<Sum>(at!(), ALL, 1) } else { cx.exchange::<Sum>(at!(), ALL, 2) };
        assert_eq!(sum, 48);
    });
}

#[test]
fn exchanges_do_not_wait_for_lanes_that_have_ended() {
    succeeds(config(1, 32), |cx| {
        let lane = cx.lane();
        if lane % 2 == 1 {
            return;
        }
        assert_eq!(cx.exchange::<Sum>(at!(), ALL, lane), (0..32).step_by(2).sum());
        if lane == 30 {
            // The other lanes wait for this one until it ends.
            cx.exchange::<Sum>(at!(), 1 << 30, 0);
            return;
        }
        assert_eq!(cx.exchange::<Sum>(at!(), ALL, 1), 15);
    });
}

#[test]
fn converged_lanes_share_an_active_mask() {
    succeeds(config(1, 48), |cx| {
        let (lane, all) = (cx.lane(), if cx.number() < 32 { ALL } else { 0xffff });
        let even = 0x5555_5555;
        assert_eq!(cx.active_mask(at!(), "active_mask"), all);
        let (converged, expected) = if lane % 2 == 0 {
            (cx.active_mask(at!(), "active_mask"), even)
        } else {
            (cx.active_mask(at!(), "active_mask"), !even)
        };
        assert_eq!(converged, expected & all);
        cx.exchange::<Sum>(at!(), converged, lane);
        assert_eq!(cx.active_mask(at!(), "active_mask"), all);
    });
    // Some lanes wait at a barrier, and one spins on memory.
    let flag = AtomicU32::new(0);
    succeeds(config(1, 32), |cx| {
        match cx.lane() {
            0..8 => assert_eq!(cx.active_mask(at!(), "active_mask"), 0xff),
            8 => {
                while flag.load(Relaxed) < 8 {
                    cx.spin(at!(), "atomic_load");
                }
            }
            _ => {}
        }
        flag.fetch_add(1, Relaxed);
        cx.barrier(at!(), "sync_threads", true);
    });
}

#[test]
fn a_mask_without_the_calling_lane_is_a_fault() {
    let (text, thread) = faults(config(1, 32), |cx| {
        cx.exchange::<Sum>(at!(), 0xffff_fff7, 0);
    });
    assert_eq!(thread, 3);
    assert_eq!(text, "`sum` by lane 3 with the mask 0xfffffff7, which does not name that lane");
}

#[test]
fn threads_at_different_barriers_are_deadlocked() {
    let stopped = run("k", config(1, 40), &|cx: Cx<'_>| {
        if cx.number() < 8 {
            cx.barrier(at!(), "sync_threads", true);
        } else {
            cx.barrier(at!(), "sync_threads_count", true);
        }
    });
    let FaultKind::Deadlock(waits) = stopped.expect("a fault").fault.kind else { panic!("a deadlock") };
    let summary: Vec<_> = waits.iter().map(|waiting| (waiting.threads, waiting.operation)).collect();
    assert_eq!(summary, [(8, "sync_threads"), (32, "sync_threads_count")]);
}

#[test]
fn a_lane_that_waits_at_another_operation_is_a_deadlock() {
    let (text, thread) = faults(config(1, 64), |cx| {
        if cx.number() == 7 {
            cx.barrier(at!(), "sync_threads", true);
        }
        cx.exchange::<Sum>(at!(), ALL, 0);
        cx.barrier(at!(), "sync_threads", true);
    });
    assert_eq!(thread, 0);
    assert!(text.starts_with("deadlock: no thread of the block can make progress: 31 threads wait at `sum` ("));
    assert!(
        text.contains(
            "), but of the lanes in its mask 0xffffffff, the lanes 0x00000080 do not participate; 1 thread waits at "
        ),
        "{text}"
    );
    // Exchanges with different masks are never the same.
    let (text, _) = faults(config(1, 2), |cx| {
        cx.exchange::<Sum>(at!(), if cx.lane() == 0 { 3 } else { 7 }, 0);
    });
    assert!(text.contains("the lanes in its mask 0x00000003, the lanes 0x00000002 do not"), "{text}");
}

/// Counts the values that are dropped.
struct Dropped<'a>(&'a AtomicU32);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

#[test]
fn a_fault_ends_only_its_thread() {
    let (dropped, ended) = (AtomicU32::new(0), AtomicU32::new(0));
    let (text, thread) = faults(config(1, 64), |cx| {
        let _dropped = Dropped(&dropped);
        if cx.number() == 40 {
            cx.panic(at!(), "40");
        }
        assert_eq!(cx.barrier(at!(), "sync_threads", true).threads, 63);
        ended.fetch_add(1, Relaxed);
    });
    assert_eq!((text.as_str(), thread), ("40", 40));
    assert_eq!((dropped.into_inner(), ended.into_inner()), (64, 63));
}

#[test]
fn all_blocks_run_despite_faults() {
    // The faulting threads of 70 blocks of 50 threads.
    let faulty: [fn(usize) -> bool; 5] = [|i| i == 0, |i| i == 3499, |i| i % 50 == 49, |i| i % 7 == 3, |_| true];
    for concurrent in [true, false] {
        for calls_host_code in [true, false] {
            for stack_bytes in [0, 3 << 20] {
                for faulty in faulty {
                    let ended = AtomicU32::new(0);
                    let config = GridConfig { concurrent, stack_bytes, calls_host_code, ..config(70, 50) };
                    let body = |cx: Cx<'_>| {
                        let i = cx.geometry().block_idx.x * 50 + cx.thread().x;
                        if faulty(i) {
                            cx.panic(at!(), i);
                        }
                        ended.fetch_add(1, Relaxed);
                    };
                    let ThreadFault { block, thread, fault } = run("k", config, &body).expect("a fault");
                    assert_eq!(fault.kind, FaultKind::Panic((block.x * 50 + thread.x).to_string().into()));
                    assert_eq!((0..3500).find(|&i| faulty(i)), Some(block.x * 50 + thread.x), "the lowest block's");
                    assert_eq!(ended.into_inner() as usize, (0..3500).filter(|&i| !faulty(i)).count());
                }
            }
        }
    }
}

#[test]
fn waiting_threads_continue_without_those_that_fault() {
    for barrier in [true, false] {
        let ended = AtomicU32::new(0);
        let (text, _) = faults(config(20, 64), |cx| {
            for round in 0..4 {
                if cx.number() % 4 == 3 && cx.number() / 16 == round {
                    cx.panic(at!(), "a quarter");
                }
                if barrier {
                    cx.barrier(at!(), "sync_threads", true);
                } else {
                    cx.exchange::<Sum>(at!(), ALL, 1);
                }
            }
            ended.fetch_add(1, Relaxed);
        });
        assert_eq!((text.as_str(), ended.into_inner()), ("a quarter", 20 * 48));
    }
}

/// The first fault is reported, not its consequences.
#[test]
fn a_fault_takes_precedence_over_a_later_deadlock() {
    let ended = AtomicU32::new(0);
    let (text, thread) = faults(config(3, 8), |cx| {
        if cx.number() == 2 {
            cx.panic(at!(), "first");
        }
        if cx.number() == 3 {
            cx.barrier(at!(), "sync_threads", true);
        }
        ended.fetch_add(1, Relaxed);
    });
    assert_eq!((text.as_str(), thread, ended.into_inner()), ("first", 2, 3 * 6));
}

#[test]
fn a_deadlock_ends_only_its_block() {
    let ended = AtomicU32::new(0);
    let (text, _) = faults(config(30, 8), |cx| {
        if cx.geometry().block_idx.x % 3 == 1 && cx.number() < 4 {
            cx.barrier(at!(), "sync_threads", true);
        }
        ended.fetch_add(1, Relaxed);
    });
    assert!(text.contains("4 threads wait at `sync_threads`"), "{text}");
    assert_eq!(ended.into_inner(), 20 * 8 + 10 * 4);
}

#[test]
fn a_thread_may_wait_for_the_write_of_another() {
    // Within a block, for either execution order.
    for last in [0, 99] {
        let flag = AtomicU32::new(0);
        succeeds(config(1, 100), |cx| {
            if cx.number() == last {
                flag.store(1, Relaxed);
            }
            while flag.load(Relaxed) == 0 {
                cx.spin(at!(), "atomic_load");
            }
        });
    }
    // Between more blocks than there are workers, in both directions.
    for forwards in [true, false] {
        let turn = AtomicU64::new(0);
        succeeds(config(200, 3), |cx| {
            let block = cx.geometry().block_idx.x as u64;
            let mine = if forwards { block } else { 199 - block };
            while turn.load(Relaxed) != mine {
                cx.spin(at!(), "atomic_load");
            }
            if cx.barrier(at!(), "sync_threads", true).threads == 3 && cx.number() == 0 {
                turn.fetch_add(1, Relaxed);
            }
        });
    }
}

#[test]
fn a_fault_ends_threads_that_spin_forever_because_of_it() {
    let (flag, ended) = (AtomicU32::new(0), AtomicU32::new(0));
    let (text, _) = faults(config(50, 4), |cx| {
        let block = cx.geometry().block_idx.x;
        if block == 30 {
            cx.panic(at!(), "it never comes");
        }
        // Half of the blocks do not wait, and run to their end.
        while block % 2 == 0 && flag.load(Relaxed) == 0 {
            cx.spin(at!(), "atomic_load");
        }
        ended.fetch_add(1, Relaxed);
    });
    assert_eq!((text.as_str(), ended.into_inner()), ("it never comes", 25 * 4));
}

#[test]
fn threads_that_make_progress_may_spin_after_a_fault() {
    let turn = AtomicU64::new(0);
    let (text, _) = faults(config(100, 3), |cx| {
        let block = cx.geometry().block_idx.x as u64;
        if cx.number() == 2 {
            cx.panic(at!(), "the third of each block");
        }
        while turn.load(Relaxed) != 99 - block {
            cx.spin(at!(), "atomic_load");
        }
        if cx.barrier(at!(), "sync_threads", true).threads == 2 && cx.number() == 0 {
            turn.fetch_add(1, Relaxed);
        }
    });
    assert_eq!((text.as_str(), turn.into_inner()), ("the third of each block", 100));
}

#[test]
fn a_grid_barrier_waits_for_all_blocks() {
    for (grid, block) in
        [(1, 1), (1, 64), (7, 33), (256, 64), (MAX_RESIDENT_THREADS, 1), (MAX_RESIDENT_THREADS / 1024, 1024)]
    {
        let arrived = AtomicU64::new(0);
        let all = (grid * block) as u64;
        succeeds(cooperative(grid, block), |cx| {
            for round in 1..=2 {
                arrived.fetch_add(1, Relaxed);
                cx.grid_barrier(at!(), "sync_grid");
                assert!(arrived.load(Relaxed) >= round * all);
                cx.grid_barrier(at!(), "sync_grid");
            }
        });
        assert_eq!(arrived.into_inner(), 2 * all);
    }
}

#[test]
fn a_grid_barrier_with_exited_threads_is_a_deadlock() {
    for returns in [true, false] {
        let end = move |cx: Cx<'_>| {
            if returns {
                cx.returning(());
            }
        };
        // A thread of a block, before the first barrier and before a later one; the first of the block, and another.
        for (round, ended) in [(0, 3), (0, 0), (1, 9)] {
            let waits = deadlocks(cooperative(1, 10), |cx| {
                for at in 0..3 {
                    if at == round && cx.number() == ended {
                        return end(cx);
                    }
                    cx.grid_barrier(at!(), "sync_grid");
                }
            });
            assert_eq!(waits, [(9, "sync_grid", 1, Some(ended), 0)]);
        }
        // Whole blocks.
        for (round, ended) in [(0, 0), (1, 19)] {
            let waits = deadlocks(cooperative(20, 10), |cx| {
                for at in 0..3 {
                    if at == round && cx.geometry().block_idx.x == ended {
                        return end(cx);
                    }
                    cx.grid_barrier(at!(), "sync_grid");
                }
            });
            assert_eq!(waits, [(10, "sync_grid", 0, None, 1)]);
        }
        // Both: whichever is recorded first.
        let (text, _) = faults(cooperative(20, 10), |cx| {
            let block = cx.geometry().block_idx.x;
            if block % 2 == 0 || cx.number() == 3 {
                return end(cx);
            }
            cx.grid_barrier(at!(), "sync_grid");
        });
        assert!(text.contains(" threads wait at `sync_grid` (") && text.contains("ended without reaching"), "{text}");
    }
    let (text, _) = faults(cooperative(3, 10), |cx| {
        if cx.geometry().block_idx.x < 1 {
            return cx.returning(());
        }
        cx.grid_barrier(at!(), "sync_grid");
    });
    assert!(text.ends_with("), but 1 block of the grid ended without reaching it"), "{text}");
}

#[test]
fn a_fault_ends_threads_at_a_grid_barrier() {
    let ended = AtomicU32::new(0);
    let (text, thread) = faults(cooperative(64, 8), |cx| {
        if cx.geometry().block_idx.x == 60 && cx.number() == 5 {
            cx.panic(at!(), "60");
        }
        cx.grid_barrier(at!(), "sync_grid");
        ended.fetch_add(1, Relaxed);
    });
    assert_eq!((text.as_str(), thread, ended.into_inner()), ("60", 5, 0));
    let (text, _) = faults(cooperative(4, 8), |cx| {
        if cx.geometry().block_idx.x == 2 && cx.number() == 5 {
            cx.barrier(at!(), "sync_threads", true);
        }
        cx.grid_barrier(at!(), "sync_grid");
    });
    assert!(
        text.contains("7 threads wait at `sync_grid`") && text.contains("1 thread waits at `sync_threads`"),
        "{text}"
    );
}

#[test]
fn concurrent_grids_share_the_stack_pool() {
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for cooperative in [true, false] {
                    let sum = AtomicU64::new(0);
                    succeeds(GridConfig { cooperative, ..config(16, 1000) }, |cx| {
                        sum.fetch_add(1, Relaxed);
                        if cooperative {
                            cx.grid_barrier(at!(), "sync_grid");
                        } else {
                            cx.barrier(at!(), "sync_threads", true);
                        }
                    });
                    assert_eq!(sum.into_inner(), 16_000);
                }
            });
        }
    });
}

/// In CUDA C, `blockIdx.x * blockDim.x` wraps at 32 bits.
#[test]
fn grid_positions_have_64_bits() {
    use std::marker::PhantomData;

    use crate::cpu::Literal;
    use crate::cpu::block::{BlockGeometry, BlockMemory};
    use crate::intrinsics::{grid, grid_size};

    let memory = BlockMemory::empty();
    // The last thread of CUDA's largest grid.
    let block_idx = Dim3 { x: (1 << 31) - 2, y: 65_534, z: 65_534 };
    let grid_dim = Dim3 { x: (1 << 31) - 1, y: 65_535, z: 65_535 };
    let position = BlockGeometry { block_idx, block_dim: Dim3 { x: 1024, y: 1024, z: 64 }, grid_dim };
    let cx = Cx::plain(position, Dim3 { x: 1023, y: 1023, z: 63 }, &memory);
    let types = PhantomData;
    macro_rules! call {
        ($name:ident, $n:literal) => {
            $name { call: cx.call_of::<Literal<$n>, _>(at!()), types }.call($n)
        };
    }
    let end = ((1 << 41) - 1024, 65_535 * 1024, 65_535 * 64);
    assert_eq!(call!(grid, 1), end.0 - 1);
    assert_eq!(call!(grid, 2), (end.0 - 1, end.1 - 1));
    assert_eq!(call!(grid, 3), (end.0 - 1, end.1 - 1, end.2 - 1));
    assert_eq!(call!(grid_size, 3), end);
}
