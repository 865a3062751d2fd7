/* Formulas, the words of each bank, the stages' accesses, and how they are drawn. What a request costs on hardware is
 * in tests/cpu_device/bank_cases.csv; here its patterns are typed as a user would type them. */
#include "bank_accesses.h"
#include "bank_svg.h"
#include "bank_text.h"
#include "files.h"
#include "strip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- Formulas -----------------------------------------------------------------------------------------------------
 */

static const formula_name names[] = {{"t", 37}, {"lane", 5}, {"_k2", -3}};
static const formula_scope scope = {names, 3};

static void expect_result(const char *text, int64_t wanted) {
    fault f = {{0}};
    int64_t got = 0;
    if (formula_evaluate(text, &scope, "--index", &got, &f) != 0)
        fail_msg("%s: %s", text, f.text);
    if (got != wanted)
        fail_msg("%s is %lld, not %lld", text, (long long)got, (long long)wanted);
}

static void expect_error(const char *text, const char *sentence) {
    fault f = {{0}};
    int64_t got = 0;
    if (formula_evaluate(text, &scope, "--index", &got, &f) == 0)
        fail_msg("%s is taken for %lld", text, (long long)got);
    if (strcmp(f.text, sentence) != 0)
        fail_msg("%s: it says \"%s\", not \"%s\"", text, f.text, sentence);
}

#define VALUE(expression) expect_result(#expression, expression)

/* The compiler is the oracle. */
static void formulas_are_c(void **state) {
    (void)state;
    const int64_t t = 37, lane = 5, _k2 = -3;
    VALUE(t);
    VALUE((t + lane) * 36 % 32 - _k2);
    VALUE(_k2 / 2 + _k2 % 2);
    VALUE(t - lane - 1);
    VALUE(64 / lane / 2);
    VALUE((lane & 1) | (lane >> 2 & 1) << 1);
    VALUE((lane >> 1 & 1) | lane >> 3 << 1);
    VALUE(t ^ 7 & 3);
    VALUE(1 | 6 ^ 3 & 5);
    VALUE(1 << 2 + 1);
    VALUE(3 << 2 << 1);
    VALUE(-lane + +t);
    VALUE(~t & !lane);
    VALUE(- - -lane);
    VALUE(!!t);
    VALUE(t < 38 == 1);
    VALUE((t <= 37) + (t >= 38) * 2 + (t > 36) * 4 + (t != 37) * 8);
    VALUE(2 & 2 == 2);
    VALUE(5 & 3 << 1);
    VALUE(8 >> 1 + 1);
    VALUE(2 == 1 < 5);
    VALUE(1 < 2 << 1);
    VALUE(1 | 1 ^ 1);
    VALUE(2 ^ 2 & 0);
    VALUE(0 && 0 | 1);
    VALUE(2 + 3 * 4 - 8 / 4 * 2);
    VALUE(0 || 2 && 3);
    VALUE(1 || 0 && 0);
    VALUE(4 && 5);
    VALUE(0 ? 1 : 0 ? 2 : 3);
    VALUE(1 ? 0 ? 4 : 5 : 6);
    VALUE(t > 32 ? t : -t);
    VALUE(0x1F + 010 + 10);
    VALUE(9223372036854775807);
    VALUE(_k2 >> 1);
    expect_result("1||2&&0", 1);
    expect_result("  ( t )  ", 37);
    expect_result("-9223372036854775807-1", INT64_MIN);
}

static void what_is_not_reached_is_not_computed(void **state) {
    (void)state;
    expect_result("lane ? 7 : 1/0", 7);
    expect_result("!lane ? 1 % 0 : 8", 8);
    expect_result("lane || 1/0", 1);
    expect_result("0 && 1 << 99", 0);
    expect_result("1 ? 2 : 9223372036854775807 + 1", 2);
    expect_error("1 ? 2 : nowhere", "--index: position 9: nowhere is unknown here; known are t lane _k2; -D gives a "
                                    "constant");
}

static char *nested(const char *open, const char *close, size_t depth) {
    text_stream text;
    text_open(&text);
    for (size_t i = 0; i < depth; ++i)
        fputs(open, text.out);
    putc('1', text.out);
    for (size_t i = 0; i < depth; ++i)
        fputs(close, text.out);
    text_close(&text);
    return text.text;
}

