/* Makes a stage's driver with a reader's kernel file in the place of kernel.cu. */
#ifndef TOOL_GRADE_LINK_H
#define TOOL_GRADE_LINK_H

#include "grade_scheme.h"
#include "list.h"
#include "tool.h"

/* What of the file is run. */
typedef struct grade_choice {
    const char *variant;  /* that is marked, as the driver calls it; borrowed from the scheme */
    char *function;       /* its launch function in the file; owned */
    string_list variants; /* of the stage that the file has itself, the marked one among them */
    char *remark;         /* where that is not the scheme's marked variant, else NULL; owned */
} grade_choice;

void grade_choice_free(grade_choice *choice);

/* Links the object of `file` with the stage's main.c and the harness to `program`. Launch functions that main.c wants
 * and the object lacks are bound to the one that is marked, another stage's if need be. Returns 0; -1 with a sentence,
 * and *refused says whether the file is to blame. */
int grade_link(const tool_context *context, const grade_scheme *scheme, const char *file, const char *object,
               const char *program, grade_choice *choice, bool *refused, fault *f);

#endif
