//! `if` and `match`, as expressions and as statements.

use super::Generator;
use super::scope::Permission;
use crate::tree::{Arm, Block, Expr, ExprKind, Stmt, StmtKind};
use crate::types::{Enum, Int, Range, Type};

impl Generator<'_> {
    /// Generates `if c { a } else { b }` as an expression.
    pub(super) fn if_value(&mut self, ty: &Type, depth: u32) -> Expr {
        let condition = self.condition(depth.saturating_sub(1));
        let then = self.value_block(ty, depth);
        let otherwise = if self.random.percent(20) {
            let chained = self.value(&Type::Bool, 1);
            let (then, last) =
                (self.value_block(ty, depth.saturating_sub(1)), self.value_block(ty, depth.saturating_sub(1)));
            let range = range_of(&then).or(range_of(&last));
            let kind = ExprKind::If { condition: Box::new(chained), then, otherwise: Some(last) };
            Block { stmts: vec![], value: Some(Box::new(Expr::new(ty.clone(), range, kind))) }
        } else {
            self.value_block(ty, depth)
        };
        let range = range_of(&then).or(range_of(&otherwise));
        Expr::new(ty.clone(), range, ExprKind::If { condition: Box::new(condition), then, otherwise: Some(otherwise) })
    }

    /// Generates the condition of an `if` or `while`, without jumps out of it.
    pub(super) fn condition(&mut self, depth: u32) -> Expr {
        self.heads += 1;
        let condition = self.value(&Type::Bool, depth.max(1));
        self.heads -= 1;
        condition
    }

    /// Generates a block with a value, in most cases without statements.
    fn value_block(&mut self, ty: &Type, depth: u32) -> Block {
        let open = self.scope.open();
        let mut stmts = Vec::new();
        if depth > 1 && self.random.percent(25) {
            self.effect(&mut stmts);
        }
        let value = self.value(ty, depth.saturating_sub(1));
        self.scope.close(open);
        Block { stmts, value: Some(Box::new(value)) }
    }

    pub(super) fn if_stmt(&mut self, depth: u32) -> Stmt {
        let open = self.scope.open();
        let condition = if self.random.percent(12) { self.let_condition() } else { self.condition(depth) };
        let then = self.body(3);
        self.scope.close(open);
        let otherwise = match self.random.below(10) {
            0..5 => None,
            5..8 => Some(self.body(3)),
            _ => {
                let chained = self.if_stmt(1);
                let StmtKind::Expr(chained) = chained.kind else { unreachable!("an `if` is an expression") };
                Some(Block { stmts: vec![], value: Some(Box::new(chained)) })
            }
        };
        Stmt::expr(Expr::unit(ExprKind::If { condition: Box::new(condition), then, otherwise }))
    }

    /// Generates `let 1..=3 = x` as a condition.
    fn let_condition(&mut self) -> Expr {
        let (scrutinee, ty) = self.matched();
        let pattern = self.pattern(&ty);
        let pattern = match &ty {
            Type::Enum(choice) => {
                let variant = choice.variant(&choice.variants[self.random.below(choice.variants.len())]);
                self.payload_pattern(choice, variant)
            }
            Type::Int(_) => self.bound_pattern(pattern, &ty, 50),
            _ => pattern,
        };
        Expr::any(Type::Bool, ExprKind::Let(pattern, Box::new(scrutinee))).pinned()
    }

    /// Generates `matches!(x, 1..=3)`.
    pub(super) fn matches(&mut self) -> Expr {
        let (scrutinee, ty) = self.matched();
        let pattern = self.pattern(&ty);
        Expr::any(Type::Bool, ExprKind::Macro("matches", vec![scrutinee], Some(pattern))).pinned()
    }

    /// Generates `match x { .. }` as an expression.
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

    pub(super) fn match_stmt(&mut self) -> Stmt {
        let (scrutinee, arms) = self.arms(|generator| generator.body(2));
        Stmt::expr(Expr::unit(ExprKind::Match { scrutinee: Box::new(scrutinee), arms }))
    }

    /// Generates a scrutinee and its arms. The last arm is irrefutable.
    pub(super) fn arms(&mut self, mut body: impl FnMut(&mut Self) -> Block) -> (Expr, Vec<Arm>) {
        let (scrutinee, ty) = self.matched();
        // A guard must not modify the scrutinee, but may modify the original of a copy.
        let place = matches!(
            scrutinee.kind,
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Unary("*", _)
        );
        let mut patterns: Vec<String> = Vec::new();
        let mut complete = false;
        match &ty {
            Type::Enum(choice) if self.random.percent(60) => {
                patterns.extend(choice.variants.iter().map(|variant| choice.variant(variant)));
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
            let mut guarded = 25;
            match &ty {
                Type::Int(_) => pattern = self.bound_pattern(pattern, &ty, 25),
                Type::Enum(choice) if complete => pattern = self.payload_pattern(choice, pattern),
                Type::Tuple(parts) if self.random.percent(60) => {
                    pattern = self.alternatives(parts);
                    guarded = 70;
                }
                _ => {}
            }
            let guard = (!complete && !place && self.random.percent(guarded)).then(|| self.condition(2));
            let body = body(self);
            self.scope.close(open);
            arms.push(Arm { pattern, guard, body });
        }
        if !complete {
            let open = self.scope.open();
            let pattern = match &ty {
                Type::Int(_) if self.random.percent(40) => {
                    let name = self.fresh("k");
                    self.scope.value(&name, ty.clone(), scrutinee.range, Permission::Read);
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

    /// Generates a scrutinee.
    fn matched(&mut self) -> (Expr, Type) {
        let enums: Vec<Type> = self.types.iter().filter(|ty| matches!(ty, Type::Enum(_))).cloned().collect();
        let ty = match self.random.below(11) {
            0..4 if !enums.is_empty() => self.random.pick(&enums).clone(),
            10 => Type::option(&self.field_type()),
            0..7 => Type::Int(*self.random.pick(&Int::ALL)),
            7 => Type::Bool,
            8 => Type::Tuple(vec![Type::Int(*self.random.pick(&Int::ALL)), Type::Bool]),
            _ => Type::Tuple((0..2).map(|_| Type::Int(*self.random.pick(&Int::ALL))).collect()),
        };
        self.heads += 1;
        let scrutinee = match &ty {
            Type::Tuple(parts) if self.random.percent(70) => {
                let parts = parts.iter().map(|part| self.matched_part(part)).collect();
                Expr::any(ty.clone(), ExprKind::Tuple(parts))
            }
            _ => self.matched_part(&ty),
        };
        self.heads -= 1;
        (scrutinee, ty)
    }

    /// Generates a value, in most cases a small number, so that the arms are reached.
    fn matched_part(&mut self, ty: &Type) -> Expr {
        let value = self.value(ty, 2);
        match ty {
            Type::Int(int) if self.random.percent(60) => {
                self.narrow(value, Range::new(if int.is_signed() { -4 } else { 0 }, 9))
            }
            _ => value,
        }
    }

    /// Generates `(0, k) | (1, k)`: alternatives that bind the same variable and may overlap. A guard is evaluated once
    /// for each alternative that matches.
    pub(super) fn alternatives(&mut self, parts: &[Type]) -> String {
        let bound = self.random.below(parts.len());
        let name = self.fresh("k");
        let written: Vec<String> = (0..2 + self.random.below(2))
            .map(|_| {
                let parts = parts.iter().enumerate().map(|(at, part)| match part {
                    _ if at == bound && self.random.percent(85) => name.clone(),
                    _ if at == bound => format!("{name} @ ({})", self.pattern(part)),
                    _ if self.random.percent(15) => String::from("_"),
                    _ => self.pattern(part),
                });
                format!("({})", parts.collect::<Vec<_>>().join(", "))
            })
            .collect();
        self.scope.value(&name, parts[bound].clone(), parts[bound].range(), Permission::Read);
        written.join(" | ")
    }

    /// Adds the payload to the path of a variant: `E::Ash(k, _)`.
    fn payload_pattern(&mut self, choice: &Enum, path: String) -> String {
        let Some(variant) = choice.variants.iter().find(|variant| choice.variant(variant) == path) else { return path };
        if variant.payload.is_empty() {
            return path;
        }
        let parts: Vec<String> = variant
            .payload
            .iter()
            .map(|part| {
                if self.random.percent(20) {
                    return String::from("_");
                }
                let name = self.fresh("k");
                self.scope.value(&name, part.clone(), part.range(), Permission::Read);
                name
            })
            .collect();
        format!("{path}({})", parts.join(", "))
    }

    /// Adds a binding, `k @ pattern`, with a probability in percent.
    fn bound_pattern(&mut self, pattern: String, ty: &Type, percent: u32) -> String {
        if !self.random.percent(percent) {
            return pattern;
        }
        let name = self.fresh("k");
        self.scope.value(&name, ty.clone(), ty.range(), Permission::Read);
        if pattern.contains('|') { format!("{name} @ ({pattern})") } else { format!("{name} @ {pattern}") }
    }

    /// Generates a pattern without bindings.
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
                let mut one = || {
                    let variant = &choice.variants[self.random.below(choice.variants.len())];
                    let payload: Vec<String> = variant
                        .payload
                        .iter()
                        .map(|part| if self.random.percent(50) { String::from("_") } else { self.pattern(part) })
                        .collect();
                    let path = choice.variant(variant);
                    if payload.is_empty() { path } else { format!("{path}({})", payload.join(", ")) }
                };
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
}

/// Returns the range of a block's value.
fn range_of(block: &Block) -> Range {
    block.value.as_ref().map_or(Range::NONE, |value| value.range)
}
