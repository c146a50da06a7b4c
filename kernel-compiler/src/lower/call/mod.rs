//! Lowering of calls: device functions and overloaded operators, and dispatch of the other callees.

pub(in crate::lower) mod geometry;
pub(in crate::lower) mod intrinsic;
pub(in crate::lower) mod message;
pub(in crate::lower) mod method;

use crate::analyse::is_reference;
use crate::ir::{Callee, ExprId, Filled, FunctionId, Span, Type};

use crate::lower::bind::address_of;
use crate::lower::function::Lowering;
use crate::lower::types::is_empty;
use crate::lower::value::Value;
use crate::lower::{CallTarget, Expr, StmtKind, Summary};

/// How a place is passed to a reference parameter if the source does not borrow it explicitly.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Passing {
    /// The receiver of a method, and the left operand of `+=`: a reference to the place itself, which is evaluated
    /// once, before the subsequent arguments. The callee may apply atomic operations to it, or wait until another
    /// thread writes it.
    Place,
    /// An operand of an operator that takes values: the value at the time of its evaluation.
    Value,
}

impl Lowering<'_, '_> {
    /// Returns the result of a call, and whether it has side effects.
    pub(in crate::lower) fn call(&mut self, callee: &Filled, args: &[ExprId], id: ExprId) -> (Value, bool) {
        match callee {
            Filled::Callee(Callee::Function(function)) => {
                self.call_function(*function, args, Passing::Place, self.expr(id).span)
            }
            Filled::Callee(Callee::Intrinsic(intrinsic)) => {
                let (value, effect) = self.intrinsic(intrinsic, args, id);
                (value.with_index(self.typed.index), effect)
            }
            Filled::Callee(Callee::Method(method)) => {
                let (value, effect) = self.method(*method, args, id);
                (value.with_index(self.typed.index), effect)
            }
            Filled::Type(_) | Filled::Constant(_) | Filled::Operator(_) => (Value::Never, false),
        }
    }

    /// Returns the result of a device function, and whether the call has side effects.
    pub(in crate::lower) fn call_function(
        &mut self,
        id: FunctionId,
        args: &[ExprId],
        passing: Passing,
        span: Span,
    ) -> (Value, bool) {
        let signature = &self.function(id).signature;
        let summary = self.output.summaries[id.index()];
        let mut values: Vec<Value> = Vec::with_capacity(args.len());
        for (arg, param) in args.iter().zip(&signature.params) {
            let mark = self.out.len();
            let value = match param {
                Type::Ref { target, mutable } if passing == Passing::Place && !is_reference(self.ty(*arg)) => {
                    self.receiver(*arg, target, *mutable)
                }
                Type::Slice { element: _, mutable }
                    if passing == Passing::Place && !is_reference(self.ty(*arg)) && *self.ty(*arg) != Type::Never =>
                {
                    let array = self.ty(*arg).clone();
                    let place = self.receiver(*arg, &array, *mutable);
                    self.converted(place, param)
                }
                _ => {
                    let value = self.value(*arg);
                    // A referent that is passed by value is read here, before later arguments are evaluated.
                    if is_reference(param) { value } else { self.converted(value, param) }
                }
            };
            self.preserve(mark, &mut values);
            if matches!(value, Value::Never) {
                return (Value::Never, false);
            }
            values.push(value);
        }
        let mut flat = Vec::new();
        for (value, param) in values.into_iter().zip(&signature.params) {
            let value = match param {
                // Values that later arguments could change have been copied.
                Type::Ref { target, mutable } => self.materialise(value, target, *mutable),
                _ => self.converted(value, param),
            };
            self.flatten(value, param, &mut flat);
        }
        let Summary { writes, reads, faults, takes_launch } = summary;
        self.summary.writes |= writes;
        self.summary.reads |= reads;
        self.summary.faults |= faults;
        self.summary.takes_launch |= takes_launch;
        // Consecutive sites, of which the callee takes the first.
        let mut first = None;
        for kind in self.output.caller_sites[id.index()].clone() {
            let site = self.site(kind, span);
            first.get_or_insert(site);
        }
        let call = Expr::Call(CallTarget::Function(id, first), flat);
        let result = &signature.result;
        let value = match result {
            ty if is_empty(ty) => {
                self.push(StmtKind::Expr(call));
                self.empty(ty)
            }
            Type::Scalar(scalar) => Value::Scalar(call, *scalar),
            Type::Enum(choice) => Value::Scalar(call, choice.repr),
            other => Value::Whole(call, other.clone()),
        };
        (value, writes && !is_empty(result))
    }

    /// Performs the side effect of an expression now, and returns its result.
    pub(in crate::lower) fn perform(&mut self, value: Value) -> Value {
        match value {
            Value::Scalar(expr, scalar) => {
                Value::Scalar(self.constant("value", crate::lower::CType::Scalar(scalar), expr), scalar)
            }
            Value::Whole(expr, ty) => {
                let c = self.output.types.value(&ty);
                Value::Whole(self.constant("value", c, expr), ty)
            }
            Value::Never
            | Value::Unit
            | Value::Parts(_)
            | Value::Slice { .. }
            | Value::View { .. }
            | Value::Place { .. } => value,
        }
    }

    /// Returns a reference to a receiver: to the place itself, or to a new variable that holds its value.
    fn receiver(&mut self, arg: ExprId, target: &Type, mutable: bool) -> Value {
        let value = self.place(&mut Vec::new(), arg);
        self.materialise_expr(arg, value, target, mutable)
    }

    /// Appends the C arguments for a parameter.
    fn flatten(&mut self, value: Value, param: &Type, flat: &mut Vec<Expr>) {
        match (value, param) {
            // A tuple is split into one parameter per element.
            (Value::Parts(parts), Type::Tuple(types)) => {
                for (part, ty) in parts.into_iter().zip(types) {
                    match (part, ty) {
                        (Value::Place { lvalue, .. }, Type::Ref { .. }) => flat.push(address_of(lvalue)),
                        (part, ty) => self.flatten(part, ty, flat),
                    }
                }
            }
            (Value::Parts(parts), Type::Struct(structure)) if param.has_references() => {
                for (part, field) in parts.into_iter().zip(&structure.fields) {
                    self.flatten(part, &field.ty, flat);
                }
            }
            (Value::Parts(parts), Type::Array(element, _)) => {
                for part in parts {
                    self.flatten(part, element, flat);
                }
            }
            (value @ Value::Whole(..), Type::Tuple(_)) => {
                let Value::Whole(whole, ty) = self.once(value) else { return };
                let parts = if let Type::Tuple(parts) = &ty { parts.len() } else { 0 };
                for position in 0..parts {
                    let part = self.project(Value::Whole(whole.clone(), ty.clone()), &ty, position);
                    let part = self.load(part);
                    self.flatten(part, &crate::lower::value::field_type(&ty, position), flat);
                }
            }
            (value, _) if is_split_argument(&value, param) => {
                if let Some(whole) = self.whole(value, param) {
                    flat.push(whole);
                }
            }
            (value, _) => value.leaves(&mut |leaf| flat.push(leaf.clone())),
        }
    }
}

/// Returns whether a `Dim3` that is split into variables is passed as a single value.
fn is_split_argument(value: &Value, param: &Type) -> bool {
    matches!((value, param), (Value::Parts(_), Type::Struct(_)))
}
