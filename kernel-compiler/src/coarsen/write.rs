//! The text of a coarsened kernel: copies of its item, interleaved or one after another.

use crate::ir::{Scalar, Unroll};
use crate::lower::{
    Axis, CType, CallTarget, Case, Expr, Header, Label, NameOrigin, Next, Operator, Stmt, StmtKind, VarId, Variable,
    label_count, narrowed,
};
use crate::set::Set;
use litemap::LiteMap;

use super::jam::Jam;
use super::packed::{LOAD, Packing, STORE};
use super::split::{Item, Level};
use super::{VIRTUAL_BLOCKS, legality, names, split};

/// The label at the end of an item.
const ITEM: &str = "item";

/// The writer of a coarsened kernel.
pub(super) struct Writer {
    pub(super) axis: Axis,
    pub(super) factor: u32,
    /// The variables of the coarsened kernel.
    pub(super) vars: Vec<Variable>,
}

impl Writer {
    fn variable(&mut self, hint: &str, ty: CType, constant: bool) -> VarId {
        let hint = hint.to_owned();
        self.vars.push(Variable { hint, origin: NameOrigin::Compiler, ty, constant, stable: true });
        VarId(self.vars.len() as u32 - 1)
    }

    /// Returns the body of the coarsened kernel.
    pub(super) fn body(
        &mut self,
        item: &Item,
        (packing, jam): (Option<&Packing>, Option<&Jam>),
        stmts: &[Stmt],
    ) -> Vec<Stmt> {
        let (factor, labels) = (number(self.factor), label_count(stmts));
        let blocks = Expr::Special(VIRTUAL_BLOCKS);
        let first = self.variable("first", CType::Scalar(Scalar::U32), true);
        let init = Expr::binary(Operator::Mul, Expr::Special(names(self.axis).0), factor.clone());
        let mut body = vec![declare(first, init)];
        let end = Expr::binary(Operator::Add, Expr::Var(first), factor.clone());
        let is_whole = Expr::binary(Operator::Le, end, blocks.clone());
        // Without such loads, the items gain nothing from being interleaved.
        let interleaved = if item.levels.is_empty() && item.early.is_empty() && jam.is_none() {
            Vec::new()
        } else {
            let then = self.interleaved(item, jam, first, labels);
            vec![unnumbered(StmtKind::If { condition: is_whole.clone(), then, otherwise: Vec::new() })]
        };

        // One item after another.
        let counter = self.variable("number", CType::Scalar(Scalar::U32), false);
        let block = self.variable("block", CType::Scalar(Scalar::U32), true);
        let mut of_item = Copy { block: Expr::Var(block), ..Copy::new(self.axis) };
        of_item.end.number = labels;
        let mut index = Expr::binary(Operator::Add, Expr::Var(first), Expr::Var(counter));
        let mut one = Vec::new();
        match packing {
            None => body.extend(interleaved),
            Some(packing) => {
                let is_packed = self.variable("is_packed", CType::Scalar(Scalar::Bool), true);
                body.push(declare(is_packed, packing.condition(is_whole, self.factor)));
                let then = self.packed(item, packing, first, labels);
                let condition = Expr::Var(is_packed);
                body.push(unnumbered(StmtKind::If { condition, then, otherwise: interleaved }));
                index = Expr::conditional(Expr::Var(is_packed), Expr::Var(first), index);
                let thread = self.variable("thread", CType::Scalar(Scalar::U32), true);
                let own = Expr::Special("threadIdx.x");
                let consecutive = consecutive_thread(self.factor, Expr::Var(counter));
                one.push(declare(thread, Expr::conditional(Expr::Var(is_packed), consecutive, own)));
                of_item.thread = Some(Expr::Var(thread));
            }
        }
        one.push(declare(block, index));
        let condition = Expr::binary(Operator::Lt, Expr::Var(block), blocks);
        one.push(unnumbered(StmtKind::If { condition, then: of_item.item(stmts), otherwise: Vec::new() }));
        let header = Header::For {
            var: counter,
            init: number(0),
            test: Expr::binary(Operator::Lt, Expr::Var(counter), factor),
            next: Next::Increment,
        };
        body.push(unnumbered(StmtKind::Loop { header, body: one, next: None, end: None, unroll: Unroll::By(1) }));
        body
    }

