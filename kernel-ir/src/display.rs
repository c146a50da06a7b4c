//! Pretty printer: a program as Rust-like text with explicit types.
//!
//! The text is for debugging and is never parsed. A method call shows its receiver as the first argument. Slots and
//! variables that are missing, because the bytes are corrupt, are shown as `?`.

use std::fmt::{self, Write};

use super::{
    Adapter, BinaryOp, Block, Callee, Constant, ConstantValue, EnumType, ExprId, ExprKind, Filled, Foreign, Function,
    FunctionId, Instance, Intrinsic, Literal, LocalId, LogicalOp, LoopId, Message, Pattern, Piece, Program, Range,
    Scalar, Sequence, SlotId, Stmt, StructType, Type, UnaryOp, Unroll, variant_of,
};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Program { kernel, functions, index: _ } = self;
        f.write_str(&Printer::function(self, kernel, "#[kernel]", &kernel.function.name))?;
        for (i, instance) in functions.iter().enumerate() {
            let name = name_of(self, FunctionId(i as u32));
            write!(f, "\n{}", Printer::function(self, instance, "#[device]", &name))?;
        }
        Ok(())
    }
}

/// Returns the name of a device function, with its index appended if several functions share the name, for example
/// instances of a generic function.
fn name_of(program: &Program, id: FunctionId) -> String {
    let Some(instance) = program.functions.get(id.index()) else { return "?".to_owned() };
    let name = &instance.function.name;
    let is_alone = program.functions.iter().filter(|other| other.function.name == *name).count() == 1
        && program.kernel.function.name != *name;
    if is_alone { name.clone() } else { format!("{name}#{}", id.0) }
}

/// The precedence of an expression, as in Rust. An operand of lower precedence than its context requires is
/// parenthesised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    /// Jumps and assignments.
    Lowest,
    Or,
    And,
    Comparison,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Cast,
    Prefix,
    /// Calls, fields, indices, and primary expressions.
    Postfix,
}

