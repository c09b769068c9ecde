#include "runtime-sim/run/session.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/run/fill.h"
#include "runtime-sim/run/kernel_name.h"
#include "support/nearest.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum {
    BUFFER_ALIGN = 1024, // a turn through eight partitions of 128 bytes
    MOST_THREADS = 1024,
    MOST_SHARED = 227 * 1024,
    MOST_ROUNDS = 1000000,        // of a repeat without a `max`
    MOST_ALL_ROUNDS = 1000000000, // of all repeats, and of a `max`
    MOST_REPORTS = 100,
};

double session_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// Buffers

// The variables are the image's first allocations.
uint32_t session_find_variable(struct session *session, const struct run_text *name)
{
    struct nearest nearest;
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < session->program->variables.n; i++) {
        const struct allocation *at = &session->image->list.v[i];
        if (!strcmp(at->name, name->text))
            return i;
        nearest_offer(&nearest, at->name, strlen(at->name));
    }
    if (nearest.best)
        run_fault(session->run, name, "there is no variable '%s'; did you mean '%s'?", name->text,
                  nearest.best);
    else
        run_fault(session->run, name, "there is no variable '%s'", name->text);
    return UINT32_MAX;
}

static bool stand_for_variable(struct session *session, struct run_buffer *buffer)
{
    uint32_t found = session_find_variable(session, &buffer->variable);
    int64_t count;
    if (found == UINT32_MAX)
        return false;
    const struct allocation *at = &session->image->list.v[found];
    if (session_is_handle(session, found))
        run_fault(session->run, &buffer->variable, "'%s' is bound under 'textures'", at->name);
    else if (!fill_type(session->run, buffer))
        return false;
    if (session_is_handle(session, found))
        return false;
    count = (int64_t)(at->bytes / buffer->type->bytes);
    if (buffer->count.expr &&
        !run_integer(session->run, &buffer->count, 0, count, "the count", &count))
        return false;
    buffer->elements = (uint64_t)count;
    buffer->address = at->address;
    buffer->data = at->data;
    if (!buffer->fill.at.text)
        return true;
    image_filled(session->image, buffer->address);
    return fill_do(session->run, &buffer->fill, buffer, buffer->data);
}

// 0: there is no such memory, which is told at the buffer's place like other things.
static uint64_t take_memory(struct session *session, const char *name, uint64_t bytes)
{
    struct memory *memory = session->arena->memory;
    uint64_t address = 0;
    jmp_buf outer;
    memcpy(outer, memory->on_failure, sizeof outer);
    if (!setjmp(memory->on_failure))
        address = image_allocate(session->image, bytes, BUFFER_ALIGN, name);
    memcpy(memory->on_failure, outer, sizeof outer);
    return address;
}

static bool allocate(struct session *session, struct run_buffer *buffer)
{
    if (buffer->variable.text)
        return stand_for_variable(session, buffer);
    if (!fill_measure(session->run, buffer))
        return false;
    uint64_t bytes = buffer->elements * buffer->type->bytes;
    buffer->address = take_memory(session, buffer->name, bytes);
    if (!buffer->address) {
        run_fault(session->run, &buffer->at, "there is no memory for %" PRIu64 " bytes", bytes);
        return false;
    }
    buffer->data = session->image->list.v[session->image->list.n - 1].data;
    // What is given no values has none, for those who look for reads of what was never written.
    if (buffer->fill.at.text)
        image_filled(session->image, buffer->address);
    // Fresh memory is zero and not touched before it is used.
    return buffer->fill.kind == FILL_ZERO ||
           fill_do(session->run, &buffer->fill, buffer, buffer->data);
}

