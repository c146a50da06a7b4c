//! The text of a report.

use std::fmt::{self, Write};

use bytesize::ByteSize;

use super::{DriverReport, GpuProperties, GpuReport, NvJitLinkReport, NvrtcReport, Report};
use crate::cache::Stats;
use crate::device::properties::host_memory;
use crate::error::{CompileError, DeviceError, DriverFailure, no_nvrtc, nvjitlink_package, version_text};
use crate::precompiled::FOLDER_NAME;

/// The width of the heading column, in characters.
const MARGIN: usize = 14;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (os, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        writeln!(f, "Cumbia {} on {os} {processor}\n", self.version)?;
        section(f, "driver", &self.driver_text())?;
        section(f, "NVRTC", &self.nvrtc_text())?;
        section(f, "nvJitLink", &self.nvjitlink_text())?;
        section(f, "devices", &self.devices_text())?;
        section(f, "cache", &self.cache_text())?;
        section(f, "precompiled", &self.precompiled_text())?;
        section(f, "disassembler", &self.disassembler_text())?;
        section(f, "environment", &self.environment_text())?;
        write!(f, "\n{}", self.verdict())
    }
}

/// Writes a heading with text in the column beside it.
fn section(f: &mut fmt::Formatter<'_>, heading: &str, text: &str) -> fmt::Result {
    for (i, line) in text.trim_end().lines().enumerate() {
        writeln!(f, "{:MARGIN$}{line}", if i == 0 { heading } else { "" })?;
    }
    Ok(())
}

impl Report {
    fn driver_text(&self) -> String {
        match &self.driver {
            Ok(DriverReport { cuda, release, path }) => {
                let mut text = format!("supports CUDA {}", version_text(*cuda));
                if let Some(release) = release {
                    let _ = write!(text, ", release {release}");
                }
                if let Some(path) = path {
                    let _ = write!(text, "\n{}", path.display());
                }
                text
            }
            Err(error @ DeviceError::NoDriver { reason: DriverFailure::Init { code, .. }, .. }) => {
                match init_remedy(*code) {
                    Some(remedy) => format!("{error}\n  help: {remedy}"),
                    None => error.to_string(),
                }
            }
            Err(error) => error.to_string(),
        }
    }

    fn nvrtc_text(&self) -> String {
        match &self.nvrtc {
            Ok(NvrtcReport { version, path, architectures, searched }) => {
                let path = path
                    .as_ref()
                    .map_or_else(|| "found by the dynamic loader".to_owned(), |path| path.display().to_string());
                let mut text = format!("version {version}\n{path}\ncompiles for {}\n", architectures.join(", "));
                if !searched.is_empty() {
                    text += "searched before it:\n";
                    for place in searched {
                        let _ = writeln!(text, "  {place}");
                    }
                }
                text
            }
            Err(CompileError::NoNvrtc { searched, driver }) => no_nvrtc(searched, *driver, usize::MAX),
            Err(error) => error.to_string(),
        }
    }

    fn nvjitlink_text(&self) -> String {
        match (&self.nvjitlink, &self.nvrtc) {
            (Some(Ok(NvJitLinkReport { version, path })), _) => {
                let path = path
                    .as_ref()
                    .map_or_else(|| "found by the dynamic loader".to_owned(), |path| path.display().to_string());
                format!("version {version}\n{path}")
            }
            (Some(Err(searched)), Ok(nvrtc)) => {
                let package = nvjitlink_package(nvrtc.version);
                let mut text = format!("none, so kernels with linked files cannot be compiled\n  help: {package}");
                // Nothing but absent files is the usual state.
                for place in searched.iter().filter(|place| !place.outcome.is_absence()) {
                    let _ = write!(text, "\n  looked for {place}");
                }
                text
            }
            (Some(Err(_)) | None, _) => "not searched, as there is no NVRTC".to_owned(),
        }
    }

