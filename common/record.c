/* Record files: RFC 4180 CSV (quoted where needed) and JSON, hand-written because the format is one flat struct.
 *
 * One table, `columns`, drives reading and writing, so that both always agree on names, order and types. All numbers
 * pass through the "C" locale: a record written under a locale with decimal commas reads back anywhere.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The columns --------------------------------------------------------------------------------------------------
 */

typedef enum { TEXT, INTEGER, NUMBER } column_type;

typedef struct column {
    const char *name;
    column_type type;
    size_t offset, size; /* of the member in gemm_record, bytes */
} column;

#define FIELD(member, type)                                                                                            \
    { #member, type, offsetof(gemm_record, member), sizeof(((gemm_record *)0)->member) }

static const column columns[] = {
    FIELD(stage, TEXT),
    FIELD(kernel, TEXT),
    FIELD(dtype, TEXT),
    FIELD(acc, TEXT),
    FIELD(m, INTEGER),
    FIELD(n, INTEGER),
    FIELD(k, INTEGER),
    FIELD(alpha, NUMBER),
    FIELD(beta, NUMBER),
    FIELD(init, TEXT),
    FIELD(l2, TEXT),
    FIELD(protocol, TEXT),
    FIELD(samples, INTEGER),
    FIELD(time_us, NUMBER),
    FIELD(time_lo_us, NUMBER),
    FIELD(time_hi_us, NUMBER),
    FIELD(tflops, NUMBER),
    FIELD(util_unit, NUMBER),
    FIELD(util_top, NUMBER),
    FIELD(speedup, NUMBER),
    FIELD(baseline, TEXT),
    FIELD(baseline_tflops, NUMBER),
    FIELD(ratio, NUMBER),
    FIELD(ratio_lo, NUMBER),
    FIELD(ratio_hi, NUMBER),
    FIELD(status, TEXT),
    FIELD(reason, TEXT),
    FIELD(max_err, NUMBER),
    FIELD(err_bound, NUMBER),
    FIELD(regs, NUMBER),
    FIELD(smem_bytes, NUMBER),
    FIELD(occupancy, NUMBER),
    FIELD(sm_clock_mhz, NUMBER),
    FIELD(power_w, NUMBER),
    FIELD(temp_c, NUMBER),
    FIELD(gpu, TEXT),
    FIELD(driver, TEXT),
    FIELD(toolkit, TEXT),
    FIELD(cublas, TEXT),
    FIELD(commit, TEXT),
    FIELD(date, TEXT),
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

/* A row of honest data is about 500 bytes; a field beyond this is an unclosed quote or not a record file. */
enum { MAX_FIELD = 4096 };

static const char *text_of(const gemm_record *record, const column *c) { return (const char *)record + c->offset; }

static double number_of(const gemm_record *record, const column *c) {
    double value;
    memcpy(&value, (const char *)record + c->offset, sizeof value);
    return value;
}

static int64_t integer_of(const gemm_record *record, const column *c) {
    int64_t value;
    memcpy(&value, (const char *)record + c->offset, sizeof value);
    return value;
}

/* ---- Small helpers ------------------------------------------------------------------------------------------------
 */

static int fail(char *error, size_t error_size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int fail(char *error, size_t error_size, const char *format, ...) {
    if (error && error_size > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error, error_size, format, arguments);
        va_end(arguments);
    }
    return -1;
}

/* The calling thread's number format until it is given back: other threads of the program keep theirs. */
typedef struct plain_numbers {
    locale_t c_locale, previous;
} plain_numbers;

static plain_numbers plain_numbers_begin(void) {
    plain_numbers scope = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (scope.c_locale)
        scope.previous = uselocale(scope.c_locale);
    return scope;
}

static void plain_numbers_end(plain_numbers scope) {
    if (!scope.c_locale)
        return;
    uselocale(scope.previous);
    freelocale(scope.c_locale);
}

/* ---- The list -----------------------------------------------------------------------------------------------------
 */

void record_clear(gemm_record *record) {
    memset(record, 0, sizeof *record);
    const double unknown = NAN;
    for (size_t i = 0; i < COLUMN_COUNT; ++i)
        if (columns[i].type == NUMBER)
            memcpy((char *)record + columns[i].offset, &unknown, sizeof unknown);
}

int record_push(record_list *list, const gemm_record *record) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        gemm_record *rows = realloc(list->rows, capacity * sizeof *rows);
        if (!rows)
            return -1;
        list->rows = rows;
        list->capacity = capacity;
    }
    list->rows[list->count++] = *record;
    return 0;
}

