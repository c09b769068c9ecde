// The keys of campaign files, generated from keys.def.
#pragma once
#include "support/yaml_keys.h"

enum campaign_context {
    CAMPAIGN_OF_CAMPAIGN,
    CAMPAIGN_OF_SLURM,
    CAMPAIGN_OF_WORKLOAD,
    CAMPAIGN_OF_VARIANT,
    CAMPAIGN_OF_POINT,
    CAMPAIGN_OF_SWEEP,
    CAMPAIGN_OF_RANGE,
    CAMPAIGN_OF_STUDY,
    CAMPAIGN_OF_FIGURE,
    CAMPAIGN_OF_COLUMN,
    CAMPAIGN_CONTEXTS,
};

enum campaign_key {
#define CAMPAIGN_KEY(context, key, takes, needed, text) CAMPAIGN_##context##_##key,
#include "campaign/keys.def"
#undef CAMPAIGN_KEY
    CAMPAIGN_KEYS,
};

// The values of one mapping, indexed by key. NULL: not given.
struct campaign_keys {
    const struct yaml_node *of[CAMPAIGN_KEYS];
};

extern const struct yaml_keys campaign_file_keys;

// Collects the values of a mapping and checks its keys. Returns false after errors.
bool campaign_keys_read(struct campaign_keys *keys, const struct yaml_document *document,
                        const struct yaml_node *mapping, enum campaign_context context,
                        struct diags *diags);
