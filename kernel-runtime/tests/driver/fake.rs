//! Builds the driver that stands in for NVIDIA's, and asks it what it was asked.
//!
//! A scenario runs in a process of its own, in which the loader finds our driver first.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_uint};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use cumbia::__private::DRIVER_FUNCTIONS;
use libloading::{Library, Symbol};

/// Runs a test that is ignored, by its path, in a process whose driver is the fake one, and fails as it does. Where there is
/// no C compiler, the scenario is left out.
#[track_caller]
pub(crate) fn passes(scenario: &str, environment: &[(&str, &str)]) {
    let Some(folder) = folder() else {
        eprintln!("left out: {scenario}, which needs a C compiler (`cc`, or what CC names)");
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

/// The folder with the libraries, built by the first call.
fn folder() -> Option<&'static PathBuf> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    FOLDER.get_or_init(build).as_ref()
}

fn build() -> Option<PathBuf> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    Command::new(&compiler).arg("--version").output().ok()?;
    let [driver, nvrtc, profiler] = ["driver.c", "nvrtc.c", "profiler.c"].map(|name| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver").join(name);
        std::fs::read_to_string(path).expect("the sources are here")
    });
    let (rest, old_rest) = (rest_of_driver_without(&[]), rest_of_driver_without(&["Cluster", "LaunchKernelEx"]));
    // Named by what is in it, so that it is built once, and anew when something changes.
    let mut hasher = DefaultHasher::new();
    (&driver, &nvrtc, &profiler, &rest).hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-driver-{:016x}", hasher.finish()));
    if folder.exists() {
        return Some(folder);
    }
    let building = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder for what is built");
    let at = |name: &str| building.path().join(name);
    std::fs::create_dir(at("old")).expect("a folder for what is built");
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
    // By these names the loader is asked, where the variable does not say.
    compile(&[], "libnvrtc.so.13", &[("nvrtc.c", &nvrtc)]);
    compile(&["-DMAJOR=12"], "libnvrtc.so.12", &[("nvrtc.c", &nvrtc)]);
    compile(&[], "profiler.so", &[("profiler.c", &profiler)]);
    compile(&["-DWITHOUT_CLUSTERS"], "old/libcuda.so.1", &[("driver.c", &driver), ("old/rest.c", &old_rest)]);
    compile(&[], "old/libnvrtc.so", &[("nvrtc.c", &nvrtc)]);
    // Whole, or not there; another process may have been faster with the same.
    if std::fs::rename(building.path(), &folder).is_err() {
        assert!(folder.exists(), "{} cannot be made", folder.display());
    }
    Some(folder)
}

/// Definitions of all that Cumbia may call, for what `driver.c` does not define: they count, and succeed.
/// Those whose names have one of `parts` are left out.
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

/// The driver of this process, as tests see it.
pub(crate) struct Fake(Library);

/// A launch as the driver got it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LastLaunch {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    pub(crate) shared_bytes: u32,
    pub(crate) cooperative: bool,
}

/// A stream that was told to wait for an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LastWait {
    /// The stream that waits.
    pub(crate) stream: isize,
    /// The one that the event was recorded on last.
    pub(crate) recorded_on: isize,
    /// Which of all records that was, from 1; 0 where the event never was.
    pub(crate) record: isize,
}

impl Fake {
    pub(crate) fn of_process() -> Fake {
        // SAFETY: the library is our own, and loaded already or about to be.
        Fake(unsafe { Library::new("libcuda.so.1") }.expect("the scenario's process finds the driver"))
    }

