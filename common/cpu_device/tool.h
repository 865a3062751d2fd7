/* What the tools of binutils say about the program that runs. */
#ifndef CPU_DEVICE_TOOL_H
#define CPU_DEVICE_TOOL_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* For argv[0], and for the argument that names the program. */
char *tool_addr2line(void);
char *tool_objdump(void);
char *tool_own_path(void);

/* Starts argv[0] with `input` (may be NULL) as its standard input. Returns its output as a stream, or NULL. */
FILE *tool_start(char *const argv[], FILE *input, pid_t *child);

/* Closes the stream; whether the tool did what it was to do. */
bool tool_finish(FILE *output, pid_t child);

void tool_say_missing(const char *name, const char *cost);

#endif
