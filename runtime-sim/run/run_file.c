// Reads run files.
#include "runtime-sim/run/fill.h"
#include "runtime-sim/run/run_file.h"
#include "support/nearest.h"
#include <string.h>

enum { DEEPEST = 16, MAX_STEPS = 100000 };

bool run_file_is_scalar(struct run_file_reading *r, const struct yaml_node *node, const char *what)
{
    struct run_text at = run_text_of(node);
    if (node->kind == YAML_SCALAR && node->length)
        return true;
    run_fault(r->run, &at, "%s must be a single value", what);
    return false;
}

bool run_file_expression(struct run_file_reading *r, const struct yaml_node *node,
                         struct run_expr *to)
{
    struct run_text at = run_text_of(node);
    return !node || run_expression(r->run, &at, to);
}

// Values

// Returns the last setting of this name, or NULL. Marks all of them as used.
static struct run_setting *setting_of(struct run_file_reading *r, const char *name)
{
    struct run_setting *found = NULL;
    for (uint32_t i = 0; i < r->run->settings.n; i++) {
        struct run_setting *setting = &r->run->settings.v[i];
        if (strcmp(setting->name.text, name))
            continue;
        setting->used = true;
        found = setting;
    }
    return found;
}

// Errors of a setting are reported in its own text.
static bool evaluate_setting(struct run *run, struct run_setting *setting,
                             struct host_number *number)
{
    const struct source *source = run->source;
    struct diags *diags = run->diags;
    struct run_expr expr;
    run->source = &setting->source;
    run->diags = &setting->diags;
    bool good = run_expression(run, &setting->value, &expr) && run_value(run, &expr, number);
    run->source = source;
    run->diags = diags;
    return good;
}

// A faulty value also gets its name, so that uses of the name are not further errors.
static void parse_value(struct run_file_reading *r, const struct yaml_node *key,
                        const struct yaml_node *value)
{
    struct run *run = r->run;
    struct run_text name = run_text_of(key), at = run_text_of(value);
    struct run_setting *setting = key->kind == YAML_SCALAR ? setting_of(r, name.text) : NULL;
    struct run_expr expr;
    struct host_number number;
    if (!run_file_is_scalar(r, key, "a name") || !run_file_is_scalar(r, value, "a number"))
        return;
    bool good = setting ? evaluate_setting(run, setting, &number)
                        : run_expression(run, &at, &expr) && run_value(run, &expr, &number);
    uint32_t made = run_new_name(run, &name, NAME_VALUE);
    if (made == UINT32_MAX)
        return;
    if (!good)
        number = (struct host_number){.kind = NUMBER_INTEGER, .integer = 1};
    run->names.v[made].number = number;
}

static void say_unused(struct run *run, struct run_setting *setting)
{
    struct nearest nearest;
    nearest_init(&nearest, setting->name.text, setting->name.length);
    for (uint32_t i = 0; i < run->names.n; i++)
        if (run->names.v[i].kind == NAME_VALUE)
            nearest_offer(&nearest, run->names.v[i].text, run->names.v[i].length);
    diag_add(&setting->diags, DIAG_ERROR, "run-file", setting->name.begin, setting->name.end,
             nearest.best ? "unknown value '%s'; did you mean '%.*s'?" : "unknown value '%s'",
             setting->name.text, (int)nearest.best_length, nearest.best);
}

static void parse_values(struct run_file_reading *r, const struct yaml_node *values)
{
    for (uint32_t i = 0; values && i < values->count; i += 2)
        parse_value(r, yaml_at(&r->document, values->items[i]),
                    yaml_at(&r->document, values->items[i + 1]));
    for (uint32_t i = 0; i < r->run->settings.n; i++)
        if (!r->run->settings.v[i].used)
            say_unused(r->run, &r->run->settings.v[i]);
}

static bool settings_are_good(const struct run *run)
{
    bool good = true;
    for (uint32_t i = 0; i < run->settings.n; i++)
        good &= !run->settings.v[i].diags.errors;
    return good;
}

// Buffers

