#include "runtime-sim/run/run_file.h"

static const struct yaml_key rows[RUN_KEYS] = {
#define RUN_KEY(context, key, takes, needed, text)                                                 \
    [KEY_##context##_##key] = {CONTEXT_##context, #key, takes, needed, text},
#include "runtime-sim/run/keys.def"
#undef RUN_KEY
};

static const char *const contexts[CONTEXTS] = {
    [CONTEXT_RUN] = "the file",
    [CONTEXT_BUFFER] = "a buffer",
    [CONTEXT_TEXTURE] = "a texture",
    [CONTEXT_LAUNCH] = "a launch",
    [CONTEXT_STEP] = "a launch, repeat or together",
    [CONTEXT_REPEAT] = "a repeat",
    [CONTEXT_CALL] = "a step of streams",
    [CONTEXT_COPY] = "a copy",
    [CONTEXT_STATE] = "a change of full/empty bits",
    [CONTEXT_CALLS] = "a repeat of streams",
    [CONTEXT_EXPECT] = "an expectation",
};

static void report(struct diags *diags, uint32_t begin, uint32_t end, const char *text)
{
    diag_add(diags, DIAG_ERROR, "run-file", begin, end, "%s", text);
}

const struct yaml_keys run_keys = {rows, RUN_KEYS, contexts, CONTEXTS, report};

bool keys_read(struct key_values *values, const struct yaml_document *document,
               const struct yaml_node *mapping, enum run_context context, struct diags *diags)
{
    return yaml_keys_read(&run_keys, context, document, mapping, values->of, diags);
}
