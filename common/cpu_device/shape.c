#define _GNU_SOURCE
#include "shape.h"

#include "program.h"
#include "tool.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Debug information, read once ---- */

enum entry_kind { FUNCTION, VARIABLE, ARRAY, ALIAS, OTHER_TYPE };

/* A debugging information entry, as far as it matters here. */
struct entry {
    uint64_t number; /* its place in .debug_info, by which others refer to it */
    enum entry_kind kind;
    uint64_t type;   /* of the variable or the element; what is an alias of what; 0: void, or not known */
    uint64_t origin; /* of a function or variable that comes again, inlined or not: the entry that says the rest */
    char *symbol;    /* of a function or variable; NULL: not known */
    union {
        struct { /* of a variable */
            bool is_thread_local;
            uint64_t offset;   /* into the thread-local data, if it is that */
            char *name;        /* NULL: not known, or kept elsewhere */
            uint64_t function; /* that it may be in, the last one before it; 0: none */
        };
        struct shape dimensions; /* of an array, without its elements' own */
        uint64_t size;           /* of another type */
    };
};

static struct {
    struct entry *entries; /* ascending by number */
    size_t count, room;
} debug;

/* Where the reader is. */
struct reader {
    struct entry *entry; /* that the next attributes belong to; NULL: one that does not matter */
    struct entry *array; /* the last one */
    bool in_subrange;    /* attributes are those of a dimension of `array` */
    uint64_t function;   /* the last one; 0: none */
    bool out_of_memory;
};

static bool is_one_of(const char *tag, const char *const *names) {
    for (; *names; names++)
        if (strcmp(tag, *names) == 0)
            return true;
    return false;
}

static void add_entry(struct reader *reader, uint64_t number, enum entry_kind kind) {
    if (debug.count == debug.room) {
        const size_t room = debug.room ? 2 * debug.room : 1024;
        struct entry *longer = realloc(debug.entries, room * sizeof *longer);
        if (!longer) {
            reader->out_of_memory = true;
            return;
        }
        debug.entries = longer;
        debug.room = room;
    }
    reader->entry = &debug.entries[debug.count++];
    *reader->entry = (struct entry){.number = number, .kind = kind};
    if (kind == ARRAY)
        reader->array = reader->entry;
    if (kind == FUNCTION)
        reader->function = number;
    if (kind == VARIABLE)
        reader->entry->function = reader->function;
}

/* " <2><a423>: Abbrev Number: 60 (DW_TAG_variable)" */
static void begin_entry(struct reader *reader, uint64_t number, const char *tag) {
    static const char *const aliases[] = {"typedef", "const_type", "volatile_type", NULL};
    static const char *const types[] = {"base_type",        "structure_type", "class_type", "union_type",
                                        "enumeration_type", "pointer_type",   NULL};
    reader->entry = NULL;
    reader->in_subrange = strcmp(tag, "subrange_type") == 0 && reader->array;
    if (reader->in_subrange) {
        struct shape *dimensions = &reader->array->dimensions;
        if (dimensions->rank < SHAPE_MAX_RANK)
            dimensions->extents[dimensions->rank++] = 0;
        return;
    }
    reader->array = NULL;
    if (strcmp(tag, "subprogram") == 0)
        add_entry(reader, number, FUNCTION);
    else if (strcmp(tag, "variable") == 0)
        add_entry(reader, number, VARIABLE);
    else if (strcmp(tag, "array_type") == 0)
        add_entry(reader, number, ARRAY);
    else if (is_one_of(tag, aliases))
        add_entry(reader, number, ALIAS);
    else if (is_one_of(tag, types))
        add_entry(reader, number, OTHER_TYPE);
}

/* What comes behind the tag of a string, which may say where it is kept: "(indirect string, offset: 0x4558): As". */
static char *text_of(char *value) {
    char *last = value;
    for (char *p = value; (p = strstr(p, ": ")); p += 2)
        last = p + 2;
    last[strcspn(last, " \t\n")] = '\0';
    return last;
}

