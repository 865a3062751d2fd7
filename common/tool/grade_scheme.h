/* What `ladder grade` asks of a stage's kernel, and for how many points: tests of the result, the same for all stages
 * of one type, and the stage's own goals, which are about counts. Together 100 points. */
#ifndef TOOL_GRADE_SCHEME_H
#define TOOL_GRADE_SCHEME_H

#include "counts_file.h"

/* Goes up when tests, goals or their points change, so that points are compared with their like only. */
enum { GRADE_SCHEME_VERSION = 3 };

typedef enum { GRADE_VALUES, GRADE_CHECKS } grade_kind;

/* One product. */
typedef struct grade_product {
    const char *options; /* of the driver, between blanks; NULL ends a list */
    bool all_variants;   /* by every variant of the stage that the file has, not only by the marked one */
} grade_product;

enum { GRADE_RUNS = 6 };

typedef struct grade_test {
    const char *id; /* for programs */
    const char *name;
    int points; /* shared by the runs */
    grade_kind kind;
    bool proves;         /* a right product is a right kernel, at whole tiles, so that counts mean something */
    const char *simpler; /* the case that "values" tests: what is wrong there is wrong here; NULL: another case */
    grade_product runs[GRADE_RUNS + 1];
} grade_test;

typedef struct grade_goal {
    const char *id, *name;
    int points;
    /* NULL when `own` reaches the goal; otherwise what is missing and where to look, which the caller frees.
     * `reference` are the counts of the scheme's reference kernel, empty when it has none. */
    char *(*missing)(const count_list *own, const count_list *reference);
} grade_goal;

/* A kernel as the driver calls it, and its launch function in kernel.cu. */
typedef struct grade_variant {
    const char *name, *function;
} grade_variant;

/* What the stages of one type have in common. */
typedef struct grade_product_type {
    const grade_test *tests; /* GRADE_TESTS; the first is the plain one */
    const char *goal_run;    /* the product whose counts the goals are about */
    double goal_flops;       /* operations that it takes at least */
} grade_product_type;

enum { GRADE_TESTS = 8, GRADE_GOALS = 3, GRADE_VARIANTS = 4 };

typedef struct grade_scheme {
    const char *stage, *marked; /* the variant that is marked */
    const grade_product_type *type;
    grade_variant variants[GRADE_VARIANTS];         /* of kernel.cu, in main.c's order; name NULL: none */
    const char *reference_stage, *reference_kernel; /* whose counts the goals compare with; NULL: nobody's */
    bool inherits;                                  /* a right result is the work of the stage before */
    grade_goal goals[GRADE_GOALS];                  /* points 0: none */
} grade_scheme;

/* NULL: there is no exercise to mark in this stage. */
const grade_scheme *grade_scheme_find(const char *stage);
const grade_variant *grade_marked_variant(const grade_scheme *scheme);
/* All of them, for --help and for a file that has another stage's functions. */
extern const grade_scheme grade_schemes[];
extern const size_t grade_scheme_count;

#endif
