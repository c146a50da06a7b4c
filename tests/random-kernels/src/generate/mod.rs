//! Kernels that are accepted by rustc, come to an end, and mean one thing.
//!
//! Here is what the parts of the generator share: how much there may be of everything, and names.

mod argument;
mod bind;
mod bool;
mod call;
mod choice;
mod convert;
mod float;
mod function;
mod int;
mod int_method;
mod items;
mod jump;
mod kernel;
mod later;
mod literal;
mod narrow;
mod place;
mod repeat;
mod scope;
mod shared;
mod stmt;
mod tally;
mod traits;
mod unbounded;
mod value;
mod view;

use crate::options::{Options, Overflow};
use crate::rng::Random;
use crate::types::{Float, Int, Range, Type};

use call::Callee;
use jump::OpenLoop;
use scope::{Access, Kind, Scope};

pub(crate) use kernel::program;

/// The least and the most elements of the arrays that kernels read.
const SHORTEST: usize = 8;
const LONGEST: usize = 20;

/// The most statements that a thread may execute.
const MOST_STEPS: u64 = 4000;

/// Generates one program.
struct Generator<'o> {
    options: &'o Options,
    random: Random,
    scope: Scope,
    /// Constants: their names, types and values.
    constants: Vec<(String, Type, Range)>,
    /// The functions that can be called.
    callees: Vec<Callee>,
    /// The structs and enums that there are.
    types: Vec<Type>,
    /// The operators of structs: the type, the sign, and the steps.
    operators: Vec<(Type, &'static str, u64)>,
    /// What is made runs without a thread of the kernel's.
    hosted: bool,
    /// The loops that are open, the innermost last.
    loops: Vec<OpenLoop>,
    /// A thread may return before the end: there is no barrier behind which others read what it has not written.
    may_return: bool,
    /// What the function returns.
    result: Type,
    /// How many more expressions may be made.
    left: i32,
    /// How often what is made next is executed at most, and how many steps the function takes in all.
    turns: u64,
    steps: u64,
    /// The most steps that the function may take.
    most_steps: u64,
    /// How many times of 1000 something is left unprotected that may then fault.
    risk: u32,
    /// How many heads of loops and conditions are open, out of which nothing may jump.
    heads: u32,
    /// Names that nothing may shadow, since what they name is borrowed.
    reserved: Vec<String>,
    /// How many names were given.
    names: usize,
}

impl Generator<'_> {
    /// A name that nothing else has.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A name for a variable: mostly a new one, sometimes one that is in scope already, or a word that C++ or we use.
    fn variable(&mut self) -> String {
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
                .filter(|name| self.scope.may_shadow(name) && !self.reserved.contains(name))
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
    fn risky(&mut self) -> bool {
        self.random.permille(self.risk)
    }

    /// Whether plain arithmetic may overflow here.
    fn may_overflow(&mut self) -> bool {
        match self.options.overflow {
            Overflow::Wraps => self.random.percent(60),
            Overflow::Faults => self.risky(),
        }
    }

    /// Whether so many steps can be added here.
    fn affords(&self, steps: u64) -> bool {
        self.steps + self.turns * steps <= self.most_steps
    }

    /// Adds steps here.
    fn spend(&mut self, steps: u64) {
        self.steps += self.turns * steps;
    }

    /// A number or a `bool`.
    fn scalar_type(&mut self) -> Type {
        match self.random.below(20) {
            0..2 => Type::Bool,
            2..6 => Type::Float(*self.random.pick(&[Float::F32, Float::F64])),
            6 => Type::Float(*self.random.pick(&[Float::F16, Float::Bf16])),
            7..10 => Type::Int(*self.random.pick(&[Int::I32, Int::U32, Int::Usize])),
            _ => Type::Int(*self.random.pick(&Int::ALL)),
        }
    }

    /// What can be a parameter, a result or a variable.
    fn value_type(&mut self) -> Type {
        match self.random.below(20) {
            0 => Type::Tuple(vec![self.scalar_type(), self.scalar_type()]),
            1 => Type::Tuple(vec![Type::Int(*self.random.pick(&Int::ALL)), Type::Bool]),
            2..4 => Type::Array(Box::new(self.field_type()), 1 + self.random.below(6)),
            4..8 if !self.types.is_empty() => self.random.pick(&self.types).clone(),
            _ => self.scalar_type(),
        }
    }
}
