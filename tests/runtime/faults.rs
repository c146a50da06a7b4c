//! Faults: each is an `Err` with position and cause, after which the device remains usable.

use cumbia::intrinsics::*;
use cumbia::prelude::*;
use cumbia::{Dim3, Error, FaultKind};

use crate::elsewhere;
use crate::support::{alone, gpu, on_each_device, passes_in_process};

#[kernel]
fn read(x: &[f32], y: &mut [f32], shift: usize) {
    let i = grid(1);
    y[i] = x[i + shift]; // @read: x[i + shift]
}

#[kernel]
fn write(y: &mut [f32], shift: usize) {
    let i = grid(1);
    y[i] = 1.0;
    y[i + shift] += 2.0; // @write: y[i + shift]
}

#[kernel]
fn shared_element(y: &mut [u32], at: usize) {
    let mut tile = shared::<[[u32; 3]; 5]>();
    tile[4][2] = 7;
    y[0] = tile[at][2]; // @shared: tile[at]
}

#[kernel]
fn dynamic_element(y: &mut [u32], at: usize) {
    let words = dynamic_shared::<u32>();
    y[0] = words[at] & 0; // @dynamic: words[at]
}

#[kernel]
fn part(y: &mut [u32], offset: usize, len: usize) {
    let mut part = dynamic_shared_at::<u32>(offset, len); // @part: dynamic_shared_at
    part[0] = 5;
    y[0] = part[0];
}

#[kernel]
fn atomic(counts: &mut [u32], at: usize) {
    atomic_add(&mut counts[at], 1); // @atomic: counts[at]
}

#[kernel]
fn divide(x: &mut [i32], by: i32) {
    x[0] = x[0] / by; // @divide: x[0] / by
}

#[kernel]
fn remainder(x: &mut [i32], by: i32) {
    x[0] %= by; // @remainder: x[0] %= by
}

#[kernel]
fn overflow(x: &mut [u8], by: u8) {
    x[0] = x[0] + by; // @overflow: x[0] + by
}

#[kernel]
fn claims(x: &[i32], claim: u32) {
    if claim == 0 {
        assert!(x[0] < 3); // @assert: assert!
    } else if claim == 1 {
        assert!(x[0] < 3, "x is {{too}} \"large\""); // @message: assert!
    } else if claim == 2 {
        assert_eq!(x[0], 3, "not three"); // @equal: assert_eq!
    } else if claim == 3 {
        panic!("no way"); // @panic: panic!
    } else if claim == 4 {
        unreachable!(); // @unreachable: unreachable!
    } else if claim == 5 {
        assert_ne!(x[0], 7); // @unequal: assert_ne!
    }
}

#[kernel]
fn in_functions(x: &[i32], y: &mut [i32], parts: i32) {
    let i = grid(1);
    y[i] = elsewhere::checked_share(elsewhere::element(x, i), parts);
}

#[kernel]
fn add_one(y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] += 1.0;
    }
}

/// The expected properties of a fault: the mark of its position, the block and thread, and the cause.
struct Expected<'a> {
    kernel: &'a str,
    mark: &'a str,
    block: Dim3,
    thread: Dim3,
    kind: FaultKind,
}

/// Returns the position of a mark: `// @mark: text` ends a line, and `text` is the expression on that line that faults.
#[track_caller]
fn place(mark: &str) -> (&'static str, u32, u32) {
    for (file, text) in [("faults.rs", include_str!("faults.rs")), ("elsewhere.rs", elsewhere::TEXT)] {
        for (number, line) in text.lines().enumerate() {
            if let Some((code, what)) = line.split_once(&format!("// @{mark}: ")) {
                let column = code.find(what.trim()).expect("the text is on the line");
                return (file, number as u32 + 1, column as u32 + 1);
            }
        }
    }
    panic!("no mark {mark}");
}

/// Checks the fault that `device` returns, and that the device remains usable.
#[track_caller]
fn check(device: &Device, expected: Expected<'_>) {
    let error = device.synchronize().expect_err("a fault");
    let text = error.to_string();
    let Error::Fault { kernel, file, line, column, block, thread, kind } = error else {
        panic!("not a fault: {text}");
    };
    let (name, marked_line, marked_column) = place(expected.mark);
    assert!(file.ends_with(name) && file.starts_with("tests"), "{text}");
    assert_eq!((line, column), (marked_line, marked_column), "{text}");
    let Expected { kernel: expected_kernel, mark: _, block: expected_block, thread: expected_thread, kind: why } =
        expected;
    assert_eq!(kernel, expected_kernel, "{text}");
    assert_eq!((block, thread), (expected_block, expected_thread), "{text}");
    assert_eq!(kind, why, "{text}");
    assert!(text.contains(&format!("`{kernel}`")) && text.contains(&format!("{file}:{line}:{column}")), "{text}");
    works(device);
}

