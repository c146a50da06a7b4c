use cumbia::prelude::*;

/// Types with a hand-written `PartialEq`, for the host only.
macro_rules! compared {
    ($($name:ident, |$x:ident, $y:ident| $equal:expr;)*) => {$(
        #[derive(Clone, Copy, DeviceType)]
        struct $name {
            n: i32,
            m: i32,
            f: f32,
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                let ($x, $y) = (self, other);
                $equal
            }
        }
    )*};
}

compared! {
    Modulo, |x, y| x.n % 360 == y.n % 360 && x.m == y.m && x.f == y.f;
    Tolerance, |x, y| x.n == y.n && x.m == y.m && (x.f - y.f).abs() < 1e-30;
    LeavesOut, |x, y| x.n == y.n && x.f == y.f;
    Exchanged, |x, y| x.n == y.m && x.m == y.n && x.f == y.f;
    Sums, |x, y| x.n.wrapping_add(x.m) == y.n.wrapping_add(y.m) && x.f == y.f;
    Bits, |x, y| x.n == y.n && x.m == y.m && x.f.to_bits() == y.f.to_bits();
    RarelyDifferent, |x, y| x.n == y.n && x.m == y.m && x.f == y.f && x.n != 1_234_567;
    Endless, |x, y| {
        let mut rounds = 0;
        while rounds != x.n {
            rounds = rounds.wrapping_add(2);
        }
        x.n == y.n
    };
    Panics, |x, y| if x.n > 5 { panic!("too large") } else { x.n == y.n };
    FieldByField, |x, y| x.n == y.n && x.m == y.m && x.f == y.f;
}

#[kernel]
fn kernel(
    modulo: &[Modulo],
    tolerance: &[Tolerance],
    leaves_out: &[LeavesOut],
    exchanged: &[Exchanged],
    sums: &[Sums],
    bits: &[Bits],
    rarely: &[RarelyDifferent],
    endless: &[Endless],
    panics: &[Panics],
    by_field: &[FieldByField],
    y: &mut [bool],
) {
    y[0] = modulo[0] == modulo[1];
    y[1] = tolerance[0] == tolerance[1];
    y[2] = leaves_out[0] == leaves_out[1];
    y[3] = exchanged[0] == exchanged[1];
    y[4] = sums[0] == sums[1];
    y[5] = bits[0] == bits[1];
    y[6] = rarely[0] == rarely[1];
    y[7] = endless[0] == endless[1];
    y[8] = panics[0] == panics[1];
    y[9] = by_field[0] == by_field[1];
}

fn main() {}

// mistakes: 10
