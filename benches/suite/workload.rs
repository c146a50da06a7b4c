//! The common interface of the workloads: a kernel of Cumbia in three variants, and the same algorithm in hand-written CUDA C++.

use cumbia::prelude::*;

/// A variant of Cumbia's kernel, of the same body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// `#[kernel]`, as a user writes it.
    Safe,
    /// `#[kernel(unchecked)]`: no bounds checks.
    Unchecked,
    /// `#[kernel(index = u32)]`: 32-bit indices, with checks.
    Narrow,
}

impl Variant {
    pub(crate) const ALL: [Variant; 3] = [Variant::Safe, Variant::Unchecked, Variant::Narrow];

    /// Returns the name of the variant in tables.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Variant::Safe => "safe",
            Variant::Unchecked => "unchecked",
            Variant::Narrow => "u32",
        }
    }
}

/// Problem sizes: those of the measurement, or small ones that are no multiples of a block, for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Full,
    Small,
}

impl Size {
    /// Returns one of two sizes.
    pub(crate) fn pick(self, full: usize, small: usize) -> usize {
        match self {
            Size::Full => full,
            Size::Small => small,
        }
    }
}

/// The work of a launch, from which its rate follows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Bytes that the algorithm has to transfer, in GB/s.
    Bytes(usize),
    /// Floating-point operations, in TFLOP/s.
    Flops(f64),
    /// Items, in 10⁹ items per second.
    Items(usize),
}

/// A parameter of a hand-written kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameter {
    Pointer(u64),
    Int(u32),
    Float(f32),
}

impl Parameter {
    /// Returns the value in the low bytes, where a little-endian machine has the bytes of a parameter.
    pub(crate) fn bits(self) -> u64 {
        match self {
            Parameter::Pointer(address) => address,
            Parameter::Int(value) => value.into(),
            Parameter::Float(value) => value.to_bits().into(),
        }
    }
}

/// Returns the address of an array as a parameter.
pub(crate) fn pointer<T>(array: &DeviceArray<T>) -> Parameter {
    Parameter::Pointer(array.as_ptr() as u64)
}

/// Returns an extent as an `int` or `unsigned` parameter.
pub(crate) fn int(value: usize) -> Parameter {
    Parameter::Int(u32::try_from(value).expect("an extent of the suite has 32 bits"))
}

/// The launch of a hand-written kernel.
#[derive(Clone, Debug)]
pub(crate) struct ByHand {
    /// The entry point in the workload's CUDA C.
    pub(crate) entry: &'static str,
    /// Memory that is zeroed before the kernel: address and bytes.
    pub(crate) zeroed: Option<(u64, usize)>,
    pub(crate) grid: [usize; 3],
    pub(crate) block: [usize; 3],
    pub(crate) shared_bytes: usize,
    pub(crate) parameters: Vec<Parameter>,
}

impl ByHand {
    pub(crate) fn new<const G: usize, const B: usize>(
        entry: &'static str,
        grid: [usize; G],
        block: [usize; B],
        parameters: &[Parameter],
    ) -> Self {
        ByHand {
            entry,
            zeroed: None,
            grid: extents(grid),
            block: extents(block),
            shared_bytes: 0,
            parameters: parameters.to_vec(),
        }
    }

    /// One thread per item, in blocks of 256.
    pub(crate) fn over(entry: &'static str, items: usize, parameters: &[Parameter]) -> Self {
        ByHand::new(entry, [items.div_ceil(256)], [256], parameters)
    }
}

fn extents<const N: usize>(given: [usize; N]) -> [usize; 3] {
    std::array::from_fn(|k| given.get(k).copied().unwrap_or(1))
}

/// A workload with its arrays on a device.
pub(crate) trait Workload {
    /// Enqueues Cumbia's kernel.
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()>;

    /// Returns the launch of each hand-written kernel, which uses the same arrays: first the one of the same algorithm.
    fn by_hand(&mut self) -> Vec<ByHand>;

    /// Restores the arrays that a kernel updates.
    fn reset(&mut self) -> cumbia::Result<()> {
        Ok(())
    }

    /// Returns the results of one launch after `reset`, or a sample of them.
    fn results(&self) -> cumbia::Result<Vec<f32>>;

    /// Computes the results on the host, from the inputs, at a small size.
    fn expected(&self) -> cumbia::Result<Vec<f32>>;

    fn work(&self) -> Work;
}

/// The error that results may have: of rounding, since `a * b + c` is contracted in different places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// The permitted error, relative to the larger of 1 and the expected result.
    pub(crate) relative: f32,
    /// The share of results that may have a greater error, where a decision depends on rounding.
    pub(crate) share: f32,
}

impl Tolerance {
    pub(crate) const EXACT: Self = Tolerance { relative: 0.0, share: 0.0 };

    pub(crate) const fn relative(relative: f32) -> Self {
        Tolerance { relative, share: 0.0 }
    }

    /// Returns a description of the difference, if there is one.
    pub(crate) fn difference(self, found: &[f32], expected: &[f32]) -> Option<String> {
        if found.len() != expected.len() {
            return Some(format!("{} results, expected {}", found.len(), expected.len()));
        }
        let is_wrong = |(found, expected): &(&f32, &f32)| {
            let permitted = self.relative * expected.abs().max(1.0);
            !((**found - **expected).abs() <= permitted || found.to_bits() == expected.to_bits())
        };
        let wrong = found.iter().zip(expected).filter(is_wrong).count();
        if wrong as f32 <= self.share * expected.len() as f32 {
            return None;
        }
        let first = found.iter().zip(expected).position(|pair| is_wrong(&pair)).expect("there is a wrong one");
        let (found, expected, of) = (found[first], expected[first], expected.len());
        Some(format!("{wrong} of {of} results differ, the first at {first}: {found}, expected {expected}"))
    }
}

