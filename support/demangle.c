#include "support/demangle.h"
#include <string.h>

enum { DEEPEST = 200, MOST_TEXT = 1 << 18, MOST_PARTS = 10000, NO_PACK = UINT32_MAX };

// A type, name or template argument. The name of what has the type is between the two halves:
// "void (*" ")(int)".
struct name_part {
    const char *left, *right;
    bool is_function, is_array; // a pointer to it needs parentheses
    bool is_pack;               // `elements` instead
    const struct name_parts *elements;
};

struct name_parts {
    VEC(struct name_part) list;
};

struct reader {
    struct arena *arena;
    const char *at;
    uint32_t depth, text, steps; // used up
    bool failed;
    struct name_parts known;            // that S_, S0_ … represent
    const struct name_parts *arguments; // that T_, T0_ … represent
    uint32_t pack, pack_length;         // which element of packs is written now; NO_PACK: none
};

// A name as it is read.
struct naming {
    const char *text, *bare; // with and without the last template arguments
    const char *behind;      // the parameters: " const"
    const struct name_parts *arguments;
    bool is_template;
};

// Every function below returns something printable after a failure.

static void fail(struct reader *r)
{
    r->failed = true;
    r->at = "";
}

static bool enter(struct reader *r)
{
    if (++r->depth > DEEPEST || ++r->steps > MOST_PARTS)
        fail(r);
    return !r->failed;
}

static const char *join(struct reader *r, const char *a, const char *b, const char *c)
{
    size_t length = strlen(a) + strlen(b) + strlen(c);
    if (length > MOST_TEXT - r->text)
        fail(r);
    if (r->failed)
        return "";
    r->text += (uint32_t)length;
    return arena_printf(r->arena, "%s%s%s", a, b, c);
}

static bool take(struct reader *r, char c)
{
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length))
        return false;
    r->at += length;
    return true;
}

static void need(struct reader *r, char c)
{
    if (!take(r, c))
        fail(r);
}

static uint32_t take_number(struct reader *r)
{
    uint32_t value = 0;
    if (*r->at < '0' || *r->at > '9')
        fail(r);
    while (*r->at >= '0' && *r->at <= '9') {
        value = value * 10 + (uint32_t)(*r->at++ - '0');
        if (value > MOST_TEXT)
            fail(r);
    }
    return value;
}

static struct name_part part_of(const char *text)
{
    return (struct name_part){.left = text, .right = ""};
}

static void remember(struct reader *r, struct name_part part)
{
    if (!r->failed)
        vec_push(r->arena, &r->known.list, part);
}

static struct name_part read_type(struct reader *r);
static void read_name(struct reader *r, struct naming *name);
static void read_encoding(struct reader *r, struct demangled *to);

// Lists, with packs opened

static const char *add_to_list(struct reader *r, const char *list, const struct name_part *part)
{
    if (!part->is_pack)
        return join(r, list, *list ? ", " : "", join(r, part->left, part->right, ""));
    for (uint32_t i = 0; i < part->elements->list.n; i++)
        list = add_to_list(r, list, &part->elements->list.v[i]);
    return list;
}

static const char *whole(struct reader *r, const struct name_part *part)
{
    return part->is_pack ? add_to_list(r, "", part) : join(r, part->left, part->right, "");
}

// Types up to `end`, which stays; a single void is nothing.
static const char *read_parameters(struct reader *r, char end, struct demangled *to)
{
    const char *list = "";
    if (r->at[0] == 'v' && (r->at[1] == end || !r->at[1] || r->at[1] == '.')) {
        r->at++;
        return list;
    }
    while (*r->at && *r->at != end && *r->at != '.' && !r->failed) {
        struct name_part type = read_type(r);
        list = add_to_list(r, list, &type);
        for (uint32_t i = 0; to && i < (type.is_pack ? type.elements->list.n : 1); i++)
            vec_push(r->arena, &to->parameters,
                     whole(r, type.is_pack ? &type.elements->list.v[i] : &type));
    }
    return list;
}

// Template arguments

static const char *const integer_ends[128] = {
    ['i'] = "", ['j'] = "u", ['l'] = "l", ['m'] = "ul", ['x'] = "ll", ['y'] = "ull",
};

