//! GPU kernels written as ordinary Rust functions.
//!
//! `#[kernel]` makes a kernel of a function. Calling it makes a [`Launch`]; on a GPU, the first launch compiles the
//! kernel. Where there is no GPU the same kernel runs on the CPU. This page is the tutorial; each of its programs runs.
//!
//! 1. [A first kernel](#a-first-kernel)
//! 2. [Launches](#launches)
//! 3. [Threads and blocks](#threads-and-blocks)
//! 4. [Shared memory](#shared-memory)
//! 5. [Device functions and generics](#device-functions-and-generics)
//! 6. [Types of your own](#types-of-your-own)
//! 7. [Faults](#faults)
//! 8. [Arrays and copies](#arrays-and-copies)
//! 9. [What a kernel may contain](#what-a-kernel-may-contain)
//! 10. [Looking inside](#looking-inside)
//! 11. [Speed](#speed)
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
//! A kernel is what *one* thread does. A launch runs many threads of it, and [`grid(1)`](intrinsics::grid) is the
//! number of the thread, from 0. Each thread here computes one element. Threads are launched in whole blocks, so there
//! are more of them than elements, and the `if` sends the others home.
//!
//! [`Device::open`] takes GPU 0 where there is one, else the CPU; the variable `CUMBIA_DEVICE` (`cpu`, `cuda:1`)
//! decides otherwise. A kernel reads and writes memory of its device: [`to_device`](Device::to_device) copies a slice
//! there and gives a [`DeviceArray`], [`to_host`](DeviceArray::to_host) copies it back. A `&[T]` of the kernel takes a
//! `&DeviceArray<T>`, a `&mut [T]` takes a `&mut DeviceArray<T>`, and numbers are passed as they are.
//!
//! Within the kernel, `y` is one array that all threads write, as in CUDA and Numba. Where two threads write the same
//! element without an atomic operation, one of the values stays; nothing worse can happen.
//!
//! # Launches
//!
//! How many threads run is said by a grid of blocks, or by what they are to cover:
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
//! launch!(saxpy[4, 256](2.0, &x, &mut y))?;            // the same in Numba's order
//! saxpy(2.0, &x, &mut y).over(x.len()).launch()?;      // a block is picked, and enough of them for x.len() items
//! # Ok(())
//! # }
//! ```
//!
//! A launch runs on the device of its arrays. On a GPU it returns before the kernel has run, and launches run one after
//! the other; [`Device::synchronize`] and [`DeviceArray::to_host`] wait for them. What the device cannot do, such as a
//! block of more threads than it runs, is an [`Err`] that says what the limit is.
//!
//! # Threads and blocks
//!
//! Grids and blocks have up to three dimensions. `grid(2)` gives `(x, y)`, of which `x` varies fastest between
//! neighbouring threads, so that `x` should walk along the rows of a matrix:
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
//! and [`grid_dim`](intrinsics::grid_dim) are CUDA's. [`grid_size(1)`](intrinsics::grid_size) is the number of threads
//! of the grid: the step with which a fixed number of threads goes over any number of items.
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
//! The threads of a block share fast memory of their own. Here each block fetches its part of `x` with a border once,
//! and each thread then reads three elements of it. [`sync_threads`](intrinsics::sync_threads) stands between writing
//! and reading: it waits until all threads of the block have come there.
//!
//! ```
//! use cumbia::prelude::*;
//!
//! const BLOCK: usize = 128;
//!
//! /// The mean of each element and its two neighbours; beyond the ends there are zeros.
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
//! Shared arrays have constant sizes, and elements of any type that memory can hold; `shared::<[[f32; 16]; 16]>()` has
//! two indices. They hold nothing of meaning at first. A size that only the launch knows is `.shared_bytes(n)` there and
//! [`dynamic_shared::<f32>()`](intrinsics::dynamic_shared) in the kernel. Where several threads change one element,
//! [`atomic_add`](intrinsics::atomic_add) and its kin do it. The threads of a warp exchange values without memory, by
//! [`shfl_down_sync`](intrinsics::shfl_down_sync) and its kin.
//!
//! # Device functions and generics
//!
//! A kernel calls functions with `#[device]`. They may be in any module or crate, and the host can call them too.
//! Kernels and device functions can be generic over numbers ([`Number`], [`Float`]) and constants:
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
//! /// Goes through `N` elements in each thread.
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
//! A constant is any `const` of Rust's, an associated one or a generic one; rustc computes its value.
//!
//! In generic code, also in an `impl`, a number is `T::ZERO`, `T::ONE` or `T::from_f64(0.5)`: `0.5` itself would be an
//! `f64`. rustc's
//! "expected struct, variant or union type, found function" means that the function lacks its `#[device]`.
//!
//! # Types of your own
//!
//! `#[derive(DeviceType)]` makes a struct, or an enum without fields, a type of devices too; it must be [`Copy`]. Both
//! sides have the layout that rustc gave it. `#[device]` on an `impl` makes its methods callable in kernels, and on one of
//! an operator the operator:
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
//! /// What falls on the particle.
//! #[device]
//! impl AddAssign<[f32; 3]> for Particle {
//!     fn add_assign(&mut self, push: [f32; 3]) {
//!         for k in 0..3 {
//!             self.velocity[k] += push[k];
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
//! A trait under `#[device]`, and implementations of it, let a kernel be generic over what it computes. [`vector`] has
//! vectors of two to four numbers, and [`random`] random numbers; both are written in this way.
//!
//! # Faults
//!
//! A thread that indexes outside an array, divides an integer by zero, fails an `assert!` or panics ends there. The
//! first such thread is reported by the next call that waits for the device, on the CPU as on a GPU, and the device
//! goes on working:
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
//!         assert_eq!((kernel.as_str(), thread.x), ("take", 1));
//!         assert_eq!(kind, FaultKind::IndexOutOfBounds { index: 7, len: 3 });
//!     }
//!     other => panic!("{other:?}"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Arrays that the kernel wrote hold what its threads had written by then. On the CPU a thread ends by unwinding: with
//! `panic = "abort"` a fault there ends the program.
//!
//! # Arrays and copies
//!
//! A part of an array is a [`DeviceSlice`], borrowed as Rust's own slices are, and a kernel takes it as it takes an array.
//! [`reshape`](DeviceArray::reshape) makes views in two and three dimensions of either.
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
//! let (left, mut right) = x.split_at_mut(1)?;
//! right.fill(7)?;
//! add(100, left).over(1).launch()?;
//! x.slice_mut(1..3)?.copy_from(&device.to_device(&[8, 9])?)?; // from array to array
//! assert_eq!(x.to_host()?, [101, 8, 9, 7]);
//! # Ok(())
//! # }
//! ```
//!
//! For a launch now and then, [`In`], [`Out`] and [`InOut`] copy an array of the host to the device and back around it:
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
//! Copies from and to the host's own memory wait until they are done. A [`PinnedArray`] is memory of the host that a GPU
//! copies from and to by itself, while the program goes on, and [`Stream::copy`] does so. With several
//! [`Stream`]s such copies run beside each other and beside kernels; the example `pipeline` sends a gigabyte through four.
//! Arrays and buffers know which streams used them, and what is asked of another stream waits for that by itself.
//!
//! With the feature `ndarray`, arrays of that crate are copied and passed as vectors are, and
//! `ArrayView::to_ndarray` gives a view as one. With the feature `cudarc`, contexts, streams and arrays of cudarc are
//! shared with it, both ways and without copies.
//!
//! # What a kernel may contain
//!
//! - Parameters: numbers, `bool`, structs, enums and arrays by value; `&[T]`, `&mut [T]`; views such as [`ArrayView2<T>`].
//!   A kernel returns nothing.
//! - Values of these types, tuples and references in variables; patterns, `match`, `if let`; all operators; `for` over
//!   ranges, arrays and `x.iter()`; `while`, `loop`, labels, `return`; `#[unroll]` before a loop.
//! - Places: `x[i]`, `x[i].velocity[2]`, `&mut x[a..b]`, `matrix[[i, j]]`.
//! - The methods of numbers that [`Float`] lists, and those of integers such as `pow`, `count_ones`, `wrapping_add`.
//! - `assert!`, `panic!`, `println!` and their kin, with numbers in their texts.
//! - Calls of `#[device]` functions and methods, and of the [`intrinsics`].
//!
//! What they mean is what Rust says: `as` from float to integer saturates, `%` truncates, small integers wrap at their
//! own width, overflow is a fault in a debug build and wraps in a release build. Of two faults in one expression either
//! may be the one that is reported.
//!
//! The page [`docs/language.md`] goes through all of it. Everything else, such as closures, strings and the heap, is a
//! compile error with a reason and a remedy; [`docs/limits.md`] has them all, and [`docs/from-numba.md`] what stands for
//! each feature of Numba.
//!
//! [`docs/language.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/language.md
//! [`docs/limits.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/limits.md
//! [`docs/from-numba.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/from-numba.md
//!
//! # Looking inside
//!
//! The kernel's name is a type too, which says what became of the kernel. [`kernels`] lists all kernels of the program.
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
//! println!("{}", double::cuda_source()?); // the CUDA C, made to be read
//! # if std::env::var_os("CUMBIA_NVRTC").is_some() {
//! println!("{}", double::ptx("sm_90")?); // needs NVRTC, but no GPU
//! # }
//! println!("{}", double::ir()?); // what the compiler is given: the kernel with all types
//! println!("{}", double::info().signature);
//! # Ok(())
//! # }
//! ```
//!
//! There are also `cubin("sm_90")`, machine code, and `sass("sm_90")`, which is that as text, beside the lines of the Rust
//! source. Machine code has line tables, so that Nsight Compute, compute-sanitizer and cuda-gdb show Rust lines, and
//! [`profile`] names parts of a program for them.
//!
//! [`doctor`](doctor()) says what of CUDA is on this machine and what to do about what is missing. [`cache`] keeps compiled
//! kernels from one process to the next, and [`precompile`] compiles them ahead, for a program to take along. What was
//! compiled, in what time, and where the code came from goes to a subscriber of `tracing`. [`docs/environment.md`] has the
//! variables that change any of this.
//!
//! [`docs/environment.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/environment.md
//!
//! # Speed
//!
//! - Neighbouring threads should read neighbouring elements: let `grid(1)`, or the `x` of `grid(2)`, be the last index.
//! - `.over(n)` picks a block that lets the GPU run many threads at once. Try others with `.block(..)`:
//!   [`device.time`](Device::time) tells what a launch takes, [`occupancy`](Launch::occupancy) how it fills the device, and
//!   `kernel::attributes(&device)` how many registers the kernel needs.
//! - A launch costs a tenth of a microsecond besides the driver's own two or three. [`prepare`](Launch::prepare) checks one
//!   that is repeated once for all, and a [`Graph`] launches many at once.
//! - An f32 kernel computes in f32 alone. Literals take the type that Rust infers: `2.0 * x[i]` is of f32 where `x` is.
//! - `&[Float4]` is read in 16 bytes at once, where `&[f32]` is read in 4.
//! - `#[kernel(index = u32)]` makes `usize` 32 bits wide on a GPU, which has no others in hardware; `block`,
//!   `launch_bounds`, `max_registers` and `fast_math` are CUDA's own.
//! - The checks of indices cost about a percent. `#[kernel(unchecked)]` removes them on a GPU, and makes `.launch()`
//!   `unsafe`.
//! - On a GPU `a * b + c` may become one operation that rounds once, as in CUDA C and Numba. `#[kernel(fmad = false)]`
//!   rounds twice, as the CPU does.
//! - A compiled kernel is kept for the process, and on disk for the next one. The first launch of all takes tens of
//!   milliseconds for the compilation.
//! - On the CPU the blocks of a grid run in parallel. A kernel with [`sync_threads`](intrinsics::sync_threads) in it
//!   runs each thread on a stack of its own there, which is slower than the plain loop of other kernels.
//! - Build with `--release` for the CPU: the kernel is compiled with the rest of your program.

