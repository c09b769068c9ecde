// Reads textures from the keys of run files and the words of command lines.
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/run/run_file.h"
#include <string.h>

static const struct {
    const char *text;
    enum texture_way way;
    uint8_t value;
} words[] = {
    {"clamp", WAY_ADDRESS_X, TEXTURE_CLAMP_TO_EDGE},
    {"border", WAY_ADDRESS_X, TEXTURE_CLAMP_TO_BORDER},
    {"wrap", WAY_ADDRESS_X, TEXTURE_WRAP},
    {"mirror", WAY_ADDRESS_X, TEXTURE_MIRROR},
    {"point", WAY_FILTER, TEXTURE_NEAREST},
    {"linear", WAY_FILTER, TEXTURE_LINEAR},
    {"texels", WAY_COORDINATES, 0},
    {"normalized", WAY_COORDINATES, 1},
    {"element", WAY_READ, 0},
    {"normalized-float", WAY_READ, 1},
    {"plain", WAY_ENCODING, 0},
    {"srgb", WAY_ENCODING, 1},
    {"separate", WAY_EDGES, 0},
    {"seamless", WAY_EDGES, 1},
};
enum { WORDS = ARRAY_LENGTH(words) };

static int find_word(const struct run_text *at)
{
    for (int i = 0; i < WORDS; i++)
        if (!strcmp(words[i].text, at->text))
            return i;
    return -1;
}

// Returns a list of the words of one property or of all: "clamp, border, wrap or mirror".
static const char *choices(struct run *run, enum texture_way way)
{
    const char *text = "";
    for (int i = 0, last = -1; i <= WORDS; i++) {
        if (i < WORDS && way != TEXTURE_WAYS && words[i].way != way)
            continue;
        if (last >= 0)
            text = arena_printf(run->arena, "%s%s%s", text,
                                !*text       ? ""
                                : i == WORDS ? " or "
                                             : ", ",
                                words[last].text);
        last = i;
    }
    return text;
}

static void put(struct run_texture *to, enum texture_way way, uint8_t value,
                const struct run_text *at)
{
    to->how[way] = value;
    to->how_at[way] = *at;
}

static void set_defaults(struct run_texture *texture)
{
    *texture = (struct run_texture){.name = UINT32_MAX, .buffer = UINT32_MAX};
    for (int i = WAY_ADDRESS_X; i <= WAY_ADDRESS_Z; i++)
        texture->how[i] = TEXTURE_CLAMP_TO_EDGE;
}

uint32_t run_texture_new(struct run *run, const struct run_text *name)
{
    struct run_texture texture;
    set_defaults(&texture);
    if (name) {
        texture.at = *name;
        texture.name = run_new_name(run, name, NAME_TEXTURE);
        if (texture.name == UINT32_MAX)
            return UINT32_MAX;
        run->names.v[texture.name].number.kind = NUMBER_HANDLE;
    }
    vec_push(run->arena, &run->textures, texture);
    return run->textures.n - 1;
}

// Keys

static const char *const way_keys[TEXTURE_WAYS] = {
    [WAY_ADDRESS_X] = "address",   [WAY_FILTER] = "filter",     [WAY_COORDINATES] = "coordinates",
    [WAY_READ] = "read",           [WAY_ENCODING] = "encoding", [WAY_EDGES] = "edges",
    [WAY_LEVELS] = "level_filter",
};

static bool parse_word(struct run *run, const struct yaml_node *node, enum texture_way kind,
                       enum texture_way way, struct run_texture *to)
{
    struct run_text at = run_text_of(node);
    int word = node ? find_word(&at) : -1;
    if (!node)
        return true;
    if (word >= 0 && words[word].way == kind) {
        put(to, way, words[word].value, &at);
        return true;
    }
    run_fault(run, &at, "'%s' must be %s, not '%s'", way_keys[way] ? way_keys[way] : way_keys[kind],
              choices(run, kind), at.text);
    return false;
}

static bool parse_address(struct run *run, const struct yaml_document *document,
                          const struct yaml_node *node, struct run_texture *to)
{
    bool list = node && node->kind == YAML_SEQUENCE;
    uint32_t count = list ? node->count : 3;
    if (count < 2 || count > 3) {
        struct run_text at = run_text_of(node);
        run_fault(run, &at, "'address' must be a mode for all axes, [X, Y] or [X, Y, Z]");
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!parse_word(run, list ? yaml_at(document, node->items[i]) : node, WAY_ADDRESS_X,
                        (enum texture_way)(WAY_ADDRESS_X + i), to))
            return false;
    return true;
}

