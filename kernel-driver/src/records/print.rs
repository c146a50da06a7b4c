//! Print buffers: the output of kernels as raw words, in host memory that the GPU can write.
//!
//! A stream has two buffers. Kernels append to one of them; to read it, launches are switched to the other one, and all
//! kernels launched on the stream are waited for. Hence no kernel appends to a buffer that is being read. Host memory
//! is used because it survives the loss of the context. The words have a meaning only for the launching layer.

use std::ptr::NonNull;

use crate::sys::CUdeviceptr;

use crate::driver::Driver;
use crate::error::CudaError;
use crate::records::alloc_mapped;
use crate::sync::Mutex;

/// The size of a print buffer in bytes, including its header.
pub const PRINT_BUFFER_BYTES: usize = 1 << 20;

/// The size of its header in bytes.
pub const PRINT_HEADER_BYTES: usize = size_of::<Header>();

/// The capacity of a buffer in words.
const WORDS: usize = (PRINT_BUFFER_BYTES - PRINT_HEADER_BYTES) / 8;

/// The header in the layout of the kernels, which reserve words and count the messages that did not fit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Header {
    /// The number of words reserved; exceeds the capacity once a message did not fit.
    used: u32,
    capacity: u32,
    /// The number of messages that did not fit.
    lost: u32,
    pad: u32,
}

impl Header {
    const EMPTY: Header = Header { used: 0, capacity: WORDS as u32, lost: 0, pad: 0 };
}

/// The print buffers of one stream.
#[derive(Default)]
pub(crate) struct PrintBuffers {
    launch_state: Mutex<LaunchState>,
    /// Held while a buffer is read and cleared.
    reading: Mutex<()>,
    /// The output that was read but not yet taken, in stream order.
    read: Mutex<Prints>,
}

/// The output of kernels.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Prints {
    /// The words of each buffer that was read, in stream order. A message that did not fit has left zeros at the end.
    pub buffers: Vec<Vec<u64>>,
    /// The number of messages that did not fit into a buffer.
    pub lost: u32,
}

/// The state that launches modify.
#[derive(Default)]
struct LaunchState {
    /// Allocated by the first launch of a kernel that prints.
    buffers: Option<[Buffer; 2]>,
    /// The index of the buffer that kernels append to.
    current: usize,
    /// Whether a kernel that may append to the current buffer has been launched.
    in_use: bool,
}

/// A print buffer, which lives as long as its stream.
#[derive(Clone, Copy)]
struct Buffer {
    host: NonNull<Header>,
    device: CUdeviceptr,
}

// SAFETY: `host` is page-locked memory that lives as long as the buffers; the host accesses it under `reading` only.
unsafe impl Send for Buffer {}

impl PrintBuffers {
    /// Launches a kernel that prints: `launch` receives the buffer's device address, for the `print` member of `struct
    /// Launch`. The context is current.
    pub(crate) fn launch(
        &self,
        driver: &Driver,
        launch: impl FnOnce(u64) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let mut state = self.launch_state.lock();
        let buffers = match state.buffers {
            Some(buffers) => buffers,
            None => *state.buffers.insert(Buffer::pair(driver)?),
        };
        state.in_use = true;
        // Under the lock: a reader that waits for the kernels of this buffer must find this one enqueued.
        launch(buffers[state.current].device)
    }

    /// Reads what kernels have printed, for [`PrintBuffers::take`]. `wait` waits for these kernels.
    pub(crate) fn collect(&self, wait: impl FnOnce() -> Result<(), CudaError>) {
        // Fast path: most streams never print.
        if self.launch_state.lock().buffers.is_none() {
            return;
        }
        // Even if there is nothing to switch: another thread may be reading the output of our kernel.
        let _reading = self.reading.lock();
        let Some(buffer) = self.swap() else { return };
        // If waiting fails, the context is lost, and no kernel runs any more.
        let _ = wait();
        // SAFETY: all kernels that use this buffer have completed, and launches use the other one until the next
        // switch, which requires `reading`.
        let (words, lost) = unsafe { buffer.take() };
        // Still under `reading`, so that the output is appended in stream order.
        let mut read = self.read.lock();
        if !words.is_empty() {
            read.buffers.push(words);
        }
        read.lost = read.lost.saturating_add(lost);
    }

    /// Returns whether there is output to take.
    pub(crate) fn has_output(&self) -> bool {
        let read = self.read.lock();
        !read.buffers.is_empty() || read.lost != 0
    }

    /// Returns whether no kernel has printed anything that remains to be read or taken.
    pub(crate) fn is_empty(&self) -> bool {
        !self.launch_state.lock().in_use && !self.has_output()
    }

    /// Takes the output that was read.
    pub(crate) fn take(&self) -> Prints {
        std::mem::take(&mut *self.read.lock())
    }

