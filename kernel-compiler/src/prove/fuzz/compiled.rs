//! Random kernels as CUDA C: the emitted text of each variant that a launch may select, compiled and executed, against the
//! interpreter.
//!
//! [`gxx`](super::gxx) executes the texts on the host, [`gpu`](super::gpu) on a GPU. Both have the arrays of a launch in
//! one block of memory, with guards between them: an access outside an array reads or changes a guard.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::generate::Rng;
use super::interpreter::{Arg, Launch, Outcome, Stop, V, initial, run};
use super::{ITERATIONS, Predicate, Subject, dimensions, elementwise, launch, loops, quietly, random_kernel, variable};
use crate::ir::{Scalar, Span};
use crate::source::{FAULT_RECORD_BYTES, SiteKind};
use crate::verdict::Verdict;
use crate::{Options, Source, Variant, write};

/// The number of elements of the largest array that is allocated.
const MAX_LEN: u64 = 4096;

/// The content of a guard, which no random number and no index within an array has in its bytes.
const GUARD: u8 = 0xa5;

/// The size of a guard, and the alignment of an array, in bytes.
const GUARD_BYTES: usize = 256;

/// The site of a thread that ended without a fault, in [`Found::stops`].
pub(super) const NO_FAULT: u32 = u32::MAX;

/// The elements that a launch writes, of each array.
type Written = Vec<BTreeMap<u64, V>>;

/// A text of a kernel.
pub(super) struct Text {
    /// A C identifier, unique among all texts.
    pub(super) name: String,
    pub(super) form: Form,
    pub(super) source: Source,
    options: Options,
}

/// A variant, and whether it is coarsened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form {
    variant: &'static str,
    is_coarsened: bool,
}

/// A launch of a text, with its expected result.
pub(super) struct Experiment {
    /// The position of the text.
    pub(super) text: usize,
    pub(super) launch: Launch,
    /// The grid of CUDA blocks.
    pub(super) grid: [u32; 3],
    /// The extent of the launch's grid along the axis of a coarsened text.
    pub(super) blocks: u32,
    written: Written,
    /// The end of each thread of the launch.
    ends: Vec<End>,
}

/// The expected end of a thread.
#[derive(Clone, Debug, PartialEq)]
enum End {
    Returned,
    /// This fault, or another one of the same statement: if several operands of an expression fault, any may be reported.
    Fault((Span, SiteKind)),
    /// Any fault: the interpreter reports different ones by the order in which it evaluates operands.
    Faults,
}

impl End {
    fn admits(&self, fault: Option<&(Span, SiteKind)>) -> bool {
        match self {
            End::Returned => fault.is_none(),
            End::Fault((expected, _)) => fault.is_some_and(|(span, _)| span.line == expected.line),
            End::Faults => fault.is_some(),
        }
    }
}

impl Experiment {
    fn faults(&self) -> bool {
        self.ends.iter().any(|end| *end != End::Returned)
    }
}

/// The texts of some kernels, and launches of them.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) texts: Vec<Text>,
    pub(super) experiments: Vec<Experiment>,
    kernels: usize,
}

impl Batch {
    /// Adds the kernel of a seed, unless it is not valid. A fifth of them are element-wise, and a fifth consist of loops.
    pub(super) fn add(&mut self, seed: u64) {
        let (kernel, mode) = match seed % 5 {
            0 => elementwise::kernel(seed),
            1 => loops::kernel(seed),
            _ => random_kernel(seed),
        };
        let subject = quietly(|| catch_unwind(AssertUnwindSafe(|| Subject::new(&kernel.text, mode))));
        let Ok(Some(subject)) = subject else { return };
        self.kernels += 1;
        let mut rng = Rng::new(seed);
        let launches: Vec<Launch> =
            (0..6).map(|_| launch(&mut rng, &kernel.params, mode, dimensions(&kernel))).collect();
        self.add_launches(&format!("k{seed}"), &subject, &launches, false);
    }

