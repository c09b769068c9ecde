/* Random calls of the driver's contexts in several threads, beside a model. Needs no header of the
 * toolkit. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxSetCurrent(void *context);
int cuCtxGetCurrent(void **context);
int cuCtxGetDevice(int *device);
int cuCtxSynchronize(void);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuMemAlloc_v2(uint64_t *at, size_t bytes);
int cuMemFree_v2(uint64_t at);

enum { INVALID_CONTEXT = 201, IS_DESTROYED = 709, MOST = 40, STEPS = 2000 };

struct model {
    void *all[MOST], *stack[MOST];
    int destroyed[MOST], count, depth;
    unsigned random;
    int failures;
};

static void expect(struct model *m, const char *what, int got, int expected)
{
    if (got != expected && m->failures++ < 10)
        printf("%s: %d, expected %d\n", what, got, expected);
}

static unsigned draw(struct model *m, unsigned limit)
{
    m->random = m->random * 1103515245 + 12345;
    return (m->random >> 16) % limit;
}

static int number_of(const struct model *m, const void *context)
{
    for (int i = 0; i < m->count; i++)
        if (m->all[i] == context)
            return i;
    return -1;
}

static void *top(const struct model *m)
{
    return m->depth ? m->stack[m->depth - 1] : NULL;
}

static int state(const struct model *m)
{
    return !top(m) ? INVALID_CONTEXT : m->destroyed[number_of(m, top(m))] ? IS_DESTROYED : 0;
}

static void change(struct model *m)
{
    int which = m->count ? (int)draw(m, (unsigned)m->count) : -1;
    int alive = which >= 0 && !m->destroyed[which];
    void *context = which >= 0 ? m->all[which] : (void *)m, *got = NULL;
    switch (draw(m, 7)) {
    case 0:
        if (m->count == MOST || m->depth == MOST)
            return;
        expect(m, "create", cuCtxCreate_v2(&got, 0, 0), 0);
        expect(m, "new", number_of(m, got), -1);
        m->all[m->count++] = m->stack[m->depth++] = got;
        return;
    case 1:
        if (draw(m, 8))
            return;
        expect(m, "destroy", cuCtxDestroy_v2(context), alive ? 0 : INVALID_CONTEXT);
        if (!alive)
            return;
        m->destroyed[which] = 1;
        m->depth -= top(m) == context;
        return;
    case 2:
        if (m->depth == MOST)
            return;
        expect(m, "push", cuCtxPushCurrent_v2(context), alive ? 0 : INVALID_CONTEXT);
        if (alive)
            m->stack[m->depth++] = context;
        return;
    case 3:
    case 4: {
        int takes = (int)draw(m, 2); // NULL is allowed
        expect(m, "pop", cuCtxPopCurrent_v2(takes ? &got : NULL), m->depth ? 0 : INVALID_CONTEXT);
        if (m->depth && takes)
            expect(m, "popped", got == top(m), 1);
        m->depth -= m->depth > 0;
        return;
    }
    case 5:
        expect(m, "set", cuCtxSetCurrent(context), alive ? 0 : INVALID_CONTEXT);
        if (alive) {
            m->depth -= m->depth > 0;
            m->stack[m->depth++] = context;
        }
        return;
    default:
        if (draw(m, 4))
            return;
        expect(m, "set NULL", cuCtxSetCurrent(NULL), 0);
        m->depth -= m->depth > 0;
    }
}

static void *run(void *of)
{
    struct model *m = of;
    void *got;
    int device;
    uint64_t at;
    expect(m, "set NULL", cuCtxSetCurrent(NULL),
           0); // from here on the thread has a stack of its own
    for (int i = 0; i < STEPS; i++) {
        change(m);
        expect(m, "get", cuCtxGetCurrent(&got), 0);
        expect(m, "current", got == top(m), 1);
        expect(m, "device", cuCtxGetDevice(&device), state(m));
        expect(m, "synchronise", cuCtxSynchronize(), state(m));
        expect(m, "allocate", cuMemAlloc_v2(&at, 4), state(m));
        if (!state(m))
            expect(m, "free", cuMemFree_v2(at), 0);
    }
    return NULL;
}

int main(void)
{
    enum { THREADS = 4 };
    static struct model models[THREADS];
    pthread_t threads[THREADS];
    void *primary, *got;
    int failures = 0;
    expect(&models[0], "init", cuInit(0), 0);
    expect(&models[0], "retain", cuDevicePrimaryCtxRetain(&primary, 0), 0);
    expect(&models[0], "push", cuCtxPushCurrent_v2(primary), 0);
    for (int i = 0; i < THREADS; i++) {
        models[i].random = (unsigned)i + 1;
        pthread_create(&threads[i], NULL, run, &models[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        failures += models[i].failures;
    }
    expect(&models[0], "destroy the primary one", cuCtxDestroy_v2(primary), INVALID_CONTEXT);
    expect(&models[0], "get", cuCtxGetCurrent(&got), 0);
    expect(&models[0], "the primary one", got == primary, 1);
    puts(failures || models[0].failures ? "FAILED" : "PASSED");
    return failures || models[0].failures;
}
