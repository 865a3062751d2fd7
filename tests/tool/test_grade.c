/* How `ladder grade` judges what a program leaves: rows, files of findings, and ends of all kinds. The programs are
 * shell scripts that get the driver's options. Also that each stage's points are 100. */
#include "counts.h"
#include "grade_report.h"
#include "grade_run.h"
#include "grade_scheme.h"
#include "record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* after those */
#include <cmocka.h>

#define HEADER FINDINGS_HEADER

static const tool_context context = {.device = "cpu", .source = ".", .bin = "."};
static grade_session session;
static string_list variants;

static char *in_scratch(const char *name) { return text_format("%s/%s", session.scratch, name); }

static void write_text(const char *name, const char *text) {
    char *path = in_scratch(name);
    fault f;
    assert_int_equal(write_file(path, text, strlen(text), &f), 0);
    free(path);
}

/* The row that a driver would write for a kernel that is right. */
static gemm_record right_row(void) {
    gemm_record row;
    record_clear(&row);
    snprintf(row.stage, sizeof row.stage, "%s", session.scheme->stage);
    snprintf(row.kernel, sizeof row.kernel, "%s", session.variant);
    snprintf(row.status, sizeof row.status, "pass");
    row.max_err = 1e-6;
    row.err_bound = 1e-5;
    return row;
}

static void write_rows(const gemm_record *rows, size_t count) {
    char *path = in_scratch("prepared.csv"), error[256];
    const record_list list = {(gemm_record *)rows, count, count};
    assert_int_equal(record_write_csv(path, &list, error, sizeof error), 0);
    free(path);
}

/* $csv, $findings and $counts are the files that the driver is asked for, $kernel the kernels. */
static void write_program(const char *body) {
    char *text = text_format("#!/bin/sh\n"
                             "while [ $# -gt 0 ]; do\n"
                             "    case $1 in\n"
                             "    --csv) csv=$2 ;;\n"
                             "    --kernel) kernel=$2 ;;\n"
                             "    --findings) findings=$2 ;;\n"
                             "    --counts) counts=$2 ;;\n"
                             "    esac\n"
                             "    shift\n"
                             "done\n"
                             "%s\n",
                             body);
    write_text("program", text);
    assert_int_equal(chmod(session.program, 0700), 0);
    free(text);
}

static int set_up(void **state) {
    (void)state;
    fault f;
    session = (grade_session){.context = &context,
                              .scheme = grade_scheme_find("02_tiling"),
                              .scratch = make_temporary_directory(&f),
                              .variant = "tile64",
                              .variants = &variants,
                              .time_limit = 20,
                              .product_time_limit = 2,
                              .runs_left = 1,
                              .memory = (size_t)1 << 30};
    list_copy(&variants, "tile64");
    list_copy(&variants, "tile128");
    session.program = in_scratch("program");
    const gemm_record row = right_row();
    write_rows(&row, 1);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    remove_directory(session.scratch);
    free((char *)session.scratch);
    free((char *)session.program);
    list_free(&variants);
    return 0;
}

static void sheet_clear(grade_sheet *sheet) {
    for (size_t i = 0; i < sheet->finding_count; ++i)
        free(sheet->findings[i].fields);
    free(sheet->findings);
    *sheet = (grade_sheet){0};
}

static const grade_product product = {"--m 8", false}, all_variants = {"--m 8", true};

static void expect_of(const grade_product *run, const char *program, const char *expected) {
    write_program(program);
    char *wrong = grade_run(&session, run);
    if (!expected && wrong)
        fail_msg("not right: %s", wrong);
    if (expected && !(wrong && strstr(wrong, expected)))
        fail_msg("%s: \"%s\" lacks \"%s\"", program, wrong ? wrong : "", expected);
    free(wrong);
}

/* expected NULL: the run is right. */
static void expect(const char *program, const char *expected) { expect_of(&product, program, expected); }

