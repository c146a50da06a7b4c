//! Kernels with large local variables on the CPU device, in the profile of the tests: without optimisation, each move of a value
//! copies it. Launches are made from the main thread, from a thread with a small stack, and from threads of the pool. A stack
//! overflow ends the process, so such scenarios run in a separate process.

#![allow(clippy::large_stack_arrays, reason = "large stack arrays are under test")]

use std::process::{Command, Output};

use cumbia::prelude::*;
use cumbia::{Error, FaultKind, LaunchError};

/// A value of 64 KiB that is passed and returned by value.
#[derive(Clone, Copy, DeviceType)]
struct Big {
    words: [u32; 16 * 1024],
}

#[derive(Clone, Copy, DeviceType)]
struct Pair {
    left: Big,
    right: Big,
}

#[device]
fn filled(with: u32) -> Big {
    let mut words = [0; 16 * 1024];
    for k in 0..words.len() {
        words[k] = k as u32 ^ with;
    }
    Big { words }
}

#[device]
fn exchanged(pair: Pair) -> Pair {
    Pair { left: pair.right, right: pair.left }
}

#[device]
impl Big {
    fn rotated(self, by: usize) -> Big {
        let mut other = self;
        for k in 0..other.words.len() {
            other.words[k] = self.words[(k + by) % 16_384];
        }
        other
    }

    fn sum(self) -> u32 {
        let mut sum = 0u32;
        for k in 0..self.words.len() {
            sum = sum.wrapping_mul(3).wrapping_add(self.words[k]);
        }
        sum
    }
}

#[device]
impl std::ops::Add for Big {
    type Output = Big;

    fn add(self, other: Big) -> Big {
        let mut sum = self;
        for k in 0..sum.words.len() {
            sum.words[k] = sum.words[k].wrapping_add(other.words[k]);
        }
        sum
    }
}

/// Defines the kernels, with or without barriers: `$sync` separates the steps.
macro_rules! kernels {
    ($array:ident $values:ident $calls:ident $choices:ident $sync:expr) => {
        /// One array in a variable.
        #[kernel]
        fn $array<const N: usize>(y: &mut [u32]) {
            let i = grid(1);
            let mut a = [0u32; N];
            for k in 0..N {
                a[k] = k as u32 ^ i as u32;
            }
            $sync;
            let mut sum = 0u32;
            for k in 0..N {
                sum = sum.wrapping_add(a[(k * 7 + i) % N]);
            }
            $sync;
            y[i] = sum;
        }

        /// Copies of arrays, and components of tuples and structs.
        #[kernel]
        fn $values(y: &mut [u32]) {
            let i = grid(1);
            let a = [i as u32; 5000];
            let mut b = a;
            b[i] = 7;
            $sync;
            let (mut c, d) = (b, a);
            c[0] += d[4999];
            let e = [c, d, b];
            $sync;
            let [f, g, _] = e;
            let mut h = f;
            h = if i % 2 == 0 { g } else { h };
            y[i] = h[0] + f[i] + e[2][1];
        }

        /// Values that are passed, returned, and added by overloaded operators.
        #[kernel]
        fn $calls(y: &mut [u32]) {
            let i = grid(1);
            let pair = exchanged(Pair { left: filled(i as u32), right: filled(1).rotated(i) });
            $sync;
            let sum = pair.left + pair.right + filled(2).rotated(3) + exchanged(pair).left;
            $sync;
            y[i] = sum.rotated(5).sum();
        }

        /// Values of blocks, loops and match arms.
        #[kernel]
        fn $choices(y: &mut [u32]) {
            let i = grid(1);
            let chosen = match i % 4 {
                0 => filled(0),
                1 => {
                    let first = filled(1);
                    first + first
                }
                2 => loop {
                    break filled(2).rotated(1);
                },
                _ => Big { words: [3; 16 * 1024] },
            };
            $sync;
            let mut sum = 0u32;
            for word in chosen.words {
                sum = sum.wrapping_mul(3).wrapping_add(word);
            }
            y[i] = sum;
        }
    };
}

kernels!(array values calls choices ());
kernels!(array_side_by_side values_side_by_side calls_side_by_side choices_side_by_side sync_threads());

const THREADS: usize = 8;

fn expected_array(n: usize) -> Vec<u32> {
    let sum = |i: usize| (0..n).fold(0u32, |sum, k| sum.wrapping_add(((k * 7 + i) % n) as u32 ^ i as u32));
    (0..THREADS).map(sum).collect()
}

