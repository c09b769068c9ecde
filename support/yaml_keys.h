// Keys of YAML files, defined by a table: reads the mappings of a file, and prints the table.
// libcyaml reads by a schema, too, but stops at the first error and gives it no range.
#pragma once
#include "support/yaml.h"

// Columns of a table of keys.
enum yaml_needed { OPTIONAL, REQUIRED };

// A key of a mapping. Its form says what it takes, one of several with " | " between:
//
//     'word'              this word
//     text, number, ...   a value of this kind: a row of `kinds` in support/yaml_schema.c
//     BUFFER              a mapping with the keys of this context
//     [FORM]  [1..3 FORM] a list; of one to three elements
//     {FORM}  {KIND: FORM}  a mapping with any keys; with keys of this kind
//
// yaml_keys_read checks that a value is one value, a list or a mapping as the form says; the
// schema has the whole form, and the reader of the key checks the rest.
struct yaml_key {
    uint32_t context;
    const char *context_name; // in forms
    const char *name, *form;
    int needed;
    const char *text; // "": no explanation
};

// A rule on the keys of a mapping, which are named with spaces between.
struct yaml_rule {
    uint32_t context;
    enum {
        YAML_ONE_OF,      // exactly one of the keys
        YAML_ANY_OF,      // one of the keys or more
        YAML_AT_MOST_ONE, // one of the keys, or none
        YAML_NEEDS,       // the first key is needed by each of the others
    } kind;
    const char *keys, *text; // the message
};

// A table of keys. A context is a kind of mapping; each key belongs to one context.
struct yaml_keys {
    const struct yaml_key *keys;
    uint32_t count;
    const char *const *contexts; // names of contexts in messages
    uint32_t context_count;
    const struct yaml_rule *rules;
    uint32_t rule_count;
    // Adds an error with the file's rule id.
    void (*report)(struct diags *diags, uint32_t begin, uint32_t end, const char *text);
};

// Returns the set of the kinds of nodes that a form allows: bits 1 << enum yaml_kind.
int yaml_form_kinds(const char *form);

// Collects the values of a mapping in of[key]; NULL if the key is absent. It is an error if a key
// is unknown, missing, duplicate or of another kind, or if a rule does not hold. Returns false
// after errors.
bool yaml_keys_read(const struct yaml_keys *table, uint32_t context,
                    const struct yaml_document *document, const struct yaml_node *mapping,
                    const struct yaml_node **of, struct diags *diags);

// Print the table as text for the terminal, and as Markdown for the documentation.
void yaml_keys_print(const struct yaml_keys *table, FILE *to);
void yaml_keys_print_markdown(const struct yaml_keys *table, FILE *to);
// Prints a JSON schema of the files whose root has the keys of context 0.
void yaml_keys_print_schema(const struct yaml_keys *table, const char *title, FILE *to);
