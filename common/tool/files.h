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

/* Whether write_file() could do it, for a path that `flag` named. Returns 0, or -1 with a sentence. */
int check_writable(const char *flag, const char *path, fault *f);

/* Makes an empty directory under $TMPDIR (or /tmp); the caller frees the path after remove_directory(). */
char *make_temporary_directory(fault *f);
/* Makes an empty file of a new name in a directory that exists; the caller frees the path. NULL when it cannot. */
char *make_temporary_file(const char *directory, const char *name, const char *extension);
/* Removes the directory and the plain files in it. */
void remove_directory(const char *path);

/* Whether a command of that name is on the PATH. */
bool command_exists(const char *name);

/* SIGINT, SIGTERM and SIGHUP: what each does to a program that has something to tidy up first. While held they wait;
 * the one that came is then known, or, after the release, does what it always does. Holds nest. What the parent told us
 * to ignore (nohup) stays ignored. */
void stops_hold(void);
void stops_release(void);
/* The signal that asked us to stop while a child ran or signals were held; 0 when none did. */
int stop_signal(void);

/* Runs argv[0] (found on the PATH) in `directory` (NULL: here) and waits. Output goes where ours goes, or nowhere when
 * `quiet`. Returns the wait status, or -1 when it could not be started. A signal that asks us to stop ends the child
 * first; stop_signal() then says so. */
int process_run(char *const argv[], const char *directory, bool quiet);

/* As process_run, but ends the child after so many seconds and sets *expired. */
int process_run_limited(char *const argv[], double seconds, bool *expired);

/* As process_run, but returns what the command wrote to its standard output in *text (the caller frees it). */
int process_capture(char *const argv[], const char *directory, char **text);

/* What a child that is not trusted may use; 0 is no limit, except for `seconds`, which may be INFINITY. */
typedef struct process_limits {
    double seconds;       /* by the clock */
    unsigned cpu_seconds; /* of all its threads together */
    size_t memory;        /* bytes that it keeps in memory, looked at fifty times a second */
    size_t address_space; /* bytes that each process may map: not for the CPU device, which reserves far more than it
                             uses */
    size_t file_size;     /* bytes of each file that it writes, its output included */
} process_limits;

/* A clock that nobody sets. */
double seconds_now(void);

typedef enum { PROCESS_ENDED, PROCESS_TOO_LONG, PROCESS_TOO_LARGE } process_end;

/* As process_capture, of both output streams, within limits: in a process group of its own, of which nothing is left
 * afterwards, without standard input and core dumps. *end says whether it ended by itself, or why we ended it. */
int process_confined(char *const argv[], const char *directory, const process_limits *limits, process_end *end,
                     char **text);

/* Whether the wait status is an exit with that code. */
bool exited_with(int wait_status, int code);

#endif
