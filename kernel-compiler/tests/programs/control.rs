fn bump(y: &mut [i32], i: usize) -> i32 {
    y[i] += 1i32;
    y[i]
}

fn find(x: &[i32], v: i32) -> usize {
    let mut i: usize = 0;
    loop {
        if i >= x.len() {
            return 3;
        }
        if x[i] == v {
            break i;
        }
        i += 1;
    }
}

fn labels(x: &[i32], n: usize) -> i32 {
    let mut count: i32 = 0i32;
    'outer: for i in 0..n {
        let a: i32 = x[i];
        for j in 0..n {
            let b: i32 = x[j];
            if a == b {
                continue 'outer;
            }
            if a + b == 7i32 {
                break 'outer;
            }
            if b == 3i32 {
                continue;
            }
            count += 1i32;
        }
        let c: i32 = a * 2i32;
        count += c;
    }
    let after: i32 = count;
    after
}

fn control(x: &[i32], y: &mut [i32], c: &mut [u32], flags: &mut [bool]) {
    let i: usize = grid(1);
    let a: i32 = if x[i] > 0i32 { 1i32 } else { -1i32 };
    let b: i32 = if x[i] > 0i32 {
        y[i] = 3i32;
        4i32
    } else if a == 1i32 {
        return;
    } else {
        5i32
    };
    let total: i32 = y[i] + bump(y, i) * y[i];
    let both: bool = x[i] > 0i32 && bump(y, i) > 3i32 || a == 2i32;
    let old: u32 = atomic_add(&mut c[i], 1u32);
    let k: usize = bump(y, i) as usize;
    atomic_add(&mut c[k % 4], old + 5u32);
    let v: i32 = loop {
        if y[i] > 3i32 {
            break 4i32;
        }
        y[i] += b;
    };
    while bump(y, i) < 10i32 && total < 4i32 {
        y[0] += 1i32;
    }
    let late: i32;
    if both {
        late = 1i32;
    } else {
        late = 2i32;
    }
    let (p, q): (i32, bool) = (v, flags[i]);
    let mut t: (i32, i32) = (p, late);
    t = (t.1, t.0);
    t.0 += 2i32;
    flags[i] = !q & (x[i] == t.0);
    flags[i + 1] ^= q;
    y[find(x, a)] = labels(x, 3) + t.1 + old as i32;
    if total > 100i32 {
        panic!("the total is too great");
    }
    y[1] = {
        let z: i32 = a;
        z
    } + {
        y[2] = 1i32;
        2i32
    };
    let w: usize = (bump(y, 0) & 3i32) as usize;
    y[w] -= bump(y, 1);
    c[y[1] as usize & 3] = c[{
        y[1] = 2i32;
        1
    }] + y[1] as u32;
}
