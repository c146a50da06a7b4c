//! Lowering of a function: its variables, statements and temporaries.

use crate::analyse::Flow;
use crate::ir::{self, ExprId, FunctionId, LocalId, Pattern, Scalar, Span, Type};
use crate::set::Set;
use crate::source::{Site, SiteKind};
use crate::typify::TypedFunction;
use litemap::LiteMap;

use super::passes::verify;
use super::target::{Loop, Target};
use super::types::is_empty;
use super::value::Value;
use super::{Body, CType, Expr, Function, NameOrigin, Output, SiteRef, Stmt, StmtKind, Summary, VarId, Variable};

/// Lowers one function.
pub(super) fn lower<'a>(
    typed: &'a TypedFunction,
    flow: &'a Flow,
    kernel: bool,
    output: &mut Output<'a>,
) -> (Function, Summary, Vec<SiteKind>) {
    let function = &typed.instance.function;
    let mut lowering = Lowering {
        typed,
        flow,
        names: names(function),
        output,
        vars: Vec::new(),
        shared: Set::new(),
        locals: vec![Value::Never; function.locals.len()],
        out: Vec::new(),
        line: function.span.line,
        loops: Vec::new(),
        labels: 0,
        switches: 0,
        summary: Summary::default(),
        caller_sites: Vec::new(),
    };
    let (params, quantities) = lowering.params(kernel);
    let result = match &typed.signature.result {
        ty if is_empty(ty) => None,
        ty => Some(lowering.output.types.value(ty)),
    };
    let body = if let Some(foreign) = &function.foreign {
        // The user's code is opaque.
        lowering.summary = Summary { writes: true, reads: true, faults: false, takes_launch: false };
        Body::Foreign(foreign.clone())
    } else {
        let target = if result.is_some() { Target::Return } else { Target::Discard };
        lowering.block(&function.body, &target);
        Body::Stmts(std::mem::take(&mut lowering.out))
    };
    let body = verified(body, &params, &lowering.vars);
    let Lowering { vars, summary, caller_sites, .. } = lowering;
    let function = Function {
        name: function.name.clone(),
        file: typed.instance.file.clone(),
        line: function.span.line,
        result,
        params,
        quantities,
        vars,
        takes_launch: summary.takes_launch,
        takes_site: !caller_sites.is_empty(),
        body,
    };
    (function, summary, caller_sites)
}

/// Returns the body, or a statement that does not compile if the body reads an uninitialised variable.
fn verified(body: Body, params: &[VarId], vars: &[Variable]) -> Body {
    let Body::Stmts(stmts) = &body else { return body };
    let Some(var) = verify::uninitialised(params, vars, stmts).into_iter().next() else { return body };
    let what = format!("`{}` is read before it is assigned", vars[var.index()].hint);
    Body::Stmts(vec![Stmt { line: 0, kind: StmtKind::InternalError(what) }])
}

/// Returns, for each initialiser of a `let`, the variable that it initialises.
fn names(function: &ir::Function) -> LiteMap<ExprId, LocalId> {
    let blocks = function.exprs.iter().filter_map(|expr| expr.kind.block()).chain([&function.body]);
    let stmts = blocks.flat_map(|block| &block.stmts);
    stmts
        .filter_map(|stmt| match stmt {
            ir::Stmt::Let { pattern: Pattern::Local(local), init: Some(init), span: _ } => Some((*init, *local)),
            ir::Stmt::Let { .. } | ir::Stmt::Expr(_) => None,
        })
        .collect()
}

/// The state of lowering one function.
pub(super) struct Lowering<'a, 'o> {
    pub(super) typed: &'a TypedFunction,
    pub(super) output: &'o mut Output<'a>,
    pub(super) flow: &'a Flow,
    /// The variables that a `let` initialises with an expression.
    names: LiteMap<ExprId, LocalId>,
    pub(super) vars: Vec<Variable>,
    /// The variables in shared memory.
    pub(super) shared: Set<u32>,
    /// The C representation of each of the user's variables that has been declared.
    pub(super) locals: Vec<Value>,
    /// The statements of the current C block.
    pub(super) out: Vec<Stmt>,
    /// The source line of the current statement.
    line: u32,
    /// The enclosing loops and labelled blocks, innermost last.
    pub(super) loops: Vec<Loop>,
    /// The number of labels.
    pub(super) labels: u32,
    /// The number of enclosing C `switch` statements.
    pub(super) switches: usize,
    pub(super) summary: Summary,
    /// In the definition of a built-in method, the kinds of the sites that each call of it registers.
    caller_sites: Vec<SiteKind>,
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

