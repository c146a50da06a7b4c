//! Comparisons in loops that the optimiser does not follow.
//!
//! NVRTC 13.0 and 13.5 miscompile a loop with an exit that compares a counter with the value at which the counter starts,
//! if that is not a constant: they assume that the loop has a single iteration.
//!
//! ```text
//! for (usize i = a; i < n; ++i) { if (i < a) break; sum += x[i]; }              adds one element
//! for (usize i = 0; i < n; ++i) { const usize j = a + i; if (j < a) break; .. }   likewise
//! ```
//!
//! A check, an assertion and the test of a `while` are such exits. So are, after inlining, promotion of memory to registers and
//! the simplification of branches, a comparison in a device function that a loop calls, one whose result is stored, and one with an
//! element of an array. Of 2,100 random loops with such exits, 4 to 5 % were compiled incorrectly. Comparisons with constants, and
//! tests that a counter approaches its bound, such as `i < n` with an increasing `i`, were always compiled correctly.
//!
//! So of the operands of each other comparison with a counter, the second one, or else the first, is opaque: `i < rt::opaque(a)`.
//! It costs no instruction, and an invariant operand can still be moved out of the loop.
//!
//! The optimiser also finds comparisons in other operations, whose operands are opaque for this reason: `min(i, a) == a`,
//! `i / a == 0` and `i % a == i` are `a <= i` and `i < a`, and so are the sign of a difference of converted numbers, and the tests
//! of saturating and checked operations. A sum of two variables is a difference if one of them holds a negative, so that it is opaque
//! where it is compared with a constant: `i + m < 0`.

use crate::ir::{FunctionId, Scalar};
use crate::lower::{
    Body, CType, CallTarget, Case, Expr, Function, Header, Helper, Member, Module, Next, Op, Operator, Prefix, Stmt,
    StmtKind, TypeDef, TypeKind, VarId, Variable,
};
use crate::set::Set;

/// Makes the operands of comparisons with counters opaque.
pub(crate) fn program(module: &mut Module) {
    let repeated = repeated(module);
    let integral: Set<FunctionId> = module
        .functions
        .iter()
        .filter(|(_, function)| function.result.as_ref().is_some_and(is_integer))
        .map(|(id, _)| *id)
        .collect();
    let mut found = false;
    let functions = module.functions.iter_mut().map(|(id, function)| (repeated.contains(id), function));
    for (is_repeated, function) in functions.chain([(false, &mut module.kernel)]) {
        let Body::Stmts(stmts) = &mut function.body else { continue };
        let mut stmts = std::mem::take(stmts);
        let mut pass = Pass { types: &module.types, function, integral: &integral, sums: Set::new(), found: false };
        pass.note_sums(&stmts);
        let mut counters = Set::new();
        if is_repeated {
            counters = pass.counters(&stmts);
            counters.extend(pass.function.params.iter().map(|param| param.0));
        }
        pass.in_stmts(&mut stmts, &counters);
        found |= pass.found;
        function.body = Body::Stmts(stmts);
    }
    if found {
        module.helpers = crate::lower::helpers(module.functions.values().chain([&module.kernel]));
    }
}

/// Returns the functions that are called in a loop, or by one of these.
fn repeated(module: &Module) -> Set<FunctionId> {
    let mut found = Set::new();
    let mut calls = |function: &Function, is_repeated: bool| {
        if let Body::Stmts(stmts) = &function.body {
            calls_in(stmts, is_repeated, &mut found);
        }
        found.clone()
    };
    let mut known = calls(&module.kernel, false);
    // Callees precede their callers.
    let functions: Vec<_> = module.functions.iter().collect();
    for (id, function) in functions.into_iter().rev() {
        known = calls(function, known.contains(id));
    }
    known
}

/// Collects the functions that statements call in a loop.
fn calls_in(stmts: &[Stmt], is_repeated: bool, found: &mut Set<FunctionId>) {
    for stmt in stmts {
        let is_repeated = is_repeated || matches!(stmt.kind, StmtKind::Loop { .. });
        if is_repeated {
            stmt.for_each_expr(&mut |expr| {
                expr.for_each(&mut |expr| {
                    if let Expr::Call(CallTarget::Function(id, _), _) = expr {
                        found.insert(*id);
                    }
                });
            });
        }
        stmt.kind.for_each_block(&mut |block| calls_in(block, is_repeated, found));
    }
}

fn is_integer(ty: &CType) -> bool {
    matches!(ty, CType::Scalar(scalar) if scalar.is_integer())
}

