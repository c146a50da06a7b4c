//! Inspection of the compilation stages of a kernel, without a device: IR, CUDA C, PTX, cubin and SASS.

use crate::compile::{self, Flags, Request};
use crate::cuda;
use crate::error::{CompileError, Result};
use crate::kernel::Kernel;
use crate::specialise::{self, Layout};

/// Returns the emitted CUDA C of a kernel.
pub fn cuda_source<K: Kernel>() -> Result<String> {
    Ok(specialise::of::<K>()?.source(Layout::Contiguous).text.clone())
}

/// Returns the kernel's PTX for an architecture.
pub fn ptx<K: Kernel>(architecture: &str) -> Result<String> {
    compile::<K>(architecture).map(|image| image.ptx)
}

/// Returns the kernel's machine code (cubin) for an architecture.
pub fn cubin<K: Kernel>(architecture: &str) -> Result<Vec<u8>> {
    compile::<K>(architecture).map(|image| image.cubin.unwrap_or_default())
}

/// Returns the disassembled machine code (SASS) of the kernel for an architecture, annotated with the lines of the Rust source
/// if the disassembler supports that.
pub fn sass<K: Kernel>(architecture: &str) -> Result<String> {
    let image = compile::<K>(architecture)?;
    match image.cubin {
        Some(cubin) => Ok(cuda::disassemble(&cubin).map_err(CompileError::from)?),
        None => Err(CompileError::NoMachineCode { architecture: image.architecture }.into()),
    }
}

/// Returns the specialised IR of the kernel, as text.
pub fn ir<K: Kernel>() -> Result<String> {
    Ok(specialise::of::<K>()?.program().to_string())
}

/// Compiles hand-written CUDA C to machine code with the same compiler and options as a kernel, for comparison in benchmarks.
pub fn cubin_of_source(name: &str, source: &str, architecture: &str) -> Result<Vec<u8>> {
    let request = Request { kernel: name, instance: name, source, flags: Flags::default() };
    compile::compile(request, architecture).map(|image| image.cubin.unwrap_or_default())
}

fn compile<K: Kernel>(architecture: &str) -> Result<cuda::Image> {
    compile::compile(specialise::of::<K>()?.request(Layout::Contiguous), architecture)
}