    /// Adds launches of a program: of each text whose condition holds, or of all of them if `any` is set.
    pub(super) fn add_launches(&mut self, name: &str, subject: &Subject, launches: &[Launch], any: bool) {
        let first = self.texts.len();
        for variant in Variant::ALL {
            let options = Options { variant, ..subject.options };
            let source = write(&subject.validated, &options);
            if variant != Variant::Checked && source.predicate.is_none() {
                continue;
            }
            let coarsens = source.coarsening.is_ok();
            self.push(name, options, source);
            if coarsens {
                let options = Options { coarsen: Some(subject.factor), ..options };
                self.push(name, options, write(&subject.validated, &options));
            }
        }
        // The first launch that proves some of the checks only.
        let mut verdicts = launches.iter().map(|launch| subject.verdict(launch));
        if let Some(groups) = verdicts.find(|verdict| subject.is_partial(*verdict)) {
            for variant in [Variant::Narrow, Variant::Proven] {
                let options = Options { variant, groups, ..subject.options };
                let source = write(&subject.validated, &options);
                if source.predicate.is_some() {
                    self.push(name, options, source);
                }
            }
        }
        for launch in launches.iter().filter(|launch| is_small(launch)) {
            let Some((written, ends)) = expected(subject, launch) else { continue };
            for text in first..self.texts.len() {
                let Text { source, options, .. } = &self.texts[text];
                let holds = |predicate: &Predicate| match options.variant {
                    Variant::Proven => subject.verdict(launch).includes(predicate.best().and(options.groups)),
                    Variant::Checked | Variant::Narrow => Subject::holds(predicate, launch),
                };
                if !any && options.variant != Variant::Checked && !source.predicate.as_deref().is_some_and(holds) {
                    continue;
                }
                let mut grid = launch.grid;
                let mut blocks = 0;
                if let (Some(factor), Ok(coarsening)) = (options.coarsen, &source.coarsening) {
                    let extent = &mut grid[coarsening.axis as usize];
                    blocks = std::mem::replace(extent, extent.div_ceil(factor.get()));
                }
                self.experiments.push(Experiment {
                    text,
                    launch: launch.clone(),
                    grid,
                    blocks,
                    written: written.clone(),
                    ends: ends.clone(),
                });
            }
        }
    }

    fn push(&mut self, name: &str, options: Options, source: Source) {
        let is_partial = options.groups != Verdict::ALL;
        let form = Form {
            variant: match options.variant {
                Variant::Narrow if is_partial => "narrow_partial",
                Variant::Proven if is_partial => "partial",
                Variant::Narrow => "narrow",
                Variant::Proven => "proven",
                Variant::Checked => "checked",
            },
            is_coarsened: options.coarsen.is_some(),
        };
        let coarsened = if form.is_coarsened { "_coarsened" } else { "" };
        let name = format!("{name}_{}{coarsened}", form.variant);
        self.texts.push(Text { name, form, source, options });
    }

    /// Returns why a result is wrong.
    pub(super) fn check(&self, experiment: &Experiment, found: &Found) -> Result<(), String> {
        let text = &self.texts[experiment.text];
        check(experiment, &text.source, found).map_err(|what| {
            let Experiment { launch, grid, blocks, .. } = experiment;
            format!("{}: {what}\nlaunch: {launch:?}, {grid:?} of {blocks}\n{}", text.name, text.source.text)
        })
    }
}

/// Returns what the checked program writes, and the ends of its threads; `None` if that depends on the order of the
/// threads, or is not known.
fn expected(subject: &Subject, launch: &Launch) -> Option<(Written, Vec<End>)> {
    let [forward, backward]: [Outcome; 2] =
        [false, true].map(|reversed| run(&subject.original, launch, &HashMap::new(), reversed, ITERATIONS));
    let is_known = |stop: &Stop| matches!(stop, Stop::Fault(_));
    let all = || forward.stops.iter().chain(&backward.stops).flatten();
    if !all().all(is_known) || forward.races || backward.races || forward.written != backward.written {
        return None;
    }
    let end = |(forward, backward): (&Option<Stop>, &Option<Stop>)| match (forward, backward) {
        (Some(Stop::Fault(forward)), Some(Stop::Fault(backward))) => {
            let [place, other] = [forward, backward].map(|site| {
                let site = &subject.module.sites[*site as usize];
                (site.span, site.kind.clone())
            });
            if place == other { End::Fault(place) } else { End::Faults }
        }
        _ => End::Returned,
    };
    let ends = forward.stops.iter().zip(&backward.stops).map(end).collect();
    Some((forward.written, ends))
}

