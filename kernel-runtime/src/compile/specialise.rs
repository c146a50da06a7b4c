//! Specialisation: from a monomorphised kernel's Rust type to a program of the compiler.
//!
//! A kernel's IR has slots for its types, constants and callees. For each choice of the kernel's generic arguments, they are
//! filled once per process, device functions are linked in, and the program is validated.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustc_hash::{FxBuildHasher, FxHashMap};

use cumbia_kernel_compiler::{
    Axis, Coarsening, Facts, Gain, LaunchSymbol, Obstacle, ObstacleKind, Predicate, Quantity, Source, Validated,
    Variant, Verdict, with_narrow_indices,
};
use cumbia_kernel_ir::{
    Callee, Expr, ExprKind, Filled, Function, FunctionId, Instance, Program, Scalar, SlotId, Span, Type,
};

use super::build::{Build, PerBuild};
use super::variants::{Candidates, ProofCondition, first_variant};
use super::{Flags, LoadedKernel, Request, load};
use crate::cuda;
use crate::definition::{Compound, Content, Definition, LinkedFile};
use crate::dim::Dim3;
use crate::equality;
use crate::error::{Check, CompileError, DeviceError, Diagnostic, Error, Position, Result};
use crate::kernel_info::KernelInfo;
use crate::layout::Layout;
use crate::options::Options;
use crate::sync::{Mutex, OnceLock, RwLock, assert_unlocked};

/// A specialised kernel: a kernel at one choice of its generic arguments. It lives until the process ends.
pub(crate) struct Specialised {
    pub(crate) info: KernelInfo,
    /// The kernel's path and generic arguments, from `type_name`.
    pub(crate) instance: &'static str,
    pub(crate) options: Options,
    /// The kernel's number in a fault record: its index in [`by_number`]'s table.
    pub(crate) number: u32,
    pub(crate) facts: Facts,
    pub(super) validated: Validated,
    /// The files that define device functions of the program.
    linked: Vec<LinkedFile>,
    /// The CUDA C for each layout of the views and each build.
    pub(super) sources: [PerBuild<Source>; 2],
    /// The variants that a launch can choose, for each layout of the views.
    candidates: [OnceLock<Candidates>; 2],
    /// The proof of all checks at a launch of a kernel with `prove`, for each layout of the views; `None` if it needs no
    /// condition on the launch, or the checks that are kept in every launch.
    pub(super) proof: [OnceLock<Result<Option<ProofCondition>, Vec<Check>>>; 2],
    /// The loaded modules of each CUDA device, by ordinal, for each layout of the views and each build. They are never
    /// unloaded, so a launch uses one without a lock or a reference count.
    modules: OnceLock<Box<[[PerBuild<LoadedKernel>; 2]]>>,
    /// Held while a module is compiled and loaded, so that concurrent first launches compile once.
    loading: Mutex<()>,
    /// Whether a launch that leaves most multiprocessors idle has been reported.
    pub(crate) small_grid_reported: AtomicBool,
}

/// The merging of adjacent blocks of a launch into CUDA blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coarsened {
    /// The number of blocks of the launch that a CUDA block executes.
    pub(crate) factor: NonZeroU32,
    /// The axis along which they are adjacent.
    axis: Axis,
    /// Whether large launches are expected to be faster, or the kernel demands it.
    pub(crate) is_worthwhile: bool,
    /// The benefit.
    pub(crate) gain: Gain,
}

impl Coarsened {
    /// Returns the number of blocks of a launch along the axis.
    pub(crate) fn blocks(self, grid: Dim3) -> usize {
        match self.axis {
            Axis::X => grid.x,
            Axis::Y => grid.y,
            Axis::Z => grid.z,
        }
    }

