//! Programs as Rust text.

use std::fmt::Write;

use super::tree::{Block, Expr, ExprKind, Function, Head, Impl, Program, Stmt, StmtKind};
use super::types::{Int, Type};

/// How tightly the parts of an expression hold together: the tightest is the highest.
mod level {
    pub(super) const JUMP: u8 = 1;
    pub(super) const ASSIGN: u8 = 2;
    pub(super) const RANGE: u8 = 3;
    pub(super) const COMPARE: u8 = 6;
    pub(super) const CAST: u8 = 13;
    pub(super) const UNARY: u8 = 14;
    pub(super) const POSTFIX: u8 = 15;
    pub(super) const ATOM: u8 = 16;
}

/// Writes programs one after another.
#[derive(Default)]
pub(crate) struct Printer {
    text: String,
    indent: usize,
    /// The line that is written, from 1.
    line: u32,
    /// The first and last line of each statement that takes several.
    long: Vec<(u32, u32)>,
}

impl Printer {
    pub(crate) fn new() -> Self {
        Printer { line: 1, ..Printer::default() }
    }

    /// The text, and the statements of several lines: their first and last.
    pub(crate) fn finish(self) -> (String, Vec<(u32, u32)>) {
        (self.text, self.long)
    }

    /// Writes text that may have several lines, each with the indent.
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

