//! Zero-copy interoperation with the contexts, streams and arrays of cudarc (feature `cudarc`).
//!
//! cudarc panics if it does not find the driver library. Its functions are only reached here through an object of
//! cudarc's, whose creation has loaded the driver, except in [`Device::to_cudarc`], which checks first.
//!
//! Our work on memory of cudarc's executes on our stream, after all work enqueued so far on the memory's own stream,
//! and later work on that stream executes after ours. Both dependencies are events on the GPU; the host never waits.

use std::alloc::Layout;
use std::any::Any;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice as _,
};

use crate::argument::{ArraySlice, ForeignMemory, Location, ReadArgument, WriteArgument};
use crate::array::{DeviceArray, RawSlice};
use crate::cpu::fault::{install_hook, quietly};
use crate::cuda::{CUdeviceptr, CUstream, Context, CudaError, Stream as RawStream, UNKNOWN};
use crate::device::{Backend, Device};
use crate::error::{DeviceError, DeviceName, DriverFailure, Error, Result};
use crate::handles::access::{Access, Read, Write};
use crate::hazards::StreamRef;
use crate::memory::{Memory, allocate_on_gpu};
use crate::stream::Stream;
use crate::sync::Mutex;
use crate::types::DeviceType;

impl Device {
    /// Returns the GPU of a cudarc context. Both use the GPU's primary context, and so share its memory.
    ///
    /// ```
    /// # fn main() -> cumbia::Result<()> {
    /// # let _ = || -> Result<(), Box<dyn std::error::Error>> {
    /// use cudarc::driver::CudaContext;
    /// use cumbia::prelude::*;
    ///
    /// let context = CudaContext::new(0)?;
    /// let device = Device::from_cudarc(&context)?;
    /// let numbers = context.default_stream().clone_htod(&[1.0f32, 2.0, 3.0])?;
    /// let x = DeviceArray::from_cudarc(numbers)?; // the same memory
    /// assert_eq!(x.to_host()?, [1.0, 2.0, 3.0]);
    /// # Ok(())
    /// # };
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`DeviceError::ForeignContext`] if the context is not the primary one, and the errors of [`Device::cuda`].
    pub fn from_cudarc(context: &Arc<CudaContext>) -> Result<Device> {
        let device = Device::cuda(context.ordinal())?;
        device.check_context(context)?;
        Ok(device)
    }

    /// Returns the GPU's context as a cudarc context, to create streams and arrays in. Both use the GPU's primary
    /// context, and so share its memory.
    ///
    /// Every call returns the same `CudaContext`: cudarc orders the accesses to a slice between the streams of one
    /// `CudaContext`, and does not track those of another one, even for the same GPU.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use cumbia::prelude::*;
    ///
    /// let device = Device::cuda(0)?;
    /// let stream = device.to_cudarc()?.default_stream();
    /// let numbers = device.to_device(&[1.0f32, 2.0, 3.0])?;
    /// let numbers = numbers.into_cudarc(&stream)?; // the same memory
    /// assert_eq!(stream.clone_dtoh(&numbers)?, [1.0, 2.0, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`DeviceError::ForeignContext`] for the CPU, which has no context; [`DeviceError::NoDriver`] if cudarc does not
    /// find the driver that Cumbia has loaded; [`Error::Driver`](crate::Error::Driver) for a CUDA driver error.
    pub fn to_cudarc(&self) -> Result<Arc<CudaContext>> {
        // Never released, like the devices.
        static CONTEXTS: Mutex<BTreeMap<usize, Arc<CudaContext>>> = Mutex::new(BTreeMap::new());
        let Backend::Cuda(own) = self.backend() else {
            return Err(DeviceError::ForeignContext { device: self.into() }.into());
        };
        if let Some(context) = CONTEXTS.lock().get(&own.ordinal()) {
            return Ok(context.clone());
        }
        // SAFETY: loading the driver runs its initialisers, which every CUDA program runs.
        if !unsafe { cudarc::driver::sys::is_culib_present() } {
            let searched = vec!["the names that cudarc knows".to_owned()];
            let reason = DriverFailure::NotFoundByCudarc;
            return Err(DeviceError::NoDriver { searched, reason }.into());
        }
        let context =
            CudaContext::new(own.ordinal()).map_err(|error| driver_error("cuDevicePrimaryCtxRetain", error))?;
        // cudarc may have loaded another library than Cumbia.
        self.check_context(&context)?;
        // Another thread may have inserted one meanwhile: all callers get the same, and the surplus is dropped after
        // the lock.
        let known = CONTEXTS.lock().entry(own.ordinal()).or_insert_with(|| context.clone()).clone();
        Ok(known)
    }

    /// Checks that the device is a GPU, and that the context is its primary one.
    fn check_context(&self, context: &CudaContext) -> Result<()> {
        match self.backend() {
            Backend::Cuda(own) if own.primary().raw() == context.cu_ctx().cast() => Ok(()),
            _ => Err(DeviceError::ForeignContext { device: self.into() }.into()),
        }
    }

    /// Returns the context of a GPU.
    fn own_context(&self) -> Result<&Context> {
        match self.backend() {
            Backend::Cuda(context) => Ok(context),
            Backend::Cpu(_) => Err(DeviceError::ForeignContext { device: self.into() }.into()),
        }
    }

    /// Returns the raw default stream.
    fn raw_default_stream(&self) -> Result<Arc<RawStream>> {
        Ok(self.own_context()?.default_stream().clone())
    }
}