    /// Returns the grid of CUDA blocks for the grid of a launch.
    pub(crate) fn hardware_grid(self, grid: Dim3) -> Dim3 {
        let blocks = self.blocks(grid).div_ceil(self.factor.get() as usize);
        match self.axis {
            Axis::X => Dim3 { x: blocks, ..grid },
            Axis::Y => Dim3 { y: blocks, ..grid },
            Axis::Z => Dim3 { z: blocks, ..grid },
        }
    }
}

impl Specialised {
    /// Returns the CUDA C of the program. Its fault sites are the same for all layouts and builds.
    pub(crate) fn source(&self, layout: Layout, build: Build) -> &Source {
        self.sources[layout as usize][build.index()].get_or_init(|| self.write(layout, build))
    }

    fn write(&self, layout: Layout, build: Build) -> Source {
        cumbia_kernel_compiler::write(&self.validated, &self.compiler_options(layout, build))
    }

    /// Returns the variant of a build, and the groups of checks that it omits at most.
    fn variant(&self, layout: Layout, build: Build) -> (Variant, Verdict) {
        match build {
            Build::Of(variant) | Build::Coarsened(variant) => (variant, Verdict::ALL),
            Build::Limited => (Variant::Checked, Verdict::ALL),
            Build::Partial(number) => match self.candidates(layout).partial(number) {
                Some(partial) => (partial.candidate.variant, partial.verdict),
                // Unreachable: a build is named once it exists. The checked variant is valid for every launch.
                None => (Variant::Checked, Verdict::ALL),
            },
        }
    }

    pub(super) fn compiler_options(&self, layout: Layout, build: Build) -> cumbia_kernel_compiler::Options {
        let Options { bounds_checks, block, max_registers, .. } = self.options;
        let (variant, groups) = self.variant(layout, build);
        cumbia_kernel_compiler::Options {
            bounds_checks,
            // NVRTC ignores a register limit beside launch bounds.
            launch_bounds: if build == Build::Limited { None } else { self.options.bounds() },
            registers_limited: build == Build::Limited || max_registers.is_some(),
            block,
            contiguous_views: layout == Layout::Contiguous,
            variant,
            groups,
            coarsen: match build {
                Build::Coarsened(variant) => self.coarsened(layout, variant).map(|coarsened| coarsened.factor),
                Build::Of(_) | Build::Partial(_) | Build::Limited => None,
            },
        }
    }

    /// Returns how [`Build::Coarsened`] merges blocks; `None` if the kernel excludes it, or if the result would not be the same.
    pub(crate) fn coarsened(&self, layout: Layout, variant: Variant) -> Option<Coarsened> {
        if self.options.coarsen == Some(1) || first_variant() == Variant::Checked {
            return None;
        }
        let Coarsening { axis, factor, gain } = *self.source(layout, Build::Of(variant)).coarsening.as_ref().ok()?;
        // The tests also run sources that no launch would.
        let chosen = self.options.coarsen.unwrap_or(factor.max(2));
        let is_worthwhile = self.options.coarsen.is_some() || factor > 1;
        Some(Coarsened { factor: NonZeroU32::new(chosen)?, axis, is_worthwhile, gain })
    }

    /// Returns the number of blocks of a launch that a CUDA block executes.
    fn factor(&self, layout: Layout, build: Build) -> u32 {
        match build {
            Build::Of(_) | Build::Partial(_) | Build::Limited => 1,
            Build::Coarsened(variant) => self.coarsened(layout, variant).map_or(1, |coarsened| coarsened.factor.get()),
        }
    }

    /// Returns an error if the kernel demands to be coarsened, and cannot be.
    pub(crate) fn require_coarsenable(&self, layout: Layout) -> Result<()> {
        if !matches!(self.options.coarsen, Some(2..)) || first_variant() == Variant::Checked {
            return Ok(());
        }
        let source = self.source(layout, Build::Of(self.candidates(layout).preferred()));
        match &source.coarsening {
            // A debug build of a kernel need not be fast.
            Ok(_) | Err(Obstacle { kind: ObstacleKind::OverflowCheck, .. }) => Ok(()),
            Err(obstacle) => Err(CompileError::NotCoarsenable {
                kernel: self.info.name.to_owned(),
                reason: obstacle.kind,
                function: obstacle.function.clone(),
                file: obstacle.file.clone(),
                line: obstacle.line,
            }
            .into()),
        }
    }

