//! A function while it is lowered: its variables, its statements so far, its temporaries.

use std::collections::BTreeSet;

use crate::ir::{self, ExprId, ExprKind, LocalId, Scalar, Span, Type};
use crate::source::{Site, SiteKind};
use crate::typify::TypedFunction;

use super::control::{Loop, Target};
use super::value::{Value, dimensions};
use super::{CType, Callee, Expr, Function, Named, Output, Stmt, StmtKind, Summary, VarId, Variable};

/// Lowers one function.
pub(super) fn lower(typed: &TypedFunction<'_>, kernel: bool, output: &mut Output) -> Function {
    let function = &typed.instance.function;
    let mut lowering = Lowering {
        typed,
        output,
        vars: Vec::new(),
        locals: vec![Value::Never; function.locals.len()],
        assigned: assigned(function),
        out: Vec::new(),
        line: function.span.line,
        loops: Vec::new(),
        labels: 0,
        summary: Summary::default(),
        known_inside: BTreeSet::new(),
        leaving: false,
    };
    let params = lowering.params(kernel);
    let result = typed.signature.result.scalar();
    let target = if result.is_some() { Target::Return } else { Target::Discard };
    lowering.block(&function.body, &target);
    let Lowering { vars, out, summary, .. } = lowering;
    output.summaries.push(summary);
    Function {
        name: function.name.clone(),
        file: typed.instance.file.clone(),
        line: function.span.line,
        kernel,
        result,
        params,
        vars,
        faults: summary.faults,
        body: out,
    }
}

/// The variables that are assigned after they were declared. A `let mut` that is not among them is a constant.
fn assigned(function: &ir::Function) -> Vec<bool> {
    let mut assigned = vec![false; function.locals.len()];
    for expr in &function.exprs {
        if let ExprKind::Assign { place, value: _ } | ExprKind::AssignOp { op: _, place, value: _ } = &expr.kind {
            let mut place = function.expr(*place);
            while let ExprKind::Field { base, name: _ } = &place.kind {
                place = function.expr(*base);
            }
            if let ExprKind::Local(local) = place.kind {
                assigned[local.index()] = true;
            }
        }
    }
    assigned
}

/// A function while it is lowered.
pub(super) struct Lowering<'a, 'o> {
    pub(super) typed: &'a TypedFunction<'a>,
    pub(super) output: &'o mut Output,
    vars: Vec<Variable>,
    /// What each variable of the user's is in C, once it is declared.
    pub(super) locals: Vec<Value>,
    assigned: Vec<bool>,
    /// The statements of the current C block.
    pub(super) out: Vec<Stmt>,
    /// The line of the current statement.
    line: u32,
    /// The loops around, innermost last.
    pub(super) loops: Vec<Loop>,
    /// How many labels there are.
    pub(super) labels: u32,
    pub(super) summary: Summary,
    /// The elements that are known to be inside their arrays.
    pub(super) known_inside: BTreeSet<ExprId>,
    /// The expression decides whether the innermost loop is left.
    pub(super) leaving: bool,
}

