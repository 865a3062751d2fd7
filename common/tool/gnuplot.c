#include "gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Terminals in order of preference. pngcairo draws the better letters, but small builds lack it. */
typedef struct terminal {
    const char *name, *extension, *options;
} terminal;

static const terminal png_terminals[] = {
    {"pngcairo", "png", "noenhanced font 'sans-serif,13' background '#ffffff'"},
    {"png", "png", "noenhanced truecolor background '#ffffff'"},
};
static const terminal svg_terminals[] = {
    {"svg", "svg", "noenhanced font 'sans-serif,15' background '#ffffff' dashlength 2"}};
static const terminal text_terminal = {"dumb", "txt", "noenhanced"};

char *gnuplot_string(const char *text) {
    text_stream s;
    text_open(&s);
    putc('\'', s.out);
    for (; *text; ++text) {
        if (*text == '\'')
            putc('\'', s.out);
        putc((unsigned char)*text < ' ' ? ' ' : *text, s.out);
    }
    putc('\'', s.out);
    text_close(&s);
    return s.text;
}

static bool has_terminal(const char *name) {
    char *command = text_format("set terminal %s", name);
    char *const argv[] = {(char *)"gnuplot", (char *)"-e", command, NULL};
    const bool accepted = exited_with(process_run(argv, NULL, true), 0);
    free(command);
    return accepted;
}

static const terminal *first_accepted(const terminal *terminals, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (has_terminal(terminals[i].name))
            return &terminals[i];
    return NULL;
}

/* Asked once a run: starting gnuplot four times for each figure would be most of the time. */
static const terminal *const *usable_terminals(void) {
    static const terminal *usable[3];
    static bool asked = false;
    if (asked)
        return usable;
    asked = true;
    size_t count = 0;
    const terminal *svg = first_accepted(svg_terminals, sizeof svg_terminals / sizeof svg_terminals[0]);
    const terminal *png = first_accepted(png_terminals, sizeof png_terminals / sizeof png_terminals[0]);
    if (svg)
        usable[count++] = svg;
    if (png)
        usable[count++] = png;
    if (!svg || !png)
        printf("plot: this gnuplot cannot write %s%s%s%s.\n", svg ? "" : "SVG", !svg && !png ? " or " : "",
               png ? "" : "PNG", !svg && !png ? "; the plots are drawn as text" : "");
    if (count == 0 && has_terminal(text_terminal.name))
        usable[count++] = &text_terminal;
    return usable;
}

static void put_terminal(const terminal *t, const figure *fig, FILE *out) {
    if (t == &text_terminal)
        fprintf(out, "set terminal dumb noenhanced size 110,35\n");
    else
        fprintf(out, "set terminal %s size %d,%d %s\n", t->name, fig->width, fig->height, t->options);
    fprintf(out, "set output '%s.%s'\n", fig->name, t->extension);
}

/* A script that stands alone: settings, the shared style, the plot, and a replot for each further terminal. */
static char *make_script(const figure *fig, const char *style, const char *body, const terminal *const *terminals) {
    text_stream s;
    text_open(&s);
    fprintf(s.out, "# Made by ./ladder plot. Draw it again with: gnuplot %s.gp\n", fig->name);
    put_terminal(terminals[0], fig, s.out);
    fprintf(s.out, "\ndata = '%s.dat'\n%s\n%s\n%s", fig->name, fig->settings, style, body);
    for (size_t i = 1; terminals[i]; ++i) {
        putc('\n', s.out);
        put_terminal(terminals[i], fig, s.out);
        fputs("replot\n", s.out);
    }
    fputs("unset output\n", s.out);
    text_close(&s);
    return s.text;
}

/* The script that is kept always draws SVG and PNG: a machine that can do less must not make a script that does less.
 */
static char *make_kept_script(const figure *fig, const char *style, const char *body,
                              const terminal *const *terminals) {
    const terminal *png = &png_terminals[0];
    for (size_t i = 0; terminals[i]; ++i)
        if (terminals[i] == &png_terminals[1])
            png = terminals[i];
    const terminal *const wanted[] = {&svg_terminals[0], png, NULL};
    return make_script(fig, style, body, wanted);
}

static char *template_text(const tool_context *context, const char *name, fault *f) {
    char *path = text_format("%s/plots/%s.gp", context->source, name);
    char *text = read_file(path, f);
    free(path);
    return text;
}

static int write_named(const char *directory, const char *name, const char *extension, const char *text, fault *f) {
    char *path = text_format("%s/%s.%s", directory, name, extension);
    const int result = write_file(path, text, strlen(text), f);
    free(path);
    return result;
}

