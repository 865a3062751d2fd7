/* Picks the subcommand. A later stage adds its own with one line in `commands`. */
#include "files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    int (*run)(tool_context *context, int argc, char **argv, fault *f);
    const char *summary;
} command;

static const command commands[] = {
    {"run", command_run, "run the stages, check them, write the record, the table and the plots"},
    {"table", command_table, "the article's table beside ours"},
    {"plot", command_plot, "utilization, speedup and speed over size as SVG and PNG"},
    {"diff", command_diff, "the step from one stage's kernel to the next"},
    {"count", command_count, "what a profiler would say of a stage or a CUDA file, without a GPU"},
    {"profile", command_profile, "what Nsight Compute reads on a GPU of the counters that the CPU device counts"},
    {"banks", command_banks, "which lane of a warp hits which bank of shared memory"},
    {"grade", command_grade, "marks a kernel file of your own: points, and a sentence of help for each lost one"},
};

static void list_commands(FILE *out) {
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i)
        fprintf(out, "  %-7s %s\n", commands[i].name, commands[i].summary);
}

static const command *find_command(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* argp prints its own sentence for a wrong option; it takes the program's name from here. */
static char **name_the_command(int argc, char **argv) {
    static char name[64];
    snprintf(name, sizeof name, "ladder %s", argv[1]);
    char **shifted = malloc((size_t)argc * sizeof *shifted);
    if (!shifted)
        return NULL;
    shifted[0] = name;
    for (int i = 2; i <= argc; ++i)
        shifted[i - 1] = argv[i];
    return shifted;
}

/* A file that is opened while 0, 1 or 2 is closed would get that number, and with it what is printed. Opened for
 * reading, so that output is not lost in silence. */
static void open_standard_streams(void) {
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

int main(int argc, char **argv) {
    open_standard_streams();
    signal(SIGCHLD, SIG_DFL); /* a parent may have told us to ignore it, and waitpid() would then find nobody */
    argp_err_exit_status = EXIT_USAGE;
    if (argc < 2 || !find_command(argv[1])) {
        fprintf(stderr, "ladder: %s%s; the subcommands are:\n", argc < 2 ? "no subcommand" : "unknown subcommand ",
                argc < 2 ? "" : argv[1]);
        list_commands(stderr);
        return EXIT_USAGE;
    }
    const command *chosen = find_command(argv[1]);
    char **arguments = name_the_command(argc, argv);
    if (!arguments)
        return EXIT_WORK;
    tool_context context = {.device = "", .source = ".", .bin = ""};
    fault f = {{0}};
    int status = chosen->run(&context, argc - 1, arguments, &f);
    const bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (stop_signal())
        status = EXIT_SIGNAL + stop_signal();
    if (f.text[0])
        fprintf(stderr, "%s: %s\n", arguments[0], f.text);
    if (lost) {
        fprintf(stderr, "%s: the output could not be written completely\n", arguments[0]);
        status = status ? status : EXIT_WORK;
    }
    free(arguments);
    return status;
}
