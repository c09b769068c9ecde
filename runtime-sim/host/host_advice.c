// Records the commands of a program, and advises on them. A round consists of copies to the device,
// kernels, and copies to the host. Its copies are matched with the arrays of its kernels by their
// allocations.
#include "passes/analysis/reuse/overlap.h"
#include "runtime-sim/device/kernel_name.h"
#include "runtime-sim/host/host_log.h"
#include "runtime-sim/host/host_state.h"
#include "support/demangle.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void host_log_begin(struct host *host)
{
    host->log = ARENA_NEW(host->gpus->device->arena, struct host_log);
}

static enum host_note_kind kind_of(const struct device_command *command)
{
    return command->kind == COMMAND_LAUNCH ? NOTE_LAUNCH
           : command->kind == COMMAND_SET  ? NOTE_SET
                                           : (enum host_note_kind)host_direction(command);
}

void host_log_add(struct host *host, const struct device_command *command)
{
    struct arena *arena = host->gpus->device->arena;
    struct host_note note = {.kind = kind_of(command),
                             .to = command->to,
                             .from = command->from,
                             .bytes = command->bytes};
    if (!host->log || command->kind == COMMAND_CALL)
        return;
    if (command->kind == COMMAND_LAUNCH) {
        const struct launch *launch = command->launch->launch;
        uint32_t bytes = launch->program->functions.v[launch->function].param_bytes;
        note.function = launch->function;
        note.parameters = memcpy(arena_alloc(arena, bytes + 1), command->launch->parameters, bytes);
    }
    vec_push(arena, &host->log->notes, note);
}

// An array of a launch.
struct launch_array {
    uint32_t allocation; // index in the image
    uint32_t note;       // index of the launch in the log
    const struct overlap_array *array;
    const struct facts *facts;
};

struct round {
    uint32_t first, end; // indices in the log
    VEC(struct launch_array) uses;
    uint32_t launches, copies_in, copies_out;
    uint32_t starts, finishes; // copies to the device and to the host that may overlap
    bool unknown;              // a kernel has accesses with unknown pointers
    double in, fixed;          // times in us: copies to the device; copies to the host that wait
    double last;               // in us: transfer of the last copy to the host that may overlap
};

struct adviser {
    const struct host *host;
    struct arena *arena;
    const struct program *program;
    struct plan plan;
    struct overlaps *of;  // by function of the module; valid if looked_at
    bool *looked_at;      // by function of the module: it was analysed
    double before, after; // times of all rounds in us
};

// Kernels

static struct facts *facts_at(struct adviser *a, uint32_t function)
{
    static const struct pass_options options = {0};
    return facts_of(&a->plan, a->program->module, &options, function);
}

static const struct overlaps *overlaps_of(struct adviser *a, uint32_t function)
{
    if (!a->looked_at[function])
        overlap_find(&a->of[function], facts_at(a, function));
    a->looked_at[function] = true;
    return &a->of[function];
}

static const struct program_function *function_at(const struct adviser *a,
                                                  const struct host_note *launch)
{
    return &a->program->functions.v[launch->function];
}

static const char *launched_name(const struct adviser *a, const struct host_note *launch)
{
    const char *name = kernel_name(a->program, a->arena, function_at(a, launch));
    struct demangled readable;
    return demangle(&readable, a->arena, name)
               ? arena_strndup(a->arena, readable.text + readable.name,
                               readable.name_end - readable.name)
               : name;
}

static uint32_t allocation_at(const struct adviser *a, uint64_t address)
{
    uint32_t found = image_find(a->host->gpus->device->image, address);
    const struct allocation *at =
        found == UINT32_MAX ? NULL : &a->host->gpus->device->image->list.v[found];
    return at && address - at->address < at->bytes ? found : UINT32_MAX;
}

// Returns the value of a pointer among the launch's parameters, or 0.
static uint64_t pointer_of(const struct adviser *a, const struct host_note *launch, uint32_t symbol)
{
    uint32_t number = a->program->module->symbols.v[symbol].parameter;
    const struct program_function *function = function_at(a, launch);
    uint64_t value = 0;
    if (number >= function->param_count)
        return 0;
    const struct program_parameter *at = &a->program->parameters.v[function->params + number];
    memcpy(&value, launch->parameters + at->offset, at->bytes < 8 ? at->bytes : 8);
    return value;
}

static void advise_launch(struct adviser *a, struct round *round, uint32_t note)
{
    const struct host_note *launch = &a->host->log->notes.v[note];
    uint32_t function = function_at(a, launch)->function;
    const struct overlaps *overlaps = overlaps_of(a, function);
    round->launches++;
    round->unknown |= overlaps->unknown != IR_NONE;
    for (uint32_t i = 0; i < overlaps->arrays.n; i++) {
        const struct overlap_array *array = &overlaps->arrays.v[i];
        struct launch_array use = {allocation_at(a, pointer_of(a, launch, array->symbol)), note,
                                   array, facts_at(a, function)};
        if (use.allocation != UINT32_MAX)
            vec_push(a->arena, &round->uses, use);
    }
}

// Checks of copies

