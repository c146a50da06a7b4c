#[derive(Clone, Copy)]
struct Point {
    x: i32,
    y: i32,
}

#[derive(Clone, Copy)]
struct Pair(i32, bool);

#[derive(Clone, Copy)]
struct Body {
    small: u8,
    at: Point,
    history: [Point; 3],
    tag: Pair,
    wide: u64,
}

const ORIGIN: Point = Point { x: 0, y: 0 };
const CORNERS: [Point; 2] = [Point { x: 1, y: 2 }, Point { x: -3, y: 4 }];

impl Point {
    fn new(x: i32, y: i32) -> Point {
        Point { x, y }
    }

    fn sum(&self) -> i32 {
        self.x + self.y
    }

    fn scaled(self, by: i32) -> Point {
        Point { x: self.x * by, y: self.y * by }
    }

    fn shift(&mut self, by: i32) -> i32 {
        let old: i32 = self.x;
        self.x += by;
        self.y -= by;
        old
    }
}

impl Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        Point::new(self.x + other.x, self.y + other.y)
    }
}

impl Neg for Point {
    type Output = Point;
    fn neg(self) -> Point {
        Point { x: -self.x, y: -self.y }
    }
}

impl AddAssign for Point {
    fn add_assign(&mut self, other: Point) {
        self.x += other.x;
        self.y += other.y;
    }
}

impl PartialEq for Point {
    fn eq(&self, other: &Point) -> bool {
        self.x == other.x && self.y == other.y
    }
}

impl Pair {
    fn toggle(&mut self) -> bool {
        self.1 = !self.1;
        self.1
    }
}

fn count(y: &mut [i32], i: usize) -> i32 {
    y[i] += 1;
    y[i]
}

fn nearest(bodies: &[Body; 2], to: Point) -> Body {
    if bodies[0].at == to {
        return bodies[0];
    }
    let mut best: Body = bodies[1];
    best.at += to;
    best
}

fn structs(x: &[i32], y: &mut [i32]) {
    let i: usize = grid(1);
    let mut p: Point = Point { y: count(y, 0), x: count(y, 0) };
    let before: Point = p;
    p.x = 10;
    y[1] = before.x * 10 + before.y + p.x;
    let q: Point = Point { x: x[i], ..p };
    y[2] = p.shift(3) + q.scaled(2).sum() + Point::new(1, 2).sum();
    let mut body: Body =
        Body { small: 7, at: q, history: [p, q, ORIGIN], tag: Pair(x[i + 1], x[i] > 0), wide: 1 << 40 };
    body.history[count(y, 3) as usize].x = 100;
    y[4] = body.history[1].shift(5) + body.history[1].x + body.history[1].y;
    body.at += -body.history[0] + CORNERS[(y[3] & 1) as usize];
    if body.tag.toggle() || body.at == q {
        y[5] = body.at.x;
    } else {
        y[5] = -body.at.x;
    }
    let copies: [Body; 2] = [body, Body { at: ORIGIN, wide: 3, ..body }];
    let mut found: Body = nearest(&copies, ORIGIN);
    found.tag.0 += 1;
    y[6] = found.at.x + found.tag.0 + found.small as i32 + (found.wide >> 38) as i32;
    let shared_bodies: &mut [Body; 2] = shared::<[Body; 2]>();
    shared_bodies[1] = found;
    shared_bodies[0] = Body { tag: Pair(shared_bodies[1].tag.0, false), ..shared_bodies[1] };
    y[7] = shared_bodies[0].history[2].shift(9) + shared_bodies[0].history[2].x;
    y[8] = if shared_bodies[0].tag.1 != shared_bodies[1].tag.1 { 1 } else { 2 };
    let Point { x: a, y: b } = shared_bodies[1].at;
    let Pair(n, flag) = found.tag;
    y[9] = a - b + n + flag as i32;
    p = Point { x: p.y, y: p.x };
    y[10] = p.x - 2 * p.y + if p != q { 1 } else { 0 };
    let late: Point;
    if x[i + 2] > 1 {
        late = p;
    } else {
        late = CORNERS[x[i + 2] as usize];
    }
    y[11] = late.sum();
}