static void formulas_that_are_none(void **state) {
    (void)state;
    expect_error("", "--index: position 1: the formula ends too early");
    expect_error("t +", "--index: position 4: the formula ends too early");
    expect_error("t lane", "--index: position 3: the formula should end here, or go on with an operator");
    expect_error("t = 1", "--index: position 3: = is no operator of a formula; == compares");
    expect_error("(t", "--index: position 3: a ) is missing here");
    expect_error("t)", "--index: position 2: the formula should end here, or go on with an operator");
    expect_error("t ? 1", "--index: position 6: a : is missing here, after the ?");
    expect_error("t *", "--index: position 4: the formula ends too early");
    expect_error("* t", "--index: position 1: a number, a name or ( should stand here");
    expect_error("T", "--index: position 1: T is unknown here; known are t lane _k2; -D gives a constant");
    expect_error("t/(lane-5)", "--index: position 2: division by zero");
    expect_error("t%0", "--index: position 2: division by zero");
    expect_error("(-9223372036854775807-1)/-1", "--index: position 25: / or % overflows 64 bits");
    expect_error("9223372036854775807+1", "--index: position 20: the result overflows 64 bits");
    expect_error("-2-9223372036854775807", "--index: position 3: the result overflows 64 bits");
    expect_error("t*9223372036854775807", "--index: position 2: the result overflows 64 bits");
    expect_error("-(-9223372036854775807-1)", "--index: position 1: - overflows 64 bits");
    expect_error("9223372036854775808", "--index: position 1: the number does not fit into 64 bits");
    expect_error("t<<64", "--index: position 2: a shift must be by 0 to 63");
    expect_error("t>>-1", "--index: position 2: a shift must be by 0 to 63");
    expect_error("t<<60", "--index: position 2: << overflows 64 bits, or shifts a negative number");
    expect_error("_k2<<1", "--index: position 4: << overflows 64 bits, or shifts a negative number");
    expect_error("1.5", "--index: position 2: the number goes on in a way that a whole number does not (08 is no octal "
                        "one either)");
    expect_error("2t", "--index: position 2: the number goes on in a way that a whole number does not (08 is no octal "
                       "one either)");
    static const struct {
        const char *open, *close;
    } ways[] = {{"(", ")"}, {"-", ""}, {"!", ""}, {"1?", ":2"}, {"0?2:", ""}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        char *deep = nested(ways[i].open, ways[i].close, 100000);
        fault f = {{0}};
        int64_t value;
        assert_int_equal(formula_evaluate(deep, &scope, "--index", &value, &f), -1);
        assert_non_null(strstr(f.text, "nested more than 64 deep; write it with fewer parentheses"));
        free(deep);
        char *shallow = nested(ways[i].open, ways[i].close, 60);
        if (formula_evaluate(shallow, &scope, "--index", &value, &f) != 0)
            fail_msg("%s: %s", shallow, f.text);
        free(shallow);
    }
}

static void names_in_formulas(void **state) {
    (void)state;
    assert_true(formula_mentions("(k * 4 + lane)%BM", "BM"));
    assert_true(formula_mentions("k", "k"));
    assert_false(formula_mentions("kk + BK", "k"));
    assert_false(formula_mentions("BMX", "BM"));
    assert_false(formula_mentions("", "k"));
    assert_true(formula_is_name("_a1", 3));
    assert_false(formula_is_name("1a", 2));
    assert_false(formula_is_name("", 0));
    assert_false(formula_is_name("a-b", 3));
}

/* ---- Pictures -----------------------------------------------------------------------------------------------------
 */

/* Draws it and checks that the words drawn are the wavefronts charged. */
static bank_picture drawn(const bank_access *access, unsigned warp) {
    bank_picture p;
    fault f = {{0}};
    if (bank_draw(access, warp, "--index", &p, &f) != 0)
        fail_msg("%s, warp %u: %s", access->index, warp, f.text);
    unsigned wavefronts = 0;
    uint32_t lanes = 0;
    for (unsigned i = 0; i < p.phases; ++i) {
        unsigned fullest = 0;
        for (unsigned bank = 0; bank < BANKS; ++bank)
            fullest = p.phase[i].count[bank] > fullest ? p.phase[i].count[bank] : fullest;
        assert_int_equal(fullest, p.phase[i].wavefronts);
        assert_int_equal(lanes & p.phase[i].lanes, 0);
        wavefronts += fullest;
        lanes |= p.phase[i].lanes;
    }
    assert_int_equal(wavefronts, p.cost.wavefronts);
    assert_int_equal(p.phases, p.copy ? p.cost.wavefronts : p.cost.conflict_free);
    assert_int_equal(lanes, p.active);
    return p;
}

