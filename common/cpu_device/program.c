#define _GNU_SOURCE
#include "program.h"

#include "tool.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SELF "/proc/self/exe"

/* ---- Segments ---- */

struct segments {
    uintptr_t base;
    struct program_range thread_local_data, data, image;
};

static void include_range(struct program_range *range, uintptr_t begin, uintptr_t end) {
    if (!range->begin || begin < range->begin)
        range->begin = begin;
    if (end > range->end)
        range->end = end;
}

/* The first object is the program itself. */
static int read_segments(struct dl_phdr_info *info, size_t size, void *result) {
    (void)size;
    struct segments *s = result;
    s->base = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_TLS) {
            s->thread_local_data.begin = (uintptr_t)info->dlpi_tls_data;
            s->thread_local_data.end = s->thread_local_data.begin + p->p_memsz;
        }
        const uintptr_t begin = info->dlpi_addr + p->p_vaddr, end = begin + p->p_memsz;
        if (p->p_type == PT_LOAD)
            include_range(&s->image, begin, end);
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W))
            include_range(&s->data, begin, end);
    }
    return 1;
}

static struct segments segments(void) {
    struct segments s = {0};
    dl_iterate_phdr(read_segments, &s);
    return s;
}

uintptr_t program_base(void) { return segments().base; }
struct program_range program_thread_local(void) {
    return segments().thread_local_data;
}
struct program_range program_data(void) {
    return segments().data;
}
struct program_range program_image(void) {
    return segments().image;
}

/* ---- Symbols and sections, read once from the program's file ---- */

static struct {
    const char *file; /* mapped */
    size_t size;
    const ElfW(Sym) * symbols;
    size_t symbol_count;
    const char *names;
    const ElfW(Shdr) * sections;
    size_t section_count;
    const char *section_names;
} elf;

/* A section's content; NULL when the file is cut short. */
static const void *content(const ElfW(Shdr) * section) {
    return section->sh_offset <= elf.size && section->sh_size <= elf.size - section->sh_offset
               ? elf.file + section->sh_offset
               : NULL;
}

static void find_symbols(void) {
    for (size_t i = 0; i < elf.section_count; i++) {
        const ElfW(Shdr) *s = &elf.sections[i];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= elf.section_count)
            continue;
        elf.symbols = content(s);
        elf.names = content(&elf.sections[s->sh_link]);
        elf.symbol_count = elf.symbols && elf.names ? s->sh_size / sizeof(ElfW(Sym)) : 0;
    }
}

static void map_program(void) {
    int fd = open(SELF, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_size > (off_t)sizeof(ElfW(Ehdr))) {
        void *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            elf.file = file;
            elf.size = (size_t)status.st_size;
        }
    }
    close(fd);
    const ElfW(Ehdr) *header = (const void *)elf.file;
    if (!header || header->e_shoff > elf.size || header->e_shnum * sizeof(ElfW(Shdr)) > elf.size - header->e_shoff ||
        header->e_shstrndx >= header->e_shnum)
        return;
    elf.sections = (const void *)(elf.file + header->e_shoff);
    elf.section_names = content(&elf.sections[header->e_shstrndx]);
    elf.section_count = elf.section_names ? header->e_shnum : 0;
    find_symbols();
}

static void need_elf(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, map_program);
}

const char *program_function(const void *address) {
    need_elf();
    uintptr_t value = (uintptr_t)address - program_base();
    for (size_t i = 0; i < elf.symbol_count; i++)
        if (elf.symbols[i].st_value == value && ELF64_ST_TYPE(elf.symbols[i].st_info) == STT_FUNC)
            return elf.names + elf.symbols[i].st_name;
    return NULL;
}

struct program_object program_shared_object(size_t offset) {
    need_elf();
    for (size_t i = 0; i < elf.symbol_count; i++) {
        const ElfW(Sym) *s = &elf.symbols[i];
        if (ELF64_ST_TYPE(s->st_info) == STT_TLS && offset >= s->st_value && offset - s->st_value < s->st_size)
            return (struct program_object){elf.names + s->st_name, s->st_value, s->st_size};
    }
    return (struct program_object){0};
}

static bool has_suffix(const char *text, const char *suffix) {
    size_t length = strlen(text), tail = strlen(suffix);
    return length >= tail && strcmp(text + length - tail, suffix) == 0;
}

