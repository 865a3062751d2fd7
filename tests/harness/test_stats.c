#include "stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* needs the headers above */

static void check(int count, int low_rank, int high_rank) {
    double values[64];
    for (int i = 0; i < count; i++)
        values[i] = (i * 7 + 3) % count + 1; /* 1 .. count, shuffled: 7 and the counts below have no common factor */
    const stats_interval s = stats_median(values, count);
    assert_true(s.median == (count + 1) / 2.0);
    assert_true(s.low == low_rank && s.high == high_rank);
}

/* Ranks from the binomial distribution: P(Bin(10, 1/2) <= 1) = 0.0107, P(... <= 2) = 0.0547, so ranks 2 and 9. */
static void ranks_of_the_interval(void **state) {
    (void)state;
    check(1, 1, 1);
    check(5, 1, 5); /* 1/32 in each tail: no 95 % interval, the whole range */
    check(6, 1, 6); /* 1/64 */
    check(9, 2, 8);
    check(10, 2, 9);
    check(20, 6, 15); /* as in published tables of confidence intervals for medians */
    check(50, 18, 33);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranks_of_the_interval)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
