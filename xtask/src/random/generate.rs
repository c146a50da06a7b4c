//! What the parts of the generator share: how much there may be of everything, and small things that all of them make.

use super::Options;
use super::rng::Random;
use super::scope::{Access, Bound, Kind, Path, Scope, Step};
use super::tree::{Expr, ExprKind};
use super::types::{Int, Range, Type};

/// The most statements that a thread may execute.
const MOST_STEPS: u64 = 4000;

/// Generates one program.
pub(crate) struct Generator<'o> {
    pub(super) options: &'o Options,
    pub(super) random: Random,
    pub(super) scope: Scope,
    /// Constants: their names, types and values.
    pub(super) constants: Vec<(String, Type, Range)>,
    /// The functions that can be called.
    pub(super) callees: Vec<Callee>,
    /// The structs and enums that there are.
    pub(super) types: Vec<Type>,
    /// The operators of structs: the type, the sign, and the steps.
    pub(super) operators: Vec<(Type, &'static str, u64)>,
    /// What is made runs without a thread of the kernel's.
    pub(super) hosted: bool,
    /// The loops that are open, the innermost last.
    pub(super) loops: Vec<OpenLoop>,
    /// What the function returns.
    pub(super) result: Type,
    /// How many more expressions may be made.
    pub(super) left: i32,
    /// How often what is made next is executed at most, and how many steps the function takes in all.
    pub(super) turns: u64,
    pub(super) steps: u64,
    /// How many times of 1000 something is left unprotected that may then fault.
    pub(super) risk: u32,
    /// How many heads of loops and conditions are open, out of which nothing may jump.
    pub(super) heads: u32,
    /// How many names were given.
    pub(super) names: usize,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Callee {
    pub(super) name: String,
    /// Of a method: the type that has it, and whether it takes `self`, `&self` or `&mut self`.
    pub(super) receiver: Option<(Type, &'static str)>,
    pub(super) params: Vec<Param>,
    pub(super) result: Type,
    /// The steps of a call.
    pub(super) steps: u64,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(super) enum Param {
    Value(Type),
    /// `&[T]`
    Slice(Type),
    /// `&mut [T]`, and behind it a `usize` from which on so many elements are the thread's own.
    Own(Type, usize),
    /// `&mut [T]`, of which all elements are the thread's own.
    Lent(Type),
    /// `&mut [T]`, to which all threads add.
    Sums(Type, &'static str),
    /// `&T` or `&mut T`
    Ref(Type, bool),
}

/// A loop, or a block with a label, that can be left.
#[derive(Clone, Debug)]
pub(super) struct OpenLoop {
    /// Given when something names it.
    pub(super) label: Option<String>,
    /// The type of its value, which each `break` has to have.
    pub(super) value: Option<Type>,
    /// What its value may be so far.
    pub(super) range: Option<Range>,
    /// A block, which only a `break` with its label leaves.
    pub(super) block: bool,
}

impl Generator<'_> {
    /// A name that nothing else has.
    pub(super) fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A name for a variable: mostly a new one, sometimes one that is in scope already, or a word that C++ or we use.
    pub(super) fn variable(&mut self) -> String {
        const TAKEN: [&str; 14] = [
            "int", "float", "double", "auto", "class", "this", "launch", "rt", "fault", "site", "usize_", "u32_",
            "blockIdx", "y0_len",
        ];
        if self.random.percent(12) {
            let names: Vec<String> = self
                .scope
                .visible()
                .filter(|binding| matches!(binding.kind, Kind::Value { access: Access::Read | Access::Write, .. }))
                .map(|binding| binding.name.clone())
                .filter(|name| self.scope.may_shadow(name))
                .collect();
            if !names.is_empty() {
                return self.random.pick(&names).clone();
            }
        }
        if self.random.percent(2) {
            return (*self.random.pick(&TAKEN)).to_owned();
        }
        let letter = *self.random.pick(&["b", "c", "d", "e", "g", "m", "q", "v", "w"]);
        self.fresh(letter)
    }

    /// Whether something is left unprotected.
    pub(super) fn risky(&mut self) -> bool {
        self.random.permille(self.risk)
    }

    /// Whether so many steps can be added here.
    pub(super) fn affords(&self, steps: u64) -> bool {
        self.steps + self.turns * steps <= MOST_STEPS
    }

    /// Adds steps here.
    pub(super) fn spend(&mut self, steps: u64) {
        self.steps += self.turns * steps;
    }

    /// An integer that is likely to be handled wrongly, or any.
    pub(super) fn interesting(&mut self, range: Range) -> i128 {
        let value = match self.random.below(10) {
            0..4 => self.random.within(0, 9),
            4 => self.random.within(-9, -1),
            5 => *self.random.pick(&[
                range.low,
                range.low + 1,
                range.high,
                range.high - 1,
                range.high / 2,
                range.high / 2 + 1,
            ]),
            6 => (1 << self.random.below(64)) - self.random.within(0, 1),
            7 => self.random.within(0, 255),
            _ => self.random.within(range.low, range.high),
        };
        if range.contains(value) { value } else { range.low + value.rem_euclid(range.count()) }
    }

    /// A literal.
    pub(super) fn int_literal(&mut self, int: Int, range: Range) -> Expr {
        let value = self.interesting(range);
        let ty = Type::Int(int);
        let whole = int.range();
        for (end, name) in [(whole.low, "MIN"), (whole.high, "MAX")] {
            if value == end && end != 0 && self.random.percent(70) {
                return Expr::new(ty, Range::one(value), ExprKind::Literal(format!("{}::{name}", int.name())));
            }
        }
        Expr::int(ty, value)
    }

    /// The text of a float that is likely to be handled wrongly, or any.
    pub(super) fn float_text(&mut self, ty: &Type) -> String {
        const COMMON: [&str; 12] =
            ["0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-2.5", "3.5", "0.1", "100.0", "-7.25", "127.5"];
        const RARE: [&str; 9] = [
            "1e10",
            "-1e30",
            "1e-40",
            "8388607.5",
            "16777217.0",
            "2147483648.0",
            "9007199254740993.0",
            "1e-10",
            "255.9",
        ];
        match self.random.below(20) {
            0..10 => (*self.random.pick(&COMMON)).to_owned(),
            10..13 => (*self.random.pick(&RARE)).to_owned(),
            13 => format!(
                "{ty}::{}",
                self.random.pick(&["NAN", "INFINITY", "NEG_INFINITY", "MAX", "MIN_POSITIVE", "EPSILON"])
            ),
            _ => format!("{:?}", self.random.within(-4000, 4000) as f64 / 16.0),
        }
    }

    pub(super) fn float_literal(&mut self, ty: &Type) -> Expr {
        let text = self.float_text(ty);
        Expr::any(ty.clone(), ExprKind::Literal(text))
    }

    /// A number or a `bool`.
    pub(super) fn scalar_type(&mut self) -> Type {
        match self.random.below(20) {
            0..2 => Type::Bool,
            2..4 => Type::F32,
            4..6 => Type::F64,
            6..9 => Type::Int(*self.random.pick(&[Int::I32, Int::U32, Int::Usize])),
            _ => Type::Int(*self.random.pick(&Int::ALL)),
        }
    }

    /// An expression that is made of `value` and is surely in `range`.
    pub(super) fn narrow(&mut self, value: Expr, range: Range) -> Expr {
        let int = value.ty.int().expect("an integer");
        let ty = value.ty.clone();
        if value.range.is_inside(range) {
            return value;
        }
        let count = range.count();
        let whole = int.range();
        let at = |value: i128| Expr::int(ty.clone(), value);
        let zero_based = range.low == 0;
        let from_low = Range::new(range.low, range.low.max(range.high));
        for _ in 0..4 {
            match self.random.below(7) {
                // The bits of a mask that fits.
                0 | 1 if range.low <= 0 && range.high > 0 => {
                    let mask = (1i128 << (127 - (range.high + 1).leading_zeros())) - 1;
                    return Expr::binary(ty.clone(), Range::new(0, mask), "&", value, at(mask));
                }
                2 | 3 if !int.is_signed() && zero_based && whole.contains(count) => {
                    return Expr::binary(ty.clone(), range, "%", value, at(count));
                }
                2 if !int.is_signed() && whole.contains(count) => {
                    let rest = Expr::binary(ty.clone(), Range::new(0, count - 1), "%", value, at(count));
                    return Expr::binary(ty.clone(), range, "+", rest, at(range.low));
                }
                3 if range.low < 0 && range.low == -range.high && range.high < whole.high => {
                    return Expr::binary(ty.clone(), range, "%", value, at(range.high + 1));
                }
                4 if int.is_signed() && whole.contains(count) => {
                    let rest = Expr::method(ty.clone(), Range::new(0, count - 1), value, "rem_euclid", vec![at(count)]);
                    if zero_based {
                        return rest;
                    }
                    return Expr::binary(ty.clone(), range, "+", rest, at(range.low));
                }
                5 if !int.is_signed() && zero_based => {
                    return Expr::method(ty.clone(), range, value, "min", vec![at(range.high)]);
                }
                6 => break,
                _ => {}
            }
        }
        Expr::method(ty.clone(), from_low, value, "clamp", vec![at(range.low), at(range.high)])
    }

    /// [`Generator::narrow`], in a way that no change to the program undoes.
    pub(super) fn pinned_narrow(&mut self, value: Expr, range: Range) -> Expr {
        let ty = value.ty.clone();
        let at = |value: i128| Expr::int(ty.clone(), value).pinned();
        if value.range.is_inside(range) && (value.is_literal() || self.counts(&value)) {
            return value.pinned();
        }
        let count = range.count();
        let narrowed = if range.low == 0 && count & (count - 1) == 0 {
            Expr::binary(ty.clone(), range, "&", value, at(range.high))
        } else if range.low == 0 && ty.range().low == 0 && self.random.percent(70) {
            Expr::binary(ty.clone(), range, "%", value, at(count))
        } else {
            Expr::method(ty.clone(), range, value, "clamp", vec![at(range.low), at(range.high)])
        };
        narrowed.pinned()
    }

    /// Whether an expression is the counter of a loop.
    fn counts(&self, value: &Expr) -> bool {
        let ExprKind::Name(name) = &value.kind else {
            return false;
        };
        self.scope
            .visible()
            .any(|binding| binding.name == *name && matches!(binding.kind, Kind::Value { access: Access::Count, .. }))
    }

    /// What a path leads to, as a value or a place.
    pub(super) fn follow(&mut self, path: &Path, depth: u32) -> Expr {
        let mut expr = Expr::name(&path.name, path.ty.clone(), path.range);
        for step in &path.steps {
            let kind = match step {
                Step::Deref => ExprKind::Unary("*", Box::new(expr)),
                Step::Field(name) => ExprKind::Field(Box::new(expr), name.clone()),
                Step::Element(len) => {
                    let index = self.index(&Bound::Length { least: *len, most: *len }, depth, None);
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                Step::Slice(bound) => {
                    let slice = (path.access == Access::Read).then_some(path.name.as_str());
                    let index = self.index(bound, depth, slice);
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
            };
            expr = Expr::new(path.ty.clone(), path.range, kind);
        }
        expr
    }

    /// An index. `slice` is the slice's name, if its length may be asked for.
    fn index(&mut self, bound: &Bound, depth: u32, slice: Option<&str>) -> Expr {
        let depth = depth.saturating_sub(1).min(2);
        let usize = || Type::USIZE;
        match bound {
            Bound::Length { least, most: _ } => {
                let inside = Range::new(0, *least as i128 - 1);
                if let Some(index) = self.affine_index(inside) {
                    return index;
                }
                let index = self.value(&usize(), depth);
                if self.risky() {
                    return index;
                }
                match slice {
                    Some(slice) if self.random.percent(15) => {
                        let len = Expr::method(usize(), inside, Expr::name(slice, usize(), inside), "len", vec![]);
                        Expr::binary(usize(), inside, "%", index, len)
                    }
                    _ => self.narrow(index, inside),
                }
            }
            Bound::Own { base, size } => {
                let base = Expr::name(base, usize(), Range::NONE).pinned();
                if *size == 1 {
                    return base;
                }
                let start = Expr::binary(usize(), Range::NONE, "*", base, Expr::int(usize(), *size as i128).pinned());
                self.own_index(start.pinned(), *size, depth)
            }
            Bound::From { base, size } => {
                let start = Expr::name(base, usize(), Range::NONE).pinned();
                self.own_index(start, *size, depth)
            }
            Bound::Below(name) => {
                let index = self.value(&usize(), depth);
                let bound = Expr::name(name, usize(), Range::NONE).pinned();
                Expr::binary(usize(), Range::NONE, "%", index, bound).pinned()
            }
            Bound::At(name) => Expr::name(name, usize(), Range::NONE).pinned(),
        }
    }

    /// `start + k`, or with a little luck an index that is far outside.
    fn own_index(&mut self, start: Expr, size: usize, depth: u32) -> Expr {
        let inside = Range::new(0, size as i128 - 1);
        let index = self.affine_index(inside).unwrap_or_else(|| self.value(&Type::USIZE, depth));
        let within = self.pinned_narrow(index, inside);
        let mut index = Expr::binary(Type::USIZE, Range::NONE, "+", start, within).pinned();
        if self.risky() {
            let condition = self.value(&Type::Bool, 1);
            let cast = Expr::new(Type::USIZE, Range::new(0, 1), ExprKind::Cast(Box::new(condition)));
            let far =
                Expr::binary(Type::USIZE, Range::NONE, "*", cast, Expr::int(Type::USIZE, 1 << 20).pinned()).pinned();
            index = Expr::binary(Type::USIZE, Range::NONE, "+", index, far).pinned();
        }
        index
    }

    /// `j`, `j + 1`, `7 - j`, `2 * j + k`: indices as programs have them in loops, of variables that are small.
    fn affine_index(&mut self, inside: Range) -> Option<Expr> {
        if self.random.percent(45) {
            return None;
        }
        let mut small = self.scope.paths(|ty| *ty == Type::USIZE);
        small.retain(|path| path.steps.is_empty() && path.range.high <= 64 && path.access != Access::Write);
        let counters: Vec<Path> = small.iter().filter(|path| path.access == Access::Count).cloned().collect();
        if small.is_empty() {
            return None;
        }
        let from = if counters.is_empty() || self.random.percent(20) { small } else { counters };
        let path = self.random.pick(&from).clone();
        let variable = Expr::name(&path.name, Type::USIZE, path.range);
        let literal = |value: i128| Expr::int(Type::USIZE, value);
        let Range { low, high } = path.range;
        let shift = self.random.within(0, 3);
        let (range, expr) = match self.random.below(6) {
            0 if low >= shift => (
                Range::new(low - shift, high - shift),
                Expr::binary(Type::USIZE, Range::NONE, "-", variable, literal(shift)),
            ),
            1 if inside.high >= high => {
                let top = literal(inside.high);
                (
                    Range::new(inside.high - high, inside.high - low),
                    Expr::binary(Type::USIZE, Range::NONE, "-", top, variable),
                )
            }
            2 => (
                Range::new(low + shift, high + shift),
                Expr::binary(Type::USIZE, Range::NONE, "+", literal(shift), variable),
            ),
            3 => {
                let twice = Expr::binary(Type::USIZE, Range::NONE, "*", literal(2), variable);
                (
                    Range::new(2 * low + shift, 2 * high + shift),
                    Expr::binary(Type::USIZE, Range::NONE, "+", twice, literal(shift)),
                )
            }
            4 => (
                Range::new(low + shift, high + shift),
                Expr::binary(Type::USIZE, Range::NONE, "+", variable, literal(shift)),
            ),
            _ => (path.range, variable),
        };
        (range.is_inside(inside) || self.risky()).then_some(Expr { range, ..expr })
    }
}
