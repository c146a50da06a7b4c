#!/usr/bin/env bash
# Compares the random kernels beside this file between the CPU and GPU 0. Written by `cargo xtask random --pack`.
#
# The machine needs NVIDIA's driver, NVRTC (CUMBIA_NVRTC) and gzip, but no Rust. A kernel that ends the process is
# reported, and the others run without it. The last line has the counts.
set -u
export CUMBIA_REQUIRE_GPU=1 CUMBIA_REQUIRE_NVRTC=1 CUMBIA_RANDOM_TRACE=1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
batches=0

for packed in "$here"/*.gz; do
    name=$(basename "$packed" .gz)
    gzip -dc "$packed" >"$work/$name"
    chmod +x "$work/$name"
    batches=$((batches + 1))
    skipped=""
    while true; do
        status=0
        CUMBIA_RANDOM_SKIP=$skipped "$work/$name" --nocapture >"$work/out" 2>&1 || status=$?
        grep -a -E '^FAILED ' "$work/out" | sed "s/^/$name /" | tee -a "$work/failed"
        grep -a -E 'random kernels,' "$work/out" | tail -n 1 | sed "s/^/$name: /"
        if grep -a -q '^test result:' "$work/out"; then
            # The failure is not that of a kernel: there is no GPU, or no NVRTC.
            if [ "$status" -ne 0 ] && ! grep -a -q '^FAILED ' "$work/out"; then
                echo "$name FAILED: $(grep -a -A 1 'panicked at' "$work/out" | tail -n 1)" | tee -a "$work/failed"
            fi
            break
        fi
        last=$(grep -a '^RUNNING ' "$work/out" | tail -n 1 | cut -d ' ' -f 2)
        if [ -z "$last" ] || [[ ",$skipped," == *",$last,"* ]]; then
            echo "$name FAILED: $(tail -n 3 "$work/out")" | tee -a "$work/failed"
            break
        fi
        if ! grep -a -q "^FAILED $last:" "$work/out"; then
            echo "$name FAILED $last: the process died" | tee -a "$work/failed"
        fi
        skipped=${skipped:+$skipped,}$last
    done
    rm -f "${work:?}/$name"
done
touch "$work/failed"
failures=$(wc -l <"$work/failed")
echo "$batches batches, $failures failures"
[ "$failures" -eq 0 ]
