// Documents with the chains of one program, for the simulator: any document gives a table that
// agrees with the program, or a fault with a place in the text.
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/schemes/llc_omni/table.h"
#include "tests/fuzz/lib.h"
#include "tests/lib/guarded.h"
#include <stdio.h>

static void check_chain(const struct offload_table *table, uint32_t id,
                        const struct ir_module *module, const struct program *program)
{
    const struct offload_chain *chain = &table->chains.v[id];
    must(chain->function < program->functions.n, "a chain of no function");
    const struct ir_function *fn =
        &module->functions.v[program->functions.v[chain->function].function];
    must(chain->count >= 2 && chain->count <= CHAIN_MAX, "a chain of another length");
    for (uint32_t i = 0; i < chain->count; i++) {
        must(chain->inst[i] < fn->insts.n, "an instruction outside of the function");
        for (uint32_t k = 0; k < id; k++)
            for (uint32_t n = 0; n < table->chains.v[k].count; n++)
                must(table->chains.v[k].function != chain->function ||
                         table->chains.v[k].inst[n] != chain->inst[i],
                     "an instruction in two chains");
    }
    must(fn->insts.v[chain->inst[0]].class == CLASS_LOAD, "a chain that begins with no load");
    must((fn->insts.v[chain->inst[chain->count - 1u]].class == CLASS_STORE) == chain->stores,
         "a chain with another end");
}

static void check_places(const struct diags *diags, const struct source *source)
{
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        must(*diag->message, "a message without words");
        must(diag->begin == NO_OFFSET || (diag->begin <= diag->end && diag->end <= source->length),
             "a message about a place outside of the text");
    }
}

static void build(struct arena *arena, const struct tables *tables, struct source *source)
{
    static const struct offload_config config = {.policy = OFFLOAD_OMNI, .chains_most = 256};
    struct diags diags;
    struct tree tree;
    struct ir_module module;
    struct program program;
    struct offload_table table;
    diags_init(&diags, arena);
    ptx_parse(&tree, arena, source, &diags);
    ir_build(&module, arena, &tree, &diags);
    program_build(&program, arena, &module, lanes_best());
    diags_init(&diags, arena);
    bool good = offload_table_build(&table, arena, tables, &program, &config, &diags);
    must(good == !diags.errors, "the answer is not what the diagnostics say");
    for (uint32_t i = 0; good && i < table.chains.n; i++)
        check_chain(&table, i, &module, &program);
    check_places(&diags, source);
}

// The program is a sample, which is read once.
static struct source program_text(struct arena *arena)
{
    static char text[1 << 16];
    static size_t length;
    struct source source;
    if (!length) {
        FILE *file = fopen(CHAINS_PTX, "r");
        must(file != NULL, "there is no " CHAINS_PTX);
        length = fread(text, 1, sizeof text, file);
        fclose(file);
        must(length && length < sizeof text, "the program is too long");
    }
    make_source(&source, arena, text, length);
    return source;
}

static void run(const struct fuzz_input *input, struct arena *arena)
{
    static struct guarded guarded;
    const char *bytes = guarded_input(&guarded, input->data, input->size);
    struct source source = program_text(arena);
    struct tables tables;
    struct diags diags;
    diags_init(&diags, arena);
    if (tables_read_json(&tables, arena, bytes, input->size, &diags))
        build(arena, &tables, &source);
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, run);
}
