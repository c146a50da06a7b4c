struct Best {
    value: f32,
    at: u32,
}

fn better(a: Best, b: Best) -> Best {
    if b.value > a.value { b } else { a }
}

fn cooperation(x: &[f32], best: &mut [Best], counts: &mut [u32], sums: &mut [i64], least: &mut [f32], flags: &mut [bool]) {
    let i = grid(1);
    let lane = lane_id();
    let mask: u32 = active_mask();
    let mut own = Best { value: x[i], at: i as u32 };
    let mut distance = 16u32;
    while distance > 0u32 {
        own = better(own, shfl_down_sync(mask, own, distance));
        distance /= 2u32;
    }
    if lane == 0 {
        best[i / 32] = own;
    }
    let positive: u32 = ballot_sync(mask, x[i] > 0.0f32);
    if all_sync(mask, positive & lanemask_lt()) {
        atomic_add(&mut counts[0], 1u32);
    }
    let (same, all): (u32, bool) = match_all_sync(mask, own.at);
    counts[1] = atomic_max(&mut counts[2], reduce_add_sync(mask, same)) + shfl_up_sync(mask, counts[3], lane);
    atomic_add(&mut sums[0], 1i64);
    atomic_min(&mut least[0], x[i]);
    if atomic_cas_acq_rel(&mut counts[4], 0u32, 1u32) == 0u32 && !atomic_load_acquire(&flags[0]) {
        atomic_store_release(&mut flags[0], all);
    }
    let some: u32 = sync_threads_count(sums[1]);
    let shifted: bool = shfl_xor_sync(mask, flags[1], 1i32);
    if shifted && sync_threads_or(some) {
        thread_fence();
    }
    sync_grid();
    counts[5] = match_any_sync(mask, least[0]);
}
