//! Reduction of an array to a value, in one launch.
//!
//! Each block reduces a chunk of consecutive elements to a partial result. The block that finishes last reduces the partial results.
//! The chunks depend on the length of the array alone, so that the tree of operations is the same in each launch and on each device.

pub(crate) mod chunks;

use cumbia::error::ArrayArgument;
use cumbia::{ArrayView1, DeviceArray, DeviceSlice, DeviceType, Recorder, Result, Stream};

use crate::adjacent::adjacent;
use crate::arrays::{Input, require_same_length, view_of};
use crate::operator::{Function1, Function2, Identity};
use crate::queue::{Held, Queue, StepsIn, first, read_first, suffices};
use crate::reduce::chunks::{Chunks, Mapping, OfOne, OfTwo, TILE, assert_reducible, reduce_chunk_alone, reduce_chunks};

/// The maximum number of blocks: an H100 or H200 holds as many at once if a thread has up to 64 registers.
const MAX_BLOCKS: usize = 264;

/// The maximum number of blocks if the operands cannot be exchanged. Blocks are slower then, and have more registers.
const MAX_BLOCKS_IN_ORDER: usize = 3 * MAX_BLOCKS;

/// The maximum number of blocks for a long array, of [`LONG`] elements or more. With any number of resident blocks on a
/// multiprocessor, the multiprocessors are equally loaded.
const MAX_BLOCKS_OF_LONG: usize = 6 * MAX_BLOCKS;

/// The number of elements from which on an array is long.
const LONG: usize = 1 << 27;

/// Reduces an array to a value: `operator(.. operator(operator(initial, x[0]), x[1]) .., x[n - 1])`, with any parentheses.
///
/// The operator has to be associative. The order of its operands is kept. An empty array yields `initial`. Values have at most 1024
/// bytes: a larger type does not compile.
///
/// The parentheses depend on the length of the array alone, so that the result is the same in each launch, and on each device
/// that computes the operator in the same way. In the sum of n floating-point numbers each number takes part in at most
/// n / 2¹⁷ + 60 additions, which bounds the relative error, in units of the last place, of a sum of positive numbers.
///
/// ```
/// use cumbia::algorithm::{Maximum, Plus, reduce};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let x = Device::open()?.to_device(&[3.0f32, -1.0, 4.0])?;
/// assert_eq!(reduce(&x, 0.0, Plus).value()?, 6.0);
/// assert_eq!(reduce(&x.slice(..2)?, f32::MIN, Maximum).value()?, 3.0);
/// # Ok(())
/// # }
/// ```
pub fn reduce<T: DeviceType, F: Function2<T, T, Output = T>>(
    x: &(impl Input<Element = T> + ?Sized),
    initial: T,
    operator: F,
) -> Reduce<'_, T, u8, OfOne<Identity>, T, F> {
    transform_reduce(x, Identity, initial, operator)
}

/// Reduces the results of a function of the elements, as [`reduce`] does, without storing them.
///
/// ```
/// use cumbia::algorithm::{Function1, Plus, transform_reduce};
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Square;
///
/// #[device]
/// impl Function1<f32> for Square {
///     type Output = f32;
///
///     fn call(self, a: f32) -> f32 {
///         a * a
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let x = Device::open()?.to_device(&[1.0, 2.0, 3.0])?;
/// assert_eq!(transform_reduce(&x, Square, 0.0, Plus).value()?, 14.0);
/// # Ok(())
/// # }
/// ```
pub fn transform_reduce<A: DeviceType, M: Function1<A>, F: Function2<M::Output, M::Output, Output = M::Output>>(
    x: &(impl Input<Element = A> + ?Sized),
    map: M,
    initial: M::Output,
    operator: F,
) -> Reduce<'_, A, u8, OfOne<M>, M::Output, F> {
    Reduce::new(x.elements(), None, OfOne(map), Some(initial), operator)
}

/// Reduces the results of a function of the elements of two arrays, as [`reduce`] does, without storing them: with
/// [`Times`](crate::Times) and [`Plus`](crate::Plus) the dot product.
///
/// ```
/// use cumbia::algorithm::{Plus, Times, transform_reduce2};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let (a, b) = (device.to_device(&[1, 2, 3])?, device.to_device(&[4, 5, 6])?);
/// assert_eq!(transform_reduce2(&a, &b, Times, 0, Plus).value()?, 32);
/// # Ok(())
/// # }
/// ```
pub fn transform_reduce2<
    'a,
    A: DeviceType,
    B: DeviceType,
    M: Function2<A, B>,
    F: Function2<M::Output, M::Output, Output = M::Output>,
