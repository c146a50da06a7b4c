//! The values of structs and tuples: those of their fields.

use std::rc::Rc;

use super::Walk;
use super::value::{Slot, Value};
use crate::lower::{CType, Expr, Layout, TypeId, TypeKind};

impl Walk<'_> {
    /// Returns the value of a struct with these members, in C's order.
    pub(in crate::prove) fn structure(&mut self, id: TypeId, values: Vec<Value>) -> Value {
        let Some(members) = self.members(id).filter(|members| members.len() == values.len()) else {
            return Value::Unknown;
        };
        let fields = members.into_iter().zip(values);
        Value::Struct(fields.map(|((position, ty), value)| (position, self.of_type(value, &ty))).collect())
    }

    /// Returns a value as one of a type: where nothing is known of an integer or a field, one of which nothing but its type is
    /// known, so that each read of it yields the same value.
    pub(in crate::prove) fn of_type(&mut self, value: Value, ty: &CType) -> Value {
        match (value, ty) {
            (Value::Unknown, CType::Scalar(scalar)) if scalar.is_integer() => self.in_memory(*scalar),
            (value, CType::Scalar(scalar)) if scalar.is_integer() => self.converted(value, *scalar),
            (Value::Struct(fields), CType::Named(_)) => Value::Struct(fields),
            (value, CType::Named(id)) => match &self.module.types[id.index()].kind {
                TypeKind::Enum { repr, .. } => match value {
                    Value::Int { .. } => self.converted(value, *repr),
                    _ => Value::Unknown,
                },
                TypeKind::Struct { .. } => {
                    let Some(members) = self.members(*id) else { return Value::Unknown };
                    let fields =
                        members.into_iter().map(|(position, ty)| (position, self.of_type(Value::Unknown, &ty)));
                    Value::Struct(fields.collect())
                }
            },
            _ => Value::Unknown,
        }
    }

    /// Returns the positions and the types of the members of a struct, in C's order; `None` if they overlap.
    fn members(&self, id: TypeId) -> Option<Vec<(usize, CType)>> {
        match &self.module.types[id.index()].kind {
            TypeKind::Struct { layout: Some(Layout { is_union: true, .. }), .. } | TypeKind::Enum { .. } => None,
            TypeKind::Struct { members, .. } => {
                Some(members.iter().map(|member| (member.position, member.ty.clone())).collect())
            }
        }
    }

    /// Assigns a value to a field of a variable; of elements and of what pointers refer to, nothing is known anyway.
    pub(in crate::prove) fn assign_field(&mut self, place: &Expr, value: Value) {
        let Some(slot) = Slot::of(place).filter(|slot| !slot.path.is_empty()) else { return };
        let value = match self.type_in(self.function(), place) {
            Some(ty) => self.of_type(value, &ty),
            None => Value::Unknown,
        };
        self.set(&slot, value);
    }

    /// Forgets the value of a slot.
    pub(super) fn forget(&mut self, slot: &Slot) {
        if slot.path.is_empty() {
            return self.assign(slot.var, Value::Unknown);
        }
        let Some(state) = &self.state else { return };
        let value = state.vars[slot.var.index()].field(&slot.path).cloned();
        let value = value.map_or(Value::Unknown, |value| self.another(&value));
        self.set(slot, value);
    }

    /// Returns a value of the same type, of which nothing else is known.
    fn another(&mut self, value: &Value) -> Value {
        match value {
            Value::Int { scalar, .. } => self.in_memory(*scalar),
            Value::Struct(fields) => {
                Value::Struct(fields.iter().map(|(position, field)| (*position, self.another(field))).collect())
            }
            Value::Unknown | Value::Bool(_) | Value::Array(_) => Value::Unknown,
        }
    }

    /// Changes the value of a field in the state.
    pub(super) fn set(&mut self, slot: &Slot, value: Value) {
        if let Some(state) = &mut self.state {
            let var = &mut state.vars[slot.var.index()];
            *var = Rc::new(var.with_field(&slot.path, value));
        }
    }
}
