#include "support/demangle_reader.h"

static void read_encoding(struct reader *r, struct demangled *to);

// Lists, with packs expanded

static const char *add_to_list(struct reader *r, const char *list, const struct name_part *part)
{
    if (!part->is_pack)
        return join(r, list, *list ? ", " : "", join(r, part->left, part->right, ""));
    for (uint32_t i = 0; i < part->elements->list.n; i++)
        list = add_to_list(r, list, &part->elements->list.v[i]);
    return list;
}

const char *demangle_whole(struct reader *r, const struct name_part *part)
{
    return part->is_pack ? add_to_list(r, "", part) : join(r, part->left, part->right, "");
}

const char *demangle_parameters(struct reader *r, char end, struct demangled *to)
{
    const char *list = "";
    if (r->at[0] == 'v' && (r->at[1] == end || !r->at[1] || r->at[1] == '.')) {
        r->at++;
        return list;
    }
    while (*r->at && *r->at != end && *r->at != '.' && !r->failed) {
        struct name_part type = demangle_type(r);
        list = add_to_list(r, list, &type);
        for (uint32_t i = 0; to && i < (type.is_pack ? type.elements->list.n : 1); i++)
            vec_push(r->arena, &to->parameters,
                     demangle_whole(r, type.is_pack ? &type.elements->list.v[i] : &type));
    }
    return list;
}

// Template arguments

static const char *const integer_ends[128] = {
    ['i'] = "", ['j'] = "u", ['l'] = "l", ['m'] = "ul", ['x'] = "ll", ['y'] = "ull",
};

// Reads a literal after L: TYPE VALUE E, or _Z ENCODING E.
static struct name_part read_literal(struct reader *r)
{
    char letter = *r->at;
    struct demangled inner = {0};
    if (take_word(r, "_Z")) {
        read_encoding(r, &inner);
        need(r, 'E');
        return part_of(r->failed ? "" : inner.text);
    }
    struct name_part type = demangle_type(r);
    const char *sign = take(r, 'n') ? "-" : "";
    size_t length = strcspn(r->at, "E");
    const char *value = arena_strndup(r->arena, r->at, length);
    r->at += length;
    need(r, 'E');
    if (r->failed)
        return part_of("");
    if (letter == 'b' && length == 1)
        return part_of(*value == '1' ? "true" : "false");
    const char *end = (unsigned char)letter < 128 ? integer_ends[(unsigned char)letter] : NULL;
    if (end)
        return part_of(join(r, sign, value, end));
    return part_of(join(r, join(r, "(", demangle_whole(r, &type), ")"), sign, value));
}

// Reads an expression after X. Only the address of a function or variable is supported.
static struct name_part read_expression(struct reader *r)
{
    bool address = take_word(r, "ad");
    need(r, 'L');
    struct name_part literal = read_literal(r);
    need(r, 'E');
    bool long_form = strchr(literal.left, '(');
    return part_of(join(r, address ? long_form ? "&(" : "&" : "", literal.left,
                        address && long_form ? ")" : ""));
}

static struct name_parts *read_arguments(struct reader *r);

static struct name_part read_argument(struct reader *r)
{
    if (take(r, 'L'))
        return read_literal(r);
    if (take(r, 'X'))
        return read_expression(r);
    if (take(r, 'J')) {
        struct name_part pack = {.left = "", .right = "", .is_pack = true};
        pack.elements = read_arguments(r);
        return pack;
    }
    return demangle_type(r);
}

// Reads template arguments up to and including E.
static struct name_parts *read_arguments(struct reader *r)
{
    struct name_parts *list = ARENA_NEW(r->arena, struct name_parts);
    if (!enter(r))
        return list;
    while (!take(r, 'E') && !r->failed) {
        if (!*r->at)
            fail(r);
        struct name_part part = read_argument(r);
        vec_push(r->arena, &list->list, part);
    }
    r->depth--;
    return list;
}

