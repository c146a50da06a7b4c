//! Launch predicates: the conditions of a kernel's checks as a small program over launch symbols, which the host
//! evaluates at a launch.

mod flat;
mod guard;
#[cfg(test)]
mod tests;

pub use guard::{GUARD_VALUES, Guard};

use flat::Flat;
use rustc_hash::FxHashMap;

use smallvec::{SmallVec, smallvec};

use crate::prove::atoms::{Atoms, Range, Uniform};
use crate::prove::condition::{Condition, Conditions, Formula};
use crate::prove::poly::{Atom, Poly, product};
use crate::prove::symbol::LaunchSymbol;
use crate::verdict::Verdict;

/// The maximum number of groups.
pub(in crate::prove) const GROUPS: usize = 64;

/// A term of a polynomial: a coefficient and the numbers that it is multiplied by.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    coefficient: i128,
    /// Indices of [`Predicate::numbers`].
    factors: SmallVec<[u32; 4]>,
}

/// How a number is computed from the numbers before it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Number {
    Wrapped { poly: Vec<Term>, bits: u32, signed: bool },
    Quotient(Vec<Term>, Vec<Term>),
    Min(Vec<Term>, Vec<Term>),
    Max(Vec<Term>, Vec<Term>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Constant(bool),
    NonNegative(Vec<Term>),
    All(Vec<u32>),
    Any(Vec<u32>),
    Invariant(u32),
}

/// The conditions under which the checks of a kernel cannot fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Predicate {
    symbols: Vec<LaunchSymbol>,
    /// The values of symbols that the analysis has assumed, by their index.
    assumed: Vec<(usize, i128, i128)>,
    /// The numbers that follow the symbols.
    numbers: Vec<Number>,
    nodes: Vec<Node>,
    /// The node of each loop invariant.
    invariants: Vec<u32>,
    /// The node of each group.
    groups: Vec<u32>,
    /// Whether all coefficients have at most 64 bits.
    is_narrow: bool,
    /// What is evaluated with 64 bits.
    flat: Option<Flat>,
}

impl Predicate {
    /// Returns the symbols that the predicate reads, without duplicates.
    pub fn symbols(&self) -> &[LaunchSymbol] {
        &self.symbols
    }

    /// Returns the verdict if every condition holds.
    pub fn best(&self) -> Verdict {
        Verdict(u64::MAX >> (64 - self.groups.len()))
    }

    /// Returns a symbol whose value the analysis has excluded, with the range that it has assumed: no condition holds
    /// then.
    pub fn excluded(&self, values: &[i128]) -> Option<(LaunchSymbol, std::ops::RangeInclusive<i128>)> {
        let found = self.assumed.iter().find(|(symbol, lo, hi)| !(*lo..=*hi).contains(&values[*symbol]));
        found.map(|(symbol, lo, hi)| (self.symbols[*symbol], *lo..=*hi))
    }

    /// Returns whether every condition holds. `values[i]` is the value of `symbols()[i]`.
    pub fn holds(&self, values: &[i128]) -> bool {
        self.verdict(values) == self.best()
    }

    /// Evaluates the conditions for the values of [`Predicate::symbols`]. A condition that cannot be evaluated, because
    /// of an overflow or a division by zero, does not hold.
    pub fn verdict(&self, values: &[i128]) -> Verdict {
        if values.len() != self.symbols.len() {
            return Verdict::NONE;
        }
        if self.symbols.iter().zip(values).all(|(symbol, value)| symbol.value(*value as u64) == *value) {
            self.verdict_by(|symbol| values[symbol] as u64)
        } else {
            self.verdict_by_nodes(values)
        }
    }

    /// As [`verdict`](Predicate::verdict), for values that a function returns for the indices of the symbols, extended to 64 bits.
    #[inline]
    pub fn verdict_by(&self, bits: impl Fn(usize) -> u64) -> Verdict {
        if let Some(verdict) = self.flat.as_ref().and_then(|flat| flat.verdict(&bits)) {
            debug_assert_eq!(verdict, self.verdict_by_nodes(&self.values(bits)), "{self:?}");
            return verdict;
        }
        self.verdict_by_nodes(&self.values(bits))
    }

    /// Returns comparisons that suffice for some groups of checks, which are proved for these values of the symbols; `None` if there
    /// is no such guard. `variable` returns the position of a symbol among the values that vary, from 1 on and less than
    /// [`GUARD_VALUES`], and `None` for a symbol that keeps its value.
    pub fn guard(
        &self,
        groups: Verdict,
        bits: impl Fn(usize) -> u64,
        variable: impl Fn(usize) -> Option<u8>,
    ) -> Option<Guard> {
        self.flat.as_ref()?.guard(groups, bits, variable)
    }

