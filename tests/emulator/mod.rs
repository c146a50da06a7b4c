//! The emulator of a GPU: `g++` compiles the emitted CUDA C together with `cuda_shim.h` to a shared library, which is
//! loaded and called.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{fs, thread};

use cumbia::__private::{Emulation, RawFault};
use cumbia_cases::{Emulated, Text};
use cumbia_kernel_compiler::{FAULT_RECORD_BYTES, LAUNCH_BYTES, PANIC_ARGS, PRINT_HEADER_BYTES};
use libloading::Library;

const SHIM: &str = include_str!("cuda_shim.h");

/// Compiled kernels.
pub(crate) struct Emulator {
    entries: HashMap<String, Compiled>,
    /// The kernels that are compiled when they are first launched.
    others: HashMap<String, (String, OnceLock<Compiled>)>,
    folder: PathBuf,
    /// Whether the code is instrumented by the undefined-behaviour sanitizer.
    pub(crate) sanitized: bool,
}

/// A kernel, or the error of the compiler that rejected it.
type Compiled = Result<Entry, String>;

/// A compiled kernel.
#[derive(Clone, Copy)]
struct Entry {
    run: unsafe extern "C" fn(*mut RawLaunch),
    /// Whether threads of a block wait for each other, so that they run as fibers.
    as_fibers: bool,
}

/// The `Launch` of the shim.
#[repr(C)]
struct RawLaunch {
    params: *mut *mut c_void,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    as_fibers: u32,
    all_resident: u32,
    deadlock: u32,
    undefined: *const c_char,
    undefined_line: u32,
}

/// The `rt::Fault` of the emitted C.
#[repr(C)]
#[derive(Default)]
struct Record {
    flag: u32,
    kernel: u32,
    site: u32,
    block: [u32; 3],
    thread: [u32; 3],
    pad: u32,
    index: u64,
    len: u64,
    args: [u64; PANIC_ARGS],
}

/// The minimum number of kernels per file: compiling the shim takes as long as ten kernels.
const MIN_UNIT: usize = 16;

/// The capacity of the print buffer, in words.
const PRINT_CAPACITY: usize = 1 << 14;

/// The `rt::Print` of the emitted C, followed by its words.
#[repr(C)]
struct Prints {
    used: u32,
    capacity: u32,
    lost: u32,
    pad: u32,
    words: [u64; PRINT_CAPACITY],
}

/// The `rt::Launch` of the emitted C.
#[repr(C)]
struct LaunchParameter {
    record: *mut Record,
    prints: *mut Prints,
    grid_barrier: *mut u64,
    kernel: u32,
    blocks: u32,
}

const _: () = assert!(size_of::<Record>() == FAULT_RECORD_BYTES && size_of::<LaunchParameter>() == LAUNCH_BYTES);
const _: () = assert!(size_of::<Prints>() == PRINT_HEADER_BYTES + 8 * PRINT_CAPACITY);

