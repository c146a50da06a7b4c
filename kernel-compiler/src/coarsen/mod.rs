//! Thread coarsening: each CUDA thread executes several *items*, the logical threads, which are those of the launch as the
//! user sees it.
//!
//! One element per thread does not saturate the memory: too few bytes are in flight on a multiprocessor (Little's law). A
//! thread that first loads the operands of `K` items and then computes and stores them has `K` times as many. The items are
//! block-strided: CUDA block `b` executes the logical blocks `b * K` to `b * K + K - 1`, so that each load instruction
//! still accesses contiguous memory across a warp.
//!
//! ```text
//! const u32 first = blockIdx.x * 4;
//! if (first + 4 <= launch.blocks) {              the four blocks are in the logical grid
//!     const usize i = first * ..;                for each of the four items
//!     if (i < n && i_2 < n && ..) {              the guards of all items hold
//!         const float loaded = x[i];             the loads of all items
//!         y[i] = f(loaded);                      the rest of each item
//!         return;
//!     }
//! }
//! for (u32 item = 0; item < 4; ++item) {         otherwise: one item after another
//!     const u32 block = first + item;
//!     if (block < launch.blocks) { .. }
//! }
//! ```
//!
//! The extent of the logical grid is in a part of the launch parameter that is unused otherwise, so that all builds of a
//! kernel have the same parameters. [`legality`] decides which programs may be coarsened, and [`split`] which loads of an
//! item can be issued first. The pass follows the removal of checks: a program that can fault is not coarsened, since a
//! fault ends the CUDA thread and reports its block.

mod legality;
mod result;
mod split;
#[cfg(test)]
mod tests;

use crate::ir::{Scalar, Unroll};
use crate::lower::Axis;
use crate::lower::{
    Body, CType, CallTarget, Case, Expr, Header, Label, Module, NameOrigin, Next, Operator, Stmt, StmtKind, VarId,
    Variable, label_count,
};
use crate::set::Set;
use crate::source::Options;
use litemap::LiteMap;

use split::{Item, Level};

pub use result::{Coarsening, Obstacle, ObstacleKind};

/// The built-in value of a coarsened kernel that replaces `gridDim` along the coarsened axis: a member of the launch parameter.
pub(crate) const VIRTUAL_BLOCKS: &str = "launch.blocks";

/// The bytes that a thread should read and write. With 2048 resident threads, 64 KiB of a multiprocessor are in flight, at
/// least half of them loads: Little's law demands 24 to 48 KiB of an H200, where scalar code with four items per
/// thread was as fast as `float4` for one operand (8 bytes per item) and for two (12 bytes per item).
const BYTES_PER_THREAD: u64 = 32;

/// The maximum factor that is chosen automatically.
const MAX_FACTOR: u64 = 8;

/// The maximum number of statements of an item that is coarsened automatically. Each of them is printed once per item.
const MAX_STMTS: usize = 48;

/// Returns why a program cannot be coarsened.
pub(crate) fn obstacle(module: &Module) -> Option<Obstacle> {
    legality::axis(module).err()
}

/// Determines how a kernel that takes the launch parameter can be coarsened, and coarsens it if the options demand it.
pub(crate) fn program(module: &mut Module, options: Options) -> Result<Coarsening, Obstacle> {
    let axis = legality::axis(module)?;
    let Body::Stmts(stmts) = &module.kernel.body else { unreachable!("the kernel is not written in CUDA C") };
    let block = names(axis).0;
    let item = split::item(module, stmts, block);
    let coarsening = Coarsening { axis, factor: factor(&item) };
    if let Some(factor) = options.coarsen {
        module.reads_blocks = true;
        let stmts = stmts.clone();
        let mut writer = Writer { axis, factor: factor.get(), vars: item.vars.iter().map(split::copy).collect() };
        let body = writer.body(&item, &stmts);
        module.kernel.vars = writer.vars;
        module.kernel.body = Body::Stmts(body);
    }
    Ok(coarsening)
}

/// Returns the factor that saturates the memory; 1 if the item has no loads that can be issued first.
fn factor(Item { levels, early, late, loaded, stored, vars: _ }: &Item) -> u32 {
    let mut stmts = early.len() + levels.len();
    let mut has_loops = false;
    legality::each(late, &mut |stmt| {
        stmts += 1;
        has_loops |= matches!(stmt.kind, StmtKind::Loop { .. });
    });
    if *loaded == 0 || has_loops || stmts > MAX_STMTS {
        return 1;
    }
    BYTES_PER_THREAD.div_ceil(loaded + stored).next_power_of_two().min(MAX_FACTOR) as u32
}

/// Returns the names of the block index and of the extent of the grid along an axis.
fn names(axis: Axis) -> (&'static str, &'static str) {
    match axis {
        Axis::X => ("blockIdx.x", "gridDim.x"),
        Axis::Y => ("blockIdx.y", "gridDim.y"),
        Axis::Z => ("blockIdx.z", "gridDim.z"),
    }
}

/// The label at the end of an item.
const ITEM: &str = "item";

struct Writer {
    axis: Axis,
    factor: u32,
    /// The variables of the coarsened kernel.
    vars: Vec<Variable>,
}

