//! The builds of a kernel: its variants, each compiled in one or more ways.

use std::fmt;

use cumbia_kernel_compiler::Variant;

use crate::sync::OnceLock;

/// The maximum number of [partial variants](Build::Partial) of a kernel for each layout of its views. A program has few kinds of
/// launches that differ in the checks that are proved; the limit bounds what it compiles if it has many.
pub(crate) const PARTIALS: usize = 2;

/// A compilation of a kernel for one layout: a variant, possibly with a register limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// A variant with the registers that the compiler chooses.
    Of(Variant),
    /// A variant without the checks that some launch has proved, for launches that prove these, but not all that the variant can
    /// omit. The number is that of [`Candidates::partial`](super::variants::Candidates::partial).
    Partial(u8),
    /// A variant in which each CUDA block executes several blocks of the launch: see
    /// [`Specialised::coarsened`](super::specialise::Specialised::coarsened).
    Coarsened(Variant),
    /// The checked variant with at most the registers of the preferred variant, so that each launch that the resources
    /// of that one allow can run it.
    Limited,
}

/// A value for each [`Build`].
pub(crate) type PerBuild<T> = [OnceLock<T>; 2 * Variant::ALL.len() + 1 + PARTIALS];

impl Build {
    /// The checked variant.
    pub(crate) const CHECKED: Build = Build::Of(Variant::Checked);

    /// Returns the index in a [`PerBuild`].
    pub(crate) fn index(self) -> usize {
        const VARIANTS: usize = Variant::ALL.len();
        match self {
            Build::Of(variant) => variant as usize,
            Build::Limited => VARIANTS,
            Build::Coarsened(variant) => VARIANTS + 1 + variant as usize,
            Build::Partial(number) => 2 * VARIANTS + 1 + usize::from(number),
        }
    }
}

impl fmt::Display for Build {
    /// Writes the name of the variant, for `tracing` events.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Build::Of(variant) | Build::Coarsened(variant) => variant.fmt(f),
            Build::Partial(_) => f.write_str("partial"),
            Build::Limited => Variant::Checked.fmt(f),
        }
    }
}
