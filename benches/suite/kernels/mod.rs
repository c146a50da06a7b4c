//! The workloads. Each file holds a kernel as a user writes it, the same algorithm in hand-written CUDA C++, the sizes, and a
//! reference on the host.

pub(crate) mod inputs;

mod black_scholes;
mod fft;
mod gelu;
mod histogram;
mod k_means;
mod mandelbrot;
mod n_body;
mod particles;
mod product;
mod relu_bias;
mod saxpy;
mod scan;
mod sgemm;
mod softmax;
mod sparse;
mod stencil;
mod sum;
mod transpose;
mod vector_add;

use crate::workload::Entry;

/// All workloads, in the order of the table.
pub(crate) const ENTRIES: &[Entry] = &[
    saxpy::ENTRY,
    vector_add::ENTRY,
    gelu::ENTRY,
    relu_bias::ENTRY,
    sum::SCALAR,
    sum::VECTORS,
    scan::ENTRY,
    histogram::ENTRY,
    transpose::ENTRY,
    stencil::PLANE,
    stencil::SPACE,
    softmax::ENTRY,
    product::ENTRY,
    sgemm::SMALLER,
    sgemm::LARGER,
    n_body::ENTRY,
    fft::ENTRY,
    particles::ENTRY,
    mandelbrot::ENTRY,
    sparse::WIDE,
    sparse::NARROW,
    black_scholes::ENTRY,
    k_means::ENTRY,
];

/// Returns the product of two square matrices.
fn host_product(a: &[f32], b: &[f32], n: usize) -> Vec<f32> {
    let mut c = vec![0.0; n * n];
    for (row, c) in a.chunks(n).zip(c.chunks_mut(n)) {
        for (a, b) in row.iter().zip(b.chunks(n)) {
            c.iter_mut().zip(b).for_each(|(c, b)| *c += a * b);
        }
    }
    c
}
