// Pragmas: allowed places, requirements and values, by the rules of ptxas. Unknown pragmas are
// allowed in kernels and functions.
#include "frontend/directives_internal.h"
#include <stdlib.h>
#include <string.h>

enum pragma_value { NO_VALUE, ANY_VALUE, NUMBER, POSITIVE, NUMBER_OR_ALL };
enum {
    KERNEL = 64,
    FUNCTION = 128
}; // bodies of kernels and of functions, in addition to enum
   // directive_context

static const struct pragma {
    const char *text;
    uint8_t places;
    uint8_t value; // enum pragma_value
    uint16_t version;
    const char *targets;
} pragmas[] = {
    {"nounroll", MODULE | ENTRY | KERNEL | FUNCTION, NO_VALUE, 0, ""},
    {"used_bytes_mask", KERNEL | FUNCTION, NUMBER, 83, "50"},
    {"enable_smem_spilling", KERNEL, ANY_VALUE, 87, "75"},
    {"frequency", KERNEL | FUNCTION, POSITIVE, 90, ""},
    {"abi_param_reg", MODULE | ENTRY | FUNCTION, NUMBER_OR_ALL, 0, ""},
};

static const struct node *node_at(const struct directives *d, uint32_t node)
{
    return &d->tree->nodes.v[node];
}

static const struct pragma *find_pragma(const char *text, uint32_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(pragmas); i++) {
        uint32_t size = (uint32_t)strlen(pragmas[i].text);
        bool whole = size == length || (size < length && pragmas[i].value != NO_VALUE);
        if (whole && !memcmp(text, pragmas[i].text, size))
            return &pragmas[i];
    }
    return NULL;
}

// Checks the pragma's value, which is separated from its name by one byte.
static bool has_value(struct directives *d, const struct pragma *pragma, const char *text,
                      uint32_t length)
{
    uint32_t size = (uint32_t)strlen(pragma->text);
    if (pragma->value == NO_VALUE || pragma->value == ANY_VALUE)
        return true;
    if (length <= size + 1)
        return false;
    const char *value = arena_strndup(&d->scratch, text + size + 1, length - size - 1);
    if (pragma->value == NUMBER_OR_ALL && !strcmp(value, "all"))
        return true;
    char *end;
    long number = strtol(value, &end, 0);
    return end != value && !*end && (pragma->value != POSITIVE || number > 0);
}

static void check_string(struct directives *d, uint32_t string, uint8_t place)
{
    static const char own[] = "ptxoffload."; // tags of this program, which no other program reads
    const char *text = d->tree->source->text + node_at(d, string)->begin + 1;
    uint32_t length = node_at(d, string)->end - node_at(d, string)->begin - 2;
    const struct pragma *pragma = find_pragma(text, length);
    if (length >= sizeof own - 1 && !memcmp(text, own, sizeof own - 1))
        return;
    if (!pragma && place == MODULE)
        directive_fault(d, "directive", string, "unknown pragma of a module");
    else if (pragma && !(pragma->places & place))
        directive_fault(d, "directive", string,
                        place == MODULE || place == ENTRY
                            ? "this pragma is allowed in bodies only"
                            : "this pragma is not allowed in a body of this kind");
    else if (pragma && !has_value(d, pragma, text, length))
        directive_fault(d, "directive", string, "this pragma needs another value");
    else if (pragma)
        directive_check_word(d, string, pragma->text, pragma->version, 0, pragma->targets);
}

void pragma_check(struct directives *d, uint32_t directive, enum directive_context place)
{
    NODE_EACH (child, d->tree, directive) {
        if (node_at(d, child)->kind != NODE_STRING)
            directive_fault(d, "directive", child, "a pragma must be a string in quotes");
        else
            check_string(d, child,
                         place != BODY            ? (uint8_t)place
                         : d->function == W_entry ? KERNEL
                                                  : FUNCTION);
    }
}