    /// A module of the program's own.
    pub(crate) fn program(&mut self, name: &str, program: &Program) {
        let Program { origin, items, impls, functions, kernel, launch: _ } = program;
        self.lines(&format!("/// {origin}\npub mod {name} {{"));
        self.indent += 1;
        self.lines("use cumbia::prelude::*;");
        for item in items {
            self.end();
            self.lines(item);
        }
        for Impl { header, associated, functions } in impls {
            self.end();
            self.lines(&format!("#[device]\nimpl {header} {{"));
            self.indent += 1;
            if let Some(associated) = associated {
                self.lines(&format!("{associated}\n"));
                self.end();
            }
            for (i, method) in functions.iter().enumerate() {
                if i > 0 {
                    self.end();
                }
                self.function(method, associated.is_none());
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
        let Function { name, receiver, params, result, body } = function;
        let receiver = receiver.iter().map(|receiver| (*receiver).to_owned());
        let params: Vec<_> = receiver.chain(params.iter().map(|(name, ty)| format!("{name}: {ty}"))).collect();
        let result = if *result == Type::Unit { String::new() } else { format!(" -> {result}") };
        let visibility = if public { "pub " } else { "" };
        self.put(&format!("{visibility}fn {name}({}){result} ", params.join(", ")));
        self.block(body);
        self.end();
    }

    /// What launches the kernel, as `tests/random` calls it.
    fn launch(&mut self, program: &Program) {
        let Program { kernel, launch, .. } = program;
        self.lines("pub fn case(run: &mut cumbia_corpus::Run<'_>) {");
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
        let arguments: Vec<String> = kernel
            .params
            .iter()
            .map(|(name, ty)| match ty {
                Type::Slice(_, mutable) => format!("&{}{name}", if *mutable { "mut " } else { "" }),
                _ => name.strip_prefix("mut ").unwrap_or(name).to_owned(),
            })
            .collect();
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

    /// `{ .. }`, without an end of line behind it.
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
                    // With the type before it, a literal needs none.
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

    /// An expression where a statement may be: the bodies in it have statements of their own.
    fn statement_like(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::If { .. } | ExprKind::Loop { .. } | ExprKind::Match { .. } | ExprKind::Block(_) => {
                self.expr(expr, 0, false);
            }
            _ => self.noting_lines(|printer| printer.expr(expr, 0, false)),
        }
    }

    /// Notes the lines of what `write` writes, if they are several.
    fn noting_lines(&mut self, write: impl FnOnce(&mut Self)) {
        let first = self.line;
        write(self);
        if self.line > first {
            self.long.push((first, self.line));
        }
    }

    /// What an `if`, `while`, `for` or `match` looks at: a statement of its own to those who compare faults.
    fn head(&mut self, expr: &Expr) {
        self.noting_lines(|printer| printer.expr(expr, level::JUMP + 1, false));
    }

    fn list(&mut self, open: &str, exprs: &[Expr], close: &str, expected: impl Fn(&Expr) -> bool) {
        self.put(open);
        for (i, expr) in exprs.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.expr(expr, 0, expected(expr));
        }
        self.put(close);
    }

    /// An expression in a place where only what holds together as tightly as `least` goes without parentheses. A literal
    /// is written without its type where rustc knows it from what is around: where it is `expected`.
    fn expr(&mut self, expr: &Expr, least: u8, expected: bool) {
        let level = level_of(expr);
        if level < least {
            self.put("(");
            self.bare(expr, false);
            self.put(")");
        } else {
            self.bare(expr, expected);
        }
    }

    fn bare(&mut self, expr: &Expr, expected: bool) {
        match &expr.kind {
            ExprKind::Literal(text) => {
                self.put(text);
                let constant = text.contains("::");
                if !expected && !constant && expr.ty != Type::Bool {
                    self.put(&expr.ty.to_string());
                }
            }
            ExprKind::Name(name) => self.put(name),
            ExprKind::Unary(op, operand) => {
                self.put(op);
                self.expr(operand, level::UNARY, false);
            }
            ExprKind::Binary(op, left, right) => self.binary(op, left, right),
            ExprKind::Cast(operand) => {
                self.expr(operand, level::CAST, false);
                self.put(&format!(" as {}", expr.ty));
            }
            ExprKind::Call(callee, args) => self.list(&format!("{callee}("), args, ")", |_| !callee.contains("::")),
            ExprKind::Method(receiver, name, args) => {
                self.expr(receiver, level::POSTFIX, false);
                self.list(&format!(".{name}("), args, ")", |arg| arg.ty == receiver.ty);
            }
            ExprKind::Field(base, name) => {
                self.expr(base, level::POSTFIX, false);
                self.put(&format!(".{name}"));
            }
            ExprKind::Index(base, index) => {
                self.expr(base, level::POSTFIX, false);
                self.put("[");
                self.expr(index, 0, true);
                self.put("]");
            }
            ExprKind::Range(start, dots, end) => {
                let both = start.as_ref().zip(end.as_ref());
                let expected = both.is_some_and(|(start, end)| start.is_literal() != end.is_literal());
                if let Some(start) = start {
                    self.expr(start, level::RANGE + 1, expected);
                }
                self.put(dots);
                if let Some(end) = end {
                    self.expr(end, level::RANGE + 1, expected);
                }
            }
            ExprKind::Tuple(parts) => self.list("(", parts, if parts.len() == 1 { ",)" } else { ")" }, |_| false),
            ExprKind::Array(elements) => self.list("[", elements, "]", |_| false),
            ExprKind::Repeat(element, len) => {
                self.put("[");
                self.expr(element, 0, false);
                self.put(&format!("; {len}]"));
            }
            ExprKind::Struct { fields, base } => self.structure(&expr.ty, fields, base.as_deref()),
            ExprKind::Borrow(mutable, place) => {
                self.put(if *mutable { "&mut " } else { "&" });
                self.expr(place, level::UNARY, false);
            }
            ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Labelled(..) => self.block_like(expr),
            ExprKind::Jump { word, label, value } => {
                self.put(word);
                if let Some(label) = label {
                    self.put(&format!(" '{label}"));
                }
                if let Some(value) = value {
                    self.put(" ");
                    self.expr(value, level::JUMP + 1, false);
                }
            }
            ExprKind::Macro(name, args, rest) => {
                self.list(&format!("{name}!("), args, "", |_| false);
                if let Some(rest) = rest {
                    self.put(if args.is_empty() { "" } else { ", " });
                    self.put(rest);
                }
                self.put(")");
            }
        }
    }

    /// What ends with a brace.
    fn block_like(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise } => {
                self.put("if ");
                self.head(condition);
                self.put(" ");
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.put(" else ");
                    match otherwise.value.as_deref() {
                        Some(chained @ Expr { kind: ExprKind::If { .. }, .. }) if otherwise.stmts.is_empty() => {
                            self.bare(chained, false);
                        }
                        _ => self.block(otherwise),
                    }
                }
            }
            ExprKind::Match { scrutinee, arms } => {
                self.put("match ");
                self.head(scrutinee);
                self.put(" {");
                self.end();
                self.indent += 1;
                for arm in arms {
                    self.put(&arm.pattern);
                    if let Some(guard) = &arm.guard {
                        self.put(" if ");
                        self.head(guard);
                    }
                    self.put(" => ");
                    self.block(&arm.body);
                    self.end();
                }
                self.indent -= 1;
                self.put("}");
            }
            ExprKind::Loop { label, head, body } => {
                if let Some(label) = label {
                    self.put(&format!("'{label}: "));
                }
                match head {
                    Head::Loop => self.put("loop "),
                    Head::While(condition) => {
                        self.put("while ");
                        self.head(condition);
                        self.put(" ");
                    }
                    Head::For { pattern, sequence } => {
                        self.put(&format!("for {pattern} in "));
                        self.head(sequence);
                        self.put(" ");
                    }
                }
                self.block(body);
            }
            ExprKind::Labelled(label, block) => {
                self.put(&format!("'{label}: "));
                self.block(block);
            }
            _ => {}
        }
    }

    fn binary(&mut self, op: &str, left: &Expr, right: &Expr) {
        let level = level_of_operator(op);
        // Comparisons do not chain, and `x as T < y` would be the start of generic arguments.
        let comparing = level == level::COMPARE;
        let cut = op.starts_with('<') && ends_in_a_type(left);
        let left_least = if cut { level::ATOM } else { level + u8::from(comparing || level == level::ASSIGN) };
        let knows_left = comparing && left.is_literal() && !right.is_literal();
        self.expr(left, left_least, knows_left);
        self.put(&format!(" {op} "));
        // The amount of a shift may have any type; without one it is an `i32`.
        let shifts = op.contains("<<") || op.contains(">>");
        let knows_right =
            if shifts { right.ty == Type::Int(Int::I32) } else { !left.is_literal() && right.ty == left.ty };
        self.expr(right, if level == level::ASSIGN { 0 } else { level + 1 }, knows_right);
    }

    fn structure(&mut self, ty: &Type, fields: &[(String, Expr)], base: Option<&Expr>) {
        if let Type::Struct(structure) = ty
            && structure.is_tuple()
        {
            self.put(&format!("{ty}("));
            for (i, (_, value)) in fields.iter().enumerate() {
                self.put(if i == 0 { "" } else { ", " });
                self.expr(value, 0, false);
            }
            return self.put(")");
        }
        self.put(&format!("{ty} {{ "));
        for (name, value) in fields {
            match &value.kind {
                ExprKind::Name(variable) if variable == name => self.put(name),
                _ => {
                    self.put(&format!("{name}: "));
                    self.expr(value, 0, true);
                }
            }
            self.put(", ");
        }
        if let Some(base) = base {
            self.put("..");
            self.expr(base, 0, false);
            self.put(" ");
        }
        self.put("}");
    }
}

