//! The Mandelbrot set in 4096 × 4096 points, with at most 256 iterations.

use cumbia::prelude::*;

use super::inputs::sample;
use crate::workload::{
    ByHand, Entry, Parameter, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants,
};

const LIMIT: u32 = 256;

/// Returns the number of iterations until the point escapes.
#[device]
fn escape(a: f32, b: f32) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    for k in 0..LIMIT {
        if x * x + y * y > 4.0 {
            return k;
        }
        (x, y) = (x * x - y * y + a, 2.0 * x * y + b);
    }
    LIMIT
}

variants! {
    #[kernel]
    fn mandelbrot(left: f32, top: f32, step: f32, mut image: ArrayViewMut2<u32>) {
        let (j, i) = grid(2);
        if i < image.nrows() && j < image.ncols() {
            image[[i, j]] = escape(left + step * j as f32, top - step * i as f32);
        }
    }
}

const CUDA_C: &str = r#"
static __device__ unsigned escape(float a, float b) {
    float x = 0.0f, y = 0.0f;
    for (unsigned k = 0; k < 256; ++k) {
        if (x * x + y * y > 4.0f) return k;
        float next = x * x - y * y + a;
        y = 2.0f * x * y + b;
        x = next;
    }
    return 256;
}

extern "C" __global__ void mandelbrot(float left, float top, float step, unsigned* __restrict__ image, int rows, int columns) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < rows && j < columns) image[i * columns + j] = escape(left + step * j, top - step * i);
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "mandelbrot 4096",
    // The number of iterations depends on the rounding of the orbit.
    tolerance: Tolerance { relative: 0.0, share: 0.01 },
    ..Entry::new("mandelbrot", "Mandelbrot, 4096²", CUDA_C, &[("mandelbrot", "CUDA C")], new, cubins, inspected)
};

struct Mandelbrot {
    size: usize,
    image: DeviceArray<u32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let size = size.pick(4096, 40);
    Ok(Box::new(Mandelbrot { size, image: device.zeros(size * size)? }))
}

const LEFT: f32 = -2.25;
const TOP: f32 = 1.5;

impl Mandelbrot {
    fn step(&self) -> f32 {
        3.0 / self.size as f32
    }
}

impl Workload for Mandelbrot {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let (n, step) = (self.size, self.step());
        enqueue!(variant, mandelbrot(LEFT, TOP, step, self.image.reshape_mut((n, n))?).over((n, n)))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let [left, top, step] = [LEFT, TOP, self.step()].map(Parameter::Float);
        let (n, image) = (self.size, pointer(&self.image));
        let grid = [n.div_ceil(32), n.div_ceil(8)];
        vec![ByHand::new("mandelbrot", grid, [32, 8], &[left, top, step, image, int(n), int(n)])]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.image.fill(0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        Ok(sample(&self.image)?.into_iter().map(|count| count as f32).collect())
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let (n, step) = (self.size, self.step());
        let point = |k: usize| escape(LEFT + step * (k % n) as f32, TOP - step * (k / n) as f32) as f32;
        Ok((0..n * n).map(point).collect())
    }

    fn work(&self) -> Work {
        Work::Items(self.size * self.size)
    }
}
