//! Refuses what is typed but cannot be compiled, in the user's terms.
//!
//! rustc has accepted the kernel by now, so everything here is a limit of Cumbia or of a GPU, never a rule of Rust. The
//! writer relies on every check below. Code that constants rule out is not looked at.

mod guard;
mod intrinsic;
mod origin;
mod place;
mod types;

use std::fmt;

use crate::analyse::{self, Flow};
use crate::ir::{Callee, ExprId, ExprKind, Filled, FunctionId, LocalId, Sequence, Span, Stmt, Type};
use crate::typify::{Typed, TypedFunction};
use crate::{Error, Errors, What};

/// A program that is typed and checked: the proof that [`write`](crate::write()) asks for.
pub struct Validated<'a> {
    typed: Typed<'a>,
    flows: Vec<Flow>,
}

impl<'a> Validated<'a> {
    /// Only [`check`](crate::check) makes one, after it has seen that there are no errors.
    pub(crate) fn new(typed: Typed<'a>, flows: Vec<Flow>) -> Validated<'a> {
        Validated { typed, flows }
    }

    /// The facts about the variables of each of [`functions`](Validated::functions).
    pub(crate) fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// The device functions, each before its callers, and the kernel at the end. Those that are not
    /// [`reached`](TypedFunction::reached) only keep the others' numbers.
    pub(crate) fn functions(&self) -> &[TypedFunction<'a>] {
        &self.typed.functions
    }
}

impl fmt::Debug for Validated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reached = self.functions().iter().filter(|typed| typed.reached);
        let names = reached.map(|typed| &typed.instance.function.name);
        f.debug_tuple("Validated").field(&names.collect::<Vec<_>>()).finish()
    }
}

/// The static shared memory of one kernel. More has to be dynamic (CUDA C++ Programming Guide, "Shared Memory" of each
/// compute capability: "static shared memory allocations remain limited to 48 KB").
pub(crate) const STATIC_SHARED_LIMIT: u64 = 48 * 1024;

/// Checks all functions that typing found no error in. The result holds the facts about the variables of each.
pub(crate) fn program(typed: &Typed<'_>, errors: &mut Errors) -> Vec<Flow> {
    let mut shared = 0;
    let mut flows = Vec::with_capacity(typed.functions.len());
    let mut atomics: Vec<Vec<bool>> = Vec::with_capacity(typed.functions.len());
    let kernel = typed.functions.len().saturating_sub(1);
    for (i, function) in typed.functions.iter().enumerate() {
        let mut own = Vec::new();
        let mut flow = Flow::default();
        if function.sound {
            flow = analyse::flow(function, &typed.functions);
            let empty = starts_empty(function);
            let functions = &typed.functions;
            let mut check =
                Check { function, functions, errors, shared: &mut shared, starts_empty: empty, refused: Vec::new() };
            check.signature(i == kernel);
            check.exprs();
            check.locals();
            check.initialised(&flow);
            own = check.atomics(&atomics);
        }
        atomics.push(own);
        flows.push(flow);
    }
    flows
}

/// The variables of `let x;`, which are assigned later.
fn starts_empty(function: &TypedFunction<'_>) -> Vec<bool> {
    let function = &function.instance.function;
    let mut empty = vec![false; function.locals.len()];
    for block in function.exprs.iter().filter_map(|expr| expr.kind.block()).chain([&function.body]) {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let { pattern, init: None, span: _ } => {
                    pattern.for_each_local(&mut |local| empty[local.index()] = true);
                }
                Stmt::Let { pattern: _, init: Some(_), span: _ } | Stmt::Expr(_) => {}
            }
        }
    }
    empty
}

/// A function while it is checked.
struct Check<'a, 'e> {
    function: &'a TypedFunction<'a>,
    /// All functions of the program.
    functions: &'a [TypedFunction<'a>],
    errors: &'e mut Errors,
    /// The bytes of static shared memory so far, over all functions.
    shared: &'e mut u64,
    /// The variables of `let x;`.
    starts_empty: Vec<bool>,
    /// The types that were refused so far: what is made of such a type, and the variable that holds it, are one mistake.
    refused: Vec<Type>,
}