pub use cumbia_kernel_macros::{DeviceType, device, kernel, launch};
pub use cumbia_kernel_runtime::{
    ArrayView, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut1, ArrayViewMut2, ArrayViewMut3, Attributes, BlockLimit,
    Checked, CompileError, Components, CopySource, CopyTarget, Device, DeviceArray, DeviceChunks, DeviceError, DeviceSlice,
    DeviceSliceMut, DeviceType, Diagnostic, Dim3, DriverFailure, Element, Error, Event, FaultKind, Float, Graph,
    GraphError, HostArray, HostArrayMut, HostView, HostViewMut, In, InOut, Integer, KernelInfo, Launch,
    LaunchError, LaunchExtent, Limits, MemoryInfo, MissingConfig, NoClusters, Number, Occupancy, Out, Pci, PinnedArray,
    PinnedSlice, PinnedSliceMut, Position, Prepared, Properties, ReadArgument, ReadView, Recorder, Result, Scalar,
    Shape, ShapeError, SharedError, Stream, StreamBuilder, Unchecked, Waiting, WriteArgument, WriteView, bf16, f16,
    half, kernels,
};
pub use cumbia_kernel_runtime::{cache, doctor, precompile};
pub use cumbia_kernel_runtime::{intrinsics, profile};
pub use cumbia_kernel_std::{random, vector};

