//! Target architectures of compiled code: `sm_90a`, `compute_80`.

use std::fmt;

/// An architecture in the notation of NVRTC's `--gpu-architecture`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Architecture {
    kind: Kind,
    /// The compute capability without the dot: 90 for 9.0.
    number: u32,
    /// `a` for architecture-specific code, which runs on exactly this compute capability; `f` for family-specific code.
    suffix: Option<char>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `sm_`: machine code.
    Real,
    /// `compute_`: PTX, which the driver compiles to machine code.
    Virtual,
}

/// The rank of an image among those that run on a GPU: machine code before PTX, then the higher compute capability,
/// then the more specific feature set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Suitability {
    is_real: bool,
    number: u32,
    specific: u8,
}

/// A string that is not the name of an architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnArchitecture {
    /// The string.
    pub name: String,
}

impl fmt::Display for NotAnArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not an architecture", self.name)
    }
}

impl std::error::Error for NotAnArchitecture {}

impl Architecture {
    /// Returns the architecture of a GPU. From 9.0 on it is the architecture-specific one, with all instructions of the
    /// GPU, since the code is compiled for this GPU only.
    pub fn of_device(major: u32, minor: u32) -> Architecture {
        Architecture { kind: Kind::Real, number: major * 10 + minor, suffix: (major >= 9).then_some('a') }
    }

    /// Parses a name such as `sm_90a`.
    ///
    /// # Errors
    ///
    /// [`NotAnArchitecture`].
    pub fn parse(name: &str) -> Result<Architecture, NotAnArchitecture> {
        let parts = || {
            let (kind, rest) = match name.split_once('_')? {
                ("sm", rest) => (Kind::Real, rest),
                ("compute", rest) => (Kind::Virtual, rest),
                _ => return None,
            };
            let suffix = rest.chars().last().filter(|last| matches!(last, 'a' | 'f'));
            let digits = &rest[..rest.len() - usize::from(suffix.is_some())];
            // `parse` would accept a sign as well.
            let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
            Some(Architecture { kind, number: digits.parse().ok().filter(|_| plain)?, suffix })
        };
        parts().ok_or_else(|| NotAnArchitecture { name: name.to_owned() })
    }

    /// Returns the newest PTX architecture, among the compute capabilities known to NVRTC, that runs on a GPU of this
    /// architecture.
    pub(crate) fn newest_ptx(&self, known: &[u32]) -> Option<Architecture> {
        let number = known.iter().copied().filter(|known| *known <= self.number).max()?;
        Some(Architecture { kind: Kind::Virtual, number, suffix: None })
    }

    /// Returns the rank of code for this architecture on a GPU of another one, or `None` if it does not run there. By
    /// the CUDA C++ Programming Guide, "Application Compatibility", machine code runs on the same major compute
    /// capability with the same or a higher minor one, PTX on any higher compute capability, architecture-specific code
    /// (`a`) on exactly its compute capability, and family-specific code (`f`) on those of its family.
    pub fn suits(&self, gpu: &Architecture) -> Option<Suitability> {
        let same_family = self.number / 10 == gpu.number / 10 && self.number <= gpu.number;
        let runs = match (self.kind, self.suffix) {
            (_, Some('a')) => self.number == gpu.number,
            (Kind::Real, _) | (Kind::Virtual, Some(_)) => same_family,
            (Kind::Virtual, None) => self.number <= gpu.number,
        };
        runs.then_some(Suitability {
            is_real: self.is_real(),
            number: self.number,
            specific: match self.suffix {
                Some('a') => 2,
                Some(_) => 1,
                None => 0,
            },
        })
    }

    /// Returns the PTX architecture of the same compute capability.
    #[must_use]
    pub fn to_virtual(&self) -> Architecture {
        Architecture { kind: Kind::Virtual, ..self.clone() }
    }

    /// Returns the compute capability without the dot.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Returns whether this is a machine-code architecture.
    pub fn is_real(&self) -> bool {
        self.kind == Kind::Real
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Real => "sm",
            Kind::Virtual => "compute",
        };
        write!(f, "{kind}_{}", self.number)?;
        self.suffix.map_or(Ok(()), |suffix| write!(f, "{suffix}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_and_displayed() {
        for name in ["sm_75", "sm_90", "sm_90a", "sm_100f", "sm_121a", "compute_80"] {
            assert_eq!(Architecture::parse(name).unwrap().to_string(), name);
        }
        for name in [
            "",
            "sm_",
            "sm_a",
            "hopper",
            "sm90",
            "sm_+90",
            "sm_90b",
            "sm_90 --evil",
            "SM_90",
            "sm_99999999999",
            "sm_9ä",
        ] {
            let error = Architecture::parse(name).unwrap_err();
            assert_eq!(error.name, name);
        }
    }

    #[test]
    fn a_gpu_newer_than_nvrtc_uses_the_newest_ptx() {
        let known = [75, 80, 90, 100];
        assert_eq!(Architecture::of_device(8, 6).to_string(), "sm_86");
        assert_eq!(Architecture::of_device(9, 0).to_string(), "sm_90a");
        assert_eq!(Architecture::of_device(12, 1).newest_ptx(&known).unwrap().to_string(), "compute_100");
        assert_eq!(Architecture::of_device(8, 6).newest_ptx(&known).unwrap().to_string(), "compute_80");
        assert_eq!(Architecture::of_device(7, 0).newest_ptx(&known), None);
    }

    /// Returns those of some architectures that run on a GPU, the best first.
    fn that_run_on(major: u32, minor: u32, names: &[&str]) -> Vec<String> {
        let gpu = Architecture::of_device(major, minor);
        let architectures = names.iter().map(|name| Architecture::parse(name).unwrap());
        let mut that_run: Vec<_> = architectures.filter(|architecture| architecture.suits(&gpu).is_some()).collect();
        that_run.sort_by_key(|architecture| std::cmp::Reverse(architecture.suits(&gpu)));
        that_run.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn images_are_ranked_by_application_compatibility() {
        let names = ["sm_90a", "sm_90", "compute_90a", "compute_90", "sm_80", "compute_80", "sm_100f", "sm_100"];
        assert_eq!(that_run_on(9, 0, &names), ["sm_90a", "sm_90", "compute_90a", "compute_90", "compute_80"]);
        assert_eq!(that_run_on(8, 6, &names), ["sm_80", "compute_80"]);
        assert_eq!(that_run_on(10, 3, &names), ["sm_100f", "sm_100", "compute_90", "compute_80"]);
        assert_eq!(that_run_on(7, 5, &names), [""; 0]);
    }
}
