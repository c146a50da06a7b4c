//! Procedural macros: `#[kernel]`, `#[device]`, `#[derive(DeviceType)]`, `#[derive(KernelArgument)]`, `launch!` and
//! `device_fn!`.
//!
//! ```text
//! tokens ─→ signature ─→ lower ─→ expand ─→ tokens
//!                        ├ the IR, untyped: each type is a slot
//!                        └ the CPU body, from whose types rustc fills the slots
//! ```
//!
//! `signature` parses the parameters; `lower` traverses the body once and produces both the IR and the CPU body;
//! `expand` generates the items. Each unsupported construct is a `rules::Rule`: all errors of a function are reported
//! at once, and the function is still declared as a stub, so that one mistake produces one error.
//!
//! This crate knows no types: rustc resolves them. It has no list of intrinsics either: an intrinsic is an item of the
//! language layer (`kernel-lang`) to which a call resolves. The exceptions are the three intrinsics of `lower::intrinsic`
//! whose result is a handle, and the tables of `lower::foreign`, which serve error messages only.

mod argument;
mod bounds;
mod derive;
mod enclosing;
mod expand;
mod extent;
mod foreign;
mod identity;
mod launch;
mod lints;
mod lower;
mod methods;
mod operator;
mod options;
mod position;
mod profile;
mod report;
mod rules;
mod signature;
mod this;
mod unparsed;

use proc_macro::TokenStream;
use proc_macro2::Span;
use quote::{ToTokens, quote};
use syn::{DeriveInput, Item, ItemFn, ItemImpl, ItemTrait};

use crate::expand::Bodies;
use crate::report::Errors;
use crate::unparsed::Body;

/// Declares a function as a kernel: each thread of a launch executes its body once.
///
/// Calling the function returns a `Launch`; a type of the same name provides access to the compiled kernel. The front
/// page of the crate has complete examples. Options, as in `#[kernel(unchecked, block = (16, 16))]`:
///
/// - `unchecked`: omits the bounds checks on a GPU; `.launch()` becomes `unsafe`.
/// - `prove`: requires that every check of an index, a sub-slice, an overflow, a divisor or a shift amount is proved, so
///   that the kernel executes none. A check that cannot be proved is an error of the first launch and of `precompile`, since
///   an attribute knows no types. A launch whose lengths, arguments, grid and block do not satisfy the conditions of the
///   proofs fails validation. `kernel::checks()` lists the checks and conditions.
/// - `fmad = false`: `a * b + c` is rounded twice on a GPU, as on the CPU. By default CUDA may contract the two
///   operations into a fused multiply-add with a single rounding, as it does for CUDA C++ and Numba.
/// - `fast_math`: division, square roots and elementary functions are approximated on a GPU, and subnormal `f32` values
///   are flushed to zero; CUDA's `--use_fast_math`. The CPU results are unaffected.
/// - `max_registers = n`: limits the registers per thread on a GPU, from 16 to 255.
/// - `launch_bounds(threads)`, `launch_bounds(threads, min_blocks)`: CUDA's `__launch_bounds__`. A launch with larger
///   blocks is an error.
/// - `block = n`, `block = (x, y)`, `block = (x, y, z)`: the only block size that the kernel can be launched with; a
///   launch may omit it. The extents are literals, or constant expressions of type `usize`, also of const generics.
/// - `coarsen = n`: thread coarsening: each CUDA thread executes `n` logical threads, those of the launch, from 1 to 16,
///   and issues their loads first. By default large launches do so if the threads are independent and no check is
///   executed; here this is required. `coarsen = false` is the same as `coarsen = 1`.
/// - `index = u32`: makes `usize` 32 bits wide on a GPU. Rarely useful: launches already use 32-bit indices where they
///   provably fit, and the option disables this optimisation. A launch with an array or a grid that exceeds this range is
///   an error.
#[proc_macro_attribute]
pub fn kernel(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let source = proc_macro2::TokenStream::from(item.clone());
    let (mut function, body) = match unparsed::function(item) {
        Ok(parsed) => parsed,
        Err(error) => return error.into_compile_error().into(),
    };
    if function.sig.receiver().is_none() && enclosing::is_associated(&function.sig.ident, Span::call_site()) {
        return rejected(&function.sig.ident, &rules::KERNEL_IN_IMPL);
    }
    lints::relax(&mut function.attrs);
    let mut errors = Errors::default();
    let options = options::parse(attribute.into(), &mut errors);
    let signature = signature::of_kernel(&function.sig, &mut errors);
    let lowered = body.is_parsed().then(|| lower::function(&function.block, &signature, &mut errors));
    let check = bounds::complete_elements(&mut function.sig.generics, &signature);
    bounds::complete(&mut function.sig.generics);
    match (errors.finish(), lowered) {
        (Ok(()), Some(lowered)) => {
            let kernel = expand::kernel(&function, &source, &options, &signature, &lowered);
            [kernel, check].into_iter().collect::<proc_macro2::TokenStream>().into()
        }
        (errors, _) => with_stub(errors, &function, || expand::kernel_stub(&function, &signature, &body.of_stub())),
    }
}

