//! A launch on the fast path: everything but the kernel parameters is resolved, and one driver call remains.
//!
//! Between two launches the driver touches so much code and memory that ours is evicted from the CPU caches. The data
//! is therefore small and contiguous, and nothing is looked up.

use std::ffi::c_void;
use std::sync::Arc;

use crate::sys::{CUfunction, CUstream};

use super::{Geometry, Module};
use crate::error::CudaError;
use crate::primary_context::PrimaryContext;
use crate::records::LaunchParameter;
use crate::stream::Stream;

/// A resolved launch on the default stream of a GPU, unless another one is given. It is neither cooperative nor clustered, and
/// its kernel does not print.
#[derive(Clone, Copy)]
pub struct DriverLaunch {
    primary: &'static PrimaryContext,
    function: CUfunction,
    raw_stream: CUstream,
    grid: [u32; 3],
    block: [u32; 3],
    shared_bytes: u32,
    /// The hidden parameter for the default stream, if the kernel takes it.
    parameter: Option<LaunchParameter>,
    stream: &'static Arc<Stream>,
}

impl DriverLaunch {
    /// Resolves a launch whose extents have been checked against the device's limits. Returns `None` for a launch that
    /// needs more than the plain driver call. `parameter` is the hidden parameter for the default stream, if the kernel
    /// takes it.
    ///
    /// The dynamic shared memory must have been allowed by [`Module::allow`] or an equivalent launch.
    pub fn new(
        module: &'static Module,
        geometry: &Geometry,
        parameter: Option<LaunchParameter>,
    ) -> Option<DriverLaunch> {
        let &Geometry { grid, block, cluster, shared_bytes, cooperative } = geometry;
        if cluster.is_some() || cooperative {
            return None;
        }
        let stream = module.context().default_stream();
        let primary = module.context().primary();
        let (function, raw_stream) = (module.function(), stream.raw());
        Some(DriverLaunch { primary, function, raw_stream, grid, block, shared_bytes, parameter, stream })
    }

    /// Returns the stream of a launch on `on`, or on the default stream.
    #[inline]
    pub fn stream<'s>(&self, on: Option<&'s Arc<Stream>>) -> &'s Arc<Stream> {
        on.unwrap_or(self.stream)
    }

    /// Returns whether the accesses of the launch need neither waits nor records: the stream is the only one, or owns all
    /// allocations, which `owned` determines from its ownership key. See `hazards/mod.rs`.
    #[inline]
    fn is_exclusive(&self, on: Option<&Arc<Stream>>, owned: impl Fn(u64) -> bool) -> bool {
        !self.primary.is_multi_stream() || owned(self.stream(on).ownership_key())
    }

    /// Returns the hidden last parameter, if the kernel takes it.
    #[inline]
    pub fn parameter(&self, on: Option<&Arc<Stream>>) -> Option<LaunchParameter> {
        let parameter = self.parameter?;
        Some(on.map_or(parameter, |on| LaunchParameter { fault: on.fault_pointer(), ..parameter }))
    }

    /// Enqueues the kernel, unless its accesses need waits on other streams: then it returns `None`. `owned` returns whether
    /// the stream with an ownership key owns the allocations of the arguments.
    ///
    /// # Safety
    ///
    /// As for [`DriverLaunch::enqueue`].
    #[inline]
    pub unsafe fn launch<'s>(
        &self,
        on: Option<&'s Arc<Stream>>,
        parameters: *mut *mut c_void,
        owned: impl Fn(u64) -> bool,
    ) -> Option<Launched<'s>> {
        if !self.is_exclusive(on, &owned) {
            return None;
        }
        // SAFETY: upheld by the caller.
        let result = unsafe { self.enqueue(on, parameters) };
        Some(Launched { result, unrecorded_on: (!self.is_exclusive(on, &owned)).then(|| self.stream(on)) })
    }

    /// Enqueues the kernel on `on`, or on the default stream.
    ///
    /// # Safety
    ///
    /// As for [`Module::launch`], with [`DriverLaunch::parameter`] for this stream as the last of the parameters. The stream is
    /// of the same GPU.
    #[inline]
    pub unsafe fn enqueue(&self, on: Option<&Arc<Stream>>, parameters: *mut *mut c_void) -> Result<(), CudaError> {
        let &DriverLaunch { primary, function, raw_stream, grid, block, shared_bytes, .. } = self;
        let raw_stream = on.map_or(raw_stream, |on| on.raw());
        let ([gx, gy, gz], [bx, by, bz], extra) = (grid, block, std::ptr::null_mut());
        primary.bind()?;
        // SAFETY: upheld by the caller; the function and the stream belong to the current context. The function is never
        // destroyed, and the stream is alive.
        unsafe {
            primary.driver.cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shared_bytes, raw_stream, parameters, extra)
        }
    }
}

/// The result of a fast-path launch.
pub struct Launched<'s> {
    /// The driver's status.
    pub result: Result<(), CudaError>,
    /// The stream, if meanwhile another stream was created or accessed one of the arrays: then the launch's accesses have to
    /// be recorded.
    pub unrecorded_on: Option<&'s Arc<Stream>>,
}
