/* Files of counts: what is read, what is refused and in which words, and sums over launches and lines. */
#include "counts_file.h"

#include "counts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/counts-test-XXXXXX";

static int create_file(void **state) {
    (void)state;
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}
static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void write_text(const char *text) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static count_list read_good(const char *text) {
    fault f = {{0}};
    count_list list;
    write_text(text);
    if (counts_read(path, &list, &f) != 0)
        fail_msg("refused: %s", f.text);
    return list;
}

static void expect_refused(const char *text, const char *sentence) {
    fault f = {{0}};
    count_list list;
    write_text(text);
    if (counts_read(path, &list, &f) == 0)
        fail_msg("accepted: %s", text);
    if (!strstr(f.text, sentence))
        fail_msg("\"%s\" lacks \"%s\"", f.text, sentence);
    assert_null(list.rows);
    assert_null(list.text);
}

#define ROW "01_naive,coalesced,f32,64,64,64,kernel.cu,7,global_load_requests,128"

static void rows_and_comments(void **state) {
    (void)state;
    count_list list = read_good("# NVIDIA H200, commit 1\n#second\n" COUNTS_HEADER "\n" ROW "\n\n#third\n"
                                ",\"scale<float, 4><<<2, 32>>>\",,,,,\"a\"\"b,c\",0,flops,1.5e3");
    assert_int_equal(list.count, 2);
    assert_string_equal(list.origin, "NVIDIA H200, commit 1");
    assert_string_equal(list.rows[0].stage, "01_naive");
    assert_string_equal(list.rows[0].kernel, "coalesced");
    assert_string_equal(list.rows[0].dtype, "f32");
    assert_int_equal(list.rows[0].m, 64);
    assert_string_equal(list.rows[0].source, "kernel.cu");
    assert_int_equal(list.rows[0].line, 7);
    assert_string_equal(list.rows[0].counter, "global_load_requests");
    assert_true(list.rows[0].value == 128);
    assert_string_equal(list.rows[1].stage, "");
    assert_string_equal(list.rows[1].kernel, "scale<float, 4><<<2, 32>>>");
    assert_string_equal(list.rows[1].source, "a\"b,c");
    assert_int_equal(list.rows[1].k, 0);
    assert_true(list.rows[1].value == 1500);
    counts_free(&list);
    list = read_good(COUNTS_HEADER "\n"); /* nothing was launched */
    assert_int_equal(list.count, 0);
    assert_string_equal(list.origin, "");
    counts_free(&list);
    /* As a spreadsheet leaves it. */
    list = read_good("# origin\r\n" COUNTS_HEADER "\r\n" ROW "\r\n\r\n" ROW "\r\n");
    assert_int_equal(list.count, 2);
    assert_string_equal(list.origin, "origin");
    assert_true(list.rows[1].value == 128);
    counts_free(&list);
}

static void damaged_files(void **state) {
    (void)state;
    expect_refused("", "holds no counts");
    expect_refused("# only words\n", "holds no counts");
    expect_refused("a thesis\n", ":1: this is no file of counts");
    expect_refused(ROW "\n", ":1: ");
    expect_refused("# x\n" COUNTS_HEADER ",more\n", ":2: ");
    static const char *const rows[] = {
        "01_naive,coalesced,f32,64,64,64,kernel.cu,7,flops",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,7,flops,",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,7,flops,1,2",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,7,flops,x",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,7,flops,1x",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,7,flops,-1",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,7,flops,nan",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,7,flops,inf",
        "01_naive,coalesced,f32,64.5,64,64,kernel.cu,7,flops,1",
        "01_naive,coalesced,f32,-64,64,64,kernel.cu,7,flops,1",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,-7,flops,1",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,x,flops,1",
        "01_naive,coalesced,f32,64,64,64,kernel.cu,1e9,flops,1",
        "01_naive,coalesced,f32,64,64,64,k.cu,4294967297,flops,1",
        "01_naive,\"coalesced,f32,64,64,64,kernel.cu,7,flops,1",
        ",,,,,,,,,",
        "01_naive,coalesced,f32,99999999999999999999,1,1,k,7,a,1",
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char *text = text_format(COUNTS_HEADER "\n" ROW "\n%s\n", rows[i]);
        expect_refused(text, ":3: this is no file of counts");
        free(text);
    }
    fault f = {{0}};
    count_list list;
    assert_int_equal(counts_read("/nowhere/counts.csv", &list, &f), -1);
    assert_non_null(strstr(f.text, "/nowhere/counts.csv"));
}

static const char two_launches[] = COUNTS_HEADER "\n"
                                                 "01,a,f32,8,8,8,_Z1a,0,launches,1\n"
                                                 "01,a,f32,8,8,8,a.cu,3,global_load_bytes,10\n"
                                                 "01,a,f32,8,8,8,a.cu,4,global_load_bytes,20\n"
                                                 "01,a,f32,8,8,8,b.cu,4,global_load_bytes,40\n"
                                                 "01,a,f16,8,8,8,a.cu,4,global_load_bytes,100\n"
                                                 "01,a,f32,8,8,9,a.cu,4,global_load_bytes,200\n"
                                                 "01,a,f32,8,8,8,a.cu,4,global_load_bytes,1\n";

static void sums_and_launches(void **state) {
    (void)state;
    count_list list = read_good(two_launches);
    size_t count;
    const count_row **launches = counts_launches(&list, &count);
    assert_int_equal(count, 3);
    assert_ptr_equal(launches[0], &list.rows[0]);
    assert_ptr_equal(launches[1], &list.rows[4]);
    assert_ptr_equal(launches[2], &list.rows[5]);
    assert_true(counts_total(&list, launches[0], "global_load_bytes") == 71);
    assert_true(counts_total(&list, launches[1], "global_load_bytes") == 100);
    assert_true(isnan(counts_total(&list, launches[0], "flops")));
    assert_true(isnan(counts_total(&list, launches[0], "global_load")));
    assert_true(counts_of_line(&list, launches[0], "a.cu", 3, "global_load_bytes") == 10);
    assert_true(counts_of_line(&list, launches[0], "a.cu", 4, "global_load_bytes") == 21);
    assert_true(isnan(counts_of_line(&list, launches[0], "a.cu", 5, "global_load_bytes")));
    free(launches);
    counts_free(&list);
}

/* Whatever record_put_text writes comes back. */
static void fields_survive(void **state) {
    (void)state;
    static const char *const names[] = {"plain", "a,b", "\"", "\"\"", "say \"x\", twice", "<<<1, 2>>>", " "};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(COUNTS_HEADER "\n,", out);
        record_put_text(out, names[i]);
        fputs(",,,,,s,0,flops,1\n", out);
        fclose(out);
        fault f;
        count_list list;
        assert_int_equal(counts_read(path, &list, &f), 0);
        assert_string_equal(list.rows[0].kernel, names[i]);
        counts_free(&list);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_comments),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(sums_and_launches),
        cmocka_unit_test(fields_survive),
    };
    return cmocka_run_group_tests(tests, create_file, remove_file);
}
