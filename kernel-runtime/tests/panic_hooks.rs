//! Faults on the CPU device are Rust panics: their interaction with a program's panic hooks. A hook is global to the
//! process, so this is the only test here.

use std::panic;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use cumbia::prelude::*;
use cumbia::{Error, FaultKind};

static HOOK_CALLS: AtomicU32 = AtomicU32::new(0);

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

/// Returns the address of the current hook.
fn address() -> usize {
    let hook = panic::take_hook();
    let address = std::ptr::from_ref(&*hook).addr();
    panic::set_hook(hook);
    address
}

/// Returns whether the position of a fault is known, and how often the program's hooks were called for it.
fn fault() -> (bool, u32) {
    let (device, before) = (Device::cpu(), HOOK_CALLS.load(SeqCst));
    let mut x = device.to_device(&[7]).unwrap();
    divide(&mut x, 0).grid(1).block(1).launch().unwrap();
    let Err(Error::Fault { file, line, kind, .. }) = device.synchronize() else { panic!("a fault") };
    assert_eq!(kind, FaultKind::DivisionByZero);
    assert_eq!(&*file == "unknown", line == 0);
    (file.ends_with("panic_hooks.rs"), HOOK_CALLS.load(SeqCst) - before)
}

fn count() {
    panic::set_hook(Box::new(|_| _ = HOOK_CALLS.fetch_add(1, SeqCst)));
}

/// Returns how often the program's hooks are called for a panic outside of kernels.
fn user_panic() -> u32 {
    let before = HOOK_CALLS.load(SeqCst);
    panic::catch_unwind(|| panic!("mine")).unwrap_err();
    HOOK_CALLS.load(SeqCst) - before
}

#[test]
fn user_panic_hooks_can_be_set_and_removed() {
    let usual = panic::take_hook();
    count();
    assert_eq!((fault(), user_panic()), ((true, 0), 1));
    // A hook that is set later is called for one fault.
    count();
    assert_eq!((fault(), user_panic()), ((false, 1), 1));
    assert_eq!((fault(), user_panic()), ((true, 0), 1));
    // A fault without a hook call does not chain Cumbia's hook to itself.
    let address_before = address();
    for _ in 0..2 {
        let mut x = Device::cpu().to_device(&[7]).unwrap();
        unwind(&mut x).grid(1).block(1).launch().unwrap();
        let text = Device::cpu().synchronize().unwrap_err().to_string();
        assert!(text.contains("no hook hears of this"), "{text}");
    }
    assert_eq!((fault(), user_panic(), address()), ((true, 0), 1, address_before));
    // A hook that calls the previous one leaves Cumbia's hook working.
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        HOOK_CALLS.fetch_add(1, SeqCst);
        before(info);
    }));
    assert_eq!((fault(), user_panic()), ((true, 1), 2));
    drop(panic::take_hook());
    count();
    assert_eq!((fault(), fault(), user_panic()), ((false, 1), (true, 0), 1));
    panic::set_hook(usual);
}
