#include "runtime-sim/run/run_file.h"

static const struct yaml_key rows[RUN_KEYS] = {
#define RUN_KEY(context, key, form, needed, text)                                                  \
    [KEY_##context##_##key] = {CONTEXT_##context, #context, #key, form, needed, text},
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

static const struct yaml_rule rules[] = {
    {CONTEXT_RUN, YAML_ONE_OF, "launches streams", "the file needs either 'launches' or 'streams'"},
    {CONTEXT_TEXTURE, YAML_NEEDS,
     "buffer type channels width height depth layers cube offset pitch slice levels border read "
     "encoding surface",
     "a separate sampler does not have this: it needs a 'buffer'"},
    {CONTEXT_TEXTURE, YAML_NEEDS, "width height layers", "this needs a 'width'"},
    {CONTEXT_TEXTURE, YAML_NEEDS, "height pitch depth", "this needs a 'height'"},
    {CONTEXT_STEP, YAML_ONE_OF, "repeat together",
     "'repeat' and 'together' must be separate steps"},
    {CONTEXT_REPEAT, YAML_ANY_OF, "while times", "a repeat needs 'while' or 'times'"},
    {CONTEXT_CALL, YAML_ONE_OF, "copy launch sync empty fill release at cpu reset repeat",
     "a step of streams must have one call"},
    {CONTEXT_CALLS, YAML_ANY_OF, "while times", "a repeat needs 'while' or 'times'"},
    {CONTEXT_EXPECT, YAML_ONE_OF, "file reference fill",
     "an expectation needs exactly one of 'file', 'reference' and 'fill'"},
};

static void report(struct diags *diags, uint32_t begin, uint32_t end, const char *text)
{
    diag_add(diags, DIAG_ERROR, "run-file", begin, end, "%s", text);
}

const struct yaml_keys run_keys = {rows,  RUN_KEYS, contexts, CONTEXTS, rules, ARRAY_LENGTH(rules),
                                   report};

bool keys_read(struct key_values *values, const struct yaml_document *document,
               const struct yaml_node *mapping, enum run_context context, struct diags *diags)
{
    return yaml_keys_read(&run_keys, context, document, mapping, values->of, diags);
}
