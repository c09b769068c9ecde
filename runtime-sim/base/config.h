// Configurations: the parameters of a machine, from tables of keys.
//
// A component has a table with one row per key (noc/noc.def). From it, base/config_fields.inc
// generates the members of a struct, and base/config_keys.inc the keys that read it:
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
// A whole number is a uint32_t if its range fits, else a uint64_t. A choice is an enum:
//
//     CONFIG_CHOICE(routing, noc_routing, CHOICE(NOC_YX, "yx") CHOICE(NOC_XY, "xy"), "yx", …)
//
// In a file the keys of a component are under the name of its section. `base:` names another file
// or configuration, which is applied first, to the same structs:
//
//     base: isca19
//     noc: {vcs: 4, routing: xy}
//
// A file may also be one of another simulator (base/foreign.h).
#pragma once
#include "support/diag.h"
#include "support/embed.h"
#include "support/file.h"
#include "support/json.h"
#include "support/vec.h"

enum config_type {
    CONFIG_UINT,
    CONFIG_UINT64, // a CONFIG_UINT whose range needs more than 32 bits
    CONFIG_REAL,
    CONFIG_BOOL,
    CONFIG_CHOICE,
    CONFIG_LIST,
};

struct config_list {
    uint32_t *v;
    uint32_t n;
};

struct foreign;

struct config_key {
    const char *name;
    enum config_type type;
    const char *unit;           // "": without a unit
    double min, max;            // range of a number and of each element of a list, inclusive
    const char *const *choices; // CONFIG_CHOICE: the words of the enum's constants; NULL-terminated
    const char *initial;        // in the syntax of a file
    const char *source;         // source of the value: "[000 Table 2]"
    const char *text;           // meaning, without a full stop
    size_t offset; // of the value in the section's struct: uint32_t, uint64_t, double, bool,
                   // an enum, struct config_list
};

// The keys and values of a component.
struct config_section {
    const char *name;
    const struct config_key *keys;
    uint32_t count;
    void *values;
};

// A text that was read: a file, a configuration by name, or a setting from the command line.
struct config_text {
    struct source source;
    struct diags diags;
    const struct foreign *foreign; // translation of a text of another simulator; NULL: ours
};

struct config {
    struct arena *arena;
    struct config_section *sections;
    uint32_t section_count;
    VEC(struct config_text *) texts; // in the order of reading; they own the diagnostics
    bool *given;                     // for each key of all sections, true if a text sets it
    const char *folder; // folder of the built-in configurations of this kind, such as "noc"; NULL:
                        // no folder
};

// The built-in configurations, such as "isca19".
extern const struct embedded config_files[];

// Returns the word of the choice in the section's struct.
const char *config_choice(const struct config_key *key, const void *values);

// Sets every key to its initial value. `sections` is not copied.
void config_init(struct config *config, struct arena *arena, struct config_section *sections,
                 uint32_t count);
// Applies a file. If no file has this path, applies a built-in configuration by its name, with or
// without `.yaml` and with or without `config->folder`. Returns false after an error, which is in
// the diagnostics of config->texts.
bool config_load(struct config *config, const char *name);
// Applies one setting, such as "noc.vcs=4". Returns false after an error.
bool config_set(struct config *config, const char *setting);

// Sets `*value`, which has the key's type, to the initial value of the key.
void config_initial(struct arena *arena, const struct config_key *key, void *value);

// Prints the whole configuration as a file that reads back as the same configuration; before it, as
// comments, what became of each option of other simulators' files.
void config_print(const struct config *config, FILE *to);
// Prints the keys whose values are not the initial ones, one per line, so that a new key changes
// nothing in machines that do not set it.
void config_print_effective(const struct config *config, FILE *to);
// Writes the configuration as an object of objects.
void config_json(const struct config *config, struct json *json);
// Applies --file-prefix-map to the names of the files in outputs. The files can no longer be opened
// by these names.
void config_show_files(struct config *config, const struct prefix_map *prefixes);
// Writes the member "inputs": the files that were read, with their digests, a base before the file
// that names it. Settings are not included; the configuration contains their effect.
void config_json_inputs(const struct config *config, struct json *json);
// Prints the keys with their values and meanings.
void config_keys_print(const struct config *config, FILE *to);
// Prints the keys as tables, for the documentation.
void config_keys_print_markdown(const struct config *config, FILE *to);
// Prints the names of the built-in configurations of this kind, one per line.
void config_names_print(const struct config *config, FILE *to);
// Returns true if the configuration is in `config->folder`, or not in a folder.
bool config_is_usable(const struct config *config, const struct embedded *file);
