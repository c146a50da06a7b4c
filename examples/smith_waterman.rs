//! Local alignment of a query with each sequence of a database, by the recurrence of Smith and Waterman with affine
//! gaps (O. Gotoh, "An improved algorithm for matching biological sequences", 1982). A block aligns one sequence, with
//! a thread for each letter of the query: the threads compute the table of scores along its anti-diagonals, whose cells
//! are independent, and pass scores to their neighbours in shared memory.
//!
//! ```text
//! cargo run --release --example smith_waterman [sequences]
//! ```

use std::time::Instant;

use cumbia::algorithm::{Maximum, block_reduce};
use cumbia::prelude::*;
use cumbia::random::Philox;

/// The length of the query, and of a block.
const QUERY: usize = 256;
/// The length of each sequence of the database.
const SEQUENCE: usize = 400;

/// The score of two equal letters, and of two different ones.
const MATCH: i32 = 3;
const MISMATCH: i32 = -2;
/// The costs of the first letter of a gap, and of each further one.
const OPEN: i32 = 5;
const EXTEND: i32 = 1;
/// The score of an alignment that does not exist.
const NONE: i32 = i32::MIN / 2;

/// Computes the score of the best local alignment of the query with each sequence.
#[kernel(block = 256)]
fn align(query: &[u8], database: &[u8], scores: &mut [i32]) {
    // The scores of three successive anti-diagonals: of all alignments, and of those that end with a letter of the
    // query in a gap. Entry i + 1 is that of thread i, and entry 0 is the border of the table.
    let mut any = shared::<[[i32; QUERY + 1]; 3]>();
    let mut gap = shared::<[[i32; QUERY + 1]; 3]>();
    let (i, sequence) = (thread_idx().x, SEQUENCE * block_idx().x);
    for k in 0..3 {
        (any[k][i + 1], gap[k][i + 1]) = (0, NONE);
        if i == 0 {
            (any[k][0], gap[k][0]) = (0, NONE);
        }
    }
    let letter = query[i];
    // The cell to the left of the current one is this thread's own.
    let (mut left, mut left_gap, mut best) = (0, NONE, 0);
    for diagonal in 0..QUERY + SEQUENCE - 1 {
        sync_threads(); // the previous anti-diagonal is complete
        let (now, before, earlier) = (diagonal % 3, (diagonal + 2) % 3, (diagonal + 1) % 3);
        if diagonal >= i && diagonal - i < SEQUENCE {
            let is_equal = letter == database[sequence + diagonal - i];
            let pair = any[earlier][i] + if is_equal { MATCH } else { MISMATCH };
            let up_gap = (any[before][i] - OPEN).max(gap[before][i] - EXTEND);
            left_gap = (left - OPEN).max(left_gap - EXTEND);
            left = pair.max(up_gap).max(left_gap).max(0);
            (any[now][i + 1], gap[now][i + 1]) = (left, up_gap);
            best = best.max(left);
        }
    }
    let best = block_reduce(best, Maximum);
    if i == 0 {
        scores[block_idx().x] = best;
    }
}

/// Returns the same score for one sequence, row by row.
fn expected(query: &[u8], sequence: &[u8]) -> i32 {
    let (mut row, mut gaps) = (vec![0; sequence.len() + 1], vec![NONE; sequence.len() + 1]);
    let mut best = 0;
    for a in query {
        let (mut diagonal, mut left_gap) = (0, NONE);
        for (j, b) in sequence.iter().enumerate() {
            gaps[j + 1] = (row[j + 1] - OPEN).max(gaps[j + 1] - EXTEND);
            left_gap = (row[j] - OPEN).max(left_gap - EXTEND);
            let pair = diagonal + if a == b { MATCH } else { MISMATCH };
            diagonal = row[j + 1];
            row[j + 1] = pair.max(gaps[j + 1]).max(left_gap).max(0);
            best = best.max(row[j + 1]);
        }
    }
    best
}

/// Returns a sequence that contains a mutated copy of a part of the query between random letters.
fn mutated(query: &[u8], id: usize) -> Vec<u8> {
    let mut random = Philox::new(2024, id as u64, 0);
    let mut sequence: Vec<u8> = (0..random.below(200)).map(|_| b"ACGT"[random.below(4) as usize]).collect();
    for &letter in &query[id % QUERY..] {
        match random.below(20) {
            0 => sequence.push(b"ACGT"[random.below(4) as usize]), // a mismatch
            1 => {}                                                // a gap
            2 => sequence.extend([letter, b'A']),                  // a gap of the other kind
            _ => sequence.push(letter),
        }
    }
    sequence.resize_with(SEQUENCE, || b"ACGT"[random.below(4) as usize]);
    sequence
}

fn main() -> cumbia::Result<()> {
    let device = Device::open()?;
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(if device.is_cpu() { 50 } else { 100_000 });
    let mut random = Philox::new(1, 0, 0);
    let query: Vec<u8> = (0..QUERY).map(|_| b"ACGT"[random.below(4) as usize]).collect();
    let database: Vec<u8> = (0..n).flat_map(|id| mutated(&query, id)).collect();

    let (on_device, sequences) = (device.to_device(&query)?, device.to_device(&database)?);
    let mut scores = device.zeros::<i32>(n)?;
    let prepared = align(&on_device, &sequences, &mut scores).grid(n).prepare()?; // compiles the kernel
    let start = Instant::now();
    prepared.launch()?;
    device.synchronize()?;
    let time = start.elapsed();

    let scores = scores.to_host()?;
    for i in (0..n).step_by(n.div_ceil(1000).max(1)) {
        let expected = expected(&query, &database[SEQUENCE * i..][..SEQUENCE]);
        assert_eq!(scores[i], expected, "sequence {i} has a score of {}, expected {expected}", scores[i]);
    }
    let speed = (QUERY * SEQUENCE * n) as f64 / time.as_secs_f64() / 1e6;
    println!("smith_waterman on {device}: {n} sequences in {time:.1?}, the result is correct");
    println!("  {speed:.1} million cells per second");
    Ok(())
}
