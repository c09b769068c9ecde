// Sweeps of a campaign file. A sweep makes points from ranges and lists of values: in all
// combinations, side by side, or as a Latin hypercube sample. Each point can be repeated with other
// values, such as seeds.
#include "campaign/reading.h"
#include "support/random.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 20000 };
enum combine { COMBINE_PRODUCT, COMBINE_ZIP, COMBINE_LATIN };
enum axis_kind { AXIS_SET, AXIS_VALUE, AXIS_CONFIG };

// A key and its values.
struct sweep_axis {
    enum axis_kind kind;
    const char *key;
    const struct yaml_node *at;
    bool is_listed;          // all values are listed
    struct text_list values; // empty: any number from `from` to `to`
    double from, to;
    const uint32_t *strata; // of a Latin hypercube sample: by point
};

struct sweep_axes {
    VEC(struct sweep_axis) list;
};

struct campaign_sweep {
    struct campaign_reading *r;
    const struct yaml_node *node, *name;
    struct sweep_axes axes, repeated;
    enum combine combine;
    uint32_t count;   // points before the filter
    uint32_t repeats; // of each
    uint64_t seed;
    const struct expr *where;
    const struct yaml_node *where_at;
    const struct sweep_axis *x, *y; // places in plots, or NULL
    const char **chosen;            // value of each axis at the current point
    const char **repeated_with;     // value of each repeated axis
};

// Values

static void add_number(struct campaign_sweep *s, struct sweep_axis *axis, double value)
{
    bool whole = value == floor(value) && fabs(value) < 1e15;
    vec_push(s->r->campaign->arena, &axis->values.list,
             arena_printf(s->r->campaign->arena, whole ? "%.0f" : "%.12g", value));
}

// Sums and products of fractions are inexact: the end of a range is included with this tolerance.
static bool is_within(double value, double end)
{
    return value <= end + fabs(end) * 1e-9;
}

static void add_range(struct campaign_sweep *s, struct sweep_axis *axis,
                      const struct campaign_keys *keys)
{
    const struct yaml_node *step = keys->of[CAMPAIGN_RANGE_step];
    const struct yaml_node *times = keys->of[CAMPAIGN_RANGE_times];
    const struct yaml_node *count = keys->of[CAMPAIGN_RANGE_count];
    const struct yaml_node *how = step ? step : times ? times : count;
    double by = 0;
    if (!how || !campaign_number(s->r, how, &by))
        return;
    else if (axis->to < axis->from)
        campaign_fault(s->r, axis->at, "a range ends at or above its start");
    else if (step ? !(by > 0) : times ? !(by > 1 && axis->from > 0) : !(by >= 2 && by == floor(by)))
        campaign_fault(s->r, how,
                       step    ? "the step of a range is above 0"
                       : times ? "a range by factors starts above 0, and its factor is above 1"
                               : "the count of a range is a whole number above 1");
    else if ((step    ? (axis->to - axis->from) / by
              : times ? log(axis->to / axis->from) / log(by)
                      : by) > MAX_POINTS)
        campaign_fault(s->r, how, "a range has at most %d values", MAX_POINTS);
    else if (times)
        for (double value = axis->from; is_within(value, axis->to); value *= by)
            add_number(s, axis, value);
    else
        for (uint32_t i = 0;; i++) {
            double value =
                step ? axis->from + i * by : axis->from + i * (axis->to - axis->from) / (by - 1);
            if (step ? !is_within(value, axis->to) : i == by)
                break;
            add_number(s, axis, value);
        }
}