impl Stream {
    /// Wraps a cudarc stream for launches and copies. They are ordered with work enqueued on it through cudarc, since
    /// it is the same stream.
    ///
    /// # Errors
    ///
    /// As for [`Device::from_cudarc`].
    pub fn from_cudarc(stream: &Arc<CudaStream>) -> Result<Stream> {
        let device = Device::from_cudarc(stream.context())?;
        // SAFETY: a stream of the primary context, which lives as long as this handle to it.
        let raw = unsafe { device.own_context()?.foreign_stream(stream.cu_stream().cast(), Box::new(stream.clone())) }?;
        Ok(Stream::held(&device, StreamRef::Cuda(raw)))
    }

    /// Returns this stream as a cudarc stream, for launches of cudarc's and for libraries that take one.
    ///
    /// # Errors
    ///
    /// [`DeviceError::ForeignContext`] if the context is not the primary one of this stream's GPU.
    ///
    /// # Safety
    ///
    /// cudarc does not order this stream with its other streams, as
    /// [`CudaContext::wrap_borrowed_stream`](cudarc::driver::CudaContext::wrap_borrowed_stream) documents: memory of
    /// cudarc's that is used on this stream and on another one must not be used on both concurrently.
    pub unsafe fn to_cudarc(&self, context: &Arc<CudaContext>) -> Result<Arc<CudaStream>> {
        self.device().check_context(context)?;
        let StreamRef::Cuda(stream) = self.stream_ref() else {
            return Err(DeviceError::ForeignContext { device: self.device().into() }.into());
        };
        if let Some(own) = stream.owner().and_then(|owner| owner.downcast_ref::<Arc<CudaStream>>()) {
            return Ok(own.clone());
        }
        // SAFETY: a stream of the context. Streams created here are never destroyed; the rest is upheld by the caller.
        Ok(unsafe { context.wrap_borrowed_stream(stream.raw().cast()) })
    }
}

impl<T: DeviceType> DeviceArray<T> {
    /// Converts a cudarc slice into an array without copying. cudarc frees the memory, after all work that uses it.
    ///
    /// # Errors
    ///
    /// As for [`Device::from_cudarc`].
    pub fn from_cudarc(mut slice: CudaSlice<T>) -> Result<DeviceArray<T>> {
        let device = Device::from_cudarc(slice.context())?;
        let (len, stream) = (slice.len(), slice.stream().clone());
        // The slice's own stream waits for all accesses on other streams.
        let (pointer, uses) = slice.device_ptr_mut(&stream);
        drop(uses);
        check_error(&stream)?;
        let home = device.raw_default_stream()?;
        let converted = ConvertedSlice { slice: Some(slice), home: home.clone() };
        // SAFETY: the slice has `len` elements, and is kept until the memory is dropped.
        let memory = unsafe {
            memory_of::<T>((&device, &home), (pointer, len), stream.cu_stream().cast(), Some(Box::new(converted)))
        }?;
        Ok(DeviceArray::from_memory(memory, len))
    }

