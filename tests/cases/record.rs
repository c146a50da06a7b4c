//! The results of a run, and their comparison with those of another run of the same case.

use std::fmt::{self, Write};
use std::panic::Location;

use cumbia::{DeviceType, Error, FaultKind, bf16, f16};
use cumbia_kernel_ir::{ConstantValue, Scalar, Type};

/// The permitted difference between results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// None: the bits are equal. Any two NaNs agree, since Rust does not specify the payload.
    Exact,
    /// This many units in the last place, for functions that are not correctly rounded on every device.
    Ulps(u64),
    /// As `Ulps`, or this absolute difference.
    UlpsOr(u64, f64),
}

/// The agreement that is demanded between the faults of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The same fault, position and thread.
    Exact,
    /// The same thread and statement: which of two faults of one statement is reported is unspecified. The slice holds
    /// the first and the last line of each statement that spans several lines.
    Statement(&'static [(u32, u32)]),
    /// Any fault: which thread faults first is unspecified.
    Any,
}

/// The results of a run, in order.
#[derive(Debug, Default)]
pub struct Record {
    events: Vec<Event>,
    /// Differences from plain Rust.
    wrong: Vec<String>,
}

/// One result.
#[derive(Debug)]
enum Event {
    /// The values of an array.
    Output(Output),
    /// The fault of a launch.
    Fault(Fault),
}

/// The values of an array, flattened to scalars.
#[derive(Debug)]
struct Output {
    name: String,
    /// The scalars of one element, in declaration order.
    leaves: Vec<Leaf>,
    /// The bits of the scalars of all elements.
    bits: Vec<u64>,
    tolerance: Tolerance,
}

/// A scalar of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Leaf {
    /// Its access path, such as `.velocity[1]`; empty if the element is a scalar.
    path: String,
    scalar: Scalar,
}

/// A rendered fault.
#[derive(Debug)]
struct Fault {
    agreement: Agreement,
    line: u32,
    column: u32,
    /// The file, line and column. `None` if the CPU device reports a position in the standard library, which implements
    /// the operators of generic types, or at the start of a line: the invocation of the macro that expanded to the
    /// kernel.
    position: Option<String>,
    /// The message.
    what: String,
    /// Whether it is an index out of bounds.
    index: bool,
    /// The kernel, block and thread.
    thread: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { position, what, thread, .. } = self;
        let position = position.as_deref().unwrap_or("a position in the standard library");
        write!(f, "{what} in {thread} at {position}")
    }
}

impl Fault {
    fn agrees(&self, other: &Fault) -> bool {
        let both = self.position.is_some() && other.position.is_some();
        let elsewhere = both && self.position != other.position;
        let same = self.thread == other.thread && self.what == other.what && !elsewhere;
        match self.agreement {
            Agreement::Exact => same,
            Agreement::Statement(long) => {
                // Two index faults at one position come from one bounds check, so that their values have to be equal.
                let check = |fault: &Fault| (fault.line, fault.column, fault.index);
                let one = self.index && check(self) == check(other);
                let near = self.line == other.line
                    || long.iter().any(|(first, last)| {
                        let statement = *first..=*last;
                        statement.contains(&self.line) && statement.contains(&other.line)
                    });
                same || (!one && near && self.thread == other.thread)
            }
            Agreement::Any => true,
        }
    }
}

