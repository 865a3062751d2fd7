/* Pictures that compare a stage's variants. */
#ifndef TOOL_PLOT_EXPERIMENTS_H
#define TOOL_PLOT_EXPERIMENTS_H

#include "select.h"

/* A bar for each kernel that has a speed, with its ratio to the baseline, stage after stage. The selection must be
 * settled. What cannot be drawn is said in one sentence on stdout. Returns 0, or -1 with a sentence. */
int draw_variants(const tool_context *context, const record_list *list, const selection *s, const char *directory,
                  fault *f);

/* A line for each kernel and type that passed with two or more K of one M and N: its largest error over K, and dashed
 * the bound. Speeds are not needed, so the CPU device's record will do. */
int draw_accuracy(const tool_context *context, const record_list *list, const selection *s, const char *directory,
                  fault *f);

#endif
