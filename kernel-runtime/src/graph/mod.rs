//! Graphs: sequences of launches and copies that are enqueued as a whole.
//!
//! A graph is recorded anew in each run, and the recording is compared with the CUDA graph that was built in the
//! previous run. Hence the borrows of arrays last only as long as the run, and no memory that a kernel uses can be
//! freed or borrowed otherwise. Changed parameters are updated in the existing CUDA graph; only a different sequence of
//! steps builds a new one.

mod edges;
mod step;

use std::fmt;
use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use self::edges::{StepAccess, dependencies};
use self::step::{KernelStep, Operation, Step};
use crate::argument::{Binder, PackedParams};
use crate::array::check_length;
use crate::copy::{CopySource, CopyTarget, Region, RegionMemory, copy};
use crate::cuda::{self, Copy, CopyDirection, LaunchParameter};
use crate::error::{Error, GraphError, Result};
use crate::hazards::{self, MemoryAccess, StreamRef, Tracked};
use crate::inspect::Kernel;
use crate::launch::{Checked, CheckedLaunch, ErasedLaunch, Launch, Unchecked};
use crate::memory::{Contents, Memory, Use};
use crate::pinned::{GraphId, PinnedMemory, Reservation};
use crate::stream::Stream;
use cumbia_kernel_sync::event;

/// A sequence of launches and copies that is enqueued as a whole, repeatedly.
///
/// [`Graph::run`] records the steps and runs them. The first run builds a CUDA graph; a later run with the same kernels
/// and copies in the same order reuses it, with the arguments, arrays and grids of that run. The GPU then proceeds from
/// step to step without the host, and steps without a hazard between them may execute concurrently. Graphs pay off for
/// many short kernels, whose launch overhead exceeds their run time.
///
/// On the CPU each step runs when it is recorded.
///
/// ```
/// use cumbia::prelude::*;
/// use cumbia::Graph;
///
/// #[kernel]
/// fn step(dt: f32, velocity: &[f32], position: &mut [f32]) {
///     let i = grid(1);
///     if i < position.len() {
///         position[i] += dt * velocity[i];
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let velocity = device.to_device(&[1.0, 2.0])?;
/// let mut position = device.zeros(2)?;
/// let mut saved = device.zeros(2)?;
///
/// let mut graph = Graph::new(&device.stream()?);
/// for dt in [0.5, 0.25, 0.25] {
///     graph.run(|g| {
///         g.launch(step(dt, &velocity, &mut position).over(2))?;
///         g.launch(step(dt, &velocity, &mut position).over(2))?;
///         g.copy(&position, &mut saved)
///     })?;
/// }
/// assert_eq!(saved.to_host()?, [2.0, 4.0]);
/// # Ok(())
/// # }
/// ```
pub struct Graph {
    stream: Stream,
    recording: Recording,
    /// The CUDA graph of the previous run; `None` if it does not match the recorded steps any more.
    built: Option<BuiltGraph>,
    builds: usize,
}

/// An instantiated CUDA graph with its edges.
struct BuiltGraph {
    graph: cuda::Graph,
    /// The dependencies of each step.
    dependencies: Vec<Vec<usize>>,
}

/// The recorded steps, kept from run to run.
struct Recording {
    /// The identity under which page-locked memory is reserved.
    id: GraphId,
    steps: Vec<Step>,
    /// The number of steps recorded in this run.
    position: usize,
    /// Whether the sequence of steps differs from the previous run.
    steps_changed: bool,
    /// Whether a step accesses other memory than in the previous run.
    memory_changed: bool,
    /// The memory that this run accesses, kept alive until the launch has been recorded as an access.
    retained: Vec<RetainedMemory>,
    /// The page-locked memory that this run accesses.
    reservations: Vec<Reservation>,
    /// The counters of grid barriers, one per launch that has one.
    barriers: Vec<Memory>,
    /// The number of counters used in this run.
    barriers_used: usize,
}

/// Memory that is kept alive and reserved until the graph has been launched: see `hazards/mod.rs`.
struct RetainedMemory {
    memory: Memory,
    /// The accessed bytes.
    bytes: Range<usize>,
    writes: bool,
    /// The stream of the graph.
    stream: Arc<cuda::Stream>,
}

impl RetainedMemory {
    fn new(stream: &Arc<cuda::Stream>, memory: Memory, bytes: Range<usize>, writes: bool) -> RetainedMemory {
        memory.accesses().reserve(memory.stream_epoch(), stream, writes);
        RetainedMemory { memory, bytes, writes, stream: stream.clone() }
    }
}