/// The pass over one function.
struct Pass<'m> {
    types: &'m [TypeDef],
    function: &'m Function,
    /// The functions that return an integer.
    integral: &'m Set<FunctionId>,
    /// The variables to which a sum or a difference of two numbers is assigned neither of which is a constant.
    sums: Set<u32>,
    /// Whether something has changed.
    found: bool,
}

/// How a variable is assigned in a loop.
enum Definition {
    /// The value is loaded from memory that cannot change, or not an integer.
    Loaded,
    /// A copy of a variable, or of a part of it.
    Copy(VarId),
    /// Anything else.
    Computed,
}

impl Pass<'_> {
    /// Visits statements in loops with these counters.
    fn in_stmts(&mut self, stmts: &mut [Stmt], counters: &Set<u32>) {
        for stmt in stmts {
            let mut inner = None;
            if let StmtKind::Loop { .. } = &stmt.kind {
                let mut counters = counters.clone();
                counters.extend(self.counters(std::slice::from_ref(stmt)).iter().copied());
                inner = Some(counters);
            }
            let outer = counters;
            let counters = inner.as_ref().unwrap_or(outer);
            if !counters.is_empty() {
                self.in_stmt(&mut stmt.kind, outer, counters);
            }
            stmt.kind.for_each_block_mut(&mut |block| self.in_stmts(block, counters));
        }
    }

    /// Visits the outermost expressions of a statement, without those of nested statements. The first of these counters are those
    /// around a loop.
    fn in_stmt(&mut self, kind: &mut StmtKind, outer: &Set<u32>, counters: &Set<u32>) {
        match kind {
            StmtKind::Declare { var: _, init: value } | StmtKind::Return(value) => self.in_all(value, counters),
            StmtKind::Assign { place, value } | StmtKind::Update { op: _, place, value } => {
                self.in_expr(place, counters);
                self.in_expr(value, counters);
            }
            StmtKind::Expr(expr) | StmtKind::If { condition: expr, .. } => self.in_expr(expr, counters),
            StmtKind::Switch { on, cases, otherwise: _ } => {
                self.in_expr(on, counters);
                for Case { values, body: _ } in cases {
                    self.in_all(values, counters);
                }
            }
            StmtKind::Loop { header, body, .. } => self.in_header(header, body, outer, counters),
            StmtKind::Fault { site: _, args } | StmtKind::Print { site: _, args } => {
                self.in_all(args, counters);
            }
            StmtKind::Shared { .. }
            | StmtKind::Block { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Goto(_)
            | StmtKind::InternalError(_) => {}
        }
    }

    fn in_header(&mut self, header: &mut Header, body: &[Stmt], outer: &Set<u32>, counters: &Set<u32>) {
        match header {
            Header::Open { test, progress } => {
                if let Some(test) = test {
                    self.in_test(test, body, counters);
                }
                self.in_all(progress, counters);
            }
            // The counter approaches the bound of the test.
            Header::For { var: _, init, test: _, next } => {
                self.in_expr(init, outer);
                if let Next::Assign(value) = next {
                    self.in_expr(value, counters);
                }
            }
            Header::Deferred(deferred) => self.in_header(&mut deferred.header, body, outer, counters),
        }
    }

    /// Visits the test of a `while`.
    fn in_test(&mut self, test: &mut Expr, body: &[Stmt], counters: &Set<u32>) {
        match test {
            Expr::Binary(Operator::Both | Operator::Either, left, right) => {
                self.in_test(left, body, counters);
                self.in_test(right, body, counters);
            }
            Expr::Binary(Operator::Lt | Operator::Le, left, right) if self.approaches(left, right, body) => {}
            Expr::Binary(Operator::Gt | Operator::Ge, left, right) if self.approaches(right, left, body) => {}
            Expr::Binary(Operator::Ne, left, right)
                if self.approaches(left, right, body) || self.approaches(right, left, body) => {}
            _ => self.in_expr(test, counters),
        }
    }

    fn in_all<'e>(&mut self, exprs: impl IntoIterator<Item = &'e mut Expr>, counters: &Set<u32>) {
        for expr in exprs {
            self.in_expr(expr, counters);
        }
    }

    fn in_expr(&mut self, expr: &mut Expr, counters: &Set<u32>) {
        expr.for_each_child_mut(&mut |child| self.in_expr(child, counters));
        match expr {
            Expr::Binary(
                Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge | Operator::Eq | Operator::Ne,
                left,
                right,
            ) => {
                self.in_comparison(left, right, counters);
                let sum = match (is_constant(left), is_constant(right)) {
                    (false, true) => left,
                    (true, false) => right,
                    _ => return,
                };
                if self.is_sum(sum) && self.is_counter(sum, counters) {
                    self.hide(sum);
                }
            }
            // `x / y == 0` is a comparison of the operands, and so is `x % y == x`.
            Expr::Binary(Operator::Div | Operator::Rem, left, right) => self.in_comparison(left, right, counters),
            // The difference of numbers that have been converted from a shorter type has the sign of the comparison.
            Expr::Binary(Operator::Sub, left, right) if is_converted(left) || is_converted(right) => {
                self.in_comparison(left, right, counters);
            }
            Expr::Call(CallTarget::Helper(Helper { op, scalar }, _), args) if compares(*op, *scalar, args) => {
                if let [a, b, ..] = args.as_mut_slice() {
                    self.in_comparison(a, b, counters);
                }
            }
            Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args)
                if matches!(
                    op,
                    Op::At
                        | Op::SplitAt
                        | Op::PartLen
                        | Op::RestLen
                        | Op::PartToLen
                        | Op::Within
                        | Op::Clamp
                        | Op::ClampTo
                ) && args.iter().any(|arg| self.is_counter(arg, counters))
                    && !(args.len() == 2 && args.iter().any(is_constant)) =>
            {
                // Of each two that are compared, one is opaque.
                for arg in args.iter_mut().skip(1).filter(|arg| !is_constant(arg)) {
                    self.hide(arg);
                }
            }
            _ => {}
        }
    }

    /// Returns whether the first number is a variable that a loop only increases, or the second one that it only decreases.
    fn approaches(&self, less: &Expr, greater: &Expr, body: &[Stmt]) -> bool {
        let steps = |number| {
            let var = variable(number)?;
            let CType::Scalar(_) = self.var(var).ty else { return None };
            let mut steps = Steps { var, found: None };
            steps.are_all_of(body).then_some(steps.found).flatten()
        };
        steps(less) == Some(Operator::Add) || steps(greater) == Some(Operator::Sub)
    }

    /// Visits the operands of a comparison.
    fn in_comparison(&mut self, left: &mut Expr, right: &mut Expr, counters: &Set<u32>) {
        let is_left = self.is_counter(left, counters);
        if (is_left || self.is_counter(right, counters)) && !is_constant(left) && !is_constant(right) {
            self.hide(if is_left { right } else { left });
        }
    }

    /// Returns whether a number is a sum or a difference of two numbers neither of which is a constant, or may be one.
    fn is_sum(&self, number: &Expr) -> bool {
        match number {
            Expr::Binary(Operator::Add | Operator::Sub, left, right) => {
                !is_constant(left) && !is_constant(right) || self.is_sum(left) || self.is_sum(right)
            }
            Expr::Call(
                CallTarget::Helper(Helper { op: Op::Add | Op::Sub | Op::WrappingAdd | Op::WrappingSub, .. }, _),
                args,
            ) => args.iter().take(2).all(|arg| !is_constant(arg)) || args.iter().any(|arg| self.is_sum(arg)),
            Expr::Call(CallTarget::Function(..), _) => true,
            Expr::Cast(_, operand) | Expr::Unary(_, operand) => self.is_sum(operand),
            Expr::Conditional(_, left, right) => self.is_sum(left) || self.is_sum(right),
            Expr::Var(_) | Expr::Field(..) | Expr::Index(..) => {
                self.root(number).is_some_and(|var| self.sums.contains(&var.0))
            }
            _ => false,
        }
    }

    /// Notes the variables that are sums.
    fn note_sums(&mut self, stmts: &[Stmt]) {
        loop {
            let before = self.sums.len();
            self.note_sums_in(stmts);
            if self.sums.len() == before {
                return;
            }
        }
    }

    fn note_sums_in(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            let assigned = match &stmt.kind {
                StmtKind::Declare { var, init: Some(value) } => Some((Some(*var), value)),
                StmtKind::Assign { place, value } => Some((self.root(place), value)),
                _ => None,
            };
            if let Some((Some(var), value)) = assigned
                && self.is_sum(value)
            {
                self.sums.insert(var.0);
            }
            stmt.kind.for_each_block(&mut |block| self.note_sums_in(block));
        }
    }

    fn hide(&mut self, operand: &mut Expr) {
        let value = std::mem::replace(operand, Expr::int(Scalar::Usize, 0));
        *operand = Expr::helper(Helper::new(Op::Opaque, Scalar::Usize), vec![value]);
        self.found = true;
    }

    /// Returns whether an integer is computed from variables, of which one is a counter.
    fn is_counter(&self, expr: &Expr, counters: &Set<u32>) -> bool {
        let mut found = false;
        let is_computed = self.is_computed(expr, &mut |var| found |= counters.contains(&var.0));
        is_computed && found
    }

    /// Returns whether an integer is computed from variables and from memory that can change, and calls `visit` with the roots of
    /// these.
    fn is_computed(&self, expr: &Expr, visit: &mut impl FnMut(VarId)) -> bool {
        match expr {
            Expr::Literal(scalar, _) => scalar.is_integer(),
            Expr::Special(_) | Expr::Variant(..) => true,
            Expr::Unary(_, operand) => self.is_computed(operand, visit),
            Expr::Binary(_, left, right) | Expr::Conditional(_, left, right) => {
                self.is_computed(left, visit) && self.is_computed(right, visit)
            }
            Expr::Cast(ty, operand) => is_integer(ty) && self.is_computed(operand, visit),
            Expr::Call(
                CallTarget::Helper(Helper { op: Op::ToBits, .. }, _)
                | CallTarget::Builtin("__float_as_uint" | "__double_as_longlong"),
                args,
            ) => args.iter().all(|float| self.is_reinterpreted(float, visit)),
            Expr::Call(CallTarget::Helper(Helper { op, scalar }, _), _) if op.has_effect() || !scalar.is_integer() => {
                false
            }
            Expr::Call(CallTarget::Function(id, _), _) if !self.integral.contains(id) => false,
            Expr::Call(CallTarget::Function(..), args) => {
                // The result may be that of a part of an argument.
                for arg in args {
                    arg.for_each(&mut |part| {
                        if let Expr::Var(var) = part {
                            visit(*var);
                        }
                    });
                }
                true
            }
            // Others have floats as operands or results.
            Expr::Call(CallTarget::Helper(..) | CallTarget::Builtin("__umulhi" | "__umul64hi"), args) => {
                args.iter().all(|arg| self.is_computed(arg, visit))
            }
            Expr::Var(_) | Expr::Field(..) | Expr::Index(..) | Expr::Deref(_) => match self.root(expr) {
                Some(root) if self.ty(expr).is_some_and(is_integer) => {
                    visit(root);
                    true
                }
                _ => false,
            },
            Expr::AddressOf(_)
            | Expr::Struct(..)
            | Expr::Array(..)
            | Expr::Filled(..)
            | Expr::Constant(_)
            | Expr::Call(..) => false,
        }
    }

    /// Returns whether a float has the bits of such an integer, or is one of these variables, and calls `visit` with the roots.
    fn is_reinterpreted(&self, float: &Expr, visit: &mut impl FnMut(VarId)) -> bool {
        match float {
            Expr::Call(
                CallTarget::Helper(Helper { op: Op::FromBits, .. }, _)
                | CallTarget::Builtin("__uint_as_float" | "__longlong_as_double"),
                args,
            ) => args.iter().all(|bits| self.is_computed(bits, visit)),
            place => match self.root(place) {
                Some(root) => {
                    visit(root);
                    true
                }
                None => false,
            },
        }
    }

    /// Returns the variable of which a place is a part, or whose target it is. Memory that a loop changes may be kept in a
    /// register. Memory that cannot change has none.
    fn root(&self, place: &Expr) -> Option<VarId> {
        match place {
            Expr::Var(var) => Some(*var),
            Expr::Field(base, _, _) => self.root(base),
            Expr::Index(base, _) | Expr::Deref(base) => match self.ty(base) {
                Some(CType::Pointer { mutable: false, .. }) => None,
                _ => self.root(base),
            },
            _ => None,
        }
    }

    /// Returns the variable whose target a pointer points into.
    fn target(&self, pointer: &Expr) -> Option<VarId> {
        match pointer {
            Expr::AddressOf(place) => self.root(place),
            Expr::Binary(Operator::Add, pointer, _) | Expr::Cast(_, pointer) => self.target(pointer),
            place => self.root(place),
        }
    }

    /// Returns the type of a place.
    fn ty(&self, place: &Expr) -> Option<&CType> {
        match place {
            Expr::Var(var) => match &self.var(*var).ty {
                CType::Reference { target, mutable: _ } => Some(target),
                ty => Some(ty),
            },
            Expr::Index(base, _) | Expr::Deref(base) => match self.ty(base)? {
                CType::Pointer { target: element, .. } | CType::Array(element, _) => Some(element),
                _ => None,
            },
            Expr::Field(_, id, position) => match &self.types[id.index()].kind {
                TypeKind::Struct { members, layout: _ } => {
                    members.iter().find(|Member { position: of, .. }| of == position).map(|member| &member.ty)
                }
                TypeKind::Enum { .. } => None,
            },
            _ => None,
        }
    }

    fn var(&self, var: VarId) -> &Variable {
        &self.function.vars[var.index()]
    }

    /// Returns the variables that statements change, other than by loaded values.
    fn counters(&self, stmts: &[Stmt]) -> Set<u32> {
        let mut definitions = Vec::new();
        self.definitions(stmts, &mut definitions);
        let mut counters = Set::new();
        // A copy of a counter is one.
        loop {
            let before = counters.len();
            for (var, definition) in &definitions {
                let is_counter = match definition {
                    Definition::Loaded => false,
                    Definition::Copy(of) => counters.contains(&of.0),
                    Definition::Computed => true,
                };
                if is_counter {
                    counters.insert(var.0);
                }
            }
            if counters.len() == before {
                return counters;
            }
        }
    }

    /// Collects what statements assign to variables.
    fn definitions(&self, stmts: &[Stmt], found: &mut Vec<(VarId, Definition)>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Declare { var, init: Some(value) } => {
                    found.push((*var, self.definition(&Expr::Var(*var), value)));
                }
                StmtKind::Assign { place, value } => {
                    if let Some(var) = self.root(place) {
                        found.push((var, self.definition(place, value)));
                    }
                }
                StmtKind::Update { op: _, place, value: _ } => {
                    if let Some(var) = self.root(place) {
                        found.push((var, Definition::Computed));
                    }
                }
                StmtKind::Loop { header, .. } => {
                    if let Header::For { var, .. } = undeferred(header) {
                        found.push((*var, Definition::Computed));
                    }
                }
                _ => {}
            }
            stmt.for_each_expr(&mut |expr| {
                expr.for_each(&mut |expr| match expr {
                    Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) => {
                        let output = op.output().and_then(|position| args.get(position));
                        found
                            .extend(output.and_then(|output| self.root(output)).map(|var| (var, Definition::Computed)));
                    }
                    // A function may change what is passed by reference, which is not marked in C++.
                    Expr::Call(CallTarget::Function(..), args) => {
                        let places = args.iter().filter_map(|arg| self.root(arg));
                        found.extend(places.map(|var| (var, Definition::Computed)));
                    }
                    Expr::AddressOf(place) => {
                        found.extend(self.root(place).map(|var| (var, Definition::Computed)));
                    }
                    _ => {}
                });
            });
            stmt.kind.for_each_block(&mut |block| self.definitions(block, found));
        }
    }

    fn definition(&self, place: &Expr, value: &Expr) -> Definition {
        match self.ty(place) {
            Some(CType::Scalar(scalar)) if !scalar.is_integer() && !self.is_reinterpreted(value, &mut |_| {}) => {
                Definition::Loaded
            }
            Some(CType::Pointer { .. }) => self.target(value).map_or(Definition::Loaded, Definition::Copy),
            Some(CType::Scalar(scalar)) if scalar.is_integer() && !self.is_computed(value, &mut |_| {}) => {
                Definition::Loaded
            }
            // The parts of an aggregate are not told apart.
            _ => self.root(value).map_or(Definition::Computed, Definition::Copy),
        }
    }
}