static void parse_buffer(struct run_file_reading *r, const struct yaml_node *key,
                         const struct yaml_node *value)
{
    struct run *run = r->run;
    struct run_text name = run_text_of(key);
    struct key_values of;
    if (!run_file_is_scalar(r, key, "a name") ||
        !keys_read(&of, &r->document, value, CONTEXT_BUFFER, run->diags))
        return;
    struct run_buffer buffer = {.name = name.text,
                                .at = name,
                                .variable = run_text_of(of.of[KEY_BUFFER_variable]),
                                .save = run_text_of(of.of[KEY_BUFFER_save])};
    struct run_text type = run_text_of(of.of[KEY_BUFFER_type]),
                    fill = run_text_of(of.of[KEY_BUFFER_fill]),
                    host = run_text_of(of.of[KEY_BUFFER_host]);
    if ((type.text && !run_type(run, &type, &buffer.type)) ||
        !run_file_expression(r, of.of[KEY_BUFFER_count], &buffer.count) ||
        !run_file_expression(r, of.of[KEY_BUFFER_address], &buffer.place) ||
        !run_file_flag(r, of.of[KEY_BUFFER_heap], &buffer.heap) ||
        !run_file_expression(r, of.of[KEY_BUFFER_fills], &buffer.fills) ||
        !run_file_expression(r, of.of[KEY_BUFFER_reads], &buffer.reads) ||
        (fill.text && !run_fill(run, &fill, &buffer.fill)) ||
        (host.text && !run_fill(run, &host, &buffer.host)))
        return;
    uint32_t made = run_new_name(run, &name, NAME_BUFFER);
    if (made == UINT32_MAX)
        return;
    run->names.v[made].buffer = run->buffers.n;
    vec_push(run->arena, &run->buffers, buffer);
}

// Textures. Their names are declared before the buffers, which may hold handles.

static void parse_texture_names(struct run_file_reading *r, const struct yaml_node *textures)
{
    for (uint32_t i = 0; textures && i < textures->count; i += 2) {
        const struct yaml_node *key = yaml_at(&r->document, textures->items[i]);
        struct run_text name = run_text_of(key);
        if (run_file_is_scalar(r, key, "a name"))
            run_texture_new(r->run, &name);
    }
}

static void parse_textures(struct run_file_reading *r, const struct yaml_node *textures)
{
    for (uint32_t i = 0; textures && i < textures->count; i += 2)
        run_texture_keys(r->run, &r->document, yaml_at(&r->document, textures->items[i + 1]),
                         &r->run->textures.v[i / 2]);
}

// Launches

static bool parse_shape(struct run_file_reading *r, const struct yaml_node *node,
                        struct run_expr shape[3])
{
    struct run_text at = run_text_of(node);
    if (!node)
        return true;
    if (node->kind == YAML_SCALAR)
        return run_shape(r->run, &at, shape);
    if (!node->count || node->count > 3) {
        run_fault(r->run, &at, "expected one to three dimensions");
        return false;
    }
    for (uint32_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = yaml_at(&r->document, node->items[i]);
        if (!run_file_is_scalar(r, item, "a dimension") || !run_file_expression(r, item, &shape[i]))
            return false;
    }
    return true;
}

static bool parse_parts(struct run_file_reading *r, const struct yaml_node *node,
                        struct run_argument *to)
{
    to->at = run_text_of(node);
    to->parts = ARENA_ARRAY(r->run->arena, struct run_argument, node->count + 1);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = yaml_at(&r->document, node->items[i]);
        struct run_argument *part = &to->parts[to->part_count++];
        struct run_text at = run_text_of(item);
        if (!run_file_is_scalar(r, item, "a part of a structure") ||
            !run_argument(r->run, &at, part))
            return false;
        if (!part->type) {
            run_fault(r->run, &at, "a part of a structure needs a type: TYPE:EXPRESSION");
            return false;
        }
    }
    return true;
}