static void judges_by_the_record(void **state) {
    (void)state;
    gemm_record row = right_row();
    expect("cp prepared.csv \"$csv\"", NULL);
    expect("cp prepared.csv \"$csv\"; exit 1", "--m 8: ended with exit status 1 without a result");
    expect("echo PASS", "ended with exit status 0 without a result that can be judged");
    expect("echo PASS >\"$csv\"", "without a result");
    expect("head -c -1 prepared.csv >\"$csv\"", "without a result");
    expect("cp prepared.csv \"$csv\"; kill -SEGV $$", "was ended by signal 11");
    expect("echo 'CPU device: kernel k: a null pointer.' >&2; exit 1", "--m 8: kernel k: a null pointer.");
    row.max_err = 1; /* a row that contradicts itself */
    write_rows(&row, 1);
    expect("cp prepared.csv \"$csv\"", "without a result");
    row = right_row();
    snprintf(row.kernel, sizeof row.kernel, "tile32");
    write_rows(&row, 1);
    expect("cp prepared.csv \"$csv\"", "without a result");
    const gemm_record two[] = {right_row(), right_row()};
    write_rows(two, 2);
    expect("cp prepared.csv \"$csv\"", "without a result");
    row = right_row();
    snprintf(row.status, sizeof row.status, "fail");
    snprintf(row.reason, sizeof row.reason, "C[0][0] is 0, should be 1");
    write_rows(&row, 1);
    expect("cp prepared.csv \"$csv\"; exit 1", "--m 8: C[0][0] is 0, should be 1");
    snprintf(row.status, sizeof row.status, "skip");
    write_rows(&row, 1);
    expect("cp prepared.csv \"$csv\"", "--m 8: C[0][0] is 0");
}

static void judges_every_variant(void **state) {
    (void)state;
    gemm_record rows[] = {right_row(), right_row()};
    snprintf(rows[0].kernel, sizeof rows[0].kernel, "tile128"); /* in any order */
    write_rows(rows, 2);
    expect_of(&all_variants, "[ \"$kernel\" = tile64,tile128 ] && cp prepared.csv \"$csv\"", NULL);
    snprintf(rows[0].status, sizeof rows[0].status, "fail");
    snprintf(rows[0].reason, sizeof rows[0].reason, "C[0][0] is 0, should be 1");
    write_rows(rows, 2);
    expect_of(&all_variants, "cp prepared.csv \"$csv\"; exit 1", "--m 8: tile128: C[0][0] is 0, should be 1");
    rows[0] = right_row();
    write_rows(rows, 2); /* twice the same */
    expect_of(&all_variants, "cp prepared.csv \"$csv\"", "without a result");
    write_rows(rows, 1);
    expect_of(&all_variants, "cp prepared.csv \"$csv\"", "without a result");
}

static void ends_what_does_not_end(void **state) {
    (void)state;
    session.time_limit = 0.6;
    session.product_time_limit = 0.3;
    session.runs_left = 3;
    expect("sleep 100", "--m 8: this product did not end within 0.3 s: a loop that never ends");
    assert_true(session.too_long);
    assert_int_equal(session.status, GRADE_TIME);
    session.spent = 0.55;
    expect("cp prepared.csv \"$csv\"",
           "--m 8: not run: the 0.6 s for all tests (--time-limit) were used up before this one");
    assert_false(session.too_long);
}

static void tells_how_it_went(void **state) {
    (void)state;
    expect("cp prepared.csv \"$csv\"", NULL);
    assert_int_equal(session.status, GRADE_MARKED);
    expect("kill -SEGV $$", "signal 11");
    assert_int_equal(session.status, GRADE_CRASH);
}

static void takes_findings(void **state) {
    (void)state;
    grade_sheet sheet = {.stage = "02_tiling", .file = "a \"b\".cu"};
    write_text("found.csv", HEADER
               "\n02_tiling,tile64,f32,8,8,8,race,kernel.cu,57,kernel.cu,61,12,\"a race, told in \"\"words\"\"\"\n"
               "02_tiling,tile64,f32,8,8,8,unwritten,kernel.cu,57,,,1,never written\n");
    write_program("cp prepared.csv \"$csv\"; cp found.csv \"$findings\"");
    char *wrong = grade_run_checked(&session, &product, &sheet);
    assert_string_equal(wrong, "--m 8: race at kernel.cu:57 and kernel.cu:61, told above");
    free(wrong);
    assert_int_equal(sheet.finding_count, 2);
    assert_string_equal(sheet.findings[0].text, "a race, told in \"words\"");
    wrong = grade_run_checked(&session, &product, &sheet); /* the same findings at another product */
    assert_string_equal(wrong, "--m 8: found again what is told of the product before");
    free(wrong);
    assert_int_equal(sheet.finding_count, 2);
    text_stream text;
    text_open(&text);
    grade_print_json(&sheet, text.out);
    text_close(&text);
    assert_non_null(
        strstr(text.text,
               "{\"kernel\": \"tile64\", \"kind\": \"race\", \"file\": \"kernel.cu\", \"line\": 57, \"other_file\": "
               "\"kernel.cu\", \"other_line\": 61, \"count\": 12, \"text\": \"a race, told in "
               "\\\"words\\\"\"}"));
    assert_non_null(strstr(text.text, "\"other_file\": null, \"other_line\": null, \"count\": 1"));
    assert_non_null(strstr(text.text, "\"file\": \"a \\\"b\\\".cu\""));
    free(text.text);
    sheet_clear(&sheet);
}