    fn get<F>(&self, name: &str) -> Symbol<'_, F> {
        // SAFETY: the callers below name functions of `driver.c` with their types.
        unsafe { self.0.get(name.as_bytes()) }.expect("a function of the fake driver")
    }

    fn number(&self, name: &str) -> i64 {
        // SAFETY: all functions that are asked for so have this type.
        unsafe { self.get::<unsafe extern "C" fn() -> c_long>(name)() }
    }

    fn set(&self, name: &str, number: i64) {
        // SAFETY: all functions that set a number have this type.
        unsafe { self.get::<unsafe extern "C" fn(c_long)>(name)(number) }
    }

    /// How often a function of the driver was called.
    pub(crate) fn calls(&self, function: &str) -> i64 {
        let function = CString::new(function).expect("a name");
        // SAFETY: the type is that of `driver.c`.
        unsafe { self.get::<unsafe extern "C" fn(*const c_char) -> c_long>("fake_calls")(function.as_ptr()) }
    }

    /// How often any function was called.
    pub(crate) fn all_calls(&self) -> i64 {
        self.number("fake_all_calls")
    }

    /// Allocations that were not freed.
    pub(crate) fn allocations(&self) -> i64 {
        self.number("fake_allocations")
    }

    /// Page-locked memory of the host that was not freed.
    pub(crate) fn locked(&self) -> i64 {
        self.number("fake_locked")
    }

    /// Streams, events and modules that were not given back.
    pub(crate) fn handles(&self) -> i64 {
        self.number("fake_handles")
    }

    /// Bytes of dynamic shared memory that were last asked for a kernel.
    pub(crate) fn dynamic_shared(&self) -> i64 {
        self.number("fake_dynamic_shared")
    }

    /// Whether clusters that not every GPU takes were asked for.
    pub(crate) fn large_clusters(&self) -> bool {
        self.number("fake_large_clusters") != 0
    }

    /// Lets `skip` calls of a function through, then refuses `times` of them with `code`.
    pub(crate) fn refuse(&self, function: &str, code: i32, skip: i64, times: i64) {
        type Refuse = unsafe extern "C" fn(*const c_char, c_int, c_long, c_long);
        let function = CString::new(function).expect("a name");
        // SAFETY: the type is that of `driver.c`.
        unsafe { self.get::<Refuse>("fake_refuse")(function.as_ptr(), code, skip, times) }
    }

    /// Sets the registers that a thread of each kernel needs, which is loaded from now on.
    pub(crate) fn registers(&self, number: i64) {
        self.set("fake_registers", number);
    }

    /// Sets how many blocks a cluster can have.
    pub(crate) fn largest_cluster(&self, blocks: i64) {
        self.set("fake_largest_cluster", blocks);
    }

    /// From now on the first four bytes of so many parameters of each launch are kept.
    pub(crate) fn watch(&self, parameters: i64) {
        self.set("fake_watch", parameters);
    }

    /// From now on each launch prints the kernel's first message, with the number that is its first parameter, or loses one
    /// for 0. The launch's own parameter is that number `parameter`.
    pub(crate) fn print(&self, parameter: i64) {
        // SAFETY: the type is that of `driver.c`.
        unsafe { self.get::<unsafe extern "C" fn(c_long)>("fake_print")(parameter) }
    }

    /// What was kept of the last launch.
    pub(crate) fn seen(&self) -> [c_uint; 16] {
        let mut seen: [c_uint; 16] = [0; 16];
        // SAFETY: the type is that of `driver.c`, which writes sixteen numbers.
        unsafe { self.get::<unsafe extern "C" fn(*mut c_uint)>("fake_seen")(seen.as_mut_ptr()) };
        seen
    }

    /// How the last image begins that was given to the driver: that of a cubin is `"\x7fELF"`.
    pub(crate) fn last_image(&self) -> String {
        let mut text: [c_char; 64] = [0; 64];
        // SAFETY: the type is that of `driver.c`, which writes as many bytes.
        unsafe { self.get::<unsafe extern "C" fn(*mut c_char)>("fake_last_image")(text.as_mut_ptr()) };
        // SAFETY: the last of them is a NUL.
        unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned()
    }

    /// The last wait for an event.
    pub(crate) fn last_wait(&self) -> LastWait {
        let mut last = [0; 3];
        // SAFETY: the type is that of `driver.c`, which writes three numbers.
        unsafe { self.get::<unsafe extern "C" fn(*mut isize)>("fake_last_wait")(last.as_mut_ptr()) };
        let [stream, recorded_on, record] = last;
        LastWait { stream, recorded_on, record }
    }

    /// The last launch.
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
