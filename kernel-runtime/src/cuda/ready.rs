//! A launch of which all but the parameters is settled: what is left is one call of the driver.
//!
//! Between two launches the driver runs through so much code and memory that ours is in no cache when it is needed again.
//! So what is here is small and lies together, and nothing is looked up.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::{CUfunction, CUstream};

use super::geometry::Geometry;
use super::module::Module;
use super::parameter::LaunchParameter;
use super::primary::Primary;
use super::refusal::Refusal;
use super::stream::Stream;

/// A launch on the default stream of a GPU, for as long as that is the only stream. It is neither cooperative nor in clusters,
/// and its kernel does not print.
#[derive(Clone, Copy)]
pub(crate) struct Ready {
    primary: &'static Primary,
    function: CUfunction,
    raw_stream: CUstream,
    /// The address of the stream's fault record.
    fault: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    /// What a fault record calls the kernel.
    kernel: u32,
    /// Whether the kernel has a [`LaunchParameter`].
    takes_launch: bool,
    stream: &'static Arc<Stream>,
}

impl Ready {
    /// Settles a launch whose extents have been compared with the device's limits; `None` for one that needs more than the
    /// call.
    ///
    /// That the kernel may have so much shared memory, [`Module::allow`] or a launch alike has seen to.
    pub(crate) fn new(module: &'static Module, geometry: &Geometry, takes_launch: bool, kernel: u32) -> Option<Ready> {
        let &Geometry { grid, block, cluster, shared_bytes, cooperative } = geometry;
        if cluster.is_some() || cooperative {
            return None;
        }
        let stream = module.context().default_stream();
        let primary = module.context().primary();
        let (function, raw_stream, fault) = (module.function(), stream.raw(), stream.fault_pointer());
        Some(Ready { primary, function, raw_stream, fault, grid, block, shared_bytes, kernel, takes_launch, stream })
    }

    /// Whether the stream is the only one, so that nothing has to be noted. See `order.rs`.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        !self.primary.has_several_streams()
    }

    /// What the kernel takes last, if it takes it.
    #[inline]
    pub(crate) fn parameter(&self) -> Option<LaunchParameter> {
        let &Ready { fault, kernel, takes_launch, .. } = self;
        takes_launch.then(|| LaunchParameter::new(fault, kernel))
    }

    /// Launches the kernel, and returns before it runs.
    ///
    /// # Safety
    ///
    /// As for [`Module::launch`], with [`Ready::parameter`] as the last of the parameters.
    #[inline]
    pub(crate) unsafe fn launch(&self, parameters: *mut *mut c_void) -> Launched {
        // SAFETY: the caller's promise.
        let result = unsafe { self.call(parameters) };
        Launched { result, company: (!self.is_alone()).then_some(self.stream) }
    }

    /// # Safety
    ///
    /// As for [`Ready::launch`].
    #[inline]
    unsafe fn call(&self, parameters: *mut *mut c_void) -> Result<(), Refusal> {
        let &Ready { primary, function, raw_stream, grid, block, shared_bytes, .. } = self;
        let ([gx, gy, gz], [bx, by, bz], extra) = (grid, block, std::ptr::null_mut());
        primary.bind()?;
        // SAFETY: the caller's promise; the function and the stream belong to the current context, and are never destroyed.
        unsafe {
            primary.driver.cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, raw_stream, parameters, extra)
        }
    }
}

/// A launch that was asked for.
pub(crate) struct Launched {
    /// What the driver said.
    pub(crate) result: Result<(), Refusal>,
    /// The stream, if it is not the only one any more: then what was used has to be noted.
    pub(crate) company: Option<&'static Arc<Stream>>,
}
