//! The assignment step of k-means: the nearest of 64 centroids for each of 2²⁴ points of four coordinates.

use cumbia::prelude::*;
use cumbia::vector::Float4;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, int, pointer, variants};

variants! {
    #[kernel]
    fn k_means(points: &[Float4], centroids: &[Float4], labels: &mut [u32]) {
        let i = grid(1);
        if i < labels.len() {
            let point = points[i];
            let (mut nearest, mut least) = (0, f32::INFINITY);
            for k in 0..centroids.len() {
                let d = point - centroids[k];
                let square = d.dot(d);
                if square < least {
                    (nearest, least) = (k, square);
                }
            }
            labels[i] = nearest as u32;
        }
    }
}

const CUDA_C: &str = r#"
extern "C" __global__ void k_means(const float4* __restrict__ points, const float4* __restrict__ centroids, unsigned* __restrict__ labels, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 point = points[i];
        int nearest = 0;
        float least = __int_as_float(0x7f800000);
        for (int k = 0; k < count; ++k) {
            float4 c = centroids[k];
            float x = point.x - c.x, y = point.y - c.y, z = point.z - c.z, w = point.w - c.w;
            float square = x * x + y * y + z * z + w * w;
            if (square < least) {
                nearest = k;
                least = square;
            }
        }
        labels[i] = nearest;
    }
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "k-means 2^24",
    // Which of two centroids is nearer may depend on rounding.
    tolerance: Tolerance { relative: 0.0, share: 1e-4 },
    ..Entry::new("k_means", "k-means assignment, 2²⁴", CUDA_C, &[("k_means", "CUDA C")], new, cubins, inspected)
};

const CENTROIDS: usize = 64;

struct KMeans {
    points: DeviceArray<f32>,
    centroids: DeviceArray<f32>,
    labels: DeviceArray<u32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let n = size.pick(1 << 24, 1000);
    Ok(Box::new(KMeans {
        points: random(device, 4 * n, 1, [0.0, 1.0])?,
        centroids: random(device, 4 * CENTROIDS, 2, [0.0, 1.0])?,
        labels: device.zeros(n)?,
    }))
}

impl Workload for KMeans {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let n = self.labels.len();
        let (points, centroids) = (self.points.cast()?, self.centroids.cast()?);
        enqueue!(variant, k_means(&points, &centroids, &mut self.labels).over(n))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let n = self.labels.len();
        let arrays = [pointer(&self.points), pointer(&self.centroids), pointer(&self.labels)];
        vec![ByHand::over("k_means", n, &[&arrays[..], &[int(n), int(CENTROIDS)]].concat())]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.labels.fill(u32::MAX)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        Ok(sample(&self.labels)?.into_iter().map(|label| label as f32).collect())
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let centroids = self.centroids.to_host()?;
        let nearest = |point: &[f32]| {
            let square = |c: &[f32]| c.iter().zip(point).map(|(c, p)| (p - c) * (p - c)).sum::<f32>();
            let squares: Vec<f32> = centroids.chunks(4).map(square).collect();
            let least = squares.iter().copied().fold(f32::INFINITY, f32::min);
            squares.iter().position(|square| *square == least).expect("there is a least one") as f32
        };
        Ok(self.points.to_host()?.chunks(4).map(nearest).collect())
    }

    /// Four differences, four products and three sums for each centroid.
    fn work(&self) -> Work {
        Work::Flops(11.0 * (CENTROIDS * self.labels.len()) as f64)
    }
}
