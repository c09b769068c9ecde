// Functions that run_file.c and streams_read.c share.
#pragma once
#include "runtime-sim/run/run.h"
#include "support/yaml_keys.h"

// The keys of run files, generated from keys.def.

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
#define RUN_KEY(context, key, form, needed, text) KEY_##context##_##key,
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

struct run_file_reading {
    struct run *run;
    struct yaml_document document;
    uint32_t depth, steps;
};

// Checks that a node is a non-empty scalar. Returns false after an error, in which `what` names the
// value.
bool run_file_is_scalar(struct run_file_reading *r, const struct yaml_node *node, const char *what);
// Read an expression, and `true` or `false`. A missing node (NULL) is not an error. Return false
// after errors.
bool run_file_expression(struct run_file_reading *r, const struct yaml_node *node,
                         struct run_expr *to);
bool run_file_flag(struct run_file_reading *r, const struct yaml_node *node, bool *to);
// Counts a step. Returns false after an error if there are too many.
bool run_file_is_one_more(struct run_file_reading *r, const struct yaml_node *node);
// Reads a launch. Returns NULL after an error.
struct run_launch *run_file_launch(struct run_file_reading *r, const struct yaml_node *node);
// Reads the steps of `streams` or of one of its repeats.
void run_file_calls(struct run_file_reading *r, const struct yaml_node *node,
                    struct run_calls *calls);

// Textures in run files and on command lines.

// Adds a texture whose handle has this name (NULL: no name). Returns its index in `run->textures`,
// or UINT32_MAX after errors.
uint32_t run_texture_new(struct run *run, const struct run_text *name);
// Reads the keys of a texture in a run file. Returns false after errors.
bool run_texture_keys(struct run *run, const struct yaml_document *document,
                      const struct yaml_node *keys, struct run_texture *to);
// Reads TYPE[xCHANNELS]:WIDTH[,HEIGHT]:WORD,WORD…:FILL from byte `begin` on and creates the buffer
// `buffer` for the texels. The words are those of the keys `address`, `filter`, `coordinates` and
// `read`, at most one for each. Text without a colon consists of the words of a separate sampler.
// Returns false after errors.
bool run_texture_line(struct run *run, const struct run_text *at, uint32_t begin,
                      const char *buffer, struct run_texture *to);
