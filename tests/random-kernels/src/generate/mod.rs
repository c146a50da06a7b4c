//! The generator of well-typed, terminating and deterministic programs.
//!
//! This module holds the state that all parts share: the budgets of steps and nodes, the scope, and names.

mod argument;
mod bind;
mod bool;
mod call;
mod choice;
mod convert;
mod deferred;
mod float;
mod function;
mod int;
mod int_method;
mod items;
mod jump;
mod kernel;
mod literal;
mod loops;
mod narrow;
mod params;
mod place;
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

use call::Callable;
use scope::{JumpTarget, Kind, Permission, Scope};

pub(crate) use kernel::program;

/// The minimum and the maximum length of the arrays that kernels read.
const MIN_LEN: usize = 8;
const MAX_LEN: usize = 20;

/// The maximum number of statements that a thread executes.
const MAX_STEPS: u64 = 4000;

/// The generator of one program.
struct Generator<'o> {
    options: &'o Options,
    random: Random,
    scope: Scope,
    /// The constants: names, types and values.
    constants: Vec<(String, Type, Range)>,
    /// The callable functions.
    callees: Vec<Callable>,
    /// The declared structs and enums.
    types: Vec<Type>,
    /// The enums with data that have a `==`.
    comparable: Vec<Type>,
    /// The operators of structs: the type, the token, and the number of steps.
    operators: Vec<(Type, &'static str, u64)>,
    /// Whether the code also runs on the host, outside any kernel.
    hosted: bool,
    /// The enclosing loops, the innermost last.
    loops: Vec<JumpTarget>,
    /// Whether a thread may return early: no later barrier precedes reads of its elements by other threads.
    may_return: bool,
    /// The return type of the function.
    result: Type,
    /// The number of expressions that may still be generated.
    left: i32,
    /// The maximum number of executions of the current position, and the number of steps of the function so far.
    turns: u64,
    steps: u64,
    /// The maximum number of steps of the function.
    max_steps: u64,
    /// The probability, in 1/1000, that an operation is generated without protection and may fault.
    risk: u32,
    /// The number of enclosing loop heads and conditions, which must not contain jumps.
    heads: u32,
    /// Names that must not be shadowed, since their variables are borrowed.
    reserved: Vec<String>,
    /// The number of fresh names so far.
    names: usize,
}

impl Generator<'_> {
    /// Returns a unique name.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Returns a name for a variable: in most cases a unique one, otherwise a name that is in scope, or a reserved word
    /// of C++ or of the emitted C.
    fn variable(&mut self) -> String {
        const TAKEN: [&str; 14] = [
            "int", "float", "double", "auto", "class", "this", "launch", "rt", "fault", "site", "usize_", "u32_",
            "blockIdx", "y0_len",
        ];
        if self.random.percent(12) {
            let names: Vec<String> = self
                .scope
                .visible()
                .filter(|binding| {
                    matches!(binding.kind, Kind::Value { access: Permission::Read | Permission::Write, .. })
                })
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

    /// Returns whether an operation is generated without protection, so that it may fault.
    fn risky(&mut self) -> bool {
        self.random.permille(self.risk)
    }

    /// Returns whether an arithmetic operator may overflow.
    fn may_overflow(&mut self) -> bool {
        match self.options.overflow {
            Overflow::Wraps => self.random.percent(60),
            Overflow::Faults => self.risky(),
        }
    }

    /// Returns whether the step budget permits this number of steps at the current position.
    fn affords(&self, steps: u64) -> bool {
        self.steps + self.turns * steps <= self.max_steps
    }

    /// Consumes steps at the current position.
    fn spend(&mut self, steps: u64) {
        self.steps += self.turns * steps;
    }

    /// Returns a scalar type.
    fn scalar_type(&mut self) -> Type {
        match self.random.below(20) {
            0..2 => Type::Bool,
            2..6 => Type::Float(*self.random.pick(&[Float::F32, Float::F64])),
            6 => Type::Float(*self.random.pick(&[Float::F16, Float::Bf16])),
            7..10 => Type::Int(*self.random.pick(&[Int::I32, Int::U32, Int::Usize])),
            _ => Type::Int(*self.random.pick(&Int::ALL)),
        }
    }

    /// Returns a type for a parameter, a result or a variable.
    fn value_type(&mut self) -> Type {
        match self.random.below(20) {
            0 => Type::Tuple(vec![self.scalar_type(), self.scalar_type()]),
            1 => Type::Tuple(vec![Type::Int(*self.random.pick(&Int::ALL)), Type::Bool]),
            2..4 => Type::Array(Box::new(self.field_type()), 1 + self.random.below(6)),
            4..8 if !self.types.is_empty() => self.random.pick(&self.types).clone(),
            8 => Type::option(&self.field_type()),
            9 => Type::option(&Type::Tuple(vec![self.scalar_type(), self.scalar_type()])),
            _ => self.scalar_type(),
        }
    }
}
