//! Threads that wait for each other.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::grid::{RESIDENT, Shape, Stopped, run};
use super::warp::{Exchange, Lanes};
use super::{At, Cx};
use crate::dim::Dim3;
use crate::error::FaultKind;

/// A place in an imaginary kernel.
macro_rules! at {
    () => {{
        static AT: At = At { file: file!(), line: line!(), column: column!(), id: 0 };
        &AT
    }};
}

fn shape(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Shape {
    let (grid, block) = (grid.into(), block.into());
    Shape { grid, block, shared_bytes: 0, side_by_side: true, cooperative: false }
}

fn cooperative(grid: impl Into<Dim3>, block: impl Into<Dim3>) -> Shape {
    Shape { cooperative: true, ..shape(grid, block) }
}

#[track_caller]
fn succeeds(shape: Shape, body: impl Fn(Cx<'_>) + Copy + Sync) {
    if let Some(Stopped { block, thread, fault }) = run(shape, &body) {
        panic!("block {block}, thread {thread}: {fault:?}");
    }
}

/// The fault of a launch, as text, and the thread that it names.
#[track_caller]
fn faults(shape: Shape, body: impl Fn(Cx<'_>) + Copy + Sync) -> (String, usize) {
    let Stopped { thread, fault, .. } = run(shape, &body).expect("a fault");
    (fault.kind.to_string(), thread.x)
}

/// The sum of what all lanes bring.
struct Sum;

impl Exchange for Sum {
    type Brings = u32;
    type Gets = u32;
    const NAME: &'static str = "sum";

    fn exchange(_: u32, _: &u32, lanes: &Lanes<'_, u32>) -> u32 {
        lanes.iter().map(|(_, number)| number).sum()
    }
}

/// What the lane to the right brings.
struct Right;

impl Exchange for Right {
    type Brings = String;
    type Gets = Option<String>;
    const NAME: &'static str = "right";

    fn exchange(lane: u32, _: &String, lanes: &Lanes<'_, String>) -> Option<String> {
        lanes.of(lane + 1).cloned()
    }
}

const ALL: u32 = u32::MAX;

#[test]
fn a_barrier_waits_for_all() {
    for block in [1, 31, 64, 65, 1000] {
        let before = AtomicU32::new(0);
        succeeds(shape(1, block), |cx| {
            for round in 1..=3 {
                before.fetch_add(1, Relaxed);
                let verdict = cx.barrier(at!(), "sync_threads", cx.number() % 3 == 0);
                assert!(before.load(Relaxed) >= round * block as u32);
                assert_eq!((verdict.holds, verdict.of), ((block as u32).div_ceil(3), block as u32));
                cx.barrier(at!(), "sync_threads", true);
            }
        });
        assert_eq!(before.into_inner(), 3 * block as u32);
    }
}

#[test]
fn a_barrier_does_not_wait_for_who_has_ended() {
    succeeds(shape(3, 100), |cx| {
        for left in (1..=100).rev() {
            assert_eq!(cx.barrier(at!(), "sync_threads", true).of, left);
            if cx.number() + 1 == left as usize {
                return;
            }
        }
    });
}

#[test]
fn lanes_exchange_values() {
    succeeds(shape(2, (10, 5, 2)), |cx| {
        let first = cx.number() / 32 * 32;
        let last = (first + 31).min(99);
        let sum = cx.meet::<Sum>(at!(), ALL, cx.number() as u32);
        assert_eq!(sum as usize, (first..=last).sum());
        let right = cx.meet::<Right>(at!(), ALL, cx.number().to_string());
        assert_eq!(right, (cx.number() < last).then(|| (cx.number() + 1).to_string()));
    });
}

#[test]
fn halves_of_a_warp_go_their_own_ways() {
    succeeds(shape(1, 32), |cx| {
        let lane = cx.lane();
        if lane < 16 {
            for round in 0..3 {
                assert_eq!(cx.meet::<Sum>(at!(), 0xffff, round), 16 * round);
            }
        } else {
            assert_eq!(cx.meet::<Sum>(at!(), 0xffff_0000, lane), (16..32).sum());
        }
        // The same operation from two places.
        let sum = if lane % 2 == 0 { cx.meet::<Sum>(at!(), ALL, 1) } else { cx.meet::<Sum>(at!(), ALL, 2) };
        assert_eq!(sum, 48);
    });
}

#[test]
fn a_lane_that_ends_is_not_waited_for() {
    succeeds(shape(1, 32), |cx| {
        let lane = cx.lane();
        if lane % 2 == 1 {
            return;
        }
        assert_eq!(cx.meet::<Sum>(at!(), ALL, lane), (0..32).step_by(2).sum());
        if lane == 30 {
            // The others wait for this lane until it ends.
            cx.meet::<Sum>(at!(), 1 << 30, 0);
            return;
        }
        assert_eq!(cx.meet::<Sum>(at!(), ALL, 1), 15);
    });
}

#[test]
fn lanes_that_are_together_find_each_other() {
    succeeds(shape(1, 48), |cx| {
        let (lane, all) = (cx.lane(), if cx.number() < 32 { ALL } else { 0xffff });
        let even = 0x5555_5555;
        assert_eq!(cx.gather(at!(), "active_mask"), all);
        let (together, expected) = if lane % 2 == 0 {
            (cx.gather(at!(), "active_mask"), even)
        } else {
            (cx.gather(at!(), "active_mask"), !even)
        };
        assert_eq!(together, expected & all);
        cx.meet::<Sum>(at!(), together, lane);
        assert_eq!(cx.gather(at!(), "active_mask"), all);
    });
    // Some wait at a barrier, others are busy asking memory.
    let flag = AtomicU32::new(0);
    succeeds(shape(1, 32), |cx| {
        match cx.lane() {
            0..8 => assert_eq!(cx.gather(at!(), "active_mask"), 0xff),
            8 => {
                while flag.load(Relaxed) < 8 {
                    cx.asked_in_vain(at!(), "atomic_load");
                }
            }
            _ => {}
        }
        flag.fetch_add(1, Relaxed);
        cx.barrier(at!(), "sync_threads", true);
    });
}

#[test]
fn a_lane_has_to_be_in_its_mask() {
    let (text, thread) = faults(shape(1, 32), |cx| {
        cx.meet::<Sum>(at!(), 0xffff_fff7, 0);
    });
    assert_eq!(thread, 3);
    assert_eq!(text, "`sum` by lane 3 with the mask 0xfffffff7, which does not name that lane");
}

#[test]
fn threads_at_different_barriers_are_a_fault() {
    let stopped = run(shape(1, 40), &|cx: Cx<'_>| {
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
fn a_lane_that_waits_elsewhere_is_a_fault() {
    let (text, thread) = faults(shape(1, 64), |cx| {
        if cx.number() == 7 {
            cx.barrier(at!(), "sync_threads", true);
        }
        cx.meet::<Sum>(at!(), ALL, 0);
        cx.barrier(at!(), "sync_threads", true);
    });
    assert_eq!(thread, 0);
    assert!(
        text.starts_with("the threads of the block wait for each other, and none can go on: 31 threads at `sum` (")
    );
    assert!(
        text.contains("), whose mask 0xffffffff names the lanes 0x00000080 that do not come; 1 thread at "),
        "{text}"
    );
    // Different masks never meet.
    let (text, _) = faults(shape(1, 2), |cx| {
        cx.meet::<Sum>(at!(), if cx.lane() == 0 { 3 } else { 7 }, 0);
    });
    assert!(text.contains("whose mask 0x00000003 names the lanes 0x00000002"), "{text}");
}

#[test]
fn a_fault_ends_the_others() {
    struct Dropped<'a>(&'a AtomicU32);
    impl Drop for Dropped<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Relaxed);
        }
    }
    let dropped = AtomicU32::new(0);
    let (text, thread) = faults(shape(1, 64), |cx| {
        let _dropped = Dropped(&dropped);
        if cx.number() == 40 {
            cx.panic(at!(), "40");
        }
        cx.barrier(at!(), "sync_threads", true);
    });
    assert_eq!((text.as_str(), thread), ("40", 40));
    assert_eq!(dropped.into_inner(), 41, "those behind it have not begun");
}

#[test]
fn a_thread_may_wait_for_what_another_writes() {
    // Within a block, whichever of them runs first.
    for last in [0, 99] {
        let flag = AtomicU32::new(0);
        succeeds(shape(1, 100), |cx| {
            if cx.number() == last {
                flag.store(1, Relaxed);
            }
            while flag.load(Relaxed) == 0 {
                cx.asked_in_vain(at!(), "atomic_load");
            }
        });
    }
    // Between blocks, which are more than there are workers, in both directions.
    for forwards in [true, false] {
        let turn = AtomicU64::new(0);
        succeeds(shape(200, 3), |cx| {
            let block = cx.position().block_idx.x as u64;
            let mine = if forwards { block } else { 199 - block };
            while turn.load(Relaxed) != mine {
                cx.asked_in_vain(at!(), "atomic_load");
            }
            if cx.barrier(at!(), "sync_threads", true).of == 3 && cx.number() == 0 {
                turn.fetch_add(1, Relaxed);
            }
        });
    }
}

#[test]
fn a_fault_ends_those_that_wait_for_it() {
    let flag = AtomicU32::new(0);
    let (text, _) = faults(shape(50, 4), |cx| {
        if cx.position().block_idx.x == 30 {
            cx.panic(at!(), "it never comes");
        }
        while flag.load(Relaxed) == 0 {
            cx.asked_in_vain(at!(), "atomic_load");
        }
    });
    assert_eq!(text, "it never comes");
}

#[test]
fn the_grid_waits_for_all_blocks() {
    for (grid, block) in [(1, 1), (1, 64), (7, 33), (256, 64), (RESIDENT, 1), (RESIDENT / 1024, 1024)] {
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
fn the_grid_does_not_wait_for_who_has_ended() {
    let sums = AtomicU64::new(0);
    succeeds(cooperative(20, 10), |cx| {
        let block = cx.position().block_idx.x;
        if block % 2 == 0 || cx.number() == 3 {
            return;
        }
        cx.grid_barrier(at!(), "sync_grid");
        if block % 3 == 0 {
            return;
        }
        cx.grid_barrier(at!(), "sync_grid");
        sums.fetch_add(1, Relaxed);
    });
    assert_eq!(sums.into_inner(), 7 * 9);
}

#[test]
fn a_fault_ends_those_at_the_grid() {
    let (text, thread) = faults(cooperative(64, 8), |cx| {
        if cx.position().block_idx.x == 60 && cx.number() == 5 {
            cx.panic(at!(), "60");
        }
        cx.grid_barrier(at!(), "sync_grid");
    });
    assert_eq!((text.as_str(), thread), ("60", 5));
    let (text, _) = faults(cooperative(4, 8), |cx| {
        if cx.position().block_idx.x == 2 && cx.number() == 5 {
            cx.barrier(at!(), "sync_threads", true);
        }
        cx.grid_barrier(at!(), "sync_grid");
    });
    assert!(text.contains("7 threads at `sync_grid`") && text.contains("1 thread at `sync_threads`"), "{text}");
}

#[test]
fn many_launches_share_the_stacks() {
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                for cooperative in [true, false] {
                    let sum = AtomicU64::new(0);
                    succeeds(Shape { cooperative, ..shape(16, 1000) }, |cx| {
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

/// `blockIdx.x * blockDim.x` wraps in CUDA C.
#[test]
fn positions_have_64_bits() {
    use std::marker::PhantomData;

    use super::block::{BlockMemory, Position};
    use crate::intrinsics::{grid, grid_size};

    let memory = BlockMemory::empty();
    // The last thread of the largest grid that CUDA has.
    let block_idx = Dim3 { x: (1 << 31) - 2, y: 65_534, z: 65_534 };
    let grid_dim = Dim3 { x: (1 << 31) - 1, y: 65_535, z: 65_535 };
    let position = Position { block_idx, block_dim: Dim3 { x: 1024, y: 1024, z: 64 }, grid_dim };
    let cx = Cx::plain(position, Dim3 { x: 1023, y: 1023, z: 63 }, &memory);
    let (call, types) = (cx.call(at!()), PhantomData);
    let end = ((1 << 41) - 1024, 65_535 * 1024, 65_535 * 64);
    assert_eq!(grid::<1> { call, types }.call(), end.0 - 1);
    assert_eq!(grid::<2> { call, types }.call(), (end.0 - 1, end.1 - 1));
    assert_eq!(grid::<3> { call, types }.call(), (end.0 - 1, end.1 - 1, end.2 - 1));
    assert_eq!(grid_size::<3> { call, types }.call(), end);
}
