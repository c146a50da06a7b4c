fn split(v: i32) -> (i32, bool) {
    (v / 10, v % 10 == 0)
}

fn extremes(x: &[i32]) -> (i32, (i32, usize)) {
    let mut least: i32 = x[0];
    let mut most: (i32, usize) = (x[0], 0);
    for (i, &v) in x.iter().enumerate() {
        if v < least {
            least = v;
        }
        if v > most.0 {
            most = (v, i);
        }
    }
    (least, most)
}

fn both(pair: (i32, bool)) -> i32 {
    if pair.1 { pair.0 } else { -pair.0 }
}

fn bump(v: &mut i32, flag: &mut bool) {
    *v += 1;
    *flag = !*flag;
}

fn count(y: &mut [i32]) -> i32 {
    y[0] += 1;
    y[0]
}

fn chosen(v: i32) -> (i32, [u8; 2]) {
    if v < 0 {
        return (-1, [0, 255]);
    }
    match v {
        0 => (0, [1, 2]),
        _ => (v, [v as u8; 2]),
    }
}

fn tuples(x: &[i32], y: &mut [i32]) {
    let (tens, whole): (i32, bool) = split(x[0]);
    y[1] = tens + whole as i32;
    let (least, (most, at)): (i32, (i32, usize)) = extremes(x);
    y[2] = least * 1000 + most + at as i32;
    let mut t: (i32, bool) = split(x[1]);
    let before: (i32, bool) = t;
    t.0 += 5;
    y[3] = both(before) + both(t) + both((count(y), y[0] > 1));
    let mut pair: (i32, i32) = (count(y), count(y));
    pair = (pair.1, pair.0);
    y[4] = pair.0 * 10 + pair.1;
    let mut u: (i32, bool) = (x[2], true);
    bump(&mut u.0, &mut u.1);
    y[5] = u.0 + u.1 as i32;
    let mut list: [(i32, bool); 3] = [(1, true), t, (x[3], false)];
    list[1].0 = 7;
    list[x[4] as usize % 3] = (count(y), x[0] > 0);
    let (v, flag): (i32, bool) = list[2];
    y[6] = v + flag as i32 + list[1].0 + list[0].1 as i32;
    let picked: (i32, i32) = if x[0] > x[1] { (1, x[0]) } else { (2, x[1]) };
    y[7] = picked.0 * 100 + picked.1;
    let looped: (usize, bool) = loop {
        if count(y) > 6 {
            break (x.len(), true);
        }
    };
    y[8] = looped.0 as i32 + looped.1 as i32;
    let (n, bytes): (i32, [u8; 2]) = chosen(x[5]);
    y[9] = n + bytes[0] as i32 - bytes[1] as i32;
    let late: (i32, bool);
    if whole {
        late = (3, false);
    } else {
        late = split(x[2]);
    }
    y[10] = both(late);
    let nested: ((i32, u8), [i32; 2]) = ((x[0], 200), [x[1], x[2]]);
    y[11] = nested.0.0 + nested.0.1 as i32 + nested.1[1];
    let _ = split(count(y));
}
