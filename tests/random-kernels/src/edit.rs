//! The edits that reduce a failing program: each removes or simplifies one part.

use std::collections::HashMap;

use crate::print;
use crate::tree::{Block, Child, Expr, ExprKind, Function, Program, StmtKind};
use crate::types::Type;

/// A change that makes a program smaller and keeps it well typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A change of one expression or block.
    Node {
        /// The preorder number of the expression or block.
        at: usize,
        /// The change made to it.
        change: Change,
    },
    /// Removes the device function with this index.
    Function(usize),
    /// Removes the item with this index.
    Item(usize),
    /// Removes the parameter of the kernel with this index.
    Param(usize),
    /// Launches one block of one thread.
    OneThread,
    /// Keeps only the launch with this index.
    OneLaunch(usize),
}

/// A change of one expression or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Removes a half-open range of statements.
    Statements(usize, usize),
    /// Replaces the expression by the simplest value of its type.
    Simplest,
    /// Replaces the expression by its child with this index.
    Part(usize),
    /// Replaces an `if` statement by its branch with this index.
    Branch(usize),
}

/// Returns the size of a program: the number of its expressions, blocks, functions, items and parameters.
pub fn size(program: &Program) -> usize {
    let mut program = program.clone();
    let mut nodes = 0;
    for function in program.functions_mut() {
        visit_block(&mut function.body, &mut 0, &mut |_, _| {
            nodes += 1;
            false
        });
    }
    nodes + program.functions.len() + program.items.len() + program.kernel.params.len()
}

/// Returns every edit of a program.
pub fn edits(program: &Program) -> Vec<Edit> {
    let mut program = program.clone();
    let mut edits = Vec::new();
    let text = print::file(&[(String::from("all"), program.clone())]);
    let words =
        |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| *word == name).count();
    for (number, function) in program.functions.iter().enumerate() {
        if words(&function.name) == 1 {
            edits.push(Edit::Function(number));
        }
    }
    for (number, item) in program.items.iter().enumerate() {
        let name = item.strip_prefix("pub const ").and_then(|rest| rest.split(':').next());
        if name.is_some_and(|name| words(name) == 1) {
            edits.push(Edit::Item(number));
        }
    }
    if (program.launch.blocks, program.launch.threads) != (1, 1) {
        edits.push(Edit::OneThread);
    }
    let launches = program.launch.values.first().map_or(1, |(_, values)| values.len());
    if launches > 1 {
        edits.extend((0..launches).map(Edit::OneLaunch));
    }
    let used = names(&mut program.kernel);
    for (number, (name, _)) in program.kernel.params.iter().enumerate() {
        if !used.contains_key(name.trim_start_matches("mut ")) {
            edits.push(Edit::Param(number));
        }
    }
    let mut at = 0;
    for function in program.functions_mut() {
        let used = names(function);
        visit_block(&mut function.body, &mut at, &mut |at, node| {
            let changes = match node {
                Child::Block(block) => of_block(block, &used),
                Child::Expr(expr) => of_expr(expr),
            };
            edits.extend(changes.into_iter().map(|change| Edit::Node { at, change }));
            false
        });
    }
    edits
}

/// Returns the number of uses of each name in a function.
fn names(function: &mut Function) -> HashMap<String, usize> {
    let mut used = HashMap::new();
    visit_block(&mut function.body, &mut 0, &mut |_, node| {
        if let Child::Expr(Expr { kind: ExprKind::Name(name), .. }) = node {
            *used.entry(name.clone()).or_insert(0) += 1;
        }
        false
    });
    used
}

fn of_block(block: &Block, used: &HashMap<String, usize>) -> Vec<Change> {
    let removable: Vec<bool> = block
        .stmts
        .iter()
        .map(|stmt| match &stmt.kind {
            StmtKind::Let { names, .. } => names.iter().all(|name| !used.contains_key(name)),
            StmtKind::Const { name, .. } => !used.contains_key(name),
            StmtKind::Expr(_) => !stmt.pinned,
        })
        .collect();
    let mut changes = Vec::new();
    let len = block.stmts.len();
    for width in [len, len / 2, len / 4] {
        if width > 1 {
            let ranges = (0..len).step_by(width).map(|from| (from, (from + width).min(len)));
            changes.extend(
                ranges
                    .filter(|&(from, to)| removable[from..to].iter().all(|removable| *removable))
                    .map(|(from, to)| Change::Statements(from, to)),
            );
        }
    }
    changes.extend((0..len).filter(|&at| removable[at]).map(|at| Change::Statements(at, at + 1)));
    changes
}