impl Drop for RetainedMemory {
    fn drop(&mut self) {
        self.memory.accesses().cancel_reservation(&self.stream);
    }
}

impl Graph {
    /// Creates a graph that runs on a stream.
    pub fn new(stream: &Stream) -> Graph {
        Graph { stream: stream.clone(), recording: Recording::new(), built: None, builds: 0 }
    }

    /// Returns the stream on which the graph runs.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns how many times a CUDA graph was built: once, plus once for each run whose steps differ from the previous
    /// run's. 0 on the CPU.
    pub fn builds(&self) -> usize {
        self.builds
    }

    /// Records launches and copies, and enqueues them.
    ///
    /// On a GPU, no step executes before `record` returns, and this call is asynchronous, like a launch. Work that
    /// `record` enqueues without the recorder is ordered before all steps. If `record` returns an error, no step
    /// executes. On the CPU device, each step executes when it is recorded.
    ///
    /// # Errors
    ///
    /// The errors of `record`, or a CUDA driver error. Faults are reported by the next call that waits for the stream.
    pub fn run(&mut self, record: impl FnOnce(&mut Recorder<'_>) -> Result<()>) -> Result<()> {
        let Graph { stream, recording, built, builds } = self;
        let StreamRef::Cuda(raw_stream) = stream.stream_ref() else {
            return record(&mut Recorder { stream, recording: None });
        };
        // Restored only on success: after an error or a panic the recorded steps do not match the CUDA graph.
        let previous = built.take();
        recording.begin();
        let guard = RecordingGuard(recording);
        let recording = &mut *guard.0;
        record(&mut Recorder { stream, recording: Some(recording) })?;
        *built = recording.launch(stream, raw_stream, previous, builds)?;
        Ok(())
    }
}

/// A recording in progress. Releases the memory that was kept alive when dropped, even during a panic.
struct RecordingGuard<'s>(&'s mut Recording);

impl Drop for RecordingGuard<'_> {
    fn drop(&mut self) {
        self.0.release_memory();
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} steps on {})", self.recording.steps.len(), self.stream.device())
    }
}

/// The recorder of the steps of a [`Graph`].
pub struct Recorder<'g> {
    stream: &'g Stream,
    /// `None` on the CPU.
    recording: Option<&'g mut Recording>,
}

impl Recorder<'_> {
    /// Adds a launch.
    ///
    /// # Errors
    ///
    /// The errors of the launch, except [`Error::Driver`]; and [`Error::Graph`] if it cannot be part of a graph.
    #[allow(clippy::needless_pass_by_value, reason = "a launch is consumed, as in `Launch::launch`")]
    pub fn launch<K: Kernel>(&mut self, launch: Launch<'_, K, Checked>) -> Result<()> {
        self.add(launch.erased())
    }

    /// Adds a launch of a kernel without bounds checks.
    ///
    /// # Errors
    ///
    /// As for [`Recorder::launch`].
    ///
    /// # Safety
    ///
    /// Every index, range and `split_at` position that a thread of this launch evaluates is in bounds: of slices, views, and
    /// shared and local arrays.
    #[allow(clippy::needless_pass_by_value, reason = "as above")]
    pub unsafe fn launch_unchecked<K: Kernel>(&mut self, launch: Launch<'_, K, Unchecked>) -> Result<()> {
        self.add(launch.erased())
    }

    /// Adds a copy of all elements of `from` to `to`. Both are on the device of the graph, or one of them is a
    /// [`PinnedArray`](crate::PinnedArray), whose elements cannot be accessed until the run has been enqueued.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`], [`Error::StreamElsewhere`], or [`Error::Graph`] if the copy cannot be part of a
    /// graph.
    pub fn copy<S, T>(&mut self, from: &S, to: &mut T) -> Result<()>
    where
        S: CopySource + ?Sized,
        T: CopyTarget<Element = S::Element> + ?Sized,
    {
        let (source, target) = (from.source(), to.target());
        if let (RegionMemory::Pinned(_), RegionMemory::Pinned(_)) = (&source.memory, &target.memory) {
            return Err(GraphError::HostCopy.into());
        }
        let Some(recording) = &mut self.recording else {
            return copy(Some(self.stream), "copy", from, to);
        };
        check_length("copy", source.len, target.len)?;
        if source.bytes.is_empty() { Ok(()) } else { recording.copy(self.stream, &source, &target) }
    }

    fn add(&mut self, launch: &dyn ErasedLaunch) -> Result<()> {
        let kernel = launch.kernel().name;
        if launch.stream().is_some_and(|stream| stream != self.stream) {
            return Err(GraphError::OtherStream { kernel }.into());
        }
        let mut binder = Binder::new(kernel);
        let Some((device, checked)) = launch.check(&mut binder, Some(self.stream))? else {
            return Ok(()); // an empty launch
        };
        if !binder.transfers.is_empty() {
            return Err(GraphError::HostArgument { kernel }.into());
        }
        match &mut self.recording {
            Some(recording) => recording.kernel(self.stream, &checked, binder),
            None => launch.enqueue(device, Some(self.stream), &checked, binder),
        }
    }
}

