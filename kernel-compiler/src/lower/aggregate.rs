//! Lowering of struct and array expressions.

use crate::ir::{ConstantValue, ExprId, Type};

use super::function::Lowering;
use super::types::is_empty;
use super::value::{Value, field_type};
use super::{Expr, Template};

/// The maximum length of an array that is emitted element by element.
const MAX_UNROLLED_LEN: u64 = 4;

/// The maximum length of an array of zeros that is emitted element by element.
const MAX_ZEROS: usize = 8;

impl Lowering<'_, '_> {
    /// `Point { x: 1.0, ..base }`
    pub(super) fn structure(
        &mut self,
        name: &str,
        fields: &[(String, ExprId)],
        base: Option<ExprId>,
        ty: &Type,
    ) -> Value {
        if let Type::Enum(choice) = ty {
            let bits = choice.variants.iter().find(|variant| variant.name == name).map(|variant| variant.bits);
            return bits.map_or(Value::Never, |bits| self.known(ty, &ConstantValue::Bits(bits)));
        }
        let mut values: Vec<Value> = Vec::with_capacity(fields.len() + 1);
        for (_, field) in fields {
            let mark = self.out.len();
            let value = self.value(*field);
            self.preserve(mark, &mut values);
            values.push(value);
        }
        let base = base.map(|base| {
            let base = self.place(&mut values, base);
            let mark = self.out.len();
            let base = self.once(base);
            self.preserve(mark, &mut values);
            base
        });
        if let Some(variant) = ty.variant(name) {
            let names = fields.iter().map(|(name, _)| name.as_str());
            return self.enum_value(ty, variant, &names.zip(values).collect::<Vec<_>>());
        }
        let id = self.output.types.id(ty);
        let positions: Vec<usize> = self.output.types.members_of(id).iter().map(|member| member.position).collect();
        let mut members = Vec::with_capacity(positions.len());
        for position in positions {
            let given = fields.iter().position(|(name, _)| super::value::position(ty, name) == position);
            let value = match (given, &base) {
                (Some(given), _) => std::mem::replace(&mut values[given], Value::Never),
                (None, Some(base)) => {
                    let field = self.project(base.clone(), ty, position);
                    self.load(field)
                }
                (None, None) => Value::Never,
            };
            match self.member(value, &field_type(ty, position)) {
                Some(member) => members.push(member),
                None => return Value::Never,
            }
        }
        Value::Whole(Expr::Struct(id, members), ty.clone())
    }

    /// Returns a value of an enum with data: a variant, with these fields.
    pub(super) fn enum_value(&mut self, ty: &Type, variant: usize, fields: &[(&str, Value)]) -> Value {
        let Some(bits) = ty.tag().map(|tag| tag.variants[variant].bits) else { return Value::Never };
        let tag = self.known(&field_type(ty, 0), &ConstantValue::Bits(bits));
        if let Type::Tuple(parts) = ty {
            // The payloads of the other variants are zero: a variable is never read before it is assigned.
            let payloads = parts.iter().enumerate().skip(1).map(|(position, of)| match fields {
                [(_, value)] if position == variant + 1 => value.clone(),
                _ => self.zero(of),
            });
            let payloads: Vec<Value> = payloads.collect();
            return Value::Parts([tag].into_iter().chain(payloads).collect());
        }
        let payload = field_type(ty, variant + 1);
        let id = self.output.types.id(&payload);
        let positions: Vec<usize> = self.output.types.members_of(id).iter().map(|member| member.position).collect();
        let known = ty.payload_fields(variant);
        let mut members = Vec::with_capacity(positions.len());
        for position in positions {
            let named = known.iter().find(|(_, known, _)| *known == Some(position));
            let given = named.and_then(|(name, _, _)| fields.iter().find(|(given, _)| given == name));
            let value = given.map_or_else(|| tag.clone(), |(_, value)| value.clone());
            match self.member(value, &field_type(&payload, position)) {
                Some(member) => members.push(member),
                None => return Value::Never,
            }
        }
        let payload = Expr::Struct(id, members);
        Value::Whole(Expr::Struct(self.output.types.id(ty), vec![payload]), ty.clone())
    }

    /// Returns the value of a type whose bits are all zero.
    fn zero(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Scalar(scalar) => Value::Scalar(Expr::Literal(*scalar, 0), *scalar),
            Type::Enum(choice) => Value::Scalar(Expr::Literal(choice.repr, 0), choice.repr),
            Type::Tuple(parts) => Value::Parts(parts.iter().map(|part| self.zero(part)).collect()),
            ty if is_empty(ty) => self.empty(ty),
            Type::Struct(_) => Value::Whole(Expr::Struct(self.output.types.id(ty), Vec::new()), ty.clone()),
            Type::Array(element, len) => {
                let zero = self.zero(element);
                let Some(zero) = self.member(zero, element) else { return Value::Never };
                self.output.types.arrays = true;
                let element = self.output.types.memory(element);
                let array = match usize::try_from(*len) {
                    Ok(len) if len <= MAX_ZEROS => Expr::Array(element, vec![zero; len]),
                    _ => {
                        self.output.templates.insert(Template::Filled);
                        Expr::Filled(element, *len, Box::new(zero))
                    }
                };
                Value::Whole(array, ty.clone())
            }
            // An enum holds no handles.
            Type::Unit | Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => Value::Never,
        }
    }

    pub(super) fn array_of(&mut self, elements: &[ExprId], ty: &Type) -> Value {
        let values = self.operands(elements);
        self.array(values, ty)
    }

    /// `[x, y]`
    fn array(&mut self, values: Vec<Value>, ty: &Type) -> Value {
        let Type::Array(element, _) = ty else { return Value::Never };
        let mut elements = Vec::with_capacity(values.len());
        for value in values {
            match self.member(value, element) {
                Some(element) => elements.push(element),
                None => return Value::Never,
            }
        }
        self.output.types.arrays = true;
        let element = self.output.types.memory(element);
        Value::Whole(Expr::Array(element, elements), ty.clone())
    }

    /// `[x; N]`
    pub(super) fn repeat(&mut self, value: ExprId, ty: &Type) -> Value {
        let value = self.value(value);
        let Type::Array(element, len) = ty else { return Value::Never };
        if *len <= MAX_UNROLLED_LEN {
            let value = self.once(value);
            let value = match value {
                Value::Scalar(expr, scalar) if *len != 1 => {
                    Value::Scalar(self.saved_expr("value", expr, super::CType::Scalar(scalar)), scalar)
                }
                value => value,
            };
            let elements = usize::try_from(*len).unwrap_or(0);
            return self.array(vec![value; elements], ty);
        }
        let Some(value) = self.member(value, element) else { return Value::Never };
        self.output.types.arrays = true;
        self.output.templates.insert(Template::Filled);
        let element = self.output.types.memory(element);
        Value::Whole(Expr::Filled(element, *len, Box::new(value)), ty.clone())
    }
}
