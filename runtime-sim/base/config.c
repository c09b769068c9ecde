#include "runtime-sim/base/config.h"
#include "runtime-sim/base/foreign.h"
#include "support/file.h"
#include "support/intern.h"
#include "support/nearest.h"
#include "support/number.h"
#include "support/yaml.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 16, MOST_TEXTS = 256 }; // maximum nesting of bases, and number of texts

struct config_reading {
    struct config *config;
    struct config_text *text;
    struct yaml_document document;
    const struct config_reading *above; // the text that names this one as its `base`; or NULL
};

static void *value_of(const struct config_section *section, const struct config_key *key)
{
    return (char *)section->values + key->offset;
}

static void __attribute__((format(printf, 3, 4)))
fault(struct config_reading *r, const struct yaml_node *at, const char *format, ...)
{
    va_list args;
    char text[512];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(&r->text->diags, DIAG_ERROR, "config", at ? at->begin : NO_OFFSET,
             at ? at->end : NO_OFFSET, "%s", text);
}

static void fault_of_option(struct config_reading *r, const struct foreign_option *option,
                            const char *text)
{
    diag_add(&r->text->diags, DIAG_ERROR, "config", option ? option->begin : NO_OFFSET,
             option ? option->end : NO_OFFSET, "%s", text);
}

// Values

static bool read_uint(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static bool read_real(const char *text, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return end != text && !*end && !errno && isfinite(*value);
}

static bool read_bool(const char *text, bool *value)
{
    *value = !strcmp(text, "true");
    return *value || !strcmp(text, "false");
}

static bool read_choice(const char *const *choices, const char *text, uint64_t *value)
{
    for (*value = 0; choices[*value]; ++*value)
        if (!strcmp(choices[*value], text))
            return true;
    return false;
}

// Writes a whole number to its member, or to the element of a list.
static void put_whole(const struct config_key *key, void *to, uint64_t value)
{
    if (key->type == CONFIG_UINT64)
        *(uint64_t *)to = value;
    else
        *(uint32_t *)to = (uint32_t)value;
}

static const char *with_unit(struct arena *arena, double value, const char *unit)
{
    char number[NUMBER_TEXT];
    number_shortest(number, value);
    return arena_printf(arena, "%s%s%s", number, *unit ? " " : "", unit);
}

// Returns a description of valid values, or NULL if the value is valid.
static const char *number_fault(struct arena *arena, const struct config_key *key, bool is_read,
                                double value)
{
    if (!is_read && key->type != CONFIG_REAL)
        return "a non-negative whole number";
    if (!is_read)
        return "a number";
    if (value < key->min)
        return arena_printf(arena, "at least %s", with_unit(arena, key->min, key->unit));
    if (value > key->max)
        return arena_printf(arena, "at most %s", with_unit(arena, key->max, key->unit));
    return NULL;
}

static const char *choices_text(struct arena *arena, const char *const *choices)
{
    const char *text = *choices;
    while (*++choices)
        text = arena_printf(arena, "%s%s%s", text, choices[1] ? ", " : " or ", *choices);
    return text;
}

static const char *parse_scalar(struct arena *arena, const struct config_key *key, const char *text,
                                void *to)
{
    const char *wrong = NULL;
    uint64_t whole = 0;
    double real = 0;
    switch (key->type) {
    case CONFIG_UINT:
    case CONFIG_UINT64:
    case CONFIG_LIST: {
        bool is_read = read_uint(text, &whole);
        wrong = number_fault(arena, key, is_read, (double)whole);
        if (!wrong)
            put_whole(key, to, whole);
        break;
    }
    case CONFIG_REAL: {
        bool is_read = read_real(text, &real);
        wrong = number_fault(arena, key, is_read, real);
        *(double *)to = wrong ? *(double *)to : real;
        break;
    }
    case CONFIG_BOOL: wrong = read_bool(text, to) ? NULL : "true or false"; break;
    case CONFIG_CHOICE:
        if (read_choice(key->choices, text, &whole))
            put_whole(key, to, whole);
        else
            wrong = choices_text(arena, key->choices);
        break;
    }
    return wrong;
}

static void parse_list(struct config_reading *r, const struct config_key *key,
                       const struct yaml_node *node, struct config_list *to)
{
    struct config_list list = {ARENA_ARRAY(r->config->arena, uint32_t, node->count + 1), 0};
    for (; list.n < node->count; list.n++) {
        const struct yaml_node *item = yaml_at(&r->document, node->items[list.n]);
        const char *wrong = item->kind == YAML_SCALAR
                                ? parse_scalar(r->config->arena, key, item->text, &list.v[list.n])
                                : "one value";
        if (wrong)
            fault(r, item, "an element of '%s' must be %s", key->name, wrong);
    }
    *to = list;
}

static void parse_value(struct config_reading *r, const struct config_section *section,
                        uint32_t index, const struct yaml_node *node)
{
    const struct config_key *key = &section->keys[index];
    void *to = value_of(section, key);
    if (key->type == CONFIG_LIST && node->kind == YAML_SEQUENCE) {
        parse_list(r, key, node, to);
        return;
    }
    const char *wrong = key->type == CONFIG_LIST    ? "a list, such as [1, 2, 3]"
                        : node->kind != YAML_SCALAR ? "one value"
                                                    : NULL;
    if (!wrong)
        wrong = parse_scalar(r->config->arena, key, node->text, to);
    if (wrong)
        fault(r, node, "'%s.%s' must be %s", section->name, key->name, wrong);
}

// Keys

static uint32_t key_number(const struct config *config, const struct config_section *section,
                           uint32_t index)
{
    for (const struct config_section *at = config->sections; at < section; at++)
        index += at->count;
    return index;
}

static void unknown_key(struct config_reading *r, const struct config_section *section,
                        const struct yaml_node *name)
{
    struct nearest nearest;
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < section->count; i++)
        nearest_offer(&nearest, section->keys[i].name, strlen(section->keys[i].name));
    if (nearest.best)
        fault(r, name, "'%s' has no key '%s'; did you mean '%s'?", section->name, name->text,
              nearest.best);
    else
        fault(r, name, "'%s' has no key '%s'", section->name, name->text);
}

