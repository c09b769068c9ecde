#include "support/diag_rules.h"
#include "support/nearest.h"
#include <string.h>

const struct diag_rule diag_rules[DIAG_RULES] = {
#define DIAG_RULE(id, severity, least, group, text)                                                \
    {id, DIAG_##severity, DIAG_##least, group, text},
#include "support/diag_rules.def"
#undef DIAG_RULE
};

int diag_rule_find(const char *id, size_t length)
{
    for (int i = 0; i < DIAG_RULES; i++)
        if (strlen(diag_rules[i].id) == length && !memcmp(diag_rules[i].id, id, length))
            return i;
    return -1;
}

const char *diag_rule_nearest(const char *typed, size_t length, bool warnings_only)
{
    struct nearest nearest;
    nearest_init(&nearest, typed, length);
    for (int i = 0; i < DIAG_RULES; i++)
        if (!warnings_only || diag_rules[i].least == DIAG_WARNING)
            nearest_offer(&nearest, diag_rules[i].id, strlen(diag_rules[i].id));
    return nearest.best;
}
