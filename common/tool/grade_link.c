#include "grade_link.h"

#include "count_build.h"
#include "list.h"

#include <stdlib.h>
#include <string.h>

/* ---- What CMake wrote down for the stage (CMakeLists.txt) ----------------------------------------------------------
 */

typedef struct parts {
    string_list nm, object, other, kernel, harness, device;
} parts;

static void parts_free(parts *p) {
    list_free(&p->nm);
    list_free(&p->object);
    list_free(&p->other);
    list_free(&p->kernel);
    list_free(&p->harness);
    list_free(&p->device);
}

static int read_parts(const tool_context *context, const char *stage, parts *p, fault *f) {
    const struct {
        const char *key;
        string_list *list;
    } keys[] = {{"nm ", &p->nm},         {"object ", &p->object},   {"other ", &p->other},
                {"kernel ", &p->kernel}, {"harness ", &p->harness}, {"device ", &p->device}};
    char *path = text_format("%s/../grade/%s", context->bin, stage), *text = read_file(path, f), *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
            if (strncmp(line, keys[i].key, strlen(keys[i].key)) == 0)
                list_copy(keys[i].list, line + strlen(keys[i].key));
    int result = text ? 0 : -1;
    if (text && (p->nm.count != 1 || p->object.count == 0 || p->kernel.count == 0 || p->harness.count != 1 ||
                 p->device.count != 1))
        result = fault_set(f, "%.300s does not name nm, objects, kernel, harness and device; configure build/cpu again",
                           path);
    free(text);
    free(path);
    return result;
}

/* ---- Symbols ------------------------------------------------------------------------------------------------------
 */

typedef struct symbols {
    string_list defined, undefined;
} symbols;

static void symbols_free(symbols *s) {
    list_free(&s->defined);
    list_free(&s->undefined);
}

/* Lines of `nm -P -g`: "NAME TYPE ...", and "FILE:" before each member of an archive. U: undefined; w and v: weak and
 * undefined. */
static int read_symbols(const char *nm, const char *file, symbols *s, fault *f) {
    char *const argv[] = {(char *)nm, (char *)"-P", (char *)"-g", (char *)file, NULL};
    char *text = NULL, *rest = NULL;
    if (!exited_with(process_capture(argv, NULL, &text), 0)) {
        free(text);
        return fault_set(f, "%.200s could not read %.400s; build build/cpu again", nm, file);
    }
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *space = strchr(line, ' ');
        if (!space || space[1] == '\0')
            continue;
        *space = '\0';
        list_copy(strchr("Uwv", space[1]) ? &s->undefined : &s->defined, line);
    }
    free(text);
    return 0;
}

static int read_all_symbols(const char *nm, const string_list *files, symbols *s, fault *f) {
    int result = 0;
    for (size_t i = 0; i < files->count && result == 0; ++i)
        result = read_symbols(nm, files->items[i], s, f);
    return result;
}

/* ---- Which function stands for which ------------------------------------------------------------------------------
 */

static const char footprint[] = "_footprint";

static bool is_footprint(const char *name) {
    const size_t length = strlen(name), tail = sizeof footprint - 1;
    return length > tail && strcmp(name + length - tail, footprint) == 0;
}

static bool has_footprint(const symbols *own, const char *function) {
    char *name = text_format("%s%s", function, footprint);
    const bool has = list_has(&own->defined, name);
    free(name);
    return has;
}

/* A launch function has a footprint beside it, and C's name. */
static bool is_launch(const symbols *own, const char *name) {
    return strncmp(name, "_Z", 2) != 0 && !is_footprint(name) && has_footprint(own, name);
}

/* What main.c wants of a kernel file: what it lacks and the stage's own kernel.cu has. */
static string_list wanted_functions(const symbols *stage, const symbols *kernel) {
    string_list wanted = {0};
    for (size_t i = 0; i < stage->undefined.count; ++i) {
        const char *name = stage->undefined.items[i];
        if (list_has(&kernel->defined, name) && !list_has(&wanted, name))
            list_copy(&wanted, name);
    }
    return wanted;
}

