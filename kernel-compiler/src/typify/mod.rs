//! Type resolution: assigns a type to every expression.
//!
//! rustc has inferred the types; the slots hold those of variables, literals, casts, callees and results. All other
//! types follow bottom-up, without unification. Since nothing is inferred here, a type error cannot be the user's
//! mistake: it is reported as an inconsistency. It never causes a panic, since the input is deserialised data.
//!
//! First, `structure` checks that a function is well-formed; then, `reachability` determines the code that constant
//! conditions make unreachable. Unreachable code is skipped by all subsequent phases, including type resolution, and so
//! need not compile.

mod call;
mod control;
mod expr;
mod folding;
mod intrinsic;
mod method;
mod pattern;
mod place;
mod reachability;
mod structure;

use std::sync::Arc;

use crate::ir::{
    Callee, Constant, ExprId, ExprKind, Filled, FunctionId, Instance, LocalId, Program, Scalar, SlotId, Span, Type,
};
use crate::{Diagnostic, Error, Errors};

use reachability::Reachability;

/// The parameter types and the result type of a function.
#[derive(PartialEq)]
pub(crate) struct Signature {
    /// The types of the parameters.
    pub(crate) params: Vec<Type>,
    /// The type of the result.
    pub(crate) result: Type,
}

/// A program with typed expressions.
pub(crate) struct Typed {
    /// The device functions in topological order (callees first), and the kernel last. The types of a function with an
    /// error may be inconsistent.
    pub(crate) functions: Vec<TypedFunction>,
}

/// A function with typed expressions.
pub(crate) struct TypedFunction {
    /// The function and its slots.
    pub(crate) instance: Arc<Instance>,
    /// The type of indices and lengths.
    pub(crate) index: Scalar,
    /// The types of the parameters and of the result.
    pub(crate) signature: Signature,
    /// The type of each variable.
    pub(crate) locals: Vec<Type>,
    /// The type of each expression; `!` for unreachable expressions.
    pub(crate) exprs: Vec<Type>,
    /// Whether the kernel calls the function, directly or not, from reachable code. If not, it is neither typed nor
    /// emitted.
    pub(crate) reached: bool,
    /// Whether the kernel calls the function through an operator, directly or not. On the CPU such a call goes through
    /// Rust's operator traits, which have no access to the thread's context.
    pub(crate) called_by_operator: bool,
    /// Whether the function is free of errors: every id is in range, and every type is consistent.
    pub(crate) well_typed: bool,
    /// Constant conditions and reachability; `None` if the function is malformed.
    reachability: Option<Reachability>,
}

impl TypedFunction {
    /// Returns whether the function is well-formed: every id is in range.
    fn is_well_formed(&self) -> bool {
        self.reachability.is_some()
    }

    /// Returns the type of an expression.
    pub(crate) fn expr_type(&self, id: ExprId) -> &Type {
        &self.exprs[id.index()]
    }

    /// Returns the type of a variable.
    pub(crate) fn local_type(&self, id: LocalId) -> &Type {
        &self.locals[id.index()]
    }

    /// Returns the value of a constant `bool` expression. It has no side effects and need not be evaluated.
    pub(crate) fn constant_bool(&self, id: ExprId) -> Option<bool> {
        self.reachability.as_ref().and_then(|reachability| reachability.constant_bool(id))
    }

    /// Returns whether the expression is reachable from the kernel, given the constant conditions. Of an `if` with a
    /// constant condition, one branch is unreachable; of a `match`, the arms whose bodies are. The last reachable arm
    /// matches if no other does.
    pub(crate) fn is_reachable(&self, id: ExprId) -> bool {
        self.reached && self.reachability.as_ref().is_some_and(|reachability| reachability.is_reachable(id))
    }

    /// Returns whether the variable is declared in reachable code.
    pub(crate) fn is_declared(&self, id: LocalId) -> bool {
        self.reached && self.reachability.as_ref().is_some_and(|reachability| reachability.is_declared(id))
    }

    /// Returns the reachable expressions, operands first.
    pub(crate) fn reachable(&self) -> impl Iterator<Item = ExprId> + '_ {
        (0u32..).take(self.instance.function.exprs.len()).map(ExprId).filter(|id| self.is_reachable(*id))
    }
}

/// Returns the device function that an expression calls, and whether it does so through an operator.
pub(crate) fn calls(instance: &Instance, kind: &ExprKind) -> Option<(FunctionId, bool)> {
    match kind {
        ExprKind::Call { callee: slot, .. }
        | ExprKind::Unary { operator: slot, .. }
        | ExprKind::Binary { operator: slot, .. }
        | ExprKind::AssignOp { operator: slot, .. } => match &instance.slots[slot.index()] {
            Filled::Callee(Callee::Function(id)) => Some((*id, false)),
            Filled::Operator(Some(id)) => Some((*id, true)),
            Filled::Callee(Callee::Intrinsic(_) | Callee::Method(_))
            | Filled::Operator(None)
            | Filled::Type(_)
            | Filled::Constant(_) => None,
        },
        _ => None,
    }
}

