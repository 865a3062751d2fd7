/* What every subcommand shares: the fault and the options that ./ladder gives. */
#include "tool.h"

#include <stdarg.h>
#include <string.h>

int fault_set(fault *f, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->text, sizeof f->text, format, arguments);
    va_end(arguments);
    return -1;
}

static error_t parse_context(int key, char *argument, struct argp_state *state) {
    tool_context *context = state->input;
    switch (key) {
    case 'D':
        /* The script has checked its own and built for it; an abbreviation that it did not see must not change it. */
        if (context->device[0] && strcmp(context->device, argument) != 0)
            argp_error(state, "--device %s contradicts --device %s; give it once, in full", argument, context->device);
        context->device = argument;
        return 0;
    case 'S':
        context->source = argument;
        return 0;
    case 'B':
        context->bin = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option context_options[] = {
    {"device", 'D', "auto|cpu|gpu", 0, "Where kernels run (auto: the GPU when it really works)", 90},
    {"source", 'S', "DIR", OPTION_HIDDEN, "Root of the repository (given by ./ladder)", 90},
    {"bin", 'B', "DIR", OPTION_HIDDEN, "Directory of the stage drivers (given by ./ladder)", 90},
    {0},
};

const struct argp context_argp = {.options = context_options, .parser = parse_context};
