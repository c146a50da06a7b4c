//! Kernel launches through the driver API, without Cumbia.

use std::ffi::{CString, c_void};
use std::ptr::null_mut;

use cudarc::driver::sys::{self, CUfunction, CUstream, cudaError_enum};

/// A kernel in CUDA C, compiled with the options that Cumbia uses, and its stream.
pub(crate) struct RawKernel {
    function: CUfunction,
    stream: CUstream,
}

impl RawKernel {
    /// Compiles and loads `entry` of `source` for GPU 0, whose context Cumbia has opened.
    pub(crate) fn new(source: &str, entry: &str, architecture: &str) -> cumbia::Result<Self> {
        let cubin = cumbia::__private::inspect::cubin_of_source(entry, source, architecture)?;
        let name = CString::new(entry).expect("a name of a function");
        let (mut context, mut module, mut function, mut stream) = (null_mut(), null_mut(), null_mut(), null_mut());
        // SAFETY: the driver is loaded, since Cumbia has opened the device; all pointers are valid for the writes, the
        // cubin is complete, and the handles are used only after the calls that created them.
        unsafe {
            check(sys::cuDevicePrimaryCtxRetain(&raw mut context, 0));
            check(sys::cuCtxSetCurrent(context));
            check(sys::cuModuleLoadData(&raw mut module, cubin.as_ptr().cast()));
            check(sys::cuModuleGetFunction(&raw mut function, module, name.as_ptr()));
            check(sys::cuStreamCreate(&raw mut stream, 1));
        }
        Ok(RawKernel { function, stream })
    }

    /// Calls `cuLaunchKernel`.
    ///
    /// # Safety
    ///
    /// `parameters` must match the parameters of the kernel.
    #[inline]
    pub(crate) unsafe fn launch(&self, grid: [u32; 2], block: [u32; 2], parameters: &mut [*mut c_void]) {
        let ([gx, gy], [bx, by]) = (grid, block);
        // SAFETY: the caller's promise; the context is current to this thread since `new`.
        check(unsafe {
            sys::cuLaunchKernel(
                self.function,
                gx,
                gy,
                1,
                bx,
                by,
                1,
                0,
                self.stream,
                parameters.as_mut_ptr(),
                null_mut(),
            )
        });
    }

    /// Waits for the stream.
    pub(crate) fn synchronize(&self) {
        // SAFETY: the stream is never destroyed.
        check(unsafe { sys::cuStreamSynchronize(self.stream) });
    }
}

/// Allocates zeroed device memory that is never freed.
pub(crate) fn memory(bytes: usize) -> u64 {
    let mut pointer = 0;
    // SAFETY: the pointer is valid for the write, and a context is current.
    unsafe {
        check(sys::cuMemAlloc_v2(&raw mut pointer, bytes));
        check(sys::cuMemsetD8_v2(pointer, 0, bytes));
    }
    pointer
}

#[track_caller]
fn check(status: sys::CUresult) {
    assert_eq!(status, cudaError_enum::CUDA_SUCCESS);
}
