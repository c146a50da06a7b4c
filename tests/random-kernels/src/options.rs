//! What is generated, as its user writes it: in the arguments of a command, or in the environment of a build.

use std::ops::Range;

/// What is generated. Where nothing is said, it is what CI compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What all follows from.
    pub seed: u64,
    /// The numbers of the kernels.
    pub kernels: Range<u64>,
    /// What the kernels are compiled for.
    pub overflow: Overflow,
    /// Methods with atomics in them are called on elements that all threads share.
    pub tallies: bool,
}

/// What arithmetic does that overflows, as the profile says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// A fault, so that it is mostly avoided.
    Faults,
    /// It wraps.
    Wraps,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 1, kernels: 0..200, overflow: Overflow::Faults, tallies: true }
    }
}

impl Options {
    /// What can be chosen.
    pub const NAMES: [&str; 5] = ["seed", "kernels", "kernel", "overflow", "tallies"];

    /// Chooses by name.
    ///
    /// ```
    /// use cumbia_random_kernels::Options;
    ///
    /// let mut options = Options::default();
    /// options.set("kernels", "100..300")?;
    /// assert_eq!(options.kernels, 100..300);
    /// options.set("kernel", "17")?;
    /// assert_eq!(options.kernels, 17..18);
    /// assert!(options.set("overflow", "never").is_err());
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where there is no such name, or the value is wrong.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{name}: `{text}` is not a number"));
        match name {
            "seed" => self.seed = number(value)?,
            "kernels" => {
                self.kernels = match value.split_once("..") {
                    Some((first, end)) => number(first)?..number(end)?,
                    None => 0..number(value)?,
                };
            }
            "kernel" => self.kernels = number(value)?..number(value)?.saturating_add(1),
            "overflow" => {
                self.overflow = match value {
                    "faults" => Overflow::Faults,
                    "wraps" => Overflow::Wraps,
                    _ => return Err(format!("{name}: `{value}` is neither `faults` nor `wraps`")),
                };
            }
            "tallies" => {
                self.tallies = match value {
                    "on" => true,
                    "off" => false,
                    _ => return Err(format!("{name}: `{value}` is neither `on` nor `off`")),
                };
            }
            _ => return Err(format!("`{name}` is none of {}", Options::NAMES.join(", "))),
        }
        Ok(())
    }
}
