/* Tables: what a failed, a skipped, an unknown and an impossible figure look like, and which rows are chosen. */
#include "report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const report_style plain = {GRID_TEXT, LANG_EN}, markdown = {GRID_MARKDOWN, LANG_EN},
                          chinese = {GRID_MARKDOWN, LANG_ZH};

static gemm_record row(const char *stage, const char *kernel, double tflops) {
    gemm_record r;
    record_clear(&r);
    strcpy(r.stage, stage);
    strcpy(r.kernel, kernel);
    strcpy(r.dtype, "f16");
    strcpy(r.protocol, "burst");
    strcpy(r.status, "pass");
    strcpy(r.gpu, "NVIDIA H200");
    r.m = r.n = r.k = 4096;
    r.tflops = tflops;
    return r;
}

static record_list list_of(const gemm_record *rows, size_t count) {
    record_list list = {0};
    for (size_t i = 0; i < count; ++i)
        assert_int_equal(record_push(&list, &rows[i]), 0);
    return list;
}

static char *article_text(const record_list *list, report_style style) {
    selection s = {0};
    selection_settle(&s, list);
    text_stream out;
    text_open(&out);
    report_article(list, &s, style, out.out);
    text_close(&out);
    return out.text;
}

/* The line of a table that begins with `start`, the caller frees it. */
static char *line_of(const char *text, const char *start) {
    const char *line = strstr(text, start);
    assert_non_null(line);
    return text_format("%.*s", (int)strcspn(line, "\n"), line);
}

static void expect_line(const char *text, const char *start, const char *wanted) {
    char *line = line_of(text, start);
    assert_string_equal(line, wanted);
    free(line);
}

static void article_beside_ours(void **state) {
    (void)state;
    gemm_record rows[2] = {row("01_naive", "coalesced", 5.2), row("02_tiling", "tile64", 12.44)};
    rows[1].util_top = 0.0126;
    rows[1].util_unit = 0.186;
    rows[1].speedup = 2.392;
    rows[1].ratio = 0.5;
    rows[1].ratio_lo = 0.49;
    rows[1].ratio_hi = 0.5101;
    record_list list = list_of(rows, 2);
    char *text = article_text(&list, markdown);
    expect_line(text, "| 01_naive", "| 01_naive | coalesced | 3 % | 1.0 | 5.20 | n/a | n/a | n/a | n/a | pass |");
    expect_line(text, "| 02_tiling",
                "| 02_tiling | tile64 | 18 % | 5.2 | 12.4 | 1.3 % | 18.6 % | 2.39 | 0.500 [0.490, 0.510] | pass |");
    expect_line(text, "| 07", "| 07_swizzle_layout | – | 81 % | 22.7 | – | – | – | – | – | – |");
    assert_null(strstr(text, "03_register_cache")); /* not in the article, not recorded */
    assert_null(strstr(text, "(!)"));
    assert_non_null(strstr(text, "NVIDIA H200"));
    free(text);
    record_list_free(&list);
}

static void failed_rows_have_no_speed(void **state) {
    (void)state;
    gemm_record rows[2] = {row("01_naive", "coalesced", 77.7), row("02_tiling", "tile64", 88.8)};
    strcpy(rows[0].status, "fail");
    strcpy(rows[1].status, "skip");
    rows[0].util_top = 1.5;
    record_list list = list_of(rows, 2);
    char *text = article_text(&list, markdown);
    expect_line(text, "| 01_naive", "| 01_naive | coalesced | 3 % | 1.0 | – | – | – | – | – | FAIL |");
    expect_line(text, "| 02_tiling", "| 02_tiling | tile64 | 18 % | 5.2 | – | – | – | – | – | skip |");
    assert_null(strstr(text, "(!)"));
    free(text);
    record_list_free(&list);
}

