//! What came out of a run, and how it is compared with another run of the same case.

use std::fmt::{self, Write};
use std::panic::Location;

use cumbia::{Element, Error};
use cumbia_kernel_ir::ir::Scalar;

/// How far results may be apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tolerance {
    /// Bit for bit; but any NaN is as good as any other, since Rust leaves its bits open.
    Exact,
    /// This many representable numbers apart, for functions that are not rounded correctly everywhere.
    Ulps(u64),
}

/// Everything that came out of a run, in order.
#[derive(Debug, Default)]
pub struct Record {
    events: Vec<Event>,
    /// What is not as plain Rust has it.
    wrong: Vec<String>,
}

/// One thing that came out.
#[derive(Debug)]
enum Event {
    /// The values of an array.
    Output { name: String, scalar: Scalar, bits: Vec<u64>, tolerance: Tolerance },
    /// A launch ended with this fault.
    Fault(Fault),
}

/// A fault in words.
#[derive(Debug)]
struct Fault {
    /// The file, line and column; `None` where all that the CPU device knows is a place in Rust's own library, which it
    /// calls for the operators of generic types, or the call of a macro that wrote the kernel, at the start of a line.
    position: Option<String>,
    /// The kernel, block and thread, and what happened.
    what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { position, what } = self;
        write!(f, "{what} at {}", position.as_deref().unwrap_or("a place in the standard library"))
    }
}

impl Record {
    /// How many values and faults there are to compare.
    pub fn len(&self) -> usize {
        self.events.iter().map(|event| if let Event::Output { bits, .. } = event { bits.len() } else { 1 }).sum()
    }

    /// Whether nothing came out.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many launches faulted.
    pub(crate) fn faults(&self) -> usize {
        self.events.iter().filter(|event| matches!(event, Event::Fault(_))).count()
    }

    pub(crate) fn output<T: Element>(&mut self, name: &str, values: &[T], tolerance: Tolerance) {
        let bits = values.iter().map(|value| value.to_bits64()).collect();
        self.events.push(Event::Output { name: name.to_owned(), scalar: T::SCALAR, bits, tolerance });
    }

    pub(crate) fn fault(&mut self, fault: &Error) {
        let Error::Fault { kernel, file, line, column, block, thread, kind } = fault else {
            panic!("not a fault: {fault}");
        };
        // In a kernel that `macro_rules!` wrote, Rust's own panics name the macro's call, which begins its line here.
        let known = *column != 1;
        let position = known.then(|| format!("{file}:{line}:{column}"));
        let kind = kind.to_string();
        // The words of `clamp` depend on Rust's version, and newer ones have the values in them.
        let kind = if kind.starts_with("min > max") { "assertion failed: min <= max" } else { &kind };
        let what = format!("{kind} in {kernel}, block {block}, thread {thread}");
        self.events.push(Event::Fault(Fault { position, what }));
    }

    /// What is different, one line for each array or fault that is.
    pub fn differences(&self, other: &Record) -> Vec<String> {
        let mut differences: Vec<String> =
            self.events.iter().zip(&other.events).filter_map(|(here, there)| compare(here, there)).collect();
        differences.dedup();
        if self.events.len() != other.events.len() {
            differences.push(format!("{} results against {}", self.events.len(), other.events.len()));
        }
        differences
    }

    /// What is not as plain Rust has it.
    pub fn wrong(&self) -> &[String] {
        &self.wrong
    }

    pub(crate) fn wrong_at(&mut self, place: &Location<'_>, what: &str) {
        self.wrong.push(format!("{}:{}: {what}", place.file(), place.line()));
    }

    /// Compares the last output with what it should be.
    pub(crate) fn expect<T: Element>(&mut self, place: &Location<'_>, expected: &[T]) {
        let Some(Event::Output { name, tolerance, .. }) = self.events.last() else {
            return self.wrong_at(place, "no output");
        };
        let mut host = Record::default();
        host.output(name, expected, *tolerance);
        if let Some(difference) = compare(&self.events[self.events.len() - 1], &host.events[0]) {
            self.wrong_at(place, &format!("{difference} in plain Rust"));
        }
    }
}

