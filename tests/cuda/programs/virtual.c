/* Random reservations, mappings and releases beside a model. Needs no header of the toolkit and no
 * nvcc.
 *
 *     virtual MODULE STEPS
 *
 * MODULE is nodes.ptx, whose kernel `step` changes a word. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 6, BLOCKS = 5, INVALID = 1, READ_WRITE = 3, VIRTUAL_MEMORY = 102 };

struct properties {
    int type, handles, location[2];
    void *security;
    unsigned char flags[8];
};

struct access {
    int location[2], flags;
};

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoad(void **module, const char *path);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **more);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemGetAllocationGranularity(size_t *bytes, const struct properties *properties, int which);
int cuMemAddressReserve(uint64_t *to, size_t bytes, size_t align, uint64_t wished,
                        unsigned long long flags);
int cuMemAddressFree(uint64_t at, size_t bytes);
int cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *properties,
                unsigned long long flags);
int cuMemRelease(uint64_t handle);
int cuMemMap(uint64_t at, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
int cuMemUnmap(uint64_t at, size_t bytes);
int cuDevicePrimaryCtxReset_v2(int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuMemSetAccess(uint64_t at, size_t bytes, const struct access *list, size_t count);
int cuMemGetAccess(unsigned long long *flags, const int *location, uint64_t at);
int cuMemRetainAllocationHandle(uint64_t *handle, uint64_t at);

#define CALL(expression) expect(expression, 0, #expression, __LINE__)
#define FAILS(expression) expect(expression, INVALID, #expression, __LINE__)

static int failures;
static uint64_t seed = 9;

static void expect(int error, int expected, const char *text, int line)
{
    if (error == expected)
        return;
    printf("line %d: %s: %d\n", line, text, error);
    failures++;
}

static unsigned draw(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

struct test {
    size_t page;
    uint64_t base, blocks[BLOCKS];
    uint32_t words[BLOCKS]; /* first word of each block */
    int mapped[PAGES];      /* block + 1 */
    int accessible[PAGES];
    void *step;
};

static uint64_t at(const struct test *t, int page)
{
    return t->base + (size_t)page * t->page;
}

static void check_words(struct test *t)
{
    for (int i = 0; i < PAGES; i++) {
        uint32_t word = 0;
        if (!t->accessible[i])
            continue;
        CALL(cuMemcpyDtoH_v2(&word, at(t, i), sizeof word));
        if (word != t->words[t->mapped[i] - 1] && failures++ < 10)
            printf("page %d: %u, not %u\n", i, word, t->words[t->mapped[i] - 1]);
    }
}