static bool parse_argument(struct run_file_reading *r, const struct yaml_node *name,
                           const struct yaml_node *node, struct run_launch *launch)
{
    struct run_argument argument = {.name = run_text_of(name)};
    struct run_text at = run_text_of(node);
    bool good = node->kind == YAML_SEQUENCE ? parse_parts(r, node, &argument)
                                            : run_file_is_scalar(r, node, "an argument") &&
                                                  run_argument(r->run, &at, &argument);
    if (name)
        good &= run_file_is_scalar(r, name, "a parameter's name");
    if (good)
        vec_push(r->run->arena, &launch->args, argument);
    return good;
}

static bool parse_arguments(struct run_file_reading *r, const struct yaml_node *node,
                            struct run_launch *launch)
{
    bool good = true;
    if (!node)
        return true;
    launch->by_name = node->kind == YAML_MAPPING;
    uint32_t step = launch->by_name ? 2 : 1;
    vec_fix(r->run->arena, &launch->args, node->count / step);
    for (uint32_t i = 0; i < node->count; i += step)
        good &= parse_argument(r, launch->by_name ? yaml_at(&r->document, node->items[i]) : NULL,
                               yaml_at(&r->document, node->items[i + step - 1]), launch);
    return good;
}

bool run_file_flag(struct run_file_reading *r, const struct yaml_node *node, bool *to)
{
    struct run_text at = run_text_of(node);
    *to = node && !strcmp(at.text, "true");
    if (!node || *to || !strcmp(at.text, "false"))
        return true;
    run_fault(r->run, &at, "expected 'true' or 'false'");
    return false;
}

struct run_launch *run_file_launch(struct run_file_reading *r, const struct yaml_node *node)
{
    struct run *run = r->run;
    struct run_text map;
    struct key_values of;
    if (!keys_read(&of, &r->document, node, CONTEXT_LAUNCH, run->diags))
        return NULL;
    struct run_launch *launch = ARENA_NEW(run->arena, struct run_launch);
    launch->at = run_text_of(node);
    launch->kernel = run_text_of(of.of[KEY_LAUNCH_kernel]);
    map = run_text_of(of.of[KEY_LAUNCH_spatial]);
    if (!parse_shape(r, of.of[KEY_LAUNCH_grid], launch->grid) ||
        !parse_shape(r, of.of[KEY_LAUNCH_block], launch->block) ||
        !parse_shape(r, of.of[KEY_LAUNCH_cluster], launch->cluster) ||
        !run_file_expression(r, of.of[KEY_LAUNCH_shared], &launch->shared) ||
        !run_file_expression(r, of.of[KEY_LAUNCH_stream], &launch->stream) ||
        !run_file_flag(r, of.of[KEY_LAUNCH_cooperative], &launch->cooperative) ||
        !run_map(run, &map, &launch->map) || !parse_arguments(r, of.of[KEY_LAUNCH_args], launch))
        return NULL;
    if (launch->stream.expr && !r->run->has_streams) {
        run_fault(run, &launch->stream.at, "'stream' is for launches of 'streams'");
        return NULL;
    }
    return launch;
}

static void parse_launch(struct run_file_reading *r, const struct yaml_node *node,
                         struct run_steps *steps)
{
    struct run_step step = {.launch = run_file_launch(r, node)};
    if (step.launch)
        vec_push(r->run->arena, &steps->list, step);
}

static void parse_steps(struct run_file_reading *r, const struct yaml_node *node,
                        struct run_steps *steps);

static bool parse_resets(struct run_file_reading *r, const struct yaml_node *node,
                         struct run_repeat *repeat)
{
    uint32_t count = !node ? 0 : node->kind == YAML_SEQUENCE ? node->count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct yaml_node *item =
            node->kind == YAML_SEQUENCE ? yaml_at(&r->document, node->items[i]) : node;
        struct run_text name = run_text_of(item);
        if (!run_file_is_scalar(r, item, "a buffer's name"))
            return false;
        uint32_t buffer = run_find_buffer(r->run, &name);
        if (buffer == UINT32_MAX)
            return false;
        vec_push(r->run->arena, &repeat->resets, buffer);
    }
    return true;
}