fn level_of(expr: &Expr) -> u8 {
    match &expr.kind {
        // A minus sign is an operator, and a literal with a type an atom.
        ExprKind::Literal(text) if text.starts_with('-') => level::UNARY,
        ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::Tuple(_) | ExprKind::Array(_) | ExprKind::Repeat(..) => {
            level::ATOM
        }
        ExprKind::Unary(..) | ExprKind::Borrow(..) => level::UNARY,
        ExprKind::Binary(op, ..) => level_of_operator(op),
        ExprKind::Cast(_) => level::CAST,
        ExprKind::Call(..) | ExprKind::Method(..) | ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Macro(..) => {
            level::POSTFIX
        }
        ExprKind::Range(..) => level::RANGE,
        // Before a block, or at the start of a statement, their braces would be taken for something else.
        ExprKind::Struct { .. }
        | ExprKind::Block(_)
        | ExprKind::If { .. }
        | ExprKind::Match { .. }
        | ExprKind::Loop { .. }
        | ExprKind::Labelled(..)
        | ExprKind::Jump { .. } => level::JUMP,
    }
}

fn level_of_operator(op: &str) -> u8 {
    match op {
        "*" | "/" | "%" => 12,
        "+" | "-" => 11,
        "<<" | ">>" => 10,
        "&" => 9,
        "^" => 8,
        "|" => 7,
        "==" | "!=" | "<" | "<=" | ">" | ">=" => level::COMPARE,
        "&&" => 5,
        "||" => 4,
        _ => level::ASSIGN,
    }
}

/// Whether the last that is written of an expression is the type of a cast.
fn ends_in_a_type(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Cast(_) => true,
        ExprKind::Binary(_, _, right) => ends_in_a_type(right),
        ExprKind::Unary(_, operand) => ends_in_a_type(operand),
        _ => false,
    }
}

/// A file of programs.
pub(crate) fn file(programs: &[(String, Program)]) -> String {
    let mut printer = Printer::new();
    for (name, program) in programs {
        printer.program(name, program);
    }
    let (mut text, long) = printer.finish();
    text.push_str("/// Every kernel, and what launches it.\npub const CASES: &[cumbia_corpus::Case] = &[\n");
    for (name, _) in programs {
        let _ = writeln!(text, "    cumbia_corpus::Case {{ name: \"{name}\", run: {name}::case }},");
    }
    text.push_str("];\n\n/// The first and the last line of each statement that takes several.\n");
    text.push_str("pub const LONG_STATEMENTS: &[(u32, u32)] = &[\n");
    for (first, last) in long {
        let _ = writeln!(text, "    ({first}, {last}),");
    }
    text.push_str("];\n");
    text
}
