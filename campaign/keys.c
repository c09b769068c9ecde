#include "campaign/keys.h"

static const struct yaml_key rows[CAMPAIGN_KEYS] = {
#define CAMPAIGN_KEY(context, key, takes, needed, text)                                            \
    [CAMPAIGN_##context##_##key] = {CAMPAIGN_OF_##context, #key, takes, needed, text},
#include "campaign/keys.def"
#undef CAMPAIGN_KEY
};

static const char *const contexts[CAMPAIGN_CONTEXTS] = {
    [CAMPAIGN_OF_CAMPAIGN] = "the file",   [CAMPAIGN_OF_SLURM] = "slurm",
    [CAMPAIGN_OF_WORKLOAD] = "a workload", [CAMPAIGN_OF_VARIANT] = "a variant",
    [CAMPAIGN_OF_POINT] = "a point",       [CAMPAIGN_OF_SWEEP] = "a sweep",
    [CAMPAIGN_OF_RANGE] = "a range",       [CAMPAIGN_OF_STUDY] = "a study",
    [CAMPAIGN_OF_FIGURE] = "a figure",     [CAMPAIGN_OF_COLUMN] = "a column",
};

static void report(struct diags *diags, uint32_t begin, uint32_t end, const char *text)
{
    diag_add(diags, DIAG_ERROR, "campaign", begin, end, "%s", text);
}

const struct yaml_keys campaign_file_keys = {rows, CAMPAIGN_KEYS, contexts, CAMPAIGN_CONTEXTS,
                                             report};

bool campaign_keys_read(struct campaign_keys *to, const struct yaml_document *document,
                        const struct yaml_node *mapping, enum campaign_context context,
                        struct diags *diags)
{
    return yaml_keys_read(&campaign_file_keys, context, document, mapping, to->of, diags);
}