static bool parse_border(struct run *run, const struct yaml_document *document,
                         const struct yaml_node *node, struct run_texture *to)
{
    bool list = node && node->kind == YAML_SEQUENCE;
    uint32_t count = !node ? 0 : list ? node->count : 1;
    struct run_text at = run_text_of(node);
    if (count > 4 || (list && !count)) {
        run_fault(run, &at, "expected one to four channels");
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct yaml_node *item = list ? yaml_at(document, node->items[i]) : node;
        at = run_text_of(item);
        if (!run_expression(run, &at, &to->border[i]))
            return false;
    }
    return true;
}

static bool parse_expression(struct run *run, const struct yaml_node *node, struct run_expr *to)
{
    struct run_text at = run_text_of(node);
    return !node || run_expression(run, &at, to);
}

static bool parse_levels(struct run *run, const struct yaml_document *document,
                         const struct yaml_node *node, struct run_texture *to)
{
    to->is_mipmap = node != NULL;
    for (uint32_t i = 0; node && i < node->count; i++) {
        struct run_expr level = {0};
        if (!parse_expression(run, yaml_at(document, node->items[i]), &level))
            return false;
        vec_push(run->arena, &to->levels, level);
    }
    return true;
}

static bool parse_flag(struct run *run, const struct yaml_node *node, bool *to)
{
    struct run_text at = run_text_of(node);
    *to = node && !strcmp(at.text, "true");
    if (!node || *to || !strcmp(at.text, "false"))
        return true;
    run_fault(run, &at, "expected 'true' or 'false'");
    return false;
}

static bool parse_texels(struct run *run, const struct yaml_document *document,
                         const struct key_values *of, struct run_texture *to)
{
    struct run_text buffer = run_text_of(of->of[KEY_TEXTURE_buffer]);
    if (!buffer.text)
        return true;
    const struct {
        enum run_key key;
        struct run_expr *to;
    } numbers[] = {
        {KEY_TEXTURE_channels, &to->channels}, {KEY_TEXTURE_width, &to->width},
        {KEY_TEXTURE_height, &to->height},     {KEY_TEXTURE_depth, &to->depth},
        {KEY_TEXTURE_layers, &to->layers},     {KEY_TEXTURE_pitch, &to->pitch},
        {KEY_TEXTURE_slice, &to->slice},       {KEY_TEXTURE_offset, &to->offset},
    };
    to->buffer = run_find_buffer(run, &buffer);
    to->type_at = run_text_of(of->of[KEY_TEXTURE_type]);
    if (to->buffer == UINT32_MAX || (to->type_at.text && !run_type(run, &to->type_at, &to->type)))
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        if (!parse_expression(run, of->of[numbers[i].key], numbers[i].to))
            return false;
    return parse_flag(run, of->of[KEY_TEXTURE_cube], &to->cube) &&
           parse_flag(run, of->of[KEY_TEXTURE_surface], &to->surface) &&
           parse_levels(run, document, of->of[KEY_TEXTURE_levels], to);
}

bool run_texture_keys(struct run *run, const struct yaml_document *document,
                      const struct yaml_node *keys, struct run_texture *to)
{
    struct key_values of;
    if (!keys_read(&of, document, keys, CONTEXT_TEXTURE, run->diags))
        return false;
    to->variable = run_text_of(of.of[KEY_TEXTURE_variable]);
    return parse_texels(run, document, &of, to) &&
           parse_address(run, document, of.of[KEY_TEXTURE_address], to) &&
           parse_border(run, document, of.of[KEY_TEXTURE_border], to) &&
           parse_word(run, of.of[KEY_TEXTURE_filter], WAY_FILTER, WAY_FILTER, to) &&
           parse_word(run, of.of[KEY_TEXTURE_coordinates], WAY_COORDINATES, WAY_COORDINATES, to) &&
           parse_word(run, of.of[KEY_TEXTURE_read], WAY_READ, WAY_READ, to) &&
           parse_word(run, of.of[KEY_TEXTURE_encoding], WAY_ENCODING, WAY_ENCODING, to) &&
           parse_word(run, of.of[KEY_TEXTURE_edges], WAY_EDGES, WAY_EDGES, to) &&
           parse_word(run, of.of[KEY_TEXTURE_level_filter], WAY_FILTER, WAY_LEVELS, to) &&
           parse_expression(run, of.of[KEY_TEXTURE_bias], &to->bias) &&
           parse_expression(run, of.of[KEY_TEXTURE_min_level], &to->min_level) &&
           parse_expression(run, of.of[KEY_TEXTURE_max_level], &to->max_level) &&
           parse_expression(run, of.of[KEY_TEXTURE_handle], &to->own_handle);
}

