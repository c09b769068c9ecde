// Calls a fuzz target without a fuzzer: on the given files and each .ptx file below the given
// folders, on truncated files, on mutations that are the same in every run, and with each of the
// first memory requests failing. Prints TAP, one case per file; faults abort.
//
// usage: replay-NAME [--words=DICTIONARY] PATH…
//            all of that; mutations insert words of the dictionary
//        replay-NAME --once [FILE…]
//            each file, or standard input, unchanged and once: for AFL++, and to reproduce findings
#define _XOPEN_SOURCE 700
#include "support/random.h"
#include "tests/fuzz/fuzz.h"
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    // It replays the same in every run. A fuzzer makes fresh mutations.
    CUTS = 8,
    MUTATIONS = 16,
    FAILURES = 1024,
    MAX_FILES = 4096,
    MAX_WORDS = 8192,
    LONGEST_PART = 64,
};

static char *paths[MAX_FILES];
static size_t path_count;
static char *words[MAX_WORDS];
static size_t word_count;

static int add_path(const char *path, const struct stat *status, int type, struct FTW *where)
{
    size_t length = strlen(path);
    int is_given = where->level == 0, is_ptx = length > 4 && !strcmp(path + length - 4, ".ptx");
    int wanted = type == FTW_F && status->st_size && (is_given || is_ptx);
    if (wanted && path_count < MAX_FILES)
        paths[path_count++] = strdup(path);
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Makes room for a part at `at` and copies it there.
static size_t insert(uint8_t *data, size_t size, size_t at, const void *part, size_t length)
{
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, part, length);
    return size + length;
}

// Changes `data`, which has room for LONGEST_PART more bytes; returns its new size.
static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
    static const char bytes[] = "{}()[]<>;,.:@%\"|*/+-!$_ \n\t\0\x80\xff"
                                "09afrxX";
    size_t at = splitmix64(state) % size, part = 1 + splitmix64(state) % LONGEST_PART;
    if (part > size - at)
        part = size - at;
    switch (splitmix64(state) % (word_count ? 6 : 4)) {
    case 0: // another byte
        data[at] = (uint8_t)splitmix64(state);
        return size;
    case 1: // a byte that means something
        data[at] = (uint8_t)bytes[splitmix64(state) % (sizeof bytes - 1)];
        return size;
    case 2: // a part less
        memmove(data + at, data + at + part, size - at - part);
        return size - part;
    case 3: // a part from elsewhere
    {
        uint8_t copy[LONGEST_PART];
        memcpy(copy, data + at, part);
        return insert(data, size, splitmix64(state) % size, copy, part);
    }
    default: {
        const char *word = words[splitmix64(state) % word_count];
        return insert(data, size, at, word, strlen(word));
    }
    }
}

// Reads one quoted word per line; words with a backslash are for other fuzzers.
static void read_words(const char *path)
{
    char line[LONGEST_PART + 4];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        char *end = strrchr(line, '"');
        if (*line != '"' || end == line || strchr(line, '\\') || word_count == MAX_WORDS)
            continue;
        *end = 0;
        words[word_count++] = strdup(line + 1);
    }
    fclose(file);
}

static int feed(const uint8_t *data, size_t size, long fail_in)
{
    return fuzz_one(
        &(struct fuzz_input){.data = data, .size = size, .part = FUZZ_ALL, .fail_in = fail_in});
}

// Returns the number of memory requests that can fail.
static long replay(const uint8_t *data, size_t size)
{
    feed(data, size, 0);
    for (size_t cut = 0; cut < CUTS; cut++)
        feed(data, size * cut / CUTS, 0);
    uint64_t state = size;
    uint8_t *changed = malloc(size + 4 * LONGEST_PART);
    for (int i = 0; i < MUTATIONS; i++) {
        size_t length = size;
        memcpy(changed, data, size);
        for (uint64_t times = 1 + splitmix64(&state) % 4; times && length; times--)
            length = mutate(changed, length, &state);
        feed(changed, length, 0);
    }
    free(changed);
    long n = 1;
    while (n <= FAILURES && feed(data, size, n))
        n++;
    return n - 1;
}

static uint8_t *read_all(FILE *file, size_t *size)
{
    size_t room = 1 << 16;
    uint8_t *data = malloc(room);
    *size = 0;
    for (size_t got; (got = fread(data + *size, 1, room - *size, file));) {
        *size += got;
        if (*size == room)
            data = realloc(data, room *= 2);
    }
    return data;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    uint8_t *data = read_all(file, size);
    fclose(file);
    return data;
}

static bool replay_path(size_t number)
{
    size_t size;
    // Said before it is done: if it aborts, the last line names the file.
    printf("# %s\n", paths[number]);
    fflush(stdout);
    uint8_t *data = read_file(paths[number], &size);
    long failures = replay(data, size);
    free(data);
    // Otherwise there are requests of memory that no test has failed.
    bool is_good = failures < FAILURES;
    printf("%sok %zu - %s, %ld failures of memory\n", is_good ? "" : "not ", number + 1,
           paths[number], failures);
    free(paths[number]);
    return is_good;
}

static int once(int count, char **files)
{
    for (int i = 0; i < count || i == 0; i++) {
        size_t size;
        uint8_t *data = count ? read_file(files[i], &size) : read_all(stdin, &size);
        feed(data, size, 0);
        free(data);
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const char words_option[] = "--words=";
    if (argc > 1 && !strcmp(argv[1], "--once"))
        return once(argc - 2, argv + 2);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], words_option, sizeof words_option - 1))
            read_words(argv[i] + sizeof words_option - 1);
        else
            nftw(argv[i], add_path, 16, FTW_PHYS);
    qsort(paths, path_count, sizeof *paths, compare_paths);
    printf("1..%zu\n", path_count);
    bool good = path_count > 0;
    for (size_t i = 0; i < path_count; i++)
        good &= replay_path(i);
    for (size_t i = 0; i < word_count; i++)
        free(words[i]);
    return !good;
}