/// Returns the error about an item of which nothing else is declared.
fn rejected(tokens: impl ToTokens, rule: &rules::Rule) -> TokenStream {
    let mut errors = Errors::default();
    errors.reject(tokens, rule);
    errors.finish().err().unwrap_or_default().into()
}

/// Makes a function, or the functions of an `impl` or a trait, callable from kernels and from each other. They remain
/// callable from the host.
///
/// They may be generic, and may be defined in any module or crate.
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
/// An operator `impl` (`Add`, `MulAssign`, `Neg`, `PartialEq`, ..) under `#[device]` makes the operator available in
/// kernels. A type parameter with an operator bound, as in `T: DeviceType + Add<Output = T>`, requires such an operator; a
/// bound `T: From<u8>` likewise requires a built-in conversion. A trait under `#[device]` whose functions take or
/// return `self` has `DeviceType` as a supertrait. Each implementation of a `#[device]` trait needs `#[device]` as well, even
/// if it only inherits default methods.
///
/// # Deriving comparisons
///
/// `#[device(PartialEq)]` on a struct or an enum derives `==` and `!=`, and `#[device(PartialEq, PartialOrd)]` also
/// `<`, `<=`, `>` and `>=`, for the host and the device together: they replace `PartialEq` and `PartialOrd` in
/// `#[derive(..)]` and have the semantics of Rust's derives. Fields are compared one by one with the comparison of
/// their type: a built-in one, one derived in this way, or a hand-written `#[device] impl PartialEq`. A comparison that
/// is derived or written for the host only is rejected where a kernel uses it.
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
/// `#[device(unsafe(cuda = ".."))]` supplies the body of a function in CUDA C: statements that refer to the parameters
/// by name (`self` is `self_`). A reference is a C++ reference, and a slice `x` is the pointer `x` and the length
/// `x_len`. All other names are resolved by CUDA, even if the program defines a function of that name: the text of `fn
/// ldexp` may call `ldexp`. The CPU executes the Rust body unchanged; if that is `unimplemented!()`, a call on the CPU
/// is a fault. The option is `unsafe`, since the compiler verifies neither that the text accesses only its parameters,
/// nor, for references, that no other thread writes to the referent while the Rust body runs.
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
///
/// # Linked files
///
/// `#[device(unsafe(link = ".."))]` declares a function that a file defines with C linkage: CUDA C++ (`cu`), PTX, a
/// cubin, a fatbin, an object or a library with relocatable device code. The path is relative to the source file, as for
/// `include_bytes!`; several files are a list in brackets. `symbol = ".."` is the symbol if it is not the name of the
/// function. The parameters are as above. The CPU executes the Rust body, and a GPU the definition in the file, which
/// NVIDIA's nvJitLink links to the kernel. The function must not be generic. The option is `unsafe`, since the compiler
/// does not verify that the definition has this signature, accesses only its parameters, and agrees with the Rust body.
///
/// ```ignore
/// #[device(unsafe(link = "kernels/filter.cu", symbol = "filter_row"))]
/// fn filter(row: &[f32], i: usize) -> f32 {
///     row[i.saturating_sub(1)..].iter().take(3).sum::<f32>() / 3.0
/// }
/// ```
#[proc_macro_attribute]
pub fn device(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let (item, body) = match unparsed::item(item) {
        Ok(parsed) => parsed,
        Err(error) => return error.into_compile_error().into(),
    };
    match item {
        Item::Fn(function) => device_function(attribute, function, body),
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
            errors.reject(attribute_target(&other), &rules::DEVICE_ITEM);
            let errors = errors.finish().err();
            errors.into_iter().chain([other.into_token_stream()]).collect::<proc_macro2::TokenStream>().into()
        }
    }
}