struct Printer<'a> {
    program: &'a Program,
    instance: &'a Instance,
    text: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    fn function(program: &'a Program, instance: &'a Instance, attribute: &str, name: &str) -> String {
        let mut printer = Printer { program, instance, text: String::new(), indent: 0 };
        let Instance { function, slots: _, file, overflow_checks, built_in: _ } = instance;
        let Function { name: _, span, params, result, foreign, locals: _, exprs: _, body, slots: _ } = function;
        let checks = if *overflow_checks { "overflow is a fault" } else { "overflow wraps" };
        printer.text = format!("// {file}:{}:{}, {checks}\n{attribute}\nfn {name}(", span.line, span.column);
        for (i, &param) in params.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            let (name, ty) = (printer.local(param), printer.type_of(param));
            printer.put(format_args!("{separator}{name}: {ty}"));
        }
        printer.text += ")";
        if let Some(slot) = result {
            printer.put(format_args!(" -> {}", printer.ty(*slot)));
        }
        if let Some(Foreign::CudaC(cuda)) = foreign {
            printer.put(format_args!(" {{\n    // in CUDA C\n{}\n}}", cuda.text));
        } else if let Some(Foreign::Linked(symbol)) = foreign {
            printer.put(format_args!(" {{\n    // linked: {symbol}\n}}"));
        } else {
            printer.text += " ";
            printer.block(body);
        }
        printer.text += "\n";
        printer.text
    }

    fn put(&mut self, text: fmt::Arguments<'_>) {
        // Writing into a `String` cannot fail.
        let _ = self.text.write_fmt(text);
    }

    // Names and slots.

    /// Returns a variable's name, with its index appended if it shadows an earlier variable of the same name.
    fn local(&self, id: LocalId) -> String {
        let locals = &self.instance.function.locals;
        let Some(local) = locals.get(id.index()) else { return "?".to_owned() };
        let is_first = locals.iter().position(|other| other.name == local.name) == Some(id.index());
        if is_first { local.name.clone() } else { format!("{}#{}", local.name, id.0) }
    }

    fn type_of(&self, id: LocalId) -> String {
        self.instance.function.locals.get(id.index()).map_or_else(|| "?".to_owned(), |local| self.ty(local.slot))
    }

    fn slot(&self, id: SlotId) -> Option<&'a Filled> {
        self.instance.slots.get(id.index())
    }

    fn ty(&self, slot: SlotId) -> String {
        match self.slot(slot) {
            Some(Filled::Type(ty)) => ty.to_string(),
            _ => "?".to_owned(),
        }
    }

    /// Returns the function that implements an operator, as a comment.
    fn operator(&self, slot: SlotId) -> String {
        match self.slot(slot) {
            Some(Filled::Operator(Some(id))) => format!(" /* {} */", name_of(self.program, *id)),
            _ => String::new(),
        }
    }

    fn constant(&self, slot: SlotId) -> String {
        match self.slot(slot) {
            Some(Filled::Constant(Constant { ty, value })) => constant(ty, value),
            _ => "?".to_owned(),
        }
    }

    // Statements.

    fn line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("    ", self.indent));
    }

    fn block(&mut self, block: &Block) {
        let Block { stmts, tail } = block;
        if stmts.is_empty() && tail.is_none() {
            self.text += "{}";
            return;
        }
        self.text += "{";
        self.indent += 1;
        for stmt in stmts {
            self.line();
            self.stmt(stmt);
        }
        if let Some(tail) = tail {
            self.line();
            self.expr(*tail, Precedence::Lowest);
        }
        self.indent -= 1;
        self.line();
        self.text += "}";
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { pattern, init, span: _ } => {
                self.text += "let ";
                self.text += &self.pattern(pattern, true);
                if let Some(init) = init {
                    self.text += " = ";
                    self.expr(*init, Precedence::Lowest);
                }
                self.text += ";";
            }
            Stmt::Expr(expr) => {
                self.expr(*expr, Precedence::Lowest);
                if !self.ends_in_a_block(*expr) {
                    self.text += ";";
                }
            }
        }
    }

    fn ends_in_a_block(&self, expr: ExprId) -> bool {
        let kind = self.instance.function.exprs.get(expr.index()).map(|expr| &expr.kind);
        matches!(
            kind,
            Some(
                ExprKind::Block(_)
                    | ExprKind::If { .. }
                    | ExprKind::Match { .. }
                    | ExprKind::Labelled { .. }
                    | ExprKind::Loop { .. }
                    | ExprKind::While { .. }
                    | ExprKind::For { .. }
            )
        )
    }

    /// Returns the variant that the name of a struct expression means, if its type is an enum with data.
    fn variant<'n>(&self, slot: SlotId, name: &'n str) -> Option<&'n str> {
        match self.instance.slots.get(slot.index()) {
            Some(Filled::Type(ty)) => ty.variant(name).map(|_| name),
            _ => None,
        }
    }

    /// Formats a pattern. `typed` includes the types of its variables.
    fn pattern(&self, pattern: &Pattern, typed: bool) -> String {
        let list = |patterns: &[Pattern], separator: &str| {
            patterns.iter().map(|pattern| self.pattern(pattern, typed)).collect::<Vec<_>>().join(separator)
        };
        match pattern {
            Pattern::Wild => "_".to_owned(),
            Pattern::Local(id) => {
                let is_mutable = self.instance.function.locals.get(id.index()).is_some_and(|local| local.mutable);
                let (mutable, name) = (if is_mutable { "mut " } else { "" }, self.local(*id));
                if typed { format!("{mutable}{name}: {}", self.type_of(*id)) } else { format!("{mutable}{name}") }
            }
            Pattern::At(id, inner) => format!("{} @ {}", self.local(*id), self.pattern(inner, typed)),
            Pattern::Tuple(parts) => format!("({})", list(parts, ", ")),
            Pattern::Struct { name, fields } => {
                let name = name.as_ref().map(|name| format!("{name} ")).unwrap_or_default();
                let fields: Vec<String> =
                    fields.iter().map(|(name, pattern)| format!("{name}: {}", self.pattern(pattern, typed))).collect();
                format!("{name}{{ {}, .. }}", fields.join(", "))
            }
            Pattern::Array(parts) => format!("[{}]", list(parts, ", ")),
            Pattern::Literal(value) => literal(value, ""),
            Pattern::Constant(slot) => self.constant(*slot),
            Pattern::Range { start, end, inclusive } => {
                let end_of =
                    |end: &Option<Box<Pattern>>| end.as_ref().map(|end| self.pattern(end, typed)).unwrap_or_default();
                format!("{}{}{}", end_of(start), if *inclusive { "..=" } else { ".." }, end_of(end))
            }
            Pattern::Or(parts) => list(parts, " | "),
        }
    }

    // Expressions.

    /// Writes an expression, in parentheses if its precedence is lower than `least`.
    fn expr(&mut self, id: ExprId, least: Precedence) {
        let Some(expr) = self.instance.function.exprs.get(id.index()) else {
            self.text += "?";
            return;
        };
        let in_parentheses = precedence(&expr.kind) < least;
        if in_parentheses {
            self.text += "(";
        }
        self.kind(&expr.kind);
        if in_parentheses {
            self.text += ")";
        }
    }

    fn list(&mut self, exprs: &[ExprId]) {
        for (i, expr) in exprs.iter().enumerate() {
            if i > 0 {
                self.text += ", ";
            }
            self.expr(*expr, Precedence::Lowest);
        }
    }

    fn value(&mut self, value: Option<ExprId>) {
        if let Some(value) = value {
            self.text += " ";
            self.expr(value, Precedence::Lowest);
        }
    }

    #[allow(clippy::too_many_lines, reason = "each construct has a few lines, and they belong together")]
    fn kind(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Literal { value, slot } => self.text += &literal(value, &self.ty(*slot)),
            ExprKind::Local(id) => self.text += &self.local(*id),
            ExprKind::Constant(slot) => self.text += &self.constant(*slot),
            ExprKind::Unary { op, operand, operator } => {
                self.text += match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Not => "!",
                };
                self.text += self.operator(*operator).trim_start();
                self.expr(*operand, Precedence::Prefix);
            }
            ExprKind::Binary { op, left, right, operator } => {
                let own = precedence(kind);
                // Comparisons are non-associative; the other operators associate to the left.
                let of_left = if own == Precedence::Comparison { Precedence::BitOr } else { own };
                self.expr(*left, of_left);
                self.put(format_args!(" {}{} ", binary(*op), self.operator(*operator)));
                self.expr(*right, next_higher(own));
            }
            ExprKind::Logical { op, left, right } => {
                let own = precedence(kind);
                self.expr(*left, own);
                self.text += match op {
                    LogicalOp::And => " && ",
                    LogicalOp::Or => " || ",
                };
                self.expr(*right, next_higher(own));
            }
            ExprKind::Cast { operand, slot } => {
                self.expr(*operand, Precedence::Cast);
                self.put(format_args!(" as {}", self.ty(*slot)));
            }
            ExprKind::Index { base, index } => {
                self.expr(*base, Precedence::Postfix);
                self.text += "[";
                self.expr(*index, Precedence::Lowest);
                self.text += "]";
            }
            ExprKind::SubSlice { base, start, end, inclusive } => {
                self.expr(*base, Precedence::Postfix);
                self.text += "[";
                if let Some(start) = start {
                    self.expr(*start, Precedence::Or);
                }
                self.text += if *inclusive { "..=" } else { ".." };
                if let Some(end) = end {
                    self.expr(*end, Precedence::Or);
                }
                self.text += "]";
            }
            ExprKind::Field { base, name } => {
                self.expr(*base, Precedence::Postfix);
                self.put(format_args!(".{name}"));
            }
            ExprKind::Tuple(parts) => {
                self.text += "(";
                self.list(parts);
                self.text += if parts.len() == 1 { ",)" } else { ")" };
            }
            ExprKind::Struct { slot, name, fields, base } => {
                match self.variant(*slot, name) {
                    Some(variant) => self.put(format_args!("{}::{variant} {{ ", self.ty(*slot))),
                    None => self.put(format_args!("{} {{ ", self.ty(*slot))),
                }
                for (name, value) in fields {
                    self.put(format_args!("{name}: "));
                    self.expr(*value, Precedence::Lowest);
                    self.text += ", ";
                }
                if let Some(base) = base {
                    self.text += "..";
                    self.expr(*base, Precedence::Lowest);
                    self.text += " ";
                }
                self.text += "}";
            }
            ExprKind::Array(parts) => {
                self.text += "[";
                self.list(parts);
                self.text += "]";
            }
            ExprKind::Repeat { value, slot } => {
                self.text += "[";
                self.expr(*value, Precedence::Lowest);
                match self.slot(*slot) {
                    Some(Filled::Type(Type::Array(_, len))) => self.put(format_args!("; {len}]")),
                    _ => self.text += "; ?]",
                }
            }
            ExprKind::Call { callee, args } => {
                let callee = match self.slot(*callee) {
                    Some(Filled::Callee(Callee::Intrinsic(intrinsic))) => self::intrinsic(intrinsic),
                    Some(Filled::Callee(Callee::Function(id))) => name_of(self.program, *id),
                    Some(Filled::Callee(Callee::Method(method))) => method.name().to_owned(),
                    _ => "?".to_owned(),
                };
                self.text += &callee;
                self.text += "(";
                self.list(args);
                self.text += ")";
            }
            ExprKind::Borrow { place, mutable } => {
                self.text += if *mutable { "&mut " } else { "&" };
                self.expr(*place, Precedence::Prefix);
            }
            ExprKind::Deref(operand) => {
                self.text += "*";
                self.expr(*operand, Precedence::Prefix);
            }
            ExprKind::Block(body) => self.block(body),
            ExprKind::If { condition, then, otherwise } => {
                self.text += "if ";
                self.expr(*condition, Precedence::Lowest);
                self.text += " ";
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.text += " else ";
                    self.expr(*otherwise, Precedence::Lowest);
                }
            }
            ExprKind::Match { scrutinee, arms } => {
                self.text += "match ";
                self.expr(*scrutinee, Precedence::Lowest);
                self.text += " {";
                self.indent += 1;
                for arm in arms {
                    self.line();
                    self.text += &self.pattern(&arm.pattern, false);
                    if let Some(guard) = arm.guard {
                        self.text += " if ";
                        self.expr(guard, Precedence::Lowest);
                    }
                    self.text += " => ";
                    self.expr(arm.body, Precedence::Lowest);
                    self.text += ",";
                }
                self.indent -= 1;
                self.line();
                self.text += "}";
            }
            ExprKind::Labelled { id, body } => {
                self.put(format_args!("{}: ", label(*id)));
                self.block(body);
            }
            ExprKind::Loop { id, body, unroll } => {
                self.put(format_args!("{}{}: loop ", unrolled(*unroll), label(*id)));
                self.block(body);
            }
            ExprKind::While { id, condition, body, unroll } => {
                self.put(format_args!("{}{}: while ", unrolled(*unroll), label(*id)));
                self.expr(*condition, Precedence::Lowest);
                self.text += " ";
                self.block(body);
            }
            ExprKind::For { id, sequence, body, unroll } => {
                self.put(format_args!("{}{}: for ", unrolled(*unroll), label(*id)));
                self.sequence(sequence);
                self.text += " ";
                self.block(body);
            }
            ExprKind::Break { target, value } => {
                self.put(format_args!("break {}", label(*target)));
                self.value(*value);
            }
            ExprKind::Continue { target } => self.put(format_args!("continue {}", label(*target))),
            ExprKind::Return(value) => {
                self.text += "return";
                self.value(*value);
            }
            ExprKind::Assign { place, value } => {
                self.expr(*place, Precedence::Or);
                self.text += " = ";
                self.expr(*value, Precedence::Lowest);
            }
            ExprKind::AssignOp { op, place, value, operator } => {
                self.expr(*place, Precedence::Or);
                self.put(format_args!(" {}={} ", binary(*op), self.operator(*operator)));
                self.expr(*value, Precedence::Lowest);
            }
            ExprKind::Panic(message) => self.message("panic", message),
            ExprKind::Print(message) => self.message("print", message),
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        match sequence {
            Sequence::Range { local, range } => {
                match local {
                    Some(local) => self.put(format_args!("{}: {} in ", self.local(*local), self.type_of(*local))),
                    None => self.text += "_ in ",
                }
                let Range { start, end, inclusive, adapters } = range;
                let plain = adapters.is_empty();
                self.text += if plain { "" } else { "(" };
                self.expr(*start, Precedence::Or);
                self.text += if *inclusive { "..=" } else { ".." };
                self.expr(*end, Precedence::Or);
                self.text += if plain { "" } else { ")" };
                for adapter in adapters {
                    match adapter {
                        Adapter::Reversed => self.text += ".rev()",
                        Adapter::StepBy(step) => {
                            self.text += ".step_by(";
                            self.expr(*step, Precedence::Lowest);
                            self.text += ")";
                        }
                    }
                }
            }
            Sequence::Elements { of, index, element, reversed } => {
                let name = |printer: &Self, local: &Option<LocalId>| match local {
                    Some(local) => format!("{}: {}", printer.local(*local), printer.type_of(*local)),
                    None => "_".to_owned(),
                };
                let element = name(self, element);
                match index {
                    Some(_) => self.put(format_args!("({}, {element}) in ", name(self, index))),
                    None => self.put(format_args!("{element} in ")),
                }
                self.expr(*of, Precedence::Postfix);
                self.text += ".iter()";
                self.text += if index.is_some() { ".enumerate()" } else { "" };
                self.text += if *reversed { ".rev()" } else { "" };
            }
        }
    }

    fn message(&mut self, name: &str, message: &Message) {
        let Message { pieces, args } = message;
        let text: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
                Piece::Number { position, format } if format.is_empty() => format!("{{{position}}}"),
                Piece::Number { position, format } => format!("{{{position}:{format}}}"),
            })
            .collect();
        self.put(format_args!("{name}!({text:?}"));
        if !args.is_empty() {
            self.text += ", ";
            self.list(args);
        }
        self.text += ")";
    }
}

