//! What kernels print, where others have locked the output or closed it. What is wrong here never ends: so each scenario
//! gives up after a while.

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

/// A device whose kernels print, and an array there.
fn device() -> (Device, DeviceArray<f32>) {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(30));
        let _ = writeln!(stderr(), "it does not end");
        std::process::exit(17);
    });
    let device = Device::cuda(0).unwrap();
    Fake::of_process().print(3);
    let x = device.zeros(64).unwrap();
    (device, x)
}

fn say(number: u64, x: &mut DeviceArray<f32>) {
    tell(number, x).grid(1).block(64).launch().unwrap();
}

/// Does `work` while what goes to `descriptor` goes to another place.
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

/// What `work` prints.
fn printed(work: impl FnOnce()) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    redirected(OUTPUT, file.as_file(), work);
    std::fs::read_to_string(file.path()).unwrap()
}

/// The end of a pipe that nobody reads from.
fn closed() -> File {
    let mut ends = [0; 2];
    // SAFETY: there is room for two descriptors, which then belong to nobody else.
    let [read, write] = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        ends.map(|end| OwnedFd::from_raw_fd(end))
    };
    drop(read);
    write.into()
}

scenarios! {
    /// One thread prints and waits for the output, which another has locked, who then waits for the same stream.
    fn messages_are_read_while_another_waits_to_print() {
        let (device, mut x) = device();
        let text = printed(|| {
            let mut output = stdout().lock();
            say(1, &mut x);
            std::thread::scope(|scope| {
                let other = scope.spawn(|| device.synchronize());
                std::thread::sleep(Duration::from_millis(200));
                say(2, &mut x);
                x.to_host().unwrap();
                say(3, &mut x);
                device.synchronize().unwrap();
                writeln!(output, "<mine>").unwrap();
                drop(output);
                other.join().unwrap().unwrap();
            });
            say(4, &mut x);
            device.synchronize().unwrap();
        });
        assert_eq!(text, "<1>\n<2>\n<3>\n<mine>\n<4>\n");
    }

    /// A stream that is handed out again prints what was said on it; the list of streams is free meanwhile.
    fn a_stream_is_handed_out_while_the_output_is_locked() {
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

    fn messages_to_a_closed_output_are_lost() {
        let (device, mut x) = device();
        let closed = closed();
        redirected(OUTPUT, &closed, || {
            assert!(std::panic::catch_unwind(|| println!("nobody reads this")).is_err());
            say(1, &mut x);
            device.synchronize().unwrap();
        });
        let text = printed(|| {
            say(0, &mut x);
            redirected(ERRORS, &closed, || device.synchronize().unwrap());
            say(2, &mut x);
            device.synchronize().unwrap();
        });
        assert_eq!(text, "<2>\n");
        assert_eq!(x.to_host().unwrap().len(), 64);
    }
}
