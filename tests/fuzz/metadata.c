// Metadata as JSON: any bytes are tables or a fault; tables that were read are written and read
// back unchanged. Objects are tested by the target `elf`.
#include "backend/tables/tables.h"
#include "tests/fuzz/lib.h"
#include "tests/lib/guarded.h"

static void write_json(const struct tables *tables, struct fuzz_sink *sink)
{
    tables_write_json(tables, sink_begin(sink));
    sink_end(sink);
}

// Checks a round trip through JSON.
static void check_json(struct arena *arena, const struct tables *tables)
{
    static struct fuzz_sink first, second;
    struct diags diags;
    struct tables again;
    diags_init(&diags, arena);
    write_json(tables, &first);
    must(tables_read_json(&again, arena, first.text, first.length, &diags),
         diags.list.n ? diags.list.v[0].message : "no reason");
    write_json(&again, &second);
    must(first.length == second.length && !memcmp(first.text, second.text, first.length),
         "the tables are others when they are read from JSON again");
}

static void run(const struct fuzz_input *input, struct arena *arena)
{
    static struct guarded guarded;
    const char *bytes = guarded_input(&guarded, input->data, input->size);
    struct tables tables;
    struct diags diags;
    diags_init(&diags, arena);
    bool good = tables_read_json(&tables, arena, bytes, input->size, &diags);
    must(good == !diags.errors, "the answer is not what the diagnostics say");
    if (good)
        check_json(arena, &tables);
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, run);
}
