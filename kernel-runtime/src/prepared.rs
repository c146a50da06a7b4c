//! Prepared launches: checked once, launched many times.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use crate::error::Result;
use crate::kernel::Kernel;
use crate::launch::{Checked, Launch, Unchecked};
use crate::plan::Plan;

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
        Ok(Prepared { launch: self, plan, one_thread: PhantomData })
    }
}

impl<K: Kernel, C> Prepared<'_, K, C> {
    fn run(&self) -> Result<()> {
        let Some(plan) = &self.plan else {
            return Ok(());
        };
        self.launch.run_plan(plan)
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
        let Prepared { launch, plan, one_thread: _ } = self;
        f.debug_struct("Prepared").field("launch", launch).field("shape", &plan.map(|plan| plan.shape)).finish()
    }
}
