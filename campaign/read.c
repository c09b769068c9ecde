// Reads the parts of a campaign file that define jobs.
#include "campaign/reading.h"
#include "campaign/slurm.h"
#include "support/file.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

uint32_t campaign_workload(const struct campaign *campaign, const char *name)
{
    for (uint32_t i = 0; i < campaign->workloads.n; i++)
        if (!strcmp(campaign->workloads.v[i].name, name))
            return i;
    return CAMPAIGN_NONE;
}

uint32_t campaign_variant(const struct campaign *campaign, const char *name)
{
    for (uint32_t i = 0; i < campaign->variants.n; i++)
        if (!strcmp(campaign->variants.v[i].name, name))
            return i;
    return CAMPAIGN_NONE;
}

bool campaign_has_point(const struct campaign *campaign, const char *name)
{
    for (uint32_t i = 0; i < campaign->points.n; i++)
        if (!strcmp(campaign->points.v[i].name, name))
            return true;
    return false;
}

// Files

static const char *path_of(const struct campaign *campaign, const char *name)
{
    return *name == '/' ? name : arena_printf(campaign->arena, "%s%s", campaign->folder, name);
}

const char *campaign_config_of(const struct campaign *campaign, const struct yaml_node *node)
{
    const char *path = path_of(campaign, node->text);
    return file_is_there(path) ? path : node->text;
}

// Settings

static void put(const struct campaign *campaign, struct campaign_settings *to,
                struct campaign_setting setting)
{
    for (uint32_t i = 0; i < to->list.n; i++)
        if (!strcmp(to->list.v[i].key, setting.key)) {
            to->list.v[i].value = setting.value;
            return;
        }
    vec_push(campaign->arena, &to->list, setting);
}

const char *campaign_list_text(struct campaign_reading *r, const struct yaml_node *list)
{
    const char *text = "";
    for (uint32_t i = 0; i < list->count; i++) {
        const struct yaml_node *item = yaml_at(&r->document, list->items[i]);
        if (item->kind != YAML_SCALAR)
            campaign_fault(r, item, "an element of a list must be one value");
        else
            text = arena_printf(r->campaign->arena, "%s%s%s", text, i ? ", " : "", item->text);
    }
    return arena_printf(r->campaign->arena, "[%s]", text);
}

bool campaign_is_key(const char *text)
{
    size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    return length && !text[length];
}

// `SECTION: {KEY: VALUE}` is the same as `SECTION.KEY: VALUE`.
static void parse_settings(struct campaign_reading *r, const struct yaml_node *node,
                           const char *section, struct campaign_settings *to)
{
    for (uint32_t i = 0; node && i < node->count; i += 2) {
        const struct yaml_node *key = yaml_at(&r->document, node->items[i]);
        const struct yaml_node *value = yaml_at(&r->document, node->items[i + 1]);
        if (key->kind != YAML_SCALAR || !campaign_is_key(key->text)) {
            campaign_fault(r, key, "a key must be a single word of letters, digits, _ and dots");
            continue;
        }
        const char *name =
            *section ? arena_printf(r->campaign->arena, "%s.%s", section, key->text) : key->text;
        if (value->kind == YAML_MAPPING && !*section)
            parse_settings(r, value, name, to);
        else if (value->kind == YAML_MAPPING || (value->kind == YAML_SCALAR && !value->length))
            campaign_fault(r, value, "'%s' takes one value or a list", name);
        else
            put(r->campaign, to,
                (struct campaign_setting){
                    name, value->kind == YAML_SCALAR ? value->text : campaign_list_text(r, value)});
    }
}

static void copy_settings(const struct campaign *campaign, const struct campaign_settings *from,
                          struct campaign_settings *to)
{
    for (uint32_t i = 0; i < from->list.n; i++)
        put(campaign, to, from->list.v[i]);
}

void text_list_read(struct campaign_reading *r, const struct yaml_node *node, struct text_list *to)
{
    if (node && node->kind == YAML_SCALAR)
        vec_push(r->campaign->arena, &to->list, node->text);
    for (uint32_t i = 0; node && node->kind == YAML_SEQUENCE && i < node->count; i++) {
        const struct yaml_node *word = yaml_at(&r->document, node->items[i]);
        if (word->kind == YAML_SCALAR)
            vec_push(r->campaign->arena, &to->list, word->text);
        else
            campaign_fault(r, word, "an entry must be one value");
    }
}

// Workloads, variants, points

