//! The division of an item into guards, loads, and the rest.
//!
//! ```text
//! const usize i = ..;                       prefix  }
//! if (i < y_len) {                          guard   } a level
//!     const float loaded = x[i];            early
//!     y[i] = rt::f(loaded);                 late
//! }
//! ```
//!
//! The guards are the conditions around all other statements, as far as they do not depend on memory. The early part
//! is what can be computed at once when they hold: constants, and loads with constant indices. A load is moved out of the
//! statement that contains it, and before the preceding statements of its item, if
//!
//! - it is evaluated whenever the guards hold, so that its index is in bounds;
//! - none of the preceding statements stores to its array: only those whose stores are to other parameters are passed.
//!   An array that a kernel may write is no other argument of the launch, which `__restrict__` states in C.

use crate::lower::{
    CType, CallTarget, Expr, Member, Module, NameOrigin, Operator, Prefix, Stmt, StmtKind, TypeKind, VarId, Variable,
};
use crate::set::Set;

use super::legality::{each, size};

/// An item: what a logical thread executes.
pub(super) struct Item {
    /// Nested conditions, outermost first.
    pub(super) levels: Vec<Level>,
    /// Declarations of constants. They have no side effects.
    pub(super) early: Vec<Stmt>,
    /// All other statements, in order.
    pub(super) late: Vec<Stmt>,
    /// The bytes that the early loads read at addresses that differ between items, and those that stores write.
    pub(super) loaded: u64,
    pub(super) stored: u64,
    /// The variables of the kernel, with those that hold the loaded values.
    pub(super) vars: Vec<Variable>,
}

/// A condition under which the rest of the item is executed, and declarations before it, without side effects.
pub(super) struct Level {
    pub(super) prefix: Vec<Stmt>,
    pub(super) guard: Expr,
}

/// Divides the body of a kernel. `block` is the built-in variable that tells items apart. Returns what is known about the values of
/// the item as well.
pub(super) fn item<'m>(module: &'m Module, stmts: &[Stmt], block: &'static str) -> (Item, Split<'m>) {
    let kernel = &module.kernel;
    let mut split = Split {
        module,
        block,
        vars: kernel.vars.iter().map(copy).collect(),
        early: kernel.params.iter().map(|param| param.0).collect(),
        from_memory: Set::new(),
        of_item: Set::new(),
        passed: Set::new(),
        is_open: true,
        loads: Vec::new(),
        out: Vec::new(),
        loaded: 0,
        stored: 0,
    };
    let mut levels = Vec::new();
    let mut rest = stmts;
    while let Some((level, inner)) = split.level(rest) {
        levels.push(level);
        rest = inner;
    }
    let mut late = Vec::new();
    for stmt in rest {
        late.extend(split.stmt(stmt));
    }
    let (early, vars) = (std::mem::take(&mut split.out), split.vars.iter().map(copy).collect());
    let item = Item { levels, early, late, loaded: split.loaded, stored: split.stored, vars };
    (item, split)
}

/// Returns a copy of a variable.
pub(super) fn copy(Variable { hint, origin, ty, constant, stable }: &Variable) -> Variable {
    Variable { hint: hint.clone(), origin: *origin, ty: ty.clone(), constant: *constant, stable: *stable }
}

pub(super) struct Split<'m> {
    module: &'m Module,
    block: &'static str,
    vars: Vec<Variable>,
    /// The constants that are declared early, and the parameters.
    early: Set<u32>,
    /// Those that depend on memory.
    from_memory: Set<u32>,
    /// Those that depend on the block.
    of_item: Set<u32>,
    /// The parameters whose elements the late statements store.
    passed: Set<u32>,
    /// Whether the next statement is executed whenever the guards hold, and its loads may precede all late statements.
    is_open: bool,
    /// The loads that have been moved, with the variables that hold their values.
    loads: Vec<(Expr, VarId)>,
    /// The early declarations.
    out: Vec<Stmt>,
    loaded: u64,
    stored: u64,
}

