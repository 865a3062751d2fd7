/* The rewriter on its own: spellings that must come out right, text that must stay, errors. */
#include "launch_rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *rewrite(const char *source, struct rewrite_error *error) {
    size_t length = 0;
    char *result = rewrite_launches(source, strlen(source), "k.cu", &length, error);
    if (result)
        assert_int_equal(strlen(result), length);
    return result;
}

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void expect_rewritten(const char *source, const char *expected) {
    struct rewrite_error error = {0, ""};
    char *result = rewrite(source, &error);
    if (!result)
        fail_msg("%s\nis refused: line %u: %s", source, error.line, error.message);
    static const char first_line[] = "#line 1 \"k.cu\"\n";
    assert_memory_equal(result, first_line, sizeof first_line - 1);
    assert_string_equal(result + sizeof first_line - 1, expected);
    assert_int_equal(count_lines(result), count_lines(source) + 1);
    free(result);
}

static void expect_unchanged(const char *source) { expect_rewritten(source, source); }

static void expect_error(const char *source, unsigned line, const char *part) {
    struct rewrite_error error = {0, ""};
    char *result = rewrite(source, &error);
    if (result)
        fail_msg("%s\nis accepted as:\n%s", source, result);
    if (!strstr(error.message, part))
        fail_msg("\"%s\" does not say \"%s\"", error.message, part);
    assert_int_equal(error.line, line);
}

static void plain_launches(void **state) {
    (void)state;
    expect_rewritten("k<<<1, 2>>>();", "CPU_DEVICE_LAUNCH(k).configure(1, 2)();");
    expect_rewritten("k<<<g, b, s, st>>>(a, f(b, 1));", "CPU_DEVICE_LAUNCH(k).configure(g, b, s, st)(a, f(b, 1));");
    expect_rewritten("k <<< g , b >>> ( a ) ;", "CPU_DEVICE_LAUNCH(k ).configure( g , b ) ( a ) ;");
    expect_rewritten("k<<<1,1>>>(a); m<<<2,2>>>(b);",
                     "CPU_DEVICE_LAUNCH(k).configure(1,1)(a); CPU_DEVICE_LAUNCH(m).configure(2,2)(b);");
    expect_rewritten("if (x) k<<<1,1>>>(a); else m<<<2,2>>>(b);",
                     "if (x) CPU_DEVICE_LAUNCH(k).configure(1,1)(a); else CPU_DEVICE_LAUNCH(m).configure(2,2)(b);");
    expect_rewritten("return k<<<1,1>>>(a);", "return CPU_DEVICE_LAUNCH(k).configure(1,1)(a);");
    expect_rewritten("case 3: k<<<1,1>>>(a);", "case 3: CPU_DEVICE_LAUNCH(k).configure(1,1)(a);");
    expect_rewritten("auto f = [&] { k<<<1,1>>>(a); };", "auto f = [&] { CPU_DEVICE_LAUNCH(k).configure(1,1)(a); };");
}

static void template_launches(void **state) {
    (void)state;
    expect_rewritten("k<64, 32><<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(k<64, 32>).configure(g, b)(a);");
    expect_rewritten("k<A<B>><<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(k<A<B>>).configure(g, b)(a);");
    expect_rewritten("k<A<B<C>>><<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(k<A<B<C>>>).configure(g, b)(a);");
    expect_rewritten("ns::k<T><<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(ns::k<T>).configure(g, b)(a);");
    expect_rewritten("::ns::k<<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(::ns::k).configure(g, b)(a);");
    expect_rewritten("S<T>::k<<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(S<T>::k).configure(g, b)(a);");
    expect_rewritten("S<T>::template k<N><<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(S<T>::template k<N>).configure(g, b)(a);");
    expect_rewritten("k<(1 << 3), (a > b)><<<g, b>>>(a);",
                     "CPU_DEVICE_LAUNCH(k<(1 << 3), (a > b)>).configure(g, b)(a);");
    expect_rewritten("k<1 << 3><<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(k<1 << 3>).configure(g, b)(a);");
    expect_rewritten("k<a < b><<<g, b>>>(a);", "CPU_DEVICE_LAUNCH(k<a < b>).configure(g, b)(a);");
    expect_rewritten("k<sizeof(T), f(x)[0], decltype(y)><<<g, b>>>(a);",
                     "CPU_DEVICE_LAUNCH(k<sizeof(T), f(x)[0], decltype(y)>).configure(g, b)(a);");
    expect_rewritten("x = y; k<p->n, (a >= b)><<<g, b>>>(a);",
                     "x = y; CPU_DEVICE_LAUNCH(k<p->n, (a >= b)>).configure(g, b)(a);");
}

