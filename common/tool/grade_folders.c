#include "grade_folders.h"

#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 50 }; /* a class of readers */

typedef struct folder {
    char *path; /* owned */
    struct timespec used;
} folder;

/* build_file() leaves its lock in each; build/cpu/grade holds other things, too. */
static bool is_folder(const char *path, struct timespec *used) {
    char *lock = text_format("%s/lock", path);
    struct stat status;
    const bool is = file_exists(lock) && lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
    if (is)
        *used = status.st_mtim;
    free(lock);
    return is;
}

static int newest_first(const void *a, const void *b) {
    const struct timespec x = ((const folder *)a)->used, y = ((const folder *)b)->used;
    return x.tv_sec != y.tv_sec ? (x.tv_sec < y.tv_sec ? 1 : -1) : (x.tv_nsec < y.tv_nsec) - (x.tv_nsec > y.tv_nsec);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

/* A build that is under way holds the lock. */
static void remove_folder(const char *path) {
    enum { DESCRIPTORS = 16 };
    char *lock = text_format("%s/lock", path);
    const int descriptor = open(lock, O_RDWR | O_CLOEXEC);
    if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        nftw(path, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    if (descriptor >= 0)
        close(descriptor);
    free(lock);
}

static size_t find_folders(const char *parent, folder **found) {
    DIR *directory = opendir(parent);
    size_t count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        folder new = {.path = text_format("%s/%s", parent, entry->d_name)};
        folder *more = is_folder(new.path, &new.used) ? realloc(*found, (count + 1) * sizeof *more) : NULL;
        if (more) {
            *found = more;
            (*found)[count++] = new;
        } else {
            free(new.path);
        }
    }
    if (directory)
        closedir(directory);
    return count;
}

void grade_folders_keep_newest(const char *object) {
    char *own = text_format("%.*s", (int)(strrchr(object, '/') - object), object);
    char *parent = text_format("%.*s", (int)(strrchr(own, '/') - own), own);
    folder *folders = NULL;
    utimensat(AT_FDCWD, own, NULL, 0); /* used now, though perhaps nothing was built */
    const size_t count = find_folders(parent, &folders);
    if (count > 0)
        qsort(folders, count, sizeof *folders, newest_first);
    for (size_t i = 0; i < count; ++i) {
        if (i >= KEPT)
            remove_folder(folders[i].path);
        free(folders[i].path);
    }
    free(folders);
    free(parent);
    free(own);
}
