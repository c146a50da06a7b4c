//! Lowering of `let` and of pattern bindings.

use crate::ir::{ExprId, ExprKind, LocalId, Pattern, Scalar, Type, binding_count, expanded};

use super::function::Lowering;
use super::target::Target;
use super::types::is_split;
use super::value::{Value, position};
use super::{CType, Expr, NameOrigin, StmtKind, Variable};

impl Lowering<'_, '_> {
    /// `let pattern = init;`
    pub(super) fn bind(&mut self, pattern: &Pattern, init: ExprId) {
        match pattern {
            Pattern::Wild => self.into(init, &Target::Discard),
            Pattern::Local(local) => self.bind_local(*local, init),
            Pattern::At(..)
            | Pattern::Tuple(_)
            | Pattern::Struct { .. }
            | Pattern::Array(_)
            | Pattern::Literal(_)
            | Pattern::Constant(_)
            | Pattern::Range { .. }
            | Pattern::Or(_) => {
                let (value, effect) = self.root_place(init);
                if effect || !matches!(value, Value::Parts(_)) {
                    let value = self.once(value);
                    return self.bind_value(pattern, value, self.ty(init));
                }
                self.discard_unbound(pattern, &value);
                self.bind_value(pattern, value, self.ty(init));
            }
        }
    }

    /// Evaluates the parts that are not bound to a variable, since they can fault.
    fn discard_unbound(&mut self, pattern: &Pattern, value: &Value) {
        match (pattern, value) {
            (pattern, value) if binding_count(pattern) == 0 => self.store(value.clone(), false, &Target::Discard),
            (Pattern::Tuple(patterns), Value::Parts(parts)) => {
                patterns.iter().zip(parts).for_each(|(pattern, part)| self.discard_unbound(pattern, part));
            }
            _ => {}
        }
    }

    fn bind_local(&mut self, local: LocalId, init: ExprId) {
        match &self.expr(init).kind {
            ExprKind::Block(block) => {
                // The variables of the block are declared first, followed by the initialisation with its tail
                // expression.
                self.stmts(block);
                match block.tail {
                    Some(tail) => self.bind_local(local, tail),
                    None => self.bind_to_local(local, Value::Unit),
                }
            }
            ExprKind::If { condition, then, otherwise } if self.typed.constant_bool(*condition).is_some() => {
                match (self.typed.constant_bool(*condition), otherwise) {
                    (Some(true), _) => {
                        self.stmts(then);
                        match then.tail {
                            Some(tail) => self.bind_local(local, tail),
                            None => self.bind_to_local(local, Value::Unit),
                        }
                    }
                    (_, Some(otherwise)) => self.bind_local(local, *otherwise),
                    (_, None) => self.bind_to_local(local, Value::Unit),
                }
            }
            ExprKind::Match { scrutinee, arms } if let Some(arm) = self.constant_arm(arms) => {
                let value = self.scrutinee(*scrutinee, &[arm]);
                self.bind_value(&arm.pattern, value, self.ty(*scrutinee));
                self.bind_local(local, arm.body);
            }
            ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Loop { .. } | ExprKind::Labelled { .. }
                if self.plain_size(init).is_none() && *self.ty(init) != Type::Never =>
            {
                let vars = self.declared_local(local);
                self.into(init, &Target::Vars(vars.clone()));
                self.locals[local.index()] = vars;
            }
            _ => {
                let (value, _) = self.root(init);
                self.bind_to_local(local, value);
            }
        }
    }

    /// Binds a value of type `ty`, which may be evaluated repeatedly, or a place.
    pub(super) fn bind_value(&mut self, pattern: &Pattern, value: Value, ty: &Type) {
        if binding_count(pattern) == 0 {
            return;
        }
        match pattern {
            // The `let` or `match` has evaluated the value.
            Pattern::Wild | Pattern::Literal(_) | Pattern::Constant(_) | Pattern::Range { .. } => {}
            Pattern::Local(local) => {
                let value = self.as_local(*local, value);
                self.bind_to_local(*local, value);
            }
            Pattern::At(local, inner) => {
                let whole = self.as_local(*local, value.clone());
                self.bind_to_local(*local, whole);
                self.bind_value(inner, value, ty);
            }
            Pattern::Tuple(_) | Pattern::Struct { .. } | Pattern::Array(_) => {
                for (pattern, part, ty) in self.parts(pattern, value, ty) {
                    self.bind_value(pattern, part, &ty);
                }
            }
            Pattern::Or(choices) => self.bind_choice(choices, &value, ty),
        }
    }

