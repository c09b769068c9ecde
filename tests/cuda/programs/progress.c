/* A program that waits for its work without calling CUDA, in the way that its first argument names.
 * It needs no nvcc; FATBIN has progress.ptx. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct dim3 {
    unsigned x, y, z;
};

enum { TO_DEVICE = 1, TO_HOST, NOT_READY = 600, HOST_MAPPED = 2, ATTACH_GLOBAL = 1 };
enum { N = 1000, STREAMS = 3 };

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const void *host, char *name, const char *device,
                            int limit, void *thread, void *block, void *block_size, void *grid_size,
                            int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global);
int cudaMalloc(void **to, size_t bytes);
int cudaMallocManaged(void **to, size_t bytes, unsigned flags);
int cudaHostAlloc(void **to, size_t bytes, unsigned flags);
int cudaFree(void *at);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t at, int kind);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaMemGetInfo(size_t *free, size_t *total);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *context);
int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *context,
                          unsigned flags);
int cudaStreamCreate(void **stream);
int cudaStreamQuery(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventCreate(void **event);
int cudaEventQuery(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *milliseconds, void *from, void *to);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);

__asm__(".section .nv_fatbin,\"a\"\n"
        ".balign 8\n"
        "image:\n"
        ".incbin \"" FATBIN "\"\n"
        ".previous\n");
extern const char image[];

static struct {
    int magic, version;
    const void *data;
    void *more;
} wrapper = {0x466243b1, 1, image, NULL};

// Host stubs of the kernels, and a variable.
static char add, work, set, poll, count, share;
static unsigned number;

__attribute__((constructor)) static void enter(void)
{
    static const struct {
        char *stub, *name;
    } kernels[] = {{&add, "add"},    {&work, "work"},   {&set, "set"},
                   {&poll, "await"}, {&count, "count"}, {&share, "share"}};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        __cudaRegisterFunction(handle, kernels[i].stub, kernels[i].name, kernels[i].name, -1, NULL,
                               NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&number, "number", "number", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static void check(int good, const char *what)
{
    if (good)
        return;
    printf("FAILED: %s\n", what);
    fflush(stdout);
    _exit(1);
}
#define CHECK(condition) check(condition, #condition)
#define CALL(call) check(!(call), #call)

static void launch(const void *kernel, unsigned ctas, void *first, void *second, void *stream)
{
    void *arguments[] = {first, second};
    CALL(cudaLaunchKernel(kernel, (struct dim3){ctas, 1, 1},
                          (struct dim3){ctas > 1 ? 128 : 1, 1, 1}, arguments, 0, stream));
}

static unsigned n = N, steps = 20000;
static void *streams[STREAMS];
static unsigned *device[STREAMS], *device_flag;

static unsigned fetch(const unsigned *from)
{
    unsigned value;
    CALL(cudaMemcpy(&value, from, sizeof value, TO_HOST));
    return value;
}

// Waiting

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int done[STREAMS];

static void signal_done(void *context)
{
    pthread_mutex_lock(&mutex);
    ++*(int *)context;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
}

static void wait_done(const int *what, int value)
{
    pthread_mutex_lock(&mutex);
    while (*what < value)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void by_condition(void)
{
    for (int i = 1; i <= 5; i++) {
        launch(&work, 1, &device[0], &steps, streams[0]);
        CALL(cudaLaunchHostFunc(streams[0], signal_done, &done[0]));
        wait_done(&done[0], i);
    }
    CHECK(fetch(device[0]) == steps);
}

static atomic_int called;

static void count_call(void *stream, int status, void *context)
{
    (void)stream, (void)context;
    atomic_fetch_add(&called, 1 + status);
}

static void by_callback(void)
{
    for (int i = 1; i <= 3; i++) {
        launch(&add, 8, &device[i % STREAMS], &n, streams[i % STREAMS]);
        CALL(cudaStreamAddCallback(streams[i % STREAMS], count_call, NULL, 0));
        while (atomic_load(&called) < i)
            if (i == 2)
                usleep(1000);
    }
}

static void poll_memory(volatile unsigned *flag)
{
    for (unsigned value = 1; value <= 3; value++) {
        launch(&set, 1, &flag, &value, streams[0]);
        while (*flag != value)
            continue;
    }
}

static void by_mapped(void)
{
    void *flag;
    CALL(cudaHostAlloc(&flag, 4, HOST_MAPPED));
    poll_memory(flag);
}

static void by_managed(void)
{
    void *flag;
    CALL(cudaMallocManaged(&flag, 4, ATTACH_GLOBAL));
    poll_memory(flag);
}

static void *work_alone(void *context)
{
    intptr_t i = (intptr_t)context;
    for (int k = 1; k <= 5; k++) {
        launch(&add, 8, &device[i], &n, streams[i]);
        CALL(cudaLaunchHostFunc(streams[i], signal_done, &done[i]));
        if (k % 2)
            wait_done(&done[i], k);
        else
            CALL(cudaStreamSynchronize(streams[i]));
    }
    return NULL;
}

static void by_threads(void)
{
    pthread_t threads[STREAMS];
    for (intptr_t i = 0; i < STREAMS; i++)
        pthread_create(&threads[i], NULL, work_alone, (void *)i);
    for (int i = 0; i < STREAMS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < STREAMS; i++)
        CHECK(fetch(device[i]) == 5);
}

// A host function that waits for a thread, which calls CUDA in another stream first.
static void *help(void *context)
{
    (void)context;
    launch(&add, 8, &device[1], &n, streams[1]);
    CALL(cudaLaunchHostFunc(streams[1], signal_done, &done[1]));
    CALL(cudaStreamQuery(streams[0]) != NOT_READY);
    signal_done(&done[2]);
    return NULL;
}

static void wait_for_helper(void *context)
{
    wait_done(&done[2], 1);
    signal_done(context);
}

static void by_helper(void)
{
    pthread_t thread;
    CALL(cudaLaunchHostFunc(streams[0], wait_for_helper, &done[0]));
    launch(&add, 8, &device[0], &n, streams[0]);
    pthread_create(&thread, NULL, help, NULL);
    CALL(cudaStreamSynchronize(streams[0]));
    wait_done(&done[1], 1);
    pthread_join(thread, NULL);
    CHECK(done[0] == 1 && fetch(device[0]) == 1 && fetch(device[1]) == 1);
}

// The program holds a lock that its host function needs while it issues work, but not while it
// waits.
static void by_lock(void)
{
    for (int i = 1; i <= 50; i++) {
        pthread_mutex_lock(&mutex);
        CALL(cudaLaunchHostFunc(streams[0], signal_done, &done[0]));
        usleep(i % 5 ? 0 : 3000);
        launch(&add, 8, &device[0], &n, streams[0]);
        CALL(cudaMemcpyAsync(device[1], device[0], 4, 3, streams[1]));
        CALL(cudaStreamSynchronize(streams[2]));
        pthread_mutex_unlock(&mutex);
    }
    CALL(cudaDeviceSynchronize());
    CHECK(done[0] == 50 && fetch(device[0]) == 50);
}

static void by_query(void)
{
    void *event;
    CALL(cudaEventCreate(&event));
    launch(&add, 8, &device[0], &n, streams[0]);
    CALL(cudaLaunchHostFunc(streams[0], signal_done, &done[0]));
    CALL(cudaEventRecord(event, streams[0]));
    while (cudaEventQuery(event) == NOT_READY)
        continue;
    CHECK(done[0] == 1);
    launch(&add, 8, &device[1], &n, streams[1]);
    while (cudaStreamQuery(streams[1]) == NOT_READY)
        continue;
    CHECK(fetch(device[0]) == 1 && fetch(device[1]) == 1);
}

// A kernel that polls memory which the host writes, or a copy in another stream, after the launch.
struct shared {
    uint32_t word;
    uint64_t wide;
    float real;
    uint32_t bits;
};

// Adds 1 with a compare-and-swap, as programs do it for numbers that have no atomic operation.
static void add_real(float *to)
{
    float old, sum;
    __atomic_load(to, &old, __ATOMIC_SEQ_CST);
    do
        sum = old + 1;
    while (!__atomic_compare_exchange(to, &old, &sum, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

// The host and a kernel change the same words of managed memory at the same time.
static void with_host(void)
{
    enum { THREADS = 8 * 128, MINE = 4000000 };
    unsigned rounds = 1500;
    struct shared *at;
    CALL(cudaMallocManaged((void **)&at, sizeof *at, ATTACH_GLOBAL));
    memset(at, 0, sizeof *at);
    launch(&share, 8, &at, &rounds, streams[0]);
    for (int i = 0; i < MINE; i++) {
        __atomic_fetch_add(&at->word, 10, __ATOMIC_SEQ_CST);
        __atomic_fetch_add(&at->wide, 7, __ATOMIC_SEQ_CST);
        add_real(&at->real);
        __atomic_fetch_xor(&at->bits, 2, __ATOMIC_SEQ_CST);
    }
    CALL(cudaStreamSynchronize(streams[0]));
    CHECK(at->word == 10 * MINE + 3 * THREADS * rounds);
    CHECK(at->wide == 7ull * MINE + 5ull * THREADS * rounds);
    CHECK(at->real == (float)MINE + THREADS * rounds);
    CHECK(at->bits == (MINE & 1) * 2 + (THREADS * rounds & 1));
}

static void by_host_flag(void)
{
    void *flag;
    CALL(cudaHostAlloc(&flag, 4, HOST_MAPPED));
    *(volatile unsigned *)flag = 0;
    launch(&poll, 1, &flag, &device[0], streams[0]);
    usleep(100000);
    CHECK(cudaStreamQuery(streams[1]) == 0);
    launch(&add, 8, &device[1], &n, streams[1]);
    *(volatile unsigned *)flag = 7;
    CALL(cudaStreamSynchronize(streams[0]));
    CHECK(fetch(device[0]) == 7 && fetch(device[1]) == 1);
}

static void by_copy(void)
{
    unsigned value = 9;
    launch(&poll, 1, &device_flag, &device[0], streams[0]);
    usleep(100000);
    CALL(cudaMemcpyAsync(device_flag, &value, 4, TO_DEVICE, streams[1]));
    CALL(cudaStreamSynchronize(streams[1]));
    CALL(cudaStreamSynchronize(streams[0]));
    CHECK(fetch(device[0]) == 9);
}

static void by_kernel(void)
{
    unsigned value = 4;
    launch(&poll, 1, &device_flag, &device[0], streams[0]);
    launch(&set, 1, &device_flag, &value, streams[1]);
    CALL(cudaDeviceSynchronize());
    CHECK(fetch(device[0]) == 4);
}

// Ends

static void fork_pending(void)
{
    launch(&work, 1, &device[0], &steps, streams[0]);
    CALL(cudaLaunchHostFunc(streams[0], signal_done, &done[0]));
    usleep(2000);
    pid_t child = fork();
    if (!child) {
        launch(&add, 8, &device[1], &n, streams[1]);
        CALL(cudaDeviceSynchronize());
        _exit(fetch(device[1]) == 1 ? 5 : 6);
    }
    int status;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    wait_done(&done[0], 1);
    CHECK(fetch(device[0]) == steps);
}

static void end_pending(void)
{
    launch(&work, 1, &device[0], &steps, streams[0]);
    CALL(cudaLaunchHostFunc(streams[1], signal_done, &done[0]));
}

static void end_in_function(void *context)
{
    (void)context;
    exit(3);
}

static void end_by_function(void)
{
    launch(&work, 1, &device[0], &steps, streams[0]);
    CALL(cudaLaunchHostFunc(streams[0], end_in_function, NULL));
    for (;;)
        pause();
}

static void never_return(void *context)
{
    (void)context;
    for (;;)
        pause();
}

static void hang(void)
{
    CALL(cudaLaunchHostFunc(streams[0], never_return, NULL));
    cudaStreamSynchronize(streams[0]);
}

static void hang_at_end(void)
{
    CALL(cudaLaunchHostFunc(streams[0], never_return, NULL));
}

static void hang_outside(void)
{
    CALL(cudaLaunchHostFunc(streams[0], never_return, NULL));
    CALL(cudaLaunchHostFunc(streams[0], signal_done, &done[0]));
    wait_done(&done[0], 1);
}

static void poll_for_ever(void)
{
    launch(&poll, 1, &device_flag, &device[0], streams[0]);
    for (;;)
        usleep(1000);
}

static void fail_unseen(void)
{
    void *wild = (void *)16;
    launch(&work, 1, &wild, &steps, streams[0]);
    CALL(cudaLaunchHostFunc(streams[0], signal_done, &done[0]));
    wait_done(&done[0], 1);
}

// Situations for signals; the launch takes some minutes.
static unsigned for_long = 2000000000;

static void report_ready(void)
{
    puts("ready");
    fflush(stdout);
}

static void long_in_call(void)
{
    launch(&work, 1, &device[0], &for_long, streams[0]);
    report_ready();
    cudaDeviceSynchronize();
}

static void long_outside(void)
{
    launch(&work, 1, &device[0], &for_long, streams[0]);
    report_ready();
    for (volatile unsigned long i = 0;; i = i + 1)
        continue;
}

static void long_blocked(void)
{
    launch(&work, 1, &device[0], &for_long, streams[0]);
    CALL(cudaLaunchHostFunc(streams[0], signal_done, &done[0]));
    report_ready();
    wait_done(&done[0], 1);
}

static void no_work(void)
{
    CALL(cudaDeviceSynchronize());
    report_ready();
    for (volatile unsigned long i = 0;; i = i + 1)
        continue;
}

static void never_ready(void)
{
    CALL(cudaLaunchHostFunc(streams[0], never_return, NULL));
    report_ready();
    cudaStreamSynchronize(streams[0]);
}

static void leave(int received)
{
    _exit(40 + received);
}

static void own_handler(void)
{
    launch(&work, 1, &device[0], &steps, streams[0]);
    no_work();
}

// Times

static uint64_t random_state;

static unsigned draw(unsigned below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

static void delay(void)
{
    static uint64_t state;
    state = (state + (uint64_t)getpid()) * 6364136223846793005u + 1;
    unsigned microseconds = (unsigned)(state >> 40) % 16000;
    if (state >> 35 & 1)
        usleep(microseconds);
    else if (state >> 36 & 1)
        for (volatile unsigned i = 0; i < microseconds * 100; i = i + 1)
            continue;
}

// Issues works to several streams with delays that differ in each run of the program.
static void delays(void)
{
    enum { EVENTS = 40 };
    static unsigned from[N], to[STREAMS][N];
    void *events[EVENTS], *host, *more;
    float milliseconds;
    CALL(cudaHostAlloc(&host, sizeof from, 0));
    random_state = 1;
    for (int i = 0; i < EVENTS; i++) {
        int at = (int)draw(STREAMS);
        unsigned some = 100 + draw(3000);
        CALL(cudaEventCreate(&events[i]));
        delay();
        launch(&work, 1, &device[at], &some, streams[at]);
        delay();
        if (draw(2))
            launch(&add, 8, &device[at], &n, streams[at]);
        if (draw(3) == 0)
            CALL(cudaMemcpyAsync(device[at], draw(2) ? host : from, sizeof from, TO_DEVICE,
                                 streams[at]));
        delay();
        if (draw(4) == 0)
            CALL(cudaMemcpyAsync(to[at], device[at], sizeof from, TO_HOST, streams[at]));
        CALL(cudaEventRecord(events[i], streams[at]));
        if (i && draw(4) == 0)
            CALL(cudaStreamWaitEvent(streams[draw(STREAMS)], events[draw((unsigned)i)], 0));
        if (draw(4) == 0)
            CALL(cudaLaunchHostFunc(streams[at], signal_done, &done[at]));
        delay();
        switch (draw(12)) {
        case 0: CALL(cudaStreamSynchronize(streams[at])); break;
        case 1: CALL(cudaEventSynchronize(events[draw((unsigned)i + 1)])); break;
        case 2: printf("query %d\n", cudaStreamQuery(streams[at])); break;
        case 3:
            CALL(cudaMalloc(&more, sizeof from));
            printf("at %p\n", more);
            break;
        case 4: CALL(cudaDeviceSynchronize()); break;
        }
    }
    CALL(cudaDeviceSynchronize());
    for (int i = 1; i < EVENTS; i++) {
        int error = cudaEventElapsedTime(&milliseconds, events[0], events[i]);
        printf("%d %.9g\n", error, milliseconds);
    }
}

// cudaDeviceReset

static void reset(void)
{
    unsigned value = 100;
    size_t before, during, after, total;
    void *to;
    CALL(cudaMemGetInfo(&before, &total));
    CALL(cudaMalloc(&to, 1 << 20));
    CALL(cudaMemcpyToSymbol(&number, &value, 4, 0, TO_DEVICE));
    launch(&count, 1, &to, NULL, NULL);
    CHECK(fetch(to) == 101);
    CALL(cudaMemGetInfo(&during, &total));
    launch(&work, 1, &device[0], &steps, streams[0]);
    CALL(cudaDeviceReset());
    CHECK(cudaFree(to) == 1 && cudaMemcpy(to, &value, 4, TO_DEVICE) == 1);
    CALL(cudaMemGetInfo(&after, &total));
    CHECK(during < before && after > before);
    CALL(cudaMalloc(&to, 4));
    launch(&count, 1, &to, NULL, NULL);
    CHECK(fetch(to) == 6);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {{"condition", by_condition},
            {"callback", by_callback},
            {"mapped", by_mapped},
            {"managed", by_managed},
            {"threads", by_threads},
            {"helper", by_helper},
            {"lock", by_lock},
            {"query", by_query},
            {"host-flag", by_host_flag},
            {"atomic", with_host},
            {"copy", by_copy},
            {"kernel", by_kernel},
            {"fork", fork_pending},
            {"end", end_pending},
            {"end-function", end_by_function},
            {"hang", hang},
            {"hang-end", hang_at_end},
            {"hang-outside", hang_outside},
            {"poll", poll_for_ever},
            {"fail", fail_unseen},
            {"long-call", long_in_call},
            {"long-outside", long_outside},
            {"long-blocked", long_blocked},
            {"no-work", no_work},
            {"never", never_ready},
            {"handler", own_handler},
            {"delays", delays},
            {"reset", reset}};

int main(int arguments, char **argument)
{
    (void)arguments;
    if (!strcmp(argument[1], "handler"))
        signal(SIGINT, leave);
    for (int i = 0; i < STREAMS; i++) {
        CALL(cudaStreamCreate(&streams[i]));
        CALL(cudaMalloc((void **)&device[i], N * sizeof(unsigned)));
    }
    CALL(cudaMalloc((void **)&device_flag, 4));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argument[1], ways[i].name)) {
            ways[i].run();
            puts("PASSED");
            return 0;
        }
    return 9;
}
