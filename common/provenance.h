/* Where and when a record was made. */
#ifndef PROVENANCE_H
#define PROVENANCE_H

#include <stddef.h>

/* The commit of the sources: the environment's LADDER_COMMIT, else what git says of the directory this was built from
 * ("-dirty" when it had changes), else "unknown". */
void provenance_commit(char *out, size_t size);

/* UTC, "2026-11-29T22:13:04Z". */
void provenance_date(char *out, size_t size);

#endif
