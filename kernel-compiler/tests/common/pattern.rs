//! Patterns.

use cumbia_kernel_ir::{Filled, LocalId, Pattern, Type};

use super::body::Builder;
use super::items::member;

impl Builder<'_> {
    /// Builds a pattern for a value of type `of`, if that is known. Its variables are in scope from here on.
    pub(super) fn pattern(&mut self, pattern: &syn::Pat, of: Option<&Type>) -> Pattern {
        self.pattern_with(pattern, of, &[])
    }

    /// Builds a pattern that may reuse the variables of a preceding alternative: `a | b`.
    fn pattern_with(&mut self, pattern: &syn::Pat, of: Option<&Type>, known: &[(String, LocalId)]) -> Pattern {
        match pattern {
            syn::Pat::Type(typed) => {
                let of = self.items.ty(&typed.ty);
                self.pattern_with(&typed.pat, Some(&of), known)
            }
            syn::Pat::Paren(inner) => self.pattern_with(&inner.pat, of, known),
            syn::Pat::Wild(_) => Pattern::Wild,
            syn::Pat::Ident(name) => {
                let text = name.ident.to_string();
                if text.starts_with(char::is_uppercase) {
                    return self.constant_pattern(&name.ident.clone().into());
                }
                let local = match known.iter().find(|(known, _)| *known == text) {
                    Some((_, local)) => *local,
                    None => self.local(&text, name.mutability.is_some(), of.cloned().unwrap_or(Type::USIZE)),
                };
                match &name.subpat {
                    None => Pattern::Local(local),
                    Some((_, inner)) => Pattern::At(local, Box::new(self.pattern_with(inner, of, known))),
                }
            }
            syn::Pat::Tuple(parts) => {
                let types = match of {
                    Some(Type::Tuple(types)) => types.as_slice(),
                    _ => &[],
                };
                let parts = parts.elems.iter().enumerate();
                Pattern::Tuple(parts.map(|(i, part)| self.pattern_with(part, types.get(i), known)).collect())
            }
            syn::Pat::Struct(fields) => {
                let fields = fields.fields.iter().map(|field| (member(&field.member), &*field.pat));
                self.fields(fields, of, known)
            }
            syn::Pat::TupleStruct(fields) => {
                let fields = fields.elems.iter().enumerate();
                let fields = fields.filter(|(_, field)| !matches!(field, syn::Pat::Rest(_)));
                self.fields(fields.map(|(i, field)| (i.to_string(), field)), of, known)
            }
            syn::Pat::Slice(elements) => {
                let element = match of {
                    Some(Type::Array(element, _)) => Some(&**element),
                    _ => None,
                };
                Pattern::Array(elements.elems.iter().map(|part| self.pattern_with(part, element, known)).collect())
            }
            syn::Pat::Lit(lit) => Pattern::Literal(Self::literal(&lit.lit, false, of).0),
            syn::Pat::Path(path) => self.constant_pattern(&path.path),
            syn::Pat::Range(range) => {
                let mut bound = |bound: &Option<Box<syn::Expr>>| {
                    bound.as_deref().map(|bound| {
                        Box::new(match bound {
                            syn::Expr::Lit(lit) => Pattern::Literal(Self::literal(&lit.lit, false, of).0),
                            syn::Expr::Path(path) => self.constant_pattern(&path.path),
                            _ => panic!("unsupported bound of a range"),
                        })
                    })
                };
                let (start, end) = (bound(&range.start), bound(&range.end));
                Pattern::Range { start, end, inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)) }
            }
            syn::Pat::Or(choices) => {
                let depth = self.scope.len();
                let mut known = known.to_vec();
                let mut patterns = Vec::new();
                for choice in &choices.cases {
                    patterns.push(self.pattern_with(choice, of, &known));
                    known.extend_from_slice(&self.scope[depth..]);
                }
                Pattern::Or(patterns)
            }
            _ => panic!("unsupported pattern"),
        }
    }

    fn constant_pattern(&mut self, path: &syn::Path) -> Pattern {
        let constant = self.items.constant_of(path).expect("a constant");
        Pattern::Constant(self.slot(Filled::Constant(constant)))
    }

    fn fields<'p>(
        &mut self,
        fields: impl Iterator<Item = (String, &'p syn::Pat)>,
        of: Option<&Type>,
        known: &[(String, LocalId)],
    ) -> Pattern {
        let fields = fields.map(|(name, pattern)| {
            let of = match of {
                Some(Type::Struct(structure)) => structure.fields.iter().find(|field| field.name == name),
                _ => None,
            };
            let pattern = self.pattern_with(pattern, of.map(|field| &field.ty), known);
            (name, pattern)
        });
        Pattern::Struct { name: None, fields: fields.collect() }
    }
}
