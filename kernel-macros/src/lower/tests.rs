//! Tests of the lowering of whole bodies, and of the constructs that it rejects.

use cumbia_kernel_ir::{ExprKind, Function, Pattern, Sequence, Stmt};
use syn::{ItemFn, parse_quote};

use super::{Lowered, function};
use crate::report::Errors;
use crate::signature;

/// Lowers a function, or returns the message of each error.
fn lower(function: &ItemFn) -> Result<Lowered, Vec<String>> {
    let mut errors = Errors::default();
    let signature = signature::of_device_function(&function.sig, &mut errors);
    let lowered = self::function(&function.block, &signature, &mut errors);
    match errors.finish() {
        Ok(()) => Ok(lowered),
        Err(tokens) => {
            let text = tokens.to_string();
            let messages = text.split("compile_error").skip(1);
            Err(messages.map(|text| text.split('"').nth(1).unwrap_or_default().to_owned()).collect())
        }
    }
}

/// Lowers a valid function, and checks that the CPU body parses and refers to each slot.
#[track_caller]
fn check(function: &ItemFn) -> Function {
    let lowered = lower(function).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let cpu = &lowered.cpu;
    let text = cpu.to_string();
    if let Err(error) = syn::parse2::<syn::Block>(quote::quote!({ #cpu })) {
        panic!("{error}:\n{text}");
    }
    for slot in lowered.slots() {
        let used = text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| slot == word);
        assert!(used, "{slot} is never filled:\n{text}");
    }
    lowered.ir
}

/// Checks that a function has exactly these errors.
#[track_caller]
fn check_rejected(function: &ItemFn, expected: &[&str]) {
    let errors = lower(function).map(|_| ()).unwrap_err();
    assert_eq!(errors.len(), expected.len(), "{errors:#?}");
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.starts_with(expected), "{error}\nis not\n{expected}");
    }
}

/// The expression at the end of a function.
fn tail(function: &Function) -> &ExprKind {
    &function.expr(function.body.tail.expect("a tail")).kind
}

#[test]
fn places() {
    let function = check(&parse_quote! {
        fn f(x: &mut [Body], i: usize, p: &mut Body) -> f32 {
            let a = [1.0, 2.0];
            let mut grid = [[0u8; 4]; 4];
            grid[i][grid[0][0] as usize] = 3;
            x[i].position[1] = a[i];
            x[i].mass += p.mass;
            p.position[0] -= 2.0;
            *p = x[i];
            let r = &mut x[i].position;
            r[0] = r[1];
            (*r)[2] *= 2.0;
            let all: &[f32] = &*r;
            let some = &all[1..=i];
            some[0] + all.len() as f32 + x[..i].len() as f32
        }
    });
    assert!(matches!(tail(&function), ExprKind::Binary { .. }));
}

#[test]
fn references_to_values() {
    check(&parse_quote! {
        fn f(a: f32, b: f32) -> f32 {
            let r = &(a + b);
            let first = &[a, b][0..1];
            helper(&(a * b), &mut 3.0, r) + *r + r + first[0]
        }
    });
}

#[test]
fn statements() {
    let function = check(&parse_quote! {
        fn f(n: u32) -> u32 {
            const LIMIT: u32 = 7;
            type Number = u32;
            let x;
            let (mut a, b): (u32, Number);
            if n > LIMIT { x = 1; } else { x = 2; }
            a = x;
            b = a + 1;
            a += b;
            let Point { x, y: [y, _], .. } = p();
            let Pair(first, ..) = pair();
            (a, _) = (b, a);
            [_, a] = [x, y];
            Point { x: a, .. } = p();
            let 1..=3 = n else { return first };
            let ((0, kept) | (kept, 0)) = (n, a) else { panic!("{n}") };
            kept
        }
    });
    let lets = function.body.stmts.iter().filter(|stmt| matches!(stmt, Stmt::Let { .. })).count();
    assert_eq!(lets, 7);
}

