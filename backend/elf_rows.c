#include "backend/elf_rows.h"
#include "include/ptxoffload/metadata.h"
#include "passes/analysis/measured.h"
#include <assert.h>
#include <elf.h>
#include <string.h>

#define ROW(PATH, MEMBER)                                                                          \
    {                                                                                              \
        PATH, offsetof(RECORD, MEMBER), sizeof((RECORD *)NULL)->MEMBER                             \
    }
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

#define RECORD struct elf_notes
static const struct elf_row note_rows[] = {
    ROW("version", version),
    ROW("source.sha256", source),
    ROW("output.sha256", output),
    END,
};
#undef RECORD

#define RECORD struct ptxoffload_module
static const struct elf_row module_rows[] = {
    ROW("source.file", source),
    ROW("output.file", output),
    ROW("kernels", kernels),
    ROW("options.cost", cost),
    ROW("options.fma", fma),
    ROW("options.reorder", reorder),
    ROW("options.block.x", block_x),
    ROW("options.block.y", block_y),
    ROW("options.block.z", block_z),
    ROW("options.restrict", restrict_parameters),
    ROW("options.capability", capability),
    ROW("options.profile", profile),
    ROW("options.min_saving", min_saving),
    ROW("options.candidates", candidates),
    END,
};
#undef RECORD

#define RECORD struct ptxoffload_kernel
static const struct elf_row kernel_rows[] = {
    ROW("name", name),
    ROW("instructions", instructions),
    ROW("loads", loads),
    ROW("chains", chains),
    ROW("blocks", blocks),
    ROW("rejected", rejected),
    ROW("shared_bytes", shared_bytes),
    ROW("service_queue_at_core", service_queue_at_core),
    END,
};
#undef RECORD

#define RECORD struct ptxoffload_chain
static const struct elf_row chain_rows[] = {
    ROW("id", id),
    ROW("instructions", instructions),
    ROW("saving", saving),
    ROW("response.flits", response_flits),
    ROW("pattern", pattern),
    ROW("response.kind", response),
    ROW("expected_saving", expected_saving),
    END,
};
#undef RECORD

#define RECORD struct ptxoffload_instruction
static const struct elf_row instruction_rows[] = {
    ROW("line", line),     ROW("column", column), ROW("index", index),
    ROW("opcode", opcode), ROW("tag", tag),       END,
};
#undef RECORD

// In the order of the lines: `condition` says whether there are entries below it.
#define RECORD struct ptxoffload_block
static const struct elf_row block_rows[] = {
    ROW("id", id),
    ROW("begin_line", begin_line),
    ROW("end_line", end_line),
    ROW("begin_index", begin_index),
    ROW("end_index", end_index),
    ROW("loads", loads),
    ROW("stores", stores),
    ROW("kind", kind),
    ROW("passed_over", passed_over),
    ROW("condition", conditional),
    ROW("measured", measured),
    ROW("live_in", live_in),
    ROW("live_out", live_out),
    ROW("alternatives", alternatives),
    ROW("condition.threshold", threshold),
    ROW("condition.value", condition),
    ROW("bw_tx", estimate.bw_tx),
    ROW("bw_rx", estimate.bw_rx),
    ROW("at_threshold.bw_tx", estimate.at_threshold_bw_tx),
    ROW("at_threshold.bw_rx", estimate.at_threshold_bw_rx),
    ROW("threshold_tx", estimate.threshold_tx),
    ROW("threshold_rx", estimate.threshold_rx),
    ROW("cost", estimate.cost),
    ROW("saves", estimate.saves),
    ROW("candidate", estimate.candidate),
    ROW("words_in", estimate.words_in),
    ROW("words_out", estimate.words_out),
    ROW("saved_tx", estimate.saved_tx),
    ROW("saved_rx", estimate.saved_rx),
    END,
};
#undef RECORD

#define RECORD struct ptxoffload_estimate
static const struct elf_row estimate_rows[] = {
    ROW("bw_tx", bw_tx),
    ROW("bw_rx", bw_rx),
    ROW("at_threshold.bw_tx", at_threshold_bw_tx),
    ROW("at_threshold.bw_rx", at_threshold_bw_rx),
    ROW("threshold_tx", threshold_tx),
    ROW("threshold_rx", threshold_rx),
    ROW("cost", cost),
    ROW("saves", saves),
    ROW("candidate", candidate),
    ROW("words_in", words_in),
    ROW("words_out", words_out),
    ROW("saved_tx", saved_tx),
    ROW("saved_rx", saved_rx),
    END,
};
#undef RECORD

#define RECORD struct ptxoffload_rejection
static const struct elf_row rejection_rows[] = {
    ROW("line", line),
    ROW("column", column),
    ROW("because_line", because_line),
    ROW("rule", rule),
    ROW("text", text),
    ROW("kind", kind),
    END,
};
#undef RECORD

#define PLAIN(NAME, TYPE, ALIGN)                                                                   \
    {                                                                                              \
        .name = PTXOFFLOAD_SECTION_##NAME, .type = TYPE, .align = ALIGN                            \
    }
#define RECORDS(NAME, TYPE, FIELDS, ROWS)                                                          \
    {                                                                                              \
        .name = PTXOFFLOAD_SECTION_##NAME, .type = SHT_PROGBITS, .align = _Alignof(struct TYPE),   \
        .record_size = sizeof(struct TYPE), .fields = FIELDS, .rows = ROWS                         \
    }