/// Returns whether a helper compares its first two arguments, or a test of its result does.
fn compares(op: Op, scalar: Scalar, args: &[Expr]) -> bool {
    match op {
        Op::Min
        | Op::Max
        | Op::AbsDiff
        | Op::Add
        | Op::Sub
        | Op::OverflowingAdd
        | Op::OverflowingSub
        | Op::SaturatingAdd
        | Op::SaturatingSub
        | Op::SaturatingAddMixed
        | Op::SaturatingSubMixed
        | Op::Div
        | Op::Rem
        | Op::DivCeil
        | Op::NextMultipleOf
        | Op::CheckedNextMultipleOf
        | Op::IsMultipleOf => true,
        Op::WrappingSub => scalar.is_signed(),
        Op::WrappingAdd => scalar.is_signed() && args.iter().any(is_negated),
        _ => false,
    }
}

/// Returns whether a number is converted to a signed type.
fn is_converted(expr: &Expr) -> bool {
    matches!(expr, Expr::Cast(CType::Scalar(scalar), _) if scalar.is_signed())
}

/// Returns whether a number is the negative of another one.
fn is_negated(expr: &Expr) -> bool {
    match expr {
        Expr::Cast(_, operand) => is_negated(operand),
        Expr::Unary(prefix, _) => *prefix == Prefix::Minus,
        Expr::Call(CallTarget::Helper(Helper { op: Op::Neg | Op::WrappingNeg, .. }, _), _) => true,
        _ => false,
    }
}

