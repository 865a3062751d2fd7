/* Comment stripping, counting a diff, and names made from names. */
#include "diff.h"
#include "files.h"
#include "gnuplot.h"
#include "strip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_strip(const char *source, const char *wanted) {
    char *got = strip_comments(source);
    assert_string_equal(got, wanted);
    free(got);
}

static void comments_go(void **state) {
    (void)state;
    expect_strip("int a; // one\nint b;\n", "int a;\nint b;\n");
    expect_strip("a/* x */b\n", "a b\n");
    expect_strip("// alone\nint a;\n  /* two\n lines */\nint b;\n", "int a;\nint b;\n");
    expect_strip("int a; /* to the\n next */ int b;\n", "int a;\n  int b;\n");
    expect_strip("int a; // goes on \\\n here\nint b;\n", "int a;\nint b;\n");
    expect_strip("a\n\nb\n", "a\n\nb\n"); /* blank lines stay */
    expect_strip("int a; /* never closed", "int a;");
    expect_strip("", "");
    expect_strip("a / b // c\n", "a / b\n");
}

static void literals_stay(void **state) {
    (void)state;
    expect_strip("s = \"// no\"; // yes\n", "s = \"// no\";\n");
    expect_strip("s = \"\\\"/*\"; t\n", "s = \"\\\"/*\"; t\n");
    expect_strip("c = '\"'; // q\n", "c = '\"';\n");
    expect_strip("c = '\\''; /* q */\n", "c = '\\'';\n");
    expect_strip("n = 1'000'000; // big\n", "n = 1'000'000;\n");
    expect_strip("asm(R\"x(\n // ptx \" )\" /* in */\n)x\"); // out\n", "asm(R\"x(\n // ptx \" )\" /* in */\n)x\");\n");
    expect_strip("#define FOR \"a\" // b\n", "#define FOR \"a\"\n");
    expect_strip("/* it's */ x\n", "  x\n");
}

static void expect_count(const char *text, size_t changed, size_t removed, size_t added) {
    const diff_count c = count_changes(text);
    assert_int_equal(c.changed, changed);
    assert_int_equal(c.removed, removed);
    assert_int_equal(c.added, added);
}

static void changes_are_counted(void **state) {
    (void)state;
    expect_count("", 0, 0, 0);
    expect_count("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n", 1, 1, 1);
    expect_count("--- a\n+++ b\n@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n+\n e\n-f\n", 3, 2, 2);
    expect_count("--- a\n+++ b\n@@ x @@\n--- p;\n+++p;\n", 1, 1, 1); /* lines that look like file names */
    expect_count("--- a\n+++ b\n@@ x @@\n-a\n@@ y @@\n+b\n", 2, 1, 1);
}

static void slugs(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"NVIDIA H200", "nvidia-h200"},
                                           {"NVIDIA GeForce RTX 4090", "nvidia-geforce-rtx-4090"},
                                           {" A/..//b ", "a-b"},
                                           {"", ""}};
    for (size_t i = 0; i < 4; ++i) {
        char *made = slug(pairs[i][0]);
        assert_string_equal(made, pairs[i][1]);
        free(made);
    }
}

static void gnuplot_strings_hold_anything(void **state) {
    (void)state;
    char *made = gnuplot_string("it's `rm` \"x\" \\n\n");
    assert_string_equal(made, "'it''s `rm` \"x\" \\n '");
    free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comments_go),
        cmocka_unit_test(literals_stay),
        cmocka_unit_test(changes_are_counted),
        cmocka_unit_test(slugs),
        cmocka_unit_test(gnuplot_strings_hold_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
