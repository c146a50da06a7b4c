//! From a kernel's Rust type to a program of the compiler: once for each choice of generic arguments.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use cumbia_kernel_ir::ir::{
    Callee, Expr, ExprKind, Filled, Function, FunctionId, Instance, Program, Scalar, SlotId, Span, Type,
};
use cumbia_kernel_ir::{Facts, Source};

use crate::cuda;
use crate::equality::{self, Compound};
use crate::error::{CompileError, DeviceError, Error, Result};
use crate::kernel::{Definition, Kernel, KernelInfo, Options};
use crate::slot::Content;
use crate::sync::{Mutex, OnceLock, RwLock, assert_unlocked};

/// A kernel at one choice of its generic arguments, for the rest of the process.
pub(crate) struct Specialised {
    pub(crate) info: KernelInfo,
    /// The kernel with its path and its types, as `type_name` gives it.
    pub(crate) instance: &'static str,
    pub(crate) options: Options,
    /// What a fault record calls the kernel: its position in [`by_number`]'s table.
    pub(crate) number: u32,
    pub(crate) facts: Facts,
    program: Program,
    /// The text for each layout of the views.
    sources: [OnceLock<Source>; 2],
    /// The loaded modules of each CUDA device, by ordinal, for each layout of the views. They stay, so that a launch
    /// takes one without waiting and without counting.
    modules: OnceLock<Box<[[OnceLock<cuda::Module>; 2]]>>,
    /// Held while a module is made, so that many threads that launch first at once compile once.
    loading: Mutex<()>,
}

/// How the elements of the views lie that a launch is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One behind the other, in all views, or there are no views.
    Contiguous,
    /// At the distances that the views say.
    Strided,
}

impl Specialised {
    /// The CUDA C of the program. Its sites are the same for all layouts.
    pub(crate) fn source(&self, layout: Layout) -> &Source {
        self.sources[layout as usize].get_or_init(|| {
            let validated = cumbia_kernel_ir::check(&self.program).expect("`of` has checked this program");
            let Options { bounds_checks, launch_bounds, block, .. } = self.options;
            // A block that is fixed is the largest as well.
            let fixed = block.map(|[x, y, z]| (x * y * z, None));
            let options = cumbia_kernel_ir::Options {
                bounds_checks,
                launch_bounds: launch_bounds.or(fixed),
                block,
                contiguous_views: layout == Layout::Contiguous,
            };
            cumbia_kernel_ir::write(&validated, &options)
        })
    }

    /// What is compiled.
    pub(crate) fn request(&self, layout: Layout) -> cuda::Request<'_> {
        cuda::Request {
            kernel: self.info.name,
            instance: self.instance,
            source: &self.source(layout).text,
            flags: self.options.into(),
        }
    }

    /// The program of the compiler.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// The machine code on a device, compiled and loaded at the first call.
    #[inline]
    pub(crate) fn module(&self, context: &Arc<cuda::Context>, layout: Layout) -> Result<&cuda::Module> {
        let place = self.modules.get().and_then(|modules| modules.get(context.ordinal()));
        match place.and_then(|of_device| of_device[layout as usize].get()) {
            Some(module) => Ok(module),
            None => self.load(context, layout),
        }
    }

    #[cold]
    fn load(&self, context: &Arc<cuda::Context>, layout: Layout) -> Result<&cuda::Module> {
        let _loading = self.loading.lock();
        let (ordinal, count) = (context.ordinal(), cuda::Context::count()?);
        let modules = self.modules.get_or_init(|| (0..count).map(|_| Default::default()).collect());
        // A process sees the GPUs that there were at its first call of the driver.
        let of_device = modules.get(ordinal).ok_or(DeviceError::NoSuchDevice { ordinal, count })?;
        let place = &of_device[layout as usize];
        if let Some(module) = place.get() {
            return Ok(module);
        }
        let source = self.source(layout);
        let module = context.load(self.request(layout), &source.entry)?;
        Ok(place.get_or_init(|| module))
    }
}

