//! Local type inference: the types of expressions that follow directly from their operands.

use cumbia_kernel_ir::{Block, Callee, ExprId, ExprKind, Filled, Intrinsic, LoopId, Predicate, Type, Vote};

use super::body::Builder;
use super::items::scalar;

impl Builder<'_> {
    /// Returns the type of an expression, if it is known.
    pub(super) fn of(&self, id: ExprId) -> Option<&Type> {
        self.types[id.index()].as_ref()
    }

    fn tail(&self, block: &Block) -> Option<Type> {
        match block.tail {
            Some(tail) => self.of(tail).cloned(),
            None => Some(Type::Unit),
        }
    }

    pub(super) fn element(&self, base: ExprId) -> Option<Type> {
        match self.of(base)?.target() {
            Type::Slice { element, .. } | Type::Array(element, _) | Type::View { element, .. } => {
                Some((**element).clone())
            }
            _ => None,
        }
    }

    /// Infers the type of an expression from those of its operands, if possible.
    pub(super) fn infer(&self, kind: &ExprKind) -> Option<Type> {
        match kind {
            ExprKind::Literal { slot, .. }
            | ExprKind::Cast { slot, .. }
            | ExprKind::Struct { slot, .. }
            | ExprKind::Repeat { slot, .. } => Some(self.slot_type(*slot)),
            ExprKind::Local(local) => Some(self.local_type(*local).clone()),
            ExprKind::Constant(slot) => match &self.slots[slot.index()] {
                Filled::Constant(constant) => Some(constant.ty.clone()),
                _ => None,
            },
            ExprKind::Logical { .. } => Some(Type::BOOL),
            ExprKind::Binary { op, .. } if op.is_comparison() => Some(Type::BOOL),
            ExprKind::Unary { operand: left, operator, .. } | ExprKind::Binary { left, operator, .. } => {
                match &self.slots[operator.index()] {
                    Filled::Operator(Some(id)) => self.items.result(*id).cloned(),
                    _ => self.of(*left).cloned(),
                }
            }
            ExprKind::Index { base, .. } => self.element(*base),
            ExprKind::SubSlice { base, .. } => {
                Some(Type::Slice { element: Box::new(self.element(*base)?), mutable: self.writes_through(*base) })
            }
            ExprKind::Field { base, name } => match self.of(*base)?.target() {
                Type::Tuple(parts) => parts.get(name.parse::<usize>().ok()?).cloned(),
                Type::Struct(structure) => {
                    structure.fields.iter().find(|field| field.name == *name).map(|field| field.ty.clone())
                }
                _ => None,
            },
            ExprKind::Tuple(parts) if parts.is_empty() => Some(Type::Unit),
            ExprKind::Tuple(parts) => {
                Some(Type::Tuple(parts.iter().map(|part| self.of(*part).cloned()).collect::<Option<_>>()?))
            }
            ExprKind::Array(parts) => Some(Type::Array(Box::new(self.of(parts[0])?.clone()), parts.len() as u64)),
            ExprKind::Call { callee, args } => match &self.slots[callee.index()] {
                Filled::Callee(Callee::Function(id)) => self.items.result(*id).cloned(),
                Filled::Callee(Callee::Intrinsic(intrinsic)) => self.intrinsic_type(intrinsic, args),
                Filled::Callee(Callee::Method(method)) => match method.name() {
                    "len" | "nrows" | "ncols" => Some(Type::USIZE),
                    "is_empty" => Some(Type::BOOL),
                    "split_at" | "split_at_mut" => {
                        let mutable = method.name() == "split_at_mut";
                        let half = Type::Slice { element: Box::new(self.element(args[0])?), mutable };
                        Some(Type::Tuple(vec![half; 2]))
                    }
                    "sqrt" | "abs" | "min" | "max" | "mul_add" => Some(self.of(args[0])?.target().clone()),
                    _ => None,
                },
                _ => None,
            },
            ExprKind::Borrow { place, mutable } => match self.of(*place)? {
                Type::Slice { element, .. } if matches!(self.exprs[place.index()].kind, ExprKind::SubSlice { .. }) => {
                    Some(Type::Slice { element: element.clone(), mutable: *mutable || self.writes(*place) })
                }
                same @ (Type::Slice { .. } | Type::View { .. } | Type::Ref { .. }) => Some(same.clone()),
                target => {
                    Some(Type::Ref { target: Box::new(target.clone()), mutable: *mutable || self.writes(*place) })
                }
            },
            ExprKind::Deref(reference) => Some(self.of(*reference)?.target().clone()),
            ExprKind::Block(block) => self.tail(block),
            ExprKind::If { then, otherwise, .. } => match (self.tail(then), otherwise) {
                (Some(Type::Unit) | None, Some(otherwise)) => self.of(*otherwise).cloned(),
                (then, _) => then,
            },
            ExprKind::Match { arms, .. } => {
                arms.iter().filter_map(|arm| self.of(arm.body)).find(|ty| **ty != Type::Never).cloned()
            }
            ExprKind::Labelled { id, body } => match self.tail(body) {
                Some(Type::Unit | Type::Never) | None => self.break_type(*id).or(Some(Type::Unit)),
                tail => tail,
            },
            ExprKind::Loop { id, .. } => self.break_type(*id).or(Some(Type::Unit)),
            ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::Print(_) => Some(Type::Unit),
            ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) | ExprKind::Panic(_) => {
                Some(Type::Never)
            }
        }
    }

    fn intrinsic_type(&self, intrinsic: &Intrinsic, args: &[ExprId]) -> Option<Type> {
        match intrinsic {
            Intrinsic::Grid(1) | Intrinsic::GridSize(1) | Intrinsic::LaneId => Some(Type::USIZE),
            Intrinsic::Grid(n) | Intrinsic::GridSize(n) => Some(Type::Tuple(vec![Type::USIZE; (*n).into()])),
            Intrinsic::Shared(ty) => Some(Type::Ref { target: Box::new(ty.clone()), mutable: true }),
            Intrinsic::DynamicShared(ty) | Intrinsic::DynamicSharedAt(ty) => {
                Some(Type::Slice { element: Box::new(ty.clone()), mutable: true })
            }
            Intrinsic::Atomic { .. } => self.of(args[0]).map(|place| place.target().clone()),
            Intrinsic::Shuffle(_) | Intrinsic::Reduce(_) => self.of(args[1]).cloned(),
            Intrinsic::SyncThreadsVote(Predicate::Count)
            | Intrinsic::Vote(Vote::Ballot)
            | Intrinsic::MatchAny
            | Intrinsic::ActiveMask
            | Intrinsic::LaneMask(_) => Some(Type::U32),
            Intrinsic::SyncThreadsVote(_) | Intrinsic::Vote(_) => Some(Type::BOOL),
            Intrinsic::MatchAll => Some(Type::Tuple(vec![Type::U32, Type::BOOL])),
            _ => None,
        }
    }

    fn break_type(&self, id: LoopId) -> Option<Type> {
        self.breaks.iter().filter(|(target, _)| *target == id).find_map(|(_, value)| self.of(*value).cloned())
    }

    /// Returns whether the reference through which a place is accessed permits writes.
    fn writes(&self, place: ExprId) -> bool {
        match &self.exprs[place.index()].kind {
            ExprKind::Index { base, .. }
            | ExprKind::SubSlice { base, .. }
            | ExprKind::Field { base, .. }
            | ExprKind::Deref(base) => self.writes_through(*base),
            _ => false,
        }
    }

    pub(super) fn writes_through(&self, base: ExprId) -> bool {
        match self.of(base) {
            Some(Type::Slice { mutable, .. } | Type::View { mutable, .. } | Type::Ref { mutable, .. }) => *mutable,
            _ => self.writes(base),
        }
    }

    /// Infers the type of an expression before it is built, if possible.
    pub(super) fn infer_early(&self, expr: &syn::Expr) -> Option<Type> {
        match expr {
            syn::Expr::Paren(inner) => self.infer_early(&inner.expr),
            syn::Expr::Path(path) => match path.path.get_ident().and_then(|name| self.named(&name.to_string())) {
                Some(local) => Some(self.local_type(local).clone()),
                None => self.items.constant_of(&path.path).map(|constant| constant.ty),
            },
            syn::Expr::Lit(literal) => scalar(literal.lit.suffix()).map(Type::Scalar),
            syn::Expr::Unary(unary) => self.infer_early(&unary.expr).map(|ty| ty.target().clone()),
            syn::Expr::Cast(cast) => Some(self.items.ty(&cast.ty)),
            syn::Expr::Binary(binary) => self.infer_early(&binary.left).or_else(|| self.infer_early(&binary.right)),
            syn::Expr::Index(index) => match self.infer_early(&index.expr)?.target() {
                Type::Slice { element, .. } | Type::Array(element, _) | Type::View { element, .. } => {
                    Some((**element).clone())
                }
                _ => None,
            },
            syn::Expr::MethodCall(call) if call.method == "len" => Some(Type::USIZE),
            _ => None,
        }
    }
}