/* The first of the stage's functions that the file has, the marked one before all others; NULL when it has none. */
static const grade_variant *variant_of(const grade_scheme *scheme, const symbols *own) {
    const grade_variant *marked = grade_marked_variant(scheme);
    if (list_has(&own->defined, marked->function))
        return marked;
    for (const grade_variant *v = scheme->variants; v < scheme->variants + GRADE_VARIANTS && v->name; ++v)
        if (list_has(&own->defined, v->function))
            return v;
    return NULL;
}

/* main.c calls it, and the stage's other kernel files have it, which are linked as they are. */
static bool is_in_other_file(const symbols *stage, const string_list *wanted, const char *name) {
    return list_has(&stage->undefined, name) && !list_has(wanted, name);
}

/* Where the file has none of the stage's functions: some other stage's, or the first that looks like one; or NULL. */
static const char *foreign_function(const symbols *own, const symbols *stage, const string_list *wanted) {
    for (size_t i = 0; i < grade_scheme_count; ++i) {
        const grade_variant *v = variant_of(&grade_schemes[i], own);
        if (v && is_launch(own, v->function))
            return v->function;
    }
    for (size_t i = 0; i < own->defined.count; ++i)
        if (is_launch(own, own->defined.items[i]) && !is_in_other_file(stage, wanted, own->defined.items[i]))
            return own->defined.items[i];
    return NULL;
}

void grade_choice_free(grade_choice *choice) {
    free(choice->function);
    list_free(&choice->variants);
    free(choice->remark);
}

static void choose(const grade_scheme *scheme, const char *file, const symbols *own, const symbols *stage,
                   const string_list *wanted, grade_choice *choice) {
    const grade_variant *marked = grade_marked_variant(scheme), *variant = variant_of(scheme, own);
    const char *function = variant ? variant->function : foreign_function(own, stage, wanted);
    choice->variant = variant ? variant->name : marked->name;
    if (!function)
        return;
    choice->function = text_format("%s", function);
    if (variant != marked)
        choice->remark = text_format("%s has no %s(); %s() is marked in its place", file, marked->function, function);
    for (const grade_variant *v = scheme->variants; v < scheme->variants + GRADE_VARIANTS && v->name; ++v)
        if (list_has(&own->defined, v->function) || strcmp(v->name, choice->variant) == 0)
            list_copy(&choice->variants, v->name);
}

typedef struct all_symbols {
    symbols own, stage, kernel, harness, device;
} all_symbols;

/* What a kernel file may call of the CPU device: CUDA's functions, those that CUDA's headers and the compiler call, and
 * the window of dynamic shared memory; but not what switches counting and checks, and hands out what they found. */
static bool is_for_kernels(const char *name) {
    static const char *const kept[] = {"cpu_device_count_launches",   "cpu_device_forget_counts",
                                       "cpu_device_get_counts",       "cpu_device_check_launches",
                                       "cpu_device_forget_findings",  "cpu_device_get_findings",
                                       "cpu_device_declare_matrices", "cpu_device_report_uninitialised"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i)
        if (strcmp(name, kept[i]) == 0)
            return false;
    return strncmp(name, "cpu_device_", 11) == 0 || strncmp(name, "cuda", 4) == 0 || strncmp(name, "__", 2) == 0 ||
           strcmp(name, "smem") == 0;
}

/* The file must not take the place of a function that the harness, main.c or the CPU device have or call, nor call the
 * harness: marks are given by what those say. The stage's other kernel files judge nothing, and have inline functions
 * of the same headers. */
