// Writes checkpoints. Also holds the parts that writing and reading share.
#include "runtime-sim/run/checkpoint_file.h"
#include <inttypes.h>
#include <nettle/sha2.h>
#include <string.h>

// The first line

#define ROW(kind_, offset_) .kind = (kind_), .offset = (offset_)
#define AT(member) offsetof(struct checkpoint, member)
#define IN(type, member) offsetof(struct checkpoint_##type, member)

static const char *const formats[] = {CHECKPOINT_FORMAT, NULL};
static const char *const modes[] = {"functional", "timed", NULL};

static const struct record_field input_rows[] = {
    {"file", ROW(FIELD_TEXT, IN(input, file))},
    {"sha256", ROW(FIELD_SHA256, IN(input, sha256))},
    {0},
};

static const struct record_field frame_rows[] = {
    {"step", ROW(FIELD_UINT, offsetof(struct session_frame, step))},
    {"round", ROW(FIELD_NUMBER, offsetof(struct session_frame, round))},
    {"times", ROW(FIELD_NUMBER, offsetof(struct session_frame, times))},
    {"most", ROW(FIELD_NUMBER, offsetof(struct session_frame, max))},
    {0},
};

static const struct record_field kernel_rows[] = {
    {"name", ROW(FIELD_TEXT, IN(kernel, name))},
    {"launches", ROW(FIELD_NUMBER, IN(kernel, launches))},
    {"warp_instructions", ROW(FIELD_NUMBER, IN(kernel, warp_instructions))},
    {"thread_instructions", ROW(FIELD_NUMBER, IN(kernel, thread_instructions))},
    {"timed_launches", ROW(FIELD_NUMBER, IN(kernel, timed_launches))},
    {"cycles", ROW(FIELD_NUMBER, IN(kernel, cycles))},
    {"together", ROW(FIELD_NUMBER, IN(kernel, together))},
    {"timed_warp_instructions", ROW(FIELD_NUMBER, IN(kernel, timed_warp_instructions))},
    {"timed_thread_instructions", ROW(FIELD_NUMBER, IN(kernel, timed_thread_instructions))},
    {0},
};

static const struct record_field allocation_rows[] = {
    {"name", ROW(FIELD_TEXT, IN(allocation, name))},
    {"address", ROW(FIELD_NUMBER, IN(allocation, address))},
    {"bytes", ROW(FIELD_NUMBER, IN(allocation, bytes))},
    {"freed", ROW(FIELD_BOOL, IN(allocation, freed))},
    {"constant", ROW(FIELD_BOOL, IN(allocation, constant))},
    {"heap", ROW(FIELD_BOOL, IN(allocation, heap))},
    {"filled", ROW(FIELD_BOOL, IN(allocation, filled))},
    {0},
};

const struct record_field checkpoint_rows[] = {
    {"format", ROW(FIELD_FIXED, 0), .words = formats},
    {"version", ROW(FIELD_UINT, AT(version))},
    {"simulator", ROW(FIELD_TEXT, AT(simulator))},
    {"mode", ROW(FIELD_WORD, AT(timed)), .words = modes},
    {"run", ROW(FIELD_SHA256, AT(run))},
    {"program", ROW(FIELD_SHA256, AT(program))},
    {"configuration", ROW(FIELD_SHA256, AT(configuration))},
    {"regions", ROW(FIELD_TEXT, AT(regions))},
    {"inputs", ROW(FIELD_LIST, AT(inputs)), .rows = input_rows,
     .size = sizeof(struct checkpoint_input)},
    {"every", ROW(FIELD_NUMBER, AT(every))},
    {"launches", ROW(FIELD_NUMBER, AT(launches))},
    {"path", ROW(FIELD_LIST, AT(path)), .rows = frame_rows, .size = sizeof(struct session_frame)},
    {"kernels", ROW(FIELD_LIST, AT(kernels)), .rows = kernel_rows,
     .size = sizeof(struct checkpoint_kernel)},
    {"cycle", ROW(FIELD_NUMBER, AT(cycle))},
    {"interval", ROW(FIELD_NUMBER, AT(interval))},
    {"timed_launches", ROW(FIELD_NUMBER, AT(timed_launches))},
    {"cycles", ROW(FIELD_NUMBER, AT(cycles))},
    {"statistics", ROW(FIELD_SHA256, AT(statistics))},
    {"values", ROW(FIELD_NUMBER, AT(values))},
    {"next", ROW(FIELD_NUMBER, AT(next))},
    {"heap_left", ROW(FIELD_NUMBER, AT(heap_left))},
    {"allocations", ROW(FIELD_LIST, AT(allocations)), .rows = allocation_rows,
     .size = sizeof(struct checkpoint_allocation)},
    {0},
};

