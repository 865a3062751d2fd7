/* Tables inside a document, between <!-- table:begin ARGS --> and <!-- table:end -->. */
#ifndef TOOL_UPDATE_H
#define TOOL_UPDATE_H

#include "report.h"

/* ARGS is `article` or `stage` or `all`, then in any order a GPU's slug (nvidia-h200), a stage's directory, a type, a
 * size, a protocol and lang=zh. Replaces every table in the files from `record` (NULL: plots/data/<slug>.csv). All
 * texts are made before the first file is written. Returns 0, or -1 with a sentence and no file touched. */
int update_documents(const tool_context *context, const char *record, char *const paths[], size_t count, fault *f);

#endif
