#define _GNU_SOURCE /* popen, gmtime_r */

#include "provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef GEMM_SOURCE_DIR
#define GEMM_SOURCE_DIR "."
#endif

void provenance_commit(char *out, size_t size) {
    const char *given = getenv("LADDER_COMMIT");
    snprintf(out, size, "%s", given && *given ? given : "unknown");
    if (given && *given)
        return;
    FILE *git =
        popen("git -C '" GEMM_SOURCE_DIR "' describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null", "r");
    char line[64];
    if (git && fgets(line, sizeof line, git)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] != '\0')
            snprintf(out, size, "%s", line);
    }
    if (git)
        pclose(git);
}

void provenance_date(char *out, size_t size) {
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
