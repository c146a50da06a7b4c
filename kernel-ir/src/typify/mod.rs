//! Gives every expression its type.
//!
//! rustc has inferred the types; they come in the slots of variables, literals, casts, callees and results. All others
//! follow from them bottom-up, without unification. Nothing is searched for here, so a contradiction is not the
//! user's mistake: it is reported as an inconsistency, and never a panic, since the input is decoded bytes.

mod call;
mod expr;
mod method;
mod structure;

use crate::ir::{Constant, ExprId, Filled, Instance, LocalId, Program, SlotId, Span, Type};
use crate::{Error, Errors, What};

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
    /// Parameters and result.
    pub(crate) signature: Signature,
    /// The type of each variable.
    pub(crate) locals: Vec<Type>,
    /// The type of each expression.
    pub(crate) exprs: Vec<Type>,
    /// No error was found, so that every id is in range and every type fits.
    pub(crate) sound: bool,
}

impl TypedFunction<'_> {
    /// The type of an expression.
    pub(crate) fn expr_type(&self, id: ExprId) -> &Type {
        &self.exprs[id.index()]
    }

    /// The type of a variable.
    pub(crate) fn local_type(&self, id: LocalId) -> &Type {
        &self.locals[id.index()]
    }
}

/// Types all functions of a program.
pub(crate) fn program<'a>(program: &'a Program, errors: &mut Errors) -> Typed<'a> {
    let mut functions: Vec<TypedFunction<'a>> = Vec::with_capacity(program.functions.len() + 1);
    for instance in program.functions.iter().chain([&program.kernel]) {
        let typed = function(instance, &functions, errors);
        functions.push(typed);
    }
    Typed { functions }
}

/// Types one function; `callees` are those that it may call.
fn function<'a>(instance: &'a Instance, callees: &[TypedFunction<'a>], errors: &mut Errors) -> TypedFunction<'a> {
    let before = errors.0.len();
    let mut scope = Scope { instance, callees, errors };
    let mut typed = TypedFunction {
        instance,
        signature: Signature { params: Vec::new(), result: Type::Unit },
        locals: Vec::new(),
        exprs: Vec::new(),
        sound: false,
    };
    if structure::check(&mut scope) {
        typed.locals = instance.function.locals.iter().map(|local| scope.slot_type(local.slot)).collect();
        typed.signature = Signature {
            params: instance.function.params.iter().map(|param| typed.locals[param.index()].clone()).collect(),
            result: instance.function.result.map_or(Type::Unit, |slot| scope.slot_type(slot)),
        };
        typed.exprs = expr::types(&mut scope, &typed.locals, &typed.signature.result);
        typed.sound = errors.0.len() == before;
    }
    typed
}

/// A function while it is typed.
struct Scope<'a, 'e> {
    instance: &'a Instance,
    callees: &'e [TypedFunction<'a>],
    errors: &'e mut Errors,
}

impl Scope<'_, '_> {
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
            Filled::Callee(_) | Filled::Constant(_) => Type::Never,
        }
    }

    /// The constant in a slot.
    fn slot_constant(&self, slot: SlotId) -> Option<Constant> {
        match &self.instance.slots[slot.index()] {
            Filled::Constant(constant) => Some(*constant),
            Filled::Type(_) | Filled::Callee(_) => None,
        }
    }
}