void record_list_free(record_list *list) {
    free(list->rows);
    *list = (record_list){0};
}

/* ---- Speedups -----------------------------------------------------------------------------------------------------
 */

static int passed_and_timed(const gemm_record *r) {
    return strcmp(r->status, "pass") == 0 && isfinite(r->time_us) && r->time_us > 0;
}

static int same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Whether two rows answered the same question on the same machine, so that their times may be divided. */
static int comparable(const gemm_record *a, const gemm_record *b) {
    return a->m == b->m && a->n == b->n && a->k == b->k && same_number(a->alpha, b->alpha) &&
           same_number(a->beta, b->beta) && strcmp(a->dtype, b->dtype) == 0 && strcmp(a->init, b->init) == 0 &&
           strcmp(a->l2, b->l2) == 0 && strcmp(a->protocol, b->protocol) == 0 && strcmp(a->gpu, b->gpu) == 0;
}

static const gemm_record *speedup_base(const record_list *list, const gemm_record *row) {
    for (size_t i = 0; i < list->count; ++i) {
        const gemm_record *base = &list->rows[i];
        if (strcmp(base->stage, "01_naive") == 0 && strcmp(base->kernel, "coalesced") == 0 && passed_and_timed(base) &&
            comparable(base, row))
            return base;
    }
    return NULL;
}

void record_fill_speedups(record_list *list) {
    for (size_t i = 0; i < list->count; ++i) {
        gemm_record *row = &list->rows[i];
        const gemm_record *base = passed_and_timed(row) ? speedup_base(list, row) : NULL;
        row->speedup = base ? base->time_us / row->time_us : NAN;
    }
}

/* ---- Reading CSV --------------------------------------------------------------------------------------------------
 */

typedef struct reader {
    FILE *file;
    const char *path;
    long line;     /* of the character to be read next, from 1 */
    long row_line; /* where the current row began */
    char *error;
    size_t error_size;
    int salvage; /* keep the rows before the damage, and trust no last line that was not ended */
} reader;

typedef enum { FIELD_END, ROW_END, FILE_END, BAD } token;

/* Takes "\r\n" and "\n" alike: a file that passed through another system still reads. */
static int next_char(reader *in) {
    int c = getc(in->file);
    if (c == '\r') {
        int after = getc(in->file);
        if (after == '\n')
            c = after;
        else if (after != EOF)
            ungetc(after, in->file);
    }
    if (c == '\n')
        ++in->line;
    return c;
}

static token bad(const reader *in, const char *what) {
    fail(in->error, in->error_size, "%s:%ld: %s", in->path, in->row_line, what);
    return BAD;
}

static token end_of(int c) { return c == ',' ? FIELD_END : c == '\n' ? ROW_END : FILE_END; }

/* Reads one field without its quotes into `text` and says what ended it. */
static token read_field(reader *in, char text[MAX_FIELD]) {
    size_t length = 0;
    int c = next_char(in);
    const int quoted = c == '"';
    if (quoted)
        c = next_char(in);
    for (;; c = next_char(in)) {
        if (quoted && c == EOF)
            return bad(in, "a quoted field has no closing quote; the file was cut off or edited");
        if (quoted && c == '"') {
            c = next_char(in);
            if (c != '"') {
                text[length] = '\0';
                return c == ',' || c == '\n' || c == EOF ? end_of(c) : bad(in, "text after a closing quote");
            }
        } else if (!quoted && (c == ',' || c == '\n' || c == EOF)) {
            text[length] = '\0';
            return end_of(c);
        } else if (c == '\0' || (!quoted && c == '"')) {
            return bad(in, c ? "a quote inside an unquoted field" : "a NUL byte; this is not a text file");
        }
        if (length + 1 == MAX_FIELD)
            return bad(in, "a field is longer than any record's; is a quote unclosed?");
        text[length++] = (char)c;
    }
}

