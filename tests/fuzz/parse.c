// The parser: any bytes give a tree that is whole, and the text comes back as it was.
#include "frontend/tree.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void parse(struct arena *arena, const char *text, size_t size)
{
    struct source source;
    struct diags diags;
    struct tree tree;
    source_init(&source, arena, "fuzz.ptx", text, (uint32_t)size);
    diags_init(&diags, arena);
    ptx_parse(&tree, arena, &source, &diags);
    const char *wrong = tree_validate(&tree);
    must(!wrong, wrong);
}

int fuzz_one(const uint8_t *data, size_t size, long fail_in)
{
    // Exactly as long as promised, so that AddressSanitizer sees a byte too far.
    char *text = malloc(size + 2);
    must(text != NULL, "the test itself has no memory");
    memcpy(text, data, size);
    memcpy(text + size, "\0\0", 2);
    struct memory memory = {.fail_in = fail_in};
    struct arena arena;
    arena_init(&arena, &memory);
    int ran_out = setjmp(memory.on_failure);
    if (!ran_out) {
        parse(&arena, text, size);
        must(!memcmp(text, data, size), "the text was changed");
    }
    arena_free(&arena);
    must(memory.bytes == 0, "memory was kept");
    free(text);
    return ran_out;
}
