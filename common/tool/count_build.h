#include "tool.h"
char *count_build(const tool_context *context, const char *source_file, fault *f);