    fn devices_text(&self) -> String {
        let mut text = String::new();
        for GpuReport { ordinal, properties } in &self.gpus {
            match properties {
                Ok(gpu) => {
                    let _ = write!(text, "cuda:{ordinal}  {}", gpu_text(gpu));
                }
                Err(error) => {
                    let _ = writeln!(text, "cuda:{ordinal}  {error}");
                }
            }
        }
        if self.gpus.is_empty() && self.driver.is_ok() {
            text += "the driver reports no GPU: check `nvidia-smi` and CUDA_VISIBLE_DEVICES\n";
        }
        let memory = ByteSize(host_memory().1 as u64).display().iec();
        let _ = writeln!(text, "cpu     {} threads in parallel, {memory} of memory", self.cpu.multiprocessors);
        let _ = match &self.default_device {
            Ok(device) => write!(text, "`Device::open()` opens {device}"),
            Err(error) => write!(text, "`Device::open()` fails: {error}"),
        };
        text
    }

    fn cache_text(&self) -> String {
        let Stats { folder, limit, entries, bytes, .. } = &self.cache.stats;
        let Some(folder) = folder else {
            return "off: each process recompiles its kernels".to_owned();
        };
        let (bytes, limit) = (ByteSize(*bytes).display().iec(), ByteSize(*limit).display().iec());
        let text = format!("{entries} kernels, {bytes} of at most {limit}\n{}", folder.display());
        match &self.cache.problem {
            None => text,
            Some(error) => format!(
                "{text}\n{error}\n  help: point CUMBIA_CACHE_DIR at a directory that only this user can write, \
                 or set CUMBIA_CACHE=off"
            ),
        }
    }

    fn precompiled_text(&self) -> String {
        match &self.precompiled {
            Some(folder) => folder.display().to_string(),
            None => {
                format!(
                    "none, so kernels are compiled when they are first launched: CUMBIA_KERNELS does not name a \
                     directory, and there is no directory `{FOLDER_NAME}` next to the executable"
                )
            }
        }
    }

    fn disassembler_text(&self) -> String {
        let found: Vec<String> =
            self.disassemblers.iter().filter_map(|(_, path)| Some(path.as_ref()?.display().to_string())).collect();
        if found.is_empty() {
            return "none, so a kernel's `sass(..)` fails\n  help: `pip install nvidia-cuda-nvdisasm`".to_owned();
        }
        found.join("\n")
    }

    fn environment_text(&self) -> String {
        if self.variables.is_empty() {
            return "no variable that affects Cumbia is set".to_owned();
        }
        let lines: Vec<String> = self.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        lines.join("\n")
    }

    /// Returns the last line, the conclusion.
    fn verdict(&self) -> &'static str {
        if self.has_gpu() {
            "Kernels run on a GPU."
        } else if self.gpus.is_empty() {
            "Kernels run on the CPU: there is no usable GPU, for the reason above."
        } else {
            "There is a GPU, but kernels cannot be compiled for it or loaded, for the reason above: launches on it fail. \
             CUMBIA_DEVICE=cpu runs kernels on the CPU."
        }
    }
}

fn gpu_text(gpu: &GpuProperties) -> String {
    let GpuProperties { name, architecture, limits, pci, free_memory, test_kernel } = gpu;
    let (major, minor) = limits.compute_capability.unwrap_or_default();
    let [free, memory, shared, opt_in] =
        [*free_memory, limits.total_memory, limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in]
            .map(|bytes| ByteSize(bytes as u64).display().iec());
    let mut text = format!(
        "{name}, at {pci}: compute capability {major}.{minor}, {} multiprocessors, {memory} of memory, {free} free\n        \
         a block has at most {} threads and {shared} of shared memory, {opt_in} with opt-in\n",
        limits.multiprocessors, limits.threads_per_block,
    );
    let _ = match test_kernel {
        Some(Ok(took)) => {
            writeln!(text, "        a small kernel was compiled for {architecture} and loaded in {took:.1?}")
        }
        Some(Err(error)) => writeln!(text, "        a small kernel does not load: {error}"),
        None => writeln!(text, "        without NVRTC, kernels cannot be compiled for {architecture}"),
    };
    text
}

