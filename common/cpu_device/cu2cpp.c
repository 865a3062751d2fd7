/* cu2cpp IN.cu OUT.cpp: makes CUDA C into C++ for the CPU device. See launch_rewrite.h. */
#include "launch_rewrite.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file, to be freed by the caller, or NULL with errno set. */
static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t used = 0, room = 0;
    for (;;) {
        if (used == room) {
            room = room ? 2 * room : 1 << 16;
            char *larger = realloc(text, room);
            if (!larger)
                break;
            text = larger;
        }
        size_t got = fread(text + used, 1, room - used, file);
        used += got;
        if (got == 0)
            break;
    }
    bool failed = ferror(file) || used == room;
    int error = errno;
    fclose(file);
    if (failed) {
        free(text);
        errno = error;
        return NULL;
    }
    *length = used;
    return text;
}

static bool write_file(const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(text, 1, length, file) == length;
    return fclose(file) == 0 && written;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: cu2cpp IN.cu OUT.cpp\n");
        return 2;
    }
    const char *input = argv[1], *output = argv[2];
    size_t length, result_length;
    char *source = read_file(input, &length);
    if (!source) {
        fprintf(stderr, "%s: error: cannot be read: %s\n", input, strerror(errno));
        remove(output);
        return 1;
    }
    struct rewrite_error error;
    char *result = rewrite_launches(source, length, input, &result_length, &error);
    free(source);
    if (!result) {
        fprintf(stderr, "%s:%u: error: %s\n", input, error.line, error.message);
        remove(output);
        return 1;
    }
    bool written = write_file(output, result, result_length);
    free(result);
    if (!written) {
        fprintf(stderr, "%s: error: cannot be written: %s\n", output, strerror(errno));
        remove(output);
        return 1;
    }
    return 0;
}