static bool parse_repeat(struct run_file_reading *r, const struct yaml_node *node,
                         struct run_steps *steps)
{
    struct run *run = r->run;
    struct key_values of;
    if (!keys_read(&of, &r->document, node, CONTEXT_REPEAT, run->diags))
        return false;
    struct run_repeat *repeat = ARENA_NEW(run->arena, struct run_repeat);
    struct run_text index = run_text_of(of.of[KEY_REPEAT_index]);
    repeat->at = run_text_of(node);
    repeat->index = UINT32_MAX;
    if (!run_file_expression(r, of.of[KEY_REPEAT_times], &repeat->times))
        return false;
    if (index.text && (repeat->index = run_new_name(run, &index, NAME_INDEX)) == UINT32_MAX)
        return false;
    bool good = run_file_expression(r, of.of[KEY_REPEAT_while], &repeat->condition) &&
                run_file_expression(r, of.of[KEY_REPEAT_max], &repeat->max) &&
                parse_resets(r, of.of[KEY_REPEAT_reset], repeat);
    parse_steps(r, of.of[KEY_REPEAT_launches], &repeat->steps);
    if (index.text)
        run->names.v[repeat->index].closed = true;
    struct run_step step = {.repeat = repeat};
    vec_push(run->arena, &steps->list, step);
    return good;
}

bool run_file_is_one_more(struct run_file_reading *r, const struct yaml_node *node)
{
    struct run_text at = run_text_of(node);
    if (++r->steps == MAX_STEPS + 1)
        run_fault(r->run, &at, "more than 100000 launches: use 'repeat' with 'times'");
    return r->steps <= MAX_STEPS;
}

static void parse_together(struct run_file_reading *r, const struct yaml_node *node,
                           struct run_steps *steps)
{
    struct run *run = r->run;
    struct run_together *together = ARENA_NEW(run->arena, struct run_together);
    together->at = run_text_of(node);
    for (uint32_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = yaml_at(&r->document, node->items[i]);
        struct run_launch *launch = run_file_is_one_more(r, item) ? run_file_launch(r, item) : NULL;
        if (launch)
            vec_push(run->arena, &together->launches, launch);
    }
    if (!node->count)
        run_fault(run, &together->at, "the list has no launch");
    struct run_step step = {.together = together};
    vec_push(run->arena, &steps->list, step);
}

// Returns true for a `repeat` or `together`.
static bool is_group(struct run_file_reading *r, const struct yaml_node *node)
{
    for (uint32_t i = 0; node->kind == YAML_MAPPING && i < node->count; i += 2) {
        const char *key = run_text_of(yaml_at(&r->document, node->items[i])).text;
        if (!strcmp(key, "repeat") || !strcmp(key, "together"))
            return true;
    }
    return false;
}

static void parse_group(struct run_file_reading *r, const struct yaml_node *node,
                        struct run_steps *steps)
{
    struct key_values of;
    if (!keys_read(&of, &r->document, node, CONTEXT_STEP, r->run->diags))
        return;
    if (of.of[KEY_STEP_repeat])
        parse_repeat(r, of.of[KEY_STEP_repeat], steps);
    else
        parse_together(r, of.of[KEY_STEP_together], steps);
}

static void parse_step(struct run_file_reading *r, const struct yaml_node *node,
                       struct run_steps *steps)
{
    if (run_file_is_one_more(r, node))
        (is_group(r, node) ? parse_group : parse_launch)(r, node, steps);
}

static void parse_steps(struct run_file_reading *r, const struct yaml_node *node,
                        struct run_steps *steps)
{
    struct run_text at = run_text_of(node);
    if (r->depth == DEEPEST) {
        run_fault(r->run, &at, "repeats are nested more than 16 levels deep");
        return;
    }
    r->depth++;
    for (uint32_t i = 0; i < node->count; i++)
        parse_step(r, yaml_at(&r->document, node->items[i]), steps);
    r->depth--;
}

// Expectations