static void parse_workload(struct campaign_reading *r, const struct yaml_node *node)
{
    struct campaign *campaign = r->campaign;
    struct campaign_keys keys;
    if (!campaign_keys_read(&keys, &r->document, node, CAMPAIGN_OF_WORKLOAD, campaign->diags))
        return;
    const struct yaml_node *name = keys.of[CAMPAIGN_WORKLOAD_name];
    struct campaign_workload made = {
        .name = name->text,
        .group = campaign_text(keys.of[CAMPAIGN_WORKLOAD_group]),
        .run = path_of(campaign, keys.of[CAMPAIGN_WORKLOAD_run]->text),
    };
    parse_settings(r, keys.of[CAMPAIGN_WORKLOAD_values], "", &made.values);
    copy_settings(campaign, &made.values, &made.quick);
    parse_settings(r, keys.of[CAMPAIGN_WORKLOAD_quick], "", &made.quick);
    if (keys.of[CAMPAIGN_WORKLOAD_sample])
        text_list_read(r, keys.of[CAMPAIGN_WORKLOAD_sample], &made.sample);
    const struct yaml_node *tagged = keys.of[CAMPAIGN_WORKLOAD_tagged];
    made.tagged = tagged ? path_of(campaign, tagged->text) : made.run;
    if (access(made.run, R_OK))
        campaign_fault(r, keys.of[CAMPAIGN_WORKLOAD_run], "cannot read '%s'", made.run);
    else if (access(made.tagged, R_OK))
        campaign_fault(r, tagged, "cannot read '%s'", made.tagged);
    if (campaign_new_name(r, name, campaign_workload(campaign, made.name) != CAMPAIGN_NONE))
        vec_push(campaign->arena, &campaign->workloads, made);
}

static bool is_word(const char *text)
{
    for (const char *at = text; *at; at++)
        if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' ||
              (at > text && *at >= '0' && *at <= '9')))
            return false;
    return strcmp(text, "ref") && strcmp(text, "plain") && strcmp(text, "min") &&
           strcmp(text, "max");
}

static void parse_like(struct campaign_reading *r, const struct yaml_node *node,
                       struct campaign_variant *to)
{
    struct campaign_indices places = {0};
    const char *group;
    if (!campaign_stands_for(r, node, CAMPAIGN_VARIANTS, &places, &group))
        return;
    const struct campaign_variant *from = &r->campaign->variants.v[places.list.v[0]];
    to->policy = from->policy;
    to->config = from->config;
    to->tag = from->tag;
    to->tagged = from->tagged;
    to->sampled = from->sampled;
    copy_settings(r->campaign, &from->set, &to->set);
    copy_settings(r->campaign, &from->values, &to->values);
}

static void parse_variant(struct campaign_reading *r, const struct yaml_node *node,
                          const char *config)
{
    struct campaign *campaign = r->campaign;
    struct campaign_keys keys;
    if (!campaign_keys_read(&keys, &r->document, node, CAMPAIGN_OF_VARIANT, campaign->diags))
        return;
    const struct yaml_node *name = keys.of[CAMPAIGN_VARIANT_name];
    struct campaign_variant made = {.name = name->text, .policy = "baseline", .config = config};
    if (keys.of[CAMPAIGN_VARIANT_like])
        parse_like(r, keys.of[CAMPAIGN_VARIANT_like], &made);
    made.label = campaign_text(keys.of[CAMPAIGN_VARIANT_label]);
    if (keys.of[CAMPAIGN_VARIANT_policy])
        made.policy = keys.of[CAMPAIGN_VARIANT_policy]->text;
    if (keys.of[CAMPAIGN_VARIANT_config])
        made.config = campaign_config_of(campaign, keys.of[CAMPAIGN_VARIANT_config]);
    parse_settings(r, keys.of[CAMPAIGN_VARIANT_set], "", &made.set);
    parse_settings(r, keys.of[CAMPAIGN_VARIANT_values], "", &made.values);
    if (keys.of[CAMPAIGN_VARIANT_sample])
        made.sampled = campaign_flag(r, keys.of[CAMPAIGN_VARIANT_sample], false);
    if (keys.of[CAMPAIGN_VARIANT_tag]) {
        made.tagged = true;
        made.tag = (struct text_list){0};
        text_list_read(r, keys.of[CAMPAIGN_VARIANT_tag], &made.tag);
        if (made.tag.list.n && !strchr("-@", *made.tag.list.v[0]))
            campaign_fault(r, keys.of[CAMPAIGN_VARIANT_tag],
                           "'%s' is not an option of ptxoffload: [] tags with its defaults",
                           made.tag.list.v[0]);
    }
    if (!is_word(made.name))
        campaign_fault(r, name,
                       "'%s' is not a name of a variant: letters, digits and _, but not "
                       "ref, plain, min or max",
                       made.name);
    else if (campaign_new_name(r, name, campaign_variant(campaign, made.name) != CAMPAIGN_NONE))
        vec_push(campaign->arena, &campaign->variants, made);
}