static bool is_shared_array(const char *file, const char *name, const ElfW(Sym) * s) {
    static const char own[] = "cpu_device_";
    return ELF64_ST_TYPE(s->st_info) == STT_TLS && s->st_size > 0 && strncmp(name, own, sizeof own - 1) != 0 &&
           !(ELF64_ST_BIND(s->st_info) == STB_LOCAL && has_suffix(file, ".c"));
}

/* Local symbols follow the name of the file that they come from. */
void program_each_shared_array(void (*visit)(const struct program_object *object, void *context), void *context) {
    need_elf();
    const char *file = "";
    for (size_t i = 0; i < elf.symbol_count; i++) {
        const ElfW(Sym) *s = &elf.symbols[i];
        const char *name = elf.names + s->st_name;
        if (ELF64_ST_TYPE(s->st_info) == STT_FILE)
            file = name;
        else if (is_shared_array(file, name, s))
            visit(&(struct program_object){name, s->st_value, s->st_size}, context);
    }
}

/* See __constant__ in cuda_runtime.h. */
static bool holds_constants(const ElfW(Shdr) * section) {
    static const char prefix[] = "cpu_device_constant";
    return strncmp(elf.section_names + section->sh_name, prefix, sizeof prefix - 1) == 0;
}

struct program_range program_constants(void) {
    struct program_range range = {0, 0};
    uintptr_t base = program_base();
    need_elf();
    for (size_t i = 0; i < elf.section_count; i++) {
        const ElfW(Shdr) *s = &elf.sections[i];
        if (!holds_constants(s))
            continue;
        uintptr_t begin = base + s->sh_addr, end = begin + s->sh_size;
        if (range.end == 0 || begin < range.begin)
            range.begin = begin;
        if (end > range.end)
            range.end = end;
    }
    return range;
}

bool program_is_constant(uintptr_t address) {
    need_elf();
    uintptr_t value = address - program_base();
    for (size_t i = 0; i < elf.section_count; i++) {
        const ElfW(Shdr) *s = &elf.sections[i];
        if (value >= s->sh_addr && value - s->sh_addr < s->sh_size && holds_constants(s))
            return true;
    }
    return false;
}

static uint64_t begin_of_function(uint64_t address) {
    need_elf();
    uint64_t begin = 0;
    for (size_t i = 0; i < elf.symbol_count; i++) {
        const ElfW(Sym) *s = &elf.symbols[i];
        if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_value <= address && s->st_value > begin)
            begin = s->st_value;
    }
    return begin;
}

/* The end of the function that contains `address`: where the next one begins. */
static uint64_t end_of_function(uint64_t address) {
    need_elf();
    uint64_t end = UINT32_MAX;
    for (size_t i = 0; i < elf.symbol_count; i++) {
        const ElfW(Sym) *s = &elf.symbols[i];
        if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_value > address && s->st_value < end)
            end = s->st_value;
    }
    return end;
}

/* ---- Source lines ---- */

/* How well a file answers "which line of mine is this?". */
static int rank_of(const char *path) {
    if (has_suffix(path, ".cu"))
        return 3;
    if (strcmp(path, "??") == 0)
        return 0;
    return strstr(path, "/cpu_device/include/") ? 1 : 2;
}

static const char *keep(const char *text) {
    static char **kept;
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(kept[i], text) == 0)
            return kept[i];
    char **longer = realloc(kept, (count + 1) * sizeof *kept);
    char *copy = strdup(text);
    if (!longer || !copy)
        return "?";
    kept = longer;
    return kept[count++] = copy;
}

/* "path:12 (discriminator 3)" */
static void take_frame(char *line, int *best, struct program_place *place) {
    char *colon = strrchr(line, ':');
    if (!colon)
        return;
    *colon = '\0';
    /* addr2line of binutils 2.40 may give the first file of a DWARF 5 line table the name of what was compiled. */
    if (has_suffix(line, ".cu.cpp"))
        line[strlen(line) - strlen(".cpp")] = '\0';
    int rank = rank_of(line);
    if (rank <= *best)
        return;
    *best = rank;
    const char *slash = strrchr(line, '/');
    *place = (struct program_place){keep(slash ? slash + 1 : line), (unsigned)strtoul(colon + 1, NULL, 10)};
}

