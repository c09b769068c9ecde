// Shared by the files that compile the forms and match against them.
#pragma once
#include "frontend/forms.h"
#include "support/vec.h"

struct form_memo {
    uint32_t hash, count;
    uint16_t op;
    uint16_t *mods;
    struct form_match match; // the first match; further ones are linked from it
    struct form_memo *next;
};

enum { FORM_BUCKETS = 4096 };

struct forms {
    struct arena *arena;
    struct intern words;
    struct form *compiled[OP_COUNT];
    uint32_t count[OP_COUNT];
    struct form_memo *memo[FORM_BUCKETS];
    uint32_t match_count;
};
