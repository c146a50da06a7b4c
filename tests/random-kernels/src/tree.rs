//! Programs as syntax trees, in which each expression has a type.

use crate::types::{Range, Struct, Type};

/// A kernel, the functions that it calls, and its launches.
#[derive(Clone, Debug)]
pub struct Program {
    /// The seed and the number, which reproduce the program.
    pub(crate) origin: String,
    /// Constants, types and implementations, as text, in front of the functions.
    pub(crate) items: Vec<String>,
    /// `#[device] impl` and `#[device] trait` blocks.
    pub(crate) impls: Vec<Impl>,
    /// Device functions.
    pub(crate) functions: Vec<Function>,
    pub(crate) kernel: Function,
    pub(crate) launch: Launch,
}

/// A `#[device] impl` or `#[device] trait` block.
#[derive(Clone, Debug)]
pub(crate) struct Impl {
    /// `impl Tr for S`
    pub(crate) header: String,
    /// Associated types and constants, and the signatures of required methods, as text.
    pub(crate) associated: Vec<String>,
    pub(crate) functions: Vec<Function>,
}

impl Impl {
    /// Returns whether the functions have a visibility: those of traits have none.
    pub(crate) fn is_inherent(&self) -> bool {
        self.header.starts_with("impl ") && !self.header.contains(" for ")
    }
}

/// The launch configurations and arguments of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) blocks: usize,
    pub(crate) threads: usize,
    /// Bytes of dynamic shared memory for each thread of a block.
    pub(crate) shared_bytes: usize,
    /// The scalar parameters of the kernel, with their values in each launch.
    pub(crate) values: Vec<(String, Vec<String>)>,
    pub(crate) arrays: Vec<Array>,
}

/// An array argument.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) written: bool,
    /// `[1i8, 2]`
    pub(crate) value: String,
    /// The lengths of the view, if the kernel takes a view, and whether the view is transposed.
    pub(crate) shape: Vec<usize>,
    pub(crate) transposed: bool,
}

/// A kernel or device function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// `<T: Tr>`, or empty.
    pub(crate) generics: String,
    /// `self`, `&self`, `&mut self`, for a method.
    pub(crate) receiver: Option<&'static str>,
    pub(crate) params: Vec<(String, Type)>,
    pub(crate) result: Type,
    pub(crate) body: Block,
}

/// Statements, and the value of the tail expression if there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) value: Option<Box<Expr>>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    /// Whether the program would not terminate, or have a race, without it.
    pub(crate) pinned: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    /// `let pattern: ty = value;`
    Let { pattern: String, names: Vec<String>, ty: Option<Type>, value: Option<Expr> },
    /// `const NAME: ty = value;`
    Const { name: String, ty: Type, value: Expr },
    /// An expression of type `()`, or whose value is dropped.
    Expr(Expr),
}

impl Stmt {
    pub(crate) fn new(kind: StmtKind) -> Stmt {
        Stmt { kind, pinned: false }
    }

    pub(crate) fn expr(expr: Expr) -> Stmt {
        Stmt::new(StmtKind::Expr(expr))
    }

    /// Returns `let name = value;`, with a type if `annotated`.
    pub(crate) fn binding(name: &str, mutable: bool, annotated: bool, value: Expr) -> Stmt {
        let pattern = if mutable { format!("mut {name}") } else { name.to_owned() };
        let ty = annotated.then(|| value.ty.clone());
        Stmt::new(StmtKind::Let { pattern, names: vec![name.to_owned()], ty, value: Some(value) })
    }

    /// Returns `let (a, b) = value;`.
    pub(crate) fn tuple(names: &[String], value: Expr) -> Stmt {
        let pattern = format!("({})", names.join(", "));
        Stmt::new(StmtKind::Let { pattern, names: names.to_vec(), ty: None, value: Some(value) })
    }

    pub(crate) fn pinned(self) -> Stmt {
        Stmt { pinned: true, ..self }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) ty: Type,
    /// The range of an integer.
    pub(crate) range: Range,
    pub(crate) kind: ExprKind,
    /// Whether it keeps an index in bounds or a loop short: its operands may be edited, and it itself may not.
    pub(crate) pinned: bool,
}

