#include "bank_svg.h"
#include "bank_text.h"
#include "files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How a picture of ours begins, by which it is known again. */
#define BEGINNING "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- drawn by ./ladder banks -->\n"

/* Pixels */
enum { CELL = 28, ROW = 24, LEFT = 180, TOP = 168, GAP = 10, MARGIN = 16, WIDTH = LEFT + BANKS * CELL + MARGIN };
/* Characters of a heading that fit: monospaced ones are about 8 pixels wide at 13. */
enum { HEADING = (WIDTH - 2 * MARGIN) / 8 };

/* Two sets of colours; a viewer that knows no dark ground takes the first. Conflicts differ by their frame too. */
static const char style[] =
    "<style>\n"
    "  text { font: 13px ui-monospace, monospace; fill: #1b1f24 }\n"
    "  .ground { fill: #ffffff } .head { font-weight: bold } .quiet { fill: #59636e } .middle { text-anchor: middle }\n"
    "  rect.free { fill: none; stroke: #d1d9e0 } rect.lane { fill: #cfe8ff; stroke: #0969da }\n"
    "  rect.conflict { fill: #ffd0cc; stroke: #cf222e; stroke-width: 2.5 }\n"
    "  @media (prefers-color-scheme: dark) {\n"
    "    text { fill: #f0f6fc } .ground { fill: #0d1117 } .quiet { fill: #9198a1 }\n"
    "    rect.free { stroke: #3d444d } rect.lane { fill: #12395f; stroke: #4493f8 }\n"
    "    rect.conflict { fill: #6b1f1b; stroke: #f85149 }\n"
    "  }\n"
    "</style>\n";

/* At most `most` characters, with an ellipsis for the rest. */
static void put_escaped(FILE *out, const char *text, size_t most) {
    for (size_t i = 0; text[i]; ++i) {
        if (i == most) {
            fputs("...", out);
            return;
        }
        switch (text[i]) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            putc(text[i], out);
        }
    }
}

/* A cell, with all its lanes where the viewer shows a title under the pointer. */
static void put_cell(FILE *out, const bank_phase *phase, unsigned bank, unsigned row, unsigned y) {
    const unsigned x = LEFT + bank * CELL, count = phase->count[bank];
    const char *class = row >= count ? "free" : count > 1 ? "conflict" : "lane";
    fprintf(out, "<g><rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/>", class, x + 1, y + 1, CELL - 2,
            ROW - 2);
    if (row < count) {
        const bank_word *w = &phase->words[bank][row];
        char *lanes = bank_lanes(w->lanes);
        fprintf(out,
                "<title>bank %u, word %" PRIu64
                ": lanes %s</title><text class=\"middle\" x=\"%u\" y=\"%u\">%s%d</text>",
                bank, w->word, lanes, x + CELL / 2, y + ROW - 7, w->lanes & (w->lanes - 1) ? "+" : "",
                __builtin_ctz(w->lanes));
        free(lanes);
    }
    fputs("</g>\n", out);
}

static unsigned put_phase(FILE *out, const bank_phase *phase, bool copy, unsigned number, unsigned y) {
    for (unsigned row = 0; row < phase->wavefronts; ++row, y += ROW) {
        char *phase_name =
            copy ? text_format("wavefront %u", number) : text_format("phase %u, wavefront %u", number, row + 1);
        fprintf(out, "<text x=\"%d\" y=\"%u\">%s</text>\n", MARGIN - 8, y + ROW - 7, phase_name);
        free(phase_name);
        for (unsigned bank = 0; bank < BANKS; ++bank)
            put_cell(out, phase, bank, row, y);
    }
    return y + GAP;
}

/* The title, what is asked, what it costs and why; lines that are NULL are left out. */
static void put_headings(FILE *out, const bank_picture *p, const char *const given[3], bool store) {
    char *counts = bank_counts(p), *fullest = bank_fullest(p), *sharing = bank_sharing(p, store);
    const char *const lines[] = {given[0], given[1], given[2], counts, fullest, sharing};
    fputs("<title>", out);
    put_escaped(out, given[0], HEADING);
    fputs(": ", out);
    put_escaped(out, counts, HEADING);
    fputs("</title>\n", out);
    unsigned y = MARGIN + 8;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        if (!lines[i])
            continue;
        fprintf(out, "<text x=\"%d\" y=\"%u\" class=\"%s\">", MARGIN - 8, y, i % 3 == 0 ? "head" : "quiet");
        put_escaped(out, lines[i], HEADING);
        fputs("</text>\n", out);
        y += 20;
    }
    free(counts);
    free(fullest);
    free(sharing);
}

char *bank_svg(const bank_picture *p, const char *title, const char *formula, const char *setting, bool store) {
    text_stream svg;
    text_open(&svg);
    const unsigned height = TOP + p->cost.wavefronts * ROW + p->phases * GAP + MARGIN;
    fprintf(
        svg.out,
        BEGINNING
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\">\n",
        WIDTH, height, WIDTH, height);
    fputs(style, svg.out);
    fputs("<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n", svg.out);
    put_headings(svg.out, p, (const char *const[]){title, formula, setting}, store);
    fprintf(svg.out, "<text class=\"quiet\" x=\"%d\" y=\"%d\">bank</text>\n", MARGIN - 8, TOP - 6);
    for (unsigned bank = 0; bank < BANKS; ++bank)
        fprintf(svg.out, "<text class=\"quiet middle\" x=\"%u\" y=\"%d\">%u</text>\n", LEFT + bank * CELL + CELL / 2,
                TOP - 6, bank);
    unsigned y = TOP;
    for (unsigned i = 0; i < p->phases; ++i)
        y = put_phase(svg.out, &p->phase[i], p->copy, i + 1, y);
    fputs("</svg>\n", svg.out);
    text_close(&svg);
    return svg.text;
}

int bank_svg_check(const char *path, fault *f) {
    struct stat status;
    if (check_writable("--svg", path, f) != 0)
        return -1;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return 0;
    char beginning[sizeof BEGINNING] = "";
    FILE *in = fopen(path, "rb");
    const size_t got = in ? fread(beginning, 1, sizeof beginning - 1, in) : 0;
    if (in)
        fclose(in);
    if (got != sizeof beginning - 1 || memcmp(beginning, BEGINNING, got) != 0)
        return fault_set(f, "--svg would replace %.300s, which is no picture of ./ladder banks; give a new name", path);
    return 0;
}
