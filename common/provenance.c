#define _GNU_SOURCE /* pipe2, environ */

#include "provenance.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef GEMM_SOURCE_DIR
#define GEMM_SOURCE_DIR "."
#endif

/* First line that git prints about the sources; no shell, because a directory may be called anything. Returns 0 or -1.
 */
static int ask_git(char *line, int size) {
    char *const argv[] = {"git",     "-C",          GEMM_SOURCE_DIR, "describe", "--always",
                          "--dirty", "--abbrev=12", "--exclude=*",   NULL};
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    const int got = !failed && output && fgets(line, size, output);
    if (output)
        fclose(output);
    else
        close(ends[0]);
    if (!failed)
        waitpid(child, NULL, 0);
    return got ? 0 : -1;
}

void provenance_commit(char *out, size_t size) {
    const char *given = getenv("LADDER_COMMIT");
    char line[64] = "";
    if (!given || !*given)
        given = ask_git(line, sizeof line) == 0 ? line : "";
    snprintf(out, size, "%.*s", (int)strcspn(given, "\r\n"), given);
    if (out[0] == '\0')
        snprintf(out, size, "unknown");
}

void provenance_date(char *out, size_t size) {
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
