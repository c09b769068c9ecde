// Profiles of one program: any bytes are measurements or a fault; with measurements the passes
// terminate, and their sums are numbers.
#include "backend/tables/profile_read.h"
#include "passes/base/passes.h"
#include "tests/fuzz/lib.h"
#include "tests/lib/guarded.h"
#include "tests/lib/profiled.h"
#include <math.h>

static void decide(struct arena *arena, struct ir_module *module,
                   const struct measurements *measured)
{
    struct plan plan = {.arena = arena};
    struct pass_options options = {.cost = COST_REFINED, .reorder = true, .measured = measured};
    struct diags diags;
    diags_init(&diags, arena);
    pass_all(&pass_chains, module, &options, &plan);
    pass_all(&pass_blocks, module, &options, &plan);
    measured_compare(&plan, module, &options, &diags);
    for (uint32_t i = 0; i < plan.blocks.n; i++) {
        const struct block_estimate *e = &plan.blocks.v[i].estimate;
        must(isfinite(e->bw_tx) && isfinite(e->bw_rx) && isfinite(e->weight), "a sum is no number");
        must(e->saved_tx >= 0 && e->saved_rx >= 0, "accesses cost less than nothing");
    }
}

static void run(const struct fuzz_input *input, struct arena *arena)
{
    static struct guarded guarded;
    const char *bytes = guarded_input(&guarded, input->data, input->size);
    struct source ptx, profile;
    struct diags diags, ignored;
    struct tree tree;
    struct ir_module module;
    diags_init(&diags, arena);
    diags_init(&ignored, arena);
    make_source(&ptx, arena, PROFILED_PTX, sizeof PROFILED_PTX - 1);
    ptx_parse(&tree, arena, &ptx, &ignored);
    ir_build(&module, arena, &tree, &ignored);
    source_init(&profile, arena, "fuzz.json", bytes, (uint32_t)input->size);
    const struct measurements *measured =
        profile_read(arena, &profile, &module, NULL, NULL, &diags);
    must(!measured == (diags.errors != 0), "the answer is not what the diagnostics say");
    if (measured)
        decide(arena, &module, measured);
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, run);
}
