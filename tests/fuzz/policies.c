// Memory does not depend on offloading: random kernels (kernels.h) are tagged and run with time
// under every policy on machines of many kinds, with chains near the LLC and blocks in memory
// stacks. All buffers equal those of the same text executed without time, byte for byte; the
// numbers of instructions are the same; counts add up; no chain is left; and the order of
// evaluation within a cycle does not matter.
//
// usage: policies
//            the test: some kernels, which together cover every event of chains
//        policies [--count N] [--seed S] [--machine NAME] [--policy NAME] [--orders 1|2] [--keep
//        FOLDER]
//            N kernels from seed S on, with --policy in this many orders of evaluation (2); one
//            that fails is shrunk and written to FOLDER (here)
//        policies --machines
//            their names and settings; --machine chains, stacks or both: all machines of the
//            group, one after the other
#include "passes/base/capability.h"
#include "tests/fuzz/kernels_ordered.h"
#include "tests/fuzz/launch_timed.h"
#include "tests/fuzz/policies_machines.h"
#include "tests/fuzz/tagged.h"
#include "tests/lib/sanitized.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEST_KERNELS = 60, TEST_ORDERED = 12, TEST_STACKS = 21, TEST_SCOPES = 12, TIMES = 6 };

// A kernel under test; its seed determines the tagging.
struct trial {
    const struct policy_machine *machine;
    struct pass_options passes;
    struct capability capability;
    struct random_kernel *kernel;
    enum kernel_kind kind;
    const struct machine_group *group; // of the machine
    const char *only;                  // this policy, or NULL: all
    bool few;                          // see is_chosen
    bool once;                         // in one order of evaluation
    bool shrinks;                      // a kernel that cannot be executed is none that fails
    struct report *report;
};

struct report {
    char why[480]; // "": all is the same
    struct offload_stats sum;
    uint64_t blocks, ahead; // offloaded; executed twice in part
    uint64_t cycles, runs, chains;
    char policy[16]; // that was executed last
};

static void differ(struct trial *trial, const char *policy, const char *what)
{
    if (!trial->report->why[0])
        snprintf(trial->report->why, sizeof trial->report->why, "%s, %s: %s", trial->machine->name,
                 policy, what);
}

static void compare(struct trial *trial, const char *policy, const struct executed *plain,
                    const struct timed *timed)
{
    char what[160];
    if (timed->wrong[0])
        differ(trial, policy, timed->wrong);
    else if (timed->done.how != EXECUTED)
        differ(trial, policy, timed->done.why);
    else if (!trial->kernel->spins && !timed->blocks.ahead &&
             timed->done.thread_instructions != plain->thread_instructions)
        differ(trial, policy, "not as many thread instructions");
    for (size_t i = 0; i < plain->size && !trial->report->why[0]; i++) {
        if (plain->bytes[i] == timed->done.bytes[i])
            continue;
        snprintf(what, sizeof what, "byte %zu of %zu is 0x%02x, with time 0x%02x", i, plain->size,
                 plain->bytes[i], timed->done.bytes[i]);
        differ(trial, policy, what);
    }
}

static void add_to(struct offload_stats *sum, const struct offload_stats *more)
{
    for (uint32_t i = 0; i < offload_stat_key_count; i++) {
        const struct stat_key *key = &offload_stat_keys[i];
        uint64_t *to = (uint64_t *)(void *)((char *)sum + key->offset);
        uint64_t value = *(const uint64_t *)(const void *)((const char *)more + key->offset);
        if (key->kind == STAT_COUNT)
            *to += value;
        else if (key->kind == STAT_MAX && value > *to)
            *to = value;
    }
}

// Runs a policy twice, the second time in another order of evaluation: all statistics must be the
// same.
static void run_policy(struct trial *trial, const struct tagged *tagged, const char *policy,
                       const struct executed *plain, bool again)
{
    struct timed timed[2];
    snprintf(trial->report->policy, sizeof trial->report->policy, "%s", policy);
    for (uint32_t i = 0; i < 1u + again && !trial->report->why[0]; i++) {
        struct timed_settings wish = {trial->group->config, trial->machine->settings, policy,
                                      i ? trial->kernel->inputs.seed : 0};
        launch_execute_timed(&timed[i], tagged->text, tagged->length, &trial->kernel->inputs,
                             &wish);
        compare(trial, policy, plain, &timed[i]);
        if (i && !trial->report->why[0] && strcmp(timed[0].statistics, timed[1].statistics) != 0)
            differ(trial, policy, "statistics differ in another order of evaluation");
        trial->report->cycles += timed[i].cycles;
        trial->report->runs++;
        trial->report->blocks += timed[i].blocks.offloaded;
        trial->report->ahead += timed[i].blocks.ahead;
        if (i)
            timed_free(&timed[1]);
        else
            add_to(&trial->report->sum, &timed[0].offload);
    }
    if (trial->report->runs)
        timed_free(&timed[0]);
}