/// The machine code of each variant of the kernels of a workload, with the kernel's name.
pub(crate) type Cubins = Vec<(String, cumbia::Result<Vec<u8>>)>;

/// The CUDA C of a kernel in the variants that a launch chooses from, and its checks.
pub(crate) struct Inspected {
    /// With the name of each variant.
    pub(crate) variants: Vec<(String, String)>,
    pub(crate) checks: cumbia::checks::Checks,
}

impl Inspected {
    pub(crate) fn of<K: cumbia::Kernel>() -> cumbia::Result<Self> {
        use cumbia::__private::inspect::{Variant, cuda_source_of};
        let variant = |variant: Variant| Ok((variant.to_string(), cuda_source_of::<K>(variant)?));
        let variants = Variant::ALL.into_iter().map(variant).collect::<cumbia::Result<_>>()?;
        Ok(Inspected { variants, checks: K::checks()? })
    }
}

/// An entry of the suite.
pub(crate) struct Entry {
    /// The name by which the command line selects it.
    pub(crate) name: &'static str,
    /// The name in tables, with the size.
    pub(crate) title: &'static str,
    /// The workload's name in the results of other systems (`--peers`).
    pub(crate) peer: &'static str,
    pub(crate) cuda_c: &'static str,
    /// The entry points in `cuda_c`, in the order of `Workload::by_hand`, with their names in tables.
    pub(crate) entries: &'static [(&'static str, &'static str)],
    /// Whether both sides are compiled with `--use_fast_math`.
    pub(crate) fast_math: bool,
    pub(crate) tolerance: Tolerance,
    pub(crate) new: fn(&Device, Size) -> cumbia::Result<Box<dyn Workload>>,
    pub(crate) cubins: fn(&str) -> Cubins,
    pub(crate) inspected: fn() -> Vec<(String, cumbia::Result<Inspected>)>,
}

impl Entry {
    /// An entry without peers and fast math, whose hand-written kernel has its name.
    pub(crate) const fn new(
        name: &'static str,
        title: &'static str,
        cuda_c: &'static str,
        entries: &'static [(&'static str, &'static str)],
        new: fn(&Device, Size) -> cumbia::Result<Box<dyn Workload>>,
        cubins: fn(&str) -> Cubins,
        inspected: fn() -> Vec<(String, cumbia::Result<Inspected>)>,
    ) -> Self {
        Entry {
            name,
            title,
            peer: "",
            cuda_c,
            entries,
            fast_math: false,
            tolerance: Tolerance::relative(1e-5),
            new,
            cubins,
            inspected,
        }
    }
}

/// Declares kernels in three variants, of which a user writes the first: as they are written, and in the modules `unchecked` and
/// `narrow` with `#[kernel(unchecked)]` and `#[kernel(index = u32)]`. Also declares `cubins`, which compiles all of them, and
/// `inspected`, which returns the CUDA C of the first.
macro_rules! variants {
    ($( $(#[doc = $doc:literal])* #[kernel $(($($option:tt)*))?] fn $name:ident $parameters:tt $body:tt )*) => {
        $( $(#[doc = $doc])* #[kernel $(($($option)*))?] fn $name $parameters $body )*

        mod unchecked {
            #[allow(unused_imports, reason = "what the kernels of the parent module use")]
            use super::*;

            $( #[kernel(unchecked $(, $($option)*)?)] pub(super) fn $name $parameters $body )*
        }

        mod narrow {
            #[allow(unused_imports, reason = "what the kernels of the parent module use")]
            use super::*;

            $( #[kernel(index = u32 $(, $($option)*)?)] pub(super) fn $name $parameters $body )*
        }

        fn cubins(architecture: &str) -> crate::workload::Cubins {
            vec![$(
                (concat!(stringify!($name), ", safe").to_owned(), <$name>::cubin(architecture)),
                (concat!(stringify!($name), ", unchecked").to_owned(), <unchecked::$name>::cubin(architecture)),
                (concat!(stringify!($name), ", u32").to_owned(), <narrow::$name>::cubin(architecture)),
            )*]
        }

        fn inspected() -> Vec<(String, cumbia::Result<crate::workload::Inspected>)> {
            vec![$( (stringify!($name).to_owned(), crate::workload::Inspected::of::<$name>()), )*]
        }
    };
}

/// Enqueues a variant of a kernel: `enqueue!(variant, saxpy(a, &x, &mut y).over(n))`.
macro_rules! enqueue {
    ($variant:expr, $name:ident($($argument:expr),* $(,)?)$($configuration:tt)*) => {
        match $variant {
            $crate::workload::Variant::Safe => $name($($argument),*)$($configuration)*.launch(),
            // SAFETY: the safe variant has run with the same arguments before, and reported no fault.
            $crate::workload::Variant::Unchecked => unsafe {
                unchecked::$name($($argument),*)$($configuration)*.launch()
            },
            $crate::workload::Variant::Narrow => narrow::$name($($argument),*)$($configuration)*.launch(),
        }
    };
}

pub(crate) use {enqueue, variants};