static bool is_key(struct config_reading *r, const struct yaml_node *name)
{
    if (name->kind != YAML_SCALAR)
        fault(r, name, "a key must be a single word");
    return name->kind == YAML_SCALAR;
}

// Adds the name to `keys`. Returns false, after reporting it, for a duplicate.
static bool is_first(struct config_reading *r, struct intern *keys, const struct yaml_node *name)
{
    uint32_t before = keys->names.n;
    if (intern_add(keys, name->text, strlen(name->text)) == before)
        return true;
    fault(r, name, "duplicate key '%s'", name->text);
    return false;
}

static void parse_section(struct config_reading *r, const struct config_section *section,
                          const struct yaml_node *mapping)
{
    struct intern keys;
    intern_init(&keys, r->config->arena);
    for (uint32_t i = 0; i < mapping->count; i += 2) {
        const struct yaml_node *name = yaml_at(&r->document, mapping->items[i]);
        uint32_t index = 0;
        if (!is_key(r, name) || !is_first(r, &keys, name))
            continue;
        while (index < section->count && strcmp(section->keys[index].name, name->text))
            index++;
        if (index == section->count) {
            unknown_key(r, section, name);
            continue;
        }
        parse_value(r, section, index, yaml_at(&r->document, mapping->items[i + 1]));
        r->config->given[key_number(r->config, section, index)] = true;
    }
}

static const struct config_section *find_section(const struct config *config, const char *name)
{
    for (uint32_t i = 0; i < config->section_count; i++)
        if (!strcmp(config->sections[i].name, name))
            return &config->sections[i];
    return NULL;
}

static void unknown_section(struct config_reading *r, const struct yaml_node *name)
{
    struct nearest nearest;
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < r->config->section_count; i++)
        nearest_offer(&nearest, r->config->sections[i].name, strlen(r->config->sections[i].name));
    nearest_offer(&nearest, "base", 4);
    if (nearest.best)
        fault(r, name, "unknown section '%s'; did you mean '%s'?", name->text, nearest.best);
    else
        fault(r, name, "unknown section '%s'", name->text);
}

static bool load(struct config *config, const char *name, const struct config_reading *above);
static const char *path_of(struct config *config, const char *name,
                           const struct config_reading *above);