uint64_t checkpoint_sums(const struct checkpoint *checkpoint)
{
    enum { TOTAL_AND_SAMPLE = 2 };
    uint64_t count = checkpoint->timed ? TOTAL_AND_SAMPLE : 0;
    for (uint32_t i = 0; i < checkpoint->kernels.n; i++)
        count += checkpoint->kernels.v[i].timed_launches > 0;
    return count;
}

// A stream whose bytes are added to a digest

struct hashed {
    FILE *to; // NULL: only hashed
    struct sha256_ctx digest;
};

static ssize_t write_hashed(void *cookie, const char *data, size_t size)
{
    struct hashed *hashed = cookie;
    sha256_update(&hashed->digest, size, (const uint8_t *)data);
    return hashed->to ? (ssize_t)fwrite(data, 1, size, hashed->to) : (ssize_t)size;
}

static FILE *hashed_open(struct hashed *hashed, FILE *to)
{
    hashed->to = to;
    sha256_init(&hashed->digest);
    return fopencookie(hashed, "w", (cookie_io_functions_t){.write = write_hashed});
}

// Inputs of a run

// Hashes everything that identifies a run except its program and its input files.
static void digest_run(char to[SHA256_HEX + 1], const struct run *run)
{
    struct sha256_ctx all;
    sha256_init(&all);
    sha256_update(&all, run->source->length, (const uint8_t *)run->source->text);
    for (uint32_t i = 0; i < run->settings.n; i++) {
        const struct run_setting *setting = &run->settings.v[i];
        sha256_update(&all, strlen(setting->name.text) + 1, (const uint8_t *)setting->name.text);
        sha256_update(&all, strlen(setting->value.text) + 1, (const uint8_t *)setting->value.text);
    }
    tables_digest_end(to, &all);
}

static void digest_configuration(char to[SHA256_HEX + 1], const struct timed_options *options)
{
    struct hashed hashed;
    struct json json;
    FILE *stream = options ? hashed_open(&hashed, NULL) : NULL;
    tables_digest(to, "", 0);
    if (!stream)
        return;
    json_init(&json, stream);
    config_json(options->resolved, &json);
    json_done(&json);
    fclose(stream);
    tables_digest_end(to, &hashed.digest);
}

static const char *regions_text(struct arena *arena, const struct timed_options *options)
{
    const char *text = "";
    for (uint32_t i = 0; options && i < options->regions.n; i++) {
        const struct timed_region *region = &options->regions.v[i];
        text = arena_printf(arena, "%s%s%s", text, i ? " " : "", region->kernel);
        for (uint32_t k = 0; k < region->launches.n; k++)
            text = arena_printf(arena, "%s%c%" PRIu64 "-%" PRIu64, text, k ? ',' : ':',
                                region->launches.v[k].first, region->launches.v[k].last);
    }
    return text;
}

void checkpoint_identify(struct checkpoint *checkpoint, struct arena *arena,
                         const struct session *session, const struct timed_options *options)
{
    checkpoint->simulator = PTXOFFLOAD_VERSION;
    checkpoint->timed = options != NULL;
    digest_run(checkpoint->run, session->run);
    tables_digest(checkpoint->program, session->device.source->text,
                  session->device.source->length);
    digest_configuration(checkpoint->configuration, options);
    checkpoint->regions = regions_text(arena, options);
}

// Writing