static void change_word(struct test *t, int page)
{
    uint32_t factor = 3, term = draw(100), *word = &t->words[t->mapped[page] - 1];
    uint64_t to = at(t, page);
    void *arguments[] = {&to, &factor, &term};
    CALL(cuLaunchKernel(t->step, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    *word = *word * factor + term;
}

/* A copy of all accessible pages from this one on, which are adjacent. */
static void copy_run(struct test *t, int page)
{
    int end = page;
    while (end < PAGES && t->accessible[end])
        end++;
    size_t bytes = (size_t)(end - page) * t->page;
    uint8_t *buffer = malloc(bytes);
    CALL(cuMemcpyDtoH_v2(buffer, at(t, page), bytes));
    for (int i = page; i < end; i++) {
        uint32_t word;
        memcpy(&word, buffer + (size_t)(i - page) * t->page, sizeof word);
        if (word != t->words[t->mapped[i] - 1] && failures++ < 10)
            printf("page %d of a run: %u, not %u\n", i, word, t->words[t->mapped[i] - 1]);
    }
    if (end < PAGES)
        FAILS(cuMemcpyDtoH_v2(buffer, at(t, page) + 4, bytes));
    free(buffer);
}

static void random_step(struct test *t)
{
    int page = (int)draw(PAGES), block = (int)draw(BLOCKS);
    struct access access = {{1, 0}, READ_WRITE};
    unsigned long long flags;
    uint64_t handle;
    if (!t->mapped[page]) {
        FAILS(cuMemUnmap(at(t, page), t->page));
        FAILS(cuMemSetAccess(at(t, page), t->page, &access, 1));
        CALL(cuMemMap(at(t, page), t->page, 0, t->blocks[block], 0));
        t->mapped[page] = block + 1;
        return;
    }
    FAILS(cuMemMap(at(t, page), t->page, 0, t->blocks[block], 0));
    CALL(cuMemGetAccess(&flags, access.location, at(t, page)));
    if ((flags == READ_WRITE) != t->accessible[page] && failures++ < 10)
        printf("page %d has other access\n", page);
    CALL(cuMemRetainAllocationHandle(&handle, at(t, page)));
    expect(handle != t->blocks[t->mapped[page] - 1], 0, "the same handle", __LINE__);
    CALL(cuMemRelease(handle));
    if (!t->accessible[page]) {
        CALL(cuMemSetAccess(at(t, page), t->page, &access, 1));
        t->accessible[page] = 1;
    } else if (draw(3)) {
        change_word(t, page);
        copy_run(t, page);
    } else {
        CALL(cuMemUnmap(at(t, page), t->page));
        t->mapped[page] = t->accessible[page] = 0;
    }
}

/* A reset frees mapped memory and its addresses. */
static void map_and_reset(struct test *t, const struct properties *properties)
{
    struct access access = {{1, 0}, 3};
    uint64_t block;
    unsigned word = 7, back = 0;
    CALL(cuMemAddressReserve(&t->base, 2 * t->page, 0, 0, 0));
    CALL(cuMemCreate(&block, t->page, properties, 0));
    CALL(cuMemMap(t->base, t->page, 0, block, 0));
    CALL(cuMemSetAccess(t->base, t->page, &access, 1));
    CALL(cuMemcpyHtoD_v2(t->base, &word, 4));
    CALL(cuMemcpyDtoH_v2(&back, t->base, 4));
    expect(back != 7, 0, "the word", __LINE__);
    CALL(cuDevicePrimaryCtxReset_v2(0));
    FAILS(cuMemRelease(block));
    FAILS(cuMemUnmap(t->base, t->page));
    FAILS(cuMemAddressFree(t->base, 2 * t->page));
}

int main(int argc, char **argv)
{
    static struct test t;
    struct properties properties = {1, 0, {1, 0}};
    void *context, *module;
    int supported;
    (void)argc;
    CALL(cuInit(0));
    CALL(cuDevicePrimaryCtxRetain(&context, 0));
    CALL(cuCtxSetCurrent(context));
    CALL(cuModuleLoad(&module, argv[1]));
    CALL(cuModuleGetFunction(&t.step, module, "step"));
    CALL(cuDeviceGetAttribute(&supported, VIRTUAL_MEMORY, 0));
    expect(supported, 1, "virtual memory management is supported", __LINE__);
    CALL(cuMemGetAllocationGranularity(&t.page, &properties, 0));
    FAILS(cuMemAddressReserve(&t.base, t.page + 4096, 0, 0, 0));
    CALL(cuMemAddressReserve(&t.base, PAGES * t.page, 0, 0, 0));
    for (int i = 0; i < BLOCKS; i++)
        CALL(cuMemCreate(&t.blocks[i], t.page, &properties, 0));
    for (int i = 0; i < atoi(argv[2]); i++) {
        random_step(&t);
        check_words(&t);
    }
    FAILS(cuMemAddressFree(t.base, t.page));
    for (int i = 0; i < PAGES; i++)
        if (t.mapped[i])
            CALL(cuMemUnmap(at(&t, i), t.page));
    for (int i = 0; i < BLOCKS; i++)
        CALL(cuMemRelease(t.blocks[i]));
    FAILS(cuMemRelease(t.blocks[0]));
    CALL(cuMemAddressFree(t.base, PAGES * t.page));
    map_and_reset(&t, &properties);
    map_and_reset(&t, &properties);
    puts(failures ? "FAILED" : "PASSED");
    return failures != 0;
}
