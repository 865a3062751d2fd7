/* The record files: what is written reads back, in every locale, and damage is a sentence and never a loss. */
#include "files.h"
#include "record.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char header[] = "stage,kernel,dtype,acc,m,n,k,alpha,beta,init,l2,protocol,samples,time_us,time_lo_us,"
                             "time_hi_us,tflops,util_unit,util_top,speedup,baseline,baseline_tflops,ratio,ratio_lo,"
                             "ratio_hi,status,reason,max_err,err_bound,regs,smem_bytes,occupancy,sm_clock_mhz,power_w,"
                             "temp_c,gpu,driver,toolkit,cublas,commit,date\n";

typedef struct fixture {
    char *directory, *path;
    char error[512];
} fixture;

static int setup(void **state) {
    fixture *x = calloc(1, sizeof *x);
    fault f;
    x->directory = make_temporary_directory(&f);
    x->path = text_format("%s/record.csv", x->directory);
    *state = x;
    return 0;
}

static int teardown(void **state) {
    fixture *x = *state;
    remove_directory(x->directory);
    free(x->directory);
    free(x->path);
    free(x);
    return 0;
}

static gemm_record passed_row(const char *stage, const char *kernel, double time_us) {
    gemm_record r;
    record_clear(&r);
    strcpy(r.stage, stage);
    strcpy(r.kernel, kernel);
    strcpy(r.dtype, "f16");
    strcpy(r.protocol, "burst");
    strcpy(r.status, "pass");
    r.m = r.n = r.k = 4096;
    r.alpha = 1;
    r.beta = 0;
    r.time_us = time_us;
    return r;
}

static void put_text(const char *path, const char *text) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static char *get_text(const char *path) {
    fault f = {{0}};
    char *text = read_file(path, &f);
    assert_non_null(text);
    return text;
}

static void clear_is_unknown(void **state) {
    (void)state;
    gemm_record r;
    memset(&r, 1, sizeof r);
    record_clear(&r);
    assert_true(isnan(r.alpha) && isnan(r.speedup) && isnan(r.temp_c) && isnan(r.occupancy));
    assert_int_equal(r.m + r.samples, 0);
    assert_string_equal(r.date, "");
}

static void round_trip(void **state) {
    fixture *x = *state;
    gemm_record r = passed_row("01_naive", "coalesced", 1234.56789);
    r.samples = INT64_MAX;
    r.max_err = INFINITY;
    r.err_bound = 1.25e-7;
    strcpy(r.reason, "a \"quoted\" word, a comma\nand a second line\r");
    strcpy(r.gpu, "某 GPU");
    record_list list = {0}, back = {0};
    assert_int_equal(record_push(&list, &r), 0);
    assert_int_equal(record_push(&list, &r), 0);
    assert_int_equal(record_write_csv(x->path, &list, x->error, sizeof x->error), 0);
    assert_int_equal(record_read_csv(x->path, &back, x->error, sizeof x->error), 0);
    assert_int_equal(back.count, 2);
    const gemm_record *b = &back.rows[1];
    assert_string_equal(b->reason, r.reason);
    assert_string_equal(b->gpu, r.gpu);
    assert_true(b->samples == INT64_MAX);
    assert_true(fabs(b->time_us - r.time_us) < 1e-5);
    assert_true(isinf(b->max_err));
    assert_true(b->err_bound == 1.25e-7);
    assert_true(isnan(b->power_w));
    record_list_free(&list);
    record_list_free(&back);
}

static void header_is_the_contract(void **state) {
    fixture *x = *state;
    const record_list none = {0};
    assert_int_equal(record_write_csv(x->path, &none, x->error, sizeof x->error), 0);
    char *text = get_text(x->path);
    assert_string_equal(text, header);
    free(text);
}