impl<'a> Lowering<'a, '_> {
    pub(super) fn expr(&self, id: ExprId) -> &'a ir::Expr {
        self.typed.instance.function.expr(id)
    }

    pub(super) fn ty(&self, id: ExprId) -> &'a Type {
        self.typed.expr_type(id)
    }

    pub(super) fn overflow_checks(&self) -> bool {
        self.typed.instance.overflow_checks
    }

    /// Appends a statement, unless it cannot be reached.
    pub(super) fn push(&mut self, kind: StmtKind) {
        if !self.out.last().is_some_and(Stmt::diverges) {
            self.out.push(Stmt { line: self.line, kind });
        }
    }

    /// Lowers into a C block of its own.
    pub(super) fn scope<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<Stmt>, T) {
        let outer = std::mem::take(&mut self.out);
        let value = lower(self);
        (std::mem::replace(&mut self.out, outer), value)
    }

    /// Lowers statements that stand on a line of the source.
    pub(super) fn at_line(&mut self, span: Span, lower: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.line, span.line);
        lower(self);
        self.line = outer;
    }

    /// A place that can fault.
    pub(super) fn site(&mut self, kind: SiteKind, span: Span) -> u32 {
        let instance = self.typed.instance;
        self.summary.faults = true;
        self.output.sites.push(Site {
            function: instance.function.name.clone(),
            file: instance.file.clone(),
            span,
            kind,
        });
        self.output.sites.len() as u32 - 1
    }

    pub(super) fn var(&mut self, var: Variable) -> VarId {
        self.vars.push(var);
        VarId(self.vars.len() as u32 - 1)
    }

    /// A constant of ours.
    pub(super) fn constant(&mut self, wish: &str, ty: CType, init: Expr) -> Expr {
        let var = self.var(Variable { wish: wish.into(), named: Named::ByUs, ty, constant: true, stable: true });
        self.push(StmtKind::Declare { var, init: Some(init) });
        Expr::Var(var)
    }

    /// A variable of ours that is assigned in several places.
    pub(super) fn temporary(&mut self, wish: &str, scalar: Scalar, init: Option<Expr>) -> VarId {
        let ty = CType::Scalar(scalar);
        let var = self.var(Variable { wish: wish.into(), named: Named::ByUs, ty, constant: false, stable: true });
        self.push(StmtKind::Declare { var, init });
        var
    }

    /// Makes the parameters.
    fn params(&mut self, kernel: bool) -> Vec<VarId> {
        let mut params = Vec::new();
        let function = &self.typed.instance.function;
        for param in &function.params {
            let name = &function.local(*param).name;
            let ty = self.typed.local_type(*param);
            let constant = !self.assigned[param.index()];
            let mut var = |wish: String, named, ty, constant| {
                let var = self.var(Variable { wish, named, ty, constant, stable: constant });
                params.push(var);
                var
            };
            let value = match ty {
                Type::Slice { element, mutable } => {
                    let element = element.scalar().unwrap_or(Scalar::U8);
                    // Two slices of a device function may lead to one array; those of a launch do not.
                    let pointer = CType::Pointer { element, mutable: *mutable, restrict: kernel };
                    let pointer = var(name.clone(), Named::ByUser, pointer, constant);
                    let len = var(format!("{name}_len"), Named::ByUs, CType::Scalar(Scalar::Usize), constant);
                    Value::Slice { pointer: Expr::Var(pointer), len: Expr::Var(len), element, mutable: *mutable }
                }
                Type::Shared(inner) => {
                    let (element, lens) = dimensions(inner);
                    let place = var(name.clone(), Named::ByUser, CType::Array { element, lens: lens.clone() }, true);
                    Value::Array { place: Expr::Var(place), element, lens }
                }
                other => {
                    let scalar = other.scalar().unwrap_or(Scalar::U8);
                    Value::Scalar(Expr::Var(var(name.clone(), Named::ByUser, CType::Scalar(scalar), constant)), scalar)
                }
            };
            self.locals[param.index()] = value;
        }
        params
    }

    /// Makes the C variables of a user's variable, without declaring them.
    pub(super) fn local_vars(&mut self, local: LocalId, ty: &Type, initialised: bool) -> Value {
        let ir::Local { name, mutable, slot: _ } = self.typed.instance.function.local(local);
        let assigned = self.assigned[local.index()];
        // What is assigned once, after `let x;`, is not read before.
        let stable = !assigned || (!initialised && !mutable);
        self.vars_of(name, Named::ByUser, ty, Declared { constant: initialised && !assigned, stable })
    }

    /// Whether the user assigns the variable.
    pub(super) fn is_assigned(&self, local: LocalId) -> bool {
        self.assigned[local.index()]
    }

    /// Makes the C variables for a value of a type.
    pub(super) fn vars_of(&mut self, wish: &str, named: Named, ty: &Type, declared: Declared) -> Value {
        let Declared { constant, stable } = declared;
        let mut var = |wish: String, named, ty| Expr::Var(self.var(Variable { wish, named, ty, constant, stable }));
        match ty {
            Type::Unit => Value::Unit,
            Type::Scalar(scalar) => Value::Scalar(var(wish.to_owned(), named, CType::Scalar(*scalar)), *scalar),
            Type::Slice { element, mutable } => {
                let (element, mutable) = (element.scalar().unwrap_or(Scalar::U8), *mutable);
                let pointer = var(wish.to_owned(), named, CType::Pointer { element, mutable, restrict: false });
                let len = var(format!("{wish}_len"), Named::ByUs, CType::Scalar(Scalar::Usize));
                Value::Slice { pointer, len, element, mutable }
            }
            Type::Tuple(parts) => Value::Parts(
                parts
                    .iter()
                    .enumerate()
                    .map(|(i, part)| self.vars_of(&format!("{wish}_{i}"), Named::ByUs, part, declared))
                    .collect(),
            ),
            Type::Struct(structure) => Value::Parts(
                structure
                    .fields
                    .iter()
                    .map(|field| self.vars_of(&format!("{wish}_{}", field.name), Named::ByUs, &field.ty, declared))
                    .collect(),
            ),
            // An array is never copied, and a place never kept.
            Type::Never | Type::Array(..) | Type::Shared(_) | Type::Place(_) => Value::Never,
        }
    }

    /// Reading the expression again gives the same, and it cannot fault: it can stay where it is, whatever happens
    /// before it is evaluated.
    pub(super) fn is_stable(&self, expr: &Expr) -> bool {
        let itself = match expr {
            Expr::Var(var) => self.vars[var.index()].stable,
            Expr::Index(..) => false,
            Expr::Call(callee, _) => match callee {
                Callee::Helper(_, site) => site.is_none(),
                Callee::Builtin(_) => true,
                Callee::Effect(_) => false,
                Callee::Function(id) => {
                    let Summary { writes, reads, faults } = self.output.summaries[id.index()];
                    !writes && !reads && !faults
                }
            },
            Expr::AddressOf(place) => {
                let Expr::Index(base, index) = &**place else { return self.is_stable(place) };
                return self.is_stable(base) && self.is_stable(index);
            }
            Expr::Literal(..)
            | Expr::Special(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Conditional(..) => true,
        };
        let mut stable = itself;
        expr.for_each_child(&mut |child| stable &= self.is_stable(child));
        stable
    }

    /// The expression can fault, so that it cannot be left out.
    pub(super) fn can_fault(&self, expr: &Expr) -> bool {
        let mut faults = match expr {
            Expr::Call(Callee::Helper(_, site), _) => site.is_some(),
            Expr::Call(Callee::Function(id), _) => self.output.summaries[id.index()].faults,
            _ => false,
        };
        expr.for_each_child(&mut |child| faults |= self.can_fault(child));
        faults
    }

    /// Statements were appended after `mark`, and the values were computed before them: keeps in constants what those
    /// statements could change.
    pub(super) fn settle(&mut self, mark: usize, values: &mut [Value]) {
        if self.out.len() > mark {
            let later = self.out.split_off(mark);
            for value in values {
                let taken = std::mem::replace(value, Value::Never);
                *value = self.saved(taken);
            }
            self.out.extend(later);
        }
    }

    /// The value as of now, whatever comes.
    pub(super) fn saved(&mut self, value: Value) -> Value {
        match value {
            Value::Scalar(expr, scalar) => Value::Scalar(self.saved_expr("saved", expr, CType::Scalar(scalar)), scalar),
            Value::Parts(parts) => Value::Parts(parts.into_iter().map(|part| self.saved(part)).collect()),
            Value::Slice { pointer, len, element, mutable } => {
                let pointer = self.saved_expr("saved", pointer, CType::Pointer { element, mutable, restrict: false });
                let len = self.saved_expr("saved_len", len, CType::Scalar(Scalar::Usize));
                Value::Slice { pointer, len, element, mutable }
            }
            Value::Place { lvalue, element } => {
                let address = Expr::AddressOf(Box::new(lvalue));
                let ty = CType::Pointer { element, mutable: true, restrict: false };
                let saved = match self.saved_expr("saved", address, ty) {
                    Expr::AddressOf(lvalue) => *lvalue,
                    pointer => Expr::index(pointer, Expr::int(Scalar::Usize, 0)),
                };
                Value::Place { lvalue: saved, element }
            }
            // An array of the block stays where it is; the indices into it are values of their own.
            Value::Never | Value::Unit | Value::Array { .. } => value,
        }
    }

    /// The number as of now.
    pub(super) fn saved_expr(&mut self, wish: &str, expr: Expr, ty: CType) -> Expr {
        if self.is_stable(&expr) { expr } else { self.constant(wish, ty, expr) }
    }
}

/// How the C variables of a value are declared.
#[derive(Clone, Copy)]
pub(super) struct Declared {
    /// `const`
    pub(super) constant: bool,
    /// See [`Variable::stable`].
    pub(super) stable: bool,
}