fn of_expr(expr: &mut Expr) -> Vec<Change> {
    if expr.pinned {
        return vec![];
    }
    let mut changes = Vec::new();
    if let ExprKind::If { otherwise, .. } = &expr.kind
        && expr.ty == Type::Unit
    {
        changes.push(Change::Branch(0));
        changes.extend(otherwise.iter().map(|_| Change::Branch(1)));
    }
    if expr.ty == Type::Unit {
        return changes;
    }
    let mut simplest = Expr::simplest(&expr.ty);
    if simplest.as_mut().is_some_and(|simplest| size_of(simplest) > size_of(expr)) {
        simplest = None;
    }
    let is_simple = match (&simplest, &expr.kind) {
        (None, _) | (_, ExprKind::Name(_)) => true,
        (Some(Expr { kind: ExprKind::Literal(simplest), .. }), ExprKind::Literal(text)) => text == simplest,
        _ => matches!(expr.kind, ExprKind::Array(_) | ExprKind::Repeat(..)) && size_of(expr) < 3,
    };
    let (ty, scalar) = (expr.ty.clone(), expr.ty.is_scalar() || matches!(expr.ty, Type::Tuple(_) | Type::Struct(_)));
    if !scalar {
        return changes;
    }
    // Children of the same type that use no binding of the expression.
    let declares = matches!(
        expr.kind,
        ExprKind::Block(_)
            | ExprKind::Loop { .. }
            | ExprKind::Labelled(..)
            | ExprKind::Match { .. }
            | ExprKind::If { .. }
    );
    let mut parts = Vec::new();
    // The base of a place has another type than the one recorded for it.
    let base = usize::from(matches!(
        expr.kind,
        ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Unary("*", _) | ExprKind::Borrow(..)
    ));
    for (number, child) in expr.children().into_iter().enumerate().skip(base) {
        let fits = match child {
            Child::Expr(part) => !declares && part.ty == ty,
            Child::Block(Block { stmts, value }) => {
                stmts.is_empty() && value.as_ref().is_some_and(|value| value.ty == ty)
            }
        };
        if fits {
            parts.push(Change::Part(number));
        }
    }
    if !is_simple {
        changes.push(Change::Simplest);
    }
    changes.extend(parts);
    changes
}

fn size_of(expr: &mut Expr) -> usize {
    let mut nodes = 0;
    visit_expr(expr, &mut 0, &mut |_, _| {
        nodes += 1;
        false
    });
    nodes
}

/// Applies edits of this program.
pub fn apply(program: &Program, edits: &[Edit]) -> Program {
    let mut changed = program.clone();
    // In reverse order, so that the numbers of earlier nodes stay valid.
    let mut inner: Vec<(usize, Change)> = edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::Node { at, change } => Some((*at, *change)),
            _ => None,
        })
        .collect();
    inner.sort_by_key(|(at, change)| (*at, first_statement(*change)));
    for (at, change) in inner.into_iter().rev() {
        let mut number = 0;
        for function in changed.functions_mut() {
            let done = visit_block(&mut function.body, &mut number, &mut |found, node| {
                if found == at {
                    change_node(change, node);
                }
                found == at
            });
            if done {
                break;
            }
        }
    }
    let mut left_out: Vec<usize> =
        edits.iter().filter_map(|edit| if let Edit::Param(at) = edit { Some(*at) } else { None }).collect();
    left_out.sort_unstable();
    for at in left_out.into_iter().rev() {
        let (name, _) = changed.kernel.params.remove(at);
        let name = name.trim_start_matches("mut ");
        changed.launch.arrays.retain(|array| array.name != name);
        changed.launch.values.retain(|(value, _)| value != name);
    }
    let keep = |of: fn(usize) -> Edit| move |at: usize| !edits.contains(&of(at));
    retain(&mut changed.functions, keep(Edit::Function));
    retain(&mut changed.items, keep(Edit::Item));
    for edit in edits {
        match edit {
            Edit::OneThread => {
                shrink_arrays(&mut changed);
                (changed.launch.blocks, changed.launch.threads) = (1, 1);
            }
            Edit::OneLaunch(at) => {
                for (_, values) in &mut changed.launch.values {
                    if let Some(value) = values.get(*at).cloned() {
                        *values = vec![value];
                    }
                }
            }
            Edit::Node { .. } | Edit::Function(_) | Edit::Item(_) | Edit::Param(_) => {}
        }
    }
    changed
}

