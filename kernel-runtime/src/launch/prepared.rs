//! Prepared launches: checked once, launched many times.

use std::cell::Cell;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;

use super::plan::{Plan, is_traced};
use super::{Checked, Launch, Unchecked};
use crate::argument::{Binder, Values};
use crate::cuda::DriverLaunch;
use crate::error::Result;
use crate::kernel::Kernel;

/// A launch that has been checked, to be launched again and again with the same arguments: [`Launch::prepare`].
///
/// It keeps the borrows of its arrays, so that they are neither read nor changed by anything else meanwhile.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = grid(1);
///     if i < y.len() {
///         y[i] = a * x[i] + y[i];
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1.0, 2.0, 3.0])?;
/// let mut y = device.zeros(3)?;
/// let step = saxpy(0.5, &x, &mut y).over(3).prepare()?;
/// for _ in 0..10 {
///     step.launch()?;
/// }
/// assert_eq!(y.to_host()?, [5.0, 10.0, 15.0]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing runs until `.launch()`"]
pub struct Prepared<'a, K: Kernel, C = Checked> {
    launch: Launch<'a, K, C>,
    /// `None` for a launch over nothing.
    plan: Option<Plan>,
    /// For as long as the device has one stream.
    finished: Option<Finished>,
    /// Not `Sync`: two threads would launch with the same mutable borrow at once.
    one_thread: PhantomData<Cell<()>>,
}

impl<'a, K: Kernel, C> Launch<'a, K, C> {
    /// Checks the launch, and on a GPU compiles and loads the kernel, so that each [`Prepared::launch`] does neither.
    ///
    /// # Errors
    ///
    /// As for the launch itself.
    pub fn prepare(self) -> Result<Prepared<'a, K, C>> {
        let mut binder = Binder::new(K::INFO.name);
        let plan = self.planned(&mut binder, self.stream)?.map(|(_, plan)| plan);
        // Beside a stream that was made, others always have to be thought of.
        let alone = plan.as_ref().filter(|_| self.stream.is_none());
        let finished = alone.map_or(Ok(None), |plan| Finished::new(plan, binder))?;
        Ok(Prepared { launch: self, plan, finished, one_thread: PhantomData })
    }
}

impl<K: Kernel, C> Prepared<'_, K, C> {
    fn run(&self) -> Result<()> {
        match &self.finished {
            Some(Finished { ready, params, _values }) if ready.is_alone() && !is_traced() => {
                // The driver only reads the pointers (CUDA Driver API, `cuLaunchKernel`).
                let params = params.as_ptr().cast_mut();
                // SAFETY: the parameters are those of the kernel, in order, and ours is the last. The arrays are on this device
                // and borrowed by the launch; freeing them is ordered after it. The plan has compared the extents with the
                // device's limits.
                let launched = unsafe { ready.launch(params) };
                self.launch.behind(launched)
            }
            _ => self.run_plan(),
        }
    }

    #[inline(never)]
    fn run_plan(&self) -> Result<()> {
        self.plan.as_ref().map_or(Ok(()), |plan| self.launch.run_plan(plan))
    }
}

/// A launch with its parameters, side by side: little that a processor has to fetch anew behind each call of the driver.
struct Finished {
    ready: DriverLaunch,
    /// Pointers to the values.
    params: Vec<*mut c_void>,
    /// The driver reads them, through the pointers.
    _values: Values,
}

impl Finished {
    /// The launch by this plan with the parameters that the binder has seen; `None` where there is more to do than one call of
    /// the driver.
    fn new(plan: &Plan, binder: Binder<'_>) -> Result<Option<Finished>> {
        let (Some(ready), Some(module), true) = (plan.ready(), plan.module, binder.is_plain()) else { return Ok(None) };
        module.allow(plan.geometry().shared_bytes)?;
        let Binder { mut params, mut sizes, .. } = binder;
        let mut last = ready.parameter();
        if let Some(last) = &mut last {
            params.push(std::ptr::from_mut(last).cast());
            sizes.push(size_of_val(last) as u32);
        }
        // SAFETY: the binder has the address and the size of each parameter, and the one of ours has its own.
        let mut values = unsafe { Values::copy(&params, &sizes) };
        let params = values.pointers().into_vec();
        Ok(Some(Finished { ready, params, _values: values }))
    }
}

impl<K: Kernel> Prepared<'_, K, Checked> {
    /// Runs the kernel, as [`Launch::launch`] does.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`](crate::Error::Driver) where the GPU is in trouble; with arrays of the host among the arguments also
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and, where one of them goes out,
    /// [`Error::Fault`](crate::Error::Fault).
    pub fn launch(&self) -> Result<()> {
        self.run()
    }
}

impl<K: Kernel> Prepared<'_, K, Unchecked> {
    /// Runs the kernel, without checks of its indices on a GPU.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`](crate::Error::Driver) where the GPU is in trouble.
    ///
    /// # Safety
    ///
    /// No thread of this launch may index outside a slice or shared array.
    pub unsafe fn launch(&self) -> Result<()> {
        self.run()
    }
}

impl<K: Kernel, C> fmt::Debug for Prepared<'_, K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Prepared { launch, plan, finished: _, one_thread: _ } = self;
        f.debug_struct("Prepared").field("launch", launch).field("shape", &plan.map(|plan| plan.shape)).finish()
    }
}
