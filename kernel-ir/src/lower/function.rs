//! A function while it is lowered: its variables, its statements so far, its temporaries.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{self, ExprId, FunctionId, LocalId, Pattern, Scalar, Span, Type};
use crate::source::{Site, SiteKind};
use crate::typify::TypedFunction;

use super::control::{Loop, Target};
use super::types::{comes_apart, is_empty, is_one_value};
use super::usage::{Usage, usage};
use super::value::Value;
use super::{Body, CType, Callee, Expr, Function, Named, Output, Stmt, StmtKind, Summary, VarId, Variable};

/// Lowers one function.
pub(super) fn lower<'a>(typed: &'a TypedFunction<'a>, kernel: bool, output: &mut Output<'a>) -> (Function, Summary) {
    let function = &typed.instance.function;
    let mut lowering = Lowering {
        typed,
        usage: usage(typed, output.program),
        names: names(function),
        output,
        vars: Vec::new(),
        shared: BTreeSet::new(),
        locals: vec![Value::Never; function.locals.len()],
        out: Vec::new(),
        line: function.span.line,
        loops: Vec::new(),
        labels: 0,
        switches: 0,
        summary: Summary::default(),
        known_inside: BTreeSet::new(),
        leaving: false,
    };
    let params = lowering.params(kernel);
    let result = match &typed.signature.result {
        ty if is_empty(ty) => None,
        ty => Some(lowering.output.types.value(ty)),
    };
    let body = if let Some(cuda) = &function.cuda {
        // Nobody looks into it.
        lowering.summary = Summary { writes: true, reads: true, faults: false, takes_launch: false };
        Body::Text(cuda.clone())
    } else {
        let target = if result.is_some() { Target::Return } else { Target::Discard };
        lowering.block(&function.body, &target);
        Body::Stmts(std::mem::take(&mut lowering.out))
    };
    let Lowering { vars, summary, .. } = lowering;
    let function = Function {
        name: function.name.clone(),
        file: typed.instance.file.clone(),
        line: function.span.line,
        result,
        params,
        vars,
        takes_launch: summary.takes_launch,
        body,
    };
    (function, summary)
}

/// The variable that a `let` gives an expression to.
fn names(function: &ir::Function) -> BTreeMap<ExprId, LocalId> {
    let blocks = function.exprs.iter().filter_map(|expr| expr.kind.block()).chain([&function.body]);
    let stmts = blocks.flat_map(|block| &block.stmts);
    stmts
        .filter_map(|stmt| match stmt {
            ir::Stmt::Let { pattern: Pattern::Local(local), init: Some(init), span: _ } => Some((*init, *local)),
            ir::Stmt::Let { .. } | ir::Stmt::Expr(_) => None,
        })
        .collect()
}

/// A function while it is lowered.
pub(super) struct Lowering<'a, 'o> {
    pub(super) typed: &'a TypedFunction<'a>,
    pub(super) output: &'o mut Output<'a>,
    usage: Usage,
    /// The variables that expressions are given to by a `let`.
    names: BTreeMap<ExprId, LocalId>,
    vars: Vec<Variable>,
    /// The variables that are memory of the block.
    shared: BTreeSet<u32>,
    /// What each variable of the user's is in C, once it is declared.
    pub(super) locals: Vec<Value>,
    /// The statements of the current C block.
    pub(super) out: Vec<Stmt>,
    /// The line of the current statement.
    line: u32,
    /// The loops and labelled blocks around, innermost last.
    pub(super) loops: Vec<Loop>,
    /// How many labels there are.
    pub(super) labels: u32,
    /// How many `switch` statements of C are around.
    pub(super) switches: usize,
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

    /// A function of the program.
    pub(super) fn function(&self, id: FunctionId) -> &'a TypedFunction<'a> {
        &self.output.program[id.index()]
    }

    /// Appends a statement, unless it cannot be reached.
    pub(super) fn push(&mut self, kind: StmtKind) {
        if let StmtKind::Shared { var } = kind {
            self.shared.insert(var.0);
            self.vars[var.index()].stable = false;
        }
        if self.comes_to_end() {
            self.out.push(Stmt { line: self.line, kind });
        }
    }