fn first_statement(change: Change) -> usize {
    if let Change::Statements(from, _) = change { from } else { 0 }
}

/// Returns a subset of the edits without conflicts: no two change the same node.
pub fn together(edits: &[Edit]) -> Vec<Edit> {
    let mut chosen: Vec<Edit> = Vec::new();
    for edit in edits {
        let conflicts = |other: &Edit| match (edit, other) {
            (
                Edit::Node { at, change: Change::Statements(from, to) },
                Edit::Node { at: other, change: Change::Statements(other_from, other_to) },
            ) => at == other && from < other_to && other_from < to,
            (Edit::Node { at, .. }, Edit::Node { at: other, .. }) => at == other,
            (Edit::OneLaunch(_), Edit::OneLaunch(_)) => true,
            _ => edit == other,
        };
        if !chosen.iter().any(conflicts) {
            chosen.push(*edit);
        }
    }
    chosen
}

fn retain<T>(of: &mut Vec<T>, keep: impl Fn(usize) -> bool) {
    let mut at = 0;
    of.retain(|_| {
        at += 1;
        keep(at - 1)
    });
}

/// Reduces the outputs, which have elements for each thread (`[0; 48]`), to those of one thread.
fn shrink_arrays(program: &mut Program) {
    let threads = program.launch.blocks * program.launch.threads;
    for array in program
        .launch
        .arrays
        .iter_mut()
        .filter(|array| array.written && !["sums", "tallies"].iter().any(|shared| array.name.starts_with(shared)))
    {
        if let Some((value, len)) = array.value.trim_end_matches(']').rsplit_once("; ")
            && let Ok(len) = len.parse::<usize>()
        {
            array.value = format!("{value}; {}]", len / threads);
        }
        if let Some(first) = array.shape.first_mut() {
            *first /= threads;
        }
    }
}

/// Changes a node.
fn change_node(change: Change, node: Child<'_>) {
    match (change, node) {
        (Change::Statements(from, to), Child::Block(block)) => {
            // Later statements may be gone already.
            let len = block.stmts.len();
            block.stmts.drain(from.min(len)..to.min(len));
        }
        (Change::Simplest, Child::Expr(expr)) => {
            if let Some(simplest) = Expr::simplest(&expr.ty) {
                *expr = simplest;
            }
        }
        (Change::Branch(number), Child::Expr(expr)) => {
            let kind = std::mem::replace(&mut expr.kind, ExprKind::Tuple(vec![]));
            expr.kind = match kind {
                ExprKind::If { then, otherwise, .. } => {
                    ExprKind::Block(if number == 0 { then } else { otherwise.unwrap_or_default() })
                }
                other => other,
            };
        }
        (Change::Part(number), Child::Expr(expr)) => {
            let part = match expr.children().into_iter().nth(number) {
                Some(Child::Expr(part)) => Some(part.clone()),
                Some(Child::Block(block)) => block.value.as_deref().cloned(),
                None => None,
            };
            if let Some(part) = part
                && part.ty == expr.ty
            {
                *expr = part;
            }
        }
        (_, Child::Block(_) | Child::Expr(_)) => {}
    }
}

/// Visits the nodes of a block in preorder, with their numbers, until `visit` returns true.
fn visit_block(block: &mut Block, at: &mut usize, visit: &mut dyn FnMut(usize, Child<'_>) -> bool) -> bool {
    let number = *at;
    *at += 1;
    visit(number, Child::Block(block)) || block.children().into_iter().any(|expr| visit_expr(expr, at, visit))
}

fn visit_expr(expr: &mut Expr, at: &mut usize, visit: &mut dyn FnMut(usize, Child<'_>) -> bool) -> bool {
    let number = *at;
    *at += 1;
    visit(number, Child::Expr(expr))
        || expr.children().into_iter().any(|child| match child {
            Child::Expr(expr) => visit_expr(expr, at, visit),
            Child::Block(block) => visit_block(block, at, visit),
        })
}
