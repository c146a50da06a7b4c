//! `let` statements.

use super::scope::{Bound, Kind, Path, Permission};
use super::{Generator, MAX_LEN, MIN_LEN};
use crate::tree::{Block, Expr, ExprKind, Stmt, StmtKind};
use crate::types::{Int, Range, Type};

impl Generator<'_> {
    pub(super) fn let_value(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let ty = self.scalar_type();
        self.let_of(&ty, depth, out);
    }

    /// Generates `let name = value;` of a given type.
    fn let_of(&mut self, ty: &Type, depth: u32, out: &mut Vec<Stmt>) {
        let value = self.value(ty, depth);
        let mutable = self.random.percent(45);
        let name = self.variable();
        let annotated = self.random.percent(30);
        // The type of a literal without a suffix is ambiguous to rustc.
        let range = if mutable { ty.range() } else { value.range };
        self.scope.value(&name, ty.clone(), range, if mutable { Permission::Write } else { Permission::Read });
        out.push(Stmt::binding(&name, mutable, annotated, value));
    }

    /// Declares an accumulator: only small numbers are added to it, so that it never overflows.
    pub(super) fn let_sum(&mut self, out: &mut Vec<Stmt>) {
        let int = *self.random.pick(&[Int::I32, Int::U32, Int::I64, Int::U64, Int::Usize, Int::Isize]);
        let name = self.fresh("sum");
        let start = self.random.within(0, 100);
        let ty = Type::Int(int);
        out.push(Stmt::binding(&name, true, false, Expr::int(ty.clone(), start)));
        let most = 1 << 30;
        let range = Range::new(if int.is_signed() { -most } else { 0 }, most);
        self.scope.value(&name, ty, range, Permission::Sum);
    }

    pub(super) fn let_tuple(&mut self, depth: u32, out: &mut Vec<Stmt>) {
        let parts: Vec<Type> = (0..2 + self.random.below(2))
            .map(|_| {
                if self.random.percent(12) {
                    Type::Tuple(vec![self.scalar_type(), self.scalar_type()])
                } else {
                    self.scalar_type()
                }
            })
            .collect();
        let ty = Type::Tuple(parts.clone());
        if self.random.percent(50) {
            return self.let_of(&ty, depth, out);
        }
        let value = self.value(&ty, depth);
        let (mut names, mut patterns) = (Vec::new(), Vec::new());
        for part in &parts {
            let mut name = self.variable();
            if names.contains(&name) {
                name = self.fresh("z");
            }
            let mutable = self.random.percent(30);
            if self.random.percent(12) {
                patterns.push(String::from("_"));
                continue;
            }
            patterns.push(if mutable { format!("mut {name}") } else { name.clone() });
            self.scope.value(
                &name,
                part.clone(),
                part.range(),
                if mutable { Permission::Write } else { Permission::Read },
            );
            names.push(name);
        }
        out.push(Stmt::new(StmtKind::Let {
            pattern: format!("({})", patterns.join(", ")),
            names,
            ty: None,
            value: Some(value),
        }));
    }

    /// Declares a slice variable that may be rebound.
    pub(super) fn let_slice(&mut self, out: &mut Vec<Stmt>) {
        let slices: Vec<(String, Type, usize)> = self
            .scope
            .visible()
            .filter_map(|binding| match &binding.kind {
                Kind::Slice { element, writable: false, bound: Bound::Length { least, .. } } if *least >= MIN_LEN => {
                    Some((binding.name.clone(), element.clone(), *least))
                }
                _ => None,
            })
            .collect();
        if slices.is_empty() {
            return self.let_value(2, out);
        }
        let (from, element, least) = self.random.pick(&slices).clone();
        let ty = Type::Slice(Box::new(element.clone()), false);
        let others: Vec<_> = slices.into_iter().filter(|(_, of, _)| *of == element).collect();
        let (other, _, other_least) = self.random.pick(&others).clone();
        let name = self.fresh("s");
        let slice = |name: &str| Expr::name(name, ty.clone(), Range::NONE);
        let mut some = |from: &str, least| {
            if self.random.percent(40) { self.part(slice(from), least, false) } else { slice(from) }
        };
        let (first, second) = (some(&from, least), some(&other, other_least));
        out.push(Stmt::binding(&name, true, false, first));
        if self.random.percent(60) {
            let condition = self.condition(2);
            let change = Stmt::expr(Expr::assign("=", slice(&name), second));
            let then = Block { stmts: vec![change], value: None };
            let change = ExprKind::If { condition: Box::new(condition), then, otherwise: None };
            out.push(Stmt::expr(Expr::unit(change)));
        }
        let bound = Bound::Length { least: MIN_LEN, most: MAX_LEN };
        self.scope.push(&name, Kind::Slice { element, writable: false, bound });
    }

    pub(super) fn let_array(&mut self, out: &mut Vec<Stmt>) {
        let len = *self.random.pick(&[1, 2, 3, 4, 5, 8, 9, 12]);
        let element = match self.random.below(10) {
            0 => Type::Array(Box::new(self.scalar_type()), 1 + self.random.below(3)),
            1 => Type::Tuple(vec![self.scalar_type(), self.scalar_type()]),
            2 | 3 => self.field_type(),
            _ => self.scalar_type(),
        };
        let ty = Type::Array(Box::new(element.clone()), len);
        if len > 3 || element.int().is_none() || self.random.percent(60) {
            return self.let_of(&ty, 2, out);
        }
        let value = self.value(&ty, 2);
        let names: Vec<String> = (0..len).map(|_| self.fresh("d")).collect();
        for name in &names {
            self.scope.value(name, element.clone(), element.range(), Permission::Read);
        }
        let pattern = format!("[{}]", names.join(", "));
        out.push(Stmt::new(StmtKind::Let { pattern, names, ty: None, value: Some(value) }));
    }

    /// Binds a struct, or destructures it.
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
            self.scope.value(&name, ty.clone(), ty.range(), Permission::Read);
            names.push(name);
        }
        let rest = if !structure.is_tuple() && names.len() < structure.fields.len() { ".." } else { "" };
        let comma = if rest.is_empty() || patterns.is_empty() { "" } else { ", " };
        let (open, close) = if structure.is_tuple() { ("(", ")") } else { (" { ", " }") };
        let pattern = format!("{ty}{open}{}{comma}{rest}{close}", patterns.join(", "));
        out.push(Stmt::new(StmtKind::Let { pattern, names, ty: None, value: Some(value) }));
    }

    /// Generates `{ let r = &mut x; .. }`, whose block does not name `x`.
    pub(super) fn let_ref(&mut self, out: &mut Vec<Stmt>) {
        let mut paths = self.scope.paths(Type::is_in_memory);
        let mutable = self.random.percent(70);
        paths.retain(|path| match path.access {
            Permission::Write => true,
            Permission::Read => !mutable && !path.name.starts_with("turns"),
            Permission::Sum | Permission::Count => false,
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
}
