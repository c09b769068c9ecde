// Calls a fuzz target without a fuzzer: on the given files and each .ptx file below the given
// folders, on the file cut off at many places, on mutations of it that are the same in every run,
// and with each of its first requests of memory failing. Prints TAP, one case a file; what goes
// wrong aborts.
#define _XOPEN_SOURCE 700
#include "tests/fuzz/fuzz.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CUTS = 64, MUTATIONS = 192, FAILURES = 64, MOST_FILES = 4096, LONGEST_PART = 64 };

static char *paths[MOST_FILES];
static size_t path_count;

static int add_path(const char *path, const struct stat *status, int type, struct FTW *where)
{
    size_t length = strlen(path);
    int is_given = where->level == 0, is_ptx = length > 4 && !strcmp(path + length - 4, ".ptx");
    int wanted = type == FTW_F && status->st_size && (is_given || is_ptx);
    if (wanted && path_count < MOST_FILES)
        paths[path_count++] = strdup(path);
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// splitmix64
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// Changes `data`, which has room for LONGEST_PART more bytes; returns its new size.
static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
    static const char bytes[] = "{}()[]<>;,.:@%\"|*/+-!$_ \n\t\0\x80\xff"
                                "09afrxX";
    size_t at = random_bits(state) % size, part = 1 + random_bits(state) % LONGEST_PART;
    if (part > size - at)
        part = size - at;
    switch (random_bits(state) % 4) {
    case 0: // another byte
        data[at] = (uint8_t)random_bits(state);
        return size;
    case 1: // a byte that means something
        data[at] = (uint8_t)bytes[random_bits(state) % (sizeof bytes - 1)];
        return size;
    case 2: // a part less
        memmove(data + at, data + at + part, size - at - part);
        return size - part;
    default: // a part from elsewhere
    {
        uint8_t copy[LONGEST_PART];
        memcpy(copy, data + at, part);
        size_t to = random_bits(state) % size;
        memmove(data + to + part, data + to, size - to);
        memcpy(data + to, copy, part);
        return size + part;
    }
    }
}

static void replay(const uint8_t *data, size_t size)
{
    fuzz_one(data, size, 0);
    for (size_t cut = 0; cut < CUTS; cut++)
        fuzz_one(data, size * cut / CUTS, 0);
    uint64_t state = size;
    uint8_t *changed = malloc(size + 4 * LONGEST_PART);
    for (int i = 0; i < MUTATIONS; i++) {
        size_t length = size;
        memcpy(changed, data, size);
        for (uint64_t times = 1 + random_bits(&state) % 4; times && length; times--)
            length = mutate(changed, length, &state);
        fuzz_one(changed, length, 0);
    }
    free(changed);
    for (long n = 1; n <= FAILURES && fuzz_one(data, size, n); n++)
        ;
}

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size);
    size = fread(data, 1, size, file);
    fclose(file);
    replay(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        nftw(argv[i], add_path, 16, FTW_PHYS);
    qsort(paths, path_count, sizeof *paths, compare_paths);
    printf("1..%zu\n", path_count);
    for (size_t i = 0; i < path_count; i++) {
        // Said before it is done: if it aborts, the last line names the file.
        printf("# %s\n", paths[i]);
        fflush(stdout);
        replay_file(paths[i]);
        printf("ok %zu - %s\n", i + 1, paths[i]);
        free(paths[i]);
    }
    return 0;
}
