// A device function in CUDA C++, which examples/linked/main.rs and docs/language.md link.

static __device__ void order(float& a, float& b) {
    float least = fminf(a, b);
    b = fmaxf(a, b);
    a = least;
}

// The median of five elements from `i` on; those past the end are equal to the last one.
extern "C" __device__ float median_of_5(const float* x, unsigned long long x_len, unsigned long long i) {
    float v[5];
    for (int k = 0; k < 5; k++) v[k] = x[min(i + k, x_len - 1)];
    for (int last = 4; last > 0; last--) {
        for (int k = 0; k < last; k++) order(v[k], v[k + 1]);
    }
    return v[2];
}