fn is_small(launch: &Launch) -> bool {
    launch.args.iter().all(|arg| match arg {
        Arg::Array { len, .. } => *len <= MAX_LEN,
        Arg::Number(_) => true,
    })
}

/// The memory of a launch: the fault record, and the arrays with a guard before and after each.
pub(super) struct Memory {
    pub(super) bytes: Vec<u8>,
    /// The position of each array, its length and the type of its elements.
    arrays: Vec<(usize, u64, Scalar)>,
}

impl Memory {
    pub(super) fn new(launch: &Launch) -> Memory {
        let mut bytes = vec![0; FAULT_RECORD_BYTES];
        let mut arrays = Vec::new();
        for arg in &launch.args {
            let Arg::Array { len, scalar, contents } = arg else { continue };
            let start = (bytes.len() + GUARD_BYTES).next_multiple_of(GUARD_BYTES);
            bytes.resize(start, GUARD);
            arrays.push((start, *len, *scalar));
            for index in 0..*len {
                let number = if scalar.is_integer() { initial(contents, index) } else { 0 };
                bytes.extend_from_slice(&number.to_le_bytes()[..scalar.bits() as usize / 8]);
            }
        }
        bytes.resize(bytes.len() + GUARD_BYTES, GUARD);
        Memory { bytes, arrays }
    }

    /// Returns the arguments, with the addresses of the arrays if the memory is at `base`.
    pub(super) fn args(&self, launch: &Launch, base: u64) -> Vec<u64> {
        let mut arrays = self.arrays.iter();
        let args = launch.args.iter().map(|arg| match arg {
            Arg::Array { .. } => base + arrays.next().expect("an array of the launch").0 as u64,
            Arg::Number(number) => *number as u64,
        });
        args.collect()
    }

    fn u32_at(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("4 bytes"))
    }

    /// Returns the site in the fault record, if it is filled.
    fn site(&self) -> Option<u32> {
        (self.u32_at(0) != 0).then(|| self.u32_at(8))
    }
}

/// The result of a launch.
pub(super) struct Found {
    /// The memory after the launch.
    pub(super) memory: Memory,
    /// The site of the fault of each thread, or [`NO_FAULT`], if it is known.
    pub(super) stops: Option<Vec<u32>>,
}

fn check(experiment: &Experiment, source: &Source, found: &Found) -> Result<(), String> {
    let Found { memory, stops } = found;
    let place = |site: u32| source.sites.get(site as usize).map(|site| (site.span, site.kind.clone()));
    if let Some(stops) = stops.as_ref().filter(|_| experiment.grid == experiment.launch.grid) {
        for (thread, (expected, site)) in experiment.ends.iter().zip(stops).enumerate() {
            let found = if *site == NO_FAULT { None } else { place(*site) };
            if !expected.admits(found.as_ref()) || found.is_none() != (*site == NO_FAULT) {
                return Err(format!("thread {thread}: {expected:?} became {found:?}"));
            }
        }
    }
    match memory.site().map(place) {
        Some(found) if found.is_none() || !experiment.ends.iter().any(|end| end.admits(found.as_ref())) => {
            return Err(format!("the fault {found:?} is not expected"));
        }
        None if experiment.faults() => return Err("no fault is recorded".to_owned()),
        _ => {}
    }
    let mut start = FAULT_RECORD_BYTES;
    let before = Memory::new(&experiment.launch).bytes;
    for (array, ((at, len, scalar), written)) in memory.arrays.iter().zip(&experiment.written).enumerate() {
        guard(memory, start..*at)?;
        let size = scalar.bits() as usize / 8;
        start = at + *len as usize * size;
        for index in 0..*len {
            let at = at + index as usize * size;
            let bytes = &memory.bytes[at..at + size];
            let is_right = match written.get(&index) {
                None => bytes == &before[at..at + size],
                Some(V::Int(_, bits)) => bytes == &bits.to_le_bytes()[..size],
                Some(_) => true,
            };
            if !is_right {
                return Err(format!(
                    "element {index} of array {array} is {bytes:?} instead of {:?}",
                    written.get(&index)
                ));
            }
        }
    }
    guard(memory, start..memory.bytes.len())
}

