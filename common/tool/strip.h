/* Removes comments from C, C++ and CUDA source. */
#ifndef TOOL_STRIP_H
#define TOOL_STRIP_H

/* Returns the source without comments; the caller frees it. A block comment leaves one space where it parted two words;
 * a line that held nothing but comments goes; lines that were blank stay. String literals, raw strings, character
 * literals and digit separators (1'000) are not mistaken for comments, nor comments for them. */
char *strip_comments(const char *source);

#endif