impl fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorder(on {})", self.stream.device())
    }
}

impl Recording {
    fn new() -> Recording {
        Recording {
            id: GraphId::new(),
            steps: Vec::new(),
            position: 0,
            steps_changed: false,
            memory_changed: false,
            retained: Vec::new(),
            reservations: Vec::new(),
            barriers: Vec::new(),
            barriers_used: 0,
        }
    }

    fn begin(&mut self) {
        self.position = 0;
        self.barriers_used = 0;
        self.steps_changed = false;
        self.memory_changed = false;
        self.release_memory();
    }

    /// Adds a launch.
    fn kernel(&mut self, stream: &Stream, checked: &CheckedLaunch, binder: Binder<'_>) -> Result<()> {
        let kernel = checked.specialised.info.name;
        let Binder { params, uses, sizes, .. } = binder;
        let (StreamRef::Cuda(raw_stream), Some(module)) = (stream.stream_ref(), checked.module) else {
            unreachable!("a recording on a GPU implies a launch with a module");
        };
        let mut used = SmallVec::new();
        for used_memory in &uses {
            self.keep(raw_stream, used_memory, &mut used).ok_or(GraphError::ForeignArgument { kernel })?;
        }
        let grid_barrier = if checked.specialised.facts.syncs_grid {
            let bytes = size_of::<u64>();
            let (memory, address) = self.grid_barrier(stream)?;
            let barrier = StepAccess { memory: address, access: MemoryAccess { bytes: 0..bytes, writes: true } };
            self.retained.push(RetainedMemory::new(raw_stream, memory, 0..bytes, true));
            used.push(barrier.clone());
            self.add(Operation::Clear { to: address }, SmallVec::from_iter([barrier]));
            address
        } else {
            0
        };
        let prints = checked.specialised.interface(checked.layout).prints;
        let parameter = checked.parameter(raw_stream, 0, grid_barrier);
        // SAFETY: the binder returns a size for each parameter.
        let mut values = unsafe { PackedParams::copy(params, sizes, parameter) };
        let print_offset = prints.then(|| values.last() + offset_of!(LaunchParameter, print));
        // The buffer is only known at the launch. To avoid a spurious change, the previous run's is kept until then.
        if let (Some(at), Some(Step { operation: Operation::Kernel(old), .. })) =
            (print_offset, self.steps.get(self.position))
            && old.print_offset == print_offset
        {
            values.set(at, old.values.get(at));
        }
        let (kernel, geometry) = (checked.specialised.number, checked.geometry());
        self.add(Operation::Kernel(KernelStep { kernel, module, geometry, values, print_offset }), used);
        Ok(())
    }

    /// Adds a copy of bytes.
    fn copy(&mut self, stream: &Stream, from: &Region<'_>, to: &Region<'_>) -> Result<()> {
        let mut used = SmallVec::new();
        let bytes = from.bytes.len();
        let copy = match (&from.memory, &to.memory) {
            (RegionMemory::Device(source), RegionMemory::Device(target)) => {
                let from = self.device_side(stream, source, &from.bytes, false, &mut used)?;
                let to = self.device_side(stream, target, &to.bytes, true, &mut used)?;
                Copy { direction: CopyDirection::DeviceToDevice, to, from, bytes }
            }
            (RegionMemory::Pinned(source), RegionMemory::Device(target)) => {
                let to = self.device_side(stream, target, &to.bytes, true, &mut used)?;
                Copy {
                    direction: CopyDirection::HostToDevice,
                    to,
                    from: self.reserve(source, &from.bytes, false, &mut used)?,
                    bytes,
                }
            }
            (RegionMemory::Device(source), RegionMemory::Pinned(target)) => {
                let from = self.device_side(stream, source, &from.bytes, false, &mut used)?;
                Copy {
                    direction: CopyDirection::DeviceToHost,
                    to: self.reserve(target, &to.bytes, true, &mut used)?,
                    from,
                    bytes,
                }
            }
            (RegionMemory::Pinned(_), RegionMemory::Pinned(_)) => return Err(GraphError::HostCopy.into()),
        };
        self.add(Operation::Copy(copy), used);
        Ok(())
    }

