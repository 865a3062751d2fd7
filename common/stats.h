/* Medians with confidence intervals that assume nothing about the distribution. */
#ifndef STATS_H
#define STATS_H

typedef struct {
    double median, low, high;
} stats_interval;

/* Median of `count` >= 1 values and its 95 % interval from order statistics: the pair of ranks (l, count+1-l) with the
 * largest l for which a Binomial(count, 1/2) variable falls below l with probability at most 2.5 %. With fewer than six
 * values no pair reaches 95 %, so the interval is the whole range. Sorts `values`. */
stats_interval stats_median(double *values, int count);

#endif