impl<'a> Check<'a, '_> {
    fn error(&mut self, span: Span, what: What) {
        let instance = self.function.instance;
        self.errors.0.push(Error { function: instance.function.name.clone(), file: instance.file.clone(), span, what });
    }

    fn ty(&self, id: ExprId) -> &'a Type {
        self.function.expr_type(id)
    }

    fn kind(&self, id: ExprId) -> &'a ExprKind {
        &self.function.instance.function.expr(id).kind
    }

    fn span(&self, id: ExprId) -> Span {
        self.function.instance.function.expr(id).span
    }

    /// The variable's name, as a message writes it.
    fn local_name(&self, id: LocalId) -> String {
        format!("`{}`", self.function.instance.function.local(id).name)
    }

    /// rustc has proved that each read is of a variable with a value.
    fn initialised(&mut self, flow: &Flow) {
        for id in &flow.uninitialised {
            if let ExprKind::Local(local) = self.kind(*id) {
                let what = What::inconsistent(format!("{} is read before it is assigned", self.local_name(*local)));
                self.error(self.span(*id), what);
            }
        }
    }

    /// Each expression by itself, with a look at its operands.
    fn exprs(&mut self) {
        let function = self.function;
        for id in function.alive() {
            match self.kind(id) {
                ExprKind::Borrow { place, mutable } => self.borrow(*place, *mutable),
                ExprKind::Assign { place, value: _ } | ExprKind::AssignOp { op: _, place, value: _, operator: _ } => {
                    self.assigned(*place);
                }
                ExprKind::Call { callee, args } => match &function.instance.slots[callee.index()] {
                    Filled::Callee(Callee::Intrinsic(intrinsic)) => self.intrinsic(intrinsic, args, self.span(id)),
                    Filled::Callee(Callee::Function(callee)) => self.receivers(*callee, args),
                    Filled::Callee(Callee::Method(_)) | Filled::Type(_) | Filled::Constant(_) | Filled::Operator(_) => {
                    }
                },
                ExprKind::For { id: _, sequence, body: _, unroll: _ } => self.sequence(sequence),
                ExprKind::Match { scrutinee: _, arms } => self.guards(arms),
                ExprKind::Constant(_) | ExprKind::Struct { .. } | ExprKind::Array(_) | ExprKind::Repeat { .. } => {
                    self.made(id);
                }
                ExprKind::Literal { .. }
                | ExprKind::Local(_)
                | ExprKind::Unary { .. }
                | ExprKind::Binary { .. }
                | ExprKind::Logical { .. }
                | ExprKind::Cast { .. }
                | ExprKind::Index { .. }
                | ExprKind::SubSlice { .. }
                | ExprKind::Field { .. }
                | ExprKind::Tuple(_)
                | ExprKind::Deref(_)
                | ExprKind::Block(_)
                | ExprKind::If { .. }
                | ExprKind::Labelled { .. }
                | ExprKind::Loop { .. }
                | ExprKind::While { .. }
                | ExprKind::Break { .. }
                | ExprKind::Continue { .. }
                | ExprKind::Return(_)
                | ExprKind::Panic(_)
                | ExprKind::Print(_) => {}
            }
        }
    }

    /// Values that are given where the callee takes a `&mut`: a receiver is borrowed without being asked.
    fn receivers(&mut self, callee: FunctionId, args: &[ExprId]) {
        let functions = self.functions;
        for (param, arg) in functions[callee.index()].signature.params.iter().zip(args) {
            let borrowed = matches!(param, Type::Ref { mutable: true, .. });
            if borrowed && !matches!(self.ty(*arg), Type::Ref { .. } | Type::Never) {
                self.borrow(*arg, true);
            }
        }
    }

    /// The elements that a `for` may write to.
    fn sequence(&mut self, sequence: &Sequence) {
        match sequence {
            Sequence::Range { local: _, range: _ } => {}
            Sequence::Elements { of, index: _, element, reversed: _ } => {
                let element = element.map(|local| self.function.local_type(local));
                // Typing has seen that a slice or a reference allows it.
                if matches!(element, Some(Type::Ref { mutable: true, .. })) && matches!(self.ty(*of), Type::Array(..)) {
                    self.borrow(*of, true);
                }
            }
        }
    }
}
