//! Type resolution of calls: device functions, operators and methods.

use crate::Diagnostic;
use crate::ir::{Callee, ExprId, Filled, FunctionId, Method, SlotId, Span, Type};

use super::{Scope, Signature, method};

/// Returns whether a value of type `actual` is accepted where type `expected` is required: the types are equal,
/// `actual` is `!`, or a `&mut` is reborrowed as a `&`.
pub(super) fn is_assignable(actual: &Type, expected: &Type) -> bool {
    match (actual, expected) {
        (Type::Never, _) => true,
        (Type::Slice { element: actual, mutable: _ }, Type::Slice { element: expected, mutable: false })
        | (Type::Ref { target: actual, mutable: _ }, Type::Ref { target: expected, mutable: false }) => {
            actual == expected
        }
        (
            Type::View { element: actual, dimensions: given, mutable: _ },
            Type::View { element: expected, dimensions, mutable: false },
        ) => actual == expected && given == dimensions,
        (Type::Tuple(actual), Type::Tuple(expected)) => {
            actual.len() == expected.len()
                && actual.iter().zip(expected).all(|(actual, expected)| is_assignable(actual, expected))
        }
        // A struct of arrays behind a reference has the same fields, with read-only slices.
        (Type::Struct(actual), Type::Struct(expected)) if actual != expected => {
            let is_struct_of_arrays = actual.fields.iter().any(|field| field.ty.has_references());
            is_struct_of_arrays
                && actual.name == expected.name
                && actual.fields.len() == expected.fields.len()
                && actual
                    .fields
                    .iter()
                    .zip(&expected.fields)
                    .all(|(actual, expected)| actual.name == expected.name && is_assignable(&actual.ty, &expected.ty))
        }
        (Type::Array(actual, given), Type::Array(expected, len)) => given == len && is_assignable(actual, expected),
        _ => actual == expected,
    }
}

/// Returns whether an argument of type `actual` can be passed to a parameter of type `param`. Beyond [`is_assignable`],
/// this includes Rust's adjustments of receivers and arrays: auto-borrowing, auto-dereferencing, and the coercion of an
/// array reference to a slice.
fn is_passable(actual: &Type, param: &Type) -> bool {
    is_coercible(actual, param)
        || match (actual, param) {
            (value, Type::Ref { target, mutable: _ }) if value == &**target => true,
            (Type::Array(inner, _), Type::Slice { element, mutable: _ }) => inner == element,
            (Type::Ref { target, mutable: _ }, value) => value == &**target,
            _ => false,
        }
}

/// Returns whether a value of type `actual` is coerced to type `expected`, also as a part of a tuple: beyond [`is_assignable`], a reference
/// to an array to a slice.
fn is_coercible(actual: &Type, expected: &Type) -> bool {
    match (actual, expected) {
        (Type::Ref { target, mutable: given }, Type::Slice { element, mutable }) => {
            let of_same = matches!(&**target, Type::Array(inner, _) if inner == element);
            of_same && (*given || !mutable)
        }
        (Type::Tuple(actual), Type::Tuple(expected)) => {
            actual.len() == expected.len()
                && actual.iter().zip(expected).all(|(actual, expected)| is_coercible(actual, expected))
        }
        _ => is_assignable(actual, expected),
    }
}

impl Scope<'_, '_> {
    /// Returns the result type of a call. `types` holds the types of the preceding expressions.
    pub(super) fn call(&mut self, callee: SlotId, args: &[ExprId], types: &[Type], span: Span) -> Type {
        let instance = self.instance;
        let Filled::Callee(callee) = &instance.slots[callee.index()] else { return Type::Never };
        match callee {
            Callee::Intrinsic(intrinsic) => self.intrinsic(intrinsic, args, types, span),
            Callee::Function(id) => self.function(*id, args, types, span),
            Callee::Method(method) => self.method(*method, args, types, span),
        }
    }

    /// Returns the result type of a device function.
    pub(super) fn function(&mut self, id: FunctionId, args: &[ExprId], types: &[Type], span: Span) -> Type {
        let callees = self.callees;
        let Some(callee) = callees.get(id.index()) else {
            self.error(
                span,
                Diagnostic::new(
                    format!("recursive call: function {} does not precede its caller", id.0),
                    "recursive functions have unbounded stack usage, but the stack of a GPU thread has a fixed size",
                    "replace the recursion by a loop",
                ),
            );
            return Type::Never;
        };
        // Malformed functions have been reported already.
        if callee.is_well_formed() {
            self.args(&callee.instance.function.name, &callee.signature.params, args, types, span);
        }
        callee.signature.result.clone()
    }

    /// Returns the result type of a method. The first argument is the receiver.
    fn method(&mut self, method: Method, args: &[ExprId], types: &[Type], span: Span) -> Type {
        let name = method.name();
        let Some((receiver, args)) = args.split_first() else {
            self.inconsistent(span, format!("`{name}` is called without a receiver"));
            return Type::Never;
        };
        let receiver = types[receiver.index()].target();
        if *receiver == Type::Never {
            return Type::Never;
        }
        let Some(Signature { params, result }) = method::signature(method, receiver, self.index) else {
            self.error(
                span,
                Diagnostic::new(
                    format!("method `{name}` of `{receiver}` is not supported on a device"),
                    "the standard library's methods are compiled for the host only, except for those that docs/methods.md lists",
                    format!("write a `#[device]` function that computes `{name}`, and call that"),
                ),
            );
            return Type::Never;
        };
        self.args(name, &params, args, types, span);
        result
    }

    /// Checks that the arguments can be passed to these parameters.
    pub(super) fn args(&mut self, name: &str, params: &[Type], args: &[ExprId], types: &[Type], span: Span) {
        if params.len() != args.len() {
            self.inconsistent(span, format!("`{name}` takes {} arguments, not {}", params.len(), args.len()));
            return;
        }
        for (param, arg) in params.iter().zip(args) {
            let actual = &types[arg.index()];
            if !is_passable(actual, param) {
                let span = self.instance.function.expr(*arg).span;
                self.inconsistent(span, format!("an argument of `{name}` is `{actual}`, not `{param}`"));
            }
        }
    }
}