// Returns true if the policy is run. With sanitizers the test runs a kernel under one or two
// policies, and compares no orders of evaluation.
static bool is_chosen(const struct trial *trial, uint32_t policy)
{
    uint32_t first = trial->group->first, end = trial->group->end;
    uint64_t other = first + 1 + trial->kernel->inputs.seed % (end - first - 1);
    return trial->only                       ? !strcmp(trial->only, policies[policy])
           : policy < first || policy >= end ? false
                                             : !trial->few || policy == first || policy == other;
}

static void execute(struct trial *trial)
{
    const struct launch_inputs *inputs = &trial->kernel->inputs;
    const char *text = kernel_text(trial->kernel, NULL, NULL);
    struct tagged tagged;
    struct executed plain;
    tagged_make_by(&tagged, text, strlen(text), &trial->passes,
                   trial->kind == KERNEL_PLAIN ? MUTATE_NOTHING : MUTATE_COST, inputs->seed);
    if (tagged.wrong[0]) {
        differ(trial, "tagging", tagged.wrong);
        tagged_free(&tagged);
        return;
    }
    trial->report->chains += tagged.chains;
    // Divided multiply-adds round twice: only then it is not the text as it was.
    bool divides = trial->passes.fma == FMA_SPLIT;
    launch_execute(&plain, divides ? tagged.text : text, divides ? tagged.length : strlen(text),
                   inputs, "plain", 0);
    if (plain.how != EXECUTED && !trial->shrinks)
        differ(trial, "functional", plain.why);
    for (uint32_t i = 0; plain.how == EXECUTED && i < POLICIES && !trial->report->why[0]; i++)
        if (is_chosen(trial, i))
            run_policy(trial, &tagged, policies[i], &plain,
                       !trial->once &&
                           (trial->only || (i % FOR_CHAINS == 0 && !trial->few && !trial->kind)));
    free(plain.bytes);
    tagged_free(&tagged);
}

// Returns true if the kernel fails; it runs in a separate process.
static bool fails(struct trial *trial)
{
    char how[40];
    int status;
    fflush(stdout);
    memset(trial->report, 0, sizeof *trial->report);
    pid_t child = fork();
    if (child < 0)
        abort();
    if (!child) {
        execute(trial);
        exit(0); // which looks for leaks, where there is a sanitizer
    }
    waitpid(child, &status, 0);
    if (status) {
        snprintf(how, sizeof how, "signal %d, exit %d", WTERMSIG(status), WEXITSTATUS(status));
        differ(trial, trial->report->policy, how);
    }
    return trial->report->why[0];
}