fn compare(here: &Event, there: &Event) -> Option<String> {
    match (here, there) {
        (
            Event::Output { name, scalar, bits, tolerance },
            Event::Output { name: other_name, scalar: _, bits: other, tolerance: _ },
        ) => {
            if name != other_name || bits.len() != other.len() {
                return Some(format!("{name} of {} values against {other_name} of {}", bits.len(), other.len()));
            }
            let apart: Vec<usize> =
                (0..bits.len()).filter(|&i| !agree(*scalar, bits[i], other[i], *tolerance)).collect();
            (!apart.is_empty()).then(|| {
                let mut text = format!("{name}: {} of {} values differ", apart.len(), bits.len());
                for &i in apart.iter().take(4) {
                    let _ = write!(text, "; [{i}] {} against {}", show(*scalar, bits[i]), show(*scalar, other[i]));
                }
                text
            })
        }
        (Event::Fault(here), Event::Fault(there)) => {
            let elsewhere = here.position.is_some() && there.position.is_some() && here.position != there.position;
            (here.what != there.what || elsewhere).then(|| format!("“{here}” against “{there}”"))
        }
        (Event::Fault(fault), Event::Output { name, .. }) => Some(format!("“{fault}” against a good {name}")),
        (Event::Output { name, .. }, Event::Fault(fault)) => Some(format!("a good {name} against “{fault}”")),
    }
}

fn agree(scalar: Scalar, here: u64, there: u64, tolerance: Tolerance) -> bool {
    if here == there || (is_nan(scalar, here) && is_nan(scalar, there)) {
        return true;
    }
    match tolerance {
        Tolerance::Exact => false,
        Tolerance::Ulps(ulps) => {
            let apart = match scalar {
                Scalar::F32 => {
                    ordinal(here << 32 | 0xffff_ffff) / (1 << 32) - ordinal(there << 32 | 0xffff_ffff) / (1 << 32)
                }
                Scalar::F64 => ordinal(here) - ordinal(there),
                _ => return false,
            };
            !is_nan(scalar, here) && !is_nan(scalar, there) && apart.unsigned_abs() <= u128::from(ulps)
        }
    }
}

/// The place of a float, as its bits, among all floats in order.
fn ordinal(bits: u64) -> i128 {
    let magnitude = i128::from(bits & (u64::MAX >> 1));
    if bits >> 63 == 0 { magnitude } else { -magnitude }
}

fn is_nan(scalar: Scalar, bits: u64) -> bool {
    match scalar {
        Scalar::F32 => f32::from_bits(bits as u32).is_nan(),
        Scalar::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

fn show(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::F32 => format!("{:e} (0x{bits:08x})", f32::from_bits(bits as u32)),
        Scalar::F64 => format!("{:e} (0x{bits:016x})", f64::from_bits(bits)),
        _ if scalar.is_signed() => {
            let unused = 64 - scalar.bits();
            format!("{}", (bits << unused).cast_signed() >> unused)
        }
        _ => bits.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<T: Element>(here: T, there: T, tolerance: Tolerance, expected: bool) {
        assert_eq!(agree(T::SCALAR, here.to_bits64(), there.to_bits64(), tolerance), expected);
    }

    #[test]
    fn values_agree_as_the_tolerance_says() {
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
        check(1.0f64, 1.0f64.next_up(), Tolerance::Ulps(1), true);
        check(1.0f64, 1.0f64.next_up().next_up(), Tolerance::Ulps(1), false);
    }

    #[test]
    fn a_difference_is_told() {
        let record = |values: &[i8]| {
            let mut record = Record::default();
            record.output("out", values, Tolerance::Exact);
            record
        };
        assert_eq!(record(&[1, -2]).differences(&record(&[1, -2])), [""; 0]);
        assert_eq!(record(&[1, -2]).differences(&record(&[1, 3])), ["out: 1 of 2 values differ; [1] -2 against 3"]);
        assert_eq!(record(&[1]).differences(&record(&[])), ["out of 1 values against out of 0"]);
        assert_eq!(record(&[1]).differences(&Record::default()), ["1 results against 0"]);
    }
}
