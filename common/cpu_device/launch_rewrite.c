#include "launch_rewrite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The dynamic shared window (scheduler.c). */
#define DYNAMIC_SHARED_SYMBOL "smem"

struct edit {
    size_t start, length; /* what is replaced; length 0 inserts */
    const char *text;
    char *own_text; /* the same when it is to be freed, or NULL */
};

enum { BUILT_INS = 4 };

struct rewriter {
    struct token_list list;
    struct edit *edits;
    size_t edit_count, edit_room;
    size_t renamed_to[BUILT_INS]; /* tokens before this one have been seen to */
};

/* ---- The kernel expression, read backwards from <<< ---- */

static bool is_name(const struct token_list *r, size_t at) {
    static const char *const keywords[] = {
        "if",    "else",   "for",      "while",     "do",       "switch",   "case",   "return",  "goto",   "new",
        "throw", "delete", "operator", "co_return", "co_yield", "co_await", "sizeof", "alignof", "typeid", NULL};
    return at != NONE && r->tokens[at].kind == IDENTIFIER &&
           !is_one_of(r->source + r->tokens[at].start, r->tokens[at].length, keywords);
}

/* The < that the run of > at `at` closes: as many levels as it has characters. */
static size_t template_opening(const struct token_list *r, size_t at) {
    size_t depth = 0;
    while (at != NONE) {
        if (is_closing(r, at)) {
            at = matching_opening(r, at);
            if (at == NONE)
                return NONE;
        } else if (is_opening(r, at) || token_is(r, at, ";")) {
            return NONE;
        } else if (run_of(r, at, '>')) {
            depth += run_of(r, at, '>');
        } else if (token_is(r, at, "<") && --depth == 0) {
            /* In k<a < b> this is the comparison; the bracket lies further back. */
            size_t name = previous_token(r, at);
            if (!token_is(r, name == NONE ? NONE : previous_token(r, name), "<"))
                return at;
            depth = 1;
        }
        at = previous_token(r, at);
    }
    return NONE;
}

/* In `if (x) (*f)<<<...`, the parentheses of the condition are no part of the kernel. */
static bool closes_a_condition(const struct token_list *r, size_t at) {
    if (!token_is(r, at, ")"))
        return false;
    size_t opening = matching_opening(r, at);
    size_t before = opening == NONE ? NONE : previous_token(r, opening);
    static const char *const words[] = {"if", "for", "while", "switch", "constexpr", NULL};
    return before != NONE && is_one_of(r->source + r->tokens[before].start, r->tokens[before].length, words);
}

/* First token of the postfix expression whose last token is `last`, or NONE. */
static size_t expression_start(const struct token_list *r, size_t last) {
    size_t at = last;
    for (;;) {
        /* One component: name, name<...>, (...), [...] */
        if (run_of(r, at, '>')) {
            size_t opening = template_opening(r, at);
            at = opening == NONE ? NONE : previous_token(r, opening);
            if (!is_name(r, at))
                return NONE;
        } else if (token_is(r, at, ")") || token_is(r, at, "]")) {
            bool is_index = token_is(r, at, "]");
            at = matching_opening(r, at);
            if (at == NONE)
                return NONE;
            size_t before = previous_token(r, at);
            bool applied = is_name(r, before) || token_is(r, before, "]") ||
                           (token_is(r, before, ")") && !closes_a_condition(r, before)) ||
                           (!is_index && run_of(r, before, '>'));
            if (applied) {
                at = before;
                continue;
            }
            return is_index ? NONE : at;
        } else if (!is_name(r, at)) {
            return NONE;
        }
        /* What ties it to the component before. */
        size_t before = previous_token(r, at);
        if (token_is(r, before, "template")) {
            at = before;
            before = previous_token(r, at);
        }
        if (token_is(r, before, "::")) {
            at = before;
            before = previous_token(r, at);
            if (!is_name(r, before) && !run_of(r, before, '>'))
                return at;
        } else if (!token_is(r, before, ".") && !token_is(r, before, "->") && !token_is(r, before, "##")) {
            return at;
        } else {
            before = previous_token(r, before);
        }
        at = before;
        if (at == NONE)
            return NONE;
    }
}

/* ---- Edits ---- */

static bool add_edit(struct rewriter *w, size_t start, size_t length, const char *text) {
    if (!token_grow(&w->list, (void **)&w->edits, &w->edit_room, w->edit_count, sizeof *w->edits))
        return false;
    w->edits[w->edit_count++] = (struct edit){start, length, text, NULL};
    return true;
}

