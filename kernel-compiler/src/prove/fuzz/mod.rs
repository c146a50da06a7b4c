//! Random and directed tests of the proofs against a concrete interpreter.
//!
//! For each launch of a kernel: no check whose group is in the verdict fails in any thread, and the program without
//! these checks has the same results, without an access outside an array or another kind of undefined behaviour. If the
//! predicate of the narrow variant holds, the same is true of that variant: in particular, no `int` overflows.
//!
//! Both are also compared with their forms with deferred faults. A program that can be coarsened is also compared with the
//! coarsened one, if its results do not depend on the order of the threads: if no thread changes an element that another one
//! accesses.
//!
//! The texts that launches select are also compiled and executed, by [`g++`](gxx) and on a [GPU](gpu).
//!
//! The random tests are deterministic. `CUMBIA_PROOF_KERNELS` is the number of kernels, and `CUMBIA_PROOF_SEED` the seed of
//! the first; if the number is given, the directed tests have more launches. With `CUMBIA_PROOF_SHOW=1` it prints how many
//! of the checks that never fail are removed.

mod compiled;
mod directed;
mod elementwise;
mod generate;
mod gpu;
mod gxx;
mod idioms;
mod interpreter;
mod loops;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use generate::{Kernel, Param, Rng};
use interpreter::{Arg, Launch, Outcome, Stop, run, run_in};

use super::symbol::LaunchSymbol;
use super::{EXTENT, Predicate, Proofs, analyse, is_unconditional, lowered, narrowed, remove, rewrite};
use crate::ir::Scalar;
use crate::lower::Axis;
use crate::lower::{CallTarget, Expr, Module, Op, Template};
use crate::source::Site;
use crate::verdict::Verdict;
use crate::{Options, Validated, check, coarsen, common, lower};

/// The maximum number of iterations of all loops in a launch.
const ITERATIONS: usize = 1500;

/// The same, where loops may be executed twice.
const REPEATED: usize = 3 * ITERATIONS;

/// How a program is compiled.
#[derive(Clone, Copy, Debug)]
struct Mode {
    overflow_checks: bool,
    fixed_block: Option<[u32; 3]>,
    narrow: bool,
    contiguous: bool,
}

/// A program with its proofs.
struct Subject {
    validated: Validated,
    options: Options,
    /// The program with all checks, and each loop in one version: the others have its results.
    original: Module,
    module: Module,
    proofs: Proofs,
    without: BTreeMap<Verdict, Module>,
    /// The narrow variant, and its condition.
    narrow: Option<(Module, Predicate)>,
    /// The narrow variants that keep the checks outside of a verdict, each with its condition; `None` if there is none.
    narrow_partial: BTreeMap<Verdict, Option<(Module, Predicate)>>,
    /// The narrow variant with deferred faults, and that coarsened along an axis, once they are needed.
    from_narrow: Option<(Module, Option<(Module, Axis)>)>,
    /// The programs without the checks of a verdict and with deferred faults.
    deferred: BTreeMap<Verdict, Module>,
    /// The coarsened programs with the axis; `None` for those that cannot be coarsened.
    coarsened: BTreeMap<Verdict, Option<(Module, Axis)>>,
    /// The number of blocks that are merged.
    factor: NonZeroU32,
    /// The checks, by the addresses of their expressions.
    numbers: HashMap<*const Expr, usize>,
    /// The duration of the analysis.
    time: Duration,
}

