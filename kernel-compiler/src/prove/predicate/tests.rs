//! Flat forms and guards of random predicates, against the evaluation of the nodes.

use super::flat::{Flat, MAGNITUDE, Truths};
use super::*;
use crate::ir::Scalar;

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

const NUMBERS: [i64; 16] = [
    0,
    1,
    -1,
    2,
    3,
    7,
    255,
    -256,
    1 << 20,
    (1 << 31) - 1,
    MAGNITUDE - 1,
    MAGNITUDE,
    MAGNITUDE + 1,
    -MAGNITUDE - 1,
    i64::MAX,
    i64::MIN,
];

fn poly(random: &mut Random, numbers: usize) -> Vec<Term> {
    let coefficients: &[i128] = if random.below(8) > 0 { &[1, -1] } else { &[2, -3, 100, 1 << 40] };
    let mut poly: Vec<Term> = (0..=random.below(2))
        .map(|_| {
            let factors = (0..=random.below(6) / 5).map(|_| random.below(numbers) as u32).collect();
            Term { coefficient: random.of(coefficients), factors }
        })
        .collect();
    if random.below(2) == 0 {
        let coefficient = if random.below(16) == 0 { random.of(&NUMBERS).into() } else { random.below(9) as i128 - 4 };
        poly.push(Term { coefficient, factors: smallvec::SmallVec::new() });
    }
    poly
}

/// The difference of two numbers and a small constant, which needs no step.
fn difference(random: &mut Random, numbers: usize) -> Vec<Term> {
    let mut term = |coefficient| Term { coefficient, factors: [random.below(numbers) as u32].into_iter().collect() };
    let mut poly = vec![term(1), term(-1)];
    poly.push(Term { coefficient: random.below(9) as i128 - 4, factors: smallvec::SmallVec::new() });
    poly
}

/// A predicate with up to so many numbers, and comparisons.
fn predicate(random: &mut Random, most_numbers: usize, comparisons: usize) -> Predicate {
    let scalars = [Scalar::U64, Scalar::Usize, Scalar::I64, Scalar::I32];
    let symbols: Vec<LaunchSymbol> =
        (0..=random.below(6)).map(|index| LaunchSymbol::Param { index, scalar: random.of(&scalars) }).collect();
    let assumed = match random.below(4) {
        0 => {
            let bounds = [i128::from(i64::MIN) - 1, -1, 0, 5, 1 << 44, 1 << 61, 1 << 63, 1 << 64];
            let (a, b) = (random.of(&bounds), random.of(&bounds));
            vec![(random.below(symbols.len()), a.min(b), a.max(b))]
        }
        _ => Vec::new(),
    };
    let mut numbers = Vec::new();
    for _ in 0..random.below(most_numbers + 1) {
        let known = symbols.len() + numbers.len();
        let (left, right) = (poly(random, known), poly(random, known));
        numbers.push(match random.below(4) {
            0 => Number::Wrapped { poly: left, bits: random.of(&[8, 32, 64]), signed: random.below(2) == 0 },
            1 => Number::Quotient(left, right),
            2 => Number::Min(left, right),
            _ => Number::Max(left, right),
        });
    }
    let known = symbols.len() + numbers.len();
    let mut nodes: Vec<Node> = (0..=random.below(comparisons))
        .map(|_| Node::NonNegative(if comparisons > 64 { difference(random, known) } else { poly(random, known) }))
        .collect();
    nodes.push(Node::Constant(random.below(2) == 0));
    for _ in 0..random.below(if comparisons > 64 { 60 } else { 8 }) {
        let parts = (0..random.below(6)).map(|_| random.below(nodes.len()) as u32).collect();
        nodes.push(if random.below(2) == 0 { Node::All(parts) } else { Node::Any(parts) });
    }
    let groups = (0..=random.below(if comparisons > 64 { 63 } else { 4 })).map(|_| random.below(nodes.len()) as u32);
    let groups = groups.collect();
    let mut predicate =
        Predicate { symbols, assumed, numbers, nodes, invariants: Vec::new(), groups, is_narrow: true, flat: None };
    predicate.flat = Flat::new(&predicate);
    predicate
}

/// The flat form agrees with the evaluation of the nodes wherever it has a verdict, also near the limits of its values, and
/// has one for most predicates and values.
#[test]
fn the_flat_form_agrees_with_the_nodes() {
    let mut random = Random(1);
    let (mut evaluated, mut many, mut all) = (0, 0, 0);
    for round in 0..3000 {
        let predicate =
            predicate(&mut random, if round % 3 == 0 { 0 } else { 5 }, if round % 3 == 0 { 300 } else { 12 });
        let Some(flat) = &predicate.flat else { continue };
        for _ in 0..20 {
            let values: Vec<u64> = (0..predicate.symbols.len())
                .map(|_| match random.below(12) {
                    0 => random.of(&NUMBERS) as u64,
                    _ => random.below(12) as u64,
                })
                .collect();
            let exact = predicate.values(|symbol| values[symbol]);
            all += 1;
            if let Some(verdict) = flat.verdict(|symbol| values[symbol]) {
                assert_eq!(verdict, predicate.verdict_by_nodes(&exact), "{predicate:?} of {values:?}");
                evaluated += 1;
                many += usize::from(matches!(flat.truths, Truths::Many(_)));
            }
        }
    }
    assert!(evaluated > all / 4 && many > 100, "{evaluated} of {all}, {many} with many truth values");
}