// Command lines

static bool parse_line_word(struct run *run, const struct run_text *at, struct run_texture *to)
{
    int word = find_word(at);
    if (word < 0 || to->how_at[words[word].way].text) {
        run_fault(run, at, word < 0 ? "'%s' is missing: a texture is %s" : "'%s' is unexpected: %s",
                  at->text,
                  word < 0 ? choices(run, TEXTURE_WAYS)
                           : arena_printf(run->arena, "'%s' is given twice",
                                          to->how_at[words[word].way].text));
        return false;
    }
    put(to, words[word].way, words[word].value, at);
    for (int i = WAY_ADDRESS_Y; words[word].way == WAY_ADDRESS_X && i <= WAY_ADDRESS_Z; i++)
        put(to, (enum texture_way)i, words[word].value, at);
    return true;
}

static bool parse_words(struct run *run, const struct run_text *at, struct run_texture *to)
{
    for (uint32_t begin = 0; begin < at->length;) {
        uint32_t end = begin + (uint32_t)strcspn(at->text + begin, ",");
        struct run_text word = run_part(run, at, begin, end);
        if (!parse_line_word(run, &word, to))
            return false;
        begin = end + 1;
    }
    return true;
}

// Reads TYPE[xCHANNELS].
static bool parse_line_type(struct run *run, const struct run_text *at, struct run_texture *to)
{
    const char *times = strchr(at->text, 'x');
    uint32_t length = times ? (uint32_t)(times - at->text) : at->length;
    to->type_at = run_part(run, at, 0, length);
    if (times) {
        struct run_text channels = run_part(run, at, length + 1, at->length);
        if (!run_expression(run, &channels, &to->channels))
            return false;
    }
    return run_type(run, &to->type_at, &to->type);
}

static bool parse_line_size(struct run *run, const struct run_text *at, struct run_texture *to)
{
    struct run_expr shape[3] = {0};
    if (!run_shape(run, at, shape))
        return false;
    to->width = shape[0];
    to->height = shape[1];
    if (shape[2].expr)
        run_fault(run, &shape[2].at, "a texture must have one or two dimensions");
    return !shape[2].expr;
}

// Adds a buffer with one element for each channel of each texel.
static bool add_buffer(struct run *run, const char *name, const struct run_text *fill,
                       struct run_texture *to)
{
    struct run_buffer buffer = {.name = name, .at = to->at, .type = to->type};
    struct run_text count = to->width.at;
    count.inner = UINT32_MAX;
    count.text = arena_printf(run->arena, "(%s) * (%s) * (%s)", to->width.at.text,
                              to->height.expr ? to->height.at.text : "1",
                              to->channels.expr ? to->channels.at.text : "1");
    count.length = (uint32_t)strlen(count.text);
    if (!run_expression(run, &count, &buffer.count) || !run_fill(run, fill, &buffer.fill))
        return false;
    to->buffer = run->buffers.n;
    vec_push(run->arena, &run->buffers, buffer);
    return true;
}

bool run_texture_line(struct run *run, const struct run_text *at, uint32_t begin,
                      const char *buffer, struct run_texture *to)
{
    struct run_text parts[4];
    uint32_t from = begin;
    to->at = *at;
    if (!strchr(at->text + begin, ':')) {
        struct run_text only = run_part(run, at, begin, at->length);
        return parse_words(run, &only, to);
    }
    for (int i = 0; i < 4; i++) {
        uint32_t length = (uint32_t)strcspn(at->text + from, i < 3 ? ":" : "");
        if (i < 3 && !at->text[from + length]) {
            run_fault(run, at,
                      "a texture must be written as "
                      "TYPE[xCHANNELS]:WIDTH[,HEIGHT]:WORDS:FILL");
            return false;
        }
        parts[i] = run_part(run, at, from, from + length);
        from += length + 1;
    }
    return parse_line_type(run, &parts[0], to) && parse_line_size(run, &parts[1], to) &&
           parse_words(run, &parts[2], to) && add_buffer(run, buffer, &parts[3], to);
}