    /// Returns the build that nearly all launches run, unless they are large enough to be coarsened.
    pub(crate) fn preferred_build(&self, layout: Layout) -> Build {
        let variant = self.candidates(layout).preferred();
        let always = self.options.coarsen.is_some() && self.coarsened(layout, variant).is_some();
        if always { Build::Coarsened(variant) } else { Build::Of(variant) }
    }

    /// Returns what the compiler knows of the checks.
    pub(super) fn proofs(&self, layout: Layout) -> Vec<cumbia_kernel_compiler::Check> {
        cumbia_kernel_compiler::checks(&self.validated, &self.compiler_options(layout, Build::CHECKED))
    }

    /// Returns what launch symbols are in the user's terms.
    pub(super) fn quantities(&self, layout: Layout, symbols: &[LaunchSymbol]) -> Vec<Quantity> {
        cumbia_kernel_compiler::quantities(&self.validated, &self.compiler_options(layout, Build::CHECKED), symbols)
    }

    /// Returns the CUDA C of some variant, for what all variants have in common: entry, parameters and sites.
    pub(crate) fn interface(&self, layout: Layout) -> &Source {
        let written = self.sources[layout as usize].iter().find_map(OnceLock::get);
        written.unwrap_or_else(|| self.source(layout, Build::CHECKED))
    }

    /// Returns the condition of the proven variant; `None` if it is the same as the checked one.
    pub(crate) fn predicate(&self, layout: Layout) -> Option<&Arc<Predicate>> {
        let sources = &self.sources[layout as usize];
        // The source of the narrow variant has a condition of its own.
        let builds = [Build::Of(Variant::Proven), Build::CHECKED, Build::Limited];
        let source = builds.iter().find_map(|build| sources[build.index()].get()).unwrap_or_else(|| {
            // Most launches run the proven variant, so that often no other is written.
            let proven = self.write(layout, Build::Of(Variant::Proven));
            let variant = if proven.predicate.is_some() { Variant::Proven } else { Variant::Checked };
            sources[Build::Of(variant).index()].get_or_init(|| proven)
        });
        source.predicate.as_ref()
    }

    /// Returns the condition of the narrow variant; `None` if there is none.
    pub(crate) fn narrow_predicate(&self, layout: Layout) -> Option<&Arc<Predicate>> {
        self.source(layout, Build::Of(Variant::Narrow)).predicate.as_ref()
    }

    /// Returns the variants that differ.
    pub(crate) fn variants(&self, layout: Layout) -> Vec<Variant> {
        let narrow = self.narrow_predicate(layout).map(|_| Variant::Narrow);
        let proven = self.predicate(layout).map(|_| Variant::Proven);
        narrow.into_iter().chain(proven).chain([Variant::Checked]).collect()
    }

    /// Returns the variants that a launch can choose besides the checked one.
    #[inline]
    pub(crate) fn candidates(&self, layout: Layout) -> &Candidates {
        self.candidates[layout as usize].get_or_init(|| {
            let first = first_variant();
            let narrow = if first == Variant::Narrow { self.narrow_predicate(layout) } else { None };
            let proven = if first == Variant::Checked { None } else { self.predicate(layout) };
            let narrow = narrow.map(|predicate| (Variant::Narrow, predicate.clone()));
            let proven = proven.map(|predicate| (Variant::Proven, predicate.clone()));
            let predicates = narrow.into_iter().chain(proven);
            // A narrow launch of a kernel with `prove` is rejected as any other.
            if self.options.prove { Candidates::nested(predicates) } else { Candidates::new(predicates) }
        })
    }

