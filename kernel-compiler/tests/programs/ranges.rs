fn note(y: &mut [i32], v: i32) {
    y[0] = y[0] * 7 % 1000003 + v;
}

fn ranges(x: &[i32], y: &mut [i32]) {
    let n: i32 = x[0];
    let m: i32 = x[1];
    let by: usize = x[2] as usize;
    for i in (n..m).rev() {
        note(y, i);
    }
    for i in (n..=m).rev() {
        note(y, i);
    }
    for i in (n..m).step_by(by) {
        note(y, i);
    }
    for i in (n..=m).step_by(by) {
        note(y, i);
    }
    for i in (n..m).rev().step_by(by) {
        note(y, i);
    }
    for i in (n..=m).rev().step_by(by) {
        note(y, i);
    }
    for i in (n..m).step_by(by).rev() {
        note(y, i);
    }
    for i in (n..m).step_by(by).step_by(2) {
        note(y, i);
    }
    for i in (n..m).step_by(by).rev().step_by(2).rev() {
        note(y, i);
    }
    y[1] = y[0];
    for i in (250u8..=255u8).step_by(2) {
        note(y, i as i32);
    }
    for i in (0u8..=5u8).rev().step_by(2) {
        note(y, i as i32);
    }
    for i in (i8::MIN..=-120i8).rev() {
        note(y, i as i32);
    }
    for i in (120i8..=i8::MAX).step_by(3).rev() {
        note(y, i as i32);
    }
    for i in (i8::MIN..i8::MAX).step_by(100) {
        note(y, i as i32);
    }
    for i in (i8::MIN..i8::MAX).rev().step_by(100) {
        note(y, i as i32);
    }
    y[2] = y[0];
    for i in (u64::MAX - 3..=u64::MAX).rev() {
        note(y, (i & 0xff) as i32);
    }
    for i in (0u64..=u64::MAX).step_by(usize::MAX / 2) {
        note(y, (i & 0xff) as i32);
    }
    for i in (0u64..=u64::MAX).step_by(usize::MAX).step_by(2) {
        note(y, (i & 0xff) as i32);
    }
    for i in (isize::MIN..isize::MAX).step_by(usize::MAX / 3).rev() {
        note(y, (i & 0xff) as i32);
    }
    for i in (i64::MIN..=i64::MAX).rev().step_by(usize::MAX / 3) {
        note(y, (i & 0xff) as i32);
    }
    y[3] = y[0];
    for i in (0usize..10).step_by(4).rev() {
        note(y, i as i32);
    }
    for i in (5usize..5).rev() {
        note(y, i as i32);
    }
    for i in (0usize..0).step_by(3).rev() {
        note(y, i as i32);
    }
    for mut i in (0..4).rev() {
        i += 1;
        if i == 3 {
            continue;
        }
        y[i + 4] = i as i32;
    }
    for (i, v) in x.iter().enumerate().rev() {
        note(y, *v + i as i32);
        if i == 2 {
            break;
        }
    }
    for v in x.iter().rev() {
        note(y, *v);
    }
    for v in [3i32, n, m] {
        note(y, v);
    }
    for _ in (0..3).rev() {
        note(y, 1);
    }
    for i in (0..y.len()).rev() {
        y[i] += i as i32;
    }
    y[x[3] as usize] = 1;
}
