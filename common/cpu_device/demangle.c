#define _GNU_SOURCE
#include "demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ library, which the linker leaves out of a program that uses nothing else of it. */
typedef char *demangler(const char *mangled, char *buffer, size_t *length, int *status);
extern demangler __cxa_demangle __attribute__((weak));

static char *demangle(const char *name) {
    demangler *function = __cxa_demangle;
    void *library = function ? NULL : dlopen("libstdc++.so.6", RTLD_LAZY);
    if (library)
        function = (demangler *)dlsym(library, "__cxa_demangle");
    return function ? function(name, NULL, NULL, NULL) : NULL;
}

/* Where the parameters of a demangled function begin: the first '(' outside template arguments that is not that of
   "(anonymous namespace)". */
static char *find_parameters(char *name) {
    static const char anonymous[] = "(anonymous namespace)";
    int depth = 0;
    for (char *p = name; *p; p++) {
        depth += *p == '<' ? 1 : *p == '>' ? -1 : 0;
        if (*p != '(' || depth > 0)
            continue;
        if (strncmp(p, anonymous, sizeof anonymous - 1) != 0)
            return p;
        p += sizeof anonymous - 2;
    }
    return name + strlen(name);
}

/* Behind the return type, which only function templates have: the last space that is outside template arguments and
   parentheses. */
static char *skip_return_type(char *name, const char *end) {
    int depth = 0;
    char *begin = name;
    for (char *p = name; p < end; p++) {
        depth += *p == '<' || *p == '(' ? 1 : *p == '>' || *p == ')' ? -1 : 0;
        if (depth == 0 && *p == ' ')
            begin = p + 1;
    }
    return begin;
}

/* Without "_Z", "f" would be taken for a type and become float. */
char *demangle_short(const char *symbol) {
    char *name = strncmp(symbol, "_Z", 2) == 0 ? demangle(symbol) : NULL;
    if (!name)
        return strdup(symbol);
    char *end = find_parameters(name), *begin = skip_return_type(name, end);
    char *copy = strndup(begin, (size_t)(end - begin));
    free(name);
    return copy;
}

/* "tile" of "...::tile", or of "...(float*)::tile". clang may make a variable of each member of a structure, and calls
   them "_ZZ1kvE3one.0" and so on. */
char *demangle_variable(const char *symbol) {
    char *whole = strndup(symbol, strcspn(symbol, "."));
    char *name = whole && strncmp(whole, "_Z", 2) == 0 ? demangle(whole) : NULL;
    if (!name)
        return whole;
    free(whole);
    char *end = name + strlen(name), *begin = end;
    while (begin > name && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    char *copy = strdup(begin < end ? begin : name);
    free(name);
    return copy;
}
