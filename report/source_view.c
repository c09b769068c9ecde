#include "report/source_view.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Rows

static double ratio(uint64_t part, uint64_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static void add_reason(void *context, const struct stat_key *key, uint64_t value)
{
    static const char prefix[] = "stall_";
    struct source_row *row = context;
    if (strncmp(key->name, prefix, sizeof prefix - 1) || !strcmp(key->name, "stall_empty"))
        return;
    struct source_reason reason = {key->name + sizeof prefix - 1, value};
    row->slots += value;
    for (uint32_t i = 0; i < SOURCE_REASONS; i++)
        if (reason.cycles > row->reasons[i].cycles) {
            struct source_reason smaller = row->reasons[i];
            row->reasons[i] = reason;
            reason = smaller;
        }
}

struct source_row source_row(const struct site_listing *listing,
                             const struct listing_counts *counts)
{
    const struct core_site *c = &counts->core;
    const struct memsys_site *m = &counts->memory;
    struct source_row row = {
        .slots = c->issued,
        .issued = c->issued,
        .warps = c->warp_instructions,
        .lanes = c->thread_instructions,
        .lines = ratio(c->transactions, c->accesses),
        .ideal = ratio(c->ideal, c->accesses),
        .banks = ratio(c->shared_cycles, c->shared_accesses),
        .best = ratio(c->shared_ideal, c->shared_accesses),
        .l1 = ratio(c->l1_read_hits + c->read_only_hits, c->l1_reads + c->read_only_reads),
        .llc = ratio(m->llc_read_hits, m->llc_reads),
        .dram = m->dram_reads + m->dram_writes,
        .latency = ratio(c->load_latency_sum, c->loads_done),
    };
    listing_each(listing, counts, add_reason, &row);
    return row;
}

uint64_t source_slots(const struct site_listing *listing, const struct listing_kernel *kernel)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kernel->lines.n; i++)
        sum += source_row(listing, &kernel->lines.v[i].counts).slots;
    return sum;
}

// The busiest rows

static void insert_top(struct source_top top[SOURCE_TOP], uint32_t *count, struct source_top one)
{
    for (uint32_t i = 0; i < *count; i++)
        if (one.row.slots > top[i].row.slots) {
            struct source_top other = top[i];
            top[i] = one;
            one = other;
        }
    if (one.row.slots && *count < SOURCE_TOP)
        top[(*count)++] = one;
}

static bool has_places(const struct listing_kernel *kernel)
{
    return kernel->lines.n && kernel->lines.v[kernel->lines.n - 1].file;
}

static void find_in_kernel(const struct site_listing *listing, const struct listing_kernel *kernel,
                           struct source_top top[SOURCE_TOP], uint32_t *count)
{
    for (uint32_t i = 0; has_places(kernel) && i < kernel->lines.n; i++) {
        const struct listing_line *line = &kernel->lines.v[i];
        struct source_top one = {kernel, line, NULL, source_row(listing, &line->counts)};
        if (line->file)
            insert_top(top, count, one);
    }
    for (uint32_t i = 0; i < kernel->insts.n; i++) {
        const struct listing_inst *inst = &kernel->insts.v[i];
        struct listing_counts counts = listing_counts(listing, inst->site);
        struct source_top one = {kernel, NULL, inst, source_row(listing, &counts)};
        if (!has_places(kernel) || !kernel->lines.v[inst->line].file)
            insert_top(top, count, one);
    }
}

uint32_t source_find_top(const struct site_listing *listing, const struct listing_kernel *kernel,
                         struct source_top top[SOURCE_TOP])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < listing->kernels.n; i++)
        if (!kernel || kernel == &listing->kernels.v[i])
            find_in_kernel(listing, &listing->kernels.v[i], top, &count);
    return count;
}

// Places and statements

static const char *name_place(const struct ir_loc *loc, struct arena *arena)
{
    const char *file = loc->file ? loc->file : "?", *slash = strrchr(file, '/');
    return arena_printf(arena, "%s:%u", slash ? slash + 1 : file, loc->line);
}

const char *source_place(const struct ir_loc *loc, struct arena *arena)
{
    const char *text = name_place(loc, arena);
    while ((loc = loc->inlined_at))
        text = arena_printf(arena, "%s, inlined at %s", text, name_place(loc, arena));
    return text;
}

const char *source_statement(const struct site_listing *listing, const struct listing_inst *inst,
                             struct arena *arena)
{
    struct file_text from = listing_text(listing, inst);
    char *to = arena_alloc(arena, from.length + 1);
    uint32_t length = 0;
    for (uint32_t i = 0; i < from.length; i++) {
        bool blank = isspace((unsigned char)from.text[i]);
        if (!blank || (length && to[length - 1] != ' '))
            to[length++] = blank ? ' ' : from.text[i];
    }
    to[length] = 0;
    return to;
}