void demangle_arguments(struct reader *r, struct naming *name)
{
    const struct name_part all = {.is_pack = true, .elements = read_arguments(r)};
    const char *list = add_to_list(r, "", &all);
    size_t length = strlen(list);
    name->bare = name->text;
    name->text =
        join(r, name->text, "<", join(r, list, length && list[length - 1] == '>' ? " >" : ">", ""));
    name->arguments = all.elements;
    name->is_template = true;
}

// Names

// Reads the index in N_: 0 for "_", N + 1 otherwise, in this base.
static uint32_t take_index(struct reader *r, uint32_t base)
{
    uint32_t value = 0;
    if (take(r, '_'))
        return 0;
    for (;; r->at++) {
        char c = *r->at;
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A') + 10
                                                : base;
        if (digit >= base || value > MOST_TEXT)
            break;
        value = value * base + digit;
    }
    need(r, '_');
    return value + 1;
}

const char *demangle_source_name(struct reader *r)
{
    uint32_t length = take_number(r);
    if (r->failed || !length || strnlen(r->at, length) < length) {
        fail(r);
        return "";
    }
    const char *text = arena_strndup(r->arena, r->at, length);
    r->at += length;
    bool nameless = length >= 10 && !strncmp(text, "_GLOBAL_", 8) && text[9] == 'N';
    return join(r, nameless ? "(anonymous namespace)" : text, "", "");
}

// Reads a lambda or an unnamed type after U.
static const char *read_unnamed(struct reader *r)
{
    const char *types = NULL;
    if (take(r, 'l')) {
        types = demangle_parameters(r, 'E', NULL);
        need(r, 'E');
    } else {
        need(r, 't');
    }
    uint32_t number = take_index(r, 10) + 1;
    if (r->failed)
        return "";
    const char *text = types ? join(r, "{lambda(", types, ")") : "{unnamed type";
    return join(r, text, arena_printf(r->arena, "#%u", number), "}");
}

static const char *read_unqualified(struct reader *r)
{
    const char *text = "";
    take(r, 'L'); // a name with internal linkage
    if (take_word(r, "cl"))
        text = "operator()";
    else if (take(r, 'U'))
        text = read_unnamed(r);
    else
        text = demangle_source_name(r);
    while (take(r, 'B'))
        text = join(r, text, join(r, "[abi:", demangle_source_name(r), "]"), "");
    return text;
}

static void add_component(struct reader *r, struct naming *name, const char *text)
{
    name->text = name->bare = *name->text ? join(r, name->text, "::", text) : text;
    name->is_template = false;
}

static const char *const abbreviations[128] = {
    ['a'] = "std::allocator", ['b'] = "std::basic_string", ['s'] = "std::string",
    ['i'] = "std::istream",   ['o'] = "std::ostream",      ['d'] = "std::iostream",
};

struct name_part demangle_known(struct reader *r)
{
    unsigned char letter = (unsigned char)*r->at;
    if (letter < 128 && abbreviations[letter]) {
        r->at++;
        return part_of(abbreviations[letter]);
    }
    uint32_t index = take_index(r, 36);
    if (index >= r->known.list.n)
        fail(r);
    return r->failed ? part_of("") : r->known.list.v[index];
}

struct name_part demangle_parameter(struct reader *r)
{
    uint32_t index = take_index(r, 10);
    if (!r->arguments || index >= r->arguments->list.n)
        fail(r);
    if (r->failed)
        return part_of("");
    struct name_part part = r->arguments->list.v[index];
    if (!part.is_pack || r->pack == NO_PACK)
        return part;
    r->pack_length = part.elements->list.n;
    return r->pack < r->pack_length ? part.elements->list.v[r->pack] : part_of("");
}

