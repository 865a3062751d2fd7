/* Builds one CUDA C file for the CPU device, with the compiler and the flags of add_cpu_kernel. */
#ifndef TOOL_COUNT_BUILD_H
#define TOOL_COUNT_BUILD_H

#include "list.h"
#include "tool.h"

/* Whether the command line names a file that can be built: a plain file that ends in .cu. Returns 0, or -1 with a
 * sentence, which is the user's mistake (EXIT_USAGE). */
int count_check_source(const char *source_file, fault *f);

typedef struct build_request {
    const char *source_file;
    const char *folder;  /* of build/cpu, for what is built */
    bool is_program;     /* it has a main(): make a program, not an object */
    bool is_checked;     /* the program tells of indices past a row, too; a kernel file always does */
    const char *headers; /* a directory for #include, or NULL */
    double time_limit;   /* of the compiler, in seconds; may be INFINITY */
    size_t memory_limit; /* of the compiler, in bytes; 0: none */
    bool refused;        /* out: nothing was built because of the source, not because of this machine */
    char *output;        /* out: what the compiler said when it failed, else NULL; the caller frees it */
} build_request;

/* Builds what is asked for. Does nothing when that is there and newer than all it is made of. Returns its path,
 * build/cpu/FOLDER/NAME-HASH/NAME or NAME.o, which the caller frees; NULL with a sentence. */
char *build_file(const tool_context *context, build_request *request, fault *f);

/* Links objects, archives and linker options, in their order, with the CPU device. Returns 0, or -1 with the linker's
 * first complaint. */
int link_objects(const tool_context *context, const string_list *objects, const char *program, fault *f);

/* Builds FILE.cu, which has its own main(), in build/cpu/count, or build/cpu/checked if it is to be checked. The
 * compiler's words are shown (on stderr) only when it fails. Returns the program's path, as build_file. */
char *count_build(const tool_context *context, const char *source_file, bool is_checked, fault *f);

#endif
