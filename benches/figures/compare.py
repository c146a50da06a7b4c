#!/usr/bin/env python3
"""The algorithms of Cumbia, CUB, CuPy and PyTorch on one GPU in one run, as tables of docs/figures.md.

    cargo bench --bench figures --no-run
    python3 benches/figures/compare.py --cumbia target/release/deps/figures-… --outputs FOLDER [--write docs/figures.md]

`--sizes N,N,…` measures other numbers of elements.

Runs the four programs one after another, with `nvcc` for `cub.cu`, and keeps their outputs in FOLDER. Without `--cumbia` it reads
the outputs of an earlier run. `--write` replaces the tables between the markers in a file, instead of printing them.
"""

import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
PEERS = {"cub": "CUB", "cupy": "CuPy", "torch": "PyTorch"}
MARKERS = ("<!-- The tables of `benches/figures/compare.py` begin. -->", "<!-- They end. -->")

# The rows of `algorithms.rs`: the call, and the bytes that it reads and writes for each element, if that is its limit.
CALLS = {
    "copy": ("copy, `transform(&x, &mut y, Identity)`", 8),
    "sum of two arrays": ("`transform2(&a, &b, &mut y, Plus)`", 12),
    "sum": ("`reduce(&x, 0.0, Plus)`", 4),
    "sum of every second element": ("`reduce` of a view, every second element", 4),
    "argmax": ("`argmax(&x)`", 4),
    "composition of affine functions": ("`reduce` of half as many functions of 8 bytes, in order", 4),
    "inclusive scan": ("`inclusive_scan(&x, &mut y, Plus)`", 8),
    "inclusive scan in place": ("`inclusive_scan_in_place(&mut x, Plus)`", 8),
    "inclusive scan of f64": ("`inclusive_scan` of half as many `f64`", 8),
    "select, one of two": ("`select`, one of two", 6),
    "partition, one of two": ("`partition`, one of two", 8),
    "unique of u32, one of eight": ("`unique` of `u32`, one of eight", 4.5),
    "run-length encode, runs of eight": ("`run_length_encode` of `u32`, runs of eight", 5),
    "reduce by key, runs of eight": ("`reduce_by_key` of `u32`, runs of eight", 9),
    "inclusive scan by key": ("`inclusive_scan_by_key` of `u32`, runs of eight", 12),
    "histogram of u8, 256 bins": ("`histogram` of `u8`, 256 bins", 1),
    "histogram of u8, most equal": ("`histogram` of `u8`, 15 of 16 equal", 1),
    "sort of u32": ("`sort_into` of `u32`", None),
    "sort of u32 with u32": ("`sort_by_key_into` of `u32` with `u32`", None),
    "copy and sort in place": ("copy and `sort` of `u32`", None),
    "copy and sort in place with u32": ("copy of the keys and `sort_by_key` of `u32` with `u32`", None),
    "argsort of u32": ("`argsort` of `u32`", None),
    "transpose": ("`transpose` of a square matrix", 8),
    "sum of rows": ("`reduce_rows`, rows of at most 4096", 4),
    "argmax of rows": ("`argmax_rows`, rows of at most 4096", 4),
    "segmented sum, of the rows": ("`segmented_reduce`, segments of at most 4096", 4),
    "softmax of rows": ("`softmax_rows`, rows of at most 4096", 8),
    "layer norm of rows": ("`layer_norm_rows`, rows of at most 4096", 8),
}


def run(arguments):
    """Runs the programs, and stores their outputs."""
    folder = arguments.outputs
    folder.mkdir(parents=True, exist_ok=True)
    cub = (arguments.cub or folder / "cub").resolve()
    if not arguments.cub:
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=native", "-o", cub, HERE / "cub.cu"], check=True)
    sizes = arguments.sizes.split(",") if arguments.sizes else []
    commands = {
        "cumbia": [arguments.cumbia.resolve(), "algorithms", *sizes],
        "cub": [cub, *sizes],
        "cupy": [sys.executable, HERE / "libraries.py", "cupy", *sizes],
        "torch": [sys.executable, HERE / "libraries.py", "torch", *sizes],
    }
    for name, command in commands.items():
        with open(folder / f"{name}.txt", "w", encoding="utf-8") as output:
            if subprocess.run(command, stdout=output).returncode != 0:
                print(f"{name} failed: it is left out", file=sys.stderr)
    if not arguments.cub:
        cub.unlink()


