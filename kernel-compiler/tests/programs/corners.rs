#[derive(Clone, Copy)]
struct Small {
    a: u8,
    b: i8,
    c: u16,
    on: bool,
    list: [bool; 3],
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Left,
    Right,
    Up,
}

#[derive(Clone, Copy)]
struct Step {
    way: Way,
    n: i32,
}

const STEPS: [Step; 3] = [Step { way: Way::Up, n: 1 }, Step { way: Way::Left, n: -2 }, Step { way: Way::Right, n: 3 }];
const FLOATS: [f32; 3] = [f32::INFINITY, -1.5, f32::NAN];
const PAIR: (i32, bool) = (5, true);

fn count(y: &mut [i32]) -> i32 {
    y[0] += 1;
    y[0]
}

fn pick<'a>(mut r: &'a i32, x: &'a [i32]) -> i32 {
    if *r < 0 {
        r = &x[0];
    }
    *r
}

fn flip(flag: &mut bool) {
    *flag = !*flag;
}

fn toggled(mut on: bool) -> bool {
    flip(&mut on);
    on
}

fn bumped(mut pair: (i32, bool)) -> (i32, bool) {
    flip(&mut pair.1);
    let n: &mut i32 = &mut pair.0;
    *n += 1;
    pair
}

fn small(n: i32, y: &mut [i32]) -> Small {
    Small {
        c: count(y) as u16,
        a: n as u8 | 1,
        b: if n > 3 { 1 } else { -(n as i8) },
        on: n > 2 && count(y) > 2,
        list: [n == 1, n == 2, true],
    }
}

fn found(steps: &[Step], way: Way) -> Step {
    for step in steps.iter() {
        if step.way == way {
            return *step;
        }
    }
    Step { way, n: 0 }
}

fn walk(x: &[i32], y: &mut [i32]) -> i32 {
    let mut at: i32 = 0;
    'outer: for i in 0..x.len() {
        'inner: for j in 0..3 {
            match x[i] {
                0 => continue 'inner,
                1 => continue 'outer,
                2 => break 'inner,
                3 => {
                    at += 1;
                    if at > 6 {
                        break 'outer;
                    }
                }
                n if n == j as i32 + count(y) => break 'outer,
                7 | 8 => 'skip: {
                    if j == 1 {
                        break 'skip;
                    }
                    at += 100;
                    let mut k: usize = 0;
                    loop {
                        k += 1;
                        if k == 2 {
                            continue 'inner;
                        }
                        if k > x[i] as usize {
                            break 'skip;
                        }
                    }
                }
                _ => at += 1000,
            }
            at += 10000;
        }
        at += 7;
    }
    at
}

fn chosen(a: i32, b: i32, y: &mut [i32]) -> i32 {
    match (a, b) {
        (n, 1) | (1, n) if count(y) > 1 && n > 2 => n * 10,
        (n, _) | (_, n) if n == count(y) => n * 100,
        (n @ 5.., _) | (_, n @ ..=-1) => n,
        _ => -1,
    }
}

fn corners(x: &[i32], y: &mut [i32]) {
    y[1] = pick(&x[1], x) + pick(&-3, x);
    y[2] = toggled(x[0] > 0) as i32;
    let t: (i32, bool) = bumped(bumped(PAIR));
    y[3] = t.0 + t.1 as i32 + PAIR.0;
    let s: Small = small(x[2], y);
    y[4] = s.a as i32 + s.b as i32 * 10 + s.c as i32 * 100 + s.on as i32 * 1000 + s.list[(x[0] & 1) as usize] as i32;
    let step: Step = found(&STEPS, STEPS[(x[3] & 1) as usize].way);
    y[5] = step.n + found(&STEPS[1..], Way::Up).n * 10 + step.way as i32;
    y[6] = walk(x, y);
    y[7] = chosen(x[4], x[5], y) + chosen(1, x[0], y);
    let (mut p, mut q): (i32, i32) = (x[0], x[1]);
    let (a, b): (&mut i32, &mut i32) = (&mut p, &mut q);
    *a += 1;
    *b += *a;
    y[8] = p * 10 + q;
    let bits: u32 = FLOATS[(x[1] & 1) as usize].to_bits();
    y[9] = (bits >> 16) as i32;
    let ways: &mut [Way; 2] = shared::<[Way; 2]>();
    ways[0] = Way::Up;
    ways[1] = ways[(x[2] & 0) as usize];
    y[10] = if ways[1] == Way::Up { 1 } else { 2 };
    let mut list: [Step; 3] = STEPS;
    for step in list.iter_mut() {
        step.n += match step.way {
            Way::Left => 1,
            Way::Right => count(y),
            Way::Up => x[6],
        };
    }
    let mut sum: i32 = 0;
    for step in list {
        list[1].n = 50;
        sum += step.n;
    }
    y[11] = sum + list[1].n;
    let v: i32 = {
        let v: i32 = x[0];
        let v: i32 = v * 2;
        v + 1
    };
    y[12] = v;
    let n: usize = 'find: {
        for (i, &v) in x.iter().enumerate() {
            match v {
                5 => break 'find i,
                6.. if i > 3 => break 'find i + 10,
                _ => {}
            }
        }
        99
    };
    y[13] = n as i32;
    let step: Step = loop {
        if count(y) > 9 {
            break Step { way: Way::Left, ..list[0] };
        }
        if x[7] == 3 {
            break found(&list, Way::Right);
        }
    };
    y[14] = step.n + step.way as i32;
    match x[(x[7] & 15) as usize] {
        _ => y[15] = 1,
    }
}
