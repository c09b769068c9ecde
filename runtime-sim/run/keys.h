// The keys of run files, generated from keys.def.
#pragma once
#include "support/yaml_keys.h"

enum run_context {
    CONTEXT_RUN,
    CONTEXT_BUFFER,
    CONTEXT_TEXTURE,
    CONTEXT_LAUNCH,
    CONTEXT_STEP,
    CONTEXT_REPEAT,
    CONTEXT_CALL,
    CONTEXT_COPY,
    CONTEXT_STATE,
    CONTEXT_CALLS,
    CONTEXT_EXPECT,
    CONTEXTS,
};

enum run_key {
#define RUN_KEY(context, key, takes, needed, text) KEY_##context##_##key,
#include "runtime-sim/run/keys.def"
#undef RUN_KEY
    RUN_KEYS,
};

// The values of one mapping, indexed by key. NULL: not given.
struct key_values {
    const struct yaml_node *of[RUN_KEYS];
};

extern const struct yaml_keys run_keys;

// Collects the values of a mapping and checks its keys. Returns false after errors.
bool keys_read(struct key_values *values, const struct yaml_document *document,
               const struct yaml_node *mapping, enum run_context context, struct diags *diags);
