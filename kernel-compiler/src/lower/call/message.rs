//! Lowering of panics and prints. The format string stays on the host; a thread transfers only the arguments.

use crate::ir::{Message, Scalar, Span, Text, Type};
use crate::source::{PANIC_ARGS, SiteKind};

use crate::lower::function::Lowering;
use crate::lower::value::Value;
use crate::lower::{Expr, Operator, StmtKind, Template};

impl Lowering<'_, '_> {
    /// `panic!(..)`
    pub(in crate::lower) fn panic(&mut self, message: &Message, span: Span) {
        let Some((text, args)) = self.message(message, PANIC_ARGS) else { return };
        if !args.is_empty() {
            self.output.templates.insert(Template::Panic);
        }
        let site = self.site(SiteKind::Panic(text), span);
        self.push(StmtKind::Fault { site, args });
    }

    /// `println!(..)`
    pub(in crate::lower) fn print(&mut self, message: &Message, span: Span) {
        let Some((text, args)) = self.message(message, usize::MAX) else { return };
        self.output.templates.insert(Template::Print);
        self.summary.writes = true;
        let site = self.record_site(SiteKind::Print(text), span);
        self.push(StmtKind::Print { site, args });
    }

    /// Returns a message and the words of its arguments, at most `most` of which are recorded; `None` if one diverges.
    fn message(&mut self, message: &Message, most: usize) -> Option<(Text, Vec<Expr>)> {
        let Message { pieces, args } = message;
        let mut text = Text { pieces: pieces.clone(), args: Vec::new() };
        let mut words = Vec::new();
        for (value, arg) in self.operands(args).into_iter().zip(args) {
            let ty = self.ty(*arg).target().clone();
            let value = self.load(value);
            let value = match value {
                Value::Never => return None,
                // Its parts are read from one copy.
                Value::Whole(..) => self.store_in_temporary(value, &ty, false),
                value => value,
            };
            self.words(value, &ty, &mut words)?;
            text.args.push(ty);
        }
        // Words that are not recorded may still fault.
        for word in words.split_off(words.len().min(most)) {
            if self.can_fault(&word) {
                self.push(StmtKind::Expr(word));
            }
        }
        Some((text, words))
    }

    /// Appends the words of a value of type `ty`, in the order of [`Type::words`]; `None` if it diverges.
    fn words(&mut self, value: Value, ty: &Type, words: &mut Vec<Expr>) -> Option<()> {
        match ty.target() {
            Type::Scalar(_) | Type::Enum(_) => {
                let Value::Scalar(word, _) = self.load(value) else { return None };
                words.push(word);
            }
            ty if let Some(tag) = ty.tag() => {
                let variants: Vec<u64> = tag.variants.iter().map(|variant| variant.bits).collect();
                let repr = tag.repr;
                let of_tag = self.project(value.clone(), ty, 0);
                let Value::Scalar(of_tag, _) = self.load(of_tag) else { return None };
                words.push(of_tag.clone());
                for (variant, bits) in variants.into_iter().enumerate() {
                    let Some(payload_type) = ty.payload(variant) else { continue };
                    let payload = self.project(value.clone(), ty, variant + 1);
                    for (_, position, of) in ty.payload_fields(variant) {
                        let field = match position {
                            Some(position) => self.project(payload.clone(), payload_type, position),
                            None => payload.clone(),
                        };
                        let mut of_field = Vec::new();
                        self.words(field, of, &mut of_field)?;
                        let scalars = scalars(of);
                        // The payload of another variant is not initialised.
                        words.extend(of_field.into_iter().zip(scalars).map(|(word, scalar)| {
                            let is_active = Expr::binary(Operator::Eq, of_tag.clone(), Expr::Literal(repr, bits));
                            Expr::conditional(is_active, word, Expr::Literal(scalar, 0))
                        }));
                    }
                }
            }
            Type::Tuple(parts) => {
                for (position, part) in parts.iter().enumerate() {
                    let value = self.project(value.clone(), ty, position);
                    self.words(value, part, words)?;
                }
            }
            Type::Struct(structure) => {
                for (position, field) in structure.fields.iter().enumerate() {
                    let value = self.project(value.clone(), ty, position);
                    self.words(value, &field.ty, words)?;
                }
            }
            Type::Array(element, len) if element.words() != Some(0) => {
                let (Value::Place { lvalue: array, target: _ } | Value::Whole(array, _)) = value else { return None };
                for position in 0..*len {
                    let lvalue = Expr::index(array.clone(), Expr::int(Scalar::Usize, position));
                    self.words(Value::Place { lvalue, target: (**element).clone() }, element, words)?;
                }
            }
            // The others are not arguments of messages.
            Type::Array(..) | Type::Unit | Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => {}
        }
        Some(())
    }
}

/// Returns the scalar of each word of a value.
fn scalars(ty: &Type) -> Vec<Scalar> {
    match ty.target() {
        Type::Scalar(scalar) => vec![*scalar],
        Type::Enum(choice) => vec![choice.repr],
        ty if let Some(tag) = ty.tag() => {
            let payloads = (0..tag.variants.len()).flat_map(|variant| ty.payload_fields(variant));
            [tag.repr].into_iter().chain(payloads.flat_map(|(_, _, of)| scalars(of))).collect()
        }
        Type::Tuple(parts) => parts.iter().flat_map(scalars).collect(),
        Type::Struct(structure) => structure.fields.iter().flat_map(|field| scalars(&field.ty)).collect(),
        Type::Array(element, len) => {
            let of_element = scalars(element);
            (0..*len).flat_map(|_| of_element.clone()).collect()
        }
        Type::Unit | Type::Never | Type::Slice { .. } | Type::View { .. } | Type::Ref { .. } => Vec::new(),
    }
}
