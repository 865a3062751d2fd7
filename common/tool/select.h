/* Which rows of a record a table or a plot shows. */
#ifndef TOOL_SELECT_H
#define TOOL_SELECT_H

#include "files.h"
#include "record.h"

#include <argp.h>

/* NULL and 0 mean: not asked for. */
typedef struct selection {
    const char *dtype;
    const char *protocol; /* burst, sustained or none */
    int64_t size;         /* M = N = K */
    const char *stage;    /* directory name */
} selection;

/* Fills what was not asked for: f16, burst, 4096 as in the article where the record has such rows, else what it has. */
void selection_settle(selection *s, const record_list *list);

bool selected(const selection *s, const gemm_record *row);

/* A passed row with a speed: the only kind that takes part in comparisons and plots. */
bool has_speed(const gemm_record *row);

/* What `table` and `plot` are told on the command line: --dtype, --protocol, --size, as an argp child whose input is a
 * record_choice, and the record file. A wrong value is a sentence in *f and EINVAL. */
typedef struct record_choice {
    selection what;
    const char *record; /* NULL: not given */
    fault *f;
} record_choice;

extern const struct argp choice_argp;
error_t choose_record(record_choice *choice, const char *path);

/* Check what came from the command line. Return 0, or -1 with the sentence for the user. parse_name: one of `names`. */
int parse_name(const char *flag, const char *text, const char *const names[], size_t count, fault *f);
int parse_dtype(const char *text, fault *f);
int parse_protocol(const char *text, fault *f);
int parse_size(const char *text, int64_t *size, fault *f);

/* Reads a record file. Returns 0, or -1 with a sentence. */
int load_record(const char *path, record_list *list, fault *f);

/* The newest of the recorded campaigns and of what `./ladder run` left on a GPU; else the CPU device's; NULL when there
 * is none. The caller frees it. */
char *default_record(const tool_context *context);

/* The first GPU named in the list, or "". Borrowed. */
const char *record_gpu(const record_list *list);

#endif
