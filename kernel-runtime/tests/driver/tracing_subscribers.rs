//! `tracing` subscribers that call the library, and wait for threads that do, at every event. A bug here is a deadlock, so each
//! scenario has a timeout.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::{Debug, Write as _};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use cumbia::Graph;
use cumbia::intrinsics::*;
use cumbia::precompile::Plan;
use cumbia::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::fake::Fake;
use crate::kernels::{saxpy, together};
use crate::scenarios;

const INVALID_HANDLE: i32 = 400;
const INVALID_IMAGE: i32 = 200;

/// A family of kernels, so that there is always one that was not compiled yet.
#[kernel]
fn numbered<const N: usize>(x: &mut [f32]) {
    let i = grid(1);
    if i < x.len() {
        x[i] += N as f32;
    }
}

thread_local! {
    /// Whether the thread is inside its subscriber, where further events are ignored.
    static IN_SUBSCRIBER: Cell<bool> = const { Cell::new(false) };
}

/// A subscriber that calls `then` at every event, and in every call of `enabled`.
struct Listener {
    then: fn(),
    events: &'static Mutex<BTreeSet<String>>,
}

impl Listener {
    fn call(&self) {
        if !IN_SUBSCRIBER.replace(true) {
            (self.then)();
            IN_SUBSCRIBER.set(false);
        }
    }
}

/// The message of an event, or the field that identifies it.
struct EventText(String);

impl Visit for EventText {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if ["message", "what", "graph"].contains(&field.name()) {
            write!(self.0, " {}={value:?}", field.name()).unwrap();
        }
    }
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        if metadata.target().starts_with("cumbia") {
            self.call();
        }
        true
    }

    fn register_callsite(&self, _: &'static Metadata<'static>) -> tracing::subscriber::Interest {
        tracing::subscriber::Interest::sometimes()
    }

    fn event(&self, event: &Event<'_>) {
        if !event.metadata().target().starts_with("cumbia") {
            return;
        }
        let mut words = EventText(event.metadata().target().to_owned());
        event.record(&mut words);
        self.events.lock().unwrap().insert(words.0);
        self.call();
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The events that were received until the scenario reads them.
fn listen(then: fn()) -> &'static Mutex<BTreeSet<String>> {
    static EVENTS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_mins(2));
        let _ = writeln!(std::io::stderr(), "timeout");
        std::process::exit(17);
    });
    tracing::subscriber::set_global_default(Listener { then, events: &EVENTS }).unwrap();
    &EVENTS
}

/// Launches of one kernel each. `use_everything` includes the one with index [`NEXT`], which may be new to all threads.
const FRESH: [fn(&mut cumbia::DeviceArray<f32>); 8] = [
    |x| numbered::<200>(x).over(64).launch().unwrap(),
    |x| numbered::<201>(x).over(64).launch().unwrap(),
    |x| numbered::<202>(x).over(64).launch().unwrap(),
    |x| numbered::<203>(x).over(64).launch().unwrap(),
    |x| numbered::<204>(x).over(64).launch().unwrap(),
    |x| numbered::<205>(x).over(64).launch().unwrap(),
    |x| numbered::<206>(x).over(64).launch().unwrap(),
    |x| numbered::<207>(x).over(64).launch().unwrap(),
];

