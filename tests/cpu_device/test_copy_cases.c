/* cost_copy against what an H200 counted: copy_cases.csv. */
#include "cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The next field of a row, in place; one in quotes may hold commas. */
static char *next_field(char **at) {
    char *field = *at;
    const char end = *field == '"' ? '"' : ',';
    field += end == '"';
    char *stop = strchr(field, end);
    if (!stop)
        *at = field + strlen(field);
    else {
        *at = stop + 1 + (end == '"');
        *stop = '\0';
    }
    return field;
}

/* What the CPU device must say: what the card said, unless `here` has another number. */
static unsigned expected(const char *card, const char *here) {
    return (unsigned)strtoul(*here ? here : card, NULL, 10);
}

static void read_offsets(char *text, uint64_t to[COST_LANES], uint64_t from[COST_LANES]) {
    for (unsigned lane = 0; lane < COST_LANES; lane++) {
        to[lane] = 4096 + strtoul(text, &text, 10);
        assert_int_equal(*text, ':');
        from[lane] = 65536 + strtoul(text + 1, &text, 10);
    }
}

struct tally {
    unsigned rows, wrong, sectors_missed, l2_missed;
};

static void check_row(char *row, struct tally *tally) {
    char *at = row, *fields[6];
    for (unsigned i = 0; i < 6; i++)
        fields[i] = next_field(&at);
    uint64_t to[COST_LANES], from[COST_LANES];
    read_offsets(at, to, from);
    const unsigned sectors = expected(fields[2], fields[4]), l2_sectors = expected(fields[3], fields[5]);
    const struct cost_copy cost = cost_copy(to, from, (uint32_t)strtoul(fields[1], NULL, 16));
    tally->rows++;
    tally->sectors_missed += *fields[4] != '\0';
    tally->l2_missed += *fields[5] != '\0';
    if (cost.sectors == sectors && cost.l2_sectors == l2_sectors)
        return;
    tally->wrong++;
    print_error("%s, lanes %s: %u sectors, %u of L2; expected %u, %u\n", fields[0], fields[1], cost.sectors,
                cost.l2_sectors, sectors, l2_sectors);
}

static void every_pattern_costs_what_the_card_says(void **unused) {
    (void)unused;
    FILE *file = fopen(COPY_CASES, "r");
    assert_non_null(file);
    char row[1024];
    struct tally tally = {0, 0, 0, 0};
    while (fgets(row, sizeof row, file))
        if (*row == '"')
            check_row(row, &tally);
    fclose(file);
    assert_int_equal(tally.wrong, 0);
    assert_int_equal(tally.rows, 127);
    assert_int_equal(tally.sectors_missed, 1);
    assert_int_equal(tally.l2_missed, 36);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_pattern_costs_what_the_card_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
