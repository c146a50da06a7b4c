//! Expressions of any type, and what all types have in common.

use super::Overflow;
use super::generate::{Callee, Generator, OpenLoop, Param};
use super::ops::converted;
use super::scope::{Access, Bound, Kind, Path, Step};
use super::tree::{Block, Expr, ExprKind, Head, Stmt};
use super::types::{Int, Range, Type};

/// What an expression is made of.
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
}

impl Generator<'_> {
    /// An expression of a type.
    pub(super) fn value(&mut self, ty: &Type, depth: u32) -> Expr {
        self.left -= 1;
        if depth == 0 || self.left <= 0 {
            return self.leaf(ty, depth);
        }
        let full = u32::from(self.options.language.is_full());
        let form = self.random.weighted(&[
            (22, Form::Read),
            (60, Form::Operation),
            (8, Form::Call),
            (6, Form::If),
            (4, Form::Block),
            (1, Form::Loop),
            (full, Form::Labelled),
            (4 * full, Form::Match),
            (1, Form::Jump),
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
        };
        made.unwrap_or_else(|| self.leaf(ty, depth))
    }

    /// What the type's own operators and methods give.
    fn operation(&mut self, ty: &Type, depth: u32) -> Expr {
        match ty {
            Type::Bool => self.bool_operation(depth),
            Type::Int(int) => self.int_operation(*int, depth),
            Type::F32 | Type::F64 => self.float_operation(ty, depth),
            Type::Tuple(parts) if self.options.language.is_full() && self.random.percent(50) => {
                self.tuple_operation(parts, depth).unwrap_or_else(|| self.constructor(ty, depth))
            }
            Type::Struct(_) if self.random.percent(50) => {
                self.struct_operation(ty, depth).unwrap_or_else(|| self.constructor(ty, depth))
            }
            _ => self.constructor(ty, depth),
        }
    }

    /// A variable, an element, a constant or a literal.
    pub(super) fn leaf(&mut self, ty: &Type, depth: u32) -> Expr {
        let shallow = |path: &Path| path.steps.iter().all(|step| matches!(step, Step::Deref | Step::Field(_)));
        if self.random.percent(75) {
            let paths = self.scope.paths(|found| found == ty);
            // Slices are read in the end by indices, which are leaves themselves.
            let deep = depth > 0 && self.left > 0;
            let paths: Vec<Path> = paths.into_iter().filter(|path| deep || shallow(path)).collect();
            if !paths.is_empty() {
                // The last are the newest, and mostly what the program is about.
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
        // A variable of another type is better than a literal, of which compilers know all.
        if ty.is_scalar() && self.random.percent(60) {
            let paths = self.scope.paths(Type::is_scalar);
            let paths: Vec<Path> = paths.into_iter().filter(shallow).collect();
            if !paths.is_empty() {
                let path = self.random.pick(&paths).clone();
                return converted(self.follow(&path, 0), ty);
            }
        }
        match ty {
            Type::Bool => Expr::bool(self.random.percent(50)),
            Type::Int(Int::Usize) if self.random.percent(25) => self.usize_leaf(),
            Type::Int(int) => self.int_literal(*int, int.range()),
            Type::F32 | Type::F64 => self.float_literal(ty),
            _ => self.constructor(ty, depth),
        }
    }

    /// What a `usize` is in a kernel: a length, or where the thread is.
    fn usize_leaf(&mut self) -> Expr {
        let mut leaves = Vec::new();
        let usize = || Type::USIZE;
        for binding in self.scope.visible() {
            if let Kind::Slice { bound: Bound::Length { least, most }, .. } = &binding.kind {
                let range = Range::new(*least as i128, *most as i128);
                let slice = Expr::name(&binding.name, usize(), range);
                leaves.push(Expr::method(usize(), range, slice, "len", vec![]));
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

    /// A tuple, array, struct or enum from its parts.
    pub(super) fn constructor(&mut self, ty: &Type, depth: u32) -> Expr {
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
                let (variant, _) = self.random.pick(&choice.variants);
                ExprKind::Name(format!("{}::{variant}", choice.name))
            }
            Type::Unit | Type::Bool | Type::Int(_) | Type::F32 | Type::F64 | Type::Slice(..) | Type::Ref(..) => {
                unreachable!("`{ty}` has no parts")
            }
        };
        Expr::any(ty.clone(), kind)
    }

    /// `if c { a } else { b }`, as a value.
    fn if_value(&mut self, ty: &Type, depth: u32) -> Expr {
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

    /// What an `if` or `while` asks. Nothing jumps out of it.
    pub(super) fn condition(&mut self, depth: u32) -> Expr {
        self.heads += 1;
        let condition = self.value(&Type::Bool, depth.max(1));
        self.heads -= 1;
        condition
    }

    /// A block with a value, mostly of nothing else.
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

    /// `{ n = 3; x }`: with an effect, so that it shows when it is evaluated.
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

    /// `loop { .. break x; .. }`, as a value. A counter ends it.
    fn loop_value(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let most = self.random.within(1, 4) as u64;
        if !self.affords(3 * most) || self.heads > 0 {
            return None;
        }
        let open = self.scope.open();
        let (turns, start) = self.counter(most);
        self.turns *= most;
        self.loops.push(OpenLoop { label: None, value: Some(ty.clone()), range: None, block: false });
        let inner = self.scope.open();
        let mut body = Block::default();
        // A `continue` in it would keep the loop going.
        self.heads += 1;
        let last = self.value(ty, depth.saturating_sub(1));
        self.heads -= 1;
        let mut ranges = last.range;
        body.stmts.push(count(&turns));
        body.stmts.push(stop(&turns, most, Some(last)));
        for _ in 0..=self.random.below(2) {
            self.stmt(&mut body.stmts);
        }
        self.scope.close(inner);
        let this = self.loops.pop().expect("it was pushed");
        self.turns /= most;
        self.scope.close(open);
        if let Some(range) = this.range {
            ranges = ranges.or(range);
        }
        let repeat = ExprKind::Loop { label: this.label, head: Head::Loop, body };
        let value = Expr::new(ty.clone(), ranges, repeat);
        Some(Expr::new(ty.clone(), ranges, ExprKind::Block(Block { stmts: vec![start], value: Some(Box::new(value)) })))
    }

    /// `'a: { .. break 'a x; .. y }`
    fn labelled_value(&mut self, ty: &Type, depth: u32) -> Expr {
        if self.heads > 0 {
            return self.leaf(ty, depth);
        }
        let label = self.fresh("block");
        let open = self.scope.open();
        self.loops.push(OpenLoop { label: Some(label.clone()), value: Some(ty.clone()), range: None, block: true });
        let mut body = Block::default();
        for _ in 0..=self.random.below(3) {
            self.stmt(&mut body.stmts);
        }
        let value = self.value(ty, depth.saturating_sub(1));
        let this = self.loops.pop().expect("it was pushed");
        self.scope.close(open);
        let range = this.range.map_or(value.range, |range| range.or(value.range));
        body.value = Some(Box::new(value));
        Expr::new(ty.clone(), range, ExprKind::Labelled(label, body))
    }

    /// `if c { break } else { x }`, where something can be left.
    fn jump_value(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let jump = self.jump()?;
        let condition = self.condition(1);
        let value = self.value(ty, depth.saturating_sub(1));
        let range = value.range;
        let (jump, value) = (
            Block { stmts: vec![], value: Some(Box::new(jump)) },
            Block { stmts: vec![], value: Some(Box::new(value)) },
        );
        let (then, otherwise) = if self.random.percent(50) { (jump, value) } else { (value, jump) };
        let kind = ExprKind::If { condition: Box::new(condition), then, otherwise: Some(otherwise) };
        Some(Expr::new(ty.clone(), range, kind))
    }

    /// `break`, `continue` or `return` out of what is open, if something is.
    pub(super) fn jump(&mut self) -> Option<Expr> {
        if self.heads > 0 {
            return None;
        }
        if self.loops.is_empty() || self.random.percent(10) {
            let value = (self.result != Type::Unit).then(|| self.value(&self.result.clone(), 1));
            return Some(Expr::jump("return", None, value));
        }
        let at = if self.random.percent(70) { self.loops.len() - 1 } else { self.random.below(self.loops.len()) };
        let OpenLoop { label, value: ty, range: _, block } = self.loops[at].clone();
        let plain = at == self.loops.len() - 1 && !block && self.random.percent(80);
        let label = if plain {
            None
        } else {
            let label = label.unwrap_or_else(|| self.fresh("loop"));
            self.loops[at].label = Some(label.clone());
            Some(label)
        };
        if !block && self.random.percent(40) {
            return Some(Expr::jump("continue", label, None));
        }
        let value = ty.map(|ty| self.value(&ty, 1));
        if let Some(value) = &value {
            let range = self.loops[at].range;
            self.loops[at].range = Some(range.map_or(value.range, |range| range.or(value.range)));
        }
        Some(Expr::jump("break", label, value))
    }

    /// A call of a function that gives this type.
    pub(super) fn call(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let fitting: Vec<Callee> =
            self.callees.iter().filter(|callee| callee.result == *ty && self.affords(callee.steps)).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let callee = self.random.pick(&fitting).clone();
        self.call_of(&callee, depth)
    }

    /// A call, if there is what it takes.
    pub(super) fn call_of(&mut self, callee: &Callee, depth: u32) -> Option<Expr> {
        let Callee { name, receiver, params, result, steps } = callee;
        if self.hosted {
            return None;
        }
        // What is borrowed mutably must not be named by the arguments beside it.
        let borrows = params.iter().any(|param| matches!(param, Param::Lent(_) | Param::Ref(..)))
            || matches!(receiver, Some((_, "&self" | "&mut self")));
        let depth = if borrows { 0 } else { depth.saturating_sub(1) };
        self.spend(steps + 1);
        let mut args = Vec::new();
        let receiver = match receiver {
            Some((ty, "self")) => Some(self.value(ty, depth)),
            Some((ty, word)) => Some(self.place(ty, *word == "&mut self")?),
            None => None,
        };
        let mut lent: Vec<String> = receiver.iter().filter_map(root).collect();
        for param in params {
            match param {
                Param::Value(ty) if borrows => args.push(self.unlent_value(ty, &lent)),
                Param::Value(ty) => args.push(self.value(ty, depth)),
                Param::Slice(element) => args.push(self.slice_argument(element, &lent)?),
                Param::Own(element, size) => {
                    let [slice, start] = self.own_argument(element, *size, &lent)?;
                    lent.extend(root(&slice));
                    args.extend([slice, start]);
                }
                Param::Lent(element) => {
                    let (argument, name) = self.lent_argument(element, &lent)?;
                    lent.push(name);
                    args.push(argument);
                }
                Param::Sums(element, function) => {
                    let found = self.scope.visible().find_map(|binding| match &binding.kind {
                        Kind::Sums { element: of, function: by } if of == element && by == function => {
                            Some(binding.name.clone())
                        }
                        _ => None,
                    });
                    args.push(Expr::name(&found?, Type::Slice(Box::new(element.clone()), true), Range::NONE).pinned());
                }
                Param::Ref(ty, mutable) => {
                    let place = self.place_apart(ty, *mutable, &lent)?;
                    lent.extend(root(&place));
                    let by_ref = Type::Ref(Box::new(ty.clone()), *mutable);
                    args.push(Expr::any(by_ref, ExprKind::Borrow(*mutable, Box::new(place))));
                }
            }
        }
        let kind = match receiver {
            Some(receiver) => ExprKind::Method(Box::new(receiver), name.clone(), args),
            None => ExprKind::Call(name.clone(), args),
        };
        Some(Expr::any(result.clone(), kind))
    }

    /// A value that does not name what is lent: a literal.
    fn unlent_value(&mut self, ty: &Type, lent: &[String]) -> Expr {
        let paths = self.scope.paths(|found| found == ty);
        let apart: Vec<Path> =
            paths.into_iter().filter(|path| path.steps.is_empty() && !lent.contains(&path.name)).collect();
        if !apart.is_empty() && self.random.percent(80) {
            let path = self.random.pick(&apart).clone();
            return self.follow(&path, 0);
        }
        match ty {
            Type::Bool => Expr::bool(self.random.percent(50)),
            Type::Int(int) => self.int_literal(*int, int.range()),
            Type::F32 | Type::F64 => self.float_literal(ty),
            _ => Expr::simplest(ty).expect("a value"),
        }
    }

    /// A slice that is only read.
    fn slice_argument(&mut self, element: &Type, lent: &[String]) -> Option<Expr> {
        let ty = Type::Slice(Box::new(element.clone()), false);
        let mut found = Vec::new();
        for binding in self.scope.visible().filter(|binding| !lent.contains(&binding.name)) {
            match &binding.kind {
                Kind::Slice { element: of, bound: Bound::Length { least, .. }, .. }
                    if of == element && *least >= super::SHORTEST =>
                {
                    found.push((binding.name.clone(), false, *least));
                }
                Kind::Value { ty: Type::Array(of, len), .. } if **of == *element && *len >= super::SHORTEST => {
                    found.push((binding.name.clone(), true, *len));
                }
                _ => {}
            }
        }
        if found.is_empty() {
            return None;
        }
        let (name, array, least) = self.random.pick(&found).clone();
        let whole = Expr::name(&name, ty.clone(), Range::NONE);
        let full = self.options.language.is_full();
        if full && least > super::SHORTEST && self.random.percent(30) {
            return Some(self.part(whole, least, false));
        }
        Some(if array { Expr::any(ty, ExprKind::Borrow(false, Box::new(whole))) } else { whole })
    }

    /// `&x[a..b]`, of at least [`super::SHORTEST`] elements.
    pub(super) fn part(&mut self, whole: Expr, least: usize, mutable: bool) -> Expr {
        let ty = match &whole.ty {
            Type::Slice(element, _) | Type::Array(element, _) => Type::Slice(element.clone(), mutable),
            other => other.clone(),
        };
        let spare = least - super::SHORTEST;
        let start = self.random.below(spare + 1);
        let most = self.random.below(spare - start + 1);
        let at = |value: usize| Some(Box::new(Expr::int(Type::USIZE, value as i128).pinned()));
        let len = super::SHORTEST + start + most;
        let range = match self.random.below(4) {
            0 => (at(start), "..", None),
            1 => (None, "..", at(len)),
            2 => (at(start), "..=", at(len - 1)),
            _ => (at(start), "..", at(len)),
        };
        let range = Expr::any(Type::Unit, ExprKind::Range(range.0, range.1, range.2)).pinned();
        let part = Expr::any(ty.clone(), ExprKind::Index(Box::new(whole), Box::new(range))).pinned();
        Expr::any(ty, ExprKind::Borrow(mutable, Box::new(part))).pinned()
    }

    /// A slice of which some elements are the thread's own, and where they begin.
    fn own_argument(&mut self, element: &Type, size: usize, lent: &[String]) -> Option<[Expr; 2]> {
        let found: Vec<_> = self
            .scope
            .visible()
            .filter(|binding| !lent.contains(&binding.name))
            .filter_map(|binding| match &binding.kind {
                Kind::Slice { element: of, writable: true, bound: Bound::Own { base, size: most } }
                    if of == element && *most >= size =>
                {
                    Some((binding.name.clone(), base.clone(), Some(*most)))
                }
                Kind::Slice { element: of, writable: true, bound: Bound::From { base, size: most } }
                    if of == element && *most >= size =>
                {
                    Some((binding.name.clone(), base.clone(), None))
                }
                _ => None,
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        let (name, base, scale) = self.random.pick(&found).clone();
        let slice = Expr::name(&name, Type::Slice(Box::new(element.clone()), true), Range::NONE).pinned();
        let base = Expr::name(&base, Type::USIZE, Range::NONE).pinned();
        let start = match scale {
            Some(scale) => {
                let scale = Expr::int(Type::USIZE, scale as i128).pinned();
                Expr::binary(Type::USIZE, Range::NONE, "*", base, scale).pinned()
            }
            None => base,
        };
        Some([slice, start])
    }

    /// `x`, `x.f` or `x[i]` of a type, to borrow or to call a method of.
    fn place(&mut self, ty: &Type, mutable: bool) -> Option<Expr> {
        self.place_apart(ty, mutable, &[])
    }

    fn place_apart(&mut self, ty: &Type, mutable: bool, lent: &[String]) -> Option<Expr> {
        let mut paths = self.scope.paths(|found| found == ty);
        paths.retain(|path| !lent.contains(&path.name) && (!mutable || path.access == Access::Write));
        if paths.is_empty() {
            return None;
        }
        let path = self.random.pick(&paths).clone();
        Some(self.follow(&path, 0).pinned())
    }

    /// Whether plain arithmetic may overflow here.
    pub(super) fn may_overflow(&mut self) -> bool {
        match self.options.overflow {
            Overflow::Wraps => self.random.percent(60),
            Overflow::Faults => self.risky(),
        }
    }

    /// `let mut turns = 0;`, which is counted by [`count`] and ends a loop by [`stop`].
    pub(super) fn counter(&mut self, most: u64) -> (String, Stmt) {
        let name = self.fresh("turns");
        let range = Range::new(0, i128::from(most) + 1);
        self.scope.value(&name, Type::U32, range, Access::Read);
        let stmt = Stmt::binding(&name, true, false, Expr::int(Type::U32, 0).pinned()).pinned();
        (name, stmt)
    }
}

/// What a block's value may be.
fn range_of(block: &Block) -> Range {
    block.value.as_ref().map_or(Range::NONE, |value| value.range)
}

/// The variable of a place.
fn root(place: &Expr) -> Option<String> {
    match &place.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Unary(_, base) => root(base),
        _ => None,
    }
}

/// `turns += 1;`
pub(super) fn count(turns: &str) -> Stmt {
    let name = Expr::name(turns, Type::U32, Range::NONE).pinned();
    Stmt::expr(Expr::assign("+=", name, Expr::int(Type::U32, 1).pinned())).pinned()
}

/// `if turns > most { break; }`
pub(super) fn stop(turns: &str, most: u64, value: Option<Expr>) -> Stmt {
    let name = Expr::name(turns, Type::U32, Range::NONE).pinned();
    let limit = Expr::int(Type::U32, i128::from(most)).pinned();
    let condition = Expr::binary(Type::Bool, Range::NONE, ">", name, limit).pinned();
    let leave = Stmt::expr(Expr::jump("break", None, value).pinned()).pinned();
    let then = Block { stmts: vec![leave], value: None };
    Stmt::expr(Expr::unit(ExprKind::If { condition: Box::new(condition), then, otherwise: None }).pinned()).pinned()
}
