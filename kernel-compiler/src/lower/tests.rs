//! Tests of the verifier on trees that the lowering does not produce.

use super::passes::verify::uninitialised;
use super::{
    CType, Case, Expr, Header, Label, NameOrigin, Next, Op, Operator, Prefix, Stmt, StmtKind, VarId, Variable,
};
use crate::ir::{Scalar, Unroll};

const P: VarId = VarId(0);
const X: VarId = VarId(1);
const FLAG: VarId = VarId(2);

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { line: 1, kind }
}

fn number(value: u64) -> Expr {
    Expr::int(Scalar::I32, value)
}

fn declare(var: VarId) -> Stmt {
    stmt(StmtKind::Declare { var, init: None })
}

fn set(var: VarId, value: Expr) -> Stmt {
    stmt(StmtKind::Assign { place: Expr::Var(var), value })
}

fn read(var: VarId) -> Stmt {
    stmt(StmtKind::Expr(Expr::Var(var)))
}

fn branch(condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If { condition, then, otherwise })
}

fn forever(body: Vec<Stmt>, next: Option<Label>, end: Option<Label>) -> Stmt {
    stmt(StmtKind::Loop { header: Header::open(None, Op::Progress), body, next, end, unroll: Unroll::Undecided })
}

fn counted(body: Vec<Stmt>) -> Stmt {
    let (var, init) = (VarId(3), number(0));
    let test = Expr::binary(Operator::Lt, Expr::Var(var), number(3));
    let header = Header::For { var, init, test, next: Next::Increment };
    stmt(StmtKind::Loop { header, body, next: None, end: None, unroll: Unroll::Undecided })
}

fn p() -> Expr {
    Expr::Var(P)
}

fn label(number: u32) -> Label {
    Label { name: "end", number }
}

/// Checks which variables are reported as uninitialised reads, where `p` is a parameter.
#[track_caller]
fn check(body: &[Stmt], expected: &[VarId]) {
    let var = |hint: &str, ty| Variable {
        hint: hint.to_owned(),
        origin: NameOrigin::Compiler,
        ty,
        constant: false,
        stable: false,
    };
    let vars = [
        var("p", CType::BOOL),
        var("x", CType::Scalar(Scalar::I32)),
        var("flag", CType::BOOL),
        var("i", CType::Scalar(Scalar::I32)),
    ];
    assert_eq!(uninitialised(&[P], &vars, body), expected);
}

#[test]
fn straight_lines() {
    check(&[declare(X), set(X, number(1)), read(X)], &[]);
    check(&[declare(X), read(X), set(X, number(1))], &[X]);
    check(&[declare(X), set(X, Expr::Var(X))], &[X]);
    check(&[read(P)], &[]);
}

#[test]
fn branches() {
    let both = |last| vec![declare(X), branch(p(), vec![set(X, number(1))], last), read(X)];
    check(&both(vec![set(X, number(2))]), &[]);
    check(&both(vec![]), &[X]);
    check(&both(vec![stmt(StmtKind::Return(None))]), &[]);
    let switch = |otherwise| {
        let case = Case { values: vec![number(1)], body: vec![set(X, number(1))] };
        vec![declare(X), stmt(StmtKind::Switch { on: number(1), cases: vec![case], otherwise }), read(X)]
    };
    check(&switch(vec![set(X, number(2))]), &[]);
    check(&switch(vec![]), &[X]);
}

#[test]
fn loops() {
    check(&[declare(X), counted(vec![set(X, number(1))]), read(X)], &[X]);
    check(&[counted(vec![declare(X), set(X, number(1)), read(X)])], &[]);
    // Each execution of the declaration creates a new variable.
    check(&[counted(vec![declare(X), branch(p(), vec![read(X)], vec![]), set(X, number(1))])], &[X]);
    // An iteration may read a variable that the previous one did not assign.
    check(&[declare(X), counted(vec![branch(p(), vec![read(X)], vec![]), set(X, number(1))])], &[X]);
    let found = |left| vec![declare(X), forever(vec![branch(p(), left, vec![])], None, None), read(X)];
    check(&found(vec![set(X, number(1)), stmt(StmtKind::Break)]), &[]);
    check(&found(vec![stmt(StmtKind::Break)]), &[X]);
}

#[test]
fn jumps() {
    let block = |assigned: bool| {
        let mut taken = if assigned { vec![set(X, number(1))] } else { vec![] };
        taken.push(stmt(StmtKind::Goto(label(1))));
        let body = vec![branch(p(), taken, vec![]), set(X, number(2))];
        vec![declare(X), stmt(StmtKind::Block { body, end: label(1) }), read(X)]
    };
    check(&block(true), &[]);
    check(&block(false), &[X]);
    // A jump from an inner loop to the end of the outer one.
    let inner = |jump| forever(vec![branch(p(), vec![jump], vec![]), set(X, number(1))], None, None);
    let jump = || stmt(StmtKind::Goto(label(2)));
    check(&[declare(X), forever(vec![inner(jump())], None, Some(label(2))), read(X)], &[X]);
    check(&[declare(X), set(X, number(0)), forever(vec![inner(jump())], None, Some(label(2))), read(X)], &[]);
}

#[test]
fn flags_imply_initialisation() {
    let flag = || Expr::Var(FLAG);
    let conditional = |holds: Expr, condition: Expr| {
        vec![
            declare(X),
            stmt(StmtKind::Declare { var: FLAG, init: Some(p()) }),
            branch(flag(), vec![set(X, number(1)), set(FLAG, holds)], vec![]),
            branch(condition, vec![read(X)], vec![]),
        ]
    };
    check(&conditional(number(3), flag()), &[]);
    check(&conditional(number(3), Expr::unary(Prefix::Not, flag())), &[X]);
    check(&conditional(number(3), Expr::binary(Operator::Both, p(), flag())), &[]);
    check(&conditional(number(3), Expr::binary(Operator::Either, p(), flag())), &[X]);
    // A flag does not apply to a variable that is declared again.
    let mut again = conditional(number(3), flag());
    again.insert(3, declare(X));
    check(&again, &[X]);
    // Nor does it apply after it is assigned another value.
    let mut assigned = conditional(number(3), flag());
    assigned.insert(3, set(FLAG, p()));
    check(&assigned, &[X]);
}

#[test]
fn short_circuited_operands() {
    let value = |condition| {
        let read = Expr::binary(Operator::Both, condition, Expr::binary(Operator::Eq, Expr::Var(X), number(1)));
        vec![
            declare(X),
            stmt(StmtKind::Declare { var: FLAG, init: Some(Expr::Literal(Scalar::Bool, 0)) }),
            branch(p(), vec![set(X, number(1)), set(FLAG, Expr::Literal(Scalar::Bool, 1))], vec![]),
            stmt(StmtKind::Expr(read)),
        ]
    };
    check(&value(Expr::Var(FLAG)), &[]);
    check(&value(Expr::binary(Operator::Lt, number(1), number(2))), &[X]);
    // The `bool` variable itself implies it, too.
    check(&value(p()), &[]);
}
