//! Streams: what is asked of one stream happens in order.

use std::fmt;

use crate::device::Device;

/// An order of work on a device: what is asked of a stream happens one after the other.
#[derive(Clone, PartialEq, Eq)]
pub struct Stream {
    device: Device,
}

impl Stream {
    /// The stream that a device has from the start.
    pub(crate) fn default_of(device: &Device) -> Stream {
        Stream { device: device.clone() }
    }

    /// The device that does the work.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream(on {})", self.device)
    }
}