impl Subject {
    /// Compiles a program; `None` if it is not valid.
    fn new(text: &str, mode: Mode) -> Option<Subject> {
        let text = if mode.narrow { text.replace("usize", "u32") } else { text.to_owned() };
        let mut program = common::program(&text, mode.overflow_checks);
        if mode.narrow {
            program.index = Scalar::U32;
        }
        let validated = check(program).ok()?;
        let options = Options { block: mode.fixed_block, contiguous_views: mode.contiguous, ..Options::default() };
        let original = lower::program(&validated, options);
        let module = lowered(&validated, options);
        let start = Instant::now();
        let proofs = analyse(&module, mode.fixed_block, EXTENT, false);
        let time = start.elapsed();
        let narrow = narrowed(&module, options).map(|(narrowed, predicate)| {
            let mut module = lowered(&validated, options);
            narrowed.apply(&mut module);
            (module, predicate)
        });
        let mut numbers = HashMap::new();
        rewrite::checks(&module, &mut |expr, _, _| {
            let number = numbers.len();
            numbers.insert(std::ptr::from_ref(expr), number);
        });
        // Launches have at most three blocks along an axis.
        let factor = NonZeroU32::MIN.saturating_add(1 + text.len() as u32 % 2);
        let (without, coarsened, deferred, from_narrow) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new(), None);
        Some(Subject {
            validated,
            options,
            original,
            module,
            proofs,
            without,
            narrow,
            narrow_partial: BTreeMap::new(),
            from_narrow,
            deferred,
            coarsened,
            factor,
            numbers,
            time,
        })
    }

    fn verdict(&self, launch: &Launch) -> Verdict {
        let Some(predicate) = &self.proofs.predicate else { return Verdict::NONE };
        if is_unconditional(&self.module, &self.proofs, self.options) {
            return predicate.best();
        }
        predicate.verdict(&Self::values(predicate, launch))
    }

    /// Returns whether a verdict has some of the groups, but not all.
    fn is_partial(&self, verdict: Verdict) -> bool {
        let all = self.proofs.predicate.as_ref().map_or(Verdict::NONE, Predicate::best);
        verdict != Verdict::NONE && verdict != all
    }

    /// Returns whether a condition holds for a launch.
    fn holds(predicate: &Predicate, launch: &Launch) -> bool {
        predicate.holds(&Self::values(predicate, launch))
    }

    /// Returns the values of the symbols of a predicate in a launch.
    fn values(predicate: &Predicate, launch: &Launch) -> Vec<i128> {
        let axis = |of: [u32; 3], axis: Axis| i128::from(of[axis as usize]);
        predicate
            .symbols()
            .iter()
            .map(|symbol| match symbol {
                LaunchSymbol::Param { index, .. } => match &launch.args[*index] {
                    Arg::Number(number) => *number,
                    Arg::Array { .. } => panic!("a symbol for a pointer"),
                },
                LaunchSymbol::GridDim(of) => axis(launch.grid, *of),
                LaunchSymbol::BlockDim(of) => axis(launch.block, *of),
                LaunchSymbol::DynamicSharedBytes => 0,
            })
            .collect()
    }

    /// Returns the violations of the property in a launch, and the result of the checked program.
    fn test(&mut self, launch: &Launch, reversed: bool, statistics: &mut Statistics) -> Result<(), String> {
        let verdict = self.verdict(launch);
        let checked = run(&self.module, launch, &self.numbers, reversed, ITERATIONS);
        for stop in checked.stops.iter().flatten() {
            match stop {
                Stop::Unsupported(what) => {
                    *statistics.unsupported.entry(what.clone()).or_default() += 1;
                    return Ok(());
                }
                Stop::Bug(what) => return Err(format!("the checked program: {what}")),
                Stop::Fault(_) | Stop::Timeout => {}
            }
        }
        let in_verdict = |number: usize| self.proofs.checks[number].2.is_some_and(|group| verdict.has(group));
        for number in &checked.failed {
            if in_verdict(*number) {
                let (op, site, group) = self.proofs.checks[*number];
                return Err(format!("check {number} ({op:?}, site {site:?}, group {group:?}) fails"));
            }
        }
        let original = run(&self.original, launch, &HashMap::new(), reversed, ITERATIONS);
        compare(&self.module.sites, &original, &checked).map_err(|what| format!("versions: {what}"))?;
        statistics.launches += 1;
        for (all, of) in statistics.tests.iter_mut().zip(checked.tests) {
            *all += of;
        }
        if checked.failed.is_empty() && checked.stops.iter().all(|stop| *stop != Some(Stop::Timeout)) {
            for number in &checked.executed {
                let (op, _, group) = self.proofs.checks[*number];
                let entry = statistics.checks.entry(op).or_default();
                entry[0] += 1;
                entry[1] += usize::from(group.is_some());
                entry[2] += usize::from(in_verdict(*number));
                if !in_verdict(*number) {
                    let found = self.numbers.iter().find(|(_, of)| **of == *number);
                    let expr = found.map(|(expr, _)| *expr);
                    let mut text = String::new();
                    rewrite::checks(&self.module, &mut |check, _, _| {
                        if Some(std::ptr::from_ref(check)) == expr {
                            text = shape(check);
                        }
                    });
                    let why = if group.is_some() { "condition" } else { "never" };
                    *statistics.kept.entry(format!("{why}: {text}")).or_default() += 1;
                }
            }
        }
        if let Some((module, predicate)) = &self.narrow {
            statistics.narrow[0] += 1;
            if Self::holds(predicate, launch) {
                statistics.narrow[1] += 1;
                let narrow = run(module, launch, &HashMap::new(), reversed, ITERATIONS);
                compare(&self.module.sites, &checked, &narrow).map_err(|what| format!("narrow: {what}"))?;
                self.test_from_narrow(&checked, launch, reversed, statistics)?;
            }
        }
        if self.is_partial(verdict) {
            self.test_narrow_partial(verdict, &checked, launch, reversed, statistics)?;
        }
        self.test_coarsened(verdict, &checked, launch, reversed, statistics)?;
        self.test_deferred(verdict, &checked, launch, reversed, statistics)?;
        if verdict == Verdict::NONE {
            return Ok(());
        }
        if !self.without.contains_key(&verdict) {
            let mut module = lowered(&self.validated, self.options);
            remove(&mut module, &self.proofs, verdict);
            self.without.insert(verdict, module);
        }
        let proven = run(&self.without[&verdict], launch, &HashMap::new(), reversed, ITERATIONS);
        compare(&self.module.sites, &checked, &proven)
    }

    /// Compares the results of a launch with those of the narrow variant that keeps the checks outside of a verdict.
    fn test_narrow_partial(
        &mut self,
        verdict: Verdict,
        expected: &Outcome,
        launch: &Launch,
        reversed: bool,
        statistics: &mut Statistics,
    ) -> Result<(), String> {
        if !self.narrow_partial.contains_key(&verdict) {
            let mut module = lowered(&self.validated, self.options);
            let narrowed = narrowed(&module, Options { groups: verdict, ..self.options });
            let narrow = narrowed.map(|(narrowed, predicate)| {
                narrowed.apply(&mut module);
                (module, predicate)
            });
            self.narrow_partial.insert(verdict, narrow);
        }
        let Some((module, predicate)) = &self.narrow_partial[&verdict] else { return Ok(()) };
        if !Self::holds(predicate, launch) {
            return Ok(());
        }
        statistics.narrow_partial += 1;
        let found = run(module, launch, &HashMap::new(), reversed, ITERATIONS);
        compare(&self.module.sites, expected, &found).map_err(|what| format!("narrow, partial: {what}"))
    }

    /// Compares the results of a launch with those of the program with deferred faults.
    fn test_deferred(
        &mut self,
        verdict: Verdict,
        expected: &Outcome,
        launch: &Launch,
        reversed: bool,
        statistics: &mut Statistics,
    ) -> Result<(), String> {
        if !self.deferred.contains_key(&verdict) {
            let mut module = lowered(&self.validated, self.options);
            if verdict != Verdict::NONE {
                remove(&mut module, &self.proofs, verdict);
            }
            lower::defer::program(&mut module);
            self.deferred.insert(verdict, module);
        }
        let module = &self.deferred[&verdict];
        statistics.deferred += usize::from(module.templates.contains(&Template::Deferred));
        let found = run(module, launch, &HashMap::new(), reversed, REPEATED);
        compare_ended(&self.module.sites, expected, &found).map_err(|what| format!("deferred: {what}"))
    }

    /// Compares the results of a launch for which the narrow variant is selected with those of that variant with deferred
    /// faults, and with those of the coarsened one.
    fn test_from_narrow(
        &mut self,
        expected: &Outcome,
        launch: &Launch,
        reversed: bool,
        statistics: &mut Statistics,
    ) -> Result<(), String> {
        if self.from_narrow.is_none() {
            let variant = || {
                let mut module = lowered(&self.validated, self.options);
                let (narrowed, _) = narrowed(&module, self.options)?;
                narrowed.apply(&mut module);
                Some(module)
            };
            let (Some(mut deferred), Some(mut merged)) = (variant(), variant()) else { return Ok(()) };
            lower::defer::program(&mut deferred);
            let options = Options { coarsen: Some(self.factor), ..self.options };
            let coarsened = coarsen::program(&mut merged, options).ok().map(|coarsening| (merged, coarsening.axis));
            self.from_narrow = Some((deferred, coarsened));
        }
        let Some((deferred, coarsened)) = &self.from_narrow else { return Ok(()) };
        let found = run(deferred, launch, &HashMap::new(), reversed, REPEATED);
        compare_ended(&self.module.sites, expected, &found).map_err(|what| format!("narrow, deferred: {what}"))?;
        match coarsened {
            Some(coarsened) => self
                .compare_coarsened(coarsened, expected, launch, reversed, statistics)
                .map_err(|what| format!("narrow, {what}")),
            None => Ok(()),
        }
    }

    /// Compares the results of a launch with those of the coarsened program.
    fn test_coarsened(
        &mut self,
        verdict: Verdict,
        expected: &Outcome,
        launch: &Launch,
        reversed: bool,
        statistics: &mut Statistics,
    ) -> Result<(), String> {
        if !self.coarsened.contains_key(&verdict) {
            let mut module = lowered(&self.validated, self.options);
            remove(&mut module, &self.proofs, verdict);
            let options = Options { coarsen: Some(self.factor), ..self.options };
            let coarsened = coarsen::program(&mut module, options).ok().map(|coarsening| (module, coarsening.axis));
            self.coarsened.insert(verdict, coarsened);
        }
        match &self.coarsened[&verdict] {
            Some(coarsened) => self.compare_coarsened(coarsened, expected, launch, reversed, statistics),
            None => Ok(()),
        }
    }

    /// Compares the results of a launch with those of a program that is coarsened along an axis.
    fn compare_coarsened(
        &self,
        (module, axis): &(Module, Axis),
        expected: &Outcome,
        launch: &Launch,
        reversed: bool,
        statistics: &mut Statistics,
    ) -> Result<(), String> {
        if expected.stops.iter().any(Option::is_some) {
            return Ok(());
        }
        if expected.races {
            return Ok(());
        }
        let mut hardware = launch.clone();
        let extent = &mut hardware.grid[*axis as usize];
        let blocks = std::mem::replace(extent, extent.div_ceil(self.factor.get()));
        let found = run_in(module, &hardware, &HashMap::new(), reversed, ITERATIONS, blocks);
        statistics.coarsened += 1;
        match found.stops.iter().flatten().next() {
            Some(Stop::Timeout) => Ok(()),
            Some(stop) => Err(format!("the coarsened program: {stop:?}")),
            None if found.written != expected.written => Err("the stores of the coarsened program differ".to_owned()),
            None => Ok(()),
        }
    }
}

