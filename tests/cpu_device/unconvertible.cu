// clang-format off
__global__ void k(int *) {}

void launch(int *p) {
    k<<<1, 1>>>;
}
