/* What `ladder grade` asks of a stage's kernel, and for how many points: tests of the result, the same for every stage,
 * and the stage's own goals, which are about counts. Together 100 points. */
#ifndef TOOL_GRADE_SCHEME_H
#define TOOL_GRADE_SCHEME_H

#include "counts_file.h"

typedef enum { GRADE_VALUES, GRADE_CHECKS } grade_kind;

enum { GRADE_RUNS = 5 };

typedef struct grade_test {
    const char *name;
    int points; /* shared by the runs; GRADE_CHECKS pays all or nothing */
    grade_kind kind;
    const char *runs[GRADE_RUNS + 1]; /* options of the driver for one product each, between blanks; ends with NULL */
} grade_test;

/* The first test is the plain one: without it no goal is looked at. */
extern const grade_test grade_tests[];
extern const size_t grade_test_count;

/* The product whose counts the goals are about. */
extern const char *const grade_goal_run;

typedef struct grade_goal {
    const char *name;
    int points;
    /* NULL when `own` reaches the goal; otherwise what is missing and where to look, which the caller frees.
     * `reference` are the counts of the scheme's reference kernel, empty when it has none. */
    char *(*missing)(const count_list *own, const count_list *reference);
} grade_goal;

enum { GRADE_GOALS = 3 };

typedef struct grade_scheme {
    const char *stage, *kernel;                     /* the variant that is marked, as the driver calls it */
    const char *function;                           /* its launch function in kernel.cu */
    const char *reference_stage, *reference_kernel; /* whose counts the goals compare with; NULL: nobody's */
    bool inherits;                                  /* a right result is the work of the stage before */
    grade_goal goals[GRADE_GOALS];                  /* points 0: none */
} grade_scheme;

/* NULL: there is no exercise to mark in this stage. */
const grade_scheme *grade_scheme_find(const char *stage);
/* All of them, for --help and for a file that has another stage's functions. */
extern const grade_scheme grade_schemes[];
extern const size_t grade_scheme_count;

/* Operations that the product of grade_goal_run takes at least. */
extern const double grade_goal_flops;

#endif
