// A YAML document as a tree whose nodes have places in the source. Only yaml.c uses libyaml.
#pragma once
#include "support/diag.h"

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };
enum { YAML_NOTHING = UINT32_MAX };

struct yaml_node {
    enum yaml_kind kind;
    const char *text; // of a scalar; NUL-terminated
    uint32_t length;
    bool plain;          // a scalar without quotes
    uint32_t begin, end; // byte range in the source
    uint32_t inner;      // of a scalar: start of its text if the source has it verbatim
    uint32_t *items;     // of a sequence: nodes; of a mapping: key, value, key, value …
    uint32_t count;      // number of `items`
};

struct yaml_document {
    const struct source *source;
    VEC(struct yaml_node) nodes;
    uint32_t root; // YAML_NOTHING: the document is empty
};

// Reads the only document of the text. Returns false with an error in `diags` if it is not YAML. A
// node can have several parents (`*alias`), even itself.
bool yaml_read(struct yaml_document *document, struct arena *arena, const struct source *source,
               struct diags *diags);

// Returns the node with this index.
static inline const struct yaml_node *yaml_at(const struct yaml_document *document, uint32_t node)
{
    return &document->nodes.v[node];
}