/// The sites of the two versions of a loop differ; their positions and kinds do not.
fn compare(sites: &[Site], checked: &Outcome, proven: &Outcome) -> Result<(), String> {
    let place = |site: &u32| sites.get(*site as usize).map(|site| (site.span, &site.kind));
    for (thread, (before, after)) in checked.stops.iter().zip(&proven.stops).enumerate() {
        let is_same_fault = matches!(
            (before, after),
            (Some(Stop::Fault(before)), Some(Stop::Fault(after))) if place(before).is_some() && place(before) == place(after)
        );
        if before != after && !is_same_fault {
            return Err(format!("thread {thread}: {before:?} became {after:?}"));
        }
    }
    if checked.written != proven.written {
        return Err("the stores differ".to_owned());
    }
    Ok(())
}

/// As [`compare`], unless a thread ran out of iterations: those of a loop that is repeated count twice.
fn compare_ended(sites: &[Site], expected: &Outcome, found: &Outcome) -> Result<(), String> {
    let of_both = || expected.stops.iter().chain(&found.stops).flatten();
    match of_both().find(|stop| !matches!(stop, Stop::Fault(_))) {
        Some(Stop::Bug(what)) => Err(what.clone()),
        Some(_) => Ok(()),
        None => compare(sites, expected, found),
    }
}