static bool stands_above(const struct config_reading *r, const char *name)
{
    const char *path = path_of(r->config, name, r);
    for (const struct config_reading *at = r; at; at = at->above)
        if (!strcmp(at->text->source.name, path))
            return true;
    return false;
}

static uint32_t depth_of(const struct config_reading *r)
{
    uint32_t depth = 0;
    for (; r; r = r->above)
        depth++;
    return depth;
}

// Applies another file. Returns NULL, or why it cannot be used. Faults in it are reported in its
// own text.
static const char *load_other(struct config_reading *r, const char *name)
{
    struct arena *arena = r->config->arena;
    if (stands_above(r, name))
        return arena_printf(arena, "'%s' is its own base", name);
    if (r->config->texts.n > MOST_TEXTS)
        return arena_printf(arena, "there are more than %d files", MOST_TEXTS);
    if (depth_of(r) > DEEPEST)
        return arena_printf(arena, "bases are nested more than %d deep", DEEPEST);
    return load(r->config, name, r) ? NULL
                                    : arena_printf(arena, "the base '%s' cannot be used", name);
}

// Applies the base, if any.
static bool parse_base(struct config_reading *r, const struct yaml_node *mapping)
{
    for (uint32_t i = 0; i < mapping->count; i += 2) {
        const struct yaml_node *name = yaml_at(&r->document, mapping->items[i]);
        const struct yaml_node *value = yaml_at(&r->document, mapping->items[i + 1]);
        if (name->kind != YAML_SCALAR || strcmp(name->text, "base"))
            continue;
        const char *wrong = value->kind != YAML_SCALAR || !value->length
                                ? "'base' must be the name of a configuration or file"
                                : load_other(r, value->text);
        if (!wrong)
            continue;
        fault(r, value, "%s", wrong);
        return false;
    }
    return true;
}

static void parse_sections(struct config_reading *r, const struct yaml_node *mapping)
{
    struct intern keys;
    intern_init(&keys, r->config->arena);
    for (uint32_t i = 0; i < mapping->count; i += 2) {
        const struct yaml_node *name = yaml_at(&r->document, mapping->items[i]);
        const struct yaml_node *value = yaml_at(&r->document, mapping->items[i + 1]);
        if (!is_key(r, name) || !is_first(r, &keys, name) || !strcmp(name->text, "base") ||
            !strcmp(name->text, "description"))
            continue;
        const struct config_section *section = find_section(r->config, name->text);
        if (!section)
            unknown_section(r, name);
        else if (value->kind != YAML_MAPPING)
            fault(r, value, "'%s' must be a mapping of keys to values", section->name);
        else
            parse_section(r, section, value);
    }
}

// Reads a list as it stands in a table: "[1, 2]". Returns a description of valid elements, or NULL.
static const char *parse_list_text(struct arena *arena, const struct config_key *key,
                                   const char *text, struct config_list *list)
{
    *list = (struct config_list){ARENA_ARRAY(arena, uint32_t, strlen(text) + 1), 0};
    for (const char *at = text + strspn(text, "[, "); *at && *at != ']'; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ",] ");
        const char *wrong =
            parse_scalar(arena, key, arena_strndup(arena, at, length), &list->v[list->n++]);
        if (wrong)
            return wrong;
        at += length;
    }
    return NULL;
}

// Applies a setting to each section that has it. A configuration of a part of a machine lacks some.
static void apply_setting(struct config_reading *r, const struct foreign_setting *setting)
{
    struct config *config = r->config;
    bool is_network = !strcmp(setting->section, "noc");
    for (uint32_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        uint32_t index = 0;
        if (strcmp(section->name, setting->section) &&
            !(is_network && strstr(section->name, "_network")))
            continue;
        while (strcmp(section->keys[index].name, setting->key))
            index++;
        const struct config_key *key = &section->keys[index];
        void *to = value_of(section, key);
        const char *wrong = key->type == CONFIG_LIST
                                ? parse_list_text(config->arena, key, setting->value, to)
                                : parse_scalar(config->arena, key, setting->value, to);
        if (wrong)
            fault_of_option(r, setting->option,
                            arena_printf(config->arena, "'%s.%s' would be %.40s; it must be %s",
                                         section->name, key->name, setting->value, wrong));
        config->given[key_number(config, section, index)] = true;
    }
}

