/* What the pictures' data files and scripts are made of. */
#ifndef TOOL_PLOT_PARTS_H
#define TOOL_PLOT_PARTS_H

#include "select.h"

/* A blank and the number; gnuplot reads "?" as a missing value (plots/style.gp says so), and leaves a gap. */
void put_value(FILE *out, double value);

/* A quoted label on one line, the name and, unless it is NULL, what follows it. Our names hold no quotes, a damaged
 * file's may. */
void put_label(FILE *out, const char *name, const char *more);

/* "NVIDIA H200, M = N = K = 4096, f16, burst"; free it. */
char *plot_subject(const record_list *list, const selection *s, bool with_size);

/* The gnuplot assignment "title = '...'", with a line end; free it. */
char *title_setting(const char *title, const char *subject);

#endif