    /// Returns the direct sub-patterns of an aggregate pattern, each with the value that it is matched against.
    pub(super) fn parts<'p>(
        &mut self,
        pattern: &'p Pattern,
        value: Value,
        ty: &Type,
    ) -> Vec<(&'p Pattern, Value, Type)> {
        let ty = ty.target();
        match pattern {
            Pattern::Tuple(patterns) => {
                let parts = patterns.iter().enumerate();
                parts
                    .map(|(i, part)| (part, self.project(value.clone(), ty, i), super::value::field_type(ty, i)))
                    .collect()
            }
            Pattern::Struct { name: Some(name), fields } if ty.tag().is_some() => {
                let Some(variant) = ty.variant(name) else { return Vec::new() };
                let Some(payload_type) = ty.payload(variant) else { return Vec::new() };
                let payload = self.project(value, ty, variant + 1);
                let known = ty.payload_fields(variant);
                let mut parts = Vec::with_capacity(fields.len());
                for (name, part) in fields {
                    let Some((_, position, of)) = known.iter().find(|(known, _, _)| known == name) else { continue };
                    let value = match position {
                        Some(position) => self.project(payload.clone(), payload_type, *position),
                        None => payload.clone(),
                    };
                    parts.push((part, value, (*of).clone()));
                }
                parts
            }
            Pattern::Struct { name: _, fields } => {
                let parts = fields.iter().map(|(name, part)| (position(ty, name), part));
                match ty {
                    Type::Array(element, _) => elements(value, element, parts),
                    _ => parts
                        .map(|(i, part)| (part, self.project(value.clone(), ty, i), super::value::field_type(ty, i)))
                        .collect(),
                }
            }
            Pattern::Array(patterns) => {
                let Type::Array(element, _) = ty else { return Vec::new() };
                elements(value, element, patterns.iter().enumerate())
            }
            Pattern::Wild
            | Pattern::Local(_)
            | Pattern::At(..)
            | Pattern::Literal(_)
            | Pattern::Constant(_)
            | Pattern::Range { .. }
            | Pattern::Or(_) => Vec::new(),
        }
    }

    /// Binds the variables of `a | b` according to the first alternative that matches.
    fn bind_choice(&mut self, choices: &[Pattern], value: &Value, ty: &Type) {
        let mut locals = Vec::new();
        if let Some(choice) = choices.first() {
            choice.for_each_local(&mut |local| locals.push(local));
        }
        let vars: Vec<(LocalId, Value)> = locals.iter().map(|local| (*local, self.declared_local(*local))).collect();
        let choices: Vec<Pattern> = choices.iter().flat_map(expanded).collect();
        self.choose(&choices, value, ty, &vars);
        for (local, vars) in vars {
            self.locals[local.index()] = vars;
        }
    }

    fn choose(&mut self, choices: &[Pattern], value: &Value, ty: &Type, vars: &[(LocalId, Value)]) {
        let Some((choice, rest)) = choices.split_first() else { return };
        let condition = if rest.is_empty() { None } else { self.match_condition(choice, value, ty) };
        let (then, ()) = self.scope(|this| {
            this.assign_bindings(choice, value, ty, vars);
        });
        match condition {
            None => then.into_iter().for_each(|stmt| self.append(stmt)),
            Some(condition) => {
                let (otherwise, ()) = self.scope(|this| this.choose(rest, value, ty, vars));
                self.if_else(condition, then, otherwise);
            }
        }
    }

    /// Assigns the bindings of a pattern to its variables, which have been declared.
    pub(super) fn assign_bindings(&mut self, pattern: &Pattern, value: &Value, ty: &Type, vars: &[(LocalId, Value)]) {
        let mut bound = Vec::new();
        self.bindings(pattern, value.clone(), ty, &mut bound);
        for (local, value) in bound {
            if let Some((_, vars)) = vars.iter().find(|(declared, _)| *declared == local) {
                let value = self.as_local(local, value);
                self.write(vars, value);
            }
        }
    }

    /// Returns the value that each variable of a pattern would be bound to.
    pub(super) fn bindings(&mut self, pattern: &Pattern, value: Value, ty: &Type, bound: &mut Vec<(LocalId, Value)>) {
        if self::binding_count(pattern) == 0 {
            return;
        }
        match pattern {
            Pattern::Wild | Pattern::Literal(_) | Pattern::Constant(_) | Pattern::Range { .. } => {}
            Pattern::Local(local) => bound.push((*local, value)),
            Pattern::At(local, inner) => {
                bound.push((*local, value.clone()));
                self.bindings(inner, value, ty, bound);
            }
            Pattern::Tuple(_) | Pattern::Struct { .. } | Pattern::Array(_) => {
                for (pattern, part, ty) in self.parts(pattern, value, ty) {
                    self.bindings(pattern, part, &ty, bound);
                }
            }
            // An or-pattern without variables; the caller has expanded the others.
            Pattern::Or(choices) => {
                if let Some(choice) = choices.first() {
                    self.bindings(choice, value, ty, bound);
                }
            }
        }
    }

    /// Returns the value that a variable receives from a place: a reference, or the value read.
    pub(super) fn as_local(&mut self, local: LocalId, value: Value) -> Value {
        let ty = self.typed.local_type(local);
        match (ty, value) {
            (Type::Ref { target, mutable }, value) => self.materialise(value, target, *mutable),
            (_, value) => self.converted(value, ty),
        }
    }

    /// Initialises a variable.
    pub(super) fn bind_to_local(&mut self, local: LocalId, value: Value) {
        let ty = self.typed.local_type(local);
        let value = self.converted(value, ty);
        let assigned = self.is_assigned(local);
        let bound = match (value, ty) {
            // An alias of the same place.
            (Value::Place { lvalue: lvalue @ Expr::Var(_), target }, Type::Ref { .. }) if !assigned => {
                Value::Place { lvalue, target }
            }
            (Value::Place { lvalue, target }, Type::Ref { mutable, .. }) if !assigned => {
                let c = CType::reference(self.output.types.memory(&target), *mutable);
                let hint = self.typed.instance.function.local(local).name.clone();
                let var = Variable { hint, origin: NameOrigin::User, ty: c, constant: false, stable: false };
                let var = self.var(var);
                self.push(StmtKind::Declare { var, init: Some(lvalue) });
                Value::Place { lvalue: Expr::Var(var), target }
            }
            // The pointer and the length keep their variables if they have any.
            (Value::Slice { pointer, len, element, mutable }, Type::Slice { .. }) if !assigned => {
                self.bind_slice(local, (pointer, len), element, mutable)
            }
            // The aggregate stays contiguous.
            (Value::Whole(expr, of), ty) if is_split(ty) => {
                let vars = self.whole_var(local, ty);
                self.declare_with(&vars, Value::Whole(expr, of));
                vars
            }
            (value, ty) => {
                let vars = self.local_vars(local, ty, true);
                self.declare_with(&vars, value);
                vars
            }
        };
        self.locals[local.index()] = bound;
    }

    fn bind_slice(&mut self, local: LocalId, (pointer, len): (Expr, Expr), element: Type, mutable: bool) -> Value {
        let keeps = |this: &Self, expr: &Expr| matches!(expr, Expr::Var(_)) && this.is_stable(expr);
        let name = &self.typed.instance.function.local(local).name;
        let pointer = if keeps(self, &pointer) {
            pointer
        } else {
            let ty = CType::pointer(self.output.types.memory(&element), mutable && self.is_writable_pointer(&pointer));
            let var = Variable { hint: name.clone(), origin: NameOrigin::User, ty, constant: true, stable: true };
            let var = self.var(var);
            self.push(StmtKind::Declare { var, init: Some(pointer) });
            Expr::Var(var)
        };
        let len = if keeps(self, &len) { len } else { self.constant(&format!("{name}_len"), CType::USIZE, len) };
        Value::Slice { pointer, len, element, mutable }
    }

    fn is_writable_pointer(&self, pointer: &Expr) -> bool {
        !matches!(self.pointer_type(pointer), Some(CType::Pointer { mutable: false, .. }))
    }

    /// Declares each variable with its part of the value.
    pub(super) fn declare_with(&mut self, vars: &Value, value: Value) {
        match (vars, value) {
            (_, Value::Never | Value::Unit) | (Value::Never | Value::Unit, _) => {}
            (Value::Parts(vars), Value::Parts(values)) => {
                for (var, value) in vars.iter().zip(values) {
                    self.declare_with(var, value);
                }
            }
            // A contiguous tuple, as an element of one that is split into variables.
            (Value::Parts(vars), value @ Value::Whole(..)) => {
                let Value::Whole(expr, ty) = self.once(value) else { return };
                for (i, var) in vars.iter().enumerate() {
                    let part = self.project(Value::Whole(expr.clone(), ty.clone()), &ty, i);
                    let part = self.load(part);
                    self.declare_with(var, part);
                }
            }
            (
                Value::Scalar(Expr::Var(var), _) | Value::Place { lvalue: Expr::Var(var), .. },
                Value::Scalar(init, _),
            ) => {
                self.push(StmtKind::Declare { var: *var, init: Some(init) });
            }
            (Value::Whole(Expr::Var(var), ty), value) => {
                if let Some(init) = self.whole(value, ty) {
                    self.push(StmtKind::Declare { var: *var, init: Some(init) });
                }
            }
            (Value::Place { lvalue: Expr::Deref(pointer), .. }, Value::Place { lvalue, .. }) => {
                if let Expr::Var(var) = **pointer {
                    self.push(StmtKind::Declare { var, init: Some(address_of(lvalue)) });
                }
            }
            (Value::Slice { .. } | Value::View { .. }, value) => {
                let mut inits = Vec::new();
                value.leaves(&mut |leaf| inits.push(leaf.clone()));
                let mut names = Vec::new();
                vars.leaves(&mut |leaf| names.push(leaf.clone()));
                for (name, init) in names.into_iter().zip(inits) {
                    if let Expr::Var(var) = name {
                        self.push(StmtKind::Declare { var, init: Some(init) });
                    }
                }
            }
            (Value::Scalar(..) | Value::Whole(..) | Value::Parts(_) | Value::Place { .. }, value) => {
                self.unexpected(&value);
            }
        }
    }

    /// Assigns a value to its variables, or to a place. Assigning a reference variable changes its referent.
    pub(super) fn write(&mut self, vars: &Value, value: Value) {
        match (vars, value) {
            (_, Value::Never | Value::Unit) | (Value::Never | Value::Unit, _) => {}
            (Value::Parts(vars), Value::Parts(values)) => {
                for (var, value) in vars.iter().zip(values) {
                    self.write(var, value);
                }
            }
            (Value::Parts(vars), value @ Value::Whole(..)) => {
                let Value::Whole(expr, ty) = self.once(value) else { return };
                for (i, var) in vars.iter().enumerate() {
                    let part = self.project(Value::Whole(expr.clone(), ty.clone()), &ty, i);
                    let part = self.load(part);
                    self.write(var, part);
                }
            }
            (Value::Place { lvalue: Expr::Deref(pointer), .. }, Value::Place { lvalue, .. }) => {
                self.push(StmtKind::Assign { place: (**pointer).clone(), value: address_of(lvalue) });
            }
            (Value::Whole(place, ty) | Value::Place { lvalue: place, target: ty }, value) => {
                if let Some(value) = self.whole(value, ty) {
                    self.push(StmtKind::Assign { place: place.clone(), value });
                }
            }
            (Value::Scalar(place, _), Value::Scalar(value, _)) => {
                self.push(StmtKind::Assign { place: place.clone(), value });
            }
            (Value::Slice { .. } | Value::View { .. }, value) => {
                let mut values = Vec::new();
                value.leaves(&mut |leaf| values.push(leaf.clone()));
                let mut places = Vec::new();
                vars.leaves(&mut |leaf| places.push(leaf.clone()));
                for (place, value) in places.into_iter().zip(values) {
                    self.push(StmtKind::Assign { place, value });
                }
            }
            (Value::Scalar(..) | Value::Parts(_), value) => {
                self.unexpected(&value);
            }
        }
    }
}

/// `&place`
pub(super) fn address_of(place: Expr) -> Expr {
    match place {
        Expr::Deref(pointer) => *pointer,
        place => Expr::AddressOf(Box::new(place)),
    }
}

/// Returns the patterns and the elements of an array that they are matched against.
fn elements<'p>(
    array: Value,
    element: &Type,
    patterns: impl Iterator<Item = (usize, &'p Pattern)>,
) -> Vec<(&'p Pattern, Value, Type)> {
    let array = match array {
        Value::Whole(array, _) | Value::Place { lvalue: array, target: _ } => array,
        Value::Parts(parts) => {
            let part = |i: usize| parts.get(i).cloned();
            return patterns.filter_map(|(i, pattern)| Some((pattern, part(i)?, element.clone()))).collect();
        }
        _ => return Vec::new(),
    };
    let at = |i: usize| Expr::index(array.clone(), Expr::int(Scalar::Usize, i as u64));
    patterns.map(|(i, part)| (part, Value::Place { lvalue: at(i), target: element.clone() }, element.clone())).collect()
}