impl Writer {
    fn variable(&mut self, hint: &str, constant: bool) -> VarId {
        self.vars.push(Variable {
            hint: hint.to_owned(),
            origin: NameOrigin::Compiler,
            ty: CType::Scalar(Scalar::U32),
            constant,
            stable: true,
        });
        VarId(self.vars.len() as u32 - 1)
    }

    /// Returns the body of the coarsened kernel.
    fn body(&mut self, item: &Item, stmts: &[Stmt]) -> Vec<Stmt> {
        let number = |value: u32| Expr::int(Scalar::U32, value.into());
        let blocks = Expr::Special(VIRTUAL_BLOCKS);
        let first = self.variable("first", true);
        let labels = label_count(stmts);
        let init = Expr::binary(Operator::Mul, Expr::Special(names(self.axis).0), number(self.factor));
        let mut body = vec![declare(first, init)];
        // Without such loads, the items gain nothing from being interleaved.
        if !item.levels.is_empty() || !item.early.is_empty() {
            let copies: Vec<Copy> = (0..self.factor).map(|k| self.copy(item, first, k, labels)).collect();
            let end = Expr::binary(Operator::Add, Expr::Var(first), number(self.factor));
            let condition = Expr::binary(Operator::Le, end, blocks.clone());
            let then = interleaved(item, &item.levels, &copies);
            body.push(unnumbered(StmtKind::If { condition, then, otherwise: Vec::new() }));
        }
        let counter = self.variable("number", false);
        let block = self.variable("block", true);
        let copy = Copy {
            vars: LiteMap::new(),
            axis: self.axis,
            block: Expr::Var(block),
            labels: 0,
            end: Label { name: ITEM, number: labels },
        };
        let condition = Expr::binary(Operator::Lt, Expr::Var(block), blocks);
        let index = Expr::binary(Operator::Add, Expr::Var(first), Expr::Var(counter));
        let one = StmtKind::If { condition, then: copy.item(stmts), otherwise: Vec::new() };
        let header = Header::For {
            var: counter,
            init: number(0),
            test: Expr::binary(Operator::Lt, Expr::Var(counter), number(self.factor)),
            next: Next::Increment,
        };
        body.push(unnumbered(StmtKind::Loop {
            header,
            body: vec![declare(block, index), unnumbered(one)],
            next: None,
            end: None,
            unroll: Unroll::By(1),
        }));
        body
    }

    /// Returns the replacements in item `k` of a thread, with variables and labels of its own.
    fn copy(&mut self, Item { levels, early, late, .. }: &Item, first: VarId, k: u32, labels: u32) -> Copy {
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
        let block = match k {
            0 => Expr::Var(first),
            k => Expr::binary(Operator::Add, Expr::Var(first), Expr::int(Scalar::U32, k.into())),
        };
        // Those of the items one after another are numbered from 0.
        let offset = (k + 1) * (labels + 1);
        let end = Label { name: ITEM, number: offset + labels };
        Copy { vars, axis: self.axis, block, labels: offset, end }
    }
}

/// Returns the items of a thread under the rest of their guards: statement by statement as long as they have no side effects,
/// then one after another.
fn interleaved(item: &Item, levels: &[Level], copies: &[Copy]) -> Vec<Stmt> {
    let each = |stmts: &[Stmt]| -> Vec<Stmt> {
        stmts.iter().flat_map(|stmt| copies.iter().map(|copy| copy.stmt(stmt))).collect()
    };
    if let Some((Level { prefix, guard }, inner)) = levels.split_first() {
        let guards = copies.iter().map(|copy| copy.renamed(guard));
        let mut stmts = each(prefix);
        if let Some(condition) = guards.reduce(|all, next| Expr::binary(Operator::Both, all, next)) {
            let then = interleaved(item, inner, copies);
            stmts.push(unnumbered(StmtKind::If { condition, then, otherwise: Vec::new() }));
        }
        return stmts;
    }
    let mut stmts = each(&item.early);
    stmts.extend(copies.iter().flat_map(|copy| copy.item(&item.late)));
    stmts.push(unnumbered(StmtKind::Return(None)));
    stmts
}

fn declare(var: VarId, init: Expr) -> Stmt {
    unnumbered(StmtKind::Declare { var, init: Some(init) })
}

/// Returns a statement without a line in the user's source.
fn unnumbered(kind: StmtKind) -> Stmt {
    Stmt { line: 0, kind }
}

/// The replacements in one copy of an item.
struct Copy {
    vars: LiteMap<u32, VarId>,
    axis: Axis,
    /// The logical block index.
    block: Expr,
    /// The offset of the labels' numbers.
    labels: u32,
    /// The label at its end.
    end: Label,
}

impl Copy {
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
        match expr {
            Expr::Var(var) => *var = self.var(*var),
            Expr::Special(name) if *name == block => *expr = self.block.clone(),
            Expr::Special(name) if *name == grid => *expr = Expr::Special(VIRTUAL_BLOCKS),
            // They do not occur in a legal program, and are the only other expressions with variables.
            Expr::Call(CallTarget::Load { .. } | CallTarget::Inside { .. }, _) => {}
            _ => expr.for_each_child_mut(&mut |child| self.rename(child)),
        }
    }
}
