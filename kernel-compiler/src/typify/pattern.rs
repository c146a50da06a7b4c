//! Type resolution of patterns.

use crate::Diagnostic;
use crate::ir::{Pattern, Scalar, Span, StructType, Type};

use super::expr::Typing;

impl Typing<'_, '_, '_> {
    /// Checks that a pattern is compatible with a value of type `ty`, and its variables with the values that they bind.
    pub(super) fn pattern(&mut self, pattern: &Pattern, ty: &Type, span: Span) {
        // A diverging scrutinee.
        if *ty == Type::Never {
            return;
        }
        match pattern {
            Pattern::Wild => {}
            Pattern::Local(local) => {
                let typed = self.function;
                self.require(ty, typed.local_type(*local), "the value of a `let`", span);
            }
            Pattern::At(local, inner) => {
                let typed = self.function;
                self.require(ty, typed.local_type(*local), "the value of a binding", span);
                self.pattern(inner, ty, span);
            }
            Pattern::Tuple(patterns) => match ty {
                Type::Unit if patterns.is_empty() => {}
                Type::Tuple(parts) if patterns.len() == parts.len() => {
                    for (pattern, part) in patterns.iter().zip(parts) {
                        self.pattern(pattern, part, span);
                    }
                }
                _ => {
                    self.wrong(span, format!("a pattern of {} parts for `{ty}`", patterns.len()));
                }
            },
            Pattern::Struct { name: Some(name), fields } if ty.tag().is_some() => {
                self.variant(name, fields, ty, span);
            }
            // `None`, which is recognised by its name.
            Pattern::Struct { name: Some(name), fields } if let Type::Enum(choice) = ty => {
                if !fields.is_empty() || !choice.variants.iter().any(|variant| variant.name == *name) {
                    self.no_variant(name, ty, span);
                }
            }
            Pattern::Struct { name: _, fields: patterns } => {
                // `(a, ..)` and `[a, ..]` refer to their leading elements by index.
                let field = |name: &str| match ty {
                    Type::Struct(StructType { fields, .. }) => {
                        fields.iter().find(|field| field.name == name).map(|field| &field.ty)
                    }
                    Type::Tuple(parts) => name.parse::<usize>().ok().and_then(|position| parts.get(position)),
                    Type::Array(element, len) => {
                        name.parse::<u64>().ok().filter(|position| position < len).map(|_| &**element)
                    }
                    _ => None,
                };
                if !matches!(ty, Type::Struct(_) | Type::Tuple(_) | Type::Array(..)) {
                    self.wrong(span, format!("a pattern of fields for `{ty}`"));
                    return;
                }
                for (i, (name, pattern)) in patterns.iter().enumerate() {
                    let twice = patterns[..i].iter().any(|(earlier, _)| earlier == name);
                    match field(name) {
                        Some(field) if !twice => self.pattern(pattern, field, span),
                        Some(_) => {
                            self.wrong(span, format!("a pattern names `{name}` twice"));
                        }
                        None => {
                            self.wrong(span, format!("`{ty}` has no field `{name}`"));
                        }
                    }
                }
            }
            Pattern::Array(patterns) => match ty {
                Type::Array(element, len) if patterns.len() as u64 == *len => {
                    for pattern in patterns {
                        self.pattern(pattern, element, span);
                    }
                }
                _ => {
                    self.wrong(span, format!("a pattern of {} elements for `{ty}`", patterns.len()));
                }
            },
            Pattern::Literal(value) => {
                self.literal(value, ty.clone(), span);
            }
            Pattern::Constant(slot) => {
                if let Some(constant) = self.scope.slot_constant(*slot) {
                    self.require(&constant.ty, ty, "the constant of a pattern", span);
                }
            }
            Pattern::Range { start, end, inclusive: _ } => {
                if !matches!(ty, Type::Scalar(scalar) if *scalar != Scalar::Bool) {
                    self.wrong(span, format!("a pattern that is a range for `{ty}`"));
                    return;
                }
                for bound in [start, end].into_iter().flatten() {
                    self.pattern(bound, ty, span);
                }
            }
            Pattern::Or(choices) => {
                for choice in choices {
                    self.pattern(choice, ty, span);
                }
            }
        }
    }

    /// Checks the pattern of a variant of an enum with data.
    fn variant(&mut self, name: &str, fields: &[(String, Pattern)], ty: &Type, span: Span) {
        let Some(variant) = ty.variant(name) else { return self.no_variant(name, ty, span) };
        let known = ty.payload_fields(variant);
        for (i, (field, pattern)) in fields.iter().enumerate() {
            let twice = fields[..i].iter().any(|(earlier, _)| earlier == field);
            match known.iter().find(|(known, _, _)| known == field) {
                Some((_, _, of)) if !twice => self.pattern(pattern, of, span),
                _ => {
                    self.wrong(span, format!("a pattern of `{ty}::{name}` names `{field}`"));
                }
            }
        }
    }

    /// Reports a name of a variant that the type does not have: an import that renames the variant, which the macro
    /// does not see.
    pub(super) fn no_variant(&mut self, name: &str, ty: &Type, span: Span) {
        self.scope.error(
            span,
            Diagnostic::new(
                format!("`{ty}` has no variant `{name}`"),
                "the name of a variant with data is matched with the declared name, and `use Shape::Circle as Round` renames it",
                "write the declared name: `Shape::Circle(radius)`",
            ),
        );
    }
}