impl Record {
    /// Returns the number of values and faults to compare.
    pub fn len(&self) -> usize {
        self.events.iter().map(|event| if let Event::Output(output) = event { output.bits.len() } else { 1 }).sum()
    }

    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of launches that faulted.
    pub fn faults(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Fault(_))).count()
    }

    pub(crate) fn output<T: DeviceType>(&mut self, name: &str, values: &[T], tolerance: Tolerance) {
        let mut leaves = Vec::new();
        add_leaves(&mut leaves, "", &T::ty());
        let mut bits = Vec::with_capacity(leaves.len() * values.len());
        for value in values {
            add_bits(&mut bits, &value.__constant());
        }
        self.events.push(Event::Output(Output { name: name.to_owned(), leaves, bits, tolerance }));
    }

    pub(crate) fn fault(&mut self, fault: &Error, agreement: Agreement) {
        let Error::Fault { kernel, file, line, column, block, thread, kind } = fault else {
            panic!("not a fault: {fault}");
        };
        // In a kernel from `macro_rules!`, Rust's panics report the macro invocation, which begins its line in our
        // tests.
        let known = *column != 1;
        let position = known.then(|| format!("{file}:{line}:{column}"));
        let words = kind.to_string();
        // The message of `clamp` differs between Rust versions, and newer ones include the values.
        let what = if words.starts_with("min > max") { String::from("assertion failed: min <= max") } else { words };
        let thread = format!("{kernel}, block {block}, thread {thread}");
        let index = matches!(kind, FaultKind::IndexOutOfBounds { .. });
        let (line, column) = (*line, *column);
        self.events.push(Event::Fault(Fault { agreement, line, column, position, what, index, thread }));
    }

    /// Returns the differences, one line for each array or fault that differs.
    pub fn differences(&self, other: &Record) -> Vec<String> {
        let mut differences: Vec<String> =
            self.events.iter().zip(&other.events).filter_map(|(here, there)| compare(here, there)).collect();
        differences.dedup();
        if self.events.len() != other.events.len() {
            differences.push(format!("{} results against {}", self.events.len(), other.events.len()));
        }
        differences
    }

    /// Returns the differences from plain Rust.
    pub fn wrong(&self) -> &[String] {
        &self.wrong
    }

    pub(crate) fn wrong_at(&mut self, place: &Location<'_>, what: &str) {
        self.wrong.push(format!("{}:{}: {what}", place.file(), place.line()));
    }

    /// Compares the last output with the expected values.
    pub(crate) fn expect<T: DeviceType>(&mut self, place: &Location<'_>, expected: &[T]) {
        let Some(Event::Output(Output { name, tolerance, .. })) = self.events.last() else {
            return self.wrong_at(place, "no output");
        };
        let mut host = Record::default();
        host.output(name, expected, *tolerance);
        if let Some(difference) = compare(&self.events[self.events.len() - 1], &host.events[0]) {
            self.wrong_at(place, &format!("{difference} in plain Rust"));
        }
    }
}

/// Returns whether a type is or contains an enum with data, whose values have different numbers of scalars.
fn has_data(ty: &Type) -> bool {
    match ty {
        ty if ty.tag().is_some() => true,
        Type::Struct(structure) => structure.fields.iter().any(|field| has_data(&field.ty)),
        Type::Array(element, _) => has_data(element),
        _ => false,
    }
}

/// Appends the scalars of a type, in declaration order.
fn add_leaves(leaves: &mut Vec<Leaf>, path: &str, ty: &Type) {
    match ty {
        // The bits of its values are compared exactly.
        ty if has_data(ty) => leaves.push(Leaf { path: path.to_owned(), scalar: Scalar::U64 }),
        Type::Scalar(scalar) => leaves.push(Leaf { path: path.to_owned(), scalar: *scalar }),
        Type::Enum(choice) => leaves.push(Leaf { path: path.to_owned(), scalar: choice.repr }),
        Type::Struct(structure) => {
            for field in &structure.fields {
                add_leaves(leaves, &format!("{path}.{}", field.name), &field.ty);
            }
        }
        Type::Array(element, len) => {
            for i in 0..*len {
                add_leaves(leaves, &format!("{path}[{i}]"), element);
            }
        }
        Type::Unit | Type::Never | Type::Tuple(_) | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => {
            unreachable!("{ty} is not an element type")
        }
    }
}

/// Appends the bits of the scalars of a value.
fn add_bits(bits: &mut Vec<u64>, value: &ConstantValue) {
    match value {
        ConstantValue::Bits(number) => bits.push(*number),
        ConstantValue::Parts(parts) => parts.iter().for_each(|part| add_bits(bits, part)),
    }
}

fn compare(here: &Event, there: &Event) -> Option<String> {
    match (here, there) {
        (Event::Output(here), Event::Output(there)) => here.difference(there),
        (Event::Fault(here), Event::Fault(there)) => {
            (!here.agrees(there)).then(|| format!("“{here}” against “{there}”"))
        }
        (Event::Fault(fault), Event::Output(output)) => Some(format!("“{fault}” against a good {}", output.name)),
        (Event::Output(output), Event::Fault(fault)) => Some(format!("a good {} against “{fault}”", output.name)),
    }
}

impl Output {
    fn difference(&self, other: &Output) -> Option<String> {
        let Output { name, leaves, bits, tolerance } = self;
        let per_element = leaves.len().max(1);
        if *name != other.name || bits.len() != other.bits.len() || *leaves != other.leaves {
            let (len, other_len) = (bits.len() / per_element, other.bits.len() / other.leaves.len().max(1));
            return Some(format!("{name} of {len} values against {} of {other_len}", other.name));
        }
        let leaf = |i: usize| &leaves[i % per_element];
        let apart = |&i: &usize| !agree(leaf(i).scalar, bits[i], other.bits[i], *tolerance);
        let apart: Vec<usize> = (0..bits.len()).filter(apart).collect();
        (!apart.is_empty()).then(|| {
            let mut text = format!("{name}: {} of {} values differ", apart.len(), bits.len());
            for &i in apart.iter().take(4) {
                let Leaf { path, scalar } = leaf(i);
                let (here, there) = (show(*scalar, bits[i]), show(*scalar, other.bits[i]));
                let _ = write!(text, "; [{}]{path} {here} against {there}", i / per_element);
            }
            text
        })
    }
}

