//! GPUs: a context of the driver layer, with its limits in the types of the interface.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use crate::cuda::Context;
use crate::device::properties::Limits;
use crate::error::Result;
use crate::sync::Mutex;

/// The open GPUs by ordinal.
static OPEN: Mutex<BTreeMap<usize, Arc<Gpu>>> = Mutex::new(BTreeMap::new());

/// An open GPU. It lives as long as the process.
#[derive(Debug)]
pub(crate) struct Gpu {
    context: Arc<Context>,
    limits: Limits,
}

impl Gpu {
    /// Opens GPU number `ordinal`; every call returns the same one.
    ///
    /// # Errors
    ///
    /// [`DeviceError::NoDriver`](crate::DeviceError::NoDriver),
    /// [`DeviceError::NoSuchDevice`](crate::DeviceError::NoSuchDevice), or a CUDA driver error.
    pub(crate) fn open(ordinal: usize) -> Result<Arc<Gpu>> {
        let mut open = OPEN.lock();
        if let Some(gpu) = open.get(&ordinal) {
            return Ok(gpu.clone());
        }
        let context = Context::open(ordinal)?;
        let limits = Limits::from(context.limits());
        let gpu = Arc::new(Gpu { context, limits });
        open.insert(ordinal, gpu.clone());
        Ok(gpu)
    }

    /// Returns the limits of a launch.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }
}

impl Deref for Gpu {
    type Target = Arc<Context>;

    #[inline]
    fn deref(&self) -> &Arc<Context> {
        &self.context
    }
}
