//! The options of the generator, which come from the arguments of a command or the environment of a build script.

use std::ops::Range;

/// The options of the generator. The defaults are those of CI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seed of the random numbers.
    pub seed: u64,
    /// The numbers of the kernels.
    pub kernels: Range<u64>,
    /// The overflow behaviour that the kernels are compiled with.
    pub overflow: Overflow,
    /// Whether methods that contain atomics are called on elements shared by all threads.
    pub tallies: bool,
}

/// The behaviour of arithmetic that overflows, as set by the Cargo profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// It faults, and is mostly avoided.
    Faults,
    /// It wraps.
    Wraps,
}

impl Default for Options {
    fn default() -> Self {
        Options { seed: 1, kernels: 0..140, overflow: Overflow::Faults, tallies: true }
    }
}

impl Options {
    /// The names of the options.
    pub const NAMES: [&str; 5] = ["seed", "kernels", "kernel", "overflow", "tallies"];

    /// Sets the option of this name.
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
    /// If there is no option of this name, or the value is invalid.
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