/// What a program with kernels needs: `use cumbia::prelude::*;`.
pub mod prelude {
    pub use crate::intrinsics::{
        AcqRel, Acquire, BlockScope, DeviceScope, Relaxed, Release, SeqCst, SystemScope, WARP_SIZE, active_mask,
        all_sync, any_sync, atomic_add, atomic_add_explicit, atomic_and, atomic_and_explicit, atomic_cas,
        atomic_cas_explicit, atomic_dec, atomic_dec_explicit, atomic_exch, atomic_exch_explicit, atomic_inc,
        atomic_inc_explicit, atomic_load, atomic_load_explicit, atomic_max, atomic_max_explicit, atomic_min,
        atomic_min_explicit, atomic_or, atomic_or_explicit, atomic_store, atomic_store_explicit, atomic_sub,
        atomic_sub_explicit, atomic_xor, atomic_xor_explicit, ballot_sync, block_dim, block_idx, dynamic_shared,
        dynamic_shared_at, fast, global_id, grid, grid_dim, grid_size, lane_id, lanemask_eq, lanemask_ge, lanemask_gt,
        lanemask_le, lanemask_lt, match_all_sync, match_any_sync, reduce_add_sync, reduce_and_sync, reduce_max_sync,
        reduce_min_sync, reduce_or_sync, reduce_xor_sync, shared, shfl_down_sync, shfl_sync, shfl_up_sync,
        shfl_xor_sync, sync_grid, sync_threads, sync_threads_and, sync_threads_count, sync_threads_or, sync_warp,
        thread_fence, thread_fence_block, thread_fence_system, thread_idx, uni_sync,
    };
    pub use crate::{
        ArrayView1, ArrayView2, ArrayView3, ArrayViewMut1, ArrayViewMut2, ArrayViewMut3, Device, DeviceArray,
        DeviceSlice, DeviceSliceMut, DeviceType, Dim3, Element, Event, Float, Graph, In, InOut, Integer, Launch,
        Number, Out, PinnedArray, Stream, bf16, device, f16, kernel, launch,
    };
}

#[doc(hidden)]
pub use cumbia_kernel_runtime::__private;

/// For `#[device(PartialEq, PartialOrd)]` only.
#[doc(hidden)]
pub mod __derives {
    pub use cumbia_kernel_macros::{DevicePartialEq, DevicePartialOrd};
}

/// The programs of the README are compiled and run with the other documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// And so are those of the page of the language.
#[cfg(doctest)]
#[doc = include_str!("../docs/language.md")]
struct Language;

/// And those of the page for whoever comes from Numba.
#[cfg(doctest)]
#[doc = include_str!("../docs/from-numba.md")]
struct FromNumba;

/// And that of the page on the environment.
#[cfg(doctest)]
#[doc = include_str!("../docs/environment.md")]
struct Environment;
