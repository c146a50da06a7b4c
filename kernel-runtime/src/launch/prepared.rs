//! Prepared launches: validated once, enqueued many times.

use std::cell::Cell;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use super::checked::{CheckedLaunch, is_traced};
use super::{Checked, Launch, Unchecked};
use crate::argument::{Binder, PackedParams};
use crate::cuda::{self, DriverLaunch, Launched};
use crate::error::Result;
use crate::hazards::{AccessHistory, Tracked};
use crate::inspect::Kernel;
use crate::stream::Stream;

/// A validated launch that can be enqueued repeatedly with the same arguments, from [`Launch::prepare`].
///
/// It keeps the borrows of its arrays, so nothing else accesses a mutably borrowed array in the meantime.
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
    /// `None` for a launch that covers no items.
    checked: Option<CheckedLaunch>,
    /// The parameters, for a launch that is a single driver call.
    packed: Option<PackedLaunch>,
    /// Makes the type `!Sync`: two threads must not launch with the same mutable borrow concurrently.
    one_thread: PhantomData<Cell<()>>,
}

impl<'a, K: Kernel, C> Launch<'a, K, C> {
    /// Validates the launch, and on a GPU compiles and loads the kernel, so that [`Prepared::launch`] does neither.
    ///
    /// # Errors
    ///
    /// As for the launch itself.
    pub fn prepare(self) -> Result<Prepared<'a, K, C>> {
        let (launch, mut binder) = (self.erased(), Binder::new(K::INFO.name));
        let checked = launch.check(&mut binder, self.stream)?.map(|(_, checked)| checked);
        let on = self.stream.and_then(Stream::on_gpu);
        let packed = checked.as_ref().map_or(Ok(None), |checked| PackedLaunch::new(checked, on, binder))?;
        Ok(Prepared { launch: self, checked, packed, one_thread: PhantomData })
    }
}

impl<K: Kernel, C> Prepared<'_, K, C> {
    fn run(&self) -> Result<()> {
        match &self.packed {
            Some(PackedLaunch { driver_launch, params, _values, arrays }) if !is_traced() => {
                // The driver only reads the pointers (CUDA Driver API, `cuLaunchKernel`).
                let params = params.as_ptr().cast_mut();
                let owned = |key| {
                    arrays.iter().all(|(history, writable)| {
                        // SAFETY: it is part of the allocation, which the borrow of the array in `launch` keeps alive.
                        unsafe { history.as_ref() }.is_owned_by(key, *writable)
                    })
                };
                let on = self.launch.stream.and_then(Stream::on_gpu);
                // SAFETY: the parameters are those of the kernel, in order, followed by the launch parameter. The arrays are on
                // this device and borrowed by the launch; freeing them is ordered after it. Validation has compared the
                // extents with the device's limits.
                match unsafe { driver_launch.launch(on, params, owned) } {
                    Some(Launched { result: Ok(()), unrecorded_on: None }) => Ok(()),
                    Some(launched) => self.launch.erased().after_enqueue(launched),
                    // SAFETY: as above.
                    None => unsafe { self.launch.erased().enqueue_shared(driver_launch, on, params) },
                }
            }
            _ => self.run_checked(),
        }
    }

    #[inline(never)]
    fn run_checked(&self) -> Result<()> {
        self.checked.as_ref().map_or(Ok(()), |checked| self.launch.erased().run_checked(checked))
    }
}

/// A launch and its parameters in contiguous memory, so that few cache lines have to be fetched again after each driver call,
/// which evicts most of the cache.
struct PackedLaunch {
    driver_launch: DriverLaunch,
    /// Pointers into the values.
    params: Vec<*mut c_void>,
    /// Read by the driver, through the pointers.
    _values: PackedParams,
    /// The access histories of the arrays, and whether the kernel may write them. These are pointers, so that a prepared launch
    /// that is not used any more does not keep the arrays.
    arrays: Vec<(NonNull<AccessHistory>, bool)>,
}

impl PackedLaunch {
    /// Packs a validated launch with the parameters that the binder has collected. Returns `None` if the launch needs more
    /// than one driver call.
    fn new(
        checked: &CheckedLaunch,
        on: Option<&Arc<cuda::Stream>>,
        binder: Binder<'_>,
    ) -> Result<Option<PackedLaunch>> {
        let (Some(driver_launch), Some(module), true) =
            (checked.driver_launch(), checked.module, binder.is_launch_only())
        else {
            return Ok(None);
        };
        module.allow(checked.geometry().shared_bytes)?;
        let Binder { params, sizes, uses, .. } = binder;
        let arrays = uses.iter().filter(|used| !used.bytes.is_empty());
        let arrays = arrays.map(|used| (NonNull::from(used.memory.accesses()), used.writes)).collect();
        // SAFETY: the binder holds the address and the size of each parameter.
        let mut values = unsafe { PackedParams::copy(params, sizes, driver_launch.parameter(on)) };
        let params = values.pointers().into_vec();
        Ok(Some(PackedLaunch { driver_launch, params, _values: values, arrays }))
    }
}

impl<K: Kernel> Prepared<'_, K, Checked> {
    /// Enqueues the kernel, as [`Launch::launch`] does.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`](crate::Error::Driver) if the driver reports an error. With host arrays among the arguments also
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and, if one of them is copied back,
    /// [`Error::Fault`](crate::Error::Fault).
    pub fn launch(&self) -> Result<()> {
        self.run()
    }
}

impl<K: Kernel> Prepared<'_, K, Unchecked> {
    /// Enqueues the kernel, without bounds checks on a GPU.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`](crate::Error::Driver) if the driver reports an error.
    ///
    /// # Safety
    ///
    /// Every index, range and `split_at` position that a thread of this launch evaluates is in bounds: of slices, views, and
    /// shared and local arrays.
    pub unsafe fn launch(&self) -> Result<()> {
        self.run()
    }
}

impl<K: Kernel, C> fmt::Debug for Prepared<'_, K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Prepared { launch, checked, packed: _, one_thread: _ } = self;
        f.debug_struct("Prepared")
            .field("launch", launch)
            .field("config", &checked.map(|checked| checked.config))
            .finish()
    }
}