/// Resolves the types of all functions that are reachable from the kernel.
pub(crate) fn program(program: &Program, errors: &mut Errors) -> Typed {
    let instances = program.functions.iter().chain([&program.kernel]);
    let mut functions: Vec<_> = instances.map(|instance| untyped(instance, program.index, errors)).collect();
    mark_reached(&mut functions);
    for position in 0..functions.len() {
        let (callees, rest) = functions.split_at_mut(position);
        if rest[0].is_well_formed() && rest[0].reached {
            types(&mut rest[0], callees, errors);
        }
    }
    Typed { functions }
}

/// Returns a function without expression types.
fn untyped(instance: &Arc<Instance>, index: Scalar, errors: &mut Errors) -> TypedFunction {
    let mut scope = Scope { instance, callees: &[], index, errors };
    let holds = structure::check(&mut scope);
    let mut typed = TypedFunction {
        instance: Arc::clone(instance),
        index,
        signature: Signature { params: Vec::new(), result: Type::Unit },
        locals: Vec::new(),
        exprs: Vec::new(),
        reached: false,
        called_by_operator: false,
        well_typed: false,
        reachability: holds.then(|| reachability::function(instance)),
    };
    if holds {
        typed.locals = instance.function.locals.iter().map(|local| scope.slot_type(local.slot)).collect();
        typed.signature = Signature {
            params: instance.function.params.iter().map(|param| typed.locals[param.index()].clone()).collect(),
            result: instance.function.result.map_or(Type::Unit, |slot| scope.slot_type(slot)),
        };
    }
    typed
}

/// Marks the functions that are reachable from the kernel, which is the last. Callees precede their callers.
fn mark_reached(functions: &mut [TypedFunction]) {
    if let Some(kernel) = functions.last_mut() {
        kernel.reached = true;
    }
    for position in (0..functions.len()).rev() {
        let (callees, rest) = functions.split_at_mut(position);
        let caller = &rest[0];
        if !caller.reached {
            continue;
        }
        let function = &caller.instance.function;
        let targets: Vec<_> = if caller.is_well_formed() {
            caller.reachable().filter_map(|id| calls(&caller.instance, &function.expr(id).kind)).collect()
        } else {
            // A malformed caller is not emitted. All its possible callees are checked for further errors.
            (0u32..).take(position).map(|id| (FunctionId(id), false)).collect()
        };
        for (id, by_operator) in targets {
            // A callee that does not precede its caller is an error, which type resolution reports.
            if let Some(callee) = callees.get_mut(id.index()) {
                callee.reached = true;
                callee.called_by_operator |= by_operator || caller.called_by_operator;
            }
        }
    }
}

/// Resolves the types of one function. `callees` holds its possible callees.
fn types(typed: &mut TypedFunction, callees: &[TypedFunction], errors: &mut Errors) {
    let before = errors.0.len();
    let instance = Arc::clone(&typed.instance);
    let mut scope = Scope { instance: &instance, callees, index: typed.index, errors };
    typed.exprs = expr::types(&mut scope, typed);
    typed.well_typed = errors.0.len() == before;
}

/// The state of type resolution of one function.
struct Scope<'a, 'e> {
    instance: &'a Instance,
    callees: &'e [TypedFunction],
    index: Scalar,
    errors: &'e mut Errors,
}

impl<'a> Scope<'a, '_> {
    /// Returns the type of indices and lengths.
    fn index_type(&self) -> Type {
        Type::Scalar(self.index)
    }

    /// Reports an inconsistency in the program.
    fn inconsistent(&mut self, span: Span, message: impl Into<String>) {
        self.error(span, Diagnostic::inconsistent(message));
    }

    /// Reports an error.
    fn error(&mut self, span: Span, diagnostic: Diagnostic) {
        let Instance { function, file, .. } = self.instance;
        self.errors.0.push(Error { function: function.name.clone(), file: file.clone(), span, diagnostic });
    }

    /// Returns the type in a slot. `structure` has checked that the slot holds one.
    fn slot_type(&self, slot: SlotId) -> Type {
        match &self.instance.slots[slot.index()] {
            Filled::Type(ty) => ty.clone(),
            Filled::Callee(_) | Filled::Constant(_) | Filled::Operator(_) => Type::Never,
        }
    }

    /// Returns the constant in a slot.
    fn slot_constant(&self, slot: SlotId) -> Option<&'a Constant> {
        match &self.instance.slots[slot.index()] {
            Filled::Constant(constant) => Some(constant),
            Filled::Type(_) | Filled::Callee(_) | Filled::Operator(_) => None,
        }
    }

    /// Returns the function that implements an operator, or `None` if it is built in.
    fn slot_operator(&self, slot: SlotId) -> Option<FunctionId> {
        match &self.instance.slots[slot.index()] {
            Filled::Operator(function) => *function,
            Filled::Type(_) | Filled::Callee(_) | Filled::Constant(_) => None,
        }
    }
}
