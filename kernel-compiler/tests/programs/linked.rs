struct Pair {
    a: u32,
    b: u32,
}

#[link("reversed")]
fn reversed(x: u32) -> u32 {}

#[link("sum_of_slice")]
fn sum(x: &[u32], total: &mut Pair) {}

/// The symbol is the name of the kernel in Rust.
#[link("linked")]
fn of_same_name(x: u32) -> u32 {}

fn linked(x: &[u32], y: &mut [u32]) {
    let mut total: Pair = Pair { a: 1, b: 2 };
    sum(x, &mut total);
    y[0] = reversed(total.a) + of_same_name(total.b);
}
