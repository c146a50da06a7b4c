#!/usr/bin/env bash
# Runs the tests and the examples beside this file, and prints a table of the results. Written by `cargo xtask gpu`.
#
# The machine needs NVIDIA's driver and NVRTC (see CUMBIA_NVRTC in the README), but no Rust. Without one of them the
# tests that need it fail, unless CUMBIA_REQUIRE_GPU or CUMBIA_REQUIRE_NVRTC is set to the empty string.
set -u
for variable in CUMBIA_REQUIRE_GPU CUMBIA_REQUIRE_NVRTC; do
    if [ -n "${!variable-1}" ]; then export $variable=1; else unset $variable; fi
done
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
table=""
failures=0

# run PROGRAM: one line of the table.
run() {
    local name=${1#"$here"/} start=$SECONDS result
    echo "=== $name"
    if timeout 300 "$1"; then
        result=pass
    else
        result="FAIL ($?)"
        failures=$((failures + 1))
    fi
    table+=$(printf '%-40s %-12s %4s s' "$name" "$result" $((SECONDS - start)))$'\n'
}

for program in "$here"/tests/* "$here"/examples/*; do
    run "$program"
done
printf '\n%s%s failed\n' "$table" "$failures"
[ "$failures" -eq 0 ]
