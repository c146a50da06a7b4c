//! `#[kernel]`, `#[device]`, `#[derive(DeviceType)]` and `launch!`.
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

mod bounds;
mod derive;
mod expand;
mod foreign;
mod identity;
mod launch;
mod lower;
mod methods;
mod options;
mod position;
mod profile;
mod report;
mod rules;
mod signature;
mod this;

use proc_macro::TokenStream;
use quote::ToTokens;
use syn::{DeriveInput, Item, ItemFn, ItemImpl, ItemTrait};

use crate::expand::Bodies;
use crate::report::Errors;

/// Makes a function a kernel: a GPU thread runs its body, once for each thread of a launch.
///
/// Calling the function makes a `Launch`; a type of the same name says what the kernel is. The crate's front page shows
/// it at work. Options, as in `#[kernel(unchecked, block = (16, 16))]`:
///
/// - `unchecked`: no checks of indices on a GPU; `.launch()` becomes `unsafe`.
/// - `fmad = false`: `a * b + c` is rounded twice on a GPU, as on the CPU. By default CUDA may fuse the two into one
///   operation of one rounding, as it does for CUDA C and Numba.
/// - `fast_math`: division, square roots and elementary functions are approximated on a GPU, and subnormal `f32`s are
///   zero; CUDA's `--use_fast_math`. The CPU computes as always.
/// - `max_registers = n`: a thread of a GPU uses at most this many registers, from 16 to 255.
/// - `launch_bounds(threads)`, `launch_bounds(threads, min_blocks)`: CUDA's `__launch_bounds__`. A launch with larger
///   blocks is an error.
/// - `block = n`, `block = (x, y)`, `block = (x, y, z)`: the only block that the kernel can be launched with, which a
///   launch need not name.
/// - `index = u32`: `usize` has 32 bits on a GPU, which makes arithmetic on indices faster. A launch with an array or a
///   grid that does not fit is an error.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let source = proc_macro2::TokenStream::from(item.clone());
    let mut function = syn::parse_macro_input!(item as ItemFn);
    let mut errors = Errors::default();
    let options = options::parse(attribute.into(), &mut errors);
    let signature = signature::of_kernel(&function.sig, &mut errors);
    let lowered = lower::function(&function.block, &signature, &mut errors);
    bounds::complete(&mut function.sig.generics);
    match errors.finish() {
        Ok(()) => expand::kernel(&function, &source, &options, &signature, &lowered).into(),
        Err(errors) => with_stub(errors, &function, || expand::kernel_stub(&function, &signature)),
    }
}

