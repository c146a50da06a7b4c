//! Loading of compiled kernels on a GPU.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::image::{Origin, compile_for_gpu, compile_without_precompiled};
use super::request::Request;
use crate::block_picker;
use crate::cuda::Attributes;
use crate::cuda::{Context, CudaError, Image, LoadError, Module};
use crate::error::{CompileError, Error};
use cumbia_kernel_sync::event;

/// Compiles a kernel, or finds its compiled image, and loads it. A precompiled image was built for some range of drivers;
/// if this driver rejects it, the kernel is compiled here.
///
/// `entry` is the name of the `extern "C" __global__` function in the source.
///
/// # Errors
///
/// [`CompileError`], or a CUDA driver error.
pub(crate) fn load(context: &Arc<Context>, request: Request<'_>, entry: &str) -> Result<LoadedKernel, Error> {
    let start = Instant::now();
    let (mut image, mut origin) = compile_for_gpu(request, context.architecture())?;
    let mut compiled = Instant::now();
    let mut loaded = load_image(context, request, &image, entry);
    if let Err(rejected @ Error::Compile(CompileError::ImageRejected { .. })) = &loaded
        && origin == Origin::Precompiled
    {
        let (kernel, device, rejected) = (request.instance.to_owned(), context.to_string(), rejected.to_string());
        let (variant, coarsened) = (request.variant, request.coarsened);
        event!(
            warn, target: "cumbia::compile",
            kernel, %variant, coarsened, device, rejected, "the precompiled image does not load"
        );
        match compile_without_precompiled(request, context.architecture()) {
            Ok(found) => {
                (image, origin) = found;
                compiled = Instant::now();
                loaded = load_image(context, request, &image, entry);
            }
            // A program that ships precompiled kernels expects neither NVRTC nor nvJitLink: report the precompiled image instead.
            Err(CompileError::NoNvrtc { .. } | CompileError::NoNvJitLink { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let module = loaded?;
    let (kernel, variant, device) = (request.instance.to_owned(), request.variant, context.to_string());
    let (coarsened, architecture) = (request.coarsened, image.architecture);
    let compile_milliseconds = (compiled - start).as_secs_f64() * 1e3;
    let load_milliseconds = compiled.elapsed().as_secs_f64() * 1e3;
    let &Attributes { registers, shared_bytes, local_bytes, .. } = module.attributes();
    event!(
        debug, target: "cumbia::compile",
        kernel, %variant, coarsened, device, architecture, ?origin, compile_milliseconds, load_milliseconds, registers,
        shared_bytes, local_bytes, "loaded"
    );
    Ok(LoadedKernel { module, block_sizes: OccupancyCache::default() })
}

fn load_image(context: &Arc<Context>, request: Request<'_>, image: &Image, entry: &str) -> Result<Module, Error> {
    // The PTX of a kernel with linked files lacks the functions that the files define.
    let without_ptx = (!request.linked.is_empty()).then(|| Image { ptx: String::new(), ..image.clone() });
    let image = without_ptx.as_ref().unwrap_or(image);
    // SAFETY: NVRTC or nvJitLink has written the cubin in this process, or earlier: a file of the cache or of precompiled kernels has
    // a checksum, and only users that this process trusts can have written it (`cache/trust.rs`).
    unsafe { context.load(image, entry) }.map_err(|error| match error {
        LoadError::ImageRejected { rejections } => CompileError::ImageRejected {
            kernel: request.kernel.to_owned(),
            architecture: image.architecture.clone(),
            driver: context.driver().version(),
            rejections,
        }
        .into(),
        LoadError::Cuda(error) => error.into(),
    })
}

/// A kernel that is loaded on a GPU, with the block sizes of maximum occupancy.
#[derive(Debug)]
pub(crate) struct LoadedKernel {
    module: Module,
    /// By dynamic shared memory.
    block_sizes: OccupancyCache,
}

impl Deref for LoadedKernel {
    type Target = Module;

    #[inline]
    fn deref(&self) -> &Module {
        &self.module
    }
}

impl LoadedKernel {
    /// Returns the block size, in threads, of about the highest occupancy. `bound` is the kernel's limit of threads per
    /// block, and `is_coarsened` whether its threads execute several items: constants of the kernel and of its build.
    pub(crate) fn max_occupancy_block(
        &self,
        bound: Option<u32>,
        is_coarsened: bool,
        shared_bytes: u32,
    ) -> Result<u32, CudaError> {
        if let Some(threads) = self.block_sizes.get(shared_bytes) {
            return Ok(threads);
        }
        let most = (self.attributes().threads_per_block as u32).min(bound.unwrap_or(u32::MAX));
        let resident = |threads| self.active_blocks(threads, shared_bytes);
        let threads = block_picker::max_occupancy_threads(most, is_coarsened, resident)?;
        self.block_sizes.put(shared_bytes, threads);
        Ok(threads)
    }
}

/// A lock-free, direct-mapped cache of block sizes of maximum occupancy, keyed by dynamic shared memory. A collision
/// evicts the older entry, which is then computed again.
#[derive(Debug, Default)]
struct OccupancyCache([AtomicU64; 8]);

impl OccupancyCache {
    fn get(&self, shared_bytes: u32) -> Option<u32> {
        // Relaxed: an entry is a single self-contained number.
        let entry = self.entry(shared_bytes).load(Ordering::Relaxed);
        let (threads, of) = (entry as u32, (entry >> 32) as u32);
        (threads != 0 && of == shared_bytes).then_some(threads)
    }

    fn put(&self, shared_bytes: u32, threads: u32) {
        self.entry(shared_bytes).store(u64::from(shared_bytes) << 32 | u64::from(threads), Ordering::Relaxed);
    }

    fn entry(&self, shared_bytes: u32) -> &AtomicU64 {
        // Sizes are mostly multiples of powers of two; Fibonacci hashing spreads them.
        &self.0[(shared_bytes.wrapping_mul(0x9e37_79b9) >> 29) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_sizes_are_cached_by_shared_memory() {
        let block_sizes = OccupancyCache::default();
        assert_eq!(block_sizes.get(0), None);
        block_sizes.put(0, 256);
        block_sizes.put(48 << 10, 512);
        assert_eq!(
            (block_sizes.get(0), block_sizes.get(48 << 10), block_sizes.get(1024)),
            (Some(256), Some(512), None)
        );
        for shared_bytes in (0..100).map(|i| i * 1024) {
            block_sizes.put(shared_bytes, 64);
            assert_eq!(block_sizes.get(shared_bytes), Some(64));
        }
    }
}
