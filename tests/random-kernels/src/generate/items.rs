//! Constants, structs, enums and their `impl`s.

use std::fmt::Write;
use std::rc::Rc;

use super::Generator;
use super::call::Param;
use crate::tree::Impl;
use crate::types::{Enum, Int, Range, Struct, Type, Variant};

/// The overloadable operators of structs: the token, the trait, and its method.
const OPERATORS: [(&str, &str, &str); 5] =
    [("+", "Add", "add"), ("-", "Sub", "sub"), ("*", "Mul", "mul"), ("^", "BitXor", "bitxor"), ("/", "Div", "div")];

impl Generator<'_> {
    pub(super) fn declare_constants(&mut self, items: &mut Vec<String>) {
        for _ in 0..self.random.below(4) {
            let name = self.fresh("C");
            let ty = self.scalar_type();
            let (text, range) = match &ty {
                Type::Int(int) => {
                    let value = self.interesting(int.range());
                    (value.to_string(), Range::one(value))
                }
                _ => (self.value_text(&ty), Range::NONE),
            };
            items.push(format!("pub const {name}: {ty} = {text};"));
            self.constants.push((name, ty, range));
        }
    }

    /// Declares structs and enums.
    pub(super) fn declare_types(&mut self, items: &mut Vec<String>) {
        for _ in 0..self.random.below(2) {
            let name = self.fresh("E");
            let repr =
                self.random.percent(60).then(|| *self.random.pick(&[Int::U8, Int::I16, Int::I32, Int::U32, Int::U64]));
            let mut next = 0i128;
            let mut variants = Vec::new();
            let mut text = String::new();
            // A single-variant enum needs an explicit `repr`.
            let count = if repr.is_some() { 1 } else { 2 } + self.random.below(4);
            for letter in &["Ash", "Birch", "Cedar", "Elm", "Fir"][..count] {
                let chosen = repr.is_some() && self.random.percent(30);
                if chosen {
                    next += self.random.within(0, 20);
                }
                variants.push(Variant { name: String::from(*letter), payload: vec![] });
                let _ = if chosen { writeln!(text, "    {letter} = {next},") } else { writeln!(text, "    {letter},") };
                next += 1;
            }
            let repr_text = repr.map_or(String::new(), |repr| format!("#[repr({})]\n", repr.name()));
            items.push(format!(
                "#[derive(Clone, Copy, Debug, Eq, DeviceType)]\n#[device(PartialEq)]\n{repr_text}pub enum {name} {{\n{text}}}"
            ));
            self.types.push(Type::Enum(Rc::new(Enum { path: name.clone(), name, variants, declared: true })));
        }
        for _ in 0..self.random.below(3) {
            let name = self.fresh("S");
            let tuple = self.random.percent(25);
            let fields: Vec<(String, Type)> = (0..=self.random.below(4))
                .map(|i| {
                    let field = if tuple { i.to_string() } else { ["left", "top", "mass", "flags"][i].to_owned() };
                    (field, self.field_type())
                })
                .collect();
            let text: Vec<String> = fields
                .iter()
                .map(|(field, ty)| if tuple { format!("pub {ty}") } else { format!("pub {field}: {ty}") })
                .collect();
            let text = text.join(", ");
            let body = if tuple { format!("({text});") } else { format!(" {{ {text} }}") };
            items.push(format!("#[derive(Clone, Copy, Debug, DeviceType)]\npub struct {name}{body}"));
            self.types.push(Type::Struct(Rc::new(Struct { name, fields })));
        }
        if self.random.percent(25) {
            self.declare_enum_with_data(items);
        }
    }

    /// Declares an enum with data, whose payloads are scalars and arrays, or structs.
    fn declare_enum_with_data(&mut self, items: &mut Vec<String>) {
        let name = self.fresh("D");
        let repr = *self.random.pick(&["u8", "i16", "u32", "u64", "C", "C, u8"]);
        let mut comparable = true;
        let count = 2 + self.random.below(3);
        let variants: Vec<Variant> = ["Oak", "Pine", "Rowan", "Yew"][..count]
            .iter()
            .enumerate()
            .map(|(i, variant)| {
                let len = if i == 0 { self.random.below(2) } else { self.random.below(4) };
                let len = if i == 1 { len.max(1) } else { len };
                let payload: Vec<Type> = (0..len).map(|_| self.field_type()).collect();
                comparable &= payload.iter().all(|part| part.is_scalar() || matches!(part, Type::Array(..)));
                Variant { name: (*variant).to_owned(), payload }
            })
            .collect();
        let text: String = variants.iter().fold(String::new(), |mut text, Variant { name, payload }| {
            let parts: Vec<String> = payload.iter().map(Type::to_string).collect();
            let payload = if parts.is_empty() { String::new() } else { format!("({})", parts.join(", ")) };
            let _ = writeln!(text, "    {name}{payload},");
            text
        });
        let derived = if comparable { "#[device(PartialEq)]\n" } else { "" };
        items.push(format!(
            "#[derive(Clone, Copy, Debug, DeviceType)]\n{derived}#[repr({repr})]\npub enum {name} {{\n{text}}}"
        ));
        let choice = Rc::new(Enum { path: name.clone(), name, variants, declared: true });
        if comparable {
            self.comparable.push(Type::Enum(Rc::clone(&choice)));
        }
        self.types.push(Type::Enum(choice));
    }

    /// Returns a type that device memory can hold.
    pub(super) fn field_type(&mut self) -> Type {
        match self.random.below(10) {
            0..2 => Type::Array(Box::new(self.scalar_type()), 1 + self.random.below(4)),
            2 if !self.types.is_empty() => self.random.pick(&self.types).clone(),
            _ => self.scalar_type(),
        }
    }

    pub(super) fn structs(&self) -> Vec<Type> {
        self.types.iter().filter(|ty| matches!(ty, Type::Struct(_))).cloned().collect()
    }

    /// Generates methods and operators of the structs.
    pub(super) fn impls(&mut self) -> Vec<Impl> {
        let mut impls = Vec::new();
        for ty in self.structs() {
            if self.random.percent(50) {
                let (sign, name, method) = *self.random.pick(&OPERATORS);
                // A constructor also runs on the host, so that it contains no intrinsic and no fault.
                let (risk, hosted) = (std::mem::take(&mut self.risk), std::mem::replace(&mut self.hosted, true));
                let receiver = Some((ty.clone(), "self"));
                let params = vec![Param::Value(ty.clone())];
                let function = self.function_of(method.to_owned(), receiver, params, ty.clone());
                // An operator is called through its token only.
                self.callees.pop();
                (self.risk, self.hosted) = (risk, hosted);
                self.operators.push((ty.clone(), sign, self.steps + 1));
                impls.push(Impl {
                    header: format!("impl std::ops::{name} for {ty}"),
                    associated: vec![format!("type Output = {ty};")],
                    functions: vec![function],
                });
            }
            let mut functions = Vec::new();
            for _ in 0..self.random.below(3) {
                let name = self.fresh("method");
                let word = *self.random.pick(&["self", "&self", "&mut self"]);
                let params = (0..self.random.below(3)).map(|_| Param::Value(self.value_type())).collect();
                let result =
                    if word == "&mut self" && self.random.percent(50) { Type::Unit } else { self.value_type() };
                functions.push(self.function_of(name, Some((ty.clone(), word)), params, result));
            }
            if self.random.percent(40) {
                let name = self.fresh("new");
                let params = (0..=self.random.below(2)).map(|_| Param::Value(self.scalar_type())).collect();
                let function = self.function_of(name.clone(), None, params, ty.clone());
                if let Some(callee) = self.callees.last_mut() {
                    callee.name = format!("{ty}::{name}");
                }
                functions.push(function);
            }
            if !functions.is_empty() {
                impls.push(Impl { header: format!("impl {ty}"), associated: vec![], functions });
            }
        }
        impls
    }
}
