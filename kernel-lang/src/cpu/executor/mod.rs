//! Execution of a grid: blocks on a thread pool, and the threads of a block in a loop or as coroutines.

mod body;
mod coroutine;
mod grid;
mod stack_overflow;
mod stack_pool;
#[cfg(test)]
mod tests;

pub use grid::{GridConfig, MAX_RESIDENT_THREADS, MAX_STACK_BYTES, ThreadFault, run};
