// Metadata, as an ELF object or as JSON: any bytes are tables or a reason why not; and tables that
// were read are written and read again as the same ones.
#include "backend/elf_tables.h"
#include "tests/fuzz/lib.h"
#include "tests/lib/guarded.h"

static void write_json(const struct tables *tables, struct sink *sink)
{
    tables_write_json(tables, sink_begin(sink));
    sink_end(sink);
}

// From JSON and back.
static void check_json(struct arena *arena, const struct tables *tables)
{
    static struct sink first, second;
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

// The same bytes again: an object has one form only.
static void check_elf(struct arena *arena, const struct tables *tables, const struct source *ptx)
{
    struct elf_image first, second;
    struct tables again;
    struct source text;
    struct diags diags;
    diags_init(&diags, arena);
    const char *wrong = tables_write_elf(&first, arena, tables, ptx->text, ptx->length);
    must(!wrong, wrong);
    must(tables_read_elf(&again, &text, arena, "fuzz.elf", first.bytes, first.size, &diags),
         diags.list.n ? diags.list.v[0].message : "no reason");
    wrong = tables_write_elf(&second, arena, &again, text.text, text.length);
    must(!wrong, wrong);
    must(first.size == second.size && !memcmp(first.bytes, second.bytes, first.size),
         "the tables are others when they are read from ELF again");
}

static void run(const struct fuzz_input *input, struct arena *arena)
{
    static struct guarded guarded;
    const char *bytes = guarded_input(&guarded, input->data, input->size);
    struct tables tables;
    struct source ptx;
    struct diags diags;
    diags_init(&diags, arena);
    bool is_elf = tables_is_elf(bytes, input->size);
    bool good = is_elf
                    ? tables_read_elf(&tables, &ptx, arena, "fuzz.elf", bytes, input->size, &diags)
                    : tables_read_json(&tables, arena, bytes, input->size, &diags);
    must(good == !diags.errors, "the answer is not what the diagnostics say");
    if (!good)
        return;
    check_json(arena, &tables);
    if (is_elf)
        check_elf(arena, &tables, &ptx);
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, run);
}
