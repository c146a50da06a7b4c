//! Graphs: launches and copies that a GPU takes as a whole.
//!
//! A graph is recorded anew in each run, and what was recorded is compared with what was built: so the borrows of arrays last
//! only as long as the run, and nothing that a kernel uses can be gone or lent to others. What differs is set in the graph
//! that there is; only another sequence of steps makes another graph.

mod edges;
mod step;

use std::fmt;
use std::mem::offset_of;
use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use self::edges::{Used, waits};
use self::step::{Kernel as KernelStep, Step, Work};
use crate::argument::{Binder, PackedParams};
use crate::array::{CopySource, CopyTarget, Place, Region, check_length, copy};
use crate::cuda::{self, Copy, LaunchParameter, Way};
use crate::error::{Error, GraphError, Result};
use crate::kernel::Kernel;
use crate::launch::{Checked, CheckedLaunch, Launch, Unchecked};
use crate::memory::{Contents, Memory, Use};
use crate::order::{self, Lane, Touch};
use crate::pinned::{GraphNumber, PinnedMemory, Planned};
use crate::stream::Stream;
use crate::warning::event;

/// Launches and copies that are given to a GPU as a whole, again and again.
///
/// [`Graph::run`] records what is to happen and runs it. The first run builds a CUDA graph; a later one that has the same
/// kernels and copies in the same order uses it, with the arguments, arrays and grids of that run. The GPU then goes from step
/// to step without the host, and steps that share no array, or only read it, run beside each other. That is for many short
/// kernels, whose launches would take longer than they do.
///
/// On the CPU each step runs when it is recorded.
///
/// ```
/// use cumbia::prelude::*;
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
    script: Script,
    /// What was built of the script in the run before; `None` where it is not that any more.
    built: Option<Built>,
    builds: usize,
}

/// A graph in the form that a GPU launches.
struct Built {
    graph: cuda::Graph,
    /// For each step, those that it waits for.
    waits: Vec<Vec<usize>>,
}

/// What was recorded.
struct Script {
    /// Tells the page-locked memory whose copies are planned.
    number: GraphNumber,
    steps: Vec<Step>,
    /// How many of the steps are of this run.
    position: usize,
    /// There are other steps than in the run before.
    other_steps: bool,
    /// Steps use other memory than in the run before.
    other_memory: bool,
    /// The memory that this run uses. It is kept until the launch has been noted with it.
    kept: Vec<Kept>,
    /// The page-locked memory that this run uses.
    planned: Vec<Planned>,
    /// For each launch with a barrier of the grid, the count that the barrier needs.
    barriers: Vec<Memory>,
    /// How many of the counts are used in this run.
    barriers_used: usize,
}

/// Memory, and the bytes of it that are used.
struct Kept {
    memory: Memory,
    bytes: Range<usize>,
    writes: bool,
}

impl Graph {
    /// A graph that runs on a stream.
    pub fn new(stream: &Stream) -> Graph {
        Graph { stream: stream.clone(), script: Script::new(), built: None, builds: 0 }
    }

    /// The stream on which the graph runs.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// How often a CUDA graph had to be built: once, unless a run had other steps than the one before. 0 on the CPU.
    pub fn builds(&self) -> usize {
        self.builds
    }

    /// Records launches and copies, and runs them.
    ///
    /// On a GPU nothing runs before `record` returns, and then this returns at once, as a launch does: what `record` itself
    /// asks of the device, beside the recorder, comes before all of it. If it returns an error, nothing runs.
    ///
    /// # Errors
    ///
    /// That of `record`, or what the driver refused. Faults are given out by whoever waits for the stream.
    pub fn run(&mut self, record: impl FnOnce(&mut Recorder<'_>) -> Result<()>) -> Result<()> {
        let Graph { stream, script, built, builds } = self;
        let Lane::Cuda(lane) = stream.lane() else {
            return record(&mut Recorder { stream, script: None });
        };
        // Put back only when all went well: an error or a panic in between leaves steps that were not built so.
        let before = built.take();
        script.begin();
        let recording = Recording(script);
        let script = &mut *recording.0;
        record(&mut Recorder { stream, script: Some(script) })?;
        *built = script.launch(stream, lane, before, builds)?;
        Ok(())
    }
}

/// A script that is being recorded. Also if that panics, what it keeps is let go behind it.
struct Recording<'s>(&'s mut Script);

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        self.0.forget();
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} steps on {})", self.script.steps.len(), self.stream.device())
    }
}

/// Takes the steps of a [`Graph`].
pub struct Recorder<'g> {
    stream: &'g Stream,
    /// `None` on the CPU.
    script: Option<&'g mut Script>,
}

