//! Random kernels whose indices, divisors and shift amounts are near every limit, as text for the test front end.

mod structs;

use std::fmt::Write;

use structs::{Passing, Structs, owner};

use super::idioms::IDIOMS;
use crate::ir::Scalar;

/// A generator of random numbers (`SplitMix64`).
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A parameter of a generated kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Param {
    Slice(Scalar),
    View(Scalar),
    Number(Scalar),
}

/// A generated kernel.
pub(super) struct Kernel {
    pub(super) text: String,
    pub(super) params: Vec<Param>,
}

const INTEGERS: [Scalar; 10] = [
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
    Scalar::Usize,
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::Isize,
];

#[derive(Clone)]
struct Var {
    name: String,
    ty: Scalar,
    mutable: bool,
}

#[derive(Clone)]
struct Array {
    name: String,
    element: Scalar,
    mutable: bool,
    dimensions: u8,
}

#[derive(Clone)]
struct Function {
    name: String,
    params: Vec<FunctionParam>,
    result: Scalar,
}

#[derive(Clone, Copy)]
enum FunctionParam {
    Number(Scalar),
    Slice(Scalar),
    Reference(Scalar),
    /// A struct, by its number.
    Struct(usize, Passing),
}

struct Generator<'r> {
    rng: &'r mut Rng,
    lines: Vec<String>,
    depth: usize,
    vars: Vec<Var>,
    arrays: Vec<Array>,
    functions: Vec<Function>,
    /// The labels of the enclosing loops, innermost last; whether each is a loop.
    loops: Vec<String>,
    names: usize,
    budget: isize,
    /// The result type of the function; `None` in a kernel.
    result: Option<Scalar>,
    dimensions: usize,
    structs: Structs,
}

/// Generates a kernel with about `size` statements.
pub(super) fn kernel(rng: &mut Rng, size: usize) -> Kernel {
    let dimensions = if rng.chance(25) { 2 } else { 1 };
    let mut generator = Generator {
        rng,
        lines: Vec::new(),
        depth: 0,
        vars: Vec::new(),
        arrays: Vec::new(),
        functions: Vec::new(),
        loops: Vec::new(),
        names: 0,
        budget: 0,
        result: None,
        dimensions,
        structs: Structs::default(),
    };
    generator.define_structs();
    for _ in 0..generator.rng.below(3) {
        if generator.rng.chance(60) {
            generator.function();
        }
    }
    let params = generator.kernel(size as isize);
    Kernel { text: generator.lines.join("\n") + "\n", params }
}