bool session_prepare(struct session *session)
{
    bool good = true;
    const char *error;
    session->image = ARENA_NEW(session->arena, struct image);
    image_init(session->image, session->arena,
               session->program->module->address_bits == 32 ? GLOBAL_FIRST : GLOBAL_FIRST_64);
    if (session->race || session->uninit) {
        session->check = ARENA_NEW(session->arena, struct check);
        check_init(session->check, session->arena, session->race, session->uninit, MOST_REPORTS);
    }
    error = grid_load(session->image, session->program);
    if (error) {
        diag_add(session->diags, DIAG_ERROR, "not-executable", NO_OFFSET, NO_OFFSET, "%s", error);
        return false;
    }
    if (!session_name_textures(session))
        return false;
    for (uint32_t i = 0; i < session->run->buffers.n; i++)
        good &= allocate(session, &session->run->buffers.v[i]);
    return good && session_bind_textures(session);
}

// Kernels

static const struct name *entry_name(const struct session *session, uint32_t index)
{
    const struct ir_module *module = session->program->module;
    uint32_t function = session->program->functions.v[index].function;
    if (!module->functions.v[function].is_entry)
        return NULL;
    return tree_name(module->tree, module->functions.v[function].name);
}

// A launch without a name is one of the only kernel.
static const struct program_function *find_kernel(struct session *session,
                                                  const struct run_launch *launch)
{
    struct run *run = session->run;
    const struct program *program = session->program;
    struct kernel_fault fault;
    uint32_t found = 0, entries = 0;
    const struct run_text *at = launch->kernel.text ? &launch->kernel : &launch->at;
    for (uint32_t i = 0; !launch->kernel.text && i < program->functions.n; i++) {
        if (!entry_name(session, i))
            continue;
        found = i;
        entries++;
    }
    if (entries == 1)
        return &program->functions.v[found];
    const struct program_function *function =
        launch->kernel.text ? kernel_find(program, run->arena, launch->kernel.text, &fault) : NULL;
    if (function)
        return function;
    if (!launch->kernel.text) {
        fault.text =
            arena_printf(run->arena, "the program has %u kernels: --kernel chooses", entries);
        fault.kernels = kernel_list(program, run->arena);
    }
    run_fault(run, at, "%s", fault.text);
    run_note(run, "%s", fault.kernels);
    return NULL;
}

struct session_kernel *session_counts(struct session *session,
                                      const struct program_function *function)
{
    const struct name *name =
        entry_name(session, (uint32_t)(function - session->program->functions.v));
    for (uint32_t i = 0; i < session->kernels.n; i++)
        if (strlen(session->kernels.v[i].name) == name->length &&
            !memcmp(session->kernels.v[i].name, name->text, name->length))
            return &session->kernels.v[i];
    struct session_kernel kernel = {.name =
                                        arena_strndup(session->arena, name->text, name->length)};
    if (session->profiled) {
        kernel.profile = ARENA_NEW(session->arena, struct profile);
        profile_init(kernel.profile, session->arena, session->program);
    }
    vec_push(session->arena, &session->kernels, kernel);
    return &session->kernels.v[session->kernels.n - 1];
}

// Launches

static bool take_shape(struct session *session, const struct run_expr from[3], const char *what,
                       const int64_t most[3], uint32_t shape[3])
{
    int64_t value;
    for (int i = 0; i < 3; i++) {
        shape[i] = 1;
        if (!from[i].expr)
            continue;
        if (!run_integer(session->run, &from[i], 1, most[i], what, &value))
            return false;
        shape[i] = (uint32_t)value;
    }
    return true;
}

static bool check_shape(struct session *session, const struct run_launch *from,
                        const struct launch *launch)
{
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const char *wrong = NULL;
    if (threads > MOST_THREADS)
        wrong = "a CTA has more than 1024 threads";
    else if (ctas > UINT32_MAX)
        wrong = "the grid has more than 2^32 CTAs";
    for (int i = 0; i < 3 && !wrong; i++)
        if (launch->grid[i] % launch->cluster[i])
            wrong = "the grid is no multiple of the cluster";
    if (wrong)
        run_fault(session->run, &from->at, "%s", wrong);
    return !wrong;
}

