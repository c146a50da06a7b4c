//! Lowering of parameters and variables: the C variables that represent each of them.

use crate::ir::{self, LocalId, Scalar, Type};

use super::function::Lowering;
use super::types::{is_single_value, is_split};
use super::value::Value;
use super::{CType, Expr, NameOrigin, Operator, Quantity, VarId, Variable};

impl Lowering<'_, '_> {
    /// Creates the parameters. Returns their variables, and what each of them is in the user's terms.
    pub(super) fn params(&mut self, kernel: bool) -> (Vec<VarId>, Vec<Quantity>) {
        let (mut params, mut quantities) = (Vec::new(), Vec::new());
        let function = &self.typed.instance.function;
        let first = self.vars.len() as u32;
        for param in &function.params {
            let name = &function.local(*param).name;
            let ty = self.typed.local_type(*param);
            let constant = !self.is_assigned(*param);
            let declared = Declared { constant, stable: constant, split: true };
            let mut value = self.vars_of(name, NameOrigin::User, ty, declared);
            let end = self.vars.len() as u32;
            for var in (first..end).map(VarId).skip(params.len()) {
                self.adjust_param(var, ty, kernel);
                params.push(var);
                quantities.push(quantity(var, name, ty, &value).unwrap_or_else(|| Quantity::Argument(name.clone())));
            }
            if let (Type::Ref { target, mutable: _ }, Value::Place { lvalue: Expr::Deref(pointer), .. }) = (ty, &value)
            {
                value = Value::Place { lvalue: (**pointer).clone(), target: (**target).clone() };
            }
            if kernel && self.output.options.contiguous_views {
                value = contiguous(value);
            }
            self.locals[param.index()] = value;
        }
        // Parameters with a different representation in memory are copied: borrowed aggregates are contiguous, a `bool`
        // in memory is a byte, and a reference that is reassigned is a pointer.
        for param in &function.params {
            let ty = self.typed.local_type(*param);
            let borrowed = self.flow.usage.borrowed[param.index()] && (is_split(ty) || *ty == Type::BOOL);
            let leads_elsewhere = self.is_assigned(*param) && matches!(ty, Type::Ref { .. });
            if borrowed || leads_elsewhere {
                let given = self.locals[param.index()].clone();
                let vars = self.local_vars(*param, ty, true);
                self.declare_with(&vars, given);
                self.locals[param.index()] = vars;
            }
        }
        (params, quantities)
    }

    /// Adjusts a parameter's type. A reference becomes a C++ reference. Two slices of a device function may alias;
    /// those of a launch do not.
    fn adjust_param(&mut self, var: VarId, ty: &Type, kernel: bool) {
        let var = &mut self.vars[var.index()];
        let CType::Pointer { target, mutable, restrict } = &mut var.ty else { return };
        if matches!(ty, Type::Ref { .. }) {
            var.ty = CType::Reference { target: target.clone(), mutable: *mutable };
            var.stable = false;
        } else {
            *restrict = kernel;
        }
    }

    /// Creates the C variables of a user's variable, without declaring them.
    pub(super) fn local_vars(&mut self, local: LocalId, ty: &Type, initialised: bool) -> Value {
        let ir::Local { name, mutable, slot: _ } = self.typed.instance.function.local(local);
        let assigned = self.is_assigned(local);
        // `let x;` without `mut` is assigned once and read only afterwards, so every read in the source yields the same
        // value. Reads that an optimisation adds have to check with `analyse::flow` that the variable is initialised.
        let stable = !assigned || (!initialised && !mutable);
        let borrowed = self.flow.usage.borrowed[local.index()];
        let declared = Declared { constant: initialised && !assigned, stable, split: !borrowed };
        if borrowed && *ty == Type::BOOL {
            let Declared { constant, stable, split: _ } = declared;
            let ty = CType::Scalar(Scalar::U8);
            let var = self.var(Variable { hint: name.clone(), origin: NameOrigin::User, ty, constant, stable });
            return Value::Place { lvalue: Expr::Var(var), target: Type::BOOL };
        }
        self.vars_of(name, NameOrigin::User, ty, declared)
    }

    /// Creates a single C variable for a user's variable whose value is contiguous.
    pub(super) fn whole_var(&mut self, local: LocalId, ty: &Type) -> Value {
        let name = &self.typed.instance.function.local(local).name;
        let assigned = self.is_assigned(local);
        let declared = Declared { constant: !assigned, stable: !assigned, split: false };
        self.vars_of(name, NameOrigin::User, ty, declared)
    }

    /// Returns whether the user's code changes the variable after its declaration.
    pub(super) fn is_assigned(&self, local: LocalId) -> bool {
        self.flow.usage.assigned[local.index()]
    }

