//! Gives every expression its type.
//!
//! rustc has inferred the types; they come in the slots of variables, literals, casts, callees and results. All others
//! follow from them bottom-up, without unification. Nothing is searched for here, so a contradiction is not the
//! user's mistake: it is reported as an inconsistency, and never a panic, since the input is decoded bytes.
//!
//! First `structure` sees that a function holds together; then `decide` finds the code that cannot be reached because of
//! a constant. That is left out by everything that follows, the typing too, and so need not compile.

mod call;
mod control;
mod decide;
mod expr;
mod intrinsic;
mod known;
mod method;
mod pattern;
mod place;
mod structure;

use crate::ir::{
    Callee, Constant, ExprId, ExprKind, Filled, FunctionId, Instance, LocalId, Program, Scalar, SlotId, Span, Type,
};
use crate::{Error, Errors, What};

use decide::Decisions;

pub(crate) use call::Signature;

/// A program whose expressions have types.
pub(crate) struct Typed<'a> {
    /// The device functions, each before its callers, and the kernel at the end. A function with an error may have
    /// types that do not fit.
    pub(crate) functions: Vec<TypedFunction<'a>>,
}

/// A function whose expressions have types.
pub(crate) struct TypedFunction<'a> {
    /// The function and its slots.
    pub(crate) instance: &'a Instance,
    /// What positions and lengths are.
    pub(crate) index: Scalar,
    /// Parameters and result.
    pub(crate) signature: Signature,
    /// The type of each variable.
    pub(crate) locals: Vec<Type>,
    /// The type of each expression; `!` for those that are not alive.
    pub(crate) exprs: Vec<Type>,
    /// The kernel calls it, from code that is alive. If not, it has no types, and is not written.
    pub(crate) reached: bool,
    /// The kernel calls it through an operator, directly or not. On the CPU that call goes through Rust's own traits,
    /// which do not hand on the thread.
    pub(crate) behind_operator: bool,
    /// No error was found, so that every id is in range and every type fits.
    pub(crate) sound: bool,
    /// What constants decide; `None` where the function does not hold together.
    decisions: Option<Decisions>,
}

impl TypedFunction<'_> {
    /// Every id is in range.
    fn holds(&self) -> bool {
        self.decisions.is_some()
    }

    /// The type of an expression.
    pub(crate) fn expr_type(&self, id: ExprId) -> &Type {
        &self.exprs[id.index()]
    }

    /// The type of a variable.
    pub(crate) fn local_type(&self, id: LocalId) -> &Type {
        &self.locals[id.index()]
    }

    /// What a `bool` always is, where constants decide it. It has no effect then and need not be evaluated.
    pub(crate) fn decided(&self, id: ExprId) -> Option<bool> {
        self.decisions.as_ref().and_then(|decisions| decisions.decided(id))
    }

    /// Whether control can come to the expression from the kernel, for all that is decided. Of an `if` that is decided, one arm is not
    /// alive; of a `match`, those arms whose body is not. The last arm that is alive fits where no other did.
    pub(crate) fn is_alive(&self, id: ExprId) -> bool {
        self.reached && self.decisions.as_ref().is_some_and(|decisions| decisions.is_alive(id))
    }

    /// Whether the variable is declared where control can come to.
    pub(crate) fn is_declared(&self, id: LocalId) -> bool {
        self.reached && self.decisions.as_ref().is_some_and(|decisions| decisions.is_declared(id))
    }

    /// The expressions that are alive, operands first.
    pub(crate) fn alive(&self) -> impl Iterator<Item = ExprId> + '_ {
        (0u32..).take(self.instance.function.exprs.len()).map(ExprId).filter(|id| self.is_alive(*id))
    }
}

/// The device function that an expression calls, and whether it does so through an operator.
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