// What the kernel itself says of its blocks.
static bool check_block(struct session *session, const struct run_launch *from,
                        const struct launch *launch)
{
    const struct program_function *fn = &session->program->functions.v[launch->function];
    const uint32_t *block = launch->block, *needs = fn->block;
    uint64_t most = (uint64_t)fn->most[0] * fn->most[1] * fn->most[2];
    const struct run_text *at = from->block[0].expr ? &from->block[0].at : &from->at;
    if (needs[0] && memcmp(needs, block, sizeof fn->block))
        run_fault(session->run, at,
                  "the kernel has .reqntid %u, %u, %u, and the block is %u, %u, %u", needs[0],
                  needs[1], needs[2], block[0], block[1], block[2]);
    else if (most && (uint64_t)block[0] * block[1] * block[2] > most)
        run_fault(session->run, at,
                  "the kernel has .maxntid %u, %u, %u, and the block is %u, %u, %u", fn->most[0],
                  fn->most[1], fn->most[2], block[0], block[1], block[2]);
    else
        return true;
    return false;
}

// The kernel's own cluster counts unless the launch has one, which then has to be the same.
static bool take_cluster(struct session *session, const struct run_launch *from,
                         struct launch *launch)
{
    static const int64_t most[3] = {CLUSTER_CTAS, CLUSTER_CTAS, CLUSTER_CTAS};
    const uint32_t *own = session->program->functions.v[launch->function].cluster;
    if (!take_shape(session, from->cluster, "the cluster", most, launch->cluster))
        return false;
    if (!own[0])
        return true;
    if (from->cluster[0].expr && memcmp(launch->cluster, own, sizeof launch->cluster)) {
        run_fault(session->run, &from->cluster[0].at,
                  "the kernel has clusters of %u x %u x %u CTAs", own[0], own[1], own[2]);
        return false;
    }
    memcpy(launch->cluster, own, sizeof launch->cluster);
    return true;
}

static bool take_shapes(struct session *session, const struct run_launch *from,
                        struct launch *launch)
{
    static const int64_t grid[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX},
                         block[3] = {MOST_THREADS, MOST_THREADS, 64};
    return take_shape(session, from->grid, "the grid", grid, launch->grid) &&
           take_shape(session, from->block, "the block", block, launch->block) &&
           take_cluster(session, from, launch) && check_shape(session, from, launch) &&
           check_block(session, from, launch);
}

static bool take_shared(struct session *session, const struct run_launch *from,
                        const struct program_function *function, struct launch *launch)
{
    int64_t bytes = 0;
    if (from->shared.expr &&
        !run_integer(session->run, &from->shared, 0, MOST_SHARED, "the shared memory", &bytes))
        return false;
    launch->dynamic_shared = (uint32_t)bytes;
    if ((uint64_t)bytes + function->shared_bytes <= MOST_SHARED)
        return true;
    run_fault(session->run, &from->at,
              "the kernel has %u bytes of shared memory and is given %" PRId64
              " more: together more than 227 KiB",
              function->shared_bytes, bytes);
    return false;
}

static bool check_room(struct session *session, const struct run_launch *from,
                       struct launch *launch)
{
    uint64_t ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    launch->cooperative = from->cooperative;
    if (!from->cooperative || ctas <= grid_room(launch))
        return true;
    run_fault(session->run, &from->at,
              "the %" PRIu64
              " CTAs of a cooperative launch must be there at once, and a GPU of 160 "
              "multiprocessors has room for %" PRIu64 " of them",
              ctas, grid_room(launch));
    return false;
}

static bool can_run(struct session *session, const struct run_launch *from,
                    const struct program_function *function, const char *kernel)
{
    const struct tree *tree = session->program->module->tree;
    (void)from;
    if (!function->refusal)
        return true;
    const struct node *node = &tree->nodes.v[function->refused_node];
    diag_add(session->diags, DIAG_ERROR, "not-executable", node->begin, node->end,
             "'%s' cannot run: %s", kernel, function->refusal);
    return false;
}