fn expected_values() -> Vec<u32> {
    let of = |i: u32| {
        let b = |k: u32| if k == i { 7 } else { i };
        let c = |k: u32| if k == 0 { b(0) + i } else { b(k) };
        let h = if i.is_multiple_of(2) { i } else { c(0) };
        h + c(i) + b(1)
    };
    (0..THREADS as u32).map(of).collect()
}

/// Launches a kernel, and returns its output.
macro_rules! run {
    ($kernel:expr) => {{
        let mut y = Device::cpu().zeros::<u32>(THREADS).unwrap();
        $kernel(&mut y).grid(2).block(THREADS / 2).launch().unwrap();
        y.to_host().unwrap()
    }};
}

macro_rules! arrays {
    ($($n:literal)*) => {$(
        assert_eq!(run!(array::<$n>), expected_array($n), "{}", $n);
        assert_eq!(run!(array_side_by_side::<$n>), expected_array($n), "{}", $n);
    )*};
}

fn all_kernels() {
    arrays!(1 1000 30_000 150_000);
    assert_eq!(run!(values), expected_values());
    assert_eq!(run!(values_side_by_side), expected_values());
    // The device functions are also called on the host, on a thread with a large stack.
    let host = std::thread::Builder::new().stack_size(256 << 20).spawn(|| {
        let of_calls = |i: usize| {
            let pair = exchanged(Pair { left: filled(i as u32), right: filled(1).rotated(i) });
            (pair.left + pair.right + filled(2).rotated(3) + exchanged(pair).left).rotated(5).sum()
        };
        let of_choices = |i: usize| match i % 4 {
            0 => filled(0).sum(),
            1 => (filled(1) + filled(1)).sum(),
            2 => filled(2).rotated(1).sum(),
            _ => Big { words: [3; 16 * 1024] }.sum(),
        };
        let all = 0..THREADS;
        (all.clone().map(of_calls).collect::<Vec<_>>(), all.map(of_choices).collect::<Vec<_>>())
    });
    let (of_calls, of_choices) = host.unwrap().join().unwrap();
    assert_eq!(run!(calls), of_calls);
    assert_eq!(run!(calls_side_by_side), of_calls);
    assert_eq!(run!(choices), of_choices);
    assert_eq!(run!(choices_side_by_side), of_choices);
}

#[test]
fn variables_of_any_size_fit_on_the_stack() {
    all_kernels();
}

#[test]
fn a_launch_needs_little_stack_of_the_calling_thread() {
    // The stack that the launch itself needs, without optimisation and with the arguments of the largest kernel here.
    std::thread::Builder::new().stack_size(512 << 10).spawn(all_kernels).unwrap().join().unwrap();
}

#[test]
fn pool_threads_need_little_stack() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(512 << 10).build().unwrap();
    pool.install(all_kernels);
}

/// A kernel that faults with a large stack frame, which is unwound.
#[kernel]
fn faulting(y: &mut [u32], at: usize) {
    let i = grid(1);
    let a = [1u32; 100_000];
    sync_threads();
    y[i] = a[at + i];
}

#[test]
fn a_fault_unwinds_a_large_stack() {
    let device = Device::cpu();
    let mut y = device.zeros::<u32>(20).unwrap();
    // The fault belongs to this stream, and not to the next test that synchronizes the device.
    let stream = device.stream().unwrap();
    for _ in 0..3 {
        faulting(&mut y, 99_990).grid(2).block(10).on(&stream).launch().unwrap();
        let error = stream.synchronize().unwrap_err();
        let Error::Fault { block, thread, kind: FaultKind::IndexOutOfBounds { index, len: 100_000 }, .. } = &error
        else {
            panic!("{error}")
        };
        // All threads of the second block fault.
        assert_eq!((block.x, *index as usize), (1, 99_990 + 10 + thread.x), "{error}");
        assert_eq!(y.to_host().unwrap()[..10], [1; 10]);
    }
}

#[kernel]
fn enormous(y: &mut [u8]) {
    let a = [1u8; 1 << 30];
    y[0] = a[grid(1)];
}

#[test]
fn a_stack_above_the_limit_is_rejected() {
    let mut y = Device::cpu().zeros::<u8>(1).unwrap();
    let error = enormous(&mut y).grid(1).block(1).launch().unwrap_err();
    let Error::Launch(LaunchError::StackTooLarge { kernel: "enormous", requested, limit, .. }) = &error else {
        panic!("{error}")
    };
    assert!(*requested > 1 << 30 && *limit <= 1 << 30, "{error}");
    assert!(error.to_string().contains("local arrays"), "{error}");
}

