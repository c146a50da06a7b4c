//! `#[kernel]`, `#[device]` and `launch!`.
//!
//! ```text
//! tokens ─→ signature ─→ lower ─→ expand ─→ tokens
//!                        ├ the IR, complete but for types
//!                        └ the body for the CPU, with a slot for each type
//! ```
//!
//! `signature` reads the parameters; `lower` walks the body once and gives both of its uses; `expand` writes the items.
//! What a kernel cannot do is a `rules::Rule`: all mistakes of a function are reported at once, and the function is
//! still declared, so that one mistake is one error.
//!
//! This crate knows no types (rustc does) and no intrinsics (they are items that a call resolves to).

mod expand;
mod launch;
mod lower;
mod options;
mod position;
mod report;
mod rules;
mod signature;

use proc_macro::TokenStream;
use syn::ItemFn;

use crate::report::Errors;

/// Makes a function a kernel: a GPU thread runs its body, once for each thread of a launch.
///
/// Calling the function makes a `Launch`; a type of the same name says what the kernel is. The crate's front page shows
/// it at work.
///
/// - `#[kernel(unchecked)]`: no checks of indices on a GPU; `.launch()` becomes `unsafe`.
/// - `#[kernel(fmad = false)]`: `a * b + c` is rounded twice on a GPU, as on the CPU. By default CUDA may fuse the two
///   into one operation of one rounding, as it does for CUDA C and Numba.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let source = proc_macro2::TokenStream::from(item.clone());
    let function = syn::parse_macro_input!(item as ItemFn);
    let mut errors = Errors::default();
    let options = options::parse(attribute.into(), &mut errors);
    let signature = signature::of_kernel(&function, &mut errors);
    let lowered = lower::function(&function, &signature, &mut errors);
    match errors.finish() {
        Ok(()) => expand::kernel(&function, &source, &options, &signature, &lowered).into(),
        Err(errors) => with_stub(errors, &function, || expand::kernel_stub(&function, &signature)),
    }
}

/// Makes a function callable from kernels and other device functions. The host can still call it.
///
/// It may be generic, and live in any module or crate.
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let function = syn::parse_macro_input!(item as ItemFn);
    let mut errors = Errors::default();
    options::refuse(attribute.into(), &mut errors);
    let signature = signature::of_device_function(&function, &mut errors);
    let lowered = lower::function(&function, &signature, &mut errors);
    match errors.finish() {
        Ok(()) => expand::device_function(&function, &signature, &lowered).into(),
        Err(errors) => with_stub(errors, &function, || expand::device_stub(&function, &signature)),
    }
}

/// The errors, and the stub. A method gets none: its stub has items that cannot be in an `impl`.
fn with_stub(
    errors: proc_macro2::TokenStream,
    function: &ItemFn,
    stub: impl FnOnce() -> proc_macro2::TokenStream,
) -> TokenStream {
    let stub = if function.sig.receiver().is_some() { proc_macro2::TokenStream::new() } else { stub() };
    [errors, stub].into_iter().collect::<proc_macro2::TokenStream>().into()
}

/// Launches a kernel in Numba's order: `launch!(kernel[grid, block](arguments))?`.
///
/// It stands for `kernel(arguments).grid(grid).block(block).launch()`.
#[proc_macro]
pub fn launch(input: TokenStream) -> TokenStream {
    let launch = syn::parse_macro_input!(input as launch::Launch);
    launch.expand().into()
}
