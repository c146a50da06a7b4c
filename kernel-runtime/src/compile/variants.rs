//! Variants of a kernel, and the choice between them at a launch.
//!
//! The compiler can write a kernel without the bounds checks that a predicate proves. A predicate reads launch symbols:
//! grid and block, dynamic shared memory, and parameters. All of them are numbers at a launch, where
//! [`Candidates::select`] evaluates the predicates. The candidates are in order of preference; the checked variant,
//! which is valid for every launch, follows the last of them. A launch that proves some of the checks, but not all, runs a
//! variant without those: which checks these are is known only then, so that it is compiled for the first such launch.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use smallvec::SmallVec;

use cumbia_kernel_compiler::{Axis, GUARD_VALUES, Guard, LaunchSymbol, Predicate, Variant, Verdict};
use cumbia_kernel_ir::Scalar;

use super::build::{Build, PARTIALS};
use crate::cuda::variable;
use crate::sync::{Mutex, OnceLock};
use cumbia_kernel_sync::warn;

/// The variants of a kernel that are valid only under a condition, in order of preference.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    /// Those without all the checks that they can omit.
    whole: Vec<Candidate>,
    /// The variants without some of the checks that the proven one omits, in the order in which launches needed them.
    partials: [OnceLock<Partial>; PARTIALS],
    /// Whether there will be no further ones.
    is_closed: AtomicBool,
    /// Held while one is added.
    pub(super) growing: Mutex<()>,
    /// The parameters that the conditions read, without duplicates.
    parameters: Vec<Parameter>,
}

/// A variant that is valid for the launches whose predicate holds.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) variant: Variant,
    /// The compilation that such a launch runs, unless it is coarsened.
    pub(crate) build: Build,
    predicate: Arc<Predicate>,
    /// The groups of checks that have to be proved.
    groups: Verdict,
    /// The source of the value of each symbol of the predicate.
    symbols: SmallVec<[Symbol; 16]>,
    /// A further condition: that of the checks of a kernel with `prove`.
    further: Option<Box<Candidate>>,
}

/// A variant without some of the checks that the proven one omits: see [`Build::Partial`].
#[derive(Debug)]
pub(crate) struct Partial {
    /// The groups of checks that it omits.
    pub(super) verdict: Verdict,
    pub(super) candidate: Candidate,
}

/// The source of a launch symbol's value.
#[derive(Clone, Copy, Debug)]
enum Symbol {
    Parameter(Parameter),
    /// An index into the numbers of a [`LaunchShape`].
    Shape(u8),
}

/// An integer parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// The position among the parameters.
    index: u16,
    width: Width,
}

/// The size and the signedness of an integer in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
}

/// The numbers of a launch besides its parameters: the grid, the block, and the dynamic shared memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaunchShape([u64; 7]);

impl LaunchShape {
    pub(crate) fn new(grid: [u64; 3], block: [u64; 3], shared_bytes: u64) -> LaunchShape {
        let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
        LaunchShape([gx, gy, gz, bx, by, bz, shared_bytes])
    }
}

impl Candidates {
    /// Returns the candidates of these predicates, without those whose symbols the host cannot read.
    pub(crate) fn new(predicates: impl IntoIterator<Item = (Variant, Arc<Predicate>)>) -> Candidates {
        Candidates::of(candidates(predicates))
    }

    /// Returns the candidates with these conditions, each of which is also a condition of those before it.
    pub(crate) fn nested(predicates: impl IntoIterator<Item = (Variant, Arc<Predicate>)>) -> Candidates {
        let mut candidates = candidates(predicates);
        for at in 1..candidates.len() {
            let Candidate { build, groups, .. } = candidates[at];
            candidates[at - 1].further = Some(Box::new(candidates[at].with_groups(build, groups)));
        }
        let candidates = Candidates::of(candidates);
        // A launch that does not prove all checks is rejected.
        candidates.close();
        candidates
    }

    fn of(candidates: Vec<Candidate>) -> Candidates {
        let mut parameters = Vec::new();
        for parameter in candidates.iter().flat_map(Candidate::parameters) {
            if !parameters.contains(&parameter) {
                parameters.push(parameter);
            }
        }
        Candidates { whole: candidates, parameters, ..Candidates::default() }
    }