/// Wherever a guard holds, the groups for which it was made are proved: also near the limits of its values, and if only some of
/// the symbols vary. Most predicates of differences have guards.
#[test]
fn guards_suffice() {
    let mut random = Random(2);
    let (mut guards, mut held) = (0, 0);
    for round in 0..60_000 {
        // Many differences of symbols, any comparisons, and many differences also of minima, maxima and other numbers.
        let (numbers, comparisons) = [(0, 300), (4, 12), (5, 70)][round % 3];
        let predicate = predicate(&mut random, numbers, comparisons);
        let symbols = predicate.symbols.len();
        let value = |random: &mut Random| match random.below(12) {
            0 => random.of(&NUMBERS) as u64,
            _ => random.below(12) as u64,
        };
        let values: Vec<u64> = (0..symbols).map(|_| value(&mut random)).collect();
        let proved = predicate.verdict_by(|symbol| values[symbol]);
        // Most often for one group only, since the others may have no guard.
        let groups = if random.below(4) == 0 { proved } else { proved.and(Verdict(1 << random.below(4))) };
        let varies: Vec<bool> = (0..symbols).map(|_| random.below(4) > 0).collect();
        let variable = |symbol: usize| varies[symbol].then_some(1 + symbol as u8);
        let Some(guard) = predicate.guard(groups, |symbol| values[symbol], variable) else { continue };
        guards += usize::from(guard.compares());
        for _ in 0..20 {
            let mut other = |(value_now, varies): (&u64, &bool)| match random.below(3) {
                _ if !varies => *value_now,
                0 => value_now.wrapping_add_signed(random.below(3) as i64 - 1),
                _ => value(&mut random),
            };
            let others: Vec<u64> = values.iter().zip(&varies).map(&mut other).collect();
            let mut compared = [0; GUARD_VALUES];
            for (symbol, value) in others.iter().enumerate().filter(|(symbol, _)| varies[*symbol]) {
                compared[1 + symbol] = value.cast_signed();
            }
            let is_accepted = (0..symbols).all(|symbol| !varies[symbol] || guard.accepts(others[symbol]));
            if is_accepted && guard.holds(&compared) {
                let exact = predicate.values(|symbol| others[symbol]);
                let verdict = predicate.verdict_by_nodes(&exact);
                assert!(verdict.includes(groups), "{predicate:?}: {guard:?} of {values:?} for {others:?}");
                held += usize::from(guard.compares());
            }
        }
    }
    assert!(guards > 5000 && held > 50_000, "{guards} guards held {held} times");
}

/// A maximum or minimum has no value if one of its operands has none, although a comparison with the other one holds.
#[test]
fn guards_depend_on_all_operands() {
    type Extreme = fn(Vec<Term>, Vec<Term>) -> Number;

    let symbols: Vec<_> = (0..3).map(|index| LaunchSymbol::Param { index, scalar: Scalar::U64 }).collect();
    let term = |coefficient, factors: &[u32]| Term { coefficient, factors: factors.iter().copied().collect() };
    let symbol = |at| vec![term(1, &[at])];
    for (extreme, coefficient, constant) in [(Number::Max as Extreme, 1, -3), (Number::Min as Extreme, -1, 100)] {
        let mut predicate = Predicate {
            symbols: symbols.clone(),
            assumed: Vec::new(),
            numbers: vec![Number::Quotient(symbol(1), symbol(2)), extreme(symbol(0), symbol(3))],
            nodes: vec![Node::NonNegative(vec![term(coefficient, &[4]), term(constant, &[])])],
            invariants: Vec::new(),
            groups: vec![0],
            is_narrow: true,
            flat: None,
        };
        predicate.flat = Flat::new(&predicate);
        // The first symbol is the maximum of 50 and 10 / 1, or the minimum of 50 and 90 / 1.
        let values = [50, if coefficient > 0 { 10 } else { 90 }, 1];
        assert_eq!(predicate.verdict_by(|symbol| values[symbol]), predicate.best());
        assert_eq!(predicate.verdict_by(|symbol| [50, 10, 0][symbol]), Verdict::NONE);
        let guard = |varies: [bool; 3]| {
            predicate.guard(
                predicate.best(),
                |symbol| values[symbol],
                |symbol| varies[symbol].then_some(1 + symbol as u8),
            )
        };
        assert!(guard([true, true, true]).is_none() && guard([true, false, true]).is_none());
        let guard = guard([true, false, false]).expect("the quotient does not vary");
        let mut compared = [0; GUARD_VALUES];
        for (value, holds) in [(3, true), (100, true), (if coefficient > 0 { 2 } else { 101 }, false)] {
            compared[1] = value;
            assert_eq!(guard.holds(&compared), holds, "{value}");
        }
    }
}