static void count(struct session_launch *one)
{
    one->kernel->warp_instructions += one->warp_instructions;
    one->kernel->thread_instructions += one->thread_instructions;
}

static void begin_launch(struct session *session, struct session_launch *one)
{
    one->launch->id = (uint32_t)session->launches++;
    one->kernel->launches++;
    if (session->progress)
        session->progress(session->context, one->kernel->name, session->launches);
}

static enum session_outcome outcome_of(struct session *session, const struct session_launch *one,
                                       const struct grid_result *result)
{
    if (result->stopped)
        return SESSION_INTERRUPTED;
    if (result->limited)
        return SESSION_LIMITED;
    if (!result->stuck && !result->fault.happened)
        return SESSION_DONE;
    session_tell(session, one->kernel, (uint64_t)one->launch->id + 1, result);
    return result->stuck           ? SESSION_NO_PROGRESS
           : result->fault.refused ? SESSION_BAD_INPUT
                                   : SESSION_FAULT;
}

static enum session_outcome run_grid(struct session *session, struct session_launch *one)
{
    struct grid_result result;
    uint64_t most = session->max_instructions, done = session->instructions;
    struct grid_options options = {.threads = session->threads,
                                   .most_instructions = most > done ? most - done : 0};
    if (most && most <= done)
        return SESSION_LIMITED;
    begin_launch(session, one);
    double before = session_cpu_seconds();
    grid_run(one->launch, session->arena, &options, &result);
    session->kernel_cpu_seconds += session_cpu_seconds() - before;
    one->warp_instructions = result.warp_instructions;
    one->thread_instructions = result.thread_instructions;
    session->instructions += result.warp_instructions;
    // How far others have come when one fails depends on the host's threads, if there are several.
    if (!result.stuck && !result.fault.happened)
        count(one);
    return outcome_of(session, one, &result);
}

static enum session_outcome run_together(struct session *session, struct session_launch *launches,
                                         uint32_t number)
{
    struct grid_result result;
    for (uint32_t i = 0; i < number; i++)
        begin_launch(session, &launches[i]);
    double before = session_cpu_seconds();
    session->execute(session->executor, launches, number, session->arena, &result);
    session->kernel_cpu_seconds += session_cpu_seconds() - before;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < number; i++) {
        count(&launches[i]);
        failed = launches[i].launch->id == result.fault.launch ? i : failed;
    }
    return outcome_of(session, &launches[failed], &result);
}

// How many of the launches are for `execute`.
static uint32_t count_taken(const struct session *session, const struct session_launch *launches,
                            uint32_t number)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; session->takes && i < number; i++) {
        uint64_t before = launches[i].kernel->launches;
        for (uint32_t k = 0; k < i; k++)
            before += launches[k].kernel == launches[i].kernel;
        taken += session->takes(session->executor, launches[i].kernel, before + 1);
    }
    return taken;
}

// All at the same time, or, as it makes no difference to what they compute, one after the other.
static enum session_outcome run_all(struct session *session, const struct run_text *at,
                                    struct session_launch *launches, uint32_t number)
{
    enum session_outcome outcome = SESSION_DONE;
    uint32_t taken = count_taken(session, launches, number);
    if (taken == number)
        return run_together(session, launches, number);
    if (taken) {
        run_fault(session->run, at, "--timed takes some of these launches and not all");
        return SESSION_BAD_INPUT;
    }
    for (uint32_t i = 0; i < number && outcome == SESSION_DONE; i++)
        outcome = run_grid(session, &launches[i]);
    return outcome;
}

