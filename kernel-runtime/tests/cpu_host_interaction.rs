//! Launches on the CPU device in combination with the program's own use of threads, locks and stdout. A bug here is a
//! deadlock, so each scenario runs in a separate process with a timeout.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cumbia::DeviceArray;
use cumbia::intrinsics::*;
use cumbia::prelude::*;
use rayon::prelude::*;

/// The timeout of a scenario. On an idle machine it takes less than a second.
const TIMEOUT: Duration = Duration::from_mins(1);

#[kernel]
fn add(y: &mut [f32]) {
    let i = grid(1);
    if i < y.len() {
        y[i] += 1.0;
    }
}

/// Adds after a block-wide barrier.
#[kernel]
fn add_together(y: &mut [f32]) {
    let i = grid(1);
    sync_threads();
    if i < y.len() {
        y[i] += 1.0;
    }
}

/// Block `i` runs a loop of `iterations[i]` iterations.
#[kernel]
fn work(iterations: &[u32], y: &mut [u32]) {
    let i = block_idx().x;
    let mut random = 1u32;
    for _ in 0..iterations[i] {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    y[i] = random;
}

#[kernel]
fn print_block(iterations: u32, y: &mut [u32]) {
    let i = block_idx().x;
    let mut random = 1u32;
    for _ in 0..iterations {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    y[i] = random;
    println!("<block {i}>");
    println!("<block {i} is done>");
}

/// Runs each thread on a stack of its own; the first thread prints after a loop.
#[kernel]
fn print_with_stacks(iterations: u32, y: &mut [u32]) {
    let i = grid(1);
    let mut random = 1u32;
    if i == 0 {
        for _ in 0..iterations {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        println!("<from a stack>");
    }
    sync_grid();
    y[i] = random;
}

/// Returns the number of iterations of `work` that take about `duration`.
fn iterations(duration: Duration) -> u32 {
    let (some, device) = (200_000, Device::cpu());
    let (iterations, mut y) = (device.to_device(&[some]).unwrap(), device.zeros(1).unwrap());
    let start = std::time::Instant::now();
    work(&iterations, &mut y).grid(1).block(1).launch().unwrap();
    (f64::from(some) * duration.as_secs_f64() / start.elapsed().as_secs_f64()) as u32
}

/// Runs a scenario in a process whose pool has `threads` threads, and returns its output.
#[track_caller]
fn passes(scenario: &str, threads: usize) -> String {
    let mut command = Command::new(std::env::current_exe().expect("tests know their executable"));
    command.args([scenario, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    let output =
        command.env("RAYON_NUM_THREADS", threads.to_string()).stdin(Stdio::null()).output().expect("a process");
    let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && output_text.contains("1 passed"),
        "{scenario} with {threads} threads: {}\n{output_text}{errors}",
        output.status
    );
    output_text
}

/// Ends the process if the scenario exceeds the timeout.
fn abort_after_timeout() {
    std::thread::spawn(|| {
        std::thread::sleep(TIMEOUT);
        let _ = writeln!(std::io::stderr(), "timeout");
        std::process::exit(17);
    });
}

fn wait_for(what: impl Fn() -> bool) {
    while !what() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_launch_completes_without_workers() {
    for threads in [1, 2, 5] {
        passes("launch_while_all_workers_wait_for_the_caller", threads);
    }
}

/// All workers of the pool wait for the lock that the launching thread holds.
#[test]
#[ignore = "run by `a_launch_completes_without_workers`"]
fn launch_while_all_workers_wait_for_the_caller() {
    abort_after_timeout();
    let y = Arc::new(Mutex::new(Device::cpu().zeros::<f32>(1 << 16).unwrap()));
    let mut mine = y.lock().unwrap();
    let waiting = Arc::new(AtomicUsize::new(0));
    let workers = rayon::current_num_threads();
    for _ in 0..workers {
        let (y, waiting) = (y.clone(), waiting.clone());
        rayon::spawn(move || {
            waiting.fetch_add(1, SeqCst);
            drop(y.lock());
        });
    }
    wait_for(|| waiting.load(SeqCst) == workers);
    add(&mut *mine).over(1 << 16).launch().unwrap();
    add_together(&mut *mine).grid(64).block(1024).launch().unwrap();
    drop(mine);
    // The workers that were requested for the launch start now, and find no work.
    let mut mine = y.lock().unwrap();
    add(&mut *mine).over(1 << 16).launch().unwrap();
    assert_eq!(mine.to_host().unwrap(), vec![3.0; 1 << 16]);
}

#[test]
fn a_launch_on_a_worker_does_not_steal_other_work() {
    for threads in [1, 2, 4] {
        passes("a_worker_launches_while_holding_a_lock", threads);
        passes("workers_launch_under_a_mutex", threads);
    }
}

/// The worker finishes its part of the launch before its helper does, and the pool has other work, which takes the lock.
#[test]
#[ignore = "run by `a_launch_on_a_worker_does_not_steal_other_work`"]
fn a_worker_launches_while_holding_a_lock() {
    abort_after_timeout();
    let device = Device::cpu();
    let (short, long) = (iterations(Duration::from_millis(100)), iterations(Duration::from_millis(500)));
    let iterations = device.to_device(&[short, long]).unwrap();
    let y = Arc::new(Mutex::new(device.zeros(2).unwrap()));
    let (begun, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let launching = (y.clone(), begun.clone(), done.clone());
    rayon::spawn(move || {
        let (y, begun, done) = launching;
        let mut y = y.lock().unwrap();
        begun.store(true, SeqCst);
        work(&iterations, &mut *y).grid(2).block(1).launch().unwrap();
        drop(y);
        done.fetch_add(1, SeqCst);
    });
    wait_for(|| begun.load(SeqCst));
    std::thread::sleep(Duration::from_millis(50));
    for _ in 0..8 {
        let (y, done) = (y.clone(), done.clone());
        rayon::spawn(move || {
            drop(y.lock().unwrap());
            done.fetch_add(1, SeqCst);
        });
    }
    wait_for(|| done.load(SeqCst) == 9);
}

#[test]
#[ignore = "run by `a_launch_on_a_worker_does_not_steal_other_work`"]
fn workers_launch_under_a_mutex() {
    abort_after_timeout();
    let y: Mutex<DeviceArray<f32>> = Mutex::new(Device::cpu().zeros(4096).unwrap());
    (0..300).into_par_iter().with_max_len(1).for_each(|i| {
        let mut y = y.lock().unwrap();
        if i % 3 == 0 {
            add_together(&mut *y).grid(32).block(128).launch().unwrap();
        } else {
            add(&mut *y).grid(32).block(128).launch().unwrap();
        }
    });
    assert_eq!(y.into_inner().unwrap().to_host().unwrap(), vec![300.0; 4096]);
}

#[test]
fn a_kernel_prints_while_the_caller_holds_stdout() {
    for threads in [1, 4] {
        let output_text = passes("the_caller_holds_stdout", threads);
        for i in 0..16 {
            let first =
                output_text.find(&format!("<block {i}>\n")).unwrap_or_else(|| panic!("no block {i} in\n{output_text}"));
            let last =
                output_text.find(&format!("<block {i} is done>\n")).unwrap_or_else(|| panic!("{i} in\n{output_text}"));
            assert!(first < last && last < output_text.find("<that was all>").unwrap(), "{output_text}");
        }
    }
}

#[test]
#[ignore = "run by `a_kernel_prints_while_the_caller_holds_stdout`"]
fn the_caller_holds_stdout() {
    abort_after_timeout();
    let mut y = Device::cpu().zeros(16).unwrap();
    let iterations = iterations(Duration::from_millis(10));
    let mut output = std::io::stdout().lock();
    writeln!(output).unwrap();
    print_block(iterations, &mut y).grid(16).block(1).launch().unwrap();
    writeln!(output, "<that was all>").unwrap();
}

#[test]
fn a_kernel_prints_while_a_thread_holding_stdout_waits_for_stacks() {
    for threads in [1, 4] {
        let output_text = passes("a_thread_holding_stdout_waits_for_stacks", threads);
        assert_eq!(output_text.matches("<from a stack>\n").count(), 2, "{output_text}");
    }
}

/// Each launch uses the process's maximum number of stacks.
#[test]
#[ignore = "run by `a_kernel_prints_while_a_thread_holding_stdout_waits_for_stacks`"]
fn a_thread_holding_stdout_waits_for_stacks() {
    abort_after_timeout();
    let iterations = iterations(Duration::from_millis(300));
    let (locked, launched) = (AtomicBool::new(false), AtomicBool::new(false));
    let launch = || {
        let mut y = Device::cpu().zeros(16 * 1024).unwrap();
        print_with_stacks(iterations, &mut y).grid(16).block(1024).cooperative().launch().unwrap();
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut output = std::io::stdout().lock();
            writeln!(output).unwrap();
            locked.store(true, SeqCst);
            wait_for(|| launched.load(SeqCst));
            // The other launch holds the stacks by now, and has not printed yet.
            std::thread::sleep(Duration::from_millis(100));
            launch();
        });
        wait_for(|| locked.load(SeqCst));
        launched.store(true, SeqCst);
        launch();
    });
}

/// The read end of the output pipe is closed.
#[test]
#[cfg(unix)]
fn a_kernel_prints_to_a_closed_stdout() {
    for threads in [1, 4] {
        passes("stdout_is_closed", threads);
    }
}

#[test]
#[cfg(unix)]
#[ignore = "run by `a_kernel_prints_to_a_closed_stdout`"]
fn stdout_is_closed() {
    abort_after_timeout();
    let mut y = Device::cpu().zeros(16).unwrap();
    let iterations = iterations(Duration::from_millis(1));
    let mut ends = [0; 2];
    // SAFETY: the descriptors belong to this process, and the array holds two.
    let usual = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        let usual = libc::dup(1);
        assert!(usual >= 0 && libc::dup2(ends[1], 1) == 1 && libc::close(ends[0]) == 0);
        usual
    };
    let printed = std::panic::catch_unwind(|| println!("lost output"));
    let launched = print_block(iterations, &mut y).grid(16).block(1).launch();
    let synchronized = Device::cpu().synchronize();
    // SAFETY: as above.
    unsafe { assert_eq!(libc::dup2(usual, 1), 1) };
    assert!(printed.is_err(), "the output is closed for the program");
    launched.unwrap();
    synchronized.unwrap();
    assert!(y.to_host().unwrap().iter().all(|&random| random != 0));
}
