//! Rectification (`ReLU`) of a matrix of 16384 × 4096 with a bias for each column, by a two-dimensional grid.

use cumbia::prelude::*;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Variant, Work, Workload, enqueue, int, pointer, variants};

variants! {
    #[kernel]
    fn relu_bias(x: &[f32], bias: &[f32], y: &mut [f32], rows: usize, columns: usize) {
        let (column, row) = grid(2);
        if row < rows && column < columns {
            let i = row * columns + column;
            y[i] = (x[i] + bias[column]).max(0.0);
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void relu_bias(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y, int rows, int columns) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && column < columns) {
        int i = row * columns + column;
        y[i] = fmaxf(x[i] + bias[column], 0.0f);
    }
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "relu bias 16384x4096",
    ..Entry::new(
        "relu_bias",
        "ReLU with bias, 16384 × 4096",
        CUDA_C,
        &[("relu_bias", "CUDA C")],
        new,
        cubins,
        inspected,
    )
};

struct ReluBias {
    rows: usize,
    columns: usize,
    x: DeviceArray<f32>,
    bias: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let (rows, columns) = (size.pick(1 << 14, 30), size.pick(1 << 12, 70));
    let (x, bias) = (random(device, rows * columns, 1, [-1.0, 1.0])?, random(device, columns, 2, [-1.0, 1.0])?);
    Ok(Box::new(ReluBias { rows, columns, x, bias, y: device.zeros(rows * columns)? }))
}

impl Workload for ReluBias {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let (rows, columns) = (self.rows, self.columns);
        enqueue!(variant, relu_bias(&self.x, &self.bias, &mut self.y, rows, columns).over((columns, rows)))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let (rows, columns) = (self.rows, self.columns);
        let parameters = [pointer(&self.x), pointer(&self.bias), pointer(&self.y), int(rows), int(columns)];
        vec![ByHand::new("relu_bias", [columns.div_ceil(32), rows.div_ceil(8)], [32, 8], &parameters)]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.y)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let bias = self.bias.to_host()?;
        Ok(self.x.to_host()?.iter().zip(bias.iter().cycle()).map(|(x, bias)| (x + bias).max(0.0)).collect())
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.x.len())
    }
}