    /// Returns the items of adjacent blocks under their guards: statement by statement as long as they have no side effects, then
    /// one after another, or with loops in common.
    fn interleaved(&mut self, item: &Item, jam: Option<&Jam>, first: VarId, labels: u32) -> Vec<Stmt> {
        let mut copies: Vec<Copy<'_>> =
            (0..self.factor).map(|k| Copy { block: plus(Expr::Var(first), k), ..self.copy(item, k, labels) }).collect();
        if let Some(jam) = jam {
            share_counters(jam, &mut copies);
        }
        let mut inner = of_each(&item.early, &copies);
        match jam {
            Some(_) => inner.extend(jammed(&item.late, &copies)),
            None => inner.extend(copies.iter().flat_map(|copy| copy.item(&item.late))),
        }
        inner.push(unnumbered(StmtKind::Return(None)));
        guarded(&item.levels, &copies, None, inner)
    }

    /// Returns consecutive items under their guards, with packed accesses.
    fn packed(&mut self, item: &Item, packing: &Packing, first: VarId, labels: u32) -> Vec<Stmt> {
        let factor = self.factor;
        let mut packs = LiteMap::new();
        for (param, access) in packing.loads.iter() {
            let array = CType::Array(Box::new(CType::Scalar(access.scalar)), factor.into());
            packs.insert(*param, self.variable("packed", array, false));
        }
        let copies: Vec<Copy<'_>> = (0..factor)
            .map(|k| {
                let thread = Some(consecutive_thread(factor, number(k)));
                let elements = Some((packing, packs.clone(), k));
                Copy { block: Expr::Var(first), thread, elements, ..self.copy(item, k, labels) }
            })
            .collect();
        // The first item has the address of the access.
        let address = |param: u32, index: &Expr| {
            let index = copies.first().map_or_else(|| index.clone(), |copy| copy.renamed(index));
            Expr::AddressOf(Box::new(Expr::index(Expr::Var(VarId(param)), index)))
        };
        let mut inner = Vec::new();
        let mut loaded = Set::new();
        for stmt in &item.early {
            // Before the first statement with an element of the array, where its index is declared.
            for (param, access) in packing.loads.iter() {
                if packing.accesses(*param, stmt) && loaded.insert(*param) {
                    inner.push(unnumbered(StmtKind::Declare { var: packs[param], init: None }));
                    let load = Expr::helper(LOAD, vec![address(*param, &access.index), Expr::Var(packs[param])]);
                    inner.push(unnumbered(StmtKind::Expr(load)));
                }
            }
            inner.extend(copies.iter().map(|copy| copy.stmt(stmt)));
        }
        for stmt in &item.late {
            match &stmt.kind {
                StmtKind::Assign { place: Expr::Index(array, index), value }
                    if let Expr::Var(VarId(param)) = **array
                        && let Some(access) = packing.stores.get(&param) =>
                {
                    // A brace initialiser does not narrow an `int`.
                    let values = copies.iter().map(|copy| narrowed(copy.renamed(value), access.scalar)).collect();
                    let values = Expr::Array(CType::Scalar(access.scalar), values);
                    let store = Expr::helper(STORE, vec![address(param, index), values]);
                    inner.push(Stmt { line: stmt.line, kind: StmtKind::Expr(store) });
                }
                _ => inner.extend(copies.iter().map(|copy| copy.stmt(stmt))),
            }
        }
        inner.push(unnumbered(StmtKind::Return(None)));
        guarded(&item.levels, &copies, Some(packing), inner)
    }

    /// Returns the replacements in item `k` of a thread, with variables and labels of its own.
    fn copy<'p>(&mut self, Item { levels, early, late, .. }: &Item, k: u32, labels: u32) -> Copy<'p> {
        let mut declared = Set::new();
        for stmts in levels.iter().map(|level| &level.prefix).chain([early, late]) {
            legality::each(stmts, &mut |stmt| match &stmt.kind {
                StmtKind::Declare { var, .. } | StmtKind::Loop { header: Header::For { var, .. }, .. } => {
                    declared.insert(var.0);
                }
                _ => {}
            });
        }
        let mut vars = LiteMap::new();
        for var in declared {
            self.vars.push(split::copy(&self.vars[var as usize]));
            vars.insert(var, VarId(self.vars.len() as u32 - 1));
        }
        // Those of the items one after another are numbered from 0.
        let offset = (k + 1) * (labels + 1);
        let end = Label { name: ITEM, number: offset + labels };
        Copy { vars, labels: offset, end, ..Copy::new(self.axis) }
    }
}