static void read_range(struct campaign_sweep *s, struct sweep_axis *axis,
                       const struct yaml_node *node)
{
    struct campaign_keys keys;
    if (!campaign_keys_read(&keys, &s->r->document, node, CAMPAIGN_OF_RANGE,
                            s->r->campaign->diags) ||
        !campaign_number(s->r, keys.of[CAMPAIGN_RANGE_from], &axis->from) ||
        !campaign_number(s->r, keys.of[CAMPAIGN_RANGE_to], &axis->to))
        return;
    bool is_continuous = !keys.of[CAMPAIGN_RANGE_step] && !keys.of[CAMPAIGN_RANGE_times] &&
                         !keys.of[CAMPAIGN_RANGE_count];
    if (!is_continuous)
        add_range(s, axis, &keys);
    else if (axis->is_listed)
        campaign_fault(s->r, node,
                       "a range needs step, times or count, except with combine: latin");
    else if (axis->to < axis->from)
        campaign_fault(s->r, node, "a range ends at or above its start");
}

static void read_values(struct campaign_sweep *s, struct sweep_axis *axis,
                        const struct yaml_node *node)
{
    struct campaign_reading *r = s->r;
    if (node->kind == YAML_MAPPING && axis->kind != AXIS_CONFIG) {
        read_range(s, axis, node);
        return;
    }
    for (uint32_t i = 0; i < (node->kind == YAML_SEQUENCE ? node->count : 1); i++) {
        const struct yaml_node *item =
            node->kind == YAML_SEQUENCE ? yaml_at(&r->document, node->items[i]) : node;
        if (item->kind == YAML_MAPPING || (item->kind == YAML_SCALAR && !item->length))
            campaign_fault(r, item, "a value of '%s' is one value or a list", axis->key);
        else
            vec_push(r->campaign->arena, &axis->values.list,
                     axis->kind == AXIS_CONFIG   ? campaign_config_of(r->campaign, item)
                     : item->kind == YAML_SCALAR ? item->text
                                                 : campaign_list_text(r, item));
    }
    if (node->kind == YAML_SEQUENCE && !node->count)
        campaign_fault(r, node, "'%s' has no values", axis->key);
}

static bool has_axis(const struct sweep_axes *axes, const char *key)
{
    bool found = false;
    for (uint32_t i = 0; i < axes->list.n; i++)
        found |= !strcmp(axes->list.v[i].key, key);
    return found;
}

static void add_axis(struct campaign_sweep *s, struct sweep_axes *to, enum axis_kind kind,
                     const char *key, const struct yaml_node *at, const struct yaml_node *values)
{
    struct sweep_axis axis = {.kind = kind,
                              .key = key,
                              .at = at,
                              .is_listed = to == &s->repeated || s->combine != COMBINE_LATIN};
    if (has_axis(&s->axes, key) || has_axis(&s->repeated, key))
        campaign_fault(s->r, at, "the name '%s' is taken", key);
    read_values(s, &axis, values);
    vec_push(s->r->campaign->arena, &to->list, axis);
}

static void add_axes(struct campaign_sweep *s, struct sweep_axes *to, enum axis_kind kind,
                     const struct yaml_node *node)
{
    for (uint32_t i = 0; node && i < node->count; i += 2) {
        const struct yaml_node *key = yaml_at(&s->r->document, node->items[i]);
        if (key->kind != YAML_SCALAR || !campaign_is_key(key->text))
            campaign_fault(s->r, key, "a key must be a single word of letters, digits, _ and dots");
        else
            add_axis(s, to, kind, key->text, key, yaml_at(&s->r->document, node->items[i + 1]));
    }
}

// The filter

static bool find_axis(void *context, const char *name, size_t length, struct expr_ref *ref)
{
    const struct campaign_sweep *s = context;
    for (uint32_t i = 0; i < s->axes.list.n; i++)
        if (strlen(s->axes.list.v[i].key) == length &&
            !memcmp(s->axes.list.v[i].key, name, length)) {
            *ref = (struct expr_ref){REF_NUMBER, i};
            return true;
        }
    return false;
}

static const char *load_axis(void *context, struct expr_ref ref, int64_t element,
                             struct host_number *number)
{
    const struct campaign_sweep *s = context;
    const char *text = s->chosen[ref.index];
    char *end;
    (void)element;
    *number = (struct host_number){.kind = NUMBER_REAL, .real = strtod(text, &end)};
    if (end == text || *end)
        return arena_printf(s->r->campaign->arena, "the value '%s' of '%s' is not a number", text,
                            s->axes.list.v[ref.index].key);
    if (number->real == floor(number->real) && fabs(number->real) < 1e15)
        *number = (struct host_number){.kind = NUMBER_INTEGER, .integer = (int64_t)number->real};
    return NULL;
}

