// Words that an option takes, for completions.
#pragma once
#include "cli/common/options.h"
#include "runtime-sim/base/config.h"

struct page_words {
    const char *const *list; // up to a NULL; NULL: no words
    bool in_list;            // several of them, with commas between
    bool and_files;          // or the name of a file
};

// Returns the words with which the argument of an option may begin: its choices, configurations and
// keys of the command's machine, or the words in the text of the argument. One that ends in '=' or
// ':' is continued.
struct page_words page_words_of(const struct command *command, const struct option *option,
                                struct arena *arena);
// Returns the words of the first operand, or NULL.
const char *const *page_operands_of(const struct command *command, struct arena *arena);

// Returns the sections of the keys that a command sets.
struct config_section *page_sections_of(const struct command *command, struct arena *arena,
                                        uint32_t *count);
// Writes the JSON schema of the configurations that a command reads.
void page_write_schema(const struct command *command, struct arena *arena);
// Writes the JSON schema of the files that are a command's input: run files, campaigns or maps.
void page_write_file_schema(const struct command *command);