#[derive(Default)]
struct Statistics {
    /// The launches of kernels with deferred faults.
    deferred: usize,
    kernels: usize,
    rejected: usize,
    launches: usize,
    /// The launches of kernels with a narrow variant, and those whose predicate holds.
    narrow: [usize; 2],
    /// The launches of narrow variants that keep some of the checks.
    narrow_partial: usize,
    /// The tests ahead of loops that failed, and that held.
    tests: [usize; 2],
    /// The launches of coarsened programs.
    coarsened: usize,
    unsupported: BTreeMap<String, usize>,
    /// The longest duration of an analysis, and the seed of the kernel.
    slowest: (Duration, String),
    /// The duration of all analyses.
    analyses: Duration,
    /// Executed checks of launches in which none fails: all, those with a condition, those in the verdict.
    checks: BTreeMap<Op, [usize; 3]>,
    /// The shapes of those that are not in the verdict: without a condition, or with one that does not hold.
    kept: BTreeMap<String, usize>,
}

/// Returns the form of an expression.
fn shape(expr: &Expr) -> String {
    match expr {
        Expr::Var(_) => "v".to_owned(),
        Expr::Literal(_, bits) if *bits < 10 => bits.to_string(),
        Expr::Literal(..) => "n".to_owned(),
        Expr::Special(name) => (*name).to_owned(),
        Expr::Unary(op, operand) => format!("{op:?} {}", shape(operand)),
        Expr::Binary(op, left, right) => format!("({} {op:?} {})", shape(left), shape(right)),
        Expr::Cast(_, operand) => format!("as {}", shape(operand)),
        Expr::Conditional(..) => "c ? a : b".to_owned(),
        Expr::Call(CallTarget::Helper(helper, _), args) => {
            format!("{:?}({})", helper.op, args.iter().map(shape).collect::<Vec<_>>().join(", "))
        }
        Expr::Call(..) => "f(..)".to_owned(),
        _ => "memory".to_owned(),
    }
}