static struct report *shared_report(void)
{
    void *at = mmap(NULL, sizeof(struct report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                    -1, 0);
    if (at == MAP_FAILED)
        abort();
    return at;
}

// Selects the options: every second kernel has divided multiply-adds, every fifth is not reordered,
// every seventh is for a unit with vectors, which ours does not have.
static void choose(struct trial *trial, struct arena *arena, uint64_t seed)
{
    trial->passes = (struct pass_options){
        .cost = COST_TOM, .fma = seed % 2 ? FMA_SPLIT : FMA_FUSED, .reorder = seed % 5 != 0};
    if (seed % 7)
        return;
    if (!capability_from_text(&trial->capability, arena, "vector: 4"))
        abort();
    trial->passes.capability = &trial->capability;
}

// Drops statements as long as the kernel still fails.
static void drop(struct trial *trial, uint32_t size)
{
    struct random_kernel *kernel = trial->kernel;
    for (uint32_t end = kernel->list.n; end; end = end > size ? end - size : 0) {
        uint32_t begin = end > size ? end - size : 0;
        uint64_t dropped[64] = {0};
        bool any = false;
        for (uint32_t i = begin; i < end; i++) {
            struct kernel_statement *statement = &kernel->list.v[i];
            if (statement->fixed || statement->dropped || statement->group)
                continue;
            statement->dropped = any = true;
            dropped[(i - begin) / 64] |= UINT64_C(1) << (i - begin) % 64;
        }
        if (!any || fails(trial))
            continue;
        for (uint32_t i = begin; i < end; i++)
            if (dropped[(i - begin) / 64] >> (i - begin) % 64 & 1)
                kernel->list.v[i].dropped = false;
    }
}

// Drops the statements of a group together, as long as the kernel still fails.
static void drop_groups(struct trial *trial)
{
    struct random_kernel *kernel = trial->kernel;
    for (uint32_t i = kernel->list.n; i-- > 0;) {
        uint32_t group = kernel->list.v[i].group;
        if (!group || kernel->list.v[i].dropped || kernel->list.v[i].fixed)
            continue;
        for (uint32_t k = 0; k < kernel->list.n; k++)
            if (kernel->list.v[k].group == group)
                kernel->list.v[k].dropped = true;
        if (fails(trial))
            continue;
        for (uint32_t k = 0; k < kernel->list.n; k++)
            if (kernel->list.v[k].group == group)
                kernel->list.v[k].dropped = false;
    }
}

static void shrink(struct trial *trial)
{
    char policy[16];
    memcpy(policy, trial->report->policy, sizeof policy);
    trial->only = policy;
    trial->shrinks = true;
    for (uint32_t size = 64; size; size /= 8) {
        drop(trial, size);
        drop_groups(trial);
    }
    fails(trial);
}

static void keep(const char *folder, const struct trial *trial)
{
    char path[4096];
    const struct launch_inputs *inputs = &trial->kernel->inputs;
    snprintf(path, sizeof path, "%s/policies-%llu-%s.ptx", folder, (unsigned long long)inputs->seed,
             trial->machine->name);
    FILE *to = fopen(path, "w");
    if (!to) {
        perror(path);
        return;
    }
    fprintf(to, "// seed %llu, grid %u, block %u, --fma=%s%s%s\n// %s\n// %s\n%s",
            (unsigned long long)inputs->seed, inputs->grid[0], inputs->block[0],
            trial->passes.fma == FMA_SPLIT ? "split" : "fused",
            trial->passes.reorder ? "" : " --no-reorder",
            trial->passes.capability ? " vector: 4" : "", trial->report->why,
            trial->machine->settings, kernel_text(trial->kernel, NULL, NULL));
    fclose(to);
    printf("# written to %s\n", path);
}

struct fuzz_filter {
    const struct policy_machine *machine; // NULL: one after the other
    bool ordered;                         // kernels of kernels_ordered.h, on random machines
    enum kernel_kind kind;                // of others
    const struct machine_group *group;
    const char *policy; // NULL: all
    bool few;           // see is_chosen
    bool once;          // see struct trial
    const char *folder; // for what fails
};

struct totals {
    uint32_t kernels, failed;
    uint64_t cycles, runs, chains, blocks, ahead;
    struct offload_stats sum;
};

// Returns the settings of a machine of the list, with other queues, caches and latencies.
static const char *random_settings(struct arena *arena, const char *settings, uint64_t seed)
{
    static const char *const keys[] = {
        "l1.sets=1",
        "l1.sets=4",
        "l1.ways=1",
        "l1.mshrs=1",
        "l1.mshrs=2",
        "l1.merges=1",
        "l1.out=2",
        "l1.input=1",
        "l1.input=64",
        "l1.answers=1",
        "l1.access_queue=1",
        "l1.access_queue=64",
        "l1.latency=1",
        "l1.latency=300",
        "l1.partial=fetch",
        "l1.port_bytes=4",
        "llc.latency=1",
        "llc.latency=400",
        "llc.mshrs=1",
        "llc.input=1",
        "llc.out=2",
        "llc.sets=1",
        "llc.access_queue=1",
        "memory.reply_queue=1",
        "core.memory_queue=1",
        "core.memory_queue=64",
        "core.memory_most=6",
        "core.memory_most=256",
        "core.schedulers=4",
        "core.scheduler=lrr",
        "core.pipeline=0",
        "core.pipeline=60",
        "core.shared_latency=12",
        "core.shared_latency=400",
        "core.shared_banks=1",
        "core.ctas=1",
        "offload.queue=1",
        "offload.queue=200",
        "offload.service_queue=1",
        "offload.buffer=1",
        "offload.partial=true",
        "offload.compare=false",
        "offload.alu_width=1",
        "core.latency_int_add=300",
    };
    for (uint32_t i = random_next(&seed) % 7; i; i--)
        settings = arena_printf(arena, "%s %s", settings,
                                keys[random_next(&seed) % (sizeof keys / sizeof *keys)]);
    return settings;
}

static void make_ordered(struct trial *trial, struct arena *arena, uint64_t seed,
                         const struct fuzz_filter *wish)
{
    struct policy_machine *machine = ARENA_NEW(arena, struct policy_machine);
    uint64_t random = seed * 77;
    kernel_make_ordered(trial->kernel, arena, seed);
    *machine = wish->machine ? *wish->machine : machines[random_next(&random) % MACHINES];
    if (!wish->machine)
        machine->settings = random_settings(arena, machine->settings, random);
    // Greedy schedulers let warps that spin take the few places of a small unit for ever.
    bool few = strstr(machine->settings, "memory_most=2") || strstr(machine->settings, "_most=6");
    machine->settings = arena_printf(arena, "%s core.registers=65536%s", machine->settings,
                                     few ? " core.scheduler=lrr" : "");
    trial->machine = machine;
}

static void try_seed(struct totals *totals, const struct fuzz_filter *wish, uint64_t seed)
{
    struct memory memory = {0};
    struct arena arena;
    struct random_kernel kernel;
    const struct machine_group *group = wish->group ? wish->group : &groups[0];
    struct trial trial = {.machine =
                              wish->machine ? wish->machine : &group->machines[seed % group->count],
                          .group = group,
                          .kind = wish->kind,
                          .only = wish->policy,
                          .few = wish->few,
                          .once = wish->once,
                          .kernel = &kernel,
                          .report = shared_report()};
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    if (wish->ordered)
        make_ordered(&trial, &arena, seed, wish);
    else
        kernel_make_kind(&kernel, &arena, seed, wish->kind ? 1 : TIMES, wish->kind);
    choose(&trial, &arena, seed);
    bool failed = fails(&trial);
    totals->kernels++;
    totals->failed += failed;
    totals->cycles += trial.report->cycles;
    totals->runs += trial.report->runs;
    totals->chains += trial.report->chains;
    totals->blocks += trial.report->blocks;
    totals->ahead += trial.report->ahead;
    add_to(&totals->sum, &trial.report->sum);
    if (failed) {
        printf("# seed %llu: %s\n", (unsigned long long)seed, trial.report->why);
        fflush(stdout);
        shrink(&trial);
        printf("# shrunk: %s\n", trial.report->why);
        keep(wish->folder, &trial);
    }
    munmap(trial.report, sizeof *trial.report);
    arena_free(&arena);
}

// Returns the CPU seconds of ended processes.
static double seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void print_totals(const struct totals *t)
{
    printf("# %u kernels, %llu chains, %llu runs, %.1f million cycles; %.1f s\n", t->kernels,
           (unsigned long long)t->chains, (unsigned long long)t->runs, (double)t->cycles / 1e6,
           seconds());
    printf("# %llu blocks offloaded, %llu executed ahead\n#", (unsigned long long)t->blocks,
           (unsigned long long)t->ahead);
    for (uint32_t i = 0; i < offload_stat_key_count; i++) {
        const struct stat_key *key = &offload_stat_keys[i];
        const void *at = (const char *)&t->sum + key->offset;
        if (key->kind != STAT_RATIO)
            printf(" %s %llu", key->name, (unsigned long long)*(const uint64_t *)at);
    }
    printf("\n");
}

static void try_many(struct totals *totals, uint64_t seed, uint32_t count,
                     const struct fuzz_filter *wish)
{
    for (uint64_t i = seed; i < seed + count; i++)
        try_seed(totals, wish, i);
    print_totals(totals);
}

// Returns true for events that chains of these kernels do not have, or have seldom;
// tests/sim/offload.py covers them, and for old lines tests/unit/runtime-sim/offload_l1.c.
static bool is_rare(const char *name)
{
    return !strcmp(name, "discarded_unit") || !strcmp(name, "discarded_broken") ||
           !strcmp(name, "l1_old");
}

// Prints the coverage: every other event of chains must have occurred.
static uint32_t print_coverage(const struct offload_stats *sum, uint32_t number)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < offload_stat_key_count; i++) {
        const struct stat_key *key = &offload_stat_keys[i];
        const void *at = (const char *)sum + key->offset;
        if (key->kind == STAT_RATIO || is_rare(key->name))
            continue;
        bool there = *(const uint64_t *)at;
        failed += !there;
        printf("%s %u - %s\n", there ? "ok" : "not ok", number++, key->name);
    }
    printf("1..%u\n", number - 1);
    return failed;
}