static uint64_t reference_of(const char *value) { /* "<0xd116>" */
    const char *number = strchr(value, '<');
    return number ? strtoull(number + 1, NULL, 16) : 0;
}

/* "10 byte block: e 0 40 0 0 0 0 0 0 9b   (DW_OP_const8u: 16384; DW_OP_form_tls_address)". Any other location
   is that of a variable that is not shared; its name need not be kept. */
static void take_location(struct entry *variable, const char *value) {
    static const char constant[] = "(DW_OP_const8u: ";
    const char *offset = strstr(value, constant);
    variable->is_thread_local = offset && strstr(offset, "_tls_address");
    if (variable->is_thread_local)
        variable->offset = strtoull(offset + sizeof constant - 1, NULL, 10);
    free(variable->name);
    variable->name = NULL;
}

static void take_text(char **text, char *value) {
    free(*text);
    *text = strdup(text_of(value));
}

static void add_attribute(struct reader *reader, const char *name, char *value) {
    struct entry *entry = reader->entry;
    if (reader->in_subrange) {
        struct shape *dimensions = &reader->array->dimensions;
        size_t *extent = &dimensions->extents[dimensions->rank - 1];
        if (strcmp(name, "upper_bound") == 0)
            *extent = strtoull(value, NULL, 0) + 1;
        else if (strcmp(name, "count") == 0)
            *extent = strtoull(value, NULL, 0);
    } else if (!entry) {
        return;
    } else if (strcmp(name, "type") == 0) {
        entry->type = reference_of(value);
    } else if (strcmp(name, "abstract_origin") == 0 || strcmp(name, "specification") == 0) {
        entry->origin = reference_of(value);
    } else if (strcmp(name, "linkage_name") == 0) {
        take_text(&entry->symbol, value);
    } else if (entry->kind == VARIABLE && strcmp(name, "name") == 0) {
        take_text(&entry->name, value);
    } else if (entry->kind == VARIABLE && strcmp(name, "location") == 0) {
        take_location(entry, value);
    } else if (entry->kind == OTHER_TYPE && strcmp(name, "byte_size") == 0) {
        entry->size = strtoull(value, NULL, 0);
    }
}

static void take_line(struct reader *reader, char *line) {
    static const char tag[] = "(DW_TAG_", attribute[] = "DW_AT_";
    char *at = strstr(line, ">: Abbrev Number: ");
    if (at) {
        char *number = strchr(line, '>'), *name = strstr(at, tag);
        if (!name || !number || number[1] != '<')
            return; /* the end of a list */
        name += sizeof tag - 1;
        name[strcspn(name, ")")] = '\0';
        begin_entry(reader, strtoull(number + 2, NULL, 16), name);
        return;
    }
    at = strstr(line, attribute);
    if (!at)
        return;
    char *name = at + sizeof attribute - 1, *colon = strchr(name, ':');
    if (!colon)
        return;
    name[strcspn(name, " :")] = '\0';
    add_attribute(reader, name, colon + 1 + strspn(colon + 1, " \t"));
}

/* A program without symbols or without debug information has nothing to tell, and its arrays are told by bytes. */
static void read_debug_information(void) {
    char *argv[] = {tool_objdump(), "--dwarf=info", tool_own_path(), NULL};
    pid_t child;
    FILE *output = tool_start(argv, NULL, &child);
    if (!output) {
        tool_say_missing("objdump", "elements of shared arrays are told as bytes");
        return;
    }
    static struct reader reader;
    char *line = NULL;
    size_t capacity = 0;
    while (!reader.out_of_memory && getline(&line, &capacity, output) > 0)
        take_line(&reader, line);
    free(line);
    tool_finish(output, child);
}

/* ---- From a variable to its shape ---- */

static int by_number(const void *number, const void *entry) {
    const uint64_t a = *(const uint64_t *)number, b = ((const struct entry *)entry)->number;
    return (a > b) - (a < b);
}

static const struct entry *find_entry(uint64_t number) {
    return bsearch(&number, debug.entries, debug.count, sizeof *debug.entries, by_number);
}

