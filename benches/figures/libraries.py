"""The algorithms of CuPy and PyTorch on the data of `algorithms.rs`, and with the names of its rows: run by `compare.py`.

Each is called as a user does: results and temporary memory are allocated from the pools of the libraries at each call. Times are
between events on the device, medians of 61 rounds, or of 15 for large sizes; for short arrays they are those of the calls.
"""

import statistics
import sys

import cupy
import numpy
import torch

SIZES = [int(size) for size in sys.argv[2:]] or [1_000, 1_000_000, 1 << 28]


def generator(count):
    """Returns the states of the linear congruential generator of `algorithms.rs`, computed by doubling."""
    states = numpy.empty(count, numpy.uint32)
    states[0] = (1_664_525 * 1 + 1_013_904_223) & 0xFFFFFFFF
    done, factor, shift = 1, numpy.uint32(1_664_525), numpy.uint32(1_013_904_223)
    with numpy.errstate(over="ignore"):
        while done < count:
            more = min(done, count - done)
            states[done : done + more] = states[:more] * factor + shift
            done, factor, shift = done + more, factor * factor, shift * factor + shift
    return states


def row(name, n, call, event, synchronize):
    rounds = 61 if n <= 1 << 24 else 15
    times = []
    for k in range(rounds + 2):
        start, end = event(), event()
        start.record()
        call()
        end.record()
        synchronize()
        if k > 1:
            times.append(elapsed(start, end))
    print(f"    {name:<36} {statistics.median(times) * 1e3:>10.2f} us", flush=True)


def elapsed(start, end):
    """Returns the time between two events in milliseconds."""
    return cupy.cuda.get_elapsed_time(start, end) if isinstance(start, cupy.cuda.Event) else start.elapsed_time(end)


def skew(bits):
    """Returns bytes of which 15 of 16 are equal."""
    return numpy.where(bits >> 16 & 15 == 0, bits >> 24, 200).astype(numpy.uint8)


def rows_of(n):
    columns = min(n, 4096)
    return n // columns, columns


def with_cupy(bits, row):
    x = cupy.asarray((bits.astype(numpy.float32) / numpy.float32(2**31)) - numpy.float32(1))
    y, other = cupy.empty_like(x), x.copy()
    words, small = cupy.asarray(bits), cupy.asarray((bits >> 24).astype(numpy.uint8))
    skewed = cupy.asarray(skew(bits))
    doubles = words[: len(bits) // 2].astype(cupy.float64)
    for n in SIZES:
        print(f"  n = {n}")
        a, out = x[:n], y[:n]
        row("copy", n, lambda: cupy.copyto(out, a))
        row("sum of two arrays", n, lambda: cupy.add(a, other[:n], out=out))
        row("sum", n, lambda: a.sum())
        row("sum of every second element", n, lambda: a[::2].sum())
        row("argmax", n, lambda: a.argmax())
        row("inclusive scan", n, lambda: cupy.cumsum(a, out=out))
        row("inclusive scan of f64", n, lambda: cupy.cumsum(doubles[: n // 2]))
        row("select, one of two", n, lambda: a[a > 0])
        row("histogram of u8, 256 bins", n, lambda: cupy.bincount(small[:n], minlength=256))
        row("histogram of u8, most equal", n, lambda: cupy.bincount(skewed[:n], minlength=256))
        row("sort of u32", n, lambda: cupy.sort(words[:n]))
        row("argsort of u32", n, lambda: cupy.argsort(words[:n]))
        side = int(n**0.5)
        square = a[: side * side].reshape(side, side)
        row("transpose", n, lambda: cupy.ascontiguousarray(square.T))
        rows, columns = rows_of(n)
        matrix = a[: rows * columns].reshape(rows, columns)
        row("sum of rows", n, lambda: matrix.sum(axis=1))
        row("argmax of rows", n, lambda: matrix.argmax(axis=1))


def with_torch(bits, row):
    x = torch.from_numpy((bits.astype(numpy.float32) / numpy.float32(2**31)) - numpy.float32(1)).cuda()
    y, other = torch.empty_like(x), x.clone()
    # Signed integers, which PyTorch sorts: their order is another one, but not the work.
    words = torch.from_numpy(bits.view(numpy.int32)).cuda()
    keys = torch.from_numpy(numpy.repeat(bits[: len(bits) // 8], 8).view(numpy.int32)).cuda()
    small = torch.from_numpy((bits >> 24).astype(numpy.uint8)).cuda()
    skewed = torch.from_numpy(skew(bits)).cuda()
    doubles = words[: len(bits) // 2].double()
    for n in SIZES:
        print(f"  n = {n}")
        a, out = x[:n], y[:n]
        row("copy", n, lambda: out.copy_(a))
        row("sum of two arrays", n, lambda: torch.add(a, other[:n], out=out))
        row("sum", n, lambda: a.sum())
        row("sum of every second element", n, lambda: a[::2].sum())
        row("argmax", n, lambda: a.argmax())
        row("inclusive scan", n, lambda: torch.cumsum(a, 0, out=out))
        row("inclusive scan of f64", n, lambda: torch.cumsum(doubles[: n // 2], 0))
        row("select, one of two", n, lambda: a[a > 0])
        row("unique of u32, one of eight", n, lambda: torch.unique_consecutive(keys[:n]))
        row("run-length encode, runs of eight", n, lambda: torch.unique_consecutive(keys[:n], return_counts=True))
        row("histogram of u8, 256 bins", n, lambda: torch.bincount(small[:n], minlength=256))
        row("histogram of u8, most equal", n, lambda: torch.bincount(skewed[:n], minlength=256))
        row("sort of u32 with u32", n, lambda: torch.sort(words[:n]))
        row("argsort of u32", n, lambda: torch.argsort(words[:n]))
        side = int(n**0.5)
        square = a[: side * side].reshape(side, side)
        row("transpose", n, lambda: square.t().contiguous())
        rows, columns = rows_of(n)
        matrix = a[: rows * columns].reshape(rows, columns)
        row("sum of rows", n, lambda: matrix.sum(1))
        row("argmax of rows", n, lambda: matrix.argmax(1))
        row("softmax of rows", n, lambda: torch.softmax(matrix, 1))
        compiled = torch.compile(lambda matrix: torch.softmax(matrix, 1), dynamic=False)
        row("softmax of rows, compiled", n, lambda: compiled(matrix))
        gamma = torch.full((columns,), 1.5, device="cuda")
        row("layer norm of rows", n, lambda: torch.nn.functional.layer_norm(matrix, (columns,), gamma, gamma, 1e-5))


def main():
    bits = generator(-(-max(SIZES) // 8) * 8)
    if sys.argv[1] == "cupy":
        print(f"CuPy {cupy.__version__}")
        with_cupy(bits, lambda name, n, call: row(name, n, call, cupy.cuda.Event, cupy.cuda.Device().synchronize))
    else:
        print(f"PyTorch {torch.__version__}")
        event = lambda: torch.cuda.Event(enable_timing=True)
        with_torch(bits, lambda name, n, call: row(name, n, call, event, torch.cuda.synchronize))


main()