>(
    a: &'a (impl Input<Element = A> + ?Sized),
    b: &'a (impl Input<Element = B> + ?Sized),
    map: M,
    initial: M::Output,
    operator: F,
) -> Reduce<'a, A, B, OfTwo<M>, M::Output, F> {
    Reduce::new(a.elements(), Some(b.elements()), OfTwo(map), Some(initial), operator)
}

/// A reduction: [`reduce`], [`transform_reduce`] or [`transform_reduce2`].
#[must_use = "a reduction does nothing until its value is asked for: `.value()?`"]
pub struct Reduce<'a, A, B, M, T, F> {
    a: ArrayView1<'a, A>,
    b: Option<ArrayView1<'a, B>>,
    map: M,
    initial: Option<T>,
    operator: F,
    stream: Option<&'a Stream>,
    /// The maximum number of chunks.
    max_chunks: usize,
    enqueue: StepsIn<Self, ReduceMemory<T>>,
    /// The function that was called and the names of its arrays, for errors.
    names: (&'static str, [&'static str; 2]),
}

impl<'a, A: DeviceType, B: DeviceType, M: Mapping<A, B, Output = T>, T: DeviceType, F: Function2<T, T, Output = T>>
    Reduce<'a, A, B, M, T, F>
{
    pub(crate) fn new(
        a: ArrayView1<'a, A>,
        b: Option<ArrayView1<'a, B>>,
        map: M,
        initial: Option<T>,
        operator: F,
    ) -> Self {
        const { assert_reducible::<T>() };
        let max_chunks = if a.len() >= LONG {
            MAX_BLOCKS_OF_LONG
        } else if F::COMMUTATIVE {
            MAX_BLOCKS
        } else {
            MAX_BLOCKS_IN_ORDER
        };
        let names = ("transform_reduce2", ["a", "b"]);
        Reduce { a, b, map, initial, operator, stream: None, max_chunks, enqueue: Self::steps, names }
    }

    /// Enqueues the reduction.
    fn steps(&mut self, memory: &mut ReduceMemory<T>, queue: &mut Queue<'_, '_>) -> Result<()> {
        let initial = self.initial.unwrap_or_else(T::__placeholder);
        let (len, blocks) = self.chunks();
        if blocks == 0 {
            return queue.fill(&mut memory.parts.slice_mut(..1)?, initial);
        }
        // SAFETY: it has no elements.
        let none = if self.b.is_some() { None } else { Some(unsafe { self.a.device().uninitialized(0)? }) };
        let Some(b) = self.b.or(none.as_ref().map(|none| view_of(none.as_slice()))) else {
            unreachable!("without a second array there is an empty one")
        };
        let has_initial = self.initial.is_some();
        let (map, operator) = (self.map, self.operator);
        let chunks = Chunks { a: self.a, b, like: B::__placeholder(), map, operator, len };
        if blocks == 1 {
            let mut result = memory.parts.slice_mut(..1)?;
            let launch = reduce_chunk_alone::<A, B, T, M, F>(chunks, initial, has_initial, &mut result);
            return queue.launch(launch.grid(1));
        }
        let number = memory.begin(queue)?;
        let (mut result, parts) = memory.parts.split_at_mut(1)?;
        let (mut parts, finished) = (parts.slice(..blocks)?, &mut memory.finished);
        macro_rules! launch {
            ($adjacent:literal) => {{
                let launch = reduce_chunks::<A, B, T, M, F, $adjacent>(
                    chunks,
                    initial,
                    has_initial,
                    number,
                    &mut parts,
                    finished,
                    &mut result,
                );
                queue.launch(launch.grid(blocks))
            }};
        }
        // Conditions that are constants, so that the kernel is compiled for one number of elements.
        if const { Self::ADJACENT == 16 } {
            launch!(16)
        } else if const { Self::ADJACENT == 4 } {
            launch!(4)
        } else if const { Self::ADJACENT == 2 } {
            launch!(2)
        } else {
            launch!(1)
        }
    }
}