/* The shared loads, stores and ldmatrix of bank_cases.csv as a user types them; w is the warp. */
static const struct pattern {
    const char *pattern, *index;
    unsigned element, bytes, matrices;
} patterns[] = {
    {"float s[32][32]; read s[lane][w] (a column)", "lane*32 + warp", 4, 4, 0},
    {"float s[32][33]; read s[lane][w]", "lane*33 + warp", 4, 4, 0},
    {"float s[32][32]; read s[w][0] (broadcast)", "warp*32", 4, 4, 0},
    {"float s[2048]; read s[(2*t)%2048] (stride 2)", "(2*t)%2048", 4, 4, 0},
    {"float4 s[1024]; read s[t]", "t", 16, 16, 0},
    {"float4 s[1024]; write s[t]", "t", 16, 16, 0},
    {"float2 s[1024]; read s[t]", "t", 8, 8, 0},
    {"float2 s[1024]; write s[t]", "t", 8, 8, 0},
    {"float s[32*36]; read 16 bytes at s[lane*36 + (w%8)*4]", "lane*36 + (warp%8)*4", 4, 16, 0},
    {"float s[32*32]; read 16 bytes at s[lane*32 + (w%8)*4]", "lane*32 + (warp%8)*4", 4, 16, 0},
    {"float4 s[1024]; read s[t/8] (8 lanes share each 16 bytes)", "t/8", 16, 16, 0},
    {"uint16 s[32*64]; read s[lane*64 + w] (a column of halves)", "lane*64 + warp", 2, 2, 0},
    {"half rows of 64 (128 B): row = lane%16, 16-byte chunk = lane/16", "lane%16*64 + lane/16*8", 2, 16, 4},
    {"half rows padded to 72 (144 B), same lanes", "lane%16*72 + lane/16*8", 2, 16, 4},
    {"half rows of 64, chunk ^= row & 7 (XOR swizzle)", "lane%16*64 + (lane/16 ^ lane%16 & 7)*8", 2, 16, 4},
    {"float4 s[lane/2] (i and i^1 share 16 bytes)", "lane/2", 16, 16, 0},
    {"float4 s[(lane&1)|((lane>>2)<<1)] (i and i^2 share)", "(lane&1)|((lane>>2)<<1)", 16, 16, 0},
    {"float4 s[(lane&3)|((lane>>3)<<2)] (i and i^4 share)", "(lane&3)|((lane>>3)<<2)", 16, 16, 0},
    {"float4 s[lane%8]", "lane%8", 16, 16, 0},
    {"float4 s[lane%16]", "lane%16", 16, 16, 0},
    {"float4 s[lane/4]", "lane/4", 16, 16, 0},
    {"float4 s[lane%4]", "lane%4", 16, 16, 0},
    {"float4 s[0] (all lanes one address)", "0", 16, 16, 0},
    {"float2 s[lane/2]", "lane/2", 8, 8, 0},
    {"float2 s[lane&15]", "lane&15", 8, 8, 0},
    {"float2 s[0]", "0", 8, 8, 0},
    {"float4 s[(lane/4)*2]", "(lane/4)*2", 16, 16, 0},
    {"float4 s[(lane%4)*2]", "(lane%4)*2", 16, 16, 0},
    {"float4 s[(lane/2)*8] (pairs share, rows of 128 bytes)", "(lane/2)*8", 16, 16, 0},
    {"float4 s[(lane%16)*2]", "(lane%16)*2", 16, 16, 0},
    {"float2 s[lane*2]", "lane*2", 8, 8, 0},
    {"float4 s[lane*2]", "lane*2", 16, 16, 0},
    {"float4 s[31-lane]", "31-lane", 16, 16, 0},
    {"float2 s[(lane%16)*16 + lane/16]", "(lane%16)*16 + lane/16", 8, 8, 0},
};

static const struct pattern *find_pattern(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i)
        if (strlen(patterns[i].pattern) == length && memcmp(patterns[i].pattern, text, length) == 0)
            return &patterns[i];
    fail_msg("no formula for the pattern %.*s", (int)length, text);
    return NULL;
}

static void check_case(const char *quoted, const char *line) {
    const char *end = strchr(quoted, '"');
    unsigned requests = 0, wavefronts = 0;
    if (!end || sscanf(end, "\",%u,%u", &requests, &wavefronts) != 2)
        fail_msg("cannot read %s", line);
    const struct pattern *p = find_pattern(quoted, (size_t)(end - quoted));
    const bank_access access = {
        .index = p->index, .element = p->element, .bytes = p->bytes, .matrices = p->matrices, .block_x = 1024};
    unsigned sum = 0;
    for (unsigned warp = 0; warp < requests; ++warp)
        sum += drawn(&access, warp).cost.wavefronts;
    if (sum != wavefronts)
        fail_msg("%s: %u wavefronts, the hardware has %u", p->pattern, sum, wavefronts);
}

static void hardware_says_the_same(void **state) {
    (void)state;
    fault f = {{0}};
    char *cases = read_file(REPOSITORY "/tests/cpu_device/bank_cases.csv", &f);
    if (!cases)
        fail_msg("%s", f.text);
    unsigned checked = 0;
    for (char *line = strtok(cases, "\n"); line; line = strtok(NULL, "\n")) {
        const bool ours = strncmp(line, "shared,ld", 9) == 0 || strncmp(line, "shared,st", 9) == 0;
        if (!ours)
            continue;
        check_case(strchr(line, '"') + 1, line);
        ++checked;
    }
    free(cases);
    assert_true(checked >= sizeof patterns / sizeof patterns[0]);
}