impl Generator<'_> {
    fn line(&mut self, text: impl Into<String>) {
        let text = format!("{}{}", "    ".repeat(self.depth), text.into());
        self.lines.push(text);
    }

    fn open(&mut self, text: impl Into<String>) {
        self.line(text);
        self.depth += 1;
    }

    fn close(&mut self, text: &str) {
        self.depth -= 1;
        self.line(text);
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn ty(&mut self) -> Scalar {
        if self.rng.chance(60) { Scalar::Usize } else { *self.rng.pick(&INTEGERS) }
    }

    fn function(&mut self) {
        let name = self.name("f");
        let mut head = format!("fn {name}(");
        let mut params = Vec::new();
        self.vars.clear();
        self.arrays.clear();
        self.structs.vars.clear();
        for i in 0..=self.rng.below(3) {
            let ty = self.ty();
            let mutable = self.rng.chance(30);
            let param = match self.rng.below(7) {
                0 | 1 => FunctionParam::Slice(ty),
                2 => FunctionParam::Reference(ty),
                3 => self.struct_param(),
                _ => FunctionParam::Number(ty),
            };
            match param {
                FunctionParam::Slice(ty) => {
                    let _ = write!(head, "s{i}: &[{}], ", ty.name());
                    self.arrays.push(Array { name: format!("s{i}"), element: ty, mutable: false, dimensions: 1 });
                }
                FunctionParam::Reference(ty) => {
                    let _ = write!(head, "r{i}: &mut {}, ", ty.name());
                    self.vars.push(Var { name: format!("*r{i}"), ty, mutable: true });
                }
                FunctionParam::Number(ty) => {
                    let _ = write!(head, "{}a{i}: {}, ", if mutable { "mut " } else { "" }, ty.name());
                    self.vars.push(Var { name: format!("a{i}"), ty, mutable });
                }
                FunctionParam::Struct(of, passing) => {
                    let is_mutable = match passing {
                        Passing::Value => mutable,
                        Passing::Shared => false,
                        Passing::Mutable => true,
                    };
                    let name = format!("o{i}");
                    let place = if passing == Passing::Value { name.clone() } else { format!("*{name}") };
                    let prefix = if passing == Passing::Value && mutable { "mut " } else { "" };
                    let _ = write!(head, "{prefix}{name}: {}{}, ", passing.prefix(), self.structs.defs[of].name);
                    self.add_struct(place, of, is_mutable);
                }
            }
            params.push(param);
        }
        if self.rng.chance(40) && !self.structs.defs.is_empty() {
            return self.constructor(name, head.trim_end_matches(", "), params);
        }
        let result = self.ty();
        self.result = Some(result);
        self.open(format!("{}) -> {} {{", head.trim_end_matches(", "), result.name()));
        self.budget = 1 + self.rng.below(4) as isize;
        self.stmts();
        if self.rng.chance(18) {
            let condition = self.condition(1);
            self.line(format!("if {condition} {{ panic!(\"no\") }}"));
        }
        if self.rng.chance(30) {
            let condition = self.condition(1);
            let value = self.expr(result, 1);
            self.line(format!("if {condition} {{ return {value}; }}"));
        }
        let value = self.expr(result, 2);
        self.line(value);
        self.close("}");
        self.functions.push(Function { name, params, result });
    }

    fn kernel(&mut self, size: isize) -> Vec<Param> {
        self.vars.clear();
        self.arrays.clear();
        self.structs.vars.clear();
        self.result = None;
        let mut params = vec![Param::Slice(Scalar::U32)];
        let mut head = "fn k(x: &mut [u32]".to_owned();
        self.arrays.push(Array { name: "x".into(), element: Scalar::U32, mutable: true, dimensions: 1 });
        for name in ["y", "z"] {
            if self.rng.chance(50) {
                let ty = self.ty();
                let mutable = self.rng.chance(20);
                let _ = write!(head, ", {name}: &{}[{}]", if mutable { "mut " } else { "" }, ty.name());
                params.push(Param::Slice(ty));
                self.arrays.push(Array { name: name.into(), element: ty, mutable, dimensions: 1 });
            }
        }
        if self.rng.chance(12) {
            head.push_str(", m: ArrayViewMut2<u32>");
            params.push(Param::View(Scalar::U32));
            self.arrays.push(Array { name: "m".into(), element: Scalar::U32, mutable: true, dimensions: 2 });
        }
        for i in 0..self.rng.below(4) {
            let ty = self.ty();
            let mutable = self.rng.chance(25);
            let _ = write!(head, ", {}p{i}: {}", if mutable { "mut " } else { "" }, ty.name());
            params.push(Param::Number(ty));
            self.vars.push(Var { name: format!("p{i}"), ty, mutable });
        }
        self.open(format!("{head}) {{"));
        if self.dimensions == 2 {
            self.line("let (i, j): (usize, usize) = grid(2);");
            for name in ["i", "j"] {
                self.vars.push(Var { name: name.into(), ty: Scalar::Usize, mutable: false });
            }
        } else {
            let mutable = self.rng.chance(20);
            self.line(format!("let {}i: usize = grid(1);", if mutable { "mut " } else { "" }));
            self.vars.push(Var { name: "i".into(), ty: Scalar::Usize, mutable });
        }
        self.budget = size;
        while self.budget > 0 {
            self.stmts();
        }
        self.close("}");
        params
    }

    /// Writes some statements in a scope of their own; the caller closes the braces.
    fn stmts(&mut self) {
        let saved = (self.vars.clone(), self.arrays.clone(), self.structs.vars.clone());
        for _ in 0..=self.rng.below(4) {
            if self.budget <= 0 {
                break;
            }
            self.budget -= 1;
            self.stmt();
        }
        let at_top = self.depth == 1;
        if !at_top {
            (self.vars, self.arrays, self.structs.vars) = saved;
        }
    }

    fn block(&mut self) {
        self.stmts();
    }

    fn of_type(&mut self, ty: Scalar, mutable: bool) -> Option<Var> {
        let found: Vec<&Var> = self.vars.iter().filter(|var| var.ty == ty && (!mutable || var.mutable)).collect();
        if found.is_empty() { None } else { Some((*self.rng.pick(&found)).clone()) }
    }

    fn mutable_var(&mut self) -> Option<Var> {
        let found: Vec<&Var> = self.vars.iter().filter(|var| var.mutable).collect();
        if found.is_empty() { None } else { Some((*self.rng.pick(&found)).clone()) }
    }

    fn vector(&mut self, mutable: bool) -> Array {
        let found: Vec<Array> =
            self.arrays.iter().filter(|array| array.dimensions == 1 && (!mutable || array.mutable)).cloned().collect();
        if found.is_empty() {
            return Array { name: "&[1u32, 2u32]".into(), element: Scalar::U32, mutable: false, dimensions: 1 };
        }
        self.rng.pick(&found).clone()
    }

    fn literal(&mut self, ty: Scalar) -> String {
        let bits = ty.bits();
        let number: i128 = match self.rng.below(12) {
            0 if bits == 64 && self.rng.chance(40) => (1i128 << 31) - 3 + self.rng.below(5) as i128,
            3 if bits == 64 && self.rng.chance(30) => (1i128 << 32) - 3 + self.rng.below(5) as i128,
            0..=2 => 0,
            3..=5 => 1,
            6 => 2,
            7 => self.rng.below(10) as i128,
            8 => 1i128 << self.rng.below(bits as usize - usize::from(ty.is_signed())),
            9 if ty.is_signed() => -1 - self.rng.below(3) as i128,
            9 => (1i128 << bits) - 1 - self.rng.below(2) as i128,
            10 => *self.rng.pick(&[3, 7, 8, 15, 16, 31, 32, 63]),
            _ => (1i128 << self.rng.below(bits as usize - 1)) - 1,
        };
        if number < 0 { format!("({number}{})", ty.name()) } else { format!("{number}{}", ty.name()) }
    }

    fn small(&mut self) -> usize {
        *self.rng.pick(&[0, 1, 1, 1, 2, 2, 3, 4, 7])
    }

    fn shift_amount(&mut self, ty: Scalar, depth: usize) -> String {
        match self.rng.below(4) {
            0 => format!("{}u32", self.rng.below(ty.bits() as usize)),
            1 => format!("({} % {}u32)", self.expr(Scalar::U32, depth), ty.bits()),
            2 => format!("({} & {}u32)", self.expr(Scalar::U32, depth), ty.bits() - 1),
            _ => self.expr(Scalar::U32, depth),
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    fn expr(&mut self, ty: Scalar, depth: usize) -> String {
        let leaf = depth == 0 || self.rng.chance(20);
        if leaf {
            if let Some(var) = self.of_type(ty, false).filter(|_| self.rng.chance(70)) {
                return if var.name.starts_with('*') { format!("({})", var.name) } else { var.name };
            }
            if ty == Scalar::Usize {
                let array = self.vector(false).name;
                return match self.rng.below(7) {
                    0 => self.literal(ty),
                    1 if self.dimensions == 1 => "grid(1)".into(),
                    2 => "thread_idx().x".into(),
                    3 => "block_idx().x".into(),
                    4 => (*self.rng.pick(&["block_dim().x", "grid_dim().x", "grid_size(1)"])).into(),
                    _ if !array.starts_with('&') => format!("{array}.len()"),
                    _ => self.literal(ty),
                };
            }
            return self.literal(ty);
        }
        let depth = depth - 1;
        let name = ty.name();
        match self.rng.below(30) {
            0..=4 => {
                let op = *self.rng.pick(&["+", "-", "+", "-", "*"]);
                let left = self.expr(ty, depth);
                let right = if self.rng.chance(60) { format!("{}{name}", self.small()) } else { self.expr(ty, depth) };
                if self.rng.chance(20) { format!("({right} {op} {left})") } else { format!("({left} {op} {right})") }
            }
            5 | 6 => {
                let op = *self.rng.pick(&["/", "%"]);
                let left = self.expr(ty, depth);
                match self.rng.below(6) {
                    0 => format!("({left} {op} {})", self.expr(ty, depth)),
                    1 | 2 => format!("({left} {op} {}.max(1{name}))", self.expr(ty, depth)),
                    _ => format!("({left} {op} {}{name})", *self.rng.pick(&[1, 2, 3, 4, 7, 8, 32])),
                }
            }
            7 | 8 => {
                let op = *self.rng.pick(&["&", "|", "^", "&"]);
                let (left, right) = (self.expr(ty, depth), self.expr(ty, depth));
                let mask = *self.rng.pick(&[0, 1, 3, 7, 8, 15, 31]);
                match self.rng.below(4) {
                    0 => format!("({left} {op} {right})"),
                    1 => format!("({mask}{name} {op} {right})"),
                    _ => format!("({left} {op} {mask}{name})"),
                }
            }
            9 => {
                let amount = self.shift_amount(ty, depth);
                format!("({} {} {amount})", self.expr(ty, depth), self.rng.pick(&["<<", ">>"]).to_owned())
            }
            10 | 11 => {
                let (left, right) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("{left}.{}({right})", self.rng.pick(&["min", "max"]).to_owned())
            }
            12 => {
                let (left, right) = (self.expr(ty, depth), self.expr(ty, depth));
                let methods = [
                    "saturating_sub",
                    "saturating_sub",
                    "saturating_add",
                    "wrapping_add",
                    "wrapping_sub",
                    "wrapping_mul",
                ];
                let method = *self.rng.pick(&methods);
                format!("{left}.{method}({right})")
            }
            13 => {
                let (x, low, high) = (self.expr(ty, depth), self.literal(ty), self.expr(ty, depth));
                format!("{x}.clamp({low}, {high})")
            }
            14..=17 => {
                let from = self.ty();
                let value = self.expr(from, depth);
                if from == ty { value } else { format!("({value} as {name})") }
            }
            18 | 19 => {
                let condition = self.condition(depth);
                let (yes, no) = (self.expr(ty, depth), self.expr(ty, depth));
                format!("(if {condition} {{ {yes} }} else {{ {no} }})")
            }
            20..=22 => {
                let found: Vec<Array> =
                    self.arrays.iter().filter(|array| array.element == ty && array.dimensions == 1).cloned().collect();
                if found.is_empty() {
                    return self.expr(ty, depth);
                }
                let array = self.rng.pick(&found).clone();
                let index = self.index(&array, depth);
                format!("{}[{index}]", array.name)
            }
            23 | 24 => {
                let found: Vec<usize> = (0..self.functions.len()).filter(|i| self.functions[*i].result == ty).collect();
                if found.is_empty() {
                    return self.expr(ty, depth);
                }
                let function = *self.rng.pick(&found);
                self.call(function, depth).unwrap_or_else(|| format!("0{name}"))
            }
            25 => {
                let on = self.ty();
                let scrutinee = self.expr(on, depth);
                let of = on.name();
                let [a, b, c] = [(); 3].map(|()| self.expr(ty, depth));
                format!("(match {scrutinee} {{ 0{of} => {a}, 1{of}..=3{of} => {b}, _ => {c} }})")
            }
            26 if !ty.is_signed() => {
                let (left, right) = (self.expr(ty, depth), self.expr(ty, depth));
                match self.rng.below(5) {
                    0 => format!("{left}.div_ceil({right}.max(1{name}))"),
                    4 => format!("{left}.next_multiple_of({right})"),
                    1 => format!("{left}.div_ceil({}{name})", 1 + self.rng.below(8)),
                    2 => format!("{left}.next_multiple_of({}{name})", 1 + self.rng.below(8)),
                    _ => format!("{left}.abs_diff({right})"),
                }
            }
            27 if ty == Scalar::U32 => {
                let of = self.ty();
                let value = self.expr(of, depth);
                format!("{value}.{}()", self.rng.pick(&["count_ones", "leading_zeros", "trailing_zeros"]).to_owned())
            }
            28 if ty.is_signed() && self.rng.chance(40) => format!("({}).abs()", self.expr(ty, depth)),
            28 if ty.is_signed() => format!("(-{})", self.expr(ty, depth)),
            28 => format!("(!{})", self.expr(ty, depth)),
            _ => self.expr(ty, depth),
        }
    }

    fn call(&mut self, function: usize, depth: usize) -> Option<String> {
        let Function { name, params, .. } = self.functions[function].clone();
        self.call_of(&name, params, depth)
    }

    /// Returns a call of a function with these parameters, if arguments can be supplied.
    fn call_of(&mut self, function: &str, params: Vec<FunctionParam>, depth: usize) -> Option<String> {
        let mut args = Vec::new();
        // The variables to which references exist, of structs as a whole.
        let mut taken: Vec<String> = Vec::new();
        for param in params {
            args.push(match param {
                FunctionParam::Number(ty) => self.expr(ty, depth.min(1)),
                FunctionParam::Slice(ty) => {
                    let found: Vec<String> = self
                        .arrays
                        .iter()
                        .filter(|array| array.element == ty && array.dimensions == 1)
                        .map(|array| array.name.clone())
                        .collect();
                    if found.is_empty() {
                        return None;
                    }
                    let name = self.rng.pick(&found).clone();
                    format!("&{name}[..]")
                }
                FunctionParam::Reference(ty) => {
                    let var = self.of_type(ty, true).filter(|var| !taken.contains(&owner(&var.name).to_owned()))?;
                    taken.push(owner(&var.name).to_owned());
                    if let Some(name) = var.name.strip_prefix('*') {
                        name.to_owned()
                    } else {
                        format!("&mut {}", var.name)
                    }
                }
                FunctionParam::Struct(of, passing) => {
                    let var = self.struct_var(of, passing == Passing::Mutable)?;
                    if passing != Passing::Value {
                        if taken.iter().any(|taken| taken == owner(&var)) {
                            return None;
                        }
                        taken.push(owner(&var).to_owned());
                    }
                    match (passing, var.strip_prefix('*')) {
                        (Passing::Value, _) => var,
                        (_, Some(reference)) => reference.to_owned(),
                        (_, None) => format!("{}{var}", passing.prefix()),
                    }
                }
            });
        }
        Some(format!("{function}({})", args.join(", ")))
    }

    /// Returns an index, likely one near a guard.
    fn index(&mut self, array: &Array, depth: usize) -> String {
        let len = format!("{}.len()", array.name);
        let call = if self.rng.chance(6) { self.any_call(depth.min(1)) } else { None };
        let call = call.map(|(call, ty)| if ty == Scalar::Usize { call } else { format!("({call} as usize)") });
        let base = match self.of_type(Scalar::Usize, false) {
            Some(var) if var.name.starts_with('*') => format!("({})", var.name),
            Some(var) => var.name,
            None => "0usize".to_owned(),
        };
        let base = call.unwrap_or(base);
        let wide = "1099511627776usize";
        match self.rng.below(19) {
            16 => {
                let small = self.small();
                match self.any_call(1) {
                    Some((call, Scalar::Usize)) => format!("{call} + ({base} % {wide} + {small}usize)"),
                    Some((call, _)) => format!("({base} % {wide} + {small}usize) + {call} as usize"),
                    None => format!("{base} % {wide} + {small}usize"),
                }
            }
            17 => format!("({base} & 4294967295usize) / {}usize + {}usize", 1 + self.rng.below(3), self.small()),
            0..=4 => base,
            5 => format!("{base} + {}usize", self.small()),
            6 => format!("{base} - {}usize", self.small()),
            7 => format!("{len} - 1usize - {base}"),
            8 => format!("{base} % {len}"),
            9 => format!("{base}.min({len} - 1usize)"),
            10 => format!("{base} / {}usize", 1 + self.rng.below(3)),
            11 => format!("{base} * {}usize + {}usize", 1 + self.rng.below(3), self.small()),
            12 => {
                let other =
                    self.of_type(Scalar::Usize, false).map_or("1usize".to_owned(), |var| format!("({})", var.name));
                let op = *self.rng.pick(&["+", "-", "*", "/", "%", "&"]);
                format!("({base}) {op} {other}")
            }
            _ => self.expr(Scalar::Usize, depth.min(2)),
        }
    }

    /// Returns a call of any function, with its result type, if there is a function whose arguments can be supplied.
    fn any_call(&mut self, depth: usize) -> Option<(String, Scalar)> {
        if self.functions.is_empty() {
            return None;
        }
        let function = self.rng.below(self.functions.len());
        Some((self.call(function, depth)?, self.functions[function].result))
    }

    fn comparison(&mut self, depth: usize) -> String {
        // Calls in conditions write variables that other operands read, and facts follow from their results.
        if self.rng.chance(20)
            && let Some((call, ty)) = self.any_call(depth)
        {
            let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
            let other = self.expr(ty, depth.min(1));
            return if self.rng.chance(70) {
                format!("{call} {op} ({other})")
            } else {
                format!("({other}) {op} {call}")
            };
        }
        let ty = self.ty();
        if self.rng.chance(55) {
            // A guard of an index.
            let array = self.vector(false);
            if !array.name.starts_with('&') {
                let index = self.index(&array, depth);
                let len = format!("{}.len()", array.name);
                return match self.rng.below(12) {
                    0..=4 => format!("({index}) < {len}"),
                    5 => format!("({index}) <= {len}"),
                    6 => format!("{len} > ({index})"),
                    7 => format!("({index}) < {len} - 1usize"),
                    8 => format!("({index}) + 1usize < {len}"),
                    9 => format!("({index}) != {len}"),
                    10 => format!("({index}) >= {len}"),
                    _ => format!("({index}) > 0usize"),
                };
            }
        }
        let op = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let (left, right) = (self.expr(ty, depth), self.expr(ty, depth));
        format!("({left}) {op} ({right})")
    }

    fn condition(&mut self, depth: usize) -> String {
        let depth = depth.min(2);
        match self.rng.below(11) {
            10 if depth > 0 => {
                let Some(var) = self.mutable_var().filter(|var| var.ty != Scalar::Bool) else {
                    return self.comparison(depth);
                };
                let (small, condition) = (self.small(), self.comparison(depth - 1));
                let op = *self.rng.pick(&["+=", "-=", "*="]);
                format!("{{ {} {op} {small}{}; {condition} }}", var.name, var.ty.name())
            }
            0 if depth > 0 => format!("({}) && ({})", self.condition(depth - 1), self.condition(depth - 1)),
            1 if depth > 0 => format!("({}) || ({})", self.condition(depth - 1), self.condition(depth - 1)),
            2 if depth > 0 => format!("!({})", self.condition(depth - 1)),
            3 => match self.of_type(Scalar::Bool, false) {
                Some(var) => var.name,
                None => self.comparison(depth),
            },
            _ => self.comparison(depth),
        }
    }

    fn store(&mut self) {
        let array = if self.rng.chance(75) {
            Array { name: "x".into(), element: Scalar::U32, mutable: true, dimensions: 1 }
        } else {
            let found: Vec<Array> = self.arrays.iter().filter(|array| array.mutable).cloned().collect();
            if found.is_empty() {
                return self.declare();
            }
            self.rng.pick(&found).clone()
        };
        if self.result.is_some() && array.name == "x" {
            return self.declare();
        }
        let value = self.expr(array.element, 2);
        if array.dimensions == 2 {
            let (a, b) = (self.expr(Scalar::Usize, 1), self.expr(Scalar::Usize, 1));
            let target = format!("{}[[{a}, {b}]] = {value};", array.name);
            if self.rng.chance(60) {
                let name = array.name;
                self.line(format!("if ({a}) < {name}.nrows() && ({b}) < {name}.ncols() {{ {target} }}"));
            } else {
                self.line(target);
            }
            return;
        }
        let index = self.index(&array, 2);
        let target = format!("{}[{index}] = {value};", array.name);
        let len = format!("{}.len()", array.name);
        match self.rng.below(7) {
            0 if self.rng.chance(30) => self.line(target),
            1 if self.rng.chance(40) => self.line(format!("if ({index}) <= {len} {{ {target} }}")),
            2 => {
                let condition = self.condition(1);
                self.line(format!("if {condition} {{ {target} }}"));
            }
            3 => {
                let condition = self.condition(0);
                self.line(format!("if ({index}) < {len} && {condition} {{ {target} }}"));
            }
            _ => self.line(format!("if ({index}) < {len} {{ {target} }}")),
        }
    }

    fn declare(&mut self) {
        let ty = self.ty();
        let value = self.expr(ty, 3);
        // Sometimes shadows a variable.
        let shadowed = self
            .of_type(ty, false)
            .filter(|var| !var.name.starts_with('*') && !var.name.contains('.') && self.rng.chance(15));
        let name = match shadowed {
            Some(var) => var.name,
            None => self.name("v"),
        };
        let mutable = self.rng.chance(45);
        self.line(format!("let {}{name}: {} = {value};", if mutable { "mut " } else { "" }, ty.name()));
        self.vars.retain(|var| var.name != name);
        self.vars.push(Var { name, ty, mutable });
    }

    fn assign(&mut self) {
        let Some(var) = self.mutable_var() else { return self.declare() };
        let Var { name, ty, mutable: _ } = var;
        if ty == Scalar::Bool {
            let value = self.condition(2);
            return self.line(format!("{name} = {value};"));
        }
        match self.rng.below(6) {
            0 | 1 => {
                let value = self.expr(ty, 2);
                self.line(format!("{name} = {value};"));
            }
            2 | 3 => {
                let op = *self.rng.pick(&["+=", "-=", "+=", "*="]);
                let by = self.small();
                self.line(format!("{name} {op} {by}{};", ty.name()));
            }
            4 => {
                let op = *self.rng.pick(&["/=", "%=", ">>=", "&="]);
                let by = 1 + self.rng.below(4);
                let suffix = if op == ">>=" { "u32" } else { ty.name() };
                self.line(format!("{name} {op} {by}{suffix};"));
            }
            _ => {
                let op = *self.rng.pick(&["+=", "-=", "|=", "^=", "*="]);
                let value = self.expr(ty, 1);
                self.line(format!("{name} {op} {value};"));
            }
        }
    }

    fn for_loop(&mut self) {
        let ty = if self.rng.chance(80) { Scalar::Usize } else { self.ty() };
        let (start, end) = if ty == Scalar::Usize {
            let array = self.vector(false);
            let start = match self.rng.below(4) {
                0 | 1 => format!("{}usize", self.small()),
                _ => self.expr(ty, 1),
            };
            let end = match self.rng.below(5) {
                0 | 1 if !array.name.starts_with('&') => format!("{}.len()", array.name),
                2 if !array.name.starts_with('&') => format!("{}.len() - 1usize", array.name),
                3 => format!("{}usize", self.rng.below(9)),
                _ => self.expr(ty, 1),
            };
            (start, end)
        } else {
            (self.expr(ty, 1), self.expr(ty, 1))
        };
        let dots = if self.rng.chance(25) { "..=" } else { ".." };
        let mut range = format!("(({start}){dots}({end}))");
        for _ in 0..2 {
            match self.rng.below(5) {
                0 => range.push_str(".rev()"),
                1 => {
                    let step = match self.rng.below(3) {
                        0 => self.expr(Scalar::Usize, 1),
                        _ => format!("{}usize", 1 + self.rng.below(4)),
                    };
                    let _ = write!(range, ".step_by({step})");
                }
                _ => {}
            }
        }
        let typed = self.name("e");
        // The front end takes the type of the variable from the bounds.
        let first = self.name("b");
        self.line(format!("let {first}: {} = {start};", ty.name()));
        self.vars.push(Var { name: first.clone(), ty, mutable: false });
        let range = range.replacen(&format!("(({start})"), &format!("({first}"), 1);
        let label = self.name("'l");
        let mutable = self.rng.chance(12);
        self.open(format!("{label}: for {}{typed} in {range} {{", if mutable { "mut " } else { "" }));
        self.vars.push(Var { name: typed, ty, mutable });
        self.loops.push(label);
        self.block();
        self.loops.pop();
        self.vars.pop();
        self.close("}");
    }

    fn while_loop(&mut self) {
        let ty = if self.rng.chance(80) { Scalar::Usize } else { self.ty() };
        let name = ty.name();
        let array = self.vector(false);
        let n = if array.name.starts_with('&') || ty != Scalar::Usize {
            self.expr(ty, 1)
        } else {
            format!("{}.len()", array.name)
        };
        let var = self.name("w");
        let label = self.name("'l");
        let small = self.small();
        let (init, test, step) = match self.rng.below(8) {
            0 | 1 => (format!("{small}{name}"), format!("{var} < {n}"), format!("{var} += 1{name};")),
            2 => (self.expr(ty, 1), format!("{var} < {n}"), format!("{var} += {}{name};", self.small())),
            3 => (n.clone(), format!("{var} > 0{name}"), format!("{var} -= 1{name};")),
            4 => (n.clone(), format!("{var} > {small}{name}"), format!("{var} /= 2{name};")),
            5 => (format!("1{name}"), format!("{var} < {n}"), format!("{var} *= 2{name};")),
            6 => (n.clone(), format!("{var} != 0{name}"), format!("{var} = {var} >> 1u32;")),
            _ => (n.clone(), format!("{var} >= {small}{name}"), format!("{var} -= {}{name};", self.small())),
        };
        self.line(format!("let mut {var}: {name} = {init};"));
        let before = self.rng.chance(40);
        if self.rng.chance(75) {
            self.open(format!("{label}: while {test} {{"));
        } else {
            self.open(format!("{label}: loop {{"));
            self.line(format!("if !({test}) {{ break; }}"));
        }
        if before {
            self.line(step.clone());
        }
        self.vars.push(Var { name: var.clone(), ty, mutable: self.rng.chance(15) });
        self.loops.push(label);
        self.block();
        self.loops.pop();
        if !before {
            self.line(step);
        }
        self.close("}");
        if !self.rng.chance(80) {
            self.vars.pop();
        }
    }

    fn binary_search(&mut self) {
        let array = self.vector(false);
        if array.name.starts_with('&') {
            return self.declare();
        }
        let (lo, hi, mid) = (self.name("lo"), self.name("hi"), self.name("mid"));
        let start = self.small();
        let start = if self.rng.chance(80) { 0 } else { start };
        self.line(format!("let mut {lo}: usize = {start}usize;"));
        let extra = if self.rng.chance(20) { " + 1usize" } else { "" };
        self.line(format!("let mut {hi}: usize = {}.len(){extra};", array.name));
        let op = if self.rng.chance(80) { "<" } else { "<=" };
        self.open(format!("while {lo} {op} {hi} {{"));
        match self.rng.below(2) {
            0 => self.line(format!("let {mid}: usize = ({lo} + {hi}) / 2usize;")),
            _ => self.line(format!("let {mid}: usize = {lo} + ({hi} - {lo}) / 2usize;")),
        }
        let key = self.expr(array.element, 1);
        let less = if self.rng.chance(15) { " - 1usize" } else { "" };
        self.line(format!(
            "if {}[{mid}] < {key} {{ {lo} = {mid} + 1usize; }} else {{ {hi} = {mid}{less}; }}",
            array.name
        ));
        self.close("}");
        self.vars.push(Var { name: lo, ty: Scalar::Usize, mutable: false });
    }

    /// Writes an idiom.
    fn idiom(&mut self) {
        let array = self.vector(false);
        if array.name.starts_with('&') {
            return self.declare();
        }
        let text = *self.rng.pick(IDIOMS);
        if self.result.is_some() && text.contains("return") {
            return self.assign();
        }
        let operand = |this: &mut Self| match this.of_type(Scalar::Usize, false).filter(|_| this.rng.chance(75)) {
            Some(var) if var.name.starts_with('*') => format!("({})", var.name),
            Some(var) => var.name,
            None => this.expr(Scalar::Usize, 1),
        };
        let [i, j, n] = [operand(self), operand(self), operand(self)];
        let ty = self.rng.pick(&INTEGERS).name();
        let mut names: Vec<(char, String)> = Vec::new();
        let mut out = String::new();
        let mut chars = text.chars().peekable();
        // The parentheses of an access.
        let mut access: Option<(usize, usize)> = None;
        while let Some(c) = chars.next() {
            match c {
                '@' if chars.peek() == Some(&'(') => access = Some((out.len(), 0)),
                '(' | ')' => {
                    out.push(c);
                    if let Some((start, depth)) = &mut access {
                        *depth = if c == '(' { *depth + 1 } else { *depth - 1 };
                        if *depth == 0 {
                            let index = out.split_off(*start);
                            let index = &index[1..index.len() - 1];
                            if array.mutable && self.rng.chance(70) {
                                let _ = write!(out, "{}[{index}] = 1{};", array.name, array.element.name());
                            } else {
                                let name = self.name("u");
                                let element = array.element.name();
                                let _ = write!(out, "let {name}: {element} = {}[{index}];", array.name);
                            }
                            access = None;
                        }
                    }
                }
                '#' => out.push_str(ty),
                '%' => match chars.peek().copied().filter(char::is_ascii_lowercase) {
                    Some(letter) => {
                        chars.next();
                        let known = names.iter().find(|(of, _)| *of == letter).map(|(_, name)| name.clone());
                        let name = known.unwrap_or_else(|| {
                            let name = self.name(&letter.to_string());
                            names.push((letter, name.clone()));
                            name
                        });
                        out.push_str(&name);
                    }
                    None => out.push(c),
                },
                '$' => match chars.next() {
                    Some('l') => {
                        chars.next();
                        chars.next();
                        let _ = write!(out, "{}.len()", array.name);
                    }
                    Some('a') => out.push_str(&array.name),
                    Some('T') => out.push_str(array.element.name()),
                    Some('i') => out.push_str(&i),
                    Some('j') => out.push_str(&j),
                    Some('n') => out.push_str(&n),
                    Some('c') => {
                        let condition = self.condition(1);
                        let _ = write!(out, "({condition})");
                    }
                    Some('<') => out.push_str(if self.rng.chance(90) { "<" } else { "<=" }),
                    Some('>') => {
                        chars.next();
                        out.push_str(if self.rng.chance(90) { ">=" } else { ">" });
                    }
                    Some(digit) => {
                        let _ = if self.rng.chance(90) {
                            write!(out, "{digit}")
                        } else {
                            let other = self.small();
                            write!(out, "{other}")
                        };
                    }
                    None => {}
                },
                c => out.push(c),
            }
        }
        // A line for each statement, for the reduction of failures.
        let lines = out.replace("{ ", "{\n").replace("; ", ";\n").replace(" }", "\n}").replace("} ", "}\n");
        let lines = lines.replace("}\nelse", "} else");
        lines.split('\n').for_each(|line| self.line(line));
    }

    #[allow(clippy::too_many_lines, reason = "one arm for each statement")]
    fn stmt(&mut self) {
        if self.depth > 6 {
            return self.store();
        }
        if self.rng.chance(35) {
            return self.idiom();
        }
        match self.rng.below(44) {
            40..=43 => self.struct_stmt(),
            0..=8 => self.store(),
            9..=14 => self.declare(),
            15..=18 => self.assign(),
            19..=21 => {
                let condition = self.condition(2);
                self.open(format!("if {condition} {{"));
                self.block();
                if self.rng.chance(50) {
                    self.close("} else {");
                    self.depth += 1;
                    self.block();
                }
                self.close("}");
            }
            22 | 23 => self.for_loop(),
            24 | 25 => self.while_loop(),
            26 => self.binary_search(),
            27 => {
                // An early return.
                let condition = self.condition(1);
                match self.result {
                    None => self.line(format!("if {condition} {{ return; }}")),
                    Some(result) => {
                        let value = self.expr(result, 1);
                        self.line(format!("if {condition} {{ return {value}; }}"));
                    }
                }
            }
            28 if !self.loops.is_empty() => {
                let condition = self.condition(1);
                let label = if self.rng.chance(50) {
                    String::new()
                } else {
                    format!(" {}", self.rng.pick(&self.loops.clone()))
                };
                let jump = if self.rng.chance(50) { "break" } else { "continue" };
                self.line(format!("if {condition} {{ {jump}{label}; }}"));
            }
            29 => {
                // A sub-slice.
                let array = self.vector(false);
                if array.name.starts_with('&') {
                    return self.declare();
                }
                let name = self.name("s");
                let (a, b) = (self.expr(Scalar::Usize, 1), self.expr(Scalar::Usize, 1));
                let len = format!("{}.len()", array.name);
                let range = match self.rng.below(8) {
                    0 => format!("{a}.."),
                    1 => format!("..{b}"),
                    2 => format!("{a}..{b}"),
                    3 => format!("{a}..={b}"),
                    4 => format!("{a}.min({len})..{len}"),
                    5 => format!("..{b}.min({len})"),
                    6 => format!("({a}) * 2usize..({a}) * 2usize + 2usize"),
                    _ => format!("{}usize..{len}", self.small()),
                };
                let mutable = array.mutable && self.rng.chance(50);
                let reference = if mutable { "&mut " } else { "&" };
                self.line(format!(
                    "let {name}: {reference}[{}] = {reference}{}[{range}];",
                    array.element.name(),
                    array.name
                ));
                self.arrays.push(Array { name, element: array.element, mutable, dimensions: 1 });
            }
            30 => {
                let array = self.vector(false);
                if array.name.starts_with('&') {
                    return self.declare();
                }
                let (left, right) = (self.name("s"), self.name("s"));
                let at = if self.rng.chance(40) {
                    format!("{}.len() / 2usize", array.name)
                } else {
                    self.expr(Scalar::Usize, 1)
                };
                let element = array.element.name();
                self.line(format!(
                    "let ({left}, {right}): (&[{element}], &[{element}]) = {}.split_at({at});",
                    array.name
                ));
                for name in [left, right] {
                    self.arrays.push(Array { name, element: array.element, mutable: false, dimensions: 1 });
                }
            }
            31 => {
                // A boolean that carries facts.
                let name = self.name("c");
                let value = self.condition(2);
                let mutable = self.rng.chance(40);
                self.line(format!("let {}{name}: bool = {value};", if mutable { "mut " } else { "" }));
                self.vars.push(Var { name, ty: Scalar::Bool, mutable });
            }
            32 => {
                // Deferred initialisation.
                let (name, ty) = (self.name("d"), self.ty());
                let condition = self.condition(1);
                let (a, b) = (self.expr(ty, 2), self.expr(ty, 2));
                self.line(format!("let {name}: {};", ty.name()));
                self.line(format!("if {condition} {{ {name} = {a}; }} else {{ {name} = {b}; }}"));
                self.vars.push(Var { name, ty, mutable: false });
            }
            33 => {
                // A change in a branch.
                let Some(var) = self.mutable_var().filter(|var| var.ty != Scalar::Bool) else { return self.declare() };
                let condition = self.condition(1);
                let value = self.expr(var.ty, 1);
                self.line(format!("if {condition} {{ {} = {value}; }}", var.name));
            }
            34 => {
                // A mutable reference.
                let Some(var) = self.mutable_var().filter(|var| var.ty != Scalar::Bool && !var.name.starts_with('*'))
                else {
                    return self.declare();
                };
                let name = self.name("r");
                let all = self.vars.clone();
                self.open("{");
                self.line(format!("let {name}: &mut {} = &mut {};", var.ty.name(), var.name));
                self.vars.retain(|other| owner(&other.name) != owner(&var.name));
                let structs = self.structs.vars.clone();
                self.structs.vars.retain(|other| owner(&other.name) != owner(&var.name));
                let value = self.expr(var.ty, 1);
                self.structs.vars = structs;
                let op = *self.rng.pick(&["=", "+=", "-="]);
                self.line(format!("*{name} {op} {value};"));
                self.close("}");
                self.vars = all;
            }
            35 => {
                let ty = self.ty();
                let on = self.expr(ty, 1);
                let of = ty.name();
                self.open(format!("match {on} {{"));
                for pattern in [format!("0{of}"), format!("1{of} | 4{of}"), format!("5{of}..=9{of}"), "_".to_owned()] {
                    self.open(format!("{pattern} => {{"));
                    if self.budget > 0 {
                        self.budget -= 1;
                        let saved = (self.vars.clone(), self.arrays.clone(), self.structs.vars.clone());
                        self.stmt();
                        (self.vars, self.arrays, self.structs.vars) = saved;
                    }
                    self.close("}");
                }
                self.close("}");
            }
            36 => {
                // A local array.
                let (name, ty) = (self.name("t"), self.ty());
                let len = 1 + self.rng.below(8);
                let mutable = self.rng.chance(60);
                let value = self.literal(ty);
                self.line(format!(
                    "let {}{name}: [{}; {len}] = [{value}; {len}];",
                    if mutable { "mut " } else { "" },
                    ty.name()
                ));
                self.arrays.push(Array { name, element: ty, mutable, dimensions: 1 });
            }
            37 => {
                // A call, for its effects.
                if self.functions.is_empty() {
                    return self.assign();
                }
                let function = self.rng.below(self.functions.len());
                let ty = self.functions[function].result;
                match self.call(function, 1) {
                    Some(call) => {
                        let name = self.name("v");
                        self.line(format!("let {name}: {} = {call};", ty.name()));
                        self.vars.push(Var { name, ty, mutable: false });
                    }
                    None => self.assign(),
                }
            }
            38 => {
                let (name, flag, ty) = (self.name("v"), self.name("c"), self.ty());
                let (a, b) = (self.expr(ty, 1), self.expr(ty, 1));
                let method = *self.rng.pick(&["overflowing_add", "overflowing_sub", "overflowing_mul"]);
                self.line(format!("let ({name}, {flag}): ({}, bool) = {a}.{method}({b});", ty.name()));
                self.vars.push(Var { name, ty, mutable: false });
                self.vars.push(Var { name: flag, ty: Scalar::Bool, mutable: false });
            }
            _ => {
                // A value of a loop.
                let (name, counter) = (self.name("v"), self.name("n"));
                let start = self.small();
                self.line(format!("let mut {counter}: usize = {start}usize;"));
                let condition = self.condition(1);
                self.open(format!("let {name}: usize = loop {{"));
                self.line(format!("if {condition} {{ break {counter}; }}"));
                self.line(format!("{counter} += 1usize;"));
                let limit = self.expr(Scalar::Usize, 1);
                self.line(format!("if {counter} >= ({limit}) {{ break {counter} - 1usize; }}"));
                self.close("};");
                self.vars.push(Var { name, ty: Scalar::Usize, mutable: false });
            }
        }
    }
}