static void decimal_comma(void **state) {
    fixture *x = *state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8") && !setlocale(LC_ALL, "de_DE"))
        skip();
    gemm_record r = passed_row("01_naive", "coalesced", 2.5);
    record_list list = {0}, back = {0};
    record_push(&list, &r);
    const int written = record_write_csv(x->path, &list, x->error, sizeof x->error);
    const int read = record_read_csv(x->path, &back, x->error, sizeof x->error);
    char here[16];
    snprintf(here, sizeof here, "%.1f", 2.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(here, "2,5"); /* the caller's locale is as it was */
    assert_int_equal(written, 0);
    assert_int_equal(read, 0);
    assert_true(back.rows[0].time_us == 2.5);
    char *text = get_text(x->path);
    assert_non_null(strstr(text, ",2.5,"));
    free(text);
    record_list_free(&list);
    record_list_free(&back);
}

static void append_writes_one_header(void **state) {
    fixture *x = *state;
    gemm_record r = passed_row("01_naive", "coalesced", 1);
    record_list list = {0}, back = {0};
    record_push(&list, &r);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(record_append_csv(x->path, &list, x->error, sizeof x->error), 0);
    assert_int_equal(record_read_csv(x->path, &back, x->error, sizeof x->error), 0);
    assert_int_equal(back.count, 3);
    record_list_free(&list);
    record_list_free(&back);
}

static void append_spares_foreign_files(void **state) {
    fixture *x = *state;
    static const char *const foreign[] = {"name,price\ntea,3\n", "not ended by a newline"};
    gemm_record r = passed_row("01_naive", "coalesced", 1);
    record_list list = {0};
    record_push(&list, &r);
    for (size_t i = 0; i < 2; ++i) {
        put_text(x->path, foreign[i]);
        assert_int_equal(record_append_csv(x->path, &list, x->error, sizeof x->error), -1);
        char *text = get_text(x->path);
        assert_string_equal(text, foreign[i]);
        free(text);
    }
    record_list_free(&list);
}

/* Reads header + row and expects a failure that says `sentence`; the list must be as it was. */
static void expect_bad(fixture *x, const char *text, const char *sentence) {
    put_text(x->path, text);
    gemm_record r = passed_row("01_naive", "coalesced", 1);
    record_list list = {0};
    record_push(&list, &r);
    x->error[0] = '\0';
    assert_int_equal(record_read_csv(x->path, &list, x->error, sizeof x->error), -1);
    if (!strstr(x->error, sentence))
        fail_msg("\"%s\" does not say \"%s\"", x->error, sentence);
    assert_int_equal(list.count, 1);
    record_list_free(&list);
}

/* A good row but for one field: columns 0, 4 (m), 13 (time_us), 25 (status). */
static char *row_with(int column, const char *value) {
    text_stream s;
    text_open(&s);
    for (int i = 0; i < 41; ++i) {
        const char *good = i >= 4 && i <= 6 ? "8" : i == 12 ? "1" : i == 25 ? "pass" : "";
        fprintf(s.out, "%s%s", i ? "," : "", i == column ? value : good);
    }
    putc('\n', s.out);
    text_close(&s);
    return s.text;
}

static void expect_bad_field(fixture *x, int column, const char *value, const char *sentence) {
    char *good = row_with(-1, ""), *bad = row_with(column, value);
    char *text = text_format("%s%s%s", header, good, bad);
    expect_bad(x, text, sentence);
    assert_non_null(strstr(x->error, ":3:")); /* the line */
    free(text);
    free(good);
    free(bad);
}

static void malformed_files(void **state) {
    fixture *x = *state;
    expect_bad(x, "", "is empty");
    expect_bad(x, "stage,cornel\n", "column 2 is \"cornel\"");
    expect_bad_field(x, 4, "12x", "column m holds \"12x\"");
    expect_bad_field(x, 4, "-3", "whole number");
    expect_bad_field(x, 4, "", "whole number");
    expect_bad_field(x, 13, "1;5", "decimal point");
    expect_bad_field(x, 13, "nan", "decimal point");
    expect_bad_field(x, 13, " 1", "decimal point");
    expect_bad_field(x, 25, "maybe", "pass, fail or skip");
    expect_bad_field(x, 0, "\"a\"b", "after a closing quote");
    expect_bad_field(x, 0, "a\"b", "quote inside");
    expect_bad_field(x, 0, "\"open", "closing quote");
    expect_bad_field(x, 0, "0123456789012345678901234567890123456789012345678901234567890123", "longer");
    expect_bad_field(x, 40, "x,y", "more than 41 fields");
    char *cut = text_format("%s01_naive,coalesced\n", header);
    expect_bad(x, cut, "fewer than 41 fields");
    free(cut);
    assert_int_equal(record_read_csv("/nonexistent/x.csv", NULL, x->error, sizeof x->error), -1);
    assert_non_null(strstr(x->error, "cannot read /nonexistent/x.csv"));
}

static void foreign_line_ends(void **state) {
    fixture *x = *state;
    char *row = row_with(-1, "");
    row[strlen(row) - 1] = '\0';
    char *text = text_format("\xEF\xBB\xBF%.*s\r\n%s\r\n\r\n%s", (int)strlen(header) - 1, header, row, row);
    put_text(x->path, text);
    record_list list = {0};
    assert_int_equal(record_read_csv(x->path, &list, x->error, sizeof x->error), 0);
    assert_int_equal(list.count, 2);
    record_list_free(&list);
    free(text);
    free(row);
}

/* A driver's file, when the driver died: its rows count, a line without an end does not, and other readers refuse. */
static void salvage_keeps_whole_rows(void **state) {
    fixture *x = *state;
    char *row = row_with(-1, "");
    static const char *const ends[] = {"01_naive,half", "01_naive,half\n", "01_naive,\"half"};
    for (size_t i = 0; i <= sizeof ends / sizeof ends[0]; ++i) {
        /* the last one is a whole row but for its line end */
        char *end = i < sizeof ends / sizeof ends[0] ? text_format("%s", ends[i])
                                                     : text_format("%.*s", (int)strlen(row) - 1, row);
        char *text = text_format("%s%s%s%s", header, row, row, end);
        put_text(x->path, text);
        record_list list = {0};
        assert_int_equal(record_salvage_csv(x->path, &list, x->error, sizeof x->error), -1);
        assert_non_null(strstr(x->error, ":4: "));
        assert_int_equal(list.count, 2);
        record_list_free(&list);
        free(text);
        free(end);
    }
    char *whole = text_format("%s%s", header, row);
    put_text(x->path, whole);
    record_list list = {0};
    assert_int_equal(record_salvage_csv(x->path, &list, x->error, sizeof x->error), 0);
    assert_int_equal(list.count, 1);
    record_list_free(&list);
    assert_int_equal(record_check_header(x->path, x->error, sizeof x->error), 0);
    put_text(x->path, "my,thesis\n");
    assert_int_equal(record_check_header(x->path, x->error, sizeof x->error), -1);
    put_text(x->path, "");
    assert_int_equal(record_check_header(x->path, x->error, sizeof x->error), -1);
    assert_non_null(strstr(x->error, "is empty"));
    assert_int_equal(record_check_header(x->directory, x->error, sizeof x->error), -1);
    assert_non_null(strstr(x->error, "is a directory"));
    free(whole);
    free(row);
}

/* Whoever took away a file's write permission meant it, whatever the directory and root may do. */
static void protected_files_stay(void **state) {
    fixture *x = *state;
    const record_list none = {0};
    put_text(x->path, "old");
    assert_int_equal(record_can_replace_file(x->path), 0);
    assert_int_equal(chmod(x->path, 0444), 0);
    assert_int_equal(record_can_replace_file(x->path), -1);
    assert_int_equal(errno, EACCES);
    assert_int_equal(record_write_csv(x->path, &none, x->error, sizeof x->error), -1);
    assert_non_null(strstr(x->error, "Permission denied"));
    char *text = get_text(x->path);
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(record_can_replace_file(x->directory), -1);
    assert_int_equal(errno, EISDIR);
    char *deep = text_format("%s/not/yet/there.csv", x->directory), *through = text_format("%s/x.csv", x->path);
    assert_int_equal(record_can_replace_file(deep), 0);
    assert_int_equal(record_can_replace_file(through), -1);
    assert_int_equal(record_can_replace_file("/proc/x.csv"), -1);
    free(deep);
    free(through);
    assert_int_equal(record_can_replace_file("/dev/null"), 0); /* written, not replaced */
}

static void failed_write_keeps_the_old_file(void **state) {
    fixture *x = *state;
    const record_list none = {0};
    char *inside = text_format("%s/no/such/directory.csv", x->directory);
    assert_int_equal(record_write_csv(inside, &none, x->error, sizeof x->error), -1);
    assert_non_null(strstr(x->error, "unchanged"));
    free(inside);
    char *link = text_format("%s/link.csv", x->directory);
    put_text(x->path, "old");
    assert_int_equal(symlink(x->path, link), 0);
    assert_int_equal(chmod(x->path, 0640), 0);
    assert_int_equal(record_write_csv(link, &none, x->error, sizeof x->error), 0);
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode)); /* the target was replaced, not the link */
    assert_int_equal(stat(x->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    char *text = get_text(x->path);
    assert_string_equal(text, header);
    free(text);
    free(link);
}

static void json_is_strict(void **state) {
    fixture *x = *state;
    gemm_record r = passed_row("01_naive", "coalesced", 2.5);
    strcpy(r.reason, "tab\t \"q\" \\ cut \xE4\xB8");
    r.max_err = INFINITY;
    record_list list = {0};
    record_push(&list, &r);
    assert_int_equal(record_write_json(x->path, &list, x->error, sizeof x->error), 0);
    char *text = get_text(x->path);
    assert_non_null(strstr(text, "\"reason\": \"tab\\u0009 \\\"q\\\" \\\\ cut \\ufffd\\ufffd\""));
    assert_non_null(strstr(text, "\"time_us\": 2.5"));
    assert_non_null(strstr(text, "\"max_err\": null"));
    assert_non_null(strstr(text, "\"power_w\": null"));
    assert_non_null(strstr(text, "\"m\": 4096"));
    assert_int_equal(text[0], '[');
    free(text);
    list.count = 0;
    assert_int_equal(record_write_json(x->path, &list, x->error, sizeof x->error), 0);
    text = get_text(x->path);
    assert_string_equal(text, "[]\n");
    free(text);
    record_list_free(&list);
}

static void speedups(void **state) {
    (void)state;
    record_list list = {0};
    gemm_record rows[9];
    rows[0] = passed_row("01_naive", "uncoalesced", 900);
    rows[1] = passed_row("01_naive", "coalesced", 100);
    rows[2] = passed_row("02_tiling", "tile64", 25);
    rows[3] = rows[2]; /* another shape */
    rows[3].k = 64;
    rows[4] = rows[2]; /* another type */
    strcpy(rows[4].dtype, "f32");
    rows[5] = rows[2]; /* another protocol */
    strcpy(rows[5].protocol, "sustained");
    rows[6] = rows[2]; /* failed, with a stale speedup */
    strcpy(rows[6].status, "fail");
    rows[6].speedup = 4;
    rows[7] = rows[2]; /* another beta */
    rows[7].beta = 1;
    rows[8] = passed_row("01_naive", "coalesced", 50); /* the only base of rows[5], and it failed */
    strcpy(rows[8].protocol, "sustained");
    strcpy(rows[8].status, "fail");
    for (size_t i = 0; i < 9; ++i)
        record_push(&list, &rows[i]);
    record_fill_speedups(&list);
    assert_true(list.rows[0].speedup == 100.0 / 900);
    assert_true(list.rows[1].speedup == 1);
    assert_true(list.rows[2].speedup == 4);
    for (size_t i = 3; i < 9; ++i)
        assert_true(isnan(list.rows[i].speedup));
    record_list_free(&list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_is_unknown),
        cmocka_unit_test_setup_teardown(round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(header_is_the_contract, setup, teardown),
        cmocka_unit_test_setup_teardown(decimal_comma, setup, teardown),
        cmocka_unit_test_setup_teardown(append_writes_one_header, setup, teardown),
        cmocka_unit_test_setup_teardown(append_spares_foreign_files, setup, teardown),
        cmocka_unit_test_setup_teardown(malformed_files, setup, teardown),
        cmocka_unit_test_setup_teardown(foreign_line_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(failed_write_keeps_the_old_file, setup, teardown),
        cmocka_unit_test_setup_teardown(salvage_keeps_whole_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(protected_files_stay, setup, teardown),
        cmocka_unit_test_setup_teardown(json_is_strict, setup, teardown),
        cmocka_unit_test(speedups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