struct copy_check {
    bool may; // the copy may overlap
    const char *why;
    const struct launch_array *use; // array that decides; NULL: no array
    uint32_t inst;                  // instruction that decides, or IR_NONE
    bool is_written_later;          // another kernel of the round writes the array
};

// Checks whether kernels may start before a copy to the device has ended. All kernels that read the
// array must be able to begin before it has arrived, and no kernel may write it before it is read.
static struct copy_check check_start(const struct round *round, uint32_t allocation)
{
    struct copy_check to = {true, "no kernel of the round reads it", NULL, IR_NONE, false};
    for (uint32_t i = 0; i < round->uses.n; i++) {
        const struct launch_array *use = &round->uses.v[i];
        const char *why;
        if (use->allocation != allocation)
            continue;
        bool may = overlap_may_start(use->array, &why), first = !to.use;
        bool only_writes = !use->array->reads;
        to.is_written_later |= !first && use->array->writes;
        if (!first && (may || only_writes))
            continue;
        why = only_writes ? "a kernel writes it before it is read" : why;
        to = (struct copy_check){may, why, use, may ? use->array->read : use->array->write, false};
        if (!may)
            return to;
    }
    return to;
}

static bool is_filled_otherwise(const struct adviser *a, const struct round *round,
                                uint32_t allocation)
{
    for (uint32_t i = round->first; i < round->end; i++) {
        const struct host_note *note = &a->host->log->notes.v[i];
        if (note->kind != NOTE_LAUNCH && note->to && allocation_at(a, note->to) == allocation)
            return true;
    }
    return false;
}

// Checks whether a copy to the host may start before the kernels have ended. Only one kernel may
// write the array, and it must write each word once.
static struct copy_check check_finish(const struct adviser *a, const struct round *round,
                                      uint32_t allocation)
{
    struct copy_check to = {false, "no kernel of the round writes it", NULL, IR_NONE, false};
    for (uint32_t i = 0; i < round->uses.n; i++) {
        const struct launch_array *use = &round->uses.v[i];
        const char *why;
        if (use->allocation != allocation || !use->array->writes)
            continue;
        bool may = overlap_may_finish(use->array, &why) && !to.use;
        why = to.use ? "several kernels write it: words are full before they are final" : why;
        to = (struct copy_check){may, why, use, use->array->write, false};
    }
    if (to.may && is_filled_otherwise(a, round, allocation))
        to = (struct copy_check){
            false, "a copy or a memory set also fills it: words are full before they are final",
            to.use, IR_NONE, false};
    return to;
}

// Times

static double transfer(const struct adviser *a, uint64_t bytes)
{
    return (double)bytes / (double)host_link_rate(a->host->gpus->config);
}

static double serial_time(const struct adviser *a, const struct round *round)
{
    const struct host_config *config = a->host->gpus->config;
    double time = config->copy_call_us + config->sync_after_us + round->in +
                  config->launch_driver_us * round->launches;
    for (uint32_t i = round->first; i < round->end; i++)
        if (a->host->log->notes.v[i].kind == NOTE_TO_HOST)
            time += config->copy_driver_us + transfer(a, a->host->log->notes.v[i].bytes);
    return time;
}

// Returns the predicted time of a round with overlap. Only the first launch has left the driver
// before the data are ready. A copy to the host that has waited still has to transfer one line; the
// last of several such copies has to transfer all its bytes.
static double overlapped_time(const struct adviser *a, const struct round *round)
{
    const struct host_config *config = a->host->gpus->config;
    double time = config->copy_call_us + config->sync_after_us + round->in + round->fixed +
                  config->launch_driver_us * (round->launches - (round->starts != 0));
    if (round->finishes && !round->fixed)
        time += transfer(a, PLANE_LINE) + (round->finishes > 1 ? round->last : 0);
    return time;
}

// Text

// Prints the result of the check of a copy, and counts it for the round.
static void advise_copy(struct adviser *a, struct round *round, const struct host_note *copy,
                        FILE *to)
{
    bool in = copy->kind == NOTE_TO_DEVICE;
    uint32_t allocation = allocation_at(a, in ? copy->to : copy->from);
    struct copy_check found =
        in ? check_start(round, allocation) : check_finish(a, round, allocation);
    double time = a->host->gpus->config->copy_driver_us + transfer(a, copy->bytes);
    fprintf(to, "  copy of %" PRIu64 " bytes to the %s", copy->bytes, in ? "device" : "host");
    if (found.use) {
        const struct ir_symbol *symbol = &a->program->module->symbols.v[found.use->array->symbol];
        fprintf(to, ", parameter %u of %s", symbol->parameter,
                launched_name(a, &a->host->log->notes.v[found.use->note]));
    }
    fprintf(to, ": %s: %s",
            found.may ? "may overlap"
            : in      ? "must end before the kernels start"
                      : "must wait for the kernels' end",
            found.why);
    if (found.is_written_later)
        fputs("; a later kernel writes it after the first has read all of it", to);
    if (found.inst != IR_NONE)
        fprintf(to, " [line %u]",
                ir_position(a->program->module, found.use->facts->fn, found.inst).line);
    fputc('\n', to);
    round->in += in ? time : 0;
    round->fixed += in || found.may ? 0 : time;
    round->last = !in && found.may ? transfer(a, copy->bytes) : round->last;
    *(in ? &round->starts : &round->finishes) += found.may;
}