static void lanes_that_take_part(void **state) {
    (void)state;
    const bank_access some = {
        .index = "tx*2", .active = "ty == 1", .element = 4, .bytes = 4, .block_x = 16, .block_y = 3};
    assert_int_equal(drawn(&some, 0).active, 0xffff0000);
    const bank_access end = {.index = "t", .element = 4, .bytes = 4, .block_x = 16, .block_y = 3};
    assert_int_equal(drawn(&end, 1).active, 0xffff); /* the block ends in the middle of warp 1 */
    bank_picture p;
    fault f = {{0}};
    assert_int_equal(bank_draw(&some, 1, "--index", &p, &f), -1);
    assert_string_equal(f.text, "--active: no lane of warp 1 takes part, so there is nothing to draw");
    const bank_access rows = {
        .index = "lane < 16 ? lane*8 : -1", .element = 2, .bytes = 16, .matrices = 2, .block_x = 32};
    p = drawn(&rows, 0); /* lanes from 16 on give no address, and are not asked for one */
    assert_int_equal(p.active, 0xffff);
    assert_int_equal(p.phases, 2);
    const bank_access one = {.index = "0", .element = 2, .bytes = 16, .matrices = 4, .block_x = 32};
    assert_int_equal(drawn(&one, 0).phases, 4); /* lanes of one address save ldmatrix no phase */
}