static bool prepare_launch(struct session *session, const struct run_launch *from,
                           const struct program_function *function, struct arena *arena,
                           struct session_launch *to)
{
    struct launch *launch = ARENA_NEW(arena, struct launch);
    uint8_t *params = arena_alloc(arena, function->param_bytes + 1);
    *to = (struct session_launch){session_counts(session, function), launch, 0, 0};
    *launch = (struct launch){
        .program = session->program,
        .function = (uint32_t)(function - session->program->functions.v),
        .params = params,
        .image = session->image,
        .check = session->check,
        .profile = to->kernel->profile,
        .textures = session->textures,
        .print = session->print,
        .print_context = session->context,
        .stop = session->stop,
    };
    return can_run(session, from, function, to->kernel->name) &&
           take_shapes(session, from, launch) && take_shared(session, from, function, launch) &&
           check_room(session, from, launch) && session_arguments(session, from, function, params);
}

static enum session_outcome do_launches(struct session *session, const struct run_text *at,
                                        struct run_launch *const *from, uint32_t number)
{
    struct arena own;
    arena_init(&own, session->arena->memory);
    struct session_launch *launches = ARENA_ARRAY(&own, struct session_launch, number);
    const struct program_function **functions =
        ARENA_ARRAY(&own, const struct program_function *, number);
    bool good = true;
    // Before any is prepared: `kernels` moves when it grows.
    for (uint32_t i = 0; i < number && good; i++)
        if ((good = (functions[i] = find_kernel(session, from[i]))))
            session_counts(session, functions[i]);
    for (uint32_t i = 0; i < number && good; i++)
        good = prepare_launch(session, from[i], functions[i], &own, &launches[i]);
    enum session_outcome outcome =
        good ? run_all(session, at, launches, number) : SESSION_BAD_INPUT;
    arena_free(&own);
    return outcome;
}

// Loops

static enum session_outcome do_steps(struct session *session, const struct run_steps *steps,
                                     uint32_t depth);

// What it was given at first.
static bool reset(struct session *session, struct run_buffer *buffer)
{
    uint32_t index = image_find(session->image, buffer->address);
    struct allocation *at = &session->image->list.v[index];
    if (!buffer->variable.text || buffer->fill.at.text) {
        at->filled = true;
        return fill_do(session->run, &buffer->fill, buffer, buffer->data);
    }
    memset(at->data, 0, at->bytes);
    return !layout_initial(session->program, &session->program->variables.v[index], at->data);
}

static enum session_outcome do_round(struct session *session, const struct run_repeat *repeat,
                                     uint32_t depth)
{
    struct run *run = session->run;
    int64_t round = (int64_t)session->path.v[depth].round;
    bool begun = depth + 1 < session->resumed;
    if (repeat->index != UINT32_MAX)
        run->names.v[repeat->index].number =
            (struct run_number){.kind = NUMBER_INTEGER, .integer = round};
    for (uint32_t i = 0; i < repeat->resets.n && !begun; i++) {
        struct run_buffer *buffer = &run->buffers.v[repeat->resets.v[i]];
        if (!reset(session, buffer))
            return SESSION_BAD_INPUT;
    }
    return do_steps(session, &repeat->steps, depth + 1);
}

// 1: another round; 0: no more; −1: that cannot be said.
static int goes_on(struct session *session, const struct run_repeat *repeat)
{
    struct run_number number;
    if (!repeat->condition.expr)
        return 1;
    if (!run_value(session->run, &repeat->condition, &number))
        return -1;
    return number.kind == NUMBER_REAL ? number.real != 0 : number.integer != 0;
}

static enum session_outcome too_long(struct session *session, const struct run_text *at,
                                     const char *text)
{
    session->fault.text = text;
    diag_add(session->run->diags, DIAG_ERROR, "no-progress", at->begin, at->end, "%s", text);
    return SESSION_NO_PROGRESS;
}

