// ELF objects: any bytes give consistent tables, which are written and read back unchanged, or a
// reason. The bytes end at the end of accessible memory.
#include "backend/elf/elf_tables.h"
#include "tests/fuzz/lib.h"
#include "tests/lib/guarded.h"

// Returns the tables as JSON, which the caller frees.
static char *json_of(const struct tables *tables)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    tables_write_json(tables, to);
    fclose(to);
    return text;
}

static void check_same(const struct tables *one, const struct tables *other)
{
    char *first = json_of(one), *second = json_of(other);
    must(!strcmp(first, second), "what was read from the object again says something else");
    free(first);
    free(second);
}

static void check_read(struct arena *arena, const struct tables *tables, const struct source *ptx)
{
    struct diags diags;
    struct tables again;
    struct source ptx_again;
    struct elf_image image;
    diags_init(&diags, arena);
    must(!tables_check(arena, tables), "the tables do not hold together");
    must(!tables_write_elf(&image, arena, tables, ptx->text, ptx->length), "it cannot be written");
    must(tables_read_elf(&again, &ptx_again, arena, "again", image.bytes, image.size, &diags),
         "what was written cannot be read");
    must(ptx->length == ptx_again.length && !memcmp(ptx->text, ptx_again.text, ptx->length),
         "the PTX has changed");
    check_same(tables, &again);
}

static void read_object(const struct fuzz_input *input, struct arena *arena)
{
    const char *bytes = (const char *)input->data;
    struct diags diags;
    struct tables tables;
    struct source ptx;
    diags_init(&diags, arena);
    bool is_good = tables_read_elf(&tables, &ptx, arena, "fuzz", bytes, input->size, &diags);
    must(is_good == !diags.errors, "the answer is not what the diagnostics say");
    must(!is_good || tables_is_elf(bytes, input->size), "an object was read that is none");
    if (is_good)
        check_read(arena, &tables, &ptx);
}

int fuzz_one(const struct fuzz_input *input)
{
    struct guarded guarded = guarded_new(input->size);
    struct fuzz_input copy = *input;
    copy.data = (const uint8_t *)guarded_copy(&guarded, input->data, input->size);
    int ran_out = fuzz_in_memory(&copy, read_object);
    guarded_free(&guarded);
    return ran_out;
}