fn device_function(attribute: TokenStream, mut function: ItemFn, body: Body) -> TokenStream {
    if function.sig.receiver().is_none()
        && (this::is_mentioned(&function.sig) || enclosing::is_associated(&function.sig.ident, Span::call_site()))
    {
        return rejected(&function.sig.ident, &rules::METHOD_ALONE); // the stub's items cannot be in an `impl`
    }
    lints::relax(&mut function.attrs);
    let mut errors = Errors::default();
    let foreign = options::parse_device(attribute.into(), &mut errors);
    let mut signature = signature::of_device_function(&function.sig, &mut errors);
    if let Some(foreign) = foreign {
        foreign::reject_generics(&foreign, [&function.sig.generics], &mut errors);
        signature.foreign = Some(foreign::body(&foreign, &signature, &function.block, &mut errors));
    }
    let lowered = body.is_parsed().then(|| lower::function(&function.block, &signature, &mut errors));
    let check = bounds::complete_elements(&mut function.sig.generics, &signature);
    bounds::complete(&mut function.sig.generics);
    match (errors.finish(), lowered) {
        (Ok(()), Some(lowered)) => {
            let function = expand::device_function(&function, &signature, &lowered);
            [function, check].into_iter().collect::<proc_macro2::TokenStream>().into()
        }
        (errors, _) => with_stub(errors, &function, || expand::device_stub(&function, &signature, &body.of_stub())),
    }
}

fn device_impl(attribute: TokenStream, mut item: ItemImpl) -> TokenStream {
    lints::relax(&mut item.attrs);
    let mut errors = Errors::default();
    options::reject_device(attribute.into(), &mut errors);
    let device_impl = methods::of_impl(item, &mut errors);
    errors_and_items(errors, |bodies| expand::device_impl(&device_impl, bodies))
}

fn device_trait(attribute: TokenStream, mut item: ItemTrait) -> TokenStream {
    lints::relax(&mut item.attrs);
    let mut errors = Errors::default();
    options::reject_device(attribute.into(), &mut errors);
    let device_trait = methods::of_trait(item, &mut errors);
    errors_and_items(errors, |bodies| expand::device_trait(&device_trait, bodies))
}

/// Makes a struct or an enum a device type: its values can be stored in device memory, passed to kernels, and held in
/// variables of kernels.
///
/// A struct may be generic, and contain numbers, `bool`s, arrays and other device types. Host and device use the layout
/// that rustc chooses. An enum without fields is represented by the integer that rustc chooses; one with fields in its
/// variants needs a `#[repr(u32)]`, `#[repr(C)]` or another one, which defines its layout. All must be `Copy`. Kernels
/// can compare their values if [`#[device(PartialEq)]`](macro@device) derives the comparison.
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
    errors_and_items(errors, |bodies| expand::device_type(&data, bodies))
}