    /// Converts the array into a cudarc slice without copying. Later work on `stream` executes after all earlier
    /// accesses to the array, and so does cudarc's work on the other streams of its context, which cudarc orders by
    /// events of its own. An array that was created from a cudarc slice is returned as that slice, with its original
    /// stream.
    ///
    /// # Errors
    ///
    /// [`DeviceError::ForeignContext`] if `stream` does not belong to the primary context of the array's GPU, or a CUDA
    /// driver error; the array is then dropped.
    pub fn into_cudarc(self, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
        self.device().check_context(stream.context())?;
        let (len, home, device) = (self.len(), self.device().raw_default_stream()?, self.device().into());
        let Some((pointer, owner)) = self.into_memory().into_raw(&home) else {
            return Err(foreign_owner(device));
        };
        let slice = match owner.map(Box::<dyn Any + Send + Sync>::downcast::<ConvertedSlice<T>>) {
            None => {
                let is_empty = len * size_of::<T>() == 0;
                // An empty array has no allocation, but cudarc frees one in any case: allocate the minimum.
                let pointer = if is_empty { allocate_on_gpu(&home, 1)? } else { pointer.addr() as CUdeviceptr };
                // SAFETY: the stream is alive, and `check_context` has compared its context.
                let ordered = unsafe { make_wait(&home, stream.cu_stream().cast()) };
                let made = ordered.map_err(Error::from).and_then(|()| {
                    // SAFETY: the memory was allocated from the GPU's pool, or by `cuMemAlloc` if there is none, which
                    // matches how cudarc frees it. It has `len` elements, and a kernel can only have left valid values
                    // of `T`.
                    unsafe { slice_at(pointer, len, stream) }
                });
                // SAFETY: on failure the memory is not shared; it belongs to this GPU, and its home stream waits for
                // all accesses.
                made.inspect_err(|_| unsafe { home.free(pointer) })?
            }
            Some(Ok(mut converted)) => {
                let slice = converted.slice.take().ok_or_else(|| foreign_owner(device))?;
                // SAFETY: the slice keeps its stream alive; `from_cudarc` has compared its context.
                unsafe { make_wait(&home, slice.stream().cu_stream().cast()) }?;
                slice
            }
            Some(Err(_other)) => return Err(foreign_owner(device)),
        };
        mark_written(slice)
    }
}

/// A cudarc slice that was converted into an array. Its memory is freed after all work of our stream.
struct ConvertedSlice<T> {
    slice: Option<CudaSlice<T>>,
    home: Arc<RawStream>,
}

impl<T> Drop for ConvertedSlice<T> {
    fn drop(&mut self) {
        // cudarc frees the memory on the slice's stream.
        if let Some(slice) = self.slice.take() {
            // SAFETY: the slice keeps its stream alive; `from_cudarc` has compared its context.
            unsafe { make_wait_or_note(&self.home, slice.stream().cu_stream().cast()) };
        }
    }
}

/// Makes a cudarc stream wait for ours; waits on the host if that fails.
///
/// # Safety
///
/// `stream` is alive and belongs to the context of `home`.
unsafe fn make_wait(home: &RawStream, stream: CUstream) -> Result<(), CudaError> {
    // SAFETY: upheld by the caller.
    unsafe { home.add_dependency(stream, home.raw()) }.or_else(|_| home.wait())
}

/// Like [`make_wait`], but keeps an error in the context, for destructors.
///
/// # Safety
///
/// As for [`make_wait`].
unsafe fn make_wait_or_note(home: &RawStream, stream: CUstream) {
    // SAFETY: upheld by the caller.
    if let Err(error) = unsafe { make_wait(home, stream) } {
        home.primary().note_drop_error(error);
    }
}