fn precedence(kind: &ExprKind) -> Precedence {
    match kind {
        ExprKind::Break { .. }
        | ExprKind::Continue { .. }
        | ExprKind::Return(_)
        | ExprKind::Assign { .. }
        | ExprKind::AssignOp { .. }
        // Parenthesised wherever they are operands.
        | ExprKind::Block(_)
        | ExprKind::If { .. }
        | ExprKind::Match { .. }
        | ExprKind::Labelled { .. }
        | ExprKind::Loop { .. }
        | ExprKind::While { .. }
        | ExprKind::For { .. } => Precedence::Lowest,
        ExprKind::Logical { op: LogicalOp::Or, .. } => Precedence::Or,
        ExprKind::Logical { op: LogicalOp::And, .. } => Precedence::And,
        ExprKind::Binary { op, .. } => match op {
            BinaryOp::Add | BinaryOp::Sub => Precedence::Sum,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => Precedence::Product,
            BinaryOp::BitAnd => Precedence::BitAnd,
            BinaryOp::BitOr => Precedence::BitOr,
            BinaryOp::BitXor => Precedence::BitXor,
            BinaryOp::Shl | BinaryOp::Shr => Precedence::Shift,
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                Precedence::Comparison
            }
        },
        ExprKind::Cast { .. } => Precedence::Cast,
        ExprKind::Unary { .. } | ExprKind::Borrow { .. } | ExprKind::Deref(_) => Precedence::Prefix,
        ExprKind::Literal { value, slot: _ } => match value {
            // A literal's leading minus acts as a prefix operator on postfix expressions.
            Literal::Int { magnitude: _, negative: true } => Precedence::Prefix,
            Literal::Float(text) if text.starts_with('-') => Precedence::Prefix,
            Literal::Bool(_) | Literal::Int { magnitude: _, negative: false } | Literal::Float(_) => Precedence::Postfix,
        },
        ExprKind::Local(_)
        | ExprKind::Constant(_)
        | ExprKind::Index { .. }
        | ExprKind::SubSlice { .. }
        | ExprKind::Field { .. }
        | ExprKind::Tuple(_)
        | ExprKind::Struct { .. }
        | ExprKind::Array(_)
        | ExprKind::Repeat { .. }
        | ExprKind::Call { .. }
        | ExprKind::Panic(_)
        | ExprKind::Print(_) => Precedence::Postfix,
    }
}

