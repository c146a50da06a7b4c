//! Threads that do not reach a barrier: those that returned or faulted before, which barriers of the block do not wait
//! for, and those that bypass it, which is a deadlock that the CPU device reports.

use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::{Dim3, Error, FaultKind, Waiting};

use crate::support::{alone, on_each_device};

#[kernel]
fn returned_before(n: usize, y: &mut [u32]) {
    let mut sum = shared::<u32>();
    let t = thread_idx().x;
    if t == 0 {
        *sum = 0;
    }
    sync_threads();
    if t >= n {
        return;
    }
    atomic_add(&mut *sum, 1);
    sync_threads();
    y[t] = *sum;
}

/// `return` from the depth of other constructs, at different barriers.
#[kernel]
fn returned_from_within(y: &mut [u32]) {
    let mut sum = shared::<u32>();
    let t = thread_idx().x;
    if t == 0 {
        *sum = 0;
    }
    sync_threads();
    for round in 0..4u32 {
        match t % 8 {
            3 if round == 1 => loop {
                return;
            },
            5 => 'block: {
                if round < 2 {
                    break 'block;
                }
                return ();
            }
            _ => {}
        }
        let true = (t % 8 != 6 || round < 3) else { return };
        sync_threads();
        atomic_add(&mut *sum, 1);
        sync_threads();
        y[t] = *sum;
        sync_threads();
    }
}

#[test]
fn a_barrier_does_not_wait_for_threads_that_returned() {
    on_each_device(|device| {
        for n in [1usize, 31, 32, 33, 63, 64, 95, 96] {
            let mut y = device.zeros::<u32>(96).unwrap();
            returned_before(n, &mut y).grid(1).block(96).launch().unwrap();
            let expected: Vec<u32> = (0..96).map(|t| if t < n { n as u32 } else { 0 }).collect();
            assert_eq!(y.to_host().unwrap(), expected, "{n} on {device}");
        }
        let mut y = device.zeros::<u32>(64).unwrap();
        returned_from_within(&mut y).grid(1).block(64).launch().unwrap();
        // 64 threads in the first round, 56 in the second, 48 in the third, 40 in the fourth.
        let expected = |t: usize| match t % 8 {
            3 => 64,
            5 => 64 + 56,
            6 => 64 + 56 + 48,
            _ => 64 + 56 + 48 + 40,
        };
        assert_eq!(y.to_host().unwrap(), (0..64).map(expected).collect::<Vec<_>>(), "{device}");
    });
}

#[kernel]
fn around_at_the_end(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    y[t] = 1;
    if t < below {
        sync_threads(); // @around_at_the_end
    }
}

#[kernel]
fn around_with_a_vote(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    let mut count = 0;
    if t < below {
        count = sync_threads_count(t % 2 == 0); // @around_with_a_vote
    }
    y[t] = count + 1;
}

#[kernel]
fn around_in_a_loop(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    let rounds = if t < below { 3 } else { 2 };
    for round in 0..rounds {
        y[t] += round;
        sync_threads(); // @around_in_a_loop
    }
}

#[kernel]
fn around_by_break(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    let mut round = 0u32;
    loop {
        if t >= below && round == 2 {
            break;
        }
        if round == 4 {
            break;
        }
        sync_threads(); // @around_by_break
        round += 1;
    }
    y[t] = round;
}

#[kernel]
fn around_by_an_arm(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    match t < below {
        true => {
            y[t] = 1;
            sync_threads(); // @around_by_an_arm
        }
        false => y[t] = 2,
    }
}

#[device]
fn leaves(t: usize, below: usize) {
    if t >= below {
        return;
    }
    sync_threads(); // @around_in_a_function
}

#[kernel]
fn around_in_a_function(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    leaves(t, below);
    y[t] = 1;
}

/// Some threads return, which is permitted, and others reach the end.
#[kernel]
fn around_beside_returns(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    if t == 63 {
        return;
    }
    if t < below {
        sync_threads(); // @around_beside_returns
    }
    y[t] = 1;
}

#[kernel]
fn returned_before_the_grid(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    y[t] = 1;
    if t >= below {
        return;
    }
    sync_grid(); // @returned_before_the_grid
}