fn agree(scalar: Scalar, here: u64, there: u64, tolerance: Tolerance) -> bool {
    if here == there || (is_nan(scalar, here) && is_nan(scalar, there)) {
        return true;
    }
    match tolerance {
        Tolerance::Exact => false,
        Tolerance::Ulps(ulps) => agree(scalar, here, there, Tolerance::UlpsOr(ulps, 0.0)),
        Tolerance::UlpsOr(ulps, far) => {
            let (Some(a), Some(b)) = (value(scalar, here), value(scalar, there)) else { return false };
            let apart = ordinal(scalar, here) - ordinal(scalar, there);
            !a.is_nan() && !b.is_nan() && (apart.unsigned_abs() <= u128::from(ulps) || (a - b).abs() <= far)
        }
    }
}

/// Returns the rank of a float, given by its bits, in the total order of its type.
fn ordinal(scalar: Scalar, bits: u64) -> i128 {
    let sign = 1 << (scalar.bits() - 1);
    let magnitude = i128::from(bits & (sign - 1));
    if bits & sign == 0 { magnitude } else { -magnitude }
}

fn is_nan(scalar: Scalar, bits: u64) -> bool {
    value(scalar, bits).is_some_and(f64::is_nan)
}

/// Returns the value of a float, or `None` for another scalar.
fn value(scalar: Scalar, bits: u64) -> Option<f64> {
    match scalar {
        Scalar::F16 => Some(f16::from_bits(bits as u16).to_f64()),
        Scalar::Bf16 => Some(bf16::from_bits(bits as u16).to_f64()),
        Scalar::F32 => Some(f64::from(f32::from_bits(bits as u32))),
        Scalar::F64 => Some(f64::from_bits(bits)),
        _ => None,
    }
}

fn show(scalar: Scalar, bits: u64) -> String {
    if let Some(value) = value(scalar, bits) {
        return format!("{value:e} (0x{bits:0width$x})", width = scalar.size() as usize * 2);
    }
    if scalar.is_signed() {
        let unused = 64 - scalar.bits();
        return ((bits << unused).cast_signed() >> unused).to_string();
    }
    bits.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: cumbia::Scalar>(here: T, there: T, tolerance: Tolerance, expected: bool) {
        assert_eq!(agree(T::SCALAR, here.to_bits64(), there.to_bits64(), tolerance), expected);
    }

    #[test]
    fn tolerances_bound_the_difference() {
        check(1i32, 2, Tolerance::Ulps(9), false);
        check(-0.0f32, 0.0, Tolerance::Exact, false);
        check(-0.0f32, 0.0, Tolerance::Ulps(0), true);
        check(f32::NAN, -f32::NAN, Tolerance::Exact, true);
        check(f64::NAN, 1.0, Tolerance::Ulps(u64::MAX), false);
        for (a, b) in [(1.0f32, 1.0f32.next_up().next_up()), (-1e-45, 1e-45), (-2.0, (-2.0f32).next_up().next_up())] {
            check(a, b, Tolerance::Ulps(1), false);
            check(a, b, Tolerance::Ulps(2), true);
            check(b, a, Tolerance::Ulps(2), true);
        }
        let half = |bits| f16::from_bits(bits);
        check(half(0x8001), half(1), Tolerance::Ulps(2), true);
        check(half(0x3c00), half(0x3c02), Tolerance::Ulps(1), false);
        check(bf16::NAN, bf16::from_bits(0xffff), Tolerance::Exact, true);
        check(1.0f64, 1.0f64.next_up(), Tolerance::Ulps(1), true);
        check(1.0f64, 1.0f64.next_up().next_up(), Tolerance::Ulps(1), false);
    }

    #[test]
    fn differences_are_reported() {
        let record = |values: &[i8]| {
            let mut record = Record::default();
            record.output("out", values, Tolerance::Exact);
            record
        };
        assert_eq!(record(&[1, -2]).differences(&record(&[1, -2])), [""; 0]);
        assert_eq!(record(&[1, -2]).differences(&record(&[1, 3])), ["out: 1 of 2 values differ; [1] -2 against 3"]);
        assert_eq!(record(&[1]).differences(&record(&[])), ["out of 1 values against out of 0"]);
        assert_eq!(record(&[1]).differences(&Record::default()), ["1 results against 0"]);
        let nested = |last| {
            let mut record = Record::default();
            record.output("out", &[[[1.5f32, 2.0]], [[0.0, last]]], Tolerance::Exact);
            record
        };
        let told = "out: 1 of 4 values differ; [1][0][1] 3e0 (0x40400000) against -1e0 (0xbf800000)";
        assert_eq!(nested(3.0).differences(&nested(-1.0)), [told]);
    }
}
