//! Expressions of any type, and the constructs that all types share.

use super::Generator;
use super::convert::converted;
use super::scope::{Bound, Kind, Path, Step};
use crate::tree::{Block, Expr, ExprKind};
use crate::types::{Int, Range, Type};

/// The kinds of expressions.
#[derive(Clone, Copy)]
enum Form {
    Read,
    Operation,
    Call,
    If,
    Block,
    Loop,
    Labelled,
    Match,
    Jump,
    Unwrap,
}

impl Generator<'_> {
    /// Generates an expression of a type.
    pub(super) fn value(&mut self, ty: &Type, depth: u32) -> Expr {
        self.left -= 1;
        if let Type::Param(_) = ty {
            return self.param_value(ty);
        }
        if depth == 0 || self.left <= 0 {
            return self.leaf(ty, depth);
        }
        let form = self.random.weighted(&[
            (22, Form::Read),
            (60, Form::Operation),
            (8, Form::Call),
            (6, Form::If),
            (4, Form::Block),
            (1, Form::Loop),
            (1, Form::Labelled),
            (4, Form::Match),
            (1, Form::Jump),
            (2, Form::Unwrap),
        ]);
        let made = match form {
            Form::Read => None,
            Form::Operation => Some(self.operation(ty, depth)),
            Form::Call => self.call(ty, depth),
            Form::If => Some(self.if_value(ty, depth)),
            Form::Block => Some(self.block_value(ty, depth)),
            Form::Loop => self.loop_value(ty, depth),
            Form::Labelled => Some(self.labelled_value(ty, depth)),
            Form::Match => Some(self.match_value(ty, depth)),
            Form::Jump => self.jump_value(ty, depth),
            Form::Unwrap => self.unwrap_value(ty, depth),
        };
        made.unwrap_or_else(|| self.leaf(ty, depth))
    }

    /// Generates a value of a type parameter, which only a variable provides.
    fn param_value(&mut self, ty: &Type) -> Expr {
        let paths = self.scope.paths(|found| found == ty);
        let path = self.random.pick(&paths).clone();
        self.follow(&path, 0)
    }

    /// Generates `x.unwrap_or(y)`.
    fn unwrap_value(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        if !(ty.is_scalar() || matches!(ty, Type::Struct(_) | Type::Tuple(_))) {
            return None;
        }
        let below = depth.saturating_sub(1);
        let (option, default) = (self.value(&Type::option(ty), below), self.value(ty, below));
        Some(Expr::method(ty.clone(), ty.range(), option, "unwrap_or", vec![default]))
    }

    /// Generates an operator or method of the type itself.
    fn operation(&mut self, ty: &Type, depth: u32) -> Expr {
        match ty {
            Type::Bool => self.bool_operation(depth),
            Type::Int(int) => self.int_operation(*int, depth),
            Type::Float(float) => self.float_operation(*float, depth),
            Type::Tuple(parts) if self.random.percent(50) => {
                self.tuple_operation(parts, depth).unwrap_or_else(|| self.constructor(ty, depth))
            }
            Type::Struct(_) if self.random.percent(50) => {
                self.struct_operation(ty, depth).unwrap_or_else(|| self.constructor(ty, depth))
            }
            _ => self.constructor(ty, depth),
        }
    }

    /// Generates a variable, an element, a constant or a literal.
    pub(super) fn leaf(&mut self, ty: &Type, depth: u32) -> Expr {
        let shallow = |path: &Path| path.steps.iter().all(|step| matches!(step, Step::Deref | Step::Field(_)));
        if self.random.percent(75) {
            let paths = self.scope.paths(|found| found == ty);
            // Elements of slices need indices, which are leaves themselves.
            let deep = depth > 0 && self.left > 0;
            let paths: Vec<Path> = paths.into_iter().filter(|path| deep || shallow(path)).collect();
            if !paths.is_empty() {
                // The last paths are the newest variables, which the program is most likely about.
                let at = if self.random.percent(50) {
                    paths.len() - 1 - self.random.below(paths.len().min(3))
                } else {
                    self.random.below(paths.len())
                };
                return self.follow(&paths[at], depth);
            }
        }
        let constants: Vec<_> = self.constants.iter().filter(|(_, of, _)| of == ty).cloned().collect();
        if !constants.is_empty() && self.random.percent(30) {
            let (name, ty, range) = self.random.pick(&constants).clone();
            return Expr::name(&name, ty, range);
        }
        // A converted variable is better than a literal, which compilers fold.
        if ty.is_scalar() && self.random.percent(60) {
            let paths = self.scope.paths(Type::is_scalar);
            let paths: Vec<Path> = paths.into_iter().filter(shallow).collect();
            if !paths.is_empty() {
                let path = self.random.pick(&paths).clone();
                return converted(self.follow(&path, 0), ty);
            }
        }
        if *ty == Type::USIZE && self.random.percent(25) {
            return self.usize_leaf();
        }
        self.scalar_literal(ty).unwrap_or_else(|| self.constructor(ty, depth))
    }

    /// Generates a typical `usize` of a kernel: a length, or a position of the thread.
    fn usize_leaf(&mut self) -> Expr {
        let mut leaves = Vec::new();
        let usize = || Type::USIZE;
        for binding in self.scope.visible() {
            if let Kind::Slice { bound: Bound::Length { least, most }, .. } = &binding.kind {
                let range = Range::new(*least as i128, *most as i128);
                let slice = Expr::name(&binding.name, usize(), range);
                leaves.push(Expr::method(usize(), range, slice, "len", vec![]));
            }
            if let Kind::View { bounds, writable: false, .. } = &binding.kind
                && let [Bound::Length { least, most }, Bound::Length { .. }] = bounds.as_slice()
            {
                let range = Range::new(*least as i128, *most as i128);
                let view = Expr::name(&binding.name, usize(), range);
                leaves.push(Expr::method(usize(), range, view, "nrows", vec![]));
            }
        }
        let positions = [("thread_idx", 0, 63), ("block_idx", 0, 7), ("block_dim", 1, 64), ("grid_dim", 1, 8)];
        for (callee, least, most) in positions.into_iter().filter(|_| !self.hosted) {
            let call = Expr::any(usize(), ExprKind::Call(callee.to_owned(), vec![])).pinned();
            let field = ExprKind::Field(Box::new(call), String::from("x"));
            leaves.push(Expr::new(usize(), Range::new(least, most), field));
        }
        if leaves.is_empty() {
            return self.int_literal(Int::Usize, Int::Usize.range());
        }
        self.random.pick(&leaves).clone()
    }

    /// Generates a tuple, array, struct or enum from its parts.
    fn constructor(&mut self, ty: &Type, depth: u32) -> Expr {
        let below = depth.saturating_sub(1);
        let kind = match ty {
            Type::Tuple(parts) => ExprKind::Tuple(parts.iter().map(|part| self.value(part, below)).collect()),
            Type::Array(element, len) if *len == 0 || self.random.percent(25) => {
                ExprKind::Repeat(Box::new(self.value(element, below)), *len)
            }
            Type::Array(element, len) => {
                ExprKind::Array((0..*len).map(|i| self.value(element, if i < 2 { below } else { 0 })).collect())
            }
            Type::Struct(structure) => {
                let mut fields: Vec<_> = structure.fields.clone();
                let base = !structure.is_tuple() && fields.len() > 1 && depth > 1 && self.random.percent(20);
                if base {
                    let out = self.random.below(fields.len());
                    fields.remove(out);
                }
                if !structure.is_tuple() && self.random.percent(30) {
                    fields.reverse();
                }
                let fields = fields.into_iter().map(|(name, ty)| (name, self.value(&ty, below))).collect();
                let base = base.then(|| Box::new(self.value(ty, below.saturating_sub(1))));
                ExprKind::Struct { fields, base }
            }
            Type::Enum(choice) => {
                let variant = &choice.variants[self.random.below(choice.variants.len())];
                let payload: Vec<Expr> = variant.payload.iter().map(|part| self.value(part, below)).collect();
                let path = choice.variant(variant);
                if payload.is_empty() { ExprKind::Name(path) } else { ExprKind::Call(path, payload) }
            }
            Type::Unit
            | Type::Bool
            | Type::Int(_)
            | Type::Float(_)
            | Type::Slice(..)
            | Type::View(..)
            | Type::Ref(..)
            | Type::Param(_) => unreachable!("`{ty}` has no parts"),
        };
        Expr::any(ty.clone(), kind)
    }

    /// Generates `{ n = 3; x }`: the side effect makes the evaluation order observable.
    fn block_value(&mut self, ty: &Type, depth: u32) -> Expr {
        let open = self.scope.open();
        let mut stmts = Vec::new();
        for _ in 0..=self.random.below(2) {
            self.effect(&mut stmts);
        }
        let value = self.value(ty, depth.saturating_sub(1));
        self.scope.close(open);
        let range = value.range;
        Expr::new(ty.clone(), range, ExprKind::Block(Block { stmts, value: Some(Box::new(value)) }))
    }

    /// Generates `x.overflowing_add(y)`, a number and whether it overflowed.
    fn tuple_operation(&mut self, parts: &[Type], depth: u32) -> Option<Expr> {
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

    /// Generates `a + b` of structs.
    fn struct_operation(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
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
}
