// Restores a session from a checkpoint. The file is untrusted input: its fields may hold any
// strings and numbers; only the number of bytes after them has been checked.
#include "runtime-sim/exec/memory/heap.h"
#include "runtime-sim/run/checkpoint_file.h"
#include <inttypes.h>
#include <string.h>

static const char no_match[] = "it does not match the program and the run: it is damaged";

uint64_t checkpoint_launches(const struct checkpoint *checkpoint)
{
    return checkpoint->launches;
}

// Comparison with the run

// Returns true if the path leads to a launch through repeats and rounds that exist.
static bool leads(const struct checkpoint *c, const struct run_steps *steps)
{
    for (uint32_t i = 0; i < c->path.n; i++) {
        const struct session_frame *frame = &c->path.v[i];
        if (frame->step >= steps->list.n)
            return false;
        const struct run_step *step = &steps->list.v[frame->step];
        if (!step->repeat)
            return i + 1 == c->path.n;
        if (frame->round >= frame->times)
            return false;
        steps = &step->repeat->steps;
    }
    return false;
}

static const char *compare_identity(const struct checkpoint *c, const struct checkpoint *now)
{
    if (strcmp(c->simulator, now->simulator))
        return arena_printf(c->arena, "version %s of the program wrote it, but this is version %s",
                            c->simulator, now->simulator);
    if (c->timed != now->timed)
        return c->timed ? "it was made without --functional" : "it was made with --functional";
    if (strcmp(c->program, now->program))
        return "it was made with another program";
    if (strcmp(c->run, now->run))
        return "it was made by another run: run file, --set values or command line differ";
    if (strcmp(c->configuration, now->configuration))
        return "it was made on another machine: --config or --set differ";
    if (strcmp(c->regions, now->regions))
        return *c->regions ? arena_printf(c->arena, "it was made with --timed=%s", c->regions)
                           : "it was made without --timed";
    return NULL;
}

const char *checkpoint_fits(const struct checkpoint *c, const struct session *session,
                            const struct timed_options *options, uint64_t every)
{
    struct checkpoint now = {0};
    checkpoint_identify(&now, c->arena, session, options);
    const char *wrong = compare_identity(c, &now);
    if (wrong)
        return wrong;
    if (every && every != c->every)
        return arena_printf(c->arena, "it was made with --checkpoint-every=%" PRIu64, c->every);
    return NULL;
}

// Memory

static const char *compare_inputs(const struct checkpoint *c, const struct run *run)
{
    if (c->inputs.n != run->inputs.n)
        return no_match;
    for (uint32_t i = 0; i < run->inputs.n; i++)
        if (strcmp(c->inputs.v[i].sha256, run->inputs.v[i].sha256))
            return arena_printf(c->arena, "'%s' has changed", run->inputs.v[i].file);
    return NULL;
}

// Returns true if an allocation that session_prepare has made matches that of the file.
static bool is_there(const struct checkpoint_allocation *from, const struct allocation *at)
{
    return from->address == at->address && from->bytes == at->bytes && (!from->freed || at->heap) &&
           from->heap == at->heap && from->constant == at->constant &&
           !strcmp(from->name, at->name);
}

static struct allocation *add(const struct checkpoint_allocation *from, struct image *image)
{
    const char *name = arena_strndup(image->arena, from->name, strlen(from->name));
    if (from->freed)
        return image_add(image, from->address, from->bytes, NULL, name);
    if (from->heap)
        return heap_restore(image, from->address, from->bytes);
    return image_allocate_at(image, from->address, from->bytes, name);
}

static bool restore_image(const struct checkpoint *c, struct image *image)
{
    uint32_t there = image->list.n;
    const char *bytes = c->memory;
    if (c->allocations.n < there || c->heap_left > INT64_MAX)
        return false;
    for (uint32_t i = 0; i < c->allocations.n; i++) {
        const struct checkpoint_allocation *from = &c->allocations.v[i];
        if (i < there && !is_there(from, &image->list.v[i]))
            return false;
        struct allocation *at = i < there ? &image->list.v[i] : add(from, image);
        at->state = from->freed ? ALLOCATION_FREED : ALLOCATION_LIVE;
        at->constant = from->constant;
        at->heap = from->heap;
        at->filled = from->filled;
        if (from->freed)
            continue;
        memcpy(at->data, bytes, from->bytes);
        bytes += from->bytes;
    }
    image->next = c->next;
    image->heap_left = c->heap_left;
    return true;
}

// Counts

static struct stats_mark read_sum(const struct checkpoint *c, struct arena *arena, uint64_t number)
{
    struct stats_mark sum = {ARENA_ARRAY(arena, uint64_t, c->values + 1)};
    size_t bytes = c->values * sizeof(uint64_t);
    memcpy(sum.values, c->sums + number * bytes, bytes);
    return sum;
}

static bool restore_kernels(const struct checkpoint *c, struct session *session)
{
    for (uint32_t i = 0; i < c->kernels.n; i++) {
        const struct checkpoint_kernel *from = &c->kernels.v[i];
        const struct program_function *function = program_find(session->device.program, from->name);
        struct device_kernel *to = function ? device_kernel_of(&session->device, function) : NULL;
        if (!to || session->device.kernels.n != i + 1)
            return false;
        to->launches = from->launches;
        to->warp_instructions = from->warp_instructions;
        to->thread_instructions = from->thread_instructions;
    }
    return true;
}

static bool restore_time(const struct checkpoint *c, struct session *session, struct timed *timed)
{
    enum { TOTAL, SAMPLE, FIRST };
    char digest[SHA256_HEX + 1];
    uint64_t number = FIRST;
    stats_digest(&timed->stats, digest);
    if (strcmp(digest, c->statistics) || c->values != stats_values(&timed->stats))
        return false;
    timed->total = (struct timed_kernel){.launches = c->timed_launches,
                                         .cycles = c->cycles,
                                         .sum = read_sum(c, session->arena, TOTAL)};
    for (uint32_t i = 0; i < c->kernels.n; i++) {
        const struct checkpoint_kernel *from = &c->kernels.v[i];
        if (from->timed_launches)
            *timed_counts(timed, session->device.kernels.v[i]) =
                (struct timed_kernel){.launches = from->timed_launches,
                                      .cycles = from->cycles,
                                      .sum = read_sum(c, session->arena, number++),
                                      .together = from->together,
                                      .warp_instructions = from->timed_warp_instructions,
                                      .thread_instructions = from->timed_thread_instructions};
    }
    // With another sampling interval, sampling starts anew.
    struct stats_mark since_sample = c->interval == timed->options->interval
                                         ? read_sum(c, session->arena, SAMPLE)
                                         : stats_zero(&timed->stats, session->arena);
    timed_resume(timed, c->cycle, &since_sample);
    return true;
}

static void restore_position(const struct checkpoint *c, struct session *session)
{
    session->device.launches = c->launches;
    session->checkpoint_every = c->every;
    session->resumed = c->path.n;
    for (uint32_t i = 0; i < c->path.n; i++)
        vec_push(session->arena, &session->path, c->path.v[i]);
}

const char *checkpoint_restore(const struct checkpoint *c, struct session *session,
                               struct timed *timed)
{
    const char *wrong = compare_inputs(c, session->run);
    if (wrong)
        return wrong;
    if (!c->every || !leads(c, &session->run->steps) || !restore_image(c, session->device.image) ||
        !restore_kernels(c, session) || (timed && !restore_time(c, session, timed)))
        return no_match;
    restore_position(c, session);
    return NULL;
}