impl Recorder<'_> {
    /// Adds a launch.
    ///
    /// # Errors
    ///
    /// Those of the launch, but for [`Error::Driver`]; and [`Error::Graph`] where it cannot be part of a graph.
    #[allow(clippy::needless_pass_by_value, reason = "a launch is given up, as in `Launch::launch`")]
    pub fn launch<K: Kernel>(&mut self, launch: Launch<'_, K, Checked>) -> Result<()> {
        self.add(&launch)
    }

    /// Adds a launch of a kernel without checks of its indices.
    ///
    /// # Errors
    ///
    /// As for [`Recorder::launch`].
    ///
    /// # Safety
    ///
    /// No thread of this launch may index outside a slice or shared array.
    #[allow(clippy::needless_pass_by_value, reason = "as above")]
    pub unsafe fn launch_unchecked<K: Kernel>(&mut self, launch: Launch<'_, K, Unchecked>) -> Result<()> {
        self.add(&launch)
    }

    /// Adds a copy of all elements of `from` to `to`: both on the device of the graph, or one of them a
    /// [`PinnedArray`](crate::PinnedArray), whose elements cannot be looked at until the run has begun.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`], [`Error::StreamElsewhere`], or [`Error::Graph`] where it cannot be part of a graph.
    pub fn copy<S, T>(&mut self, from: &S, to: &mut T) -> Result<()>
    where
        S: CopySource + ?Sized,
        T: CopyTarget<Element = S::Element> + ?Sized,
    {
        let (source, target) = (from.source(), to.target());
        if let (Place::Pinned(_), Place::Pinned(_)) = (&source.place, &target.place) {
            return Err(GraphError::HostCopy.into());
        }
        let Some(script) = &mut self.script else {
            return copy(Some(self.stream), "copy", from, to);
        };
        check_length("copy", source.len, target.len)?;
        if source.bytes.is_empty() { Ok(()) } else { script.copy(self.stream, &source, &target) }
    }

    fn add<K: Kernel, C>(&mut self, launch: &Launch<'_, K, C>) -> Result<()> {
        let kernel = K::INFO.name;
        if launch.stream().is_some_and(|stream| stream != self.stream) {
            return Err(GraphError::OtherStream { kernel }.into());
        }
        let mut binder = Binder::new(kernel);
        let Some((device, plan)) = launch.check(&mut binder, Some(self.stream))? else {
            return Ok(()); // over nothing
        };
        if !binder.transfers.is_empty() {
            return Err(GraphError::HostArgument { kernel }.into());
        }
        match &mut self.script {
            Some(script) => script.kernel(self.stream, &plan, binder),
            None => launch.enqueue(device, Some(self.stream), &plan, binder),
        }
    }
}

impl fmt::Debug for Recorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recorder(on {})", self.stream.device())
    }
}

impl Script {
    fn new() -> Script {
        Script {
            number: GraphNumber::new(),
            steps: Vec::new(),
            position: 0,
            other_steps: false,
            other_memory: false,
            kept: Vec::new(),
            planned: Vec::new(),
            barriers: Vec::new(),
            barriers_used: 0,
        }
    }

    fn begin(&mut self) {
        self.position = 0;
        self.barriers_used = 0;
        self.other_steps = false;
        self.other_memory = false;
        self.forget();
    }

    /// Adds a launch.
    fn kernel(&mut self, stream: &Stream, plan: &CheckedLaunch, binder: Binder<'_>) -> Result<()> {
        let kernel = plan.specialised.info.name;
        let Binder { mut params, uses, mut sizes, .. } = binder;
        let (Lane::Cuda(lane), Some(module)) = (stream.lane(), plan.module) else {
            unreachable!("a graph has a script on a GPU, and a plan for that has a module");
        };
        let mut used = SmallVec::new();
        for used_memory in &uses {
            self.keep(used_memory, &mut used).ok_or(GraphError::ForeignArgument { kernel })?;
        }
        let grid_barrier = if plan.specialised.facts.syncs_grid {
            let bytes = size_of::<u64>();
            let (memory, address) = self.barrier(stream)?;
            let barrier = Used { memory: address, touch: Touch { bytes: 0..bytes, writes: true } };
            self.kept.push(Kept { memory, bytes: 0..bytes, writes: true });
            used.push(barrier.clone());
            self.add(Work::Clear { to: address }, SmallVec::from_iter([barrier]));
            address
        } else {
            0
        };
        let source = plan.specialised.source(plan.layout);
        let parameter = LaunchParameter::new(lane.fault_pointer(), plan.specialised.number);
        let mut parameter = LaunchParameter { grid_barrier, ..parameter };
        if source.takes_launch {
            params.push((&raw mut parameter).cast());
            sizes.push(size_of::<LaunchParameter>() as u32);
        }
        // SAFETY: the binder gives a size for each parameter, and the one of ours has its own.
        let mut values = unsafe { PackedParams::copy(&params, &sizes) };
        let print_at = source.prints.then(|| values.last() + offset_of!(LaunchParameter, print));
        // The buffer is known only at the launch. So as not to count as a change, it is the one of the run before for now.
        if let (Some(at), Some(Step { work: Work::Kernel(old), .. })) = (print_at, self.steps.get(self.position))
            && old.print_at == print_at
        {
            values.set(at, old.values.get(at));
        }
        self.add(Work::Kernel(KernelStep { module, geometry: plan.geometry(), values, print_at }), used);
        Ok(())
    }