const struct elf_part_info elf_parts[ELF_PARTS] = {
    [ELF_NOTE] = {.name = PTXOFFLOAD_SECTION_NOTE,
                  .type = SHT_NOTE,
                  .align = 4,
                  .fields = rows_document,
                  .rows = note_rows},
    [ELF_PTX] = PLAIN(PTX, SHT_PROGBITS, 1),
    [ELF_MODULE] = RECORDS(MODULE, ptxoffload_module, rows_document, module_rows),
    [ELF_KERNELS] = RECORDS(KERNELS, ptxoffload_kernel, rows_kernel, kernel_rows),
    [ELF_CHAINS] = RECORDS(CHAINS, ptxoffload_chain, rows_chain, chain_rows),
    [ELF_INSTRUCTIONS] =
        RECORDS(INSTRUCTIONS, ptxoffload_instruction, rows_instruction, instruction_rows),
    [ELF_BLOCKS] = RECORDS(BLOCKS, ptxoffload_block, rows_block, block_rows),
    [ELF_ESTIMATES] = RECORDS(ESTIMATES, ptxoffload_estimate, rows_alternative, estimate_rows),
    [ELF_REGISTERS] = RECORDS(REGISTERS, ptxoffload_register, NULL, NULL),
    [ELF_REJECTED] = RECORDS(REJECTED, ptxoffload_rejection, rows_rejection, rejection_rows),
    [ELF_STRINGS] = PLAIN(STRINGS, SHT_STRTAB, 1),
};

// The enumerators of the header are part of the format; those of the passes may change.
#define SAME(theirs, ours) _Static_assert((int)(theirs) == (int)(ours), #ours)
SAME(PTXOFFLOAD_METADATA_VERSION, TABLES_VERSION);
SAME(PTXOFFLOAD_COST_TOM, COST_TOM);
SAME(PTXOFFLOAD_COST_REFINED, COST_REFINED);
SAME(PTXOFFLOAD_FMA_FUSED, FMA_FUSED);
SAME(PTXOFFLOAD_FMA_SPLIT, FMA_SPLIT);
SAME(PTXOFFLOAD_FMA_SAVING, FMA_SAVING);
SAME(PTXOFFLOAD_RESPONSE_ACK, RESPONSE_ACK);
SAME(PTXOFFLOAD_RESPONSE_DATA, RESPONSE_DATA);
SAME(PTXOFFLOAD_RESPONSE_BITMAP, RESPONSE_BITMAP);
SAME(PTXOFFLOAD_BLOCK_LOOP, BLOCK_LOOP);
SAME(PTXOFFLOAD_BLOCK_BASIC, BLOCK_BASIC);
SAME(PTXOFFLOAD_BLOCK_REGION, BLOCK_REGION);
SAME(PTXOFFLOAD_SAVES_TX, SAVES_TX);
SAME(PTXOFFLOAD_SAVES_RX, SAVES_RX);
SAME(PTXOFFLOAD_MEASURED_LINES, MEASURED_LINES);
SAME(PTXOFFLOAD_MEASURED_MISSES, MEASURED_MISSES);
SAME(PTXOFFLOAD_MEASURED_TRIPS, MEASURED_TRIPS);
SAME(PTXOFFLOAD_CANDIDATE_LOAD, CANDIDATE_LOAD);
SAME(PTXOFFLOAD_CANDIDATE_CHAIN, CANDIDATE_CHAIN);
SAME(PTXOFFLOAD_CANDIDATE_BLOCK, CANDIDATE_BLOCK);
SAME(PTXOFFLOAD_CANDIDATE_STORE, CANDIDATE_STORE);
SAME(PTXOFFLOAD_CANDIDATE_KERNEL, CANDIDATE_KERNEL);
SAME(PTXOFFLOAD_CANDIDATE_MAP, CANDIDATE_MAP);

static const struct record_field *find_field(const struct record_field *fields, const char *path,
                                             const struct record_field **option)
{
    for (;;) {
        size_t length = strcspn(path, ".");
        while (fields->key && (strlen(fields->key) != length || memcmp(fields->key, path, length)))
            fields++;
        assert(fields->key);
        if (!path[length])
            return fields;
        if (fields->kind == FIELD_OPTION)
            *option = fields;
        fields = fields->rows;
        path += length + 1;
    }
}

static enum elf_part find_list(const struct record_field *field)
{
    if (field->kind == FIELD_TEXTS)
        return ELF_REGISTERS;
    if (field->kind == FIELD_LIST)
        for (enum elf_part part = 0; part < ELF_PARTS; part++)
            if (elf_parts[part].fields == field->rows)
                return part;
    return ELF_PARTS;
}

static const struct elf_slot *make_slots(struct arena *arena, const struct elf_part_info *part)
{
    uint32_t count = 0;
    while (part->rows[count].path)
        count++;
    struct elf_slot *slots = ARENA_ARRAY(arena, struct elf_slot, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct elf_slot *slot = &slots[i];
        slot->row = &part->rows[i];
        slot->field = find_field(part->fields, slot->row->path, &slot->option);
        slot->list = find_list(slot->field);
    }
    return slots;
}

void elf_slots_init(struct elf_slots *slots, struct arena *arena)
{
    *slots = (struct elf_slots){0};
    for (enum elf_part part = 0; part < ELF_PARTS; part++)
        if (elf_parts[part].rows)
            slots->of[part] = make_slots(arena, &elf_parts[part]);
}
