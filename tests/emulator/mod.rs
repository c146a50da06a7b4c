//! Runs emitted CUDA C without a GPU: `g++` compiles it behind `cuda_shim.h`, and the result is loaded and called.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use cumbia::__private::{Emulation, RawFault};
use libloading::Library;

const SHIM: &str = include_str!("cuda_shim.h");

/// Compiled kernels.
pub(crate) struct Emulator {
    entries: HashMap<&'static str, Compiled>,
    /// The sanitizer watches over undefined behaviour.
    pub(crate) sanitized: bool,
}

/// A kernel, or the words of the compiler that refused it.
type Compiled = Result<Entry, String>;

/// A compiled kernel.
#[derive(Clone, Copy)]
struct Entry {
    run: unsafe extern "C" fn(*mut RawLaunch),
    side_by_side: bool,
}

/// The shim's `Launch`.
#[repr(C)]
struct RawLaunch {
    params: *mut *mut c_void,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    side_by_side: u32,
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
}

/// The emitted C's `rt::Launch`.
#[repr(C)]
struct FaultParameter {
    record: *mut Record,
    kernel: u32,
}

impl Emulator {
    /// Compiles kernels, known by their names, some at a time in each of a few files, which stay in `folder` for the next
    /// time. `Err` says why there is no emulator; a kernel that `g++` refuses is a panic when it is to run.
    pub(crate) fn new(sources: &[(&'static str, String)], folder: &str) -> Result<Emulator, String> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
        let version = Command::new("g++").arg("--version").output();
        version.map_err(|error| format!("g++ does not start: {error}"))?;
        fs::write(folder.join("cuda_shim.h"), SHIM).map_err(|error| error.to_string())?;
        let sanitized = compile(&folder, "probe", "#include \"cuda_shim.h\"\n", true).is_ok();
        let workers = thread::available_parallelism().map_or(1, usize::from);
        // Small units, so that a changed kernel costs little and all processors have work to the end.
        let units: Vec<_> = sources.chunks(sources.len().div_ceil(8 * workers).max(1)).enumerate().collect();
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

    /// Runs a launch. Undefined behaviour of the emitted C is a panic.
    pub(crate) fn run(&self, kernel: &'static str, emulation: Emulation<'_>) -> Option<RawFault> {
        let Entry { run, side_by_side } = match self.entries.get(kernel) {
            Some(Ok(entry)) => *entry,
            Some(Err(log)) => panic!("{log}"),
            None => panic!("{kernel} has no CUDA C"),
        };
        let Emulation { source, kernel: number, params, grid, block, shared_bytes } = emulation;
        let mut record = Record::default();
        let mut fault = FaultParameter { record: &raw mut record, kernel: number };
        let mut params = params.to_vec();
        if source.can_fault {
            params.push((&raw mut fault).cast());
        }
        let mut launch = RawLaunch {
            params: params.as_mut_ptr(),
            grid: grid.to_array().map(|extent| extent as u32),
            block: block.to_array().map(|extent| extent as u32),
            shared_bytes: shared_bytes as u32,
            side_by_side: side_by_side.into(),
            undefined: std::ptr::null(),
            undefined_line: 0,
        };
        // SAFETY: the function was compiled from this source, the launch has the layout of the shim's, and the parameters
        // are those of the kernel: `Launch::emulate` gives all but the last, which is the fault parameter.
        unsafe { run(&raw mut launch) };
        if !launch.undefined.is_null() {
            // SAFETY: the sanitizer's runtime gives a string that lives as long as it does.
            let what = unsafe { CStr::from_ptr(launch.undefined) }.to_string_lossy();
            panic!(
                "the emitted C of {kernel} has undefined behaviour at line {} of the Rust: {what}",
                launch.undefined_line
            );
        }
        let Record { flag, kernel, site, block, thread, pad: _, index, len } = record;
        (flag != 0).then_some(RawFault { kernel, site, block, thread, index, len })
    }
}

/// The kernels of a unit, compiled and loaded.
fn load(folder: &Path, name: &str, unit: &[(&'static str, String)], sanitized: bool) -> Vec<(&'static str, Compiled)> {
    let mut text = String::from("#include \"cuda_shim.h\"\n");
    for (i, (_, source)) in unit.iter().enumerate() {
        write_kernel(&mut text, i, source);
    }
    let path = match compile(folder, name, &text, sanitized) {
        Ok(path) => path,
        Err(log) if unit.len() == 1 => return vec![(unit[0].0, Err(log))],
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
    let side_by_side = |source: &str| source.contains("__syncthreads");
    unit.iter()
        .enumerate()
        .map(|(i, (kernel, source))| (*kernel, Ok(Entry { run: entry(i), side_by_side: side_by_side(source) })))
        .collect()
}

/// Writes a kernel in a namespace of its own, and the function that runs it.
fn write_kernel(text: &mut String, number: usize, source: &str) {
    const HEAD: &str = "extern \"C\" __global__ void ";
    let entry = source.split_once(HEAD).and_then(|(_, rest)| rest.split_once('(')).map(|(name, _)| name.to_owned());
    let entry = entry.expect("a kernel in the source");
    let mut source = replace(source, 1..=1, HEAD, "static void ");
    source = replace(&source, 0..=1, "asm volatile(\"exit;\")", "shim::exit_thread()");
    source = replace(
        &source,
        0..=1,
        "asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"(bytes))",
        "bytes = shim::current->shared_bytes",
    );
    source = replace(
        &source,
        0..=1,
        "extern __shared__ __align__(16) u8 dynamic_shared[]",
        "__align__(16) __shared__ u8 dynamic_shared[shim::MOST_DYNAMIC_BYTES]",
    );
    let _ = write!(
        text,
        "namespace kernel{number} {{\n{source}\n\
         void body(void** params) {{ shim::call(&kernel{number}::{entry}, params); }}\n}}\n\
         extern \"C\" void emulate{number}(shim::Launch* launch) {{ shim::run(launch, kernel{number}::body); }}\n"
    );
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
    command.args(["-std=c++20", "-O1", "-fPIC", "-shared", "-w", "-ffp-contract=off", "-fno-gnu-unique"]);
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