    /// Keeps the device memory on one side of a copy alive, and returns its address.
    fn device_side(
        &mut self,
        stream: &Stream,
        memory: &Memory,
        bytes: &Range<usize>,
        writes: bool,
        used: &mut SmallVec<[StepAccess; 4]>,
    ) -> Result<u64> {
        if memory.device() != stream.device() {
            let (stream, device) = (stream.device().into(), memory.device().into());
            return Err(Error::StreamElsewhere { stream, device });
        }
        let StreamRef::Cuda(stream) = stream.stream_ref() else { unreachable!("recordings are on a GPU") };
        self.keep(stream, &Use { memory, bytes: bytes.clone(), writes }, used).ok_or(GraphError::ForeignCopy)?;
        Ok((memory.pointer().addr() + bytes.start) as u64)
    }

    /// Adds a step after the existing ones.
    fn add(&mut self, operation: Operation, accesses: SmallVec<[StepAccess; 4]>) {
        if let Some(step) = self.steps.get_mut(self.position) {
            match step.operation.replace(operation) {
                Some(changed) => step.changed |= changed,
                None => self.steps_changed = true,
            }
            self.memory_changed |= step.accesses != accesses;
            step.accesses = accesses;
        } else {
            self.steps_changed = true;
            self.steps.push(Step { operation, accesses, changed: false });
        }
        self.position += 1;
    }

    /// Keeps the memory that a step accesses alive, and reserves it; `None` if it was only borrowed.
    fn keep(
        &mut self,
        stream: &Arc<cuda::Stream>,
        Use { memory, bytes, writes }: &Use<'_>,
        used: &mut SmallVec<[StepAccess; 4]>,
    ) -> Option<()> {
        if bytes.is_empty() {
            return Some(());
        }
        let start = memory.pointer();
        used.push(StepAccess {
            memory: start.addr() as u64,
            access: MemoryAccess { bytes: bytes.clone(), writes: *writes },
        });
        let covers = |retained: &RetainedMemory| {
            retained.memory.pointer() == start && retained.bytes == *bytes && (retained.writes || !writes)
        };
        if !self.retained.iter().any(covers) {
            self.retained.push(RetainedMemory::new(stream, memory.keep()?, bytes.clone(), *writes));
        }
        Some(())
    }

    /// Reserves the page-locked memory of a copy, and returns its address.
    fn reserve(
        &mut self,
        memory: &Arc<PinnedMemory>,
        bytes: &Range<usize>,
        writes: bool,
        used: &mut SmallVec<[StepAccess; 4]>,
    ) -> Result<u64, GraphError> {
        if !memory.is_page_locked() {
            return Err(GraphError::HostCopy);
        }
        let access = MemoryAccess { bytes: bytes.clone(), writes };
        if !self.reservations.iter().any(|reservation| reservation.matches(memory, &access)) {
            self.reservations.push(Reservation::new(memory, self.id, access.clone())?);
        }
        used.push(StepAccess { memory: memory.address(0), access });
        Ok(memory.address(bytes.start))
    }

    /// Returns the next counter of a grid barrier, and its address.
    fn grid_barrier(&mut self, stream: &Stream) -> Result<(Memory, u64)> {
        if self.barriers_used == self.barriers.len() {
            self.barriers.push(Memory::allocate::<u64>(stream, 1, Contents::Nothing)?);
        }
        let memory = &self.barriers[self.barriers_used];
        self.barriers_used += 1;
        let address = memory.pointer().addr() as u64;
        Ok((memory.keep().expect("the counter is not borrowed memory"), address))
    }