/// Types all functions of a program that its kernel reaches.
pub(crate) fn program<'a>(program: &'a Program, errors: &mut Errors) -> Typed<'a> {
    let instances = program.functions.iter().chain([&program.kernel]);
    let mut functions: Vec<_> = instances.map(|instance| untyped(instance, program.index, errors)).collect();
    reach(&mut functions);
    for position in 0..functions.len() {
        let (callees, rest) = functions.split_at_mut(position);
        if rest[0].holds() && rest[0].reached {
            types(&mut rest[0], callees, errors);
        }
    }
    Typed { functions }
}

/// A function before its expressions have types.
fn untyped<'a>(instance: &'a Instance, index: Scalar, errors: &mut Errors) -> TypedFunction<'a> {
    let mut scope = Scope { instance, callees: &[], index, errors };
    let holds = structure::check(&mut scope);
    let mut typed = TypedFunction {
        instance,
        index,
        signature: Signature { params: Vec::new(), result: Type::Unit },
        locals: Vec::new(),
        exprs: Vec::new(),
        reached: false,
        behind_operator: false,
        sound: false,
        decisions: holds.then(|| decide::function(instance)),
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

/// Marks the functions that the kernel, the last of them, reaches. Callers come behind their callees.
fn reach(functions: &mut [TypedFunction<'_>]) {
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
        let targets: Vec<_> = if caller.holds() {
            caller.alive().filter_map(|id| calls(caller.instance, &function.expr(id).kind)).collect()
        } else {
            // It is damaged and will not be written: all that it may call is looked at for further errors.
            (0u32..).take(position).map(|id| (FunctionId(id), false)).collect()
        };
        for (id, by_operator) in targets {
            // A callee that comes later is an error, which typing reports.
            if let Some(callee) = callees.get_mut(id.index()) {
                callee.reached = true;
                callee.behind_operator |= by_operator || caller.behind_operator;
            }
        }
    }
}

/// Types one function; `callees` are those that it may call.
fn types<'a>(typed: &mut TypedFunction<'a>, callees: &[TypedFunction<'a>], errors: &mut Errors) {
    let before = errors.0.len();
    let mut scope = Scope { instance: typed.instance, callees, index: typed.index, errors };
    typed.exprs = expr::types(&mut scope, typed);
    typed.sound = errors.0.len() == before;
}

/// A function while it is typed.
struct Scope<'a, 'e> {
    instance: &'a Instance,
    callees: &'e [TypedFunction<'a>],
    index: Scalar,
    errors: &'e mut Errors,
}

impl<'a> Scope<'a, '_> {
    /// The type of positions and lengths.
    fn index_type(&self) -> Type {
        Type::Scalar(self.index)
    }

    /// Notes that the program contradicts itself.
    fn inconsistent(&mut self, span: Span, message: impl Into<String>) {
        self.error(span, What::inconsistent(message));
    }

    /// Notes an error.
    fn error(&mut self, span: Span, what: What) {
        let Instance { function, file, .. } = self.instance;
        self.errors.0.push(Error { function: function.name.clone(), file: file.clone(), span, what });
    }

    /// The type in a slot. `structure` has seen that there is one.
    fn slot_type(&self, slot: SlotId) -> Type {
        match &self.instance.slots[slot.index()] {
            Filled::Type(ty) => ty.clone(),
            Filled::Callee(_) | Filled::Constant(_) | Filled::Operator(_) => Type::Never,
        }
    }

    /// The constant in a slot.
    fn slot_constant(&self, slot: SlotId) -> Option<&'a Constant> {
        match &self.instance.slots[slot.index()] {
            Filled::Constant(constant) => Some(constant),
            Filled::Type(_) | Filled::Callee(_) | Filled::Operator(_) => None,
        }
    }

    /// The function that an operator calls, where it is not built in.
    fn slot_operator(&self, slot: SlotId) -> Option<FunctionId> {
        match &self.instance.slots[slot.index()] {
            Filled::Operator(function) => *function,
            Filled::Type(_) | Filled::Callee(_) | Filled::Constant(_) => None,
        }
    }
}
