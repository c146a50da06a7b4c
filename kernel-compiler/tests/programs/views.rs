fn sum(row: ArrayView1<f32>) -> f32 {
    let mut total = 0.0f32;
    for i in 0..row.len() {
        total += row[i];
    }
    total
}

fn views(a: ArrayView2<f32>, volume: ArrayView3<f32>, b: ArrayViewMut2<f32>, out: &mut [f32], flat: &mut [f32]) {
    let i = grid(1);
    let (rows, columns): (usize, usize) = a.dim();
    if i >= rows || b.is_empty() {
        return;
    }
    let row: ArrayView1<f32> = a.row(i);
    out[i] = sum(row) + sum(a.column(0)) + sum(volume.plane(i).row(1));
    let transposed: ArrayView2<f32> = a.t();
    let shape: [usize; 3] = volume.shape();
    let last: ArrayViewMut1<f32> = b.column_mut(columns - 1);
    last[i] = transposed[[0, i]] + shape[2] as f32 + a.nrows() as f32 * a.ncols() as f32 + volume.len() as f32;
    let (left, right): (&mut [f32], &mut [f32]) = flat.split_at_mut(i);
    if !left.is_empty() {
        left[0] = right[right.len() - 1];
    }
}