    /// Returns the values of the symbols, without an allocation unless there are many: a launch allocates nothing.
    #[cold]
    fn values(&self, bits: impl Fn(usize) -> u64) -> SmallVec<[i128; 32]> {
        self.symbols.iter().enumerate().map(|(at, symbol)| symbol.value(bits(at))).collect()
    }

    /// As [`verdict`](Predicate::verdict), for any predicate and values.
    fn verdict_by_nodes(&self, values: &[i128]) -> Verdict {
        if self.excluded(values).is_some() {
            return Verdict::NONE;
        }
        if self.is_narrow
            && let Some(verdict) = self.verdict_with::<i64>(values)
        {
            return verdict;
        }
        self.verdict_with::<i128>(values).unwrap_or(Verdict::NONE)
    }

    /// Evaluates the conditions with integers of a width; `None` if they are too narrow.
    fn verdict_with<N: Integer>(&self, values: &[i128]) -> Option<Verdict> {
        // On the stack, unless the kernel is large.
        let mut numbers: Numbers<N> = Numbers { values: SmallVec::new(), has_overflowed: false };
        for value in values {
            numbers.values.push(Some(N::try_from(*value).ok()?));
        }
        for number in &self.numbers {
            let value = number.compute(&mut numbers);
            numbers.values.push(value);
        }
        // The greatest solution for the invariants.
        let mut holds: SmallVec<[bool; 16]> = smallvec![true; self.invariants.len()];
        let verdict = loop {
            let mut known: SmallVec<[Option<bool>; 128]> = smallvec![None; self.nodes.len()];
            let mut changed = false;
            let mut next = holds.clone();
            for (number, node) in self.invariants.iter().enumerate() {
                if holds[number] && !self.evaluate(*node, &mut numbers, &holds, &mut known) {
                    next[number] = false;
                    changed = true;
                }
            }
            if !changed {
                let mut verdict = 0;
                for (group, node) in self.groups.iter().enumerate() {
                    verdict |= u64::from(self.evaluate(*node, &mut numbers, &holds, &mut known)) << group;
                }
                break Verdict(verdict);
            }
            holds = next;
        };
        // With 128 bits, what overflows does not hold.
        (!numbers.has_overflowed || N::IS_WIDEST).then_some(verdict)
    }

    fn evaluate<N: Integer>(
        &self,
        node: u32,
        numbers: &mut Numbers<N>,
        holds: &[bool],
        known: &mut [Option<bool>],
    ) -> bool {
        if let Some(value) = known[node as usize] {
            return value;
        }
        let value = match &self.nodes[node as usize] {
            Node::Constant(value) => *value,
            Node::NonNegative(poly) => numbers.sum(poly).is_some_and(|value| value >= N::default()),
            Node::All(parts) => parts.iter().all(|part| self.evaluate(*part, numbers, holds, known)),
            Node::Any(parts) => parts.iter().any(|part| self.evaluate(*part, numbers, holds, known)),
            Node::Invariant(number) => holds[*number as usize],
        };
        known[node as usize] = Some(value);
        value
    }
}

/// The integers that a predicate is evaluated with: 64 bits nearly always suffice, and take a third of the time of 128.
trait Integer: Copy + Ord + Default + Into<i128> + TryFrom<i128> {
    /// Whether there is no wider type to evaluate with.
    const IS_WIDEST: bool;

    /// Returns the low-order bits of a number.
    fn truncated(value: i128) -> Self;
    fn checked_add(self, other: Self) -> Option<Self>;
    fn checked_mul(self, other: Self) -> Option<Self>;
}

impl Integer for i64 {
    const IS_WIDEST: bool = false;

    fn truncated(value: i128) -> i64 {
        value as i64
    }

    fn checked_add(self, other: i64) -> Option<i64> {
        i64::checked_add(self, other)
    }

    fn checked_mul(self, other: i64) -> Option<i64> {
        i64::checked_mul(self, other)
    }
}

impl Integer for i128 {
    const IS_WIDEST: bool = true;

    fn truncated(value: i128) -> i128 {
        value
    }

    fn checked_add(self, other: i128) -> Option<i128> {
        i128::checked_add(self, other)
    }

    fn checked_mul(self, other: i128) -> Option<i128> {
        product(self, other)
    }
}

/// The values of the symbols, and of the numbers computed from them; `None` for one that has no value.
struct Numbers<N> {
    values: SmallVec<[Option<N>; 48]>,
    /// Whether a number did not fit.
    has_overflowed: bool,
}

