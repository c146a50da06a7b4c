//! Branches, loops and jumps.

#![allow(clippy::all, clippy::pedantic, reason = "the functions are written as users would not, to find what breaks")]

use crate::twin::twins;
use crate::{Case, listed};

pub(crate) const CASES: &[Case] = listed![run_all];

/// Conditions that are constant at specialisation.
const STOPS: bool = true;

twins! { -40i32..60;
    fn return_from_nested_ifs(x: i32) -> i32 {
        if x < 0 {
            if x < -20 {
                return -1;
            }
            if x % 2 == 0 {
                if x % 4 == 0 {
                    return 4;
                } else {
                    return 2;
                }
            }
        } else if x == 0 {
            return 0;
        } else {
            if x > 50 {
                return 50;
            }
        }
        x * 10
    }

    fn return_from_loops(x: i32) -> i32 {
        for i in 0..10 {
            let mut j = 0;
            while j < 10 {
                if i * j == x {
                    return i * 100 + j;
                }
                loop {
                    j += 1;
                    if j % 3 != 0 || x < 0 {
                        break;
                    }
                    if j > x {
                        return -j;
                    }
                }
            }
        }
        -1000
    }

    fn labelled_break(x: i32) -> i32 {
        let mut count = 0;
        'outer: for i in 0..20 {
            for j in 0..20 {
                if i + j == x {
                    break 'outer;
                }
                if j > i {
                    break;
                }
                count += 1;
            }
            count += 100;
        }
        count
    }

    fn labelled_continue(x: i32) -> i32 {
        let mut sum = 0;
        'rows: for i in 0..8 {
            let mut j = 0;
            'columns: loop {
                j += 1;
                if j > 6 {
                    continue 'rows;
                }
                if (i + j) % 3 == 0 {
                    continue 'columns;
                }
                if i * j == x {
                    break 'rows;
                }
                sum += i * 10 + j;
            }
        }
        sum
    }

    fn three_labels(x: i32) -> i32 {
        let mut trace = 0;
        'a: loop {
            trace += 1;
            'b: while trace < 1000 {
                trace += 10;
                'c: for k in 0..5 {
                    trace += k;
                    if trace % 7 == x % 7 {
                        continue 'b;
                    }
                    if trace % 11 == 3 {
                        break 'c;
                    }
                    if trace > 500 + x {
                        break 'a;
                    }
                    if trace % 13 == 5 {
                        continue 'a;
                    }
                }
                trace += 2;
            }
            break;
        }
        trace
    }

    /// A nested label of the same name: the inner one takes effect.
    fn a_label_twice(x: i32) -> i32 {
        let mut n = 0;
        'again: for i in 0..4 {
            for _ in 0..2 {
                n += 1;
            }
            if i == x {
                break 'again;
            }
        }
        'again: loop {
            n += 100;
            if n > 300 + x {
                break 'again;
            }
        }
        n
    }

    fn continue_runs_the_step(x: i32) -> i32 {
        let mut sum = 0;
        for i in (0..30).step_by(3) {
            if i % 2 == 0 {
                continue;
            }
            sum += i * x;
        }
        let mut n = 0;
        while n < 20 {
            n += 1;
            if n % 4 != 0 {
                continue;
            }
            sum += n;
        }
        sum
    }

    fn loop_with_value(x: i32) -> i32 {
        let mut n = x;
        let steps = loop {
            n = n / 2 + 3;
            if n % 5 == 0 {
                break n * 2;
            }
            if n < 7 {
                break -1;
            }
        };
        steps + loop { break 1; }
    }

    fn outer_loop_with_value(x: i32) -> i32 {
        let mut i = 0;
        let found = 'search: loop {
            i += 1;
            let mut j = 0;
            loop {
                j += 1;
                if i * j > x {
                    break 'search i * 1000 + j;
                }
                if j > i {
                    break;
                }
            }
        };
        found - x
    }

    fn collatz(x: i32) -> i32 {
        let mut n = if x <= 0 { 1 - x } else { x };
        let mut steps = 0;
        while n != 1 && steps < 200 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    }

    fn while_with_a_block(x: i32) -> i32 {
        let mut n = x;
        let mut turns = 0;
        while { n += 3; n < 40 } && { turns += 1; turns < 9 } || n == x + 3 {
            turns += 1;
        }
        n * 100 + turns
    }

    fn while_with_calls(x: i32) -> i32 {
        let mut a = x.abs();
        let mut b = 36;
        while b != 0 && (a > 1 || b % 2 == 1 || a == b) {
            let rest = a % b;
            a = b;
            b = rest;
        }
        a
    }

    fn else_if_chain(x: i32) -> i32 {
        if x < -30 {
            1
        } else if x < -20 {
            2
        } else if x < 0 && x % 2 == 0 {
            3
        } else if x == 0 || x == 7 {
            4
        } else {
            if x > 40 { 5 } else { 6 }
        }
    }

    fn values_of_blocks(x: i32) -> i32 {
        let a = {
            let b = x + 1;
            let c = { let b = b * 2; b + 1 };
            b + c
        };
        let d = if { let e = a % 3; e == 0 } { a } else { let a = -a; a * 2 };
        ({ d }) + { a }
    }

    fn values_in_expressions(x: i32) -> i32 {
        1 + if x > 3 { 2 } else { 5 } * if x % 2 == 0 { x } else { -x } - { let y = x; y * y } % 7
    }

    fn a_value_that_jumps(x: i32) -> i32 {
        let mut sum = 0;
        for i in 0..10 {
            let step = if i == x { break } else if i % 2 == 0 { continue } else { i };
            let other = if x == -5 { return sum + 1_000_000 } else { step * 2 };
            sum += step + other;
        }
        sum
    }

    fn shadowing(x: i32) -> i32 {
        let x = x + 1;
        let x = x * 2;
        let y = x;
        if x > 10 {
            let x = x - 5;
            let y = y + x;
            let x = y;
            return x;
        }
        let mut y = y;
        for x in 0..3 {
            y += x;
            let x = x * 10;
            y += x;
        }
        while y > 1000 {
            let y = 5;
            return y;
        }
        x + y
    }

    fn assignment_in_branches(x: i32) -> i32 {
        let mut a = 1;
        let mut b = 2;
        if x % 2 == 0 {
            a = b;
            b = x;
        } else {
            b = a + x;
        }
        let (a, b) = (b, a);
        a * 1000 + b
    }

    fn tuples(x: i32) -> i32 {
        let pair = (x + 1, x % 3 == 0);
        let (a, b) = pair;
        let (c, _) = if b { (a, 1) } else { (x, 2) };
        let nested = ((c, a), pair.0);
        nested.0.0 * 100 + nested.0.1 * 10 + nested.1 + b as i32
    }

    fn deep_nesting(x: i32) -> i32 {
        let mut n = 0;
        for a in 0..3 {
            if a != x {
                for b in a..4 {
                    while n < 50 {
                        n += 1;
                        loop {
                            n += 2;
                            if n % 3 == 0 {
                                if n % 2 == 0 {
                                    for c in 0..2 {
                                        if c == 1 && b == 2 {
                                            break;
                                        }
                                        n += c;
                                    }
                                }
                                break;
                            }
                        }
                    }
                    n -= 40;
                }
            }
        }
        n
    }

    fn empty_bodies(x: i32) -> i32 {
        for _ in 0..x {}
        if x > 0 {}
        {}
        let mut n = x;
        while { n -= 7; n > 0 } {}
        if x < 0 {} else { n += 1; }
        n
    }

    /// If a constant condition selects the branch that diverges, the use of the value is typed but unreachable.
    fn decided_jumps(x: i32) -> i32 {
        let table = [x, 3, 5];
        let mut n = 0;
        'outer: for round in 0..9 {
            n += round;
            if n < x {
                continue;
            }
            n += match x.rem_euclid(6) {
                0 => n + (if STOPS { break } else { 4i32 }).clamp(0, 31),
                1 => (if STOPS { continue } else { x as i8 }).wrapping_add(1) as i32,
                2 => table[if STOPS { break 'outer } else { 1 }],
                3 => (if !STOPS { 2 } else { return n }).min(x),
                4 => -(if STOPS { continue 'outer } else { x }),
                _ => i32::max(if STOPS { return -n } else { x }, n),
            };
            n += 100;
        }
        n + table[1]
    }

    /// No pattern reads the scrutinee.
    fn unseen_scrutinee(x: i32) -> i32 {
        let first = match (x / 3, x % 5) {
            (_, _) if x > 30 => 1,
            (_, _) if { let half = x / 2; half < -5 } => 2,
            _ => 3,
        };
        first * 10
            + match (x, first) {
                _ if x == 3 => 4,
                (i32::MIN..=0, _) | (1..=i32::MAX, _) => 8,
            }
    }
}