// Selects a group, or a machine of one. Returns false if no group or machine has this name.
static bool choose_machine(struct fuzz_filter *wish, const char *name)
{
    for (uint32_t i = 0; i < GROUPS; i++) {
        wish->group = &groups[i];
        if (!strcmp(groups[i].name, name))
            return true;
        for (uint32_t k = 0; k < groups[i].count; k++)
            if (!strcmp(groups[i].machines[k].name, name)) {
                wish->machine = &groups[i].machines[k];
                return true;
            }
    }
    return false;
}

// Runs kernels that failed in the past.
static void try_found(struct totals *totals)
{
    static const struct {
        uint64_t seed;
        const char *machine;
    } found[] = {
        {65, "queue3"},       // atomics of a thread that overtook each other
        {739, "no_l1"},       // a load that did so, too
        {160, "destination"}, // a store between a chain's load and its last instruction
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        struct fuzz_filter wish = {.folder = "."};
        choose_machine(&wish, found[i].machine);
        try_seed(totals, &wish, found[i].seed);
    }
}

static int run_test(void)
{
    struct totals totals = {0};
    try_found(&totals);
    try_many(&totals, 1, TEST_KERNELS, &(struct fuzz_filter){.few = IS_SANITIZED, .folder = "."});
    try_many(&totals, 1, TEST_ORDERED,
             &(struct fuzz_filter){.ordered = true, .few = IS_SANITIZED, .folder = "."});
    try_many(&totals, 1, TEST_STACKS,
             &(struct fuzz_filter){.group = &groups[1], .few = IS_SANITIZED, .folder = "."});
    for (uint32_t i = 0; i < GROUPS; i++)
        for (enum kernel_kind kind = KERNEL_SCOPES; kind <= KERNEL_SPACES; kind++)
            try_many(&totals, 1, TEST_SCOPES,
                     &(struct fuzz_filter){
                         .group = &groups[i], .few = IS_SANITIZED, .kind = kind, .folder = "."});
    printf("%s 1 - memory is the same under every policy\n", totals.failed ? "not ok" : "ok");
    printf("%s 2 - blocks were offloaded\n", totals.blocks && totals.ahead ? "ok" : "not ok");
    bool good = !totals.failed && totals.blocks && totals.ahead;
    return print_coverage(&totals.sum, 3) || !good ? 1 : 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: policies [--count N] [--seed S] [--kernels ordered|scopes|spaces] "
                    "[--machine NAME] [--policy NAME] [--orders 1|2] [--keep FOLDER] | "
                    "--machines\n");
    return 2;
}

