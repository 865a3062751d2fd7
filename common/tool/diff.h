/* Counting what a unified diff changes. */
#ifndef TOOL_DIFF_H
#define TOOL_DIFF_H

#include <stddef.h>

typedef struct diff_count {
    size_t changed; /* a removed and an added line beside each other are one changed line */
    size_t removed, added;
} diff_count;

/* Counts the lines of a unified diff (`diff -u`) with more on them than blanks. */
diff_count count_changes(const char *unified);

#endif