/// Runs a launch without a fault.
#[track_caller]
fn works(device: &Device) {
    device.synchronize().expect("a fault is given out once");
    let mut y = device.to_device(&[1.0f32, 2.0]).unwrap();
    add_one(&mut y).over(2).launch().unwrap();
    assert_eq!(y.to_host().unwrap(), [2.0, 3.0]);
}

const FIRST: Dim3 = Dim3 { x: 0, y: 0, z: 0 };

fn first<'a>(kernel: &'a str, mark: &'a str, kind: FaultKind) -> Expected<'a> {
    Expected { kernel, mark, block: FIRST, thread: FIRST, kind }
}

fn out_of_bounds(index: u64, len: u64) -> FaultKind {
    FaultKind::IndexOutOfBounds { index, len }
}

fn panicked(message: &str) -> FaultKind {
    FaultKind::Panic(message.into())
}

#[test]
fn an_index_fault_has_index_and_length() {
    on_each_device(|device| {
        let x = device.to_device(&[1.0f32; 24]).unwrap();
        let mut y = device.zeros::<f32>(24).unwrap();
        read(&x, &mut y, 1).grid(3).block(8).launch().unwrap();
        let (block, thread) = (Dim3 { x: 2, ..FIRST }, Dim3 { x: 7, ..FIRST });
        check(device, Expected { kernel: "read", mark: "read", block, thread, kind: out_of_bounds(24, 24) });
        write(&mut y, 1 << 40).grid(1).block(1).launch().unwrap();
        check(device, first("write", "write", out_of_bounds(1 << 40, 24)));
        let mut empty = device.zeros::<f32>(0).unwrap();
        write(&mut empty, 0).grid(1).block(1).launch().unwrap();
        let error = device.synchronize().unwrap_err();
        assert!(
            matches!(error, Error::Fault { kind: FaultKind::IndexOutOfBounds { index: 0, len: 0 }, .. }),
            "{error}"
        );
        let mut words = device.zeros::<u32>(2).unwrap();
        shared_element(&mut words, 5).grid(1).block(1).launch().unwrap();
        check(device, first("shared_element", "shared", out_of_bounds(5, 5)));
        dynamic_element(&mut words, 2).grid(1).block(1).shared_bytes(11).launch().unwrap();
        check(device, first("dynamic_element", "dynamic", out_of_bounds(2, 2)));
        atomic(&mut words, 2).grid(1).block(1).launch().unwrap();
        check(device, first("atomic", "atomic", out_of_bounds(2, 2)));
    });
}

#[test]
fn dynamic_shared_memory_is_bounds_checked() {
    on_each_device(|device| {
        let mut y = device.zeros::<u32>(1).unwrap();
        for (offset, len) in [(0, 5), (20, 0), (8, 3), (2, 1), (usize::MAX, 1), (4, usize::MAX)] {
            part(&mut y, offset, len).grid(1).block(1).shared_bytes(16).launch().unwrap();
            let error = device.synchronize().expect_err("outside or misaligned");
            let Error::Fault { line, kind: FaultKind::Panic(message), .. } = &error else { panic!("{error}") };
            assert_eq!(*line, place("part").1);
            assert!(message.contains("dynamic shared memory"), "{message}");
        }
        part(&mut y, 12, 1).grid(1).block(1).shared_bytes(16).launch().unwrap();
        assert_eq!(y.to_host().unwrap(), [5]);
        y.fill(0).unwrap();
        launch!(part[1, 1](&mut y, 12, 1).shared_bytes(16)).unwrap();
        assert_eq!(y.to_host().unwrap(), [5]);
    });
}

#[test]
fn arithmetic_without_a_result_is_a_fault() {
    on_each_device(|device| {
        let mut x = device.to_device(&[i32::MIN]).unwrap();
        divide(&mut x, 0).grid(1).block(1).launch().unwrap();
        check(device, first("divide", "divide", FaultKind::DivisionByZero));
        remainder(&mut x, 0).grid(1).block(1).launch().unwrap();
        check(device, first("remainder", "remainder", FaultKind::DivisionByZero));
        divide(&mut x, -1).grid(1).block(1).launch().unwrap();
        check(device, first("divide", "divide", FaultKind::Overflow("attempt to divide with overflow".into())));
        assert_eq!(x.to_host().unwrap(), [i32::MIN]);
        // As in Rust: checked in a debug build, wrapping in a release build.
        let mut bytes = device.to_device(&[200u8]).unwrap();
        overflow(&mut bytes, 100).grid(1).block(1).launch().unwrap();
        if cfg!(debug_assertions) {
            check(device, first("overflow", "overflow", FaultKind::Overflow("attempt to add with overflow".into())));
        } else {
            assert_eq!(bytes.to_host().unwrap(), [44]);
        }
    });
}

