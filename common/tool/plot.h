/* Pictures of a record, drawn by gnuplot from scripts that are kept beside them. */
#ifndef TOOL_PLOT_H
#define TOOL_PLOT_H

#include "counts_file.h"
#include "select.h"

/* Draws utilization, speedup, speed over size and the roofline for the rows that have a speed, into `directory`: a .gp
 * script and a .dat file each, then SVG and PNG where gnuplot can (a text picture when it can do neither). What cannot
 * be drawn is said in one sentence on stdout and is no error. The selection is settled here. Returns 0, or -1 when a
 * file could not be written. */
int plot_speeds(const tool_context *context, const record_list *list, selection what, const char *directory, fault *f);

/* Draws the error of every checked kernel as a share of its bound: what a run without speeds has to show. */
int plot_errors(const tool_context *context, const record_list *list, const char *directory, fault *f);

/* Draws, for every counted kernel, the wavefronts of shared memory that a multiply-add costs, the sectors that a
 * load from global memory touches, and the bytes that operations ask of L2. */
int plot_counts(const tool_context *context, const count_list *counts, const char *directory, fault *f);

/* Removes the files of all figures from `directory`. */
void plot_remove(const char *directory);

#endif
