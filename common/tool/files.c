#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "files.h"
#include "record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

int check_writable(const char *flag, const char *path, fault *f) {
    const size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return fault_set(f, "%s %.400s: it needs the name of a file", flag, path);
    if (record_can_replace_file(path) != 0)
        return fault_set(f, "%s: cannot write %.400s: %s", flag, path, strerror(errno));
    return 0;
}

char *make_temporary_directory(fault *f) {
    const char *base = getenv("TMPDIR");
    base = base && *base ? base : "/tmp";
    /* a name that begins with '-' would be an option to the commands that get it */
    char *path = text_format("%s%s/ladder.XXXXXX", *base == '-' ? "./" : "", base);
    if (mkdtemp(path))
        return path;
    fault_set(f, "cannot make a temporary directory %s: %s; set TMPDIR to a directory that can be written", path,
              strerror(errno));
    free(path);
    return NULL;
}

char *make_temporary_file(const char *directory, const char *name, const char *extension) {
    char *path = text_format("%s%s/%s-XXXXXX%s", *directory == '-' ? "./" : "", directory, name, extension);
    const int fd = mkstemps(path, (int)strlen(extension));
    if (fd >= 0) {
        close(fd);
        return path;
    }
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

/* ---- Signals that ask us to stop ----------------------------------------------------------------------------------
 *
 * They are blocked, not handled: a handler would interrupt every read and write that follows, and sigtimedwait() takes
 * them, the end of a child and a time limit in one place.
 */

static int holds;
static int stopped_by;
static sigset_t mask_before;

static bool ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static sigset_t stop_set(void) {
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; ++i)
        if (!ignored(stops[i]))
            sigaddset(&set, stops[i]);
    return set;
}

void stops_hold(void) {
    if (holds++ > 0)
        return;
    sigset_t set = stop_set();
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &mask_before);
}

void stops_release(void) {
    if (--holds == 0)
        sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

int stop_signal(void) {
    const sigset_t set = stop_set();
    if (holds > 0 && !stopped_by) {
        const int number = sigtimedwait(&set, NULL, &(struct timespec){0});
        stopped_by = number > 0 ? number : 0;
    }
    return stopped_by;
}

/* ---- Child processes ----------------------------------------------------------------------------------------------
 */

/* How a child is run. */
typedef struct child_plan {
    const char *directory; /* NULL: here */
    int output;            /* a descriptor that takes its standard output, or -1 */
    bool quiet;
    double seconds;               /* by the clock; INFINITY: no limit */
    const process_limits *limits; /* confined: a process group of its own, and no standard input; or NULL */
} child_plan;

static void limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
    setrlimit(resource, &(struct rlimit){soft, hard});
}

static void confine(const child_plan *plan) {
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(plan->output, STDERR_FILENO);
    limit(RLIMIT_CORE, 0, 0);
    if (plan->limits->file_size > 0)
        limit(RLIMIT_FSIZE, plan->limits->file_size, plan->limits->file_size);
    if (plan->limits->address_space > 0)
        limit(RLIMIT_AS, plan->limits->address_space, plan->limits->address_space);
    if (plan->limits->cpu_seconds > 0)
        limit(RLIMIT_CPU, plan->limits->cpu_seconds, plan->limits->cpu_seconds + 1);
}

/* It ends with `parent`, however that ends: nobody else would wait for it, and a lock of the parent's is free then. */
static void become(char *const argv[], const child_plan *plan, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
    const int nowhere = plan->quiet ? open("/dev/null", O_WRONLY) : -1;
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
    if (plan->output >= 0)
        dup2(plan->output, STDOUT_FILENO);
    if (plan->limits)
        confine(plan);
    if (plan->directory && chdir(plan->directory) != 0)
        _exit(127);
    execvp(argv[0], argv);
    _exit(127);
}

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until `deadline` for the child to end (returns its wait status) or for a stop signal (-1, as when the time is
 * over). Signals are held. */
static int wait_until(pid_t child, double deadline, bool *ended) {
    sigset_t set = stop_set();
    sigaddset(&set, SIGCHLD);
    for (;;) {
        int status = -1;
        const pid_t got = waitpid(child, &status, WNOHANG);
        *ended = got != 0;
        const double left = fmin(deadline - seconds_now(), 3600); /* a time_t of any size holds it */
        if (*ended || left <= 0)
            return got == child ? status : -1;
        const struct timespec rest = {(time_t)left, (long)((left - floor(left)) * 1e9)};
        const int number = sigtimedwait(&set, NULL, &rest);
        if (number > 0 && number != SIGCHLD) {
            stopped_by = number;
            return -1;
        }
    }
}

