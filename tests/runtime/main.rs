//! Tests of the runtime on every available device: launches, faults, and misuse. They need neither the source tree nor
//! tools, so that the executable can be copied to a machine with a GPU.

mod algorithms;
mod arguments;
mod barriers;
mod blocks;
mod distributions;
mod elsewhere;
mod faults;
mod graphs;
mod inputs;
mod interop;
mod launch;
mod limits;
mod machine;
mod matrices;
mod memory;
mod misuse;
mod operators;
mod planned;
mod prepared;
mod recorded;
mod repeated;
mod runs;
mod sorting;
mod streams;
mod support;