static void above_the_peak_is_flagged(void **state) {
    (void)state;
    gemm_record r = row("01_naive", "coalesced", 1032);
    r.util_top = 1.043;
    record_list list = list_of(&r, 1);
    char *text = article_text(&list, plain);
    assert_non_null(strstr(text, "104.3 % (!)"));
    assert_non_null(strstr(text, "(!) above the peak: check the timing"));
    free(text);
    record_list_free(&list);
}

static void first_kernel_and_hopper(void **state) {
    (void)state;
    gemm_record rows[4] = {row("05_tensorcore", "hopper", 500), row("05_tensorcore", "wmma", 100),
                           row("05_tensorcore", "mma", 300), row("05_tensorcore", "mma_slow", 200)};
    record_list list = list_of(rows, 4);
    char *text = article_text(&list, markdown);
    assert_non_null(strstr(text, "| 05_tensorcore | mma | 62 % | 17.5 | 300 |"));
    assert_non_null(strstr(text, "| 05_tensorcore | hopper | – | – | 500 |"));
    assert_null(strstr(text, "mma_slow"));
    assert_null(strstr(text, "wmma"));
    free(text);
    record_list_free(&list);
}

/* A table of float has 06 on FP32 cores, and no tensor cores; none has a variant that happens to be first. */
static void kernels_of_each_type(void **state) {
    (void)state;
    gemm_record rows[3] = {row("06_double_buffer", "simt", 51), row("05_tensorcore", "tf32", 200),
                           row("06_double_buffer", "stages2", 320)};
    strcpy(rows[0].dtype, "f32");
    strcpy(rows[1].dtype, "tf32");
    record_list list = list_of(rows, 3);
    static const char *const shown[][2] = {{"f32", "| 06_double_buffer | simt | – | – | 51.0 |"},
                                           {"tf32", "| 05_tensorcore | tf32 | – | – | 200 |"},
                                           {"f16", "| 06_double_buffer | – | 76 % | 21.3 | – |"}};
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; ++i) {
        const selection s = {.dtype = shown[i][0], .protocol = "burst", .size = 4096};
        text_stream out;
        text_open(&out);
        report_article(&list, &s, markdown, out.out);
        text_close(&out);
        assert_non_null(strstr(out.text, shown[i][1]));
        for (size_t j = 0; j < 2; ++j)
            assert_true(j == i || !strstr(out.text, shown[j][1]));
        assert_null(strstr(out.text, "stages2"));
        free(out.text);
    }
    record_list_free(&list);
    assert_true(article_has("06_double_buffer", "simt"));
    assert_true(article_has("05_tensorcore", "hopper/128x128"));
    assert_false(article_has("05_tensorcore", "simt"));
    assert_false(article_has("06_double_buffer", "stages2"));
}

static void selection_takes_what_there_is(void **state) {
    (void)state;
    gemm_record rows[3] = {row("01_naive", "coalesced", 1), row("01_naive", "coalesced", 2),
                           row("01_naive", "coalesced", 3)};
    for (int i = 0; i < 3; ++i) {
        strcpy(rows[i].dtype, "f32");
        strcpy(rows[i].protocol, "sustained");
        rows[i].m = rows[i].n = rows[i].k = 512 << i;
    }
    rows[2].k = 7;
    record_list list = list_of(rows, 3);
    selection s = {0};
    selection_settle(&s, &list);
    assert_string_equal(s.dtype, "f32");
    assert_string_equal(s.protocol, "sustained");
    assert_int_equal(s.size, 1024); /* the largest cube */
    selection asked = {.dtype = "f16", .protocol = "burst", .size = 77};
    selection_settle(&asked, &list);
    assert_string_equal(asked.dtype, "f16"); /* never overruled */
    assert_int_equal(asked.size, 77);
    record_list_free(&list);
}

static void chinese_headings(void **state) {
    (void)state;
    gemm_record r = row("01_naive", "coalesced", 5);
    record_list list = list_of(&r, 1);
    char *text = article_text(&list, chinese);
    assert_non_null(strstr(text, "| 阶段 | 内核 | 文章利用率 |"));
    assert_null(strstr(text, "stage"));
    free(text);
    record_list_free(&list);
}

