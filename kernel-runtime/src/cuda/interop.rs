//! Contexts, streams and arrays of cudarc, shared without copies (feature `cudarc`).
//!
//! cudarc panics where it does not find the driver's library. Nothing here reaches it without an object of cudarc's, whose
//! maker has found it, but [`Device::to_cudarc`], which looks first.
//!
//! What ours does with memory of cudarc's happens on our stream, behind what was asked of the memory's own stream before, and
//! what is asked of that one later happens behind ours. Events do both, on the GPU: the host waits for neither.

use std::alloc::Layout;
use std::any::Any;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::Arc;

use cudarc::driver::sys::{CUdeviceptr, CUstream};
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice as _,
};

use super::context::Context;
use super::refusal::{Refusal, UNKNOWN};
use super::stream::{DISABLE_TIMING, Stream as RawStream, new_event};
use crate::argument::{ArraySlice, ForeignMemory, Location, ReadArgument, WriteArgument};
use crate::array::{DeviceArray, RawSlice};
use crate::cpu::access::{Access, Read, Write};
use crate::cpu::fault::{install_hook, quietly};
use crate::device::{Backend, Device};
use crate::error::{DeviceError, DriverFailure, Error, Result};
use crate::memory::Memory;
use crate::order::Lane;
use crate::stream::Stream;
use crate::sync::Mutex;
use crate::types::Element;

impl Device {
    /// The GPU of a context of cudarc's. Both use the GPU's primary context, and so share its memory.
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
    /// [`DeviceError::ForeignContext`] where it is another context than the primary one, and what [`Device::cuda`] says.
    pub fn from_cudarc(context: &Arc<CudaContext>) -> Result<Device> {
        let device = Device::cuda(context.ordinal())?;
        device.expect_context(context)?;
        Ok(device)
    }

    /// The GPU's context for cudarc, to make its streams and arrays in. Both use the GPU's primary context, and so share its
    /// memory.
    ///
    /// Every call gives the same `CudaContext`: cudarc orders the uses of a slice among the streams of one, and knows nothing of
    /// another, though both be of one GPU.
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
    /// [`DeviceError::ForeignContext`] for the CPU, which has no context; [`DeviceError::NoDriver`] where cudarc does not find
    /// the driver that we have found; and [`Error::Driver`](crate::Error::Driver) where that refuses.
    pub fn to_cudarc(&self) -> Result<Arc<CudaContext>> {
        // They are never released, as a device is not.
        static CONTEXTS: Mutex<BTreeMap<usize, Arc<CudaContext>>> = Mutex::new(BTreeMap::new());
        let Backend::Cuda(own) = self.backend() else {
            return Err(DeviceError::ForeignContext { device: self.to_string() }.into());
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
        let context = CudaContext::new(own.ordinal()).map_err(|error| refused("cuDevicePrimaryCtxRetain", error))?;
        // cudarc may have found another library than we have.
        self.expect_context(&context)?;
        // Another thread may have been faster: all get the same, and what is too much is dropped behind the lock.
        let known = CONTEXTS.lock().entry(own.ordinal()).or_insert_with(|| context.clone()).clone();
        Ok(known)
    }

    /// Whether the device is a GPU, and the context its primary one.
    fn expect_context(&self, context: &CudaContext) -> Result<()> {
        match self.backend() {
            Backend::Cuda(own) if own.primary().raw == context.cu_ctx() => Ok(()),
            _ => Err(DeviceError::ForeignContext { device: self.to_string() }.into()),
        }
    }

    /// What we hold of a GPU.
    fn own_context(&self) -> Result<&Context> {
        match self.backend() {
            Backend::Cuda(context) => Ok(context),
            Backend::Cpu(_) => Err(DeviceError::ForeignContext { device: self.to_string() }.into()),
        }
    }

    /// The stream of what names no other, as the driver's functions want it.
    fn default_lane(&self) -> Result<Arc<RawStream>> {
        Ok(self.own_context()?.default_stream().clone())
    }
}

impl Stream {
    /// A stream of cudarc's, for launches and copies of ours. What they do is ordered with what is asked of the stream
    /// through cudarc, as it is one stream.
    ///
    /// # Errors
    ///
    /// As for [`Device::from_cudarc`].
    pub fn from_cudarc(stream: &Arc<CudaStream>) -> Result<Stream> {
        let device = Device::from_cudarc(stream.context())?;
        // SAFETY: it is a stream of the primary context, which lives as long as this handle of it.
        let lane = unsafe { device.own_context()?.foreign_stream(stream.cu_stream(), Box::new(stream.clone())) }?;
        Ok(Stream::held(&device, Lane::Cuda(lane)))
    }

