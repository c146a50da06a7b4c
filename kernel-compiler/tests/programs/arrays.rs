const TABLE: [i32; 5] = [2, -3, 5, -7, 11];
const FLAGS: [bool; 3] = [true, false, true];

fn total(x: &[i32]) -> i32 {
    let mut sum: i32 = 0;
    for v in x.iter() {
        sum += *v;
    }
    sum
}

fn doubled(mut a: [i32; 4]) -> [i32; 4] {
    for v in a.iter_mut() {
        *v *= 2;
    }
    a
}

fn fill(a: &mut [i32; 4], first: i32) {
    for (i, v) in a.iter_mut().enumerate() {
        *v = first + i as i32;
    }
}

fn swap(a: &mut i32, b: &mut i32) {
    let t: i32 = *a;
    *a = *b;
    *b = t;
}

fn reversed(x: &mut [i32]) {
    let mut i: usize = 0;
    while i < x.len() / 2 {
        let t: i32 = x[i];
        x[i] = x[x.len() - 1 - i];
        let last: usize = x.len() - 1 - i;
        x[last] = t;
        i += 1;
    }
}

fn count(y: &mut [i32]) -> usize {
    y[0] += 1;
    y[0] as usize
}

fn arrays(x: &[i32], y: &mut [i32]) {
    let mut a: [i32; 4] = [1, 2, 3, 4];
    let b: [i32; 4] = a;
    a[x[0] as usize & 3] = 10;
    y[1] = a[0] + b[0] * 100 + total(&a) + total(&b[1..]);
    a = doubled(a);
    y[2] = total(&a) - total(&b);
    fill(&mut a, x[1]);
    y[3] = a[3] + TABLE[a[0] as usize % 5] + FLAGS[(a[1] & 1) as usize] as i32;
    let mut grid_of: [[i32; 3]; 2] = [[0; 3]; 2];
    for i in 0..2 {
        for j in 0..3 {
            grid_of[i][j] = (i * 10 + j) as i32;
        }
    }
    let row: [i32; 3] = grid_of[1];
    grid_of[1][2] = 77;
    y[4] = total(&row) + total(&grid_of[1]) + row.len() as i32;
    let big: [u8; 9] = [x[2] as u8; 9];
    y[5] = big[x[2] as usize] as i32;
    swap(&mut a[0], &mut grid_of[0][1]);
    swap(&mut y[6], &mut a[1]);
    reversed(&mut a);
    reversed(&mut a[1..3]);
    y[7] = a[0] + 10 * a[1] + 100 * a[2] + 1000 * a[3];
    let mut s: i32 = 0;
    for v in a {
        a[0] = 5;
        s = s * 3 + v;
    }
    for &v in b.iter() {
        s += v;
    }
    y[8] = s;
    let mut flags: [bool; 4] = [false; 4];
    flags[count(y)] = true;
    flags[count(y) & 3] ^= x[0] > 0;
    for (i, &on) in flags.iter().enumerate() {
        if on {
            y[9] += i as i32 + 1;
        }
    }
    let from: usize = x[3] as usize;
    let to: usize = x[4] as usize;
    let part: &mut [i32] = &mut y[from..to];
    part[0] = 1000;
    let rest: &[i32] = &part[1..];
    let sum: i32 = total(rest);
    y[10] = sum;
    let tail: &[i32] = &y[..=from];
    let n: usize = tail.len();
    y[11] = n as i32 + [3i32, 1, 2][x[0] as usize & 1] - total(&TABLE[from & 3..]);
    let words: &mut [[i32; 2]; 3] = shared::<[[i32; 2]; 3]>();
    words[1] = [x[0], x[1]];
    words[2] = words[1];
    words[2][0] += 1;
    reversed(&mut words[2]);
    y[12] = words[1][0] - words[2][0] + total(&words[1]);
    let empty: [i32; 0] = [count(y) as i32; 0];
    y[13] = empty.len() as i32;
    y[x[5] as usize] = a[x[5] as usize];
}
