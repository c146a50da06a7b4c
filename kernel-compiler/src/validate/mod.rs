//! Validation: rejects well-typed programs that cannot be compiled.
//!
//! rustc has accepted the kernel at this point, so every check here is a limitation of Cumbia or of GPUs, never a rule
//! of Rust. The CUDA C writer relies on every check below. Code that constants make unreachable is not checked.

mod guard;
mod intrinsic;
mod linked;
mod origin;
mod place;
mod types;

use std::fmt;

use crate::analyse::{self, Flow};
use crate::ir::{Callee, ExprId, ExprKind, Filled, FunctionId, LocalId, Program, Sequence, Span, Stmt, Type};
use crate::typify::{Typed, TypedFunction};
use crate::{Diagnostic, Error, Errors};

/// A typed and validated program: the proof that [`write`](crate::write()) requires.
pub struct Validated {
    program: Program,
    typed: Typed,
    flows: Vec<Flow>,
}

impl Validated {
    /// Called only by [`check`](crate::check), after it has found no errors.
    pub(crate) fn new(program: Program, typed: Typed, flows: Vec<Flow>) -> Validated {
        Validated { program, typed, flows }
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the data-flow facts of each of [`functions`](Validated::functions).
    pub(crate) fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// Returns the device functions in topological order (callees first), and the kernel last. Functions that are not
    /// [`reached`](TypedFunction::reached) are included only to preserve the numbering.
    pub(crate) fn functions(&self) -> &[TypedFunction] {
        &self.typed.functions
    }
}

impl fmt::Debug for Validated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reached = self.functions().iter().filter(|typed| typed.reached);
        let names = reached.map(|typed| &typed.instance.function.name);
        f.debug_tuple("Validated").field(&names.collect::<Vec<_>>()).finish()
    }
}

/// The maximum size in bytes of a kernel's static shared memory. Larger amounts have to be dynamic (CUDA C++
/// Programming Guide, "Shared Memory" of each compute capability: "static shared memory allocations remain limited to
/// 48 KB").
pub(crate) const STATIC_SHARED_LIMIT: u64 = 48 * 1024;

/// Validates all well-typed functions. Returns the data-flow facts of each.
pub(crate) fn program(typed: &Typed, errors: &mut Errors) -> Vec<Flow> {
    let mut shared = 0;
    let mut flows = Vec::with_capacity(typed.functions.len());
    let mut atomics: Vec<Vec<bool>> = Vec::with_capacity(typed.functions.len());
    let kernel = typed.functions.len().saturating_sub(1);
    for (i, function) in typed.functions.iter().enumerate() {
        let mut own = Vec::new();
        let mut flow = Flow::default();
        if function.well_typed {
            flow = analyse::flow(function, &typed.functions);
            let empty = declared_without_init(function);
            let functions = &typed.functions;
            let mut check = Validator {
                function,
                functions,
                errors,
                shared: &mut shared,
                declared_without_init: empty,
                rejected: Vec::new(),
            };
            check.signature(i == kernel);
            check.exprs();
            check.locals();
            check.initialised(&flow);
            own = check.atomics(&atomics);
        }
        atomics.push(own);
        flows.push(flow);
    }
    linked::symbols(typed, errors);
    flows
}

/// Returns, for each variable, whether it is declared by `let x;` and assigned later.
fn declared_without_init(function: &TypedFunction) -> Vec<bool> {
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

/// The validation of one function.
struct Validator<'a, 'e> {
    function: &'a TypedFunction,
    /// All functions of the program.
    functions: &'a [TypedFunction],
    errors: &'e mut Errors,
    /// The size in bytes of the static shared memory so far, over all functions.
    shared: &'e mut u64,
    /// Whether the variable is declared by `let x;`.
    declared_without_init: Vec<bool>,
    /// The types that were rejected so far, so that a value of such a type and the variable that holds it are reported
    /// once.
    rejected: Vec<Type>,
}

impl<'a> Validator<'a, '_> {
    fn error(&mut self, span: Span, diagnostic: Diagnostic) {
        let instance = &self.function.instance;
        self.errors.0.push(Error {
            function: instance.function.name.clone(),
            file: instance.file.clone(),
            span,
            diagnostic,
        });
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

    /// Returns the variable's name as it appears in messages.
    fn local_name(&self, id: LocalId) -> String {
        format!("`{}`", self.function.instance.function.local(id).name)
    }

    /// Reports reads of uninitialised variables, which rustc has ruled out.
    fn initialised(&mut self, flow: &Flow) {
        for id in &flow.uninitialised {
            if let ExprKind::Local(local) = self.kind(*id) {
                let diagnostic =
                    Diagnostic::inconsistent(format!("{} is read before it is assigned", self.local_name(*local)));
                self.error(self.span(*id), diagnostic);
            }
        }
    }

    /// Validates each expression together with its operands.
    fn exprs(&mut self) {
        let function = self.function;
        for id in function.reachable() {
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
                ExprKind::Array(_) | ExprKind::Repeat { .. } => self.array_value(id),
                ExprKind::Struct { .. } => self.struct_value(id),
                ExprKind::Constant(_) => self.value_type(id),
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

    /// Validates values passed for `&mut` parameters: a receiver is borrowed implicitly.
    fn receivers(&mut self, callee: FunctionId, args: &[ExprId]) {
        let functions = self.functions;
        for (param, arg) in functions[callee.index()].signature.params.iter().zip(args) {
            let borrowed = matches!(param, Type::Ref { mutable: true, .. } | Type::Slice { mutable: true, .. });
            if borrowed && !matches!(self.ty(*arg), Type::Ref { .. } | Type::Never) {
                self.borrow(*arg, true);
            }
        }
    }

    /// Validates that a `for` may write to its elements.
    fn sequence(&mut self, sequence: &Sequence) {
        match sequence {
            Sequence::Range { local: _, range: _ } => {}
            Sequence::Elements { of, index: _, element, reversed: _ } => {
                let element = element.map(|local| self.function.local_type(local));
                // For slices and references, type resolution has checked mutability.
                if matches!(element, Some(Type::Ref { mutable: true, .. })) && matches!(self.ty(*of), Type::Array(..)) {
                    self.borrow(*of, true);
                }
            }
        }
    }
}