static int bad_field(const reader *in, const column *c, const char *text, const char *rule) {
    return fail(in->error, in->error_size, "%s:%ld: column %s holds \"%.60s\"; %s", in->path, in->row_line, c->name,
                text, rule);
}

static int parse_integer(const reader *in, const column *c, const char *text, void *member) {
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return bad_field(in, c, text, "it must be a whole number, 0 or more");
    const int64_t stored = value;
    memcpy(member, &stored, sizeof stored);
    return 0;
}

/* Empty is unknown; "inf" is a measured error without limit. Spelled-out NaN and hexadecimal are nobody's output. */
static int parse_number(const reader *in, const column *c, const char *text, void *member) {
    double value = NAN;
    if (*text) {
        char *end;
        const int plain = text[strspn(text, "+-.0123456789eE")] == '\0';
        value = strtod(text, &end);
        if (*end || !(plain || strcmp(text, "inf") == 0))
            return bad_field(in, c, text, "it must be a number with a decimal point, or empty when unknown");
    }
    memcpy(member, &value, sizeof value);
    return 0;
}

static int parse_text(const reader *in, const column *c, const char *text, void *member) {
    const size_t length = strlen(text);
    if (length >= c->size)
        return bad_field(in, c, text, "it is longer than this column allows");
    memcpy(member, text, length + 1);
    return 0;
}

static int parse_field(const reader *in, const column *c, const char *text, gemm_record *record) {
    void *member = (char *)record + c->offset;
    if (c->type == TEXT)
        return parse_text(in, c, text, member);
    return c->type == INTEGER ? parse_integer(in, c, text, member) : parse_number(in, c, text, member);
}

static int check_row(const reader *in, const gemm_record *record) {
    if (strcmp(record->status, "pass") && strcmp(record->status, "fail") && strcmp(record->status, "skip"))
        return fail(in->error, in->error_size, "%s:%ld: status is \"%.20s\"; it must be pass, fail or skip", in->path,
                    in->row_line, record->status);
    return 0;
}

/* Reads the row that starts now. Returns 1, 0 at the end of the file (blank lines are skipped), or -1. */
static int read_row(reader *in, gemm_record *record) {
    char text[MAX_FIELD];
    record_clear(record);
    in->row_line = in->line;
    for (size_t i = 0;; ++i) {
        const token ended = read_field(in, text);
        if (ended == BAD)
            return -1;
        if (i == 0 && ended != FIELD_END && text[0] == '\0') {
            if (ended == FILE_END)
                return 0;
            in->row_line = in->line;
            i = (size_t)-1;
            continue;
        }
        if (in->salvage && ended == FILE_END)
            return fail(in->error, in->error_size, "%s:%ld: the last row is cut off", in->path, in->row_line);
        if (parse_field(in, &columns[i], text, record))
            return -1;
        if (i + 1 == COLUMN_COUNT && ended != FIELD_END)
            return check_row(in, record) ? -1 : 1;
        if (i + 1 == COLUMN_COUNT || ended != FIELD_END)
            return fail(in->error, in->error_size, "%s:%ld: the row has %s than %d fields", in->path, in->row_line,
                        ended == FIELD_END ? "more" : "fewer", (int)COLUMN_COUNT);
    }
}

static void skip_byte_order_mark(FILE *file) {
    char mark[3];
    if (fread(mark, 1, sizeof mark, file) != sizeof mark || memcmp(mark, "\xEF\xBB\xBF", sizeof mark) != 0)
        rewind(file);
}

static int read_header(reader *in) {
    char text[MAX_FIELD];
    for (size_t i = 0; i < COLUMN_COUNT; ++i) {
        const token ended = read_field(in, text);
        if (ended == BAD)
            return -1;
        if (strcmp(text, columns[i].name) != 0)
            return fail(in->error, in->error_size,
                        "%s:1: column %zu is \"%.40s\" where a record file has \"%s\"; is this a record file?",
                        in->path, i + 1, text, columns[i].name);
        if ((ended == FIELD_END) != (i + 1 < COLUMN_COUNT))
            return fail(in->error, in->error_size, "%s:1: the header has %s columns than a record file's %d", in->path,
                        ended == FIELD_END ? "more" : "fewer", (int)COLUMN_COUNT);
    }
    return 0;
}

