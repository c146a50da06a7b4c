//! Random operations on random streams: each is ordered after all earlier ones that it has a hazard with.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, RwLock};

use cumbia::prelude::*;
use cumbia::{DeviceSlice, DeviceSliceMut, Graph, Recorder};

use crate::fake::{Fake, Operation};
use crate::journal::{self, Access};
use crate::kernels::saxpy;
use crate::scenarios;

const NOT_READY: i32 = 600;
const SEEDS: u64 = 40;
const ROUNDS: u64 = 10;
const OPERATIONS: usize = 600;
const ARRAYS: usize = 5;
const STREAMS: usize = 4;
const GRAPHS: usize = 2;
const LEN: usize = 1000;

/// The ranges of elements that operations access, most often the first.
const RANGES: [Range<usize>; 4] = [0..LEN, 0..LEN / 2, LEN / 2..LEN, LEN / 4..LEN / 2];

/// An array with a number that no other array has had.
struct Numbered {
    array: DeviceArray<f32>,
    number: usize,
}

/// The arrays and elements of a launch.
#[derive(Clone)]
struct Step {
    read: usize,
    read_elements: Range<usize>,
    written: usize,
    written_elements: Range<usize>,
}

impl Step {
    /// Returns the arguments of the launch.
    fn slices<'a>(&self, arrays: &'a mut [Numbered]) -> (DeviceSlice<'a, f32>, DeviceSliceMut<'a, f32>) {
        let [x, y] = arrays.get_disjoint_mut([self.read, self.written]).unwrap();
        (x.array.slice(self.read_elements.clone()).unwrap(), y.array.slice_mut(self.written_elements.clone()).unwrap())
    }

    fn accesses(&self, arrays: &[Numbered]) -> Vec<Access> {
        let Step { read, read_elements, written, written_elements } = self;
        vec![access(&arrays[*read], read_elements, false), access(&arrays[*written], written_elements, true)]
    }
}

fn access(array: &Numbered, elements: &Range<usize>, writes: bool) -> Access {
    Access { array: array.number, elements: elements.clone(), writes }
}

/// The state of the test, and the operations that the driver has to receive.
struct Test {
    device: Device,
    fake: Fake,
    random: fastrand::Rng,
    /// The default stream first; `None` for a stream that was dropped.
    streams: [Option<Stream>; STREAMS],
    graphs: Vec<Graph>,
    arrays: Vec<Numbered>,
    /// The number of arrays so far.
    numbers: usize,
    operations: VecDeque<(Operation, Vec<Access>)>,
}

impl Test {
    fn new(seed: u64) -> Test {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        let mut test = Test {
            streams: [Some(device.default_stream()), None, None, None],
            device,
            fake,
            random: fastrand::Rng::with_seed(seed),
            graphs: Vec::new(),
            arrays: Vec::new(),
            numbers: 0,
            operations: VecDeque::new(),
        };
        for _ in 0..ARRAYS {
            let array = test.new_array();
            test.arrays.push(array);
        }
        test
    }

    fn expect(&mut self, operation: Operation, accesses: Vec<Access>) {
        self.operations.push_back((operation, accesses));
    }

    /// Returns whether an event with this probability occurs.
    fn chance(&mut self, percent: u8) -> bool {
        self.random.u8(..100) < percent
    }

    /// Returns a stream that was not dropped.
    fn stream(&mut self) -> usize {
        let live: Vec<usize> = (0..STREAMS).filter(|stream| self.streams[*stream].is_some()).collect();
        live[self.random.usize(..live.len())]
    }

    fn elements(&mut self) -> Range<usize> {
        let range = if self.chance(75) { 0 } else { self.random.usize(..RANGES.len()) };
        RANGES[range].clone()
    }

    fn step(&mut self) -> Step {
        let read = self.random.usize(..ARRAYS);
        let written = (read + self.random.usize(1..ARRAYS)) % ARRAYS;
        Step { read, read_elements: self.elements(), written, written_elements: self.elements() }
    }

    fn new_array(&mut self) -> Numbered {
        let number = self.numbers;
        self.numbers += 1;
        let on = self.stream();
        let array = self.streams[on].as_ref().unwrap().zeros(LEN).unwrap();
        self.expect(Operation::Set, vec![Access { array: number, elements: 0..LEN, writes: true }]);
        Numbered { array, number }
    }