/// Returns the numbers near the limits of a type, and near the numbers of a launch.
fn near(rng: &mut Rng, scalar: Scalar, threads: u64, block: u64) -> i128 {
    let bits = scalar.bits();
    let number = match rng.below(20) {
        0 | 1 => 0,
        2 | 3 => 1,
        4 => 2,
        5 => i128::from(block) - 1 + rng.below(3) as i128,
        6..=8 => i128::from(threads) - 1 + rng.below(3) as i128,
        9 | 10 => rng.below(20) as i128,
        11 => (1 << 31) - rng.below(6) as i128,
        12 => 1 << 32,
        13 => (1 << 44) - 1 + rng.below(3) as i128,
        14 => 1 << 63,
        15 => (1 << 64) - 1 - rng.below(2) as i128,
        16 => -1 - rng.below(3) as i128,
        17 => (1i128 << (bits - 1)) - 1 + rng.below(2) as i128,
        18 => 1 << rng.below(bits as usize),
        _ => rng.next().into(),
    };
    let modulus = 1i128 << bits;
    let wrapped = number.rem_euclid(modulus);
    if scalar.is_signed() && wrapped >= modulus / 2 { wrapped - modulus } else { wrapped }
}

fn length(rng: &mut Rng, threads: u64, block: u64, narrow: bool) -> u64 {
    match rng.below(40) {
        0..=3 => 0,
        4..=6 => 1,
        7..=8 => 2,
        9..=12 => (block + rng.next() % 3).saturating_sub(1),
        13..=22 => (threads + rng.next() % 3).saturating_sub(1),
        23..=26 => rng.next() % 40,
        27..=30 => threads * (1 + rng.next() % 3) + rng.next() % 3,
        31 => (1 << 31) - 1 + rng.next() % 3,
        34 => (1 << 31) - 1 - rng.next() % 9,
        32 if !narrow => (1 << 32) - 1 + rng.next() % 3,
        33 if !narrow => (1 << 44) - 1 + rng.next() % 3,
        _ => 100 + rng.next() % 100,
    }
}