/* Inserts a text that the rewriter then owns, whatever happens. */
static bool insert_own(struct rewriter *w, size_t start, char *text) {
    if (!text)
        return token_fail(&w->list, 1, "There is not enough memory to convert this file.");
    if (!add_edit(w, start, 0, text)) {
        free(text);
        return false;
    }
    w->edits[w->edit_count - 1].own_text = text;
    return true;
}

static bool replace_token(struct rewriter *w, size_t at, const char *text) {
    const struct token *t = &w->list.tokens[at];
    return add_edit(w, t->start, t->length, text);
}

/* The run of > that closes the launch at `at`, or NONE with an error. The last three of its characters count: v<T>>>>
   ends a template as well. */
static size_t launch_closing(struct token_list *r, size_t at) {
    unsigned line = r->tokens[at].line;
    for (size_t i = next_token(r, at); i != NONE; i = next_token(r, i)) {
        if (is_opening(r, i)) {
            i = matching_closing(r, i);
            if (i == NONE)
                break;
        } else if (is_closing(r, i) || token_is(r, i, ";") || run_of(r, i, '<') >= 3) {
            break;
        } else if (run_of(r, i, '>') >= 3) {
            size_t after = next_token(r, i);
            if (token_is(r, after, "("))
                return i;
            token_fail(r, r->tokens[i].line, "The launch has no argument list after >>>.");
            return NONE;
        }
    }
    token_fail(r, line, "The launch that begins here is not closed by >>> and an argument list.");
    return NONE;
}

/* Literal zeros lose their meaning as null pointers on the way through a deduced parameter; see launch.h. */
static bool mark_zero_arguments(struct rewriter *w, size_t opening, size_t closing) {
    const struct token_list *r = &w->list;
    size_t first = next_token(r, opening), last = NONE;
    size_t angles = 0; /* < seen and not closed: the comma may belong to a template */
    for (size_t i = first; i != NONE; i = next_token(r, i)) {
        if (i == closing || token_is(r, i, ",")) {
            bool alone = last != NONE && first == last && angles == 0;
            if (alone && (token_is(r, first, "0") || token_is(r, first, "NULL")) &&
                !replace_token(w, first, "::cpu_device::Zero()"))
                return false;
            if (i == closing)
                break;
            first = next_token(r, i);
            last = NONE;
            continue;
        }
        if (token_is(r, i, "<"))
            angles++;
        size_t closed = run_of(r, i, '>');
        angles -= closed < angles ? closed : angles;
        if (is_opening(r, i))
            i = matching_closing(r, i);
        last = i;
    }
    return true;
}

static bool rewrite_launch(struct rewriter *w, size_t at) {
    struct token_list *r = &w->list;
    unsigned line = r->tokens[at].line;
    size_t last = previous_token(r, at);
    size_t start = last == NONE ? NONE : expression_start(r, last);
    if (start == NONE)
        return token_fail(r, line, "There is no kernel that this converter understands before <<<.");
    size_t close = launch_closing(r, at);
    if (close == NONE)
        return false;
    if (next_token(r, at) == close)
        return token_fail(r, line, "The launch needs a grid and a block between <<< and >>>.");
    size_t opening = next_token(r, close);
    size_t closing = matching_closing(r, opening);
    if (closing == NONE)
        return token_fail(r, r->tokens[opening].line, "The argument list of the launch is never closed.");
    const struct token *chevrons = &r->tokens[at], *end = &r->tokens[close];
    return add_edit(w, r->tokens[start].start, 0, "CPU_DEVICE_LAUNCH(") &&
           add_edit(w, chevrons->start, chevrons->length, ").configure(") &&
           add_edit(w, end->start + end->length - 3, 3, ")") && mark_zero_arguments(w, opening, closing);
}

/* ---- Dynamic shared memory ---- */

static bool is_alignment(const struct token_list *r, size_t at) {
    static const char *const words[] = {"__align__", "alignas", "__attribute__", NULL};
    return is_one_of(r->source + r->tokens[at].start, r->tokens[at].length, words);
}

/* Blanks out `first` to `last`, token by token, so that every line stays. */
static bool remove_tokens(struct rewriter *w, size_t first, size_t last) {
    for (size_t at = first; at != NONE && at <= last; at = next_token(&w->list, at))
        if (!replace_token(w, at, ""))
            return false;
    return true;
}

/* One declarator with its bracket at `bracket`. In a body it becomes a reference, so that each function may give the
   window a type of its own; at file scope another name for the symbol. */