/// What is known of a kernel's type: a program, or why there is none.
type Entry = OnceLock<std::result::Result<Specialised, String>>;

/// All kernels that were ever launched or looked at. Entries are never removed: there is one for each kernel type of the
/// program, so that leaking them is bounded.
static ENTRIES: RwLock<FxHashMap<TypeId, &'static Entry>> = RwLock::new(HashMap::with_hasher(FxBuildHasher));

/// The specialised kernels by number.
static NUMBERED: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

thread_local! {
    /// The kernels that this thread has launched: found without a lock, which threads that launch at once would share.
    static LAUNCHED: RefCell<FxHashMap<TypeId, &'static Specialised>> = RefCell::default();
}

/// The program of a kernel.
#[inline]
pub(crate) fn of<K: Kernel>() -> Result<&'static Specialised> {
    let id = TypeId::of::<K>();
    // A thread that ends has no such table any more, and asks the one of all.
    match LAUNCHED.try_with(|launched| launched.borrow().get(&id).copied()) {
        Ok(Some(specialised)) => Ok(specialised),
        Ok(None) | Err(_) => first_of_thread::<K>(id),
    }
}

#[cold]
fn first_of_thread<K: Kernel>(id: TypeId) -> Result<&'static Specialised> {
    let specialised = of_process::<K>()?;
    let _ = LAUNCHED.try_with(|launched| launched.borrow_mut().insert(id, specialised));
    Ok(specialised)
}

fn of_process<K: Kernel>() -> Result<&'static Specialised> {
    let entry = entry(TypeId::of::<K>());
    let specialised = if let Some(specialised) = entry.get() {
        specialised
    } else {
        // Not in the entry's initialiser, which is a lock: constants and types of the program are asked. Of threads that do
        // this at once, the result of one stays.
        assert_unlocked();
        let made = specialise::<K>();
        entry.get_or_init(|| made.map(|made| Specialised { number: number(entry), ..made }))
    };
    specialised.as_ref().map_err(|errors| {
        Error::Compile(CompileError::Rejected { kernel: K::INFO.name.to_owned(), errors: errors.clone() })
    })
}

/// The next number, which from now on names `entry`.
fn number(entry: &'static Entry) -> u32 {
    let mut numbered = NUMBERED.write();
    numbered.push(entry);
    numbered.len() as u32 - 1
}

/// The kernel that a fault record names.
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

/// The program of a kernel, which has no number yet.
fn specialise<K: Kernel>() -> std::result::Result<Specialised, String> {
    let mut linker = Linker::default();
    let kernel = linker.instance(&K::definition())?;
    let program = Program { kernel, functions: linker.functions, index: Scalar::Usize };
    let program = if K::OPTIONS.index32 { program.with_narrow_indices()? } else { program };
    let facts = cumbia_kernel_ir::check(&program).map_err(|errors| errors.to_string())?.facts();
    Ok(Specialised {
        info: K::INFO,
        instance: std::any::type_name::<K>(),
        options: K::OPTIONS,
        number: u32::MAX,
        facts,
        program,
        sources: [OnceLock::new(), OnceLock::new()],
        modules: OnceLock::new(),
        loading: Mutex::default(),
    })
}

/// Collects the device functions that a kernel reaches, callees first.
#[derive(Default)]
struct Linker {
    functions: Vec<Instance>,
    known: HashMap<TypeId, FunctionId>,
    /// The functions that are being collected, outermost first: the chain of calls to the innermost one.
    open: Vec<Open>,
}

/// A function whose callees are being collected.
struct Open {
    id: TypeId,
    path: &'static str,
    file: &'static str,
    function: Function,
    /// The slot that is being filled: of the call to the next function of the chain.
    slot: SlotId,
}