static void kernel_expressions(void **state) {
    (void)state;
    expect_rewritten("(*fp)<<<1, 1>>>(a);", "CPU_DEVICE_LAUNCH((*fp)).configure(1, 1)(a);");
    expect_rewritten("(k)<<<1, 1>>>(a);", "CPU_DEVICE_LAUNCH((k)).configure(1, 1)(a);");
    expect_rewritten("t[i + 1]<<<1, 1>>>(a);", "CPU_DEVICE_LAUNCH(t[i + 1]).configure(1, 1)(a);");
    expect_rewritten("x; t[i][j]<<<1, 1>>>(a);", "x; CPU_DEVICE_LAUNCH(t[i][j]).configure(1, 1)(a);");
    expect_rewritten("d->kernel<<<1, 1>>>(a);", "CPU_DEVICE_LAUNCH(d->kernel).configure(1, 1)(a);");
    expect_rewritten("{ d[2].kernel<<<1, 1>>>(a); }", "{ CPU_DEVICE_LAUNCH(d[2].kernel).configure(1, 1)(a); }");
    expect_rewritten("pick(3)<<<1, 1>>>(a);", "CPU_DEVICE_LAUNCH(pick(3)).configure(1, 1)(a);");
    expect_rewritten("pick<int>(3)<<<1, 1>>>(a);", "CPU_DEVICE_LAUNCH(pick<int>(3)).configure(1, 1)(a);");
    expect_rewritten("if (x) (*fp)<<<1, 1>>>(a);", "if (x) CPU_DEVICE_LAUNCH((*fp)).configure(1, 1)(a);");
    expect_rewritten("else (*fp)<<<1, 1>>>(a);", "else CPU_DEVICE_LAUNCH((*fp)).configure(1, 1)(a);");
}

static void configurations(void **state) {
    (void)state;
    expect_rewritten("k<<<a >> 2, b << 3>>>(x);", "CPU_DEVICE_LAUNCH(k).configure(a >> 2, b << 3)(x);");
    expect_rewritten("k<<<a > b ? a : b, (c > d)>>>(x);", "CPU_DEVICE_LAUNCH(k).configure(a > b ? a : b, (c > d))(x);");
    expect_rewritten("k<<<dim3(1, 2, 3), {4, 5}>>>(x);", "CPU_DEVICE_LAUNCH(k).configure(dim3(1, 2, 3), {4, 5})(x);");
    expect_rewritten("k<<<g, v<T>>>>(x);", "CPU_DEVICE_LAUNCH(k).configure(g, v<T>)(x);");
    expect_rewritten("k<<<g, p->n>>>(x);", "CPU_DEVICE_LAUNCH(k).configure(g, p->n)(x);");
    expect_rewritten("k<<<([] { return 1; })(), b>>>(x);",
                     "CPU_DEVICE_LAUNCH(k).configure(([] { return 1; })(), b)(x);");
    expect_rewritten("k<<<f(\">>>\"), '>'>>>(x);", "CPU_DEVICE_LAUNCH(k).configure(f(\">>>\"), '>')(x);");
}

