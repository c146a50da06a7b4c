//! The buffer that `println!` of a kernel appends to, in host memory that the GPU can write.
//!
//! A stream has two of them. Kernels append to one; to read it, launches are turned to the other, and all that was
//! launched on the stream is waited for. So no kernel appends to the buffer that is read. The memory is the host's,
//! because it is there even when the context is lost. What the words mean is `crate::print`'s work.

use std::io;
use std::ptr::NonNull;

use cudarc::driver::sys::CUdeviceptr;
use cumbia_kernel_ir::PRINT_HEADER_BYTES;

use super::driver::Driver;
use super::host::mapped;
use super::refusal::Refusal;
use crate::cpu::fault;
use crate::print;
use crate::sync::Mutex;

/// The size of a buffer, with its header.
const BYTES: usize = 1 << 20;

/// How many words a buffer has.
const WORDS: usize = (BYTES - PRINT_HEADER_BYTES) / 8;

/// The start of a buffer as the kernels know it: `struct Print` of the CUDA C that `kernel-ir` writes. Keep the two alike.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Header {
    /// Words that are taken; more than there are once something did not fit.
    used: u32,
    capacity: u32,
    /// Messages that did not fit.
    lost: u32,
    pad: u32,
}

const _: () = assert!(size_of::<Header>() == PRINT_HEADER_BYTES);

impl Header {
    const EMPTY: Header = Header { used: 0, capacity: WORDS as u32, lost: 0, pad: 0 };
}

/// The buffers of one stream.
#[derive(Default)]
pub(super) struct Prints {
    launching: Mutex<Launching>,
    /// Held while a buffer is read and emptied.
    reading: Mutex<()>,
    /// What was read and is to be written, in the order of the stream.
    read: Mutex<Messages>,
}

/// Messages of kernels.
#[derive(Default)]
struct Messages {
    text: String,
    /// Those that did not fit into a buffer.
    lost: u32,
}

/// What launches change.
#[derive(Default)]
struct Launching {
    /// Made by the first launch of a kernel that prints.
    buffers: Option<[Buffer; 2]>,
    /// The one that kernels append to.
    current: usize,
    /// A kernel that may append to it was launched.
    in_use: bool,
}

/// A buffer. It lives until the stream ends, or the process.
#[derive(Clone, Copy)]
struct Buffer {
    host: NonNull<Header>,
    device: CUdeviceptr,
}

// SAFETY: `host` is page-locked memory that lives as long as the buffers; the host touches it under `reading` only.
unsafe impl Send for Buffer {}

impl Messages {
    fn is_empty(&self) -> bool {
        self.text.is_empty() && self.lost == 0
    }
}

impl Prints {
    /// Launches a kernel that prints: `launch` gets the buffer's address, for the `print` member of `struct Launch`. The
    /// context is current.
    pub(super) fn launch(
        &self,
        driver: &Driver,
        launch: impl FnOnce(u64) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let mut state = self.launching.lock();
        let buffers = match state.buffers {
            Some(buffers) => buffers,
            None => *state.buffers.insert(Buffer::two(driver)?),
        };
        state.in_use = true;
        // Under the lock: whoever waits for the kernels that use the buffer has to find this one launched.
        launch(buffers[state.current].device)
    }

    /// Reads what kernels have printed, for [`Prints::write_out`]. `wait` waits for all of them.
    pub(super) fn read(&self, wait: impl FnOnce() -> Result<(), Refusal>) {
        // Most streams never print.
        if self.launching.lock().buffers.is_none() {
            return;
        }
        // Also where there is nothing to turn: another thread may be reading what a kernel of this one printed.
        let _reading = self.reading.lock();
        let Some(buffer) = self.turn() else { return };
        // Where waiting fails the context is lost, and no kernel runs any more.
        let _ = wait();
        // SAFETY: all kernels that were given this buffer are over, and launches are given the other one until the next
        // turn, which waits for `reading`.
        let (words, lost) = unsafe { buffer.take() };
        let text = print::decode(&words);
        // Still under `reading`: who reads the buffer next comes behind this.
        let mut read = self.read.lock();
        read.text.push_str(&text);
        read.lost = read.lost.saturating_add(lost);
    }

