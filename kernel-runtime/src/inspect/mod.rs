//! [`Kernel`], the public bound of kernels, and the inspection of their compilation stages: IR, CUDA C, PTX, cubin and SASS.

pub(crate) mod attributes;
pub mod checks;
pub mod precompile;

use self::attributes::Attributes;
use crate::compile::build::Build;
use crate::compile::{self, Flags, Request};
use crate::cuda;
use crate::device::Device;
use crate::error::{Checks, CompileError, Result};
use crate::kernel::{KernelImpl, specialised};
use crate::kernel_info::KernelInfo;
use crate::layout::Layout;
pub use cumbia_kernel_compiler::Variant;

/// A kernel: the type that `#[kernel]` declares under the function's name. Helpers bound the kernel of a
/// [`Launch`](crate::Launch) by it, to be generic over kernels.
///
/// A function that takes a launch accepts every kernel. One that takes a kernel with given parameters takes the function:
///
/// ```
/// use std::time::Duration;
///
/// use cumbia::Kernel;
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
///
/// #[kernel]
/// fn square(x: &mut [f32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] *= x[i];
///     }
/// }
///
/// /// Launches a kernel on `x`, and returns the time of a second launch.
/// fn measure<K: Kernel>(
///     kernel: impl for<'a> Fn(&'a mut DeviceArray<f32>) -> Launch<'a, K>,
///     x: &mut DeviceArray<f32>,
/// ) -> cumbia::Result<Duration> {
///     let (device, n) = (x.device().clone(), x.len());
///     kernel(x).over(n).launch()?; // compiles the kernel
///     report(&kernel(x).over(n))?;
///     device.time(|| kernel(x).over(n).launch())
/// }
///
/// /// Prints the name and the occupancy of a launch of any kernel.
/// fn report<K: Kernel>(launch: &Launch<'_, K>) -> cumbia::Result<()> {
///     let percentage = 100.0 * launch.occupancy()?.fraction();
///     println!("{}: {percentage:.0} % occupancy", K::info().name);
///     Ok(())
/// }
/// # fn main() -> cumbia::Result<()> {
/// let mut x = Device::open()?.to_device(&[1.0, 2.0, 3.0])?;
/// measure(double, &mut x)?;
/// measure(square, &mut x)?;
/// assert_eq!(x.to_host()?, [256.0, 4096.0, 20736.0]);
/// # Ok(())
/// # }
/// ```
///
/// A kernel with other values as parameters fits by a closure: `measure(|x| scale(3.0, x), &mut x)`. A kernel that reads other
/// arrays fits a function that takes the launch, as `report` does, and prepares it with
/// [`Launch::prepare`](crate::Launch::prepare) to launch it several times.
///
/// The trait is sealed: only the expansion of `#[kernel]` implements it. Each kernel's type has functions of the same names
/// as here, so that `double::ptx("sm_90")` does not need the trait in scope.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kernel",
    label = "not the type of a `#[kernel]` function",
    note = "help: a kernel's type has the name of the function: `saxpy`, or `scale::<f32>` if it is generic"
)]
pub trait Kernel: KernelImpl {
    /// Returns the kernel's name and the position of its definition.
    fn info() -> KernelInfo {
        Self::INFO
    }

    /// Returns the resources that the kernel uses on a device. On a GPU, compiles and loads the kernel if necessary:
    /// without the bounds checks that a launch in bounds omits.
    ///
    /// # Errors
    ///
    /// [`Error::Compile`](crate::Error::Compile) if the kernel cannot be compiled, and
    /// [`Error::Driver`](crate::Error::Driver) if the driver reports an error.
    fn attributes(device: &Device) -> Result<Attributes> {
        attributes::of::<Self>(device)
    }

    /// Returns the CUDA C that is compiled for this kernel, with its bounds checks. For launches whose lengths and grid
    /// imply that an index is in bounds, another variant is compiled, without the check.
    ///
    /// # Errors
    ///
    /// [`Error::Compile`](crate::Error::Compile) if the kernel breaks a rule of the kernel language.
    fn cuda_source() -> Result<String> {
        cuda_source::<Self>()
    }

    /// Returns the checks of this kernel and of the device functions that it calls, and which of them a launch omits. The
    /// checks of a kernel with `prove` are listed as well if some of them are kept.
    ///
    /// # Errors
    ///
    /// As for [`cuda_source`](Kernel::cuda_source).
    fn checks() -> Result<Checks> {
        Ok(specialised::<Self>()?.checks())
    }

    /// Returns the typed IR of this kernel and of the device functions that it calls.
    ///
    /// # Errors
    ///
    /// As for [`cuda_source`](Kernel::cuda_source).
    fn ir() -> Result<String> {
        ir::<Self>()
    }