impl<N: Integer> Numbers<N> {
    /// Returns the value of a polynomial.
    fn sum(&mut self, poly: &[Term]) -> Option<N> {
        let mut sum = N::default();
        for Term { coefficient, factors } in poly {
            let mut term = N::truncated(*coefficient);
            for factor in factors {
                let value = self.values[*factor as usize]?;
                term = self.fitting(term.checked_mul(value))?;
            }
            sum = self.fitting(sum.checked_add(term))?;
        }
        Some(sum)
    }

    /// Notes whether a number did not fit.
    fn fitting(&mut self, value: Option<N>) -> Option<N> {
        self.has_overflowed |= value.is_none();
        value
    }
}

impl Number {
    fn compute<N: Integer>(&self, numbers: &mut Numbers<N>) -> Option<N> {
        match self {
            Number::Wrapped { poly, bits, signed } => {
                let modulus = 1i128 << bits;
                // The remainder by a power of two, without a division.
                let value = numbers.sum(poly)?.into() & (modulus - 1);
                let value = if *signed && value >= modulus / 2 { value - modulus } else { value };
                numbers.fitting(N::try_from(value).ok())
            }
            Number::Quotient(dividend, divisor) => {
                let (dividend, divisor): (i128, i128) = (numbers.sum(dividend)?.into(), numbers.sum(divisor)?.into());
                if dividend < 0 || divisor <= 0 {
                    return None;
                }
                // A division of 64 bits is an instruction, one of 128 bits a function.
                let quotient = match (u64::try_from(dividend), u64::try_from(divisor)) {
                    (Ok(dividend), Ok(divisor)) => i128::from(dividend / divisor),
                    _ => dividend / divisor,
                };
                numbers.fitting(N::try_from(quotient).ok())
            }
            Number::Min(left, right) => Some(numbers.sum(left)?.min(numbers.sum(right)?)),
            Number::Max(left, right) => Some(numbers.sum(left)?.max(numbers.sum(right)?)),
        }
    }
}

/// Translates conditions into a predicate.
pub(in crate::prove) struct Builder<'a> {
    atoms: &'a Atoms,
    conditions: &'a Conditions,
    /// The numbers of the uniform atoms, in the order of [`Predicate::numbers`].
    numbers: FxHashMap<Atom, u32>,
    nodes: FxHashMap<Condition, u32>,
    predicate: Predicate,
}

impl<'a> Builder<'a> {
    /// Returns the predicate for groups of checks. `assumed` are the symbols whose ranges the analysis has assumed.
    pub(in crate::prove) fn build(
        atoms: &'a Atoms,
        conditions: &'a Conditions,
        assumed: &[(Atom, LaunchSymbol, Range)],
        groups: &[Condition],
    ) -> Predicate {
        let predicate = Predicate {
            symbols: Vec::new(),
            assumed: Vec::new(),
            numbers: Vec::new(),
            nodes: Vec::new(),
            invariants: Vec::new(),
            groups: Vec::new(),
            is_narrow: true,
            flat: None,
        };
        let mut builder =
            Builder { atoms, conditions, numbers: FxHashMap::default(), nodes: FxHashMap::default(), predicate };
        // The symbols come first, in a fixed order.
        let mut polys = Vec::new();
        let invariants = builder.conditions.invariants.clone();
        for condition in groups.iter().chain(&invariants) {
            builder.collect(*condition, &mut polys, &mut Vec::new());
        }
        let mut symbols: Vec<(LaunchSymbol, Atom)> = assumed.iter().map(|(atom, symbol, _)| (*symbol, *atom)).collect();
        for poly in &polys {
            builder.collect_symbols(poly, &mut symbols);
        }
        symbols.sort_unstable();
        symbols.dedup();
        for (symbol, atom) in symbols {
            builder.numbers.insert(atom, builder.predicate.symbols.len() as u32);
            builder.predicate.symbols.push(symbol);
        }
        for (atom, _, Range { lo, hi }) in assumed {
            let number = builder.numbers[atom];
            builder.predicate.assumed.push((number as usize, *lo, *hi));
        }
        for invariant in invariants {
            let node = builder.node(invariant);
            builder.predicate.invariants.push(node);
        }
        for group in groups {
            let node = builder.node(*group);
            builder.predicate.groups.push(node);
        }
        let Builder { mut predicate, .. } = builder;
        predicate.flat = Flat::new(&predicate);
        predicate
    }

    fn collect(&self, condition: Condition, polys: &mut Vec<Poly>, seen: &mut Vec<Condition>) {
        if seen.contains(&condition) {
            return;
        }
        seen.push(condition);
        match self.conditions.get(condition) {
            Formula::NonNegative(poly) => polys.push(poly.clone()),
            Formula::All(parts) | Formula::Any(parts) => {
                for part in parts {
                    self.collect(*part, polys, seen);
                }
            }
            Formula::True | Formula::False | Formula::Invariant(_) => {}
        }
    }

