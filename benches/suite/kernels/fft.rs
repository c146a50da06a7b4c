//! Fourier transform of each row of 8192 complex numbers: a block of 1024 threads transforms a row by the Stockham algorithm, in
//! four passes of radix 8 and one of radix 2 through dynamic shared memory.

use std::f32::consts::{FRAC_1_SQRT_2, PI};

use cumbia::intrinsics::fast;
use cumbia::prelude::*;
use cumbia::vector::Float2;

use super::inputs::{random, sample};
use crate::workload::{ByHand, Entry, Size, Tolerance, Variant, Work, Workload, enqueue, pointer, variants};

/// The complex numbers of a row.
const N: usize = 8192;
const THREADS: usize = N / 8;

#[device]
fn times(a: Float2, b: Float2) -> Float2 {
    Float2::new(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
}

/// Returns e^(i·angle).
#[device]
fn unit(angle: f32) -> Float2 {
    let (sin, cos) = fast::sin_cos(angle);
    Float2::new(cos, sin)
}

/// Returns the transform of four numbers.
#[device]
fn transform4(a: Float2, b: Float2, c: Float2, d: Float2) -> [Float2; 4] {
    let (even, odd) = (a + c, b + d);
    let (p, q) = (a - c, b - d);
    let turned = Float2::new(q.y, -q.x); // times -i
    [even + odd, p + turned, even - odd, p - turned]
}

/// Returns the transform of eight numbers.
#[device]
fn transform8(v: [Float2; 8]) -> [Float2; 8] {
    let e = transform4(v[0], v[2], v[4], v[6]);
    let o = transform4(v[1], v[3], v[5], v[7]);
    let o1 = Float2::new(o[1].x + o[1].y, o[1].y - o[1].x) * FRAC_1_SQRT_2; // times e^(-iπ/4)
    let o2 = Float2::new(o[2].y, -o[2].x);
    let o3 = Float2::new(o[3].y - o[3].x, -o[3].x - o[3].y) * FRAC_1_SQRT_2; // times e^(-3iπ/4)
    [e[0] + o[0], e[1] + o1, e[2] + o2, e[3] + o3, e[0] - o[0], e[1] - o1, e[2] - o2, e[3] - o3]
}

variants! {
    #[kernel(block = 1024, launch_bounds(1024, 2))]
    fn fft(x: ArrayView2<Float2>, mut y: ArrayViewMut2<Float2>) {
        let mut buffer = dynamic_shared::<Float2>();
        let (row, t) = (block_idx().x, thread_idx().x);
        let mut v = [Float2::ZERO; 8];
        #[unroll]
        for r in 0..8 {
            v[r] = x[[row, t + r * THREADS]];
        }
        v = transform8(v);
        #[unroll]
        for r in 0..8 {
            buffer[8 * t + r] = v[r];
        }
        sync_threads();
        // The lengths of the transforms that are complete.
        for width in [8, 64, 512] {
            let k = t & (width - 1);
            #[unroll]
            for r in 0..8 {
                v[r] = buffer[t + r * THREADS];
            }
            sync_threads(); // all reads are done
            let root = unit(-2.0 * PI / 8.0 * (k as f32 / width as f32));
            let mut factor = root;
            #[unroll]
            for r in 1..8 {
                v[r] = times(v[r], factor);
                factor = times(factor, root);
            }
            v = transform8(v);
            let first = (t - k) * 8 + k;
            #[unroll]
            for r in 0..8 {
                buffer[first + r * width] = v[r];
            }
            sync_threads(); // all writes are done
        }
        #[unroll]
        for q in 0..4 {
            let k = t + q * THREADS;
            let (even, odd) = (buffer[k], times(buffer[k + N / 2], unit(-PI * (k as f32 / (N / 2) as f32))));
            y[[row, k]] = even + odd;
            y[[row, k + N / 2]] = even - odd;
        }
    }
}

const CUDA_C: &str = r#"
#define DEVICE static __device__ __forceinline__
DEVICE float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
DEVICE float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
DEVICE float2 operator*(float2 a, float f) { return make_float2(a.x * f, a.y * f); }
DEVICE float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
DEVICE float2 unit(float angle) {
    float2 z;
    __sincosf(angle, &z.y, &z.x);
    return z;
}
DEVICE void transform4(float2& a, float2& b, float2& c, float2& d) {
    float2 even = a + c, odd = b + d, p = a - c, q = b - d, turned = make_float2(q.y, -q.x);
    a = even + odd;
    b = p + turned;
    c = even - odd;
    d = p - turned;
}
DEVICE void transform8(float2 (&v)[8]) {
    transform4(v[0], v[2], v[4], v[6]);
    transform4(v[1], v[3], v[5], v[7]);
    float2 o0 = v[1];
    float2 o1 = make_float2(v[3].x + v[3].y, v[3].y - v[3].x) * 0.70710678f;
    float2 o2 = make_float2(v[5].y, -v[5].x);
    float2 o3 = make_float2(v[7].y - v[7].x, -v[7].x - v[7].y) * 0.70710678f;
    float2 e0 = v[0], e1 = v[2], e2 = v[4], e3 = v[6];
    v[0] = e0 + o0; v[1] = e1 + o1; v[2] = e2 + o2; v[3] = e3 + o3;
    v[4] = e0 - o0; v[5] = e1 - o1; v[6] = e2 - o2; v[7] = e3 - o3;
}

extern "C" __global__ void __launch_bounds__(1024, 2) fft(const float2* __restrict__ x, float2* __restrict__ y) {
    extern __shared__ float2 buffer[];
    const int n = 8192, threads = n / 8;
    const float pi = 3.14159265f;
    int t = threadIdx.x;
    x += blockIdx.x * n;
    y += blockIdx.x * n;
    float2 v[8];
    #pragma unroll
    for (int r = 0; r < 8; ++r) v[r] = x[t + r * threads];
    transform8(v);
    #pragma unroll
    for (int r = 0; r < 8; ++r) buffer[8 * t + r] = v[r];
    __syncthreads();
    #pragma unroll
    for (int width = 8; width < n / 2; width *= 8) {
        int k = t & (width - 1);
        #pragma unroll
        for (int r = 0; r < 8; ++r) v[r] = buffer[t + r * threads];
        __syncthreads();
        float2 root = unit(-2.0f * pi / 8.0f * ((float)k / (float)width)), factor = root;
        #pragma unroll
        for (int r = 1; r < 8; ++r) {
            v[r] = times(v[r], factor);
            factor = times(factor, root);
        }
        transform8(v);
        int first = (t - k) * 8 + k;
        #pragma unroll
        for (int r = 0; r < 8; ++r) buffer[first + r * width] = v[r];
        __syncthreads();
    }
    #pragma unroll
    for (int q = 0; q < 4; ++q) {
        int k = t + q * threads;
        float2 even = buffer[k], odd = times(buffer[k + n / 2], unit(-pi * ((float)k / (float)(n / 2))));
        y[k] = even + odd;
        y[k + n / 2] = even - odd;
    }
}
"#;

pub(crate) const ENTRY: Entry = Entry {
    peer: "fft 8192 x8192",
    // The results are of the magnitude of the square root of 8192.
    tolerance: Tolerance::relative(1e-3),
    ..Entry::new("fft", "FFT, radix 8, 8192 × 8192", CUDA_C, &[("fft", "CUDA C")], new, cubins, inspected)
};

struct Fft {
    rows: usize,
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
}

fn new(device: &Device, size: Size) -> cumbia::Result<Box<dyn Workload>> {
    let rows = size.pick(8192, 1);
    let len = 2 * rows * N;
    Ok(Box::new(Fft { rows, x: random(device, len, 1, [-1.0, 1.0])?, y: device.zeros(len)? }))
}

impl Workload for Fft {
    fn launch(&mut self, variant: Variant) -> cumbia::Result<()> {
        let rows = self.rows;
        let (x, y) = (self.x.cast()?.reshape((rows, N))?, self.y.cast_mut()?.reshape((rows, N))?);
        enqueue!(variant, fft(x, y).grid(rows).shared_bytes(N * size_of::<Float2>()))
    }

    fn by_hand(&mut self) -> Vec<ByHand> {
        let launch = ByHand::new("fft", [self.rows], [THREADS], &[pointer(&self.x), pointer(&self.y)]);
        vec![ByHand { shared_bytes: N * size_of::<Float2>(), ..launch }]
    }

    fn reset(&mut self) -> cumbia::Result<()> {
        self.y.fill(0.0)
    }

    fn results(&self) -> cumbia::Result<Vec<f32>> {
        sample(&self.y)
    }

    fn expected(&self) -> cumbia::Result<Vec<f32>> {
        let x: Vec<_> = self.x.to_host()?.chunks(2).map(|z| [f64::from(z[0]), f64::from(z[1])]).collect();
        Ok(x.chunks(N).flat_map(host_transform).flatten().map(|part| part as f32).collect())
    }

    fn work(&self) -> Work {
        Work::Bytes(16 * self.rows * N)
    }
}

/// Returns the transform, by halves.
fn host_transform(x: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let n = x.len();
    if n == 1 {
        return x.to_vec();
    }
    let part = |first| host_transform(&x.iter().copied().skip(first).step_by(2).collect::<Vec<_>>());
    let (even, odd) = (part(0), part(1));
    let term = |k: usize| {
        let (sin, cos) = (-2.0 * std::f64::consts::PI * k as f64 / n as f64).sin_cos();
        let ([a, b], [c, d]) = (even[k % (n / 2)], odd[k % (n / 2)]);
        [a + c * cos - d * sin, b + c * sin + d * cos]
    };
    (0..n).map(term).collect()
}