    /// Replaces an array by a new one, and returns it.
    fn replace_array(&mut self, at: usize) -> Numbered {
        let new = self.new_array();
        std::mem::replace(&mut self.arrays[at], new)
    }

    fn launch(&mut self, on: usize, step: &Step) {
        self.expect(Operation::Launch, step.accesses(&self.arrays));
        let is_implicit = on == 0 && self.random.bool();
        let (x, mut y) = step.slices(&mut self.arrays);
        let launch = saxpy(1.0, &x, &mut y).over(LEN);
        if is_implicit {
            launch.launch().unwrap();
        } else {
            launch.on(self.streams[on].as_ref().unwrap()).launch().unwrap();
        }
    }

    /// Enqueues a prepared launch several times, some of them before a launch on another stream that reads the same array.
    fn prepared(&mut self, on: usize, step: &Step) {
        let mut others = (0..ARRAYS).filter(|array| *array != step.read && *array != step.written);
        let other = Step { written: others.next_back().unwrap(), ..step.clone() };
        let between: Vec<Option<usize>> =
            (0..self.random.usize(1..8)).map(|_| self.chance(20).then(|| self.stream())).collect();
        for other_on in &between {
            self.expect(Operation::Launch, step.accesses(&self.arrays));
            if other_on.is_some() {
                self.expect(Operation::Launch, other.accesses(&self.arrays));
            }
        }
        let Test { arrays, streams, .. } = self;
        let stream = |on: usize| streams[on].as_ref().unwrap();
        let [x, y, z] = arrays.get_disjoint_mut([step.read, step.written, other.written]).unwrap();
        let x = x.array.slice(step.read_elements.clone()).unwrap();
        let mut y = y.array.slice_mut(step.written_elements.clone()).unwrap();
        let prepared = saxpy(1.0, &x, &mut y).over(LEN).on(stream(on)).prepare().unwrap();
        for other_on in between {
            prepared.launch().unwrap();
            if let Some(on) = other_on {
                let mut z = z.array.slice_mut(other.written_elements.clone()).unwrap();
                saxpy(1.0, &x, &mut z).over(LEN).on(stream(on)).launch().unwrap();
            }
        }
    }

    /// Two streams read an array several times, and each writes its own.
    fn shared_reads(&mut self) {
        let (read, first, second) = (0, self.stream(), self.stream());
        for _ in 0..self.random.usize(4..8) {
            for (on, written) in [(first, 1), (second, 2)] {
                self.launch(on, &Step { read, read_elements: 0..LEN, written, written_elements: 0..LEN });
            }
        }
    }

    /// One stream writes or reads a part of an array while another one uses the other part several times in a row, and then all
    /// of it.
    fn neighbours(&mut self) {
        let (first, second) = (self.stream(), self.stream());
        let (lower, upper) = (0..LEN / 2, LEN / 2..LEN);
        let at = |read, read_elements: &Range<usize>, written, written_elements: &Range<usize>| {
            let (read_elements, written_elements) = (read_elements.clone(), written_elements.clone());
            Step { read, read_elements, written, written_elements }
        };
        let all = 0..LEN;
        for _ in 0..self.random.usize(0..6) {
            self.launch(second, &at(0, &all, 2, &all));
        }
        if self.random.bool() {
            self.launch(first, &at(1, &all, 0, &upper));
        } else {
            self.launch(first, &at(0, &upper, 1, &all));
        }
        let times = self.random.usize(1..6);
        if self.random.bool() {
            (0..times).for_each(|_| self.launch(second, &at(0, &lower, 2, &all)));
            self.launch(second, &at(0, &all, 2, &all));
        } else {
            (0..times).for_each(|_| self.launch(second, &at(2, &all, 0, &lower)));
            self.launch(second, &at(2, &all, 0, &all));
        }
    }

