//! Runs emitted CUDA C without a GPU: `g++` compiles it behind `cuda_shim.h`, and the result is loaded and called.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use cumbia::__private::{Emulation, RawFault};
use cumbia_cases::Emulated;
use cumbia_kernel_ir::{FAULT_RECORD_BYTES, LAUNCH_BYTES, PANIC_ARGS, PRINT_HEADER_BYTES};
use libloading::Library;

const SHIM: &str = include_str!("cuda_shim.h");

/// Compiled kernels.
pub(crate) struct Emulator {
    entries: HashMap<String, Compiled>,
    /// The sanitizer watches over undefined behaviour.
    pub(crate) sanitized: bool,
}

/// A kernel, or the words of the compiler that refused it.
type Compiled = Result<Entry, String>;

/// A compiled kernel.
#[derive(Clone, Copy)]
struct Entry {
    run: unsafe extern "C" fn(*mut RawLaunch),
    /// The threads of a block meet, or wait for each other.
    side_by_side: bool,
    /// Those of the grid do.
    all_blocks: bool,
}

/// The shim's `Launch`.
#[repr(C)]
struct RawLaunch {
    params: *mut *mut c_void,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    side_by_side: u32,
    all_blocks: u32,
    deadlock: u32,
    undefined: *const c_char,
    undefined_line: u32,
}

/// The emitted C's `rt::Fault`.
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

/// The fewest kernels in a file, where there are so many: compiling the shim takes as long as ten of them.
const FEWEST: usize = 16;

/// The words that a launch can print.
const PRINT_CAPACITY: usize = 1 << 14;

/// The emitted C's `rt::Print`, and the words behind it.
#[repr(C)]
struct Prints {
    used: u32,
    capacity: u32,
    lost: u32,
    pad: u32,
    words: [u64; PRINT_CAPACITY],
}

/// The emitted C's `rt::Launch`.
#[repr(C)]
struct LaunchParameter {
    record: *mut Record,
    prints: *mut Prints,
    grid_barrier: *mut u64,
    kernel: u32,
}

const _: () = assert!(size_of::<Record>() == FAULT_RECORD_BYTES && size_of::<LaunchParameter>() == LAUNCH_BYTES);
const _: () = assert!(size_of::<Prints>() == PRINT_HEADER_BYTES + 8 * PRINT_CAPACITY);

impl Emulator {
    /// Compiles kernels, known by their names, some at a time in each of a few files, which stay in `folder` for the next
    /// time. `Err` says why there is no emulator; a kernel that `g++` refuses is a panic when it is to run.
    pub(crate) fn new(sources: &[(String, String)], folder: &str) -> Result<Emulator, String> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
        let version = Command::new("g++").arg("--version").output();
        version.map_err(|error| format!("g++ does not start: {error}"))?;
        fs::write(folder.join("cuda_shim.h"), SHIM).map_err(|error| error.to_string())?;
        let sanitized = compile(&folder, "probe", "#include \"cuda_shim.h\"\n", true).is_ok();
        let workers = thread::available_parallelism().map_or(1, usize::from);
        // Small units, so that a changed kernel costs little and all processors have work to the end.
        let size = sources.len().div_ceil(8 * workers).max(FEWEST);
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
        Ok(Emulator { entries, sanitized })
    }

    /// Runs a launch. Undefined behaviour of the emitted C is a panic, and so are threads that wait in vain.
    pub(crate) fn run(&self, kernel: &str, emulation: Emulation<'_>) -> Emulated {
        let Entry { run, side_by_side, all_blocks } = match self.entries.get(kernel) {
            Some(Ok(entry)) => *entry,
            Some(Err(log)) => panic!("{log}"),
            None => panic!("{kernel} has no CUDA C"),
        };
        let Emulation { source, kernel: number, params, grid, block, shared_bytes } = emulation;
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
            side_by_side: side_by_side.into(),
            all_blocks: all_blocks.into(),
            deadlock: 0,
            undefined: std::ptr::null(),
            undefined_line: 0,
        };
        // SAFETY: the function was compiled from this source, the launch has the layout of the shim's, and the parameters
        // are those of the kernel: `Launch::emulate` gives all but the last, which is the launch parameter.
        unsafe { run(&raw mut launch) };
        if !launch.undefined.is_null() {
            // SAFETY: the sanitizer's runtime gives a string that lives as long as it does.
            let what = unsafe { CStr::from_ptr(launch.undefined) }.to_string_lossy();
            panic!(
                "the emitted C of {kernel} has undefined behaviour at line {} of the Rust: {what}",
                launch.undefined_line
            );
        }
        assert_eq!(launch.deadlock, 0, "the threads of {kernel} wait for each other in vain");
        assert_eq!(prints.lost, 0, "{kernel} prints more than the emulator has room for");
        let printed = prints.words[..prints.used as usize].to_vec();
        let Record { flag, kernel, site, block, thread, pad: _, index, len, args } = record;
        let fault = (flag != 0).then_some(RawFault { kernel, site, block, thread, index, len, args });
        Emulated { fault, printed }
    }
}

