//! Lowering of constants: scalars are emitted inline; constants that contain an array are stored, so that they can be
//! indexed at run time.

use std::collections::HashMap;

use crate::ir::{self, ConstantValue, EnumType, ExprId, ExprKind, Filled, Scalar, StructType, Type, variant_of};

use super::function::Lowering;
use super::value::{Value, field_type, position};
use super::{Constant, ConstantId, Expr};

/// The stored constants of a program.
#[derive(Default)]
pub(super) struct Constants {
    pub(super) defs: Vec<Constant>,
    /// Used only for look-up, so its iteration order does not matter.
    ids: HashMap<(Type, ConstantValue), ConstantId>,
}

impl<'a> Lowering<'a, '_> {
    /// Returns the value of a constant.
    pub(super) fn constant_value(&mut self, constant: &ir::Constant) -> Value {
        let ir::Constant { ty, value } = constant;
        self.known(ty, value)
    }

    /// Returns the value of a field of a constant, which is itself a constant.
    pub(super) fn constant_field(&self, id: ExprId) -> Option<(&'a Type, &'a ConstantValue)> {
        match &self.expr(id).kind {
            ExprKind::Constant(slot) => match &self.typed.instance.slots[slot.index()] {
                Filled::Constant(constant) => Some((&constant.ty, &constant.value)),
                Filled::Type(_) | Filled::Callee(_) | Filled::Operator(_) => None,
            },
            ExprKind::Field { base, name } => {
                let (ty, ConstantValue::Parts(parts)) = self.constant_field(*base)? else { return None };
                if ty.tag().is_some() {
                    return None;
                }
                let position = position(ty, name);
                let ty = match ty {
                    Type::Struct(StructType { fields, .. }) => &fields.get(position)?.ty,
                    Type::Tuple(types) => types.get(position)?,
                    _ => return None,
                };
                Some((ty, parts.get(position)?))
            }
            _ => None,
        }
    }

    /// Returns a value that rustc computed.
    pub(super) fn known(&mut self, ty: &Type, value: &ConstantValue) -> Value {
        match (ty, value) {
            (Type::Scalar(scalar), ConstantValue::Bits(bits)) => Value::Scalar(Expr::Literal(*scalar, *bits), *scalar),
            (Type::Enum(choice), ConstantValue::Bits(bits)) => {
                Value::Scalar(self.variant(ty, choice, *bits), choice.repr)
            }
            (ty, ConstantValue::Parts(_)) if ty.tag().is_some() => self.known_variant(ty, value, false),
            (Type::Tuple(types), ConstantValue::Parts(values)) => {
                Value::Parts(types.iter().zip(values).map(|(ty, value)| self.known(ty, value)).collect())
            }
            (Type::Unit, _) => Value::Unit,
            (Type::Struct(_) | Type::Array(..), ConstantValue::Parts(_)) => {
                let expr =
                    if contains_array(ty) { Expr::Constant(self.stored(ty, value)) } else { self.braces(ty, value) };
                Value::Whole(expr, ty.clone())
            }
            // `typify` has checked that the value belongs to the type.
            _ => Value::Never,
        }
    }

    /// Returns a constant of an enum with data; `braced` for one that is part of a braced initialiser.
    fn known_variant(&mut self, ty: &Type, value: &ConstantValue, braced: bool) -> Value {
        let Some((variant, _, payload)) = variant_of(ty, value) else { return Value::Never };
        let mut fields = Vec::new();
        for (name, position, of) in ty.payload_fields(variant) {
            let of_field = match (position, payload) {
                (Some(position), ConstantValue::Parts(parts)) => parts.get(position),
                _ => Some(payload),
            };
            let Some(of_field) = of_field else { return Value::Never };
            let field = match of {
                Type::Struct(_) | Type::Array(..) | Type::Tuple(_) if braced => {
                    Value::Whole(self.braces(of, of_field), of.clone())
                }
                _ => self.known(of, of_field),
            };
            fields.push((name, field));
        }
        self.enum_value(ty, variant, &fields)
    }

    /// Returns the variant of an enum.
    fn variant(&mut self, ty: &Type, choice: &EnumType, bits: u64) -> Expr {
        match choice.variants.iter().position(|variant| variant.bits == bits) {
            Some(position) => Expr::Variant(self.output.types.id(ty), position),
            None => Expr::Literal(choice.repr, bits),
        }
    }

    /// Returns the storage of a constant. Constants of equal type and value share it.
    fn stored(&mut self, ty: &Type, value: &ConstantValue) -> ConstantId {
        let key = (ty.clone(), value.clone());
        if let Some(id) = self.output.constants.ids.get(&key) {
            return *id;
        }
        let def =
            Constant { ty: self.output.types.memory(ty), value: self.braces(ty, value), size: ty.size().unwrap_or(0) };
        let id = ConstantId(self.output.constants.defs.len() as u32);
        self.output.constants.defs.push(def);
        self.output.constants.ids.insert(key, id);
        id
    }

    /// Returns the braced initialiser of the constant's in-memory representation.
    fn braces(&mut self, ty: &Type, value: &ConstantValue) -> Expr {
        match (ty, value) {
            (Type::Scalar(Scalar::Bool), ConstantValue::Bits(bits)) => Expr::Literal(Scalar::U8, *bits),
            (Type::Scalar(scalar), ConstantValue::Bits(bits)) => Expr::Literal(*scalar, *bits),
            (Type::Enum(choice), ConstantValue::Bits(bits)) => self.variant(ty, choice, *bits),
            (Type::Array(element, _), ConstantValue::Parts(values)) => {
                let values = values.iter().map(|value| self.braces(element, value)).collect();
                self.output.types.arrays = true;
                Expr::Array(self.output.types.memory(element), values)
            }
            (ty, ConstantValue::Parts(_)) if ty.tag().is_some() => {
                let value = self.known_variant(ty, value, true);
                self.whole(value, ty).unwrap_or(Expr::Literal(Scalar::U8, 0))
            }
            (_, ConstantValue::Parts(values)) => {
                let id = self.output.types.id(ty);
                let positions: Vec<usize> =
                    self.output.types.members_of(id).iter().map(|member| member.position).collect();
                let members = positions.into_iter().filter_map(|position| {
                    values.get(position).map(|value| self.braces(&field_type(ty, position), value))
                });
                Expr::Struct(id, members.collect())
            }
            (_, ConstantValue::Bits(bits)) => Expr::Literal(Scalar::U8, *bits),
        }
    }
}

fn contains_array(ty: &Type) -> bool {
    match ty {
        Type::Array(..) => true,
        Type::Struct(StructType { fields, .. }) => fields.iter().any(|field| contains_array(&field.ty)),
        Type::Tuple(parts) => parts.iter().any(contains_array),
        Type::Unit
        | Type::Never
        | Type::Scalar(_)
        | Type::Enum(_)
        | Type::Slice { .. }
        | Type::View { .. }
        | Type::Ref { .. } => false,
    }
}
