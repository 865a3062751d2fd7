/* A bank_picture in words, and as a grid of text. Strings are new; the caller frees them. */
#ifndef TOOL_BANK_TEXT_H
#define TOOL_BANK_TEXT_H

#include "bank_picture.h"

/* "1 phase, 2 wavefronts, 1 without conflicts: 2-way bank conflict, 1 wavefront too many" */
char *bank_counts(const bank_picture *picture);

/* The lanes and words that meet in the fullest bank; NULL when none has more than one word in a phase. */
char *bank_fullest(const bank_picture *picture);

/* What it means that lanes want one word, with the first such word; NULL when none do. */
char *bank_sharing(const bank_picture *picture, bool store);

/* A row for each wavefront of each phase, a column for each bank, at most 120 wide. */
void bank_print(const bank_picture *picture, bool colours, FILE *out);

#endif