    /// Creates the C variables for a value of a type.
    pub(super) fn vars_of(&mut self, hint: &str, origin: NameOrigin, ty: &Type, declared: Declared) -> Value {
        let Declared { constant, stable, split } = declared;
        let var = |this: &mut Self, hint: String, origin, ty| {
            Expr::Var(this.var(Variable { hint, origin, ty, constant, stable }))
        };
        match ty {
            Type::Unit => Value::Unit,
            Type::Never => Value::Never,
            Type::Scalar(scalar) => Value::Scalar(var(self, hint.to_owned(), origin, CType::Scalar(*scalar)), *scalar),
            Type::Enum(choice) => {
                let c = self.output.types.value(ty);
                Value::Scalar(var(self, hint.to_owned(), origin, c), choice.repr)
            }
            Type::Slice { element, mutable } => {
                let pointer = self.output.types.memory(ty);
                let pointer = var(self, hint.to_owned(), origin, pointer);
                let len = var(self, format!("{hint}_len"), NameOrigin::Compiler, CType::USIZE);
                Value::Slice { pointer, len, element: (**element).clone(), mutable: *mutable }
            }
            Type::View { element, dimensions, mutable } => {
                let pointer = self.output.types.memory(ty);
                let pointer = var(self, hint.to_owned(), origin, pointer);
                let mut numbers = |what: &str| {
                    let hints = (0..*dimensions).map(|dimension| format!("{hint}_{what}_{dimension}"));
                    hints.map(|hint| var(self, hint, NameOrigin::Compiler, CType::USIZE)).collect()
                };
                let (lens, strides) = (numbers("len"), numbers("stride"));
                Value::View { pointer, lens, strides, element: (**element).clone(), mutable: *mutable }
            }
            Type::Ref { target, mutable: _ } => {
                let pointer = self.output.types.memory(ty);
                let pointer = var(self, hint.to_owned(), origin, pointer);
                Value::Place { lvalue: Expr::Deref(Box::new(pointer)), target: (**target).clone() }
            }
            Type::Tuple(parts) if split || !is_single_value(ty) => Value::Parts(
                parts
                    .iter()
                    .enumerate()
                    .map(|(i, part)| self.vars_of_part(&format!("{hint}_{i}"), part, declared))
                    .collect(),
            ),
            Type::Struct(structure) if (split && is_split(ty)) || !is_single_value(ty) => Value::Parts(
                structure
                    .fields
                    .iter()
                    .map(|field| self.vars_of_part(&format!("{hint}_{}", field.name), &field.ty, declared))
                    .collect(),
            ),
            Type::Array(element, len) if element.has_references() => {
                Value::Parts((0..*len).map(|i| self.vars_of_part(&format!("{hint}_{i}"), element, declared)).collect())
            }
            Type::Tuple(_) | Type::Struct(_) | Type::Array(..) => {
                let c = self.output.types.value(ty);
                Value::Whole(var(self, hint.to_owned(), origin, c), ty.clone())
            }
        }
    }
}

impl Lowering<'_, '_> {
    /// Creates the C variables for a part of a value that is split. A `bool` that can be borrowed is a byte.
    fn vars_of_part(&mut self, hint: &str, ty: &Type, declared: Declared) -> Value {
        let Declared { constant, stable, split } = declared;
        if split || *ty != Type::BOOL {
            return self.vars_of(hint, NameOrigin::Compiler, ty, declared);
        }
        let (hint, ty) = (hint.to_owned(), CType::Scalar(Scalar::U8));
        let var = self.var(Variable { hint, origin: NameOrigin::Compiler, ty, constant, stable });
        Value::Place { lvalue: Expr::Var(var), target: Type::BOOL }
    }
}

/// Returns what a variable of a parameter is in the user's terms; `None` if it is a pointer, or a value as a whole.
fn quantity(var: VarId, name: &str, ty: &Type, value: &Value) -> Option<Quantity> {
    let is_var = |expr: &Expr| matches!(expr, Expr::Var(of) if *of == var);
    match (value, ty) {
        (Value::Scalar(expr, _), _) => is_var(expr).then(|| Quantity::Argument(name.to_owned())),
        (Value::Slice { len, .. }, _) => is_var(len).then(|| Quantity::Length(name.to_owned())),
        (Value::View { lens, strides, .. }, _) => {
            let len = lens.iter().position(is_var).map(|dimension| Quantity::Shape(name.to_owned(), dimension));
            len.or_else(|| {
                strides.iter().position(is_var).map(|dimension| Quantity::Stride(name.to_owned(), dimension))
            })
        }
        (Value::Parts(parts), Type::Tuple(types)) => {
            let mut parts = types.iter().zip(parts).enumerate();
            parts.find_map(|(position, (ty, part))| quantity(var, &format!("{name}.{position}"), ty, part))
        }
        (Value::Parts(parts), Type::Struct(structure)) => {
            let mut parts = structure.fields.iter().zip(parts);
            parts.find_map(|(field, part)| quantity(var, &format!("{name}.{}", field.name), &field.ty, part))
        }
        (Value::Parts(parts), Type::Array(element, _)) => {
            let mut parts = parts.iter().enumerate();
            parts.find_map(|(position, part)| quantity(var, &format!("{name}[{position}]"), element, part))
        }
        (Value::Parts(_) | Value::Whole(..) | Value::Place { .. } | Value::Unit | Value::Never, _) => None,
    }
}

/// Replaces a view's strides by those of a contiguous row-major view, which are determined by its lengths.
fn contiguous(value: Value) -> Value {
    match value {
        Value::View { pointer, lens, strides: _, element, mutable } => {
            let mut strides = vec![Expr::int(Scalar::Usize, 1); lens.len().min(1)];
            for len in lens.iter().skip(1).rev() {
                let next = match &strides[0] {
                    Expr::Literal(_, 1) => len.clone(),
                    stride => Expr::binary(Operator::Mul, len.clone(), stride.clone()),
                };
                strides.insert(0, next);
            }
            Value::View { pointer, lens, strides, element, mutable }
        }
        Value::Parts(parts) => Value::Parts(parts.into_iter().map(contiguous).collect()),
        other => other,
    }
}

/// The declaration of the C variables of a value.
#[derive(Clone, Copy)]
pub(super) struct Declared {
    /// `const`
    pub(super) constant: bool,
    /// See [`Variable::stable`].
    pub(super) stable: bool,
    /// Whether a tuple or a `Dim3` is split into one variable per field.
    pub(super) split: bool,
}