static void parse_values(struct campaign_reading *r, const struct yaml_node *node,
                         struct campaign_point *to)
{
    for (uint32_t i = 0; node && i < node->count; i += 2) {
        const struct yaml_node *key = yaml_at(&r->document, node->items[i]);
        const struct yaml_node *value = yaml_at(&r->document, node->items[i + 1]);
        struct campaign_values made = {.workload = CAMPAIGN_NONE};
        if (key->kind == YAML_SCALAR)
            made.workload = campaign_workload(r->campaign, key->text);
        if (made.workload == CAMPAIGN_NONE)
            campaign_fault(r, key, "unknown workload");
        else if (value->kind != YAML_MAPPING)
            campaign_fault(r, value, "values of a workload must be NAME: VALUE");
        else
            parse_settings(r, value, "", &made.list);
        vec_push(r->campaign->arena, &to->values, made);
    }
}

static void parse_point(struct campaign_reading *r, const struct yaml_node *node)
{
    struct campaign *campaign = r->campaign;
    struct campaign_keys keys;
    if (!campaign_keys_read(&keys, &r->document, node, CAMPAIGN_OF_POINT, campaign->diags))
        return;
    const struct yaml_node *name = keys.of[CAMPAIGN_POINT_name];
    const struct yaml_node *config = keys.of[CAMPAIGN_POINT_config];
    struct campaign_point made = {
        .name = name->text,
        .group = campaign_text(keys.of[CAMPAIGN_POINT_group]),
        .label = campaign_text(keys.of[CAMPAIGN_POINT_label]),
        .x = NAN,
        .row = name->text,
        .repeats = 1,
        .config = config ? campaign_config_of(campaign, config) : NULL,
    };
    if (keys.of[CAMPAIGN_POINT_x])
        campaign_number(r, keys.of[CAMPAIGN_POINT_x], &made.x);
    parse_settings(r, keys.of[CAMPAIGN_POINT_set], "", &made.set);
    parse_values(r, keys.of[CAMPAIGN_POINT_values], &made);
    if (campaign_new_name(r, name, campaign_has_point(campaign, made.name)))
        vec_push(campaign->arena, &campaign->points, made);
}

static void parse_study(struct campaign_reading *r, const struct yaml_node *node)
{
    struct campaign *campaign = r->campaign;
    struct campaign_keys keys;
    if (!campaign_keys_read(&keys, &r->document, node, CAMPAIGN_OF_STUDY, campaign->diags))
        return;
    struct campaign_study made = {
        .name = keys.of[CAMPAIGN_STUDY_name]->text,
        .is_quick = campaign_flag(r, keys.of[CAMPAIGN_STUDY_quick], true),
    };
    bool is_taken = false;
    for (uint32_t i = 0; i < campaign->studies.n; i++)
        is_taken |= !strcmp(campaign->studies.v[i].name, made.name);
    campaign_indices_read(r, keys.of[CAMPAIGN_STUDY_workloads], CAMPAIGN_WORKLOADS,
                          &made.workloads);
    campaign_indices_read(r, keys.of[CAMPAIGN_STUDY_variants], CAMPAIGN_VARIANTS, &made.variants);
    campaign_indices_read(r, keys.of[CAMPAIGN_STUDY_points], CAMPAIGN_POINTS, &made.points);
    if (campaign_new_name(r, keys.of[CAMPAIGN_STUDY_name], is_taken))
        vec_push(campaign->arena, &campaign->studies, made);
}

static void parse_definitions(struct campaign_reading *r, const struct yaml_node *node)
{
    struct campaign *campaign = r->campaign;
    r->is_definition = true;
    for (uint32_t i = 0; node && i < node->count; i += 2) {
        const struct yaml_node *name = yaml_at(&r->document, node->items[i]);
        const struct yaml_node *value = yaml_at(&r->document, node->items[i + 1]);
        if (name->kind != YAML_SCALAR || !is_word(name->text)) {
            campaign_fault(r, name, "a name must consist of letters, digits and _");
            continue;
        }
        bool is_taken = false;
        for (uint32_t k = 0; k < campaign->definitions.n; k++)
            is_taken |= !strcmp(campaign->definitions.v[k].name, name->text);
        struct campaign_definition made = {name->text, campaign_expression(r, value)};
        if (made.expr && campaign_new_name(r, name, is_taken))
            vec_push(campaign->arena, &campaign->definitions, made);
    }
    r->is_definition = false;
}

