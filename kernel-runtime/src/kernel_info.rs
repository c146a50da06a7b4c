//! The descriptions of the kernels of a program, which `#[kernel]` collects at link time.

/// The static description of a kernel: an entry of [`kernels`].
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

inventory::collect!(KernelInfo);

/// Returns every kernel of the program and of the crates it uses, except those of Cumbia's own algorithms, by module and line. A
/// generic kernel is one entry.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     let i = grid(1);
///     if i < x.len() {
///         x[i] *= 2.0;
///     }
/// }
///
/// let double = cumbia::kernels().into_iter().find(|kernel| kernel.name == "double").unwrap();
/// assert_eq!(double.signature, "fn double(x: &mut [f32])");
/// ```
pub fn kernels() -> Vec<&'static KernelInfo> {
    // A program cannot name those of the algorithms: it launches them by functions.
    let is_own = |info: &KernelInfo| info.module_path.split("::").next() == Some("cumbia_kernel_algorithm");
    let mut all: Vec<_> = inventory::iter::<KernelInfo>.into_iter().filter(|info| !is_own(info)).collect();
    all.sort_by_key(|info| (info.module_path, info.file, info.line, info.name));
    all
}
