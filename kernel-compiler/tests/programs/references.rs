#[derive(Clone, Copy)]
struct Counter {
    hits: i32,
    open: bool,
    last: [i32; 2],
}

impl Counter {
    fn hit(&mut self, by: i32) -> i32 {
        self.hits += by;
        self.last[(self.hits & 1) as usize] = by;
        self.open = !self.open;
        self.hits
    }

    fn both(&self, other: &Counter) -> i32 {
        self.hits + other.hits
    }

    fn reset(&mut self) {
        let last: &mut [i32; 2] = &mut self.last;
        last[0] = 0;
        let hits: &mut i32 = &mut self.hits;
        *hits = 0;
    }
}

fn add(to: &mut i32, v: &i32) {
    *to += *v;
}

fn flip(flag: &mut bool) -> bool {
    *flag = !*flag;
    *flag
}

fn through(c: &mut Counter, y: &mut [i32]) {
    c.hit(1);
    y[1] = c.both(c);
    add(&mut c.hits, &y[0]);
    add(&mut c.last[1], &c.hits);
    flip(&mut c.open);
}

fn first(x: &[i32]) -> i32 {
    x[0]
}

fn references(x: &[i32], y: &mut [i32]) {
    let mut c: Counter = Counter { hits: x[0], open: false, last: [1, 2] };
    y[0] = c.hit(2) * 10 + c.hit(3);
    through(&mut c, y);
    y[2] = c.hits + c.last[0] * 10 + c.last[1] * 100 + c.open as i32;
    let mut list: [Counter; 2] = [c; 2];
    list[1].hit(4);
    list[x[1] as usize & 1].hit(5);
    y[3] = list[0].both(&list[1]) + list[0].open as i32 * 1000;
    let r: &mut Counter = &mut list[0];
    r.hits = 1;
    r.hit(r.hits + 1);
    through(r, y);
    let n: &mut i32 = &mut r.last[0];
    *n += 7;
    add(n, &x[2]);
    y[4] = list[0].last[0] + list[0].hits;
    let mut flag: bool = x[0] > 0;
    let was: bool = flag;
    let now: bool = flip(&mut flag) && flip(&mut flag);
    y[5] = was as i32 + 2 * now as i32 + 4 * flag as i32;
    let mut v: i32 = 3;
    let sum: i32 = v + {
        add(&mut v, &x[0]);
        v
    };
    y[6] = sum * 10 + v;
    let e: &mut i32 = if x[0] > 1 { &mut y[7] } else { &mut y[8] };
    *e = 5;
    *e += 1;
    add(e, &v);
    let mut at: &i32 = &x[0];
    if x[1] > 0 {
        at = &x[1];
    }
    y[9] = *at;
    let cells: &mut [Counter; 2] = shared::<[Counter; 2]>();
    cells[0] = c;
    cells[1] = list[0];
    cells[0].hit(1);
    through(&mut cells[1], y);
    cells[0].reset();
    y[10] = cells[0].both(&cells[1]) + cells[0].last[0] + first(&cells[1].last);
    for c in cells.iter_mut() {
        c.hit(2);
        c.hits *= 2;
    }
    let one: &mut bool = shared::<bool>();
    *one = x[2] > 0;
    flip(one);
    y[11] = cells[0].hits + cells[1].hits + *one as i32;
    c.reset();
    y[12] = c.hits + c.last[0] + c.last[1];
}