/* Rows of rows, whose types may have names of their own. */
static bool follow_type(uint64_t number, struct shape *shape) {
    *shape = (struct shape){0};
    const struct entry *type = find_entry(number);
    for (int steps = 0; type && type->kind != OTHER_TYPE; steps++) {
        if (steps == 64 || type->kind == FUNCTION || type->kind == VARIABLE) /* no type is that deep */
            return false;
        for (unsigned i = 0; type->kind == ARRAY && i < type->dimensions.rank; i++) {
            if (shape->rank == SHAPE_MAX_RANK)
                return false;
            shape->extents[shape->rank++] = type->dimensions.extents[i];
        }
        type = find_entry(type->type);
    }
    shape->element_size = type ? type->size : 0;
    return type != NULL;
}

/* Whether the variable's type is known and fills the object. */
static bool read_shape(const struct entry *variable, const struct program_object *object, struct shape *shape) {
    const struct entry *origin = variable->type ? NULL : find_entry(variable->origin);
    if (!follow_type(origin ? origin->type : variable->type, shape) || shape->element_size == 0)
        return false;
    size_t size = shape->element_size;
    for (unsigned i = 0; i < shape->rank; i++)
        if (__builtin_mul_overflow(size, shape->extents[i], &size))
            return false;
    return size == object->size;
}

static bool is_same(const struct shape *a, const struct shape *b) {
    return a->rank == b->rank && a->element_size == b->element_size &&
           memcmp(a->extents, b->extents, sizeof *a->extents * a->rank) == 0;
}

/* Whether the symbol is what compilers make of a variable of a function: _ZZ1fPfE2As is As of f(float *), which is
   _Z1fPf. A second As of it is _ZZ1fPfE2As_0. */
static bool is_local(const char *symbol, const struct entry *variable) {
    const struct entry *function = find_entry(variable->function);
    for (int steps = 0; function && !function->symbol && steps < 4; steps++) /* declared, inlined, there once more */
        function = find_entry(function->origin);
    if (!variable->name || !function || !function->symbol || strncmp(function->symbol, "_Z", 2) != 0)
        return false;
    const char *encoding = function->symbol + 2;
    const size_t length = strlen(encoding);
    char rest[256];
    snprintf(rest, sizeof rest, "E%zu%s", strlen(variable->name), variable->name);
    return strncmp(symbol, "_ZZ", 3) == 0 && strncmp(symbol + 3, encoding, length) == 0 &&
           strcmp(symbol + 3 + length, rest) == 0;
}

/* Compilers for x86-64 say where a thread-local variable is, those for AArch64 do not. */
static bool is_of(const struct entry *variable, const struct program_object *object, bool by_offset) {
    if (variable->kind != VARIABLE || variable->is_thread_local != by_offset)
        return false;
    if (by_offset)
        return variable->offset == object->offset;
    return variable->symbol ? strcmp(variable->symbol, object->name) == 0 : is_local(object->name, variable);
}

/* Variables in different scopes of one function may be taken for each other by name; then nothing is known. */
static bool search(const struct program_object *object, bool by_offset, struct shape *shape) {
    bool found = false;
    for (size_t i = 0; i < debug.count; i++) {
        struct shape other;
        if (!is_of(&debug.entries[i], object, by_offset) || !read_shape(&debug.entries[i], object, &other))
            continue;
        if (found && !is_same(shape, &other))
            return false;
        *shape = other;
        found = true;
    }
    return found;
}

bool shape_of_shared(size_t offset, struct shape *shape) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_debug_information);
    const struct program_object object = program_shared_object(offset);
    return object.name && object.offset == offset && (search(&object, true, shape) || search(&object, false, shape));
}

void shape_add_indices(const struct shape *shape, size_t byte, char *name, size_t name_size) {
    size_t stride = shape->element_size;
    for (unsigned i = 0; i < shape->rank; i++)
        stride *= shape->extents[i];
    for (unsigned i = 0; i < shape->rank; i++) {
        stride /= shape->extents[i];
        const size_t length = strlen(name);
        snprintf(name + length, name_size - length, "[%zu]", byte / stride);
        byte %= stride;
    }
}
