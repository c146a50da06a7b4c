// Device functions in CUDA C++, with C linkage.

struct Pair {
    float low;
    float high;
};

// Not visible to the kernel.
static __device__ float clamped(float x, Pair limits) {
    return fminf(fmaxf(x, limits.low), limits.high);
}

extern "C" __device__ float clamp_to(float x, Pair limits) {
    return clamped(x, limits);
}

extern "C" __device__ float sum_of(const float* x, unsigned long long x_len) {
    float sum = 0;
    for (unsigned long long i = 0; i < x_len; i++) sum += x[i];
    return sum;
}

extern "C" __device__ void step(unsigned int& state) {
    state = state * 1664525u + 1013904223u;
}

extern "C" __device__ float mean_square(const float* x, unsigned long long x_len) {
    float sum = 0;
    for (unsigned long long i = 0; i < x_len; i++) sum += x[i] * x[i];
    return sum / (float)x_len;
}
