#include "plot_parts.h"
#include "gnuplot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void put_value(FILE *out, double value) {
    if (isfinite(value))
        fprintf(out, " %.6g", value);
    else
        fputs(" ?", out);
}

void put_label(FILE *out, const char *name, const char *more) {
    putc('"', out);
    const char *const parts[] = {name, more};
    for (size_t i = 0; i < 2; ++i)
        for (const char *p = parts[i]; p && *p; ++p)
            putc(*p == '"' || (unsigned char)*p < ' ' ? ' ' : *p, out);
    putc('"', out);
}

char *plot_subject(const record_list *list, const selection *s, bool with_size) {
    const char *gpu = record_gpu(list);
    if (!with_size)
        return text_format("%s, %s, %s", gpu[0] ? gpu : "GPU n/a", s->dtype, s->protocol);
    return text_format("%s, M = N = K = %" PRId64 ", %s, %s", gpu[0] ? gpu : "GPU n/a", s->size, s->dtype, s->protocol);
}

char *title_setting(const char *title, const char *subject) {
    char *text = text_format("%s — %s", title, subject);
    char *quoted = gnuplot_string(text);
    char *line = text_format("title = %s\n", quoted);
    free(text);
    free(quoted);
    return line;
}
