//! Preservation of values: values evaluated before a side effect are not changed by it.

use crate::ir::Type;

use crate::lower::function::Lowering;
use crate::lower::value::Value;
use crate::lower::{CType, CallTarget, Expr, Summary};

impl Lowering<'_, '_> {
    /// Returns whether an expression always yields the same value and cannot fault, so that its evaluation can be
    /// delayed.
    pub(in crate::lower) fn is_stable(&self, expr: &Expr) -> bool {
        let itself = match expr {
            Expr::Var(var) => self.vars[var.index()].stable,
            Expr::Index(base, _) => !self.is_pointer(base),
            Expr::Deref(_) => false,
            Expr::Call(callee, _) => match callee {
                CallTarget::Helper(helper, site) => site.is_none() && !helper.op.has_effect(),
                CallTarget::Builtin(_) => true,
                CallTarget::Outputs(_)
                | CallTarget::Effect(_)
                | CallTarget::Load { .. }
                | CallTarget::LoadIf
                | CallTarget::Inside { .. } => false,
                CallTarget::Function(id, _) => {
                    let Summary { writes, reads, faults, takes_launch } = self.output.summaries[id.index()];
                    !writes && !reads && !faults && !takes_launch
                }
            },
            Expr::AddressOf(place) => return self.is_place_stable(place),
            Expr::Literal(..)
            | Expr::Special(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Conditional(..)
            | Expr::Field(..)
            | Expr::Struct(..)
            | Expr::Array(..)
            | Expr::Filled(..)
            | Expr::Variant(..)
            | Expr::Constant(_) => true,
        };
        let mut stable = itself;
        expr.for_each_child(&mut |child| stable &= self.is_stable(child));
        stable
    }

    /// Returns whether an lvalue always denotes the same place, whatever is stored there.
    pub(in crate::lower) fn is_place_stable(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(_) => true,
            Expr::Field(base, _, _) => self.is_place_stable(base),
            Expr::Index(base, index) if self.is_pointer(base) => self.is_stable(base) && self.is_stable(index),
            Expr::Index(base, index) => self.is_place_stable(base) && self.is_stable(index),
            Expr::Deref(pointer) => self.is_stable(pointer),
            other => self.is_stable(other),
        }
    }

    /// Returns whether an expression can fault, so that it cannot be omitted.
    pub(in crate::lower) fn can_fault(&self, expr: &Expr) -> bool {
        let mut faults = match expr {
            Expr::Call(CallTarget::Helper(_, site), _) => site.is_some(),
            Expr::Call(CallTarget::Function(id, _), _) => self.output.summaries[id.index()].faults,
            _ => false,
        };
        expr.for_each_child(&mut |child| faults |= self.can_fault(child));
        faults
    }

    /// Saves, in constants declared at `mark`, the values that statements appended after `mark` could change.
    pub(in crate::lower) fn preserve(&mut self, mark: usize, values: &mut [Value]) {
        if self.out.len() > mark {
            let later = self.out.split_off(mark);
            for value in values {
                let taken = std::mem::replace(value, Value::Never);
                *value = self.saved(taken);
            }
            self.out.extend(later);
        }
    }

    /// Returns the value in its current state, independent of later side effects.
    pub(in crate::lower) fn saved(&mut self, value: Value) -> Value {
        match value {
            Value::Scalar(expr, scalar) => Value::Scalar(self.saved_expr("saved", expr, CType::Scalar(scalar)), scalar),
            Value::Whole(expr, ty) => {
                let c = self.output.types.value(&ty);
                Value::Whole(self.saved_expr("saved", expr, c), ty)
            }
            Value::Parts(parts) => Value::Parts(parts.into_iter().map(|part| self.saved(part)).collect()),
            Value::Slice { pointer, len, element, mutable } => {
                let pointer = self.saved_pointer(pointer, &element, mutable);
                let len = self.saved_expr("saved_len", len, CType::USIZE);
                Value::Slice { pointer, len, element, mutable }
            }
            Value::View { pointer, lens, strides, element, mutable } => {
                let pointer = self.saved_pointer(pointer, &element, mutable);
                let mut saved = |exprs: Vec<Expr>, hint| -> Vec<Expr> {
                    exprs.into_iter().map(|expr| self.saved_expr(hint, expr, CType::USIZE)).collect()
                };
                let (lens, strides) = (saved(lens, "saved_len"), saved(strides, "saved_stride"));
                Value::View { pointer, lens, strides, element, mutable }
            }
            Value::Place { lvalue, target } => Value::Place { lvalue: self.preserved_place(lvalue), target },
            Value::Never | Value::Unit => value,
        }
    }

    fn saved_pointer(&mut self, pointer: Expr, element: &Type, mutable: bool) -> Expr {
        let ty = CType::pointer(self.output.types.memory(element), mutable);
        self.saved_expr("saved", pointer, ty)
    }

    /// Returns the current value of a scalar.
    pub(in crate::lower) fn saved_expr(&mut self, hint: &str, expr: Expr, ty: CType) -> Expr {
        if self.is_stable(&expr) { expr } else { self.constant(hint, ty, expr) }
    }

    /// Returns an lvalue that always denotes the same place and is cheap to evaluate repeatedly: its indices are
    /// variables and literals.
    pub(in crate::lower) fn preserved_place(&mut self, place: Expr) -> Expr {
        match place {
            Expr::Index(base, index) => {
                let base = if let Some(ty) = self.pointer_type(&base) {
                    self.saved_expr("saved", *base, ty)
                } else {
                    self.preserved_place(*base)
                };
                let simple = matches!(*index, Expr::Var(_) | Expr::Literal(..)) && self.is_stable(&index);
                let index = if simple { *index } else { self.constant("at", CType::USIZE, *index) };
                Expr::index(base, index)
            }
            Expr::Field(base, id, position) => Expr::field(self.preserved_place(*base), id, position),
            Expr::Deref(pointer) => match self.pointer_type(&pointer) {
                Some(ty) => Expr::Deref(Box::new(self.saved_expr("saved", *pointer, ty))),
                None => Expr::Deref(pointer),
            },
            place => place,
        }
    }
}