static void layouts(void **state) {
    (void)state;
    expect_rewritten(
        "k<64,\n  32>\n<<<\n  g, // blocks >>> (\n  b /* threads */\n>>>\n(\n  a,\n  b);\n",
        "CPU_DEVICE_LAUNCH(k<64,\n  32>\n).configure(\n  g, // blocks >>> (\n  b /* threads */\n)\n(\n  a,\n "
        " b);\n");
    expect_rewritten("k /* why */ <<<1,\r\n 1>>>(a);\r\n",
                     "CPU_DEVICE_LAUNCH(k /* why */ ).configure(1,\r\n 1)(a);\r\n");
    expect_rewritten("k<<<g,\n#if X > 2\n b\n#else\n c\n#endif\n>>>(a);",
                     "CPU_DEVICE_LAUNCH(k).configure(g,\n#if X > 2\n b\n#else\n c\n#endif\n)(a);");
    expect_rewritten("#if 1\nk<<<1, 1>>>(a);\n#else\nm<<<1, 1>>>(a);\n#endif\n",
                     "#if 1\nCPU_DEVICE_LAUNCH(k).configure(1, 1)(a);\n#else\nCPU_DEVICE_LAUNCH(m).configure(1, "
                     "1)(a);\n#endif\n");
    expect_rewritten("\xef\xbb\xbfk<<<1, 1>>>(a);", "CPU_DEVICE_LAUNCH(k).configure(1, 1)(a);");
}

static void macro_bodies(void **state) {
    (void)state;
    expect_rewritten("#define RUN(k, x) k<<<1, 1>>>(x)\n",
                     "#define RUN(k, x) CPU_DEVICE_LAUNCH(k).configure(1, 1)(x)\n");
    expect_rewritten("#define RUN(k) \\\n  do { \\\n    k<T><<<g, \\\n b>>>(x); \\\n  } while (0)\nint y;\n",
                     "#define RUN(k) \\\n  do { \\\n    CPU_DEVICE_LAUNCH(k<T>).configure(g, \\\n b)(x); \\\n  } while "
                     "(0)\nint y;\n");
    expect_rewritten("#define RUN(k) (*k)<<<1, 1>>>()\n", "#define RUN(k) CPU_DEVICE_LAUNCH((*k)).configure(1, 1)()\n");
    expect_rewritten("#define RUN(n) kernel_##n<<<1, 1>>>()\n",
                     "#define RUN(n) CPU_DEVICE_LAUNCH(kernel_##n).configure(1, 1)()\n");
    expect_rewritten("  #  define GO k<<<1, 1>>>() /* two\nlines */\n",
                     "  #  define GO CPU_DEVICE_LAUNCH(k).configure(1, 1)() /* two\nlines */\n");
    /* A launch in code does not see the macro that stands in its middle. */
    expect_rewritten("k<<<1,\n#define X >>>(\n 1>>>(a);", "CPU_DEVICE_LAUNCH(k).configure(1,\n#define X >>>(\n 1)(a);");
}