static int check_names(const char *file, const all_symbols *s, const string_list *wanted, fault *f) {
    for (size_t i = 0; i < s->own.defined.count; ++i) {
        const char *name = s->own.defined.items[i];
        if (strcmp(name, "main") == 0)
            return fault_set(f, "%.200s has a main() of its own; a stage's kernel file has none, main.c calls it",
                             file);
        if (list_has(wanted, name))
            continue;
        if (list_has(&s->stage.defined, name) || list_has(&s->harness.defined, name) ||
            list_has(&s->harness.undefined, name) || list_has(&s->device.defined, name) ||
            list_has(&s->device.undefined, name))
            return fault_set(f, "%.200s defines %.100s, which the harness needs for itself; give it another name", file,
                             name);
        if (is_in_other_file(&s->stage, wanted, name))
            return fault_set(f,
                             "%.200s defines %.100s, which the stage has in another kernel file; give it another name",
                             file, name);
    }
    for (size_t i = 0; i < s->own.undefined.count; ++i) {
        const char *name = s->own.undefined.items[i];
        if (list_has(&s->harness.defined, name) || (list_has(&s->device.defined, name) && !is_for_kernels(name)))
            return fault_set(f, "%.200s uses %.100s of the harness, which judges it; a kernel file must not", file,
                             name);
    }
    return 0;
}

/* Options that bind what the file lacks. */
static void add_bindings(string_list *objects, const symbols *own, const string_list *wanted, const char *chosen) {
    for (size_t i = 0; i < wanted->count; ++i) {
        const char *name = wanted->items[i];
        if (!list_has(&own->defined, name))
            list_add(objects, text_format("-Wl,--defsym=%s=%s%s", name, chosen, is_footprint(name) ? footprint : ""));
    }
}

static int link_with(const tool_context *context, const grade_scheme *scheme, const char *file, const char *object,
                     const char *program, const parts *p, const all_symbols *s, grade_choice *choice, bool *refused,
                     fault *f) {
    string_list wanted = wanted_functions(&s->stage, &s->kernel), objects = {0};
    int result = 0;
    choose(scheme, file, &s->own, &s->stage, &wanted, choice);
    const char *function = choice->function, *marked = grade_marked_variant(scheme)->function;
    if (!function)
        result =
            fault_set(f,
                      "%.200s has no function that can be marked: %s() and %s%s() are wanted, in extern \"C\", as in "
                      "%s/kernel.cu",
                      file, marked, marked, footprint, scheme->stage);
    else if (!has_footprint(&s->own, function))
        result =
            fault_set(f, "%.200s has %s() but no %s%s(), which main.c wants too", file, function, function, footprint);
    else
        result = check_names(file, s, &wanted, f);
    *refused = result != 0;
    if (result == 0) {
        list_append(&objects, &p->object);
        list_append(&objects, &p->other);
        list_copy(&objects, object);
        add_bindings(&objects, &s->own, &wanted, function);
        list_append(&objects, &p->harness);
        fault linking = {{0}};
        result = link_objects(context, &objects, program, &linking);
        *refused = result != 0 && !stop_signal();
        if (result != 0)
            fault_set(f, "%.200s %.500s", file, linking.text);
    }
    list_free(&objects);
    list_free(&wanted);
    return result;
}

int grade_link(const tool_context *context, const grade_scheme *scheme, const char *file, const char *object,
               const char *program, grade_choice *choice, bool *refused, fault *f) {
    parts p = {0};
    all_symbols s = {0};
    *refused = false;
    int result = read_parts(context, scheme->stage, &p, f);
    if (result == 0)
        result = read_symbols(p.nm.items[0], object, &s.own, f);
    if (result == 0)
        result = read_all_symbols(p.nm.items[0], &p.object, &s.stage, f);
    if (result == 0)
        result = read_all_symbols(p.nm.items[0], &p.kernel, &s.kernel, f);
    if (result == 0)
        result = read_all_symbols(p.nm.items[0], &p.harness, &s.harness, f);
    if (result == 0)
        result = read_all_symbols(p.nm.items[0], &p.device, &s.device, f);
    if (result == 0)
        result = link_with(context, scheme, file, object, program, &p, &s, choice, refused, f);
    symbols_free(&s.own);
    symbols_free(&s.stage);
    symbols_free(&s.kernel);
    symbols_free(&s.harness);
    symbols_free(&s.device);
    parts_free(&p);
    return result;
}
