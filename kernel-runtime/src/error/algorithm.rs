//! Algorithm errors: which argument of a device-wide algorithm is invalid, and why.

use thiserror::Error;

/// Why an algorithm of `cumbia::algorithm` cannot be launched, or has not stored all of its results.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AlgorithmError {
    /// An array whose length does not fit the other arguments.
    #[error("{algorithm}: {}", required.describe(*argument))]
    Length {
        /// The function or the method that was called, such as `transform2`.
        algorithm: &'static str,
        /// The array.
        argument: ArrayArgument,
        /// The rule that its length breaks.
        required: RequiredLength,
    },
    /// A range that cannot be divided into `EvenBins`.
    #[error(
        "the range {lower:?}..{upper:?} cannot be divided into {bins} bins of its type: its start must be less than its end, both and \
         their difference finite, and there must be at least one bin, of a size that does not underflow"
    )]
    Bins {
        /// The start of the range.
        lower: f64,
        /// The end of the range.
        upper: f64,
        /// The number of bins.
        bins: usize,
    },
}

/// An array that was passed to an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayArgument {
    /// The name of the parameter.
    pub name: &'static str,
    /// The number of elements.
    pub len: usize,
    /// Whether the algorithm writes them.
    pub is_output: bool,
}

/// A rule for the length of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequiredLength {
    /// The length of another array.
    SameAs(ArrayArgument),
    /// At most the length of another array.
    AtMost(ArrayArgument),
    /// The end of the last segment, after the start of each: one element more than the array of the results.
    OneMoreThan(ArrayArgument),
    /// An element for each row of a matrix.
    Rows {
        /// The name of the parameter for the matrix.
        matrix: &'static str,
        /// The number of its rows.
        rows: usize,
    },
    /// An element for each column of a matrix.
    Columns {
        /// The name of the parameter for the matrix.
        matrix: &'static str,
        /// The number of its columns.
        columns: usize,
    },
    /// An element for each result, whose number is known only after the launch. Without room for all, the first ones are stored.
    Results {
        /// The kind of the results.
        results: ResultKind,
        /// Their number.
        count: usize,
        /// The name of the parameter for the input, whose length is sufficient.
        input: &'static str,
    },
    /// At least one element: the start of the first segment, or the end of no segments.
    AtLeastOne,
    /// At least one element, among which the least or the greatest one is searched.
    Extreme,
    /// At most this number of elements.
    Limit(usize),
    /// At most as many elements as indices of a type.
    Represented {
        /// The name of the parameter for the indices.
        indices: &'static str,
        /// The number of values of their type that are not negative.
        values: usize,
    },
}

/// The results of an algorithm that determines their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultKind {
    /// The elements for which the predicate holds.
    Selected,
    /// The elements for which it does not hold.
    Rejected,
    /// The runs of equal elements.
    Runs,
}

impl ArrayArgument {
    /// Returns an array that an algorithm reads.
    pub fn input(name: &'static str, len: usize) -> Self {
        ArrayArgument { name, len, is_output: false }
    }

    /// Returns an array that an algorithm writes.
    pub fn output(name: &'static str, len: usize) -> Self {
        ArrayArgument { name, len, is_output: true }
    }

    /// Renders the expression for the first `len` elements.
    fn first(self, len: usize) -> String {
        let method = if self.is_output { "slice_mut" } else { "slice" };
        format!("{}.{method}(..{len})?", self.name)
    }

    /// Renders the name and the length, as the beginning of a sentence.
    fn describe(self) -> String {
        format!("`{}` has {}", self.name, elements(self.len))
    }
}

impl RequiredLength {
    /// Renders the rule that the length of `argument` breaks, and a remedy.
    fn describe(self, argument: ArrayArgument) -> String {
        let found = argument.describe();
        match self {
            RequiredLength::SameAs(other) => {
                let (longer, len) =
                    if argument.len > other.len { (argument, other.len) } else { (other, argument.len) };
                format!(
                    "{found}, but `{}` has {}\n  help: pass arrays or slices of equal length, as in `{}`",
                    other.name,
                    other.len,
                    longer.first(len)
                )
            }
            RequiredLength::AtMost(other) => {
                format!(
                    "{found}, but `{}` has only {}\n  help: pass a slice, as in `{}`",
                    other.name,
                    other.len,
                    argument.first(other.len)
                )
            }
            RequiredLength::OneMoreThan(results) => {
                let (name, len) = (results.name, results.len);
                format!(
                    "{found}, but {} of `{name}` need {}\n  help: `{name}[s]` is the result of the elements from `{offsets}[s]` up \
                     to `{offsets}[s + 1]`, so that there is one offset more than results",
                    elements(len),
                    len.saturating_add(1),
                    offsets = argument.name
                )
            }
            RequiredLength::Rows { matrix, rows } => {
                format!(
                    "{found}, but `{matrix}` has {rows} row{}\n  help: pass an array with an element for each row",
                    plural(rows)
                )
            }
            RequiredLength::Columns { matrix, columns } => {
                format!(
                    "{found}, but `{matrix}` has {columns} column{}\n  help: pass an array with an element for each column",
                    plural(columns)
                )
            }
            RequiredLength::Results { results, count, input } => {
                let found = format!("{found}, but {}", results.describe(count));
                let stored = match argument.len {
                    0 => String::new(),
                    1 => "; the first one is stored".to_owned(),
                    len => format!("; the first {len} are stored"),
                };
                format!("{found}{stored}\n  help: pass an array as long as `{input}`, which is always sufficient")
            }
            RequiredLength::AtLeastOne => {
                format!(
                    "{found}, but there is one more than segments\n  help: pass the start of each segment, and the end of the last one"
                )
            }
            RequiredLength::Extreme => {
                format!("{found}, but a search needs at least one\n  help: search a matrix only if it has columns")
            }
            RequiredLength::Limit(max) => {
                format!("{found}, but at most {max} are supported\n  help: work in smaller pieces")
            }
            RequiredLength::Represented { indices, values } => {
                format!(
                    "{found}, but the type of `{indices}` represents only {values} indices\n  help: use an array of {}",
                    if u32::try_from(argument.len.saturating_sub(1)).is_ok() { "`u32`" } else { "`u64`" }
                )
            }
        }
    }
}

