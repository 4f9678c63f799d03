/* Loaded before the C library: lets one write to files under a folder fail, or end the program.

   Counted are all calls that change a file or its name. `arm` says which of them fails, and how:
   an errno above 0, or minus a signal. ENOSPC fails from then on, as a full disk stays full; of
   what is written when it is met, half has room. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[4096];
static int fault;
static long chosen;
static atomic_long calls;

void arm(const char *where, int kind, long which) {
    snprintf(folder, sizeof folder, "%s/", where);
    fault = kind;
    chosen = which;
    atomic_store(&calls, 0);
}

long counted(void) { return atomic_load(&calls); }

static int is_inside(const char *path) {
    return path[0] != '/' || strncmp(path, folder, strlen(folder)) == 0;
}

static int is_file_inside(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 1 || path[0] != '/') return 0;
    path[size] = 0;
    return is_inside(path);
}

/* Whether a call fails, for which errno is set. */
static int fails(void) {
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (chosen == 0 || (number != chosen && !(fault == ENOSPC && number > chosen))) return 0;
    if (fault < 0) {
        kill(getpid(), -fault);
        return 0;
    }
    errno = fault;
    return 1;
}

#define NEXT(name) static __typeof__(name) *next; if (!next) next = dlsym(RTLD_NEXT, #name)
#define ON_FILE(type, name, given, passed)                                  \
    type name given {                                                       \
        NEXT(name);                                                         \
        return folder[0] && is_file_inside(file) && fails() ? -1 : next passed; \
    }
#define ON_PATH(name, given, passed)                                        \
    int name given {                                                        \
        NEXT(name);                                                         \
        return folder[0] && is_inside(path) && fails() ? -1 : next passed;  \
    }
#define OPENING(name, given, passed)                                        \
    int name given {                                                        \
        NEXT(name);                                                         \
        mode_t mode = 0;                                                    \
        if (flags & O_CREAT) {                                              \
            va_list rest;                                                   \
            va_start(rest, flags);                                          \
            mode = va_arg(rest, mode_t);                                    \
            va_end(rest);                                                   \
            if (folder[0] && is_inside(path) && fails()) return -1;         \
        }                                                                   \
        return next passed;                                                 \
    }

ssize_t write(int file, const void *data, size_t size) {
    NEXT(write);
    if (!folder[0] || !is_file_inside(file) || !fails()) return next(file, data, size);
    return fault == ENOSPC && atomic_load(&calls) == chosen && size > 1 ? next(file, data, size / 2)
                                                                        : -1;
}
ON_FILE(ssize_t, pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at))
ON_FILE(ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at),
        (file, data, size, at))
ON_FILE(int, fsync, (int file), (file))
ON_FILE(int, fdatasync, (int file), (file))
ON_FILE(int, ftruncate, (int file, off_t size), (file, size))
ON_FILE(int, ftruncate64, (int file, off64_t size), (file, size))
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
ON_PATH(rename, (const char *old, const char *path), (old, path))
OPENING(open, (const char *path, int flags, ...), (path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode))
