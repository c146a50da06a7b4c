//! Launches of hand-written CUDA C through the driver API, without Cumbia.

use std::ffi::{CString, c_void};
use std::ptr::null_mut;

use cudarc::driver::sys::{self, CUfunction, CUfunction_attribute, CUstream, cudaError_enum};

use crate::workload::{ByHand, Parameter};

/// A kernel in CUDA C, compiled with the options that Cumbia uses, with its stream and its launch.
pub(crate) struct RawKernel {
    function: CUfunction,
    stream: CUstream,
    launch: ByHand,
    /// The values of the parameters, as little-endian bytes.
    values: Vec<u64>,
}

impl RawKernel {
    /// Loads a cubin on GPU 0, whose context Cumbia has opened.
    pub(crate) fn new(cubin: &[u8], launch: ByHand) -> Self {
        let name = CString::new(launch.entry).expect("a name of a function");
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
        if launch.shared_bytes > 48 << 10 {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function has just been loaded.
            check(unsafe { sys::cuFuncSetAttribute(function, attribute, launch.shared_bytes as i32) });
        }
        let values = launch.parameters.iter().copied().map(Parameter::bits).collect();
        RawKernel { function, stream, launch, values }
    }

    /// Enqueues the kernel.
    ///
    /// # Safety
    ///
    /// The launch matches the parameters of the kernel, and its arrays are alive until the stream is synchronized.
    pub(crate) unsafe fn launch(&mut self) {
        let ([gx, gy, gz], [bx, by, bz]) =
            (self.launch.grid.map(|extent| extent as u32), self.launch.block.map(|extent| extent as u32));
        let mut parameters: Vec<*mut c_void> = self.values.iter_mut().map(|value| (&raw mut *value).cast()).collect();
        if let Some((address, bytes)) = self.launch.zeroed {
            // SAFETY: the caller's promise.
            check(unsafe { sys::cuMemsetD8Async(address, 0, bytes, self.stream) });
        }
        let (shared, parameters) = (self.launch.shared_bytes as u32, parameters.as_mut_ptr());
        // SAFETY: the caller's promise; the context is current to this thread since `new`, and each pointer in `parameters` is
        // valid for reads of eight bytes.
        check(unsafe {
            sys::cuLaunchKernel(self.function, gx, gy, gz, bx, by, bz, shared, self.stream, parameters, null_mut())
        });
    }

    /// Waits for the stream.
    pub(crate) fn synchronize(&self) {
        // SAFETY: the stream is never destroyed.
        check(unsafe { sys::cuStreamSynchronize(self.stream) });
    }
}

#[track_caller]
fn check(status: sys::CUresult) {
    assert_eq!(status, cudaError_enum::CUDA_SUCCESS);
}