// Applies the files that the options name, and then the options.
static bool apply_foreign(struct config_reading *r, const struct foreign_format *format)
{
    struct diags *diags = &r->text->diags;
    const struct foreign *foreign =
        foreign_read(r->config->arena, format, &r->text->source, diags, r->above);
    r->text->foreign = foreign;
    for (uint32_t i = 0; foreign && i < foreign->files.n; i++) {
        const char *wrong = load_other(r, foreign->files.v[i]->value);
        if (wrong)
            fault_of_option(r, foreign->files.v[i], wrong);
    }
    for (uint32_t i = 0; foreign && i < foreign->settings.n; i++)
        apply_setting(r, &foreign->settings.v[i]);
    return !diags->errors;
}

static bool apply(struct config_reading *r)
{
    struct diags *diags = &r->text->diags;
    if (!yaml_read(&r->document, r->config->arena, &r->text->source, diags))
        return false;
    if (r->document.root == YAML_NOTHING)
        return true;
    const struct yaml_node *root = yaml_at(&r->document, r->document.root);
    if (root->kind != YAML_MAPPING)
        fault(r, root, "a configuration must be a mapping of sections");
    else if (parse_base(r, root))
        parse_sections(r, root);
    return !diags->errors;
}

// Texts

static struct config_text *new_text(struct config *config, const char *name, const char *text,
                                    uint32_t length)
{
    struct config_text *made = ARENA_NEW(config->arena, struct config_text);
    source_init(&made->source, config->arena, name, text, length);
    diags_init(&made->diags, config->arena);
    vec_push(config->arena, &config->texts, made);
    return made;
}

static const char suffix[] = ".yaml";
static size_t length_without_suffix(const char *name)
{
    size_t length = strlen(name);
    bool ends = length > strlen(suffix) && !strcmp(name + length - strlen(suffix), suffix);
    return ends ? length - strlen(suffix) : length;
}

static const struct embedded *find_embedded(const struct config *config, const char *name)
{
    size_t length = length_without_suffix(name);
    const char *short_name = arena_strndup(config->arena, name, length);
    const char *long_name =
        arena_printf(config->arena, "%s/%s", config->folder ? config->folder : "", short_name);
    for (const struct embedded *file = config_files; file->name; file++)
        if (!strcmp(file->name, short_name) || !strcmp(file->name, long_name))
            return file;
    return NULL;
}

// Returns the name without the folder of its kind, which names may omit.
static const char *short_name_of(const struct config *config, const struct embedded *file)
{
    size_t length = config->folder ? strlen(config->folder) : 0;
    return length && !strncmp(file->name, config->folder, length) && file->name[length] == '/'
               ? file->name + length + 1
               : file->name;
}

bool config_is_usable(const struct config *config, const struct embedded *file)
{
    return !strchr(short_name_of(config, file), '/') &&
           !(config->folder && !strchr(file->name, '/'));
}

// Returns the path of a base, which is relative to the folder of the file that names it.
static const char *path_of(struct config *config, const char *name,
                           const struct config_reading *above)
{
    const char *slash = above ? strrchr(above->text->source.name, '/') : NULL;
    if (!slash || *name == '/')
        return name;
    return arena_printf(config->arena, "%.*s%s", (int)(slash + 1 - above->text->source.name),
                        above->text->source.name, name);
}

// Returns the configurations with this prefix, or else the most similar one, as in
// "'mesh88_8vc_islip'". Returns NULL if none is similar.
static const char *nearest_configs(const struct config *config, const char *name)
{
    struct nearest nearest;
    const char *list = "";
    nearest_init(&nearest, name, length_without_suffix(name));
    for (const struct embedded *at = config_files; at->name; at++) {
        const char *known = short_name_of(config, at);
        if (!config_is_usable(config, at))
            continue;
        if (nearest.length > 2 && !strncmp(known, name, nearest.length))
            list = arena_printf(config->arena, "%s%s'%s'", list, *list ? " or " : "", known);
        nearest_offer(&nearest, known, strlen(known));
        nearest_offer(&nearest, at->name, strlen(at->name));
    }
    if (*list)
        return list;
    return nearest.best ? arena_printf(config->arena, "'%s'", nearest.best) : NULL;
}