static void launch_bounds(void **state) {
    (void)state;
    expect_rewritten("__global__ void __launch_bounds__(256) k(int n) { f(n); }",
                     "__global__ void __launch_bounds__(256) k(int n) { CPU_DEVICE_LAUNCH_BOUNDS(256); f(n); }");
    expect_rewritten(
        "__launch_bounds__(THREADS, 4) __global__ void k()\n{\n}\n",
        "__launch_bounds__(THREADS, 4) __global__ void k()\n{ CPU_DEVICE_LAUNCH_BOUNDS(THREADS , 4);\n}\n");
    expect_rewritten(
        "template <int BM, int TM = 2>\n__global__ void __launch_bounds__(BM * max<BM, TM>() / TM, // so many\n"
        "  TM > 1 ? 1 : 2)\n  k(T (*a)[TM],\n    S s = {}) {\n  static_assert(TM);\n}\n",
        "template <int BM, int TM = 2>\n__global__ void __launch_bounds__(BM * max<BM, TM>() / TM, // so many\n"
        "  TM > 1 ? 1 : 2)\n  k(T (*a)[TM],\n    S s = {}) { CPU_DEVICE_LAUNCH_BOUNDS("
        "BM * max < BM , TM > ( ) / TM , TM > 1 ? 1 : 2);\n  static_assert(TM);\n}\n");
    expect_rewritten(
        "#define K(n) __global__ void __launch_bounds__(n) k##n() { f(); }\n",
        "#define K(n) __global__ void __launch_bounds__(n) k##n() { CPU_DEVICE_LAUNCH_BOUNDS(n); f(); }\n");
    expect_rewritten("__global__ void __launch_bounds__(64) k() {}\nvoid f() { k<<<1, 64>>>(); }\n",
                     "__global__ void __launch_bounds__(64) k() { CPU_DEVICE_LAUNCH_BOUNDS(64);}\n"
                     "void f() { CPU_DEVICE_LAUNCH(k).configure(1, 64)(); }\n");
    expect_rewritten("__global__ void __launch_bounds__(sizeof(T)) k(T a, const T *b) { }",
                     "__global__ void __launch_bounds__(sizeof(T)) k(T a, const T *b) { "
                     "CPU_DEVICE_LAUNCH_BOUNDS(sizeof ( T )); }");
    /* Prototypes, an explicit instantiation, a macro without a body */
    expect_unchanged("__global__ void __launch_bounds__(256) k(int n);\nvoid f() { }\n");
    expect_unchanged("template __global__ void __launch_bounds__(256) k<4>(int n);\n");
    expect_unchanged("#define KERNEL __global__ __launch_bounds__(256)\nKERNEL void k() { }\n");
    expect_unchanged("#define __launch_bounds__(...)\nvoid f() { }\n");
    /* Bounds that may not be the ones of this body; names that mean something else in it */
    expect_unchanged("__global__ void\n#ifdef X\n __launch_bounds__(256)\n#endif\nk() { }\n");
    expect_unchanged("#if X\n__launch_bounds__(256)\n  #else\n__launch_bounds__(128)\n#endif\nvoid k() { }\n");
    expect_unchanged("__global__ void __launch_bounds__(n) k(float *a, int n) { }");
    expect_unchanged("__global__ void __launch_bounds__(2 * n) k(int n[4], float *a) { }");
    /* Nothing there to understand */
    expect_unchanged("__launch_bounds__");
    expect_unchanged("__launch_bounds__(256");
    expect_unchanged("__launch_bounds__() void k() { }");
    expect_unchanged("void f(int __launch_bounds__(2)) { }");
}

static void zero_arguments(void **state) {
    (void)state;
    expect_rewritten("k<<<1, 1>>>(0, NULL, p);",
                     "CPU_DEVICE_LAUNCH(k).configure(1, 1)(::cpu_device::Zero(), ::cpu_device::Zero(), p);");
    expect_rewritten("k<<<1, 1, 0, 0>>>(0);", "CPU_DEVICE_LAUNCH(k).configure(1, 1, 0, 0)(::cpu_device::Zero());");
    expect_rewritten("k<<<1, 1>>>(nullptr, 0.0f, -0, (0), 0 + x, f(0), a[0]);",
                     "CPU_DEVICE_LAUNCH(k).configure(1, 1)(nullptr, 0.0f, -0, (0), 0 + x, f(0), a[0]);");
    expect_rewritten("k<<<1, 1>>>(f<1, 0, 2>(), 0);",
                     "CPU_DEVICE_LAUNCH(k).configure(1, 1)(f<1, 0, 2>(), ::cpu_device::Zero());");
}

