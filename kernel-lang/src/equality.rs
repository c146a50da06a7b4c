//! Synthesised `==` functions of compound types: device functions in the IR that compare the parts one by one.
//!
//! If all parts are scalars, or compounds of them, `==` is built in. A part with a `#[device] impl PartialEq` is
//! compared by that function, as in the `impl` that rustc derives; the function that compares all parts is built here,
//! in the IR.

use std::any::TypeId;

use cumbia_kernel_ir::{
    Arm, BinaryOp, Block, Expr, ExprId, ExprKind, Function, Literal, Local, LocalId, LogicalOp, LoopId, Pattern, Range,
    Scalar, Sequence, SlotId, Span, Stmt, Type, Unroll,
};

use crate::definition::{Compound, Content, Parts, VariantField};

/// The source file that the synthesised functions name.
pub const FILE: &str = "<derived PartialEq>";

impl Compound {
    /// Returns the slot content of `==` of a compound type.
    pub fn content(id: TypeId, ty: fn() -> Type, parts: Parts) -> Content {
        let is_built_in = |part: &Content| matches!(part, Content::Operator(None));
        let built_in = match &parts {
            Parts::Fields(fields) => fields.iter().all(|(_, part)| is_built_in(part)),
            Parts::Elements(element) => is_built_in(element),
            Parts::Variants(variants) => {
                variants.iter().flat_map(|(_, fields)| fields).all(|field| is_built_in(&field.equal))
            }
        };
        if built_in { Content::Operator(None) } else { Content::Compound(Compound { id, ty: ty(), parts }) }
    }

    /// Returns the function and the contents of its slots.
    #[must_use]
    pub fn function(self) -> (Function, Vec<Content>) {
        let Compound { id: _, ty, parts } = self;
        let name = match &ty {
            Type::Struct(structure) => format!("{}_eq", structure.name),
            Type::Tuple(_) if let Some(tag) = ty.tag() => format!("{}_eq", tag.name),
            Type::Array(..) => "array_eq".to_owned(),
            _ => "tuple_eq".to_owned(),
        };
        // References refer to types that memory can hold, which excludes tuples.
        let param = match &ty {
            Type::Tuple(_) => ty.clone(),
            _ => Type::Ref { target: Box::new(ty.clone()), mutable: false },
        };
        let mut function = Builder {
            exprs: Vec::new(),
            slots: vec![Content::Type(param), Content::Type(Type::Scalar(Scalar::Bool))],
            locals: vec![local("self", PARAM), local("other", PARAM)],
        };
        let body = match parts {
            Parts::Fields(fields) => function.fields(fields),
            Parts::Elements(element) => {
                let len = if let Type::Array(_, len) = ty { len } else { 0 };
                function.elements(*element, len)
            }
            Parts::Variants(variants) => function.variants(variants, matches!(ty, Type::Tuple(_))),
        };
        let Builder { exprs, slots, locals } = function;
        let function = Function {
            name,
            span: Span::default(),
            params: vec![THIS, OTHER],
            result: Some(RESULT),
            foreign: None,
            locals,
            exprs,
            body,
            slots: slots.len() as u32,
        };
        (function, slots)
    }
}

const THIS: LocalId = LocalId(0);
const OTHER: LocalId = LocalId(1);

/// The slot of the type of both parameters.
const PARAM: SlotId = SlotId(0);
/// The slot of the result type.
const RESULT: SlotId = SlotId(1);

fn local(name: &str, slot: SlotId) -> Local {
    Local { name: name.to_owned(), mutable: false, slot }
}

/// A function under construction.
struct Builder {
    exprs: Vec<Expr>,
    slots: Vec<Content>,
    locals: Vec<Local>,
}

impl Builder {
    /// `self.a == other.a && self.b == other.b`
    fn fields(&mut self, fields: Vec<(String, Content)>) -> Block {
        let mut all: Option<ExprId> = None;
        for (name, part) in fields {
            let left = self.field(THIS, &name);
            let right = self.field(OTHER, &name);
            let operator = self.slot(part.of_operator());
            let equal = self.expr(ExprKind::Binary { op: BinaryOp::Eq, left, right, operator });
            all = Some(match all {
                None => equal,
                Some(all) => self.expr(ExprKind::Logical { op: LogicalOp::And, left: all, right: equal }),
            });
        }
        Block { stmts: Vec::new(), tail: all.or_else(|| Some(self.bool(true))) }
    }

