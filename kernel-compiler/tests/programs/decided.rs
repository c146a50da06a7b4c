const WIDE: bool = false;
const LANES: usize = 4;

enum Mode {
    Plain,
    Fast,
}

const MODE: Mode = Mode::Fast;

fn never_reached(x: &mut [f32]) {
    x[1000] = 1.0;
}

fn wide(x: &[f32]) -> f32 {
    x[1] * 2.0
}

fn mode(x: f32) -> f32 {
    match MODE {
        Mode::Plain => x + 1.0,
        Mode::Fast => x + 2.0,
    }
}

fn decided(x: &[f32], y: &mut [f32]) {
    if WIDE {
        never_reached(y);
    }
    let v: f32 = if LANES > 2 { wide(x) } else { x[7] };
    if LANES == 4 && !WIDE || x[0] > 1.0 {
        y[0] = mode(v);
    }
    while WIDE {
        y[2] = 1.0;
    }
    y[1] = if WIDE { 1.0 } else { 2.0 };
    let kind: i32 = match LANES {
        1 => 10i32,
        2 | 4 if !WIDE => 20i32,
        _ => 30i32,
    };
    y[3] = kind as f32;
}