    /// Frees the buffers.
    ///
    /// # Safety
    ///
    /// Neither a kernel nor another thread accesses them any more.
    pub(crate) unsafe fn free(&self, driver: &Driver) -> Result<(), CudaError> {
        let buffers = self.launch_state.lock().buffers.take();
        // SAFETY: upheld by the caller.
        buffers.map_or(Ok(()), |[first, second]| unsafe { first.free(driver).and(second.free(driver)) })
    }

    /// Switches launches to the other buffer. Returns the previous one if a kernel may have appended to it.
    fn swap(&self) -> Option<Buffer> {
        let mut state = self.launch_state.lock();
        if !std::mem::take(&mut state.in_use) {
            return None;
        }
        let used = state.current;
        state.current = 1 - used;
        state.buffers.map(|buffers| buffers[used])
    }
}

impl Buffer {
    /// Allocates both buffers of a stream, or none, in the current context.
    fn pair(driver: &Driver) -> Result<[Buffer; 2], CudaError> {
        let first = Buffer::new(driver)?;
        match Buffer::new(driver) {
            Ok(second) => Ok([first, second]),
            Err(error) => {
                // The first error is the informative one.
                // SAFETY: the buffer is not shared.
                let _ = unsafe { first.free(driver) };
                Err(error)
            }
        }
    }

    /// Allocates an empty buffer in the current context.
    fn new(driver: &Driver) -> Result<Buffer, CudaError> {
        let (host, device) = alloc_mapped(driver, PRINT_BUFFER_BYTES)?;
        // SAFETY: fresh page-locked memory of this size, aligned to a page.
        unsafe { Ok(Buffer::at(host.cast(), device)) }
    }

    /// # Safety
    ///
    /// `host` is aligned memory of [`PRINT_BUFFER_BYTES`] that lives as long as the buffer is used.
    unsafe fn at(host: NonNull<Header>, device: CUdeviceptr) -> Buffer {
        // SAFETY: upheld by the caller.
        unsafe {
            host.cast::<u8>().write_bytes(0, PRINT_BUFFER_BYTES);
            host.write(Header::EMPTY);
        }
        Buffer { host, device }
    }

    /// Frees the buffer.
    ///
    /// # Safety
    ///
    /// Neither a kernel nor another thread accesses it any more.
    unsafe fn free(self, driver: &Driver) -> Result<(), CudaError> {
        // SAFETY: allocated by `alloc_mapped`; the rest is upheld by the caller.
        unsafe { driver.cuMemFreeHost(self.host.as_ptr().cast()) }
    }

    /// Drains the buffer: returns its words and the number of lost messages, and leaves it empty.
    ///
    /// # Safety
    ///
    /// Nothing else accesses the buffer meanwhile.
    unsafe fn take(self) -> (Vec<u64>, u32) {
        // SAFETY: the header is initialised; the rest is upheld by the caller.
        let Header { used, capacity: _, lost, pad: _ } = unsafe { self.host.read_volatile() };
        let used = (used as usize).min(WORDS);
        // SAFETY: the words follow the header, whose size keeps them aligned.
        let words = unsafe { self.host.add(1).cast::<u64>() };
        // SAFETY: the buffer has at least `used` words, all initialised; the rest is upheld by the caller.
        let taken = (0..used).map(|i| unsafe { words.add(i).read_volatile() }).collect();
        // SAFETY: as above.
        unsafe {
            words.write_bytes(0, used);
            self.host.write(Header::EMPTY);
        }
        (taken, lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer() -> Buffer {
        let memory = Box::leak(vec![0u64; PRINT_BUFFER_BYTES / 8].into_boxed_slice());
        // SAFETY: the memory has that size, is aligned, and is never freed.
        unsafe { Buffer::at(NonNull::from(memory).cast(), 7) }
    }

    #[test]
    fn draining_empties_the_buffer() {
        let buffer = buffer();
        // SAFETY: the buffer is not shared.
        unsafe {
            let words = buffer.host.add(1).cast::<u64>();
            words.write(11);
            words.add(1).write(12);
            buffer.host.write(Header { used: 2, lost: 3, ..Header::EMPTY });
            assert_eq!(buffer.take(), (vec![11, 12], 3));
            assert_eq!(words.read(), 0);
            buffer.host.write(Header { used: u32::MAX, ..Header::EMPTY });
            assert_eq!(buffer.take().0.len(), WORDS);
            assert_eq!(buffer.take(), (vec![], 0));
        }
    }

    #[test]
    fn launches_use_the_buffer_that_is_not_read() {
        let buffers = PrintBuffers::default();
        assert!(buffers.swap().is_none());
        let addresses = [1, 2].map(|device| Buffer { device, ..buffer() });
        *buffers.launch_state.lock() = LaunchState { buffers: Some(addresses), current: 0, in_use: true };
        assert_eq!(buffers.swap().map(|buffer| buffer.device), Some(1));
        assert!(buffers.swap().is_none(), "nothing was launched in between");
        buffers.launch_state.lock().in_use = true;
        assert_eq!(buffers.swap().map(|buffer| buffer.device), Some(2));
    }
}
