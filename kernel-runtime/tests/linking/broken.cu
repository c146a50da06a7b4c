extern "C" __device__ float broken(float x) {
    return undeclared;
}