fn guard(memory: &Memory, range: std::ops::Range<usize>) -> Result<(), String> {
    let changed = memory.bytes[range].iter().any(|byte| *byte != GUARD);
    if changed { Err("an element outside the arrays is changed".to_owned()) } else { Ok(()) }
}

/// Counts of executed launches.
#[derive(Default)]
pub(super) struct Counts {
    kernels: usize,
    /// By form: the texts, the launches, and those of them with a fault.
    forms: BTreeMap<Form, [usize; 3]>,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} kernels", self.kernels)?;
        for (Form { variant, is_coarsened }, [texts, launches, faults]) in &self.forms {
            let coarsened = if *is_coarsened { ", coarsened" } else { "" };
            writeln!(f, "{variant}{coarsened}: {texts} texts, {launches} launches, {faults} with a fault")?;
        }
        Ok(())
    }
}

/// Returns the seeds that `CUMBIA_PROOF_SEED` and `CUMBIA_PROOF_KERNELS` name.
pub(super) fn seeds(default: u64) -> std::ops::Range<u64> {
    let count = variable("CUMBIA_PROOF_KERNELS").unwrap_or(default);
    let first = variable("CUMBIA_PROOF_SEED").unwrap_or(1);
    first..first + count
}

/// Executes the kernels of [`seeds`] in batches. `execute` returns the results of all
/// experiments of a batch.
pub(super) fn all(default: u64, mut execute: impl FnMut(&Batch) -> Vec<Found>) -> Counts {
    let mut counts = Counts::default();
    let mut seeds = seeds(default).peekable();
    while seeds.peek().is_some() {
        let mut batch = Batch::default();
        for seed in seeds.by_ref().take(25) {
            if variable("CUMBIA_PROOF_SHOW").is_some() {
                eprintln!("seed {seed}");
            }
            batch.add(seed);
        }
        let found = execute(&batch);
        assert_eq!(found.len(), batch.experiments.len());
        for text in &batch.texts {
            counts.forms.entry(text.form).or_default()[0] += 1;
        }
        counts.kernels += batch.kernels;
        for (experiment, found) in batch.experiments.iter().zip(&found) {
            if let Err(what) = batch.check(experiment, found) {
                panic!("{what}");
            }
            let form = counts.forms.entry(batch.texts[experiment.text].form).or_default();
            form[1] += 1;
            form[2] += usize::from(experiment.faults());
        }
    }
    println!("{counts}");
    counts
}

impl Counts {
    /// Asserts that launches with and without faults were executed, and that of no form there are only texts.
    pub(super) fn assert_all(&self) {
        let checked = self.forms.get(&Form { variant: "checked", is_coarsened: false }).copied().unwrap_or_default();
        assert!(checked[1] > checked[2] && checked[2] > 0, "{self}");
        let executed = self.forms.values().filter(|[_, launches, _]| *launches > 0).count();
        assert!(executed >= 4, "{self}");
    }
}

/// Launches of a kernel that accesses elements outside its arrays, of all texts: those without checks have wrong results.
pub(super) fn invalid_launches() -> Batch {
    let text = "fn k(x: &[u32], y: &mut [u32]) {\n    let i = grid(1);\n    y[i] = x[i] + 1u32;\n}\n";
    let mode = super::Mode { overflow_checks: false, fixed_block: None, narrow: false, contiguous: false };
    let subject = Subject::new(text, mode).expect("a valid program");
    let array = |len| [Arg::Array { len, scalar: Scalar::U32, contents: vec![1, 2, 3] }, Arg::Number(len.into())];
    let launch = Launch { grid: [2, 1, 1], block: [4, 1, 1], args: [array(8), array(6)].concat() };
    let mut batch = Batch::default();
    batch.add_launches("invalid", &subject, &[launch], true);
    batch
}

/// Asserts that the results of [`invalid_launches`] are right for the texts with all checks and with those that are not proved, and
/// for no other one.
pub(super) fn assert_detected(batch: &Batch, found: &[Found]) {
    assert!(batch.texts.len() > 2);
    for (experiment, found) in batch.experiments.iter().zip(found) {
        let Form { variant, is_coarsened } = batch.texts[experiment.text].form;
        let has_check = ["checked", "partial", "narrow_partial"].contains(&variant) && !is_coarsened;
        assert_eq!(batch.check(experiment, found).is_ok(), has_check, "{variant}");
    }
}
