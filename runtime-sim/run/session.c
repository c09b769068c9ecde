#include "runtime-sim/run/session.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/exec/memory/heap.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/run/fill.h"
#include "support/nearest.h"
#include <inttypes.h>
#include <string.h>

enum {
    MAX_ROUNDS = 1000000,        // limit of a repeat without `max`
    MAX_ALL_ROUNDS = 1000000000, // limit of all repeats together, and of any `max`
};

// Buffers

uint32_t session_find_variable(struct session *session, const struct run_text *name)
{
    const struct device *device = &session->device;
    uint32_t found = device_find_variable(device, name->text);
    if (found != UINT32_MAX)
        return found;
    struct nearest nearest;
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < device->program->variables.n; i++)
        nearest_offer(&nearest, device_variable(device, i)->name,
                      strlen(device_variable(device, i)->name));
    if (nearest.best)
        run_fault(session->run, name, "unknown variable '%s'; did you mean '%s'?", name->text,
                  nearest.best);
    else
        run_fault(session->run, name, "unknown variable '%s'", name->text);
    return UINT32_MAX;
}

static bool stand_for_variable(struct session *session, struct run_buffer *buffer)
{
    uint32_t found = session_find_variable(session, &buffer->variable);
    int64_t count;
    if (found == UINT32_MAX)
        return false;
    const struct allocation *at = device_variable(&session->device, found);
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
    image_filled(session->device.image, buffer->address);
    return fill_do(session->run, &buffer->fill, buffer, buffer->data);
}

// Determines the size of a buffer from its contents on the device, or else on the host.
static bool measure(struct run *run, struct run_buffer *buffer)
{
    struct fill own = buffer->fill;
    if (!own.at.text && buffer->host.at.text)
        buffer->fill = buffer->host;
    bool good = fill_measure(run, buffer);
    buffer->fill = own;
    return good;
}

// Allocates and fills the host's copy of a buffer, for copies.
static bool prepare_host(struct session *session, struct run_buffer *buffer)
{
    if (!session->run->has_streams) {
        if (buffer->host.at.text)
            run_fault(session->run, &buffer->host.at, "'host' needs a run with 'streams'");
        return !buffer->host.at.text;
    }
    buffer->host_data = arena_alloc(session->arena, buffer->elements * buffer->type->bytes + 1);
    return !buffer->host.at.text || fill_do(session->run, &buffer->host, buffer, buffer->host_data);
}

// Allocates a buffer at its `address`, or at the next free one. Returns false after an error.
static bool find_room(struct session *session, struct run_buffer *buffer, uint64_t bytes)
{
    enum { ALIGN = 256 };
    int64_t address = 0;
    if (!buffer->place.expr) {
        buffer->address = device_allocate(&session->device, bytes, buffer->name);
        if (!buffer->address)
            run_fault(session->run, &buffer->at, "not enough memory for %" PRIu64 " bytes", bytes);
        return buffer->address;
    }
    if (!run_integer(session->run, &buffer->place, 1, INT64_MAX, "the address", &address))
        return false;
    buffer->address = (uint64_t)address;
    bool good = !(buffer->address % ALIGN) &&
                device_allocate_at(&session->device, buffer->address, bytes, buffer->name);
    if (!good)
        run_fault(session->run, &buffer->place.at,
                  "the address 0x%" PRIx64 " is not a multiple of %d in free global memory",
                  buffer->address, ALIGN);
    return good;
}

// Sets the fill and read counts of a buffer. Returns false after an error. Machines without
// full/empty bits ignore the counts.
static bool set_counts(struct session *session, const struct run_buffer *buffer)
{
    enum { LIMIT = 256 };
    int64_t fills = 1, reads = 0;
    const struct run_expr *given = buffer->fills.expr ? &buffer->fills : &buffer->reads;
    if (!given->expr || !session->device.planes.initial)
        return true;
    if ((buffer->fills.expr &&
         !run_integer(session->run, &buffer->fills, 1, LIMIT, "the number of fills", &fills)) ||
        (buffer->reads.expr &&
         !run_integer(session->run, &buffer->reads, 0, LIMIT, "the number of reads", &reads)))
        return false;
    const char *fault =
        plane_set_counts(session->device.image, buffer->address, (uint32_t)fills, (uint32_t)reads);
    if (fault)
        run_fault(session->run, &given->at, "%s", fault);
    return !fault;
}

static bool allocate(struct session *session, struct run_buffer *buffer)
{
    if (buffer->variable.text)
        return stand_for_variable(session, buffer);
    if (!measure(session->run, buffer))
        return false;
    uint64_t bytes = buffer->elements * buffer->type->bytes;
    if (!find_room(session, buffer, bytes))
        return false;
    const struct image *image = session->device.image;
    buffer->data = image->list.v[image_find(image, buffer->address)].data;
    // A buffer without a `fill` counts as never written.
    if (buffer->fill.at.text) {
        image_filled(session->device.image, buffer->address);
        if (!session->run->has_streams)
            device_copied(&session->device, buffer->address, bytes);
        plane_act_all(session->device.image, buffer->address, bytes, PLANE_FILL);
    }
    if (!set_counts(session, buffer))
        return false;
    if (buffer->heap && !heap_adopt(session->device.image, buffer->address)) {
        run_fault(session->run, &buffer->at, "the heap has not enough room for %" PRIu64 " bytes",
                  bytes);
        return false;
    }
    // Fresh memory is zero; its pages are not touched before they are used.
    return buffer->fill.kind == FILL_ZERO ||
           fill_do(session->run, &buffer->fill, buffer, buffer->data);
}