    /// Returns the compilation request for a layout. `registers` limits the registers of a thread further than the
    /// kernel's options.
    pub(crate) fn request(&self, layout: Layout, build: Build, registers: Option<u32>) -> Request<'_> {
        let flags = Flags::from(self.options);
        let max_registers = flags.max_registers.into_iter().chain(registers).min();
        Request {
            kernel: self.info.name,
            instance: self.instance,
            variant: self.variant(layout, build).0,
            coarsened: self.factor(layout, build),
            source: &self.source(layout, build).text,
            flags: Flags { max_registers, ..flags },
            linked: &self.linked,
        }
    }

    /// Returns the specialised program.
    pub(crate) fn program(&self) -> &Program {
        self.validated.program()
    }

    /// Returns the loaded module for a device, which the first call compiles and loads.
    #[inline]
    pub(crate) fn module(&self, context: &Arc<cuda::Context>, layout: Layout, build: Build) -> Result<&cuda::Module> {
        Ok(self.loaded(context, layout, build)?)
    }

    /// Returns the loaded kernel for a device, which the first call compiles and loads.
    #[inline]
    pub(crate) fn loaded(&self, context: &Arc<cuda::Context>, layout: Layout, build: Build) -> Result<&LoadedKernel> {
        match self.loaded_before(context, layout, build) {
            Some(module) => Ok(module),
            None => self.load(context, layout, build),
        }
    }

    /// Returns the loaded kernel for a device, if it is loaded.
    #[inline]
    pub(crate) fn loaded_before(
        &self,
        context: &Arc<cuda::Context>,
        layout: Layout,
        build: Build,
    ) -> Option<&LoadedKernel> {
        let of_device = self.modules.get()?.get(context.ordinal())?;
        of_device[layout as usize][build.index()].get()
    }

    #[cold]
    fn load(&self, context: &Arc<cuda::Context>, layout: Layout, build: Build) -> Result<&LoadedKernel> {
        let registers = match build {
            Build::Of(_) | Build::Partial(_) | Build::Coarsened(_) => None,
            Build::Limited => Some(self.register_limit(context, layout)?),
        };
        let _loading = self.loading.lock();
        let place = self.place(context, layout, build)?;
        if let Some(module) = place.get() {
            return Ok(module);
        }
        let source = self.source(layout, build);
        let module = load(context, self.request(layout, build, registers), &source.entry)?;
        Ok(place.get_or_init(|| module))
    }

    /// Returns the place of a loaded module.
    pub(super) fn place(
        &self,
        context: &Arc<cuda::Context>,
        layout: Layout,
        build: Build,
    ) -> Result<&OnceLock<LoadedKernel>> {
        let (ordinal, count) = (context.ordinal(), cuda::Context::count()?);
        let modules = self.modules.get_or_init(|| (0..count).map(|_| Default::default()).collect());
        // The number of GPUs does not change after the process's first driver call.
        let of_device = modules.get(ordinal).ok_or(DeviceError::NoSuchDevice { ordinal, count })?;
        Ok(&of_device[layout as usize][build.index()])
    }

    /// Returns the register limit of [`Build::Limited`].
    fn register_limit(&self, context: &Arc<cuda::Context>, layout: Layout) -> Result<u32> {
        /// Registers are allocated in multiples of this number per thread (CUDA's occupancy calculator, "register
        /// allocation unit size": 256 per warp).
        const UNIT: u32 = 8;
        /// Up to this number of registers, no GPU has fewer resident threads on a multiprocessor than otherwise.
        const FREE: u32 = 32;
        let preferred = Build::Of(self.candidates(layout).preferred());
        let registers = self.module(context, layout, preferred)?.attributes().registers as u32;
        Ok(registers.next_multiple_of(UNIT).max(FREE))
    }
}

/// The cached result of the specialisation of a kernel's type.
type Entry = OnceLock<Result<Specialised, Vec<Diagnostic>>>;

/// All kernels that were launched or inspected. Entries are leaked; there is at most one for each kernel type of the program.
static ENTRIES: RwLock<FxHashMap<TypeId, &'static Entry>> = RwLock::new(HashMap::with_hasher(FxBuildHasher));