fn launch(rng: &mut Rng, params: &[Param], mode: Mode, dimensions: usize) -> Launch {
    let mut block = [*rng.pick(&[1, 2, 3, 4, 8]), 1, 1];
    let mut grid = [1 + rng.below(3) as u32, 1, 1];
    if dimensions > 1 {
        block = [1 + rng.below(3) as u32, 1 + rng.below(3) as u32, 1];
        grid[1] = 1 + rng.below(2) as u32;
    }
    if let Some(fixed) = mode.fixed_block {
        block = fixed;
    }
    let (per_block, threads) = (u64::from(block[0] * block[1]), u64::from(grid[0] * block[0]));
    let of = |scalar: Scalar| if mode.narrow && scalar == Scalar::Usize { Scalar::U32 } else { scalar };
    let mut args = Vec::new();
    for param in params {
        match *param {
            Param::Slice(scalar) => {
                let len = length(rng, threads, per_block, mode.narrow);
                let scalar = of(scalar);
                let contents = (0..8)
                    .map(|_| match rng.below(3) {
                        0 if rng.chance(25) => (1u64 << 31) - rng.next() % 9,
                        0 => near(rng, scalar, threads, per_block) as u64,
                        1 => (len + rng.next() % 3).wrapping_sub(1),
                        _ => rng.next() % 10,
                    })
                    .collect();
                args.push(Arg::Array { len, scalar, contents });
                args.push(Arg::Number(len.into()));
            }
            Param::View(scalar) => {
                let (rows, cols) = (rng.next() % 6, length(rng, threads, per_block, true) % 200);
                let (row, col) = if mode.contiguous || rng.chance(60) { (cols, 1) } else { (1, rows) };
                let len = if rows * cols == 0 { 0 } else { (rows - 1) * row + (cols - 1) * col + 1 };
                args.push(Arg::Array { len, scalar: of(scalar), contents: vec![0, 1, 2, 3] });
                args.extend([rows, cols, row, col].map(|number| Arg::Number(number.into())));
            }
            Param::Number(scalar) => {
                args.push(Arg::Number(near(rng, of(scalar), threads, per_block)));
            }
        }
    }
    Launch { grid, block, args }
}

fn mode(rng: &mut Rng) -> Mode {
    Mode {
        overflow_checks: rng.chance(40),
        fixed_block: rng.chance(25).then(|| [*rng.pick(&[1, 4, 8]), 1, 1]),
        narrow: rng.chance(12),
        contiguous: rng.chance(30),
    }
}

/// Returns the kernel of a seed, and how it is compiled. Kernels become larger and larger, a thousand at a time.
fn random_kernel(seed: u64) -> (Kernel, Mode) {
    let mut rng = Rng::new(seed);
    let size = 2 + rng.below(4 + (seed % 1000) as usize / 50);
    let kernel = generate::kernel(&mut rng, size);
    let mode = mode(&mut rng);
    (kernel, mode)
}

/// Returns the number of dimensions of the launches of a kernel.
fn dimensions(kernel: &Kernel) -> usize {
    if kernel.text.contains("grid(2)") { 2 } else { 1 }
}

/// Tests a kernel in several launches. The error is a violation of the property.
fn test_kernel(kernel: &Kernel, mode: Mode, seed: u64, statistics: &mut Statistics) -> Result<(), String> {
    let text = &kernel.text;
    let dimensions = dimensions(kernel);
    let subject = catch_unwind(AssertUnwindSafe(|| Subject::new(text, mode)));
    let mut subject = match subject {
        Ok(Some(subject)) => subject,
        Ok(None) => {
            statistics.rejected += 1;
            return Ok(());
        }
        Err(panic) => {
            let message = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                .unwrap_or_default();
            return Err(format!("panic: {message}"));
        }
    };
    statistics.kernels += 1;
    statistics.analyses += subject.time;
    if subject.time > statistics.slowest.0 {
        statistics.slowest = (subject.time, format!("seed {seed}, {mode:?}\n{text}"));
    }
    let mut rng = Rng::new(seed);
    for i in 0..6 {
        let launch = launch(&mut rng, &kernel.params, mode, dimensions);
        let result = catch_unwind(AssertUnwindSafe(|| subject.test(&launch, i % 2 == 1, statistics)));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(what)) => return Err(format!("{what}\nlaunch: {launch:?}")),
            Err(_) => return Err(format!("panic\nlaunch: {launch:?}")),
        }
    }
    Ok(())
}