static void save_session(struct checkpoint *c, const struct session *session)
{
    c->every = session->checkpoint_every;
    c->launches = session->device.launches;
    for (uint32_t i = 0; i < session->path.n; i++)
        vec_push(c->arena, &c->path, session->path.v[i]);
    for (uint32_t i = 0; i < session->run->inputs.n; i++) {
        struct checkpoint_input input = {.file = session->run->inputs.v[i].file};
        memcpy(input.sha256, session->run->inputs.v[i].sha256, sizeof input.sha256);
        vec_push(c->arena, &c->inputs, input);
    }
    for (uint32_t i = 0; i < session->device.kernels.n; i++) {
        const struct device_kernel *from = session->device.kernels.v[i];
        struct checkpoint_kernel kernel = {.name = from->name,
                                           .launches = from->launches,
                                           .warp_instructions = from->warp_instructions,
                                           .thread_instructions = from->thread_instructions};
        if (from->timed) {
            kernel.timed_launches = from->timed->launches;
            kernel.cycles = from->timed->cycles;
            kernel.together = from->timed->together;
            kernel.timed_warp_instructions = from->timed->warp_instructions;
            kernel.timed_thread_instructions = from->timed->thread_instructions;
        }
        vec_push(c->arena, &c->kernels, kernel);
    }
}

static void save_time(struct checkpoint *c, const struct timed *timed)
{
    tables_digest(c->statistics, "", 0);
    if (!timed)
        return;
    c->cycle = machine_cycle(timed->machine);
    c->interval = timed->options->interval;
    c->timed_launches = timed->total.launches;
    c->cycles = timed->total.cycles;
    stats_digest(&timed->stats, c->statistics);
    c->values = stats_values(&timed->stats);
}

static void save_image(struct checkpoint *c, const struct image *image)
{
    c->next = image->next;
    c->heap_left = image->heap_left;
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *from = &image->list.v[i];
        struct checkpoint_allocation allocation = {.name = from->name,
                                                   .address = from->address,
                                                   .bytes = from->bytes,
                                                   .freed = from->state == ALLOCATION_FREED,
                                                   .constant = from->constant,
                                                   .heap = from->heap,
                                                   .filled = from->filled};
        vec_push(c->arena, &c->allocations, allocation);
    }
}

static void write_sums(const struct session *session, const struct timed *timed,
                       const struct stats_mark *since_sample, FILE *to)
{
    size_t values = stats_values(&timed->stats);
    fwrite(timed->total.sum.values, sizeof(uint64_t), values, to);
    fwrite(since_sample->values, sizeof(uint64_t), values, to);
    for (uint32_t i = 0; i < session->device.kernels.n; i++)
        if (session->device.kernels.v[i]->timed)
            fwrite(session->device.kernels.v[i]->timed->sum.values, sizeof(uint64_t), values, to);
}

static void write_all(const struct checkpoint *c, const struct session *session,
                      const struct timed *timed, const struct stats_mark *since_sample, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object_flat(&json);
    fields_write_json(&json, checkpoint_rows, c);
    json_end_object(&json);
    json_done(&json);
    if (timed)
        write_sums(session, timed, since_sample, to);
    for (uint32_t i = 0; i < session->device.image->list.n; i++) {
        const struct allocation *at = &session->device.image->list.v[i];
        if (at->state == ALLOCATION_LIVE)
            fwrite(at->data, 1, at->bytes, to);
    }
}

bool checkpoint_write(const struct session *session, const struct timed *timed, FILE *to)
{
    struct arena own;
    arena_init(&own, session->arena->memory);
    struct checkpoint c = {.arena = &own, .version = CHECKPOINT_VERSION};
    struct stats_mark since_sample = {0};
    checkpoint_identify(&c, &own, session, timed ? timed->options : NULL);
    save_session(&c, session);
    save_time(&c, timed);
    save_image(&c, session->device.image);
    if (timed)
        since_sample = timed_since_sample(timed, &own);
    struct hashed hashed;
    char digest[SHA256_HEX + 1];
    FILE *stream = hashed_open(&hashed, to);
    if (stream) {
        write_all(&c, session, timed, &since_sample, stream);
        fclose(stream);
        tables_digest_end(digest, &hashed.digest);
        fprintf(to, "%s\n", digest);
    }
    arena_free(&own);
    return stream;
}