    /// Runs a graph. What is enqueued while it is recorded is ordered before it.
    fn graph(&mut self) {
        if self.graphs.len() < GRAPHS {
            let on = self.stream();
            self.graphs.push(Graph::new(self.streams[on].as_ref().unwrap()));
        }
        let at = self.random.usize(..self.graphs.len());
        let mut graph = self.graphs.swap_remove(at);
        let (mut all, mut kept) = (Vec::new(), None);
        graph
            .run(|recorder| {
                for _ in 0..self.random.usize(1..4) {
                    let step = self.step();
                    all.extend(step.accesses(&self.arrays));
                    let (x, mut y) = step.slices(&mut self.arrays);
                    recorder.launch(saxpy(1.0, &x, &mut y).over(LEN))?;
                    if self.chance(40) {
                        let on = self.stream();
                        let other = if self.random.bool() { self.step() } else { step.clone() };
                        self.launch(on, &other);
                    }
                    if kept.is_none() && self.chance(10) {
                        // The graph keeps the memory until it has been launched.
                        kept = Some(self.replace_array(step.written).number);
                    }
                }
                Ok(())
            })
            .unwrap();
        self.expect(Operation::Graph, all);
        if let Some(array) = kept {
            self.expect(Operation::Free, vec![Access { array, elements: 0..LEN, writes: true }]);
        }
        self.graphs.push(graph);
    }

    /// Drops a stream, or creates one.
    fn change_streams(&mut self) {
        // Sometimes the streams are busy: then a new one is created, and the device stays in its multi-stream state.
        let busy = if self.random.bool() { 0 } else { self.random.i64(..8) };
        self.fake.reject("cuStreamQuery", NOT_READY, 0, busy);
        let at = self.random.usize(1..STREAMS);
        self.streams[at] = if self.streams[at].is_none() { Some(self.device.stream().unwrap()) } else { None };
    }

    /// Waits, which is where the device may return to its single-stream state.
    fn wait(&mut self) {
        if self.chance(30) {
            self.graphs.clear();
            self.streams[1..].fill(None);
        }
        if self.random.bool() {
            self.device.synchronize().unwrap();
        } else {
            let read = self.random.usize(..ARRAYS);
            self.expect(Operation::Copy, vec![access(&self.arrays[read], &(0..LEN), false)]);
            self.arrays[read].array.to_host().unwrap();
        }
    }

    fn run(&mut self) {
        let (mut on, mut step) = (0, self.step());
        for _ in 0..OPERATIONS {
            // Mostly as before, so that streams become owners.
            if self.chance(15) || self.streams[on].is_none() {
                on = self.stream();
            }
            if self.chance(20) {
                step = self.step();
            }
            match self.random.u8(..100) {
                0..65 => self.launch(on, &step),
                65..73 => self.prepared(on, &step),
                73..80 => self.graph(),
                80..82 => self.shared_reads(),
                82..84 => self.neighbours(),
                84..86 => {
                    let [from, to] = [step.read, step.written];
                    let accesses =
                        vec![access(&self.arrays[from], &(0..LEN), false), access(&self.arrays[to], &(0..LEN), true)];
                    self.expect(Operation::Copy, accesses);
                    let [from, to] = self.arrays.get_disjoint_mut([from, to]).unwrap();
                    to.array.copy_from(&from.array).unwrap();
                }
                86..89 => {
                    self.expect(Operation::Set, vec![access(&self.arrays[step.written], &(0..LEN), true)]);
                    self.arrays[step.written].array.fill(0.0).unwrap();
                }
                89..92 => {
                    let Numbered { array, number } = self.replace_array(step.written);
                    drop(array);
                    self.expect(Operation::Free, vec![Access { array: number, elements: 0..LEN, writes: true }]);
                }
                92..98 => self.change_streams(),
                _ => self.wait(),
            }
        }
        self.fake.reject("cuStreamQuery", NOT_READY, 0, 0);
    }
}

/// The state that the threads share.
struct Threads {
    device: Device,
    arrays: [RwLock<DeviceArray<f32>>; ARRAYS],
    /// The number of operations so far.
    numbers: AtomicU32,
    accesses: Mutex<HashMap<u32, Vec<Access>>>,
}

impl Threads {
    /// Returns the first parameter of an operation that reads an array and writes another one. The arrays are borrowed.
    fn operation(&self, read: usize, written: usize) -> f32 {
        let identity = (self.numbers.fetch_add(1, Ordering::Relaxed) + 1) as f32;
        let access = |array, writes| Access { array, elements: 0..LEN, writes };
        let accesses = vec![access(read, false), access(written, true)];
        self.accesses.lock().unwrap().insert(identity.to_bits(), accesses);
        identity
    }