// Returns true for a point that the filter keeps.
static bool is_kept(struct campaign_sweep *s)
{
    const struct expr_names names = {.context = s, .load = load_axis, .dotted = true};
    struct expr_fault fault;
    struct host_number number;
    if (!s->where)
        return true;
    if (expr_evaluate(s->where, &names, &number, &fault))
        return number_real(&number) != 0;
    campaign_fault(s->r, s->where_at, "%s", fault.text);
    return false;
}

// Points

static double number_of(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && !*end && isfinite(value) ? value : NAN;
}

static const char *sampled_value(struct campaign_sweep *s, const struct sweep_axis *axis,
                                 uint32_t point, uint64_t *random)
{
    double in = (double)(splitmix64(random) >> 11) / (double)(UINT64_C(1) << 53);
    double part = (axis->strata[point] + in) / s->count; // 1 at most, by rounding
    uint32_t n = axis->values.list.n;
    if (n)
        return axis->values.list.v[(uint32_t)fmin(n - 1, part * n)];
    bool whole = axis->from == floor(axis->from) && axis->to == floor(axis->to);
    double value = axis->from + part * (axis->to - axis->from + whole);
    return arena_printf(s->r->campaign->arena, whole ? "%.0f" : "%.12g",
                        fmin(axis->to, whole ? floor(value) : value));
}

// Chooses the values of a combination; the last axis changes with each one.
static void choose_combination(const struct sweep_axes *axes, uint32_t number, const char **chosen)
{
    for (uint32_t i = axes->list.n; i-- > 0;) {
        const struct text_list *values = &axes->list.v[i].values;
        chosen[i] = values->list.v[number % values->list.n];
        number /= values->list.n;
    }
}

static void choose_values(struct campaign_sweep *s, uint32_t point, uint64_t *random)
{
    if (s->combine == COMBINE_PRODUCT)
        choose_combination(&s->axes, point, s->chosen);
    for (uint32_t i = 0; s->combine != COMBINE_PRODUCT && i < s->axes.list.n; i++) {
        const struct sweep_axis *axis = &s->axes.list.v[i];
        s->chosen[i] = s->combine == COMBINE_LATIN
                           ? sampled_value(s, axis, point, random)
                           : axis->values.list.v[axis->values.list.n > 1 ? point : 0];
    }
}

static const char *with_value(struct campaign_sweep *s, const char *text,
                              const struct sweep_axis *axis, const char *value)
{
    return arena_printf(s->r->campaign->arena, "%s%s%s=%s", text, *text ? ", " : "", axis->key,
                        value);
}

static void set_value(struct campaign_sweep *s, struct campaign_point *to,
                      struct campaign_settings *values, const struct sweep_axis *axis,
                      const char *value)
{
    const struct campaign_setting setting = {axis->key, value};
    if (axis->kind == AXIS_CONFIG)
        to->config = value;
    else
        vec_push(s->r->campaign->arena, axis->kind == AXIS_SET ? &to->set.list : &values->list,
                 setting);
    if (axis == s->x)
        to->x = number_of(value);
    if (axis == s->x && s->y)
        to->heat_x = value;
    if (axis == s->y)
        to->heat_y = value;
}