static bool rewrite_dynamic_array(struct rewriter *w, size_t bracket, size_t end, bool in_body) {
    const struct token *name = &w->list.tokens[previous_token(&w->list, bracket)];
    if (!in_body)
        return add_edit(w, w->list.tokens[end].start, 0, " __asm__(\"" DYNAMIC_SHARED_SYMBOL "\")");
    return add_edit(w, name->start, 0, "(&") && add_edit(w, name->start + name->length, 0, ")") &&
           add_edit(w, w->list.tokens[end].start, 0, " = ::cpu_device::DynamicShared()");
}

/* `at` is __shared__ in a declaration with extern; `extern_at` says where that stands. */
static bool rewrite_dynamic_shared(struct rewriter *w, size_t at, size_t extern_at) {
    const struct token_list *r = &w->list;
    size_t brace = enclosing_brace(r, at);
    while (brace != NONE && opens_namespace(r, brace))
        brace = enclosing_brace(r, brace);
    bool in_body = brace != NONE || r->tokens[at].region != 0;
    if (!replace_token(w, at, in_body ? "" : "__thread") || (in_body && !replace_token(w, extern_at, "")))
        return false;
    size_t bracket = NONE;
    for (size_t i = next_token(r, at > extern_at ? at : extern_at); i != NONE; i = next_token(r, i)) {
        bool ends = token_is(r, i, ";");
        if (bracket != NONE && (ends || token_is(r, i, ","))) {
            if (!rewrite_dynamic_array(w, bracket, i, in_body))
                return false;
            bracket = NONE;
        }
        if (ends)
            break;
        size_t closing = is_opening(r, i) ? matching_closing(r, i) : i;
        if (is_alignment(r, i) && in_body) { /* the window is aligned to 1024 bytes; a reference needs no more */
            closing = matching_closing(r, next_token(r, i));
            if (closing != NONE && !remove_tokens(w, i, closing))
                return false;
        }
        if (token_is(r, i, "[") && bracket == NONE)
            bracket = i;
        if (closing == NONE)
            break;
        i = closing;
    }
    return true;
}

/* The extern that belongs to the __shared__ at `at`: before or after it in one declaration. */
static size_t extern_of_shared(const struct token_list *r, size_t at) {
    static const char *const others[] = {"volatile", "const", "static", NULL};
    for (size_t i = previous_token(r, at); i != NONE; i = previous_token(r, i)) {
        if (token_is(r, i, "extern"))
            return i;
        if (!is_one_of(r->source + r->tokens[i].start, r->tokens[i].length, others))
            break;
    }
    size_t after = next_token(r, at);
    return token_is(r, after, "extern") ? after : NONE;
}

/* ---- cudaLaunchKernel ---- */

static size_t after(const struct token_list *r, size_t at, const char *text) {
    return token_is(r, at, text) ? next_token(r, at) : NONE;
}

/* The last token of a cast to [const] void * that begins at `at`, or NONE. */
static size_t end_of_void_cast(const struct token_list *r, size_t at) {
    bool named = token_is(r, at, "reinterpret_cast") || token_is(r, at, "static_cast");
    at = after(r, named ? next_token(r, at) : at, named ? "<" : "(");
    if (token_is(r, at, "const"))
        at = next_token(r, at);
    at = after(r, after(r, at, "void"), "*");
    return token_is(r, at, named ? ">" : ")") ? at : NONE;
}

/* cudaLaunchKernel((void *)kernel, ...): without the cast, the kernel's parameters are still known. */
static bool uncast_kernel(struct rewriter *w, size_t at) {
    const struct token_list *r = &w->list;
    size_t first = after(r, next_token(r, at), "(");
    size_t last = end_of_void_cast(r, first);
    return last == NONE || remove_tokens(w, first, last);
}

/* ---- __launch_bounds__ ---- */

static char *append(char *end, const char *text, size_t length) {
    memcpy(end, text, length);
    return end + length;
}

/* What stands between two brackets as one line: tokens with blanks between them. NULL when memory runs out. */
static char *tokens_between(const struct token_list *r, size_t opening, size_t closing, const char *before,
                            const char *behind) {
    size_t room = strlen(before) + strlen(behind) + 1;
    for (size_t i = next_token(r, opening); i != closing; i = next_token(r, i))
        room += r->tokens[i].length + 1;
    char *text = malloc(room);
    if (!text)
        return NULL;
    char *end = append(text, before, strlen(before));
    for (size_t i = next_token(r, opening); i != closing; i = next_token(r, i)) {
        end = append(end, r->source + r->tokens[i].start, r->tokens[i].length);
        if (next_token(r, i) != closing)
            *end++ = ' ';
    }
    append(end, behind, strlen(behind) + 1);
    return text;
}

