//! Looking at what became of a kernel, without a device.

use crate::cuda;
use crate::error::{CompileError, Result};
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

/// The kernel's machine code for an architecture as text, with the lines of the Rust source.
pub fn sass<K: Kernel>(architecture: &str) -> Result<String> {
    let image = compile::<K>(architecture)?;
    match image.cubin {
        Some(cubin) => Ok(cuda::disassemble(&cubin)?),
        None => Err(CompileError::NoMachineCode { architecture: image.architecture }.into()),
    }
}

/// The program that the compiler is given, as text.
pub fn ir<K: Kernel>() -> Result<String> {
    Ok(specialise::of::<K>()?.program().to_string())
}

/// Machine code for CUDA C that Cumbia did not write, by the same compiler with the same options: what benchmarks compare
/// a kernel with.
pub fn cubin_of_source(name: &str, source: &str, architecture: &str) -> Result<Vec<u8>> {
    let request = cuda::Request { kernel: name, instance: name, source, flags: cuda::Flags::default() };
    cuda::compile(request, architecture).map(|image| image.cubin.unwrap_or_default())
}

fn compile<K: Kernel>(architecture: &str) -> Result<cuda::Image> {
    cuda::compile(specialise::of::<K>()?.request(Layout::Contiguous), architecture)
}