impl<'a, A: DeviceType, B: DeviceType, M, T: DeviceType, F> Reduce<'a, A, B, M, T, F> {
    /// Names the function and its arrays in errors.
    pub(crate) fn named(mut self, algorithm: &'static str, arrays: [&'static str; 2]) -> Self {
        self.names = (algorithm, arrays);
        self
    }

    /// Enqueues the reduction on `stream` instead of the default stream of the device.
    pub fn on(mut self, stream: &'a Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Computes the value, and waits for it.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::prepare`] and [`PreparedReduce::value`].
    pub fn value(self) -> Result<T> {
        self.prepare()?.value()
    }

    /// Computes the value of a reduction without a first operand, unless there are no elements.
    pub(crate) fn value_unless_empty(self) -> Result<Option<T>> {
        if self.is_empty() { Ok(None) } else { self.value().map(Some) }
    }

    /// Returns whether there are no elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.a.is_empty()
    }

    /// Allocates the temporary memory, so that the reduction can be computed repeatedly without allocations.
    ///
    /// # Errors
    ///
    /// [`AlgorithmError::Length`](cumbia::AlgorithmError::Length) if the lengths of two arrays differ,
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn prepare(self) -> Result<PreparedReduce<'a, A, B, M, T, F>> {
        self.check()?;
        Ok(PreparedReduce { memory: Held::Owned(self.memory()?), reduce: self })
    }

    /// Allocates the temporary memory for arrays of this length.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](cumbia::Error::OutOfMemory), or a CUDA driver error.
    pub fn memory(&self) -> Result<ReduceMemory<T>> {
        let default = self.a.device().default_stream();
        ReduceMemory::new(self.stream.unwrap_or(&default), self.chunks().1)
    }

    /// Uses memory of an earlier reduction instead of allocating it; it is replaced if it is too short, or on another device. The
    /// arrays are borrowed only as long as the result of this function.
    ///
    /// ```
    /// use cumbia::algorithm::{Plus, reduce};
    /// use cumbia::prelude::*;
    ///
    /// /// Divides by the sum, which is on the device.
    /// #[kernel]
    /// fn normalise(sum: &[f32], x: &mut [f32]) {
    ///     let i = grid(1);
    ///     if i < x.len() {
    ///         x[i] /= sum[0];
    ///     }
    /// }
    ///
    /// # fn main() -> cumbia::Result<()> {
    /// let mut x = Device::open()?.to_device(&[3.0f32, 4.0, 1.0])?;
    /// let mut memory = reduce(&x, 0.0, Plus).memory()?;
    /// for _ in 0..2 {
    ///     reduce(&x, 0.0, Plus).prepare_in(&mut memory)?.launch()?;
    ///     normalise(&memory.result(), &mut x).over(3).launch()?;
    /// }
    /// assert_eq!(x.to_host()?, [0.375, 0.5, 0.125]);
    /// assert_eq!(memory.read()?, 1.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::prepare`].
    pub fn prepare_in(self, memory: &'a mut ReduceMemory<T>) -> Result<PreparedReduce<'a, A, B, M, T, F>> {
        self.check()?;
        let default = self.a.device().default_stream();
        memory.fit(self.stream.unwrap_or(&default), self.chunks().1)?;
        Ok(PreparedReduce { memory: Held::Borrowed(memory), reduce: self })
    }

    /// Checks that two arrays have the same length.
    fn check(&self) -> Result<()> {
        let Some(b) = &self.b else { return Ok(()) };
        let (algorithm, [first, second]) = self.names;
        let (a, b) = (ArrayArgument::input(first, self.a.len()), ArrayArgument::input(second, b.len()));
        require_same_length(algorithm, b, a)
    }

    /// The number of adjacent elements that a thread loads together.
    const ADJACENT: usize = {
        let (of_a, of_b) = (adjacent(size_of::<A>()), adjacent(size_of::<B>()));
        if of_a < of_b { of_a } else { of_b }
    };

    /// Returns the length of a chunk, and the number of chunks.
    fn chunks(&self) -> (usize, usize) {
        // Large elements are loaded one by one, and shorter chunks of them occupy more multiprocessors.
        let unit = if const { Self::ADJACENT == 1 } { TILE / 4 } else { TILE };
        let len = self.a.len().div_ceil(self.max_chunks).next_multiple_of(unit).max(unit);
        (len, self.a.len().div_ceil(len))
    }
}