static void add_point(struct campaign_sweep *s, uint32_t point, uint32_t repeat)
{
    struct campaign *campaign = s->r->campaign;
    struct campaign_point made = {
        .group = s->name->text, .x = NAN, .repeats = repeat ? 0 : s->repeats};
    struct campaign_settings values = {{0}};
    const char *label = "", *name;
    for (uint32_t i = 0; i < s->axes.list.n; i++) {
        set_value(s, &made, &values, &s->axes.list.v[i], s->chosen[i]);
        label = with_value(s, label, &s->axes.list.v[i], s->chosen[i]);
    }
    name = s->combine == COMBINE_LATIN ? arena_printf(campaign->arena, "%u", point) : label;
    made.row = arena_printf(campaign->arena, "%s %s", s->name->text, name);
    choose_combination(&s->repeated, repeat, s->repeated_with);
    for (uint32_t i = 0; i < s->repeated.list.n; i++) {
        set_value(s, &made, &values, &s->repeated.list.v[i], s->repeated_with[i]);
        name = with_value(s, name, &s->repeated.list.v[i], s->repeated_with[i]);
    }
    for (uint32_t w = 0; values.list.n && w < campaign->workloads.n; w++) {
        struct campaign_values of = {w, values};
        vec_push(campaign->arena, &made.values, of);
    }
    made.label = s->axes.list.n == 1 ? s->chosen[0] : label;
    made.name = arena_printf(campaign->arena, "%s %s", s->name->text, name);
    if (campaign_has_point(campaign, made.name))
        campaign_fault(s->r, s->name, "the name '%s' is taken", made.name);
    else
        vec_push(campaign->arena, &campaign->points, made);
}

// Draws a random order of the strata. An axis has the same order whatever other axes there are.
static void draw_strata(struct campaign_sweep *s, struct sweep_axis *axis)
{
    uint32_t *strata = ARENA_ARRAY(s->r->campaign->arena, uint32_t, s->count);
    uint64_t random = s->seed;
    for (const char *at = axis->key; *at; at++)
        random = random * 31 + (unsigned char)*at;
    for (uint32_t i = 0; i < s->count; i++)
        strata[i] = i;
    for (uint32_t n = s->count; n > 1; n--) {
        uint32_t at = (uint32_t)(splitmix64(&random) % n), drawn = strata[at];
        strata[at] = strata[n - 1];
        strata[n - 1] = drawn;
    }
    axis->strata = strata;
}

static void add_points(struct campaign_sweep *s)
{
    uint32_t before = s->r->campaign->points.n, errors = s->r->campaign->diags->errors;
    uint64_t random = s->seed;
    s->chosen = ARENA_ARRAY(s->r->campaign->arena, const char *, s->axes.list.n);
    s->repeated_with = ARENA_ARRAY(s->r->campaign->arena, const char *, s->repeated.list.n);
    for (uint32_t i = 0; i < s->axes.list.n && s->combine == COMBINE_LATIN; i++)
        draw_strata(s, &s->axes.list.v[i]);
    for (uint32_t i = 0; i < s->count && s->r->campaign->diags->errors == errors; i++) {
        choose_values(s, i, &random);
        bool kept = is_kept(s);
        for (uint32_t k = 0; kept && k < s->repeats; k++)
            add_point(s, i, k);
    }
    if (s->r->campaign->points.n == before && s->r->campaign->diags->errors == errors)
        campaign_fault(s->r, s->where_at, "no point of the sweep '%s' fulfils this", s->name->text);
}

// Sets the number of points. Returns false after an error.
static bool count_points(struct campaign_sweep *s, const struct campaign_keys *keys)
{
    const struct yaml_node *count = keys->of[CAMPAIGN_SWEEP_count];
    double number = 1;
    if (!s->axes.list.n)
        campaign_fault(s->r, s->node, "the sweep '%s' has no keys with values", s->name->text);
    if (count && s->combine != COMBINE_LATIN)
        campaign_fault(s->r, count, "only combine: latin has a count of points");
    else if (count && !campaign_number(s->r, count, &number))
        return false;
    else if (s->combine == COMBINE_LATIN && (!count || number < 1 || number != floor(number)))
        campaign_fault(s->r, count ? count : s->node,
                       "combine: latin needs count, a whole number of points");
    for (uint32_t i = 0; i < s->axes.list.n; i++) {
        uint32_t n = s->axes.list.v[i].values.list.n;
        if (s->combine == COMBINE_PRODUCT)
            number *= n;
        else if (s->combine == COMBINE_ZIP && n > 1 && number > 1 && n != number)
            campaign_fault(s->r, s->axes.list.v[i].at, "'%s' has %u values, and another key %.0f",
                           s->axes.list.v[i].key, n, number);
        else if (s->combine == COMBINE_ZIP && n > 1)
            number = n;
    }
    s->repeats = 1;
    for (uint32_t i = 0; i < s->repeated.list.n && s->repeats <= MAX_POINTS; i++)
        s->repeats *= s->repeated.list.v[i].values.list.n;
    number *= s->repeats;
    if (number > MAX_POINTS)
        campaign_fault(s->r, s->node, "the sweep '%s' has %.0f points; the limit is %d",
                       s->name->text, number, MAX_POINTS);
    s->count = number > MAX_POINTS || !s->repeats ? 0 : (uint32_t)number / s->repeats;
    return true;
}

