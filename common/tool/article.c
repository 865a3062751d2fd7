#include "article.h"

#include <math.h>
#include <string.h>

/* Figures: 4096 x 4096 FP16 product, "a mid-range GPU". A later stage adds its line here and nowhere else. Optional are
 * rows that the article lacks, among them those of other types: 06's float product belongs to the table of float. */
const article_row article_rows[] = {
    {"naive", "01_naive", "coalesced", 0.03, 1.0, false},
    {"tiling 64x64", "02_tiling", "tile64", 0.18, 5.2, false},
    {"registers", "03_register_cache", "8x8", NAN, NAN, true},
    {"registers, no bank conflicts", "04_bank_padding", "pad4", 0.35, 9.8, false},
    {"tensor cores", "05_tensorcore", "mma", 0.62, 17.5, false},
    {"tensor cores, TF32", "05_tensorcore", "tf32", NAN, NAN, true},
    {"tensor cores, Hopper", "05_tensorcore", "hopper*", NAN, NAN, true},
    {"double buffer", "06_double_buffer", "stages3", 0.76, 21.3, false},
    {"double buffer, FP32 cores", "06_double_buffer", "simt", NAN, NAN, true},
    {"double buffer, Hopper", "06_double_buffer", "hopper*", NAN, NAN, true},
    {"layout and swizzle", "07_swizzle_layout", "swizzle", 0.81, 22.7, false},
    {"layout and swizzle, Hopper", "07_swizzle_layout", "hopper*", NAN, NAN, true},
    {"FP8", "08_fp8", "hopper*", NAN, NAN, true},
};

const size_t article_row_count = sizeof article_rows / sizeof article_rows[0];

static bool kernel_matches(const char *pattern, const char *kernel) {
    const size_t length = strlen(pattern);
    if (pattern[length - 1] == '*')
        return strncmp(pattern, kernel, length - 1) == 0;
    return strcmp(pattern, kernel) == 0;
}

bool article_has(const char *stage, const char *kernel) {
    for (size_t i = 0; i < article_row_count; ++i)
        if (strcmp(article_rows[i].stage, stage) == 0 && kernel_matches(article_rows[i].kernel, kernel))
            return true;
    return false;
}

const gemm_record *article_match(const article_row *row, const record_list *list, const selection *s) {
    selection here = *s;
    here.stage = row->stage;
    for (size_t i = 0; i < list->count; ++i)
        if (selected(&here, &list->rows[i]) && kernel_matches(row->kernel, list->rows[i].kernel))
            return &list->rows[i];
    return NULL;
}
