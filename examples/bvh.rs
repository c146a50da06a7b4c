//! Nearest neighbours by a bounding volume hierarchy: the host builds a tree of boxes around points, and each thread
//! descends it for one query, with an explicit stack, and skips the boxes that are farther away than the nearest point
//! so far (J. H. Friedman, J. L. Bentley, R. A. Finkel, "An Algorithm for Finding Best Matches in Logarithmic Expected
//! Time", 1977).
//!
//! ```text
//! cargo run --release --example bvh [points]
//! ```

use std::time::Instant;

use cumbia::prelude::*;
use cumbia::random::Philox;

type Point = [f32; 3];

/// A box, and what is in it.
#[derive(Clone, Copy, DeviceType)]
struct Node {
    low: Point,
    high: Point,
    content: Content,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u32)]
enum Content {
    /// The indices of two nodes.
    Inner { left: u32, right: u32 },
    /// A range of points.
    Leaf { start: u32, end: u32 },
}

#[device]
impl Node {
    /// Returns the square of the distance of a point to the box, 0 inside.
    fn distance(&self, to: Point) -> f32 {
        let mut square = 0.0;
        for k in 0..3 {
            let d = (self.low[k] - to[k]).max(to[k] - self.high[k]).max(0.0);
            square += d * d;
        }
        square
    }
}

/// Finds for each query the index of the nearest point.
#[kernel]
fn nearest(nodes: &[Node], points: &[Point], queries: &[Point], found: &mut [u32]) {
    let i = grid(1);
    if i >= queries.len() {
        return;
    }
    let query = queries[i];
    let (mut best, mut index) = (f32::INFINITY, u32::MAX);
    // A node is replaced by its two children, so that the stack is at most one longer than the tree is high. The tree
    // halves the points at each level, and `u32` indices are halved at most 32 times.
    let mut stack = [0; 33];
    let mut len = 1;
    while len > 0 {
        len -= 1;
        let node = nodes[stack[len] as usize];
        if node.distance(query) >= best {
            continue;
        }
        match node.content {
            Content::Leaf { start, end } => {
                for j in start..end {
                    let point = points[j as usize];
                    let mut square = 0.0;
                    for k in 0..3 {
                        square += (point[k] - query[k]) * (point[k] - query[k]);
                    }
                    if square < best {
                        (best, index) = (square, j);
                    }
                }
            }
            Content::Inner { left, right } => {
                // The nearer child is visited first, since it shrinks the search.
                let is_left = nodes[left as usize].distance(query) < nodes[right as usize].distance(query);
                (stack[len], stack[len + 1]) = if is_left { (right, left) } else { (left, right) };
                len += 2;
            }
        }
    }
    found[i] = index;
}

/// The maximum number of points of a leaf.
const LEAF: usize = 8;

/// Appends the tree of `points`, which start at index `first` of all points, to `nodes`, and returns its index.
fn build(points: &mut [Point], first: u32, nodes: &mut Vec<Node>) -> u32 {
    let corner = |f: fn(f32, f32) -> f32, start| {
        points.iter().fold([start; 3], |corner, point| [0, 1, 2].map(|k| f(corner[k], point[k])))
    };
    let (low, high) = (corner(f32::min, f32::INFINITY), corner(f32::max, f32::NEG_INFINITY));
    let index = nodes.len();
    nodes.push(Node { low, high, content: Content::Leaf { start: first, end: first + points.len() as u32 } });
    if points.len() > LEAF {
        let widest = (0..3).max_by(|&j, &k| (high[j] - low[j]).total_cmp(&(high[k] - low[k]))).unwrap_or(0);
        let middle = points.len() / 2;
        points.select_nth_unstable_by(middle, |a, b| a[widest].total_cmp(&b[widest]));
        let (left, right) = points.split_at_mut(middle);
        let left = build(left, first, nodes);
        let right = build(right, first + middle as u32, nodes);
        nodes[index].content = Content::Inner { left, right };
    }
    index as u32
}

/// Returns random points in a cube, most of them near its centre. A device function runs on the host as well.
fn cloud(n: usize, seed: u64) -> Vec<Point> {
    let mut random = Philox::new(seed, 0, 0);
    (0..n).map(|_| [(); 3].map(|()| (random.uniform_f32() - 0.5) * random.uniform_f32())).collect()
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(if device.is_cpu() {
        50_000
    } else {
        2_000_000
    });
    let (mut points, queries, mut nodes) = (cloud(n, 1), cloud(n, 2), Vec::new());
    build(&mut points, 0, &mut nodes);

    let (tree, on_device) = (device.to_device(&nodes)?, device.to_device(&points)?);
    let (from, mut found) = (device.to_device(&queries)?, device.zeros::<u32>(n)?);
    let prepared = nearest(&tree, &on_device, &from, &mut found).over(n).prepare()?; // compiles the kernel
    let start = Instant::now();
    prepared.launch()?;
    device.synchronize()?;
    let time = start.elapsed();

    // Some queries are compared with all points, in `f64`.
    let found = found.to_host()?;
    for i in (0..n).step_by(n.div_ceil(1000).max(1)) {
        let square =
            |point: &Point| (0..3).map(|k| (f64::from(point[k]) - f64::from(queries[i][k])).powi(2)).sum::<f64>();
        let least = points.iter().map(square).fold(f64::INFINITY, f64::min);
        let square = square(&points[found[i] as usize]);
        assert!(square <= least * (1.0 + 1e-6), "query {i}: the square is {square:e}, expected {least:e}");
    }
    println!("bvh on {device}: {n} queries of {n} points, {} boxes, in {time:.1?}, the result is correct", nodes.len());
    Ok(())
}