/// Returns the minimum precedence of an operator's right operand: one level higher, since operators associate to the
/// left.
fn next_higher(precedence: Precedence) -> Precedence {
    match precedence {
        Precedence::Lowest => Precedence::Or,
        Precedence::Or => Precedence::And,
        Precedence::And => Precedence::Comparison,
        Precedence::Comparison => Precedence::BitOr,
        Precedence::BitOr => Precedence::BitXor,
        Precedence::BitXor => Precedence::BitAnd,
        Precedence::BitAnd => Precedence::Shift,
        Precedence::Shift => Precedence::Sum,
        Precedence::Sum => Precedence::Product,
        Precedence::Product => Precedence::Cast,
        Precedence::Cast => Precedence::Prefix,
        Precedence::Prefix | Precedence::Postfix => Precedence::Postfix,
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}

fn literal(value: &Literal, suffix: &str) -> String {
    match value {
        Literal::Bool(value) => value.to_string(),
        Literal::Int { magnitude, negative } => format!("{}{magnitude}{suffix}", if *negative { "-" } else { "" }),
        Literal::Float(text) => format!("{text}{suffix}"),
    }
}

fn label(id: LoopId) -> String {
    format!("'l{}", id.0)
}

fn unrolled(unroll: Unroll) -> String {
    match unroll {
        Unroll::Undecided => String::new(),
        Unroll::Full => "#[unroll] ".to_owned(),
        Unroll::By(factor) => format!("#[unroll({factor})] "),
    }
}

/// Formats a device operation with its type arguments.
fn intrinsic(intrinsic: &Intrinsic) -> String {
    let name = intrinsic.name();
    match intrinsic {
        Intrinsic::Shared(ty) | Intrinsic::DynamicShared(ty) | Intrinsic::DynamicSharedAt(ty) => {
            format!("{name}::<{ty}>")
        }
        Intrinsic::Atomic { op: _, ordering, scope } => format!("{name}::<{ordering:?}, {scope:?}>"),
        // The number of dimensions is the argument.
        Intrinsic::Grid(_)
        | Intrinsic::GridSize(_)
        | Intrinsic::ThreadIdx
        | Intrinsic::BlockIdx
        | Intrinsic::BlockDim
        | Intrinsic::GridDim
        | Intrinsic::SyncThreads
        | Intrinsic::SyncThreadsVote(_)
        | Intrinsic::SyncWarp
        | Intrinsic::SyncGrid
        | Intrinsic::Fence(_)
        | Intrinsic::Shuffle(_)
        | Intrinsic::Vote(_)
        | Intrinsic::MatchAny
        | Intrinsic::MatchAll
        | Intrinsic::Reduce(_)
        | Intrinsic::ActiveMask
        | Intrinsic::LaneId
        | Intrinsic::LaneMask(_)
        | Intrinsic::Fast(_)
        | Intrinsic::HasFaulted => name.to_owned(),
    }
}

/// Formats a constant as a literal with its type.
fn constant(ty: &Type, value: &ConstantValue) -> String {
    match (ty, value) {
        (Type::Scalar(scalar), ConstantValue::Bits(bits)) => number(*scalar, *bits),
        (Type::Enum(EnumType { path, variants, .. }), ConstantValue::Bits(bits)) => {
            match variants.iter().find(|variant| variant.bits == *bits) {
                Some(variant) => format!("{path}::{}", variant.name),
                None => format!("{path}({bits:#x})"),
            }
        }
        (Type::Array(element, _), ConstantValue::Parts(parts)) => {
            format!("[{}]", parts.iter().map(|part| constant(element, part)).collect::<Vec<_>>().join(", "))
        }
        (ty, ConstantValue::Parts(_)) if let Some(tag) = ty.tag() => match variant_of(ty, value) {
            Some((variant, payload, of)) => {
                format!("{}::{}({})", tag.path, tag.variants[variant].name, constant(payload, of))
            }
            None => format!("{value:?} as {ty}"),
        },
        (Type::Tuple(types), ConstantValue::Parts(parts)) => {
            let parts: Vec<String> = types.iter().zip(parts).map(|(ty, part)| constant(ty, part)).collect();
            format!("({})", parts.join(", "))
        }
        (Type::Struct(StructType { path, fields, .. }), ConstantValue::Parts(parts)) => {
            let fields: Vec<String> = fields
                .iter()
                .zip(parts)
                .map(|(field, part)| format!("{}: {}", field.name, constant(&field.ty, part)))
                .collect();
            format!("{path} {{ {} }}", fields.join(", "))
        }
        (ty, value) => format!("{value:?} as {ty}"),
    }
}

fn number(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::I8 => format!("{}{scalar}", bits as i8),
        Scalar::I16 => format!("{}{scalar}", bits as i16),
        Scalar::I32 => format!("{}{scalar}", bits as i32),
        Scalar::I64 | Scalar::Isize => format!("{}{scalar}", bits as i64),
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 | Scalar::Usize => format!("{bits}{scalar}"),
        Scalar::F16 | Scalar::Bf16 => format!("{scalar}::from_bits({bits:#06x})"),
        Scalar::F32 => format!("{:?}{scalar}", f32::from_bits(bits as u32)),
        Scalar::F64 => format!("{:?}{scalar}", f64::from_bits(bits)),
    }
}
