//! Parallel algorithms with any operator: reductions, scans, selections and transformations of arrays; and in kernels,
//! reductions, scans, sorts, histograms, loads and stores of the values of the threads of a warp or a block.
//!
//! [`docs/algorithms.md`] describes them, with their temporary memory, determinism and error bounds.
//!
//! [`docs/algorithms.md`]: https://github.com/cumbia-rs/cumbia/blob/main/docs/algorithms.md
//!
//! Use it through the `cumbia` crate, as `cumbia::algorithm`. It is implemented like user code, with `#[kernel]` and `#[device]`;
//! the compiler has no special knowledge of it.

// The expansion of the macros refers to the runtime as `::cumbia`, a crate that depends on this one.
extern crate cumbia_kernel_runtime as cumbia;

mod adjacent;
mod arrays;
mod block;
mod histogram;
mod indexed;
mod key;
mod matrix;
mod methods;
mod operator;
mod predicate;
mod queue;
mod reduce;
mod residency;
mod scan;
mod search;
mod sort;
mod transform;
mod warp;

pub use arrays::{Input, Output};
pub use block::exchange::{Access, Arrangement, Blocked, Striped, Transposed, block_exchange, block_load, block_store};
pub use block::histogram::{block_histogram, block_histogram_add};
pub use block::sort::{Ascending, Descending, Direction, block_sort, block_sort_by_key};
pub use block::{
    block_exclusive_scan, block_exclusive_scan_array, block_inclusive_scan, block_inclusive_scan_array, block_reduce,
    block_reduce_array,
};
pub use cumbia_kernel_macros::device_fn;
pub use histogram::{EvenBins, Histogram, OwnBin, histogram};
pub use indexed::{Indexed, Iota, gather, iota, scatter};
pub use key::SortKey;
pub use matrix::reduce_rows::{
    Converted, IndexOf, Mean, MeanOf, ReduceRows, Reduction, argmax_rows, argmin_rows, mean_rows, reduce_rows,
    transform_reduce_rows,
};
pub use matrix::rows::{LayerNormRows, SoftmaxRows, layer_norm_rows, softmax_rows};
pub use matrix::runs::{SegmentedReduce, segmented_reduce};
pub use matrix::transpose::{Transpose, transpose};
pub use methods::{ArrayMethods, ArrayMethodsMut};
pub use operator::{And, Equatable, Function1, Function2, Function3, Identity, Maximum, Minimum, Or, Plus, Times, Xor};
pub use predicate::{all, any, count};
pub use reduce::{PreparedReduce, Reduce, ReduceMemory, reduce, transform_reduce, transform_reduce2};
pub use scan::by_key::{PreparedScanByKey, RunsMemory, ScanByKey, exclusive_scan_by_key, inclusive_scan_by_key};
pub use scan::counted::CountedMemory;
pub use scan::reduce_by_key::{PreparedReduceByKey, ReduceByKey, reduce_by_key};
pub use scan::run_lengths::{PreparedRunLengthEncode, RunLengthEncode, RunLengthMemory, run_length_encode};
pub use scan::select::{PreparedSelect, Select, SelectMemory, partition, select, unique};
pub use scan::{
    PreparedScan, Scan, ScanMemory, exclusive_scan, exclusive_scan_in_place, inclusive_scan, inclusive_scan_in_place,
};
pub use search::{
    Enumerated, Extreme, Found, IndexedValue, MinMax, PreparedSearch, Search, ToMinMax, Widest, argmax, argmin, min_max,
};
pub use sort::argsort::{ArgSort, ArgSortMemory, PreparedArgSort, argsort};
pub use sort::memory::SortMemory;
pub use sort::radix::{PreparedSort, Sort, sort, sort_by_key, sort_by_key_into, sort_into};
pub use sort::segmented::{PreparedSegmentedSort, SegmentedSort, SegmentedSortMemory, segmented_sort};
pub use sort::top_k::{PreparedTopK, TopK, TopKMemory, top_k};
pub use transform::{Itself, Transform, transform, transform_in_place, transform2, transform2_in_place, transform3};
pub use warp::{
    warp_exclusive_scan, warp_exclusive_scan_array, warp_inclusive_scan, warp_inclusive_scan_array, warp_reduce,
    warp_reduce_array,
};

/// The kernels, for inspection.
#[doc(hidden)]
pub mod kernels {
    pub use crate::histogram::count_bins;
    pub use crate::indexed::{fill_indices, gather_elements, scatter_elements};
    pub use crate::matrix::reduce_rows::reduce_each_row;
    pub use crate::matrix::rows::{layer_norm_of_long_rows, layer_norm_of_rows, softmax_of_long_rows, softmax_of_rows};
    pub use crate::matrix::runs::reduce_each_segment;
    pub use crate::matrix::transpose::{transpose_elements, transpose_tiles};
    pub use crate::predicate::Indicator;
    pub use crate::queue::{copy_elements, fill_elements};
    pub use crate::reduce::chunks::{Chunks, Mapping, OfOne, OfTwo, reduce_chunk_alone, reduce_chunks};
    pub use crate::scan::by_key::{Runs, scan_runs};
    pub use crate::scan::look_ahead::States;
    pub use crate::scan::reduce_by_key::reduce_runs;
    pub use crate::scan::run_lengths::{Beginnings, encode_tiles};
    pub use crate::scan::scan_tiles;
    pub use crate::scan::select::{Condition, Differs, Holds, select_tiles};
    pub use crate::sort::count::radix_count;
    pub use crate::sort::onesweep::radix_move;
    pub use crate::sort::segmented::{number_segments, store_segments};
    pub use crate::sort::small::{argsort_of_block, sort_of_block, sort_of_block_into};
    pub use crate::transform::{
        transform_itself, transform_itself_with, transform_of_one, transform_of_three, transform_of_two,
    };
}
