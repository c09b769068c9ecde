// ELF objects of made plans, for tests.
#pragma once
#include "backend/elf/elf_object.h"
#include "backend/elf/elf_rows.h"
#include "include/ptxoffload/metadata.h"
#include "tests/lib/guarded.h"
#include "tests/unit/backend/made.h"
#include <elf.h>

// A kernel with a chain, a block under a condition and rejections.
#define ELF_PTX_TEXT                                                                               \
    KERNEL(                                                                                        \
        "\t.reg .pred p; .reg .f32 %f<9>; .reg .b64 %rd<9>;\n\tld.global.f32 %f1, [%rd1];\n"       \
        "\tld.global.f32 %f2, [%rd2];\n\tadd.f32 %f3, %f1, %f2;\n\tst.global.f32 [%rd3], %f3;\n"   \
        "\tret;")

static inline struct elf_image made_elf_image(struct made *m)
{
    struct elf_image image;
    const char *wrong = tables_write_elf(&image, &m->program.arena, &m->output.tables,
                                         m->output.text, m->output.length);
    if (wrong)
        fail_msg("%s", wrong);
    return image;
}

// Makes a plan with an entry of each kind for one kernel; its lists have one or two entries.
__attribute__((unused)) static void made_one_of_each(struct made *m)
{
    struct arena *arena = &m->program.arena;
    made_emit(m, ELF_PTX_TEXT, strlen(ELF_PTX_TEXT), TAGS_NONE, false, 1);
    struct table_kernel *kernel = &m->output.tables.kernels.v[0];
    assert_int_equal(m->output.tables.kernels.n, 1);
    memset(&kernel->chains, 0, sizeof kernel->chains);
    memset(&kernel->blocks, 0, sizeof kernel->blocks);
    memset(&kernel->rejected, 0, sizeof kernel->rejected);
    struct table_chain chain = {
        .pattern = 4, .response = RESPONSE_DATA, .response_flits = 5, .saving = 16};
    struct table_instruction first = {7, 2, 0, 1, "ld.global.f32"}, last = {9, 2, 2, 3, "add.f32"};
    vec_push(arena, &chain.instructions, first);
    vec_push(arena, &chain.instructions, last);
    struct table_estimate other = {.cost = COST_REFINED,
                                   .in = 2.5,
                                   .out = 1e-9,
                                   .saved_tx = 1.0 / 7,
                                   .saved_rx = 1e20,
                                   .bw_tx = 1.0 / 3,
                                   .bw_rx = -1e-300,
                                   .at_tx = 1e300,
                                   .at_rx = -0.0,
                                   .threshold_tx = 5,
                                   .saves = SAVES_TX,
                                   .candidate = true};
    struct table_block block = {
        .kind = BLOCK_REGION,
        .begin_line = 7,
        .end_line = 10,
        .end_index = 3,
        .loads = 2,
        .stores = 1,
        .estimate = {.cost = COST_TOM,
                     .in = 128,
                     .saved_tx = 32,
                     .bw_tx = 96,
                     .bw_rx = -64,
                     .at_tx = 0.25,
                     .at_rx = -7,
                     .threshold_rx = 9,
                     .saves = SAVES_RX,
                     .candidate = true},
        .has_condition = true,
        .condition = "(%r1 + 3) / 4",
        .threshold = UINT64_C(1) << 40,
        .passed_over = true,
    };
    vec_push(arena, &block.live_in, "%rd1");
    vec_push(arena, &block.live_in, "%rd2");
    vec_push(arena, &block.live_out, "%f3");
    vec_push(arena, &block.alternatives, other);
    struct table_rejection rejection = {7,          2, CANDIDATE_CHAIN,
                                        RULE_REUSE, 9, "it is \"used\" \u00e9"};
    vec_push(arena, &kernel->chains, chain);
    vec_push(arena, &kernel->blocks, block);
    vec_push(arena, &kernel->rejected, rejection);
}

// Returns the offset of a section's header in the object.
__attribute__((unused)) static size_t made_header(const char *bytes, const char *name)
{
    Elf64_Ehdr file;
    Elf64_Shdr names, header;
    memcpy(&file, bytes, sizeof file);
    memcpy(&names, bytes + file.e_shoff + file.e_shstrndx * sizeof names, sizeof names);
    for (size_t i = 0; i < file.e_shnum; i++) {
        size_t at = file.e_shoff + i * sizeof header;
        memcpy(&header, bytes + at, sizeof header);
        if (!strcmp(bytes + names.sh_offset + header.sh_name, name))
            return at;
    }
    fail_msg("no section '%s'", name);
    return 0;
}

__attribute__((unused)) static Elf64_Shdr made_section_of(const char *bytes, const char *name)
{
    Elf64_Shdr header;
    memcpy(&header, bytes + made_header(bytes, name), sizeof header);
    return header;
}