// Returns the key that is named, or this one, or NULL.
static const struct sweep_axis *find_key(struct campaign_sweep *s, const struct yaml_node *node,
                                         uint32_t initial)
{
    for (uint32_t i = 0; i < s->axes.list.n; i++)
        if (node ? !strcmp(s->axes.list.v[i].key, node->text) : i == initial)
            return &s->axes.list.v[i];
    if (node)
        campaign_fault(s->r, node, "the sweep '%s' has no key '%s'", s->name->text, node->text);
    return NULL;
}

// Finds the keys whose values are the points' places in plots.
static void find_places(struct campaign_sweep *s, const struct yaml_node *x,
                        const struct yaml_node *y)
{
    s->x = find_key(s, x, s->axes.list.n <= 2 ? 0 : CAMPAIGN_NONE);
    s->y = find_key(s, y, s->axes.list.n == 2 && s->x == &s->axes.list.v[0] ? 1 : CAMPAIGN_NONE);
    if (y && s->x == s->y)
        campaign_fault(s->r, y, "x and y are two keys");
}

void campaign_sweep_read(struct campaign_reading *r, const struct yaml_node *node)
{
    static const char *const words[] = {"product", "zip", "latin", NULL};
    struct campaign_sweep s = {.r = r, .node = node};
    struct campaign_keys keys;
    double seed = 1;
    uint32_t errors = r->campaign->diags->errors;
    if (!campaign_keys_read(&keys, &r->document, node, CAMPAIGN_OF_SWEEP, r->campaign->diags))
        return;
    s.name = keys.of[CAMPAIGN_SWEEP_name];
    s.combine = (enum combine)campaign_choice(r, keys.of[CAMPAIGN_SWEEP_combine], words, 0);
    if (keys.of[CAMPAIGN_SWEEP_config])
        add_axis(&s, &s.axes, AXIS_CONFIG, "config", keys.of[CAMPAIGN_SWEEP_config],
                 keys.of[CAMPAIGN_SWEEP_config]);
    add_axes(&s, &s.axes, AXIS_SET, keys.of[CAMPAIGN_SWEEP_set]);
    add_axes(&s, &s.axes, AXIS_VALUE, keys.of[CAMPAIGN_SWEEP_values]);
    add_axes(&s, &s.repeated, AXIS_VALUE, keys.of[CAMPAIGN_SWEEP_repeats]);
    find_places(&s, keys.of[CAMPAIGN_SWEEP_x], keys.of[CAMPAIGN_SWEEP_y]);
    if (keys.of[CAMPAIGN_SWEEP_seed] && campaign_number(r, keys.of[CAMPAIGN_SWEEP_seed], &seed) &&
        (seed < 0 || seed != floor(seed) || seed > 1e15))
        campaign_fault(r, keys.of[CAMPAIGN_SWEEP_seed], "a seed is a whole number");
    s.seed = (uint64_t)(seed < 0 ? 0 : seed);
    s.where_at = keys.of[CAMPAIGN_SWEEP_where];
    const struct expr_names names = {.context = &s, .find = find_axis, .dotted = true};
    if (s.where_at)
        s.where = campaign_expression_of(r, s.where_at, &names);
    if (count_points(&s, &keys) && r->campaign->diags->errors == errors)
        add_points(&s);
}
