//! Many small launches in a graph, against individual launches.

use cumbia::Graph;
use cumbia::prelude::*;

use crate::time::{medians, ratio, row};

#[kernel]
fn relax(weight: f32, x: &[f32], y: &mut [f32]) {
    let i = grid(1);
    if i > 0 && i + 1 < x.len() {
        y[i] = x[i] + weight * (x[i - 1] - 2.0 * x[i] + x[i + 1]);
    }
}

const LAUNCHES: usize = 100;
const N: usize = 4096;

pub(crate) fn figures(device: &Device) -> cumbia::Result<()> {
    println!("{LAUNCHES} dependent launches on {N} elements");
    let stream = device.stream()?;
    let (mut x, mut y) = (device.zeros(N)?, device.zeros(N)?);
    let (mut v, mut w) = (device.zeros(N)?, device.zeros(N)?);
    let (mut a, mut b) = (device.zeros(N)?, device.zeros(N)?);
    let (mut same, mut other) = (Graph::new(&stream), Graph::new(&stream));
    let mut weight = 0.0f32;
    let wait = || stream.synchronize().expect("no fault");
    let [single, graph, changed] = medians(
        21,
        [
            &mut || {
                for _ in 0..LAUNCHES / 2 {
                    relax(0.1, &x, &mut y).over(N).on(&stream).launch().expect("a good launch");
                    relax(0.1, &y, &mut x).over(N).on(&stream).launch().expect("a good launch");
                }
                wait();
            },
            &mut || {
                let run = same.run(|g| {
                    for _ in 0..LAUNCHES / 2 {
                        g.launch(relax(0.1, &v, &mut w).over(N))?;
                        g.launch(relax(0.1, &w, &mut v).over(N))?;
                    }
                    Ok(())
                });
                run.expect("a good graph");
                wait();
            },
            &mut || {
                weight += 0.001;
                let run = other.run(|g| {
                    for _ in 0..LAUNCHES / 2 {
                        g.launch(relax(weight, &a, &mut b).over(N))?;
                        g.launch(relax(weight, &b, &mut a).over(N))?;
                    }
                    Ok(())
                });
                run.expect("a good graph");
                wait();
            },
        ],
    );
    row("individual launches", single, "");
    row("as a graph", graph, &format!("{:.3} times as long", ratio(graph, single)));
    row(
        "as a graph, one scalar argument of each changed",
        changed,
        &format!("{:.3} times as long", ratio(changed, single)),
    );
    Ok(())
}
