#include "backend/tables/rows.h"
#include "passes/base/capability.h"
#include "support/bits.h"
#include "support/json.h"

void tables_write_json(const struct tables *tables, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    fields_write_json(&json, rows_document, tables);
    json_end_object(&json);
    json_done(&json);
}

// The check of one kernel.
struct table_check {
    struct arena *arena;
    const struct table_kernel *kernel;
    uint64_t *taken; // instructions that belong to a chain
};

static const char *fault(const struct table_check *check, const char *what, uint32_t id,
                         const char *why)
{
    return arena_printf(check->arena, "kernel '%s', %s %u: %s", check->kernel->name, what, id, why);
}

static const char *check_chain(const struct table_check *check, uint32_t id)
{
    const struct table_chain *chain = &check->kernel->chains.v[id];
    uint32_t count = chain->instructions.n;
    if (chain->id != id)
        return fault(check, "chain", id, "its id differs from its place in the list");
    if (count < 2 || count > CHAIN_MAX)
        return fault(check, "chain", id, "its number of instructions is invalid");
    for (uint32_t i = 0; i < count; i++) {
        const struct table_instruction *inst = &chain->instructions.v[i];
        if (inst->index >= check->kernel->instructions)
            return fault(check, "chain", id,
                         arena_printf(check->arena,
                                      "an instruction lies outside the kernel: its index is %u, "
                                      "but the kernel has %u",
                                      inst->index, check->kernel->instructions));
        if (i && inst->index <= inst[-1].index)
            return fault(check, "chain", id, "its instructions are not in the order of the output");
        if (inst->tag != (i == 0 ? TAG_FIRST : i + 1 < count ? TAG_MIDDLE : TAG_LAST))
            return fault(check, "chain", id, "its tags are not 01, 10 …, 11");
        if (bits_test(check->taken, inst->index))
            return fault(check, "chain", id, "an instruction also belongs to another chain");
        bits_set(check->taken, inst->index);
    }
    return NULL;
}

static const char *check_block(const struct table_check *check, uint32_t id)
{
    const struct table_block *block = &check->kernel->blocks.v[id];
    if (block->id != id)
        return fault(check, "block", id, "its id differs from its place in the list");
    if (block->begin_line > block->end_line || block->begin_index > block->end_index)
        return fault(check, "block", id, "it ends before it begins");
    if (block->end_index >= check->kernel->instructions)
        return fault(check, "block", id, "it is not inside the kernel");
    if (block->has_condition && !block->threshold)
        return fault(check, "block", id, "its condition has no threshold");
    if (block->passed_over && !block->estimate.candidate)
        return fault(check, "block", id, "it is passed over, but is not a candidate");
    return NULL;
}

const struct table_block *table_block_around(const struct table_kernel *kernel,
                                             const struct table_block *block)
{
    const struct table_block *around = NULL;
    for (uint32_t i = 0; i < block->id && i < kernel->blocks.n; i++) {
        const struct table_block *other = &kernel->blocks.v[i];
        if (table_block_chosen(other) && other->begin_index <= block->begin_index &&
            other->end_index >= block->end_index)
            around = other;
    }
    return around;
}

const char *tables_check(struct arena *arena, const struct tables *tables)
{
    struct capability capability;
    if (tables->capability && !capability_from_text(&capability, arena, tables->capability))
        return "options.capability is invalid";
    for (uint32_t k = 0; k < tables->kernels.n; k++) {
        const struct table_kernel *kernel = &tables->kernels.v[k];
        struct table_check check = {arena, kernel, bits_new(arena, kernel->instructions)};
        const char *wrong = NULL;
        for (uint32_t i = 0; i < kernel->chains.n && !wrong; i++)
            wrong = check_chain(&check, i);
        for (uint32_t i = 0; i < kernel->blocks.n && !wrong; i++)
            wrong = check_block(&check, i);
        if (!wrong && kernel->loads > kernel->instructions)
            wrong = arena_printf(arena, "kernel '%s': more loads than instructions", kernel->name);
        if (wrong)
            return wrong;
    }
    return NULL;
}