#[test]
fn a_failed_assertion_has_its_message() {
    on_each_device(|device| {
        let x = device.to_device(&[7i32]).unwrap();
        let claims_of = [
            ("assert", "assertion failed: x[0] < 3"),
            ("message", "x is {too} \"large\""),
            ("equal", "assertion `left == right` failed: not three\n  left: 7\n right: 3"),
            ("panic", "no way"),
            ("unreachable", "internal error: entered unreachable code"),
            ("unequal", "assertion `left != right` failed\n  left: 7\n right: 7"),
        ];
        for (claim, (mark, message)) in claims_of.into_iter().enumerate() {
            claims(&x, claim as u32).grid(1).block(1).launch().unwrap();
            check(device, first("claims", mark, panicked(message)));
        }
        claims(&x, 6).grid(1).block(1).launch().unwrap();
        works(device);
    });
}

#[test]
fn a_fault_in_a_device_function_names_its_file() {
    on_each_device(|device| {
        let x = device.to_device(&[5i32; 4]).unwrap();
        let mut y = device.zeros::<i32>(4).unwrap();
        in_functions(&x, &mut y, 0).grid(1).block(1).launch().unwrap();
        check(device, first("in_functions", "share", FaultKind::DivisionByZero));
        in_functions(&x, &mut y, 13).grid(1).block(1).launch().unwrap();
        check(device, first("in_functions", "thirteen", panicked("thirteen parts")));
        in_functions(&x, &mut y, 1).grid(1).block((3, 1)).launch().unwrap();
        let thread = Dim3 { x: 2, ..FIRST };
        check(device, Expected { thread, ..first("in_functions", "element", out_of_bounds(4, 4)) });
    });
}

/// The threads from `from` to `to` fault between two barriers.
#[kernel]
fn at_barriers(x: &mut [u32], from: usize, to: usize, rounds: u32) {
    let mut sum = shared::<[u32; 1]>();
    let t = thread_idx().x;
    sum[0] = 0;
    for round in 0..rounds {
        sync_threads();
        if round == 1 && t >= from && t < to {
            panic!("between barriers"); // @barrier: panic!
        }
        atomic_add(&mut sum[0], 1);
        sync_threads();
    }
    x[grid(1)] = sum[0];
}

#[test]
fn threads_at_a_barrier_do_not_wait_for_those_that_faulted() {
    on_each_device(|device| {
        let mut x = device.zeros::<u32>(256).unwrap();
        for (from, to) in [(0, 1), (33, 34), (63, 64)] {
            at_barriers(&mut x, from, to, 5).grid(1).block(64).launch().unwrap();
            let thread = Dim3 { x: from, ..FIRST };
            check(device, Expected { thread, ..first("at_barriers", "barrier", panicked("between barriers")) });
        }
        // Half of them, all but one, all, and in many blocks at once: any of the faults may be reported.
        for (from, to) in [(0, 32), (1, 64), (0, 64), (5, 60)] {
            at_barriers(&mut x, from, to, 5).grid(4).block(64).launch().unwrap();
            let error = device.synchronize().unwrap_err();
            let Error::Fault { thread, block, line, .. } = &error else { panic!("{error}") };
            assert_eq!(*line, place("barrier").1);
            assert!((from..to).contains(&thread.x) && block.x < 4, "{error}");
            works(device);
        }
        at_barriers(&mut x, 0, 0, 5).grid(4).block(64).launch().unwrap();
        assert_eq!(x.to_host().unwrap(), [320; 256]);
    });
}

/// Thread `i` of the grid faults where `i % every == which`; all others write.
#[kernel]
fn some_fault(y: &mut [u32], every: usize, which: usize) {
    let i = grid(1);
    if i < y.len() {
        assert!(i % every != which, "thread {i}"); // @some: assert!
        y[i] = i as u32 + 1;
    }
}

