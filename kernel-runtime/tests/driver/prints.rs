//! Output of kernels while stdout is locked by another thread, or closed. A bug here is a deadlock, so each scenario
//! has a timeout.

use std::fs::File;
use std::io::{Write, stderr, stdout};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use cumbia::DeviceArray;
use cumbia::prelude::*;

use crate::fake::Fake;
use crate::kernels::tell;
use crate::scenarios;

const OUTPUT: RawFd = 1;
const ERRORS: RawFd = 2;

/// Returns a device whose kernels print, and an array on it. Starts the timeout.
fn device() -> (Device, DeviceArray<f32>) {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(30));
        let _ = writeln!(stderr(), "timeout");
        std::process::exit(17);
    });
    let device = Device::cuda(0).unwrap();
    Fake::of_process().print(3);
    let x = device.zeros(64).unwrap();
    (device, x)
}

fn launch_print(number: u64, x: &mut DeviceArray<f32>) {
    tell(number, x).grid(1).block(64).launch().unwrap();
}

/// Runs `work` while `descriptor` is redirected.
fn redirected(descriptor: RawFd, to: &impl AsRawFd, work: impl FnOnce()) {
    stdout().flush().unwrap();
    // SAFETY: the descriptors are open, and belong to this process.
    let usual = unsafe {
        let usual = libc::dup(descriptor);
        assert!(usual >= 0 && libc::dup2(to.as_raw_fd(), descriptor) == descriptor);
        usual
    };
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    // SAFETY: as above.
    unsafe { assert!(libc::dup2(usual, descriptor) == descriptor && libc::close(usual) == 0) };
    result.unwrap();
}

/// Returns the output of `work`.
fn printed(work: impl FnOnce()) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    redirected(OUTPUT, file.as_file(), work);
    std::fs::read_to_string(file.path()).unwrap()
}

/// Returns the write end of a pipe whose read end is closed.
fn closed() -> File {
    let mut ends = [0; 2];
    // SAFETY: the array holds two descriptors, which have no other owner.
    let [read, write] = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        ends.map(|end| OwnedFd::from_raw_fd(end))
    };
    drop(read);
    write.into()
}

scenarios! {
    /// One thread prints messages and waits for the lock of stdout; the thread that holds it synchronises the same stream.
    fn messages_are_read_while_another_thread_waits_for_stdout() {
        let (device, mut x) = device();
        let text = printed(|| {
            let mut output = stdout().lock();
            launch_print(1, &mut x);
            std::thread::scope(|scope| {
                let other = scope.spawn(|| device.synchronize());
                std::thread::sleep(Duration::from_millis(200));
                launch_print(2, &mut x);
                x.to_host().unwrap();
                launch_print(3, &mut x);
                device.synchronize().unwrap();
                writeln!(output, "<mine>").unwrap();
                drop(output);
                other.join().unwrap().unwrap();
            });
            launch_print(4, &mut x);
            device.synchronize().unwrap();
        });
        assert_eq!(text, "<1>\n<2>\n<3>\n<mine>\n<4>\n");
    }

    /// Reusing a pooled stream prints its pending messages; the pool is not locked in the meantime.
    fn a_stream_is_reused_while_stdout_is_locked() {
        let (device, mut x) = device();
        let text = printed(|| {
            let stream = device.stream().unwrap();
            tell(1, &mut x).on(&stream).grid(1).block(64).launch().unwrap();
            drop(stream);
            let output = stdout().lock();
            std::thread::scope(|scope| {
                let other = scope.spawn(|| device.stream().map(drop));
                std::thread::sleep(Duration::from_millis(200));
                device.synchronize().unwrap();
                device.stream().unwrap();
                drop(output);
                other.join().unwrap().unwrap();
            });
        });
        assert_eq!(text, "<1>\n");
    }

    /// A stream without handles gets no new work, and its messages are printed nevertheless.
    fn messages_of_a_dropped_stream_are_printed() {
        let (device, mut x) = device();
        let y = device.zeros::<f32>(64).unwrap();
        let text = printed(|| {
            for number in 1..3 {
                let stream = device.stream().unwrap();
                tell(number, &mut x).on(&stream).grid(1).block(64).launch().unwrap();
                drop(stream);
                y.to_host().unwrap();
                writeln!(stdout(), "<mine>").unwrap();
                x.to_host().unwrap();
                launch_print(10 + number, &mut x);
                x.to_host().unwrap();
            }
        });
        assert_eq!(text, "<mine>\n<1>\n<11>\n<mine>\n<2>\n<12>\n");
    }

    fn messages_to_a_closed_stdout_are_lost() {
        let (device, mut x) = device();
        let closed = closed();
        redirected(OUTPUT, &closed, || {
            assert!(std::panic::catch_unwind(|| println!("lost output")).is_err());
            launch_print(1, &mut x);
            device.synchronize().unwrap();
        });
        let text = printed(|| {
            launch_print(0, &mut x);
            redirected(ERRORS, &closed, || device.synchronize().unwrap());
            launch_print(2, &mut x);
            device.synchronize().unwrap();
        });
        assert_eq!(text, "<2>\n");
        assert_eq!(x.to_host().unwrap().len(), 64);
    }
}