    /// Returns a function of the program.
    pub(super) fn function(&self, id: FunctionId) -> &'a TypedFunction {
        &self.output.program[id.index()]
    }

    /// Appends a statement, unless it is unreachable.
    pub(super) fn push(&mut self, kind: StmtKind) {
        if let StmtKind::Shared { var } = kind {
            self.shared.insert(var.0);
            self.vars[var.index()].stable = false;
        }
        if self.is_end_reachable() {
            self.out.push(Stmt { line: self.line, kind });
        }
    }

    /// Returns whether the end of the current C block is reachable.
    pub(super) fn is_end_reachable(&self) -> bool {
        !self.out.last().is_some_and(Stmt::diverges)
    }

    /// Appends a statement that has a line of its own.
    pub(super) fn append(&mut self, stmt: Stmt) {
        if self.is_end_reachable() {
            self.out.push(stmt);
        }
    }

    /// Lowers into a separate C block.
    pub(super) fn scope<T>(&mut self, lower: impl FnOnce(&mut Self) -> T) -> (Vec<Stmt>, T) {
        let outer = std::mem::take(&mut self.out);
        let value = lower(self);
        (std::mem::replace(&mut self.out, outer), value)
    }

    /// Lowers statements that belong to a source line.
    pub(super) fn at_line(&mut self, span: Span, lower: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.line, span.line);
        lower(self);
        self.line = outer;
    }

    /// Handles a value whose form `typify` has ruled out. A diverging value is not an error.
    pub(super) fn unexpected(&mut self, value: &Value) -> Value {
        if !matches!(value, Value::Never) {
            self.push(StmtKind::InternalError("the form of a value does not match its type".to_owned()));
        }
        Value::Never
    }

    /// Returns whether the function defines a built-in method.
    pub(super) fn is_built_in(&self) -> bool {
        self.typed.instance.built_in
    }

    /// Registers a site that can fault.
    pub(super) fn site(&mut self, kind: SiteKind, span: Span) -> SiteRef {
        self.summary.faults = true;
        self.record_site(kind, span)
    }

    /// Registers a site that the launch records.
    pub(super) fn record_site(&mut self, kind: SiteKind, span: Span) -> SiteRef {
        let instance = &self.typed.instance;
        self.summary.takes_launch = true;
        if instance.built_in {
            self.caller_sites.push(kind);
            return SiteRef::Caller(self.caller_sites.len() as u32 - 1);
        }
        self.output.sites.push(Site {
            function: instance.function.name.clone(),
            file: instance.file.clone(),
            span,
            kind,
        });
        SiteRef::Own(self.output.sites.len() as u32 - 1)
    }

    pub(super) fn var(&mut self, var: Variable) -> VarId {
        self.vars.push(var);
        VarId(self.vars.len() as u32 - 1)
    }

    /// Declares a constant that the compiler introduces.
    pub(super) fn constant(&mut self, hint: &str, ty: CType, init: Expr) -> Expr {
        let var =
            self.var(Variable { hint: hint.into(), origin: NameOrigin::Compiler, ty, constant: true, stable: true });
        self.push(StmtKind::Declare { var, init: Some(init) });
        Expr::Var(var)
    }

    /// Declares a variable that the compiler introduces and assigns in several places.
    pub(super) fn temporary(&mut self, hint: &str, scalar: Scalar, init: Option<Expr>) -> VarId {
        let ty = CType::Scalar(scalar);
        let var =
            self.var(Variable { hint: hint.into(), origin: NameOrigin::Compiler, ty, constant: false, stable: true });
        self.push(StmtKind::Declare { var, init });
        var
    }

    /// Returns the name of the variable that a `let` initialises with this expression, or else `hint`.
    pub(super) fn name_of(&self, id: ExprId, hint: &str) -> (String, NameOrigin) {
        match self.names.get(&id) {
            Some(local) => (self.typed.instance.function.local(*local).name.clone(), NameOrigin::User),
            None => (hint.to_owned(), NameOrigin::Compiler),
        }
    }
}
