//! The descriptions of the kernels of a program.

/// The static description of a kernel: an entry of [`kernels`](crate::kernels).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// The function's name.
    pub name: &'static str,
    /// The path of the defining module, as `module_path!()` returns it.
    pub module_path: &'static str,
    /// The source file, as `file!()` returns it.
    pub file: &'static str,
    /// The line of the name, from 1.
    pub line: u32,
    /// The signature, as written in the source.
    pub signature: &'static str,
}

impl KernelInfo {
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        module_path: &'static str,
        file: &'static str,
        line: u32,
        signature: &'static str,
    ) -> Self {
        KernelInfo { name, module_path, file, line, signature }
    }
}