    /// Adds a copy of some bytes.
    fn copy(&mut self, stream: &Stream, from: &Region<'_>, to: &Region<'_>) -> Result<()> {
        let mut used = SmallVec::new();
        let bytes = from.bytes.len();
        let copy = match (&from.place, &to.place) {
            (Place::Device(source), Place::Device(target)) => {
                let from = self.side(stream, source, &from.bytes, false, &mut used)?;
                let to = self.side(stream, target, &to.bytes, true, &mut used)?;
                Copy { way: Way::OnDevice, to, from, bytes }
            }
            (Place::Pinned(source), Place::Device(target)) => {
                let to = self.side(stream, target, &to.bytes, true, &mut used)?;
                Copy { way: Way::ToDevice, to, from: self.plan(source, &from.bytes, false, &mut used)?, bytes }
            }
            (Place::Device(source), Place::Pinned(target)) => {
                let from = self.side(stream, source, &from.bytes, false, &mut used)?;
                Copy { way: Way::ToHost, to: self.plan(target, &to.bytes, true, &mut used)?, from, bytes }
            }
            (Place::Pinned(_), Place::Pinned(_)) => return Err(GraphError::HostCopy.into()),
        };
        self.add(Work::Copy(copy), used);
        Ok(())
    }

    /// Keeps the memory of the device that is one side of a copy, and gives its address.
    fn side(
        &mut self,
        stream: &Stream,
        memory: &Memory,
        bytes: &Range<usize>,
        writes: bool,
        used: &mut SmallVec<[Used; 4]>,
    ) -> Result<u64> {
        if memory.device() != stream.device() {
            let (stream, device) = (stream.device().to_string(), memory.device().to_string());
            return Err(Error::StreamElsewhere { stream, device });
        }
        self.keep(&Use { memory, bytes: bytes.clone(), writes }, used).ok_or(GraphError::ForeignCopy)?;
        Ok((memory.pointer().addr() + bytes.start) as u64)
    }

    /// Adds a step behind those that there are.
    fn add(&mut self, work: Work, uses: SmallVec<[Used; 4]>) {
        if let Some(step) = self.steps.get_mut(self.position) {
            match step.work.replace(work) {
                Some(changed) => step.changed |= changed,
                None => self.other_steps = true,
            }
            self.other_memory |= step.uses != uses;
            step.uses = uses;
        } else {
            self.other_steps = true;
            self.steps.push(Step { work, uses, changed: false });
        }
        self.position += 1;
    }

    /// Keeps what a step uses; `None` where it was only lent.
    fn keep(&mut self, Use { memory, bytes, writes }: &Use<'_>, used: &mut SmallVec<[Used; 4]>) -> Option<()> {
        if bytes.is_empty() {
            return Some(());
        }
        let start = memory.pointer();
        used.push(Used { memory: start.addr() as u64, touch: Touch { bytes: bytes.clone(), writes: *writes } });
        match self.kept.iter_mut().find(|kept| kept.memory.pointer() == start && kept.bytes == *bytes) {
            Some(kept) => kept.writes |= writes,
            None => self.kept.push(Kept { memory: memory.keep()?, bytes: bytes.clone(), writes: *writes }),
        }
        Some(())
    }

    /// Keeps the page-locked memory of a copy, and gives its address.
    fn plan(
        &mut self,
        memory: &Arc<PinnedMemory>,
        bytes: &Range<usize>,
        writes: bool,
        used: &mut SmallVec<[Used; 4]>,
    ) -> Result<u64, GraphError> {
        if !memory.is_page_locked() {
            return Err(GraphError::HostCopy);
        }
        let touch = Touch { bytes: bytes.clone(), writes };
        if !self.planned.iter().any(|planned| planned.is(memory, &touch)) {
            self.planned.push(Planned::new(memory, self.number, touch.clone())?);
        }
        used.push(Used { memory: memory.address(0), touch });
        Ok(memory.address(bytes.start))
    }