    /// Prints what was read. It waits for whoever has locked the standard output, who may wait for a lock of ours: so the
    /// caller has locked nothing.
    pub(super) fn write_out(&self) {
        if self.read.lock().is_empty() {
            return;
        }
        // Waits for hooks that run, which may want the output.
        fault::install_hook();
        // First the output, then the messages: else who takes the next ones could write them before these.
        let output = io::stdout().lock();
        let Messages { text, lost } = std::mem::take(&mut *self.read.lock());
        print::to_stdout(&text);
        // Who has locked the one may want the other.
        drop(output);
        print::report_lost(lost, BYTES);
    }

    /// Frees the buffers.
    ///
    /// # Safety
    ///
    /// No kernel and nobody else uses them any more.
    pub(super) unsafe fn free(&self, driver: &Driver) -> Result<(), Refusal> {
        let buffers = self.launching.lock().buffers.take();
        // SAFETY: the caller's promise.
        buffers.map_or(Ok(()), |[first, second]| unsafe { first.free(driver).and(second.free(driver)) })
    }

    /// Turns launches to the other buffer, and gives the one that kernels used.
    fn turn(&self) -> Option<Buffer> {
        let mut state = self.launching.lock();
        if !std::mem::take(&mut state.in_use) {
            return None;
        }
        let used = state.current;
        state.current = 1 - used;
        state.buffers.map(|buffers| buffers[used])
    }
}

impl Buffer {
    /// Allocates both buffers of a stream, or none, in the context that is current.
    fn two(driver: &Driver) -> Result<[Buffer; 2], Refusal> {
        let first = Buffer::new(driver)?;
        match Buffer::new(driver) {
            Ok(second) => Ok([first, second]),
            Err(refusal) => {
                // The first refusal says more than one of this.
                // SAFETY: nobody has the buffer.
                let _ = unsafe { first.free(driver) };
                Err(refusal)
            }
        }
    }

    /// Allocates an empty buffer in the context that is current.
    fn new(driver: &Driver) -> Result<Buffer, Refusal> {
        let (host, device) = mapped(driver, BYTES)?;
        // SAFETY: fresh page-locked memory of this size, aligned to a page.
        unsafe { Ok(Buffer::at(host.cast(), device)) }
    }

    /// # Safety
    ///
    /// `host` is aligned memory of [`BYTES`] that lives as long as the buffer is used.
    unsafe fn at(host: NonNull<Header>, device: CUdeviceptr) -> Buffer {
        // SAFETY: the caller's promise.
        unsafe {
            host.cast::<u8>().write_bytes(0, BYTES);
            host.write(Header::EMPTY);
        }
        Buffer { host, device }
    }

    /// Frees the buffer.
    ///
    /// # Safety
    ///
    /// No kernel and nobody else uses it any more.
    unsafe fn free(self, driver: &Driver) -> Result<(), Refusal> {
        // SAFETY: allocated by `mapped`, and the caller's promise.
        unsafe { driver.cuMemFreeHost(self.host.as_ptr().cast()) }
    }

    /// Takes the words out that are used, and says how many messages are lost. The buffer is then empty.
    ///
    /// # Safety
    ///
    /// Nothing else touches the buffer meanwhile.
    unsafe fn take(self) -> (Vec<u64>, u32) {
        // SAFETY: the header is initialised, and the caller's promise.
        let Header { used, capacity: _, lost, pad: _ } = unsafe { self.host.read_volatile() };
        let used = (used as usize).min(WORDS);
        // SAFETY: the words follow the header, which ends aligned for them.
        let words = unsafe { self.host.add(1).cast::<u64>() };
        // SAFETY: the buffer has at least `used` words, which are initialised, and the caller's promise.
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
        let memory = Box::leak(vec![0u64; BYTES / 8].into_boxed_slice());
        // SAFETY: the memory has that size, is aligned, and is never freed.
        unsafe { Buffer::at(NonNull::from(memory).cast(), 7) }
    }

    #[test]
    fn what_is_taken_is_gone() {
        let buffer = buffer();
        // SAFETY: nobody else has the buffer.
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
    fn launches_go_to_the_buffer_that_is_not_read() {
        let prints = Prints::default();
        assert!(prints.turn().is_none());
        let addresses = [1, 2].map(|device| Buffer { device, ..buffer() });
        *prints.launching.lock() = Launching { buffers: Some(addresses), current: 0, in_use: true };
        assert_eq!(prints.turn().map(|buffer| buffer.device), Some(1));
        assert!(prints.turn().is_none(), "nothing was launched meanwhile");
        prints.launching.lock().in_use = true;
        assert_eq!(prints.turn().map(|buffer| buffer.device), Some(2));
    }
}
