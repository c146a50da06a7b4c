//! The fake driver: building it, running scenarios with it, and querying its counters.
//!
//! A scenario runs in a separate process, in which the dynamic loader finds the fake driver first.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use cumbia::__private::DRIVER_FUNCTIONS;
use libloading::{Library, Symbol};

/// Runs an ignored test, by its path, in a process with the fake driver, and fails if it fails. Without a C compiler, the
/// scenario is skipped.
#[track_caller]
pub(crate) fn passes(scenario: &str, environment: &[(&str, &str)]) {
    let Some(folder) = folder() else {
        eprintln!("skipped: {scenario} needs a C compiler (`cc`, or the one named by CC)");
        return;
    };
    let old = environment.iter().any(|(name, _)| *name == "FAKE_WITHOUT_CLUSTERS");
    let folder = if old { folder.join("old") } else { folder.clone() };
    let profile = std::env::temp_dir().join(format!("cumbia-{}-{}", std::process::id(), scenario.replace("::", "-")));
    let executable = std::env::current_exe().expect("tests know their executable");
    let output = Command::new(executable)
        .args([scenario, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env_remove("CUMBIA_DEVICE")
        .env("CUMBIA_CACHE", "off")
        .env("CUMBIA_NVRTC", folder.join("libnvrtc.so"))
        .env("LD_LIBRARY_PATH", &folder)
        .env("FAKE_PROFILE", &profile)
        .envs(environment.iter().copied())
        .output()
        .expect("a process");
    let _ = std::fs::remove_file(&profile);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{scenario} with {environment:?}:\n{said}");
}

/// Returns the directory with the libraries, which the first call builds.
fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(build).as_ref()
}

fn build() -> Option<PathBuf> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    Command::new(&compiler).arg("--version").output().ok()?;
    let [driver, nvrtc, nvjitlink, profiler] = ["driver.c", "nvrtc.c", "nvjitlink.c", "profiler.c"].map(|name| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver").join(name);
        std::fs::read_to_string(path).expect("the sources are here")
    });
    let (rest, old_rest) = (rest_of_driver_without(&[]), rest_of_driver_without(&["Cluster", "LaunchKernelEx"]));
    // The name is a hash of the sources, so that the directory is rebuilt when something changes.
    let mut hasher = DefaultHasher::new();
    (&driver, &nvrtc, &nvjitlink, &profiler, &rest).hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-driver-{:016x}", hasher.finish()));
    if folder.exists() {
        return Some(folder);
    }
    let building = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory for what is built");
    let at = |name: &str| building.path().join(name);
    std::fs::create_dir(at("old")).expect("a directory for what is built");
    let compile = |arguments: &[&str], library: &str, sources: &[(&str, &str)]| {
        let sources = sources.iter().map(|(name, text)| {
            std::fs::write(at(name), text).expect("a file for what is built");
            at(name)
        });
        let mut command = Command::new(&compiler);
        command.args(["-O2", "-shared", "-fPIC", "-pthread"]).args(arguments);
        let output = command.arg("-o").arg(at(library)).args(sources).output().expect("the compiler runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    compile(&[], "libcuda.so.1", &[("driver.c", &driver), ("rest.c", &rest)]);
    compile(&[], "libnvrtc.so", &[("nvrtc.c", &nvrtc)]);
    // The names that the loader searches for without CUMBIA_NVRTC.
    compile(&[], "libnvrtc.so.13", &[("nvrtc.c", &nvrtc)]);
    compile(&["-DMAJOR=12"], "libnvrtc.so.12", &[("nvrtc.c", &nvrtc)]);
    compile(&[], "libnvJitLink.so", &[("nvjitlink.c", &nvjitlink)]);
    compile(&[], "profiler.so", &[("profiler.c", &profiler)]);
    compile(&["-DWITHOUT_CLUSTERS"], "old/libcuda.so.1", &[("driver.c", &driver), ("old/rest.c", &old_rest)]);
    compile(&[], "old/libnvrtc.so", &[("nvrtc.c", &nvrtc)]);
    // Renamed atomically; another process may have created the same directory first.
    if std::fs::rename(building.path(), &folder).is_err() {
        assert!(folder.exists(), "{} cannot be made", folder.display());
    }
    Some(folder)
}

/// Returns C definitions of the driver functions that `driver.c` does not define, which count their calls and succeed. Functions
/// whose names contain one of `parts` are omitted.
fn rest_of_driver_without(parts: &[&str]) -> String {
    let mut text = String::from("int fake_enter(void** here, const char* name);\n");
    for name in DRIVER_FUNCTIONS.iter().filter(|name| !parts.iter().any(|part| name.contains(part))) {
        writeln!(
            text,
            "__attribute__((weak)) int {name}(void) {{ static void* here; return fake_enter(&here, __func__); }}"
        )
        .expect("writing to a string");
    }
    text
}

/// Access to the fake driver of this process.
pub(crate) struct Fake(Library);

/// A launch as received by the driver.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LastLaunch {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) cooperative: bool,
}