static void accesses_that_are_none(void **state) {
    (void)state;
    static const struct {
        bank_access access;
        const char *sentence;
    } cases[] = {
        {{.index = "lane-1", .element = 4, .bytes = 4, .block_x = 32},
         "--index: lane 0 would access element -1, before the array begins; correct the formula or its constants"},
        {{.index = "lane*2+lane/3", .element = 4, .bytes = 8, .block_x = 32},
         "--index: lane 3 would move 8 bytes at byte 28, which is no multiple of 8; a GPU would stop with \"misaligned "
         "address\""},
        {{.index = "lane*4", .elements = "127", .element = 4, .bytes = 16, .block_x = 32},
         "--index: lane 31 would access element 124 of an array of 127"},
        {{.index = "4611686018427387904", .element = 4, .bytes = 4, .block_x = 32},
         "--index: the address of lane 0, element 4611686018427387904, overflows 64 bits"},
        {{.index = "tx", .element = 4, .bytes = 4, .block_x = 32},
         "--index: position 1: tx is unknown here; known are t lane warp; -D gives a constant"},
        {{.index = "t", .active = "1/lane", .element = 4, .bytes = 4, .block_x = 32},
         "--active: position 2: division by zero"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        bank_picture p;
        fault f = {{0}};
        assert_int_equal(bank_draw(&cases[i].access, 0, "--index", &p, &f), -1);
        assert_string_equal(f.text, cases[i].sentence);
    }
}

/* ---- The stages' accesses -----------------------------------------------------------------------------------------
 */

static void expect_stands(const char *kernel, const stage_access *s, const char *what) {
    if (what && !strstr(kernel, what))
        fail_msg("%s %s %s: `%s` no longer stands in %s/kernel.cu; correct common/tool/bank_accesses.c", s->stage,
                 s->kernel, s->name, what, s->stage);
}

static const formula_name *find_name(const stage_access *s, const char *name) {
    for (const formula_name *c = s->access.constants; c->name; ++c)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* 05 to 07: the tile is one of those that the launch function chooses from, and what each thread copies follows. */
static void expect_tile(const char *kernel, const stage_access *s) {
    int64_t size[5], threads, rows_of_a, rows_of_b;
    static const char *const names_of_size[] = {"BM", "BN", "BK", "WM", "WN"};
    for (size_t i = 0; i < 5; ++i)
        size[i] = find_name(s, names_of_size[i])->value;
    char *run = text_format("run<T, %d, %d, %d, %d, %d, VARIANT...>(p, stream, footprint)", (int)size[0], (int)size[1],
                            (int)size[2], (int)size[3], (int)size[4]);
    expect_stands(kernel, s, run);
    free(run);
    threads = size[0] / size[3] * (size[1] / size[4]) * 32;
    assert_int_equal(threads, s->access.block_x);
    rows_of_a = threads / (size[2] / 8), rows_of_b = threads / (size[1] / 8);
    if (find_name(s, "A_ROWS")) {
        assert_int_equal(find_name(s, "A_ROWS")->value, rows_of_a);
        assert_int_equal(find_name(s, "B_ROWS")->value, rows_of_b);
    } else {
        assert_int_equal(find_name(s, "A_COPIES")->value, size[0] / rows_of_a);
        assert_int_equal(find_name(s, "B_COPIES")->value, size[2] / rows_of_b);
    }
}

/* "BM = 64" of an enum or "BK 32" of a #define; TILE and PAD are parameters of the template. */
static void expect_constant(const char *kernel, const stage_access *s, const formula_name *c) {
    if (!strchr("BT", c->name[0]) || strcmp(c->name, "TILE") == 0)
        return;
    char *member = text_format("%s = %lld", c->name, (long long)c->value);
    char *macro = text_format("#define %s %lld", c->name, (long long)c->value);
    if (!strstr(kernel, member) && !strstr(kernel, macro))
        fail_msg("%s %s %s: %s is not %lld in kernel.cu", s->stage, s->kernel, s->name, c->name, (long long)c->value);
    free(member);
    free(macro);
}

static void accesses_stand_in_the_kernels(void **state) {
    (void)state;
    for (size_t i = 0; i < stage_access_count; ++i) {
        const stage_access *s = &stage_accesses[i];
        fault f = {{0}};
        char *path = text_format(REPOSITORY "/%s/kernel.cu", s->stage);
        char *text = read_file(path, &f);
        if (!text)
            fail_msg("%s", f.text);
        char *kernel = strip_comments(text);
        expect_stands(kernel, s, s->declaration);
        expect_stands(kernel, s, s->source);
        expect_stands(kernel, s, s->uses);
        expect_stands(kernel, s, s->from);
        if (find_name(s, "WM"))
            expect_tile(kernel, s);
        for (const formula_name *c = s->access.constants; c->name && !find_name(s, "WM"); ++c)
            expect_constant(kernel, s, c);
        free(kernel);
        free(text);
        free(path);
    }
}

static unsigned cost_of(const char *stage, const char *kernel, const char *name, unsigned warp) {
    for (size_t i = 0; i < stage_access_count; ++i) {
        const stage_access *s = &stage_accesses[i];
        if (strcmp(s->stage, stage) != 0 || strcmp(s->kernel, kernel) != 0 || strcmp(s->name, name) != 0)
            continue;
        bank_access access = s->access;
        while (access.constants[access.constant_count].name)
            ++access.constant_count;
        return drawn(&access, warp).cost.wavefronts;
    }
    fail_msg("no access %s %s %s", stage, kernel, name);
    return 0;
}

/* A profiler on the H200 showed those of 04's reads and of pad0's stores of A; the others follow from the banks. */
static void stages_cost_what_they_should(void **state) {
    (void)state;
    static const struct {
        const char *stage, *kernel, *name;
        unsigned wavefronts;
    } known[] = {
        {"02_tiling", "tile64", "store_A", 1},
        {"02_tiling", "tile64", "store_B", 1},
        {"02_tiling", "tile64", "read_A", 1},
        {"02_tiling", "tile64", "read_B", 1},
        {"03_register_cache", "8x8", "store_A", 1},
        {"03_register_cache", "8x8", "store_B", 2},
        {"03_register_cache", "8x8", "read_A", 1},
        {"03_register_cache", "8x8", "read_A4", 2},
        {"03_register_cache", "8x8", "read_B", 1},
        {"04_bank_padding", "pad4", "store_A", 1},
        {"04_bank_padding", "pad4", "store_B", 4},
        {"04_bank_padding", "pad4", "edge_A", 4},
        {"04_bank_padding", "pad4", "read_A", 2},
        {"04_bank_padding", "pad4", "read_B", 2},
        {"04_bank_padding", "pad0", "store_A", 2},
        {"04_bank_padding", "pad0", "edge_A", 32},
        {"04_bank_padding", "unpaired", "read_A", 2},
        {"04_bank_padding", "unpaired", "read_B", 4},
        {"05_tensorcore", "mma", "store_A", 4},
        {"05_tensorcore", "mma", "store_B", 4},
        {"05_tensorcore", "mma", "read_A", 4},
        {"05_tensorcore", "mma", "read_B", 4},
        {"05_tensorcore", "pad0", "read_A", 32},
        {"05_tensorcore", "pad0", "read_B", 32},
        {"06_double_buffer", "stages3", "copy_A", 0},
        {"06_double_buffer", "stages3", "copy_B", 0},
        {"06_double_buffer", "stages3", "read_A", 4},
        {"06_double_buffer", "stages3", "read_B", 4},
        {"07_swizzle_layout", "swizzle", "copy_A", 4},
        {"07_swizzle_layout", "swizzle", "copy_B", 4},
        {"07_swizzle_layout", "swizzle", "read_A", 4},
        {"07_swizzle_layout", "swizzle", "read_B", 4},
        {"07_swizzle_layout", "unswizzled", "read_A", 32},
        {"07_swizzle_layout", "unswizzled", "read_B", 32},
        {"07_swizzle_layout", "wrong_swizzle", "read_A", 32},
        {"07_swizzle_layout", "wrong_swizzle", "read_B", 32},
    };
    assert_int_equal(sizeof known / sizeof known[0], stage_access_count);
    for (size_t i = 0; i < stage_access_count; ++i)
        for (unsigned warp = 0; warp < 4; ++warp)
            if (cost_of(known[i].stage, known[i].kernel, known[i].name, warp) != known[i].wavefronts &&
                known[i].wavefronts > 0) /* 0: another for each warp, see below */
                fail_msg("%s %s %s, warp %u: not %u wavefronts", known[i].stage, known[i].kernel, known[i].name, warp,
                         known[i].wavefronts);
}

/* Padded by 16 bytes, 128 bytes of a row are shifted against their line by 0 to 7 chunks in turn (see cost.h). */
static void padded_copies_straddle_lines(void **state) {
    (void)state;
    static const unsigned of_shift[] = {1, 3, 2, 4, 2, 4, 2, 3};
    for (unsigned warp = 0; warp < 8; ++warp) {
        unsigned of_a = 0;
        for (unsigned row = 0; row < 4; ++row)
            of_a += of_shift[(warp * 4 + row) % 8];
        assert_int_equal(cost_of("06_double_buffer", "stages3", "copy_A", warp), of_a);
        assert_int_equal(cost_of("06_double_buffer", "stages3", "copy_B", warp), 4 * of_shift[warp % 8]);
    }
}

/* A slip in a formula tends to leave its array, or to leave a part of it out. Every thread and step of each loop, as
 * the kernel has them: together they must touch every element but the padding, stores once. */
static const struct sweep {
    const char *stage, *kernel, *name;
    unsigned i_first, i_step, i_end, j_first, j_step, j_end, k_end, q_end, threads, times;
    unsigned k_step, row, used; /* row: words of one, of which the used ones are not padding; 0: all are used */
} sweeps[] = {
    {"02_tiling", "tile64", "store_A", 0, 1, 2, 0, 1, 1, 1, 1, 1024, 1, 1, 0, 0},
    {"02_tiling", "tile64", "store_B", 0, 1, 1, 0, 1, 2, 1, 1, 1024, 1, 1, 0, 0},
    {"02_tiling", "tile64", "read_A", 0, 1, 2, 0, 1, 1, 32, 1, 1024, 32, 1, 0, 0},
    {"02_tiling", "tile64", "read_B", 0, 1, 1, 0, 1, 2, 32, 1, 1024, 32, 1, 0, 0},
    {"03_register_cache", "8x8", "store_A", 0, 1, 8, 0, 1, 1, 1, 1, 256, 1, 1, 0, 0},
    {"03_register_cache", "8x8", "store_B", 0, 1, 1, 0, 1, 8, 1, 1, 256, 1, 1, 0, 0},
    {"03_register_cache", "8x8", "read_A", 0, 1, 8, 0, 1, 1, 16, 1, 256, 16, 1, 0, 0},
    {"03_register_cache", "8x8", "read_B", 0, 1, 1, 0, 1, 8, 16, 1, 256, 16, 1, 0, 0},
    {"04_bank_padding", "pad4", "store_A", 0, 1, 4, 0, 1, 1, 1, 4, 128, 1, 1, 68, 64},
    {"04_bank_padding", "pad4", "store_B", 0, 1, 1, 0, 1, 8, 1, 1, 128, 1, 1, 0, 0},
    {"04_bank_padding", "pad4", "read_A", 0, 4, 8, 0, 1, 1, 32, 1, 128, 16, 1, 68, 64},
    {"04_bank_padding", "pad4", "read_B", 0, 1, 1, 0, 4, 8, 32, 1, 128, 8, 1, 0, 0},
    {"04_bank_padding", "pad0", "store_A", 0, 1, 4, 0, 1, 1, 1, 4, 128, 1, 1, 0, 0},
    {"04_bank_padding", "unpaired", "read_A", 0, 4, 8, 0, 1, 1, 32, 1, 128, 16, 1, 68, 64},
    {"04_bank_padding", "unpaired", "read_B", 0, 1, 1, 0, 4, 8, 32, 1, 128, 8, 1, 0, 0},
    {"05_tensorcore", "mma", "store_A", 0, 1, 8, 0, 1, 1, 1, 1, 128, 1, 1, 36, 32},
    {"05_tensorcore", "mma", "store_B", 0, 1, 8, 0, 1, 1, 1, 1, 128, 1, 1, 68, 64},
    {"05_tensorcore", "mma", "read_A", 0, 1, 4, 0, 1, 1, 64, 1, 128, 2, 16, 36, 32},
    {"05_tensorcore", "mma", "read_B", 0, 1, 1, 0, 1, 4, 64, 1, 128, 2, 16, 68, 64},
    {"05_tensorcore", "pad0", "read_A", 0, 1, 4, 0, 1, 1, 64, 1, 128, 2, 16, 0, 0},
    {"05_tensorcore", "pad0", "read_B", 0, 1, 1, 0, 1, 4, 64, 1, 128, 2, 16, 0, 0},
    {"06_double_buffer", "stages3", "copy_A", 0, 1, 4, 0, 1, 1, 1, 1, 256, 1, 1, 36, 32},
    {"06_double_buffer", "stages3", "copy_B", 0, 1, 8, 0, 1, 1, 1, 1, 256, 1, 1, 132, 128},
    {"06_double_buffer", "stages3", "read_A", 0, 1, 4, 0, 1, 1, 64, 1, 256, 4, 16, 36, 32},
    {"06_double_buffer", "stages3", "read_B", 0, 1, 1, 0, 1, 4, 64, 1, 256, 2, 16, 132, 128},
    {"07_swizzle_layout", "swizzle", "copy_A", 0, 1, 4, 0, 1, 1, 1, 1, 256, 1, 1, 0, 0},
    {"07_swizzle_layout", "swizzle", "copy_B", 0, 1, 8, 0, 1, 1, 1, 1, 256, 1, 1, 0, 0},
    {"07_swizzle_layout", "swizzle", "read_A", 0, 1, 4, 0, 1, 1, 64, 1, 256, 4, 16, 0, 0},
    {"07_swizzle_layout", "swizzle", "read_B", 0, 1, 1, 0, 1, 4, 64, 1, 256, 2, 16, 0, 0},
    {"07_swizzle_layout", "unswizzled", "read_A", 0, 1, 4, 0, 1, 1, 64, 1, 256, 4, 16, 0, 0},
    {"07_swizzle_layout", "unswizzled", "read_B", 0, 1, 1, 0, 1, 4, 64, 1, 256, 2, 16, 0, 0},
    {"07_swizzle_layout", "wrong_swizzle", "read_A", 0, 1, 4, 0, 1, 1, 64, 1, 256, 4, 16, 0, 0},
    {"07_swizzle_layout", "wrong_swizzle", "read_B", 0, 1, 1, 0, 1, 4, 64, 1, 256, 2, 16, 0, 0},
};

static void count_touches(const bank_access *access, unsigned threads, unsigned *touched) {
    for (unsigned warp = 0; warp < threads / 32; ++warp) {
        const bank_picture p = drawn(access, warp);
        for (unsigned i = 0; i < p.phases; ++i)
            for (unsigned bank = 0; bank < BANKS; ++bank)
                for (unsigned at = 0; at < p.phase[i].count[bank]; ++at)
                    touched[p.phase[i].words[bank][at].word] +=
                        (unsigned)__builtin_popcount(p.phase[i].words[bank][at].lanes);
    }
}

static void sweep_loops(const struct sweep *w, const stage_access *s, unsigned *touched) {
    formula_name all[24] = {{"i", 0}, {"j", 0}, {"k", 0}, {"q", 0}};
    size_t count = 4;
    for (const formula_name *c = s->access.constants; c->name; ++c)
        all[count++] = *c;
    bank_access access = s->access;
    access.constants = all;
    access.constant_count = count;
    for (all[0].value = w->i_first; all[0].value < w->i_end; all[0].value += w->i_step)
        for (all[1].value = w->j_first; all[1].value < w->j_end; all[1].value += w->j_step)
            for (all[2].value = 0; all[2].value < w->k_end; all[2].value += w->k_step)
                for (all[3].value = 0; all[3].value < w->q_end; ++all[3].value)
                    count_touches(&access, w->threads, touched);
}

static void accesses_cover_their_arrays(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sweeps / sizeof sweeps[0]; ++i)
        for (size_t n = 0; n < stage_access_count; ++n) {
            const struct sweep *w = &sweeps[i];
            const stage_access *s = &stage_accesses[n];
            if (strcmp(s->stage, w->stage) != 0 || strcmp(s->kernel, w->kernel) != 0 || strcmp(s->name, w->name) != 0)
                continue;
            static unsigned touched[16384]; /* words of 4 bytes */
            memset(touched, 0, sizeof touched);
            sweep_loops(w, s, touched);
            int64_t elements;
            fault f = {{0}};
            size_t constants = 0;
            while (s->access.constants[constants].name)
                ++constants;
            const formula_scope own = {s->access.constants, constants};
            assert_int_equal(formula_evaluate(s->access.elements, &own, "elements", &elements, &f), 0);
            for (unsigned e = 0; e < elements * s->access.element / 4; ++e) {
                const unsigned wanted = w->row && e % w->row >= w->used ? 0 : w->times;
                if (touched[e] != wanted)
                    fail_msg("%s %s %s touches element %u %u times, not %u", s->stage, s->kernel, s->name, e,
                             touched[e], wanted);
            }
        }
}

/* ---- Words and drawings -------------------------------------------------------------------------------------------
 */

static void expect_text(char *got, const char *wanted) {
    if (wanted)
        assert_string_equal(got, wanted);
    else
        assert_null(got);
    free(got);
}

static bank_picture simple(const char *index, unsigned bytes) {
    const bank_access access = {.index = index, .element = 4, .bytes = bytes, .block_x = 32};
    return drawn(&access, 0);
}

static void counts_in_words(void **state) {
    (void)state;
    bank_picture p = simple("lane", 4);
    expect_text(bank_counts(&p), "1 phase, 1 wavefront, 1 without conflicts: no bank conflict");
    expect_text(bank_fullest(&p), NULL);
    expect_text(bank_sharing(&p, false), NULL);
    p = simple("lane*32", 4);
    expect_text(bank_counts(&p), "1 phase, 32 wavefronts, 1 without conflicts: 32-way bank conflict, 31 wavefronts too "
                                 "many");
    expect_text(bank_fullest(&p),
                "fullest: bank 0 in phase 1, where 32 words meet: lane 0 word 0; lane 1 word 32; lane "
                "2 word 64; and 29 more");
    p = simple("lane/16*32", 4);
    expect_text(bank_counts(&p),
                "1 phase, 2 wavefronts, 1 without conflicts: 2-way bank conflict, 1 wavefront too many");
    expect_text(bank_fullest(&p),
                "fullest: bank 0 in phase 1, where 2 words meet: lanes 0-15 word 0; lanes 16-31 word 32");
    expect_text(bank_sharing(&p, false), "+ a word that several lanes want, costs once: lanes 0-15 share word 0 (it is "
                                         "broadcast to them)");
    expect_text(bank_sharing(&p, true),
                "+ a word that several lanes want, costs once: lanes 0-15 share word 0 (of lanes "
                "that store the same bytes one wins)");
    expect_text(bank_lanes(0xf0000013), "0, 1, 4, 28-31");
    expect_text(bank_lanes(UINT32_MAX), "0-31");
}

static char *printed(const bank_picture *p, bool colours) {
    text_stream text;
    text_open(&text);
    bank_print(p, colours, text.out);
    text_close(&text);
    return text.text;
}

static void grid(void **state) {
    (void)state;
    const bank_picture p = simple("lane%2*33 + lane/16*32", 4);
    expect_text(
        printed(&p, false),
        "                 bank |  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 "
        "27 28 29 30 31\n"
        "phase 1, wavefront  1 | +0 +1  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  . "
        " .  .  .  .  .\n"
        "phase 1, wavefront  2 |+16+17  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  . "
        " .  .  .  .  .\n");
    char *coloured = printed(&p, true);
    assert_non_null(strstr(coloured, "\033[31m+16\033[0m"));
    free(coloured);
    const bank_picture mixed = simple("lane < 4 ? lane*32 : lane", 4);
    coloured = printed(&mixed, true);
    assert_non_null(strstr(coloured, "\033[31m  0\033[0m  .  .  .  4  5"));
    free(coloured);
}

static void svg_is_escaped(void **state) {
    (void)state;
    const bank_picture p = simple("lane*2", 4);
    char *svg = bank_svg(&p, "a < b && c > d", NULL, "4 bytes", false);
    assert_non_null(strstr(svg, ">a &lt; b &amp;&amp; c &gt; d</text>"));
    assert_null(strstr(svg, "&&"));
    size_t conflicts = 0;
    for (const char *at = svg; (at = strstr(at, "<rect class=\"conflict\"")); ++at)
        ++conflicts;
    assert_int_equal(conflicts, 32); /* 16 even banks, two words each */
    free(svg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_c),
        cmocka_unit_test(what_is_not_reached_is_not_computed),
        cmocka_unit_test(formulas_that_are_none),
        cmocka_unit_test(names_in_formulas),
        cmocka_unit_test(hardware_says_the_same),
        cmocka_unit_test(lanes_that_take_part),
        cmocka_unit_test(accesses_that_are_none),
        cmocka_unit_test(accesses_stand_in_the_kernels),
        cmocka_unit_test(stages_cost_what_they_should),
        cmocka_unit_test(padded_copies_straddle_lines),
        cmocka_unit_test(accesses_cover_their_arrays),
        cmocka_unit_test(counts_in_words),
        cmocka_unit_test(grid),
        cmocka_unit_test(svg_is_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
