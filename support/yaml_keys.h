// Keys of YAML files from a table: reading the mappings of a file, and the table for people.
#pragma once
#include "support/yaml.h"

// Columns of a table of keys.
enum yaml_takes {
    SCALAR = 1 << YAML_SCALAR,
    SEQUENCE = 1 << YAML_SEQUENCE,
    MAPPING = 1 << YAML_MAPPING,
};
enum yaml_needed { OPTIONAL, REQUIRED };

struct yaml_key {
    uint32_t context;
    const char *name;
    int takes, needed;
    const char *text; // "": none
};

// A context is a kind of mapping; a key belongs to one.
struct yaml_keys {
    const struct yaml_key *keys;
    uint32_t count;
    const char *const *contexts; // in messages
    uint32_t context_count;
    // Adds an error with the file's rule id.
    void (*report)(struct diags *diags, uint32_t begin, uint32_t end, const char *text);
};

// Finds the values of a mapping: of[key], NULL if it has no such key. A key that is unknown,
// missing, given twice or of another kind is an error. Returns false after errors.
bool yaml_keys_read(const struct yaml_keys *table, uint32_t context,
                    const struct yaml_document *document, const struct yaml_node *mapping,
                    const struct yaml_node **of, struct diags *diags);

// The table, for people; and as Markdown, for the documentation.
void yaml_keys_print(const struct yaml_keys *table, FILE *to);
void yaml_keys_print_markdown(const struct yaml_keys *table, FILE *to);
