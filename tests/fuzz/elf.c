// ELF objects: any bytes give tables that hold together and are written and read as they are, or a
// reason. Memory ends behind the bytes.
#include "backend/elf_tables.h"
#include "tests/fuzz/fuzz.h"
#include "tests/lib/guarded.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

// What the caller frees.
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

static void read_object(struct arena *arena, const char *bytes, size_t size)
{
    struct diags diags;
    struct tables tables, again;
    struct source ptx, ptx_again;
    struct elf_image image;
    diags_init(&diags, arena);
    bool is_good = tables_read_elf(&tables, &ptx, arena, "fuzz", bytes, size, &diags);
    must(is_good == !diags.errors, "the answer is not what the diagnostics say");
    must(!is_good || tables_is_elf(bytes, size), "an object was read that is none");
    if (!is_good)
        return;
    must(!tables_check(arena, &tables), "the tables do not hold together");
    must(!tables_write_elf(&image, arena, &tables, ptx.text, ptx.length), "it cannot be written");
    must(tables_read_elf(&again, &ptx_again, arena, "again", image.bytes, image.size, &diags),
         "what was written cannot be read");
    must(ptx.length == ptx_again.length && !memcmp(ptx.text, ptx_again.text, ptx.length),
         "the PTX has changed");
    check_same(&tables, &again);
}

int fuzz_one(const struct fuzz_input *input)
{
    struct guarded guarded = guarded_new(input->size);
    const char *bytes = guarded_copy(&guarded, input->data, input->size);
    struct memory memory = {.fail_in = input->fail_in};
    struct arena arena;
    arena_init(&arena, &memory);
    int ran_out = setjmp(memory.on_failure);
    if (!ran_out)
        read_object(&arena, bytes, input->size);
    memory_free(&memory);
    guarded_free(&guarded);
    must(!ran_out || input->fail_in, "memory ran out");
    must(memory.bytes == 0, "memory was kept");
    return ran_out;
}