// Reports a missing file or configuration. A name without a slash or dot is reported as a
// configuration, others as a file.
static void say_missing(const struct config *config, struct diags *diags, const char *name,
                        const char *error)
{
    const char *nearest = nearest_configs(config, name);
    bool is_file = strpbrk(name, "/.");
    const char *meant =
        !nearest  ? ""
        : is_file ? arena_printf(config->arena, "; did you mean the configuration %s?", nearest)
                  : arena_printf(config->arena, "; did you mean %s?", nearest);
    if (is_file)
        diag_add(diags, DIAG_ERROR, "config", NO_OFFSET, NO_OFFSET, "cannot read '%s': %s%s", name,
                 error, meant);
    else
        diag_add(diags, DIAG_ERROR, "config", NO_OFFSET, NO_OFFSET,
                 "there is no configuration '%s'%s%s --list-configs lists them", name, meant,
                 nearest ? "" : ";");
}

static struct config_text *open_text(struct config *config, const char *name,
                                     const struct config_reading *above)
{
    const char *path = path_of(config, name, above);
    const struct embedded *known = find_embedded(config, name);
    struct file_text file = {0};
    bool is_other = known && !above && config->folder && !config_is_usable(config, known);
    if (is_other && !file_is_there(path)) {
        diag_add(&new_text(config, "--config", "", 0)->diags, DIAG_ERROR, "config", NO_OFFSET,
                 NO_OFFSET,
                 "the configuration '%s' is not for a %s; --list-configs lists those that are",
                 name, strcmp(config->folder, "noc") ? "memory" : "network");
        return NULL;
    }
    if (known && !file_is_there(path))
        return new_text(config, known->name, known->text, known->length);
    const char *error = file_read(config->arena, path, &file);
    struct config_text *text =
        new_text(config, error && !above ? "--config" : path, error ? "" : file.text, file.length);
    if (!error)
        return text;
    say_missing(config, &text->diags, name, error);
    return NULL;
}

static bool load(struct config *config, const char *name, const struct config_reading *above)
{
    struct config_reading r = {.config = config, .above = above};
    r.text = open_text(config, name, above);
    const struct foreign_format *format = r.text ? foreign_format_of(r.text->source.text) : NULL;
    return r.text && (format ? apply_foreign(&r, format) : apply(&r));
}

bool config_load(struct config *config, const char *name)
{
    return load(config, name, NULL);
}

// Reads `noc.vcs=4` as the text `{noc: {vcs: 4}}`, so that lists and ranges have the same syntax.
// Positions are valid for the setting, because both texts have the same length up to the value.
bool config_set(struct config *config, const char *setting)
{
    const char *equals = strchr(setting, '=');
    const char *dot = memchr(setting, '.', equals ? (size_t)(equals - setting) : strlen(setting));
    struct config_reading r = {.config = config};
    if (!equals || !dot) {
        r.text = new_text(config, "--set", setting, (uint32_t)strlen(setting));
        diag_add(&r.text->diags, DIAG_ERROR, "config", NO_OFFSET, NO_OFFSET,
                 "'%s' is not SECTION.KEY=VALUE", setting);
        return false;
    }
    const char *text = arena_printf(config->arena, "%.*s: {%.*s: %s}", (int)(dot - setting),
                                    setting, (int)(equals - dot - 1), dot + 1, equals + 1);
    r.text = new_text(config, "--set", text, (uint32_t)strlen(text));
    return apply(&r);
}

// Initial values

void config_initial(struct arena *arena, const struct config_key *key, void *value)
{
    if (key->type != CONFIG_LIST)
        parse_scalar(arena, key, key->initial, value);
    else
        parse_list_text(arena, key, key->initial, value);
}

void config_init(struct config *config, struct arena *arena, struct config_section *sections,
                 uint32_t count)
{
    uint32_t keys = 0;
    *config = (struct config){.arena = arena, .sections = sections, .section_count = count};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < sections[i].count; k++)
            config_initial(arena, &sections[i].keys[k],
                           value_of(&sections[i], &sections[i].keys[k]));
        keys += sections[i].count;
    }
    config->given = ARENA_ARRAY(arena, bool, keys + 1);
}