/// As `some_fault`, between barriers and with an exchange in the warp.
#[kernel]
fn some_fault_together(y: &mut [u32], every: usize, which: usize) {
    let mut sum = shared::<u32>();
    let i = grid(1);
    if thread_idx().x == 0 {
        *sum = 0;
    }
    sync_threads();
    assert!(i % every != which, "thread {i}"); // @together: assert!
    atomic_add(&mut *sum, 1);
    sync_threads();
    let most = reduce_max_sync(u32::MAX, *sum);
    if i < y.len() {
        y[i] = most;
    }
}

/// As `some_fault`, by a division in a device function.
#[kernel]
fn some_divide(y: &mut [u32], every: usize, which: usize) {
    let i = grid(1);
    if i < y.len() {
        y[i] = elsewhere::checked_share(i as i32, if i % every == which { 0 } else { 1 }) as u32 + 1;
    }
}

#[test]
fn threads_without_a_fault_complete() {
    on_each_device(|device| {
        for (every, which) in [(511, 100), (511, 0), (511, 510), (7, 3), (32, 31), (2, 0), (1, 0)] {
            let faults = |i: usize| i % every == which;
            let fault = |of: &str| {
                let Err(Error::Fault { kernel, block, thread, .. }) = device.synchronize() else { panic!("a fault") };
                assert!(kernel == of && faults(block.x * 64 + thread.x), "{of}: {block} {thread}");
            };
            let mut y = device.zeros::<u32>(511).unwrap();
            let expected: Vec<u32> = (0..511).map(|i| if faults(i) { 0 } else { i as u32 + 1 }).collect();
            some_fault(&mut y, every, which).grid(8).block(64).launch().unwrap();
            fault("some_fault");
            assert_eq!(y.to_host().unwrap(), expected, "every {every} on {device}");
            y.fill(0).unwrap();
            some_divide(&mut y, every, which).grid(8).block(64).launch().unwrap();
            fault("some_divide");
            assert_eq!(y.to_host().unwrap(), expected, "every {every} on {device}");
            y.fill(0).unwrap();
            some_fault_together(&mut y, every, which).grid(8).block(64).launch().unwrap();
            fault("some_fault_together");
            let in_block = |block: usize| (block * 64..block * 64 + 64).filter(|&i| !faults(i)).count() as u32;
            let expected: Vec<u32> = (0..511).map(|i| if faults(i) { 0 } else { in_block(i / 64) }).collect();
            assert_eq!(y.to_host().unwrap(), expected, "every {every} on {device}");
        }
    });
}

/// A launch need not prove that `y` and `z` are long enough: they are not accessed where `x` is negative.
#[kernel]
fn where_positive(x: &[f32], y: &mut [f32], z: &mut [f32]) {
    let i = grid(1);
    if i < x.len() && x[i] >= 0.0 {
        y[i] = x[i] + 1.0; // @positive_y: y[i]
        z[i] = x[i] + 2.0; // @positive_z: z[i]
    }
}

/// Launches that prove other checks each time: of both arrays, of one, of the other, and of none.
#[test]
fn launches_that_prove_some_of_the_checks() {
    on_each_device(|device| {
        for lens in [[100, 100], [60, 100], [100, 60], [60, 60], [60, 80]] {
            for positive in [50, 100] {
                let numbers: Vec<f32> = (0..100).map(|i| if i < positive { i as f32 } else { -1.0 }).collect();
                let x = device.to_device(&numbers).unwrap();
                let [mut y, mut z] = lens.map(|len| device.zeros::<f32>(len).unwrap());
                where_positive(&x, &mut y, &mut z).grid(4).block(32).launch().unwrap();
                let [y_fails, z_fails] = lens.map(|len| len < positive);
                match device.synchronize() {
                    Ok(()) => assert!(!y_fails && !z_fails, "{lens:?} of {positive}"),
                    Err(Error::Fault { line, kind: FaultKind::IndexOutOfBounds { index, len }, .. }) => {
                        let (mark, at) = if y_fails { ("positive_y", 0) } else { ("positive_z", 1) };
                        // `z` is shorter than `positive` in threads that do not fault at `y`.
                        let is_z = line == place("positive_z").1 && z_fails && index < lens[0] as u64;
                        assert!(line == place(mark).1 && len == lens[at] as u64 || is_z, "{lens:?}: {line}, {index}");
                    }
                    Err(error) => panic!("{error}"),
                }
                let expected = |plus: f32, len: usize| {
                    let at = |i: usize| if i < positive.min(lens[0]) { i as f32 + plus } else { 0.0 };
                    (0..len).map(at).collect::<Vec<f32>>()
                };
                assert_eq!(y.to_host().unwrap(), expected(1.0, lens[0]), "{lens:?} of {positive}");
                assert_eq!(z.to_host().unwrap(), expected(2.0, lens[1]), "{lens:?} of {positive}");
            }
        }
    });
}

