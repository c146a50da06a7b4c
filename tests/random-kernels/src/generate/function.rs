//! Device functions and their parameters.

use super::call::{Callable, Param};
use super::params::Params;
use super::scope::{Bound, Kind, Permission};
use super::view::{MAX_EXTENT, MIN_EXTENT};
use super::{Generator, MAX_LEN, MIN_LEN};
use crate::tree::{Block, Function};
use crate::types::{Range, Type};

impl Generator<'_> {
    /// Declares device functions, each of which may call those before it.
    pub(super) fn functions(&mut self, params: &Params) -> Vec<Function> {
        (0..self.random.below(4)).map(|_| self.function(params)).collect()
    }

    fn function(&mut self, kernel: &Params) -> Function {
        let name = self.fresh("helper");
        let mut params = Vec::new();
        for _ in 0..self.random.below(4) {
            params.push(Param::Value(self.value_type()));
        }
        if self.random.percent(40) {
            params.push(Param::Slice(self.random.pick(&kernel.inputs).1.clone()));
        }
        if self.random.percent(40) {
            let (_, element, size) = self.random.pick(&kernel.outputs).clone();
            params.push(Param::Own(element, size));
        }
        if !kernel.sums.is_empty() && self.random.percent(30) {
            let (_, element, function) = self.random.pick(&kernel.sums).clone();
            params.push(Param::Sums(element, function));
        }
        if self.random.percent(25) {
            params.push(Param::Borrowed(self.scalar_type()));
        }
        let read: Vec<_> = kernel.views.iter().filter(|view| !view.written).collect();
        if !read.is_empty() && self.random.percent(50) {
            let view = self.random.pick(&read);
            params.push(Param::View(view.element.clone(), view.lens.len()));
        }
        if self.random.percent(35) {
            let ty = if self.random.percent(50) { self.scalar_type() } else { self.field_type() };
            params.push(Param::Ref(ty, self.random.percent(60)));
        }
        let effects = params.iter().any(|param| !matches!(param, Param::Value(_) | Param::Slice(_) | Param::View(..)));
        let result = if effects && self.random.percent(40) { Type::Unit } else { self.value_type() };
        self.function_of(name, None, params, result)
    }

    /// Declares a function, which can be called from then on.
    pub(super) fn function_of(
        &mut self,
        name: String,
        receiver: Option<(Type, &'static str)>,
        params: Vec<Param>,
        result: Type,
    ) -> Function {
        let open = self.scope.open();
        (self.left, self.steps, self.turns) = (12 + self.random.below(30) as i32, 0, 1);
        self.result = result.clone();
        if let Some((ty, word)) = &receiver {
            let kind = match *word {
                "self" => Kind::Value { ty: ty.clone(), range: Range::NONE, access: Permission::Read },
                _ => Kind::Ref { ty: ty.clone(), writable: *word == "&mut self" },
            };
            self.scope.push("self", kind);
        }
        let written = params.iter().flat_map(|param| self.declare_param(param)).collect();
        let mut stmts = Vec::new();
        self.stmts(5, &mut stmts);
        let value = (result != Type::Unit).then(|| Box::new(self.value(&result, 3)));
        self.scope.close(open);
        let steps = self.steps + 1;
        let word = receiver.as_ref().map(|(_, word)| *word);
        self.callees.push(Callable { name: name.clone(), receiver, params, result: result.clone(), steps });
        Function {
            name,
            generics: String::new(),
            receiver: word,
            params: written,
            result,
            body: Block { stmts, value },
        }
    }

    /// Brings a parameter into scope, and returns its declaration.
    fn declare_param(&mut self, param: &Param) -> Vec<(String, Type)> {
        let slice = |element: &Type, mutable| Type::Slice(Box::new(element.clone()), mutable);
        match param {
            Param::Value(ty) => {
                let name = self.fresh("p");
                let mutable = self.random.percent(25);
                let access = if mutable { Permission::Write } else { Permission::Read };
                self.scope.value(&name, ty.clone(), ty.range(), access);
                vec![(if mutable { format!("mut {name}") } else { name }, ty.clone())]
            }
            Param::Slice(element) => {
                let name = self.fresh("x");
                let bound = Bound::Length { least: MIN_LEN, most: MAX_LEN };
                self.scope.push(&name, Kind::Slice { element: element.clone(), writable: false, bound });
                vec![(name, slice(element, false))]
            }
            Param::Own(element, size) => {
                let (name, base) = (self.fresh("y"), self.fresh("base"));
                let bound = Bound::From { base: base.clone(), size: *size };
                self.scope.push(&name, Kind::Slice { element: element.clone(), writable: true, bound });
                vec![(name, slice(element, true)), (base, Type::USIZE)]
            }
            Param::Borrowed(element) => {
                let name = self.fresh("y");
                let bound = Bound::Length { least: MIN_LEN, most: MAX_LEN };
                self.scope.push(&name, Kind::Slice { element: element.clone(), writable: true, bound });
                vec![(name, slice(element, true))]
            }
            Param::Sums(element, function) => {
                let name = self.fresh("sums");
                self.scope.push(&name, Kind::Sums { element: element.clone(), function });
                vec![(name, slice(element, true))]
            }
            Param::View(element, dimensions) => {
                let name = self.fresh("a");
                let bounds = vec![Bound::Length { least: MIN_EXTENT, most: MAX_EXTENT }; *dimensions];
                self.scope.push(&name, Kind::View { element: element.clone(), writable: false, bounds });
                vec![(name, Type::View(Box::new(element.clone()), *dimensions, false))]
            }
            Param::Ref(ty, mutable) => {
                let name = self.fresh("r");
                self.scope.push(&name, Kind::Ref { ty: ty.clone(), writable: *mutable });
                vec![(name, Type::Ref(Box::new(ty.clone()), *mutable))]
            }
        }
    }
}