    /// Calls `then` with the first parameter of an operation and its arrays, unless another thread borrows them.
    fn borrow<R>(
        &self,
        (read, written): (usize, usize),
        then: impl FnOnce(f32, &DeviceArray<f32>, &mut DeviceArray<f32>) -> R,
    ) -> Option<R> {
        let (x, mut y) = (self.arrays[read].try_read().ok()?, self.arrays[written].try_write().ok()?);
        Some(then(self.operation(read, written), &x, &mut y))
    }

    fn run(&self, seed: u64) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut stream = self.device.stream().unwrap();
        let (mut graph, mut arrays) = (Graph::new(&stream), (0, 1));
        for _ in 0..OPERATIONS {
            if random.u8(..100) < 20 {
                let read = random.usize(..ARRAYS);
                arrays = (read, (read + random.usize(1..ARRAYS)) % ARRAYS);
            }
            match random.u8(..100) {
                0..70 => {
                    self.borrow(arrays, |a, x, y| saxpy(a, x, y).over(LEN).on(&stream).launch().unwrap());
                }
                70..80 => {
                    self.borrow(arrays, |a, x, y| saxpy(a, x, y).over(LEN).launch().unwrap());
                }
                80..94 => {
                    // The graph is launched when the arrays are not borrowed any more.
                    let record = |recorder: &mut Recorder<'_>| {
                        let launch = |a, x: &_, y: &mut _| recorder.launch(saxpy(a, x, y).over(LEN));
                        self.borrow(arrays, launch).unwrap_or(Ok(()))
                    };
                    graph.run(record).unwrap();
                }
                94..97 => {
                    stream = if random.bool() { self.device.stream().unwrap() } else { self.device.default_stream() }
                }
                97..99 => graph = Graph::new(&stream),
                _ => self.device.synchronize().unwrap(),
            }
        }
    }
}

scenarios! {
    /// Threads that launch and run graphs on their own streams, with arrays that they borrow from each other.
    fn random_operations_of_threads_wait_for_all_hazards() {
        let (device, fake) = (Device::cuda(0).unwrap(), Fake::of_process());
        // The kernel is compiled before the threads start.
        saxpy(0.0, &device.zeros(LEN).unwrap(), &mut device.zeros(LEN).unwrap()).over(LEN).launch().unwrap();
        fake.identify();
        for round in 0..ROUNDS {
            let first = fake.journal(0).len();
            let threads = Threads {
                arrays: [(); ARRAYS].map(|()| RwLock::new(device.zeros(LEN).unwrap())),
                device: device.clone(),
                numbers: AtomicU32::new(0),
                accesses: Mutex::default(),
            };
            std::thread::scope(|scope| {
                for thread in 0..4 {
                    let threads = &threads;
                    scope.spawn(move || threads.run(4 * round + thread));
                }
            });
            let mut accesses = threads.accesses.into_inner().unwrap();
            let hazards = journal::check(&fake.journal(first), |operation, identity| match operation {
                Operation::Launch | Operation::Graph => accesses.remove(&identity).expect("an operation of this test"),
                Operation::Copy | Operation::Set | Operation::Free => Vec::new(),
            });
            let hazards = hazards.unwrap_or_else(|pair| panic!("round {round}: operations {pair:?} are not ordered"));
            assert!(accesses.is_empty() && hazards > 100, "round {round}: {hazards} hazards");
        }
    }

    /// Launches on the default stream and on created ones, prepared launches, graphs, copies, fills and deallocations, of whole
    /// arrays and of parts, while streams are created and dropped.
    fn random_operations_wait_for_all_hazards() {
        let fake = Fake::of_process();
        for seed in 0..SEEDS {
            let first = fake.journal(0).len();
            let mut test = Test::new(seed);
            test.run();
            let mut operations = std::mem::take(&mut test.operations);
            let hazards = journal::check(&fake.journal(first), |received, _| {
                let (expected, accesses) = operations.pop_front().expect("an operation of this test");
                assert_eq!(received, expected, "seed {seed}");
                accesses
            });
            let hazards = hazards.unwrap_or_else(|pair| panic!("seed {seed}: operations {pair:?} are not ordered"));
            assert!(operations.is_empty() && hazards > 1000, "seed {seed}: {hazards} hazards");
            drop(test);
        }
        assert!(fake.calls("cuStreamCreateWithPriority") > 4);
        assert_eq!(fake.allocations(), 0);
    }
}