/// Returns the head of a loop without chunks.
fn undeferred(header: &Header) -> &Header {
    match header {
        Header::Deferred(deferred) => undeferred(&deferred.header),
        header => header,
    }
}

/// Returns whether a number consists of literals.
fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(..) | Expr::Variant(..) => true,
        Expr::Unary(_, operand) | Expr::Cast(_, operand) => is_constant(operand),
        Expr::Binary(_, left, right) => is_constant(left) && is_constant(right),
        _ => false,
    }
}

/// Returns the variable of which an expression is a conversion.
fn variable(expr: &Expr) -> Option<VarId> {
    match expr {
        Expr::Var(var) => Some(*var),
        Expr::Cast(_, operand) => variable(operand),
        _ => None,
    }
}

/// The steps of a variable in a loop.
struct Steps {
    var: VarId,
    /// The operation of the steps: an addition, or a subtraction.
    found: Option<Operator>,
}

impl Steps {
    /// Returns whether all changes of the variable in these statements are the same operation, with operands that are not
    /// negative.
    fn are_all_of(&mut self, stmts: &[Stmt]) -> bool {
        stmts.iter().all(|stmt| {
            let step = match &stmt.kind {
                StmtKind::Update { op, place, value } if self.is_var(place) => Some(step_by(*op, value)),
                StmtKind::Assign { place, value } if self.is_var(place) => Some(self.step(value)),
                StmtKind::Declare { var: of, .. } | StmtKind::Loop { header: Header::For { var: of, .. }, .. }
                    if *of == self.var =>
                {
                    Some(None)
                }
                _ => None,
            };
            let mut same = match step {
                None => true,
                Some(Some(op)) => *self.found.get_or_insert(op) == op,
                Some(None) => false,
            };
            stmt.for_each_expr(&mut |expr| {
                expr.for_each(&mut |expr| {
                    same &= match expr {
                        Expr::Call(CallTarget::Function(..), args) => !args.iter().any(|arg| self.is_var(arg)),
                        Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) => {
                            !op.output().and_then(|position| args.get(position)).is_some_and(|arg| self.is_var(arg))
                        }
                        Expr::AddressOf(place) => !self.is_var(place),
                        _ => true,
                    };
                });
            });
            stmt.kind.for_each_block(&mut |block| same = same && self.are_all_of(block));
            same
        })
    }

    fn is_var(&self, place: &Expr) -> bool {
        matches!(place, Expr::Var(var) if *var == self.var)
    }

    /// Returns the operation of a value that is a step of the variable.
    fn step(&self, value: &Expr) -> Option<Operator> {
        match value {
            Expr::Binary(op, left, by) if self.is_var(left) => step_by(*op, by),
            Expr::Cast(_, inner) => self.step(inner),
            Expr::Call(CallTarget::Helper(Helper { op, .. }, _), args) => match (op, args.as_slice()) {
                // It never passes the end of the range.
                (Op::Step, [var, ..]) if self.is_var(var) => Some(Operator::Add),
                (Op::Add | Op::WrappingAdd, [var, by, ..]) if self.is_var(var) => step_by(Operator::Add, by),
                (Op::Sub | Op::WrappingSub, [var, by, ..]) if self.is_var(var) => step_by(Operator::Sub, by),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Returns the operation if it is a step by a constant that is not negative. An addition of a great unsigned number is a
/// subtraction.
fn step_by(op: Operator, by: &Expr) -> Option<Operator> {
    let Expr::Literal(scalar, value) = by else { return None };
    let is_positive = scalar.is_integer() && *value >> (scalar.bits() - 1) == 0;
    (matches!(op, Operator::Add | Operator::Sub) && is_positive).then_some(op)
}