/// The head of a loop.
#[derive(Clone, Debug)]
pub(crate) enum Head {
    Loop,
    While(Box<Expr>),
    /// `for pattern in sequence`
    For {
        pattern: String,
        sequence: Box<Expr>,
    },
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) pattern: String,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Block,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    /// A literal as text; `suffixed` has the suffix of its type.
    Literal(String),
    /// A variable or constant.
    Name(String),
    /// `-x`, `!x`, `*x`
    Unary(&'static str, Box<Expr>),
    /// `x + y`, `x && y`, `x = y`, `x += y`
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `x as T`
    Cast(Box<Expr>),
    /// `f(x)`, `i32::max(x, y)`
    Call(String, Vec<Expr>),
    /// `x.f(y)`
    Method(Box<Expr>, String, Vec<Expr>),
    /// `x.f`, `x.0`
    Field(Box<Expr>, String),
    /// `x[y]`
    Index(Box<Expr>, Box<Expr>),
    /// `let pattern = x`, as a condition.
    Let(String, Box<Expr>),
    /// `x..y`, `x..=y`
    Range(Option<Box<Expr>>, &'static str, Option<Box<Expr>>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    /// `[x; n]`
    Repeat(Box<Expr>, usize),
    /// `S { x, ..base }`
    Struct {
        fields: Vec<(String, Expr)>,
        base: Option<Box<Expr>>,
    },
    /// `&x`, `&mut x`
    Borrow(bool, Box<Expr>),
    Block(Block),
    If {
        condition: Box<Expr>,
        then: Block,
        otherwise: Option<Block>,
    },
    Match {
        scrutinee: Box<Expr>,
        arms: Vec<Arm>,
    },
    Loop {
        /// `#[unroll]` as 0, or `#[unroll(4)]`.
        unroll: Option<u32>,
        label: Option<String>,
        head: Head,
        body: Block,
    },
    /// `'label: { .. }`
    Labelled(String, Block),
    /// `break`, `break 'label x`, `continue`, `return x`
    Jump {
        word: &'static str,
        label: Option<String>,
        value: Option<Box<Expr>>,
    },
    /// `assert!(x)`, `panic!("..")`: the text after the expressions is written verbatim.
    Macro(&'static str, Vec<Expr>, Option<String>),
}

impl Expr {
    pub(crate) fn new(ty: Type, range: Range, kind: ExprKind) -> Expr {
        Expr { ty, range, kind, pinned: false }
    }

    /// Returns an expression with the full range of its type.
    pub(crate) fn any(ty: Type, kind: ExprKind) -> Expr {
        let range = ty.range();
        Expr::new(ty, range, kind)
    }

    pub(crate) fn unit(kind: ExprKind) -> Expr {
        Expr::new(Type::Unit, Range::NONE, kind)
    }

    pub(crate) fn name(name: &str, ty: Type, range: Range) -> Expr {
        Expr::new(ty, range, ExprKind::Name(name.to_owned()))
    }

    pub(crate) fn int(ty: Type, value: i128) -> Expr {
        Expr::new(ty, Range::one(value), ExprKind::Literal(value.to_string()))
    }

    pub(crate) fn usize(value: usize) -> Expr {
        Expr::int(Type::USIZE, value as i128)
    }

    pub(crate) fn bool(value: bool) -> Expr {
        Expr::new(Type::Bool, Range::NONE, ExprKind::Literal(value.to_string()))
    }

    pub(crate) fn binary(ty: Type, range: Range, op: &'static str, left: Expr, right: Expr) -> Expr {
        Expr::new(ty, range, ExprKind::Binary(op, Box::new(left), Box::new(right)))
    }

    pub(crate) fn method(ty: Type, range: Range, receiver: Expr, name: &str, args: Vec<Expr>) -> Expr {
        Expr::new(ty, range, ExprKind::Method(Box::new(receiver), name.to_owned(), args))
    }

    /// Returns `place = value` or `place += value`.
    pub(crate) fn assign(op: &'static str, place: Expr, value: Expr) -> Expr {
        Expr::unit(ExprKind::Binary(op, Box::new(place.pinned()), Box::new(value)))
    }

    pub(crate) fn jump(word: &'static str, label: Option<String>, value: Option<Expr>) -> Expr {
        Expr::unit(ExprKind::Jump { word, label, value: value.map(Box::new) })
    }

    pub(crate) fn pinned(self) -> Expr {
        Expr { pinned: true, ..self }
    }

    pub(crate) fn is_literal(&self) -> bool {
        matches!(self.kind, ExprKind::Literal(_))
    }

    /// Returns a loop as a statement.
    pub(crate) fn repeat(unroll: Option<u32>, label: Option<String>, head: Head, body: Block) -> Expr {
        Expr::unit(ExprKind::Loop { unroll, label, head, body })
    }

    /// Returns whether it ends with a brace, and so needs no semicolon as a statement.
    pub(crate) fn is_block_like(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Block(_)
                | ExprKind::If { .. }
                | ExprKind::Match { .. }
                | ExprKind::Loop { .. }
                | ExprKind::Labelled(..)
        )
    }

    /// Returns the simplest value of a type, if there is one that is valid in every context.
    pub(crate) fn simplest(ty: &Type) -> Option<Expr> {
        let kind = match ty {
            Type::Bool => ExprKind::Literal(String::from("false")),
            Type::Int(_) => return Some(Expr::int(ty.clone(), 0)),
            Type::Float(float) if float.is_half() => ExprKind::Literal(format!("{ty}::ONE")),
            Type::Float(_) => ExprKind::Literal(String::from("1.0")),
            Type::Tuple(parts) => ExprKind::Tuple(parts.iter().map(Expr::simplest).collect::<Option<_>>()?),
            Type::Array(element, len) => ExprKind::Repeat(Box::new(Expr::simplest(element)?), *len),
            Type::Struct(structure) => ExprKind::simplest_struct(structure)?,
            Type::Enum(choice) => {
                let payload: Vec<Expr> =
                    choice.variants[0].payload.iter().map(Expr::simplest).collect::<Option<_>>()?;
                let path = choice.variant(&choice.variants[0]);
                if payload.is_empty() { ExprKind::Name(path) } else { ExprKind::Call(path, payload) }
            }
            Type::Unit | Type::Slice(..) | Type::View(..) | Type::Ref(..) | Type::Param(_) => return None,
        };
        Some(Expr::any(ty.clone(), kind))
    }
}

impl ExprKind {
    fn simplest_struct(structure: &Struct) -> Option<ExprKind> {
        let values = structure.fields.iter().map(|(name, ty)| Some((name.clone(), Expr::simplest(ty)?)));
        Some(ExprKind::Struct { fields: values.collect::<Option<_>>()?, base: None })
    }
}

/// A direct child of an expression or a block.
pub(crate) enum Child<'t> {
    Expr(&'t mut Expr),
    Block(&'t mut Block),
}

impl Expr {
    /// Returns the direct children, in order.
    pub(crate) fn children(&mut self) -> Vec<Child<'_>> {
        use Child::{Block as B, Expr as X};
        use ExprKind as E;
        match &mut self.kind {
            E::Literal(_) | E::Name(_) => vec![],
            E::Unary(_, x) | E::Let(_, x) | E::Cast(x) | E::Field(x, _) | E::Repeat(x, _) | E::Borrow(_, x) => {
                vec![X(x)]
            }
            E::Binary(_, x, y) | E::Index(x, y) => vec![X(x), X(y)],
            E::Call(_, xs) | E::Tuple(xs) | E::Array(xs) | E::Macro(_, xs, _) => xs.iter_mut().map(X).collect(),
            E::Method(x, _, xs) => std::iter::once(X(x)).chain(xs.iter_mut().map(X)).collect(),
            E::Range(x, _, y) => x.iter_mut().chain(y).map(|x| X(x)).collect(),
            E::Struct { fields, base } => {
                fields.iter_mut().map(|(_, x)| X(x)).chain(base.iter_mut().map(|x| X(x))).collect()
            }
            E::Block(block) | E::Labelled(_, block) => vec![B(block)],
            E::If { condition, then, otherwise } => {
                [X(condition), B(then)].into_iter().chain(otherwise.iter_mut().map(B)).collect()
            }
            E::Match { scrutinee, arms } => {
                let mut all = vec![X(scrutinee)];
                for Arm { pattern: _, guard, body } in arms {
                    all.extend(guard.iter_mut().map(X));
                    all.push(B(body));
                }
                all
            }
            E::Loop { unroll: _, label: _, head, body } => {
                let head = match head {
                    Head::Loop => None,
                    Head::While(x) | Head::For { pattern: _, sequence: x } => Some(X(x)),
                };
                head.into_iter().chain([B(body)]).collect()
            }
            E::Jump { word: _, label: _, value } => value.iter_mut().map(|x| X(x)).collect(),
        }
    }
}

impl Block {
    /// Returns the expressions among the direct children, in order.
    pub(crate) fn children(&mut self) -> Vec<&mut Expr> {
        let stmts = self.stmts.iter_mut().filter_map(|stmt| match &mut stmt.kind {
            StmtKind::Let { pattern: _, names: _, ty: _, value } => value.as_mut(),
            StmtKind::Const { name: _, ty: _, value } => Some(value),
            StmtKind::Expr(expr) => Some(expr),
        });
        stmts.chain(self.value.as_deref_mut()).collect()
    }
}

impl Program {
    /// Returns every function, the kernel last.
    pub(crate) fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        let methods = self.impls.iter_mut().flat_map(|block| &mut block.functions);
        methods.chain(&mut self.functions).chain([&mut self.kernel])
    }
}