static void text_that_stays(void **state) {
    (void)state;
    expect_unchanged("");
    expect_unchanged("int a = b << 3 >> 1; c <<= 2; d >>= 1; A<B<C<int>>> x;\n");
    expect_unchanged("// k<<<1, 1>>>(a)\n/* k<<<1, 1>>>(a) \n k<<<2 */\n");
    expect_unchanged("// spliced \\\n k<<<1, 1>>>(a)\n");
    expect_unchanged("const char *s = \"k<<<1, 1>>>(a)\\\"<<<\", *t = u8\"<<<\";\n");
    expect_unchanged("const char *s = R\"x(k<<<1, 1>>>(a) )\" )x\"; char c = '\"'; const char *u = \"<<<\";\n");
    expect_unchanged("const char *s = LR\"(<<<\n<<<)\";\n");
    expect_unchanged("int n = 1'000'000; char c = '\\''; int m = 0x1'f; double d = 1e-5 + .5e+3 + 0x1p-3;\n");
    expect_unchanged("#error don't write <<< here\n#include <a<<<b>\n#pragma note k<<<\n");
    expect_unchanged("#if 0\nThis isn't code.\n#endif\nint x;\n");
    expect_unchanged("extern int t[3]; __shared__ float other[8];\n");
}

static void dynamic_shared_memory(void **state) {
    (void)state;
#define WINDOW " = ::cpu_device::DynamicShared();"
    expect_rewritten("void f() {\n  extern __shared__ float tile[];\n}",
                     "void f() {\n    float (&tile)[]" WINDOW "\n}");
    expect_rewritten("void f() { extern __shared__ __align__(1024) unsigned char smem[]; }",
                     "void f() {    unsigned char (&smem)[]" WINDOW " }");
    expect_rewritten("void f() { extern\n__shared__ alignas(\n16) T s[][4]; }",
                     "void f() { \n \n T (&s)[][4]" WINDOW " }");
    expect_rewritten("void f() { __shared__ extern volatile int x[]; }",
                     "void f() {   volatile int (&x)[]" WINDOW " }");
    expect_rewritten("void f() { extern volatile __shared__ P<int, 2> x[]; }",
                     "void f() {  volatile  P<int, 2> (&x)[]" WINDOW " }");
    expect_rewritten("namespace n { void f() { extern __shared__ int x[]; } }",
                     "namespace n { void f() {   int (&x)[]" WINDOW " } }");
    expect_rewritten("#define S(T) extern __shared__ T s[];\n", "#define S(T)   T (&s)[]" WINDOW "\n");
#undef WINDOW
    /* Outside of functions there are no references that cost nothing. */
    expect_rewritten("extern __shared__ float t[];", "extern __thread float t[] __asm__(\"smem\");");
    expect_rewritten("namespace a::b { extern \"C\" { extern __shared__ int t[], u[]; } }",
                     "namespace a::b { extern \"C\" { extern __thread int t[] __asm__(\"smem\"), u[] "
                     "__asm__(\"smem\"); } }");
    expect_unchanged("void f() { static __shared__ float tile[4]; extern int other[]; }");
}

static void launches_by_pointer(void **state) {
    (void)state;
    expect_rewritten("cudaLaunchKernel((void *)k<1>, g, b, a, 0, s);", "cudaLaunchKernel( k<1>, g, b, a, 0, s);");
    expect_rewritten("cudaLaunchKernel((const void*)&k, g, b, a);", "cudaLaunchKernel( &k, g, b, a);");
    expect_rewritten("cudaLaunchKernel(reinterpret_cast<void *>(k), g, b, a);", "cudaLaunchKernel( (k), g, b, a);");
    expect_unchanged("cudaLaunchKernel(k, g, b, (void **)a); f((void *)k);");
}

static void names_of_built_in_variables(void **state) {
    (void)state;
    expect_rewritten(
        "void f() { dim3 gridDim(1), blockDim(2); k<<<gridDim, blockDim>>>(); } void g() { h(gridDim.x); }",
        "void f() { dim3 own_gridDim(1), own_blockDim(2); CPU_DEVICE_LAUNCH(k).configure(own_gridDim, "
        "own_blockDim)(); } void g() { h(gridDim.x); }");
    expect_rewritten("void f(dim3 blockDim, int n) { g(blockDim.x); } int x = blockDim.x;",
                     "void f(dim3 own_blockDim, int n) { g(own_blockDim.x); } int x = blockDim.x;");
    expect_rewritten("void f(dim3 gridDim); int x = gridDim.x;", "void f(dim3 own_gridDim); int x = gridDim.x;");
    expect_rewritten("{ { const dim3 blockDim{4}; a(blockDim); } b(blockDim); }",
                     "{ { const dim3 own_blockDim{4}; a(own_blockDim); } b(blockDim); }");
    expect_rewritten("x.gridDim = p->gridDim;", "x.own_gridDim = p->own_gridDim;");
    expect_unchanged(
        "int i = blockIdx.x * blockDim.x + threadIdx.x; f(a, blockDim); return gridDim.x; (int)blockDim.y;");
}

