/* A kernel's name as a reader would write it. */
#ifndef CPU_DEVICE_DEMANGLE_H
#define CPU_DEVICE_DEMANGLE_H

/* "_Z5scaleIfLi4EEvPfi", void scale<float, 4>(float *, int), is "scale<float, 4>". A name that is not mangled stays as
   it is. To be freed; NULL when there is no memory. */
char *demangle_short(const char *symbol);

/* The variable in "_ZZ5scalePfE4tile", a static one of a function, or "_ZL4tile", is "tile". To be freed. */
char *demangle_variable(const char *symbol);

#endif
