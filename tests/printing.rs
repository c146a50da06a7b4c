//! The output of `print!` and `println!` in kernels: whole messages on the standard output, in program order per
//! thread. Each test runs in its own process, since the standard output belongs to the process.

use std::process::Command;

use cumbia::Error;
use cumbia::prelude::*;
use cumbia_corpus::left_out;

/// The variable that marks a child process, and names its device.
const VARIABLE: &str = "CUMBIA_TEST_DEVICE";

#[kernel]
fn tell(x: &[f32], n: u64, done: bool) {
    let i = grid(1);
    if i < x.len() {
        print!("thread {i}: ");
        for k in 0..3 {
            println!("<{i} {k} {:.2} {n:#x} {done}>", x[i] * k as f32);
        }
        println!("<{i} {} {:e} {:>5}>", i as i8 - 100, x[i], -1i16);
    }
}

#[kernel]
fn much(lines: usize) {
    for k in 0..lines {
        println!("{} {k}", grid(1));
    }
}

#[kernel]
fn stop(x: &[i32]) {
    let i = grid(1);
    println!("<{}>", x[i]);
    assert!(x[i] < 3, "{} is too large", x[i]);
    println!("<{} is fine>", x[i]);
}

/// Returns the lines that `tell` prints for one thread, in order. The output of `print!` precedes the first.
fn told(i: usize, x: f32) -> Vec<String> {
    let mut lines: Vec<String> =
        (0..3).map(|k| format!("<{i} {k} {:.2} {:#x} true>", x * k as f32, 1u64 << 40)).collect();
    lines[0] = format!("thread {i}: {}", lines[0]);
    lines.push(format!("<{i} {} {x:e} {:>5}>", i as i8 - 100, -1i16));
    lines
}

/// Runs a test in a child process. Returns its output.
fn output_of(test: &str, device: &str) -> String {
    let mut command = Command::new(std::env::current_exe().expect("tests know their executable"));
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(VARIABLE, device);
    let output = command.output().expect("a process");
    let (printed, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{test} on {device}:\n{printed}{errors}");
    printed.into_owned() + &errors
}

/// Runs `print` on each device in a child process, and passes the output to `check`.
#[track_caller]
fn on_each_device(test: &str, print: impl Fn(&Device), check: impl Fn(&str)) {
    if let Ok(device) = std::env::var(VARIABLE) {
        let device = if device == "cpu" { Device::cpu() } else { Device::cuda(0).expect("a GPU") };
        // End the line that the test harness has begun.
        println!();
        return print(&device);
    }
    check(&output_of(test, "cpu"));
    match Device::cuda(0) {
        Ok(_) => check(&output_of(test, "cuda")),
        Err(Error::Device(error)) => left_out("printing on a GPU", &error.to_string(), "CUMBIA_REQUIRE_GPU"),
        Err(error) => panic!("the GPU cannot be opened: {error}"),
    }
}

#[test]
fn each_thread_prints_in_program_order() {
    let x = [0.5f32, -1.25, 1e10, 3.0];
    on_each_device(
        "each_thread_prints_in_program_order",
        |device| {
            let there = device.to_device(&x).unwrap();
            // One thread per launch, so that the outputs of its `print!` and `println!` are contiguous.
            for i in 0..x.len() {
                let one = device.to_device(&x[i..=i]).unwrap();
                tell(&one, 7, false).grid(1).block(1).launch().unwrap();
            }
            device.synchronize().unwrap();
            println!("all threads:");
            tell(&there, 1 << 40, true).grid(2).block(2).launch().unwrap();
            device.synchronize().unwrap();
        },
        |output| {
            let (alone, together) = output.split_once("all threads:").expect("both launches printed");
            for x in x {
                for k in 0..3 {
                    let line = format!("<0 {k} {:.2} 0x7 false>\n", x * k as f32);
                    assert!(alone.contains(&line), "no {line} in\n{alone}");
                }
            }
            for (i, x) in x.into_iter().enumerate() {
                let mut rest = together;
                for line in told(i, x) {
                    // On a GPU the messages of different threads interleave.
                    let line = line.strip_prefix(&format!("thread {i}: ")).unwrap_or(&line);
                    let at = rest.find(line).unwrap_or_else(|| panic!("no {line} in\n{rest}"));
                    rest = &rest[at + line.len()..];
                }
            }
        },
    );
}

#[test]
fn output_before_a_fault_is_kept() {
    on_each_device(
        "output_before_a_fault_is_kept",
        |device| {
            let x = device.to_device(&[1, 5]).unwrap();
            stop(&x).grid(2).block(1).launch().unwrap();
            let error = device.synchronize().unwrap_err();
            assert!(error.to_string().contains("5 is too large"), "{error}");
        },
        |output| {
            assert!(output.contains("<5>\n") && !output.contains("<5 is fine>"), "{output}");
            // On the CPU a block may be skipped after the fault of another block. A block that has begun completes, and
            // the output of the other block may interleave with its own.
            let begun = output.split_once("<1>\n");
            assert!(begun.is_none_or(|(_, rest)| rest.contains("<1 is fine>\n")), "{output}");
        },
    );
}

#[test]
fn lost_messages_are_counted() {
    const LINES: usize = 100_000;
    on_each_device(
        "lost_messages_are_counted",
        |device| {
            much(LINES).grid(1).block(1).on_device(device).launch().unwrap();
            device.synchronize().unwrap();
            println!("again");
            much(10).grid(1).block(1).on_device(device).launch().unwrap();
            device.synchronize().unwrap();
        },
        |output| {
            let (first, second) = output.split_once("again\n").expect("both launches ran");
            let printed = first.lines().filter(|line| line.starts_with("0 ")).count();
            assert!(printed == LINES || output.contains("did not fit into the buffer"), "{printed} lines");
            assert!(printed > 10_000, "{printed} lines");
            assert!((0..10).all(|k| second.contains(&format!("0 {k}\n"))), "{second}");
        },
    );
}
