//! Transpose of a matrix of 16384 × 16384 through tiles in shared memory, whose rows are padded by an element so that the
//! reads of a column use different banks.

use cumbia::prelude::*;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants};

const TILE: usize = 32;
/// The rows of a block's threads, each of which moves `TILE / ROWS` elements.
const ROWS: usize = 8;

variants! {
    #[kernel(block = (32, 8))]
    fn transpose(a: ArrayView2<f32>, mut b: ArrayViewMut2<f32>) {
        let mut tile = shared::<[[f32; TILE + 1]; TILE]>();
        let (tx, ty) = (thread_idx().x, thread_idx().y);
        let (row, column) = (block_idx().y * TILE, block_idx().x * TILE);
        for k in (0..TILE).step_by(ROWS) {
            let (i, j) = (row + ty + k, column + tx);
            if i < a.nrows() && j < a.ncols() {
                tile[ty + k][tx] = a[[i, j]];
            }
        }
        sync_threads();
        for k in (0..TILE).step_by(ROWS) {
            let (i, j) = (column + ty + k, row + tx);
            if i < b.nrows() && j < b.ncols() {
                b[[i, j]] = tile[tx][ty + k];
            }
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void __launch_bounds__(256) transpose(const float* __restrict__ a, float* __restrict__ b, int rows, int columns) {
    __shared__ float tile[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32, column = blockIdx.x * 32;
    for (int k = 0; k < 32; k += 8) {
        int i = row + ty + k, j = column + tx;
        if (i < rows && j < columns) tile[ty + k][tx] = a[i * columns + j];
    }
    __syncthreads();
    for (int k = 0; k < 32; k += 8) {
        int i = column + ty + k, j = row + tx;
        if (i < columns && j < rows) b[i * rows + j] = tile[tx][ty + k];
    }
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "transpose 16384 f32",
    tolerance: Tolerance::EXACT,
    ..Entry::new("transpose", "transpose, 16384²", CUDA_C, &[("transpose", "CUDA C")], new, cubins, inspected)
};

struct Transpose {
    rows: usize,
    columns: usize,
    a: DeviceArray<f32>,
    b: DeviceArray<f32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let (rows, columns) = (size.pick(1 << 14, 100), size.pick(1 << 14, 70));
    let a = random(device, rows * columns, 1, [0.0, 1.0])?;
    Ok(Box::new(Transpose { rows, columns, a, b: device.zeros(rows * columns)? }))
}

impl Workload for Transpose {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let (rows, columns) = (self.rows, self.columns);
        let (a, b) = (self.a.reshape((rows, columns))?, self.b.reshape_mut((columns, rows))?);
        enqueue!(variant, transpose(a, b).grid((columns.div_ceil(TILE), rows.div_ceil(TILE))))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let parameters = [pointer(&self.a), pointer(&self.b), int(self.rows), int(self.columns)];
        let grid = [self.columns.div_ceil(TILE), self.rows.div_ceil(TILE)];
        vec![ByHand::new("transpose", grid, [TILE, ROWS], &parameters)]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.b.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.b)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let a = self.a.to_host()?;
        Ok((0..a.len()).map(|k| a[k % self.rows * self.columns + k / self.rows]).collect())
    }

    fn work(&self) -> Work {
        Work::Bytes(8 * self.a.len())
    }
}
