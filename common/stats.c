#include "stats.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

stats_interval stats_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    int rank = 0; /* how many values may be cut from each end */
    double tail = 0.0;
    for (int i = 0; i < count / 2; i++) {
        tail += exp(lgamma(count + 1.0) - lgamma(i + 1.0) - lgamma(count - i + 1.0) - count * log(2.0));
        if (tail > 0.025)
            break;
        rank = i + 1;
    }
    const int cut = rank > 0 ? rank - 1 : 0;
    const double middle = (values[(count - 1) / 2] + values[count / 2]) / 2.0;
    return (stats_interval){middle, values[cut], values[count - 1 - cut]};
}