/// Returns the resident memory of this process, in KiB.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Run by [`stack_memory_is_released`].
#[test]
#[ignore = "run in a process of its own"]
#[cfg(target_os = "linux")]
fn measure_stack_memory() {
    let mut y = Device::cpu().zeros::<u32>(1024).unwrap();
    array_side_by_side::<10>(&mut y).grid(1).block(1024).launch().unwrap();
    let before = resident();
    for _ in 0..3 {
        array_side_by_side::<30_000>(&mut y).grid(1).block(1024).launch().unwrap();
        array::<150_000>(&mut y).grid(4).block(1).launch().unwrap();
    }
    let (after, while_running) = (resident(), 1024 * 120);
    assert!(after < before + while_running / 4, "{before} KiB before, {after} KiB after");
}

/// Recursion in host code, which is invisible to the compiler's stack estimate.
#[device(unsafe(cuda = "return x;"))]
fn recursive(x: u32) -> u32 {
    fn depth(x: u32) -> u32 {
        let frame = std::hint::black_box([x; 64]);
        if x == 0 { frame[0] } else { depth(x.wrapping_add(1)) + frame[1] }
    }
    depth(x)
}

#[kernel]
fn deep_recursion(y: &mut [u32]) {
    let i = grid(1);
    if i == 7 {
        y[i] = recursive(1);
    }
}

#[kernel]
fn deep_recursion_after_barrier(y: &mut [u32]) {
    let i = grid(1);
    sync_threads();
    if i == 7 {
        y[i] = recursive(1);
    }
}

#[test]
#[ignore = "run in a process of its own"]
fn overflow() {
    let mut y = Device::cpu().zeros::<u32>(THREADS).unwrap();
    let mut launch = || deep_recursion(&mut y).grid(4).block(5).launch().unwrap();
    // A thread that was not created by the standard library has no alternate signal stack.
    if std::env::var_os("FOREIGN").is_some() { on_a_foreign_thread(launch) } else { launch() }
}

#[test]
#[ignore = "run in a process of its own"]
fn overflow_side_by_side() {
    let mut y = Device::cpu().zeros::<u32>(THREADS).unwrap();
    deep_recursion_after_barrier(&mut y).grid(4).block(5).launch().unwrap();
}

/// A stack overflow outside of kernels is reported by the standard library, even after kernels have run.
#[test]
#[ignore = "run in a process of its own"]
fn overflow_of_the_host() {
    run!(values);
    std::hint::black_box(recursive(1));
}

/// Runs a function on a thread without the alternate signal stack that the standard library installs.
fn on_a_foreign_thread(function: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            #[cfg(unix)]
            // SAFETY: the thread's handler does not require the alternate stack, and removes it when the thread ends.
            unsafe {
                let none = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
                assert_eq!(libc::sigaltstack(&raw const none, std::ptr::null_mut()), 0);
            }
            function();
        });
    });
}

/// Runs one of the ignored tests in a separate process.
fn in_process(test: &str, environment: &[(&str, &str)]) -> Output {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.envs(environment.iter().copied()).output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn stack_memory_is_released() {
    let output = in_process("measure_stack_memory", &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(unix)]
#[test]
fn a_stack_overflow_in_host_code_reports_the_thread() {
    use std::os::unix::process::ExitStatusExt;

    for (test, kernel, environment) in [
        ("overflow", "deep_recursion", &[][..]),
        ("overflow", "deep_recursion", &[("RAYON_NUM_THREADS", "1")]),
        ("overflow", "deep_recursion", &[("FOREIGN", "1"), ("RAYON_NUM_THREADS", "1")]),
        ("overflow_side_by_side", "deep_recursion_after_barrier", &[]),
    ] {
        let output = in_process(test, environment);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(libc::SIGABRT), "{test}: {said}");
        let what = format!("kernel `{kernel}`, block (1, 0, 0), thread (2, 0, 0)");
        assert!(said.contains("the stack of a thread overflowed on the CPU device") && said.contains(&what), "{said}");
        assert!(said.contains("why: ") && said.contains("help: "), "{said}");
    }
    let output = in_process("overflow_of_the_host", &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("has overflowed its stack"), "{said}");
    assert!(!said.contains("on the CPU device"), "{said}");
}