/* Whether a line between two tokens begins with #: what stands there may then depend on a condition. */
static bool has_directive_between(const struct token_list *r, size_t from, size_t to) {
    bool line_start = false;
    for (size_t i = r->tokens[from].start; i < r->tokens[to].start; i++) {
        if (line_start && r->source[i] == '#')
            return true;
        line_start = r->source[i] == '\n' || (line_start && (r->source[i] == ' ' || r->source[i] == '\t'));
    }
    return false;
}

/* The name of a parameter stands before a comma, a bracket or the end. */
static bool names_parameter(const struct token_list *r, size_t at) {
    size_t after_it = next_token(r, at);
    return is_name(r, at) && (token_is(r, after_it, ",") || token_is(r, after_it, ")") || token_is(r, after_it, "[") ||
                              token_is(r, after_it, "="));
}

/* Whether a parameter between `from` and `to` hides a name of the arguments between two brackets. */
static bool is_hidden(const struct token_list *r, size_t opening, size_t closing, size_t from, size_t to) {
    for (size_t a = next_token(r, opening); a != closing; a = next_token(r, a))
        for (size_t b = next_token(r, from); is_name(r, a) && b != to; b = next_token(r, b))
            if (names_parameter(r, b) && r->tokens[a].length == r->tokens[b].length &&
                memcmp(r->source + r->tokens[a].start, r->source + r->tokens[b].start, r->tokens[a].length) == 0)
                return true;
    return false;
}

/* The brace of the function body that follows `at`, or NONE before a prototype's end. */
static size_t body_after(const struct token_list *r, size_t at) {
    for (size_t i = next_token(r, at); i != NONE && !token_is(r, i, ";") && !is_closing(r, i); i = next_token(r, i)) {
        if (token_is(r, i, "{"))
            return i;
        if (is_opening(r, i))
            i = matching_closing(r, i);
        if (i == NONE)
            break;
    }
    return NONE;
}

/* The kernel's body begins with a check of the launch (block.h). Without one stay prototypes, and what is not certain:
   a macro that holds only the bounds, bounds that may not be compiled, a parameter that hides a name in them. */
static bool check_launch_bounds(struct rewriter *w, size_t at) {
    const struct token_list *r = &w->list;
    size_t opening = after(r, at, "__launch_bounds__");
    size_t closing = token_is(r, opening, "(") ? matching_closing(r, opening) : NONE;
    size_t body = closing == NONE ? NONE : body_after(r, closing);
    if (body == NONE || next_token(r, opening) == closing || has_directive_between(r, at, body) ||
        is_hidden(r, opening, closing, closing, body))
        return true;
    return insert_own(w, r->tokens[body].start + 1,
                      tokens_between(r, opening, closing, " CPU_DEVICE_LAUNCH_BOUNDS(", ");"));
}

/* ---- Names that hide a built-in variable ---- */

/* threadIdx and its like are macros here, so a variable of that name, as in `dim3 blockDim(16, 16);`, gets another. */
static const char *const built_ins[BUILT_INS] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
static const char *const own_names[BUILT_INS] = {"own_threadIdx", "own_blockIdx", "own_blockDim", "own_gridDim"};

static size_t built_in_number(const struct token_list *r, size_t at) {
    size_t number = 0;
    while (number < BUILT_INS && !token_is(r, at, built_ins[number]))
        number++;
    return number;
}

static bool is_member(const struct token_list *r, size_t at) {
    size_t before = previous_token(r, at);
    return token_is(r, before, ".") || token_is(r, before, "->");
}

/* After a type, or as a further declarator: the built-in variable itself is never called or assigned to. */
static bool is_declared(const struct token_list *r, size_t at) {
    size_t before = previous_token(r, at), after_it = next_token(r, at);
    if (token_is(r, before, ","))
        return token_is(r, after_it, "(") || token_is(r, after_it, "{") || token_is(r, after_it, "=");
    return is_name(r, before);
}