/// The specialised kernels by number.
static NUMBERED: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

thread_local! {
    /// The kernels that this thread has launched. A look-up here needs no lock, which concurrent launches would contend for.
    static LAUNCHED: RefCell<FxHashMap<TypeId, &'static Specialised>> = RefCell::default();
}

/// What a kernel is compiled from.
pub(crate) struct KernelSource {
    pub(crate) info: KernelInfo,
    /// The kernel's type, with its path and generic arguments.
    pub(crate) instance: &'static str,
    pub(crate) options: Options,
    /// Returns the IR and its slots.
    pub(crate) definition: fn() -> Definition,
}

/// Returns the specialised kernel of the type `id`.
#[inline]
pub(crate) fn of(id: TypeId, source: fn() -> KernelSource) -> Result<&'static Specialised> {
    // While a thread's destructors run, its table may be gone; then the table of the process is used.
    match LAUNCHED.try_with(|launched| launched.borrow().get(&id).copied()) {
        Ok(Some(specialised)) => Ok(specialised),
        Ok(None) | Err(_) => first_of_thread(id, source),
    }
}

#[cold]
fn first_of_thread(id: TypeId, source: fn() -> KernelSource) -> Result<&'static Specialised> {
    let specialised = of_process(id, source)?;
    let _ = LAUNCHED.try_with(|launched| launched.borrow_mut().insert(id, specialised));
    Ok(specialised)
}

fn of_process(id: TypeId, source: fn() -> KernelSource) -> Result<&'static Specialised> {
    let entry = entry(id);
    let specialised = if let Some(specialised) = entry.get() {
        specialised
    } else {
        // Not inside the entry's initialiser, which holds a lock: specialisation evaluates the user's constants. If several
        // threads specialise concurrently, the first result is kept.
        assert_unlocked();
        let made = specialise(&source());
        entry.get_or_init(|| made.map(|made| Specialised { number: number(entry), ..made }))
    };
    specialised.as_ref().map_err(|diagnostics| {
        Error::Compile(CompileError::Rejected {
            kernel: source().info.name.to_owned(),
            diagnostics: diagnostics.clone(),
        })
    })
}

/// Assigns the next number to `entry`.
fn number(entry: &'static Entry) -> u32 {
    let mut numbered = NUMBERED.write();
    numbered.push(entry);
    numbered.len() as u32 - 1
}

/// Returns the kernel with the number of a fault record.
pub(crate) fn by_number(number: u32) -> Option<&'static Specialised> {
    let numbered = NUMBERED.read();
    numbered.get(number as usize)?.get()?.as_ref().ok()
}

fn entry(id: TypeId) -> &'static Entry {
    if let Some(&entry) = ENTRIES.read().get(&id) {
        return entry;
    }
    ENTRIES.write().entry(id).or_insert_with(|| Box::leak(Box::default()))
}

/// Specialises a kernel. The result has no number yet.
fn specialise(source: &KernelSource) -> Result<Specialised, Vec<Diagnostic>> {
    let mut linker = Linker::default();
    let kernel = Arc::new(linker.instance(&(source.definition)())?);
    let Linker { functions, linked, .. } = linker;
    let program = Program { kernel, functions, index: Scalar::Usize };
    let program = if source.options.index32 { with_narrow_indices(program).map_err(diagnostics)? } else { program };
    let validated = cumbia_kernel_compiler::check(program).map_err(diagnostics)?;
    Ok(Specialised {
        info: source.info,
        instance: source.instance,
        options: source.options,
        number: u32::MAX,
        facts: validated.facts(),
        validated,
        linked,
        sources: Default::default(),
        candidates: Default::default(),
        proof: Default::default(),
        modules: OnceLock::new(),
        loading: Mutex::default(),
        small_grid_reported: AtomicBool::new(false),
    })
}