    /// Returns the kernel's PTX for an architecture such as `sm_90`. Requires NVRTC, but no GPU.
    ///
    /// # Errors
    ///
    /// [`Error::Compile`](crate::Error::Compile) if the kernel cannot be compiled, or NVRTC is not installed.
    fn ptx(architecture: &str) -> Result<String> {
        ptx::<Self>(architecture)
    }

    /// Returns the kernel's machine code for an architecture such as `sm_90`. Requires NVRTC, but no GPU.
    ///
    /// # Errors
    ///
    /// As for [`ptx`](Kernel::ptx).
    fn cubin(architecture: &str) -> Result<Vec<u8>> {
        cubin::<Self>(architecture)
    }

    /// Returns the disassembled machine code for an architecture such as `sm_90`, annotated with the Rust source lines.
    /// Requires NVRTC, and `nvdisasm` or `cuobjdump` of the CUDA toolkit, but no GPU.
    ///
    /// # Errors
    ///
    /// As for [`ptx`](Kernel::ptx), and if there is no disassembler.
    fn sass(architecture: &str) -> Result<String> {
        sass::<Self>(architecture)
    }
}

#[diagnostic::do_not_recommend]
impl<K: KernelImpl> Kernel for K {}

/// Returns the emitted CUDA C of a kernel.
pub fn cuda_source<K: KernelImpl>() -> Result<String> {
    cuda_source_of::<K>(Variant::Checked)
}

/// Returns the emitted CUDA C of a variant of a kernel. All variants are the same if no check depends on the launch.
pub fn cuda_source_of<K: KernelImpl>(variant: Variant) -> Result<String> {
    Ok(specialised::<K>()?.source(Layout::Contiguous, Build::Of(variant)).text.clone())
}

/// Like [`cuda_source_of`], for launches with strided (non-contiguous) views.
pub fn strided_source_of<K: KernelImpl>(variant: Variant) -> Result<String> {
    Ok(specialised::<K>()?.source(Layout::Strided, Build::Of(variant)).text.clone())
}

/// Returns the emitted CUDA C of a variant of a kernel in which each CUDA block executes several blocks of the launch; `None` if
/// there is no such source.
pub fn coarsened_source_of<K: KernelImpl>(variant: Variant, strided: bool) -> Result<Option<String>> {
    let specialised = specialised::<K>()?;
    let layout = if strided { Layout::Strided } else { Layout::Contiguous };
    let is_coarsened = specialised.coarsened(layout, variant).is_some();
    Ok(is_coarsened.then(|| specialised.source(layout, Build::Coarsened(variant)).text.clone()))
}

/// Returns the kernel's PTX for an architecture.
pub fn ptx<K: KernelImpl>(architecture: &str) -> Result<String> {
    compile::<K>(architecture).map(|image| image.ptx)
}

/// Returns the kernel's machine code (cubin) for an architecture.
pub fn cubin<K: KernelImpl>(architecture: &str) -> Result<Vec<u8>> {
    compile::<K>(architecture).map(|image| image.cubin.unwrap_or_default())
}

/// Returns the disassembled machine code (SASS) of the kernel for an architecture, annotated with the lines of the Rust source
/// if the disassembler supports that.
pub fn sass<K: KernelImpl>(architecture: &str) -> Result<String> {
    let image = compile::<K>(architecture)?;
    match image.cubin {
        Some(cubin) => Ok(cuda::disassemble(&cubin).map_err(CompileError::from)?),
        None => Err(CompileError::NoMachineCode { architecture: image.architecture }.into()),
    }
}

/// Returns the specialised IR of the kernel, as text.
pub fn ir<K: KernelImpl>() -> Result<String> {
    Ok(specialised::<K>()?.program().to_string())
}

/// Compiles hand-written CUDA C to machine code with the same compiler and options as a kernel, for comparison in benchmarks.
pub fn cubin_of_source(name: &str, source: &str, architecture: &str) -> Result<Vec<u8>> {
    cubin_by_hand(name, source, architecture, false)
}

/// Like [`cubin_of_source`], optionally with the options of `#[kernel(fast_math)]`.
pub fn cubin_by_hand(name: &str, source: &str, architecture: &str, fast_math: bool) -> Result<Vec<u8>> {
    let request = Request::of_source(name, source);
    let request = Request { flags: Flags { fast_math, ..request.flags }, ..request };
    compile::compile(request, architecture).map(|image| image.cubin.unwrap_or_default())
}

fn compile<K: KernelImpl>(architecture: &str) -> Result<cuda::Image> {
    compile::compile(specialised::<K>()?.request(Layout::Contiguous, Build::CHECKED, None), architecture)
}