#[test]
fn matches_and_conditions() {
    let function = check(&parse_quote! {
        fn f(kind: Kind, n: i32, p: Point, q: &Kind) -> i32 {
            let small = matches!(n, -3..=3 | 10 if n != 0);
            if let Kind::Leaf = kind && small && let Point { x: 0, y } = p { return y; }
            while let 1 | 2 = n { continue; }
            match *q { Kind::Leaf => {} _ => return 1 }
            match q { Kind::Leaf | Kind::Node => {} &_ => {} }
            match (n, kind) {
                (LIMIT.., Kind::Leaf) => 0,
                (i32::MIN..0, _) => 1,
                (m @ 1..=9, Kind::Node) if m > n => m,
                (0, k) | (1, k) => k as i32,
                (mut rest, _) => { rest += 1; rest }
            }
        }
    });
    let ExprKind::Match { arms, .. } = tail(&function) else { panic!("no match") };
    assert!(matches!(arms[2].pattern, Pattern::Tuple(ref parts) if matches!(parts[0], Pattern::At(..))));
}

#[test]
fn loops() {
    let function = check(&parse_quote! {
        fn f(x: &mut [f32], n: usize) -> f32 {
            let mut sum = 0.0;
            for i in (0..n).rev().step_by(2) { sum += x[i]; }
            for v in x.iter() { sum += v; }
            for (i, &v) in x.iter().enumerate() { sum += v * i as f32; }
            for v in x.iter_mut().rev() { *v = 0.0; }
            for &Point { x, y } in points().iter() { sum += x + y; }
            for v in [1.0, 2.0] { sum += v; }
            for v in &x[1..n] { sum += *v; }
            for v in &mut x[..] { *v += 1.0; }
            #[unroll(4)]
            'outer: for _ in 0..n {
                #[unroll]
                loop { break 'outer; }
            }
            let found = 'search: {
                for v in x { if *v > 1.0 { break 'search *v; } }
                0.0
            };
            sum + found + loop { break 1.0 }
        }
    });
    let element = |pattern: fn(&Sequence) -> bool| {
        function
            .exprs
            .iter()
            .filter(|expr| matches!(&expr.kind, ExprKind::For { sequence, .. } if pattern(sequence)))
            .count()
    };
    assert_eq!(element(|sequence| matches!(sequence, Sequence::Elements { .. })), 8);
    assert_eq!(element(|sequence| matches!(sequence, Sequence::Elements { reversed: true, .. })), 1);
}

#[test]
fn calls_and_operators() {
    check(&parse_quote! {
        fn f<T: Float>(z: Complex, x: &mut [Complex], c: &mut Counter, t: T) -> f32 {
            let w = Complex::new(1.0, -2.0) * z - -z;
            x[0].scale(2.0);
            x[0] += w;
            let a = [z; 4];
            a[2].norm();
            Counter::bump(&mut x[1].counter);
            Counter::bump(c);
            Complex::norm(&z);
            <Complex as Shape>::area(&x[2]);
            let p = Pair(1, Point { x: 1.0, ..Point::ZERO });
            let u = u64::from(3u32) + size_of::<Complex>() as u64;
            let v = f32::max(t.sqrt() as f32, x[0].re.abs()) + const { 3.0 };
            let (left, right) = x.split_at(2);
            x.clone();
            left[0].re + right.len() as f32 + v
        }
    });
}

#[test]
fn messages() {
    let function = check(&parse_quote! {
        fn f(x: &[f32], i: usize, flag: bool) {
            println!("{i}: {:>8.3} {0} {name:?}", x[i], name = flag);
            print!("braces {{}}");
            println!();
            assert!(i < x.len());
            assert!(flag, "thread {} of {n}", i, n = x.len());
            assert_eq!(x[i], 1.0);
            debug_assert_ne!(i, 3, "at {i}");
            for v in x.iter() { println!("{v}"); }
            match i { 0 => unreachable!("no {}", i), 1 => todo!(), _ => panic!() }
        }
    });
    let printed: Vec<_> = function
        .exprs
        .iter()
        .filter_map(|expr| if let ExprKind::Print(message) = &expr.kind { Some(message) } else { None })
        .collect();
    assert_eq!(printed[0].args.len(), 3);
    assert_eq!(printed[2].pieces.len(), 1);
}

#[test]
fn names() {
    check(&parse_quote! {
        fn f(cx: f32, s0: f32, value: &mut [f32], place: usize) -> f32 {
            let (operand, receiver, result, left, right) = (cx, s0, 1.0, 2.0, 3.0);
            value[place] += operand;
            (receiver, ) = (result,);
            let r#type = left;
            { const left: f32 = 1.0; value[0] = left; }
            assert_eq!(left, right);
            r#type
        }
    });
}

#[test]
#[allow(clippy::too_many_lines, reason = "a list")]
fn rejected_constructs() {
    check_rejected(
        &parse_quote!(
            fn f() {
                let double = |a: f32| 2.0 * a;
            }
        ),
        &["closures"],
    );
    check_rejected(
        &parse_quote!(
            fn f(x: &[f32]) {
                x[0] = 1.0;
            }
        ),
        &["cannot assign to an element of `x`"],
    );
    check_rejected(
        &parse_quote!(
            fn f(p: &Point) {
                p.x += 1.0;
            }
        ),
        &["cannot assign through `p`"],
    );
    check_rejected(
        &parse_quote!(
            fn f(x: &[f32]) -> f32 {
                x.iter().map(|v| v * 2.0).sum()
            }
        ),
        &["`.iter()` is not supported here"],
    );
    check_rejected(
        &parse_quote!(
            fn f(x: &[f32], i: u32) -> f32 {
                x[i as u32]
            }
        ),
        &["an index must be a `usize`"],
    );
    check_rejected(
        &parse_quote!(
            fn f(x: &[f32], i: usize) -> f32 {
                x[i][0]
            }
        ),
        &["`x` is a slice of scalars"],
    );
    check_rejected(
        &parse_quote!(
            fn f(x: &[f32]) -> usize {
                x.length
            }
        ),
        &["a slice or a view has no field `length`"],
    );
    check_rejected(
        &parse_quote!(
            fn f(p: &Pair) -> f32 {
                let Pair(.., x) = p;
                *x
            }
        ),
        &["this pattern of a reference is not supported"],
    );
    check_rejected(
        &parse_quote!(
            fn f(x: &[f32]) {
                for v in x.iter().rev().enumerate() {}
            }
        ),
        &["`.enumerate()` after `.rev()`"],
    );
    check_rejected(
        &parse_quote!(
            fn f() {
                let s = "text";
            }
        ),
        &["strings are not supported"],
    );
    check_rejected(
        &parse_quote!(
            fn f(w: usize) {
                println!("{:w$}", 1.0);
            }
        ),
        &["a width or precision"],
    );
    check_rejected(
        &parse_quote!(
            fn f() {
                f()
            }
        ),
        &["recursion"],
    );
    check_rejected(
        &parse_quote!(
            fn f(x: &mut [f32]) {
                for v in x.iter_mut() {
                    v += 1.0;
                }
            }
        ),
        &["a compound assignment cannot be applied to a reference"],
    );
    check_rejected(
        &parse_quote!(
            fn f() {
                #[unroll(0)]
                loop {}
            }
        ),
        &["`#[unroll]` takes no argument"],
    );
    check_rejected(
        &parse_quote!(
            fn f(a: [f32; 4]) {
                let [first, .., last] = a;
            }
        ),
        &["`..` is only supported at the end of an array pattern"],
    );
}

#[test]
fn names_of_other_systems() {
    check_rejected(
        &parse_quote!(
            fn f() {
                __syncthreads();
            }
        ),
        &["there is no `__syncthreads`"],
    );
    check_rejected(
        &parse_quote!(
            fn f() -> usize {
                threadIdx.x
            }
        ),
        &["`threadIdx` is not a value"],
    );
    check_rejected(
        &parse_quote!(
            fn f() -> usize {
                thread_idx.x
            }
        ),
        &["`thread_idx` is not a value"],
    );
    check_rejected(
        &parse_quote!(
            fn f() -> usize {
                cuda.grid(1)
            }
        ),
        &["there is no `cuda.grid`"],
    );
    check_rejected(
        &parse_quote!(
            fn f(a: f32) -> f32 {
                std::cmp::max(a, 1.0)
            }
        ),
        &["`std::cmp::max` is not supported"],
    );

    check_rejected(
        &parse_quote!(
            fn f(y: &mut [f32]) {
                atomicAdd(&y[0], 1.0);
            }
        ),
        &["there is no `atomicAdd`"],
    );
    check(&parse_quote!(
        fn f(threadIdx: Point) -> f32 {
            sqrt(threadIdx.x) + atomicAdd(1.0)
        }
    ));
}
