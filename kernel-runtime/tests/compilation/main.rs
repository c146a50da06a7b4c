//! Tests of the compilation pipeline through the public interface: the cache, precompiled kernels, inspection and logging. Most
//! tests need NVRTC and no GPU. A scenario with a different environment is an ignored test that runs in a separate process.

mod cache;
mod checks;
mod doctor;
mod inspection;
mod kernels;
mod logs;
mod out_of_bounds;
mod precompiled;
mod sanitizer;
mod support;