/// Converts the errors of the compiler.
fn diagnostics(errors: cumbia_kernel_compiler::Errors) -> Vec<Diagnostic> {
    errors.0.into_iter().map(Diagnostic::from).collect()
}

/// Collects the device functions that a kernel reaches, in post-order (callees first).
#[derive(Default)]
struct Linker {
    functions: Vec<Arc<Instance>>,
    /// The files that define functions among them.
    linked: Vec<LinkedFile>,
    /// The numbers of the functions. The definition of a built-in method is a function for each choice of overflow checks.
    known: HashMap<(TypeId, Option<bool>), FunctionId>,
    /// The functions being collected, outermost first: the call chain to the innermost one.
    open: Vec<OpenFunction>,
}

/// A function whose callees are being collected.
struct OpenFunction {
    id: TypeId,
    path: &'static str,
    file: &'static str,
    function: Function,
    /// The slot being filled: that of the call to the next function of the chain.
    slot: SlotId,
    overflow_checks: bool,
}

impl Linker {
    /// Fills the slots of a function, and collects the functions that it calls.
    fn instance(&mut self, definition: &Definition) -> Result<Instance, Vec<Diagnostic>> {
        let &Definition { id, path, file, ir, slots, overflow_checks: _, built_in, linked } = definition;
        let overflow_checks = self.overflow_checks(definition);
        self.reject_recursion(id, path)?;
        for file in linked {
            // Several functions may be in one file, which is linked once.
            if !self.linked.iter().any(|known| known.kind == file.kind && known.bytes == file.bytes) {
                self.linked.push(*file);
            }
        }
        let function = Function::from_bytes(ir).map_err(|error| unreadable_ir(path, &error.to_string()))?;
        self.open.push(OpenFunction { id, path, file, function, slot: SlotId(0), overflow_checks });
        let mut filled = Vec::new();
        let (mut casts, mut variants) = (Vec::new(), HashMap::new());
        for content in slots() {
            let slot = SlotId(filled.len() as u32);
            match &content {
                Content::Cast(_) => casts.push(slot),
                Content::Variant(_, Some(name)) => {
                    variants.insert(slot, name.clone());
                }
                _ => {}
            }
            self.open.last_mut().expect("this function stays open").slot = slot;
            filled.push(self.fill(content)?);
        }
        let OpenFunction { mut function, .. } = self.open.pop().expect("this function was pushed");
        calls_to_casts(&mut function, &casts);
        function.name_variants(&|slot| variants.get(&slot).cloned());
        Ok(Instance { function, slots: filled, file: file.to_owned(), overflow_checks, built_in })
    }

    /// Returns whether overflow is a fault in a function. A built-in method follows its caller.
    fn overflow_checks(&self, definition: &Definition) -> bool {
        match self.open.last() {
            Some(caller) if definition.built_in => caller.overflow_checks,
            _ => (definition.overflow_checks)(),
        }
    }

    fn fill(&mut self, content: Content) -> Result<Filled, Vec<Diagnostic>> {
        Ok(match content {
            // The name of a variant becomes a part of the function.
            Content::Type(ty) | Content::Variant(ty, _) => Filled::Type(ty),
            Content::Constant(constant) => Filled::Constant(constant),
            Content::Intrinsic(intrinsic) => Filled::Callee(Callee::Intrinsic(intrinsic)),
            Content::Function(definition) => Filled::Callee(Callee::Function(self.function(&definition)?)),
            Content::Method(method) => Filled::Callee(Callee::Method(method)),
            Content::Cast(scalar) => Filled::Type(Type::Scalar(scalar)),
            Content::Compound(compound) => Filled::Operator(Some(self.compound(compound)?)),
            Content::Operator(None) => Filled::Operator(None),
            Content::Operator(Some(definition)) => Filled::Operator(Some(self.function(&definition)?)),
        })
    }

