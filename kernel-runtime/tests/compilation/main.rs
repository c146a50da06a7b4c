//! From a kernel to machine code, as a user sees it: the cache, kernels compiled ahead, what can be looked at, what is
//! logged. Most of it needs NVRTC and no GPU; what a process does that has another environment is an ignored test.

mod broken;
mod cache;
mod doctor;
mod kernels;
mod logs;
mod looks;
mod precompiled;
mod sanitizer;
mod support;
