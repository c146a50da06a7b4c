use cumbia::algorithm::iota;

fn indices(y: &mut Vec<f32>) -> cumbia::Result<()> {
    iota(y).launch()
}

fn main() {}