def parse(text):
    """Returns the times in µs and the sizes of temporary memory by size and row, and the code by row."""
    times, memory, code, n = {}, {}, {}, None
    for line in text.splitlines():
        if found := re.match(r"  n = (\d+)", line):
            n = int(found[1])
        elif found := re.match(r"    (.{36}) +([\d.]+) us(?:, temporary memory (\d+))?$", line):
            name = found[1].rstrip()
            times[n, name] = float(found[2])
            if found[3] is not None:
                memory[n, name] = int(found[3])
        elif found := re.match(r"    (.{36}) +(\d+) lines, (\d+) bytes$", line):
            code[found[1].rstrip()] = (int(found[2]), int(found[3]))
    return times, memory, code


def size(count):
    """Returns a number of bytes for readers."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} B" if count else "none"


def microseconds(time):
    return f"{time:.0f} µs" if time >= 100 else f"{time:.1f} µs"


def table(n, outputs):
    """Returns the table for a number of elements."""
    ours, memory, _ = outputs["cumbia"]
    is_large = n > 1 << 24
    number = f"2{str(n.bit_length() - 1).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}" if is_large else f"{n:,}"
    peers = [peer for peer in PEERS if outputs[peer][0]]
    head = [f"{number} elements of `f32`, unless said otherwise", "Cumbia"] + ["relative to copy"] * is_large
    head += [f"{PEERS[peer]}, relative speed" for peer in peers] + ["temporary memory, CUB's"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, (call, moved) in CALLS.items():
        if (n, name) not in ours:
            continue
        own = ours[n, name]
        cells = [call, microseconds(own)]
        if is_large:
            cells.append(f"{moved / own / (8 / ours[n, 'copy']):.3f}" if moved else "")
        for peer in peers:
            other = outputs[peer][0].get((n, name))
            if compiled := outputs[peer][0].get((n, name + ", compiled")):
                other = min(other, compiled)
            cells.append(f"{microseconds(other)}, {other / own:.2f}" if other else "")
        theirs = outputs["cub"][1].get((n, name))
        cells.append(size(memory[n, name]) + ("" if theirs is None else f", {size(theirs)}"))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def code_table(code):
    lines = ["| algorithm | lines of Rust | cubin, with line information |", "|---|---|---|"]
    for name, (rust, cubin) in code.items():
        lines.append(f"| {CALLS[name][0]} | {rust} | {size(cubin)} |")
    return "\n".join(lines)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--cumbia", type=pathlib.Path)
    arguments.add_argument("--cub", type=pathlib.Path, help="`cub.cu`, compiled before")
    arguments.add_argument("--sizes", help="numbers of elements, separated by commas")
    arguments.add_argument("--outputs", type=pathlib.Path, required=True)
    arguments.add_argument("--write", type=pathlib.Path)
    arguments = arguments.parse_args()
    if arguments.cumbia:
        run(arguments)
    texts = {name: arguments.outputs / f"{name}.txt" for name in ["cumbia", *PEERS]}
    texts = {name: path.read_text(encoding="utf-8") if path.exists() else "" for name, path in texts.items()}
    outputs = {name: parse(text) for name, text in texts.items()}
    times, _, code = outputs["cumbia"]
    if not times:
        sys.exit("no output of Cumbia's algorithms")
    parts = [table(n, outputs) for n in sorted({n for n, _ in times}, reverse=True)] + [code_table(code)]
    result = "\n\n".join(parts)
    if not arguments.write:
        print(result)
        return
    text = arguments.write.read_text(encoding="utf-8")
    begin, end = (text.index(marker) for marker in MARKERS)
    text = f"{text[: begin + len(MARKERS[0])]}\n\n{result}\n\n{text[end:]}"
    arguments.write.write_text(text, encoding="utf-8")


main()