/// Creates a cudarc slice from an allocation. cudarc's own constructor panics if it cannot create an event, or if an
/// unrelated asynchronous error is pending. So its steps are tried first, which also yields the reason of a failure. A
/// panic that still occurs is caught; only in a program that aborts on panics is a failure between the two fatal.
///
/// # Errors
///
/// A CUDA driver error; the caller then still owns the memory.
///
/// # Safety
///
/// As for [`CudaStream::upgrade_device_ptr`].
unsafe fn slice_at<T>(pointer: CUdeviceptr, len: usize, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
    /// A transient failure does not recur this often.
    const ATTEMPTS: usize = 3;
    let context = stream.context();
    install_hook();
    for _ in 0..ATTEMPTS {
        context.bind_to_thread().map_err(|error| driver_error("cuCtxSetCurrent", error))?;
        if context.is_event_tracking() {
            let events = [context.new_event(None), context.new_event(None)];
            events
                .into_iter()
                .try_for_each(|event| event.map(drop))
                .map_err(|error| driver_error("cuEventCreate", error))?;
            // Destroying the events may have failed.
            check_error(stream)?;
        }
        // SAFETY: upheld by the caller.
        if let Some(slice) = quietly(|| unsafe { stream.upgrade_device_ptr(pointer, len) }) {
            return Ok(slice);
        }
    }
    Err(CudaError { call: "cuEventCreate", code: UNKNOWN }.into())
}

/// Tells cudarc that the work enqueued on a slice's stream so far writes the slice. cudarc makes its other streams wait
/// for the event that it recorded after the slice's last use, and it does not track uses by our kernels.
fn mark_written<T>(mut slice: CudaSlice<T>) -> Result<CudaSlice<T>> {
    let stream = slice.stream().clone();
    drop(slice.device_ptr_mut(&stream));
    check_error(&stream)?;
    Ok(slice)
}

/// Returns the pending error of cudarc, if any. `device_ptr` and its guard cannot return an error of a wait, which
/// would leave the accesses unordered. cudarc keeps only the last error, which may also stem from a destructor, as for
/// any function of cudarc's.
fn check_error(stream: &CudaStream) -> Result<()> {
    stream.context().check_err().map_err(|error| driver_error("a call of cudarc", error))
}

/// Wraps memory of cudarc's for our operations, which are ordered after all work enqueued so far on `theirs`, the
/// stream it is used on. Without an owner, the memory is borrowed.
///
/// # Safety
///
/// `pointer` is memory of the device with `len` elements for as long as `owner`, or else the result, lives; others use
/// it only on `theirs`, a live stream of the device.
unsafe fn memory_of<T>(
    (device, home): (&Device, &Arc<RawStream>),
    (pointer, len): (CUdeviceptr, usize),
    theirs: CUstream,
    owner: Option<Box<dyn Any + Send + Sync>>,
) -> Result<Memory> {
    let layout = Layout::array::<T>(len).map_err(|_| crate::memory::no_room::<T>(device.into(), len))?;
    // SAFETY: upheld by the caller.
    unsafe { home.add_dependency(home.raw(), theirs) }?;
    let pointer = std::ptr::without_provenance_mut(usize::try_from(pointer).unwrap_or(0));
    let home = Stream::of(device, StreamRef::Cuda(home.clone()));
    match owner {
        // SAFETY: upheld by the caller. The owner frees the memory in the order of the home stream.
        Some(owner) => unsafe { Memory::foreign(&home, pointer, layout, owner) },
        // SAFETY: upheld by the caller.
        None => unsafe { Memory::borrowed(&home, pointer, layout) },
    }
}

