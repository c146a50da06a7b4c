//! The examination of the machine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{CacheReport, DriverReport, GpuProperties, GpuReport, NvJitLinkReport, NvrtcReport, Report};
use crate::cache::{self, Cache};
use crate::compile::{self, Request};
use crate::cuda::{self, Context, NoNvJitLink, NvJitLink};
use crate::device::Device;
use crate::device::gpu::Gpu;
use crate::error::{CompileError, DeviceError, Error, Result, Searched};
use crate::precompiled::Precompiled;

/// Examines this machine: the driver, the GPUs, NVRTC, the cache, and the environment. It opens each GPU, and compiles and loads
/// a small kernel there, which takes up to two seconds. It never fails: the report lists missing components, with remedies.
///
/// `cargo run --example doctor` prints it.
///
/// ```
/// let report = cumbia::doctor();
/// println!("{report}");
/// assert!(report.default_device.is_ok() || std::env::var_os("CUMBIA_DEVICE").is_some());
/// ```
pub fn doctor() -> Report {
    let (nvrtc, nvjitlink) = compilers();
    Report {
        version: env!("CARGO_PKG_VERSION"),
        driver: driver(),
        gpus: gpus(nvrtc.is_ok()),
        default_device: Device::open().map(|device| device.to_string()),
        cpu: Device::cpu().limits().clone(),
        nvrtc,
        nvjitlink,
        cache: cache(),
        precompiled: Precompiled::of_process().map(|precompiled| precompiled.folder().to_owned()),
        disassemblers: cuda::disassemblers(),
        variables: VARIABLES
            .iter()
            .filter_map(|&name| Some((name, std::env::var_os(name)?.display().to_string())))
            .collect(),
    }
}

/// The environment variables that affect Cumbia.
const VARIABLES: [&str; 16] = [
    "CUMBIA_DEVICE",
    "CUMBIA_NVRTC",
    "CUMBIA_CACHE",
    "CUMBIA_CACHE_DIR",
    "CUMBIA_CACHE_SIZE",
    "CUMBIA_KERNELS",
    "CUMBIA_VARIANT",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_CACHE_DISABLE",
    "CUDA_LAUNCH_BLOCKING",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "NVIDIA_VISIBLE_DEVICES",
];

fn driver() -> Result<DriverReport, DeviceError> {
    let driver = cuda::Driver::get()?;
    Ok(DriverReport { cuda: driver.version(), release: driver_release(), path: driver.path() })
}

/// Returns the version of the driver's kernel module. The driver's library exposes it only through NVML.
fn driver_release() -> Option<String> {
    let version = std::fs::read_to_string("/sys/module/nvidia/version").ok()?;
    Some(version.trim().to_owned()).filter(|version| !version.is_empty())
}

/// Examines NVRTC, and with it nvJitLink.
#[allow(clippy::type_complexity, reason = "these are two fields of the report")]
fn compilers() -> (Result<NvrtcReport, CompileError>, Option<Result<NvJitLinkReport, Vec<Searched>>>) {
    let (nvrtc, searched) = match cuda::Nvrtc::look() {
        Ok(found) => found,
        Err(error) => return (Err(error.into()), None),
    };
    let linker = match NvJitLink::look(&nvrtc) {
        Ok((linker, _)) => {
            Ok(NvJitLinkReport { version: linker.version(), path: linker.path().map(ToOwned::to_owned) })
        }
        Err(NoNvJitLink { searched, nvrtc: _ }) => Err(searched),
    };
    let nvrtc = NvrtcReport {
        version: nvrtc.version(),
        path: nvrtc.path().map(ToOwned::to_owned),
        architectures: nvrtc.supported().iter().map(|number| format!("sm_{number}")).collect(),
        searched,
    };
    (Ok(nvrtc), Some(linker))
}

fn gpus(has_nvrtc: bool) -> Vec<GpuReport> {
    (0..Device::count()).map(|ordinal| GpuReport { ordinal, properties: gpu(ordinal, has_nvrtc) }).collect()
}

fn gpu(ordinal: usize, has_nvrtc: bool) -> Result<GpuProperties> {
    let context = Gpu::open(ordinal)?;
    Ok(GpuProperties {
        name: context.name().to_owned(),
        architecture: context.architecture().to_string(),
        limits: context.limits().clone(),
        pci: context.properties().pci,
        free_memory: Device::cuda(ordinal)?.memory()?.free,
        test_kernel: has_nvrtc.then(|| test_kernel(&context)),
    })
}

/// Compiles and loads a small kernel, and returns the time that it took. A driver older than NVRTC may reject its output.
fn test_kernel(context: &Arc<Context>) -> Result<Duration> {
    const SOURCE: &str = "extern \"C\" __global__ void cumbia_doctor(int* y) { y[threadIdx.x] += 1; }";
    let start = Instant::now();
    let request = Request::of_source("cumbia_doctor", SOURCE);
    let module = compile::load(context, request, "cumbia_doctor")?;
    let took = start.elapsed();
    drop(module);
    Ok(took)
}

fn cache() -> CacheReport {
    let problem = Cache::of_process().and_then(|cache| {
        let source = cache.try_writing().err()?;
        Some(Error::File { operation: "writing to", path: cache.folder().to_owned(), source })
    });
    CacheReport { stats: cache::stats(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_matches_its_text() {
        let report = doctor();
        assert!(report.to_string().contains("cpu     "), "{report}");
        assert_eq!(report.has_gpu(), report.to_string().contains("Kernels run on a GPU."));
    }
}
