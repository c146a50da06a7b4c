//! Looking at what became of a kernel, without a device.

use crate::cuda;
use crate::error::Result;
use crate::kernel::Kernel;
use crate::specialise::{self, Layout};

/// The CUDA C of a kernel.
pub fn cuda_source<K: Kernel>() -> Result<String> {
    Ok(specialise::of::<K>()?.source(Layout::Contiguous).text.clone())
}

/// The kernel's PTX for an architecture.
pub fn ptx<K: Kernel>(architecture: &str) -> Result<String> {
    compile::<K>(architecture).map(|image| image.ptx)
}

/// The kernel's machine code for an architecture.
pub fn cubin<K: Kernel>(architecture: &str) -> Result<Vec<u8>> {
    compile::<K>(architecture).map(|image| image.cubin.unwrap_or_default())
}

/// Machine code for CUDA C that Cumbia did not write, by the same compiler with the same options: what benchmarks compare
/// a kernel with.
pub fn cubin_of_source(name: &str, source: &str, architecture: &str) -> Result<Vec<u8>> {
    cuda::compile(name, source, architecture, cuda::Flags::default()).map(|image| image.cubin.unwrap_or_default())
}

fn compile<K: Kernel>(architecture: &str) -> Result<cuda::Image> {
    let specialised = specialise::of::<K>()?;
    let source = specialised.source(Layout::Contiguous);
    cuda::compile(specialised.info.name, &source.text, architecture, specialised.options.into())
}
