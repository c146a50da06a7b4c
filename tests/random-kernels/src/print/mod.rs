//! The printer: programs as Rust text.

mod expr;
mod level;

use std::fmt::Write;

use crate::tree::{Array, Block, Expr, ExprKind, Function, Impl, Program, Stmt, StmtKind};
use crate::types::Type;
/// The printer of a file of programs.
#[derive(Default)]
pub(crate) struct Printer {
    text: String,
    indent: usize,
    /// The number of the current line, from 1.
    line: u32,
    /// The first and last line of each statement that spans several lines.
    long: Vec<(u32, u32)>,
}

impl Printer {
    pub(crate) fn new() -> Self {
        Printer { line: 1, ..Printer::default() }
    }

    /// Returns the text, and the first and last lines of the statements that span several.
    pub(crate) fn finish(self) -> (String, Vec<(u32, u32)>) {
        (self.text, self.long)
    }

    /// Writes text of one or more lines, each with the current indentation.
    pub(crate) fn lines(&mut self, text: &str) {
        for line in text.lines() {
            self.put(line);
            self.end();
        }
    }

    fn put(&mut self, text: &str) {
        if self.text.is_empty() || self.text.ends_with('\n') {
            self.text.extend(std::iter::repeat_n("    ", self.indent));
        }
        self.text.push_str(text);
    }

    fn end(&mut self) {
        self.text.push('\n');
        self.line += 1;
    }

    /// Writes the module of a program.
    pub(crate) fn program(&mut self, name: &str, program: &Program) {
        let Program { origin, items, impls, functions, kernel, launch: _ } = program;
        self.lines(&format!("/// {origin}\npub mod {name} {{"));
        self.indent += 1;
        self.lines("use cumbia::intrinsics::*;\nuse cumbia::prelude::*;");
        for item in items {
            self.end();
            self.lines(item);
        }
        for block in impls {
            let Impl { header, associated, functions } = block;
            self.end();
            self.lines(&format!("#[device]\n{header} {{"));
            self.indent += 1;
            for line in associated {
                self.lines(line);
                self.end();
            }
            for (i, method) in functions.iter().enumerate() {
                if i > 0 {
                    self.end();
                }
                self.function(method, block.is_inherent());
            }
            self.indent -= 1;
            self.lines("}");
        }
        for function in functions {
            self.end();
            self.lines("#[device]");
            self.function(function, true);
        }
        self.end();
        self.lines("#[kernel(fmad = false)]");
        self.function(kernel, true);
        self.end();
        self.launch(program);
        self.indent -= 1;
        self.lines("}\n");
    }

    fn function(&mut self, function: &Function, public: bool) {
        let Function { name, generics, receiver, params, result, body } = function;
        let receiver = receiver.iter().map(|receiver| (*receiver).to_owned());
        let params: Vec<_> = receiver.chain(params.iter().map(|(name, ty)| format!("{name}: {ty}"))).collect();
        let result = if *result == Type::Unit { String::new() } else { format!(" -> {result}") };
        let visibility = if public { "pub " } else { "" };
        self.put(&format!("{visibility}fn {name}{generics}({}){result} ", params.join(", ")));
        self.block(body);
        self.end();
    }

