#include "runtime-sim/run/line.h"
#include "runtime-sim/run/fill.h"
#include "runtime-sim/run/run_file.h"
#include <string.h>

// The words are walked twice with identical steps: once to build the text, once to find their
// places.
struct walk {
    struct arena *arena;
    VEC(char) text;
};

static void add(struct walk *walk, const char *text)
{
    for (; *text; text++)
        vec_push(walk->arena, &walk->text, *text);
}

static uint32_t word(struct walk *walk, const char *option, const char *value)
{
    add(walk, option);
    uint32_t at = walk->text.n;
    add(walk, value);
    return at;
}

static struct run_text next_value(struct walk *walk, const char *option, const char *value)
{
    struct run_text text = {0};
    if (!value)
        return text;
    text.text = value;
    text.length = (uint32_t)strlen(value);
    text.begin = text.inner = word(walk, option, value);
    text.end = text.begin + text.length;
    return text;
}

struct words {
    struct run_text program, kernel, grid, block, cluster, shared;
    struct run_text *args, *textures;
};

static void split_words(struct walk *walk, struct words *words, const struct run_line *line)
{
    words->program = next_value(walk, "", line->program);
    words->kernel = next_value(walk, " --kernel ", line->kernel);
    words->grid = next_value(walk, " --grid ", line->grid);
    words->block = next_value(walk, " --block ", line->block);
    words->cluster = next_value(walk, " --cluster ", line->cluster);
    words->shared = next_value(walk, " --shared ", line->shared);
    words->args = ARENA_ARRAY(walk->arena, struct run_text, line->arg_count + 1);
    for (uint32_t i = 0; i < line->arg_count; i++)
        words->args[i] = next_value(walk, " --arg ", line->args[i]);
    words->textures = ARENA_ARRAY(walk->arena, struct run_text, line->texture_count + 1);
    for (uint32_t i = 0; i < line->texture_count; i++)
        words->textures[i] = next_value(walk, " --texture ", line->textures[i]);
    if (line->cooperative)
        add(walk, " --cooperative");
}

void run_line_source(struct source *source, struct arena *arena, const struct run_line *line)
{
    struct walk walk = {.arena = arena};
    struct words words;
    split_words(&walk, &words, line);
    uint32_t length = walk.text.n;
    add(&walk, "  ");
    walk.text.v[length] = walk.text.v[length + 1] = 0;
    source_init(source, arena, "<command line>", walk.text.v, length);
}

static struct run_text numbered(struct run *run, const struct run_text *at, const char *prefix,
                                uint32_t number)
{
    struct run_text name = *at;
    name.text = arena_printf(run->arena, "%s%u", prefix, number);
    name.length = (uint32_t)strlen(name.text);
    name.inner = UINT32_MAX;
    return name;
}

// Reads buf:TYPE:COUNT:FILL.
static bool parse_buffer(struct run *run, const struct run_text *at, uint32_t number,
                         struct run_argument *to)
{
    const char *text = at->text, *type, *count, *fill = NULL;
    type = text + 4;
    count = strchr(type, ':');
    if (count)
        fill = strchr(count + 1, ':');
    if (!fill) {
        run_fault(run, at, "a buffer must be written as 'buf:TYPE:COUNT:FILL'");
        return false;
    }
    uint32_t a = (uint32_t)(count - text), b = (uint32_t)(fill - text);
    struct run_text type_at = run_part(run, at, 4, a), count_at = run_part(run, at, a + 1, b);
    struct run_text fill_at = run_part(run, at, b + 1, at->length);
    struct run_text name = numbered(run, at, "arg", number);
    struct run_buffer buffer = {.name = name.text, .at = *at};
    if (!run_type(run, &type_at, &buffer.type) || !run_expression(run, &count_at, &buffer.count) ||
        !run_fill(run, &fill_at, &buffer.fill))
        return false;
    uint32_t made = run_new_name(run, &name, NAME_BUFFER);
    run->names.v[made].buffer = run->buffers.n;
    vec_push(run->arena, &run->buffers, buffer);
    to->at = *at;
    return run_expression(run, &name, &to->value);
}

// Reads tex:TYPE[xCHANNELS]:WIDTH[,HEIGHT]:WORDS:FILL.
static bool parse_texture(struct run *run, const struct run_text *at, uint32_t number,
                          struct run_argument *to)
{
    struct run_text name = numbered(run, at, "tex", number);
    struct run_text buffer = numbered(run, at, "arg", number);
    uint32_t made = run_texture_new(run, &name);
    to->at = *at;
    return made != UINT32_MAX &&
           run_texture_line(run, at, 4, buffer.text, &run->textures.v[made]) &&
           run_expression(run, &name, &to->value);
}

// Reads VARIABLE=… of --texture.
static void parse_variable(struct run *run, const struct run_text *at)
{
    uint32_t length = (uint32_t)strcspn(at->text, "=");
    uint32_t made = run_texture_new(run, NULL);
    struct run_texture *texture = &run->textures.v[made];
    texture->variable = run_part(run, at, 0, length);
    run_texture_line(run, at, length + 1, texture->variable.text, texture);
}

static bool parse_argument(struct run *run, const struct run_text *at, uint32_t number,
                           struct run_argument *to)
{
    if (!strncmp(at->text, "buf:", 4))
        return parse_buffer(run, at, number, to);
    if (!strncmp(at->text, "tex:", 4))
        return parse_texture(run, at, number, to);
    return run_argument(run, at, to);
}

bool run_line_read(struct run *run, const struct run_line *line)
{
    struct walk walk = {.arena = run->arena};
    struct words words;
    split_words(&walk, &words, line);
    struct run_launch *launch = ARENA_NEW(run->arena, struct run_launch);
    run->program = launch->at = words.program;
    launch->cooperative = line->cooperative;
    launch->kernel = words.kernel;
    if (words.grid.text)
        run_shape(run, &words.grid, launch->grid);
    if (words.block.text)
        run_shape(run, &words.block, launch->block);
    if (words.cluster.text)
        run_shape(run, &words.cluster, launch->cluster);
    if (words.shared.text)
        run_expression(run, &words.shared, &launch->shared);
    for (uint32_t i = 0; i < line->arg_count; i++) {
        struct run_argument argument = {0};
        if (parse_argument(run, &words.args[i], i, &argument))
            vec_push(run->arena, &launch->args, argument);
    }
    for (uint32_t i = 0; i < line->texture_count; i++)
        parse_variable(run, &words.textures[i]);
    struct run_step step = {.launch = launch};
    vec_push(run->arena, &run->steps.list, step);
    return !run->diags->errors;
}

uint32_t run_saved_buffer(const struct run *run, const char *name)
{
    const char *of_argument = arena_printf(run->arena, "arg%s", name);
    for (uint32_t i = 0; i < run->buffers.n; i++)
        if (!strcmp(run->buffers.v[i].name, name) || !strcmp(run->buffers.v[i].name, of_argument))
            return i;
    return UINT32_MAX;
}
