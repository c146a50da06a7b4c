//! Prepared launches: checked once, launched many times.

use std::cell::Cell;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::argument::Binder;
use crate::cuda::{Ready, Refusal};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::launch::{Checked, Launch, Unchecked};
use crate::plan::{Plan, is_traced};

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
        let plan = self.plan()?;
        let finished = plan.as_ref().map_or(Ok(None), |plan| self.finished(plan))?;
        Ok(Prepared { launch: self, plan, finished, one_thread: PhantomData })
    }

    /// The launch by this plan with its parameters; `None` where there is more to do than one call of the driver.
    fn finished(&self, plan: &Plan) -> Result<Option<Finished>> {
        // Beside a stream that was made, others always have to be thought of.
        if self.stream().is_some() {
            return Ok(None);
        }
        let mut binder = Binder::recording(K::INFO.name);
        self.bind(&mut binder);
        if !binder.is_plain() {
            return Ok(None);
        }
        let (Some(ready), Some(module)) = (plan.ready(), plan.module) else { return Ok(None) };
        module.allow(plan.geometry().shared_bytes)?;
        let Binder { params, sizes, .. } = &binder;
        // SAFETY: the binder has the address and the size of each parameter.
        Ok(Some(unsafe { Finished::new(ready, params, sizes) }))
    }
}

impl<K: Kernel, C> Prepared<'_, K, C> {
    fn run(&self) -> Result<()> {
        match &self.finished {
            Some(finished) if finished.ready.is_alone() && !is_traced() => {
                // SAFETY: the arrays are on this device and borrowed by the launch; freeing them is ordered after it. The plan
                // has compared the extents with the device's limits.
                let launched = unsafe { finished.launch() };
                self.launch.behind(&finished.ready, launched)
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
    ready: Ready,
    /// Pointers to the values.
    params: Vec<*mut c_void>,
    /// The bytes of the parameters, each from a word on. They may have padding. The driver reads them, through the pointers.
    _values: Vec<MaybeUninit<u64>>,
}

impl Finished {
    /// # Safety
    ///
    /// There are so many bytes at each of the parameters, which are those of the kernel, in order.
    unsafe fn new(ready: Ready, params: &[*mut c_void], sizes: &[u32]) -> Finished {
        let parameter = ready.parameter();
        let last = parameter.as_ref().map(|last| (std::ptr::from_ref(last).cast(), size_of_val(last)));
        let ours = params.iter().zip(sizes).map(|(&param, &bytes)| (param.cast_const(), bytes as usize));
        let all: Vec<(*const c_void, usize)> = ours.chain(last).collect();
        let words = all.iter().map(|(_, bytes)| bytes.div_ceil(size_of::<u64>())).sum();
        let mut values = vec![MaybeUninit::<u64>::uninit(); words];
        let (first, mut used) = (values.as_mut_ptr(), 0);
        let params = all.iter().map(|&(from, bytes)| {
            // SAFETY: the vector has a place of that many words for each parameter, one behind the other.
            let to = unsafe { first.add(used) }.cast::<c_void>();
            // SAFETY: the caller's promise, and as above.
            unsafe { from.cast::<u8>().copy_to_nonoverlapping(to.cast(), bytes) };
            used += bytes.div_ceil(size_of::<u64>());
            to
        });
        Finished { ready, params: params.collect(), _values: values }
    }

    /// # Safety
    ///
    /// As for [`Ready::launch`], but that the parameters are in order.
    #[inline]
    unsafe fn launch(&self) -> Result<(), Refusal> {
        // The driver reads them (CUDA Driver API, `cuLaunchKernel`).
        // SAFETY: the caller's promise.
        unsafe { self.ready.launch(self.params.as_ptr().cast_mut()) }
    }
}

impl<K: Kernel> Prepared<'_, K, Checked> {
    /// Runs the kernel, as [`Launch::launch`] does.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`](crate::Error::Driver) where the GPU is in trouble.
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