    /// This stream for cudarc: for its launches, and for libraries that take a stream of its.
    ///
    /// # Errors
    ///
    /// [`DeviceError::ForeignContext`] where the context is not the primary one of this stream's GPU.
    ///
    /// # Safety
    ///
    /// cudarc does not order this stream with its others by itself, as
    /// [`CudaContext::wrap_borrowed_stream`](cudarc::driver::CudaContext::wrap_borrowed_stream) says: memory of cudarc's
    /// that is used on this stream and on another must not be used on both at once.
    pub unsafe fn to_cudarc(&self, context: &Arc<CudaContext>) -> Result<Arc<CudaStream>> {
        self.device().expect_context(context)?;
        let Lane::Cuda(stream) = self.lane() else {
            return Err(DeviceError::ForeignContext { device: self.device().to_string() }.into());
        };
        if let Some(own) = stream.owner().and_then(|owner| owner.downcast_ref::<Arc<CudaStream>>()) {
            return Ok(own.clone());
        }
        // SAFETY: it is a stream of the context. Those that we make are never destroyed; the caller promises the rest.
        Ok(unsafe { context.wrap_borrowed_stream(stream.raw()) })
    }
}

impl<T: Element> DeviceArray<T> {
    /// An array of cudarc's, with its memory. cudarc frees it, behind all that uses it.
    ///
    /// # Errors
    ///
    /// As for [`Device::from_cudarc`].
    pub fn from_cudarc(mut slice: CudaSlice<T>) -> Result<DeviceArray<T>> {
        let device = Device::from_cudarc(slice.context())?;
        let (len, stream) = (slice.len(), slice.stream().clone());
        // The slice's own stream waits for all that was done with it on others.
        let (pointer, uses) = slice.device_ptr_mut(&stream);
        drop(uses);
        expect_no_error(&stream)?;
        let home = device.default_lane()?;
        let given = Given { slice: Some(slice), home: home.clone() };
        // SAFETY: the slice has `len` elements, and is kept until the memory is dropped.
        let memory =
            unsafe { memory_of::<T>((&device, &home), (pointer, len), stream.cu_stream(), Some(Box::new(given))) }?;
        Ok(DeviceArray::from_memory(memory, len))
    }