// Reads a nested name after N.
static void read_nested(struct reader *r, struct naming *name)
{
    bool is_known = true; // the name so far is a substitution already
    for (const char *c = r->at; *c == 'r' || *c == 'V' || *c == 'K' || *c == 'R' || *c == 'O';
         c++) {
        name->behind = *c == 'K' ? " const" : name->behind;
        r->at = c + 1;
    }
    while (!take(r, 'E') && enter(r)) {
        if (!is_known)
            remember(r, part_of(name->text));
        is_known = false;
        if (take_word(r, "St")) {
            name->text = "std";
            is_known = true;
        } else if (take(r, 'S')) {
            struct name_part part = demangle_known(r);
            name->text = name->bare = demangle_whole(r, &part);
            is_known = true;
        } else if (take(r, 'T')) {
            struct name_part part = demangle_parameter(r);
            name->text = name->bare = demangle_whole(r, &part);
        } else if (*name->text && take(r, 'I'))
            demangle_arguments(r, name);
        else
            add_component(r, name, read_unqualified(r));
        r->depth--;
    }
}

// Reads the name of a local entity after Z.
static void read_local(struct reader *r, struct naming *name)
{
    struct demangled outer = {0};
    struct naming inner;
    read_encoding(r, &outer);
    need(r, 'E');
    if (*r->at == 's' || *r->at == 'd')
        fail(r);
    demangle_name(r, &inner);
    if (take(r, '_')) { // discriminator of equal names
        bool is_long = take(r, '_');
        take_number(r);
        if (is_long)
            need(r, '_');
    }
    if (r->failed)
        return;
    *name = inner;
    name->text = join(r, outer.text, "::", inner.text);
    name->bare = join(r, outer.text, "::", inner.bare);
}

void demangle_name(struct reader *r, struct naming *name)
{
    *name = (struct naming){.text = "", .bare = "", .behind = ""};
    if (!enter(r))
        return;
    if (take(r, 'N'))
        read_nested(r, name);
    else if (take(r, 'Z'))
        read_local(r, name);
    else {
        bool is_known = false;
        if (r->at[0] == 'S' && r->at[1] != 't') {
            r->at++;
            struct name_part part = demangle_known(r);
            name->text = name->bare = demangle_whole(r, &part);
            is_known = true;
        } else {
            if (take_word(r, "St"))
                name->text = "std";
            add_component(r, name, read_unqualified(r));
        }
        if (*r->at == 'I' && !is_known)
            remember(r, part_of(name->text));
        if (take(r, 'I'))
            demangle_arguments(r, name);
    }
    r->depth--;
}

// Reads an encoding, NAME [RESULT] PARAMETERS, up to the end or E.
static void read_encoding(struct reader *r, struct demangled *to)
{
    struct naming name;
    struct name_part result = part_of("");
    const struct name_parts *outer = r->arguments;
    if (!enter(r))
        return;
    demangle_name(r, &name);
    r->arguments = name.arguments;
    bool has_parameters = *r->at && *r->at != 'E' && *r->at != '.';
    if (has_parameters && name.is_template)
        result = demangle_type(r);
    const char *before =
        *result.left ? join(r, result.left, result.is_function ? "" : " ", "") : "";
    const char *list = has_parameters ? demangle_parameters(r, 'E', to) : "";
    r->arguments = outer;
    r->depth--;
    if (has_parameters)
        list = join(r, join(r, "(", list, ")"), name.behind, result.right);
    to->text = join(r, before, name.text, list);
    to->name = (uint32_t)strlen(before);
    to->name_end = to->name + (uint32_t)strlen(name.text);
    to->bare_end = name.is_template ? to->name + (uint32_t)strlen(name.bare) : to->name_end;
}

bool demangle(struct demangled *to, struct arena *arena, const char *mangled)
{
    struct reader reader = {.arena = arena, .at = mangled, .pack = NO_PACK};
    *to = (struct demangled){0};
    if (!take_word(&reader, "_Z"))
        return false;
    read_encoding(&reader, to);
    return !reader.failed && (!*reader.at || *reader.at == '.') && to->name_end > to->name;
}