/// Returns the remedy for a status of `cuInit`, as `cuda.h` numbers them.
fn init_remedy(code: u32) -> Option<&'static str> {
    const NO_DEVICE: u32 = 100;
    const OPERATING_SYSTEM: u32 = 304;
    const SYSTEM_NOT_READY: u32 = 802;
    const SYSTEM_DRIVER_MISMATCH: u32 = 803;
    const COMPAT_NOT_SUPPORTED_ON_DEVICE: u32 = 804;
    const UNKNOWN: u32 = 999;
    const REMEDIES: [(u32, &str); 6] = [
        (
            NO_DEVICE,
            "the driver is installed, but reports no GPU: check CUDA_VISIBLE_DEVICES and `nvidia-smi`; a container needs \
             `--gpus all`",
        ),
        (SYSTEM_DRIVER_MISMATCH, "the driver was updated while the system was running: reboot"),
        (
            COMPAT_NOT_SUPPORTED_ON_DEVICE,
            "a forward compatibility package for data-centre GPUs hides the driver: remove it from LD_LIBRARY_PATH",
        ),
        (SYSTEM_NOT_READY, "start NVIDIA's fabric manager, which this machine's NVLink switches need"),
        (OPERATING_SYSTEM, "the device files /dev/nvidia* are missing or not accessible; `nvidia-smi` may create them"),
        (UNKNOWN, "the driver's kernel module may not be loaded: try `nvidia-modprobe -u`, or reboot"),
    ];
    REMEDIES.iter().find(|(status, _)| *status == code).map(|(_, remedy)| *remedy)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::CacheReport;
    use super::*;
    use crate::device::Device;
    use crate::device::properties::{Limits, Pci};
    use crate::error::Version;
    use crate::error::{Error, LibraryFailure, SearchOutcome, SearchPlace, Searched};

    /// Returns a report of a machine without CUDA.
    fn bare() -> Report {
        Report {
            version: "0.1.0",
            driver: Err(DeviceError::NoDriver {
                searched: vec!["libcuda.so.1".to_owned()],
                reason: DriverFailure::Init {
                    code: 100,
                    name: "CUDA_ERROR_NO_DEVICE".to_owned(),
                    message: "no CUDA-capable device is detected".to_owned(),
                },
            }),
            gpus: Vec::new(),
            default_device: Ok("cpu".to_owned()),
            cpu: Device::cpu().limits().clone(),
            nvrtc: Err(CompileError::NoNvrtc {
                searched: vec![Searched::new(SearchPlace::Toolkit("CUDA_HOME"), SearchOutcome::NotSet)],
                driver: None,
            }),
            nvjitlink: None,
            cache: CacheReport { stats: Stats::default(), problem: None },
            precompiled: None,
            disassemblers: vec![("nvdisasm", None)],
            variables: Vec::new(),
        }
    }

    #[track_caller]
    fn check(report: &Report, expected: &[&str]) {
        let text = report.to_string();
        for expected in expected {
            assert!(text.contains(expected), "`{expected}` is not in\n{text}");
        }
    }

    #[test]
    fn missing_components_come_with_remedies() {
        let report = bare();
        check(
            &report,
            &[
                "driver        no usable CUDA driver was found",
                "a container needs `--gpus all`",
                "                looked for a toolkit in CUDA_HOME: not set",
                "pip install nvidia-cuda-nvrtc",
                "off: each process recompiles",
                "pip install nvidia-cuda-nvdisasm",
                "Kernels run on the CPU: there is no usable GPU",
            ],
        );
        assert!(!report.has_gpu());
        let problem = Error::File {
            operation: "writing to",
            path: "/cache".into(),
            source: std::io::Error::from(std::io::ErrorKind::PermissionDenied),
        };
        let stats = Stats { folder: Some("/cache".into()), limit: 1 << 30, ..Stats::default() };
        let cache = CacheReport { stats, problem: Some(problem) };
        check(&Report { cache, ..bare() }, &["of at most 1.0 GiB", "writing to /cache", "point CUMBIA_CACHE_DIR"]);
    }

    #[test]
    fn a_complete_machine_is_reported() {
        let gpu = |test_kernel| GpuReport {
            ordinal: 0,
            properties: Ok(GpuProperties {
                name: "NVIDIA H200".to_owned(),
                architecture: "sm_90a".to_owned(),
                limits: Limits { compute_capability: Some((9, 0)), ..Device::cpu().limits().clone() },
                pci: Pci::new(0, 0x1b, 0),
                free_memory: 100 << 30,
                test_kernel,
            }),
        };
        let nvrtc = NvrtcReport {
            version: Version { major: 13, minor: 5 },
            path: Some("/lib/libnvrtc.so.13".into()),
            architectures: vec!["sm_75".to_owned(), "sm_90".to_owned()],
            searched: vec![Searched::new(SearchPlace::Toolkit("CUDA_HOME"), SearchOutcome::NotSet)],
        };
        let driver = DriverReport {
            cuda: Some(Version { major: 13, minor: 0 }),
            release: Some("580.95".to_owned()),
            path: Some("/lib/libcuda.so.1".into()),
        };
        let report = |test| Report {
            driver: Ok(driver.clone()),
            nvrtc: Ok(nvrtc.clone()),
            nvjitlink: Some(Ok(NvJitLinkReport { version: nvrtc.version, path: Some("/lib/libnvJitLink.so".into()) })),
            gpus: vec![gpu(test)],
            default_device: Ok("cuda:0 (NVIDIA H200)".to_owned()),
            ..bare()
        };
        check(
            &report(Some(Ok(Duration::from_millis(40)))),
            &[
                "supports CUDA 13.0, release 580.95",
                "/lib/libcuda.so.1",
                "compiles for sm_75, sm_90",
                "nvJitLink     version 13.5\n              /lib/libnvJitLink.so",
                "a toolkit in CUDA_HOME: not set",
                "cuda:0  NVIDIA H200, at 0000:1b:00.0: compute capability 9.0",
                "100.0 GiB free",
                "compiled for sm_90a and loaded in 40.0ms",
                "`Device::open()` opens cuda:0 (NVIDIA H200)",
                "Kernels run on a GPU.",
            ],
        );
        let linker = LibraryFailure::NotLoaded { message: "wrong ELF class".to_owned() };
        let searched = [("a", SearchOutcome::NotFound), ("b", SearchOutcome::Unusable(linker))];
        let searched = searched.map(|(origin, outcome)| Searched::new(SearchPlace::Toolkit(origin), outcome)).to_vec();
        check(
            &Report { nvjitlink: Some(Err(searched)), ..report(None) },
            &[
                "nvJitLink     none, so kernels with linked files cannot be compiled\n                help: `pip install",
                "nvidia-nvjitlink>=13.5",
                "looked for a toolkit in b: wrong ELF class",
            ],
        );
        let rejected = CompileError::ImageRejected {
            kernel: "cumbia_doctor".to_owned(),
            architecture: "sm_90a".to_owned(),
            driver: Some(Version { major: 12, minor: 0 }),
            rejections: Vec::new(),
        };
        check(
            &report(Some(Err(rejected.into()))),
            &[
                "update NVIDIA's driver",
                "There is a GPU, but kernels cannot be compiled for it or loaded",
                "CUMBIA_DEVICE=cpu",
            ],
        );
        check(&report(None), &["without NVRTC, kernels cannot be compiled for sm_90a", "launches on it fail"]);
    }
}
