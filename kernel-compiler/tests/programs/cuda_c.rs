struct Pair {
    a: u32,
    b: u32,
}

#[cuda("return __brev(x);")]
fn reversed(x: u32) -> u32 {}

#[cuda(
    "    for (usize i = 0; i < x_len; ++i) {
        total.a += x[i];
    }
    total.b += (u32)x_len;"
)]
fn sum(x: &[u32], total: &mut Pair) {}

fn cuda_c(x: &[u32], y: &mut [u32]) {
    let mut total: Pair = Pair { a: 1, b: 2 };
    sum(x, &mut total);
    y[0] = reversed(total.a) + total.b;
}
