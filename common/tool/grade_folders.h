/* What was built for marking: one folder for each file, build/cpu/grade/NAME-HASH. */
#ifndef TOOL_GRADE_FOLDERS_H
#define TOOL_GRADE_FOLDERS_H

/* Keeps the newest fifty and removes the others. The folder of `object` becomes the newest. What another process builds
 * in is left alone. */
void grade_folders_keep_newest(const char *object);

#endif