/// Borrows a slice for a launch. Its stream already waits for all earlier uses.
///
/// # Safety
///
/// `over` may be called with the slice for as long as it is borrowed.
unsafe fn borrow_for_launch<'a, T: DeviceType, M: Access>(
    (pointer, len): (CUdeviceptr, usize),
    stream: &Arc<CudaStream>,
    slice: NonNull<()>,
    over: unsafe fn(NonNull<()>, &Memory),
) -> ArraySlice<'a, T, M> {
    let memory = || -> Result<Memory> {
        check_error(stream)?;
        let device = Device::from_cudarc(stream.context())?;
        let home = device.raw_default_stream()?;
        // SAFETY: the slice is borrowed for `'a`, exclusively if the launch writes. cudarc orders its other uses of the
        // slice with the slice's stream.
        unsafe { memory_of::<T>((&device, &home), (pointer, len), stream.cu_stream().cast(), None) }
    };
    match memory() {
        Ok(memory) => {
            let raw = RawSlice { pointer: memory.pointer(), len };
            // SAFETY: upheld by the caller; cudarc's slices may be used from any thread.
            let lent = unsafe { ForeignMemory::new(memory, slice, over) };
            ArraySlice::at(raw, Location::Foreign(Box::new(lent)))
        }
        Err(why) => ArraySlice::invalid(why),
    }
}

/// Makes later work of the cudarc stream wait for a launch that borrowed memory.
fn after_launch(memory: &Memory, stream: &CudaStream) {
    if let StreamRef::Cuda(home) = memory.home().stream_ref() {
        memory.wait_for_all_uses(home);
        // SAFETY: the stream is alive, and `Device::from_cudarc` has compared its context.
        unsafe { make_wait_or_note(home, stream.cu_stream().cast()) };
    }
}

/// Completes a launch that reads: the slice's own stream waits for it, and then cudarc records the use.
///
/// # Safety
///
/// `slice` is a live `&S`.
unsafe fn complete_read<T, S: DevicePtr<T>>(slice: NonNull<()>, memory: &Memory) {
    // SAFETY: upheld by the caller.
    let slice = unsafe { slice.cast::<S>().as_ref() };
    after_launch(memory, slice.stream());
    drop(slice.device_ptr(&slice.stream().clone()));
}

/// Like [`complete_read`], for a launch that writes.
///
/// # Safety
///
/// `slice` is a live `&mut S`.
unsafe fn complete_write<T, S: DevicePtrMut<T>>(slice: NonNull<()>, memory: &Memory) {
    // SAFETY: upheld by the caller.
    let slice = unsafe { slice.cast::<S>().as_mut() };
    let stream = slice.stream().clone();
    after_launch(memory, &stream);
    drop(slice.device_ptr_mut(&stream));
}

/// The types of cudarc that are accepted for a `&[T]` parameter. `device_ptr` makes the slice's stream wait for other
/// uses, and dropping its guard records a use for later waits: once before the launch, for the address, and once after
/// it.
macro_rules! readable {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: DeviceType> ReadArgument for $type {
            type Element = T;

            fn bind(&self) -> ArraySlice<'_, T, Read> {
                let stream = self.stream().clone();
                let pointer = self.device_ptr(&stream).0;
                // SAFETY: the slice is borrowed for the lifetime of the result.
                unsafe { borrow_for_launch((pointer, self.len()), &stream, NonNull::from(self).cast(), complete_read::<T, $type>) }
            }
        }
    )*};
}

readable!(CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>);

/// The types of cudarc that are accepted for a `&mut [T]` parameter.
macro_rules! writable {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T: DeviceType> WriteArgument for $type {
            type Element = T;

            fn bind_mut(&mut self) -> ArraySlice<'_, T, Write> {
                let stream = self.stream().clone();
                let len = self.len();
                let pointer = self.device_ptr_mut(&stream).0;
                // SAFETY: the slice is borrowed for the lifetime of the result, exclusively.
                unsafe { borrow_for_launch((pointer, len), &stream, NonNull::from(self).cast(), complete_write::<T, $type>) }
            }
        }
    )*};
}

writable!(CudaSlice<T>, CudaViewMut<'_, T>);

fn driver_error(call: &'static str, error: cudarc::driver::DriverError) -> Error {
    CudaError { call, code: error.0 as u32 }.into()
}

/// Returns the error for memory of a device whose owner is not a cudarc slice of this type.
fn foreign_owner(device: DeviceName) -> Error {
    DeviceError::ForeignMemory { device }.into()
}
