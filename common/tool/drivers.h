/* The stage drivers of a build directory: finding them and collecting their rows. */
#ifndef TOOL_DRIVERS_H
#define TOOL_DRIVERS_H

#include "files.h"
#include "record.h"

typedef struct driver_list {
    char **names; /* "01_naive", sorted; owned */
    size_t count;
} driver_list;

/* Every executable NN_name in the directory. Returns 0, or -1 with a sentence when there is none. */
int drivers_find(const char *bin, driver_list *drivers, fault *f);
/* Every NN_name in the source tree that has a kernel.cu, whether it is built or not. As drivers_find. */
int stages_find(const char *source, driver_list *stages, fault *f);
/* Adds a name where it is missing, in order. */
int drivers_add(driver_list *drivers, const char *name, fault *f);
/* The driver that "1", "01" or "01_naive" means, or NULL with a sentence. Borrowed from the list. */
const char *drivers_match(const driver_list *drivers, const char *stage, fault *f);
void drivers_free(driver_list *drivers);

/* For ./ladder, which builds no more than what is then run: prints the stages that the names mean, one a line, or all
 * when there are none. Returns an exit status, with a sentence when it is not 0. */
int stages_print(const char *source, const char *const names[], size_t count, fault *f);

typedef enum {
    DRIVER_RAN,         /* rows were added, failed ones among them perhaps */
    DRIVER_REFUSED,     /* it did not accept its command line and added nothing */
    DRIVER_INTERRUPTED, /* by the user */
} driver_outcome;

/* Runs a driver with `options` (NULL-terminated; --csv is added) and appends its rows to the list. A driver that
 * crashed, ran longer than `time_limit` seconds, wrote a damaged file or wrote nothing adds a failed row with the
 * reason after the rows it did record. `scratch` is a directory for its file. Returns 0 with *outcome set, or -1 with a
 * sentence when memory failed us. */
int driver_run(const char *bin, const char *name, const char *const options[], double time_limit, const char *scratch,
               record_list *list, driver_outcome *outcome, fault *f);

/* The names of a driver's kernels as ",a,b,"; NULL when it does not say. `configs`, if not NULL, gets those of their
 * configurations as ",a/small,a/large,". The caller frees both. */
char *driver_kernels(const char *bin, const char *name, const char *device, char **configs);

/* Appends the row of a driver that has no row of its own. Returns 0 or -1. */
int driver_add_failure(record_list *list, const char *name, const char *reason, fault *f);

#endif
