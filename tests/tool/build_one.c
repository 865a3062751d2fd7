/* build_one REPOSITORY BIN FILE.cu [checked]: what `ladder count` does before it counts, or `ladder count --sanitize`.
   Prints the program's path. */
#include "count_build.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    const bool is_checked = argc == 5 && strcmp(argv[4], "checked") == 0;
    if (argc != 4 && !is_checked) {
        fprintf(stderr, "usage: build_one REPOSITORY BIN FILE.cu [checked]\n");
        return EXIT_USAGE;
    }
    const tool_context context = {.device = "cpu", .source = argv[1], .bin = argv[2]};
    fault f = {{0}};
    if (count_check_source(argv[3], &f) != 0) {
        fprintf(stderr, "%s\n", f.text);
        return EXIT_USAGE;
    }
    char *program = count_build(&context, argv[3], is_checked, &f);
    if (!program) {
        fprintf(stderr, "%s\n", f.text);
        return EXIT_WORK;
    }
    puts(program);
    free(program);
    return 0;
}
