// A mistake in CUDA code is reported at its own line, also after a launch that is spread over several.
// clang-format off
__global__ void k(int *) {}

void launch(int *p) {
    k<<<1,
        1>>>(
        p);
    int n = "the compiler must complain about line 9";
}