/* The last token that sees what is declared at `at`: the end of the block, or of the body after a parameter list. */
static size_t end_of_scope(const struct token_list *r, size_t at) {
    size_t depth = 0;
    for (size_t i = at; i != NONE; i = next_token(r, i)) {
        if (token_is(r, i, "{"))
            depth++;
        else if (token_is(r, i, "(") || token_is(r, i, "["))
            i = matching_closing(r, i);
        else if (token_is(r, i, ")")) { /* of a parameter list: go on to its body */
            size_t body = i;
            while (body != NONE && !token_is(r, body, "{") && !token_is(r, body, ";"))
                body = next_token(r, body);
            return token_is(r, body, "{") ? matching_closing(r, body) : i;
        } else if (token_is(r, i, "}") && depth-- == 0)
            return i;
        if (i == NONE)
            break;
    }
    return NONE;
}

static bool rename_in_scope(struct rewriter *w, size_t at, size_t number) {
    const struct token_list *r = &w->list;
    size_t end = end_of_scope(r, at);
    for (size_t i = at; i != NONE && i <= end; i = next_token(r, i)) {
        if (token_is(r, i, built_ins[number]) && !replace_token(w, i, own_names[number]))
            return false;
        w->renamed_to[number] = i + 1;
    }
    return true;
}

static bool rename_built_in(struct rewriter *w, size_t at) {
    size_t number = built_in_number(&w->list, at);
    if (number == BUILT_INS || at < w->renamed_to[number])
        return true;
    if (is_member(&w->list, at))
        return replace_token(w, at, own_names[number]);
    return !is_declared(&w->list, at) || rename_in_scope(w, at, number);
}

/* ---- All together ---- */

static bool collect_edits(struct rewriter *w) {
    struct token_list *r = &w->list;
    for (size_t i = 0; i < r->token_count; i++) {
        size_t chevrons = run_of(r, i, '<');
        bool ok = true;
        if (chevrons > 3)
            ok = token_fail(r, r->tokens[i].line, "Four or more < in a row are no launch.");
        else if (chevrons == 3)
            ok = rewrite_launch(w, i);
        else if (token_is(r, i, "__shared__") && extern_of_shared(r, i) != NONE)
            ok = rewrite_dynamic_shared(w, i, extern_of_shared(r, i));
        else if (token_is(r, i, "cudaLaunchKernel"))
            ok = uncast_kernel(w, i);
        else if (token_is(r, i, "__launch_bounds__"))
            ok = check_launch_bounds(w, i);
        else
            ok = rename_built_in(w, i);
        if (!ok)
            return false;
    }
    return true;
}

static int compare_edits(const void *a, const void *b) {
    size_t left = ((const struct edit *)a)->start, right = ((const struct edit *)b)->start;
    return left < right ? -1 : left > right;
}

static char *apply_edits(struct rewriter *w, const char *path, size_t *result_length) {
    static const char line_start[] = "#line 1 \"", line_end[] = "\"\n";
    if (w->edit_count > 0)
        qsort(w->edits, w->edit_count, sizeof *w->edits, compare_edits);
    size_t room = sizeof line_start + sizeof line_end + 2 * strlen(path) + w->list.length + 1;
    for (size_t i = 0; i < w->edit_count; i++)
        room += strlen(w->edits[i].text);
    char *result = malloc(room), *end = result;
    if (!result) {
        token_fail(&w->list, 1, "There is not enough memory to convert this file.");
        return NULL;
    }
    end = append(end, line_start, sizeof line_start - 1);
    for (const char *c = path; *c; c++) {
        if (*c == '"' || *c == '\\')
            *end++ = '\\';
        *end++ = *c;
    }
    end = append(end, line_end, sizeof line_end - 1);
    size_t copied = 0;
    for (size_t i = 0; i < w->edit_count; i++) {
        const struct edit *edit = &w->edits[i];
        end = append(end, w->list.source + copied, edit->start - copied);
        end = append(end, edit->text, strlen(edit->text));
        copied = edit->start + edit->length;
    }
    end = append(end, w->list.source + copied, w->list.length - copied);
    *end = '\0';
    *result_length = (size_t)(end - result);
    return result;
}

char *rewrite_launches(const char *source, size_t length, const char *path, size_t *result_length,
                       struct rewrite_error *error) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (length >= 3 && memcmp(source, byte_order_mark, 3) == 0) {
        /* Compilers accept it at the very start only, and #line goes there. */
        source += 3;
        length -= 3;
    }
    struct rewriter w = {.list = {.source = source, .length = length, .line = 1, .error = error}};
    char *result = NULL;
    if (read_all_tokens(&w.list) && collect_edits(&w))
        result = apply_edits(&w, path, result_length);
    free_tokens(&w.list);
    for (size_t i = 0; i < w.edit_count; i++)
        free(w.edits[i].own_text);
    free(w.edits);
    return result;
}
