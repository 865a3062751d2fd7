/* Makes a stage's driver with a reader's kernel file in the place of kernel.cu. */
#ifndef TOOL_GRADE_LINK_H
#define TOOL_GRADE_LINK_H

#include "grade_scheme.h"
#include "tool.h"

/* Links the object of `file` with the stage's main.c and the harness to `program`. Launch functions that main.c wants
 * and the object lacks are bound to one that it has, another stage's if need be; *remark then says so when it is about
 * the function that is marked (else it is NULL; the caller frees it). Returns 0; -1 with a sentence, and *refused says
 * whether the file is to blame. */
int grade_link(const tool_context *context, const grade_scheme *scheme, const char *file, const char *object,
               const char *program, char **remark, bool *refused, fault *f);

#endif