/* ---- Drawing ------------------------------------------------------------------------------------------------------
 *
 * In a directory of its own beside the pictures: one that is already there is replaced by a whole new one or stays.
 */

static bool take_over(const figure *fig, const terminal *t, const char *from, const char *directory) {
    char *drawn = text_format("%s/%s.%s", from, fig->name, t->extension);
    char *path = text_format("%s/%s.%s", directory, fig->name, t->extension);
    struct stat status;
    const bool taken = stat(drawn, &status) == 0 && status.st_size > 0 && rename(drawn, path) == 0;
    if (taken)
        printf("plot: %s\n", path);
    else
        printf("plot: gnuplot left no %s; its script is %s/%s.gp\n", path, directory, fig->name);
    free(drawn);
    free(path);
    return taken;
}

static bool run_gnuplot(const char *directory, const figure *fig) {
    char *script = text_format("%s.gp", fig->name);
    char *const argv[] = {(char *)"gnuplot", script, NULL};
    const bool drawn = exited_with(process_run(argv, directory, false), 0);
    free(script);
    return drawn;
}

/* Sets taken[i] where terminal i made a picture. Returns 0, or -1 with a sentence. */
static int draw(const figure *fig, const char *script, const char *directory, const terminal *const *terminals,
                bool taken[2], fault *f) {
    char *room = text_format("%s/.drawing-XXXXXX", directory);
    stops_hold();
    int result =
        mkdtemp(room) ? 0 : fault_set(f, "cannot make a directory in %s to draw in: %s", directory, strerror(errno));
    if (result == 0) {
        result = write_named(room, fig->name, "dat", fig->data, f);
        if (result == 0)
            result = write_named(room, fig->name, "gp", script, f);
        const bool drawn = result == 0 && run_gnuplot(room, fig);
        if (result == 0 && !drawn && !stop_signal())
            printf("plot: gnuplot failed on %s/%s.gp; the table and the data are complete\n", directory, fig->name);
        for (size_t i = 0; drawn && terminals[i]; ++i)
            taken[i] = take_over(fig, terminals[i], room, directory);
        remove_directory(room);
    }
    if (result == 0 && stop_signal())
        result = fault_set(f, "interrupted");
    stops_release();
    free(room);
    return result;
}

/* A picture of an earlier run must not pass for this one's. */
static void name_old_pictures(const figure *fig, const char *directory, const terminal *const *terminals,
                              const bool taken[2]) {
    static const char *const extensions[] = {"svg", "png", "txt"};
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; ++i) {
        bool fresh = false;
        for (size_t j = 0; terminals[j]; ++j)
            fresh = fresh || (taken[j] && strcmp(terminals[j]->extension, extensions[i]) == 0);
        char *path = text_format("%s/%s.%s", directory, fig->name, extensions[i]);
        if (!fresh && file_exists(path))
            printf("plot: %s is of an earlier run\n", path);
        free(path);
    }
}

static void say_undrawn(bool have_gnuplot, const char *directory) {
    static bool said = false;
    if (!said)
        printf("plot: %s; the scripts and data for it are in %s\n",
               have_gnuplot ? "gnuplot has no terminal that works here" : "gnuplot is not installed, so no picture",
               directory);
    said = true;
}

void figure_remove(const char *name, const char *directory) {
    static const char *const extensions[] = {"gp", "dat", "svg", "png", "txt"};
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; ++i) {
        char *path = text_format("%s/%s.%s", directory, name, extensions[i]);
        unlink(path);
        free(path);
    }
}

int figure_draw(const tool_context *context, const figure *fig, const char *directory, fault *f) {
    static const terminal *const none[] = {NULL};
    const bool have_gnuplot = command_exists("gnuplot");
    const terminal *const *terminals = have_gnuplot ? usable_terminals() : none;
    bool taken[2] = {false, false};
    char *style = template_text(context, "style", f);
    char *body = style ? template_text(context, fig->name, f) : NULL;
    int result = body ? write_named(directory, fig->name, "dat", fig->data, f) : -1;
    if (result == 0) {
        char *kept = make_kept_script(fig, style, body, terminals);
        result = write_named(directory, fig->name, "gp", kept, f);
        free(kept);
    }
    if (result == 0 && terminals[0]) {
        char *script = make_script(fig, style, body, terminals);
        result = draw(fig, script, directory, terminals, taken, f);
        free(script);
    } else if (result == 0) {
        say_undrawn(have_gnuplot, directory);
    }
    if (result == 0)
        name_old_pictures(fig, directory, terminals, taken);
    free(style);
    free(body);
    return result;
}