    /// Enqueues the recorded steps, reusing the CUDA graph of the previous run if possible.
    fn launch(
        &mut self,
        stream: &Stream,
        raw_stream: &Arc<cuda::Stream>,
        previous: Option<BuiltGraph>,
        builds: &mut usize,
    ) -> Result<Option<BuiltGraph>> {
        if self.position < self.steps.len() {
            self.steps.truncate(self.position);
            self.steps_changed = true;
        }
        if self.steps.is_empty() {
            return Ok(None);
        }
        let (steps, on) = (self.steps.len(), raw_stream.clone());
        event!(trace, target: "cumbia::launch", graph = true, steps, stream = ?on);
        let (retained, reservations) = (std::mem::take(&mut self.retained), std::mem::take(&mut self.reservations));
        reservations.iter().try_for_each(|reservation| reservation.resolve_hazards(stream))?;
        let uses: SmallVec<[Use<'_>; 16]> = retained
            .iter()
            .map(|RetainedMemory { memory, bytes, writes, stream: _ }| Use {
                memory,
                bytes: bytes.clone(),
                writes: *writes,
            })
            .collect();
        let (mut built, prints) = (None, self.prints());
        // Before the turn of this graph begins, for which others wait, unless the buffer for the output is still unknown.
        let previous = if prints { previous } else { Some(self.update_or_build(raw_stream, previous, builds)?) };
        let launched = hazards::ordered(raw_stream, &uses, || {
            let launch = |print: u64| {
                self.set_print_buffer(print);
                let current = match previous {
                    Some(current) if !prints => current,
                    previous => self.update_or_build(raw_stream, previous, builds)?,
                };
                // SAFETY: the steps are launches and copies that were checked as such, on this GPU. Their memory is kept
                // alive until the launch has been recorded as an access, and freed in stream order after it; page-locked
                // memory tracks the copies.
                unsafe { current.graph.launch(raw_stream) }?;
                built = Some(current);
                Ok(())
            };
            if prints { Ok(raw_stream.launch_printing(launch)?) } else { Ok(launch(0)?) }
        });
        // Even if it failed: the copies may have been enqueued before the error.
        for reservation in reservations {
            reservation.commit(stream);
        }
        launched.map(|()| built)
    }

    /// Releases the memory of the run.
    fn release_memory(&mut self) {
        self.retained.clear();
        self.reservations.clear();
    }

    /// Returns whether a kernel prints.
    fn prints(&self) -> bool {
        self.steps
            .iter()
            .any(|step| matches!(step.operation, Operation::Kernel(KernelStep { print_offset: Some(_), .. })))
    }

    /// Sets the print buffer of the kernels that print.
    fn set_print_buffer(&mut self, print: u64) {
        for step in &mut self.steps {
            if let Operation::Kernel(KernelStep { values, print_offset: Some(at), .. }) = &mut step.operation {
                step.changed |= values.set(*at, print);
            }
        }
    }

    /// Updates the CUDA graph of the previous run, or builds a new one.
    fn update_or_build(
        &mut self,
        stream: &cuda::Stream,
        previous: Option<BuiltGraph>,
        builds: &mut usize,
    ) -> Result<BuiltGraph, cuda::CudaError> {
        let dependencies_of = |steps: &[Step]| dependencies(steps.iter().map(|step| step.accesses.as_slice()));
        let is_reusable = |built: &BuiltGraph| {
            !self.steps_changed && (!self.memory_changed || built.dependencies == dependencies_of(&self.steps))
        };
        if let Some(mut built) = previous.filter(is_reusable)
            // If the driver rejects an update, a new graph is built.
            && self.update(&mut built.graph).is_ok()
        {
            return Ok(built);
        }
        *builds += 1;
        let dependencies = dependencies_of(&self.steps);
        let steps = &mut self.steps;
        // SAFETY: as for the launch, which is the only use of the graph until its steps are updated.
        let graph = unsafe {
            let node = |step: usize, add: &mut dyn FnMut(cuda::Node<'_>) -> Result<(), cuda::CudaError>| {
                steps[step].operation.with_node(add)
            };
            cuda::Graph::build(stream, dependencies.len(), node, |step| &dependencies[step])?
        };
        self.steps.iter_mut().for_each(|step| step.changed = false);
        Ok(BuiltGraph { graph, dependencies })
    }

    /// Updates the nodes that differ in this run.
    fn update(&mut self, graph: &mut cuda::Graph) -> Result<(), cuda::CudaError> {
        for (number, step) in self.steps.iter_mut().enumerate().filter(|(_, step)| step.changed) {
            // SAFETY: as for the launch; `Operation::replace` has checked that the kind of the step is unchanged.
            step.operation.with_node(|node| unsafe { graph.set(number, node) })?;
            step.changed = false;
        }
        Ok(())
    }
}