// Behind L: TYPE VALUE E, or _Z ENCODING E.
static struct name_part read_literal(struct reader *r)
{
    char letter = *r->at;
    struct demangled inner = {0};
    if (take_word(r, "_Z")) {
        read_encoding(r, &inner);
        need(r, 'E');
        return part_of(r->failed ? "" : inner.text);
    }
    struct name_part type = read_type(r);
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
    return part_of(join(r, join(r, "(", whole(r, &type), ")"), sign, value));
}

// Behind X: the address of a function or variable is all that is read.
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
    return read_type(r);
}

// Up to E, which goes.
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

static void add_arguments(struct reader *r, struct naming *name)
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

// N_ after a letter: 0 for "_", N + 1 otherwise, in that base.
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

static const char *read_source_name(struct reader *r)
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

// Behind U: a lambda or a type without a name.
static const char *read_unnamed(struct reader *r)
{
    const char *types = NULL;
    if (take(r, 'l')) {
        types = read_parameters(r, 'E', NULL);
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
    take(r, 'L'); // of this file alone
    if (take_word(r, "cl"))
        text = "operator()";
    else if (take(r, 'U'))
        text = read_unnamed(r);
    else
        text = read_source_name(r);
    while (take(r, 'B'))
        text = join(r, text, join(r, "[abi:", read_source_name(r), "]"), "");
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

// Behind S, and not St.
static struct name_part read_known(struct reader *r)
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

// Behind T. Of a pack it is the element that is written now, or all.
static struct name_part read_parameter(struct reader *r)
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

// Behind N.
static void read_nested(struct reader *r, struct naming *name)
{
    bool is_known = true; // the name so far: nothing need be remembered
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
            struct name_part part = read_known(r);
            name->text = name->bare = whole(r, &part);
            is_known = true;
        } else if (take(r, 'T')) {
            struct name_part part = read_parameter(r);
            name->text = name->bare = whole(r, &part);
        } else if (*name->text && take(r, 'I'))
            add_arguments(r, name);
        else
            add_component(r, name, read_unqualified(r));
        r->depth--;
    }
}

// Behind Z: what is declared in a function.
static void read_local(struct reader *r, struct naming *name)
{
    struct demangled outer = {0};
    struct naming inner;
    read_encoding(r, &outer);
    need(r, 'E');
    if (*r->at == 's' || *r->at == 'd')
        fail(r);
    read_name(r, &inner);
    if (take(r, '_')) { // which of several
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

static void read_name(struct reader *r, struct naming *name)
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
            struct name_part part = read_known(r);
            name->text = name->bare = whole(r, &part);
            is_known = true;
        } else {
            if (take_word(r, "St"))
                name->text = "std";
            add_component(r, name, read_unqualified(r));
        }
        if (*r->at == 'I' && !is_known)
            remember(r, part_of(name->text));
        if (take(r, 'I'))
            add_arguments(r, name);
    }
    r->depth--;
}

// Types

static const struct {
    const char *code, *text;
} builtin_types[] = {
#define TYPE(code, text) {code, text},
#include "support/demangle_types.def"
#undef TYPE
};

// Behind the declarator: "*" or "&".
static struct name_part refer(struct reader *r, struct name_part to, const char *mark)
{
    size_t length = strlen(to.left);
    if (*mark == '&' && !*to.right && length && to.left[length - 1] == '&') {
        bool twice = length > 1 && to.left[length - 2] == '&';
        if (twice && !mark[1]) // of && and & there is & left
            to.left = arena_strndup(r->arena, to.left, length - 1);
        return to;
    }
    bool inside = to.is_function || to.is_array;
    const char *open = inside ? to.is_array ? " (" : "(" : "";
    struct name_part made = {.left = join(r, to.left, open, mark),
                             .right = join(r, inside ? ")" : "", to.right, "")};
    return made;
}

static struct name_part qualify(struct reader *r, struct name_part type, const char *word)
{
    if (type.is_function)
        type.right = join(r, type.right, word, "");
    else
        type.left = join(r, type.left, word, "");
    return type;
}

// Behind F.
static struct name_part read_function(struct reader *r)
{
    take(r, 'Y');
    struct name_part result = read_type(r);
    const char *list = read_parameters(r, 'E', NULL);
    need(r, 'E');
    return (struct name_part){.left = join(r, result.left, " ", ""),
                              .right = join(r, join(r, "(", list, ")"), result.right, ""),
                              .is_function = true};
}

