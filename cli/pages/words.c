#include "cli/pages/words.h"
#include "runtime-sim/dram/dram.h"
#include "runtime-sim/gpu/machine/machine.h"
#include "runtime-sim/host/host.h"
#include "runtime-sim/noc/noc.h"
#include "runtime-sim/schemes/schemes.h"
#include <string.h>

struct word_list {
    VEC(const char *) words;
};

static const char *const *end(struct word_list *list, struct arena *arena)
{
    vec_push(arena, &list->words, NULL);
    return list->words.n > 1 ? list->words.v : NULL;
}

// The folder of the configurations that a command takes.
static const char *folder_of(const struct command *command)
{
    return !strcmp(command->name, "ptxoffload-noc")    ? "noc"
           : !strcmp(command->name, "ptxoffload-dram") ? "dram"
                                                       : NULL;
}

static const char *const *configurations(const struct command *command, struct arena *arena)
{
    struct word_list list = {0};
    const struct config config = {.folder = folder_of(command)};
    for (const struct embedded *file = config_files; file->name; file++)
        if (config_is_usable(&config, file))
            vec_push(arena, &list.words, file->name);
    return end(&list, arena);
}

struct config_section *page_sections_of(const struct command *command, struct arena *arena,
                                        uint32_t *count)
{
    const char *folder = folder_of(command);
    struct config_section *sections =
        machine_sections(ARENA_NEW(arena, struct machine_config), arena, schemes, count);
    if (folder) {
        *count = 1;
        sections[0] = !strcmp(folder, "noc")
                          ? (struct config_section){"noc", noc_keys, noc_key_count, NULL}
                          : (struct config_section){"dram", dram_keys, dram_key_count, NULL};
        return sections;
    }
    sections[(*count)++] = host_section(ARENA_NEW(arena, struct host_config));
    if (!strcmp(command->name, "ptxoffload-run"))
        sections[(*count)++] = host_peer_section(ARENA_NEW(arena, struct host_peer));
    return sections;
}

static const char *const *keys(const struct command *command, struct arena *arena)
{
    struct word_list list = {0};
    uint32_t count;
    struct config_section *sections = page_sections_of(command, arena, &count);
    bool is_map = !strcmp(command->name, "ptxoffload-map"); // has the keys of one section
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < sections[i].count; k++)
            if (!is_map || !strcmp(sections[i].name, "spatial"))
                vec_push(arena, &list.words,
                         arena_printf(arena, "%s.%s=", sections[i].name, sections[i].keys[k].name));
    return end(&list, arena);
}

static const char *const *traffic_patterns(const struct command *command, struct arena *arena)
{
    static const char *const names[] = {
#define TRAFFIC(name, list, bind, help) name,
#include "tools/noc/traffic.def"
        NULL};
    (void)command, (void)arena;
    return names;
}

// Words between bars or commas, up to a bracket, a blank or the name of something: of
// "text|json[:FILE]" the words text and json.
static const char *const *words_in(const char *text, struct arena *arena)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    struct word_list list = {0};
    for (const char *at = text; at;) {
        size_t length = strspn(at, letters);
        if (length && strchr("|,[: ", at[length]))
            vec_push(arena, &list.words, arena_strndup(arena, at, length));
        at = at[length] == '|' || (at[length] == ',' && length) ? at + length + 1 : NULL;
    }
    return list.words.n > 1 ? end(&list, arena) : NULL;
}

struct page_words page_words_of(const struct command *command, const struct option *option,
                                struct arena *arena)
{
    static const struct {
        const char *name;
        const char *const *(*words)(const struct command *command, struct arena *arena);
    } sources[] = {{"--config", configurations},
                   {"--machine", configurations},
                   {"--placement", configurations},
                   {"--set", keys},
                   {"--traffic", traffic_patterns}};
    struct page_words made = {.list = option->choices,
                              .in_list = option->kind == OPTION_SET,
                              .and_files = option->file && option->kind != OPTION_SET &&
                                           option->kind != OPTION_FORMAT};
    for (size_t i = 0; !made.list && i < ARRAY_LENGTH(sources); i++)
        if (!strcmp(option->name, sources[i].name))
            made.list = sources[i].words(command, arena);
    if (!made.list && option->argument)
        made.list = words_in(option->argument, arena);
    if (made.list && !*made.list)
        made.list = NULL;
    return made;
}

const char *const *page_operands_of(const struct command *command, struct arena *arena)
{
    return words_in(command->usage, arena);
}