static int read_rows(reader *in, record_list *list) {
    const size_t before = list->count;
    gemm_record record;
    int got;
    while ((got = read_row(in, &record)) > 0)
        if (record_push(list, &record)) {
            got = fail(in->error, in->error_size, "%s: out of memory", in->path);
            break;
        }
    if (got == 0 && ferror(in->file))
        got = fail(in->error, in->error_size, "%s: cannot read it: %s", in->path, strerror(errno));
    if (got < 0 && !in->salvage)
        list->count = before;
    return got;
}

/* Opens the file and reads its header. An unreadable, empty or foreign file: -1 with a sentence, and nothing open. */
static int open_reader(reader *in) {
    struct stat status;
    if (stat(in->path, &status) == 0 && S_ISDIR(status.st_mode))
        return fail(in->error, in->error_size, "%s is a directory, not a record file", in->path);
    in->file = fopen(in->path, "rb");
    if (!in->file)
        return fail(in->error, in->error_size, "cannot read %s: %s", in->path, strerror(errno));
    const int first = getc(in->file);
    int result;
    if (first == EOF) {
        result = fail(in->error, in->error_size, "%s is empty; a record file has a header", in->path);
    } else {
        ungetc(first, in->file);
        skip_byte_order_mark(in->file);
        result = read_header(in);
    }
    if (result != 0)
        fclose(in->file);
    return result;
}

static int read_csv(reader *in, record_list *list) {
    const plain_numbers scope = plain_numbers_begin();
    int result = open_reader(in);
    if (result == 0) {
        result = read_rows(in, list);
        fclose(in->file);
    }
    plain_numbers_end(scope);
    return result;
}

int record_read_csv(const char *path, record_list *list, char *error, size_t error_size) {
    return read_csv(&(reader){NULL, path, 1, 1, error, error_size, 0}, list);
}

int record_salvage_csv(const char *path, record_list *list, char *error, size_t error_size) {
    return read_csv(&(reader){NULL, path, 1, 1, error, error_size, 1}, list);
}

int record_check_header(const char *path, char *error, size_t error_size) {
    reader in = {NULL, path, 1, 1, error, error_size, 0};
    const int result = open_reader(&in);
    if (result == 0)
        fclose(in.file);
    return result;
}

/* ---- Writing CSV --------------------------------------------------------------------------------------------------
 */

void record_put_text(FILE *out, const char *text) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; ++text) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void put_number(FILE *out, double value, const char *unknown) {
    if (isnan(value))
        fputs(unknown, out);
    else
        fprintf(out, "%.9g", value);
}

static void put_csv_row(FILE *out, const gemm_record *record) {
    for (size_t i = 0; i < COLUMN_COUNT; ++i) {
        const column *c = &columns[i];
        if (i)
            putc(',', out);
        if (c->type == TEXT)
            record_put_text(out, text_of(record, c));
        else if (c->type == INTEGER)
            fprintf(out, "%" PRId64, integer_of(record, c));
        else
            put_number(out, number_of(record, c), "");
    }
    putc('\n', out);
}

static void put_csv_header(FILE *out) {
    for (size_t i = 0; i < COLUMN_COUNT; ++i)
        fprintf(out, "%s%s", i ? "," : "", columns[i].name);
    putc('\n', out);
}

static void put_csv(FILE *out, const record_list *list) {
    put_csv_header(out);
    for (size_t i = 0; i < list->count; ++i)
        put_csv_row(out, &list->rows[i]);
}

/* ---- Writing JSON -------------------------------------------------------------------------------------------------
 */