static void takes_a_finding_without_a_place(void **state) {
    (void)state;
    grade_sheet sheet = {.stage = "02_tiling", .file = "kernel.cu"};
    write_text("found.csv", HEADER "\n02_tiling,tile64,f32,8,8,8,uninitialised,,,,,1,no zero\n");
    write_program("cp prepared.csv \"$csv\"; cp found.csv \"$findings\"");
    char *wrong = grade_run_checked(&session, &product, &sheet);
    assert_string_equal(wrong, "--m 8: uninitialised, told above");
    free(wrong);
    text_stream text;
    text_open(&text);
    grade_print_json(&sheet, text.out);
    text_close(&text);
    assert_non_null(strstr(text.text, "\"kind\": \"uninitialised\", \"file\": null, \"line\": null, "));
    free(text.text);
    sheet_clear(&sheet);
}

static void wants_a_file_of_findings(void **state) {
    (void)state;
    grade_sheet sheet = {0};
    write_program("cp prepared.csv \"$csv\"; echo '" HEADER "' >\"$findings\"");
    assert_null(grade_run_checked(&session, &product, &sheet));
    static const char *const programs[] = {"cp prepared.csv \"$csv\"",
                                           "cp prepared.csv \"$csv\"; echo none >\"$findings\"",
                                           "cp prepared.csv \"$csv\"; { echo '" HEADER "'; echo a,b; } >\"$findings\""};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; ++i) {
        write_program(programs[i]);
        char *wrong = grade_run_checked(&session, &product, &sheet);
        assert_string_equal(wrong, "--m 8: the checks left no file of findings");
        free(wrong);
    }
    assert_int_equal(sheet.finding_count, 0);
}

/* A wrong result is told elsewhere. */
static void counts_findings_only(void **state) {
    (void)state;
    grade_sheet sheet = {0};
    gemm_record row = right_row();
    snprintf(row.status, sizeof row.status, "fail");
    snprintf(row.reason, sizeof row.reason, "C[0][0] is 0, should be 1");
    write_rows(&row, 1);
    write_program("cp prepared.csv \"$csv\"; echo '" HEADER "' >\"$findings\"; exit 1");
    assert_null(grade_run_checked(&session, &product, &sheet));
    write_program("exit 1");
    char *wrong = grade_run_checked(&session, &product, &sheet);
    assert_non_null(strstr(wrong, "ended with exit status 1"));
    free(wrong);
}

static void wants_counts(void **state) {
    (void)state;
    count_list counts = {0};
    write_program("cp prepared.csv \"$csv\"");
    char *wrong = grade_run_counted(&session, &product, &counts);
    assert_non_null(strstr(wrong, "nothing was counted"));
    free(wrong);
    assert_int_equal(counts.count, 0);
}

static void points_are_100(void **state) {
    (void)state;
    for (size_t i = 0; i < grade_scheme_count; ++i) {
        int points = 0;
        size_t lines = GRADE_TESTS;
        for (size_t j = 0; j < GRADE_TESTS; ++j)
            points += grade_schemes[i].type->tests[j].points;
        for (size_t j = 0; j < GRADE_GOALS; ++j) {
            points += grade_schemes[i].goals[j].points;
            lines += grade_schemes[i].goals[j].points > 0;
        }
        assert_int_equal(points, 100);
        assert_true(lines <= GRADE_LINES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(judges_by_the_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(judges_every_variant, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tells_how_it_went, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_findings_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ends_what_does_not_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_findings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_a_finding_without_a_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wants_a_file_of_findings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wants_counts, set_up, tear_down),
        cmocka_unit_test(points_are_100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
