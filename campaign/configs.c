#include "campaign/configs.h"
#include "support/protect.h"
#include <jansson.h>
#include <string.h>

void campaign_line_add(struct arena *arena, struct campaign_line *line, const char *word)
{
    if (line->text.n)
        vec_push(arena, &line->text, ' ');
    for (; *word; word++) {
        if (strchr(" \t\n\v\f\r'\"\\", *word))
            vec_push(arena, &line->text, '\\');
        vec_push(arena, &line->text, *word);
    }
}

void campaign_line_set(struct arena *arena, struct campaign_line *line, const char *section,
                       const struct campaign_settings *settings)
{
    for (uint32_t i = 0; i < settings->list.n; i++)
        campaign_line_add(arena, line,
                          arena_printf(arena, "--set=%s%s=%s", section, settings->list.v[i].key,
                                       settings->list.v[i].value));
}

uint32_t campaign_line_id(struct intern *lines, const struct campaign_line *line)
{
    uint32_t id = intern_find(lines, line->text.v, line->text.n);
    if (id != UINT32_MAX)
        return id;
    return intern_add(lines, arena_strndup(lines->arena, line->text.v, line->text.n), line->text.n);
}

void campaign_configs_init(struct campaign_configs *configs, struct arena *arena)
{
    *configs = (struct campaign_configs){.arena = arena};
    intern_init(&configs->lines, arena);
    intern_init(&configs->statistics, arena);
}

static uint32_t add_machine(struct campaign_configs *configs, const char *listed_policy,
                            const char *config, const struct campaign_settings *set)
{
    struct arena own;
    struct campaign_line line = {{0}};
    arena_init(&own, configs->arena->memory);
    campaign_line_add(&own, &line, arena_printf(&own, "--config=%s", config));
    if (listed_policy) {
        campaign_line_add(&own, &line, arena_printf(&own, "--policy=%s", listed_policy));
        campaign_line_add(&own, &line, "--list-stats");
    }
    campaign_line_set(&own, &line, "", set);
    uint32_t id = campaign_line_id(&configs->lines, &line);
    arena_free(&own);
    return id;
}

uint32_t campaign_configs_add(struct campaign_configs *configs, const char *config,
                              const struct campaign_settings *set)
{
    return add_machine(configs, NULL, config, set);
}

void campaign_configs_add_listed(struct campaign_configs *configs, const char *policy,
                                 const char *config, const struct campaign_settings *set)
{
    add_machine(configs, policy, config, set);
}

uint32_t campaign_configs_add_options(struct campaign_configs *configs, const char *policy,
                                      const struct text_list *first, const struct text_list *second)
{
    const struct text_list *const lists[] = {first, second};
    struct arena own;
    struct campaign_line line = {{0}};
    arena_init(&own, configs->arena->memory);
    campaign_line_add(&own, &line, arena_printf(&own, "--policy=%s", policy));
    campaign_line_add(&own, &line, "--version"); // the options are checked without a machine
    for (size_t k = 0; k < ARRAY_LENGTH(lists); k++)
        for (uint32_t i = 0; lists[k] && i < lists[k]->list.n; i++)
            campaign_line_add(&own, &line, lists[k]->list.v[i]);
    uint32_t id = campaign_line_id(&configs->lines, &line);
    arena_free(&own);
    return id;
}

static void add_statistic(struct campaign_configs *configs, const char *name)
{
    size_t length = strlen(name);
    if (intern_find(&configs->statistics, name, length) == UINT32_MAX)
        intern_add(&configs->statistics, arena_strndup(configs->arena, name, length), length);
}

// Reads one line of the output of ptxoffload-sim. Returns false if it is malformed.
static bool parse_digest(struct campaign_configs *configs, const char *line, size_t length)
{
    struct campaign_config made = {.error = NULL};
    json_t *answer = json_loadb(line, length, 0, NULL), *file, *name;
    size_t i;
    const char *digest = json_string_value(json_object_get(answer, "sha256"));
    const char *errors = json_string_value(json_object_get(answer, "errors"));
    const char *effective = json_string_value(json_object_get(answer, "effective"));
    bool good = digest
                    ? strlen(digest) == SHA256_HEX && effective && strlen(effective) == SHA256_HEX
                    : errors != NULL;
    if (good && digest) {
        memcpy(made.digest, digest, sizeof made.digest);
        memcpy(made.effective, effective, sizeof made.effective);
    } else if (good)
        made.error = campaign_last_line(configs->arena, errors);
    json_array_foreach(json_object_get(answer, "files"), i, file)
    {
        protect_file(configs->arena->memory, json_string_value(file));
    }
    json_array_foreach(json_object_get(answer, "statistics"), i, name)
    {
        add_statistic(configs, json_string_value(name));
    }
    json_decref(answer);
    if (good)
        vec_push(configs->arena, &configs->list, made);
    return good;
}

// Reads the output. Returns NULL, or why it does not have one line for each configuration.
static const char *parse_digests(struct campaign_configs *configs, struct arena *own,
                                 const struct campaign_output *output)
{
    size_t length;
    for (const char *at = output->out; *at; at += length + 1) {
        length = strcspn(at, "\n");
        if (!at[length] || configs->list.n == configs->lines.names.n ||
            !parse_digest(configs, at, length))
            break;
    }
    if (configs->list.n == configs->lines.names.n)
        return NULL;
    const char *line = campaign_last_line(own, output->err);
    return *line ? line : campaign_status_text(own, output->status);
}

const char *campaign_configs_resolve(struct campaign_configs *configs,
                                     const struct campaign_tools *tools)
{
    struct arena own;
    struct campaign_argv argv = {{0}};
    struct campaign_output output;
    VEC(char) lines = {0};
    if (!configs->lines.names.n)
        return NULL;
    arena_init(&own, configs->arena->memory);
    for (uint32_t i = 0; i < configs->lines.names.n; i++) {
        const struct name *line = &configs->lines.names.v[i];
        vec_reserve(&own, &lines, lines.n + line->length + 1);
        memcpy(lines.v + lines.n, line->text, line->length);
        lines.n += line->length;
        lines.v[lines.n++] = '\n';
    }
    campaign_push(&own, &argv, tools->sim.path);
    campaign_push(&own, &argv, "--print-config-digests");
    const char *error = campaign_capture(&own, &argv, lines.v, lines.n, &output);
    if (!error)
        error = parse_digests(configs, &own, &output);
    if (error)
        error = arena_printf(configs->arena, "'%s' does not resolve the configurations: %s",
                             tools->sim.path, error);
    arena_free(&own);
    return error;
}
