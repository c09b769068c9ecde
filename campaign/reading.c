#include "campaign/reading.h"
#include "support/nearest.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void campaign_fault(struct campaign_reading *r, const struct yaml_node *at, const char *format, ...)
{
    va_list args;
    char text[512];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(r->campaign->diags, DIAG_ERROR, "campaign", at->begin, at->end, "%s", text);
}

const char *campaign_text(const struct yaml_node *node)
{
    return node && node->kind == YAML_SCALAR ? node->text : NULL;
}

int campaign_choice(struct campaign_reading *r, const struct yaml_node *node,
                    const char *const *words, int initial)
{
    struct nearest nearest;
    if (!node)
        return initial;
    nearest_init(&nearest, node->text, node->length);
    for (int i = 0; words[i]; i++) {
        if (!strcmp(words[i], node->text))
            return i;
        nearest_offer(&nearest, words[i], strlen(words[i]));
    }
    if (nearest.best)
        campaign_fault(r, node, "'%s' is not allowed here; did you mean '%s'?", node->text,
                       nearest.best);
    else
        campaign_fault(r, node, "'%s' is not allowed here", node->text);
    return initial;
}

bool campaign_flag(struct campaign_reading *r, const struct yaml_node *node, bool initial)
{
    static const char *const words[] = {"no", "yes", "false", "true", NULL};
    return campaign_choice(r, node, words, initial) % 2;
}

bool campaign_number(struct campaign_reading *r, const struct yaml_node *node, double *value)
{
    char *end = NULL;
    if (node->kind == YAML_SCALAR)
        *value = strtod(node->text, &end);
    if (node->kind == YAML_SCALAR && node->length && !*end && isfinite(*value))
        return true;
    campaign_fault(r, node, "this is not a number");
    return false;
}

bool campaign_new_name(struct campaign_reading *r, const struct yaml_node *node, bool is_taken)
{
    if (is_taken)
        campaign_fault(r, node, "the name '%s' is already used", node->text);
    return !is_taken;
}

// Expressions

static bool starts(const char **text, size_t *length, const char *with)
{
    size_t n = strlen(with);
    if (*length <= n || memcmp(*text, with, n))
        return false;
    *text += n;
    *length -= n;
    return true;
}

static uint32_t find_definition(const struct campaign *campaign, const char *text, size_t length)
{
    for (uint32_t i = 0; i < campaign->definitions.n; i++)
        if (strlen(campaign->definitions.v[i].name) == length &&
            !memcmp(campaign->definitions.v[i].name, text, length))
            return i;
    return CAMPAIGN_NONE;
}

static bool find_variant(const struct campaign *campaign, const char **text, size_t *length,
                         uint32_t *variant)
{
    const char *dot = memchr(*text, '.', *length);
    if (!dot)
        return false;
    char *name = arena_strndup(campaign->arena, *text, (size_t)(dot - *text));
    *variant = campaign_variant(campaign, name);
    *length -= (size_t)(dot + 1 - *text);
    *text = dot + 1;
    return *variant != CAMPAIGN_NONE;
}

// Resolves a name in an expression. Statistics, whose names contain a dot, are only known after a
// run and are not checked here.
static bool find(void *context, const char *text, size_t length, struct expr_ref *ref)
{
    struct campaign_reading *r = context;
    struct campaign *campaign = r->campaign;
    struct campaign_ref made = {.variant = CAMPAIGN_NONE};
    if (!r->is_definition) {
        made.is_reference = starts(&text, &length, "ref.");
        made.is_plain = starts(&text, &length, "plain.");
        if (!find_variant(campaign, &text, &length, &made.variant))
            return false;
    }
    made.definition = find_definition(campaign, text, length);
    if (made.definition == CAMPAIGN_NONE && !memchr(text, '.', length))
        return false;
    made.statistic = arena_strndup(campaign->arena, text, length);
    *ref = (struct expr_ref){REF_NUMBER, campaign->refs.n};
    vec_push(campaign->arena, &campaign->refs, made);
    return true;
}

const struct expr *campaign_expression_of(struct campaign_reading *r, const struct yaml_node *node,
                                          const struct expr_names *names)
{
    struct expr_fault fault;
    if (node->kind != YAML_SCALAR) {
        campaign_fault(r, node, "an expression must be one value");
        return NULL;
    }
    const struct expr *expr =
        expr_parse(r->campaign->arena, node->text, node->length, names, &fault);
    struct yaml_node at = *node;
    if (!expr && node->inner != UINT32_MAX) {
        at.begin = node->inner + fault.begin;
        at.end = node->inner + (fault.end > fault.begin ? fault.end : fault.begin + 1);
    }
    if (!expr)
        campaign_fault(r, &at, "%s", fault.text);
    return expr;
}

const struct expr *campaign_expression(struct campaign_reading *r, const struct yaml_node *node)
{
    const struct expr_names names = {.context = r, .dotted = true, .find = find};
    uint32_t before = r->campaign->refs.n;
    const struct expr *expr = campaign_expression_of(r, node, &names);
    for (uint32_t i = before; i < r->campaign->refs.n; i++) {
        r->campaign->refs.v[i].begin = node->begin;
        r->campaign->refs.v[i].end = node->end;
    }
    return expr;
}

// Names of elements and of their groups

struct named {
    const char *name, *group;
};