/// The object that a place is a part of.
#[derive(PartialEq, Eq)]
enum UnderlyingObject {
    /// A variable of the thread.
    Local,
    /// An element of an array that is a parameter.
    Element(VarId),
    /// Possibly anywhere.
    Unknown,
}

impl Split<'_> {
    /// Returns the early constants and parameters that have the same value in all items.
    pub(super) fn shared_values(&self) -> Set<u32> {
        self.early.iter().copied().filter(|var| !self.of_item.contains(var)).collect()
    }

    /// Returns the early constants that depend on memory.
    pub(super) fn values_from_memory(&self) -> &Set<u32> {
        &self.from_memory
    }

    pub(super) fn module(&self) -> &Module {
        self.module
    }

    /// Returns the size of the value of a place in bytes.
    pub(super) fn size_of(&self, place: &Expr) -> Option<u64> {
        Some(size(&self.ty(place)?, self.module))
    }

    /// Returns whether a built-in variable tells items apart.
    pub(super) fn is_block(&self, name: &str) -> bool {
        name == self.block
    }

    /// Returns whether a variable keeps its first value, and is no reference.
    pub(super) fn is_constant(&self, var: VarId) -> bool {
        self.vars[var.index()].constant && is_value(&self.vars[var.index()].ty)
    }

    /// Returns whether an expression is the load of an element of an array that the kernel does not write.
    pub(super) fn is_constant_load(&self, expr: &Expr) -> bool {
        let Expr::Index(base, _) = expr else { return false };
        let UnderlyingObject::Element(param) = self.place(expr) else { return false };
        let is_written = matches!(self.vars[param.index()].ty, CType::Pointer { mutable: true, .. });
        matches!(**base, Expr::Var(_)) && !is_written
    }

    /// Divides statements into a level and the statements under its guard, if possible.
    fn level<'s>(&mut self, stmts: &'s [Stmt]) -> Option<(Level, &'s [Stmt])> {
        let at = stmts.iter().position(|stmt| matches!(stmt.kind, StmtKind::If { .. }))?;
        let (before, from) = stmts.split_at(at);
        let (Stmt { kind: StmtKind::If { condition, then, otherwise }, .. }, after) = from.split_first()? else {
            return None;
        };
        let (guard, inner) = match (then.as_slice(), otherwise.as_slice(), after) {
            ([Stmt { kind: StmtKind::Return(None), .. }], [], after) => {
                (Expr::unary(Prefix::Not, condition.clone()), after)
            }
            (then, [], []) => (condition.clone(), then),
            _ => return None,
        };
        let known = (self.early.clone(), self.from_memory.clone(), self.of_item.clone(), self.loaded);
        let is_guard = before.iter().all(|stmt| self.declare_early(stmt)) && self.is_light(&guard);
        let prefix = std::mem::take(&mut self.out);
        // A condition on data, or on the parity of an index, holds for some items and not for others.
        if !is_guard || self.reads_memory(&guard) || !self.is_bound(&guard) {
            (self.early, self.from_memory, self.of_item, self.loaded) = known;
            return None;
        }
        Some((Level { prefix, guard }, inner))
    }

    /// Returns whether a condition holds for nearly all items if it does for one: it compares an index with a bound, or is the
    /// same for all items of a thread.
    fn is_bound(&self, condition: &Expr) -> bool {
        fn is_periodic(expr: &Expr) -> bool {
            let mut found = matches!(expr, Expr::Binary(Operator::Rem | Operator::And | Operator::Xor, _, _));
            expr.for_each_child(&mut |child| found |= is_periodic(child));
            found
        }
        match condition {
            Expr::Var(_) => true,
            Expr::Unary(Prefix::Not, inner) => self.is_bound(inner),
            Expr::Binary(Operator::Both | Operator::Either, left, right) => self.is_bound(left) && self.is_bound(right),
            Expr::Binary(Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge, left, right) => {
                !self.is_of_item(condition) || (!is_periodic(left) && !is_periodic(right))
            }
            other => !self.is_of_item(other),
        }
    }

    /// Adds a statement to the early ones if it declares a constant that can be computed early.
    fn declare_early(&mut self, stmt: &Stmt) -> bool {
        let StmtKind::Declare { var, init: Some(init) } = &stmt.kind else { return false };
        if !self.vars[var.index()].constant || !is_value(&self.vars[var.index()].ty) || !self.is_light(init) {
            return false;
        }
        self.count(init);
        self.define(*var, init);
        self.out.push(stmt.clone());
        true
    }

    /// Records the properties of an early constant.
    fn define(&mut self, var: VarId, init: &Expr) {
        if self.reads_memory(init) {
            self.from_memory.insert(var.0);
        }
        if self.is_of_item(init) {
            self.of_item.insert(var.0);
        }
        self.early.insert(var.0);
    }

    /// Moves what is possible out of a statement. Returns the rest.
    fn stmt(&mut self, stmt: &Stmt) -> Option<Stmt> {
        if self.is_open && self.declare_early(stmt) {
            return None;
        }
        let mut stmt = stmt.clone();
        // A call may store to any array before the loads that follow it in the same expression.
        self.is_open &= !self.stores_by_call(&stmt);
        if self.is_open {
            self.extract_from(&mut stmt);
        }
        let stmts = std::slice::from_ref(&stmt);
        let mut places = Vec::new();
        each(stmts, &mut |stmt| match &stmt.kind {
            StmtKind::Assign { place, .. } | StmtKind::Update { place, .. } => places.push(place),
            // What follows may not be executed, if this ends the item or leaves a block.
            StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Break | StmtKind::Continue => self.is_open = false,
            _ => {}
        });
        for place in places {
            match self.place(place) {
                UnderlyingObject::Local => {}
                UnderlyingObject::Element(param) => {
                    self.passed.insert(param.0);
                    self.stored += self.ty(place).map_or(0, |ty| size(&ty, self.module));
                }
                UnderlyingObject::Unknown => self.is_open = false,
            }
        }
        Some(stmt)
    }

    /// Returns whether a call in a statement may write memory, or variables by reference.
    fn stores_by_call(&self, stmt: &Stmt) -> bool {
        fn stores(module: &Module, expr: &Expr) -> bool {
            let mut found = match expr {
                Expr::Call(CallTarget::Function(id, _), _) => {
                    let callee = &module.functions[id];
                    callee.params.iter().any(|param| match callee.vars[param.index()].ty {
                        CType::Pointer { mutable, .. } | CType::Reference { mutable, .. } => mutable,
                        CType::Scalar(_) | CType::Named(_) | CType::Array(..) => false,
                    })
                }
                Expr::Call(CallTarget::Helper(helper, _), _) => helper.op.has_effect(),
                _ => false,
            };
            expr.for_each_child(&mut |child| found |= stores(module, child));
            found
        }
        let mut found = false;
        stmt.for_each_expr(&mut |expr| found |= stores(self.module, expr));
        found
    }

    /// Moves the loads out of those expressions of a statement that it evaluates first and always.
    fn extract_from(&mut self, stmt: &mut Stmt) {
        let line = stmt.line;
        match &mut stmt.kind {
            StmtKind::Declare { var, init: Some(init) } if is_value(&self.vars[var.index()].ty) => {
                self.extract(init, line);
            }
            StmtKind::Declare { var: _, init: Some(init) } => self.extract_from_place(init, line),
            StmtKind::Assign { place, value } => {
                self.extract(value, line);
                self.extract_from_place(place, line);
            }
            StmtKind::Update { op, place, value } => {
                self.extract(value, line);
                self.extract_from_place(place, line);
                let mut old = place.clone();
                if self.is_early_load(&old) {
                    self.extract(&mut old, line);
                    let (place, value) = (place.clone(), std::mem::replace(value, Expr::Var(VarId(0))));
                    stmt.kind = StmtKind::Assign { place, value: Expr::binary(*op, old, value) };
                }
            }
            StmtKind::Expr(expr) => self.extract(expr, line),
            StmtKind::If { condition, .. } => self.extract(condition, line),
            StmtKind::Switch { on, .. } => self.extract(on, line),
            StmtKind::Declare { init: None, .. }
            | StmtKind::Shared { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::Return(_)
            | StmtKind::Fault { .. }
            | StmtKind::Print { .. }
            | StmtKind::InternalError(_) => {}
        }
    }

    /// Replaces the loads in an expression by variables. Operands that are evaluated conditionally stay.
    fn extract(&mut self, expr: &mut Expr, line: u32) {
        if self.is_early_load(expr)
            && let Some(ty) = self.ty(expr)
        {
            *expr = Expr::Var(self.load(expr, ty, line));
            return;
        }
        match expr {
            Expr::Conditional(condition, _, _) => self.extract(condition, line),
            Expr::Binary(Operator::Both | Operator::Either, left, _) => self.extract(left, line),
            Expr::AddressOf(place) => self.extract_from_place(place, line),
            Expr::Index(..) => self.extract_from_place(expr, line),
            Expr::Call(CallTarget::Function(id, _), args) => {
                let callee = &self.module.functions[id];
                for (arg, param) in args.iter_mut().zip(&callee.params) {
                    if matches!(callee.vars[param.index()].ty, CType::Reference { .. }) {
                        self.extract_from_place(arg, line);
                    } else {
                        self.extract(arg, line);
                    }
                }
            }
            other => other.for_each_child_mut(&mut |child| self.extract(child, line)),
        }
    }

    /// Moves the loads out of the indices of a place.
    fn extract_from_place(&mut self, place: &mut Expr, line: u32) {
        match place {
            Expr::Index(base, index) => {
                self.extract_from_place(base, line);
                self.extract(index, line);
            }
            Expr::Field(base, _, _) => self.extract_from_place(base, line),
            _ => {}
        }
    }

    /// Declares a constant that holds a loaded value.
    fn load(&mut self, load: &Expr, ty: CType, line: u32) -> VarId {
        if let Some((_, var)) = self.loads.iter().find(|(known, _)| known == load) {
            return *var;
        }
        self.count(load);
        let hint = "loaded".to_owned();
        self.vars.push(Variable { hint, origin: NameOrigin::Compiler, ty, constant: true, stable: true });
        let var = VarId(self.vars.len() as u32 - 1);
        self.define(var, load);
        self.out.push(Stmt { line, kind: StmtKind::Declare { var, init: Some(load.clone()) } });
        self.loads.push((load.clone(), var));
        var
    }

    /// Counts the bytes that the loads in an early expression read.
    fn count(&mut self, expr: &Expr) {
        if self.is_load(expr)
            && let Some(ty) = self.ty(expr)
        {
            if self.is_of_item(expr) {
                self.loaded += size(&ty, self.module);
            }
            return;
        }
        expr.for_each_child(&mut |child| self.count(child));
    }

    /// Returns whether an expression can be computed early: it consists of cheap operations on early constants, and of
    /// loads that may be moved.
    fn is_light(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Var(var) => self.early.contains(&var.0) && is_value(&self.vars[var.index()].ty),
            Expr::Literal(..) | Expr::Special(_) | Expr::Variant(..) => true,
            Expr::Index(..) => self.is_early_load(expr),
            Expr::Field(base, _, _) => self.is_early_load(expr) || self.is_light(base),
            Expr::Call(CallTarget::Helper(helper, None), args) => {
                !helper.op.has_effect() && args.iter().all(|arg| self.is_light(arg))
            }
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Conditional(..)
            | Expr::Struct(..)
            | Expr::Array(..) => {
                let mut light = true;
                expr.for_each_child(&mut |child| light = light && self.is_light(child));
                light
            }
            Expr::Call(..) | Expr::Deref(_) | Expr::AddressOf(_) | Expr::Filled(..) | Expr::Constant(_) => false,
        }
    }

    /// Returns whether an expression is the load of an element, or of a part of one, that may be moved.
    fn is_early_load(&self, expr: &Expr) -> bool {
        let UnderlyingObject::Element(param) = self.place(expr) else { return false };
        self.is_open && !self.passed.contains(&param.0) && self.has_early_indices(expr)
    }

    fn has_early_indices(&self, place: &Expr) -> bool {
        match place {
            Expr::Index(base, index) => self.is_light(index) && self.has_early_indices(base),
            Expr::Field(base, _, _) => self.has_early_indices(base),
            Expr::Var(_) => true,
            _ => false,
        }
    }

    /// Returns whether an expression is the load of an element of an array, or of a part of one.
    pub(super) fn is_load(&self, expr: &Expr) -> bool {
        matches!(self.place(expr), UnderlyingObject::Element(_))
    }

    /// Returns whether an early expression depends on memory.
    fn reads_memory(&self, expr: &Expr) -> bool {
        let mut found = self.is_load(expr) || matches!(expr, Expr::Var(var) if self.from_memory.contains(&var.0));
        expr.for_each_child(&mut |child| found |= self.reads_memory(child));
        found
    }

    /// Returns whether an early expression differs between the items of a thread.
    fn is_of_item(&self, expr: &Expr) -> bool {
        let mut found = match expr {
            Expr::Special(name) => *name == self.block,
            Expr::Var(var) => self.of_item.contains(&var.0),
            _ => false,
        };
        expr.for_each_child(&mut |child| found |= self.is_of_item(child));
        found
    }

    /// Returns the location of a place.
    fn place(&self, place: &Expr) -> UnderlyingObject {
        let ty = |var: &VarId| &self.vars[var.index()].ty;
        match place {
            Expr::Var(var) => match ty(var) {
                CType::Reference { .. } => UnderlyingObject::Unknown,
                CType::Pointer { .. } | CType::Scalar(_) | CType::Named(_) | CType::Array(..) => {
                    UnderlyingObject::Local
                }
            },
            Expr::Field(base, _, _) => self.place(base),
            Expr::Index(base, _) => match &**base {
                Expr::Var(var) => match ty(var) {
                    CType::Pointer { restrict: true, .. } if self.module.kernel.params.contains(var) => {
                        UnderlyingObject::Element(*var)
                    }
                    CType::Array(..) => UnderlyingObject::Local,
                    _ => UnderlyingObject::Unknown,
                },
                base => self.place(base),
            },
            _ => UnderlyingObject::Unknown,
        }
    }

    /// Returns the type of a place.
    fn ty(&self, place: &Expr) -> Option<CType> {
        match place {
            Expr::Var(var) => Some(self.vars[var.index()].ty.clone()),
            Expr::Index(base, _) => match self.ty(base)? {
                CType::Pointer { target, .. } => Some(*target),
                CType::Array(element, _) => Some(*element),
                _ => None,
            },
            Expr::Field(base, _, position) => match self.ty(base)? {
                CType::Named(id) => match &self.module.types[id.index()].kind {
                    TypeKind::Struct { members, layout: _ } => {
                        let mut members = members.iter();
                        members.find(|Member { position: of, .. }| of == position).map(|member| member.ty.clone())
                    }
                    TypeKind::Enum { .. } => None,
                },
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns whether a variable of a type is a value of its own, and does not refer to another one.
fn is_value(ty: &CType) -> bool {
    match ty {
        CType::Scalar(_) | CType::Named(_) | CType::Array(..) => true,
        CType::Pointer { .. } | CType::Reference { .. } => false,
    }
}