/// A build of a kernel, as the fake NVRTC tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// Without bounds checks.
    Proven,
    /// With bounds checks.
    Checked,
    /// With a register limit.
    Limited,
    /// With CUDA threads that execute several logical threads.
    Coarsened,
}

/// A wait of a stream for an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LastWait {
    /// The stream that waits.
    pub(crate) stream: isize,
    /// The stream that the event was recorded on last.
    pub(crate) recorded_on: isize,
    /// The sequence number of that record among all records, from 1; 0 if the event was never recorded.
    pub(crate) record: isize,
}

/// The kind of an operation that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Launch,
    Graph,
    Copy,
    Set,
    Free,
}

/// An operation, an event record, a wait for an event or for a stream, in the order of the calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Operation {
        stream: i64,
        operation: Operation,
        /// See [`Fake::identify`].
        identity: u32,
    },
    /// The record with this number, of the work that was enqueued on the stream before.
    Record { stream: i64, record: i64 },
    /// All later work of the stream waits for this record.
    Wait { stream: i64, record: i64 },
    /// The host has waited for all work of the stream, or found it complete.
    Synchronise { stream: i64 },
}

impl Fake {
    pub(crate) fn of_process() -> Fake {
        // SAFETY: the library is the fake driver, whose loading has no side effects.
        Fake(unsafe { Library::new("libcuda.so.1") }.expect("the scenario's process finds the driver"))
    }