static uint32_t count_of(const struct campaign *campaign, enum campaign_kind kind)
{
    return kind == CAMPAIGN_WORKLOADS  ? campaign->workloads.n
           : kind == CAMPAIGN_VARIANTS ? campaign->variants.n
                                       : campaign->points.n;
}

static struct named named_at(const struct campaign *campaign, enum campaign_kind kind, uint32_t i)
{
    switch (kind) {
    case CAMPAIGN_WORKLOADS:
        return (struct named){campaign->workloads.v[i].name, campaign->workloads.v[i].group};
    case CAMPAIGN_VARIANTS: return (struct named){campaign->variants.v[i].name, NULL};
    default: return (struct named){campaign->points.v[i].name, campaign->points.v[i].group};
    }
}

static void unknown_thing(struct campaign_reading *r, const struct yaml_node *node,
                          enum campaign_kind kind)
{
    static const char *const words[] = {"workload", "variant", "point"};
    struct nearest nearest;
    nearest_init(&nearest, node->text, node->length);
    for (uint32_t i = 0; i < count_of(r->campaign, kind); i++) {
        struct named named = named_at(r->campaign, kind, i);
        nearest_offer(&nearest, named.name, strlen(named.name));
        if (named.group)
            nearest_offer(&nearest, named.group, strlen(named.group));
    }
    if (nearest.best)
        campaign_fault(r, node, "unknown %s '%s'; did you mean '%s'?", words[kind], node->text,
                       nearest.best);
    else
        campaign_fault(r, node, "unknown %s '%s'", words[kind], node->text);
}

bool campaign_stands_for(struct campaign_reading *r, const struct yaml_node *node,
                         enum campaign_kind kind, struct campaign_indices *to, const char **group)
{
    const struct campaign *campaign = r->campaign;
    uint32_t before = to->list.n;
    *group = NULL;
    if (node->kind != YAML_SCALAR) {
        campaign_fault(r, node, "a name must be one word");
        return false;
    }
    for (uint32_t i = 0; i < count_of(campaign, kind); i++)
        if (!strcmp(named_at(campaign, kind, i).name, node->text))
            vec_push(campaign->arena, &to->list, i);
    for (uint32_t i = 0; to->list.n == before && i < count_of(campaign, kind); i++) {
        const char *of = named_at(campaign, kind, i).group;
        for (uint32_t k = i; of && !strcmp(of, node->text) && k < count_of(campaign, kind); k++) {
            const char *other = named_at(campaign, kind, k).group;
            if (other && !strcmp(other, of))
                vec_push(campaign->arena, &to->list, k);
        }
        if (to->list.n > before)
            *group = of;
    }
    if (to->list.n == before)
        unknown_thing(r, node, kind);
    return to->list.n > before;
}

void campaign_indices_read(struct campaign_reading *r, const struct yaml_node *node,
                           enum campaign_kind kind, struct campaign_indices *to)
{
    const char *group;
    if (node && node->kind == YAML_SCALAR)
        campaign_stands_for(r, node, kind, to, &group);
    for (uint32_t i = 0; node && node->kind == YAML_SEQUENCE && i < node->count; i++)
        campaign_stands_for(r, yaml_at(&r->document, node->items[i]), kind, to, &group);
    if (node && node->kind == YAML_SEQUENCE && !node->count)
        campaign_fault(r, node, "the list is empty");
}

static const struct yaml_key rows[CAMPAIGN_KEYS] = {
#define CAMPAIGN_KEY(context, key, form, needed, text)                                             \
    [CAMPAIGN_##context##_##key] = {CAMPAIGN_OF_##context, #context, #key, form, needed, text},
#include "campaign/keys.def"
#undef CAMPAIGN_KEY
};

static const char *const contexts[CAMPAIGN_CONTEXTS] = {
    [CAMPAIGN_OF_CAMPAIGN] = "the file",   [CAMPAIGN_OF_SLURM] = "slurm",
    [CAMPAIGN_OF_WORKLOAD] = "a workload", [CAMPAIGN_OF_VARIANT] = "a variant",
    [CAMPAIGN_OF_POINT] = "a point",       [CAMPAIGN_OF_SWEEP] = "a sweep",
    [CAMPAIGN_OF_RANGE] = "a range",       [CAMPAIGN_OF_STUDY] = "a study",
    [CAMPAIGN_OF_FIGURE] = "a figure",     [CAMPAIGN_OF_COLUMN] = "a column",
};

static const struct yaml_rule rules[] = {
    {CAMPAIGN_OF_RANGE, YAML_AT_MOST_ONE, "step times count",
     "a range has only one of step, times and count"},
};

static void report(struct diags *diags, uint32_t begin, uint32_t end, const char *text)
{
    diag_add(diags, DIAG_ERROR, "campaign", begin, end, "%s", text);
}

const struct yaml_keys campaign_file_keys = {
    rows, CAMPAIGN_KEYS, contexts, CAMPAIGN_CONTEXTS, rules, ARRAY_LENGTH(rules), report};

bool campaign_keys_read(struct campaign_keys *to, const struct yaml_document *document,
                        const struct yaml_node *mapping, enum campaign_context context,
                        struct diags *diags)
{
    return yaml_keys_read(&campaign_file_keys, context, document, mapping, to->of, diags);
}