    fn function(&mut self, definition: &Definition) -> Result<FunctionId, Vec<Diagnostic>> {
        let id = (definition.id, definition.built_in.then(|| self.overflow_checks(definition)));
        if let Some(&known) = self.known.get(&id) {
            return Ok(known);
        }
        let instance = self.instance(definition)?;
        Ok(self.add(id, instance))
    }

    /// Returns the function that implements `==` of a compound type.
    fn compound(&mut self, compound: Compound) -> Result<FunctionId, Vec<Diagnostic>> {
        let id = (compound.id, None);
        if let Some(&known) = self.known.get(&id) {
            return Ok(known);
        }
        let (function, slots) = compound.function();
        let slots = slots.into_iter().map(|content| self.fill(content)).collect::<Result<_, _>>()?;
        Ok(self.add(
            id,
            Instance { function, slots, file: equality::FILE.to_owned(), overflow_checks: false, built_in: false },
        ))
    }

    fn add(&mut self, id: (TypeId, Option<bool>), instance: Instance) -> FunctionId {
        let number = FunctionId(self.functions.len() as u32);
        self.functions.push(Arc::new(instance));
        self.known.insert(id, number);
        number
    }

    /// Rejects recursion: a GPU thread's stack has a fixed size, which must be known at compile time, and a call cycle has no
    /// bound. The diagnostic has the position of each call of the cycle.
    fn reject_recursion(&self, id: TypeId, path: &str) -> Result<(), Vec<Diagnostic>> {
        let Some(begin) = self.open.iter().position(|open| open.id == id) else {
            return Ok(());
        };
        let cycle = &self.open[begin..];
        let names: Vec<&str> = cycle.iter().map(|open| open.path).chain([path]).collect();
        let calls = cycle.iter().zip(&names[1..]);
        let positions = calls.map(|(OpenFunction { path, file, function, slot, .. }, callee)| {
            let Span { line, column } = span_of_call(function, *slot);
            let (file, function) = ((*file).to_owned(), (*path).to_owned());
            Position { file, line, column, function, callee: Some((*callee).to_owned()) }
        });
        Err(vec![Diagnostic {
            message: format!("recursion is not supported in a kernel: {}", names.join(" → ")),
            why: "the stack of a GPU thread is small and its size is fixed before the launch".to_owned(),
            help: "write a loop, with an array for what the recursion would keep".to_owned(),
            positions: positions.collect(),
        }])
    }
}

/// The diagnostic for a function whose serialised IR is invalid, which is a bug in Cumbia or a stale build.
fn unreadable_ir(path: &str, error: &str) -> Vec<Diagnostic> {
    vec![Diagnostic {
        message: format!("the IR of `{path}` cannot be read: {error}"),
        why: "`#[kernel]` and the runtime disagree about the format of the IR: this is a bug in Cumbia".to_owned(),
        help: "rebuild with `cargo clean`, and please report it if it persists".to_owned(),
        positions: Vec::new(),
    }]
}

/// Replaces calls whose slots hold a conversion by casts. Only rustc's name resolution tells which calls these are.
fn calls_to_casts(function: &mut Function, casts: &[SlotId]) {
    for expr in &mut function.exprs {
        // rustc rejects a cast with another number of arguments; so does the compiler, which expects a callee in the slot.
        if let ExprKind::Call { callee, args } = &expr.kind
            && let &[operand] = args.as_slice()
            && casts.contains(callee)
        {
            expr.kind = ExprKind::Cast { operand, slot: *callee };
        }
    }
}

/// Returns the span of the call or operator with this slot.
fn span_of_call(function: &Function, slot: SlotId) -> Span {
    let calls = |expr: &&Expr| match expr.kind {
        ExprKind::Call { callee, .. } => callee == slot,
        ExprKind::Unary { operator, .. } | ExprKind::Binary { operator, .. } | ExprKind::AssignOp { operator, .. } => {
            operator == slot
        }
        _ => false,
    };
    function.exprs.iter().find(calls).map_or(function.span, |expr| expr.span)
}
