//! Events emitted through `tracing`: compilations, their origin, launches, transfers, and warnings of the cache.

use std::io::Write;
use std::sync::{Arc, Mutex};

use crate::kernels::scale;
use crate::support::{Process, has_nvrtc};

/// A buffer that a subscriber writes to.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Returns the events emitted while `work` runs.
    fn of(work: impl FnOnce()) -> String {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
            .with_ansi(false)
            .without_time()
            .with_writer(move || writer.clone())
            .finish();
        tracing_subscriber::util::SubscriberInitExt::init(subscriber);
        work();
        String::from_utf8(log.0.lock().unwrap().clone()).unwrap()
    }
}

#[track_caller]
fn check(log: &str, expected: &[&str]) {
    let line = log.lines().find(|line| expected.iter().all(|word| line.contains(word)));
    assert!(line.is_some(), "no line has all of {expected:?} in\n{log}");
}

#[test]
#[ignore = "run as a process of its own"]
fn compiles_and_hits() {
    let log = Log::of(|| {
        for _ in 0..2 {
            scale::<f32>::cubin("sm_90").unwrap();
        }
    });
    let kernel = "kernel=\"compilation::kernels::scale<f32>\"";
    check(&log, &["DEBUG cumbia::cache: miss", kernel, "architecture=\"sm_90\""]);
    check(&log, &["DEBUG cumbia::compile: NVRTC loaded", "milliseconds=", "libnvrtc"]);
    check(&log, &["DEBUG cumbia::compile: compiled", kernel, "architecture=sm_90", "nvrtc=1", "milliseconds="]);
    check(&log, &["DEBUG cumbia::cache: hit", kernel, "key="]);
    assert_eq!(log.matches("compiled").count(), 1, "{log}");
}

#[test]
#[ignore = "run as a process of its own"]
fn cannot_write() {
    let log = Log::of(|| {
        scale::<f32>::cubin("sm_90").unwrap();
        scale::<f64>::cubin("sm_90").unwrap();
    });
    check(&log, &["WARN cumbia: kernels are recompiled", "is not writable", "help=\"point CUMBIA_CACHE_DIR"]);
    assert_eq!(log.matches("WARN").count(), 1, "{log}");
}

#[test]
fn compilation_events_are_emitted() {
    if has_nvrtc() {
        let folder = tempfile::tempdir().unwrap();
        Process::new("logs::compiles_and_hits").env("CUMBIA_CACHE_DIR", folder.path()).passes();
        let file = tempfile::NamedTempFile::new().unwrap();
        let said = Process::new("logs::cannot_write").env("CUMBIA_CACHE_DIR", file.path()).passes();
        assert!(!said.err.contains("warning:"), "a warning is not repeated on stderr with a subscriber:\n{}", said.err);
    }
}

#[test]
#[ignore = "run as a process of its own"]
fn launches() {
    let device = cumbia::Device::cpu();
    let log = Log::of(|| {
        let mut x = device.to_device(&[2u64; 100]).unwrap();
        scale(3, &mut x).grid(4).block(32).launch().unwrap();
        let launch = scale(3, &mut x).over(100).prepare().unwrap();
        launch.launch().unwrap();
        drop(launch);
        assert_eq!(x.to_host().unwrap(), [18; 100]);
    });
    let kernel = "kernel=\"compilation::kernels::scale<u64>\"";
    check(&log, &["TRACE cumbia::launch: launch", kernel, "device=cpu", "grid=(4, 1, 1)", "block=(32, 1, 1)"]);
    assert_eq!(log.matches("cumbia::launch: launch").count(), 2, "{log}");
    check(&log, &["TRACE cumbia::transfer", "bytes=800", "device=cpu"]);
}

#[test]
fn launch_and_transfer_events_are_emitted() {
    Process::new("logs::launches").passes();
}

/// A launch on a GPU emits an event with the origin of its code and its number of registers.
#[test]
#[ignore = "run as a process of its own"]
fn loads() {
    let device = cumbia::Device::cuda(0).unwrap();
    let log = Log::of(|| {
        let mut x = device.to_device(&[2.0f32; 100]).unwrap();
        scale(3.0, &mut x).over(100).launch().unwrap();
        assert_eq!(x.to_host().unwrap(), [6.0; 100]);
    });
    let kernel = "kernel=\"compilation::kernels::scale<f32>\"";
    check(
        &log,
        &["cumbia::compile: loaded", kernel, "device=cuda:0", "origin=Nvrtc", "registers=", "load_milliseconds="],
    );
}

#[test]
fn a_launch_on_a_gpu_emits_a_load_event() {
    if cumbia::Device::cuda(0).is_ok() && has_nvrtc() {
        let folder = tempfile::tempdir().unwrap();
        Process::new("logs::loads").env("CUMBIA_CACHE_DIR", folder.path()).passes();
    }
}
