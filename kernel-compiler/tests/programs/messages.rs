enum Level {
    Low = 3,
    High,
}

fn checked(n: i32, x: &[f32]) -> f32 {
    if n < 0 {
        panic!("n is {n}, of {} in all", x.len());
    }
    println!("checked {:>4}", n);
    x[n as usize]
}

fn messages(n: i32, x: &[f32], y: &mut [f32]) {
    let i: usize = grid(1);
    println!("thread {i} of {}: {:.3} {:?} {}", grid_size(1), x[i], n < 3, -7i8);
    y[i] = checked(n, x);
    let level: Level = if n < 2 { Level::Low } else { Level::High };
    print!("level {:?}\n", level);
    assert!(n < 3);
    assert!(n < 2, "{} {} {} {} {} {} {} {}", 1, 2, 3, 4, 5, 6, 7, x[n as usize + 1]);
}