/// The kernels of a unit, compiled and loaded.
fn load(folder: &Path, name: &str, unit: &[(String, String)], sanitized: bool) -> Vec<(String, Compiled)> {
    let mut text = String::from("#include \"cuda_shim.h\"\n");
    for (i, (_, source)) in unit.iter().enumerate() {
        write_kernel(&mut text, i, source);
    }
    let path = match compile(folder, name, &text, sanitized) {
        Ok(path) => path,
        Err(log) if unit.len() == 1 => return vec![(unit[0].0.clone(), Err(log))],
        // One of them is refused: the others still count.
        Err(_) => {
            let alone = |(i, kernel)| load(folder, &format!("{name}_{i}"), std::slice::from_ref(kernel), sanitized);
            return unit.iter().enumerate().flat_map(alone).collect();
        }
    };
    // SAFETY: the library is ours and runs nothing when it is loaded.
    let library = unsafe { Library::new(&path) }.expect("g++ makes a library that loads");
    // The entries live as long as the process.
    let library = Box::leak(Box::new(library));
    let entry = |i: usize| {
        // SAFETY: `write_kernel` wrote the function with this signature.
        *unsafe { library.get::<unsafe extern "C" fn(*mut RawLaunch)>(format!("emulate{i}")) }
            .expect("a kernel's entry")
    };
    unit.iter()
        .enumerate()
        .map(|(i, (kernel, source))| {
            let all_blocks = source.contains("sync_grid");
            // A barrier, what lanes do together, or an atomic operation by which a thread can wait for another one.
            let meets = ["__syncthreads", "__syncwarp", "_sync(", "atomic_load", "atomic_cas", "atomic_exch"];
            let side_by_side = meets.iter().any(|word| source.contains(word));
            (kernel.clone(), Ok(Entry { run: entry(i), side_by_side, all_blocks }))
        })
        .collect()
}

/// Writes a kernel in a namespace of its own, and the function that runs it.
fn write_kernel(text: &mut String, number: usize, source: &str) {
    const HEAD: &str = "extern \"C\" __global__ void ";
    let (_, head) = source.split_once(HEAD).expect("a kernel in the source");
    // Behind the bounds of its launches, if it has any.
    let head =
        head.strip_prefix("__launch_bounds__(").map_or(head, |bounds| bounds.split_once(") ").unwrap_or_default().1);
    let entry = head.split_once('(').expect("a kernel has parameters").0.to_owned();
    let source = replace(source, 1..=1, HEAD, "static void ");
    let source = replace(
        &source,
        0..=1,
        "extern __shared__ __align__(16) u8 dynamic_shared[]",
        "__align__(16) __shared__ u8 dynamic_shared[::shim::MOST_DYNAMIC_BYTES]",
    );
    // Loops that wait let others run. CUDA's loads have no name by which the shim could see them.
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

/// Has the loads of `rt::atomic_load_u32` and its like let other threads run.
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

/// Makes each instruction of PTX, of which there is one in a line, a function of the shim.
fn without_assembly(source: &str) -> String {
    let lines = source.split_inclusive('\n').map(|line| match instruction(line) {
        Some(call) => Cow::Owned(call),
        None => Cow::Borrowed(line),
    });
    lines.collect()
}

/// A line with an `asm` as one with a call: the instruction's name, then the operands in order. A special register is
/// named by itself. An empty `asm` stays.
fn instruction(line: &str) -> Option<String> {
    let (before, rest) = line.split_once("asm volatile(\"").or_else(|| line.split_once("asm(\""))?;
    let (instruction, operands) = rest.split_once('"')?;
    let name = match (instruction.split_once("%%"), instruction) {
        (_, "") => return None,
        (_, "exit;") => return Some(line.replace("asm volatile(\"exit;\");", "::shim::exit_thread();")),
        (Some((_, register)), _) => register.trim_end_matches(';').to_owned(),
        (None, _) => instruction.split([' ', ';']).next()?.replace('.', "_"),
    };
    // What stands between parentheses behind a constraint.
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

/// Replaces what a CPU cannot do, and checks that it was there as often as expected.
#[track_caller]
fn replace(source: &str, times: std::ops::RangeInclusive<usize>, what: &str, by: &str) -> String {
    let found = source.matches(what).count();
    assert!(times.contains(&found), "`{what}` is {found} times in\n{source}");
    source.replace(what, by)
}

/// Compiles a file to a library, unless it was compiled before. Gives the compiler's words where it refuses.
fn compile(folder: &Path, name: &str, text: &str, sanitized: bool) -> Result<PathBuf, String> {
    let (source, library) = (folder.join(format!("{name}.cpp")), folder.join(format!("{name}.so")));
    let text = format!("// {sanitized}, shim {}\n{text}", hash(SHIM));
    if library.exists() && fs::read_to_string(&source).is_ok_and(|before| before == text) {
        return Ok(library);
    }
    let _ = fs::remove_file(&library);
    fs::write(&source, text).map_err(|error| error.to_string())?;
    let mut command = Command::new("g++");
    command.args(["-std=c++20", "-O1", "-fPIC", "-shared", "-ffp-contract=off", "-fno-gnu-unique"]);
    // A variable that is read before it is assigned is refused where g++ sees it. Elsewhere it has a value that no kernel
    // computes; in every other file it is 0, which passes a test for being inside an array (GCC 12 and newer).
    command.args(["-Werror=uninitialized", "-Werror=maybe-uninitialized"]);
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

/// FNV-1a, so that a changed shim is seen.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
