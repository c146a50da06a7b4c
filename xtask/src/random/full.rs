//! What the language has beside numbers, tuples and slices: arrays, structs, enums, `match`, references and methods.

use std::fmt::Write;
use std::rc::Rc;

use super::generate::{Generator, Param};
use super::scope::{Access, Bound, Kind, Path};
use super::tree::{Arm, Block, Expr, ExprKind, Head, Impl, Stmt, StmtKind};
use super::types::{Enum, Int, Range, Struct, Type};
use super::{LONGEST, SHORTEST};

/// The operators that structs have: the sign, the trait, and its method.
const OPERATORS: [(&str, &str, &str); 5] =
    [("+", "Add", "add"), ("-", "Sub", "sub"), ("*", "Mul", "mul"), ("^", "BitXor", "bitxor"), ("/", "Div", "div")];

impl Generator<'_> {
    /// Some structs and enums.
    pub(super) fn declare_types(&mut self, items: &mut Vec<String>) {
        for _ in 0..self.random.below(2) {
            let name = self.fresh("E");
            let repr =
                self.random.percent(60).then(|| *self.random.pick(&[Int::U8, Int::I16, Int::I32, Int::U32, Int::U64]));
            let mut next = 0i128;
            let mut variants = Vec::new();
            let mut text = String::new();
            // One without a choice of bits needs `repr`.
            let count = if repr.is_some() { 1 } else { 2 } + self.random.below(4);
            for letter in &["Ash", "Birch", "Cedar", "Elm", "Fir"][..count] {
                let chosen = repr.is_some() && self.random.percent(30);
                if chosen {
                    next += self.random.within(0, 20);
                }
                variants.push((String::from(*letter), chosen.then_some(next)));
                let _ = if chosen { writeln!(text, "    {letter} = {next},") } else { writeln!(text, "    {letter},") };
                next += 1;
            }
            let repr_text = repr.map_or(String::new(), |repr| format!("#[repr({})]\n", repr.name()));
            items.push(format!(
                "#[derive(Clone, Copy, Debug, PartialEq, Eq, DeviceType)]\n{repr_text}pub enum {name} {{\n{text}}}"
            ));
            self.types.push(Type::Enum(Rc::new(Enum { name, repr, variants })));
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
    }

    /// What can be in memory.
    fn field_type(&mut self) -> Type {
        match self.random.below(10) {
            0..2 => Type::Array(Box::new(self.scalar_type()), 1 + self.random.below(4)),
            2 if !self.types.is_empty() => self.random.pick(&self.types).clone(),
            _ => self.scalar_type(),
        }
    }

    /// What can be a parameter, a result or a variable.
    pub(super) fn value_type(&mut self) -> Type {
        match self.random.below(20) {
            0 => Type::Tuple(vec![self.scalar_type(), self.scalar_type()]),
            1 => Type::Tuple(vec![Type::Int(*self.random.pick(&Int::ALL)), Type::Bool]),
            2..4 => Type::Array(Box::new(self.field_type()), 1 + self.random.below(6)),
            4..8 if !self.types.is_empty() => self.random.pick(&self.types).clone(),
            _ => self.scalar_type(),
        }
    }

    fn structs(&self) -> Vec<Type> {
        self.types.iter().filter(|ty| matches!(ty, Type::Struct(_))).cloned().collect()
    }

    /// Methods and operators of the structs.
    pub(super) fn impls(&mut self) -> Vec<Impl> {
        let mut impls = Vec::new();
        for ty in self.structs() {
            if self.random.percent(50) {
                let (sign, name, method) = *self.random.pick(&OPERATORS);
                // It has no thread of the kernel's, so that nothing in it may ask for one, or fault.
                let (risk, hosted) = (std::mem::take(&mut self.risk), std::mem::replace(&mut self.hosted, true));
                let receiver = Some((ty.clone(), "self"));
                let params = vec![Param::Value(ty.clone())];
                let function = self.function_of(method.to_owned(), receiver, params, ty.clone());
                // It is called by its sign alone.
                self.callees.pop();
                (self.risk, self.hosted) = (risk, hosted);
                self.operators.push((ty.clone(), sign, self.steps + 1));
                impls.push(Impl {
                    header: format!("std::ops::{name} for {ty}"),
                    associated: Some(format!("type Output = {ty};")),
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
                impls.push(Impl { header: ty.to_string(), associated: None, functions });
            }
        }
        impls
    }

    /// Parameters by reference.
    pub(super) fn more_params(&mut self, params: &mut Vec<Param>) {
        if self.random.percent(25) {
            params.push(Param::Lent(self.scalar_type()));
        }
        if self.random.percent(35) {
            let ty = if self.random.percent(50) { self.scalar_type() } else { self.field_type() };
            params.push(Param::Ref(ty, self.random.percent(60)));
        }
    }

    /// `x.overflowing_add(y)` for a number and whether it overflowed.
    pub(super) fn tuple_operation(&mut self, parts: &[Type], depth: u32) -> Option<Expr> {
        let [Type::Int(int), Type::Bool] = parts else {
            return None;
        };
        let (ty, below) = (Type::Int(*int), depth.saturating_sub(1));
        let value = self.value(&ty, below);
        let name = *self.random.pick(&[
            "overflowing_add",
            "overflowing_sub",
            "overflowing_mul",
            "overflowing_neg",
            "overflowing_shl",
            "overflowing_shr",
            "overflowing_pow",
        ]);
        let operand = match name {
            "overflowing_neg" => None,
            "overflowing_shl" | "overflowing_shr" | "overflowing_pow" => Some(self.value(&Type::U32, below)),
            _ => Some(self.value(&ty, below)),
        };
        let result = Type::Tuple(parts.to_vec());
        Some(Expr::method(result, Range::NONE, value, name, operand.into_iter().collect()))
    }

    /// `a + b` of structs.
    pub(super) fn struct_operation(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let all = self.operators.clone();
        let fitting: Vec<_> = all.into_iter().filter(|(of, _, steps)| of == ty && self.affords(*steps)).collect();
        if fitting.is_empty() {
            return None;
        }
        let (_, sign, steps) = self.random.pick(&fitting).clone();
        self.spend(steps);
        let below = depth.saturating_sub(1);
        let (left, right) = (self.value(ty, below), self.value(ty, below));
        Some(Expr::binary(ty.clone(), Range::NONE, sign, left, right))
    }

    /// A `&mut [T]` of which every element is the thread's own, and what it borrows.
    pub(super) fn lent_argument(&mut self, element: &Type, lent: &[String]) -> Option<(Expr, String)> {
        let ty = Type::Slice(Box::new(element.clone()), true);
        let mut found: Vec<(String, Option<usize>, Option<Bound>)> = Vec::new();
        for binding in self.scope.visible().filter(|binding| !lent.contains(&binding.name)) {
            match &binding.kind {
                Kind::Value { ty: Type::Array(of, len), access: Access::Write, .. }
                    if **of == *element && *len >= SHORTEST =>
                {
                    found.push((binding.name.clone(), Some(*len), None));
                }
                Kind::Slice { element: of, writable: true, bound } if of == element => match bound {
                    Bound::Length { .. } => found.push((binding.name.clone(), None, None)),
                    Bound::Own { size, .. } | Bound::From { size, .. } if *size >= SHORTEST => {
                        found.push((binding.name.clone(), None, Some(bound.clone())));
                    }
                    Bound::Own { .. } | Bound::From { .. } | Bound::Below(_) | Bound::At(_) => {}
                },
                _ => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let (name, array, bound) = self.random.pick(&found).clone();
        let whole = Expr::name(&name, ty.clone(), Range::NONE).pinned();
        let argument = match (array, bound) {
            (Some(len), _) if self.random.percent(40) => self.part(whole, len, true),
            (Some(_), _) => Expr::any(ty, ExprKind::Borrow(true, Box::new(whole))).pinned(),
            (None, None) => whole,
            (None, Some(bound)) => {
                let (start, size) = match bound {
                    Bound::Own { base, size } => {
                        let base = Expr::name(&base, Type::USIZE, Range::NONE).pinned();
                        let scale = Expr::int(Type::USIZE, size as i128).pinned();
                        (Expr::binary(Type::USIZE, Range::NONE, "*", base, scale).pinned(), size)
                    }
                    Bound::From { base, size } => (Expr::name(&base, Type::USIZE, Range::NONE).pinned(), size),
                    Bound::Length { .. } | Bound::Below(_) | Bound::At(_) => unreachable!("it was not kept"),
                };
                let size = Expr::int(Type::USIZE, size as i128).pinned();
                let end = Expr::binary(Type::USIZE, Range::NONE, "+", start.clone(), size).pinned();
                let range = ExprKind::Range(Some(Box::new(start)), "..", Some(Box::new(end)));
                let range = Expr::any(Type::Unit, range).pinned();
                let part = Expr::any(ty.clone(), ExprKind::Index(Box::new(whole), Box::new(range))).pinned();
                Expr::any(ty, ExprKind::Borrow(true, Box::new(part))).pinned()
            }
        };
        Some((argument, name))
    }

    /// `let x; if c { x = 1; } else { x = 2; }`
    pub(super) fn let_later(&mut self, out: &mut Vec<Stmt>) {
        let ty = self.value_type();
        let name = self.fresh("later");
        let at = out.len();
        let mut written = self.random.percent(50);
        let condition = self.condition(2);
        let (mut range, mut blocks) = (None, Vec::new());
        for _ in 0..2 {
            let open = self.scope.open();
            let mut stmts = Vec::new();
            if self.random.percent(30) {
                self.stmt(&mut stmts);
            }
            let value = self.value(&ty, 2);
            self.scope.close(open);
            range = Some(range.map_or(value.range, |range: Range| range.or(value.range)));
            // Of a literal alone rustc would not know the type.
            written |= value.is_literal();
            let place = Expr::name(&name, ty.clone(), Range::NONE);
            stmts.push(Stmt::expr(Expr::assign("=", place, value).pinned()).pinned());
            blocks.push(Block { stmts, value: None });
        }
        let otherwise = blocks.pop();
        let then = blocks.pop().unwrap_or_default();
        let choice = ExprKind::If { condition: Box::new(condition), then, otherwise };
        out.push(Stmt::expr(Expr::unit(choice).pinned()).pinned());
        let written = written.then(|| ty.clone());
        let declared = StmtKind::Let { pattern: name.clone(), names: vec![name.clone()], ty: written, value: None };
        out.insert(at, Stmt::new(declared));
        self.scope.value(&name, ty, range.unwrap_or(Range::NONE), Access::Read);
    }

    pub(super) fn let_array(&mut self, out: &mut Vec<Stmt>) {
        let len = *self.random.pick(&[1, 2, 3, 4, 5, 8, 9, 12]);
        let element = match self.random.below(10) {
            0 => Type::Array(Box::new(self.scalar_type()), 1 + self.random.below(3)),
            1 => Type::Tuple(vec![self.scalar_type(), self.scalar_type()]),
            2 | 3 => self.field_type(),
            _ => self.scalar_type(),
        };
        self.let_of(&Type::Array(Box::new(element), len), 2, out);
    }

    /// A struct, or its fields.
    pub(super) fn let_struct(&mut self, out: &mut Vec<Stmt>) {
        let structs = self.structs();
        if structs.is_empty() {
            return self.let_array(out);
        }
        let ty = self.random.pick(&structs).clone();
        let Type::Struct(structure) = &ty else { unreachable!("only structs were kept") };
        if self.random.percent(60) {
            return self.let_of(&ty, 3, out);
        }
        let value = self.value(&ty, 2);
        let (mut names, mut patterns) = (Vec::new(), Vec::new());
        for (field, ty) in &structure.fields {
            let name = self.fresh("d");
            if structure.is_tuple() {
                patterns.push(name.clone());
            } else if self.random.percent(80) {
                patterns.push(format!("{field}: {name}"));
            } else {
                continue;
            }
            self.scope.value(&name, ty.clone(), ty.range(), Access::Read);
            names.push(name);
        }
        let rest = if !structure.is_tuple() && names.len() < structure.fields.len() { ".." } else { "" };
        let comma = if rest.is_empty() || patterns.is_empty() { "" } else { ", " };
        let (open, close) = if structure.is_tuple() { ("(", ")") } else { (" { ", " }") };
        let pattern = format!("{ty}{open}{}{comma}{rest}{close}", patterns.join(", "));
        out.push(Stmt::new(StmtKind::Let { pattern, names, ty: None, value: Some(value) }));
    }

    /// `{ let r = &mut x; .. }`, in which `x` is not named.
    pub(super) fn let_ref(&mut self, out: &mut Vec<Stmt>) {
        let mut paths =
            self.scope.paths(|ty| !matches!(ty, Type::Tuple(_) | Type::Slice(..) | Type::Ref(..) | Type::Unit));
        let mutable = self.random.percent(70);
        paths.retain(|path| match path.access {
            Access::Write => true,
            Access::Read => !mutable && !path.name.starts_with("turns"),
            Access::Sum | Access::Count => false,
        });
        if paths.is_empty() {
            return self.let_array(out);
        }
        let path: Path = self.random.pick(&paths).clone();
        let place = self.follow(&path, 1).pinned();
        let open = self.scope.open();
        let name = self.fresh("r");
        let by_ref = Type::Ref(Box::new(path.ty.clone()), mutable);
        let borrow = Expr::any(by_ref, ExprKind::Borrow(mutable, Box::new(place)));
        let mut stmts = vec![Stmt::binding(&name, false, false, borrow)];
        self.scope.push(&path.name, Kind::Hidden);
        self.scope.push(&name, Kind::Ref { ty: path.ty, writable: mutable });
        self.stmts(3, &mut stmts);
        self.scope.close(open);
        out.push(Stmt::expr(Expr::unit(ExprKind::Block(Block { stmts, value: None }))));
    }

    /// `match x { .. }`, as a value.
    pub(super) fn match_value(&mut self, ty: &Type, depth: u32) -> Expr {
        let mut range: Option<Range> = None;
        let (scrutinee, arms) = self.arms(|generator| {
            let value = generator.value(ty, depth.saturating_sub(1));
            range = Some(range.map_or(value.range, |range| range.or(value.range)));
            Block { stmts: vec![], value: Some(Box::new(value)) }
        });
        let kind = ExprKind::Match { scrutinee: Box::new(scrutinee), arms };
        Expr::new(ty.clone(), range.unwrap_or(Range::NONE), kind)
    }

    pub(super) fn match_stmt(&mut self, _depth: u32) -> Stmt {
        let (scrutinee, arms) = self.arms(|generator| generator.body(2));
        Stmt::expr(Expr::unit(ExprKind::Match { scrutinee: Box::new(scrutinee), arms }))
    }

    /// What is matched, and the arms. The last takes what is left.
    fn arms(&mut self, mut body: impl FnMut(&mut Self) -> Block) -> (Expr, Vec<Arm>) {
        let enums: Vec<Type> = self.types.iter().filter(|ty| matches!(ty, Type::Enum(_))).cloned().collect();
        let ty = match self.random.below(10) {
            0..4 if !enums.is_empty() => self.random.pick(&enums).clone(),
            0..7 => Type::Int(*self.random.pick(&Int::ALL)),
            7 => Type::Bool,
            _ => Type::Tuple(vec![Type::Int(*self.random.pick(&Int::ALL)), Type::Bool]),
        };
        self.heads += 1;
        let mut scrutinee = self.value(&ty, 2);
        self.heads -= 1;
        if let (Type::Int(int), true) = (&ty, self.random.percent(60)) {
            // So that the arms are met.
            let range = Range::new(if int.is_signed() { -4 } else { 0 }, 9);
            scrutinee = self.narrow(scrutinee, range);
        }
        // A guard may change nothing that is matched, and a copy is not.
        let place = matches!(
            scrutinee.kind,
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Unary("*", _)
        );
        let mut patterns: Vec<String> = Vec::new();
        let mut complete = false;
        match &ty {
            Type::Enum(choice) if self.random.percent(60) => {
                patterns.extend(choice.variants.iter().map(|(variant, _)| format!("{}::{variant}", choice.name)));
                complete = true;
            }
            Type::Bool => {
                patterns.extend([String::from("true"), String::from("false")]);
                complete = true;
            }
            _ => patterns.extend((0..=self.random.below(3)).map(|_| self.pattern(&ty))),
        }
        let mut arms = Vec::new();
        for pattern in patterns {
            let open = self.scope.open();
            let mut pattern = pattern;
            if let (Type::Int(_), true) = (&ty, self.random.percent(25)) {
                let name = self.fresh("k");
                pattern =
                    if pattern.contains('|') { format!("{name} @ ({pattern})") } else { format!("{name} @ {pattern}") };
                self.scope.value(&name, ty.clone(), ty.range(), Access::Read);
            }
            let guard = (!complete && !place && self.random.percent(25)).then(|| self.condition(2));
            let body = body(self);
            self.scope.close(open);
            arms.push(Arm { pattern, guard, body });
        }
        if !complete {
            let open = self.scope.open();
            let pattern = match &ty {
                Type::Int(_) if self.random.percent(40) => {
                    let name = self.fresh("k");
                    self.scope.value(&name, ty.clone(), scrutinee.range, Access::Read);
                    name
                }
                _ => String::from("_"),
            };
            let body = body(self);
            self.scope.close(open);
            arms.push(Arm { pattern, guard: None, body });
        }
        (scrutinee, arms)
    }

    /// A pattern without bindings.
    fn pattern(&mut self, ty: &Type) -> String {
        match ty {
            Type::Int(int) => {
                let mut one = || self.interesting(Range::new(if int.is_signed() { -9 } else { 0 }, 20));
                let (a, b) = (one(), one());
                match self.random.below(5) {
                    0 => format!("{}..={}", a.min(b), a.max(b)),
                    1 => format!("{a} | {b}"),
                    2 => format!("{}..", a.max(b) + 5),
                    3 => format!("..={}", a.min(b)),
                    _ => a.to_string(),
                }
            }
            Type::Bool => self.random.percent(50).to_string(),
            Type::Enum(choice) => {
                let mut one = || format!("{}::{}", choice.name, self.random.pick(&choice.variants).0);
                let (a, b) = (one(), one());
                if a != b && self.random.percent(30) { format!("{a} | {b}") } else { a }
            }
            Type::Tuple(parts) => {
                let parts: Vec<String> = parts
                    .iter()
                    .map(|part| if self.random.percent(30) { String::from("_") } else { self.pattern(part) })
                    .collect();
                format!("({})", parts.join(", "))
            }
            _ => String::from("_"),
        }
    }

    /// `for v in x.iter()` and its like.
    pub(super) fn loop_over_elements(&mut self, out: &mut Vec<Stmt>) {
        let mut found: Vec<(String, Type, usize, bool, bool)> = Vec::new();
        for binding in self.scope.visible() {
            match &binding.kind {
                Kind::Value { ty: Type::Array(element, len), access, .. } if *len <= LONGEST => {
                    found.push((binding.name.clone(), (**element).clone(), *len, *access == Access::Write, true));
                }
                Kind::Slice { element, writable, bound: Bound::Length { most, .. } } => {
                    found.push((binding.name.clone(), element.clone(), *most, *writable, false));
                }
                _ => {}
            }
        }
        found.retain(|(_, element, len, ..)| self.affords(4 * *len as u64) && !matches!(element, Type::Tuple(_)));
        if found.is_empty() {
            return self.let_array(out);
        }
        let (name, element, len, writable, array) = self.random.pick(&found).clone();
        let whole = Expr::name(&name, Type::Slice(Box::new(element.clone()), writable), Range::NONE).pinned();
        let call = |expr: Expr, method: &str| Expr::method(Type::Unit, Range::NONE, expr, method, vec![]).pinned();
        let variable = self.fresh("item");
        let (mut sequence, mut pattern, kind) = match self.random.below(6) {
            0 if array => (
                whole,
                variable.clone(),
                Kind::Value { ty: element.clone(), range: element.range(), access: Access::Read },
            ),
            1 => (
                call(whole, "iter"),
                format!("&{variable}"),
                Kind::Value { ty: element.clone(), range: element.range(), access: Access::Read },
            ),
            2 | 3 if writable => {
                (call(whole, "iter_mut"), variable.clone(), Kind::Ref { ty: element.clone(), writable: true })
            }
            _ => (call(whole, "iter"), variable.clone(), Kind::Ref { ty: element.clone(), writable: false }),
        };
        let mut index = None;
        let adaptable = matches!(sequence.kind, ExprKind::Method(..));
        if adaptable && self.random.percent(40) {
            sequence = call(sequence, "enumerate");
            let counter = self.fresh("j");
            pattern = format!("({counter}, {pattern})");
            index = Some(counter);
        } else if adaptable && self.random.percent(25) {
            sequence = call(sequence, "rev");
        }
        let (label, body) = self.loop_body(len as u64, vec![], |generator| {
            if writable {
                generator.scope.push(&name, Kind::Hidden);
            }
            if let Some(counter) = &index {
                let range = Range::new(0, len as i128 - 1);
                generator.scope.value(counter, Type::USIZE, range, Access::Count);
            }
            generator.scope.push(&variable, kind);
        });
        let head = Head::For { pattern, sequence: Box::new(sequence) };
        out.push(Stmt::expr(Expr::unit(ExprKind::Loop { label, head, body })));
    }
}