    /// Returns the candidates whose predicates the compiler has derived, in order of preference.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.whole.iter()
    }

    /// Returns all builds that launches select at present.
    pub(crate) fn builds(&self) -> impl Iterator<Item = Build> {
        let partials = self.partials.iter().filter_map(OnceLock::get).map(|partial| &partial.candidate);
        self.iter().chain(partials).map(|candidate| candidate.build).chain([Build::CHECKED])
    }

    /// Returns the variant that a launch runs unless an index may be out of bounds.
    pub(crate) fn preferred(&self) -> Variant {
        self.whole.first().map_or(Variant::Checked, |candidate| candidate.variant)
    }

    /// Returns the parameters that the predicates read.
    pub(crate) fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the build of the best variant that is valid for a launch; `None` if a variant that is not compiled yet would be
    /// better: see [`Specialised::select_or_compile`](super::specialise::Specialised::select_or_compile).
    ///
    /// # Safety
    ///
    /// As for [`Parameter::read`], for all [`parameters`](Candidates::parameters).
    pub(crate) unsafe fn select(&self, params: *const *mut c_void, shape: &LaunchShape) -> Option<Build> {
        // SAFETY: upheld by the caller, as below.
        let is_valid = |candidate: &Candidate| unsafe { candidate.is_valid(params, shape) };
        if let Some(candidate) = self.whole.iter().find(|candidate| is_valid(candidate)) {
            return Some(candidate.build);
        }
        let valid = self.partials.iter().filter_map(OnceLock::get).filter(|partial| is_valid(&partial.candidate));
        let best = valid.max_by_key(|partial| partial.verdict.groups());
        if self.next_partial().is_some()
            && let Some(proven) = self.proven()
        {
            // SAFETY: as above.
            let verdict = unsafe { proven.verdict(params, shape) };
            if verdict != best.map_or(Verdict::NONE, |partial| partial.verdict) {
                return None;
            }
        }
        Some(best.map_or(Build::CHECKED, |partial| partial.candidate.build))
    }

    /// Returns a guard for launches with the shape of this one, which selects `build`: where it holds for the values of
    /// [`parameters`](Candidates::parameters), another launch selects the same. `None` if there is none.
    ///
    /// # Safety
    ///
    /// As for [`select`](Candidates::select).
    pub(crate) unsafe fn guard(&self, build: Build, params: *const *mut c_void, shape: &LaunchShape) -> Option<Guard> {
        // No other candidate is preferred to the first one.
        let first = self.whole.first().filter(|first| first.build == build && first.further.is_none())?;
        let position = |parameter| self.parameters.iter().position(|known| *known == parameter);
        if self.parameters.len() >= GUARD_VALUES {
            return None;
        }
        let variable = |symbol: usize| match first.symbols[symbol] {
            Symbol::Parameter(parameter) => position(parameter).map(|at| 1 + at as u8),
            Symbol::Shape(_) => None,
        };
        // SAFETY: upheld by the caller.
        first.predicate.guard(first.groups, |symbol| unsafe { first.symbols[symbol].read(params, shape) }, variable)
    }

    /// Returns the candidate of the proven variant.
    pub(super) fn proven(&self) -> Option<&Candidate> {
        self.whole.last().filter(|candidate| candidate.variant == Variant::Proven)
    }

    /// Returns a partial variant by its number.
    pub(super) fn partial(&self, number: u8) -> Option<&Partial> {
        self.partials.get(usize::from(number))?.get()
    }

    /// Returns the build of the next partial variant; `None` if there will be no further one.
    pub(super) fn next_partial(&self) -> Option<Build> {
        let free = self.partials.iter().position(|partial| partial.get().is_none())?;
        (!self.is_closed.load(Ordering::Relaxed)).then_some(Build::Partial(free as u8))
    }

    /// Adds the variant with the build [`next_partial`](Candidates::next_partial), while [`growing`](Candidates::growing) is held.
    pub(super) fn add(&self, partial: Partial) {
        if let Some(free) = self.partials.iter().find(|place| place.get().is_none()) {
            free.get_or_init(|| partial);
        }
    }

    /// Excludes further partial variants.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Returns whether the predicate of a candidate reads no other parameters than those of the others.
    pub(super) fn watches(&self, candidate: &Candidate) -> bool {
        candidate.parameters().all(|parameter| self.parameters.contains(&parameter))
    }
}

/// Returns the candidates of these predicates, without those whose symbols the host cannot read.
fn candidates(predicates: impl IntoIterator<Item = (Variant, Arc<Predicate>)>) -> Vec<Candidate> {
    let candidate = |(variant, predicate)| Candidate::new(variant, Build::Of(variant), predicate);
    predicates.into_iter().filter_map(candidate).collect()
}

