//! Faults of the CPU that are panics of Rust's, in a program that sets panic hooks. A hook belongs to the process: so
//! this is the only test here.

use std::panic;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use cumbia::prelude::*;
use cumbia::{Error, FaultKind};

static HEARD: AtomicU32 = AtomicU32::new(0);

#[kernel]
fn divide(x: &mut [i32], by: i32) {
    x[0] = x[0] / by;
}

#[device(unsafe(cuda = "return x;"))]
fn without_hook(x: i32) -> i32 {
    let _ = x;
    panic::resume_unwind(Box::new("no hook hears of this"))
}

#[kernel]
fn unwind(x: &mut [i32]) {
    x[0] = without_hook(x[0]);
}

/// The address of the hook that is set.
fn address() -> usize {
    let hook = panic::take_hook();
    let address = std::ptr::from_ref(&*hook).addr();
    panic::set_hook(hook);
    address
}

/// Whether the position of a fault is known, and how often hooks of the program heard of it.
fn fault() -> (bool, u32) {
    let (device, before) = (Device::cpu(), HEARD.load(SeqCst));
    let mut x = device.to_device(&[7]).unwrap();
    divide(&mut x, 0).grid(1).block(1).launch().unwrap();
    let Err(Error::Fault { file, line, kind, .. }) = device.synchronize() else { panic!("a fault") };
    assert_eq!(kind, FaultKind::DivisionByZero);
    assert_eq!(file == "unknown", line == 0);
    (file.ends_with("hook.rs"), HEARD.load(SeqCst) - before)
}

fn count() {
    panic::set_hook(Box::new(|_| _ = HEARD.fetch_add(1, SeqCst)));
}

/// How often hooks of the program hear of a panic of its own.
fn own_panic() -> u32 {
    let before = HEARD.load(SeqCst);
    panic::catch_unwind(|| panic!("mine")).unwrap_err();
    HEARD.load(SeqCst) - before
}

#[test]
fn hooks_of_the_program_may_come_and_go() {
    let usual = panic::take_hook();
    count();
    assert_eq!((fault(), own_panic()), ((true, 0), 1));
    // A hook that comes later hears of a fault once.
    count();
    assert_eq!((fault(), own_panic()), ((false, 1), 1));
    assert_eq!((fault(), own_panic()), ((true, 0), 1));
    // A fault that no hook hears of does not make a chain of ours.
    let address_before = address();
    for _ in 0..2 {
        let mut x = Device::cpu().to_device(&[7]).unwrap();
        unwind(&mut x).grid(1).block(1).launch().unwrap();
        let text = Device::cpu().synchronize().unwrap_err().to_string();
        assert!(text.contains("no hook hears of this"), "{text}");
    }
    assert_eq!((fault(), own_panic(), address()), ((true, 0), 1, address_before));
    // One that passes on what it hears takes nothing from ours.
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        HEARD.fetch_add(1, SeqCst);
        before(info);
    }));
    assert_eq!((fault(), own_panic()), ((true, 1), 2));
    drop(panic::take_hook());
    count();
    assert_eq!((fault(), fault(), own_panic()), ((false, 1), (true, 0), 1));
    panic::set_hook(usual);
}
