//! Deferred initialisation: `let x;`, and assignments that precede every use.
//!
//! Treating such a variable as a constant is wrong in two places: at the join of paths that assign different values,
//! and in a loop that assigns it and is left in the same iteration, before which it is uninitialised.

use super::loops::count;
use super::scope::{Bound, Kind, Path, Permission, Step};
use super::{Generator, MAX_LEN, MIN_LEN};
use crate::tree::{Block, Expr, ExprKind, Head, Stmt, StmtKind};
use crate::types::{Range, Type};

/// The maximum nesting depth of the statements that assign a variable.
const MAX_DEPTH: u32 = 3;

/// A variable with a deferred initialisation.
struct Deferred {
    name: String,
    held: Content,
    mutable: bool,
    /// The union of the ranges of the assigned values.
    range: Option<Range>,
    /// Whether the declaration needs a type, since no assigned value determines it.
    annotated: bool,
}

/// The content of a deferred variable.
enum Content {
    Value(Type),
    /// A `usize` below the shortest length, or any `usize` if a fault is permitted: an index.
    Index {
        risky: bool,
    },
    /// A slice or sub-slice of one of these arrays: the names and the minimum lengths.
    Slice {
        element: Type,
        sources: Vec<(String, usize)>,
    },
    /// A shared reference to the target of this access path.
    Ref(Path),
}

/// Statements that assign a variable on every path through them.
#[derive(Clone, Copy)]
enum Form {
    Assign,
    If,
    /// `if c { return; } else { x = 1; }`
    Diverge,
    Match,
    Block,
    /// `loop { if c { continue; } x = 1; break; }`
    Loop,
    /// `'found: { for .. { if c { x = 1; break 'found; } } x = 2; }`
    Search,
}

