// Keys of YAML files, defined by a table: reads the mappings of a file, and prints the table.
// libcyaml reads by a schema, too, but stops at the first error and gives it no range.
#pragma once
#include "support/yaml.h"

// Columns of a table of keys.
enum yaml_value_kind {
    SCALAR = 1 << YAML_SCALAR,
    SEQUENCE = 1 << YAML_SEQUENCE,
    MAPPING = 1 << YAML_MAPPING,
};
enum yaml_needed { OPTIONAL, REQUIRED };

struct yaml_key {
    uint32_t context;
    const char *name;
    int takes, needed;
    const char *text; // "": no explanation
};

// A table of keys. A context is a kind of mapping; each key belongs to one context.
struct yaml_keys {
    const struct yaml_key *keys;
    uint32_t count;
    const char *const *contexts; // names of contexts in messages
    uint32_t context_count;
    // Adds an error with the file's rule id.
    void (*report)(struct diags *diags, uint32_t begin, uint32_t end, const char *text);
};

// Collects the values of a mapping in of[key]; NULL if the key is absent. It is an error if a key
// is unknown, missing, duplicate or of another kind. Returns false after errors.
bool yaml_keys_read(const struct yaml_keys *table, uint32_t context,
                    const struct yaml_document *document, const struct yaml_node *mapping,
                    const struct yaml_node **of, struct diags *diags);

// Print the table as text for the terminal, and as Markdown for the documentation.
void yaml_keys_print(const struct yaml_keys *table, FILE *to);
void yaml_keys_print_markdown(const struct yaml_keys *table, FILE *to);