    /// Writes the function that launches the kernel, which `tests/random` calls.
    fn launch(&mut self, program: &Program) {
        let Program { kernel, launch, .. } = program;
        self.lines("pub fn case(run: &mut cumbia_cases::Run<'_>) {");
        self.indent += 1;
        let names: Vec<&str> = launch.values.iter().map(|(name, _)| name.as_str()).collect();
        let launches = launch.values.first().map_or(1, |(_, values)| values.len());
        let tuple = |parts: &[&str]| format!("({}{})", parts.join(", "), if parts.len() == 1 { "," } else { "" });
        self.lines("let values = [");
        for at in 0..launches {
            let values: Vec<&str> = launch.values.iter().map(|(_, values)| values[at].as_str()).collect();
            self.lines(&format!("    {},", tuple(&values)));
        }
        self.lines("];");
        self.lines(&format!("for {} in values {{", tuple(&names)));
        self.indent += 1;
        let (blocks, threads) = (launch.blocks, launch.threads);
        self.lines(&format!("crate::launch_and_compare(run, {blocks}, {threads}, |run, first, shape| {{"));
        self.indent += 1;
        for array in &launch.arrays {
            let mutable = if array.written { "mut " } else { "" };
            self.lines(&format!("let {mutable}{} = run.array(&{});", array.name, array.value));
        }
        let arguments = kernel.params.iter().map(|(name, ty)| {
            let name = name.trim_start_matches("mut ");
            match (ty, launch.arrays.iter().find(|array| array.name == name)) {
                (Type::Slice(_, mutable), _) => format!("&{}{name}", if *mutable { "mut " } else { "" }),
                (Type::View(..), Some(array)) => view_of(array),
                _ => name.to_owned(),
            }
        });
        let arguments: Vec<String> = arguments.collect();
        let bytes = match launch.shared_bytes {
            0 => String::new(),
            bytes => format!(".shared_bytes({bytes} * shape.threads)"),
        };
        self.lines(&format!(
            "let launch = kernel({}).grid(shape.blocks).block(shape.threads){bytes};",
            arguments.join(", ")
        ));
        self.lines("let faulted = run.launch_agreeing(launch, shape.agreement);");
        self.lines("if !faulted || shape.alone {");
        for array in launch.arrays.iter().filter(|array| array.written) {
            self.lines(&format!("    run.output(\"{0}\", &{0});", array.name));
        }
        self.lines("}\nfaulted");
        self.indent -= 1;
        self.lines("});");
        self.indent -= 1;
        self.lines("}");
        self.indent -= 1;
        self.lines("}");
    }

    /// Writes `{ .. }`, without a line end after it.
    fn block(&mut self, block: &Block) {
        if block.stmts.is_empty() && block.value.is_none() {
            return self.put("{}");
        }
        self.put("{");
        self.end();
        self.indent += 1;
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        if let Some(value) = &block.value {
            self.statement_like(value);
            self.end();
        }
        self.indent -= 1;
        self.put("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let { pattern, names: _, ty, value } => self.noting_lines(|printer| {
                printer.put(&format!("let {pattern}"));
                if let Some(ty) = ty {
                    printer.put(&format!(": {ty}"));
                }
                if let Some(value) = value {
                    printer.put(" = ");
                    // A literal needs no suffix if the type is annotated.
                    printer.expr(value, 0, value.is_literal() && ty.is_some());
                }
                printer.put(";");
            }),
            StmtKind::Const { name, ty, value } => {
                self.put(&format!("const {name}: {ty} = "));
                self.expr(value, 0, true);
                self.put(";");
            }
            StmtKind::Expr(expr) => {
                self.statement_like(expr);
                if !expr.is_block_like() || expr.ty != Type::Unit {
                    self.put(";");
                }
            }
        }
        self.end();
    }

    /// Writes an expression in statement position: the bodies in it have statements of their own.
    fn statement_like(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::If { .. } | ExprKind::Loop { .. } | ExprKind::Match { .. } | ExprKind::Block(_) => {
                self.expr(expr, 0, false);
            }
            _ => self.noting_lines(|printer| printer.expr(expr, 0, false)),
        }
    }

    /// Records the lines that `write` writes, if there are several.
    fn noting_lines(&mut self, write: impl FnOnce(&mut Self)) {
        let first = self.line;
        write(self);
        if self.line > first {
            self.long.push((first, self.line));
        }
    }
}

/// Returns a view of an array: `x.reshape((2, 4)).unwrap()`.
fn view_of(Array { name, written, value: _, shape, transposed }: &Array) -> String {
    let mut lens: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if *transposed {
        lens.reverse();
    }
    let (reshape, transpose) =
        (if *written { "reshape_mut" } else { "reshape" }, if *transposed { ".t()" } else { "" });
    format!("{name}.{reshape}(({})).unwrap(){transpose}", lens.join(", "))
}

/// Returns the text of a file of programs.
pub(crate) fn file(programs: &[(String, Program)]) -> String {
    let mut printer = Printer::new();
    for (name, program) in programs {
        printer.program(name, program);
    }
    let (mut text, long) = printer.finish();
    text.push_str("/// Every kernel, and what launches it.\npub const CASES: &[cumbia_cases::Case] = &[\n");
    for (name, _) in programs {
        let _ = writeln!(text, "    cumbia_cases::Case {{ name: \"{name}\", run: {name}::case }},");
    }
    text.push_str("];\n\n/// The first and the last line of each statement that takes several.\n");
    text.push_str("pub const LONG_STATEMENTS: &[(u32, u32)] = &[\n");
    for (first, last) in long {
        let _ = writeln!(text, "    ({first}, {last}),");
    }
    text.push_str("];\n");
    text
}