/// Removes lines and blocks as long as the failure stays.
fn shrink(kernel: Kernel, fails: impl Fn(&Kernel) -> bool) -> Kernel {
    let mut best = kernel;
    loop {
        let lines: Vec<&str> = best.text.lines().collect();
        let mut next = None;
        'search: for start in 0..lines.len() {
            let opens = |line: &str| line.matches('{').count() as isize - line.matches('}').count() as isize;
            let mut depth = 0;
            let mut end = start;
            for (i, line) in lines.iter().enumerate().skip(start) {
                depth += opens(line);
                end = i;
                if depth <= 0 {
                    break;
                }
            }
            if depth < 0 || (lines[start].starts_with("fn k")) {
                continue;
            }
            // Without the block, or with its content only.
            let mut candidates = vec![[&lines[..start], &lines[end + 1..]].concat()];
            if end > start {
                candidates.push([&lines[..start], &lines[start + 1..end], &lines[end + 1..]].concat());
            }
            for candidate in candidates {
                let text = candidate.join("\n") + "\n";
                let candidate = Kernel { text, params: best.params.clone() };
                if fails(&candidate) {
                    next = Some(candidate);
                    break 'search;
                }
            }
        }
        match next {
            Some(next) => best = next,
            None => return best,
        }
    }
}

fn quietly<T>(run: impl FnOnce() -> T) -> T {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = run();
    std::panic::set_hook(hook);
    result
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn random_kernels() {
    let count = variable("CUMBIA_PROOF_KERNELS").unwrap_or(100);
    let first = variable("CUMBIA_PROOF_SEED").unwrap_or(1);
    let mut statistics = Statistics::default();
    let mut failures = String::new();
    let mut kinds = BTreeMap::<String, usize>::new();
    for seed in first..first + count {
        let (kernel, mode) = random_kernel(seed);
        let Err(what) = quietly(|| test_kernel(&kernel, mode, seed, &mut statistics)) else { continue };
        let kind = |what: &str| -> String {
            let line = what.lines().next().unwrap_or_default();
            line.chars().filter(|c| !c.is_ascii_digit()).take(50).collect()
        };
        let seen = kinds.entry(kind(&what)).or_default();
        *seen += 1;
        if *seen > 3 {
            continue;
        }
        let small = quietly(|| {
            shrink(kernel, |candidate| {
                test_kernel(candidate, mode, seed, &mut Statistics::default())
                    .is_err_and(|now| kind(&now) == kind(&what))
            })
        });
        let message = quietly(|| test_kernel(&small, mode, seed, &mut Statistics::default())).unwrap_err();
        let _ = writeln!(failures, "seed {seed}, {mode:?}: {message}\n{}", small.text);
        if variable("CUMBIA_PROOF_SHOW").is_some() {
            eprintln!("seed {seed}, {mode:?}: {message}\n{}", small.text);
        }
    }
    if variable("CUMBIA_PROOF_SHOW").is_some() {
        let Statistics {
            deferred,
            kernels,
            rejected,
            launches,
            narrow,
            coarsened,
            unsupported,
            slowest,
            analyses,
            checks,
            kept,
            narrow_partial,
            tests,
        } = &statistics;
        eprintln!("{kernels} kernels, {rejected} rejected, {launches} launches");
        eprintln!("{coarsened} launches of coarsened kernels, {deferred} of kernels with deferred faults");
        eprintln!("tests ahead of loops that failed and that held: {tests:?}");
        eprintln!("narrow: {narrow:?}, with some checks: {narrow_partial}, unsupported: {unsupported:?}");
        eprintln!("analyses: {analyses:?}, the slowest: {:?}, {}", slowest.0, slowest.1);
        eprintln!("checks of launches without a failing check: executed, with a condition, removed");
        for (op, [all, conditional, removed]) in checks {
            eprintln!("  {op:?}: {all}, {conditional}, {removed} ({} %)", removed * 100 / all.max(&1));
        }
        let mut kept: Vec<_> = kept.iter().collect();
        kept.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (shape, count) in kept.into_iter().take(25) {
            eprintln!("  kept {count}: {shape}");
        }
        eprintln!("failures: {kinds:?}");
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(statistics.kernels > statistics.rejected, "most kernels are rejected");
}