impl Generator<'_> {
    /// Generates a deferred variable and its assignments.
    pub(super) fn let_deferred(&mut self, out: &mut Vec<Stmt>) {
        if self.random.percent(45) {
            return self.assign_in_a_loop(out);
        }
        let mut later = self.later(false);
        let mut stmts = Vec::new();
        self.assign_on_all_paths(&mut later, MAX_DEPTH, &mut stmts);
        out.push(declaration(&later));
        out.append(&mut stmts);
        self.declare_deferred(&later);
    }

    /// Generates `let x; for .. { .. if c { x = 1; y[x] = 2; break; } .. }`: uninitialised before and after the loop.
    fn assign_in_a_loop(&mut self, out: &mut Vec<Stmt>) {
        let turns = self.random.within(2, 5) as u64;
        if !self.affords(12 * turns * turns) {
            return self.assign(2, out);
        }
        if self.random.percent(60) {
            // The declaration itself is in a loop, so that each iteration has its own variable.
            return self.for_stmt_with(turns, out, |generator| {
                let mut stmts = Vec::new();
                generator.assign_in_this_loop(turns, &mut stmts);
                generator.stmts(2, &mut stmts);
                stmts
            });
        }
        self.assign_in_this_loop(turns, out);
    }

    fn assign_in_this_loop(&mut self, turns: u64, out: &mut Vec<Stmt>) {
        let mutable = self.random.percent(25);
        let mut later = self.later(mutable);
        let mut stmts = Vec::new();
        if self.random.percent(65) {
            self.plain_for(turns, &mut stmts, |generator| generator.assign_and_leave(&mut later, true));
        } else {
            self.for_stmt_with(turns, &mut stmts, |generator| generator.assign_and_leave(&mut later, false));
        }
        out.push(declaration(&later));
        out.append(&mut stmts);
    }

    /// Generates the body of a loop that assigns a variable of the enclosing scope, uses it, and leaves; it may
    /// continue if the variable is mutable. A plain body has no loops, so that its bounds checks may be hoisted out of
    /// the loop.
    fn assign_and_leave(&mut self, later: &mut Deferred, plain: bool) -> Vec<Stmt> {
        let beside = |generator: &mut Self, out: &mut Vec<Stmt>| {
            if plain { generator.assign(2, out) } else { generator.stmts(2, out) }
        };
        let mut stmts = Vec::new();
        if self.random.percent(35) {
            beside(self, &mut stmts);
        }
        let leaves = !later.mutable || self.random.percent(40);
        let condition = (leaves || self.random.percent(50)).then(|| self.condition(2));
        let open = self.scope.open();
        let mut inner = Vec::new();
        self.assign_deferred(later, &mut inner);
        self.declare_deferred(later);
        // After a `continue`, the next iteration would assign an immutable variable a second time.
        self.heads += 1;
        for _ in 0..=self.random.below(2) {
            self.use_deferred(later, &mut inner);
        }
        if self.random.percent(50) {
            beside(self, &mut inner);
        }
        self.heads -= 1;
        self.scope.close(open);
        if leaves {
            inner.push(Stmt::expr(Expr::jump("break", None, None).pinned()).pinned());
        }
        match condition {
            None => stmts.append(&mut inner),
            Some(condition) => {
                let then = Block { stmts: inner, value: None };
                let choice = ExprKind::If { condition: Box::new(condition), then, otherwise: None };
                stmts.push(Stmt::expr(Expr::unit(choice).pinned()).pinned());
            }
        }
        if self.random.percent(35) {
            beside(self, &mut stmts);
        }
        stmts
    }

    /// Chooses a deferred variable.
    fn later(&mut self, mutable: bool) -> Deferred {
        let held = match self.random.below(20) {
            0..7 => Content::Index { risky: self.risky() },
            7..9 => self.slice_content().unwrap_or(Content::Index { risky: false }),
            9..11 => self.borrowed_content().unwrap_or(Content::Index { risky: false }),
            _ => Content::Value(self.value_type()),
        };
        if let Content::Ref(path) = &held {
            self.reserved.push(path.name.clone());
        }
        let annotated = self.random.percent(40);
        Deferred { name: self.fresh("later"), held, mutable, range: None, annotated }
    }

    fn slice_content(&mut self) -> Option<Content> {
        let mut found: Vec<(String, Type, usize)> = Vec::new();
        for binding in self.scope.visible() {
            if let Kind::Slice { element, writable: false, bound: Bound::Length { least, .. } } = &binding.kind
                && *least >= MIN_LEN
            {
                found.push((binding.name.clone(), element.clone(), *least));
            }
        }
        if found.is_empty() {
            return None;
        }
        let element = self.random.pick(&found).1.clone();
        let sources = found.into_iter().filter(|(_, of, _)| *of == element);
        Some(Content::Slice { sources: sources.map(|(name, _, least)| (name, least)).collect(), element })
    }

    /// Returns the paths that no statement writes: no shared memory, which other threads write after the next barrier,
    /// and no counter.
    fn borrowed_content(&mut self) -> Option<Content> {
        let mut paths = self.scope.paths(Type::is_in_memory);
        let changes = |path: &Path| path.name.starts_with("turns") || path.name.starts_with("shared_");
        paths.retain(|path| path.access == Permission::Read && !changes(path));
        (!paths.is_empty()).then(|| Content::Ref(self.random.pick(&paths).clone()))
    }

    /// Generates `x = value;`.
    fn assign_deferred(&mut self, later: &mut Deferred, out: &mut Vec<Stmt>) {
        let value = match &later.held {
            Content::Value(ty) => {
                let value = self.value(ty, 2);
                later.annotated |= value.is_literal();
                value
            }
            Content::Index { risky } => {
                let value = self.value(&Type::USIZE, 2);
                let inside = Range::new(0, MIN_LEN as i128 - 1);
                later.annotated |= value.is_literal();
                if *risky { value } else { self.pinned_narrow(value, inside) }
            }
            Content::Slice { element, sources } => {
                let (name, least) = self.random.pick(sources).clone();
                let slice = Expr::name(&name, Type::Slice(Box::new(element.clone()), false), Range::NONE);
                if self.random.percent(60) { self.part(slice, least, false) } else { slice.pinned() }
            }
            Content::Ref(path) => {
                let path = path.clone();
                let by_ref = Type::Ref(Box::new(path.ty.clone()), false);
                let place = self.follow(&path, 1).pinned();
                Expr::any(by_ref, ExprKind::Borrow(false, Box::new(place)))
            }
        };
        later.range = Some(later.range.map_or(value.range, |range| range.or(value.range)));
        let place = Expr::name(&later.name, value.ty.clone(), Range::NONE);
        out.push(Stmt::expr(Expr::assign("=", place, value).pinned()).pinned());
    }

    /// Brings a variable into scope once it is initialised.
    fn declare_deferred(&mut self, later: &Deferred) {
        let range = later.range.unwrap_or(Range::NONE);
        let kind = match &later.held {
            Content::Value(ty) if later.mutable => {
                Kind::Value { ty: ty.clone(), range: ty.range(), access: Permission::Write }
            }
            Content::Value(ty) => Kind::Value { ty: ty.clone(), range, access: Permission::Read },
            Content::Index { risky: true } => Kind::Value { ty: Type::USIZE, range, access: Permission::Read },
            // Only its assignments change it, and those are pinned.
            Content::Index { risky: false } => Kind::Value { ty: Type::USIZE, range, access: Permission::Count },
            Content::Slice { element, .. } => {
                let bound = Bound::Length { least: MIN_LEN, most: MAX_LEN };
                Kind::Slice { element: element.clone(), writable: false, bound }
            }
            Content::Ref(path) => Kind::Ref { ty: path.ty.clone(), writable: false },
        };
        self.scope.push(&later.name, kind);
    }

    /// Reads an element at the index that the variable holds, or of the slice that it is.
    fn use_deferred(&mut self, later: &Deferred, out: &mut Vec<Stmt>) {
        let paths = self.scope.paths(Type::is_scalar);
        let fits = |path: &Path| match &later.held {
            Content::Slice { .. } => path.name == later.name,
            _ => matches!(path.steps.as_slice(), [Step::Slice(Bound::Length { .. } | Bound::Own { .. })]),
        };
        let fitting: Vec<Path> = paths.into_iter().filter(fits).collect();
        if fitting.is_empty() {
            return;
        }
        let path = self.random.pick(&fitting).clone();
        let value = match (&later.held, &path.steps[..]) {
            (Content::Index { risky }, [Step::Slice(bound)]) => {
                let at = Expr::name(&later.name, Type::USIZE, later.range.unwrap_or(Range::NONE));
                self.element_at(&path, bound, at, *risky)
            }
            _ => self.follow(&path, 2),
        };
        if let Some(stmt) = self.absorb(value) {
            out.push(stmt);
        }
    }

    /// Generates statements that assign a variable on every path.
    fn assign_on_all_paths(&mut self, later: &mut Deferred, depth: u32, out: &mut Vec<Stmt>) {
        if self.random.percent(25) {
            self.stmt(out);
        }
        let cheap = self.affords(60);
        let form = match depth {
            0 => Form::Assign,
            MAX_DEPTH => self.random.weighted(&[
                (40, Form::If),
                (10, Form::Diverge),
                (15, Form::Match),
                (5, Form::Block),
                (15, Form::Loop),
                (15, Form::Search),
            ]),
            _ => self.random.weighted(&[
                (60, Form::Assign),
                (20, Form::If),
                (6, Form::Diverge),
                (8, Form::Match),
                (6, Form::Block),
                (5, Form::Loop),
                (5, Form::Search),
            ]),
        };
        let below = depth.saturating_sub(1);
        match form {
            Form::Assign => self.assign_deferred(later, out),
            Form::Loop if cheap => self.assign_in_one_turn(later, below, out),
            Form::Search if cheap => self.assign_by_search(later, below, out),
            Form::Match => {
                let (scrutinee, arms) = self.arms(|generator| {
                    generator.block_of(|generator, out| generator.assign_on_all_paths(later, below, out))
                });
                let choice = ExprKind::Match { scrutinee: Box::new(scrutinee), arms };
                out.push(Stmt::expr(Expr::unit(choice).pinned()).pinned());
            }
            Form::Block => {
                let block = self.block_of(|generator, out| {
                    generator.assign_on_all_paths(later, below, out);
                    generator.declare_deferred(later);
                    generator.stmts(2, out);
                });
                out.push(Stmt::expr(Expr::unit(ExprKind::Block(block)).pinned()).pinned());
            }
            Form::If | Form::Diverge | Form::Loop | Form::Search => {
                let condition = self.condition(2);
                let jump = if matches!(form, Form::Diverge) { self.jump() } else { None };
                let then = match jump {
                    Some(jump) => Block { stmts: vec![Stmt::expr(jump)], value: None },
                    None => self.block_of(|generator, out| generator.assign_on_all_paths(later, below, out)),
                };
                let otherwise = Some(self.block_of(|generator, out| generator.assign_on_all_paths(later, below, out)));
                let choice = ExprKind::If { condition: Box::new(condition), then, otherwise };
                out.push(Stmt::expr(Expr::unit(choice).pinned()).pinned());
            }
        }
    }

    /// Generates `loop { if c { continue; } .. x = 1; break; }`.
    fn assign_in_one_turn(&mut self, later: &mut Deferred, below: u32, out: &mut Vec<Stmt>) {
        let most = self.random.within(1, 4) as u64;
        let open = self.scope.open();
        let (turns, start) = self.counter(most);
        out.push(start);
        self.turns *= most;
        self.heads += 1;
        let mut body = vec![count(&turns)];
        if self.random.percent(70) {
            let name = Expr::name(&turns, Type::U32, Range::NONE).pinned();
            let limit = Expr::int(Type::U32, i128::from(most)).pinned();
            let early = Expr::binary(Type::Bool, Range::NONE, "<", name, limit).pinned();
            let wish = self.value(&Type::Bool, 2);
            let condition = Expr::binary(Type::Bool, Range::NONE, "&&", early, wish).pinned();
            let again = Block { stmts: vec![Stmt::expr(Expr::jump("continue", None, None))], value: None };
            let again = ExprKind::If { condition: Box::new(condition), then: again, otherwise: None };
            body.push(Stmt::expr(Expr::unit(again)));
        }
        self.assign_on_all_paths(later, below, &mut body);
        body.push(Stmt::expr(Expr::jump("break", None, None).pinned()).pinned());
        self.heads -= 1;
        self.turns /= most;
        self.scope.close(open);
        let body = Block { stmts: body, value: None };
        out.push(Stmt::expr(Expr::repeat(None, None, Head::Loop, body).pinned()).pinned());
    }

    /// Generates `'found: { for .. { if c { x = 1; break 'found; } } x = 2; }`.
    fn assign_by_search(&mut self, later: &mut Deferred, below: u32, out: &mut Vec<Stmt>) {
        let label = self.fresh("found");
        let turns = self.random.within(2, 5) as u64;
        let open = self.scope.open();
        self.heads += 1;
        let mut stmts = Vec::new();
        let leave = Expr::jump("break", Some(label.clone()), None);
        self.for_stmt_with(turns, &mut stmts, |generator| {
            let mut body = Vec::new();
            let condition = generator.condition(2);
            let mut then = generator.block_of(|generator, out| {
                generator.assign_deferred(later, out);
                generator.declare_deferred(later);
                generator.use_deferred(later, out);
            });
            then.stmts.push(Stmt::expr(leave.pinned()).pinned());
            let choice = ExprKind::If { condition: Box::new(condition), then, otherwise: None };
            body.push(Stmt::expr(Expr::unit(choice).pinned()).pinned());
            body
        });
        self.assign_on_all_paths(later, below, &mut stmts);
        self.heads -= 1;
        self.scope.close(open);
        let block = ExprKind::Labelled(label, Block { stmts, value: None });
        out.push(Stmt::expr(Expr::unit(block).pinned()).pinned());
    }

    /// Generates a block of the statements that `make` writes, with its own scope.
    pub(super) fn block_of(&mut self, make: impl FnOnce(&mut Self, &mut Vec<Stmt>)) -> Block {
        let open = self.scope.open();
        let mut stmts = Vec::new();
        make(self, &mut stmts);
        self.scope.close(open);
        Block { stmts, value: None }
    }
}

fn declaration(later: &Deferred) -> Stmt {
    let Deferred { name, held, mutable, range: _, annotated } = later;
    let ty = match held {
        Content::Value(ty) => ty.clone(),
        Content::Index { .. } => Type::USIZE,
        Content::Slice { element, .. } => Type::Slice(Box::new(element.clone()), false),
        Content::Ref(path) => Type::Ref(Box::new(path.ty.clone()), false),
    };
    let pattern = if *mutable { format!("mut {name}") } else { name.clone() };
    Stmt::new(StmtKind::Let { pattern, names: vec![name.clone()], ty: annotated.then_some(ty), value: None })
}