/// Makes a function, or those of an `impl` or a trait, callable from kernels and each other. The host can still call
/// them.
///
/// They may be generic, and live in any module or crate.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Circle {
///     radius: f32,
/// }
///
/// #[device]
/// trait Shape {
///     fn area(&self) -> f32;
/// }
///
/// #[device]
/// impl Shape for Circle {
///     fn area(&self) -> f32 {
///         3.14 * square(self.radius)
///     }
/// }
///
/// #[device]
/// fn square(x: f32) -> f32 {
///     x * x
/// }
///
/// #[kernel]
/// fn areas<S: Shape>(shapes: &[S], areas: &mut [f32]) {
///     let i = grid(1);
///     if i < areas.len() {
///         areas[i] = shapes[i].area();
///     }
/// }
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let circles = device.to_device(&[Circle { radius: 1.0 }, Circle { radius: 2.0 }])?;
/// let mut found = device.zeros(2)?;
/// areas(&circles, &mut found).over(2).launch()?;
/// assert_eq!(found.to_host()?, [3.14, 12.56]);
/// # Ok(())
/// # }
/// ```
///
/// An `impl` of an operator (`Add`, `MulAssign`, `Neg`, `PartialEq`, ..) under `#[device]` makes the operator one of
/// kernels; where a type parameter has an operator's bound, as in `T: Element + Add<Output = T>`, its operator has to be
/// one; a bound `T: From<u8>` asks for a built-in conversion in the same way. A trait under `#[device]` whose functions take
/// or give `self` is one of `Element`s. Where the trait has defaults, each of its implementations needs `#[device]`.
///
/// # Comparisons of types
///
/// `#[device(PartialEq)]` on a struct or an enum derives `==` and `!=`, and `#[device(PartialEq, PartialOrd)]` also `<`, `<=`,
/// `>` and `>=`, for the host and the device at once: they take the place of `PartialEq` and `PartialOrd` in
/// `#[derive(..)]`, and mean what Rust derives. Fields are compared one by one, each as its type says: by another such
/// derive, or by a `#[device] impl PartialEq` that is written by hand. What is derived or written for the host alone is
/// refused where a kernel uses it.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Angle(i32);
///
/// #[device]
/// impl PartialEq for Angle {
///     fn eq(&self, other: &Self) -> bool {
///         (self.0 - other.0) % 360 == 0
///     }
/// }
///
/// #[derive(Clone, Copy, DeviceType)]
/// #[device(PartialEq)]
/// struct Pose {
///     position: [f32; 3],
///     heading: Angle,
/// }
///
/// #[kernel]
/// fn count(wanted: Pose, poses: &[Pose], found: &mut [u32]) {
///     let i = grid(1);
///     if i < poses.len() && poses[i] == wanted {
///         atomic_add(&mut found[0], 1);
///     }
/// }
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let pose = |degrees| Pose { position: [1.0, 2.0, 3.0], heading: Angle(degrees) };
/// let poses = device.to_device(&[pose(30), pose(90), pose(-330)])?;
/// let mut found = device.zeros(1)?;
/// count(pose(30), &poses, &mut found).over(3).launch()?;
/// assert_eq!(found.to_host()?, [2]);
/// # Ok(())
/// # }
/// ```
///
/// # CUDA C
///
/// `#[device(unsafe(cuda = ".."))]` gives the body of a function in CUDA C, as statements that see the parameters by
/// their names (`self` is `self_`); a reference is one of C++'s, and a slice `x` is the pointer `x` and the length
/// `x_len`. All other names are CUDA's, whatever the program has under them: the text of `fn ldexp` may call `ldexp`. The Rust body is what the CPU runs, as it stands; where it is `unimplemented!()`, a call there is a fault. It
/// is `unsafe`, since nobody checks that the text keeps to its parameters, nor, where these are references, that no other
/// thread writes there while the Rust body runs.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[device(unsafe(cuda = "return __brev(x);"))]
/// fn reversed(x: u32) -> u32 {
///     x.reverse_bits()
/// }
/// assert_eq!(reversed(1), 1 << 31);
/// ```
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    match syn::parse_macro_input!(item as Item) {
        Item::Fn(function) => device_function(attribute, function),
        Item::Impl(item) => device_impl(attribute, item),
        Item::Trait(item) => device_trait(attribute, item),
        item @ (Item::Struct(_) | Item::Enum(_)) if !attribute.is_empty() => {
            let mut errors = Errors::default();
            let names = options::parse_comparisons(attribute.into(), &mut errors);
            let item = expand::with_derives(&names, &item.into_token_stream());
            errors.finish().err().into_iter().chain([item]).collect::<proc_macro2::TokenStream>().into()
        }
        other => {
            let mut errors = Errors::default();
            errors.refuse(attribute_target(&other), &rules::DEVICE_ITEM);
            let errors = errors.finish().err();
            errors.into_iter().chain([other.into_token_stream()]).collect::<proc_macro2::TokenStream>().into()
        }
    }
}

fn device_function(attribute: TokenStream, mut function: ItemFn) -> TokenStream {
    let mut errors = Errors::default();
    let cuda = options::parse_device(attribute.into(), &mut errors);
    if function.sig.receiver().is_none() && this::is_mentioned(&function.sig) {
        errors.refuse(&function.sig.ident, &rules::METHOD_ALONE);
        return errors.finish().err().unwrap_or_default().into(); // what it is declared as cannot be in an `impl`
    }
    let mut signature = signature::of_device_function(&function.sig, &mut errors);
    if let Some(cuda) = cuda {
        signature.foreign = Some(foreign::body(&cuda, &signature, &function.block));
    }
    let lowered = lower::function(&function.block, &signature, &mut errors);
    bounds::complete(&mut function.sig.generics);
    match errors.finish() {
        Ok(()) => expand::device_function(&function, &signature, &lowered).into(),
        Err(errors) => with_stub(errors, &function, || expand::device_stub(&function, &signature)),
    }
}

fn device_impl(attribute: TokenStream, item: ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    options::refuse_device(attribute.into(), &mut errors);
    let device_impl = methods::of_impl(item, &mut errors);
    both(errors, |bodies| expand::device_impl(&device_impl, bodies))
}