/// The temporary memory of a reduction, and its result: see [`Reduce::prepare_in`].
pub struct ReduceMemory<T> {
    /// The result, and the partial result of each chunk.
    parts: DeviceArray<T>,
    /// The number of the last launch, and of its blocks that have finished: after a fault of the operator, not of all.
    finished: DeviceArray<u64>,
    /// The number of the last launch outside of graphs, or 0.
    launch: u32,
}

impl<T: DeviceType> ReduceMemory<T> {
    fn new(stream: &Stream, chunks: usize) -> Result<Self> {
        // Not uninitialised: the operator may fault before the kernel writes the result.
        Ok(ReduceMemory { parts: stream.placeholders(1 + chunks)?, finished: stream.zeros(1)?, launch: 0 })
    }

    /// Returns the number of a launch.
    fn begin(&mut self, queue: &mut Queue<'_, '_>) -> Result<u32> {
        // A graph has the same arguments in each run. It need not run: the number of the last launch stays as it is.
        let launch = if queue.is_graph() { 0 } else { self.launch.wrapping_add(1) };
        if launch == 0 {
            queue.fill(&mut self.finished.as_slice_mut(), 0)?;
        }
        if !queue.is_graph() {
            self.launch = launch;
        }
        Ok(launch)
    }

    /// Replaces the memory if it is too short.
    fn fit(&mut self, stream: &Stream, chunks: usize) -> Result<()> {
        if !suffices(&self.parts, stream, 1 + chunks) {
            *self = ReduceMemory::new(stream, chunks)?;
        }
        Ok(())
    }

    /// Borrows the result, an array of one element on the device, for later launches. Before the first reduction it is zero, or
    /// any value of a type without a zero, such as an enum without a variant of discriminant 0.
    pub fn result(&self) -> DeviceSlice<'_, T> {
        first(&self.parts)
    }

    /// Waits for the last reduction that has been enqueued, and returns its value.
    ///
    /// # Errors
    ///
    /// Those of [`DeviceArray::to_host`].
    pub fn read(&self) -> Result<T> {
        read_first(&self.parts)
    }

    /// Returns the size of the memory in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<T>() * self.parts.len() + size_of::<u64>()
    }
}

/// A [`Reduce`] with its temporary memory.
pub struct PreparedReduce<'a, A, B, M, T, F> {
    reduce: Reduce<'a, A, B, M, T, F>,
    memory: Held<'a, ReduceMemory<T>>,
}

impl<A: DeviceType, B: DeviceType, M, T: DeviceType, F> PreparedReduce<'_, A, B, M, T, F> {
    /// Enqueues the reduction of the elements that the arrays have then, without waiting for the value.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch).
    pub fn launch(&mut self) -> Result<()> {
        let default = self.reduce.a.device().default_stream();
        let stream = self.reduce.stream.unwrap_or(&default);
        (self.reduce.enqueue)(&mut self.reduce, &mut self.memory, &mut Queue::Stream(stream))
    }

    /// Records the reduction as steps of a graph, which has the same results as a launch. The stream is the graph's. After the
    /// run, [`PreparedReduce::result`] and [`PreparedReduce::read`] have its value.
    ///
    /// # Errors
    ///
    /// Those of [`Recorder::launch`].
    pub fn record(&mut self, graph: &mut Recorder<'_>) -> Result<()> {
        (self.reduce.enqueue)(&mut self.reduce, &mut self.memory, &mut Queue::Graph(graph))
    }

    /// Computes the value, and waits for it.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::launch`](cumbia::Launch::launch) and [`DeviceArray::to_host`].
    pub fn value(&mut self) -> Result<T> {
        self.launch()?;
        self.read()
    }

    /// Waits for the last launch, and returns its value. Before the first one it is zero, as [`ReduceMemory::result`].
    ///
    /// # Errors
    ///
    /// Those of [`DeviceArray::to_host`].
    pub fn read(&self) -> Result<T> {
        self.memory.read()
    }

    /// Borrows the result of the last launch, an array of one element on the device, for later launches.
    pub fn result(&self) -> DeviceSlice<'_, T> {
        self.memory.result()
    }

    /// Returns the size of the temporary memory in bytes.
    pub fn temporary_bytes(&self) -> usize {
        self.memory.bytes()
    }
}
