//! Product of a sparse matrix in compressed rows (CSR) and a vector, one row per thread, with 32 and with 8 entries a row. The
//! columns of the entries are random: the kernel gathers from a vector that fits in the second-level cache.

use cumbia::prelude::*;

use super::inputs::{random, random_below, sample};
use crate::workload::{ByHand, Entry, Size, Variant, Work, Workload, enqueue, int, pointer, variants};

variants! {
    #[kernel]
    fn sparse(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
        let row = grid(1);
        if row < y.len() {
            let mut sum = 0.0;
            for k in starts[row] as usize..starts[row + 1] as usize {
                sum += values[k] * x[columns[k] as usize];
            }
            y[row] = sum;
        }
    }
}

/// Sets the first entry of each row of a matrix with `width` entries a row.
#[kernel]
fn set_starts(width: usize, starts: &mut [u32]) {
    let row = grid(1);
    if row < starts.len() {
        starts[row] = (row * width) as u32;
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void sparse(const unsigned* __restrict__ starts, const unsigned* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ x, float* __restrict__ y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        unsigned end = starts[row + 1];
        for (unsigned k = starts[row]; k < end; ++k) sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}
"#;

pub(crate) const WIDE: Entry = Entry {
    peer: "sparse product, 32 a row",
    ..Entry::new(
        "sparse32",
        "sparse product, 32 a row",
        CUDA_C,
        &[("sparse", "CUDA C")],
        new::<32, 20>,
        cubins,
        inspected,
    )
};

pub(crate) const NARROW: Entry = Entry {
    peer: "sparse product, 8 a row",
    ..Entry::new("sparse8", "sparse product, 8 a row", CUDA_C, &[("sparse", "CUDA C")], new::<8, 22>, cubins, inspected)
};

struct Sparse {
    starts: DeviceArray<u32>,
    columns: DeviceArray<u32>,
    values: DeviceArray<f32>,
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

fn new<const WIDTH: usize, const LOG_ROWS: u32>(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let (rows, width) = (size.pick(1 << LOG_ROWS, 1000), size.pick(1 << 20, 777));
    let mut starts = device.zeros(rows + 1)?;
    set_starts(WIDTH, &mut starts).over(rows + 1).launch()?;
    Ok(Box::new(Sparse {
        starts,
        columns: random_below(device, rows * WIDTH, 1, width)?,
        values: random(device, rows * WIDTH, 2, [-1.0, 1.0])?,
        x: random(device, width, 3, [-1.0, 1.0])?,
        y: device.zeros(rows)?,
    }))
}

impl Workload for Sparse {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let rows = self.y.len();
        enqueue!(variant, sparse(&self.starts, &self.columns, &self.values, &self.x, &mut self.y).over(rows))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let arrays = [pointer(&self.starts), pointer(&self.columns), pointer(&self.values), pointer(&self.x)];
        let rows = self.y.len();
        vec![ByHand::over("sparse", rows, &[&arrays[..], &[pointer(&self.y), int(rows)]].concat())]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.y)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let (starts, columns, values) = (self.starts.to_host()?, self.columns.to_host()?, self.values.to_host()?);
        let x = self.x.to_host()?;
        let row = |ends: &[u32]| (ends[0] as usize..ends[1] as usize).map(|k| values[k] * x[columns[k] as usize]).sum();
        Ok(starts.windows(2).map(row).collect())
    }

    fn work(&self) -> Work {
        Work::Bytes(4 * (self.starts.len() + self.columns.len() + self.values.len() + self.x.len() + self.y.len()))
    }
}