/* Bytes of the well-formed UTF-8 sequence at `s`, or 0: a reason cut at its limit may end inside a character. */
static int utf8_length(const unsigned char *s) {
    const int length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    for (int i = 1; i < length; ++i)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

void record_put_json_text(FILE *out, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    putc('"', out);
    while (*s) {
        const int length = utf8_length(s);
        if (length == 0)
            fputs("\\ufffd", out);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s < 0x20)
            fprintf(out, "\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)length, out);
        s += length ? length : 1;
    }
    putc('"', out);
}

static void put_json(FILE *out, const record_list *list) {
    fputs("[", out);
    for (size_t i = 0; i < list->count; ++i) {
        fputs(i ? ",\n {" : "\n {", out);
        for (size_t j = 0; j < COLUMN_COUNT; ++j) {
            const column *c = &columns[j];
            fprintf(out, "%s\"%s\": ", j ? ", " : "", c->name);
            if (c->type == TEXT)
                record_put_json_text(out, text_of(&list->rows[i], c));
            else if (c->type == INTEGER)
                fprintf(out, "%" PRId64, integer_of(&list->rows[i], c));
            else /* JSON has no infinity */
                put_number(out, isfinite(number_of(&list->rows[i], c)) ? number_of(&list->rows[i], c) : NAN, "null");
        }
        putc('}', out);
    }
    fputs(list->count ? "\n]\n" : "]\n", out);
}

/* ---- Files --------------------------------------------------------------------------------------------------------
 */

typedef void put_function(FILE *out, const record_list *list);

/* Renders into memory first, so that a file is touched only once its whole text exists. NULL: out of memory. */
static char *render(put_function *put, const record_list *list, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    const plain_numbers scope = plain_numbers_begin();
    put(out, list);
    plain_numbers_end(scope);
    const int broken = ferror(out);
    if (fclose(out) != 0 || broken) {
        free(text);
        return NULL;
    }
    return text;
}

static int write_all(int fd, const char *text, size_t size) {
    while (size > 0) {
        const ssize_t written = write(fd, text, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -1;
        text += written;
        size -= (size_t)written;
    }
    return 0;
}

static mode_t new_file_mode(void) {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Writes a temporary file beside `target` and renames it: readers see the old file or the new one, whole. */
static int replace_file(const char *target, const char *text, size_t size, mode_t mode) {
    char *temporary = NULL;
    if (asprintf(&temporary, "%s.XXXXXX", target) < 0)
        return -1;
    int result = -1;
    const int fd = mkstemp(temporary);
    if (fd >= 0) {
        result = write_all(fd, text, size) || fchmod(fd, mode) || fsync(fd) ? -1 : 0;
        int saved = errno;
        if (close(fd) != 0 && result == 0) {
            saved = errno;
            result = -1;
        }
        if (result == 0 && rename(temporary, target) != 0) {
            saved = errno;
            result = -1;
        }
        if (result != 0)
            unlink(temporary);
        errno = saved;
    }
    free(temporary);
    return result;
}

/* Renaming over a file asks only its directory's permission; the file's own wish counts here, for root too. */
static int may_write(const char *path, const struct stat *status) {
    if (S_ISREG(status->st_mode) && (status->st_mode & 0222) == 0) {
        errno = EACCES;
        return -1;
    }
    return access(path, W_OK);
}

static int probe_directory(const char *directory) {
    char *temporary = NULL;
    if (asprintf(&temporary, "%s/.ladder.XXXXXX", directory) < 0)
        return -1;
    const int fd = mkstemp(temporary);
    const int saved = errno;
    if (fd >= 0) {
        close(fd);
        unlink(temporary);
    }
    free(temporary);
    errno = saved;
    return fd >= 0 ? 0 : -1;
}

/* Probes the directory of `path`, or the nearest above it that exists. */
static int probe_parent(const char *path) {
    char *directory = strdup(path);
    const char *name = NULL;
    while (directory && (!name || (access(name, F_OK) != 0 && errno == ENOENT))) {
        char *slash = strrchr(directory, '/');
        if (slash)
            *slash = '\0';
        name = !slash ? "." : *directory ? directory : "/";
    }
    const int result = name ? probe_directory(name) : -1;
    const int saved = errno;
    free(directory);
    errno = saved;
    return result;
}

int record_can_replace_file(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0)
        return errno == ENOENT ? probe_parent(path) : -1;
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(status.st_mode))
        return may_write(path, &status);
    char *target = may_write(path, &status) == 0 ? realpath(path, NULL) : NULL;
    const int result = target ? probe_parent(target) : -1;
    free(target);
    return result;
}

/* A pipe or a terminal cannot be replaced, only written; a symbolic link keeps pointing where it points. */
int record_replace_file(const char *path, const char *text, size_t size) {
    struct stat status;
    if (stat(path, &status) != 0)
        return replace_file(path, text, size, new_file_mode());
    if (!S_ISREG(status.st_mode)) {
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            return -1;
        const int result = write_all(fd, text, size);
        return close(fd) != 0 ? -1 : result;
    }
    char *target = may_write(path, &status) == 0 ? realpath(path, NULL) : NULL;
    if (!target)
        return -1;
    const int result = replace_file(target, text, size, status.st_mode & 07777);
    free(target);
    return result;
}

int record_replace_by(const char *path, void (*put)(FILE *out), char *error, size_t error_size) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out)
        put(out);
    const int made = out && fclose(out) == 0;
    const int result = made ? record_replace_file(path, text, size) : -1;
    if (result != 0)
        fail(error, error_size, "%s could not be written: %s", path, strerror(errno));
    free(text);
    return result;
}