/* Bytes that the process keeps in memory; 0 when it has ended. */
static size_t resident_bytes(pid_t child) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)child);
    FILE *in = fopen(path, "r");
    unsigned long long all = 0, resident = 0;
    if (in && fscanf(in, "%llu %llu", &all, &resident) != 2)
        resident = 0;
    if (in)
        fclose(in);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* As wait_until, for a child whose memory has a limit: it is looked at fifty times a second. */
static int wait_within(pid_t child, const child_plan *plan, process_end *end, bool *ended) {
    static const double step = 0.02;
    const double deadline = seconds_now() + plan->seconds;
    const size_t memory = plan->limits ? plan->limits->memory : 0;
    int status = -1;
    for (*ended = false; !*ended && !stopped_by && *end == PROCESS_ENDED;) {
        status = wait_until(child, memory ? fmin(deadline, seconds_now() + step) : deadline, ended);
        if (!*ended && memory && resident_bytes(child) > memory)
            *end = PROCESS_TOO_LARGE;
        else if (!*ended && seconds_now() >= deadline)
            *end = PROCESS_TOO_LONG;
    }
    return status;
}

/* Asks first, so that the child can tidy up, and insists after two seconds. `target` is the child or its group. */
static int end_child(pid_t child, pid_t target) {
    bool ended = false;
    kill(target, SIGTERM);
    const double insist_at = seconds_now() + 2;
    int status = -1;
    while (!ended && seconds_now() < insist_at)
        status = wait_until(child, insist_at, &ended);
    if (ended)
        return status;
    kill(target, SIGKILL);
    waitpid(child, &status, 0);
    return status;
}

static int run_child(char *const argv[], const child_plan *plan, process_end *end) {
    *end = PROCESS_ENDED;
    if (stopped_by)
        return -1; /* asked to stop between two children */
    fflush(stdout);
    fflush(stderr);
    stops_hold();
    const pid_t self = getpid(), child = fork();
    if (child == 0)
        become(argv, plan, self);
    bool ended = false;
    int status = -1;
    if (child > 0) {
        if (plan->limits)
            setpgid(child, child); /* whoever comes first, it or we */
        status = wait_within(child, plan, end, &ended);
        if (!ended)
            status = end_child(child, plan->limits ? -child : child);
        if (plan->limits)
            kill(-child, SIGKILL); /* what it left behind */
    }
    stops_release();
    return status;
}

int process_run(char *const argv[], const char *directory, bool quiet) {
    process_end end;
    return run_child(argv, &(child_plan){directory, -1, quiet, INFINITY, NULL}, &end);
}

int process_run_limited(char *const argv[], double seconds, bool *expired) {
    process_end end;
    const int status = run_child(argv, &(child_plan){NULL, -1, false, seconds, NULL}, &end);
    *expired = end == PROCESS_TOO_LONG;
    return status;
}

/* The output goes through a file in memory, not a pipe, so that waiting for the child stays the one wait. */
static int capture(char *const argv[], child_plan plan, process_end *end, char **text) {
    *text = NULL;
    *end = PROCESS_ENDED;
    plan.output = memfd_create("output", MFD_CLOEXEC);
    if (plan.output < 0)
        return -1;
    const int status = run_child(argv, &plan, end);
    text_stream stream;
    text_open(&stream);
    char chunk[8192];
    off_t at = 0;
    for (ssize_t got; (got = pread(plan.output, chunk, sizeof chunk, at)) > 0; at += got)
        fwrite(chunk, 1, (size_t)got, stream.out);
    close(plan.output);
    text_close(&stream);
    *text = stream.text;
    return status;
}

int process_capture(char *const argv[], const char *directory, char **text) {
    process_end end;
    return capture(argv, (child_plan){.directory = directory, .seconds = INFINITY}, &end, text);
}

int process_confined(char *const argv[], const char *directory, const process_limits *limits, process_end *end,
                     char **text) {
    return capture(argv, (child_plan){.directory = directory, .seconds = limits->seconds, .limits = limits}, end, text);
}

bool exited_with(int wait_status, int code) {
    return wait_status >= 0 && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == code;
}