/* addr2line -a answers each address with a line 0x..., then one line a frame, innermost first. */
static void read_places(FILE *answers, size_t count, struct program_place *places) {
    char *line = NULL;
    size_t capacity = 0, i = 0;
    int best = 0;
    while (getline(&line, &capacity, answers) > 0) {
        if (strncmp(line, "0x", 2) == 0) {
            i++;
            best = 0;
        } else if (i > 0 && i <= count) {
            take_frame(line, &best, &places[i - 1]);
        }
    }
    free(line);
}

void program_places(const uint32_t *return_addresses, size_t count, struct program_place *places) {
    for (size_t i = 0; i < count; i++)
        places[i] = (struct program_place){"?", 0};
    FILE *questions = count ? tmpfile() : NULL;
    if (!questions)
        return;
    for (size_t i = 0; i < count; i++)
        fprintf(questions, "0x%x\n", return_addresses[i] - 1);
    rewind(questions);
    char *argv[] = {tool_addr2line(), "-a", "-i", "-e", tool_own_path(), NULL};
    pid_t child;
    FILE *answers = tool_start(argv, questions, &child);
    if (!answers)
        tool_say_missing("addr2line", "counts are not told by source line");
    if (answers) {
        read_places(answers, count, places);
        tool_finish(answers, child);
    }
    fclose(questions);
}

void program_places_nearby(const uint32_t *return_addresses, size_t count, struct program_place *places) {
    /* 128 bytes back; 64 were too few for what clang 14 makes of `if (c) s[t] = 1; else s[t] = 0;`. */
    enum { NEIGHBOURS = 32, STEP = 4 };
    uint32_t near[NEIGHBOURS];
    struct program_place found[NEIGHBOURS];
    unsigned patience = 16; /* each costs a run of addr2line */
    for (size_t i = 0; i < count && patience > 0; i++) {
        if (places[i].line || !return_addresses[i])
            continue;
        patience--;
        for (uint32_t n = 0; n < NEIGHBOURS; n++)
            near[n] = return_addresses[i] - n * STEP;
        program_places(near, NEIGHBOURS, found);
        for (size_t n = 0; n < NEIGHBOURS && !places[i].line; n++)
            if (found[n].line)
                places[i] = found[n];
    }
}

/* ---- Floating-point operations ---- */

struct operation {
    unsigned operations;
    bool twofold;
};