static int run_command(int argc, char **argv)
{
    struct totals totals = {0};
    struct fuzz_filter wish = {.folder = "."};
    uint64_t seed = 1;
    uint32_t count = 1000;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--count"))
            count = (uint32_t)strtoul(value, NULL, 0);
        else if (!strcmp(argv[i], "--seed"))
            seed = strtoull(value, NULL, 0);
        else if (!strcmp(argv[i], "--kernels") && !strcmp(value, "ordered"))
            wish.ordered = true;
        else if (!strcmp(argv[i], "--kernels") && !strcmp(value, "scopes"))
            wish.kind = KERNEL_SCOPES;
        else if (!strcmp(argv[i], "--kernels") && !strcmp(value, "spaces"))
            wish.kind = KERNEL_SPACES;
        else if (!strcmp(argv[i], "--keep") && *value)
            wish.folder = value;
        else if (!strcmp(argv[i], "--orders") && *value)
            wish.once = !strcmp(value, "1");
        else if (!strcmp(argv[i], "--policy") && *value)
            wish.policy = value;
        else if (strcmp(argv[i], "--machine") != 0 || !choose_machine(&wish, value))
            return usage();
    }
    try_many(&totals, seed, count, &wish);
    return totals.failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 1)
        return run_test();
    if (strcmp(argv[1], "--machines") != 0)
        return run_command(argc, argv);
    for (uint32_t i = 0; i < GROUPS; i++)
        for (uint32_t k = 0; k < groups[i].count; k++)
            printf("%-7s %-16s %s\n", groups[i].name, groups[i].machines[k].name,
                   groups[i].machines[k].settings);
    return 0;
}