// Prints the pattern of a round. Kernels can begin before their inputs have arrived only if all
// copies to the device may overlap.
static void print_pattern(struct adviser *a, struct round *round, FILE *to)
{
    if (round->starts < round->copies_in)
        round->starts = 0;
    const char *pattern =
        round->starts && round->finishes == round->copies_out && round->copies_out ? "full overlap"
        : round->starts && round->finishes ? "overlap-start, and overlap-finish of some results"
        : round->starts                    ? "overlap-start"
        : round->finishes                  ? "overlap-finish"
                                           : NULL;
    double before = serial_time(a, round), after = pattern ? overlapped_time(a, round) : before;
    if (round->unknown)
        fputs("  some accesses have unknown pointers: their arrays are not listed\n", to);
    if (pattern)
        fprintf(to, "  pattern: %s; excluding the kernels' time, %.2f us instead of %.2f us\n",
                pattern, after, before);
    else
        fprintf(to, "  pattern: none; excluding the kernels' time, %.2f us\n", before);
}

static void print_kernels(const struct adviser *a, const struct round *round, FILE *to)
{
    const char *last = NULL;
    uint32_t count = 0;
    for (uint32_t i = round->first; i <= round->end; i++) {
        const struct host_note *note = i < round->end ? &a->host->log->notes.v[i] : NULL;
        if (note && note->kind != NOTE_LAUNCH)
            continue;
        const char *name = note ? launched_name(a, note) : NULL;
        if (last && (!name || strcmp(name, last))) {
            fprintf(to, count > 1 ? " %s (%u launches)" : " %s", last, count);
            fputs(name ? "," : "", to);
            count = 0;
        }
        last = name;
        count++;
    }
}

// Returns the text of a round without its number.
static char *describe(struct adviser *a, struct round *round)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    print_kernels(a, round, to);
    fputc('\n', to);
    for (uint32_t i = round->first; i < round->end; i++) {
        const struct host_note *note = &a->host->log->notes.v[i];
        if (note->kind == NOTE_TO_DEVICE || note->kind == NOTE_TO_HOST)
            advise_copy(a, round, note, to);
    }
    print_pattern(a, round, to);
    fclose(to);
    return text;
}

// Rounds

// Reads the notes of the next round. A copy to the device or a memory set after a launch begins
// another round, and so does a launch after a copy to the host.
static bool next_round(struct adviser *a, uint32_t first, struct round *round)
{
    const struct host_log *log = a->host->log;
    *round = (struct round){.first = first, .end = first};
    for (; round->end < log->notes.n; round->end++) {
        const struct host_note *note = &log->notes.v[round->end];
        bool is_input = note->kind == NOTE_TO_DEVICE || note->kind == NOTE_SET;
        bool is_over = is_input ? round->launches : round->copies_out && note->kind == NOTE_LAUNCH;
        if (is_over)
            break;
        if (note->kind == NOTE_LAUNCH)
            advise_launch(a, round, round->end);
        round->copies_in += note->kind == NOTE_TO_DEVICE;
        round->copies_out += note->kind == NOTE_TO_HOST;
    }
    return round->end > first;
}

static void print_rounds(FILE *to, const char *text, uint32_t first, uint32_t last)
{
    if (text && first == last)
        fprintf(to, "round %u:%s", first, text);
    else if (text)
        fprintf(to, "rounds %u to %u:%s", first, last, text);
}

static void advise(struct adviser *a, FILE *to)
{
    char *said = NULL; // text of the rounds from `since` on
    uint32_t number = 0, since = 1;
    struct round round;
    for (uint32_t at = 0; next_round(a, at, &round); at = round.end) {
        if (!round.launches)
            continue;
        char *text = describe(a, &round);
        bool gains = round.starts || round.finishes;
        a->before += serial_time(a, &round);
        a->after += gains ? overlapped_time(a, &round) : serial_time(a, &round);
        if (++number > 1 && (!said || !text || strcmp(said, text))) {
            print_rounds(to, said, since, number - 1);
            since = number;
        }
        free(said);
        said = text;
    }
    print_rounds(to, said, since, number);
    free(said);
    if (!number)
        fputs("the program launches no kernels\n", to);
    else if (number > 1)
        fprintf(to,
                "all rounds: excluding the kernels' time, %.2f us instead of %.2f us; words that a "
                "later round reuses must be emptied between the rounds\n",
                a->after, a->before);
}

void host_advise(const struct host *host, FILE *to)
{
    struct arena own;
    struct adviser a = {.host = host, .arena = &own, .program = host->gpus->device->program};
    arena_init(&own, host->gpus->device->arena->memory);
    a.plan.arena = &own;
    a.of = ARENA_ARRAY(&own, struct overlaps, a.program->module->functions.n + 1);
    a.looked_at = ARENA_ARRAY(&own, bool, a.program->module->functions.n + 1);
    advise(&a, to);
    arena_free(&own);
}