    /// The array for cudarc, with its memory: what is asked of `stream` from now on happens behind all that used it here, and
    /// so does what cudarc does with it on the other streams of its context, which it orders by events of its own. An
    /// array that came from cudarc is given back as it was, with the stream that it had.
    ///
    /// # Errors
    ///
    /// [`DeviceError::ForeignContext`] where `stream` is not of the primary context of the array's GPU, and what the driver
    /// refused; the array is then dropped.
    pub fn into_cudarc(self, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
        self.device().expect_context(stream.context())?;
        let (len, home) = (self.len(), self.device().default_lane()?);
        let Some((pointer, owner)) = self.into_memory().give_away(&home) else {
            return Err(foreign_owner(stream));
        };
        let slice = match owner.map(Box::<dyn Any + Send + Sync>::downcast::<Given<T>>) {
            None => {
                let is_empty = len * size_of::<T>() == 0;
                // Of no bytes there is no allocation, and cudarc frees one in any case: the least that there is.
                let pointer = if is_empty { home.alloc(1)? } else { pointer.addr() as CUdeviceptr };
                let made = leave(&home, stream.cu_stream()).map_err(Error::from).and_then(|()| {
                    // SAFETY: the memory was allocated in the GPU's pool, or by `cuMemAlloc` where there is none, which is
                    // how cudarc frees it. It has `len` elements, any bits of which are bits of a `T` that a kernel could
                    // have left.
                    unsafe { slice_at(pointer, len, stream) }
                });
                // SAFETY: then nobody else has the memory, which is of this GPU; its home waits for all that uses it.
                made.inspect_err(|_| unsafe { home.free(pointer) })?
            }
            Some(Ok(mut given)) => {
                let slice = given.slice.take().ok_or_else(|| foreign_owner(stream))?;
                leave(&home, slice.stream().cu_stream())?;
                slice
            }
            Some(Err(_other)) => return Err(foreign_owner(stream)),
        };
        written(slice)
    }
}

/// A slice of cudarc's that has become an array of ours. Its memory is dropped behind all that our stream does.
struct Given<T> {
    slice: Option<CudaSlice<T>>,
    home: Arc<RawStream>,
}

impl<T> Drop for Given<T> {
    fn drop(&mut self) {
        // cudarc frees the memory on the slice's stream.
        if let Some(slice) = self.slice.take() {
            leave_or_note(&self.home, slice.stream().cu_stream());
        }
    }
}

/// Lets a stream of cudarc's wait for ours, if need be on the host.
fn leave(home: &RawStream, stream: CUstream) -> Result<(), Refusal> {
    follow(home, stream, home.raw()).or_else(|_| home.wait())
}

/// As [`leave`], where nobody can be told of an error.
fn leave_or_note(home: &RawStream, stream: CUstream) {
    if let Err(refusal) = leave(home, stream) {
        home.primary().note_dropped(refusal);
    }
}

/// Makes a slice of an allocation. cudarc's own way panics where it gets no event, or where something else has gone wrong
/// meanwhile: so what it does is tried first, which gives the reason. In a program that aborts on panics, only what goes wrong
/// between the two is left to chance, and elsewhere nothing is.
///
/// # Errors
///
/// What the driver refused; the memory is then still the caller's.
///
/// # Safety
///
/// As for [`CudaStream::upgrade_device_ptr`].
unsafe fn slice_at<T>(pointer: CUdeviceptr, len: usize, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
    /// What went wrong only for a moment does not so often.
    const ATTEMPTS: usize = 3;
    let context = stream.context();
    install_hook();
    for _ in 0..ATTEMPTS {
        context.bind_to_thread().map_err(|error| refused("cuCtxSetCurrent", error))?;
        if context.is_event_tracking() {
            let events = [context.new_event(None), context.new_event(None)];
            events
                .into_iter()
                .try_for_each(|event| event.map(drop))
                .map_err(|error| refused("cuEventCreate", error))?;
            // They are gone again, and that may have been refused.
            expect_no_error(stream)?;
        }
        // SAFETY: the caller's promise.
        if let Some(slice) = quietly(|| unsafe { stream.upgrade_device_ptr(pointer, len) }) {
            return Ok(slice);
        }
    }
    Err(Refusal { call: "cuEventCreate", code: UNKNOWN }.into())
}

/// Tells cudarc that a slice is written by what its stream was asked for so far. cudarc lets its other streams wait for what it
/// recorded behind the slice's last use, and what a kernel of ours did is no use that it knows of.
fn written<T>(mut slice: CudaSlice<T>) -> Result<CudaSlice<T>> {
    let stream = slice.stream().clone();
    drop(slice.device_ptr_mut(&stream));
    expect_no_error(&stream)?;
    Ok(slice)
}

/// Asks cudarc whether all that it did so far went well: `device_ptr` and what it returns cannot say that a wait was refused, so
/// that nothing would be in order. cudarc keeps the last error for whoever asks next, and keeps none twice: it may also be that
/// of a destructor, as from any function of cudarc's.
fn expect_no_error(stream: &CudaStream) -> Result<()> {
    stream.context().check_err().map_err(|error| refused("what cudarc asked of it", error))
}

/// Memory of cudarc's, for what is asked of us from now on: behind what `theirs`, which it is used on, was asked for. Without an
/// owner it is lent.
///
/// # Safety
///
/// `pointer` is memory of the device with `len` elements for as long as `owner` lives, or else the result, used by others only on
/// `theirs`.
unsafe fn memory_of<T>(
    (device, home): (&Device, &Arc<RawStream>),
    (pointer, len): (CUdeviceptr, usize),
    theirs: CUstream,
    owner: Option<Box<dyn Any + Send + Sync>>,
) -> Result<Memory> {
    let layout = Layout::array::<T>(len).map_err(|_| crate::memory::no_room::<T>(device.to_string(), len))?;
    follow(home, home.raw(), theirs)?;
    let pointer = std::ptr::without_provenance_mut(usize::try_from(pointer).unwrap_or(0));
    let home = Stream::of(device, Lane::Cuda(home.clone()));
    match owner {
        // SAFETY: the caller's promise. The owner frees the memory, or gives it back, in the order of the home stream.
        Some(owner) => unsafe { Memory::foreign(&home, pointer, layout, owner) },
        // SAFETY: the caller's promise.
        None => unsafe { Memory::lent(&home, pointer, layout) },
    }
}

/// Lets what is asked of the stream `behind` from now on happen behind all that was asked of `before`. Both are of the context of
/// `home`.
fn follow(home: &RawStream, behind: CUstream, before: CUstream) -> Result<(), Refusal> {
    home.primary().bind()?;
    let driver = home.driver();
    let event = new_event(driver, DISABLE_TIMING)?;
    // SAFETY: the event and both streams are alive and of this context, which is current.
    let done = unsafe { driver.cuEventRecord(event, before).and_then(|()| driver.cuStreamWaitEvent(behind, event, 0)) };
    // SAFETY: the event is ours. Who was told to wait for it does so all the same (CUDA Driver API, `cuEventDestroy`).
    let destroyed = unsafe { driver.cuEventDestroy_v2(event) };
    done.and(destroyed)
}

/// Lends a slice to a launch. Its stream has been told to wait for those that use it.
///
/// # Safety
///
/// `over` may be called with the slice for as long as it is borrowed.
unsafe fn lend<'a, T: Element, M: Access>(
    (pointer, len): (CUdeviceptr, usize),
    stream: &Arc<CudaStream>,
    slice: NonNull<()>,
    over: unsafe fn(NonNull<()>, &Memory),
) -> ArraySlice<'a, T, M> {
    let memory = || -> Result<Memory> {
        expect_no_error(stream)?;
        let device = Device::from_cudarc(stream.context())?;
        let home = device.default_lane()?;
        // SAFETY: the slice is borrowed for `'a`, exclusively if the launch writes. cudarc's other uses of it are behind or
        // before those of its stream.
        unsafe { memory_of::<T>((&device, &home), (pointer, len), stream.cu_stream(), None) }
    };
    match memory() {
        Ok(memory) => {
            let raw = RawSlice { pointer: memory.pointer(), len };
            // SAFETY: the caller's promise; cudarc's slices may be used from any thread.
            let lent = unsafe { ForeignMemory::new(memory, slice, over) };
            ArraySlice::at(raw, Location::Foreign(Box::new(lent)))
        }
        Err(why) => ArraySlice::invalid(why),
    }
}