#[kernel]
fn around_the_grid(below: usize, y: &mut [u32]) {
    let t = thread_idx().x;
    y[t] = 1;
    if t < below {
        sync_grid(); // @around_the_grid
    }
}

#[kernel]
fn block_without_the_grid(blocks: usize, y: &mut [u32]) {
    if block_idx().x < blocks {
        sync_grid(); // @block_without_the_grid
    }
    y[thread_idx().x] = 1;
}

/// Returns the line with a mark in this file.
fn line(mark: &str) -> u32 {
    let mark = format!("// @{mark}");
    let lines = include_str!("barriers.rs").lines();
    lines.zip(1..).find_map(|(text, line)| text.ends_with(&mark).then_some(line)).expect("a mark")
}

/// Returns the deadlock of a kernel, which names the operation and its line.
#[track_caller]
fn deadlock(device: &Device, kernel: &str) -> Waiting {
    let error = device.synchronize().expect_err(kernel);
    let text = error.to_string();
    let Error::Fault { kernel: faulted, line: at, kind: FaultKind::Deadlock(waits), .. } = error else {
        panic!("{kernel}: {text}")
    };
    assert_eq!((faulted, at, waits.len()), (kernel, line(kernel), 1), "{text}");
    assert_eq!((waits[0].line, waits[0].mask), (at, None), "{text}");
    assert!(text.contains("ended without reaching"), "{text}");
    device.synchronize().expect("a fault is given out once");
    waits[0].clone()
}

#[test]
fn threads_that_bypass_a_block_barrier_are_reported() {
    let _alone = alone();
    let device = Device::cpu();
    let mut y = device.zeros::<u32>(64).unwrap();
    macro_rules! check {
        ($($kernel:ident $skipped:literal;)*) => {$(
            for below in [1usize, 16, 31, 32, 33, 63 - $skipped] {
                $kernel(below, &mut y).grid(2).block(64).launch().unwrap();
                let Waiting { threads, ended_threads, first_ended, ended_blocks, .. } = deadlock(&device, stringify!($kernel));
                assert_eq!((threads, ended_threads, ended_blocks), (below, 64 - $skipped - below, 0));
                assert_eq!(first_ended, Some(Dim3 { x: below, y: 0, z: 0 }));
            }
            // All threads arrive, or none: the condition is uniform across the block.
            for below in [0usize, 64] {
                $kernel(below, &mut y).grid(2).block(64).launch().unwrap();
                device.synchronize().unwrap();
            }
        )*};
    }
    check! {
        around_at_the_end 0;
        around_with_a_vote 0;
        around_in_a_loop 0;
        around_by_break 0;
        around_by_an_arm 0;
        around_in_a_function 0;
        around_beside_returns 1;
    }
}

#[test]
fn threads_that_bypass_a_grid_barrier_are_reported() {
    let _alone = alone();
    let device = Device::cpu();
    let mut y = device.zeros::<u32>(64).unwrap();
    for below in [1, 31, 63] {
        returned_before_the_grid(below, &mut y).grid(3).block(64).cooperative().launch().unwrap();
        let wait = deadlock(&device, "returned_before_the_grid");
        assert_eq!((wait.threads, wait.ended_threads, wait.operation), (below, 64 - below, "sync_grid"));
        around_the_grid(below, &mut y).grid(3).block(64).cooperative().launch().unwrap();
        let wait = deadlock(&device, "around_the_grid");
        assert_eq!((wait.threads, wait.ended_threads), (below, 64 - below));
    }
    for blocks in [1, 2] {
        block_without_the_grid(blocks, &mut y).grid(3).block(64).cooperative().launch().unwrap();
        let wait = deadlock(&device, "block_without_the_grid");
        assert_eq!((wait.threads, wait.ended_threads), (64, 0));
        assert!((1..=2).contains(&wait.ended_blocks), "{wait}");
    }
    for all in [0, 64] {
        returned_before_the_grid(all, &mut y).grid(3).block(64).cooperative().launch().unwrap();
        around_the_grid(all, &mut y).grid(3).block(64).cooperative().launch().unwrap();
        block_without_the_grid(all, &mut y).grid(3).block(64).cooperative().launch().unwrap();
    }
    device.synchronize().unwrap();
}
