#[derive(Clone, Copy, PartialEq)]
#[repr(i16)]
enum Kind {
    Leaf = -1,
    Node,
    Root = 300,
    Gone = 301,
    Last = 302,
}

#[derive(Clone, Copy)]
struct Item {
    kind: Kind,
    n: i32,
    on: bool,
}

const LIMIT: i32 = 40;
const EDGE: Item = Item { kind: Kind::Gone, n: 9, on: true };

fn kind_of(n: i32) -> Kind {
    match n {
        0 => Kind::Leaf,
        1 | 2 => Kind::Node,
        3..=5 => Kind::Root,
        6 => Kind::Gone,
        _ => Kind::Last,
    }
}

fn weight(kind: Kind) -> i32 {
    match kind {
        Kind::Leaf => 1,
        Kind::Node => 2,
        Kind::Root | Kind::Gone => 3,
        Kind::Last => return 10,
    }
}

fn named(n: u8) -> u8 {
    match n {
        0 => 100,
        1 => 101,
        2 | 3 => 102,
        255 => 103,
        other => other,
    }
}

fn count(y: &mut [i32]) -> i32 {
    y[0] += 1;
    y[0]
}

fn digits(x: &[i32]) -> i32 {
    let mut sum: i32 = 0;
    for &v in x.iter() {
        match v {
            0 => continue,
            1 => sum += 1,
            2 => {
                sum += 20;
                continue;
            }
            7 => break,
            _ => sum += 100,
        }
        sum += 1000;
    }
    sum
}

fn matching(x: &[i32], y: &mut [i32]) {
    let kind: Kind = kind_of(x[0]);
    y[1] = weight(kind) * 1000 + kind as i32;
    y[2] = match x[1] {
        i32::MIN..=-1 => -1,
        0 => 0,
        n @ 1..10 => n * 2,
        n @ (10 | 20 | 30) if n > x[0] => n + 1,
        LIMIT => 4,
        n if count(y) > 1 && n % 2 == 0 => n / 2,
        n if n > 100 => {
            y[3] = n;
            5
        }
        _ => 6,
    };
    let item: Item = Item { kind, n: x[2], on: x[3] > 0 };
    y[4] = match item {
        Item { kind: Kind::Leaf, .. } => 1,
        Item { on: true, n, .. } if n > 3 => n,
        Item { n: 0..=3, on, .. } => 10 + on as i32,
        Item { kind: k @ (Kind::Node | Kind::Root), n, on: _ } => weight(k) + n,
        Item { .. } => EDGE.n,
    };
    y[5] = match (x[0], x[1] > 0, kind) {
        (0, true, _) => 1,
        (a, false, Kind::Leaf) | (a, true, Kind::Node) => a + 2,
        (a, _, Kind::Root | Kind::Last) if a > 3 => a + 10,
        (a, b, _) => a * 2 + b as i32,
    };
    y[6] = match [x[0], x[2]] {
        [0, b] => b,
        [a, 1] | [1, a] => a + 100,
        [a, b] => a - b,
    };
    y[7] = named(x[4] as u8) as i32 + digits(x);
    match x[5] {
        1 => y[8] = 1,
        2 => {}
        _ => y[8] = 3,
    }
    let label: i32 = 'out: {
        match x[0] {
            0 => break 'out 5i32,
            1 => {
                if x[1] > 0 {
                    break 'out 6i32;
                }
            }
            _ => {}
        }
        y[9] = 1;
        7i32
    };
    y[10] = label;
    let late: i32;
    match kind {
        Kind::Leaf => late = 1,
        _ => late = 2,
    }
    y[11] = late;
    let mut k: i32 = x[0];
    y[12] = match k {
        0 => {
            k = 5;
            k
        }
        5 => 99,
        _ => {
            k += 1;
            k * 2
        }
    };
    y[13] = match count(y) {
        1 => 1,
        v => v + y[0],
    };
}