static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Exercises most of the library: opens devices, reads properties, allocates, copies, launches (also kernels that other threads
/// compile at the same time), and synchronises.
fn use_everything() {
    for device in [Device::cuda(0).unwrap(), Device::cuda(1).unwrap(), Device::cpu()] {
        let _ = (device.memory(), device.properties(), device.limits(), device.drop_errors());
        let x = device.to_device(&[1.0f32; 64]).unwrap();
        let mut y = device.zeros(64).unwrap();
        saxpy(2.0, &x, &mut y).over(64).launch().unwrap();
        together(&mut y).grid(1).block(64).launch().unwrap();
        numbered::<0>(&mut y).over(64).launch().unwrap();
        let stream = device.stream().unwrap();
        saxpy(2.0, &x, &mut y).over(64).on(&stream).launch().unwrap();
        let mut buffer = device.to_pinned(&[1.0f32; 64]).unwrap();
        stream.copy(&y, &mut buffer).unwrap();
        let _ = buffer.as_slice().unwrap();
        let mut graph = Graph::new(&stream);
        graph.run(|g| g.launch(saxpy(1.0, &x, &mut y).over(64))).unwrap();
        y.to_host().unwrap();
        device.synchronize().unwrap();
    }
    FRESH[NEXT.load(SeqCst)](&mut Device::cuda(0).unwrap().zeros(64).unwrap());
    let _ = (saxpy::ptx("sm_90"), cumbia::cache::stats());
}

/// Triggers every event repeatedly, including those of slow paths and errors.
fn trigger_all_events(fake: &Fake) {
    use_everything();
    let devices = [Device::cuda(0).unwrap(), Device::cuda(1).unwrap()];
    let mut y = devices[0].to_device(&[1.0f32; 64]).unwrap();
    // Cache hits and misses, corrupt entries, and an architecture that NVRTC rejects.
    macro_rules! compile {
        ($($n:literal)*) => { $(
            numbered::<$n>(&mut y).over(64).launch().unwrap();
            let _ = (numbered::<$n>::cubin("sm_90"), numbered::<$n>::cubin("sm_80"), numbered::<$n>::cubin("sm_70"));
        )* };
    }
    compile!(1 2 3);
    damage(Path::new(&std::env::var_os("CUMBIA_CACHE_DIR").unwrap()));
    let _ = (numbered::<1>::cubin("sm_90"), numbered::<2>::cubin("sm_80"));
    compile!(4 5);
    for (number, launch) in FRESH.iter().enumerate() {
        NEXT.store(number, SeqCst);
        launch(&mut y);
    }
    // A precompiled image that the driver rejects is recompiled.
    fake.reject("cuModuleLoadDataEx", INVALID_IMAGE, 0, 2);
    let mut z = devices[1].zeros::<f32>(64).unwrap();
    numbered::<100>(&mut z).over(64).launch().unwrap();
    // A peer copy.
    z.copy_from(&y).unwrap();
    z.fill(2.0).unwrap();
    // Errors in destructors, with and without locks held.
    let mut buffer = devices[0].to_pinned(&[1.0f32; 64]).unwrap();
    let stream = devices[0].stream().unwrap();
    for _ in 0..80 {
        stream.copy(&buffer, &mut y).unwrap();
    }
    stream.copy(&y, &mut buffer).unwrap();
    fake.reject("cuEventDestroy_v2", INVALID_HANDLE, 0, 1000);
    let _ = buffer.as_mut_slice();
    drop(stream.record().unwrap());
    let other = devices[0].stream().unwrap();
    for _ in 0..80 {
        stream.copy(&buffer, &mut y).unwrap();
        other.wait(&stream.record().unwrap()).unwrap();
    }
    let _ = buffer.as_mut_slice();
    fake.reject("cuEventDestroy_v2", 0, 0, 0);
    let mut graph = Graph::new(&stream);
    for len in [64, 32] {
        graph
            .run(|g| {
                g.launch(numbered::<100>(&mut y).over(len))?;
                g.copy(&y, &mut buffer)
            })
            .unwrap();
    }
    fake.reject("cuGraphExecDestroy", INVALID_HANDLE, 0, 1);
    drop(graph);
    // A copy that may be in flight when its buffer is dropped.
    stream.copy(&buffer, &mut y).unwrap();
    fake.reject("cuEventSynchronize", INVALID_HANDLE, 0, 1);
    drop(buffer);
    fake.reject("cuEventSynchronize", 0, 0, 0);
    for device in devices {
        assert!(device.synchronize().is_ok());
    }
}

/// Corrupts the compiled kernels of a cache.
fn damage(folder: &Path) {
    for inner in std::fs::read_dir(folder).unwrap().map(|inner| inner.unwrap().path()) {
        for file in std::fs::read_dir(inner).into_iter().flatten().map(|file| file.unwrap().path()) {
            if file.extension().is_some_and(|extension| extension == "kernel") {
                std::fs::write(file, "damaged").unwrap();
            }
        }
    }
}

/// Precompiles a kernel whose image the fake driver will reject.
fn precompile() {
    Plan::new()
        .instance::<numbered<100>>()
        .architectures(["sm_90"])
        .quiet()
        .compile_into(std::env::var_os("CUMBIA_KERNELS").unwrap())
        .unwrap();
}

#[track_caller]
fn check_events(events: &Mutex<BTreeSet<String>>) {
    let events = events.lock().unwrap().clone();
    for expected in [
        "cumbia::launch message=launch",
        "cumbia::launch graph=true",
        "cumbia::launch message=the grid fills less than half of the multiprocessors",
        "cumbia::transfer what=",
        "cumbia::transfer message=peer access",
        "cumbia::transfer message=page-locked memory is never freed",
        "cumbia::compile message=NVRTC loaded",
        "cumbia::compile message=compiled",
        "cumbia::compile message=not compiled",
        "cumbia::compile message=loaded",
        "cumbia::compile message=the precompiled image does not load",
        "cumbia::cache message=hit",
        "cumbia::cache message=miss",
        "cumbia::cache message=damaged",
        "cumbia::drop message=an error while dropping",
        "cumbia message=CUMBIA_CACHE_SIZE is",
    ] {
        assert!(events.iter().any(|words| words.starts_with(expected)), "{expected} was not events among\n{events:#?}");
    }
}

/// The prefix of the scenarios' cache directories, in the directory of the tests.
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/listeners-cache");

fn fresh_cache(name: &str) {
    let folder = format!("{CACHE}-{name}");
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(std::env::var("CUMBIA_CACHE_DIR").as_deref(), Ok(folder.as_str()));
}

scenarios! {
    /// The subscriber uses everything, and waits for another thread that does the same.
    fn a_subscriber_may_call_the_library(
        "FAKE_DEVICES" = "2",
        "CUMBIA_CACHE" = "on",
        "CUMBIA_CACHE_SIZE" = "nonsense",
        "CUMBIA_CACHE_DIR" = concat!(env!("CARGO_TARGET_TMPDIR"), "/listeners-cache-library"),
        "CUMBIA_KERNELS" = concat!(env!("CARGO_TARGET_TMPDIR"), "/listeners-kernels-library")
    ) {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        fresh_cache("library");
        let events = listen(|| {
            // At every call at first, then at every 16th, to limit the run time.
            let calls = CALLS.fetch_add(1, SeqCst);
            if calls > 150 && !calls.is_multiple_of(16) {
                return;
            }
            use_everything();
            let (done, over) = mpsc::channel();
            std::thread::spawn(move || {
                IN_SUBSCRIBER.set(true);
                use_everything();
                done.send(()).unwrap();
            });
            over.recv().unwrap();
        });
        precompile();
        trigger_all_events(&Fake::of_process());
        check_events(events);
    }

    /// The subscriber waits for the lock of stdout, which other threads hold while they use the library.
    fn a_subscriber_may_lock_stdout(
        "FAKE_DEVICES" = "2",
        "CUMBIA_CACHE" = "on",
        "CUMBIA_CACHE_SIZE" = "nonsense",
        "CUMBIA_CACHE_DIR" = concat!(env!("CARGO_TARGET_TMPDIR"), "/listeners-cache-output"),
        "CUMBIA_KERNELS" = concat!(env!("CARGO_TARGET_TMPDIR"), "/listeners-kernels-output")
    ) {
        fresh_cache("output");
        let events = listen(|| {
            let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr().lock());
            let _ = (out.write_all(b""), err.write_all(b""));
        });
        // All threads use this page-locked buffer concurrently, besides the new kernel.
        let over = AtomicUsize::new(0);
        let buffer = Device::cuda(0).unwrap().to_pinned(&[1.0f32; 64]).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    IN_SUBSCRIBER.set(true);
                    while over.load(SeqCst) == 0 {
                        let _output = std::io::stdout().lock();
                        assert_eq!(buffer.as_slice().unwrap(), [1.0; 64]);
                        use_everything();
                    }
                });
            }
            precompile();
            let (device, stream) = (Device::cuda(0).unwrap(), Device::cuda(0).unwrap().stream().unwrap());
            let mut y = device.zeros(64).unwrap();
            for _ in 0..100 {
                stream.copy(&buffer, &mut y).unwrap();
            }
            trigger_all_events(&Fake::of_process());
            over.store(1, SeqCst);
        });
        check_events(events);
    }

    /// Concurrent first launches, each of which emits events.
    fn concurrent_first_launches_with_a_subscriber_that_launches(
        "FAKE_DEVICES" = "2",
        "CUMBIA_CACHE" = "on",
        "CUMBIA_CACHE_SIZE" = "nonsense",
        "CUMBIA_CACHE_DIR" = concat!(env!("CARGO_TARGET_TMPDIR"), "/listeners-cache-first")
    ) {
        fresh_cache("first");
        listen(use_everything);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(use_everything);
            }
        });
    }
}