// Behind A.
static struct name_part read_array(struct reader *r)
{
    size_t digits = strspn(r->at, "0123456789");
    const char *length = arena_strndup(r->arena, r->at, digits);
    r->at += digits;
    need(r, '_');
    struct name_part of = read_type(r);
    of.right = join(r, of.is_array ? "" : " ", join(r, "[", length, "]"),
                    of.is_array ? of.right + 1 : of.right);
    if (of.is_array)
        of.right = join(r, " ", of.right, "");
    of.is_array = true;
    return of;
}

// Behind M: CLASS MEMBER.
static struct name_part read_member(struct reader *r)
{
    struct name_part class = read_type(r), member = read_type(r);
    const char *mark = join(r, whole(r, &class), "::*", "");
    if (member.is_function || member.is_array)
        return refer(r, member, mark);
    member.left = join(r, member.left, " ", mark);
    return member;
}

// Behind Dp: the pattern once for each element of its pack.
static struct name_part read_expansion(struct reader *r)
{
    struct name_part pack = {.left = "", .right = "", .is_pack = true};
    struct name_parts *elements = ARENA_NEW(r->arena, struct name_parts);
    const char *begin = r->at;
    uint32_t known = r->known.list.n, outer = r->pack, length = 1;
    pack.elements = elements;
    for (uint32_t i = 0; (i < length || !i) && !r->failed; i++) {
        r->at = begin;
        r->known.list.n = known;
        r->pack = i;
        r->pack_length = 0;
        struct name_part element = read_type(r);
        length = r->pack_length;
        if (length)
            vec_push(r->arena, &elements->list, element);
    }
    r->pack = outer;
    return pack;
}

// Reads a builtin, which is never a substitution. The text is NULL for other names.
static struct name_part read_builtin(struct reader *r)
{
    for (size_t i = 0; i < sizeof builtin_types / sizeof *builtin_types; i++)
        if (take_word(r, builtin_types[i].code))
            return part_of(builtin_types[i].text);
    return (struct name_part){0};
}

static struct name_part read_class(struct reader *r)
{
    struct naming name;
    read_name(r, &name);
    return part_of(name.text);
}

// A qualifier or a pointer, and what it is of.
static struct name_part read_compound(struct reader *r)
{
    char letter = *r->at++;
    switch (letter) {
    case 'P': return refer(r, read_type(r), "*");
    case 'R': return refer(r, read_type(r), "&");
    case 'O': return refer(r, read_type(r), "&&");
    case 'K': return qualify(r, read_type(r), " const");
    case 'V': return qualify(r, read_type(r), " volatile");
    case 'r': return qualify(r, read_type(r), " __restrict__");
    case 'F': return read_function(r);
    case 'A': return read_array(r);
    case 'M': return read_member(r);
    case 'T': return read_parameter(r);
    case 'u': return part_of(read_source_name(r));
    default: break;
    }
    r->at--;
    if (take_word(r, "Dp"))
        return read_expansion(r);
    return read_class(r);
}

// A template's name that is known, with arguments.
static struct name_part add_to_known(struct reader *r, struct name_part part)
{
    struct naming name = {.text = whole(r, &part)};
    add_arguments(r, &name);
    part = part_of(name.text);
    remember(r, part);
    return part;
}

static struct name_part read_type(struct reader *r)
{
    if (!enter(r))
        return part_of("");
    struct name_part part = read_builtin(r);
    if (!part.left && r->at[0] == 'S' && r->at[1] != 't') {
        r->at++;
        part = read_known(r);
        if (take(r, 'I'))
            part = add_to_known(r, part);
    } else if (!part.left) {
        bool is_parameter = *r->at == 'T';
        part = read_compound(r);
        remember(r, part);
        if (is_parameter && take(r, 'I'))
            part = add_to_known(r, part);
    }
    r->depth--;
    return r->failed ? part_of("") : part;
}

// NAME [RESULT] PARAMETERS, up to the end or E
static void read_encoding(struct reader *r, struct demangled *to)
{
    struct naming name;
    struct name_part result = part_of("");
    const struct name_parts *outer = r->arguments;
    if (!enter(r))
        return;
    read_name(r, &name);
    r->arguments = name.arguments;
    bool has_parameters = *r->at && *r->at != 'E' && *r->at != '.';
    if (has_parameters && name.is_template)
        result = read_type(r);
    const char *before =
        *result.left ? join(r, result.left, result.is_function ? "" : " ", "") : "";
    const char *list = has_parameters ? read_parameters(r, 'E', to) : "";
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
