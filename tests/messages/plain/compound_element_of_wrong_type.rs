fn kernel(x: &mut [f32]) {
    x[0] += 1.0f64;
}

fn main() {}