    fn collect_symbols(&self, poly: &Poly, found: &mut Vec<(LaunchSymbol, Atom)>) {
        for atom in poly.atoms() {
            match &self.atoms.get(atom).uniform {
                Some(Uniform::Symbol(symbol)) => found.push((*symbol, atom)),
                Some(Uniform::Wrapped { poly, .. }) => self.collect_symbols(poly, found),
                Some(Uniform::Quotient(left, right) | Uniform::Min(left, right) | Uniform::Max(left, right)) => {
                    self.collect_symbols(left, found);
                    self.collect_symbols(right, found);
                }
                None => {}
            }
        }
    }

    fn terms(&mut self, poly: &Poly) -> Vec<Term> {
        self.predicate.is_narrow &= poly.terms().iter().all(|(_, coefficient)| i64::try_from(*coefficient).is_ok());
        poly.terms()
            .iter()
            .map(|(monomial, coefficient)| Term {
                coefficient: *coefficient,
                factors: monomial.iter().map(|atom| self.number(atom)).collect(),
            })
            .collect()
    }

    fn number(&mut self, atom: Atom) -> u32 {
        if let Some(number) = self.numbers.get(&atom) {
            return *number;
        }
        let number = match &self.atoms.get(atom).uniform {
            Some(Uniform::Wrapped { poly, bits, signed }) => {
                Number::Wrapped { poly: self.terms(poly), bits: *bits, signed: *signed }
            }
            Some(Uniform::Quotient(left, right)) => Number::Quotient(self.terms(left), self.terms(right)),
            Some(Uniform::Min(left, right)) => Number::Min(self.terms(left), self.terms(right)),
            Some(Uniform::Max(left, right)) => Number::Max(self.terms(left), self.terms(right)),
            // Conditions consist of uniform atoms. A division by zero is a number without a value.
            Some(Uniform::Symbol(_)) | None => Number::Quotient(Vec::new(), Vec::new()),
        };
        let index = (self.predicate.symbols.len() + self.predicate.numbers.len()) as u32;
        self.predicate.numbers.push(number);
        self.numbers.insert(atom, index);
        index
    }

    fn node(&mut self, condition: Condition) -> u32 {
        if let Some(node) = self.nodes.get(&condition) {
            return *node;
        }
        let node = match self.conditions.get(condition) {
            Formula::True => Node::Constant(true),
            Formula::False => Node::Constant(false),
            Formula::NonNegative(poly) => Node::NonNegative(self.terms(poly)),
            Formula::All(parts) => Node::All(parts.iter().map(|part| self.node(*part)).collect()),
            Formula::Any(parts) => {
                // The first that holds decides: those that launches are expected to meet first, and the shorter ones.
                let mut parts = parts.clone();
                let is_plausible = |poly: &Poly| self.atoms.is_plausible(poly);
                parts.sort_by_cached_key(|part| {
                    (!self.conditions.is_plausible(*part, &is_plausible), self.conditions.terms(*part))
                });
                Node::Any(parts.iter().map(|part| self.node(*part)).collect())
            }
            Formula::Invariant(number) => Node::Invariant(*number),
        };
        let index = self.predicate.nodes.len() as u32;
        self.predicate.nodes.push(node);
        self.nodes.insert(condition, index);
        index
    }
}

#[cfg(test)]
impl Predicate {
    /// Returns whether a launch evaluates the predicate in its flat form.
    pub(in crate::prove) fn is_flat(&self) -> bool {
        self.flat.is_some()
    }

    /// Returns the conditions in symbols: `s0` is the first of [`Predicate::symbols`].
    pub(in crate::prove) fn describe(&self) -> String {
        fn node(predicate: &Predicate, poly: &impl Fn(&[Term]) -> String, index: u32) -> String {
            let all = |parts: &[u32], by: &str| {
                let parts: Vec<String> = parts.iter().map(|part| node(predicate, poly, *part)).collect();
                format!("({})", parts.join(by))
            };
            match &predicate.nodes[index as usize] {
                Node::Constant(value) => value.to_string(),
                Node::NonNegative(terms) => format!("{} >= 0", poly(terms)),
                Node::All(parts) => all(parts, " && "),
                Node::Any(parts) => all(parts, " || "),
                Node::Invariant(number) => format!("invariant {number}"),
            }
        }
        let poly = |terms: &[Term]| {
            let term = |Term { coefficient, factors }: &Term| {
                let factors: Vec<String> = factors.iter().map(|factor| format!("*s{factor}")).collect();
                format!("{coefficient:+}{}", factors.concat())
            };
            terms.iter().map(term).collect::<Vec<String>>().concat()
        };
        let groups: Vec<String> = self.groups.iter().map(|group| node(self, &poly, *group)).collect();
        groups.join("\n")
    }
}