    /// The next count for a barrier of the grid, and its address.
    fn barrier(&mut self, stream: &Stream) -> Result<(Memory, u64)> {
        if self.barriers_used == self.barriers.len() {
            self.barriers.push(Memory::allocate::<u64>(stream, 1, Contents::Nothing)?);
        }
        let memory = &self.barriers[self.barriers_used];
        self.barriers_used += 1;
        let address = memory.pointer().addr() as u64;
        Ok((memory.keep().expect("it was not lent"), address))
    }

    /// Gives what was recorded to the GPU, as the graph that was built of the run before where it will do.
    fn launch(
        &mut self,
        stream: &Stream,
        lane: &Arc<cuda::Stream>,
        before: Option<Built>,
        builds: &mut usize,
    ) -> Result<Option<Built>> {
        if self.position < self.steps.len() {
            self.steps.truncate(self.position);
            self.other_steps = true;
        }
        if self.steps.is_empty() {
            return Ok(None);
        }
        let (steps, on) = (self.steps.len(), lane.clone());
        event!(trace, target: "cumbia::launch", graph = true, steps, stream = ?on);
        let (kept, planned) = (std::mem::take(&mut self.kept), std::mem::take(&mut self.planned));
        planned.iter().try_for_each(|planned| planned.make_way(stream))?;
        let uses: SmallVec<[Use<'_>; 16]> = kept
            .iter()
            .map(|Kept { memory, bytes, writes }| Use { memory, bytes: bytes.clone(), writes: *writes })
            .collect();
        let (mut built, prints) = (None, self.prints());
        let launched = order::ordered(lane, &uses, || {
            let launch = |print: u64| {
                self.set_print(print);
                let ready = self.ready(lane, before, builds)?;
                // SAFETY: the steps are launches and copies that were checked as such, on this GPU. Their memory is kept until
                // the launch has been noted with it, and freed behind it; that of the host knows of the copies.
                unsafe { ready.graph.launch(lane) }?;
                built = Some(ready);
                Ok(())
            };
            if prints { Ok(lane.launch_printing(launch)?) } else { Ok(launch(0)?) }
        });
        // Also where it failed: the copies may have been asked for before that.
        for planned in planned {
            planned.note(stream);
        }
        launched.map(|()| built)
    }

    /// Lets go of the memory of the run.
    fn forget(&mut self) {
        self.kept.clear();
        self.planned.clear();
    }

    /// Whether one of the kernels prints.
    fn prints(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.work, Work::Kernel(KernelStep { print_at: Some(_), .. })))
    }

    /// Tells the kernels that print where to.
    fn set_print(&mut self, print: u64) {
        for step in &mut self.steps {
            if let Work::Kernel(KernelStep { values, print_at: Some(at), .. }) = &mut step.work {
                step.changed |= values.set(*at, print);
            }
        }
    }

    /// The graph of the run before, with what is different now, or a new one.
    fn ready(
        &mut self,
        stream: &cuda::Stream,
        before: Option<Built>,
        builds: &mut usize,
    ) -> Result<Built, cuda::Refusal> {
        let of_steps = |steps: &[Step]| waits(steps.iter().map(|step| step.uses.as_slice()));
        let is_alike =
            |built: &Built| !self.other_steps && (!self.other_memory || built.waits == of_steps(&self.steps));
        if let Some(mut built) = before.filter(is_alike)
            // What the driver does not want to be changed is built anew.
            && self.update(&mut built.graph).is_ok()
        {
            return Ok(built);
        }
        *builds += 1;
        let waits = of_steps(&self.steps);
        let steps = &mut self.steps;
        // SAFETY: as for the launch, which is the only use of the graph until its steps are set anew.
        let graph = unsafe {
            let node = |step: usize, add: &mut dyn FnMut(cuda::Node<'_>) -> Result<(), cuda::Refusal>| {
                steps[step].work.with_node(add)
            };
            cuda::Graph::build(stream, waits.len(), node, |step| &waits[step])?
        };
        self.steps.iter_mut().for_each(|step| step.changed = false);
        Ok(Built { graph, waits })
    }

    /// Sets what is different in this run.
    fn update(&mut self, graph: &mut cuda::Graph) -> Result<(), cuda::Refusal> {
        for (number, step) in self.steps.iter_mut().enumerate().filter(|(_, step)| step.changed) {
            // SAFETY: as for the launch; `Work::replace` has seen to it that the step is of the same sort.
            step.work.with_node(|node| unsafe { graph.set(number, node) })?;
            step.changed = false;
        }
        Ok(())
    }
}
