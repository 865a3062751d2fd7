/* The roofline: speeds of a record over the intensity that was counted, under what the GPU can do at most. */
#ifndef TOOL_PLOT_ROOFLINE_H
#define TOOL_PLOT_ROOFLINE_H

#include "select.h"

/* Draws the kernels of the article's table, each at two intensities: operations for a byte through L1 and shared
 * memory, and for a byte asked of L2 (Yang et al. 2020, "Hierarchical Roofline Analysis"). Counts are those of
 * plots/data/counts/cpu-device.csv, roofs those of plots/data/ceilings.csv. The selection must be settled. What cannot
 * be drawn is said in one sentence on stdout. Returns 0, or -1 with a sentence. */
int draw_roofline(const tool_context *context, const record_list *list, const selection *s, const char *directory,
                  fault *f);

#endif
