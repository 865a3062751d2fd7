#include "bank_text.h"
#include "files.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_NAMED = 3 }; /* of words that meet in a bank: as many as fit on a line */

static const char *plural(unsigned count) { return count == 1 ? "" : "s"; }

char *bank_counts(const bank_picture *p) {
    const unsigned needed = p->cost.conflict_free, waste = p->cost.wavefronts - needed;
    if (p->copy)
        return text_format("%u wavefront%s, %u for as many bytes in whole lines of 128: %s", p->cost.wavefronts,
                           plural(p->cost.wavefronts), needed,
                           waste > 0 ? "rows lie across lines of shared memory" : "lines go to lines");
    char *conflict =
        waste > 0 ? text_format("%u-way bank conflict, %u wavefront%s too many", bank_ways(p), waste, plural(waste))
                  : text_format("no bank conflict");
    char *text = text_format("%u phase%s, %u wavefront%s, %u without conflicts: %s", p->phases, plural(p->phases),
                             p->cost.wavefronts, plural(p->cost.wavefronts), needed, conflict);
    free(conflict);
    return text;
}

static void put_lanes(FILE *out, uint32_t lanes) {
    char *text = bank_lanes(lanes);
    fprintf(out, "lane%s %s", plural((unsigned)__builtin_popcount(lanes)), text);
    free(text);
}

char *bank_fullest(const bank_picture *p) {
    unsigned phase = 0, bank = 0;
    for (unsigned i = 0; i < p->phases; ++i)
        for (unsigned b = 0; b < BANKS; ++b)
            if (p->phase[i].count[b] > p->phase[phase].count[bank])
                phase = i, bank = b;
    const unsigned words = p->phase[phase].count[bank];
    if (words < 2)
        return NULL;
    text_stream text;
    text_open(&text);
    fprintf(text.out, "fullest: bank %u in phase %u, where %u words meet: ", bank, phase + 1, words);
    for (unsigned at = 0; at < words && at < MOST_NAMED; ++at) {
        fputs(at ? "; " : "", text.out);
        put_lanes(text.out, p->phase[phase].words[bank][at].lanes);
        fprintf(text.out, " word %" PRIu64, p->phase[phase].words[bank][at].word);
    }
    if (words > MOST_NAMED)
        fprintf(text.out, "; and %u more", words - MOST_NAMED);
    text_close(&text);
    return text.text;
}

/* The first word that several lanes want; NULL when there is none. */
static const bank_word *first_shared(const bank_picture *p) {
    for (unsigned i = 0; i < p->phases; ++i)
        for (unsigned bank = 0; bank < BANKS; ++bank)
            for (unsigned at = 0; at < p->phase[i].count[bank]; ++at)
                if (__builtin_popcount(p->phase[i].words[bank][at].lanes) > 1)
                    return &p->phase[i].words[bank][at];
    return NULL;
}

char *bank_sharing(const bank_picture *p, bool store) {
    const bank_word *shared = first_shared(p);
    if (!shared)
        return NULL;
    text_stream text;
    text_open(&text);
    fputs("+ a word that several lanes want, costs once: ", text.out);
    put_lanes(text.out, shared->lanes);
    fprintf(text.out, " share word %" PRIu64 "%s", shared->word,
            store ? " (of lanes that store the same bytes one wins)" : " (it is broadcast to them)");
    text_close(&text);
    return text.text;
}

/* ---- The grid -----------------------------------------------------------------------------------------------------
 */

/* The first lane that wants the word, after a + when there are more. In colour: red, where another waits for it. */
static void put_cell(const bank_phase *phase, unsigned bank, unsigned row, bool colours, FILE *out) {
    if (row >= phase->count[bank]) {
        fputs("  .", out);
        return;
    }
    const uint32_t lanes = phase->words[bank][row].lanes;
    char *text = text_format("%s%d", lanes & (lanes - 1) ? "+" : "", __builtin_ctz(lanes));
    const bool red = colours && phase->count[bank] > 1;
    fprintf(out, "%s%3s%s", red ? "\033[31m" : "", text, red ? "\033[0m" : "");
    free(text);
}

void bank_print(const bank_picture *p, bool colours, FILE *out) {
    fprintf(out, "%*s", p->copy ? 14 : 23, "bank |");
    for (unsigned bank = 0; bank < BANKS; ++bank)
        fprintf(out, "%3u", bank);
    putc('\n', out);
    for (unsigned i = 0; i < p->phases; ++i)
        for (unsigned row = 0; row < p->phase[i].wavefronts; ++row) {
            if (p->copy)
                fprintf(out, "wavefront %2u |", i + 1);
            else
                fprintf(out, "phase %u, wavefront %2u |", i + 1, row + 1);
            for (unsigned bank = 0; bank < BANKS; ++bank)
                put_cell(&p->phase[i], bank, row, colours, out);
            putc('\n', out);
        }
}