impl ResultKind {
    /// Renders the number of results, as a clause.
    fn describe(self, count: usize) -> String {
        let be = if count == 1 { "is" } else { "are" };
        let (were, s) = (if count == 1 { "was" } else { "were" }, plural(count));
        match self {
            ResultKind::Selected => format!("{count} {were} selected"),
            ResultKind::Rejected => format!("{count} {were} not selected"),
            ResultKind::Runs => format!("there {be} {count} run{s}"),
        }
    }
}

/// Renders a number of elements.
fn elements(len: usize) -> String {
    format!("{len} element{}", plural(len))
}

/// Returns the ending of a noun after a number.
fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(algorithm: &'static str, argument: ArrayArgument, required: RequiredLength, message: &str) {
        assert_eq!(AlgorithmError::Length { algorithm, argument, required }.to_string(), message);
    }

    #[test]
    fn lengths_of_arrays() {
        let (b, y) = (ArrayArgument::input("b", 50), ArrayArgument::output("y", 100));
        check(
            "transform2",
            b,
            RequiredLength::SameAs(y),
            "transform2: `b` has 50 elements, but `y` has 100\n  help: pass arrays or slices of equal length, as in `y.slice_mut(..50)?`",
        );
        check(
            "dot",
            ArrayArgument::input("other", 3),
            RequiredLength::SameAs(ArrayArgument::input("self", 1)),
            "dot: `other` has 3 elements, but `self` has 1\n  help: pass arrays or slices of equal length, as in `other.slice(..1)?`",
        );
        check(
            "top_k",
            y,
            RequiredLength::AtMost(ArrayArgument::input("x", 8)),
            "top_k: `y` has 100 elements, but `x` has only 8\n  help: pass a slice, as in `y.slice_mut(..8)?`",
        );
        check(
            "segmented_reduce",
            ArrayArgument::input("offsets", 1),
            RequiredLength::OneMoreThan(y),
            "segmented_reduce: `offsets` has 1 element, but 100 elements of `y` need 101\n  help: `y[s]` is the result of the elements \
             from `offsets[s]` up to `offsets[s + 1]`, so that there is one offset more than results",
        );
        check(
            "argsort",
            ArrayArgument::input("x", 300),
            RequiredLength::Represented { indices: "indices", values: 256 },
            "argsort: `x` has 300 elements, but the type of `indices` represents only 256 indices\n  help: use an array of `u32`",
        );
    }

    #[test]
    fn lengths_of_rows() {
        let row = |len| ArrayArgument::input("x.row(i)", len);
        check(
            "argmax_rows",
            row(0),
            RequiredLength::Extreme,
            "argmax_rows: `x.row(i)` has 0 elements, but a search needs at least one\n  help: search a matrix only if it has columns",
        );
        check(
            "argmax_rows",
            row(300),
            RequiredLength::Represented { indices: "y", values: 256 },
            "argmax_rows: `x.row(i)` has 300 elements, but the type of `y` represents only 256 indices\n  help: use an array of `u32`",
        );
    }

    #[test]
    fn lengths_of_results() {
        let selected = RequiredLength::Results { results: ResultKind::Selected, count: 97, input: "x" };
        check(
            "select",
            ArrayArgument::output("y", 50),
            selected,
            "select: `y` has 50 elements, but 97 were selected; the first 50 are stored\n  help: pass an array as long as `x`, which \
             is always sufficient",
        );
        check(
            "reduce_by_key",
            ArrayArgument::output("unique_keys", 0),
            RequiredLength::Results { results: ResultKind::Runs, count: 1, input: "keys" },
            "reduce_by_key: `unique_keys` has 0 elements, but there is 1 run\n  help: pass an array as long as `keys`, which is always \
             sufficient",
        );
    }
}
