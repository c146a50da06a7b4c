//! GPU kernels written as ordinary Rust functions.
//!
//! `#[kernel]` declares a function as a kernel. Calling it returns a [`Launch`]; on a GPU, the first launch compiles
//! the kernel. Without a GPU the same kernel runs on the CPU. This page is a tutorial; all of its programs are tested.
//! They begin with `use cumbia::prelude::*;`, and their last statements are in a function that returns
//! [`cumbia::Result<()>`](Result); programs that do not show these lines contain them as hidden lines.
//!
//! 1. [A first kernel](#a-first-kernel)
//! 2. [Launches](#launches)
//! 3. [Threads and blocks](#threads-and-blocks)
//! 4. [Shared memory](#shared-memory)
//! 5. [Device functions and generics](#device-functions-and-generics)
//! 6. [Device types](#device-types)
//! 7. [Faults](#faults)
//! 8. [Arrays and copies](#arrays-and-copies)
//! 9. [The kernel language](#the-kernel-language)
//! 10. [Inspecting kernels](#inspecting-kernels)
//! 11. [Performance](#performance)
//!
//! # A first kernel
//!
//! ```
//! use cumbia::prelude::*;
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = grid(1);
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! fn main() -> cumbia::Result<()> {
//!     let device = Device::open()?;
//!     let x = device.to_device(&[1.0, 2.0, 3.0])?;
//!     let mut y = device.to_device(&[10.0, 10.0, 10.0])?;
//!     saxpy(2.0, &x, &mut y).over(3).launch()?;
//!     assert_eq!(y.to_host()?, [12.0, 14.0, 16.0]);
//!     Ok(())
//! }
//! ```
//!
//! The body of a kernel is executed by every thread of a launch, and [`grid(1)`](intrinsics::grid) is the global index
//! of the thread, from 0. (In CUDA C++, *grid* denotes all blocks of a launch; [`global_id(1)`](intrinsics::global_id) is
//! the same index under an unambiguous name.) Each thread here computes one element. Threads are launched in whole blocks,
//! so there may be more threads than elements, and the `if` excludes the excess threads.
//!
//! [`Device::open`] opens GPU 0 if there is one, and the CPU otherwise; the environment variable `CUMBIA_DEVICE`
//! (`cpu`, `cuda:1`) selects another device. A kernel accesses memory of its device: [`to_device`](Device::to_device)
//! copies a slice to the device and returns a [`DeviceArray`], and [`to_host`](DeviceArray::to_host) copies it back. A
//! `&[T]` parameter accepts a `&DeviceArray<T>`, a `&mut [T]` parameter a `&mut DeviceArray<T>`, and scalars are passed
//! by value. A variable that is such a reference already is passed as it is, any number of times.
//!
//! Within the kernel, `y` is one array that is shared by all threads, as in CUDA and Numba. If two threads write the
//! same element without an atomic operation, one of the values is stored; the race is not undefined behaviour.
//!
//! # Launches
//!
//! The launch configuration is a grid of blocks, or the number of items to cover:
//!
//! ```
//! # use cumbia::prelude::*;
//! # #[kernel]
//! # fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//! #     let i = grid(1);
//! #     if i < y.len() {
//! #         y[i] = a * x[i] + y[i];
//! #     }
//! # }
//! # fn main() -> cumbia::Result<()> {
//! # let device = Device::open()?;
//! # let x = device.zeros(1000)?;
//! # let mut y = device.zeros(1000)?;
//! saxpy(2.0, &x, &mut y).grid(4).block(256).launch()?; // 4 blocks of 256 threads, as CUDA's <<<4, 256>>>
//! launch!(saxpy[4, 256](2.0, &x, &mut y))?;            // the same in Numba's syntax
//! saxpy(2.0, &x, &mut y).over(x.len()).launch()?;      // a block size is chosen, and enough blocks for x.len() items
//! # Ok(())
//! # }
//! ```
//!
//! A launch runs on the device of its arrays. On a GPU, `launch` enqueues the kernel and returns before it has run;
//! launches execute in order, and [`Device::synchronize`] and [`DeviceArray::to_host`] wait for them. A launch
//! configuration that exceeds a limit of the device, such as the number of threads per block, is an [`Err`] that states
//! the limit.
//!
//! # Threads and blocks
//!
//! Grids and blocks have up to three dimensions. `grid(2)` returns `(x, y)`. Consecutive threads of a warp differ in
//! `x`, so that `x` should be the column of a row-major matrix for coalesced accesses:
//!
//! ```
//! use cumbia::prelude::*;
//!
//! #[kernel]
//! fn add_to_rows(matrix: &mut [f32], row_of: &[f32], rows: usize, columns: usize) {
//!     let (column, row) = grid(2);
//!     if row < rows && column < columns {
//!         matrix[row * columns + column] += row_of[column];
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let mut matrix = device.to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let row = device.to_device(&[10.0, 20.0, 30.0])?;
//! add_to_rows(&mut matrix, &row, 2, 3).over((3, 2)).launch()?;
//! assert_eq!(matrix.to_host()?, [11.0, 22.0, 33.0, 14.0, 25.0, 36.0]);
//! # Ok(())
//! # }
//! ```
//!
//! [`thread_idx`](intrinsics::thread_idx), [`block_idx`](intrinsics::block_idx), [`block_dim`](intrinsics::block_dim)
//! and [`grid_dim`](intrinsics::grid_dim) are CUDA's built-in variables. [`grid_size(1)`](intrinsics::grid_size) is the
//! number of threads of the grid: the step of a grid-stride loop, in which a fixed number of threads processes any
//! number of items.
//!
//! ```
//! use cumbia::prelude::*;
//!
//! #[kernel]
//! fn square(x: &mut [f32]) {
//!     for i in (grid(1)..x.len()).step_by(grid_size(1)) {
//!         x[i] = x[i] * x[i];
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let mut x = device.to_device(&[3.0; 5000])?;
//! square(&mut x).grid(2).block(128).launch()?;
//! assert_eq!(x.to_host()?, [9.0; 5000]);
//! # Ok(())
//! # }
//! ```
//!
//! # Shared memory
//!
//! The threads of a block share fast on-chip memory. Here each block loads its part of `x`, with a halo of one element
//! on each side, into shared memory once, and each thread then reads three elements of it. The barrier
//! [`sync_threads`](intrinsics::sync_threads) separates the writes from the reads: it waits until all threads of the
//! block have reached it.
//!
//! ```
//! use cumbia::prelude::*;
//!
//! const BLOCK: usize = 128;
//!
//! /// Computes the mean of each element and its two neighbours; the elements beyond the ends are zero.
//! #[kernel]
//! fn smooth(x: &[f32], y: &mut [f32]) {
//!     let mut part = shared::<[f32; BLOCK + 2]>();
//!     let i = grid(1);
//!     let here = thread_idx().x + 1;
//!
//!     part[here] = if i < x.len() { x[i] } else { 0.0 };
//!     if here == 1 {
//!         part[0] = if i > 0 { x[i - 1] } else { 0.0 };
//!     }
//!     if here == BLOCK {
//!         part[BLOCK + 1] = if i + 1 < x.len() { x[i + 1] } else { 0.0 };
//!     }
//!     sync_threads();
//!
//!     if i < y.len() {
//!         y[i] = (part[here - 1] + part[here] + part[here + 1]) / 3.0;
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let x = device.to_device(&[3.0; 1000])?;
//! let mut y = device.zeros(1000)?;
//! smooth(&x, &mut y).block(BLOCK).over(1000).launch()?;
//! let y = y.to_host()?;
//! assert_eq!((y[0], y[1], y[500], y[999]), (2.0, 3.0, 3.0, 2.0));
//! # Ok(())
//! # }
//! ```
//!
//! Shared arrays have a constant size and elements of any device type; `shared::<[[f32; 16]; 16]>()` has two indices.
//! Their initial contents are unspecified. For a size that is only known at the launch, use `.shared_bytes(n)` there
//! and [`dynamic_shared::<f32>()`](intrinsics::dynamic_shared) in the kernel. [`atomic_add`](intrinsics::atomic_add)
//! and the other atomic operations modify an element that several threads update. The threads of a warp exchange values
//! through registers with [`shfl_down_sync`](intrinsics::shfl_down_sync) and the other warp shuffles.
//!
//! # Device functions and generics
//!
//! Kernels can call functions with `#[device]`, which may be in any module or crate and can be called from the host as
//! well. Kernels and device functions can be generic over numeric types ([`Number`], [`Float`]) and constants:
//!
//! ```
//! use cumbia::prelude::*;
//!
//! mod math {
//!     use cumbia::prelude::*;
//!
//!     /// 1 / (1 + e⁻ˣ)
//!     #[device]
//!     pub fn sigmoid<T: Float>(x: T) -> T {
//!         T::ONE / (T::ONE + (-x).exp())
//!     }
//! }
//!
//! /// Processes `N` elements per thread.
//! #[kernel]
//! fn activate<T: Float, const N: usize>(x: &mut [T]) {
//!     let first = grid(1) * N;
//!     for i in first..(first + N).min(x.len()) {
//!         x[i] = math::sigmoid(x[i]);
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let mut x = device.to_device(&[0.0f64; 10])?;
//! activate::<f64, 4>(&mut x).over(3).launch()?;
//! assert_eq!(x.to_host()?, [0.5; 10]);
//! assert_eq!(math::sigmoid(0.0f32), 0.5);
//! # Ok(())
//! # }
//! ```
//!
//! Constants may be `const` items, associated constants or const generics; rustc evaluates them.
//!
//! In generic code, a number is written as `T::ZERO`, `T::ONE` or `T::from_f64(0.5)`, since the literal `0.5` has the
//! type `f64`.
//!
//! # Device types
//!
//! `#[derive(DeviceType)]` makes a struct or an enum a device type; it must be [`Copy`]. Host and device use the layout
//! that rustc chooses; an enum with data needs a `#[repr(u32)]` or another one. `#[device]` on an `impl` makes its
//! methods callable in kernels; on the `impl` of an operator trait, it makes the operator available:
//!
//! ```
//! use std::ops::AddAssign;
//!
//! use cumbia::prelude::*;
//!
//! #[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
//! struct Particle {
//!     position: [f32; 3],
//!     velocity: [f32; 3],
//! }
//!
//! #[device]
//! impl Particle {
//!     fn advance(&mut self, dt: f32) {
//!         for k in 0..3 {
//!             self.position[k] += dt * self.velocity[k];
//!         }
//!         if self.position[2] < 0.0 {
//!             self.velocity[2] = -self.velocity[2];
//!         }
//!     }
//! }
//!
//! /// Applies a change of velocity.
//! #[device]
//! impl AddAssign<[f32; 3]> for Particle {
//!     fn add_assign(&mut self, change: [f32; 3]) {
//!         for k in 0..3 {
//!             self.velocity[k] += change[k];
//!         }
//!     }
//! }
//!
//! #[kernel]
//! fn fall(particles: &mut [Particle], dt: f32) {
//!     let i = grid(1);
//!     if i < particles.len() {
//!         particles[i] += [0.0, 0.0, -10.0 * dt];
//!         particles[i].advance(dt);
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let mut particles = device.to_device(&[Particle { position: [0.0, 0.0, 2.0], velocity: [1.0, 0.0, 0.0] }])?;
//! fall(&mut particles, 0.5).over(1).launch()?;
//! assert_eq!(particles.to_host()?, [Particle { position: [0.5, 0.0, -0.5], velocity: [1.0, 0.0, 5.0] }]);
//! # Ok(())
//! # }
//! ```
//!
//! With a trait under `#[device]` and its implementations, a kernel can be generic over a computation. [`vector`]
//! provides vectors with two to four components, and [`random`] random numbers; both are implemented with these
//! attributes.
//!
//! # Faults
//!
//! A thread that indexes out of bounds, divides an integer by zero, fails an `assert!` or panics ends with a fault. The
//! first fault is returned by the next call that waits for the device, on the CPU and on a GPU, and the device remains
//! usable:
//!
//! ```
//! use cumbia::prelude::*;
//! use cumbia::{Error, FaultKind};
//!
//! #[kernel]
//! fn take(x: &[i32], from: &[u32], y: &mut [i32]) {
//!     let i = grid(1);
//!     if i < y.len() {
//!         y[i] = x[from[i] as usize];
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let x = device.to_device(&[1, 2, 3])?;
//! let from = device.to_device(&[2, 7])?;
//! let mut y = device.zeros(2)?;
//! take(&x, &from, &mut y).over(2).launch()?;
//!
//! match y.to_host() {
//!     Err(Error::Fault { kernel, thread, kind, .. }) => {
//!         assert_eq!((kernel, thread.x), ("take", 1));
//!         assert_eq!(kind, FaultKind::IndexOutOfBounds { index: 7, len: 3 });
//!     }
//!     other => panic!("{other:?}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! After a fault, the arrays contain whatever the threads had written by then. On the CPU a fault unwinds the thread:
//! with `panic = "abort"` it terminates the program.
//!
//! # Arrays and copies
//!
//! A part of an array is a [`DeviceSlice`], which borrows the array like a Rust slice and can be passed to a kernel in
//! its place. [`reshape`](DeviceArray::reshape) returns two- and three-dimensional views of either.
//!
//! ```
//! # use cumbia::prelude::*;
//! # #[kernel]
//! # fn add(by: i32, x: &mut [i32]) {
//! #     let i = grid(1);
//! #     if i < x.len() {
//! #         x[i] += by;
//! #     }
//! # }
//! # fn main() -> cumbia::Result<()> {
//! # let device = Device::open()?;
//! let mut x = device.to_device(&[1, 2, 3, 4])?;
//! let (mut left, mut right) = x.split_at_mut(1)?;
//! right.fill(7)?;
//! add(100, &mut left).over(1).launch()?;
//! x.slice_mut(1..3)?.copy_from(&device.to_device(&[8, 9])?)?; // from array to array
//! assert_eq!(x.to_host()?, [101, 8, 9, 7]);
//! # Ok(())
//! # }
//! ```
//!
//! For occasional launches, [`In`](fn@In), [`Out`](fn@Out) and [`InOut`](fn@InOut) copy a host array to the device
//! before the launch and back after it:
//!
//! ```
//! # use cumbia::prelude::*;
//! # #[kernel]
//! # fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//! #     let i = grid(1);
//! #     if i < y.len() {
//! #         y[i] = a * x[i] + y[i];
//! #     }
//! # }
//! # fn main() -> cumbia::Result<()> {
//! # let device = Device::open()?;
//! let (x, mut y) = (vec![1.0, 2.0], vec![10.0, 20.0]);
//! saxpy(2.0, In(&x), InOut(&mut y)).over(2).on_device(&device).launch()?;
//! assert_eq!(y, [12.0, 24.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Copies between device memory and pageable host memory are synchronous. A [`PinnedArray`] is page-locked host memory,
//! which [`Stream::copy`] copies asynchronously. On several [`Stream`]s such copies overlap with each other and with
//! kernels; the example `pipeline` processes a gigabyte on four streams. Cumbia tracks the accesses of streams to
//! arrays and pinned buffers, and inserts the event dependencies between streams automatically.
//!
//! With the feature `ndarray`, arrays of that crate can be copied and passed like vectors, and `ArrayView::to_ndarray`
//! converts a view to one. With the feature `cudarc`, contexts, streams and arrays are shared with that crate in both
//! directions, without copies.
//!
//! # The kernel language
//!
//! - Parameters: numbers, `bool`, structs, enums and arrays by value; `&[T]`, `&mut [T]`; views such as
//!   [`ArrayView2<T>`]. A kernel has no return value.
//! - Values of these types, `Option`, `Result`, tuples and references in variables; patterns, `match`, `if let`; all
//!   operators; `for` over ranges, arrays and `x.iter()`; `while`, `loop`, labels, `return`; `#[unroll]` before a loop.
//! - Places: `x[i]`, `x[i].velocity[2]`, `&mut x[a..b]`, `matrix[[i, j]]`.
//! - The methods of floating-point numbers that [`Float`] lists, and integer methods such as `pow`, `count_ones`,
//!   `wrapping_add`.
//! - `assert!`, `panic!`, `println!` and related macros, with values as format arguments.
//! - Calls of `#[device]` functions and methods, and of the [`intrinsics`].
//!
//! The semantics are those of Rust: `as` from float to integer saturates, `%` truncates, small integers wrap at their
//! own width, overflow is a fault in a debug build and wraps in a release build. If one expression has two faults,
//! either may be reported.
//!
//! [`docs/language.md`] describes the language in full. Everything else, such as closures, strings and heap allocation,
//! is a compile error with a reason and a remedy; [`docs/limits.md`] lists them, and [`docs/from-numba.md`] maps each
//! feature of Numba to its counterpart.
//!
//! [`docs/language.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/language.md
//! [`docs/limits.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/limits.md
//! [`docs/from-numba.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/from-numba.md
//!
//! # Inspecting kernels
//!
//! The kernel's name is also a type, with functions that return the compiled kernel. [`kernels`] lists all kernels of
//! the program.
//!
//! ```
//! # use cumbia::prelude::*;
//! #[kernel]
//! fn double(x: &mut [f32]) {
//!     let i = grid(1);
//!     if i < x.len() {
//!         x[i] *= 2.0;
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! println!("{}", double::cuda_source()?); // readable CUDA C
//! # if std::env::var_os("CUMBIA_NVRTC").is_some() {
//! println!("{}", double::ptx("sm_90")?); // requires NVRTC, but no GPU
//! # }
//! println!("{}", double::ir()?); // the typed IR
//! println!("{}", double::checks()?); // the checks that a launch executes, and those that it omits
//! println!("{}", double::info().signature);
//! # Ok(())
//! # }
//! ```
//!
//! A helper that launches, times or inspects any kernel is generic over [`Kernel`]:
//!
//! ```
//! use std::time::Duration;
//!
//! use cumbia::Kernel;
//! use cumbia::prelude::*;
//!
//! /// Returns the mean duration of `n` launches.
//! fn mean_time<K: Kernel>(device: &Device, launch: Launch<'_, K>, n: u32) -> cumbia::Result<Duration> {
//!     let launch = launch.prepare()?;
//!     launch.launch()?; // compiles the kernel
//!     Ok(device.time(|| (0..n).try_for_each(|_| launch.launch()))? / n)
//! }
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = grid(1);
//!     if i < y.len() {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! # fn main() -> cumbia::Result<()> {
//! let device = Device::open()?;
//! let x = device.to_device(&[1.0, 2.0])?;
//! let mut y = device.zeros(2)?;
//! println!("{:?}", mean_time(&device, saxpy(0.5, &x, &mut y).over(2), 10)?);
//! # Ok(())
//! # }
//! ```
//!
//! There are also `cubin("sm_90")`, the machine code, and `sass("sm_90")`, its disassembly annotated with the lines of
//! the Rust source. Machine code has line tables, so that Nsight Compute, compute-sanitizer and cuda-gdb show Rust
//! lines, and [`profile`] adds NVTX ranges for profilers.
//!
//! [`doctor`](doctor()) reports the CUDA installation of this machine and how to fix what is missing. [`cache`] is the
//! disk cache of compiled kernels, and [`precompile`] compiles kernels ahead of time, to be shipped with a program.
//! Compilations, their durations and cache hits are emitted as `tracing` events. [`docs/environment.md`] lists the
//! environment variables.
//!
//! [`docs/environment.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/environment.md
//!
//! # Performance
//!
//! - Consecutive threads should access consecutive elements (coalesced access): make `grid(1)`, or the `x` of
//!   `grid(2)`, the last index.
//! - `.over(n)` picks a block size: 256 threads, or 128 if each executes several items, unless another size has
//!   noticeably higher occupancy or there are few items. Try others with `.block(..)`: [`device.time`](Device::time)
//!   measures a launch, [`occupancy`](Launch::occupancy) returns its occupancy, and `kernel::attributes(&device)` the
//!   number of registers that the kernel uses.
//! - A launch costs about 0.1 µs in addition to the driver call's 3 µs. [`prepare`](Launch::prepare) validates a
//!   repeated launch once, and a [`Graph`] submits many launches at once.
//! - A kernel on `f32` uses no `f64` arithmetic: literals have the type that Rust infers, so that `2.0 * x[i]` is an
//!   `f32` if `x` is a slice of `f32`.
//! - Elements of `&[Float4]` are accessed with 16-byte instructions, those of `&[f32]` with 4-byte instructions.
//! - In a large launch of independent threads, each CUDA thread executes several logical threads (*thread coarsening*), so
//!   that naive element-wise kernels saturate the memory; `#[kernel(coarsen = 4)]` fixes the factor, `coarsen = false`
//!   turns it off.
//! - `#[kernel(index = u32)]` makes `usize` 32 bits wide on a GPU. It is rarely useful: launches already use 32-bit indices
//!   where they provably fit, and the option disables this optimisation.
//! - `block`, `launch_bounds`, `max_registers` and `fast_math` have the meaning that they have in CUDA.
//! - A launch whose lengths, arguments and grid prove that a check cannot fail does not execute it on a GPU.
//!   `kernel::checks()` and [`Report`] list which checks are proved, and under which conditions; with `#[kernel(prove)]` a
//!   check that cannot be proved is an error of the first launch. `#[kernel(unchecked)]` removes the bounds checks
//!   without a proof, and makes `.launch()` `unsafe`.
//! - On a GPU `a * b + c` may be contracted to a fused multiply-add, which rounds once, as in CUDA C++ and Numba.
//!   `#[kernel(fmad = false)]` rounds twice, as on the CPU.
//! - Compiled kernels are cached in the process, and on disk for later processes. The very first launch takes tens of
//!   milliseconds for the compilation.
//! - On the CPU the blocks of a grid run in parallel. A kernel with [`sync_threads`](intrinsics::sync_threads) runs
//!   each thread on its own stack there, which is slower than the plain loop of other kernels.
//! - Build with `--release` for the CPU: the CPU version of a kernel is compiled with the rest of the program.

#[doc(inline)]
pub use cumbia_kernel_algorithm as algorithm;
pub use cumbia_kernel_macros::{Components, DeviceType, KernelArgument, device, device_fn, kernel, launch};
pub use cumbia_kernel_runtime::{
    AlgorithmError, ArrayView, ArrayView0, ArrayView1, ArrayView2, ArrayView3, ArrayView4, ArrayViewMut0,
    ArrayViewMut1, ArrayViewMut2, ArrayViewMut3, ArrayViewMut4, Attributes, BlockLimit, Checked, CompileError,
    Components, CopySource, CopyTarget, Device, DeviceArray, DeviceChunks, DeviceError, DeviceSlice, DeviceSliceMut,
    DeviceType, Diagnostic, Dim3, DriverFailure, Error, Event, FaultKind, Float, Graph, GraphError, HostArray,
    HostArrayMut, HostView, HostViewMut, In, InOut, Integer, Kernel, KernelArgument, KernelInfo, Launch, LaunchError,
    LaunchExtent, Limits, MemoryInfo, MissingConfig, NoClusters, Number, Occupancy, Out, Pci, PinnedArray, PinnedSlice,
    PinnedSliceMut, Position, Prepared, Properties, ReadArgument, ReadView, Reborrow, Recorder, Report, Result, Scalar,
    Shape, ShapeError, SharedError, Stream, StreamBuilder, Unchecked, Waiting, WriteArgument, WriteView, bf16, f16,
    half, kernels,
};
pub use cumbia_kernel_runtime::{access, intrinsics, profile};
pub use cumbia_kernel_runtime::{cache, checks, doctor, error, precompile};
pub use cumbia_kernel_std::{random, unaligned, vector};

pub mod handles {
    //! The types of references, slices and views in the body of a kernel on the CPU, under which messages of rustc mention
    //! them. Programs do not name them: they are [`Slice`] for `&[T]` and `&mut [T]`, [`View`] for [`ArrayView2`](crate::ArrayView2)
    //! and the other views, and [`PlaceRef`] for `&T` and `&mut T`. The last parameter of each is [`Read`](crate::access::Read) or
    //! [`Write`](crate::access::Write).

    #[doc(no_inline)]
    pub use cumbia_kernel_runtime::__private::{
        Handles, IntoPlace, IntoPlaceMut, IntoSlice, IntoSliceMut, IntoView, IntoViewMut, LocalMut, LocalRef, PlaceRef,
        Slice, VariableType, View,
    };
}

pub mod prelude {
    //! The items that most kernels and the programs that launch them use: `use cumbia::prelude::*;`.
    //!
    //! - attributes and macros: [`kernel`](macro@kernel), [`device`](macro@device), [`DeviceType`](macro@DeviceType),
    //!   [`launch!`](launch!);
    //! - devices and arrays: [`Device`], [`Stream`], [`DeviceArray`];
    //! - [`ArrayMethods`] and [`ArrayMethodsMut`]: `x.sum()?`, `x.sort()?` and the like, of arrays of numbers;
    //! - launches: [`Launch`], and the arguments [`In`](fn@In), [`Out`](fn@Out) and [`InOut`](fn@InOut) of host arrays;
    //! - [`trait@KernelArgument`] and [`Reborrow`], of structs of arrays;
    //! - views, as parameters of kernels: [`ArrayView0`] to [`ArrayView4`], [`ArrayViewMut0`] to [`ArrayViewMut4`];
    //! - types: [`f16`](struct@f16) and [`bf16`], which without an import would be Rust's own, unstable type;
    //! - bounds of type parameters: [`trait@DeviceType`], [`Number`], [`Float`], [`Integer`];
    //! - the position of a thread: [`grid`], [`global_id`], [`grid_size`], [`thread_idx`], [`block_idx`], [`block_dim`],
    //!   [`grid_dim`], [`lane_id`], [`WARP_SIZE`];
    //! - shared memory and barriers: [`shared`], [`dynamic_shared`], [`sync_threads`], [`sync_warp`];
    //! - atomic operations: [`atomic_add`], [`atomic_sub`], [`atomic_min`], [`atomic_max`], [`atomic_exch`],
    //!   [`atomic_cas`];
    //! - warp shuffles: [`shfl_sync`], [`shfl_up_sync`], [`shfl_down_sync`], [`shfl_xor_sync`].
    //!
    //! All operations of a device, with the remaining atomic operations, memory orderings, votes and fences, are in
    //! [`intrinsics`](crate::intrinsics): `use cumbia::intrinsics::*;`. They are not here because most kernels do not use
    //! them, and because the orderings, such as `Relaxed`, have the names of those in `std::sync::atomic`. The remaining
    //! types are in the root of the crate: `use cumbia::{Event, Graph, PinnedArray};`.

    pub use crate::algorithm::{ArrayMethods, ArrayMethodsMut};
    pub use crate::intrinsics::{
        WARP_SIZE, atomic_add, atomic_cas, atomic_exch, atomic_max, atomic_min, atomic_sub, block_dim, block_idx,
        dynamic_shared, global_id, grid, grid_dim, grid_size, lane_id, shared, shfl_down_sync, shfl_sync, shfl_up_sync,
        shfl_xor_sync, sync_threads, sync_warp, thread_idx,
    };
    pub use crate::{
        ArrayView0, ArrayView1, ArrayView2, ArrayView3, ArrayView4, ArrayViewMut0, ArrayViewMut1, ArrayViewMut2,
        ArrayViewMut3, ArrayViewMut4, Device, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType, Float, In, InOut,
        Integer, KernelArgument, Launch, Number, Out, Reborrow, Stream, bf16, device, f16, kernel, launch,
    };
}

#[doc(hidden)]
pub use cumbia_kernel_runtime::__private;

/// The hidden derives of `#[device(PartialEq, PartialOrd)]`.
#[doc(hidden)]
pub mod __derives {
    pub use cumbia_kernel_macros::{DevicePartialEq, DevicePartialOrd};
}

/// Compiles and runs the code blocks of the README as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles and runs the code blocks of the language reference.
#[cfg(doctest)]
#[doc = include_str!("../docs/language.md")]
struct Language;

/// Compiles and runs the code blocks of the page on algorithms.
#[cfg(doctest)]
#[doc = include_str!("../docs/algorithms.md")]
struct Algorithms;

/// Compiles and runs the code blocks of the page for users of CUDA C++.
#[cfg(doctest)]
#[doc = include_str!("../docs/from-cuda.md")]
struct FromCuda;

/// Compiles and runs the code blocks of the page for Numba users.
#[cfg(doctest)]
#[doc = include_str!("../docs/from-numba.md")]
struct FromNumba;

/// Compiles and runs the code blocks of the page for CuPy users.
#[cfg(doctest)]
#[doc = include_str!("../docs/from-cupy.md")]
struct FromCupy;

/// Compiles and runs the code blocks of the page for users of Thrust and CUB.
#[cfg(doctest)]
#[doc = include_str!("../docs/from-thrust.md")]
struct FromThrust;

/// Compiles and runs the code blocks of the page on environment variables.
#[cfg(doctest)]
#[doc = include_str!("../docs/environment.md")]
struct Environment;