// What bounds a repeat, before each round.
static enum session_outcome check_rounds(struct session *session, const struct run_repeat *repeat,
                                         const struct session_frame *frame)
{
    struct arena *arena = session->arena;
    const char *more = repeat->max.expr ? "" : "; 'max' sets another limit";
    if (repeat->times.expr && frame->times > frame->most)
        return too_long(
            session, &repeat->times.at,
            arena_printf(arena, "'times' is %" PRIu64 ", and the limit is %" PRIu64 " rounds%s",
                         frame->times, frame->most, more));
    if (repeat->condition.expr && frame->round == frame->most)
        return too_long(session, &repeat->condition.at,
                        arena_printf(arena, "'%s' still holds after %" PRIu64 " rounds%s",
                                     repeat->condition.at.text, frame->round, more));
    if (session->rounds++ == MOST_ALL_ROUNDS)
        return too_long(
            session, &repeat->at,
            arena_printf(arena, "all repeats together have had %d rounds", MOST_ALL_ROUNDS));
    return SESSION_DONE;
}

static bool take_rounds(struct session *session, const struct run_repeat *repeat,
                        struct session_frame *frame)
{
    int64_t times = INT64_MAX, most = MOST_ROUNDS;
    bool good = (!repeat->times.expr || run_integer(session->run, &repeat->times, 0, INT64_MAX,
                                                    "the number of rounds", &times)) &&
                (!repeat->max.expr || run_integer(session->run, &repeat->max, 1, MOST_ALL_ROUNDS,
                                                  "the most rounds", &most));
    frame->round = 0;
    frame->times = (uint64_t)times;
    frame->most = (uint64_t)most;
    return good;
}

static enum session_outcome do_repeat(struct session *session, const struct run_repeat *repeat,
                                      uint32_t depth)
{
    // `path` may move in a round.
    if (depth >= session->resumed && !take_rounds(session, repeat, &session->path.v[depth]))
        return SESSION_BAD_INPUT;
    for (; session->path.v[depth].round < session->path.v[depth].times;
         session->path.v[depth].round++) {
        enum session_outcome outcome = check_rounds(session, repeat, &session->path.v[depth]);
        if (outcome == SESSION_DONE)
            outcome = do_round(session, repeat, depth);
        int more = outcome == SESSION_DONE ? goes_on(session, repeat) : 0;
        if (more < 0)
            return SESSION_BAD_INPUT;
        if (!more)
            return outcome;
    }
    return SESSION_DONE;
}

// Of launches that run together the last one counts.
static enum session_outcome after_launches(struct session *session, uint64_t before)
{
    uint64_t every = session->checkpoint_every, after = session->launches;
    if (every && after / every != before / every)
        session->checkpoint(session->checkpoint_context);
    bool stops = before < session->stop_after && after >= session->stop_after;
    return stops ? SESSION_STOPPED : SESSION_DONE;
}

static enum session_outcome do_step(struct session *session, const struct run_step *step,
                                    uint32_t depth)
{
    if (step->repeat)
        return do_repeat(session, step->repeat, depth);
    if (depth < session->resumed) { // it is the last that was done
        session->resumed = 0;
        return SESSION_DONE;
    }
    uint64_t before = session->launches;
    const struct run_together *together = step->together;
    enum session_outcome outcome =
        together ? do_launches(session, &together->at, together->launches.v, together->launches.n)
                 : do_launches(session, &step->launch->at, &step->launch, 1);
    return outcome == SESSION_DONE ? after_launches(session, before) : outcome;
}

static enum session_outcome do_steps(struct session *session, const struct run_steps *steps,
                                     uint32_t depth)
{
    struct session_frame first = {0};
    if (depth >= session->resumed)
        vec_push(session->arena, &session->path, first);
    for (; session->path.v[depth].step < steps->list.n; session->path.v[depth].step++) {
        if (session->stop && atomic_load(session->stop))
            return SESSION_INTERRUPTED;
        const struct run_step *step = &steps->list.v[session->path.v[depth].step];
        enum session_outcome outcome = do_step(session, step, depth);
        if (outcome != SESSION_DONE)
            return outcome;
    }
    session->path.n = depth;
    return SESSION_DONE;
}

enum session_outcome session_run(struct session *session)
{
    return do_steps(session, &session->run->steps, 0);
}

uint64_t session_reports(const struct session *session)
{
    return session->check ? session->check->found : 0;
}