fn device_trait(attribute: TokenStream, item: ItemTrait) -> TokenStream {
    let mut errors = Errors::default();
    options::refuse_device(attribute.into(), &mut errors);
    let device_trait = methods::of_trait(item, &mut errors);
    both(errors, |bodies| expand::device_trait(&device_trait, bodies))
}

/// Makes a struct or an enum a type of both the host and a device: its values can be in memory of the device, arguments
/// of a kernel, and variables of one.
///
/// A struct may be generic, and hold numbers, `bool`s, arrays and other such types. Both sides have the layout that rustc
/// gives it. An enum has variants without fields, and is the integer that rustc makes it. Both have to be `Copy`. A kernel
/// compares their values where [`#[device(PartialEq)]`](macro@device) derives that.
///
/// ```
/// use cumbia::prelude::*;
///
/// #[derive(Clone, Copy, DeviceType)]
/// #[device(PartialEq)]
/// enum Kind {
///     Fluid,
///     Wall,
/// }
///
/// #[derive(Clone, Copy, DeviceType)]
/// struct Cell<T> {
///     kind: Kind,
///     velocity: [T; 2],
/// }
///
/// #[kernel]
/// fn stop_at_walls(cells: &mut [Cell<f32>]) {
///     let i = grid(1);
///     if i < cells.len() && cells[i].kind == Kind::Wall {
///         cells[i].velocity = [0.0, 0.0];
///     }
/// }
/// # fn main() -> cumbia::Result<()> {
/// let wall = Cell { kind: Kind::Wall, velocity: [1.0, 2.0] };
/// let mut cells = Device::cpu().to_device(&[Cell { kind: Kind::Fluid, ..wall }, wall])?;
/// stop_at_walls(&mut cells).over(2).launch()?;
/// let cells = cells.to_host()?;
/// assert_eq!([cells[0].velocity, cells[1].velocity], [[1.0, 2.0], [0.0, 0.0]]);
/// # Ok(())
/// # }
/// ```
#[proc_macro_derive(DeviceType)]
pub fn derive_device_type(item: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(item as DeriveInput);
    let mut errors = Errors::default();
    let Some(data) = derive::read(input, &mut errors) else {
        return errors.finish().err().unwrap_or_default().into();
    };
    both(errors, |bodies| expand::device_type(&data, bodies))
}

/// The device's side of `#[device(PartialEq)]`.
#[doc(hidden)]
#[proc_macro_derive(DevicePartialEq)]
pub fn derive_partial_eq(item: TokenStream) -> TokenStream {
    comparison(syn::parse_macro_input!(item as DeriveInput), expand::Comparison::PartialEq)
}

/// The device's side of `#[device(PartialOrd)]`.
#[doc(hidden)]
#[proc_macro_derive(DevicePartialOrd)]
pub fn derive_partial_ord(item: TokenStream) -> TokenStream {
    comparison(syn::parse_macro_input!(item as DeriveInput), expand::Comparison::PartialOrd)
}

fn comparison(input: DeriveInput, comparison: expand::Comparison) -> TokenStream {
    let mut errors = Errors::default();
    let data = derive::read(input, &mut errors);
    // `#[derive(DeviceType)]` reports them.
    let bodies = if errors.finish().is_ok() { Bodies::Lowered } else { Bodies::Mistaken };
    data.map_or_else(TokenStream::new, |data| expand::comparison(&data, comparison, bodies).into())
}

/// The items, beside the errors if there are any.
fn both(errors: Errors, items: impl FnOnce(Bodies) -> proc_macro2::TokenStream) -> TokenStream {
    match errors.finish() {
        Ok(()) => items(Bodies::Lowered).into(),
        Err(errors) => [errors, items(Bodies::Mistaken)].into_iter().collect::<proc_macro2::TokenStream>().into(),
    }
}

/// The token of an item that says what it is.
fn attribute_target(item: &Item) -> proc_macro2::TokenStream {
    match item {
        Item::Struct(item) => item.struct_token.into_token_stream(),
        Item::Enum(item) => item.enum_token.into_token_stream(),
        Item::Union(item) => item.union_token.into_token_stream(),
        Item::Mod(item) => item.mod_token.into_token_stream(),
        Item::Const(item) => item.const_token.into_token_stream(),
        Item::Static(item) => item.static_token.into_token_stream(),
        Item::Type(item) => item.type_token.into_token_stream(),
        Item::Use(item) => item.use_token.into_token_stream(),
        other => other.into_token_stream(),
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