impl Candidate {
    /// Returns the candidate of a predicate; `None` if the host cannot read one of its symbols.
    pub(crate) fn new(variant: Variant, build: Build, predicate: Arc<Predicate>) -> Option<Candidate> {
        let symbols = predicate.symbols().iter().map(|symbol| Symbol::of(*symbol)).collect::<Option<_>>()?;
        let groups = predicate.best();
        Some(Candidate { variant, build, predicate, groups, symbols, further: None })
    }

    /// Returns the candidate that demands the proof of these groups only.
    pub(super) fn with_groups(&self, build: Build, groups: Verdict) -> Candidate {
        let Candidate { variant, ref predicate, ref symbols, .. } = *self;
        Candidate { variant, build, predicate: predicate.clone(), groups, symbols: symbols.clone(), further: None }
    }

    /// Returns the predicate.
    pub(crate) fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    /// Returns the parameters that the predicate reads.
    fn parameters(&self) -> impl Iterator<Item = Parameter> {
        self.symbols.iter().filter_map(|symbol| match symbol {
            Symbol::Parameter(parameter) => Some(*parameter),
            Symbol::Shape(_) => None,
        })
    }

    /// Returns whether the predicate holds for a launch.
    ///
    /// # Safety
    ///
    /// As for [`Candidates::select`].
    pub(crate) unsafe fn is_valid(&self, params: *const *mut c_void, shape: &LaunchShape) -> bool {
        // SAFETY: upheld by the caller.
        let holds = unsafe { self.verdict(params, shape) }.includes(self.groups);
        // SAFETY: as above.
        holds && self.further.as_ref().is_none_or(|further| unsafe { further.is_valid(params, shape) })
    }

    /// Returns the checks that are proved for a launch.
    ///
    /// # Safety
    ///
    /// As for [`Candidates::select`].
    pub(super) unsafe fn verdict(&self, params: *const *mut c_void, shape: &LaunchShape) -> Verdict {
        // SAFETY: upheld by the caller.
        self.predicate.verdict_by(|symbol| unsafe { self.symbols[symbol].read(params, shape) })
    }

    /// Returns the values of the predicate's symbols in a launch.
    ///
    /// # Safety
    ///
    /// As for [`Candidates::select`].
    pub(crate) unsafe fn values(&self, params: *const *mut c_void, shape: &LaunchShape) -> SmallVec<[i128; 32]> {
        // SAFETY: upheld by the caller.
        let value = |(symbol, read): (&LaunchSymbol, &Symbol)| symbol.value(unsafe { read.read(params, shape) });
        self.predicate.symbols().iter().zip(&self.symbols).map(value).collect()
    }
}

/// The condition under which all checks of a kernel are proved.
pub(super) struct ProofCondition {
    pub(super) candidate: Candidate,
    /// The groups of the checks in the verdict of the predicate. Further groups are those of tests before loops, which may
    /// fail although no check does.
    pub(super) groups: Vec<u32>,
}

impl ProofCondition {
    /// Returns whether all checks are proved for these values of the predicate's symbols.
    pub(super) fn is_satisfied(&self, values: &[i128]) -> bool {
        let verdict = self.candidate.predicate().verdict(values);
        self.groups.iter().all(|group| verdict.has(*group))
    }
}

impl Symbol {
    /// Returns the value in a launch, extended to 64 bits.
    ///
    /// # Safety
    ///
    /// As for [`Candidates::select`].
    #[inline]
    unsafe fn read(self, params: *const *mut c_void, shape: &LaunchShape) -> u64 {
        match self {
            // SAFETY: upheld by the caller.
            Symbol::Parameter(parameter) => unsafe { parameter.read(params) },
            Symbol::Shape(at) => shape.0[usize::from(at) % shape.0.len()],
        }
    }

    fn of(symbol: LaunchSymbol) -> Option<Symbol> {
        let axis = |axis| match axis {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        };
        Some(match symbol {
            LaunchSymbol::Param { index, scalar } => {
                Symbol::Parameter(Parameter { index: u16::try_from(index).ok()?, width: Width::of(scalar)? })
            }
            LaunchSymbol::GridDim(of) => Symbol::Shape(axis(of)),
            LaunchSymbol::BlockDim(of) => Symbol::Shape(3 + axis(of)),
            LaunchSymbol::DynamicSharedBytes => Symbol::Shape(6),
        })
    }
}