static void errors(void **state) {
    (void)state;
    expect_error("\n\n<<<1, 1>>>(a);", 3, "no kernel");
    expect_error("return <<<1, 1>>>(a);", 1, "no kernel");
    expect_error("+ <<<1, 1>>>(a);", 1, "no kernel");
    expect_error("> <<<1, 1>>>(a);", 1, "no kernel");
    expect_error("[3]<<<1, 1>>>(a);", 1, "no kernel");
    expect_error("\nk<<<1, 1;\n", 2, "not closed");
    expect_error("k<<<1, 1", 1, "not closed");
    expect_error("k<<<(1, 1>>>(a);", 1, "not closed");
    expect_error("k<<<1, 1)>>>(a);", 1, "not closed");
    expect_error("k<<<1, m<<<1, 1>>>(a)>>>(b);", 1, "not closed");
    expect_error("k<<<1, 1>>>;", 1, "no argument list");
    expect_error("k<<<1,\n 1>>> x;", 2, "no argument list");
    expect_error("k<<<>>>(a);", 1, "needs a grid");
    expect_error("k<<<1, 1>>>(a;\n", 1, "never closed");
    expect_error("k<<<<1, 1>>>(a);", 1, "Four or more");
    expect_error("x\n/* comment", 2, "comment is never closed");
    expect_error("x\nR\"(text", 2, "raw string is never closed");
    expect_error("#define C <<<1, 1>>>\n", 1, "no kernel");
    expect_error("#define C k<<<1, 1>>>\n(a);", 1, "no argument list");
}

static void path_is_escaped(void **state) {
    (void)state;
    struct rewrite_error error;
    size_t length;
    char *result = rewrite_launches("x", 1, "a \"b\"\\c.cu", &length, &error);
    assert_non_null(result);
    assert_string_equal(result, "#line 1 \"a \\\"b\\\"\\\\c.cu\"\nx");
    free(result);
}

/* Whatever the text, the rewriter answers: every prefix and every text with one character missing. */
static void damaged_text(void **state) {
    (void)state;
    static const char source[] =
        "#define M(k) k<<<1, \\\n 1>>>(x)\nk<A<B>, 2><<<dim3(1), b>>>(R\"(x)\", 'a', \"s\", 0);\n"
        "(*f[2])<<<a >> 1, /* c */ b>>>(NULL); // end\n";
    size_t length = sizeof source - 1;
    for (size_t cut = 0; cut < length; cut++) {
        struct rewrite_error error;
        size_t result_length;
        char *copy = malloc(length);
        assert_non_null(copy);
        memcpy(copy, source, cut);
        free(rewrite_launches(copy, cut, "k.cu", &result_length, &error));
        memcpy(copy + cut, source + cut + 1, length - cut - 1);
        free(rewrite_launches(copy, length - 1, "k.cu", &result_length, &error));
        free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_launches),
        cmocka_unit_test(template_launches),
        cmocka_unit_test(kernel_expressions),
        cmocka_unit_test(configurations),
        cmocka_unit_test(layouts),
        cmocka_unit_test(macro_bodies),
        cmocka_unit_test(launch_bounds),
        cmocka_unit_test(zero_arguments),
        cmocka_unit_test(text_that_stays),
        cmocka_unit_test(dynamic_shared_memory),
        cmocka_unit_test(launches_by_pointer),
        cmocka_unit_test(names_of_built_in_variables),
        cmocka_unit_test(errors),
        cmocka_unit_test(path_is_escaped),
        cmocka_unit_test(damaged_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