int record_has_header(const char *path, const char *header) {
    char *line = NULL;
    size_t capacity = 0;
    FILE *f = fopen(path, "r");
    const ssize_t length = f ? getline(&line, &capacity, f) : -1;
    const int has = length > 0 && line[length - 1] == '\n' && (size_t)length == strlen(header) + 1 &&
                    strncmp(line, header, strlen(header)) == 0;
    free(line);
    if (f)
        fclose(f);
    return has;
}

void record_label(const gemm_record *row, char *label, size_t size) {
    snprintf(label, size, "%s,%s,%s,%lld,%lld,%lld", row->stage, row->kernel, row->dtype, (long long)row->m,
             (long long)row->n, (long long)row->k);
}

static int write_file(put_function *put, const char *path, const record_list *list, char *error, size_t error_size) {
    size_t size = 0;
    char *text = render(put, list, &size);
    if (!text)
        return fail(error, error_size, "cannot write %s: out of memory", path);
    const int result = record_replace_file(path, text, size);
    if (result != 0)
        fail(error, error_size, "cannot write %s: %s; what was there is unchanged", path, strerror(errno));
    free(text);
    return result;
}

int record_write_csv(const char *path, const record_list *list, char *error, size_t error_size) {
    return write_file(put_csv, path, list, error, error_size);
}

int record_write_json(const char *path, const record_list *list, char *error, size_t error_size) {
    return write_file(put_json, path, list, error, error_size);
}

void record_print_csv(FILE *out, const record_list *list) {
    const plain_numbers scope = plain_numbers_begin();
    put_csv(out, list);
    plain_numbers_end(scope);
}

/* Returns 1 for an empty file, 0 for one that holds our columns and ends with a whole line, -1 with an error. */
static int check_before_append(const char *path, char *error, size_t error_size) {
    reader in = {fopen(path, "rb"), path, 1, 1, error, error_size, 0};
    if (!in.file)
        return fail(error, error_size, "cannot read %s: %s", path, strerror(errno));
    int result = 0;
    if (fseek(in.file, -1, SEEK_END) != 0) {
        result = 1;
    } else if (getc(in.file) != '\n') {
        result = fail(error, error_size, "%s: its last row is cut off; nothing was appended", path);
    } else {
        rewind(in.file);
        skip_byte_order_mark(in.file);
        result = read_header(&in);
    }
    fclose(in.file);
    return result;
}

/* One write at the end of the file; a short one is taken back, so that a full disk leaves the rows before intact. */
static int append_text(const char *path, const char *text, size_t size) {
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    struct stat before;
    int result = fstat(fd, &before);
    if (result == 0)
        result = write_all(fd, text, size);
    int saved = errno;
    if (result != 0 && S_ISREG(before.st_mode) && ftruncate(fd, before.st_size) != 0)
        saved = errno;
    if (close(fd) != 0 && result == 0) {
        saved = errno;
        result = -1;
    }
    errno = saved;
    return result;
}

int record_append_csv(const char *path, const record_list *list, char *error, size_t error_size) {
    struct stat status;
    int with_header = 1;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
        with_header = check_before_append(path, error, error_size);
    if (with_header < 0)
        return -1;
    size_t size = 0;
    char *text = render(put_csv, list, &size);
    if (!text)
        return fail(error, error_size, "cannot append to %s: out of memory", path);
    const size_t skip = with_header ? 0 : (size_t)(strchr(text, '\n') - text) + 1;
    const int result = append_text(path, text + skip, size - skip);
    if (result != 0)
        fail(error, error_size, "cannot append to %s: %s", path, strerror(errno));
    free(text);
    return result;
}
