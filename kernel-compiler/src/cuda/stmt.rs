//! Printing of statements, with indentation and with `#line` directives where the source line changes.

use std::fmt::Write;

use crate::ir::Unroll;
use crate::lower::{
    CHUNK, Case, Chunk, Deferred, Expr, Function, Header, Label, Next, SiteRef, Stmt, StmtKind, VarId, Variable,
};

use super::Context;
use super::expr::{ExprPrinter, update};
use super::names::Names;
use super::prelude::support;

/// Prints the body of a function.
pub(super) struct Printer<'p> {
    text: &'p mut String,
    exprs: ExprPrinter<'p>,
    function: &'p Function,
    indent: usize,
    /// The source line that the compiler presumes for the next line of the text.
    presumed: u32,
}

impl<'p> Printer<'p> {
    pub(super) fn new(
        text: &'p mut String,
        context: &'p Context<'p>,
        function: &'p Function,
        names: &'p Names,
    ) -> Printer<'p> {
        let exprs = ExprPrinter { context, names };
        Printer { text, exprs, function, indent: 1, presumed: function.line.max(1) + 1 }
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    /// Writes one line of the text.
    fn line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(line);
        self.text.push('\n');
        self.presumed += 1;
    }

    fn inside(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        self.stmts(stmts);
        self.indent -= 1;
    }

    fn stmt(&mut self, Stmt { line, kind }: &Stmt) {
        if let StmtKind::Loop { header: Header::Open { .. } | Header::For { .. }, unroll, .. } = kind {
            self.pragma(*unroll);
        }
        self.line_of(*line);
        let exprs = self.exprs;
        match kind {
            StmtKind::Declare { var, init } => {
                let declared = &self.function.vars[var.index()];
                let name = &exprs.names.vars[var.index()];
                let declaration = exprs.context.declaration(&declared.ty, declared.constant, name);
                match init {
                    Some(init) => self.line(&format!("{declaration} = {};", exprs.initial(init))),
                    None => self.line(&format!("{declaration};")),
                }
            }
            StmtKind::Shared { var } => {
                let name = &exprs.names.vars[var.index()];
                let declaration = exprs.context.declaration(&self.function.vars[var.index()].ty, false, name);
                self.line(&format!("__shared__ {declaration};"));
                // To LLVM, uninitialised memory is `undef`, which may have one value in a comparison and another in the
                // access that it guards. After this statement it is memory that may have been written: an index read
                // from it is arbitrary but fixed, and stays the one that was checked. No instruction is generated.
                self.line(&format!("asm volatile(\"\" : : \"l\"(&{name}) : \"memory\");"));
            }
            StmtKind::Assign { place, value } => {
                self.line(&format!("{} = {};", exprs.condition(place), exprs.top(value)));
            }
            StmtKind::Update { op, place, value } => {
                self.line(&format!("{} {}= {};", exprs.condition(place), update(*op), exprs.top(value)));
            }
            StmtKind::Expr(expr) => self.line(&format!("{};", exprs.condition(expr))),
            StmtKind::If { condition, then, otherwise } => self.if_else("", condition, then, otherwise),
            StmtKind::Switch { on, cases, otherwise } => self.switch(on, cases, otherwise),
            StmtKind::Loop { header: Header::Deferred(deferred), body, next, end: _, unroll } => {
                self.deferred(*line, deferred, *unroll, body, *next);
            }
            StmtKind::Loop { header, body, next, end, unroll: _ } => {
                let head = self.head(header);
                self.loop_(&head, body, *next);
                if let Some(label) = end {
                    self.line(&format!("{}:;", name(*label)));
                }
            }
            StmtKind::Block { body, end } => {
                self.line("{");
                self.inside(body);
                self.line("}");
                self.line(&format!("{}:;", name(*end)));
            }
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Goto(label) => self.line(&format!("goto {};", name(*label))),
            StmtKind::Return(Some(value)) => self.line(&format!("return {};", exprs.top(value))),
            StmtKind::Return(None) => self.line("return;"),
            StmtKind::Fault { site, args } if args.is_empty() => {
                self.line(&format!("rt::fault({}, {}, 0, 0);", exprs.names.launch, exprs.site(*site)));
            }
            StmtKind::Fault { site, args } => self.message("panic", *site, args),
            StmtKind::Print { site, args } => self.message("print", *site, args),
            StmtKind::InternalError(what) => {
                self.line(&format!("static_assert(false, {:?});", format!("this is a bug in Cumbia: {what}")));
            }
        }
    }

    /// Writes a call that takes the arguments of a message, with their own types.
    fn message(&mut self, function: &str, site: SiteRef, args: &[Expr]) {
        let mut line = format!("rt::{function}({}, {}", self.exprs.names.launch, self.exprs.site(site));
        for arg in args {
            let _ = write!(line, ", {}", self.exprs.condition(arg));
        }
        line.push_str(");");
        self.line(&line);
    }

    /// Writes the `#pragma unroll` of the next loop.
    fn pragma(&mut self, unroll: Unroll) {
        match unroll {
            Unroll::Undecided => {}
            Unroll::Full => self.line("#pragma unroll"),
            Unroll::By(factor) => self.line(&format!("#pragma unroll {factor}")),
        }
    }

    fn switch(&mut self, on: &Expr, cases: &[Case], otherwise: &[Stmt]) {
        self.line(&format!("switch ({}) {{", self.exprs.condition(on)));
        self.indent += 1;
        for Case { values, body } in cases {
            if let Some((last, others)) = values.split_last() {
                for value in others {
                    self.line(&format!("case {}:", self.exprs.top(value)));
                }
                self.case(&format!("case {}: {{", self.exprs.top(last)), body);
            }
        }
        self.case("default: {", otherwise);
        self.indent -= 1;
        self.line("}");
    }

    fn case(&mut self, head: &str, body: &[Stmt]) {
        self.line(head);
        self.inside(body);
        if !body.last().is_some_and(Stmt::diverges) {
            self.indent += 1;
            self.line("break;");
            self.indent -= 1;
        }
        self.line("}");
    }

    fn if_else(&mut self, before: &str, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let condition = self.exprs.condition(condition);
        self.line(&format!("{before}if ({condition}) {{"));
        self.inside(then);
        match otherwise {
            [] => self.line("}"),
            [Stmt { line: _, kind: StmtKind::If { condition, then, otherwise } }] => {
                self.if_else("} else ", condition, then, otherwise);
            }
            otherwise => {
                self.line("} else {");
                self.inside(otherwise);
                self.line("}");
            }
        }
    }

    /// Returns the head of a loop.
    fn head(&self, header: &Header) -> String {
        match header {
            Header::Open { test, progress } => {
                let test = test.as_ref().map_or_else(String::new, |test| format!(" {}", self.exprs.condition(test)));
                let progress = progress
                    .as_ref()
                    .map_or_else(String::new, |progress| format!(" {}", self.exprs.condition(progress)));
                format!("for (;{test};{progress})")
            }
            Header::For { var, init, test, next } => {
                let (init, next) = (self.start(*var, init), self.next(*var, next));
                format!("for ({init}; {}; {next})", self.exprs.condition(test))
            }
            Header::Deferred(deferred) => self.head(&deferred.header),
        }
    }

    fn start(&self, var: VarId, init: &Expr) -> String {
        let ty = &self.function.vars[var.index()].ty;
        let declaration = self.exprs.context.declaration(ty, false, &self.exprs.names.vars[var.index()]);
        format!("{declaration} = {}", self.exprs.top(init))
    }

    fn next(&self, var: VarId, next: &Next) -> String {
        let name = &self.exprs.names.vars[var.index()];
        match next {
            Next::Increment => format!("++{name}"),
            Next::Decrement => format!("--{name}"),
            Next::Assign(value) => match value.addend(var) {
                Some(addend) if !matches!(value, Expr::Cast(..)) => format!("{name} += {}", self.exprs.top(addend)),
                _ => format!("{name} = {}", self.exprs.top(value)),
            },
        }
    }

    /// Writes a loop that is divided into chunks: see `lower::defer`.
    fn deferred(&mut self, line: u32, deferred: &Deferred, unroll: Unroll, body: &[Stmt], label: Option<Label>) {
        let Deferred { header, chunk, limit, fault } = deferred;
        let Header::For { var, init, test, next } = header else { return };
        let exprs = self.exprs;
        self.line(&format!("for ({}; {};) {{", self.start(*var, init), exprs.condition(test)));
        self.indent += 1;
        let (step, test) = (self.next(*var, next), exprs.condition(test));
        let (name, counter) = (&exprs.names.vars[limit.index()], &exprs.names.vars[var.index()]);
        let (operator, args) = match (chunk, header.bounds()) {
            (Chunk::Up | Chunk::By, Some(bounds)) => ("<", bounds),
            (Chunk::UpTo, Some(bounds)) => ("<=", bounds),
            (Chunk::Down, Some(bounds)) => (">", bounds),
            (Chunk::Counted, _) | (_, None) => ("", Vec::new()),
        };
        let inner = if args.is_empty() {
            format!("for (u32 {name} = {CHUNK}; {test} && {name} > 0; {step}, --{name})")
        } else {
            let Variable { ty, constant, .. } = &self.function.vars[limit.index()];
            let declaration = exprs.context.declaration(ty, *constant, name);
            let args: Vec<String> = args.into_iter().map(|arg| exprs.top(arg)).collect();
            let function = format!("rt::{}<{}>", support::chunk_name(*chunk), exprs.context.ctype(ty));
            self.line(&format!("{declaration} = {function}({counter}, {});", args.join(", ")));
            format!("for (; {counter} {operator} {name}; {step})")
        };
        self.pragma(unroll);
        self.line_of(line);
        self.loop_(&inner, body, label);
        self.line(&format!("if ({}) break;", exprs.names.vars[fault.index()]));
        self.indent -= 1;
        self.line("}");
    }

    /// Lets the compiler presume a source line for the next line of the text.
    fn line_of(&mut self, line: u32) {
        if line != self.presumed && line > 0 {
            let _ = writeln!(self.text, "#line {line}");
            self.presumed = line;
        }
    }

    fn loop_(&mut self, head: &str, body: &[Stmt], next: Option<Label>) {
        self.line(&format!("{head} {{"));
        match next {
            None => self.inside(body),
            // A `goto` must not bypass a declaration in its own scope (\[stmt.dcl\]), so the body gets a scope of its
            // own.
            Some(label) => {
                self.indent += 1;
                self.line("{");
                self.inside(body);
                self.line("}");
                self.line(&format!("{}:;", name(label)));
                self.indent -= 1;
            }
        }
        self.line("}");
    }
}

/// Returns the name of a label. Labels have a separate name space in C.
fn name(Label { name, number }: Label) -> String {
    format!("{name}_{number}")
}