/// After a fault in one block, the others exit at the grid barrier.
#[kernel]
fn fault_before_the_grid(y: &mut [u32], block: usize) {
    let i = grid(1);
    y[i] = 1;
    if block_idx().x == block {
        panic!("no barrier of the grid"); // @grid: panic!
    }
    sync_grid();
    y[i] = 2;
}

#[test]
fn a_fault_ends_all_threads_at_the_barrier_of_the_grid() {
    on_each_device(|device| {
        for block in 0..4 {
            let mut y = device.zeros::<u32>(4 * 32).unwrap();
            fault_before_the_grid(&mut y, block).grid(4).block(32).cooperative().launch().unwrap();
            let error = device.synchronize().unwrap_err();
            assert!(error.to_string().contains("no barrier of the grid"), "{error}");
            assert_eq!(y.to_host().unwrap(), [1; 4 * 32], "{device}");
        }
    });
}

#[test]
fn a_fault_is_pending_until_synchronization() {
    on_each_device(|device| {
        let x = device.to_device(&[1.0f32; 4]).unwrap();
        let mut y = device.zeros::<f32>(4).unwrap();
        let mut other = device.zeros::<f32>(4).unwrap();
        read(&x, &mut y, 2).grid(1).block(1).launch().unwrap();
        read(&x, &mut y, 9).grid(1).block(1).launch().expect("a fault does not fail the launch");
        add_one(&mut other).over(4).launch().expect("nor the next one");
        assert!(matches!(y.to_host(), Err(Error::Fault { .. })));
        assert_eq!(y.to_host().unwrap(), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(other.to_host().unwrap(), [1.0; 4]);
        // The first of two faults is reported.
        claims(&device.to_device(&[7]).unwrap(), 3).grid(1).block(1).launch().unwrap();
        write(&mut y, 99).grid(1).block(1).launch().unwrap();
        check(device, first("claims", "panic", panicked("no way")));
    });
}

/// Faults of many threads at once.
#[test]
fn one_of_many_faults_is_reported() {
    on_each_device(|device| {
        let x = device.to_device(&[1.0f32; 8]).unwrap();
        let mut y = device.zeros::<f32>(1 << 16).unwrap();
        read(&x, &mut y, 8).grid(256).block(256).launch().unwrap();
        let error = device.synchronize().unwrap_err();
        let Error::Fault { block, thread, kind: FaultKind::IndexOutOfBounds { index, len }, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(*index as usize, block.x * 256 + thread.x + 8, "the parts of the record belong together");
        assert_eq!(*len, 8);
        works(device);
    });
}

#[test]
fn a_host_call_of_a_device_function_panics_as_rust_does() {
    let quiet = std::panic::catch_unwind(|| elsewhere::checked_share(1, 13)).unwrap_err();
    let message = quiet.downcast_ref::<String>().expect("a message");
    assert!(message.contains("thirteen parts") && message.contains("elsewhere.rs"), "{message}");
    assert_eq!(elsewhere::checked_share(12, 4), 3);
    assert_eq!(elsewhere::element(&[1, 2, 3], 1), 3);
}

/// Faults of every kind, for [`nothing_is_printed`].
#[test]
#[ignore = "run by `nothing_is_printed`"]
fn faults_of_every_kind() {
    let _alone = alone();
    for device in [Some(&Device::cpu()), gpu()].into_iter().flatten() {
        let mut x = device.to_device(&[7i32]).unwrap();
        for claim in 0..6 {
            claims(&x, claim).grid(1).block(1).launch().unwrap();
            device.synchronize().unwrap_err();
        }
        divide(&mut x, 0).grid(1).block(1).launch().unwrap();
        device.synchronize().unwrap_err();
        let mut y = device.zeros::<f32>(4).unwrap();
        write(&mut y, 4).grid(1).block(1).launch().unwrap();
        device.synchronize().unwrap_err();
        let mut sums = device.zeros::<u32>(64).unwrap();
        at_barriers(&mut sums, 3, 40, 5).grid(1).block(64).launch().unwrap();
        device.synchronize().unwrap_err();
    }
}

#[test]
fn nothing_is_printed() {
    let output = crate::support::in_process("faults::faults_of_every_kind", &[("CUMBIA_REQUIRE_GPU", "0")]);
    passes_in_process("faults::faults_of_every_kind", &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    // The tests themselves report that there is no GPU.
    let said: Vec<_> = said.lines().filter(|line| !line.starts_with("left out") && !line.starts_with("  ")).collect();
    assert_eq!(said, [""; 0]);
}