static void checks_show_error_and_bound(void **state) {
    (void)state;
    gemm_record rows[2] = {row("01_naive", "coalesced", NAN), row("02_tiling", "tile|64", NAN)};
    rows[0].max_err = 0.001;
    rows[0].err_bound = 0.004;
    rows[1].n = 257;
    strcpy(rows[1].status, "fail");
    strcpy(rows[1].reason, "off by\none");
    record_list list = list_of(rows, 2);
    text_stream out;
    text_open(&out);
    report_checks(&list, markdown, out.out);
    text_close(&out);
    expect_line(out.text, "| 01_naive", "| 01_naive | coalesced | f16 | 4096³ | 1.00e-03 | 4.00e-03 | 0.250 | pass |");
    expect_line(out.text, "| 02_tiling",
                "| 02_tiling | tile\\|64 | f16 | 4096×257×4096 | n/a | n/a | n/a | FAIL: off by one |");
    free(out.text);
    record_list_free(&list);
}

static void rows_stand_by_type_and_size(void **state) {
    (void)state;
    gemm_record rows[4] = {row("02_tiling", "large", 1), row("02_tiling", "small", 2), row("02_tiling", "later", 3),
                           row("02_tiling", "brain", 4)};
    rows[1].m = 64;
    strcpy(rows[3].dtype, "bf16");
    record_list list = list_of(rows, 4);
    const selection all = {0};
    text_stream out;
    text_open(&out);
    report_rows(&list, &all, markdown, out.out);
    text_close(&out);
    const char *const order[] = {"| kernel | type |", "\n| brain | bf16", "\n| small | f16", "\n| large | f16",
                                 "\n| later | f16"};
    const char *at = out.text;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; ++i) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    free(out.text);
    strcpy(list.rows[0].stage, "01_naive");
    text_open(&out);
    report_rows(&list, &all, markdown, out.out);
    text_close(&out);
    assert_non_null(strstr(out.text, "| stage | kernel | type |"));
    assert_non_null(strstr(out.text, "\n| 01_naive | large | f16"));
    free(out.text);
    record_list_free(&list);
}

static void widths(void **state) {
    (void)state;
    assert_int_equal(display_width("abc"), 3);
    assert_int_equal(display_width("4096³"), 5);
    assert_int_equal(display_width("阶段 x"), 6);
    assert_int_equal(display_width("e\xCC\x81"), 1); /* e and a combining accent */
    assert_int_equal(display_width("\xE4\xB8"), 2);  /* a cut character: one column a byte */
}

static void columns_line_up(void **state) {
    (void)state;
    static const char *const headings[] = {"名", "n"};
    grid g;
    grid_open(&g, "lr", headings);
    grid_add(&g, text_format("long–er"));
    grid_add(&g, text_format("7"));
    grid_add(&g, text_format("x"));
    grid_add(&g, text_format("123"));
    assert_int_equal(grid_rows(&g), 2);
    text_stream out;
    text_open(&out);
    grid_print(&g, GRID_TEXT, out.out);
    text_close(&out);
    assert_string_equal(out.text, "名         n\n───────  ───\nlong–er    7\nx        123\n");
    free(out.text);
    grid_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(article_beside_ours),
        cmocka_unit_test(failed_rows_have_no_speed),
        cmocka_unit_test(above_the_peak_is_flagged),
        cmocka_unit_test(first_kernel_and_hopper),
        cmocka_unit_test(kernels_of_each_type),
        cmocka_unit_test(selection_takes_what_there_is),
        cmocka_unit_test(chinese_headings),
        cmocka_unit_test(checks_show_error_and_bound),
        cmocka_unit_test(rows_stand_by_type_and_size),
        cmocka_unit_test(widths),
        cmocka_unit_test(columns_line_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