/// Returns the statements of all items, statement by statement, with loops that are executed once for all.
fn jammed(stmts: &[Stmt], copies: &[Copy<'_>]) -> Vec<Stmt> {
    let mut all = Vec::new();
    for stmt in stmts {
        let StmtKind::Loop { header, body, next, end, unroll } = &stmt.kind else {
            all.extend(copies.iter().map(|copy| copy.stmt(stmt)));
            continue;
        };
        let Some(header) = copies.first().map(|copy| copy.header(header)) else { continue };
        let body = jammed(body, copies);
        let kind = StmtKind::Loop { header, body, next: *next, end: *end, unroll: *unroll };
        all.push(Stmt { line: stmt.line, kind });
    }
    all
}

/// Lets all items count the iterations of their common loops by the variables of the first one.
fn share_counters(Jam { counters, .. }: &Jam, copies: &mut [Copy<'_>]) {
    let Some((first, others)) = copies.split_first_mut() else { return };
    for counter in counters {
        let var = first.var(VarId(*counter));
        for copy in &mut *others {
            copy.vars.insert(*counter, var);
        }
    }
}

/// Returns statements under the guards of all items.
fn guarded(levels: &[Level], copies: &[Copy<'_>], packing: Option<&Packing>, inner: Vec<Stmt>) -> Vec<Stmt> {
    levels.iter().rev().fold(inner, |then, Level { prefix, guard }| {
        let mut parts = Vec::new();
        match packing {
            Some(packing) => packing.parts(guard, &mut parts),
            None => parts.push((guard, false)),
        }
        let of_items = parts.into_iter().flat_map(|(part, by_last)| {
            let first = if by_last { copies.len().saturating_sub(1) } else { 0 };
            copies[first..].iter().map(move |copy| copy.renamed(part))
        });
        let mut stmts = of_each(prefix, copies);
        if let Some(condition) = of_items.reduce(|all, next| Expr::binary(Operator::Both, all, next)) {
            stmts.push(unnumbered(StmtKind::If { condition, then, otherwise: Vec::new() }));
        }
        stmts
    })
}

/// Returns the statements of all items, statement by statement.
fn of_each(stmts: &[Stmt], copies: &[Copy<'_>]) -> Vec<Stmt> {
    stmts.iter().flat_map(|stmt| copies.iter().map(|copy| copy.stmt(stmt))).collect()
}

/// Returns the index of a thread that executes consecutive items, in a block as long as the group of blocks.
fn consecutive_thread(factor: u32, item: Expr) -> Expr {
    let begin = Expr::binary(Operator::Mul, Expr::Special("threadIdx.x"), number(factor));
    if item == number(0) { begin } else { Expr::binary(Operator::Add, begin, item) }
}

fn number(value: u32) -> Expr {
    Expr::int(Scalar::U32, value.into())
}

fn plus(base: Expr, offset: u32) -> Expr {
    if offset == 0 { base } else { Expr::binary(Operator::Add, base, number(offset)) }
}

fn declare(var: VarId, init: Expr) -> Stmt {
    unnumbered(StmtKind::Declare { var, init: Some(init) })
}

/// Returns a statement without a line in the user's source.
fn unnumbered(kind: StmtKind) -> Stmt {
    Stmt { line: 0, kind }
}

/// The replacements in one copy of an item.
struct Copy<'p> {
    vars: LiteMap<u32, VarId>,
    axis: Axis,
    /// The logical block index.
    block: Expr,
    /// The index of the thread in a block as long as the group of blocks, if that replaces its own.
    thread: Option<Expr>,
    /// The loads that are packed, the variables that hold their values, and the number of the item.
    elements: Option<(&'p Packing, LiteMap<u32, VarId>, u32)>,
    /// The offset of the labels' numbers.
    labels: u32,
    /// The label at its end.
    end: Label,
}

impl Copy<'_> {
    /// Returns a copy that replaces nothing but the extent of the grid.
    fn new(axis: Axis) -> Self {
        Copy {
            vars: LiteMap::new(),
            axis,
            block: Expr::Special(names(axis).0),
            thread: None,
            elements: None,
            labels: 0,
            end: Label { name: ITEM, number: 0 },
        }
    }

    /// Returns the statements of the item, in which `return` is a jump to the end.
    fn item(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        let body = self.stmts(stmts);
        let mut returns = false;
        legality::each(stmts, &mut |stmt| returns |= matches!(stmt.kind, StmtKind::Return(_)));
        if returns { vec![unnumbered(StmtKind::Block { body, end: self.end })] } else { body }
    }

    fn stmts(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, Stmt { line, kind }: &Stmt) -> Stmt {
        let kind = match kind {
            StmtKind::Declare { var, init } => {
                StmtKind::Declare { var: self.var(*var), init: init.as_ref().map(|init| self.renamed(init)) }
            }
            StmtKind::Shared { var } => StmtKind::Shared { var: self.var(*var) },
            StmtKind::Assign { place, value } => {
                StmtKind::Assign { place: self.renamed(place), value: self.renamed(value) }
            }
            StmtKind::Update { op, place, value } => {
                StmtKind::Update { op: *op, place: self.renamed(place), value: self.renamed(value) }
            }
            StmtKind::Expr(expr) => StmtKind::Expr(self.renamed(expr)),
            StmtKind::If { condition, then, otherwise } => StmtKind::If {
                condition: self.renamed(condition),
                then: self.stmts(then),
                otherwise: self.stmts(otherwise),
            },
            StmtKind::Switch { on, cases, otherwise } => {
                let case = |Case { values, body }: &Case| Case {
                    values: values.iter().map(|value| self.renamed(value)).collect(),
                    body: self.stmts(body),
                };
                StmtKind::Switch {
                    on: self.renamed(on),
                    cases: cases.iter().map(case).collect(),
                    otherwise: self.stmts(otherwise),
                }
            }
            StmtKind::Loop { header, body, next, end, unroll } => StmtKind::Loop {
                header: self.header(header),
                body: self.stmts(body),
                next: next.map(|label| self.label(label)),
                end: end.map(|label| self.label(label)),
                unroll: *unroll,
            },
            StmtKind::Block { body, end } => StmtKind::Block { body: self.stmts(body), end: self.label(*end) },
            StmtKind::Goto(label) => StmtKind::Goto(self.label(*label)),
            StmtKind::Return(_) => StmtKind::Goto(self.end),
            StmtKind::Break => StmtKind::Break,
            StmtKind::Continue => StmtKind::Continue,
            // They do not occur in a legal program.
            StmtKind::Fault { .. } | StmtKind::Print { .. } | StmtKind::InternalError(_) => kind.clone(),
        };
        Stmt { line: *line, kind }
    }

    fn header(&self, header: &Header) -> Header {
        match header {
            Header::For { var, init, test, next } => Header::For {
                var: self.var(*var),
                init: self.renamed(init),
                test: self.renamed(test),
                next: match next {
                    Next::Increment => Next::Increment,
                    Next::Decrement => Next::Decrement,
                    Next::Assign(value) => Next::Assign(self.renamed(value)),
                },
            },
            // They do not occur in a legal program.
            Header::Open { .. } | Header::Deferred(_) => header.clone(),
        }
    }

    fn var(&self, var: VarId) -> VarId {
        self.vars.get(&var.0).copied().unwrap_or(var)
    }

    fn label(&self, Label { name, number }: Label) -> Label {
        Label { name, number: number + self.labels }
    }

    /// Returns an expression of the item.
    fn renamed(&self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        self.rename(&mut expr);
        expr
    }

    fn rename(&self, expr: &mut Expr) {
        let (block, grid) = names(self.axis);
        if let Some((packing, packs, number)) = &self.elements
            && let Expr::Index(array, index) = expr
            && let Expr::Var(VarId(param)) = &**array
            && let Some(pack) = packs.get(param)
            && packing.is_index(index)
        {
            *expr = Expr::index(Expr::Var(*pack), Expr::int(Scalar::U32, (*number).into()));
            return;
        }
        match expr {
            Expr::Special("threadIdx.x") => {
                if let Some(thread) = &self.thread {
                    *expr = thread.clone();
                }
            }
            Expr::Var(var) => *var = self.var(*var),
            Expr::Special(name) if *name == block => *expr = self.block.clone(),
            Expr::Special(name) if *name == grid => *expr = Expr::Special(VIRTUAL_BLOCKS),
            // They do not occur in a legal program, and are the only other expressions with variables.
            Expr::Call(CallTarget::Load { .. } | CallTarget::Inside { .. }, _) => {}
            _ => expr.for_each_child_mut(&mut |child| self.rename(child)),
        }
    }
}
