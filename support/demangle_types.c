// Reads the types in mangled names.
#include "support/demangle_reader.h"

static const struct {
    const char *code, *text;
} builtin_types[] = {
#define TYPE(code, text) {code, text},
#include "support/demangle_types.def"
#undef TYPE
};

// Adds "*" or "&" to a type.
static struct name_part refer(struct reader *r, struct name_part to, const char *mark)
{
    size_t length = strlen(to.left);
    if (*mark == '&' && !*to.right && length && to.left[length - 1] == '&') {
        bool twice = length > 1 && to.left[length - 2] == '&';
        if (twice && !mark[1]) // && and & collapse to &
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

// Reads a function type after F.
static struct name_part read_function(struct reader *r)
{
    take(r, 'Y');
    struct name_part result = demangle_type(r);
    const char *list = demangle_parameters(r, 'E', NULL);
    need(r, 'E');
    return (struct name_part){.left = join(r, result.left, " ", ""),
                              .right = join(r, join(r, "(", list, ")"), result.right, ""),
                              .is_function = true};
}

// Reads an array type after A.
static struct name_part read_array(struct reader *r)
{
    size_t digits = strspn(r->at, "0123456789");
    const char *length = arena_strndup(r->arena, r->at, digits);
    r->at += digits;
    need(r, '_');
    struct name_part of = demangle_type(r);
    of.right = join(r, of.is_array ? "" : " ", join(r, "[", length, "]"),
                    of.is_array ? of.right + 1 : of.right);
    if (of.is_array)
        of.right = join(r, " ", of.right, "");
    of.is_array = true;
    return of;
}

// Reads a pointer to member after M: CLASS MEMBER.
static struct name_part read_member(struct reader *r)
{
    struct name_part class = demangle_type(r), member = demangle_type(r);
    const char *mark = join(r, demangle_whole(r, &class), "::*", "");
    if (member.is_function || member.is_array)
        return refer(r, member, mark);
    member.left = join(r, member.left, " ", mark);
    return member;
}

// Reads a pack expansion after Dp: the pattern, once for each element of its pack.
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
        struct name_part element = demangle_type(r);
        length = r->pack_length;
        if (length)
            vec_push(r->arena, &elements->list, element);
    }
    r->pack = outer;
    return pack;
}

// Reads a builtin type, which is never a substitution. The text is NULL for other types.
static struct name_part read_builtin(struct reader *r)
{
    for (size_t i = 0; i < ARRAY_LENGTH(builtin_types); i++)
        if (take_word(r, builtin_types[i].code))
            return part_of(builtin_types[i].text);
    return (struct name_part){0};
}

static struct name_part read_class(struct reader *r)
{
    struct naming name;
    demangle_name(r, &name);
    return part_of(name.text);
}

// Reads a qualifier or pointer with the type to which it applies.
static struct name_part read_compound(struct reader *r)
{
    char letter = *r->at++;
    switch (letter) {
    case 'P': return refer(r, demangle_type(r), "*");
    case 'R': return refer(r, demangle_type(r), "&");
    case 'O': return refer(r, demangle_type(r), "&&");
    case 'K': return qualify(r, demangle_type(r), " const");
    case 'V': return qualify(r, demangle_type(r), " volatile");
    case 'r': return qualify(r, demangle_type(r), " __restrict__");
    case 'F': return read_function(r);
    case 'A': return read_array(r);
    case 'M': return read_member(r);
    case 'T': return demangle_parameter(r);
    case 'u': return part_of(demangle_source_name(r));
    default: break;
    }
    r->at--;
    if (take_word(r, "Dp"))
        return read_expansion(r);
    return read_class(r);
}

// Reads the template arguments of a substituted template name.
static struct name_part add_to_known(struct reader *r, struct name_part part)
{
    struct naming name = {.text = demangle_whole(r, &part)};
    demangle_arguments(r, &name);
    part = part_of(name.text);
    remember(r, part);
    return part;
}

struct name_part demangle_type(struct reader *r)
{
    if (!enter(r))
        return part_of("");
    struct name_part part = read_builtin(r);
    if (!part.left && r->at[0] == 'S' && r->at[1] != 't') {
        r->at++;
        part = demangle_known(r);
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
