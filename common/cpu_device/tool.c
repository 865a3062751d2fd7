#define _GNU_SOURCE
#include "tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* CMake names the tools that it found: those of the machine that is built for. */
#ifndef CPU_DEVICE_ADDR2LINE
#define CPU_DEVICE_ADDR2LINE "addr2line"
#endif
#ifndef CPU_DEVICE_OBJDUMP
#define CPU_DEVICE_OBJDUMP "objdump"
#endif

/* The machine that a program runs on need not have the folders of the one that built it: then the tool of that name on
   the PATH has to do. */
static char *find_tool(char *path) {
    char *slash = strrchr(path, '/');
    return slash && access(path, X_OK) != 0 ? slash + 1 : path;
}

char *tool_addr2line(void) { return find_tool(CPU_DEVICE_ADDR2LINE); }
char *tool_objdump(void) { return find_tool(CPU_DEVICE_OBJDUMP); }

/* A tool would take /proc/self/exe for itself. */
char *tool_own_path(void) {
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return path;
}

FILE *tool_start(char *const argv[], FILE *input, pid_t *child) {
    extern char **environ;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (input)
        posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *output = error ? NULL : fdopen(ends[0], "r");
    if (!output)
        close(ends[0]);
    return output;
}

bool tool_finish(FILE *output, pid_t child) {
    fclose(output);
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void tool_say_missing(const char *name, const char *cost) {
    fprintf(stderr, "CPU device: %s could not be started, so %s; it comes with binutils.\n", name, cost);
}
