/* Paths, whole-file reading and writing, and child processes. */
#ifndef TOOL_FILES_H
#define TOOL_FILES_H

#include "tool.h"

#include <stdbool.h>

/* printf into a new string that the caller frees. Memory running out ends the program: nothing is half-written then,
 * because files are only ever replaced whole. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The rest of an open_memstream idiom: `text` and `size` are valid after text_close(); free the text. */
typedef struct text_stream {
    FILE *out;
    char *text;
    size_t size;
} text_stream;
void text_open(text_stream *stream);
void text_close(text_stream *stream);

/* "NVIDIA H200" becomes "nvidia-h200": lower case, everything else than letters and digits a single '-'. Free it. */
char *slug(const char *name);

bool file_exists(const char *path);

/* mkdir -p. Returns 0, or -1 with a sentence. */
int make_directories(const char *path, fault *f);

/* The whole file, with a NUL after it; the caller frees it. NULL with a sentence. */
char *read_file(const char *path, fault *f);

/* Replaces the file whole or not at all; makes its directory. Returns 0, or -1 with a sentence. */
int write_file(const char *path, const char *text, size_t size, fault *f);

/* Makes an empty directory under $TMPDIR (or /tmp); the caller frees the path after remove_directory(). */
char *make_temporary_directory(fault *f);
/* Removes the directory and the plain files in it. */
void remove_directory(const char *path);

/* Whether a command of that name is on the PATH. */
bool command_exists(const char *name);

/* Runs argv[0] (found on the PATH) in `directory` (NULL: here) and waits. Output goes where ours goes, or nowhere when
 * `quiet`. Returns the wait status, or -1 when it could not be started. An interrupt from the terminal reaches the
 * child alone, so that we can tidy up after it. */
int process_run(char *const argv[], const char *directory, bool quiet);

/* As process_run, but returns what the command wrote to its standard output in *text (the caller frees it). */
int process_capture(char *const argv[], const char *directory, char **text);

/* Whether the wait status is an exit with that code. */
bool exited_with(int wait_status, int code);

#endif
