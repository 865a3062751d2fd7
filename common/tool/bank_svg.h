/* A bank_picture as SVG. */
#ifndef TOOL_BANK_SVG_H
#define TOOL_BANK_SVG_H

#include "bank_picture.h"

/* A self-contained document, readable on light and dark ground; the caller frees it. `title`, `formula` (may
 * be NULL) and `setting` are plain ASCII text that stands above the picture. */
char *bank_svg(const bank_picture *picture, const char *title, const char *formula, const char *setting, bool store);

/* Whether `path`, which --svg named, may be written: it is new, empty, or a picture of ours. Returns 0, or -1 with a
 * sentence. */
int bank_svg_check(const char *path, fault *f);

#endif