impl Width {
    /// Returns an integer, extended to 64 bits.
    ///
    /// # Safety
    ///
    /// The pointer points to an initialised integer of this width, which may be misaligned.
    #[inline(never)]
    unsafe fn read(self, value: *const c_void) -> u64 {
        // SAFETY: upheld by the caller.
        unsafe {
            match self {
                Width::U64 | Width::I64 => value.cast::<u64>().read_unaligned(),
                Width::U32 => value.cast::<u32>().read_unaligned().into(),
                Width::I32 => i64::from(value.cast::<i32>().read_unaligned()) as u64,
                Width::U16 => value.cast::<u16>().read_unaligned().into(),
                Width::I16 => i64::from(value.cast::<i16>().read_unaligned()) as u64,
                Width::U8 => value.cast::<u8>().read().into(),
                Width::I8 => i64::from(value.cast::<i8>().read()) as u64,
            }
        }
    }

    fn of(scalar: Scalar) -> Option<Width> {
        Some(match scalar {
            Scalar::Bool | Scalar::U8 => Width::U8,
            Scalar::U16 => Width::U16,
            Scalar::U32 => Width::U32,
            Scalar::U64 | Scalar::Usize => Width::U64,
            Scalar::I8 => Width::I8,
            Scalar::I16 => Width::I16,
            Scalar::I32 => Width::I32,
            Scalar::I64 | Scalar::Isize => Width::I64,
            Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => return None,
        })
    }
}

impl Parameter {
    /// A parameter that is never read.
    pub(crate) const NONE: Parameter = Parameter { index: 0, width: Width::U64 };

    /// Returns the value, extended to 64 bits.
    ///
    /// # Safety
    ///
    /// `params` are pointers to the parameters of the kernel that the predicate belongs to, in order.
    #[inline]
    pub(crate) unsafe fn read(self, params: *const *mut c_void) -> u64 {
        // SAFETY: the kernel has such a parameter, an integer of this width. A copy may be misaligned.
        unsafe {
            let value = *params.add(self.index.into());
            // Lengths and strides: without the table of the `match`, which would be another cache miss.
            if self.width == Width::U64 { value.cast::<u64>().read_unaligned() } else { self.width.read(value) }
        }
    }
}

/// Returns the first variant that launches may choose: `CUMBIA_VARIANT` excludes those before it.
pub(crate) fn first_variant() -> Variant {
    static FIRST: OnceLock<Variant> = OnceLock::new();
    *FIRST.get_or_init(|| {
        let [preferred, ..] = Variant::ALL;
        let Some(value) = variable("CUMBIA_VARIANT") else { return preferred };
        let named = Variant::ALL.into_iter().find(|variant| value.to_str() == Some(&variant.to_string()));
        named.unwrap_or_else(|| {
            warn(
                format!("CUMBIA_VARIANT is `{}`, which is not a variant", value.display()),
                "set it to `checked` to keep all bounds checks, to `proven` to keep 64-bit indices, or unset it",
            );
            preferred
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(params: &[*mut c_void; 3], index: usize, scalar: Scalar, expected: i128) {
        let symbol = LaunchSymbol::Param { index, scalar };
        let Some(Symbol::Parameter(parameter)) = Symbol::of(symbol) else {
            panic!("{scalar:?} is not read");
        };
        // SAFETY: the callers pass pointers to values that are alive, and at least as large as the scalar.
        let bits = unsafe { parameter.read(params.as_ptr()) };
        assert_eq!(symbol.value(bits), expected);
    }

    #[test]
    fn parameters_are_read_by_width_and_sign() {
        let (mut byte, mut word, mut long) = (0xffu8, -2i32, u64::MAX);
        let params: [*mut c_void; 3] = [(&raw mut byte).cast(), (&raw mut word).cast(), (&raw mut long).cast()];
        check(&params, 0, Scalar::U8, 255);
        check(&params, 0, Scalar::I8, -1);
        check(&params, 1, Scalar::I32, -2);
        check(&params, 1, Scalar::U32, (1 << 32) - 2);
        check(&params, 1, Scalar::U16, (1 << 16) - 2);
        check(&params, 1, Scalar::I16, -2);
        check(&params, 2, Scalar::Usize, (1 << 64) - 1);
        check(&params, 2, Scalar::Isize, -1);
        assert!(Symbol::of(LaunchSymbol::Param { index: 0, scalar: Scalar::F32 }).is_none());
    }
}
