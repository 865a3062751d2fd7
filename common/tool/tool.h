/* ladder-tool: what stands behind `./ladder run | table | plot | diff | banks | ...`.
 *
 * Every subcommand is a function of the table in main.c. Errors travel up as one sentence in a fault and are printed
 * once, by main(). The exit status is 0 for success, 1 when a row or the work failed, 2 when the command line was
 * wrong, 3 when a marked file earned fewer points than --require asks for, 128 and a signal's number when that signal
 * ended it (130 for Ctrl-C).
 */
#ifndef TOOL_H
#define TOOL_H

#include <argp.h>
#include <stddef.h>
#include <stdio.h>

enum { EXIT_WORK = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128, EXIT_INTERRUPTED = 130 };

/* One sentence for the user; empty when nothing went wrong. */
typedef struct fault {
    char text[768];
} fault;

/* Stores the sentence and returns -1. */
int fault_set(fault *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the script ./ladder knows and every subcommand may need. Strings are borrowed from argv; never NULL. */
typedef struct tool_context {
    const char *device; /* "cpu", "gpu", or "" when the subcommand needs none */
    const char *source; /* root of the repository */
    const char *bin;    /* directory of the stage drivers */
} tool_context;

/* Options that fill a tool_context; a child of each subcommand's argp, whose input is the context. */
extern const struct argp context_argp;

int command_run(tool_context *context, int argc, char **argv, fault *f);
int command_table(tool_context *context, int argc, char **argv, fault *f);
int command_plot(tool_context *context, int argc, char **argv, fault *f);
int command_diff(tool_context *context, int argc, char **argv, fault *f);
int command_count(tool_context *context, int argc, char **argv, fault *f);
int command_profile(tool_context *context, int argc, char **argv, fault *f);
int command_banks(tool_context *context, int argc, char **argv, fault *f);
int command_grade(tool_context *context, int argc, char **argv, fault *f);

#endif
