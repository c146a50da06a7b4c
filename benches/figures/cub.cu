// CUB's algorithms on the data of `algorithms.rs`, and with the names of its rows: run by `compare.py`, or
//     nvcc -O3 -std=c++17 -arch=native -o cub benches/figures/cub.cu && ./cub
//
// Temporary memory is allocated before. Times are between events on the device: medians of 61 rounds, or of 15 for large sizes.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <cub/cub.cuh>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t status = (call);                                                                                   \
        if (status != cudaSuccess) {                                                                                   \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                                       \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

struct Positive {
    __host__ __device__ bool operator()(float v) const { return v > 0.0f; }
};

template <typename T>
T *upload(const std::vector<T> &host) {
    T *device;
    CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <typename T>
T *zeros(size_t count) {
    T *device;
    CHECK(cudaMalloc(&device, count * sizeof(T)));
    CHECK(cudaMemset(device, 0, count * sizeof(T)));
    return device;
}

// Prints the median time of `call(temporary, bytes)`, after asking for the temporary memory.
template <typename F>
void row(const char *name, size_t n, F call) {
    size_t bytes = 0;
    CHECK(call(nullptr, bytes));
    void *temporary;
    CHECK(cudaMalloc(&temporary, std::max<size_t>(bytes, 1)));
    cudaEvent_t start, end;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    int rounds = n > (1 << 24) ? 15 : 61;
    std::vector<float> times;
    for (int round = 0; round <= rounds; ++round) {
        CHECK(cudaEventRecord(start));
        CHECK(call(temporary, bytes));
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, start, end));
        if (round > 0) times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    std::printf("    %-36s %10.2f us, temporary memory %zu\n", name, times[times.size() / 2] * 1e3, bytes);
    CHECK(cudaFree(temporary));
}

// The arguments are the numbers of elements.
int main(int argc, char **argv) {
    std::vector<size_t> sizes{1000, 1000000, size_t(1) << 28};
    if (argc > 1) sizes.clear();
    for (int i = 1; i < argc; ++i) sizes.push_back(std::stoull(argv[i]));
    const size_t largest = *std::max_element(sizes.begin(), sizes.end());
    std::vector<uint32_t> bits(largest);
    uint32_t random = 1;
    for (auto &v : bits) v = random = random * 1664525u + 1013904223u;
    std::vector<float> floats(largest);
    std::vector<double> wide(largest / 2);
    std::vector<uint8_t> small(largest), most_equal(largest);
    std::vector<uint32_t> repeated(largest);
    for (size_t i = 0; i < largest; ++i) {
        floats[i] = float(bits[i]) / 2147483648.0f - 1.0f;
        small[i] = uint8_t(bits[i] >> 24);
        most_equal[i] = (bits[i] >> 16 & 15) == 0 ? small[i] : 200;
        repeated[i] = bits[i / 8];
    }
    for (size_t i = 0; i < largest / 2; ++i) wide[i] = bits[i];
    float *x = upload(floats), *y = zeros<float>(largest), *rest = zeros<float>(largest);
    double *doubles = upload(wide), *sums = zeros<double>(largest / 2);
    uint8_t *bytes = upload(small);
    uint8_t *skewed = upload(most_equal);
    uint32_t *words = upload(bits), *keys = upload(repeated), *firsts = zeros<uint32_t>(largest);
    uint32_t *lengths = zeros<uint32_t>(largest);
    unsigned *counts = zeros<unsigned>(256);
    int *found = zeros<int>(1);
    float *greatest = zeros<float>(1);
    cuda::std::int64_t *index = zeros<cuda::std::int64_t>(1);
    uint32_t *values = zeros<uint32_t>(largest);
    for (size_t n : sizes) {
        std::printf("  n = %zu (CUB %d)\n", n, CUB_VERSION);
        row("copy", n, [&](void *temporary, size_t &) {
            return temporary ? cudaMemcpyAsync(y, x, n * 4, cudaMemcpyDeviceToDevice) : cudaSuccess;
        });
        row("sum", n, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, x, y, int(n)); });
        row("argmax", n, [&](void *t, size_t &b) {
            return cub::DeviceReduce::ArgMax(t, b, x, greatest, index, cuda::std::int64_t(n));
        });
        row("inclusive scan", n, [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, x, y, int(n)); });
        row("inclusive scan in place", n, [&](void *t, size_t &b) {
            return cub::DeviceScan::InclusiveSum(t, b, y, y, int(n));
        });
        row("select, one of two", n, [&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, x, y, found, int(n), Positive{}); });
        row("partition, one of two", n, [&](void *t, size_t &b) {
            return cub::DevicePartition::If(t, b, x, rest, found, int(n), Positive{});
        });
        row("inclusive scan of f64", n, [&](void *t, size_t &b) {
            return cub::DeviceScan::InclusiveSum(t, b, doubles, sums, int(n / 2));
        });
        row("histogram of u8, 256 bins", n, [&](void *t, size_t &b) {
            return cub::DeviceHistogram::HistogramEven(t, b, bytes, counts, 257, 0, 256, int(n));
        });
        row("histogram of u8, most equal", n, [&](void *t, size_t &b) {
            return cub::DeviceHistogram::HistogramEven(t, b, skewed, counts, 257, 0, 256, int(n));
        });
        row("unique of u32, one of eight", n, [&](void *t, size_t &b) {
            return cub::DeviceSelect::Unique(t, b, keys, firsts, found, int(n));
        });
        row("run-length encode, runs of eight", n, [&](void *t, size_t &b) {
            return cub::DeviceRunLengthEncode::Encode(t, b, keys, firsts, lengths, found, int(n));
        });
        row("reduce by key, runs of eight", n, [&](void *t, size_t &b) {
            return cub::DeviceReduce::ReduceByKey(t, b, keys, firsts, x, y, found, cuda::std::plus<>{}, int(n));
        });
        row("inclusive scan by key", n, [&](void *t, size_t &b) {
            return cub::DeviceScan::InclusiveSumByKey(t, b, keys, x, y, int(n));
        });
        row("sort of u32", n, [&](void *t, size_t &b) {
            return cub::DeviceRadixSort::SortKeys(t, b, words, firsts, int(n));
        });
        row("sort of u32 with u32", n, [&](void *t, size_t &b) {
            return cub::DeviceRadixSort::SortPairs(t, b, words, firsts, values, lengths, int(n));
        });
        // The segments of `algorithms.rs`: rows of 4096 elements, or a single one.
        const int columns = int(std::min<size_t>(n, 4096)), rows = int(n / columns);
        std::vector<int> ends(rows + 1);
        for (int i = 0; i <= rows; ++i) ends[i] = i * columns;
        int *offsets = upload(ends);
        row("segmented sum, of the rows", n, [&](void *t, size_t &b) {
            return cub::DeviceSegmentedReduce::Sum(t, b, x, y, rows, offsets, offsets + 1);
        });
        CHECK(cudaFree(offsets));
    }
}
