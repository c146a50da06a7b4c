//! One step of heat conduction by views: the five-point stencil on a grid of 16384 × 16384, and the seven-point stencil on one of
//! 512 × 512 × 512, one point per thread. The points of the boundary keep their values.

use cumbia::prelude::*;

use super::inputs::{random, sample};
use crate::workload::{
    ByHand, Cubins, Entry, Parameter, Size, Variant, Work, Workload, enqueue, int, pointer, variants,
};

variants! {
    #[kernel]
    fn five_point(weight: f32, x: ArrayView2<f32>, mut y: ArrayViewMut2<f32>) {
        let (j, i) = grid(2);
        let (rows, columns) = x.dim();
        if i > 0 && i + 1 < rows && j > 0 && j + 1 < columns {
            let around = x[[i - 1, j]] + x[[i + 1, j]] + x[[i, j - 1]] + x[[i, j + 1]];
            y[[i, j]] = x[[i, j]] + weight * (around - 4.0 * x[[i, j]]);
        }
    }

    #[kernel]
    fn seven_point(weight: f32, x: ArrayView3<f32>, mut y: ArrayViewMut3<f32>) {
        let (k, j, i) = grid(3);
        let (planes, rows, columns) = x.dim();
        if i > 0 && i + 1 < planes && j > 0 && j + 1 < rows && k > 0 && k + 1 < columns {
            let around = x[[i - 1, j, k]] + x[[i + 1, j, k]] + x[[i, j - 1, k]] + x[[i, j + 1, k]] + x[[i, j, k - 1]] + x[[i, j, k + 1]];
            y[[i, j, k]] = x[[i, j, k]] + weight * (around - 6.0 * x[[i, j, k]]);
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void five_point(float weight, const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i + 1 < rows && j > 0 && j + 1 < columns) {
        int at = i * columns + j;
        float around = x[at - columns] + x[at + columns] + x[at - 1] + x[at + 1];
        y[at] = x[at] + weight * (around - 4.0f * x[at]);
    }
}

extern "C" __global__ void seven_point(float weight, const float* __restrict__ x, float* __restrict__ y, int planes, int rows, int columns) {
    int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, i = blockIdx.z * blockDim.z + threadIdx.z;
    if (i > 0 && i + 1 < planes && j > 0 && j + 1 < rows && k > 0 && k + 1 < columns) {
        int plane = rows * columns, at = i * plane + j * columns + k;
        float around = x[at - plane] + x[at + plane] + x[at - columns] + x[at + columns] + x[at - 1] + x[at + 1];
        y[at] = x[at] + weight * (around - 6.0f * x[at]);
    }
}
"#;

pub(crate) const PLANE: Entry = Entry {
    peer: "stencil 2-D",
    ..Entry::new(
        "stencil2d",
        "five-point stencil, 16384²",
        CUDA_C,
        &[("five_point", "CUDA C")],
        new_plane,
        cubins,
        inspected,
    )
};

pub(crate) const SPACE: Entry = Entry {
    peer: "stencil 3-D",
    // The machine code of both kernels is that of the other entry.
    ..Entry::new(
        "stencil3d",
        "seven-point stencil, 512³",
        CUDA_C,
        &[("seven_point", "CUDA C")],
        new_space,
        none,
        Vec::new,
    )
};

fn none(_architecture: &str) -> Cubins {
    Vec::new()
}

const WEIGHT: f32 = 0.125;

struct Plane {
    shape: [usize; 2],
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

fn new_plane(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let shape @ [rows, columns] = [size.pick(1 << 14, 50), size.pick(1 << 14, 70)];
    let x = random(device, rows * columns, 1, [0.0, 1.0])?;
    Ok(Box::new(Plane { shape, x, y: device.zeros(rows * columns)? }))
}

impl Workload for Plane {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let [rows, columns] = self.shape;
        let (x, y) = (self.x.reshape((rows, columns))?, self.y.reshape_mut((rows, columns))?);
        enqueue!(variant, five_point(WEIGHT, x, y).over((columns, rows)))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let [rows, columns] = self.shape;
        let parameters = [Parameter::Float(WEIGHT), pointer(&self.x), pointer(&self.y), int(rows), int(columns)];
        vec![ByHand::new("five_point", [columns.div_ceil(32), rows.div_ceil(8)], [32, 8], &parameters)]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.y)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let [rows, columns] = self.shape;
        let x = self.x.to_host()?;
        let mut y = vec![0.0; x.len()];
        for i in 1..rows - 1 {
            for at in i * columns + 1..(i + 1) * columns - 1 {
                let around = x[at - columns] + x[at + columns] + x[at - 1] + x[at + 1];
                y[at] = x[at] + WEIGHT * (around - 4.0 * x[at]);
            }
        }
        Ok(y)
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.x.len())
    }
}

struct Space {
    shape: [usize; 3],
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

fn new_space(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let shape = [size.pick(512, 10), size.pick(512, 12), size.pick(512, 14)];
    let len = shape.iter().product();
    Ok(Box::new(Space { shape, x: random(device, len, 1, [0.0, 1.0])?, y: device.zeros(len)? }))
}

impl Workload for Space {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let [planes, rows, columns] = self.shape;
        let shape = (planes, rows, columns);
        let (x, y) = (self.x.reshape(shape)?, self.y.reshape_mut(shape)?);
        enqueue!(variant, seven_point(WEIGHT, x, y).over((columns, rows, planes)))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let [planes, rows, columns] = self.shape;
        let extents = self.shape.map(int);
        let parameters = [&[Parameter::Float(WEIGHT), pointer(&self.x), pointer(&self.y)][..], &extents].concat();
        let grid = [columns.div_ceil(32), rows.div_ceil(8), planes];
        vec![ByHand::new("seven_point", grid, [32, 8, 1], &parameters)]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.y)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let [planes, rows, columns] = self.shape;
        let (x, plane) = (self.x.to_host()?, rows * columns);
        let mut y = vec![0.0; x.len()];
        for i in 1..planes - 1 {
            for j in 1..rows - 1 {
                for at in i * plane + j * columns + 1..i * plane + (j + 1) * columns - 1 {
                    let across = x[at - plane] + x[at + plane];
                    let around = across + x[at - columns] + x[at + columns] + x[at - 1] + x[at + 1];
                    y[at] = x[at] + WEIGHT * (around - 6.0 * x[at]);
                }
            }
        }
        Ok(y)
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.x.len())
    }
}
