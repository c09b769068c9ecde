// The checker's table, made once for many inputs: making it takes longer than checking an input.
#pragma once
#include "frontend/forms.h"
#include "tests/fuzz/lib.h"

enum { FORMS_USES = 256 }; // it remembers each combination of modifiers: not for ever

struct forms_kept {
    struct memory memory;
    struct arena arena;
    struct forms *forms;
    unsigned uses;
};

// Returns the table; with memory that may fail, a separate one in that memory.
static inline struct forms *forms_for(struct forms_kept *kept, const struct fuzz_input *input,
                                      struct arena *arena)
{
    if (input->fail_in || input->part == FUZZ_ALL)
        return forms_new(arena);
    if (!kept->forms || ++kept->uses == FORMS_USES) {
        memory_free(&kept->memory);
        arena_init(&kept->arena, &kept->memory);
        kept->uses = 0;
        kept->forms = forms_new(&kept->arena);
    }
    return kept->forms;
}

// Comes before each input: control returns here if memory really runs out.
#define forms_kept_ready(kept)                                                                     \
    must(!setjmp((kept)->memory.on_failure), "the test itself has no memory")
