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
/* The driver that "1", "01" or "01_naive" means, or NULL with a sentence. Borrowed from the list. */
const char *drivers_match(const driver_list *drivers, const char *stage, fault *f);
void drivers_free(driver_list *drivers);

typedef enum {
    DRIVER_RAN,         /* rows were added, failed ones among them perhaps */
    DRIVER_REFUSED,     /* it did not accept its command line and added nothing */
    DRIVER_INTERRUPTED, /* by the user */
} driver_outcome;

/* Runs a driver with `options` (NULL-terminated; --csv is added) and appends its rows to the list. A driver that
 * crashed, wrote a damaged file or wrote nothing adds a failed row with the reason. `scratch` is a directory for its
 * file. Returns 0 with *outcome set, or -1 with a sentence when memory or the disk failed us. */
int driver_run(const char *bin, const char *name, const char *const options[], const char *scratch, record_list *list,
               driver_outcome *outcome, fault *f);

/* Appends the row of a driver that has no row of its own. Returns 0 or -1. */
int driver_add_failure(record_list *list, const char *name, const char *reason, fault *f);

#endif