    /// What follows in the current C block is reached.
    pub(super) fn comes_to_end(&self) -> bool {
        !self.out.last().is_some_and(Stmt::diverges)
    }

    /// Appends a statement with its own line.
    pub(super) fn append(&mut self, stmt: Stmt) {
        if self.comes_to_end() {
            self.out.push(stmt);
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

    /// What comes of a value whose form `typify` rules out; of one that does not arrive, there is nothing to say.
    pub(super) fn unexpected(&mut self, value: &Value) -> Value {
        if !matches!(value, Value::Never) {
            self.push(StmtKind::Contradiction);
        }
        Value::Never
    }

    /// A place that can fault.
    pub(super) fn site(&mut self, kind: SiteKind, span: Span) -> u32 {
        self.summary.faults = true;
        self.note(kind, span)
    }

    /// A place that the launch hears of.
    pub(super) fn note(&mut self, kind: SiteKind, span: Span) -> u32 {
        let instance = self.typed.instance;
        self.summary.takes_launch = true;
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

    /// What a variable that is given this expression by a `let` is called, or else `wish`.
    pub(super) fn name_of(&self, id: ExprId, wish: &str) -> (String, Named) {
        match self.names.get(&id) {
            Some(local) => (self.typed.instance.function.local(*local).name.clone(), Named::ByUser),
            None => (wish.to_owned(), Named::ByUs),
        }
    }

    /// Makes the parameters.
    fn params(&mut self, kernel: bool) -> Vec<VarId> {
        let mut params = Vec::new();
        let function = &self.typed.instance.function;
        let first = self.vars.len() as u32;
        for param in &function.params {
            let name = &function.local(*param).name;
            let ty = self.typed.local_type(*param);
            let constant = !self.is_assigned(*param);
            let declared = Declared { constant, stable: constant, in_pieces: true };
            let mut value = self.vars_of(name, Named::ByUser, ty, declared);
            let end = self.vars.len() as u32;
            for var in (first..end).map(VarId).skip(params.len()) {
                self.adjust_param(var, ty, kernel);
                params.push(var);
            }
            if let (Type::Ref { target, mutable: _ }, Value::Place { lvalue: Expr::Deref(pointer), .. }) = (ty, &value)
            {
                value = Value::Place { lvalue: (**pointer).clone(), target: (**target).clone() };
            }
            if kernel && self.output.options.contiguous_views {
                value = contiguous(value);
            }
            self.locals[param.index()] = value;
        }
        // What is borrowed is in one piece, a `bool` in memory is a byte, and a reference that changes is a pointer: those
        // are copies.
        for param in &function.params {
            let ty = self.typed.local_type(*param);
            let borrowed = self.usage.borrowed[param.index()] && (comes_apart(ty) || *ty == Type::BOOL);
            let leads_elsewhere = self.is_assigned(*param) && matches!(ty, Type::Ref { .. });
            if borrowed || leads_elsewhere {
                let given = self.locals[param.index()].clone();
                let vars = self.local_vars(*param, ty, true);
                self.declare_with(&vars, given);
                self.locals[param.index()] = vars;
            }
        }
        params
    }

    /// A reference that is a parameter is one of C++'s; two slices of a device function may lead to one array, but those
    /// of a launch do not.
    fn adjust_param(&mut self, var: VarId, ty: &Type, kernel: bool) {
        let var = &mut self.vars[var.index()];
        let CType::Pointer { target, mutable, restrict } = &mut var.ty else { return };
        if matches!(ty, Type::Ref { .. }) {
            var.ty = CType::Reference { target: target.clone(), mutable: *mutable };
            var.stable = false;
        } else {
            *restrict = kernel;
        }
    }

    /// Makes the C variables of a user's variable, without declaring them.
    pub(super) fn local_vars(&mut self, local: LocalId, ty: &Type, initialised: bool) -> Value {
        let ir::Local { name, mutable, slot: _ } = self.typed.instance.function.local(local);
        let assigned = self.is_assigned(local);
        // What is assigned once, after `let x;`, is not read before.
        let stable = !assigned || (!initialised && !mutable);
        let borrowed = self.usage.borrowed[local.index()];
        let declared = Declared { constant: initialised && !assigned, stable, in_pieces: !borrowed };
        if borrowed && *ty == Type::BOOL {
            let Declared { constant, stable, in_pieces: _ } = declared;
            let ty = CType::Scalar(Scalar::U8);
            let var = self.var(Variable { wish: name.clone(), named: Named::ByUser, ty, constant, stable });
            return Value::Place { lvalue: Expr::Var(var), target: Type::BOOL };
        }
        self.vars_of(name, Named::ByUser, ty, declared)
    }

    /// Makes the one C variable of a user's variable that is given a value in one piece.
    pub(super) fn whole_var(&mut self, local: LocalId, ty: &Type) -> Value {
        let name = &self.typed.instance.function.local(local).name;
        let assigned = self.is_assigned(local);
        let declared = Declared { constant: !assigned, stable: !assigned, in_pieces: false };
        self.vars_of(name, Named::ByUser, ty, declared)
    }

    /// Whether the user changes the variable after it was declared.
    pub(super) fn is_assigned(&self, local: LocalId) -> bool {
        self.usage.assigned[local.index()]
    }

    /// Makes the C variables for a value of a type.
    pub(super) fn vars_of(&mut self, wish: &str, named: Named, ty: &Type, declared: Declared) -> Value {
        let Declared { constant, stable, in_pieces } = declared;
        let var = |this: &mut Self, wish: String, named, ty| {
            Expr::Var(this.var(Variable { wish, named, ty, constant, stable }))
        };
        match ty {
            Type::Unit => Value::Unit,
            Type::Never => Value::Never,
            Type::Scalar(scalar) => Value::Scalar(var(self, wish.to_owned(), named, CType::Scalar(*scalar)), *scalar),
            Type::Enum(choice) => {
                let c = self.output.types.value(ty);
                Value::Scalar(var(self, wish.to_owned(), named, c), choice.repr)
            }
            Type::Slice { element, mutable } => {
                let pointer = self.output.types.memory(ty);
                let pointer = var(self, wish.to_owned(), named, pointer);
                let len = var(self, format!("{wish}_len"), Named::ByUs, CType::USIZE);
                Value::Slice { pointer, len, element: (**element).clone(), mutable: *mutable }
            }
            Type::View { element, dimensions, mutable } => {
                let pointer = self.output.types.memory(ty);
                let pointer = var(self, wish.to_owned(), named, pointer);
                let mut numbers = |what: &str| {
                    let wishes = (0..*dimensions).map(|dimension| format!("{wish}_{what}_{dimension}"));
                    wishes.map(|wish| var(self, wish, Named::ByUs, CType::USIZE)).collect()
                };
                let (lens, strides) = (numbers("len"), numbers("stride"));
                Value::View { pointer, lens, strides, element: (**element).clone(), mutable: *mutable }
            }
            Type::Ref { target, mutable: _ } => {
                let pointer = self.output.types.memory(ty);
                let pointer = var(self, wish.to_owned(), named, pointer);
                Value::Place { lvalue: Expr::Deref(Box::new(pointer)), target: (**target).clone() }
            }
            Type::Tuple(parts) if in_pieces || !is_one_value(ty) => Value::Parts(
                parts
                    .iter()
                    .enumerate()
                    .map(|(i, part)| self.vars_of(&format!("{wish}_{i}"), Named::ByUs, part, declared))
                    .collect(),
            ),
            Type::Struct(structure) if in_pieces && comes_apart(ty) => Value::Parts(
                structure
                    .fields
                    .iter()
                    .map(|field| self.vars_of(&format!("{wish}_{}", field.name), Named::ByUs, &field.ty, declared))
                    .collect(),
            ),
            Type::Tuple(_) | Type::Struct(_) | Type::Array(..) => {
                let c = self.output.types.value(ty);
                Value::Whole(var(self, wish.to_owned(), named, c), ty.clone())
            }
        }
    }

    /// Reading the expression again gives the same, and it cannot fault: it can stay where it is, whatever happens
    /// before it is evaluated.
    pub(super) fn is_stable(&self, expr: &Expr) -> bool {
        let itself = match expr {
            Expr::Var(var) => self.vars[var.index()].stable,
            Expr::Index(base, _) => !self.is_pointer(base),
            Expr::Deref(_) => false,
            Expr::Call(callee, _) => match callee {
                Callee::Helper(helper, site) => site.is_none() && !helper.op.has_effect(),
                Callee::Builtin(_) => true,
                Callee::Effect(_) => false,
                Callee::Function(id) => {
                    let Summary { writes, reads, faults, takes_launch } = self.output.summaries[id.index()];
                    !writes && !reads && !faults && !takes_launch
                }
            },
            Expr::AddressOf(place) => return self.is_place_stable(place),
            Expr::Literal(..)
            | Expr::Special(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Conditional(..)
            | Expr::Field(..)
            | Expr::Struct(..)
            | Expr::Array(..)
            | Expr::Filled(..)
            | Expr::Variant(..)
            | Expr::Constant(_) => true,
        };
        let mut stable = itself;
        expr.for_each_child(&mut |child| stable &= self.is_stable(child));
        stable
    }

    /// The place stays the same, whatever is written there.
    pub(super) fn is_place_stable(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(_) => true,
            Expr::Field(base, _, _) => self.is_place_stable(base),
            Expr::Index(base, index) if self.is_pointer(base) => self.is_stable(base) && self.is_stable(index),
            Expr::Index(base, index) => self.is_place_stable(base) && self.is_stable(index),
            Expr::Deref(pointer) => self.is_stable(pointer),
            other => self.is_stable(other),
        }
    }

    /// The C value is a pointer.
    pub(super) fn is_pointer(&self, expr: &Expr) -> bool {
        self.pointer_type(expr).is_some()
    }

    /// The type of a C value that is a pointer.
    pub(super) fn pointer_type(&self, expr: &Expr) -> Option<CType> {
        match expr {
            Expr::Var(var) => match &self.vars[var.index()].ty {
                CType::Pointer { target, mutable, restrict: _ } => {
                    Some(CType::Pointer { target: target.clone(), mutable: *mutable, restrict: false })
                }
                CType::Scalar(_) | CType::Named(_) | CType::Array(..) | CType::Reference { .. } => None,
            },
            Expr::Cast(ty @ CType::Pointer { .. }, _) => Some(ty.clone()),
            Expr::Binary(_, left, _) => self.pointer_type(left),
            Expr::Conditional(_, then, _) => self.pointer_type(then),
            Expr::AddressOf(place) => {
                self.place_type(place).map(|target| CType::pointer(target, self.is_writable(place)))
            }
            _ => None,
        }
    }

    /// What leads to the place lets it be written to.
    pub(super) fn is_writable(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(var) => {
                let var = &self.vars[var.index()];
                !var.constant && !matches!(var.ty, CType::Reference { mutable: false, .. })
            }
            Expr::Field(base, _, _) => self.is_writable(base),
            Expr::Index(pointer, _) | Expr::Deref(pointer) => match self.pointer_type(pointer) {
                Some(ty) => matches!(ty, CType::Pointer { mutable: true, .. }),
                None => self.is_writable(pointer),
            },
            _ => false,
        }
    }

    /// The type of a place, as memory holds it.
    fn place_type(&self, place: &Expr) -> Option<CType> {
        match place {
            Expr::Var(var) => match &self.vars[var.index()].ty {
                CType::Reference { target, mutable: _ } => Some((**target).clone()),
                ty => Some(ty.clone()),
            },
            Expr::Index(base, _) => match (self.pointer_type(base), self.place_type(base)) {
                (Some(CType::Pointer { target, .. }), _) | (_, Some(CType::Array(target, _))) => Some(*target),
                _ => None,
            },
            Expr::Deref(pointer) => match self.pointer_type(pointer) {
                Some(CType::Pointer { target, .. }) => Some(*target),
                _ => None,
            },
            Expr::Field(_, id, position) => {
                let members = self.output.types.members_of(*id);
                members.iter().find(|member| member.position == *position).map(|member| member.ty.clone())
            }
            Expr::Constant(id) => Some(self.output.constants.defs[id.index()].ty.clone()),
            _ => None,
        }
    }

    /// The place can change by what others do: it is not a variable of the thread's own.
    pub(super) fn is_in_memory(&self, place: &Expr) -> bool {
        match place {
            Expr::Var(var) => {
                self.shared.contains(&var.0) || matches!(self.vars[var.index()].ty, CType::Reference { .. })
            }
            Expr::Field(base, _, _) => self.is_in_memory(base),
            Expr::Index(base, _) => self.is_pointer(base) || self.is_in_memory(base),
            Expr::Deref(_) => true,
            _ => false,
        }
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
            Value::Whole(expr, ty) => {
                let c = self.output.types.value(&ty);
                Value::Whole(self.saved_expr("saved", expr, c), ty)
            }
            Value::Parts(parts) => Value::Parts(parts.into_iter().map(|part| self.saved(part)).collect()),
            Value::Slice { pointer, len, element, mutable } => {
                let pointer = self.saved_pointer(pointer, &element, mutable);
                let len = self.saved_expr("saved_len", len, CType::USIZE);
                Value::Slice { pointer, len, element, mutable }
            }
            Value::View { pointer, lens, strides, element, mutable } => {
                let pointer = self.saved_pointer(pointer, &element, mutable);
                let mut saved = |exprs: Vec<Expr>, wish| -> Vec<Expr> {
                    exprs.into_iter().map(|expr| self.saved_expr(wish, expr, CType::USIZE)).collect()
                };
                let (lens, strides) = (saved(lens, "saved_len"), saved(strides, "saved_stride"));
                Value::View { pointer, lens, strides, element, mutable }
            }
            Value::Place { lvalue, target } => Value::Place { lvalue: self.settled_place(lvalue), target },
            Value::Never | Value::Unit => value,
        }
    }

    fn saved_pointer(&mut self, pointer: Expr, element: &Type, mutable: bool) -> Expr {
        let ty = CType::pointer(self.output.types.memory(element), mutable);
        self.saved_expr("saved", pointer, ty)
    }

    /// The number as of now.
    pub(super) fn saved_expr(&mut self, wish: &str, expr: Expr, ty: CType) -> Expr {
        if self.is_stable(&expr) { expr } else { self.constant(wish, ty, expr) }
    }

    /// The same place, whatever comes, and cheap to name twice: its indices are variables and numbers.
    pub(super) fn settled_place(&mut self, place: Expr) -> Expr {
        match place {
            Expr::Index(base, index) => {
                let base = if let Some(ty) = self.pointer_type(&base) {
                    self.saved_expr("saved", *base, ty)
                } else {
                    self.settled_place(*base)
                };
                let simple = matches!(*index, Expr::Var(_) | Expr::Literal(..)) && self.is_stable(&index);
                let index = if simple { *index } else { self.constant("at", CType::USIZE, *index) };
                Expr::index(base, index)
            }
            Expr::Field(base, id, position) => Expr::field(self.settled_place(*base), id, position),
            Expr::Deref(pointer) => match self.pointer_type(&pointer) {
                Some(ty) => Expr::Deref(Box::new(self.saved_expr("saved", *pointer, ty))),
                None => Expr::Deref(pointer),
            },
            place => place,
        }
    }
}

/// A view whose last index is the fastest, by its lengths alone.
fn contiguous(value: Value) -> Value {
    match value {
        Value::View { pointer, lens, strides: _, element, mutable } => {
            let mut strides = vec![Expr::int(Scalar::Usize, 1)];
            for len in lens.iter().skip(1).rev() {
                let next = match &strides[0] {
                    Expr::Literal(_, 1) => len.clone(),
                    stride => Expr::binary(super::Operator::Mul, len.clone(), stride.clone()),
                };
                strides.insert(0, next);
            }
            Value::View { pointer, lens, strides, element, mutable }
        }
        other => other,
    }
}

/// How the C variables of a value are declared.
#[derive(Clone, Copy)]
pub(super) struct Declared {
    /// `const`
    pub(super) constant: bool,
    /// See [`Variable::stable`].
    pub(super) stable: bool,
    /// A tuple or a `Dim3` is a variable for each part.
    pub(super) in_pieces: bool,
}