impl Linker {
    /// A function with its slots filled; those it calls are collected.
    fn instance(&mut self, definition: &Definition) -> std::result::Result<Instance, String> {
        let &Definition { id, path, file, ir, slots, overflow_checks } = definition;
        self.refuse_recursion(id, path)?;
        let function =
            Function::from_bytes(ir).map_err(|error| format!("the IR of `{path}` cannot be read: {error}"))?;
        self.open.push(Open { id, path, file, function, slot: SlotId(0) });
        let mut filled = Vec::new();
        let mut casts = Vec::new();
        for content in slots() {
            let slot = SlotId(filled.len() as u32);
            if let Content::Cast(_) = content {
                casts.push(slot);
            }
            self.open.last_mut().expect("this function stays open").slot = slot;
            filled.push(self.fill(content)?);
        }
        let Open { mut function, .. } = self.open.pop().expect("this function was pushed");
        calls_to_casts(&mut function, &casts);
        Ok(Instance { function, slots: filled, file: file.to_owned(), overflow_checks: overflow_checks() })
    }

    fn fill(&mut self, content: Content) -> std::result::Result<Filled, String> {
        Ok(match content {
            Content::Type(ty) => Filled::Type(ty),
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

    fn function(&mut self, definition: &Definition) -> std::result::Result<FunctionId, String> {
        if let Some(&id) = self.known.get(&definition.id) {
            return Ok(id);
        }
        let instance = self.instance(definition)?;
        Ok(self.add(definition.id, instance))
    }

    /// The function for `==` of a compound type.
    fn compound(&mut self, compound: Compound) -> std::result::Result<FunctionId, String> {
        let id = compound.id;
        if let Some(&known) = self.known.get(&id) {
            return Ok(known);
        }
        let (function, slots) = compound.function();
        let slots = slots.into_iter().map(|content| self.fill(content)).collect::<std::result::Result<_, _>>()?;
        Ok(self.add(id, Instance { function, slots, file: equality::FILE.to_owned(), overflow_checks: false }))
    }

    fn add(&mut self, id: TypeId, instance: Instance) -> FunctionId {
        let number = FunctionId(self.functions.len() as u32);
        self.functions.push(instance);
        self.known.insert(id, number);
        number
    }

    /// A GPU thread's stack has a fixed size that must be known beforehand, so a cycle of calls has no bound. The message
    /// names each call of the cycle with its position.
    fn refuse_recursion(&self, id: TypeId, path: &str) -> std::result::Result<(), String> {
        let Some(begin) = self.open.iter().position(|open| open.id == id) else {
            return Ok(());
        };
        let cycle = &self.open[begin..];
        let names: Vec<&str> = cycle.iter().map(|open| open.path).chain([path]).collect();
        let mut calls = String::new();
        for (Open { path, file, function, slot, .. }, callee) in cycle.iter().zip(&names[1..]) {
            let Span { line, column } = position_of_call(function, *slot);
            let _ = write!(calls, "\n       at {file}:{line}:{column} in `{path}`, which calls `{callee}`");
        }
        Err(format!(
            "error: recursion is not supported in a kernel: {}\n       \
             why: the stack of a GPU thread is small and its size is fixed before the launch\n       \
             help: write a loop, with an array for what the recursion would keep{calls}",
            names.join(" → ")
        ))
    }
}

/// Makes casts of the calls whose slots hold a conversion, now that rustc has said what they call.
fn calls_to_casts(function: &mut Function, casts: &[SlotId]) {
    for expr in &mut function.exprs {
        // Another number of arguments is refused by rustc, and by the compiler, which finds a type where a callee belongs.
        if let ExprKind::Call { callee, args } = &expr.kind
            && let &[operand] = args.as_slice()
            && casts.contains(callee)
        {
            expr.kind = ExprKind::Cast { operand, slot: *callee };
        }
    }
}

/// Where the call or the operator of this slot stands.
fn position_of_call(function: &Function, slot: SlotId) -> Span {
    let calls = |expr: &&Expr| match expr.kind {
        ExprKind::Call { callee, .. } => callee == slot,
        ExprKind::Unary { operator, .. } | ExprKind::Binary { operator, .. } | ExprKind::AssignOp { operator, .. } => {
            operator == slot
        }
        _ => false,
    };
    function.exprs.iter().find(calls).map_or(function.span, |expr| expr.span)
}
