//! Structs of random kernels: their fields are used like variables.

use std::fmt::Write;

use super::{FunctionParam, Generator, Var};
use crate::ir::Scalar;

/// How a struct is passed to a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Passing {
    Value,
    Shared,
    Mutable,
}

impl Passing {
    /// Returns what precedes the type, and the argument.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Passing::Value => "",
            Passing::Shared => "&",
            Passing::Mutable => "&mut ",
        }
    }
}

/// The structs of a program, and the variables in scope that have such a type.
#[derive(Default)]
pub(super) struct Structs {
    pub(super) defs: Vec<Def>,
    pub(super) vars: Vec<StructVar>,
    /// The functions whose result is a struct.
    constructors: Vec<Constructor>,
}

pub(super) struct Def {
    pub(super) name: String,
    fields: Vec<Field>,
}

#[derive(Clone, Copy)]
enum Field {
    Number(Scalar),
    /// A struct, by its number.
    Struct(usize),
}

#[derive(Clone)]
pub(super) struct StructVar {
    pub(super) name: String,
    of: usize,
    mutable: bool,
}

struct Constructor {
    name: String,
    params: Vec<FunctionParam>,
    of: usize,
}

/// Returns the variable that a place is, or is a field of.
pub(super) fn owner(place: &str) -> &str {
    place.trim_start_matches('*').split('.').next().unwrap_or(place)
}

/// Returns the name of a field.
fn field(position: usize) -> char {
    char::from(b'a' + position as u8)
}

impl Generator<'_> {
    /// Defines some structs, of which later ones may contain earlier ones.
    pub(super) fn define_structs(&mut self) {
        if self.rng.chance(45) {
            return;
        }
        for number in 0..=self.rng.below(3) {
            let name = format!("S{number}");
            let mut fields = Vec::new();
            let mut text = String::new();
            for position in 0..=self.rng.below(3) {
                let (of, ty) = if number > 0 && self.rng.chance(25) {
                    let inner = self.rng.below(number);
                    (Field::Struct(inner), format!("S{inner}"))
                } else {
                    let scalar = self.ty();
                    (Field::Number(scalar), scalar.name().to_owned())
                };
                fields.push(of);
                let _ = write!(text, "{}: {ty}, ", field(position));
            }
            self.line(format!("struct {name} {{ {}}}", text.trim_end_matches(", ").to_owned() + " "));
            self.structs.defs.push(Def { name, fields });
        }
    }

    /// Returns a parameter of a struct type, or of a number if there are no structs.
    pub(super) fn struct_param(&mut self) -> FunctionParam {
        if self.structs.defs.is_empty() {
            return FunctionParam::Number(Scalar::Usize);
        }
        let of = self.rng.below(self.structs.defs.len());
        let passing = [Passing::Value, Passing::Shared, Passing::Shared, Passing::Mutable];
        FunctionParam::Struct(of, *self.rng.pick(&passing))
    }

    /// Adds a variable of a struct type, and its fields, to those in scope.
    pub(super) fn add_struct(&mut self, name: String, of: usize, mutable: bool) {
        self.add_fields(name.trim_start_matches('*'), of, mutable);
        self.structs.vars.push(StructVar { name, of, mutable });
    }

    fn add_fields(&mut self, place: &str, of: usize, mutable: bool) {
        for position in 0..self.structs.defs[of].fields.len() {
            let name = format!("{place}.{}", field(position));
            match self.structs.defs[of].fields[position] {
                Field::Number(ty) => self.vars.push(Var { name, ty, mutable }),
                Field::Struct(inner) => self.add_fields(&name, inner, mutable),
            }
        }
    }

    /// Returns a variable of a struct type.
    pub(super) fn struct_var(&mut self, of: usize, mutable: bool) -> Option<String> {
        let vars = self.structs.vars.iter();
        let found: Vec<String> =
            vars.filter(|var| var.of == of && (!mutable || var.mutable)).map(|var| var.name.clone()).collect();
        if found.is_empty() { None } else { Some(self.rng.pick(&found).clone()) }
    }

    /// Returns a struct.
    fn struct_value(&mut self, of: usize) -> String {
        if let Some(var) = self.struct_var(of, false).filter(|_| self.rng.chance(15)) {
            return var;
        }
        let mut text = format!("{} {{ ", self.structs.defs[of].name);
        for position in 0..self.structs.defs[of].fields.len() {
            let value = match self.structs.defs[of].fields[position] {
                // Often a constant, like the tag of an enum.
                Field::Number(ty) if self.rng.chance(30) => self.literal(ty),
                Field::Number(ty) => self.expr(ty, 1),
                Field::Struct(inner) => self.struct_value(inner),
            };
            let _ = write!(text, "{}: {value}, ", field(position));
        }
        text.trim_end_matches(", ").to_owned() + " }"
    }

    /// Writes the rest of a function whose result is a struct.
    pub(super) fn constructor(&mut self, name: String, head: &str, params: Vec<FunctionParam>) {
        let of = self.rng.below(self.structs.defs.len());
        // There is no return of a number.
        self.result = None;
        self.open(format!("{head}) -> {} {{", self.structs.defs[of].name));
        for _ in 0..self.rng.below(3) {
            self.declare();
        }
        for _ in 0..self.rng.below(3) {
            let condition = self.condition(1);
            let value = self.struct_value(of);
            self.line(format!("if {condition} {{ return {value}; }}"));
        }
        let value = self.struct_value(of);
        self.line(value);
        self.close("}");
        self.structs.constructors.push(Constructor { name, params, of });
    }

    /// Declares or assigns a struct.
    pub(super) fn struct_stmt(&mut self) {
        if self.structs.defs.is_empty() {
            return self.assign();
        }
        let of = self.rng.below(self.structs.defs.len());
        let constructors: Vec<usize> =
            (0..self.structs.constructors.len()).filter(|at| self.structs.constructors[*at].of == of).collect();
        let value = match constructors.as_slice() {
            [_, ..] if self.rng.chance(60) => {
                let Constructor { name, params, .. } = &self.structs.constructors[*self.rng.pick(&constructors)];
                let (name, params) = (name.clone(), params.clone());
                self.call_of(&name, params, 1)
            }
            _ => None,
        };
        let value = value.unwrap_or_else(|| self.struct_value(of));
        if let Some(var) = self.struct_var(of, true).filter(|_| self.rng.chance(40)) {
            // As a whole, perhaps in a branch.
            if self.rng.chance(40) {
                let condition = self.condition(1);
                return self.line(format!("if {condition} {{ {var} = {value}; }}"));
            }
            return self.line(format!("{var} = {value};"));
        }
        let (name, mutable) = (self.name("g"), self.rng.chance(60));
        let ty = &self.structs.defs[of].name;
        self.line(format!("let {}{name}: {ty} = {value};", if mutable { "mut " } else { "" }));
        self.add_struct(name, of, mutable);
    }
}
