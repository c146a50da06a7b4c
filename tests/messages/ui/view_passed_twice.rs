use cumbia::prelude::*;

#[kernel]
fn double(x: ArrayViewMut1<f32>) {
    x[grid(1)] *= 2.0;
}

fn twice(x: ArrayViewMut1<'_, f32>) -> cumbia::Result<()> {
    double(x).over(4).launch()?;
    double(x).over(4).launch()
}

fn main() {}
