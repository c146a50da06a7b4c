//! Traits with required methods, defaults and constants; implementations, some of which override the defaults; and
//! generic functions.
//!
//! A method calls only methods that its trait declares earlier, so that no override closes a cycle of calls.

use super::Generator;
use super::call::{Callable, Param};
use crate::tree::{Function, Impl};
use crate::types::{Int, Type};

/// The step budgets of methods, which callers reserve before any implementation exists: for the first methods of a
/// trait, and for the later ones, which may call the first.
const FEW_STEPS: u64 = 40;
const MANY_STEPS: u64 = 300;

const SELF: Type = Type::Param("Self");
const GENERIC: Type = Type::Param("T");

/// A method as declared in its trait.
struct Method {
    name: String,
    receiver: &'static str,
    params: Vec<Param>,
    result: Type,
    /// The default body, if there is one.
    default: Option<Function>,
    max_steps: u64,
}

impl Method {
    /// Returns the method of an implementing type.
    fn callee(&self, ty: &Type) -> Callable {
        Callable {
            name: self.name.clone(),
            receiver: Some((ty.clone(), self.receiver)),
            params: self.params.clone(),
            result: self.result.clone(),
            steps: self.max_steps + 1,
        }
    }
}

impl Generator<'_> {
    /// Generates a trait with its implementations, in a minority of programs. Returns generic functions.
    pub(super) fn traits(&mut self, impls: &mut Vec<Impl>) -> Vec<Function> {
        if !self.random.percent(45) {
            return vec![];
        }
        let name = self.fresh("Tr");
        let constants: Vec<(String, Type)> =
            (0..self.random.below(3)).map(|_| (self.fresh("K"), self.scalar_type())).collect();
        let defaults: Vec<bool> = constants.iter().map(|_| self.random.percent(40)).collect();
        let mut lines = Vec::new();
        for ((constant, ty), default) in constants.iter().zip(&defaults) {
            let value = if *default { format!(" = {}", self.value_text(ty)) } else { String::new() };
            lines.push(format!("const {constant}: {ty}{value};"));
        }
        let mark = (self.callees.len(), self.constants.len());
        let bring = |generator: &mut Self, owner: &str| {
            let named = constants.iter().map(|(name, ty)| (format!("{owner}::{name}"), ty.clone(), ty.range()));
            generator.constants.extend(named);
        };

        bring(self, "Self");
        let mut methods: Vec<Method> = Vec::new();
        for number in 0..2 + self.random.below(3) {
            let method = self.method(number);
            if method.default.is_none() {
                lines.push(signature(&method));
            }
            self.callees.push(method.callee(&SELF));
            methods.push(method);
        }
        self.callees.truncate(mark.0);
        self.constants.truncate(mark.1);
        let functions = methods.iter().filter_map(|method| method.default.clone()).collect();
        impls.push(Impl { header: format!("pub trait {name}: Copy"), associated: lines, functions });

        let mut implementors = self.structs();
        implementors
            .extend(self.random.percent(60).then(|| Type::Int(*self.random.pick(&[Int::I32, Int::U8, Int::U64]))));
        for ty in &implementors {
            let mut lines = Vec::new();
            for ((constant, of), default) in constants.iter().zip(&defaults) {
                if !default || self.random.percent(50) {
                    lines.push(format!("const {constant}: {of} = {};", self.value_text(of)));
                }
            }
            let within = self.constants.len();
            bring(self, "Self");
            let mut functions = Vec::new();
            for method in &methods {
                if method.default.is_none() || self.random.percent(40) {
                    functions.push(self.body_of(method, ty));
                    self.callees.pop();
                }
                self.callees.push(method.callee(ty));
            }
            self.constants.truncate(within);
            impls.push(Impl { header: format!("impl {name} for {ty}"), associated: lines, functions });
        }

        let generic = (0..self.random.below(3)).map(|_| self.generic_function(&name, &methods, &implementors, &bring));
        let generic = generic.collect();
        for ty in &implementors {
            bring(self, &format!("<{ty} as {name}>"));
        }
        generic
    }

    /// Generates a method of a trait, with or without a default body. Each trait has one of both kinds.
    fn method(&mut self, number: usize) -> Method {
        let name = self.fresh("method");
        let receiver = *self.random.pick(&["self", "&self", "&self", "&mut self"]);
        let params = (0..self.random.below(3)).map(|_| Param::Value(self.value_type())).collect();
        let result = if receiver == "&mut self" && self.random.percent(50) { Type::Unit } else { self.value_type() };
        let max_steps = if number == 0 { FEW_STEPS } else { MANY_STEPS };
        let mut method = Method { name, receiver, params, result, default: None, max_steps };
        if number == 1 || (number > 1 && self.random.percent(60)) {
            method.default = Some(self.body_of(&method, &SELF));
            self.callees.pop();
        }
        method
    }

    /// Generates a body of a method within a step budget.
    fn body_of(&mut self, method: &Method, ty: &Type) -> Function {
        let Method { name, receiver, params, result, default: _, max_steps } = method;
        let before = std::mem::replace(&mut self.max_steps, *max_steps);
        let receiver = Some((ty.clone(), *receiver));
        let function = self.function_of(name.clone(), receiver, params.clone(), result.clone());
        self.max_steps = before;
        function
    }

    /// Generates `fn helper<T: Tr>(x: T, y: &mut [T], ..)`, which accepts each type that implements the trait.
    fn generic_function(
        &mut self,
        name: &str,
        methods: &[Method],
        implementors: &[Type],
        bring: &impl Fn(&mut Self, &str),
    ) -> Function {
        let mark = (self.callees.len(), self.constants.len());
        bring(self, "T");
        self.callees.extend(methods.iter().map(|method| method.callee(&GENERIC)));
        let mut params = vec![match self.random.below(5) {
            0 => Param::Value(GENERIC),
            1 => Param::Ref(GENERIC, false),
            2 => Param::Ref(GENERIC, true),
            3 => Param::Slice(GENERIC),
            _ => Param::Own(GENERIC, 4),
        }];
        params.extend((0..self.random.below(3)).map(|_| Param::Value(self.value_type())));
        let result = self.value_type();
        let helper = self.fresh("helper");
        let mut function = self.function_of(helper, None, params, result);
        function.generics = format!("<T: {name} + DeviceType>");
        let callee = self.callees.pop();
        self.callees.truncate(mark.0);
        self.constants.truncate(mark.1);
        for (callee, ty) in callee.iter().flat_map(|callee| implementors.iter().map(move |ty| (callee, ty))) {
            let params = callee.params.iter().map(|param| param.at(&GENERIC, ty)).collect();
            self.callees.push(Callable { params, ..callee.clone() });
        }
        function
    }
}

/// Returns the signature of a method: `fn method(&self, p: u32) -> u32;`.
fn signature(method: &Method) -> String {
    let Method { name, receiver, params, result, default: _, max_steps: _ } = method;
    let params = params.iter().enumerate().filter_map(|(at, param)| match param {
        Param::Value(ty) => Some(format!("p{at}: {ty}")),
        _ => None,
    });
    let params: Vec<String> = std::iter::once((*receiver).to_owned()).chain(params).collect();
    let result = if *result == Type::Unit { String::new() } else { format!(" -> {result}") };
    format!("fn {name}({}){result};", params.join(", "))
}
