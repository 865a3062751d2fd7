/*
 * From FILE.cu to an object or a program, in build/cpu/FOLDER/NAME-HASH/:
 *   source/<absolute path>   what cu2cpp's converter makes of the file and of the headers next to it. The copies lie to
 *                            each other as the originals do, so that every #include "..." finds the converted one.
 *   NAME.d                   what the compiler read
 *   commands                 the command lines; its time is that of the beginning of the build that made the object
 *   NAME.o, NAME             the object, and the program of a file that has a main()
 */
#include "count_build.h"

#include "files.h"
#include "launch_rewrite.h"
#include "list.h"
#include "program_check.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The compiler, as CMake wrote it down (common/cpu_device/CMakeLists.txt) ---------------------------------------
 */

typedef struct toolchain {
    string_list compiler; /* one string */
    string_list library;  /* one string: libcpu_device.a */
    string_list compile, link;
    string_list kernel, check; /* beside compile: for a kernel file; for a program that is to be checked */
} toolchain;

static void toolchain_free(toolchain *t) {
    list_free(&t->compiler);
    list_free(&t->library);
    list_free(&t->compile);
    list_free(&t->kernel);
    list_free(&t->check);
    list_free(&t->link);
}

/* CMake's "SHELL:a b" stands for the two options a and b. */
static void add_options(string_list *list, char *text) {
    static const char shell[] = "SHELL:";
    if (strncmp(text, shell, sizeof shell - 1) != 0) {
        list_copy(list, text);
        return;
    }
    char *rest = NULL;
    for (char *word = strtok_r(text + sizeof shell - 1, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        list_copy(list, word);
}

/* Each line is KEY VALUE; a key without a value says nothing. */
static void read_toolchain_line(toolchain *t, char *line) {
    const struct {
        const char *key;
        string_list *list;
    } keys[] = {{"compiler ", &t->compiler}, {"library ", &t->library}, {"compile ", &t->compile},
                {"kernel ", &t->kernel},     {"check ", &t->check},     {"link ", &t->link}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        const size_t length = strlen(keys[i].key);
        if (strncmp(line, keys[i].key, length) == 0 && line[length])
            add_options(keys[i].list, line + length);
    }
}

static int read_toolchain(const char *tree, toolchain *t, fault *f) {
    char *path = text_format("%s/count/toolchain", tree);
    char *text = read_file(path, f);
    free(path);
    if (!text)
        return -1;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        read_toolchain_line(t, line);
    free(text);
    if (t->compiler.count != 1 || t->library.count != 1)
        return fault_set(f, "%s/count/toolchain does not name a compiler and a library; configure build/cpu again",
                         tree);
    return 0;
}

/* ---- One build ----------------------------------------------------------------------------------------------------
 */

typedef struct build {
    build_request *request;
    const char *shown;     /* the source as the user named it, for messages and #line */
    char *source;          /* its absolute path */
    char *name;            /* its file name without .cu */
    char *folder;          /* build/cpu/FOLDER/NAME-HASH */
    char *program;         /* folder/NAME */
    char *object;          /* folder/NAME.o */
    string_list originals; /* the source and the headers next to it that it includes, absolute */
    toolchain tools;
} build;

static void build_free(build *b) {
    free(b->source);
    free(b->name);
    free(b->folder);
    free(b->program);
    free(b->object);
    list_free(&b->originals);
    toolchain_free(&b->tools);
}

int count_check_source(const char *source_file, fault *f) {
    struct stat status;
    const size_t length = strlen(source_file);
    if (stat(source_file, &status) != 0)
        return fault_set(f, "%.300s: %s", source_file, errno == ENOENT ? "there is no such file" : strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fault_set(f, "%.300s is a directory; name one .cu file", source_file);
    if (!S_ISREG(status.st_mode) || length < 4 || strcmp(source_file + length - 3, ".cu") != 0)
        return fault_set(f, "%.300s is not a .cu file; one CUDA C file is needed", source_file);
    return 0;
}

/* FNV-1a (G. Fowler, L. C. Noll and K.-P. Vo), so that files of one name in two places do not meet. */
static uint32_t hash_of(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; ++text)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static int build_begin(build *b, const tool_context *context, build_request *request, fault *f) {
    const char *source_file = request->source_file;
    b->request = request;
    b->shown = source_file;
    b->source = realpath(source_file, NULL);
    if (!b->source)
        return fault_set(f, "%.300s: %s", source_file, strerror(errno));
    char *bin = realpath(context->bin, NULL);
    if (!bin)
        return fault_set(f, "%.300s: %s; build build/cpu first", context->bin, strerror(errno));
    const char *base = strrchr(source_file, '/');
    base = base ? base + 1 : source_file;
    b->name = text_format("%.*s", (int)strlen(base) - 3, base);
    char *tree = text_format("%s/..", bin);
    int result = read_toolchain(tree, &b->tools, f);
    char *folder = text_format("%s/%s/%s-%08x", tree, request->folder, b->name, hash_of(b->source));
    result = result == 0 ? make_directories(folder, f) : result;
    b->folder = result == 0 ? realpath(folder, NULL) : NULL;
    if (result == 0 && !b->folder)
        result = fault_set(f, "%.300s: %s", folder, strerror(errno));
    if (result == 0) {
        b->program = text_format("%s/%s", b->folder, b->name);
        b->object = text_format("%s.o", b->program);
    }
    free(folder);
    free(tree);
    free(bin);
    return result;
}

static const char *product_of(const build *b) { return b->request->is_program ? b->program : b->object; }

/* ---- Is there anything to do? ---- */

static bool is_older(const char *path, const struct timespec *than) {
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    const struct timespec t = status.st_mtim;
    return t.tv_sec < than->tv_sec || (t.tv_sec == than->tv_sec && t.tv_nsec < than->tv_nsec);
}

/* The next name of a rule that a compiler wrote, "target: a b\ c \<newline> d": unescaped in place. NULL at the end. */
static char *next_dependency(char **cursor) {
    char *from = *cursor;
    while (*from == ' ' || *from == '\n' || (*from == '\\' && from[1] == '\n'))
        ++from;
    if (!*from)
        return NULL;
    char *name = from, *to = from;
    while (*from && *from != ' ' && *from != '\n') {
        if ((*from == '\\' && (from[1] == ' ' || from[1] == '#' || from[1] == '\\')) ||
            (*from == '$' && from[1] == '$'))
            ++from;
        *to++ = *from++;
    }
    *cursor = *from ? from + 1 : from;
    *to = '\0';
    return name;
}

static bool dependencies_are_older(const build *b, const struct timespec *than) {
    char *path = text_format("%s.d", b->program), *copies = text_format("%s/source/", b->folder);
    fault ignored;
    char *text = read_file(path, &ignored);
    char *cursor = text ? strstr(text, ": ") : NULL;
    bool older = cursor != NULL;
    if (cursor)
        ++cursor;
    for (char *name; older && (name = next_dependency(&cursor));)
        older = strncmp(name, copies, strlen(copies)) == 0 || is_older(name, than); /* copies: see the originals */
    free(text);
    free(copies);
    free(path);
    return older;
}

static bool originals_are_older(const build *b, const struct timespec *than) {
    char *path = text_format("%s/originals", b->folder);
    fault ignored;
    char *text = read_file(path, &ignored), *rest = NULL;
    bool older = text != NULL;
    for (char *name = text ? strtok_r(text, "\n", &rest) : NULL; older && name; name = strtok_r(NULL, "\n", &rest))
        older = is_older(name, than);
    free(text);
    free(path);
    return older;
}

static bool is_up_to_date(const build *b, const char *commands_file, const char *commands) {
    struct stat began;
    fault ignored;
    if (!file_exists(product_of(b)) || stat(commands_file, &began) != 0)
        return false;
    char *text = read_file(commands_file, &ignored);
    const bool same = text && strcmp(text, commands) == 0;
    free(text);
    return same && is_older(b->tools.library.items[0], &began.st_mtim) && originals_are_older(b, &began.st_mtim) &&
           dependencies_are_older(b, &began.st_mtim);
}

/* ---- Conversion ---- */

static char *directory_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        return text_format(".");
    return text_format("%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* A file to convert: the source, or a header that lies where its #include says. */
typedef struct original {
    const char *path;  /* absolute and normal */
    const char *shown; /* as messages name it */
    bool is_source;    /* and not a header */
} original;

static int convert(build *b, const original *o, fault *f);

/* Takes "." and "x/.." out of an absolute path, in place, so that a file has one name however it is included. */
static void normalise(char *path) {
    char *to = path;
    for (const char *from = path; *from;) {
        const size_t length = 1 + strcspn(from + 1, "/");
        if (length == 3 && memcmp(from, "/..", 3) == 0) {
            while (to > path && *--to != '/')
                continue;
        } else if (length > 1 && !(length == 2 && from[1] == '.')) {
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = '\0';
}

/* The file that lies where `path` lies, and is called `name` there. */
static char *beside(const char *path, const char *name, size_t length) {
    const char *slash = strrchr(path, '/');
    return text_format("%.*s%.*s", slash ? (int)(slash - path) + 1 : 0, path, (int)length, name);
}

static int convert_header(build *b, const original *from, const char *name, size_t length, fault *f) {
    char *path = beside(from->path, name, length), *shown = beside(from->shown, name, length);
    struct stat status;
    int result = 0;
    normalise(path);
    if (*name != '/' && stat(path, &status) == 0 && S_ISREG(status.st_mode) && !list_has(&b->originals, path))
        result = convert(b, &(original){path, shown, false}, f);
    free(shown);
    free(path);
    return result;
}

static int convert_headers(build *b, const original *o, const char *text, fault *f) {
    struct rewrite_error error;
    struct token_list list = {.source = text, .length = strlen(text), .line = 1, .error = &error};
    int result = read_all_tokens(&list) ? 0 : -1;
    for (size_t i = 0; i < list.include_count && result == 0; ++i)
        if (list.includes[i].quoted)
            result = convert_header(b, o, text + list.includes[i].start, list.includes[i].length, f);
    free_tokens(&list);
    return result;
}

/* NULL with a sentence that begins with file and line. */
static char *converted(const build *b, const original *o, const char *text, size_t *length, fault *f) {
    struct rewrite_error error = {0, ""};
    char *directory = directory_of(o->path);
    const bool good = b->request->is_program && o->is_source
                          ? check_whole_program(text, strlen(text), directory, &error)
                          : check_program(text, strlen(text), directory, &error);
    char *result = good ? rewrite_launches(text, strlen(text), o->shown, length, &error) : NULL;
    if (!result && error.line > 0)
        fault_set(f, "%.200s:%u: %s", o->shown, error.line, error.message);
    else if (!result)
        fault_set(f, "%.200s: %s", o->shown, error.message);
    free(directory);
    return result;
}

/* Under its own name: binutils 2.40 takes the compiled file for the one of #line in the first function of some
 * programs. */
static char *copy_of(const build *b, const char *path) { return text_format("%s/source%s", b->folder, path); }

static int convert(build *b, const original *o, fault *f) {
    list_copy(&b->originals, o->path);
    char *text = read_file(o->path, f);
    size_t length = 0;
    char *result = text ? converted(b, o, text, &length, f) : NULL;
    char *copy = copy_of(b, o->path);
    int status = result ? write_file(copy, result, length, f) : -1;
    if (status == 0)
        status = convert_headers(b, o, text, f);
    free(copy);
    free(result);
    free(text);
    return status;
}

/* ---- Compilation ---- */

/* The options of add_cpu_kernel, and what nvcc adds of its own: its macros and its runtime header. */
static string_list compile_command(const build *b) {
    static const char *const fixed[] = {"-D__CUDACC__",
                                        "-D__NVCC__",
                                        "-D__CUDACC_VER_MAJOR__=13",
                                        "-D__CUDACC_VER_MINOR__=0",
                                        "-include",
                                        "cuda_runtime.h",
                                        "-MMD",
                                        "-MF"};
    string_list command = {0};
    list_append(&command, &b->tools.compiler);
    list_append(&command, &b->tools.compile);
    if (!b->request->is_program)
        list_append(&command, &b->tools.kernel);
    else if (b->request->is_checked)
        list_append(&command, &b->tools.check);
    if (b->request->headers)
        list_add(&command, text_format("-I%s", b->request->headers));
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; ++i)
        list_copy(&command, fixed[i]);
    list_add(&command, text_format("%s.d", b->program));
    list_copy(&command, "-iquote");
    list_add(&command, directory_of(b->source));
    list_copy(&command, "-xc++");
    list_copy(&command, "-c");
    list_add(&command, copy_of(b, b->source));
    list_copy(&command, "-o");
    list_copy(&command, b->object);
    return command;
}

/* Empty for an object. */
static string_list link_command(const build *b) {
    string_list command = {0};
    if (!b->request->is_program)
        return command;
    list_append(&command, &b->tools.compiler);
    list_copy(&command, b->object);
    list_append(&command, &b->tools.library);
    list_append(&command, &b->tools.link);
    list_copy(&command, "-o");
    list_copy(&command, b->program);
    return command;
}

/* "FILE:LINE:COLUMN: error: MESSAGE" as "FILE:LINE: MESSAGE"; the first error, or the first line where there is none.
 * The caller frees it. */
static char *first_error(const char *output) {
    static const char *const marks[] = {": error: ", ": fatal error: ", "undefined reference", "multiple definition"};
    const char *mark = NULL, *after = output + strspn(output, "\n");
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i) {
        const char *found = strstr(output, marks[i]);
        if (found && (!mark || found < mark)) {
            mark = found;
            after = *found == ':' ? found + strlen(marks[i]) : found;
        }
    }
    const int rest = (int)strcspn(after, "\n");
    if (!mark || *mark != ':')
        return text_format("%.*s", rest, after);
    const char *line = mark;
    while (line > output && line[-1] != '\n')
        --line;
    const char *column = mark; /* the last of the numbers before the mark */
    while (column > line && *--column != ':')
        continue;
    return text_format("%.*s: %.*s", (int)(column - line), line, rest, after);
}

/* What the compiler said stays in the request when it fails. */
static int run_compiler(build *b, const string_list *command, const char *what, fault *f) {
    const process_limits limits = {.seconds = b->request->time_limit, .address_space = b->request->memory_limit};
    process_end end;
    char *output = NULL;
    const int status = process_confined(command->items, NULL, &limits, &end, &output);
    if (stop_signal()) {
        free(output);
        return fault_set(f, "interrupted");
    }
    if (exited_with(status, 0)) {
        free(output);
        return 0;
    }
    char *error = first_error(output ? output : "");
    if (end == PROCESS_TOO_LONG)
        fault_set(f, "%.200s %s within %.4g s, the compiler's time limit", b->shown, what, limits.seconds);
    else
        fault_set(f, "%.200s %s: %.400s", b->shown, what, *error ? error : "the compiler could not be run");
    b->request->refused = end == PROCESS_TOO_LONG || *error;
    b->request->output = output;
    free(error);
    return -1;
}

static int compile(build *b, const string_list *compiling, const string_list *linking, fault *f) {
    int result = convert(b, &(original){b->source, b->shown, true}, f);
    b->request->refused = result != 0;
    char *path = text_format("%s/originals", b->folder), *text = list_join(&b->originals, "\n");
    if (result == 0)
        result = write_file(path, text, strlen(text), f);
    free(text);
    free(path);
    if (result == 0)
        result = run_compiler(b, compiling, "does not compile", f);
    if (result == 0 && b->request->is_program)
        result = run_compiler(b, linking, "cannot be linked", f);
    return result;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

/* Copies of an earlier build: a header that is gone must not be found among them. */
static void remove_copies(const build *b) {
    enum { DESCRIPTORS = 16 };
    char *copies = text_format("%s/source", b->folder);
    nftw(copies, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    free(copies);
}

/* The product is removed first: whatever ends the build, none is left that is not what the source says. */
static int rebuild(build *b, const string_list *compiling, const string_list *linking, const char *commands_file,
                   const char *commands, fault *f) {
    unlink(product_of(b));
    remove_copies(b);
    if (write_file(commands_file, commands, strlen(commands), f) != 0)
        return -1;
    return compile(b, compiling, linking, f);
}

/* One build of a file at a time; the lock goes with the descriptor. */
static int lock_folder(const build *b, fault *f) {
    char *path = text_format("%s/lock", b->folder);
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0 || flock(descriptor, LOCK_EX) != 0)
        fault_set(f, "cannot lock %.300s: %s", path, strerror(errno));
    free(path);
    return descriptor;
}

static int build_if_needed(build *b, fault *f) {
    const int lock = lock_folder(b, f);
    if (lock < 0)
        return -1;
    string_list compiling = compile_command(b), linking = link_command(b);
    char *first = list_join(&compiling, "\n"), *second = list_join(&linking, "\n");
    char *commands = text_format("%s\n%s\n%s\n", b->shown, first, second);
    char *commands_file = text_format("%s/commands", b->folder);
    int result = 0;
    if (!is_up_to_date(b, commands_file, commands))
        result = rebuild(b, &compiling, &linking, commands_file, commands, f);
    free(commands_file);
    free(commands);
    free(second);
    free(first);
    list_free(&linking);
    list_free(&compiling);
    close(lock);
    return result;
}

char *build_file(const tool_context *context, build_request *request, fault *f) {
    build b = {0};
    char *product = NULL;
    request->output = NULL;
    request->refused = false;
    if (count_check_source(request->source_file, f) == 0 && build_begin(&b, context, request, f) == 0 &&
        build_if_needed(&b, f) == 0)
        product = text_format("%s", product_of(&b));
    build_free(&b);
    return product;
}

char *count_build(const tool_context *context, const char *source_file, bool is_checked, fault *f) {
    build_request request = {.source_file = source_file,
                             .folder = is_checked ? "checked" : "count",
                             .is_program = true,
                             .is_checked = is_checked,
                             .time_limit = INFINITY};
    char *program = build_file(context, &request, f);
    fputs(request.output ? request.output : "", stderr);
    free(request.output);
    return program;
}

int link_objects(const tool_context *context, const string_list *objects, const char *program, fault *f) {
    static const process_limits limits = {.seconds = 60}; /* a second is usual */
    toolchain tools = {0};
    char *tree = text_format("%s/..", context->bin);
    int result = read_toolchain(tree, &tools, f);
    string_list command = {0};
    list_append(&command, &tools.compiler);
    list_append(&command, objects);
    list_append(&command, &tools.library);
    list_append(&command, &tools.link);
    list_copy(&command, "-o");
    list_copy(&command, program);
    char *output = NULL;
    process_end end;
    if (result == 0 && !exited_with(process_confined(command.items, NULL, &limits, &end, &output), 0)) {
        char *error = first_error(output ? output : "");
        result = stop_signal() ? fault_set(f, "interrupted") : fault_set(f, "cannot be linked: %.400s", error);
        free(error);
    }
    free(output);
    list_free(&command);
    toolchain_free(&tools);
    free(tree);
    return result;
}