    fn get<F>(&self, name: &str) -> Symbol<'_, F> {
        // SAFETY: the callers below name functions of `driver.c` with their types.
        unsafe { self.0.get(name.as_bytes()) }.expect("a function of the fake driver")
    }

    fn number(&self, name: &str) -> i64 {
        // SAFETY: all functions passed here have this type.
        unsafe { self.get::<unsafe extern "C" fn() -> c_long>(name)() }
    }

    fn set(&self, name: &str, number: i64) {
        // SAFETY: all functions that set a number have this type.
        unsafe { self.get::<unsafe extern "C" fn(c_long)>(name)(number) }
    }

    /// Returns the entries of the journal from number `first`.
    pub(crate) fn journal(&self, first: usize) -> Vec<Entry> {
        let get = self.get::<unsafe extern "C" fn(c_long, *mut [c_long; 3]) -> c_long>("fake_journal");
        let mut entry = [0; 3];
        // SAFETY: the function has this type, and writes one entry of three numbers, if there is one.
        let len = unsafe { get(c_long::MAX, &raw mut entry) };
        let entries = (first as c_long..len).map(|at| {
            // SAFETY: as above.
            unsafe { get(at, &raw mut entry) };
            match entry {
                [0, stream, record] => Entry::Record { stream, record },
                [1, stream, record] => Entry::Wait { stream, record },
                [2, stream, _] => Entry::Synchronise { stream },
                [kind, stream, identity] => {
                    let operation =
                        [Operation::Launch, Operation::Graph, Operation::Copy, Operation::Set, Operation::Free];
                    Entry::Operation { stream, operation: operation[kind as usize - 3], identity: identity as u32 }
                }
            }
        });
        entries.collect()
    }

    /// Returns how often a driver function was called.
    pub(crate) fn calls(&self, function: &str) -> i64 {
        let function = CString::new(function).expect("a name");
        // SAFETY: the type is that of `driver.c`.
        unsafe { self.get::<unsafe extern "C" fn(*const c_char) -> c_long>("fake_calls")(function.as_ptr()) }
    }

    /// Returns the total number of driver calls.
    pub(crate) fn all_calls(&self) -> i64 {
        self.number("fake_all_calls")
    }

    /// Returns the number of live device allocations.
    pub(crate) fn allocations(&self) -> i64 {
        self.number("fake_allocations")
    }

    /// Returns the number of live page-locked allocations.
    pub(crate) fn locked(&self) -> i64 {
        self.number("fake_locked")
    }

    /// Returns the number of live streams, events and modules.
    pub(crate) fn handles(&self) -> i64 {
        self.number("fake_handles")
    }

    /// Returns the last requested limit of dynamic shared memory, in bytes.
    pub(crate) fn dynamic_shared(&self) -> i64 {
        self.number("fake_dynamic_shared")
    }

    /// Returns whether non-portable cluster sizes were enabled.
    pub(crate) fn large_clusters(&self) -> bool {
        self.number("fake_large_clusters") != 0
    }

    /// Lets the next `skip` calls of a function succeed, then fails `times` calls with `code`.
    pub(crate) fn reject(&self, function: &str, code: i32, skip: i64, times: i64) {
        type Reject = unsafe extern "C" fn(*const c_char, c_int, c_long, c_long);
        let function = CString::new(function).expect("a name");
        // SAFETY: the type is that of `driver.c`.
        unsafe { self.get::<Reject>("fake_reject")(function.as_ptr(), code, skip, times) }
    }

    /// Calls `then` once, at the beginning of the next call of a driver function.
    pub(crate) fn hook(&self, function: &str, then: extern "C" fn()) {
        type Hook = unsafe extern "C" fn(*const c_char, extern "C" fn());
        let function = CString::new(function).expect("a name");
        // SAFETY: the type is that of `driver.c`.
        unsafe { self.get::<Hook>("fake_hook")(function.as_ptr(), then) }
    }

    /// Identifies all following launches and graphs by the first four bytes of the first parameter of the kernel. Their driver
    /// calls take random times.
    pub(crate) fn identify(&self) {
        self.set("fake_identify", 1);
    }

    /// Sets the number of registers per thread of the kernels loaded from now on.
    pub(crate) fn registers(&self, number: i64) {
        self.set("fake_registers", number);
    }

    /// Sets the number of registers per thread of the kernels with bounds checks and without a register limit.
    pub(crate) fn checked_registers(&self, number: i64) {
        self.set("fake_checked_registers", number);
    }

    /// Sets the number of registers per thread of the kernels whose threads execute several threads of a launch.
    pub(crate) fn coarsened_registers(&self, number: i64) {
        self.set("fake_coarsened_registers", number);
    }

    /// Records the number of blocks in the launch parameter of each following launch: the parameter with index `parameter`.
    pub(crate) fn watch_blocks(&self, parameter: i64) {
        self.set("fake_watch_blocks", parameter);
    }

    /// Returns the recorded number of blocks of the last launch.
    pub(crate) fn last_blocks(&self) -> u32 {
        self.number("fake_last_blocks") as u32
    }

    /// Returns the build of the last launch or kernel node.
    pub(crate) fn last_build(&self) -> Build {
        match self.number("fake_last_build") as u8 {
            b'P' => Build::Proven,
            b'C' => Build::Checked,
            b'L' => Build::Limited,
            b'K' => Build::Coarsened,
            other => panic!("build {other}"),
        }
    }

    /// Returns the number of bounds checks in the code of the last launch or kernel node.
    pub(crate) fn last_checks(&self) -> i64 {
        self.number("fake_last_checks")
    }

    /// Sets the maximum number of blocks of a cluster.
    pub(crate) fn largest_cluster(&self, blocks: i64) {
        self.set("fake_largest_cluster", blocks);
    }

    /// Records the first four bytes of this many parameters of each following launch.
    pub(crate) fn watch(&self, parameters: i64) {
        self.set("fake_watch", parameters);
    }

    /// Makes each following launch print the kernel's first message with its first parameter as the argument, or lose a
    /// message if that is 0. The launch parameter is the parameter with index `parameter`.
    pub(crate) fn print(&self, parameter: i64) {
        // SAFETY: the type is that of `driver.c`.
        unsafe { self.get::<unsafe extern "C" fn(c_long)>("fake_print")(parameter) }
    }

    /// Returns the recorded parameters of the last launch.
    pub(crate) fn seen(&self) -> [c_uint; 16] {
        let mut seen: [c_uint; 16] = [0; 16];
        // SAFETY: the type is that of `driver.c`, which writes sixteen numbers.
        unsafe { self.get::<unsafe extern "C" fn(*mut c_uint)>("fake_seen")(seen.as_mut_ptr()) };
        seen
    }

    /// Returns the beginning of the last image passed to the driver; a cubin starts with `"\x7fELF"`.
    pub(crate) fn last_image(&self) -> String {
        let mut text: [c_char; 64] = [0; 64];
        // SAFETY: the type is that of `driver.c`, which writes as many bytes.
        unsafe { self.get::<unsafe extern "C" fn(*mut c_char)>("fake_last_image")(text.as_mut_ptr()) };
        // SAFETY: the last of them is a NUL.
        unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
    }

    /// Returns the last wait for an event.
    pub(crate) fn last_wait(&self) -> LastWait {
        let mut last = [0; 3];
        // SAFETY: the type is that of `driver.c`, which writes three numbers.
        unsafe { self.get::<unsafe extern "C" fn(*mut isize)>("fake_last_wait")(last.as_mut_ptr()) };
        let [stream, recorded_on, record] = last;
        LastWait { stream, recorded_on, record }
    }

    /// Returns the last launch.
    pub(crate) fn last_launch(&self) -> LastLaunch {
        let mut last: [c_uint; 11] = [0; 11];
        // SAFETY: the type is that of `driver.c`, which writes eleven numbers.
        unsafe { self.get::<unsafe extern "C" fn(*mut c_uint)>("fake_last_launch")(last.as_mut_ptr()) };
        let [gx, gy, gz, bx, by, bz, cx, cy, cz, shared_bytes, cooperative] = last;
        LastLaunch {
            grid: [gx, gy, gz],
            block: [bx, by, bz],
            cluster: [cx, cy, cz],
            shared_bytes,
            cooperative: cooperative != 0,
        }
    }
}