/// Lets what is asked of cudarc's stream from now on happen behind a launch that was lent memory.
fn behind_the_launch(memory: &Memory, stream: &CudaStream) {
    if let Lane::Cuda(home) = memory.home().lane() {
        memory.wait_for_all_uses(home);
        leave_or_note(home, stream.cu_stream());
    }
}

/// What is done behind a launch that reads: the slice's own stream is behind it, and then cudarc is told of the use.
///
/// # Safety
///
/// `slice` is a `&S` that is alive.
unsafe fn over_reading<T, S: DevicePtr<T>>(slice: NonNull<()>, memory: &Memory) {
    // SAFETY: the caller's promise.
    let slice = unsafe { slice.cast::<S>().as_ref() };
    behind_the_launch(memory, slice.stream());
    drop(slice.device_ptr(&slice.stream().clone()));
}

/// As [`over_reading`], for a launch that writes.
///
/// # Safety
///
/// `slice` is a `&mut S` that is alive.
unsafe fn over_writing<T, S: DevicePtrMut<T>>(slice: NonNull<()>, memory: &Memory) {
    // SAFETY: the caller's promise.
    let slice = unsafe { slice.cast::<S>().as_mut() };
    let stream = slice.stream().clone();
    behind_the_launch(memory, &stream);
    drop(slice.device_ptr_mut(&stream));
}

/// What a `&[T]` parameter takes of cudarc's. `device_ptr` lets the slice's stream wait for those that use it, and what it
/// returns is dropped to let them wait for that: once before the launch, for the address, and once behind it.
macro_rules! readable {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a, T: Element> ReadArgument<'a> for &'a $type {
            type Element = T;

            fn bind(self) -> ArraySlice<'a, T, Read> {
                let stream = self.stream().clone();
                let pointer = self.device_ptr(&stream).0;
                // SAFETY: the slice is borrowed for `'a`.
                unsafe { lend((pointer, self.len()), &stream, NonNull::from(self).cast(), over_reading::<T, $type>) }
            }
        }
    )*};
}

readable!(CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>);

/// What a `&mut [T]` parameter takes of cudarc's.
macro_rules! writable {
    ($($type:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a, T: Element> WriteArgument<'a> for &'a mut $type {
            type Element = T;

            fn bind(self) -> ArraySlice<'a, T, Write> {
                let stream = self.stream().clone();
                let len = self.len();
                let pointer = self.device_ptr_mut(&stream).0;
                // SAFETY: the slice is borrowed for `'a`, exclusively.
                unsafe { lend((pointer, len), &stream, NonNull::from(self).cast(), over_writing::<T, $type>) }
            }
        }
    )*};
}

writable!(CudaSlice<T>, CudaViewMut<'_, T>);

fn refused(call: &'static str, error: cudarc::driver::DriverError) -> Error {
    Refusal { call, code: error.0 as u32 }.into()
}

/// The memory belongs to another owner than an array of this type of cudarc's.
fn foreign_owner(stream: &CudaStream) -> Error {
    DeviceError::ForeignMemory { device: format!("cuda:{}", stream.context().ordinal()) }.into()
}