static bool starts_with_any(const char *text, const char *const *prefixes) {
    for (; *prefixes; prefixes++)
        if (strncmp(text, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

#if defined(__x86_64__)

static bool is_call(const char *mnemonic) { return strncmp(mnemonic, "call", 4) == 0; } /* older objdumps say callq */
static bool is_branch(const char *mnemonic) { return mnemonic[0] == 'j'; }

/* vfmadd231ss, mulss, addps, divsd and their like; `operands` tell how wide. */
static struct operation decode(const char *mnemonic, const char *operands) {
    static const char *const fused[] = {"fmadd", "fmsub", "fnmadd", "fnmsub", NULL};
    static const char *const simple[] = {"add", "sub", "mul", "div", "sqrt", NULL};
    const char *name = mnemonic[0] == 'v' ? mnemonic + 1 : mnemonic;
    size_t length = strlen(name);
    bool is_fused = starts_with_any(name, fused);
    if (length < 5 || (!is_fused && !starts_with_any(name, simple)))
        return (struct operation){0};
    const char *type = name + length - 2;
    unsigned bytes = strstr(operands, "%zmm") ? 64 : strstr(operands, "%ymm") ? 32 : 16, width;
    if (strcmp(type, "ss") == 0 || strcmp(type, "sd") == 0)
        width = 1;
    else if (strcmp(type, "ps") == 0 || strcmp(type, "pd") == 0)
        width = bytes / (type[1] == 's' ? 4 : 8);
    else
        return (struct operation){0};
    return (struct operation){is_fused ? 2 * width : width, type[1] == 'd'};
}

#else

static bool is_call(const char *mnemonic) { return strcmp(mnemonic, "bl") == 0; }
static bool is_branch(const char *mnemonic) {
    static const char *const conditional[] = {"b.", "cbz", "cbnz", "tbz", "tbnz", NULL};
    static const char *const always[] = {"b", "br", "ret", NULL};
    for (const char *const *name = always; *name; name++)
        if (strcmp(mnemonic, *name) == 0)
            return true;
    return starts_with_any(mnemonic, conditional);
}

/* fmadd s0, s1, s2, s3 and fadd v0.4s, v1.4s, v2.4s and their like; a register tells type and width. Halves
   (h0, v0.8h) are not counted here: cuda_fp16.h notes the kernel's own, and converts with the others. */
static struct operation decode(const char *mnemonic, const char *operands) {
    static const char *const fused[] = {"fmadd", "fmsub", "fnmadd", "fnmsub", "fmla", "fmls", NULL};
    /* fabd: |a - b|; fcvtzs w0, s0, #4: to a whole number after a product with 2^4. */
    static const char *const simple[] = {"fadd", "fsub", "fmul", "fnmul", "fdiv", "fsqrt", "fabd", NULL};
    static const char *const scaling[] = {"fcvtzs", "fcvtzu", "scvtf", "ucvtf", NULL};
    bool is_fused = starts_with_any(mnemonic, fused), scales = starts_with_any(mnemonic, scaling);
    if (!is_fused && !starts_with_any(mnemonic, simple) && !(scales && strchr(operands, '#')))
        return (struct operation){0};
    const char *number = operands; /* the register whose name says what is computed in */
    if (scales && mnemonic[0] == 'f') {
        number = strchr(operands, ' ');
        number = number ? number + 1 : operands;
    }
    unsigned width = 1;
    char type = number[0];
    if (type == 'v') { /* v0.4s */
        char *end;
        const char *dot = strchr(number, '.');
        width = dot ? (unsigned)strtoul(dot + 1, &end, 10) : 0;
        type = dot ? *end : 'v';
    }
    if (type != 's' && type != 'd')
        return (struct operation){0};
    return (struct operation){is_fused ? 2 * width : width, type == 'd'};
}

#endif

/* One machine instruction, as far as it matters here. */
struct instruction {
    uint64_t address, target; /* target: of a branch, else 0 */
    struct operation operation;
    bool is_branch, is_trace; /* is_trace: the call that counts a basic block */
    bool is_call, is_report;  /* is_report: the call that tells of an index past its row (bounds.c) */
    bool leads;               /* a branch goes here, or the one before is a branch */
    bool begins_function;
};

struct listing {
    struct instruction *instructions;
    size_t count, room;
    bool at_function; /* the next instruction is the first of one */
};

/* "    1234:\tvaddss %xmm0,%xmm1,%xmm2" and "    1234:\tjne 1250 <name+0x1c>" */
static bool take_instruction(struct listing *listing, char *line) {
    char *end;
    uint64_t address = strtoull(line, &end, 16);
    if (*end != ':')
        return true;
    char *mnemonic = end + 1 + strspn(end + 1, " \t");
    size_t length = strcspn(mnemonic, " \t\n");
    char *operands = mnemonic + length + strspn(mnemonic + length, " \t\n");
    mnemonic[length] = '\0';
    if (listing->count == listing->room) {
        size_t room = listing->room ? 2 * listing->room : 4096;
        struct instruction *longer = realloc(listing->instructions, room * sizeof *longer);
        if (!longer)
            return false;
        listing->instructions = longer;
        listing->room = room;
    }
    struct instruction *i = &listing->instructions[listing->count++];
    *i = (struct instruction){.address = address, .operation = decode(mnemonic, operands)};
    i->is_branch = is_branch(mnemonic);
    i->begins_function = i->leads = listing->at_function;
    listing->at_function = false;
    i->is_call = is_call(mnemonic);
    i->is_trace = i->is_call && strstr(operands, "<__sanitizer_cov_trace_pc");
    i->is_report = i->is_call && strstr(operands, "<__ubsan_handle_out_of_bounds");
    char *name = strstr(operands, " <");
    if (i->is_branch && name) {
        *name = '\0';
        char *number = strrchr(operands, ' ');
        i->target = strtoull(number ? number + 1 : operands, NULL, 16);
    }
    return true;
}

static bool read_listing(FILE *in, struct listing *listing) {
    char *line = NULL;
    size_t capacity = 0;
    bool ok = true;
    while (ok && getline(&line, &capacity, in) > 0) {
        if (line[0] == ' ')
            ok = take_instruction(listing, line);
        else if (line[0] != '\n')
            listing->at_function = true; /* "0000000000001234 <name>:" */
    }
    free(line);
    return ok;
}

static int by_address(const void *address, const void *instruction) {
    const uint64_t a = *(const uint64_t *)address, b = ((const struct instruction *)instruction)->address;
    return (a > b) - (a < b);
}

/* Instructions that do nothing but report an index past its row: what follows them, or NULL when those at `at` do more.
   g++ puts them in when it has placed the calls that count, so the block that goes on beside them has none of its own.
 */
static const struct instruction *behind_report(const struct listing *listing, const struct instruction *at) {
    const struct instruction *end = listing->instructions + listing->count;
    while (at && at < end && !at->is_branch && !at->is_call && !at->operation.operations)
        at++;
    return at && at < end && at->is_report ? at + 1 : NULL;
}

/* A branch around a report, or to one, ends no block: whoever does not report goes on. */
static void mark_leaders(struct listing *listing) {
    for (size_t i = 0; i < listing->count; i++) {
        struct instruction *instruction = &listing->instructions[i];
        if (!instruction->is_branch)
            continue;
        struct instruction *target = bsearch(&instruction->target, listing->instructions, listing->count,
                                             sizeof *listing->instructions, by_address);
        struct instruction *next = i + 1 < listing->count ? instruction + 1 : NULL;
        if (target && (behind_report(listing, target) || behind_report(listing, next) == target))
            continue;
        if (next)
            next->leads = true;
        if (target)
            target->leads = true;
    }
}

int program_compare_addresses(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The blocks that lanes have run, and what the listing says of each. */
struct block_list {
    const uint32_t *addresses;
    size_t count, found;
    struct program_block_flops *flops;
};

/* NULL when no lane has run it. */
static struct program_block_flops *find_block(struct block_list *blocks, uint64_t address) {
    const uint32_t key = (uint32_t)address;
    const uint32_t *at = bsearch(&key, blocks->addresses, blocks->count, sizeof key, program_compare_addresses);
    blocks->found += at != NULL;
    return at ? &blocks->flops[at - blocks->addresses] : NULL;
}

/* Machine instructions between two leaders run together, and the first call in between that counts says how often:
   compilers move arithmetic across it. Where there is none, the last one before counts, and that is not certain. */
static void add_up(const struct listing *listing, struct block_list *blocks) {
    struct program_block_flops *current = NULL;
    for (size_t begin = 0, end; begin < listing->count; begin = end) {
        bool certain = false;
        if (listing->instructions[begin].begins_function)
            current = NULL;
        for (end = begin; end < listing->count && (end == begin || !listing->instructions[end].leads); end++) {
            if (!listing->instructions[end].is_trace || end + 1 == listing->count)
                continue;
            struct program_block_flops *block = find_block(blocks, listing->instructions[end + 1].address);
            if (!certain)
                current = block;
            certain = true;
        }
        for (size_t i = begin; i < end && current; i++) {
            struct operation o = listing->instructions[i].operation;
            *(o.twofold ? &current->twofold : &current->single) += o.operations;
            if (o.operations && !certain)
                current->certain = false;
        }
    }
}

bool program_flops(const uint32_t *blocks, size_t count, struct program_block_flops *flops) {
    for (size_t i = 0; i < count; i++)
        flops[i] = (struct program_block_flops){0, 0, true};
    if (count == 0)
        return true;
    char from[40], to[40];
    snprintf(from, sizeof from, "--start-address=0x%llx", (unsigned long long)begin_of_function(blocks[0]));
    snprintf(to, sizeof to, "--stop-address=0x%llx", (unsigned long long)end_of_function(blocks[count - 1]));
    char *argv[] = {tool_objdump(), "-d", "--no-show-raw-insn", from, to, tool_own_path(), NULL};
    pid_t child;
    FILE *output = tool_start(argv, NULL, &child);
    if (!output)
        return tool_say_missing("objdump", "operations are not counted"), false;
    struct listing listing = {0};
    bool read = read_listing(output, &listing), finished = tool_finish(output, child);
    struct block_list found = {blocks, count, 0, flops};
    mark_leaders(&listing);
    add_up(&listing, &found);
    free(listing.instructions);
    return read && finished && found.found == count;
}
