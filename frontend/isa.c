#include "frontend/isa.h"
#include <string.h>

const struct isa_word_info isa_words[WORD_COUNT] = {
#define WORD(name, text, kind, value) {text, KIND_##kind, value},
#include "frontend/words.def"
#undef WORD
};

const char *const isa_op_names[OP_COUNT] = {
#define ISA_OP(name, class, roles, time, rows) #name,
#define ISA_SUB(name, modifier, class, roles)
#include "frontend/isa.def"
#undef ISA_OP
#undef ISA_SUB
};

const struct isa_special_info isa_specials[SPECIAL_COUNT] = {
#define SPECIAL(name, varies, min, max, parts, version, target)                                    \
    {"%" #name, VARIES_##varies, min, max, parts, version, target},
#include "frontend/special.def"
#undef SPECIAL
};

static const struct isa_form forms[OP_COUNT] = {
#define ISA_OP(name, class, roles, time, rows) {CLASS_##class, roles},
#define ISA_SUB(name, modifier, class, roles)
#include "frontend/isa.def"
#undef ISA_OP
#undef ISA_SUB
};

static const struct {
    uint16_t op, modifier;
    struct isa_form form;
} subforms[] = {
#define ISA_OP(name, class, roles, time, rows)
#define ISA_SUB(name, modifier, class, roles) {OP_##name, W_##modifier, {CLASS_##class, roles}},
#include "frontend/isa.def"
#undef ISA_OP
#undef ISA_SUB
};

void isa_intern(struct intern *names)
{
    for (uint32_t i = 0; i < OP_COUNT; i++)
        intern_add(names, isa_op_names[i], strlen(isa_op_names[i]));
    for (uint32_t i = 0; i < WORD_COUNT; i++)
        intern_add(names, isa_words[i].text, strlen(isa_words[i].text));
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        intern_add(names, isa_specials[i].text, strlen(isa_specials[i].text));
}

struct isa_form isa_form(uint16_t op, const uint16_t *mods, uint32_t mod_count)
{
    if (op >= OP_COUNT)
        return (struct isa_form){CLASS_OPAQUE, "m"};
    for (size_t i = 0; i < ARRAY_LENGTH(subforms); i++)
        if (subforms[i].op == op)
            for (uint32_t m = 0; m < mod_count; m++)
                if (mods[m] == subforms[i].modifier)
                    return subforms[i].form;
    return forms[op];
}
