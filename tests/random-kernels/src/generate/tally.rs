//! Atomics in methods of elements: structs that all threads add to through `&mut self`.
//!
//! Each field has one operation, whose combined effect does not depend on the order of the threads, and none is read
//! before the end of the launch.

use std::fmt::Write;
use std::rc::Rc;

use super::scope::{Kind, Tally};
use super::{Generator, MIN_LEN};
use crate::tree::{Block, Expr, ExprKind, Head, Stmt};
use crate::types::{Int, Range, Type};

impl Generator<'_> {
    /// Declares a struct, its methods, a trait with a default, and generic functions.
    pub(super) fn tally(&mut self, items: &mut Vec<String>) -> Tally {
        const INTS: [Int; 6] = [Int::I32, Int::U32, Int::I64, Int::U64, Int::Usize, Int::Isize];
        let (name, inner) = (self.fresh("Tally"), self.fresh("Inner"));
        let nested = self.random.percent(50);
        let mut tally = Tally {
            param: self.fresh("tallies"),
            name: name.clone(),
            inner: inner.clone(),
            fields: vec![],
            methods: vec![],
            through: vec![],
            by_ref: vec![],
        };
        let (mut text, mut inside, mut methods, mut inner_methods) =
            (String::new(), String::new(), String::new(), String::new());
        for field in ["count", "top", "seen"] {
            let int = *self.random.pick(&INTS);
            let atomic = self.atomic_function();
            let method = self.fresh("note");
            let inwards = nested && field != "count";
            let _ = write!(if inwards { &mut inside } else { &mut text }, "pub {field}: {}, ", int.name());
            let into = if inwards { &mut inner_methods } else { &mut methods };
            let guard = if self.random.percent(30) { "if v & 3 != 1 { " } else { "" };
            let end = if guard.is_empty() { "" } else { " }" };
            let loops = self.random.percent(20);
            let (open, close) = if loops { ("for _ in 0..2usize { ", " }") } else { ("", "") };
            let ty = int.name();
            let _ = writeln!(
                into,
                "    pub fn {method}(&mut self, v: {ty}) {{ {guard}{open}{atomic}(&mut self.{field}, v);{close}{end} }}"
            );
            if inwards && self.random.percent(60) {
                let outer = self.fresh("note");
                let _ = writeln!(methods, "    pub fn {outer}(&mut self, v: {ty}) {{ self.inner.{method}(v); }}");
                tally.methods.push((outer, int));
            }
            tally.methods.push((if inwards { format!("inner.{method}") } else { method }, int));
            tally.fields.push((if inwards { format!("inner.{field}") } else { field.to_owned() }, int));
        }
        let derives = "#[derive(Clone, Copy, Debug, DeviceType)]\n";
        if nested {
            items.push(format!("{derives}pub struct {inner} {{ {inside}}}"));
            items.push(format!("#[device]\nimpl {inner} {{\n{inner_methods}}}"));
            let _ = write!(text, "pub inner: {inner}, ");
        }
        items.push(format!("{derives}pub struct {name} {{ {text}}}"));
        items.push(format!("#[device]\nimpl {name} {{\n{methods}}}"));
        self.declare_tally_trait(&mut tally, items);
        tally
    }

    /// Declares a trait with a default in terms of a required method, and generic functions that call both.
    fn declare_tally_trait(&mut self, tally: &mut Tally, items: &mut Vec<String>) {
        let (method, int) = self.random.pick(&tally.methods).clone();
        let (name, ty) = (&tally.name, int.name());
        let (trait_name, required, default) = (self.fresh("Tr"), self.fresh("note"), self.fresh("note"));
        items.push(format!(
            "#[device]\npub trait {trait_name} {{\n    fn {required}(&mut self, v: {ty});\n\n    \
             fn {default}(&mut self, v: {ty}) {{ self.{required}(v); self.{required}(v ^ 1); }}\n}}"
        ));
        let overriding = if self.random.percent(40) {
            format!("\n    fn {default}(&mut self, v: {ty}) {{ self.{method}(v & 7); }}")
        } else {
            String::new()
        };
        items.push(format!(
            "#[device]\nimpl {trait_name} for {name} {{\n    fn {required}(&mut self, v: {ty}) {{ self.{method}(v); }}{overriding}\n}}"
        ));
        tally.methods.extend([(required.clone(), int), (default.clone(), int)]);
        let (through, by_ref) = (self.fresh("helper"), self.fresh("helper"));
        items.push(format!(
            "#[device]\npub fn {through}<T: {trait_name} + DeviceType>(all: &mut [T], at: usize, v: {ty}) {{ all[at].{default}(v); }}"
        ));
        items.push(format!(
            "#[device]\npub fn {by_ref}<T: {trait_name} + DeviceType>(one: &mut T, v: {ty}) {{ one.{required}(v); one.{default}(v); }}"
        ));
        tally.through.push((through, int));
        tally.by_ref.push((by_ref, int));
    }

    /// Returns a value of a tally, as text.
    pub(super) fn tally_text(&mut self, tally: &Tally) -> String {
        let (mut outer, mut inner) = (String::new(), String::new());
        for (field, int) in &tally.fields {
            let value = self.value_text(&Type::Int(*int));
            match field.strip_prefix("inner.") {
                Some(field) => {
                    let _ = write!(inner, "{field}: {value}, ");
                }
                None => {
                    let _ = write!(outer, "{field}: {value}, ");
                }
            }
        }
        if !inner.is_empty() {
            let _ = write!(outer, "inner: {} {{ {inner}}}, ", tally.inner);
        }
        format!("{} {{ {outer}}}", tally.name)
    }

    /// Generates `tallies[k].note(v);` and its variants.
    pub(super) fn note(&mut self, out: &mut Vec<Stmt>) {
        let tally = self.scope.visible().find_map(|binding| match &binding.kind {
            Kind::Tallies(tally) => Some(Rc::clone(tally)),
            _ => None,
        });
        let Some(tally) = tally else {
            return self.assign(2, out);
        };
        let ty = tally.ty();
        let slice = || Expr::name(&tally.param, Type::Slice(Box::new(ty.clone()), true), Range::NONE).pinned();
        let index = self.value(&Type::USIZE, 2);
        let index = if self.risky() { index } else { self.narrow(index, Range::new(0, MIN_LEN as i128 - 1)) };
        let element = |index: Expr| Expr::any(ty.clone(), ExprKind::Index(Box::new(slice()), Box::new(index))).pinned();
        let borrow = |place: Expr| {
            let by_ref = Type::Ref(Box::new(ty.clone()), true);
            Expr::any(by_ref, ExprKind::Borrow(true, Box::new(place))).pinned()
        };
        let unit = |kind| Stmt::expr(Expr::unit(kind));
        match self.random.below(10) {
            0 => {
                let (function, int) = self.random.pick(&tally.through).clone();
                let value = self.value(&Type::Int(int), 1);
                out.push(unit(ExprKind::Call(function, vec![slice(), index, value])));
            }
            1 => {
                let (function, int) = self.random.pick(&tally.by_ref).clone();
                let value = self.value(&Type::Int(int), 1);
                out.push(unit(ExprKind::Call(function, vec![borrow(element(index)), value])));
            }
            2 => {
                // `for one in tallies.iter_mut() { one.note(v); }`
                let (method, int) = self.random.pick(&tally.methods).clone();
                let value = self.value(&Type::Int(int), 1);
                let one = self.fresh("r");
                let receiver = Expr::name(&one, ty.clone(), Range::NONE).pinned();
                let body = Block { stmts: vec![unit(called(receiver, &method, value))], value: None };
                let all = Expr::method(ty.clone(), Range::NONE, slice(), "iter_mut", vec![]).pinned();
                let head = Head::For { pattern: one, sequence: Box::new(all) };
                out.push(Stmt::expr(Expr::repeat(None, None, head, body)));
            }
            3 => {
                // `{ let r = &mut tallies[k]; r.note(v); }`
                let (method, int) = self.random.pick(&tally.methods).clone();
                let value = self.value(&Type::Int(int), 1);
                let one = self.fresh("r");
                let bound = Stmt::binding(&one, false, false, borrow(element(index)));
                let receiver = Expr::name(&one, ty.clone(), Range::NONE).pinned();
                let stmts = vec![bound, unit(called(receiver, &method, value))];
                out.push(unit(ExprKind::Block(Block { stmts, value: None })));
            }
            _ => {
                let (method, int) = self.random.pick(&tally.methods).clone();
                let value = self.value(&Type::Int(int), 2);
                out.push(unit(called(element(index), &method, value)));
            }
        }
    }
}

/// Returns `one.inner.note(v)`.
fn called(receiver: Expr, method: &str, value: Expr) -> ExprKind {
    let ty = receiver.ty.clone();
    let (receiver, method) = match method.strip_prefix("inner.") {
        Some(method) => {
            let field = ExprKind::Field(Box::new(receiver), String::from("inner"));
            (Expr::any(ty, field).pinned(), method)
        }
        None => (receiver, method),
    };
    ExprKind::Method(Box::new(receiver), method.to_owned(), vec![value])
}