/// Makes a struct of arrays, views and values an argument of kernels and device functions: see the trait
/// `KernelArgument`.
#[proc_macro_derive(KernelArgument)]
pub fn derive_kernel_argument(item: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(item as DeriveInput);
    let mut errors = Errors::default();
    match argument::read(input, &mut errors) {
        Some(argument) => {
            let (items, errors) = (expand::kernel_argument(&argument), errors.finish().err());
            quote!(#errors #items).into()
        }
        None => errors.finish().err().unwrap_or_default().into(),
    }
}

/// Lets an array of a struct be cast to one of the numbers that its fields consist of, and back: see the trait `Components`.
///
/// The fields are of types with `Components`, with the same numbers. The struct has `#[repr(C)]`, no parameters, and no padding:
/// another one does not compile.
///
/// ```
/// use cumbia::prelude::*;
/// use cumbia::Components;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Components, DeviceType)]
/// #[repr(C)]
/// struct Segment {
///     from: [f32; 2],
///     to: [f32; 2],
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let numbers = Device::cpu().to_device(&[0.0f32, 1.0, 2.0, 3.0])?;
/// assert_eq!(numbers.cast::<Segment>()?.to_host()?, [Segment { from: [0.0, 1.0], to: [2.0, 3.0] }]);
/// # Ok(())
/// # }
/// ```
#[proc_macro_derive(Components)]
pub fn derive_components(item: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(item as DeriveInput);
    let mut errors = Errors::default();
    let items = expand::components(&input, &mut errors);
    let errors = errors.finish().err();
    quote!(#errors #items).into()
}

/// The device half of `#[device(PartialEq)]`.
#[doc(hidden)]
#[proc_macro_derive(DevicePartialEq)]
pub fn derive_partial_eq(item: TokenStream) -> TokenStream {
    comparison(syn::parse_macro_input!(item as DeriveInput), options::Comparison::PartialEq)
}

/// The device half of `#[device(PartialOrd)]`.
#[doc(hidden)]
#[proc_macro_derive(DevicePartialOrd)]
pub fn derive_partial_ord(item: TokenStream) -> TokenStream {
    comparison(syn::parse_macro_input!(item as DeriveInput), options::Comparison::PartialOrd)
}

fn comparison(input: DeriveInput, comparison: options::Comparison) -> TokenStream {
    let mut errors = Errors::default();
    let data = derive::read(input, &mut errors);
    // `#[derive(DeviceType)]` reports the errors.
    let bodies = if errors.finish().is_ok() { Bodies::Lowered } else { Bodies::Invalid };
    data.map_or_else(TokenStream::new, |data| expand::comparison(&data, comparison, bodies).into())
}

/// Returns the generated items, preceded by the errors if there are any.
fn errors_and_items(errors: Errors, items: impl FnOnce(Bodies) -> proc_macro2::TokenStream) -> TokenStream {
    match errors.finish() {
        Ok(()) => items(Bodies::Lowered).into(),
        Err(errors) => [errors, items(Bodies::Invalid)].into_iter().collect::<proc_macro2::TokenStream>().into(),
    }
}

/// Returns the keyword of an item, where an error about the item as a whole is shown.
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

/// Returns the errors followed by the stub. A method gets no stub, whose items cannot be in an `impl`.
fn with_stub(
    errors: Result<(), proc_macro2::TokenStream>,
    function: &ItemFn,
    stub: impl FnOnce() -> proc_macro2::TokenStream,
) -> TokenStream {
    let stub = if function.sig.receiver().is_some() { proc_macro2::TokenStream::new() } else { stub() };
    errors.err().into_iter().chain([stub]).collect::<proc_macro2::TokenStream>().into()
}

/// Launches a kernel in Numba's syntax: `launch!(kernel[grid, block](arguments))?`.
///
/// Expands to `kernel(arguments).grid(grid).block(block).launch()`. Further methods of a launch follow the arguments:
///
/// ```
/// use cumbia::prelude::*;
///
/// #[kernel]
/// fn fill(value: f32, y: &mut [f32]) {
///     let i = grid(1);
///     if i < y.len() {
///         y[i] = value;
///     }
/// }
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::cpu();
/// let stream = device.stream()?;
/// let mut y = device.zeros::<f32>(100)?;
/// launch!(fill[1, 128](2.0, &mut y))?;
/// launch!(fill[1, 128](3.0, &mut y).shared_bytes(1024).on(&stream))?;
/// assert_eq!(y.to_host()?, [3.0; 100]);
/// # Ok(())
/// # }
/// ```
#[proc_macro]
pub fn launch(input: TokenStream) -> TokenStream {
    let launch = syn::parse_macro_input!(input as launch::Launch);
    launch.expand().into()
}

/// An operator of the algorithms, in the syntax of a closure: `device_fn!(|a: f32, b: f32| -> f32 { a.max(b) })`.
///
/// The value implements `Function1`, `Function2` or `Function3` of [`cumbia::algorithm`], by its number of parameters. The
/// types of the parameters and of the result are device types, and written out. The body is that of a `#[device]`
/// function: it is compiled into the kernel of the algorithm.
///
/// Variables of the enclosing function are listed in brackets, with their types, and copied when the operator is
/// created. `name: type = value` captures the value of an expression.
///
/// ```
/// use cumbia::algorithm::{device_fn, reduce, select, transform};
/// use cumbia::prelude::*;
///
/// # fn main() -> cumbia::Result<()> {
/// let device = Device::open()?;
/// let x = device.to_device(&[1.0f32, -2.0, 4.0])?;
/// let mut y = device.zeros(3)?;
/// let scale = 0.5f32;
/// transform(&x, &mut y, device_fn!([scale: f32] |v: f32| -> f32 { v * scale })).launch()?;
/// assert_eq!(y.to_host()?, [0.5, -1.0, 2.0]);
/// transform(&x, &mut y, device_fn!([s: f32 = 2.0 * scale, one: f32 = 1.0] |v: f32| -> f32 { s * v + one })).launch()?;
/// assert_eq!(y.to_host()?, [2.0, -1.0, 5.0]);
/// let n = select(&x, &mut y, device_fn!(|v: f32| -> bool { v > 0.0 })).value()?;
/// assert_eq!(y.slice(..n)?.to_host()?, [1.0, 4.0]);
/// let largest = reduce(&x, 0.0, device_fn!(commutative |a: f32, b: f32| -> f32 {
///     if b.abs() > a.abs() { b } else { a }
/// }));
/// assert_eq!(largest.value()?, 4.0);
/// # Ok(())
/// # }
/// ```
///
/// `commutative` before an operator of two parameters states that they can be exchanged, which makes a reduction faster.
///
/// The expansion is a block with a struct of the captures, its `#[device] impl`, and a value of it. An operator with type
/// parameters, or one that is used in several places, is such a struct, written out.
///
/// [`cumbia::algorithm`]: https://docs.rs/cumbia/latest/cumbia/algorithm/index.html
#[proc_macro]
pub fn device_fn(input: TokenStream) -> TokenStream {
    syn::parse_macro_input!(input as operator::Operator).expand().into()
}
