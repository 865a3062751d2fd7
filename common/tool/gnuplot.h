/* Running gnuplot: which terminals this build has, and one figure drawn with each. */
#ifndef TOOL_GNUPLOT_H
#define TOOL_GNUPLOT_H

#include "files.h"

typedef struct figure {
    const char *name;  /* of the files: name.gp, name.dat, name.svg, name.png */
    char *settings;    /* gnuplot assignments that plots/<name>.gp reads; owned by the caller */
    char *data;        /* text of the .dat file */
    int width, height; /* pixels */
} figure;

/* Writes the script and the data into `directory` and draws what this machine can. A picture that was there is
 * replaced by a new one or stays, named as an earlier run's. Returns 0 also when gnuplot is missing or refuses (after
 * one sentence on stdout); -1 with a sentence when a file cannot be read or written. */
int figure_draw(const tool_context *context, const figure *fig, const char *directory, fault *f);

/* Removes what figure_draw may have left there under this name. */
void figure_remove(const char *name, const char *directory);

/* A gnuplot string literal in single quotes, where only the quote itself is special. Free it. */
char *gnuplot_string(const char *text);

#endif
