// Configurations: what a machine is made of, from tables of keys.
//
// A component has a table with one row per key (noc/noc.def). engine/config_fields.inc makes the
// members of a struct from it, engine/config_keys.inc the keys that read it:
//
//     struct noc_config {
//     #define CONFIG_DEF "runtime-sim/noc/noc.def"
//     #include "runtime-sim/base/config_fields.inc"
//     };
//
//     const struct config_key noc_keys[] = {
//     #define CONFIG_DEF "runtime-sim/noc/noc.def"
//     #define CONFIG_OF struct noc_config
//     #include "runtime-sim/base/config_keys.inc"
//     };
//
// In a file a component's keys stand together under its section's name; `base:` names another file
// or configuration, which is applied first, onto the same structs:
//
//     base: isca19
//     noc: {vcs: 4, routing: xy}
#pragma once
#include "support/diag.h"
#include "support/embed.h"
#include "support/json.h"
#include "support/vec.h"

enum config_type { CONFIG_UINT, CONFIG_REAL, CONFIG_BOOL, CONFIG_CHOICE, CONFIG_LIST };

struct config_list {
    uint64_t *v;
    uint32_t n;
};

struct config_key {
    const char *name;
    enum config_type type;
    const char *unit;    // "" if it has none
    double least, most;  // of numbers, and of each number of a list; both included
    const char *choices; // CONFIG_CHOICE: "yx|xy|adaptive"; its value is the place, from 0
    const char *initial; // as it would stand in a file
    const char *source;  // where the value comes from: "[000 Table 2]"
    const char *text;    // what it is, without a full stop
    size_t offset;       // in the section's struct: uint64_t, double, bool, int, struct config_list
};

// A component that is configured.
struct config_section {
    const char *name;
    const struct config_key *keys;
    uint32_t count;
    void *values;
};

// A text that was read: a file, a configuration by name, or a setting of the command line.
struct config_text {
    struct source source;
    struct diags diags;
};

struct config {
    struct arena *arena;
    struct config_section *sections;
    uint32_t section_count;
    VEC(struct config_text *) texts; // in the order in which they were read; for their diagnostics
    bool *given;                     // of each key of all sections: a text has it
    const char *folder; // of the configurations of this kind that are built in: "noc"; NULL: none
};

// The configurations that are part of the program, such as "isca19".
extern const struct embedded config_files[];

// The word of a choice that the section's struct holds.
const char *config_choice(struct arena *arena, const struct config_key *key, const void *values);

// Gives every key its initial value. `sections` stay the caller's.
void config_init(struct config *config, struct arena *arena, struct config_section *sections,
                 uint32_t count);
// Applies a file or, if there is none at this path, a configuration by its name, with or without
// `.yaml` and with or without `config->folder`. False after an error, which is in the diagnostics
// of config->texts.
bool config_load(struct config *config, const char *name);
// Applies one setting, "noc.vcs=4".
bool config_set(struct config *config, const char *setting);

// The whole configuration as a file that reads back as the same.
void config_print(const struct config *config, FILE *to);
// The same as an object of objects, for the head of results.
void config_json(const struct config *config, struct json *json);
// The member "inputs": the texts that were read with their digests, a base before what stands on
// it. What settings say is in the configuration itself.
void config_json_inputs(const struct config *config, struct json *json);
// The keys with their values and meanings, for people.
void config_keys_print(const struct config *config, FILE *to);
// The same as tables, for the documentation.
void config_keys_print_markdown(const struct config *config, FILE *to);
// Names of the configurations that are part of the program and of this kind, one per line.
void config_names_print(const struct config *config, FILE *to);
// True if the configuration is of this kind: in `config->folder`, or in none.
bool config_is_usable(const struct config *config, const struct embedded *file);