impl Emulator {
    /// Compiles kernels in units of several kernels; those that may not be launched, when they are. The libraries stay in
    /// `folder` for the next run. Returns `Err` with the reason if there is no emulator. Running a kernel that `g++` rejects
    /// is a panic.
    pub(crate) fn new(texts: Vec<Text>, folder: &str) -> Result<Emulator, String> {
        let (launched, others): (Vec<_>, Vec<_>) = texts.into_iter().partition(|text| text.is_launched);
        let sources: Vec<_> = launched.into_iter().map(|text| (text.name, text.source)).collect();
        let others = others.into_iter().map(|text| (text.name, (text.source, OnceLock::new()))).collect();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be created: {error}", folder.display()))?;
        let version = Command::new("g++").arg("--version").output();
        version.map_err(|error| format!("cannot start g++: {error}"))?;
        fs::write(folder.join("cuda_shim.h"), SHIM).map_err(|error| error.to_string())?;
        let sanitized = compile(&folder, "probe", "#include \"cuda_shim.h\"\n", true).is_ok();
        let workers = thread::available_parallelism().map_or(1, usize::from);
        // Small units, so that a changed kernel recompiles little and the load stays balanced.
        let size = sources.len().div_ceil(8 * workers).max(MIN_UNIT);
        let units: Vec<_> = sources.chunks(size).enumerate().collect();
        let entries = thread::scope(|scope| {
            let workers: Vec<_> = (0..workers)
                .map(|worker| {
                    let mine = units.iter().skip(worker).step_by(workers);
                    let folder = &folder;
                    scope.spawn(move || {
                        mine.flat_map(|(number, unit)| load(folder, &format!("unit{number}"), unit, sanitized))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("loading does not panic")).collect()
        });
        Ok(Emulator { entries, others, folder, sanitized })
    }

    /// Runs a launch.
    ///
    /// # Panics
    ///
    /// If the emitted C has undefined behaviour, or the threads deadlock.
    pub(crate) fn run(&self, kernel: &str, emulation: Emulation<'_>) -> Emulated {
        let Entry { run, as_fibers } = match self.entries.get(kernel).or_else(|| self.other(kernel)) {
            Some(Ok(entry)) => *entry,
            Some(Err(log)) => panic!("{log}"),
            None => panic!("{kernel} has no CUDA C"),
        };
        let Emulation {
            source,
            variant: _,
            is_coarsened: _,
            kernel: number,
            params,
            grid,
            blocks,
            block,
            shared_bytes,
            cooperative,
        } = emulation;
        let mut record = Record::default();
        let words = if source.prints { PRINT_CAPACITY } else { 0 };
        #[allow(clippy::large_stack_arrays, reason = "64 KiB, on a thread of a test")]
        let mut prints =
            Box::new(Prints { used: 0, capacity: words as u32, lost: 0, pad: 0, words: [0; PRINT_CAPACITY] });
        let mut grid_barrier = 0;
        let mut parameter = LaunchParameter {
            record: &raw mut record,
            prints: &raw mut *prints,
            grid_barrier: &raw mut grid_barrier,
            kernel: number,
            blocks,
        };
        let mut params = params.to_vec();
        if source.takes_launch {
            params.push((&raw mut parameter).cast());
        }
        let mut launch = RawLaunch {
            params: params.as_mut_ptr(),
            grid: grid.to_array().map(|extent| extent as u32),
            block: block.to_array().map(|extent| extent as u32),
            shared_bytes: shared_bytes as u32,
            as_fibers: as_fibers.into(),
            all_resident: cooperative.into(),
            deadlock: 0,
            undefined: std::ptr::null(),
            undefined_line: 0,
        };
        // SAFETY: the function was compiled from this source, the launch has the layout of the shim's `Launch`, and the
        // parameters are those of the kernel: `Launch::emulate` passes all but the last, the launch parameter.
        unsafe { run(&raw mut launch) };
        if !launch.undefined.is_null() {
            // SAFETY: the string is a constant of the sanitizer's runtime, which is never unloaded.
            let kind = unsafe { CStr::from_ptr(launch.undefined) }.to_string_lossy();
            panic!(
                "the emitted C of {kernel} has undefined behaviour at line {} of the Rust source: {kind}",
                launch.undefined_line
            );
        }
        assert_eq!(launch.deadlock, 0, "the threads of {kernel} deadlock");
        assert_eq!(prints.lost, 0, "the output of {kernel} exceeds the print buffer of the emulator");
        let printed = prints.words[..prints.used as usize].to_vec();
        let Record { flag, kernel, site, block, thread, pad: _, index, len, args } = record;
        let fault = (flag != 0).then_some(RawFault { kernel, site, block, thread, index, len, args });
        Emulated { fault, printed }
    }
}

impl Emulator {
    /// Returns a kernel of which no launch was known, compiled at its first one.
    fn other(&self, kernel: &str) -> Option<&Compiled> {
        let (source, compiled) = self.others.get(kernel)?;
        Some(compiled.get_or_init(|| {
            let unit = [(kernel.to_owned(), source.clone())];
            let name = format!("other{:016x}", hash(kernel));
            load(&self.folder, &name, &unit, self.sanitized).remove(0).1
        }))
    }
}

/// Compiles and loads the kernels of a unit.
fn load(folder: &Path, name: &str, unit: &[(String, String)], sanitized: bool) -> Vec<(String, Compiled)> {
    let mut text = String::from("#include \"cuda_shim.h\"\n");
    for (i, (_, source)) in unit.iter().enumerate() {
        write_kernel(&mut text, i, source);
    }
    let path = match compile(folder, name, &text, sanitized) {
        Ok(path) => path,
        Err(log) if unit.len() == 1 => return vec![(unit[0].0.clone(), Err(log))],
        // At least one kernel is rejected: each is compiled alone, so that the others still run.
        Err(_) => {
            let alone = |(i, kernel)| load(folder, &format!("{name}_{i}"), std::slice::from_ref(kernel), sanitized);
            return unit.iter().enumerate().flat_map(alone).collect();
        }
    };
    // SAFETY: the library was compiled above, and has no initialisers with side effects.
    let library = unsafe { Library::new(&path) }.expect("g++ makes a library that loads");
    // Leaked, since the entry points live as long as the process.
    let library = Box::leak(Box::new(library));
    let entry = |i: usize| {
        // SAFETY: `write_kernel` wrote the function with this signature.
        *unsafe { library.get::<unsafe extern "C" fn(*mut RawLaunch)>(format!("emulate{i}")) }
            .expect("a kernel's entry")
    };
    unit.iter()
        .enumerate()
        .map(|(i, (kernel, source))| {
            // A barrier, a warp operation, or an atomic operation by which a thread can wait for another one.
            let waits = ["__syncthreads", "__syncwarp", "_sync(", "atomic_load", "atomic_cas", "atomic_exch"];
            let as_fibers = waits.iter().any(|word| source.contains(word));
            (kernel.clone(), Ok(Entry { run: entry(i), as_fibers }))
        })
        .collect()
}

/// Writes a kernel into a separate namespace, and the function that runs it.
fn write_kernel(text: &mut String, number: usize, source: &str) {
    const HEAD: &str = "extern \"C\" __global__ void ";
    let (_, head) = source.split_once(HEAD).expect("a kernel in the source");
    // After `__launch_bounds__`, if there is one.
    let head =
        head.strip_prefix("__launch_bounds__(").map_or(head, |bounds| bounds.split_once(") ").unwrap_or_default().1);
    let entry = head.split_once('(').expect("a kernel has parameters").0.to_owned();
    let source = replace(source, 1..=1, HEAD, "static void ");
    let source = replace(
        &source,
        0..=1,
        "extern __shared__ __align__(16) u8 dynamic_shared[]",
        "__align__(16) __shared__ u8 dynamic_shared[::shim::MAX_DYNAMIC_BYTES]",
    );
    // Spin loops yield: their plain loads call no function that the shim could define.
    let source = replace(&source, 0..=1, "now = *count) {}", "now = *count) ::shim::yield();");
    let source = loads_that_yield(&source);
    let source = without_assembly(&source);
    let _ = write!(
        text,
        "namespace kernel{number} {{\n{source}\n\
         void body(void** params) {{ shim::call(&kernel{number}::{entry}, params); }}\n}}\n\
         extern \"C\" void emulate{number}(shim::Launch* launch) {{ shim::run(launch, kernel{number}::body); }}\n"
    );
}

/// Makes `rt::atomic_load_u32` and its variants yield to other threads.
fn loads_that_yield(source: &str) -> String {
    let loads = |line: &str| line.contains("__forceinline__") && line.contains(" atomic_load_");
    let lines = source.split_inclusive('\n').map(|line| {
        if loads(line) {
            Cow::Owned(line.replacen("{ return", "{ ::shim::yield(); return", 1))
        } else {
            Cow::Borrowed(line)
        }
    });
    lines.collect()
}

/// Replaces inline PTX, at most one `asm` per line, by calls of functions in the shim.
fn without_assembly(source: &str) -> String {
    let lines = source.split_inclusive('\n').map(|line| match instruction(line) {
        Some(call) => Cow::Owned(call),
        None => Cow::Borrowed(line),
    });
    lines.collect()
}

/// Replaces the `asm` of a line by a call: the function is named after the instruction, or after the special register
/// that it reads, and takes the operands in order. An empty `asm` is kept.
fn instruction(line: &str) -> Option<String> {
    let (before, rest) = line.split_once("asm volatile(\"").or_else(|| line.split_once("asm(\""))?;
    let (instruction, operands) = rest.split_once('"')?;
    let name = match (instruction.split_once("%%"), instruction) {
        (_, "") => return None,
        (_, "exit;") => return Some(line.replace("asm volatile(\"exit;\");", "::shim::exit_thread();")),
        (Some((_, register)), _) => register.trim_end_matches(';').to_owned(),
        (None, _) => instruction.split([' ', ';']).next()?.replace('.', "_"),
    };
    // The operands: the parenthesised expressions after the constraints.
    let mut args = Vec::new();
    let mut rest = operands;
    while let Some(start) = rest.find("\"(") {
        rest = &rest[start + 2..];
        let mut depth = 1;
        let end = rest.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        })?;
        args.push(&rest[..end]);
        rest = &rest[end..];
    }
    Some(format!("{before}::ptx::{name}({});\n", args.join(", ")))
}

/// Replaces a construct that a CPU lacks, and checks the number of its occurrences.
#[track_caller]
fn replace(source: &str, times: std::ops::RangeInclusive<usize>, what: &str, by: &str) -> String {
    let found = source.matches(what).count();
    assert!(times.contains(&found), "`{what}` occurs {found} times in\n{source}");
    source.replace(what, by)
}

/// Compiles a file to a shared library, unless an up-to-date one exists. Returns the error of the compiler if it fails.
fn compile(folder: &Path, name: &str, text: &str, sanitized: bool) -> Result<PathBuf, String> {
    let (source, library) = (folder.join(format!("{name}.cpp")), folder.join(format!("{name}.so")));
    let text = format!("// {sanitized}, shim {}\n{text}", hash(SHIM));
    if library.exists() && fs::read_to_string(&source).is_ok_and(|before| before == text) {
        return Ok(library);
    }
    let _ = fs::remove_file(&library);
    fs::write(&source, &text).map_err(|error| error.to_string())?;
    let mut command = Command::new("g++");
    command.args(["-std=c++20", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-fno-gnu-unique"]);
    // A read of an uninitialised variable is an error where g++ detects it. Elsewhere the variable has a pattern that
    // no kernel computes, or in every other unit 0, which passes a bounds check (GCC 12 and newer).
    command.args(["-Werror=uninitialized", "-Werror=maybe-uninitialized"]);
    // A copy of an enum with data copies the bytes of its other variants, too.
    if text.contains("    union {") {
        command.arg("-Wno-maybe-uninitialized");
    }
    command.arg(if hash(name).is_multiple_of(2) {
        "-ftrivial-auto-var-init=zero"
    } else {
        "-ftrivial-auto-var-init=pattern"
    });
    if sanitized {
        command.args(["-fsanitize=undefined,float-cast-overflow", "-static-libubsan"]);
    }
    let made = command.arg("-o").arg(&library).arg(&source).output().map_err(|error| error.to_string())?;
    if made.status.success() {
        Ok(library)
    } else {
        Err(format!("{} does not compile:\n{}", source.display(), String::from_utf8_lossy(&made.stderr)))
    }
}

/// Returns the FNV-1a hash, by which a change of the shim is detected.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