static bool set_heap(struct session *session)
{
    int64_t bytes;
    const struct run_expr *heap = &session->run->heap;
    if (!heap->expr)
        return true;
    if (!run_integer(session->run, heap, 0, INT64_MAX, "the heap's size", &bytes))
        return false;
    session->device.image->heap_left = (uint64_t)bytes;
    return true;
}

bool session_prepare(struct session *session)
{
    bool good = true;
    const char *error = device_load(&session->device);
    if (error) {
        diag_add(session->diags, DIAG_ERROR, "not-executable", NO_OFFSET, NO_OFFSET, "%s", error);
        return false;
    }
    if (!set_heap(session) || !session_name_textures(session))
        return false;
    for (uint32_t i = 0; i < session->run->buffers.n; i++)
        good &= allocate(session, &session->run->buffers.v[i]) &&
                prepare_host(session, &session->run->buffers.v[i]);
    return good && session_bind_textures(session);
}

// Loops

static enum session_outcome do_steps(struct session *session, const struct run_steps *steps,
                                     uint32_t depth);

// Restores the initial contents of a buffer.
static bool reset(struct session *session, struct run_buffer *buffer)
{
    uint32_t index = image_find(session->device.image, buffer->address);
    struct allocation *at = &session->device.image->list.v[index];
    if (!buffer->variable.text || buffer->fill.at.text) {
        at->filled = true;
        return fill_do(session->run, &buffer->fill, buffer, buffer->data);
    }
    memset(at->data, 0, at->bytes);
    return !layout_initial(session->device.program, &session->device.program->variables.v[index],
                           at->data);
}

static enum session_outcome do_round(struct session *session, const struct run_repeat *repeat,
                                     uint32_t depth)
{
    struct run *run = session->run;
    int64_t round = (int64_t)session->path.v[depth].round;
    bool begun = depth + 1 < session->resumed;
    if (repeat->index != UINT32_MAX)
        run->names.v[repeat->index].number =
            (struct host_number){.kind = NUMBER_INTEGER, .integer = round};
    for (uint32_t i = 0; i < repeat->resets.n && !begun; i++) {
        struct run_buffer *buffer = &run->buffers.v[repeat->resets.v[i]];
        if (!reset(session, buffer))
            return SESSION_BAD_INPUT;
    }
    return do_steps(session, &repeat->steps, depth + 1);
}

// Evaluates the condition. Returns 1 for another round, 0 for the end, −1 after an error.
static int goes_on(struct session *session, const struct run_repeat *repeat)
{
    struct host_number number;
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

// Checks the limits of a repeat before a round.
static enum session_outcome check_rounds(struct session *session, const struct run_repeat *repeat,
                                         const struct session_frame *frame)
{
    struct arena *arena = session->arena;
    const char *more = repeat->max.expr ? "" : "; 'max' sets another limit";
    if (repeat->times.expr && frame->times > frame->max)
        return too_long(
            session, &repeat->times.at,
            arena_printf(arena, "'times' is %" PRIu64 ", and the limit is %" PRIu64 " rounds%s",
                         frame->times, frame->max, more));
    if (repeat->condition.expr && frame->round == frame->max)
        return too_long(session, &repeat->condition.at,
                        arena_printf(arena, "'%s' still holds after %" PRIu64 " rounds%s",
                                     repeat->condition.at.text, frame->round, more));
    if (session->rounds++ == MAX_ALL_ROUNDS)
        return too_long(
            session, &repeat->at,
            arena_printf(arena, "all repeats together have run %d rounds", MAX_ALL_ROUNDS));
    return SESSION_DONE;
}

static bool evaluate_rounds(struct session *session, const struct run_repeat *repeat,
                            struct session_frame *frame)
{
    int64_t times = INT64_MAX, max = MAX_ROUNDS;
    bool good = (!repeat->times.expr || run_integer(session->run, &repeat->times, 0, INT64_MAX,
                                                    "the number of rounds", &times)) &&
                (!repeat->max.expr || run_integer(session->run, &repeat->max, 1, MAX_ALL_ROUNDS,
                                                  "the limit of rounds", &max));
    frame->round = 0;
    frame->times = (uint64_t)times;
    frame->max = (uint64_t)max;
    return good;
}

static enum session_outcome do_repeat(struct session *session, const struct run_repeat *repeat,
                                      uint32_t depth)
{
    // `path` may be reallocated in a round, so no pointer into it is kept.
    if (depth >= session->resumed && !evaluate_rounds(session, repeat, &session->path.v[depth]))
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

// Writes a checkpoint or stops, if one of the launches since `before` requires it.
static enum session_outcome after_launches(struct session *session, uint64_t before)
{
    uint64_t every = session->checkpoint_every, after = session->device.launches;
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
    if (depth < session->resumed) { // the last launch before the checkpoint
        session->resumed = 0;
        return SESSION_DONE;
    }
    uint64_t before = session->device.launches;
    const struct run_together *together = step->together;
    enum session_outcome outcome =
        together
            ? session_launch(session, &together->at, together->launches.v, together->launches.n)
            : session_launch(session, &step->launch->at, &step->launch, 1);
    return outcome == SESSION_DONE ? after_launches(session, before) : outcome;
}

static enum session_outcome do_steps(struct session *session, const struct run_steps *steps,
                                     uint32_t depth)
{
    struct session_frame first = {0};
    if (depth >= session->resumed)
        vec_push(session->arena, &session->path, first);
    for (; session->path.v[depth].step < steps->list.n; session->path.v[depth].step++) {
        if (session->device.stop && atomic_load(session->device.stop))
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
    if (session->run->has_streams)
        return session_streams(session);
    return do_steps(session, &session->run->steps, 0);
}