static void parse_slurm(struct campaign_reading *r, const struct yaml_node *node)
{
    struct campaign *campaign = r->campaign;
    struct campaign_keys keys;
    if (!node || !campaign_keys_read(&keys, &r->document, node, CAMPAIGN_OF_SLURM, campaign->diags))
        return;
    struct campaign_slurm made;
    campaign_slurm_init(&made);
    for (uint32_t i = 0; i < CAMPAIGN_KEYS; i++) {
        const struct yaml_key *key = &campaign_file_keys.keys[i];
        if (key->context != CAMPAIGN_OF_SLURM || !keys.of[i])
            continue;
        struct campaign_setting setting = {key->name, keys.of[i]->text};
        const char *error = campaign_slurm_set(&made, campaign->arena, setting.key, setting.value);
        if (error)
            campaign_fault(r, keys.of[i], "%s", error);
        vec_push(campaign->arena, &campaign->slurm.list, setting);
    }
}

// The file

static void parse_each(struct campaign_reading *r, const struct yaml_node *list,
                       void (*take)(struct campaign_reading *, const struct yaml_node *))
{
    for (uint32_t i = 0; list && i < list->count; i++)
        take(r, yaml_at(&r->document, list->items[i]));
}

static void parse_preview(struct campaign_reading *r, const struct yaml_node *list)
{
    text_list_read(r, list, &r->campaign->preview);
    for (uint32_t i = 0; i < r->campaign->preview.list.n; i++)
        if (campaign_workload(r->campaign, r->campaign->preview.list.v[i]) == CAMPAIGN_NONE)
            campaign_fault(r, yaml_at(&r->document, list->items[i]), "unknown workload '%s'",
                           r->campaign->preview.list.v[i]);
}

static void parse_all(struct campaign_reading *r, const struct campaign_keys *keys)
{
    struct campaign *campaign = r->campaign;
    const struct yaml_node *config = keys->of[CAMPAIGN_CAMPAIGN_config];
    const struct yaml_node *variants = keys->of[CAMPAIGN_CAMPAIGN_variants];
    const struct yaml_node *notes = keys->of[CAMPAIGN_CAMPAIGN_notes];
    const struct yaml_node *quick = keys->of[CAMPAIGN_CAMPAIGN_quick_notes];
    campaign->name = keys->of[CAMPAIGN_CAMPAIGN_name]->text;
    if (strchr(campaign->name, '/'))
        campaign_fault(r, keys->of[CAMPAIGN_CAMPAIGN_name], "a name must not contain a slash");
    campaign->title = campaign_text(keys->of[CAMPAIGN_CAMPAIGN_title]);
    campaign->notes = notes ? path_of(campaign, notes->text) : NULL;
    campaign->quick_notes = quick ? path_of(campaign, quick->text) : campaign->notes;
    text_list_read(r, keys->of[CAMPAIGN_CAMPAIGN_options], &campaign->options);
    parse_slurm(r, keys->of[CAMPAIGN_CAMPAIGN_slurm]);
    parse_each(r, keys->of[CAMPAIGN_CAMPAIGN_workloads], parse_workload);
    parse_preview(r, keys->of[CAMPAIGN_CAMPAIGN_preview]);
    for (uint32_t i = 0; i < variants->count; i++)
        parse_variant(r, yaml_at(&r->document, variants->items[i]),
                      config ? campaign_config_of(campaign, config) : "isca19");
    parse_each(r, keys->of[CAMPAIGN_CAMPAIGN_points], parse_point);
    parse_each(r, keys->of[CAMPAIGN_CAMPAIGN_sweeps], campaign_sweep_read);
    // Stop here after errors: references to an invalid element would only cause follow-up errors.
    if (campaign->diags->errors)
        return;
    parse_each(r, keys->of[CAMPAIGN_CAMPAIGN_studies], parse_study);
    parse_definitions(r, keys->of[CAMPAIGN_CAMPAIGN_define]);
    if (!campaign->diags->errors)
        campaign_figures_read(r, keys->of[CAMPAIGN_CAMPAIGN_figures]);
}

bool campaign_read(struct campaign *campaign, struct arena *arena, const struct source *source,
                   struct diags *diags)
{
    struct campaign_reading reading = {.campaign = campaign};
    struct campaign_keys keys;
    const char *slash = strrchr(source->name, '/');
    *campaign = (struct campaign){
        .arena = arena,
        .source = source,
        .diags = diags,
        .folder =
            slash ? arena_strndup(arena, source->name, (size_t)(slash - source->name) + 1) : "",
    };
    if (!yaml_read(&reading.document, arena, source, diags))
        return false;
    if (reading.document.root == YAML_NOTHING) {
        diag_add(diags, DIAG_ERROR, "campaign", NO_OFFSET, NO_OFFSET, "the file is empty");
        return false;
    }
    const struct yaml_node *root = yaml_at(&reading.document, reading.document.root);
    if (campaign_keys_read(&keys, &reading.document, root, CAMPAIGN_OF_CAMPAIGN, diags))
        parse_all(&reading, &keys);
    return !diags->errors;
}
