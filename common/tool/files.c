#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "files.h"
#include "record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void out_of_memory(void) {
    fputs("ladder: out of memory; nothing was written\n", stderr);
    exit(EXIT_WORK);
}

char *text_format(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        out_of_memory();
    va_end(arguments);
    return text;
}

void text_open(text_stream *stream) {
    stream->out = open_memstream(&stream->text, &stream->size);
    if (!stream->out)
        out_of_memory();
}

void text_close(text_stream *stream) {
    const int broken = ferror(stream->out);
    if (fclose(stream->out) != 0 || broken)
        out_of_memory();
}

char *slug(const char *name) {
    char *text = text_format("%s", name);
    size_t length = 0;
    for (const char *p = name; *p; ++p) {
        if (isalnum((unsigned char)*p))
            text[length++] = (char)tolower((unsigned char)*p);
        else if (length > 0 && text[length - 1] != '-')
            text[length++] = '-';
    }
    while (length > 0 && text[length - 1] == '-')
        --length;
    text[length] = '\0';
    return text;
}

bool file_exists(const char *path) { return access(path, F_OK) == 0; }

int make_directories(const char *path, fault *f) {
    char *partial = text_format("%s", path);
    int result = 0;
    for (char *p = partial + 1; result == 0; ++p) {
        if (*p && *p != '/')
            continue;
        const char kept = *p;
        *p = '\0';
        struct stat status;
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            result = fault_set(f, "cannot make the directory %s: %s", partial, strerror(errno));
        else if (stat(partial, &status) != 0 || !S_ISDIR(status.st_mode))
            result = fault_set(f, "%s is in the way: it is not a directory", partial);
        *p = kept;
        if (!kept)
            break;
    }
    free(partial);
    return result;
}

char *read_file(const char *path, fault *f) {
    FILE *in = fopen(path, "rb");
    if (!in) {
        fault_set(f, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    text_stream stream;
    text_open(&stream);
    char chunk[8192];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, in)) > 0)
        fwrite(chunk, 1, got, stream.out);
    const int broken = ferror(in);
    fclose(in);
    text_close(&stream);
    if (broken || strlen(stream.text) != stream.size) {
        fault_set(f, "cannot read %s: %s", path, broken ? "it is not a readable file" : "it is not a text file");
        free(stream.text);
        return NULL;
    }
    return stream.text;
}

int write_file(const char *path, const char *text, size_t size, fault *f) {
    char *directory = text_format("%s", path);
    char *slash = strrchr(directory, '/');
    int result = 0;
    if (slash && slash != directory) {
        *slash = '\0';
        result = make_directories(directory, f);
    }
    free(directory);
    if (result == 0 && record_replace_file(path, text, size) != 0)
        result = fault_set(f, "cannot write %s: %s; what was there is unchanged", path, strerror(errno));
    return result;
}

char *make_temporary_directory(fault *f) {
    const char *base = getenv("TMPDIR");
    char *path = text_format("%s/ladder.XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(path))
        return path;
    fault_set(f, "cannot make a temporary directory %s: %s; set TMPDIR to a directory that can be written", path,
              strerror(errno));
    free(path);
    return NULL;
}

void remove_directory(const char *path) {
    DIR *directory = opendir(path);
    if (!directory)
        return;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        unlinkat(dirfd(directory), entry->d_name, 0); /* "." and ".." refuse by themselves */
    closedir(directory);
    rmdir(path);
}

bool command_exists(const char *name) {
    const char *search = getenv("PATH");
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    for (const char *p = search ? search : "/usr/bin:/bin"; *p;) {
        const size_t length = strcspn(p, ":");
        char *candidate = text_format("%.*s/%s", (int)length, p, name);
        const bool found = access(candidate, X_OK) == 0;
        free(candidate);
        if (found)
            return true;
        p += length + (p[length] == ':');
    }
    return false;
}

static void become(char *const argv[], const char *directory, int output, bool quiet) {
    signal(SIGINT, SIG_DFL);
    const int nowhere = quiet ? open("/dev/null", O_WRONLY) : -1;
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
    if (output >= 0)
        dup2(output, STDOUT_FILENO);
    if (directory && chdir(directory) != 0)
        _exit(127);
    execvp(argv[0], argv);
    _exit(127);
}

static pid_t start(char *const argv[], const char *directory, int output, bool quiet) {
    fflush(stdout);
    fflush(stderr);
    const pid_t child = fork();
    if (child == 0)
        become(argv, directory, output, quiet);
    return child;
}

static int wait_for(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

int process_run(char *const argv[], const char *directory, bool quiet) {
    void (*previous)(int) = signal(SIGINT, SIG_IGN);
    const pid_t child = start(argv, directory, -1, quiet);
    const int status = child < 0 ? -1 : wait_for(child);
    signal(SIGINT, previous);
    return status;
}

static void drain(int fd, FILE *out) {
    char chunk[8192];
    ssize_t got;
    while ((got = read(fd, chunk, sizeof chunk)) != 0) {
        if (got > 0)
            fwrite(chunk, 1, (size_t)got, out);
        else if (errno != EINTR)
            return;
    }
}

int process_capture(char *const argv[], const char *directory, char **text) {
    int ends[2];
    *text = NULL;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    text_stream stream;
    text_open(&stream);
    const pid_t child = start(argv, directory, ends[1], false);
    close(ends[1]);
    if (child > 0)
        drain(ends[0], stream.out);
    close(ends[0]);
    const int status = child < 0 ? -1 : wait_for(child);
    text_close(&stream);
    *text = stream.text;
    return status;
}

bool exited_with(int wait_status, int code) {
    return wait_status >= 0 && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == code;
}