// Reads the expected values, which are of one of three kinds.
static bool parse_expected(struct run_file_reading *r, const struct key_values *of,
                           struct run_check *check)
{
    struct run_text reference = run_text_of(of->of[KEY_EXPECT_reference]);
    struct run_text fill = run_text_of(of->of[KEY_EXPECT_fill]);
    check->path = run_text_of(of->of[KEY_EXPECT_file]);
    check->kind = reference.text ? CHECK_BUFFER : fill.text ? CHECK_FILL : CHECK_FILE;
    if (reference.text)
        return (check->reference = run_find_buffer(r->run, &reference)) != UINT32_MAX;
    return !fill.text || run_fill(r->run, &fill, &check->fill);
}

static void parse_check(struct run_file_reading *r, const struct yaml_node *node)
{
    struct run *run = r->run;
    struct key_values of;
    if (!keys_read(&of, &r->document, node, CONTEXT_EXPECT, run->diags))
        return;
    struct run_text buffer = run_text_of(of.of[KEY_EXPECT_buffer]);
    struct run_check check = {.at = run_text_of(node), .buffer = run_find_buffer(run, &buffer)};
    if (check.buffer != UINT32_MAX && parse_expected(r, &of, &check) &&
        run_file_expression(r, of.of[KEY_EXPECT_rtol], &check.rtol) &&
        run_file_expression(r, of.of[KEY_EXPECT_atol], &check.atol))
        vec_push(run->arena, &run->checks, check);
}

// The file

static void set_folder(struct run *run)
{
    const char *slash = strrchr(run->source->name, '/');
    if (slash)
        run->folder =
            arena_strndup(run->arena, run->source->name, (size_t)(slash - run->source->name) + 1);
}

static void parse_launches(struct run_file_reading *r, const struct key_values *of)
{
    const struct yaml_node *launches = of->of[KEY_RUN_launches], *streams = of->of[KEY_RUN_streams];
    r->run->has_streams = streams;
    if (streams)
        run_file_calls(r, streams, &r->run->calls);
    else
        parse_steps(r, launches, &r->run->steps);
}

static void parse_all(struct run_file_reading *r, const struct key_values *of)
{
    struct run *run = r->run;
    const struct yaml_node *buffers = of->of[KEY_RUN_buffers], *checks = of->of[KEY_RUN_expect];
    run->program = run_text_of(of->of[KEY_RUN_program]);
    run->metadata = run_text_of(of->of[KEY_RUN_metadata]);
    run->module = run_text_of(of->of[KEY_RUN_module]);
    run->arch = run_text_of(of->of[KEY_RUN_arch]);
    parse_values(r, of->of[KEY_RUN_values]);
    run_file_expression(r, of->of[KEY_RUN_heap], &run->heap);
    parse_texture_names(r, of->of[KEY_RUN_textures]);
    for (uint32_t i = 0; buffers && i < buffers->count; i += 2)
        parse_buffer(r, yaml_at(&r->document, buffers->items[i]),
                     yaml_at(&r->document, buffers->items[i + 1]));
    // Stop here after errors: a name whose definition failed would only be reported as unknown.
    if (run->diags->errors)
        return;
    parse_textures(r, of->of[KEY_RUN_textures]);
    if (run->diags->errors)
        return;
    parse_launches(r, of);
    for (uint32_t i = 0; checks && i < checks->count; i++)
        parse_check(r, yaml_at(&r->document, checks->items[i]));
}

bool run_read(struct run *run, struct arena *arena)
{
    struct run_file_reading reading = {.run = run};
    struct key_values of;
    set_folder(run);
    if (!yaml_read(&reading.document, arena, run->source, run->diags))
        return false;
    if (reading.document.root == YAML_NOTHING) {
        diag_add(run->diags, DIAG_ERROR, "run-file", NO_OFFSET, NO_OFFSET, "the file is empty");
        return false;
    }
    if (keys_read(&of, &reading.document, yaml_at(&reading.document, reading.document.root),
                  CONTEXT_RUN, run->diags))
        parse_all(&reading, &of);
    return !run->diags->errors && settings_are_good(run);
}