    /// `for at in 0..len { if self[at] != other[at] { return false; } } true`
    fn elements(&mut self, part: Content, len: u64) -> Block {
        let index = self.slot(Content::Type(Type::Scalar(Scalar::Usize)));
        let at = LocalId(self.locals.len() as u32);
        self.locals.push(local("at", index));
        let [start, end] = [0, len].map(|magnitude| {
            let value = Literal::Int { magnitude: magnitude.into(), negative: false };
            self.expr(ExprKind::Literal { value, slot: index })
        });
        let [left, right] = [THIS, OTHER].map(|array| {
            let base = self.expr(ExprKind::Local(array));
            let index = self.expr(ExprKind::Local(at));
            self.expr(ExprKind::Index { base, index })
        });
        let operator = self.slot(part.of_operator());
        let condition = self.expr(ExprKind::Binary { op: BinaryOp::Ne, left, right, operator });
        let unequal = self.bool(false);
        let leave = self.expr(ExprKind::Return(Some(unequal)));
        let then = Block { stmts: vec![Stmt::Expr(leave)], tail: None };
        let test = self.expr(ExprKind::If { condition, then, otherwise: None });
        let range = Range { start, end, inclusive: false, adapters: Vec::new() };
        let each = self.expr(ExprKind::For {
            id: LoopId(0),
            sequence: Sequence::Range { local: Some(at), range },
            body: Block { stmts: vec![Stmt::Expr(test)], tail: None },
            unroll: Unroll::Undecided,
        });
        let equal = self.bool(true);
        Block { stmts: vec![Stmt::Expr(each)], tail: Some(equal) }
    }

    /// `match self { A { a } => match other { A { a: b } => a == b, _ => false }, .. }`
    fn variants(&mut self, variants: Vec<(String, Vec<VariantField>)>, by_value: bool) -> Block {
        let arms = variants.into_iter().map(|(name, fields)| {
            let (mut left, mut right, mut all) = (Vec::new(), Vec::new(), None);
            for VariantField { name, ty, equal } in fields {
                let slot = self.slot(Content::Type(ty));
                let [a, b] = ["left", "right"].map(|side| {
                    self.locals.push(local(side, slot));
                    LocalId(self.locals.len() as u32 - 1)
                });
                left.push((name.clone(), Pattern::Local(a)));
                right.push((name, Pattern::Local(b)));
                let [a, b] = [a, b].map(|side| self.expr(ExprKind::Local(side)));
                let operator = self.slot(equal.of_operator());
                let equal = self.expr(ExprKind::Binary { op: BinaryOp::Eq, left: a, right: b, operator });
                all = Some(match all {
                    None => equal,
                    Some(all) => self.expr(ExprKind::Logical { op: LogicalOp::And, left: all, right: equal }),
                });
            }
            let equal = all.unwrap_or_else(|| self.bool(true));
            let different = self.bool(false);
            let scrutinee = self.whole(OTHER, by_value);
            let of_variant = |fields| Pattern::Struct { name: Some(name.clone()), fields };
            let arms = vec![
                Arm { pattern: of_variant(right), guard: None, body: equal },
                Arm { pattern: Pattern::Wild, guard: None, body: different },
            ];
            let body = self.expr(ExprKind::Match { scrutinee, arms });
            Arm { pattern: of_variant(left), guard: None, body }
        });
        let arms = arms.collect();
        let scrutinee = self.whole(THIS, by_value);
        let tail = self.expr(ExprKind::Match { scrutinee, arms });
        Block { stmts: Vec::new(), tail: Some(tail) }
    }

    /// Returns the value of a parameter.
    fn whole(&mut self, of: LocalId, by_value: bool) -> ExprId {
        let value = self.expr(ExprKind::Local(of));
        if by_value { value } else { self.expr(ExprKind::Deref(value)) }
    }

    fn field(&mut self, of: LocalId, name: &str) -> ExprId {
        let base = self.expr(ExprKind::Local(of));
        self.expr(ExprKind::Field { base, name: name.to_owned() })
    }

    fn bool(&mut self, value: bool) -> ExprId {
        self.expr(ExprKind::Literal { value: Literal::Bool(value), slot: RESULT })
    }

    fn expr(&mut self, kind: ExprKind) -> ExprId {
        self.exprs.push(Expr { kind, span: Span::default() });
        ExprId(self.exprs.len() as u32 - 1)
    }

    fn slot(&mut self, content: Content) -> SlotId {
        self.slots.push(content);
        SlotId(self.slots.len() as u32 - 1)
    }
}
